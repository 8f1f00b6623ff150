/* Words of a text that steps rewrite, as the cache knows them (words.c). Not in WebAssembly, which has no room for it. */
#ifndef WWHO_WORDS_H
#define WWHO_WORDS_H

#include "encode.h"

#ifndef __wasm__
/* Note whether words of this model's texts may be kept, once all else is built. */
WWHO_LOCAL void put_words(wwho_model *model);

/* Whether the n bytes of text ahead take so long to rewrite that it is quicker to look words up: unseen text takes CLIP half the time in
 * English and a third in Hindi, BERT three quarters in Hindi, T5 two thirds. Where steps are few, or ASCII is rewritten by a table, words
 * that the cache lacks cost more than those that it has gain. */
WWHO_LOCAL bool gains_by_words(const wwho_model *model, const uint8_t *text, size_t n);

/* Put the tokens of words from `at` on, where the text of the encoder begins (`fresh`), or may be cut and rewritten anew; `whole` if it
 * ends at `end`. Gives how far that was possible. */
WWHO_LOCAL size_t encode_words(wwho_encoder *e, size_t at, size_t end, bool fresh, bool whole);
#endif

#endif
