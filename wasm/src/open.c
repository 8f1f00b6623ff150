/* Opening an artifact: checks every rule of FORMAT.md before the model is used. First the heads of the sections say how much memory the
 * model takes (plan); then each section is checked and built once, in order. */
#include "added.h"
#include "after.h"
#include "automata.h"
#include "models.h"
#include "path.h"
#include "plain.h"
#include "steps.h"

enum { MAX_CLASSES = 4096, MAX_PAGES = 2048, PAGES_AT = 4 + 2 * N_PAGES };

/* Check the head of the CLASSES section, and take memory for its pages, 16 bits for each code point; model->classes gets n_classes, and the
 * numbers of pages where they lie in the file. Returns WWHO_OK or WWHO_CLASSES. */
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

/* Return true if no two of n pages, of `size` bytes each, are equal. */
static bool all_differ(const uint8_t *pages, uint32_t n, uint32_t size) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (same_text(pages + i * size, pages + k * size, size)) return false;
    return true;
}

/* Check the pages of the CLASSES section, and write them to model->classes: every class must exist, pages must be used in order of their
 * numbers, and differ. Returns WWHO_OK or WWHO_CLASSES. */
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

/* Check all automata of the model, and build their tables. Returns the status of the first that is invalid, or WWHO_OK. */
static int build_automata(wwho_model *model) {
    int status = WWHO_OK;
    for (uint32_t i = 0; !status && i < model->n_automata; i++) status = build_automaton(&model->automata[i], &model->classes);
    return status;
}

/* Check the number of routes, and take memory for them and for as many stations, lists and listed steps as their numbers of steps may need.
 * Returns WWHO_OK or WWHO_ROUTES. */
static int plan_routes(wwho_model *model, wwho_arena *arena) {
    wwho_section s = model->file.section[WWHO_SECTION_ROUTES];
    uint32_t n = s.length < 4 ? 0 : read16(s.at + 2);
    if (n < 1 || n > WWHO_MAX_ROUTES || n > s.length / 4) return WWHO_ROUTES;
    model->n_routes = n;
    model->routes = take(arena, n * sizeof *model->routes);
    uint32_t most = s.length / 2; /* numbers of steps */
    model->stations = take(arena, most * sizeof *model->stations);
    model->lists = take(arena, most * sizeof *model->lists);
    model->listed = take(arena, most * sizeof *model->listed);
    return WWHO_OK;
}

/* Return true if a route may rewrite by this step, which looks at one character alone and leaves something of each: a SPELL; a MAP that
 * orders, composes and removes nothing; or an ENDS that strips nothing and adds no suffix. */
static bool rewrites_characters(const wwho_step *step) {
    if (step->kind == STEP_ENDS) return !step->n && !step->n_suffix;
    if (step->kind != STEP_MAP) return step->kind == STEP_SPELL;
    return !step->flags && !step->n_ordered && !step->n_compositions && !step->vanishes;
}

/* Append a step to a route: a cut as a station of its own, a step that rewrites to the station of the list before it (or to a new list),
 * BLOCKS as r->blocks. */
static void add_step(wwho_model *model, wwho_route *r, const wwho_step *step) {
    wwho_station *station = (wwho_station *)&r->stations[r->n_stations];
    if (step->kind == STEP_BLOCKS) {
        r->blocks = step;
        return;
    }
    if (step->kind == STEP_CUT) {
        *station = (wwho_station){.cut = step};
        r->n_cuts += r->n_cuts == r->n_stations++;
        return;
    }
    if (!r->n_stations || station[-1].cut) {
        wwho_rewrites *list = &model->lists[model->n_all_lists];
        *list = (wwho_rewrites){.steps = model->listed + model->n_listed, .number = 2 + model->n_all_lists++};
        *station++ = (wwho_station){.rewrites = list};
        r->n_stations++;
    }
    add_rewrite((wwho_rewrites *)station[-1].rewrites, step);
    model->n_listed++;
}

