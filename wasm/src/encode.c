/* Text -> tokens: router, routes, merge (FORMAT.md, Encoding). */
#include "encoder.h"

#include "blocks.h"
#include "cache.h"
#include "early.h"
#include "normalize.h"
#include "stream.h"

/* Store the n tokens of a pretoken in the cache, under its key. Nothing is stored if the key has no set, n is 0 or more than a line holds,
 * or a token has no id of its own: the cache holds ids, and token_of() must map each back to its token. If all tokens have one, skipping
 * this check makes unseen text 1.04 times as fast. */
WWHO_LOCAL void keep_tokens(const wwho_key *key, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n) {
    uint32_t ids[LONG_ROOM];
    if (!v->ids) {
        keep(key, v->first_id, tokens, n);
        return;
    }
    if (!n || n > LONG_ROOM) return;
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = v->ids[tokens[i]];
        if (!v->own_ids && token_of(v, ids[i]) != tokens[i]) return;
    }
    keep(key, 0, ids, n);
}

/* Store the tokens of a pretoken that note() collected in the cache, as keep_tokens() does, unless there were more than MAX_KEPT. */
WWHO_LOCAL void keep_noted(const wwho_key *key, const wwho_vocabulary *v, const wwho_kept *kept) {
    if (kept->n <= MAX_KEPT) keep_tokens(key, v, kept->tokens, kept->n);
}

/* Map *start and *end, places in a rewritten text, to the text before its rewriting, in place. `sources` has, for each byte of the
 * rewritten text, where its character starts in `text`, of len bytes, the text before. *start and *end count from `base`, sources from 0.
 * *start moves to the source character of its byte (in an empty part, of the byte before), and *end to the end of the source character of
 * the byte before it. Where *end is the beginning of the rewritten text, both stay. `start` may be null. */
WWHO_LOCAL void place_part(const uint32_t *sources, const uint8_t *text, size_t len, uint32_t base, uint32_t *start, uint32_t *end) {
    uint32_t first = (start ? *start : 0) + base, stop = *end + base, code_point;
    if (stop) {
        uint32_t last = sources[stop - 1];
        stop = last + next_character(text + last, len - last, &code_point);
        first = sources[first < *end + base ? first : *end + base - 1];
        *end = stop - base;
    }
    if (start) *start = first - base;
}

/* Map the starts and ends of the tokens from number `first` on, which are places in a rewritten text, to the text before (`text`, of len
 * bytes), as place_part() does. Changes e->starts and e->ends in place; does nothing if ends are not wanted. */
WWHO_LOCAL void place_tokens(wwho_encoder *e, size_t first, const uint32_t *sources, const uint8_t *text, size_t len) {
    for (size_t i = first; e->ends && i < e->n && i < e->cap; i++)
        place_part(sources, text, len, (uint32_t)e->start, e->starts ? &e->starts[i] : 0, &e->ends[i]);
}

/* Write n ids of a vocabulary for the text that starts at `at`, from a buffer with room for LONG_ROOM ids. If only ids are wanted and
 * there is room, the whole buffer is copied at once: that makes Hindi and Sinhala that were seen before 1.04 to 1.06 times as fast.
 * Otherwise, each id is written with its start and end. */
static HOT void put_ids(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *ids, uint32_t n, size_t at) {
    if (e->n + LONG_ROOM <= e->quick) {
        copy_bytes(e->ids + e->n, ids, LONG_ROOM * sizeof *ids);
        e->n += n;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t token = token_of(v, ids[i]);
        at = put_all(e, v, &token, 1, at);
    }
}

/* Return the hash of n bytes of the encoder's text from `at` on, as find_text() takes it. */
static inline uint64_t hash_at(const wwho_encoder *e, size_t at, size_t n) { return hash_text(e->text + at, n, e->len - at); }

/* Return the token whose text is the n bytes of the encoder's text from `at` on, or WWHO_NONE. */
static uint32_t find_at(const wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t n) {
    return find_text(v, e->text + at, n, e->len - at, hash_at(e, at, n));
}

/* Return the token whose text is the character of `width` bytes and this code point at `at`, or WWHO_NONE. The token may be any, not only a
 * symbol. The result is remembered in e->merging->characters by code point and model, except for a byte of broken UTF-8, and for U+FFFD. */
static uint32_t find_character(const wwho_encoder *e, const wwho_vocabulary *v, size_t at, uint32_t width, uint32_t code_point) {
    wwho_character *known = &e->merging->characters[code_point % CHARACTERS];
    uint32_t of = 1 + (code_point << 2 | (uint32_t)(v - e->model->models));
    if (code_point == REPLACEMENT) return find_at(e, v, at, width);
    if (known->of != of) *known = (wwho_character){of, find_at(e, v, at, width)};
    return known->token;
}

/* Merge the tokens of the phrase with the superwords of its model, write the result, and leave the phrase empty. Does nothing if the
 * phrase is empty. */
static void flush_phrase(wwho_encoder *e) {
    wwho_row *row = &e->phrase.row;
    if (!row->n) return;
    const wwho_vocabulary *v = &e->model->models[e->phrase.route->model];
    wwho_draws draws = {.gaps = e->draws ? e->draws->gaps : 0, .state = e->phrase.seed};
    row->draws = draws.gaps ? &draws : 0;
    replay(row, 1);
    put_all(e, v, row->tokens, row->n, e->phrase.start);
    row->n = 0;
}

/* Write the phrase and then the tokens of the current segment that were held back, and hold no more back: from now on, tokens of the
 * segment are written at once. Does nothing if none are held back. */
static void release(wwho_encoder *e, const wwho_vocabulary *v) {
    if (!e->held.on) return;
    flush_phrase(e);
    put_all(e, v, e->held.tokens, e->held.n, e->held.start);
    e->held.on = false;
}

