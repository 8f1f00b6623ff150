"""The scanners that cut text as the encoder does that the WWHO paper's authors publish.

That encoder differs from the paper, and so from `wwho.compile.schema_scanners`, in three points:

- All units of a segment form one word, dandas, digits and orphans among them. So every unit is of
  rule `Unit.SYLLABLE`.
- Both joiners stay with any script, whatever its schema's classes say.
- Joiners at the very start of a text are a segment of their own, which is other text: it does not
  go on after them. Anywhere else they follow a script, or are in the midst of other text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.schema import Schema, union
from wwho.compile.schema_scanners import SPACE, refuse_overlaps, segment_pattern, unit_rules
from wwho.compile.syntax import Chars, Look, alt, many, seq
from wwho.format.automaton import CompiledScanners

JOINERS = CodePointSet.of(0x200C, 0x200D)


def paper_scanners(schemas: Sequence[Schema]) -> CompiledScanners:
    """Compile the scanners of the encoder.

    Args:
        schemas: At least one schema, in the order of the router's rules.

    Returns:
        The scanners in the order: router, one that leaves other text whole, and for each schema one
        whose only rule matches syllables, orphans and all other characters.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name.
        PatternError: If the scanners are too large.
    """
    rest = Scanner("other", (many(Chars(ALL), 1),), longest=False)
    units = [Scanner(s.name, (alt(*unit_rules(s)),), longest=True) for s in schemas]
    return compile_scanners([paper_router(schemas), rest, *units])


def paper_router(schemas: Sequence[Schema]) -> Scanner:
    """Return the scanner that cuts text into segments: rule 0 is other text, rule i schema i - 1.

    Whatever their own joiners are, all schemas have U+200C and U+200D, and no others. A segment of
    a schema begins with one of its characters and the space directly before it, and takes the
    joiners after its characters. Rule 0 also matches joiners that begin the text, alone.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name.
    """
    schemas = [with_joiners(schema) for schema in schemas]
    refuse_overlaps(schemas)
    claimed = union(schema.blocks for schema in schemas)
    free_space = seq(Chars(SPACE), Look(negative=True, chars=claimed))
    first = alt(Chars(~(claimed | SPACE | JOINERS)), free_space)
    other = seq(first, many(alt(Chars(~(claimed | SPACE)), free_space)))
    # A segment that begins with joiners is the first one: any other takes those after it.
    leading = many(Chars(JOINERS), 1)
    rules = (alt(leading, other), *(segment_pattern(schema, JOINERS) for schema in schemas))
    return Scanner("router", rules, longest=False)


def with_joiners(schema: Schema) -> Schema:
    """Return a copy of the schema whose joiners are U+200C and U+200D, and no others."""
    return replace(schema, joiners=JOINERS)
