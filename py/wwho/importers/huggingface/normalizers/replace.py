"""Replace: a text stands for each match of a pattern.

A pattern may match nothing: then the text goes between characters. Directly after a match no empty
one counts.

Options:
    pattern: `{"String": text}`, or `{"Regex": pattern}` in the dialect of Oniguruma.
    content: what stands for a match, literally.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "Replace", "pattern": {"String": " "}, "content": "_"}, "a b")
    'a_b'
    >>> normalize({"type": "Replace", "pattern": {"Regex": "b*"}, "content": "-"}, "abba")
    '-a-a-'
"""

from __future__ import annotations

from wwho.compile.nfa import nullable
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Ahead, Alt, Behind, End, Look, Machine, Node, Repeat, Seq
from wwho.format.automaton import START
from wwho.format.steps import MATCH, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import ANY, Patterns, read_pattern

NOTHING: Node = Alt(())
"""The pattern that never matches."""

MOST_CONTENT = 1 << 20
"""Characters of a text that takes the place of matches."""
INSERTS = (
    "a Replace before it may put a text in front of all by an empty match, of which tokenizers "
    "gives wrong ids; let its pattern take at least one character"
)
"""Why a component is refused after a Replace that inserts in front."""


def steps(value: Value, patterns: Patterns) -> list[Rewrite]:
    """Return the step that replaces the matches.

    Raises:
        SourceError: a member is missing or of another type.
        PatternError: the pattern cannot be compiled.
    """
    pattern, content = read_pattern(value), value.short_text("content", MOST_CONTENT)
    if not nullable(pattern):
        return [patterns.replace("replace", (pattern, content), (ANY, None))]
    last = last_before_empty(pattern)
    return [
        patterns.replace(
            "replace, also nothing",
            (pattern, content),
            (last, MATCH + content),
            (ANY, MATCH),
            empty=[(last, content + MATCH + content), (ANY, content + MATCH)],
        )
    ]


def last_before_empty(pattern: Node) -> Node:
    """Return the pattern of a text's last character, if another one matches nothing after it."""
    return Seq((ANY, at_end(pattern), End()))


def at_end(pattern: Node) -> Node:
    """Return what a pattern asks of the character before it in order to match nothing at the end.

    The result matches nothing, or cannot match. It looks at the character before it where the
    pattern does.

    Example:
        >>> at_end(Seq((Repeat(ANY, 0, None), End())))
        Seq(parts=(Seq(parts=()), Seq(parts=())))
        >>> at_end(Seq((ANY, End())))
        Seq(parts=(Alt(options=()), Seq(parts=())))
    """
    match pattern:
        case Seq(parts):
            return Seq(tuple(map(at_end, parts)))
        case Alt(options):
            return Alt(tuple(map(at_end, options)))
        case Behind():
            return pattern
        case Repeat(body, least, _):
            return at_end(body) if least else Seq()
        case _:
            return Seq() if holds_at_end(pattern) else NOTHING


def holds_at_end(pattern: Node) -> bool:
    """Return whether a pattern that does not look behind matches the empty text at a text's end."""
    match pattern:
        case Look(negative, _):
            return negative
        case Ahead(negative, body):
            return negative != holds_at_end(body)
        case Seq(parts):
            return all(map(holds_at_end, parts))
        case Alt(options):
            return any(map(holds_at_end, options))
        case Repeat(body, least, _):
            return not least or holds_at_end(body)
        case Machine(start, accepting, _):
            return start in accepting
        case _:
            return isinstance(pattern, End)


def may_insert_in_front(value: Value) -> bool:
    """Return whether a normalizer is a Replace that may put its text before all of a text.

    Raises:
        SourceError: a member is missing or of another type.
        PatternError: the pattern cannot be compiled.
    """
    if value.raw.get("type") != "Replace" or not value.text("content"):
        return False
    pattern = read_pattern(value)
    if not nullable(pattern):
        return False
    scanner = Scanner("replace", (pattern, ANY), longest=False, empty=(ANY,))
    (automaton,) = compile_scanners([scanner]).automata
    # Rule 1, whose mark is 2, comes after an empty match; look for it on all paths from the start.
    seen, pending = {START}, [START]
    for state in pending:  # which grows while it is read
        for mark, target in automaton.table[state]:
            if mark == 2:
                return True
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return False
