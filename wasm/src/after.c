/* See after.h. A decoder works on a list of tokens in the caller's buffer: the length of each in four bytes, then its text.
 * Each step reads the list in one half of the buffer and writes a new list into the other half. */
#include "after.h"
#include "decode.h"

#include "added.h"
#include "models.h"
#include "blocks.h"
#include "passes.h"

enum { DO_REPLACE = 1, DO_STRIP, DO_BYTES, DO_JOIN, DO_UNIQUE, DO_SOME, DO_UNSPELL, DO_BLOCKS };
enum { IN_ALL, IN_FIRST, IN_REST, IN_LAST, IN_BUT_LAST, IN_OPENING, IN_OPENING_ONCE };
enum { DECODER_HEAD = 4, MAX_JOINS = 64, JOIN_HEAD = 6, SURFACE = 8, BYTE_TOKEN = 6 };
enum { IN_PARTS = 1, AS_WHOLE };

/* Check the TEMPLATE section, if there is one, once all tokens are known: each place is a text or the id of a token, and each text stands
 * once, the first one in the template for one text, both in that for a pair. Nothing is built: tell_template() reads the section. Returns
 * WWHO_OK or WWHO_TEMPLATE. */
WWHO_LOCAL int build_template(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_TEMPLATE];
    if (!s.at) return WWHO_OK;
    uint32_t single = s.length < TEMPLATE_HEAD ? 0 : read16(s.at), n = single + (single ? read16(s.at + 2) : 0), seen[2] = {0, 0};
    if (s.length != TEMPLATE_HEAD + n * TEMPLATE_PLACE) return WWHO_TEMPLATE;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *p = s.at + TEMPLATE_HEAD + i * TEMPLATE_PLACE;
        uint32_t id = read32(p + 4);
        size_t len;
        if (p[0] > 2 || read16(p + 2)) return WWHO_TEMPLATE;
        if (p[0] ? id > MAX_TRIM || (id && !(id & 3)) : !token_text(model, id, &len)) return WWHO_TEMPLATE;
        uint32_t *texts = &seen[i >= single], text = 1u << p[0] & 6;
        if (*texts & text) return WWHO_TEMPLATE;
        *texts |= text;
    }
    return seen[0] == 2 && seen[1] == 6 ? WWHO_OK : WWHO_TEMPLATE;
}

/* Return where the step of a decoder after the one at s begins. */
static const uint8_t *next_step(const uint8_t *s) { return s + JOIN_HEAD + s[4] + s[5]; }

/* Return true if a valid step of a decoder begins at s, where `left` bytes are left: its kind is known, and has these options; fields that
 * its kind does not use are 0; its two texts are well-formed and end within `left`, and the first one of DO_REPLACE is not empty. */
static bool is_step(const uint8_t *s, uint32_t left) {
    static const uint8_t most[] = {0, IN_OPENING_ONCE, IN_OPENING_ONCE, 1, 0, 0, 0, 0, 0};
    if (left < JOIN_HEAD || left < JOIN_HEAD + (uint32_t)s[4] + s[5]) return false;
    uint32_t kind = s[0], n_a = s[4], n_b = s[5];
    if (kind < DO_REPLACE || kind > DO_BLOCKS || s[1] > most[kind] || (kind != DO_STRIP && (s[2] || s[3]))) return false;
    if (kind == DO_REPLACE ? !n_a : kind > DO_STRIP && (n_b || (n_a && kind != DO_JOIN))) return false;
    return well_formed(s + JOIN_HEAD, n_a) && well_formed(s + JOIN_HEAD + n_a, n_b);
}

/* Return true if the decoder needs all tokens at once: after tokens are joined, a step looks at text that further tokens may change. Sets
 * *holds if a step treats the last token differently, so that the last token of a part must wait for the next part; never clears it. */
static bool waits(const wwho_decoder *d, bool *holds) {
    bool joined = false, adds = false, opens = false, wait = false;
    const uint8_t *s = d->steps;
    for (uint32_t i = 0; i < d->n_steps; i++, s = next_step(s)) {
        uint32_t kind = s[0], n_a = s[4], n_b = s[5], where = kind <= DO_STRIP ? s[1] : IN_ALL;
        if (kind == DO_BLOCKS)
            wait |= d->n_steps != 2 || !joined || adds;
        else
            wait |= kind >= DO_UNIQUE || (joined && kind != DO_JOIN && (kind != DO_STRIP || s[3] || n_b || n_a > 1));
        adds |= kind == DO_STRIP ? n_b : kind == DO_JOIN && n_a;
        opens |= where >= IN_OPENING;
        joined |= kind == DO_JOIN;
        *holds |= where == IN_LAST || where == IN_BUT_LAST;
    }
    return wait || (adds && opens);
}

