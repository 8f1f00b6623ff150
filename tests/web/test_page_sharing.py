"""What leaves the demo page: links and JSON, and nothing else."""

from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from demo_page import (
    NAMES,
    SAMPLE,
    drop,
    expect,
    expect_counts,
    expect_done,
    expect_ready,
    native,
    opened,
)

import wwho

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]


def watch(page: Any, selector: str) -> None:
    """Keep that a button has said "Copied": it says so for a short while only."""
    page.evaluate(
        """(selector) => {
          const button = document.querySelector(selector);
          button.dataset.copied = "not yet";
          const note = () => button.textContent === "Copied" && (button.dataset.copied = "yes");
          new MutationObserver(note).observe(button, { childList: true });
        }""",
        selector,
    )


def expect_copied(page: Any, selector: str) -> None:
    """Wait until a button that is watched has said so."""
    expect(page.locator(selector)).to_have_attribute("data-copied", "yes")


def copy(page: Any, selector: str) -> None:
    """Click on a button that copies, and wait until it has said that it did."""
    watch(page, selector)
    page.click(selector)
    expect_copied(page, selector)


def follow(page: Any, text: str, **settings: float) -> None:
    """Follow a link, as if its address were typed on the page."""
    shared = base64.urlsafe_b64encode(json.dumps({"text": text, **settings}).encode()).decode()
    page.evaluate("fragment => { location.hash = fragment }", f"#j{shared.rstrip('=')}")
    expect(page.locator("#text")).to_have_value(text)


def test_a_link_carries_text_and_settings(page: Any, address: str) -> None:
    requests: list[str] = []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    text = "ගෙදර යන පාරේ, क्षितिज & <b>1 + 1</b> # 👩‍👩‍👧\n" * 40
    page.fill("#text", text)
    page.select_option("#pick-0", "wwho_super_328k")
    page.select_option("#pick-1", "gpt-4")
    page.fill("#price", "0.15")
    page.fill("#texts", "42")
    expect_ready(page)
    page.on("request", lambda request: requests.append(request.url))
    copy(page, "#copy-link")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert link.startswith(f"{address}/#z")
    assert len(link) < len(text)
    assert [url for url in requests if not url.endswith("icon.svg")] == []

    page.goto("about:blank")
    opened(page, link)
    assert page.input_value("#text") == text
    assert (page.input_value("#price"), page.input_value("#texts")) == ("0.15", "42")
    expect_counts(page, text, ("wwho_super_328k", "cl100k_base", "wwho_328k"))
    expect(page.locator("#name-1")).to_have_text("GPT-4")
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
    page.select_option("#pick-1", "gpt-4")
    follow(page, "theirs", price=1e300)
    expect_counts(page, "theirs")
    expect(page.locator("#pick-1")).to_have_value("o200k_base")
    expect(page.locator("#cost-note")).to_be_visible()
    page.go_back()
    expect(page.locator("#text")).to_have_value("my own")
    expect(page.locator("#pick-1")).to_have_value("gpt-4")
    expect(page.locator("#cost-note")).to_be_hidden()


def test_back_leads_to_what_was_left_there(page: Any, address: str) -> None:
    """Also behind an edited link, and after the page was loaded again."""
    text = page.locator("#text")
    opened(page, address)
    page.fill("#text", "my own")
    follow(page, "one")
    page.fill("#text", "one, edited")
    follow(page, "two")
    page.reload()
    expect_ready(page)
    expect(text).to_have_value("two")
    for there in ("one, edited", "my own"):
        page.go_back()
        expect(text).to_have_value(there)
        expect(page).to_have_url(f"{address}/")
    for there in ("one, edited", "two"):
        page.go_forward()
        expect(text).to_have_value(there)
    page.go_back()
    page.reload()
    expect_ready(page)
    expect(text).to_have_value("one, edited")


def test_to_skip_to_the_text_of_a_link_is_no_step(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "my own")
    follow(page, "theirs")
    page.focus(".skip")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    page.keyboard.type(" and mine")
    expect(page.locator("#text")).to_have_value("theirs and mine")
    expect(page).to_have_url(f"{address}/")
    page.go_back()
    expect(page.locator("#text")).to_have_value("my own")
    page.go_forward()
    expect(page.locator("#text")).to_have_value("theirs and mine")


def test_the_newest_of_two_links_wins(page: Any, address: str) -> None:
    opened(page, address)
    page.evaluate(
        """async () => {
          const { fromFragment, toFragment } = await import("/page/share/permalink.js");
          const words = Array.from({ length: 40_000 }, (_, i) => (i * 7919) % 100_003);
          const long = await toFragment({ text: words.join("\\n") });
          const short = await toFragment({ text: "short" });
          location.hash = long;
          await new Promise((go) => addEventListener("hashchange", go, { once: true }));
          location.hash = short;
          await fromFragment(long); // begun later than the page's own reading of it
        }"""
    )
    expect_done(page)
    expect(page.locator("#text")).to_have_value("short")


