/* Opening a BPE model, over bytes or over units (FORMAT.md, MODEL). How it encodes: encode.c and merge.h. */
#include "models.h"

enum { BPE_HEAD = 8 };

static bool is_over_bytes(const wwho_vocabulary *v) { return v->symbols == SYMBOLS_BYTES; }

WWHO_LOCAL int check_bpe(wwho_section s, wwho_vocabulary *v, wwho_arena *arena) {
    if (s.length < BPE_HEAD) return WWHO_MODEL;
    uint32_t n_superwords = read32(s.at), n_merges = v->n_tokens - v->n_symbols;
    v->space_id = read32(s.at + 4);
    bool space = v->space_id != WWHO_NONE;
    if (v->symbols > SYMBOLS_UNITS || v->anywhere) return WWHO_MODEL;
    if (is_over_bytes(v) && (v->n_symbols != 256 || v->unknown != UNKNOWN_NONE || n_superwords || space)) return WWHO_MODEL;
    if (!is_over_bytes(v) && v->unknown == UNKNOWN_NONE) return WWHO_MODEL;
    if (n_superwords > n_merges || (n_superwords && v->id_rule != IDS_COUNT)) return WWHO_MODEL;
    take_texts(arena, v);
    take_tables(arena, v, n_superwords);
    if (is_over_bytes(v)) {
        v->bytes = take(arena, sizeof *v->bytes);
        take_whole(arena, v);
    }
    return WWHO_OK;
}

/* The bytes of the first 256 tokens. */
static int read_bytes(wwho_vocabulary *v, const uint8_t **at, const uint8_t *end) {
    if (end - *at < 256) return WWHO_SYMBOLS;
    for (uint32_t i = 0; i < 256; i++) v->bytes->token[i] = WWHO_NONE;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t *token = &v->bytes->token[(*at)[i]];
        if (*token != WWHO_NONE) return WWHO_SYMBOLS;
        *token = i;
        int status = put_text(v, i, *at + i, 1);
        if (status) return status;
    }
    *at += 256;
    return WWHO_OK;
}

/* What can be looked up of the symbols, whose texts are there. */
static int add_symbols(wwho_vocabulary *v) {
    for (uint32_t i = 0; i < v->n_symbols; i++) {
        v->left[i] = v->right[i] = i;
        bool space = !is_over_bytes(v) && v->space_id != WWHO_NONE && token_length(v, i) == 1 && v->texts[v->offset[i]] == ' ';
        if (space || !add_text(v, i)) return WWHO_SYMBOLS;
    }
    return WWHO_OK;
}

WWHO_LOCAL int build_bpe(wwho_section s, wwho_vocabulary *v) {
    const uint8_t *at = s.at + BPE_HEAD, *end = s.at + s.length;
    int status = is_over_bytes(v) ? read_bytes(v, &at, end) : read_texts(v, 0, v->n_symbols, &at, end);
    if (!status) status = add_symbols(v);
    if (!status) status = add_merges(v, &at, end, !is_over_bytes(v));
    if (!status && v->offset[v->n_tokens] != v->text_bytes) status = WWHO_TOKEN_LENGTH;
    if (status) return status;
    if (is_over_bytes(v)) pair_bytes(v);
    add_extra_texts(v);
    status = read_ids(v, &at, end);
    if (status) return status;
    return at == end ? WWHO_OK : v->id_rule == IDS_STATED ? WWHO_IDS : WWHO_PAIRS;
}

WWHO_LOCAL uint32_t find_bpe(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    return find_text(v, text, n, hash_text(text, n, n));
}
