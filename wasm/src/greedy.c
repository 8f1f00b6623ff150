/* WordPiece: the longest token first, from left to right (FORMAT.md, MODEL). */
#include "encoder.h"
#include "models.h"
#include "trie.h"

enum { GREEDY_HEAD = 4 };

/* The roots of the trie: FIRST for tokens that may start a pretoken, LATER for tokens that may only continue one. */
enum { FIRST, LATER };

typedef struct {
    wwho_trie trie;
    uint32_t max_characters; /* a pretoken with more characters is unknown */
} wwho_greedy;

/* Return true if a text of n bytes has more than `characters` characters. */
static bool is_longer(const uint8_t *text, size_t n, uint32_t characters) {
    uint32_t code_point;
    if (n <= characters) return false;
    for (size_t at = 0; at < n; at += utf8_next(text + at, n - at, &code_point))
        if (!characters--) return true;
    return false;
}

/* Return the longest token under a root of the trie that the text of n bytes starts with, or WWHO_NONE. */
static uint32_t longest_token(const wwho_trie *trie, uint32_t root, const uint8_t *text, size_t n) {
    uint32_t longest = WWHO_NONE, node = root;
    for (uint32_t i = 0; i < n && (node = next_node(trie, node, i, text[i])) != 0; i++) {
        uint32_t token = token_at(trie, node, i + 1);
        if (token != WWHO_NONE) longest = token;
    }
    return longest;
}

/* Encode the pretoken from `at` to `end` by the longest token first, from left to right; if a place has none, or the pretoken has too many
 * characters, all of it is unknown. Tokens are written as they are found, and taken back if the pretoken turns out to be unknown. So
 * pretokens may have any length. Stores the tokens in the cache under `key` if they are few. */
WWHO_LOCAL void encode_greedy(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                              size_t end) {
    const wwho_greedy *own = v->own;
    size_t start = at, n = e->n;
    wwho_kept kept = {.n = 0};
    bool known = !is_longer(e->text + at, end - at, own->max_characters);
    (void)route;
    for (uint32_t root = FIRST; known && at < end; root = v->anywhere ? FIRST : LATER) {
        uint32_t token = longest_token(&own->trie, root, e->text + at, end - at);
        known = token != WWHO_NONE;
        if (!known) break;
        at += token_length(v, token);
        note(&kept, token);
        put(e, id_of(v, token), at);
    }
    if (known) {
        keep_noted(key, v, &kept);
        return;
    }
    e->n = n;
    e->place = start;
    put_unknown(e, v, start, end, false);
}

/* Return the token with this text of n > 0 bytes, or WWHO_NONE, for a model of the kind GREEDY; one that starts a pretoken comes first. */
WWHO_LOCAL uint32_t find_greedy(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    const wwho_greedy *own = v->own;
    uint32_t token = find_node(&own->trie, FIRST, text, n);
    return token == WWHO_NONE ? find_node(&own->trie, LATER, text, n) : token;
}

/* Check the head at p of a model of the kind GREEDY, of `length` bytes with all that follows it, and take memory for its texts and trie.
 * Returns WWHO_OK or WWHO_MODEL. */
WWHO_LOCAL int check_greedy(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena) {
    if (length < GREEDY_HEAD || v->symbols || v->fuse || (v->anywhere && v->n_tokens != v->n_symbols)) return WWHO_MODEL;
    uint32_t max_characters = read32(p);
    if (!max_characters || (v->unknown == UNKNOWN_NONE && max_characters != WWHO_NONE)) return WWHO_MODEL;
    take_texts(arena, v);
    wwho_greedy *own = take(arena, sizeof *own), made = {.max_characters = max_characters};
    take_trie(arena, &made.trie, v->n_tokens, length);
    v->own = own;
    if (made.trie.bytes) *own = made;
    return WWHO_OK;
}

/* Return true if each byte is a token at every position, so that nothing is unknown. */
static bool has_all_bytes(const wwho_vocabulary *v, const wwho_trie *trie) {
    for (uint32_t i = 0; i < 512u >> v->anywhere; i++) { /* bit 8 selects the root: FIRST or LATER */
        const uint8_t byte = (uint8_t)i;
        if (find_node(trie, i >> 8, &byte, 1) == WWHO_NONE) return false;
    }
    return true;
}

/* Read the texts of a model of the kind GREEDY, and build its trie. Returns WWHO_OK, WWHO_SYMBOLS, WWHO_TOKEN_LENGTH or
 * WWHO_TOKEN_DUPLICATE. */
WWHO_LOCAL int build_greedy(wwho_vocabulary *v, number_columns *c) {
    wwho_greedy *own = (wwho_greedy *)v->own;
    c->at += GREEDY_HEAD;
    int status = read_texts(v, 0, v->n_tokens, c, false);
    if (!status && v->offset[v->n_tokens] != v->text_bytes) status = WWHO_TOKEN_LENGTH;
    if (status) return status;
    if (!build_trie(&own->trie, v->texts, v->offset, v->n_symbols, v->n_tokens)) return WWHO_TOKEN_DUPLICATE;
    return v->unknown == UNKNOWN_NONE && !has_all_bytes(v, &own->trie) ? WWHO_SYMBOLS : WWHO_OK;
}
