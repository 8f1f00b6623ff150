/* See normalize.h. */
#include "normalize.h"

#include "model.h"
#include "trie.h"

enum { STEP_HEAD = 24, KEPT = 255, PAIRED = 254, MAX_TARGETS = 32, MAX_STRIPPED = 64, MAX_CLUSTER = 6 };
enum { STEP_MAP = 1, STEP_REPLACE, STEP_ENDS, STEP_RULES };
enum { HANGUL_APART = 1, HANGUL_TOGETHER = 2 };
enum { ENDS_LEFT = 1, ENDS_RIGHT = 2, ENDS_UNLESS = 4, ENDS_FIRST = 8 };
enum { SYLLABLES = 0xAC00, N_SYLLABLES = 11172, LEADS = 0x1100, VOWELS = 0x1161, TAILS = 0x11A7, N_LEADS = 19, N_VOWELS = 21, N_TAILS = 28 };

/* A character on its way through the steps. */
typedef struct {
    uint32_t code_point; /* or 0x110000 + a byte of broken UTF-8 */
    uint32_t source;     /* where the character of the text begins that it came from */
    uint32_t origin;     /* where to begin in the text so that the steps give this character, and what follows it; WWHO_NONE: nowhere */
    int32_t change;      /* how many characters of the step before it stands for, less one; 1: one more than there were */
    uint32_t order;
} passing;

/* Opening */

/* Columns of numbers that a section is read from; `at` is null once one was not there. */
/* The next of ascending code points, which are differences, less one but for the first (`last` is WWHO_NONE). */
static uint32_t next_code_point(number_columns *c, uint32_t last) {
    uint32_t code_point = last + 1 + next_number(c);
    if (code_point >= 0x110000 || code_point >> 11 == 0xD800 >> 11) c->at = 0;
    return c->at ? code_point : 0;
}

/* A code point as a difference from another one. */
static uint32_t near_code_point(number_columns *c, uint32_t other) {
    uint32_t code_point = other + unzigzag(next_number(c));
    if (code_point >= 0x110000 || code_point >> 11 == 0xD800 >> 11) c->at = 0;
    return c->at ? code_point : 0;
}

/* The page of a code point, which gets one of its own if it has none; at most `most` are there. */
static uint32_t own_page(uint16_t *page, uint32_t *n, uint32_t most, uint32_t code_point) {
    uint16_t *own = &page[code_point >> 7];
    if (!*own && *n < most) *own = (uint16_t)++*n;
    return *own;
}

/* The tables of a step while they are filled in. */
typedef struct {
    uint32_t n_pages, n_mapped, n_ordered, n_pairs, n_targets;
    uint16_t *page, *pages;
    wwho_rewrite *rewrites;
    uint32_t *targets;
    wwho_composition *pairs;
} rewriting_tables;

/* The rewrite of a code point, which gets one of its own if it has none; null where the head of the step counts too few. */
static wwho_rewrite *own_rewrite(rewriting_tables *t, uint32_t *n_pages, uint32_t *n_rewrites, uint32_t code_point) {
    uint32_t page = own_page(t->page, n_pages, t->n_pages, code_point);
    if (!page) return 0;
    uint16_t *cell = &t->pages[128 * page + (code_point & 127)];
    if (!*cell) {
        *cell = (uint16_t)++*n_rewrites;
        t->rewrites[*cell] = (wwho_rewrite){0, KEPT, 0, false};
    }
    return &t->rewrites[*cell];
}

