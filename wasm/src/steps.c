/* How the sections STEPS and NORMALIZER are read from a file (FORMAT.md), and the tables of steps filled. */
#include "steps.h"

#include "blocks.h"
#include "cut.h"
#include "passes.h"
#include "vocabulary.h"

enum { STEP_HEAD = 24, MAX_STRIPPED = 64, MAX_STEPS = 255 };

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

/* Note a failure (c->in.at becomes null) if `right` is false. */
static void check(step_reader *c, bool right) {
    if (!right) c->in.at = 0;
}

/* Return the code point, or 0 with a failure noted if it is a surrogate or beyond Unicode. In a replacement, MATCH is valid, too. */
static uint32_t valid(step_reader *c, uint32_t code_point) {
    bool surrogate = code_point >> 11 == 0xD800 >> 11, match = c->kind == STEP_REPLACE && code_point == MATCH;
    check(c, code_point < 0x110000 && (!surrogate || match));
    return c->in.at ? code_point : 0;
}

/* Read the next of ascending code points, each stored as the difference from the one before (`last`), less one; for the first, `last` is
 * WWHO_NONE. Returns 0 with a failure noted if it is invalid. */
static uint32_t next_code_point(step_reader *c, uint32_t last) { return valid(c, last + 1 + next_number(&c->in)); }

/* Read a code point stored as the zigzag-coded difference from `other`. Returns 0 with a failure noted if it is invalid. */
static uint32_t near_code_point(step_reader *c, uint32_t other) { return valid(c, other + unzigzag(next_number(&c->in))); }

/* Read the next n targets into step->targets, each stored as the difference from the one before, the first from `last`. Returns the last
 * one. More than MAX_TARGETS, or than the head has left, are a failure. */
static uint32_t read_targets(step_reader *c, wwho_step *step, uint32_t n, uint32_t last) {
    check(c, n <= MAX_TARGETS && n <= c->n_targets - c->used);
    while (c->in.at && n--) step->targets[c->used++] = last = near_code_point(c, last);
    return last;
}

/* Take memory for the pages of a step, of `size` bytes each: as many as its head says, and page 0; and for step->page, which maps code
 * points to pages. Returns the pages, zeroed, or null if there is no memory. Too many pages are a failure, after which memory is taken all
 * the same. */
static void *take_pages(step_reader *c, wwho_arena *arena, wwho_step *step, uint32_t size) {
    check(c, c->number <= N_PAGES);
    step->page = take_zeroed(arena, 2 * (N_PAGES + 2)); /* for code points, and for bytes of broken UTF-8 */
    return take_zeroed(arena, size * (c->number + 1));
}

/* Return the place of a code point in the pages. Its page gets the next number if it has none yet; no number left is a failure. */
static uint32_t own_cell(step_reader *c, wwho_step *step, uint32_t code_point) {
    uint16_t *page = &step->page[code_point >> 7];
    if (!*page && c->n_pages < c->number) *page = (uint16_t)++c->n_pages;
    check(c, *page);
    return 128u * *page + (code_point & 127);
}

/* Return the rewrite of a code point in step->rewrites, to be filled in. If the code point has none, the next one is assigned, which keeps
 * the character at first. */
static wwho_rewrite *own_rewrite(step_reader *c, wwho_step *step, uint32_t code_point) {
    uint16_t *cell = &step->pages[own_cell(c, step, code_point)];
    if (c->in.at && !*cell) {
        *cell = (uint16_t)++c->n_rewrites;
        step->rewrites[*cell].n = KEPT;
    }
    return &step->rewrites[*cell];
}

/* Read the three columns of a map into its tables: mapped characters with their targets, combining marks with their classes, and pairs that
 * compose. All ascend; no character may become itself or be both mapped and composed, and all targets and pages of the head must be used.
 * Anything else is a failure. */
static void fill_map(step_reader *c, wwho_step *step) {
    uint32_t last = WWHO_NONE;
    step->rewrites[0].n = KEPT;
    for (uint32_t i = 0; i < c->n; i++) {
        last = next_code_point(c, last);
        uint32_t n = next_number(&c->in);
        wwho_rewrite *rewrite = own_rewrite(c, step, last);
        rewrite->at = c->used;
        rewrite->n = (uint8_t)n;
        step->vanishes |= !n;
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
        uint32_t first = valid(c, before.first + next_number(&c->in)), second = near_code_point(c, before.second);
        wwho_composition pair = {first, second, near_code_point(c, first)};
        own_rewrite(c, step, second)->second = true;
        wwho_rewrite *rewrite = own_rewrite(c, step, pair.composed);
        check(c, rewrite->n == KEPT);
        check(c, !i || first > before.first || (first == before.first && second > before.second));
        rewrite->at = i;
        rewrite->n = PAIRED;
        before = step->compositions[i] = pair;
    }
    check(c, c->n_pages == c->number && c->used == c->n_targets);
}

