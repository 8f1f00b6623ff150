"""What tokens are merged from: syllables, or something simpler to compare them with.

The trainer is the same for all: it counts words, and merges neighbouring units within them. What
words and units are, the scanners say, and these are data; no backend knows one kind from another.

With schemas, words and units lie in the segments of their scripts, and all other text is the
base's. Without them, each piece of the base's pretokenizer is a word. Wherever a U+0020 stands
before a unit at the start of a word, it belongs to that unit, as it does with syllables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypedDict

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.grapheme import grapheme_cluster
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema import Schema
from wwho.compile.segments import Unit, router_scanner, spaced, unit_scanner
from wwho.compile.syntax import Chars, Look, Node, many, seq
from wwho.errors import SchemaError
from wwho.format.automaton import Automaton, CompiledScanners
from wwho.format.classmap import overlay
from wwho.format.model import Action, Route, Stage

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


def check_kind(kind: AtomKind, schemas: Sequence[Schema], n_tokens: int) -> None:
    """Refuse schemas, or a base of so many tokens, that this kind of atom has no use for.

    Raises:
        SchemaError: schemas are missing, or there are some.
        ValueError: the base has merges already.
    """
    if kind is AtomKind.SYLLABLE and not schemas:
        raise SchemaError(
            "training on syllables needs at least one schema, which tells what they are; "
            "other kinds of atoms need none"
        )
    if kind.spells and schemas:
        names = ", ".join(schema.name for schema in schemas)
        raise SchemaError(
            f"{kind} atoms are merged in all text alike, and these schemas have no part in it: "
            f"{names}; leave them out, or choose another kind of atom"
        )
    if kind.spells and n_tokens != 256:
        raise ValueError(
            f"{kind} atoms make a base vocabulary of their own, but {n_tokens} tokens were "
            "given as a base; the base must be the 256 bytes (byte_base(), or --base none)"
        )


def compile_cuts(
    kind: AtomKind, schemas: Sequence[Schema], pretokenizer: CompiledScanners | None
) -> Cut:
    """Compile what cuts text into words and units.

    Args:
        kind: what the units are.
        schemas: the scripts; none for all text.
        pretokenizer: the base's scanners. With schemas it may be None: other text stays whole.

    Returns:
        The pipeline: route 0 is the other text, route i that of schema i - 1; without schemas route
        1 is all text.

    Raises:
        SchemaError: two schemas claim the same character.
    """
    if schemas:
        rest = Scanner("other", (many(Chars(ALL), 1),), longest=False)
        units = (script_units(kind, schema) for schema in schemas)
        scanners = compile_scanners([router_scanner(schemas), rest, *units])
        if pretokenizer is not None:
            scanners = with_pretokenizer(scanners, pretokenizer)
        return script_cut(scanners, schemas)
    assert pretokenizer is not None
    scanners = with_units(pretokenizer, compile_scanners([text_units(kind)]))
    text = Route("text", UNITS, units=ROUTER + 1)
    return cut_by(scanners, [text], pretokenizer=ROUTER)


def script_units(kind: AtomKind, schema: Schema) -> Scanner:
    """Return the scanner that cuts a segment of a script into units of a kind."""
    if kind is AtomKind.SYLLABLE:
        return unit_scanner(schema)
    letter = Look(negative=False, chars=schema.letters | schema.joiners)
    rules = {
        Unit.SYLLABLE: spaced(seq(letter, one_unit(kind))),
        Unit.ORPHAN: NEVER,
        Unit.PASSTHROUGH: spaced(one_unit(kind)),
    }
    return Scanner(schema.name, tuple(rules[rule] for rule in Unit), longest=True)


def text_units(kind: AtomKind) -> Scanner:
    """Return the scanner that cuts any word into units of a kind, all of which may merge."""
    return Scanner("text", (spaced(one_unit(kind)),), longest=True)


def one_unit(kind: AtomKind) -> Node:
    """Return the pattern of one unit, without the space that may stand before it.

    No automaton reads bytes: for them it is the whole word, which the trainer then takes apart.
    """
    if kind is AtomKind.GRAPHEME:
        return grapheme_cluster()
    return Chars(ALL) if kind is AtomKind.CODEPOINT else many(Chars(ALL), 1)


class Cut(TypedDict):
    """The part of an `Artifact` that cuts text."""

    scanners: CompiledScanners
    router: int
    stages: tuple[Stage, ...]
    routes: tuple[Route, ...]


def script_cut(scanners: CompiledScanners, schemas: Sequence[Schema]) -> Cut:
    """The pipeline for schemas: route 0 is the other text; route i is schema i - 1."""
    scripts = (
        Route(schema.name, UNITS, units=number)
        for number, schema in enumerate(schemas, start=OTHER + 1)
    )
    return cut_by(scanners, scripts, pretokenizer=OTHER)


def cut_by(scanners: CompiledScanners, routes: Iterable[Route], pretokenizer: int) -> Cut:
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
    """A router that takes every piece of a pretokenizer to route 1, and what cuts it into units."""
    classes, labels = overlay([pretokenizer.classes, units.classes])
    router = _recoloured(pretokenizer.automata[0], [mine for mine, _ in labels])
    table = tuple(tuple((2 if mark else 0, next) for mark, next in row) for row in router.table)
    cutter = _recoloured(units.automata[0], [theirs for _, theirs in labels])
    return CompiledScanners(classes, (replace(router, n_rules=2, table=table), cutter))


def side_by_side(first: CompiledScanners, second: CompiledScanners) -> CompiledScanners:
    """The automata of both, over classes of both."""
    classes, labels = overlay([first.classes, second.classes])
    one = [_recoloured(automaton, [mine for mine, _ in labels]) for automaton in first.automata]
    other = [
        _recoloured(automaton, [theirs for _, theirs in labels]) for automaton in second.automata
    ]
    return CompiledScanners(classes, (*one, *other))


def _recoloured(automaton: Automaton, old_classes: Sequence[int]) -> Automaton:
    """The automaton over new classes, of which each is part of one of the old ones."""
    return replace(automaton, columns=tuple(automaton.columns[old] for old in old_classes))