static bool fill_step(number_columns *c, rewriting_tables *t) {
    uint32_t n_pages = 0, n_rewrites = 0, n_targets = 0, code_point = WWHO_NONE;
    t->rewrites[0] = (wwho_rewrite){0, KEPT, 0, false};
    for (uint32_t i = 0; i < t->n_mapped; i++) {
        code_point = next_code_point(c, code_point);
        uint32_t n = next_number(c), last = code_point;
        wwho_rewrite *rewrite = c->at ? own_rewrite(t, &n_pages, &n_rewrites, code_point) : 0;
        if (!rewrite || n > MAX_TARGETS || n > t->n_targets - n_targets) return false;
        rewrite->at = n_targets;
        rewrite->n = (uint8_t)n;
        while (n--) last = t->targets[n_targets++] = near_code_point(c, last);
        if (!c->at || (rewrite->n == 1 && last == code_point)) return false;
    }
    code_point = WWHO_NONE;
    for (uint32_t i = 0; i < t->n_ordered; i++) {
        code_point = next_code_point(c, code_point);
        uint32_t order = next_number(c);
        wwho_rewrite *rewrite = c->at ? own_rewrite(t, &n_pages, &n_rewrites, code_point) : 0;
        if (!rewrite || order < 1 || order > 254) return false;
        rewrite->order = (uint8_t)order;
    }
    wwho_composition last = {0, 0, 0};
    for (uint32_t i = 0; i < t->n_pairs; i++) {
        uint32_t first = last.first + next_number(c), second = near_code_point(c, last.second);
        wwho_composition pair = {first, second, near_code_point(c, first)};
        wwho_rewrite *rewrite = c->at ? own_rewrite(t, &n_pages, &n_rewrites, second) : 0;
        if (!rewrite || first >= 0x110000) return false;
        rewrite->second = true;
        rewrite = own_rewrite(t, &n_pages, &n_rewrites, pair.composed);
        if (!rewrite || rewrite->n != KEPT) return false;
        rewrite->at = i;
        rewrite->n = PAIRED;
        if (i && (first < last.first || (first == last.first && second <= last.second))) return false;
        last = t->pairs[i] = pair;
    }
    return n_pages == t->n_pages && n_targets == t->n_targets;
}

static const wwho_rewrite *rewrite_of(const wwho_rewriting *step, uint32_t code_point) {
    uint32_t page = code_point < 0x110000 ? step->page[code_point >> 7] : 0;
    return &step->rewrites[step->pages[128 * page + (code_point & 127)]];
}

/* A character taken apart as far as pairs do it: the first of what is left; the others, last one first, go to `ends`, and how many
 * there are to *n. */
static uint32_t undo_pairs(const wwho_rewriting *step, uint32_t code_point, uint32_t ends[MAX_TARGETS], uint32_t *n) {
    const wwho_rewrite *r = rewrite_of(step, code_point);
    for (*n = 0; r->n == PAIRED && *n < MAX_TARGETS; r = rewrite_of(step, code_point)) {
        ends[(*n)++] = step->compositions[r->at].second;
        code_point = step->compositions[r->at].first;
    }
    return code_point;
}

static bool joins_hangul(const wwho_rewriting *step, uint32_t code_point) {
    return step->flags & HANGUL_TOGETHER && (code_point - VOWELS < N_VOWELS || (code_point > TAILS && code_point - TAILS < N_TAILS));
}

/* The head of a step: sizes of what is in its columns. */
typedef struct {
    uint32_t n, more, others, n_targets, columns;
} step_sizes;

/* A map of characters: its tables, and its checks. */
static bool build_map(number_columns *c, wwho_arena *arena, wwho_rewriting *step, uint32_t n_pages, const step_sizes *n) {
    rewriting_tables t = {n_pages, n->n, n->more, n->others, n->n_targets, 0, 0, 0, (uint32_t *)step->targets, 0};
    uint64_t n_rewrites = (uint64_t)n->n + n->more + 2 * (uint64_t)n->others;
    if (step->flags > (HANGUL_APART | HANGUL_TOGETHER) || n_pages > N_PAGES || n_rewrites > n->columns || n_rewrites > 0xFFFF) return false;
    step->page = t.page = take_zeroed(arena, 2 * N_PAGES);
    step->pages = t.pages = take_zeroed(arena, 256 * ((uint64_t)n_pages + 1));
    step->rewrites = t.rewrites = take(arena, (n_rewrites + 1) * sizeof *t.rewrites);
    step->compositions = t.pairs = take(arena, (uint64_t)n->others * sizeof *t.pairs);
    step->n_compositions = n->others;
    if (arena->used > arena->size) {
        c->at = c->end;
        return true;
    }
    if (!fill_step(c, &t)) return false;
    uint32_t ends[MAX_TARGETS], n_ends;
    for (uint32_t i = 0; i < n->others; i++) {
        const wwho_rewrite *first = rewrite_of(step, undo_pairs(step, t.pairs[i].composed, ends, &n_ends));
        if (first->n == PAIRED || (first->n != KEPT ? first->n : 1u) + n_ends > MAX_TARGETS) return false; /* pairs go in a circle */
    }
    return true;
}

