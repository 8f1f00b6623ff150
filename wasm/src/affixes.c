/* See affixes.h. */
#include "affixes.h"

enum { SLACK = 16 }; /* bytes that may be read after a text */

/* A pretoken that is being written as symbols. */
typedef struct {
    const wwho_encoder *e;
    const wwho_vocabulary *v;
    size_t start, end; /* of the pretoken */
    uint8_t *out;
    uint32_t *starts, *ends; /* for each byte of `out`, the places in the text between which it stands; starts have SYMBOL_BEGINS */
    size_t n;
    size_t reached; /* where the tokens so far end in the pretoken */
    size_t unknown; /* where the last symbol begins in `out`, if it stands for unknown units; else SIZE_MAX */
} wwho_writing;

/* Append n bytes to the text that is being written. The room was checked before. */
static void append_bytes(wwho_writing *w, const uint8_t *bytes, size_t n) {
    copy_bytes(w->out + w->n, bytes, n);
    w->n += n;
}

/* Append the character of `width` bytes at the place `at` as a symbol: with the prefix unless it begins the pretoken, and with the suffix
 * if it ends it. A symbol that the model lacks is left out, replaced by the symbol for unknown ones (which then also stands for the next
 * ones, with v->fuse), or kept, to become its bytes. Tokens stand one after the other, as in tokenizers: each is as long as its units, and
 * a token that stands for a byte of an unknown symbol is one byte long. So where units are left out, or affixes fall back to bytes, later
 * tokens are not where their units are: w->reached is where the tokens so far end. */
static void append_symbol(wwho_writing *w, size_t at, uint32_t width) {
    const wwho_vocabulary *v = w->v;
    const bool prefix = v->n_prefix && at > w->start, suffix = v->n_suffix && at + width == w->end;
    const size_t from = w->n;
    if (prefix) append_bytes(w, v->prefix, v->n_prefix);
    append_bytes(w, w->e->text + at, width);
    if (suffix) append_bytes(w, v->suffix, v->n_suffix);
    size_t n = w->n - from;
    bool known = find_text(v, w->out + from, n, n, hash_text(w->out + from, n, n)) < v->n_symbols, bytes = false;
    if (!known && v->unknown == UNKNOWN_NONE) {
        w->n = from;
        return;
    }
    if (known) w->unknown = SIZE_MAX;
    if (!known && v->unk_symbol != WWHO_NONE) {
        w->n = from;
        if (v->fuse && w->unknown < from) { /* the symbol before stands for this unit, too */
            w->reached += width;
            for (size_t i = w->unknown; i < from; i++) w->ends[i] = (uint32_t)w->reached;
            return;
        }
        w->unknown = from;
        append_bytes(w, v->texts + v->offset[v->unk_symbol], token_length(v, v->unk_symbol));
    } else
        bytes = !known && falls_back(w->e, v, w->out + from, n);
    for (size_t i = from; i < w->n; i++) { /* each byte by itself, or all bytes where the unit is */
        size_t start = w->reached + (bytes ? i - from : 0), end = bytes ? start + 1 : start + width;
        w->starts[i] = (uint32_t)(start < w->end ? start : w->end - 1); /* a token beyond the pretoken begins with its last byte */
        w->ends[i] = (uint32_t)(end < w->end ? end : w->end);
    }
    w->starts[from] |= SYMBOL_BEGINS;
    w->reached += bytes ? n : width;
}

/* Write all characters of a pretoken, from w->start to w->end, as symbols into w->out. */
static void write_symbols(wwho_writing *w) {
    for (size_t at = w->start; at < w->end;) {
        uint32_t code_point, width = next_character(w->e->text + at, w->end - at, &code_point);
        append_symbol(w, at, width);
        at += width;
    }
}

/* Merge the text w->out, which was written as symbols, and write its tokens, with places in that text. Symbols that the model lacks cut it
 * into runs, and are replaced. Stores the tokens in the cache under `key` if one merge makes all of them. Sets e->unk_end anew. */
