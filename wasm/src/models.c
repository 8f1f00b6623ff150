/* See models.h. */
#include "models.h"

#include "added.h"
#include "affixes.h"
#include "encoder.h"

enum { MODEL_HEAD = 32, FLAG_LATER = 4 };

/* Return the functions of the kind of model with this number and kind of symbols, or null if there is no such kind. */
static const wwho_kind *kind_of(uint32_t number, uint32_t symbols) {
    static const wwho_kind bytes = {check_bpe, build_bpe, encode_piece, find_bpe}, units = {check_bpe, build_bpe, encode_units, find_bpe};
    static const wwho_kind greedy = {check_greedy, build_greedy, encode_greedy, find_greedy};
    static const wwho_kind viterbi = {check_viterbi, build_viterbi, encode_viterbi, find_viterbi};
    if (number == KIND_GREEDY) return &greedy;
    if (number == KIND_VITERBI) return &viterbi;
    if (number == KIND_BPE) return symbols == SYMBOLS_UNITS ? &units : &bytes;
    return 0;
}

/* Read and check the head of model number `number` into models[number]; the heads of the models before are there already, one of which may
 * be the speller, and no ranges of ids may overlap. Also sets kind, n_tokens and speller_number, and space_id to WWHO_NONE. Returns WWHO_OK
 * or WWHO_MODEL. */
static int read_head(const wwho_section *s, wwho_vocabulary *models, uint32_t number) {
    const uint8_t *p = s->at;
    if (s->length < MODEL_HEAD) return WWHO_MODEL;
    wwho_vocabulary *v = &models[number];
    copy_bytes(v, p, MODEL_HEAD);
    v->kind = kind_of(v->kind_number, v->symbols);
    v->speller_number = v->space_id = WWHO_NONE;
    v->n_tokens = v->n_symbols + v->n_merges;
    bool spell = v->unknown == UNKNOWN_SPELL, unk = v->unk_id != WWHO_NONE;
    if (!v->kind || v->unknown > UNKNOWN_ID || v->id_rule > IDS_STATED || v->zero) return WWHO_MODEL;
    if (spell ? p[4] >= number || models[p[4]].kind != kind_of(KIND_BPE, SYMBOLS_BYTES) : p[4]) return WWHO_MODEL;
    if (spell) v->speller_number = p[4];
    if (v->unknown == UNKNOWN_NONE ? unk : v->unknown == UNKNOWN_ID && !unk) return WWHO_MODEL;
    if (v->fuse && (!unk || spell)) return WWHO_MODEL;
    if (v->parts && (!spell || !v->symbols)) return WWHO_MODEL;
    if (p[0] != KIND_BPE && p[5] >= FLAG_LATER) return WWHO_MODEL;
    if (v->unknown == UNKNOWN_BYTES && v->id_rule != IDS_STATED) return WWHO_MODEL;
    /* each token takes at least a byte, so a small file cannot ask for much memory */
    if (v->n_symbols > s->length || v->n_merges > s->length) return WWHO_MODEL;
    if (v->text_bytes > v->n_tokens * (uint64_t)WWHO_MAX_TOKEN) return WWHO_MODEL;
    if ((uint64_t)v->first_id + v->n_ids > WWHO_MAX_IDS || v->n_tokens > WWHO_MAX_IDS) return WWHO_MODEL;
    for (uint32_t i = 0; i < number; i++)
        if (v->first_id < models[i].first_id + models[i].n_ids && models[i].first_id < v->first_id + v->n_ids) return WWHO_MODEL;
    return WWHO_OK;
}

/* Return true if n_ids is right for the model's number of tokens and its rule for ids. */
static bool is_counted(const wwho_vocabulary *v) {
    bool space = v->space_id != WWHO_NONE;
    if (v->id_rule == IDS_STEP) return v->n_ids > v->n_tokens && !space;
    if (v->id_rule == IDS_STATED) return v->n_ids;
    return v->n_ids == v->n_tokens + space && (!space || v->space_id == v->first_id + v->n_tokens);
}

/* Read and check the heads of all models into model->models, and take memory for their tables. Returns WWHO_OK or WWHO_MODEL, that of the
 * first model that is invalid. */
