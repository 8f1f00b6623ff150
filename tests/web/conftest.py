"""The server on a free port, and pages of Chromium before it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bundling import apps as apps
from packaged import project as project
from packaged import site as site
from serving import Running, serving

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"


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


@pytest.fixture
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A fresh page, on which nothing may go wrong: no console error, no uncaught exception.

    Without a service worker, which would fetch all of the site for each test, where the test has
    not the mark `service_worker`.
    """
    worker = "allow" if request.node.get_closest_marker("service_worker") else "block"
    context = browser.new_context(viewport={"width": 1280, "height": 900}, service_workers=worker)
    page = context.new_page()
    problems: list[str] = []

    def note(message: Any) -> None:
        blocked = "Service Worker registration blocked by Playwright"
        if message.type in ("error", "warning") and blocked not in message.text:
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
