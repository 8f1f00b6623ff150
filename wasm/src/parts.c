/* Text -> tokens: the added tokens in it, and the parts between them (FORMAT.md, Encoding). */
#include "added.h"
#include "cache.h"
#include "cuts.h"
#include "encode.h"
#include "models.h"
#include "viterbi.h"

/* What only one kind of model needs. */
static size_t lattice_size(const wwho_model *model) {
    for (uint32_t i = 0; model && i < model->n_models; i++)
        if (model->models[i].kind_number == KIND_VITERBI) return sizeof(wwho_lattice);
    return 0;
}

static inline size_t aligned(size_t size) { return (size + 15) & ~(size_t)15; }

/* Text that steps have rewritten: for each byte where the character came from, and where to begin anew (normalize.h), in the text
 * before. Without steps it is that text, and `sources` and `origins` are null. */
typedef struct {
    const uint8_t *text;
    const uint32_t *sources, *origins;
    size_t n;
} wwho_view;

/* Room for rewritten text, and its columns. */
typedef struct {
    uint8_t *out;
    uint32_t *sources, *origins;
    size_t room;
} wwho_room;

/* Where a text begins, or goes on: behind other text, in what the first steps rewrite as a whole, in a part of that. */
enum { GONE_ON = 1, INSIDE_TEXT = 2, INSIDE_PART = 4 };

/* What a call encodes: texts, and the parts of them on their way through the steps. */
typedef struct {
    wwho_encoder *e;
    wwho_wanted wanted;
    wwho_view source;   /* the text as it was given */
    wwho_room rooms[2]; /* for the steps of texts, for those of parts */
    uint32_t place;     /* GONE_ON.. */
    bool steps;         /* there are any */
} wwho_pipe;

enum {
    ROOM = 3 << 10,
    LINK = 18 + 60
}; /* bytes of rewritten text at once; what each needs in all: its own, columns, and passing characters */

size_t wwho_scratch_size(const wwho_model *model) {
    size_t steps = model && model->normalizer.n_all ? ROOM * LINK : 0;
    return CACHE_WORDS * sizeof(uint64_t) + aligned(sizeof(wwho_merging)) + aligned(sizeof(wwho_block)) + aligned(lattice_size(model)) +
           steps;
}

