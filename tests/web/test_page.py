"""The demo page in Chromium, served by the real app, against what the native backend computes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect

import wwho  # noqa: E402

pytestmark = pytest.mark.page

NAMES = ("wwho_328k", "o200k_base")
TEXTS = (
    "",
    " ",
    "ඔයා 1 special अद्भुत",
    "The kettle sings; nobody's home, and it'LL boil over at 10:45.",
    "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. ශ‍්‍රී, ක්‍ෂ, ර්‍ය!",
    "बगीचे में हवा चल रही थी, और ऋतु बदल गई। ॐ नमः ऽ क्ष्म्य्व",
    "ඇpple 한국어 日本語のテキスト 👩‍👩‍👧 🇱🇰\n\n\t x\u00a0\u3000y",
    "\ufeffBOM \u200d\u200c a\u017f'\u017f 'S \U0010ffff\ue000",
    "<|endoftext|> is only text here",
    "word " * 20_000,
    "ක" * 30_000,
)
DOCUMENT_BYTES = 5_200_000
LONGEST_GAP_MS = 400  # between two frames; laying out 4,000 tokens takes a noisy machine 200

# Timestamps of frames, while the page works.
WATCH_FRAMES = """() => {
  window.gaps = [];
  let last = performance.now();
  const frame = (now) => {
    window.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.states = new Set();
  new MutationObserver(() => window.states.add(document.getElementById("file-state").textContent))
    .observe(document.getElementById("file-state"), { childList: true });
}"""


def native(name: str, text: str) -> int:
    """Tokens of a text, counted by the C core through cffi."""
    return wwho.get_encoding(name, backend="native").count(text)


def shown_count(page: Any, name: str) -> Any:
    """The cell with the count of an encoding."""
    return page.locator(f"#count-{name}")


def expect_counts(page: Any, text: str) -> None:
    """Wait until the page shows the native backend's counts."""
    for name in NAMES:
        count = native(name, text)
        expect(shown_count(page, name)).to_have_attribute("data-count", str(count), timeout=20_000)
        expect(shown_count(page, name)).to_have_text(f"{count:,}")


def opened(page: Any, address: str) -> Any:
    """The page, ready."""
    page.goto(address)
    expect(page.locator("body")).to_have_class(re.compile("ready"), timeout=20_000)
    expect(page.locator("body")).to_have_attribute("data-state", "done")
    return page


def tokens(page: Any, name: str) -> Any:
    """The spans of the tokens of an encoding."""
    return page.locator(f"#tokens-{name} .token")


def document_text() -> str:
    """More than five megabytes of UTF-8 in three scripts."""
    line = "හවසට වැස්ස නැවතුණා; शाम को हम टहलने निकले, and nobody's home at 10:45.\n\n  "
    line += "ශ‍්‍රී ලංකා  क्ष्म्य्व 👩‍👩‍👧 x = [1, 2];\r\n"
    return line * (DOCUMENT_BYTES // len(line.encode()) + 1)


def test_counts_are_the_native_backends(page: Any, address: str) -> None:
    opened(page, address)
    for text in TEXTS:
        page.fill("#text", text)
        expect_counts(page, text)


def test_saving_and_context(page: Any, address: str) -> None:
    opened(page, address)
    page.click("[data-example=sinhala]")
    text = page.input_value("#text")
    expect_counts(page, text)
    ours, theirs = (native(name, text) for name in NAMES)
    expect(page.locator("#saving")).to_have_text(f"{100 * (1 - ours / theirs):.1f}%")
    expect(page.locator("#saving-label")).to_have_text("fewer tokens")
    expect(page.locator("#context")).to_have_text(f"{theirs / ours:.2f}×")


@pytest.mark.parametrize("example", ["mixed", "sinhala", "hindi", "english"])
def test_examples_show_their_tokens(page: Any, address: str, example: str) -> None:
    opened(page, address)
    page.click(f"[data-example={example}]")
    text = page.input_value("#text")
    expect_counts(page, text)
    for name in NAMES:
        encoding = wwho.get_encoding(name)
        expect(tokens(page, name)).to_have_count(encoding.count(text))
    ids = wwho.get_encoding("wwho_328k").encode(text)
    expected = [wwho.get_encoding("wwho_328k").decode([token]) for token in ids]
    assert tokens(page, "wwho_328k").all_text_contents() == expected
    expect(page.locator(f"[data-example={example}]")).to_have_attribute("aria-pressed", "true")


def test_typing_shows_the_newest_text(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "")
    text = "Then ඔයා came, और फिर हम गए."
    page.locator("#text").press_sequentially(text)
    expect_counts(page, text)


def test_tokens_are_coloured_by_route(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ගෙදර ok क्ष्म्य्व्ट्ठ्ळ")
    expect(tokens(page, "wwho_328k").last).to_have_class(re.compile("spelled"))
    kinds = tokens(page, "wwho_328k").evaluate_all("all => all.map(span => span.classList[1])")
    assert kinds[:2] == ["sgpe", "base"]
    assert set(kinds[2:]) == {"spelled"}
    colours = tokens(page, "wwho_328k").evaluate_all(
        "all => all.slice(0, 3).map(span => getComputedStyle(span).backgroundColor)"
    )
    assert len(set(colours)) == 3


@pytest.mark.parametrize("example", ["sinhala", "hindi"])
def test_token_boundaries_do_not_break_shaping(page: Any, address: str, example: str) -> None:
    """The tokens are as wide as the same text without any markup."""
    opened(page, address)
    page.click(f"[data-example={example}]")
    text = page.input_value("#text")
    expect_counts(page, text)
    count = wwho.get_encoding("wwho_328k").count(text)
    expect(tokens(page, "wwho_328k")).to_have_count(count)
    widths = page.evaluate(
        """() => {
          const box = document.getElementById("tokens-wwho_328k");
          const plain = document.createElement("div");
          plain.className = "tokens";
          plain.textContent = box.textContent;
          box.after(plain);
          return [box, plain].map((node) => {
            node.style.cssText = "white-space: pre; width: max-content; position: absolute";
            return node.getBoundingClientRect().width;
          });
        }"""
    )
    assert widths[0] == pytest.approx(widths[1], abs=0.5)
    assert widths[0] > 300


def test_a_cut_character_shows_its_bytes(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "𓀀")
    expect(tokens(page, "o200k_base").first).to_have_text(re.compile("^F0"))
    shown = "".join(tokens(page, "o200k_base").all_text_contents()).replace(" ", "")
    assert bytes.fromhex(shown).decode() == "𓀀"


def test_details_on_hover_and_by_keyboard(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ගෙදර යන පාරේ")
    encoding = wwho.get_encoding("wwho_328k")
    ids = encoding.encode("ගෙදර යන පාරේ")
    expect(tokens(page, "wwho_328k")).to_have_count(len(ids))
    card = page.locator("#card")
    expect(card).to_be_hidden()
    tokens(page, "wwho_328k").first.hover()
    expect(card).to_contain_text(str(ids[0]))
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()

    page.focus("#open")
    page.keyboard.press("Tab")
    for step, token in enumerate(ids):
        if step:
            page.keyboard.press("ArrowRight")
        expect(tokens(page, "wwho_328k").nth(step)).to_be_focused()
        data = encoding.decode_single_token_bytes(token)
        expect(card).to_contain_text(f"Id{token}")
        expect(card).to_contain_text(data.hex(" ").upper())
        units = encoding.segment(data.decode())[0].units
        assert card.locator(".unit").all_text_contents() == [unit.lstrip() for unit in units]
    page.keyboard.press("Home")
    expect(tokens(page, "wwho_328k").first).to_be_focused()
    page.keyboard.press("End")
    expect(tokens(page, "wwho_328k").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.keyboard.press("Tab")
    expect(tokens(page, "o200k_base").first).to_be_focused()


def test_arrow_down_goes_a_line_down(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "one two\nthree four")
    expect(tokens(page, "o200k_base")).to_have_count(5)
    tokens(page, "o200k_base").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".token:focus")).to_have_text("three")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".token:focus")).to_have_text("one")


def test_a_large_file_is_counted_without_freezing(
    page: Any, address: str, tmp_path: Path, artifacts: Path
) -> None:
    text = document_text()
    path = tmp_path / "document.txt"
    path.write_bytes(text.encode())
    assert path.stat().st_size > 5_000_000
    opened(page, address)
    page.evaluate(WATCH_FRAMES)
    page.set_input_files("#file", path)
    expect_counts(page, text)
    expect(page.locator("#file-state")).to_have_text("Counted in full")
    gaps = page.evaluate("window.gaps")
    states = page.evaluate("[...window.states]")
    measured = {"frames": len(gaps), "longest_gap_ms": max(gaps), "steps": len(states)}
    (artifacts / "large_file.json").write_text(json.dumps(measured), "utf-8")
    assert max(gaps) < LONGEST_GAP_MS, measured
    assert len([state for state in states if "%" in state]) >= 5, states
    expect(page.locator("#note-wwho_328k")).to_contain_text("The first 2,000 of")
    expect(tokens(page, "wwho_328k")).to_have_count(2000)
    page.click("#close-file")
    expect_counts(page, page.input_value("#text"))


def paste(page: Any, text: str) -> None:
    """Paste as the browser announces it; only what the page takes over happens."""
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { clipboardData: data, cancelable: true });
          document.getElementById("text").dispatchEvent(event);
        }""",
        text,
    )


def test_a_dropped_file_and_a_long_paste(page: Any, address: str) -> None:
    opened(page, address)
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["ඔයා 1 special अद्भुत"], "small.txt"));
          window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }"""
    )
    expect(page.locator("#file-name")).to_have_text("small.txt")
    expect_counts(page, "ඔයා 1 special अद्भुत")
    page.click("#close-file")
    pasted = "हम कल आए। " * 40_000
    paste(page, pasted)
    expect(page.locator("#file-name")).to_have_text("Pasted text")
    expect_counts(page, pasted)


