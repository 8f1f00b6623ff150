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
    uint8_t *tails;                 /* a set: the characters below PLAIN that are not the first of a rule */
    uint32_t n, n_prefix, n_suffix; /* targets: those that are stripped, then the prefix, then the suffix */
    /* pairs */
    uint32_t n_blocks, n_indices;
    uint32_t *symbols;   /* by pages as well: the bytes of a character's symbols, the first one lowest; 0: it has none */
    uint32_t *character; /* of block * n_indices + index the code point + 1; 0: there is none */
} wwho_rewriting;

#ifndef __wasm__
/* What steps make of a character of low number, which is not at an end of the text, if that is sure (plain.c): one of up to three bytes,
 * the first one lowest, and above, their number, 0 for nothing, and ..; or 0. */
enum { PLAIN = 0x3000, PLAIN_BYTES = 3 };
#define PLAIN_SURE (1u << 26) /* always set */
#define PLAIN_HEAD (1u << 27) /* as long as none follows that is a .. */
#define PLAIN_TAIL (1u << 28)
#define PLAIN_SEMI (1u << 29)  /* as long as one follows that is not so */
#define PLAIN_AHEAD (1u << 30) /* it counts as come from the character after it */
#define PLAIN_CUT (1u << 31)   /* the steps may begin anew with a space behind it; with others, if they have no clusters */

typedef struct {
    bool clusters;
    bool begins, ends; /* characters that are not PLAIN_SEMI may be the first of a part, and the last */
    uint32_t prefix;   /* what stands before the first one, or 0: .. */
    uint8_t prefix_if; /* flags of ENDS */
    uint32_t made[PLAIN];
} wwho_plain;
#endif

typedef struct {
    uint32_t n_all;           /* with the one of pieces */
    uint32_t n_steps, n_late; /* the last ones are of parts between tokens of normalized text */
    wwho_rewriting steps[WWHO_MAX_STEPS];
    const wwho_rewriting *pairs; /* how pieces are written for a model over bytes, or null; none of the steps */
#ifndef __wasm__
    wwho_plain *plain; /* of the first steps, and of the late ones */
#endif
} wwho_normalizer;

/* Memory for, and tables of, a section's normalizer; without memory, only its size is reckoned. WWHO_NORMALIZER. */
WWHO_LOCAL int build_normalizer(wwho_section section, wwho_arena *arena, const wwho_automaton *automata, uint32_t n_automata,
                                wwho_normalizer *normalizer);

#ifndef __wasm__
/* Fill in `plain`, once the automata are built. */
WWHO_LOCAL void put_plain(const wwho_normalizer *normalizer, const wwho_classes *classes);

/* The first character that a step makes of one in the midst of a text; WWHO_NONE where that is not sure. */
WWHO_LOCAL uint32_t first_made(const wwho_rewriting *step, const wwho_classes *classes, uint32_t c);

/* Whether all that a step finds before one character, and that ends there, it finds before another one, behind *last, which becomes what
 * the step makes of that; or WWHO_NONE: behind anything. */
WWHO_LOCAL bool ends_alike(const wwho_rewriting *step, const wwho_classes *classes, uint32_t c, uint32_t other, uint32_t *last);
#endif

enum { KEPT = 255, PAIRED = 254 };
enum { STEP_MAP = 1, STEP_REPLACE, STEP_ENDS, STEP_RULES, STEP_SPELL, STEP_PAIRS };
enum { MATCH = 0xDFFF }; /* in a content: what was matched */
enum { BROKEN = 0x110000 };
enum { HANGUL_APART = 1, HANGUL_TOGETHER = 2 };
enum { ENDS_LEFT = 1, ENDS_RIGHT = 2, ENDS_UNLESS = 4, ENDS_FIRST = 8 };
enum {
    SYLLABLES = 0xAC00,
    N_SYLLABLES = 11172,
    LEADS = 0x1100,
    VOWELS = 0x1161,
    TAILS = 0x11A7,
    N_LEADS = 19,
    N_VOWELS = 21,
    N_TAILS = 28
};

/* The place of any code point, or byte of broken UTF-8. */
static inline uint32_t cell_of(const wwho_rewriting *step, uint32_t code_point) {
    return 128u * step->page[code_point >> 7] + (code_point & 127);
}

static inline const wwho_rewrite *rewrite_of(const wwho_rewriting *step, uint32_t code_point) {
    return &step->rewrites[step->pages[cell_of(step, code_point)]];
}

static inline bool joins_hangul(const wwho_rewriting *step, uint32_t code_point) {
    return step->flags & HANGUL_TOGETHER && (code_point - VOWELS < N_VOWELS || (code_point > TAILS && code_point - TAILS < N_TAILS));
}

/* Whether a character is one of those that ENDS strips. */
WWHO_LOCAL bool is_stripped(const wwho_rewriting *step, uint32_t code_point);

/* The bytes of a character, which may be a byte of broken UTF-8. */
WWHO_LOCAL uint32_t encode_utf8(uint32_t c, uint8_t *out);

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
    const wwho_plain *plain; /* null: there are no steps */
    size_t not_plain;        /* up to here, they do not begin anew in what it knows */
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
