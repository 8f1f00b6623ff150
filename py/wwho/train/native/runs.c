/* From words to runs of atoms, and the first pairs. */

/* The id of the atom with this text, or WWHO_NONE. */
static uint32_t atom_of(const wwho_words *atoms, const uint8_t *text, size_t length) {
    uint8_t record[LEB_MAX + 1 + MAX_ATOM];
    if (!length || length > MAX_ATOM) return WWHO_NONE;
    size_t size = put_unit(record, text, length);
    uint64_t slot = *slot_of(atoms, record, size, hash_of(record, size));
    return slot ? (uint32_t)slot - 1 : WWHO_NONE;
}

/* Close the run that began at `start`, unless it is too short to hold a pair. The position before it is a WWHO_NONE. */
static int end_run(wwho_merger *m, size_t start, uint64_t count) {
    if (m->n - start < 2) {
        m->n = start;
        return WWHO_OK;
    }
    int status = reserve(&m->run_count, &m->run_room, m->n_runs + 1, sizeof *m->run_count);
    if (status) return status;
    for (size_t at = start; at < m->n; at++) m->run[at] = (uint32_t)m->n_runs;
    m->run_count[m->n_runs++] = count;
    m->token[m->n++] = WWHO_NONE;
    return WWHO_OK;
}

/* Write the runs of one word. */
static int add_word(wwho_merger *m, const wwho_words *words, size_t word, const wwho_words *atoms) {
    unit_reader reader;
    uint64_t n_units, count = words->entries[word].count;
    size_t size, length, start = m->n;
    const uint8_t *text;
    int status = WWHO_OK;
    open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
    while (!status && next_unit(&reader, &text, &length)) {
        uint32_t atom = atom_of(atoms, text, length);
        if (atom == WWHO_NONE) {
            status = end_run(m, start, count);
            start = m->n;
            if (text[0] == ' ') atom = atom_of(atoms, text + 1, length - 1);
        }
        if (atom != WWHO_NONE) m->token[m->n++] = atom;
    }
    return status ? status : end_run(m, start, count);
}

static int shrink(void *array, size_t n, size_t size) {
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, n * size);
    if (!items) return WWHO_MEMORY;
    memcpy(array, &items, sizeof items);
    return WWHO_OK;
}

/* What belongs to each position, once their number is known. */
static int add_places(wwho_merger *m) {
    m->width = malloc(m->n * sizeof *m->width);
    m->pair = malloc(m->n * sizeof *m->pair);
    if (!m->width || !m->pair) return WWHO_MEMORY;
    for (size_t at = 0; at < m->n; at++) m->width[at] = 1;
    return WWHO_OK;
}

/* Lay out the positions. A unit takes at most two, a word one more. */
static int add_runs(wwho_merger *m, const wwho_words *words, const wwho_words *atoms) {
    size_t most = 2 * (size_t)words->n_units + words->n + 1;
    m->token = malloc(most * sizeof *m->token);
    m->run = malloc(most * sizeof *m->run);
    if (!m->token || !m->run) return WWHO_MEMORY;
    m->token[m->n++] = WWHO_NONE;
    int status = WWHO_OK;
    for (size_t word = 0; !status && word < words->n; word++) status = add_word(m, words, word, atoms);
    if (!status) status = shrink(&m->token, m->n, sizeof *m->token);
    if (!status) status = shrink(&m->run, m->n, sizeof *m->run);
    return status ? status : add_places(m);
}

/* The slot of a table of pair number + 1 where (left, right) stands, or would stand. */
static uint32_t *known_pair(const wwho_merger *m, uint32_t *slots, size_t mask, uint32_t left, uint32_t right) {
    size_t i = (size_t)mixed(mixed(left) + right) & mask;
    for (;; i = (i + 1) & mask) {
        if (!slots[i]) return &slots[i];
        const pair_entry *pair = &m->pairs[slots[i] - 1];
        if (pair->left == left && pair->right == right) return &slots[i];
    }
}

static int grow_pair_slots(const wwho_merger *m, uint32_t **slots, size_t *mask) {
    uint32_t *grown = calloc(*mask * 2 + 2, sizeof *grown);
    if (!grown) return WWHO_MEMORY;
    *mask = *mask * 2 + 1;
    for (size_t i = 0; i < m->n_pairs; i++)
        *known_pair(m, grown, *mask, m->pairs[i].left, m->pairs[i].right) = (uint32_t)i + 1;
    free(*slots);
    *slots = grown;
    return WWHO_OK;
}

/* Count the pair at one position. */
static int count_pair(wwho_merger *m, size_t at, uint32_t **slots, size_t *mask) {
    uint32_t left = m->token[at], right = m->token[at + 1];
    m->pair[at] = WWHO_NONE;
    if (left == WWHO_NONE || right == WWHO_NONE || stay_two(m, left, right)) return WWHO_OK;
    uint32_t *slot = known_pair(m, *slots, *mask, left, right), number;
    if (!*slot) {
        int status = new_pair(m, left, right, &number);
        if (status) return status;
        *slot = number + 1;
    }
    number = *slot - 1;
    m->pairs[number].count += weight(m, at);
    m->pairs[number].places++;
    m->pair[at] = number;
    return m->n_pairs * 2 > *mask ? grow_pair_slots(m, slots, mask) : WWHO_OK;
}

static int first_pairs(wwho_merger *m) {
    size_t mask = (1 << 16) - 1;
    uint32_t *slots = calloc(mask + 1, sizeof *slots);
    int status = slots ? WWHO_OK : WWHO_MEMORY;
    m->pair[m->n - 1] = WWHO_NONE;
    for (size_t at = 0; !status && at + 1 < m->n; at++) status = count_pair(m, at, &slots, &mask);
    free(slots);
    if (!status) status = keep_frequent(m, 0);
    for (size_t at = 0; !status && at < m->n; at++)
        if (m->pair[at] != WWHO_NONE) put_place(m, at, m->renumbered[m->pair[at]]);
    return status;
}
