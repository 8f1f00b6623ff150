/* The tokens of a vocabulary that a text begins with, by their lengths. */
#ifndef WWHO_MATCHES_H
#define WWHO_MATCHES_H

#include "vocabulary.h"

/* The tokens that may start at a place. */
typedef struct {
    const uint8_t *text;
    size_t readable;  /* bytes that may be read from `text` on */
    uint32_t longest; /* no match is longer, in bytes */
    uint64_t states[WWHO_MAX_TOKEN / 8 + 1];
} wwho_matches;

/* Start to look for tokens of at most `most` > 0 bytes at `text`, from which `readable` bytes may be read; m->longest becomes the most
 * bytes that a match can have. */
static inline void start_matches(const wwho_vocabulary *v, wwho_matches *m, const uint8_t *text, uint32_t most, size_t readable) {
    m->text = text;
    m->readable = readable;
    m->longest = most;
    m->states[0] = 0;
    for (uint32_t k = 0; 8 * k + 8 < m->longest; k++) {
        m->states[k + 1] = hash_step(m->states[k], load64(text + 8 * k));
        if (!may_have(&v->prefix_filter, m->states[k + 1] * MIX)) m->longest = 8 * k + 8;
    }
}

/* Return the token of `length` > 0 bytes that the text of *m begins with, as start_matches() set it. WWHO_NONE if there is none, or if it
 * is numbered from v->n_plain on: a superword, or a token that no merge makes. */
static inline uint32_t match_of(const wwho_vocabulary *v, const wwho_matches *m, uint32_t length) {
    uint32_t full = length & ~7u;
    if (length > m->longest) return WWHO_NONE;
    uint64_t state = full && full == m->longest ? hash_step(m->states[full / 8 - 1], load64(m->text + full - 8)) : m->states[full / 8];
    uint64_t hash = hash_finish(state, load_tail(m->text + full, length, m->readable - full), length);
    uint32_t token = find_text(v, m->text, length, m->readable, hash);
    return token < v->n_plain ? token : WWHO_NONE;
}

#endif
