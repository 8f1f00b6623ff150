"""Patterns over classes of code points, and script schemas, compiled to what an artifact holds.

A schema's grammar, the router and a pretokenizer's regular expression are the same kind of thing,
so one pipeline compiles them all to class maps and small automata::

    text -> parse -> syntax -> nfa -> determinize -> minimize -> scanners

A schema comes to it by way of a document, which is validated: document -> schema -> segments.
"""
