/* A cache for pretokens that have too many ids for the main cache, such as words of a script that a model encodes with byte fallback. A
 * line is a text, stored as in the main cache, and its ids; a new line replaces an old one. Native builds only: unseen Hindi is 1.15 times
 * as fast with Yi's tokenizer. */
#ifndef WWHO_MANY_H
#define WWHO_MANY_H

#include "encode.h"

#ifndef __wasm__
enum { MANY_IDS = 29, MANY_BITS = 11 };

struct wwho_many {
    uint64_t text[LONG_TEXT];
    uint32_t n, ids[MANY_IDS];
};

/* Whether lines are worth it for a model: with BERT, the lookup costs more time than it saves. */
static inline bool has_lines(const wwho_vocabulary *v) { return v->unknown == UNKNOWN_BYTES && !v->superwords.slots; }

/* The line of a text. Null if no line may be used. */
static inline wwho_many *many_line(const wwho_encoder *e, const wwho_key *key, bool worth) {
    if (!key->set || !worth || e->ends || e->flags & WWHO_UNK_TOKEN) return 0;
    return e->many + ((uint64_t)(key->set - e->cache) * MIX >> (64 - MANY_BITS));
}

static inline void fetch_many(const wwho_many *line) {
    for (uint32_t i = 0; line && i < sizeof *line; i += 64) prefetch((const uint8_t *)line + i);
}

static inline bool has_many(const wwho_many *line, const wwho_key *key) {
    if (!line || is_short(key) != !line->text[LONG_TEXT - 1]) return false; /* a long text has its length there */
    return same_words(line->text, key->text, is_short(key) ? SHORT_TEXT : LONG_TEXT);
}

/* Write the ids of a text, if they are cached. */
static inline bool put_many(wwho_encoder *e, const wwho_key *key, const wwho_many *line) {
    if (!has_many(line, key)) return false;
    for (uint32_t i = 0; i < line->n && e->n + i < e->cap; i++) e->ids[e->n + i] = line->ids[i];
    e->n += line->n;
    return true;
}

/* Store the ids of a text: the ones from number `first` on. */
static inline void keep_many(wwho_encoder *e, const wwho_key *key, wwho_many *line, size_t first) {
    size_t n = e->n - first;
    if (!line || n <= (is_short(key) ? SHORT_ROOM : LONG_ROOM) || n > MANY_IDS || e->n > e->cap || e->n > e->limit || e->stuck) return;
    for (uint32_t i = 0; i < LONG_TEXT; i++) line->text[i] = is_short(key) && i >= SHORT_TEXT ? 0 : key->text[i];
    for (uint32_t i = 0; i < n; i++) line->ids[i] = e->ids[first + i];
    line->n = (uint32_t)n;
}
#endif

#endif
