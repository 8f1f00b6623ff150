"""What leaves the demo page: links and JSON, and nothing else."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from demo_page import NAMES, SAMPLE, drop, expect, expect_count, expect_ready, native, opened

import wwho

pytestmark = pytest.mark.page


def test_a_link_carries_text_and_settings(page: Any, address: str) -> None:
    requests: list[str] = []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    text = "ගෙදර යන පාරේ, क्षितिज & <b>1 + 1</b> # 👩‍👩‍👧\n" * 40
    page.fill("#text", text)
    page.select_option("#pick-a", "wwho_super_328k")
    page.select_option("#pick-b", "cl100k_base")
    page.fill("#price", "0.15")
    page.fill("#texts", "42")
    expect_ready(page)
    page.on("request", lambda request: requests.append(request.url))
    page.click("#copy-link")
    expect(page.locator("#copy-link")).to_have_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert link.startswith(f"{address}/#z")
    assert len(link) < len(text)
    assert [url for url in requests if not url.endswith("icon.svg")] == []

    page.goto("about:blank")
    opened(page, link)
    assert page.input_value("#text") == text
    assert (page.input_value("#price"), page.input_value("#texts")) == ("0.15", "42")
    expect_count(page, "#count-a", native("wwho_super_328k", text))
    expect_count(page, "#count-b", native("cl100k_base", text))
    fragment = link.split("#")[1]
    assert not any(fragment in url or "%E0" in url for url in requests)

    page.evaluate("fragment => { location.hash = fragment }", fragment[:-20])
    expect(page.locator("#alert")).to_contain_text("This link is damaged")
    assert page.input_value("#text") == text


def test_a_damaged_link_says_so_at_the_start(page: Any, address: str) -> None:
    opened(page, f"{address}/#zAAAA")
    expect(page.locator("#alert")).to_contain_text("This link is damaged")
    assert page.input_value("#text")


def test_an_edit_takes_the_link_away(page: Any, address: str) -> None:
    """Or the address would bring back what was there before the edit."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    page.fill("#text", "one")
    for field, value in (("#text", "two"), ("#price", "7")):
        page.click("#copy-link")
        expect(page).to_have_url(re.compile("/#[jz]"))
        page.fill(field, value)
        expect(page).to_have_url(f"{address}/")
    page.reload()
    expect_ready(page)
    assert (page.input_value("#text"), page.input_value("#price")) == ("two", "7")


def test_the_way_back_from_a_link(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "my own")
    page.select_option("#pick-b", "cl100k_base")
    shared = base64.b64encode(json.dumps({"text": "theirs", "price": 1e300}).encode()).decode()
    page.evaluate("fragment => { location.hash = fragment }", f"#j{shared.rstrip('=')}")
    expect(page.locator("#text")).to_have_value("theirs")
    expect_count(page, "#count-b", native("o200k_base", "theirs"))
    expect(page.locator("#pick-b")).to_have_value("o200k_base")
    expect(page.locator("#cost-note")).to_be_visible()
    page.go_back()
    expect(page.locator("#text")).to_have_value("my own")
    expect(page.locator("#pick-b")).to_have_value("cl100k_base")
    expect(page.locator("#cost-note")).to_be_hidden()


def test_copy_as_json(page: Any, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    text = "ගෙදර යන පාරේ 10:45\n" * 200
    page.fill("#text", text)
    page.click("#copy-json")
    expect(page.locator("#copy-json")).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["text"] == text
    for side, name in zip(copied["tokenizers"], NAMES, strict=True):
        ids = wwho.get_encoding(name).encode(text)
        assert side == {"name": name, "count": len(ids), "ids": ids}

    drop(page, "small.txt", SAMPLE.encode())
    expect_count(page, "#all-b", native("o200k_base", SAMPLE))
    page.click("#copy-files")
    expect(page.locator("#copy-files")).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    counts = [native(name, SAMPLE) for name in NAMES]
    file = {"path": "small.txt", "bytes": len(SAMPLE.encode()), "tokens": counts}
    assert copied == {"tokenizers": list(NAMES), "files": [file], "total": counts}


def test_nothing_of_the_text_is_sent(page: Any, address: str) -> None:
    sent: list[tuple[str, str]] = []
    page.on("request", lambda request: sent.append((request.method, request.url)))
    opened(page, address)
    page.fill("#text", "a secret: පාරේ")
    expect_count(page, "#count-a", native("wwho_328k", "a secret: පාරේ"))
    drop(page, "secret.txt", b"another secret")
    expect_count(page, "#all-a", native("wwho_328k", "another secret"))
    assert {method for method, _ in sent} == {"GET"}
    assert not [url for _, url in sent if "secret" in url or not url.startswith(address)]
