"""Tokenizers of Hugging Face's library `tokenizers`, version 0.23.3: tokenizer.json and before it.

`read` makes an artifact of a tokenizer.json: it asks five packages, `normalizers`,
`pre_tokenizers`, `models`, `post_processors` and `decoders`, in which each kind of component has a
file of its own, named as the library names it. Their steps share automata that `patterns` compiles
once all steps are known. `document` holds JSON with a pointer to each value, `added` the added
tokens, `mistral` one pattern that is known to be wrong. `vocabulary_files` reads vocabularies
without a tokenizer.json. `examples` runs one component alone, for the examples in docstrings.
"""
