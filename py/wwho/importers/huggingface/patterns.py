"""The patterns of a tokenizer's steps, which are compiled together once all of them are known."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.oniguruma import parse_oniguruma
from wwho.compile.parse import MAX_LENGTH
from wwho.compile.scanners import Scanner, compile_scanners, with_properties
from wwho.compile.syntax import Chars, Node, Seq
from wwho.compile.unicode import white_space, word
from wwho.errors import PatternError
from wwho.format.automaton import CompiledScanners
from wwho.format.steps import Action, Cut, Replace, Rewrite, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.source import shown

ANY: Node = Chars(ALL)
"""The pattern of any one character."""


def one_of(*characters: str | int) -> Chars:
    """Return the pattern of one character out of several, given as text or as code points."""
    return Chars(CodePointSet.of(*characters))


def read_pattern(value: Value) -> Node:
    """Return the pattern of a component's member "pattern", a text or a regular expression.

    The empty text matches nothing, everywhere, as it does in `tokenizers`.

    Args:
        value: the component: a Split or a Replace.

    Raises:
        SourceError: the member is neither `{"String": ...}` nor `{"Regex": ...}`.
        PatternError: the regular expression cannot be compiled.
    """
    pattern = value.at("pattern")
    if pattern.raw and set(pattern.be(dict)) == {"String"}:
        return Seq(tuple(map(one_of, pattern.short_text("String", MAX_LENGTH))))
    if not pattern.raw or set(pattern.be(dict)) != {"Regex"}:
        pattern.fail(f'found {shown(pattern.raw)}, expected {{"String": ...}} or {{"Regex": ...}}')
    return parse_oniguruma(pattern.short_text("Regex", MAX_LENGTH))


class Patterns:
    """Collects the patterns of steps, and hands out the numbers of the automata they become.

    Attributes:
        scanners: what is to be compiled, by the number of the automaton.
    """

    def __init__(self) -> None:
        """Begin without any pattern."""
        self.scanners: list[Scanner] = []

    def number(self, scanner: Scanner) -> int:
        """Return the number of a scanner's automaton; the scanner is added if it is a new one."""
        if scanner not in self.scanners:
            self.scanners.append(scanner)
        return self.scanners.index(scanner)

    def number_of(self, name: str, *rules: Node) -> int:
        """Return the number of the automaton that finds the first match of these patterns.

        Args:
            name: what messages call the patterns.
            rules: the patterns in order of preference; together they must match everywhere.
        """
        return self.number(Scanner(name, rules, longest=False))

    def cut(
        self,
        name: str,
        *rules: tuple[Node, Action],
        empty: tuple[Node, Action] | None = None,
        group_size: int = 0,
    ) -> Cut:
        """Return the step that cuts by patterns.

        Args:
            name: what messages call the patterns.
            rules: the patterns in order of preference, and what becomes of their matches. Together
                they must match a character everywhere.
            empty: where the first pattern matches nothing, a pattern that takes what follows, and
                what becomes of it; it is rule 1. None: the first pattern never matches nothing.
            group_size: how many characters a group of the action COUNT has.
        """
        first, *others = rules
        ordered = [first, *([empty] if empty else []), *others]
        actions = tuple(action for _, action in ordered)
        scanner = Scanner(
            name,
            tuple(node for node, _ in rules),
            longest=False,
            empty=(empty[0],) if empty else (),
        )
        sizes = tuple(group_size if action is Action.COUNT else 0 for action in actions)
        return Cut(self.number(scanner), actions, sizes)

    def replace(
        self,
        name: str,
        *rules: tuple[Node, str | None],
        empty: Sequence[tuple[Node, str | None]] = (),
        after: Collection[int] = (),
    ) -> Replace:
        """Return the step that replaces what patterns match.

        Args:
            name: what messages call the patterns.
            rules: the patterns in order of preference, and what stands for their matches, in which
                `MATCH` is the match; None: the match stays. Together they must match a character
                everywhere.
            empty: the same for what follows where the first pattern matches nothing; these are
                rules 1, 2, ...
            after: numbers of the rules whose contents have the source of what follows the match.
        """
        first, *others = rules
        scanner = Scanner(
            name,
            tuple(node for node, _ in rules),
            longest=False,
            empty=tuple(node for node, _ in empty),
        )
        contents = tuple(content for _, content in (first, *empty, *others))
        return Replace(self.number(scanner), contents, frozenset(after), bool(empty))

    def compile(self, *, properties: bool) -> tuple[CompiledScanners, bytes]:
        """Return the automata, and the bytes of `Artifact.properties`.

        Without any pattern there is one automaton, of single characters, since a file has one.

        Args:
            properties: whether classes tell white space and words apart, as the flags of added
                tokens need; without, the bytes are empty.

        Raises:
            PatternError: a pattern can get stuck, or there are too many states or classes.
        """
        compiled = compile_scanners(self.scanners or [Scanner("text", (ANY,), longest=False)])
        if not properties:
            return compiled, b""
        return with_properties(compiled, white_space(), word())


def settle_rewrite(step: Rewrite, scanners: CompiledScanners) -> Rewrite:
    """Return a step that rewrites, if its compiled automaton can do what it needs.

    Raises:
        PatternError: the pattern of a Replace looks ahead of several characters; the step must know
            at once what it replaces.
    """
    if isinstance(step, Replace) and scanners.automata[step.automaton].variants:
        raise PatternError("what steps replace may look ahead of one character alone")
    return step


def settle(step: Step, scanners: CompiledScanners) -> Step:
    """Return a step of a route as its compiled automaton needs it."""
    return settle_cut(step, scanners) if isinstance(step, Cut) else step


def settle_cut(cut: Cut, scanners: CompiledScanners) -> Cut:
    """Return a cut with an action and a number for each rule of its compiled automaton.

    A pattern that looks ahead of several characters has become several rules, each of which ends
    its match by another number of characters before its mark (FORMAT.md, CUT). A rule that never
    matches, such as that of the gaps between matches where there are none, keeps: the core is
    quicker with a cut that does nothing else.
    """
    automaton, actions = scanners.automata[cut.automaton], cut.actions
    numbers = cut.numbers or (0,) * len(actions)
    if automaton.variants:
        actions = tuple(cut.actions[rule] for rule, _ in automaton.variants)
        numbers = tuple(back or numbers[rule] for rule, back in automaton.variants)
    marks = {mark for row in automaton.table for mark, _ in row}
    actions = tuple(
        action if rule in marks else Action.KEEP for rule, action in enumerate(actions, 1)
    )
    counts = Action.COUNT in actions
    return replace(
        cut,
        actions=actions,
        numbers=numbers,
        short_joins=cut.short_joins and counts,
        first_joins=cut.first_joins and counts,
        last_joins=cut.last_joins and counts,
    )
