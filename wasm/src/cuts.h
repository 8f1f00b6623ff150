/* Where a text that goes on may be cut (cuts.c). */
#ifndef WWHO_CUTS_H
#define WWHO_CUTS_H

#include "added.h"

/* The last safe place in ordinary text, or 0. */
WWHO_LOCAL size_t cut_ordinary(const wwho_model *model, const wwho_wanted *wanted, const uint8_t *text, size_t len);

/* Whether the scanner of a route ends a match between two classes, whatever came before: a pretoken, where it is to be `kept`. */
WWHO_LOCAL bool ends_piece(const wwho_model *model, uint32_t route, uint32_t a, uint32_t b, bool kept);

/* Of text[at..*end), which goes on, with added tokens of one kind: the end of the last one after which it may be cut, or `at`. Up to *end,
 * which becomes less, it is then free of such tokens, whatever follows. With `origins`, a cut needs one. */
WWHO_LOCAL size_t sure_tokens(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, const uint32_t *origins, size_t at,
                              size_t *end);

#endif
