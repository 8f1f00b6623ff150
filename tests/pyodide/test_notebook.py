"""web/site/wwho.ipynb: what it shows is what running it gives, natively and in Pyodide."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import notebook
import pytest
from exhaustive import EXHAUSTIVE
from releases import ROOT, Release, in_node

PATH = ROOT / "web" / "site" / "wwho.ipynb"
NOTEBOOK = json.loads(PATH.read_text("utf-8"))
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
SHOWN = [cell["outputs"] for cell in CODE]


def test_it_is_a_notebook() -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    nbformat.validate(nbformat.from_dict(NOTEBOOK))
    assert len(CODE) > 4
    assert [cell["execution_count"] for cell in CODE] == list(range(1, len(CODE) + 1))
    assert all(SHOWN)


def test_natively() -> None:
    # In a thread of its own: Playwright's loop may run in this one.
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, notebook.outputs(PATH)).result() == SHOWN


@pytest.mark.parametrize(
    ("release", "index"), [("314", "any"), *([("0.29", "all")] if EXHAUSTIVE else [])]
)
def test_in_pyodide(
    release: str, index: str, releases: dict[str, Release], job_of: Callable[..., dict[str, Any]]
) -> None:
    """Its first cell installs wwho by name."""
    code = "import json, notebook; json.dumps(await notebook.outputs('/checks/wwho.ipynb'))"
    job = job_of(release, index, code)
    assert json.loads(in_node(job, releases[release])) == SHOWN
