"""The `.wwho` artifact: its data model, writer and reader. The specification is wasm/FORMAT.md.

`model` has the class `Artifact`, of a pipeline and models; its parts are those of `steps`,
`automaton`, `classmap`, and `bpe`, `greedy` and `viterbi`, the kinds of models. `write` turns an
artifact into bytes, and `read` bytes into an artifact. Both call one module for each section:
`scanners`, `steps_section`, `normalizer`, `routes`, `models`, `added`, `template`, `decoder` and
`provenance`. `container` is what is around the sections, `layout` the numbers that all share,
`cursor` reads a section from its start to its end, and `leb` packs columns of numbers.

`files` writes files, whole or not at all; `foreign` recognizes files of other kinds; `losses` says
what text a tokenizer loses.
"""
