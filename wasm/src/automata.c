/* See automata.h. */
#include "automata.h"

#include "stream.h"

enum { MAX_AUTOMATA = 1023, MAX_STATES = 4095, MAX_RULES = 1023, MAX_ENTRIES = 1 << 22 };

/* Return the length of a row of the scanner's table, in entries: the classes, the end of the text, and a wwho_range; a multiple of 4. */
static uint32_t stride_of(uint32_t n_classes) { return (n_classes + 8) & ~3u; }

/* Read the head of the automaton at *at, in bytes of the section, into *a with the places of its columns and its table, and move *at past
 * it and its padding, which must be zero. Returns WWHO_OK or WWHO_AUTOMATON_SHAPE. */
static int find_automaton(wwho_section s, uint32_t n_classes, uint32_t *at, wwho_stored *a) {
    const uint8_t *head = s.at + *at;
    if (s.length - *at < 8) return WWHO_AUTOMATON_SHAPE;
    *a = (wwho_stored){.n_states = read16(head), .n_columns = read16(head + 2), .n_rules = read16(head + 4), .flags = read16(head + 6)};
    if (a->n_states < 2 + a->flags || a->n_states > MAX_STATES || a->n_columns < 2 || a->n_columns > n_classes + 1 || a->n_rules < 1 ||
        a->n_rules > MAX_RULES || a->flags > LOOKS_BEHIND || a->n_states * (n_classes + 8) > MAX_ENTRIES)
        return WWHO_AUTOMATON_SHAPE;
    a->wide_columns = a->n_columns > 256;
    a->wide_entries = (a->n_rules + 1) * a->n_states > 65536;
    uint32_t columns = (n_classes << a->wide_columns) + 1, table = a->n_states * a->n_columns * (2u << a->wide_entries);
    uint32_t size = (8 + (columns & ~1u) + table + 3) & ~3u;
    if (s.length - *at < size) return WWHO_AUTOMATON_SHAPE;
    a->column = head + 8;
    a->table = a->column + (columns & ~1u);
    for (const uint8_t *p = a->table + table; p < head + size; p++)
        if (*p) return WWHO_AUTOMATON_SHAPE;
    for (const uint8_t *p = a->column + (n_classes << a->wide_columns); p < a->table; p++)
        if (*p) return WWHO_AUTOMATON_SHAPE;
    *at += size;
    return WWHO_OK;
}

/* Read the heads of the automata of the AUTOMATA section, and take memory for them and for their tables; *automata and *count become the
 * automata and their number. An arena without memory only adds up its size, and *automata becomes null. Returns WWHO_OK or
 * WWHO_AUTOMATON_SHAPE; then *automata and *count stay. */
WWHO_LOCAL int plan_automata(wwho_section s, uint32_t n_classes, wwho_arena *arena, wwho_automaton **automata, uint32_t *count) {
    uint32_t at = 4, n = s.length < 4 ? 0 : read16(s.at);
    if (n < 1 || n > MAX_AUTOMATA || read16(s.at + 2)) return WWHO_AUTOMATON_SHAPE;
    wwho_automaton *found = take(arena, n * sizeof *found);
    for (uint32_t i = 0; i < n; i++) {
        wwho_stored stored;
        int status = find_automaton(s, n_classes, &at, &stored);
        if (status) return status;
        uint32_t stride = stride_of(n_classes);
        wwho_automaton a = {
            .stride = stride, .stored = stored, .words = (stored.n_states + 63) / 64, .mark_words = stored.n_rules / 64 + 1};
        a.table = take_numbers(arena, stored.n_states * stride);
        a.after = take(arena, 8 * (uint64_t)n_classes * a.words);
        a.marks = take(arena, 8 * (uint64_t)stored.n_states * a.mark_words);
        a.found = take(arena, 2 * ((uint64_t)stored.n_states + stored.n_columns));
        a.stream = take(arena, sizeof *a.stream);
        wwho_move *moves = take(arena, (uint64_t)MOST_CONFIGURATIONS * 2 * stored.n_columns * sizeof *moves);
        if (!moves) continue;
        found[i] = a;
        *a.stream = (wwho_stream){.stride = 2 * stored.n_columns, .table = moves, .stored = &found[i].stored};
    }
    *automata = found;
    *count = n;
    return at == s.length ? WWHO_OK : WWHO_AUTOMATON_SHAPE;
}

/* Check the columns and entries of an automaton. Returns WWHO_AUTOMATON_SHAPE if a class has no column from 1 to n_columns - 1;
 * WWHO_AUTOMATON_TABLE if a mark is over n_rules, if the dead state (0) has a mark or leads to another state, or if column 0, the end of
 * the text, leads to a state other than 0; otherwise WWHO_OK. */
