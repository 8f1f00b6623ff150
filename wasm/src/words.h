/* A cache for the words of a text that the normalizer rewrites (words.c): with CLIP's tokenizer, unseen text is 2.5 to 2.7 times as fast.
 * WebAssembly has no room for it. */
#ifndef WWHO_WORDS_H
#define WWHO_WORDS_H

#include "encode.h"

#ifndef __wasm__
/* Once everything else is built, note whether the words of this model's texts may be cached. They may not if the steps are more complex
 * than plain.c can describe. */
WWHO_LOCAL void put_words(wwho_model *model);

/* Write the tokens of words from `at` on. The encoder's text starts there (`fresh`), or it may be cut there and rewritten separately.
 * `whole` says that the text ends at `end`. Returns how far this was possible. */
WWHO_LOCAL size_t encode_words(wwho_encoder *e, size_t at, size_t end, bool fresh, bool whole);
#endif

#endif