def test_a_file_that_is_not_text_says_so(page: Any, address: str, tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    opened(page, address)
    page.set_input_files("#file", path)
    expect(page.locator("#alert")).to_have_text(re.compile(r"photo\.png is not UTF-8 text"))
    expect(page.locator("body")).to_have_attribute("data-state", "done")
    expect(page.locator("#text")).to_be_visible()
    expect(page.locator(".file-card")).to_be_hidden()
    expect_counts(page, page.input_value("#text"))
    expect(page.locator("#alert")).to_be_visible()
    page.click("[data-example=english]")
    expect(page.locator("#alert")).to_be_hidden()
    expect_counts(page, page.input_value("#text"))


def test_a_file_broken_at_its_end_leaves_no_counts(page: Any, address: str, tmp_path: Path) -> None:
    path = tmp_path / "half.txt"
    path.write_bytes(b"one word after another\n" * 100_000 + b"\xff")
    opened(page, address)
    page.set_input_files("#file", path)
    expect(page.locator("#alert")).to_have_text(re.compile(r"half\.txt is not UTF-8 text"))
    expect(page.locator("body")).to_have_attribute("data-state", "done")
    expect_counts(page, page.input_value("#text"))
    expect(page.locator(".file-card")).to_be_hidden()


def test_a_long_line_is_counted_but_not_edited(page: Any, address: str) -> None:
    """A key in a line of so much Sinhala would take the browser half a second and more."""
    word = "ගෙදර "
    opened(page, address)
    note = page.locator("#file-note")
    paste(page, word * 4_000)
    expect(page.locator("#file-name")).to_have_text("Pasted text")
    expect(note).to_contain_text("Too long to be edited")
    expect_counts(page, word * 4_000)
    page.click("#close-file")

    start = word * 3_500
    page.fill("#text", start)
    expect_counts(page, start)
    expect(page.locator("#text")).to_be_visible()
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    paste(page, word * 200)
    expect(page.locator("#file-name")).to_have_text("Your text")
    expect_counts(page, word * 3_700)
    page.click("#close-file")
    expect_counts(page, start)

    page.locator("#text").evaluate("(box, text) => { box.value = text }", start + "ක" * 700)
    page.keyboard.press("End")
    page.keyboard.insert_text("ක")
    expect(page.locator("#file-name")).to_have_text("Your text")
    expect(note).to_contain_text("before the last change")
    expect_counts(page, start + "ක" * 701)
    page.click("#close-file")
    assert page.input_value("#text") == start
    expect_counts(page, start)


@pytest.mark.parametrize(
    ("pattern", "answer", "message"),
    [
        ("**/wwho.wasm", {"body": b"<!doctype html>"}, "cannot compile wwho.wasm"),
        ("**/wwho.wasm", {"status": 404}, r"wwho\.wasm.* 404"),
        ("**/wwho_328k.wwho", {"status": 404}, r"wwho_328k\.wwho.* 404"),
        ("**/o200k_base.wwho", {"body": b"{}" * 40}, "MAGIC"),
        ("**/page/worker.js", {"status": 404}, "Worker failed"),
    ],
)
def test_a_broken_part_is_named(
    browser: Any, address: str, pattern: str, answer: Any, message: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route(pattern, lambda route: route.fulfill(**answer))
    page.goto(address)
    alert = page.locator("#alert")
    expect(alert).to_be_visible(timeout=20_000)
    expect(alert).to_have_text(re.compile("could not start.*" + message))
    page.click("[data-example=english]")
    expect(alert).to_be_visible()
    context.close()


def test_a_damaged_tokenizer_is_named(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()

    def damage(route: Any) -> None:
        body = bytearray(route.fetch().body())
        body[len(body) // 2] ^= 1
        route.fulfill(body=bytes(body))

    page.route("**/wwho_328k.wwho", damage)
    page.goto(address)
    expect(page.locator("#alert")).to_have_text(re.compile("CHECKSUM"), timeout=20_000)
    context.close()


def contrast(first: list[float], second: list[float]) -> float:
    """The WCAG 2 contrast ratio of two colours given as red, green and blue in 0..255."""

    def luminance(colour: list[float]) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (v / 255 for v in colour)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_can_be_read(browser: Any, address: str, scheme: str, artifacts: Path) -> None:
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": 1280, "height": 900}, device_scale_factor=2
    )
    page = opened(context.new_page(), address)
    page.fill("#text", "ගෙදර කට්ටිය ok 12 क्ष्म्य्व्ट्ठ्ळ शाम को बारिश हुई, and the 𓀀 kettle sings.")
    expect(tokens(page, "wwho_328k").first).to_be_visible()
    rgb = "value => value.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    pairs = tokens(page, "wwho_328k").evaluate_all(
        f"""all => all.map(getComputedStyle)
          .map(style => [style.color, style.backgroundColor].map({rgb}))"""
    )
    ground = page.evaluate(f"() => ({rgb})(getComputedStyle(document.body).backgroundColor)")
    soft = page.evaluate(f"() => ({rgb})(getComputedStyle(document.querySelector('footer')).color)")
    assert (sum(ground) < 200) == (scheme == "dark")
    assert min(contrast(*pair) for pair in pairs) >= 7
    assert contrast(soft, ground) >= 4.5
    tokens(page, "wwho_328k").nth(2).hover()
    page.screenshot(path=artifacts / f"page-{scheme}.png", full_page=True)
    context.close()


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_needs_no_sideways_scrolling(
    browser: Any, address: str, width: int, artifacts: Path
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 780}, device_scale_factor=2, has_touch=True
    )
    page = opened(context.new_page(), address)
    page.click("[data-example=sinhala]")
    expect_counts(page, page.input_value("#text"))
    page.screenshot(path=artifacts / f"page-phone-{width}.png", full_page=True)
    page.fill("#text", "ක" * 400 + " " + "W" * 400 + " " + "👩" * 100)
    expect_counts(page, page.input_value("#text"))
    tokens(page, "wwho_328k").nth(3).tap()
    expect(page.locator("#card")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_the_worker_module(page: Any, address: str) -> None:
    """wwho/worker: the same answers as promises, typed errors, and an end."""
    opened(page, address)
    text = "ඔයා 1 special अद्भुत"
    result = page.evaluate(
        """async (text) => {
          const { WorkerTokenizer, WwhoError, getEncoding } = await import("/worker.js");
          const tokenizer = await getEncoding("wwho_328k");
          const caught = (promise) =>
            promise.then(() => null, (error) => [error instanceof WwhoError, error.status]);
          const ids = await tokenizer.encode(text);
          const answers = [
            await tokenizer.decode(ids),
            await tokenizer.countTokens(text),
            await tokenizer.isWithinTokenLimit(text, 2),
          ];
          const units = (await tokenizer.segment(text)).map((segment) => segment.units);
          const early = caught(tokenizer.countTokens(text.repeat(100000)));
          const strict = { disallowedSpecial: "all" };
          const refused = await caught(tokenizer.encode("<|endoftext|>", strict));
          const last = caught(tokenizer.countTokens(text.repeat(200000)));
          tokenizer.free();
          return {
            ids: [...ids], answers, units, refused,
            name: tokenizer.name, nVocab: tokenizer.info.nVocab,
            early: await early, last: await last, after: await caught(tokenizer.encode("a")),
            missing: await caught(getEncoding("none")),
            relative: (await WorkerTokenizer.load("models/o200k_base.wwho")).name,
          };
        }""",
        text,
    )
    encoding = wwho.get_encoding("wwho_328k")
    assert result["ids"] == encoding.encode(text)
    assert result["answers"] == [text, encoding.count(text), False]
    assert result["units"] == [list(segment.units) for segment in encoding.segment(text)]
    assert (result["name"], result["nVocab"]) == ("wwho_328k", encoding.n_vocab)
    assert result["refused"] == [True, "SPECIAL_TOKEN"]
    assert result["early"] is None
    assert result["last"] == result["after"] == [True, "FREED"]
    assert result["missing"] == [True, "FETCH"]
    assert result["relative"] == "o200k_base"
