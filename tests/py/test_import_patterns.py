"""What wwho/import has in files of its own is what tools make: patterns, and kinds of files."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "gen_import_patterns.py"
KINDS = ROOT / "tools" / "gen_import_kinds.py"


def test_patterns_are_current() -> None:
    tool = runpy.run_path(str(TOOL))
    files, table = tool["generate"]()
    assert tool["TABLE"].read_text("utf-8") == table, f"{TOOL.name} brings it up to date"
    found = {path.stem: path.read_bytes() for path in tool["FOLDER"].iterdir()}
    assert found.keys() == files.keys()
    assert found == files


def test_kinds_are_current() -> None:
    tool = runpy.run_path(str(KINDS))
    assert tool["TABLE"].read_text("utf-8") == tool["generate"](), f"run {KINDS.name}"
