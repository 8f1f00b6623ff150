/* The symbols that a row of bytes begins with: bytes, and pairs of bytes and whole characters that merge early, which means before
 * anything else that their bytes could take part in, whatever stands next to them. So fewer merges are left to replay.
 *
 * Pairs of bytes: Hindi that was not seen before is 1.08 times as fast, Chinese 1.13, English 1.05.
 *
 * Characters of two or three bytes: Sinhala is 1.45 times as fast, Hindi 1.23, Burmese 1.55, Thai 1.5, Japanese 1.4, Chinese and
 * Tamil 1.25; in WebAssembly Hindi and Sinhala 1.2. A merge across the border between two characters either has the last byte of the left
 * one as its left part, or a longer part that ends with that byte; its right part is the beginning of the right character, or begins with
 * it. As long as no such merge in which parts of a character could take part comes before the character's own merge, its bytes merge with
 * each other only, and its token can be taken at once: every merge that the token takes part in comes later. */
#ifndef WWHO_EARLY_H
#define WWHO_EARLY_H

#include "row.h"

/* Fill in v->bytes (but its `token`, which is there already), once all merges of a vocabulary over bytes are known: which pairs of bytes
 * and which characters merge early, and the first merges of each byte and lead with what stands beside it. Characters of three bytes beyond
 * the first MOST_LEADS leads are left out. */
WWHO_LOCAL void find_early(wwho_vocabulary *v);

/* Fill an empty row with the bytes of a text of n bytes, from 1 to WIDE_WINDOW, each as its own symbol, and with their candidates: with a
 * dropout of 0.1, English is 1.1 times as fast. */
WWHO_LOCAL void push_each_byte(wwho_row *row, const wwho_vocabulary *v, const uint8_t *text, uint32_t n);

/* Fill an empty row with the symbols of a text of n bytes, from 1 to WIDE_WINDOW: bytes, and tokens of pairs and characters that merge
 * early in any case, so that fewer merges are left. */
WWHO_LOCAL void push_bytes(wwho_row *row, const wwho_vocabulary *v, const uint8_t *text, uint32_t n);

#endif
