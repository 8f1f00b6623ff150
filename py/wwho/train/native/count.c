/* Counting: text -> segments -> words -> table. Most segments of a script are one word that was there before: the table finds it by
 * its text. Only the others are cut into units. */

/* Return the width in bytes of the character at the beginning of n > 0 bytes; 0 where no well-formed UTF-8 sequence stands there. */
static inline size_t utf8_width(const uint8_t *text, size_t n) {
    uint8_t lead = text[0];
    if (lead < 0x80) return 1;
    size_t width = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead < 0xC2 || lead > 0xF4 || n < width) return 0;
    /* the second byte tells overlong forms, surrogates and what is beyond U+10FFFF */
    uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80, most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (text[1] < least || text[1] > most) return 0;
    for (size_t i = 2; i < width; i++)
        if (text[i] >> 6 != 2) return 0;
    return width;
}

/* Return whether the first three of these four bytes are a character from U+0800 on: a quick test of the usual case. False for some
 * that are, near the surrogates. */
static inline bool is_usual(uint32_t word) {
    uint32_t lead = word & 0xFF;
    return (word & 0xC0C0F0) == 0x8080E0 && lead != 0xED && (lead != 0xE0 || word & 0x2000);
}

/* Return how many of the len bytes of a text are no part of a well-formed UTF-8 sequence. */
static uint64_t stray_bytes(const uint8_t *text, size_t len) {
    uint64_t stray = 0;
    for (size_t at = 0; at < len;) {
        if (len - at >= 8 && !(eight_bytes(text + at) & UINT64_C(0x8080808080808080))) {
            at += 8;
            continue;
        }
        if (len - at >= 4 && is_usual(four_bytes(text + at))) {
            at += 3;
            continue;
        }
        size_t width = utf8_width(text + at, len - at);
        stray += !width;
        at += width ? width : 1;
    }
    return stray;
}

/* Count, once, the word of the units from `first` up to, but without, `last`, which are spans of `text`; its place among the entries goes
 * to *entry. Overwrites words->record. Returns a status. */
static int count_units(wwho_words *words, const uint8_t *text, const wwho_span *first, const wwho_span *last, uint32_t *entry) {
    size_t length = last[-1].end - first->start, n_units = (size_t)(last - first);
    /* the lengths of units take no more bytes than the units */
    int status = reserve(&words->record, &words->record_room, LEB_MAX + 2 * length, 1);
    if (status) return status;
    text += first->start;
    uint8_t *at = put_leb(words->record, n_units);
    for (const wwho_span *unit = first; unit < last; unit++) at = put_leb(at, unit->end - unit->start);
    size_t head = (size_t)(at - words->record);
    memcpy(at, text, length);
    return add_word_at(words, &(new_word){text_hash(text, length), n_units, 1, words->record, head + length, head}, entry);
}

/* Cut a segment into units and count its words: neighbouring syllables are a word, and so is any other unit. Where the segment is one
 * well-formed word, the table remembers it: find_segment then spares the cutting. Also counts stray bytes; overwrites words->spans. Returns
 * a status. */
static int count_segment(wwho_words *words, const uint8_t *text, const wwho_span *segment) {
    size_t at = segment->start, n = 0;
    int status = WWHO_OK;
    while (!status && at < segment->end) {
        status = reserve(&words->spans, &words->spans_room, n + 64, sizeof *words->spans);
        if (!status) n += cut_text(words->model, segment->route, text, &at, segment->end, words->spans + n, words->spans_room - n);
    }
    uint64_t stray = stray_bytes(text + segment->start, segment->end - segment->start);
    words->stray_bytes += stray;
    const wwho_span *end = words->spans + n;
    for (const wwho_span *unit = words->spans, *first; !status && unit < end;) {
        uint32_t entry;
        first = unit++;
        if (first->rule == WWHO_SYLLABLE)
            while (unit < end && unit->rule == WWHO_SYLLABLE) unit++;
        status = count_units(words, text, first, unit, &entry);
        if (!status && !stray && first == words->spans && unit == end) words->entries[entry].route = segment->route + 1u;
    }
    return status;
}

/* Return the entry of the word that this segment, with this hash of its text (text_hash), is known to be as a whole; NONE where it must be
 * cut. */
static inline uint32_t find_segment(const wwho_words *words, const uint8_t *text, const wwho_span *segment, uint64_t hash) {
    size_t length = segment->end - segment->start;
    for (size_t i = (size_t)hash & words->slots_mask;; i = (i + 1) & words->slots_mask) {
        uint64_t slot = words->slots[i];
        if (!slot) return NONE;
        if ((slot ^ hash) >> 32) continue;
        const word_entry *entry = &words->entries[(uint32_t)slot - 1];
        if (entry->route != segment->route + 1u || !entry->head || entry[1].at - entry->at - entry->head != length) continue;
        if (!memcmp(words->arena + entry->at + entry->head, text + segment->start, length)) return (uint32_t)slot - 1;
    }
}

/* Count the words of n <= BATCH segments of `text`, whose routes have units; a segment that is known to be one word is counted without
 * being cut. Returns a status; on failure, the segments before are counted. */