/* Contents of n rules: of REPLACE a number each that is 0 for one that keeps, else 1 + 2 * length + (1 for `after`); of RULES the length. */
static bool read_contents(number_columns *c, wwho_rewriting *step, const step_sizes *n) {
    uint32_t used = 0, last = 0;
    for (uint32_t i = 0; i < n->n; i++) {
        uint32_t number = next_number(c), length = step->kind == STEP_RULES ? number : number ? (number - 1) / 2 : 0;
        bool kept = step->kind == STEP_REPLACE && !number;
        if (!c->at || length > MAX_TARGETS || length > n->n_targets - used) return false;
        ((wwho_rewrite *)step->rewrites)[i] = (wwho_rewrite){used, kept ? KEPT : (uint8_t)length, 0, number && !(number & 1)};
        while (length--) last = ((uint32_t *)step->targets)[used++] = near_code_point(c, last);
    }
    return c->at && used == n->n_targets;
}

static bool build_ends(number_columns *c, wwho_rewriting *step, const step_sizes *n) {
    uint32_t *out = (uint32_t *)step->targets, last = WWHO_NONE;
    for (uint32_t i = 0; i < n->n; i++) last = *out++ = next_code_point(c, last);
    last = 0;
    for (uint32_t i = 0; i < n->more + n->others; i++) last = *out++ = near_code_point(c, last);
    return c->at;
}

/* The texts of RULES, and the trie of them. */
static bool build_rules(number_columns *c, wwho_arena *arena, wwho_rewriting *step, const step_sizes *n) {
    wwho_vocabulary texts = {.n_tokens = n->n, .n_symbols = n->n, .text_bytes = n->more};
    wwho_trie *trie = take(arena, sizeof *trie), made;
    if (!n->n || n->n > n->columns || n->n >= WWHO_MAX_IDS || n->more / WWHO_MAX_TOKEN > n->n) return false;
    take_texts(arena, &texts);
    take_trie(arena, &made, n->columns);
    step->trie = trie;
    if (arena->used > arena->size) {
        c->at = c->end;
        return true;
    }
    *trie = made;
    if (read_texts(&texts, 0, n->n, c) || texts.offset[n->n] != n->more) return false;
    for (uint32_t i = 0; i < n->n; i++)
        if (!well_formed(texts.texts + texts.offset[i], texts.offset[i + 1] - texts.offset[i])) return false;
    build_trie(trie, texts.texts, texts.offset, n->n, n->n);
    return read_contents(c, step, n);
}

static bool build_step(number_columns *c, wwho_arena *arena, const wwho_automaton *automata, uint32_t n_automata, wwho_rewriting *step) {
    const uint8_t *p = c->at;
    if (c->end - p < STEP_HEAD) return false;
    step_sizes n = {read32(p + 4), read32(p + 8), read32(p + 12), read32(p + 16), read32(p + 20)};
    uint32_t number = read16(p + 2);
    c->at += STEP_HEAD;
    if (n.columns > (size_t)(c->end - c->at) || n.n > n.columns || n.n_targets > n.columns) return false;
    number_columns own = {c->at, c->at + n.columns};
    c->at += n.columns;
    *step = (wwho_rewriting){.kind = p[0], .flags = p[1], .n = n.n, .n_prefix = n.more, .n_suffix = n.others};
    step->targets = take(arena, 4 * (uint64_t)n.n_targets);
    if (step->kind == STEP_MAP) return build_map(&own, arena, step, number, &n) && own.at == own.end;
    bool is_done = false, is_ends = step->kind == STEP_ENDS, is_replace = step->kind == STEP_REPLACE;
    if (is_ends) {
        bool prefix = !(step->flags & (ENDS_UNLESS | ENDS_FIRST)) || n.more, strip = !n.n == !(step->flags & (ENDS_LEFT | ENDS_RIGHT));
        if (step->flags > 15 || number || !prefix || !strip || n.n > MAX_STRIPPED || n.more > MAX_TARGETS) return false;
        if (n.others > MAX_TARGETS || !n.n_targets || n.n_targets != n.n + n.more + n.others) return false;
    } else {
        step->rewrites = take(arena, (uint64_t)n.n * sizeof *step->rewrites);
        bool none = number == NO_AUTOMATON && !is_replace;
        if (step->flags || n.others || (is_replace && n.more) || (!none && number >= n_automata)) return false;
        if (automata && !none) step->automaton = &automata[number];
        if (step->automaton && is_replace && step->automaton->stored.n_rules != n.n) return false;
    }
    if (step->kind == STEP_RULES) return build_rules(&own, arena, step, &n) && own.at == own.end;
    if (step->kind > STEP_RULES || !step->kind) return false;
    if (arena->used > arena->size) return true;
    is_done = is_ends ? build_ends(&own, step, &n) : read_contents(&own, step, &n);
    return is_done && own.at == own.end;
}

