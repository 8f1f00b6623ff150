"""`wwho serve` for tests: without its best compression, which takes 15 s of processor time.

tests/web/test_server.py tests that by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools" / "bench"))

import load

START = """
from wwho.cli.main import main
from wwho.serve.site_files import Site

Site.compress_best = lambda site: None
raise SystemExit(main())
"""
Running = load.Running


@contextmanager
def serving(log: Path, *options: str, before: str = "") -> Iterator[Running]:
    """A server on a free port that has run some Python before; see `load.serving`."""
    with load.serving(log, *options, wwho=("-c", before + START)) as running:
        yield running
