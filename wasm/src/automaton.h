/* An automaton as it is opened, and the one scanner: it runs any automaton of a model (FORMAT.md, AUTOMATA). */
#ifndef WWHO_AUTOMATON_H
#define WWHO_AUTOMATON_H

#include "utf8.h"

#define WWHO_START 1u
#define BEHIND 2u /* if the automaton looks behind: leads to the state to start in, by the character before a place */

#define LOOKS_BEHIND 1u

/* An entry of the scanner's table is `mark << 22 | row`, where row is the next state times the stride, a multiple of 4; 0 is dead. Entries
 * with a mark, and entries that end the scan, have the bit ENTRY_STOP. */
#define ENTRY_ROW 0x3FFFFCu
#define ENTRY_MARK(entry) ((entry) >> 22)
#define ENTRY_STOP 1u
/* From the next state on, a run of ASCII characters can be skipped up to the last: the range is in its row. With wwho_328k, unseen English
 * is 1.6 times as fast with this. Where no ASCII character follows, reading the range would take Hindi 1.2 times as long as Llama 2. */
#define ENTRY_RUN 2u

/* A range of ASCII characters. Adding `below` sets the highest bit of a byte from the first character on, `above` after the last one. */
typedef struct {
    uint64_t below, above;
} wwho_range;

typedef struct wwho_stream wwho_stream;

/* An automaton in the file. */
typedef struct {
    uint32_t n_states, n_columns, n_rules;
    uint32_t flags;                  /* LOOKS_BEHIND, or 0 */
    bool wide_columns, wide_entries; /* columns of two bytes instead of one, entries of four instead of two */
    const uint8_t *column, *table;
} wwho_stored;

typedef struct {
    const uint32_t *table;
    uint32_t stride; /* of a row: the classes, the end of the text, and, from an even column on, a wwho_range; a multiple of 4 */
    wwho_stored stored;
    uint32_t words, mark_words; /* of a set of states, of a set of marks */
    uint64_t *after;            /* for each class, the set of states that it may lead to */
    uint64_t *marks;            /* for each state, the set of marks that may follow, and 0 */
    uint16_t *found;            /* room for all states */
    bool single;                /* each character is a match of its own, whatever stands next to it */
    wwho_stream *stream;        /* stream.h */
} wwho_automaton;

/* Code point -> class. */
typedef struct {
    const uint16_t *page;
    const uint16_t *pages; /* of 128 code points each */
    const uint16_t *ascii; /* the first page */
    uint32_t n_classes;
} wwho_classes;

/* Return the range of ASCII characters that a row of the scanner's table ends with. */
static inline wwho_range range_at(const uint32_t *row, uint32_t stride) {
    wwho_range range;
    copy_bytes(&range, row + stride - 4, sizeof range);
    return range;
}

/* Return the class of a code point. */
static inline uint32_t class_of(const wwho_classes *classes, uint32_t code_point) {
    WWHO_ASSERT(code_point < 0x110000);
    return classes->pages[128u * classes->page[code_point >> 7] + (code_point & 127)];
}

/* A place in a text, and the class and width of the character there. At the end, the class is that of the end of the text. */
typedef struct {
    const uint8_t *text;
    size_t at, end, from; /* `from`: where the scanned text begins */
    uint32_t class, width;
    /* of the last character of three bytes: its bytes without the lowest seven bits of the code point, and its page of classes */
    uint32_t block;
    const uint16_t *page;
} wwho_cursor;

#define BLOCK_BITS 0xC0FEFFu

/* Return the code point of the character at `text`, of n > 0 bytes, and from bit 24 on its width in bytes. */
static HOT uint32_t wide_character(const uint8_t *text, size_t n) {
    uint32_t code_point, width = utf8_next(text, n, &code_point);
    return code_point | width << 24;
}

/* Set the class and width of the character at the cursor, which is beyond ASCII and not at the end. Most are in the same page as the one
 * before: remembering it makes Hindi 1.03 times as fast, and 1.05 in WebAssembly. */
static HOT void read_wide_class(const wwho_classes *classes, wwho_cursor *c) {
    const uint8_t *text = c->text + c->at;
    size_t left = c->end - c->at;
    uint32_t word = left >= 4 ? read32(text) : 0;
    if ((word & BLOCK_BITS) == c->block) {
        c->width = 3;
        c->class = c->page[(word >> 2 & 64) | (word >> 16 & 63)];
        return;
    }
    if ((word & 0xC0E0) == 0x80C0 && word & 0x1E) { /* of two bytes: known Russian is 1.08 times as fast, Arabic 1.05 */
        c->width = 2;
        c->class = class_of(classes, (word & 31) << 6 | (word >> 8 & 63));
        return;
    }
    uint32_t character = wide_character(text, left);
    c->width = character >> 24;
    const uint16_t *page = classes->pages + 128u * classes->page[(character & 0xFFFFFF) >> 7];
    c->class = page[character & 127];
    if (c->width != 3 || !word) return;
    c->block = word & BLOCK_BITS;
    c->page = page;
}

/* Set the class and width of the character at the cursor; at the end, the class is that of the end of the text. */
static HOT void read_class(const wwho_classes *classes, wwho_cursor *c) {
    if (c->at >= c->end)
        c->class = classes->n_classes;
    else if (c->text[c->at] < 0x80) {
        c->class = classes->ascii[c->text[c->at]];
        c->width = 1;
    } else
        read_wide_class(classes, c);
}

