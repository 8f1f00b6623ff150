"""How the demo page shows tokens: whole text, cuts, details, stretches, the automata at work."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from demo_page import SIDES, expect, expect_counts, expect_done, native, opened, tokens

import wwho

pytestmark = pytest.mark.page

NUMBER = re.compile("[0-9,]+")


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


def test_arrow_down_goes_a_line_down(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "one two\nthree four")
    expect(tokens(page, "b")).to_have_count(5)
    tokens(page, "b").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".token:focus")).to_have_text("three")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".token:focus")).to_have_text("one")


def test_one_arrow_leads_through_lines_of_both_directions(page: Any, address: str) -> None:
    opened(page, address)
    text = "one\nשלום\nthree four"
    page.fill("#text", text)
    expect(tokens(page, "b")).to_have_count(native("o200k_base", text))
    tokens(page, "b").first.focus()
    for nth in range(1, native("o200k_base", text)):
        page.keyboard.press("ArrowRight")
        expect(tokens(page, "b").nth(nth)).to_be_focused()


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


def test_what_cannot_be_seen_is_named_in_the_machines(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ab\u202ecd \0\u200b\ufeff ශ්\u200dරී")
    segments = page.locator("#segments button")
    expect(segments.first).to_contain_text("ab[U+202E]cd [U+0000][U+200B][BOM]")
    expect(segments.last).to_contain_text("ශ්\u200dරී")
    segments.first.click()
    shown = page.locator("#units").text_content()
    assert "[U+202E]" in shown
    assert not set("\u202e\0\u200b\ufeff") & set(shown)


def test_a_part_of_an_endless_word_begins_with_a_syllable(page: Any, address: str) -> None:
    opened(page, address)
    text = "क्ष्म्य्व" * 1000
    page.fill("#text", text)
    expect(page.locator("#pager")).to_be_visible()
    expect_done(page)
    assert "".join(tokens(page, "a").all_text_contents()).startswith("क्ष्म्य्व")
    rules = page.locator("#units .unit-rule")
    expect(rules).to_have_text(["syllable"] * rules.count())


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


def test_cuts_are_said_of_what_was_looked_at(page: Any, address: str) -> None:
    opened(page, address)
    cut = "ශ්‍රී ලංකාවේ අද්භුත\n" * 200
    page.fill("#text", cut + "plain words of English\n" * 200)
    expect_done(page)
    expect(page.locator("#torn-b")).to_have_text("nothing cut in the stretch shown")
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    page.locator("#text").press("x")
    torn = page.locator("#torn-b")
    expect(torn).to_have_text(re.compile("inside syllables in the stretch shown"))
    page.fill("#text", "plain words")
    expect(torn).to_have_text("nothing cut")


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
