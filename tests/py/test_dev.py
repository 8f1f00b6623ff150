"""tools/dev.py: the lane for every day, and what `test` prints at its end."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

@pytest.mark.parametrize("number", [1, 2, 3])
def test_cases(number): pass

@pytest.mark.slow
def test_slow(): pass

def test_page(browser): pass
def test_another_page(browser): pass
def test_plain(): pass
"""


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("dev")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--quick",), ["test_cases[1]", "test_page", "test_plain"]),
        (
            (),
            [
                *("test_cases[1]", "test_cases[2]", "test_cases[3]"),
                *("test_slow", "test_page", "test_another_page", "test_plain"),
            ],
        ),
    ],
    ids=["quick", "all"],
)
def test_quick_keeps_a_part_of_each_file(
    tmp_path: Path, options: tuple[str, ...], names: list[str]
) -> None:
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / name).write_text(TESTS, "utf-8")
    pytest_ = (sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"))
    only = ("-p", "tests.conftest", "-p", "no:cacheprovider", "--collect-only", "-q")
    command = [*pytest_, *only, *options, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = [line.split("::") for line in done.stdout.splitlines() if "::" in line]
    assert [(Path(file).name, name) for file, name in found] == [
        (file, name) for file in ("test_a.py", "test_b.py") for name in names
    ], done.stdout + done.stderr


def test_the_slowest_tests_of_all_lanes_are_named_in_order(
    dev: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    first = b"..\n1.50s call     tests/py/test_a.py::test_a[1-2]\n0.20s setup    tests/py/a.py::b\n"
    second = b"== slowest 25 durations ==\n10.00s teardown tests/web/c.py::d\n12 passed in 9.1s\n"
    dev.print_slowest([dev.Check("one", 0, first), dev.Check("two", 1, second)])
    assert capsys.readouterr().out.splitlines() == [
        "== The slowest tests",
        "    10.0 s tests/web/c.py::d",
        "     1.5 s tests/py/test_a.py::test_a[1-2]",
        "     0.2 s tests/py/a.py::b",
    ]


def test_a_command_shows_what_it_printed_only_where_it_fails(
    dev: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "print('told'); raise SystemExit({code})"
    dev.run_or_exit([sys.executable, "-c", script.format(code=0)])
    assert capfd.readouterr() == ("", "")
    with pytest.raises(SystemExit, match="This failed: "):
        dev.run_or_exit([sys.executable, "-c", script.format(code=3)])
    assert capfd.readouterr().err == "told\n"
    assert dev.run_with_progress(["/no/such/program"])[0] == 127
