"""FORMAT.md, Encoding and Decoding, in plain Python: a lesson, and a second opinion.

Begin with `walk`, the way of a text: `added` finds added tokens; `rewrite` and `map` are the steps
that rewrite a `piece`, and `cut` those that cut it, by automata that `scan` runs. Each pretoken
then goes to a model, an `engine` of its kind: `bpe` (whose merges are in `merge`, and whose symbols
`blocks` may write), `longest_match` or `unigram`. `sampling` draws at random, and `decode` joins
the texts of tokens.
"""
