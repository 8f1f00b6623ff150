/* What a model says about itself, and the names of statuses. */
#include "added.h"
#include "after.h"
#include "models.h"
#include "cut.h"

/* Return the version of the interface: major version in the upper 16 bits, minor version in the lower ones. */
uint32_t wwho_abi_version(void) { return WWHO_VERSION_MAJOR << 16 | WWHO_VERSION_MINOR; }

/* Return name number `index` of a list; null beyond the last one. Each name ends with a zero, and another zero ends the list. */
static const char *name_at(const char *names, uint32_t index) {
    for (; index && *names; index--)
        while (*names++) {
        }
    return *names ? names : 0;
}

/* Return the name of a status without WWHO_, or "unknown status". */
const char *wwho_status_str(int status) {
    static const char of_calls[] = "OK\0ARGUMENT\0BUFFER\0TOKEN\0";
    static const char of_artifacts[] =
        "MAGIC\0VERSION\0TRUNCATED\0TRAILING\0CHECKSUM\0SECTION_TABLE\0SECTION_ORDER\0SECTION_KIND\0SECTION_BOUNDS\0PADDING\0"
        "SECTION_MISSING\0CLASSES\0AUTOMATON_SHAPE\0AUTOMATON_TABLE\0AUTOMATON_TOTAL\0STEPS\0ROUTES\0MODEL\0SYMBOLS\0PAIRS\0"
        "PAIR_ORDER\0PAIR_DUPLICATE\0TOKEN_LENGTH\0TOKEN_DUPLICATE\0IDS\0ADDED\0SCORES\0NORMALIZER\0TEMPLATE\0DECODER\0";
    uint32_t number = (uint32_t)status;
    const char *name = number < WWHO_MAGIC ? name_at(of_calls, number) : name_at(of_artifacts, number - WWHO_MAGIC);
    return name ? name : "unknown status";
}

/* Return the number of an automaton in its model; WWHO_NONE for null. */
static uint32_t number_of(const wwho_model *model, const wwho_automaton *automaton) {
    return automaton ? (uint32_t)(automaton - model->automata) : WWHO_NONE;
}

#define AT(field) offsetof(wwho_model, field)

/* Write fact number `index` about the tokenizer (WWHO_TOKENIZER_ in wwho.h) to *value. Returns WWHO_ARGUMENT if there is no such fact. */
static int tell_tokenizer(const wwho_model *model, uint32_t index, uint32_t *value) {
    static const uint16_t offsets[] = {[WWHO_TOKENIZER_N_VOCAB] = AT(n_vocab),
                                       [WWHO_TOKENIZER_MAX_TOKEN_BYTES] = AT(longest),
                                       [WWHO_TOKENIZER_N_MODELS] = AT(n_models),
                                       [WWHO_TOKENIZER_N_ROUTES] = AT(n_routes),
                                       [WWHO_TOKENIZER_N_STEPS] = AT(n_steps),
                                       [WWHO_TOKENIZER_N_ADDED] = AT(added.n_tokens),
                                       [WWHO_TOKENIZER_N_NORMALIZER] = AT(n_normalizer),
                                       [WWHO_TOKENIZER_N_AUTOMATA] = AT(n_automata),
                                       [WWHO_TOKENIZER_N_CLASSES] = AT(classes.n_classes),
                                       [WWHO_TOKENIZER_ROUTER] = AT(router_number),
                                       [WWHO_TOKENIZER_DECODER] = AT(decoder.progress)};
    if (index >= sizeof offsets / sizeof *offsets) return WWHO_ARGUMENT;
    *value = read32((const uint8_t *)model + offsets[index]);
    return WWHO_OK;
}

#undef AT
#define AT(field) offsetof(wwho_vocabulary, field)

