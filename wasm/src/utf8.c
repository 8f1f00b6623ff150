/* See utf8.h. */
#include "utf8.h"

/* Return the width in bytes of the character at `text`, of n > 0 bytes, as utf8_next(), but not inlined; its code point goes to
 * *code_point. */
WWHO_LOCAL uint32_t next_character(const uint8_t *text, size_t n, uint32_t *code_point) { return utf8_next(text, n, code_point); }

/* Return the width in bytes of the character that ends at text[at], in a text that begins at `from`, before `at`; its code point goes to
 * *code_point (U+FFFD for a byte of broken UTF-8). */
WWHO_LOCAL uint32_t character_before(const uint8_t *text, size_t from, size_t at, uint32_t *code_point) {
    for (uint32_t width = 4; width > 1; width--)
        if (at - from >= width && next_character(text + at - width, width, code_point) == width) return width;
    return next_character(text + at - 1, 1, code_point);
}

/* Return true if n bytes are well-formed UTF-8. */
WWHO_LOCAL bool well_formed(const uint8_t *text, uint32_t n) {
    for (uint32_t at = 0, code_point, width; at < n; at += width) {
        width = next_character(text + at, n - at, &code_point);
        if (width == 1 && code_point == REPLACEMENT) return false;
    }
    return true;
}

/* Write the UTF-8 bytes of a character to `out`, which has room for four; 0x110000 plus a byte becomes that byte. Returns their number. */
WWHO_LOCAL uint32_t encode_utf8(uint32_t c, uint8_t *out) {
    if (c < 0x80 || c >= 0x110000) {
        out[0] = (uint8_t)c;
        return 1;
    }
    uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = n; --i; c >>= 6) out[i] = (uint8_t)(0x80 | (c & 63));
    out[0] = (uint8_t)(0xF00u >> n | c);
    return n;
}

/* Return how many of len bytes remain without an incomplete character at the end, for a text that continues. The last lead byte among the
 * last three begins an incomplete one if it asks for more bytes than there are, whatever follows it. */
WWHO_LOCAL size_t whole_characters(const uint8_t *text, size_t len) {
    for (uint32_t k = 1; k < 4 && k <= len; k++) { /* bytes that may start an incomplete character */
        uint8_t lead = text[len - k];
        if (lead >= 0xC0) return k < (lead < 0xE0 ? 2u : lead < 0xF0 ? 3u : 4u) ? len - k : len;
    }
    return len;
}
