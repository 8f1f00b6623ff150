/* What the programs here share: a model opened from any bytes, and what must hold for every text.
 *
 * Every buffer given to the core is exactly as large as it says, in memory of its own, so that AddressSanitizer sees the first
 * byte read or written beyond it. Work areas start as garbage: the core must not rely on zeros it has not asked for. */
#ifndef WWHO_FUZZ_HARNESS_H
#define WWHO_FUZZ_HARNESS_H

#include "../../wasm/include/wwho.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

#define MUST(what) ((what) ? (void)0 : broken(#what, __FILE__, __LINE__))

static inline void broken(const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* Memory that is there, at a multiple of 16 as all of malloc's on 64-bit machines. */
static inline void *memory(size_t size) {
    void *at = malloc(size);
    MUST(at && (uintptr_t)at % 16 == 0);
    return at;
}

static inline void *copy_of(const void *bytes, size_t size) {
    void *at = memory(size);
    if (size) memcpy(at, bytes, size);
    return at;
}

static inline uint32_t get32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void put32(uint8_t *p, uint32_t value) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(value >> 8 * i);
}

/* Make the size and the checksum in an artifact's header right. Written anew here, so that the core's is checked by it. */
static inline void seal(uint8_t *blob, size_t len) {
    static uint32_t table[256];
    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        table[i] = crc;
    }
    if (len < 20) return;
    put32(blob + 12, (uint32_t)len);
    uint32_t crc = ~0u;
    for (size_t i = 0; i < len; i++)
        if (i < 16 || i >= 20) crc = crc >> 8 ^ table[(crc ^ blob[i]) & 255];
    put32(blob + 16, ~crc);
}

/* Models */

enum { TOO_LARGE = -1, MAX_WORK = 1 << 24 };

typedef struct {
    const wwho_model *model;
    uint32_t n_vocab, n_added, n_routes, max_token_bytes;
    void *blob, *work;
    uint8_t *scratch;
    size_t scratch_len;
    bool rewrites; /* steps change a text before it is encoded: it may have more tokens than bytes */
    bool joins;    /* a decoder joins the texts of tokens */
    bool drops;    /* some text is in no piece */
    bool loses;    /* text: it is changed, dropped, or joined otherwise, an id stands for what is unknown, or takes in white space */
    bool shares;   /* ids: of added tokens with one id, the first alone is decoded */
    bool merges;   /* a model is BPE, so that merges may be skipped */
    bool paths;    /* a model is VITERBI, so that paths may be drawn */
} fuzz_model;

static inline void close_model(fuzz_model *m) {
    free(m->scratch);
    free(m->work);
    free(m->blob);
}

static inline uint32_t number_of(const fuzz_model *m, int of, uint32_t number, uint32_t index) {
    uint32_t value;
    MUST(wwho_info(m->model, of, number, index, &value) == WWHO_OK);
    return value;
}