/* Return the first step of the model that writes characters as block symbols (STEP_BLOCKS), or null. */
static const wwho_step *find_blocks(const wwho_model *model) {
    for (uint32_t i = 0; i < model->n_steps; i++)
        if (model->steps[i].kind == STEP_BLOCKS) return &model->steps[i];
    return 0;
}

/* Check the DECODER section, if there is one, once all tokens are known, and fill in model->decoder: its steps, its surfaces, and whether
 * it works in parts. Returns WWHO_OK or WWHO_DECODER. */
WWHO_LOCAL int build_decoder(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_DECODER];
    if (!s.at) return WWHO_OK;
    if (s.length < DECODER_HEAD || s.at[0] > MAX_JOINS || s.length - DECODER_HEAD < s.at[1]) return WWHO_DECODER;
    const uint8_t *p = s.at + DECODER_HEAD, *end = s.at + s.length;
    wwho_decoder *d = &model->decoder;
    *d = (wwho_decoder){.prefix = p, .n_prefix = s.at[1], .steps = p + s.at[1], .n_steps = s.at[0], .n_surfaces = read16(s.at + 2)};
    if (!well_formed(p, d->n_prefix)) return WWHO_DECODER;
    p = d->steps;
    for (uint32_t i = 0; i < d->n_steps; i++, p = next_step(p))
        if (!is_step(p, (uint32_t)(end - p)))
            return WWHO_DECODER;
        else if (p[0] == DO_BLOCKS && !(d->blocks = find_blocks(model)))
            return WWHO_DECODER;
    if ((uint32_t)(end - p) < d->n_surfaces * SURFACE) return WWHO_DECODER;
    d->surfaces = p;
    d->texts = p + d->n_surfaces * SURFACE;
    uint32_t last = 0, room = (uint32_t)(end - d->texts);
    for (uint32_t i = 0; i < d->n_surfaces; i++, p += SURFACE) {
        uint32_t id = read32(p), stop = read32(p + 4);
        size_t len;
        if ((i && id <= read32(p - SURFACE)) || !token_text(model, id, &len)) return WWHO_DECODER;
        if (stop < last || stop - last > WWHO_MAX_TOKEN || stop > room) return WWHO_DECODER;
        last = stop;
    }
    bool holds = false;
    d->progress = waits(d, &holds) ? AS_WHOLE : IN_PARTS;
    d->holds = holds;
    return last == room ? WWHO_OK : WWHO_DECODER;
}

/* A token as it first stands in the list: the prefix, then the text; or `<0xHH>` if `byte` is not negative. */
typedef struct {
    const uint8_t *text;
    size_t n, n_prefix;
    int byte;
} wwho_listed;

/* Fill in *t with what stands first in the list for the token of an id: its surface if the decoder has one, else its text, with the prefix
 * if it continues a pretoken, or its byte, for which t->n is the length of `<0xHH>`. Returns false if no token has this id. */
static bool list_token(const wwho_model *model, uint32_t id, wwho_listed *t) {
    const wwho_decoder *d = &model->decoder;
    *t = (wwho_listed){.byte = -1};
    t->text = token_text(model, id, &t->n);
    for (uint32_t low = 0, high = d->n_surfaces; low < high;) {
        uint32_t i = (low + high) / 2, at = read32(d->surfaces + i * SURFACE);
        if (at == id) {
            uint32_t start = i ? read32(d->surfaces + i * SURFACE - 4) : 0;
            *t = (wwho_listed){.text = d->texts + start, .n = read32(d->surfaces + i * SURFACE + 4) - start, .byte = -1};
            return true;
        }
        if (at < id)
            low = i + 1;
        else
            high = i;
    }
    for (uint32_t i = 0; i < model->n_models; i++) {
        const wwho_vocabulary *v = &model->models[i];
        uint32_t token = token_of(v, id);
        if (token == WWHO_NONE) continue;
        if (token >= v->first_byte) {
            t->byte = (int)(token - v->first_byte);
            t->n = BYTE_TOKEN;
        } else if (v->kind_number == KIND_GREEDY && token >= v->n_symbols)
            t->n_prefix = d->n_prefix;
        break;
    }
    return t->text;
}

/* Return true if an id is left out: it is that of a special token, and the flags of the call say so. */
static bool is_skipped(const wwho_model *model, uint32_t id, uint32_t flags) { return flags & WWHO_SKIP_SPECIAL && is_special(model, id); }

