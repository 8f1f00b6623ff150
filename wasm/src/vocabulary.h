/* A model's vocabulary and its lookups: (left, right) -> merged token, and text -> token. Both tables use open addressing with linear
 * probing: that of pairs slot by slot, at most five eighths full, and that of texts by lines of four slots, at most four fifths full. Most
 * lookups during a merge find nothing. A filter, small enough to stay in the processor's cache, says so before the table is read: with that
 * of pairs, unseen Hindi and Sinhala are 1.2 times as fast, with that of texts 1.08 times in WebAssembly. */
#ifndef WWHO_VOCABULARY_H
#define WWHO_VOCABULARY_H

#include "common.h"

/* A set of hashes: 2^log2 bits. */
typedef struct {
    uint8_t *bits;
    uint32_t log2;
} wwho_filter;

/* The token that each mergeable pair of tokens merges to. */
typedef struct {
    uint64_t *slots; /* open addressing: (left, right, merged), 21 bits each; 0 is empty */
    uint32_t log2;
    const uint32_t *rank; /* the rank of each merged token; null: the token's number is its rank */
    wwho_filter filter;   /* the hashes of the pairs in slots */
} wwho_pairs;

/* A lead: a group of characters whose UTF-8 forms have two or three bytes and differ only in the last byte. For each last byte, `token` is
 * the token of the character, and `spaced` that of a space followed by the character; WWHO_NONE or 0 if it does not merge early.
 * `from_left` is the first merge of the text before with the bytes that these characters share, for each last byte of that text (64: any
 * ASCII character). `from_right` is the first merge of each last byte of a character with following text that starts with the shared
 * bytes. */
typedef struct {
    uint32_t token[64], spaced[64], from_left[65], from_right[64];
} wwho_lead;

#define MOST_LEADS 256u

/* The symbols of a vocabulary over bytes, and what early.h needs to know about their merges. */
typedef struct {
    uint32_t token[256];
    uint32_t pair[1 << 16];                   /* the token that two adjacent bytes merge to, by `first << 8 | second` */
    uint32_t from_left[256], from_right[256]; /* the first merge of a byte with a longer token before it, and with one after it */
    uint8_t lead_at[1 << 10];                 /* the number of the lead, or 0, by the bits that vary in the two shared bytes */
    wwho_lead
        leads[MOST_LEADS]; /* 0: all of ASCII, without tokens; from 1 on: leads with one shared byte, by that byte; then leads with two */
} wwho_bytes;

/* A slot of the table of texts. A text of at most INLINE_TEXT bytes is in the slot itself, padded with zeros, so that one read finds its
 * token: in `low` and the lowest 32 bits of `high`. A longer text has the upper bits of its hash and its length modulo 1024 in `low`, and
 * in the lowest bits of `high` its offset into the vocabulary's texts. Then come the token and, in the highest four bits, the length of
 * the text, at most INLINE_TEXT + 1. No text is empty, so an empty slot is 0. */
typedef struct {
    uint64_t low, high;
} wwho_text;

enum { INLINE_TEXT = 12, LINE_SLOTS = 4 };
#define TEXT_KEY UINT64_C(0xF0000000FFFFFFFF)      /* of `high`: what says whether a short text is the same */
#define LONG_TEXT_KEY UINT64_C(0xF000000000000000) /* and of a long one */

/* Numbers and texts, read one after another; `at` becomes null when a read fails. */
typedef struct {
    const uint8_t *at, *end;
} number_columns;

typedef struct wwho_kind wwho_kind; /* model.h */
typedef struct wwho_vocabulary wwho_vocabulary;

/* What replaces a symbol that the model lacks, and how tokens get their ids: FORMAT.md, MODEL. */
enum { UNKNOWN_NONE, UNKNOWN_SPELL, UNKNOWN_BYTES, UNKNOWN_ID };
enum { IDS_COUNT, IDS_STEP, IDS_STATED };

/* A model: its symbols (bytes or syllables) and the tokens merged from them, numbered from 0. Tokens from n_tokens on are never found by
 * their text: the lone space, if there is a space_id, and the tokens of the 256 bytes with UNKNOWN_BYTES. */
