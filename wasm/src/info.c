/* What a model tells of itself, and the names of statuses. */
#include "model.h"

uint32_t wwho_abi_version(void) { return 1; }

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
    case WWHO_FEATURES: return "FEATURES";
    case WWHO_CHECKSUM: return "CHECKSUM";
    case WWHO_SECTION_TABLE: return "SECTION_TABLE";
    case WWHO_SECTION_ORDER: return "SECTION_ORDER";
    case WWHO_SECTION_KIND: return "SECTION_KIND";
    case WWHO_SECTION_BOUNDS: return "SECTION_BOUNDS";
    case WWHO_PADDING: return "PADDING";
    case WWHO_SECTION_MISSING: return "SECTION_MISSING";
    case WWHO_META: return "META";
    case WWHO_CLASSES: return "CLASSES";
    case WWHO_AUTOMATON_SHAPE: return "AUTOMATON_SHAPE";
    case WWHO_AUTOMATON_TABLE: return "AUTOMATON_TABLE";
    case WWHO_AUTOMATON_TOTAL: return "AUTOMATON_TOTAL";
    case WWHO_ROUTES: return "ROUTES";
    case WWHO_BASE_BYTES: return "BASE_BYTES";
    case WWHO_PAIRS: return "PAIRS";
    case WWHO_PAIR_ORDER: return "PAIR_ORDER";
    case WWHO_PAIR_DUPLICATE: return "PAIR_DUPLICATE";
    case WWHO_TOKEN_LENGTH: return "TOKEN_LENGTH";
    case WWHO_TOKEN_DUPLICATE: return "TOKEN_DUPLICATE";
    case WWHO_ATOMS: return "ATOMS";
    case WWHO_SPECIALS: return "SPECIALS";
    case WWHO_IDS: return "IDS";
    default: return "unknown status";
    }
}

int wwho_model_info(const wwho_model *model, wwho_info *info) {
    if (!model || !info) return WWHO_ARGUMENT;
    *info = model->info;
    return WWHO_OK;
}

int wwho_route_name(const wwho_model *model, uint32_t route, const uint8_t **name, size_t *len) {
    if (!model || !name || !len || route >= model->info.n_routes) return WWHO_ARGUMENT;
    *name = model->routes[route].name;
    *len = model->routes[route].name_length;
    return WWHO_OK;
}

int wwho_special(const wwho_model *model, uint32_t index, uint32_t *id, const uint8_t **text, size_t *len) {
    if (!model || !id || !text || !len || index >= model->info.n_specials) return WWHO_ARGUMENT;
    *id = model->special_ids[index];
    *text = text_of(&model->specials, index, len);
    return WWHO_OK;
}
