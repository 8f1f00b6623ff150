/* The plain walk over the pieces of a segment: the steps of its route, one after another, each in the pieces of the one before (FORMAT.md,
 * Encoding). path.h says which routes need it. */
#ifndef WWHO_CUT_H
#define WWHO_CUT_H

#include "model.h"

/* What happens to a match. Multiples of ACTION_BACK are added: for COUNT, how many characters a group has, and for all others, by how many
 * characters the match ends before the mark. */
enum { ACTION_KEEP, ACTION_DROP, ACTION_BEFORE, ACTION_BEHIND, ACTION_GROUP, ACTION_FOLLOW, ACTION_COUNT, N_ACTIONS, ACTION_BACK = 8 };

/* Flags of a cut, for the groups of COUNT. */
enum { CUT_SHORT_JOINS = 1, CUT_FIRST_JOINS = 2, CUT_LAST_JOINS = 4, CUT_FLAGS = 7 };

/* A match of a cut, or a group of a match of COUNT. */
typedef struct {
    size_t start;
    uint32_t rule; /* WWHO_NONE: there are no more matches */
    uint8_t group; /* GROUP_ flags; 0: it is no group */
} wwho_match;

/* The cut of a station at work: the match that was scanned last, and where it ends. */
typedef struct {
    wwho_match match;
    wwho_cursor cursor;
    size_t counted; /* the end of the match of COUNT whose groups are given; 0 for none */
} wwho_cutting;

/* Rewrite text[at..end) by a list of steps, as a text of its own. Returns false if there was not enough room; else the result goes to
 * *out. `depth` counts the lists that rewrote it before, and `place` is where its first character stands in the text of the segment. */
typedef struct wwho_view wwho_view;
typedef bool wwho_rewriter(void *context, const wwho_rewrites *list, uint32_t depth, size_t place, const uint8_t *text, size_t at,
                           size_t end, wwho_view *out);

/* A text that steps have rewritten. For each byte: its source in the text before, and where the steps can begin anew there (its origin,
 * normalize.h). Without steps it is the text before, and `sources` and `origins` are null. */
struct wwho_view {
    const uint8_t *text;
    const uint32_t *sources, *origins;
    size_t n;
};

/* A segment on its way through the stations of a route. */
typedef struct {
    const wwho_model *model;
    const wwho_route *route;
    uint32_t level, n_levels;          /* the current station, and how many are walked */
    uint32_t depth;                    /* how many lists have rewritten the current piece */
    wwho_cutting cuts[WWHO_MAX_STEPS]; /* of each station */
    wwho_view views[MAX_LISTS + 1];    /* the text of the segment, and that of the current piece after each list of steps */
    wwho_rewriter *rewrite;            /* with its context; null: only the leading cuts are walked */
    void *context;
    bool stuck; /* a piece could not be rewritten, for want of room: the walk has ended */
} wwho_walk;

/* Begin a walk over the segment from `at` to `end`, of a route; `c` is a cursor over the whole text. The walk visits all stations of the
 * route, rewriting pieces by `rewrite` with its context, or, if that is null, the leading cuts alone. The walk keeps pointers to model,
 * route and text. The route must have a station to visit. */
WWHO_LOCAL void start_walk(wwho_walk *walk, const wwho_model *model, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end,
                           wwho_rewriter *rewrite, void *context);

/* Find the next piece that has passed all stations of a walk, from *at to *end, places in the text of the current view
 * (walk->views[walk->depth]). Returns false if there is none, or if a piece could not be rewritten (walk->stuck). */
WWHO_LOCAL bool next_piece(wwho_walk *walk, size_t *at, size_t *end);

#endif
