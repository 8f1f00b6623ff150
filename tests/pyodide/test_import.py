"""Tokenizers of other libraries on the demo page: imported there, compared, kept."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from releases import Release
from serving import serving

import wwho

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
pytest.importorskip("waitress", reason="needs the extra serve")

expect = playwright.expect
TEXT = "We'll see the shore: ශ්‍රී ලංකා  \n\n x"
CONFIG = {"eos_token": "<|endoftext|>", "chat_template": "{{ messages[0].content }}"}
SAID = """() => {
  const what = document.getElementById("loading-what");
  window.said = [];
  new MutationObserver(() => window.said.push(what.textContent)).observe(what, { childList: true });
}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder: a tokenizer.json, trained here, and what stands beside it.

    It has a normalizer that JavaScript cannot compile, so Python imports it.
    """
    level = tokenizers.pre_tokenizers.ByteLevel
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.normalizer = tokenizers.normalizers.Lowercase()
    theirs.pre_tokenizer = level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=level.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    theirs.train_from_iterator([TEXT] * 3, trainer)
    theirs.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(CONFIG), "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def installed(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Python that makes `import wwho` find what a wheel installs, and not the sources."""
    where = tmp_path_factory.mktemp("installed")
    with ZipFile(wheels["any"]) as archive:
        archive.extractall(where)
    return f"import sys\nsys.path.insert(0, {str(where)!r})\n"


def test_a_tokenizer_json_is_compared_and_kept(
    browser: Any, releases: dict[str, Release], folder: Path, cli: Any, installed: str
) -> None:
    """The bytes are those of `wwho import`; a file that is none says why.

    The server is that of an installed wheel.
    """
    options = ("--pyodide", str(releases["314"].folder))
    checked = f"{installed}import wwho\nassert wwho.__file__.startswith(sys.path[0])\n"
    with serving(folder / "log", *options, before=checked) as running:
        context = browser.new_context()
        page = context.new_page()
        problems: list[str] = []
        asked: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"http://127.0.0.1:{running.port}")
        expect(page.locator("body")).to_have_attribute("data-state", "done")
        assert not [url for url in asked if url.endswith(("/import.js", ".mjs", ".zip"))]
        page.fill("#text", TEXT)
        page.evaluate(SAID)
        page.set_input_files("#file", [folder / "tokenizer.json", folder / "tokenizer_config.json"])
        expect(page.locator("#name-2")).to_have_text("tokenizer")
        said = page.evaluate("window.said")
        assert any("Importing tokenizer.json: starting Python" in step for step in said)
        theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        count = len(theirs.encode(TEXT).ids)
        expect(page.locator("#count-2")).to_have_attribute("data-count", str(count))
        page.select_option("#pick-0", "tokenizer")  # beside any other
        expect(page.locator("#count-0")).to_have_attribute("data-count", str(count))
        expect(page.locator("#made li")).to_contain_text("a tokenizer.json of Hugging Face")
        expect(page.locator("#loading")).to_be_hidden()
        assert page.locator("#file-rows tr").count() == 0
        with page.expect_download() as download:
            page.click("#made a")
        name, data = download.value.suggested_filename, download.value.path().read_bytes()

        bad = {"name": "tokenizer.json", "mimeType": "", "buffer": b'{"model": {"vocab": {}}}'}
        page.set_input_files("#model", bad)
        expect(page.locator("#alert")).to_contain_text("tokenizer.json")
        expect(page.locator("#alert")).not_to_contain_text("Traceback")
        expect(page.locator("#name-2")).to_have_text("tokenizer")
        page.set_input_files("#file", [folder / "tokenizer.json", folder / "tokenizer_config.json"])
        expect(page.locator("#name-2")).to_have_text("tokenizer (2)")
        expect(page.locator("#count-2")).to_have_attribute("data-count", str(count))
        said = page.evaluate("window.said")  # the same Python read all three
        assert sum("starting Python" in step for step in said) == 1
        assert problems == []
        context.close()

    made = folder / "tokenizer.wwho"
    assert cli("import", folder / "tokenizer.json", "-o", made).code == 0
    assert (name, data) == ("tokenizer.wwho", made.read_bytes())
    assert wwho.Tokenizer.load(made).info.provenance["eos_token"] == "<|endoftext|>"


def test_without_pyodide_the_page_says_how_to_get_it(
    browser: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(tmp_path / "log") as running:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{running.port}")
        bad = {"name": "tokenizer.json", "mimeType": "", "buffer": b'{"model": {"vocab": {}}}'}
        page.set_input_files("#model", bad)
        alert = page.locator("#alert")
        expect(alert).to_contain_text("npm install pyodide")
        expect(alert).to_contain_text("“Bring your own tokenizer”")
        expect(page.locator("#files")).to_be_hidden()
        page.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def test_the_static_page_of_an_installed_wheel(
    browser: Any, releases: dict[str, Release], tmp_path: Path, installed: str
) -> None:
    """`python -m wwho.serve FOLDER`: its view of SCRIPT, and the page again without a network."""
    code = f"{installed}import runpy\nrunpy.run_module('wwho.serve', run_name='__main__')"
    options = (str(tmp_path), "--pyodide", str(releases["314"].folder))
    subprocess.run([sys.executable, "-c", code, *options], check=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    context = browser.new_context()
    try:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{address}/syllables.html")
        expect(page.locator("body")).to_have_attribute("data-state", "done")
        page.select_option("#pick", "script")
        page.fill("#text", "ගමේ ҧ 42")
        expect(page.locator("#units .unit-face")).to_have_text(["ගමේ", "ҧ", "space", "42"])
        page.goto(address)
        expect(page.locator("body")).to_have_attribute("data-state", "done")
        page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
        kept = "caches.match('package/models/wwho_328k.wwho').then(Boolean)"
        assert page.evaluate(kept)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-state", "done")
    page.fill("#text", TEXT)
    count = wwho.get_encoding("wwho_328k").count(TEXT)
    expect(page.locator("#count-2")).to_have_attribute("data-count", str(count))
    assert problems == []
    context.close()
