/* A tokenizer as it is opened: the stages that cut text, and the models that turn what they cut into tokens. */
#ifndef WWHO_MODEL_H
#define WWHO_MODEL_H

#include "automaton.h"
#include "vocabulary.h"

#define WWHO_MAX_ROUTES 62u
#define WWHO_MAX_MODELS 4u /* the cache has two bits for a model's number */

/* What becomes of a segment that the router gives this route: it is cut into pieces, or it is one piece; the model turns each
 * piece into tokens, a model over units by the units that an automaton finds in it. */
typedef struct {
    const uint8_t *name;
    uint8_t name_length;
    uint8_t model;
    const wwho_automaton *scanner; /* cuts segments into pieces; null: a segment is a piece */
    const wwho_automaton *units;   /* cuts pieces into units; null: the model takes bytes */
} wwho_route;

typedef struct wwho_encoder wwho_encoder; /* encode.h */
typedef struct wwho_key wwho_key;         /* cache.h */

/* A kind of model. The call through this table happens where the cache does not know a piece. */
struct wwho_kind {
    /* Put the tokens of the piece from `at` to `end`; the cache may come to know them by this key. */
    void (*encode)(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end);
};

struct wwho_model {
    wwho_info info;
    wwho_classes classes;
    uint32_t n_automata;
    const wwho_automaton *automata;
    const wwho_automaton *router; /* null: everything is route 0 */
    wwho_route routes[WWHO_MAX_ROUTES];
    uint32_t n_models;
    wwho_vocabulary models[WWHO_MAX_MODELS];
    wwho_vocabulary specials; /* special tokens by number, nothing merges */
    uint32_t *special_ids;    /* of their numbers, ascending; several may have the same */
};

/* Move the cursor behind the segment that starts there; its route goes to *route. */
static inline void next_segment(const wwho_model *model, wwho_cursor *c, uint32_t *route) {
    *route = 0;
    if (model->router)
        scan_piece(&model->classes, model->router, c, route);
    else
        c->at = c->end;
}

#endif
