/* What a model lacks (FORMAT.md, MODEL). */
#include "cache.h"
#include "encode.h"

/* Whether each of the bytes has a token. */
static bool has_bytes(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (v->ids[v->first_byte + text[i]] == WWHO_NONE) return false;
    return true;
}

WWHO_LOCAL bool put_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end, bool again) {
    bool unk = v->unknown == UNKNOWN_ID || (e->flags & WWHO_UNK_TOKEN && v->unk_id != WWHO_NONE);
    if (!unk && v->unknown == UNKNOWN_SPELL) {
        const wwho_key none = {.set = 0};
        v->speller->kind->encode(e, v->speller, 0, &none, at, end);
        return false;
    }
    if (!unk && has_bytes(v, e->text + at, end - at)) {
        /* as tokenizers do it: an unk_id is written once it is known that it goes no further, which may be after the tokens of bytes */
        if (again) take_back(e);
        for (; at < end; at++) put(e, v->ids[v->first_byte + e->text[at]], again ? at : at + 1);
        if (again) put(e, v->unk_id, end);
        return again;
    }
    if (again && v->fuse) take_back(e); /* and it is put anew, with this end */
    put(e, v->unk_id, end);
    return true;
}
