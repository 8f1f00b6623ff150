"""Training on SCRIPT's symbols, with characters kept whole or not: the reference's merges."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from script_reference import trained
from test_script import TEXTS, VARIANTS, config

import wwho
from wwho.cli.main import main
from wwho.format.bpe import BPE
from wwho.format.losses import losses
from wwho.format.read import read_artifact
from wwho.train import train

LINES = [line for text in TEXTS[:-1] for line in text.split("\n") if line]
ASSIGNED = [line for line in LINES if not set(line) & set("\u0378\ue000\U0010ffff\ufffe")]
Constraint = Literal["none", "character"]
WIDE = "a\u0378\ue000 \U000e0001 \ufffe\uffff e\u0301 漢\x01\x00 हिन्दी"


def blob_of(tokenizer: wwho.Tokenizer) -> bytes:
    """The tokenizer's file."""
    return tokenizer._blob


def merges_of(tokenizer: wwho.Tokenizer, n_symbols: int) -> list[tuple[int, int]]:
    """What was learnt, numbered from the first symbol."""
    artifact = read_artifact(blob_of(tokenizer))
    model = artifact.models[0]
    assert isinstance(model, BPE)
    if n_symbols == 256:
        return list(model.merges)
    return [(left - 256, right - 256) for left, right in model.merges[n_symbols:]]


@pytest.mark.parametrize("constraint", ["none", "character"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_merges_are_those_of_the_reference(variant: str, constraint: Constraint) -> None:
    name, regex = VARIANTS[variant]
    found: dict[str, Any] = {} if variant.startswith("bytes") else dict(config())
    found |= {"enforce_char_boundaries": constraint == "character"} | (
        {"regex": regex} if regex else {}
    )
    n_merges, n_symbols = 200, 256 if variant.startswith("bytes") else 1448 + 468
    lines = [line for line in ASSIGNED if line.isascii() or wwho_nfc(line) == line]
    texts = [line + "\n" for line in lines]  # as a file has them
    theirs = trained({"class": name, "config": found}, texts, n_merges)["merge_rules"]
    ours = 256 if n_symbols == 256 else n_symbols + 256
    tokenizer = train(
        lines,
        schemas=[],
        atoms="byte" if n_symbols == 256 else "script",
        pattern=regex or "script",
        vocab_size=ours + n_merges,
        min_freq=1,
        merge_constraint=constraint,
        specials=[],
    )

    def number(token: int) -> int:
        return token - 1 if token <= n_symbols else token - 1 + ours - n_symbols

    expected = [tuple(map(number, rule["tokens_from"])) for rule in theirs]
    assert merges_of(tokenizer, ours) == expected


def wwho_nfc(text: str) -> str:
    from wwho.normalize import nfc

    return nfc(text.encode()).decode()


@pytest.mark.parametrize("pattern", ["script", "o200k", "cl100k", "none", r"\w+|\W"])
@pytest.mark.parametrize("encoding", ["byte", "script"])
def test_own_models_lose_nothing(encoding: str, pattern: str) -> None:
    tokenizer = train(
        LINES, schemas=[], atoms=encoding, pattern=pattern, vocab_size=2600, min_freq=2
    )
    blob = blob_of(tokenizer)
    broken = b"\xff\xf5\x02 \xf5 a\xc3 \xed\xa0\x80 \xf0\x9f " + bytes(range(256))
    for backend in ("native", "reference"):
        enc = wwho.Tokenizer(blob, backend=backend)
        for text in (*TEXTS[:-1], WIDE):
            assert enc.decode(enc.encode(text)) == text
        assert enc.decode_bytes(enc.encode(broken)) == broken
        assert enc.encode(WIDE) == tokenizer.encode(WIDE)


def test_normalize_and_provenance() -> None:
    options: dict[str, Any] = {"schemas": [], "atoms": "script", "pattern": "script"}
    tokenizer = train(
        LINES, **options, vocab_size=2300, normalize="nfc", merge_constraint="character"
    )
    record = read_artifact(blob_of(tokenizer)).provenance
    assert record["pattern"] == "script"
    blocks = record["script_blocks"].split("\n")  # by the paper's ids, which begin at 1
    assert int(record["script_indices"]) + blocks.index("Sinhala LM") + 1 == 1639
    assert "atoms script, merge_constraint character" in record["training"]
    assert tokenizer.decode(tokenizer.encode("e\u0301")) == "é"
    again = train(
        LINES[::-1], **options, vocab_size=2300, normalize="nfc", merge_constraint="character"
    )
    assert read_artifact(blob_of(again)).models == read_artifact(blob_of(tokenizer)).models
    assert losses(read_artifact(blob_of(tokenizer))) == (
        "characters become their canonical forms, as in NFC and NFD",
    )


def test_syllables_above_symbols_in_one_file(tmp_path: Path) -> None:
    base = train(LINES, schemas=[], atoms="script", pattern="script", vocab_size=2300)
    base.save(tmp_path / "base.wwho")
    found = train(
        ["ගම ගම"], schemas=["sinhala"], base=tmp_path / "base.wwho", vocab_size=90, prune=2
    )
    artifact = read_artifact(blob_of(found))
    assert losses(artifact) == ()
    assert artifact.provenance["script_indices"] == "1448"
    rare, text = "\u0d9e\u0dca\u0d9e", f"{TEXTS[0]} ගම \ue000"
    ids = found.encode(rare)  # a syllable without an id
    assert ids == base.encode(rare)
    assert len(ids) == 6
    assert max(ids) < base.n_vocab <= max(found.encode("ගම"))
    for backend in ("native", "reference"):
        enc = wwho.Tokenizer(blob_of(found), backend=backend)
        assert enc.encode_with_offsets(text) == found.encode_with_offsets(text)
        assert enc.decode(enc.encode(text + rare)) == text + rare


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"atoms": "syllable", "merge_constraint": "character"}, "whole characters"),
        ({"atoms": "byte", "merge_constraint": "word"}, "it must be 'none' or 'character'"),
        ({"atoms": "script", "schemas": ["sinhala"]}, "leave them out"),
        ({"atoms": "script", "base": "o200k_base"}, "the base must be the 256 bytes"),
        ({"atoms": "script", "vocab_size": 300}, "2172 symbols"),
        ({"atoms": "script", "pattern": "nope"}, "script, none"),
    ],
)
def test_what_does_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(["ගම a"], **({"vocab_size": 3000} | options))


def test_command(tmp_path: Any) -> None:
    corpus, model = tmp_path / "c.txt", tmp_path / "m.wwho"
    corpus.write_text("\n".join(LINES), "utf-8")
    options = "--encoding script --pattern script --merge-constraint character --vocab-size 2300"
    for form, text in (("none", "e\u0301"), ("nfc", "é")):
        line = ["train", *options.split(), "--normalize", form, "-o", str(model), str(corpus)]
        assert main(line) == 0
        assert main(["verify", str(model)]) == 0
        tokenizer = wwho.Tokenizer.load(model)
        assert tokenizer.decode(tokenizer.encode("e\u0301")) == text
