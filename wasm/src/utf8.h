/* Characters of a byte string that may be broken UTF-8 (FORMAT.md, AUTOMATA). */
#ifndef WWHO_UTF8_H
#define WWHO_UTF8_H

#include "common.h"

#define REPLACEMENT 0xFFFDu

/* Return the width in bytes of the character at `text`, of n > 0 bytes; its code point goes to *code_point. Follows the Unicode standard's
 * table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF. Any other byte is one character, read as U+FFFD. */
static inline uint32_t utf8_next(const uint8_t *text, size_t n, uint32_t *code_point) {
    uint32_t lead = text[0];
    if (lead < 0x80) {
        *code_point = lead;
        return 1;
    }
    uint32_t word = 0; /* the next four bytes; zero after the end, because a zero continues no character */
    if (n >= 4)
        copy_bytes(&word, text, 4);
    else
        for (uint32_t i = 0; i < n; i++) word |= (uint32_t)text[i] << 8 * i;
    /* the bits with which a byte continues a character; 0x40 or more if it does not */
    uint32_t b = (word >> 8 & 0xFF) ^ 0x80, c = (word >> 16 & 0xFF) ^ 0x80, d = word >> 24 ^ 0x80;
    uint32_t three = (lead & 15) << 12 | b << 6 | c, four = (lead & 7) << 18 | b << 12 | c << 6 | d;
    if (lead >> 4 == 0xE && (b | c) < 0x40 && three >= 0x800 && three >> 11 != 0xD800 >> 11) {
        *code_point = three;
        return 3;
    }
    if (lead >> 5 == 6 && b < 0x40 && lead >= 0xC2) {
        *code_point = (lead & 31) << 6 | b;
        return 2;
    }
    if (lead >> 3 == 0x1E && (b | c | d) < 0x40 && four >= 0x10000 && four <= 0x10FFFF) {
        *code_point = four;
        return 4;
    }
    *code_point = REPLACEMENT;
    return 1;
}

/* Return the width in bytes of the character at `text`, of n > 0 bytes, as utf8_next(), but not inlined; its code point goes to
 * *code_point. */
WWHO_LOCAL uint32_t next_character(const uint8_t *text, size_t n, uint32_t *code_point);

/* Return the width in bytes of the character that ends at text[at], in a text that begins at `from`, before `at`; its code point goes to
 * *code_point (U+FFFD for a byte of broken UTF-8). */
WWHO_LOCAL uint32_t character_before(const uint8_t *text, size_t from, size_t at, uint32_t *code_point);

/* Write the UTF-8 bytes of a character to `out`, which has room for four; 0x110000 plus a byte becomes that byte. Returns their number. */
WWHO_LOCAL uint32_t encode_utf8(uint32_t c, uint8_t *out);

/* Return how many of len bytes remain without an incomplete character at the end, for a text that continues. The last lead byte among the
 * last three begins an incomplete one if it asks for more bytes than there are, whatever follows it. */
WWHO_LOCAL size_t whole_characters(const uint8_t *text, size_t len);

/* Return true if n bytes are well-formed UTF-8. */
WWHO_LOCAL bool well_formed(const uint8_t *text, uint32_t n);

#endif
