/* See words.h. A word goes from one U+0020 to the next, and the cache has its tokens by its text as it was given: of a word that
 * came before, nothing is rewritten or cut. A word is kept if the steps, which know no more of what follows it than the space, are
 * sure of what they make of it and may begin anew with the space, and if the pretokenizer cuts there. Otherwise the words from it on
 * are taken back, and what follows is encoded as any other text.
 *
 * Steps that strip the end of a text are not sure of a space. For them, words end only where a character follows the space that they
 * take for another one, SAMPLE, which is what they see in its place. */
#include "words.h"

#include "cuts.h"
#include "stages.h"

enum { WORD_INSIDE = 1, WORD_FIRST, WORD_LAST, WORD_BYTES = 64, REWRITTEN = 512, MANY_STEPS = 3, SAMPLE = '0' };

/* A word as the model of a route of its own: its tokens are ids. */
static void encode_word_of(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end);

/* What the steps make of a space before SAMPLE, or before anything (WWHO_NONE), begins with this character; WWHO_NONE where that is not
 * sure, or where they do not take `follows` for SAMPLE there. */
static uint32_t space_before(const wwho_model *model, uint32_t follows) {
    const wwho_normalizer *n = &model->normalizer;
    const wwho_classes *classes = &model->classes;
    uint32_t space = ' ', sample = SAMPLE;
    for (const wwho_rewriting *step = n->steps; space != WWHO_NONE && step < n->steps + n->n_steps; step++) {
        if (follows == WWHO_NONE) {
            space = first_made(step, classes, space, WWHO_NONE);
            continue;
        }
        if (!ends_alike(step, classes, space, follows, sample)) return WWHO_NONE;
        space = first_made(step, classes, space, sample);
        sample = first_made(step, classes, sample, WWHO_NONE);
        follows = first_made(step, classes, follows, WWHO_NONE);
        if (sample == WWHO_NONE || follows == WWHO_NONE) return WWHO_NONE;
    }
    return space;
}

WWHO_LOCAL void put_words(wwho_model *model) {
    static const wwho_kind kind = {.encode = encode_word_of};
    wwho_normalizer *n = &model->normalizer;
    model->space = WWHO_NONE;
    model->simple = true;
    if (n->n_steps < MANY_STEPS || n->pairs || model->n_models > 1 || model->router || !model->routes->scanner) return;
    if (model->models->superwords.slots) return;
    for (uint32_t i = 0; i < 2; i++) model->simple &= n->simple[i].apart['a'][0] >> ' ' & 1;
    uint32_t space = space_before(model, WWHO_NONE);
    model->ahead = space == WWHO_NONE;
    if (model->ahead) space = space_before(model, SAMPLE);
    if (space != WWHO_NONE) model->space = class_of(&model->classes, space);
    for (uint32_t i = WORD_INSIDE; i <= WORD_LAST; i++) model->models[i] = (wwho_vocabulary){.kind = &kind, .n_ids = WWHO_MAX_IDS};
}

WWHO_LOCAL bool gains_by_words(const wwho_model *model, const uint8_t *text, size_t n) {
    return !model->simple || (n >= 32 && is_wide(text));
}

/* Rewrite a word; how many bytes that makes, 0: it may not be kept. */
static size_t rewrite_word(const wwho_encoder *e, size_t at, size_t end, uint32_t kind, uint8_t *out, uint32_t *origins) {
    const wwho_model *model = e->model;
    bool more = kind != WORD_LAST;
    uint8_t text[WORD_BYTES + 2];
    uint32_t n = (uint32_t)(end - at), class;
    copy_bytes(text, e->text + at, n);
    text[n] = ' ';
    text[n + 1] = SAMPLE;
    wwho_normalizing it = {.steps = model->normalizer.steps,
                           .n_steps = model->normalizer.n_steps,
                           .classes = &model->classes,
                           .text = text,
                           .end = n + more + (more && model->ahead),
                           .fresh = kind == WORD_FIRST,
                           .first = kind == WORD_FIRST,
                           .more = more,
                           .out = out,
                           .origins = origins,
                           .room = REWRITTEN};
    if (!normalize(&it, e->work, e->work_len) || it.at < n) return 0;
    for (bool found = it.at == n; !found && it.n;) found = origins[--it.n] == n;
    if (!it.n) return 0;
    class_before(&model->classes, out, 0, it.n, &class);
    return more && !ends_piece(model, 0, class, model->space, false) ? 0 : it.n;
}

