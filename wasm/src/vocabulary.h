/* A model's vocabulary and its look-ups: (left, right) -> merged token, and text -> token. Both tables are open addressing with
 * linear probing, at most three quarters full. Most look-ups of the merge find nothing: a filter, small enough to stay in the
 * processor's cache, says so before the table is touched. */
#ifndef WWHO_VOCABULARY_H
#define WWHO_VOCABULARY_H

#include "common.h"

/* A set of hashes: 2^log2 bits. */
typedef struct {
    uint8_t *bits;
    uint32_t log2;
} wwho_filter;

/* What pairs of tokens merge to. */
typedef struct {
    uint64_t *slots; /* open addressing: (left, right, merged), 21 bits each; 0 is empty */
    uint32_t log2;
    const uint32_t *rank; /* of a merged token; null: its number */
    wwho_filter filter;   /* what is in slots */
} wwho_pairs;

/* A lead: the characters of two or three bytes in UTF-8 that differ in their last byte only. For each last byte, the token of the
 * character, and that of a space and the character. For each last byte of the text before (64: any ASCII character), the first merge of
 * such text with the bytes that these characters share. For each last byte of a character before, the first merge of that byte with text
 * that begins with the shared bytes. */
typedef struct {
    uint32_t token[64], spaced[64], from_left[65], from_right[64];
} wwho_lead;

#define MOST_LEADS 256u

/* The symbols of a vocabulary over bytes, and what early.h needs to know about their merges. */
typedef struct {
    uint32_t token[256];
    uint32_t pair[1 << 16];                   /* what two neighbouring bytes merge to, by `first << 8 | second` */
    uint32_t from_left[256], from_right[256]; /* the first merge of a byte with a longer token before it, and after it */
    uint8_t lead_at[1 << 10];                 /* by the bits of two shared bytes that vary: the number of the lead, or 0 */
    wwho_lead leads[MOST_LEADS]; /* 0: all of ASCII, without tokens; from 1 on, by their one shared byte; then those with two */
} wwho_bytes;

/* Numbers and texts that are read one after another; `at` is null once something was not there. */
typedef struct {
    const uint8_t *at, *end;
} number_columns;

typedef struct wwho_kind wwho_kind; /* model.h */
typedef struct wwho_vocabulary wwho_vocabulary;

/* What stands for a symbol that a model lacks, and how its tokens get their ids: FORMAT.md, MODEL. */
enum { UNKNOWN_NONE, UNKNOWN_SPELL, UNKNOWN_BYTES, UNKNOWN_ID };
enum { IDS_COUNT, IDS_STEP, IDS_STATED };

/* A model: symbols (bytes, or syllables) and the tokens merged from them, with numbers of its own from 0. From n_tokens on come those
 * that no text is looked up as: the lone space, where there is a space_id, and the tokens of the 256 bytes with UNKNOWN_BYTES. */
struct wwho_vocabulary {
    struct { /* the head in the file, as it lies there */
        uint8_t kind_number, symbols, unknown, id_rule, speller_at;
        uint8_t fuse : 1;         /* neighbouring unknowns are one unk_id */
        uint8_t anywhere : 1;     /* tokens may stand anywhere in a piece */
        uint8_t later : 1;        /* a token may have parts of higher numbers */
        uint8_t unmade : 1;       /* there are such */
        uint8_t whole_pieces : 1; /* a piece that is an unmade token is that token */
        uint8_t ties : 1;         /* there are such */
        uint8_t parts : 1;        /* an unknown symbol is spelled with the longest symbols that it begins with */
        uint8_t no_flags : 1;
        uint16_t zero;
        uint32_t first_id;   /* of the model's ids */
        uint32_t unk_id;     /* WWHO_NONE: there is none */
        uint32_t n_symbols;  /* tokens below it are symbols: made of nothing */
        uint32_t n_merges;   /* all other tokens */
        uint32_t text_bytes; /* of all tokens' texts */
        uint32_t n_ids;      /* ids from first_id on, some of which may be no token's */
    };
    const wwho_kind *kind;
    const void *own; /* tables of that kind alone */
    uint32_t speller_number;
    const wwho_vocabulary *speller; /* what spells a symbol that this one lacks; null: nothing does */
    uint32_t space_id;              /* WWHO_NONE: there is none */
    uint32_t n_tokens, n_superwords, n_ties;
    uint32_t n_made;     /* tokens from it on are made by no merge */
    uint32_t n_plain;    /* tokens from it on are superwords, or unmade */
    uint32_t first_byte; /* the token of byte 0; WWHO_NONE without UNKNOWN_BYTES */
    uint32_t *ids;       /* of tokens, WWHO_NONE: encoded as unk_id; null: first_id + token */
    uint32_t *by_id;     /* the token with the id first_id + i, or WWHO_NONE */
    bool own_ids;        /* all of them lead back to their tokens */
    uint32_t longest;    /* token, in bytes */
    uint8_t *texts;      /* one after another */
    uint32_t *offset;    /* n_tokens + 1, into texts */
    uint32_t *left, *right;
    uint32_t *rank, *level; /* of made tokens: their merge's rank, and the highest in all that makes them; null: both are the number */
    wwho_bytes *bytes;      /* null: symbols are texts */
    wwho_pairs pairs, superwords;
    uint32_t strings_bits;
    uint64_t *strings;         /* open addressing: of a text the token, length, offset into texts, and two bits of the hash; 0 is empty */
    wwho_filter text_filter;   /* what is in strings */
    wwho_filter prefix_filter; /* the texts of 8, 16, .. bytes that longer tokens start with */
};

