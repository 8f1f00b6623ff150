/* See normalize.h. */
#include "normalize.h"

#include "model.h"

enum { UTF8_MOST = 4, STEP_HEAD = 24, KEPT = 255, PAIRED = 254, MAX_TARGETS = 32 };
enum { NORMAL_BOUNDARY = 1, NORMAL_SAME = 2 };
enum { HANGUL_APART = 1, HANGUL_TOGETHER = 2 };
enum { SYLLABLES = 0xAC00, N_SYLLABLES = 11172, LEADS = 0x1100, VOWELS = 0x1161, TAILS = 0x11A7, N_LEADS = 19, N_VOWELS = 21, N_TAILS = 28 };

/* A character on its way through the steps. */
typedef struct {
    uint32_t code_point; /* or 0x110000 + a byte of broken UTF-8 */
    uint32_t source;     /* where the character of the text begins that it came from */
    int32_t change;      /* how many characters of the step before it stands for, less one; 1: one more than there were */
    uint32_t order;
} passing;

/* Opening */

/* Columns of numbers that a section is read from; `at` is null once one was not there. */
typedef struct {
    const uint8_t *at, *end;
} number_columns;

static uint32_t next_number(number_columns *c) {
    uint32_t number = 0;
    if (c->at) c->at = read_leb(c->at, c->end, &number);
    return number;
}

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
        if (!rewrite || n > MAX_TARGETS || n > t->n_targets) return false;
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
    return step->hangul_together && (code_point - VOWELS < N_VOWELS || (code_point > TAILS && code_point - TAILS < N_TAILS));
}

static bool build_step(number_columns *c, wwho_arena *arena, wwho_rewriting *step, uint32_t *n_pages) {
    const uint8_t *p = c->at;
    if (!p || c->end - p < STEP_HEAD) return false;
    rewriting_tables t = {read16(p + 2), read32(p + 4), read32(p + 8), read32(p + 12), read32(p + 16), 0, 0, 0, 0, 0};
    uint32_t columns = read32(p + 20);
    c->at += STEP_HEAD;
    if (p[0] != 1 || p[1] > (HANGUL_APART | HANGUL_TOGETHER) || columns > (size_t)(c->end - c->at)) return false;
    uint64_t n_rewrites = (uint64_t)t.n_mapped + t.n_ordered + 2 * (uint64_t)t.n_pairs;
    if (t.n_pages > N_PAGES || n_rewrites > columns || n_rewrites > 0xFFFF || t.n_targets > columns) return false;
    t.page = take_zeroed(arena, 2 * N_PAGES);
    t.pages = take_zeroed(arena, 256 * ((uint64_t)t.n_pages + 1));
    t.rewrites = take(arena, (n_rewrites + 1) * sizeof *t.rewrites);
    t.targets = take(arena, (uint64_t)t.n_targets * sizeof *t.targets);
    t.pairs = take(arena, (uint64_t)t.n_pairs * sizeof *t.pairs);
    number_columns own = {c->at, c->at + columns};
    c->at += columns;
    *n_pages += t.n_pages;
    if (arena->used > arena->size) return true;
    *step = (wwho_rewriting){t.page, t.pages, t.rewrites, t.targets, t.pairs, t.n_pairs, p[1] & HANGUL_APART, p[1] & HANGUL_TOGETHER};
    if (!fill_step(&own, &t) || own.at != own.end) return false;
    uint32_t ends[MAX_TARGETS], n;
    for (uint32_t i = 0; i < t.n_pairs; i++) {
        const wwho_rewrite *first = rewrite_of(step, undo_pairs(step, t.pairs[i].composed, ends, &n));
        if (first->n == PAIRED || (first->n != KEPT ? first->n : 1u) + n > MAX_TARGETS) return false; /* pairs go in a circle */
    }
    return true;
}

/* What the steps from `first` on make of a character: may a text be cut before it, does it stay the same. A step that maps it is
 * asked, and those behind it, of what it is mapped to, by the first code point of that; what vanishes is no place for a cut. */
static uint8_t properties(const wwho_normalizer *n, uint32_t first, uint32_t code_point) {
    bool boundary = true, same = true;
    for (uint32_t i = first; i < n->n_steps; i++) {
        const wwho_rewriting *step = &n->steps[i];
        const wwho_rewrite *r = rewrite_of(step, code_point);
        same &= r->n == KEPT;
        boundary &= r->n != 0;
        if (r->n && r->n != KEPT) {
            uint32_t ends[MAX_TARGETS], n_ends;
            boundary &= !r->order && !r->second;
            code_point = undo_pairs(step, code_point, ends, &n_ends);
            r = rewrite_of(step, code_point);
            boundary &= r->n != 0 && !r->order && !r->second;
            if (r->n && r->n != KEPT) code_point = step->targets[r->at];
            r = rewrite_of(step, code_point);
        }
        boundary &= !r->order && !r->second && !joins_hangul(step, code_point);
    }
    return (uint8_t)((boundary ? NORMAL_BOUNDARY : 0) | (same ? NORMAL_SAME : 0));
}

