/* Tests the interface as a C program uses it: interface MODEL.wwho, for o200k_base. Prints each check that fails. */
#include "wwho.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                                \
            failures++;                                                                                                                    \
        }                                                                                                                                  \
    } while (0)

/* Read a whole file into memory from malloc, which is aligned. */
static uint8_t *read_all(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (!file) return NULL;
    if (!fseek(file, 0, SEEK_END) && ftell(file) > 0) {
        *len = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*len);
        if (bytes && fread(bytes, 1, *len, file) != *len) *len = 0;
    }
    fclose(file);
    return bytes;
}

static uint32_t number(const wwho_model *model, int of, uint32_t index) {
    uint32_t value = 0;
    CHECK(wwho_info(model, of, 0, index, &value) == WWHO_OK);
    return value;
}

static void test_what_it_tells(const wwho_model *model) {
    const uint8_t *text;
    size_t len;
    uint32_t id, flags;
    CHECK(number(model, WWHO_OF_TOKENIZER, WWHO_TOKENIZER_N_VOCAB) == 200019);
    CHECK(number(model, WWHO_OF_TOKENIZER, WWHO_TOKENIZER_N_MODELS) == 1);
    CHECK(number(model, WWHO_OF_MODEL, WWHO_MODEL_N_MERGES) == 199998 - 256);
    CHECK(wwho_route_name(model, 0, &text, &len) == WWHO_OK && len == 5 && !memcmp(text, "other", 5));
    CHECK(wwho_route_name(model, 1, &text, &len) == WWHO_ARGUMENT);
    CHECK(wwho_added(model, 0, &id, &flags, &text, &len) == WWHO_OK);
    CHECK(id == 199999 && flags == WWHO_ADDED_SPECIAL && len == 13 && !memcmp(text, "<|endoftext|>", 13));
    CHECK(wwho_section_bytes(model, WWHO_SECTION_PROVENANCE, 0, &text, &len) == WWHO_OK && len > 2 && text[0] == '{');
    CHECK(wwho_abi_version() >> 16 == WWHO_VERSION_MAJOR);
    CHECK(!strcmp(wwho_status_str(WWHO_CHECKSUM), "CHECKSUM"));
}

static void test_text(const wwho_model *model, void *scratch, size_t scratch_len) {
    static const uint8_t text[] = "hello world<|endoftext|>";
    const size_t len = sizeof text - 1;
    const uint8_t allowed[] = {1, 1};
    uint32_t ids[64], ends[64], first[64], last[64], token;
    wwho_span spans[4];
    uint8_t back[64];
    const uint8_t *bytes;
    size_t n, size, cut;
    wwho_job job = {.scratch = scratch, .scratch_len = scratch_len, .ids = ids, .ends = ends, .cap = 64, .spans = spans, .spans_cap = 4};
    CHECK(wwho_encode(model, text, len, allowed, &job) == WWHO_OK && job.read == len);
    n = job.n;
    CHECK(job.n_spans == 2 && spans[0].first && !spans[1].first && spans[1].start == 5 && spans[1].end == 11);
    CHECK(n == 3 && ids[0] == 24912 && ids[1] == 2375 && ids[2] == 199999);
    CHECK(ends[0] == 5 && ends[1] == 11 && ends[2] == len);
    CHECK(wwho_decode(model, ids, n, back, sizeof back, &size) == WWHO_OK && size == len && !memcmp(back, text, len));
    CHECK(wwho_offsets(text, len, NULL, ends, n, 1, first, last) == WWHO_OK && first[1] == 5 && last[1] == 11);
    job.ends = NULL;
    CHECK(wwho_encode(model, text, len, NULL, &job) == WWHO_BUFFER && job.n_spans > 4 && job.n > 3);
    n = job.n;
    job.spans = NULL;
    CHECK(wwho_encode(model, text, len, NULL, &job) == WWHO_OK && job.n == n && !job.n_spans);
    job.cap = 1;
    CHECK(wwho_encode(model, text, len, NULL, &job) == WWHO_BUFFER && job.n == n && !job.read);
    job.ids = NULL;
    CHECK(wwho_encode(model, text, len, NULL, &job) == WWHO_OK && job.n > 1);
    job.cap = SIZE_MAX;
    CHECK(wwho_encode(model, text, len, NULL, &job) == WWHO_OK && job.n == n);
    CHECK(wwho_safe_cut(model, text, 11, NULL, &cut) == WWHO_OK && cut == 5);
    CHECK(wwho_token_bytes(model, 24912, &bytes, &size) == WWHO_OK && size == 5 && !memcmp(bytes, "hello", 5));
    CHECK(wwho_token_id(model, text, 5, &token) == WWHO_OK && token == 24912);
    CHECK(wwho_token_bytes(model, 200019, &bytes, &size) == WWHO_TOKEN);
}

