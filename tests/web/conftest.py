"""The demo app on a free port and Chromium before it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of the running app, such as http://127.0.0.1:40001."""
    pytest.importorskip("flask", reason="the demo page needs Flask: pip install 'wwho[demo]'")
    from werkzeug.serving import make_server

    from wwho.demo.app import bind, create_app

    with bind("127.0.0.1", 0) as listener:
        server = make_server("127.0.0.1", 0, create_app(), threaded=True, fd=listener.fileno())
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.shutdown()
        thread.join()
        server.server_close()


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
