"""How much the demo page asks of the network, and the benchmark of its keys."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from demo_page import EXAMPLE, expect, expect_count, expect_counts, native, opened

from chromium import find_browser

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "py" / "wwho" / "models"


FIRST_NUMBERS = 150_000  # bytes transferred before there are numbers
FIRST_COUNT = 840_000  # and before a text is counted


@pytest.mark.slow
def test_how_much_is_fetched_before_what_is_shown(browser: Any, address: str) -> None:
    """The example's numbers come with the page, and then o200k_base before all the others."""
    brotli = pytest.importorskip("brotli", reason="brotli is not installed")
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    fetched: dict[str, bytes] = {}
    waiting: list[Any] = []

    def keep(response: Any) -> None:
        name = response.url.removeprefix(f"{address}/")
        name = re.sub("^static/[0-9a-f]{16}/", "", name)
        fetched[name] = response.body()

    sizes: dict[str, int] = {}

    def expect_at_most(most: int) -> None:
        for name in fetched.keys() - sizes.keys():  # each takes a while to pack
            sizes[name] = len(brotli.compress(fetched[name], quality=11))
        assert sum(sizes.values()) <= most, sizes

    page.on("requestfinished", lambda request: keep(request.response()))
    page.route("**/models/*.wwho", lambda route: waiting.append(route))

    def asked(number: int) -> Any:
        while len(waiting) < number:
            page.wait_for_timeout(20)
        return waiting[number - 1]

    page.goto(address)
    asked(1)
    expect_counts(page, EXAMPLE)
    expect(page.locator("#tokens-2")).to_have_text(EXAMPLE)
    assert {"", "page/main.js", "page/page.css"} <= set(fetched)
    expect_at_most(FIRST_NUMBERS)
    assert [route.request.url.rsplit("/")[-1] for route in waiting] == ["o200k_base.wwho"]

    page.fill("#text", "නව පෙළ")
    expect(page.locator("#count-1")).to_have_text("–")
    asked(1).continue_()
    expect_count(page, 1, native("o200k_base", "නව පෙළ"))
    expect(page.locator("#count-0")).to_have_text("–")
    assert {"package/wwho.wasm", "package/models/o200k_base.wwho"} <= set(fetched)
    expect_at_most(FIRST_COUNT)
    assert asked(2).request.url.endswith("/cl100k_base.wwho")
    asked(2).continue_()
    asked(3).continue_()
    expect_counts(page, "නව පෙළ")
    context.close()


@pytest.mark.parametrize("name", ["", "syllables.html"])
def test_no_module_is_found_in_another(page: Any, address: str, name: str) -> None:
    """The page names all, its workers' too: one that it did not name would be asked for late."""
    asked: set[str] = set()
    page.set_viewport_size({"width": 1280, "height": 100})  # what is below is loaded when seen
    page.on("request", lambda request: asked.add(request.url))
    page.goto(f"{address}/{name}", wait_until="networkidle")
    links = page.locator('link[rel="modulepreload"], script[type="module"]')
    named = links.evaluate_all("all => all.map((each) => each.href ?? each.src)")
    assert len(named) > 20
    assert {url for url in asked if url.endswith(".js")} == {*named}


def test_the_progress_is_that_of_the_bytes(browser: Any, address: str) -> None:
    """On a slow line, by what has come of the tokenizer that is on its way."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          const find = (id) => document.getElementById(id);
          const [what, bar] = [find("loading-what"), find("loading-bar")];
          window.seen = [];
          new MutationObserver(() => window.seen.push([what.textContent, bar.value, bar.max]))
            .observe(what, { childList: true });
        })"""
    )
    opened(page, address)
    seen = page.evaluate("window.seen")
    names = list(dict.fromkeys(re.findall("Loading ([a-z0-9_]+):", what)[0] for what, _, _ in seen))
    assert names == ["o200k_base", "cl100k_base", "wwho_328k"]
    for what, value, most in seen:
        assert 0 < value <= most
        assert re.search(r" of [0-9.,]+ [kM]B$", what)
    sizes = {(MODELS / f"{name}.wwho").stat().st_size for name in names}
    assert {most for _, value, most in seen if value == most} == sizes
    expect(page.locator("#loading")).to_be_hidden()
    context.close()


@pytest.mark.slow
def test_the_benchmark_runs(address: str, tmp_path: Path) -> None:
    """tools/bench/page.py, on few keys and bytes; what it measures belongs to the machine."""
    if find_browser() is None:
        pytest.skip("Chromium is missing")
    out = tmp_path / "times.json"
    command = [sys.executable, str(ROOT / "tools" / "bench" / "page.py"), "--keys", "3"]
    command += ["--text", "hindi", "--bytes", "5000", "--address", address, "--json", str(out)]
    subprocess.run(command, check=False, capture_output=True)
    rows = json.loads(out.read_text("utf-8"))
    assert [row["text"] for row in rows] == ["hindi"]
    assert all(row["paint_median"] > 0 and row["tokens_median"] > 0 for row in rows)
