/* WWHO: exact tokenization. This is the only public header; FORMAT.md specifies the artifact that it reads.
 *
 * Memory: the caller owns it all. No function allocates, blocks, does I/O, recurses or keeps state between calls. The stack takes at
 * most 24 KiB, whatever the input.
 * Threads: a model is read-only after wwho_open, so any number of threads may share it. Each needs its own scratch area.
 * Texts: bytes, normally UTF-8; broken UTF-8 is allowed (FORMAT.md, AUTOMATA). No text needs a terminating zero.
 * Statuses: most functions return one. Any of them may return WWHO_ARGUMENT, if a pointer is null that may not be, and in the cases
 * that its comment states. The comment of each function names its other statuses.
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

/* The version of the interface that this header declares; wwho_abi_version() returns that of the library. Adding a function raises the
 * minor number; changing or removing one raises the major number. */
#define WWHO_VERSION_MAJOR 4
#define WWHO_VERSION_MINOR 1

/* cffi: begin */

/* Status codes. */
enum {
    WWHO_OK = 0,
    /* of a call */
    WWHO_ARGUMENT = 1, /* a pointer is null or misaligned, a number is out of range, or a length is over 2^31 - 1 */
    WWHO_BUFFER = 2,   /* a buffer is too small; the size needed is reported */
    WWHO_TOKEN = 3,    /* there is no such token */
    /* of an artifact: FORMAT.md names one for each rule */
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
    WWHO_STEPS = 31,
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
    WWHO_SECTION_STEPS = 3,
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
    /* An unknown symbol becomes unk_id, if the model has one, instead of falling back to bytes or base tokens. This loses text. */
    WWHO_UNK_TOKEN = 1,
    /* Do not run the router and the steps of routes: the text between added tokens is one pretoken of route 0. */
    WWHO_ONE_PIECE = 2,
    /* Treat all added tokens as ordinary text, also those that need not be allowed. */
    WWHO_NO_ADDED = 4,
    /* More text follows after `len`: encode only as far as that text cannot change the result. */
    WWHO_GOES_ON = 8,
    /* Only cut the text, without looking for added tokens and without normalizing: write spans, but no tokens. */
    WWHO_CUT_ONLY = 16
};

