"""The demo page in Chromium, served by the real app, against what the native backend computes."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect

import wwho  # noqa: E402

pytestmark = pytest.mark.page

NAMES = ("wwho_328k", "o200k_base")
SIDES = ("a", "b")
NUMBER = re.compile("[0-9,]+")
SLOW = 30_000  # milliseconds; a loaded machine takes its time
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
    "ක" * 14_000,
    "ගෙදර යන පාරේ මල් පිපිලා තිබුණා.\nक्षितिज सुनहरा हो गया।\n" * 900,
)


def native(name: str, text: str) -> int:
    """Tokens of a text, counted by the C core through cffi."""
    return wwho.get_encoding(name, backend="native").count(text)


def expect_counts(page: Any, text: str, names: tuple[str, str] = NAMES) -> None:
    """Wait until the page shows the native backend's counts."""
    for side, name in zip(SIDES, names, strict=True):
        count = native(name, text)
        cell = page.locator(f"#count-{side}")
        expect(cell).to_have_attribute("data-count", str(count), timeout=SLOW)
        expect(cell).to_have_text(f"{count:,}")


def opened(page: Any, address: str) -> Any:
    """The page, ready."""
    page.goto(address)
    expect(page.locator("body")).to_have_class(re.compile("ready"), timeout=SLOW)
    expect_done(page)
    return page


def expect_done(page: Any) -> None:
    """Wait until the page has shown what it was asked for last."""
    expect(page.locator("body")).to_have_attribute("data-state", "done", timeout=SLOW)


def tokens(page: Any, side: str) -> Any:
    """The spans of the tokens of a side."""
    return page.locator(f"#tokens-{side} .token")


def test_counts_are_the_native_backends(page: Any, address: str) -> None:
    opened(page, address)
    for text in TEXTS:
        page.fill("#text", text)
        expect_counts(page, text)


@pytest.mark.parametrize(
    "names", [("cl100k_base", "wwho_super_328k"), ("wwho_super_328k", "wwho_328k")]
)
def test_any_two_tokenizers(page: Any, address: str, names: tuple[str, str]) -> None:
    opened(page, address)
    text = "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. हम कल सुबह आए थे। It rains at 10:45.\n" * 40
    page.fill("#text", text)
    for side, name in zip(SIDES, names, strict=True):
        page.select_option(f"#pick-{side}", name)
    expect_counts(page, text, names)
    for side, name in zip(SIDES, names, strict=True):
        expect(page.locator(f"#title-{side}")).to_have_text(name)
        expect(page.locator(f"#premium-{side}")).to_have_text(name)


def test_tax_context_and_cost(page: Any, address: str) -> None:
    opened(page, address)
    page.click("[data-example=sinhala]")
    text = page.input_value("#text")
    expect_counts(page, text)
    ours, theirs = (native(name, text) for name in NAMES)
    expect(page.locator("#tax")).to_have_text(f"+{100 * (theirs / ours - 1):.1f}%")
    expect(page.locator("#tax-label")).to_have_text("token tax of o200k_base")
    expect(page.locator("#context")).to_have_text(f"{theirs / ours:.2f}×")
    expect(page.locator("#summary")).to_contain_text(f"{theirs - ours} tokens more")
    page.fill("#price", "3")
    page.fill("#texts", "2000000")
    expect(page.locator("#cost-a")).to_have_text(f"${6 * ours:,.2f}")
    expect(page.locator("#cost-b")).to_have_text(f"${6 * theirs:,.2f}")
    page.fill("#price", "")
    expect(page.locator("#cost-a")).to_have_text("$0")
    page.fill("#text", "")
    expect(page.locator("#tax")).to_have_text("–")


