/* See early.h. */
#include "early.h"

/* Return the token that bytes i and i + 1 of n bytes of text merge to, or WWHO_NONE (also if there is no byte i + 1). */
static HOT uint32_t pair_at(const wwho_bytes *b, const uint8_t *text, uint32_t i, uint32_t n) {
    return i + 1 < n ? b->pair[text[i] << 8 | text[i + 1]] : WWHO_NONE;
}

/* Fill an empty row with the bytes of a text of n bytes, from 1 to WIDE_WINDOW, each as its own symbol, and with their candidates: with a
 * dropout of 0.1, English is 1.1 times as fast. */
WWHO_LOCAL void push_each_byte(wwho_row *row, const wwho_vocabulary *v, const uint8_t *text, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        row->tokens[i] = v->bytes->token[text[i]];
        row->next[i] = candidate(pair_at(v->bytes, text, i, n), i);
    }
    row->n = n;
    row->paired = true;
}

/* Return the number of the lead of the character that begins at p, where n > 0 bytes are left, or 0 if it has none: it is ASCII, of four
 * bytes, or incomplete. */
static HOT uint32_t lead_of(const wwho_bytes *b, const uint8_t *p, uint32_t n) {
    if (p[0] < 0xC0 || p[0] >= 0xF0) return 0;
    if (p[0] < 0xE0) return 1 + (p[0] & 31);
    return n > 1 && p[1] >> 6 == 2 ? b->lead_at[(p[0] & 15) << 6 | (p[1] & 63)] : 0;
}

/* Return how many of n bytes of text merge early from byte i on, to *token: those of a character, or of a space at the start and the
 * character after it. 0 if none do; *token then means nothing. */
static inline uint32_t early_at(const wwho_bytes *b, const uint8_t *text, uint32_t i, uint32_t n, uint32_t *token) {
    bool spaced = !i && text[0] == ' ' && n > 1;
    const uint8_t *p = text + i + spaced;
    uint32_t left = n - i - spaced, lead = lead_of(b, p, left), width = 2 + (p[0] >= 0xE0), next = 0;
    if (!lead || left < width || p[width - 1] >> 6 != 2) return 0;
    uint32_t last = p[width - 1] & 63;
    *token = (spaced ? b->leads[lead].spaced : b->leads[lead].token)[last];
    if (i && (p[-1] >= 0xC0 || *token >= b->leads[lead].from_left[p[-1] < 0x80 ? 64 : p[-1] & 63])) return 0;
    if (left > width && p[width] >= 0x80 && !(next = lead_of(b, p + width, left - width))) return 0;
    if (left > width && *token >= b->leads[next].from_right[last]) return 0;
    return *token + 1 > 1 ? width + spaced : 0; /* neither WWHO_NONE nor 0 */
}

/* Fill an empty row with the symbols of a text of n bytes, from 1 to WIDE_WINDOW: bytes, and tokens of pairs and characters that merge
 * early in any case, so that fewer merges are left. */
WWHO_LOCAL void push_bytes(wwho_row *row, const wwho_vocabulary *v, const uint8_t *text, uint32_t n) {
    const wwho_bytes *b = v->bytes;
    for (uint32_t i = 0, before = WWHO_NONE; i < n;) { /* before: what the byte at i merges to with the one before it */
        uint32_t here = pair_at(b, text, i, n), after = pair_at(b, text, i + 1, n), token, width = early_at(b, text, i, n, &token);
        if (!width) {
            bool pair = here < before && here < after && here < b->from_left[text[i]] && here < b->from_right[text[i + 1]];
            width = pair ? 2 : 1;
            token = pair ? here : b->token[text[i]];
        }
        push_symbol(row, token);
        before = width == 1 ? here : width == 2 ? after : WWHO_NONE;
        i += width;
    }
}

/* Lower *least to `value` if that is less. */
static void lower(uint32_t *least, uint32_t value) { *least = value < *least ? value : *least; }

/* Return the entry of v->bytes->leads for this token, if it is a character of two or three bytes, or a space and such a character;
 * otherwise null. */
static uint32_t *place_of(const wwho_vocabulary *v, uint32_t token) {
    const uint32_t from = v->offset[token];
    const uint8_t *text = v->texts + from;
    bool spaced = text[0] == ' ';
    uint32_t width = v->offset[token + 1] - from - spaced, lead = lead_of(v->bytes, text + spaced, width), last = text[width - 1 + spaced];
    if (!lead || width != 2u + (text[spaced] >= 0xE0) || last >> 6 != 2) return 0;
    return &(spaced ? v->bytes->leads[lead].spaced : v->bytes->leads[lead].token)[last & 63];
}

