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
    uint64_t seed; /* of what is drawn for the phrase */
} wwho_phrase;

/* The tokens of a segment. They are held back as long as they may be all of its tokens and part of a phrase. */
typedef struct {
    bool on;
    uint32_t n;
    size_t start;
    uint32_t tokens[PHRASE_TOKENS];
} wwho_held;

enum { BLOCK = 192 };                              /* pretokens that are encoded together */
enum { PADDED_TEXT = 1 << 10, TEXT_PADDING = 65 }; /* bytes of a text of which a copy is encoded, and of zeros after it */

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
    uint8_t replay[WWHO_MAX_ROUTES]; /* what look_for_replay() says of each route: 1 if not, 2 if so, 0 if nobody asked; the first call that
                                        drops merges asks, which takes 10 to 20 ms of a large vocabulary */
    uint8_t padded[PADDED_TEXT + TEXT_PADDING];
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
    size_t unk_end;           /* the end of the segment's last unk_id */
    wwho_sampler *sampler;    /* null: nothing is drawn */
    wwho_draws *draws;        /* the sampler's, if merges are skipped; else null */
    /* not cleared when a call begins, but empty */
    wwho_phrase phrase;
    wwho_held held;
};

/* Write the token `id` that ends at `end`, a place in the encoder's text, and starts at e->place, which moves to `end` if ends are wanted.
 * Beyond the capacity, the token is only counted. */
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

/* Remove the last token, because another one replaces it. If starts are wanted, e->place moves back to its start. */
static inline void take_back(wwho_encoder *e) {
    WWHO_ASSERT(e->n > 0);
    e->n--;
    if (e->starts && e->n < e->cap) e->place = e->starts[e->n] + e->start;
}

/* Give each token from number `first` up to the last one the start of the first and the end of the last, as each byte of an unknown text
 * has in tokenizers. Does nothing without starts, or if the last token is beyond the capacity. */
static inline void place_alike(wwho_encoder *e, size_t first) {
    for (size_t last = e->n - 1; e->starts && last < e->cap && first < last; first++) {
        e->starts[first + 1] = e->starts[first];
        e->ends[first] = e->ends[last];
    }
}

/* Write n tokens of a vocabulary, the texts of which follow one another in the encoder's text from the place `at` on. Sets e->place.
 * Returns the place where the last one ends, or `at` if ends are not wanted. */
static inline size_t put_all(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n, size_t at) {
    e->place = at;
    for (uint32_t i = 0; i < n; i++) {
        if (e->ends) at += token_length(v, tokens[i]);
        put(e, id_of(v, tokens[i]), at);
    }
    return at;
}

/* Map *start and *end, places in a rewritten text, to the text before its rewriting, in place. `sources` has, for each byte of the
 * rewritten text, where its character starts in `text`, of len bytes, the text before. *start and *end count from `base`, sources from 0.
 * *start moves to the source character of its byte (in an empty part, of the byte before), and *end to the end of the source character of
 * the byte before it. Where *end is the beginning of the rewritten text, both stay. `start` may be null. */
WWHO_LOCAL void place_part(const uint32_t *sources, const uint8_t *text, size_t len, uint32_t base, uint32_t *start, uint32_t *end);

/* Map the starts and ends of the tokens from number `first` on, which are places in a rewritten text, to the text before (`text`, of len
 * bytes), as place_part() does. Changes e->starts and e->ends in place; does nothing if ends are not wanted. */
WWHO_LOCAL void place_tokens(wwho_encoder *e, size_t first, const uint32_t *sources, const uint8_t *text, size_t len);

/* Write the replacement for the text from `at` to `end`, which the model lacks: tokens of a speller (after the longest symbols, with
 * v->parts), tokens of its bytes, or unk_id. `again`: the symbol directly before became unk_id; if the model fuses them, both share one,
 * which is written after byte tokens. Returns true if the last token written is unk_id. */
WWHO_LOCAL bool put_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end, bool again);

/* Return true if an unknown symbol with this text of n bytes becomes the tokens of its bytes: the model says so, has a token for each of
 * them, and the call does not ask for unk_id instead. */
WWHO_LOCAL bool falls_back(const wwho_encoder *e, const wwho_vocabulary *v, const uint8_t *text, size_t n);

/* The tokens of a pretoken, while they are few enough for the cache. */
enum { MAX_KEPT = 8 };
typedef struct {
    uint32_t tokens[MAX_KEPT], n; /* more than MAX_KEPT: the cache has no room for them */
} wwho_kept;

/* Collect a token of a pretoken for keep_noted(). After MAX_KEPT tokens, only the fact that there are more is noted. */
static inline void note(wwho_kept *kept, uint32_t token) {
    if (kept->n < MAX_KEPT) kept->tokens[kept->n] = token;
    if (kept->n <= MAX_KEPT) kept->n++;
}

/* Add the pretoken from `at` to `end` of a route to e->spans, as one span, or, if the route has `units`, as one span for each unit. Places
 * count from e->start. Beyond the capacity, spans are only counted. The first span of a segment is marked as such (e->fresh, which is then
 * cleared). */
WWHO_LOCAL void add_spans(wwho_encoder *e, const wwho_route *route, size_t at, size_t end);

/* Store the tokens of a pretoken that note() collected in the cache, as keep_tokens() does, unless there were more than MAX_KEPT. */
WWHO_LOCAL void keep_noted(const wwho_key *key, const wwho_vocabulary *v, const wwho_kept *kept);

