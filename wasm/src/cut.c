/* See cut.h. */
#include "cut.h"

enum { GROUP_FIRST = 1, GROUP_SHORT = 2, GROUP_LAST = 4, IS_GROUP = 8 };

/* Return the station (a cut, or a list of steps) that a walk is at. */
static const wwho_station *station_at(const wwho_walk *walk) { return &walk->route->stations[walk->level]; }

/* Return how many characters text[at..end) has; each byte of broken UTF-8 counts as one. */
static size_t count_characters(const uint8_t *text, size_t at, size_t end) {
    size_t n = 0;
    for (uint32_t code_point; at < end; n++) at += next_character(text + at, end - at, &code_point);
    return n;
}

/* Move the cursor of a cut to the end of the next group of `size` characters of a match of COUNT. The group starts at cut->match.start,
 * wherever the cursor is, and the match ends at cut->counted, after at least one more character; each byte of broken UTF-8 counts as one.
 * The first group takes the remainder, 1 to `size` characters, so that all others are full. Sets cut->match.group to IS_GROUP, with
 * GROUP_FIRST, GROUP_SHORT (fewer than `size`) and GROUP_LAST (it ends the match) where these hold. */
static void next_group(wwho_cutting *cut, const wwho_classes *classes, uint32_t size, bool first) {
    wwho_cursor *c = &cut->cursor;
    size_t at = cut->match.start, n = first ? (count_characters(c->text, at, cut->counted) - 1) % size + 1 : size;
    cut->match.group = (uint8_t)(IS_GROUP | (first ? GROUP_FIRST : 0) | (n < size ? GROUP_SHORT : 0));
    for (uint32_t code_point; n; n--) at += next_character(c->text + at, cut->counted - at, &code_point);
    if (at == cut->counted) cut->match.group |= GROUP_LAST;
    size_t from = c->from;
    *c = start_within(classes, c, at, c->end);
    c->from = from;
}

/* Scan the next match of the current station's cut, or take the next group of a match of COUNT, into cut->match; its rule is WWHO_NONE
 * after the last. Moves the cursor to its end, which is before the scanned end for actions that give characters back. */
static void next_match(wwho_walk *walk) {
    wwho_cutting *cut = &walk->cuts[walk->level];
    wwho_cursor *c = &cut->cursor;
    const wwho_step *step = station_at(walk)->cut;
    const wwho_classes *classes = &walk->model->classes;
    bool counting = cut->match.group && !(cut->match.group & GROUP_LAST);
    cut->match.start = c->at;
    if (counting) {
        next_group(cut, classes, step->actions[cut->match.rule] / ACTION_BACK, false);
        return;
    }
    cut->match.group = 0;
    cut->match.rule = WWHO_NONE;
    if (c->at >= c->end) return;
    scan(classes, step->automaton, c, &cut->match.rule);
    uint8_t action = step->actions[cut->match.rule];
    if (action % ACTION_BACK == ACTION_COUNT) {
        cut->counted = c->at;
        next_group(cut, classes, action / ACTION_BACK, true);
        return;
    }
    for (uint32_t back = action / ACTION_BACK, class, width; back--; c->at -= width) {
        width = class_before(classes, c->text, c->from, c->at, &class);
        if (c->at - width <= cut->match.start) break;
        c->class = class;
        c->width = width;
    }
}

/* Return true if two matches of a cut, the second directly after the first, are one piece, by the actions of their rules (FORMAT.md, STEPS)
 * and, for groups of COUNT, by the flags of the step. A dropped match joins nothing. */
static bool joins(const wwho_step *step, const wwho_match *first, const wwho_match *second) {
    uint8_t a = step->actions[first->rule] % ACTION_BACK, b = step->actions[second->rule] % ACTION_BACK;
    if (a == ACTION_DROP || b == ACTION_DROP) return false;
    if (second->group) {
        if (!(second->group & GROUP_FIRST)) return false;
        return step->flags & CUT_FIRST_JOINS || (step->flags & CUT_SHORT_JOINS && second->group & GROUP_SHORT) ||
               (a == ACTION_BEHIND && b != ACTION_BEHIND);
    }
    if (first->group && step->flags & CUT_LAST_JOINS) return true;
    return (b == ACTION_BEFORE && a != ACTION_BEFORE) || (a == ACTION_BEHIND && b != ACTION_BEHIND) ||
           ((b == ACTION_GROUP || b == ACTION_FOLLOW) && first->rule == second->rule) ||
           (b == ACTION_FOLLOW && first->rule + 1 == second->rule);
}

