/* See normalize.h. */
#include "normalize.h"

#include "model.h"
#include "trie.h"

enum { STEP_HEAD = 24, MAX_TARGETS = 32, MAX_STRIPPED = 64, MAX_CLUSTER = 6 };

/* A character between two steps. */
typedef struct {
    uint32_t code_point; /* or 0x110000 + a byte of broken UTF-8 */
    uint32_t source;     /* where the character that it came from starts in the text */
    uint32_t origin;     /* where the steps may restart in the text to produce this character and what follows; WWHO_NONE: nowhere */
    int32_t change;      /* the number of characters before the step that it stands for, less one, negated; 1: an additional character */
    uint32_t order;
} passing;

/* Opening */

/* A step while it is read: its head, its numbers, and how much is filled in. `in.at` becomes null when something is invalid. */
typedef struct {
    struct { /* the same layout as in the file */
        uint8_t kind, flags;
        uint16_t number;
        uint32_t n, more, others, n_targets, size;
    };
    number_columns in;
    uint32_t n_pages, n_rewrites, used; /* so far; `used` counts targets */
} step_reader;

static COLD void check(step_reader *c, bool right) {
    if (!right) c->in.at = 0;
}

/* The code point, or 0 and a failure if it is invalid. */
static COLD uint32_t valid(step_reader *c, uint32_t code_point) {
    check(c, code_point < 0x110000);
    return c->in.at ? code_point : 0;
}

/* The next of ascending code points. Each is stored as the difference from the one before, less one; for the first, `last` is WWHO_NONE. */
static uint32_t next_code_point(step_reader *c, uint32_t last) { return valid(c, last + 1 + next_number(&c->in)); }

/* A code point stored as the difference from another one. */
static COLD uint32_t near_code_point(step_reader *c, uint32_t other) { return valid(c, other + unzigzag(next_number(&c->in))); }

/* Read the next n targets, each stored as the difference from the one before. Returns the last one. */
static COLD uint32_t read_targets(step_reader *c, wwho_rewriting *step, uint32_t n, uint32_t last) {
    check(c, n <= MAX_TARGETS && n <= c->n_targets - c->used);
    while (c->in.at && n--) step->targets[c->used++] = last = near_code_point(c, last);
    return last;
}

/* Allocate the pages of a step, `size` bytes each: as many as its head says, and page 0. */
static COLD void *take_pages(step_reader *c, wwho_arena *arena, wwho_rewriting *step, uint32_t size) {
    check(c, c->number <= N_PAGES);
    step->page = take_zeroed(arena, 2 * (N_PAGES + 2)); /* for code points, and for bytes of broken UTF-8 */
    return take_zeroed(arena, size * (c->number + 1));
}

/* The place of a code point in the pages. Its page is allocated if it has none. */
static COLD uint32_t own_cell(step_reader *c, wwho_rewriting *step, uint32_t code_point) {
    uint16_t *page = &step->page[code_point >> 7];
    if (!*page && c->n_pages < c->number) *page = (uint16_t)++c->n_pages;
    check(c, *page);
    return 128u * *page + (code_point & 127);
}

/* The rewrite of a code point. It is allocated if the code point has none. */
static COLD wwho_rewrite *own_rewrite(step_reader *c, wwho_rewriting *step, uint32_t code_point) {
    uint16_t *cell = &step->pages[own_cell(c, step, code_point)];
    if (c->in.at && !*cell) {
        *cell = (uint16_t)++c->n_rewrites;
        step->rewrites[*cell].n = KEPT;
    }
    return &step->rewrites[*cell];
}

static void fill_map(step_reader *c, wwho_rewriting *step) {
    uint32_t last = WWHO_NONE;
    step->rewrites[0].n = KEPT;
    for (uint32_t i = 0; i < c->n; i++) {
        last = next_code_point(c, last);
        uint32_t n = next_number(&c->in);
        wwho_rewrite *rewrite = own_rewrite(c, step, last);
        rewrite->at = c->used;
        rewrite->n = (uint8_t)n;
        check(c, read_targets(c, step, n, last) != last || n != 1);
    }
    last = WWHO_NONE;
    for (uint32_t i = 0; i < c->more; i++) {
        last = next_code_point(c, last);
        uint32_t order = next_number(&c->in);
        check(c, order - 1 < 254);
        own_rewrite(c, step, last)->order = (uint8_t)order;
    }
    wwho_composition before = {0, 0, 0};
    for (uint32_t i = 0; i < c->others; i++) {
        uint32_t first = before.first + next_number(&c->in), second = near_code_point(c, before.second);
        wwho_composition pair = {first, second, near_code_point(c, first)};
        own_rewrite(c, step, second)->second = true;
        wwho_rewrite *rewrite = own_rewrite(c, step, pair.composed);
        check(c, rewrite->n == KEPT && first < 0x110000);
        check(c, !i || first > before.first || (first == before.first && second > before.second));
        rewrite->at = i;
        rewrite->n = PAIRED;
        before = step->compositions[i] = pair;
    }
    check(c, c->n_pages == c->number && c->used == c->n_targets);
}

/* Write what a character is mapped to, or the characters that pairs compose it from. The output ends at `end`, with room for 2 *
 * MAX_TARGETS before it. Returns its start. It is longer than MAX_TARGETS if pairs form a cycle. */
static COLD uint32_t *take_apart(const wwho_rewriting *step, uint32_t code_point, uint32_t *end) {
    const wwho_rewrite *r = rewrite_of(step, code_point);
    uint32_t *at = end;
    for (; r->n == PAIRED && end - at < MAX_TARGETS; r = rewrite_of(step, code_point)) {
        *--at = step->compositions[r->at].second;
        code_point = step->compositions[r->at].first;
    }
    if (r->n >= PAIRED) *--at = code_point;
    for (uint32_t k = r->n >= PAIRED ? 0 : r->n; k--;) *--at = step->targets[r->at + k];
    return at;
}

/* Whether the tables may be filled. If only their size is being computed, there is nothing more to read in this step. */
static COLD bool has_room(step_reader *c, const wwho_arena *arena) {
    bool room = arena->used <= arena->size;
    if (c->in.at && !room) c->in.at = c->in.end;
    return c->in.at && room;
}

