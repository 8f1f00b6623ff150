/* WWHO: exact tokenization. The one public header; FORMAT.md is the artifact it reads.
 *
 * The caller owns all memory. Nothing here allocates, blocks, does I/O, recurses or keeps state between calls; a model is
 * read-only after wwho_open, so any number of threads may share it, each with a scratch area of its own.
 * Stack: at most 24 KiB, whatever the input.
 * Texts are bytes, normally UTF-8; broken UTF-8 is fine (FORMAT.md, AUTOMATA). No text needs a terminating zero.
 * Every function returns a status; what it writes through its pointers is said with it. WWHO_ARGUMENT can come from every function:
 * for a null pointer where none is allowed, and for what its comment says. Other statuses are named with each function.
 *
 * From a file to ids (a test compiles and runs this):
 *
 * example: begin
 * #include "wwho.h"
 * #include <stdio.h>
 * #include <stdlib.h>
 * #include <string.h>
 *
 * int main(int argc, char **argv) {
 *     static uint8_t blob[1 << 24]; // the artifact, at an address that is a multiple of 4
 *     FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
 *     if (!file) return 2;
 *     size_t len = fread(blob, 1, sizeof blob, file), size;
 *     fclose(file);
 *
 *     const wwho_model *model;
 *     int status = wwho_workspace_size(blob, len, &size);
 *     void *work = status ? NULL : malloc(size); // malloc's memory is aligned to 16 bytes
 *     if (!status) status = wwho_open(blob, len, work, size, &model);
 *     if (status) return fprintf(stderr, "%s\n", wwho_status_str(status)), 1;
 *
 *     const char *text = argv[2];
 *     wwho_job job = {.scratch_len = wwho_scratch_size(model), .cap = strlen(text)}; // a text never has more tokens than bytes
 *     job.scratch = calloc(1, job.scratch_len);                                      // all zero before its first use, then kept
 *     job.ids = malloc((job.cap + 1) * sizeof *job.ids);
 *     status = wwho_encode(model, (const uint8_t *)text, strlen(text), NULL, &job);
 *     for (size_t i = 0; !status && i < job.n; i++) printf("%u\n", (unsigned)job.ids[i]);
 *     free(job.ids), free(job.scratch), free(work);
 *     return status;
 * }
 * example: end
 */
#ifndef WWHO_H
#define WWHO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface that this header declares; wwho_abi_version() gives that of the library. A function that is added raises the minor
 * number; one that changes or goes raises the major one. */
#define WWHO_VERSION_MAJOR 3
#define WWHO_VERSION_MINOR 0

/* cffi: begin */

/* Status codes. */
enum {
    WWHO_OK = 0,
    /* of a call */
    WWHO_ARGUMENT = 1, /* a null or misaligned pointer, a number beyond what there is, a length over 2^31 - 1 */
    WWHO_BUFFER = 2,   /* a buffer is too small; the size needed is reported */
    WWHO_TOKEN = 3,    /* no such token */
    /* of an artifact: one for each MUST of FORMAT.md */
    WWHO_MAGIC = 16,
    WWHO_VERSION = 17,
    WWHO_TRUNCATED = 18,
    WWHO_TRAILING = 19,
    WWHO_CHECKSUM = 20,
    WWHO_SECTION_TABLE = 21,
    WWHO_SECTION_ORDER = 22,
    WWHO_SECTION_KIND = 23,
    WWHO_SECTION_BOUNDS = 24,
    WWHO_PADDING = 25,
    WWHO_SECTION_MISSING = 26,
    WWHO_CLASSES = 27,
    WWHO_AUTOMATON_SHAPE = 28,
    WWHO_AUTOMATON_TABLE = 29,
    WWHO_AUTOMATON_TOTAL = 30,
    WWHO_STAGES = 31,
    WWHO_ROUTES = 32,
    WWHO_MODEL = 33,
    WWHO_SYMBOLS = 34,
    WWHO_PAIRS = 35,
    WWHO_PAIR_ORDER = 36,
    WWHO_PAIR_DUPLICATE = 37,
    WWHO_TOKEN_LENGTH = 38,
    WWHO_TOKEN_DUPLICATE = 39,
    WWHO_IDS = 40,
    WWHO_ADDED = 41,
    WWHO_SCORES = 42,
    WWHO_NORMALIZER = 43,
    WWHO_TEMPLATE = 44,
    WWHO_DECODER = 45
};

