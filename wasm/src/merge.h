/* Merge replay: symbols -> tokens (FORMAT.md, section 10), in linear time.
 *
 * The replay is defined as "lowest rank first". Short pieces are merged so, to the letter. For long ones, as rust-gems' bpe
 * observed, a sequence of tokens is what the replay gives exactly where each two neighbours are, alone: so the results of
 * short windows can be joined wherever the tokens at the seam stay apart. Where they do not, a walk from left to right, that
 * steps back over tokens which do not fit, finds the sequence; since the last token of every prefix is unique, it gives up no
 * place twice. */
#ifndef WWHO_MERGE_H
#define WWHO_MERGE_H

#include "vocabulary.h"

#define WIDE_WINDOW 256u /* symbols, for tokens that fill a window, such as long rules of dashes */

/* A piece or word: n symbols of `text`; symbol i ends at bounds[i], or, without bounds, is the byte i. */
typedef struct {
    const wwho_vocabulary *v;
    const uint8_t *text;
    const uint32_t *bounds;
    uint32_t n;
    size_t readable; /* bytes of the text that may be read, at least the piece's own */
} wwho_piece;

static inline uint32_t symbol_start(const wwho_piece *p, uint32_t i) {
    if (!p->bounds) return i;
    return i ? p->bounds[i - 1] : 0;
}

/* What two neighbours merge to and the place of the first: the least of these is the next to merge. */
static inline int32_t candidate(uint32_t merged, uint32_t at) {
    return merged == WWHO_NONE ? INT32_MAX : (int32_t)(merged * WIDE_WINDOW | at);
}

/* Neighbouring symbols or tokens of a piece: where one merged, it stands in the place of its first symbol. */
typedef struct {
    uint32_t n;
    uint32_t tokens[WIDE_WINDOW];
    int32_t next[WIDE_WINDOW]; /* candidates: each with its right neighbour */
} wwho_row;

static inline void push(wwho_row *row, uint32_t token, uint32_t merged) {
    if (row->n) row->next[row->n - 1] = candidate(merged, row->n - 1);
    row->tokens[row->n++] = token;
}

/* The tokens that may start at a symbol, from the longest to the shortest. */
typedef struct {
    uint32_t start, longest; /* bytes */
    uint32_t first, end;     /* symbols: tokens end at or before `end` */
    uint64_t states[WWHO_MAX_TOKEN / 8 + 1];
} wwho_matches;

/* Begin with the tokens that start at symbol `first` and end at or before symbol `end`. */
static inline void start_matches(const wwho_piece *p, wwho_matches *m, uint32_t first, uint32_t end) {
    m->first = first;
    m->end = end;
    m->start = symbol_start(p, first);
    m->longest = symbol_start(p, end) - m->start;
    m->states[0] = 0;
    for (uint32_t k = 0; 8 * k + 8 < m->longest; k++) {
        m->states[k + 1] = hash_step(m->states[k], load64(p->text + m->start + 8 * k));
        if (!may_have(&p->v->prefix_filter, m->states[k + 1] * MIX)) m->longest = 8 * k + 8;
    }
}

/* The next token, which ends at symbol m->end; WWHO_NONE: there is none. To go on behind it, lower m->end by one. */
static inline uint32_t next_match(const wwho_piece *p, wwho_matches *m) {
    const uint8_t *text = p->text + m->start;
    for (; m->end > m->first; m->end--) {
        uint32_t length = symbol_start(p, m->end) - m->start, full = length & ~7u;
        if (length > m->longest) continue;
        uint64_t state = full && full == m->longest ? hash_step(m->states[full / 8 - 1], load64(text + full - 8)) : m->states[full / 8];
        uint64_t tail = load_tail(text + full, length, p->readable - m->start - full);
        uint32_t token = find_plain(p->v, text, length, hash_finish(state, tail, length));
        if (token != WWHO_NONE) return token;
    }
    return WWHO_NONE;
}

/* To the letter of FORMAT.md: the pair of lowest rank merges, the leftmost of several, until none is left. */
WWHO_LOCAL void replay(const wwho_pairs *pairs, wwho_row *row);

/* The tokens of a piece go to `tokens` (n); returns how many. `dead` (n + 1 bits) is zero before and after. Returns 0 where a
 * symbol is in no token, or the vocabulary's tokens do not replay to themselves. */
WWHO_LOCAL uint32_t merge(const wwho_piece *p, uint32_t *tokens, uint8_t *dead);

#endif
