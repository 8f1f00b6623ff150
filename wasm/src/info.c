/* What a model says about itself, and the names of statuses. */
#include "added.h"
#include "after.h"
#include "models.h"
#include "stages.h"

uint32_t wwho_abi_version(void) { return WWHO_VERSION_MAJOR << 16 | WWHO_VERSION_MINOR; }

/* Name number `index` of a list; null beyond the last one. Each name ends with a zero, and another zero ends the list. */
static const char *name_at(const char *names, uint32_t index) {
    for (; index && *names; index--)
        while (*names++) {
        }
    return *names ? names : 0;
}

const char *wwho_status_str(int status) {
    static const char of_calls[] = "OK\0ARGUMENT\0BUFFER\0TOKEN\0";
    static const char of_artifacts[] =
        "MAGIC\0VERSION\0TRUNCATED\0TRAILING\0CHECKSUM\0SECTION_TABLE\0SECTION_ORDER\0SECTION_KIND\0SECTION_BOUNDS\0PADDING\0"
        "SECTION_MISSING\0CLASSES\0AUTOMATON_SHAPE\0AUTOMATON_TABLE\0AUTOMATON_TOTAL\0STAGES\0ROUTES\0MODEL\0SYMBOLS\0PAIRS\0"
        "PAIR_ORDER\0PAIR_DUPLICATE\0TOKEN_LENGTH\0TOKEN_DUPLICATE\0IDS\0ADDED\0SCORES\0NORMALIZER\0TEMPLATE\0DECODER\0";
    uint32_t number = (uint32_t)status;
    const char *name = number < WWHO_MAGIC ? name_at(of_calls, number) : name_at(of_artifacts, number - WWHO_MAGIC);
    return name ? name : "unknown status";
}

/* A request for one of the numbers that describe a thing. */
typedef struct {
    uint32_t index;
    const char **name;
    uint32_t *value;
} wwho_asked;

static int tell(const wwho_asked *w, const char *names, const uint32_t *values) {
    const char *name = name_at(names, w->index);
    if (!name) return WWHO_ARGUMENT;
    *w->name = name;
    *w->value = values[w->index];
    return WWHO_OK;
}

static int tell_one(const wwho_asked *w, const char *name, uint32_t value) {
    *w->name = name;
    *w->value = value;
    return WWHO_OK;
}

/* The number of an automaton; WWHO_NONE if there is none. */
static uint32_t number_of(const wwho_model *model, const wwho_automaton *automaton) {
    return automaton ? (uint32_t)(automaton - model->automata) : WWHO_NONE;
}

/* As tell(), for numbers at offsets in `thing`. */
static int tell_field(const wwho_asked *w, const char *names, const void *thing, const uint16_t *offsets) {
    const char *name = name_at(names, w->index);
    return name ? tell_one(w, name, read32((const uint8_t *)thing + offsets[w->index])) : WWHO_ARGUMENT;
}

#define AT(field) offsetof(wwho_model, field)

static int tell_tokenizer(const wwho_asked *w, const wwho_model *model) {
    static const uint16_t offsets[] = {AT(n_vocab),           AT(longest),        AT(n_models),         AT(n_routes),
                                       AT(n_stages),          AT(added.n_tokens), AT(normalizer.n_all), AT(n_automata),
                                       AT(classes.n_classes), AT(router_number),  AT(decoder.progress)};
    return tell_field(w,
                      "n_vocab\0max_token_bytes\0n_models\0n_routes\0n_stages\0n_added\0n_steps\0n_automata\0n_classes\0router\0decoder\0",
                      model, offsets);
}

#undef AT
#define AT(field) offsetof(wwho_vocabulary, field)

static int tell_model(const wwho_asked *w, const wwho_vocabulary *v) {
    static const uint16_t offsets[] = {AT(kind_number), AT(symbols),   AT(unknown),  AT(id_rule),      AT(speller_number), AT(first_id),
                                       AT(n_ids),       AT(n_symbols), AT(n_merges), AT(n_superwords), AT(space_id),       AT(unk_id)};
    int status = tell_field(
        w, "kind\0symbols\0unknown\0ids\0speller\0first_id\0n_ids\0n_symbols\0n_merges\0n_superwords\0space_id\0unk_id\0", v, offsets);
    if (w->index < 4) *w->value &= 255; /* these fields have one byte */
    return status;
}

#undef AT

static int tell_route(const wwho_asked *w, const wwho_model *model, const wwho_route *route) {
    const uint32_t values[] = {route->model, number_of(model, route->units)}, k = w->index - 2;
    return k < route->n_stages ? tell_one(w, "stage", read16(route->stages + 2 * k)) : tell(w, "model\0units\0", values);
}

static int tell_stage(const wwho_asked *w, const wwho_model *model, const wwho_stage *stage) {
    const uint32_t automaton = number_of(model, stage->automaton), k = w->index - 1;
    return k < stage->automaton->stored.n_rules ? tell_one(w, "action", stage->actions[k]) : tell(w, "automaton\0", &automaton);
}

static int tell_automaton(const wwho_asked *w, const wwho_stored *a) {
    const uint32_t values[] = {a->n_states, a->n_rules};
    return tell(w, "n_states\0n_rules\0", values);
}

/* Two numbers for each place. */
static int tell_template(const wwho_asked *w, wwho_section s, uint32_t pair) {
    if (!s.at) return WWHO_ARGUMENT;
    uint32_t single = read16(s.at), n = pair ? read16(s.at + 2) : single;
    const uint8_t *place = s.at + TEMPLATE_HEAD + ((pair ? single : 0) + w->index / 2) * TEMPLATE_PLACE;
    if (w->index / 2 >= n) return WWHO_ARGUMENT;
    return w->index % 2 ? tell_one(w, name_at("id\0first\0second\0", place[0]), read32(place + 4)) : tell_one(w, "type", place[1]);
}

int wwho_info(const wwho_model *model, int of, uint32_t number, uint32_t index, const char **name, uint32_t *value) {
    wwho_asked w = {index, name, value};
    if (!model || !name || !value) return WWHO_ARGUMENT;
    if (of == WWHO_OF_TOKENIZER && !number) return tell_tokenizer(&w, model);
    if (of == WWHO_OF_MODEL && number < model->n_models) return tell_model(&w, &model->models[number]);
    if (of == WWHO_OF_ROUTE && number < model->n_routes) return tell_route(&w, model, &model->routes[number]);
    if (of == WWHO_OF_STAGE && number < model->n_stages) return tell_stage(&w, model, &model->stages[number]);
    if (of == WWHO_OF_AUTOMATON && number < model->n_automata) return tell_automaton(&w, &model->automata[number].stored);
    if (of == WWHO_OF_TEMPLATE && number < 2) return tell_template(&w, model->file.section[WWHO_SECTION_TEMPLATE], number);
    return WWHO_ARGUMENT;
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
