"""A script schema in memory, and how it is made of a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wwho.compile.codepoints import CodePointSet
from wwho.compile.parse import grammar_names, parse_grammar
from wwho.compile.schema_document import Document, digest, read_ranges
from wwho.compile.syntax import Node
from wwho.compile.transition_table import Dfa as Table

__all__ = ["OTHER", "Schema", "Table"]

OTHER = "O"
"""The name by which a grammar or a table may speak of characters that are in no class."""


@dataclass(frozen=True)
class Schema:
    """What a script's characters are, and what its syllables look like.

    Attributes:
        name: A short name, such as ``"sinhala"``.
        title: A name for people, such as ``"Sinhala"``.
        script: The ISO 15924 code, such as ``"Sinh"``.
        unicode: The Unicode version the classes were written for.
        blocks: The characters that belong to the script: they start and continue its segments.
        classes: The named classes.
        joiners: Characters that continue a segment but never start one: those that scripts share,
            and signs that are nothing without a letter before them.
        grammar: The syllable, as a regular expression over the names of classes.
        digest: SHA-256 of the canonical JSON of the schema, in hexadecimal.
        groups: Names for several classes at once, which the grammar may use.
        table: The schema's own transition table, if it brings one; it then cuts the syllables.
        valid: Whether the schema fulfils the six conditions.
    """

    name: str
    title: str
    script: str
    unicode: str
    blocks: CodePointSet
    classes: Mapping[str, CodePointSet] = field(hash=False)
    joiners: CodePointSet
    grammar: str
    digest: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    table: Table | None = field(default=None, hash=False)
    valid: bool = True

    @property
    def syllable(self) -> Node:
        """The grammar's syntax tree."""
        return parse_grammar(self.grammar, self.names)

    @property
    def names(self) -> dict[str, CodePointSet]:
        """What each name of the grammar stands for: a class, a group, or what is in no class."""
        groups = {
            name: union(self.classes[each] for each in members)
            for name, members in self.groups.items()
        }
        unclassed = (self.blocks | self.joiners) - self.classified
        return {**self.classes, **groups, OTHER: unclassed}

    @property
    def starts(self) -> CodePointSet:
        """The characters that start a segment."""
        return self.blocks - self.joiners

    @property
    def letters(self) -> CodePointSet:
        """The characters of the classes that the grammar names, on their own or in a group."""
        names = self.names
        used = set(grammar_names(self.grammar)) - {OTHER}
        return union(names[name] for name in names if name in used)

    @property
    def classified(self) -> CodePointSet:
        """The characters of all classes."""
        return union(self.classes.values())


def union(sets: Iterable[CodePointSet]) -> CodePointSet:
    """Return everything that is in one of the sets."""
    return CodePointSet(tuple(each for chars in sets for each in chars.ranges))


def read_schema(document: Document) -> Schema:
    """Build a schema, whether or not it fulfils the six conditions.

    The router goes by the blocks and the joiners alone: a classified character that is in neither,
    which breaks condition 2, is text of no script, whatever the table says of it.

    Args:
        document: A document without shape errors.
    """
    table = document.get("table")
    groups = document.get("groups", {})
    return Schema(
        name=document["name"],
        title=document["title"],
        script=document["script"],
        unicode=document["unicode"],
        blocks=read_ranges(document["blocks"]),
        classes={name: read_ranges(each["ranges"]) for name, each in document["classes"].items()},
        joiners=read_ranges(document.get("joiners", [])),
        grammar=document["grammar"],
        digest=digest(document),
        groups={name: tuple(members) for name, members in groups.items()},
        table=None if table is None else _table(table),
    )


def _table(table: dict[str, Any]) -> Table:
    """Build a transition table."""
    return Table(
        states=tuple(table["states"]),
        start=table["start"],
        accepting=frozenset(table["accepting"]),
        transitions=table["transitions"],
    )
