/* Opening a BPE model, over bytes or over units (FORMAT.md, MODEL). How it encodes: encode.c and merge.h. */
#include "early.h"
#include "models.h"

enum { BPE_HEAD = 8, AFFIXES_HEAD = 4, MAX_AFFIX = 32 };

/* Return true if the symbols of a vocabulary are the 256 bytes. */
static bool is_over_bytes(const wwho_vocabulary *v) { return v->symbols == SYMBOLS_BYTES; }

/* Read the prefix and the suffix of symbols at p, of `length` bytes with all that follows, into v. Returns false if they break a rule: at
 * most MAX_AFFIX bytes each, well-formed, not both empty. */
static bool read_affixes(wwho_vocabulary *v, const uint8_t *p, uint32_t length) {
    if (length < AFFIXES_HEAD || length - AFFIXES_HEAD < (uint32_t)p[0] + p[1] || read16(p + 2)) return false;
    v->n_prefix = p[0];
    v->n_suffix = p[1];
    v->prefix = p + AFFIXES_HEAD;
    v->suffix = v->prefix + v->n_prefix;
    bool sizes = v->n_prefix <= MAX_AFFIX && v->n_suffix <= MAX_AFFIX && v->n_prefix + v->n_suffix;
    return sizes && well_formed(v->prefix, v->n_prefix) && well_formed(v->suffix, v->n_suffix);
}

/* Take memory for the texts of tokens as the file has them (v->shown), and raise v->text_bytes, that of the texts with all prefixes, to
 * the most that it can be. */
static void take_shown(wwho_arena *arena, wwho_vocabulary *v) {
    wwho_vocabulary shown = {.n_symbols = v->n_tokens, .n_tokens = v->n_tokens, .text_bytes = v->text_bytes, .unk_id = WWHO_NONE};
    shown.space_id = WWHO_NONE;
    v->shown = take(arena, sizeof shown);
    take_texts(arena, &shown);
    take_tables(arena, &shown, 0, 0);
    if (arena->used <= arena->size) *v->shown = shown;
    uint64_t most = (uint64_t)v->n_tokens * WWHO_MAX_TOKEN, bytes = (uint64_t)v->text_bytes * (1 + v->n_prefix);
    v->text_bytes = (uint32_t)(bytes < most ? bytes : most);
}

/* Check the head at p of a BPE model, of `length` bytes with all that follows it, and take memory for its tables. Sets the counts of v
 * (n_superwords, n_ties, n_made, n_plain), space_id and the affixes; `prefix` and `suffix` point into the file. Returns WWHO_OK or
 * WWHO_MODEL. */
WWHO_LOCAL int check_bpe(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena) {
    uint32_t size = BPE_HEAD + 4u * (v->unmade + v->ties);
    if (length < size || (v->affixes && !read_affixes(v, p + size, length - size))) return WWHO_MODEL;
    uint32_t n_superwords = v->n_superwords = read32(p), n_merges = v->n_merges, n_unmade = v->unmade ? read32(p + BPE_HEAD) : 0;
    uint32_t n_ties = v->n_ties = v->ties ? read32(p + BPE_HEAD + 4 * v->unmade) : 0;
    v->space_id = read32(p + 4);
    bool space = v->space_id != WWHO_NONE;
    if (v->symbols > SYMBOLS_UNITS || v->anywhere) return WWHO_MODEL;
    bool lacks = v->unknown == UNKNOWN_ID && v->id_rule == IDS_STATED && !v->fuse; /* bytes without an id */
    if (is_over_bytes(v) && (v->n_symbols != 256 || (v->unknown != UNKNOWN_NONE && !lacks) || n_superwords || space)) return WWHO_MODEL;
    if (v->affixes && (is_over_bytes(v) || v->unknown == UNKNOWN_SPELL || n_superwords || space)) return WWHO_MODEL;
    if (n_superwords > n_merges || (n_superwords && v->id_rule != IDS_COUNT)) return WWHO_MODEL;
    if (n_unmade > n_merges || v->unmade > n_unmade || (v->whole_pieces && !n_unmade && !v->affixes)) return WWHO_MODEL;
    if (v->ties > n_ties || (n_ties && (n_ties >= n_merges - n_unmade || is_over_bytes(v)))) return WWHO_MODEL;
    if (n_superwords && (n_unmade || n_ties || v->later)) return WWHO_MODEL;
    if (v->n_prefix) take_shown(arena, v);
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

/* Fill in v->bytes->token, the symbol of each byte: v has 256 symbols, its first tokens; add_texts() checks later that they differ. Returns
 * false if a symbol has several bytes, or, with an id map (IDS_STATED), if symbol i is not byte i; the table is then filled in part. */
static bool number_bytes(wwho_vocabulary *v) {
    for (uint32_t i = 0; i < 256; i++) {
        if (v->offset[256] != 256 || (v->id_rule == IDS_STATED && v->texts[i] != i)) return false;
        v->bytes->token[v->texts[i]] = i;
    }
    return true;
}

/* Mark the tokens from `from` up to, but without, `to` as made by no merge: each becomes its own left and right part. Returns false if one
 * is a lone space although the model has a space_id. */
static bool mark_unmade(wwho_vocabulary *v, uint32_t from, uint32_t to) {
    for (; from < to; from++) {
        v->left[from] = v->right[from] = from;
        if (v->space_id != WWHO_NONE && token_length(v, from) == 1 && v->texts[v->offset[from]] == ' ') return false;
    }
    return true;
}

/* Read the symbols, merges and other tokens of a BPE model, and build its tables; c stands at the ids afterwards. Returns WWHO_OK, or the
 * status that says what is invalid: WWHO_SYMBOLS, WWHO_TOKEN_LENGTH, WWHO_TOKEN_DUPLICATE, or one of add_merges(). */
WWHO_LOCAL int build_bpe(wwho_vocabulary *v, number_columns *c) {
    c->at += BPE_HEAD + 4 * (v->unmade + v->ties) + (v->affixes ? AFFIXES_HEAD + v->n_prefix + v->n_suffix : 0);
    int status = read_texts(v, 0, v->n_symbols, c, !is_over_bytes(v));
    if (!status && (!mark_unmade(v, 0, v->n_symbols) || (is_over_bytes(v) && !number_bytes(v)))) status = WWHO_SYMBOLS;
    if (!status) status = add_merges(v, c, !is_over_bytes(v) && v->unknown != UNKNOWN_BYTES);
    if (!status) status = read_texts(v, v->n_made, v->n_tokens - v->n_made, c, true);
    if (!status && !v->shown && v->offset[v->n_tokens] != v->text_bytes) status = WWHO_TOKEN_LENGTH;
    if (!status && !mark_unmade(v, v->n_made, v->n_tokens)) status = WWHO_SYMBOLS;
    /* With a prefix, tokens that no merge makes are found by `shown` alone: one may look like the symbols of another. */
    if (!status && !add_texts(v, v->shown ? v->n_made : v->n_tokens)) status = WWHO_TOKEN_DUPLICATE;
    if (!status && v->shown) status = add_shown(v);
    if (!status && is_over_bytes(v)) find_early(v);
    return status;
}

/* Return the token with this text of n > 0 bytes, as the file has it, or WWHO_NONE, for a BPE model or the added tokens. */
WWHO_LOCAL uint32_t find_bpe(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    return find_text(v->shown ? v->shown : v, text, n, n, hash_text(text, n, n));
}
