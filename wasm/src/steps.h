/* The sections STEPS and NORMALIZER (FORMAT.md). */
#ifndef WWHO_STEPS_H
#define WWHO_STEPS_H

#include "model.h"

/* Read the STEPS section, after the heads of the automata, and fill the tables of its steps. Without memory, only compute their size.
 * WWHO_STEPS. */
WWHO_LOCAL int plan_steps(wwho_model *model, wwho_arena *arena);

/* Check the head of the NORMALIZER section, if there is one, and take memory for its two lists. WWHO_NORMALIZER. */
WWHO_LOCAL int plan_normalizer(wwho_model *model, wwho_arena *arena);

/* After the routes, which name steps first: fill the two lists. WWHO_NORMALIZER; WWHO_STEPS if a step has no name. */
WWHO_LOCAL int build_normalizer(wwho_model *model);

/* The step whose number, of two bytes, stands at p; null if there is none. model->n_named counts how many steps were named so far, or is
 * WWHO_NONE from when one was named before a step of a lower number. */
WWHO_LOCAL const wwho_step *name_step(wwho_model *model, const uint8_t *p);

/* Append a step to a list that has room for it. */
WWHO_LOCAL void add_rewrite(wwho_rewrites *list, const wwho_step *step);

#endif