/* Read the steps of a route, whose numbers are at r->steps, and append them to its stations. Returns false if one breaks a rule of
 * FORMAT.md, ROUTES. Updates the most lists of any route and model->writes. */
static bool read_steps(wwho_model *model, wwho_route *r) {
    wwho_vocabulary *v = &model->models[r->model];
    uint32_t n_lists = 0;
    for (uint32_t i = 0; i < r->n_steps; i++) {
        const wwho_step *step = name_step(model, r->steps + 2 * i);
        if (!step || r->blocks || !(step->kind == STEP_CUT || step->kind == STEP_BLOCKS || rewrites_characters(step))) return false;
        if (step->kind == STEP_BLOCKS && (v->kind_number != KIND_BPE || v->symbols != SYMBOLS_BYTES)) return false;
        if (step->kind == STEP_BLOCKS) v->blocks = step;
        add_step(model, r, step);
    }
    for (uint32_t i = 0; i < r->n_stations; i++) n_lists += !r->stations[i].cut;
    if (n_lists > model->n_lists) model->n_lists = n_lists;
    model->writes |= n_lists || r->blocks;
    return true;
}

/* Read the route at p, of at most `left` bytes, into *r, with its stations and its path; *size becomes its size in bytes. Returns WWHO_OK
 * or WWHO_ROUTES. The stations are taken from model->stations, and model->n_stations moves past them. */
static int read_route(wwho_model *model, const uint8_t *p, uint32_t left, wwho_route *r, uint32_t *size) {
    if (left < 4 || p[1] > WWHO_MAX_STEPS || left < 5u + 2 * p[1]) return WWHO_ROUTES;
    uint32_t units = read16(p + 2);
    *r = (wwho_route){.model = p[0], .n_steps = p[1], .steps = p + 4, .name_length = p[4 + 2 * p[1]], .name = p + 5 + 2 * p[1]};
    *size = 5 + 2 * r->n_steps + r->name_length;
    if (!r->name_length || left < *size || !well_formed(r->name, r->name_length) || r->model >= model->n_models) return WWHO_ROUTES;
    const wwho_vocabulary *v = &model->models[r->model];
    if ((units != 0xFFFF) != (v->symbols == SYMBOLS_UNITS)) return WWHO_ROUTES;
    if (units != 0xFFFF) {
        if (units >= model->n_automata || model->automata[units].stored.n_rules > 3 || model->automata[units].stored.flags)
            return WWHO_ROUTES;
        if (r->n_steps && v->n_plain < v->n_made) return WWHO_ROUTES;
        r->units = &model->automata[units];
        bool characters = takes_characters(&r->units->stored, model->classes.n_classes);
        if (!characters && (v->affixes || v->unknown == UNKNOWN_NONE)) return WWHO_ROUTES;
        r->characters = characters;
    }
    r->stations = model->stations + model->n_stations;
    if (!read_steps(model, r)) return WWHO_ROUTES;
    model->n_stations += r->n_stations;
    choose_path(model, r);
    return WWHO_OK;
}

/* Return true if routes of one model among which the following text decides have the same automaton `units` (FORMAT.md, ROUTES): those of
 * the rules that may match in one state of the router. True without a router. */
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

/* Let routes that rewrite pretokens take the plain walk if another route has the same model: the cache knows a pretoken by its model and
 * its text before anything rewrites it, and would give one route the tokens of the other. */
static void walk_if_mixed(wwho_model *model) {
    uint32_t routes[WWHO_MAX_MODELS] = {0};
    for (uint32_t i = 0; i < model->n_routes; i++) routes[model->routes[i].model]++;
    for (uint32_t i = 0; i < model->n_routes; i++) {
        wwho_route *r = &model->routes[i];
        if (routes[r->model] > 1 && r->rewrites) r->path = PATH_WALK;
    }
}

/* Read all routes and the router of the ROUTES section into the model; the router's rules must be as many as the routes, one without a
 * router, and routes of one model must agree (cuts_agree()). Then choose the plain walk for routes that need it (walk_if_mixed()). Returns
 * WWHO_OK or WWHO_ROUTES. */
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
    walk_if_mixed(model);
    return cuts_agree(model) ? WWHO_OK : WWHO_ROUTES;
}

