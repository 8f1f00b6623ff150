"""What the Python tests share: the corpora, Chromium, and the `wwho` command run in this process.

The tests run against the installed package; `python3 tools/dev.py test` installs it.
"""

from __future__ import annotations

import gc
import io
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from exhaustive import EXHAUSTIVE
from hypothesis import HealthCheck, settings

# Modules of tests/py that check, so that pytest shows what they compared.
pytest.register_assert_rewrite("corelib", "vector_checks")

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT.parent / "shared" / "corpora"
PATIENCE_MS = 600_000  # until a page is given up that does in a second what it is to do
# The first draws pages and nothing around them: a test takes half the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]

# Suites run side by side, and NumPy's threads wait for each other where the cores are busy: with
# two, the tests of decoders took four times the processor time. NumPy is not imported yet.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would every program
# that they start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more of the machine and its other users than of the code.
settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=not EXHAUSTIVE,  # two runs of one tree end alike
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")

# What the tests of these share takes long to make. Where processes take tests from each other, they
# take them from the end: these stay together, and none of them is the last.
FIRST = ("test_wheel.py", "test_fuzz.py", "test_gguf.py")


def pytest_collection_finish() -> None:
    """Keep the collector off the modules: imports of real models make millions of tuples.

    With it at its defaults, such an import takes a fifth longer.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--quick`."""
    about = "run the first case of each test function, and one test of each file in a browser"
    parser.addoption("--quick", action="store_true", help=f"{about}; none that is marked slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest; with `--quick`, keep what it asks for."""
    items.sort(key=lambda item: item.path.name not in FIRST)
    if config.getoption("quick"):
        kept = choose_quick(items)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def choose_quick(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of `--quick`, in the order given.

    They are the first case of each test function that is not marked slow. Of those that draw a page
    in a browser, which takes seconds each, they are the first of each file.
    """
    first: dict[tuple[Path, str], pytest.Item] = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            in_browser = "browser" in getattr(item, "fixturenames", ())
            name = "in a browser" if in_browser else item.nodeid.split("[")[0]
            first.setdefault((item.path, name), item)
    return list(first.values())


@pytest.fixture(scope="module", autouse=True)
def forget_caches(request: pytest.FixtureRequest) -> Iterator[None]:
    """After the tests of a file, empty the caches of its own functions, such as open encodings.

    All shipped encodings in the reference backend alone take two gigabytes.
    """
    yield
    for value in vars(request.module).values():
        if getattr(value, "__module__", None) == request.module.__name__:
            getattr(value, "cache_clear", lambda: None)()


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the corpora, which are no part of the repository."""
    if not (CORPORA / "MANIFEST.tsv").is_file():
        pytest.skip(f"needs the corpora, which are not in {CORPORA}")
    return CORPORA


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium without windows; in CI, where it is installed, it must be there."""
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        absent = pytest.fail if os.environ.get("CI") else pytest.skip
        absent(f"Chromium is missing: apt-get install {BROWSERS[0]}")
    driver.expect.set_options(timeout=PATIENCE_MS)
    with driver.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=chromium, args=CHROMIUM_FLAGS, timeout=PATIENCE_MS
        )
        make_patient(browser)
        yield browser
        browser.close()


def make_patient(browser: Any) -> None:
    """Let what is opened in a browser wait longer than Playwright's 30 seconds."""

    def patient(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(**options: Any) -> Any:
            opened = make(**options)
            opened.set_default_timeout(PATIENCE_MS)
            return opened

        return made

    browser.new_context, browser.new_page = map(patient, (browser.new_context, browser.new_page))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs that the test starts hear SIGINT, which a shell's background jobs ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: bytes
    err: str


Cli = Callable[..., Result]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Cli:
    """Run `wwho` with arguments and bytes on standard input, in this process."""
    from wwho.cli.main import main

    def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        out, err = capfdbinary.readouterr()
        return Result(code, out, err.decode())

    return run
