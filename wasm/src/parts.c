/* Text -> tokens: the added tokens in it, and the parts between them (FORMAT.md, Encoding). */
#include "added.h"
#include "cache.h"
#include "cuts.h"
#include "encoder.h"
#include "models.h"
#include "normalize.h"
#include "viterbi.h"

/* Return how many bytes of scratch memory the lattice of VITERBI models takes; 0 if the tokenizer has none or is null. */
static size_t lattice_size(const wwho_model *model) {
    for (uint32_t i = 0; model && i < model->n_models; i++)
        if (model->models[i].kind_number == KIND_VITERBI) return sizeof(wwho_lattice);
    return 0;
}

/* Return true if the steps or the models of a tokenizer write texts that are not the caller's, so that rooms for them are needed. */
static bool writes(const wwho_model *model) { return model && (model->n_normalizer || model->writes); }

/* Return how many bytes of scratch memory the table of known characters takes; 0 if nothing is rewritten. */
static size_t known_size(const wwho_model *model) { return writes(model) ? KNOWN_LISTS * KNOWN_SLOTS * sizeof(wwho_known) : 0; }

/* Return a size in bytes, rounded up to a multiple of 16. */
static inline size_t aligned(size_t size) { return (size + 15) & ~(size_t)15; }

/* Flags of the place where a call begins: after other text; within text that the first steps rewrite as a whole; within a part of that. */
enum { GONE_ON = 1, INSIDE_TEXT = 2, INSIDE_PART = 4 };

/* The state of a call: the text, and its parts as they pass through the steps. */
typedef struct {
    wwho_encoder *e;
    wwho_wanted wanted;
    wwho_view source; /* the original text */
    uint32_t place;   /* GONE_ON, INSIDE_TEXT, INSIDE_PART */
    bool steps;       /* whether any steps run */
} wwho_pipe;

enum { ROOM = 3 << 10 }; /* bytes of rewritten text at a time */

/* Return how many bytes of scratch memory one byte of room takes: in every room a byte of text with its source and its origin, and 60
 * bytes for characters in the steps. */
static size_t link_size(const wwho_model *model) { return 9 * (ROOM_OF_ROUTE + model->n_lists) + 60; }

/* Return how many bytes of scratch memory a call needs at least: for the cache, the merge, the block, the lattice, and for tokenizers that
 * rewrite ROOM bytes of text at a time. With more, longer parts have room. */
size_t wwho_scratch_size(const wwho_model *model) {
    size_t steps = writes(model) ? ROOM * link_size(model) : 0;
    return LINE_SLACK + CACHE_WORDS * sizeof(uint64_t) + aligned(sizeof(wwho_merging)) + aligned(sizeof(wwho_block)) +
           aligned(lattice_size(model)) + known_size(model) + steps;
}

/* Check the arguments of a call, and divide the scratch area, of scratch_len bytes, among the encoder's tables and rooms. All bytes beyond
 * the least size make the rooms larger. Also fills in pipe->source, pipe->wanted and pipe->steps. Returns WWHO_OK, WWHO_ARGUMENT, or
 * WWHO_BUFFER if the area has less than wwho_scratch_size() bytes. */
static int divide(wwho_pipe *pipe, size_t len, void *scratch, size_t scratch_len, const uint8_t *allowed) {
    wwho_encoder *e = pipe->e;
    if (!e->model || (!e->text && len) || !scratch || (uintptr_t)scratch % 16 || len > WWHO_MAX_LENGTH) return WWHO_ARGUMENT;
    size_t least = wwho_scratch_size(e->model);
    if (scratch_len < least) return WWHO_BUFFER;
    e->cache = line_start(scratch);
    e->merging = (wwho_merging *)(void *)(e->cache + CACHE_WORDS);
    e->block = (wwho_block *)(void *)((uint8_t *)e->merging + aligned(sizeof(wwho_merging)));
    e->lattice = (wwho_lattice *)(void *)((uint8_t *)e->block + aligned(sizeof(wwho_block)));
    uint8_t *at = (uint8_t *)e->lattice + aligned(lattice_size(e->model));
    e->known = (wwho_known *)(void *)at;
    at += known_size(e->model);
    pipe->source = (wwho_view){e->text, 0, 0, len};
    want_added(&pipe->wanted, e->model, allowed, e->flags);
    if (!writes(e->model)) return WWHO_OK;
    pipe->steps = e->model->n_normalizer && !(e->flags & (WWHO_CUT_ONLY | WWHO_ONE_PIECE));
    size_t room = (ROOM + (scratch_len - least) / link_size(e->model)) & ~(size_t)15;
    e->work = at;
    e->work_len = 60 * room;
    at += e->work_len;
    for (uint32_t i = 0; i < ROOM_OF_ROUTE + e->model->n_lists; i++, at += 9 * room)
        e->rooms[i] = (wwho_room){at + 8 * room, (uint32_t *)(void *)at, (uint32_t *)(void *)(at + 4 * room), room};
    return WWHO_OK;
}

