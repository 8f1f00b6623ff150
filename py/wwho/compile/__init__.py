"""The compiler of patterns and script schemas: from their text to the automata of an artifact.

A schema's grammar, the router that finds scripts, and a pretokenizer's regular expression are the
same kind of thing: patterns over sets of code points. One sequence of modules compiles them all to
a class map (code points that no pattern tells apart share a class) and small transition tables::

    pattern text -> parse -> syntax (tree) -> nfa -> determinize -> minimize -> scanners

A script schema is a JSON document. It is checked, read, and turned into patterns first::

    JSON -> schema_document -> schema_shape, schema_conditions -> schema -> schema_scanners

`schema_loader` does all checks of a schema at once, those of a `transition_table` among them, and
`validity` says which syllables are valid. `pattern_characters` reads what stands for one character
in a pattern; `codepoints` is the type of the sets that it returns, and `unicode` knows the sets
that Unicode names. `oniguruma` is another parser, for the dialect of Hugging Face's tokenizers, and
`possessive` the proof that lets a possessive quantifier be compiled as a greedy one.

The patterns that WWHO has itself are in `grapheme` (grapheme clusters), `script` (SCRIPT's pieces)
and `paper_scanners` (the encoder of the WWHO paper's authors). `normal_forms` has Unicode's tables
as steps.
"""
