"""A tokenizer.json imported in JavaScript: the bytes and the report of Python, or handed to it.

What is handed over is counted, so that JavaScript cannot come to read less and nobody sees it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from packaged import ROOT, missing, run

sys.path += [str(ROOT / "tests" / folder) for folder in ("py", "fuzz")]
import byte_level_documents
import documents
from exhaustive import EXHAUSTIVE, SEED
from importers import damage

import wwho
from wwho.errors import ExportError, WwhoError
from wwho.exporters import export
from wwho.format.losses import losses
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.importers import Options, import_file

COUNT = 2000 if EXHAUSTIVE else 150
PUBLISHED = ROOT / "tests" / "tokenizers" / "node_modules" / "@lenml"
BYTE_LEVEL = (
    *("claude", "command_r_plus", "deepseek_v3", "gpt4o", "gptoss", "llama3_2", "mistral_nemo"),
    "qwen2_5",
)
OTHERS = ("baichuan2", "chatglm3", "gemma3", "internlm2", "llama2", "yi")


def in_javascript(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """What JavaScript does with each folder; made.wwho is what it writes there."""
    if shutil.which("node") is None:
        missing("node", "install Node.js 20 or later")
    listed = folders[0].parent / "folders.json"
    listed.write_text(json.dumps(list(map(str, folders))), "utf-8")
    program = ROOT / "tests" / "web" / "importing-json.mjs"
    said = run("node", program, listed, cwd=ROOT)
    return [json.loads(line) for line in said.splitlines()]


def in_python(folder: Path) -> tuple[bytes, dict[str, Any]] | None:
    """The bytes and the report of an import; None if the file is refused."""
    try:
        found = import_file(folder / "tokenizer.json", Options(name="made"))
        data = write_artifact(found.artifact)
    except (WwhoError, ValueError):
        return None
    lost = losses(found.artifact)
    report = {"kind": found.kind, "engine": found.engine, "notes": found.notes, "losses": lost}
    return data, json.loads(json.dumps(report))


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def compared(folders: Sequence[Path]) -> Counter[str]:
    """How many were imported alike, and why the others were handed over, each with its number."""
    counts: Counter[str] = Counter()
    for folder, said in zip(folders, in_javascript(folders), strict=True):
        assert "failed" not in said, (folder, said)
        if "refused" in said:
            counts[said["refused"].partition(", at byte")[0]] += 1
            continue
        expected = in_python(folder)
        assert expected is not None, f"{folder}: Python refuses it"
        assert (folder / "made.wwho").read_bytes() == expected[0], folder
        assert said["report"] == expected[1], folder
        counts["alike"] += 1
    return counts


@pytest.mark.slow
def test_random_documents(tmp_path: Path) -> None:
    folders = [
        written(tmp_path / str(k), byte_level_documents.files(f"{SEED} {k}")) for k in range(COUNT)
    ]
    counts = compared(folders)
    assert counts["alike"] >= 0.45 * COUNT, counts.most_common()
    assert len(counts) > 8, counts


def test_documents_of_other_models(tmp_path: Path) -> None:
    folders = []
    for k in range(COUNT):
        made = json.dumps(documents.document(k)).encode()
        folders.append(written(tmp_path / str(k), {"tokenizer.json": made}))
    counts = compared(folders)
    assert counts.total() == COUNT


@pytest.mark.slow
def test_damaged_documents(tmp_path: Path) -> None:
    """Never other bytes than Python's, and none where Python finds a fault."""
    folders = []
    for k in range(2 * COUNT):
        rng = documents.Random(f"damaged {SEED} {k}")
        files = byte_level_documents.files(f"{SEED} {k % 20}")
        beside = "tokenizer_config.json" in files and rng.maybe(0.3)
        name = "tokenizer_config.json" if beside else "tokenizer.json"
        files[name] = damage(rng, files[name])
        folders.append(written(tmp_path / str(k), files))
    counts = compared(folders)
    assert counts["alike"] > 0.05 * COUNT, counts


@pytest.mark.slow
def test_what_wwho_exports(tmp_path: Path) -> None:
    """Each shipped encoding that a tokenizer.json can hold is read again, as all are byte-level."""
    folders = []
    for name in wwho.list_encoding_names():
        artifact = read_artifact((ROOT / "py" / "wwho" / "models" / f"{name}.wwho").read_bytes())
        try:
            exported = export(artifact, "tokenizer.json")
        except ExportError:
            continue
        folders.append(written(tmp_path / name, {"tokenizer.json": exported.data}))
    found = {folder.name for folder in folders}
    assert found >= {"gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base"}
    assert compared(folders) == {"alike": len(folders)}


@pytest.mark.slow
@pytest.mark.parametrize("name", BYTE_LEVEL if EXHAUSTIVE else BYTE_LEVEL[:1])
def test_published_tokenizers(tmp_path: Path, name: str) -> None:
    folder = published(tmp_path, name)
    assert compared([folder]) == {"alike": 1}


@pytest.mark.slow
def test_published_tokenizers_that_are_not_byte_level(tmp_path: Path) -> None:
    folders = [published(tmp_path, name) for name in (OTHERS if EXHAUSTIVE else OTHERS[-1:])]
    assert compared(folders)["alike"] == 0


def published(tmp_path: Path, name: str) -> Path:
    """A published tokenizer, with its tokenizer_config.json, in a folder of its own."""
    source = PUBLISHED / f"tokenizer-{name}" / "models"
    if not source.is_dir():
        pytest.skip("needs the published tokenizers: python3 tools/dev.py test fetches them")
    shutil.copytree(source, tmp_path / name)
    return tmp_path / name
