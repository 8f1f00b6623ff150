/* Text -> tokens: what the parts of encoding share (FORMAT.md, Encoding). */
#ifndef WWHO_ENCODER_H
#define WWHO_ENCODER_H

#include "cache.h"
#include "cut.h"
#include "merge.h"

#define PHRASE_TOKENS 64u /* the most tokens in a phrase: FORMAT.md, Encoding */

/* A phrase: the tokens of adjacent segments with the same route, where each segment but the first starts with U+0020. Superwords may merge
 * these tokens, so they are written only when the end of the phrase is known. */
typedef struct {
    wwho_row row;
    const wwho_route *route;
    size_t start, end;
} wwho_phrase;

/* The tokens of a segment. They are held back as long as they may be all of its tokens and part of a phrase. */
typedef struct {
    bool on;
    uint32_t n;
    size_t start;
    uint32_t tokens[PHRASE_TOKENS];
} wwho_held;

enum { BLOCK = 192 }; /* pretokens that are encoded together */

/* A pretoken of a block, and its set in the cache. */
typedef struct {
    wwho_brief key;
    const uint64_t *set;
    const wwho_route *route;
    uint32_t start;
    uint32_t first; /* where its cached ids start in the block's ids; they end where those of the next pretoken start */
} wwho_piece;

/* A block of pretokens, of any routes, and what is known about each. */
typedef struct {
    uint32_t n;
    bool phrases;   /* some pretokens may be part of a phrase */
    bool rewritten; /* some pretokens are rewritten: the cache does not say where their tokens end in the text */
    wwho_piece pieces[BLOCK + 1];
    uint32_t ends[BLOCK + 1];
    uint32_t ids[QUICK_ROOM * (BLOCK + 1)];
    uint32_t misses[BLOCK + 1]; /* pretokens that the cache lacks, or that are too long for a short line */
    wwho_key long_keys[BLOCK];  /* the keys of the misses */
    wwho_row rows[ROWS];
} wwho_block;

typedef struct wwho_lattice wwho_lattice; /* viterbi.h */

enum { STEPS_STUCK = 1, PIECE_STUCK };
enum { ROOM_OF_ROUTE = 2, N_ROOMS = ROOM_OF_ROUTE + MAX_LISTS };

/* The output of encoding, and its state. */
struct wwho_encoder {
    const wwho_model *model;
    const uint8_t *text;
    size_t len;   /* of all text that may be read; the encoded text may be one of several */
    size_t start; /* the start of the encoded text */
    size_t place; /* where the next token starts, if places are wanted */
    uint32_t flags;
    uint32_t *ids, *starts, *ends; /* may be null; starts are never given without ends */
    size_t quick;                  /* cap if only ids are wanted, else 0: then ids may be copied several at a time */
    size_t cap, n, limit;          /* counts of tokens; the encoder stops soon after n > limit */
    wwho_span *spans;              /* null: not wanted */
    size_t spans_cap, n_spans;
    bool fresh; /* the next span is the first of its segment */
    /* scratch area */
    uint64_t *cache;
    wwho_merging *merging;
    wwho_block *block;
    wwho_lattice *lattice; /* for a model of the kind VITERBI */
    wwho_known *known;     /* KNOWN_LISTS times KNOWN_SLOTS of them */
    uint8_t *work;         /* for the steps, and for the symbols of a pretoken */
    size_t work_len;
    uint32_t stuck;           /* STEPS_STUCK, PIECE_STUCK: `work` is too small for them */
    size_t begins;            /* bytes of `text` from its start on whose source is the beginning of the encoded text */
    wwho_room rooms[N_ROOMS]; /* for what the first and second steps of the normalizer write, and the lists of a route */
    wwho_phrase phrase;
    wwho_held held;
    size_t unk_end; /* the end of the segment's last unk_id */
};