static inline void describe(fuzz_model *m) {
    enum { BPE = 1, VITERBI = 3, CUT = 6, DROP = 1, STEP_OR_LESS = 1, BYTES = 2, UNITS = 1, NONE = 0, FLAGS_AT = 5, AFFIXES = 128 };
    const uint8_t *text;
    size_t len;
    m->n_vocab = number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_N_VOCAB);
    m->n_added = number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_N_ADDED);
    m->n_routes = number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_N_ROUTES);
    m->max_token_bytes = number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_MAX_TOKEN_BYTES);
    m->rewrites = false;
    for (uint32_t i = 0, value, n = number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_N_STEPS); i < n; i++) {
        m->rewrites |= number_of(m, WWHO_OF_STEP, i, WWHO_STEP_KIND) != CUT;
        for (uint32_t rule = WWHO_STEP_ACTIONS; wwho_info(m->model, WWHO_OF_STEP, i, rule, &value) == WWHO_OK; rule++)
            m->drops |= value % 8 == DROP; /* above: the characters that the pattern has looked at ahead, or those of a group */
    }
    for (uint32_t i = 0; i < number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_N_MODELS); i++) {
        MUST(wwho_section_bytes(m->model, WWHO_SECTION_MODEL, i, &text, &len) == WWHO_OK);
        bool units = number_of(m, WWHO_OF_MODEL, i, WWHO_MODEL_SYMBOLS) == UNITS;
        m->merges |= number_of(m, WWHO_OF_MODEL, i, WWHO_MODEL_KIND) == BPE;
        m->paths |= number_of(m, WWHO_OF_MODEL, i, WWHO_MODEL_KIND) == VITERBI;
        /* affixes may become more tokens than the text has bytes, and units that are left out are in no token */
        m->rewrites |= text[FLAGS_AT] & AFFIXES || (units && number_of(m, WWHO_OF_MODEL, i, WWHO_MODEL_UNKNOWN) == NONE);
    }
    m->drops |= m->rewrites;
    m->joins = number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_DECODER) > 0;
    m->loses = m->drops || m->joins;
    for (uint32_t i = 0; i < number_of(m, WWHO_OF_TOKENIZER, 0, WWHO_TOKENIZER_N_MODELS); i++) {
        bool stated = number_of(m, WWHO_OF_MODEL, i, WWHO_MODEL_IDS) > STEP_OR_LESS;
        m->loses |= stated || number_of(m, WWHO_OF_MODEL, i, WWHO_MODEL_UNKNOWN) >= BYTES;
    }
    for (uint32_t i = 0, id, flags, last = UINT32_MAX; i < m->n_added; i++, last = id) {
        MUST(wwho_added(m->model, i, &id, &flags, &text, &len) == WWHO_OK);
        m->shares |= id == last;
        m->loses |= flags & (WWHO_ADDED_LSTRIP | WWHO_ADDED_RSTRIP);
    }
}

/* Open an artifact; returns its status, TOO_LARGE where it wants more memory than max_work. To be closed in any case. */
static inline int open_model(fuzz_model *m, const uint8_t *bytes, size_t len, size_t max_work) {
    *m = (fuzz_model){.blob = copy_of(bytes, len)};
    size_t size = 0;
    int status = wwho_workspace_size(m->blob, len, &size);
    if (!status && size > max_work) return TOO_LARGE;
    if (!status) {
        m->work = memory(size);
        memset(m->work, 0xA5, size);
        status = wwho_open(m->blob, len, m->work, size, &m->model);
    }
    MUST(!memcmp(m->blob, bytes, len));
    MUST(status == WWHO_OK || (status >= WWHO_MAGIC && strcmp(wwho_status_str(status), "unknown status")));
    if (status) return status;
    describe(m);
    return WWHO_OK;
}

/* Zeroed scratch, `times` the least. */
static inline void give_scratch(fuzz_model *m, size_t times) {
    size_t size = wwho_scratch_size(m->model);
    MUST(size && size <= 8 << 20);
    m->scratch_len = size * times;
    free(m->scratch);
    m->scratch = calloc(m->scratch_len, 1);
    MUST(m->scratch);
}

/* The pretokens that the model has seen are forgotten. */
static inline void forget(const fuzz_model *m) { memset(m->scratch, 0, m->scratch_len); }

/* A file of the project, read whole; its size goes to *len. Programs here are run from the project's folder. */
static inline uint8_t *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s: run this from the project's folder\n", path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = memory(*len);
    MUST(fread(bytes, 1, *len, file) == *len);
    fclose(file);
    return bytes;
}

/* The models that texts are tried on, opened once, by bits 0 and 3 of an input's options: 0 has superwords, 1 is a base alone,
 * and with bit 3 it is one with ids of its own. */
static inline fuzz_model *shared_model(unsigned options) {
    static const char *const paths[3] = {"tests/vectors/tiny.wwho", "py/wwho/models/cl100k_base.wwho", "tests/vectors/paper.wwho"};
    static fuzz_model models[3];
    unsigned which = options & 8 ? 2 : options & 1;
    fuzz_model *m = &models[which];
    if (!m->model) {
        size_t len;
        uint8_t *blob = read_file(paths[which], &len);
        MUST(open_model(m, blob, len, MAX_WORK) == WWHO_OK);
        give_scratch(m, 1);
        free(blob);
    }
    return m;
}

/* What must hold for a text */

/* The tokens of a text, in memory for exactly as many as it has bytes, or, of one that steps rewrite, for exactly as many as there are. */
typedef struct {
    uint32_t *ids, *ends;
    size_t n;
} fuzz_tokens;

