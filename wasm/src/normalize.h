/* Rewriting a text with a list of steps: see rewriting.h. */
#ifndef WWHO_NORMALIZE_H
#define WWHO_NORMALIZE_H

#include "model.h"

/* Set the fields of `it` that a list of steps decides: steps, tables, known characters and rules. The text, its flags and the output are
 * the caller's to set. `known` has KNOWN_LISTS times KNOWN_SLOTS entries, of which lists take theirs by number. */
WWHO_LOCAL void start_steps(wwho_normalizing *it, const wwho_rewrites *list, const wwho_classes *classes, wwho_known *known);

/* Rewrite the part from it->at to it->end by the steps, as far as there is room in it->to and as the result is certain: it->at moves,
 * it->n counts the bytes written. `work` holds characters between steps: `work_len` bytes, 16-byte aligned. Returns false if nothing could
 * be written, because `work` or it->to.room is too small; it->full says whether room was lacking for some of the text. */
WWHO_LOCAL bool run_steps(wwho_normalizing *it, void *work, size_t work_len);

/* Return the place up to which a list of steps keeps text[at..end) as it is: `end`; or, if `more` text follows or a character is not
 * certain to be kept, the last character before that which stands for itself, as what follows may change it. The list is one map that keeps
 * ASCII, such as NFC, and the text has the form that the map makes. That is not certain of broken UTF-8, of vowels and tails of Hangul, or
 * of combining marks after a composed character. Any other list returns `at`. */
WWHO_LOCAL size_t kept_until(const wwho_rewrites *list, const uint8_t *text, size_t at, size_t end, bool more);

/* Return true if the first step of a list, a map, keeps the character at `text`, of `left` bytes, whatever stands before it. */
WWHO_LOCAL bool keeps_first(const wwho_rewrites *list, const uint8_t *text, size_t left);

#endif
