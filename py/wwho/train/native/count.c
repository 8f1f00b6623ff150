/* Counting: text -> segments -> words -> table. Most segments of a script are one word that was there before: the core's cache
 * knows its place in the table. Only the others are cut into units. */

/* Bytes of text[at..end) that are no part of a well-formed UTF-8 sequence. */
static HOT uint64_t stray_bytes(const wwho_encoder *text, size_t at, size_t end) {
    uint64_t stray = 0;
    while (at < end) {
        const uint8_t *here = text->text + at;
        if (text->len - at >= 8 && !(load64(here) & ONES * 128)) {
            at += 8;
            continue;
        }
        uint32_t code_point, width = utf8_next(here, end - at, &code_point);
        stray += width == 1 && *here >= 0x80;
        at += width;
    }
    return stray;
}

/* Nothing is looked up at once: what it needs is fetched from memory while others are served. A segment waits AHEAD segments for
 * its line of the cache; an entry to be counted up, or a word to be found in the table, waits for a batch. */
typedef struct {
    wwho_words *words;
    wwho_encoder text; /* what is read, and the cache: the core's own way to a key */
    wwho_found found[AHEAD];
    const wwho_automaton *units[AHEAD]; /* what cuts each segment found */
    size_t n_found;
    uint32_t seen[BATCH]; /* entries */
    size_t n_seen;
    new_word fresh[BATCH]; /* words that the cache does not know; their records are in words->record */
    wwho_key keys[BATCH];  /* of the segment, where it is this word and nothing else */
    size_t n_fresh;
} wwho_counter;

/* Count up the entries that were seen again. */
static void flush_seen(wwho_counter *c) {
    for (size_t i = 0; i < c->n_seen; i++) c->words->entries[c->seen[i]].count++;
    c->words->total += c->n_seen;
    c->n_seen = 0;
}

/* Put the words that were cut into the table. */
static int flush_fresh(wwho_counter *c) {
    uint32_t kept[2] = {0, 0}, entries[BATCH];
    int status = add_batch(c->words, c->words->record, c->fresh, c->n_fresh, entries);
    for (size_t i = 0; !status && i < c->n_fresh; i++) {
        kept[1] = entries[i]; /* as a second id: the first one has but 24 bits */
        keep(&c->keys[i], 0, kept, 2);
    }
    c->n_fresh = 0;
    c->words->record_used = 0;
    return status;
}

/* Write the record of the word at the cursor, which moves behind it: neighbouring syllables are a word, and so is any other
 * unit. */
static int cut_word(wwho_counter *c, const wwho_automaton *scanner, wwho_cursor *cursor, const wwho_key *key) {
    wwho_words *words = c->words;
    const wwho_model *model = c->text.model;
    size_t start = cursor->at, used = words->record_used; /* the lengths of units take no more bytes than the units */
    int status = reserve(&words->record, &words->record_room, used + LEB_MAX + 2 * (cursor->end - start), 1);
    if (status) return status;
    uint8_t *record = words->record + used + LEB_MAX, *at = record;
    uint64_t n_units = 0;
    uint32_t rule = WWHO_SYLLABLE;
    while (rule == WWHO_SYLLABLE && cursor->at < cursor->end) {
        size_t unit = cursor->at;
        scan_piece(&model->classes, scanner, cursor, &rule);
        if (rule != WWHO_SYLLABLE && n_units) {
            cursor->at = unit;
            read_class(&model->classes, cursor);
            break;
        }
        at = put_leb(at, cursor->at - unit);
        n_units++;
    }
    size_t length = cursor->at - start;
    memcpy(at, c->text.text + start, length);
    record = put_leb_before(record, n_units);
    size_t size = (size_t)(at - record) + length;
    uint64_t hash = hash_of(record, size);
    prefetch(&words->slots[hash & words->slots_mask]);
    c->keys[c->n_fresh] = *key;
    if (length != key->n) c->keys[c->n_fresh].set = NULL;
    c->fresh[c->n_fresh++] = (new_word){hash, n_units, 1, (size_t)(record - words->record), size};
    words->record_used = (size_t)(at - words->record) + length;
    return c->n_fresh == BATCH ? flush_fresh(c) : WWHO_OK;
}

/* Count the words of a segment that was found some time ago. */
static int count_segment(wwho_counter *c, const wwho_found *segment, const wwho_automaton *scanner) {
    const uint32_t *kept = kept_ids(&segment->key);
    if (kept) {
        prefetch(&c->words->entries[kept[1]]);
        c->seen[c->n_seen++] = kept[1];
        if (c->n_seen == BATCH) flush_seen(c);
        return WWHO_OK;
    }
    size_t end = segment->at + segment->key.n;
    uint64_t stray = stray_bytes(&c->text, segment->at, end);
    wwho_key key = segment->key;
    if (stray) key.set = NULL; /* they are counted each time */
    c->words->stray_bytes += stray;
    int status = WWHO_OK;
    wwho_cursor cursor = start_at(&c->text.model->classes, c->text.text, segment->at, end);
    while (!status && cursor.at < end) status = cut_word(c, scanner, &cursor, &key);
    return status;
}

/* A segment was found: count the one that has waited longest. */
static HOT int found_segment(wwho_counter *c, size_t at, size_t end, const wwho_automaton *scanner) {
    size_t i = c->n_found++ % AHEAD;
    int status = c->n_found > AHEAD ? count_segment(c, &c->found[i], c->units[i]) : WWHO_OK;
    set_found(&c->text, &c->found[i], at, end, 1);
    c->units[i] = scanner;
    return status;
}

static int flush(wwho_counter *c) {
    int status = WWHO_OK;
    size_t i = c->n_found < AHEAD ? 0 : c->n_found - AHEAD;
    for (; !status && i < c->n_found; i++) status = count_segment(c, &c->found[i % AHEAD], c->units[i % AHEAD]);
    flush_seen(c);
    return status ? status : flush_fresh(c);
}

/* Make the cache one of words as this model cuts them. */
static int use_cache(wwho_words *words, const wwho_model *model) {
    if (words->cached == model) return WWHO_OK;
    free(words->cache);
    words->cached = NULL;
    words->cache = calloc(CACHE_WORDS, sizeof *words->cache);
    if (!words->cache) return WWHO_MEMORY;
    words->cached = model;
    return WWHO_OK;
}

/* Count the words of one line. */
static int count_line(wwho_counter *c, size_t at, size_t end) {
    const wwho_model *model = c->text.model;
    int status = WWHO_OK;
    for (wwho_cursor segment = start_at(&model->classes, c->text.text, at, end); !status && at < end; at = segment.at) {
        uint32_t route;
        next_segment(model, &segment, &route);
        const wwho_route *r = &model->routes[route];
        if (r->units)
            status = found_segment(c, at, segment.at, r->units);
        else
            c->words->stray_bytes += stray_bytes(&c->text, at, segment.at);
    }
    return status;
}

int wwho_words_count(wwho_words *words, const wwho_model *model, const uint8_t *text, size_t len) {
    if (!words || !model || (!text && len)) return WWHO_ARGUMENT;
    int status = use_cache(words, model);
    if (status) return status;
    wwho_counter c = {.words = words, .text = {.model = model, .text = text, .len = len, .cache = words->cache}};
    for (size_t at = 0, end; !status && at < len; at = end) {
        const uint8_t *newline = memchr(text + at, '\n', len - at);
        end = newline ? (size_t)(newline - text) + 1 : len;
        status = count_line(&c, at, end);
    }
    return status ? status : flush(&c);
}
