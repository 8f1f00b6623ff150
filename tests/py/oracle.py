"""tiktoken, run offline: its rank files are rebuilt from those that npm's js-tiktoken carries."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = str(ROOT / "tools")
if TOOLS not in sys.path:
    sys.path.insert(0, TOOLS)

NAMES = (
    *("o200k_base", "cl100k_base", "o200k_harmony"),
    *("gpt2", "r50k_base", "p50k_base", "p50k_edit"),
)
# These share ranks and pattern, and so their ids: long tests take one of each.
TWINS = {"o200k_harmony": "o200k_base", "gpt2": "r50k_base", "p50k_base": "p50k_edit"}


def rank_modules() -> Path:
    """The folder of js-tiktoken's ranks; skips the test where there is none.

    `npm ci` in tests/ puts them there; WWHO_NODE_MODULES names another node_modules folder.
    """
    modules = Path(os.environ.get("WWHO_NODE_MODULES", ROOT / "tests" / "node_modules"))
    ranks = modules / "js-tiktoken" / "dist" / "ranks"
    if not ranks.is_dir():
        pytest.skip(f"needs js-tiktoken's ranks, which are not in {ranks}: run 'npm ci' in tests/")
    return ranks


@cache
def rank_file(name: str) -> bytes:
    """The `.tiktoken` file of an encoding, its hash checked."""
    from gen_base import read_rank_file

    return read_rank_file(recipe_of(name), rank_modules())


def recipe_of(name: str) -> Any:
    """What tiktoken states of an encoding."""
    from gen_base import RECIPES

    return next(recipe for recipe in RECIPES if recipe.name == name)


@cache
def tiktoken_encoding(name: str) -> Any:
    """tiktoken's own encoding; skips the test where tiktoken or the ranks are missing."""
    tiktoken = pytest.importorskip("tiktoken", reason="needs tiktoken")
    from gen_base import make_cache_files

    data = rank_file(name)
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, {"TIKTOKEN_CACHE_DIR": folder}),
    ):
        for file, content in make_cache_files(recipe_of(name), data).items():
            (Path(folder) / file).write_bytes(content)
        return tiktoken.get_encoding(name)
