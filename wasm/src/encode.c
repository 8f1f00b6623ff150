/* Text -> tokens: special tokens, router, scanner, merge (FORMAT.md, section 10). */
#include "encode.h"

#include "cache.h"

/* A piece, or a segment of an SGPE route, and its key: its line of the cache is on its way. */
typedef struct {
    wwho_key key;
    size_t at;
} wwho_found;

#define AHEAD 8u /* pieces are found this far ahead of where their tokens are put: about as long as memory takes */

/* Let the cache know the tokens of a text. It holds ids, from which token_of() must find back: one without an id is not kept. */
static inline void keep_tokens(const wwho_key *key, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n) {
    uint32_t ids[LONG_ROOM];
    if (!v->ids) {
        keep(key, v->first_id, tokens, n);
        return;
    }
    if (!n || n > LONG_ROOM) return;
    for (uint32_t i = 0; i < n; i++)
        if ((ids[i] = v->ids[tokens[i]]) == WWHO_NONE) return;
    keep(key, 0, ids, n);
}

/* The ids that the cache has for a text that starts at `at`. */
static HOT void put_kept(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *kept, size_t at) {
    uint32_t n = id_count(kept);
    if (e->n + LONG_ROOM <= e->quick) {
        uint32_t *ids = e->ids + e->n;
        copy_bytes(ids, kept, SHORT_ROOM * sizeof *ids); /* most have less: quicker than to ask */
        ids[0] = first_id(kept);
        for (uint32_t i = SHORT_ROOM; i < n; i++) ids[i] = kept[i];
        e->n += n;
        return;
    }
    if (!e->cap) {
        e->n += n;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = i ? kept[i] : first_id(kept);
        if (e->ends) at += token_length(v, token_of(v, id));
        put(e, id, at);
    }
}

static inline uint64_t hash_at(const wwho_encoder *e, size_t at, size_t n) { return hash_text(e->text + at, n, e->len - at); }

COLD void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end) {
    (void)route;
    const uint8_t *text = e->text + at;
    uint32_t n = (uint32_t)(end - at), count = 1;
    e->tokens[0] = find_text(v, text, n, hash_at(e, at, n));
    if (e->tokens[0] == WWHO_NONE) {
        wwho_piece piece = {v, text, 0, n, e->len - at};
        count = merge(&piece, e->tokens, e->dead);
    }
    keep_tokens(key, v, e->tokens, count);
    put_all(e, v, e->tokens, count, at);
    if (!count)
        for (uint32_t i = 0; i < n; i++) put(e, id_of(v, v->bytes->token[text[i]]), at + i + 1);
}

/* The atom with this text, or WWHO_NONE. */
static inline uint32_t find_atom(const wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    uint32_t token = find_text(v, e->text + at, end - at, hash_at(e, at, end - at));
    return token < v->n_symbols ? token : WWHO_NONE;
}

/* Put the n atoms from `at`, which end at bounds[i], merged. */
static void put_run(wwho_encoder *e, const wwho_vocabulary *v, uint32_t n, uint32_t *bounds, size_t at) {
    for (uint32_t i = 0; i < n; i++) bounds[i] -= (uint32_t)at;
    wwho_piece run = {v, e->text + at, bounds, n, e->len - at};
    uint32_t count = merge(&run, e->tokens, e->dead);
    put_all(e, v, e->tokens, count, at);
    for (uint32_t i = 0; !count && i < n; i++) {
        size_t start = at + (i ? bounds[i - 1] : 0), end = at + bounds[i];
        put(e, id_of(v, find_atom(e, v, start, end)), end);
    }
}

/* A unit that is no atom: the lone space and an atom (true), spelled by another model, or unk_id. */
static bool encode_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    if (v->speller && e->text[at] == ' ' && v->space_id != WWHO_NONE && find_atom(e, v, at + 1, end) != WWHO_NONE) {
        put(e, v->space_id, at + 1);
        return true;
    }
    if (!v->speller || (e->flags & WWHO_UNK_TOKEN && v->unk_id != WWHO_NONE))
        put(e, v->unk_id, end);
    else {
        const wwho_key none = {.set = 0};
        v->speller->kind->encode(e, v->speller, 0, &none, at, end);
    }
    return false;
}

/* A word of n units, which end at e->bounds[i], some of which are no atoms: those cut it into runs. */
static void encode_broken_word(wwho_encoder *e, const wwho_vocabulary *v, size_t at, uint32_t n) {
    uint32_t first = 0; /* unit of the run */
    size_t run = at;
    for (uint32_t i = 0; i < n; i++) {
        size_t end = e->bounds[i];
        if (find_atom(e, v, at, end) == WWHO_NONE) {
            put_run(e, v, i - first, e->bounds + first, run);
            bool rest = encode_unknown(e, v, at, end);
            first = rest ? i : i + 1;
            run = rest ? at + 1 : end;
        }
        at = end;
    }
    put_run(e, v, n - first, e->bounds + first, run);
}

