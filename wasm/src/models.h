/* The MODEL sections: the head that every kind of model shares, and the kinds (FORMAT.md, MODEL). */
#ifndef WWHO_MODELS_H
#define WWHO_MODELS_H

#include "model.h"

enum { KIND_BPE = 1, KIND_GREEDY, KIND_VITERBI };
enum { SYMBOLS_BYTES, SYMBOLS_UNITS };

/* Check the heads of all models, and take their memory. */
WWHO_LOCAL int plan_models(wwho_model *model, wwho_arena *arena);

/* Check and build the models. number_models() later fills in the ids of models with STEP. */
WWHO_LOCAL int build_models(wwho_model *model);

/* After the added tokens are known: number the tokens of models with STEP, and check that each unk_id is the id of a token. */
WWHO_LOCAL int number_models(wwho_model *model);

/* BPE (bpe.c): the functions of its wwho_kind. */
WWHO_LOCAL int check_bpe(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);
WWHO_LOCAL int build_bpe(wwho_vocabulary *v, number_columns *c);
WWHO_LOCAL uint32_t find_bpe(const wwho_vocabulary *v, const uint8_t *text, size_t n);

/* GREEDY (greedy.c) and VITERBI (viterbi.c). */
WWHO_LOCAL int check_greedy(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);
WWHO_LOCAL int build_greedy(wwho_vocabulary *v, number_columns *c);
WWHO_LOCAL uint32_t find_greedy(const wwho_vocabulary *v, const uint8_t *text, size_t n);
WWHO_LOCAL int check_viterbi(const uint8_t *p, uint32_t length, wwho_vocabulary *v, wwho_arena *arena);
WWHO_LOCAL int build_viterbi(wwho_vocabulary *v, number_columns *c);
WWHO_LOCAL uint32_t find_viterbi(const wwho_vocabulary *v, const uint8_t *text, size_t n);

#endif
