/* Tokens -> text. */
#include "model.h"

/* The number of the first special token with this id, or WWHO_NONE. */
static uint32_t find_special(const wwho_model *model, uint32_t id) {
    uint32_t low = 0, high = model->info.n_specials;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->special_ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->info.n_specials && model->special_ids[low] == id ? low : WWHO_NONE;
}

/* The text of any token; null where there is none with this id. */
static const uint8_t *token_text(const wwho_model *model, uint32_t id, size_t *len) {
    for (uint32_t i = 0; i < model->n_models; i++) {
        const wwho_vocabulary *v = &model->models[i];
        uint32_t token = token_of(v, id);
        if (token != WWHO_NONE) return text_of(v, token, len);
        if (id == v->space_id && id != WWHO_NONE) {
            *len = 1;
            return (const uint8_t *)" ";
        }
    }
    uint32_t special = find_special(model, id);
    return special == WWHO_NONE ? 0 : text_of(&model->specials, special, len);
}

int wwho_decode(const wwho_model *model, const uint32_t *ids, size_t n, uint8_t *out, size_t cap, size_t *len) {
    if (!model || (!ids && n) || (!out && cap) || !len) return WWHO_ARGUMENT;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t length;
        const uint8_t *text = token_text(model, ids[i], &length);
        if (!text || length > SIZE_MAX - used) {
            *len = i;
            return text ? WWHO_ARGUMENT : WWHO_TOKEN;
        }
        if (used <= cap && length <= cap - used) copy_bytes(out + used, text, length);
        used += length;
    }
    *len = used;
    return used > cap ? WWHO_BUFFER : WWHO_OK;
}

int wwho_token_bytes(const wwho_model *model, uint32_t id, const uint8_t **text, size_t *len) {
    if (!model || !text || !len) return WWHO_ARGUMENT;
    *text = token_text(model, id, len);
    return *text ? WWHO_OK : WWHO_TOKEN;
}

int wwho_token_id(const wwho_model *model, const uint8_t *text, size_t len, uint32_t *id) {
    if (!model || (!text && len) || !id || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    if (!len || len > model->info.max_token_bytes) return WWHO_TOKEN;
    uint64_t hash = hash_text(text, len, len);
    for (uint32_t i = model->n_models; i--;) {
        const wwho_vocabulary *v = &model->models[i];
        uint32_t token = find_text(v, text, len, hash);
        if (token == WWHO_NONE || token_of(v, id_of(v, token)) != token) continue;
        *id = id_of(v, token);
        return WWHO_OK;
    }
    uint32_t token = find_text(&model->specials, text, len, hash);
    if (token != WWHO_NONE) *id = model->special_ids[token];
    return token == WWHO_NONE ? WWHO_TOKEN : WWHO_OK;
}
