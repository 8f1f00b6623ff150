"""Unicode normalization before a text is cut, where a model asks for it.

Many characters have two spellings in Unicode: Sinhala ේ is one code point, or ෙ and ්. NFC chooses
one of them. A model that was trained on text in NFC says so in its provenance (``normalize: nfc``);
then `Tokenizer` brings every text into NFC first, and tokens decode to that.

NFC is that of Python's own Unicode version. It never changes for characters that a version knows;
one that is younger than the Python that runs stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from wwho.errors import ArtifactError

Normalization = Literal["nfc"]
FORM: Literal["nfc"] = "nfc"
KEY = "normalize"
"""Of the provenance: which form texts are brought into."""

HANGUL = frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
"""Vowels and final consonants, which join the syllable before them."""

NOT_ASCII = bytes(range(128, 256))

LONG_WORD = 256
"""Characters without white space from which on it is worth looking for many marks in a row."""

MANY_MARKS = 32
"""Marks on one letter, more than any text needs."""


def normalizer(provenance: Mapping[str, str]) -> Callable[[bytes], bytes] | None:
    """What a model's texts go through first; None: nothing.

    Raises:
        ArtifactError: a form that is not known here.
    """
    form = provenance.get(KEY)
    if form not in (None, FORM):
        raise ArtifactError(
            f"the model normalizes text to {form!r}, and this version knows {FORM!r} alone; "
            "open it with the version of wwho that made it",
            status="FEATURES",
        )
    return nfc if form else None


def nfc(data: bytes) -> bytes:
    """A text in NFC; bytes that are not UTF-8 stay as they are.

    Example:
        >>> nfc("e\\u0301".encode()).decode() == "é"
        True
    """
    if data.isascii():
        return data
    text = data.decode("utf-8", "surrogateescape")
    if unicodedata.is_normalized("NFC", text):
        return data
    return _nfc(text).encode("utf-8", "surrogateescape")


def nfc_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """A text that comes in parts, in NFC: no ASCII character joins what stands before it.

    Example:
        >>> b"".join(nfc_parts([b"e", b"\\xcc", b"\\x81x"])).decode() == "\u00e9x"
        True
    """
    held = b""
    for part in parts:
        held += part
        last = len(held.rstrip(NOT_ASCII)) - 1
        if last > 0:
            yield nfc(held[:last])
            held = held[last:]
    yield nfc(held)


def places_before(data: bytes, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where stretches of the normalized text stand in the text as it was given.

    Args:
        data: the text before `nfc`.
        places: code points of the text after it: the first of a stretch, and the one behind the
            last. A byte that is not UTF-8 counts as a code point.

    Returns:
        The same for `data`. What normalization changes is taken as a whole: a stretch that touches
        one code point of it touches all that this came from.

    Example:
        >>> places_before("ae\\u0301b".encode(), [(0, 1), (1, 2), (2, 3)])
        [(0, 1), (1, 3), (3, 4)]
    """
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for part in parts(data.decode("utf-8", "surrogateescape")):
        after = _nfc(part)
        if after == part:
            starts += range(at, at + len(part))
            ends += range(at + 1, at + len(part) + 1)
        else:
            starts += [at] * len(after)
            ends += [at + len(part)] * len(after)
        at += len(part)
    starts.append(at)
    return [
        (starts[first], ends[last - 1] if last > first else starts[first]) for first, last in places
    ]


def parts(text: str) -> Iterator[str]:
    """Cut a text so that each part is normalized alone; each begins with a letter of its own."""
    start = 0
    for at in range(1, len(text)):
        if not joins(text[at]):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def joins(character: str) -> bool:
    """Whether NFC may join a character to what stands before it, or move it there.

    Example:
        >>> joins("\\u0301"), joins("\\u0dcf"), joins("a")
        (True, True, False)
    """
    marks, halves = _marks_and_halves()
    return character in marks or character in halves


def _nfc(text: str) -> str:
    """A text in NFC, in linear time.

    Python puts marks in order in a time that grows with the square of their number: 20 KB of them
    take seconds. So many in a row are put in order here.
    """
    if max(map(len, text.split()), default=0) > LONG_WORD:
        text = _many_marks().sub(_in_order, text)
    return unicodedata.normalize("NFC", text)


def _in_order(run: re.Match[str]) -> str:
    """Marks in canonical order."""
    marks = "".join(unicodedata.normalize("NFD", mark) for mark in run.group())
    return "".join(sorted(marks, key=unicodedata.combining))


@cache
def _many_marks() -> re.Pattern[str]:
    marks = "".join(map(re.escape, sorted(_marks_and_halves()[0])))
    return re.compile(f"[{marks}]{{{MANY_MARKS},}}")


@cache
def _marks_and_halves() -> tuple[frozenset[str], frozenset[str]]:
    """Marks that have an order, and what canonical pairs end with, as some vowel signs do."""
    marks, halves = set(), set(HANGUL)
    for character in map(chr, range(0x110000)):
        first = character
        mapping = unicodedata.decomposition(character)
        if mapping and not mapping.startswith("<"):
            first = unicodedata.normalize("NFD", character)[0]
            halves.update(chr(int(code, 16)) for code in mapping.split()[1:])
        if unicodedata.combining(first):
            marks.add(character)
    return frozenset(marks), frozenset(halves)
