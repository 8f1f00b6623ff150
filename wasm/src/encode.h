/* Text -> tokens: what the stages of encoding share (FORMAT.md, Encoding). */
#ifndef WWHO_ENCODE_H
#define WWHO_ENCODE_H

#include "cache.h"
#include "merge.h"

#define PHRASE_TOKENS 64u /* the most that a phrase has: FORMAT.md, Encoding */

/* A phrase: the tokens of neighbouring segments of one route, each but the first beginning with U+0020. Superwords may merge them;
 * they are put once it is known where the phrase ends. */
typedef struct {
    wwho_row row;
    const wwho_route *route;
    size_t start, end;
} wwho_phrase;

/* The tokens of a segment, held back while they may be all of them, and part of a phrase. */
typedef struct {
    bool on;
    uint32_t n;
    size_t start;
    uint32_t tokens[PHRASE_TOKENS];
} wwho_held;

enum { BLOCK = 192 }; /* pieces that are worked on at once */

/* A piece of a block, and its line in the cache. */
typedef struct {
    wwho_brief key;
    const uint64_t *set;
    const wwho_route *route;
    uint32_t start;
    uint32_t first; /* of the ids that the cache has, in those of the block; they go up to those of the next piece */
} wwho_piece;

/* A block of pieces, of any routes, and what is known of each. */
typedef struct {
    uint32_t n;
    bool phrases; /* some may be part of a phrase */
    wwho_piece pieces[BLOCK + 1];
    uint32_t ends[BLOCK + 1];
    uint32_t ids[SHORT_ROOM * (BLOCK + 1)];
    uint32_t misses[BLOCK + 1]; /* pieces that the cache lacks, or that are too long for a short line */
    wwho_key long_keys[BLOCK];  /* of the misses */
    wwho_row rows[ROWS];
} wwho_block;

typedef struct wwho_lattice wwho_lattice; /* viterbi.h */
typedef struct wwho_many wwho_many;       /* many.h */

enum { STEPS_STUCK = 1, PIECE_STUCK, WORD_STUCK = 4 };

/* Where tokens go, and what they need on the way. */
struct wwho_encoder {
    const wwho_model *model;
    const uint8_t *text;
    size_t len;   /* of all that may be read: what is encoded may be one text of several */
    size_t start; /* of that one */
    size_t place; /* where the next token begins, if places are wanted */
    uint32_t flags;
    uint32_t *ids, *starts, *ends; /* starts not without ends; or null */
    size_t quick;                  /* = cap where ids alone are wanted, else 0: they may be copied some at a time */
    size_t cap, n, limit;          /* tokens; the encoder stops soon after n > limit */
    wwho_span *spans;              /* null: not wanted */
    size_t spans_cap, n_spans;
    bool fresh; /* the next span is the first of a segment */
    /* scratch */
    uint64_t *cache;
    wwho_merging *merging;
    wwho_block *block;
    wwho_lattice *lattice; /* for a model of the kind VITERBI */
#ifndef __wasm__
    wwho_many *many;
#endif
    uint8_t *work; /* of steps, and for the symbols of a piece */
    size_t work_len;
    uint32_t stuck;              /* STEPS_STUCK, PIECE_STUCK: it is too small for them; WORD_STUCK: words.h */
    const wwho_rewriting *pairs; /* how pieces over bytes are written, or null: as they are */
    wwho_phrase phrase;
    wwho_held held;
    size_t unk_end; /* where the last unk_id of a segment ends */
};

static inline void put(wwho_encoder *e, uint32_t id, size_t end) {
    if (e->n < e->cap) {
        e->ids[e->n] = id;
        if (e->ends) {
            if (e->starts) e->starts[e->n] = (uint32_t)(e->place - e->start);
            e->ends[e->n] = (uint32_t)(end - e->start);
            e->place = end;
        }
    }
    e->n++;
}

/* Take the last token back: another one is to stand in its place. */
static inline void take_back(wwho_encoder *e) {
    e->n--;
    if (e->starts && e->n < e->cap) e->place = e->starts[e->n] + e->start;
}

/* Let the tokens from number `first` on have the place of all of them: in tokenizers each byte of a text has it. */
static inline void place_alike(wwho_encoder *e, size_t first) {
    for (size_t last = e->n - 1; e->starts && last < e->cap && first < last; first++) {
        e->starts[first + 1] = e->starts[first];
        e->ends[first] = e->ends[last];
    }
}

/* Tokens of a vocabulary, whose texts stand one after another from `at`. Gives where they end, if ends are wanted. */
static inline size_t put_all(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n, size_t at) {
    e->place = at;
    for (uint32_t i = 0; i < n; i++) {
        if (e->ends) at += token_length(v, tokens[i]);
        put(e, id_of(v, tokens[i]), at);
    }
    return at;
}

/* A place in a text of n bytes, counted from `base`, that came from `sources` in another one: make it one of that. `start` may be null. */
WWHO_LOCAL void place_part(const uint32_t *sources, size_t n, const uint8_t *text, size_t len, uint32_t base, uint32_t *start,
                           uint32_t *end);

/* The same for the tokens from number `first` on. */
WWHO_LOCAL void place_tokens(wwho_encoder *e, size_t first, const uint32_t *sources, size_t n, const uint8_t *text, size_t len);

/* Put what stands for a symbol that a model lacks, from `at` to `end`: unk_id (true), which is that of the one before it where `again`
 * says that there is one, and the model fuses them; or other tokens. */
WWHO_LOCAL bool put_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end, bool again);

/* The tokens of a piece, as long as the cache could take them. */
enum { MAX_KEPT = 8 };
typedef struct {
    uint32_t tokens[MAX_KEPT], n; /* more than MAX_KEPT: it cannot */
} wwho_kept;

static inline void note(wwho_kept *kept, uint32_t token) {
    if (kept->n < MAX_KEPT) kept->tokens[kept->n] = token;
    if (kept->n <= MAX_KEPT) kept->n++;
}

/* Add a piece or its units to the spans. */
WWHO_LOCAL void add_spans(wwho_encoder *e, const wwho_route *route, size_t at, size_t end);

/* Let the cache know the tokens that a piece became. */
WWHO_LOCAL void keep_noted(const wwho_key *key, const wwho_vocabulary *v, const wwho_kept *kept);

/* Whether most of the bytes ahead are not ASCII: there are no letters to skip, and the plain scanner, which reads characters of three
 * bytes by their page, is quicker: natively Arabic by 1.06 and emoji by 1.3, in WebAssembly Hindi and Sinhala by 1.06. */
static inline bool is_wide(const uint8_t *text) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i += 8) n += (uint32_t)((load64(text + i) >> 7 & ONES) * ONES >> 56);
    return n > 16;
}

/* Put the pieces of the block; make room in it for n more, and give how many it has then; queue those up to number n, whose ends are
 * there and the first of which starts at `at`. */
WWHO_LOCAL void put_block(wwho_encoder *e);
WWHO_LOCAL uint32_t make_room(wwho_encoder *e, uint32_t n);
WWHO_LOCAL void queue_pieces(wwho_encoder *e, const wwho_route *route, size_t at, uint32_t n);

/* Put the tokens of text without added tokens. */
WWHO_LOCAL void encode_ordinary(wwho_encoder *e, size_t at, size_t end);

/* GREEDY and VITERBI. */
WWHO_LOCAL void encode_greedy(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                              size_t end);
WWHO_LOCAL void encode_viterbi(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

/* BPE over bytes, and over the units that a route's automaton finds. */
WWHO_LOCAL void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end);
WWHO_LOCAL void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

#endif
