/* The one scanner: it runs any automaton of a model (FORMAT.md, section 4). */
#include "internal.h"
#include "utf8.h"

/* A place in a text, and the class and width of the character there; without more text, the class is that of the end. */
typedef struct {
    const uint8_t *text;
    size_t at, end;
    uint32_t class, width;
    /* the last character of three bytes: its bytes but for the lowest seven bits of the code point, and its page of classes */
    uint32_t block;
    const uint8_t *page;
} wwho_cursor;

#define BLOCK_BITS 0xC0FEFFu

/* A character behind ASCII. Most have the page of the one before. */
static inline void read_wide_class(const wwho_model *model, wwho_cursor *c) {
    const uint8_t *text = c->text + c->at;
    uint32_t code_point, word = 0;
    size_t left = c->end - c->at;
    if (left >= 4)
        word = load32(text);
    else if (left == 3)
        word = read16(text) | (uint32_t)text[2] << 16;
    if ((word & BLOCK_BITS) == c->block) {
        c->width = 3;
        c->class = c->page[(word >> 2 & 64) | (word >> 16 & 63)];
        return;
    }
    c->width = utf8_next(text, left, &code_point);
    const uint8_t *page = model->pages + 128u * model->page[code_point >> 7];
    c->class = page[code_point & 127];
    if (c->width != 3 || !word) return;
    c->block = word & BLOCK_BITS;
    c->page = page;
}

static HOT void read_class(const wwho_model *model, wwho_cursor *c) {
    if (c->at >= c->end)
        c->class = model->n_classes;
    else if (c->text[c->at] < 0x80) {
        c->class = model->ascii[c->text[c->at]];
        c->width = 1;
    } else
        read_wide_class(model, c);
}

/* A cursor at the start of a text. */
static inline wwho_cursor start_at(const wwho_model *model, const uint8_t *text, size_t at, size_t end) {
    wwho_cursor c = {.text = text, .at = at, .end = end, .block = WWHO_NONE};
    read_class(model, &c);
    return c;
}

/* A cursor over a part of another one's text, as a text of its own. */
static inline wwho_cursor start_within(const wwho_model *model, const wwho_cursor *whole, size_t at, size_t end) {
    wwho_cursor c = *whole;
    c.at = at;
    c.end = end;
    read_class(model, &c);
    return c;
}

/* How many of the eight bytes at text are in the range, from the first one on. */
static HOT uint32_t run_length(const uint8_t *text, wwho_range range) {
    uint64_t word = load64(text), low = word & ONES * 127;
    uint64_t outside = ~((low + range.below) ^ (low + range.above)) | word;
    outside &= ONES * 128;
    return outside ? (uint32_t)__builtin_ctzll(outside) >> 3 : 8;
}

/* Move the cursor, which is not at the end, behind the piece that starts there; its rule goes to *rule. The automaton was
 * checked to match something. Most pieces end just before the character that ends the scan: it is not read again. */
static HOT void scan_piece(const wwho_model *model, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    const uint32_t *table = automaton->table;
    wwho_cursor c = *cursor;
    uint32_t row = WWHO_START * automaton->stride, mark = 0;
    size_t last = c.at;
    for (;;) {
        uint32_t entry = table[row + c.class];
        if (entry & ENTRY_STOP) {
            if (ENTRY_MARK(entry)) {
                mark = ENTRY_MARK(entry);
                last = c.at;
            }
            if (!(entry & ENTRY_ROW)) break;
        }
        row = entry & ENTRY_ROW;
        c.at += c.width;
        if (entry & ENTRY_RUN) {
            wwho_range range = range_at(table + row, automaton->stride);
            size_t start = c.at;
            for (uint32_t more = 8; more == 8 && c.end - c.at >= 8; c.at += more) more = run_length(c.text + c.at, range);
            uint32_t loop = c.at > start ? table[row + model->ascii[c.text[start]]] : 0;
            if (ENTRY_MARK(loop)) {
                mark = ENTRY_MARK(loop);
                last = c.at - 1;
            }
        }
        read_class(model, &c);
    }
    *rule = mark - 1;
    if (c.at != last) {
        c.at = last;
        read_class(model, &c);
    }
    *cursor = c;
}

/* The length of the piece at text where it is a plain word: any ASCII character and letters of one range, up to 16 in all, ended by
 * ASCII; else 0. That is what the scanner would find: most pieces are such words, and this is quicker. WORD_READS bytes may be read. */
#define WORD_READS 18u
static HOT uint32_t word_length(const wwho_automaton *automaton, const uint8_t *text) {
    if (!(automaton->edge[text[0]] & WORD_START)) return 0;
    uint32_t n = run_length(text + 1, automaton->letters);
    if (n == 8) n += run_length(text + 9, automaton->letters);
    return n && automaton->edge[text[1 + n]] & WORD_END ? n + 1 : 0;
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
        for (wwho_cursor c = start_within(model, &segment, start, segment.at); c.at < segment.at; ++*n) {
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
