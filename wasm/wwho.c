/* WWHO, in one compilation unit. */
#define WWHO_LOCAL static

#include "src/arena.c"

#include "src/automaton.c"
#include "src/stream.c"

#include "src/early.c"
#include "src/merge.c"
#include "src/row.c"

#include "src/encode.c"
#include "src/decode.c"

#include "src/utf8.c"
#include "src/passes.c"
#include "src/normalize.c"

#include "src/viterbi.c"

/* What follows opens files, or runs once for a call or a rare text: in WebAssembly it is small rather than fast, which saves 2 KB. */
#if defined(__wasm__) && defined(__clang__)
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif

#include "src/trie.c"
#include "src/added.c"
#include "src/cut.c"
#include "src/spans.c"
#include "src/blocks.c"
#include "src/greedy.c"
#include "src/affixes.c"
#include "src/unknown.c"
#include "src/sampling.c"
#include "src/parts.c"
#include "src/cuts.c"
#include "src/after.c"

#include "src/file.c"
#include "src/steps.c"
#include "src/plain.c"
#include "src/vocabulary.c"
#include "src/bpe.c"
#include "src/models.c"
#include "src/path.c"
#include "src/open.c"
#include "src/automata.c"
#include "src/info.c"

#if defined(__wasm__) && defined(__clang__)
#pragma clang attribute pop
#endif
