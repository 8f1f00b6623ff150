"""What the tests of the demo page share: the page, opened, and what it should show."""

from __future__ import annotations

import re
from typing import Any

import pytest

import wwho

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect

NAMES = ("wwho_328k", "o200k_base")
SIDES = ("a", "b")
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
    """Wait until both tokenizers are there, and the text is counted."""
    expect(page.locator("body")).to_have_class(re.compile("ready"))
    expect_done(page)


def expect_done(page: Any) -> None:
    """Wait until the page has shown what it was asked for last."""
    expect(page.locator("body")).to_have_attribute("data-state", "done")


def expect_counts(page: Any, text: str, names: tuple[str, str] = NAMES) -> None:
    """Wait until the page shows the native backend's counts."""
    for side, name in zip(SIDES, names, strict=True):
        count = native(name, text)
        cell = page.locator(f"#count-{side}")
        expect(cell).to_have_attribute("data-count", str(count))
        expect(cell).to_have_text(f"{count:,}")


def expect_count(page: Any, cell: str, count: int) -> None:
    """Wait for a number."""
    expect(page.locator(cell)).to_have_attribute("data-count", str(count))


def tokens(page: Any, side: str) -> Any:
    """The spans of the tokens of a side."""
    return page.locator(f"#tokens-{side} .token")


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
