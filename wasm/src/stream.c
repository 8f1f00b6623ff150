/* See stream.h. */
#include "stream.h"

enum { DEPTH = 4, MOST_STATES = 1 << 10 }; /* scanners that run side by side */

/* Return the state of scanner i of a configuration; 0 if there are fewer scanners. Scanners have 16 bits each, ten of them for the
 * state. */
static inline uint32_t state_of(uint64_t configuration, uint32_t i) { return i < DEPTH ? configuration >> 16 * i & 0x3FF : 0; }

/* Return how many tentative ends lie between the start of scanner i of a configuration and that of the next scanner. There may be several,
 * because a later scanner may finish first. */
static inline uint32_t ends_of(uint64_t configuration, uint32_t i) { return configuration >> (16 * i + 10) & 63; }

/* Return how many tentative ends a configuration has from scanner i on. */
static uint32_t open_from(uint64_t configuration, uint32_t i) {
    uint32_t n = 0;
    for (; state_of(configuration, i); i++) n += ends_of(configuration, i);
    return n;
}

/* Compute the configuration *to that a class leads to from `from`, and its move, except the row and `open`. With `end`, the class is that
 * of the end of the text, at which no new scanner starts. Returns false if it has too many scanners (DEPTH) or ends (16). */
static bool next_configuration(const wwho_automaton *a, uint64_t from, uint32_t class, bool end, uint64_t *to, wwho_move *move) {
    uint32_t n = 0;
    *to = 0;
    *move = (wwho_move){0};
    for (uint32_t i = 0; state_of(from, i); i++) {
        uint32_t found = a->table[state_of(from, i) * a->stride + class], next = (found & ENTRY_ROW) / a->stride;
        uint32_t ends = ENTRY_MARK(found) ? 1 : ends_of(from, i);
        if (next)
            *to |= (uint64_t)(next | ends << 10) << 16 * n++;
        else if (n)
            *to += (uint64_t)ends << (16 * (n - 1) + 10);
        if (!ENTRY_MARK(found)) continue;
        uint32_t pop = open_from(from, i), fresh = (a->table[WWHO_START * a->stride + class] & ENTRY_ROW) / a->stride;
        move->put = (int8_t)-pop;
        move->net = move->then = (int8_t)(1 - pop);
        if (end) break;
        if (n == DEPTH) return false;
        *to |= (uint64_t)fresh << 16 * n;
        break;
    }
    return open_from(*to, 0) < 16;
}

/* Return the set of configurations (a bit each) to which a column of the streaming automaton leads from those of the set `from`. */
static uint64_t after_column(const wwho_stream *s, uint64_t from, const wwho_move *column) {
    uint64_t to = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (from >> i & 1) to |= UINT64_C(1) << column[i * s->stride].row / s->stride;
    return to;
}

/* Fill the second half of each row of s->table with the moves of a character that is no letter together with the letter after it, and point
 * s->ascii[128 + c] at the column of each ASCII character c. Such a move exists in configurations in which every letter does the same and
 * further letters do nothing (the set `still`). The character that lacks one in a configuration of `still` becomes s->trigger (0xFF: none
 * does). Returns the set of configurations, a bit each, in which another one lacks it; all of them, if there would be two triggers. */
static uint64_t put_pairs(wwho_stream *s, uint64_t still) {
    uint64_t bad = 0;
    s->trigger = 0xFF;
    for (uint32_t c = 0; c < 128; c++) {
        if (c >= s->first && c <= s->last) continue;
        const wwho_move *column = s->ascii[c] + s->stride / 2;
        uint64_t lacks = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            wwho_move one = s->ascii[c][i * s->stride], two = s->ascii[s->first][one.row];
            bool same = still >> two.row / s->stride & 1;
            for (uint32_t letter = s->first; letter <= s->last; letter++)
                same &= load64((const uint8_t *)&s->ascii[letter][one.row]) == load64((const uint8_t *)&two);
            if (same) one = (wwho_move){two.row, one.put, (int8_t)(one.net + two.put), (int8_t)(one.net + two.net), 0};
            lacks |= (uint64_t)!same << i;
            s->table[column - s->table + i * s->stride] = one;
        }
        s->ascii[128 + c] = column;
        if (lacks & still) {
            bad |= s->trigger < 128 ? ~UINT64_C(0) : 0;
            s->trigger = (uint8_t)c;
        } else
            bad |= lacks;
    }
    return bad;
}

/* Return true if all letters can be skipped except the first after any other character, and the STREAM_EDGE characters after a trigger,
 * after a character beyond ASCII, or at the start. This holds if, in every configuration to which all of those but the last lead, other
 * characters have a move together with a letter, and a letter leads to a configuration that letters leave as it is. `still` and `bad` are
 * sets of configurations, a bit each: those that letters leave as they are, and those in which a character other than the trigger lacks a
 * move together with a letter (put_pairs()). */
