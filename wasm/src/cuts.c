/* Where a text may be cut so that both parts encode as the whole does, whatever follows (FORMAT.md, Encoding).
 *
 * The automata decide this. A place between the characters a and b, with c after b, is safe if, for every state that the router can
 * be in after a,
 *   - the router ends a segment before b; or
 *   - after b and c the router is in the same state as if the text began with b, and the scanner of the segment's route ends a pretoken
 *     before b from every state that it can be in after a;
 * and if the router and the scanner end the same segment and a pretoken there when the text ends before b. */
#include "cuts.h"

/* Return true if the scanner of a route ends a pretoken, which it keeps, between a character of class a and one of class b, whatever came
 * before. False if the route has no scanner. */
static bool ends_piece(const wwho_model *model, uint32_t route, uint32_t a, uint32_t b) {
    const wwho_automaton *scanner = model->routes[route].scanner;
    if (!scanner) return false;
    for (uint32_t state = 0; (state = next_state(scanner, scanner->after + a * scanner->words, state)) != 0;) {
        uint32_t entry = entry_of(scanner, state, b);
        uint32_t last = ENTRY_MARK(entry_of(scanner, state, model->classes.n_classes));
        if (entry & ENTRY_ROW || !last || ENTRY_MARK(entry) != last || model->routes[route].actions[last - 1]) return false;
    }
    return true;
}

/* Return true if a segment of a route without steps, which may be part of a phrase, may end after a character of this class. False for
 * models without superwords or router. */
static bool may_end_phrase(const wwho_model *model, uint32_t class) {
    const wwho_automaton *router = model->router;
    bool superwords = false;
    for (uint32_t i = 0; i < model->n_models; i++) superwords |= model->models[i].superwords.slots != 0;
    if (!router || !superwords) return false;
    for (uint32_t state = 0; (state = next_state(router, router->after + class * router->words, state)) != 0;)
        for (uint32_t route = 0; route < model->n_routes; route++)
            if (!model->routes[route].n_steps && is_in(router->marks + state * router->mark_words, route + 1)) return true;
    return false;
}

/* Return true if no other mark (rule number from 1) than `mark` may follow in a state of an automaton. */
static bool only_mark(const wwho_automaton *a, uint32_t state, uint32_t mark) {
    const uint64_t *marks = a->marks + state * a->mark_words;
    for (uint32_t i = 0; i < a->mark_words; i++) {
        uint64_t known = (i ? 0 : UINT64_C(1)) | (mark >> 6 == i ? UINT64_C(1) << (mark & 63) : 0); /* 0 is no mark */
        if (marks[i] & ~known) return false;
    }
    return true;
}

/* Return true if a text may be cut between characters of the classes a and b, with one of class c after b, whatever stands around them:
 * the rule at the top of this file. */
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
        bool alone = last && (!ENTRY_MARK(entry) || ENTRY_MARK(entry) == last) && (!next || only_mark(router, next, last));
        if (!alone || !ends_piece(model, last - 1, a, b)) return false;
    }
    return true;
}

/* Return true if the text of a wanted added token lies across the place `at` of a text of len bytes. Even if it is rejected there, it
 * hides tokens that begin within it. */
static bool is_within_added(const wwho_wanted *wanted, const uint8_t *text, size_t at, size_t len) {
    const wwho_vocabulary *v = &wanted->model->added;
    for (uint32_t i = 0; i < v->n_tokens; i++)
        for (size_t n = token_length(v, i), start = at + 1 > n ? at + 1 - n : 0; is_wanted(wanted, i) && start < at && start + n <= len;
             start++)
            if (same_text(v->texts + v->offset[i], text + start, n)) return true;
    return false;
}

/* Return the last place in a text of len bytes where it may be cut so that both parts encode as the whole does, whatever follows; 0 if
 * there is none. No added token is found in the text. It may spell a wanted one that is rejected; no place inside that counts. */
