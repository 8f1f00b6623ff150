"""The six conditions of a valid schema (definition 2 of the paper), and the check of them.

1. Classes are disjoint.
2. Every code point of a class lies in a declared block. Joiners, which scripts share, are the one
   exception, and must be declared.
3. The table is deterministic. (JSON can only break this with repeated keys; `schema_shape` checks.)
4. The states ORPHAN and PASSTHROUGH have no way out, and only START leads to them.
5. The table accepts exactly the language of the grammar.
6. The table never stops where a longer syllable goes on (maximal munch).

Conditions 3 to 6 speak about a schema's own table. Without one the table is compiled from the
grammar, and they hold by construction. Two more checks have no number: white space belongs to no
script, and a syllable is not empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from wwho.compile.codepoints import CodePointSet
from wwho.compile.nfa import nullable
from wwho.compile.parse import parse_grammar
from wwho.compile.schema import OTHER, Schema, read_schema
from wwho.compile.schema_document import Document, join_pointer, read_ranges
from wwho.compile.schema_shape import shape_errors
from wwho.compile.transition_table import GrammarComparison, Path, TransitionTable
from wwho.compile.unicode import white_space
from wwho.errors import SchemaError

EMIT_STATES = ("ORPHAN", "PASSTHROUGH")
"""The states of a table in which a single character is emitted that begins no syllable."""


def check_schema(document: Document) -> list[SchemaError]:
    """Return everything that is wrong with a schema.

    Args:
        document: The parsed JSON.

    Returns:
        All violations, those of the document's shape first and alone, then those of the six
        conditions in order; an empty list if the schema is valid.

    Raises:
        SchemaError: If the package jsonschema is not installed.
    """
    errors = shape_errors(document)
    return errors or condition_errors(read_schema(document), document)


def condition_errors(schema: Schema, document: Document) -> list[SchemaError]:
    """Return the violations of conditions 1, 2 and 4 to 6, and of the two checks without a number.

    Args:
        schema: The schema read from the document.
        document: The document, for pointers into it. Its shape has no errors, so condition 3 holds.

    Returns:
        Errors in order of the conditions, the two without a number after condition 2. The
        attribute `condition` of each is its number, or None.
    """
    errors = [*_overlap_errors(schema), *_stray_errors(schema, document)]
    errors += [*_white_space_errors(schema), *_empty_syllable_errors(schema)]
    if schema.table is not None:
        errors += _emit_state_errors(schema, schema.table)
        errors += _language_errors(schema, schema.table)
    return errors


def _overlap_errors(schema: Schema) -> Iterator[SchemaError]:
    """Yield an error for each two classes that share a code point (condition 1)."""
    for one, two in combinations(schema.classes, 2):
        shared = schema.classes[one] & schema.classes[two]
        if shared:
            yield SchemaError(
                f"condition 1: {_u_plus(min(shared))} is in both class {one} and class {two}; "
                "take it out of one",
                pointer=join_pointer("/classes", two),
                counterexample=chr(min(shared)),
                condition=1,
            )


def _stray_errors(schema: Schema, document: Document) -> Iterator[SchemaError]:
    """Yield an error for each range of a class that leaves the blocks and joiners (condition 2).

    Its counterexample is the first code point of the range that lies outside.
    """
    home = schema.blocks | read_ranges(document.get("joiners", []))
    for name in schema.classes:
        for index, item in enumerate(document["classes"][name]["ranges"]):
            stray = read_ranges([item]) - home
            if stray:
                yield SchemaError(
                    f"condition 2: {_u_plus(min(stray))} of class {name} lies in none of the "
                    "declared blocks; declare its block, or list it under joiners if scripts "
                    "share it",
                    pointer=join_pointer("/classes", name, "ranges", index),
                    counterexample=chr(min(stray)),
                    condition=2,
                )


def _white_space_errors(schema: Schema) -> Iterator[SchemaError]:
    """Yield an error if white space, which stands between the words of every script, is claimed."""
    claimed = (schema.blocks | schema.joiners) & white_space()
    if claimed:
        yield SchemaError(
            f"/blocks: {_u_plus(min(claimed))} is white space, which the router keeps as a "
            "boundary of words; take it out of the blocks and joiners",
            pointer="/blocks",
            counterexample=chr(min(claimed)),
        )


def _empty_syllable_errors(schema: Schema) -> Iterator[SchemaError]:
    """Yield an error for each grammar that generates the empty string."""
    grammars = {"grammar": schema.grammar, "strict": schema.strict}
    for key, grammar in grammars.items():
        if grammar and nullable(parse_grammar(grammar, schema.named_sets)):
            yield SchemaError(
                f"/{key}: the grammar generates the empty string; make a part of it mandatory",
                pointer=f"/{key}",
                counterexample="",
            )


def _emit_state_errors(schema: Schema, table: TransitionTable) -> Iterator[SchemaError]:
    """Yield an error for each transition that leads out of an emit state, or wrongly into one.

    By condition 4, only the start may lead to ORPHAN and PASSTHROUGH, and nothing leads on from
    there. The counterexample is the shortest text over that transition, or None if no text reaches
    it.
    """
    for state, transitions in table.transitions.items():
        for name, target in transitions.items():
            leaves = state in EMIT_STATES
            arrives = target in EMIT_STATES and state != table.start
            if not leaves and not arrives:
                continue
            fault = f"{state} has a way out" if leaves else f"{target} is reached from {state}"
            path = _shortest_path(table, state)
            text = None if path is None else _sample_text(schema, (*path, name))
            by_text = "" if text is None else f", by {_code_points(text)}"
            yield SchemaError(
                f"condition 4: {fault}, over class {name}{by_text}; remove the transition, so "
                "that the piece before it ends there",
                pointer=join_pointer("/table/transitions", state, name),
                counterexample=text,
                condition=4,
            )


def _language_errors(schema: Schema, table: TransitionTable) -> Iterator[SchemaError]:
    """Yield an error if the table accepts another language than the grammar, or stops too early.

    The first is condition 5: a text is a syllable for one of the two only. The second is condition
    6: the table cuts a syllable of the grammar short. Each error has the shortest such text.
    """
    comparison = GrammarComparison(table, schema.syllable, _table_classes(schema))
    path = comparison.shortest_difference()
    if path is not None:
        text = _sample_text(schema, path)
        accepted = _final_state(table, path) in table.accepting
        verdict = "accepts" if accepted else "does not accept"
        other = "does not generate" if accepted else "generates"
        yield SchemaError(
            f"condition 5: the table {verdict} {_code_points(text)} ({' '.join(path)}), which the "
            f"grammar {other}; remove the table to have it compiled from the grammar",
            pointer="/table",
            counterexample=text,
            condition=5,
        )
    path = comparison.shortest_early_stop()
    if path is not None:
        text = _sample_text(schema, path)
        yield SchemaError(
            f"condition 6: the table cuts {_code_points(text)} ({' '.join(path)}) short, though it "
            "is one syllable by the grammar; add the missing transition",
            pointer="/table",
            counterexample=text,
            condition=6,
        )


def _table_classes(schema: Schema) -> dict[str, CodePointSet]:
    """Return the characters of each class that a table may name: the schema's own, and `OTHER`.

    Here `OTHER` is every other code point, inside the script's blocks or not.
    """
    return {**schema.classes, OTHER: ~schema.classified}


def _sample_text(schema: Schema, path: Path) -> str:
    """Return a text with the first character of each class of a path."""
    classes = _table_classes(schema)
    return "".join(chr(next(iter(classes[name]))) for name in path)


def _final_state(table: TransitionTable, path: Path) -> str | None:
    """Return the state in which a path from the start ends, or None past a boundary."""
    state: str | None = table.start
    for name in path:
        state = table.next(state, name)
    return state


def _shortest_path(table: TransitionTable, goal: str) -> Path | None:
    """Return the classes on the shortest path from the start to a state; None if there is none."""
    queue: list[tuple[str, Path]] = [(table.start, ())]
    met = {table.start}
    # The queue grows while it is read.
    for state, path in queue:
        if state == goal:
            return path
        for name, target in table.transitions.get(state, {}).items():
            if target not in met:
                met.add(target)
                queue.append((target, (*path, name)))
    return None


def _u_plus(code_point: int) -> str:
    """Return a code point as Unicode writes it: ``U+0DCA``."""
    return f"U+{code_point:04X}"


def _code_points(text: str) -> str:
    """Return a text as code points, since marks and joiners do not show by themselves."""
    return " ".join(_u_plus(ord(char)) for char in text)
