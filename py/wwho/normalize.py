"""Unicode normalization before a text is cut, where a model asks for it.

Many characters have two spellings in Unicode: Sinhala ේ is one code point, or ෙ and ්. NFC chooses
one of them. A model that was trained on text in NFC holds the tables that make it (FORMAT.md,
NORMALIZER); every text is brought into NFC first, and tokens decode to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal

from wwho.backends.backend import Backend
from wwho.text import read_characters

Normalization = Literal["nfc"]
FORM: Literal["nfc"] = "nfc"
KEY = "normalize"
"""Of the provenance: the name of the form that the normalizer of a trained model brings about."""


def nfc(data: bytes) -> bytes:
    """A text in NFC, as the models that are trained here know it; broken UTF-8 stays as it is.

    Example:
        >>> nfc("e\\u0301".encode()).decode() == "é"
        True
    """
    return data if data.isascii() else _nfc().normalize(data)


def nfc_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """A text that comes in parts, in NFC; they may be cut anywhere."""
    return normalized_parts(_nfc(), parts)


@cache
def _nfc() -> Backend:
    """A model of bytes that normalizes."""
    # Here, because most programs never ask, and the compiler of grammars takes long to import.
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


def normalized_parts(backend: Backend, parts: Iterable[bytes]) -> Iterator[bytes]:
    """A text that comes in parts, normalized; they may be cut anywhere.

    Example:
        >>> b"".join(normalized_parts(_nfc(), [b"e", b"\\xcc", b"\\x81x"])).decode() == "\\u00e9x"
        True
    """
    held = b""
    for part in parts:
        held += part
        text, read = backend.normalize_some(held)
        yield text
        held = held[read:]
    yield backend.normalize(held)


def places_before(
    backend: Backend, data: bytes, places: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Where stretches of the normalized text stand in the text as it was given.

    Args:
        backend: whose normalizer it is.
        data: the text before it is normalized.
        places: code points of the text after it: the first of a stretch, and the one after the
            last. A byte that is not UTF-8 counts as a code point.

    Returns:
        The same for `data`. A stretch that touches one code point of several that were made of one,
        or one that was made of several, touches all that it came from.

    Example:
        >>> places_before(_nfc(), "ae\\u0301b".encode(), [(0, 1), (1, 2), (2, 3)])
        [(0, 1), (1, 3), (3, 4)]
    """
    after, sources = backend.sources(data)
    before = {at: number for number, at in enumerate(read_characters(data)[1])}
    starts = [before[sources[at]] for at in read_characters(after)[1][:-1]]
    starts.append(len(before) - 1)
    ends = starts[1:]
    for number in reversed(range(len(ends) - 1)):
        if ends[number] == starts[number]:
            ends[number] = ends[number + 1]
    return [
        (starts[first], ends[last - 1] if last > first else starts[first]) for first, last in places
    ]