/* Write n bytes to `to`. Returns the end of the output. */
static uint8_t *append(uint8_t *to, const uint8_t *from, size_t n) {
    copy_bytes(to, from, n);
    return to + n;
}

/* Write a token of the list to `to`: its length in four bytes, then its n bytes of text. Returns the end of the output. */
static uint8_t *append_token(uint8_t *to, const uint8_t *text, uint32_t n) {
    copy_bytes(to, &n, 4);
    return append(to + 4, text, n);
}

/* Write the text of a token as it first stands in the list (without its length) to `to`. Returns the end of the output. */
static uint8_t *append_listed(const wwho_decoder *d, const wwho_listed *t, uint8_t *to) {
    static const uint8_t digits[] = "0123456789ABCDEF";
    if (t->byte < 0) return append(append(to, d->prefix, t->n_prefix), t->text, t->n);
    const uint8_t text[BYTE_TOKEN] = {'<', '0', 'x', digits[t->byte >> 4], digits[t->byte & 15], '>'};
    return append(to, text, BYTE_TOKEN);
}

/* Return the byte that a token `<0xHH>` of n bytes stands for, or -1 if the token has another form. A plus may stand for the first digit:
 * Rust reads it as a sign. */
static int byte_of(const uint8_t *text, uint32_t n) {
    int byte = 0;
    if (n != BYTE_TOKEN || text[0] != '<' || text[1] != '0' || text[2] != 'x' || text[5] != '>') return -1;
    for (uint32_t i = 3; i < 5; i++) {
        uint32_t c = text[i], letter = (c | 32) - 'a', digit = c - '0' < 10 ? c - '0' : letter < 6 ? letter + 10 : 16;
        if (digit > 15 && (i > 3 || c != '+')) return -1;
        byte = byte << 4 | (int)(digit & 15);
    }
    return byte;
}

/* The state of the steps: whether text came before the list and more tokens follow it, whether the list has been joined to one token, and
 * how many tokens at its end must wait. */
typedef struct {
    bool after, more, joined;
    size_t held;
    const wwho_step *blocks;
} wwho_state;

/* Return true if text[..end) begins with the n bytes at a. */
static bool begins_with(const uint8_t *text, const uint8_t *end, const uint8_t *a, size_t n) {
    return (size_t)(end - text) >= n && same_text(text, a, n);
}

/* Write the bytes that the characters of a token t[..end) stand for in ByteLevel's alphabet to `to`, or the token itself if one of them
 * stands for no byte. Returns the end of the output. */
static uint8_t *unspell(const uint8_t *t, const uint8_t *end, uint8_t *to) {
    uint8_t *start = to;
    for (const uint8_t *p = t; p < end;) {
        uint32_t code_point, byte = 0;
        p += utf8_next(p, (size_t)(end - p), &code_point);
        while (byte < 256 && stand_in(byte) != code_point) byte++;
        if (byte == 256) return append(start, t, (size_t)(end - t));
        *to++ = (uint8_t)byte;
    }
    return to;
}

/* Write the token t[..end), changed by the step s (DO_REPLACE, DO_STRIP or DO_UNSPELL), to `to`. DO_STRIP takes its first text from the
 * start, s[2] times at most, or else puts its second text there, and takes the first text from the end, s[3] times at most. `begun`: the
 * token began in an earlier part, so its start stays as it is. Returns the end of the output. */
static uint8_t *change(const uint8_t *s, const uint8_t *t, const uint8_t *end, uint8_t *to, bool begun) {
    const uint8_t *a = s + JOIN_HEAD, *b = a + s[4];
    size_t n = s[4];
    if (s[0] == DO_UNSPELL) return unspell(t, end, to);
    if (s[0] == DO_REPLACE) {
        while (t < end) {
            if (begins_with(t, end, a, n)) {
                to = append(to, b, s[5]);
                t += n;
            } else
                *to++ = *t++;
        }
        return to;
    }
    bool found = begun;
    uint8_t *start = to;
    for (uint32_t i = begun ? 0 : s[2]; i && begins_with(t, end, a, n); i--, found = true) t += n;
    if (!found) to = append(to, b, s[5]);
    to = append(to, t, (size_t)(end - t));
    for (uint32_t i = s[3]; i && (size_t)(to - start) >= n && begins_with(to - n, to, a, n); i--) to -= n;
    return to;
}

/* Apply the step s, one that works on single tokens (DO_REPLACE, DO_STRIP, DO_UNIQUE, DO_SOME, DO_UNSPELL, DO_BLOCKS), to the list
 * t[..end), and write the new list to `to`. Only tokens where the step says (first, last, opening, ...) change, and the others are copied;
 * a token is opening as long as all text before it is empty and, with IN_OPENING_ONCE, the step has shortened none. DO_UNIQUE leaves out a
 * token that equals the one before it, DO_SOME an empty one. Returns the end of the new list. */
