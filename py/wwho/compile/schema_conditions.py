"""The six conditions of a valid schema (definition 2 of the paper).

1. Classes are disjoint.
2. Every code point of a class lies in a declared block. Joiners, which scripts share, are the one
   exception, and must be declared.
3. The table is deterministic. (JSON can only break this with repeated keys; see `shape.py`.)
4. The states ORPHAN and PASSTHROUGH have no way out, and only START leads to them.
5. The table accepts exactly the language of the grammar.
6. The table never stops where a longer syllable goes on (maximal munch).

Conditions 3 to 6 speak about a schema's own table. Without one the table is compiled from the
grammar, and they hold by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from wwho.compile.codepoints import CodePointSet
from wwho.compile.nfa import nullable
from wwho.compile.schema import OTHER, Schema, Table, read_schema
from wwho.compile.schema_document import Document, join_pointer, read_ranges
from wwho.compile.schema_shape import shape_errors
from wwho.compile.transition_table import Path, Product
from wwho.compile.unicode import white_space
from wwho.errors import SchemaError

EMIT_STATES = ("ORPHAN", "PASSTHROUGH")


def check_schema(document: Document) -> list[SchemaError]:
    """Return everything that is wrong with a schema.

    Args:
        document: The parsed JSON.

    Returns:
        All violations, those of the document's shape first and alone, then those of the six
        conditions in order; an empty list if the schema is valid.
    """
    errors = shape_errors(document)
    return errors or condition_errors(read_schema(document), document)


def condition_errors(schema: Schema, document: Document) -> list[SchemaError]:
    """Return the violations of the six conditions, in order.

    Args:
        schema: The schema read from the document.
        document: The document, for pointers into it.
    """
    errors = [*_disjoint(schema), *_complete(schema, document)]
    errors += [*_no_word_boundary(schema), *_not_empty(schema)]
    if schema.table is not None:
        errors += [*_isolated(schema, schema.table), *_same_language(schema, schema.table)]
    return errors


def _disjoint(schema: Schema) -> Iterator[SchemaError]:
    """Condition 1: no code point is in two classes."""
    for one, two in combinations(schema.classes, 2):
        shared = schema.classes[one] & schema.classes[two]
        if shared:
            yield SchemaError(
                f"condition 1: {_name(min(shared))} is in both class {one} and class {two}; "
                "take it out of one",
                pointer=join_pointer("/classes", two),
                counterexample=chr(min(shared)),
                condition=1,
            )


def _complete(schema: Schema, document: Document) -> Iterator[SchemaError]:
    """Condition 2: every classified code point is in a block, or is a declared joiner."""
    home = schema.blocks | read_ranges(document.get("joiners", []))
    for name in schema.classes:
        for index, item in enumerate(document["classes"][name]["ranges"]):
            stray = read_ranges([item]) - home
            if stray:
                yield SchemaError(
                    f"condition 2: {_name(min(stray))} of class {name} lies in none of the "
                    "declared blocks; declare its block, or list it under joiners if scripts "
                    "share it",
                    pointer=join_pointer("/classes", name, "ranges", index),
                    counterexample=chr(min(stray)),
                    condition=2,
                )


def _no_word_boundary(schema: Schema) -> Iterator[SchemaError]:
    """White space stands between the words of every script, so it belongs to none."""
    taken = (schema.blocks | schema.joiners) & white_space()
    if taken:
        yield SchemaError(
            f"/blocks: {_name(min(taken))} is white space, which the router keeps as a boundary of "
            "words; take it out of the blocks and joiners",
            pointer="/blocks",
            counterexample=chr(min(taken)),
        )


def _not_empty(schema: Schema) -> Iterator[SchemaError]:
    """A syllable has at least one character."""
    if nullable(schema.syllable):
        yield SchemaError(
            "/grammar: the grammar generates the empty string; make a part of it mandatory",
            pointer="/grammar",
            counterexample="",
        )


def _isolated(schema: Schema, table: Table) -> Iterator[SchemaError]:
    """Condition 4: the emit states have no way out, and only the start leads to them."""
    for state, row in table.transitions.items():
        for name, target in row.items():
            leaves, arrives = state in EMIT_STATES, target in EMIT_STATES and state != table.start
            if not leaves and not arrives:
                continue
            fault = f"{state} has a way out" if leaves else f"{target} is reached from {state}"
            way = _path_to(table, state)
            text = None if way is None else _text(schema, (*way, name))
            yield SchemaError(
                f"condition 4: {fault}, over class {name}"
                f"{'' if text is None else f', by {_shown(text)}'}; remove the transition, so "
                "that the piece before it ends there",
                pointer=join_pointer("/table/transitions", state, name),
                counterexample=text,
                condition=4,
            )


def _same_language(schema: Schema, table: Table) -> Iterator[SchemaError]:
    """Conditions 5 and 6: the table accepts what the grammar generates, and as much of it."""
    product = Product(table, schema.syllable, _alphabet(schema))
    path = product.difference()
    if path is not None:
        text = _text(schema, path)
        accepted = _run(table, path) in table.accepting
        verdict = "accepts" if accepted else "does not accept"
        other = "does not generate" if accepted else "generates"
        yield SchemaError(
            f"condition 5: the table {verdict} {_shown(text)} ({' '.join(path)}), which the "
            f"grammar {other}; remove the table to have it compiled from the grammar",
            pointer="/table",
            counterexample=text,
            condition=5,
        )
    path = product.early_stop()
    if path is not None:
        text = _text(schema, path)
        yield SchemaError(
            f"condition 6: the table cuts {_shown(text)} ({' '.join(path)}) short, though it is "
            "one syllable by the grammar; add the missing transition",
            pointer="/table",
            counterexample=text,
            condition=6,
        )


def _alphabet(schema: Schema) -> dict[str, CodePointSet]:
    """Return the classes a table may speak of: the schema's own, and all the rest."""
    return {**schema.classes, OTHER: ~schema.classified}


def _text(schema: Schema, path: Path) -> str:
    """Return a text with one character of each class."""
    alphabet = _alphabet(schema)
    return "".join(chr(next(iter(alphabet[name]))) for name in path)


def _run(table: Table, path: Path) -> str | None:
    """Return the state after a path, or None past a boundary."""
    state: str | None = table.start
    for name in path:
        state = table.next(state, name)
    return state


def _path_to(table: Table, goal: str) -> Path | None:
    """Return the shortest path from the start to a state, or None if there is none."""
    queue: list[tuple[str, Path]] = [(table.start, ())]
    met = {table.start}
    for state, path in queue:  # which grows while it is read
        if state == goal:
            return path
        for name, target in table.transitions.get(state, {}).items():
            if target not in met:
                met.add(target)
                queue.append((target, (*path, name)))
    return None


def _name(code_point: int) -> str:
    """Write a code point the Unicode way."""
    return f"U+{code_point:04X}"


def _shown(text: str) -> str:
    """Write a text as code points, since marks and joiners do not show by themselves."""
    return " ".join(_name(ord(char)) for char in text)