/* Add n tokens, whose text starts at `at`, to those that are held back, or write them at once if no tokens are held back. If they would be
 * more than PHRASE_TOKENS, all that are held back are written, then these, and holding ends. `at` is not used for tokens that are held. */
static void keep_or_write(wwho_encoder *e, const wwho_vocabulary *v, const uint32_t *tokens, uint32_t n, size_t at) {
    wwho_held *held = &e->held;
    if (held->on && held->n + n > PHRASE_TOKENS) release(e, v);
    if (!held->on)
        put_all(e, v, tokens, n, at);
    else
        for (uint32_t i = 0; i < n; i++) held->tokens[held->n++] = tokens[i];
}

/* Merge a run and write its tokens, except the last ones: these stay in e->merging->tokens. Returns their number, and in *at the place
 * where the text of the first of them starts (where the run starts, if ends are not wanted). If merging gave up, e->merging->at is before
 * run->end: then put_symbols() writes the rest. */
WWHO_LOCAL uint32_t merge_run(wwho_encoder *e, wwho_run *run, size_t *at) {
    wwho_merging *m = e->merging;
    *at = run->start;
    while (!merge(m, run)) {
        release(e, run->v);
        *at = put_all(e, run->v, m->tokens, REACH, *at);
        take_final(m);
    }
    return m->count;
}

/* Write the symbols of a run from e->merging->at to its end, unmerged. That is the part where merge() gave up: nothing, if all was merged.
 * Releases tokens that were held back first. */
WWHO_LOCAL void put_symbols(wwho_encoder *e, wwho_run *run) {
    release(e, run->v);
    for (size_t at = e->merging->at; at < run->end;) {
        uint32_t n, token = symbol_at(e->merging, run, at, &n);
        at += n;
        put(e, id_of(run->v, token), at);
    }
}

/* Encode the pretoken text[at..end) with a vocabulary over bytes: `len` bytes of text may be read. Writes the one token that equals the
 * pretoken, or the tokens remembered from a recent long pretoken, or the merged bytes. Stores the tokens in the cache under `key` and, if
 * they are too many for a line, among the recent ones. */
static void merge_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_key *key, const uint8_t *text, size_t len, size_t at,
                        size_t end) {
    wwho_run run = {.v = v, .text = text, .len = len, .start = at, .end = end, .draws = e->draws};
    uint64_t hash = hash_text(text + at, end - at, len - at);
    uint32_t token = e->draws ? WWHO_NONE : find_text(v, text + at, end - at, len - at, hash);
    if (token < n_pieces(v)) {
        keep_tokens(key, v, &token, 1);
        put_all(e, v, &token, 1, at);
        return;
    }
    wwho_recent *recent = &e->merging->recent[hash >> (64 - RECENT_BITS)];
    if (!e->draws && recent->v == v && recent->n == end - at && same_text(recent->text, text + at, end - at)) {
        put_all(e, v, recent->tokens, recent->n_tokens, at);
        return;
    }
    start_merge(e->merging, &run);
    uint32_t n = merge_run(e, &run, &at);
    if (at == run.start && e->merging->at == end && !e->draws) {
        keep_tokens(key, v, e->merging->tokens, n);
        if (!key->set && end - at <= RECENT_BYTES && n <= RECENT_TOKENS) {
            *recent = (wwho_recent){.v = v, .n = (uint32_t)(end - at), .n_tokens = n};
            copy_bytes(recent->text, text + at, end - at);
            copy_bytes(recent->tokens, e->merging->tokens, n * sizeof *recent->tokens);
        }
    }
    put_all(e, v, e->merging->tokens, n, at);
    put_symbols(e, &run);
}

/* Encode the pretoken from `at` to `end` of the encoder's text with BPE over bytes. If its route has a step BLOCKS, the text is first
 * written as block symbols into e->work, and the tokens get their places in the text before. Sets e->stuck to PIECE_STUCK and writes
 * nothing if e->work is too small for that. `route` is null for a speller. The tokens are stored in the cache under `key`. */
WWHO_LOCAL void encode_piece(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end) {
    const wwho_step *blocks = e->flags & WWHO_ONE_PIECE ? 0 : route ? route->blocks : v->blocks; /* without a route, as a speller */
    if (!blocks) {
        merge_piece(e, v, key, e->text, e->len, at, end);
        return;
    }
    if (e->work_len / (5 * SPELLED) < end - at) {
        e->stuck = PIECE_STUCK;
        return;
    }
    uint32_t *sources = (uint32_t *)(void *)e->work;
    uint8_t *symbols = e->work + 4 * SPELLED * (end - at);
    size_t first = e->n, n = write_blocks(blocks, e->text, at, end, symbols, sources);
    if (n) merge_piece(e, v, key, symbols, n, 0, n);
    place_tokens(e, first, sources, e->text, e->len);
    e->place = end;
}

/* Return the symbol with the text from `at` to `end` of the encoder's text; WWHO_NONE if no symbol, but at most another token, has this
 * text. */
static inline uint32_t find_atom(const wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    uint32_t token = find_at(e, v, at, end - at);
    return token < v->n_symbols ? token : WWHO_NONE;
}

/* Encode the text from `at` to `end`, which is no symbol of the model. If it is a space before a symbol, in a model with a speller and a
 * space_id, only the space_id is written, and the result is true: the symbol from at + 1 on is still to be encoded. Otherwise, the
 * replacement of the whole text is written by put_unknown(), joined to an unk_id that ends at `at` (e->unk_end) if the model fuses them,
 * and the result is false; if the last token is unk_id, e->unk_end becomes `end`. */
