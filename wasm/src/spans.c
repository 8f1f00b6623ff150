/* The pieces and units of a text, and the places of tokens in characters. Late steps are not taken here: spans are places of the text
 * that is given, which a caller may take through the other steps first (wwho_normalize), and those of rewritten parts would be none. */
#include "stages.h"

/* Where spans go. */
typedef struct {
    wwho_span *spans;
    size_t cap, n;
} span_list;

static void add_span(span_list *list, size_t at, size_t end, uint32_t route, uint32_t rule, bool first) {
    if (list->n < list->cap) list->spans[list->n] = (wwho_span){(uint32_t)at, (uint32_t)end, (uint16_t)route, (uint8_t)rule, first};
    list->n++;
}

/* A piece of the segment at the cursor, or its units; `first` is the first of the segment's. */
static void add_piece(span_list *list, const wwho_model *model, uint32_t route, const wwho_cursor *segment, size_t start, size_t end,
                      bool first) {
    const wwho_automaton *units = model->routes[route].units;
    uint32_t rule;
    if (!units) add_span(list, start, end, route, WWHO_PIECE, first);
    for (wwho_cursor c = start_within(&model->classes, segment, start, end); units && c.at < c.end; first = false) {
        size_t at = c.at;
        scan(&model->classes, units, &c, &rule);
        add_span(list, at, c.at, route, rule, first);
    }
}

int wwho_spans(const wwho_model *model, const uint8_t *text, size_t len, wwho_span *spans, size_t cap, size_t *n) {
    if (!model || (!text && len) || (!spans && cap) || !n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    span_list list = {spans, cap, 0};
    for (wwho_cursor segment = start_at(&model->classes, text, 0, len); segment.at < len;) {
        uint32_t route;
        size_t at = segment.at;
        next_segment(model, &segment, &route);
        size_t n_before = list.n, end;
        if (!model->routes[route].n_stages) {
            add_piece(&list, model, route, &segment, at, segment.at, true);
            continue;
        }
        wwho_walk walk;
        start_walk(&walk, model, &model->routes[route], &segment, at, segment.at);
        while (next_piece(&walk, &at, &end)) add_piece(&list, model, route, &segment, at, end, list.n == n_before);
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
