/* Unigram: find the path through a pretoken whose tokens have the best sum of scores (FORMAT.md, Encoding).
 *
 * A pretoken of any length takes constant memory: it is processed in windows, and tokens are written when they are final. Final means that
 * all paths that may still continue have them in common. The paths may have nothing in common for a whole window (as in a long run of one
 * letter). Then a scout goes ahead, storing only the ends of the paths, until they have a place in common or the pretoken ends. So it finds
 * a place that the best path goes through. Further scouts halve the distance to that place, until the places found are at most a window
 * apart. */
#include "viterbi.h"

#include <float.h>

#include "encoder.h"
#include "models.h"

enum { VITERBI_HEAD = 4, MARK_BYTES = WINDOW_BYTES * 3 / 4 };

typedef struct {
    wwho_encoder *e;
    const wwho_vocabulary *v;
    const wwho_unigram *unigram;
    wwho_lattice *lattice;
    size_t base, end; /* the places of slot 0, and of the end of the pretoken */
    size_t done;      /* the tokens up to here are known */
    size_t unknown;   /* the characters from here on are unknown, and are written as one */
    uint32_t reach;   /* the length in bytes of the longest token, or of the longest character */
    wwho_kept kept;
    const wwho_automaton *units; /* tokens begin and end where its matches do; null: where characters do */
    size_t scanned;              /* what it scans ends here: the end of the pretoken that `end` is in */
} wwho_path;

static const double SHIFT_FROM = 100000; /* SentencePiece keeps its sums below this */

/* Offer a path to a slot, by a token of n bytes with this sum of scores. It replaces the present path only if it is better, so among equal
 * paths the one with the longest last token wins. With `narrow`, the sum is rounded to f32. */
static inline void offer(wwho_path *p, uint32_t slot, uint32_t n, uint32_t token, double score) {
    wwho_slot *to = &p->lattice->slots[slot];
    if (p->unigram->narrow) score = (float)score;
    if (!to->length || score > to->score) *to = (wwho_slot){score, token, (uint16_t)n};
}

/* Subtract the sum of a slot from that slot and from all slots within reach after it, so that sums of f32 stay exact, as in
 * SentencePiece. */
static void shift_scores(wwho_path *p, uint32_t slot) {
    wwho_slot *slots = p->lattice->slots;
    const double by = slots[slot].score;
    for (uint32_t i = slot; i <= slot + p->reach; i++) slots[i].score = (float)(slots[i].score - by);
}

/* Return the end of the unit that begins at `at`, a place before p->scanned; the number of its rule goes to *rule. */
static size_t unit_end(const wwho_path *p, size_t at, uint32_t *rule) {
    const wwho_classes *classes = &p->e->model->classes;
    wwho_cursor c = start_at(classes, p->e->text, at, p->scanned);
    scan(classes, p->units, &c, rule);
    return c.at;
}

/* Extend the paths by all tokens that start in the slots from `slot` to `stop`, and by one unknown character where no token is that
 * character. Returns the slot where the last character ends, which is `stop` or after it. With p->units, the same for units, all of which
 * are tokens. Slots within a unit get paths, too, which are never continued. */
static uint32_t extend(wwho_path *p, uint32_t slot, size_t stop) {
    const wwho_trie *trie = &p->unigram->trie;
    wwho_lattice *s = p->lattice;
    while (slot < stop) {
        const uint8_t *text = p->e->text + p->base + slot;
        size_t left = p->end - p->base - slot;
        uint32_t code_point, node = 0, width;
        if (p->units)
            width = (uint32_t)(unit_end(p, p->base + slot, &code_point) - p->base - slot);
        else
            width = utf8_next(text, left, &code_point);
        if (p->unigram->narrow && (s->slots[slot].score > SHIFT_FROM || s->slots[slot].score < -SHIFT_FROM)) shift_scores(p, slot);
        bool alone = false; /* whether the character is a token */
        for (uint32_t n = 0; n < left && (node = next_node(trie, node, n, text[n])) != 0;) {
            uint32_t token = token_at(trie, node, ++n);
            if (token == WWHO_NONE) continue;
            offer(p, slot + n, n, token, s->slots[slot].score + p->unigram->scores[token]);
            alone |= n == width;
        }
        if (!alone) offer(p, slot + width, width, WWHO_NONE, s->slots[slot].score + p->unigram->unk_score);
        slot += width;
    }
    return slot;
}

/* Store the paths that continue from a slot in a front. */
static void save(const wwho_path *p, wwho_front *front, uint32_t slot) {
    copy_bytes(front->slots, p->lattice->slots + slot, (p->reach + 1) * sizeof *front->slots);
}

