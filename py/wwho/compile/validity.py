"""Whether a unit is a valid syllable of its script, which is another question than where it ends.

The grammar of a schema takes in what nobody may cut: a sign on a sign is one unit with its letter,
and so is a run of signs without one. The strict grammar says which units are syllables that the
script has. It is no part of a model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.parse import parse_grammar
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema import Schema, read_schema, union
from wwho.compile.schema_document import shipped_files
from wwho.compile.schema_loader import HAND_MADE, read_document
from wwho.compile.syntax import Chars
from wwho.format.automaton import DEAD, END_OF_TEXT, START, CompiledScanners
from wwho.format.layout import ORPHAN, SYLLABLE

PLACEHOLDERS = "\u25cc\u00a0"
"""Characters of no script that signs are shown on: the dotted circle, and the no-break space."""
_VALID = 0
"""The rule of the strict grammar, in the scanner that has it."""


class Validity:
    """Tells the valid syllables of one schema from other units."""

    def __init__(self, schema: Schema) -> None:
        """Compile the strict grammar of a schema; one without it takes all syllables for valid.

        A schema written by hand has that of the generated one for its script.
        """
        if schema.name in HAND_MADE and not schema.strict:
            schema = read_schema(read_document(f"{schema.name}-unicode"))
        self._scanners = _compile_strict(schema) if schema.strict else None
        self._known: dict[str, bool] = {}

    def is_syllable(self, unit: str) -> bool:
        """Return whether a unit that the schema's grammar matches is a valid syllable.

        Canonically equivalent texts are alike: the unit is looked at in NFC.

        Args:
            unit: the unit, without the space before it; one that no grammar matches is a stray sign
                or a character in no class, about which nothing is asked here.

        Example:
            >>> from wwho.compile.schema_loader import load_schema
            >>> tamil = Validity(load_schema("tamil"))
            >>> [tamil.is_syllable(unit) for unit in ("கா", "க்", "க்ா", "கா்", "ா")]
            [True, True, False, False, False]
        """
        if self._scanners is None:
            return True
        found = self._known.get(unit)
        if found is None:
            text = unicodedata.normalize("NFC", unit)
            found = self._known[unit] = _matches_whole(self._scanners, text)
        return found


def _compile_strict(schema: Schema) -> CompiledScanners:
    """Return a scanner whose rule `_VALID` is the strict grammar, and which matches any text."""
    strict = parse_grammar(schema.strict, schema.named_sets)
    return compile_scanners([Scanner("strict", (strict, Chars(ALL)), longest=True)])


def _matches_whole(scanners: CompiledScanners, text: str) -> bool:
    """Return whether the strict grammar matches a whole text.

    The scanners are one automaton.
    """
    (automaton,) = scanners.automata
    column_of, state = scanners.column_tables[automaton.columns], START
    for char in text:
        _, state = automaton.table[state][column_of[ord(char)]]
        if state == DEAD:
            return False
    mark, _ = automaton.table[state][END_OF_TEXT]
    return mark - 1 == _VALID


class UnitJudge:
    """Finds what is no valid syllable in text that a model has cut, by the routes' schemas."""

    def __init__(self, schemas: Iterable[Schema]) -> None:
        """Judge by some schemas; of units of any other route, only orphans are invalid.

        Args:
            schemas: the schemas, which have the names of the model's routes.
        """
        self._schemas = {schema.name: schema for schema in schemas}
        self._validities: dict[str, Validity] = {}
        joiners = union(schema.joiners for schema in self._schemas.values())
        body = union(schema.blocks for schema in self._schemas.values()) | joiners
        self._signs = union(schema.own_signs for schema in self._schemas.values())
        self._unattached = (
            re.compile(f"(?<![{_in_brackets(body)}{PLACEHOLDERS}])[{_in_brackets(joiners)}]+")
            if self._signs
            else None
        )

    @classmethod
    def of_model(cls, provenance: Mapping[str, str]) -> UnitJudge:
        """Return the judge of a model, whose provenance names its schemas.

        A schema counts if it is a shipped one with the digest that the provenance has.

        Args:
            provenance: what the artifact says of its making, by key.
        """
        found = [
            _shipped_schema(name, text.removeprefix("sha256 "))
            for key, text in provenance.items()
            for kind, _, name in [key.partition(":")]
            if kind == "schema"
        ]
        return cls(filter(None, found))

    def is_valid(self, route: str, unit: str, rule: int) -> bool:
        """Return whether a unit is a valid syllable, or a character in no class.

        Args:
            route: the name of the unit's route.
            unit: the unit, without the space before it.
            rule: the rule that matched it: one of `Unit`.
        """
        if rule != SYLLABLE or route not in self._schemas:
            return rule != ORPHAN
        if route not in self._validities:
            self._validities[route] = Validity(self._schemas[route])
        return self._validities[route].is_syllable(unit)

    def is_stray(self, route: str, unit: str, rule: int) -> bool:
        """Return whether a unit is an orphan, or all signs and joiners; arguments as `is_valid`."""
        if rule != SYLLABLE or route not in self._schemas:
            return rule == ORPHAN
        joiners = self._schemas[route].joiners
        return all(ord(char) in joiners for char in unit) and not self.is_valid(route, unit, rule)

    def find_stray(self, text: str) -> list[int]:
        """Return the places of the signs of a text that stand outside the segments of their script.

        They follow the text's start or characters of no schema's script, but for `PLACEHOLDERS`.

        Args:
            text: any text.

        Example:
            >>> from wwho.compile.schema_loader import load_schema
            >>> UnitJudge([load_schema("tamil")]).find_stray("ா கா ◌ா aா")
            [0, 9]
        """
        if self._unattached is None:
            return []
        return [
            place
            for run in self._unattached.finditer(text)
            for place in range(*run.span())
            if ord(text[place]) in self._signs
        ]


def _in_brackets(points: CodePointSet) -> str:
    """Return a set as the inside of a character class of Python's re."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in points.ranges)


@cache
def _shipped_schema(name: str, digest: str) -> Schema | None:
    """Return the shipped schema of this name and digest; None if there is none."""
    if name not in shipped_files():
        return None
    schema = read_schema(read_document(name))
    return schema if schema.digest == digest else None
