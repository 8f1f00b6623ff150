/* Merge replay: symbols -> tokens (FORMAT.md, Encoding), in linear time and constant memory.
 *
 * The replay is defined as "lowest rank first". Short pieces are merged so, to the letter. For long ones, as rust-gems' bpe
 * observed, a sequence of tokens is what the replay gives exactly where each two neighbours are, alone: so the results of
 * short windows can be joined wherever the tokens at the seam stay apart. Where they do not, a walk from left to right, that
 * steps back over tokens which do not fit, finds the sequence; since the last token of every prefix is unique, it gives up no
 * place twice.
 *
 * Tokens far enough back are final. What follows a place moves the replay's choices before it by at most one token for each
 * rank, in ascending order of ranks: of the shipped vocabularies by 2,603 bytes at most (tests/py/test_reach.py). */
#ifndef WWHO_MERGE_H
#define WWHO_MERGE_H

#include "automaton.h"
#include "vocabulary.h"

#define WINDOW 64u       /* symbols that are replayed at once */
#define WIDE_WINDOW 256u /* for tokens that fill a window, such as long rules of dashes */
#define ROWS 16u         /* that are replayed at once */
#define REACH (1u << 14) /* bytes: tokens that far back are final */

/* The rank of what two neighbours merge to and the place of the first: the least of these is the next to merge. */
static HOT int32_t candidate(uint32_t rank, uint32_t at) { return rank == WWHO_NONE ? INT32_MAX : (int32_t)(rank * WIDE_WINDOW | at); }

/* Neighbouring symbols or tokens of a piece: where one merged, it stands in the place of its first symbol. */
typedef struct {
    const wwho_pairs *pairs;
    uint32_t n;
    uint32_t tokens[WIDE_WINDOW + 1];
    int32_t next[WIDE_WINDOW];                            /* candidates: each with its right neighbour */
    uint16_t before[WIDE_WINDOW + 1], after[WIDE_WINDOW]; /* the places of neighbours; before[0] is never written: 0 */
    uint32_t fresh[2];                                    /* places whose candidate changes: their slots are on their way */
} wwho_row;

/* What it and the one before it merge to is looked up when the replay begins. */
static inline void push_symbol(wwho_row *row, uint32_t token) {
    if (row->n) prefetch_pair(row->pairs, row->tokens[row->n - 1], token);
    row->tokens[row->n++] = token;
}

/* What is to be merged: the bytes of text from start to end, or the units there, up to one that is no symbol or no syllable:
 * `end` moves there when it is met. */
typedef struct {
    const wwho_vocabulary *v;
    const uint8_t *text;
    size_t len; /* of all that may be read */
    size_t start, end;
    const wwho_classes *classes;
    const wwho_automaton *units; /* null: bytes */
    size_t segment_end;          /* where the text ends for `units` */
    size_t first_end;            /* of the first unit, whatever its rule; 0: as `units` has it */
} wwho_run;

/* A merge that is going on, of constant size; it lies in the scratch area. */
typedef struct {
    size_t at;      /* what is before it is merged, */
    uint32_t count; /* to so many tokens, or more, of which the first are no longer here */
    uint32_t window;
    size_t walk_to, furthest; /* windows do not do up to here; the furthest that a token has reached */
    size_t loaded;            /* the window in `row`, as it was merged: its place and its width, or 0 */
    uint32_t loaded_width;
    bool dirty; /* `dead` is not all zero */
    /* the units from `from` on that have been looked at: where they end and, of the first `known`, their tokens */
    size_t from;
    uint32_t n, known;
    uint32_t ends[WWHO_MAX_TOKEN + 1], symbols[WWHO_MAX_TOKEN + 1];
    uint32_t parts[WWHO_MAX_TOKEN + 1];
    wwho_row row;
    uint32_t tokens[2 * REACH];
    uint32_t
        dead[REACH]; /* places, counted from the start of the run and from 1, where no token can end: each at its number modulo REACH */
} wwho_merging;

/* The tokens that may start at a place. */
typedef struct {
    const uint8_t *text;
    size_t readable;  /* bytes from `text` on */
    uint32_t longest; /* none is longer, in bytes */
    uint64_t states[WWHO_MAX_TOKEN / 8 + 1];
} wwho_matches;

/* Look for tokens of at most `most` > 0 bytes. */
static inline void start_matches(const wwho_vocabulary *v, wwho_matches *m, const uint8_t *text, uint32_t most, size_t readable) {
    m->text = text;
    m->readable = readable;
    m->longest = most;
    m->states[0] = 0;
    for (uint32_t k = 0; 8 * k + 8 < m->longest; k++) {
        m->states[k + 1] = hash_step(m->states[k], load64(text + 8 * k));
        if (!may_have(&v->prefix_filter, m->states[k + 1] * MIX)) m->longest = 8 * k + 8;
    }
}

/* The token of this length, no superword, or WWHO_NONE. */
static inline uint32_t match_of(const wwho_vocabulary *v, const wwho_matches *m, uint32_t length) {
    uint32_t full = length & ~7u;
    if (length > m->longest) return WWHO_NONE;
    uint64_t state = full && full == m->longest ? hash_step(m->states[full / 8 - 1], load64(m->text + full - 8)) : m->states[full / 8];
    uint32_t token = find_text(v, m->text, length, hash_finish(state, load_tail(m->text + full, length, m->readable - full), length));
    return token < v->n_plain ? token : WWHO_NONE;
}

/* To the letter of FORMAT.md: the pair of lowest rank merges, the leftmost of several, until none is left. So for each of n rows, a
 * merge of each in turn: the reads of one overlap the work on the others (unseen text by 1.15 to 1.3). */
WWHO_LOCAL void replay(wwho_row *rows, uint32_t n);

/* Begin to merge a run. */
WWHO_LOCAL void start_merge(wwho_merging *m, const wwho_run *run);

/* Look at the units of a run from `at` on: at least `units` of them, and those that begin in the next `bytes`, as far as there are. */
WWHO_LOCAL void look_at_units(wwho_merging *m, wwho_run *run, size_t at, uint32_t units, size_t bytes);

/* Merge on. True: all of the run is merged, or, where m->at is not its end, its symbols from there on are to be taken as they are,
 * because the vocabulary's tokens do not replay to themselves. False: the first REACH of 2 * REACH tokens are final; take_final()
 * forgets them. */
WWHO_LOCAL bool merge(wwho_merging *m, wwho_run *run);
WWHO_LOCAL void take_final(wwho_merging *m);

/* The symbol of a run at `at`, once it is merged; its length goes to *n. */
WWHO_LOCAL uint32_t symbol_at(wwho_merging *m, wwho_run *run, size_t at, uint32_t *n);

#endif