/* Return true if memory was given and nothing failed, so that tables may be filled. If only their size is being computed, the rest of the
 * step counts as read. */
static bool has_room(step_reader *c, const wwho_arena *arena) {
    bool room = arena->used <= arena->size;
    if (c->in.at && !room) c->in.at = c->in.end;
    return c->in.at && room;
}

/* Check the head of a map of characters (STEP_MAP), take memory, fill its tables, and check that no pairs compose in a cycle. Without
 * memory, the columns are not read. Errors are noted in *c. */
static void build_map(step_reader *c, wwho_arena *arena, wwho_step *step) {
    uint64_t n_rewrites = (uint64_t)c->n + c->more + 2 * (uint64_t)c->others;
    check(c, step->flags <= (HANGUL_APART | HANGUL_TOGETHER) && n_rewrites <= c->size && n_rewrites <= 0xFFFF);
    if (!c->in.at) return;
    step->pages = take_pages(c, arena, step, 256);
    step->rewrites = take_zeroed(arena, ((uint32_t)n_rewrites + 1) * sizeof *step->rewrites);
    step->compositions = take(arena, c->others * sizeof *step->compositions);
    step->n_compositions = c->others;
    step->n_ordered = c->more;
    if (!has_room(c, arena)) return;
    fill_map(c, step);
    uint32_t parts[2 * MAX_TARGETS], *end = parts + 2 * MAX_TARGETS;
    for (uint32_t i = 0; c->in.at && i < c->others; i++)
        check(c, end - take_apart(step, step->compositions[i].composed, end) <= MAX_TARGETS);
}

/* Read the texts that n rules write, into step->rewrites and step->targets. For REPLACE, each rule has a number: 0 if the rule keeps its
 * match, else 1 + 2 * length + (1 if the source is the text after the match). For RULES, each has a length. Sets the step's flag if any
 * source is after the match; too many targets are a failure. */
static void read_contents(step_reader *c, wwho_step *step) {
    bool replace = step->kind == STEP_REPLACE;
    for (uint32_t i = 0, last = 0; i < c->n; i++) {
        uint32_t number = next_number(&c->in), length = replace && number ? (number - 1) / 2 : number;
        uint32_t from = c->used;
        step->rewrites[i] = (wwho_rewrite){c->used, replace && !number ? KEPT : (uint8_t)length, 0, number && !(number & 1)};
        step->flags |= step->rewrites[i].second; /* the text after a match matters; RULES does not use this flag */
        last = read_targets(c, step, length, last);
        uint32_t matches = 0;
        while (from < c->used) matches += step->targets[from++] == MATCH;
        check(c, !step->of_nothing || !i || matches == 1);
    }
    check(c, c->used == c->n_targets);
}

/* Read the targets of a step ENDS: the ascending characters to strip, then the prefix, then the suffix. */
static void build_ends(step_reader *c, wwho_step *step) {
    for (uint32_t last = WWHO_NONE; c->used < c->n;) step->targets[c->used++] = last = next_code_point(c, last);
    read_targets(c, step, c->others, read_targets(c, step, c->more, 0));
}

/* Read the texts of the rules of a step RULES, build their trie, note which characters occur in a rule after its first one, and read what
 * the rules write. */
static void build_rules(step_reader *c, wwho_arena *arena, wwho_step *step) {
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

/* Read the characters of a step BLOCKS into its tables, as runs of characters with adjacent pairs of block and index. Each run stores
 * twice its length less one, plus 1 if the places before it up to the next block are empty. Then comes its first character, as the
 * difference from the end of the run before. */
static void build_blocks(step_reader *c, wwho_arena *arena, wwho_step *step) {
    uint32_t n_blocks = step->n_blocks = c->more >> 16, n_indices = step->n_indices = (uint16_t)c->more, place = 0, code_point = 0;
    check(c, step->flags < 2 && !(c->n_targets | c->others) && n_indices && n_blocks + n_indices + 256u * step->flags <= MAX_BLOCK_SYMBOLS);
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
            check(c, place < n_blocks * n_indices && !*symbols);
            if (!c->in.at) return;
            step->character[place] = code_point + 1;
            *symbols = symbol_bytes(n_indices + place / n_indices) | symbol_bytes(place % n_indices) << 16;
        }
    }
    check(c, n_blocks && (place + n_indices - 1) / n_indices == n_blocks && c->n_pages == c->number);
}

