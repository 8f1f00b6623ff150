/* See stream.h. */
#include "stream.h"

enum { DEPTH = 4, MOST_STATES = 1 << 10 }; /* scanners that run side by side */

/* What is done at opening is to be small, as in wwho.c. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif

/* A scanner of a configuration: its state, and how many tentative ends there are from its own up to the start of the next one. There
 * may be several, since what runs behind a scanner may come to an end before it. */
static inline uint32_t state_of(uint64_t configuration, uint32_t i) { return i < DEPTH ? configuration >> 16 * i & 0x3FF : 0; }
static inline uint32_t ends_of(uint64_t configuration, uint32_t i) { return configuration >> (16 * i + 10) & 63; }

/* The tentative ends from scanner i on. */
static uint32_t open_from(uint64_t configuration, uint32_t i) {
    uint32_t n = 0;
    for (; state_of(configuration, i); i++) n += ends_of(configuration, i);
    return n;
}

/* The configuration after one of a class; its entry but for the row goes to *entry. False: it has too many scanners, or ends. */
static bool next_configuration(const wwho_automaton *a, uint64_t from, uint32_t class, bool end, uint64_t *to, uint32_t *entry) {
    uint32_t n = 0;
    *to = *entry = 0;
    for (uint32_t i = 0; state_of(from, i); i++) {
        uint32_t found = a->table[state_of(from, i) * a->stride + class], next = (found & ENTRY_ROW) / a->stride;
        uint32_t ends = ENTRY_MARK(found) ? 1 : ends_of(from, i);
        if (next)
            *to |= (uint64_t)(next | ends << 10) << 16 * n++;
        else if (n)
            *to += (uint64_t)ends << (16 * (n - 1) + 10);
        if (!ENTRY_MARK(found)) continue;
        uint32_t pop = open_from(from, i), fresh = (a->table[WWHO_START * a->stride + class] & ENTRY_ROW) / a->stride;
        *entry = (1 - pop) << 24 | pop << 16;
        if (end) break;
        if (n == DEPTH) return false;
        *to |= (uint64_t)fresh << 16 * n;
        break;
    }
    return open_from(*to, 0) < 16;
}

/* The set of configurations that a class leads to from those of a set. */
static uint64_t after_class(const wwho_stream *s, uint64_t from, uint32_t class) {
    uint64_t to = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (from >> i & 1) to |= UINT64_C(1) << STREAM_ROW(s->table[i * s->stride + class]) / s->stride;
    return to;
}

/* How many letters lead from a set to configurations that letters leave as they are. */
static uint32_t letters_from(const wwho_classes *classes, const wwho_stream *s, uint64_t from, uint64_t still) {
    uint32_t n = 0;
    for (uint64_t to; from & ~still && n <= STREAM_EDGE; n++, from = to) {
        to = 0;
        for (uint32_t c = s->first; c <= s->last; c++) to |= after_class(s, from, classes->ascii[c]);
    }
    return n;
}

static bool is_trigger(const wwho_classes *classes, const wwho_stream *s, uint32_t class) {
    for (uint32_t i = 0; i < sizeof s->triggers; i++)
        if (s->triggers[i] < 128 && classes->ascii[s->triggers[i]] == class) return true;
    return false;
}

/* Whether letters can be skipped but for the first behind any other character, and the STREAM_EDGE characters behind a trigger
 * (or at the start, or what is not ASCII). Behind a trigger, `from` is what any k characters lead to; in the end, what any text
 * without a trigger in its last characters does. */
static bool may_skip(const wwho_classes *classes, const wwho_stream *s, uint64_t still) {
    uint64_t from = 0;
    for (uint32_t i = 0; i < sizeof s->triggers; i++)
        if (s->triggers[i] < 128) from |= after_class(s, ~UINT64_C(0), classes->ascii[s->triggers[i]]);
    if (letters_from(classes, s, from | 1, still) > STREAM_EDGE) return false;
    for (uint32_t k = 1;; k++) {
        uint64_t to = k < STREAM_EDGE ? 0 : from | 1;
        for (uint32_t class = 0; class < classes->n_classes; class++) {
            uint64_t after = is_trigger(classes, s, class) ? 0 : after_class(s, from, class);
            if (letters_from(classes, s, after, still) > (k + 1 < STREAM_EDGE ? STREAM_EDGE - k : 1)) return false;
            to |= after;
        }
        if (to == from) return true;
        from = to;
    }
}

/* Find the letters, and prove that they can be skipped. */
static void put_letters(const wwho_classes *classes, wwho_stream *s) {
    uint64_t still = 0;
    uint32_t longest = 7, n_triggers = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t first = ' ', last; first < 127; first = last + 1) {
            for (last = first; last < 127 && s->table[i * s->stride + classes->ascii[last]] == i * s->stride; last++) {
            }
            if (last - first < longest) continue;
            longest = last - first;
            s->first = (uint8_t)first;
            s->last = (uint8_t)(last - 1);
        }
    if (longest == 7) return;
    for (uint32_t i = 0; i < s->n; i++) {
        bool stays = true;
        for (uint32_t c = s->first; c <= s->last; c++) stays &= s->table[i * s->stride + classes->ascii[c]] == i * s->stride;
        still |= (uint64_t)stays << i;
    }
    s->triggers[0] = s->triggers[1] = 0xFF;
    for (uint32_t c = 0; c < 128; c++) {
        uint64_t after = after_class(s, ~UINT64_C(0), classes->ascii[c]);
        if ((c >= s->first && c <= s->last) || letters_from(classes, s, after, still) <= 2) continue;
        if (n_triggers == sizeof s->triggers) return;
        s->triggers[n_triggers++] = (uint8_t)c;
    }
    s->skips = may_skip(classes, s, still);
}

