"""Batches of which tokens are drawn: the vectors that JavaScript has, too."""

from __future__ import annotations

import base64
import json
from typing import Any

import oracle
import pytest

from wwho import Tokenizer
from wwho.backends.select import BackendName

BACKENDS: list[BackendName] = ["native", "reference"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_draws_what_the_vectors_have(backend: BackendName) -> None:
    """tests/vectors/drawn.json, of a Unigram model, and of one beside a BPE model."""
    path = oracle.ROOT / "tests" / "vectors" / "drawn.json"
    for model in json.loads(path.read_text("ascii")):
        enc = Tokenizer.from_bytes(base64.b64decode(model["file"]), backend=backend)
        for line in model["lines"]:
            sample = tuple(line["sample"]) if line["sample"] else None
            options: dict[str, Any] = {"dropout": line["dropout"], "sample": sample}
            found = enc.encode_batch(line["texts"], seed=int(line["seed"]), **options)
            assert found == line["ids"]
