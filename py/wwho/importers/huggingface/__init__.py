"""Tokenizers of Hugging Face's library `tokenizers`, version 0.23.3: tokenizer.json and before it.

`document` reads JSON with a pointer to each value; `cutting` makes stages of pre-tokenizers,
`rewriting` steps of normalizers, `vocabularies` models, `around` the template and the decoder, and
`read` puts them together.
"""
