/* Learning merges with incremental counts.
 *
 * The runs (words, cut at units outside the vocabulary) lie in one array of positions, one for each unit, with a NONE
 * before, between and after them. A token covers as many positions as it has units. Each position at which a token starts
 * knows the pair that this token forms with the next one, so a merge finds the counts it lowers without searching. */

/* Pairs of neighbours: where they stand, how often, and which comes next. */

/* A pair of neighbouring tokens, and the positions where it stands. */
typedef struct {
    uint64_t count; /* now: every merge that takes a place away lowers it; once the pair is complete it never rises */
    uint64_t start; /* of its places in the list, ascending; some may be outdated: merger->pair tells */
    uint32_t places;
    uint32_t left, right;
} pair_entry;

/* A pair in the heap; `count` may be outdated, that is too high, but never too low. */
typedef struct {
    uint64_t count;
    uint64_t ids; /* left << 32 | right */
    uint32_t pair;
} heap_entry;

/* A binary heap of pairs: the one to merge next is first. */
typedef struct {
    heap_entry *entries;
    size_t n, room;
} pair_heap;

/* Return true if `a` is merged before `b`: higher count, then smaller left id, then smaller right id. */
static inline bool comes_before(const heap_entry *a, const heap_entry *b) {
    return a->count != b->count ? a->count > b->count : a->ids < b->ids;
}

/* Move the entry at `at` down until neither of its children comes before it. */
static void sift_down(pair_heap *heap, size_t at) {
    heap_entry moving = heap->entries[at];
    for (size_t child; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n && comes_before(&heap->entries[child + 1], &heap->entries[child])) child++;
        if (!comes_before(&heap->entries[child], &moving)) break;
        heap->entries[at] = heap->entries[child];
    }
    heap->entries[at] = moving;
}

/* Remove the first entry of a heap that is not empty. */
static void heap_pop(pair_heap *heap) {
    heap->entries[0] = heap->entries[--heap->n];
    if (heap->n) sift_down(heap, 0);
}

/* Add an entry to the heap, which grows as needed, and move it up until its parent comes before it. Returns WWHO_OK or WWHO_MEMORY. */
static int heap_push(pair_heap *heap, heap_entry entry) {
    int status = reserve(&heap->entries, &heap->room, heap->n + 1, sizeof *heap->entries);
    if (status) return status;
    size_t at = heap->n++;
    for (size_t parent; at && comes_before(&entry, &heap->entries[parent = (at - 1) / 2]); at = parent)
        heap->entries[at] = heap->entries[parent];
    heap->entries[at] = entry;
    return WWHO_OK;
}

/* The state of learning. Arrays without another comment have an item for each position. */
struct wwho_merger {
    size_t n;        /* positions */
    uint32_t *token; /* of the token that starts at a position; NONE between runs; else anything but NONE */
    uint16_t *width; /* positions of the token that starts, or ends, at a position */
    uint32_t *pair;  /* of the token that starts at a position and the next one, or NONE: not to be merged */
    uint32_t *run;   /* the run of a position; null where all count once */
    uint64_t *run_count;
    uint64_t *run_sources; /* a bit for each source; null where merges are of any */
    uint32_t min_sources;
    size_t n_runs, run_room;
    pair_entry *pairs;
    size_t n_pairs, pairs_room;
    uint32_t *places; /* the positions of every pair, one after another */
    size_t n_places, places_room;
    pair_heap heap;
    uint16_t *bytes; /* of the text of each token */
    uint16_t *units; /* of each token: how many atoms it was merged from */
    uint32_t max_units;
    uint8_t *words; /* how many words each token touches, and BEGINS_WORD; null where merges stay within words */
    uint32_t max_words;
    uint8_t *shapes;  /* of each token: see wwho_merger_new; null where any two may merge */
    uint32_t *merges; /* left and right id in turn */
    uint64_t *gains;  /* of each merge: the count of its pair */
    size_t n_atoms, n_merges, max_merges;
    uint64_t min_freq;
    uint32_t *with_left, *with_right; /* while merging: the new pair of (that token, new) and of (new, that token) */
    uint32_t *fresh;                  /* while merging: where new pairs stand or stood, ascending */
    size_t n_fresh, fresh_room;
    uint32_t *renumbered; /* by keep_frequent: the new numbers of the pairs it looked at, NONE for those dropped */
    size_t renumbered_room;
};

