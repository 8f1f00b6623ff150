"""From schemas to scanners.

Two kinds of scanner. The **router** cuts text into segments: one kind of segment per schema, and
one for everything else. The **unit scanner** of a schema cuts its segments into syllables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import combinations

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.parse import grammar_names
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema import OTHER, Schema, Table, union
from wwho.compile.syntax import Chars, Look, Machine, Node, alt, many, optional, seq
from wwho.compile.unicode import white_space
from wwho.errors import SchemaError
from wwho.format.automaton import CompiledScanners

SPACE = CodePointSet.of(" ")


class Unit(IntEnum):
    """The rules of a unit scanner."""

    SYLLABLE = 0
    """A syllable by the grammar."""
    ORPHAN = 1
    """One character that only continues syllables, with none to continue."""
    PASSTHROUGH = 2
    """One character that has no part in syllables."""


def compile_schemas(schemas: Sequence[Schema], pretokenizer: Node | None) -> CompiledScanners:
    """Compile everything a model needs to cut text.

    Args:
        schemas: The scripts, in the order of the router's rules.
        pretokenizer: How to cut the other segments; None leaves each of them whole.

    Returns:
        The scanners in the order: router, pretokenizer, one unit scanner per schema. Without
        schemas there is only the pretokenizer.

    Raises:
        SchemaError: If two schemas claim the same character.
        PatternError: If the scanners are too large.
    """
    other = Scanner("pretokenizer", (pretokenizer or many(Chars(ALL), 1),), longest=False)
    if not schemas:
        return compile_scanners([other])
    units = [unit_scanner(schema) for schema in alike(schemas)]
    return compile_scanners([router_scanner(schemas), other, *units])


def router_scanner(schemas: Sequence[Schema], *, end_of_word: bool = False) -> Scanner:
    """Return the scanner that cuts text into segments.

    A segment of a script begins with a character of its blocks that is no joiner, and one U+0020
    directly before it; it goes on with characters of its blocks and the joiners of any schema. All
    else is a segment of its own, by rule 0; rule ``i`` is the segment of schema ``i - 1``.

    Args:
        schemas: At least one schema; what starts a segment of one may be in no other.
        end_of_word: Whether the U+0020 is the one directly after them, where no white space
            follows it.

    Raises:
        SchemaError: If two schemas claim the same character.
    """
    refuse_overlaps(schemas)
    claimed = union(schema.starts for schema in schemas)
    plain = Chars(~(claimed | SPACE))
    free_space: Node = Chars(SPACE)
    if not end_of_word:
        free_space = seq(free_space, Look(negative=True, chars=claimed))
    other = many(alt(plain, free_space), 1)
    joiners = union(schema.joiners for schema in schemas)
    segments = (segment(schema, joiners, end_of_word=end_of_word) for schema in schemas)
    return Scanner("router", (other, *segments), longest=False)


def unit_scanner(schema: Schema, *, end_of_word: bool = False) -> Scanner:
    """Return the scanner that cuts a segment of one script into units (see `Unit`)."""
    return Scanner(schema.name, unit_rules(schema, end_of_word=end_of_word), longest=True)


def unit_rules(schema: Schema, *, end_of_word: bool = False) -> tuple[Node, Node, Node]:
    """Return the patterns of the rules of `Unit`, of which the longest match wins.

    Every rule takes one leading U+0020, which the router leaves at the start of a segment; with
    `end_of_word` none does, and the U+0020 at the end counts as a syllable of its own. Together
    they cut any text at all; characters of other scripts are passed through.
    """
    orphan: Node = Chars(schema.letters)
    rest: Node = Chars(~(schema.letters | SPACE))
    if schema.table is not None:
        orphan = alt(_machine(schema, schema.table, frozenset({"ORPHAN"})), orphan)
        rest = alt(_machine(schema, schema.table, frozenset({"PASSTHROUGH"})), rest)
    syllable = syllable_of(schema)
    if end_of_word:
        return alt(syllable, Chars(SPACE)), orphan, rest
    return spaced(syllable), spaced(orphan), alt(spaced(rest), Chars(SPACE))


def syllable_of(schema: Schema) -> Node:
    """Return the pattern of a syllable.

    A table has the last word, emit states included: the paper's own tables reach ORPHAN in the
    middle of a unit, and must be reproduced as they are.
    """
    table = schema.table
    return schema.syllable if table is None else _machine(schema, table, table.accepting)


def alike(schemas: Sequence[Schema]) -> list[Schema]:
    """For each schema one that cuts its segments, and as few different ones as can be.

    A joiner of another schema, which may stand in any segment, has the part there that it has in
    that schema, if the grammar names it. Schemas with one grammar become one, whose classes have
    the characters of all of them, unless a character would then have another part in the segments
    of one. Names stay.
    """
    joiners = union(schema.joiners for schema in schemas)
    parts: dict[str, list[CodePointSet]] = {}
    for schema in schemas:
        for name, chars in schema.names.items():
            parts.setdefault(name, []).append(chars & schema.joiners)
    shared = {name: union(sets) for name, sets in parts.items()}
    wide = [_widened(schema, shared, joiners) for schema in schemas]
    merged: dict[str, Schema] = {}
    joined = []
    for schema in wide:
        known = merged.get(schema.grammar, schema)
        both = _united(known, schema)
        joined.append(schema.table is None and _agree(schema, both) and _agree(known, both))
        if joined[-1]:
            merged[schema.grammar] = both
    return [
        replace(merged[schema.grammar], name=schema.name) if is_joined else schema
        for schema, is_joined in zip(wide, joined, strict=True)
    ]


def _widened(schema: Schema, shared: Mapping[str, CodePointSet], joiners: CodePointSet) -> Schema:
    """The schema with the joiners of all others, and with a class for each name of its grammar.

    Args:
        schema: the schema.
        shared: what of the joiners each name of some schema stands for there.
        joiners: those of all schemas.
    """
    if schema.table is not None:
        return schema
    home = schema.blocks | schema.joiners
    used = set(grammar_names(schema.grammar)) - {OTHER}
    names = schema.names
    classes = {name: names[name] | (shared[name] - home) for name in names if name in used}
    return replace(schema, classes=classes, groups={}, joiners=joiners)


def _united(one: Schema, two: Schema) -> Schema:
    """A schema with the characters of two that have the same grammar and are `_widened`."""
    return replace(
        one,
        classes={name: chars | two.classes[name] for name, chars in one.classes.items()},
        blocks=one.blocks | two.blocks,
        joiners=one.joiners | two.joiners,
    )


def _agree(schema: Schema, other: Schema) -> bool:
    """Whether the characters of a schema have the same part in the grammar of the other one."""
    home = schema.blocks | schema.joiners
    mine, names = schema.names, other.names
    return all(names[name] & home == mine[name] & home for name in mine)


def segment(schema: Schema, joiners: CodePointSet, *, end_of_word: bool = False) -> Node:
    """Return the pattern of a segment of one script, with the joiners of all."""
    letters = seq(Chars(schema.starts), many(Chars(schema.blocks | joiners)))
    return ended(letters) if end_of_word else spaced(letters)


def word(*, end_of_word: bool = False) -> Node:
    """Return the pattern of words between white space, and of the white space between them.

    A word has the U+0020 directly before it; with `end_of_word` that directly after it, where no
    white space follows.
    """
    between, letter = blanks()
    letters = many(letter, 1)
    if end_of_word:
        return alt(ended(letters), between)
    return alt(spaced(letters), seq(between, Look(negative=True, chars=~white_space())), between)


def blanks() -> tuple[Node, Node]:
    """Return the patterns of all white space up to the next word, and of any other character."""
    blank = white_space()
    return many(Chars(blank), 1), Chars(~blank)


def spaced(node: Node) -> Node:
    """Let one space stand before a pattern."""
    return seq(optional(Chars(SPACE)), node)


def ended(node: Node) -> Node:
    """Let one space stand after a pattern, unless white space follows it."""
    alone = Look(negative=True, chars=white_space())
    return seq(node, optional(seq(Chars(SPACE), alone)))


def _machine(schema: Schema, table: Table, accepting: frozenset[str]) -> Node:
    """Return a table as part of a pattern, ending in the given states."""
    alphabet = {**schema.classes, OTHER: ~(schema.classified | SPACE)}
    number = {state: index for index, state in enumerate(table.states)}
    edges = tuple(
        (number[state], alphabet[name], number[target])
        for state, row in table.transitions.items()
        for name, target in row.items()
    )
    ends = frozenset(number[state] for state in accepting if state in number)
    return Machine(number[table.start], ends, edges)


def refuse_overlaps(schemas: Sequence[Schema]) -> None:
    """Raise if a name or a character would belong to two scripts: none could be told apart."""
    for one, two in combinations(schemas, 2):
        if one.name == two.name:
            raise SchemaError(
                f"two schemas are called {one.name!r}; give one of them another name",
                pointer="/name",
            )
        shared = (one.starts & (two.blocks | two.joiners)) | (one.joiners & two.starts)
        if shared:
            ways = (_claim(schema, min(shared)) for schema in (one, two))
            raise SchemaError(
                f"U+{min(shared):04X} is claimed by both {one.name!r} ({next(ways)}) and "
                f"{two.name!r} ({next(ways)}); in one model a character is in the blocks of one "
                "schema alone, or among the joiners of every schema that names it",
                pointer="/blocks",
                counterexample=chr(min(shared)),
            )


def _claim(schema: Schema, code_point: int) -> str:
    """Say by which list a schema claims a character."""
    return "joiners" if code_point in schema.joiners else "blocks"
