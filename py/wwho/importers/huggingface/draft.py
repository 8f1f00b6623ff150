"""What components add to while an artifact is made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner, compile_scanners, with_properties
from wwho.compile.syntax import Chars, Node
from wwho.compile.unicode import white_space, word
from wwho.errors import PatternError
from wwho.format.automaton import CompiledScanners
from wwho.format.model import Action, Stage
from wwho.format.steps import Replace, Step

MAX_STAGES = 8
NONCHARACTERS = "".join(
    chr(plane << 16 | low) for plane in (*range(13, 0, -1), 15, 14) for low in (65535, 65534)
)

ANY: Node = Chars(ALL)

Rule = tuple[Node, str | None]
"""Of a step that replaces: a pattern, and what stands for its matches; None: they stay."""


def one(*chars: str | int) -> Chars:
    """One of these characters."""
    return Chars(CodePointSet.of(*chars))


@dataclass
class Draft:
    """A pipeline that is being put together.

    Attributes:
        scanners: what is to be compiled.
        stages: number of the scanner, and actions.
        normalizer: steps before added tokens of normalized text are found.
        rewriting: steps between added tokens.
        within: steps that rewrite each pretoken.
        inside: whether the steps that follow do that.
        byte_level: whether tokens are spelled in the alphabet that stands for bytes.
        apart: bytes of longer characters that a pre-tokenizer cuts out, each or all in a row
            (true). No stage does, so no token may have both such bytes and others.
        words: the place of the stage that drops white space, where it comes first of all.
        ideographs: the step that sets ideographs apart by spaces, while a stage may do it.
        spelled: whether steps spell texts in the characters that stand for bytes, so that models
            and stages work on those; else bytes are taken as they are (`byte_level`).
        marked: whether steps have put marks where pieces begin and end.
        inserts: whether a Replace of empty matches may have put characters in front of all.
        padded: whether ByteLevel may have put a space in front, which it may then cut off.
        guarded: whether no text has `private` characters any more.
        private: noncharacters that no token has: for marks, what `tell_places` puts in front and
            behind, what the decoder needs, the one that begins all symbols, two beside what becomes
            bytes, what ends a piece that becomes a token of other symbols, and the one that stands
            for those.
        notes: what was not taken over, and why.
    """

    scanners: list[Scanner] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    normalizer: list[Step] = field(default_factory=list)
    rewriting: list[Step] = field(default_factory=list)
    within: list[Step] = field(default_factory=list)
    inside: bool = False
    byte_level: bool = False
    apart: list[tuple[frozenset[int], bool]] = field(default_factory=list)
    words: int | None = None
    ideographs: Step | None = None
    spelled: bool = False
    marked: bool = False
    inserts: bool = False
    padded: bool = False
    guarded: bool = False
    private: str = NONCHARACTERS[:9]
    notes: list[str] = field(default_factory=list)

    @property
    def steps(self) -> list[Step]:
        """Where the next step goes."""
        return self.within if self.inside else self.rewriting

    def scanner(self, name: str, *rules: Node, longest: bool = False, empty: bool = False) -> int:
        """Add a scanner; its number. Equal ones are one."""
        made = Scanner(name, rules, longest, empty)
        if made not in self.scanners:
            self.scanners.append(made)
        return self.scanners.index(made)

    def replacing(
        self,
        name: str,
        *rules: Rule,
        after: Collection[int] = (),
        longest: bool = False,
        empty: bool = False,
    ) -> Replace:
        """A step of these rules; `after` are numbers of some, as for `Replace`."""
        nodes = (node for node, _ in rules)
        number = self.scanner(name, *nodes, longest=longest, empty=empty)
        return Replace(number, tuple(content for _, content in rules), frozenset(after))

    def stage(self, name: str, *rules: tuple[Node, Action], empty: bool = False) -> None:
        """Add a stage: the rules and what becomes of their matches."""
        number = self.scanner(name, *(node for node, _ in rules), empty=empty)
        self.stages.append(Stage(number, tuple(action for _, action in rules)))

    def alone(self) -> CodePointSet:
        """Characters that stages make pretokens of their own, wherever they stand."""
        found = CodePointSet(())
        for stage in self.stages:
            rules = zip(self.scanners[stage.automaton].rules, stage.actions, strict=True)
            seen = CodePointSet(())
            for node, action in rules:
                if not isinstance(node, Chars):
                    break
                if action is Action.KEEP:
                    found |= node.chars - seen
                seen |= node.chars
        return found

    def compiled(self, properties: bool) -> tuple[CompiledScanners, bytes]:
        """The scanners, and the properties of each class, if they are asked for."""
        scanners = self.scanners or [Scanner("text", (ANY,), longest=False)]
        compiled = compile_scanners(scanners)
        self._look_ahead(compiled)
        if not properties:
            return compiled, b""
        return with_properties(compiled, white_space(), word())

    def _look_ahead(self, scanners: CompiledScanners) -> None:
        """Tell stages which matches of the compiled scanners end before their marks.

        A rule that no text matches, such as the gaps of a pattern that matches everywhere, keeps:
        the core is quicker with a stage that does nothing else.

        Raises:
            PatternError: a step has such matches; it must know at once what it replaces.
        """
        for place, stage in enumerate(self.stages):
            automaton, actions, back = scanners.automata[stage.automaton], stage.actions, stage.back
            if variants := automaton.variants:
                actions = tuple(actions[rule] for rule, _ in variants)
                back = tuple(n for _, n in variants)
            marks = {mark for row in automaton.table for mark, _ in row}
            actions = tuple(
                action if rule in marks else Action.KEEP for rule, action in enumerate(actions, 1)
            )
            self.stages[place] = Stage(stage.automaton, actions, back)
        for step in (*self.normalizer, *self.rewriting, *self.within):
            if isinstance(step, Replace) and scanners.automata[step.automaton].variants:
                raise PatternError("what steps replace may look ahead of one character alone")
