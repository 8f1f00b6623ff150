"""The Python page of `wwho serve` in Chromium: an editable cell, with wwho ready, offline."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from releases import Release
from serving import serving

import wwho

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
pytest.importorskip("waitress", reason="needs the extra serve")

expect = playwright.expect
LATE_ERROR = """window.Worker = class extends Worker {
  terminate() {
    super.terminate();
    const event = new ErrorEvent("error", { message: "late", cancelable: true });
    if (this.dispatchEvent(event)) throw new Error("the page does not handle it");
  }
}"""


@contextmanager
def served(pyodide: Path | None) -> Iterator[str]:
    """The address of `wwho serve`."""
    options = [] if pyodide is None else ["--pyodide", str(pyodide)]
    with TemporaryDirectory() as folder, serving(Path(folder, "log"), *options) as running:
        yield f"http://127.0.0.1:{running.port}"


@pytest.fixture(scope="module")
def opened(browser: Any, releases: dict[str, Release]) -> Iterator[Any]:
    """The page, which may ask nothing of another machine.

    As a busy Worker ends, Pyodide may throw in it; here, each one that is ended has thrown.
    """
    with served(releases["314"].folder) as address:
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(LATE_ERROR)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/python.html")
        yield page
        assert all(url.startswith((address, "data:", "blob:")) for url in asked)
        context.close()


@pytest.fixture
def page(opened: Any) -> Any:
    """The page with Python started: anew where a test that failed has left it running."""
    if opened.locator("#state").text_content() == "Running …":
        opened.reload()
    expect(opened.locator("#run")).to_be_enabled()
    return opened


def begin(page: Any, code: str) -> None:
    """Run a cell that does not end by itself."""
    page.locator("#code").fill(code)
    page.locator("#run").click()


def stop(page: Any) -> None:
    """Stop a cell, and wait for the new Python."""
    page.locator("#stop").click()
    expect(page.locator("#state")).to_have_text("Python 3.14.2")
    expect(page.locator("#alert")).to_be_hidden()


def run(page: Any, code: str) -> str:
    """What a cell prints."""
    page.locator("#code").fill(code)
    page.locator("#code").press("Control+Enter")
    expect(page.locator("#state")).to_have_text("Done")
    text: str = page.locator("#output").text_content()
    return text


def test_the_first_cell_runs(page: Any) -> None:
    page.locator("#run").click()
    expect(page.locator("#state")).to_have_text("Done")
    enc = wwho.get_encoding("wwho_328k")
    ids = enc.encode("ඔයා 1 special अद्भुत")
    lines = [f"{token} {enc.decode([token])!r}\n" for token in ids]
    assert page.locator("#output").text_content() == "".join([*lines, "(5, 8)\n"])


def test_cells_share_names_and_show_their_value(page: Any) -> None:
    assert run(page, "enc = wwho.get_encoding(); enc.backend") == "'wasm'\n"
    assert run(page, "print('ගමේ', end=''); enc.count('ගමේ පාසල')") == "ගමේ2\n"
    assert run(page, "wwho.list_encoding_names()") == f"{wwho.list_encoding_names()}\n"


@pytest.mark.parametrize("code", ["1.0", "2.5 * 2", "-0.0", "10**30", "float('nan')", "(1,)"])
def test_values_are_those_of_python(page: Any, code: str) -> None:
    """Not of JavaScript, whose numbers have no decimal point."""
    assert run(page, code) == f"{eval(code)!r}\n"


def test_errors_are_shown(page: Any) -> None:
    shown = run(page, "wwho.get_encoding('nothing')")
    assert "ArtifactError: there is no encoding 'nothing'" in shown
    assert page.locator("#output .error").count() >= 1  # printed and drawn in parts
    assert page.locator("#output :not(.error)").count() == 0
    assert run(page, "def f(): return 1 / 0\nf()").splitlines() == [
        "Traceback (most recent call last):",
        '  File "<cell>", line 2, in <module>',
        '  File "<cell>", line 1, in f',
        "ZeroDivisionError: division by zero",
    ]
    assert "SyntaxError" in run(page, "def")
    assert run(page, "1 + 1") == "2\n"


def test_a_loop_can_be_stopped(page: Any) -> None:
    begin(page, "while True: pass")
    expect(page.locator("#state")).to_have_text("Running …")
    stop(page)
    assert "Stopped." in page.locator("#output").text_content()
    assert "NameError" in run(page, "enc")
    assert run(page, "wwho.get_encoding().count('ගමේ පාසල')") == "2\n"


def test_a_loop_that_prints_can_be_stopped(page: Any) -> None:
    """The page stays alive, and says that it does not show all."""
    begin(page, "i = 0\nwhile True:\n  i += 1\n  print(i)")
    cut = "Only the first 200,000 characters are shown."
    expect(page.locator("#output")).to_contain_text(cut)
    stop(page)
    text = page.locator("#output").text_content()
    assert text.startswith("1\n2\n3\n")
    assert text.endswith(f"{cut}\nStopped. Python restarts; all names are lost.\n")
    assert 200_000 < len(text) < 200_200
    assert page.locator("#output span").count() < 5_000


@pytest.mark.parametrize("then", ["import asyncio; await asyncio.sleep(100)", "while True: pass"])
def test_what_is_printed_is_shown_while_python_runs(page: Any, then: str) -> None:
    begin(page, f"for i in range(300): print(i)\n{then}")
    expect(page.locator("#output")).to_contain_text("298\n299\n")
    expect(page.locator("#state")).to_have_text("Running …")
    stop(page)


def test_long_output_is_cut_and_errors_behind_it_are_not(page: Any) -> None:
    most = 200_000
    assert run(page, f"print('y' * {most - 1})") == "y" * (most - 1) + "\n"
    cut = "\n… Only the first 200,000 characters are shown.\n"
    assert run(page, f"print('y' * {most - 1} + '😀')") == "y" * (most - 1) + cut
    shown = run(page, f"print('y' * {most + 1})\n1 / 0")
    assert shown.startswith("y" * most + cut + "Traceback")
    assert shown.endswith("ZeroDivisionError: division by zero\n")
    many = f"import sys\nfor i in range({most}): print('x', file=(sys.stdout, sys.stderr)[i % 2])"
    assert run(page, many) == "x\n" * (most // 2) + cut
    assert page.locator("#output span").count() < 10_000


def test_half_a_character_stays_in_its_cell(page: Any) -> None:
    half = "import sys; sys.stdout.buffer.write(b'\\xe0\\xb6'); sys.stdout.flush(); None"
    assert run(page, half) == "\N{REPLACEMENT CHARACTER}"
    assert run(page, "print('next')") == "next\n"


def test_python_that_ends_starts_again(page: Any) -> None:
    begin(page, "import os; os._exit(1)")
    expect(page.locator("#output")).to_contain_text("exit(1). Python restarts")
    expect(page.locator("#state")).to_have_text("Python 3.14.2")
    assert run(page, "1 + 1") == "2\n"


def test_without_pyodide_it_says_how_to_get_it(browser: Any) -> None:
    with served(None) as address:
        page = browser.new_page()
        page.goto(f"{address}/python.html")
        expect(page.locator("#get")).to_contain_text("npm install pyodide@")
        expect(page.locator("#alert")).to_be_hidden()
        expect(page.locator("#run")).to_be_disabled()
        page.close()


def test_without_a_network_it_does_not_blame_pyodide(browser: Any) -> None:
    with served(None) as address:
        page = browser.new_page()
        page.route("**/pyodide.mjs", lambda route: route.abort())
        page.goto(f"{address}/python.html")
        expect(page.locator("#alert")).to_contain_text("Check your network connection.")
        expect(page.locator("#alert")).not_to_contain_text("npm")
        page.close()


def test_after_a_visit_python_needs_no_network(browser: Any, releases: dict[str, Release]) -> None:
    context = browser.new_context()
    page = context.new_page()
    with served(releases["314"].folder) as address:
        page.goto(address)
        page.evaluate(
            """async () => {
              await navigator.serviceWorker.ready;
              while (!(await caches.match("./", { ignoreVary: true }))) {
                await new Promise((go) => setTimeout(go, 50));
              }
            }"""
        )
        page.goto(f"{address}/python.html")
        expect(page.locator("#state")).to_have_text("Python 3.14.2")
    context.set_offline(True)
    page.reload()
    expect(page.locator("#run")).to_be_enabled()
    assert run(page, "wwho.get_encoding().count('ගමේ පාසල')") == "2\n"
    context.close()


def test_the_archive_is_the_package_without_what_is_compiled_for_this_machine() -> None:
    from wwho.serve.python_archive import pack_python

    made = pack_python(models=True)
    assert made == pack_python(models=True)
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        names = archive.namelist()
    assert {"wwho/__init__.py", "wwho/web/package/wwho.wasm", "wwho/models/wwho_328k.wwho"} <= set(
        names
    )
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]
