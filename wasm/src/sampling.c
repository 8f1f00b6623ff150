/* See sampling.h. */
#include "sampling.h"

/* Return the next number of a stream, which moves on: SplitMix64. */
WWHO_LOCAL uint64_t next_draw(uint64_t *state) {
    uint64_t z = *state += DRAW_STEP;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Fill in what a call draws, from its checked request. */
WWHO_LOCAL void start_sampler(wwho_sampler *s, const wwho_sampling *sampling) {
    uint64_t taken = UINT64_C(1) << 32, each = taken - (uint64_t)(sampling->dropout * (double)taken);
    s->drops = each < taken;
    s->paths = sampling->n_best > 1;
    s->exponent = sampling->alpha * 1.4426950408889634; /* 1 / ln 2 */
    for (uint32_t i = 0; i < GAPS; i++) s->gaps[i] = (uint32_t)(taken = taken * each >> 32);
}

/* Begin the next pretoken of the running text. */
WWHO_LOCAL void next_pretoken(wwho_sampler *s) {
    s->n++;
    s->pretoken = next_draw(&s->text);
    s->draws = (wwho_draws){.gaps = s->gaps, .state = s->pretoken};
}

/* Return true if the next merge that comes up is taken, false if it is skipped, as the draws say. */
WWHO_LOCAL bool takes_next(wwho_draws *draws) {
    while (!draws->left) {
        if (draws->skip) return draws->skip = false;
        uint64_t drawn = next_draw(&draws->state) >> 32;
        while (draws->left < GAPS && drawn < draws->gaps[draws->left]) draws->left++;
        draws->skip = draws->left < GAPS;
    }
    draws->left--;
    return true;
}
