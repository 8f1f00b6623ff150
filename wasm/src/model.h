/* A tokenizer as it is opened: the stages that cut text, and the models that turn what they cut into tokens. */
#ifndef WWHO_MODEL_H
#define WWHO_MODEL_H

#include "automaton.h"
#include "file.h"
#include "normalize.h"
#include "vocabulary.h"

#define WWHO_MAX_ROUTES 1023u

/* A pretokenizer: an automaton, and what becomes of what each of its rules matches (stages.h). */
typedef struct {
    const wwho_automaton *automaton;
    const uint8_t *actions;
    uint8_t most; /* the highest action of a rule; beyond all if the automaton looks behind */
} wwho_stage;

/* What becomes of a segment that the router gives this route: its stages cut it into pieces, or it is one piece; the model turns each
 * piece into tokens, a model over units by the units that an automaton finds in it. */
typedef struct {
    const uint8_t *name;
    uint8_t name_length;
    uint8_t model;
    uint8_t n_stages;
    const uint8_t *stages;         /* their numbers, of two bytes each */
    bool keeps_all;                /* there is one stage alone, and it does */
    bool tells;                    /* there is, it does not, and the first character of a match tells whether it is kept */
    const wwho_automaton *scanner; /* the automaton of the one stage, if there is one alone and it joins no matches; else null */
    const uint8_t *actions;        /* of its rules */
    const wwho_automaton *units;   /* cuts pieces into units; null: the model takes bytes */
} wwho_route;

typedef struct wwho_encoder wwho_encoder; /* encode.h */
typedef struct wwho_key wwho_key;         /* cache.h */

/* A kind of model, behind the head that all share (models.h): `p` and `c` are behind it. */
struct wwho_kind {
    /* Check the kind's own head, and take the memory that all heads ask for. */
    int (*check)(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);
    /* Check the rest but for the ids, and build the tables. */
    int (*build)(wwho_vocabulary *v, number_columns *c);
    /* Put the tokens of the piece from `at` to `end`; the cache may come to know them by this key. Called where it does not. */
    void (*encode)(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end);
    /* The token with this text, of n bytes, or WWHO_NONE. */
    uint32_t (*find)(const wwho_vocabulary *v, const uint8_t *text, size_t n);
};

/* How the texts of tokens join (after.c). */
typedef struct {
    const uint8_t *prefix, *steps, *surfaces, *texts; /* of the section: surfaces are an id and where its text ends in `texts` */
    uint32_t n_prefix, n_steps, n_surfaces;
    uint32_t progress;           /* 0: without a gap, there are no steps; 1: by steps, in parts; 2: by steps, of the whole list */
    bool holds;                  /* the last token of a part has to wait */
    const wwho_rewriting *pairs; /* the symbols that a step joins; null: there is no such step */
} wwho_decoder;

/* The first bytes of added tokens: bit 0 of those in a text as it is, bit 1 of those in a normalized one. */
typedef struct {
    uint8_t any, bytes[256];
} wwho_firsts;

#ifdef __wasm__
/* What skips most text without an added token: all have one of these bytes, but NUL, at one of their first 8 places, unless the last
 * byte says that they do not. */
typedef struct {
    uint8_t bytes[5];
} wwho_starts;
#else
/* What skips most text without an added token: one has one of a few bytes at one of its first places, the rarest of those 8. */
typedef struct {
    bool few; /* four bytes do */
    uint8_t bytes[4];
    uint8_t offsets;     /* bit k: some have theirs at place k */
    uint32_t least;      /* bytes that all have, at most 4 */
    uint8_t lengths;     /* bit n - 1: some have n bytes; bit 7: or more */
    uint64_t first[64];  /* hashes of so many first bytes */
    uint64_t more[1024]; /* of the first 8, or of all */
} wwho_starts;
#endif

struct wwho_model {
    wwho_file file;
    wwho_classes classes;
    uint32_t n_automata, n_stages, n_routes, n_models;
    wwho_automaton *automata;
    wwho_stage *stages;
    uint32_t router_number;       /* WWHO_NONE: there is no router */
    const wwho_automaton *router; /* null: everything is route 0 */
    wwho_route *routes;
    wwho_vocabulary models[WWHO_MAX_MODELS];
    wwho_vocabulary added; /* added tokens by number, nothing merges */
    uint32_t *added_ids;   /* of their numbers, ascending; several may have the same */
    const uint8_t *added_flags;
    wwho_starts starts;    /* of these */
    wwho_firsts firsts[3]; /* of none; of those that need no leave; of all that are found in texts */
#ifndef __wasm__
    uint32_t space; /* the class of what steps make of a space; WWHO_NONE: words of their texts are not kept (words.h) */
    bool ahead;     /* .. where steps know what follows the space */
    bool simple;    /* steps make one letter of a letter before a space */
#endif
    wwho_normalizer normalizer; /* without steps: texts are taken as they are */
    wwho_decoder decoder;
    const uint8_t *property;   /* of a class, for what stands beside an added token; null: nobody asks */
    uint32_t n_vocab, longest; /* ids are below it; the longest token in bytes */
};

/* Move the cursor behind the segment that starts there; its route goes to *route. */
static WARM void next_segment(const wwho_model *model, wwho_cursor *c, uint32_t *route) {
    *route = 0;
    if (model->router)
        scan_piece(&model->classes, model->router, c, route);
    else
        c->at = c->end;
}

#endif
