/* Text -> tokens: the added tokens in it, and the parts between them (FORMAT.md, Encoding). */
#include "added.h"
#include "cache.h"
#include "encode.h"
#include "models.h"
#include "viterbi.h"

/* What only one kind of model needs. */
static size_t lattice_size(const wwho_model *model) {
    for (uint32_t i = 0; model && i < model->n_models; i++)
        if (model->models[i].kind_number == KIND_VITERBI) return sizeof(wwho_lattice);
    return 0;
}

static inline size_t aligned(size_t size) { return (size + 15) & ~(size_t)15; }

size_t wwho_scratch_size(const wwho_model *model) {
    return CACHE_WORDS * sizeof(uint64_t) + aligned(sizeof(wwho_merging)) + aligned(sizeof(wwho_block)) + aligned(lattice_size(model));
}

/* Divide the scratch area. */
static int divide(wwho_encoder *e, size_t len, void *scratch, size_t scratch_len) {
    if (!e->model || (!e->text && len) || !scratch || (uintptr_t)scratch % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    if (scratch_len < wwho_scratch_size(e->model)) return WWHO_BUFFER;
    e->cache = scratch;
    e->merging = (wwho_merging *)(void *)(e->cache + CACHE_WORDS);
    e->block = (wwho_block *)(void *)((uint8_t *)e->merging + aligned(sizeof(wwho_merging)));
    e->lattice = (wwho_lattice *)(void *)((uint8_t *)e->block + aligned(sizeof(wwho_block)));
    return WWHO_OK;
}

/* A text from `at` to `end`: the added tokens in it, and what lies between. */
static void encode(wwho_encoder *e, size_t at, size_t end, const wwho_wanted *wanted) {
    wwho_search search;
    start_search(&search, wanted, e->text, at, end);
    while (at < end && e->n <= e->limit) {
        wwho_added_match match = next_added(&search);
        encode_ordinary(e, at, match.start);
        e->place = match.start;
        at = match.end;
        if (match.number != WWHO_NONE) put(e, e->model->added_ids[match.number], at);
    }
}

int wwho_encode_batch(const wwho_model *model, const uint8_t *text, const uint32_t *bounds, size_t n_texts, const uint8_t *allowed,
                      uint32_t flags, void *scratch, size_t scratch_len, uint32_t *ids, uint32_t *starts, uint32_t *ends,
                      size_t cap, uint32_t *rows) {
    if (!bounds || !rows || (!ids && cap) || (starts && !ends)) return WWHO_ARGUMENT;
    for (size_t i = 0; i < n_texts; i++)
        if (bounds[i + 1] < bounds[i]) return WWHO_ARGUMENT;
    wwho_encoder e = {.model = model, .text = text, .len = bounds[n_texts], .flags = flags, .ids = ids, .starts = starts, .ends = ends,
                      .cap = cap, .quick = ends ? 0 : cap, .limit = SIZE_MAX};
    int status = divide(&e, bounds[n_texts], scratch, scratch_len);
    if (status) return status;
    wwho_wanted wanted;
    want_added(&wanted, model, allowed, flags);
    rows[0] = 0;
    for (size_t i = 0; i < n_texts; i++) {
        e.start = bounds[i];
        encode(&e, bounds[i], bounds[i + 1], &wanted);
        rows[i + 1] = (uint32_t)e.n;
    }
    return e.n <= cap ? WWHO_OK : WWHO_BUFFER;
}

int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags, void *scratch,
                size_t scratch_len, uint32_t *ids, uint32_t *starts, uint32_t *ends, size_t cap, size_t *n) {
    if (!n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    const uint32_t bounds[2] = {0, (uint32_t)len};
    uint32_t rows[2] = {0, 0};
    int status = wwho_encode_batch(model, text, bounds, 1, allowed, flags, scratch, scratch_len, ids, starts, ends, cap, rows);
    *n = rows[1];
    return status;
}

int wwho_count(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags, void *scratch,
               size_t scratch_len, size_t limit, size_t *n) {
    if (!n) return WWHO_ARGUMENT;
    wwho_encoder e = {.model = model, .text = text, .len = len, .flags = flags, .limit = limit};
    int status = divide(&e, len, scratch, scratch_len);
    if (status) return status;
    wwho_wanted wanted;
    want_added(&wanted, model, allowed, flags);
    encode(&e, 0, len, &wanted);
    *n = e.n;
    return WWHO_OK;
}
