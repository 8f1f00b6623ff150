/* See trie.h. */
#include "trie.h"

WWHO_LOCAL uint32_t find_node(const wwho_trie *trie, uint32_t root, const uint8_t *text, size_t n) {
    uint32_t node = root;
    for (size_t i = 0; i < n; i++)
        if (!(node = next_node(trie, node, text[i]))) return WWHO_NONE;
    return token_at(trie, node);
}

WWHO_LOCAL void take_trie(wwho_arena *arena, wwho_trie *trie, uint64_t n_bytes) {
    trie->path = take(arena, 4 * (WWHO_MAX_TOKEN + 1));
    trie->nodes = take(arena, (n_bytes + 2) * sizeof *trie->nodes);
    trie->bytes = take(arena, n_bytes + 2);
}

/* Make the children of a node, at `depth`, which holds the first of its texts (children) and the end of them (token): the children do
 * so, too, until they are made. Returns the node behind the last one. */
static uint32_t add_children(wwho_trie *trie, const uint8_t *texts, const uint32_t *offset, uint32_t node, uint32_t depth, uint32_t n) {
    uint32_t token = trie->nodes[node].children, end = trie->nodes[node].token, first = n;
    bool whole = token < end && offset[token + 1] - offset[token] == depth;
    trie->nodes[node] = (wwho_node){.children = n, .has_token = whole, .token = token};
    for (token += whole; token < end; n++) {
        uint32_t start = token;
        uint8_t byte = texts[offset[start] + depth];
        while (token < end && texts[offset[token] + depth] == byte) token++;
        trie->bytes[n] = byte;
        trie->nodes[n] = (wwho_node){.children = start, .token = token};
    }
    trie->nodes[node].n = n - first;
    return n;
}

/* Depth first. */
WWHO_LOCAL void build_trie(wwho_trie *trie, const uint8_t *texts, const uint32_t *offset, uint32_t n_first, uint32_t n_tokens) {
    uint32_t *path = trie->path, n = 2;
    trie->nodes[0] = (wwho_node){.children = 0, .token = n_first};
    trie->nodes[1] = (wwho_node){.children = n_first, .token = n_tokens};
    for (uint32_t root = 0; root < 2; root++) {
        uint32_t depth = 0;
        path[0] = root;
        for (;;) {
            uint32_t node = path[depth], first = n;
            n = add_children(trie, texts, offset, node, depth, n);
            if (n > first) {
                path[++depth] = first;
                continue;
            }
            while (depth && path[depth] + 1 == trie->nodes[path[depth - 1]].children + trie->nodes[path[depth - 1]].n) depth--;
            if (!depth) break;
            path[depth]++;
        }
    }
}
