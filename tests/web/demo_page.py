"""What the tests of the demo page share: the page, opened, and what it should show."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import wwho

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("cl100k_base", "o200k_base", "wwho_328k")
LABELS = ("GPT-4", "GPT-4o and 5", "WWHO")
EXAMPLE = "හවසට වැස්ස නැවතුණු පසු අපි වෙරළ දිගේ ඇවිද ගියෙමු. ආච්චි කියූ කතාව අහද්දී ක්ෂිතිජය රන්වන් පාට විය."
SAMPLE = "ඔයා 1 special अद्भुत"
LINE = "හවසට වැස්ස නැවතුණා; शाम को हम टहलने निकले, and nobody's home at 10:45.\n\n  "
LINE += "ශ‍්‍රී ලංකා  क्ष्म्य्व 👩‍👩‍👧 x = [1, 2];\r\n"


def native(name: str, text: str) -> int:
    """Tokens of a text, counted by the C core through cffi."""
    return wwho.get_encoding(name, backend="native").count(text)


def opened(page: Any, address: str) -> Any:
    """The page, ready."""
    page.goto(address)
    expect_ready(page)
    return page


def expect_ready(page: Any) -> None:
    """Wait until all the tokenizers are there, and the text is counted."""
    expect(page.locator("body")).to_have_class(re.compile("ready"))
    expect_done(page)


def expect_done(page: Any) -> None:
    """Wait until the page has shown what it was asked for last."""
    expect(page.locator("body")).to_have_attribute("data-state", "done")


def expect_counts(page: Any, text: str, names: Sequence[str] = NAMES) -> None:
    """Wait until the strip has the native backend's counts."""
    for row, name in enumerate(names):
        expect_count(page, row, native(name, text))


def expect_count(page: Any, row: int, count: int) -> None:
    """Wait for the number of a row in the strip."""
    cell = page.locator(f"#count-{row}")
    expect(cell).to_have_attribute("data-count", str(count))
    expect(cell).to_have_text(f"{count:,}")


def tokens(page: Any, row: int) -> Any:
    """What a row shows of its tokens: one that is partly in a cut syllable is there more often."""
    return page.locator(f"#tokens-{row} :is(.token, .knives > i)")


def show_as(page: Any, view: str) -> None:
    """Switch the rows to "Text", "Ids" or "Bytes"."""
    page.locator(".views label", has_text=view).click()


def marked(page: Any) -> list[str]:
    """The characters that are marked in the rows."""
    found: list[str] = page.evaluate("[...CSS.highlights.get('looked-at') ?? []].map(String)")
    return found


def drop(page: Any, name: str, data: bytes) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """([name, data]) => {
          const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], name));
          const drop = new DragEvent("drop", { dataTransfer: transfer, cancelable: true });
          window.dispatchEvent(drop);
        }""",
        [name, b64encode(data).decode()],  # a list of numbers takes the driver a minute for 1 MB
    )


def axe_source() -> str:
    """axe-core, from the node_modules that the tests use."""
    folders = [Path(os.environ["WWHO_NODE_MODULES"])] if "WWHO_NODE_MODULES" in os.environ else []
    for folder in (*folders, ROOT / "tests" / "node_modules"):
        path = folder / "axe-core" / "axe.min.js"
        if path.is_file():
            return path.read_text("utf-8")
    pytest.skip("axe-core is missing: npm ci in tests/")