#define MAX_POSITIONS 0xFFFFFFFEu
#define MAX_UNITS (MAX_POSITIONS / 2) /* of distinct words: a unit takes at most two positions, and positions have 32 bits */

/* Free a merger and all of its arrays; null is allowed. */
void wwho_merger_free(wwho_merger *m) {
    if (!m) return;
    void *parts[] = {m->token,     m->width,        m->pair,  m->run,        m->run_count, m->run_sources, m->pairs,
                     m->places,    m->heap.entries, m->bytes, m->units,      m->words,     m->merges,      m->gains,
                     m->with_left, m->with_right,   m->fresh, m->renumbered, m->shapes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    free(m);
}

/* Return the left and right ids of the merges made so far, in turn, in memory of the merger. Valid until the next step. */
const uint32_t *wwho_merger_pairs(const wwho_merger *m) { return m->merges; }

/* Return the count of the pair of each merge made so far, at that moment: so many tokens does it save, or fewer where the pair overlaps
 * itself. It never rises from one merge to the next. In memory of the merger; valid until the next step. */
const uint64_t *wwho_merger_gains(const wwho_merger *m) { return m->gains; }

enum { BEGINS_WORD = 128 /* and that with a U+0020 */ };

/* Return how many words a token touches, where merges join words. */
static inline uint32_t words_of(const wwho_merger *m, uint32_t token) { return m->words[token] & (BEGINS_WORD - 1); }

/* Return true if two neighbours may not merge, however frequent they are: the result would be too long, or part of a character and part of
 * another, or, where merges join words, the right one begins no word or they touch too many words. */
static inline bool stay_two(const wwho_merger *m, uint32_t left, uint32_t right) {
    if (m->shapes && (m->shapes[left] == WWHO_TAIL || (m->shapes[left] ? WWHO_TAIL : 0) != m->shapes[right])) return true;
    if (m->words && !(m->words[right] & BEGINS_WORD && words_of(m, left) + words_of(m, right) <= m->max_words)) return true;
    if ((uint32_t)m->units[left] + m->units[right] > m->max_units) return true;
    return (uint32_t)m->bytes[left] + m->bytes[right] > MAX_TOKEN;
}

/* Return how often a place counts: the count of its run; 1 for all if runs have none. */
static inline uint64_t weight(const wwho_merger *m, size_t at) { return m->run ? m->run_count[m->run[at]] : 1; }

/* Return the position at which the token before the one at `at` starts; `at` where that is the first of its run. */
static inline size_t start_of_previous(const wwho_merger *m, size_t at) { return m->token[at - 1] == NONE ? at : at - m->width[at - 1]; }

/* Add a pair that has no count and no places yet; its number goes to *pair. Returns WWHO_OK, WWHO_MEMORY, or WWHO_ARGUMENT if there are too
 * many. */
static int new_pair(wwho_merger *m, uint32_t left, uint32_t right, uint32_t *pair) {
    if (m->n_pairs >= NONE) return WWHO_ARGUMENT;
    int status = reserve(&m->pairs, &m->pairs_room, m->n_pairs + 1, sizeof *m->pairs);
    if (status) return status;
    m->pairs[m->n_pairs] = (pair_entry){0, 0, 0, left, right};
    *pair = (uint32_t)m->n_pairs++;
    return WWHO_OK;
}

/* Keep those of the pairs from `first` on that are seen often enough (min_freq), and drop the others. The pairs are counted, and pair[]
 * points at them. Those that are kept are numbered anew, get a part of the list of places each, still empty, and are put into the heap.
 * m->renumbered[pair - first] is the new number, or NONE; the caller changes pair[] by it. Returns a status. */
static int keep_frequent(wwho_merger *m, size_t first) {
    size_t kept = first;
    int status = reserve(&m->renumbered, &m->renumbered_room, m->n_pairs - first, sizeof *m->renumbered);
    for (size_t i = first; !status && i < m->n_pairs; i++) {
        pair_entry pair = m->pairs[i];
        m->renumbered[i - first] = NONE;
        if (pair.count < m->min_freq) continue;
        m->renumbered[i - first] = (uint32_t)kept;
        pair.start = m->n_places;
        m->n_places += pair.places;
        pair.places = 0; /* counted up again as the places are put down */
        m->pairs[kept] = pair;
        status = heap_push(&m->heap, (heap_entry){pair.count, (uint64_t)pair.left << 32 | pair.right, (uint32_t)kept++});
    }
    m->n_pairs = kept;
    return status ? status : reserve(&m->places, &m->places_room, m->n_places, sizeof *m->places);
}

/* Set m->pair[at] to the new number of its pair (or NONE), and append `at` to the places of that pair. */
static inline void put_place(wwho_merger *m, size_t at, uint32_t pair) {
    m->pair[at] = pair;
    if (pair == NONE) return;
    m->places[m->pairs[pair].start + m->pairs[pair].places++] = (uint32_t)at;
}

/* From words to runs of atoms, and the first pairs. */

/* Return the id of the atom with this text of `length` bytes, or NONE. */
static uint32_t atom_of(const wwho_words *atoms, const uint8_t *text, size_t length) {
    uint8_t record[LEB_MAX + 1 + MAX_ATOM];
    if (!length || length > MAX_ATOM) return NONE;
    size_t size = put_unit(record, text, length);
    uint64_t slot = *slot_of(atoms, record, size, text_hash(text, length));
    return slot ? (uint32_t)slot - 1 : NONE;
}

/* Close the run that began at `start` with a NONE, and let it count `count` times. A run too short to hold a pair is dropped. Returns a
 * status. */
static int end_run(wwho_merger *m, size_t start, uint64_t count) {
    if (m->n - start < 2) {
        m->n = start;
        return WWHO_OK;
    }
    int status = reserve(&m->run_count, &m->run_room, m->n_runs + 1, sizeof *m->run_count);
    if (status) return status;
    for (size_t at = start; at < m->n; at++) m->run[at] = (uint32_t)m->n_runs;
    m->run_count[m->n_runs++] = count;
    m->token[m->n++] = NONE;
    return WWHO_OK;
}

/* Lay out the runs of word number `word`: its atoms, cut at units that are none. Of a unit that is none, but a space and an atom, the atom
 * begins the next run. Returns a status. */
static int add_word(wwho_merger *m, const wwho_words *words, size_t word, const wwho_words *atoms) {
    unit_reader reader;
    uint64_t n_units, count = words->entries[word].count;
    size_t size, length, start = m->n;
    const uint8_t *text;
    int status = WWHO_OK;
    open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
    while (!status && next_unit(&reader, &text, &length)) {
        uint32_t atom = atom_of(atoms, text, length);
        if (atom == NONE) {
            status = end_run(m, start, count);
            start = m->n;
            if (text[0] == ' ') atom = atom_of(atoms, text + 1, length - 1);
        }
        if (atom != NONE) m->token[m->n++] = atom;
    }
    return status ? status : end_run(m, start, count);
}

/* Give back the memory after the first n > 0 items, of `size` bytes each, of the array whose pointer lies at `array`. Returns WWHO_OK or
 * WWHO_MEMORY. */
static int shrink(void *array, size_t n, size_t size) {
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, n * size);
    if (!items) return WWHO_MEMORY;
    memcpy(array, &items, sizeof items);
    return WWHO_OK;
}

