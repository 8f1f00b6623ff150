/* Reading the automata of an artifact (FORMAT.md, AUTOMATA): they are checked, and the tables of the scanner and of the stream are built.
 */
#ifndef WWHO_AUTOMATA_H
#define WWHO_AUTOMATA_H

#include "automaton.h"

/* Read the heads of the automata of the AUTOMATA section, and take memory for them and for their tables; *automata and *count become the
 * automata and their number. An arena without memory only adds up its size, and *automata becomes null. Returns WWHO_OK or
 * WWHO_AUTOMATON_SHAPE; then *automata and *count stay. */
WWHO_LOCAL int plan_automata(wwho_section section, uint32_t n_classes, wwho_arena *arena, wwho_automaton **automata, uint32_t *count);

/* Check an automaton, whose memory was taken, and build its tables for the scanner, the stream and cuts. Returns WWHO_OK,
 * WWHO_AUTOMATON_SHAPE, WWHO_AUTOMATON_TABLE or WWHO_AUTOMATON_TOTAL. */
WWHO_LOCAL int build_automaton(wwho_automaton *automaton, const wwho_classes *classes);

#endif
