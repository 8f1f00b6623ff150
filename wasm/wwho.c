/* WWHO, in one compilation unit. */
#define WWHO_LOCAL static

#include "src/automaton.c"
#include "src/vocabulary.c"

#include "src/merge.c"

#include "src/encode.c"
#include "src/cuts.c"
#include "src/decode.c"
#include "src/spans.c"

#include "src/open.c"
#include "src/info.c"
