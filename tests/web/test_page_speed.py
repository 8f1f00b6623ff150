"""How much the demo page asks of the network, and the benchmark of its keys."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from demo_page import opened

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]
BUDGET = 800_000  # bytes transferred


def test_the_page_is_small(page: Any, address: str) -> None:
    """What the page asks for, with o200k_base on both sides, compressed as a server does it."""
    brotli = pytest.importorskip("brotli", reason="brotli is not installed")
    fetched: dict[str, bytes] = {}

    def keep(response: Any) -> None:
        if response.status == 200:
            fetched[response.url] = response.body()

    page.on("response", keep)
    opened(page, address)
    page.wait_for_load_state("networkidle")
    size = {
        url: len(brotli.compress(body, quality=11))
        for url, body in fetched.items()
        if "/models/" not in url or url.endswith("/o200k_base.wwho")
    }
    assert any(url.endswith("/o200k_base.wwho") for url in size)
    assert any(url.endswith("/wwho.wasm") for url in size)
    assert any(url.endswith("/page/worker.js") for url in size)
    assert sum(size.values()) <= BUDGET, size


def test_the_benchmark_runs(tmp_path: Path) -> None:
    """tools/bench/page.py, on a few keys; what it measures belongs to the machine."""
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    out = tmp_path / "times.json"
    command = [sys.executable, str(ROOT / "tools" / "bench" / "page.py"), "--keys", "3"]
    command += ["--text", "hindi", "--json", str(out)]
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    rows = json.loads(out.read_text("utf-8"))
    assert [row["a"] for row in rows] == ["wwho_328k", "wwho_super_328k"]
    assert all(row["paint_median"] > 0 and row["tokens_median"] > 0 for row in rows)
