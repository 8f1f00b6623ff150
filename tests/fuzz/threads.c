/* Eight threads and one model: threads ARTIFACT TEXT-FILE...
 *
 * Each thread encodes every line, and every file as a whole, with scratch of its own, from another file on than the others; its
 * tokens, and those that it draws, must be those of one thread alone. To be built with ThreadSanitizer, which sees any write to what they
 * share. */
#include "harness.h"

#include <pthread.h>

enum { THREADS = 8 };

typedef struct {
    uint8_t *text;
    size_t len;
    fuzz_tokens tokens, drawn;
    wwho_sampling wanted;
} fuzz_text;

typedef struct {
    fuzz_model model; /* shared but for the scratch */
    fuzz_text *texts;
    size_t n, first;
    size_t wrong;
} fuzz_worker;

static void *work(void *argument) {
    fuzz_worker *w = argument;
    for (size_t i = 0; i < w->n; i++) {
        const fuzz_text *text = &w->texts[(w->first + i) % w->n];
        fuzz_tokens t = encode_text(&w->model, text->text, text->len, 0, 0);
        if (!same_ids(&t, &text->tokens) || memcmp(t.ends, text->tokens.ends, 4 * t.n)) w->wrong++;
        check_count(&w->model, &t, text->text, text->len, 0, 0, NULL);
        fuzz_tokens drawn = draw_text(&w->model, text->text, text->len, 0, 0, &text->wanted);
        if (!same_ids(&drawn, &text->drawn)) w->wrong++;
        free_tokens(&drawn);
        check_decode(&w->model, &t, text->text, text->len, true);
        check_spans(&w->model, text->text, text->len);
        free_tokens(&t);
    }
    return 0;
}

/* The lines of a file, then the file; returns how many texts there are now. */
static size_t add_texts(fuzz_text *texts, size_t n, size_t max, uint8_t *file, size_t len) {
    for (size_t at = 0; at < len && n + 1 < max;) {
        const uint8_t *end = memchr(file + at, '\n', len - at);
        size_t line = end ? (size_t)(end - file) + 1 - at : len - at;
        texts[n++] = (fuzz_text){.text = copy_of(file + at, line), .len = line};
        at += line;
    }
    texts[n++] = (fuzz_text){.text = file, .len = len};
    return n;
}

int main(int count, char **arguments) {
    enum { MAX_TEXTS = 1 << 14 };
    if (count < 3) {
        fputs("usage: threads ARTIFACT TEXT-FILE...\n", stderr);
        return 2;
    }
    size_t len, n = 0, wrong = 0;
    uint8_t *blob = read_file(arguments[1], &len);
    fuzz_model alone;
    MUST(open_model(&alone, blob, len, MAX_WORK) == WWHO_OK);
    fuzz_text *texts = memory(MAX_TEXTS * sizeof *texts);
    for (int i = 2; i < count && n < MAX_TEXTS; i++) {
        uint8_t *file = read_file(arguments[i], &len);
        n = add_texts(texts, n, MAX_TEXTS, file, len);
    }
    give_scratch(&alone, 1);
    for (size_t i = 0; i < n; i++) {
        texts[i].tokens = encode_text(&alone, texts[i].text, texts[i].len, 0, 0);
        texts[i].wanted = wanted_of(&alone, texts[i].text, texts[i].len);
        texts[i].drawn = draw_text(&alone, texts[i].text, texts[i].len, 0, 0, &texts[i].wanted);
    }
    fuzz_worker workers[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (fuzz_worker){.model = alone, .texts = texts, .n = n, .first = i * n / THREADS};
        workers[i].model.scratch = NULL; /* its own, not that of `alone` */
        give_scratch(&workers[i].model, 1);
    }
    for (size_t i = 0; i < THREADS; i++) MUST(!pthread_create(&threads[i], 0, work, &workers[i]));
    for (size_t i = 0; i < THREADS; i++) {
        MUST(!pthread_join(threads[i], 0));
        wrong += workers[i].wrong;
        free(workers[i].model.scratch);
    }
    for (size_t i = 0; i < n; i++) {
        free(texts[i].text);
        free_tokens(&texts[i].tokens);
        free_tokens(&texts[i].drawn);
    }
    free(texts);
    free(blob);
    close_model(&alone);
    printf("%zu texts, %d threads, %zu differences\n", n, (int)THREADS, wrong);
    return wrong > 0;
}
