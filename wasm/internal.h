/* What the files of the core share. Nothing here is part of the interface. */
#ifndef WWHO_INTERNAL_H
#define WWHO_INTERNAL_H

#include "wwho.h"

#include <stdbool.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the artifact is read in place: little-endian only");

#define WWHO_NONE 0xFFFFFFFFu
/* Of the path that most pieces take: no compiler, and WebAssembly's least of all, may make a call of it. */
#define HOT inline __attribute__((always_inline))
#define WWHO_MAX_LENGTH 0x7FFFFFFFu /* of a file, a text, a workspace: FORMAT.md, section 11 */
#define WWHO_MAX_TOKEN 1023u
#define WWHO_ID_BITS 21
#define WWHO_MAX_ROUTES 62u
#define WWHO_START 1u
#define ONES UINT64_C(0x0101010101010101)

enum { KIND_META = 1, KIND_CLASSES, KIND_AUTOMATA, KIND_ROUTES, KIND_BASE, KIND_ATOMS, KIND_MERGES, KIND_SPECIALS,
       KIND_PROVENANCE, KIND_IDS, N_KINDS };
enum { FEATURE_SGPE = 1, FEATURE_SUPERWORDS = 2, FEATURE_IDS = 4 };

/* A part of the file. */
typedef struct {
    const uint8_t *at;
    uint32_t length;
} wwho_section;

/* An automaton over classes. An entry is `mark << 24 | row`, where row is the next state times the stride; 0 is dead. Where there
 * is more to do than to go on, it has the bit ENTRY_STOP. */
#define ENTRY_ROW 0xFFFFFFu
#define ENTRY_MARK(entry) ((entry) >> 24 & 63)
#define ENTRY_STOP 0x80000000u
#define ENTRY_RUN 0x40000000u /* the next state loops over a range of ASCII characters: the last columns of its row */

/* ASCII characters from one to another: adding below sets the uppermost bit of a byte from the first on, above behind the last. */
typedef struct {
    uint64_t below, above;
} wwho_range;

typedef struct {
    const uint32_t *table;
    uint32_t stride; /* of the classes, the end of the text, and, from an even column on, a wwho_range; even */
    uint32_t max_mark;
    wwho_range letters; /* what plain words are made of, behind their first character: see word_length() */
    uint8_t edge[256];  /* by byte: WORD_START, WORD_END */
} wwho_automaton;

enum { WORD_START = 1, WORD_END = 2 };

typedef struct {
    const uint8_t *name;
    uint8_t name_length;
    uint8_t sgpe; /* 1: units merged by the SGPE vocabulary; 0: pieces merged by the base */
    uint16_t scanner;
} wwho_route;

/* A set of hashes: 2^log2 bits. */
typedef struct {
    uint8_t *bits;
    uint32_t log2;
} wwho_filter;

/* What pairs of tokens merge to. */
typedef struct {
    uint64_t *slots; /* open addressing: (left, right, merged), 21 bits each; 0 is empty */
    uint32_t log2;
    wwho_filter filter; /* what is in slots */
} wwho_pairs;

/* The symbols of a vocabulary over bytes. */
typedef struct {
    uint32_t token[256];
    uint32_t pair[1 << 16];    /* what two neighbouring bytes merge to, by `first << 8 | second` */
    uint8_t eager[1 << 16 >> 3]; /* of such a pair: whether no other pair with one byte and a longer token merges before it */
} wwho_bytes;

/* A vocabulary: symbols (bytes, or syllables) and the tokens merged from them, with ids of its own from 0. */
typedef struct {
    uint32_t n_symbols; /* tokens below it are symbols: made of nothing */
    uint32_t n_tokens;
    uint32_t n_plain;  /* tokens from it on are superwords */
    uint32_t first_id; /* of the model's ids */
    uint32_t n_ids;    /* ids from first_id on, some of which may be no token's */
    uint32_t *ids;     /* of tokens, WWHO_NONE: encoded as no_id; null: first_id + token */
    uint32_t *by_id;   /* the token with the id first_id + i, or WWHO_NONE */
    uint32_t no_id;
    uint32_t longest;  /* token, in bytes */
    uint8_t *texts;    /* one after another */
    uint32_t *offset;  /* n_tokens + 1, into texts */
    uint32_t *left, *right;
    wwho_bytes *bytes; /* null: symbols are texts */
    wwho_pairs pairs, superwords;
    uint32_t strings_bits;
    uint64_t *strings; /* open addressing: of a text the token, length, offset into texts, and two bits of the hash; 0 is empty */
    wwho_filter text_filter;              /* what is in strings */
    wwho_filter prefix_filter;            /* the texts of 8, 16, .. bytes that longer tokens start with */
} wwho_vocabulary;

struct wwho_model {
    wwho_info info;
    const uint16_t *page;
    const uint8_t *pages;
    const uint8_t *ascii; /* the first page */
    uint32_t n_classes;
    uint32_t n_automata;
    uint32_t router; /* WWHO_NONE: everything is route 0 */
    wwho_automaton *automata;
    wwho_route routes[WWHO_MAX_ROUTES];
    wwho_vocabulary base, sgpe;
    wwho_vocabulary specials; /* special tokens by number, nothing merges */
    uint32_t *special_ids;    /* of their numbers, ascending; several may have the same */
};

/* An artifact that is being opened. */
typedef struct {
    wwho_section section[N_KINDS]; /* by kind; `at` is null where absent */
    uint32_t features;
    wwho_info info;
    uint32_t base_text_bytes, sgpe_text_bytes;
    uint32_t n_classes;
} wwho_file;

/* Memory handed out from a buffer of `size` bytes; what does not fit is only counted. */
typedef struct {
    uint8_t *base;
    uint64_t size, used;
} wwho_arena;

/* Null where it does not fit, and then for all that comes after, too. */
static inline void *take(wwho_arena *arena, uint64_t size) {
    uint64_t at = arena->used;
    arena->used += (size + 15) & ~(uint64_t)15;
    return arena->used <= arena->size ? arena->base + at : 0;
}

static inline uint32_t read16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t read32(const uint8_t *p) { return read16(p) | read16(p + 2) << 16; }

static inline uint32_t load32(const uint8_t *p) {
    uint32_t v;
    __builtin_memcpy(&v, p, 4);
    return v;
}

static inline uint64_t load64(const uint8_t *p) {
    uint64_t v;
    __builtin_memcpy(&v, p, 8);
    return v;
}

static inline wwho_range range_at(const uint32_t *row, uint32_t stride) {
    wwho_range range;
    __builtin_memcpy(&range, row + stride - 4, sizeof range);
    return range;
}

/* The id that a token is encoded as. */
static inline uint32_t id_of(const wwho_vocabulary *v, uint32_t token) {
    if (!v->ids) return v->first_id + token;
    return v->ids[token] == WWHO_NONE ? v->no_id : v->ids[token];
}

/* The token with an id from first_id on, or WWHO_NONE. */
static inline uint32_t token_of(const wwho_vocabulary *v, uint32_t id) {
    uint32_t i = id - v->first_id;
    if (i >= v->n_ids) return WWHO_NONE;
    return v->by_id ? v->by_id[i] : i;
}

static inline uint32_t token_length(const wwho_vocabulary *v, uint32_t token) {
    return v->offset[token + 1] - v->offset[token];
}

#endif