/* Make width[] and pair[], once the number of positions is known; every token has the width 1, and pair[] is not filled in. Returns a
 * status. */
static int add_positions(wwho_merger *m) {
    m->width = malloc(m->n * sizeof *m->width);
    m->pair = malloc(m->n * sizeof *m->pair);
    if (!m->width || !m->pair) return WWHO_MEMORY;
    for (size_t at = 0; at < m->n; at++) m->width[at] = 1;
    return WWHO_OK;
}

/* Lay out the runs of all words, and make the arrays by position. A unit takes at most two positions, a word one more. m->n becomes the
 * number of positions, with a NONE before the first run and after each. Returns a status. */
static int add_runs(wwho_merger *m, const wwho_words *words, const wwho_words *atoms) {
    size_t most = 2 * (size_t)words->n_units + words->n + 1;
    m->token = malloc(most * sizeof *m->token);
    m->run = malloc(most * sizeof *m->run);
    if (!m->token || !m->run) return WWHO_MEMORY;
    m->token[m->n++] = NONE;
    int status = WWHO_OK;
    for (size_t word = 0; !status && word < words->n; word++) status = add_word(m, words, word, atoms);
    if (!status) status = shrink(&m->token, m->n, sizeof *m->token);
    if (!status) status = shrink(&m->run, m->n, sizeof *m->run);
    return status ? status : add_positions(m);
}

