"""The demo page for every eye and hand: schemes, paper, phones, keyboard, screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from demo_page import (
    EXAMPLE,
    SAMPLE,
    axe_source,
    drop,
    expect,
    expect_counts,
    expect_done,
    opened,
    show_as,
    tokens,
)

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]
STEPS = ("typed", "bytes", "chat", "files", "empty")


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


def test_both_schemes_can_be_read(browser: Any, address: str, artifacts: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, device_scale_factor=2)
    page = opened(context.new_page(), address)
    page.fill("#text", "ගෙදර කට්ටිය ok 12 क्ष्म्य्व्ट्ठ्ळ शाम को बारिश हुई, and the 𓀀 kettle sings.")
    expect_counts(page, page.input_value("#text"))
    expect(tokens(page, 2).first).to_be_visible()
    rgb = "value => value.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        pairs = page.locator(".rows :is(.token, .cut)").evaluate_all(
            f"""all => all.map(getComputedStyle)
              .map(style => [style.color, style.backgroundColor].map({rgb}))"""
        )
        ground = page.evaluate(f"() => ({rgb})(getComputedStyle(document.body).backgroundColor)")
        soft = page.evaluate(
            f"() => ({rgb})(getComputedStyle(document.querySelector('footer')).color)"
        )
        assert (sum(ground) < 200) == (scheme == "dark")
        assert len({tuple(map(tuple, pair)) for pair in pairs}) == 5  # four colours, and red
        assert min(contrast(*pair) for pair in pairs) >= 4.5
        assert contrast(soft, ground) >= 4.5
        tokens(page, 2).nth(2).hover()
        page.screenshot(path=artifacts / f"page-{scheme}.png", full_page=True)
    context.close()


def test_media_are_respected(page: Any, address: str) -> None:
    """Paper keeps the colours, and motion is reduced where that is asked for."""
    opened(page, address)
    for motion, duration in (("reduce", "0s"), ("no-preference", "0.18s")):
        page.emulate_media(reduced_motion=motion)
        found = "getComputedStyle(document.getElementById('bar-0')).transitionDuration"
        assert page.evaluate(found) == duration
    page.emulate_media(media="print")
    for kind in (".token", ".cut", ".swatch"):
        adjust = "node => getComputedStyle(node).printColorAdjust"
        assert page.locator(kind).first.evaluate(adjust) == "exact"


def test_a_phone_needs_no_sideways_scrolling(browser: Any, address: str, artifacts: Path) -> None:
    context = browser.new_context(device_scale_factor=2, has_touch=True)
    page = opened(context.new_page(), address)
    sizes = [{"width": width, "height": 780} for width in (320, 390)]

    def expect_to_fit() -> None:
        width = page.viewport_size["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    expect_counts(page, EXAMPLE)
    for size in sizes:
        page.set_viewport_size(size)
        page.screenshot(path=artifacts / f"page-phone-{size['width']}.png", full_page=True)
        for view in ("Bytes", "Text"):
            show_as(page, view)
            expect_to_fit()
    page.fill("#text", "ක" * 400 + " " + "W" * 400 + " " + "👩" * 100)
    expect_counts(page, page.input_value("#text"))
    for size in sizes:
        page.set_viewport_size(size)
        tokens(page, 2).nth(3).tap()
        expect(page.locator("#card")).to_be_visible()
        expect_to_fit()
    drop(page, "long.txt", b"1 " * 600_000)
    expect(page.locator("#count-2")).to_have_text("1,200,000")
    fits = "(cell) => cell.scrollWidth <= cell.clientWidth"
    for size in sizes:
        page.set_viewport_size(size)
        assert all(page.locator(".count").nth(row).evaluate(fits) for row in range(3))
    context.close()


def test_ten_seconds(page: Any, address: str) -> None:
    """Numbers, text, and tokens are in sight at once; the numbers stay there."""
    opened(page, address)
    text = "\n".join([EXAMPLE] * 8)
    for width, height in ((1440, 900), (1366, 650), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.fill("#text", EXAMPLE)
        expect_counts(page, EXAMPLE)
        page.evaluate("scrollTo(0, 0)")
        for part in ("#count-0", "#count-1", "#count-2", "#text", "#tokens-0", "#tokens-1"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        if width > 1000:
            expect(page.locator("#tokens-2")).to_be_in_viewport(ratio=1)
        page.fill("#text", text)
        expect_counts(page, text)
        for part in ("#tokens-0", "#tokens-2", "#cost-2"):
            page.locator(part).scroll_into_view_if_needed()
            for row in range(3):
                expect(page.locator(f"#count-{row}")).to_be_in_viewport(ratio=1)


def expect_no_violations(page: Any, step: str, schemes: Sequence[str] = ("light", "dark")) -> None:
    """By axe: of all rules, and in the dark of contrast alone, the one that colours matter to.

    The quiet sections are looked at in the first step only: they stay as they are.
    """
    where = {"include": ["html"], "exclude": [".story"] if step in STEPS[1:] else []}
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
        found = page.evaluate(
            "([where, options]) => axe.run(where, options)",
            [where, {"resultTypes": ["violations"], **rules}],
        )
        problems = {
            each["id"]: [node["html"] for node in each["nodes"]] for each in found["violations"]
        }
        assert problems == {}, (step, scheme)


@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(browser: Any, address: str, width: int) -> None:
    source = axe_source()
    context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page = opened(context.new_page(), address)
    text = "ගෙදර ok 12 क्ष्म्य्व्ट्ठ्ळ අද්භුත\n\nthe 𓀀 kettle <b>\t👩‍👩‍👧\n"
    page.fill("#text", text)
    expect_counts(page, text)
    page.click("summary")
    page.evaluate(source)
    for step in STEPS:
        if step == "bytes":
            show_as(page, "Bytes")
        if step == "chat":
            page.click("#as-chat")
            expect_done(page)
        if step == "files":
            drop(page, "small.txt", SAMPLE.encode())
            drop(page, "photo.png", bytes(range(256)))
            drop(page, "no.wwho", b"hello")
            expect(page.locator("#file-state")).to_contain_text("Counted 1 file · ")
            expect(page.locator("#alert")).to_be_visible()
        if step == "empty":
            page.click("#as-text")
            page.fill("#text", "")
            expect_counts(page, "")
        # Which colours there are is no matter of the width.
        expect_no_violations(page, step, ("light", "dark") if width == 1280 else ("light",))
    context.close()


@pytest.mark.parametrize("name", ["syllables", "python"])
def test_axe_finds_nothing_on_the_other_pages(browser: Any, address: str, name: str) -> None:
    source = axe_source()
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{address}/{name}.html")
    # Without Pyodide, the Python page says how to get it.
    expect(page.locator({"syllables": "#units > li", "python": "#get"}[name]).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.evaluate(source)
    expect_no_violations(page, name)
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
    assert {"copy-link", "copy-json", "picture", "price", "texts"} <= reached
    assert {"as-text", "as-chat", "open", "open-folder", "open-model"} <= reached
    assert {f"{part}-{row}" for part in ("pick", "tokens") for row in range(3)} <= reached


def test_the_focus_stays_on_the_page(page: Any, address: str) -> None:
    """Where the button that has it goes away, or has no more to do."""

    def expect_focus(selector: str, presses: str) -> None:
        page.locator(presses).focus()
        page.keyboard.press("Enter")
        expect(page.locator(selector)).to_be_focused()

    opened(page, address)
    page.fill("#text", "word " * 1_000)
    expect_done(page)
    stretch = page.locator("#stretch")
    while page.locator("#earlier").is_enabled():
        before = stretch.text_content()
        expect_focus("#earlier", presses="#earlier")
        expect(stretch).not_to_have_text(before)
    expect_focus("#earlier", presses="#earlier")
    assert page.locator("#earlier").is_disabled()

    page.evaluate("location.hash = '#zAAAA'")
    expect(page.locator("#alert")).to_be_visible()
    expect_focus("#text", presses="#close-alert")

    # Made in the page: through the driver, so many bytes take half a minute.
    page.evaluate(
        """text => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text.repeat(800_000)], "a.txt"));
          const input = document.getElementById("file");
          input.files = transfer.files;
          input.dispatchEvent(new Event("change"));
        }""",
        SAMPLE,
    )
    expect_focus("#clear-files", presses="#cancel-files")


def test_a_long_name_of_an_own_tokenizer_fits(page: Any, address: str) -> None:
    opened(page, address)
    name = "my_sinhala_hindi_tokenizer_v3" * 4
    drop(page, f"{name}.wwho", (ROOT / "tests" / "vectors" / "tiny.wwho").read_bytes())
    expect(page.locator("#name-2")).to_have_text(name)
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
