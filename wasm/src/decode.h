/* The texts of tokens, as their models have them. */
#ifndef WWHO_DECODE_H
#define WWHO_DECODE_H

#include "model.h"

/* Return the text of the token with an id, of the first model that has one, else an added one, as the artifact has it, before decoding; its
 * length in bytes goes to *len. It is not ended by a zero. Null if no token has this id. */
WWHO_LOCAL const uint8_t *token_text(const wwho_model *model, uint32_t id, size_t *len);

/* Return true if a special added token has this id. */
WWHO_LOCAL bool is_special(const wwho_model *model, uint32_t id);

/* Write the texts of n ids one after another to `out`, of `cap` bytes, for a model without a decoder; special tokens are left out if the
 * flags say so. *len becomes the length of the whole text in bytes, also if it does not fit (WWHO_BUFFER), or, with WWHO_TOKEN, the place
 * in `ids` of the first unknown id. WWHO_ARGUMENT if the length fits no size_t. */
WWHO_LOCAL int join_texts(const wwho_model *model, const uint32_t *ids, size_t n, uint32_t flags, uint8_t *out, size_t cap, size_t *len);

#endif
