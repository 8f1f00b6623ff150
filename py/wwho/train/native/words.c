/* The table of distinct words: records one after another in an arena, found by open addressing. */

/* A distinct word and how often it was seen. */
typedef struct {
    uint64_t count;
    uint64_t at : 48;   /* of the record in the arena; it ends where the next one begins */
    uint64_t head : 8;  /* bytes of the record before its text; 0: 256 or more */
    uint64_t route : 8; /* 1 + the route of which the text, as a whole segment, is this word and nothing else; 0: none is known */
} word_entry;

struct wwho_words {
    uint8_t *arena;
    size_t used, room;
    word_entry *entries; /* n + 1: the last one is where the next record will begin */
    size_t n, entries_room;
    uint64_t *slots; /* the upper 32 bits of the hash, then the entry + 1; 0 is empty */
    size_t slots_mask;
    uint64_t n_units, total, stray_bytes;
    const wwho_model *model; /* whose routes the entries know */
    /* scratch: a record, and the units of a segment or of a text */
    uint8_t *record;
    wwho_span *spans;
    size_t record_room, spans_room;
};

enum { FIRST_SLOTS = 1 << 12 };

/* Grow the array whose pointer lies at `array` to at least `need` items of `size` bytes; what is there stays. *room, how many
 * items there is room for, at least doubles. Returns WWHO_OK, or WWHO_MEMORY and leaves the array as it is. */
static int reserve(void *array, size_t *room, size_t need, size_t size) {
    if (need <= *room) return WWHO_OK;
    size_t more = *room * 2 > need ? *room * 2 : need + 64;
    if (more > SIZE_MAX / size) return WWHO_MEMORY;
    void *items;
    memcpy(&items, array, sizeof items); /* any kind of pointer may lie there */
    items = realloc(items, more * size);
    if (!items) return WWHO_MEMORY;
    memcpy(array, &items, sizeof items);
    *room = more;
    return WWHO_OK;
}

