/* Build a vocabulary's tables: see vocabulary.h. */
#include "vocabulary.h"

/* Return the hash of a text of n bytes, as find_text() takes it. It is safe to read `readable` bytes from its start on. */
WWHO_LOCAL uint64_t hash_text(const uint8_t *text, size_t n, size_t readable) {
    uint64_t state = 0;
    size_t at = 0;
    for (; at + 8 <= n; at += 8) state = hash_step(state, load64(text + at));
    return hash_finish(state, load_tail(text + at, n, readable - at), n);
}

/* Return the token whose text is these n > 0 bytes, with the hash that hash_text() gives, or WWHO_NONE. It is safe to read `readable`
 * bytes from the start of the text on. */
WWHO_LOCAL uint32_t find_text(const wwho_vocabulary *v, const uint8_t *text, size_t n, size_t readable, uint64_t hash) {
    wwho_text *where;
    if (n > v->longest || !may_have(&v->text_filter, hash)) return WWHO_NONE;
    return find_slot(v, text, n, readable, hash, &where);
}

/* How many slots are prefetched at once while tables are filled. Natively, o200k_base opens in half the time that it takes without; in
 * WebAssembly, Gemma 3 takes 0.83 of the time, Llama 3.2 0.87. */
enum { FETCHED = 16 };

/* The character classes of FORMAT.md, BPE. */
enum { N_CHARACTER_CLASSES = 224 };

/* Return the log2 of the number of slots for n pairs, at least 4. At most five of eight slots are used. This halves the memory if the
 * number of tokens is just above a power of two, so that the table fits the cache. */
static uint32_t table_bits(uint64_t n) {
    uint32_t bits = 4;
    while ((UINT64_C(5) << bits) / 8 < n) bits++;
    return bits;
}

/* Take memory for a filter of 2^log2 bits, zeroed, and return the filter; its bits are null if there is no memory. */
static wwho_filter take_filter(wwho_arena *arena, uint32_t log2) {
    return (wwho_filter){take_zeroed(arena, UINT64_C(1) << log2 >> 3), log2};
}

/* Take memory for a table of n pairs and for its filter, zeroed, and return the table. Its rank is null: the token's number is its rank. */
static wwho_pairs take_pairs(wwho_arena *arena, uint32_t n) {
    uint32_t log2 = table_bits(n);
    uint64_t *slots = take_zeroed(arena, UINT64_C(8) << log2);
    /* builds that prefetch have eight bits a slot instead of four: Hindi and Sinhala not seen before are 1.04 times as fast */
    return (wwho_pairs){slots, log2, 0, take_filter(arena, log2 + 3)};
}

/* Return how many tokens a vocabulary has from n_tokens on: the lone space and, with UNKNOWN_BYTES, the 256 bytes. */
static uint32_t extra_tokens(const wwho_vocabulary *v) { return (v->space_id != WWHO_NONE) + (v->unknown == UNKNOWN_BYTES ? 256u : 0); }

/* Take memory for the texts of a vocabulary's tokens and, unless ids count up, for its ids. Its counts are set before (n_tokens,
 * text_bytes, n_ids); first_byte is set here. */
WWHO_LOCAL void take_texts(wwho_arena *arena, wwho_vocabulary *v) {
    uint32_t extra = extra_tokens(v), n = v->n_tokens + extra;
    v->first_byte = v->unknown == UNKNOWN_BYTES ? n - 256 : WWHO_NONE;
    v->offset = take_numbers(arena, n + WWHO_MAX_TOKEN + 2);      /* make_token() needs extra room */
    v->texts = take(arena, (uint64_t)v->text_bytes + extra + 16); /* 16 bytes may be read and written from the start of each text on */
    if (v->offset) v->offset[0] = 0;
    if (v->id_rule == IDS_COUNT) return;
    v->ids = take_numbers(arena, n);
    v->by_id = take_numbers(arena, v->n_ids);
}

/* Take memory for the lookups of a vocabulary: pairs, parts, texts and filters. No merge makes its last n_unmade tokens, and its last
 * n_superwords merges join words; n_made, n_plain and line_bits are set here. */
