/* BPE of a short sequence of symbols, exactly as FORMAT.md, Encoding, defines it. */
#ifndef WWHO_ROW_H
#define WWHO_ROW_H

#include "sampling.h"
#include "vocabulary.h"

#define WIDE_WINDOW 256u /* the most symbols of a row */
#define ROWS 16u         /* rows that are merged in turn */

/* Return a candidate: the rank of the token that two neighbours merge to, and the place of the first in the row; INT32_MAX if they do not
 * merge. The lowest candidate merges next. */
static HOT int32_t candidate(uint32_t rank, uint32_t at) { return rank == WWHO_NONE ? INT32_MAX : (int32_t)(rank * WIDE_WINDOW | at); }

/* Adjacent symbols or tokens of a pretoken. A merged token takes the place of its first symbol. */
typedef struct {
    const wwho_pairs *pairs;
    wwho_draws *draws; /* say which merges are skipped; null: none */
    uint32_t n;
    bool paired; /* the candidates of the symbols are filled in */
    uint32_t tokens[WIDE_WINDOW + 1];
    int32_t next[WIDE_WINDOW];                            /* candidates: each place with its right neighbour */
    uint16_t before[WIDE_WINDOW + 1], after[WIDE_WINDOW]; /* the places of neighbours; before[0] is never written and stays 0 */
    uint32_t fresh[2];                                    /* places whose candidate changes; their slots are being prefetched */
} wwho_row;

/* Begin an empty row, whose symbols these pairs and draws will merge. */
static HOT void start_row(wwho_row *row, const wwho_pairs *pairs, wwho_draws *draws) {
    row->pairs = pairs;
    row->draws = draws;
    row->n = 0;
    row->paired = false;
}

/* Append a symbol to a row, and prefetch the slot of its pair with the symbol before, which the merge reads later. There must be room.
 * Inline: see pair_token(). */
static HOT void push_symbol(wwho_row *row, uint32_t token) {
    if (row->n) prefetch_pair(row->pairs, row->tokens[row->n - 1], token);
    WWHO_ASSERT(row->n < WIDE_WINDOW);
    row->tokens[row->n++] = token;
}

/* Merge n rows, at most ROWS, in place, exactly as FORMAT.md defines BPE: merge the pair of lowest rank, the leftmost of several, until no
 * pair merges; if a row has draws, they say which merges are skipped. Rows of fewer than two symbols stay as they are. The rows take turns,
 * one merge each: the reads for one row overlap the work on the others (unseen text is faster by 1.15 to 1.3). */
WWHO_LOCAL void replay(wwho_row *rows, uint32_t n);

#endif
