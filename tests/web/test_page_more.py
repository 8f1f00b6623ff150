"""What the demo page does beside counting what is typed: files, links, own tokenizers, offline."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect

import wwho  # noqa: E402

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
MODELS = ROOT / "py" / "wwho" / "models"
NAMES = ("wwho_328k", "o200k_base")
SIDES = ("a", "b")
SLOW = 30_000  # milliseconds; a loaded machine takes its time
DOCUMENT_BYTES = 20_000_000
BUDGET = 800_000  # bytes transferred
LINE = "හවසට වැස්ස නැවතුණා; शाम को हम टहलने निकले, and nobody's home at 10:45.\n\n  "
LINE += "ශ‍්‍රී ලංකා  क्ष्म्य्व 👩‍👩‍👧 x = [1, 2];\r\n"
SAMPLE = "ඔයා 1 special अद्भुत"


def native(name: str, text: str) -> int:
    """Tokens of a text, counted by the C core through cffi."""
    return wwho.get_encoding(name, backend="native").count(text)


def opened(page: Any, address: str) -> Any:
    """The page, ready."""
    page.goto(address)
    expect_ready(page)
    return page


def expect_ready(page: Any) -> None:
    """Wait until both tokenizers are there, and the text is counted."""
    expect(page.locator("body")).to_have_class(re.compile("ready"), timeout=SLOW)
    expect(page.locator("body")).to_have_attribute("data-state", "done", timeout=SLOW)


def expect_count(page: Any, cell: str, count: int) -> None:
    """Wait for a number."""
    expect(page.locator(cell)).to_have_attribute("data-count", str(count), timeout=SLOW)


def test_a_folder_is_counted_file_by_file(page: Any, address: str, tmp_path: Path) -> None:
    texts = {f"part/{i}.txt": f"{i} ගෙදර යන පාරේ\n" * (i + 1) for i in range(12)}
    for name, text in texts.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_text(text, "utf-8")
    (tmp_path / "folder" / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    opened(page, address)
    page.set_input_files("#folder", tmp_path / "folder")
    state = page.locator("#file-state")
    expect(state).to_contain_text("Counted 13 files", timeout=SLOW)
    expect(state).to_contain_text("1 cannot be counted")
    for side, name in zip(SIDES, NAMES, strict=True):
        expect_count(page, f"#all-{side}", sum(native(name, text) for text in texts.values()))
    row = page.locator("#file-rows tr", has_text="part/7.txt")
    for cell, name in zip((1, 2), NAMES, strict=True):
        expect(row.locator("td").nth(cell)).to_have_text(f"{native(name, texts['part/7.txt']):,}")
    expect(page.locator("#file-rows tr", has_text="photo.png")).to_contain_text("not UTF-8 text")
    page.select_option("#pick-b", "cl100k_base")
    total = sum(native("cl100k_base", text) for text in texts.values())
    expect_count(page, "#all-b", total)
    expect(page.locator("#files-b")).to_have_text("cl100k_base")
    page.click("#clear-files")
    expect(page.locator("#files")).to_be_hidden()


def test_a_large_file_is_counted_while_the_page_goes_on(
    page: Any, address: str, tmp_path: Path
) -> None:
    """In slices, in several Workers: the sum is exact, and typing is answered meanwhile."""
    text = LINE * (DOCUMENT_BYTES // len(LINE.encode()) + 1)
    path = tmp_path / "document.txt"
    path.write_bytes(text.encode())
    opened(page, address)
    page.evaluate(
        """() => {
          window.states = new Set();
          const state = document.getElementById("file-state");
          new MutationObserver(() => window.states.add(state.textContent))
            .observe(state, { childList: true });
        }"""
    )
    page.set_input_files("#file", path)
    page.fill("#text", SAMPLE)
    for side, name in zip(SIDES, NAMES, strict=True):
        expect_count(page, f"#count-{side}", native(name, SAMPLE))
    expect(page.locator("#file-state")).to_contain_text("Counted 1 file", timeout=4 * SLOW)
    for side, name in zip(SIDES, NAMES, strict=True):
        expect_count(page, f"#all-{side}", native(name, text))
    assert len(page.evaluate("[...window.states]")) >= 10


def test_counting_can_be_cancelled(page: Any, address: str, tmp_path: Path) -> None:
    text = LINE * (DOCUMENT_BYTES // len(LINE.encode()) + 1)
    paths = [tmp_path / f"{i}.txt" for i in range(4)]
    for path in paths:
        path.write_bytes(text.encode())
    opened(page, address)
    page.set_input_files("#file", paths)
    page.click("#cancel-files")
    state = page.locator("#file-state")
    expect(state).to_contain_text("cancelled", timeout=SLOW)
    counted = re.search(r"Counted (\d) files?.* (\d) cancelled", state.text_content())
    assert counted
    assert int(counted[1]) + int(counted[2]) == len(paths)
    page.set_input_files("#file", {"name": "a.txt", "mimeType": "", "buffer": SAMPLE.encode()})
    row = page.locator("#file-rows tr", has_text="a.txt")
    expect(row.locator("td").nth(1)).to_have_text(f"{native('wwho_328k', SAMPLE)}")
    expect(state).to_contain_text(f"Counted {int(counted[1]) + 1} file")
    expect(page.locator("#copy-files")).to_be_visible()
    page.click("#clear-files")
    expect(page.locator("#files")).to_be_hidden()


def drop(page: Any, name: str, data: bytes) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """([name, data]) => {
          const bytes = Uint8Array.from(data);
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], name));
          const drop = new DragEvent("drop", { dataTransfer: transfer, cancelable: true });
          window.dispatchEvent(drop);
        }""",
        [name, list(data)],
    )


def test_dropped_files_and_tokenizers(page: Any, address: str) -> None:
    opened(page, address)
    drop(page, "small.txt", SAMPLE.encode())
    expect_count(page, "#all-a", native("wwho_328k", SAMPLE))

    tiny = ROOT / "tests" / "vectors" / "tiny.wwho"
    encoding = wwho.Tokenizer.load(tiny)
    drop(page, "tiny.wwho", tiny.read_bytes())
    expect(page.locator("#title-b")).to_have_text("tiny", timeout=SLOW)
    expect(page.locator("#pick-b")).to_have_value("tiny")
    expect_ready(page)
    expect_count(page, "#count-b", encoding.count(page.input_value("#text")))
    expect_count(page, "#all-b", encoding.count(SAMPLE))

    drop(page, "broken.wwho", tiny.read_bytes()[:-8] + b"\0" * 8)
    expect(page.locator("#alert")).to_have_text(
        re.compile(r"broken cannot be opened: .*CHECKSUM"), timeout=SLOW
    )
    expect(page.locator("#pick-b")).to_have_value("tiny")
    drop(page, "no.wwho", b"hello there")
    expect(page.locator("#alert")).to_contain_text("no.wwho begins with 68 65 6C 6C 6F")


def test_messages_are_seen_wherever_the_page_is(page: Any, address: str) -> None:
    opened(page, address)
    bad = [{"name": f"{name}.WWHO", "mimeType": "", "buffer": name.encode()} for name in "xy"]
    page.locator("#open-model").scroll_into_view_if_needed()
    page.set_input_files("#file", bad)
    alert = page.locator("#alert")
    expect(alert).to_contain_text("y.WWHO begins with 79")
    expect(alert).to_contain_text("x.WWHO begins with 78")
    expect(alert).to_be_in_viewport(ratio=1)
    expect(page.locator("#files")).to_be_hidden()
    page.click("#close-alert")
    expect(alert).to_be_hidden()


def test_the_recipe_for_a_tokenizer_json(page: Any, address: str, tmp_path: Path) -> None:
    """As the page says it: a rank file by the Python that it shows, an import, a drop."""
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    level = tokenizers.pre_tokenizers.ByteLevel
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=level.alphabet(), show_progress=False
    )
    line = LINE.replace("\r", "")  # as a text area has it
    text = f"{line}{SAMPLE} We'll see the shore, the horizon and the storm.\n"
    theirs.train_from_iterator([text] * 3, trainer)
    theirs.save(str(tmp_path / "tokenizer.json"))

    opened(page, address)
    recipe = page.locator("#ranks").text_content()
    subprocess.run([sys.executable, "-c", recipe], cwd=tmp_path, check=True)
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    command = [sys.executable, "-m", "wwho.cli.main", "import", "tiktoken"]
    command += [str(tmp_path / "ranks.tiktoken"), "--pattern", pattern, "--name", "mine"]
    command += ["-o", str(tmp_path / "mine.wwho")]
    subprocess.run(command, check=True, capture_output=True)

    page.set_input_files("#model", tmp_path / "mine.wwho")
    expect(page.locator("#title-b")).to_have_text("mine", timeout=SLOW)
    for each in (text, SAMPLE, "It'll rain: ශ්‍රී  \n\n x"):
        page.fill("#text", each)
        expect_count(page, "#count-b", len(theirs.encode(each).ids))


def test_a_link_carries_text_and_settings(page: Any, address: str) -> None:
    requests: list[str] = []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    text = "ගෙදර යන පාරේ, क्षितिज & <b>1 + 1</b> # 👩‍👩‍👧\n" * 40
    page.fill("#text", text)
    page.select_option("#pick-a", "wwho_super_328k")
    page.select_option("#pick-b", "cl100k_base")
    page.fill("#price", "0.15")
    page.fill("#texts", "42")
    expect_ready(page)
    page.on("request", lambda request: requests.append(request.url))
    page.click("#copy-link")
    expect(page.locator("#copy-link")).to_have_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert link.startswith(f"{address}/#z")
    assert len(link) < len(text)
    assert [url for url in requests if not url.endswith("icon.svg")] == []

    page.goto("about:blank")
    opened(page, link)
    assert page.input_value("#text") == text
    assert (page.input_value("#price"), page.input_value("#texts")) == ("0.15", "42")
    expect_count(page, "#count-a", native("wwho_super_328k", text))
    expect_count(page, "#count-b", native("cl100k_base", text))
    fragment = link.split("#")[1]
    assert not any(fragment in url or "%E0" in url for url in requests)

    page.evaluate("fragment => { location.hash = fragment }", fragment[:-20])
    expect(page.locator("#alert")).to_contain_text("This link is damaged")
    assert page.input_value("#text") == text


def test_a_damaged_link_says_so_at_the_start(page: Any, address: str) -> None:
    opened(page, f"{address}/#zAAAA")
    expect(page.locator("#alert")).to_contain_text("This link is damaged")
    assert page.input_value("#text")


def test_an_edit_takes_the_link_away(page: Any, address: str) -> None:
    """Or the address would bring back what was there before the edit."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    page.fill("#text", "one")
    for field, value in (("#text", "two"), ("#price", "7")):
        page.click("#copy-link")
        expect(page).to_have_url(re.compile("/#[jz]"))
        page.fill(field, value)
        expect(page).to_have_url(f"{address}/")
    page.reload()
    expect_ready(page)
    assert (page.input_value("#text"), page.input_value("#price")) == ("two", "7")


