/* See words.h. A word extends from one U+0020 to the next. The cache stores its tokens under its original text, so a word that was seen
 * before needs no rewriting or cutting. A word is stored if the steps, given only the word and the space after it, are certain of their
 * output and may restart at the space, and if the pretokenizer cuts there. Otherwise the text from this word on is encoded like any other
 * text.
 *
 * After a letter, the steps may treat a space or another sign exactly as they treat SIGN. Then a word also ends between the letter and that
 * sign. */
#include "words.h"

#include "cuts.h"
#include "many.h"

/* Three kinds of words: inside a text, before a space; a word that ends after a letter, before a space or sign (or, without signs, the
 * first word); and the last word. */
enum { WORD_INSIDE = 1, WORD_APART, WORD_LAST };
enum { WORD_BYTES = 64, REWRITTEN = 512, MANY_STEPS = 3, SIGN = ',', AHEAD = 8 };
enum { IN_WORDS_LETTER = 1, IN_WORDS_SIGN, IN_WORDS_SPACE };

/* The class of the first character that the steps turn `c` into. WWHO_NONE if it is not certain, or if the steps do not treat `c` like
 * `other` after this letter. */
static uint32_t first_of(const wwho_model *model, uint32_t c, uint32_t other, uint32_t letter) {
    const wwho_normalizer *n = &model->normalizer;
    for (const wwho_rewriting *step = n->steps; step < n->steps + n->starts[STEPS_WITHIN]; step++) {
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
    wwho_normalizer *n = &model->normalizer;
    model->space = model->sign = WWHO_NONE;
    if (n->starts[STEPS_WITHIN] < MANY_STEPS || n->pairs || n_in_group(n, STEPS_WITHIN) || model->n_models > 1 || model->router || !model->routes->scanner) return;
    if (model->models->superwords.slots || (n->plain[0].made['a'] && n->plain[1].made['a'])) return;
    model->space = first_of(model, ' ', ' ', WWHO_NONE);
    model->sign = first_of(model, SIGN, SIGN, WWHO_NONE);
    if (!is_sign(model, ' ')) model->sign = WWHO_NONE;
    for (uint32_t i = 0; i < n->starts[STEPS_WITHIN]; i++) /* a first word may be rewritten differently, and would have to be WORD_APART */
        if (n->steps[i].kind == STEP_ENDS || n->steps[i].kind == STEP_RULES) model->sign = WWHO_NONE;
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
                           .n_steps = model->normalizer.starts[STEPS_WITHIN],
                           .classes = &model->classes,
                           .text = text,
                           .end = n + more,
                           .fresh = first,
                           .first = first,
                           .more = more,
                           .to = {out, 0, origins, REWRITTEN}};
    if (!normalize(&it, e->work, e->work_len) || it.at < n) return 0;
    for (bool found = it.at == n; !found && it.n;) found = origins[--it.n] == n;
    if (!it.n) return 0;
    class_before(&model->classes, out, 0, it.n, &class);
    return more && !ends_piece(model, 0, class, sign ? model->sign : model->space, false) ? 0 : it.n;
}

/* A word to look up. */
typedef struct {
    wwho_key key;
    size_t at;
    uint32_t kind;
} wwho_word;

/* Encode a word. False if it may not be stored. */
static bool put_word(wwho_encoder *e, const wwho_word *word) {
    uint8_t out[REWRITTEN];
    uint32_t origins[REWRITTEN], ids[REWRITTEN];
    const wwho_key *key = &word->key;
    size_t n = kept_ids(key, ids), end = word->at + key->n, length;
    size_t first = e->n;
    wwho_many *line = many_line(e, key, true);
    if (!n && put_many(e, key, line)) return true;
    if (!n) {
        if (!(length = rewrite_word(e, word->at, end, word->kind, out, origins))) return false;
        wwho_encoder inner = {.model = e->model,
                              .text = out,
                              .len = length,
                              .flags = e->flags,
                              .ids = ids,
                              .cap = REWRITTEN,
                              .limit = SIZE_MAX,
                              .cache = e->cache,
                              .merging = e->merging,
                              .block = e->block,
                              .lattice = e->lattice,
                              .many = e->many};
        encode_ordinary(&inner, 0, length);
        if ((n = inner.n) > REWRITTEN) return false;
        if (n <= LONG_ROOM) keep(key, 0, ids, (uint32_t)n);
    }
    for (size_t i = 0; i < n; i++) put(e, ids[i], end);
    keep_many(e, key, line, first);
    return true;
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
    bool signs = e->model->sign != WWHO_NONE;
    fresh &= !signs;
    for (bool on = true; on && at < end && e->n <= e->limit;) {
        wwho_word words[AHEAD]; /* the reads of their sets overlap */
        uint32_t n = 0;
        while (n < AHEAD && at < end) {
            size_t most = end - at < WORD_BYTES ? end : at + WORD_BYTES, stop = end_of_word(e->model, e->text, at, most);
            bool last = stop == end;
            on = (stop < most || last) && (stop > at + 1 || e->text[at] != ' ') && !(last && (fresh || !whole));
            if (!on) break;
            wwho_word *word = &words[n++];
            word->kind = last ? WORD_LAST : fresh || (signs && is_letter(e->text[stop - 1])) ? WORD_APART : WORD_INSIDE;
            word->at = at;
            make_key(&word->key, e->cache, e->text + at, stop - at, e->len - at, word->kind);
            prefetch(word->key.set);
            at = stop;
            fresh = false;
        }
        for (uint32_t i = 0; i < n; i++)
            if (!put_word(e, &words[i])) return words[i].at;
    }
    return at;
}
