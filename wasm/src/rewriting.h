/* Steps that rewrite a piece of text, one after another (FORMAT.md, STEPS): those of the normalizer, and those of a route between two cuts.
 * A map replaces each character with a text, orders combining marks and composes pairs: lower case is only a map, NFD a map and an order,
 * NFC all three. Other steps replace what an automaton matches, replace what a trie holds, or change the ends of a piece.
 *
 * Characters are written at once where it is known what the steps turn them into, whatever their neighbours are. The others are rewritten
 * in runs, which end before the second of two such characters, or where there is no more room. In that case, only the output before a safe
 * place is kept: a character that comes out the same if the steps restart at its origin. */
#ifndef WWHO_REWRITING_H
#define WWHO_REWRITING_H

#include "automaton.h"
#include "trie.h"

#define WWHO_MAX_STEPS 16u /* of a route, and of each of the two lists of the normalizer */

/* What a step turns a character into: `n` code points from targets[at] on. With n = KEPT, it is the character itself; with n = PAIRED, the
 * two characters that compositions[at] composes. */
typedef struct {
    uint32_t at;
    uint8_t n, order; /* the class that orders a combining mark; 0: a starter */
    bool second;      /* whether it may compose with a character before it */
} wwho_rewrite;

typedef struct {
    uint32_t first, second, composed;
} wwho_composition;

typedef struct {
    const uint8_t *stored; /* in the file */
    uint32_t stored_size;
    uint8_t kind, flags;
    uint32_t *targets;
    wwho_rewrite *rewrites; /* for a map, the rewrites that its pages refer to; else one for each rule */
    /* for a map, and for blocks */
    uint16_t *page;                 /* the page of each code point >> 7; page 0 holds characters that the step does not mention */
    uint16_t *pages;                /* numbers of rewrites, 128 to a page; rewrite 0 keeps a starter */
    wwho_composition *compositions; /* in ascending order */
    uint32_t n_compositions, n_ordered;
    bool vanishes;   /* a character is mapped to nothing */
    bool of_nothing; /* for a replacement: its pattern may match nothing, and rule 0 is its other matches */
    /* for the other steps */
    const wwho_automaton *automaton; /* its matches are replaced or cut, or it finds clusters; null: the longest rule applies */
    const uint8_t *actions;          /* for a cut, of each rule: ACTION_ and, times ACTION_BACK, a number (cut.h) */
    uint8_t most;                    /* for a cut, the highest action of a rule; 255 if the automaton looks behind */
    wwho_trie *trie;
    uint8_t *tails;                 /* a set: the characters below PLAIN that occur in a rule after its first character */
    uint32_t n, n_prefix, n_suffix; /* in targets: the characters to strip, then the prefix, then the suffix */
    /* for blocks */
    uint32_t n_blocks, n_indices;
    uint32_t *symbols;   /* also by pages: the bytes of a character's symbols, the first in the lowest byte; 0: it has no symbols */
    uint32_t *character; /* the code point + 1 for each block * n_indices + index; 0: there is none */
} wwho_step;

/* What the steps turn a character of low number into, if that is certain (plain.c) and the character is not at an end of the text: a
 * character of up to three bytes, the first in the lowest byte. Above it are the number of bytes, 0 if the character vanishes, and the
 * PLAIN_ flags. The whole entry is 0 if the result is not certain. */
enum { PLAIN = 0x3000, PLAIN_BYTES = 3 };
#define PLAIN_ORDERED (1u << 25) /* only before it is packed: a combining mark that may change places with others */
#define PLAIN_TAIL (1u << 26)
#define PLAIN_SEMI (1u << 27)  /* only certain if a character without PLAIN_SEMI follows */
#define PLAIN_CUT (1u << 28)   /* the steps may restart at a space after it; without clusters, they may restart at any character */
#define PLAIN_SURE (1u << 29)  /* always set if the result is certain; from here on, a character that vanishes may have flags, too */
#define PLAIN_HEAD (1u << 30)  /* only certain if no character with PLAIN_TAIL follows */
#define PLAIN_AHEAD (1u << 31) /* its source is the character after it */

typedef struct {
    bool clusters;
    bool begins,
        ends;        /* characters with PLAIN_SEMI may not be the first or the last of a part; `begins` and `ends` say whether others may */
    uint32_t prefix; /* what is written before the first character, packed as in `made`; or 0 */
    uint8_t prefix_if; /* the flags of ENDS */
    wwho_range kept;   /* characters that are kept, next to others of the range */
    uint32_t made[PLAIN];
} wwho_plain;

