"""How the demo page shows tokens: the text itself, cuts, details, marks in all rows, stretches."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from demo_page import (
    EXAMPLE,
    NAMES,
    expect,
    expect_counts,
    expect_done,
    marked,
    native,
    opened,
    show_as,
    tokens,
)

import wwho

pytestmark = pytest.mark.page

NUMBER = re.compile("[0-9,]+")
COLOUR = "node => getComputedStyle(node).backgroundColor"


def shown(page: Any, row: int) -> str:
    """The text of a row."""
    text: str = page.locator(f"#tokens-{row}").text_content()
    return text


def test_colours_tell_tokens_and_lines_tell_kinds(page: Any, address: str) -> None:
    opened(page, address)
    text = "ගෙදර කතාව ok go 12 then"
    page.fill("#text", text)
    expect_counts(page, text)
    colours = tokens(page, 2).evaluate_all(f"all => all.map({COLOUR})")
    assert len(set(colours)) >= 4
    assert all(a != b for a, b in itertools.pairwise(colours))
    line = "node => getComputedStyle(node).textDecorationLine"
    assert tokens(page, 2).first.evaluate(line) == "underline"
    assert tokens(page, 2).last.evaluate(line) == "none"
    page.fill("#text", "क्ष्म्य्व्ट्ठ्ळ")
    expect_counts(page, "क्ष्म्य्व्ट्ठ्ळ")
    show_as(page, "Ids")
    expect(tokens(page, 2).last).to_have_class(re.compile("cut"))


def test_a_cut_syllable_is_solid_red_and_whole_to_the_eye(page: Any, address: str) -> None:
    """It is shaped as the text is, with a knife for each token."""
    opened(page, address)
    text = "අද්භුත ක්‍ෂිතිජය अद्भुत क्षितिज"
    page.fill("#text", text)
    expect_counts(page, text)
    expect_done(page)
    assert page.locator("#tokens-2 .cut").count() == 0
    expect(page.locator("#cuts-2")).to_have_text("cuts nothing")
    cuts = page.locator("#tokens-1 .cut")
    assert cuts.count() > 2
    assert len(set(cuts.evaluate_all(f"all => all.map({COLOUR})"))) == 1
    wholes = [
        unit.lstrip()
        for segment in wwho.get_encoding("wwho_328k").segment(text)
        for unit in segment.units
    ]
    assert set(cuts.all_text_contents()) <= set(wholes)
    expect(page.locator("#cuts-1")).to_have_text(f"cuts {cuts.count()} of {len(wholes)} syllables")
    for row in range(len(NAMES)):
        assert shown(page, row) == text


def test_the_rows_are_shaped_as_the_text(page: Any, address: str) -> None:
    """Neither tokens nor cuts change where anything stands: every row is as wide as the text."""
    opened(page, address)
    for example in ("sinhala", "hindi"):
        page.click(f"[data-example={example}]")
        text = page.input_value("#text")
        expect_counts(page, text)
        widths = page.evaluate(
            """() => {
              const rows = [0, 1, 2].map((row) => document.getElementById(`tokens-${row}`));
              const plain = rows[0].cloneNode();
              plain.textContent = rows[0].textContent;
              rows[0].after(plain);
              const widths = [...rows, plain].map((node) => {
                node.style.cssText = "white-space: pre; width: max-content; position: absolute";
                return node.getBoundingClientRect().width;
              });
              plain.remove();
              for (const row of rows) row.style.cssText = "";
              return widths;
            }"""
        )
        assert widths[3] > 300
        assert widths[:3] == pytest.approx([widths[3]] * 3, abs=1)


def test_a_cut_character_is_one_piece_and_its_bytes_can_be_seen(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "𓀀")
    expect_counts(page, "𓀀")
    expect(page.locator("#tokens-1 .cut")).to_have_text("𓀀")
    expect(page.locator("#tokens-1 .knives > i")).to_have_count(native("o200k_base", "𓀀"))
    show_as(page, "Bytes")
    bytes_ = "".join(tokens(page, 1).all_text_contents()).replace(" ", "")
    assert bytes.fromhex(bytes_).decode() == "𓀀"


def test_bytes_and_ids_do_not_break_in_two(page: Any, address: str) -> None:
    opened(page, address)
    for width, view in itertools.product((360, 1280), ("Bytes", "Ids")):
        page.set_viewport_size({"width": width, "height": 740})
        show_as(page, view)
        for row in range(len(NAMES)):
            assert tokens(page, row).count() == native(NAMES[row], EXAMPLE)
            lines = tokens(page, row).evaluate_all("all => all.map(e => e.getClientRects().length)")
            assert set(lines) == {1}


def test_pointing_marks_the_same_characters_in_all_rows(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ගෙදර යන පාරේ මල්")
    expect_counts(page, "ගෙදර යන පාරේ මල්")
    expect_done(page)
    encoding = wwho.get_encoding("wwho_328k")
    second = encoding.decode([encoding.encode("ගෙදර යන පාරේ මල්")[1]])
    for view in ("Text", "Ids", "Bytes"):
        show_as(page, view)
        tokens(page, 2).nth(1).hover()
        if view == "Text":
            assert marked(page) == [second] * 3
        else:
            for row in range(len(NAMES)):
                assert page.locator(f"#tokens-{row} .looked-at").count() >= 1
        page.mouse.move(5, 5)
        expect(page.locator("#card")).to_be_hidden()
        assert page.locator(".looked-at").count() == 0
        assert marked(page) == []


def test_pointing_at_a_part_marks_its_whole_character(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "a හි z")
    expect_counts(page, "a හි z")
    expect_done(page)
    page.locator("#tokens-0 .knives > i").last.hover()
    assert len(marked(page)) == 3
    assert len(set(marked(page))) == 1
    assert marked(page)[0] in "a හි z"
    assert marked(page)[0].strip()


def test_details_on_hover_and_by_keyboard(page: Any, address: str) -> None:
    opened(page, address)
    text = "ගෙදර යන පාරේ"
    page.fill("#text", text)
    expect_counts(page, text)
    expect_done(page)
    encoding = wwho.get_encoding("wwho_328k")
    ids = encoding.encode(text)
    card = page.locator("#card")
    expect(card).to_be_hidden()
    tokens(page, 2).first.hover()
    expect(card).to_contain_text(str(ids[0]))
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()

    page.focus("#pick-2")
    page.keyboard.press("Tab")
    expect(page.locator("#tokens-2")).to_be_focused()
    for step, token in enumerate(ids):
        if step:
            page.keyboard.press("ArrowRight")
        data = encoding.decode_single_token_bytes(token)
        expect(card).to_contain_text(f"Id{token}")
        expect(card).to_contain_text(data.hex(" ").upper())
        assert marked(page) == [data.decode()] * 3
    expect(page.locator("#spoken")).to_contain_text(f"token {len(ids)} of {len(ids)}")
    page.keyboard.press("Home")
    expect(card).to_contain_text(f"Id{ids[0]}")
    page.keyboard.press("End")
    expect(card).to_contain_text(f"Id{ids[-1]}")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_every_token_is_reached_once_by_arrows(page: Any, address: str) -> None:
    """Also one that has a part in a cut syllable and more after it."""
    opened(page, address)
    ids = wwho.get_encoding("o200k_base").encode(EXAMPLE)
    page.focus("#pick-1")
    page.keyboard.press("Tab")
    seen = []
    for _ in ids:
        seen.append(int(page.locator("#card dd").first.text_content()))
        page.keyboard.press("ArrowRight")
    assert seen == ids


def test_a_click_leaves_the_page_where_it_is(page: Any, address: str) -> None:
    """And a tooltip does not stay where its token has gone from."""
    page.set_viewport_size({"width": 1366, "height": 650})
    opened(page, address)
    tokens(page, 1).nth(3).click()
    assert page.evaluate("scrollY") == 0
    expect(page.locator("#card")).to_be_visible()
    page.mouse.wheel(0, 300)
    expect(page.locator("#card")).to_be_hidden()


def test_cut_characters_keep_the_direction_of_their_script(page: Any, address: str) -> None:
    """Every letter of vowelled Hebrew is left of the one before it."""
    opened(page, address)
    for start in ("", "x "):
        text = f"{start}שָׁלוֹם בַּבֹּקֶר"
        page.fill("#text", text)
        expect_counts(page, text)
        expect_done(page)
        cuts = page.locator("#tokens-1 .cut")
        assert cuts.count() > 3
        rects = cuts.evaluate_all(
            "all => all.map(span => span.getBoundingClientRect())"
            ".map(rect => [rect.left, rect.right])"
        )
        for (left, _), (_, right) in itertools.pairwise(rects):
            assert right <= left + 1
        expect(page.locator("#cuts-1")).to_have_text(re.compile("cuts .* characters"))


def test_what_cannot_be_seen_has_a_name(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "a\u200b b\n")
    expect_counts(page, "a\u200b b\n")
    expect_done(page)
    assert shown(page, 2) == "a\u200b b\n"
    names = page.locator("#tokens-2 .unseen").evaluate_all("all => all.map(e => e.dataset.name)")
    assert names == ["U+200B"]
    before = "node => getComputedStyle(node, '::before').content"
    assert page.locator("#tokens-2 .newline").evaluate(before) == '"↵"'


def test_a_part_of_an_endless_word_begins_with_a_syllable(page: Any, address: str) -> None:
    opened(page, address)
    text = "क्ष्म्य्व" * 1000
    page.fill("#text", text)
    expect(page.locator("#pager")).to_be_visible()
    expect_done(page)
    assert shown(page, 2).startswith("क्ष्म्य्व")


def test_a_long_text_is_shown_in_stretches(page: Any, address: str) -> None:
    opened(page, address)
    text = "".join(f"{i} ගෙදර යන පාරේ මල්, शाम को बारिश. \n" for i in range(300))
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
        part = shown(page, 2)
        assert part == ("x" + text)[start - 1 : end]
        assert shown(page, 0) == part
        seen = seen[: start - 1] + part
        if page.locator("#later").is_disabled() or len(seen) > 6000:
            break
        before = page.locator("#stretch").text_content()
        page.click("#later")
        expect(page.locator("#stretch")).not_to_have_text(before)
    assert seen == ("x" + text)[: len(seen)]


def test_cuts_are_said_of_what_was_looked_at(page: Any, address: str) -> None:
    opened(page, address)
    cut = "ශ්‍රී ලංකාවේ අද්භුත\n" * 100
    page.fill("#text", cut + "plain words of English\n" * 100)
    expect_done(page)
    expect(page.locator("#cuts-1")).to_have_text("cuts nothing in the part shown")
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    page.locator("#text").press("x")
    note = page.locator("#cuts-1")
    expect(note).to_have_text(re.compile("syllables in the part shown"))
    page.fill("#text", "plain words")
    expect(note).to_have_text("cuts nothing")


def test_a_word_without_an_end_is_shown_in_stretches_too(page: Any, address: str) -> None:
    opened(page, address)
    text = "a" * 30_000
    page.fill("#text", text)
    expect_counts(page, text)
    expect_done(page)
    stretch = page.locator("#stretch")
    # A button that moves once it comes into sight is missed by whoever clicks it then.
    at = "document.getElementById('pager').getBoundingClientRect().top + scrollY"
    unseen = page.evaluate(at)
    stretch.scroll_into_view_if_needed()
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(at) == unseen
    for button in ("#earlier", "#earlier", "#later"):
        before = stretch.text_content()
        page.click(button)
        expect(stretch).not_to_have_text(before)
        expect_done(page)
        start, end = (int(each.replace(",", "")) for each in NUMBER.findall(before)[:2])
        seen = [int(each.replace(",", "")) for each in NUMBER.findall(stretch.text_content())[:2]]
        assert seen[1] > end if button == "#later" else seen[0] < start
        for row in range(len(NAMES)):
            assert shown(page, row) == "a" * (seen[1] - seen[0] + 1)
        assert 1000 < seen[1] - seen[0] < 5000
