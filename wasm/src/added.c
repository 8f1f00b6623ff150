/* See added.h. */
#include "added.h"

#include "matches.h"

enum { ADDED_BYTES = 4, ALL_FLAGS = 63, BESIDE = WWHO_ADDED_LSTRIP | WWHO_ADDED_RSTRIP | WWHO_ADDED_SINGLE_WORD };
enum { WHITE_SPACE = 1, WORD_CHARACTER = 2 };

/* Read the number of added tokens from the ADDED section, and take memory for their texts, ids and lookup. model->added gets its counts;
 * texts are only read by build_added(). Returns WWHO_OK or WWHO_ADDED. */
WWHO_LOCAL int plan_added(const wwho_file *file, wwho_model *model, wwho_arena *arena) {
    wwho_section s = file->section[WWHO_SECTION_ADDED];
    uint32_t n = s.length < 4 ? WWHO_NONE : read32(s.at);
    if (n > (s.length - 4) / ADDED_BYTES) return WWHO_ADDED;
    wwho_vocabulary *v = &model->added;
    v->n_symbols = v->n_tokens = n;
    v->text_bytes = s.length; /* at most */
    v->unk_id = v->space_id = WWHO_NONE;
    take_texts(arena, v);
    take_tables(arena, v, 0, 0);
    model->added_ids = take_numbers(arena, n);
    return WWHO_OK;
}

/* Let an added token with this text of `length` bytes have an id: models whose own token of this id has another text lose it from their id
 * maps, so that the id decodes to the added token; nothing else is written. Returns false if such a model cannot: it has no map, or is over
 * bytes, which looks tokens up by their ids; models before it may have lost theirs already. Models with STEP get their ids later. */
static bool take_id(wwho_model *model, uint32_t id, const uint8_t *text, size_t length) {
    for (uint32_t i = 0; i < model->n_models; i++) {
        wwho_vocabulary *v = &model->models[i];
        uint32_t token = v->id_rule == IDS_STEP ? WWHO_NONE : token_of(v, id);
        size_t same;
        if (token == WWHO_NONE) continue;
        const uint8_t *other = text_of(v, token, &same);
        if (same == length && same_text(other, text, length)) continue;
        if (v->id_rule != IDS_STATED || v->bytes) return false;
        v->by_id[id - v->first_id] = WWHO_NONE;
    }
    return true;
}

/* Return true if a call looks for the added token of number i: it is not hidden, and, if special, allowed by the call. */
WWHO_LOCAL bool is_wanted(const wwho_wanted *wanted, uint32_t i) {
    if (wanted->model->added_flags[i] & WWHO_ADDED_HIDDEN) return false;
    bool special = wanted->model->added_flags[i] & WWHO_ADDED_SPECIAL;
    return special ? wanted->allowed && wanted->allowed[i] : wanted->always;
}

/* Return the kind of the added token of number i: 1 if it is found in normalized text, 0 if in the original text. */
WWHO_LOCAL uint32_t is_late(const wwho_model *model, uint32_t i) { return (model->added_flags[i] & WWHO_ADDED_NORMALIZED) != 0; }

/* Add the first byte of the added token of number i to a set of first bytes, for its kind. */
static void add_first(const wwho_model *model, uint32_t i, wwho_firsts *firsts) {
    firsts->any |= firsts->bytes[model->added.texts[model->added.offset[i]]] |= (uint8_t)(1u << is_late(model, i));
}

/* Set *wanted to the added tokens that a call looks for: the special ones that `allowed` has (one byte for each added token; null: none),
 * and the others unless the flags of the call have WWHO_NO_ADDED or WWHO_CUT_ONLY. `wanted` keeps the pointer `allowed`. */
WWHO_LOCAL void want_added(wwho_wanted *wanted, const wwho_model *model, const uint8_t *allowed, uint32_t flags) {
    bool always = !(flags & (WWHO_NO_ADDED | WWHO_CUT_ONLY));
    *wanted = (wwho_wanted){model, allowed, always, &model->firsts[allowed ? 2 : always]};
}

/* Return a hash of the n lowest bytes of a word, 1 to 8. Its highest bits are the number of a bit in a set. */
static HOT uint64_t hash_start(uint64_t bytes, uint32_t n) { return (bytes & ~UINT64_C(0) >> (64 - 8 * n)) * MIX; }