WWHO_LOCAL int build_normalizer(wwho_section s, wwho_arena *arena, const wwho_automaton *automata, uint32_t n_automata, wwho_normalizer *n) {
    if (s.length < 4) return WWHO_NORMALIZER;
    number_columns c = {s.at + 4, s.at + s.length};
    n->n_steps = read16(s.at);
    n->n_late = read16(s.at + 2);
    if (n->n_steps < 1 || n->n_steps > WWHO_MAX_STEPS || n->n_late > n->n_steps) return WWHO_NORMALIZER;
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (!build_step(&c, arena, automata, n_automata, &n->steps[i])) return WWHO_NORMALIZER;
    return c.at == c.end ? WWHO_OK : WWHO_NORMALIZER;
}

/* Running */

/* The character at a place, which is not the end; a byte of broken UTF-8 is one that no step knows. */
static uint32_t character_at(const wwho_normalizing *it, size_t at, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(it->text + at, it->end - at, &code_point);
    return *width == 1 && code_point == REPLACEMENT ? 0x110000u + it->text[at] : code_point;
}

/* Whether each step leaves a character as it is, and whatever is before it. */
static bool is_quiet(const wwho_normalizing *it, uint32_t code_point) {
    for (uint32_t i = 0; i < it->n_steps; i++) {
        const wwho_rewriting *step = &it->steps[i];
        if (step->kind != STEP_MAP) return false;
        if (rewrite_of(step, code_point) != step->rewrites || joins_hangul(step, code_point)) return false;
        if (step->flags == HANGUL_APART && code_point - SYLLABLES < N_SYLLABLES) return false;
    }
    return true;
}

/* Characters of a run: three columns of the same room, used in turn. */
typedef struct {
    passing *now, *next, *spare;
    size_t n, room, made; /* in `now`; in each; in `next` */
    const wwho_classes *classes;
    bool fresh, whole, first; /* it begins a part; it ends one; it begins the source, */
    uint32_t begin;           /* at this place */
} character_run;

static bool push_passing(character_run *run, passing p) {
    if (run->made == run->room) return false;
    run->next[run->made++] = p;
    return true;
}

/* A character that a map makes of character i, the first one or not. */
static bool push_mapped(character_run *run, const wwho_rewriting *step, size_t i, uint32_t code_point, bool first) {
    const wwho_rewrite *r = rewrite_of(step, code_point);
    bool begins = first && !r->order && !r->second && !joins_hangul(step, code_point);
    return push_passing(run, (passing){code_point, 0, begins ? run->now[i].origin : WWHO_NONE, !first, r->order});
}

/* Take the characters apart by the step's map, from `now` to `next`. A character that vanishes is counted with the one before it. */
static bool take_apart(character_run *run, const wwho_rewriting *step, size_t *vanished) {
    for (size_t i = 0; i < run->n; i++) {
        uint32_t code_point = run->now[i].code_point, syllable = code_point - SYLLABLES, ends[MAX_TARGETS], n_ends, n = 0;
        uint32_t left = undo_pairs(step, code_point, ends, &n_ends);
        const wwho_rewrite *r = rewrite_of(step, left);
        bool fits = true;
        if (step->flags & HANGUL_APART && syllable < N_SYLLABLES) {
            uint32_t tail = syllable % N_TAILS;
            fits = push_mapped(run, step, i, LEADS + syllable / N_TAILS / N_VOWELS, true) &&
                   push_mapped(run, step, i, VOWELS + syllable / N_TAILS % N_VOWELS, false) &&
                   (!tail || push_mapped(run, step, i, TAILS + tail, false));
            n = 1;
        } else if (r->n == KEPT)
            fits = push_mapped(run, step, i, left, !n++);
        else
            for (; fits && n < r->n; n++) fits = push_mapped(run, step, i, step->targets[r->at + n], !n);
        while (fits && n_ends--) fits = push_mapped(run, step, i, ends[n_ends], false);
        if (!fits) return false;
        if (!n && run->made)
            run->next[run->made - 1].change--;
        else
            *vanished += !n;
    }
    return true;
}