static void encode_word_of(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end) {
    uint8_t out[REWRITTEN];
    uint32_t origins[REWRITTEN], ids[REWRITTEN];
    size_t n = rewrite_word(e, at, end, route->model, out, origins), from, to;
    wwho_encoder inner = {.model = e->model,
                          .text = out,
                          .len = n,
                          .flags = e->flags,
                          .ids = ids,
                          .cap = REWRITTEN,
                          .limit = SIZE_MAX,
                          .cache = e->cache,
                          .merging = e->merging,
                          .lattice = e->lattice};
    wwho_cursor c = start_at(&e->model->classes, out, 0, n);
    wwho_walk walk;
    (void)v;
    start_walk(&walk, e->model, e->model->routes, &c, 0, n);
    while (next_piece(&walk, &from, &to)) {
        wwho_key piece;
        uint32_t kept[LONG_ROOM];
        make_key(&piece, e->cache, out + from, to - from, n - from, 0);
        uint32_t n_kept = kept_ids(&piece, kept);
        for (uint32_t i = 0; i < n_kept; i++) put(&inner, kept[i], to);
        if (!n_kept) e->model->models->kind->encode(&inner, e->model->models, e->model->routes, &piece, from, to);
    }
    if (!n || inner.n > REWRITTEN) {
        e->stuck |= WORD_STUCK;
        e->place = at;
        return;
    }
    for (size_t i = 0; i < inner.n; i++) put(e, ids[i], end);
    if (inner.n <= LONG_ROOM) keep(key, 0, ids, (uint32_t)inner.n);
}

/* The first space from `at` on, or `end`. */
static HOT size_t next_space(const uint8_t *text, size_t at, size_t end) {
    for (; at + 8 <= end; at += 8) {
        uint64_t word = load64(text + at) ^ ONES * ' ', found = (word - ONES) & ~word & ONES * 128;
        if (found) return at + (trailing_zeros(found) >> 3);
    }
    while (at < end && text[at] != ' ') at++;
    return at;
}

/* The end of the word at a place, before `most`, or that. */
static size_t end_of_word(const wwho_encoder *e, size_t at, size_t most, size_t end) {
    for (;;) {
        uint32_t code_point;
        at = next_space(e->text, at + 1, most);
        if (at == most || !e->model->ahead) return at;
        if (at + 1 == end) continue;
        utf8_next(e->text + at + 1, end - at - 1, &code_point);
        if (space_before(e->model, code_point) != WWHO_NONE) return at;
    }
}

WWHO_LOCAL size_t encode_words(wwho_encoder *e, size_t at, size_t end, bool fresh, bool whole) {
    static const wwho_route routes[] = {{0}, {.model = WORD_INSIDE}, {.model = WORD_FIRST}, {.model = WORD_LAST}};
    wwho_block *b = e->block;
    b->n = 0;
    b->phrases = false;
    for (bool on = true; on && at < end && e->n <= e->limit && !(e->stuck & WORD_STUCK);) {
        uint32_t n = make_room(e, 1), kind = fresh ? WORD_FIRST : WORD_INSIDE;
        size_t from = at;
        if (e->stuck & WORD_STUCK) break;
        while (on && at < end && n < BLOCK && !(fresh && at > from)) {
            size_t most = end - at < WORD_BYTES ? end : at + WORD_BYTES, stop = end_of_word(e, at, most, end);
            bool last = stop == end;
            on = (stop < most || last) && (stop > at + 1 || e->text[at] != ' ') && !(last && (fresh || !whole));
            if (!on || (last && at > from)) break;
            if (last) kind = WORD_LAST;
            b->ends[n++] = (uint32_t)(at = stop);
        }
        queue_pieces(e, &routes[kind], from, n);
        fresh = false;
    }
    if (!(e->stuck & WORD_STUCK)) put_block(e);
    if (e->stuck & WORD_STUCK) at = e->place;
    e->stuck &= ~(uint32_t)WORD_STUCK;
    return at;
}