static inline void free_tokens(fuzz_tokens *t) {
    free(t->ids);
    free(t->ends);
}

/* Encode a text, or draw its tokens where `wanted` is not null. What is wanted stays as it was. */
static inline int run_job(const fuzz_model *m, const uint8_t *text, size_t len, const uint8_t *allowed, const wwho_sampling *wanted,
                          wwho_job *job) {
    if (!wanted) return wwho_encode(m->model, text, len, allowed, job);
    wwho_sampling sampling = *wanted;
    int status = wwho_sample(m->model, text, len, allowed, &sampling, job);
    MUST(sampling.pretokens == wanted->pretokens);
    return status;
}

/* The tokens of a text, drawn where `wanted` is not null. */
static inline fuzz_tokens draw_text(fuzz_model *m, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags,
                                    const wwho_sampling *wanted) {
    for (size_t cap = len, times = 1;;) {
        fuzz_tokens t = {memory(4 * cap), memory(4 * cap), 0};
        wwho_job job = {m->scratch, m->scratch_len, .ids = t.ids, .ends = t.ends, .cap = cap, .flags = flags};
        int status = run_job(m, text, len, allowed, wanted, &job);
        t.n = job.n;
        MUST(status == WWHO_OK ? t.n <= cap : status == WWHO_BUFFER && m->rewrites);
        if (status == WWHO_OK) return t;
        free_tokens(&t);
        MUST(times < 1 << 8);
        if (t.n > cap)
            cap = t.n;
        else
            give_scratch(m, times *= 2);
    }
}

static inline fuzz_tokens encode_text(fuzz_model *m, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags) {
    return draw_text(m, text, len, allowed, flags, NULL);
}

static inline bool same_ids(const fuzz_tokens *a, const fuzz_tokens *b) { return a->n == b->n && !memcmp(a->ids, b->ids, 4 * a->n); }

/* Decoding gives the text back, if `all` of it has to come back, and neither less memory than it takes nor exactly as much is overrun. */
static inline void check_decode(const fuzz_model *m, const fuzz_tokens *t, const uint8_t *text, size_t len, bool all) {
    size_t used = 0, enough = 0;
    int status = wwho_decode(m->model, t->ids, t->n, NULL, 0, &enough);
    MUST(status == WWHO_BUFFER || (status == WWHO_OK && !enough));
    uint8_t *out = memory(enough), *less = memory(enough / 2);
    MUST(wwho_decode(m->model, t->ids, t->n, out, enough, &used) == WWHO_OK && (m->joins ? used <= enough : used == enough));
    if (all) MUST(used == len && (!len || !memcmp(out, text, len)));
    status = wwho_decode(m->model, t->ids, t->n, less, enough / 2, &used);
    MUST(m->joins || (status == (enough ? WWHO_BUFFER : WWHO_OK) && used == enough));
    free(out);
    free(less);
}

/* Counting gives the same number, and a small buffer gets the first ids; also of those that are drawn, where `wanted` is not null. */
static inline void check_count(const fuzz_model *m, const fuzz_tokens *t, const uint8_t *text, size_t len, const uint8_t *allowed,
                               uint32_t flags, const wwho_sampling *wanted) {
    size_t cap = t->n / 2;
    wwho_job job = {m->scratch, m->scratch_len, .cap = SIZE_MAX, .flags = flags};
    MUST(run_job(m, text, len, allowed, wanted, &job) == WWHO_OK && job.n == t->n);
    job.cap = cap;
    MUST(run_job(m, text, len, allowed, wanted, &job) == WWHO_OK);
    MUST(t->n > cap ? job.n > cap : job.n == t->n);
    for (int with_ends = 0; with_ends < 2; with_ends++) {
        job.ids = memory(4 * cap);
        job.ends = with_ends ? memory(4 * cap) : 0;
        int status = run_job(m, text, len, allowed, wanted, &job);
        MUST(status == (t->n > cap ? WWHO_BUFFER : WWHO_OK) && job.n == t->n);
        MUST(!memcmp(job.ids, t->ids, 4 * cap) && (!job.ends || !memcmp(job.ends, t->ends, 4 * cap)));
        free(job.ids);
        free(job.ends);
    }
}

