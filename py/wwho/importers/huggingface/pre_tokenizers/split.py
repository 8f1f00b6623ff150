r"""Split: cuts at the matches of a pattern.

A match of nothing only cuts.

Options:
    pattern: `{"String": text}`, or `{"Regex": pattern}` in the dialect of Oniguruma.
    behavior: what becomes of a match. "Removed": it is left out. "Isolated": it is a piece.
        "MergedWithPrevious" and "MergedWithNext": it joins what stands before or after it.
        "Contiguous": it joins the matches directly beside it.
    invert: whether the behavior is about what stands between matches.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> options = {"behavior": "MergedWithNext", "invert": False}
    >>> pre_tokenize({"type": "Split", "pattern": {"Regex": "[-.]"}, **options}, "a-b..c")
    ['a', '-b', '.', '.c']

A pattern that counts digits from the end of their run would have to look ahead without bound. It
becomes the action COUNT:

    >>> digits = {"Regex": r"\d{1,3}(?=(?:\d{3})*\b)"}
    >>> options = {"behavior": "Isolated", "invert": False}
    >>> pre_tokenize({"type": "Split", "pattern": digits, **options}, "a 12345,")
    ['a ', '12', '345', ',']
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.nfa import nullable
from wwho.compile.syntax import (
    Ahead,
    Alt,
    Behind,
    Chars,
    End,
    Look,
    Machine,
    Node,
    Repeat,
    Seq,
    alt,
    many,
)
from wwho.compile.unicode import category
from wwho.format.steps import Action, Cut, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.normalizers.replace import holds_at_end
from wwho.importers.huggingface.patterns import ANY, Patterns, read_pattern
from wwho.importers.source import shown

BEHAVIORS = {
    "Removed": ((Action.DROP, Action.GROUP), (Action.KEEP, Action.DROP)),
    "Isolated": ((Action.KEEP, Action.GROUP), (Action.KEEP, Action.GROUP)),
    "MergedWithPrevious": ((Action.BEFORE, Action.GROUP), (Action.BEHIND, Action.GROUP)),
    "MergedWithNext": ((Action.BEHIND, Action.GROUP), (Action.BEFORE, Action.GROUP)),
    "Contiguous": ((Action.GROUP, Action.GROUP), (Action.GROUP, Action.GROUP)),
}
"""The actions of a match and of a character between matches, and both if the behavior is inverted:
then it is about what stands between matches, of which no two are neighbours."""

THOUSANDS: list[dict[str, Any]] = [
    {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
    for regex in (
        r"\p{Nd}{1,510}(?=(?>\p{Nd}{510})*(?:\P{Nd}|$))|\G\p{Nd}{510}",
        r"\A\p{Nd}{1,2}(?=\p{Nd}{3}+\z)",
        r"\A\p{Nd}{3}|\G\p{Nd}{3}",
    )
]
"""How AFMoE's files count digits by threes from the end of their run; 510 is a multiple of 3."""


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return the step that cuts at the matches.

    A pattern that counts digits, isolated, becomes a cut into groups (COUNT).

    Raises:
        SourceError: an option is missing or has no valid value.
        PatternError: the pattern cannot be compiled.
    """
    pattern, behavior, invert = read_pattern(value), read_behavior(value), value.flag("invert")
    if behavior == "Isolated" and not invert:
        groups = counted_digits(pattern)
        if groups is not None:
            return [cut_groups(patterns, groups)]
        apart = between_groups_apart(pattern)
        if apart is not None:
            others, groups = apart
            return [cut_at(patterns, "split", others, behavior), cut_groups(patterns, groups)]
        rules = rules_with_counts(pattern)
        if rules is not None:
            size = next(groups.size for _, groups in rules if groups is not None)
            return [cut_counts_among(patterns, rules, size)]
    return [cut_at(patterns, "split", pattern, behavior, invert=invert)]


def read_behavior(value: Value, default: str | None = None) -> str:
    """Return the option "behavior"; without a default it must be given.

    Raises:
        SourceError: there is no such behavior.
    """
    found = value.text("behavior") if default is None else value.text("behavior", default)
    if found not in BEHAVIORS:
        value.at("behavior").fail(f"found {shown(found)}, expected one of {', '.join(BEHAVIORS)}")
    return found


def cut_at(
    patterns: Patterns, name: str, pattern: Node, behavior: str, *, invert: bool = False
) -> Cut:
    """Return the step that cuts at the matches of a pattern.

    Args:
        patterns: takes the pattern.
        name: what messages call it.
        pattern: the pattern; it may match nothing.
        behavior: a key of `BEHAVIORS`.
        invert: whether the behavior is about what stands between matches.
    """
    match, between = BEHAVIORS[behavior][invert]
    if not nullable(pattern):
        return patterns.cut(name, (pattern, match), (ANY, between))
    # Where the pattern matches nothing it still cuts, and the next character begins what it does
    # not match.
    begins, goes_on = (Action.KEEP, Action.FOLLOW) if between is not Action.DROP else 2 * (between,)
    return patterns.cut(name, (pattern, match), (ANY, goes_on), empty=(ANY, begins))


class Digits(NamedTuple):
    r"""A pattern that counts digits from the end of their run: `\d{1,3}(?=(?:\d{3})*\b)`.

    Attributes:
        chars: the digits.
        size: how many of them are a group.
        ends: what holds where a run ends that has groups.
        goes_on: what holds where a run ends that has none; None: each run has groups.
        between: whether the pattern matches nothing, before whole groups alone, so that a shorter
            first group stays with what stands before it, and the last group with what follows.
    """

    chars: CodePointSet
    size: int
    ends: Node
    goes_on: Node | None = None
    between: bool = False


def counted_digits(pattern: Node) -> Digits | None:
    """Return how a pattern groups the digits of a run, counted from the run's end, by threes say.

    Two forms are known: `D{1,3}(?=(?:D{3})*END)`, which matches each group, and
    `(?=(?:D{3})+END)`, which matches nothing, before each whole group. D is a set of characters.

    Returns:
        The set, the size of a group, and what must hold behind the run; None for any other
        pattern, and if END does not keep a run of digits together.
    """
    match pattern:
        case Seq((Repeat(Chars(chars), 1, size), Ahead(False, Seq((Repeat(group, 0, None), end))))):
            between = False
        case Ahead(False, Seq((Repeat(Repeat(Chars(chars), _, size) as group, 1, None), end))):
            between = True
        case _:
            return None
    if size is None or group != Repeat(Chars(chars), size, size):
        return None
    others = _may_not_follow(end)
    if others is None or chars - others:
        return None
    rest = others - chars
    goes_on = Look(negative=False, chars=rest) if rest else None
    return Digits(chars, size, Look(negative=True, chars=others), goes_on, between)


def rules_with_counts(pattern: Node) -> list[tuple[Node, Digits | None]] | None:
    """Return the options of a pattern in order, and how those count digits that do.

    None: the pattern has no such option, or several; its end may be looked for in vain, from each
    digit of a run; or an option before it may match at a later group.
    """
    if not isinstance(pattern, Alt) or nullable(pattern):
        return None
    rules = [(option, counted_digits(option)) for option in pattern.options]
    counts = [(place, groups) for place, (_, groups) in enumerate(rules) if groups is not None]
    if len(counts) != 1:
        return None
    ((place, groups),) = counts
    before = [first_characters(option) & groups.chars for option in pattern.options[:place]]
    return None if groups.goes_on or groups.between or any(before) else rules


def between_groups_apart(pattern: Node) -> tuple[Node, Digits] | None:
    r"""Return a pattern without its option that matches nothing between digits, and that option.

    Of `(?=(?:\d{3})+(?!\d))|\s+|\p{L}+`, the other options cut first: as they take no digits, all
    digits of a run stay together, and are cut into groups after that.

    None: there is no such option, or several; it looks at other characters than digits; or the
    other options take digits, or may match nothing.
    """
    if not isinstance(pattern, Alt):
        return None
    counts = [counted_digits(option) for option in pattern.options]
    others = alt(*(o for o, groups in zip(pattern.options, counts, strict=True) if not groups))
    match [groups for groups in counts if groups]:
        case [groups] if groups.between and not groups.goes_on:
            apart = not nullable(others) and not characters(others) & groups.chars
            return (others, groups) if apart else None
    return None


def characters(node: Node) -> CodePointSet:
    """Return all characters that a match of a pattern may take, and perhaps others.

    Example:
        >>> letters = Chars(CodePointSet.of("a")), Repeat(Chars(CodePointSet.of("b")), 0, 1)
        >>> characters(Seq(letters)) == CodePointSet.of("a", "b")
        True
    """
    match node:
        case Chars(chars):
            return chars
        case Alt(parts) | Seq(parts):
            return _union(map(characters, parts))
        case Repeat(body):
            return characters(body)
        case Machine():
            return ALL
    # What looks around takes no character.
    return CodePointSet()


def first_characters(node: Node) -> CodePointSet:
    """Return the characters with which a match of a pattern may begin, and perhaps others.

    Example:
        >>> first_characters(Seq((Repeat(Chars(CodePointSet.of("a")), 0, 1), ANY))) == ALL
        True
    """
    match node:
        case Chars(chars):
            return chars
        case Alt(options):
            return _union(map(first_characters, options))
        case Repeat(body):
            return first_characters(body)
        case Seq(parts):
            needed = (place for place, part in enumerate(parts) if not nullable(part))
            return _union(map(first_characters, parts[: next(needed, len(parts)) + 1]))
        case Machine():
            return ALL
    # What looks around takes no character.
    return CodePointSet()


def _union(sets: Iterable[CodePointSet]) -> CodePointSet:
    """Return the characters of all sets."""
    union = CodePointSet()
    for chars in sets:
        union |= chars
    return union


def cut_counts_among(patterns: Patterns, rules: list[tuple[Node, Digits | None]], size: int) -> Cut:
    """Return the step that cuts at the matches of several patterns, some of which count digits.

    Args:
        patterns: takes the patterns.
        rules: the patterns in order of preference, and how those count digits that do.
        size: how many digits a group has.
    """
    actions = [
        (node, Action.KEEP)
        if groups is None
        else (Seq((many(Chars(groups.chars), 1), groups.ends)), Action.COUNT)
        for node, groups in rules
    ]
    return patterns.cut("split", *actions, (ANY, Action.GROUP), group_size=size)


def _may_not_follow(end: Node) -> CodePointSet | None:
    """Return the characters before which the end of a run of digits does not hold.

    None: it is none of the ends that are known, such as a boundary of words or `$`.
    """
    match end:
        case Look(True, found):
            return found
        # A boundary, of which the first option is about places after a digit.
        case Alt((Seq((Behind(False, found), Look(True, after))), _)) if found == after:
            return found
        # `$`, `\z`, or `(?:\P{N}|$)`.
        case Alt() | End() if holds_at_end(end) and (before := _holds_before(end)) is not None:
            return ~before
    return None


def _holds_before(end: Node) -> CodePointSet | None:
    """Return the characters before which an end holds, whether it takes them or not.

    None: it is none of those that are known.
    """
    match end:
        case End():
            return CodePointSet()
        case Chars(found) | Look(False, found):
            return found
        case Alt(options):
            known = [each for each in map(_holds_before, options) if each is not None]
            return _union(known) if len(known) == len(options) else None
    return None


def cut_groups(patterns: Patterns, digits: Digits) -> Cut:
    """Return the step that cuts runs of digits into groups, counted from the end of the run.

    Each run is a match of COUNT, whose first group is the short one; the text between runs is one
    piece. Patterns are added to `patterns`.

    Args:
        patterns: the patterns of the file so far.
        digits: which characters are digits, and how many make a group.
    """
    run = many(Chars(digits.chars), 1)
    others = ANY
    if digits.goes_on is not None:
        # A run without groups is taken at once, lest each of its digits look for the end again.
        others = alt(Seq((run, digits.goes_on)), ANY)
    rules = (Seq((run, digits.ends)), Action.COUNT), (others, Action.GROUP)
    cut = patterns.cut("groups of digits", *rules, group_size=digits.size)
    return replace(cut, short_joins=digits.between, last_joins=digits.between)


def thousands(patterns: Patterns) -> list[Step]:
    """Return the one step that does what the three Splits of `THOUSANDS` do together."""
    digits = category("Nd")
    return [cut_groups(patterns, Digits(digits, 3, Look(negative=True, chars=digits)))]
