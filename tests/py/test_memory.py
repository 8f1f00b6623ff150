"""Whatever is done, and however often, leaves memory where it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).with_name("check_memory.py")
MOST = 350_000  # bytes: ten for each encoding, far fewer than an opened artifact takes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.mark.parametrize(
    ("work", "times"),
    [
        ("encode", 35_000),
        ("methods", 3_500),
        ("batches", 1_000),
        ("long_texts", 18),
        ("open_smallest", 3_500),
        ("open_and_use", 85),
        ("open_broken", 7_000),
    ],
)
def test_memory_does_not_grow(work: str, times: int) -> None:
    command = [sys.executable, str(CHECK), work, str(times)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MOST
