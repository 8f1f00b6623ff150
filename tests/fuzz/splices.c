/* Artifacts made from one by splices: splices ARTIFACT < splices > statuses.
 *
 * A splice is `u32 keep, u32 resume, u32 n`, then n bytes: the artifact's first `keep` bytes, these, and the artifact's from
 * `resume` on. Size and checksum are made right, but for a splice that lies inside of the header's eight bytes for them.
 * For each artifact that is refused, its status is written as a byte; one that opens is tried out, and 0 is written. */
#include "harness.h"

static uint32_t number(void) {
    uint8_t bytes[4];
    MUST(fread(bytes, 1, 4, stdin) == 4);
    return get32(bytes);
}

static bool more(void) {
    int next = getchar();
    return next != EOF && ungetc(next, stdin) != EOF;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fputs("usage: splices ARTIFACT < splices > statuses\n", stderr);
        return 2;
    }
    size_t len;
    uint8_t *base = read_file(arguments[1], &len);
    while (more()) {
        uint32_t keep = number(), resume = number(), n = number();
        MUST(keep <= resume && resume <= len);
        size_t made_len = keep + n + (len - resume);
        uint8_t *made = memory(made_len);
        memcpy(made, base, keep);
        MUST(fread(made + keep, 1, n, stdin) == n);
        memcpy(made + keep + n, base + resume, len - resume);
        if (keep < 12 || resume > 20) seal(made, made_len);
        fuzz_model m;
        int status = open_model(&m, made, made_len, MAX_WORK);
        if (status == WWHO_OK) check_model(&m);
        putchar(status);
        close_model(&m);
        free(made);
    }
    free(base);
    return 0;
}