/* Write fact number `index` about a model (WWHO_MODEL_ in wwho.h) to *value. Returns WWHO_ARGUMENT if there is no such fact. */
static int tell_model(const wwho_vocabulary *v, uint32_t index, uint32_t *value) {
    static const uint16_t offsets[] = {[WWHO_MODEL_KIND] = AT(kind_number),
                                       [WWHO_MODEL_SYMBOLS] = AT(symbols),
                                       [WWHO_MODEL_UNKNOWN] = AT(unknown),
                                       [WWHO_MODEL_IDS] = AT(id_rule),
                                       [WWHO_MODEL_SPELLER] = AT(speller_number),
                                       [WWHO_MODEL_FIRST_ID] = AT(first_id),
                                       [WWHO_MODEL_N_IDS] = AT(n_ids),
                                       [WWHO_MODEL_N_SYMBOLS] = AT(n_symbols),
                                       [WWHO_MODEL_N_MERGES] = AT(n_merges),
                                       [WWHO_MODEL_N_SUPERWORDS] = AT(n_superwords),
                                       [WWHO_MODEL_SPACE_ID] = AT(space_id),
                                       [WWHO_MODEL_UNK_ID] = AT(unk_id)};
    if (index >= sizeof offsets / sizeof *offsets) return WWHO_ARGUMENT;
    *value = read32((const uint8_t *)v + offsets[index]);
    if (index <= WWHO_MODEL_IDS) *value &= 255; /* these fields have one byte */
    return WWHO_OK;
}

#undef AT

/* Write fact number `index` about a route to *value: its model, its automaton `units` (WWHO_NONE: none), or, from WWHO_ROUTE_STEPS on, the
 * number of one of its steps. Returns WWHO_ARGUMENT if there is no such fact. */
static int tell_route(const wwho_model *model, const wwho_route *route, uint32_t index, uint32_t *value) {
    if (index >= (uint32_t)WWHO_ROUTE_STEPS + route->n_steps) return WWHO_ARGUMENT;
    *value = index == WWHO_ROUTE_MODEL   ? route->model
             : index == WWHO_ROUTE_UNITS ? number_of(model, route->units)
                                         : read16(route->steps + 2 * (index - WWHO_ROUTE_STEPS));
    return WWHO_OK;
}

/* Write fact number `index` about a step to *value: its kind, its automaton (WWHO_NONE: none), or, from WWHO_STEP_ACTIONS on, the action
 * of one rule of a cut. Returns WWHO_ARGUMENT if there is no such fact. */
static int tell_step(const wwho_model *model, const wwho_step *step, uint32_t index, uint32_t *value) {
    uint32_t n_actions = step->kind == STEP_CUT ? step->n : 0;
    if (index >= WWHO_STEP_ACTIONS + n_actions) return WWHO_ARGUMENT;
    *value = index == WWHO_STEP_KIND        ? step->kind
             : index == WWHO_STEP_AUTOMATON ? number_of(model, step->automaton)
                                            : step->actions[index - WWHO_STEP_ACTIONS];
    return WWHO_OK;
}

/* Write the number of states or of rules of an automaton to *value, by `index`. Returns WWHO_ARGUMENT if there is no such fact. */
static int tell_automaton(const wwho_stored *a, uint32_t index, uint32_t *value) {
    if (index > WWHO_AUTOMATON_N_RULES) return WWHO_ARGUMENT;
    *value = index == WWHO_AUTOMATON_N_STATES ? a->n_states : a->n_rules;
    return WWHO_OK;
}

/* Write fact number `index` about the template for one text (`pair` 0) or two (1) to *value: three numbers for each place, its kind, its
 * second byte, and its id or text. Returns WWHO_ARGUMENT beyond the last place, and without a template. */
static int tell_template(wwho_section s, uint32_t pair, uint32_t index, uint32_t *value) {
    uint32_t n = s.at ? read16(s.at + 2 * pair) : 0, i = index % 3;
    if (index / 3 >= n) return WWHO_ARGUMENT;
    const uint8_t *place = s.at + TEMPLATE_HEAD + ((pair ? read16(s.at) : 0) + index / 3) * TEMPLATE_PLACE;
    *value = i < 2 ? place[i] : read32(place + 4);
    return WWHO_OK;
}