static bool may_skip(const wwho_stream *s, uint64_t still, uint64_t bad) {
    uint64_t from = ~UINT64_C(0), to = 0;
    for (uint32_t k = 1; k < STREAM_EDGE; k++, from = to, to = 0)
        for (uint32_t i = 1; i < s->stored->n_columns; i++)
            if (s->trigger > 127 || s->ascii[s->trigger] != s->table + i) to |= after_column(s, from, s->table + i);
    for (uint32_t c = s->first; c <= s->last; c++) to |= after_column(s, from, s->ascii[c]);
    return !(from & bad) && !(to & ~still);
}

/* Find the longest range of ASCII characters (the letters) that leave configurations as they are, and check that they, and runs of spaces,
 * can be skipped: sets s->first, last, trigger, skips and blank. */
static void put_letters(wwho_stream *s) {
    uint64_t still = 0, common = 0; /* configurations that all letters, or all of the current range, leave as they are without an end */
    for (uint32_t c = ' ', first = c, longest = 7; c < 127; c++) {
        uint64_t stay = 0;
        for (uint32_t i = 0; i < s->n; i++) stay |= (uint64_t)(load64((const uint8_t *)&s->ascii[c][i * s->stride]) == i * s->stride) << i;
        if (!(common & stay)) {
            first = c;
            common = ~UINT64_C(0);
        }
        common &= stay;
        if (!common || c - first < longest) continue;
        longest = c - first;
        still = common;
        s->first = (uint8_t)first;
        s->last = (uint8_t)c;
    }
    if (!still) return;
    s->skips = may_skip(s, still, put_pairs(s, still));
    const wwho_move *blank = s->ascii[' '];
    s->blank = ' ';
    for (uint32_t row = 0; row < s->n * s->stride; row += s->stride) {
        uint32_t after = blank[blank[row].row].row;
        if (blank[after].row != after || blank[after].net) s->blank = 0xFF;
    }
}

/* Build the streaming automaton *s of an automaton whose scanner table is built: its configurations, from that of a new scanner on, their
 * moves, and what letters and blanks can be skipped. *s has its memory already. s->n is 0 if there are too many configurations, states or
 * tentative ends. Overwrites a->found. */
WWHO_LOCAL void put_stream(const wwho_classes *classes, const wwho_automaton *a, wwho_stream *s) {
    uint64_t found[MOST_CONFIGURATIONS] = {WWHO_START};
    uint32_t n = 1, n_columns = a->stored.n_columns;
    uint16_t *class_of = a->found; /* for each column, one of its classes */
    s->n = 0;
    s->skips = false;
    if (a->stored.n_states > MOST_STATES) return;
    for (uint32_t class = 0; class <= classes->n_classes; class++)
        class_of[stored_column(&a->stored, classes->n_classes, class)] = (uint16_t)class;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t column = 0; column < n_columns; column++) {
            wwho_move *move = &s->table[i * s->stride + column];
            uint32_t k = 0;
            uint64_t to;
            if (!next_configuration(a, found[i], class_of[column], !column, &to, move)) return;
            for (; column && k < n && found[k] != to; k++) {
            }
            if (k == MOST_CONFIGURATIONS) return;
            if (k == n) found[n++] = to;
            move->row = k * s->stride;
        }
    for (uint32_t i = 0; i < n; i++) s->table[i * s->stride].open = (uint8_t)open_from(found[i], 0);
    for (uint32_t c = 0; c < 256; c++)
        s->ascii[c] = c < 128 ? s->table + stored_column(&a->stored, classes->n_classes, classes->ascii[c]) : s->ascii[c - 128];
    s->n = n;
    put_letters(s);
}

/* What to look for among 64 bytes. */
typedef struct {
    wwho_16 first, span, trigger, blank;
} wwho_marks;

/* Find in 64 bytes of text which are no letters (*others), which are a trigger or not ASCII (*edges), and which are blanks: a bit each,
 * the lowest for the first. Returns true if any is not ASCII. Writes the bytes to `shown`, with the highest bit set if a letter follows.
 * Reads 65 bytes. */
static HOT bool find_edges(wwho_marks m, const uint8_t *text, uint8_t *shown, uint64_t *others, uint64_t *edges, uint64_t *blanks) {
#ifdef WIDE_WORDS
    wwho_16 letter[4], edge[4], blank[4], all = {0};
    UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        wwho_16 v, next;
        copy_bytes(&v, text + 16 * i, 16);
        copy_bytes(&next, text + 16 * i + 1, 16);
        next = v | ((wwho_16)((next - m.first) <= m.span) & 0x80);
        copy_bytes(shown + 16 * i, &next, 16);
        letter[i] = (wwho_16)((v - m.first) <= m.span);
        edge[i] = (wwho_16)(v == m.trigger) | v;
        blank[i] = (wwho_16)(v == m.blank);
        all |= v;
    }
    uint64_t halves[2];
    copy_bytes(halves, &all, 16);
    *others = ~bits_of_64(letter);
    *edges = bits_of_64(edge);
    *blanks = bits_of_64(blank);
    return (halves[0] | halves[1]) & ONES << 7;