/* Put the paths of a front at slot 0 of the lattice, and clear all other slots. */
static void restore(wwho_path *p, const wwho_front *front) {
    wwho_slot *slots = p->lattice->slots;
    copy_bytes(slots, front->slots, (p->reach + 1) * sizeof *slots);
    fill_bytes(slots + p->reach + 1, 0, (LATTICE_SLOTS - p->reach - 1) * sizeof *slots);
}

/* Write the unknown characters from p->unknown to `end`, if there are any, as one symbol. In tokenizers, though not in SentencePiece, their
 * joined text may be a token. Such a pretoken is not cached. p->unknown stays as it is. */
static void put_unknowns(wwho_path *p, size_t end) {
    if (p->unknown == end) return;
    const wwho_vocabulary *v = p->v;
    const uint8_t *text = p->e->text + p->unknown;
    uint32_t token = p->unigram->narrow ? WWHO_NONE : find_node(&p->unigram->trie, 0, text, end - p->unknown);
    size_t n = p->e->n;
    if (token == WWHO_NONE)
        put_unknown(p->e, v, p->unknown, end, false);
    else
        put(p->e, id_of(v, token), end);
    if (!p->unigram->narrow && v->unknown == UNKNOWN_BYTES) place_alike(p->e, n);
    p->kept.n = MAX_KEPT + 1;
}

/* Write the tokens of a path from p->done up to a slot, and move p->done there. `origin` of the lattice has the length of the token that
 * starts in each slot, and the slot where it ends has the token. Unknown characters at the end wait for more, and in tokenizers, though not
 * in SentencePiece, tokens that are written as unk_id. */
static void put_tokens(wwho_path *p, uint32_t slot) {
    const wwho_vocabulary *v = p->v;
    const wwho_lattice *s = p->lattice;
    const size_t stop = p->base + slot;
    for (uint32_t n; p->done < stop; p->done += n) {
        n = s->origin[p->done - p->base];
        uint32_t token = s->slots[p->done - p->base + n].token;
        if (token == WWHO_NONE || (!p->unigram->narrow && id_of(v, token) == v->unk_id)) continue;
        put_unknowns(p, p->done);
        p->unknown = p->done + n;
        note(&p->kept, token);
        put(p->e, id_of(v, token), p->unknown);
    }
}

/* Write the tokens of the best path from p->done up to a slot, as put_tokens() does. Overwrites `origin` of the lattice. */
static void put_path(wwho_path *p, uint32_t slot) {
    wwho_lattice *s = p->lattice;
    for (uint32_t at = slot, n; p->base + at > p->done; at -= n) {
        n = s->slots[at].length;
        s->origin[at - n] = n;
    }
    put_tokens(p, slot);
}

/* Return 2 to the power of x, at most 0, by the first terms of its series, which is right to 8 digits; 0 if that is below 2^-63. Every
 * machine gets the same bits, here and below: a product and a sum are statements of their own, lest a compiler rounds them at once. */
static double power_of_2(double x) {
    static const double terms[] = {1.0 / 7, 1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1};
    if (!(x > -63)) return 0;
    uint32_t halvings = (uint32_t)(0.5 - x);
    double rest = (x + halvings) * 0.6931471805599453, power = 1; /* ln 2 */
    for (uint32_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        double term = rest * power * terms[i];
        power = 1 + term;
    }
    return power / (double)(UINT64_C(1) << halvings);
}

/* What the paths from a place weigh together: m * 2^e. */
typedef struct {
    double m, e;
} wwho_weight;

/* Return the sum of a weight and of those of all paths from a slot to slot `last`: for each token that starts in the slot, or for the
 * unknown character there, its weight times that of all paths from its end. The weights of later slots are in the lattice: e in `score`,
 * and m, as f32, in `origin`; a slot where no path may go has the length 0. With `found`, stop at the token with which m is above `until`,
 * or at the last one, and store the token and its length there. */
