"""Whether a document has the shape of a schema at all, before its meaning is looked at."""

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
SAID_BADLY = ("pattern", "type", "oneOf", "not")
"""Rules of the meta-schema that do not say by themselves what would be right."""
SURROGATES = CodePointSet(((0xD800, 0xDFFF),))


def shape_errors(document: Document) -> list[SchemaError]:
    """Return what keeps a document from being read as a schema.

    Args:
        document: The parsed JSON.

    Returns:
        The errors of the first stage that has any: repeated keys, then the meta-schema, then
        ranges, names and the grammar's notation.
    """
    for stage in (_repetitions, _meta_schema, _ranges, _names, _grammar):
        try:
            errors = list(stage(document))
        except RecursionError:
            return [SchemaError(TOO_DEEP)]
        if errors:
            return errors
    return []


def _repetitions(document: Document) -> Iterator[SchemaError]:
    """A transition given twice is nondeterminism (condition 3); any other key is a slip."""
    for pointer, values in repeated_keys(document):
        in_table = pointer.startswith("/table/transitions/")
        reason = "the table is not deterministic: " if in_table else ""
        yield SchemaError(
            f"{'condition 3: ' * in_table}{reason}{pointer} is given {len(values)} times; keep one",
            pointer=pointer,
            condition=3 if in_table else None,
        )


def _meta_schema(document: Document) -> Iterator[SchemaError]:
    """Compare with ``meta.schema.json``."""
    try:
        from jsonschema import Draft202012Validator, ValidationError, validators
    except ImportError as error:
        raise SchemaError(
            "reading schemas needs the package jsonschema; pip install wwho[train]"
        ) from error

    def pattern(_: object, pattern: str, text: object, __: object) -> Iterator[ValidationError]:
        # In Python, but not in JSON Schema, $ also stands before a last line feed.
        if isinstance(text, str) and not re.fullmatch(pattern, text):
            yield ValidationError(f"{text!r} does not match {pattern!r}")

    meta = shipped_folder().joinpath("meta.schema.json").read_text(encoding="utf-8")
    rules = {"pattern": pattern}
    validator = validators.extend(Draft202012Validator, rules)  # type: ignore[no-untyped-call]
    for fault in validator(json.loads(meta)).iter_errors(document):
        pointer = join_pointer("", *fault.absolute_path)
        expected = fault.schema.get("description") if fault.validator in SAID_BADLY else None
        message = f"{fault.message}; expected: {expected}" if expected else fault.message
        yield SchemaError(f"{pointer or 'the schema'}: {message}", pointer=pointer)


def _ranges(document: Document) -> Iterator[SchemaError]:
    """Every list of ranges must run forwards and stay inside Unicode."""
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
                taken = read_ranges([item]) & SURROGATES
            except ValueError as error:
                yield _fault(place, f"{error}; put the lower one first")
                continue
            if taken:
                yield _fault(
                    place,
                    f"U+{min(taken):04X} is a surrogate, which is no character of any text; leave "
                    "out U+D800 to U+DFFF",
                )


def _fault(pointer: str, message: str) -> SchemaError:
    """An error that begins with the place."""
    return SchemaError(f"{pointer}: {message}", pointer=pointer)


def _names(document: Document) -> Iterator[SchemaError]:
    """The schema's name must be free; groups and a table may only speak of what exists."""
    if document["name"] == BASE_ROUTE:
        reason = f"{BASE_ROUTE!r} is the route of the text of no schema; choose another name"
        yield _fault("/name", reason)
    known_classes = list(document["classes"])
    mentions: list[tuple[str, str, list[str]]] = []
    for name, members in document.get("groups", {}).items():
        pointer = join_pointer("/groups", name)
        if name in known_classes:
            yield _fault(pointer, f"{name!r} is a class already; give the group another name")
        mentions += [
            (join_pointer(pointer, i), member, known_classes) for i, member in enumerate(members)
        ]
    table = document.get("table")
    if table is not None:
        mentions += _mentions(table, [*known_classes, OTHER])
    for pointer, name, known in mentions:
        if name not in known:
            yield _fault(pointer, f"there is no {name!r}; known are {', '.join(known)}")


def _mentions(table: dict[str, Any], classes: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each name that a table uses: its pointer, itself, and what it may be."""
    states = table["states"]
    mentions = [("/table/start", table["start"], states)]
    mentions += [
        (join_pointer("/table/accepting", i), state, states)
        for i, state in enumerate(table["accepting"])
    ]
    for state, row in table["transitions"].items():
        pointer = join_pointer("/table/transitions", state)
        mentions.append((pointer, state, states))
        for name, target in row.items():
            mentions.append((join_pointer(pointer, name), name, classes))
            mentions.append((join_pointer(pointer, name), target, states))
    yield from mentions


def _grammar(document: Document) -> Iterator[SchemaError]:
    """The grammar must parse, over the names that exist."""
    try:
        parse_grammar(document["grammar"], read_schema(document).names)
    except PatternError as error:
        yield _fault("/grammar", str(error))
