/* The normalizer (FORMAT.md, NORMALIZER): steps that rewrite texts. A map takes each character to a text, orders marks and composes
 * pairs: lower case is a map alone, NFD a map and an order, NFC all three. Others replace what an automaton matches, what a trie
 * holds, or the ends of a part. The last may say with which symbols of two bytes each piece is written for a model over bytes.
 *
 * A text is worked through in runs, as long as there is room. Where a run does not end with the text, what has come out is taken up
 * to a character that comes out the same where the steps begin anew with its origin. */
#ifndef WWHO_NORMALIZE_H
#define WWHO_NORMALIZE_H

#include "automaton.h"
#include "trie.h"

#define WWHO_MAX_STEPS 16u

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
    uint8_t kind, flags;
    uint32_t *targets;
    wwho_rewrite *rewrites; /* of a map those that its pages number, else one for each rule */
    /* a map, and pairs */
    uint16_t *page;                 /* of code point >> 7: its page; page 0 is of characters that the step says nothing of */
    uint16_t *pages;                /* numbers of rewrites, 128 to a page; 0 is the one that keeps a starter */
    wwho_composition *compositions; /* ascending */
    uint32_t n_compositions;
    /* the others */
    const wwho_automaton *automaton; /* whose matches are replaced, or which finds clusters; null: the longest rule is taken */
    wwho_trie *trie;
    uint32_t n, n_prefix, n_suffix; /* targets: those that are stripped, then the prefix, then the suffix */
    /* pairs */
    uint32_t n_blocks, n_indices;
    uint32_t *symbols;   /* by pages as well: the bytes of a character's symbols, the first one lowest; 0: it has none */
    uint32_t *character; /* of block * n_indices + index the code point + 1; 0: there is none */
} wwho_rewriting;

#ifndef __wasm__
/* What steps make of ASCII characters that stand among others like them: one character of each, as long as what follows it lets them
 * begin anew there. */
typedef struct {
    uint32_t out[128];
    bool ahead[128];        /* it counts as come from the character after it */
    uint64_t apart[256][4]; /* of a character the set of those that may follow it so; empty but for ASCII */
} wwho_simple;
#endif

typedef struct {
    uint32_t n_all;           /* with the one of pieces */
    uint32_t n_steps, n_late; /* the last ones are of parts between tokens of normalized text */
    wwho_rewriting steps[WWHO_MAX_STEPS];
    const wwho_rewriting *pairs; /* how pieces are written for a model over bytes, or null; none of the steps */
#ifndef __wasm__
    wwho_simple *simple; /* of the first steps, and of the late ones */
#endif
} wwho_normalizer;

/* Memory for, and tables of, a section's normalizer; without memory, only its size is reckoned. WWHO_NORMALIZER. */
WWHO_LOCAL int build_normalizer(wwho_section section, wwho_arena *arena, const wwho_automaton *automata, uint32_t n_automata,
                                wwho_normalizer *normalizer);

#ifndef __wasm__
/* Fill in `simple`, once the automata are built. */
WWHO_LOCAL void put_simple(const wwho_normalizer *normalizer, const wwho_classes *classes);

/* The first character that a step makes of one in the midst of a text, before this one or any other (WWHO_NONE); WWHO_NONE where that is
 * not sure. */
WWHO_LOCAL uint32_t first_made(const wwho_rewriting *step, const wwho_classes *classes, uint32_t c, uint32_t follows);

/* Whether all that a step finds in a text ends behind a character, at the latest, and is the same before either of two others. */
WWHO_LOCAL bool ends_alike(const wwho_rewriting *step, const wwho_classes *classes, uint32_t c, uint32_t follows, uint32_t other);
#endif

/* A symbol of PAIRS is two bytes, the first of which no UTF-8 has, and the second no symbol has first. */
enum { SYMBOL_TRAIL = 2, SYMBOL_LEAD = 0xF5, SYMBOL_TRAILS = 240, MAX_PAIR_SYMBOLS = (0x100 - SYMBOL_LEAD) * SYMBOL_TRAILS };

/* The number of the symbol that is at the end of n bytes, or one beyond all. */
static inline uint32_t last_symbol(const uint8_t *end, size_t n) {
    return n < 2 || end[-2] < SYMBOL_LEAD ? WWHO_NONE : (uint32_t)(end[-2] - SYMBOL_LEAD) * SYMBOL_TRAILS + end[-1] - SYMBOL_TRAIL;
}

/* Write the symbols of text[at..end), at most SPELLED bytes for each of its, and for each of theirs where its character begins. Gives how
 * many there are. */
enum { SPELLED = 4 };
WWHO_LOCAL size_t spell(const wwho_rewriting *pairs, const uint8_t *text, size_t at, size_t end, uint8_t *out, uint32_t *sources);

/* Write the text of n bytes of symbols, and of other text, as it is, between them. A symbol that is not part of a pair is U+FFFD. Gives
 * its end: it has up to half as many bytes more. */
WWHO_LOCAL uint8_t *join_pairs(const wwho_rewriting *step, const uint8_t *text, const uint8_t *end, uint8_t *to);

/* Where normalizing goes on, and what has come out. */
typedef struct {
    const wwho_rewriting *steps;
    uint32_t n_steps;
    const wwho_classes *classes;
#ifndef __wasm__
    const wwho_simple *simple;
#endif
    const uint8_t *text;
    size_t at, end;    /* of the text, bytes */
    bool fresh;        /* a part begins at `at`; else what is before it was rewritten before */
    bool more;         /* the part goes on at `end` */
    bool first;        /* it begins with the first character of the source */
    uint8_t *out;      /* room for `room` bytes */
    uint32_t *sources; /* of each byte of `out`: where the character of the text begins that it came from; or null */
    uint32_t *origins; /* of each byte: where the steps may begin anew to give it and what follows, or WWHO_NONE; or null */
    size_t n, room;
    uint32_t known[REWRITES_APART ? 1 : 256]; /* of characters of one byte: what plain_at() made of them, or 0 */
    bool full;                                /* there was not enough room for all that was there */
} wwho_normalizing;

/* The steps of the whole text, or the late ones. */
WWHO_LOCAL void start_steps(wwho_normalizing *it, const wwho_normalizer *normalizer, const wwho_classes *classes, bool late);

/* Rewrite as much as there is room for, and is sure. False where that is nothing because `work` (16-byte aligned, `work_len` bytes) or
 * `room` is too small. */
WWHO_LOCAL bool normalize(wwho_normalizing *it, void *work, size_t work_len);

/* The character of ByteLevel's alphabet that stands for a byte. */
WWHO_LOCAL uint32_t stand_in(uint32_t byte);

/* The bytes of a text that goes on, less the beginning of a character at its end. */
WWHO_LOCAL size_t whole_characters(const uint8_t *text, size_t len);

#endif
