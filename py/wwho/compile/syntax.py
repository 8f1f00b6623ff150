"""The syntax tree of a pattern: what a parser returns and a compiler reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from wwho.compile.codepoints import CodePointSet


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set."""

    chars: CodePointSet


@dataclass(frozen=True, slots=True)
class Seq:
    """The parts one after another; no parts at all match the empty string."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Alt:
    """One of the options; an earlier one is preferred to a later one."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A body `min` to `max` times, as often as possible, or as seldom.

    Attributes:
        body: What is repeated.
        min: The least number of times.
        max: The greatest, or None for no limit.
        possessive: Whether the pattern forbids giving back a repetition. The compiler accepts
            that only where it changes nothing, see `possessive.py`.
        lazy: Whether fewer repetitions are preferred.
        position: Where the quantifier stands in the pattern, for messages.
    """

    body: Node
    min: int
    max: int | None
    possessive: bool = False
    lazy: bool = False
    position: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Look:
    """Holds where the next character is in the set, or, if negative, is not.

    At the end of the text there is no next character: a negative look holds, a positive does not.
    """

    negative: bool
    chars: CodePointSet


@dataclass(frozen=True, slots=True)
class Behind:
    """Holds where the character before is in the set, or, if negative, is not.

    At the beginning of the text there is none: a negative one holds, a positive does not.
    """

    negative: bool
    chars: CodePointSet


@dataclass(frozen=True, slots=True)
class Ahead:
    """Holds where what comes next matches, or, if negative, does not: several characters.

    Attributes:
        negative: Whether it must not match.
        body: What it looks at, of bounded length.
        position: Where it stands in the pattern, for messages.
    """

    negative: bool
    body: Node
    position: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class End:
    """Holds at the end of the text, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A hand-drawn automaton as part of a pattern: any path from `start` to an accepting state.

    Attributes:
        start: The state to begin in. States are numbered from 0.
        accepting: The states to end in.
        edges: ``(from, characters, to)``.
    """

    start: int
    accepting: frozenset[int]
    edges: tuple[tuple[int, CodePointSet, int], ...]


Node = Chars | Seq | Alt | Repeat | Look | Behind | Ahead | End | Machine


def mapped(node: Node, chars: Callable[[CodePointSet], CodePointSet], end: Node = End()) -> Node:
    """Return a pattern with other sets of characters, and with something else for its end."""
    match node:
        case Chars():
            return Chars(chars(node.chars))
        case Look() | Behind():
            return replace(node, chars=chars(node.chars))
        case Seq(parts):
            return Seq(tuple(mapped(each, chars, end) for each in parts))
        case Alt(options):
            return Alt(tuple(mapped(each, chars, end) for each in options))
        case Repeat() | Ahead():
            return replace(node, body=mapped(node.body, chars, end))
        case End():
            return end
        case Machine(start, accepting, edges):
            return Machine(start, accepting, tuple((a, chars(c), b) for a, c, b in edges))


def seq(*parts: Node) -> Node:
    """Join parts, without wrapping a single one."""
    return parts[0] if len(parts) == 1 else Seq(parts)


def alt(*options: Node) -> Node:
    """Offer options, without wrapping a single one."""
    return options[0] if len(options) == 1 else Alt(options)


def optional(body: Node) -> Node:
    """Make a part optional, preferring to take it."""
    return Repeat(body, 0, 1)


def many(body: Node, least: int = 0) -> Node:
    """Repeat a part without limit, as often as possible."""
    return Repeat(body, least, None)
