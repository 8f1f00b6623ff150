/* Encoding unknown symbols and texts (FORMAT.md, Encoding). */
#include "cache.h"
#include "encoder.h"

/* Return true if every byte of a text of n bytes has a token with an id. Only for a vocabulary with UNKNOWN_BYTES. */
static bool has_bytes(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (v->ids[v->first_byte + text[i]] == WWHO_NONE) return false;
    return true;
}

/* Write tokens for the text from `at` to `end` as far as possible, one after another: the longest symbol that it begins with, or the
 * space_id for a lone space. Returns the place where it begins with neither, or `end`. */
static size_t put_parts(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    while (at < end) {
        wwho_matches matches;
        uint32_t n = end - at < v->longest ? (uint32_t)(end - at) : v->longest, token = WWHO_NONE;
        start_matches(v, &matches, e->text + at, n, e->len - at);
        for (n = matches.longest; n && (token = match_of(v, &matches, n)) >= v->n_symbols; n--) {
        }
        if (!n && (e->text[at] != ' ' || v->space_id == WWHO_NONE)) break;
        put(e, n ? id_of(v, token) : v->space_id, at + (n ? n : 1));
        at += n ? n : 1;
    }
    return at;
}

/* Return true if an unknown symbol becomes unk_id whatever its bytes are: the model or the flags of the call say so. */
static bool becomes_unk(const wwho_encoder *e, const wwho_vocabulary *v) {
    return v->unknown == UNKNOWN_ID || (e->flags & WWHO_UNK_TOKEN && v->unk_id != WWHO_NONE);
}

/* Return true if an unknown symbol with this text of n bytes becomes the tokens of its bytes: the model says so, has a token for each of
 * them, and the call does not ask for unk_id instead. */
WWHO_LOCAL bool falls_back(const wwho_encoder *e, const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    return v->unknown == UNKNOWN_BYTES && !becomes_unk(e, v) && has_bytes(v, text, n);
}

/* Write the replacement for the text from `at` to `end`, which the model lacks: tokens of a speller (after the longest symbols, with
 * v->parts), tokens of its bytes, or unk_id. `again`: the symbol directly before became unk_id; if the model fuses them, both share one,
 * which is written after byte tokens. Returns true if the last token written is unk_id. */
WWHO_LOCAL bool put_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end, bool again) {
    bool unk = becomes_unk(e, v);
    if (!unk && v->unknown == UNKNOWN_SPELL) {
        const wwho_key none = {.set = 0};
        if (v->parts) at = put_parts(e, v, at, end);
        if (at < end) v->speller->kind->encode(e, v->speller, 0, &none, at, end);
        return false;
    }
    if (!unk && has_bytes(v, e->text + at, end - at)) {
        /* as in tokenizers: an unk_id is written once it is clear that it extends no further, which may be after byte tokens */
        if (again) take_back(e);
        for (; at < end; at++) put(e, v->ids[v->first_byte + e->text[at]], again ? at : at + 1);
        if (again) put(e, v->unk_id, end);
        return again;
    }
    if (again && v->fuse) take_back(e); /* then put it again, with the new end */
    put(e, v->unk_id, end);
    return true;
}
