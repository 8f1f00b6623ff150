"""The demo page in Chromium, served by the real app, against what the native backend computes."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from demo_page import NAMES, SIDES, expect, expect_counts, expect_done, native, opened, tokens

import wwho

pytestmark = pytest.mark.page

TEXTS = (
    "",
    " ",
    "ඔයා 1 special अद्भुत",
    "The kettle sings; nobody's home, and it'LL boil over at 10:45.",
    "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. ශ‍්‍රී, ක්‍ෂ, ර්‍ය!",
    "बगीचे में हवा चल रही थी, और ऋतु बदल गई। ॐ नमः ऽ क्ष्म्य्व",
    "ඇpple 한국어 日本語のテキスト 👩‍👩‍👧 🇱🇰\n\n\t x\u00a0\u3000y",
    "\ufeffBOM \u200d\u200c a\u017f'\u017f 'S \U0010ffff\ue000",
    "<|endoftext|> is only text here",
    "word " * 20_000,
    "ක" * 14_000,
    "ගෙදර යන පාරේ මල් පිපිලා තිබුණා.\nक्षितिज सुनहरा हो गया।\n" * 900,
)


def test_counts_are_the_native_backends(page: Any, address: str) -> None:
    opened(page, address)
    for text in TEXTS:
        page.fill("#text", text)
        expect_counts(page, text)


@pytest.mark.parametrize(
    "names", [("cl100k_base", "wwho_super_328k"), ("wwho_super_328k", "wwho_328k")]
)
def test_any_two_tokenizers(page: Any, address: str, names: tuple[str, str]) -> None:
    opened(page, address)
    text = "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. हम कल सुबह आए थे। It rains at 10:45.\n" * 40
    page.fill("#text", text)
    for side, name in zip(SIDES, names, strict=True):
        page.select_option(f"#pick-{side}", name)
    expect_counts(page, text, names)
    for side, name in zip(SIDES, names, strict=True):
        expect(page.locator(f"#title-{side}")).to_have_text(name)
        expect(page.locator(f"#premium-{side}")).to_have_text(name)


def test_tax_context_and_cost(page: Any, address: str) -> None:
    opened(page, address)
    page.click("[data-example=sinhala]")
    text = page.input_value("#text")
    expect_counts(page, text)
    ours, theirs = (native(name, text) for name in NAMES)
    expect(page.locator("#tax")).to_have_text(f"+{100 * (theirs / ours - 1):.1f}%")
    expect(page.locator("#tax-label")).to_have_text("token tax of o200k_base")
    expect(page.locator("#context")).to_have_text(f"{theirs / ours:.2f}×")
    expect(page.locator("#summary")).to_contain_text(f"{theirs - ours} tokens more")
    page.fill("#price", "3")
    page.fill("#texts", "2000000")
    expect(page.locator("#cost-a")).to_have_text(f"${6 * ours:,.2f}")
    expect(page.locator("#cost-b")).to_have_text(f"${6 * theirs:,.2f}")
    page.fill("#price", "")
    expect(page.locator("#cost-a")).to_have_text("$0")
    page.fill("#text", "")
    expect(page.locator("#tax")).to_have_text("–")


def test_prices_have_limits(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ok")
    expect(page.locator("#unit-a")).to_have_text("token")
    note = page.locator("#cost-note")
    for price in ("1e308", "1e400", "-5"):
        page.fill("#price", "")
        page.locator("#price").press_sequentially(price)
        expect(page.locator("#cost-a")).to_have_text("–")
        expect(note).to_be_visible()
    page.fill("#price", "0.000000001")
    page.fill("#texts", "1")
    expect(page.locator("#cost-a")).to_have_text("less than $0.000001")
    expect(note).to_be_hidden()


@pytest.mark.parametrize("example", ["mixed", "sinhala", "hindi", "english", "code", "emoji"])
def test_examples_show_their_tokens(page: Any, address: str, example: str) -> None:
    opened(page, address)
    page.click(f"[data-example={example}]")
    text = page.input_value("#text")
    expect_counts(page, text)
    for side, name in zip(SIDES, NAMES, strict=True):
        expect(tokens(page, side)).to_have_count(wwho.get_encoding(name).count(text))
    encoding = wwho.get_encoding("wwho_328k")
    pieces = [encoding.decode_single_token_bytes(token) for token in encoding.encode(text)]
    plain = tokens(page, "a").evaluate_all(
        "all => all.map(span => span.children.length === 0 ? span.textContent : null)"
    )
    assert any(plain)
    for piece, part in zip(pieces, plain, strict=True):
        assert part is None or part == piece.decode()
    expect(page.locator(f"[data-example={example}]")).to_have_attribute("aria-pressed", "true")


def test_typing_shows_the_newest_text(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "")
    text = "Then ඔයා came, और फिर हम गए."
    page.locator("#text").press_sequentially(text)
    expect_counts(page, text)
    expect_done(page)
    assert "".join(tokens(page, "a").all_text_contents()) == text


def test_words_are_moved_and_replaced_so_that_it_can_be_undone(page: Any, address: str) -> None:
    opened(page, address)
    text = "alpha beta gamma"
    page.fill("#text", "")
    page.locator("#text").press_sequentially(text)
    box = page.locator("#text").bounding_box()
    at = (box["x"] + 40, box["y"] + 36)
    page.mouse.dblclick(*at)
    page.mouse.move(*at)
    page.mouse.down()
    for step in range(1, 21):
        page.mouse.move(at[0] + 15 * step, at[1])
    page.mouse.up()
    expect(page.locator("#text")).not_to_have_value(text)
    moved = page.input_value("#text")
    assert sorted(moved) == sorted(text)
    expect_counts(page, moved)
    page.keyboard.press("Control+z")
    expect(page.locator("#text")).to_have_value(text)

    page.click("[data-example=hindi]")
    expect(page.locator("[data-example=hindi]")).to_be_focused()
    expect_counts(page, page.input_value("#text"))
    page.focus("#text")
    page.keyboard.press("Control+z")
    expect(page.locator("#text")).to_have_value(text)
    expect_counts(page, text)


def test_premium_is_measured(page: Any, address: str) -> None:
    opened(page, address)
    rows = page.locator("#premium tr")
    texts = page.locator("#sentences dd").all_text_contents()
    assert len(texts) == rows.count() >= 8
    for side, name in enumerate(NAMES):
        english = native(name, texts[0])
        values = page.locator(f"#premium td:nth-of-type({side + 1}) .value").all_text_contents()
        expected = [Decimal(native(name, text)) / english for text in texts]
        cent = Decimal("0.01")
        assert values == [str(each.quantize(cent, ROUND_HALF_UP)) for each in expected]


@pytest.mark.parametrize(
    ("pattern", "answer", "message"),
    [
        ("**/wwho.wasm", {"body": b"<!doctype html>"}, "cannot compile wwho.wasm"),
        ("**/wwho.wasm", {"status": 404}, r"wwho\.wasm.* 404"),
        ("**/wwho_328k.wwho", {"status": 404}, r"wwho_328k\.wwho.* 404"),
        ("**/o200k_base.wwho", {"body": b"{}" * 40}, "MAGIC"),
        ("**/page/worker.js", {"status": 404}, "Worker failed"),
    ],
)
def test_a_broken_part_is_named(
    browser: Any, address: str, pattern: str, answer: Any, message: str
) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route(pattern, lambda route: route.fulfill(**answer))
    page.goto(address)
    alert = page.locator("#alert")
    expect(alert).to_be_visible()
    expect(alert).to_have_text(re.compile("could not start.*" + message))
    context.close()


def test_what_cannot_start_stays_said(browser: Any, address: str) -> None:
    """Whatever is tried then, all that is asked for is answered."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/page/worker.js", lambda route: route.abort())
    page.goto(address)
    alert = page.locator("#alert")
    expect(alert).to_contain_text("Worker failed")
    page.select_option("#pick-b", "cl100k_base")
    page.fill("#text", "typed")
    expect(alert).to_contain_text("could not start")
    expect(page.locator("body")).to_have_attribute("data-state", "broken")
    page.click("#copy-json")
    expect(alert).to_have_text(re.compile("^The tokenizer's Worker failed"))
    page.click("#close-alert")
    expect(alert).to_be_hidden()
    context.close()