/* Rewrite the part from it->at to it->end of a view by the first (`late` false) or second steps of the normalizer into one of the
 * encoder's two rooms, as far as possible; *to becomes a view of the result. Returns false if nothing could be rewritten. */
static bool rewrite(wwho_pipe *pipe, bool late, const wwho_view *from, wwho_normalizing *it, wwho_view *to) {
    bool done = rewrite_into(pipe->e, &pipe->e->model->normalizer[late], late, from->text, it);
    *to = (wwho_view){it->to.out, it->to.sources, it->to.origins, it->n};
    return done;
}

/* Map the places of the tokens from number `first` on and of the spans from number `first_span` on from the text of a view to `text`, of
 * len bytes, the text before it. Does nothing if the view has no sources. */
static void place_all(wwho_encoder *e, const wwho_view *view, size_t first, size_t first_span, const uint8_t *text, size_t len) {
    if (!view->sources) return;
    place_tokens(e, first, view->sources, text, len);
    for (size_t i = first_span; i < e->n_spans && i < e->spans_cap; i++)
        place_part(view->sources, text, len, (uint32_t)e->start, &e->spans[i].start, &e->spans[i].end);
}

/* Return the place in the original text of its first character, or NOT_FIRST in a call that goes on with a text. */
static size_t first_source(const wwho_pipe *pipe) { return pipe->place & GONE_ON ? NOT_FIRST : pipe->e->start; }

/* Encode text[at..end), which has no added tokens, of the view `late`: this is `early` itself or what the second steps made of it. The
 * encoder's text becomes that of `late`, and the new tokens and spans get their places in the original text. */
static void encode_view(wwho_pipe *pipe, const wwho_view *late, const wwho_view *early, size_t at, size_t end) {
    wwho_encoder *e = pipe->e;
    size_t first = e->n, first_span = e->n_spans;
    e->text = late->text;
    e->len = late->n;
    for (e->begins = at; e->begins < end; e->begins++) {
        size_t source = late->sources ? late->sources[e->begins] : e->begins;
        if ((early->sources ? early->sources[source] : source) != first_source(pipe)) break;
    }
    encode_ordinary(e, at, end);
    place_all(e, late, first, first_span, early->text, early->n);
    place_all(e, early, first, first_span, pipe->source.text, pipe->source.n);
}

/* Return the last place in text[at..end) of a view, which more text follows, where it may be cut so that both parts encode as the whole, or
 * 0. *from becomes the place in the text before the view, greater than `start`, from which the steps then begin anew. If `source`, the view
 * of the text before, is not null, its own steps must be able to begin anew at *from, too. */
static size_t find_cut(const wwho_pipe *pipe, const wwho_view *view, const wwho_view *source, size_t at, size_t end, size_t start,
                       size_t *from) {
    const wwho_rewrites *list = pipe->e->model->normalizer;
    const bool kept = KEPT_TEXT && source && !source->origins && pipe->steps && list->n; /* text that the first steps may keep as it is */
    for (size_t n = end - at; (n = last_cut(pipe->e->model, &pipe->wanted, view->text + at, n)) != 0;) {
        *from = view->origins ? view->origins[at + n] : at + n;
        if (*from == WWHO_NONE || *from <= start) continue;
        if (source && source->origins && source->origins[*from] == WWHO_NONE) continue;
        if (!kept || keeps_first(list, view->text + at + n, end - at - n)) return at + n;
    }
    return 0;
}