def test_the_way_back_from_a_link(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "my own")
    page.select_option("#pick-b", "cl100k_base")
    shared = base64.b64encode(json.dumps({"text": "theirs", "price": 1e300}).encode()).decode()
    page.evaluate("fragment => { location.hash = fragment }", f"#j{shared.rstrip('=')}")
    expect(page.locator("#text")).to_have_value("theirs")
    expect_count(page, "#count-b", native("o200k_base", "theirs"))
    expect(page.locator("#pick-b")).to_have_value("o200k_base")
    expect(page.locator("#cost-note")).to_be_visible()
    page.go_back()
    expect(page.locator("#text")).to_have_value("my own")
    expect(page.locator("#pick-b")).to_have_value("cl100k_base")
    expect(page.locator("#cost-note")).to_be_hidden()


def test_copy_as_json(page: Any, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    text = "ගෙදර යන පාරේ 10:45\n" * 200
    page.fill("#text", text)
    page.click("#copy-json")
    expect(page.locator("#copy-json")).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["text"] == text
    for side, name in zip(copied["tokenizers"], NAMES, strict=True):
        ids = wwho.get_encoding(name).encode(text)
        assert side == {"name": name, "count": len(ids), "ids": ids}

    drop(page, "small.txt", SAMPLE.encode())
    expect_count(page, "#all-b", native("o200k_base", SAMPLE))
    page.click("#copy-files")
    expect(page.locator("#copy-files")).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    counts = [native(name, SAMPLE) for name in NAMES]
    file = {"path": "small.txt", "bytes": len(SAMPLE.encode()), "tokens": counts}
    assert copied == {"tokenizers": list(NAMES), "files": [file], "total": counts}


def test_nothing_of_the_text_is_sent(page: Any, address: str) -> None:
    sent: list[tuple[str, str]] = []
    page.on("request", lambda request: sent.append((request.method, request.url)))
    opened(page, address)
    page.fill("#text", "a secret: පාරේ")
    expect_count(page, "#count-a", native("wwho_328k", "a secret: පාරේ"))
    drop(page, "secret.txt", b"another secret")
    expect_count(page, "#all-a", native("wwho_328k", "another secret"))
    assert {method for method, _ in sent} == {"GET"}
    assert not [url for _, url in sent if "secret" in url or not url.startswith(address)]


def test_premium_is_measured(page: Any, address: str) -> None:
    opened(page, address)
    rows = page.locator("#premium tr")
    texts = page.locator("#sentences dd").all_text_contents()
    assert len(texts) == rows.count() >= 8
    for side, name in enumerate(NAMES):
        english = native(name, texts[0])
        values = page.locator(f"#premium td:nth-of-type({side + 1}) .value").all_text_contents()
        expected = [Decimal(native(name, text)) / english for text in texts]
        cent = Decimal("0.01")
        assert values == [str(each.quantize(cent, ROUND_HALF_UP)) for each in expected]


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
    """The page, as it is put on a host: web/ with the models in it."""
    shutil.copytree(WEB, folder / "tokens", ignore=shutil.ignore_patterns("node_modules"))
    (folder / "tokens" / "models").mkdir(exist_ok=True)
    for model in MODELS.glob("*.wwho"):
        shutil.copy(model, folder / "tokens" / "models")


WORKS_OFFLINE = """async () => {
  await navigator.serviceWorker.ready;
  return Boolean(await caches.match("models/o200k_base.wwho"));
}"""


def reopened_offline(context: Any, address: str) -> None:
    """The page opens without a network, counts what is typed, and files."""
    page = context.new_page()
    opened(page, address)
    page.fill("#text", SAMPLE)
    for side, name in zip(SIDES, NAMES, strict=True):
        expect_count(page, f"#count-{side}", native(name, SAMPLE))
    drop(page, "small.txt", SAMPLE.encode())
    expect_count(page, "#all-b", native("o200k_base", SAMPLE))


def test_plain_static_files_and_offline(browser: Any, tmp_path: Path) -> None:
    copied_site(tmp_path)
    context = browser.new_context()
    with static_files(tmp_path) as address:
        page = opened(context.new_page(), address)
        page.fill("#text", SAMPLE)
        expect_count(page, "#count-a", native("wwho_328k", SAMPLE))
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
        page.evaluate(WORKS_OFFLINE)
        for name, old, new in (
            ("index.html", "<title>WWHO:", "<title>New WWHO:"),
            ("page/main.js", 'from "./more.js"', 'from "./newer.js"'),
        ):
            text = (site / name).read_text("utf-8")
            assert old in text
            (site / name).write_text(text.replace(old, new), "utf-8")
        (site / "page" / "more.js").rename(site / "page" / "newer.js")
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


def test_offline_after_the_first_visit(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = opened(context.new_page(), address)
    assert page.evaluate(WORKS_OFFLINE)
    context.set_offline(True)
    drop(page, "small.txt", SAMPLE.encode())  # its Worker is asked for only now
    expect_count(page, "#all-b", native("o200k_base", SAMPLE))
    page.close()
    reopened_offline(context, address)
    context.close()


def axe_source() -> str:
    """axe-core, from the node_modules that the tests use."""
    folders = [Path(os.environ["WWHO_NODE_MODULES"])] if "WWHO_NODE_MODULES" in os.environ else []
    for folder in (*folders, ROOT / "tests" / "node_modules"):
        path = folder / "axe-core" / "axe.min.js"
        if path.is_file():
            return path.read_text("utf-8")
    pytest.skip("axe-core is missing: npm ci in tests/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(browser: Any, address: str, scheme: str, width: int) -> None:
    source = axe_source()
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce"
    )
    page = opened(context.new_page(), address)
    text = "ගෙදර ok 12 क्ष्म्य्व्ट्ठ्ळ අද්භුත\n\nthe 𓀀 kettle <b>\t👩‍👩‍👧\n"
    page.fill("#text", text)
    for side, name in zip(SIDES, NAMES, strict=True):
        expect_count(page, f"#count-{side}", native(name, text))
    drop(page, "small.txt", SAMPLE.encode())
    drop(page, "photo.png", bytes(range(256)))
    expect(page.locator("#file-state")).to_contain_text("Counted 2 files", timeout=SLOW)
    page.click("summary")
    page.evaluate("document.getElementById('alert').hidden = false")
    page.locator("#tokens-a .token").nth(2).focus()
    page.evaluate(source)
    for step in ("typed", "empty"):
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        problems = {
            each["id"]: [node["html"] for node in each["nodes"]] for each in found["violations"]
        }
        assert problems == {}, step
        page.fill("#text", "")
        expect_count(page, "#count-a", 0)
    context.close()


def test_everything_can_be_done_by_keyboard(page: Any, address: str) -> None:
    opened(page, address)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"copy-link", "copy-json", "pick-a", "pick-b", "price", "texts"} <= reached
    assert {"open", "open-folder", "open-model"} <= reached
    assert any("token" in name for name in reached)


def test_motion_is_reduced_where_it_is_asked_for(browser: Any, address: str) -> None:
    durations = []
    for motion in ("reduce", "no-preference"):
        context = browser.new_context(reduced_motion=motion)
        page = opened(context.new_page(), address)
        durations.append(
            page.evaluate("getComputedStyle(document.getElementById('bar-a')).transitionDuration")
        )
        context.close()
    assert durations == ["0s", "0.18s"]


def test_the_page_is_small(page: Any, address: str) -> None:
    """What the page asks for, with o200k_base on both sides, compressed as a server does it."""
    brotli = pytest.importorskip("brotli", reason="brotli is not installed")
    fetched: dict[str, bytes] = {}

    def keep(response: Any) -> None:
        if response.status == 200:
            fetched[response.url] = response.body()

    page.on("response", keep)
    opened(page, address)
    page.wait_for_load_state("networkidle")
    size = {
        url: len(brotli.compress(body, quality=11))
        for url, body in fetched.items()
        if "/models/" not in url or url.endswith("/o200k_base.wwho")
    }
    assert any(url.endswith("/o200k_base.wwho") for url in size)
    assert any(url.endswith("/wwho.wasm") for url in size)
    assert any(url.endswith("/page/worker.js") for url in size)
    assert sum(size.values()) <= BUDGET, size


def test_the_benchmark_runs(tmp_path: Path) -> None:
    """tools/bench/page.py, on a few keys; what it measures belongs to the machine."""
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    out = tmp_path / "times.json"
    command = [sys.executable, str(ROOT / "tools" / "bench" / "page.py"), "--keys", "3"]
    command += ["--text", "hindi", "--json", str(out)]
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    rows = json.loads(out.read_text("utf-8"))
    assert [row["a"] for row in rows] == ["wwho_328k", "wwho_super_328k"]
    assert all(row["paint_median"] > 0 and row["tokens_median"] > 0 for row in rows)
