"""The making of artifacts: base vocabularies, models around the trainer, encodings of other tools.

`bpe` makes byte-pair encodings, and `base` base vocabularies of them, with the published patterns
in `patterns`. The trainer calls `atoms`, `training_artifacts` and `unigram`. Importers call `fold`,
which brings a pipeline that follows a library step by step to the form that the core runs fast, by
means of `fuse` (several cuts as one) and `as_bytes` (characters that stand for bytes as bytes), and
`decoders`. `script` is SCRIPT-BPE; `paper`, `vocab_json` and `vocab_json_merges` convert the
vocabularies of the WWHO paper's authors.
"""