static wwho_weight add_paths(const wwho_path *p, wwho_weight sum, uint32_t slot, uint32_t last, wwho_slot *found, double until) {
    const wwho_unigram *unigram = p->unigram;
    const wwho_lattice *s = p->lattice;
    const uint8_t *text = p->e->text + p->base + slot;
    const uint32_t width = s->slots[slot].length;
    bool alone = false; /* whether the character is a token */
    for (uint32_t n = 0, node = 0, more = true; more;) {
        uint32_t token = WWHO_NONE, length = width;
        double score = unigram->unk_score;
        if (slot + n < last && (node = follow(&unigram->trie, node, n, text + n, 1)) != 0) {
            token = token_at(&unigram->trie, node, length = ++n);
            if (token == WWHO_NONE || !s->slots[slot + n].length) continue;
            alone |= n == width;
            score = unigram->scores[token];
        } else if (alone)
            break;
        else
            more = false;
        float m;
        copy_bytes(&m, &s->origin[slot + length], sizeof m);
        double own = score * p->e->sampler->exponent;
        wwho_weight less = {m, own + s->slots[slot + length].score};
        if (less.e > sum.e) {
            wwho_weight more = less;
            less = sum;
            sum = more;
        }
        double part = power_of_2(less.e - sum.e) * less.m;
        sum.m += part;
        if (!found) continue;
        *found = (wwho_slot){0, token, (uint16_t)length};
        if (sum.m > until) break;
    }
    return sum;
}

/* Store the weight of all paths from a slot in the lattice, with m below 2. */
static void set_weight(wwho_lattice *s, uint32_t slot, wwho_weight weight) {
    for (; weight.m >= 2; weight.m /= 2) weight.e += 1;
    float m = (float)weight.m;
    s->slots[slot].score = weight.e;
    copy_bytes(&s->origin[slot], &m, sizeof m);
}

/* Draw a path from p->base to the end of the pretoken or of a window, in proportion to the weights of paths, and write its tokens. From the
 * end to the beginning, find for each place the weight of all paths from there; from the beginning to the end, draw token by token. Of a
 * window, only the tokens that end in the first MARK_BYTES are written, but at least one. Moves p->base to the end of what is written. */
static void draw_path(wwho_path *p) {
    wwho_lattice *s = p->lattice;
    size_t left = p->end - p->base;
    uint32_t last = 0, slot, stop;
    fill_bytes(s->slots, 0, (left < LATTICE_SLOTS ? left + 1 : LATTICE_SLOTS) * sizeof *s->slots);
    while (last < left && last < WINDOW_BYTES) {
        uint32_t rule, width = p->units ? (uint32_t)(unit_end(p, p->base + last, &rule) - p->base - last)
                                        : utf8_next(p->e->text + p->base + last, left - last, &rule);
        s->slots[last].length = (uint16_t)width;
        last += width;
    }
    s->slots[last].length = 1;
    set_weight(s, last, (wwho_weight){1, 0});
    for (slot = last; slot--;)
        if (s->slots[slot].length) set_weight(s, slot, add_paths(p, (wwho_weight){0, -DBL_MAX}, slot, last, 0, 0));
    stop = last < left ? MARK_BYTES : last;
    for (slot = 0; slot < last;) {
        wwho_slot found;
        float m;
        copy_bytes(&m, &s->origin[slot], sizeof m);
        double drawn = (double)(next_draw(&p->e->sampler->draws.state) >> 11) / 9007199254740992.0; /* 2^53 */
        add_paths(p, (wwho_weight){0, s->slots[slot].score}, slot, last, &found, drawn * m);
        if (slot && slot + found.length > stop) break;
        s->origin[slot] = found.length;
        slot += found.length;
        s->slots[slot].token = found.token;
    }
    put_tokens(p, slot);
    p->base += slot;
}

/* Set the mark: from this slot on, `origin` records the first place that each path goes through. */
static void set_mark(wwho_path *p, uint32_t slot) {
    for (uint32_t i = slot; i <= slot + p->reach; i++) p->lattice->origin[i] = (uint32_t)(p->base + i);
}

/* Return the place after the mark that all paths that end in slot `last` or after it go through, or WWHO_NONE if they have none in common.
 * Updates `origin` from the mark on. */
static uint32_t common_origin(wwho_path *p, uint32_t mark, uint32_t last) {
    wwho_lattice *s = p->lattice;
    uint32_t common = WWHO_NONE;
    bool same = true;
    for (uint32_t i = mark; i <= last + p->reach; i++) {
        if (!s->slots[i].length) continue;
        if (s->slots[i].length <= i - mark) s->origin[i] = s->origin[i - s->slots[i].length];
        if (i < last) continue;
        same &= common == WWHO_NONE || common == s->origin[i];
        common = s->origin[i];
    }
    return same ? common : WWHO_NONE;
}

/* Move the paths that continue from a slot, and their origins, to slot 0, and p->base with them. Clears all other slots, and overwrites
 * lattice->mark. */
static void slide(wwho_path *p, uint32_t slot) {
    wwho_lattice *s = p->lattice;
    save(p, &s->mark, slot);
    restore(p, &s->mark);
    for (uint32_t i = 0; i <= p->reach; i++) s->origin[i] = s->origin[slot + i];
    p->base += slot;
}