/* Build the tables of a map of characters, and check them. */
static void build_map(step_reader *c, wwho_arena *arena, wwho_rewriting *step) {
    uint64_t n_rewrites = (uint64_t)c->n + c->more + 2 * (uint64_t)c->others;
    check(c, step->flags <= (HANGUL_APART | HANGUL_TOGETHER) && n_rewrites <= c->size && n_rewrites <= 0xFFFF);
    if (!c->in.at) return;
    step->pages = take_pages(c, arena, step, 256);
    step->rewrites = take_zeroed(arena, ((uint32_t)n_rewrites + 1) * sizeof *step->rewrites);
    step->compositions = take(arena, c->others * sizeof *step->compositions);
    step->n_compositions = c->others;
    if (!has_room(c, arena)) return;
    fill_map(c, step);
    uint32_t parts[2 * MAX_TARGETS], *end = parts + 2 * MAX_TARGETS;
    for (uint32_t i = 0; c->in.at && i < c->others; i++)
        check(c, end - take_apart(step, step->compositions[i].composed, end) <= MAX_TARGETS);
}

/* Read the contents of n rules. For REPLACE, each has a number: 0 if the rule keeps its match, else 1 + 2 * length + (1 for `after`). For
 * RULES, each has a length. */
static void read_contents(step_reader *c, wwho_rewriting *step) {
    bool replace = step->kind == STEP_REPLACE;
    for (uint32_t i = 0, last = 0; i < c->n; i++) {
        uint32_t number = next_number(&c->in), length = replace && number ? (number - 1) / 2 : number;
        step->rewrites[i] = (wwho_rewrite){c->used, replace && !number ? KEPT : (uint8_t)length, 0, number && !(number & 1)};
        step->flags |= step->rewrites[i].second; /* the text after a match matters; RULES does not use this flag */
        last = read_targets(c, step, length, last);
    }
    check(c, c->used == c->n_targets);
}

static void build_ends(step_reader *c, wwho_rewriting *step) {
    for (uint32_t last = WWHO_NONE; c->used < c->n;) step->targets[c->used++] = last = next_code_point(c, last);
    read_targets(c, step, c->others, read_targets(c, step, c->more, 0));
}

/* Read the texts of RULES, and build the trie of them. */
static void build_rules(step_reader *c, wwho_arena *arena, wwho_rewriting *step) {
    wwho_vocabulary texts = {.n_tokens = c->n, .n_symbols = c->n, .text_bytes = c->more};
    wwho_trie made;
    check(c, c->n && c->n < WWHO_MAX_IDS && c->more / WWHO_MAX_TOKEN <= c->n);
    if (!c->in.at) return;
    step->trie = take(arena, sizeof made);
#ifndef __wasm__
    step->tails = take_zeroed(arena, PLAIN / 8);
#endif
    take_texts(arena, &texts);
    take_trie(arena, &made, c->n, c->size);
    if (!has_room(c, arena)) return;
    *step->trie = made;
    check(c, !read_texts(&texts, 0, c->n, &c->in, true) && texts.offset[c->n] == c->more);
    for (uint32_t i = 0; c->in.at && i < c->n; i++)
        check(c, well_formed(texts.texts + texts.offset[i], texts.offset[i + 1] - texts.offset[i]));
    if (!c->in.at) return;
    build_trie(step->trie, texts.texts, texts.offset, c->n, c->n);
#ifndef __wasm__
    for (uint32_t i = 0, width, code_point; i < c->n; i++)
        for (uint32_t at = texts.offset[i], end = texts.offset[i + 1]; at < end; at += width) {
            width = utf8_next(texts.texts + at, end - at, &code_point);
            if (at > texts.offset[i] && code_point < PLAIN) step->tails[code_point >> 3] |= (uint8_t)(1u << (code_point & 7));
        }
#endif
    read_contents(c, step);
}

/* The bytes of a symbol. */
static COLD uint32_t symbol_bytes(uint32_t symbol) {
    return (SYMBOL_LEAD + symbol / SYMBOL_TRAILS) | (SYMBOL_TRAIL + symbol % SYMBOL_TRAILS) << 8;
}

/* Read runs of characters with adjacent pairs. Each run stores twice its length less one, plus 1 if the places before it up to the next
 * block are empty. Then comes its first character, as the difference from the end of the run before. */
static void build_pairs(step_reader *c, wwho_arena *arena, wwho_rewriting *step) {
    uint32_t n_blocks = step->n_blocks = c->more >> 16, n_indices = step->n_indices = (uint16_t)c->more, place = 0, code_point = 0;
    check(c, step->flags < 2 && !(c->n_targets | c->others) && n_indices && n_blocks + n_indices + 256u * step->flags <= MAX_PAIR_SYMBOLS);
    if (!c->in.at) return;
    step->symbols = take_pages(c, arena, step, 512);
    step->character = take_zeroed(arena, 4 * n_blocks * n_indices);
    if (!has_room(c, arena)) return;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t length = next_number(&c->in);
        if (length & 1) place += n_indices - place % n_indices;
        code_point = near_code_point(c, code_point);
        for (length = length / 2 + 1; length--; code_point++, place++) {
            uint32_t *symbols = &step->symbols[own_cell(c, step, valid(c, code_point))];
            check(c, place < n_blocks * n_indices && !*symbols && code_point >> 11 != 0xD800 >> 11);
            if (!c->in.at) return;
            step->character[place] = code_point + 1;
            *symbols = symbol_bytes(n_indices + place / n_indices) | symbol_bytes(place % n_indices) << 16;
        }
    }
    check(c, n_blocks && (place + n_indices - 1) / n_indices == n_blocks && c->n_pages == c->number);
}