static int count_segments(wwho_words *words, const uint8_t *text, const wwho_span *segments, size_t n) {
    uint64_t hashes[BATCH];
    for (size_t i = 0; i < n; i++) {
        hashes[i] = text_hash(text + segments[i].start, segments[i].end - segments[i].start);
        __builtin_prefetch(&words->slots[hashes[i] & words->slots_mask]);
    }
    fetch_words(words, hashes, n);
    int status = WWHO_OK;
    for (size_t i = 0; !status && i < n; i++) {
        uint32_t entry = find_segment(words, text, &segments[i], hashes[i]);
        if (entry == NONE) {
            status = count_segment(words, text, &segments[i]);
            continue;
        }
        words->entries[entry].count++;
        words->total++;
    }
    return status;
}

/* Count the words of text[at..end), which is cut as a text of its own. Segments of routes without units have stray bytes, but no words.
 * Returns a status. */
static int count_line(wwho_words *words, const uint8_t *text, size_t at, size_t end) {
    wwho_span segments[BATCH];
    int status = WWHO_OK;
    while (!status && at < end) {
        size_t n = cut_text(words->model, SEGMENTS, text, &at, end, segments, BATCH), kept = 0;
        for (size_t i = 0; i < n; i++) {
            if (segments[i].rule == WWHO_PIECE)
                words->stray_bytes += stray_bytes(text + segments[i].start, segments[i].end - segments[i].start);
            else
                segments[kept++] = segments[i];
        }
        status = count_segments(words, text, segments, kept);
    }
    return status;
}

/* Return the place where the line that begins at text[at], before `len`, ends: after its line feed, or `len`. */
static size_t line_end(const uint8_t *text, size_t at, size_t len) {
    const uint8_t *newline = memchr(text + at, '\n', len - at);
    return newline ? (size_t)(newline - text) + 1 : len;
}

/* Count the words of the lines in text[at..len), each of which is cut as a text of its own. Returns a status. */
static int count_lines(wwho_words *words, const uint8_t *text, size_t at, size_t len) {
    int status = WWHO_OK;
    for (size_t end; !status && at < len; at = end) {
        end = line_end(text, at, len);
        status = count_line(words, text, at, end);
    }
    return status;
}

/* Count the words of a text of len bytes into the table: the lines between added tokens, each as a text of its own. A table that knew
 * another model forgets what its entries know of routes. Returns WWHO_OK, WWHO_ARGUMENT (a text of 4 GiB or more, too) or WWHO_MEMORY. */
int wwho_words_count(wwho_words *words, const wwho_model *model, const uint8_t *text, size_t len) {
    if (!words || !model || (!text && len) || len > UINT32_MAX) return WWHO_ARGUMENT;
    if (words->model != model)
        for (size_t word = 0; word < words->n; word++) words->entries[word].route = 0;
    words->model = model;
    wwho_span found[BATCH];
    int status = WWHO_OK;
    for (size_t from = 0, at = 0; !status && from < len;) {
        size_t n = added_tokens(model, text, &at, len, found, BATCH);
        for (size_t i = 0; !status && i < n; from = found[i++].end) status = count_lines(words, text, from, found[i].start);
        if (at < len || status) continue;
        status = count_lines(words, text, from, len);
        from = len;
    }
    return status;
}

/* Add word number `word`, with its count, to the sums of the route that its text takes alone. WWHO_ARGUMENT where `routes` lacks that. A
 * sign that several scripts share takes a script's route only beside that script's letters; alone it goes to a route that is not SGPE's. */
static int add_to_route(wwho_words *words, const wwho_model *model, size_t word, wwho_route_info *routes, size_t n_routes) {
    unit_reader reader;
    uint64_t n_units, count = words->entries[word].count;
    size_t size;
    open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
    size_t length = size - (size_t)(reader.text - record_at(words, word));
    wwho_span unit = {.rule = WWHO_PIECE}; /* the first of a script's, or the last segment */
    for (size_t at = 0; unit.rule == WWHO_PIECE && at < length;) cut_text(model, SEGMENTS, reader.text, &at, length, &unit, 1);
    if (unit.rule != WWHO_PIECE) {
        size_t at = unit.start;
        cut_text(model, unit.route, reader.text, &at, unit.end, &unit, 1);
    }
    if (unit.route >= n_routes) return WWHO_ARGUMENT;
    wwho_route_info *info = &routes[unit.route];
    info->n_words++;
    info->total += count;
    info->bytes += count * length;
    if (unit.rule == WWHO_SYLLABLE || (n_units > 1 && unit.rule != WWHO_PIECE)) info->syllables += n_units * count;
    return WWHO_OK;
}

/* Add up the words of the table by the route that each takes where it stands alone, into `routes`, of n_routes items, which are cleared
 * first. The table stays as it is. Returns WWHO_OK, or WWHO_ARGUMENT, also if a word takes a route that `routes` lacks. */
int wwho_words_routes(wwho_words *words, const wwho_model *model, wwho_route_info *routes, size_t n_routes) {
    if (!words || !model || !routes) return WWHO_ARGUMENT;
    memset(routes, 0, n_routes * sizeof *routes);
    int status = WWHO_OK;
    for (size_t word = 0; !status && word < words->n; word++) status = add_to_route(words, model, word, routes, n_routes);
    return status;
}
