"""The atoms that a trainer merges tokens from, and the scanners that cut text into them.

The trainer is the same for all kinds of atoms: it counts words, and merges neighbouring units
within them; a unit that is common enough becomes an atom, a symbol of the model. The scanners say
what words and units are, and these are data; no backend knows one kind from another.

With schemas, words and units lie in the segments of their scripts, and all other text is the
base's. Without them, each piece of the base's pretokenizer is a word. Wherever a U+0020 stands
before a unit at the start of a word, it belongs to that unit, as it does with syllables. `Words`
describes the other kinds of words.
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
from wwho.format import steps
from wwho.format.automaton import Automaton, CompiledScanners
from wwho.format.classmap import overlay
from wwho.format.model import Route
from wwho.format.steps import Action, Ends, Replace

ROUTER, OTHER = 0, 1
"""Indices, among the automata of schemas, of the router and of the pretokenizer of other text."""

BASE, UNITS = 0, 1
"""Indices of the base's model, for other text, and of the model of units in `Artifact.models`."""

NEVER = Chars(CodePointSet())
"""The pattern that matches no text."""


class AtomKind(StrEnum):
    """A kind of text that tokens are merged from."""

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
    """A block and an index for each character (`wwho.compile.script`), without schemas: SCRIPT-BPE.
    What comes out is a vocabulary of its own."""

    @property
    def has_fixed_atoms(self) -> bool:
        """Whether the atoms are the same for every corpus, and can write any text."""
        return self in (AtomKind.BYTE, AtomKind.SCRIPT)


@dataclass(frozen=True)
class Words:
    """The choice of what counts as a word, within which units are merged.

    Attributes:
        whitespace: Whether words are all text between white space. Schemas then no longer find
            their segments: all text is cut by the syllables of any of them, and any other character
            is a unit of its own.
        end_of_word: Whether a U+0020 belongs to the word that it directly follows, as a unit of its
            own, unless more white space follows: it marks the word's end, where otherwise it marks
            the beginning of the next.
        collapse: Whether white space becomes one space after every word, so that text is lost.
    """

    whitespace: bool = False
    end_of_word: bool = False
    collapse: bool = False

    def __str__(self) -> str:
        """Return the options of `wwho train` that ask for such words; empty for `PLAIN`."""
        options = {
            "--words whitespace": self.whitespace,
            "--end-of-word": self.end_of_word,
            "--collapse-spaces": self.collapse,
        }
        return " ".join(option for option, given in options.items() if given)


PLAIN = Words()
"""The words of the schemas' scripts, or of the base's pretokenizer."""


def check_kind(
    kind: AtomKind, schemas: Sequence[Schema], n_tokens: int, words: Words = PLAIN
) -> None:
    """Raise if a kind of atoms does not go with these schemas, this base, or these words.

    Args:
        kind: The kind of atoms.
        schemas: The scripts; SYLLABLE needs some, BYTE and SCRIPT must have none.
        n_tokens: The number of tokens of the base vocabulary; for BYTE and SCRIPT it must be 256.
        words: The kind of words; for BYTE and SCRIPT they must be `PLAIN`.

    Raises:
        SchemaError: If schemas are missing, or there may be none.
        ValueError: If the base has merges already, or the words cannot be cut so.
    """
    if kind.has_fixed_atoms and words != PLAIN:
        raise ValueError(
            f"words of {kind} atoms are those of the base's pattern, but {words} was given; leave "
            "it out, and give a --pattern"
        )
    if words.collapse and not (words.whitespace and words.end_of_word):
        raise ValueError(
            "--collapse-spaces puts the mark of an end after every word; give --end-of-word and "
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
) -> CutFields:
    """Compile the scanners that cut text into words and units, and the routes to their models.

    Args:
        kind: The kind of units.
        schemas: The scripts; none for all text.
        pretokenizer: The base's scanners, of which the first cuts text into words. With schemas it
            may be None: other text then stays whole. `words.whitespace` takes its place.
        words: The kind of words.

    Returns:
        Fields of an artifact. Route 0 is the other text, route i that of schema i - 1. Without
        schemas, or with words between white space, all text takes route 1.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name. (`check_kind`
            checks that schemas go with the kind; it is not called here.)
        PatternError: If the scanners are too large.
    """
    end = words.end_of_word
    if words.whitespace:
        pattern = Scanner("words", (word_pattern(end_of_word=end),), longest=False)
        pretokenizer = compile_scanners([pattern])
    elif schemas:
        rest = Scanner("other", (many(Chars(ALL), 1),), longest=False)
        cutters = [
            segment_unit_scanner(kind, schema, end_of_word=end)
            for schema in merge_alike_schemas(schemas)
        ]
        router = router_scanner(schemas, end_of_word=end)
        scanners = compile_scanners([router, rest, *cutters])
        if pretokenizer is not None:
            scanners = replace_pretokenizer(scanners, pretokenizer)
        return schema_cut(scanners, schemas)
    assert pretokenizer is not None
    cutters = [word_unit_scanner(kind, schemas, words)]
    if words.collapse:
        cutters.append(Scanner("blanks", blank_patterns(), longest=False))
    scanners = route_words_to_units(pretokenizer, compile_scanners(cutters))
    text = Route("text", UNITS, units=ROUTER + 1)
    return cut_with_routes(scanners, [text], pretokenizer=ROUTER)


