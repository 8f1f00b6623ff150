"""Random pipelines of Hugging Face's tokenizers: a short run of tests/fuzz/pipelines.py.

WWHO_FUZZ_PIPELINES says how many texts; a day's run is 50,000. With WWHO_EXHAUSTIVE the pipelines
are others each day.
"""

from __future__ import annotations

import json
import os
import random
import sys

import oracle
import pytest
from exhaustive import SEED

pytest.importorskip("tokenizers", reason="needs tokenizers")
sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import pipelines

from wwho.compile.codepoints import CodePointSet
from wwho.importers import Options, Source
from wwho.importers.huggingface import decoders, normalizers, post_processors, pre_tokenizers
from wwho.importers.huggingface.pre_tokenizers import bert, punctuation
from wwho.importers.huggingface.read import make

TEXTS = 4000


@pytest.mark.slow
def test_random_pipelines() -> None:
    outcome = pipelines.run(SEED, int(os.environ.get("WWHO_FUZZ_PIPELINES", TEXTS)))
    assert outcome.differences == []
    refused = outcome.kinds.total() - outcome.kinds["compared"]
    assert refused < outcome.kinds["compared"] / 4


def test_two_normal_forms_and_what_stands_between_them() -> None:
    """The accent that a Replace makes of a letter composes with the letter before it."""
    import tokenizers

    made = pipelines.document("1 0")
    replaced = {"type": "Replace", "pattern": {"String": "é"}, "content": "\u0301"}
    parts = [{"type": "NFC"}, replaced, {"type": "NFC"}]
    made["normalizer"] = {"type": "Sequence", "normalizers": parts}
    made |= {"pre_tokenizer": None, "post_processor": None, "added_tokens": []}
    made["model"] = pipelines.characters_model(random.Random(1))
    theirs = tokenizers.Tokenizer.from_str(json.dumps(made))
    found = make(made, Source("x.json", b""), Options(), "")
    ours = pipelines.Ours(found.artifact)
    for text in ("ae\u0301", "a", "é", "bé", "aéé\u0323", "e\u0301e\u0301"):
        expected = theirs.encode(text)
        assert ours.encode(text) == [*zip(expected.ids, expected.offsets, strict=True)]


def test_all_kinds_are_tried() -> None:
    assert pipelines.NORMALIZERS.keys() == normalizers.STEPS.keys()
    assert pipelines.PRE_TOKENIZERS.keys() == pre_tokenizers.STEPS.keys()
    assert pipelines.POST_PROCESSORS.keys() == post_processors.PROCESSES.keys()
    assert pipelines.DECODERS.keys() == decoders.STEPS.keys()


@pytest.mark.slow
def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """If this importer took a comma for a letter, the first hundred pipelines would show it."""
    signs = punctuation.PUNCTUATION - CodePointSet.of(",")
    for module in (punctuation, bert):
        monkeypatch.setattr(module, "PUNCTUATION", signs)
    assert pipelines.run("1", 800).differences
