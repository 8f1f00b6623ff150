/* The cache: what pieces became. Of fixed size: a new one takes the place of another. It lies at the
 * start of the scratch area, so that it lasts from call to call.
 *
 * A line is a text, zero behind its end and with its length in the last byte, and its ids, their number in the upper bits of
 * the first. Two lines are a set, the newer one first. Short texts have sets of their own, since most are short. */
#ifndef WWHO_CACHE_H
#define WWHO_CACHE_H

#include "model.h"

enum {
    SHORT_TEXT = 2, LONG_TEXT = 6, /* words */
    SHORT_LINE = 4, LONG_LINE = 10,
    SHORT_ROOM = 2 * (SHORT_LINE - SHORT_TEXT), LONG_ROOM = 2 * (LONG_LINE - LONG_TEXT), /* ids */
    SHORT_BITS = 15, LONG_BITS = 14, /* of the number of sets */
    LONG_SETS = 2 * SHORT_LINE << SHORT_BITS, /* where they begin */
    CACHE_WORDS = LONG_SETS + (2 * LONG_LINE << LONG_BITS)
};

/* A text to be looked up, and its set; null where it is too long for one. */
struct wwho_key {
    uint64_t text[LONG_TEXT];
    uint64_t *set;
    size_t n; /* bytes of the text */
};

static inline bool is_short(const wwho_key *key) { return key->n < 8 * SHORT_TEXT; }

/* What tells the texts of one model from another's, and both from an empty line: n > 0 is the length. */
static inline uint64_t text_tag(size_t n, uint32_t model) { return (uint64_t)(n | (size_t)model << 6) << 56; }

/* The key of a short text of n > 0 bytes, from which on 16 may be read. */
static HOT void make_short_key(wwho_key *key, uint64_t *cache, const uint8_t *text, size_t n, uint32_t model) {
    static const uint64_t masks[2 * SHORT_TEXT] = {~UINT64_C(0), ~UINT64_C(0), 0, 0};
    const uint8_t *mask = (const uint8_t *)masks + 8 * SHORT_TEXT - n;
    key->n = n;
    key->text[0] = load64(text) & load64(mask);
    key->text[1] = (load64(text + 8) & load64(mask + 8)) | text_tag(n, model);
    key->set = cache + 2 * SHORT_LINE * ((key->text[0] ^ (key->text[1] * MIX >> 7)) * MIX >> (64 - SHORT_BITS));
}

/* The key of a text of n > 0 bytes; `readable` bytes may be read from it on. `model` is its number. */
static COLD void make_key(wwho_key *key, uint64_t *cache, const uint8_t *text, size_t n, size_t readable, uint32_t model) {
    uint8_t copy[8 * LONG_TEXT];
    key->set = 0;
    key->n = n;
    if (n >= 8 * LONG_TEXT) return;
    if (readable < sizeof copy) {
        for (size_t i = 0; i < sizeof copy; i++) copy[i] = i < n ? text[i] : 0;
        text = copy;
    }
    if (n < 8 * SHORT_TEXT) {
        make_short_key(key, cache, text, n, model);
        return;
    }
    uint64_t hash = 0;
    for (uint32_t i = 0; i < LONG_TEXT; i++) {
        key->text[i] = i < n / 8 ? load64(text + 8 * i) : i == n / 8 ? load_tail(text + 8 * i, n, 8) : 0;
        if (i == LONG_TEXT - 1) key->text[i] |= text_tag(n, model);
        hash = hash_step(hash, key->text[i]);
    }
    key->set = cache + LONG_SETS + 2 * LONG_LINE * (hash * MIX >> (64 - LONG_BITS));
}

static HOT bool same_words(const uint64_t *a, const uint64_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* The ids that a set has for a text of n words; null: none. */
static HOT const uint32_t *ids_in_set(const uint64_t *set, const uint64_t *text, uint32_t n, uint32_t line) {
    if (same_words(set, text, n)) return (const uint32_t *)(set + n);
    return same_words(set + line, text, n) ? (const uint32_t *)(set + line + n) : 0;
}

static HOT const uint32_t *kept_ids(const wwho_key *key) {
    if (!key->set) return 0;
    return is_short(key) ? ids_in_set(key->set, key->text, SHORT_TEXT, SHORT_LINE)
                         : ids_in_set(key->set, key->text, LONG_TEXT, LONG_LINE);
}

static inline uint32_t first_id(const uint32_t *kept) { return kept[0] & 0xFFFFFF; }
static inline uint32_t id_count(const uint32_t *kept) { return kept[0] >> 24; }

/* Keep `first` + each of n tokens. */
static inline void keep(const wwho_key *key, uint32_t first, const uint32_t *tokens, uint32_t n) {
    bool brief = is_short(key);
    uint32_t words = brief ? SHORT_TEXT : LONG_TEXT, line = brief ? SHORT_LINE : LONG_LINE, room = brief ? SHORT_ROOM : LONG_ROOM;
    if (!key->set || !n || n > room) return;
    copy_bytes(key->set + line, key->set, line * sizeof *key->set);
    copy_bytes(key->set, key->text, words * sizeof *key->set);
    uint32_t *kept = (uint32_t *)(key->set + words);
    for (uint32_t i = 1; i < n; i++) kept[i] = first + tokens[i];
    kept[0] = (first + tokens[0]) | n << 24;
}

#endif
