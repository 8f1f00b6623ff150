/* The automata of an artifact (FORMAT.md, section 4): what they MUST be, and their tables as the scanner wants them. */
#include "stream.h"

enum { MAX_RULES = 62 };

WWHO_LOCAL COLD void scan(const wwho_classes *classes, const wwho_automaton *automaton, wwho_cursor *cursor, uint32_t *rule) {
    scan_piece(classes, automaton, cursor, rule);
}

/* One automaton as it lies in the file. */
typedef struct {
    uint32_t n_states, n_columns;
    const uint8_t *column, *table;
} wwho_stored;

/* The automaton at *at (FORMAT.md, section 4); *at moves behind it. */
static int next_automaton(wwho_section s, uint32_t n_classes, uint32_t *at, wwho_stored *a) {
    if (s.length - *at < 4) return WWHO_AUTOMATON_SHAPE;
    a->n_states = read16(s.at + *at);
    a->n_columns = read16(s.at + *at + 2);
    if (a->n_states < 2 || a->n_states > 1023 || a->n_columns < 2 || a->n_columns > 256) return WWHO_AUTOMATON_SHAPE;
    uint32_t columns = (n_classes + 1) & ~1u, size = (4 + columns + 2 * a->n_states * a->n_columns + 3) & ~3u;
    if (s.length - *at < size) return WWHO_AUTOMATON_SHAPE;
    a->column = s.at + *at + 4;
    a->table = a->column + columns;
    for (const uint8_t *p = a->table + 2 * a->n_states * a->n_columns; p < s.at + *at + size; p++)
        if (*p) return WWHO_AUTOMATON_SHAPE;
    if (columns != n_classes && a->column[n_classes]) return WWHO_AUTOMATON_SHAPE;
    for (uint32_t i = 0; i < n_classes; i++)
        if (a->column[i] < 1 || a->column[i] >= a->n_columns) return WWHO_AUTOMATON_SHAPE;
    *at += size;
    return WWHO_OK;
}

static inline uint32_t entry_at(const wwho_stored *a, uint32_t state, uint32_t column) {
    return read16(a->table + 2 * (state * a->n_columns + column));
}

static int check_table(const wwho_stored *a) {
    for (uint32_t state = 0; state < a->n_states; state++)
        for (uint32_t column = 0; column < a->n_columns; column++) {
            uint32_t entry = entry_at(a, state, column), next = entry & 1023;
            if (next >= a->n_states || entry >> 10 > MAX_RULES || (!state && entry) || (!column && next)) return WWHO_AUTOMATON_TABLE;
        }
    return WWHO_OK;
}

/* From the start, follow every way that has not come to a mark: none may be dead. */
static int check_total(const wwho_stored *a) {
    uint8_t seen[1024] = {0};
    uint16_t todo[1024];
    uint32_t n = 0;
    for (uint32_t column = 0; column < a->n_columns; column++)
        if (entry_at(a, WWHO_START, column) >> 10) return WWHO_AUTOMATON_TOTAL;
    todo[n++] = WWHO_START;
    while (n) {
        uint32_t state = todo[--n];
        for (uint32_t column = state == WWHO_START && !seen[WWHO_START]; column < a->n_columns; column++) {
            uint32_t entry = entry_at(a, state, column), next = entry & 1023;
            if (entry >> 10) continue;
            if (!next) return WWHO_AUTOMATON_TOTAL;
            if (!seen[next]) {
                seen[next] = 1;
                todo[n++] = (uint16_t)next;
            }
        }
    }
    return WWHO_OK;
}

/* Whether every entry of a state has a mark. Then a mark on the way into it says nothing: the next one overrides it. */
static bool always_marks(const wwho_stored *a, uint32_t state) {
    for (uint32_t column = 0; column < a->n_columns; column++)
        if (!(entry_at(a, state, column) >> 10)) return false;
    return true;
}

/* An entry as the scanner wants it. */
static uint32_t scanner_entry(const wwho_stored *a, uint32_t entry, uint32_t stride) {
    uint32_t mark = entry >> 10, next = entry & 1023;
    if (next && always_marks(a, next)) mark = 0;
    return (mark || !next ? ENTRY_STOP : 0) | mark << 24 | next * stride;
}

