"""The compiled patterns of wwho/import are what tools/gen_import_patterns.py makes."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "gen_import_patterns.py"


def test_patterns_are_current() -> None:
    tool = runpy.run_path(str(TOOL))
    files, table = tool["generate"]()
    assert tool["TABLE"].read_text("utf-8") == table, f"{TOOL.name} brings it up to date"
    found = {path.stem: path.read_bytes() for path in tool["FOLDER"].iterdir()}
    assert found.keys() == files.keys()
    assert found == files
