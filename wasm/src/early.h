/* What merges before anything else that its bytes could take part in, whatever is beside it: a row begins with these as its symbols.
 *
 * Pairs of bytes: unseen Hindi and Sinhala by 1.12 to 1.18, in WebAssembly by 1.1. Characters of two or three bytes: a merge across the
 * border between two of them has the last byte of the left one as its left part, or else a part that ends with this byte; its right part
 * is the beginning of the right one, or begins with that. While no such merge that a character's parts could take part in comes before its
 * own, its bytes only merge with each other, and its token may be taken at once: what it then takes part in comes later. */
#ifndef WWHO_EARLY_H
#define WWHO_EARLY_H

#include "merge.h"

/* Find what merges early, once all merges of a vocabulary over bytes are there. */
WWHO_LOCAL void find_early(wwho_vocabulary *v);

/* A row of the symbols of n > 0 bytes, which are no more than WIDE_WINDOW. */
WWHO_LOCAL void push_bytes(wwho_row *row, const wwho_vocabulary *v, const uint8_t *text, uint32_t n);

#endif