static bool encode_unknown(wwho_encoder *e, const wwho_vocabulary *v, size_t at, size_t end) {
    if (v->speller && end - at > 1 && e->text[at] == ' ' && v->space_id != WWHO_NONE && find_atom(e, v, at + 1, end) != WWHO_NONE) {
        put(e, v->space_id, at + 1);
        return true;
    }
    if (put_unknown(e, v, at, end, e->unk_end == at)) e->unk_end = end;
    return false;
}

/* Add the n tokens of the segment from `at` to `end` to the phrase, for a model with superwords. The phrase before is written first, and a
 * new one begun, unless the segment follows it directly, has its route, starts with a space, and has room in it (PHRASE_TOKENS). */
static void put_in_phrase(wwho_encoder *e, const wwho_route *route, const uint32_t *tokens, uint32_t n, size_t at, size_t end) {
    wwho_phrase *p = &e->phrase;
    wwho_row *row = &p->row;
    const wwho_vocabulary *v = &e->model->models[route->model];
    if (!(row->n && at == p->end && route == p->route && e->text[at] == ' ' && row->n + n <= PHRASE_TOKENS)) {
        flush_phrase(e);
        start_row(row, &v->superwords, 0);
        p->route = route;
        p->start = at;
        if (e->sampler) p->seed = ~e->sampler->pretoken;
    }
    p->end = end;
    for (uint32_t i = 0; i < n; i++) push_symbol(row, tokens[i]);
}

/* Return true if a token with the text of n symbols may stand for them: a symbol stands for one, any other token for several. False for
 * WWHO_NONE, for superwords and for tokens that no merge makes. */
static inline bool spans_units(const wwho_vocabulary *v, uint32_t token, uint32_t n) {
    return token < v->n_plain && (token < v->n_symbols) == (n == 1);
}

/* Encode the word at the cursor, over units, and move the cursor past it. Adjacent syllables form a word, and any other match of `units`
 * is a word of its own. Text that is no symbol of the model cuts the word into runs, which merge separately, and is replaced. Tokens are
 * held back or written (keep_or_write()). */
