/* Texts laid out as runs of atoms, and the frequent parts of them, from their sorted suffixes.
 *
 * A *run* is a word, or what of it lies between units that are no atoms. Equal runs are one. All runs lie in one array of positions,
 * sorted, with NONE after each, so that nothing depends on the order in which words were counted. */

typedef struct {
    uint32_t *atoms;  /* at each position; NONE after each run */
    uint32_t *starts; /* of each run, and of the run that would come next */
    uint64_t *counts; /* how often each run was seen */
    size_t n, n_runs; /* positions, and runs */
    size_t longest;   /* atoms of the longest run */
    size_t starts_room, counts_room;
} run_table;

/* Free the arrays of a table of runs. */
static void free_runs(run_table *runs) {
    free(runs->atoms);
    free(runs->starts);
    free(runs->counts);
}

/* Return a number below, equal to or above 0 as the suffix at x comes before the one at y, is equal, or comes after it, by the atoms from
 * number `depth` up to number `most`. */
static int compare_suffixes(const uint32_t *atoms, uint32_t x, uint32_t y, size_t depth, size_t most) {
    for (; depth < most; depth++) {
        uint32_t a = atoms[x + depth], b = atoms[y + depth];
        if (a != b) return a < b ? -1 : 1;
        if (a == NONE) return 0;
    }
    return 0;
}

