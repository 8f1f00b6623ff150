"""The JSON text of a schema: where the shipped ones are, reading it, and its fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wwho.compile.codepoints import CodePointSet
from wwho.errors import SchemaError

Document = Mapping[str, Any]

TOO_DEEP = "the schema is nested too deeply; a schema has at most five levels of { } and [ ]"


class Repeated(list[Any]):
    """The values of a key that one JSON object gives more than once."""


def parse_document(text: bytes) -> Document:
    """Read JSON text, keeping track of repeated keys instead of dropping the earlier ones.

    Args:
        text: UTF-8.

    Returns:
        The object. Repeated keys have a `Repeated` value.

    Raises:
        SchemaError: If the text is not a JSON object.
    """
    try:
        document = json.loads(text, object_pairs_hook=_object)
    except ValueError as error:
        raise SchemaError(f"the schema is not JSON in UTF-8: {error}") from error
    except RecursionError:
        raise SchemaError(TOO_DEEP) from None
    if not isinstance(document, dict):
        raise SchemaError("the schema is not a JSON object; wrap its keys in { }")
    return document


def repeated_keys(value: object, pointer: str = "") -> Iterator[tuple[str, Repeated]]:
    """Yield the JSON pointer and the values of every repeated key."""
    if isinstance(value, Repeated):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from repeated_keys(item, join_pointer(pointer, key))


def digest(document: Document) -> str:
    """Return the SHA-256 of a document's canonical JSON, in hexadecimal.

    Canonical means: keys sorted, no blanks, UTF-8. So layout and comments in the layout do not
    count, and the same schema has the same digest wherever it comes from.
    """
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # JSON can spell lone surrogates; they are no fault of a title or description.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_ranges(items: Iterable[str | Sequence[str]]) -> CodePointSet:
    """Read ``["0DCA", ["0D9A", "0DC6"]]``: code points and inclusive pairs, in hexadecimal.

    Raises:
        ValueError: If a pair runs backwards or leaves Unicode.
    """
    pairs = ((item, item) if isinstance(item, str) else (item[0], item[1]) for item in items)
    return CodePointSet(tuple((int(first, 16), int(last, 16)) for first, last in pairs))


def join_pointer(*parts: str | int) -> str:
    """Build a JSON pointer (RFC 6901) from one that is already built and further keys."""
    first, *rest = parts
    escaped = (str(part).replace("~", "~0").replace("/", "~1") for part in rest)
    return "/".join([str(first), *escaped])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, gathering the values of repeated keys."""
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
    """Return the folder of shipped schemas: the installed one, or that of the source tree."""
    installed = Path(__file__).parents[1] / "schemas"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "schemas"


def shipped_files() -> dict[str, Path]:
    """Return the files of the shipped schemas by name: ``sinhala``, ``paper/sinhala`` ..."""
    folder = shipped_folder()
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.json")}
    del found["meta.schema.json"]
    return {name.removesuffix(".json"): path for name, path in found.items()}