/* The id that a token is encoded as. */
static inline uint32_t id_of(const wwho_vocabulary *v, uint32_t token) {
    if (!v->ids) return v->first_id + token;
    return v->ids[token] == WWHO_NONE ? v->unk_id : v->ids[token];
}

/* The token with an id from first_id on, or WWHO_NONE. */
static inline uint32_t token_of(const wwho_vocabulary *v, uint32_t id) {
    uint32_t i = id - v->first_id;
    if (i >= v->n_ids) return WWHO_NONE;
    return v->by_id ? v->by_id[i] : i;
}

/* Tokens below it may be found as whole pieces. */
static inline uint32_t n_pieces(const wwho_vocabulary *v) { return v->whole_pieces ? v->n_tokens : v->n_made; }

static inline uint32_t token_length(const wwho_vocabulary *v, uint32_t token) { return v->offset[token + 1] - v->offset[token]; }

#define MIX 0x9E3779B97F4A7C15u

/* Whether a hash may have been added: no is certain, yes is not. */
static inline bool may_have(const wwho_filter *filter, uint64_t hash) {
    uint32_t bit = (uint32_t)(hash >> (64 - filter->log2));
    return filter->bits[bit >> 3] >> (bit & 7) & 1;
}

/* The rank of the merge that makes a token, or WWHO_NONE of WWHO_NONE. */
static inline uint32_t rank_of(const uint32_t *rank, uint32_t token) { return rank && token != WWHO_NONE ? rank[token] : token; }

/* The token that two neighbours merge to, or WWHO_NONE. */
static inline uint32_t pair_token(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    uint64_t key = (uint64_t)left << WWHO_ID_BITS | right, hash = key * MIX, slot;
    if (!may_have(&pairs->filter, hash)) return WWHO_NONE;
    uint32_t mask = (1u << pairs->log2) - 1, at = (uint32_t)(hash >> (64 - pairs->log2));
    for (; (slot = pairs->slots[at]) != 0; at = (at + 1) & mask)
        if (slot >> WWHO_ID_BITS == key) return (uint32_t)slot & ((1u << WWHO_ID_BITS) - 1);
    return WWHO_NONE;
}

static HOT uint32_t pair_rank(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    return rank_of(pairs->rank, pair_token(pairs, left, right));
}

/* Let what pair_token() reads be on its way. */
static HOT void prefetch_pair(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    uint64_t hash = ((uint64_t)left << WWHO_ID_BITS | right) * MIX;
    prefetch(&pairs->filter.bits[hash >> (64 - pairs->filter.log2) >> 3]);
    prefetch(&pairs->slots[hash >> (64 - pairs->log2)]);
}

/* A hash that is built eight bytes at a time, so that those of all prefixes of a text come at one step each. */
static HOT uint64_t hash_step(uint64_t state, uint64_t word) {
    state = (state ^ word) * MIX;
    return state ^ state >> 29;
}

/* The last n % 8 of n bytes as a word, zero above. `readable` bytes may be read from tail on. */
static inline uint64_t load_tail(const uint8_t *tail, size_t n, size_t readable) {
    uint64_t word = 0;
    n &= 7;
    if (readable >= 8) return n ? load64(tail) & (~UINT64_C(0) >> (64 - 8 * n)) : 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)tail[i] << 8 * i;
    return word;
}