/* Divide the scratch area: what is beyond the size that it must have makes room for longer parts. */
static int divide(wwho_pipe *pipe, size_t len, void *scratch, size_t scratch_len, const uint8_t *allowed) {
    wwho_encoder *e = pipe->e;
    if (!e->model || (!e->text && len) || !scratch || (uintptr_t)scratch % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    size_t least = wwho_scratch_size(e->model);
    if (scratch_len < least) return WWHO_BUFFER;
    e->cache = scratch;
    e->merging = (wwho_merging *)(void *)(e->cache + CACHE_WORDS);
    e->block = (wwho_block *)(void *)((uint8_t *)e->merging + aligned(sizeof(wwho_merging)));
    e->lattice = (wwho_lattice *)(void *)((uint8_t *)e->block + aligned(sizeof(wwho_block)));
    pipe->source = (wwho_view){e->text, 0, 0, len};
    pipe->steps = e->model->normalizer.n_steps && !(e->flags & WWHO_ONE_PIECE);
    want_added(&pipe->wanted, e->model, allowed, e->flags);
    if (!e->model->normalizer.n_all) return WWHO_OK;
    e->pairs = e->flags & WWHO_ONE_PIECE ? 0 : e->model->normalizer.pairs;
    size_t room = (ROOM + (scratch_len - least) / LINK) & ~(size_t)15;
    uint8_t *at = (uint8_t *)e->lattice + aligned(lattice_size(e->model));
    e->work = at;
    e->work_len = 60 * room;
    at += e->work_len;
    for (uint32_t i = 0; i < 2; i++, at += 9 * room)
        pipe->rooms[i] = (wwho_room){at + 8 * room, (uint32_t *)(void *)at, (uint32_t *)(void *)(at + 4 * room), room};
    return WWHO_OK;
}

/* Rewrite text[at..end) of a view in one of the rooms, as far as that goes. False where it goes nowhere. */
static bool rewrite(wwho_pipe *pipe, bool late, const wwho_view *from, wwho_normalizing *it, wwho_view *to) {
    const wwho_room *room = &pipe->rooms[late];
    const wwho_model *model = pipe->e->model;
    start_steps(it, &model->normalizer, &model->classes, late);
    it->text = from->text;
    it->out = room->out;
    it->sources = room->sources;
    it->origins = room->origins;
    it->room = room->room;
    it->n = 0;
    bool done = normalize(it, pipe->e->work, pipe->e->work_len);
    *to = (wwho_view){room->out, room->sources, room->origins, it->n};
    return done;
}

/* The tokens from number `first` on have places in the text of a view: make them those of the source. */
static void find_source(const wwho_pipe *pipe, const wwho_view *view, size_t first) {
    if (view->sources) place_tokens(pipe->e, first, view->sources, view->n, pipe->source.text, pipe->source.n);
}

/* Encode text without added tokens of a view `late`, which is `early` or what steps made of that. */
static void encode_view(wwho_pipe *pipe, const wwho_view *late, const wwho_view *early, size_t at, size_t end) {
    wwho_encoder *e = pipe->e;
    size_t first = e->n;
    e->text = late->text;
    e->len = late->n;
    encode_ordinary(e, at, end);
    if (late->sources) place_tokens(e, first, late->sources, late->n, early->text, early->n);
    find_source(pipe, early, first);
}

/* Where text[at..end) of a view, which goes on, may be cut, or 0. In the text before, the steps begin anew behind `start`, at *from; if
 * `source` is that text, and not null, its own steps may begin anew there, too. */
static size_t find_cut(const wwho_pipe *pipe, const wwho_view *view, const wwho_view *source, size_t at, size_t end, size_t start,
                       size_t *from) {
    for (size_t n = end - at; (n = cut_ordinary(pipe->e->model, &pipe->wanted, view->text + at, n)) != 0;) {
        *from = view->origins ? view->origins[at + n] : at + n;
        if (*from == WWHO_NONE || *from <= start) continue;
        if (!source || !source->origins || source->origins[*from] != WWHO_NONE) return at + n;
    }
    return 0;
}

/* Encode text[at..end) of a view without added tokens: a part, or what is left of one where `fresh` is false. Gives how far that was
 * possible: to the end, unless the part goes on (`more`) or there is not enough room. */
static size_t encode_rewritten(wwho_pipe *pipe, const wwho_view *early, size_t at, size_t end, bool fresh, bool more) {
    const wwho_encoder *e = pipe->e;
    wwho_view late = {early->text, 0, 0, early->n};
    size_t from, cut = end;
    if (!pipe->steps || !e->model->normalizer.n_late) {
        if (more && !(cut = find_cut(pipe, &late, early, at, end, at, &from))) return at;
        if (at < cut) encode_view(pipe, &late, early, at, cut);
        return cut;
    }
    bool first = !(pipe->place & GONE_ON) && at < end && (early->sources ? early->sources[at] : at) == pipe->e->start;
    while (at < end && e->n <= e->limit) {
        wwho_normalizing it = {.at = at, .end = end, .fresh = fresh, .more = more, .first = first};
        bool whole = rewrite(pipe, true, early, &it, &late) && it.at == end && !more;
        cut = late.n;
        if (!whole && !(cut = find_cut(pipe, &late, more ? early : 0, 0, cut, at, &from))) {
            pipe->e->stuck |= !more || it.full;
            return at;
        }
        encode_view(pipe, &late, early, 0, cut);
        at = whole ? end : from;
        fresh = false;
    }
    return at;
}

/* Put an added token that was found in a view. */
static void put_added(wwho_pipe *pipe, const wwho_view *view, wwho_added_match m) {
    wwho_encoder *e = pipe->e;
    e->place = m.start;
    put(e, e->model->added_ids[m.number], m.end);
    find_source(pipe, view, e->n - 1);
}

static void set_place(wwho_pipe *pipe, uint32_t bit, bool on) { pipe->place = on ? pipe->place | bit : pipe->place & ~bit; }

/* Encode text[at..end) of a view, in which are the tokens of normalized text. Gives how far that was possible. */
static size_t encode_normalized(wwho_pipe *pipe, const wwho_view *early, size_t at, size_t end, bool more) {
    const wwho_encoder *e = pipe->e;
    const size_t from = at, sure = more ? sure_tokens(&pipe->wanted, 1, early->text, early->origins, at, &end) : end;
    while (e->n <= e->limit) {
        wwho_added_match m = find_next(&pipe->wanted, 1, early->text, from, at, sure);
        at = encode_rewritten(pipe, early, at, m.start, !(pipe->place & INSIDE_PART), false);
        if (at < m.start || m.number == WWHO_NONE) break;
        put_added(pipe, early, m);
        at = m.end;
        set_place(pipe, INSIDE_PART, false);
    }
    if (!more || at < sure) return at;
    at = encode_rewritten(pipe, early, at, end, !(pipe->place & INSIDE_PART), true);
    set_place(pipe, INSIDE_PART, at > sure || pipe->place & INSIDE_PART);
    return at;
}

/* Encode source[at..end), in which are no tokens of the text as it is. Gives how far that was possible. */
static size_t encode_part(wwho_pipe *pipe, size_t at, size_t end, bool more) {
    const wwho_normalizer *n = &pipe->e->model->normalizer;
    if (!pipe->steps || n->n_late == n->n_steps) return encode_normalized(pipe, &pipe->source, at, end, more);
    while (at < end && pipe->e->n <= pipe->e->limit) {
        wwho_view early;
        wwho_normalizing it = {.at = at, .end = end, .fresh = !(pipe->place & INSIDE_TEXT), .more = more};
        it.first = at == pipe->e->start && !(pipe->place & GONE_ON);
        bool whole = rewrite(pipe, false, &pipe->source, &it, &early) && it.at == end && !more;
        size_t read = encode_normalized(pipe, &early, 0, early.n, !whole);
        if (whole) return read < early.n ? at : end;
        pipe->e->stuck |= !read && (!more || it.full);
        if (!read) return at;
        at = read == early.n ? it.at : early.origins[read];
        set_place(pipe, INSIDE_TEXT, true);
    }
    return at;
}

/* Encode a text from `at` to `end`, which goes on with `more`. Gives how far that was possible. */
static size_t encode_text(wwho_pipe *pipe, size_t at, size_t end, bool more) {
    wwho_encoder *e = pipe->e;
    const uint8_t *text = pipe->source.text;
    const size_t from = at;
    if (more) end = at + whole_characters(text + at, end - at);
    const size_t sure = more ? sure_tokens(&pipe->wanted, 0, text, 0, at, &end) : end;
    e->start = at;
    while (e->n <= e->limit) {
        wwho_added_match m = find_next(&pipe->wanted, 0, text, from, at, sure);
        at = encode_part(pipe, at, m.start, false);
        if (at < m.start || m.number == WWHO_NONE) break;
        put_added(pipe, &pipe->source, m);
        at = m.end;
        pipe->place = GONE_ON;
    }
    if (more && at == sure) at = encode_part(pipe, at, end, true);
    set_place(pipe, GONE_ON, at > from || pipe->place);
    return at;
}

int wwho_encode_batch(const wwho_model *model, const uint8_t *text, const uint32_t *bounds, size_t n_texts, const uint8_t *allowed,
                      uint32_t flags, void *scratch, size_t scratch_len, uint32_t *ids, uint32_t *starts, uint32_t *ends, size_t cap,
                      uint32_t *rows) {
    if (!bounds || !rows || (!ids && cap) || (starts && !ends)) return WWHO_ARGUMENT;
    for (size_t i = 0; i < n_texts; i++)
        if (bounds[i + 1] < bounds[i]) return WWHO_ARGUMENT;
    wwho_encoder e = {.model = model,
                      .text = text,
                      .len = bounds[n_texts],
                      .flags = flags,
                      .ids = ids,
                      .starts = starts,
                      .ends = ends,
                      .cap = cap,
                      .quick = ends ? 0 : cap,
                      .limit = SIZE_MAX};
    wwho_pipe pipe = {.e = &e};
    rows[0] = rows[n_texts] = 0;
    int status = divide(&pipe, e.len, scratch, scratch_len, allowed);
    for (size_t i = 0; !status && i < n_texts; i++) {
        pipe.place = 0;
        encode_text(&pipe, bounds[i], bounds[i + 1], false);
        rows[i + 1] = (uint32_t)e.n;
        if (e.stuck) status = WWHO_BUFFER;
    }
    if (status) rows[n_texts] = 0;
    return status || e.n <= cap ? status : WWHO_BUFFER;
}

int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags, void *scratch,
                size_t scratch_len, uint32_t *ids, uint32_t *starts, uint32_t *ends, size_t cap, size_t *n) {
    if (!n || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    const uint32_t bounds[2] = {0, (uint32_t)len};
    uint32_t rows[2] = {0, 0};
    int status = wwho_encode_batch(model, text, bounds, 1, allowed, flags, scratch, scratch_len, ids, starts, ends, cap, rows);
    *n = rows[1];
    return status;
}

int wwho_count(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, uint32_t flags, void *scratch,
               size_t scratch_len, size_t limit, size_t *n) {
    if (!n) return WWHO_ARGUMENT;
    wwho_encoder e = {.model = model, .text = text, .len = len, .flags = flags, .limit = limit};
    wwho_pipe pipe = {.e = &e};
    int status = divide(&pipe, len, scratch, scratch_len, allowed);
    *n = 0;
    if (status) return status;
    encode_text(&pipe, 0, len, false);
    if (e.stuck) return WWHO_BUFFER;
    *n = e.n;
    return WWHO_OK;
}

int wwho_encode_part(const wwho_model *model, const uint8_t *text, size_t len, int more, const uint8_t *allowed, uint32_t flags,
                     void *scratch, size_t scratch_len, uint32_t *ids, size_t cap, uint32_t *place, size_t *read, size_t *n) {
    if (!n || !read || !place || *place > (GONE_ON | INSIDE_TEXT | INSIDE_PART) || (!ids && cap)) return WWHO_ARGUMENT;
    wwho_encoder e = {.model = model, .text = text, .len = len, .flags = flags, .ids = ids, .cap = cap, .quick = cap, .limit = SIZE_MAX};
    wwho_pipe pipe = {.e = &e, .place = *place};
    int status = divide(&pipe, len, scratch, scratch_len, allowed);
    *read = *n = 0;
    if (status) return status;
    if (flags & WWHO_ONE_PIECE && more) return WWHO_ARGUMENT;
    size_t at = encode_text(&pipe, 0, len, more);
    if (e.stuck > (at && more)) return WWHO_BUFFER;
    *n = e.n;
    if (e.n > cap && ids) return WWHO_BUFFER;
    *read = at;
    *place = pipe.place;
    return WWHO_OK;
}
