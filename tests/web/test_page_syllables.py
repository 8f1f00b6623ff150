"""The page that shows how syllables are found: the automata at work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from demo_page import drop, expect, opened

pytestmark = pytest.mark.page
ROOT = Path(__file__).resolve().parents[2]
FONTS = ROOT / "web" / "site" / "fonts"


def at_work(page: Any, address: str, text: str) -> Any:
    """The page, with a text in it."""
    page.goto(f"{address}/syllables.html")
    expect(page.locator("body")).to_have_attribute("data-state", "done")
    page.fill("#text", text)
    return page


def test_the_automaton_at_work(page: Any, address: str) -> None:
    at_work(page, address, "ok ශ්‍රී लंका")
    segments = page.locator("#segments button")
    expect(segments).to_have_count(3)
    expect(segments.nth(1)).to_have_attribute("aria-pressed", "true")
    unit = page.locator("#units > li").first
    expect(unit.locator(".unit-face")).to_have_text("ශ්‍රී")
    expect(unit.locator("tbody tr")).to_have_count(7)
    classes = unit.locator("tbody tr:not(.ahead) b").all_text_contents()
    assert classes == ["C", "H", "Z", "C", "P"]
    expect(unit.locator(".stop")).to_have_text("emits ශ්‍රී")
    expect(page.locator("#grammar-note")).to_contain_text("Base = C V")
    segments.nth(2).click()
    expect(page.locator("#units .unit-face")).to_have_text(["लं", "का"])


def test_every_script_has_its_own_grammar(page: Any, address: str) -> None:
    at_work(page, address, "ගම")
    segments = page.locator("#segments small")
    expect(segments).to_have_text(["Sinhala"])  # and not sinhala-unicode
    page.fill("#text", "ខ្មែរ བོད་")
    expect(segments).to_have_text(["Khmer", "Tibetan"])
    expect(page.locator("#grammar-note")).to_contain_text("Khmer")
    expect(page.locator("#units .unit-face")).to_have_text(["ខ្មែ", "រ"])
    classes = page.locator("#units > li").first.locator("tbody tr:not(.ahead) b")
    assert classes.all_text_contents() == ["C", "H", "C", "P"]
    segments.nth(1).click()
    expect(page.locator("#units .unit-face")).to_have_text(["བོ", "ད་"])


def test_the_fonts_of_a_text_are_fetched_and_no_others(page: Any, address: str) -> None:
    """And the text is drawn with them; the font of a script comes when the text has one of it."""
    if not FONTS.is_dir():
        pytest.skip(f"there is no {FONTS}: tools/build_fonts.py")
    asked: list[str] = []

    def note(request: Any) -> None:
        if request.resource_type == "font":
            asked.append(Path(request.url).stem)

    page.on("request", note)
    at_work(page, address, "plain")
    page.evaluate("document.fonts.ready")
    asked.clear()  # those of the example
    for text, files, used in (
        ("plain 1", set(), set()),
        ("ខ្មែរ", {"khmer"}, {"Noto Sans Khmer"}),
        ("ok ក ລາວ བོད་", {"lao", "tibetan"}, {"Noto Sans Lao", "Noto Serif Tibetan"}),
        ("\U00011f04\U00011f05", {"kawi"}, {"Noto Sans Kawi"}),
        ("ខ្មែ 2", set(), {"Noto Sans Khmer"}),
    ):
        page.fill("#text", text)
        page.evaluate("document.fonts.ready")
        assert {re.sub(r".*-(\w+)-400-normal", r"\1", name) for name in asked} == files
        assert used <= fonts_drawn(page, "#segments")
        asked.clear()
    failed = "[...document.fonts].filter(({ status }) => status === 'error').map(String)"
    assert page.evaluate(failed) == []


def fonts_drawn(page: Any, selector: str) -> set[str]:
    """The fonts of the page's own, not of the system, that the text of an element is drawn with."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    query = {"nodeId": root, "selector": f"{selector} *"}
    found = set()
    for node in session.send("DOM.querySelectorAll", query)["nodeIds"]:
        fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        found |= {font["familyName"] for font in fonts if font["isCustomFont"]}
    session.detach()
    return found


def test_what_cannot_be_seen_is_named_in_the_machines(page: Any, address: str) -> None:
    at_work(page, address, "ab\u202ecd \0\u200b\ufeff ශ්\u200dරී")
    segments = page.locator("#segments button")
    expect(segments.first).to_contain_text("ab[U+202E]cd [U+0000][U+200B][BOM]")
    expect(segments.last).to_contain_text("ශ්\u200dරී")
    segments.first.click()
    shown = page.locator("#units").text_content()
    assert "[U+202E]" in shown
    assert not set("\u202e\0\u200b\ufeff") & set(shown)


def test_more_syllables_keep_the_focus(page: Any, address: str) -> None:
    at_work(page, address, "කමලෙසුනිමාතරුගසමලකඩලවරණජනතාපහසුව")
    more = page.locator("#more-units")
    expect(more).to_be_visible()
    more.focus()
    page.keyboard.press("Enter")
    expect(more).to_be_hidden()
    expect(page.locator("#segments button")).to_be_focused()


def test_the_pages_lead_to_each_other(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "हिन्दी ok")
    page.click("nav >> text=Syllables")
    expect(page.locator("h1")).to_have_text("How a text is cut")
    expect(page.locator("#text")).to_have_value("हिन्दी ok")
    expect(page.locator("#units .unit-face")).to_have_text(["हि", "न्दी"])
    page.click("nav >> text=Tokens")
    expect(page.locator("h1")).to_contain_text("WWHO keeps syllables whole")


def test_blocks_indices_and_pieces_of_script(page: Any, address: str, tmp_path: Path) -> None:
    """Of the model that comes with the page, and of one that is dropped on it."""
    at_work(page, address, "ගමේ ҧ 42")
    page.select_option("#pick", "script")
    faces = page.locator("#units .unit-face")
    expect(faces).to_have_text(["ගමේ", "ҧ", "space", "42"])
    expect(page.locator("#segments button")).to_have_count(0)
    rows = page.locator("#units > li").nth(1).locator("tr")
    expect(rows.nth(1)).to_have_text(re.compile(r"space U\+0020\s*Common Z 1536\s*2"))
    expect(rows.nth(2)).to_have_text(re.compile(r"ҧ U\+04A7\s*Cyrillic LM \d+\s*\d+"))
    page.fill("#text", "abc")
    expect(faces).to_have_text(["abc"])
    model = ROOT / "web" / "site" / "page" / "syllables" / "script.wwho"
    drop(page, "dropped.wwho", model.read_bytes())
    expect(page.locator("#pick")).to_have_value("dropped")
    symbols = re.compile(r"a U\+0061\s*Latin LM 1549\s*26")
    expect(page.locator("#units .steps").first).to_contain_text(symbols)
    drop(page, "broken.wwho", b"\x89WWHO and no more")
    expect(page.locator("#state")).to_contain_text("broken cannot be opened")
    expect(page.locator("#pick")).to_have_value("dropped")
    page.select_option("#pick", "o200k_base")
    expect(page.locator("#grammar-note")).to_contain_text("the pretokens that the base BPE encodes")