/* Return the middle one of three numbers. */
static inline uint32_t middle(uint32_t a, uint32_t b, uint32_t c) {
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static inline void swap(uint32_t *a, uint32_t *b) {
    uint32_t was = *a;
    *a = *b;
    *b = was;
}

/* Sort n places by the suffixes that begin there, which share their first `depth` atoms, up to atom number `most`: by one atom after
 * another, in three parts (multikey quicksort). Only the smaller parts are sorted by a call, so calls nest at most log2(n) times. Places of
 * equal suffixes come in no certain order. */
static void sort_suffixes(const uint32_t *atoms, uint32_t *places, size_t n, size_t depth, size_t most) {
    while (n > 1 && depth < most) {
        if (n < 12) {
            for (size_t i = 1; i < n; i++)
                for (size_t k = i; k && compare_suffixes(atoms, places[k - 1], places[k], depth, most) > 0; k--)
                    swap(&places[k - 1], &places[k]);
            return;
        }
        uint32_t pivot = middle(atoms[places[n / 4] + depth], atoms[places[n / 2] + depth], atoms[places[n - n / 4] + depth]);
        size_t less = 0, more = n;
        for (size_t i = 0; i < more;) {
            uint32_t atom = atoms[places[i] + depth];
            if (atom < pivot)
                swap(&places[i++], &places[less++]);
            else if (atom > pivot)
                swap(&places[i], &places[--more]);
            else
                i++;
        }
        struct {
            uint32_t *places;
            size_t n, depth;
        } parts[] = {{places, less, depth}, {places + less, pivot == NONE ? 0 : more - less, depth + 1}, {places + more, n - more, depth}};
        size_t largest = parts[1].n > parts[0].n ? 1 : 0;
        if (parts[2].n > parts[largest].n) largest = 2;
        for (size_t i = 0; i < 3; i++)
            if (i != largest) sort_suffixes(atoms, parts[i].places, parts[i].n, parts[i].depth, most);
        places = parts[largest].places;
        n = parts[largest].n;
        depth = parts[largest].depth;
    }
}

/* Close the run that began at `start` with a NONE, and let it count `count` times; nothing if it is empty. runs->atoms has room for the
 * NONE. Returns a status. */
static int close_run(run_table *runs, size_t start, uint64_t count) {
    if (runs->n == start) return WWHO_OK;
    runs->atoms[runs->n++] = NONE;
    int status = reserve(&runs->starts, &runs->starts_room, runs->n_runs + 2, sizeof *runs->starts);
    if (!status) status = reserve(&runs->counts, &runs->counts_room, runs->n_runs + 1, sizeof *runs->counts);
    if (status) return status;
    runs->starts[runs->n_runs] = (uint32_t)start;
    runs->counts[runs->n_runs++] = count;
    return WWHO_OK;
}

/* Lay out the runs of word number `word`. A unit that is no atom, but a space and an atom, leaves a run of that atom alone. Returns a
 * status. */
static int lay_out_word(run_table *runs, const wwho_words *words, size_t word, const wwho_words *atoms) {
    unit_reader reader;
    uint64_t n_units, count = words->entries[word].count;
    size_t size, length, start = runs->n;
    const uint8_t *text;
    int status = WWHO_OK;
    open_record(record_at(words, word), words->arena + words->used, &reader, &n_units, &size);
    while (!status && next_unit(&reader, &text, &length)) {
        uint32_t atom = atom_of(atoms, text, length);
        bool cut = atom == NONE;
        if (cut) {
            status = close_run(runs, start, count);
            start = runs->n;
            if (!status && text[0] == ' ') atom = atom_of(atoms, text + 1, length - 1);
        }
        if (atom != NONE) runs->atoms[runs->n++] = atom;
        if (cut && !status) {
            status = close_run(runs, start, count);
            start = runs->n;
        }
    }
    return status ? status : close_run(runs, start, count);
}

/* Replace the runs by the same runs in ascending order, equal ones as one with the sum of their counts, and set runs->longest. Returns
 * a status; if it is not WWHO_OK, the runs stay. */
static int sort_runs(run_table *runs) {
    size_t n = runs->n_runs, kept = 0, used = 0;
    uint32_t *order = malloc((n + 1) * sizeof *order), *starts = malloc((n + 1) * sizeof *starts),
             *number = malloc((runs->n + 1) * sizeof *number);
    uint32_t *atoms = malloc((runs->n + 1) * sizeof *atoms);
    uint64_t *counts = malloc((n + 1) * sizeof *counts);
    int status = order && starts && number && atoms && counts ? WWHO_OK : WWHO_MEMORY;
    if (!status) {
        for (size_t i = 0; i < n; i++) {
            order[i] = runs->starts[i];
            number[order[i]] = (uint32_t)i;
        }
        sort_suffixes(runs->atoms, order, n, 0, SIZE_MAX);
        for (size_t i = 0; i < n; i++) {
            uint64_t count = runs->counts[number[order[i]]];
            if (i && !compare_suffixes(runs->atoms, order[i - 1], order[i], 0, SIZE_MAX)) {
                counts[kept - 1] += count;
                continue;
            }
            starts[kept] = (uint32_t)used;
            counts[kept++] = count;
            for (uint32_t at = order[i]; (atoms[used++] = runs->atoms[at]) != NONE;) at++;
            if (used - 1 - starts[kept - 1] > runs->longest) runs->longest = used - 1 - starts[kept - 1];
        }
        starts[kept] = (uint32_t)used;
        free_runs(runs);
        *runs = (run_table){.atoms = atoms, .starts = starts, .counts = counts, .n = used, .n_runs = kept, .longest = runs->longest};
    } else {
        free(starts);
        free(atoms);
        free(counts);
    }
    free(order);
    free(number);
    return status;
}

/* Lay out the words of a table as runs of atoms, into `runs`, which is empty: sorted, equal ones as one. The ids of atoms are their places
 * in the table `atoms`. Returns a status; free_runs() is then to be called all the same. */
static int lay_out_runs(run_table *runs, const wwho_words *words, const wwho_words *atoms) {
    size_t most = 2 * (size_t)words->n_units + words->n + 1;
    runs->atoms = malloc(most * sizeof *runs->atoms);
    if (!runs->atoms) return WWHO_MEMORY;
    int status = WWHO_OK;
    for (size_t word = 0; !status && word < words->n; word++) status = lay_out_word(runs, words, word, atoms);
    return status ? status : sort_runs(runs);
}

/* A part that occurs: the first `depth` atoms of the suffixes from number `first` on, in their order, and how often it was seen. */
typedef struct {
    uint64_t count;
    uint32_t depth, first;
} run_part;

/* What is done with a part, before any shorter part that it begins with. */
typedef void part_visitor(void *state, const run_part *part);

enum { MAX_PART = 1024 /* atoms of a part, at most: each has a byte or more */ };

/* The suffixes of some runs, in order; each is only looked at as far as its first `most` atoms. */
typedef struct {
    const run_table *runs;
    uint32_t *places; /* where each begins */
    uint32_t *run;    /* the run of each position */
    size_t n, most;
} suffix_list;

/* Make the list of all suffixes of some runs, sorted by their first `most` atoms, MAX_PART or fewer. Returns a status; the arrays are then
 * to be freed all the same. */
static int list_suffixes(suffix_list *suffixes, const run_table *runs, size_t most) {
    *suffixes = (suffix_list){.runs = runs, .most = most};
    suffixes->places = malloc((runs->n + 1) * sizeof *suffixes->places);
    suffixes->run = malloc((runs->n + 1) * sizeof *suffixes->run);
    if (!suffixes->places || !suffixes->run) return WWHO_MEMORY;
    for (size_t run = 0; run < runs->n_runs; run++)
        for (uint32_t at = runs->starts[run]; runs->atoms[at] != NONE; at++) {
            suffixes->places[suffixes->n++] = at;
            suffixes->run[at] = (uint32_t)run;
        }
    sort_suffixes(runs->atoms, suffixes->places, suffixes->n, 0, most);
    return WWHO_OK;
}

/* Return how many atoms, at most `most`, the suffixes at two places share; with y = x, how many the suffix has. */
static uint32_t shared_atoms(const uint32_t *atoms, uint32_t x, uint32_t y, size_t most) {
    uint32_t n = 0;
    while (n < most && atoms[x + n] == atoms[y + n] && atoms[x + n] != NONE) n++;
    return n;
}

/* Call visit(state, part) for the parts of the runs: every atom, and of longer parts those that no further atom always follows, up to
 * suffixes->most atoms. A part comes after all those that begin with it, and before(state, number), unless null, is called before the parts
 * of each suffix. `part` is valid during the call. */
static void visit_parts(const suffix_list *suffixes, part_visitor *visit, void (*before)(void *state, uint32_t number), void *state) {
    const run_table *runs = suffixes->runs;
    run_part stack[MAX_PART + 2];
    size_t n = 0;
    for (size_t i = 0; i <= suffixes->n; i++) {
        uint32_t place = i < suffixes->n ? suffixes->places[i] : 0, shared = 0;
        if (i && i < suffixes->n) shared = shared_atoms(runs->atoms, suffixes->places[i - 1], place, suffixes->most);
        while (n && stack[n - 1].depth > shared) {
            run_part part = stack[--n];
            visit(state, &part);
            if (n && stack[n - 1].depth >= shared)
                stack[n - 1].count += part.count;
            else if (shared)
                stack[n++] = (run_part){part.count, shared, part.first};
        }
        if (i == suffixes->n) break;
        if (before) before(state, (uint32_t)i);
        uint64_t count = runs->counts[suffixes->run[place]];
        uint32_t length = shared_atoms(runs->atoms, place, place, suffixes->most);
        if (!n) stack[n++] = (run_part){0, 1, (uint32_t)i};
        if (stack[n - 1].depth == length)
            stack[n - 1].count += count;
        else
            stack[n++] = (run_part){count, length, (uint32_t)i};
    }
}
