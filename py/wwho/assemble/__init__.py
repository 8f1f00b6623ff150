"""The making of artifacts: base vocabularies, models around the trainer, encodings of other tools.

`base` makes base vocabularies and `bpe` the encodings in them; `atoms` and `training_artifacts`
serve the trainer; `script` is SCRIPT-BPE; `paper` and the two `vocab_json` modules are the encoder
of the paper's authors; `decoders`, `patterns` and `fuse` serve importers.
"""