static void encode_word(wwho_encoder *e, const wwho_vocabulary *v, const wwho_automaton *units, wwho_cursor *c) {
    const wwho_classes *classes = &e->model->classes;
    wwho_merging *m = e->merging;
    wwho_cursor unit = *c;
    uint32_t rule;
    scan(classes, units, &unit, &rule);
    size_t word = c->at, end = rule == WWHO_SYLLABLE ? c->end : unit.at;
    wwho_run run = {.v = v, .text = e->text, .len = e->len, .start = word, .end = end, .classes = classes, .units = units};
    run.draws = e->draws;
    run.segment_end = c->end;
    run.first_end = unit.at;
    start_merge(m, &run);
    look_at_units(m, &run, word, 0, v->longest + 1);
    uint32_t token = WWHO_NONE;
    if (m->ends[m->n - 1] == run.end) token = find_at(e, v, word, run.end - word);
    if (!e->draws && spans_units(v, token, m->n)) {
        keep_or_write(e, v, &token, 1, word);
        *c = start_within(classes, c, run.end, c->end);
        return;
    }
    for (;;) {
        size_t at;
        uint32_t n = merge_run(e, &run, &at);
        keep_or_write(e, v, m->tokens, n, at);
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

/* Write the one token that equals the whole pretoken from `at` to `end`, if the model has such a token that no merge makes and prefers it
 * (whole_pieces); store it in the cache under `key`. Returns false, and writes nothing, if there is none, or if merges are skipped. */
static bool put_unmade(wwho_encoder *e, const wwho_vocabulary *v, const wwho_key *key, size_t at, size_t end) {
    uint32_t token = v->whole_pieces && !e->draws ? find_at(e, v, at, end - at) : WWHO_NONE;
    if (token == WWHO_NONE || token < v->n_made) return false;
    keep_tokens(key, v, &token, 1);
    put_all(e, v, &token, 1, at);
    return true;
}

/* Return true if every match of an automaton for units is one character and a syllable: then each character is a symbol of its own. */
static bool are_characters(const wwho_automaton *units) { return units->single && units->stored.n_rules == 1; }

/* Encode the pretoken from `at` to `end`, of at most WIDE_WINDOW bytes, whose symbols are characters. Characters that the model lacks are
 * replaced, joined to an unk_id before them if the model fuses them, and separate the runs that merge. Without them, the tokens are stored
 * in the cache under `key`. If each run were merged with encode_word(), unseen Hindi would take 1.45 times as long with Yi's tokenizer, and
 * 1.5 times in WebAssembly. Overwrites the row of e->merging, and sets e->unk_end. */
static void encode_characters(wwho_encoder *e, const wwho_vocabulary *v, const wwho_key *key, size_t at, size_t end) {
    wwho_row *row = &e->merging->row;
    const size_t first = at;
    size_t start = at;
    start_row(row, &v->pairs, 0);
    for (;;) {
        uint32_t width = 0, code_point, token = WWHO_NONE;
        if (at < end) {
            width = next_character(e->text + at, end - at, &code_point);
            token = find_character(e, v, at, width, code_point);
        }
        if (token < v->n_symbols) {
            push_symbol(row, token);
            at += width;
            continue;
        }
        replay(row, 1);
        put_all(e, v, row->tokens, row->n, start);
        if (at == end) break;
        if (put_unknown(e, v, at, at + width, e->unk_end == at)) e->unk_end = at + width;
        start = at += width;
        row->n = 0;
    }
    if (start == first) keep_tokens(key, v, row->tokens, row->n);
}

/* Encode the pretoken from `at` to `end` of the encoder's text with BPE over the symbols that the route's automaton `units` finds, word by
 * word, or the one token that equals the pretoken and that no merge makes. Sets e->unk_end anew: unknown symbols of two pretokens do not
 * fuse. With superwords, its tokens go to the phrase and are written later. Stores the tokens in the cache under `key` if they are few.
 * Stops early when more than e->limit tokens are written. */
WWHO_LOCAL void encode_segment(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end) {
    wwho_held *held = &e->held;
    if (put_unmade(e, v, key, at, end)) return;
    e->unk_end = SIZE_MAX;
    if (end - at <= WIDE_WINDOW && are_characters(route->units) && !v->speller && !v->superwords.slots && !e->draws) {
        encode_characters(e, v, key, at, end);
        return;
    }
    uint32_t unsure = v->superwords.slots ? PHRASE_TOKENS : 0; /* so many tokens may yet merge: they are no reason to stop at the limit */
    held->on = true;
    held->n = 0;
    held->start = at;
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

/* Return the vocabulary of the model that encodes a pretoken of a block. */
static HOT const wwho_vocabulary *model_of(const wwho_encoder *e, const wwho_piece *piece) {
    return &e->model->models[piece->route->model];
}

/* Add the tokens of a pretoken of the block, whose ids the cache had, to the phrase, if its model has superwords; else write the phrase.
 * Returns true if they were added; the block's ids are then overwritten. Known Hindi is 1.14 times as fast in wwho_super_328k. */
static bool add_known(wwho_encoder *e, const wwho_piece *piece) {
    wwho_block *b = e->block;
    const wwho_vocabulary *v = model_of(e, piece);
    uint32_t *ids = b->ids + piece->first, n = piece[1].first - piece->first;
    if (!v->superwords.slots) {
        flush_phrase(e);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) ids[i] -= v->first_id;
    put_in_phrase(e, piece->route, ids, n, piece->start, b->ends[piece - b->pieces]);
    return true;
}

/* Write the ids that the cache had for the pretokens `from` up to, but without, `to` of the block, one after the other; pretokens that the
 * cache lacks have none, and leave no gap. Without a buffer of ids, they are only counted. If only ids are wanted and there is room, they
 * are copied four at a time, and up to three places after them are overwritten, into which later ids go; that makes English and code 1.15
 * times as fast in WebAssembly, natively 1.02 to 1.04 times. Otherwise, put_ids() writes those of each pretoken, or add_known() adds their
 * tokens to the phrase. */
static void put_known(wwho_encoder *e, const wwho_piece *from, const wwho_piece *to) {
    const uint32_t *ids = e->block->ids + from->first;
    uint32_t n = to->first - from->first;
    bool phrases = KNOWN_PHRASES && e->block->phrases;
    if (!phrases && (!e->cap || e->n + n + QUICK_ROOM <= e->quick)) {
        for (uint32_t i = 0; e->cap && i < n; i += 4) copy_bytes(e->ids + e->n + i, ids + i, 16);
        e->n += n;
    } else
        for (; from < to; from++) {
            if (phrases && add_known(e, from)) continue;
            put_ids(e, model_of(e, from), e->block->ids + from->first, from[1].first - from->first, from->start);
        }
}

/* Fill an empty row with the symbols of the pretoken from `at` to `end`, which must consist of syllables only, or with the one token that
 * equals it. The row stays empty if the pretoken has anything else, a syllable that is no symbol, or equals a superword or a token that no
 * merge makes. */
static void start_units(const wwho_encoder *e, const wwho_vocabulary *v, const wwho_automaton *units, wwho_row *row, size_t at,
                        size_t end) {
    const wwho_classes *classes = &e->model->classes;
    wwho_cursor c = start_at(classes, e->text, at, end);
    uint32_t n = 0, rule;
    while (c.at < end) {
        scan(classes, units, &c, &rule);
        if (rule != WWHO_SYLLABLE) return;
        row->tokens[n++] = (uint32_t)c.at;
    }
    uint32_t whole = row->draws ? WWHO_NONE : find_at(e, v, at, end - at);
    if (whole >= v->n_plain && whole != WWHO_NONE) return;
    if (spans_units(v, whole, n)) { /* found before the syllables are: unseen Hindi and Sinhala are 1.08 times as fast in wwho_328k */
        push_symbol(row, whole);
        return;
    }
    while (row->n < n) {
        size_t start = at;
        uint32_t token = find_at(e, v, start, (at = row->tokens[row->n]) - start);
        push_symbol(row, token);
        if (token >= v->n_symbols) n = row->n = 0;
    }
}

/* Fill an empty row with the characters of the pretoken from `at` to `end` as symbols, or with the one token that equals it. The row stays
 * empty if the model lacks a character, or if the pretoken equals a superword or a token that no merge makes. */
static void start_characters(const wwho_encoder *e, const wwho_vocabulary *v, wwho_row *row, size_t at, size_t end) {
    for (size_t next = at, start; next < end;) {
        uint32_t code_point, width = utf8_next(e->text + next, end - next, &code_point);
        uint32_t token = find_character(e, v, start = next, width, code_point);
        next += width;
        if (token >= v->n_symbols) {
            row->n = 0;
            return;
        }
        push_symbol(row, token);
        if (start > at || row->draws) continue;
        uint32_t whole = find_at(e, v, at, end - at);
        if (whole < v->n_symbols || whole == WWHO_NONE) continue;
        row->tokens[0] = whole; /* its symbols would be those of the token; as Llama 2, 0.95 of the time */
        row->n = whole < v->n_plain;
        return;
    }
}

/* Start to encode the pretoken from `at` to `end`, which the cache lacks. The empty row gets the one token that equals it, if merges are
 * not skipped, or the symbols to merge with replay(). The row stays empty if the pretoken must be encoded by itself: it is longer than
 * WINDOW bytes, is rewritten or written as symbols, is not for BPE, or has something unknown. */
static HOT void start_miss(const wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, wwho_row *row, size_t at, size_t end) {
    if (end - at > WINDOW || !v->pairs.slots || route->rewrites || v->writes) return;
    if (route->units) {
        if (are_characters(route->units))
            start_characters(e, v, row, at, end);
        else
            start_units(e, v, route->units, row, at, end);
        return;
    }
    if (route->blocks) return;
    if (row->draws) {
        push_each_byte(row, v, e->text + at, (uint32_t)(end - at));
        return;
    }
    row->tokens[0] = find_at(e, v, at, end - at);
    if (row->tokens[0] < n_pieces(v))
        row->n = 1;
    else
        push_bytes(row, v, e->text + at, (uint32_t)(end - at));
}

/* Rewrite text[it->at..it->end) by a list of steps into e->rooms[room], from its beginning on, as far as there is room and as the result is
 * certain. The caller sets that part and the flags of `it` (fresh, more, first); the rest of `it` is set here, and e->work is overwritten.
 * On return, it->at is where the rewriting stopped, it->n the bytes written, which may be 0, it->to the room, and it->full says whether
 * room was lacking. Returns false only if nothing could be written for want of room. */
WWHO_LOCAL bool rewrite_into(wwho_encoder *e, const wwho_rewrites *list, uint32_t room, const uint8_t *text, wwho_normalizing *it) {
    start_steps(it, list, &e->model->classes, e->known);
    it->text = text;
    it->to = e->rooms[room];
    it->n = 0;
    return run_steps(it, e->work, e->work_len);
}

/* Rewrite the whole piece text[at..end) by a list of steps, as a part of its own, into the encoder's room of number ROOM_OF_ROUTE + depth;
 * *out becomes a view of the result, with sources and without origins. This is the wwho_rewriter of an encoder. `place` is where the piece
 * starts in the text of the segment: a prefix is only for a piece before e->begins. Returns false if there is no room for all of it. */
WWHO_LOCAL bool rewrite_piece(void *encoder, const wwho_rewrites *list, uint32_t depth, size_t place, const uint8_t *text, size_t at,
                              size_t end, wwho_view *out) {
    wwho_encoder *e = encoder;
    wwho_normalizing it = {.at = at, .end = end, .fresh = true, .first = place < e->begins ? at : NOT_FIRST};
    rewrite_into(e, list, ROOM_OF_ROUTE + depth, text, &it);
    *out = (wwho_view){it.to.out, it.to.sources, 0, it.n};
    return it.at == end;
}

/* Encode the pretoken from `at` to `end`, the next one of the text, with its model. If something is drawn, its stream begins, and nothing
 * is stored in the cache. */
static void encode_pretoken(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                            size_t end) {
    const wwho_key none = {.set = 0};
    if (e->sampler) next_pretoken(e->sampler);
    v->kind->encode(e, v, route, e->sampler ? &none : key, at, end);
}

/* Rewrite the pretoken from `at` to `end` by the steps of its route after the cuts, and encode the result; its tokens get their places in
 * the text before. The cache stores them under `key`, that of the text before. Sets e->stuck to PIECE_STUCK, and writes nothing, if there
 * is no room for the rewritten text. Meanwhile e->text is the rewritten text; afterwards it is as it was, and e->place is `end`. */
static void encode_rewritten(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end) {
    const uint8_t *text = e->text;
    size_t len = e->len, first = e->n;
    wwho_view view;
    if (!rewrite_piece(e, route->rewrites, 0, at, text, at, end, &view)) {
        e->stuck = PIECE_STUCK;
        return;
    }
    e->text = view.text;
    e->len = view.n;
    e->place = 0;
    if (view.n) encode_pretoken(e, v, route, key, 0, view.n);
    e->text = text;
    e->len = len;
    place_tokens(e, first, view.sources, text, len);
    e->place = end;
}

/* Encode the pretoken from `at` to `end` of the text that the walk is in, which its lists of steps may have rewritten, and add it to the
 * spans if these are wanted. Nothing is cached. The places of tokens and spans are mapped back through each rewriting to the encoder's
 * text. */
static void encode_walked(wwho_encoder *e, const wwho_walk *walk, const wwho_route *route, size_t at, size_t end) {
    const wwho_key none = {.set = 0};
    const wwho_vocabulary *v = &e->model->models[route->model];
    const uint8_t *text = e->text;
    size_t len = e->len, start = e->start, first = e->n, first_span = e->n_spans;
    const wwho_view *view = &walk->views[walk->depth];
    if (walk->depth) {
        e->text = view->text;
        e->len = view->n;
    }
    e->place = at;
    if (e->spans) add_spans(e, route, at, end);
    if (!(e->flags & WWHO_CUT_ONLY)) encode_pretoken(e, v, route, &none, at, end);
    e->text = text;
    e->len = len;
    for (uint32_t k = walk->depth; k; k--, view--) {
        const uint8_t *before = k > 1 ? view[-1].text : text;
        size_t size = k > 1 ? view[-1].n : len;
        place_tokens(e, first, view->sources, before, size);
        for (size_t i = first_span; i < e->n_spans && i < e->spans_cap; i++)
            place_part(view->sources, before, size, (uint32_t)start, &e->spans[i].start, &e->spans[i].end);
    }
}

/* Encode the segment from `at` to `end` by the plain walk over all steps of its route (PATH_WALK in path.h); `c` is a cursor over the
 * text. Writes the block and the phrase first. Sets e->stuck to PIECE_STUCK if a piece could not be rewritten. */
static void encode_by_walk(wwho_encoder *e, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end) {
    wwho_walk walk;
    put_block(e);
    flush_phrase(e);
    start_walk(&walk, e->model, route, c, at, end, rewrite_piece, e);
    while (e->n <= e->limit && !e->stuck && next_piece(&walk, &at, &end)) encode_walked(e, &walk, route, at, end);
    if (walk.stuck) e->stuck = PIECE_STUCK;
}

/* Begin the stream of the pretoken of this number in the block, of which the sampler's stream had the state `base` and the count `n` at the
 * start, if something is drawn and each pretoken of the block counts: none is rewritten, and so vanishes. */
static void go_to_pretoken(wwho_encoder *e, uint64_t base, uint32_t n, uint32_t number) {
    if (!DRAWS_AHEAD || !e->sampler || e->block->rewritten) return;
    e->sampler->text = base + number * DRAW_STEP;
    e->sampler->n = n + number;
}

/* Return true if a merge of the pretoken from `at` to `end` may be skipped: the first draw of its stream, which begins with `seed`, takes
 * fewer merges than the pretoken may have. */
static bool drops_some(const wwho_encoder *e, const wwho_route *route, uint64_t seed, size_t at, size_t end) {
    const uint64_t number = nth_draw(seed, 0);
    if (takes_all(e->sampler, number, end - at - 1)) return false;
    if (!route->units) return true;
    size_t n = 0;
    for (uint32_t code_point; at < end && n <= GAPS + 1; n++) at += next_character(e->text + at, end - at, &code_point);
    return !takes_all(e->sampler, number, n - 1);
}

/* Find out whether draws that skip no merge of a pretoken leave it as it is, in a route and all others of its model and its units: whether
 * what is taken as one token by its text is what its symbols merge to. Notes it in e->block->replay. */
static void look_for_replay(const wwho_encoder *e, const wwho_route *route) {
    const wwho_model *model = e->model;
    const wwho_vocabulary *v = &model->models[route->model];
    bool replay = !v->whole_pieces && all_replay(v);
    if (replay && route->units) replay = cuts_as_merged(e->merging, v, &model->classes, route->units);
    for (uint32_t i = 0; i < model->n_routes; i++) {
        const wwho_route *r = &model->routes[i];
        if (r->model == route->model && r->units == route->units) e->block->replay[i] = 1 + replay;
    }
}

/* Say for each pretoken of the block whether it is drawn: a path, or merges of which some may be skipped. A drawn one loses its cache key;
 * any other is encoded as it would be without draws, which is the same where look_for_replay() says so. Native builds only. */
static void draw_block(const wwho_encoder *e, bool *drawn) {
    wwho_block *b = e->block;
    for (uint32_t i = 0; i < b->n; i++) {
        wwho_piece *p = &b->pieces[i];
        const wwho_vocabulary *v = model_of(e, p);
        if (v->kind->encode == encode_viterbi)
            drawn[i] = e->sampler->paths;
        else if (e->draws && v->kind->encode != encode_greedy) {
            const uint8_t *replay = &b->replay[p->route - e->model->routes];
            if (!*replay) look_for_replay(e, p->route);
            drawn[i] = *replay == 1 || drops_some(e, p->route, nth_draw(e->sampler->text, i), p->start, b->ends[i]);
        } else
            drawn[i] = false;
        if (!drawn[i]) continue;
        p->key = no_brief;
        p->set = e->cache + brief_set(p->key);
    }
}

/* Write the tokens of the block's pretokens in order, store those that the cache lacked, and leave the block empty. Tokens of a model with
 * superwords go to the phrase, of which all but the last is written: flush_phrase() writes that. This works in phases, so that reads of
 * memory overlap: the keys, made when the pretokens are queued; the cache lookup, without a branch; then the pretokens that the cache
 * lacks: tokens that equal a whole pretoken, and merges, ROWS of them side by side. With WWHO_CUT_ONLY, nothing is written. */
WWHO_LOCAL void put_block(wwho_encoder *e) {
    wwho_block *b = e->block;
    if (e->flags & WWHO_CUT_ONLY) b->n = 0;
    wwho_piece *p = b->pieces, *done = p;
    const uint64_t base = e->sampler ? e->sampler->text : 0;
    const uint32_t base_n = e->sampler ? e->sampler->n : 0;
    bool drawn[BLOCK], ahead = DRAWS_AHEAD && e->sampler && !b->rewritten;
    /* the cache does not say where the tokens of a rewritten pretoken end in the text, and knows nothing that is drawn */
    bool uncached = (b->rewritten && e->ends) || (e->sampler && !ahead);
    if (ahead) draw_block(e, drawn);
    b->phrases |= uncached;
    const bool again = b->phrases && (!KNOWN_PHRASES || uncached || e->sampler); /* each pretoken counts as a miss */
    uint32_t misses = 0, n = 0;
    for (uint32_t i = 0; i < b->n; i++, p++) {
        uint32_t found = find_brief(p->set, p->key, b->ids + n);
        p->first = n;
        n += found;
        b->misses[misses] = i;
        misses += !found | again;
    }
    p->first = n;
    for (uint32_t k = 0; k < misses; k++) {
        const wwho_piece *piece = &b->pieces[b->misses[k]];
        wwho_key *key = &b->long_keys[k];
        size_t start = piece->start;
        make_key(key, e->cache, e->text + start, b->ends[b->misses[k]] - start, e->len - start, piece->route->model);
        if (uncached || (ahead && drawn[b->misses[k]])) key->set = 0;
        /* with this prefetching, unseen Sinhala is 1.07 times as fast, Hindi 1.05 */
        for (uint32_t way = is_short(key) || !key->set ? LONG_WAYS : 0; way < LONG_WAYS; way++) prefetch(key->set + way * LONG_LINE);
        if (PAIRED_SETS && is_short(key) && key->set) prefetch(key->other);
    }
    if (!b->phrases) flush_phrase(e);
    for (uint32_t k = 0; k < misses; k += ROWS) {
        uint32_t some = misses - k < ROWS ? misses - k : ROWS;
        uint32_t kept[ROWS][LONG_ROOM], n_kept[ROWS];
        wwho_draws draws[ROWS];
        for (uint32_t j = 0; j < some; j++) {
            const wwho_piece *piece = &b->pieces[b->misses[k + j]];
            const wwho_key *key = &b->long_keys[k + j];
            const wwho_vocabulary *v = model_of(e, piece);
            n_kept[j] = kept_ids(key, kept[j]);
            if (ahead) draws[j] = (wwho_draws){.gaps = e->sampler->gaps, .state = nth_draw(base, b->misses[k + j])};
            start_row(&b->rows[j], &v->pairs, ahead && drawn[b->misses[k + j]] ? &draws[j] : 0);
            if (!n_kept[j] && v->pairs.slots && key->n <= WINDOW) prefetch_text(v, hash_at(e, piece->start, key->n));
        }
        for (uint32_t j = 0; j < some; j++) {
            const wwho_piece *piece = &b->pieces[b->misses[k + j]];
            if (!n_kept[j] && (ahead || !e->sampler))
                start_miss(e, model_of(e, piece), piece->route, &b->rows[j], piece->start, piece->start + b->long_keys[k + j].n);
        }
        replay(b->rows, some);
        /* unseen English as Llama 3.2 is 1.06 to 1.12 times as fast with this, as Gemma 3 1.04 to 1.08 */
        for (uint32_t j = 0; IDS_AHEAD && j < some; j++) {
            const uint32_t *ids = model_of(e, &b->pieces[b->misses[k + j]])->ids;
            for (uint32_t t = 0; ids && t < b->rows[j].n; t++) prefetch(&ids[b->rows[j].tokens[t]]);
        }
        for (uint32_t j = 0; j < some; j++) {
            wwho_piece *piece = &b->pieces[b->misses[k + j]];
            const wwho_key *key = &b->long_keys[k + j];
            const wwho_vocabulary *v = model_of(e, piece);
            const wwho_row *row = &b->rows[j];
            size_t start = piece->start, end = start + key->n;
            put_known(e, done, piece);
            done = piece + 1;
            e->place = start; /* dropped text belongs to no token */
            go_to_pretoken(e, base, base_n, b->misses[k + j]);
            if (row->n && !row->draws) keep_tokens(key, v, row->tokens, row->n);
            if (v->superwords.slots && (n_kept[j] || row->n)) {
                if (DRAWS_AHEAD && e->sampler) next_pretoken(e->sampler);
                for (uint32_t t = 0; t < n_kept[j]; t++) kept[j][t] -= v->first_id;
                put_in_phrase(e, piece->route, row->n ? row->tokens : kept[j], row->n ? row->n : n_kept[j], start, end);
                continue;
            }
            if (!v->superwords.slots) flush_phrase(e);
            if (n_kept[j])
                put_ids(e, v, kept[j], n_kept[j], start);
            else if (row->n)
                put_all(e, v, row->tokens, row->n, start);
            else if (piece->route->rewrites)
                encode_rewritten(e, v, piece->route, key, start, end);
            else
                encode_pretoken(e, v, piece->route, key, start, end);
        }
    }
    put_known(e, done, p);
    go_to_pretoken(e, base, base_n, b->n);
    b->n = 0;
    b->phrases = b->rewritten = false;
}

/* Write the block if it has no room for n more pretokens, or if its pretokens, of at least one token each, exceed the limit. Returns how
 * many pretokens the block then has: 0 if it was written. */
WWHO_LOCAL uint32_t make_room(wwho_encoder *e, uint32_t n) {
    if (e->block->n + n > BLOCK || e->n + e->block->n > e->limit) put_block(e);
    return e->block->n;
}

/* Return true if the cut of a route drops the match from `at` to `end`, for a route with PATH_STREAM. The first character of the match
 * decides this. */
static inline bool is_dropped(const wwho_encoder *e, const wwho_route *route, size_t at, size_t end) {
    const wwho_classes *classes = &e->model->classes;
    const wwho_automaton *a = route->scanner;
    uint32_t code_point = e->text[at];
    if (code_point >= 128) utf8_next(e->text + at, end - at, &code_point);
    uint32_t row = a->table[WWHO_START * a->stride + class_of(classes, code_point)] & ENTRY_ROW;
    return route->actions[ENTRY_MARK(a->table[row + classes->n_classes]) - 1];
}

/* Add pretokens of a route to the block, up to number n. Their ends are already in e->block->ends, from number block->n on; the first
 * starts at `at`, each other one at the end of the one before. Matches that the route's cut drops are left out, so the block may get
 * fewer. Makes their cache keys, prefetches, and adds their spans if these are wanted. */
WWHO_LOCAL void queue_pieces(wwho_encoder *e, const wwho_route *route, size_t at, uint32_t n) {
    wwho_block *b = e->block;
    const uint8_t *text = e->text;
    uint64_t *cache = e->cache;
    uint32_t model = route->model;
    ptrdiff_t sure = (ptrdiff_t)e->len - 16; /* 16 bytes may be read from any place up to here */
    wwho_piece *p = &b->pieces[b->n];
    for (uint32_t *end = &b->ends[b->n], *last = &b->ends[n], *kept = end; end < last; at = *end++) {
        if (route->path == PATH_STREAM && route->drops) {
            if (is_dropped(e, route, at, *end)) continue;
            *kept++ = *end;
        }
        p->key = (ptrdiff_t)at <= sure ? brief_key(text + at, *end - at, model) : no_brief;
        p->set = cache + brief_set(p->key);
        prefetch(p->set); /* unseen English is 1.45 times as fast, code 1.23 */
        p->start = (uint32_t)at;
        p++->route = route;
    }
    n = (uint32_t)(p - b->pieces);
    for (uint32_t i = b->n; e->spans && i < n; i++) add_spans(e, route, b->pieces[i].start, b->ends[i]);
    b->n = n;
    b->phrases |= e->model->models[route->model].superwords.slots != 0;
    b->rewritten |= route->rewrites || route->blocks || e->model->models[route->model].writes;
}

/* Cut the segment from `at` to `end` into pretokens by the walk over the cuts of its route (PATH_CUTS in path.h), and add these to the
 * block, which is written when it is full. `c` is a cursor over the text. */
static void encode_by_cuts(wwho_encoder *e, const wwho_route *route, const wwho_cursor *c, size_t at, size_t end) {
    wwho_walk walk;
    start_walk(&walk, e->model, route, c, at, end, 0, 0);
    while (e->n <= e->limit && next_piece(&walk, &at, &end)) {
        uint32_t n = make_room(e, 1);
        e->block->ends[n] = (uint32_t)end;
        queue_pieces(e, route, at, n + 1);
    }
}

/* Cut the segment from c.at to c.end into pretokens by the streaming automaton of its route's one cut (PATH_STREAM in path.h), or by the
 * plain scanner where the text is mostly not ASCII, short, or the automaton has no stream. Adds the pretokens to the block, which is
 * written when it is full. Stops when more than e->limit tokens are written. */
static void encode_by_stream(wwho_encoder *e, const wwho_route *route, wwho_cursor c) {
    const wwho_classes *classes = &e->model->classes;
    const wwho_stream *stream = route->scanner->stream;
    wwho_block *b = e->block;
    wwho_cutter cutter = {.c = c};
    uint32_t open = 0, rule;
    cutter.carry = (1u << STREAM_EDGE) - 1;
    for (size_t at = c.at; at < c.end && e->n <= e->limit;) {
        if (!stream->n || c.end - at < 20 || e->len - at < 32 || is_wide(e->text + at)) {
            uint32_t n = make_room(e, 1);
            wwho_cursor from = start_within(classes, &cutter.c, at, c.end);
            while (from.at < c.end && n < BLOCK && e->n + n <= e->limit) {
                scan_piece(classes, route->scanner, &from, &rule);
                b->ends[n++] = (uint32_t)from.at;
            }
            queue_pieces(e, route, at, n);
            at = from.at;
            cutter.c = from;
            cutter.row = open = 0;
            cutter.carry = (1u << STREAM_EDGE) - 1;
            continue;
        }
        uint32_t last = b->n, n = make_room(e, open + STREAM_STEP);
        for (uint32_t i = 0; n < last && i < open; i++) b->ends[i] = b->ends[last + i];
        if (e->n > e->limit) return;
        size_t left = e->limit - e->n; /* a pretoken has at least one token */
        uint32_t room = left < BLOCK / 2 ? n + open + (uint32_t)left + STREAM_STEP : BLOCK;
        uint32_t found = cut_pieces(classes, stream, &cutter, b->ends, n + open, room < BLOCK ? room : BLOCK, e->len, &open) - open;
        size_t next = found > n ? b->ends[found - 1] : at;
        queue_pieces(e, route, at, found);
        for (uint32_t i = 0; b->n < found && i < open; i++) b->ends[b->n + i] = b->ends[found + i];
        at = next;
    }
}

/* Write the tokens of text[at..end) of the encoder's text, which has no added tokens: cut it into segments by the router, and each into
 * pretokens on the path of its route. With WWHO_ONE_PIECE, the whole text is one pretoken of route 0. Stops soon after more than e->limit
 * tokens, or when e->stuck is set. */
WWHO_LOCAL void encode_ordinary(wwho_encoder *e, size_t at, size_t end) {
    e->place = at;
    if (e->flags & WWHO_ONE_PIECE) {
        const wwho_key none = {.set = 0};
        const wwho_route *route = &e->model->routes[0];
        const wwho_vocabulary *v = &e->model->models[route->model];
        if (at < end) encode_pretoken(e, v, route, &none, at, end);
        flush_phrase(e);
        return;
    }
    e->block->n = 0;
    e->block->phrases = e->block->rewritten = false;
    wwho_cursor c = start_at(&e->model->classes, e->text, at, end); /* after the segment that starts at `at` */
    for (uint32_t route = 0; at < end && e->n <= e->limit;) {
        if (c.at == at) next_segment(e->model, &c, &route);
        const wwho_route *r = &e->model->routes[route];
        uint8_t path = e->spans && r->rewrites ? PATH_WALK : r->path; /* spans are those of rewritten pretokens */
        if (path == PATH_WHOLE) {
            size_t first = at;
            uint32_t n = make_room(e, 1), same = route;
            do {
                e->block->ends[n++] = (uint32_t)(at = c.at);
                if (at < end) next_segment(e->model, &c, &route);
            } while (at < end && route == same && n < BLOCK && e->n + n <= e->limit);
            queue_pieces(e, r, first, n);
            continue;
        }
        e->fresh = true;
        if (path == PATH_STREAM)
            encode_by_stream(e, r, start_within(&e->model->classes, &c, at, c.at));
        else if (path == PATH_CUTS)
            encode_by_cuts(e, r, &c, at, c.at);
        else
            encode_by_walk(e, r, &c, at, c.at);
        at = c.at;
    }
    put_block(e);
    flush_phrase(e);
}
