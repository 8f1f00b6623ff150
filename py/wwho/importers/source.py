"""A file that is to be imported, read no further than its reader asks for."""

from __future__ import annotations

import io
import json
import math
import os
import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from wwho.errors import SourceError
from wwho.format.files import refuse_named_pipe
from wwho.format.foreign import no_content

HEAD = 4096
"""Bytes by which most kinds are told."""
MAX_BYTES = 512 << 20
"""The largest file that is read as a whole; the largest tokenizer.json known has 35 MB."""
MAX_DEPTH = 50
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


JSON_BEGINS = rb"(?:\xef\xbb\xbf)?\s*\{(?![{%#])"
"""How a JSON object begins, and no template does."""


class Source:
    """A file, or bytes, with the files beside it.

    Attributes:
        name: what it is called, without folders.
    """

    def __init__(self, path: str | os.PathLike[str], data: bytes | None = None) -> None:
        """Take a path, and the content where it lies in memory."""
        self.path = Path(path)
        self.name = self.path.name
        self._data = data

    def open(self) -> BinaryIO:
        """Return the file, to be read piece by piece; the caller closes it.

        Data that was given, and what comes through a pipe, is in memory; a pipe is read once, up to
        `MAX_BYTES` and a byte more.

        Raises:
            OSError: it cannot be read, or is a named pipe.
        """
        if self._data is None and not self.path.is_file():  # a pipe, which can be read once
            refuse_named_pipe(self.path)
            with self.path.open("rb") as file:
                self._data = file.read(MAX_BYTES + 1)
        return io.BytesIO(self._data) if self._data is not None else self.path.open("rb")

    @cached_property
    def head(self) -> bytes:
        """The first bytes, at most `HEAD`."""
        with self.open() as file:
            return file.read(HEAD)

    @cached_property
    def data(self) -> bytes:
        """The whole content.

        Raises:
            SourceError: it has more than `MAX_BYTES`.
            OSError: it cannot be read.
        """
        with self.open() as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise SourceError(f"it has over {MAX_BYTES >> 20} MB, more than any tokenizer")
        return data

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON object that it is.

        Raises:
            SourceError: it is none, or one that readers take differently: a key comes twice, a
                text holds half a surrogate pair, or values are nested too deeply.
        """
        return parse_json(self.data)

    def beside(self, name: str) -> Source | None:
        """Return another file of its folder; None if there is none, or the content came as bytes.

        Raises:
            SourceError: it is what stands for a file that was not fetched.
            OSError: it cannot be read.
        """
        path = self.path.with_name(name)
        if self._data is not None or not path.is_file():
            return None
        file = Source(path)
        if what := no_content(file.head):
            raise SourceError(f"{name} beside it: {what}")
        return file

    def json_beside(self, name: str = "tokenizer_config.json") -> dict[str, Any]:
        """Return the JSON object in another file of its folder; an empty one where there is none.

        Raises:
            SourceError: as for `document`.
        """
        file = self.beside(name)
        try:
            return file.document if file else {}
        except SourceError as error:
            raise SourceError(f"{name} beside it: {error}") from error


def parse_json(data: bytes) -> dict[str, Any]:
    """Return the JSON object that the bytes of a file are, without a mark of byte order before it.

    Raises:
        SourceError: it is no JSON in UTF-8, no object, nested over `MAX_DEPTH` deep, or it has a
            key twice in one object, NaN, a number out of range, or half a surrogate pair.

    Example:
        >>> parse_json(b'{"a": 1, "a": 2}')
        Traceback (most recent call last):
        wwho.errors.SourceError: the key "a" comes twice in one object; keep one
    """
    try:
        text = data.decode("utf-8-sig")
        document = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=serde_float
        )
    except SourceError:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise SourceError(f"it is no JSON in UTF-8: {error}; fetch the file again") from error
    if not isinstance(document, dict):
        raise SourceError(f"it holds {shown(document)}, expected an object")
    _check_depth(document)
    if _SURROGATE.search(text):  # half of a pair comes from an escape alone
        _refuse_surrogates(document, "")
    return document


def serde_float(text: str) -> float:
    """Return the number of a JSON text as serde_json reads it, and with it tokenizers.

    It rounds once more than is needed, which can decide between two paths of a Unigram model.

    Raises:
        SourceError: the number is out of the range of f64.

    Example:
        >>> serde_float("-1.9766502380371094"), serde_float("1e-7")
        (-1.9766502380371096, 1e-07)
    """
    mantissa, _, power = text.lower().lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = int(power or 0) + len(whole)
    digits = (whole + fraction).lstrip("0")
    exponent -= len(whole + fraction) - len(digits)
    digits = digits[: 20 if int(digits[:20] or 0) < 1 << 64 else 19]
    exponent -= len(digits)
    value = float(int(digits or 0))
    while exponent < -308 and value:
        value, exponent = value / 1e308, exponent + 308
    power_of_ten = float(f"1e{abs(exponent)}")
    value = value * power_of_ten if exponent >= 0 else value / power_of_ten
    if not math.isfinite(value):
        raise SourceError(f"the number {shown(text)} is out of range")
    return -value if text.startswith("-") else value


def shown(value: object) -> str:
    """Return a value in a message: as JSON writes it, the first 60 characters.

    Example:
        >>> shown({"type": "BPE"})
        '{"type": "BPE"}'
    """
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON's pairs.

    Raises:
        SourceError: a key comes twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise SourceError(f"the key {shown(twice)} comes twice in one object; keep one")
    return found


def _constant(name: str) -> float:
    """Raise SourceError for NaN or an infinity, which Python would read."""
    raise SourceError(f"it holds {name}, which is no JSON")


def _check_depth(value: Any) -> None:
    """Raise SourceError if objects and lists of a JSON value are nested over `MAX_DEPTH` deep."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            each
            for inner in level
            for each in (inner.values() if isinstance(inner, dict) else inner)
            if isinstance(each, (dict, list))
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> SourceError:
    return SourceError(f"it is nested deeper than {MAX_DEPTH} levels of {{ }} and [ ]")


def _refuse_surrogates(value: object, pointer: str) -> None:
    """Raise SourceError if a text in a JSON value holds a lone surrogate.

    Args:
        value: the value, whose keys count, too.
        pointer: where it stands (RFC 6901), for the error.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise SourceError(
                f"{shown(value)} holds a lone surrogate, which no text has", pointer=pointer
            ) from None
    elif isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, each in items:
            _refuse_surrogates(key, pointer)
            _refuse_surrogates(each, f"{pointer}/{escape_key(str(key))}")


def escape_key(key: str) -> str:
    """Return a key as part of a JSON pointer (RFC 6901).

    Example:
        >>> escape_key("a/b~")
        'a~1b~0'
    """
    return key.replace("~", "~0").replace("/", "~1")
