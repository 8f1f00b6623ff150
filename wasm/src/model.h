/* An opened tokenizer: the steps that rewrite and cut text, the router and its routes, and the models that encode pretokens. */
#ifndef WWHO_MODEL_H
#define WWHO_MODEL_H

#include "automaton.h"
#include "file.h"
#include "rewriting.h"
#include "vocabulary.h"

#define WWHO_MAX_ROUTES 1023u

enum { MAX_LISTS = WWHO_MAX_STEPS / 2 }; /* lists of steps that rewrite, of a route: cuts stand between them */

/* A cut of a route, or the steps that rewrite between two cuts. */
typedef struct {
    const wwho_step *cut;          /* null: `rewrites` */
    const wwho_rewrites *rewrites; /* null: `cut` */
} wwho_station;

/* Which way the segments of a route take: path.h. */
enum { PATH_WHOLE, PATH_STREAM, PATH_CUTS, PATH_WALK };

/* How to encode a segment with this route: its steps cut the segment into pretokens and rewrite them (without steps, it is one pretoken),
 * and the model encodes each pretoken. A model over units takes the symbols that an automaton finds in the pretoken. */
typedef struct {
    const uint8_t *name;
    uint8_t name_length;
    uint8_t model;
    uint8_t n_steps;
    const uint8_t *steps; /* their numbers, of two bytes each */
    uint8_t path;
    uint8_t n_cuts, n_stations;    /* n_cuts: the stations from the first on that are cuts */
    const wwho_station *stations;  /* all steps but `blocks` */
    const wwho_rewrites *rewrites; /* what rewrites a pretoken after all cuts; null: nothing */
    const wwho_step *blocks;       /* how to write pretokens for a model over bytes; null: as they are */
    bool drops;                    /* PATH_STREAM: the cut drops some matches; the first character of a match decides which */
    const wwho_automaton *scanner; /* the automaton of the cut, if there is only one and it joins no matches; else null */
    const uint8_t *actions;        /* of its rules */
    const wwho_automaton *units;   /* cuts pretokens into symbols; null: the model takes bytes */
    bool characters;               /* each match of `units` is one character */
} wwho_route;

typedef struct wwho_encoder wwho_encoder; /* encoder.h */
typedef struct wwho_key wwho_key;         /* cache.h */

/* A kind of model. `p` and `c` stand after the head that all kinds share (models.h). */
struct wwho_kind {
    /* Check the head of this kind, and take the memory that both heads ask for. */
    int (*check)(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);
    /* Check everything else except the ids, and build the tables. */
    int (*build)(wwho_vocabulary *v, number_columns *c);
    /* Put the tokens of the pretoken from `at` to `end`, which is not in the cache; they may be added there under this key. */
    void (*encode)(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end);
    /* The token with this text of n bytes, or WWHO_NONE. */
    uint32_t (*find)(const wwho_vocabulary *v, const uint8_t *text, size_t n);
};

/* How the texts of tokens are joined (after.c). */
typedef struct {
    const uint8_t *prefix, *steps, *surfaces, *texts; /* in the section: a surface is an id and where its text ends in `texts` */
    uint32_t n_prefix, n_steps, n_surfaces;
    uint32_t progress;       /* 0: no steps, texts are concatenated; 1: steps that work in parts; 2: steps that need the whole list */
    bool holds;              /* the last token of a part must wait for the next part */
    const wwho_step *blocks; /* the symbols that a step joins; null: there is no such step */
} wwho_decoder;

/* The first bytes of added tokens: bit 0 for tokens of the original text, bit 1 for tokens of normalized text. */
typedef struct {
    uint8_t any, bytes[256];
} wwho_firsts;

/* Skips most text without an added token: every added token has one of a few bytes at one of its first 8 places, the rarest of its bytes
 * there. */
typedef struct {
    bool few; /* four bytes are enough */
    uint8_t bytes[4];
    uint8_t offsets;     /* bit k: in some tokens, this byte is at place k */
    uint32_t least;      /* the length of the shortest token, at most 4 */
    uint8_t lengths;     /* bit n - 1: some tokens have n bytes; bit 7: 8 or more */
    uint64_t first[64];  /* hashes of the first `least` bytes */
    uint64_t more[1024]; /* hashes of the first 8 bytes, or of all if there are fewer */
} wwho_starts;

struct wwho_model {
    wwho_file file;
    wwho_classes classes;
    uint32_t n_automata, n_steps, n_routes, n_models;
    wwho_automaton *automata;
    const wwho_step *steps;
    wwho_station *stations;   /* of all routes */
    wwho_rewrites *lists;     /* of all routes */
    const wwho_step **listed; /* the steps of these lists */
    uint32_t n_stations, n_all_lists, n_listed;
    uint32_t n_named;               /* steps that routes and the normalizer have named so far */
    uint32_t n_normalizer, n_lists; /* steps of the normalizer; the most lists that rewrite in a route */
    bool writes;                    /* a route rewrites, or writes pretokens as symbols: this takes room in the scratch area */
    uint32_t router_number;         /* WWHO_NONE: there is no router */
    const wwho_automaton *router;   /* null: everything is route 0 */
    wwho_route *routes;
    wwho_vocabulary models[WWHO_MAX_MODELS];
    wwho_vocabulary added; /* added tokens by number; nothing merges */
    uint32_t *added_ids;   /* by number, ascending; several may have the same id */
    const uint8_t *added_flags;
    wwho_starts starts;          /* of all added tokens */
    wwho_firsts firsts[3];       /* for no added tokens; for those that are not special; for all but the hidden ones */
    wwho_rewrites normalizer[2]; /* the first steps, and the second ones */
    wwho_decoder decoder;
    const uint8_t *property;   /* of each class, for the text next to an added token; null if no token needs them */
    uint32_t n_vocab, longest; /* all ids are below n_vocab; longest: of all tokens, in bytes */
};

/* Move the cursor past the segment that starts there, as the router cuts it; without a router, to the end. Its route goes to *route. */
static HOT void next_segment(const wwho_model *model, wwho_cursor *c, uint32_t *route) {
    *route = 0;
    if (model->router)
        scan_piece(&model->classes, model->router, c, route);
    else
        c->at = c->end;
}

#endif