static uint8_t *change_each(const uint8_t *s, const wwho_state *d, const uint8_t *t, const uint8_t *end, uint8_t *to) {
    bool opening = !d->after, first = d->joined || !d->after;
    const uint8_t *before = 0;
    for (uint32_t n; t < end; before = t, t += 4 + n, first = false) {
        n = read32(t);
        bool last = t + 4 + n == end && (d->joined || !d->more);
        uint32_t chosen = 1u << IN_ALL | 1u << (first ? IN_FIRST : IN_REST) | 1u << (last ? IN_LAST : IN_BUT_LAST);
        if (opening) chosen |= 1u << IN_OPENING | 1u << IN_OPENING_ONCE;
        if (s[0] == DO_UNIQUE && before && read32(before) == n && begins_with(before + 4, t, t + 4, n)) continue;
        if (s[0] == DO_SOME && !n) continue;
        bool changes = (s[0] <= DO_STRIP || s[0] == DO_UNSPELL) && chosen >> s[1] & 1;
        uint8_t *stop;
        if (s[0] == DO_BLOCKS)
            stop = join_blocks(d->blocks, t + 4, t + 4 + n, to + 4);
        else
            stop = changes ? change(s, t + 4, t + 4 + n, to + 4, d->after && d->joined) : append(to + 4, t + 4, n);
        uint32_t length = (uint32_t)(stop - to) - 4;
        if (length || (s[1] == IN_OPENING_ONCE && length < n)) opening = false;
        copy_bytes(to, &length, 4);
        to = stop;
    }
    return to;
}

/* Write a run of n bytes to `to` as tokens of a list, each with its length before it (append_token()). Without `each`, well-formed UTF-8
 * becomes one token, and in any other run each byte becomes a token U+FFFD; with `each`, each character becomes a token, and only broken
 * bytes become U+FFFD. Returns the end of the output. */
static uint8_t *put_run(uint8_t *to, const uint8_t *run, uint32_t n, bool each) {
    static const uint8_t lost[] = {0xEF, 0xBF, 0xBD};
    if (n && !each && well_formed(run, n)) return append_token(to, run, n);
    for (uint32_t width; n; run += width, n -= width) {
        uint32_t code_point;
        width = next_character(run, n, &code_point);
        if (!each) width = 1;
        to = width == 1 && (!each || code_point == REPLACEMENT) ? append_token(to, lost, 3) : append_token(to, run, width);
    }
    return to;
}

/* Apply DO_BYTES to the list t[..end): join adjacent tokens `<0xHH>` to runs of bytes, which put_run() writes by `each`, keep the other
 * tokens, and write the new list to `to`. Overwrites the old list. If more tokens follow, a run at the end is not written, but its tokens
 * are added to d->held. Returns the end of the new list. */
static uint8_t *join_bytes(bool each, wwho_state *d, uint8_t *t, const uint8_t *end, uint8_t *to) {
    uint8_t *run = t;
    uint32_t n = 0; /* the bytes of the run overwrite its tokens */
    for (uint32_t size; t < end; t += 4 + size) {
        size = read32(t);
        int byte = byte_of(t + 4, size);
        if (byte >= 0) {
            if (!n) run = t;
            run[n++] = (uint8_t)byte;
            continue;
        }
        to = append_token(put_run(to, run, n, each), t + 4, size);
        n = 0;
    }
    if (!d->more) return put_run(to, run, n, each);
    d->held += n;
    return to;
}

/* Apply DO_JOIN, the step s, to the list t[..end): write all tokens as one to `to`, with the step's text between them. Returns the end of
 * the new list, and sets d->joined. */
static uint8_t *join_all(const uint8_t *s, wwho_state *d, const uint8_t *t, const uint8_t *end, uint8_t *to) {
    uint8_t *at = to + 4;
    bool gap = d->after && !d->joined;
    for (uint32_t n; t < end; t += 4 + n, gap = true) {
        n = read32(t);
        if (gap) at = append(at, s + JOIN_HEAD, s[4]);
        at = append(at, t + 4, n);
    }
    uint32_t length = (uint32_t)(at - to) - 4;
    copy_bytes(to, &length, 4);
    d->joined = true;
    return at;
}

/* Return how many bytes n tokens, with texts of `size` bytes in total, can take in the list after any step, their lengths of four bytes
 * each included; 0 if that is more than half of WWHO_MAX_LENGTH, or if there are no tokens. */
