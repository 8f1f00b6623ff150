/* WWHO, in one compilation unit. How the files of src/ work together:
 *
 * To open an artifact, open.c plans its memory and then builds each section: file.c checks the container, automata.c the automata (from
 * which stream.c builds streaming automata), steps.c the steps (plain.c tabulates what they do to single characters), path.c chooses how
 * each route cuts, models.c reads what all models have, with vocabulary.c and trie.c for their lookups, and bpe.c, greedy.c and viterbi.c
 * what each kind has; added.c and after.c read the added tokens, the template and the decoder.
 *
 * To encode a text, parts.c finds added tokens (added.c) and has the normalizer rewrite what stands between them (normalize.c; passes.c is
 * what each step does). encode.c cuts the result into segments by the router (automaton.c), and each segment into pretokens by the path of
 * its route: stream.c, or the walk of cut.c. It collects pretokens in a block. Those that the cache (cache.h) lacks go to their models. BPE
 * merges short pretokens by row.c, whose symbols early.c has merged as far as is sure, and all others by merge.c; affixes.c and blocks.c
 * write the symbols of models that need it. greedy.c and viterbi.c are the other kinds. unknown.c is for what a model lacks, sampling.c
 * draws at random, spans.c records pretokens and units. cuts.c says where a text may be cut before all of it is there.
 *
 * To decode ids, decode.c finds the texts of tokens, and after.c joins them. info.c tells facts of a model; arena.c, utf8.c and common.h
 * serve all. wasm/FORMAT.md specifies everything that can be observed. */
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