static void flush_phrase(wwho_encoder *e) {
    wwho_row *row = &e->phrase.row;
    if (!row->n) return;
    const wwho_vocabulary *v = &e->model->models[e->phrase.route->model];
    replay(&v->superwords, row);
    put_all(e, v, row->tokens, row->n, e->phrase.start);
    row->n = 0;
}

/* Put the n tokens of a segment, where there are superwords. One with more than a row holds is in no phrase. */
static COLD void put_in_phrase(wwho_encoder *e, const wwho_route *route, const uint32_t *tokens, uint32_t n,
                                                    size_t at, size_t end) {
    wwho_phrase *p = &e->phrase;
    wwho_row *row = &p->row;
    const wwho_vocabulary *v = &e->model->models[route->model];
    if (!(row->n && at == p->end && route == p->route && e->text[at] == ' ' && row->n + n <= PHRASE_TOKENS)) {
        flush_phrase(e);
        p->route = route;
        p->start = at;
    }
    p->end = end;
    if (n > PHRASE_TOKENS) {
        put_all(e, v, tokens, n, at);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        push(row, tokens[i], row->n ? pair_token(&v->superwords, row->tokens[row->n - 1], tokens[i]) : WWHO_NONE);
}

/* Move the cursor behind the word that starts there, and give the number of its units, which end at e->bounds[i]: syllables gather
 * to words, any other unit is a word of its own. */
static uint32_t scan_word(wwho_encoder *e, const wwho_automaton *units, wwho_cursor *c) {
    uint32_t n = 0, rule = WWHO_SYLLABLE;
    while (c->at < c->end && rule == WWHO_SYLLABLE) {
        wwho_cursor next = *c;
        scan_piece(&e->model->classes, units, &next, &rule);
        if (n && rule != WWHO_SYLLABLE) break;
        *c = next;
        e->bounds[n++] = (uint32_t)c->at;
    }
    return n;
}

/* Whether a token, if it is one, may stand for n units: an atom is one, all others are several. */
static inline bool spans_units(const wwho_vocabulary *v, uint32_t token, uint32_t n) {
    return token != WWHO_NONE && (token < v->n_symbols) == (n == 1);
}

/* The tokens of a word of n units, which end at e->bounds[i], go to `tokens`; returns how many, 0 where a unit is no atom or
 * the merge gives up. */
static uint32_t merge_word(wwho_encoder *e, const wwho_vocabulary *v, uint32_t *tokens, uint32_t n, size_t at) {
    size_t length = e->bounds[n - 1] - at;
    tokens[0] = find_plain(v, e->text + at, length, hash_at(e, at, length));
    if (spans_units(v, tokens[0], n)) return 1;
    for (uint32_t i = 0; i < n; i++) e->bounds[i] -= (uint32_t)at;
    wwho_piece word = {v, e->text + at, e->bounds, n, e->len - at};
    uint32_t count = merge(&word, tokens, e->dead);
    for (uint32_t i = 0; !count && i < n; i++) e->bounds[i] += (uint32_t)at;
    return count;
}

/* Put the tokens of a segment that starts at `at`, all of whose units are atoms. */
static void put_segment(wwho_encoder *e, const wwho_route *route, const uint32_t *tokens, uint32_t n, size_t at, size_t end) {
    const wwho_vocabulary *v = &e->model->models[route->model];
    if (v->superwords.slots)
        put_in_phrase(e, route, tokens, n, at, end);
    else
        put_all(e, v, tokens, n, at);
}

COLD void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                         size_t end) {
    uint32_t count = 0; /* tokens from `at` on that are not yet put */
    uint32_t unsure = v->superwords.slots ? PHRASE_TOKENS : 0; /* so many may yet merge: no reason to stop at the limit */
    bool broken = false;
    wwho_cursor c = start_at(&e->model->classes, e->text, at, end);
    while (c.at < end && (count <= unsure || e->n + count <= e->limit)) {
        size_t word = c.at;
        uint32_t n = scan_word(e, route->units, &c), merged = merge_word(e, v, e->tokens + count, n, word);
        count += merged;
        if (merged) continue;
        if (!broken) flush_phrase(e);
        broken = true;
        put_all(e, v, e->tokens, count, at);
        encode_broken_word(e, v, word, n);
        count = 0;
        at = c.at;
    }
    if (broken) {
        put_all(e, v, e->tokens, count, at);
        return;
    }
    if (c.at == end) keep_tokens(key, v, e->tokens, count);
    put_segment(e, route, e->tokens, count, at, end);
}

