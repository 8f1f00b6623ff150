/* How the steps of a normalizer are read from a file (FORMAT.md, NORMALIZER), and their tables filled. */
#include "steps.h"

#include "pairs.h"
#include "passes.h"
#include "vocabulary.h"

enum { STEP_HEAD = 24, MAX_STRIPPED = 64 };

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

static void check(step_reader *c, bool right) {
    if (!right) c->in.at = 0;
}

/* The code point, or 0 and a failure if it is invalid. */
static uint32_t valid(step_reader *c, uint32_t code_point) {
    check(c, code_point < 0x110000);
    return c->in.at ? code_point : 0;
}

/* The next of ascending code points. Each is stored as the difference from the one before, less one; for the first, `last` is WWHO_NONE. */
static uint32_t next_code_point(step_reader *c, uint32_t last) { return valid(c, last + 1 + next_number(&c->in)); }

/* A code point stored as the difference from another one. */
static uint32_t near_code_point(step_reader *c, uint32_t other) { return valid(c, other + unzigzag(next_number(&c->in))); }

/* Read the next n targets, each stored as the difference from the one before. Returns the last one. */
static uint32_t read_targets(step_reader *c, wwho_rewriting *step, uint32_t n, uint32_t last) {
    check(c, n <= MAX_TARGETS && n <= c->n_targets - c->used);
    while (c->in.at && n--) step->targets[c->used++] = last = near_code_point(c, last);
    return last;
}

/* Allocate the pages of a step, `size` bytes each: as many as its head says, and page 0. */
static void *take_pages(step_reader *c, wwho_arena *arena, wwho_rewriting *step, uint32_t size) {
    check(c, c->number <= N_PAGES);
    step->page = take_zeroed(arena, 2 * (N_PAGES + 2)); /* for code points, and for bytes of broken UTF-8 */
    return take_zeroed(arena, size * (c->number + 1));
}

/* The place of a code point in the pages. Its page is allocated if it has none. */
static uint32_t own_cell(step_reader *c, wwho_rewriting *step, uint32_t code_point) {
    uint16_t *page = &step->page[code_point >> 7];
    if (!*page && c->n_pages < c->number) *page = (uint16_t)++c->n_pages;
    check(c, *page);
    return 128u * *page + (code_point & 127);
}

/* The rewrite of a code point. It is allocated if the code point has none. */
static wwho_rewrite *own_rewrite(step_reader *c, wwho_rewriting *step, uint32_t code_point) {
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

/* Whether the tables may be filled. If only their size is being computed, there is nothing more to read in this step. */
static bool has_room(step_reader *c, const wwho_arena *arena) {
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
    step->tails = take_zeroed(arena, PLAIN / 8);
    take_texts(arena, &texts);
    take_trie(arena, &made, c->n, c->size);
    if (!has_room(c, arena)) return;
    *step->trie = made;
    check(c, !read_texts(&texts, 0, c->n, &c->in, true) && texts.offset[c->n] == c->more);
    for (uint32_t i = 0; c->in.at && i < c->n; i++)
        check(c, well_formed(texts.texts + texts.offset[i], texts.offset[i + 1] - texts.offset[i]));
    if (!c->in.at) return;
    build_trie(step->trie, texts.texts, texts.offset, c->n, c->n);
    for (uint32_t i = 0, width, code_point; i < c->n; i++)
        for (uint32_t at = texts.offset[i], end = texts.offset[i + 1]; at < end; at += width) {
            width = utf8_next(texts.texts + at, end - at, &code_point);
            if (at > texts.offset[i] && code_point < PLAIN) step->tails[code_point >> 3] |= (uint8_t)(1u << (code_point & 7));
        }
    read_contents(c, step);
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
    n->plain = take(arena, 2 * sizeof *n->plain);
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
