/* Count the tokens of standard input: count MODEL.wwho < TEXT
 * cc count.c $(pkg-config --cflags --libs wwho) */
#include <stdio.h>
#include <stdlib.h>
#include <wwho.h>

/* Read a file to its end into memory of malloc, which is aligned for any use; *len is its length. NULL if it cannot be read. */
static uint8_t *read_all(FILE *file, size_t *len) {
    size_t room = 1 << 16, n;
    uint8_t *data = malloc(room);
    for (*len = 0; data && (n = fread(data + *len, 1, room - *len, file)); *len += n)
        if (*len + n == room) {
            uint8_t *more = realloc(data, room *= 2);
            if (!more) free(data);
            data = more;
        }
    return data && !ferror(file) ? data : NULL;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: count MODEL.wwho < TEXT\n"), 2;
    size_t blob_len, text_len, work_len;
    uint8_t *blob = read_all(file, &blob_len), *text = read_all(stdin, &text_len);
    fclose(file);
    if (!blob || !text) return fprintf(stderr, "cannot read the model or the text\n"), 1;

    /* The caller owns all memory: the model lies in `work`, and the cache of pretokens in the scratch area. */
    const wwho_model *model;
    int status = wwho_workspace_size(blob, blob_len, &work_len);
    void *work = status ? NULL : malloc(work_len);
    if (!status) status = wwho_open(blob, blob_len, work, work_len, &model);
    if (status) return fprintf(stderr, "%s: %s\n", argv[1], wwho_status_str(status)), 1;

    wwho_job job = {.scratch_len = wwho_scratch_size(model), .cap = SIZE_MAX / 8};
    do {
        free(job.scratch);
        job.scratch = calloc(1, job.scratch_len);
        status = job.scratch ? wwho_encode(model, text, text_len, NULL, &job) : WWHO_BUFFER;
        job.scratch_len *= 2; /* hardly any text needs a larger scratch area */
    } while (status == WWHO_BUFFER && job.scratch);
    if (status) return fprintf(stderr, "%s\n", wwho_status_str(status)), 1;
    printf("%zu\n", job.n);
    free(job.scratch), free(work), free(text), free(blob);
    return 0;
}