/* Put stretches of marks in their order: stable, and in linear time, by counting what there is of each class. */
static void order_marks(character_run *run, size_t n) {
    passing *next = run->next;
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t from[256] = {0};
        bool ordered = true;
        for (end = i; end < n && next[end].order; end++) {
            from[next[end].order + 1]++;
            ordered &= end == i || next[end - 1].order <= next[end].order;
        }
        if (end == i) end++;
        if (ordered) continue;
        for (uint32_t k = 1; k < 256; k++) from[k] += from[k - 1];
        for (size_t k = i; k < end; k++) run->spare[from[next[k].order]++] = next[k];
        copy_bytes(next + i, run->spare, (end - i) * sizeof *next);
    }
}

/* What two characters compose to, or WWHO_NONE. */
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

/* Compose each starter with the marks behind it, where nothing stands between that blocks them; how many are left. */
static size_t put_together(character_run *run, const wwho_rewriting *step, size_t n) {
    passing *next = run->next;
    size_t kept = 0, starter = n; /* n: there is none yet */
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

/* Where each character came from: they take those of the step before one after the other, and a new one that of its neighbour. */
static void find_sources(character_run *run, size_t n, size_t at) {
    for (size_t i = 0; i < n; i++) {
        passing *here = &run->next[i];
        if (here->change > 0)
            here->source = run->now[at ? at - 1 : 0].source;
        else {
            here->source = run->now[at].source;
            at += 1 + (size_t)-here->change;
        }
    }
}

static bool pass_map(character_run *run, const wwho_rewriting *step) {
    size_t vanished = 0;
    if (!take_apart(run, step, &vanished)) return false;
    order_marks(run, run->made);
    if (step->n_compositions || step->flags & HANGUL_TOGETHER) run->made = put_together(run, step, run->made);
    find_sources(run, run->made, vanished);
    return true;
}

/* Scan from character `at` on: the match ends before *end. Whether what follows the run may change that. */
static bool scan_run(const character_run *run, const wwho_automaton *automaton, size_t at, size_t *end, uint32_t *rule) {
    for (uint32_t row = WWHO_START * automaton->stride;; at++) {
        uint32_t code_point = at < run->n ? run->now[at].code_point : 0;
        uint32_t class = class_of(run->classes, code_point < 0x110000 ? code_point : REPLACEMENT);
        uint32_t entry = automaton->table[row + (at < run->n ? class : run->classes->n_classes)];
        if (ENTRY_MARK(entry)) {
            *rule = ENTRY_MARK(entry) - 1;
            *end = at;
        }
        row = entry & ENTRY_ROW;
        if (!row) return at == run->n && !run->whole;
    }
}

static bool pass_replace(character_run *run, const wwho_rewriting *step) {
    bool sure = true, fits = true;
    for (size_t at = 0, end; fits && at < run->n; at = end) {
        uint32_t rule;
        uint32_t origin = sure ? run->now[at].origin : WWHO_NONE;
        sure &= !scan_run(run, step->automaton, at, &end, &rule);
        const wwho_rewrite *r = &step->rewrites[rule];
        passing p = run->now[r->second && end < run->n ? end : end - 1];
        uint32_t n = r->n == KEPT ? (uint32_t)(end - at) : r->n;
        for (uint32_t k = 0; fits && k < n; k++) {
            if (r->n == KEPT)
                p = run->now[at + k];
            else
                p.code_point = step->targets[r->at + k];
            p.origin = k ? WWHO_NONE : origin;
            fits = push_passing(run, p);
        }
    }
    return fits;
}

static bool pass_ends(character_run *run, const wwho_rewriting *step) {
    const uint32_t *prefix = step->targets + step->n;
    size_t from = 0, to = run->n;
    bool fits = true;
    passing *now = run->now;
    for (size_t i = 0; i < run->n; i++) { /* until it is needed, `order` says whether a character is of those that are stripped */
        now[i].order = 0;
        for (uint32_t k = 0; k < step->n; k++) now[i].order |= now[i].code_point == step->targets[k];
    }
    while (run->fresh && step->flags & ENDS_LEFT && from < to && now[from].order) from++;
    while (run->whole && step->flags & ENDS_RIGHT && from < to && now[to - 1].order) to--;
    if (from == to) return true;
    bool begun = step->flags & ENDS_UNLESS && now[from].code_point == *prefix;
    bool wanted = run->fresh && !begun && (!(step->flags & ENDS_FIRST) || (run->first && now[from].source == run->begin));
    for (uint32_t k = 0; fits && wanted && k < step->n_prefix; k++)
        fits = push_passing(run, (passing){prefix[k], now[from].source, WWHO_NONE, 0, 0});
    for (size_t i = from; fits && i < to; i++) {
        if (step->flags & ENDS_RIGHT && now[i].order) now[i].origin = WWHO_NONE; /* the end may come, and take it */
        fits = push_passing(run, now[i]);
    }
    for (uint32_t k = 0; fits && run->whole && k < step->n_suffix; k++)
        fits = push_passing(run, (passing){prefix[step->n_prefix + k], now[to - 1].source, WWHO_NONE, 0, 0});
    return fits;
}

/* The bytes of a character of a run. */
static uint32_t encode_utf8(uint32_t c, uint8_t *out) {
    if (c < 0x80 || c >= 0x110000) {
        out[0] = (uint8_t)c;
        return 1;
    }
    uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = n; --i; c >>= 6) out[i] = (uint8_t)(0x80 | (c & 63));
    out[0] = (uint8_t)(0xF00u >> n | c);
    return n;
}