struct wwho_vocabulary {
    struct { /* the head, with the same layout as in the file */
        uint8_t kind_number, symbols, unknown, id_rule, speller_at;
        uint8_t fuse : 1;         /* adjacent unknown symbols share one unk_id */
        uint8_t anywhere : 1;     /* tokens may occur anywhere in a pretoken */
        uint8_t later : 1;        /* a token may be merged from tokens with higher numbers */
        uint8_t unmade : 1;       /* there are tokens that no merge makes */
        uint8_t whole_pieces : 1; /* a pretoken that equals a token that no merge makes becomes that token */
        uint8_t ties : 1;         /* there are merges of equal rank */
        uint8_t parts : 1;        /* base fallback cuts an unknown symbol into the longest symbols that it starts with */
        uint8_t affixes : 1;      /* symbols that continue a pretoken begin with a prefix, those that end one end with a suffix */
        uint16_t zero;
        uint32_t first_id;   /* the first of the model's ids */
        uint32_t unk_id;     /* WWHO_NONE: there is none */
        uint32_t n_symbols;  /* tokens below n_symbols are symbols: no merge makes them */
        uint32_t n_merges;   /* the number of all other tokens */
        uint32_t text_bytes; /* the total length of all token texts */
        uint32_t n_ids;      /* the number of ids from first_id on; some of them may belong to no token */
    };
    const wwho_kind *kind;
    const void *own; /* tables for this kind only */
    const uint8_t *prefix, *suffix;
    uint32_t n_prefix, n_suffix;
    wwho_vocabulary *shown; /* with a prefix: the texts of tokens as the file has them (affixes.h); null: `texts` */
    uint32_t unk_symbol;    /* the symbol that unk_id is; WWHO_NONE: it is none, or unknown symbols fuse */
    const void *blocks;     /* for a model over bytes: the wwho_step that writes pretokens of one of its routes; null: there is none */
    bool writes;            /* pretokens are written as their symbols before they merge (affixes.h) */
    uint32_t speller_number;
    const wwho_vocabulary *speller; /* the model that encodes a symbol that this one lacks; null: there is none */
    uint32_t space_id;              /* WWHO_NONE: there is none */
    uint32_t n_tokens, n_superwords, n_ties;
    uint32_t n_made;     /* no merge makes the tokens from n_made on */
    uint32_t n_plain;    /* tokens from n_plain on are superwords, or no merge makes them */
    uint32_t first_byte; /* the token of byte 0; WWHO_NONE without UNKNOWN_BYTES */
    uint32_t *ids;       /* the id of each token; WWHO_NONE: it is encoded as unk_id; null: the id is first_id + token */
    uint32_t *by_id;     /* the token with the id first_id + i, or WWHO_NONE */
    bool own_ids;        /* every id maps back to its token */
    uint32_t longest;    /* the length of the longest token in bytes */
    uint8_t *texts;      /* the texts of all tokens, one after another */
    uint32_t *offset;    /* n_tokens + 1 offsets into texts */
    uint32_t *left, *right;
    uint32_t *rank, *level; /* for merged tokens: the rank of the merge, and the highest rank among all merges that make the token; null:
                               both equal the number */
    wwho_bytes *bytes;      /* null: symbols are texts */
    wwho_pairs pairs, superwords;
    uint32_t line_bits;        /* log2 of the number of lines */
    wwho_text *lines;          /* the texts of all tokens */
    wwho_filter text_filter;   /* the hashes of the texts in lines */
    wwho_filter prefix_filter; /* the hashes of the first 8, 16, .. bytes of longer tokens */
};

/* Return the id of a token; unk_id for a token without an id of its own. */
static inline uint32_t id_of(const wwho_vocabulary *v, uint32_t token) {
    WWHO_ASSERT(token < v->n_tokens);
    if (!v->ids) return v->first_id + token;
    return v->ids[token] == WWHO_NONE ? v->unk_id : v->ids[token];
}

/* Return the token with an id, or WWHO_NONE if the model has none with it. */
static inline uint32_t token_of(const wwho_vocabulary *v, uint32_t id) {
    uint32_t i = id - v->first_id;
    if (i >= v->n_ids) return WWHO_NONE;
    return v->by_id ? v->by_id[i] : i;
}

/* Return how many tokens may be taken for a whole pretoken: those of lower numbers. */
static inline uint32_t n_pieces(const wwho_vocabulary *v) { return v->whole_pieces ? v->n_tokens : v->n_made; }

/* Return the length of a token's text in bytes, as it merges (with all prefixes). */
static inline uint32_t token_length(const wwho_vocabulary *v, uint32_t token) {
    WWHO_ASSERT(v->offset[token] <= v->offset[token + 1]);
    return v->offset[token + 1] - v->offset[token];
}

#define MIX 0x9E3779B97F4A7C15u

/* Return true if a hash may have been added to a filter: false is certain, true is not. */
static HOT bool may_have(const wwho_filter *filter, uint64_t hash) {
    uint32_t bit = (uint32_t)(hash >> (64 - filter->log2));
    return filter->bits[bit >> 3] >> (bit & 7) & 1;
}

/* Return the rank of the merge that makes a token, which is its number if `rank` is null; WWHO_NONE for WWHO_NONE. */
static inline uint32_t rank_of(const uint32_t *rank, uint32_t token) { return rank && token != WWHO_NONE ? rank[token] : token; }

