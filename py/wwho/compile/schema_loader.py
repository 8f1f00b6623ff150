"""The loading of schemas, by name, from a file, or from memory, with all checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from wwho.compile.schema import Schema, read_schema
from wwho.compile.schema_conditions import condition_errors
from wwho.compile.schema_document import Document, parse_document, shipped_files
from wwho.compile.schema_shape import shape_errors
from wwho.errors import SchemaError


def shipped_schemas() -> list[str]:
    """Return the names of the valid schemas that come with the package, sorted.

    Those of the paper, whose names begin with ``paper/``, can be loaded too but are not listed.
    """
    return sorted(name for name in shipped_files() if "/" not in name)


Name = TypeVar("Name")

HAND_MADE = ("devanagari", "kannada", "sinhala")
"""The shipped schemas that are written by hand, and that `wwho train` takes when none is named; all
others are written by tools/gen_schemas.py."""

UNICODE = "unicode"
"""The name that stands for all shipped schemas but HAND_MADE: one for each Abugida of Unicode."""


def expand_schema_names(names: Iterable[Name]) -> list[Name | str]:
    """Return the names with those of the 67 generated schemas in place of ``"unicode"``.

    Args:
        names: Names of schemas, or other sources of them; all but `UNICODE` stay as they are.
            Names that come twice do so in the result.

    Example:
        >>> len(expand_schema_names(["my.json", "unicode"]))
        68
    """
    expanded: list[Name | str] = []
    for name in names:
        if name == UNICODE:
            expanded += [each for each in shipped_schemas() if each not in HAND_MADE]
        else:
            expanded.append(name)
    return expanded


def load_schema(
    source: str | Path | bytes | Mapping[str, Any], *, allow_invalid: bool = False
) -> Schema:
    """Load and validate a schema.

    Args:
        source: The name of a shipped schema, such as ``"sinhala"`` (or ``"paper/sinhala"`` for
            the paper's own, invalid, tables); the path of a JSON file; the bytes of one; or a
            parsed document.
        allow_invalid: Load a schema that breaks the six conditions all the same; `Schema.valid`
            then tells. What cannot be read as a schema at all is refused anyway.

    Returns:
        The schema.

    Raises:
        SchemaError: The first violation; `check_schema` lists them all. Or there is no such schema
            or file.
        OSError: If a file cannot be read.

    Example:
        >>> load_schema("sinhala").title
        'Sinhala'
    """
    schema, errors = examine_schema(read_document(source), allow_invalid=allow_invalid)
    if schema is None:
        raise errors[0]
    return schema


def examine_schema(
    document: Document, *, allow_invalid: bool = False
) -> tuple[Schema | None, list[SchemaError]]:
    """Read and validate a document, and return what is wrong with it instead of raising it.

    Args:
        document: The result of `read_document`.
        allow_invalid: Return a schema even if it breaks some of the six conditions; `Schema.valid`
            is then False. Other errors are still reasons to refuse it.

    Returns:
        The schema and the conditions that it breaks (with `allow_invalid`; else none), or None and
        every reason to refuse it.
    """
    errors = shape_errors(document)
    if errors:
        return None, errors
    schema = read_schema(document)
    errors = condition_errors(schema, document)
    # Violations that are of none of the six conditions are never allowed.
    fatal = [error for error in errors if not allow_invalid or error.condition is None]
    if fatal:
        return None, fatal
    return replace(schema, valid=not errors), errors


def read_document(source: str | Path | bytes | Mapping[str, Any]) -> Document:
    """Return the parsed JSON of a schema, unchecked.

    Args:
        source: The name of a shipped schema, the path of a JSON file (a text that is both is the
            name), the bytes of one, or a parsed document, which is returned as it is.

    Raises:
        SchemaError: If a text is neither a file nor a shipped schema, or the content is not a JSON
            object.
        OSError: If a file cannot be read.
    """
    if isinstance(source, Mapping):
        return source
    if isinstance(source, bytes):
        return parse_document(source)
    if isinstance(source, str):
        if (shipped := shipped_files().get(source)) is not None:
            return parse_document(shipped.read_bytes())
        if not Path(source).is_file():
            known = ", ".join(shipped_schemas())
            raise SchemaError(
                f"{source!r} is neither a file nor a shipped schema; shipped are {known}"
            )
    return parse_document(Path(source).read_bytes())
