/* The cache: the ids of recent pretokens. Its size is fixed: a new pretoken replaces another. The cache is at the start of the scratch
 * area, so it lasts from call to call. Unseen English and code are 2.5 times as fast with it, Hindi and Sinhala 1.8 and 2.1 times.
 *
 * A line is a text and its ids. The text is padded with zeros, and its length is in the last byte. A short line stores up to four ids of
 * 32 bits, and their number in its last byte. A long line stores ids of 24 bits, and the number less one in the upper three bits of the
 * first, as does a short line with five ids, whose last byte is zero. A few lines form a set, the newest first. Short texts have sets of
 * their own, since most texts are short. With long lines, Hindi is 1.25 times as fast, Sinhala 1.5 times. With five ids in short lines,
 * Hindi as Llama 2 is 1.05 times as fast, and 1.15 times if it was seen before.
 *
 * Two short sets that lie side by side are a pair: natively, the oldest line of a full set is not lost, but replaces the oldest of the
 * other one. Only a text that its own set lacks is looked for there, and comes back if it is found. Of 2 MB of English, 1.2 % of the
 * pretokens were lost without this, and 0.3 % are: known English is 1.14 times as fast, known code 1.06 times. */
#ifndef WWHO_CACHE_H
#define WWHO_CACHE_H

#include "model.h"

enum {
    SHORT_TEXT = 2,
    LONG_TEXT = 5, /* sizes of texts and lines in words */
    SHORT_LINE = 4,
    LONG_LINE = 8,
    SHORT_WAYS = 2,
    LONG_WAYS = 3, /* lines in a set */
    QUICK_ROOM = 4,
    SHORT_ROOM = 5,
    LONG_ROOM = 8, /* ids of 32 bits in a short line, of 24 bits in a short and in a long line */
    SHORT_BITS = 16,
    LONG_BITS = 14, /* log2 of the number of sets */
    SHORT_SET = SHORT_WAYS * SHORT_LINE,
    LONG_SET = LONG_WAYS * LONG_LINE,
    LONG_SETS = SHORT_SET << SHORT_BITS, /* where the long sets start */
    CACHE_WORDS = LONG_SETS + (LONG_SET << LONG_BITS)
};

/* A text to look up, and its set. The set is null if the text is too long for a line. `other` is the set beside that of a short text. */
struct wwho_key {
    uint64_t text[LONG_TEXT];
    uint64_t *set, *other;
    size_t n; /* bytes of the text */
};

/* Return true if the text of a key is short enough for the short sets. */
static inline bool is_short(const wwho_key *key) { return key->n < 8 * SHORT_TEXT; }

/* Return the tag of a text of n > 0 bytes, for a model's number: it separates the texts of one model from those of another, and both from
 * an empty line. */
static inline uint64_t text_tag(size_t n, uint32_t model) { return (uint64_t)(n | (size_t)model << 6) << 56; }

/* A short text, padded with zeros, and its tag. */
typedef struct {
    uint64_t low, high;
} wwho_brief;

/* A key that no line has. */
#define no_brief ((wwho_brief){0, text_tag(8 * SHORT_TEXT, 0)})

/* Return the key of a text of n > 0 bytes; from its start, 16 bytes may be read. A text that is not short gets a key that no line has. */
static HOT wwho_brief brief_key(const uint8_t *text, size_t n, uint32_t model) {
    static const uint64_t masks[2 * SHORT_TEXT] = {~UINT64_C(0), ~UINT64_C(0), 0, 0};
    size_t most = n < 8 * SHORT_TEXT ? n : 8 * SHORT_TEXT;
    const uint8_t *mask = (const uint8_t *)masks + 8 * SHORT_TEXT - most % (8 * SHORT_TEXT);
    return (wwho_brief){load64(text) & load64(mask), (load64(text + 8) & load64(mask + 8)) | text_tag(most, model)};
}

/* Return the place in the cache, in words, of the set of a short text. */
static HOT uint64_t brief_set(wwho_brief key) { return SHORT_SET * ((key.low ^ (key.high * MIX >> 7)) * MIX >> (64 - SHORT_BITS)); }

/* Return the number of ids of 32 bits that a set holds for a key, or 0 if it holds none. The ids go to `ids`, which has room for
 * QUICK_ROOM and may be overwritten in any case. There is no branch, so the reads of many lookups overlap. With SIMD, known code is 1.07
 * times as fast in WebAssembly, known English 1.04 times. The line is computed, since clang makes a branch of a choice between two
 * addresses, with which known English takes 1.2 times as long. */
static HOT uint32_t find_brief(const uint64_t *set, wwho_brief key, uint32_t *ids) {
#ifdef BYTE_MASKS
    wwho_16 wanted, first, second;
    copy_bytes(&wanted, &key, 16);
    copy_bytes(&first, set, 16);
    copy_bytes(&second, set + SHORT_LINE, 16);
    bool newer = bits_of((wwho_16)(first == wanted)) == 0xFFFF, older = bits_of((wwho_16)(second == wanted)) == 0xFFFF;
#else
    bool newer = ((set[0] ^ key.low) | (set[1] ^ key.high)) == 0;
    bool older = ((set[SHORT_LINE] ^ key.low) | (set[SHORT_LINE + 1] ^ key.high)) == 0;
#endif
    const uint64_t *line = set + SHORT_LINE * (size_t)!newer;
    uint64_t kept[2] = {line[2], line[3] << 8 >> 8};
    copy_bytes(ids, kept, sizeof kept);
    return (uint32_t)(line[3] >> 56) & (0u - (newer | older));
}

/* Make the key of a text of n > 0 bytes; its set is null if the text is too long for a line. It is safe to read `readable` bytes from its
 * start on. `model` is the model's number. */
