/* Pretokens that are written as their symbols before they merge (FORMAT.md, Affixes): with a prefix for each symbol that continues the
 * pretoken and a suffix for the last one, without the units that are left out, or with the symbol that stands for unknown units. Symbols
 * are characters here. In a model with a prefix, the texts of tokens are those of their symbols, one after the other, and `shown` has those
 * of the file. */
#ifndef WWHO_AFFIXES_H
#define WWHO_AFFIXES_H

#include "encoder.h"

/* Encode the pretoken from `at` to `end` of the encoder's text with BPE over units: write it as symbols and merge those, if its model and
 * route need that, or merge the units as they are. Its tokens may be stored in the cache under `key`. */
WWHO_LOCAL void encode_units(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                             size_t end);

#endif
