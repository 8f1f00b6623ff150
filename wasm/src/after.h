/* What happens after the models: TEMPLATE and DECODER of FORMAT.md. */
#ifndef WWHO_AFTER_H
#define WWHO_AFTER_H

#include "model.h"

enum { TEMPLATE_HEAD = 4, TEMPLATE_PLACE = 8 };

/* The text of any token, as it is alone; null where there is none with this id. */
WWHO_LOCAL const uint8_t *token_text(const wwho_model *model, uint32_t id, size_t *len);

/* Check the sections, where they are there, once all tokens are known. WWHO_TEMPLATE, WWHO_DECODER. */
WWHO_LOCAL int build_template(wwho_model *model);
WWHO_LOCAL int build_decoder(wwho_model *model);

#endif
