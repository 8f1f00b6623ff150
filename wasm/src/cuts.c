/* Where a text may be cut so that both parts encode as the whole does, whatever comes after it (FORMAT.md, sections 4, 5, 10).
 *
 * It follows from the automata. A place between the characters a and b, with c after b, is safe if, from every state that the
 * router can be in after a,
 *   - it ends a segment before b; or
 *   - after b and c it is where it would be had the text begun with b, in a segment of a route whose scanner ends a pretoken
 *     before b from every state that it can be in after a;
 * and if router and scanner, where the text ends instead of going on with b, end the same segment and a pretoken there. */
#include "encode.h"

/* The least state over `state` in a set, or 0, which is in none. */
static inline uint32_t next_state(const wwho_automaton *a, const uint64_t *set, uint32_t state) {
    uint32_t word = ++state >> 6;
    if (word >= a->words) return 0;
    uint64_t bits = set[word] & ~UINT64_C(0) << (state & 63);
    while (!bits && ++word < a->words) bits = set[word];
    return bits ? word << 6 | trailing_zeros(bits) : 0;
}

static inline uint32_t entry_of(const wwho_automaton *a, uint32_t state, uint32_t class) { return a->table[state * a->stride + class]; }

static inline uint32_t next_of(const wwho_automaton *a, uint32_t entry) { return (entry & ENTRY_ROW) / a->stride; }

/* What can be said of all ways through an automaton: the states after each class, and the marks that are to come in each state. */
WWHO_LOCAL void put_ways(const wwho_classes *classes, wwho_automaton *a) {
    uint8_t seen[1024] = {0};
    uint16_t todo[1024];
    uint32_t n = 0;
    fill_bytes(a->after, 0, classes->n_classes * a->words * sizeof *a->after);
    fill_bytes(a->marks, 0, a->n_states * sizeof *a->marks);
    seen[WWHO_START] = 1;
    todo[n++] = WWHO_START;
    while (n) {
        uint32_t state = todo[--n];
        for (uint32_t class = 0; class < classes->n_classes; class++) {
            uint32_t next = next_of(a, entry_of(a, state, class));
            if (!next) continue;
            a->after[class * a->words + (next >> 6)] |= UINT64_C(1) << (next & 63);
            if (!seen[next]) todo[n++] = (uint16_t)next;
            seen[next] = 1;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t state = a->n_states; state-- > WWHO_START;) {
            uint64_t marks = 0;
            for (uint32_t class = 0; class <= classes->n_classes; class++) {
                uint32_t entry = entry_of(a, state, class);
                marks |= UINT64_C(1) << ENTRY_MARK(entry) | a->marks[next_of(a, entry)];
            }
            changed |= marks != a->marks[state];
            a->marks[state] = marks;
        }
    }
}

/* Whether the scanner of a route ends a pretoken between two classes, whatever came before. */
static bool ends_piece(const wwho_model *model, uint32_t route, uint32_t a, uint32_t b) {
    const wwho_automaton *scanner = model->routes[route].scanner;
    if (!scanner) return false;
    for (uint32_t state = 0; (state = next_state(scanner, scanner->after + a * scanner->words, state)) != 0;) {
        uint32_t entry = entry_of(scanner, state, b);
        if (entry & ENTRY_ROW || !ENTRY_MARK(entry) || !ENTRY_MARK(entry_of(scanner, state, model->classes.n_classes))) return false;
    }
    return true;
}

/* Whether a segment of a route without a scanner, which may be part of a phrase, may end after a character of this class. */
static bool may_end_phrase(const wwho_model *model, uint32_t class) {
    const wwho_automaton *router = model->router;
    if (!router) return false;
    for (uint32_t state = 0; (state = next_state(router, router->after + class * router->words, state)) != 0;)
        for (uint32_t route = 0; route < model->info.n_routes; route++)
            if (!model->routes[route].scanner && router->marks[state] >> (route + 1) & 1) return true;
    return false;
}

