/* The one scanner: it runs any automaton of a model (FORMAT.md, section 4). */
#include "internal.h"
#include "utf8.h"

/* A place in a text, and the class and width of the character there; without more text, the class is that of the end. */
typedef struct {
    const uint8_t *text;
    size_t at, end;
    uint32_t class, width;
} wwho_cursor;

static inline void read_class(const wwho_model *model, wwho_cursor *c) {
    uint32_t code_point;
    if (c->at >= c->end) {
        c->class = model->n_classes;
        return;
    }
    if (c->text[c->at] < 0x80) {
        c->class = model->ascii[c->text[c->at]];
        c->width = 1;
        return;
    }
    c->width = utf8_next(c->text + c->at, c->end - c->at, &code_point);
    c->class = model->pages[(uint32_t)model->page[code_point >> 7] << 7 | (code_point & 127)];
}

static inline wwho_cursor start_at(const wwho_model *model, const uint8_t *text, size_t at, size_t end) {
    wwho_cursor c = {.text = text, .at = at, .end = end};
    read_class(model, &c);
    return c;
}

/* Move the cursor, which is not at the end, behind the piece that starts there; its rule goes to *rule. The automaton was
 * checked to match something. Most pieces end just before the character that ends the scan: it is not read again. */
static inline void scan_piece(const wwho_model *model, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    const uint32_t *table = automaton->table;
    wwho_cursor c = *cursor;
    uint32_t row = WWHO_START * automaton->stride, mark = 0, entry;
    size_t last = c.at;
    for (;;) {
        for (; !((entry = table[row + c.class]) & ENTRY_STOP); row = entry) {
            c.at += c.width;
            read_class(model, &c);
        }
        if (ENTRY_MARK(entry)) {
            mark = ENTRY_MARK(entry);
            last = c.at;
        }
        row = entry & ENTRY_ROW;
        if (!row) break;
        c.at += c.width;
        read_class(model, &c);
    }
    *rule = mark - 1;
    if (c.at != last) {
        c.at = last;
        read_class(model, &c);
    }
    *cursor = c;
}

/* Move the cursor behind the segment that starts there; its route goes to *route. */
static void next_segment(const wwho_model *model, wwho_cursor *c, uint32_t *route) {
    *route = 0;
    if (model->router == WWHO_NONE)
        c->at = c->end;
    else
        scan_piece(model, &model->automata[model->router], c, route);
}

int wwho_spans(const wwho_model *model, const uint8_t *text, size_t len, wwho_span *spans, size_t cap, size_t *n) {
    if (!model || (!text && len) || (!spans && cap) || !n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    *n = 0;
    for (wwho_cursor segment = start_at(model, text, 0, len); segment.at < len;) {
        uint32_t route, rule;
        size_t start = segment.at;
        next_segment(model, &segment, &route);
        const wwho_route *r = &model->routes[route];
        for (wwho_cursor c = start_at(model, text, start, segment.at); c.at < segment.at; ++*n) {
            size_t at = c.at;
            scan_piece(model, &model->automata[r->scanner], &c, &rule);
            if (*n >= cap) continue;
            uint8_t unit_rule = r->sgpe ? (uint8_t)rule : WWHO_PIECE;
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
