"""The page's chart of languages: its figures are right, and it comes when it is scrolled to."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from demo_page import expect, opened
from packaged import ROOT

import wwho

pytestmark = pytest.mark.page
sys.path.append(str(ROOT / "tools"))

import gen_premium  # noqa: E402

ROW = re.compile(r'lang: "(\w+)", name: "([^"]+)", own: "([^"]+)", tokens: (\[[^]]*\])')
DATA = gen_premium.TARGET.read_text("utf-8")
ENCODINGS: list[str] = json.loads(re.search(r"freeze\((\[.*?\])\)", DATA)[1])  # type: ignore[index]
LANGUAGES = {lang: (name, own, json.loads(tokens)) for lang, name, own, tokens in ROW.findall(DATA)}


def test_all_languages_are_there() -> None:
    assert {lang: row[:2] for lang, row in LANGUAGES.items()} == gen_premium.NAMES
    assert ENCODINGS[0] == "o200k_base"
    assert "wwho_328k" in ENCODINGS


def test_figures_are_as_measured(corpora: Path) -> None:
    """Of two languages and English; the tool measures all."""
    texts = gen_premium.read_texts(corpora)
    for lang in ("en", "my", "si"):
        counts = [sum(wwho.get_encoding(name).count_batch(texts[lang])) for name in ENCODINGS]
        assert LANGUAGES[lang][2] == counts


def test_what_does_not_cover_the_languages_is_left_out() -> None:
    counts = {
        "o200k_base": {"en": 10, "si": 27, "my": 31},
        "better": {"en": 10, "si": 10, "my": 31},
        "of two languages": {"en": 9, "si": 9, "my": 99},
    }
    assert gen_premium.keep_covering(counts) == ["o200k_base", "better"]
    highest = [max(row[2][i] for row in LANGUAGES.values()) for i in range(len(ENCODINGS))]
    ratios = [most / english for most, english in zip(highest, LANGUAGES["en"][2], strict=True)]
    assert max(ratios) == ratios[0]


def test_the_chart_comes_when_it_is_scrolled_to(page: Any, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, address)
    page.locator("#languages").scroll_into_view_if_needed()
    rows = page.locator("#language-rows tr")
    expect(rows).to_have_count(len(LANGUAGES) - 1)
    english = LANGUAGES["en"][2]
    dearest = sorted(LANGUAGES, key=lambda lang: -LANGUAGES[lang][2][0])[:-1]
    for lang, shown in zip(dearest, rows.all(), strict=True):
        name, own, tokens = LANGUAGES[lang]
        expect(shown.locator(f'th [lang="{lang}"]')).to_have_text(own)
        expect(shown.locator("th")).to_have_text(f"{own}{name}")
        ratios = [f"{each / base:.2f}" for each, base in zip(tokens, english, strict=True)]
        assert shown.locator(".value").all_text_contents() == ratios


def test_on_a_phone_no_head_of_the_chart_is_broken_within_a_word(page: Any, address: str) -> None:
    """The chart scrolls sideways there, and the page does not."""
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, address)
    page.locator("#languages").scroll_into_view_if_needed()
    heads = page.locator("#language-heads th")
    expect(heads).to_have_count(len(ENCODINGS) + 1)
    # A word that is broken has a rectangle in each line.
    broken = heads.evaluate_all(
        """(heads) => heads.flatMap(({ firstChild }) =>
             [...firstChild.data.matchAll(/[^\\s-]+/g)].filter(({ 0: word, index }) => {
               const range = new Range();
               range.setStart(firstChild, index);
               range.setEnd(firstChild, index + word.length);
               return range.getClientRects().length > 1;
             }).map(([word]) => word))"""
    )
    assert broken == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
