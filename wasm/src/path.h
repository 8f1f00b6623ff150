/* Fast path or plain walk: which way the segments of a route take. This is decided once, when a model is opened.
 *
 * PATH_WHOLE:  the route has no cut. A segment is one pretoken.
 * PATH_STREAM: the route has one cut, which keeps or drops each match by itself. The streaming automaton (stream.h) cuts many pretokens at
 *              once.
 * PATH_CUTS:   the route begins with cuts, and nothing cuts after a step that rewrites. The walk over cuts (cut.h) finds the pretokens.
 * PATH_WALK:   anything else: the plain walk over all steps. It caches nothing.
 *
 * On the first three paths, a pretoken is known by its text before anything rewrites it, so the cache holds its tokens. */
#ifndef WWHO_PATH_H
#define WWHO_PATH_H

#include "cut.h"

/* Choose the path of a route whose stations are known, the fastest that is exact, and fill in what it needs: route->path, rewrites,
 * scanner, actions and drops. Needs the tables of the automata. */
WWHO_LOCAL void choose_path(const wwho_model *model, wwho_route *route);

#endif
