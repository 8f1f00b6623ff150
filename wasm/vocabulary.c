/* A vocabulary's look-ups: (left, right) -> merged token, and text -> token. Both tables are open addressing with linear
 * probing, at most three quarters full. Most look-ups of the merge find nothing: a filter, small enough to stay in the
 * processor's cache, says so before the table is touched. */
#include "internal.h"

#define MIX 0x9E3779B97F4A7C15u

/* Whether a hash may have been added: no is certain, yes is not. */
static inline bool may_have(const wwho_filter *filter, uint64_t hash) {
    uint32_t bit = (uint32_t)(hash >> (64 - filter->log2));
    return filter->bits[bit >> 3] >> (bit & 7) & 1;
}

static inline void add_hash(const wwho_filter *filter, uint64_t hash) {
    uint32_t bit = (uint32_t)(hash >> (64 - filter->log2));
    filter->bits[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

/* The token that two neighbours merge to, or WWHO_NONE. Its id is the rank of the merge. */
static inline uint32_t pair_token(const wwho_pairs *pairs, uint32_t left, uint32_t right) {
    uint64_t key = (uint64_t)left << WWHO_ID_BITS | right, hash = key * MIX, slot;
    if (!may_have(&pairs->filter, hash)) return WWHO_NONE;
    uint32_t mask = (1u << pairs->log2) - 1, at = (uint32_t)(hash >> (64 - pairs->log2));
    for (; (slot = pairs->slots[at]) != 0; at = (at + 1) & mask)
        if (slot >> WWHO_ID_BITS == key) return (uint32_t)slot & ((1u << WWHO_ID_BITS) - 1);
    return WWHO_NONE;
}

/* False where the pair is there already. */
static bool add_pair(const wwho_pairs *pairs, uint32_t left, uint32_t right, uint32_t token) {
    uint64_t key = (uint64_t)left << WWHO_ID_BITS | right, hash = key * MIX;
    uint32_t mask = (1u << pairs->log2) - 1, at = (uint32_t)(hash >> (64 - pairs->log2));
    for (; pairs->slots[at]; at = (at + 1) & mask)
        if (pairs->slots[at] >> WWHO_ID_BITS == key) return false;
    pairs->slots[at] = key << WWHO_ID_BITS | token;
    add_hash(&pairs->filter, hash);
    return true;
}

/* A hash that is built eight bytes at a time, so that those of all prefixes of a text come at one step each. */
static inline uint64_t hash_step(uint64_t state, uint64_t word) {
    state = (state ^ word) * MIX;
    return state ^ state >> 29;
}

/* The last n % 8 of n bytes as a word, zero above. `readable` bytes may be read from tail on. */
static inline uint64_t load_tail(const uint8_t *tail, size_t n, size_t readable) {
    uint64_t word = 0;
    n &= 7;
    if (readable >= 8) return n ? load64(tail) & (~UINT64_C(0) >> (64 - 8 * n)) : 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)tail[i] << 8 * i;
    return word;
}

/* The hash of a text of n bytes from the state of its full words and its tail. */
static inline uint64_t hash_finish(uint64_t state, uint64_t tail, size_t n) {
    return hash_step(state, tail | (uint64_t)n << 56) * MIX;
}

static inline uint64_t hash_text(const uint8_t *text, size_t n, size_t readable) {
    uint64_t state = 0;
    size_t at = 0;
    for (; at + 8 <= n; at += 8) state = hash_step(state, load64(text + at));
    return hash_finish(state, load_tail(text + at, n, readable - at), n);
}

/* A slot of `strings`: all that is known of a text before it is read. */
static inline uint64_t string_slot(uint32_t token, uint64_t n, uint64_t offset, uint64_t hash) {
    return token | n << 21 | offset << 31 | hash << 62;
}

static inline bool same_text(const uint8_t *a, const uint8_t *b, size_t n) {
    size_t at = 0;
    for (; at + 8 <= n; at += 8)
        if (load64(a + at) != load64(b + at)) return false;
    for (; at < n; at++)
        if (a[at] != b[at]) return false;
    return true;
}

/* The token with this text, whose hash is given, or WWHO_NONE; the slot where it is or would be goes to *where. */
static inline uint32_t find_slot(const wwho_vocabulary *v, const uint8_t *text, size_t n, uint64_t hash, uint32_t *where) {
    const uint64_t told = string_slot(0, 1023, 0, 3), same = string_slot(0, n, 0, hash);
    uint32_t mask = (1u << v->strings_bits) - 1, at = (uint32_t)(hash >> (64 - v->strings_bits));
    for (uint64_t slot; (slot = v->strings[at]) != 0; at = (at + 1) & mask) {
        if ((slot & told) != same) continue;
        if (same_text(v->texts + (slot >> 31 & 0x7FFFFFFF), text, n)) return (uint32_t)slot & ((1u << WWHO_ID_BITS) - 1);
    }
    *where = at;
    return WWHO_NONE;
}

/* The token with this text, whose hash is given, or WWHO_NONE. */
static inline uint32_t find_text(const wwho_vocabulary *v, const uint8_t *text, size_t n, uint64_t hash) {
    uint32_t where;
    if (n > v->longest || !may_have(&v->text_filter, hash)) return WWHO_NONE;
    return find_slot(v, text, n, hash, &where);
}

/* As find_text(), but no superword. */
static inline uint32_t find_plain(const wwho_vocabulary *v, const uint8_t *text, size_t n, uint64_t hash) {
    uint32_t token = find_text(v, text, n, hash);
    return token < v->n_plain ? token : WWHO_NONE;
}

/* False where the text of `token` is another token's. */
static bool add_text(wwho_vocabulary *v, uint32_t token) {
    const uint8_t *text = v->texts + v->offset[token];
    uint32_t n = token_length(v, token), where = 0, at = 0;
    uint64_t state = 0, hash = hash_text(text, n, n);
    if (find_slot(v, text, n, hash, &where) != WWHO_NONE) return false;
    for (; at + 8 < n; at += 8) {
        state = hash_step(state, load64(text + at));
        add_hash(&v->prefix_filter, state * MIX);
    }
    v->strings[where] = string_slot(token, n, v->offset[token], hash);
    add_hash(&v->text_filter, hash);
    if (n > v->longest) v->longest = n;
    return true;
}

/* A symbol's text, of n bytes, becomes the next token. WWHO_TOKEN_LENGTH where the texts are longer than META says. */
static int add_symbol(wwho_vocabulary *v, uint32_t token, const uint8_t *text, uint32_t n, uint32_t text_bytes) {
    uint32_t at = v->offset[token];
    if (n > text_bytes - at) return WWHO_TOKEN_LENGTH;
    __builtin_memcpy(v->texts + at, text, n);
    v->offset[token + 1] = at + n;
    v->left[token] = v->right[token] = token;
    return add_text(v, token) ? WWHO_OK : WWHO_TOKEN_DUPLICATE;
}

/* A merge becomes the next token. */
static int add_merge(wwho_vocabulary *v, uint32_t token, uint32_t left, uint32_t right, uint32_t text_bytes) {
    if (left >= token || right >= token) return WWHO_PAIR_ORDER;
    uint32_t at = v->offset[token], n = token_length(v, left), m = token_length(v, right);
    if (n + m > WWHO_MAX_TOKEN || n + m > text_bytes - at) return WWHO_TOKEN_LENGTH;
    __builtin_memcpy(v->texts + at, v->texts + v->offset[left], n);
    __builtin_memcpy(v->texts + at + n, v->texts + v->offset[right], m);
    v->offset[token + 1] = at + n + m;
    v->left[token] = left;
    v->right[token] = right;
    if (!add_pair(token < v->n_plain ? &v->pairs : &v->superwords, left, right, token)) return WWHO_PAIR_DUPLICATE;
    return add_text(v, token) ? WWHO_OK : WWHO_TOKEN_DUPLICATE;
}

/* One LEB128 in its shortest form, of at most four bytes; null where there is none before `end`. */
static inline const uint8_t *read_leb(const uint8_t *p, const uint8_t *end, uint32_t *value) {
    *value = 0;
    for (uint32_t shift = 0; p < end && shift < 28; shift += 7) {
        uint8_t byte = *p++;
        *value |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) return byte || !shift ? p : 0;
    }
    return 0;
}