/* Whether a text may be cut before all that a step composes, as the steps behind it see it: what it is composed of does not tell. */
static bool composes_boundaries(const wwho_normalizer *n, uint32_t step) {
    for (uint32_t i = 0; i < n->steps[step].n_compositions; i++)
        if (!(properties(n, step + 1, n->steps[step].compositions[i].composed) & NORMAL_BOUNDARY)) return false;
    return true;
}

WWHO_LOCAL int build_normalizer(wwho_section s, wwho_arena *arena, wwho_normalizer *n) {
    if (s.length < 4 || read16(s.at + 2)) return WWHO_NORMALIZER;
    number_columns c = {s.at + 4, s.at + s.length};
    uint32_t n_pages = 0, found = 0;
    n->n_steps = read16(s.at);
    if (n->n_steps < 1 || n->n_steps > WWHO_MAX_STEPS) return WWHO_NORMALIZER;
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (!build_step(&c, arena, &n->steps[i], &n_pages)) return WWHO_NORMALIZER;
    if (c.at != c.end) return WWHO_NORMALIZER;
    uint16_t *page = take_zeroed(arena, 2 * N_PAGES);
    uint8_t *pages = take_zeroed(arena, 128 * (n_pages + UINT64_C(4)));
    if (arena->used > arena->size) return WWHO_OK;
    n->page = page;
    n->pages = pages;
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (!composes_boundaries(n, i)) return WWHO_NORMALIZER;
    fill_bytes(pages, NORMAL_BOUNDARY | NORMAL_SAME, 128);
    for (uint32_t i = 0; i < N_PAGES; i++) {
        bool spoken_of = i == VOWELS >> 7 || i == TAILS >> 7;
        for (uint32_t k = 0; k < n->n_steps; k++) spoken_of |= n->steps[k].page[i] != 0;
        if (!spoken_of) continue;
        page[i] = (uint16_t)++found;
        for (uint32_t k = 0; k < 128; k++) pages[128 * found + k] = properties(n, 0, 128 * i + k);
    }
    return WWHO_OK;
}

/* Running */

static uint32_t properties_of(const wwho_normalizer *n, uint32_t code_point) {
    if (!n->n_steps) return NORMAL_BOUNDARY | NORMAL_SAME;
    uint32_t p = code_point < 0x110000 ? n->pages[128u * n->page[code_point >> 7] + (code_point & 127)] : n->pages[0];
    if (code_point - SYLLABLES >= N_SYLLABLES) return p;
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (n->steps[i].hangul_apart && !n->steps[i].hangul_together) return p & ~(uint32_t)NORMAL_SAME;
    return p;
}

/* The character at a place, which is not the end; a byte of broken UTF-8 is one that no step knows. */
static uint32_t character_at(const wwho_normalizing *it, size_t at, uint32_t *width) {
    uint32_t code_point;
    *width = utf8_next(it->text + at, it->end - at, &code_point);
    return *width == 1 && code_point == REPLACEMENT ? 0x110000u + it->text[at] : code_point;
}

/* Characters of a run: three columns of the same room, used in turn. */
typedef struct {
    passing *now, *next, *spare;
    size_t n, room;
} character_run;

static bool push_passing(character_run *run, size_t *n, const wwho_rewriting *step, uint32_t code_point, int32_t change) {
    if (*n == run->room) return false;
    run->next[(*n)++] = (passing){code_point, 0, change, rewrite_of(step, code_point)->order};
    return true;
}

