"""The demo page as plain static files, and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
from demo_page import (
    SAMPLE,
    drop,
    expect,
    expect_counts,
    expect_ready,
    opened,
)

from wwho.serve.python_archive import pack_python

pytestmark = pytest.mark.page

files = pytest.importorskip("wwho.serve.site_files", reason="needs the extra serve")


# What JavaScript alone neither reads nor refuses.
NEEDS_PYTHON = b'{"model": {"vocab": {}}}'


class Quiet(SimpleHTTPRequestHandler):
    """Plain static files, as any host serves them, except those that the network loses."""

    lost: ClassVar[set[str]] = set()

    def do_GET(self) -> None:
        """Answer, or hang up."""
        if Path(self.path).name in self.lost:
            self.close_connection = True
        else:
            super().do_GET()

    def end_headers(self) -> None:
        """Have every file asked for again."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def static_files(folder: Path) -> Iterator[str]:
    """A server that knows nothing of WWHO, under a folder of its own; gives the page's address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/tokens/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def copied_site(folder: Path) -> None:
    """The page, as it is put on a host, with something in the place of Pyodide."""
    (folder / "npm").mkdir()
    (folder / "npm" / "pyodide.mjs").write_text("export {};", "utf-8")
    options = (str(folder / "tokens"), "--pyodide", str(folder / "npm"))
    subprocess.run([sys.executable, "-m", "wwho.serve", *options], check=True)


WORKS_OFFLINE = """async () => {
  await navigator.serviceWorker.ready;
  return Boolean(await caches.match("package/models/wwho_328k.wwho"));
}"""


def wait_for(page: Any, condition: str) -> None:
    """Wait until an expression of JavaScript, which may await, is true.

    `wait_for_function` does not: a promise is true to it, whatever comes of it.
    """
    again = "await new Promise((go) => setTimeout(go, 20))"
    page.evaluate(f"async () => {{ while (!({condition})) {again}; }}")


def reopened_offline(context: Any, address: str) -> None:
    """The page opens without a network, counts what is typed, and files, and draws a picture.

    That it cannot import is the network's fault, not the server's.
    """
    page = context.new_page()
    opened(page, address)
    page.fill("#text", SAMPLE)
    expect_counts(page, SAMPLE)
    with page.expect_download():
        page.click("#picture")
    drop(page, "small.txt", 2 * SAMPLE.encode())
    expect_counts(page, 2 * SAMPLE)
    page.set_input_files(
        "#model", {"name": "tokenizer.json", "mimeType": "", "buffer": NEEDS_PYTHON}
    )
    expect(page.locator("#alert")).to_contain_text("is the network there?")
    expect(page.locator("#alert")).not_to_contain_text("npm install")


@pytest.mark.slow
def test_plain_files_are_all_that_the_server_has(tmp_path: Path) -> None:
    """With what it makes itself: wwho in Python, for imports and for the Python page."""
    copied_site(tmp_path)
    site = tmp_path / "tokens"
    found = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    # Where the documentation was built, it is in the place of the page that says how.
    found = {name for name in found if not name.startswith("docs/") or name == files.NO_DOCS}
    assert found == {*files.Site(files.FOLDERS).files, files.PYTHON, "pyodide/pyodide.mjs"}
    for name, models in ((files.IMPORTER, False), (files.PYTHON, True)):
        assert (site / name).read_bytes() == pack_python(models=models)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-m", "wwho.serve", str(tmp_path / "file")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"python -m wwho\.serve: .+file.+\n", done.stderr)


@pytest.mark.slow
def test_plain_static_files_and_offline(browser: Any, tmp_path: Path) -> None:
    copied_site(tmp_path)
    context = browser.new_context()
    with static_files(tmp_path) as address:
        page = opened(context.new_page(), address)
        page.fill("#text", SAMPLE)
        expect_counts(page, SAMPLE)
        assert page.evaluate(WORKS_OFFLINE)
        page.close()
    reopened_offline(context, address)
    context.close()


def test_a_new_page_is_shown_only_with_its_own_files(browser: Any, tmp_path: Path) -> None:
    """Where the network fails on the way, the version before is shown, not a mixture."""
    copied_site(tmp_path)
    site = tmp_path / "tokens"
    context = browser.new_context()
    with static_files(tmp_path) as address:
        page = opened(context.new_page(), address)
        assert page.evaluate(WORKS_OFFLINE)
        for name, old, new in (
            ("index.html", "<title>WWHO:", "<title>New WWHO:"),
            ("page/main.js", 'from "./show/strip.js"', 'from "./show/newer.js"'),
        ):
            text = (site / name).read_text("utf-8")
            assert old in text
            (site / name).write_text(text.replace(old, new), "utf-8")
        show = site / "page" / "show"
        (show / "strip.js").rename(show / "newer.js")
        Quiet.lost.add("newer.js")
        try:
            page.reload()
            expect(page).to_have_title(re.compile("^WWHO:"))
        finally:
            Quiet.lost.clear()
        page.reload()
        expect(page).to_have_title(re.compile("^New WWHO:"))
        expect_ready(page)
        page.close()
    page = context.new_page()
    opened(page, address)
    expect(page).to_have_title(re.compile("^New WWHO:"))
    context.close()


def test_what_was_met_is_kept_when_the_page_is_kept_anew(browser: Any, tmp_path: Path) -> None:
    """Other pages and what they need, at each visit where the files are not pinned."""
    copied_site(tmp_path)
    context = browser.new_context()
    with static_files(tmp_path) as address:
        page = opened(context.new_page(), address)
        assert page.evaluate(WORKS_OFFLINE)
        wait_for(page, "await caches.match('./')")
        page.goto(f"{address}python.html")
        wait_for(page, "await caches.match('python/main.js')")
        [former] = page.evaluate("caches.keys()")
        opened(page, address)
        wait_for(page, f"!(await caches.has('{former}'))")
    page.goto(f"{address}python.html")
    expect(page.locator("#code")).to_have_value(re.compile("wwho"))  # its script has run
    context.close()


def test_offline_after_the_first_visit(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = opened(context.new_page(), address)
    assert page.evaluate(WORKS_OFFLINE)
    context.set_offline(True)
    drop(page, "small.txt", SAMPLE.encode())  # its Worker is asked for only now
    expect_counts(page, SAMPLE)
    page.close()
    reopened_offline(context, address)
    context.close()


@pytest.mark.service_worker
def test_the_page_works_where_nothing_may_be_kept(page: Any, address: str) -> None:
    """Some browsers throw as the service workers are only looked at."""
    page.add_init_script(
        """Object.defineProperty(Navigator.prototype, "serviceWorker", {
          get() { throw new DOMException("not here", "SecurityError"); },
        })"""
    )
    opened(page, address)
    page.fill("#text", SAMPLE)
    expect_counts(page, SAMPLE)