/* The difference, modulo 2^32, that a zigzag-coded number stands for. */
static inline uint32_t unzigzag(uint32_t value) { return value >> 1 ^ (0 - (value & 1)); }

/* Skip n LEB128s, unchecked; null where there are fewer before `end`. */
static const uint8_t *skip_lebs(const uint8_t *p, const uint8_t *end, uint32_t n) {
    for (; n && p < end; p++) n -= *p < 128;
    return n ? 0 : p;
}

/* The two columns of pairs in FORMAT.md, sections 6 and 7 (`delta`: the left one holds zigzag-coded differences). */
static int add_merges(wwho_vocabulary *v, const uint8_t *lefts, const uint8_t *end, bool delta, uint32_t text_bytes) {
    uint32_t n = v->n_tokens - v->n_symbols, left = 0;
    const uint8_t *rights = skip_lebs(lefts, end, n), *lefts_end = rights;
    if (!rights) return WWHO_PAIRS;
    for (uint32_t token = v->n_symbols; token < v->n_tokens; token++) {
        uint32_t value, right;
        lefts = read_leb(lefts, lefts_end, &value);
        rights = read_leb(rights, end, &right);
        if (!lefts || !rights) return WWHO_PAIRS;
        left = delta ? left + unzigzag(value) : value;
        int status = add_merge(v, token, left, right, text_bytes);
        if (status) return status;
    }
    return rights == end ? WWHO_OK : WWHO_PAIRS;
}