/* Return the slot where the pair (left, right) stands, or the empty one where it would stand. A slot holds the pair's number + 1; there are
 * mask + 1 slots. */
static uint32_t *find_pair(const wwho_merger *m, uint32_t *slots, size_t mask, uint32_t left, uint32_t right) {
    size_t i = (size_t)mixed(mixed(left) + right) & mask;
    for (;; i = (i + 1) & mask) {
        if (!slots[i]) return &slots[i];
        const pair_entry *pair = &m->pairs[slots[i] - 1];
        if (pair->left == left && pair->right == right) return &slots[i];
    }
}

/* Replace the slots of the pairs by twice as many, with every pair in its new slot; *slots and *mask change. Returns a status. */
static int grow_pair_slots(const wwho_merger *m, uint32_t **slots, size_t *mask) {
    uint32_t *grown = calloc(*mask * 2 + 2, sizeof *grown);
    if (!grown) return WWHO_MEMORY;
    *mask = *mask * 2 + 1;
    for (size_t i = 0; i < m->n_pairs; i++) *find_pair(m, grown, *mask, m->pairs[i].left, m->pairs[i].right) = (uint32_t)i + 1;
    free(*slots);
    *slots = grown;
    return WWHO_OK;
}

/* Count the pair that starts at a position, unless it may not merge; m->pair[at] becomes its number or NONE. The slots may be replaced by
 * larger ones. Returns a status. */
