/* WWHO: exact tokenization. The one public header; FORMAT.md is the artifact it reads.
 *
 * The caller owns all memory. Nothing here allocates, blocks, does I/O, recurses or keeps state between calls; a model is
 * read-only after wwho_open, so any number of threads may share it, each with a scratch area of its own.
 * Stack: at most 16 KiB, whatever the input.
 * Texts are bytes, normally UTF-8; broken UTF-8 is fine (FORMAT.md, section 4). No text needs a terminating zero.
 * Every function returns a status; what it writes through its pointers is said with it.
 */
#ifndef WWHO_H
#define WWHO_H

#include <stddef.h>
#include <stdint.h>

/* cffi: begin */

/* Status codes, grouped, never renumbered. */
enum {
    WWHO_OK = 0,
    /* of a call */
    WWHO_ARGUMENT = 1, /* a null or misaligned pointer, a length over 2^31 - 1 */
    WWHO_BUFFER = 2,   /* a buffer is too small; the size needed is reported */
    WWHO_TOKEN = 3,    /* no such token */
    /* of an artifact: one for each MUST of FORMAT.md */
    WWHO_MAGIC = 16,
    WWHO_VERSION = 17,
    WWHO_TRUNCATED = 18,
    WWHO_TRAILING = 19,
    WWHO_FEATURES = 20,
    WWHO_CHECKSUM = 21,
    WWHO_SECTION_TABLE = 22,
    WWHO_SECTION_ORDER = 23,
    WWHO_SECTION_KIND = 24,
    WWHO_SECTION_BOUNDS = 25,
    WWHO_PADDING = 26,
    WWHO_SECTION_MISSING = 27,
    WWHO_META = 28,
    WWHO_CLASSES = 29,
    WWHO_AUTOMATON_SHAPE = 30,
    WWHO_AUTOMATON_TABLE = 31,
    WWHO_AUTOMATON_TOTAL = 32,
    WWHO_ROUTES = 33,
    WWHO_BASE_BYTES = 34,
    WWHO_PAIRS = 35,
    WWHO_PAIR_ORDER = 36,
    WWHO_PAIR_DUPLICATE = 37,
    WWHO_TOKEN_LENGTH = 38,
    WWHO_TOKEN_DUPLICATE = 39,
    WWHO_ATOMS = 40,
    WWHO_SPECIALS = 41,
    WWHO_IDS = 42
};

/* flags of wwho_encode, wwho_encode_batch and wwho_count */
enum {
    /* a unit outside the vocabulary becomes unk_id instead of being spelled (loses text); implied where a file states its ids */
    WWHO_UNK_TOKEN = 1,
    /* what lies between special tokens is one piece of the base, whatever the scanners would make of it */
    WWHO_ONE_PIECE = 2
};

/* rules of a span: of a unit of an SGPE route, or WWHO_PIECE for a piece of a base route */
enum { WWHO_SYLLABLE = 0, WWHO_ORPHAN = 1, WWHO_PASSTHROUGH = 2, WWHO_PIECE = 3 };

typedef struct wwho_model wwho_model;

typedef struct {
    uint32_t n_vocab;       /* ids are 0 .. n_vocab-1, not all of them used */
    uint32_t n_base;        /* ids below it are the base's, the others SGPE's */
    uint32_t n_base_tokens; /* mergeable tokens of the base: in order of rank, the first ids that are no special token's */
    uint32_t first_atom;    /* ids from it on are atoms' and merged tokens', and the lone space's */
    uint32_t n_atoms;
    uint32_t n_merges;
    uint32_t space_id; /* 0xFFFFFFFF: none */
    uint32_t unk_id;   /* 0xFFFFFFFF: none */
    uint32_t n_specials;
    uint32_t n_routes;
    uint32_t max_token_bytes; /* the longest token, special tokens included */
    uint32_t n_superwords;    /* of the merges, the last ones */
} wwho_info;

typedef struct {
    uint32_t start, end; /* bytes of the text */
    uint16_t route;
    uint8_t rule;  /* see above */
    uint8_t first; /* 1 for the first of a segment, else 0 */
} wwho_span;

/* The number of this interface; it changes when a function here does. */
uint32_t wwho_abi_version(void);

/* A short English name for a status, static. */
const char *wwho_status_str(int status);

/* How many bytes of workspace wwho_open needs for this artifact. Checks what it reads:
 * the checksum and all that comes before the routes. */
int wwho_workspace_size(const uint8_t *blob, size_t len, size_t *size);

