/* Pretokenizers, one after another, each within the pieces of the one before (FORMAT.md, STAGES). */
#ifndef WWHO_STAGES_H
#define WWHO_STAGES_H

#include "model.h"

#define WWHO_MAX_STAGES 8u /* of a route */

/* What becomes of what a rule matches; and from ACTION_BACK on, by how many characters the match ends before the mark. */
enum { ACTION_KEEP, ACTION_DROP, ACTION_BEFORE, ACTION_BEHIND, ACTION_GROUP, ACTION_FOLLOW, N_ACTIONS, ACTION_BACK = 8 };

/* A segment that is being cut: of each stage, where it stands in the piece that it cuts. */
typedef struct {
    const wwho_model *model;
    const wwho_route *route;
    uint32_t level;                      /* of the stage that is cutting */
    wwho_cursor cursor[WWHO_MAX_STAGES]; /* behind the match that is at hand */
    size_t start[WWHO_MAX_STAGES];       /* of it */
    uint32_t rule[WWHO_MAX_STAGES];      /* of it; WWHO_NONE: there is none */
} wwho_walk;

/* Check the STAGES section, whose automata are known, and its memory. WWHO_STAGES. */
WWHO_LOCAL int plan_stages(wwho_model *model, wwho_arena *arena);
WWHO_LOCAL int build_stages(wwho_model *model);

/* Begin with the segment of a route from `at` to `end`; `c` is a cursor over the whole text. */
WWHO_LOCAL void start_walk(wwho_walk *walk, const wwho_model *model, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end);

/* The next piece goes to *at and *end; false where there is none. */
WWHO_LOCAL bool next_piece(wwho_walk *walk, size_t *at, size_t *end);

#endif