WWHO_LOCAL void put_stream(const wwho_classes *classes, const wwho_automaton *a, wwho_stream *s) {
    uint64_t found[MOST_CONFIGURATIONS] = {WWHO_START};
    uint32_t n = 1;
    s->n = 0;
    s->skips = false;
    if (a->stored.n_states > MOST_STATES || MOST_CONFIGURATIONS * s->stride > STREAM_ROW(~0u)) return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t class = 0; class <= classes->n_classes; class++) {
            uint32_t *entry = &s->table[i * s->stride + class], k = 0;
            uint64_t to;
            bool end = class == classes->n_classes;
            if (!next_configuration(a, found[i], class, end, &to, entry)) return;
            for (; !end && k < n && found[k] != to; k++) {
            }
            if (k == MOST_CONFIGURATIONS) return;
            if (k == n) found[n++] = to;
            *entry |= k * s->stride;
        }
    for (uint32_t i = 0; i < n; i++) s->table[i * s->stride + classes->n_classes + 1] = open_from(found[i], 0);
    for (uint32_t c = 0; c < 128; c++) s->ascii[c] = s->table + classes->ascii[c];
    s->n = n;
    put_letters(classes, s);
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#if defined(__GNUC__) && !defined(WWHO_PLAIN_C) && (defined(__SSE2__) || defined(__wasm_simd128__))
typedef uint8_t wwho_16 __attribute__((vector_size(16)));

static HOT uint64_t bits_of(wwho_16 truth) {
#ifdef __SSE2__
    return (uint16_t)__builtin_ia32_pmovmskb128((__attribute__((vector_size(16))) char)truth);
#else
    return (uint16_t)__builtin_wasm_bitmask_i8x16((__attribute__((vector_size(16))) signed char)truth);
#endif
}
#endif

/* Of 64 bytes: which are no letters, and which of those are followed by more than one letter that is stepped over. */
static HOT uint64_t find_edges(const wwho_stream *s, const uint8_t *text, uint64_t *wide) {
    uint64_t others = 0, triggers = 0;
    uint8_t first = s->first, span = (uint8_t)(s->last - s->first), one = s->triggers[0], two = s->triggers[1];
#if defined(__GNUC__) && !defined(WWHO_PLAIN_C) && (defined(__SSE2__) || defined(__wasm_simd128__))
    for (uint32_t i = 0; i < 64; i += 16) {
        wwho_16 v;
        copy_bytes(&v, text + i, 16);
        others |= bits_of((wwho_16)((v - first) > span)) << i;
        triggers |= bits_of((wwho_16)(v >= 0x80) | (wwho_16)(v == one) | (wwho_16)(v == two)) << i;
    }
#else
    for (uint32_t i = 0; i < 64; i++) {
        others |= (uint64_t)((uint8_t)(text[i] - first) > span) << i;
        triggers |= (uint64_t)(text[i] >= 0x80 || text[i] == one || text[i] == two) << i;
    }
#endif
    *wide = triggers;
    return others;
}

/* A character of a class at a place: the end that it makes is put there, if it makes one. */
static HOT void step(const uint32_t *column, size_t at, size_t *row, uint32_t *ends, uint32_t *n) {
    uint32_t entry = column[*row];
    ends[*n - STREAM_POP(entry)] = (uint32_t)at;
    *n += STREAM_NET(entry);
    *row = STREAM_ROW(entry);
}

WWHO_LOCAL COLD uint32_t cut_pieces(const wwho_classes *classes, const wwho_stream *s, wwho_cutter *cutter, uint32_t *ends, uint32_t n,
                                    uint32_t room, uint32_t *open) {
    const uint32_t *table = s->table;
    wwho_cursor c = cutter->c;
    size_t row = cutter->row;
    uint64_t carry = cutter->carry;
    while (c.at < c.end && n + STREAM_STEP <= room) {
        size_t start = c.at, left = c.end - start, next = start + (left < 64 ? left : 64);
        uint64_t steps = left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
        if (s->skips && left >= 64) {
            uint64_t wide, others = find_edges(s, c.text + start, &wide);
            steps = others | others << 1 | wide << 2 | wide << 3 | wide << 4 | carry;
            carry = wide >> 60 ? 15 : others >> 63;
        }
        while (steps) {
            c.at = start + trailing_zeros(steps);
            steps &= steps - 1;
            if (c.text[c.at] < 0x80) {
                step(s->ascii[c.text[c.at]], c.at, &row, ends, &n);
                continue;
            }
            do {
                read_wide_class(classes, &c);
                step(table + c.class, c.at, &row, ends, &n);
                c.at += c.width;
            } while (c.at < next && c.text[c.at] >= 0x80);
            if (c.at >= next) break;
            steps &= ~UINT64_C(0) << (c.at - start);
        }
        c.at = c.at > next ? c.at : next;
    }
    *open = table[row + classes->n_classes + 1];
    if (c.at == c.end) {
        step(table + classes->n_classes, c.at, &row, ends, &n);
        *open = 0;
    }
    cutter->c = c;
    cutter->row = (uint32_t)row;
    cutter->carry = (uint32_t)carry;
    return n;
}
