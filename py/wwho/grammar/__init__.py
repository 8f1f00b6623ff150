"""Patterns over classes of code points, compiled to class maps and small automata.

A schema's grammar, the router and a pretokenizer's regular expression are the same kind of thing,
so one pipeline compiles them all::

    text -> parse -> syntax -> nfa -> determinize -> minimize -> compile
"""
