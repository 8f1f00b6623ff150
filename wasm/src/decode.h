/* The texts of tokens, as their models have them. */
#ifndef WWHO_DECODE_H
#define WWHO_DECODE_H

#include "model.h"

/* The text of any token, before decoding; null if no token has this id. */
WWHO_LOCAL const uint8_t *token_text(const wwho_model *model, uint32_t id, size_t *len);

/* Whether a special token has this id. */
WWHO_LOCAL bool is_special(const wwho_model *model, uint32_t id);

/* wwho_decode_part for a model without a decoder. */
WWHO_LOCAL int join_texts(const wwho_model *model, const uint32_t *ids, size_t n, uint32_t flags, uint8_t *out, size_t cap, size_t *len);

#endif