static int check_table(const wwho_stored *a, uint32_t n_classes) {
    for (uint32_t i = 0, column; i < n_classes; i++)
        if ((column = stored_column(a, n_classes, i)) < 1 || column >= a->n_columns) return WWHO_AUTOMATON_SHAPE;
    for (uint32_t state = 0; state < a->n_states; state++)
        for (uint32_t column = 0; column < a->n_columns; column++) {
            uint32_t mark, next = stored_step(a, state, column, &mark);
            if (mark > a->n_rules || (!state && (mark || next)) || (!column && next)) return WWHO_AUTOMATON_TABLE;
        }
    return WWHO_OK;
}

/* A set of states. */
typedef struct {
    uint8_t bits[MAX_STATES / 8 + 1];
} state_set;

/* Return true if a set has a state. */
static inline bool has_state(const state_set *set, uint32_t state) { return set->bits[state >> 3] >> (state & 7) & 1; }

/* Add a state to a set. */
static inline void add_state(state_set *set, uint32_t state) { set->bits[state >> 3] |= (uint8_t)(1u << (state & 7)); }

/* Check that every text has a match: from each start state, follow every path until its first mark; none may end before one. `todo` has
 * room for all states and columns. At the end of the text, a start state may do anything, because an empty text is never scanned. Returns
 * WWHO_OK or WWHO_AUTOMATON_TOTAL. */
static int check_total(const wwho_stored *a, uint16_t *todo) {
    state_set seen = {{0}};
    uint32_t n = 0, n_starts, mark;
    todo[n++] = WWHO_START;
    for (uint32_t column = 1; a->flags && column < a->n_columns; column++) {
        todo[n++] = (uint16_t)stored_step(a, BEHIND, column, &mark);
        if (mark) return WWHO_AUTOMATON_TOTAL;
    }
    n_starts = n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t column = 0; column < a->n_columns; column++) {
            uint32_t next = stored_step(a, todo[i], column, &mark);
            if (i < n_starts ? mark || (column && !next) : !mark && !next) return WWHO_AUTOMATON_TOTAL;
            if (mark || !next || has_state(&seen, next)) continue;
            add_state(&seen, next);
            todo[n++] = (uint16_t)next;
        }
    return WWHO_OK;
}

/* Set *marking to the states whose entries all have a mark. A mark on the way into such a state does not matter: the next mark overrides
 * it. */
static void find_marking(const wwho_stored *a, state_set *marking) {
    fill_bytes(marking, 0, sizeof *marking);
    for (uint32_t state = 1; state < a->n_states; state++) {
        uint32_t mark = 1;
        for (uint32_t column = 0; mark && column < a->n_columns; column++) stored_step(a, state, column, &mark);
        if (mark) add_state(marking, state);
    }
}

/* Write the rows of the scanner's table, one of `stride` entries for each state, and clear the rest of each row. The entry of a class (and
 * of n_classes, the end of the text) is the mark in the bits from 22 on, the index of the next row's first entry, and ENTRY_STOP if the
 * scan may stop there: at a mark, or in the dead state. Marks before a state whose entries all have marks are left out. The ranges and
 * ENTRY_RUN are left to put_ranges(). */
static void put_rows(const wwho_stored *a, uint32_t n_classes, uint32_t *table, uint32_t stride) {
    state_set marking;
    find_marking(a, &marking);
    for (uint32_t state = 0; state < a->n_states; state++) {
        uint32_t *row = table + state * stride;
        fill_bytes(row, 0, stride * sizeof *row);
        for (uint32_t class = 0; class <= n_classes; class++) {
            uint32_t mark, next = stored_step(a, state, stored_column(a, n_classes, class), &mark);
            if (has_state(&marking, next)) mark = 0;
            row[class] = mark << 22 | next * stride | (mark || !next ? ENTRY_STOP : 0);
        }
    }
}

/* Return the range of ASCII characters over which the state of a row loops: from each of them, its entry leads back to the row, and all
 * entries are equal, their marks too. Control characters below the space are in none. The longest range is taken if skipping it pays, which
 * is so from 16 characters on, or if it begins at the space, however short; one from the space gives way to any that is longer. Where there
 * is none, the result is empty: both of its numbers are 0. */
static wwho_range loop_range(const wwho_classes *classes, const uint32_t *table, uint32_t row) {
    wwho_range range = {0, 0};
    uint32_t longest = 15;
    for (uint32_t first = ' ', last; first < 128; first = last + 1) {
        uint32_t loop = table[row + classes->ascii[first]];
        for (last = first; last < 128 && (loop & ENTRY_ROW) == row && table[row + classes->ascii[last]] == loop; last++) {
        }
        if (last - first <= longest && !(first == ' ' && last > first)) continue;
        longest = last - first;
        range = (wwho_range){ONES * (128 - first), ONES * (128 - last)};
    }
    return range;
}

/* Return true if ASCII text can be skipped from the state of a row up to its last character: no match ends within ASCII, and the state
 * after a character depends on that character alone. So each character leads to the same state from everywhere, with the same mark;
 * without a mark, the state that it leads to loops except where it marks. */
