"""The documentation as web pages: built, served, searched."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

for needed in ("brotli", "flask", "mkdocs", "mkdocstrings", "msgspec"):
    pytest.importorskip(needed, reason=f"needs {needed}")
expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect

from demo_page import axe_source  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

from wwho.serve import app as application  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import build_docs  # noqa: E402

pytestmark = pytest.mark.page


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built strictly: a link or an anchor that leads nowhere is an error."""
    if not build_docs.TYPEDOC.is_file():
        pytest.skip("needs TypeDoc: npm install in tools/docs")
    target = tmp_path_factory.mktemp("built") / "docs"
    build_docs.build(target)
    return target


@pytest.fixture
def docs_address(docs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that has the documentation."""
    monkeypatch.setattr(application, "DOCS", docs)
    with run_server() as address:
        yield address


@contextmanager
def run_server() -> Iterator[str]:
    """Run the application, and give its address."""
    server = make_server("127.0.0.1", 0, application.create_app(), threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.slow
def test_every_page_and_reference_is_there(docs: Path) -> None:
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.html")}
    assert pages >= {name.replace(".md", ".html") for name in build_docs.PAGES.values()}
    python = (docs / "python" / "tokenizer.html").read_text("utf-8")
    assert "Cut a text into chunks of at most" in python
    javascript = (docs / "javascript" / "reference" / "index.html").read_text("utf-8")
    assert "openai" in javascript
    declared = (ROOT / "wasm" / "include" / "wwho.h").read_text("utf-8")
    functions = re.findall(r"^(?:uint32_t|int|size_t|const char \*) ?(wwho_\w+)\(", declared, re.M)
    page = (docs / "c.html").read_text("utf-8")
    assert [name for name in functions if f'id="{name}"' not in page] == []


@pytest.mark.slow
def test_nothing_is_fetched_from_another_host(docs: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img)\b[^>]*\b(?:src|href)=\"(https?:)?//[^\"]*\"")
    kept = re.compile(r'rel="canonical"')
    for path in docs.rglob("*.html"):
        found = [each[0] for each in loaded.finditer(path.read_text("utf-8"))]
        assert [each for each in found if not kept.search(each)] == [], path


def test_the_page_leads_to_the_documentation_which_searches(page: Any, docs_address: str) -> None:
    page.goto(docs_address)
    page.click("nav a:has-text('Docs')")
    expect(page).to_have_title(re.compile("WWHO"))
    page.fill("input[name=query]", "superwords")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    page.goto(f"{docs_address}/docs/javascript/reference/index.html")
    expect(page.locator("body")).to_contain_text("encodingForModel")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_links_of_the_documentation_can_be_read(page: Any, docs_address: str, scheme: str) -> None:
    """By axe: the text of each page's colours, in the dark, too."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{docs_address}/docs/")
    expect(page.locator("body")).to_have_attribute(
        "data-md-color-scheme", {"light": "default", "dark": "slate"}[scheme]
    )
    page.evaluate(axe_source())
    found = page.evaluate(
        """() => axe.run(".md-content a:not(.headerlink)", {runOnly: ["color-contrast"]})
             .then(({violations, passes}) => [violations, passes].map((rules) =>
               rules.flatMap(({nodes}) => nodes.map(({html}) => html))))"""
    )
    assert found[0] == []
    assert len(found[1]) > 10


def test_a_page_says_how_missing_documentation_is_made(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page leads back to the tokens, too."""
    monkeypatch.setattr(application, "DOCS", tmp_path / "none")
    page = browser.new_page()
    with run_server() as address:
        response = page.goto(f"{address}/docs/#python")
        assert response.status == 404
        expect(page.locator("main")).to_contain_text("python tools/build_docs.py")
        assert page.evaluate("getComputedStyle(document.querySelector('.top')).display") == "flex"
        page.evaluate(axe_source())
        assert page.evaluate("axe.run().then(({violations}) => violations.map(({id}) => id))") == []
        page.click("text=Back to the tokens")
        expect(page).to_have_url(f"{address}/")
        assert page.request.get(f"{address}/docs/train.html").status == 404
        page.close()


def test_the_command_says_what_is_missing() -> None:
    code = "import sys, build_docs; from pathlib import Path; build_docs.TYPEDOC = Path('none')"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; build_docs.build()"],
        cwd=ROOT / "tools",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "npm install in tools/docs" in done.stderr
