/* Opening an artifact: checks every rule of FORMAT.md before the model is used. First the heads of the sections say how much memory the
 * model takes (plan); then each section is checked and built once, in order. */
#include "added.h"
#include "after.h"
#include "automata.h"
#include "models.h"
#include "plain.h"
#include "stages.h"
#include "steps.h"

enum { MAX_CLASSES = 4096, MAX_PAGES = 2048, PAGES_AT = 4 + 2 * N_PAGES };

static int plan_classes(wwho_model *model, wwho_arena *arena) {
    wwho_section s = model->file.section[WWHO_SECTION_CLASSES];
    if (s.length < PAGES_AT) return WWHO_CLASSES;
    uint32_t n_classes = read16(s.at), n_pages = read16(s.at + 2);
    if (n_classes < 1 || n_classes > MAX_CLASSES || n_pages < 1 || n_pages > MAX_PAGES) return WWHO_CLASSES;
    if (s.length != PAGES_AT + (n_pages * 128 << (n_classes > 256))) return WWHO_CLASSES;
    model->classes =
        (wwho_classes){.page = (const uint16_t *)(const void *)(s.at + 4), .pages = take(arena, 2 * 128 * n_pages), .n_classes = n_classes};
    return WWHO_OK;
}

static bool all_differ(const uint8_t *pages, uint32_t n, uint32_t size) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (same_text(pages + i * size, pages + k * size, size)) return false;
    return true;
}

static int build_classes(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_CLASSES];
    wwho_classes *classes = &model->classes;
    uint32_t n_pages = read16(s.at + 2), seen = 0;
    uint16_t *pages = (uint16_t *)classes->pages;
    for (uint32_t i = 0; i < N_PAGES; i++) {
        if (classes->page[i] > seen || classes->page[i] >= n_pages) return WWHO_CLASSES;
        if (classes->page[i] == seen) seen++;
    }
    if (seen != n_pages) return WWHO_CLASSES;
    for (uint32_t i = 0; i < 128 * n_pages; i++) {
        pages[i] = classes->n_classes > 256 ? (uint16_t)read16(s.at + PAGES_AT + 2 * i) : s.at[PAGES_AT + i];
        if (pages[i] >= classes->n_classes) return WWHO_CLASSES;
    }
    classes->ascii = pages + 128u * classes->page[0];
    return all_differ((const uint8_t *)pages, n_pages, 256) ? WWHO_OK : WWHO_CLASSES;
}

static int build_automata(wwho_model *model) {
    int status = WWHO_OK;
    for (uint32_t i = 0; !status && i < model->n_automata; i++) status = build_automaton(&model->automata[i], &model->classes);
    return status;
}

static int plan_routes(wwho_model *model, wwho_arena *arena) {
    wwho_section s = model->file.section[WWHO_SECTION_ROUTES];
    uint32_t n = s.length < 4 ? 0 : read16(s.at + 2);
    if (n < 1 || n > WWHO_MAX_ROUTES || n > s.length / 4) return WWHO_ROUTES;
    model->n_routes = n;
    model->routes = take(arena, n * sizeof *model->routes);
    return WWHO_OK;
}

/* Whether the first character of a match decides whether the stage drops it. */
static bool tells_dropped(const wwho_stage *stage, uint32_t n_classes) {
    const wwho_automaton *a = stage->automaton;
    for (uint32_t class = 0; class < n_classes; class++) {
        uint32_t row = a->table[WWHO_START * a->stride + class] & ENTRY_ROW, last = ENTRY_MARK(a->table[row + n_classes]);
        const uint64_t *marks = a->marks + (size_t)(row / a->stride) * a->mark_words;
        if (!last) return false;
        for (uint32_t mark = 1; mark <= a->stored.n_rules; mark++)
            if (marks[mark >> 6] >> (mark & 63) & 1 && stage->actions[mark - 1] != stage->actions[last - 1]) return false;
    }
    return true;
}

/* Read the route at p, of at most `left` bytes; its size goes to *size. */
static int read_route(const wwho_model *model, const uint8_t *p, uint32_t left, wwho_route *r, uint32_t *size) {
    if (left < 4 || p[1] > WWHO_MAX_STAGES || left < 5u + 2 * p[1]) return WWHO_ROUTES;
    uint32_t units = read16(p + 2);
    *r = (wwho_route){.model = p[0], .n_stages = p[1], .stages = p + 4, .name_length = p[4 + 2 * p[1]], .name = p + 5 + 2 * p[1]};
    *size = 5 + 2 * r->n_stages + r->name_length;
    if (!r->name_length || left < *size || !well_formed(r->name, r->name_length) || r->model >= model->n_models) return WWHO_ROUTES;
    if ((units != 0xFFFF) != (model->models[r->model].symbols == SYMBOLS_UNITS)) return WWHO_ROUTES;
    if (units != 0xFFFF) {
        const wwho_vocabulary *v = &model->models[r->model];
        if (units >= model->n_automata || model->automata[units].stored.n_rules > 3 || model->automata[units].stored.flags)
            return WWHO_ROUTES;
        if ((r->n_stages || n_in_group(&model->normalizer, STEPS_WITHIN)) && v->n_plain < v->n_made) return WWHO_ROUTES;
        r->units = &model->automata[units];
    }
    for (uint32_t i = 0; i < r->n_stages; i++)
        if (read16(r->stages + 2 * i) >= model->n_stages) return WWHO_ROUTES;
    const wwho_stage *stage = r->n_stages == 1 ? &model->stages[read16(r->stages)] : 0;
    if (stage && stage->most <= ACTION_DROP) {
        r->scanner = stage->automaton;
        r->actions = stage->actions;
        r->keeps_all = !stage->most;
        r->tells = stage->most && tells_dropped(stage, model->classes.n_classes);
    }
    return WWHO_OK;
}

