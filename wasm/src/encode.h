/* Text -> tokens: what the stages of encoding share (FORMAT.md, section 10). */
#ifndef WWHO_ENCODE_H
#define WWHO_ENCODE_H

#include "merge.h"
#include "model.h"

#define PHRASE_TOKENS 64u /* the most that a phrase has: FORMAT.md, section 10.5 */

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

typedef struct wwho_block wwho_block;

/* Where tokens go, and what they need on the way. */
struct wwho_encoder {
    const wwho_model *model;
    const uint8_t *text;
    size_t len;   /* of all that may be read: what is encoded may be one text of several */
    size_t start; /* of that one */
    uint32_t flags;
    uint32_t *ids, *ends;
    size_t quick;         /* = cap where ids alone are wanted, else 0: they may be copied some at a time */
    size_t cap, n, limit; /* tokens; the encoder stops soon after n > limit */
    /* scratch */
    uint64_t *cache;
    wwho_merging *merging;
    wwho_block *block;
    wwho_phrase phrase;
    wwho_held held;
};

static inline void put(wwho_encoder *e, uint32_t id, size_t end) {
    if (e->n < e->cap) {
        e->ids[e->n] = id;
        if (e->ends) e->ends[e->n] = (uint32_t)(end - e->start);
    }
    e->n++;
}

/* Tokens of a vocabulary, whose texts stand one after another from `at`. Gives where they end, if ends are wanted. */
static inline size_t put_all(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n, size_t at) {
    for (uint32_t i = 0; i < n; i++) {
        if (e->ends) at += token_length(v, tokens[i]);
        put(e, id_of(v, tokens[i]), at);
    }
    return at;
}

/* Special tokens that a call allows, and which bytes they start with. */
typedef struct {
    const uint8_t *allowed; /* null: none */
    bool starts[256];
} wwho_allowed;

WWHO_LOCAL void allow(wwho_allowed *specials, const wwho_vocabulary *v, const uint8_t *allowed);

/* The first allowed special token at or after *at, the longest where several start; *at moves there, or to the end (WWHO_NONE). */
WWHO_LOCAL uint32_t next_special(const wwho_encoder *e, size_t *at, size_t end, const wwho_allowed *specials);

/* BPE over bytes (`wwho_bytes_kind`), and over the units that a route's automaton finds (`wwho_units_kind`). */
WWHO_LOCAL void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end);
WWHO_LOCAL void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

#endif