/* Spans cover the text without gaps, each with a route and a rule that there are. */
static inline void check_spans(const fuzz_model *m, const uint8_t *text, size_t len) {
    wwho_span *spans = memory(len * sizeof *spans), *half;
    wwho_job job = {m->scratch, m->scratch_len, .spans = spans, .spans_cap = len, .flags = WWHO_CUT_ONLY};
    MUST(wwho_encode(m->model, text, len, NULL, &job) == WWHO_OK && !job.n);
    const size_t n = job.n_spans;
    MUST(n <= len);
    for (size_t i = 0, at = 0; i < n; at = spans[i++].end) {
        MUST((m->drops ? spans[i].start >= at : spans[i].start == at) && spans[i].end > at && spans[i].end <= len);
        MUST(spans[i].route < m->n_routes && spans[i].rule <= WWHO_PIECE && spans[i].first <= 1);
        MUST(spans[i].first || m->drops || (i && spans[i].route == spans[i - 1].route));
    }
    if (!m->drops) MUST(n ? spans[n - 1].end == len : !len);
    half = job.spans = memory(n / 2 * sizeof *half);
    job.spans_cap = n / 2;
    MUST(wwho_encode(m->model, text, len, NULL, &job) == (n ? WWHO_BUFFER : WWHO_OK) && job.n_spans == n);
    MUST(!memcmp(half, spans, n / 2 * sizeof *half));
    free(half);
    free(spans);
}

/* Each token's characters touch those of the token before it, and all are touched. Returns how many units the text has. */
static inline uint32_t check_offsets(const fuzz_tokens *t, const uint8_t *text, size_t len, int utf16) {
    uint32_t *first = memory(4 * t->n), *last = memory(4 * t->n), units = 0;
    MUST(wwho_offsets(text, len, NULL, t->ends, t->n, utf16, first, last) == WWHO_OK);
    for (size_t i = 0; i < t->n; units = last[i++]) {
        MUST(first[i] < last[i] && first[i] <= units && last[i] >= units);
        MUST(!i || first[i] >= first[i - 1]);
    }
    MUST(units <= len);
    free(first);
    free(last);
    return units;
}

/* What must hold for the tokens of a text, drawn where `wanted` is not null: ids that there are, ends that ascend, text that comes back. */
static inline void check_tokens(const fuzz_model *m, const fuzz_tokens *t, const uint8_t *text, size_t len, const uint8_t *allowed,
                                uint32_t flags, const wwho_sampling *wanted) {
    for (size_t i = 0; i < t->n; i++) {
        MUST(t->ids[i] < m->n_vocab && t->ends[i] <= len);
        MUST(m->rewrites || t->ends[i] > (i ? t->ends[i - 1] : 0));
    }
    if (!m->drops) MUST(t->n ? t->ends[t->n - 1] == len : !len);
    check_decode(m, t, text, len, !(flags & WWHO_UNK_TOKEN) && !m->loses && !(allowed && m->shares));
    check_count(m, t, text, len, allowed, flags, wanted);
}

/* Everything that must hold for one text. */
static inline void check_text(fuzz_model *m, const uint8_t *bytes, size_t len, const uint8_t *allowed, uint32_t flags) {
    uint8_t *text = copy_of(bytes, len);
    fuzz_tokens t = encode_text(m, text, len, allowed, flags);
    check_tokens(m, &t, text, len, allowed, flags, NULL);
    if (!m->rewrites) check_spans(m, text, len);
    if (!m->drops) {
        uint32_t code_points = check_offsets(&t, text, len, 0);
        MUST(check_offsets(&t, text, len, 1) >= code_points);
    }
    free_tokens(&t);
    free(text);
}

/* What must hold for tokens that are drawn */