/* Write a fact about the tokenizer, or about model, route, step, automaton or template `number` of it, to *value, as wwho.h says. Returns
 * WWHO_ARGUMENT if there is no such thing or fact. */
int wwho_info(const wwho_model *model, int of, uint32_t number, uint32_t index, uint32_t *value) {
    if (!model || !value) return WWHO_ARGUMENT;
    if (of == WWHO_OF_TOKENIZER && !number) return tell_tokenizer(model, index, value);
    if (of == WWHO_OF_MODEL && number < model->n_models) return tell_model(&model->models[number], index, value);
    if (of == WWHO_OF_ROUTE && number < model->n_routes) return tell_route(model, &model->routes[number], index, value);
    if (of == WWHO_OF_STEP && number < model->n_steps) return tell_step(model, &model->steps[number], index, value);
    if (of == WWHO_OF_AUTOMATON && number < model->n_automata) return tell_automaton(&model->automata[number].stored, index, value);
    if (of == WWHO_OF_TEMPLATE && number < 2) return tell_template(model->file.section[WWHO_SECTION_TEMPLATE], number, index, value);
    return WWHO_ARGUMENT;
}

/* Return the name of a route in *name, in the artifact, not ended by a zero, and its length in bytes in *len. Returns WWHO_ARGUMENT if
 * there is no such route. */
int wwho_route_name(const wwho_model *model, uint32_t route, const uint8_t **name, size_t *len) {
    if (!model || !name || !len || route >= model->n_routes) return WWHO_ARGUMENT;
    *name = model->routes[route].name;
    *len = model->routes[route].name_length;
    return WWHO_OK;
}

/* Return id, flags, text and length in bytes of added token number `index`. Returns WWHO_ARGUMENT beyond the last one. */
int wwho_added(const wwho_model *model, uint32_t index, uint32_t *id, uint32_t *flags, const uint8_t **text, size_t *len) {
    if (!model || !id || !flags || !text || !len || index >= model->added.n_tokens) return WWHO_ARGUMENT;
    *id = model->added_ids[index];
    *flags = model->added_flags[index];
    *text = text_of(&model->added, index, len);
    return WWHO_OK;
}

/* Return the bytes of a section of the artifact, of a kind and, for models, a number. Returns WWHO_ARGUMENT if there is no such section. */
int wwho_section_bytes(const wwho_model *model, uint32_t kind, uint32_t index, const uint8_t **bytes, size_t *len) {
    if (!model || !bytes || !len || kind >= WWHO_N_SECTIONS) return WWHO_ARGUMENT;
    bool models = kind == WWHO_SECTION_MODEL;
    if (models ? index >= model->n_models : index || !model->file.section[kind].at) return WWHO_ARGUMENT;
    wwho_section s = models ? model->file.models[index] : model->file.section[kind];
    *bytes = s.at;
    *len = s.length;
    return WWHO_OK;
}

/* Return the class of a code point in *found; beyond U+10FFFF, that of the end of the text. */
int wwho_class(const wwho_model *model, uint32_t code_point, uint32_t *found) {
    if (!model || !found) return WWHO_ARGUMENT;
    const wwho_classes *c = &model->classes;
    *found = code_point < 0x110000 ? class_of(c, code_point) : c->n_classes;
    return WWHO_OK;
}

/* Return in *next the state that an automaton goes to from `state` with a class (the number of classes: the end of the text), and in *rule
 * the rule that matches before it, or WWHO_NONE. */
int wwho_advance(const wwho_model *model, uint32_t automaton, uint32_t state, uint32_t class_of, uint32_t *rule, uint32_t *next) {
    if (!model || !rule || !next || automaton >= model->n_automata || class_of > model->classes.n_classes) return WWHO_ARGUMENT;
    const wwho_stored *a = &model->automata[automaton].stored;
    if (state >= a->n_states) return WWHO_ARGUMENT;
    uint32_t mark;
    *next = stored_step(a, state, stored_column(a, model->classes.n_classes, class_of), &mark);
    *rule = mark - 1;
    return WWHO_OK;
}