/* Build the step at p. Returns where it ends, at `end` at most, or null if it is invalid. */
static const uint8_t *build_step(const uint8_t *p, const uint8_t *end, wwho_arena *arena, const wwho_automaton *automata,
                                 uint32_t n_automata, wwho_rewriting *step) {
    if (end - p < STEP_HEAD) return 0;
    step_reader c = {.in = {p + STEP_HEAD, end}};
    copy_bytes(&c, p, STEP_HEAD);
    if (c.size > (size_t)(end - c.in.at) || c.n > c.size || c.n_targets > c.size) return 0;
    c.in.end = c.in.at + c.size;
    *step = (wwho_rewriting){.kind = c.kind, .flags = c.flags, .n = c.n, .n_prefix = c.more, .n_suffix = c.others};
    step->targets = take(arena, 4 * (uint64_t)c.n_targets);
    bool replaces = step->kind == STEP_REPLACE, none = c.number == NO_AUTOMATON && !replaces;
    if (step->kind == STEP_MAP)
        build_map(&c, arena, step);
    else if (step->kind == STEP_ENDS) {
        bool prefix = !(step->flags & (ENDS_UNLESS | ENDS_FIRST)) || c.more, strip = !c.n == !(step->flags & (ENDS_LEFT | ENDS_RIGHT));
        check(&c, step->flags <= 15 && !c.number && prefix && strip && c.n <= MAX_STRIPPED && c.more <= MAX_TARGETS);
        check(&c, c.others <= MAX_TARGETS && c.n_targets && c.n_targets == c.n + c.more + c.others);
        if (has_room(&c, arena)) build_ends(&c, step);
    } else if (step->kind == STEP_SPELL) {
        check(&c, !(step->flags | c.number | c.n | c.more | c.others | c.n_targets | c.size));
    } else if (step->kind == STEP_PAIRS) {
        build_pairs(&c, arena, step);
    } else {
        check(&c, step->kind && step->kind <= STEP_RULES && !step->flags && !c.others && (!replaces || !c.more));
        check(&c, none || c.number < n_automata);
        step->rewrites = take(arena, (uint64_t)c.n * sizeof *step->rewrites);
        if (c.in.at && automata && !none) step->automaton = &automata[c.number];
        check(&c, !replaces || !step->automaton || step->automaton->stored.n_rules == c.n);
        if (!replaces)
            build_rules(&c, arena, step);
        else if (has_room(&c, arena))
            read_contents(&c, step);
    }
    return c.in.at == c.in.end ? c.in.at : 0;
}

WWHO_LOCAL int build_normalizer(wwho_section s, wwho_arena *arena, const wwho_automaton *automata, uint32_t n_automata,
                                wwho_normalizer *n) {
    if (s.length < 4) return WWHO_NORMALIZER;
    const uint8_t *at = s.at + 4, *end = s.at + s.length;
    uint32_t n_steps = n->n_all = read16(s.at), late = s.at[2], within = s.at[3];
#ifndef __wasm__
    n->plain = take(arena, 2 * sizeof *n->plain);
#endif
    if (n_steps < 1 || n_steps > WWHO_MAX_STEPS) return WWHO_NORMALIZER;
    for (wwho_rewriting *step = n->steps; at && step < n->steps + n->n_all; step++) {
        if (n->pairs) return WWHO_NORMALIZER;
        at = build_step(at, end, arena, automata, n_automata, step);
        if (step->kind != STEP_PAIRS) continue;
        n->pairs = step;
        n_steps--; /* the pairs are the last step, and do not rewrite texts */
    }
    n->starts[STEPS_WITHIN + 1] = n_steps;
    n->starts[STEPS_WITHIN] = n_steps - within;
    n->starts[STEPS_LATE] = n_steps - within - late;
    return at == end && late + within <= n_steps && !(within && n->pairs) ? WWHO_OK : WWHO_NORMALIZER;
}

/* Running */

/* The character at a place before the end. A byte of broken UTF-8 becomes a character that no step knows. */
static uint32_t character_at(const wwho_normalizing *it, size_t at, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(it->text + at, it->end - at, &code_point);
    return *width == 1 && code_point == REPLACEMENT ? 0x110000u + it->text[at] : code_point;
}

static WARM uint32_t class_at(const wwho_normalizing *it, uint32_t code_point) {
    return class_of(it->classes, code_point < BROKEN ? code_point : REPLACEMENT);
}

/* The characters of a run, in three columns of the same size that take turns. */
typedef struct {
    const wwho_normalizing *it;
    passing *now, *next, *spare;
    size_t n, room, made,
        lost;         /* characters in `now`; room in each column; characters in `next`; characters that vanished before any was written */
    bool whole, full; /* the run ends a part; there was no room for all characters */
    bool apart;       /* what follows the run does not depend on it, nor the run on what follows */
} character_run;

/* Write n characters in place of `old` ones. Their source is `source`, unless find_sources() later derives it from the counts. */
static COLD void put_characters(character_run *run, const uint32_t *code_points, uint32_t n, size_t old, uint32_t source, uint32_t origin) {
    for (uint32_t k = 0; k < n; k++) {
        run->full |= run->made == run->room;
        if (run->full) return;
        run->next[run->made++] = (passing){code_points[k], source, k ? WWHO_NONE : origin, k >= old, 0};
    }
    if (n >= old) return;
    if (run->made)
        run->next[run->made - 1].change -= (int32_t)(old - n);
    else
        run->lost += old - n;
}

/* Write one character in place of another one, or of none. */
static WARM void put_character(character_run *run, uint32_t code_point, uint32_t old, uint32_t source, uint32_t origin) {
    run->full |= run->made == run->room;
    if (!run->full) run->next[run->made++] = (passing){code_point, source, origin, !old, 0};
}

/* Write a character as it is. */
static WARM void keep_character(character_run *run, const passing *p, uint32_t origin) {
    put_character(run, p->code_point, 1, p->source, origin);
}

/* Decompose the characters with the step's map. */
static void take_all_apart(character_run *run, const wwho_rewriting *step) {
    for (size_t i = 0; i < run->n; i++) {
        uint32_t parts[2 * MAX_TARGETS], *end = parts + 2 * MAX_TARGETS, *at = end;
        uint32_t code_point = run->now[i].code_point, syllable = code_point - SYLLABLES;
        if (step->flags & HANGUL_APART && syllable < N_SYLLABLES) {
            if (syllable % N_TAILS) *--at = TAILS + syllable % N_TAILS;
            *--at = VOWELS + syllable / N_TAILS % N_VOWELS;
            *--at = LEADS + syllable / N_TAILS / N_VOWELS;
        } else
            at = take_apart(step, code_point, end);
        put_characters(run, at, (uint32_t)(end - at), 1, 0, run->now[i].origin);
    }
    for (size_t i = 0; i < run->made; i++) {
        passing *p = &run->next[i];
        const wwho_rewrite *r = rewrite_of(step, p->code_point);
        p->order = r->order;
        if (r->order || r->second || joins_hangul(step, p->code_point)) p->origin = WWHO_NONE;
    }
}

