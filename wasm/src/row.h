/* BPE of a short sequence of symbols, exactly as FORMAT.md, Encoding, defines it. */
#ifndef WWHO_ROW_H
#define WWHO_ROW_H

#include "vocabulary.h"

#define WIDE_WINDOW 256u /* the most symbols of a row */
#define ROWS 16u         /* rows that are merged in turn */

/* A candidate: the rank of the token that two neighbours merge to, and the place of the first. The lowest candidate merges next. */
static HOT int32_t candidate(uint32_t rank, uint32_t at) { return rank == WWHO_NONE ? INT32_MAX : (int32_t)(rank * WIDE_WINDOW | at); }

/* Adjacent symbols or tokens of a pretoken. A merged token takes the place of its first symbol. */
typedef struct {
    const wwho_pairs *pairs;
    uint32_t n;
    uint32_t tokens[WIDE_WINDOW + 1];
    int32_t next[WIDE_WINDOW];                            /* candidates: each place with its right neighbour */
    uint16_t before[WIDE_WINDOW + 1], after[WIDE_WINDOW]; /* the places of neighbours; before[0] is never written and stays 0 */
    uint32_t fresh[2];                                    /* places whose candidate changes; their slots are being prefetched */
} wwho_row;

/* Append a symbol, and prefetch the slot of its pair with the symbol before. The merge reads it later. Inline: see pair_token(). */
static HOT void push_symbol(wwho_row *row, uint32_t token) {
    if (row->n) prefetch_pair(row->pairs, row->tokens[row->n - 1], token);
    WWHO_ASSERT(row->n < WIDE_WINDOW);
    row->tokens[row->n++] = token;
}

/* BPE exactly as in FORMAT.md: merge the pair of lowest rank, the leftmost of several, until no pair merges. Do this for n rows, one merge
 * of each in turn: the reads for one row overlap the work on the others (unseen text is faster by 1.15 to 1.3). */
WWHO_LOCAL void replay(wwho_row *rows, uint32_t n);

#endif
