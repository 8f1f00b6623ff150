/* See affixes.h. */
#include "affixes.h"

enum { SLACK = 16 }; /* bytes that may be read after a text */

/* A pretoken that is being written as symbols. */
typedef struct {
    const wwho_encoder *e;
    const wwho_vocabulary *v;
    size_t start, end; /* of the pretoken */
    uint8_t *out;
    uint32_t *sources; /* for each byte of `out`, where the character begins that it stands for */
    size_t n;
    bool led, ended;        /* the first symbol has a prefix, the last one a suffix */
    size_t character, next; /* with units that are left out: the last character that a byte was attributed to, and where it ends */
} wwho_writing;

/* Append n bytes that stand for the character at `source`. */
static void append_bytes(wwho_writing *w, const uint8_t *bytes, size_t n, size_t source) {
    copy_bytes(w->out + w->n, bytes, n);
    for (size_t i = 0; i < n; i++) w->sources[w->n + i] = (uint32_t)source;
    w->n += n;
}

/* The start of the character that holds the byte at a place of the pretoken. Places ascend from call to call. */
static uint32_t character_with(wwho_writing *w, size_t place) {
    uint32_t code_point;
    while (place >= w->next) {
        w->character = w->next;
        w->next += next_character(w->e->text + w->next, w->end - w->next, &code_point);
    }
    return (uint32_t)w->character;
}

/* Append the unit of `width` bytes at a place as a symbol, unless the model lacks it and leaves it out. `kept` is where the units that were
 * kept so far would end if those that are left out stood at the end of the pretoken: the symbol is attributed to the characters there. */
static void append_symbol(wwho_writing *w, size_t at, uint32_t width, size_t kept) {
    const wwho_vocabulary *v = w->v;
    const bool leaves_out = v->unknown == UNKNOWN_NONE, prefix = v->n_prefix && at > w->start, suffix = v->n_suffix && at + width == w->end;
    const size_t from = w->n;
    if (prefix) append_bytes(w, v->prefix, v->n_prefix, at);
    const size_t unit = w->n;
    append_bytes(w, w->e->text + at, width, at);
    if (suffix) append_bytes(w, v->suffix, v->n_suffix, at);
    size_t n = w->n - from;
    bool known = find_text(v, w->out + from, n, n, hash_text(w->out + from, n, n)) < v->n_symbols;
    if (!known && leaves_out) {
        w->n = from;
        return;
    }
    if (!known && v->unk_symbol != WWHO_NONE) {
        w->n = from;
        append_bytes(w, v->texts + v->offset[v->unk_symbol], token_length(v, v->unk_symbol), at);
    }
    if (!from) w->led = prefix;
    w->ended = suffix;
    if (!leaves_out) return;
    for (uint32_t i = 0; i < width; i++) w->sources[unit + i] = character_with(w, kept + i);
    for (size_t i = from; i < unit; i++) w->sources[i] = w->sources[unit];
    for (size_t i = unit + width; i < w->n; i++) w->sources[i] = w->sources[unit + width - 1];
}

/* Write the units of a pretoken as symbols. */
static void write_symbols(wwho_writing *w) {
    size_t kept = w->start;
    for (size_t at = w->start; at < w->end;) {
        uint32_t code_point, width = next_character(w->e->text + at, w->end - at, &code_point);
        size_t before = w->n;
        append_symbol(w, at, width, kept);
        kept += w->n > before ? width : 0;
        at += width;
    }
}

/* Merge a text that was written as symbols, and write its tokens. Symbols that the model lacks cut it into runs. */
static void merge_written(wwho_encoder *e, const wwho_writing *w, const wwho_route *route, const wwho_key *key) {
    const wwho_vocabulary *v = w->v;
    wwho_run run = {.v = v, .text = w->out, .len = w->n, .end = w->n, .units = route->units, .segment_end = w->n, .written = true};
    run.leading = w->led ? v->n_prefix : 0;
    run.trailing = w->ended ? v->n_suffix : 0;
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

/* Write the one token that a whole pretoken is, if the model says so, and has one with this text. */
static bool put_whole(wwho_encoder *e, const wwho_vocabulary *v, const wwho_key *key, size_t at, size_t end) {
    const wwho_vocabulary *texts = v->shown ? v->shown : v;
    size_t n = end - at;
    uint32_t token = v->whole_pieces ? find_text(texts, e->text + at, n, e->len - at, hash_text(e->text + at, n, e->len - at)) : WWHO_NONE;
    if (token == WWHO_NONE || (!v->affixes && token < v->n_made)) return false;
    keep_tokens(key, v, &token, 1);
    e->place = at;
    put(e, id_of(v, token), end);
    return true;
}

WWHO_LOCAL void encode_written(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end) {
    const uint8_t *text = e->text;
    size_t len = e->len, first = e->n;
    uint32_t n_unk = v->unk_symbol == WWHO_NONE ? 0 : token_length(v, v->unk_symbol);
    size_t room = (end - at) * (1 + (v->n_prefix > n_unk ? v->n_prefix : n_unk)) + v->n_suffix + SLACK;
    if (put_whole(e, v, key, at, end)) return;
    if (e->work_len / 5 < room) {
        e->stuck = PIECE_STUCK;
        return;
    }
    wwho_writing w = {.e = e, .v = v, .start = at, .end = end, .sources = (uint32_t *)(void *)e->work, .character = at, .next = at};
    w.out = e->work + 4 * room;
    write_symbols(&w);
    e->text = w.out;
    e->len = w.n;
    e->place = 0;
    merge_written(e, &w, route, key);
    e->text = text;
    e->len = len;
    place_tokens(e, first, w.sources, w.n, text, len);
    e->place = end;
}
