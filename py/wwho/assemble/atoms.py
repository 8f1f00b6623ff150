"""What tokens are merged from: syllables, or something simpler to compare them with.

The trainer is the same for all: it counts words, and merges neighbouring units within them. What
words and units are, the scanners say, and these are data; no backend knows one kind from another.

With schemas, words and units lie in the segments of their scripts, and all other text is the
base's. Without them, each piece of the base's pretokenizer is a word. Wherever a U+0020 stands
before a unit at the start of a word, it belongs to that unit, as it does with syllables. `Words`
says what else words may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypedDict

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.grapheme import grapheme_cluster
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema import Schema
from wwho.compile.schema_scanners import (
    SPACE,
    Unit,
    blank_patterns,
    merge_alike_schemas,
    router_scanner,
    syllable_pattern,
    unit_scanner,
    with_leading_space,
    word_pattern,
)
from wwho.compile.syntax import Chars, Look, Node, alt, many, seq
from wwho.errors import SchemaError
from wwho.format.automaton import Automaton, CompiledScanners
from wwho.format.classmap import overlay
from wwho.format.model import Action, Route, Stage
from wwho.format.rewriting import Ends, Replace

ROUTER, OTHER = 0, 1
"""Places of the router and of what cuts the other text, among the automata of schemas."""

BASE, UNITS = 0, 1
"""Numbers of the model of bytes, for other text, and of the one that is made of units."""

NEVER = Chars(CodePointSet())


class AtomKind(StrEnum):
    """What tokens are merged from."""

    SYLLABLE = "syllable"
    """Syllables by the grammars of the schemas (SGPE). Orphans and what has no part in syllables
    stand alone."""
    GRAPHEME = "grapheme"
    """Extended grapheme clusters by UAX #29 (GPE). With schemas, those that begin with no letter
    of the script stand alone."""
    CODEPOINT = "codepoint"
    """Code points. With schemas, those that are no letter of the script stand alone."""
    BYTE = "byte"
    """Bytes, without schemas: plain BPE. What comes out is a base vocabulary."""
    SCRIPT = "script"
    """A block and an index for each character, without schemas: SCRIPT-BPE. What comes out is a
    vocabulary of its own."""

    @property
    def spells(self) -> bool:
        """Whether words are spelled with atoms that are there whatever the text is."""
        return self in (AtomKind.BYTE, AtomKind.SCRIPT)


@dataclass(frozen=True)
class Words:
    """What words are, within which units are merged.

    Attributes:
        whitespace: They are all that stands between white space; of schemas, all text is cut by
            the syllables of them all, and any other character is a unit of its own.
        end_of_word: A U+0020 belongs to the word that it directly follows, as a unit of its own,
            unless more white space follows: it marks the word's end, where otherwise it marks the
            beginning of the next.
        collapse: White space becomes one space after every word, and so text is lost.
    """

    whitespace: bool = False
    end_of_word: bool = False
    collapse: bool = False

    def __str__(self) -> str:
        """The options of `wwho train` that ask for such words."""
        options = {
            "--words whitespace": self.whitespace,
            "--end-of-word": self.end_of_word,
            "--collapse-spaces": self.collapse,
        }
        return " ".join(option for option, given in options.items() if given)


PLAIN = Words()
"""Those of the schemas' scripts, or of the base's pretokenizer."""


def check_kind(
    kind: AtomKind, schemas: Sequence[Schema], n_tokens: int, words: Words = PLAIN
) -> None:
    """Refuse schemas, words, or a base of so many tokens, that this kind of atom has no use for.

    Raises:
        SchemaError: schemas are missing, or there are some.
        ValueError: the base has merges already, or the words cannot be cut so.
    """
    if kind.has_fixed_atoms and words != PLAIN:
        raise ValueError(
            f"words of {kind} atoms are those of the base's pattern, but {words} was given; leave "
            "it out, and give a --pattern"
        )
    if words.collapse and not (words.whitespace and words.end_of_word):
        raise ValueError(
            "--collapse-spaces puts the mark of an end behind every word; give --end-of-word and "
            "--words whitespace, too"
        )
    if words.end_of_word and not words.whitespace and not schemas:
        raise ValueError(
            "--end-of-word needs to know where words end; name schemas, or give --words whitespace"
        )
    if kind is AtomKind.SYLLABLE and not schemas:
        raise SchemaError(
            "training on syllables needs at least one schema, which tells what they are; "
            "other kinds of atoms need none"
        )
    if kind.has_fixed_atoms and schemas:
        names = ", ".join(schema.name for schema in schemas)
        raise SchemaError(
            f"{kind} atoms are merged in all text alike, and these schemas have no part in it: "
            f"{names}; leave them out, or choose another kind of atom"
        )
    if kind.has_fixed_atoms and n_tokens != 256:
        raise ValueError(
            f"{kind} atoms make a base vocabulary of their own, but {n_tokens} tokens were "
            "given as a base; the base must be the 256 bytes (byte_base(), or --base none)"
        )


def compile_cuts(
    kind: AtomKind,
    schemas: Sequence[Schema],
    pretokenizer: CompiledScanners | None,
    words: Words = PLAIN,
) -> Cut:
    """Compile what cuts text into words and units.

    Args:
        kind: what the units are.
        schemas: the scripts; none for all text.
        pretokenizer: the base's scanners. With schemas it may be None: other text stays whole.
        words: what words are.

    Returns:
        The pipeline: route 0 is the other text, route i that of schema i - 1; without schemas, or
        with words between white space, route 1 is all text.

    Raises:
        SchemaError: two schemas claim the same character.
    """
    end = words.end_of_word
    if words.whitespace:
        pattern = Scanner("words", (word_pattern(end_of_word=end),), longest=False)
        pretokenizer = compile_scanners([pattern])
    elif schemas:
        rest = Scanner("other", (many(Chars(ALL), 1),), longest=False)
        units = (
            script_units(kind, schema, end_of_word=end) for schema in merge_alike_schemas(schemas)
        )
        router = router_scanner(schemas, end_of_word=end)
        scanners = compile_scanners([router, rest, *units])
        if pretokenizer is not None:
            scanners = with_pretokenizer(scanners, pretokenizer)
        return schema_cut(scanners, schemas)
    assert pretokenizer is not None
    cutters = [text_units(kind, schemas, words)]
    if words.collapse:
        cutters.append(Scanner("blanks", blank_patterns(), longest=False))
    scanners = with_units(pretokenizer, compile_scanners(cutters))
    text = Route("text", UNITS, units=ROUTER + 1)
    return cut_with_routes(scanners, [text], pretokenizer=ROUTER)


def collapse_steps() -> tuple[Replace, Ends]:
    """The steps of a model whose words `collapse`: its third automaton finds white space."""
    return Replace(ROUTER + 2, (" ", None)), Ends(strip=" ", left=True, right=True, suffix=" ")


def script_units(kind: AtomKind, schema: Schema, *, end_of_word: bool) -> Scanner:
    """Return the scanner that cuts a segment of a script into units of a kind."""
    if kind is AtomKind.SYLLABLE:
        return unit_scanner(schema, end_of_word=end_of_word)
    unit = one_unit(kind, [schema])
    letter: Node = seq(Look(negative=False, chars=schema.letters | schema.joiners), unit)
    rules = {
        Unit.SYLLABLE: alt(letter, Chars(SPACE)) if end_of_word else with_leading_space(letter),
        Unit.ORPHAN: NEVER,
        Unit.PASSTHROUGH: unit if end_of_word else with_leading_space(unit),
    }
    return Scanner(schema.name, tuple(rules[rule] for rule in Unit), longest=True)


def text_units(kind: AtomKind, schemas: Sequence[Schema], words: Words) -> Scanner:
    """Return the scanner that cuts any word into units of a kind, all of which may merge."""
    unit = one_unit(kind, schemas)
    return Scanner("text", (unit if words.end_of_word else with_leading_space(unit),), longest=True)


def one_unit(kind: AtomKind, schemas: Sequence[Schema]) -> Node:
    """Return the pattern of one unit, without the space that may stand before it.

    No automaton reads bytes: for them it is the whole word, which the trainer then takes apart.
    """
    if kind is AtomKind.SYLLABLE:
        return alt(*map(syllable_pattern, schemas), Chars(ALL))
    if kind is AtomKind.GRAPHEME:
        return grapheme_cluster()
    return Chars(ALL) if kind is AtomKind.CODEPOINT else many(Chars(ALL), 1)


class Cut(TypedDict):
    """The part of an `Artifact` that cuts text."""

    scanners: CompiledScanners
    router: int
    stages: tuple[Stage, ...]
    routes: tuple[Route, ...]


def schema_cut(scanners: CompiledScanners, schemas: Sequence[Schema]) -> Cut:
    """The pipeline for schemas: route 0 is the other text; route i is schema i - 1.

    Equal automata are stored once.
    """
    kept = list(scanners.automata[: OTHER + 1])
    places: dict[Automaton, int] = {}
    scripts: list[Route] = []
    for schema, automaton in zip(schemas, scanners.automata[OTHER + 1 :], strict=True):
        place = places.setdefault(replace(automaton, name=""), len(kept))
        if place == len(kept):
            kept.append(automaton)
        scripts.append(Route(schema.name, UNITS, units=place))
    few = CompiledScanners(scanners.classes, tuple(kept))
    return cut_with_routes(few, scripts, pretokenizer=OTHER)


def cut_with_routes(scanners: CompiledScanners, routes: Iterable[Route], pretokenizer: int) -> Cut:
    """The pipeline of other text, which an automaton cuts into pieces, and of further routes."""
    keep = (Action.KEEP,) * scanners.automata[pretokenizer].n_rules
    other = Route("other", BASE, stages=(0,))
    stages = (Stage(pretokenizer, keep),)
    return Cut(scanners=scanners, router=ROUTER, stages=stages, routes=(other, *routes))


def with_pretokenizer(scanners: CompiledScanners, base: CompiledScanners) -> CompiledScanners:
    """The scanners of schemas, in which the base's pretokenizer cuts the other text.

    The tables stay as they are; only the classes are laid over each other.
    """
    classes, labels = overlay([scanners.classes, base.classes])
    automata = [
        _recoloured(automaton, [mine for mine, _ in labels]) for automaton in scanners.automata
    ]
    automata[OTHER] = _recoloured(base.automata[0], [theirs for _, theirs in labels])
    return CompiledScanners(classes, tuple(automata))


def with_units(pretokenizer: CompiledScanners, units: CompiledScanners) -> CompiledScanners:
    """A router that takes every piece of a pretokenizer to route 1, and what cuts it into units.

    Further automata of `units` come after them.
    """
    classes, labels = overlay([pretokenizer.classes, units.classes])
    router = _recoloured(pretokenizer.automata[0], [mine for mine, _ in labels])
    table = tuple(tuple((2 if mark else 0, next) for mark, next in row) for row in router.table)
    theirs = [theirs for _, theirs in labels]
    cutters = (_recoloured(automaton, theirs) for automaton in units.automata)
    return CompiledScanners(classes, (replace(router, n_rules=2, table=table), *cutters))


def _recoloured(automaton: Automaton, old_classes: Sequence[int]) -> Automaton:
    """The automaton over new classes, of which each is part of one of the old ones."""
    return replace(automaton, columns=tuple(automaton.columns[old] for old in old_classes))