/* Kinds of sections (FORMAT.md, Header). */
enum {
    WWHO_SECTION_CLASSES = 1,
    WWHO_SECTION_AUTOMATA = 2,
    WWHO_SECTION_STAGES = 3,
    WWHO_SECTION_ROUTES = 4,
    WWHO_SECTION_MODEL = 5,
    WWHO_SECTION_ADDED = 6,
    WWHO_SECTION_NORMALIZER = 7,
    WWHO_SECTION_TEMPLATE = 8,
    WWHO_SECTION_DECODER = 9,
    WWHO_SECTION_PROVENANCE = 10
};

/* Flags of wwho_encode. */
enum {
    /* a symbol outside the vocabulary becomes unk_id, where the model has one, instead of being spelled: this loses text */
    WWHO_UNK_TOKEN = 1,
    /* what lies between added tokens is one piece of route 0, whatever router and stages would make of it */
    WWHO_ONE_PIECE = 2,
    /* added tokens that need no leave are ordinary text, too */
    WWHO_NO_ADDED = 4,
    /* the text goes on behind `len`: it is encoded as far as that cannot change anything */
    WWHO_GOES_ON = 8,
    /* the text as it is, without added tokens or steps, is only cut: there are spans, and no tokens */
    WWHO_CUT_ONLY = 16
};

/* Flags of wwho_decode_part. */
enum {
    WWHO_SKIP_SPECIAL = 1, /* special tokens are left out */
    WWHO_AFTER = 2,        /* other tokens came before, and text that is not empty */
    WWHO_MORE = 4          /* other tokens come after */
};

/* Flags of an added token (FORMAT.md, ADDED). */
enum {
    WWHO_ADDED_SPECIAL = 1,
    WWHO_ADDED_LSTRIP = 2,
    WWHO_ADDED_RSTRIP = 4,
    WWHO_ADDED_SINGLE_WORD = 8,
    WWHO_ADDED_NORMALIZED = 16,
    WWHO_ADDED_HIDDEN = 32
};

/* Rules of a span: of a unit, or WWHO_PIECE for a piece that is not made of units. */
enum { WWHO_SYLLABLE = 0, WWHO_ORPHAN = 1, WWHO_PASSTHROUGH = 2, WWHO_PIECE = 3 };

/* What wwho_info tells of. */
enum {
    WWHO_OF_TOKENIZER = 0, /* n_vocab (ids are below it, not all of them used), max_token_bytes (added tokens included), n_models, n_routes,
                            * n_stages, n_added, n_steps (of the normalizer), n_automata, n_classes, router (an automaton or 0xFFFFFFFF),
                            * decoder (0: none, texts join without a gap; 1: it decodes in parts; 2: it has to see all tokens first) */
    WWHO_OF_MODEL = 1,     /* kind, symbols, unknown, ids, speller (a model or 0xFFFFFFFF), first_id, n_ids, n_symbols, n_merges,
                            * n_superwords (of the merges, the last), space_id, unk_id (0xFFFFFFFF: none): FORMAT.md, MODEL */
    WWHO_OF_ROUTE = 2,     /* model, units (an automaton or 0xFFFFFFFF), then a `stage` for each of its stages */
    WWHO_OF_STAGE = 3,     /* automaton, then an `action` for each of its rules: FORMAT.md, STAGES */
    WWHO_OF_AUTOMATON = 4, /* n_states, n_rules */
    WWHO_OF_SPAN = 5,      /* of the struct wwho_span: size, and the offset of each field, in bytes; needs no model */
    WWHO_OF_FLAGS = 6,     /* the flags of wwho_encode and of wwho_decode_part; needs no model */
    WWHO_OF_TEMPLATE = 7,  /* what stands around the ids of a text (0), or of two (1): for each place its `type` and then its `id`, or with
                            * the name `first` or `second`, for the ids of a text, how their offsets are trimmed (FORMAT.md, TEMPLATE), which
                            * this library leaves to the caller; nothing where there is no template */
    WWHO_OF_JOB = 8        /* of the struct wwho_job: as WWHO_OF_SPAN */
};

typedef struct wwho_model wwho_model;

typedef struct {
    uint32_t start, end; /* bytes of the text */
    uint16_t route;
    uint8_t rule;  /* see above */
    uint8_t first; /* 1 for the first of a segment, else 0 */
} wwho_span;