/* Check the whole artifact, build its tables in `work` (16-byte aligned, at least wwho_workspace_size bytes) and give the
 * model, which lies in `work` and reads `blob` (4-byte aligned) as long as it lives. Nothing to close: free both buffers. */
int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **model);

int wwho_model_info(const wwho_model *model, wwho_info *info);

/* The text and length of route `route`'s name, in UTF-8. WWHO_ARGUMENT beyond n_routes. */
int wwho_route_name(const wwho_model *model, uint32_t route, const uint8_t **name, size_t *len);

/* The id, text and length of special token number `index` (ascending ids). WWHO_ARGUMENT beyond n_specials. */
int wwho_special(const wwho_model *model, uint32_t index, uint32_t *id, const uint8_t **text, size_t *len);

/* Bytes of scratch (16-byte aligned) that wwho_encode, wwho_encode_batch and wwho_count need, whatever the text: at most 8 MB.
 * The scratch MUST be all zero before its first use and belong to one model and one call at a time. Keep it from call to call:
 * it holds a cache of pieces and segments. */
size_t wwho_scratch_size(const wwho_model *model);

/* Encode text. `allowed` is null (all text is ordinary) or n_specials bytes, non-zero where special token number i is
 * allowed. Writes the ids, at most `cap`, and, where `ends` is not null, the byte offset at which each token's text ends;
 * what lies behind them, up to `cap`, may be written over.
 * *n is the number of tokens of the whole text, also where that is more than cap (status WWHO_BUFFER).
 * A text of len bytes never has more than len tokens. */
int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags,
                void *scratch, size_t scratch_len, uint32_t *ids, uint32_t *ends, size_t cap, size_t *n);

/* Encode n_texts texts that lie one after the other: text i is the bytes starts[i] to starts[i + 1] of `text`, at most 2^31 - 1,
 * and nothing joins its neighbours. The scratch area is for the longest of them. The ids of text i go from ids[rows[i]] to
 * ids[rows[i + 1]]; `rows`, like `starts`, has n_texts + 1 entries, and the last one is the number of all tokens, also where that is
 * more than cap (WWHO_BUFFER). The rest is as in wwho_encode: `ends` counts from the start of each text. */
int wwho_encode_batch(const wwho_model *model, const uint8_t *text, const uint32_t *starts, size_t n_texts, const uint8_t *allowed,
                      uint32_t flags, void *scratch, size_t scratch_len, uint32_t *ids, uint32_t *ends, size_t cap, uint32_t *rows);

/* Count the tokens of text without writing them; stops once there are more than `limit`: *n is then limit + 1 or more. */
int wwho_count(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags,
               void *scratch, size_t scratch_len, size_t limit, size_t *n);

/* The last place at which a text that goes on may be cut so that both parts encode as the whole does, whatever follows: *cut bytes
 * of it may be encoded now, the others with what follows. 0 where there is no such place. The text begins where the whole does, or
 * at such a place; `allowed` is as in wwho_encode. With WWHO_ONE_PIECE, no place is safe. WWHO_ARGUMENT as in wwho_spans. */
int wwho_safe_cut(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, size_t *cut);

/* The pieces (base routes) and units (SGPE routes) of text, in order, without gaps. *n as in wwho_encode; at most len. */
int wwho_spans(const wwho_model *model, const uint8_t *text, size_t len, wwho_span *spans, size_t cap, size_t *n);

/* The text of n ids. *len is the number of bytes of all of them, also where that is more than cap (WWHO_BUFFER).
 * WWHO_TOKEN for an id that is none: *len is then its index. */
int wwho_decode(const wwho_model *model, const uint32_t *ids, size_t n, uint8_t *out, size_t cap, size_t *len);

/* The bytes of one token. They live as long as the model. WWHO_TOKEN for an id that is none. */
int wwho_token_bytes(const wwho_model *model, uint32_t id, const uint8_t **text, size_t *len);

/* The id of the token with exactly these bytes: an atom or merged token of SGPE, else the base's, else a
 * special one; else WWHO_TOKEN. (The lone space is none of them: its text is the base's.) */
int wwho_token_id(const wwho_model *model, const uint8_t *text, size_t len, uint32_t *id);

/* Convert the ends of n tokens, in bytes, ascending, into the first and last-plus-one character they touch, counted in code
 * points (utf16 = 0) or UTF-16 units (utf16 = 1). A byte of broken UTF-8 counts as one. */
int wwho_offsets(const uint8_t *text, size_t len, const uint32_t *ends, size_t n, int utf16, uint32_t *first, uint32_t *last);

/* cffi: end */

#endif
