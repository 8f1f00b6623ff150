/* See words.h. A word extends from one U+0020 to the next. The cache stores its tokens under its original text, so a word that was seen
 * before needs no rewriting or cutting. A word is stored if the steps, given only the word and the space after it, are certain of their
 * output and may restart at the space, and if the pretokenizer cuts there. Otherwise the words from this one on are taken back, and the
 * text there is encoded like any other text.
 *
 * After a letter, the steps may treat a space or another sign exactly as they treat SIGN. Then a word also ends between the letter and that
 * sign. */
#include "words.h"

#include "cuts.h"
#include "stages.h"

/* Three kinds of words: inside a text, before a space; a word that ends after a letter, before a space or sign (or, without signs, the
 * first word); and the last word. */
enum { WORD_INSIDE = 1, WORD_APART, WORD_LAST };
enum { WORD_BYTES = 64, REWRITTEN = 512, MANY_STEPS = 3, SIGN = ',' };
enum { IN_WORDS_LETTER = 1, IN_WORDS_SIGN, IN_WORDS_SPACE };

/* Encode a word, as the model of a route of its own. The tokens of this model are ids. */
static void encode_word_of(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end);

/* The class of the first character that the steps turn `c` into. WWHO_NONE if it is not certain, or if the steps do not treat `c` like
 * `other` after this letter. */
static uint32_t first_of(const wwho_model *model, uint32_t c, uint32_t other, uint32_t letter) {
    const wwho_normalizer *n = &model->normalizer;
    for (const wwho_rewriting *step = n->steps; step < n->steps + n->n_steps; step++) {
        if (c != other && !ends_alike(step, &model->classes, c, other, &letter)) return WWHO_NONE;
        c = first_made(step, &model->classes, c);
        other = first_made(step, &model->classes, other);
        if (c == WWHO_NONE || other == WWHO_NONE) return WWHO_NONE;
    }
    return class_of(&model->classes, c);
}

static bool is_letter(uint32_t c) { return (c | 32) - 'a' < 26; }

/* Whether the steps treat a character like SIGN after every ASCII letter. */
static bool is_sign(const wwho_model *model, uint32_t c) {
    for (uint32_t letter = 'A'; letter <= 'z'; letter++)
        if (is_letter(letter) && first_of(model, c, SIGN, letter) != model->sign) return false;
    return model->sign != WWHO_NONE;
}

WWHO_LOCAL void put_words(wwho_model *model) {
    static const wwho_kind kind = {.encode = encode_word_of};
    wwho_normalizer *n = &model->normalizer;
    model->space = model->sign = WWHO_NONE;
    if (n->n_steps < MANY_STEPS || n->pairs || model->n_models > 1 || model->router || !model->routes->scanner) return;
    if (model->models->superwords.slots || (n->plain[0].made['a'] && n->plain[1].made['a'])) return;
    model->space = first_of(model, ' ', ' ', WWHO_NONE);
    model->sign = first_of(model, SIGN, SIGN, WWHO_NONE);
    for (uint32_t i = WORD_INSIDE; i <= WORD_LAST; i++) model->models[i] = (wwho_vocabulary){.kind = &kind, .n_ids = WWHO_MAX_IDS};
    if (!is_sign(model, ' ')) model->sign = WWHO_NONE;
    for (uint32_t c = '!'; c < 127; c++)
        model->in_words[c] = is_letter(c) ? IN_WORDS_LETTER : c - '0' >= 10 && is_sign(model, c) ? IN_WORDS_SIGN : 0;
    model->in_words[' '] = IN_WORDS_SPACE;
}

/* Rewrite a word. Returns the number of bytes, or 0 if the word may not be stored. */
static size_t rewrite_word(const wwho_encoder *e, size_t at, size_t end, uint32_t kind, uint8_t *out, uint32_t *origins) {
    const wwho_model *model = e->model;
    bool more = kind != WORD_LAST, first = kind == WORD_APART && model->sign == WWHO_NONE, sign = kind == WORD_APART && !first;
    uint8_t text[WORD_BYTES + 1];
    uint32_t n = (uint32_t)(end - at), class;
    copy_bytes(text, e->text + at, n);
    text[n] = sign ? SIGN : ' ';
    wwho_normalizing it = {.steps = model->normalizer.steps,
                           .n_steps = model->normalizer.n_steps,
                           .classes = &model->classes,
                           .text = text,
                           .end = n + more,
                           .fresh = first,
                           .first = first,
                           .more = more,
                           .out = out,
                           .origins = origins,
                           .room = REWRITTEN};
    if (!normalize(&it, e->work, e->work_len) || it.at < n) return 0;
    for (bool found = it.at == n; !found && it.n;) found = origins[--it.n] == n;
    if (!it.n) return 0;
    class_before(&model->classes, out, 0, it.n, &class);
    return more && !ends_piece(model, 0, class, sign ? model->sign : model->space, false) ? 0 : it.n;
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
                          .lattice = e->lattice,
                          .many = e->many};
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

/* The end of the word at a place; `end` at most. */
static size_t end_of_word(const wwho_model *model, const uint8_t *text, size_t at, size_t end) {
    for (uint32_t before = 0, kind; at < end; at++, before = kind + 1) {
        kind = text[at] < 128 ? model->in_words[text[at]] : 0;
        if (before && (kind == IN_WORDS_SPACE || (kind == IN_WORDS_SIGN && before == IN_WORDS_LETTER + 1))) break;
    }
    return at;
}

WWHO_LOCAL size_t encode_words(wwho_encoder *e, size_t at, size_t end, bool fresh, bool whole) {
    static const wwho_route routes[] = {{0}, {.model = WORD_INSIDE}, {.model = WORD_APART}, {.model = WORD_LAST}};
    wwho_block *b = e->block;
    b->n = 0;
    b->phrases = false;
    bool signs = e->model->sign != WWHO_NONE;
    fresh &= !signs;
    for (bool on = true; on && at < end && e->n <= e->limit && !(e->stuck & WORD_STUCK);) {
        uint32_t n = make_room(e, 1), kind = 0;
        size_t from = at;
        if (e->stuck & WORD_STUCK) break;
        while (on && at < end && n < BLOCK) { /* words of one kind */
            size_t most = end - at < WORD_BYTES ? end : at + WORD_BYTES, stop = end_of_word(e->model, e->text, at, most);
            bool last = stop == end;
            uint32_t its = last ? WORD_LAST : fresh || (signs && is_letter(e->text[stop - 1])) ? WORD_APART : WORD_INSIDE;
            on = (stop < most || last) && (stop > at + 1 || e->text[at] != ' ') && !(last && (fresh || !whole));
            if (!on || (kind && its != kind)) break;
            kind = its;
            fresh = false;
            b->ends[n++] = (uint32_t)(at = stop);
        }
        queue_pieces(e, &routes[kind], from, n);
    }
    if (!(e->stuck & WORD_STUCK)) put_block(e);
    if (e->stuck & WORD_STUCK) at = e->place;
    e->stuck &= ~(uint32_t)WORD_STUCK;
    return at;
}
