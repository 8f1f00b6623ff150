/* Tokens that are drawn, as the core draws them: draws ARTIFACT < requests > ids.
 *
 * A request is `f64 dropout, f64 alpha, u64 seed, u32 n_best, u32 number of the text, u32 n`, then the n bytes of the text. For each, all
 * of check_drawn() must hold, and `u32 n`, then the n ids are written, little-endian. */
#include "harness.h"

/* What comes before a text. */
typedef struct {
    double dropout, alpha;
    uint64_t seed;
    uint32_t n_best, number, n;
} fuzz_request;

int main(int count, char **arguments) {
    enum { SIZE = 36 };
    if (count != 2) {
        fputs("usage: draws ARTIFACT < requests > ids\n", stderr);
        return 2;
    }
    size_t len;
    uint8_t *blob = read_file(arguments[1], &len), head[SIZE];
    fuzz_model m;
    MUST(open_model(&m, blob, len, MAX_WORK) == WWHO_OK);
    give_scratch(&m, 1);
    check_refused_draws(&m);
    for (size_t n; (n = fread(head, 1, SIZE, stdin));) {
        MUST(n == SIZE);
        fuzz_request r;
        memcpy(&r, head, SIZE);
        wwho_sampling wanted = {.seed = r.seed, .dropout = r.dropout, .alpha = r.alpha, .n_best = r.n_best, .text = r.number};
        uint8_t *text = memory(r.n);
        MUST(fread(text, 1, r.n, stdin) == r.n);
        check_drawn(&m, text, r.n, 0, 0, &wanted);
        fuzz_tokens t = draw_text(&m, text, r.n, 0, 0, &wanted);
        uint32_t written = (uint32_t)t.n;
        MUST(fwrite(&written, 4, 1, stdout) == 1 && fwrite(t.ids, 4, t.n, stdout) == t.n);
        free_tokens(&t);
        free(text);
    }
    close_model(&m);
    free(blob);
    return 0;
}
