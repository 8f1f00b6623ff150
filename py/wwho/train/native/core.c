/* The core, and what the trainer asks of it beyond wwho.h: the only lines of the trainer that know how the core is made. */
#include "wwho.c"

#include "core.h"

/* Cut text[*at..end), places in bytes, into its segments (route SEGMENTS) or, as one segment of a route that has units, into its units: at
 * most `room` spans. *at, which is the start of a line or segment or where the last call left off, moves after the last one. A segment has
 * the rule WWHO_PIECE where its route has no units, else WWHO_SYLLABLE. Returns the number of spans. */
size_t cut_text(const wwho_model *model, uint32_t route, const uint8_t *text, size_t *at, size_t end, wwho_span *spans, size_t room) {
    size_t n = 0;
    wwho_cursor cursor = start_at(&model->classes, text, *at, end);
    while (n < room && cursor.at < end) {
        uint32_t start = (uint32_t)cursor.at, found = route, rule = WWHO_SYLLABLE;
        if (route == SEGMENTS) {
            next_segment(model, &cursor, &found);
            if (!model->routes[found].units) rule = WWHO_PIECE;
        } else {
            scan_piece(&model->classes, model->routes[route].units, &cursor, &rule);
        }
        spans[n++] = (wwho_span){start, (uint32_t)cursor.at, (uint16_t)found, (uint8_t)rule, 0};
    }
    *at = cursor.at;
    return n;
}

/* Find the added tokens in text[*at..end), places in bytes, that are found in every text as it is: those that are neither special nor found
 * in normalized text. Writes at most `room` spans to `found`. *at, which is the start of the text or where the last call left off, moves
 * after the last one, or to the end. Returns their number. */
size_t added_tokens(const wwho_model *model, const uint8_t *text, size_t *at, size_t end, wwho_span *found, size_t room) {
    size_t n = 0, from = *at;
    wwho_wanted wanted;
    want_added(&wanted, model, NULL, 0);
    while (n < room && *at < end) {
        wwho_added_match m = find_next(&wanted, 0, text, from, *at, end);
        *at = m.end;
        if (m.number != WWHO_NONE) found[n++] = (wwho_span){(uint32_t)m.start, (uint32_t)m.end, 0, WWHO_PIECE, 0};
    }
    return n;
}