#else
    uint64_t letters = 0, found = 0, blank = 0;
    bool wide = false;
    for (uint32_t i = 0; i < 64; i++) {
        uint8_t c = text[i];
        shown[i] = (uint8_t)(c | ((uint8_t)(text[i + 1] - m.first) <= m.span) << 7);
        letters |= (uint64_t)((uint8_t)(c - m.first) <= m.span) << i;
        found |= (uint64_t)(c == m.trigger || c >= 0x80) << i;
        blank |= (uint64_t)(c == m.blank) << i;
        wide |= c >= 0x80;
    }
    *others = ~letters;
    *edges = found;
    *blanks = blank;
    return wide;
#endif
}

/* Apply the move of a character at a place, alone or with a letter, to the ends at `out`, and go to its configuration (*row). Returns
 * where the next end goes, which is before `out` if tentative ends are dropped. */
static HOT uint32_t *apply_move(const wwho_move *column, size_t at, size_t *row, uint32_t *out) {
    const wwho_move *move = column + *row;
    out[move->put] = (uint32_t)at;
    out[move->then] = (uint32_t)at + 1;
    *row = move->row;
    return out + move->net;
}

/* Apply a move as apply_move() does, for places that run less often. */
static HOT uint32_t *take_step(const wwho_move *column, size_t at, size_t *row, uint32_t *out) { return apply_move(column, at, row, out); }

/* Continue to cut a text by the streaming automaton s: write the ends of matches from ends[n] on, as long as `ends`, of `room` places, has
 * room for STREAM_STEP more. Returns how many ends there are then. The cutter moves to the text that is not read. The last *open of the
 * ends are tentative and may be replaced by the next call; at the end of the text, *open is 0. The bytes up to place `readable` may be
 * read; where they are more than the text, by 64, its end is cut as quickly as the rest. */
WWHO_LOCAL uint32_t cut_pieces(const wwho_classes *classes, const wwho_stream *s, wwho_cutter *cutter, uint32_t *ends, uint32_t n,
                               uint32_t room, size_t readable, uint32_t *open) {
    const wwho_move *table = s->table;
    uint32_t *out = ends + n;
    wwho_cursor c = cutter->c;
    size_t row = cutter->row;
    uint64_t carry = cutter->carry;
    const wwho_16 zero = {0};
    const wwho_marks marks = {(wwho_16)(s->first - zero), (wwho_16)((uint8_t)(s->last - s->first) - zero), (wwho_16)(s->trigger - zero),
                              (wwho_16)(s->blank - zero)};
    while (c.at < c.end && out + STREAM_STEP <= ends + room) {
        size_t start = c.at, left = c.end - start, next = start + (left < 64 ? left : 64);
        uint64_t steps = left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
        if (s->skips && start + 64 < readable) {
            uint8_t shown[64];
            uint64_t others, edges, blanks;
            bool wide = find_edges(marks, c.text + start, shown, &others, &edges, &blanks);
            shown[next - start - 1] = c.text[next - 1]; /* what follows may be another text */
            blanks &= steps;
            steps &= others | others << wide | edges << 1 | edges << 2 | edges << 3 | edges << 4 | carry;
            carry = edges >> 60 ? 15 : others >> 63;
            if (!wide) {
                steps &= ~(blanks & blanks << 1 & blanks << 2 & blanks >> 1);
                for (; steps; steps &= steps - 1) {
                    size_t i = trailing_zeros(steps);
                    out = apply_move(s->ascii[shown[i]], start + i, &row, out);
                }
                c.at = next;
                continue;
            }
        }
        while (steps) {
            c.at = start + trailing_zeros(steps);
            steps &= steps - 1;
            if (c.text[c.at] < 0x80) {
                out = take_step(s->ascii[c.text[c.at]], c.at, &row, out);
                continue;
            }
            read_wide_class(classes, &c);
            out = take_step(table + stored_column(s->stored, classes->n_classes, c.class), c.at, &row, out);
            c.at += c.width;
            if (c.at >= next) break;
            steps &= ~UINT64_C(0) << (c.at - start);
        }
        c.at = c.at > next ? c.at : next;
    }
    WWHO_ASSERT(row < s->n * s->stride && row % s->stride == 0 && out >= ends && out <= ends + room);
    *open = table[row].open;
    if (c.at == c.end) {
        out = take_step(table, c.at, &row, out);
        *open = 0;
    }
    for (uint32_t *end = ends + n + 1; end < out; end++) WWHO_ASSERT(end[-1] < end[0]);
    cutter->c = c;
    cutter->row = (uint32_t)row;
    cutter->carry = (uint32_t)carry;
    return (uint32_t)(out - ends);
}
