/* Counting: text -> spans -> records -> table. */

enum { SLICE = 1 << 16 };

/* Where the slice that starts at `at` ends: behind the last newline within SLICE bytes, else behind the first one after. */
static size_t slice_end(const uint8_t *text, size_t at, size_t len) {
    if (len - at <= SLICE) return len;
    for (size_t end = at + SLICE; end > at; end--)
        if (text[end - 1] == '\n') return end;
    const uint8_t *newline = memchr(text + at + SLICE, '\n', len - at - SLICE);
    return newline ? (size_t)(newline - text) + 1 : len;
}

static uint64_t stray_bytes(const uint8_t *text, size_t len) {
    uint64_t stray = 0;
    for (size_t at = 0; at < len;) {
        if (len - at >= 8 && !(load64(text + at) & 0x8080808080808080u)) {
            at += 8;
            continue;
        }
        uint32_t code_point, width = utf8_next(text + at, len - at, &code_point);
        stray += width == 1 && text[at] >= 0x80;
        at += width;
    }
    return stray;
}

/* Words on their way into the table. It is larger than the caches, so a few dozen words are looked up together: what each needs
 * next is fetched from memory while the others are served. */
enum { BATCH = 48 };

typedef struct {
    uint64_t hash, n_units;
    size_t at, size; /* the record in words->record */
} pending_word;

typedef struct {
    pending_word words[BATCH];
    size_t n;
} word_batch;

/* Put the batch into the table. */
static int flush(wwho_words *words, word_batch *batch) {
    uint64_t slots[BATCH];
    for (size_t i = 0; i < batch->n; i++) {
        slots[i] = words->slots[batch->words[i].hash & words->slots_mask];
        if (slots[i]) __builtin_prefetch(&words->entries[(uint32_t)slots[i] - 1]);
    }
    for (size_t i = 0; i < batch->n; i++)
        if (slots[i]) __builtin_prefetch(record_at(words, (uint32_t)slots[i] - 1));
    int status = WWHO_OK;
    for (size_t i = 0; !status && i < batch->n; i++) {
        const pending_word *word = &batch->words[i];
        status = add_hashed(words, words->record + word->at, word->size, word->hash, word->n_units, 1);
    }
    batch->n = 0;
    words->record_used = 0;
    return status;
}

/* Count the word made of the units first..last-1, now or with the batch. */
static int count_word(wwho_words *words, const uint8_t *text, const wwho_span *first, const wwho_span *last,
                      word_batch *batch) {
    size_t n_units = (size_t)(last - first), length = last[-1].end - first->start, start = words->record_used;
    int status = reserve(&words->record, &words->record_room, start + length + (n_units + 1) * LEB_MAX, 1);
    if (status) return status;
    uint8_t *at = put_leb(words->record + start, n_units);
    for (const wwho_span *unit = first; unit < last; unit++) at = put_leb(at, unit->end - unit->start);
    memcpy(at, text + first->start, length);
    words->record_used = (size_t)(at - words->record) + length;
    size_t size = words->record_used - start;
    uint64_t hash = hash_of(words->record + start, size);
    __builtin_prefetch(&words->slots[hash & words->slots_mask]);
    batch->words[batch->n++] = (pending_word){hash, n_units, start, size};
    return batch->n == BATCH ? flush(words, batch) : WWHO_OK;
}

static int count_slice(wwho_words *words, const wwho_model *model, const uint8_t *text, size_t len) {
    size_t n = 0;
    int status = wwho_spans(model, text, len, words->spans, words->spans_room, &n);
    if (status == WWHO_BUFFER) {
        status = reserve(&words->spans, &words->spans_room, n, sizeof *words->spans);
        if (!status) status = wwho_spans(model, text, len, words->spans, words->spans_room, &n);
    }
    word_batch batch = {.n = 0};
    const wwho_span *end = words->spans + n;
    for (const wwho_span *unit = words->spans; !status && unit < end;) {
        const wwho_span *first = unit++;
        if (!model->routes[first->route].sgpe) continue;
        if (first->rule == WWHO_SYLLABLE)
            while (unit < end && !unit->first && unit->rule == WWHO_SYLLABLE) unit++;
        status = count_word(words, text, first, unit, &batch);
    }
    return status ? status : flush(words, &batch);
}

int wwho_words_count(wwho_words *words, const wwho_model *model, const uint8_t *text, size_t len) {
    if (!words || !model || (!text && len)) return WWHO_ARGUMENT;
    int status = WWHO_OK;
    for (size_t at = 0, end; !status && at < len; at = end) {
        end = slice_end(text, at, len);
        status = count_slice(words, model, text + at, end - at);
    }
    words->stray_bytes += stray_bytes(text, len);
    return status;
}
