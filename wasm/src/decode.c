/* Tokens -> text: see decode.h. */
#include "decode.h"

#include "added.h"
#include "models.h"

/* Return the text of the token with an id, of the first model that has one, else an added one, as the artifact has it, before decoding; its
 * length in bytes goes to *len. It is not ended by a zero. Null if no token has this id. */
WWHO_LOCAL const uint8_t *token_text(const wwho_model *model, uint32_t id, size_t *len) {
    for (uint32_t i = 0; i < model->n_models; i++) {
        uint32_t token = token_of(&model->models[i], id);
        if (token != WWHO_NONE) return text_of(&model->models[i], token, len);
    }
    uint32_t added = find_added(model, id);
    return added == WWHO_NONE ? 0 : text_of(&model->added, added, len);
}

/* Return true if a special added token has this id. */
WWHO_LOCAL bool is_special(const wwho_model *model, uint32_t id) {
    for (uint32_t i = find_added(model, id); i < model->added.n_tokens && model->added_ids[i] == id; i++)
        if (model->added_flags[i] & WWHO_ADDED_SPECIAL) return true;
    return false;
}

/* Write the texts of n ids one after another to `out`, of `cap` bytes, for a model without a decoder; special tokens are left out if the
 * flags say so. *len becomes the length of the whole text in bytes, also if it does not fit (WWHO_BUFFER), or, with WWHO_TOKEN, the place
 * in `ids` of the first unknown id. WWHO_ARGUMENT if the length fits no size_t. */
WWHO_LOCAL int join_texts(const wwho_model *model, const uint32_t *ids, size_t n, uint32_t flags, uint8_t *out, size_t cap, size_t *len) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t length;
        const uint8_t *text = token_text(model, ids[i], &length);
        if (!text || length > SIZE_MAX - used) {
            *len = i;
            return text ? WWHO_ARGUMENT : WWHO_TOKEN;
        }
        if (flags & WWHO_SKIP_SPECIAL && is_special(model, ids[i])) continue;
        if (used <= cap && length <= cap - used) copy_bytes(out + used, text, length);
        used += length;
    }
    *len = used;
    return used > cap ? WWHO_BUFFER : WWHO_OK;
}

/* Decode n ids as a whole into `out`, of `cap` bytes, as wwho_decode_part() without flags. */
int wwho_decode(const wwho_model *model, const uint32_t *ids, size_t n, uint8_t *out, size_t cap, size_t *len) {
    size_t read;
    return wwho_decode_part(model, ids, n, 0, out, cap, &read, len);
}

/* Return the text of the token with an id in *text, and its length in bytes in *len. WWHO_TOKEN if no token has this id. */
int wwho_token_bytes(const wwho_model *model, uint32_t id, const uint8_t **text, size_t *len) {
    if (!model || !text || !len) return WWHO_ARGUMENT;
    *text = token_text(model, id, len);
    return *text ? WWHO_OK : WWHO_TOKEN;
}

/* Find the id of the token with a text of len bytes: of the last model that has it, else of an added token. WWHO_TOKEN if there is none
 * whose id decodes to it. */
int wwho_token_id(const wwho_model *model, const uint8_t *text, size_t len, uint32_t *id) {
    if (!model || (!text && len) || !id || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    if (!len || len > model->longest) return WWHO_TOKEN;
    for (uint32_t i = model->n_models; i--;) {
        const wwho_vocabulary *v = &model->models[i];
        uint32_t token = v->kind->find(v, text, len);
        if (token == WWHO_NONE || token_of(v, id_of(v, token)) != token) continue;
        *id = id_of(v, token);
        return WWHO_OK;
    }
    uint32_t added = find_bpe(&model->added, text, len);
    if (added != WWHO_NONE) *id = model->added_ids[added];
    return added == WWHO_NONE ? WWHO_TOKEN : WWHO_OK;
}