static int count_pair(wwho_merger *m, size_t at, uint32_t **slots, size_t *mask) {
    uint32_t left = m->token[at], right = m->token[at + 1];
    m->pair[at] = NONE;
    if (left == NONE || right == NONE || stay_two(m, left, right)) return WWHO_OK;
    uint32_t *slot = find_pair(m, *slots, *mask, left, right), number;
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

/* Count all pairs before the first merge, keep the frequent ones in the heap, and fill in pair[] and their places. The other pairs are
 * forgotten: pair[] is NONE there. Returns a status. */
static int first_pairs(wwho_merger *m) {
    size_t mask = (1 << 16) - 1;
    uint32_t *slots = calloc(mask + 1, sizeof *slots);
    int status = slots ? WWHO_OK : WWHO_MEMORY;
    m->pair[m->n - 1] = NONE;
    for (size_t at = 0; !status && at + 1 < m->n; at++) status = count_pair(m, at, &slots, &mask);
    free(slots);
    if (!status) status = keep_frequent(m, 0);
    for (size_t at = 0; !status && at < m->n; at++)
        if (m->pair[at] != NONE) put_place(m, at, m->renumbered[m->pair[at]]);
    return status;
}

/* Merging. */

/* Subtract the weight of the place `at` from the count of its pair, and set m->pair[at] to NONE. */
static inline void uncount_pair(wwho_merger *m, size_t at) {
    if (m->pair[at] != NONE) m->pairs[m->pair[at]].count -= weight(m, at);
    m->pair[at] = NONE;
}

/* Count the pair (left, right) that now starts at `at`, unless it may not merge. One of both is the new token; *known is the number of its
 * pair with the other, or NONE before the two are first met: then a new pair is made, and its number goes there. Returns a status. */
static int count_new_pair(wwho_merger *m, size_t at, uint32_t left, uint32_t right, uint32_t *known) {
    m->pair[at] = NONE;
    if (stay_two(m, left, right)) return WWHO_OK;
    int status = *known == NONE ? new_pair(m, left, right, known) : WWHO_OK;
    if (!status) status = reserve(&m->fresh, &m->fresh_room, m->n_fresh + 1, sizeof *m->fresh);
    if (status) return status;
    m->pairs[*known].count += weight(m, at);
    m->pair[at] = *known;
    /* the pair of a token may change again, when the next one is merged */
    if (!m->n_fresh || m->fresh[m->n_fresh - 1] != at) m->fresh[m->n_fresh++] = (uint32_t)at;
    return WWHO_OK;
}

/* Replace the token at `at` and the one after it with the token `merged`, uncount the pairs that they formed with their neighbours, and
 * count those that it forms. Returns a status. */
static int merge_at(wwho_merger *m, size_t at, uint32_t merged) {
    size_t second = at + m->width[at], before = start_of_previous(m, at);
    size_t after = second + m->width[second];
    m->pair[at] = NONE;
    uncount_pair(m, second);
    if (before != at) uncount_pair(m, before);
    m->token[at] = merged;
    m->width[at] = m->width[after - 1] = (uint16_t)(after - at);
    int status = WWHO_OK;
    if (before != at) status = count_new_pair(m, before, m->token[before], merged, &m->with_left[m->token[before]]);
    if (!status && m->token[after] != NONE) status = count_new_pair(m, at, merged, m->token[after], &m->with_right[m->token[after]]);
    return status;
}

/* Keep the frequent ones of the pairs from `first` on, which are all those with the new token, and put down their places. Clears with_left,
 * with_right and the list `fresh`. Returns a status. */
static int keep_new_pairs(wwho_merger *m, size_t first) {
    for (size_t i = first; i < m->n_pairs; i++) m->with_left[m->pairs[i].left] = m->with_right[m->pairs[i].right] = NONE;
    for (size_t i = 0; i < m->n_fresh; i++)
        if (m->pair[m->fresh[i]] != NONE) m->pairs[m->pair[m->fresh[i]]].places++;
    int status = keep_frequent(m, first);
    for (size_t i = 0; !status && i < m->n_fresh; i++) {
        uint32_t at = m->fresh[i], pair = m->pair[at];
        if (pair != NONE) put_place(m, at, m->renumbered[pair - first]);
    }
    m->n_fresh = 0;
    return status;
}

/* Merge the pair of this number wherever it stands, from left to right, into a new token, and keep the new pairs that are frequent. Returns
 * a status. */
static int merge_pair(wwho_merger *m, uint32_t number) {
    pair_entry pair = m->pairs[number];
    size_t first = m->n_pairs;
    uint32_t merged = (uint32_t)(m->n_atoms + m->n_merges);
    m->merges[2 * m->n_merges] = pair.left;
    m->merges[2 * m->n_merges + 1] = pair.right;
    m->gains[m->n_merges] = pair.count;
    m->bytes[merged] = (uint16_t)(m->bytes[pair.left] + m->bytes[pair.right]);
    m->units[merged] = (uint16_t)(m->units[pair.left] + m->units[pair.right]);
    if (m->shapes) m->shapes[merged] = (uint8_t)(m->shapes[pair.left] ? m->shapes[pair.left] - 1 : 0);
    if (m->words) m->words[merged] = (uint8_t)(m->words[pair.left] + words_of(m, pair.right));
    m->n_merges++;
    int status = WWHO_OK;
    for (uint32_t i = 0; !status && i < pair.places; i++) {
        size_t at = m->places[pair.start + i];
        if (m->pair[at] == number) status = merge_at(m, at, merged);
    }
    return status ? status : keep_new_pairs(m, first);
}

/* Return true if the pair, of this number, stands in fewer than min_sources sources, of which 64 are told apart. Only the tokens of phrases
 * know their sources: false for all others. */
static bool is_local(const wwho_merger *m, const pair_entry *pair, uint32_t number) {
    uint64_t sources = 0;
    uint32_t found = 0;
    if (!m->run_sources || m->min_sources < 2) return false;
    for (uint32_t i = 0; i < pair->places && found < m->min_sources; i++) {
        size_t at = m->places[pair->start + i];
        if (m->pair[at] != number) continue;
        uint64_t more = m->run_sources[m->run[at]] & ~sources;
        sources |= more;
        for (; more; more &= more - 1) found++;
    }
    return found < m->min_sources;
}

/* Make up to `steps` more merges, the pair with the highest count first; *n becomes the number of all merges made so far. Counts in the
 * heap may be outdated: such an entry is put back with its present count, or dropped below min_freq. Pairs of too few sources are dropped,
 * too. */
int wwho_merger_step(wwho_merger *m, size_t steps, size_t *n) {
    if (!m || !n) return WWHO_ARGUMENT;
    int status = WWHO_OK;
    size_t goal = steps < m->max_merges - m->n_merges ? m->n_merges + steps : m->max_merges;
    while (!status && m->n_merges < goal && m->heap.n) {
        heap_entry *top = m->heap.entries;
        uint64_t count = m->pairs[top->pair].count;
        if (count == top->count) {
            uint32_t pair = top->pair;
            heap_pop(&m->heap);
            if (!is_local(m, &m->pairs[pair], pair)) status = merge_pair(m, pair);
        } else if (count < m->min_freq) {
            heap_pop(&m->heap);
        } else {
            top->count = count;
            sift_down(&m->heap, 0);
        }
    }
    *n = m->n_merges;
    return status;
}

/* Make the arrays with an item for each token or merge, as many as the atoms and max_merges ask for; with_left and with_right are NONE, the
 * others not filled in. Returns WWHO_OK or WWHO_MEMORY. */
static int new_tokens(wwho_merger *m) {
    size_t most = m->n_atoms + m->max_merges;
    m->bytes = malloc((most + 1) * sizeof *m->bytes);
    m->units = malloc((most + 1) * sizeof *m->units);
    m->merges = malloc((m->max_merges + 1) * 2 * sizeof *m->merges);
    m->gains = malloc((m->max_merges + 1) * sizeof *m->gains);
    m->with_left = malloc((most + 1) * sizeof *m->with_left);
    m->with_right = malloc((most + 1) * sizeof *m->with_right);
    if (!m->bytes || !m->units || !m->merges || !m->gains || !m->with_left || !m->with_right) return WWHO_MEMORY;
    memset(m->with_left, 0xFF, most * sizeof *m->with_left);
    memset(m->with_right, 0xFF, most * sizeof *m->with_right);
    return WWHO_OK;
}

/* Make a merger that has no positions yet. WWHO_ARGUMENT for a limit out of range; then, as without memory, *merger stays as it is. */
static int new_merger(size_t n_atoms, size_t max_merges, uint64_t min_freq, uint32_t max_units, wwho_merger **merger) {
    if (!min_freq || !max_units || max_merges > MAX_IDS || n_atoms > MAX_IDS) return WWHO_ARGUMENT;
    wwho_merger *m = calloc(1, sizeof *m);
    if (!m) return WWHO_MEMORY;
    m->n_atoms = n_atoms;
    m->max_merges = max_merges;
    m->min_freq = min_freq;
    m->max_units = max_units;
    int status = new_tokens(m);
    if (status)
        wwho_merger_free(m);
    else
        *merger = m;
    return status;
}

/* Write the length in bytes of each atom to `bytes`. Returns WWHO_OK, or WWHO_ARGUMENT where one has several units or is longer than
 * MAX_ATOM bytes. */
static int measure_atoms(uint16_t *bytes, const wwho_words *atoms) {
    for (size_t atom = 0; atom < atoms->n; atom++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size, length;
        const uint8_t *text;
        open_record(record_at(atoms, atom), atoms->arena + atoms->used, &reader, &n_units, &size);
        if (n_units != 1 || !next_unit(&reader, &text, &length) || length > MAX_ATOM) return WWHO_ARGUMENT;
        bytes[atom] = (uint16_t)length;
    }
    return WWHO_OK;
}

/* Copy the shapes of the atoms, with room for those of merged tokens; nothing if `shapes` is null. Returns a status. */
static int copy_shapes(wwho_merger *m, const uint8_t *shapes) {
    if (!shapes) return WWHO_OK;
    m->shapes = malloc(m->n_atoms + m->max_merges + 1);
    if (!m->shapes) return WWHO_MEMORY;
    memcpy(m->shapes, shapes, m->n_atoms);
    return WWHO_OK;
}

/* Make a merger over the words of a table, whose units that are atoms get their places in `atoms` as ids, and count their first pairs. On
 * failure, *merger is null. train.h has the limits. */
int wwho_merger_new(const wwho_words *words, const wwho_words *atoms, const uint8_t *shapes, size_t max_merges, uint64_t min_freq,
                    uint32_t max_units, wwho_merger **merger) {
    if (!merger) return WWHO_ARGUMENT;
    *merger = NULL;
    if (!words || !atoms || words->n_units > MAX_UNITS) return WWHO_ARGUMENT;
    int status = new_merger(atoms->n, max_merges, min_freq, max_units, merger);
    if (status) return status;
    status = measure_atoms((*merger)->bytes, atoms);
    for (size_t atom = 0; atom < atoms->n; atom++) (*merger)->units[atom] = 1;
    if (!status) status = copy_shapes(*merger, shapes);
    if (!status) status = add_runs(*merger, words, atoms);
    if (!status) status = first_pairs(*merger);
    if (!status) return WWHO_OK;
    wwho_merger_free(*merger);
    *merger = NULL;
    return status;
}
