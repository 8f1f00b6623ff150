"""What the encoder cuts at once is what the plain scanner cuts, piece by piece."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from odd_models import byte_model, phrase_model
from tiny import byte_tokens_model, kinds_model, odd_added_model

from wwho import get_encoding
from wwho.backends.native import NativeBackend
from wwho.backends.reference import ReferenceBackend
from wwho.format.model import Artifact, Route, Unknown
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer

PARTS = [
    *list("  aabcdeLlRrVvEMSTDmstd''''\n\r\t/.,-_!0123456789AZ"),
    *["'ll", "'re", "'ve", "'LL", "'Re", "'s ", " the", " horse", "window"],
    *["é", "ß", "ſ", "ශ", "්", "රී", "क", "हि", "\u200d", "中", "\u0301", "😀", "\u00a0", "ǅ"],
]


def check(enc: Tokenizer, text: bytes) -> None:
    backend = enc._backend
    pieces = [text[span.start : span.end] for span in backend.spans(text)]
    assert backend.encode(text, None, False) == [
        token for piece in pieces for token in backend.encode_piece(piece)
    ], text


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "p50k_base", "gpt2"])
def test_shipped_models(name: str) -> None:
    """Long texts, in which letters are skipped, with what makes that hard at every place."""
    enc, rng = get_encoding(name, backend="native"), random.Random(name)
    for size in (3, 60, 70, 130, 500) * 20:
        text = bytearray("".join(rng.choices(PARTS, k=size)).encode())
        for _ in range(rng.choice((0, 0, 3))):
            text.insert(rng.randrange(len(text) + 1), rng.randrange(128, 256))
        check(enc, bytes(text))
    words = ["".join(rng.choices("abcdefghlrsetvLR'", k=rng.randint(1, 9))) for _ in range(400)]
    for between in (" ", "'", "\n", " '", "é"):
        check(enc, between.join(words).encode())


def test_blocks_that_are_full() -> None:
    """Of pieces of one character, as many as a block holds, behind some of another route."""
    enc = get_encoding("wwho_328k", backend="native")
    for before in range(3):
        for size in range(190, 194):
            text = "क " * before + ("a1" * size)[:size]
            assert enc.decode(enc.encode(text)) == text


# The end of a piece hangs on what comes long after it, or there are more ends than are remembered.
PATTERNS = ["a{1,9}b|.", "a(?:[ab]{40}c)?|.", "(?:ab)*c|a|b|.", "[a-z]+!|[a-z]{3}|[a-z]|."]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_pieces_that_are_long_uncertain(pattern: str) -> None:
    piece = pattern.removesuffix(".") + "[^\\n]|\\n"
    enc = Tokenizer(write_artifact(byte_model([(97, 97), (97, 98)], piece=piece)), "native")
    rng = random.Random(pattern)
    for size in (5, 40, 80, 300) * 25:
        check(enc, "".join(rng.choices("aaaabbc!x\né", k=size)).encode())
        check(enc, ("a" * size + rng.choice(("b", "c", "!", ""))).encode())


def superword_model() -> Artifact:
    """Superwords over all of a text: its one route is of units."""
    merges = [(2, 2), (2, 3), (4, 0)]
    model = phrase_model([b" a", b" b", b"a", b"b"], merges, superwords=1)
    base, units = model.models
    return replace(
        model,
        router=None,
        routes=(Route("letters", model=0, units=2),),
        models=(replace(units, unknown=Unknown.ID), base),
    )


@pytest.mark.parametrize(
    "model",
    [byte_tokens_model(), odd_added_model(), kinds_model(), superword_model()],
    ids=lambda model: model.name,
)
def test_one_piece(model: Artifact) -> None:
    """Both backends take a text whole: as one piece, or as one segment of units."""
    blob, rng = write_artifact(model), random.Random(1)
    native, reference = NativeBackend(blob), ReferenceBackend(blob)
    parts = ["a", "a", "b", "c", " ", ",", "ක", "é", "\n", "ab", "word", "<always>", "<s>"]
    for size in (0, 1, 2, 5, 90) * 12:
        text = "".join(rng.choices(parts, k=size)).encode()
        text = text[: rng.choice((-1, len(text)))]
        assert reference.encode_piece(text) == native.encode_piece(text), text
