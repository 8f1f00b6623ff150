/* The normalizer (FORMAT.md, NORMALIZER): steps that rewrite characters, each a map from a character to a text, an order of
 * marks, and pairs that compose. Lower case is a map alone, NFD a map and an order, NFC all three.
 *
 * A text is worked through in runs. A run begins at a boundary: a character before which the text may be cut, since no step ever
 * joins, reorders or composes it with what stands before it. Most runs are one character that every step leaves as it is. */
#ifndef WWHO_NORMALIZE_H
#define WWHO_NORMALIZE_H

#include "utf8.h"

#define WWHO_MAX_STEPS 8u

/* What a step makes of a character: `n` code points from targets[at] on, or, with n = KEPT, the character itself, or, with
 * n = PAIRED, the two that compositions[at] composes. */
typedef struct {
    uint32_t at;
    uint8_t n, order; /* the class of a mark by which it is ordered; 0: a starter */
    bool second;      /* whether it may compose with a character before it */
} wwho_rewrite;

typedef struct {
    uint32_t first, second, composed;
} wwho_composition;

typedef struct {
    const uint16_t *page; /* of code point >> 7: its page; page 0 is of characters that the step says nothing of */
    const uint16_t *pages; /* numbers of rewrites, 128 to a page; 0 is the one that keeps a starter */
    const wwho_rewrite *rewrites;
    const uint32_t *targets;
    const wwho_composition *compositions; /* ascending */
    uint32_t n_compositions;
    bool hangul_apart, hangul_together; /* syllables are taken apart, and put together, by their arithmetic */
} wwho_rewriting;

typedef struct {
    uint32_t n_steps;
    wwho_rewriting steps[WWHO_MAX_STEPS];
    const uint16_t *page;
    const uint8_t *pages; /* by page, as above: NORMAL_BOUNDARY, NORMAL_SAME */
} wwho_normalizer;

/* Memory for, and tables of, a section's normalizer; without memory, only its size is reckoned. WWHO_NORMALIZER. */
WWHO_LOCAL int build_normalizer(wwho_section section, wwho_arena *arena, wwho_normalizer *normalizer);

/* Where normalizing goes on, and what has come out. */
typedef struct {
    const uint8_t *text;
    size_t at, end;    /* of the text, bytes: `at` is a boundary */
    bool more;         /* the text goes on at `end`: the last run is not whole */
    uint8_t *out;      /* room for `room` bytes */
    uint32_t *sources; /* of each byte of `out`: where the character of the text begins that it came from; or null */
    size_t n, room;
} wwho_normalizing;

/* Normalize run by run, until the text ends or the next run has no room. False where the first run is longer than `work` (16-byte
 * aligned, `work_len` bytes) or `room`. */
WWHO_LOCAL bool normalize(const wwho_normalizer *normalizer, wwho_normalizing *it, void *work, size_t work_len);

#endif
