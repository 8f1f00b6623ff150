/* The functions that the trainer needs of the core beyond wwho.h. */
#ifndef WWHO_TRAIN_CORE_H
#define WWHO_TRAIN_CORE_H

#include "wwho.h"

#define SEGMENTS 0xFFFFFFFFu /* as the route of cut_text: cut into segments */

/* Cut text[*at..end), places in bytes, into its segments (route SEGMENTS) or, as one segment of a route that has units, into its units: at
 * most `room` spans. *at, which is the start of a line or segment or where the last call left off, moves after the last one. A segment has
 * the rule WWHO_PIECE where its route has no units, else WWHO_SYLLABLE. Returns the number of spans. */
size_t cut_text(const wwho_model *model, uint32_t route, const uint8_t *text, size_t *at, size_t end, wwho_span *spans, size_t room);

/* Find the added tokens in text[*at..end), places in bytes, that are found in every text as it is: those that are neither special nor found
 * in normalized text. Writes at most `room` spans to `found`. *at, which is the start of the text or where the last call left off, moves
 * after the last one, or to the end. Returns their number. */
size_t added_tokens(const wwho_model *model, const uint8_t *text, size_t *at, size_t end, wwho_span *found, size_t room);

#endif