/* Set the class and width of the character at the cursor, as read_class(), where that is not done for every character. */
static inline void read_first_class(const wwho_classes *classes, wwho_cursor *c) { read_class(classes, c); }

/* Return a cursor at `at` in a text that ends at `end`. It counts as the start: automata do not look behind it. */
static inline wwho_cursor start_at(const wwho_classes *classes, const uint8_t *text, size_t at, size_t end) {
    wwho_cursor c = {.text = text, .at = at, .end = end, .from = at, .block = WWHO_NONE};
    read_first_class(classes, &c);
    return c;
}

/* Return a cursor over a part of another cursor's text, from `at` to `end`, as a text of its own. */
static inline wwho_cursor start_within(const wwho_classes *classes, const wwho_cursor *whole, size_t at, size_t end) {
    wwho_cursor c = *whole;
    c.at = c.from = at;
    c.end = end;
    read_first_class(classes, &c);
    return c;
}

/* Return how many of the eight bytes at `text` are in the range, before the first that is not; 8 if all are. */
static HOT uint32_t run_length(const uint8_t *text, wwho_range range) {
    uint64_t word = load64(text), low = word & ONES * 127;
    uint64_t outside = ~((low + range.below) ^ (low + range.above)) | word;
    outside &= ONES * 128;
    return outside ? trailing_zeros(outside) >> 3 : 8;
}

/* Move the cursor, which is not at the end, past the match that starts there, from the state of the given row (its place in the table); the
 * number of its rule, from 0, goes to *rule. Every automaton was checked to have one. Most matches end just before the character that ends
 * the scan, so that character is not read again. */
static HOT void scan_from(uint32_t row, const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    const uint32_t *table = automaton->table;
    wwho_cursor c = *cursor;
    uint32_t mark = 0;
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
        if (entry & ENTRY_RUN && c.end - c.at >= 8 && c.text[c.at] < 0x80) {
            wwho_range range = range_at(table + row, automaton->stride);
            size_t start = c.at;
            uint32_t more;
            do c.at += more = run_length(c.text + c.at, range);
            while (more == 8 && c.end - c.at >= 8);
            entry = c.at > start ? table[row + classes->ascii[c.text[c.at - 1]]] : row;
            if (ENTRY_MARK(entry)) {
                mark = ENTRY_MARK(entry);
                last = c.at - 1;
            }
            row = entry & ENTRY_ROW;
        }
        read_class(classes, &c);
    }
    WWHO_ASSERT(mark > 0 && mark <= automaton->stored.n_rules && last > cursor->at && last <= cursor->end);
    *rule = mark - 1;
    *cursor = c; /* nothing may have the address of c, lest it stays in memory */
    if (c.at == last) return;
    cursor->at = last;
    read_first_class(classes, cursor);
}

/* Move the cursor, which is not at the end, past the match of an automaton that does not look behind; the number of its rule, from 0, goes
 * to *rule. There always is one: build_automaton() checked that. */
static HOT void scan_piece(const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    scan_from(WWHO_START * automaton->stride, classes, automaton, cursor, rule);
}

/* Return the lowest state above `state` in a set of the automaton's states; 0 if there is none. */
static inline uint32_t next_state(const wwho_automaton *a, const uint64_t *set, uint32_t state) {
    uint32_t word = ++state >> 6;
    if (word >= a->words) return 0;
    uint64_t bits = set[word] & ~UINT64_C(0) << (state & 63);
    while (!bits && ++word < a->words) bits = set[word];
    return bits ? word << 6 | trailing_zeros(bits) : 0;
}

/* Return the entry of the scanner's table for a state and a class (n_classes: the end of the text). */
static inline uint32_t entry_of(const wwho_automaton *a, uint32_t state, uint32_t class) { return a->table[state * a->stride + class]; }

/* Return the next state of an entry of the scanner's table; 0 is dead. */
static inline uint32_t next_of(const wwho_automaton *a, uint32_t entry) { return (entry & ENTRY_ROW) / a->stride; }

/* Return true if a set of bits has bit i. */
static inline bool is_in(const uint64_t *set, uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }

/* Return the width in bytes of the character that ends at text[at], in a text that begins at `from`, before `at`; its class goes to
 * *class. */
WWHO_LOCAL uint32_t class_before(const wwho_classes *classes, const uint8_t *text, size_t from, size_t at, uint32_t *class);

/* Move the cursor, which is not at the end, past the match of an automaton that starts there; the number of its rule, from 0, goes to
 * *rule. There always is one: build_automaton() checked that. As scan_piece(), but not inlined, and also for automata that look behind: the
 * character before the cursor, from cursor->from on, then decides in which state they start. */
WWHO_LOCAL void scan(const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule);

/* Return true if an automaton has one rule, and each of its matches is one character (FORMAT.md, ROUTES). */
WWHO_LOCAL bool takes_characters(const wwho_stored *stored, uint32_t n_classes);

/* Return the next state in an entry of a stored automaton; its mark (rule number from 1, 0 for none) goes to *mark. */
WWHO_LOCAL uint32_t stored_step(const wwho_stored *stored, uint32_t state, uint32_t column, uint32_t *mark);

/* Return the column of a class in a stored automaton; that of the end of the text, 0, if class_of is n_classes. */
WWHO_LOCAL uint32_t stored_column(const wwho_stored *stored, uint32_t n_classes, uint32_t class_of);

#define NO_AUTOMATON 0xFFFFu

#endif
