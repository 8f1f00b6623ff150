/* What happens after the models: TEMPLATE and DECODER of FORMAT.md. */
#ifndef WWHO_AFTER_H
#define WWHO_AFTER_H

#include "model.h"

enum { TEMPLATE_HEAD = 4, TEMPLATE_PLACE = 8, MAX_TRIM = 31 };

/* Check the TEMPLATE section, if there is one, once all tokens are known: each place is a text or the id of a token, and each text stands
 * once, the first one in the template for one text, both in that for a pair. Nothing is built: tell_template() reads the section. Returns
 * WWHO_OK or WWHO_TEMPLATE. */
WWHO_LOCAL int build_template(wwho_model *model);

/* Check the DECODER section, if there is one, once all tokens are known, and fill in model->decoder: its steps, its surfaces, and whether
 * it works in parts. Returns WWHO_OK or WWHO_DECODER. */
WWHO_LOCAL int build_decoder(wwho_model *model);

#endif