/* Return a place after p->base that the best path goes through; if `until` is such a place, another one about half-way there. Starts from
 * the paths in lattice->start, and overwrites the rest of the lattice; p->base stays. If no earlier place is certain, the result is
 * `until`, or p->end if that is 0. With `until` 0, the result is at least half as far from p->base as the text that was looked through, so
 * that the work stays linear. */
static size_t scout(wwho_path *p, size_t until) {
    const size_t base = p->base, stop = until ? until : p->end;
    size_t mark = base + (until ? (until - base) / 2 : WINDOW_BYTES / 2), found = stop;
    bool marked = false;
    for (restore(p, &p->lattice->start); p->base < stop;) {
        size_t n = marked ? WINDOW_BYTES : mark - p->base;
        if (n > WINDOW_BYTES) n = WINDOW_BYTES;
        if (n > stop - p->base) n = stop - p->base;
        uint32_t last = extend(p, 0, n), common = marked ? common_origin(p, 0, last) : WWHO_NONE;
        slide(p, last);
        if (common != WWHO_NONE) {
            found = common;
            break;
        }
        if (marked && until && p->base == stop) found = p->lattice->origin[0];
        if (marked ? until || p->base - base < 2 * (mark - base) : p->base < mark) continue;
        mark = p->base;
        marked = true;
        set_mark(p, 0);
    }
    p->base = base;
    return found;
}

/* Write the tokens of the best path from p->base up to a place that scouts find, window by window, and move p->base and lattice->start
 * there. Overwrites the rest of the lattice. Stops when more than e->limit tokens are written. */
static void scout_path(wwho_path *p) {
    size_t places[64]; /* each place is at most half as far as the one before, plus a token */
    uint32_t n = 0;
    places[n++] = scout(p, 0);
    while (n && p->e->n <= p->e->limit) {
        size_t to = places[n - 1];
        if (to - p->base > WINDOW_BYTES) {
            places[n++] = scout(p, to);
            continue;
        }
        restore(p, &p->lattice->start);
        uint32_t slot = extend(p, 0, to - p->base);
        put_path(p, slot);
        save(p, &p->lattice->start, slot);
        p->base = to;
        n--;
    }
}

/* Encode the text from `at` to `end`, of any length, with the tokens that have the best sum of scores; unknown
 * characters next to each other are one symbol. Notes the tokens in p->kept. Stops when more than e->limit tokens are written. */
static void encode_path(wwho_path *p, size_t at, size_t end) {
    wwho_encoder *e = p->e;
    wwho_lattice *s = p->lattice;
    p->base = p->done = p->unknown = at;
    p->end = end;
    if (e->sampler && e->sampler->paths) {
        while (p->base < end && e->n <= e->limit) draw_path(p);
        if (e->n <= e->limit) put_unknowns(p, end);
        return;
    }
    size_t slots = end - at < LATTICE_SLOTS ? end - at + 1 : LATTICE_SLOTS;
    fill_bytes(s->slots, 0, slots * sizeof *s->slots);
    s->slots[0].score = 0;
    s->slots[0].length = 1;
    if (end - at > WINDOW_BYTES) save(p, &s->start, 0);
    while (end - p->base > WINDOW_BYTES && e->n <= e->limit) {
        uint32_t mark = extend(p, 0, MARK_BYTES);
        save(p, &s->mark, mark);
        uint32_t last = extend(p, mark, WINDOW_BYTES);
        set_mark(p, mark);
        uint32_t common = common_origin(p, mark, last);
        if (common == WWHO_NONE)
            scout_path(p);
        else {
            put_path(p, common - (uint32_t)p->base);
            s->start = s->mark;
            p->base += mark;
        }
        restore(p, &s->start);
    }
    if (e->n > e->limit) return;
    put_path(p, extend(p, 0, end - p->base));
    put_unknowns(p, end);
}

/* Encode the pretoken from `at` to `end` by the units that an automaton finds in it: each run of units that are syllables and tokens with
 * the tokens that have the best sum of scores and cut no unit, and each other unit alone. A unit that is no token is encoded as a text that
 * has no units. Stops when more than e->limit tokens are written. */
static void encode_runs(wwho_path *p, const wwho_automaton *units, size_t at, size_t end) {
    p->scanned = end;
    for (size_t next = at; next < end && p->e->n <= p->e->limit;) {
        size_t unit = next;
        uint32_t rule;
        p->units = units;
        next = unit_end(p, unit, &rule);
        bool known = find_viterbi(p->v, p->e->text + unit, next - unit) != WWHO_NONE, joins = known && rule == WWHO_SYLLABLE;
        if (joins && next < end) continue;
        if (joins) unit = next;
        encode_path(p, at, unit);
        if (!known) p->units = 0;
        encode_path(p, unit, next);
        at = next;
    }
}