/* What wwho_encode works in, what is wanted of it, and what it found. Fields that are zero ask for nothing. */
typedef struct {
    void *scratch; /* wwho_scratch_size(), 16-byte aligned; all zero before its first use, of one model and one call at a time */
    size_t scratch_len;
    uint32_t *ids;           /* null: tokens are only counted, until there are more than `cap` */
    uint32_t *starts, *ends; /* where the text of each token begins and ends, in bytes; `ends` may come alone */
    size_t cap;              /* room in each of these; what lies behind the tokens may be written over */
    wwho_span *spans;        /* the pieces and units between added tokens; those of a text are at most its bytes */
    size_t spans_cap;
    const uint32_t *bounds; /* several texts: bytes bounds[i] to bounds[i + 1] of `text` are one, and nothing joins its neighbours */
    uint32_t *rows;         /* the tokens of text i go from rows[i] to rows[i + 1]; like `bounds`, it has n_texts + 1 entries */
    size_t n_texts;
    uint32_t flags;
    uint32_t place;          /* of a text that comes in parts: 0 for the first part, then kept for the next, until it has ended */
    size_t n, n_spans, read; /* found: tokens; spans; bytes that were read, all but where the text goes on */
} wwho_job;

/* WWHO_VERSION_MAJOR << 16 | WWHO_VERSION_MINOR of the library: the major number MUST be this header's, the minor one at least its. */
uint32_t wwho_abi_version(void);

/* The name of a status without its prefix, such as "CHECKSUM"; "unknown status" for any other number. Static. */
const char *wwho_status_str(int status);

/* How many bytes of workspace wwho_open needs for this artifact; `blob` is aligned to 4 bytes. Quick: reads little but the heads of
 * the sections. Statuses of an artifact; what this finds in order may yet be refused by wwho_open. */
int wwho_workspace_size(const uint8_t *blob, size_t len, size_t *size);

/* Check the whole artifact, build its tables in `work` (16-byte aligned, at least wwho_workspace_size bytes) and give the
 * model, which lies in `work` and reads `blob` (4-byte aligned) as long as it lives. Nothing to close: free both buffers.
 * Statuses of an artifact; WWHO_BUFFER where work_len is too small. */
int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **model);

/* Number `index` of those that tell of a thing, and its name (static): see WWHO_OF_TOKENIZER and what follows there. `number` says which
 * model, route, stage or automaton; else it is 0. WWHO_ARGUMENT beyond the last. */
int wwho_info(const wwho_model *model, int of, uint32_t number, uint32_t index, const char **name, uint32_t *value);

/* The name of a route, in UTF-8; it lives as long as the model. WWHO_ARGUMENT beyond the last route. */
int wwho_route_name(const wwho_model *model, uint32_t route, const uint8_t **name, size_t *len);

/* The id, flags and text, in UTF-8, of added token number `index` (ascending ids). The text lives as long as the model.
 * WWHO_ARGUMENT beyond the last one. */
int wwho_added(const wwho_model *model, uint32_t index, uint32_t *id, uint32_t *flags, const uint8_t **text, size_t *len);

/* The bytes of section number `index` of a kind in the artifact (0, but for models), such as the JSON of WWHO_SECTION_PROVENANCE.
 * They live as long as the model. WWHO_ARGUMENT where there is none. */
int wwho_section_bytes(const wwho_model *model, uint32_t kind, uint32_t index, const uint8_t **bytes, size_t *len);

/* The class of a code point; n_classes (which is that of the end of the text) from 0x110000 on. */
int wwho_class(const wwho_model *model, uint32_t code_point, uint32_t *class_of);

/* One step of an automaton, in a state (1: the start), over a class: the rule of which a match ends before that character
 * (0xFFFFFFFF: none), and the next state (0: the scan is over). WWHO_ARGUMENT for numbers that there are not. */
int wwho_step(const wwho_model *model, uint32_t automaton, uint32_t state, uint32_t class_of, uint32_t *rule, uint32_t *next);

