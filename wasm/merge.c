/* Merge replay: symbols -> tokens (FORMAT.md, section 10), in linear time.
 *
 * The replay is defined as "lowest rank first", but need not be carried out so. As rust-gems' bpe observed, a sequence of tokens is
 * what the replay gives exactly where each two neighbours are, alone. So one greedy walk from left to right, that steps back over
 * tokens which do not fit, finds it; and since the last token of every prefix is unique, no place is given up twice. */
#include "internal.h"

/* Whether the replay over the texts of two tokens ends with just these two. Go back in time along the seam: x is the last
 * part of the left token and y the first of the right one, `limit` the rank at which either disappears into a larger part.
 * Had (x, y) a merge of lower rank, it would have come first. Of equal ranks the left one comes first: on the right side
 * of the seam that is the seam's own, hence the + 1. */
static bool stay_apart(const wwho_vocabulary *v, uint32_t x, uint32_t y) {
    for (uint32_t limit = WWHO_NONE;;) {
        uint32_t merged = pair_token(v, x, y);
        if (merged < limit) return false;
        if (x > y) {
            if (x < v->n_symbols) return true;
            limit = x;
            x = v->right[x];
        } else {
            if (y < v->n_symbols) return true;
            limit = y + 1;
            y = v->left[y];
        }
    }
}

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

/* The tokens that may start at a symbol, from the longest to the shortest. */
typedef struct {
    uint32_t start, longest; /* bytes */
    uint32_t first, end;     /* symbols: tokens end at or before `end` */
    uint64_t states[WWHO_MAX_TOKEN / 8 + 1];
} wwho_matches;

/* The last symbol end that a token starting at symbol i can have. */
static uint32_t reach(const wwho_piece *p, uint32_t i) {
    uint32_t start = symbol_start(p, i), end = i;
    if (!p->bounds) return p->n - i < p->v->longest ? p->n : i + p->v->longest;
    while (end < p->n && p->bounds[end] - start <= p->v->longest) end++;
    return end;
}

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
        uint32_t token = find_text(p->v, text, length, hash_finish(state, tail, length));
        if (token != WWHO_NONE) return token;
    }
    return WWHO_NONE;
}

/* The tokens of a piece go to `tokens` (n); returns how many. `dead` (n + 1 bits) is zero before and after: the places where no
 * token can end. Returns 0 where a symbol is in no token, or the vocabulary's tokens do not replay to themselves. */
static uint32_t merge(const wwho_piece *p, uint32_t *tokens, uint8_t *dead) {
    uint32_t count = 0, at = 0, end = reach(p, 0), token;
    wwho_matches m;
    while (at < p->n) {
        for (start_matches(p, &m, at, end); (token = next_match(p, &m)) != WWHO_NONE; m.end--) {
            bool open = !(dead[m.end >> 3] >> (m.end & 7) & 1);
            if (open && (!count || stay_apart(p->v, tokens[count - 1], token))) break;
        }
        if (token != WWHO_NONE) {
            tokens[count++] = token;
            at = m.end;
            end = reach(p, at);
            continue;
        }
        if (!count) break;
        /* Nothing fits here: the token before must be a shorter one. */
        dead[at >> 3] |= (uint8_t)(1u << (at & 7));
        end = at - 1;
        uint32_t start = symbol_start(p, at) - token_length(p->v, tokens[--count]);
        while (symbol_start(p, --at) > start) {}
    }
    __builtin_memset(dead, 0, p->n / 8 + 1);
    return count;
}