/* Return the token that two adjacent tokens merge to, or WWHO_NONE. Inline, as push_symbol() is: in WebAssembly, Hindi and Sinhala that
 * were not seen before are 1.03 and 1.04 times as fast. */
static HOT uint32_t pair_token(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    uint64_t key = (uint64_t)left << WWHO_ID_BITS | right, hash = key * MIX, slot;
    if (!may_have(&pairs->filter, hash)) return WWHO_NONE;
    uint32_t mask = (1u << pairs->log2) - 1, at = (uint32_t)(hash >> (64 - pairs->log2));
    for (; (slot = pairs->slots[at]) != 0; at = (at + 1) & mask)
        if (slot >> WWHO_ID_BITS == key) return (uint32_t)slot & ((1u << WWHO_ID_BITS) - 1);
    return WWHO_NONE;
}

/* Return the rank of the merge of two adjacent tokens, or WWHO_NONE if they do not merge. */
static HOT uint32_t pair_rank(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    return rank_of(pairs->rank, pair_token(pairs, left, right));
}

/* Prefetch what pair_token() reads: unseen English is 1.17 times as fast, code 1.1, Hindi 1.07. */
static HOT void prefetch_pair(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    uint64_t hash = ((uint64_t)left << WWHO_ID_BITS | right) * MIX;
    prefetch(&pairs->filter.bits[hash >> (64 - pairs->filter.log2) >> 3]);
    prefetch(&pairs->slots[hash >> (64 - pairs->log2)]);
}

/* Return the state of a hash after eight more bytes, so that hashing all prefixes of a text costs one call each. */
static HOT uint64_t hash_step(uint64_t state, uint64_t word) {
    state = (state ^ word) * MIX;
    return state ^ state >> 29;
}

/* Return the last n % 8 of n bytes as a word, with zeros above them. It is safe to read `readable` bytes from `tail` on. */
static inline uint64_t load_tail(const uint8_t *tail, size_t n, size_t readable) {
    uint64_t word = 0;
    n &= 7;
    if (readable >= 8) return n ? load64(tail) & (~UINT64_C(0) >> (64 - 8 * n)) : 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)tail[i] << 8 * i;
    return word;
}

/* Return the hash of a text of n bytes, from the state after its full words and from its tail. */
static inline uint64_t hash_finish(uint64_t state, uint64_t tail, size_t n) { return hash_step(state, tail | (uint64_t)n << 56) * MIX; }

/* Return the hash of a text of n bytes, as find_text() takes it. It is safe to read `readable` bytes from its start on. */
WWHO_LOCAL uint64_t hash_text(const uint8_t *text, size_t n, size_t readable);

/* Return the line of the table of texts where the search for a hash begins. */
static HOT wwho_text *line_of(const wwho_vocabulary *v, uint64_t hash) { return v->lines + LINE_SLOTS * (hash >> (64 - v->line_bits)); }

/* Return the slot of a text of n > 0 bytes, without its token and offset. It is safe to read `readable` bytes from its start on. */
static HOT wwho_text text_slot(const uint8_t *text, size_t n, size_t readable, uint64_t hash) {
    static const uint64_t masks[4] = {~UINT64_C(0), ~UINT64_C(0), 0, 0};
    uint8_t copy[16] = {0};
    if (n > INLINE_TEXT) return (wwho_text){(hash & ~UINT64_C(1023)) | (n & 1023), (uint64_t)(INLINE_TEXT + 1) << 60};
    const uint8_t *mask = (const uint8_t *)masks + 16 - n;
    if (readable < sizeof copy) {
        for (size_t i = 0; i < n; i++) copy[i] = text[i];
        text = copy;
    }
    return (wwho_text){load64(text) & load64(mask), (read32(text + 8) & read32(mask + 8)) | (uint64_t)n << 60};
}

/* Return true if the n bytes at a and at b are the same. */
static inline bool same_text(const uint8_t *a, const uint8_t *b, size_t n) {
    size_t at = 0;
    for (; at + 8 <= n; at += 8)
        if (load64(a + at) != load64(b + at)) return false;
    for (; at < n; at++)
        if (a[at] != b[at]) return false;
    return true;
}

/* Return the token with this text of n bytes and this hash, or WWHO_NONE. It is safe to read `readable` bytes from the start of the text
 * on. If there is none, *where becomes a line with room for it; else *where stays. */