static bool is_calm(const wwho_classes *classes, const uint32_t *table, uint32_t row) {
    const uint16_t *ascii = classes->ascii;
    for (uint32_t c = 0; c < 128; c++) {
        uint32_t next = table[row + ascii[c]], to = next & ENTRY_ROW;
        for (uint32_t d = 0; d < 128; d++)
            if (table[to + ascii[d]] != table[row + ascii[d]]) return false;
        for (uint32_t class = 0; !ENTRY_MARK(next) && class <= classes->n_classes; class++)
            if (!ENTRY_MARK(table[to + class]) && (table[to + class] & ENTRY_ROW) != to) return false;
    }
    return true;
}

/* Write the range of each state into the end of its row, and ENTRY_RUN on the entries that lead to a state with a range: all of ASCII where
 * is_calm() holds, else what loop_range() finds. The dead state has none. */
static void put_ranges(const wwho_classes *classes, uint32_t *table, uint32_t n_states, uint32_t stride) {
    for (uint32_t row = stride; row < n_states * stride; row += stride) {
        wwho_range range = is_calm(classes, table, row) ? (wwho_range){ONES * 128, 0} : loop_range(classes, table, row);
        copy_bytes(table + row + stride - 4, &range, sizeof range);
    }
    for (uint32_t row = stride; row < n_states * stride; row += stride)
        for (uint32_t class = 0; class <= classes->n_classes; class++) {
            uint32_t *entry = &table[row + class];
            if (range_at(table + (*entry & ENTRY_ROW), stride).below) *entry |= ENTRY_RUN;
        }
}

/* Add the marks of an entry, and those that may follow it, to the set of marks of a state. Returns false if it had them all. */
static bool add_marks(const wwho_automaton *a, uint32_t state, uint32_t entry) {
    uint64_t *marks = a->marks + state * a->mark_words, new = 0;
    const uint64_t *more = a->marks + next_of(a, entry) * a->mark_words;
    for (uint32_t i = 0; i < a->mark_words; i++) {
        uint64_t own = ENTRY_MARK(entry) >> 6 == i ? UINT64_C(1) << (ENTRY_MARK(entry) & 63) : 0;
        new |= (more[i] | own) & ~marks[i];
        marks[i] |= more[i] | own;
    }
    return new != 0;
}

/* Fill in `after`, `marks` and `single` of an automaton, which say all that cuts.c needs to know about it: for each class the states that
 * it leads to, and for each state the marks that may follow, as far as the start leads to them. Needs the scanner's table, and overwrites
 * a->found. */
static void put_ways(const wwho_classes *classes, wwho_automaton *a) {
    uint32_t n = 1, n_states = a->stored.n_states, n_classes = classes->n_classes;
    uint16_t *found = a->found; /* states, in the order in which they are found */
    fill_bytes(a->after, 0, n_classes * a->words * sizeof *a->after);
    fill_bytes(a->marks, 0, n_states * a->mark_words * sizeof *a->marks);
    uint64_t *seen = a->marks; /* until the marks are looked for */
    found[0] = WWHO_START;
    a->single = !a->stored.flags;
    seen[0] |= UINT64_C(1) << WWHO_START;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t class = 0; class < n_classes; class++) {
            uint32_t entry = entry_of(a, found[i], class), next = next_of(a, entry);
            a->single &= i ? (entry ^ entry_of(a, found[i], n_classes)) <= ENTRY_STOP : next != WWHO_START;
            if (!next) continue;
            a->after[class * a->words + (next >> 6)] |= UINT64_C(1) << (next & 63);
            if (!is_in(seen, next)) found[n++] = (uint16_t)next;
            seen[next >> 6] |= UINT64_C(1) << (next & 63);
        }
    fill_bytes(a->marks, 0, n_states * a->mark_words * sizeof *a->marks);
    for (bool changed = true; changed;) { /* starting with the last state found, one round follows most paths */
        changed = false;
        for (uint32_t i = n; i--;)
            for (uint32_t class = 0; class <= n_classes; class++) changed |= add_marks(a, found[i], entry_of(a, found[i], class));
    }
}

/* Check an automaton, whose memory was taken, and build its tables for the scanner, the stream and cuts. Returns WWHO_OK,
 * WWHO_AUTOMATON_SHAPE, WWHO_AUTOMATON_TABLE or WWHO_AUTOMATON_TOTAL. */
WWHO_LOCAL int build_automaton(wwho_automaton *a, const wwho_classes *classes) {
    uint32_t n_states = a->stored.n_states, *table = (uint32_t *)a->table;
    int status = check_table(&a->stored, classes->n_classes);
    if (!status) status = check_total(&a->stored, a->found);
    if (status) return status;
    put_rows(&a->stored, classes->n_classes, table, a->stride);
    put_ranges(classes, table, n_states, a->stride);
    put_stream(classes, a, a->stream);
    put_ways(classes, a);
    return WWHO_OK;
}
