/* Learning merges with incremental counts.
 *
 * The runs (words, cut at units outside the vocabulary) lie in one array of positions, one for each unit, with a WWHO_NONE
 * before, between and behind them. A token covers as many positions as it has units. Each position at which a token starts
 * knows the pair that this token forms with the next one, so a merge finds the counts it lowers without searching. */

struct wwho_merger {
    size_t n; /* positions */
    uint32_t *token; /* of the token that starts at a position; WWHO_NONE between runs; else anything but WWHO_NONE */
    uint16_t *width; /* positions of the token that starts, or ends, at a position */
    uint32_t *pair;  /* of the token that starts at a position and the next one, or WWHO_NONE: not to be merged */
    uint32_t *run;   /* the run of a position; null where all count once */
    uint64_t *run_count;
    size_t n_runs, run_room;
    pair_entry *pairs;
    size_t n_pairs, pairs_room;
    uint32_t *places; /* the positions of every pair, one after another */
    size_t n_places, places_room;
    pair_heap heap;
    uint16_t *bytes; /* of the text of each token */
    uint16_t *units; /* of each token: how many atoms it was merged from */
    uint32_t max_units;
    uint8_t *words;  /* how many words each token touches, and BEGINS_WORD; null where merges stay within words */
    uint32_t max_words;
    uint32_t *merges; /* left and right id in turn */
    uint64_t *gains;  /* of each merge: the count of its pair */
    size_t n_atoms, n_merges, max_merges;
    uint64_t min_freq;
    uint32_t *with_left, *with_right; /* while merging: the new pair of (that token, new) and of (new, that token) */
    uint64_t *fresh; /* while merging: new pairs and where they stand, pair << 32 | position */
    size_t n_fresh, fresh_room;
    uint32_t *renumbered; /* by keep_frequent: the new numbers of the pairs it looked at, WWHO_NONE for those dropped */
    size_t renumbered_room;
};

enum { MAX_ATOM = 255, MAX_IDS = 1 << WWHO_ID_BITS };
#define MAX_POSITIONS 0xFFFFFFFEu
#define MAX_UNITS (MAX_POSITIONS / 2) /* of distinct words: a unit takes at most two positions, and positions have 32 bits */

void wwho_merger_free(wwho_merger *m) {
    if (!m) return;
    void *parts[] = {m->token, m->width, m->pair, m->run, m->run_count, m->pairs, m->places, m->heap.entries,
                     m->bytes, m->units, m->words, m->merges, m->gains, m->with_left, m->with_right, m->fresh, m->renumbered};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    free(m);
}

const uint32_t *wwho_merger_pairs(const wwho_merger *m) { return m->merges; }

const uint64_t *wwho_merger_gains(const wwho_merger *m) { return m->gains; }

enum { BEGINS_WORD = 128 /* and that with a U+0020 */ };

static inline uint32_t words_of(const wwho_merger *m, uint32_t token) { return m->words[token] & (BEGINS_WORD - 1); }

/* Whether two neighbours may not merge: the result would be too long, or, where merges join words, they are of one word. */
static inline bool stay_two(const wwho_merger *m, uint32_t left, uint32_t right) {
    if (m->words && !(m->words[right] & BEGINS_WORD && words_of(m, left) + words_of(m, right) <= m->max_words)) return true;
    if ((uint32_t)m->units[left] + m->units[right] > m->max_units) return true;
    return (uint32_t)m->bytes[left] + m->bytes[right] > WWHO_MAX_TOKEN;
}

static inline uint64_t weight(const wwho_merger *m, size_t at) { return m->run ? m->run_count[m->run[at]] : 1; }

/* The position at which the token before the one at `at` starts; `at` where it is the first of its run. */
static inline size_t previous(const wwho_merger *m, size_t at) {
    return m->token[at - 1] == WWHO_NONE ? at : at - m->width[at - 1];
}

static int new_pair(wwho_merger *m, uint32_t left, uint32_t right, uint32_t *pair) {
    if (m->n_pairs >= WWHO_NONE) return WWHO_ARGUMENT;
    int status = reserve(&m->pairs, &m->pairs_room, m->n_pairs + 1, sizeof *m->pairs);
    if (status) return status;
    m->pairs[m->n_pairs] = (pair_entry){0, 0, 0, left, right};
    *pair = (uint32_t)m->n_pairs++;
    return WWHO_OK;
}

/* The pairs from `first` on are counted, and pair[] points at them. Keep those seen often enough: number them anew, give each
 * its part of the list of places, and put it into the heap. m->renumbered[pair - first] is the new number, or WWHO_NONE. */