/* Return true if most of the next 32 bytes, which must be readable, are not ASCII. Then there are no letters to skip, and the plain
 * scanner, which reads characters of three bytes by their page, is faster: natively Arabic by 1.06 and emoji by 1.3, in WebAssembly Hindi
 * and Sinhala by 1.06. */
static inline bool is_wide(const uint8_t *text) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i += 8) n += (uint32_t)((load64(text + i) >> 7 & ONES) * ONES >> 56);
    return n > 16;
}

/* Write the tokens of the block's pretokens in order, store those that the cache lacked, and leave the block empty. Tokens of a model with
 * superwords go to the phrase, of which all but the last is written: flush_phrase() writes that. This works in phases, so that reads of
 * memory overlap: the keys, made when the pretokens are queued; the cache lookup, without a branch; then the pretokens that the cache
 * lacks: tokens that equal a whole pretoken, and merges, ROWS of them side by side. With WWHO_CUT_ONLY, nothing is written. */
WWHO_LOCAL void put_block(wwho_encoder *e);

/* Write the block if it has no room for n more pretokens, or if its pretokens, of at least one token each, exceed the limit. Returns how
 * many pretokens the block then has: 0 if it was written. */
WWHO_LOCAL uint32_t make_room(wwho_encoder *e, uint32_t n);

/* Add pretokens of a route to the block, up to number n. Their ends are already in e->block->ends, from number block->n on; the first
 * starts at `at`, each other one at the end of the one before. Matches that the route's cut drops are left out, so the block may get
 * fewer. Makes their cache keys, prefetches, and adds their spans if these are wanted. */
WWHO_LOCAL void queue_pieces(wwho_encoder *e, const wwho_route *route, size_t at, uint32_t n);

/* Rewrite text[it->at..it->end) by a list of steps into e->rooms[room], from its beginning on, as far as there is room and as the result is
 * certain. The caller sets that part and the flags of `it` (fresh, more, first); the rest of `it` is set here, and e->work is overwritten.
 * On return, it->at is where the rewriting stopped, it->n the bytes written, which may be 0, it->to the room, and it->full says whether
 * room was lacking. Returns false only if nothing could be written for want of room. */
WWHO_LOCAL bool rewrite_into(wwho_encoder *e, const wwho_rewrites *list, uint32_t room, const uint8_t *text, wwho_normalizing *it);

/* Rewrite the whole piece text[at..end) by a list of steps, as a part of its own, into the encoder's room of number ROOM_OF_ROUTE + depth;
 * *out becomes a view of the result, with sources and without origins. This is the wwho_rewriter of an encoder. `place` is where the piece
 * starts in the text of the segment: a prefix is only for a piece before e->begins. Returns false if there is no room for all of it. */
WWHO_LOCAL bool rewrite_piece(void *encoder, const wwho_rewrites *list, uint32_t depth, size_t place, const uint8_t *text, size_t at,
                              size_t end, wwho_view *out);

/* Write the tokens of text[at..end) of the encoder's text, which has no added tokens: cut it into segments by the router, and each into
 * pretokens on the path of its route. With WWHO_ONE_PIECE, the whole text is one pretoken of route 0. Stops soon after more than e->limit
 * tokens, or when e->stuck is set. */
WWHO_LOCAL void encode_ordinary(wwho_encoder *e, size_t at, size_t end);

/* Store the n tokens of a pretoken in the cache, under its key. Nothing is stored if the key has no set, n is 0 or more than a line holds,
 * or a token has no id of its own: the cache holds ids, and token_of() must map each back to its token. If all tokens have one, skipping
 * this check makes unseen text 1.04 times as fast. */
WWHO_LOCAL void keep_tokens(const wwho_key *key, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n);

/* Merge a run and write its tokens, except the last ones: these stay in e->merging->tokens. Returns their number, and in *at the place
 * where the text of the first of them starts (where the run starts, if ends are not wanted). If merging gave up, e->merging->at is before
 * run->end: then put_symbols() writes the rest. */
WWHO_LOCAL uint32_t merge_run(wwho_encoder *e, wwho_run *run, size_t *at);

/* Write the symbols of a run from e->merging->at to its end, unmerged. That is the part where merge() gave up: nothing, if all was merged.
 * Releases tokens that were held back first. */
WWHO_LOCAL void put_symbols(wwho_encoder *e, wwho_run *run);

/* Encode the pretoken from `at` to `end` with a model of the kind GREEDY: the longest token first (greedy.c). The tokens are stored in the
 * cache under `key` if they are few. */
WWHO_LOCAL void encode_greedy(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                              size_t end);

/* Encode the pretoken from `at` to `end` with a model of the kind VITERBI: the best sum of scores (viterbi.c). The tokens are stored in
 * the cache under `key` if they are few and all known. */
WWHO_LOCAL void encode_viterbi(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

/* Encode the pretoken from `at` to `end` of the encoder's text with BPE over bytes. If its route has a step BLOCKS, the text is first
 * written as block symbols into e->work, and the tokens get their places in the text before. Sets e->stuck to PIECE_STUCK and writes
 * nothing if e->work is too small for that. `route` is null for a speller. The tokens are stored in the cache under `key`. */
WWHO_LOCAL void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end);

/* Encode the pretoken from `at` to `end` of the encoder's text with BPE over the symbols that the route's automaton `units` finds, word by
 * word, or the one token that equals the pretoken and that no merge makes. Sets e->unk_end anew: unknown symbols of two pretokens do not
 * fuse. With superwords, its tokens go to the phrase and are written later. Stores the tokens in the cache under `key` if they are few.
 * Stops early when more than e->limit tokens are written. */
WWHO_LOCAL void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

#endif