/* Encode text[at..end) of a view without added tokens: first the second steps of the normalizer, then the models. `fresh`: a part begins
 * at `at`; otherwise, it goes on there. `more`: the part continues after `end`, so only text before a safe cut is encoded. Returns the
 * place up to which it was encoded. Sets e->stuck if room was lacking. */
static size_t encode_part(wwho_pipe *pipe, const wwho_view *early, size_t at, size_t end, bool fresh, bool more) {
    const wwho_encoder *e = pipe->e;
    wwho_view late = {early->text, 0, 0, early->n};
    size_t from, cut = end;
    if (!pipe->steps || !e->model->normalizer[1].n) {
        if (more && !(cut = find_cut(pipe, &late, early, at, end, at, &from))) return at;
        if (at < cut) encode_view(pipe, &late, early, at, cut);
        return cut;
    }
    while (at < end && e->n <= e->limit) {
        wwho_normalizing it = {.at = at, .end = end, .fresh = fresh, .more = more, .before = early->sources};
        it.first = first_source(pipe);
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

/* Write the id of an added token that was found in a view, with its place in the original text. */
static void put_added(wwho_pipe *pipe, const wwho_view *view, const wwho_added_match *m) {
    wwho_encoder *e = pipe->e;
    e->place = m->start;
    put(e, e->model->added_ids[m->number], m->end);
    place_all(e, view, e->n - 1, e->n_spans, pipe->source.text, pipe->source.n);
}

/* Set or clear a flag (GONE_ON, INSIDE_TEXT, INSIDE_PART) of pipe->place. */
static void set_place(wwho_pipe *pipe, uint32_t bit, bool on) { pipe->place = on ? pipe->place | bit : pipe->place & ~bit; }

/* Encode text[at..end) of a view that the first steps made: find the added tokens of normalized text in it, and encode the parts between
 * them. `more`: text follows that the view does not have yet. Returns the place up to which it was encoded. Updates INSIDE_PART of
 * pipe->place. */
static size_t encode_normalized(wwho_pipe *pipe, const wwho_view *early, size_t at, size_t end, bool more) {
    const wwho_encoder *e = pipe->e;
    const size_t from = at, sure = more ? sure_tokens(&pipe->wanted, 1, early->text, early->origins, at, &end) : end;
    while (e->n <= e->limit) {
        wwho_added_match m = find_next(&pipe->wanted, 1, early->text, from, at, sure);
        at = encode_part(pipe, early, at, m.start, !(pipe->place & INSIDE_PART), false);
        if (at < m.start || m.number == WWHO_NONE) break;
        put_added(pipe, early, &m);
        at = m.end;
        set_place(pipe, INSIDE_PART, false);
    }
    if (!more || at < sure) return at;
    at = encode_part(pipe, early, at, end, !(pipe->place & INSIDE_PART), true);
    set_place(pipe, INSIDE_PART, at > sure || pipe->place & INSIDE_PART);
    return at;
}

/* In bytes: text that the first steps of the normalizer keep is looked for so far ahead; so much of it, at least, is encoded as it stands
 * where other text follows; then so much after it is rewritten. */
enum { KEPT_AHEAD = 1 << 16, KEPT_RUN = 1 << 10, AROUND = 1 << 8 };

/* Rewrite source[at..end), which has no added tokens of the original text, by the first steps of the normalizer, as much at a time as
 * there is room for, and encode the result. Natively, if ids alone are wanted, text that the steps keep is not rewritten: unseen lines as
 * Qwen2.5 are 1.43 times as fast in English, and 1.37 times in Hindi; documents of 4 KB 1.35 and 1.20 times. `more`: text follows that may
 * belong to it. Returns the place in the original text up to which it was encoded. Updates INSIDE_TEXT of pipe->place;
 * sets e->stuck if room was lacking. */
static size_t encode_stretch(wwho_pipe *pipe, size_t at, size_t end, bool more) {
    const wwho_rewrites *list = pipe->e->model->normalizer;
    if (!pipe->steps || !list->n) return encode_normalized(pipe, &pipe->source, at, end, more);
    while (at < end && pipe->e->n <= pipe->e->limit) {
        size_t stop = end;
        /* places in rewritten text are those of whole characters, even of a token that begins or ends within one */
        if (KEPT_TEXT && !pipe->e->ends && !pipe->e->spans) {
            const uint8_t *text = pipe->source.text;
            const bool seen = list[1].n || pipe->wanted.firsts->any & 2; /* what follows the first steps decides where a text may be cut */
            const bool far = end - at > KEPT_AHEAD;
            const size_t from = at, ahead = seen && (more || far) ? at : far ? at + KEPT_AHEAD : end;
            const size_t kept = kept_until(list, text, at, ahead, more || far);
            if (kept == end) return encode_normalized(pipe, &pipe->source, at, end, false);
            if (kept - at >= KEPT_RUN && !seen) at = encode_normalized(pipe, &pipe->source, at, kept, true);
            if (at > from) {
                set_place(pipe, INSIDE_TEXT, true);
                if (end - kept > AROUND) stop = kept + whole_characters(text + kept, AROUND);
            }
        }
        wwho_view early;
        wwho_normalizing it = {.at = at, .end = stop, .fresh = !(pipe->place & INSIDE_TEXT), .more = more || stop < end};
        it.first = first_source(pipe);
        bool whole = rewrite(pipe, false, &pipe->source, &it, &early) && it.at == end && !more;
        size_t read = encode_normalized(pipe, &early, 0, early.n, !whole);
        if (whole) return read < early.n ? at : end;
        if (!read && stop < end) continue;
        pipe->e->stuck |= !read && (!more || it.full);
        if (!read) return at;
        at = read == early.n ? it.at : early.origins[read];
        set_place(pipe, INSIDE_TEXT, true);
    }
    return at;
}

/* Encode the text from `at` to `end` of pipe->source: the added tokens of the original text, and the stretches between them. With `more`,
 * text follows that is not there yet, so the end may have to wait. Returns the place up to which it was encoded. Updates pipe->place, and
 * sets e->start to `at`. */
static size_t encode_text(wwho_pipe *pipe, size_t at, size_t end, bool more) {
    wwho_encoder *e = pipe->e;
    const uint8_t *text = pipe->source.text;
    const size_t from = at;
    if (more) end = at + whole_characters(text + at, end - at);
    const size_t sure = more ? sure_tokens(&pipe->wanted, 0, text, 0, at, &end) : end;
    e->start = at;
    while (e->n <= e->limit) {
        wwho_added_match m = find_next(&pipe->wanted, 0, text, from, at, sure);
        at = encode_stretch(pipe, at, m.start, false);
        if (at < m.start || m.number == WWHO_NONE) break;
        put_added(pipe, &pipe->source, &m);
        at = m.end;
        pipe->place = GONE_ON;
    }
    if (more && at == sure) at = encode_stretch(pipe, at, end, true);
    set_place(pipe, GONE_ON, at > from || pipe->place);
    return at;
}

/* Let the encoder read a copy of the text that TEXT_PADDING zeros follow, in the block. The text must have at most PADDED_TEXT bytes, which
 * the caller checks. e->text and pipe->source.text become the copy, and e->len and pipe->source.n count the zeros, too: from then on only
 * the bounds of the call say where the text ends. So its end, too, is cut and looked up by whole words: texts of 40 bytes are 1.4 times as
 * fast, of 300 bytes 1.15 times, and 2.1 and 1.4 times if they were seen before. */
static void pad_text(wwho_pipe *pipe) {
    wwho_encoder *e = pipe->e;
    uint8_t *copy = e->block->padded;
    if (e->len) copy_bytes(copy, e->text, e->len);
    fill_bytes(copy + e->len, 0, TEXT_PADDING);
    e->text = pipe->source.text = copy;
    e->len = pipe->source.n = e->len + TEXT_PADDING;
}

/* Return true if what `sampling` asks for is in range, and there is a model that can do each of it. */
static bool can_sample(const wwho_model *model, const wwho_sampling *sampling) {
    const double dropout = sampling->dropout;
    bool kinds[KIND_VITERBI + 1] = {false};
    for (uint32_t i = 0; i < model->n_models; i++) kinds[model->models[i].kind_number] = true;
    if (dropout != 0 && !(dropout > 0 && dropout <= 1 && kinds[KIND_BPE])) return false;
    return sampling->n_best <= 1 || (sampling->n_best == WWHO_ALL_PATHS && sampling->alpha >= 0 && kinds[KIND_VITERBI]);
}

/* Encode a text, or several that `bounds` separate, as wwho.h says: check the job, divide its scratch area, encode text by text, and write
 * the counts into the job. The first checks (WWHO_ARGUMENT) change nothing of the job. WWHO_BUFFER if the ids, the spans or the scratch
 * area have too little room: in the first two cases, n and n_spans are those of all texts, and `read` is 0; in the last one n and n_spans
 * are 0, and `read` and `rows` stand where the last whole text ends. `place` changes only with WWHO_OK. */
static int encode_job(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, wwho_sampling *sampling,
                      wwho_job *job) {
    if (!job || len > WWHO_MAX_LENGTH || (job->starts && !job->ends) || !job->bounds != !job->rows) return WWHO_ARGUMENT;
    const uint32_t whole[2] = {0, (uint32_t)len}, *bounds = job->bounds ? job->bounds : whole;
    const size_t n_texts = job->bounds ? job->n_texts : 1, cap = job->ids ? job->cap : 0;
    const bool more = job->flags & WWHO_GOES_ON;
    if (job->place > (GONE_ON | INSIDE_TEXT | INSIDE_PART) || (more && (job->bounds || job->flags & WWHO_ONE_PIECE))) return WWHO_ARGUMENT;
    for (size_t i = 0; i < n_texts; i++)
        if (bounds[i + 1] < bounds[i] || bounds[i + 1] > len) return WWHO_ARGUMENT;
    wwho_encoder e;
    fill_bytes(&e, 0, offsetof(wwho_encoder, phrase)); /* clearing the rest, too, would take a short text 1.1 times as long */
    e.phrase.row.n = e.phrase.row.before[0] = 0;
    e.held.on = false;
    e.model = model;
    e.text = text;
    e.len = len;
    e.flags = job->flags;
    e.ids = job->ids;
    e.starts = job->starts;
    e.ends = job->ends;
    e.cap = cap;
    e.quick = job->ends ? 0 : cap;
    e.limit = job->ids ? SIZE_MAX : job->cap;
    e.spans = job->spans;
    e.spans_cap = job->spans_cap;
    wwho_pipe pipe = {.e = &e, .place = job->place};
    wwho_sampler sampler;
    if (sampling && model) {
        if (!can_sample(model, sampling)) return WWHO_ARGUMENT;
        start_sampler(&sampler, sampling);
        if (sampler.drops || sampler.paths) e.sampler = &sampler;
        if (sampler.drops) e.draws = &sampler.draws;
    }
    int status = divide(&pipe, len, job->scratch, job->scratch_len, allowed);
    job->n = job->n_spans = job->read = 0;
    if (job->rows) job->rows[0] = job->rows[n_texts] = 0;
    if (status) return status;
    if (len <= PADDED_TEXT) pad_text(&pipe);
    for (size_t i = 0, at; i < n_texts; i++) {
        if (e.sampler) start_text(&sampler, nth_draw(sampling->seed, sampling->text + i), i ? 0 : sampling->pretokens);
        at = encode_text(&pipe, bounds[i], bounds[i + 1], more);
        if (e.stuck > (at && more)) return WWHO_BUFFER;
        if (job->rows) {
            job->rows[i + 1] = (uint32_t)e.n;
            pipe.place = 0;
        }
        job->read = at;
    }
    job->n = e.n;
    job->n_spans = e.n_spans;
    if ((job->ids && e.n > cap) || e.n_spans > job->spans_cap) {
        job->read = 0;
        return WWHO_BUFFER;
    }
    job->place = more ? pipe.place : 0;
    if (e.sampler) sampling->pretokens = more ? sampler.n : 0;
    return WWHO_OK;
}

/* Encode a text or several, as wwho.h says, without drawing anything: see encode_job(). */
int wwho_encode(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, wwho_job *job) {
    return encode_job(model, text, len, allowed, 0, job);
}

/* Encode a text or several, drawing what `sampling` asks for, as wwho.h says: see encode_job(). */
int wwho_sample(const wwho_model *model, const uint8_t *text, size_t len, const uint8_t *allowed, wwho_sampling *sampling, wwho_job *job) {
    return sampling ? encode_job(model, text, len, allowed, sampling, job) : WWHO_ARGUMENT;
}
