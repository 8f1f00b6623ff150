/* The pretokens and units of a text, and the offsets of tokens in characters. */
#include "encoder.h"

/* Add the pretoken from `at` to `end` of a route to e->spans, as one span, or, if the route has `units`, as one span for each unit. Places
 * count from e->start. Beyond the capacity, spans are only counted. The first span of a segment is marked as such (e->fresh, which is then
 * cleared). */
WWHO_LOCAL void add_spans(wwho_encoder *e, const wwho_route *route, size_t at, size_t end) {
    uint32_t number = (uint32_t)(route - e->model->routes), rule = WWHO_PIECE;
    wwho_cursor c = start_at(&e->model->classes, e->text, at, end);
    for (e->fresh |= route->path == PATH_WHOLE; at < end; at = c.at, e->fresh = false, e->n_spans++) {
        if (route->units)
            scan(&e->model->classes, route->units, &c, &rule);
        else
            c.at = end;
        if (e->n_spans >= e->spans_cap) continue;
        e->spans[e->n_spans] =
            (wwho_span){(uint32_t)(at - e->start), (uint32_t)(c.at - e->start), (uint16_t)number, (uint8_t)rule, e->fresh};
    }
}

/* Convert n ascending places (bytes) of a text to numbers of characters, or of UTF-16 units with `utf16`, into `out`: how many begin
 * before each place or, with `down`, how many end at or before it. With `before`, use the place before each instead (0 for the first).
 * Returns false if a place is beyond the text, or less than the last one. */
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

/* Convert the starts and ends of n tokens from bytes to characters or UTF-16 units, into `first` and `last`, as wwho.h says; without
 * starts, each token starts at the end of the one before. A token that is part of a character gets all of it. WWHO_ARGUMENT if places do
 * not ascend or are beyond the text. */
int wwho_offsets(const uint8_t *text, size_t len, const uint32_t *starts, const uint32_t *ends, size_t n, int utf16, uint32_t *first,
                 uint32_t *last) {
    if ((!text && len) || (n && (!ends || !first || !last)) || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    bool done = to_characters(text, len, starts ? starts : ends, n, !starts, true, utf16, first) &&
                to_characters(text, len, ends, n, false, false, utf16, last);
    return done ? WWHO_OK : WWHO_ARGUMENT;
}