WWHO_LOCAL void take_tables(wwho_arena *arena, wwho_vocabulary *v, uint32_t n_superwords, uint32_t n_unmade) {
    uint32_t n = v->n_tokens;
    v->n_made = n - n_unmade;
    v->n_plain = v->n_made - n_superwords;
    v->line_bits = 2;
    while ((UINT64_C(16) << v->line_bits) / 5 < n) v->line_bits++; /* five slots for four tokens */
    v->left = take_numbers(arena, n);
    v->right = take_numbers(arena, n);
    v->pairs = take_pairs(arena, v->n_plain - v->n_symbols);
    if (n_superwords) v->superwords = take_pairs(arena, n_superwords);
    v->lines = take_zeroed(arena, (sizeof(wwho_text) * LINE_SLOTS) << v->line_bits);
    v->text_filter = take_filter(arena, v->line_bits + 5);
    v->prefix_filter = take_filter(arena, v->line_bits + 4);
}

/* Add a hash to a filter. */
static inline void add_hash(const wwho_filter *filter, uint64_t hash) {
    uint32_t bit = (uint32_t)(hash >> (64 - filter->log2));
    filter->bits[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

/* Return the key of the pair that a token is merged from: left part and right part, 21 bits each. */
static inline uint64_t pair_key(const wwho_vocabulary *v, uint32_t token) {
    return (uint64_t)v->left[token] << WWHO_ID_BITS | v->right[token];
}

/* Enter the tokens from `from` up to, but without, `to` in a table by the pairs that they are merged from. Returns false if two have the
 * same pair. */
static bool add_pairs(const wwho_vocabulary *v, const wwho_pairs *pairs, uint32_t from, uint32_t to) {
    uint32_t mask = (1u << pairs->log2) - 1, shift = 64 - pairs->log2;
    for (uint32_t token = from; token < to; token++) {
        uint64_t key = pair_key(v, token), hash = key * MIX;
        uint32_t at = (uint32_t)(hash >> shift);
        if (to - token > FETCHED) prefetch(&pairs->slots[pair_key(v, token + FETCHED) * MIX >> shift]);
        for (; pairs->slots[at]; at = (at + 1) & mask)
            if (pairs->slots[at] >> WWHO_ID_BITS == key) return false;
        pairs->slots[at] = key << WWHO_ID_BITS | token;
        add_hash(&pairs->filter, hash);
    }
    return true;
}

/* Add the hashes of the first 8, 16, .. bytes of a token's text, if it goes on after them, to the prefix filter, and return the hash of the
 * whole text. */
static uint64_t hash_token(const wwho_vocabulary *v, uint32_t token) {
    const uint32_t from = v->offset[token], n = v->offset[token + 1] - from;
    const uint8_t *text = v->texts + from;
    uint32_t at = 0;
    uint64_t state = 0;
    for (; at + 8 <= n; at += 8) {
        state = hash_step(state, load64(text + at));
        if (at + 8 < n) add_hash(&v->prefix_filter, state * MIX);
    }
    return hash_finish(state, load_tail(text + at, n, n - at), n);
}

/* Enter the texts of n tokens from `token` on, at most FETCHED, in the table of texts, and raise v->longest to their lengths. Returns
 * false if one is there already. */
static bool add_some(wwho_vocabulary *v, uint32_t token, uint32_t n) {
    uint64_t hashes[FETCHED];
    for (uint32_t i = 0; i < n; i++) hashes[i] = hash_token(v, token + i);
    for (uint32_t i = 0; i < n; i++) touch(line_of(v, hashes[i]));
    for (uint32_t i = 0; i < n; i++, token++) {
        uint32_t from = v->offset[token], length = v->offset[token + 1] - from;
        const uint8_t *text = v->texts + from;
        wwho_text *where, slot = text_slot(text, length, 16, hashes[i]);
        if (find_slot(v, text, length, 16, hashes[i], &where) != WWHO_NONE) return false;
        while (where->high) where++;
        *where = (wwho_text){slot.low, slot.high | (uint64_t)token << 32 | (length > INLINE_TEXT ? from : 0)};
        add_hash(&v->text_filter, hashes[i]);
        if (length > v->longest) v->longest = length;
    }
    return true;
}

/* Enter the texts of the first n tokens in the table of texts, so that find_text() finds them. Returns false if two have the same text. */
WWHO_LOCAL bool add_texts(wwho_vocabulary *v, uint32_t n) {
    for (uint32_t token = 0; token < n; token += FETCHED)
        if (!add_some(v, token, n - token < FETCHED ? n - token : FETCHED)) return false;
    return true;
}

/* Write the text of a token as the file has it to `shown`, after that of the token before. The text of each symbol but the first one loses
 * the prefix. Returns WWHO_OK or WWHO_TOKEN_LENGTH. */
static int show_token(const wwho_vocabulary *v, wwho_vocabulary *shown, uint32_t token) {
    uint32_t parts[WWHO_MAX_TOKEN], n = 0, at = shown->offset[token];
    bool first = true;
    for (parts[n++] = token; n; first = false) {
        uint32_t part = parts[--n];
        for (; v->left[part] != part; part = v->left[part]) { /* neither a symbol nor a token that no merge makes */
            if (n == WWHO_MAX_TOKEN) return WWHO_TOKEN_LENGTH;
            parts[n++] = v->right[part];
        }
        const uint8_t *text = v->texts + v->offset[part];
        uint32_t length = token_length(v, part), skip = 0;
        if (!first && length >= v->n_prefix && same_text(text, v->prefix, v->n_prefix)) skip = v->n_prefix;
        if (length - skip > shown->text_bytes - at) return WWHO_TOKEN_LENGTH;
        copy_bytes(shown->texts + at, text + skip, length - skip);
        at += length - skip;
    }
    shown->offset[token + 1] = at;
    return WWHO_OK;
}

/* Write the texts of a model with a prefix as the file has them to v->shown, and enter them in its table: without the prefix of all
 * symbols of a token but the first one. Returns WWHO_OK, WWHO_TOKEN_LENGTH or WWHO_TOKEN_DUPLICATE. */
WWHO_LOCAL int add_shown(wwho_vocabulary *v) {
    int status = WWHO_OK;
    for (uint32_t token = 0; !status && token < v->n_tokens; token++) status = show_token(v, v->shown, token);
    if (status) return status;
    if (v->shown->offset[v->n_tokens] != v->shown->text_bytes) return WWHO_TOKEN_LENGTH;
    return add_texts(v->shown, v->n_tokens) ? WWHO_OK : WWHO_TOKEN_DUPLICATE;
}

/* Write the texts of the tokens from n_tokens on: the lone space, and the 256 bytes, as far as the vocabulary has them. */
WWHO_LOCAL void add_extra_texts(wwho_vocabulary *v) {
    uint32_t *end = v->offset + v->n_tokens, space = v->space_id != WWHO_NONE;
    for (uint32_t i = 0; i < extra_tokens(v); i++, end++) {
        v->texts[*end] = (uint8_t)(i < space ? ' ' : i - space);
        end[1] = *end + 1;
    }
}

/* Write the text of a merged token: the texts of its two parts, joined, after that of the token before, and the offset where it ends. A
 * part with a higher number has no text yet, so it is split into its own parts. The parts still to do are stored where the offsets of later
 * tokens will be. Also sets the token's level, if the vocabulary has levels. Returns WWHO_OK, or WWHO_TOKEN_LENGTH if the text is too long
 * or the parts form a cycle. */
static int make_token(wwho_vocabulary *v, uint32_t token) {
    uint32_t *parts = v->offset + token + 1, n = 2, from = v->offset[token], at = from, level = rank_of(v->rank, token);
    parts[0] = v->right[token];
    parts[1] = v->left[token];
    while (n) {
        uint32_t part = parts[--n], higher;
        if (part >= token) {
            if (n == WWHO_MAX_TOKEN) return WWHO_TOKEN_LENGTH;
            parts[n++] = v->right[part];
            parts[n++] = v->left[part];
            higher = rank_of(v->rank, part);
        } else {
            const uint32_t start = v->offset[part], length = v->offset[part + 1] - start;
            if (at - from + length > WWHO_MAX_TOKEN || length > v->text_bytes - at) return WWHO_TOKEN_LENGTH;
            for (uint32_t i = 0; i < length; i += 16) {
                uint64_t read[2]; /* the bytes after a short part may overlap the output */
                copy_bytes(read, v->texts + start + i, 16);
                copy_bytes(v->texts + at + i, read, 16);
            }
            at += length;
            higher = v->level ? v->level[part] : 0;
        }
        if (higher > level) level = higher;
    }
    v->offset[token + 1] = at;
    if (v->level) v->level[token] = level;
    return WWHO_OK;
}

/* Read the next LEB128 number, in its shortest form and of at most four bytes. Returns 0 and sets c->at to null if there is none. A number
 * may be 0, too. */
WWHO_LOCAL uint32_t next_number(number_columns *c) {
    const uint8_t *p = c->at;
    uint32_t value = 0;
    for (uint32_t shift = 0; p && p < c->end && shift < 28; shift += 7) {
        uint8_t byte = *p++;
        value |= (uint32_t)(byte & 127) << shift;
        if (byte >= 128) continue;
        c->at = byte || !shift ? p : 0;
        return value;
    }
    c->at = 0;
    return 0;
}

/* Fill in the ranks of tokens, if the model stores any: those of the n_ties tokens that have the same rank as the token before them are
 * read. Levels are cleared. Returns false if a number is invalid. */
static bool read_ties(wwho_vocabulary *v, number_columns *c) {
    for (uint32_t i = 0; v->rank && i < v->n_made; i++) {
        v->rank[i] = i;
        v->level[i] = 0;
    }
    for (uint32_t i = 0, token = v->n_symbols; i < v->n_ties; i++) {
        uint32_t more = next_number(c);
        if (!more || more >= v->n_made - token) return false;
        token += more;
        v->rank[token] = v->rank[token - 1];
    }
    return c->at;
}

/* Return the class of the character at text[0], of n > 0 bytes: FORMAT.md, BPE. 0 is a byte that continues a character. */
static uint8_t class_of_character(const uint8_t *text, uint32_t n) {
    uint32_t lead = text[0];
    if (lead < 0xC0) return lead < 0x80 ? 1 + ((lead | 32) - 'a' < 26) : 0;
    return (uint8_t)(lead / 2 == 0x70 && n > 1 ? 64 + (lead - 0xE0) * 32 + text[1] / 2 : lead / 2);
}

/* Read the parts of all merges, by the numbers of their tokens, into v->left and v->right (FORMAT.md, BPE; with `delta`, the left column
 * holds zigzag-coded differences). The table of texts is still empty and serves as scratch memory, for the tokens in the order of the right
 * column and for the classes of the first and last character of each token; it is zero again with WWHO_OK, but not if a part is found to be
 * no token, since nothing is built after that. Returns WWHO_OK, WWHO_PAIRS if the columns end early, or WWHO_PAIR_ORDER. */
static int read_pairs(wwho_vocabulary *v, number_columns *c, bool delta) {
    uint32_t *tokens = (uint32_t *)(void *)v->lines, begin[N_CHARACTER_CLASSES + 2] = {0}, n = v->n_made, left = 0;
    uint8_t *first = (uint8_t *)(tokens + n), *last = first + n;
    bool later = false;
    for (uint32_t token = 0; token < n; token++) {
        if (token < v->n_symbols) {
            const uint8_t *text = v->texts + v->offset[token];
            for (uint32_t length = token_length(v, token), at = length; at--;) {
                first[token] = class_of_character(text + at, length - at);
                if (!last[token]) last[token] = first[token];
            }
        } else {
            uint32_t value = next_number(c);
            left = delta ? left + unzigzag(value) : value;
            if (left >= n) return WWHO_PAIR_ORDER;
            v->left[token] = left;
            first[token] = first[left];
        }
        begin[first[token] + 2]++;
    }
    for (uint32_t i = 2; i < N_CHARACTER_CLASSES + 2; i++) begin[i] += begin[i - 1];
    for (uint32_t token = 0; token < n; token++) tokens[begin[first[token] + 1]++] = token;
    for (uint32_t token = v->n_symbols; token < n; token++) {
        uint32_t value = next_number(c), left = v->left[token], at = begin[last[left]] + value;
        if (value >= n) return WWHO_PAIR_ORDER;
        uint32_t right = v->right[token] = tokens[at < n ? at : at - n];
        later |= left >= token || right >= token;
        last[token] = last[last[right] ? right : left];
    }
    fill_bytes(tokens, 0, 6 * (uint64_t)n);
    return !c->at ? WWHO_PAIRS : later == v->later ? WWHO_OK : WWHO_PAIR_ORDER;
}

/* Read the two columns of pairs (FORMAT.md, MODEL; with `delta`, the left one holds zigzag-coded differences) and the n_ties merges of
 * equal rank, write the texts of the merged tokens, and enter their pairs. Returns WWHO_OK, WWHO_PAIRS, WWHO_PAIR_ORDER,
 * WWHO_PAIR_DUPLICATE or WWHO_TOKEN_LENGTH. */
WWHO_LOCAL int add_merges(wwho_vocabulary *v, number_columns *c, bool delta) {
    int status = read_pairs(v, c, delta);
    if (status) return status;
    if (!read_ties(v, c)) return WWHO_PAIRS;
    for (uint32_t token = v->n_symbols; !status && token < v->n_made; token++) status = make_token(v, token);
    if (status) return status;
    if (v->superwords.slots && !add_pairs(v, &v->superwords, v->n_plain, v->n_made)) return WWHO_PAIR_DUPLICATE;
    return add_pairs(v, &v->pairs, v->n_symbols, v->n_plain) ? WWHO_OK : WWHO_PAIR_DUPLICATE;
}

/* Read n texts for the tokens from `token` on: TEXTS (`ascending`) or LISTED of FORMAT.md, MODEL. Writes v->texts and the offsets after the
 * one of `token`, which is set before, moves c, and raises v->longest to the lengths. Returns WWHO_OK, WWHO_SYMBOLS or WWHO_TOKEN_LENGTH.
 * */
WWHO_LOCAL int read_texts(wwho_vocabulary *v, uint32_t token, uint32_t n, number_columns *c, bool ascending) {
    uint32_t last = 0, last_length = 0; /* of the text before, with which the next text may share bytes */
    for (uint32_t end = token + n; token < end; token++) {
        uint32_t from = v->offset[token], shared = ascending ? next_number(c) : 0, length = 1;
        size_t left = c->at ? (size_t)(c->end - c->at) : 0;
        while (length < left && c->at[length] != 0xFF) length++;
        if (length >= left || shared > last_length || shared + length > WWHO_MAX_TOKEN) return WWHO_SYMBOLS;
        if (shared < last_length && *c->at <= v->texts[last + shared]) return WWHO_SYMBOLS;
        if (shared + length > v->text_bytes - from) return WWHO_TOKEN_LENGTH;
        copy_bytes(v->texts + from, v->texts + last, shared);
        copy_bytes(v->texts + from + shared, c->at, length);
        c->at += length + 1;
        last = from;
        length += shared;
        v->offset[token + 1] = from + length;
        if (length > v->longest) v->longest = length;
        if (ascending) last_length = length;
    }
    return WWHO_OK;
}

/* Assign the id first_id + i to a token, in v->ids and v->by_id. Returns false if the id is out of range, or belongs to another token. A
 * token that only continues a pretoken may share the id of one that starts it; the id then decodes to the latter. */
static bool give_id(wwho_vocabulary *v, uint32_t token, uint32_t i) {
    if (i >= v->n_ids) return false;
    uint32_t *owner = &v->by_id[i];
    bool shared = !v->left && token - v->n_symbols < v->n_merges && *owner < v->n_symbols;
    if (*owner != WWHO_NONE && !shared) return false;
    v->ids[token] = v->first_id + i;
    if (!shared) *owner = token;
    return true;
}

/* Read the ids of the 256 tokens of single bytes; 0 stands for none, which needs an unk_id. An id that another token has then decodes to
 * the byte. Returns false if one is invalid. */
static bool read_byte_ids(wwho_vocabulary *v, number_columns *c) {
    for (uint32_t token = v->first_byte; token < v->first_byte + 256; token++) {
        uint32_t value = next_number(c), i = value - 1 - v->first_id; /* an id below first_id wraps around and is out of range */
        if (!c->at) return false;
        v->ids[token] = WWHO_NONE;
        if (value && i < v->n_ids && v->by_id[i] < v->n_tokens) v->by_id[i] = WWHO_NONE; /* a shared id decodes to the byte */
        if (value ? !give_id(v, token, i) : v->unk_id == WWHO_NONE) return false;
    }
    return true;
}

/* Read the ids of the tokens, of the lone space and of single bytes, with IDS_STATED; otherwise, there is nothing to read. Returns false if
 * they are invalid, or if the last of the n_ids ids belongs to no token. */
WWHO_LOCAL bool read_ids(wwho_vocabulary *v, number_columns *c) {
    if (v->id_rule != IDS_STATED) return true;
    for (uint32_t i = 0; i < v->n_ids; i++) v->by_id[i] = WWHO_NONE;
    for (uint32_t token = 0, number = 0; token < v->n_tokens; token++) {
        number += unzigzag(next_number(c));
        v->ids[token] = WWHO_NONE;
        if (!c->at || (number ? !give_id(v, token, number - 1) : v->unk_id == WWHO_NONE)) return false;
    }
    if (v->space_id != WWHO_NONE && !give_id(v, v->n_tokens, v->space_id - v->first_id)) return false;
    if (v->first_byte != WWHO_NONE && !read_byte_ids(v, c)) return false;
    return v->by_id[v->n_ids - 1] != WWHO_NONE;
}
