/* The MODEL sections: the head that every kind of model shares, and the kinds (FORMAT.md, MODEL). */
#ifndef WWHO_MODELS_H
#define WWHO_MODELS_H

#include "model.h"

enum { KIND_BPE = 1, KIND_GREEDY, KIND_VITERBI };
enum { SYMBOLS_BYTES, SYMBOLS_UNITS };

/* Read and check the heads of all models into model->models, and take memory for their tables. Returns WWHO_OK or WWHO_MODEL, that of the
 * first model that is invalid. */
WWHO_LOCAL int plan_models(wwho_model *model, wwho_arena *arena);

/* Check all models and build their tables, but for the ids of models with STEP, which number_models() fills in later. Returns the status
 * of the first model that is invalid, or WWHO_OK. */
WWHO_LOCAL int build_models(wwho_model *model);

/* Number the tokens of models with STEP, once the added tokens are known. For each model, find unk_symbol and whether pretokens are
 * written as symbols (v->writes), and check that unk_id is the id of a token. Returns WWHO_OK, WWHO_IDS or WWHO_MODEL. */
WWHO_LOCAL int number_models(wwho_model *model);

/* Check the head at p of a BPE model (bpe.c), of `length` bytes with all that follows it, and take memory for its tables. Sets the counts
 * of v (n_superwords, n_ties, n_made, n_plain), space_id and the affixes; `prefix` and `suffix` point into the file. Returns WWHO_OK or
 * WWHO_MODEL. */
WWHO_LOCAL int check_bpe(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);

/* Read everything else of a BPE model but its ids, from c on, and build its tables. Returns WWHO_OK or what is invalid. */
WWHO_LOCAL int build_bpe(wwho_vocabulary *v, number_columns *c);

/* Return the token with this text of n > 0 bytes, as the file has it, or WWHO_NONE, for a BPE model or the added tokens. */
WWHO_LOCAL uint32_t find_bpe(const wwho_vocabulary *v, const uint8_t *text, size_t n);

/* Check the head at p of a model of the kind GREEDY (greedy.c), and take memory for its texts and trie. Returns WWHO_OK or WWHO_MODEL. */
WWHO_LOCAL int check_greedy(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);

/* Read everything else of a model of the kind GREEDY but its ids, from c on, and build its trie. Returns WWHO_OK or what is invalid. */
WWHO_LOCAL int build_greedy(wwho_vocabulary *v, number_columns *c);

/* Return the token with this text of n > 0 bytes, or WWHO_NONE, for a model of the kind GREEDY. */
WWHO_LOCAL uint32_t find_greedy(const wwho_vocabulary *v, const uint8_t *text, size_t n);

/* Check the head at p of a model of the kind VITERBI (viterbi.c), and take memory for its trie and scores. Returns WWHO_OK or
 * WWHO_MODEL. */
WWHO_LOCAL int check_viterbi(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);

/* Read everything else of a model of the kind VITERBI but its ids, from c on, and build its trie. Returns WWHO_OK or what is invalid. */
WWHO_LOCAL int build_viterbi(wwho_vocabulary *v, number_columns *c);

/* Return the token with this text of n > 0 bytes, or WWHO_NONE, for a model of the kind VITERBI. */
WWHO_LOCAL uint32_t find_viterbi(const wwho_vocabulary *v, const uint8_t *text, size_t n);

#endif
