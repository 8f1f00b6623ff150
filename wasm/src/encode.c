/* Text -> tokens: added tokens, router, stages, merge (FORMAT.md, Encoding). */
#include "encode.h"

#include "cache.h"
#include "stages.h"
#include "stream.h"

/* A piece, or a segment of an SGPE route, and its key: its line of the cache is on its way. */
typedef struct {
    wwho_key key;
    size_t at;
} wwho_found;

#define AHEAD 8u /* pieces are found this far ahead of where their tokens are put: about as long as memory takes */

/* Let the cache know the tokens of a text. It holds ids, from which token_of() must find back: one without an id is not kept. */
static void keep_tokens(const wwho_key *key, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n) {
    uint32_t ids[LONG_ROOM];
    if (!v->ids) {
        keep(key, v->first_id, tokens, n);
        return;
    }
    if (!n || n > LONG_ROOM) return;
    for (uint32_t i = 0; i < n; i++)
        if (token_of(v, ids[i] = v->ids[tokens[i]]) != tokens[i]) return;
    keep(key, 0, ids, n);
}

WWHO_LOCAL void keep_noted(const wwho_key *key, const wwho_vocabulary *v, const wwho_kept *kept) {
    if (kept->n <= MAX_KEPT) keep_tokens(key, v, kept->tokens, kept->n);
}

/* n ids of a text that starts at `at`, in a buffer with room for LONG_ROOM. */
static WARM void put_ids(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *ids, uint32_t n, size_t at) {
    if (e->n + LONG_ROOM <= e->quick) {
        copy_bytes(e->ids + e->n, ids, LONG_ROOM * sizeof *ids); /* quicker than to ask */
        e->n += n;
        return;
    }
    if (!e->cap) {
        e->n += n;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (e->ends) at += token_length(v, token_of(v, ids[i]));
        put(e, ids[i], at);
    }
}

/* Whether 16 bytes may be read from a place. */
static inline bool is_readable(const wwho_encoder *e, size_t at) { return e->len - at >= 16; }

static inline uint64_t hash_at(const wwho_encoder *e, size_t at, size_t n) { return hash_text(e->text + at, n, e->len - at); }

static void flush_phrase(wwho_encoder *e) {
    wwho_row *row = &e->phrase.row;
    if (!row->n) return;
    const wwho_vocabulary *v = &e->model->models[e->phrase.route->model];
    replay(&v->superwords, row, 1);
    put_all(e, v, row->tokens, row->n, e->phrase.start);
    row->n = 0;
}

/* Hold tokens back no longer, nor those that come. */
static void release(wwho_encoder *e, const wwho_vocabulary *v) {
    if (!e->held.on) return;
    flush_phrase(e);
    put_all(e, v, e->held.tokens, e->held.n, e->held.start);
    e->held.on = false;
}

static void hold_or_put(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n, size_t at) {
    wwho_held *held = &e->held;
    if (held->on && held->n + n > PHRASE_TOKENS) release(e, v);
    if (!held->on)
        put_all(e, v, tokens, n, at);
    else
        for (uint32_t i = 0; i < n; i++) held->tokens[held->n++] = tokens[i];
}

/* Merge a run and put its tokens, but for the first: give those that are left at the end, from *at on. */
static uint32_t merge_run(wwho_encoder *e, wwho_run *run, size_t *at) {
    wwho_merging *m = e->merging;
    *at = run->start;
    while (!merge(m, run)) {
        release(e, run->v);
        *at = put_all(e, run->v, m->tokens, REACH, *at);
        take_final(m);
    }
    return m->count;
}

/* Put the symbols that a merge gave up as they are. */
static COLD void put_symbols(wwho_encoder *e, wwho_run *run) {
    release(e, run->v);
    for (size_t at = e->merging->at; at < run->end;) {
        uint32_t n, token = symbol_at(e->merging, run, at, &n);
        at += n;
        put(e, id_of(run->v, token), at);
    }
}