def test_a_link_says_what_it_leaves_out(page: Any, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    drop(page, "tiny.wwho", (ROOT / "tests" / "vectors" / "tiny.wwho").read_bytes())
    expect(page.locator("#name-2")).to_have_text("tiny")
    copy(page, "#copy-link")
    said = "The link leaves out tiny, which is only here."
    expect(page.locator("#alert")).to_have_text(said)


def test_a_link_costs_what_is_shown(page: Any, address: str) -> None:
    """An empty price is that of each model, and as a number of texts that is none."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    page.fill("#price", "")
    expect(page.locator("#rate-0")).to_have_text("at $30.00, GPT-4")
    copy(page, "#copy-link")
    link = page.url
    page.goto("about:blank")
    opened(page, link)
    expect(page.locator("#price")).to_have_value("")
    expect(page.locator("#rate-0")).to_have_text("at $30.00, GPT-4")
    for none in ("", "1.5"):
        page.fill("#texts", none)
        expect(page.locator("#cost-0")).to_have_text("–")
        expect(page.locator("#cost-note")).to_contain_text("a whole number of texts")


def test_the_copy_buttons_keep_their_names(page: Any, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    button = page.locator("#copy-link")
    for _ in range(2):
        copy(page, "#copy-link")
    expect(button).to_have_text("Copy link")


def test_json_is_of_the_text_that_was_there(page: Any, address: str) -> None:
    """The text changes, and a tokenizer is chosen, while it is worked out."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    page.select_option("#pick-1", "cl100k_base")
    text = "ගෙදර යන පාරේ शाम को\n" * 100
    page.fill("#text", text)
    expect_done(page)
    watch(page, "#copy-json")
    page.evaluate(
        """() => {
          document.getElementById("copy-json").click();
          const [text, pick] = ["text", "pick-1"].map((id) => document.getElementById(id));
          text.value = "newer";
          text.dispatchEvent(new Event("input"));
          pick.value = "o200k_base";
          pick.dispatchEvent(new Event("change"));
        }"""
    )
    expect_copied(page, "#copy-json")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["text"] == text
    for side in copied["tokenizers"]:
        assert side["ids"] == wwho.get_encoding(side["name"]).encode(text)


def test_copy_as_json(page: Any, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    text = "ගෙදර යන පාරේ 10:45\n" * 100
    page.fill("#text", text)
    copy(page, "#copy-json")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["text"] == text
    for side, name in zip(copied["tokenizers"], NAMES, strict=True):
        ids = wwho.get_encoding(name).encode(text)
        assert side == {"name": name, "count": len(ids), "ids": ids}

    drop(page, "small.txt", SAMPLE.encode())
    expect_counts(page, SAMPLE)
    copy(page, "#copy-json")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    counts = [native(name, SAMPLE) for name in NAMES]
    file = {"path": "small.txt", "bytes": len(SAMPLE.encode()), "tokens": counts}
    assert copied == {"tokenizers": list(NAMES), "files": [file], "total": counts}


def test_a_chat_goes_with_a_link(page: Any, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, address)
    page.click("#as-chat")
    page.locator("#messages textarea").last.fill("ක්ෂිතිජය?")
    expect_done(page)
    counts = [page.locator(f"#count-{row}").text_content() for row in range(3)]
    copy(page, "#copy-link")
    copy(page, "#copy-json")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert [each["role"] for each in copied["messages"]] == ["system", "user"]
    assert [str(each["count"]) for each in copied["tokenizers"]] == counts
    link = page.url
    page.goto("about:blank")
    opened(page, link)
    expect(page.locator("#messages textarea").last).to_have_value("ක්ෂිතිජය?")
    for row, count in enumerate(counts):
        expect(page.locator(f"#count-{row}")).to_have_text(count)


def test_the_picture(page: Any, address: str) -> None:
    """A PNG as link previews show it, small enough to be sent on."""
    opened(page, address)
    for text in (None, "one word", "a" * 30_000, "👩‍👩‍👧 שלום\n" * 40):
        if text:
            page.fill("#text", text)
            expect_counts(page, text)
        with page.expect_download() as download:
            page.click("#picture")
        assert download.value.suggested_filename == "tokens.png"
        data = Path(download.value.path()).read_bytes()
        assert size_of_png(data) == (1200, 630)
        assert 5_000 < len(data) < 200_000


def size_of_png(data: bytes) -> tuple[int, int]:
    """Width and height, in pixels."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_what_link_previews_show(page: Any, address: str) -> None:
    """A picture that is there, of the size that is said, and the numbers in words."""
    page.goto(address)
    meta = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("meta")].map(
          (node) => [node.getAttribute("property") ?? node.name, node.content]))"""
    )
    counts = [page.locator(f"#count-{row}").text_content() for row in range(3)]
    assert all(count in meta["og:description"] for count in counts)
    assert meta["twitter:card"] == "summary_large_image"
    response = page.request.get(f"{address}/{meta['og:image']}")
    assert response.headers["content-type"] == "image/png"
    size = (int(meta["og:image:width"]), int(meta["og:image:height"]))
    assert size_of_png(response.body()) == size
    assert len(response.body()) <= 60_000


def test_nothing_of_the_text_is_sent(page: Any, address: str) -> None:
    sent: list[tuple[str, str]] = []
    page.on("request", lambda request: sent.append((request.method, request.url)))
    opened(page, address)
    page.fill("#text", "a secret: පාරේ")
    expect_counts(page, "a secret: පාරේ")
    drop(page, "secret.txt", b"another secret")
    expect_counts(page, "another secret")
    assert {method for method, _ in sent} == {"GET"}
    assert not [url for _, url in sent if "secret" in url or not url.startswith(address)]


def test_what_another_page_has_stored_is_left_alone(page: Any, address: str) -> None:
    """The storage is that of every page of the origin."""
    opened(page, address)
    for foreign in ("{}", "5", '"s"', "{"):
        page.evaluate(
            """(value) => addEventListener("pagehide", () => {
              for (const key in { ...sessionStorage }) sessionStorage[key] = value;
            })""",
            foreign,
        )
        page.reload()
        expect_ready(page)
        assert page.input_value("#text")
