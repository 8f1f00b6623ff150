"""The server on a free port and Chromium before it."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaged import project as project
from packaged import site as site

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]


class Running(NamedTuple):
    """A server of its own process.

    Attributes:
        port: where it listens on 127.0.0.1.
        log: its standard error, a file.
        pid: its process.
    """

    port: int
    log: Path
    pid: int


@contextmanager
def serving(log: Path, *options: str) -> Iterator[Running]:
    """`wwho serve`, which writes its log to a file, until the end of the block."""
    command = [sys.executable, "-m", "wwho.cli.main", "serve", "--port", "0", *options]
    with open(log, "w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, log.read_text("utf-8")
        yield Running(int(found[1]), log, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The server, as a user starts it."""
    for name in ("brotli", "flask", "msgspec", "waitress"):
        pytest.importorskip(name, reason=f"the server needs {name}: pip install 'wwho[serve]'")
    with serving(tmp_path_factory.mktemp("server") / "log") as running:
        yield running


@pytest.fixture(scope="session")
def address(server: Running) -> str:
    """The address of the running server, such as http://127.0.0.1:40001."""
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, headless."""
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    with driver.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A fresh page, on which nothing may go wrong: no console error, no uncaught exception."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []

    def note(message: Any) -> None:
        if message.type in ("error", "warning"):
            problems.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert problems == []


@pytest.fixture
def artifacts() -> Path:
    """Where screenshots are kept."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS
