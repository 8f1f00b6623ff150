/* Prints the ids of each line of a text, one line of ids each: ids MODEL.wwho TEXT. For processors that are emulated. */
#include "wwho.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read a whole file into memory at an address that is a multiple of 16; its size goes to *len. */
static uint8_t *read_all(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) exit(2);
    *len = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*len + 1);
    if (!bytes || fread(bytes, 1, *len, file) != *len) exit(2);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    size_t len, size;
    uint8_t *blob = read_all(argv[1], &size), *text = read_all(argv[2], &len);
    size_t blob_len = size;
    const wwho_model *model;
    if (wwho_workspace_size(blob, blob_len, &size) || wwho_open(blob, blob_len, malloc(size), size, &model)) return 3;
    wwho_job job = {.scratch_len = wwho_scratch_size(model), .cap = len};
    job.scratch = calloc(1, job.scratch_len);
    job.ids = malloc((len + 1) * sizeof *job.ids);
    for (size_t at = 0, end; at < len; at = end + 1) {
        const uint8_t *stop = memchr(text + at, '\n', len - at);
        end = stop ? (size_t)(stop - text) : len;
        if (wwho_encode(model, text + at, end - at, NULL, &job)) return 4;
        for (size_t i = 0; i < job.n; i++) printf("%u ", (unsigned)job.ids[i]);
        printf("\n");
    }
    return 0;
}
