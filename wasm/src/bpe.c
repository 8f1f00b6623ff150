/* Opening a BPE model, over bytes or over units (FORMAT.md, MODEL). How it encodes: encode.c and merge.h. */
#include "early.h"
#include "models.h"

enum { BPE_HEAD = 8 };

static bool is_over_bytes(const wwho_vocabulary *v) { return v->symbols == SYMBOLS_BYTES; }

WWHO_LOCAL int check_bpe(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena) {
    if (length < BPE_HEAD + 4u * (v->unmade + v->ties)) return WWHO_MODEL;
    uint32_t n_superwords = v->n_superwords = read32(p), n_merges = v->n_merges, n_unmade = v->unmade ? read32(p + BPE_HEAD) : 0;
    uint32_t n_ties = v->n_ties = v->ties ? read32(p + BPE_HEAD + 4 * v->unmade) : 0;
    v->space_id = read32(p + 4);
    bool space = v->space_id != WWHO_NONE;
    if (v->symbols > SYMBOLS_UNITS || v->anywhere) return WWHO_MODEL;
    bool lacks = v->unknown == UNKNOWN_ID && v->id_rule == IDS_STATED && !v->fuse; /* bytes without an id */
    if (is_over_bytes(v) && (v->n_symbols != 256 || (v->unknown != UNKNOWN_NONE && !lacks) || n_superwords || space)) return WWHO_MODEL;
    if (!is_over_bytes(v) && v->unknown == UNKNOWN_NONE) return WWHO_MODEL;
    if (n_superwords > n_merges || (n_superwords && v->id_rule != IDS_COUNT)) return WWHO_MODEL;
    if (n_unmade > n_merges || v->unmade > n_unmade || (v->whole_pieces && !n_unmade)) return WWHO_MODEL;
    if (v->ties > n_ties || (n_ties && (n_ties >= n_merges - n_unmade || is_over_bytes(v)))) return WWHO_MODEL;
    if (n_superwords && (n_unmade || n_ties || v->later)) return WWHO_MODEL;
    take_texts(arena, v);
    take_tables(arena, v, n_superwords, n_unmade);
    if (v->ties || v->later) {
        v->level = take_numbers(arena, v->n_made);
        v->rank = take_numbers(arena, v->n_made);
        if (v->ties) v->pairs.rank = v->rank;
    }
    if (is_over_bytes(v)) v->bytes = take(arena, sizeof *v->bytes);
    return WWHO_OK;
}

/* Enter the symbol of each byte. False if the symbols are not the 256 bytes, or do not ascend with an id map. */
static bool number_bytes(wwho_vocabulary *v) {
    for (uint32_t i = 0; i < 256; i++) {
        if (v->offset[256] != 256 || (v->id_rule == IDS_STATED && v->texts[i] != i)) return false;
        v->bytes->token[v->texts[i]] = i;
    }
    return true;
}

/* Give the tokens from `from` to `to` no parts. False if one is a lone space although the model has a space_id. */
static bool are_unmade(wwho_vocabulary *v, uint32_t from, uint32_t to) {
    for (; from < to; from++) {
        v->left[from] = v->right[from] = from;
        if (v->space_id != WWHO_NONE && token_length(v, from) == 1 && v->texts[v->offset[from]] == ' ') return false;
    }
    return true;
}

WWHO_LOCAL int build_bpe(wwho_vocabulary *v, number_columns *c) {
    c->at += BPE_HEAD + 4 * (v->unmade + v->ties);
    int status = read_texts(v, 0, v->n_symbols, c, !is_over_bytes(v));
    if (!status && (!are_unmade(v, 0, v->n_symbols) || (is_over_bytes(v) && !number_bytes(v)))) status = WWHO_SYMBOLS;
    if (!status) status = add_merges(v, c, !is_over_bytes(v) && v->unknown != UNKNOWN_BYTES);
    if (!status) status = read_texts(v, v->n_made, v->n_tokens - v->n_made, c, true);
    if (!status && v->offset[v->n_tokens] != v->text_bytes) status = WWHO_TOKEN_LENGTH;
    if (!status && !are_unmade(v, v->n_made, v->n_tokens)) status = WWHO_SYMBOLS;
    if (!status && !add_texts(v)) status = WWHO_TOKEN_DUPLICATE;
    if (!status && is_over_bytes(v)) find_early(v);
    return status;
}

WWHO_LOCAL uint32_t find_bpe(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    return find_text(v, text, n, n, hash_text(text, n, n));
}