/* The ASCII characters over which a state loops that are worth a look ahead, if any: the longest range, or at least the space. */
static wwho_range loop_range(const wwho_classes *classes, const uint32_t *table, uint32_t row) {
    wwho_range range = {0, 0};
    uint32_t longest = 15;
    for (uint32_t first = ' ', last; first < 128; first = last + 1) {
        uint32_t loop = table[row + classes->ascii[first]];
        for (last = first; last < 128 && (loop & ENTRY_ROW) == row && table[row + classes->ascii[last]] == loop; last++) {}
        if (last - first <= longest && !(first == ' ' && last > first)) continue;
        longest = last - first;
        range = (wwho_range){ONES * (128 - first), ONES * (128 - last)};
    }
    return range;
}

/* Put the ranges into the rows, and ENTRY_RUN on the entries that lead there. */
static void put_ranges(const wwho_classes *classes, uint32_t *table, uint32_t n_states, uint32_t stride) {
    for (uint32_t row = stride; row < n_states * stride; row += stride) {
        wwho_range range = loop_range(classes, table, row);
        copy_bytes(table + row + stride - 4, &range, sizeof range);
    }
    for (uint32_t row = stride; row < n_states * stride; row += stride)
        for (uint32_t class = 0; class <= classes->n_classes; class++) {
            uint32_t *entry = &table[row + class];
            if (range_at(table + (*entry & ENTRY_ROW), stride).below) *entry |= ENTRY_RUN;
        }
}

WWHO_LOCAL int build_automata(wwho_section s, const wwho_classes *classes, wwho_arena *arena, wwho_automaton **built, uint32_t *n) {
    uint32_t n_classes = classes->n_classes, count = s.length < 4 ? 0 : read32(s.at), at = 4, stride = (n_classes + 6) & ~1u;
    if (count < 1 || count > 255) return WWHO_AUTOMATON_SHAPE;
    wwho_automaton *automata = take(arena, count * sizeof *automata);
    for (uint32_t i = 0; i < count; i++) {
        wwho_stored a;
        int status = next_automaton(s, n_classes, &at, &a);
        if (!status) status = check_table(&a);
        if (!status) status = check_total(&a);
        if (status) return status;
        uint32_t *table = take(arena, (uint64_t)a.n_states * stride * sizeof *table), max_mark = 0, words = (a.n_states + 63) / 64;
        uint64_t *after = take(arena, (uint64_t)n_classes * words * sizeof *after);
        uint64_t *marks = take(arena, a.n_states * sizeof *marks);
        wwho_stream *stream = take(arena, sizeof *stream);
        uint32_t *configurations = take(arena, MOST_CONFIGURATIONS * (n_classes + 2) * sizeof *configurations);
        if (!configurations) continue;
        for (uint32_t state = 0; state < a.n_states; state++) {
            uint32_t *row = table + state * stride;
            fill_bytes(row, 0, stride * sizeof *row);
            for (uint32_t class = 0; class <= n_classes; class++) {
                uint32_t entry = entry_at(&a, state, class < n_classes ? a.column[class] : 0);
                if (entry >> 10 > max_mark) max_mark = entry >> 10;
                row[class] = scanner_entry(&a, entry, stride);
            }
        }
        put_ranges(classes, table, a.n_states, stride);
        automata[i] = (wwho_automaton){.table = table, .stride = stride, .max_mark = max_mark,
                                         .n_states = a.n_states, .words = words, .after = after, .marks = marks,
                                         .stream = stream};
        stream->stride = n_classes + 2;
        stream->table = configurations;
        put_stream(classes, &automata[i], stream);
        put_ways(classes, &automata[i]);
    }
    if (at != s.length) return WWHO_AUTOMATON_SHAPE;
    *built = automata;
    *n = count;
    return WWHO_OK;
}

WWHO_LOCAL bool one_group(wwho_section s, const wwho_classes *classes, uint32_t automaton, const uint32_t *group) {
    wwho_stored a;
    uint32_t at = 4;
    for (uint32_t i = 0; i <= automaton; i++) next_automaton(s, classes->n_classes, &at, &a);
    for (uint32_t state = WWHO_START; state < a.n_states; state++) {
        uint32_t found = WWHO_NONE;
        for (uint32_t column = 0; column < a.n_columns; column++) {
            uint32_t mark = entry_at(&a, state, column) >> 10, wanted = mark ? group[mark - 1] : WWHO_NONE;
            if (wanted == WWHO_NONE) continue;
            if (found != WWHO_NONE && found != wanted) return false;
            found = wanted;
        }
    }
    return true;
}