/* The hash of a text of n bytes from the state of its full words and its tail. */
static inline uint64_t hash_finish(uint64_t state, uint64_t tail, size_t n) { return hash_step(state, tail | (uint64_t)n << 56) * MIX; }

WWHO_LOCAL uint64_t hash_text(const uint8_t *text, size_t n, size_t readable);

/* A slot of `strings`: all that is known of a text before it is read; 0 is a length of 1024. */
static inline uint64_t string_slot(uint32_t token, uint64_t n, uint64_t offset, uint64_t hash) {
    return token | (n & 1023) << 21 | offset << 31 | hash << 62;
}

static inline bool same_text(const uint8_t *a, const uint8_t *b, size_t n) {
    size_t at = 0;
    for (; at + 8 <= n; at += 8)
        if (load64(a + at) != load64(b + at)) return false;
    for (; at < n; at++)
        if (a[at] != b[at]) return false;
    return true;
}

/* The token with this text, whose hash is given, or WWHO_NONE; the slot where it is or would be goes to *where. */
static inline uint32_t find_slot(const wwho_vocabulary *v, const uint8_t *text, size_t n, uint64_t hash, uint32_t *where) {
    const uint64_t told = string_slot(0, 1023, 0, 3), same = string_slot(0, n, 0, hash);
    uint32_t mask = (1u << v->strings_bits) - 1, at = (uint32_t)(hash >> (64 - v->strings_bits));
    for (uint64_t slot; (slot = v->strings[at]) != 0; at = (at + 1) & mask) {
        if ((slot & told) != same) continue;
        if (same_text(v->texts + (slot >> 31 & 0x7FFFFFFF), text, n)) return (uint32_t)slot & ((1u << WWHO_ID_BITS) - 1);
    }
    *where = at;
    return WWHO_NONE;
}

/* Let what find_text() reads first be on its way. */
static HOT void prefetch_text(const wwho_vocabulary *v, uint64_t hash) {
    prefetch(&v->text_filter.bits[hash >> (64 - v->text_filter.log2) >> 3]);
    prefetch(&v->strings[hash >> (64 - v->strings_bits)]);
}

/* The token with this text, whose hash is given, or WWHO_NONE. */
WWHO_LOCAL uint32_t find_text(const wwho_vocabulary *v, const uint8_t *text, size_t n, uint64_t hash);

/* The text of a token; its length goes to *len. */
static inline const uint8_t *text_of(const wwho_vocabulary *v, uint32_t token, size_t *len) {
    *len = token_length(v, token);
    return v->texts + v->offset[token];
}

/* Memory for the texts of the tokens of a vocabulary whose numbers are set, and for their ids. */
WWHO_LOCAL void take_texts(wwho_arena *arena, wwho_vocabulary *v);

/* Memory for the look-ups of a BPE vocabulary, whose last n_unmade tokens no merge makes, and of whose merges the last n_superwords
 * join words. */
WWHO_LOCAL void take_tables(wwho_arena *arena, wwho_vocabulary *v, uint32_t n_superwords, uint32_t n_unmade);

/* Write the texts of those of the tokens from n_tokens on. */
WWHO_LOCAL void add_extra_texts(wwho_vocabulary *v);

/* The texts of all tokens can then be looked up. False where two have one. */
WWHO_LOCAL bool add_texts(wwho_vocabulary *v);

/* The two columns of pairs in FORMAT.md, MODEL (`delta`: the left one holds zigzag-coded differences), and the n_ties merges of equal
 * rank; the texts of what they make. */
WWHO_LOCAL int add_merges(wwho_vocabulary *v, number_columns *c, bool delta);

/* n texts, those of the tokens from `token` on: TEXTS (`ascending`) or LISTED of FORMAT.md, MODEL. WWHO_SYMBOLS, WWHO_TOKEN_LENGTH. */
WWHO_LOCAL int read_texts(wwho_vocabulary *v, uint32_t token, uint32_t n, number_columns *c, bool ascending);

/* With IDS_STATED, the ids of the tokens and of single bytes. False where they are not as they must be. */
WWHO_LOCAL bool read_ids(wwho_vocabulary *v, number_columns *c);

/* The next LEB128 in its shortest form, of at most four bytes. Where there is none, 0, and `at` becomes null. */
WWHO_LOCAL uint32_t next_number(number_columns *c);

/* The difference, modulo 2^32, that a zigzag-coded number stands for. */
static inline uint32_t unzigzag(uint32_t value) { return value >> 1 ^ (0 - (value & 1)); }

#endif
