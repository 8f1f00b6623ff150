/* See trie.h. */
#include "trie.h"

WWHO_LOCAL uint32_t find_node(const wwho_trie *trie, uint32_t root, const uint8_t *text, size_t n) {
    uint32_t node = root;
    for (size_t i = 0; i < n; i++)
        if (!(node = next_node(trie, node, text[i]))) return WWHO_NONE;
    return token_at(trie, node);
}

WWHO_LOCAL void take_trie(wwho_arena *arena, wwho_trie *trie, uint32_t n_tokens, uint64_t n_bytes) {
    trie->order = take_numbers(arena, n_tokens);
    trie->spare = take_numbers(arena, n_tokens);
    trie->nodes = take(arena, (n_bytes + N_FIRST) * sizeof *trie->nodes);
    trie->bytes = take(arena, n_bytes + N_FIRST);
}

/* Make the children of a node at `depth`. Before, the node holds the range of its tokens in `order`, from `children` to `token`; new
 * children hold theirs in the same way. Sorts these tokens, unless they are sorted, by their key at that depth: 0 if the text ends there,
 * else 1 more than the byte. `start` is zero before and after. Returns the node after the last one, or 0 if two texts are the same. */
static uint32_t add_children(wwho_trie *trie, const uint8_t *texts, const uint32_t *offset, uint32_t node, uint32_t depth, uint32_t n,
                             uint32_t *start) {
    uint32_t from = trie->nodes[node].children, to = trie->nodes[node].token, first = n, at = from, least = 256, most = 0, whole = 0;
    uint32_t moved = 0; /* whether they must be sorted */
    for (uint32_t pass = 0; pass <= moved; pass++) {
        for (uint32_t i = from; i < to; i++) {
            uint32_t token = trie->order[i], text = offset[token] + depth, key = text == offset[token + 1] ? 0 : texts[text] + 1u;
            if (pass) trie->spare[start[key]] = token;
            start[key]++;
            moved |= key < most;
            least = key < least ? key : least;
            most = key > most ? key : most;
        }
        if (pass) break;
        whole = start[0];
        for (uint32_t key = least; key <= most; key++) {
            uint32_t end = at + start[key];
            start[key] = at;
            if (key && at < end) {
                uint32_t child = depth ? n++ : ROOTS + node * ROOT_CHILDREN + key - 1;
                trie->bytes[child] = (uint8_t)(key - 1);
                trie->nodes[child] = (wwho_node){.children = at, .token = end};
            }
            at = end;
        }
    }
    for (uint32_t key = least; key <= most; key++) start[key] = 0;
    if (moved) copy_bytes(trie->order + from, trie->spare + from, (size_t)4 * (to - from));
    trie->nodes[node] = (wwho_node){.children = first, .n = n - first, .has_token = whole, .token = whole ? trie->order[from] : 0};
    return whole > 1 ? 0 : n;
}

/* Level by level. */
WWHO_LOCAL bool build_trie(wwho_trie *trie, const uint8_t *texts, const uint32_t *offset, uint32_t n_first, uint32_t n_tokens) {
    uint32_t start[257] = {0};
    for (uint32_t token = 0; token < n_tokens; token++) trie->order[token] = token;
    fill_bytes(trie->nodes, 0, N_FIRST * sizeof *trie->nodes);
    trie->nodes[0] = (wwho_node){.children = 0, .token = n_first};
    trie->nodes[1] = (wwho_node){.children = n_first, .token = n_tokens};
    for (uint32_t node = 0, n = N_FIRST, depth = 0, level = ROOTS; node < n; node++) {
        if (node == level) {
            level = n;
            depth++;
        }
        n = add_children(trie, texts, offset, node, depth, n, start);
        if (!n) return false;
    }
    return true;
}