static void test_batch(const wwho_model *model, void *scratch, size_t scratch_len) {
    static const uint8_t text[] = "hello worldhello";
    const uint32_t starts[] = {0, 11, 11, 16};
    uint32_t ids[16], rows[4];
    wwho_job job = {.scratch = scratch, .scratch_len = scratch_len, .ids = ids, .cap = 16, .bounds = starts, .rows = rows, .n_texts = 3};
    CHECK(wwho_encode(model, text, 16, NULL, &job) == WWHO_OK && job.n == 3);
    CHECK(rows[1] == 2 && rows[2] == 2 && rows[3] == 3 && ids[2] == ids[0]);
}

/* A text that comes in parts has the tokens of the whole text; bytes that were not read are passed again. */
static void test_parts(const wwho_model *model, void *scratch, size_t scratch_len) {
    static const uint8_t text[] = "hello world";
    uint32_t ids[16];
    wwho_job job = {.scratch = scratch, .scratch_len = scratch_len, .ids = ids, .cap = 16, .flags = WWHO_GOES_ON};
    CHECK(wwho_encode(model, text, 8, NULL, &job) == WWHO_OK && job.n == 1 && job.read == 5 && job.place && ids[0] == 24912);
    job.flags = 0;
    CHECK(wwho_encode(model, text + 5, 6, NULL, &job) == WWHO_OK && job.n == 1 && job.read == 6 && !job.place && ids[0] == 2375);
}

static void test_spans_and_normalizer(const wwho_model *model, void *scratch, size_t scratch_len) {
    static const uint8_t text[] = "hello world";
    wwho_span spans[4];
    uint8_t out[16];
    uint32_t sources[16];
    size_t n, read;
    wwho_job job = {.scratch = scratch, .scratch_len = scratch_len, .spans = spans, .spans_cap = 4, .flags = WWHO_CUT_ONLY};
    CHECK(wwho_encode(model, text, 11, NULL, &job) == WWHO_OK && !job.n && job.n_spans == 2);
    CHECK(spans[1].start == 5 && spans[0].rule == WWHO_PIECE);
    CHECK(wwho_normalize(model, text, 11, 0, NULL, 0, out, sources, sizeof out, &read, &n) == WWHO_OK);
    CHECK(n == 11 && read == 11 && !memcmp(out, text, 11) && sources[10] == 10);
}

static void test_refusals(uint8_t *blob, size_t len) {
    size_t size;
    CHECK(wwho_workspace_size(blob, len - 4, &size) == WWHO_TRUNCATED);
    CHECK(wwho_workspace_size(NULL, len, &size) == WWHO_ARGUMENT);
    blob[0] ^= 1;
    CHECK(wwho_workspace_size(blob, len, &size) == WWHO_MAGIC);
    blob[0] ^= 1;
}

static void test_sampling(const wwho_model *model, void *scratch, size_t scratch_len) {
    static const uint8_t text[] = "hello world";
    const size_t len = sizeof text - 1;
    uint32_t ids[3][16];
    wwho_job job = {.scratch = scratch, .scratch_len = scratch_len, .cap = 16};
    for (int i = 0; i < 3; i++) {
        wwho_sampling sampling = {.seed = 1, .dropout = i < 2 ? 0.3 : 1};
        job.ids = ids[i];
        CHECK(wwho_sample(model, text, len, NULL, &sampling, &job) == WWHO_OK);
    }
    CHECK(job.n == len);
    CHECK(ids[0][0] == 4161 && ids[0][1] == 746 && ids[0][2] == 286 && ids[0][3] == 1733); /* as in README.md */
    CHECK(!memcmp(ids[0], ids[1], 4 * sizeof **ids));
    wwho_sampling wrong[] = {{.dropout = -1}, {.dropout = 1.5}, {.n_best = WWHO_ALL_PATHS, .alpha = 1}, {.n_best = 64}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(wwho_sample(model, text, len, NULL, &wrong[i], &job) == WWHO_ARGUMENT);
    CHECK(wwho_sample(model, text, len, NULL, NULL, &job) == WWHO_ARGUMENT);
}

int main(int argc, char **argv) {
    size_t len = 0, size;
    uint8_t *blob = argc == 2 ? read_all(argv[1], &len) : NULL;
    if (!blob || !len) return fprintf(stderr, "interface MODEL.wwho\n"), 2;
    test_refusals(blob, len);
    const wwho_model *model = NULL;
    int status = wwho_workspace_size(blob, len, &size);
    void *work = status ? NULL : malloc(size);
    if (!status) status = wwho_open(blob, len, work, size, &model);
    if (status) return fprintf(stderr, "%s\n", wwho_status_str(status)), 1;
    size_t scratch_len = wwho_scratch_size(model);
    void *scratch = calloc(1, scratch_len);
    test_what_it_tells(model);
    test_text(model, scratch, scratch_len);
    test_sampling(model, scratch, scratch_len);
    test_batch(model, scratch, scratch_len);
    test_parts(model, scratch, scratch_len);
    test_spans_and_normalizer(model, scratch, scratch_len);
    free(scratch), free(work), free(blob);
    if (!failures) puts("all checks passed");
    return failures != 0;
}