/* Check a cut (STEP_CUT), and point step->actions at its actions in the file, one byte for each rule of its automaton. step->most becomes
 * the highest of them, or 255 if the automaton looks behind. Invalid actions are a failure. */
static void build_cut(step_reader *c, wwho_step *step) {
    bool counts = false;
    step->actions = c->in.at;
    step->most = step->automaton && step->automaton->stored.flags ? 255 : 0;
    check(c, c->n == c->size && !(c->more | c->others | c->n_targets) && step->flags <= CUT_FLAGS);
    for (uint32_t i = 0; c->in.at && i < c->n; i++) {
        uint8_t action = step->actions[i];
        check(c, action % ACTION_BACK < N_ACTIONS && action != ACTION_COUNT);
        counts |= action % ACTION_BACK == ACTION_COUNT;
        if (action > step->most) step->most = action;
    }
    check(c, counts || !step->flags);
    if (c->in.at) c->in.at = c->in.end;
}

/* Read the step at p into *step and fill its tables, with memory from the arena. `automata` may be null while only sizes are computed.
 * Returns where the step ends, at `end` at most, or null if it is invalid. */
static const uint8_t *build_step(const uint8_t *p, const uint8_t *end, wwho_arena *arena, const wwho_automaton *automata,
                                 uint32_t n_automata, wwho_step *step) {
    if (end - p < STEP_HEAD) return 0;
    step_reader c = {.in = {p + STEP_HEAD, end}};
    copy_bytes(&c, p, STEP_HEAD);
    if (c.size > (size_t)(end - c.in.at) || c.n > c.size || c.n_targets > c.size) return 0;
    c.in.end = c.in.at + c.size;
    *step = (wwho_step){.stored = p,
                        .stored_size = STEP_HEAD + c.size,
                        .kind = c.kind,
                        .flags = c.flags,
                        .n = c.n,
                        .n_prefix = c.more,
                        .n_suffix = c.others};
    step->targets = take(arena, 4 * (uint64_t)c.n_targets);
    bool cuts = step->kind == STEP_CUT, replaces = step->kind == STEP_REPLACE, none = c.number == NO_AUTOMATON && step->kind == STEP_RULES;
    if (step->kind == STEP_MAP)
        build_map(&c, arena, step);
    else if (step->kind == STEP_ENDS) {
        bool prefix = !(step->flags & (ENDS_UNLESS | ENDS_FIRST)) || c.more, strip = !c.n == !(step->flags & (ENDS_LEFT | ENDS_RIGHT));
        check(&c, step->flags <= 15 && !c.number && prefix && strip && c.n <= MAX_STRIPPED && c.more <= MAX_TARGETS);
        check(&c, c.others <= MAX_TARGETS && c.n_targets && c.n_targets == c.n + c.more + c.others);
        if (has_room(&c, arena)) build_ends(&c, step);
    } else if (step->kind == STEP_SPELL) {
        check(&c, !(step->flags | c.number | c.n | c.more | c.others | c.n_targets | c.size));
    } else if (step->kind == STEP_BLOCKS) {
        build_blocks(&c, arena, step);
    } else {
        step->of_nothing = replaces && step->flags;
        check(&c, step->kind && step->kind <= STEP_CUT && (cuts || step->flags <= replaces) && !c.others && (!replaces || !c.more));
        check(&c, none || c.number < n_automata);
        if (!cuts) step->rewrites = take(arena, (uint64_t)c.n * sizeof *step->rewrites);
        if (c.in.at && automata && !none) step->automaton = &automata[c.number];
        check(&c, step->kind == STEP_RULES || !step->automaton || step->automaton->stored.n_rules == c.n);
        if (cuts)
            build_cut(&c, step);
        else if (!replaces)
            build_rules(&c, arena, step);
        else if (has_room(&c, arena))
            read_contents(&c, step);
    }
    return c.in.at == c.in.end ? c.in.at : 0;
}

/* Return true if no two of n steps have the same bytes in the file, and at most one is a step BLOCKS. */
static bool all_steps_differ(const wwho_step *steps, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++) {
            const wwho_step *a = &steps[i], *b = &steps[k];
            if (a->kind == STEP_BLOCKS && b->kind == STEP_BLOCKS) return false;
            if (a->stored_size == b->stored_size && same_text(a->stored, b->stored, a->stored_size)) return false;
        }
    return true;
}

