/* The pieces and units of a text, and the places of tokens in characters. */
#include "stages.h"

/* Where spans go. */
typedef struct {
    wwho_span *spans;
    size_t cap, n;
} span_list;

static void add_span(span_list *list, size_t at, size_t end, uint32_t route, uint32_t rule, bool first) {
    if (list->n < list->cap)
        list->spans[list->n] = (wwho_span){(uint32_t)at, (uint32_t)end, (uint16_t)route, (uint8_t)rule, first};
    list->n++;
}

/* The pieces of the segment from `at` to where the cursor is. */
static void add_pieces(span_list *list, const wwho_model *model, uint32_t route, const wwho_cursor *segment, size_t at) {
    wwho_walk walk;
    bool first = true;
    size_t end;
    for (start_walk(&walk, model, &model->routes[route], segment, at, segment->at); next_piece(&walk, &at, &end); first = false)
        add_span(list, at, end, route, WWHO_PIECE, first);
}

/* Its units. */
static void add_units(span_list *list, const wwho_model *model, uint32_t route, const wwho_cursor *segment, size_t start) {
    uint32_t rule;
    for (wwho_cursor c = start_within(&model->classes, segment, start, segment->at); c.at < c.end;) {
        size_t at = c.at;
        scan(&model->classes, model->routes[route].units, &c, &rule);
        add_span(list, at, c.at, route, rule, at == start);
    }
}

int wwho_spans(const wwho_model *model, const uint8_t *text, size_t len, wwho_span *spans, size_t cap, size_t *n) {
    if (!model || (!text && len) || (!spans && cap) || !n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    span_list list = {spans, cap, 0};
    for (wwho_cursor segment = start_at(&model->classes, text, 0, len); segment.at < len;) {
        uint32_t route;
        size_t at = segment.at;
        next_segment(model, &segment, &route);
        if (model->routes[route].units)
            add_units(&list, model, route, &segment, at);
        else if (model->routes[route].n_stages)
            add_pieces(&list, model, route, &segment, at);
        else
            add_span(&list, at, segment.at, route, WWHO_PIECE, true);
    }
    *n = list.n;
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
