"""The syntax tree of a pattern: what parsers return and `wwho.compile.nfa` reads.

All nodes are immutable and compare by value; the positions in messages do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from wwho.compile.codepoints import CodePointSet


@dataclass(frozen=True, slots=True)
class Chars:
    """A node that takes one character out of a set; an empty set matches nothing at all."""

    chars: CodePointSet


@dataclass(frozen=True, slots=True)
class Seq:
    """A node that matches its parts one after another; no parts at all match the empty string."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Alt:
    """A node that matches one of its options; an earlier one is preferred to a later one."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A node that matches its body `min` to `max` times, greedily unless it is lazy.

    Attributes:
        body: The pattern that is repeated.
        min: The least number of times.
        max: The greatest number of times, or None for no limit.
        possessive: Whether the pattern forbids giving back a repetition. The compiler accepts
            that only where it changes nothing; see `wwho.compile.possessive`.
        lazy: Whether fewer repetitions are preferred to more.
        position: The offset of the quantifier in the pattern's text, for messages.
    """

    body: Node
    min: int
    max: int | None
    possessive: bool = False
    lazy: bool = False
    position: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Look:
    """An assertion that holds where the next character is in a set, or, if negative, is not.

    It takes no character. At the end of the text there is no next character: a negative look
    holds, a positive one does not.
    """

    negative: bool
    chars: CodePointSet


@dataclass(frozen=True, slots=True)
class Behind:
    """An assertion that holds where the character before is in a set, or, if negative, is not.

    It takes no character. At the beginning of the text there is no character before: a negative
    look behind holds, a positive one does not.
    """

    negative: bool
    chars: CodePointSet


@dataclass(frozen=True, slots=True)
class Ahead:
    """An assertion that holds where several next characters match, or, if negative, do not.

    It takes no character. The compiler allows it only at the end of a rule.

    Attributes:
        negative: Whether the body must not match.
        body: The pattern to look for. It may need at most `wwho.compile.nfa.MAX_BACK` characters
            beyond the first to be decided.
        position: The offset of the assertion in the pattern's text, for messages.
    """

    negative: bool
    body: Node
    position: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class End:
    """An assertion that holds at the end of the text, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A hand-drawn automaton as a node; it matches any path from `start` to an accepting state.

    A longer path is preferred to ending, and an earlier edge of a state to a later one.

    Attributes:
        start: The state to begin in. States are numbered from 0.
        accepting: The states in which a match may end.
        edges: ``(state, characters, next state)``.
    """

    start: int
    accepting: frozenset[int]
    edges: tuple[tuple[int, CodePointSet, int], ...]


Node = Chars | Seq | Alt | Repeat | Look | Behind | Ahead | End | Machine


def map_sets(node: Node, chars: Callable[[CodePointSet], CodePointSet], end: Node = End()) -> Node:
    """Return a copy of a syntax tree with other character sets, and another node for each `End`.

    Args:
        node: The tree; it does not change.
        chars: Called with every character set in the tree, those of assertions and machines
            included; the result takes its place.
        end: The node in place of each `End`. By default the ends stay.

    Example:
        >>> digit, letter = CodePointSet.of(("0", "9")), CodePointSet.of("x")
        >>> map_sets(seq(Chars(digit), End()), lambda _: letter) == seq(Chars(letter), End())
        True
    """
    match node:
        case Chars():
            return Chars(chars(node.chars))
        case Look() | Behind():
            return replace(node, chars=chars(node.chars))
        case Seq(parts):
            return Seq(tuple(map_sets(each, chars, end) for each in parts))
        case Alt(options):
            return Alt(tuple(map_sets(each, chars, end) for each in options))
        case Repeat() | Ahead():
            return replace(node, body=map_sets(node.body, chars, end))
        case End():
            return end
        case Machine(start, accepting, edges):
            changed = ((state, chars(each), target) for state, each, target in edges)
            return Machine(start, accepting, tuple(changed))


def seq(*parts: Node) -> Node:
    """Return a node that matches the parts one after another; a single part is returned as is."""
    return parts[0] if len(parts) == 1 else Seq(parts)


def alt(*options: Node) -> Node:
    """Return a node that prefers earlier options; a single option is returned as is."""
    return options[0] if len(options) == 1 else Alt(options)


def optional(body: Node) -> Node:
    """Return a node that matches `body` or nothing, and prefers `body`."""
    return Repeat(body, 0, 1)


def many(body: Node, least: int = 0) -> Node:
    """Return a node that matches `body` at least `least` times, as often as possible."""
    return Repeat(body, least, None)
