/* Reading the automata of an artifact (FORMAT.md, AUTOMATA): they are checked, and the tables of the scanner and of the stream are built. */
#ifndef WWHO_AUTOMATA_H
#define WWHO_AUTOMATA_H

#include "automaton.h"

/* Read the heads of the automata of a section, and take memory for their tables. WWHO_AUTOMATON_SHAPE. */
WWHO_LOCAL int plan_automata(wwho_section section, uint32_t n_classes, wwho_arena *arena, wwho_automaton **automata, uint32_t *count);

/* Check an automaton and build its tables. WWHO_AUTOMATON_SHAPE, _TABLE, _TOTAL. */
WWHO_LOCAL int build_automaton(wwho_automaton *automaton, const wwho_classes *classes);

#endif