COLD void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end) {
    (void)route;
    uint32_t token = find_text(v, e->text + at, end - at, hash_at(e, at, end - at));
    if (token < n_pieces(v)) {
        keep_tokens(key, v, &token, 1);
        put_all(e, v, &token, 1, at);
        return;
    }
    wwho_run run = {.v = v, .text = e->text, .len = e->len, .start = at, .end = end};
    start_merge(e->merging, &run);
    uint32_t n = merge_run(e, &run, &at);
    if (at == run.start && e->merging->at == end) keep_tokens(key, v, e->merging->tokens, n);
    put_all(e, v, e->merging->tokens, n, at);
    put_symbols(e, &run);
}

/* The atom with this text, or WWHO_NONE. */
static inline uint32_t find_atom(const wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    uint32_t token = find_text(v, e->text + at, end - at, hash_at(e, at, end - at));
    return token < v->n_symbols ? token : WWHO_NONE;
}

/* A unit that is no atom: the lone space and an atom (true), or what stands for it. */
static bool encode_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    if (v->speller && e->text[at] == ' ' && v->space_id != WWHO_NONE && find_atom(e, v, at + 1, end) != WWHO_NONE) {
        put(e, v->space_id, at + 1);
        return true;
    }
    if (put_unknown(e, v, at, end, e->unk_end == at)) e->unk_end = end;
    return false;
}

/* Put the n tokens of a segment, where there are superwords. */
static COLD void put_in_phrase(wwho_encoder *e, const wwho_route *route, const uint32_t *tokens, uint32_t n, size_t at, size_t end) {
    wwho_phrase *p = &e->phrase;
    wwho_row *row = &p->row;
    const wwho_vocabulary *v = &e->model->models[route->model];
    if (!(row->n && at == p->end && route == p->route && e->text[at] == ' ' && row->n + n <= PHRASE_TOKENS)) {
        flush_phrase(e);
        p->route = route;
        p->start = at;
    }
    p->end = end;
    for (uint32_t i = 0; i < n; i++)
        push(row, tokens[i], row->n ? pair_token(&v->superwords, row->tokens[row->n - 1], tokens[i]) : WWHO_NONE);
}

/* Whether a token, if it is one, may stand for n units: an atom is one, all others are several. */
static inline bool spans_units(const wwho_vocabulary *v, uint32_t token, uint32_t n) {
    return token != WWHO_NONE && (token < v->n_symbols) == (n == 1);
}

/* The word at the cursor, which moves behind it: syllables gather to words, any other unit is a word of its own. Units that are no
 * atoms cut it into runs. */
static void encode_word(wwho_encoder *e, const wwho_vocabulary *v, const wwho_automaton *units, wwho_cursor *c) {
    const wwho_classes *classes = &e->model->classes;
    wwho_merging *m = e->merging;
    wwho_cursor unit = *c;
    uint32_t rule;
    scan(classes, units, &unit, &rule);
    size_t word = c->at, end = rule == WWHO_SYLLABLE ? c->end : unit.at;
    wwho_run run = {v, e->text, e->len, word, end, classes, units, c->end, unit.at};
    start_merge(m, &run);
    look_at_units(m, &run, word, 0, v->longest + 1);
    uint32_t token = WWHO_NONE;
    if (m->ends[m->n - 1] == run.end) token = find_plain(v, e->text + word, run.end - word, hash_at(e, word, run.end - word));
    if (spans_units(v, token, m->n)) {
        hold_or_put(e, v, &token, 1, word);
        *c = start_within(classes, c, run.end, c->end);
        return;
    }
    for (;;) {
        size_t at;
        uint32_t n = merge_run(e, &run, &at);
        hold_or_put(e, v, m->tokens, n, at);
        if (m->at < run.end) put_symbols(e, &run);
        if (run.end == end) break;
        unit = start_within(classes, c, run.end, c->end);
        scan(classes, units, &unit, &rule);
        if (rule != WWHO_SYLLABLE && run.end != word) break;
        release(e, v);
        bool rest = encode_unknown(e, v, run.end, unit.at);
        run.start = rest ? run.end + 1 : unit.at;
        run.first_end = rest ? unit.at : 0;
        run.end = end;
        start_merge(m, &run);
    }
    *c = start_within(classes, c, run.end, c->end);
}

