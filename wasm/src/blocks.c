/* See blocks.h. */
#include "blocks.h"

/* Return the two bytes of the block symbol with this number, the first in the lowest byte. */
WWHO_LOCAL uint32_t symbol_bytes(uint32_t symbol) {
    return (SYMBOL_LEAD + symbol / SYMBOL_TRAILS) | (SYMBOL_TRAIL + symbol % SYMBOL_TRAILS) << 8;
}

/* Write text[at..end) as block symbols to `out`, a pair for each character that the step has; other characters, and bytes of broken UTF-8,
 * become a symbol for each byte, or are left out without the step's flag. sources[i] becomes, for each byte i written, where its character
 * starts in the text. Returns the number of bytes written, at most SPELLED for each byte of text. */
WWHO_LOCAL size_t write_blocks(const wwho_step *step, const uint8_t *text, size_t at, size_t end, uint8_t *out, uint32_t *sources) {
    size_t n = 0;
    for (uint32_t width; at < end; at += width) {
        uint32_t code_point;
        width = next_character(text + at, end - at, &code_point);
        uint32_t word = width == 1 && code_point == REPLACEMENT ? 0 : step->symbols[cell_of(step, code_point)];
        for (uint32_t k = 0, stop = word ? 1 : width * step->flags; k < stop; k++) {
            if (!word) word = symbol_bytes(step->n_indices + step->n_blocks + text[at + k]);
            for (; word; word >>= 8) {
                sources[n] = (uint32_t)at;
                out[n++] = (uint8_t)word;
            }
        }
    }
    return n;
}

/* Write the text that the block symbols from `text` to `end` stand for to `to`. A pair becomes its character, the symbol of a byte that
 * byte, and any other symbol U+FFFD; bytes that are no symbols are copied. Returns the end of the output, which is at most half as long
 * again as the input. */
WWHO_LOCAL uint8_t *join_blocks(const wwho_step *step, const uint8_t *text, const uint8_t *end, uint8_t *to) {
    while (text < end) {
        uint32_t symbol = last_symbol(text + 2, (size_t)(end - text)), block = symbol - step->n_indices, found = REPLACEMENT;
        text += symbol == WWHO_NONE ? 1 : 2;
        if (symbol == WWHO_NONE)
            found = BROKEN + text[-1];
        else if (block < step->n_blocks) {
            uint32_t index = last_symbol(text + 2, (size_t)(end - text));
            uint32_t character = index < step->n_indices ? step->character[block * step->n_indices + index] : 0;
            if (character) {
                found = character - 1;
                text += 2;
            }
        } else if (block - step->n_blocks < 256)
            found = BROKEN + block - step->n_blocks;
        to += encode_utf8(found, to);
    }
    return to;
}
