/* The pieces and units of a text, and the places of tokens in characters. */
#include "model.h"

int wwho_spans(const wwho_model *model, const uint8_t *text, size_t len, wwho_span *spans, size_t cap, size_t *n) {
    if (!model || (!text && len) || (!spans && cap) || !n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    *n = 0;
    for (wwho_cursor segment = start_at(&model->classes, text, 0, len); segment.at < len;) {
        uint32_t route, rule;
        size_t start = segment.at;
        next_segment(model, &segment, &route);
        const wwho_route *r = &model->routes[route];
        for (wwho_cursor c = start_within(&model->classes, &segment, start, segment.at); c.at < segment.at; ++*n) {
            size_t at = c.at;
            scan(&model->classes, r->units ? r->units : r->scanner, &c, &rule);
            if (*n >= cap) continue;
            uint8_t unit_rule = r->units ? (uint8_t)rule : WWHO_PIECE;
            spans[*n] = (wwho_span){(uint32_t)at, (uint32_t)c.at, (uint16_t)route, unit_rule, at == start};
        }
    }
    return *n > cap ? WWHO_BUFFER : WWHO_OK;
}

int wwho_offsets(const uint8_t *text, size_t len, const uint32_t *ends, size_t n, int utf16, uint32_t *first, uint32_t *last) {
    if ((!text && len) || (n && (!ends || !first || !last)) || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    /* the character [begin, next), whose number in the text is `number` and which counts for `units` */
    size_t next = 0, start = 0;
    uint32_t number = 0, units = 0;
    for (size_t i = 0; i < n; start = ends[i++]) {
        if (ends[i] > len || ends[i] < start) return WWHO_ARGUMENT;
        bool touched = false;
        do {
            if (next <= start || (touched && next < ends[i])) {
                if (next >= len) break;
                uint32_t c;
                number += units;
                next += utf8_next(text + next, len - next, &c);
                units = utf16 && c > 0xFFFF ? 2 : 1;
            }
            if (!touched && next > start) {
                first[i] = number;
                touched = true;
            }
        } while (next <= start || next < ends[i]);
        if (!touched) first[i] = number + units; /* an empty token at the end of the text */
        last[i] = number + units;
    }
    return WWHO_OK;
}