/* Sort each sequence of marks by class. The sort is stable and takes linear time, because it counts the marks of each class. */
static void order_marks(character_run *run, size_t n) {
    passing *next = run->next;
    for (size_t i = 0, end; i < n; i = end) {
        bool ordered = true;
        for (end = i + 1; end < n && next[end].order; end++) ordered &= next[end - 1].order <= next[end].order;
        if (ordered) continue;
        uint32_t from[256] = {0};
        for (size_t k = i; k < end; k++) from[next[k].order + 1]++;
        for (uint32_t k = 1; k < 256; k++) from[k] += from[k - 1];
        for (size_t k = i; k < end; k++) run->spare[from[next[k].order]++] = next[k];
        copy_bytes(next + i, run->spare, (end - i) * sizeof *next);
    }
}

/* The character that two characters compose to, or WWHO_NONE. */
static uint32_t composed(const wwho_rewriting *step, uint32_t first, uint32_t second) {
    if (step->flags & HANGUL_TOGETHER && first - LEADS < N_LEADS && second - VOWELS < N_VOWELS)
        return SYLLABLES + ((first - LEADS) * N_VOWELS + (second - VOWELS)) * N_TAILS;
    if (joins_hangul(step, second) && second > TAILS && first - SYLLABLES < N_SYLLABLES && (first - SYLLABLES) % N_TAILS == 0)
        return first + (second - TAILS);
    if (!rewrite_of(step, second)->second) return WWHO_NONE;
    for (uint32_t low = 0, high = step->n_compositions; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        const wwho_composition *c = &step->compositions[middle];
        if (c->first == first && c->second == second) return c->composed;
        if (c->first < first || (c->first == first && c->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return WWHO_NONE;
}

/* Compose each starter with the marks after it, unless a character between them blocks this. Returns how many characters are left. */
static size_t put_together(character_run *run, const wwho_rewriting *step, size_t n) {
    passing *next = run->next;
    size_t kept = 0, starter = n; /* n: there is no starter yet */
    for (size_t i = 0; i < n; i++) {
        passing here = next[i];
        bool adjacent = starter + 1 == kept;
        bool open = starter < n && (adjacent || (next[kept - 1].order < here.order && next[kept - 1].order));
        uint32_t both = open ? composed(step, next[starter].code_point, here.code_point) : WWHO_NONE;
        if (both != WWHO_NONE) {
            next[starter].code_point = both;
            next[starter].change += here.change - 1;
            continue;
        }
        if (!here.order) starter = kept;
        next[kept++] = here;
    }
    return kept;
}

/* Find the source of each character. Characters take the sources of the characters before the step in order, from `at` on. An additional
 * character takes the source of its neighbour. */
static COLD void find_sources(character_run *run, size_t at) {
    for (size_t i = 0; i < run->made; i++) {
        passing *here = &run->next[i];
        here->source = run->now[here->change > 0 && at ? at - 1 : at].source;
        if (here->change <= 0) at += 1 + (size_t)-here->change;
    }
}

/* The one character that a map turns another into. WWHO_NONE if it is not exactly one, or if the neighbours matter. */
static uint32_t mapped_alone(const wwho_rewriting *step, uint32_t code_point) {
    const wwho_rewrite *r = rewrite_of(step, code_point);
    if (r->n == 1) r = rewrite_of(step, code_point = step->targets[r->at]);
    bool apart = step->flags & HANGUL_APART && code_point - SYLLABLES < N_SYLLABLES;
    return r->n != KEPT || r->order || r->second || apart || joins_hangul(step, code_point) ? WWHO_NONE : code_point;
}

static void pass_map(character_run *run, const wwho_rewriting *step) {
    take_all_apart(run, step);
    order_marks(run, run->made);
    if (step->n_compositions || step->flags & HANGUL_TOGETHER) run->made = put_together(run, step, run->made);
    find_sources(run, run->lost);
}

/* Scan from character `at` on. The match ends before *end. Returns whether text after the run may change the match. */
static bool scan_run(const character_run *run, const wwho_automaton *automaton, size_t at, size_t *end, uint32_t *rule) {
    uint32_t behind = at && automaton->stored.flags; /* then the scan starts with the character before */
    at -= behind;
    for (uint32_t row = (WWHO_START + behind) * automaton->stride;; at++) {
        uint32_t entry = automaton->table[row + (at < run->n ? class_at(run->it, run->now[at].code_point) : run->it->classes->n_classes)];
        if (ENTRY_MARK(entry)) {
            *rule = ENTRY_MARK(entry) - 1;
            *end = at;
        }
        row = entry & ENTRY_ROW;
        if (!row) return at == run->n && !run->whole;
    }
}

static void pass_replace(character_run *run, const wwho_rewriting *step) {
    bool sure = true;
    for (size_t at = 0, end; at < run->n; at = end) {
        uint32_t rule, origin = sure ? run->now[at].origin : WWHO_NONE;
        sure &= !scan_run(run, step->automaton, at, &end, &rule) &&
                !step->automaton->stored.flags; /* with such flags, the text before matters */
        const wwho_rewrite *r = &step->rewrites[rule];
        for (uint32_t i = 0; i < (r->n == KEPT ? 1 : r->n); i++, origin = WWHO_NONE) {
            uint32_t c = r->n == KEPT ? MATCH : step->targets[r->at + i];
            if (c != MATCH)
                put_character(run, c, 0, run->now[r->second && end < run->n ? end : end - 1].source, origin);
            else
                for (size_t k = at; k < end; k++) keep_character(run, &run->now[k], k > at ? WWHO_NONE : origin);
        }
    }
}

/* Whether ENDS strips this character. */
COLD bool is_stripped(const wwho_rewriting *step, uint32_t code_point) {
    uint32_t k = 0;
    while (k < step->n && step->targets[k] != code_point) k++;
    return k < step->n;
}

static void pass_ends(character_run *run, const wwho_rewriting *step) {
    const wwho_normalizing *it = run->it;
    const uint32_t *prefix = step->targets + step->n;
    const passing *from = run->now, *to = from + run->n;
    while (it->fresh && step->flags & ENDS_LEFT && from < to && is_stripped(step, from->code_point)) from++;
    while (run->whole && step->flags & ENDS_RIGHT && from < to && is_stripped(step, to[-1].code_point)) to--;
    if (from == to) return;
    bool begun = step->flags & ENDS_UNLESS && from->code_point == *prefix;
    bool wanted = it->fresh && !begun && (!(step->flags & ENDS_FIRST) || (it->first && from->source == it->at));
    if (wanted) put_characters(run, prefix, step->n_prefix, 0, from->source, WWHO_NONE);
    const passing *stays = to; /* the characters after it may turn out to be at the end, and be stripped */
    while (step->flags & ENDS_RIGHT && stays > from && is_stripped(step, stays[-1].code_point)) stays--;
    for (; from < to; from++) keep_character(run, from, from < stays ? from->origin : WWHO_NONE);
    if (run->whole) put_characters(run, prefix + step->n_prefix, step->n_suffix, 0, to[-1].source, WWHO_NONE);
}

/* Write the bytes of a character of a run. */
COLD uint32_t encode_utf8(uint32_t c, uint8_t *out) {
    if (c < 0x80 || c >= 0x110000) {
        out[0] = (uint8_t)c;
        return 1;
    }
    uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = n; --i; c >>= 6) out[i] = (uint8_t)(0x80 | (c & 63));
    out[0] = (uint8_t)(0xF00u >> n | c);
    return n;
}

WWHO_LOCAL uint32_t stand_in(uint32_t byte) { return byte < 33 ? byte + 256 : byte - 127 < 34 ? byte + 162 : byte == 173 ? 323 : byte; }

static void pass_spell(character_run *run, const wwho_rewriting *step) {
    (void)step;
    for (const passing *p = run->now, *end = p + run->n; p < end; p++) {
        uint8_t bytes[4];
        uint32_t n = encode_utf8(p->code_point, bytes);
        bool mark = p->code_point >> 11 == 0xD800 >> 11;
        if (mark) keep_character(run, p, p->origin);
        for (uint32_t k = 0; !mark && k < n; k++) {
            uint32_t c = stand_in(bytes[k]);
            put_character(run, c, 0, p->source, k ? WWHO_NONE : p->origin);
        }
    }
}

/* The longest rule (with an automaton, the shortest) that matches the characters from `at` to `end`, or null. Where its match ends goes to
 * *stop. `sure` becomes false if text after the run might extend the match. */
static const wwho_rewrite *find_rule(const character_run *run, const wwho_rewriting *step, size_t at, size_t end, size_t *stop,
                                     bool *sure) {
    const wwho_rewrite *found = 0;
    for (uint32_t node = 0, depth = 0; !(found && step->automaton); at++) {
        uint8_t bytes[4];
        if (at == end) {
            *sure &= run->whole || end < run->n || step->automaton;
            break;
        }
        uint32_t n = encode_utf8(run->now[at].code_point, bytes);
        bool on = true;
        for (uint32_t k = 0; on && k < n; k++) on = (node = next_node(step->trie, node, depth++, bytes[k])) != 0;
        if (!on) break;
        uint32_t token = token_at(step->trie, node, depth);
        if (token == WWHO_NONE) continue;
        found = &step->rewrites[token];
        *stop = at + 1;
    }
    return found;
}

static void pass_rules(character_run *run, const wwho_rewriting *step) {
    bool sure = true;
    for (size_t at = 0, end, cluster = 0; at < run->n; at = end) {
        const wwho_rewrite *r = 0;
        uint32_t origin = sure ? run->now[at].origin : WWHO_NONE, rule;
        if (step->automaton && at == cluster) {
            uint8_t bytes[4];
            uint32_t n = 0;
            sure &= !scan_run(run, step->automaton, at, &cluster, &rule);
            for (size_t i = at; i < cluster && n < MAX_CLUSTER; i++) n += encode_utf8(run->now[i].code_point, bytes);
            if (n < MAX_CLUSTER) r = find_rule(run, step, at, cluster, &end, &sure);
            if (r) end = cluster;
        } else if (step->automaton)
            origin = WWHO_NONE;
        if (!r) {
            end = at + 1;
            r = find_rule(run, step, at, step->automaton ? end : run->n, &end, &sure);
        }
        if (r)
            put_characters(run, step->targets + r->at, r->n, end - at, run->now[at].source, origin);
        else
            keep_character(run, &run->now[at], origin);
    }
    if (!step->automaton) return;
    find_sources(run, run->it->fresh ? 0 : run->lost); /* the tokenizers library ignores characters that vanished at the start */
}

WWHO_LOCAL size_t spell(const wwho_rewriting *pairs, const uint8_t *text, size_t at, size_t end, uint8_t *out, uint32_t *sources) {
    size_t n = 0;
    for (uint32_t width; at < end; at += width) {
        uint32_t code_point;
        width = next_character(text + at, end - at, &code_point);
        uint32_t word = width == 1 && code_point == REPLACEMENT ? 0 : pairs->symbols[cell_of(pairs, code_point)];
        for (uint32_t k = 0, stop = word ? 1 : width * pairs->flags; k < stop; k++) {
            if (!word) word = symbol_bytes(pairs->n_indices + pairs->n_blocks + text[at + k]);
            for (; word; word >>= 8) {
                sources[n] = (uint32_t)at;
                out[n++] = (uint8_t)word;
            }
        }
    }
    return n;
}

WWHO_LOCAL uint8_t *join_pairs(const wwho_rewriting *step, const uint8_t *text, const uint8_t *end, uint8_t *to) {
    while (text < end) {
        uint32_t symbol = last_symbol(text + 2, (size_t)(end - text)), block = symbol - step->n_indices, found = REPLACEMENT;
        text += symbol == WWHO_NONE ? 1 : 2;
        if (symbol == WWHO_NONE)
            found = BROKEN + text[-1];
        else if (block < step->n_blocks) {
            uint32_t index = last_symbol(text + 2, (size_t)(end - text));
            uint32_t character = index < step->n_indices ? step->character[block * step->n_indices + index] : 0;
            if (character) {
                found = character - 1;
                text += 2;
            }
        } else if (block - step->n_blocks < 256)
            found = BROKEN + block - step->n_blocks;
        to += encode_utf8(found, to);
    }
    return to;
}

/* Write the n bytes of a character that came from `source`. There must be room for four. */
static HOT void write_bytes(wwho_normalizing *it, uint32_t bytes, uint32_t n, uint32_t source, uint32_t origin) {
    const uint32_t sources[4] = {source, source, source, source}, origins[4] = {origin, WWHO_NONE, WWHO_NONE, WWHO_NONE};
    copy_bytes(it->to.out + it->n, &bytes, 4);
    if (it->to.sources) copy_bytes(it->to.sources + it->n, sources, 16);
    if (it->to.origins) copy_bytes(it->to.origins + it->n, origins, 16);
    it->n += n;
}

/* Pass the run through the steps, and write the part that is certain: all of it if the run is `complete`, else the text up to the last
 * origin. Returns false if nothing is certain. */
static bool normalize_run(wwho_normalizing *it, character_run *run, size_t end, bool complete) {
    static void (*const pass[])(character_run *, const wwho_rewriting *) = {pass_map, pass_replace, pass_ends, pass_rules, pass_spell};
    for (uint32_t i = 0; i < it->n_steps; i++) {
        run->made = run->lost = 0;
        pass[it->steps[i].kind - 1](run, &it->steps[i]);
        it->full |= run->full;
        if (run->full) return false;
        passing *now = run->now;
        run->now = run->next;
        run->next = now;
        run->n = run->made;
    }
    size_t n = it->n, from = n;
    bool done = false;
    for (size_t i = 0;; i++) {
        bool last = i == run->n;
        uint32_t origin = last ? (uint32_t)end : run->now[i].origin;
        if (last ? complete : i && origin != WWHO_NONE) {
            done = true;
            n = it->n;
            it->at = origin;
        }
        bool full = !last && it->to.room - it->n < 4;
        it->full |= full;
        if (last || full) break;
        uint8_t bytes[4] = {0};
        uint32_t width = encode_utf8(run->now[i].code_point, bytes);
        write_bytes(it, read32(bytes), width, run->now[i].source, origin);
    }
    it->fresh &= n == from;
    it->first &= !done;
    it->n = n;
    return done;
}

/* The rule that matches a single character of a class, whatever is next to it; or 0. To a match before it, it is like the end of the text,
 * so that the run may end there. No class is if the automaton looks behind: none leads from BEHIND where the end leads. */
static uint32_t rule_alone(const wwho_automaton *a, uint32_t n_classes, uint32_t class) {
    const uint32_t *row = a->table + (a->table[WWHO_START * a->stride + class] & ENTRY_ROW);
    for (uint32_t d = 0; d <= n_classes; d++)
        if (row[d] != row[0]) return 0;
    for (uint32_t state = WWHO_START + 1; state < a->stored.n_states; state++)
        if (a->table[state * a->stride + class] != a->table[state * a->stride + n_classes]) return 0;
    return row[0] & ENTRY_ROW ? 0 : ENTRY_MARK(row[0]);
}

/* Where a step with rules may restart. */
typedef struct {
    uint32_t row; /* the state behind the last character, or WWHO_NONE if the step does restart */
    size_t reach; /* from there on, no rule that begins before can match */
    bool has;     /* a rule matches at the last character, or might with more text */
} rule_state;

/* Look at the next character with the rules of the first step. Returns whether they may restart before it: no cluster continues there. */
static COLD bool look_for_rules(const wwho_normalizing *it, size_t at, uint32_t code_point, rule_state *s) {
    const wwho_automaton *a = it->steps->automaton;
    size_t to = at;
    uint32_t class = class_at(it, code_point), depth = 0;
    bool apart = at >= s->reach;
    s->has = false;
    for (uint32_t node = 0;; to++) {
        s->has |= to == it->end || token_at(it->rules, node, depth) != WWHO_NONE;
        if (to == it->end || !(node = next_node(it->rules, node, depth++, it->text[to]))) break;
    }
    if (to > s->reach) s->reach = to;
    if (!a) return apart;
    if (s->row != WWHO_NONE) {
        uint32_t entry = a->table[s->row + class];
        s->row = entry & ENTRY_ROW;
        if (s->row || !ENTRY_MARK(entry)) return false;
    }
    s->row = a->table[WWHO_START * a->stride + class] & ENTRY_ROW;
    return apart && !a->stored.flags;
}

/* The rule that matches a single character of a class before one of another class, or 0. */
static uint32_t rule_before(const wwho_automaton *a, uint32_t class, uint32_t next) {
    uint32_t entry = a->table[(a->table[WWHO_START * a->stride + class] & ENTRY_ROW) + next];
    return a->stored.flags || entry & ENTRY_ROW ? 0 : ENTRY_MARK(entry);
}

/* What the steps turn the character at a place into, whatever is next to it: one character, or VANISHED. WWHO_NONE if its neighbours
 * matter, or if it is at the end. Marks on both sides of characters that vanish may change places, so a run does not end before one.
 * `next`: the character after it, if that is plain, and the one before is; or WWHO_NONE. RULES as the first step is left out: that is for
 * look_for_rules(). */
static COLD uint32_t plain_at(const wwho_normalizing *it, size_t at, uint32_t *width, uint32_t next) {
    if (at == it->end) return WWHO_NONE;
    uint32_t code_point = character_at(it, at, width);
    const bool first = it->fresh && at == it->at, last = at + *width == it->end;
    bool ordered = false, gone = false, ahead = false;
    for (uint32_t i = 0; i < it->n_steps; i++) {
        const wwho_rewriting *step = &it->steps[i];
        const wwho_rewrite *r = step->rewrites;
        uint32_t rule;
        if (step->kind == STEP_RULES && !i) continue;
        if (step->kind == STEP_MAP) {
            if (step->flags == HANGUL_APART && code_point - SYLLABLES < N_SYLLABLES) return WWHO_NONE;
            r = rewrite_of(step, code_point);
        } else if (step->kind == STEP_REPLACE) {
            const wwho_automaton *a = step->automaton;
            uint32_t class = class_at(it, code_point);
            rule = next != WWHO_NONE ? rule_before(a, class, class_at(it, next)) : rule_alone(a, it->classes->n_classes, class);
            if (!rule) return WWHO_NONE;
            r += rule - 1;
            if (r->second && next == WWHO_NONE) return WWHO_NONE;
            ahead |= r->second;
        } else {
            bool edge = first || gone || (last && (step->n_suffix || step->flags & ENDS_RIGHT));
            if (step->kind != STEP_ENDS || edge || (is_stripped(step, code_point) && (next == WWHO_NONE || is_stripped(step, next))))
                return WWHO_NONE;
            continue;
        }
        next = next == WWHO_NONE || step->kind != STEP_MAP ? WWHO_NONE : mapped_alone(step, next);
        gone |= !r->n;
        if (r->n != KEPT && !gone) {
            if (r->n != 1) return WWHO_NONE;
            if (step->targets[r->at] != MATCH) code_point = step->targets[r->at];
        }
        if (step->kind != STEP_MAP || gone) continue;
        r = rewrite_of(step, code_point);
        if (r->second || joins_hangul(step, code_point)) return WWHO_NONE;
        ordered |= r->order;
    }
    if (gone && !first && !ahead) return VANISHED;
    return gone || ordered ? WWHO_NONE : code_point | ahead * PLAIN_AHEAD;
}

#ifndef __wasm__
/* Write a character of the table. There must be room for four bytes. */
static HOT void write_packed(wwho_normalizing *it, uint32_t packed, size_t source, uint32_t origin) {
    write_bytes(it, packed, packed >> 24 & PLAIN_BYTES, (uint32_t)source, origin);
}

static HOT uint32_t plain_made(const wwho_plain *plain, const uint8_t *text, size_t left, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(text, left, &code_point);
    return code_point < PLAIN ? plain->made[code_point] : 0;
}

/* Write the next characters that are kept, at most eight, as they are. Returns their number, or 0 if they are few. There must be room for
 * eight, and more text after them. As T5, unseen English is 1.15 to 1.2 times as fast, as Llama 2 and Gemma 3 1.05 times. */
static HOT uint32_t write_kept(wwho_normalizing *it, size_t at) {
    const bool clusters = it->plain->clusters;
    uint32_t n = run_length(it->text + at, it->plain->kept), places[8], origins[8];
    if (n < 3) return 0;
    for (uint32_t i = 0; i < 8; i++) {
        places[i] = (uint32_t)at + i;
        origins[i] = clusters ? WWHO_NONE : places[i];
    }
    copy_bytes(it->to.out + it->n, it->text + at, 8);
    if (it->to.sources) copy_bytes(it->to.sources + it->n, places, sizeof places);
    if (it->to.origins) copy_bytes(it->to.origins + it->n, origins, sizeof origins);
    it->n += n;
    return n;
}

/* Write the next characters as long as their results are certain, up to the last place where the steps may restart. plain.c has the
 * gain. */
static void write_plain(wwho_normalizing *it) {
    const wwho_plain *plain = it->plain;
    size_t at = it->at, from = it->n, sure = from;
    if (!plain || at < it->not_plain || (it->fresh && !plain->begins)) return;
    for (uint32_t before = 0, width, made; at < it->end && it->to.room - it->n >= 8; at += width) {
        if (it->text[at] < 0x80 && before && it->end - at > 8 && (width = write_kept(it, at)) != 0) {
            before = plain->made[it->text[at + width - 1]];
            if (plain->clusters) continue;
            it->at = at + width - 1;
            sure = it->n - 1;
            continue;
        }
        made = plain_made(plain, it->text + at, it->end - at, &width);
        bool last = at + width == it->end;
        /* Most characters are inside the text, do not vanish, and do not depend on their neighbours. Hindi is 1.04 times as fast. */
        if (before && !last && (made & (PLAIN_BYTES << 24 | PLAIN_TAIL | PLAIN_SEMI | PLAIN_AHEAD)) - (1u << 24) < 3u << 24) {
            bool anew = !plain->clusters || (before & PLAIN_CUT && it->text[at] == ' ');
            if (anew) {
                it->at = at;
                sure = it->n;
            }
            write_packed(it, made, at, anew ? (uint32_t)at : WWHO_NONE);
            before = made;
            continue;
        }
        bool nothing = !(made >> 24 & PLAIN_BYTES);
        if (!made || (nothing && (!before || last)) || (before & PLAIN_HEAD && made & PLAIN_TAIL)) break;
        if ((before | (it->fresh && !before ? PLAIN_SEMI : 0)) & made & PLAIN_SEMI) break;
        if (nothing) {
            if (before & PLAIN_AHEAD) break;
            before &= ~(plain->clusters ? PLAIN_CUT : 0);
            continue;
        }
        bool anew = !plain->clusters || !before || (before & PLAIN_CUT && it->text[at] == ' ');
        anew &= plain->ends || !(made & PLAIN_SEMI); /* a step may strip all text from here on, and then would not add its suffix */
        if (anew) {
            it->at = at;
            sure = it->n;
        }
        if (last && (it->more || !plain->ends || made & (PLAIN_SEMI | PLAIN_AHEAD))) break;
        bool prefix = it->fresh && !before && plain->prefix && (it->first || !(plain->prefix_if & ENDS_FIRST));
        if (prefix) write_packed(it, plain->prefix, at, WWHO_NONE);
        write_packed(it, made, made & PLAIN_AHEAD ? at + width : at, anew ? (uint32_t)at : WWHO_NONE);
        before = made;
        if (!last) continue;
        it->at = it->end;
        sure = it->n;
    }
    it->n = sure;
    if (sure == from)
        it->not_plain = at;
    else
        it->fresh = it->first = false;
}

/* The end of n characters from `at` on if the results of all are certain, or 0. */
static size_t skip_plain(const wwho_normalizing *it, size_t at, uint32_t n) {
    uint32_t width;
    for (; n && at < it->end && it->plain && plain_made(it->plain, it->text + at, it->end - at, &width); n--) at += width;
    return n ? 0 : at;
}
#endif

COLD uint32_t pack_plain(uint32_t made) {
    uint32_t c = made & CODE_POINT, flags = made & ~(uint32_t)(CODE_POINT | PLAIN_ORDERED);
    uint8_t bytes[4] = {0};
    if (!made || made == WWHO_NONE || (c != VANISHED && (made & PLAIN_ORDERED || c >= 0x10000))) return 0;
    if (c != VANISHED) bytes[3] = (uint8_t)encode_utf8(c, bytes);
    return flags | read32(bytes);
}

/* The same as plain_at(), packed, or 0. `c` is the character. */
static COLD uint32_t known_of(const wwho_normalizing *it, size_t at, uint32_t c, uint32_t next) {
    uint32_t width, made = plain_at(it, at, &width, next);
    return made == c && width == 4 ? PLAIN_SURE | KNOWN_WIDE : pack_plain(made | PLAIN_SURE);
}

/* The same from memory, and the character. */
static HOT uint32_t known_at(wwho_normalizing *it, size_t at, uint32_t *width, uint32_t *code_point) {
    uint32_t c = it->text[at], other;
    *width = 1;
    if (c >= 0x80) c = character_at(it, at, width);
    *code_point = c;
    if (at + *width == it->end || (it->fresh && at == it->at)) return it->more ? 0 : known_of(it, at, c, WWHO_NONE);
    wwho_known *known = &it->known[(c ^ c >> 4) % KNOWN_SLOTS];
    if (known->of != c) {
        known->of = c;
        known->made = known_of(it, at, c, WWHO_NONE);
    }
    if (known->made) return known->made;
    return known_of(it, at, c, character_at(it, at + *width, &other));
}

/* Write the next characters as long as it is known what the steps turn them into, up to the last place where the steps may restart. Returns
 * whether that is the end, or a place where write_plain() can go on. In WebAssembly, English as BERT takes 0.6 of the time, Hindi 0.55;
 * English as Llama 2 takes 0.8, as CLIP and T5 half. */
static bool write_known(wwho_normalizing *it) {
    size_t at = it->at, sure_at = at, sure = it->n;
    rule_state rules = {WWHO_NONE, 0, false};
    uint32_t made = 0, width = 0; /* of the character at `at`; the width includes characters after it that vanish */
    bool again = false;
    for (bool anew = true, end = false; !end && it->to.room - it->n >= 4;) { /* anew: the steps may restart at `at` */
        uint32_t follows = 0, next = 0, c;
        end = at + width == it->end;
        if (!end && !(follows = known_at(it, at + width, &next, &c))) break;
        bool apart = end || !it->rules || look_for_rules(it, at + width, c, &rules);
        if (rules.has) break;
        if (follows == PLAIN_SURE) { /* it vanishes, so the character before it meets the one after it */
            if (!made || made & PLAIN_AHEAD || at + width + next == it->end) break;
            width += next;
            continue;
        }
        bool wide = made & KNOWN_WIDE;
        write_bytes(it, wide ? read32(it->text + at) : made, wide ? 4 : made >> 24 & PLAIN_BYTES,
                    (uint32_t)(made & PLAIN_AHEAD ? at + width : at), anew ? (uint32_t)at : WWHO_NONE);
        at += width;
        made = follows;
        width = next;
        anew = apart;
        if (!anew) continue;
        sure_at = at;
        sure = it->n;
#ifndef __wasm__
        again = at > it->at && skip_plain(it, at, 2);
        if (again) break;
#endif
    }
    it->fresh &= sure_at == it->at;
    it->at = sure_at;
    it->n = sure;
    return again || sure_at == it->end;
}

/* Read a run, up to the second of two plain characters. Returns where it ends. */
static size_t read_run(character_run *run) {
    const wwho_normalizing *it = run->it;
    size_t end = it->at;
    rule_state rules = {WWHO_NONE, 0, false};
    uint32_t width;
    for (bool plain = false, apart = true; end < it->end && run->n < run->room; end += width) {
        uint32_t c = character_at(it, end, &width);
        if (it->rules) apart = look_for_rules(it, end, c, &rules);
        if (rules.has && it->fresh && end == it->at) rules.reach = it->end; /* if it vanishes, all places move */
        run->apart = plain;
        plain = apart && !rules.has && plain_at(it, end, &width, WWHO_NONE) < VANISHED;
        run->apart &= plain;
        if (run->apart) break;
        run->now[run->n++] = (passing){c, (uint32_t)end, (uint32_t)end, 0, 0};
    }
    return end;
}

WWHO_LOCAL bool normalize(wwho_normalizing *it, void *work, size_t work_len) {
    size_t room = work_len / (3 * sizeof(passing)), before = it->n;
    passing alone[3], *columns = room ? work : alone; /* without steps, no room is needed */
    room += !room;
    while (it->at < it->end) {
#ifndef __wasm__
        write_plain(it);
#endif
        if (it->at == it->end || write_known(it)) continue;
        character_run run = {.it = it, .now = columns, .next = columns + room, .spare = columns + 2 * room, .room = room};
        size_t end = read_run(&run);
        run.whole = end == it->end && !it->more;
        it->full |= end < it->end && !run.apart;
        bool done = normalize_run(it, &run, end, run.whole || run.apart);
        if (!done || it->at < end) return done || it->n > before || !it->full;
    }
    return true;
}

WWHO_LOCAL size_t whole_characters(const uint8_t *text, size_t len) {
    for (uint32_t k = 1; k < 4 && k <= len; k++) { /* bytes that may start an incomplete character */
        uint8_t lead = text[len - k];
        if (lead >= 0xC0) return k < (lead < 0xE0 ? 2u : lead < 0xF0 ? 3u : 4u) ? len - k : len;
    }
    return len;
}

WWHO_LOCAL void start_steps(wwho_normalizing *it, const wwho_model *model, uint32_t group, wwho_known *known) {
    const wwho_normalizer *n = &model->normalizer;
    it->steps = n->steps + n->starts[group];
    it->n_steps = n_in_group(n, group);
#ifndef __wasm__
    it->plain = group < STEPS_WITHIN && n->starts[STEPS_WITHIN] ? &n->plain[group] : 0;
#endif
    it->classes = &model->classes;
    it->known = known + group * KNOWN_SLOTS;
    it->rules = it->n_steps && it->steps->kind == STEP_RULES ? it->steps->trie : 0;
}

int wwho_normalize(const wwho_model *model, const uint8_t *text, size_t len, int more, void *work, size_t work_len, uint8_t *out,
                   uint32_t *sources, size_t cap, size_t *read, size_t *n) {
    bool given = model && (text || !len) && (work || !work_len) && (out || !cap) && read && n;
    if (!given || (uintptr_t)work % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    wwho_normalizing it = {.text = text,
                           .end = more ? whole_characters(text, len) : len,
                           .fresh = true,
                           .first = true,
                           .more = more,
                           .to = {out, sources, 0, cap}};
    wwho_known known[KNOWN_SLOTS] = {{0, 0}};
    start_steps(&it, model, STEPS_EARLY, known);
    bool done = normalize(&it, work, work_len);
    *read = it.at;
    *n = it.n;
    return done ? WWHO_OK : WWHO_BUFFER;
}
