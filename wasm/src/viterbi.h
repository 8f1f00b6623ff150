/* The tables of a model of the kind VITERBI, and what it needs to encode (FORMAT.md, MODEL). */
#ifndef WWHO_VITERBI_H
#define WWHO_VITERBI_H

#include "trie.h"

typedef struct {
    wwho_trie trie;
    double *scores, unk_score;
    bool narrow; /* sums are rounded to f32 */
} wwho_unigram;

enum {
    WINDOW_BYTES =
        4096, /* the size of a window; tokens are final long before its end, except in special texts such as a run of one letter */
    FRONT_SLOTS = WWHO_MAX_TOKEN + 1,
    LATTICE_SLOTS = WINDOW_BYTES + WWHO_MAX_TOKEN + FRONT_SLOTS /* the last unit and its tokens may extend past the window */
};

/* The best path to a place. */
typedef struct {
    double score;    /* the sum of scores */
    uint32_t token;  /* the last token; WWHO_NONE: an unknown character */
    uint16_t length; /* the length of the last token; 0: there is no path */
} wwho_slot;

/* The paths that continue from a place: slot i is i bytes after it. */
typedef struct {
    wwho_slot slots[FRONT_SLOTS];
} wwho_front;

/* Scratch memory. */
struct wwho_lattice {
    wwho_slot slots[LATTICE_SLOTS];
    uint32_t origin[LATTICE_SLOTS]; /* the first place from the mark on that the path of each slot goes through */
    wwho_front start;               /* the paths that continue from the start of the window */
    wwho_front mark;
};

#endif
