/* What a model tells of itself, and the names of statuses. */
#include "added.h"
#include "after.h"
#include "models.h"
#include "stages.h"

uint32_t wwho_abi_version(void) { return WWHO_VERSION_MAJOR << 16 | WWHO_VERSION_MINOR; }

const char *wwho_status_str(int status) {
    switch (status) {
    case WWHO_OK: return "OK";
    case WWHO_ARGUMENT: return "ARGUMENT";
    case WWHO_BUFFER: return "BUFFER";
    case WWHO_TOKEN: return "TOKEN";
    case WWHO_MAGIC: return "MAGIC";
    case WWHO_VERSION: return "VERSION";
    case WWHO_TRUNCATED: return "TRUNCATED";
    case WWHO_TRAILING: return "TRAILING";
    case WWHO_CHECKSUM: return "CHECKSUM";
    case WWHO_SECTION_TABLE: return "SECTION_TABLE";
    case WWHO_SECTION_ORDER: return "SECTION_ORDER";
    case WWHO_SECTION_KIND: return "SECTION_KIND";
    case WWHO_SECTION_BOUNDS: return "SECTION_BOUNDS";
    case WWHO_PADDING: return "PADDING";
    case WWHO_SECTION_MISSING: return "SECTION_MISSING";
    case WWHO_CLASSES: return "CLASSES";
    case WWHO_AUTOMATON_SHAPE: return "AUTOMATON_SHAPE";
    case WWHO_AUTOMATON_TABLE: return "AUTOMATON_TABLE";
    case WWHO_AUTOMATON_TOTAL: return "AUTOMATON_TOTAL";
    case WWHO_STAGES: return "STAGES";
    case WWHO_ROUTES: return "ROUTES";
    case WWHO_MODEL: return "MODEL";
    case WWHO_SYMBOLS: return "SYMBOLS";
    case WWHO_PAIRS: return "PAIRS";
    case WWHO_PAIR_ORDER: return "PAIR_ORDER";
    case WWHO_PAIR_DUPLICATE: return "PAIR_DUPLICATE";
    case WWHO_TOKEN_LENGTH: return "TOKEN_LENGTH";
    case WWHO_TOKEN_DUPLICATE: return "TOKEN_DUPLICATE";
    case WWHO_IDS: return "IDS";
    case WWHO_ADDED: return "ADDED";
    case WWHO_SCORES: return "SCORES";
    case WWHO_NORMALIZER: return "NORMALIZER";
    case WWHO_TEMPLATE: return "TEMPLATE";
    case WWHO_DECODER: return "DECODER";
    default: return "unknown status";
    }
}

/* A list of numbers with names, of which one is wanted. */
typedef struct {
    uint32_t wanted, n;
    const char **name;
    uint32_t *value;
} info_list;

static void tell(info_list *list, const char *name, uint32_t value) {
    if (list->n++ != list->wanted) return;
    *list->name = name;
    *list->value = value;
}

/* The number of an automaton; WWHO_NONE where there is none. */
static uint32_t number_of(const wwho_model *model, const wwho_automaton *automaton) {
    return automaton ? (uint32_t)(automaton - model->automata) : WWHO_NONE;
}

static void tell_tokenizer(info_list *list, const wwho_model *model) {
    tell(list, "n_vocab", model->n_vocab);
    tell(list, "max_token_bytes", model->longest);
    tell(list, "n_models", model->n_models);
    tell(list, "n_routes", model->n_routes);
    tell(list, "n_stages", model->n_stages);
    tell(list, "n_added", model->added.n_tokens);
    tell(list, "n_steps", model->normalizer.n_steps);
    tell(list, "n_automata", model->n_automata);
    tell(list, "n_classes", model->classes.n_classes);
    tell(list, "router", number_of(model, model->router));
    tell(list, "decoder", model->decoder.progress);
}

static void tell_model(info_list *list, const wwho_vocabulary *v) {
    tell(list, "kind", v->kind_number);
    tell(list, "symbols", v->symbols);
    tell(list, "unknown", v->unknown);
    tell(list, "ids", v->id_rule);
    tell(list, "speller", v->speller_number);
    tell(list, "first_id", v->first_id);
    tell(list, "n_ids", v->n_ids);
    tell(list, "n_symbols", v->n_symbols);
    tell(list, "n_merges", v->n_tokens - v->n_symbols);
    tell(list, "n_superwords", v->n_made - v->n_plain);
    tell(list, "space_id", v->space_id);
    tell(list, "unk_id", v->unk_id);
}

static void tell_route(info_list *list, const wwho_model *model, const wwho_route *route) {
    tell(list, "model", route->model);
    tell(list, "units", number_of(model, route->units));
    for (uint32_t i = 0; i < route->n_stages; i++) tell(list, "stage", read16(route->stages + 2 * i));
}

static void tell_stage(info_list *list, const wwho_model *model, const wwho_stage *stage) {
    tell(list, "automaton", number_of(model, stage->automaton));
    for (uint32_t i = 0; i < stage->automaton->stored.n_rules; i++) tell(list, "action", stage->actions[i]);
}

