/* Encoding any bytes. Of the first byte of the input, bits 0 and 3 choose the model, bit 1 asks for [UNK], bit 2 compares with a cold
 * cache, and bit 4 draws tokens. */
#include "harness.h"

/* A text that comes in two parts has the tokens that are drawn for the whole. */
static void check_drawn_parts(fuzz_model *m, const uint8_t *bytes, size_t len, uint32_t flags, const wwho_sampling *wanted) {
    uint8_t *text = copy_of(bytes, len);
    fuzz_tokens whole = draw_text(m, text, len, 0, flags, wanted);
    wwho_sampling sampling = *wanted;
    size_t first = len - wanted->seed % (len + 1), n = 0;
    uint32_t *ids = memory(4 * len);
    wwho_job job = {m->scratch, m->scratch_len, .ids = ids, .cap = len, .flags = flags | WWHO_GOES_ON};
    MUST(wwho_sample(m->model, text, first, 0, &sampling, &job) == WWHO_OK && job.read <= first);
    n = job.n;
    first = job.read;
    MUST(n <= whole.n && !memcmp(ids, whole.ids, 4 * n));
    job.flags = flags;
    MUST(wwho_sample(m->model, text + first, len - first, 0, &sampling, &job) == WWHO_OK && job.read == len - first);
    MUST(n + job.n == whole.n && !memcmp(ids, whole.ids + n, 4 * job.n) && !sampling.pretokens);
    free_tokens(&whole);
    free(ids);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    uint8_t options = *data++;
    fuzz_model *m = shared_model(options);
    uint32_t flags = options & 2 ? WWHO_UNK_TOKEN : 0;
    size--;
    if (options & 4) {
        /* with what is left in the cache by the inputs before, then without */
        uint8_t *text = copy_of(data, size);
        fuzz_tokens warm = encode_text(m, text, size, 0, flags);
        forget(m);
        fuzz_tokens cold = encode_text(m, text, size, 0, flags);
        MUST(same_ids(&warm, &cold));
        free_tokens(&warm);
        free_tokens(&cold);
        free(text);
    }
    if (options & 16) {
        const wwho_sampling wanted = wanted_of(m, data, size);
        check_drawn(m, data, size, 0, flags, &wanted);
        check_drawn_parts(m, data, size, flags, &wanted);
    }
    check_text(m, data, size, 0, flags);
    return 0;
}