/* The longest rule, or the shortest, of the characters from `at` to `end`, or null; where its text ends goes to *stop. `sure` becomes false
 * where a longer one might follow the run. */
static const wwho_rewrite *find_rule(const character_run *run, const wwho_rewriting *step, size_t at, size_t end, size_t *stop, bool *sure) {
    const wwho_rewrite *found = 0;
    for (uint32_t node = 0; !(found && step->automaton); at++) {
        uint8_t bytes[4];
        if (at == end) {
            *sure &= run->whole || end < run->n || step->automaton;
            break;
        }
        uint32_t n = encode_utf8(run->now[at].code_point, bytes);
        bool on = true;
        for (uint32_t k = 0; on && k < n; k++) on = (node = next_node(step->trie, node, bytes[k])) != 0;
        if (!on) break;
        uint32_t token = token_at(step->trie, node);
        if (token == WWHO_NONE) continue;
        found = &step->rewrites[token];
        *stop = at + 1;
    }
    return found;
}

static bool pass_rules(character_run *run, const wwho_rewriting *step) {
    bool sure = true, fits = true;
    size_t lost = 0;
    for (size_t at = 0, end, cluster = 0; fits && at < run->n; at = end) {
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
        uint32_t n = r ? r->n : 1;
        if (!n && !run->made && run->fresh) lost += end - at; /* tokenizers forgets that they were there */
        for (uint32_t k = 0; fits && k < n; k++) {
            size_t from = step->automaton ? (at + k < end ? at + k : end - 1) - lost : at;
            uint32_t code_point = r ? step->targets[r->at + k] : run->now[at].code_point;
            fits = push_passing(run, (passing){code_point, run->now[from].source, k ? WWHO_NONE : origin, 0, 0});
        }
    }
    return fits;
}

/* Take the run through the steps, and write what is sure: up to its end if it is `complete`, else up to the last origin. False where
 * nothing is. */
