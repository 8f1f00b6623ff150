"""The JSON text of a schema: parsing it, its fingerprint, and where the shipped ones are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wwho.compile.codepoints import CodePointSet
from wwho.errors import SchemaError

Document = Mapping[str, Any]
"""A schema as parsed JSON, whose shape may be wrong still."""

TOO_DEEP = "the schema is nested too deeply; a schema has at most five levels of { } and [ ]"


class Repeated(list[Any]):
    """A list of the values of a key that one JSON object has more than once."""


def parse_document(text: bytes) -> Document:
    """Parse the JSON text of a schema, keeping all values of keys that an object repeats.

    Args:
        text: JSON in UTF-8.

    Returns:
        The object. A key that comes several times has a `Repeated` value, in order of the text, so
        that `repeated_keys` can report it.

    Raises:
        SchemaError: If the text is not JSON in UTF-8, nested too deeply for the parser, or not an
            object.

    Example:
        >>> parse_document(b'{"name": "a", "name": "b"}')
        {'name': ['a', 'b']}
    """
    try:
        document = json.loads(text, object_pairs_hook=_object_with_repeated_keys)
    except ValueError as error:
        raise SchemaError(f"the schema is not JSON in UTF-8: {error}") from error
    except RecursionError:
        raise SchemaError(TOO_DEEP) from None
    if not isinstance(document, dict):
        raise SchemaError("the schema is not a JSON object; wrap its keys in { }")
    return document


def repeated_keys(value: object, pointer: str = "") -> Iterator[tuple[str, Repeated]]:
    """Yield the JSON pointer and the values of every key that an object repeats, at any depth.

    Objects inside lists, and inside the values of a repeated key, are not looked at.

    Args:
        value: A document, or any value in one.
        pointer: The pointer to `value`.
    """
    if isinstance(value, Repeated):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from repeated_keys(item, join_pointer(pointer, key))


def digest(document: Document) -> str:
    """Return the SHA-256 of a document's canonical JSON, as 64 hexadecimal digits.

    Canonical means: keys sorted, no blanks, UTF-8. So layout and the order of keys do not count,
    and the same schema has the same digest wherever it comes from. Neither does the key `strict`,
    which plays no part in what a model is made of.
    """
    cutting = {key: value for key, value in document.items() if key != "strict"}
    text = json.dumps(cutting, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # JSON can spell lone surrogates; they are no fault of a title or description.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_ranges(items: Iterable[str | Sequence[str]]) -> CodePointSet:
    """Return the set that a document writes as ``["0DCA", ["0D9A", "0DC6"]]``.

    Args:
        items: Code points in hexadecimal, and pairs of them, both ends included.

    Raises:
        ValueError: If a pair runs backwards or leaves Unicode, or a text is not hexadecimal.
    """
    pairs = ((item, item) if isinstance(item, str) else (item[0], item[1]) for item in items)
    return CodePointSet(tuple((int(first, 16), int(last, 16)) for first, last in pairs))


def join_pointer(*parts: str | int) -> str:
    """Return a JSON pointer (RFC 6901) extended by further keys and indices, which are escaped.

    Args:
        *parts: A pointer, ``""`` for the whole document, and any number of keys.

    Example:
        >>> join_pointer("/classes", "a/b", 0)
        '/classes/a~1b/0'
    """
    pointer, *keys = parts
    escaped = (str(key).replace("~", "~0").replace("/", "~1") for key in keys)
    return "/".join([str(pointer), *escaped])


def _object_with_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON's pairs; a repeated key has the `Repeated` list of its values."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key not in result:
            result[key] = value
        elif isinstance(result[key], Repeated):
            result[key].append(value)
        else:
            result[key] = Repeated([result[key], value])
    return result


def shipped_folder() -> Path:
    """Return the folder of shipped schemas: the installed one, or else that of the source tree."""
    installed = Path(__file__).parents[1] / "schemas"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "schemas"


def shipped_files() -> dict[str, Path]:
    """Return the files of the shipped schemas by name: ``sinhala``, ``paper/sinhala`` ...

    The meta-schema is not among them. The order is the file system's.
    """
    folder = shipped_folder()
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.json")}
    del files["meta.schema.json"]
    return {name.removesuffix(".json"): path for name, path in files.items()}