/* Return true if the bytes of a token, alone, merge to it, and the last merge adds its last byte, with no merge of a higher rank before it.
 * */
static bool ends_alone(const wwho_vocabulary *v, uint32_t token) {
    wwho_row row;
    const uint8_t *text = v->texts + v->offset[token];
    if (v->right[token] >= 256 || (v->level && v->level[token] != token)) return false;
    row.before[0] = 0;
    start_row(&row, &v->pairs, 0);
    push_each_byte(&row, v, text, token_length(v, token));
    replay(&row, 1);
    return row.n == 1 && row.tokens[0] == token;
}

/* If characters meet where the two parts of a token join, lower from_left or from_right of the lead behind that border to the token, which
 * is the number of its merge: from_left if the right part is the bytes that the characters of the lead share, and no more; from_right, also
 * that of lead 0 where ASCII follows, if the left part is one continuation byte. The entry is that of the byte before the border: its lower
 * six bits, or 64 for ASCII. */
static void note_border(const wwho_vocabulary *v, uint32_t token) {
    const uint32_t *offset = v->offset + token, left = token_length(v, v->left[token]), right = offset[1] - offset[0] - left;
    const uint8_t *p = v->texts + offset[0] + left; /* the border */
    uint32_t lead = lead_of(v->bytes, p, right);
    wwho_lead *l = &v->bytes->leads[lead];
    if (p[-1] >= 0xC0) return;
    if (lead && right == 1u + (p[0] >= 0xE0)) lower(&l->from_left[p[-1] < 0x80 ? 64 : p[-1] & 63], token);
    if ((lead || p[0] < 0x80) && left == 1 && p[-1] >= 0x80) lower(&l->from_right[p[-1] & 63], token);
}

/* Fill in v->bytes (but its `token`, which is there already), once all merges of a vocabulary over bytes are known: which pairs of bytes
 * and which characters merge early, and the first merges of each byte and lead with what stands beside it. Characters of three bytes beyond
 * the first MOST_LEADS leads are left out. */
WWHO_LOCAL void find_early(wwho_vocabulary *v) {
    wwho_bytes *b = v->bytes;
    uint32_t n_leads = 1 + 32;
    fill_bytes(b->pair, 255, sizeof *b - sizeof b->token);
    fill_bytes(b->lead_at, 0, sizeof b->lead_at);
    for (uint32_t token = v->n_symbols; token < v->n_made; token++) {
        uint32_t left = v->left[token], right = v->right[token];
        const uint8_t *p = v->texts + v->offset[token];
        if (left >= 256) {
            if (right < 256) lower(&b->from_left[v->texts[right]], token);
        } else if (right >= 256)
            lower(&b->from_right[p[0]], token);
        else {
            b->pair[p[0] << 8 | p[1]] = token;
            if (p[0] >> 4 == 14 && p[1] >> 6 == 2 && n_leads < MOST_LEADS) b->lead_at[(p[0] & 15) << 6 | (p[1] & 63)] = (uint8_t)n_leads++;
        }
    }
    for (uint32_t token = v->n_symbols; token < v->n_made; token++) {
        uint32_t *place = place_of(v, token);
        note_border(v, token);
        if (place && *place && ends_alone(v, token)) *place = token;
        for (uint32_t k = 0; v->later && k < 2; k++) { /* a part of a higher number: merges that it takes part in come before its own */
            uint32_t part = k ? v->right[token] : v->left[token];
            if (part < token) continue;
            if (token_length(v, part) == 2) b->from_left[v->texts[v->offset[part]]] = 0;
            if ((place = place_of(v, part))) *place = 0;
        }
    }
    for (uint32_t at = 0; at < sizeof b->lead_at; at++) /* a merge with the first of three bytes alone counts for all their leads */
        for (uint32_t i = 0, first = 0xE0 + at / 64; b->lead_at[at] && i < 0xC0; i++) {
            wwho_lead *lead = &b->leads[b->lead_at[at]];
            uint32_t pair = b->pair[i << 8 | first], *left = &lead->from_left[i < 0x80 ? 64 : i & 63];
            lower(left, pair);
            lower(left, b->from_left[first]);
            if (i >= 0x80) lower(&lead->from_right[i & 63], pair);
        }
}
