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

/* The best path to a place. */
typedef struct {
    double score;    /* the sum */
    uint32_t token;  /* the last one; WWHO_NONE: an unknown character */
    uint16_t length; /* of that; 0: there is no path */
} wwho_slot;

/* Paths that go on from some place: slot i is i bytes behind it. */
typedef struct {
    wwho_slot slots[FRONT_SLOTS];
} wwho_front;

/* Scratch. */
struct wwho_lattice {
    wwho_slot slots[LATTICE_SLOTS];
    uint32_t origin[LATTICE_SLOTS]; /* the first place from a mark on that this path goes through */
    wwho_front start;               /* the paths that go on from the start of the window */
    wwho_front mark;
};

#endif
