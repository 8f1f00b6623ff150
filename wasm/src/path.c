/* See path.h. */
#include "path.h"

/* Return true if the first character of a match decides whether a cut drops it: all rules that may match after it have the same action.
 * `n_classes` is the number of classes of the model. */
static bool drops_by_first(const wwho_step *cut, uint32_t n_classes) {
    const wwho_automaton *a = cut->automaton;
    for (uint32_t class = 0; class < n_classes; class++) {
        uint32_t row = a->table[WWHO_START * a->stride + class] & ENTRY_ROW, last = ENTRY_MARK(a->table[row + n_classes]);
        const uint64_t *marks = a->marks + (size_t)(row / a->stride) * a->mark_words;
        if (!last) return false;
        for (uint32_t mark = 1; mark <= a->stored.n_rules; mark++)
            if (marks[mark >> 6] >> (mark & 63) & 1 && cut->actions[mark - 1] != cut->actions[last - 1]) return false;
    }
    return true;
}

/* Return true if a list of steps puts a prefix only where the text begins: what it makes of a pretoken then depends on its place. */
static bool depends_on_place(const wwho_rewrites *list) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->steps[i]->kind == STEP_ENDS && list->steps[i]->flags & ENDS_FIRST) return true;
    return false;
}

/* Choose the path of a route whose stations are known, the fastest that is exact, and fill in what it needs: route->path, rewrites,
 * scanner, actions and drops. Needs the tables of the automata. */
WWHO_LOCAL void choose_path(const wwho_model *model, wwho_route *route) {
    uint32_t rest = route->n_stations - route->n_cuts;
    const wwho_rewrites *list = rest ? route->stations[route->n_cuts].rewrites : 0;
    route->path = PATH_WALK;
    if (rest > 1 || (rest && depends_on_place(list))) return;
    route->rewrites = list;
    route->path = route->n_cuts ? PATH_CUTS : PATH_WHOLE;
    const wwho_step *cut = route->n_cuts == 1 ? route->stations[0].cut : 0;
    if (!cut || cut->most > ACTION_DROP) return;
    route->scanner = cut->automaton;
    route->actions = cut->actions;
    route->drops = cut->most == ACTION_DROP;
    if (!route->drops || drops_by_first(cut, model->classes.n_classes)) route->path = PATH_STREAM;
}