WWHO_LOCAL int plan_models(wwho_model *model, wwho_arena *arena) {
    model->n_models = model->file.n_models;
    for (uint32_t i = 0; i < model->n_models; i++) {
        wwho_vocabulary *v = &model->models[i];
        const wwho_section *s = &model->file.models[i];
        int status = read_head(s, model->models, i);
        if (!status) status = v->kind->check(s->at + MODEL_HEAD, s->length - MODEL_HEAD, v, arena);
        if (!status && !is_counted(v)) status = WWHO_MODEL;
        if (status) return status;
    }
    return WWHO_OK;
}

/* Check all models and build their tables, but for the ids of models with STEP, which number_models() fills in later. Returns the status
 * of the first model that is invalid, or WWHO_OK. */
WWHO_LOCAL int build_models(wwho_model *model) {
    for (uint32_t i = 0; i < model->n_models; i++) {
        wwho_vocabulary *v = &model->models[i];
        const wwho_section *s = &model->file.models[i];
        if (v->speller_number != WWHO_NONE) v->speller = &model->models[v->speller_number];
        number_columns c = {s->at + MODEL_HEAD, s->at + s->length};
        int status = v->kind->build(v, &c);
        if (status) return status;
        add_extra_texts(v);
        if (read_ids(v, &c) && c.at == c.end) continue;
        if (v->id_rule == IDS_STATED) return WWHO_IDS;
        if (v->kind_number == KIND_VITERBI) return WWHO_SCORES;
        return v->kind_number == KIND_BPE && v->n_made == v->n_tokens ? WWHO_PAIRS : WWHO_SYMBOLS;
    }
    return WWHO_OK;
}

/* Number a model's tokens with STEP, which skips the ids of added tokens: fill in v->ids and v->by_id. Returns WWHO_OK, or WWHO_IDS if the
 * tokens do not fill the range of ids up to its last one. */
static int step_over(const wwho_model *model, wwho_vocabulary *v) {
    uint32_t token = 0, added = 0, n_added = model->added.n_tokens;
    for (uint32_t i = 0; i < v->n_ids; i++) {
        uint32_t id = v->first_id + i;
        while (added < n_added && model->added_ids[added] < id) added++;
        bool taken = added < n_added && model->added_ids[added] == id;
        if (!taken && token == v->n_tokens) return WWHO_IDS;
        v->by_id[i] = taken ? WWHO_NONE : token;
        if (!taken) v->ids[token++] = id;
    }
    /* the last id is that of a token */
    return token == v->n_tokens && v->by_id[v->n_ids - 1] != WWHO_NONE ? WWHO_OK : WWHO_IDS;
}

/* Return the symbol that unknown symbols become, and that merges as any other (FORMAT.md, Encoding); WWHO_NONE if there is none. */
static uint32_t find_unk_symbol(const wwho_vocabulary *v) {
    if (v->kind_number != KIND_BPE || v->symbols != SYMBOLS_UNITS || v->unknown != UNKNOWN_ID) return WWHO_NONE;
    uint32_t token = token_of(v, v->unk_id);
    return token < v->n_symbols ? token : WWHO_NONE;
}

/* Number the tokens of models with STEP, once the added tokens are known. For each model, find unk_symbol and whether pretokens are
 * written as symbols (v->writes), and check that unk_id is the id of a token. Returns WWHO_OK, WWHO_IDS or WWHO_MODEL. */
WWHO_LOCAL int number_models(wwho_model *model) {
    for (uint32_t i = 0; i < model->n_models; i++) {
        wwho_vocabulary *v = &model->models[i];
        int status = v->id_rule == IDS_STEP ? step_over(model, v) : WWHO_OK;
        if (status) return status;
        v->unk_symbol = find_unk_symbol(v);
        v->writes = v->affixes || v->unk_symbol != WWHO_NONE || (v->symbols == SYMBOLS_UNITS && v->unknown == UNKNOWN_NONE);
        bool named = v->unk_id == WWHO_NONE || token_of(v, v->unk_id) < v->n_tokens || find_added(model, v->unk_id) != WWHO_NONE;
        if (!named) return WWHO_MODEL;
    }
    return WWHO_OK;
}