/* Put the unmade token that a piece is as a whole, if it is one. */
static COLD bool put_unmade(wwho_encoder *e, const wwho_vocabulary *v, const wwho_key *key, size_t at, size_t end) {
    uint32_t token = v->whole_pieces ? find_text(v, e->text + at, end - at, hash_at(e, at, end - at)) : WWHO_NONE;
    if (token == WWHO_NONE || token < v->n_made) return false;
    keep_tokens(key, v, &token, 1);
    put_all(e, v, &token, 1, at);
    return true;
}

COLD void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end) {
    wwho_held *held = &e->held;
    if (put_unmade(e, v, key, at, end)) return;
    uint32_t unsure = v->superwords.slots ? PHRASE_TOKENS : 0; /* so many may yet merge: no reason to stop at the limit */
    held->on = true;
    held->n = 0;
    held->start = at;
    e->unk_end = SIZE_MAX;
    wwho_cursor c = start_at(&e->model->classes, e->text, at, end);
    while (c.at < end && ((held->on && held->n <= unsure) || e->n + (held->on ? held->n : 0) <= e->limit))
        encode_word(e, v, route->units, &c);
    if (!held->on) return;
    held->on = false;
    if (c.at == end) keep_tokens(key, v, held->tokens, held->n);
    if (v->superwords.slots)
        put_in_phrase(e, route, held->tokens, held->n, at, end);
    else
        put_all(e, v, held->tokens, held->n, at);
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

/* Put the tokens of what was found; they may be part of a phrase. */
static WARM void put_found(wwho_encoder *e, const wwho_route *route, const wwho_found *f) {
    const wwho_vocabulary *v = &e->model->models[route->model];
    uint32_t ids[LONG_ROOM], n = kept_ids(&f->key, ids);
    if (!v->superwords.slots) flush_phrase(e);
    if (!n) {
        v->kind->encode(e, v, route, &f->key, f->at, f->at + f->key.n);
    } else if (!v->superwords.slots) {
        put_ids(e, v, ids, n, f->at);
    } else {
        for (uint32_t i = 0; i < n; i++) ids[i] -= v->first_id;
        put_in_phrase(e, route, ids, n, f->at, f->at + f->key.n);
    }
}

/* Put the ids of pieces of a block, from one to another, the first of which starts at `at`. */
static COLD void put_known(wwho_encoder *e, const wwho_vocabulary *v, uint32_t from, uint32_t to, size_t at) {
    const wwho_block *b = e->block;
    size_t n = e->n;
    if (n + SHORT_ROOM * (size_t)(to - from) <= e->quick)
        for (uint32_t i = from; i < to; i++) {
            uint64_t ids[2] = {b->kept[i][0] & ~(UINT64_C(0xFF) << 24), b->kept[i][1]};
            copy_bytes(e->ids + n, ids, sizeof ids);
            n += b->kept[i][0] >> 24 & 0xFF;
        }
    else if (!e->cap)
        for (uint32_t i = from; i < to; i++) n += b->kept[i][0] >> 24 & 0xFF;
    else
        for (uint32_t i = from; i < to; at = b->ends[i++], n = e->n) {
            uint32_t ids[LONG_ROOM];
            copy_bytes(ids, b->kept[i], sizeof b->kept[i]);
            ids[0] &= 0xFFFFFF;
            put_ids(e, v, ids, b->kept[i][0] >> 24 & 0xFF, at);
        }
    e->n = n;
}

/* The token that is a whole piece, or WWHO_NONE. */
static HOT uint32_t find_whole(const wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t n) {
    if (n <= WHOLE_TEXT && is_readable(e, at)) {
        wwho_whole key = whole_key(e->text + at, (uint32_t)n), *line = whole_line(v, key);
        uint32_t id = WWHO_NONE;
        for (uint32_t s = 0; s < 4; s++) id = whole_id(line[s], key, id);
        if (id != WWHO_NONE) return token_of(v, id);
        if (!line[3].high) return WWHO_NONE; /* the line has room: it has all that belongs there */
    }
    return find_text(v, e->text + at, n, hash_at(e, at, n));
}

/* Begin to find the tokens of a piece that the cache lacks: the row gets the one, or symbols to merge, or none: then it is to be
 * encoded by itself. */
static HOT void start_miss(const wwho_encoder *e, const wwho_vocabulary *v, wwho_row *row, const wwho_key *key, size_t at) {
    row->n = 0;
    if (key->n > WINDOW) return;
    row->tokens[0] = find_whole(e, v, at, key->n);
    if (row->tokens[0] < n_pieces(v))
        row->n = 1;
    else
        start_bytes(row, v, e->text + at, (uint32_t)key->n);
}

/* Put the n pieces of the block from `at` on. In phases, so that reads overlap: keys, the cache without a branch, what it lacks:
 * tokens that are whole pieces, and merges, ROWS of them side by side. */
static COLD void put_block(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, size_t at, uint32_t n) {
    wwho_block *b = e->block;
    uint32_t near = n, misses = 0, done = 0; /* before `near`, 16 bytes may be read from each */
    while (near && (near > 1 ? b->ends[near - 2] : at) + 16 > e->len) near--;
    size_t start = at;
    for (uint32_t i = 0; i < near; start = b->ends[i++]) {
        b->keys[i] = brief_key(e->text + start, b->ends[i] - start, route->model);
        b->sets[i] = e->cache + brief_set(b->keys[i]);
        prefetch(b->sets[i]);
    }
    for (uint32_t i = 0; i < near; i++) {
        b->misses[misses] = i;
        misses += find_brief(b->sets[i], b->keys[i], b->kept[i]);
    }
    for (uint32_t i = near; i < n; i++) b->misses[misses++] = i;
    for (uint32_t k = 0; k < misses; k++) {
        uint32_t i = b->misses[k];
        wwho_key *key = &b->long_keys[k];
        start = i ? b->ends[i - 1] : at;
        make_key(key, e->cache, e->text + start, b->ends[i] - start, e->len - start, route->model);
        for (uint32_t way = is_short(key) || !key->set ? LONG_WAYS : 0; way < LONG_WAYS; way++) prefetch(key->set + way * LONG_LINE);
        if (key->n <= WHOLE_TEXT && is_readable(e, start))
            prefetch(whole_line(v, whole_key(e->text + start, (uint32_t)key->n)));
        else if (key->n <= v->longest)
            prefetch(&v->text_filter.bits[hash_at(e, start, key->n) >> (64 - v->text_filter.log2) >> 3]);
    }
    for (uint32_t k = 0; k < misses; k += ROWS) {
        uint32_t some = misses - k < ROWS ? misses - k : ROWS;
        uint32_t kept[ROWS][LONG_ROOM], n_kept[ROWS];
        for (uint32_t j = 0; j < some; j++) {
            uint32_t i = b->misses[k + j];
            n_kept[j] = i < near && is_short(&b->long_keys[k + j]) ? 0 : kept_ids(&b->long_keys[k + j], kept[j]);
            b->rows[j].n = 0;
            if (!n_kept[j]) start_miss(e, v, &b->rows[j], &b->long_keys[k + j], i ? b->ends[i - 1] : at);
        }
        replay(&v->pairs, b->rows, some);
        for (uint32_t j = 0; j < some; j++) {
            uint32_t i = b->misses[k + j];
            start = i ? b->ends[i - 1] : at;
            put_known(e, v, done, i, done ? b->ends[done - 1] : at);
            done = i + 1;
            if (n_kept[j])
                put_ids(e, v, kept[j], n_kept[j], start);
            else if (b->rows[j].n)
                put_all(e, v, b->rows[j].tokens, b->rows[j].n, start);
            else
                v->kind->encode(e, v, route, &b->long_keys[k + j], start, b->ends[i]);
        }
        for (uint32_t j = 0; j < some; j++)
            if (b->rows[j].n) keep_tokens(&b->long_keys[k + j], v, b->rows[j].tokens, b->rows[j].n);
    }
    put_known(e, v, done, n, done ? b->ends[done - 1] : at);
}

/* Whether most of the bytes ahead are not ASCII: there are no letters to skip, and the plain scanner, which reads characters of three
 * bytes by their page, is quicker. */
static inline bool is_wide(const uint8_t *text) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i += 8) n += (uint32_t)((load64(text + i) >> 7 & ONES) * ONES >> 56);
    return n > 16;
}

