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

/* Turn ascending places of a text into characters: those that begin before each place or, with `down`, those that end up to it; with
 * `before`, the place before each (the first: 0). False where a place is beyond the text or less than the one before it. */
static bool to_characters(const uint8_t *text, size_t len, const uint32_t *places, size_t n, bool before, bool down, int utf16,
                          uint32_t *out) {
    size_t next = 0; /* the first character that is not counted */
    uint32_t units = 0, last = 0;
    for (size_t i = 0; i < n; out[i++] = units) {
        uint32_t place = !before ? places[i] : i ? places[i - 1] : 0;
        if (place > len || place < last) return false;
        last = place;
        while (next < place) {
            uint32_t c, width = next_character(text + next, len - next, &c);
            if (down && next + width > place) break;
            next += width;
            units += utf16 && c > 0xFFFF ? 2 : 1;
        }
    }
    return true;
}

int wwho_offsets(const uint8_t *text, size_t len, const uint32_t *starts, const uint32_t *ends, size_t n, int utf16, uint32_t *first,
                 uint32_t *last) {
    if ((!text && len) || (n && (!ends || !first || !last)) || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    bool done = to_characters(text, len, starts ? starts : ends, n, !starts, true, utf16, first) &&
                to_characters(text, len, ends, n, false, false, utf16, last);
    return done ? WWHO_OK : WWHO_ARGUMENT;
}
