/* The step BLOCKS (FORMAT.md): how pretokens are written for a model over bytes, each character with symbols of two bytes. */
#ifndef WWHO_BLOCKS_H
#define WWHO_BLOCKS_H

#include "rewriting.h"

/* A symbol of BLOCKS is two bytes. The first never occurs in UTF-8, and the second is never the first byte of a symbol. */
enum { SYMBOL_TRAIL = 2, SYMBOL_LEAD = 0xF5, SYMBOL_TRAILS = 240, MAX_BLOCK_SYMBOLS = (0x100 - SYMBOL_LEAD) * SYMBOL_TRAILS };

/* Return the number of the block symbol that the last two of the n bytes before `end` are, or WWHO_NONE. */
static inline uint32_t last_symbol(const uint8_t *end, size_t n) {
    return n < 2 || end[-2] < SYMBOL_LEAD ? WWHO_NONE : (uint32_t)(end[-2] - SYMBOL_LEAD) * SYMBOL_TRAILS + end[-1] - SYMBOL_TRAIL;
}

/* The most bytes that write_blocks() writes for one byte of text. */
enum { SPELLED = 4 };

/* Write text[at..end) as block symbols to `out`, a pair for each character that the step has; other characters, and bytes of broken UTF-8,
 * become a symbol for each byte, or are left out without the step's flag. sources[i] becomes, for each byte i written, where its character
 * starts in the text. Returns the number of bytes written, at most SPELLED for each byte of text. */
WWHO_LOCAL size_t write_blocks(const wwho_step *step, const uint8_t *text, size_t at, size_t end, uint8_t *out, uint32_t *sources);

/* Write the text that the block symbols from `text` to `end` stand for to `to`. A pair becomes its character, the symbol of a byte that
 * byte, and any other symbol U+FFFD; bytes that are no symbols are copied. Returns the end of the output, which is at most half as long
 * again as the input. */
WWHO_LOCAL uint8_t *join_blocks(const wwho_step *step, const uint8_t *text, const uint8_t *end, uint8_t *to);

/* Return the two bytes of the block symbol with this number, the first in the lowest byte. */
WWHO_LOCAL uint32_t symbol_bytes(uint32_t symbol);

#endif