static inline void make_key(wwho_key *key, uint64_t *cache, const uint8_t *text, size_t n, size_t readable, uint32_t model) {
    uint8_t copy[8 * LONG_TEXT];
    key->set = 0;
    key->n = n;
    if (n >= 8 * LONG_TEXT) return;
    if (readable < sizeof copy) {
        for (size_t i = 0; i < sizeof copy; i++) copy[i] = i < n ? text[i] : 0;
        text = copy;
    }
    if (n < 8 * SHORT_TEXT) {
        wwho_brief brief = brief_key(text, n, model);
        key->text[0] = brief.low;
        key->text[1] = brief.high;
        uint64_t place = brief_set(brief);
        key->set = cache + place;
        key->other = cache + (place ^ SHORT_SET);
        return;
    }
    static const uint64_t masks[2 * LONG_TEXT] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    const uint8_t *mask = (const uint8_t *)masks + 8 * LONG_TEXT - n;
    uint64_t hash = 0;
    UNROLL
    for (uint32_t i = 0; i < LONG_TEXT; i++) {
        key->text[i] = load64(text + 8 * i) & load64(mask + 8 * i);
        if (i == LONG_TEXT - 1) key->text[i] |= text_tag(n, model);
        hash = hash_step(hash, key->text[i]);
    }
    key->set = cache + LONG_SETS + LONG_SET * (hash * MIX >> (64 - LONG_BITS));
}

/* Return true if n words at a and at b are the same. */
static HOT bool same_words(const uint64_t *a, const uint64_t *b, uint32_t n) {
    UNROLL
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* Look for a short text in the set beside its own. If it is there, its line becomes the newest of its own set, and the oldest line of that
 * takes its place. Returns false if it is not there, and always in WebAssembly. */
static inline bool bring_back(const wwho_key *key) {
    uint64_t line[SHORT_LINE], *set = key->set;
    for (uint64_t *at = key->other; PAIRED_SETS && at < key->other + SHORT_SET; at += SHORT_LINE) {
        if (!same_words(at, key->text, SHORT_TEXT)) continue;
        copy_bytes(line, at, sizeof line);
        copy_bytes(at, set + SHORT_SET - SHORT_LINE, sizeof line);
        for (uint32_t i = SHORT_SET; i-- > SHORT_LINE;) set[i] = set[i - SHORT_LINE];
        copy_bytes(set, line, sizeof line);
        return true;
    }
    return false;
}

/* Look up the ids of a text by its key. They go to `ids`, which has room for LONG_ROOM and may be overwritten in any case. Returns their
 * number, or 0 if the cache does not hold the text. */
static HOT uint32_t kept_ids(const wwho_key *key, uint32_t *ids) {
    const uint64_t *line = key->set;
    if (!line) return 0;
    if (is_short(key)) {
        const wwho_brief brief = {key->text[0], key->text[1]};
        uint32_t n = find_brief(line, brief, ids);
        if (n) return n;
        for (; !same_words(line, key->text, SHORT_TEXT); line += SHORT_LINE) {
            if (line != key->set + (SHORT_SET - SHORT_LINE)) continue;
            if (!bring_back(key)) return 0;
            n = find_brief(key->set, brief, ids);
            if (n) return n;
            line = key->set;
            break;
        }
        line += SHORT_TEXT;
    } else {
        for (; !same_words(line, key->text, LONG_TEXT); line += LONG_LINE)
            if (line == key->set + (LONG_SET - LONG_LINE)) return 0;
        line += LONG_TEXT;
    }
    const uint8_t *packed = (const uint8_t *)line;
    UNROLL
    for (uint32_t i = 0; i < LONG_ROOM; i++) ids[i] = read32(packed + 3 * i) & WWHO_MAX_IDS;
    return (packed[2] >> 5) + 1u;
}

/* Store the ids `first` + each of n tokens under a key. Their line becomes the newest of its set. The oldest is lost or, if it is short,
 * replaces the oldest of the set beside it. Nothing is stored without a set, or if n is 0 or more than the line holds. */
static inline void keep(const wwho_key *key, uint32_t first, const uint32_t *tokens, uint32_t n) {
    bool brief = is_short(key), quick = brief && n <= QUICK_ROOM;
    uint32_t words = brief ? SHORT_TEXT : LONG_TEXT, line = brief ? SHORT_LINE : LONG_LINE, set = brief ? SHORT_SET : LONG_SET;
    uint64_t ids[LONG_ROOM / 2] = {0};
    if (!key->set || !n || n > (brief ? SHORT_ROOM : LONG_ROOM)) return;
    WWHO_ASSERT(n <= LONG_ROOM);
    for (uint32_t i = 0; i < n; i++) {
        WWHO_ASSERT(first + tokens[i] < WWHO_MAX_IDS);
        uint32_t id = first + tokens[i] + (i || quick ? 0 : (n - 1) << WWHO_ID_BITS);
        copy_bytes((uint8_t *)ids + (quick ? 4 : 3) * i, &id, 4);
    }
    if (quick) ((uint8_t *)ids)[15] = (uint8_t)n;
    const uint64_t *oldest = key->set + (SHORT_SET - SHORT_LINE);
    if (PAIRED_SETS && brief && oldest[SHORT_TEXT - 1]) copy_bytes(key->other + (SHORT_SET - SHORT_LINE), oldest, 8 * SHORT_LINE);
    for (uint32_t i = set; i-- > line;) key->set[i] = key->set[i - line];
    for (uint32_t i = 0; i < line; i++) key->set[i] = i < words ? key->text[i] : ids[i - words];
}

#endif
