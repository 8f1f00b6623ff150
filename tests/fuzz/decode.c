/* Decoding any ids. The first byte of the input: bits 0 and 3 choose the model, bit 1 brings ids near to those there are. */
#include "harness.h"

/* The bytes of all ids, and in *good how many of them there are before the first that is none. */
static size_t reckon(const fuzz_model *m, const uint32_t *ids, size_t n, size_t *good) {
    const uint8_t *text;
    size_t sum = 0, len;
    for (*good = 0; *good < n; ++*good) {
        check_token(m, ids[*good]);
        if (wwho_token_bytes(m->model, ids[*good], &text, &len) != WWHO_OK) break;
        sum += len;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    fuzz_model *m = shared_model(*data);
    size_t n = (size - 1) / 4, good, len = 0, written = 0;
    uint32_t *ids = memory(4 * n), *ends = memory(4 * n);
    for (size_t i = 0; i < n; i++) {
        ids[i] = get32(data + 1 + 4 * i);
        if (*data & 2) ids[i] %= m->n_vocab + 2;
    }
    size_t sum = reckon(m, ids, n, &good);
    if (good < n) {
        uint8_t *out = memory(sum);
        MUST(wwho_decode(m->model, ids, n, out, sum, &len) == WWHO_TOKEN && len == good);
        free(out);
    }
    fuzz_tokens t = {ids, ends, good};
    uint8_t *text = memory(sum);
    MUST(wwho_decode(m->model, ids, good, text, sum, &len) == WWHO_OK && len == sum);
    for (size_t i = 0; i < good; i++) {
        const uint8_t *token;
        MUST(wwho_token_bytes(m->model, ids[i], &token, &len) == WWHO_OK && !memcmp(text + written, token, len));
        written += len;
        ends[i] = (uint32_t)written;
    }
    check_decode(m, &t, text, sum, true);
    MUST(check_offsets(&t, text, sum, 1) >= check_offsets(&t, text, sum, 0));
    if (sum < 1 << 13) check_text(m, text, sum, 0, 0);
    free(text);
    free_tokens(&t);
    return 0;
}