/* A piece was found: make its key. */
static HOT void set_found(const wwho_encoder *e, wwho_found *f, size_t at, size_t end, uint32_t model) {
    f->at = at;
    if (end - at < 8 * SHORT_TEXT && e->len - at >= 8 * SHORT_TEXT)
        make_short_key(&f->key, e->cache, e->text + at, end - at, model);
    else
        make_key(&f->key, e->cache, e->text + at, end - at, e->len - at, model);
    prefetch(f->key.set);
}

static HOT void put_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_found *f) {
    const uint32_t *kept = kept_ids(&f->key);
    if (kept)
        put_kept(e, v, kept, f->at);
    else
        v->kind->encode(e, v, route, &f->key, f->at, f->at + f->key.n);
}

/* The same, where its tokens may be part of a phrase. */
static HOT void put_found(wwho_encoder *e, const wwho_route *route, const wwho_found *f) {
    const wwho_vocabulary *v = &e->model->models[route->model];
    const uint32_t *kept = v->superwords.slots ? kept_ids(&f->key) : 0;
    if (!kept) {
        put_piece(e, v, route, f);
        return;
    }
    uint32_t tokens[LONG_ROOM], n = id_count(kept);
    for (uint32_t i = 0; i < n; i++) tokens[i] = (i ? kept[i] : first_id(kept)) - v->first_id;
    put_in_phrase(e, route, tokens, n, f->at, f->at + f->key.n);
}

/* A segment that is cut into pieces. */
static void encode_pieces(wwho_encoder *e, const wwho_route *route, wwho_cursor c) {
    const wwho_automaton *scanner = route->scanner;
    const wwho_vocabulary *v = &e->model->models[route->model];
    uint32_t rule, n, found = 0;
    wwho_found ahead[AHEAD];
    for (; c.at < c.end && e->n <= e->limit; found++) {
        size_t piece = c.at;
        if (c.end - piece >= WORD_READS && (n = word_length(scanner, e->text + piece)))
            c.at += n; /* and the class is that of an earlier character */
        else {
            read_class(&e->model->classes, &c);
            scan_piece(&e->model->classes, scanner, &c, &rule);
        }
        wwho_found *f = &ahead[found % AHEAD];
        if (found >= AHEAD) put_piece(e, v, route, f);
        set_found(e, f, piece, c.at, route->model);
    }
    for (uint32_t i = found < AHEAD ? 0 : found - AHEAD; i < found; i++) put_piece(e, v, route, &ahead[i % AHEAD]);
}

/* Segments that are pieces, ahead, and the route of each. */
typedef struct {
    wwho_found found[AHEAD];
    const wwho_route *routes[AHEAD];
    uint32_t n;
} wwho_queue;

static HOT void queue_segment(wwho_encoder *e, wwho_queue *ahead, const wwho_route *route, size_t at, size_t end) {
    uint32_t i = ahead->n++ % AHEAD;
    if (ahead->n > AHEAD) put_found(e, ahead->routes[i], &ahead->found[i]);
    ahead->routes[i] = route;
    set_found(e, &ahead->found[i], at, end, route->model);
}

static void flush_queue(wwho_encoder *e, wwho_queue *ahead) {
    for (uint32_t i = ahead->n < AHEAD ? 0 : ahead->n - AHEAD; i < ahead->n; i++)
        put_found(e, ahead->routes[i % AHEAD], &ahead->found[i % AHEAD]);
    ahead->n = 0;
    flush_phrase(e);
}

/* Text without special tokens. */
static void encode_ordinary(wwho_encoder *e, size_t at, size_t end) {
    wwho_queue ahead;
    if (e->flags & WWHO_ONE_PIECE) {
        const wwho_key none = {.set = 0};
        if (at < end) e->model->models[0].kind->encode(e, &e->model->models[0], 0, &none, at, end);
        return;
    }
    ahead.n = 0;
    for (wwho_cursor c = start_at(&e->model->classes, e->text, at, end); c.at < end && e->n <= e->limit;) {
        uint32_t route;
        size_t start = c.at;
        next_segment(e->model, &c, &route);
        const wwho_route *r = &e->model->routes[route];
        if (!r->scanner) {
            queue_segment(e, &ahead, r, start, c.at);
            continue;
        }
        flush_queue(e, &ahead);
        encode_pieces(e, r, start_within(&e->model->classes, &c, start, c.at));
    }
    flush_queue(e, &ahead);
}

WWHO_LOCAL void allow(wwho_allowed *specials, const wwho_vocabulary *v, const uint8_t *allowed) {
    specials->allowed = allowed;
    for (uint32_t i = 0; i < 256; i++) specials->starts[i] = false;
    for (uint32_t i = 0; allowed && i < v->n_tokens; i++)
        if (allowed[i]) specials->starts[v->texts[v->offset[i]]] = true;
}

