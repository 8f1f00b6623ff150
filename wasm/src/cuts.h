/* Where a text may be cut before all of it is there (cuts.c). */
#ifndef WWHO_CUTS_H
#define WWHO_CUTS_H

#include "added.h"

/* Return the last place in a text of len bytes where it may be cut so that both parts encode as the whole does, whatever follows; 0 if
 * there is none. No added token is found in the text. It may spell a wanted one that is rejected; no place inside that counts. */
WWHO_LOCAL size_t last_cut(const wwho_model *model, const wwho_wanted *wanted, const uint8_t *text, size_t len);

/* Return, in text[at..*end), which more text follows, the end of the last added token of the kind `late` after which the text may be cut,
 * or `at`. Lowers *end so that the text between that place and *end has no such token, whatever follows. With `origins`, only places with
 * an origin are cut. */
WWHO_LOCAL size_t sure_tokens(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, const uint32_t *origins, size_t at,
                              size_t *end);

#endif