/* Read the STEPS section into model->steps, after the heads of the automata, and fill the tables of the steps. Without memory in the
 * arena, only its size is computed. Returns WWHO_OK or WWHO_STEPS. */
WWHO_LOCAL int plan_steps(wwho_model *model, wwho_arena *arena) {
    wwho_section s = model->file.section[WWHO_SECTION_STEPS];
    uint32_t n = s.length < 2 ? WWHO_NONE : read16(s.at);
    if (n > MAX_STEPS || n > s.length / STEP_HEAD) return WWHO_STEPS;
    const uint8_t *at = s.at + 2, *end = s.at + s.length;
    wwho_step *steps = take(arena, n * sizeof *steps), one;
    model->steps = steps;
    model->n_steps = n;
    for (uint32_t i = 0; at && i < n; i++) at = build_step(at, end, arena, model->automata, model->n_automata, steps ? &steps[i] : &one);
    return at == end && (!steps || all_steps_differ(steps, n)) ? WWHO_OK : WWHO_STEPS;
}

/* Return true if a list of steps composes twice, or replaces empty matches. What the first map composes may become a combining mark in
 * between, which the second one composes with the character before: then no character tells alone where the piece may be cut. */
static bool is_tangled(const wwho_rewrites *list) {
    bool joins = false;
    for (uint32_t i = 0; i < list->n; i++) {
        const wwho_step *step = list->steps[i];
        if (joins && step->kind == STEP_MAP && composes(step)) return true;
        joins |= step->kind == STEP_MAP && composes(step);
        if (step->of_nothing) return true;
    }
    return false;
}

/* Return the step whose number, of two bytes, stands at p; null if there is none. Counts in model->n_named how many steps were named so
 * far; it becomes WWHO_NONE, for good, when a step is named before one of a lower number. */
WWHO_LOCAL const wwho_step *name_step(wwho_model *model, const uint8_t *p) {
    uint32_t number = read16(p);
    if (number >= model->n_steps) return 0;
    if (number > model->n_named) model->n_named = WWHO_NONE; /* no number is the next one any more */
    model->n_named += number == model->n_named;
    return &model->steps[number];
}

/* Append a step to a list that has room for it. */
WWHO_LOCAL void add_rewrite(wwho_rewrites *list, const wwho_step *step) { list->steps[list->n++] = step; }

/* Check the head of the NORMALIZER section, if there is one, and take memory for its two lists, and for the plain table of each list that
 * has steps. Sets model->n_normalizer. Returns WWHO_OK or WWHO_NORMALIZER. */
WWHO_LOCAL int plan_normalizer(wwho_model *model, wwho_arena *arena) {
    wwho_section s = model->file.section[WWHO_SECTION_NORMALIZER];
    if (!s.at) return WWHO_OK;
    uint32_t counts[2] = {s.length < 4 ? 0 : s.at[0], s.length < 4 ? 0 : s.at[1]};
    if (counts[0] > WWHO_MAX_STEPS || counts[1] > WWHO_MAX_STEPS || !(counts[0] | counts[1])) return WWHO_NORMALIZER;
    if (read16(s.at + 2) || s.length != 4 + 2 * (counts[0] + counts[1])) return WWHO_NORMALIZER;
    for (uint32_t k = 0; k < 2; k++) {
        wwho_rewrites *list = &model->normalizer[k];
        list->number = k;
        model->n_normalizer += counts[k];
        list->steps = take(arena, counts[k] * sizeof *list->steps);
        if (counts[k]) list->plain = take(arena, sizeof *list->plain);
    }
    return WWHO_OK;
}

/* Fill the two lists of the normalizer with the steps that its section names, after the routes, which name steps first. Drops the plain
 * table of a tangled list. Returns WWHO_NORMALIZER if a step is invalid or cuts, WWHO_STEPS if some step of the model is named nowhere. */
WWHO_LOCAL int build_normalizer(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_NORMALIZER];
    const uint8_t *numbers = s.at ? s.at + 4 : 0;
    for (uint32_t k = 0; s.at && k < 2; numbers += 2 * s.at[k++]) {
        wwho_rewrites *list = &model->normalizer[k];
        for (uint32_t i = 0; i < s.at[k]; i++) {
            const wwho_step *step = name_step(model, numbers + 2 * i);
            if (!step || step->kind >= STEP_CUT) return WWHO_NORMALIZER;
            add_rewrite(list, step);
        }
        list->tangled = is_tangled(list);
        if (list->tangled) list->plain = 0;
    }
    return model->n_named == model->n_steps ? WWHO_OK : WWHO_STEPS;
}