/* Something to draw from a model, as a text says it: its bytes are the seed of all. */
static inline wwho_sampling wanted_of(const fuzz_model *m, const uint8_t *text, size_t len) {
    static const double dropouts[] = {0.1, 0.5, 1, 1e-9}, alphas[] = {0, 0.3, 40, 1e300};
    uint64_t seed = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < len; i++) seed = (seed ^ text[i]) * UINT64_C(0x100000001B3);
    bool both = seed >> 40 & 1;
    wwho_sampling wanted = {.seed = seed, .text = (uint32_t)(seed >> 60)};
    if (m->merges && (both || !m->paths || seed >> 41 & 1)) wanted.dropout = dropouts[seed >> 42 & 3];
    if (m->paths && (both || wanted.dropout == 0)) {
        wanted.alpha = alphas[seed >> 44 & 3];
        wanted.n_best = WWHO_ALL_PATHS;
    }
    return wanted;
}

/* A text twice in one call has, each time, the tokens that it has alone under its number. */
static inline void check_drawn_batch(fuzz_model *m, const fuzz_tokens *first, const uint8_t *text, size_t len, const uint8_t *allowed,
                                     uint32_t flags, const wwho_sampling *wanted) {
    wwho_sampling next = *wanted;
    next.text++;
    fuzz_tokens second = draw_text(m, text, len, allowed, flags, &next);
    size_t cap = first->n + second.n;
    uint8_t *both = memory(2 * len);
    if (len) memcpy(both, text, len), memcpy(both + len, text, len);
    uint32_t bounds[] = {0, (uint32_t)len, 2 * (uint32_t)len}, rows[3], *ids = memory(4 * cap);
    wwho_job job = {m->scratch, m->scratch_len, .ids = ids, .cap = cap, .flags = flags, .bounds = bounds, .rows = rows, .n_texts = 2};
    MUST(run_job(m, both, 2 * len, allowed, wanted, &job) == WWHO_OK);
    MUST(job.n == cap && rows[0] == 0 && rows[1] == first->n && rows[2] == cap);
    MUST(!memcmp(ids, first->ids, 4 * first->n) && !memcmp(ids + first->n, second.ids, 4 * second.n));
    free_tokens(&second);
    free(both);
    free(ids);
}

/* Everything that must hold for the tokens that are drawn for one text: they are the same again, alone, in a batch and counted, and what
 * is encoded afterwards is what it was. */
static inline void check_drawn(fuzz_model *m, const uint8_t *bytes, size_t len, const uint8_t *allowed, uint32_t flags,
                               const wwho_sampling *wanted) {
    uint8_t *text = copy_of(bytes, len);
    fuzz_tokens before = encode_text(m, text, len, allowed, flags), t = draw_text(m, text, len, allowed, flags, wanted);
    fuzz_tokens again = draw_text(m, text, len, allowed, flags, wanted), after = encode_text(m, text, len, allowed, flags);
    MUST(same_ids(&t, &again) && same_ids(&before, &after));
    if (wanted->n_best <= 1 && wanted->dropout < 1.0 / (UINT64_C(1) << 33)) MUST(same_ids(&t, &before));
    check_tokens(m, &t, text, len, allowed, flags, wanted);
    check_drawn_batch(m, &t, text, len, allowed, flags, wanted);
    free_tokens(&before);
    free_tokens(&t);
    free_tokens(&again);
    free_tokens(&after);
    free(text);
}