static void tell_automaton(info_list *list, const wwho_automaton *automaton) {
    tell(list, "n_states", automaton->stored.n_states);
    tell(list, "n_rules", automaton->stored.n_rules);
}

static void tell_template(info_list *list, wwho_section s, uint32_t pair) {
    static const char *const names[] = {"id", "first", "second"};
    uint32_t single = read16(s.at), n = pair ? read16(s.at + 2) : single;
    const uint8_t *place = s.at + TEMPLATE_HEAD + (pair ? single : 0) * TEMPLATE_PLACE;
    for (; n; n--, place += TEMPLATE_PLACE) {
        tell(list, "type", place[1]);
        tell(list, names[place[0]], read32(place + 4));
    }
}

static void tell_span(info_list *list) {
    tell(list, "size", sizeof(wwho_span));
    tell(list, "start", offsetof(wwho_span, start));
    tell(list, "end", offsetof(wwho_span, end));
    tell(list, "route", offsetof(wwho_span, route));
    tell(list, "rule", offsetof(wwho_span, rule));
    tell(list, "first", offsetof(wwho_span, first));
}

static void tell_flags(info_list *list) {
    tell(list, "UNK_TOKEN", WWHO_UNK_TOKEN);
    tell(list, "ONE_PIECE", WWHO_ONE_PIECE);
    tell(list, "NO_ADDED", WWHO_NO_ADDED);
    tell(list, "SKIP_SPECIAL", WWHO_SKIP_SPECIAL);
    tell(list, "AFTER", WWHO_AFTER);
    tell(list, "MORE", WWHO_MORE);
}

int wwho_info(const wwho_model *model, int of, uint32_t number, uint32_t index, const char **name, uint32_t *value) {
    if (!name || !value || (!model && of != WWHO_OF_SPAN && of != WWHO_OF_FLAGS)) return WWHO_ARGUMENT;
    info_list list = {index, 0, name, value};
    if (of == WWHO_OF_SPAN && !number)
        tell_span(&list);
    else if (of == WWHO_OF_FLAGS && !number)
        tell_flags(&list);
    else if (of == WWHO_OF_TOKENIZER && !number)
        tell_tokenizer(&list, model);
    else if (of == WWHO_OF_MODEL && number < model->n_models)
        tell_model(&list, &model->models[number]);
    else if (of == WWHO_OF_ROUTE && number < model->n_routes)
        tell_route(&list, model, &model->routes[number]);
    else if (of == WWHO_OF_STAGE && number < model->n_stages)
        tell_stage(&list, model, &model->stages[number]);
    else if (of == WWHO_OF_AUTOMATON && number < model->n_automata)
        tell_automaton(&list, &model->automata[number]);
    else if (of == WWHO_OF_TEMPLATE && number < 2 && model->file.section[WWHO_SECTION_TEMPLATE].at)
        tell_template(&list, model->file.section[WWHO_SECTION_TEMPLATE], number);
    return index < list.n ? WWHO_OK : WWHO_ARGUMENT;
}

int wwho_route_name(const wwho_model *model, uint32_t route, const uint8_t **name, size_t *len) {
    if (!model || !name || !len || route >= model->n_routes) return WWHO_ARGUMENT;
    *name = model->routes[route].name;
    *len = model->routes[route].name_length;
    return WWHO_OK;
}

int wwho_added(const wwho_model *model, uint32_t index, uint32_t *id, uint32_t *flags, const uint8_t **text, size_t *len) {
    if (!model || !id || !flags || !text || !len || index >= model->added.n_tokens) return WWHO_ARGUMENT;
    *id = model->added_ids[index];
    *flags = model->added_flags[index];
    *text = text_of(&model->added, index, len);
    return WWHO_OK;
}

int wwho_section_bytes(const wwho_model *model, uint32_t kind, uint32_t index, const uint8_t **bytes, size_t *len) {
    if (!model || !bytes || !len || kind >= WWHO_N_SECTIONS) return WWHO_ARGUMENT;
    bool models = kind == WWHO_SECTION_MODEL;
    if (models ? index >= model->n_models : index || !model->file.section[kind].at) return WWHO_ARGUMENT;
    wwho_section s = models ? model->file.models[index] : model->file.section[kind];
    *bytes = s.at;
    *len = s.length;
    return WWHO_OK;
}

int wwho_class(const wwho_model *model, uint32_t code_point, uint32_t *found) {
    if (!model || !found) return WWHO_ARGUMENT;
    const wwho_classes *c = &model->classes;
    *found = code_point < 0x110000 ? class_of(c, code_point) : c->n_classes;
    return WWHO_OK;
}

int wwho_step(const wwho_model *model, uint32_t automaton, uint32_t state, uint32_t class_of, uint32_t *rule, uint32_t *next) {
    if (!model || !rule || !next || automaton >= model->n_automata || class_of > model->classes.n_classes) return WWHO_ARGUMENT;
    const wwho_stored *a = &model->automata[automaton].stored;
    if (state >= a->n_states) return WWHO_ARGUMENT;
    uint32_t mark;
    *next = stored_step(a, state, stored_column(a, model->classes.n_classes, class_of), &mark);
    *rule = mark - 1;
    return WWHO_OK;
}
