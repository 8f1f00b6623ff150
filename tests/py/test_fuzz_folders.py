"""Random model folders beside AutoTokenizer: a short run of tests/fuzz/folders.py.

WWHO_FUZZ_FOLDERS says how many folders; a long run is 5,000. With WWHO_EXHAUSTIVE the folders are
others each day.
"""

from __future__ import annotations

import os
import random
import sys

import oracle
import pytest
from exhaustive import SEED

pytest.importorskip("sentencepiece", reason="needs sentencepiece")
pytest.importorskip("transformers", reason="needs transformers")
sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import folder_files
import folders

from wwho.importers.transformers import components, wordpiece
from wwho.importers.transformers.classes import CLASSES

FOLDERS = 24


@pytest.mark.slow
def test_random_folders() -> None:
    count = int(os.environ.get("WWHO_FUZZ_FOLDERS", FOLDERS))
    outcome = folders.run(SEED, count)
    assert outcome.differences == []
    assert outcome.classes.total() > count / 2


def test_every_class_gets_the_files_that_it_reads() -> None:
    for name in folder_files.NAMES:
        files = folder_files.files_of(random.Random(name), name)
        for needed in CLASSES[name].files:
            assert needed.endswith("?") or {*needed.split(" or ")} & files.keys(), name


@pytest.mark.slow
def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """If BERT's post-processor forgot the types, one of eight folders would show it."""
    plain = components.template_processing

    def without_types(single: str, pair: str, ids: dict[str, int]) -> components.Component:
        """Return the post-processor with all types 0."""
        return plain(single, pair.replace(":1", ":0"), ids)

    monkeypatch.setattr(wordpiece, "template_processing", without_types)
    assert folders.run("1", 8, ["BertTokenizer"]).differences