def collapse_steps() -> tuple[Replace, Ends]:
    """Return the rewriting steps of a model with `Words.collapse`.

    White space between words becomes one space, that at both ends of the text is dropped, and one
    space comes after the last word. The first step uses the third automaton of `compile_cuts`,
    which finds white space.
    """
    return Replace(ROUTER + 2, (" ", None)), Ends(strip=" ", left=True, right=True, suffix=" ")


def segment_unit_scanner(kind: AtomKind, schema: Schema, *, end_of_word: bool) -> Scanner:
    """Return the scanner that cuts a segment of a script into units.

    Its rules are SYLLABLE, ORPHAN and PASSTHROUGH (`wwho.compile.schema_scanners.Unit`), and it
    takes the longest match. Only units of the first may merge. For kinds other than SYLLABLE, a
    unit that begins with a letter or joiner of the script counts as a syllable; others pass
    through, and there are no orphans.

    Args:
        kind: The kind of units.
        schema: The script.
        end_of_word: Whether a U+0020 is a unit of its own, a syllable that ends a word; otherwise
            it belongs to the unit after it.
    """
    if kind is AtomKind.SYLLABLE:
        return unit_scanner(schema, end_of_word=end_of_word)
    unit = unit_pattern(kind, [schema])
    letter: Node = seq(Look(negative=False, chars=schema.letters | schema.joiners), unit)
    rules = {
        Unit.SYLLABLE: alt(letter, Chars(SPACE)) if end_of_word else with_leading_space(letter),
        Unit.ORPHAN: NEVER,
        Unit.PASSTHROUGH: unit if end_of_word else with_leading_space(unit),
    }
    return Scanner(schema.name, tuple(rules[rule] for rule in Unit), longest=True)


def word_unit_scanner(kind: AtomKind, schemas: Sequence[Schema], words: Words) -> Scanner:
    """Return the scanner that cuts any word into units of a kind, all of which may merge."""
    unit = unit_pattern(kind, schemas)
    if not words.end_of_word:
        unit = with_leading_space(unit)
    return Scanner("text", (unit,), longest=True)


def unit_pattern(kind: AtomKind, schemas: Sequence[Schema]) -> Node:
    """Return the pattern of one unit, without the space that may stand before it.

    Args:
        kind: The kind of units. For BYTE and SCRIPT the pattern is the whole word, since no
            automaton reads bytes: the trainer then takes the word apart.
        schemas: The scripts whose syllables are units, if `kind` is SYLLABLE; any other character
            is a unit, too.
    """
    if kind is AtomKind.SYLLABLE:
        return alt(*map(syllable_pattern, schemas), Chars(ALL))
    if kind is AtomKind.GRAPHEME:
        return grapheme_cluster()
    return Chars(ALL) if kind is AtomKind.CODEPOINT else many(Chars(ALL), 1)


