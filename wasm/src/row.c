/* See row.h. */
#include "row.h"

/* Fill in the candidates, unless they are there, and neighbours of a row of two or more symbols, and pad its arrays for least_of() and for
 * the token after the last one. */
static void start_replay(wwho_row *row) {
    for (uint32_t i = 0; i < row->n; i++) {
        if (!row->paired && i + 1 < row->n) row->next[i] = candidate(pair_rank(row->pairs, row->tokens[i], row->tokens[i + 1]), i);
        row->after[i] = (uint16_t)(i + 1);
        row->before[i + 1] = (uint16_t)i;
    }
    for (uint32_t i = row->n - 1; i < ((row->n + 3) & ~3u); i++) row->next[i] = INT32_MAX;
    row->fresh[0] = row->fresh[1] = 0;
    row->tokens[row->n] = WWHO_MAX_IDS; /* merges with no token */
}

/* Return the lowest of the candidates of n > 0 symbols. The array is padded to a multiple of four with INT32_MAX. With SIMD, Sinhala that
 * was not seen before is 1.03 to 1.04 times as fast, Hindi 1.02 times. */
static HOT int32_t least_of(const int32_t *next, uint32_t n) {
#ifdef WIDE_WORDS
    typedef int32_t four __attribute__((vector_size(16)));
    four least, some;
    copy_bytes(&least, next, 16);
    for (uint32_t i = 4; i < n; i += 4) {
        copy_bytes(&some, next + i, 16);
        four less = some < least;
        least = (some & less) | (least & ~less);
    }
    int32_t a = least[0] < least[1] ? least[0] : least[1], b = least[2] < least[3] ? least[2] : least[3];
    return a < b ? a : b;
#else
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < n; i++) least = next[i] < least ? next[i] : least;
    return least;
#endif
}

/* Return the candidate of the token at a place of a row, and its neighbour. */
static HOT int32_t candidate_at(const wwho_row *row, uint32_t at) {
    return candidate(pair_rank(row->pairs, row->tokens[at], row->tokens[row->after[at]]), at);
}

/* Do one merge, that of the lowest candidate, or of the lowest that is not skipped: a pair that is skipped is passed over until the next
 * merge. Returns false if no pair merges. The next call looks up the candidates that the merge changes: that of the merged token, and that
 * of the token before it (or of the first token again); their places are in row->fresh. */
static HOT bool replay_step(wwho_row *row, wwho_draws *draws) {
    int32_t passed[WIDE_WINDOW], *next = row->next;
    int32_t least = least_of(next, row->n); /* read before writing: a wide read waits for narrow writes */
    uint32_t n = 0;
    UNROLL
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t at = row->fresh[k];
        next[at] = candidate_at(row, at);
        least = next[at] < least ? next[at] : least;
    }
    while (draws && least != INT32_MAX && !takes_next(draws)) {
        next[(uint32_t)least % WIDE_WINDOW] = INT32_MAX;
        passed[n++] = least;
        least = least_of(next, row->n);
    }
    if (least == INT32_MAX) return false;
    uint32_t at = (uint32_t)least % WIDE_WINDOW, gone = row->after[at], before = row->before[at], behind = row->after[gone];
    WWHO_ASSERT(at < gone && gone < row->n && behind > gone && behind <= row->n);
    row->tokens[at] = row->pairs->rank ? pair_token(row->pairs, row->tokens[at], row->tokens[gone]) : (uint32_t)least / WIDE_WINDOW;
    while (n) { /* pairs that still stand come up again */
        uint32_t place = (uint32_t)passed[--n] % WIDE_WINDOW;
        next[place] = passed[n];
    }
    next[before] = next[at] = next[gone] = INT32_MAX;
    row->after[at] = (uint16_t)behind;
    row->before[behind] = (uint16_t)at;
    row->fresh[0] = at;
    row->fresh[1] = before;
    prefetch_pair(row->pairs, row->tokens[at], row->tokens[behind]);
    prefetch_pair(row->pairs, row->tokens[before], row->tokens[at]);
    return true;
}

/* Close the gaps that merges left in row->tokens, and set row->n to the number of tokens. */
static void end_replay(wwho_row *row) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < row->n; i = row->after[i]) row->tokens[n++] = row->tokens[i];
    WWHO_ASSERT(n > 0 && n <= row->n);
    row->n = n;
}

/* Merge n rows, at most ROWS, in place, exactly as FORMAT.md defines BPE: merge the pair of lowest rank, the leftmost of several, until no
 * pair merges; if a row has draws, they say which merges are skipped. Rows of fewer than two symbols stay as they are. The rows take turns,
 * one merge each: the reads for one row overlap the work on the others (unseen text is faster by 1.15 to 1.3). */
WWHO_LOCAL void replay(wwho_row *rows, uint32_t n) {
    uint8_t live[ROWS];
    uint32_t n_live = 0;
    WWHO_ASSERT(n <= ROWS);
    for (uint32_t i = 0; i < n; i++) {
        if (rows[i].n < 2) continue;
        start_replay(&rows[i]);
        live[n_live++] = (uint8_t)i;
    }
    while (n_live) {
        uint32_t left = 0;
        for (uint32_t k = 0; k < n_live; k++) {
            wwho_row *row = &rows[live[left] = live[k]];
            /* a constant 0: the compiler makes a step without draws of it */
            if (DRAWS_AHEAD && !row->draws ? replay_step(row, 0) : replay_step(row, row->draws))
                left++;
            else
                end_replay(row);
        }
        n_live = left;
    }
}
