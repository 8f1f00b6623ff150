/* What a model of the kind VITERBI is made of, and what it needs to encode (FORMAT.md, MODEL). */
#ifndef WWHO_VITERBI_H
#define WWHO_VITERBI_H

#include "trie.h"

typedef struct {
    wwho_trie trie;
    double *scores, unk_score;
    bool narrow; /* sums are rounded to f32 */
} wwho_unigram;

enum {
    WINDOW_BYTES = 4096, /* that are looked at together: tokens are certain long before, but for the text of one letter and the like */
    FRONT_SLOTS = WWHO_MAX_TOKEN + 1,
    LATTICE_SLOTS = WINDOW_BYTES + 3 + FRONT_SLOTS /* the last character may go on behind the window, and its tokens */
};

/* Paths that go on from some place: slot i is i bytes behind it. */
typedef struct {
    double score[FRONT_SLOTS];
    uint16_t length[FRONT_SLOTS];
} wwho_front;

/* Scratch. */
struct wwho_lattice {
    double score[LATTICE_SLOTS];    /* the best sum of a path that ends there */
    uint16_t length[LATTICE_SLOTS]; /* of that path's last token; 0: there is no path */
    uint32_t origin[LATTICE_SLOTS]; /* the first place from a mark on that this path goes through */
    wwho_front start;               /* the paths that go on from the start of the window */
    wwho_front mark;
};

#endif
