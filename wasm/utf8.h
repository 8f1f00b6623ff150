/* Characters of a byte string that may be broken UTF-8 (FORMAT.md, section 4). */
#ifndef WWHO_UTF8_H
#define WWHO_UTF8_H

#include "internal.h"

#define REPLACEMENT 0xFFFDu

static inline bool continues(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* The bytes of the character at text[0], of n > 0 bytes; its code point goes to *code_point. The Unicode standard's table 3-7:
 * no overlong forms, no surrogates, nothing over U+10FFFF; any other byte is one character, read as U+FFFD. */
static inline uint32_t utf8_next(const uint8_t *text, size_t n, uint32_t *code_point) {
    uint32_t c = text[0];
    if (c < 0x80) {
        *code_point = c;
        return 1;
    }
    *code_point = REPLACEMENT;
    if (c < 0xC2 || c > 0xF4 || n < 2 || !continues(text[1])) return 1;
    if (c < 0xE0) {
        *code_point = (c & 0x1F) << 6 | (text[1] & 0x3Fu);
        return 2;
    }
    if (n < 3 || !continues(text[2])) return 1;
    if (c < 0xF0) {
        c = (c & 0x0F) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
        if (c < 0x800 || (c >= 0xD800 && c < 0xE000)) return 1;
        *code_point = c;
        return 3;
    }
    if (n < 4 || !continues(text[3])) return 1;
    c = (c & 0x07) << 18 | (text[1] & 0x3Fu) << 12 | (text[2] & 0x3Fu) << 6 | (text[3] & 0x3Fu);
    if (c < 0x10000 || c > 0x10FFFF) return 1;
    *code_point = c;
    return 4;
}

#endif
