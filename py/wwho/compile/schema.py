"""A script schema in memory, and the reading of one from a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wwho.compile.codepoints import CodePointSet
from wwho.compile.parse import grammar_names, parse_grammar
from wwho.compile.schema_document import Document, digest, read_ranges
from wwho.compile.syntax import Node
from wwho.compile.transition_table import TransitionTable

OTHER = "O"
"""The name by which a grammar or a table may speak of characters that are in no class."""


@dataclass(frozen=True)
class Schema:
    """The description of a script: the roles of its characters, and the form of its syllables.

    Attributes:
        name: A short name, such as ``"sinhala"``.
        title: A name for people, such as ``"Sinhala"``.
        script: The ISO 15924 code, such as ``"Sinh"``.
        unicode: The Unicode version the classes were written for.
        blocks: The characters that belong to the script: they start and continue its segments.
        classes: The characters of each named class.
        joiners: Characters that continue a segment but never start one: those that scripts share,
            and signs that are nothing without a letter before them.
        grammar: The syllable, as a regular expression over the names of classes.
        digest: SHA-256 of the canonical JSON of the schema, in hexadecimal.
        groups: The classes of each group: a name for several at once, for the grammar.
        table: The schema's own transition table, if it brings one; it then cuts the syllables
            instead of the grammar.
        strict: The valid syllable, in the notation of the grammar, which also takes in units that
            are none; "" where every syllable of the grammar is valid.
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
    table: TransitionTable | None = field(default=None, hash=False)
    strict: str = ""
    valid: bool = True

    @property
    def syllable(self) -> Node:
        """The grammar's syntax tree, parsed anew each time."""
        return parse_grammar(self.grammar, self.named_sets)

    @property
    def named_sets(self) -> dict[str, CodePointSet]:
        """The characters of each name that the grammar may use.

        They are the classes, the groups, and `OTHER`: the blocks and joiners without all classes.
        """
        groups = {
            name: union(self.classes[each] for each in members)
            for name, members in self.groups.items()
        }
        unclassed = (self.blocks | self.joiners) - self.classified
        return {**self.classes, **groups, OTHER: unclassed}

    @property
    def segment_starts(self) -> CodePointSet:
        """The characters that start a segment: the blocks without the joiners."""
        return self.blocks - self.joiners

    @property
    def own_signs(self) -> CodePointSet:
        """The signs of this script alone, which start no segment: they need a letter before them.

        A joiner or accent that scripts share is none of them; neither is any character of a schema
        that lets signs start segments, whose scanner calls them orphans.
        """
        return self.blocks & self.joiners & self.classified

    @property
    def letters(self) -> CodePointSet:
        """The characters of the classes that the grammar names, on their own or in a group.

        `OTHER` is none of these classes, even if the grammar names it.
        """
        sets = self.named_sets
        used = set(grammar_names(self.grammar)) - {OTHER}
        return union(sets[name] for name in sets if name in used)

    @property
    def classified(self) -> CodePointSet:
        """The characters of all classes, whether or not the grammar names them."""
        return union(self.classes.values())


def union(sets: Iterable[CodePointSet]) -> CodePointSet:
    """Return the union of any number of sets; of none, the empty set."""
    return CodePointSet(tuple(each for chars in sets for each in chars.ranges))


def read_schema(document: Document) -> Schema:
    """Return the schema that a document describes, whether or not it fulfils the six conditions.

    `Schema.valid` is True; `examine_schema` checks it. The router goes by the blocks and the
    joiners alone: a classified character that is in neither, which breaks condition 2, is text of
    no script, whatever the table says of it.

    Args:
        document: A document without shape errors (`wwho.compile.schema_shape`); others may raise
            anything.
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
        table=None if table is None else _read_table(table),
        strict=document.get("strict", ""),
    )


def _read_table(table: dict[str, Any]) -> TransitionTable:
    """Return the transition table that a document's ``table`` describes."""
    return TransitionTable(
        states=tuple(table["states"]),
        start=table["start"],
        accepting=frozenset(table["accepting"]),
        transitions=table["transitions"],
    )
