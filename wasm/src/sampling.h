/* Sampling: text is cut into tokens at random, the same way for the same seed everywhere (FORMAT.md, Sampling). */
#ifndef WWHO_SAMPLING_H
#define WWHO_SAMPLING_H

#include "common.h"

enum { GAPS = 64 }; /* the most merges that one draw decides on */

/* The stream of a pretoken or a phrase, and what its last draw says about the merges that come up next: `left` of them are taken, and
 * then, if `skip`, one is skipped. */
typedef struct {
    const uint32_t *gaps; /* 2^32 times the probability that the next 1, 2, ... merges, to GAPS, are all taken */
    uint64_t state;
    uint32_t left;
    bool skip;
} wwho_draws;

/* What is drawn in a call. */
typedef struct {
    bool drops, paths;   /* merges are skipped; paths are drawn */
    uint32_t gaps[GAPS]; /* those of all draws */
    double exponent;     /* of a path's weight, for each unit of its score: the weight is 2 to that power */
    uint64_t text;       /* the state of the running text's stream, whose numbers are the seeds of its pretokens */
    uint64_t pretoken;   /* the seed of the running pretoken */
    uint32_t n;          /* how many pretokens of the text there were */
    wwho_draws draws;    /* those of the running pretoken */
} wwho_sampler;

/* Return the next number of a stream, which moves on: SplitMix64. */
WWHO_LOCAL uint64_t next_draw(uint64_t *state);

#define DRAW_STEP UINT64_C(0x9E3779B97F4A7C15) /* between the states of a stream */

/* Return number `index`, from 0 on, of the stream that a seed begins. */
static inline uint64_t nth_draw(uint64_t seed, uint64_t index) {
    seed += index * DRAW_STEP;
    return next_draw(&seed);
}

/* Return true if a draw, as a number of a stream, takes all of the next n merges; false also for more than GAPS. */
static inline bool takes_all(const wwho_sampler *s, uint64_t number, size_t n) {
    return !n || (n <= GAPS && number >> 32 < s->gaps[n - 1]);
}

/* Fill in what a call draws, from its checked request. */
WWHO_LOCAL void start_sampler(wwho_sampler *s, const wwho_sampling *sampling);

/* Begin a text, whose first `pretokens` are behind, with the stream of its seed. */
static inline void start_text(wwho_sampler *s, uint64_t seed, uint32_t pretokens) {
    s->n = pretokens;
    s->text = seed + pretokens * DRAW_STEP;
}

/* Begin the next pretoken of the running text. */
WWHO_LOCAL void next_pretoken(wwho_sampler *s);

/* Return true if the next merge that comes up is taken, false if it is skipped, as the draws say. */
WWHO_LOCAL bool takes_next(wwho_draws *draws);

#endif
