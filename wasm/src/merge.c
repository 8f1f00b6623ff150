/* See merge.h. */
#include "merge.h"

/* Whether the replay over the texts of two tokens ends with just these two. Go back in time along the seam: x is the last
 * part of the left token and y the first of the right one, `limit` the rank at which either disappears into a larger part.
 * Had (x, y) a merge of lower rank, it would have come first. Of equal ranks the left one comes first: on the right side
 * of the seam that is the seam's own, hence the + 1. */
static bool stay_apart(const wwho_vocabulary *v, uint32_t x, uint32_t y) {
    for (uint32_t limit = WWHO_NONE;;) {
        uint32_t merged = pair_token(&v->pairs, x, y);
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

/* Symbols that are replayed at once. Of these, tokens are taken up to all but an eighth, or a quarter: those after might go on
 * beyond the window. */
#define WINDOW 64u

/* Symbol i, or WWHO_NONE where the vocabulary does not have it. */
static uint32_t find_symbol(const wwho_piece *p, uint32_t i) {
    uint32_t start = symbol_start(p, i), n = symbol_start(p, i + 1) - start;
    uint32_t token = find_text(p->v, p->text + start, n, hash_text(p->text + start, n, p->readable - start));
    return token < p->v->n_symbols ? token : WWHO_NONE;
}

/* What byte i of n and the next one merge to. */
static inline uint32_t pair_at(const wwho_bytes *bytes, const uint8_t *text, uint32_t i, uint32_t n) {
    return i + 1 < n ? bytes->pair[text[i] << 8 | text[i + 1]] : WWHO_NONE;
}

static inline bool is_eager(const wwho_bytes *bytes, const uint8_t *text) {
    return bytes->eager[text[0] << 5 | text[1] >> 3] >> (text[1] & 7) & 1;
}

/* The symbols of n bytes. A pair that would merge before all others that its bytes could take part in is merged right away. */
static void push_bytes(wwho_row *row, const wwho_vocabulary *v, const uint8_t *text, uint32_t n) {
    const wwho_bytes *b = v->bytes;
    /* what the byte at i merges to with the one before it, if that is a token of its own, and with the one behind it */
    uint32_t last = WWHO_NONE, here = pair_at(b, text, 0, n);
    bool alone = false;
    for (uint32_t i = 0; i < n;) {
        uint32_t behind = pair_at(b, text, i + 1, n), token = b->token[text[i]];
        bool eager = here < last && here < behind && is_eager(b, text + i);
        if (eager) token = here;
        push(row, token, alone && !eager ? last : row->n ? pair_token(&v->pairs, row->tokens[row->n - 1], token) : WWHO_NONE);
        alone = !eager;
        i += eager ? 2 : 1;
        last = eager ? behind : here;
        here = eager ? pair_at(b, text, i, n) : behind;
    }
}

/* The symbols from number `first` on, as many as there are, `window` at most; false where one is no symbol of the vocabulary. */
static bool load_row(const wwho_piece *p, uint32_t first, uint32_t window, wwho_row *row) {
    uint32_t n = p->n - first < window ? p->n - first : window;
    row->n = 0;
    if (!p->bounds) {
        push_bytes(row, p->v, p->text + first, n);
        return true;
    }
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t token = find_symbol(p, i);
        if (token == WWHO_NONE) return false;
        push(row, token, row->n ? pair_token(&p->v->pairs, row->tokens[row->n - 1], token) : WWHO_NONE);
    }
    return true;
}

/* To the letter of FORMAT.md: the pair of lowest rank merges, the leftmost of several, until none is left. */
WWHO_LOCAL void replay(const wwho_pairs *pairs, wwho_row *row) {
    uint16_t before[WIDE_WINDOW + 1], after[WIDE_WINDOW]; /* the places of neighbours */
    uint32_t padded = (row->n + 3) & ~3u, n = 0;
    uint32_t *tokens = row->tokens;
    int32_t *next = row->next;
    for (uint32_t i = 0; i < row->n; i++) {
        after[i] = (uint16_t)(i + 1);
        before[i + 1] = (uint16_t)i;
    }
    for (uint32_t i = row->n - 1; i < padded; i++) next[i] = INT32_MAX;
    for (;;) {
        int32_t least = INT32_MAX;
        for (uint32_t i = 0; i < padded; i += 4) /* in fours, for SIMD */
            for (uint32_t k = i; k < i + 4; k++) least = next[k] < least ? next[k] : least;
        if (least == INT32_MAX) break;
        uint32_t at = (uint32_t)least % WIDE_WINDOW, merged = (uint32_t)least / WIDE_WINDOW, gone = after[at], behind = after[gone];
        tokens[at] = merged;
        next[gone] = next[at] = INT32_MAX;
        after[at] = (uint16_t)behind;
        before[behind] = (uint16_t)at;
        if (behind < row->n) next[at] = candidate(pair_token(pairs, merged, tokens[behind]), at);
        if (at) next[before[at]] = candidate(pair_token(pairs, tokens[before[at]], merged), before[at]);
    }
    for (uint32_t i = 0; i < row->n; i = after[i]) tokens[n++] = tokens[i];
    row->n = n;
}

/* Whether the window from byte `at` on reads as the one from byte `last` on: then so do its tokens. */
static inline bool same_window(const wwho_piece *p, uint32_t at, uint32_t last, uint32_t window) {
    return !p->bounds && at > last && p->n - at >= window && same_text(p->text + at, p->text + last, window);
}

/* Merge by windows, each from the end of the last token that was taken from the one before; of each, tokens are taken up to
 * symbol number `kept`. 0: that does not do. */
static uint32_t merge_windows(const wwho_piece *p, uint32_t *tokens, uint32_t window, uint32_t kept) {
    wwho_row row;
    uint32_t count = 0, at = 0, loaded = 0;
    while (at < p->n) {
        if (!same_window(p, at, loaded, window)) {
            if (!load_row(p, at, window, &row)) return 0;
            replay(&p->v->pairs, &row);
            loaded = at;
        }
        if (count && !stay_apart(p->v, tokens[count - 1], row.tokens[0])) return 0;
        uint32_t start = symbol_start(p, at), end = start, taken = 0;
        bool last = p->n - at <= window;
        uint32_t limit = last ? WWHO_NONE : symbol_start(p, at + kept);
        for (; taken < row.n; end += token_length(p->v, row.tokens[taken++])) {
            if (!last && end + token_length(p->v, row.tokens[taken]) > limit) break;
            tokens[count++] = row.tokens[taken];
        }
        if (!taken) return 0;
        if (last) break;
        while (symbol_start(p, at) < end) at++;
    }
    return count;
}

/* The last symbol end that a token starting at symbol i can have. */
static uint32_t reach(const wwho_piece *p, uint32_t i) {
    uint32_t start = symbol_start(p, i), end = i;
    if (!p->bounds) return p->n - i < p->v->longest ? p->n : i + p->v->longest;
    while (end < p->n && p->bounds[end] - start <= p->v->longest) end++;
    return end;
}

/* Whether a token is made of the symbols of a piece from `first` to `end`, and is not just of the same text. `todo` has room for
 * as many parts as the token has bytes. */
static bool made_of(const wwho_piece *p, uint32_t token, uint32_t first, uint32_t end, uint32_t *todo) {
    const wwho_vocabulary *v = p->v;
    for (uint32_t i = first, n = 0; p->bounds; i++) {
        for (; token >= v->n_symbols; token = v->left[token]) todo[n++] = v->right[token];
        if (token_length(v, token) != symbol_start(p, i + 1) - symbol_start(p, i)) return false;
        if (!n) return i + 1 == end;
        token = todo[--n];
    }
    return true;
}

/* The tokens of a piece go to `tokens` (n); returns how many. `dead` (n + 1 bits) is zero before and after: the places where no
 * token can end. Returns 0 where a symbol is in no token, or the vocabulary's tokens do not replay to themselves. */
static uint32_t merge_walk(const wwho_piece *p, uint32_t *tokens, uint8_t *dead) {
    uint32_t count = 0, at = 0, end = reach(p, 0), token;
    wwho_matches m;
    while (at < p->n) {
        for (start_matches(p, &m, at, end); (token = next_match(p, &m)) != WWHO_NONE; m.end--) {
            bool open = !(dead[m.end >> 3] >> (m.end & 7) & 1);
            if (!open || !made_of(p, token, at, m.end, tokens + count)) continue;
            if (!count || stay_apart(p->v, tokens[count - 1], token)) break;
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
    fill_bytes(dead, 0, p->n / 8 + 1);
    return count;
}

/* The tokens of a piece go to `tokens`; see merge.h. */
WWHO_LOCAL uint32_t merge(const wwho_piece *p, uint32_t *tokens, uint8_t *dead) {
    uint32_t n = merge_windows(p, tokens, WINDOW, WINDOW * 7 / 8);
    if (!n && p->n > WINDOW) n = merge_windows(p, tokens, WIDE_WINDOW, WIDE_WINDOW * 3 / 4);
    return n ? n : merge_walk(p, tokens, dead);
}
