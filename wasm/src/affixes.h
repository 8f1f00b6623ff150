/* Pretokens that are written as their symbols before they merge (FORMAT.md, Affixes): with a prefix for each symbol that continues the
 * pretoken and a suffix for the last one, without the units that are left out, or with the symbol that stands for unknown units. Symbols are
 * characters here. In a model with a prefix, the texts of tokens are those of their symbols, one after the other, and `shown` has those of
 * the file. */
#ifndef WWHO_AFFIXES_H
#define WWHO_AFFIXES_H

#include "encode.h"

/* Whether pretokens of a route are written as symbols. */
static inline bool is_written(const wwho_vocabulary *v, const wwho_route *route) {
    return v->writes && (v->unk_symbol == WWHO_NONE || route->characters);
}

/* Encode a pretoken of a model and a route whose pretokens are written as symbols; its tokens may be added to the cache under this key. */
WWHO_LOCAL void encode_written(wwho_encoder *e, const wwho_vocabulary *v, const wwho_route *route, const wwho_key *key, size_t at,
                               size_t end);

#endif
