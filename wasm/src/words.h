/* Words of a text that steps rewrite, as the cache knows them (words.c). Not in WebAssembly, which has no room for it. */
#ifndef WWHO_WORDS_H
#define WWHO_WORDS_H

#include "encode.h"

#ifndef __wasm__
/* Note whether words of this model's texts may be kept, once all else is built: where steps are not as plain as plain.c can say. */
WWHO_LOCAL void put_words(wwho_model *model);

/* Put the tokens of words from `at` on, where the text of the encoder begins (`fresh`), or may be cut and rewritten anew; `whole` if it
 * ends at `end`. Gives how far that was possible. */
WWHO_LOCAL size_t encode_words(wwho_encoder *e, size_t at, size_t end, bool fresh, bool whole);
#endif

#endif