/* Steps that rewrite a piece, one after the other. */
typedef struct {
    const wwho_step **steps;
    uint32_t n;
    uint32_t number;   /* of the list in its model, counted from 0: wwho_known tells the lists apart by it */
    bool tangled;      /* a later step may compose what an earlier one makes: the piece is rewritten as a whole */
    wwho_plain *plain; /* null: nothing is known */
} wwho_rewrites;

enum { KEPT = 255, PAIRED = 254 };
enum { STEP_MAP = 1, STEP_REPLACE, STEP_ENDS, STEP_RULES, STEP_SPELL, STEP_CUT, STEP_BLOCKS };
enum { MATCH = 0xDFFF }; /* in the text of a rule: what the rule matched */
enum { BROKEN = 0x110000, VANISHED = 0x1FFFFF, CODE_POINT = VANISHED };
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

/* Return the place in the pages of a step of a code point, or of 0x110000 plus a byte of broken UTF-8. */
static inline uint32_t cell_of(const wwho_step *step, uint32_t code_point) {
    return 128u * step->page[code_point >> 7] + (code_point & 127);
}

/* Return what a map turns a character into; for a character that the map does not mention, the rewrite that keeps it. */
static inline const wwho_rewrite *rewrite_of(const wwho_step *step, uint32_t code_point) {
    return &step->rewrites[step->pages[cell_of(step, code_point)]];
}

/* Return true if a map composes Hangul, and a character is a vowel or a tail, which may join the character before. */
static inline bool joins_hangul(const wwho_step *step, uint32_t code_point) {
    return step->flags & HANGUL_TOGETHER && (code_point - VOWELS < N_VOWELS || (code_point > TAILS && code_point - TAILS < N_TAILS));
}

/* What the steps turn a character into inside a text, if that is known. */
enum { KNOWN_SLOTS = 512, KNOWN_LISTS = 3 };
typedef struct {
    uint64_t of;   /* the character, from KNOWN_LIST on the list, and above it the next character, or WWHO_NONE if it does not matter */
    uint64_t made; /* 0: it is not known; else the bytes of one character, the first in the lowest byte, and the flags below */
} wwho_known;
#define KNOWN_LIST 21                        /* a code point, or a byte of broken UTF-8, has fewer bits */
#define KNOWN_BYTES(made) ((made) >> 56 & 7) /* how many there are; 0: it vanishes */
#define KNOWN_FLAGS(flags) ((uint64_t)(flags) << 32)
#define KNOWN_HEAD(made) ((made) >> 62 & 1) /* a rule of RULES as the first step may begin with the character */
#define KNOWN_AHEAD(made) ((made) >> 63)    /* its source is the character after it */

/* Room for rewritten text. `sources` and `origins` may be null. */
typedef struct {
    uint8_t *out;
    uint32_t *sources; /* for each byte of `out`, the start of the character of the text that it came from */
    uint32_t *origins; /* for each byte, where the steps may restart to produce it and what follows, or WWHO_NONE */
    size_t room;       /* in bytes of `out` */
} wwho_room;

#define NOT_FIRST SIZE_MAX

/* The position in the text, and the output so far. */
typedef struct {
    const wwho_step *const *steps;
    uint32_t n_steps, list; /* list: its number */
    bool tangled;
    const wwho_classes *classes;
    const wwho_plain *plain; /* null: nothing is known */
    size_t not_plain;        /* up to here, `plain` finds no place where the steps may restart */
    const uint8_t *text;
    size_t at, end;         /* byte offsets in the text */
    bool fresh;             /* a part starts at `at`; else the text before was already rewritten */
    bool more;              /* the part continues after `end` */
    const uint32_t *before; /* the source of each byte of the text; null: its own place */
    size_t first;           /* the source that a character must have for a prefix of ENDS with ENDS_FIRST; NOT_FIRST: there is none */
    wwho_room to;
    size_t n;               /* bytes written */
    wwho_known *known;      /* KNOWN_SLOTS of them; zeros at first */
    const wwho_trie *rules; /* those of the first step, or null */
    bool full;              /* there was not enough room for all of the text */
} wwho_normalizing;

/* Return true if a step ENDS, with flags of its own, may add its prefix before the character that comes from this place in the text. */
static inline bool may_prefix(const wwho_normalizing *it, uint32_t flags, uint32_t place) {
    return !(flags & ENDS_FIRST) || (it->before ? it->before[place] : place) == it->first;
}

#endif