/* Numbers out of range, and what no model can do, are refused. */
static inline void check_refused_draws(const fuzz_model *m) {
    const double none = 0.0 / 0.0, most = 1.0 / 0.0;
    const wwho_sampling wrong[] = {
        {.dropout = -0.1},
        {.dropout = 1.1},
        {.dropout = none},
        {.dropout = most},
        {.n_best = 2},
        {.n_best = WWHO_ALL_PATHS, .alpha = -1},
        {.n_best = WWHO_ALL_PATHS, .alpha = none},
        m->merges ? (wwho_sampling){.n_best = WWHO_ALL_PATHS - 1} : (wwho_sampling){.dropout = 0.5},
        m->paths ? (wwho_sampling){.dropout = 2} : (wwho_sampling){.n_best = WWHO_ALL_PATHS},
    };
    uint32_t id;
    wwho_job job = {m->scratch, m->scratch_len, .ids = &id, .cap = 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        MUST(run_job(m, (const uint8_t *)"a", 1, NULL, &wrong[i], &job) == WWHO_ARGUMENT);
}

/* What must hold for an artifact that was opened */

/* Every token that has an id can be found by its text. */
static inline void check_token(const fuzz_model *m, uint32_t id) {
    const uint8_t *text, *again;
    size_t len, len_again;
    uint32_t found;
    if (wwho_token_bytes(m->model, id, &text, &len) != WWHO_OK) return;
    MUST(id < m->n_vocab && len && len <= m->max_token_bytes);
    uint8_t *copy = copy_of(text, len);
    int status = wwho_token_id(m->model, copy, len, &found);
    free(copy);
    if (status == WWHO_TOKEN && len == 1) return; /* a lone space or the token of a byte, if nothing else has its text */
    MUST(status == WWHO_OK);
    copy = copy_of(text, len);
    MUST(wwho_token_bytes(m->model, found, &again, &len_again) == WWHO_OK && len_again == len && !memcmp(again, copy, len));
    free(copy);
}

#define X16 "xxxxxxxxxxxxxxxx"
#define X128 X16 X16 X16 X16 X16 X16 X16 X16

/* Names, special tokens, the first and last ids, and two texts, also drawn: one with what is hard (scripts, joiners, runs, broken UTF-8),
 * and one whose merge the models of tests/py/odd_models.py give up. */
static inline void check_model(fuzz_model *m) {
    static const char hard[] =
        "The kettle's  on; 12345\r\n\n\t \xe0\xb6\xa0\xe0\xb6\xb1\xe0\xb7\x8a\xe2\x80\x8d\xe0\xb6\xaf\xe0\xb7\x8a\xe2\x80\x8d\xe0\xb6\xbb"
        "\xe0\xb6\xba\xe0\xb7\x8f\xe0\xb6\x9c\xe0\xb7\x9a \xe0\xb6\x9a\xe0\xb6\xb8 \xe0\xa4\xb5\xe0\xa4\xbf\xe0\xa4\xa6\xe0\xa5\x8d"
        "\xe0\xa4\xaf\xe0\xa4\xbe\xe0\xa4\xb2\xe0\xa4\xaf \xe0\xa4\xae\xe0\xa5\x87\xe0\xa4\x82 \xe0\xa4\x95\xe0\xa4\x95\xe0\xa5\xa4 "
        "kkkkkkkk abcjk <|a|>[UNK]<|end|>x <|\xe0\xb6\x9a|> \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 \xf0\x9f\x98\x80 a\xcc\x81 "
        "\xe0\xb6 \xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa      \xf0\x9f\x98";
    static const char odd[] = X128 X128 X128 X128 "abcdy";
    const uint8_t *text;
    size_t len;
    uint32_t id, flags;
    for (uint32_t i = 0; i < m->n_routes; i++) MUST(wwho_route_name(m->model, i, &text, &len) == WWHO_OK && len);
    MUST(wwho_route_name(m->model, m->n_routes, &text, &len) == WWHO_ARGUMENT);
    for (uint32_t i = 0; i < m->n_added; i++) {
        MUST(wwho_added(m->model, i, &id, &flags, &text, &len) == WWHO_OK);
        check_token(m, id);
    }
    MUST(wwho_added(m->model, m->n_added, &id, &flags, &text, &len) == WWHO_ARGUMENT);
    for (uint32_t i = 0; i < 600 && i <= m->n_vocab; i++) check_token(m, i), check_token(m, m->n_vocab - i);
    uint8_t *allowed = memory(m->n_added);
    memset(allowed, 1, m->n_added);
    give_scratch(m, 1);
    check_text(m, (const uint8_t *)hard, sizeof hard - 1, 0, 0);
    check_text(m, (const uint8_t *)hard, sizeof hard - 1, allowed, 0);
    check_text(m, (const uint8_t *)hard, sizeof hard - 1, 0, WWHO_UNK_TOKEN);
    check_text(m, (const uint8_t *)odd, sizeof odd - 1, 0, 0);
    check_refused_draws(m);
    if (m->merges || m->paths) {
        const wwho_sampling wanted = wanted_of(m, m->blob, get32((const uint8_t *)m->blob + 12));
        check_drawn(m, (const uint8_t *)hard, sizeof hard - 1, allowed, 0, &wanted);
        check_drawn(m, (const uint8_t *)odd, sizeof odd - 1, 0, 0, &wanted);
    }
    free(allowed);
}

#endif