def test_a_damaged_tokenizer_is_named(browser: Any, address: str) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()

    def damage(route: Any) -> None:
        body = bytearray(route.fetch().body())
        body[len(body) // 2] ^= 1
        route.fulfill(body=bytes(body))

    page.route("**/wwho_328k.wwho", damage)
    page.goto(address)
    expect(page.locator("#alert")).to_have_text(re.compile("CHECKSUM"))
    context.close()


def test_the_worker_module(page: Any, address: str) -> None:
    """wwho/worker: the same answers as promises, typed errors, and an end."""
    opened(page, address)
    text = "ඔයා 1 special अद्भुत"
    result = page.evaluate(
        """async (text) => {
          const { WorkerTokenizer, WwhoError, getEncoding } = await import("/worker.js");
          const tokenizer = await getEncoding("wwho_328k");
          const caught = (promise) =>
            promise.then(() => null, (error) => [error instanceof WwhoError, error.status]);
          const ids = await tokenizer.encode(text);
          const answers = [
            await tokenizer.decode(ids),
            await tokenizer.countTokens(text),
            await tokenizer.isWithinTokenLimit(text, 2),
          ];
          const units = (await tokenizer.segment(text)).map((segment) => segment.units);
          const early = caught(tokenizer.countTokens(text.repeat(100000)));
          const strict = { disallowedSpecial: "all" };
          const refused = await caught(tokenizer.encode("<|endoftext|>", strict));
          const last = caught(tokenizer.countTokens(text.repeat(200000)));
          tokenizer.free();
          return {
            ids: [...ids], answers, units, refused,
            name: tokenizer.name, nVocab: tokenizer.info.nVocab,
            early: await early, last: await last, after: await caught(tokenizer.encode("a")),
            broken: await caught(WorkerTokenizer.load(new Uint8Array(30))),
            relative: (await WorkerTokenizer.load("models/o200k_base.wwho")).name,
          };
        }""",
        text,
    )
    encoding = wwho.get_encoding("wwho_328k")
    assert result["ids"] == encoding.encode(text)
    assert result["answers"] == [text, encoding.count(text), False]
    assert result["units"] == [list(segment.units) for segment in encoding.segment(text)]
    assert (result["name"], result["nVocab"]) == ("wwho_328k", encoding.n_vocab)
    assert result["refused"] == [True, "SPECIAL_TOKEN"]
    assert result["early"] is None
    assert result["last"] == result["after"] == [True, "FREED"]
    assert result["broken"] == [True, "MAGIC"]
    assert result["relative"] == "o200k_base"