static HOT uint32_t find_slot(const wwho_vocabulary *v, const uint8_t *text, size_t n, size_t readable, uint64_t hash, wwho_text **where) {
    const wwho_text wanted = text_slot(text, n, readable, hash);
    const uint64_t key = n > INLINE_TEXT ? LONG_TEXT_KEY : TEXT_KEY;
    wwho_text *line = line_of(v, hash);
    for (;;) {
        for (uint32_t i = 0; i < LINE_SLOTS; i++) {
            uint64_t high = line[i].high;
            if ((line[i].low ^ wanted.low) | ((high ^ wanted.high) & key)) continue;
            if (n <= INLINE_TEXT || same_text(v->texts + (uint32_t)high, text, n)) return (uint32_t)(high >> 32) & WWHO_MAX_IDS;
        }
        if (!line[LINE_SLOTS - 1].high) break;
        line += LINE_SLOTS;
        if (line == v->lines + ((size_t)LINE_SLOTS << v->line_bits)) line = v->lines;
    }
    *where = line;
    return WWHO_NONE;
}

/* Prefetch what find_text() reads first: unseen Hindi is 1.11 times as fast in wwho_328k, Sinhala 1.06. */
static HOT void prefetch_text(const wwho_vocabulary *v, uint64_t hash) {
    prefetch(&v->text_filter.bits[hash >> (64 - v->text_filter.log2) >> 3]);
    prefetch(line_of(v, hash));
}

/* Return the token whose text is these n > 0 bytes, with the hash that hash_text() gives, or WWHO_NONE. It is safe to read `readable`
 * bytes from the start of the text on. */
WWHO_LOCAL uint32_t find_text(const wwho_vocabulary *v, const uint8_t *text, size_t n, size_t readable, uint64_t hash);

/* Return the text of a token as the file has it; its length in bytes goes to *len. */
static inline const uint8_t *text_of(const wwho_vocabulary *v, uint32_t token, size_t *len) {
    if (v->shown && token < v->n_tokens) v = v->shown;
    *len = token_length(v, token);
    return v->texts + v->offset[token];
}

/* Take memory for the texts of a vocabulary's tokens and, unless ids count up, for its ids. Its counts are set before (n_tokens,
 * text_bytes, n_ids); first_byte is set here. */
WWHO_LOCAL void take_texts(wwho_arena *arena, wwho_vocabulary *v);

/* Take memory for the lookups of a vocabulary: pairs, parts, texts and filters. No merge makes its last n_unmade tokens, and its last
 * n_superwords merges join words; n_made, n_plain and line_bits are set here. */
WWHO_LOCAL void take_tables(wwho_arena *arena, wwho_vocabulary *v, uint32_t n_superwords, uint32_t n_unmade);

/* Write the texts of a model with a prefix as the file has them to v->shown, and enter them in its table: without the prefix of all
 * symbols of a token but the first one. Returns WWHO_OK, WWHO_TOKEN_LENGTH or WWHO_TOKEN_DUPLICATE. */
WWHO_LOCAL int add_shown(wwho_vocabulary *v);

/* Write the texts of the tokens from n_tokens on: the lone space, and the 256 bytes, as far as the vocabulary has them. */
WWHO_LOCAL void add_extra_texts(wwho_vocabulary *v);

/* Enter the texts of the first n tokens in the table of texts, so that find_text() finds them. Returns false if two have the same text. */
WWHO_LOCAL bool add_texts(wwho_vocabulary *v, uint32_t n);

/* Read the two columns of pairs (FORMAT.md, MODEL; with `delta`, the left one holds zigzag-coded differences) and the n_ties merges of
 * equal rank, write the texts of the merged tokens, and enter their pairs. Returns WWHO_OK, WWHO_PAIRS, WWHO_PAIR_ORDER,
 * WWHO_PAIR_DUPLICATE or WWHO_TOKEN_LENGTH. */
WWHO_LOCAL int add_merges(wwho_vocabulary *v, number_columns *c, bool delta);

/* Read n texts for the tokens from `token` on: TEXTS (`ascending`) or LISTED of FORMAT.md, MODEL. Writes v->texts and the offsets after the
 * one of `token`, which is set before, moves c, and raises v->longest to the lengths. Returns WWHO_OK, WWHO_SYMBOLS or WWHO_TOKEN_LENGTH.
 * */
WWHO_LOCAL int read_texts(wwho_vocabulary *v, uint32_t token, uint32_t n, number_columns *c, bool ascending);

/* Read the ids of the tokens, of the lone space and of single bytes, with IDS_STATED; otherwise, there is nothing to read. Returns false if
 * they are invalid, or if the last of the n_ids ids belongs to no token. */
WWHO_LOCAL bool read_ids(wwho_vocabulary *v, number_columns *c);

/* Read the next LEB128 number, in its shortest form and of at most four bytes. Returns 0 and sets c->at to null if there is none. A number
 * may be 0, too. */
WWHO_LOCAL uint32_t next_number(number_columns *c);

/* Return the difference, modulo 2^32, that a zigzag-coded number represents. */
static inline uint32_t unzigzag(uint32_t value) { return value >> 1 ^ (0 - (value & 1)); }

#endif
