"""Ray counts, trains and tokenizes, on this machine, as one process does."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.shards import tokenize
from wwho.train import train

ray = pytest.importorskip("ray", reason="needs ray")
EXAMPLES = Path(__file__).parents[2] / "tools" / "examples"
TEXTS = ["hello world", "ගමේ පාසල", "ගමේ පාර", "हिन्दी में एक वाक्य"]


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    """Two workers, which import the package as this process does."""
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        from ray_executor import RayExecutor

        # Nothing is written into the user's folder, and nothing sent.
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
            object_store_memory=100 << 20,
            runtime_env={"env_vars": variables},
        )
        with RayExecutor() as pool:
            yield pool
        ray.shutdown()


def sums_of(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file of a folder of shards."""
    files = (path for path in folder.iterdir() if path.is_file())
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.slow
def test_ray_gives_the_bytes_of_one_process(
    tmp_path: Path, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for number, file in enumerate(files):
        texts = [f"{TEXTS[k % len(TEXTS)]} {number} {k}" for k in range(400)]
        lines = (json.dumps({"text": text}, ensure_ascii=False) for text in texts)
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    corpus = Corpus(files)
    options: dict[str, Any] = {"eos": "<|endoftext|>", "shard_size": 8000}
    tokenize(corpus, "cl100k_base", tmp_path / "one", processes=1, **options)
    tokenize(corpus, "cl100k_base", tmp_path / "ray", executor=executor, **options)
    wanted = sums_of(tmp_path / "one")
    assert sums_of(tmp_path / "ray") == wanted
    assert len(wanted) > 5
    monkeypatch.setattr("wwho.train.count_elsewhere.TASK_BYTES", 8000)
    options = {"schemas": ["sinhala"], "base": "r50k_base", "prune": 1, "vocab_size": 12}
    alone = train(corpus, processes=1, **options)
    together = train(corpus, executor=executor, **options)
    assert sha256(together._blob).digest() == sha256(alone._blob).digest()
    files[1].open("a").write("{")
    with pytest.raises(CorpusError, match=r"1\.jsonl.*not valid JSON"):
        train(corpus, executor=executor, **options)