/* Encode the pretoken from `at` to `end`, of any length, with the tokens that have the best sum of scores (FORMAT.md, Encoding). Stores the
 * tokens in the cache under `key` if they are few and all known. Stops when more than e->limit tokens are written. `route` is null for a
 * speller. */
void encode_viterbi(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end) {
    wwho_path p = {.e = e, .v = v, .unigram = v->own, .lattice = e->lattice, .reach = v->longest < 4 ? 4 : v->longest};
    if (route && route->units)
        encode_runs(&p, route->units, at, end);
    else
        encode_path(&p, at, end);
    if (e->n <= e->limit) keep_noted(key, v, &p.kept);
}

/* Return the token with this text of n > 0 bytes, or WWHO_NONE, for a model of the kind VITERBI. */
WWHO_LOCAL uint32_t find_viterbi(const wwho_vocabulary *v, const uint8_t *text, size_t n) {
    return find_node(&((const wwho_unigram *)v->own)->trie, 0, text, n);
}

/* Return the size of a score in bytes. */
static uint32_t score_size(bool narrow) { return narrow ? 4 : 8; }

/* Check the head at p of a model of the kind VITERBI, of `length` bytes with all that follows it, and take memory for its trie and scores.
 * Returns WWHO_OK or WWHO_MODEL. */
WWHO_LOCAL int check_viterbi(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena) {
    bool plain = v->symbols <= SYMBOLS_UNITS && !v->fuse && !v->anywhere && v->n_symbols && !v->n_merges && v->unknown != UNKNOWN_NONE;
    if (length < VITERBI_HEAD || !plain || read32(p) > 1) return WWHO_MODEL;
    uint32_t columns = v->n_tokens * (score_size(p[0]) + 1); /* the bytes that end the texts, and the scores */
    if (columns > length) return WWHO_MODEL;
    take_texts(arena, v);
    wwho_unigram *own = take(arena, sizeof *own), made = {.narrow = p[0]};
    take_trie(arena, &made.trie, v->n_tokens, length - columns);
    made.scores = take(arena, v->n_tokens * sizeof *made.scores);
    v->own = own;
    if (made.scores) *own = made;
    return WWHO_OK;
}

/* Read score i of the n scores at p. The scores are stored by bytes: byte k of all scores is stored together. Each score is stored as the
 * difference of its bits from those of the score before, which *bits holds and gets. */
static double next_score(const uint8_t *p, uint32_t i, uint32_t n, bool narrow, uint64_t *bits) {
    double wide;
    float value;
    uint64_t more = 0;
    for (uint32_t k = 0; k < score_size(narrow); k++) more |= (uint64_t)p[(size_t)k * n + i] << 8 * k;
    *bits += more;
    uint32_t low = (uint32_t)*bits;
    copy_bytes(&wide, bits, sizeof wide);
    copy_bytes(&value, &low, sizeof value);
    return narrow ? value : wide;
}

/* Read the texts and scores of a model of the kind VITERBI, and build its trie. The score of unknown characters is ten below the lowest.
 * Returns WWHO_OK, WWHO_SYMBOLS, WWHO_TOKEN_LENGTH, WWHO_TOKEN_DUPLICATE or WWHO_SCORES. */
WWHO_LOCAL int build_viterbi(wwho_vocabulary *v, number_columns *c) {
    wwho_unigram *own = (wwho_unigram *)v->own;
    uint32_t n = v->n_tokens, size = n * score_size(own->narrow);
    double least = 0;
    uint64_t bits = 0;
    c->at += VITERBI_HEAD;
    int status = read_texts(v, 0, v->n_tokens, c, false);
    if (!status && v->offset[n] != v->text_bytes) status = WWHO_TOKEN_LENGTH;
    if (!status && (size_t)(c->end - c->at) < size) status = WWHO_SCORES;
    for (uint32_t i = 0; !status && i < n; i++) {
        double score = own->scores[i] = next_score(c->at, i, n, own->narrow, &bits);
        if (!(score - score == 0)) status = WWHO_SCORES; /* infinite, or not a number */
        if (!i || score < least) least = score;
    }
    if (status) return status;
    own->unk_score = own->narrow ? (float)(least - 10) : least - 10;
    c->at += size;
    return build_trie(&own->trie, v->texts, v->offset, n, n) ? WWHO_OK : WWHO_TOKEN_DUPLICATE;
}