/* Read four bytes in the machine's order; `at` need not be aligned. */
static inline uint32_t four_bytes(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Read eight bytes in the machine's order; `at` need not be aligned. */
static inline uint64_t eight_bytes(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Return a number whose upper and lower bits all depend on those of `x`: the step of the hashes. */
static inline uint64_t mixed(uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    return x ^ x >> 32;
}

/* Return a hash of n bytes that decides which lines are sampled (wwho_phrases_collect). It is part of what is learnt: it must never change.
 * */
static uint64_t hash_of(const uint8_t *bytes, size_t n) {
    uint64_t hash = n;
    for (; n >= 8; bytes += 8, n -= 8) hash = mixed(hash ^ eight_bytes(bytes));
    uint64_t tail = 0;
    memcpy(&tail, bytes, n);
    return mixed(mixed(hash ^ tail));
}

/* Return a hash of n bytes for the table: quicker than hash_of, for it reads the last bytes of a text twice and not one by one. */
static inline uint64_t text_hash(const uint8_t *text, size_t n) {
    uint64_t hash = n, tail = 0;
    const uint8_t *end = text + n;
    for (; end - text > 8; text += 8) hash = mixed(hash ^ eight_bytes(text));
    if (n >= 8)
        tail = eight_bytes(end - 8);
    else if (n >= 4)
        tail = four_bytes(text) | (uint64_t)four_bytes(end - 4) << 32;
    else if (n)
        tail = text[0] | (uint64_t)text[n / 2] << 8 | (uint64_t)end[-1] << 16;
    return mixed(mixed(hash ^ tail));
}

enum { LEB_MAX = 9 /* bytes of a number below 2^63 as LEB128 */ };

/* Write a number below 2^63 as LEB128 in its shortest form, and return where it ends. */
static inline uint8_t *put_leb(uint8_t *to, uint64_t value) {
    for (; value > 127; value >>= 7) *to++ = (uint8_t)(value | 128);
    *to++ = (uint8_t)value;
    return to;
}

/* Read the LEB128 number at *at and move *at after it. Returns false where no number below 2^63 in shortest form ends before `end`;
 * *at and *value are then of no use. */
static inline bool get_leb(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 63 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return byte || !shift;
    }
    return false;
}

/* Free a table and all of its arrays; null is allowed. */
void wwho_words_free(wwho_words *words) {
    if (!words) return;
    free(words->arena);
    free(words->entries);
    free(words->slots);
    free(words->record);
    free(words->spans);
    free(words);
}

/* Return an empty table, or null if there is no memory. The caller frees it with wwho_words_free(). */
wwho_words *wwho_words_new(void) {
    wwho_words *words = calloc(1, sizeof *words);
    if (!words) return NULL;
    words->slots = calloc(FIRST_SLOTS, sizeof *words->slots);
    words->slots_mask = FIRST_SLOTS - 1;
    if (!words->slots || reserve(&words->entries, &words->entries_room, 1, sizeof *words->entries)) {
        wwho_words_free(words);
        return NULL;
    }
    words->entries[0] = (word_entry){0};
    return words;
}

/* Return where the record of word number `word` begins. It moves when the arena grows. */
static inline const uint8_t *record_at(const wwho_words *words, size_t word) { return words->arena + words->entries[word].at; }

/* Return the length in bytes of the record of word number `word`. */
static inline size_t record_size(const wwho_words *words, size_t word) {
    return (size_t)(words->entries[word + 1].at - words->entries[word].at);
}

/* Return where the text of a well-formed record, of `size` bytes, begins: after the number of its units and their lengths. */
static const uint8_t *record_text(const uint8_t *record, size_t size) {
    const uint8_t *at = record, *end = record + size;
    uint64_t n_units, length;
    for (get_leb(&at, end, &n_units); n_units; n_units--) get_leb(&at, end, &length);
    return at;
}

/* Return the hash of the text of a well-formed record, of `size` bytes. Its units have no part in it. */
static inline uint64_t record_hash(const uint8_t *record, size_t size) {
    const uint8_t *text = record_text(record, size);
    return text_hash(text, (size_t)(record + size - text));
}

/* Return the slot where this record, of `size` bytes, stands, or the empty one where it would stand. `hash` is that of its text. */
static uint64_t *slot_of(const wwho_words *words, const uint8_t *record, size_t size, uint64_t hash) {
    for (size_t i = (size_t)hash & words->slots_mask;; i = (i + 1) & words->slots_mask) {
        uint64_t slot = words->slots[i];
        if (!slot) return &words->slots[i];
        if ((slot ^ hash) >> 32) continue;
        size_t word = (uint32_t)slot - 1;
        if (record_size(words, word) == size && !memcmp(record_at(words, word), record, size)) return &words->slots[i];
    }
}

/* The table is larger than the caches, so a few dozen words are looked up together: what each needs next is fetched from memory
 * while the others are served. */
enum { BATCH = 48 };

/* Replace the slots of the table by twice as many, with every word in its new slot. The words and their order stay. Returns WWHO_OK, or
 * WWHO_MEMORY and leaves the slots as they are. */
static int grow_slots(wwho_words *words) {
    size_t mask = words->slots_mask * 2 + 1;
    uint64_t *slots = calloc(mask + 1, sizeof *slots), hashes[BATCH];
    if (!slots) return WWHO_MEMORY;
    for (size_t done = 0, n; done < words->n; done += n) {
        for (n = 0; n < BATCH && done + n < words->n; n++) {
            hashes[n] = record_hash(record_at(words, done + n), record_size(words, done + n));
            __builtin_prefetch(&slots[hashes[n] & mask], 1);
        }
        for (size_t k = 0; k < n; k++) {
            size_t i = (size_t)hashes[k] & mask;
            while (slots[i]) i = (i + 1) & mask;
            slots[i] = (hashes[k] >> 32) << 32 | (done + k + 1);
        }
    }
    free(words->slots);
    words->slots = slots;
    words->slots_mask = mask;
    return WWHO_OK;
}

/* A word to be counted, whose record is well-formed. */
typedef struct {
    uint64_t hash, n_units, count; /* the hash is that of the text */
    const uint8_t *record;
    size_t size, head;
} new_word;

/* Add word->count to the count of a word, which is new or known, and to words->total; its place among the entries goes to *entry. The
 * record of a new word is copied into the arena. Returns WWHO_OK, WWHO_ARGUMENT if the table is full (the total has grown nevertheless), or
 * WWHO_MEMORY. */
static int add_word_at(wwho_words *words, const new_word *word, uint32_t *entry) {
    uint64_t *slot = slot_of(words, word->record, word->size, word->hash);
    words->total += word->count;
    if (*slot) {
        *entry = (uint32_t)*slot - 1;
        words->entries[*entry].count += word->count;
        return WWHO_OK;
    }
    if (words->n >= NONE - 1 || (words->used + word->size) >> 48) return WWHO_ARGUMENT;
    *entry = (uint32_t)words->n;
    *slot = (word->hash >> 32) << 32 | (words->n + 1);
    int status = reserve(&words->arena, &words->room, words->used + word->size, 1);
    if (!status) status = reserve(&words->entries, &words->entries_room, words->n + 2, sizeof *words->entries);
    if (status) return status;
    memcpy(words->arena + words->used, word->record, word->size);
    words->used += word->size;
    words->n_units += word->n_units;
    words->entries[words->n].count = word->count;
    words->entries[words->n++].head = word->head < 256 ? word->head : 0;
    words->entries[words->n] = (word_entry){.at = words->used};
    return words->n * 4 > words->slots_mask * 3 ? grow_slots(words) : WWHO_OK;
}

/* Add `count` to the count of the word of a well-formed record, whose text of n_units units begins at `text`, a place in the record. The
 * record is copied if the word is new. Returns a status. */
static int add_record(wwho_words *words, const uint8_t *record, size_t size, const uint8_t *text, uint64_t n_units, uint64_t count) {
    uint32_t entry;
    uint64_t hash = text_hash(text, (size_t)(record + size - text));
    return add_word_at(words, &(new_word){hash, n_units, count, record, size, (size_t)(text - record)}, &entry);
}

/* Fetch into the caches the entries and records that n <= BATCH hashes lead to; their slots were prefetched before. */
static void fetch_words(const wwho_words *words, const uint64_t *hashes, size_t n) {
    uint64_t slots[BATCH];
    for (size_t i = 0; i < n; i++) {
        slots[i] = words->slots[hashes[i] & words->slots_mask];
        if (slots[i]) __builtin_prefetch(&words->entries[(uint32_t)slots[i] - 1]);
    }
    for (size_t i = 0; i < n; i++)
        if (slots[i]) __builtin_prefetch(record_at(words, (uint32_t)slots[i] - 1));
}

/* A reader of the units of one record. */
typedef struct {
    const uint8_t *length; /* the LEB128 of the next unit's length */
    const uint8_t *text;   /* the next unit, and after the last one the end of the record */
    uint64_t left;         /* units still to come */
} unit_reader;

/* Begin to read the record at `record`: *n_units is its number of units, *size its bytes, and *reader stands before its first unit. Returns
 * false where no well-formed record, of one unit or more, none of them empty, ends before `end`. */
static bool open_record(const uint8_t *record, const uint8_t *end, unit_reader *reader, uint64_t *n_units, size_t *size) {
    const uint8_t *at = record;
    if (!get_leb(&at, end, n_units) || !*n_units) return false;
    uint64_t length, total = 0;
    reader->length = at;
    reader->left = *n_units;
    for (uint64_t i = 0; i < *n_units; i++) {
        if (!get_leb(&at, end, &length) || !length || length > (uint64_t)(end - at)) return false;
        total += length;
        if (total > (uint64_t)(end - at)) return false;
    }
    reader->text = at;
    *size = (size_t)(at - record) + (size_t)total;
    return true;
}

/* Read the next unit of an open record into *text, a place in the record, and *length, its bytes; returns false after the last one. */
static inline bool next_unit(unit_reader *reader, const uint8_t **text, size_t *length) {
    if (!reader->left--) return false;
    uint64_t value;
    get_leb(&reader->length, reader->text, &value);
    *text = reader->text;
    *length = (size_t)value;
    reader->text += value;
    return true;
}

/* Write the record of a word of one unit, of `length` bytes, to `record`, which has room for LEB_MAX + 1 + length bytes; return its size.
 * */
static inline size_t put_unit(uint8_t *record, const uint8_t *text, size_t length) {
    uint8_t *at = put_leb(record, 1);
    at = put_leb(at, length);
    memcpy(at, text, length);
    return (size_t)(at - record) + length;
}

/* Add the words of n records, of len bytes in all, with their counts, to the table. Returns WWHO_ARGUMENT at the first record that is
 * broken, or if bytes are left; the words before are then counted. */
int wwho_words_add(wwho_words *words, const uint8_t *records, size_t len, const uint64_t *counts, size_t n) {
    if (!words || (!records && len) || (!counts && n)) return WWHO_ARGUMENT;
    const uint8_t *at = records, *end = records + len;
    for (size_t i = 0; i < n; i++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size;
        if (!open_record(at, end, &reader, &n_units, &size)) return WWHO_ARGUMENT;
        int status = add_record(words, at, size, reader.text, n_units, counts[i]);
        if (status) return status;
        at += size;
    }
    return at == end ? WWHO_OK : WWHO_ARGUMENT;
}

/* Add the words of another table, with their counts and its stray bytes, to a table. Returns WWHO_OK, WWHO_MEMORY, or WWHO_ARGUMENT, also
 * for a table and itself. */
int wwho_words_merge(wwho_words *words, const wwho_words *other) {
    if (!words || !other || words == other) return WWHO_ARGUMENT;
    new_word batch[BATCH];
    uint64_t hashes[BATCH];
    uint32_t entry;
    int status = WWHO_OK;
    for (size_t done = 0, n; !status && done < other->n; done += n) {
        for (n = 0; n < BATCH && done + n < other->n; n++) {
            const uint8_t *record = record_at(other, done + n), *at = record;
            size_t size = record_size(other, done + n), head = (size_t)(record_text(record, size) - record);
            batch[n] = (new_word){text_hash(record + head, size - head), 0, other->entries[done + n].count, record, size, head};
            get_leb(&at, record + size, &batch[n].n_units);
            hashes[n] = batch[n].hash;
            __builtin_prefetch(&words->slots[hashes[n] & words->slots_mask]);
        }
        fetch_words(words, hashes, n);
        for (size_t i = 0; !status && i < n; i++) status = add_word_at(words, &batch[i], &entry);
    }
    words->stray_bytes += other->stray_bytes;
    return status;
}

/* Add each unit of each word of `words` to another table, `units`, as a word of one unit, with the count of its word; a unit that a word
 * has twice counts twice. Returns a status. Overwrites units->record. */
int wwho_words_units(const wwho_words *words, wwho_words *units) {
    if (!words || !units) return WWHO_ARGUMENT;
    for (size_t word = 0; word < words->n; word++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size, length;
        const uint8_t *text;
        open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
        while (next_unit(&reader, &text, &length)) {
            int status = reserve(&units->record, &units->record_room, length + LEB_MAX + 1, 1);
            if (status) return status;
            size = put_unit(units->record, text, length);
            status = add_record(units, units->record, size, units->record + size - length, 1, words->entries[word].count);
            if (status) return status;
        }
    }
    return WWHO_OK;
}

/* Add each word of `words` to another table, `spelled`, with its count, as a word whose units are its bytes. Words of one text become one
 * word. Returns a status; WWHO_ARGUMENT also if both tables are the same. */
int wwho_words_bytes(const wwho_words *words, wwho_words *spelled) {
    if (!words || !spelled || words == spelled) return WWHO_ARGUMENT;
    for (size_t word = 0; word < words->n; word++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size;
        open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
        size_t length = size - (size_t)(reader.text - record_at(words, word));
        int status = reserve(&spelled->record, &spelled->record_room, LEB_MAX + 2 * length, 1);
        if (status) return status;
        uint8_t *at = put_leb(spelled->record, length);
        memset(at, 1, length);
        memcpy(at + length, reader.text, length);
        size = (size_t)(at - spelled->record) + 2 * length;
        status = add_record(spelled, spelled->record, size, at + length, length, words->entries[word].count);
        if (status) return status;
    }
    return WWHO_OK;
}

/* Return the code point of the character at the beginning of n > 0 bytes, and its bytes as *width; 0x110000 + the byte, and 1, where
 * a sequence is broken. Bytes that follow the first one are not checked: the words of the scripts are well-formed. */
static uint32_t code_point_at(const uint8_t *text, size_t n, size_t *width) {
    uint32_t lead = text[0], more = (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0), found = lead & (0x7Fu >> (more + (more > 0)));
    *width = 1;
    if (lead < 0x80) return lead;
    if (!more || more >= n) return 0x110000 + lead;
    for (uint32_t i = 1; i <= more; i++) found = found << 6 | (text[i] & 63);
    if (found >= 0x110000) return 0x110000 + lead;
    *width = more + 1;
    return found;
}

/* Add each word of `words` to another table, `spelled`, with its count, as a word whose units are symbols of two bytes: one or two for each
 * character, or those of its bytes. `symbols` has them by code point, the first byte lowest, and from 0x110000 on by byte; 0: the character
 * has none. Returns a status. */
int wwho_words_pairs(const wwho_words *words, const uint32_t *symbols, wwho_words *spelled) {
    if (!words || !symbols || !spelled || words == spelled) return WWHO_ARGUMENT;
    for (size_t word = 0; word < words->n; word++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size, width, n = 0;
        open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
        size_t length = size - (size_t)(reader.text - record_at(words, word));
        int status = reserve(&spelled->record, &spelled->record_room, LEB_MAX + 6 * length, 1);
        if (status) return status;
        uint8_t *text = spelled->record + LEB_MAX + 2 * length; /* of up to 2 symbols for each byte */
        for (size_t at = 0; at < length; at += width) {
            uint32_t pair = symbols[code_point_at(reader.text + at, length - at, &width)];
            for (size_t i = 0; i < (pair ? 1 : width); i++) {
                uint32_t bytes = pair ? pair : symbols[0x110000 + reader.text[at + i]];
                for (; bytes; bytes >>= 8) text[n++] = (uint8_t)bytes;
            }
        }
        uint8_t *at = put_leb(spelled->record, n / 2);
        memset(at, 2, n / 2);
        memmove(at + n / 2, text, n);
        size = (size_t)(at - spelled->record) + n / 2 + n;
        status = add_record(spelled, spelled->record, size, at + n / 2, n / 2, words->entries[word].count);
        if (status) return status;
    }
    return WWHO_OK;
}

/* Write the size of a table, and its sums, to *info. */
void wwho_words_describe(const wwho_words *words, wwho_words_info *info) {
    *info = (wwho_words_info){words->n, words->used, words->n_units, words->total, words->stray_bytes};
}

/* Write all records of a table, and the count of each word, to buffers of the sizes that wwho_words_describe() tells. */
void wwho_words_export(const wwho_words *words, uint8_t *records, uint64_t *counts) {
    if (words->used) memcpy(records, words->arena, words->used);
    for (size_t word = 0; word < words->n; word++) counts[word] = words->entries[word].count;
}

/* Add each word of `words` to another table, `spelled`, with its count, as a word whose units are its characters. The n_space <= 4 bytes at
 * `space` take the place of each U+0020. Returns a status. */
int wwho_words_characters(const wwho_words *words, const uint8_t *space, size_t n_space, wwho_words *spelled) {
    if (!words || !spelled || words == spelled || !space || !n_space || n_space > 4) return WWHO_ARGUMENT;
    for (size_t word = 0; word < words->n; word++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size, n = 0, length = 0, width;
        const uint8_t *record = record_at(words, word);
        open_record(record, words->arena + words->used, &reader, &n_units, &size);
        const uint8_t *text = reader.text, *end = record + size;
        for (const uint8_t *at = text; at < end; at += width, n++) {
            code_point_at(at, (size_t)(end - at), &width);
            length += *at == ' ' ? n_space : width;
        }
        int status = reserve(&spelled->record, &spelled->record_room, LEB_MAX + n + length, 1);
        if (status) return status;
        uint8_t *lengths = put_leb(spelled->record, n), *to = lengths + n;
        for (const uint8_t *at = text; at < end; at += width) {
            code_point_at(at, (size_t)(end - at), &width);
            size_t written = *at == ' ' ? n_space : width;
            memcpy(to, *at == ' ' ? space : at, written);
            to += written;
            *lengths++ = (uint8_t)written;
        }
        status = add_record(spelled, spelled->record, (size_t)(to - spelled->record), lengths, n, words->entries[word].count);
        if (status) return status;
    }
    return WWHO_OK;
}