WWHO_LOCAL uint32_t next_special(const wwho_encoder *e, size_t *at, size_t end, const wwho_allowed *specials) {
    const wwho_vocabulary *v = &e->model->specials;
    for (; specials->allowed && *at < end; ++*at) {
        if (!specials->starts[e->text[*at]]) continue;
        size_t left = end - *at;
        wwho_piece here = {v, e->text + *at, 0, left < v->longest ? (uint32_t)left : v->longest, left};
        wwho_matches m;
        uint32_t special;
        for (start_matches(&here, &m, 0, here.n); (special = next_match(&here, &m)) != WWHO_NONE; m.end--)
            if (specials->allowed[special]) return special;
    }
    *at = end;
    return WWHO_NONE;
}

static inline size_t column_size(size_t len) { return (4 * len + 15) & ~(size_t)15; }

size_t wwho_scratch_size(const wwho_model *model, size_t len) {
    (void)model;
    if (len > WWHO_MAX_LENGTH || len > SIZE_MAX / 16) return 0;
    return CACHE_WORDS * sizeof(uint64_t) + 2 * column_size(len) + ((len / 8 + 16) & ~(size_t)15);
}

/* Divide the scratch area for texts of up to len bytes. */
static int divide(wwho_encoder *e, size_t len, void *scratch, size_t scratch_len) {
    size_t needed = wwho_scratch_size(e->model, len);
    if (!e->model || (!e->text && len) || !scratch || (uintptr_t)scratch % 16 || !needed) return WWHO_ARGUMENT;
    if (scratch_len < needed) return WWHO_BUFFER;
    e->cache = scratch;
    e->tokens = (uint32_t *)(e->cache + CACHE_WORDS);
    e->bounds = e->tokens + column_size(len) / 4;
    e->dead = (uint8_t *)(e->bounds + column_size(len) / 4);
    fill_bytes(e->dead, 0, len / 8 + 1);
    return WWHO_OK;
}

static void encode(wwho_encoder *e, size_t at, size_t end, const wwho_allowed *specials) {
    while (at < end && e->n <= e->limit) {
        size_t stop = at;
        uint32_t special = next_special(e, &stop, end, specials);
        encode_ordinary(e, at, stop);
        at = stop;
        if (special == WWHO_NONE) break;
        at += token_length(&e->model->specials, special);
        put(e, e->model->special_ids[special], at);
    }
}

int wwho_encode_batch(const wwho_model *model, const uint8_t *text, const uint32_t *starts, size_t n_texts, const uint8_t *allowed,
                      uint32_t flags, void *scratch, size_t scratch_len, uint32_t *ids, uint32_t *ends, size_t cap,
                      uint32_t *rows) {
    if (!starts || !rows || (!ids && cap)) return WWHO_ARGUMENT;
    uint32_t longest = 0;
    for (size_t i = 0; i < n_texts; i++) {
        if (starts[i + 1] < starts[i]) return WWHO_ARGUMENT;
        if (starts[i + 1] - starts[i] > longest) longest = starts[i + 1] - starts[i];
    }
    wwho_encoder e = {.model = model, .text = text, .len = starts[n_texts], .flags = flags, .ids = ids, .ends = ends,
                      .cap = cap, .quick = ends ? 0 : cap, .limit = SIZE_MAX};
    int status = starts[n_texts] > WWHO_MAX_LENGTH ? WWHO_ARGUMENT : divide(&e, longest, scratch, scratch_len);
    if (status) return status;
    wwho_allowed specials;
    allow(&specials, &model->specials, allowed);
    rows[0] = 0;
    for (size_t i = 0; i < n_texts; i++) {
        e.start = starts[i];
        encode(&e, starts[i], starts[i + 1], &specials);
        rows[i + 1] = (uint32_t)e.n;
    }
    return e.n <= cap ? WWHO_OK : WWHO_BUFFER;
}

int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags, void *scratch,
                size_t scratch_len, uint32_t *ids, uint32_t *ends, size_t cap, size_t *n) {
    if (!n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    const uint32_t starts[2] = {0, (uint32_t)len};
    uint32_t rows[2] = {0, 0};
    int status = wwho_encode_batch(model, text, starts, 1, allowed, flags, scratch, scratch_len, ids, ends, cap, rows);
    *n = rows[1];
    return status;
}

int wwho_count(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags, void *scratch,
               size_t scratch_len, size_t limit, size_t *n) {
    if (!n) return WWHO_ARGUMENT;
    wwho_encoder e = {.model = model, .text = text, .len = len, .flags = flags, .limit = limit};
    int status = divide(&e, len, scratch, scratch_len);
    if (status) return status;
    wwho_allowed specials;
    allow(&specials, &model->specials, allowed);
    encode(&e, 0, len, &specials);
    *n = e.n;
    return WWHO_OK;
}
