"""The compiler of patterns and script schemas: from their text to the automata of an artifact.

A schema's grammar, the router that finds scripts, and a pretokenizer's regular expression are the
same kind of thing: patterns over sets of code points. One sequence of modules compiles them all to
a class map (code points that no pattern tells apart share a class) and small transition tables::

    pattern text -> parse -> syntax (tree) -> nfa -> determinize -> minimize -> scanners

A script schema is a JSON document. It is checked, read, and turned into patterns first::

    JSON -> schema_document -> schema_shape, schema_conditions -> schema -> schema_scanners

`schema_loader` does all checks of a schema at once. `pattern_characters` reads what stands for one
character in a pattern; `codepoints` is the type of the sets that it returns, and `unicode` knows
the sets that Unicode names.
"""
