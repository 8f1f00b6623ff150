/* See stages.h. */
#include "stages.h"

enum { STAGE_HEAD = 4 };

WWHO_LOCAL int plan_stages(wwho_model *model, wwho_arena *arena) {
    wwho_section s = model->file.section[WWHO_SECTION_STAGES];
    uint32_t n = s.length < 2 ? WWHO_NONE : read16(s.at);
    if (n > 255 || n > s.length / STAGE_HEAD) return WWHO_STAGES;
    model->n_stages = n;
    model->stages = take(arena, n * sizeof *model->stages);
    return WWHO_OK;
}

WWHO_LOCAL int build_stages(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_STAGES];
    uint32_t at = 2;
    for (uint32_t i = 0; i < model->n_stages; i++) {
        const uint8_t *p = s.at + at;
        if (s.length - at < STAGE_HEAD || p[0] || p[1] || read16(p + 2) >= model->n_automata) return WWHO_STAGES;
        const wwho_automaton *automaton = &model->automata[read16(p + 2)];
        uint32_t n_rules = automaton->stored.n_rules, size = (STAGE_HEAD + n_rules + 1) & ~1u;
        if (s.length - at < size || (n_rules & 1 && p[STAGE_HEAD + n_rules])) return WWHO_STAGES;
        wwho_stage stage = {automaton, p + STAGE_HEAD, automaton->stored.flags ? 255 : 0};
        for (uint32_t rule = 0; rule < n_rules; rule++) {
            if (stage.actions[rule] % ACTION_BACK >= N_ACTIONS) return WWHO_STAGES;
            if (stage.actions[rule] > stage.most) stage.most = stage.actions[rule];
        }
        model->stages[i] = stage;
        at += size;
    }
    return at == s.length ? WWHO_OK : WWHO_STAGES;
}

static const wwho_stage *stage_at(const wwho_walk *walk) { return &walk->model->stages[read16(walk->route->stages + 2 * walk->level)]; }

/* Scan the next match. */
static void next_match(wwho_walk *walk) {
    uint32_t k = walk->level;
    wwho_cursor *c = &walk->cursor[k];
    walk->start[k] = c->at;
    walk->rule[k] = WWHO_NONE;
    if (c->at >= c->end) return;
    const wwho_stage *stage = stage_at(walk);
    const wwho_classes *classes = &walk->model->classes;
    scan(classes, stage->automaton, c, &walk->rule[k]);
    uint32_t back = stage->actions[walk->rule[k]] / ACTION_BACK;
    for (uint32_t class, width; back--; c->at -= width) {
        width = class_before(classes, c->text, c->from, c->at, &class);
        if (c->at - width <= walk->start[k]) break;
        c->class = class;
        c->width = width;
    }
}

static void enter(wwho_walk *walk, const wwho_cursor *c, size_t at, size_t end) {
    walk->cursor[walk->level] = start_within(&walk->model->classes, c, at, end);
    next_match(walk);
}

WWHO_LOCAL void start_walk(wwho_walk *walk, const wwho_model *model, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end) {
    walk->model = model;
    walk->route = route;
    walk->level = 0;
    enter(walk, c, at, end);
}

/* Whether the matches of two rules, the second directly after the first, are one pretoken. */
static bool joins(const uint8_t *actions, uint32_t rule, uint32_t next) {
    uint8_t a = actions[rule] % ACTION_BACK, b = actions[next] % ACTION_BACK;
    if (a == ACTION_DROP || b == ACTION_DROP) return false;
    return (b == ACTION_BEFORE && a != ACTION_BEFORE) || (a == ACTION_BEHIND && b != ACTION_BEHIND) ||
           (b >= ACTION_GROUP && rule == next) || (b == ACTION_FOLLOW && rule + 1 == next);
}

/* Find the next piece of the current stage. */
static bool cut(wwho_walk *walk, size_t *at, size_t *end) {
    const uint8_t *actions = stage_at(walk)->actions;
    uint32_t k = walk->level, rule;
    while (walk->rule[k] != WWHO_NONE && actions[walk->rule[k]] % ACTION_BACK == ACTION_DROP) next_match(walk);
    if (walk->rule[k] == WWHO_NONE) return false;
    *at = walk->start[k];
    do {
        rule = walk->rule[k];
        *end = walk->cursor[k].at;
        next_match(walk);
    } while (walk->rule[k] != WWHO_NONE && joins(actions, rule, walk->rule[k]));
    return true;
}

WWHO_LOCAL bool next_piece(wwho_walk *walk, size_t *at, size_t *end) {
    for (;;) {
        if (!cut(walk, at, end)) {
            if (!walk->level) return false;
            walk->level--;
        } else {
            if (walk->level + 1u == walk->route->n_stages) return true;
            walk->level++;
            enter(walk, &walk->cursor[walk->level - 1], *at, *end);
        }
    }
}