static int keep_frequent(wwho_merger *m, size_t first) {
    size_t kept = first;
    int status = reserve(&m->renumbered, &m->renumbered_room, m->n_pairs - first, sizeof *m->renumbered);
    for (size_t i = first; !status && i < m->n_pairs; i++) {
        pair_entry pair = m->pairs[i];
        m->renumbered[i - first] = WWHO_NONE;
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

/* Give position `at` its pair's new number and put it down among that pair's places. */
static inline void put_place(wwho_merger *m, size_t at, uint32_t pair) {
    m->pair[at] = pair;
    if (pair == WWHO_NONE) return;
    m->places[m->pairs[pair].start + m->pairs[pair].places++] = (uint32_t)at;
}

#include "runs.c"

/* Take the pair that starts at `at` off the counts. */
static inline void forget(wwho_merger *m, size_t at) {
    if (m->pair[at] != WWHO_NONE) m->pairs[m->pair[at]].count -= weight(m, at);
    m->pair[at] = WWHO_NONE;
}

/* Count the pair (left, right) that now starts at `at`; one of them is the new token, the other found in *known. */
static int meet(wwho_merger *m, size_t at, uint32_t left, uint32_t right, uint32_t *known) {
    m->pair[at] = WWHO_NONE;
    if (stay_two(m, left, right)) return WWHO_OK;
    int status = *known == WWHO_NONE ? new_pair(m, left, right, known) : WWHO_OK;
    if (!status) status = reserve(&m->fresh, &m->fresh_room, m->n_fresh + 1, sizeof *m->fresh);
    if (status) return status;
    m->pairs[*known].count += weight(m, at);
    m->pair[at] = *known;
    m->fresh[m->n_fresh++] = (uint64_t)*known << 32 | at;
    return WWHO_OK;
}

/* Make one token, `merged`, of the tokens at `at` and behind it. */
static int merge_at(wwho_merger *m, size_t at, uint32_t merged) {
    size_t second = at + m->width[at], before = previous(m, at);
    size_t after = second + m->width[second];
    m->pair[at] = WWHO_NONE;
    forget(m, second);
    if (before != at) forget(m, before);
    m->token[at] = merged;
    m->width[at] = m->width[after - 1] = (uint16_t)(after - at);
    int status = WWHO_OK;
    if (before != at) status = meet(m, before, m->token[before], merged, &m->with_left[m->token[before]]);
    if (!status && m->token[after] != WWHO_NONE)
        status = meet(m, at, merged, m->token[after], &m->with_right[m->token[after]]);
    return status;
}

/* The pairs from `first` on, all with the new token, are counted: forget where to find them and keep the frequent ones. */
static int settle(wwho_merger *m, size_t first) {
    for (size_t i = first; i < m->n_pairs; i++)
        m->with_left[m->pairs[i].left] = m->with_right[m->pairs[i].right] = WWHO_NONE;
    for (size_t i = 0; i < m->n_fresh; i++) { /* a place may have changed again: only its last pair counts */
        uint32_t pair = (uint32_t)(m->fresh[i] >> 32), at = (uint32_t)m->fresh[i];
        if (m->pair[at] == pair) m->pairs[pair].places++;
    }
    int status = keep_frequent(m, first);
    for (size_t i = 0; !status && i < m->n_fresh; i++) {
        uint32_t pair = (uint32_t)(m->fresh[i] >> 32), at = (uint32_t)m->fresh[i];
        if (m->pair[at] == pair) put_place(m, at, m->renumbered[pair - first]);
    }
    m->n_fresh = 0;
    return status;
}

/* Merge a pair wherever it stands. */
static int merge_pair(wwho_merger *m, uint32_t number) {
    pair_entry pair = m->pairs[number];
    size_t first = m->n_pairs;
    uint32_t merged = (uint32_t)(m->n_atoms + m->n_merges);
    m->merges[2 * m->n_merges] = pair.left;
    m->merges[2 * m->n_merges + 1] = pair.right;
    m->gains[m->n_merges] = pair.count;
    m->bytes[merged] = (uint16_t)(m->bytes[pair.left] + m->bytes[pair.right]);
    m->units[merged] = (uint16_t)(m->units[pair.left] + m->units[pair.right]);
    if (m->words) m->words[merged] = (uint8_t)(m->words[pair.left] + words_of(m, pair.right));
    m->n_merges++;
    int status = WWHO_OK;
    for (uint32_t i = 0; !status && i < pair.places; i++) {
        size_t at = m->places[pair.start + i];
        if (m->pair[at] == number) status = merge_at(m, at, merged);
    }
    return status ? status : settle(m, first);
}

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
            status = merge_pair(m, pair);
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

/* A merger that has no places yet. */
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

static int measure_atoms(wwho_merger *m, const wwho_words *atoms) {
    for (size_t atom = 0; atom < m->n_atoms; atom++) {
        unit_reader reader;
        uint64_t n_units;
        size_t size, length;
        const uint8_t *text;
        open_record(record_at(atoms, atom), atoms->arena + atoms->used, &reader, &n_units, &size);
        if (n_units != 1 || !next_unit(&reader, &text, &length) || length > MAX_ATOM) return WWHO_ARGUMENT;
        m->bytes[atom] = (uint16_t)length;
        m->units[atom] = 1;
    }
    return WWHO_OK;
}

int wwho_merger_new(const wwho_words *words, const wwho_words *atoms, size_t max_merges, uint64_t min_freq,
                    uint32_t max_units, wwho_merger **merger) {
    if (!merger) return WWHO_ARGUMENT;
    *merger = NULL;
    if (!words || !atoms || words->n_units > MAX_UNITS) return WWHO_ARGUMENT;
    int status = new_merger(atoms->n, max_merges, min_freq, max_units, merger);
    if (status) return status;
    status = measure_atoms(*merger, atoms);
    if (!status) status = add_runs(*merger, words, atoms);
    if (!status) status = first_pairs(*merger);
    if (!status) return WWHO_OK;
    wwho_merger_free(*merger);
    *merger = NULL;
    return status;
}
