/* The cache: what pieces and words became. Of fixed size; a new one takes the place of another. It lies at the start of the
 * scratch area, so that it lasts from call to call.
 *
 * A line is a text, zero behind its end and with its length in the last byte, and its tokens, their number in the upper bits
 * of the first. Short texts have lines of their own, since most are short. */
#include "internal.h"

enum {
    SHORT_TEXT = 2, LONG_TEXT = 6, /* words */
    SHORT_LINE = 4, LONG_LINE = 10,
    SHORT_BITS = 15, LONG_BITS = 15,
    CACHE_WORDS = (SHORT_LINE << SHORT_BITS) + (LONG_LINE << LONG_BITS)
};

/* A text to be looked up, and its line; null where it is too long for one. */
typedef struct {
    uint64_t text[LONG_TEXT];
    uint32_t words; /* of the text */
    uint32_t room;  /* for tokens */
    uint64_t *line;
} wwho_key;

/* Word number i of a text of n bytes, zero behind its end. */
static inline uint64_t text_word(const uint8_t *text, size_t n, size_t i) {
    if (n >= 8 * i + 8) return load64(text + 8 * i);
    return n > 8 * i ? load64(text + 8 * i) & ((UINT64_C(1) << 8 * (n - 8 * i)) - 1) : 0;
}

/* The key of a text of n > 0 bytes; `readable` bytes may be read from it on. `sgpe` tells words from pieces. */
static inline void make_key(wwho_key *key, uint64_t *cache, const uint8_t *text, size_t n, size_t readable, bool sgpe) {
    uint8_t copy[8 * LONG_TEXT];
    uint64_t tag = (uint64_t)(n | (size_t)sgpe << 7) << 56, hash;
    key->words = 0;
    key->line = 0;
    if (n >= 8 * LONG_TEXT) return;
    if (readable < sizeof copy) {
        for (size_t i = 0; i < sizeof copy; i++) copy[i] = i < n ? text[i] : 0;
        text = copy;
    }
    if (n < 8 * SHORT_TEXT) {
        key->words = SHORT_TEXT;
        key->room = 2 * (SHORT_LINE - SHORT_TEXT);
        key->text[0] = text_word(text, n, 0);
        key->text[1] = text_word(text, n, 1) | tag;
        hash = (key->text[0] ^ (key->text[1] * MIX >> 7)) * MIX;
        key->line = cache + SHORT_LINE * (hash >> (64 - SHORT_BITS));
        return;
    }
    key->words = LONG_TEXT;
    key->room = 2 * (LONG_LINE - LONG_TEXT);
    for (uint32_t i = 0; i < LONG_TEXT; i++) key->text[i] = text_word(text, n, i);
    key->text[LONG_TEXT - 1] |= tag;
    hash = 0;
    for (uint32_t i = 0; i < LONG_TEXT; i++) hash = hash_step(hash, key->text[i]);
    key->line = cache + (SHORT_LINE << SHORT_BITS) + LONG_LINE * (hash * MIX >> (64 - LONG_BITS));
}

/* Where the tokens of this text are kept; null where they are not. */
static inline const uint32_t *cached_tokens(const wwho_key *key) {
    const uint64_t *line = key->line;
    if (!line || line[0] != key->text[0] || line[1] != key->text[1]) return 0;
    for (uint32_t i = 2; i < key->words; i++)
        if (line[i] != key->text[i]) return 0;
    return (const uint32_t *)(line + key->words);
}

static inline uint32_t first_token(const uint32_t *kept) { return kept[0] & 0xFFFFFF; }
static inline uint32_t token_count(const uint32_t *kept) { return kept[0] >> 24; }

static inline void keep_tokens(const wwho_key *key, const uint32_t *tokens, uint32_t n) {
    if (!key->line || !n || n > key->room) return;
    uint32_t *kept = (uint32_t *)(key->line + key->words);
    for (uint32_t i = 0; i < key->words; i++) key->line[i] = key->text[i];
    for (uint32_t i = 1; i < n; i++) kept[i] = tokens[i];
    kept[0] = tokens[0] | n << 24;
}