/* Flags of wwho_decode_part. */
enum {
    WWHO_SKIP_SPECIAL = 1, /* leave special tokens out */
    WWHO_AFTER = 2,        /* earlier parts had tokens, and gave text that is not empty */
    WWHO_MORE = 4          /* more tokens follow in later parts */
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

/* The rule of a span: that of a unit, or WWHO_PIECE for a pretoken without units. */
enum { WWHO_SYLLABLE = 0, WWHO_ORPHAN = 1, WWHO_PASSTHROUGH = 2, WWHO_PIECE = 3 };

/* What wwho_info can describe. 0xFFFFFFFF stands for none. */
enum {
    WWHO_OF_TOKENIZER = 0,
    WWHO_OF_MODEL = 1,
    WWHO_OF_ROUTE = 2,
    WWHO_OF_STEP = 3,
    WWHO_OF_AUTOMATON = 4,
    WWHO_OF_TEMPLATE = 5 /* that for one text (number 0) or for a pair (1). Three numbers for each place: `what`, `type`, and the id or, for
                          * a text, its trim. The caller trims offsets, not this library (FORMAT.md, TEMPLATE) */
};

/* The numbers of a tokenizer. */
enum {
    WWHO_TOKENIZER_N_VOCAB = 0,         /* all ids are below it; not all of them are used */
    WWHO_TOKENIZER_MAX_TOKEN_BYTES = 1, /* including added tokens */
    WWHO_TOKENIZER_N_MODELS = 2,
    WWHO_TOKENIZER_N_ROUTES = 3,
    WWHO_TOKENIZER_N_STEPS = 4,
    WWHO_TOKENIZER_N_ADDED = 5,
    WWHO_TOKENIZER_N_NORMALIZER = 6, /* how many steps rewrite a text before the router cuts it */
    WWHO_TOKENIZER_N_AUTOMATA = 7,
    WWHO_TOKENIZER_N_CLASSES = 8,
    WWHO_TOKENIZER_ROUTER = 9,  /* an automaton */
    WWHO_TOKENIZER_DECODER = 10 /* 0: none, texts are concatenated; 1: it can decode in parts; 2: it needs all tokens at once */
};

/* The numbers of a model: FORMAT.md, MODEL. */
enum {
    WWHO_MODEL_KIND = 0,
    WWHO_MODEL_SYMBOLS = 1,
    WWHO_MODEL_UNKNOWN = 2,
    WWHO_MODEL_IDS = 3,
    WWHO_MODEL_SPELLER = 4, /* a model */
    WWHO_MODEL_FIRST_ID = 5,
    WWHO_MODEL_N_IDS = 6,
    WWHO_MODEL_N_SYMBOLS = 7,
    WWHO_MODEL_N_MERGES = 8,
    WWHO_MODEL_N_SUPERWORDS = 9, /* how many of the merges, the last ones, join words */
    WWHO_MODEL_SPACE_ID = 10,
    WWHO_MODEL_UNK_ID = 11
};

/* The numbers of a route, of a step and of an automaton. A step that is no CUT has no actions. */
enum { WWHO_ROUTE_MODEL = 0, WWHO_ROUTE_UNITS = 1 /* an automaton */, WWHO_ROUTE_STEPS = 2 /* the first of them; the others follow */ };
enum {
    WWHO_STEP_KIND = 0, /* FORMAT.md, STEPS */
    WWHO_STEP_AUTOMATON = 1,
    WWHO_STEP_ACTIONS = 2 /* that of the first rule of a CUT; the others follow */
};
enum { WWHO_AUTOMATON_N_STATES = 0, WWHO_AUTOMATON_N_RULES = 1 };

typedef struct wwho_model wwho_model;

typedef struct {
    uint32_t start, end; /* offsets in the text, in bytes */
    uint16_t route;
    uint8_t rule;  /* WWHO_SYLLABLE to WWHO_PIECE */
    uint8_t first; /* 1 for the first span of a segment, else 0 */
} wwho_span;

/* The memory, the request and the result of wwho_encode. A field that is zero requests nothing. */
typedef struct {
    void *scratch; /* wwho_scratch_size() bytes, 16-byte aligned, all zero before the first use. One model and one call at a time */
    size_t scratch_len;
    uint32_t *ids;           /* null: only count the tokens, and stop when there are more than `cap` */
    uint32_t *starts, *ends; /* where the text of each token begins and ends, in bytes; `ends` may be given without `starts` */
    size_t cap;              /* room in each of these three arrays, in entries; any of it may be overwritten */
    wwho_span *spans;        /* the pretokens and units between added tokens; a text has at most as many as bytes */
    size_t spans_cap;
    const uint32_t *bounds; /* several texts: text i is the bytes bounds[i] to bounds[i + 1] of `text`, encoded on its own */
    uint32_t *rows;         /* result: the tokens of text i are rows[i] to rows[i + 1]. As `bounds`, it has n_texts + 1 entries */
    size_t n_texts;
    uint32_t flags;
    uint32_t place;          /* for a text that comes in parts: set it to 0 for the first part, then keep it until the text has ended */
    size_t n, n_spans, read; /* results: the number of tokens, of spans, and of bytes read (less than `len` only with WWHO_GOES_ON) */
} wwho_job;

#define WWHO_ALL_PATHS 0xFFFFFFFFu

/* What wwho_sample draws, and from which numbers (FORMAT.md, Sampling). A field that is zero requests nothing. */
typedef struct {
    uint64_t seed;
    double dropout;     /* BPE: the probability, from 0 to 1, that a merge that comes up is skipped */
    double alpha;       /* VITERBI: how much scores count, at least 0: a path is drawn in proportion to exp(alpha * its score) */
    uint32_t n_best;    /* VITERBI: WWHO_ALL_PATHS draws from all paths; 0 and 1 take the best one. Nothing else is supported */
    uint32_t text;      /* the number of the first text: text i of the job has the stream text + i of the seed */
    uint32_t pretokens; /* how many the text had so far: set it to 0 for the first part of a text, then keep it until the text has ended */
} wwho_sampling;

/* WWHO_VERSION_MAJOR << 16 | WWHO_VERSION_MINOR of the library. The major number must equal that of this header, and the minor number
 * must not be lower. */
uint32_t wwho_abi_version(void);

/* The name of a status without its prefix, such as "CHECKSUM"; "unknown status" for any other number. The string is static.
 * WebAssembly builds do not export it: JavaScript and Python have the names from this file. They export the other functions without
 * the prefix `wwho_`. */
const char *wwho_status_str(int status);

/* How many bytes of workspace wwho_open needs for this artifact. `blob` is 4-byte aligned. This is quick: it reads little more than the
 * heads of the sections, so wwho_open may reject an artifact that it accepts. Statuses: those of an artifact. */
int wwho_workspace_size(const uint8_t *blob, size_t len, size_t *size);

/* Check the whole artifact, and build its tables in `work` (16-byte aligned, at least wwho_workspace_size bytes). The model lies in `work`
 * and reads `blob` (4-byte aligned), so keep both as long as you use it. To close it, free both buffers.
 * Statuses: those of an artifact; WWHO_BUFFER if work_len is too small. */
int wwho_open(const uint8_t *blob, size_t len, void *work, size_t work_len, const wwho_model **model);

/* A number that describes the tokenizer or a part of it. `of` is one of the constants WWHO_OF_..., `number` says which model, route, step,
 * automaton or template (0 for the tokenizer), and `index` is one of the constants above, or counts on from one that begins a list.
 * WWHO_ARGUMENT if there is no such number. */
int wwho_info(const wwho_model *model, int of, uint32_t number, uint32_t index, uint32_t *value);

/* The name of a route, in UTF-8. It is valid as long as the model. WWHO_ARGUMENT if there is no such route. */
int wwho_route_name(const wwho_model *model, uint32_t route, const uint8_t **name, size_t *len);

/* The id, flags and text, in UTF-8, of added token number `index`, in the order of ids. The text is valid as long as the model.
 * WWHO_ARGUMENT if there is no such token. */
int wwho_added(const wwho_model *model, uint32_t index, uint32_t *id, uint32_t *flags, const uint8_t **text, size_t *len);

/* The bytes of a section of the artifact, such as the JSON of WWHO_SECTION_PROVENANCE. `index` is 0, or says which MODEL section.
 * They are valid as long as the model. WWHO_ARGUMENT if there is no such section. */
int wwho_section_bytes(const wwho_model *model, uint32_t kind, uint32_t index, const uint8_t **bytes, size_t *len);

/* The class of a code point. From 0x110000 on it is n_classes, which stands for the end of the text. */
int wwho_class(const wwho_model *model, uint32_t code_point, uint32_t *class_of);

/* One step of an automaton, from a state (1: the start), over a character of a class: the rule of the match that ends before that
 * character (0xFFFFFFFF: none), and the next state (0: the scan is over). WWHO_ARGUMENT if a number is out of range. */
int wwho_advance(const wwho_model *model, uint32_t automaton, uint32_t state, uint32_t class_of, uint32_t *rule, uint32_t *next);

/* Rewrite a text with the first steps of the model's normalizer (not the second ones), ignoring added tokens. Without such steps, copy it.
 * You need not call this before you encode: wwho_encode takes texts as they are and normalizes them itself.
 * Writes the text to `out` and, if `sources` is not null, for each byte of it the place in `text` where the character begins that the byte
 * came from; at most `cap` entries each. If `more` is not 0, more text follows after `len`, and the last characters wait for it.
 * *read bytes of the text were processed, and *n bytes were written. If that is not the whole text, call again with the rest.
 * `work` is memory of `work_len` bytes, 16-byte aligned; 64 KiB are enough for any text that people write.
 * WWHO_BUFFER if nothing could be processed because `cap` or `work` is too small: call again with twice as much of both. */
int wwho_normalize(const wwho_model *model, const uint8_t *text, size_t len, int more, void *work, size_t work_len, uint8_t *out,
                   uint32_t *sources, size_t cap, size_t *read, size_t *n);

/* Bytes of scratch that wwho_encode needs: at most 8 MiB, whatever the text. It may need more only if the normalizer rewrites a text that
 * has no safe place to cut for 3 KB; see WWHO_BUFFER below. Keep the scratch area between calls: it caches pretokens and segments. */
size_t wwho_scratch_size(const wwho_model *model);

/* Encode text. One pass gives ids, offsets, and the pretokens and units of which tokens were made.
 * `allowed` is null (no special token is allowed) or n_added bytes: byte i is not 0 if added token number i is allowed. Added tokens that
 * are not special are always found.
 * Offsets ascend. A token begins where the one before it ends, unless a step drops text between them. If the normalizer rewrites text,
 * the offsets of tokens and spans are those of the characters that their text came from. With several texts, they count from the start of
 * each.
 * A text of len bytes has at most len tokens, unless the normalizer rewrites it.
 * With WWHO_GOES_ON, pass the bytes that were not read again, followed by more text. Such a text comes alone, and without WWHO_ONE_PIECE.
 * WWHO_BUFFER if there are more than `cap` tokens or `spans_cap` spans: n and n_spans are then those of the whole text, and `read` is 0.
 * WWHO_BUFFER with n = 0 if the scratch area is too small: use a new one of twice the size, all zero; `read` and `rows` then stand where
 * the last whole text ends. In both cases you may repeat the call. With any status but WWHO_OK, `place` stays as it was. */
int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, wwho_job *job);