/* Return true if bit number `bit` of a set is set. */
static HOT bool has_bit(const uint64_t *set, uint64_t bit) { return set[bit / 64] >> bit % 64 & 1; }

/* Return the place, from 0, of the byte, of n > 0 bytes of text, that is least common in most texts: the first of several. In ascending
 * order: other ASCII characters; capitals, digits and the line feed; small letters; the space and all bytes from 0x80 on. */
static uint32_t rarest(const uint8_t *text, uint32_t n) {
    uint32_t best = 0, least = 4;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t byte = text[i];
        bool letter = (uint8_t)((byte | 32) - 'a') < 26, digit = (uint8_t)(byte - '0') < 10;
        uint32_t common = byte >= 0x80 || byte == ' ' ? 3 : letter && byte & 32 ? 2 : letter || digit || byte == '\n';
        if (common < least) {
            least = common;
            best = i;
        }
    }
    return best;
}

/* Let the search look for a text by its byte at `place`, below 8: s->offsets gets bit `place`, and s->bytes the byte if it is new. *n
 * counts the different bytes so far, of which the first four are kept; 5 stands for more than four. */
static void add_anchor(wwho_starts *s, const uint8_t *text, uint32_t place, uint32_t *n) {
    uint32_t k = 0;
    while (k < *n && k < 4 && s->bytes[k] != text[place]) k++;
    if (k < 4) s->bytes[k] = text[place];
    *n += k == *n;
    s->offsets |= (uint8_t)(1u << place);
}

/* Fill in model->starts, by which next_start() skips text without an added token: hashes of their first bytes, and the few bytes to search
 * for, which are the rarest of each text or, if these are more than four, the first of each. Without added tokens, `least` is 4. */
static void build_starts(wwho_model *model) {
    const wwho_vocabulary *v = &model->added;
    wwho_starts *s = &model->starts;
    uint32_t n_bytes = 0;
    s->least = 4;
    for (uint32_t i = 0; i < v->n_tokens; i++)
        if (token_length(v, i) < s->least) s->least = token_length(v, i);
    for (uint32_t i = 0; i < v->n_tokens; i++) {
        const uint8_t *text = v->texts + v->offset[i];
        uint32_t length = token_length(v, i) < 8 ? token_length(v, i) : 8;
        uint64_t bytes = 0;
        for (uint32_t j = 0; j < length; j++) bytes |= (uint64_t)text[j] << 8 * j;
        uint64_t first = hash_start(bytes, s->least) >> 52, more = hash_start(bytes, length) >> 48;
        s->first[first / 64] |= UINT64_C(1) << first % 64;
        s->more[more / 64] |= UINT64_C(1) << more % 64;
        s->lengths |= (uint8_t)(1u << (length - 1));
        add_anchor(s, text, rarest(text, length), &n_bytes);
    }
    if (n_bytes > 4) { /* search by the first bytes instead, if these are few */
        s->offsets = 0;
        n_bytes = 0;
        for (uint32_t i = 0; i < v->n_tokens; i++) add_anchor(s, v->texts + v->offset[i], 0, &n_bytes);
    }
    s->few = n_bytes <= 4;
    for (; n_bytes < 4; n_bytes++) s->bytes[n_bytes] = s->bytes[0];
}

/* Return true if an added token may begin with these 8 bytes; false is certain. */
static HOT bool may_begin(const wwho_starts *s, uint64_t bytes) {
    if (!has_bit(s->first, hash_start(bytes, s->least) >> 52)) return false;
    for (uint32_t n = 1; n <= 8; n++)
        if (s->lengths >> (n - 1) & 1 && has_bit(s->more, hash_start(bytes, n) >> 48)) return true;
    return false;
}

/* Return a bit for each of 16 bytes of text, the lowest for the first: set if the byte is among the four that are searched for. */
static HOT uint64_t anchors_in(const wwho_starts *s, const uint8_t *text) {
#ifdef BYTE_MASKS
    const uint8_t *b = s->bytes;
    wwho_16 t;
    copy_bytes(&t, text, sizeof t);
    return bits_of((wwho_16)((t == b[0]) | (t == b[1]) | (t == b[2]) | (t == b[3])));
#else
    uint8_t found[16];
    for (uint32_t i = 0; i < 16; i++)
        found[i] = (text[i] == s->bytes[0]) | (text[i] == s->bytes[1]) | (text[i] == s->bytes[2]) | (text[i] == s->bytes[3]);
    const uint64_t gather = UINT64_C(0x0102040810204080); /* brings the lowest bits of eight bytes together */
    return load64(found) * gather >> 56 | (load64(found + 8) * gather >> 56) << 8;
#endif
}

