"""What `wwho eval` compares: ASCII with the base of a model, and languages with each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluated import byte_model, hand_model, measured, opened, put_files

from wwho.artifact.write import write_model
from wwho.errors import CorpusError
from wwho.evaluate.encoder_wwho import WwhoEncoder
from wwho.evaluate.evaluate import evaluate
from wwho.evaluate.identity import SENTENCES, Identity
from wwho.evaluate.text import DataSet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put_files(tmp_path)


def test_identity_with_the_base(folder: Path) -> None:
    lines = [f"It's line {k}." for k in range(7)]
    (folder / "text.txt").write_text("\n".join([*lines, "", "  ", "මල"]), "utf-8")
    expected = [Identity(name, "bytes", SENTENCES, 7, 0) for name in ("hand", "super")]
    assert list(measured(folder, opened(folder, "super")).identities) == expected


def test_a_base_that_is_another_is_found_out(folder: Path) -> None:
    (folder / "bytes.wwho").write_bytes(write_model(byte_model(b"th")))
    (test,) = measured(folder).identities
    assert 0 < test.different <= SENTENCES


def test_a_model_without_a_base_at_hand(folder: Path) -> None:
    model = WwhoEncoder("hand", write_model(hand_model()))
    found = evaluate(model, [], [DataSet("text", str(folder / "text.txt"))], example_texts=[])
    assert found.identities == ()


def test_premium(folder: Path) -> None:
    (folder / "en.txt").write_text("ab\nab\n", "utf-8")
    (folder / "si.txt").write_text("මල\nමල\n", "utf-8")
    texts = [DataSet(name, str(folder / f"{name}.txt")) for name in ("en", "si")]
    found = measured(folder, parallel_texts=texts).parallel
    assert found is not None
    assert (found.reference, found.lines) == ("en", 2)
    en, si = found.languages
    assert en.premium == {"hand": 1.0, "bytes": 1.0}
    assert si.tokens == {"hand": 2, "bytes": 12}
    assert si.premium == {"hand": 0.5, "bytes": 3.0}


def test_parallel_texts_must_match(folder: Path) -> None:
    for name, lines in (("en", 2), ("si", 2), ("hi", 3), ("kn", 1)):
        (folder / f"{name}.txt").write_text("ab\n" * lines, "utf-8")
    texts = [DataSet(name, str(folder / f"{name}.txt")) for name in ("en", "si", "hi", "kn")]
    with pytest.raises(CorpusError, match="en has 2, but hi has 3, kn has 1"):
        measured(folder, parallel_texts=texts)
