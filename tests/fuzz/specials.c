/* Special tokens. The first byte of the input: bits 0 and 3 choose the model, bit 1 asks for [UNK]; then a byte for each special
 * token that says in bit 0 whether it is allowed; then the text. */
#include "harness.h"

typedef struct {
    uint32_t id;
    size_t len;
} fuzz_special;

/* The longest allowed special token at the start of the text; its length is 0 where there is none. */
static fuzz_special special_at(const fuzz_model *m, const uint8_t *text, size_t len, const uint8_t *allowed) {
    fuzz_special best = {0, 0};
    for (uint32_t i = 0; i < m->n_added; i++) {
        const uint8_t *name;
        uint32_t id, flags;
        size_t n;
        MUST(wwho_added(m->model, i, &id, &flags, &name, &n) == WWHO_OK);
        if (allowed[i] && n > best.len && n <= len && !memcmp(text, name, n)) best = (fuzz_special){id, n};
    }
    return best;
}

/* FORMAT.md, Encoding, point 1, word for word: cut at the special tokens, encode what is between on its own. */
static void check_cuts(fuzz_model *m, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags) {
    fuzz_tokens whole = encode_text(m, text, len, allowed, flags);
    size_t n = 0, start = 0;
    for (size_t at = 0; at <= len;) {
        fuzz_special special = special_at(m, text + at, len - at, allowed);
        if (!special.len && at++ < len) continue;
        size_t end = special.len ? at : len;
        uint8_t *part = copy_of(text + start, end - start);
        fuzz_tokens t = encode_text(m, part, end - start, 0, flags);
        MUST(n + t.n <= whole.n && !memcmp(whole.ids + n, t.ids, 4 * t.n));
        for (size_t i = 0; i < t.n; i++) MUST(whole.ends[n + i] == start + t.ends[i]);
        n += t.n;
        free_tokens(&t);
        free(part);
        if (!special.len) break;
        start = at += special.len;
        MUST(n < whole.n && whole.ids[n] == special.id && whole.ends[n] == at);
        n++;
    }
    MUST(n == whole.n);
    free_tokens(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    fuzz_model *m = shared_model(*data);
    uint32_t flags = *data & 2 ? WWHO_UNK_TOKEN : 0, n = m->n_added;
    if (size < 1 + n) return 0;
    uint8_t *allowed = memory(n), *text = copy_of(data + 1 + n, size - 1 - n);
    for (uint32_t i = 0; i < n; i++) allowed[i] = data[1 + i] & 1;
    check_cuts(m, text, size - 1 - n, allowed, flags);
    check_text(m, text, size - 1 - n, allowed, flags);
    free(allowed);
    free(text);
    return 0;
}