@pytest.mark.parametrize("example", ["mixed", "sinhala", "hindi", "english", "code", "emoji"])
def test_examples_show_their_tokens(page: Any, address: str, example: str) -> None:
    opened(page, address)
    page.click(f"[data-example={example}]")
    text = page.input_value("#text")
    expect_counts(page, text)
    for side, name in zip(SIDES, NAMES, strict=True):
        expect(tokens(page, side)).to_have_count(wwho.get_encoding(name).count(text))
    encoding = wwho.get_encoding("wwho_328k")
    pieces = [encoding.decode_single_token_bytes(token) for token in encoding.encode(text)]
    plain = tokens(page, "a").evaluate_all(
        "all => all.map(span => span.children.length === 0 ? span.textContent : null)"
    )
    assert any(plain)
    for piece, part in zip(pieces, plain, strict=True):
        assert part is None or part == piece.decode()
    expect(page.locator(f"[data-example={example}]")).to_have_attribute("aria-pressed", "true")


def test_typing_shows_the_newest_text(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "")
    text = "Then ඔයා came, और फिर हम गए."
    page.locator("#text").press_sequentially(text)
    expect_counts(page, text)
    expect_done(page)
    assert "".join(tokens(page, "a").all_text_contents()) == text


def test_tokens_are_coloured_by_route(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ගෙදර ok क्ष्म्य्व्ट्ठ्ळ")
    expect(tokens(page, "a").last).to_have_class(re.compile("spelled"))
    kinds = tokens(page, "a").evaluate_all("all => all.map(span => span.classList[1])")
    assert kinds[:2] == ["sgpe", "base"]
    assert set(kinds[2:]) == {"spelled"}
    colours = tokens(page, "a").evaluate_all(
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
    expect(tokens(page, "a")).to_have_count(native("wwho_328k", text))
    widths = page.evaluate(
        """() => {
          const box = document.getElementById("tokens-a");
          const plain = document.createElement("div");
          plain.className = "tokens";
          plain.textContent = box.textContent;
          box.after(plain);
          return [box, plain].map((node) => {
            node.style.cssText =
              "white-space: pre; width: max-content; position: absolute; contain: none";
            return node.getBoundingClientRect().width;
          });
        }"""
    )
    assert widths[0] == pytest.approx(widths[1], abs=0.5)
    assert widths[0] > 300


def test_syllables_are_torn_only_where_the_tokenizer_did_it(page: Any, address: str) -> None:
    opened(page, address)
    text = "අද්භුත ක්‍ෂිතිජය अद्भुत क्षितिज"
    page.fill("#text", text)
    expect_counts(page, text)
    expect(tokens(page, "a")).to_have_count(native("wwho_328k", text))
    assert page.locator("#tokens-a .torn").count() == 0
    expect(page.locator("#torn-a")).to_have_text("nothing cut")

    wholes = set()
    at = 0
    for segment in wwho.get_encoding("wwho_328k").segment(text):
        for unit in segment.units:
            wholes |= {at, at + (unit[0] == " ")}
            at += len(unit)
    encoding = wwho.get_encoding("o200k_base")
    starts = [0]
    for token in encoding.encode(text):
        starts.append(starts[-1] + len(encoding.decode_single_token_bytes(token).decode()))
    torn = [i for i, start in enumerate(starts[:-1]) if start not in wholes]
    shown = page.locator("#tokens-b").evaluate(
        "box => [...box.querySelectorAll('.token')]"
        ".flatMap((span, i) => span.matches('.torn-start') ? [i] : [])"
    )
    assert shown == torn
    assert len(torn) > 2
    expect(page.locator("#torn-b")).to_have_text(f"cuts: {len(torn)} inside syllables")


def test_a_cut_character_shows_its_bytes(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "𓀀")
    expect(tokens(page, "b").first).to_have_text(re.compile("^F0"))
    shown = "".join(tokens(page, "b").all_text_contents()).replace(" ", "")
    assert bytes.fromhex(shown).decode() == "𓀀"


def test_details_on_hover_and_by_keyboard(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ගෙදර යන පාරේ")
    encoding = wwho.get_encoding("wwho_328k")
    ids = encoding.encode("ගෙදර යන පාරේ")
    expect(tokens(page, "a")).to_have_count(len(ids))
    card = page.locator("#card")
    expect(card).to_be_hidden()
    tokens(page, "a").first.hover()
    expect(card).to_contain_text(str(ids[0]))
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()

    page.focus("#texts")
    page.keyboard.press("Tab")
    for step, token in enumerate(ids):
        if step:
            page.keyboard.press("ArrowRight")
        expect(tokens(page, "a").nth(step)).to_be_focused()
        data = encoding.decode_single_token_bytes(token)
        expect(card).to_contain_text(f"Id{token}")
        expect(card).to_contain_text(data.hex(" ").upper())
        units = encoding.segment(data.decode())[0].units
        assert card.locator(".unit").all_text_contents() == [unit.lstrip() for unit in units]
    page.keyboard.press("Home")
    expect(tokens(page, "a").first).to_be_focused()
    page.keyboard.press("End")
    expect(tokens(page, "a").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.keyboard.press("Tab")
    expect(tokens(page, "b").first).to_be_focused()


def test_enter_on_a_token_reached_from_a_field(page: Any, address: str) -> None:
    """Tab selects what stands in a number field, which is no selection of tokens."""
    opened(page, address)
    page.focus("#price")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(tokens(page, "a").first).to_have_attribute("aria-selected", "true")

    tokens(page, "a").nth(2).click()
    expect(tokens(page, "a").nth(2)).to_have_attribute("aria-selected", "true")
    page.evaluate(
        """() => {
          const [first, last] = document.querySelectorAll("#tokens-a .line");
          getSelection().setBaseAndExtent(first, 0, last, 1);
        }"""
    )
    tokens(page, "a").nth(1).dispatch_event("click")
    expect(tokens(page, "a").nth(1)).to_have_attribute("aria-selected", "false")


@pytest.mark.parametrize("start", ["", "x "])
def test_cut_tokens_keep_the_direction_of_their_script(page: Any, address: str, start: str) -> None:
    """Every o200k_base token of vowelled Hebrew begins left of the one before it."""
    opened(page, address)
    text = f"{start}שָׁלוֹם בַּבֹּקֶר"
    page.fill("#text", text)
    expect(tokens(page, "b")).to_have_count(native("o200k_base", text))
    assert page.locator("#tokens-b .torn.rtl").count() > 5
    rects = tokens(page, "b").evaluate_all(
        "all => all.map(span => span.getBoundingClientRect()).map(rect => [rect.left, rect.right])"
    )
    hebrew = rects[1:] if start else rects
    for (left, _), (_, right) in itertools.pairwise(hebrew):
        assert right <= left + 1
    if start:
        assert rects[0][0] < min(left for left, _ in hebrew)
    expect(page.locator("#torn-b")).to_contain_text("inside characters")

    first = tokens(page, "b").nth(len(start) // 2)
    first.focus()
    page.keyboard.press("ArrowRight" if start else "ArrowLeft")
    expect(tokens(page, "b").nth(len(start) // 2 + 1)).to_be_focused()


def test_words_are_moved_and_replaced_so_that_it_can_be_undone(page: Any, address: str) -> None:
    opened(page, address)
    text = "alpha beta gamma"
    page.fill("#text", "")
    page.locator("#text").press_sequentially(text)
    box = page.locator("#text").bounding_box()
    at = (box["x"] + 40, box["y"] + 36)
    page.mouse.dblclick(*at)
    page.mouse.move(*at)
    page.mouse.down()
    for step in range(1, 21):
        page.mouse.move(at[0] + 15 * step, at[1])
    page.mouse.up()
    expect(page.locator("#text")).not_to_have_value(text)
    moved = page.input_value("#text")
    assert sorted(moved) == sorted(text)
    expect_counts(page, moved)
    page.keyboard.press("Control+z")
    expect(page.locator("#text")).to_have_value(text)

    page.click("[data-example=hindi]")
    expect(page.locator("[data-example=hindi]")).to_be_focused()
    expect_counts(page, page.input_value("#text"))
    page.focus("#text")
    page.keyboard.press("Control+z")
    expect(page.locator("#text")).to_have_value(text)
    expect_counts(page, text)


def test_prices_have_limits(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ok")
    expect(page.locator("#unit-a")).to_have_text("token")
    note = page.locator("#cost-note")
    for price in ("1e308", "1e400", "-5"):
        page.fill("#price", "")
        page.locator("#price").press_sequentially(price)
        expect(page.locator("#cost-a")).to_have_text("–")
        expect(note).to_be_visible()
    page.fill("#price", "0.000000001")
    page.fill("#texts", "1")
    expect(page.locator("#cost-a")).to_have_text("less than $0.000001")
    expect(note).to_be_hidden()


def test_paper_keeps_the_colours(page: Any, address: str) -> None:
    opened(page, address)
    page.emulate_media(media="print")
    for kind in (".token", ".bar", ".swatch"):
        adjust = "node => getComputedStyle(node).printColorAdjust"
        assert page.locator(kind).first.evaluate(adjust) == "exact"


def test_arrow_down_goes_a_line_down(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "one two\nthree four")
    expect(tokens(page, "b")).to_have_count(5)
    tokens(page, "b").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".token:focus")).to_have_text("three")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".token:focus")).to_have_text("one")


def test_the_automaton_at_work(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ok ශ්‍රී लंका")
    segments = page.locator("#segments button")
    expect(segments).to_have_count(3)
    expect(segments.nth(1)).to_have_attribute("aria-pressed", "true")
    unit = page.locator("#units > li").first
    expect(unit.locator(".unit-face")).to_have_text("ශ්‍රී")
    expect(unit.locator("tbody tr")).to_have_count(7)
    classes = unit.locator("tbody tr:not(.ahead) b").all_text_contents()
    assert classes == ["C", "H", "Z", "C", "P"]
    expect(unit.locator(".stop")).to_have_text("emits ශ්‍රී")
    expect(page.locator("#grammar-note")).to_contain_text("C (Z? H Z? C)*")

    segments.nth(2).click()
    expect(page.locator("#units .unit-face")).to_have_text(["लं", "का"])
    tokens(page, "a").first.focus()
    page.keyboard.press("Enter")
    expect(tokens(page, "a").first).to_have_attribute("aria-selected", "true")
    expect(segments.nth(0)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#units .unit-face").first).to_have_text("ok")


def test_a_long_text_is_shown_in_stretches(page: Any, address: str) -> None:
    opened(page, address)
    text = "".join(f"{i} ගෙදර යන පාරේ මල්, शाम को बारिश. \n" for i in range(600))
    page.fill("#text", text)
    expect_counts(page, text)
    pager = page.locator("#pager")
    expect(pager).to_be_visible()
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    page.locator("#text").press("x")
    expect_counts(page, "x" + text)
    expect(page.locator("#earlier")).to_be_disabled()
    seen = ""
    while True:
        expect_done(page)
        start, end = page.evaluate(
            "document.getElementById('stretch').textContent.match(/[0-9,]+/g).slice(0, 2)"
            ".map(number => Number(number.replaceAll(',', '')))"
        )
        part = "".join(tokens(page, "a").all_text_contents()).replace("↵", "")
        assert part == ("x" + text)[start - 1 : end]
        seen = seen[: start - 1] + part
        if page.locator("#later").is_disabled() or len(seen) > 6000:
            break
        before = page.locator("#stretch").text_content()
        page.click("#later")
        expect(page.locator("#stretch")).not_to_have_text(before)
    assert seen == ("x" + text)[: len(seen)]


def test_a_word_without_an_end_is_shown_in_stretches_too(page: Any, address: str) -> None:
    opened(page, address)
    text = "a" * 30_000
    page.fill("#text", text)
    expect_counts(page, text)
    expect_done(page)
    stretch = page.locator("#stretch")
    for button in ("#earlier", "#earlier", "#later"):
        before = stretch.text_content()
        page.click(button)
        expect(stretch).not_to_have_text(before)
        expect_done(page)
        start, end = (int(each.replace(",", "")) for each in NUMBER.findall(before)[:2])
        shown = [int(each.replace(",", "")) for each in NUMBER.findall(stretch.text_content())[:2]]
        assert shown[1] > end if button == "#later" else shown[0] < start
        for side in SIDES:
            part = "".join(tokens(page, side).all_text_contents())
            assert part == "a" * (shown[1] - shown[0] + 1)
        assert 1000 < shown[1] - shown[0] < 5000


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


def expect_file_counts(page: Any, text: str) -> None:
    """Wait until the table of files sums up to the native backend's counts."""
    for side, name in zip(SIDES, NAMES, strict=True):
        total = page.locator(f"#all-{side}")
        expect(total).to_have_attribute("data-count", str(native(name, text)), timeout=SLOW)


def test_a_long_line_is_counted_but_not_edited(page: Any, address: str) -> None:
    """A key in a line of so much Sinhala would take the browser half a second and more."""
    word = "ගෙදර "
    opened(page, address)
    paste(page, word * 4_000)
    expect(page.locator("#alert")).to_contain_text("Pasted text is too long to be edited")
    expect_file_counts(page, word * 4_000)
    page.click("#clear-files")

    start = word * 3_500
    page.fill("#text", start)
    expect_counts(page, start)
    expect(page.locator("#alert")).to_be_hidden()
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    paste(page, word * 200)
    expect(page.locator("#alert")).to_contain_text("Your text is too long")
    expect_file_counts(page, word * 3_700)
    page.click("#clear-files")

    page.locator("#text").evaluate("(box, text) => { box.value = text }", start + "ක" * 700)
    page.keyboard.press("End")
    page.locator("#text").focus()
    page.keyboard.insert_text("ක")
    expect(page.locator("#alert")).to_contain_text("before the last change")
    expect_file_counts(page, start + "ක" * 701)
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
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route(pattern, lambda route: route.fulfill(**answer))
    page.goto(address)
    alert = page.locator("#alert")
    expect(alert).to_be_visible(timeout=SLOW)
    expect(alert).to_have_text(re.compile("could not start.*" + message))
    context.close()


def test_a_damaged_tokenizer_is_named(browser: Any, address: str) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()

    def damage(route: Any) -> None:
        body = bytearray(route.fetch().body())
        body[len(body) // 2] ^= 1
        route.fulfill(body=bytes(body))

    page.route("**/wwho_328k.wwho", damage)
    page.goto(address)
    expect(page.locator("#alert")).to_have_text(re.compile("CHECKSUM"), timeout=SLOW)
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
    expect_counts(page, page.input_value("#text"))
    expect(tokens(page, "a").first).to_be_visible()
    rgb = "value => value.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    pairs = tokens(page, "a").evaluate_all(
        f"""all => all.map(getComputedStyle)
          .map(style => [style.color, style.backgroundColor].map({rgb}))"""
    )
    ground = page.evaluate(f"() => ({rgb})(getComputedStyle(document.body).backgroundColor)")
    soft = page.evaluate(f"() => ({rgb})(getComputedStyle(document.querySelector('footer')).color)")
    assert (sum(ground) < 200) == (scheme == "dark")
    assert min(contrast(*pair) for pair in pairs) >= 7
    assert contrast(soft, ground) >= 4.5
    tokens(page, "a").nth(2).hover()
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
    tokens(page, "a").nth(3).tap()
    expect(page.locator("#card")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_tap_shows_the_card_and_its_button_the_syllables(browser: Any, address: str) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = opened(context.new_page(), address)
    tokens(page, "b").nth(1).scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    tokens(page, "b").nth(1).tap()
    button = page.locator("#card button")
    expect(button).to_be_visible()
    assert abs(page.evaluate("scrollY") - place) < 300
    assert page.locator("[aria-selected=true]").count() == 0
    button.tap()
    expect(page.locator("#card")).to_be_hidden()
    expect(page.locator("#title-syllables")).to_be_in_viewport()
    expect(page.locator("#segments button").first).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#segments")).to_have_class(re.compile("more-below"))
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
            broken: await caught(WorkerTokenizer.load(new Uint8Array(30))),
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
    assert result["broken"] == [True, "MAGIC"]
    assert result["relative"] == "o200k_base"
