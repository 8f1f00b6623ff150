"""The scanners of script schemas: the router, and the unit scanner of each schema.

The **router** cuts text into segments: one kind of segment per schema, and one for everything else.
The **unit scanner** of a schema cuts its segments into units: syllables, and what is left between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import combinations

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.parse import grammar_names
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema import OTHER, Schema, union
from wwho.compile.syntax import Chars, Look, Machine, Node, alt, many, optional, seq
from wwho.compile.transition_table import TransitionTable
from wwho.compile.unicode import white_space
from wwho.errors import SchemaError
from wwho.format.automaton import CompiledScanners

SPACE = CodePointSet.of(" ")


class Unit(IntEnum):
    """The number of a rule of a unit scanner, which says what kind of unit it matches."""

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
        pretokenizer: The pattern that cuts the other segments; None leaves each of them whole.

    Returns:
        The scanners in the order: router, pretokenizer, one unit scanner per schema. Without
        schemas there is only the pretokenizer.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name.
        PatternError: If the scanners are too large.
    """
    other = Scanner("pretokenizer", (pretokenizer or many(Chars(ALL), 1),), longest=False)
    if not schemas:
        return compile_scanners([other])
    units = [unit_scanner(schema) for schema in merge_alike_schemas(schemas)]
    return compile_scanners([router_scanner(schemas), other, *units])


def router_scanner(schemas: Sequence[Schema], *, end_of_word: bool = False) -> Scanner:
    """Return the scanner that cuts text into segments.

    A segment of a script begins with a character of its blocks that is no joiner, and one U+0020
    directly before it; it goes on with characters of its blocks and the joiners of any schema. All
    else is a segment of its own, by rule 0; rule ``i`` is the segment of schema ``i - 1``.

    Args:
        schemas: At least one schema; what starts a segment of one may be in no other.
        end_of_word: Whether a segment has the U+0020 directly after it instead of the one before,
            unless white space follows that U+0020.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name.
    """
    refuse_overlaps(schemas)
    claimed = union(schema.segment_starts for schema in schemas)
    plain = Chars(~(claimed | SPACE))
    free_space: Node = Chars(SPACE)
    if not end_of_word:
        free_space = seq(free_space, Look(negative=True, chars=claimed))
    other = many(alt(plain, free_space), 1)
    joiners = union(schema.joiners for schema in schemas)
    segments = (segment_pattern(schema, joiners, end_of_word=end_of_word) for schema in schemas)
    return Scanner("router", (other, *segments), longest=False)


def unit_scanner(schema: Schema, *, end_of_word: bool = False) -> Scanner:
    """Return the scanner that cuts a segment of one script into units.

    Its rules are SYLLABLE, ORPHAN and PASSTHROUGH (`Unit`), and it takes the longest match.

    Args:
        schema: The script.
        end_of_word: Whether a U+0020 is a unit of its own, a syllable that ends a word; otherwise
            it belongs to the unit after it.
    """
    return Scanner(schema.name, unit_rules(schema, end_of_word=end_of_word), longest=True)


def unit_rules(schema: Schema, *, end_of_word: bool = False) -> tuple[Node, Node, Node]:
    """Return the patterns of a syllable, an orphan, and any other character, in order of `Unit`.

    The longest match wins. Every rule takes one leading U+0020, which the router leaves at the
    start of a segment; with `end_of_word` none does, and the U+0020 at the end counts as a syllable
    of its own. Together they cut any text at all; characters of other scripts are passed through.
    """
    orphan: Node = Chars(schema.letters)
    rest: Node = Chars(~(schema.letters | SPACE))
    if schema.table is not None:
        orphan = alt(_table_pattern(schema, schema.table, frozenset({"ORPHAN"})), orphan)
        rest = alt(_table_pattern(schema, schema.table, frozenset({"PASSTHROUGH"})), rest)
    syllable = syllable_pattern(schema)
    if end_of_word:
        return alt(syllable, Chars(SPACE)), orphan, rest
    return (
        with_leading_space(syllable),
        with_leading_space(orphan),
        alt(with_leading_space(rest), Chars(SPACE)),
    )


def syllable_pattern(schema: Schema) -> Node:
    """Return the pattern of a syllable: the schema's table if it has one, else its grammar.

    A table has the last word, emit states included: the paper's own tables reach ORPHAN in the
    middle of a unit, and must be reproduced as they are.
    """
    table = schema.table
    return schema.syllable if table is None else _table_pattern(schema, table, table.accepting)


def merge_alike_schemas(schemas: Sequence[Schema]) -> list[Schema]:
    """Return, for each schema, one that cuts its segments alike, with as few distinct as possible.

    Schemas with one grammar become one, whose classes have the characters of all of them, unless a
    character would then play another role in the segments of one. So their unit scanners compile to
    one automaton. Schemas with a table stay as they are.

    A joiner of another schema, which may stand in any segment, plays the role there that it plays
    in that schema, if the grammar names it. Names stay; blocks grow, so the results are of no use
    for the router.
    """
    joiners = union(schema.joiners for schema in schemas)
    roles: dict[str, list[CodePointSet]] = {}
    for schema in schemas:
        for name, chars in schema.named_sets.items():
            roles.setdefault(name, []).append(chars & schema.joiners)
    joiners_by_role = {name: union(sets) for name, sets in roles.items()}
    widened = [_with_all_joiners(schema, joiners_by_role, joiners) for schema in schemas]
    # By grammar, the schema that has the characters of all that could be merged so far.
    merged: dict[str, Schema] = {}
    is_merged = []
    for schema in widened:
        known = merged.get(schema.grammar, schema)
        both = _unite(known, schema)
        mergeable = schema.table is None and _agree(schema, both) and _agree(known, both)
        is_merged.append(mergeable)
        if mergeable:
            merged[schema.grammar] = both
    return [
        replace(merged[schema.grammar], name=schema.name) if found else schema
        for schema, found in zip(widened, is_merged, strict=True)
    ]