/* Read the heads of all sections, count what they hold, and take memory for it from the arena; one without a buffer only adds up its size.
 * Returns the status of the first section that is invalid; WWHO_MODEL if the sum is beyond WWHO_MAX_LENGTH. */
static int plan(wwho_model *model, wwho_arena *arena) {
    const wwho_section *sections = model->file.section;
    int status = plan_classes(model, arena);
    if (!status)
        status = plan_automata(sections[WWHO_SECTION_AUTOMATA], model->classes.n_classes, arena, &model->automata, &model->n_automata);
    if (!status) status = plan_steps(model, arena);
    if (!status) status = plan_routes(model, arena);
    if (!status) status = plan_models(model, arena);
    if (!status) status = plan_added(&model->file, model, arena);
    if (!status) status = plan_normalizer(model, arena);
    return status || arena->used <= WWHO_MAX_LENGTH ? status : WWHO_MODEL;
}

/* Return in *size how many bytes of workspace wwho_open() needs for an artifact of len bytes, whose start is aligned to 4. Only the heads
 * of its sections are checked, and the checksum if one is invalid. */
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
    *size = (size_t)arena.used + LINE_SLACK;
    return WWHO_OK;
}

/* Fill in the numbers that depend on all sections: n_vocab (the highest id and one), the longest token, whether ids map back to their
 * tokens, and whether anything is written anew. */
static void finish(wwho_model *model) {
    uint32_t n = model->added.n_tokens;
    model->n_vocab = n ? model->added_ids[n - 1] + 1 : 0;
    model->longest = model->added.longest;
    for (uint32_t i = 0; i < model->n_models; i++) {
        wwho_vocabulary *v = &model->models[i];
        v->own_ids = true;
        for (uint32_t token = 0; v->ids && token < v->n_tokens; token++) v->own_ids &= token_of(v, v->ids[token]) == token;
        if (v->first_id + v->n_ids > model->n_vocab) model->n_vocab = v->first_id + v->n_ids;
        uint32_t longest = v->shown ? v->shown->longest : v->longest;
        if (longest > model->longest) model->longest = longest;
        model->writes |= v->writes;
    }
}

/* Check an artifact of len bytes, at an address that is a multiple of 4, against its checksum and every rule of FORMAT.md, section by
 * section, and build its tables in the workspace `work` of work_len bytes (wwho_workspace_size()), at a multiple of 16.
 * Sets *result to the model, which points into both, only with WWHO_OK. Returns WWHO_ARGUMENT for a null pointer or a wrong address,
 * WWHO_BUFFER if the workspace is too small, otherwise the status of the first rule that is broken. */
int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **result) {
    if (!blob || !work || !result || (uintptr_t)blob % 4 || (uintptr_t)work % 16) return WWHO_ARGUMENT;
    static int (*const build[])(wwho_model *) = {build_classes, build_automata, build_routes,   build_normalizer, build_models,
                                                 build_added,   number_models,  build_template, build_decoder};
    wwho_file file;
    wwho_arena arena = {line_start(work), work_len < LINE_SLACK ? 0 : work_len - LINE_SLACK, 0};
    int status = read_file(blob, len, &file);
    if (!status) status = check_sum(blob, len, WWHO_OK);
    if (status) return status;
    wwho_model *model = take(&arena, sizeof *model);
    if (!model) return WWHO_BUFFER;
    fill_bytes(model, 0, sizeof *model);
    model->file = file;
    status = plan(model, &arena);
    if (status) return status;
    if (arena.used > arena.size) return WWHO_BUFFER;
    for (size_t i = 0; !status && i < sizeof build / sizeof *build; i++) status = build[i](model);
    if (status) return status;
    finish(model);
    for (uint32_t k = 0; k < 2; k++) put_plain(&model->normalizer[k], &model->classes);
    *result = model;
    return WWHO_OK;
}