static size_t most_bytes(const wwho_decoder *d, uint64_t size, uint64_t n) {
    const uint8_t *s = d->steps;
    for (uint32_t i = 0; i < d->n_steps && size <= WWHO_MAX_LENGTH; i++, s = next_step(s)) {
        uint32_t n_a = s[4], n_b = s[5];
        if (s[0] == DO_REPLACE && n_b > n_a) size += size / n_a * (n_b - n_a);
        if (s[0] == DO_STRIP) size += n * n_b;
        if (s[0] == DO_JOIN) size += n * n_a;
        if (s[0] == DO_BLOCKS) size += size / 2;
    }
    size += 4 * n;
    return size <= WWHO_MAX_LENGTH / 2 ? (size_t)size : 0;
}

/* Run all steps of a decoder over the list from `out` to `end`, in halves of `half` bytes of the buffer at `out`, and write the text,
 * without the lengths of tokens, to `out`. Returns its length in bytes; state->held grows by how many tokens at the end must wait. */
static size_t take_steps(const wwho_decoder *d, wwho_state *state, uint8_t *out, uint8_t *end, size_t half) {
    uint8_t *list = out, *to = out;
    const uint8_t *s = d->steps;
    for (uint32_t i = 0; i < d->n_steps; i++, s = next_step(s)) {
        uint8_t *other = list == out ? out + half : out;
        if (s[0] == DO_BYTES)
            end = join_bytes(s[1], state, list, end, other);
        else
            end = s[0] == DO_JOIN ? join_all(s, state, list, end, other) : change_each(s, state, list, end, other);
        list = other;
    }
    for (uint32_t n; list < end;) {
        n = read32(list);
        for (list += 4; n; n--) *to++ = *list++;
    }
    return (size_t)(to - out);
}

/* Decode n ids into `out`, as wwho.h says. *read becomes how many of them, from the first on, the text stands for: all without WWHO_MORE;
 * with it none, and no text, if the decoder needs all tokens at once, else those that following ids cannot change, and none as long as no
 * text has come out at all. *len becomes the length of the text in bytes; with WWHO_TOKEN, the place in `ids` of the unknown id; with
 * WWHO_BUFFER, the capacity that is needed: a decoder works in the caller's buffer, which must be larger than the text. *read means nothing
 * unless the status is WWHO_OK. */
int wwho_decode_part(const wwho_model *model, const uint32_t *ids, size_t n, uint32_t flags, uint8_t *out, size_t cap, size_t *read,
                     size_t *len) {
    if (!model || (!ids && n) || (!out && cap) || !read || !len || flags > 7) return WWHO_ARGUMENT;
    const wwho_decoder *d = &model->decoder;
    wwho_state state = {flags & WWHO_AFTER, flags & WWHO_MORE, false, 0, d->blocks};
    uint64_t size = 0, count = 0;
    wwho_listed t;
    *read = n;
    if (!d->progress) return join_texts(model, ids, n, flags, out, cap, len);
    for (size_t i = 0; i < n; i++) {
        *len = i;
        if (!list_token(model, ids[i], &t)) return WWHO_TOKEN;
        if (is_skipped(model, ids[i], flags)) continue;
        size += t.n + t.n_prefix;
        count++;
    }
    size_t half = most_bytes(d, size, count + 1); /* DO_JOIN makes one token even of an empty list */
    *len = 2 * half;
    if (!half) return WWHO_ARGUMENT;
    if (*len > cap) return WWHO_BUFFER;
    if (state.more && d->progress == AS_WHOLE) {
        *read = *len = 0;
        return WWHO_OK;
    }
    uint8_t *to = out, *sure = out;
    size_t waiting = 0; /* tokens after `sure`: the last one, or those that end with a block, whose index may follow */
    for (size_t i = 0; i < n; i++) {
        list_token(model, ids[i], &t);
        if (is_skipped(model, ids[i], flags)) continue;
        uint32_t length = (uint32_t)(t.n + t.n_prefix);
        if (d->holds) {
            sure = to;
            waiting = 0;
        }
        to = append_listed(d, &t, append(to, (const uint8_t *)&length, 4));
        waiting++;
        if (d->holds || (d->blocks && last_symbol(to, length) - d->blocks->n_indices < d->blocks->n_blocks)) continue;
        sure = to;
        waiting = 0;
    }
    if (state.more) {
        to = sure;
        state.held = waiting;
    }
    *len = take_steps(d, &state, out, to, half);
    for (; state.held; --*read) state.held -= !is_skipped(model, ids[*read - 1], flags);
    if (state.more && !state.after && !*len) *read = 0;
    return WWHO_OK;
}