/* Find the next piece of the current station's cut, from *at to *end, places in its text; dropped matches are skipped, matches that join
 * are one piece. Returns false if there is none. */
static bool cut_piece(wwho_walk *walk, size_t *at, size_t *end) {
    wwho_cutting *cut = &walk->cuts[walk->level];
    const wwho_step *step = station_at(walk)->cut;
    while (cut->match.rule != WWHO_NONE && step->actions[cut->match.rule] % ACTION_BACK == ACTION_DROP) next_match(walk);
    if (cut->match.rule == WWHO_NONE) return false;
    wwho_match last;
    *at = cut->match.start;
    do {
        last = cut->match;
        *end = cut->cursor.at;
        next_match(walk);
    } while (cut->match.rule != WWHO_NONE && joins(step, &last, &cut->match));
    return true;
}

/* Go to the station at walk->level with the piece from `at` to `end` of the current view. A cut scans its first match. A list of steps
 * rewrites the piece, and the result becomes the current view; returns false, and sets walk->stuck, if there was no room for it. `c` is a
 * cursor over the same text, or null. */
static bool enter(wwho_walk *walk, const wwho_cursor *c, size_t at, size_t end) {
    const wwho_classes *classes = &walk->model->classes;
    const wwho_view *view = &walk->views[walk->depth];
    const wwho_station *station = station_at(walk);
    wwho_cutting *cut = &walk->cuts[walk->level];
    cut->match.group = 0;
    if (station->cut) {
        cut->cursor = c ? start_within(classes, c, at, end) : start_at(classes, view->text, at, end);
        next_match(walk);
        return true;
    }
    size_t place = at;
    for (uint32_t k = walk->depth; k; k--) place = walk->views[k].sources[place];
    walk->stuck = !walk->rewrite(walk->context, station->rewrites, walk->depth, place, view->text, at, end, &walk->views[walk->depth + 1]);
    if (walk->stuck) return false;
    walk->depth++;
    cut->match.rule = view[1].n ? 0 : WWHO_NONE;
    return true;
}

/* Take the next piece that the current station has left, from *at to *end, places in the text of the current view. Returns false if there
 * is none; a list of steps then gives way to the view before. */
static bool take_piece(wwho_walk *walk, size_t *at, size_t *end) {
    wwho_match *match = &walk->cuts[walk->level].match;
    if (station_at(walk)->cut) return cut_piece(walk, at, end);
    bool left = match->rule != WWHO_NONE; /* a list of steps leaves one piece */
    match->rule = WWHO_NONE;
    *at = 0;
    *end = walk->views[walk->depth].n;
    if (!left) walk->depth--;
    return left;
}

/* Begin a walk over the segment from `at` to `end`, of a route; `c` is a cursor over the whole text. The walk visits all stations of the
 * route, rewriting pieces by `rewrite` with its context, or, if that is null, the leading cuts alone. The walk keeps pointers to model,
 * route and text. The route must have a station to visit. */
WWHO_LOCAL void start_walk(wwho_walk *walk, const wwho_model *model, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end,
                           wwho_rewriter *rewrite, void *context) {
    walk->model = model;
    walk->route = route;
    walk->level = walk->depth = 0;
    walk->n_levels = rewrite ? route->n_stations : route->n_cuts;
    walk->views[0] = (wwho_view){.text = c->text};
    walk->rewrite = rewrite;
    walk->context = context;
    walk->stuck = false;
    enter(walk, c, at, end);
}

/* Find the next piece that has passed all stations of a walk, from *at to *end, places in the text of the current view
 * (walk->views[walk->depth]). Returns false if there is none, or if a piece could not be rewritten (walk->stuck). */
WWHO_LOCAL bool next_piece(wwho_walk *walk, size_t *at, size_t *end) {
    while (!walk->stuck) {
        if (!take_piece(walk, at, end)) {
            if (!walk->level) return false;
            walk->level--;
        } else {
            if (walk->level + 1u == walk->n_levels) return true;
            const wwho_cursor *c = station_at(walk)->cut ? &walk->cuts[walk->level].cursor : 0;
            walk->level++;
            enter(walk, c, *at, *end);
        }
    }
    return false;
}
