/* What happens after the models: TEMPLATE and DECODER of FORMAT.md. */
#ifndef WWHO_AFTER_H
#define WWHO_AFTER_H

#include "model.h"

enum { TEMPLATE_HEAD = 4, TEMPLATE_PLACE = 8, MAX_TRIM = 31 };

/* Check these sections, if present, after all tokens are known. WWHO_TEMPLATE, WWHO_DECODER. */
WWHO_LOCAL int build_template(wwho_model *model);
WWHO_LOCAL int build_decoder(wwho_model *model);

#endif