static void merge_written(wwho_encoder *e, const wwho_writing *w, const wwho_route *route, const wwho_key *key) {
    const wwho_vocabulary *v = w->v;
    wwho_run run = {.v = v, .text = w->out, .len = w->n, .end = w->n, .units = route->units, .segment_end = w->n, .written = w->starts};
    run.draws = e->draws;
    e->unk_end = SIZE_MAX;
    while (run.start < w->n) {
        size_t at;
        start_merge(e->merging, &run);
        uint32_t n = merge_run(e, &run, &at);
        if (!at && e->merging->at == w->n) keep_tokens(key, v, e->merging->tokens, n);
        put_all(e, v, e->merging->tokens, n, at);
        if (e->merging->at < run.end) put_symbols(e, &run);
        if (run.end == w->n) return;
        size_t stop = written_end(&run, run.end);
        if (put_unknown(e, v, run.end, stop, e->unk_end == run.end)) e->unk_end = stop;
        run.start = stop;
        run.end = w->n;
    }
}

/* Map the tokens from number `first` on, which have places in the text written as symbols, to their places in the text before, both counted
 * from e->start; in place. Does nothing if ends are not wanted. */
static void place_written(wwho_encoder *e, const wwho_writing *w, size_t first) {
    const uint32_t base = (uint32_t)e->start;
    for (size_t i = first; e->ends && i < e->n && i < e->cap; i++) {
        if (e->starts) e->starts[i] = (w->starts[e->starts[i] + base] & ~SYMBOL_BEGINS) - base;
        e->ends[i] = w->ends[e->ends[i] + base - 1] - base;
    }
}

/* Write the one token whose text is the whole pretoken from `at` to `end`, if the model prefers it (whole_pieces) and has it, and store it
 * in the cache under `key`. Returns false, and writes nothing, if there is none, or if merges are skipped. e->place moves to `at` before.
 */
static bool put_whole(wwho_encoder *e, const wwho_vocabulary *v, const wwho_key *key, size_t at, size_t end) {
    const wwho_vocabulary *texts = v->shown ? v->shown : v;
    size_t n = end - at;
    bool wanted = v->whole_pieces && !e->draws;
    uint32_t token = wanted ? find_text(texts, e->text + at, n, e->len - at, hash_text(e->text + at, n, e->len - at)) : WWHO_NONE;
    if (token == WWHO_NONE || (!v->affixes && token < v->n_made)) return false;
    keep_tokens(key, v, &token, 1);
    e->place = at;
    put(e, id_of(v, token), end);
    return true;
}

/* Encode the pretoken from `at` to `end` as symbols that are written out in e->work and then merged. Sets e->stuck to PIECE_STUCK, and
 * writes nothing, if e->work is too small for them. Meanwhile e->text is the text written as symbols; afterwards it is as it was, and
 * e->place is `end`. */
static void encode_written(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at, size_t end) {
    const uint8_t *text = e->text;
    size_t len = e->len, first = e->n;
    uint32_t n_unk = v->unk_symbol == WWHO_NONE ? 0 : token_length(v, v->unk_symbol);
    size_t room = (end - at) * (1 + (v->n_prefix > n_unk ? v->n_prefix : n_unk)) + v->n_suffix + SLACK;
    if (put_whole(e, v, key, at, end)) return;
    if (e->work_len / 9 < room) {
        e->stuck = PIECE_STUCK;
        return;
    }
    wwho_writing w = {.e = e, .v = v, .start = at, .end = end, .starts = (uint32_t *)(void *)e->work, .reached = at, .unknown = SIZE_MAX};
    w.ends = w.starts + room;
    w.out = e->work + 8 * room;
    write_symbols(&w);
    e->text = w.out;
    e->len = w.n;
    e->place = 0;
    merge_written(e, &w, route, key);
    e->text = text;
    e->len = len;
    place_written(e, &w, first);
    e->place = end;
}

/* Encode the pretoken from `at` to `end` of the encoder's text with BPE over units: write it as symbols and merge those, if its model and
 * route need that, or merge the units as they are. Its tokens may be stored in the cache under `key`. */
WWHO_LOCAL void encode_units(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end) {
    if (v->writes && (v->unk_symbol == WWHO_NONE || route->characters))
        encode_written(e, v, route, key, at, end);
    else
        encode_segment(e, v, route, key, at, end);
}
