/* The core, and what the trainer asks of it beyond wwho.h: the only lines of the trainer that know how the core is made. */
#include "wwho.c"

#include "core.h"

/* Cut text[*at..end) into segments (route SEGMENTS) or, as one segment of a route, into its units: at most `room` spans, with places in
 * bytes of `text`. *at moves after the last one. Returns their number. */
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

/* Find the added tokens in text[*at..end) that are found in every text, at most `room` of them, as spans. *at moves after the last one, or
 * to the end. Returns their number. */
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
