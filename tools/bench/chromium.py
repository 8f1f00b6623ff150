"""Chromium as a runtime: every job gets a browser of its own, and a page that runs worker.mjs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
RUN = "job => import('/tools/bench/worker.mjs').then(worker => worker.run(job))"


class Handler(SimpleHTTPRequestHandler):
    """Serves the repository, isolated from other origins: only then are clocks exact to 5 us."""

    def end_headers(self) -> None:
        """Add the headers of isolation."""
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def do_GET(self) -> None:
        """An empty page at /, files elsewhere."""
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def find_browser() -> str | None:
    """The path of an installed Chromium."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def serve(root: Path) -> Iterator[str]:
    """Serve a folder on this machine; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def run_in_browser(root: Path, job: dict[str, Any], timeout: float) -> dict[str, Any]:
    """The result of a job."""
    playwright = import_module("playwright.sync_api")
    with serve(root) as address, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        try:
            page = browser.new_page()
            page.set_default_timeout(timeout * 1000)
            page.goto(address)
            page.wait_for_timeout(1000)  # the browser is still busy with its own start
            result: dict[str, Any] = page.evaluate(RUN, job)
            return result
        except playwright.Error as error:
            return {"error": f"chromium: {str(error).splitlines()[0]}"}
        finally:
            browser.close()