/* Return a bit for each of 64 places of text, the lowest for the first: set if an added token may begin there, by the bytes that are
 * searched for. Reads 80 bytes. Long texts in which special tokens are allowed are 1.15 to 1.2 times as fast with this. */
static HOT uint64_t places_of(const wwho_starts *s, const uint8_t *text) {
    uint64_t bits[2] = {0, 0}, places = 0; /* of the first 64 bytes, of the last 16 */
    for (uint32_t i = 0; i < 80; i += 16) bits[i / 64] |= anchors_in(s, text + i) << i % 64;
    if (!(bits[0] | bits[1])) return 0;
    for (uint32_t k = 0; k < 8; k++)
        if (s->offsets >> k & 1) places |= bits[0] >> k | (k ? bits[1] << (64 - k) : 0);
    return places;
}

/* Check the ADDED section and fill in the added tokens, after the models are built: texts, flags, ids, first bytes, and the properties of
 * classes. Returns WWHO_OK or WWHO_ADDED. */
WWHO_LOCAL int build_added(wwho_model *model) {
    wwho_section s = model->file.section[WWHO_SECTION_ADDED];
    wwho_vocabulary *v = &model->added;
    uint32_t n = v->n_tokens, flags = 0, id = 0;
    number_columns c = {s.at + 4 + n, s.at + s.length};
    if (read_texts(v, 0, n, &c, false) || !add_texts(v, v->n_tokens)) return WWHO_ADDED;
    model->added_flags = s.at + 4;
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const uint8_t *text = text_of(v, i, &length);
        id += next_number(&c);
        if (model->added_flags[i] > ALL_FLAGS || id >= WWHO_MAX_IDS || !well_formed(text, (uint32_t)length)) return WWHO_ADDED;
        if (!take_id(model, id, text, length)) return WWHO_ADDED;
        v->left[i] = v->right[i] = i;
        model->added_ids[i] = id;
        flags |= model->added_flags[i];
        if (!(model->added_flags[i] & WWHO_ADDED_HIDDEN)) add_first(model, i, &model->firsts[2]);
        if (!(model->added_flags[i] & (WWHO_ADDED_HIDDEN | WWHO_ADDED_SPECIAL))) add_first(model, i, &model->firsts[1]);
    }
    build_starts(model);
    uint32_t n_properties = flags & BESIDE ? model->classes.n_classes : 0;
    if (!c.at || (size_t)(c.end - c.at) != n_properties) return WWHO_ADDED;
    for (uint32_t i = 0; i < n_properties; i++)
        if (c.at[i] > (WHITE_SPACE | WORD_CHARACTER)) return WWHO_ADDED;
    if (n_properties) model->property = c.at;
    return WWHO_OK;
}

/* Return the number of the first added token with this id, or WWHO_NONE. */
WWHO_LOCAL uint32_t find_added(const wwho_model *model, uint32_t id) {
    uint32_t low = 0, high = model->added.n_tokens;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->added_ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->added.n_tokens && model->added_ids[low] == id ? low : WWHO_NONE;
}

/* Return the first place in text[at..end) where an added token of a kind may begin, or `end`. None begins before that place; whether one
 * begins there is not sure. */
static HOT size_t next_start(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t at, size_t end) {
    const wwho_starts *s = &wanted->model->starts;
    for (; at + 80 <= end; at += 64)
        for (uint64_t places = s->few ? places_of(s, text + at) : ~UINT64_C(0); places; places &= places - 1) {
            size_t place = at + trailing_zeros(places);
            if (may_begin(s, load64(text + place)) && wanted->firsts->bytes[text[place]] >> late & 1) return place;
        }
    while (at < end && !(wanted->firsts->bytes[text[at]] >> late & 1)) at++;
    return at;
}

/* Return the number of the longest wanted token of a kind at the start of a text of `left` bytes, or WWHO_NONE. `late`: 1 for tokens of
 * normalized text, 0 for the others. */