/* Encode text as wwho_encode does, but draw its tokens: the same ones for the same seed, on every machine. The cache neither
 * gives nor keeps what is drawn. Without dropout and n_best, the tokens are those of wwho_encode. With either or both, each acts on the
 * models that can do it: dropout on BPE models, also as spellers, and paths on VITERBI models. WWHO_ARGUMENT if a number is out of range,
 * or if no model can do what is asked. */
int wwho_sample(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, wwho_sampling *sampling, wwho_job *job);

/* The last place where a text may be cut so that both parts together encode as the whole does, whatever text follows. You may encode the
 * first *cut bytes now, and the others with what follows. *cut is 0 if there is no such place. `text` begins where the whole text does,
 * or at such a place. `allowed` is as in wwho_encode. With WWHO_ONE_PIECE or WWHO_NO_ADDED, no place is safe. */
int wwho_safe_cut(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, size_t *cut);

/* The text of n ids. *len is its length in bytes.
 * WWHO_BUFFER if that is more than cap. A decoder works in `out`, so with one WWHO_BUFFER is possible although the text itself fits: *len
 * is then a capacity that is enough. WWHO_TOKEN if an id is that of no token: *len is then its index. WWHO_ARGUMENT if the length does not
 * fit a size_t, or if a decoder would need more than 2^31 - 1 bytes. */