static bool normalize_run(wwho_normalizing *it, character_run *run, size_t end, bool complete) {
    static bool (*const pass[])(character_run *, const wwho_rewriting *) = {pass_map, pass_replace, pass_ends, pass_rules};
    for (uint32_t i = 0; i < it->n_steps; i++) {
        run->made = 0;
        if (!pass[it->steps[i].kind - 1](run, &it->steps[i])) {
            it->full = true;
            return false;
        }
        passing *now = run->now;
        run->now = run->next;
        run->next = now;
        run->n = run->made;
    }
    size_t used = it->n, sure = used;
    bool done = false;
    for (size_t i = 0;; i++) {
        bool last = i == run->n;
        uint32_t origin = last ? (uint32_t)end : run->now[i].origin;
        if (last ? complete : i && origin != WWHO_NONE) {
            done = true;
            sure = used;
            it->at = origin;
        }
        if (last) break;
        if (it->room - used < 4) {
            it->full = true;
            break;
        }
        uint32_t width = encode_utf8(run->now[i].code_point, it->out + used);
        for (uint32_t k = 0; k < width; k++) {
            if (it->sources) it->sources[used + k] = run->now[i].source;
            if (it->origins) it->origins[used + k] = k ? WWHO_NONE : origin;
        }
        used += width;
    }
    it->n = sure;
    it->fresh &= !done;
    return done;
}

WWHO_LOCAL bool normalize(wwho_normalizing *it, void *work, size_t work_len) {
    size_t room = work_len / (3 * sizeof(passing)), before = it->n;
    passing *columns = work;
    uint32_t width, code_point = it->at < it->end ? character_at(it, it->at, &width) : 0;
    bool quiet = is_quiet(it, code_point), next = false;
    while (it->at < it->end) {
        character_run run = {columns, columns + room, columns + 2 * room, 0, room, 0, it->classes, it->fresh, false, it->first, (uint32_t)it->at};
        size_t end = it->at;
        bool calm = quiet;
        do {
            run.now[run.n++] = (passing){code_point, (uint32_t)end, (uint32_t)end, 0, 0};
            end += width;
            next = false;
            if (end < it->end) next = is_quiet(it, code_point = character_at(it, end, &width));
            calm &= next;
        } while (end < it->end && !next && run.n < room);
        run.whole = end == it->end && !it->more;
        it->full |= end < it->end && !next;
        bool complete = run.whole || (end < it->end && next);
        if (calm && complete && it->room - it->n >= 4) {
            uint32_t size = (uint32_t)(end - it->at);
            for (uint32_t k = 0; k < size; k++) {
                it->out[it->n + k] = it->text[it->at + k];
                if (it->sources) it->sources[it->n + k] = (uint32_t)it->at;
                if (it->origins) it->origins[it->n + k] = k ? WWHO_NONE : (uint32_t)it->at;
            }
            it->n += size;
            it->at = end;
            it->fresh = false;
        } else {
            bool done = normalize_run(it, &run, end, complete);
            if (!done || it->at < end) return done || it->n > before || !it->full;
        }
        quiet = next;
    }
    return true;
}

WWHO_LOCAL size_t whole_characters(const uint8_t *text, size_t len) {
    for (uint32_t k = 1; k < 4 && k <= len; k++) { /* what may be the beginning of a character */
        uint8_t lead = text[len - k];
        if (lead >= 0xC0) return k < (lead < 0xE0 ? 2u : lead < 0xF0 ? 3u : 4u) ? len - k : len;
    }
    return len;
}

WWHO_LOCAL void start_steps(wwho_normalizing *it, const wwho_normalizer *n, const wwho_classes *classes, bool late) {
    uint32_t early = n->n_steps - n->n_late;
    it->steps = n->steps + (late ? early : 0);
    it->n_steps = late ? n->n_late : early;
    it->classes = classes;
}

int wwho_normalize(const wwho_model *model, const uint8_t *text, size_t len, int more, void *work, size_t work_len, uint8_t *out,
                   uint32_t *sources, size_t cap, size_t *read, size_t *n) {
    bool given = model && (text || !len) && (work || !work_len) && (out || !cap) && read && n;
    if (!given || (uintptr_t)work % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    wwho_normalizing it = {.text = text, .end = more ? whole_characters(text, len) : len, .fresh = true, .first = true, .more = more,
                           .out = out, .sources = sources, .room = cap};
    start_steps(&it, &model->normalizer, &model->classes, false);
    bool done = normalize(&it, work, work_len);
    *read = it.at;
    *n = it.n;
    return done ? WWHO_OK : WWHO_BUFFER;
}
