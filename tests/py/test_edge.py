"""The example for edge devices: the ids are right, and it needs the memory that its page says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import wwho

wasmtime = pytest.importorskip("wasmtime", reason="needs wasmtime")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tools" / "examples" / "edge.py"
PAGE = EXAMPLE.with_name("README.md").read_text("utf-8")
CORE = ROOT / "web" / "package" / "wwho.wasm"
MODELS = ROOT / "py" / "wwho" / "models"
SIZES = (4 << 10, 64 << 10, 1 << 20)
OpenEncoder = Callable[..., Callable[[bytes], list[int]]]
TEXTS = ("ඔයා 1 special अद्भुत", "", "ගමේ\0පාසල \ufffd\U0010ffff", "word " * 800)
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)


@pytest.fixture
def open_encoder(monkeypatch: pytest.MonkeyPatch) -> OpenEncoder:
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    from edge import open_encoder

    return open_encoder


def test_it_is_short_and_needs_the_engine_alone() -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    assert len(lines) <= 40
    imported = {line.split()[1] for line in lines if line.startswith(("import ", "from "))}
    assert imported == {"collections.abc", "pathlib", "typing", "wasmtime"}
    engine = wasmtime.Engine()
    assert wasmtime.Module.from_file(engine, str(CORE)).imports == []


@pytest.mark.parametrize("name", wwho.list_encoding_names())
def test_ids(open_encoder: OpenEncoder, name: str) -> None:
    encode = open_encoder(str(CORE), str(MODELS / f"{name}.wwho"))
    for text in TEXTS:
        assert encode(text.encode()) == wwho.get_encoding(name).encode(text)


def test_errors(open_encoder: OpenEncoder, tmp_path: Path) -> None:
    broken = tmp_path / "broken.wwho"
    broken.write_bytes((MODELS / "cl100k_base.wwho").read_bytes()[:-4])
    with pytest.raises(ValueError, match="wwho_workspace_size returned status"):
        open_encoder(str(CORE), str(broken))
    encode = open_encoder(str(CORE), str(MODELS / "cl100k_base.wwho"), 8)
    with pytest.raises(ValueError, match="9 bytes are more than 8"):
        encode(b"nine char")


@pytest.mark.slow
def test_memory_is_what_the_page_says(open_encoder: OpenEncoder) -> None:
    """To a tenth: the core grows and shrinks a little with every change."""
    stated = {name: [float(number) for number in rest] for name, *rest in ROW.findall(PAGE)}
    assert list(stated) == wwho.list_encoding_names()
    found = {name: measured(open_encoder, name) for name in stated}
    page = "\n".join(f"| `{name}` | {' | '.join(map(str, row))} |" for name, row in found.items())
    for name, row in found.items():
        assert row == pytest.approx(stated[name], rel=0.1), f"the table is now\n{page}"


def test_the_readme_gives_the_range_of_the_page() -> None:
    """With 64 KiB of text."""
    sizes = [float(row[3]) for row in ROW.findall(PAGE)]
    range_ = f"in {min(sizes):.0f} to {max(sizes):.0f} MiB"
    assert range_ in (ROOT / "README.md").read_text("utf-8")


def measured(open_encoder: OpenEncoder, name: str) -> list[float]:
    """MiB of the file, and of the engine's memory after texts of each size."""
    path = MODELS / f"{name}.wwho"
    found = [path.stat().st_size]
    for size in SIZES:
        encode = open_encoder(str(CORE), str(path), size)
        encode(("ගමේ school " * size).encode()[:size])
        inside = inspect.getclosurevars(encode).nonlocals
        found.append(inside["memory"].data_len(inside["store"]))
    return [round(size / 2**20, 1) for size in found]
