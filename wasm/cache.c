/* The cache: what pieces and words became. Of fixed size: a new one takes the place of another. It lies at the start of the
 * scratch area, so that it lasts from call to call.
 *
 * A line is a text, zero behind its end and with its length in the last byte, and its ids, their number in the upper bits of
 * the first. Two lines are a set, the newer one first. Short texts have sets of their own, since most are short. */
#include "internal.h"

enum {
    SHORT_TEXT = 2, LONG_TEXT = 6, /* words */
    SHORT_LINE = 4, LONG_LINE = 10,
    SHORT_ROOM = 2 * (SHORT_LINE - SHORT_TEXT), LONG_ROOM = 2 * (LONG_LINE - LONG_TEXT), /* ids */
    SHORT_BITS = 15, LONG_BITS = 14, /* of the number of sets */
    LONG_SETS = 2 * SHORT_LINE << SHORT_BITS, /* where they begin */
    CACHE_WORDS = LONG_SETS + (2 * LONG_LINE << LONG_BITS)
};

/* A text to be looked up, and its set; null where it is too long for one. */
typedef struct {
    uint64_t text[LONG_TEXT];
    uint64_t *set;
    uint32_t words; /* of the text */
    uint32_t line;  /* words of a line */
} wwho_key;

/* What tells the texts of pieces from those of words, and both from an empty line: n > 0 is the length. */
static inline uint64_t text_tag(size_t n, bool sgpe) { return (uint64_t)(n | (size_t)sgpe << 7) << 56; }

/* The key of a short text of n > 0 bytes, from which on 16 may be read. */
static inline wwho_key make_short_key(uint64_t *cache, const uint8_t *text, size_t n, bool sgpe) {
    static const uint64_t masks[2 * SHORT_TEXT] = {~UINT64_C(0), ~UINT64_C(0), 0, 0};
    const uint8_t *mask = (const uint8_t *)masks + 8 * SHORT_TEXT - n;
    wwho_key key = {.words = SHORT_TEXT, .line = SHORT_LINE};
    key.text[0] = load64(text) & load64(mask);
    key.text[1] = (load64(text + 8) & load64(mask + 8)) | text_tag(n, sgpe);
    key.set = cache + 2 * SHORT_LINE * ((key.text[0] ^ (key.text[1] * MIX >> 7)) * MIX >> (64 - SHORT_BITS));
    return key;
}

/* The key of a text of n > 0 bytes; `readable` bytes may be read from it on. `sgpe` tells words from pieces. */
static inline wwho_key make_key(uint64_t *cache, const uint8_t *text, size_t n, size_t readable, bool sgpe) {
    wwho_key key = {.words = LONG_TEXT, .line = LONG_LINE};
    uint8_t copy[8 * LONG_TEXT];
    if (n >= 8 * LONG_TEXT) return key;
    if (readable < sizeof copy) {
        for (size_t i = 0; i < sizeof copy; i++) copy[i] = i < n ? text[i] : 0;
        text = copy;
    }
    if (n < 8 * SHORT_TEXT) return make_short_key(cache, text, n, sgpe);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < LONG_TEXT; i++) {
        key.text[i] = i < n / 8 ? load64(text + 8 * i) : i == n / 8 ? load_tail(text + 8 * i, n, 8) : 0;
        if (i == LONG_TEXT - 1) key.text[i] |= text_tag(n, sgpe);
        hash = hash_step(hash, key.text[i]);
    }
    key.set = cache + LONG_SETS + 2 * LONG_LINE * (hash * MIX >> (64 - LONG_BITS));
    return key;
}

static inline bool same_words(const uint64_t *a, const uint64_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* The ids that are kept for a text; null: none. */
static inline const uint32_t *kept_ids(const wwho_key *key) {
    const uint64_t *line = key->set;
    if (!same_words(line, key->text, key->words)) {
        line += key->line;
        if (!same_words(line, key->text, key->words)) return 0;
    }
    return (const uint32_t *)(line + key->words);
}

static inline uint32_t first_id(const uint32_t *kept) { return kept[0] & 0xFFFFFF; }
static inline uint32_t id_count(const uint32_t *kept) { return kept[0] >> 24; }

/* Keep `first` + each of n tokens. */
static inline void keep(const wwho_key *key, uint32_t first, const uint32_t *tokens, uint32_t n) {
    if (!key->set || !n || n > 2 * (key->line - key->words)) return;
    __builtin_memcpy(key->set + key->line, key->set, key->line * sizeof *key->set);
    uint32_t *kept = (uint32_t *)(key->set + key->words);
    for (uint32_t i = 0; i < key->words; i++) key->set[i] = key->text[i];
    for (uint32_t i = 1; i < n; i++) kept[i] = first + tokens[i];
    kept[0] = (first + tokens[0]) | n << 24;
}
