/* Pretokenizers, one after another: each cuts the pieces that the one before leaves; the last leaves pretokens (FORMAT.md, STAGES). */
#ifndef WWHO_STAGES_H
#define WWHO_STAGES_H

#include "model.h"

#define WWHO_MAX_STAGES 8u /* of a route */

/* What happens to a match. Multiples of ACTION_BACK are added: by how many characters the match ends before the mark. */
enum { ACTION_KEEP, ACTION_DROP, ACTION_BEFORE, ACTION_BEHIND, ACTION_GROUP, ACTION_FOLLOW, N_ACTIONS, ACTION_BACK = 8 };

/* A segment that is being cut, with the state of each stage. */
typedef struct {
    const wwho_model *model;
    const wwho_route *route;
    uint32_t level;                      /* the current stage */
    wwho_cursor cursor[WWHO_MAX_STAGES]; /* the end of the last match that was scanned */
    size_t start[WWHO_MAX_STAGES];       /* its start */
    uint32_t rule[WWHO_MAX_STAGES];      /* its rule; WWHO_NONE: there are no more matches */
} wwho_walk;

/* Take memory for the STAGES section; check it after the automata. WWHO_STAGES. */
WWHO_LOCAL int plan_stages(wwho_model *model, wwho_arena *arena);
WWHO_LOCAL int build_stages(wwho_model *model);

/* Begin with the segment of a route from `at` to `end`; `c` is a cursor over the whole text. */
WWHO_LOCAL void start_walk(wwho_walk *walk, const wwho_model *model, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end);

/* The next pretoken goes to *at and *end; false if there is none. */
WWHO_LOCAL bool next_piece(wwho_walk *walk, size_t *at, size_t *end);

#endif
