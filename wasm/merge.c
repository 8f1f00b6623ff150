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
} wwho_piece;

static inline uint32_t symbol_start(const wwho_piece *p, uint32_t i) {
    if (!p->bounds) return i;
    return i ? p->bounds[i - 1] : 0;
}

/* The longest token that starts at symbol i and ends at or before symbol *end, which moves there; WWHO_NONE: there is none. */
static uint32_t longest_token(const wwho_piece *p, uint32_t i, uint32_t *end) {
    uint64_t states[WWHO_MAX_TOKEN / 8 + 1];
    uint32_t start = symbol_start(p, i), readable = symbol_start(p, *end) - start, longest = readable;
    const uint8_t *text = p->text + start;
    states[0] = 0;
    for (uint32_t k = 0; 8 * k + 8 < longest; k++) {
        states[k + 1] = hash_step(states[k], load64(text + 8 * k));
        if (!may_have(&p->v->prefix_filter, states[k + 1] * MIX)) longest = 8 * k + 8;
    }
    for (; *end > i; --*end) {
        uint32_t length = symbol_start(p, *end) - start, full = (length - 1) & ~7u;
        if (length > longest) continue;
        uint64_t state = states[full / 8];
        if (length % 8 == 0) state = hash_step(state, load64(text + full));
        uint64_t tail = length % 8 ? load_tail(text + full, length, readable - full) : 0;
        uint32_t token = find_text(p->v, text, length, hash_finish(state, tail, length));
        if (token != WWHO_NONE) return token;
    }
    return WWHO_NONE;
}

/* The last symbol end that a token starting at symbol i can have. */
static uint32_t reach(const wwho_piece *p, uint32_t i) {
    uint32_t start = symbol_start(p, i), end = i;
    if (!p->bounds) return p->n - i < p->v->longest ? p->n : i + p->v->longest;
    while (end < p->n && p->bounds[end] - start <= p->v->longest) end++;
    return end;
}

/* The tokens of a piece go to `tokens` (n); returns how many. `dead` (n + 1 bits) is zero before and after: the places where no
 * token can end. Returns 0 where a symbol is in no token, or the vocabulary's tokens do not replay to themselves. */
static uint32_t merge(const wwho_piece *p, uint32_t *tokens, uint8_t *dead) {
    uint32_t count = 0, at = 0, end = reach(p, 0), token;
    while (at < p->n) {
        for (; (token = longest_token(p, at, &end)) != WWHO_NONE; end--) {
            bool open = !(dead[end >> 3] >> (end & 7) & 1);
            if (open && (!count || stay_apart(p->v, tokens[count - 1], token))) break;
        }
        if (token != WWHO_NONE) {
            tokens[count++] = token;
            at = end;
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