/* A text as the first steps of the model's normalizer rewrite it, without regard to added tokens; where there are none, that is the text
 * itself. (All functions that encode do this on their own, and take texts as they are.) Writes the text to `out` and, where `sources` is
 * not null, for each of its bytes where the character of `text` begins that it came from; at most `cap` of either. With `more`, the text
 * goes on behind `len`, and its last characters wait for that. *read bytes of the text were worked on, *n were written: call again with
 * the rest where there was no more room. `work` is memory for `work_len` bytes (16-byte aligned); 64 KiB do for any text that people
 * write. WWHO_BUFFER where nothing could be done, because `cap` or `work` is too small: take twice as much of both. */
int wwho_normalize(const wwho_model *model, const uint8_t *text, size_t len, int more, void *work, size_t work_len, uint8_t *out,
                   uint32_t *sources, size_t cap, size_t *read, size_t *n);

/* Bytes of scratch that wwho_encode needs: at most 8 MB, whatever the text, unless steps rewrite it and there is no place for 3 KB at
 * which it may be cut: for that, twice as much is asked (below). Keep it from call to call: it holds a cache of pieces and segments. */
size_t wwho_scratch_size(const wwho_model *model);

/* Encode text: in one pass, ids, places, and the pieces and units that tokens were made of. `allowed` is null (no special token is
 * allowed) or n_added bytes, non-zero where added token number i is allowed; those that need no leave are found whatever it says.
 * Places ascend; a token begins where the one before it ends, unless a stage drops what is between. Where steps rewrite text, places
 * of tokens and of spans are those of the characters that their text came from. Of several texts, they count from the start of each.
 * WWHO_BUFFER where there are more than `cap` tokens, or `spans_cap` spans: n and n_spans are of the whole text then, too, and `read` is
 * 0. The same with n = 0 where the scratch area is too small: take one of twice the size. After either, the same call may be made again
 * with more room. A text of len bytes never has more than len tokens, but where steps rewrite it.
 * With WWHO_GOES_ON, pass what was not read again, with what follows; such a text comes alone, and not with WWHO_ONE_PIECE. */
int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, wwho_job *job);

/* The last place at which a text that goes on may be cut so that both parts encode as the whole does, whatever follows: *cut bytes
 * of it may be encoded now, the others with what follows. 0 where there is no such place. The text begins where the whole does, or
 * at such a place; `allowed` is as in wwho_encode. With WWHO_ONE_PIECE or WWHO_NO_ADDED, no place is safe. */
int wwho_safe_cut(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, size_t *cut);

/* The text of n ids. *len is the number of bytes of all of them, also where that is more than cap (WWHO_BUFFER). Of a model with a
 * decoder, which works in `out`, WWHO_BUFFER may come though the text itself had room; *len is then a capacity that is enough.
 * WWHO_TOKEN for an id that is none: *len is then its index. WWHO_ARGUMENT where a size_t cannot hold the number of bytes, or a
 * decoder would need more than 2^31 - 1. */
int wwho_decode(const wwho_model *model, const uint32_t *ids, size_t n, uint8_t *out, size_t cap, size_t *len);

/* The same, with flags, for ids that come in parts. With WWHO_MORE, *read may be less than n: what follows may change the text of the
 * others; give them again, before what follows. WWHO_AFTER goes with all parts behind the first that gives text. */
int wwho_decode_part(const wwho_model *model, const uint32_t *ids, size_t n, uint32_t flags, uint8_t *out, size_t cap, size_t *read,
                     size_t *len);

/* The bytes of one token, alone: no decoder has a say. They live as long as the model. WWHO_TOKEN for an id that is none. */
int wwho_token_bytes(const wwho_model *model, uint32_t id, const uint8_t **text, size_t *len);

/* The id of the token with exactly these bytes: of the last model that has one, else of an added token; else WWHO_TOKEN. (The
 * lone space and the tokens of single bytes are none of them.) */
int wwho_token_id(const wwho_model *model, const uint8_t *text, size_t len, uint32_t *id);

/* Convert the places of n tokens, in bytes, into the first and last-plus-one character they touch, counted in code points
 * (utf16 = 0) or UTF-16 units (utf16 = 1). A byte of broken UTF-8 counts as one. WWHO_ARGUMENT for starts or ends that descend, or
 * are beyond the text. With `starts` null, each token begins where the one before it ends. The results may replace the places: `first`
 * may be `starts`, and `last` may be `ends`. */
int wwho_offsets(const uint8_t *text, size_t len, const uint32_t *starts, const uint32_t *ends, size_t n, int utf16, uint32_t *first,
                 uint32_t *last);

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif
