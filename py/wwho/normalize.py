"""Unicode normalization to NFC, as models that are trained here do it.

Many characters have two spellings in Unicode: Sinhala ේ is one code point, or ෙ and ්. NFC chooses
one of them. A model that was trained on text in NFC holds the tables that make it (FORMAT.md,
NORMALIZER): every text is brought into NFC before it is cut, and tokens decode to NFC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal

from wwho.backends.backend import Backend
from wwho.text import read_characters

Normalization = Literal["nfc"]
"""The names of the forms that training may normalize text to."""
FORM: Literal["nfc"] = "nfc"
PROVENANCE_KEY = "normalize"
"""The key of provenance whose value is the form that a trained model's normalizer makes."""


def nfc(data: bytes) -> bytes:
    """Return a text in NFC, by the Unicode version of the tables in this package.

    Bytes that are not UTF-8 stay as they are.

    Example:
        >>> nfc("e\\u0301".encode()).decode() == "é"
        True
    """
    return data if data.isascii() else _nfc_backend().normalize(data)


def nfc_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Return an iterator over a text in NFC that comes in parts, which may be cut anywhere."""
    return normalize_parts(_nfc_backend(), parts)


@cache
def _nfc_backend() -> Backend:
    """Return an open model of bytes whose normalizer makes NFC, built at first use."""
    # Imported here, because most programs never normalize, and the compiler of grammars takes long
    # to import.
    from wwho.backends.select import open_backend
    from wwho.compile.normal_forms import normal_form
    from wwho.compile.scanners import compile_scanners, regex_scanner
    from wwho.format.bpe import BPE
    from wwho.format.model import Artifact, Route
    from wwho.format.steps import Action, Cut
    from wwho.format.write import write_artifact

    artifact = Artifact(
        scanners=compile_scanners([regex_scanner("character", r"[\s\S]")]),
        routes=(Route("text", model=0, steps=(Cut(0, (Action.KEEP,)),)),),
        models=(BPE(),),
        normalizer=(normal_form(FORM),),
        provenance={"name": FORM},
    )
    return open_backend(write_artifact(artifact))


def normalize_parts(backend: Backend, parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text that comes in parts as the normalizer of a model rewrites it.

    Args:
        backend: the open model.
        parts: the text; parts may begin and end anywhere, even within a character.

    Yields:
        One part for each, as far as what follows cannot change it, which may be empty; and the
        rest at the end.

    Example:
        >>> parts = normalize_parts(_nfc_backend(), [b"e", b"\\xcc", b"\\x81x"])
        >>> b"".join(parts).decode() == "\\u00e9x"
        True
    """
    waiting = b""
    for part in parts:
        waiting += part
        text, n_read = backend.normalize_some(waiting)
        yield text
        waiting = waiting[n_read:]
    yield backend.normalize(waiting)


def ranges_before_normalizing(
    backend: Backend, data: bytes, ranges: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return where ranges of a normalized text stand in the text as it was before.

    Args:
        backend: the open model whose normalizer it is.
        data: the text before it is normalized.
        ranges: code points of the text after it: the first of a range, and the one after its last.
            A byte that is not UTF-8 counts as a code point.

    Returns:
        For each range the same in `data`. A range that touches one of several code points that
        were made of one, or one that was made of several, covers all that it came from.

    Example:
        >>> backend, text = _nfc_backend(), "ae\\u0301b".encode()
        >>> ranges_before_normalizing(backend, text, [(0, 1), (1, 2), (2, 3)])
        [(0, 1), (1, 3), (3, 4)]
    """
    normalized, sources = backend.sources(data)
    code_point_at = {byte: number for number, byte in enumerate(read_characters(data)[1])}
    # For each code point of the normalized text, the one in `data` at which its source begins.
    starts = [code_point_at[sources[byte]] for byte in read_characters(normalized)[1][:-1]]
    starts.append(len(code_point_at) - 1)
    # Its source ends where the next source begins, which several code points may share.
    ends = starts[1:]
    for number in reversed(range(len(ends) - 1)):
        if ends[number] == starts[number]:
            ends[number] = ends[number + 1]
    return [
        (starts[first], ends[last - 1] if last > first else starts[first]) for first, last in ranges
    ]
