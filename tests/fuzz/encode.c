/* Encoding any bytes. Of the first byte of the input, bits 0 and 3 choose the model, bit 1 asks for [UNK], bit 2 compares with a cold
 * cache. */
#include "harness.h"

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
    check_text(m, data, size, 0, flags);
    return 0;
}
