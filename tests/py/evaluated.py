"""A model, a base and a text so small that every figure about them can be worked out by hand.

The base is the 256 bytes. The model adds ids 256 [UNK]; 257 ' ක', 258 'ක', 259 'ම', 260 'ල' and
261 '්' (atoms); 262 'මල' (a merge); 263, the lone space. With a superword, that is 263, 'මල ක',
and the lone space is 264.

    line     tokens of the model                          syllables  characters  bytes
    මල ක     262 | 257; with a superword, 263             3          4           10
    ab කි     97 98 | 32 and the six bytes of කි             1          5           9
                                                          0          0           0
    ab ම     97 98 | 263 259                              1          4           6
    ්         261                                          0          1           3
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from wwho.assemble.base import base_model
from wwho.assemble.training_artifacts import special_ids, trained_model, unit_model, with_merges
from wwho.compile.schema_loader import load_schema
from wwho.evaluate.encoders import Encoder, open_baseline, open_model
from wwho.evaluate.evaluation import evaluate
from wwho.evaluate.results import Evaluation
from wwho.evaluate.text_blocks import DataSet
from wwho.format.model import Artifact
from wwho.format.write import write_artifact

LINES = ["මල ක", "ab කි", "", "ab ම", "්"]
TEXT = "".join(f"{line}\n" for line in LINES)
ATOMS = (" ක", "ක", "ම", "ල", "්")


def byte_model(*more: bytes, name: str = "bytes") -> Artifact:
    """The bytes, and perhaps some tokens more."""
    return base_model(
        [*(bytes([byte]) for byte in range(256)), *more],
        pattern=r"\s?\w+|\s+|[^\s\w]+",
        specials={},
        provenance={"name": name},
    )


def hand_model() -> Artifact:
    """The model."""
    base = byte_model()
    return trained_model(
        [load_schema("sinhala")],
        base,
        specials=special_ids(base, ["[UNK]"]),
        atoms=tuple(text.encode() for text in ATOMS),
        merges=[(ATOMS.index("ම"), ATOMS.index("ල"))],
        provenance={"name": "hand", "base:name": "bytes"},
    )


def super_model() -> Artifact:
    """The model, and the superword."""
    model = hand_model()
    left, right = len(ATOMS), ATOMS.index(" ක")
    model = with_merges(model, [*unit_model(model).merges, (left, right)], 1)
    return replace(model, provenance={**model.provenance, "name": "super"})


def put_files(folder: Path) -> Path:
    """Write hand.wwho, super.wwho, bytes.wwho and text.txt into a folder, which is given back."""
    (folder / "super.wwho").write_bytes(write_artifact(super_model()))
    (folder / "hand.wwho").write_bytes(write_artifact(hand_model()))
    (folder / "bytes.wwho").write_bytes(write_artifact(byte_model()))
    (folder / "text.txt").write_text(TEXT, "utf-8")
    return folder


def measured(folder: Path, *baselines: Encoder, **options: object) -> Evaluation:
    """What is found of text.txt with hand.wwho, beside these and bytes.wwho."""
    model = open_model(str(folder / "hand.wwho"), unk=options.pop("unk", "spell"))  # type: ignore[arg-type]
    return evaluate(
        model,
        [*baselines, open_baseline(str(folder / "bytes.wwho"))],
        [DataSet("text", str(folder / "text.txt"))],
        example_texts=["මල කි"],
        **options,  # type: ignore[arg-type]
    )


def put_long_text(folder: Path) -> Path:
    """Write long.txt, which language models can learn from, into a folder, which is given back."""
    words = ["මල", "කවි", "ab", "ම", "ලක", "ba"]
    random = np.random.default_rng(5)
    lines = [" ".join(random.choice(words, random.integers(1, 9))) for _ in range(300)]
    (folder / "long.txt").write_text("\n".join(lines), "utf-8")
    return folder


def opened(folder: Path, name: str) -> Encoder:
    """One of the models of a folder, to compare with."""
    return open_baseline(str(folder / f"{name}.wwho"))
