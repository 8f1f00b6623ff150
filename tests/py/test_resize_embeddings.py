"""The example that resizes a model: rows that are means begin with less loss than random ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers

EXAMPLES = Path(__file__).parents[2] / "tools" / "examples"
WORDS = ["ගම", "ගමේ", "පාසල", "පාර", "ගෙදර", "අම්මා", "තාත්තා", "වැස්ස", "school", "road", "rain", "home"]


@pytest.mark.slow
def test_means_are_better_than_random_rows(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    from resize_embeddings import compare, extended_rows

    drawn = random.Random(1)
    lines = [" ".join(drawn.choices(WORDS, k=8)) for _ in range(300)]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n", "utf-8")
    old = tokenizers.ByteLevelBPETokenizer()
    old.train_from_iterator(lines, 290, show_progress=False)
    old.save(str(tmp_path / "old.json"))
    given = ("--extend", tmp_path / "old.json", "--schema", "sinhala", "--prune", "1")
    out, text = tmp_path / "new.wwho", tmp_path / "text.txt"
    assert cli("train", *given, "--vocab-size", "24", "-o", out, text).code == 0
    means, of_random = compare(str(tmp_path / "old.json"), str(out), str(text))
    assert 0 < means < of_random - 0.2

    table = json.loads((tmp_path / "new.embeddings.json").read_text())
    rows = np.random.default_rng(1).standard_normal((len(table) + 400, 3)).astype(np.float32)
    found = extended_rows(rows, table)
    first = min(map(int, table))
    assert len(found) == first + len(table)
    assert np.array_equal(found[:first], rows[:first])
    for token, theirs in table.items():
        assert np.allclose(found[int(token)], np.mean([rows[each] for each in theirs], axis=0))