WWHO_LOCAL size_t last_cut(const wwho_model *model, const wwho_wanted *wanted, const uint8_t *text, size_t len) {
    uint32_t a, b, c;
    uint64_t unsafe[64] = {0}; /* classes a, b and c that were not safe: a long text without a safe place has few others */
    len = whole_characters(text, len);
    if (len < 3) return 0;
    size_t at = len - class_before(&model->classes, text, 0, len, &c);
    if (at) at -= class_before(&model->classes, text, 0, at, &b);
    for (size_t before; at; at = before, c = b, b = a) {
        before = at - class_before(&model->classes, text, 0, at, &a);
        uint64_t classes = UINT64_C(1) << 48 | (uint64_t)a << 32 | b << 16 | c;
        uint64_t *known = &unsafe[(a + 4 * b + 16 * c) % 64];
        if (classes == *known) {
            bool run = a == b && b == c && text[before] < 0x80;
            while (run && before >= 8 && load64(text + before - 8) == ONES * text[before]) before -= 8;
            continue;
        }
        if (text[at] == ' ' && may_end_phrase(model, a)) continue;
        if (model->property && (model->property[a] || model->property[b])) continue; /* an added token next to it would look further */
        if (model->property && is_within_added(wanted, text, at, len)) continue;
        if (is_safe(model, a, b, c)) return at;
        *known = classes;
    }
    return 0;
}

/* Return true if the text, of len bytes, ends within a possible wanted token of a kind that begins at `at`: all bytes from there on are its
 * beginning, and more would have to follow. */
static bool is_unfinished(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t at, size_t len) {
    const wwho_vocabulary *v = &wanted->model->added;
    for (uint32_t i = 0; i < v->n_tokens; i++)
        if (token_length(v, i) > len - at && is_late(wanted->model, i) == late && is_wanted(wanted, i) &&
            same_text(v->texts + v->offset[i], text + at, len - at))
            return true;
    return false;
}

/* Return true if a text of len bytes may be cut at `at`, the end of an added token: the characters before and after it must be complete,
 * and have no properties. */
static bool may_end_added(const wwho_model *model, const uint8_t *text, size_t at, size_t len) {
    uint32_t width;
    return !model->property || !at ||
           (at + 4 <= len && !property_before(model, text, 0, at, &width) && !property_of(model, text + at, len - at, &width));
}

/* Return, in text[at..*end), which more text follows, the end of the last added token of the kind `late` after which the text may be cut,
 * or `at`. Lowers *end so that the text between that place and *end has no such token, whatever follows. With `origins`, only places with
 * an origin are cut. */
WWHO_LOCAL size_t sure_tokens(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, const uint32_t *origins, size_t at,
                              size_t *end) {
    const wwho_model *model = wanted->model;
    const size_t from = at, len = *end, longest = wanted->firsts->any >> late & 1 ? model->added.longest : 0;
    size_t sure = at, stop = len; /* stop: the first token after `sure` */
    while (at < *end) {
        wwho_added_match m = find_next(wanted, late, text, from, at, *end);
        for (size_t i = at + longest > len ? at : len - longest; longest && i <= m.start && i < *end; i++)
            if (is_unfinished(wanted, late, text, i, len)) *end = i;
        if (*end <= m.start || m.number == WWHO_NONE) break;
        at = m.end;
        if (may_end_added(model, text, at, len) && (!origins || at == len || origins[at] != WWHO_NONE)) {
            sure = at;
            stop = len;
        } else if (m.start < stop)
            stop = m.start;
    }
    if (stop < *end) *end = stop;
    return sure;
}

/* Find the last place in a text of len bytes where it may be cut, whatever follows, into *cut, as wwho.h says; 0 if there is none, and
 * always for tokenizers with a normalizer. */
int wwho_safe_cut(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, size_t *cut) {
    if (!model || (!text && len) || !cut || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    wwho_wanted wanted;
    want_added(&wanted, model, allowed, 0);
    size_t at = 0;
    for (uint32_t late = 0; late < 2; late++) at = sure_tokens(&wanted, late, text, 0, at, &len);
    *cut = model->n_normalizer ? 0 : at + last_cut(model, &wanted, text + at, len - at);
    return WWHO_OK;
}