/* Whether a place between the classes a and b, with c after b, is safe. */
static bool is_safe(const wwho_model *model, uint32_t a, uint32_t b, uint32_t c) {
    const wwho_automaton *router = model->router;
    if (!router) return ends_piece(model, 0, a, b);
    uint32_t fresh = entry_of(router, next_of(router, entry_of(router, WWHO_START, b)), c);
    for (uint32_t state = 0; (state = next_state(router, router->after + a * router->words, state)) != 0;) {
        uint32_t first = entry_of(router, state, b), last = ENTRY_MARK(entry_of(router, state, model->classes.n_classes));
        if (!(first & ENTRY_ROW)) {
            if (!last || ENTRY_MARK(first) != last) return false;
            continue;
        }
        uint32_t entry = entry_of(router, next_of(router, first), c), next = next_of(router, entry);
        if (next != next_of(router, fresh)) return false;
        if (ENTRY_MARK(entry) != ENTRY_MARK(fresh) && (ENTRY_MARK(fresh) || !next)) return false;
        /* every mark to come must be that of the route which ends here; 0 is no mark */
        uint64_t marks = UINT64_C(1) << ENTRY_MARK(entry) | (next ? router->marks[next] : 0);
        if (!last || marks & ~(UINT64_C(1) << last | 1) || !ends_piece(model, last - 1, a, b)) return false;
    }
    return true;
}

/* A character before a place: where it begins, and its class. */
static size_t class_before(const wwho_model *model, const uint8_t *text, size_t at, size_t len, uint32_t *class) {
    uint32_t code_point = REPLACEMENT, width = 4;
    for (; width > 1; width--)
        if (at >= width && utf8_next(text + at - width, len - at + width, &code_point) == width) break;
    if (width == 1) utf8_next(text + at - 1, len - at + 1, &code_point);
    *class = model->classes.pages[128u * model->classes.page[code_point >> 7] + (code_point & 127)];
    return at - width;
}

/* The last safe place in ordinary text, or 0. */
static size_t cut_ordinary(const wwho_model *model, const uint8_t *text, size_t len) {
    uint32_t a, b, c;
    for (uint32_t k = 1; k < 4 && k <= len; k++) { /* what may be the beginning of a character */
        uint8_t lead = text[len - k];
        if (lead < 0xC0) continue;
        if (k < (lead < 0xE0 ? 2u : lead < 0xF0 ? 3u : 4u)) len -= k;
        break;
    }
    if (len < 3) return 0;
    size_t at = class_before(model, text, len, len, &c);
    if (at) at = class_before(model, text, at, len, &b);
    for (size_t before; at; at = before, c = b, b = a) {
        before = class_before(model, text, at, len, &a);
        if (text[at] == ' ' && model->info.n_superwords && may_end_phrase(model, a)) continue; /* a phrase may go on */
        if (is_safe(model, a, b, c)) return at;
    }
    return 0;
}

/* Whether the text ends within what may become an allowed special token that begins at `at`. */
static bool is_unfinished(const wwho_model *model, const uint8_t *allowed, const uint8_t *text, size_t at, size_t len) {
    const wwho_vocabulary *v = &model->specials;
    for (uint32_t i = 0; i < v->n_tokens; i++)
        if (allowed[i] && token_length(v, i) > len - at && same_text(v->texts + v->offset[i], text + at, len - at)) return true;
    return false;
}

int wwho_safe_cut(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, size_t *cut) {
    if (!model || (!text && len) || !cut || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    const wwho_encoder e = {.model = model, .text = text, .len = len};
    wwho_allowed specials;
    allow(&specials, &model->specials, allowed);
    size_t at = 0, end = len, longest = model->specials.longest;
    for (uint32_t special = 0; special != WWHO_NONE && at < end;) {
        size_t stop = at;
        special = next_special(&e, &stop, len, &specials);
        for (size_t i = at + longest > len ? at : len - longest; allowed && i <= stop && i < end; i++)
            if (is_unfinished(model, allowed, text, i, len)) end = i;
        if (end <= stop) break;
        at = stop + token_length(&model->specials, special);
    }
    *cut = at + cut_ordinary(model, text + at, end - at);
    return WWHO_OK;
}