/* Take the characters apart by the step's map, from `now` to `next`. A character that vanishes is counted with the one before it. */
static bool take_apart(character_run *run, const wwho_rewriting *step, size_t *n, size_t *vanished) {
    for (size_t i = 0; i < run->n; i++) {
        uint32_t code_point = run->now[i].code_point, syllable = code_point - SYLLABLES;
        if (step->hangul_apart && syllable < N_SYLLABLES) {
            uint32_t tail = syllable % N_TAILS, vowel = syllable / N_TAILS % N_VOWELS;
            if (!push_passing(run, n, step, LEADS + syllable / N_TAILS / N_VOWELS, 0)) return false;
            if (!push_passing(run, n, step, VOWELS + vowel, 1)) return false;
            if (tail && !push_passing(run, n, step, TAILS + tail, 1)) return false;
        } else {
            uint32_t ends[MAX_TARGETS], n_ends, left = undo_pairs(step, code_point, ends, &n_ends);
            const wwho_rewrite *r = rewrite_of(step, left);
            uint32_t n_targets = r->n == KEPT ? 1 : r->n;
            for (uint32_t k = 0; k < n_targets; k++)
                if (!push_passing(run, n, step, r->n == KEPT ? left : step->targets[r->at + k], k ? 1 : 0)) return false;
            while (n_ends--)
                if (!push_passing(run, n, step, ends[n_ends], 1)) return false;
            if (n_targets) continue;
            if (*n)
                run->next[*n - 1].change--;
            else
                ++*vanished;
        }
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
    if (step->hangul_together && first - LEADS < N_LEADS && second - VOWELS < N_VOWELS)
        return SYLLABLES + ((first - LEADS) * N_VOWELS + (second - VOWELS)) * N_TAILS;
    if (joins_hangul(step, second) && second > TAILS && first - SYLLABLES < N_SYLLABLES && (first - SYLLABLES) % N_TAILS == 0)
        return first + (second - TAILS);
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

static bool pass(character_run *run, const wwho_rewriting *step) {
    size_t n = 0, vanished = 0;
    if (!take_apart(run, step, &n, &vanished)) return false;
    order_marks(run, n);
    if (step->n_compositions || step->hangul_together) n = put_together(run, step, n);
    find_sources(run, n, vanished);
    passing *now = run->now;
    run->now = run->next;
    run->next = now;
    run->n = n;
    return true;
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

/* Normalize the run from it->at to `end`. */
static bool normalize_run(const wwho_normalizer *n, wwho_normalizing *it, size_t end, character_run run) {
    for (size_t at = it->at; at < end;) {
        uint32_t width, code_point = character_at(it, at, &width);
        if (run.n == run.room) return false;
        run.now[run.n++] = (passing){code_point, (uint32_t)at, 0, 0};
        at += width;
    }
    for (uint32_t i = 0; i < n->n_steps; i++)
        if (!pass(&run, &n->steps[i])) return false;
    size_t used = it->n;
    for (size_t i = 0; i < run.n; i++) {
        if (it->room - used < 4) return false;
        uint32_t width = encode_utf8(run.now[i].code_point, it->out + used);
        for (uint32_t k = 0; it->sources && k < width; k++) it->sources[used + k] = run.now[i].source;
        used += width;
    }
    it->n = used;
    it->at = end;
    return true;
}

WWHO_LOCAL bool normalize(const wwho_normalizer *n, wwho_normalizing *it, void *work, size_t work_len) {
    size_t room = work_len / (3 * sizeof(passing));
    passing *columns = work;
    uint32_t width, code_point = it->at < it->end ? character_at(it, it->at, &width) : 0, now = properties_of(n, code_point);
    while (it->at < it->end) {
        size_t end = it->at + width;
        uint32_t next = NORMAL_BOUNDARY;
        bool alone = true;
        for (uint32_t last = width; end < it->end; alone = false, end += last) {
            code_point = character_at(it, end, &last);
            next = properties_of(n, code_point);
            width = last;
            if (next & NORMAL_BOUNDARY) break;
        }
        if (it->more && it->end - end < UTF8_MOST) return true; /* nor is the character there, perhaps */
        if (alone && now & NORMAL_SAME) {
            uint32_t size = (uint32_t)(end - it->at);
            if (it->room - it->n < size) return it->at;
            for (uint32_t k = 0; k < size; k++) {
                it->out[it->n + k] = it->text[it->at + k];
                if (it->sources) it->sources[it->n + k] = (uint32_t)it->at;
            }
            it->n += size;
            it->at = end;
        } else if (!normalize_run(n, it, end, (character_run){columns, columns + room, columns + 2 * room, 0, room}))
            return it->at;
        now = next;
    }
    return true;
}

int wwho_normalize(const wwho_model *model, const uint8_t *text, size_t len, int more, void *work, size_t work_len, uint8_t *out,
                   uint32_t *sources, size_t cap, size_t *read, size_t *n) {
    bool given = model && (text || !len) && (work || !work_len) && (out || !cap) && read && n;
    if (!given || (uintptr_t)work % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    wwho_normalizing it = {text, 0, len, more, out, sources, 0, cap};
    bool done = normalize(&model->normalizer, &it, work, work_len);
    *read = it.at;
    *n = it.n;
    return done ? WWHO_OK : WWHO_BUFFER;
}
