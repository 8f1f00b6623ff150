/* The sections STEPS and NORMALIZER (FORMAT.md). */
#ifndef WWHO_STEPS_H
#define WWHO_STEPS_H

#include "model.h"

/* Read the STEPS section into model->steps, after the heads of the automata, and fill the tables of the steps. Without memory in the
 * arena, only its size is computed. Returns WWHO_OK or WWHO_STEPS. */
WWHO_LOCAL int plan_steps(wwho_model *model, wwho_arena *arena);

/* Check the head of the NORMALIZER section, if there is one, and take memory for its two lists, and for the plain table of each list that
 * has steps. Sets model->n_normalizer. Returns WWHO_OK or WWHO_NORMALIZER. */
WWHO_LOCAL int plan_normalizer(wwho_model *model, wwho_arena *arena);

/* Fill the two lists of the normalizer with the steps that its section names, after the routes, which name steps first. Drops the plain
 * table of a tangled list. Returns WWHO_NORMALIZER if a step is invalid or cuts, WWHO_STEPS if some step of the model is named nowhere. */
WWHO_LOCAL int build_normalizer(wwho_model *model);

/* Return the step whose number, of two bytes, stands at p; null if there is none. Counts in model->n_named how many steps were named so
 * far; it becomes WWHO_NONE, for good, when a step is named before one of a lower number. */
WWHO_LOCAL const wwho_step *name_step(wwho_model *model, const uint8_t *p);

/* Append a step to a list that has room for it. */
WWHO_LOCAL void add_rewrite(wwho_rewrites *list, const wwho_step *step);

#endif
