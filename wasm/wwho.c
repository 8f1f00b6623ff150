/* WWHO, in one compilation unit. */
#define WWHO_LOCAL static

#include "src/arena.c"

#include "src/automaton.c"
#include "src/stream.c"

#include "src/early.c"
#include "src/merge.c"
#include "src/row.c"

#include "src/encode.c"
#include "src/affixes.c"

#include "src/decode.c"
#include "src/utf8.c"
#include "src/added.c"
#include "src/passes.c"
#include "src/blocks.c"
#include "src/normalize.c"
#include "src/plain.c"
#include "src/parts.c"
#include "src/cut.c"
#include "src/unknown.c"
#include "src/spans.c"

#include "src/file.c"
#include "src/steps.c"
#include "src/vocabulary.c"
#include "src/trie.c"
#include "src/bpe.c"
#include "src/greedy.c"
#include "src/viterbi.c"
#include "src/models.c"
#include "src/after.c"
#include "src/path.c"
#include "src/open.c"

#include "src/automata.c"

#include "src/cuts.c"
#include "src/info.c"