static uint32_t longest_at(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t left) {
    const wwho_vocabulary *v = &wanted->model->added;
    wwho_matches m;
    start_matches(v, &m, text, left < v->longest ? (uint32_t)left : v->longest, left);
    for (uint32_t length = m.longest; length; length--) {
        uint32_t number = match_of(v, &m, length);
        if (number != WWHO_NONE && is_late(wanted->model, number) == late && is_wanted(wanted, number)) return number;
    }
    return WWHO_NONE;
}

/* Return the properties (WHITE_SPACE, WORD_CHARACTER) of the character that begins at `text`, of `left` > 0 bytes; its width in bytes goes
 * to *width. Only for models with properties. */
WWHO_LOCAL uint32_t property_of(const wwho_model *model, const uint8_t *text, size_t left, uint32_t *width) {
    uint32_t code_point;
    *width = next_character(text, left, &code_point);
    return model->property[class_of(&model->classes, code_point)];
}

/* Return the properties (WHITE_SPACE, WORD_CHARACTER) of the character that ends at text[at], in a text that begins at `from`, before
 * `at`; its width in bytes goes to *width. Only for models with properties. */
WWHO_LOCAL uint32_t property_before(const wwho_model *model, const uint8_t *text, size_t from, size_t at, uint32_t *width) {
    uint32_t class;
    *width = class_before(&model->classes, text, from, at, &class);
    return model->property[class];
}

/* Return true if a word character stands directly before or after a match in text[from..end). */
static bool is_in_word(const wwho_model *model, const uint8_t *text, size_t from, const wwho_added_match *m, size_t end) {
    uint32_t width;
    if (m->start > from && property_before(model, text, from, m->start, &width) & WORD_CHARACTER) return true;
    return m->end < end && property_of(model, text + m->end, end - m->end, &width) & WORD_CHARACTER;
}

/* Return the longest wanted token of a kind at text[at], in text[from..end), as a match without white space on its sides. Its number is
 * WWHO_NONE if there is none (the end is then at + 1), or if it must not be part of a word but is (the end is that of the match). Shorter
 * tokens are not tried then. */
static wwho_added_match match_at(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t from, size_t at, size_t end) {
    const wwho_model *model = wanted->model;
    uint32_t number = longest_at(wanted, late, text + at, end - at);
    wwho_added_match m = {number, at, at + 1};
    if (number == WWHO_NONE) return m;
    m.end = at + token_length(&model->added, number);
    if (model->added_flags[number] & WWHO_ADDED_SINGLE_WORD && is_in_word(model, text, from, &m, end)) m.number = WWHO_NONE;
    return m;
}

/* Return the first match of an added token of the kind `late` in text[at..end), in a text that begins at `from`: leftmost, then longest. It
 * includes the white space that the token takes on either side, on the left not before `at`. A match that is refused because it is part of
 * a word hides tokens that begin within it. If there is none, its number is WWHO_NONE, and its start and end are `end`. */
WWHO_LOCAL wwho_added_match find_next(const wwho_wanted *wanted, uint32_t late, const uint8_t *text, size_t from, size_t at, size_t end) {
    const wwho_model *model = wanted->model;
    const size_t taken = at; /* the token before took the text up to here */
    while (wanted->firsts->any >> late & 1 && (at = next_start(wanted, late, text, at, end)) < end) {
        wwho_added_match m = match_at(wanted, late, text, from, at, end), next = m;
        at = m.end; /* skip the whole match, also if it is part of a word */
        if (m.number == WWHO_NONE) continue;
        uint32_t width, flags = model->added_flags[m.number];
        while (flags & WWHO_ADDED_LSTRIP && m.start > taken && property_before(model, text, taken, m.start, &width) & WHITE_SPACE)
            m.start -= width;
        for (; flags & WWHO_ADDED_RSTRIP && m.end < end && property_of(model, text + m.end, end - m.end, &width) & WHITE_SPACE;
             m.end += width) {
            if (m.end < at) continue;
            next = match_at(wanted, late, text, from, at = m.end, end);
            at = next.end;
            if (next.number != WWHO_NONE && !(model->added_flags[next.number] & WWHO_ADDED_LSTRIP)) break;
        }
        if (m.end < at && next.number != WWHO_NONE) m.end = next.start; /* it goes on after the white space */
        return m;
    }
    return (wwho_added_match){WWHO_NONE, end, end};
}