def _with_all_joiners(
    schema: Schema, joiners_by_role: Mapping[str, CodePointSet], joiners: CodePointSet
) -> Schema:
    """Return a schema with the joiners of all, and with a class for each name of its grammar.

    A schema with a table is returned as it is; the groups of others become classes.

    Args:
        schema: The schema.
        joiners_by_role: The joiners that each name stands for in the schema that they are from.
        joiners: The joiners of all schemas.
    """
    if schema.table is not None:
        return schema
    home = schema.blocks | schema.joiners
    used = set(grammar_names(schema.grammar)) - {OTHER}
    sets = schema.named_sets
    classes = {name: sets[name] | (joiners_by_role[name] - home) for name in sets if name in used}
    return replace(schema, classes=classes, groups={}, joiners=joiners)


def _unite(one: Schema, two: Schema) -> Schema:
    """Return the first schema with the characters of both, which have one grammar."""
    return replace(
        one,
        classes={name: chars | two.classes[name] for name, chars in one.classes.items()},
        blocks=one.blocks | two.blocks,
        joiners=one.joiners | two.joiners,
    )


def _agree(schema: Schema, other: Schema) -> bool:
    """Tell whether each character of a schema plays the same role in the other one's grammar."""
    home = schema.blocks | schema.joiners
    own_sets, other_sets = schema.named_sets, other.named_sets
    return all(other_sets[name] & home == own_sets[name] & home for name in own_sets)


def segment_pattern(schema: Schema, joiners: CodePointSet, *, end_of_word: bool = False) -> Node:
    """Return the pattern of a segment of one script.

    Args:
        schema: The script.
        joiners: The joiners of all schemas.
        end_of_word: Whether a U+0020 after the segment belongs to it, instead of one before.
    """
    letters = seq(Chars(schema.segment_starts), many(Chars(schema.blocks | joiners)))
    return with_trailing_space(letters) if end_of_word else with_leading_space(letters)


def word_pattern(*, end_of_word: bool = False) -> Node:
    """Return the pattern of words between white space, and of the white space between them.

    A word has the U+0020 directly before it; with `end_of_word` that directly after it, where no
    white space follows. All other white space between two words is one match.
    """
    between, letter = blank_patterns()
    letters = many(letter, 1)
    if end_of_word:
        return alt(with_trailing_space(letters), between)
    # White space before a word gives its last character back, in case that is a U+0020.
    leading = seq(between, Look(negative=True, chars=~white_space()))
    return alt(with_leading_space(letters), leading, between)


def blank_patterns() -> tuple[Node, Node]:
    """Return the pattern of white space up to the next word, and that of another character."""
    blank = white_space()
    return many(Chars(blank), 1), Chars(~blank)


def with_leading_space(node: Node) -> Node:
    """Return a pattern that takes one U+0020 before `node`, if there is one."""
    return seq(optional(Chars(SPACE)), node)


def with_trailing_space(node: Node) -> Node:
    """Return a pattern that takes one U+0020 after `node`, unless white space follows that."""
    alone = Look(negative=True, chars=white_space())
    return seq(node, optional(seq(Chars(SPACE), alone)))


def _table_pattern(schema: Schema, table: TransitionTable, accepting: frozenset[str]) -> Node:
    """Return a schema's table as a pattern that ends in one of the given states.

    States in `accepting` that the table lacks do not count. `OTHER` is every character of no class
    but U+0020, of any script.
    """
    classes = {**schema.classes, OTHER: ~(schema.classified | SPACE)}
    numbers = {state: index for index, state in enumerate(table.states)}
    edges = tuple(
        (numbers[state], classes[name], numbers[target])
        for state, transitions in table.transitions.items()
        for name, target in transitions.items()
    )
    ends = frozenset(numbers[state] for state in accepting if state in numbers)
    return Machine(numbers[table.start], ends, edges)


def refuse_overlaps(schemas: Sequence[Schema]) -> None:
    """Raise SchemaError if two schemas have one name, or a character could be of either.

    A character that starts segments of one schema may not be in the blocks or joiners of another.
    """
    for one, two in combinations(schemas, 2):
        if one.name == two.name:
            raise SchemaError(
                f"two schemas are called {one.name!r}; give one of them another name",
                pointer="/name",
            )
        shared = one.segment_starts & (two.blocks | two.joiners)
        shared |= one.joiners & two.segment_starts
        if shared:
            first = min(shared)
            raise SchemaError(
                f"U+{first:04X} is claimed by both {one.name!r} ({_claiming_list(one, first)}) and "
                f"{two.name!r} ({_claiming_list(two, first)}); in one model a character is in the "
                "blocks of one schema alone, or among the joiners of every schema that names it",
                pointer="/blocks",
                counterexample=chr(first),
            )


def _claiming_list(schema: Schema, code_point: int) -> str:
    """Return the name of the list, joiners or blocks, in which a schema has a character."""
    return "joiners" if code_point in schema.joiners else "blocks"
