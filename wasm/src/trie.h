/* A trie of texts, byte by byte: for models that ask which tokens stand at a place of a text. */
#ifndef WWHO_TRIE_H
#define WWHO_TRIE_H

#include "common.h"

/* The children of a node lie one after another, in the order of their bytes. A node without children belongs to one token; what follows of
 * that token's text has no nodes. A root has many children; natively, there is a place for each byte. Without that, T5 takes 1.06 (English)
 * to 1.13 (Hindi) times as long for unseen text. */
typedef struct {
    uint32_t children;      /* the first child */
    uint32_t n : 9;         /* how many children */
    uint32_t has_token : 1; /* whether the text of a token ends here, or this is the only node of that token from here on */
    uint32_t token : 21;    /* that token */
} wwho_node;

enum { ROOTS = 2, ROOT_CHILDREN = 256, N_FIRST = ROOTS + ROOTS * ROOT_CHILDREN }; /* places of roots and their children */

/* Two sets of texts, whose roots are the nodes 0 and 1. */
typedef struct {
    const uint8_t *texts;
    const uint32_t *offset; /* text i is texts[offset[i]..offset[i + 1]] */
    wwho_node *nodes;
    uint8_t *bytes;           /* the byte that leads to each node */
    uint32_t *order, *sorted; /* while building: the tokens as the nodes of a level have them, and as their children do */
} wwho_trie;

/* Return the token whose text ends at a node, `depth` bytes from the root, or WWHO_NONE. Node 0 has none. */
static inline uint32_t token_at(const wwho_trie *trie, uint32_t node, uint32_t depth) {
    const wwho_node at = trie->nodes[node];
    WWHO_ASSERT(node == 0 || depth > 0);
    bool ends = at.has_token && (at.n || trie->offset[at.token + 1] - trie->offset[at.token] == depth);
    return ends ? at.token : WWHO_NONE;
}

/* Return the node that a byte leads to from a node at `depth` (bytes from the root); 0 if there is none. Among children, the search does
 * not depend on the comparison, so no branch is mispredicted. */
static HOT uint32_t next_node(const wwho_trie *trie, uint32_t node, uint32_t depth, uint8_t byte) {
    uint32_t at = trie->nodes[node].children, n = trie->nodes[node].n;
    if (node < ROOTS) {
        at = ROOTS + node * ROOT_CHILDREN + byte;
        return trie->nodes[at].n + trie->nodes[at].has_token ? at : 0;
    }
    if (!n) {
        const uint32_t *offset = trie->offset + trie->nodes[node].token;
        return offset[0] + depth < offset[1] && trie->texts[offset[0] + depth] == byte ? node : 0;
    }
    WWHO_ASSERT(n <= ROOT_CHILDREN && at > node);
    while (n > 1) {
        uint32_t half = n / 2;
        at += trie->bytes[at + half] <= byte ? half : 0;
        n -= half;
    }
    return trie->bytes[at] == byte ? at : 0;
}

/* Return the node that n > 0 bytes of text lead to from a node at `depth` (bytes from the root); 0 if there is none. */
WWHO_LOCAL uint32_t follow(const wwho_trie *trie, uint32_t node, uint32_t depth, const uint8_t *text, size_t n);

/* Return the token with exactly this text of n > 0 bytes, in the set of a root (0 or 1), or WWHO_NONE. */
WWHO_LOCAL uint32_t find_node(const wwho_trie *trie, uint32_t root, const uint8_t *text, size_t n);

/* Take memory for a trie of n_tokens texts that need at most n_nodes nodes besides the roots and their children; without memory, its fields
 * are null. */
WWHO_LOCAL void take_trie(wwho_arena *arena, wwho_trie *trie, uint32_t n_tokens, uint64_t n_nodes);

/* Fill a trie, level by level, with n_first texts for the first root and n_tokens - n_first for the second. `texts` and `offset` must
 * outlive it. Returns false if two texts of one root are the same. Uses trie->order and trie->sorted, which have their memory already. */
WWHO_LOCAL bool build_trie(wwho_trie *trie, const uint8_t *texts, const uint32_t *offset, uint32_t n_first, uint32_t n_tokens);

#endif
