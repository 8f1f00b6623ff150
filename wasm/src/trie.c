/* See trie.h. */
#include "trie.h"

enum { KEYS = 257, KEY_WORDS = KEYS / 64 + 1 };

/* Return the node that n > 0 bytes of text lead to from a node at `depth` (bytes from the root); 0 if there is none. */
WWHO_LOCAL uint32_t follow(const wwho_trie *trie, uint32_t node, uint32_t depth, const uint8_t *text, size_t n) {
    uint32_t i = 0;
    do node = next_node(trie, node, depth + i, text[i]);
    while (node && ++i < n);
    return node;
}

/* Return the token with exactly this text of n > 0 bytes, in the set of a root (0 or 1), or WWHO_NONE. */
WWHO_LOCAL uint32_t find_node(const wwho_trie *trie, uint32_t root, const uint8_t *text, size_t n) {
    return token_at(trie, follow(trie, root, 0, text, n), (uint32_t)n); /* roots have no tokens */
}

/* Take memory for a trie of n_tokens texts that need at most n_nodes nodes besides the roots and their children; without memory, its fields
 * are null. */
WWHO_LOCAL void take_trie(wwho_arena *arena, wwho_trie *trie, uint32_t n_tokens, uint64_t n_nodes) {
    trie->order = take_numbers(arena, n_tokens);
    trie->sorted = take_numbers(arena, n_tokens);
    trie->nodes = take(arena, (n_nodes + N_FIRST) * sizeof *trie->nodes);
    trie->bytes = take(arena, n_nodes + N_FIRST);
}

/* Return the key by which tokens are sorted at a depth: 0 if the text of the token ends there, else 1 more than the byte. */
static inline uint32_t key_of(const wwho_trie *trie, uint32_t token, uint32_t depth) {
    uint32_t at = trie->offset[token] + depth;
    return at == trie->offset[token + 1] ? 0 : trie->texts[at] + 1u;
}

/* Make the children of a node at `depth`, from node n on. Before, the node holds the range of its tokens in `order`, from `children` to
 * `token`; new children hold theirs in the same way, in `sorted`, where the tokens of the range go, sorted by their keys. Returns the node
 * after the last one, or 0 if two texts are the same. */
static uint32_t add_children(wwho_trie *trie, uint32_t node, uint32_t depth, uint32_t n) {
    uint32_t *order = trie->order, *sorted = trie->sorted, from = trie->nodes[node].children, to = trie->nodes[node].token, at = from,
             start[KEYS];
    uint64_t keys[KEY_WORDS] = {0}; /* a set: these have a count in `start`, and then a place */
    wwho_node made = {.children = n};
    for (uint32_t i = from; i < to; i++) {
        uint32_t key = key_of(trie, order[i], depth);
        uint64_t bit = UINT64_C(1) << (key & 63);
        if (!(keys[key >> 6] & bit)) start[key] = 0;
        keys[key >> 6] |= bit;
        start[key]++;
        order[i] |= key << WWHO_ID_BITS;
    }
    for (uint32_t word = 0; word < KEY_WORDS; word++)
        for (uint64_t bits = keys[word]; bits; bits &= bits - 1) {
            uint32_t key = 64 * word + trailing_zeros(bits), end = at + start[key];
            start[key] = at;
            if (key) {
                uint32_t child = depth ? n++ : ROOTS + node * ROOT_CHILDREN + key - 1;
                trie->bytes[child] = (uint8_t)(key - 1);
                trie->nodes[child] = (wwho_node){.children = at, .token = end};
            } else if (end - at > 1)
                return 0;
            at = end;
        }
    for (uint32_t i = from; i < to; i++) sorted[start[order[i] >> WWHO_ID_BITS]++] = order[i] & WWHO_MAX_IDS;
    made.n = n - made.children;
    made.has_token = keys[0] & 1;
    if (made.has_token) made.token = sorted[from];
    trie->nodes[node] = made;
    return n;
}

/* Fill a trie, level by level, with n_first texts for the first root and n_tokens - n_first for the second. `texts` and `offset` must
 * outlive it. Returns false if two texts of one root are the same. Uses trie->order and trie->sorted, which have their memory already. */
WWHO_LOCAL bool build_trie(wwho_trie *trie, const uint8_t *texts, const uint32_t *offset, uint32_t n_first, uint32_t n_tokens) {
    trie->texts = texts;
    trie->offset = offset;
    for (uint32_t token = 0; token < n_tokens; token++) trie->order[token] = token;
    fill_bytes(trie->nodes, 0, N_FIRST * sizeof *trie->nodes);
    trie->nodes[0].token = n_first;
    trie->nodes[1] = (wwho_node){.children = n_first, .token = n_tokens};
    for (uint32_t number = 0, n = N_FIRST, depth = 0, level = ROOTS; number < n; number++) {
        if (number == level) {
            uint32_t *order = trie->sorted;
            trie->sorted = trie->order;
            trie->order = order;
            level = n;
            depth++;
        }
        wwho_node *node = &trie->nodes[number];
        if (depth && node->token - node->children == 1)
            *node = (wwho_node){.has_token = 1, .token = trie->order[node->children]};
        else if (node->token)
            n = add_children(trie, number, depth, n);
        if (!n) return false;
    }
    return true;
}