/* Whether routes of one model among which the following text decides have the same `units` (FORMAT.md, ROUTES). */
static bool cuts_agree(const wwho_model *model) {
    if (!model->router) return true;
    const wwho_stored *router = &model->router->stored;
    for (uint32_t state = WWHO_START; state < router->n_states; state++) {
        const wwho_automaton *units[WWHO_MAX_MODELS] = {0};
        for (uint32_t column = 0, mark; column < router->n_columns; column++) {
            stored_step(router, state, column, &mark);
            const wwho_route *r = mark ? &model->routes[mark - 1] : 0;
            if (!r || !r->units) continue;
            if (units[r->model] && units[r->model] != r->units) return false;
            units[r->model] = r->units;
        }
    }
    return true;
}

static int build_routes(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_ROUTES];
    uint32_t router = read16(s.at), at = 4;
    for (uint32_t i = 0, size; i < model->n_routes; i++, at += size) {
        int status = read_route(model, s.at + at, s.length - at, &model->routes[i], &size);
        if (status) return status;
    }
    if (at != s.length || (router != 0xFFFF && (router >= model->n_automata || model->automata[router].stored.flags))) return WWHO_ROUTES;
    model->router_number = router == 0xFFFF ? WWHO_NONE : router;
    model->router = router == 0xFFFF ? 0 : &model->automata[router];
    if (model->n_routes != (model->router ? model->router->stored.n_rules : 1)) return WWHO_ROUTES;
    return cuts_agree(model) ? WWHO_OK : WWHO_ROUTES;
}

/* Read the heads of the sections: how many things there are, and memory for them. */
static int plan(wwho_model *model, wwho_arena *arena) {
    const wwho_section *sections = model->file.section;
    int status = plan_classes(model, arena);
    if (!status)
        status = plan_automata(sections[WWHO_SECTION_AUTOMATA], model->classes.n_classes, arena, &model->automata, &model->n_automata);
    if (!status) status = plan_stages(model, arena);
    if (!status) status = plan_routes(model, arena);
    if (!status) status = plan_models(model, arena);
    if (!status) status = plan_added(&model->file, model, arena);
    wwho_section steps = sections[WWHO_SECTION_NORMALIZER];
    if (!status && steps.at) status = build_normalizer(steps, arena, model->automata, model->n_automata, &model->normalizer);
    return status || arena->used <= WWHO_MAX_LENGTH ? status : WWHO_MODEL;
}

int wwho_workspace_size(const uint8_t *blob, size_t len, size_t *size) {
    if (!blob || !size || (uintptr_t)blob % 4) return WWHO_ARGUMENT;
    wwho_model model;
    wwho_arena arena = {0, 0, 0};
    fill_bytes(&model, 0, sizeof model);
    take(&arena, sizeof model);
    int status = read_file(blob, len, &model.file);
    if (status) return status;
    status = plan(&model, &arena);
    if (status) return check_sum(blob, len, status);
    *size = (size_t)arena.used;
    return WWHO_OK;
}

/* Fill in the numbers that depend on everything else. */
static void finish(wwho_model *model) {
    uint32_t n = model->added.n_tokens;
    model->n_vocab = n ? model->added_ids[n - 1] + 1 : 0;
    model->longest = model->added.longest;
    for (uint32_t i = 0; i < model->n_models; i++) {
        wwho_vocabulary *v = &model->models[i];
        v->own_ids = true;
        for (uint32_t token = 0; v->ids && token < v->n_tokens; token++) v->own_ids &= token_of(v, v->ids[token]) == token;
        if (v->first_id + v->n_ids > model->n_vocab) model->n_vocab = v->first_id + v->n_ids;
        if (v->longest > model->longest) model->longest = v->longest;
    }
}

int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **result) {
    if (!blob || !work || !result || (uintptr_t)blob % 4 || (uintptr_t)work % 16) return WWHO_ARGUMENT;
    static int (*const build[])(wwho_model *) = {build_classes, build_automata, build_stages,   build_routes, build_models,
                                                 build_added,   number_models,  build_template, build_decoder};
    wwho_file file;
    wwho_arena arena = {work, work_len, 0};
    int status = read_file(blob, len, &file);
    if (!status) status = check_sum(blob, len, WWHO_OK);
    if (status) return status;
    wwho_model *model = take(&arena, sizeof *model);
    if (!model) return WWHO_BUFFER;
    fill_bytes(model, 0, sizeof *model);
    model->file = file;
    status = plan(model, &arena);
    if (status) return status;
    if (arena.used > work_len) return WWHO_BUFFER;
    for (size_t i = 0; !status && i < sizeof build / sizeof *build; i++) status = build[i](model);
    if (status) return status;
    finish(model);
    put_plain(&model->normalizer, &model->classes);
    *result = model;
    return WWHO_OK;
}
