"""The checks of a document's shape: all that must hold before it can be read as a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from wwho.compile.codepoints import CodePointSet
from wwho.compile.parse import parse_grammar
from wwho.compile.schema import OTHER, read_schema
from wwho.compile.schema_document import (
    TOO_DEEP,
    Document,
    join_pointer,
    read_ranges,
    repeated_keys,
    shipped_folder,
)
from wwho.errors import PatternError, SchemaError

BASE_ROUTE = "other"
"""The name of the route for text of no schema, which no schema may have."""
DESCRIBED_RULES = ("pattern", "type", "oneOf", "not")
"""Rules of JSON Schema whose own messages do not say what would be right; descriptions do."""
SURROGATES = CodePointSet(((0xD800, 0xDFFF),))


def shape_errors(document: Document) -> list[SchemaError]:
    """Return the reasons why a document cannot be read as a schema.

    Args:
        document: The parsed JSON.

    Returns:
        The errors of the first check that finds any: repeated keys, then the meta-schema, then
        ranges, names and the grammar's notation. Later checks rely on earlier ones. Empty: the
        document can be read.

    Raises:
        SchemaError: If the package jsonschema is not installed.
    """
    checks = (
        _repetition_errors,
        _meta_schema_errors,
        _range_errors,
        _name_errors,
        _grammar_errors,
    )
    for check in checks:
        try:
            errors = list(check(document))
        except RecursionError:
            return [SchemaError(TOO_DEEP)]
        if errors:
            return errors
    return []


def _repetition_errors(document: Document) -> Iterator[SchemaError]:
    """Yield an error for each key that an object of the document repeats.

    In the transition table that is nondeterminism, and breaks condition 3; elsewhere it is a slip.
    """
    for pointer, values in repeated_keys(document):
        in_table = pointer.startswith("/table/transitions/")
        reason = "condition 3: the table is not deterministic: " if in_table else ""
        yield SchemaError(
            f"{reason}{pointer} is given {len(values)} times; keep one",
            pointer=pointer,
            condition=3 if in_table else None,
        )


def _meta_schema_errors(document: Document) -> Iterator[SchemaError]:
    """Yield an error for each place where a document does not match ``meta.schema.json``.

    Raises:
        SchemaError: If the package jsonschema is not installed.
    """
    try:
        from jsonschema import Draft202012Validator, ValidationError, validators
    except ImportError as error:
        raise SchemaError(
            "reading schemas needs the package jsonschema: pip install 'wwho[train]'"
        ) from error

    def check_pattern(
        _: object, pattern: str, text: object, __: object
    ) -> Iterator[ValidationError]:
        """Yield an error if a text does not match a pattern of the meta-schema as a whole."""
        # In Python, but not in JSON Schema, $ also stands before a last line feed.
        if isinstance(text, str) and not re.fullmatch(pattern, text):
            yield ValidationError(f"{text!r} does not match {pattern!r}")

    meta = shipped_folder().joinpath("meta.schema.json").read_text(encoding="utf-8")
    rules = {"pattern": check_pattern}
    validator = validators.extend(Draft202012Validator, rules)  # type: ignore[no-untyped-call]
    for fault in validator(json.loads(meta)).iter_errors(document):
        pointer = join_pointer("", *fault.absolute_path)
        described = fault.validator in DESCRIBED_RULES
        expected = fault.schema.get("description") if described else None
        message = f"{fault.message}; expected: {expected}" if expected else fault.message
        yield SchemaError(f"{pointer or 'the schema'}: {message}", pointer=pointer)


def _range_errors(document: Document) -> Iterator[SchemaError]:
    """Yield an error for each range that runs backwards, leaves Unicode, or holds a surrogate."""
    lists = {
        "/blocks": document["blocks"],
        "/joiners": document.get("joiners", []),
        **{
            join_pointer("/classes", name, "ranges"): each["ranges"]
            for name, each in document["classes"].items()
        },
    }
    for pointer, items in lists.items():
        for index, item in enumerate(items):
            place = join_pointer(pointer, index)
            try:
                surrogates = read_ranges([item]) & SURROGATES
            except ValueError as error:
                yield _error_at(place, f"{error}; put the lower one first")
                continue
            if surrogates:
                yield _error_at(
                    place,
                    f"U+{min(surrogates):04X} is a surrogate, which is no character of any text; "
                    "leave out U+D800 to U+DFFF",
                )


def _error_at(pointer: str, message: str) -> SchemaError:
    """Return an error whose message begins with the JSON pointer to the fault."""
    return SchemaError(f"{pointer}: {message}", pointer=pointer)


def _name_errors(document: Document) -> Iterator[SchemaError]:
    """Yield an error for each wrong name in a document.

    A schema may not have the name of the route for other text, a group not that of a class, and
    groups and the table may only use names of classes and states that are there.
    """
    if document["name"] == BASE_ROUTE:
        reason = f"{BASE_ROUTE!r} is the route of the text of no schema; choose another name"
        yield _error_at("/name", reason)
    known_classes = list(document["classes"])
    uses: list[tuple[str, str, list[str]]] = []
    for name, members in document.get("groups", {}).items():
        pointer = join_pointer("/groups", name)
        if name in known_classes:
            yield _error_at(pointer, f"{name!r} is a class already; give the group another name")
        uses += [
            (join_pointer(pointer, index), member, known_classes)
            for index, member in enumerate(members)
        ]
    table = document.get("table")
    if table is not None:
        uses += _names_in_table(table, [*known_classes, OTHER])
    for pointer, name, known in uses:
        if name not in known:
            yield _error_at(pointer, f"there is no {name!r}; known are {', '.join(known)}")


def _names_in_table(
    table: dict[str, Any], classes: list[str]
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each name that a transition table uses: its pointer, the name, and all allowed names.

    Args:
        table: The document's table.
        classes: The names of classes; states must be among those the table lists.
    """
    states = table["states"]
    yield "/table/start", table["start"], states
    for index, state in enumerate(table["accepting"]):
        yield join_pointer("/table/accepting", index), state, states
    for state, transitions in table["transitions"].items():
        pointer = join_pointer("/table/transitions", state)
        yield pointer, state, states
        for name, target in transitions.items():
            yield join_pointer(pointer, name), name, classes
            yield join_pointer(pointer, name), target, states


def _grammar_errors(document: Document) -> Iterator[SchemaError]:
    """Yield an error for each grammar that does not parse, or uses a name that nothing has."""
    for key in ("grammar", "strict"):
        try:
            if key in document:
                parse_grammar(document[key], read_schema(document).named_sets)
        except PatternError as error:
            yield _error_at(f"/{key}", str(error))
