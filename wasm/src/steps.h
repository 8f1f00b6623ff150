/* Reading the steps of a normalizer from a file (FORMAT.md, NORMALIZER). */
#ifndef WWHO_STEPS_H
#define WWHO_STEPS_H

#include "rewriting.h"

/* Allocate and fill the tables of a section's normalizer. Without memory, only compute their size. Errors: WWHO_NORMALIZER. */
WWHO_LOCAL int build_normalizer(wwho_section section, wwho_arena *arena, const wwho_automaton *automata, uint32_t n_automata,
                                wwho_normalizer *normalizer);

#endif