/* Put pieces from `at` on as the scanner finds them; gives where they end. */
static COLD size_t put_scanned(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, size_t at, size_t end) {
    uint32_t rule, n = 0;
    wwho_cursor c = start_at(&e->model->classes, e->text, at, end);
    while (c.at < end && n < BLOCK && e->n + n <= e->limit) {
        scan_piece(&e->model->classes, route->scanner, &c, &rule);
        e->block->ends[n++] = (uint32_t)c.at;
    }
    put_block(e, v, route, at, n);
    return c.at;
}

/* A segment that is cut into pieces by several stages, or by one that does not keep all. */
static void encode_staged(wwho_encoder *e, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end) {
    wwho_walk walk;
    start_walk(&walk, e->model, route, c, at, end);
    while (e->n <= e->limit && next_piece(&walk, &at, &end)) {
        wwho_found found = {.at = at};
        e->place = at; /* what is dropped belongs to no token */
        make_key(&found.key, e->cache, e->text + at, end - at, e->len - at, route->model);
        put_found(e, route, &found);
    }
}

/* A segment that is cut into pieces. */
static void encode_pieces(wwho_encoder *e, const wwho_route *route, wwho_cursor c) {
    const wwho_classes *classes = &e->model->classes;
    const wwho_vocabulary *v = &e->model->models[route->model];
    const wwho_stream *stream = route->scanner->stream;
    wwho_cutter cutter = {.c = c};
    uint32_t *ends = e->block->ends, n = 0, open = 0;
    cutter.carry = (1u << STREAM_EDGE) - 1;
    for (size_t at = c.at; at < c.end && e->n <= e->limit; n = open) {
        if (!v->whole || !stream->n || (c.end - at >= 32 && is_wide(e->text + at))) {
            cutter.c.at = at = put_scanned(e, v, route, at, c.end);
            cutter.row = open = 0;
            cutter.carry = (1u << STREAM_EDGE) - 1;
            continue;
        }
        size_t left = e->limit - e->n; /* a piece has a token at least */
        uint32_t room = left < BLOCK / 2 ? n + (uint32_t)left + STREAM_STEP : BLOCK;
        n = cut_pieces(classes, stream, &cutter, ends, n, room, &open);
        put_block(e, v, route, at, n - open);
        if (n > open) at = ends[n - open - 1];
        for (uint32_t i = 0; i < open; i++) ends[i] = ends[n - open + i];
    }
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

WWHO_LOCAL void encode_ordinary(wwho_encoder *e, size_t at, size_t end) {
    wwho_queue ahead;
    e->place = at;
    if (e->flags & WWHO_ONE_PIECE) {
        const wwho_key none = {.set = 0};
        const wwho_route *route = &e->model->routes[0];
        const wwho_vocabulary *v = &e->model->models[route->model];
        if (at < end) v->kind->encode(e, v, route, &none, at, end);
        flush_phrase(e);
        return;
    }
    ahead.n = 0;
    for (wwho_cursor c = start_at(&e->model->classes, e->text, at, end); c.at < end && e->n <= e->limit;) {
        uint32_t route;
        size_t start = c.at;
        next_segment(e->model, &c, &route);
        const wwho_route *r = &e->model->routes[route];
        if (!r->n_stages) {
            queue_segment(e, &ahead, r, start, c.at);
            continue;
        }
        flush_queue(e, &ahead);
        if (r->scanner && e->model->models[r->model].whole)
            encode_pieces(e, r, start_within(&e->model->classes, &c, start, c.at));
        else
            encode_staged(e, r, &c, start, c.at);
        e->place = c.at;
    }
    flush_queue(e, &ahead);
}