class CutFields(TypedDict):
    """The fields of an `Artifact` that cut text into pieces and route them to models."""

    scanners: CompiledScanners
    router: int
    routes: tuple[Route, ...]


def schema_cut(scanners: CompiledScanners, schemas: Sequence[Schema]) -> CutFields:
    """Return the `CutFields` of schemas: route 0 takes other text, route i that of schema i - 1.

    Args:
        scanners: The router, the pretokenizer of other text, and a unit scanner for each schema.
            Of unit scanners whose automata are equal but for their names, only the first is kept,
            so that routes share it.
        schemas: The schemas, in the order of their unit scanners; their names become the routes'.
    """
    kept = list(scanners.automata[: OTHER + 1])
    places: dict[Automaton, int] = {}
    routes: list[Route] = []
    for schema, automaton in zip(schemas, scanners.automata[OTHER + 1 :], strict=True):
        place = places.setdefault(replace(automaton, name=""), len(kept))
        if place == len(kept):
            kept.append(automaton)
        routes.append(Route(schema.name, UNITS, units=place))
    distinct = CompiledScanners(scanners.classes, tuple(kept))
    return cut_with_routes(distinct, routes, pretokenizer=OTHER)


def cut_with_routes(
    scanners: CompiledScanners, routes: Iterable[Route], pretokenizer: int
) -> CutFields:
    """Return the `CutFields` of a router with these routes, and of route 0 for other text.

    Args:
        scanners: All automata, the router first.
        routes: The routes from number 1 on; route 0, of other text, is added.
        pretokenizer: The index of the automaton that cuts other text; all its matches are pieces.
    """
    keep = (Action.KEEP,) * scanners.automata[pretokenizer].n_rules
    cut = steps.Cut(pretokenizer, keep)
    other = Route("other", BASE, steps=(cut,))
    return CutFields(scanners=scanners, router=ROUTER, routes=(other, *routes))


def replace_pretokenizer(scanners: CompiledScanners, base: CompiledScanners) -> CompiledScanners:
    """Return the scanners of schemas with the base's pretokenizer in place of the one at `OTHER`.

    The states of all automata stay as they are; only the two class maps are laid over each other.

    Args:
        scanners: The router, a scanner for other text, and the unit scanners.
        base: The base's scanners, of which the first is taken.
    """
    classes, labels = overlay([scanners.classes, base.classes])
    own_classes = [own for own, _ in labels]
    base_classes = [theirs for _, theirs in labels]
    automata = [_over_new_classes(automaton, own_classes) for automaton in scanners.automata]
    automata[OTHER] = _over_new_classes(base.automata[0], base_classes)
    return CompiledScanners(classes, tuple(automata))


def route_words_to_units(
    pretokenizer: CompiledScanners, units: CompiledScanners
) -> CompiledScanners:
    """Return scanners whose router is a pretokenizer that sends each of its pieces to route 1.

    Args:
        pretokenizer: The scanners of which the first cuts text into words. Whichever of its rules
            matches, it becomes rule 1 of the router.
        units: The scanner that cuts words into units, and any further ones. They come after the
            router, in this order.
    """
    classes, labels = overlay([pretokenizer.classes, units.classes])
    router = _over_new_classes(pretokenizer.automata[0], [own for own, _ in labels])
    # Mark 2 is rule 1, and so route 1.
    table = tuple(
        tuple((2 if mark else 0, target) for mark, target in cells) for cells in router.table
    )
    unit_classes = [theirs for _, theirs in labels]
    cutters = (_over_new_classes(automaton, unit_classes) for automaton in units.automata)
    return CompiledScanners(classes, (replace(router, n_rules=2, table=table), *cutters))


def _over_new_classes(automaton: Automaton, old_classes: Sequence[int]) -> Automaton:
    """Return an automaton over a finer class map.

    Args:
        automaton: The automaton.
        old_classes: For each new class, the old class that it is part of.
    """
    return replace(automaton, columns=tuple(automaton.columns[old] for old in old_classes))
