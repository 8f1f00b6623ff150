"""Random tokenizer.json documents give the ids and texts of Hugging Face's tokenizers."""

from __future__ import annotations

import pytest

pytest.importorskip("tokenizers", reason="needs tokenizers")
from documents import compare, document, texts_for

N = 120


def test_random_documents() -> None:
    said = {}
    for seed in range(N):
        made = document(seed)
        said[seed] = compare(made, texts_for(seed, made))
    assert [each for each in said.items() if each[1].startswith("differs")] == []
    assert sum(each == "equal" for each in said.values()) > N / 2