static inline void put(wwho_encoder *e, uint32_t id, size_t end) {
    WWHO_ASSERT(id < e->model->n_vocab && (!e->ends || (end >= e->start && end <= WWHO_MAX_LENGTH)));
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

/* Remove the last token, because another one replaces it. */
static inline void take_back(wwho_encoder *e) {
    WWHO_ASSERT(e->n > 0);
    e->n--;
    if (e->starts && e->n < e->cap) e->place = e->starts[e->n] + e->start;
}

/* Give each token from number `first` on the place of all of them together. In tokenizers, each byte of a text has this place. */
static inline void place_alike(wwho_encoder *e, size_t first) {
    for (size_t last = e->n - 1; e->starts && last < e->cap && first < last; first++) {
        e->starts[first + 1] = e->starts[first];
        e->ends[first] = e->ends[last];
    }
}

/* Write tokens of a vocabulary whose texts follow one another from `at` on. Returns where they end, if ends are wanted. */
static inline size_t put_all(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n, size_t at) {
    e->place = at;
    for (uint32_t i = 0; i < n; i++) {
        if (e->ends) at += token_length(v, tokens[i]);
        put(e, id_of(v, tokens[i]), at);
    }
    return at;
}

/* Map a place in a rewritten text of n bytes to the original text. Places are counted from `base`, and `sources` holds the origin of each
 * byte. `start` may be null. */
WWHO_LOCAL void place_part(const uint32_t *sources, const uint8_t *text, size_t len, uint32_t base, uint32_t *start,
                           uint32_t *end);

/* Do the same for the tokens from number `first` on. */
WWHO_LOCAL void place_tokens(wwho_encoder *e, size_t first, const uint32_t *sources, const uint8_t *text, size_t len);

/* Write the replacement for a symbol that the model lacks, from `at` to `end`. Returns true if it is unk_id. `again` says that the symbol
 * before also became unk_id; if the model fuses unknown symbols, both share that one. Returns false if it is other tokens. */
WWHO_LOCAL bool put_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end, bool again);

/* Whether an unknown symbol of n bytes becomes the tokens of its bytes. */
WWHO_LOCAL bool falls_back(const wwho_encoder *e, const wwho_vocabulary *v, const uint8_t *text, size_t n);

/* The tokens of a pretoken, while they are few enough for the cache. */
enum { MAX_KEPT = 8 };
typedef struct {
    uint32_t tokens[MAX_KEPT], n; /* more than MAX_KEPT: the cache has no room for them */
} wwho_kept;

static inline void note(wwho_kept *kept, uint32_t token) {
    if (kept->n < MAX_KEPT) kept->tokens[kept->n] = token;
    if (kept->n <= MAX_KEPT) kept->n++;
}

/* Add a pretoken or its symbols to the spans. */
WWHO_LOCAL void add_spans(wwho_encoder *e, const wwho_route *route, size_t at, size_t end);

/* Store the tokens of a pretoken in the cache. */
WWHO_LOCAL void keep_noted(const wwho_key *key, const wwho_vocabulary *v, const wwho_kept *kept);

/* Whether most of the bytes ahead are not ASCII. Then there are no letters to skip, and the plain scanner, which reads characters of three
 * bytes by their page, is faster: natively Arabic by 1.06 and emoji by 1.3, in WebAssembly Hindi and Sinhala by 1.06. */
static inline bool is_wide(const uint8_t *text) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i += 8) n += (uint32_t)((load64(text + i) >> 7 & ONES) * ONES >> 56);
    return n > 16;
}

/* put_block() writes the tokens of the block's pretokens. make_room() makes room for n more pretokens and returns how many the block then
 * has. queue_pieces() adds the pretokens up to number n: `ends` already holds their ends, and the first starts at `at`. */
WWHO_LOCAL void put_block(wwho_encoder *e);
WWHO_LOCAL uint32_t make_room(wwho_encoder *e, uint32_t n);
WWHO_LOCAL void queue_pieces(wwho_encoder *e, const wwho_route *route, size_t at, uint32_t n);

/* Rewrite as much of a text as possible by a list of steps into a room; `it` tells which part of it. Returns false if that is nothing. */
WWHO_LOCAL bool rewrite_into(wwho_encoder *e, const wwho_rewrites *list, uint32_t room, const uint8_t *text, wwho_normalizing *it);

/* The same for all of text[at..end), a piece on a route: the wwho_rewriter of an encoder. False if there is no room for all of it. */
WWHO_LOCAL bool rewrite_piece(void *encoder, const wwho_rewrites *list, uint32_t depth, size_t place, const uint8_t *text, size_t at,
                              size_t end, wwho_view *out);

/* Write the tokens of text without added tokens. */
WWHO_LOCAL void encode_ordinary(wwho_encoder *e, size_t at, size_t end);

/* Store the tokens of a pretoken in the cache, unless one of them has no id of its own. */
WWHO_LOCAL void keep_tokens(const wwho_key *key, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n);

/* Merge a run, and write its tokens except the last ones. Returns the number of tokens that remain in e->merging, from *at on. */
WWHO_LOCAL uint32_t merge_run(wwho_encoder *e, wwho_run *run, size_t *at);

/* Write the symbols where a merge gave up as they are. */
WWHO_LOCAL void put_symbols(wwho_encoder *e, wwho_run *run);

/* Encode a pretoken with a model of the kind GREEDY or VITERBI. */
WWHO_LOCAL void encode_greedy(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                              size_t end);
WWHO_LOCAL void encode_viterbi(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

/* Encode a pretoken with BPE: over bytes, or over the symbols that a route's automaton finds. */
WWHO_LOCAL void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end);
WWHO_LOCAL void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

#endif