int wwho_decode(const wwho_model *model, const uint32_t *ids, size_t n, uint8_t *out, size_t cap, size_t *len);

/* The same, with flags, for ids that come in parts. With WWHO_MORE, *read may be less than n, because what follows may change the text of
 * the remaining ids: pass them again, at the start of the next part. Pass WWHO_AFTER with every part after the first that gave text. */
int wwho_decode_part(const wwho_model *model, const uint32_t *ids, size_t n, uint32_t flags, uint8_t *out, size_t cap, size_t *read,
                     size_t *len);

/* The bytes of one token, before any decoder. They are valid as long as the model. WWHO_TOKEN if the id is that of no token. */
int wwho_token_bytes(const wwho_model *model, uint32_t id, const uint8_t **text, size_t *len);

/* The id of the token with exactly these bytes: from the last model that has one, otherwise from the added tokens. WWHO_TOKEN if there is
 * none. The lone space and the byte tokens of byte fallback are not found. */
int wwho_token_id(const wwho_model *model, const uint8_t *text, size_t len, uint32_t *id);

/* Convert the offsets of n tokens from bytes to characters: the first character that a token touches, and the one after the last. They
 * count code points (utf16 = 0) or UTF-16 units (utf16 = 1); a byte of broken UTF-8 counts as one. With `starts` null, each token begins
 * where the one before it ends. The results may overwrite the input: `first` may be `starts`, and `last` may be `ends`.
 * WWHO_ARGUMENT if starts or ends descend, or are beyond the text. */
int wwho_offsets(const uint8_t *text, size_t len, const uint32_t *starts, const uint32_t *ends, size_t n, int utf16, uint32_t *first,
                 uint32_t *last);

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif
