"""The demo page in Chromium, served by the real app, against what the native backend computes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from demo_page import (
    EXAMPLE,
    LABELS,
    NAMES,
    expect,
    expect_count,
    expect_counts,
    expect_done,
    native,
    opened,
    show_as,
    tokens,
)

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
    "ගෙදර යන පාරේ මල් පිපිලා තිබුණා.\nक्षितिज सुनहरा हो गया।\n" * 200,
)


def test_counts_are_the_native_backends(page: Any, address: str) -> None:
    opened(page, address)
    for text in TEXTS:
        page.fill("#text", text)
        expect_counts(page, text)


def test_the_first_paint_is_real(browser: Any, address: str) -> None:
    """Without any script, index.html has the numbers and the tokens of its example."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.input_value("#text") == EXAMPLE
    expect_counts(page, EXAMPLE)
    for row, name in enumerate(NAMES):
        expect(page.locator(f"#name-{row}")).to_have_text(LABELS[row])
        expect(page.locator(f"#tokens-{row}")).to_have_text(EXAMPLE)
        shown = tokens(page, row).evaluate_all("all => all.filter(e => !e.matches('.on')).length")
        assert shown == native(name, EXAMPLE)
    context.close()


def test_the_first_paint_stays(page: Any, address: str) -> None:
    """Scripts find the example as it is, so that nothing on the page moves or flickers."""
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          const changed = () => (window.changed = true);
          for (const row of [0, 1, 2]) {
            new MutationObserver(changed).observe(
              document.getElementById(`tokens-${row}`), { childList: true, subtree: true });
          }
        })"""
    )
    opened(page, address)
    expect_counts(page, EXAMPLE)
    assert page.evaluate("window.changed") is None
    page.fill("#text", "other")
    expect_counts(page, "other")
    assert page.evaluate("window.changed") is True


def test_any_tokenizers(page: Any, address: str) -> None:
    opened(page, address)
    text = "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. हम कल सुबह आए थे। It rains at 10:45.\n" * 40
    page.fill("#text", text)
    names = ("wwho_super_328k", "wwho_328k", "o200k_base")
    for row, name in enumerate(names):
        page.select_option(f"#pick-{row}", name)
    expect_counts(page, text, names)
    labels = ("WWHO superwords", "WWHO", "GPT-4o and 5")
    for row, label in enumerate(labels):
        for part in ("name", "cost-name", "premium"):
            expect(page.locator(f"#{part}-{row}")).to_have_text(label)


def test_models_by_the_names_that_people_know(page: Any, address: str) -> None:
    """A model is its encoding and its price; another model of the same encoding loads nothing.

    Each column has the price of its model, and none where no price is known.
    """
    opened(page, address)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.select_option("#pick-0", label="GPT-5 · o200k_base")
    expect(page.locator("#name-0")).to_have_text("GPT-5")
    expect_count(page, 0, native("o200k_base", EXAMPLE))
    expect(page.locator("#rate-0")).to_have_text("at $1.25, GPT-5")
    expect(page.locator("#cost-0")).to_have_text(f"${1.25 * native('o200k_base', EXAMPLE):,.2f}")
    expect(page.locator("#rate-1")).to_have_text("at $2.50, GPT-4o")
    page.select_option("#pick-1", "gpt-4")
    expect(page.locator("#name-1")).to_have_text("GPT-4")
    expect_count(page, 1, native("cl100k_base", EXAMPLE))
    expect(page.locator("#rate-1")).to_have_text("at $30.00, GPT-4")
    expect(page.locator("#cost-1")).to_have_text(f"${30 * native('cl100k_base', EXAMPLE):,.2f}")
    expect(page.locator("#cost-2")).to_have_text("–")
    expect(page.locator("#rate-2")).to_have_text("no price known")
    expect(page.locator("#price")).to_have_value("")
    assert [url for url in asked if url.endswith(".wwho")] == []
    offered = page.locator("#pick-0 option").all_text_contents()
    assert {"o4-mini · o200k_base", "GPT-3.5 Turbo · cl100k_base"} < set(offered)
    # Azure writes gpt-35-turbo, which is no other model.
    assert not [text for text in offered if text.startswith("GPT-35")]


def test_one_number_for_the_tax(page: Any, address: str) -> None:
    """How many times the tokens of the last row: once for each of the others, and nowhere else."""
    opened(page, address)
    counts = [native(name, EXAMPLE) for name in NAMES]
    for row in (0, 1):
        ratio = (Decimal(counts[row]) / counts[2]).quantize(Decimal("0.01"), ROUND_HALF_UP)
        expect(page.locator(f"#tax-{row}")).to_have_text(f"{ratio} × WWHO")
        assert page.locator(".workbench").inner_text().count(str(ratio)) == 1
    expect(page.locator("#tax-2")).to_be_empty()
    assert "%" not in page.locator(".workbench").inner_text()
    widths = [float(page.locator(f"#bar-{i}").get_attribute("width").rstrip("%")) for i in range(3)]
    assert widths == pytest.approx([100 * count / max(counts) for count in counts])
    expect(page.locator("#summary")).to_contain_text(f"WWHO: {counts[2]}")
    page.fill("#text", "")
    expect_counts(page, "")
    expect(page.locator("#tax-0")).to_be_empty()


def test_what_it_costs(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#price", "3")
    page.fill("#texts", "2000000")
    for row, name in enumerate(NAMES):
        expect(page.locator(f"#cost-{row}")).to_have_text(f"${6 * native(name, EXAMPLE):,.2f}")
        expect(page.locator(f"#rate-{row}")).to_have_text("at $3.00")
    page.fill("#price", "0")
    expect(page.locator("#cost-0")).to_have_text("$0")
    page.fill("#price", "")
    expect(page.locator("#rate-0")).to_have_text("at $30.00, GPT-4")


def test_prices_have_limits(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "ok")
    expect(page.locator("#unit-0")).to_have_text("token")
    note = page.locator("#cost-note")
    for price in ("1e308", "1e400", "-5"):
        page.fill("#price", "")
        page.locator("#price").press_sequentially(price)
        expect(page.locator("#cost-0")).to_have_text("–")
        expect(note).to_be_visible()
    page.fill("#price", "0.000000001")
    page.fill("#texts", "1")
    expect(page.locator("#cost-0")).to_have_text("less than $0.000001")
    expect(note).to_be_hidden()


def test_examples_show_their_tokens(page: Any, address: str) -> None:
    opened(page, address)
    for example in ("sinhala", "hindi", "english", "mixed", "code", "emoji"):
        page.click(f"[data-example={example}]")
        text = page.input_value("#text")
        expect_counts(page, text)
        expect_done(page)
        for row, name in enumerate(NAMES):
            assert page.locator(f"#tokens-{row}").text_content() == text
            show_as(page, "Ids")
            ids = [int(each) for each in tokens(page, row).all_text_contents()]
            assert ids == wwho.get_encoding(name).encode(text)
            show_as(page, "Text")
        expect(page.locator(f"[data-example={example}]")).to_have_attribute("aria-pressed", "true")


CHAT = (
    ("system", "Answer in one short sentence."),
    ("user", "ක්ෂිතිජය කියන්නේ මොකක්ද?"),
    ("assistant", "අහස පොළොවට හමු වන රේඛාව."),
)


def chat_tokens(name: str, messages: Sequence[tuple[str, str]]) -> int:
    """What OpenAI's cookbook counts: three marks a message, and three to begin the answer."""
    return 3 + sum(3 + native(name, role) + native(name, content) for role, content in messages)


def test_a_chat_is_counted_as_the_api_does(page: Any, address: str) -> None:
    opened(page, address)
    page.click("#as-chat")
    expect(page.locator("#text")).to_be_hidden()
    for row, name in enumerate(NAMES):
        expect_count(page, row, chat_tokens(name, CHAT[:2]))
    page.click("#add-message")
    added = page.locator("#messages li").nth(2)
    expect(added.locator("textarea")).to_be_focused()
    expect(added.locator("select")).to_have_value("assistant")
    page.keyboard.insert_text(CHAT[2][1])
    for row, name in enumerate(NAMES):
        expect_count(page, row, chat_tokens(name, CHAT))
        # The special tokens and roles that are counted are shown, too.
        marks = page.locator(f"#tokens-{row} .role").evaluate_all(
            "all => all.map(e => e.dataset.role)"
        )
        shown = "".join(f"<|im_start|>{role}<|im_sep|>\n<|im_end|>" for role, _ in CHAT)
        assert "\n".join(marks) == f"{shown}<|im_start|>assistant<|im_sep|>"
        contents = "".join(content for _, content in CHAT)
        assert page.locator(f"#tokens-{row}").text_content() == contents
    page.locator("#messages .remove").first.click()
    expect_count(page, 2, chat_tokens("wwho_328k", CHAT[1:]))
    page.locator("#messages select").first.select_option("system")
    expect_count(page, 0, chat_tokens("cl100k_base", [("system", CHAT[1][1]), CHAT[2]]))
    page.click("#as-text")
    expect_counts(page, EXAMPLE)


def test_typing_shows_the_newest_text(page: Any, address: str) -> None:
    opened(page, address)
    page.fill("#text", "")
    text = "Then ඔයා came, और फिर हम गए."
    page.locator("#text").press_sequentially(text)
    expect_counts(page, text)
    expect_done(page)
    assert page.locator("#tokens-2").text_content() == text


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
    for row, name in enumerate(NAMES):
        english = native(name, texts[0])
        values = page.locator(f"#premium td:nth-of-type({row + 1}) .value").all_text_contents()
        expected = [Decimal(native(name, text)) / english for text in texts]
        cent = Decimal("0.01")
        assert values == [str(each.quantize(cent, ROUND_HALF_UP)) for each in expected]


@pytest.mark.parametrize(
    ("pattern", "answer", "message"),
    [
        ("**/wwho.wasm", {"body": b"<!doctype html>"}, "cannot be opened: .*compile wwho.wasm"),
        ("**/wwho.wasm", {"status": 404}, r"cannot be opened: .*wwho\.wasm.* 404"),
        ("**/wwho_328k.wwho", {"status": 404}, r"cannot be opened: .*wwho_328k\.wwho.* 404"),
        ("**/o200k_base.wwho", {"body": b"{}" * 40}, "o200k_base cannot be opened: .*MAGIC"),
        ("**/worker-thread.js", {"status": 404}, "cannot be opened: the Worker failed"),
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
    expect(alert).to_have_text(re.compile(message))
    context.close()


def test_the_other_rows_go_on_without_one_that_is_broken(browser: Any, address: str) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/o200k_base.wwho", lambda route: route.abort())
    page.goto(address)
    expect(page.locator("#alert")).to_contain_text("o200k_base cannot be opened")
    page.fill("#text", "නව පෙළ")
    for row in (0, 2):
        expect_count(page, row, native(NAMES[row], "නව පෙළ"))
    expect(page.locator("#count-1")).to_have_text("–")
    page.unroute("**/o200k_base.wwho")
    page.select_option("#pick-1", "gpt-4o")
    expect_counts(page, "නව පෙළ")
    context.close()


def test_what_cannot_start_stays_said(browser: Any, address: str) -> None:
    """Whatever is tried then, all that is asked for is answered."""
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.route("**/worker-thread.js", lambda route: route.abort())
    page.goto(address)
    alert = page.locator("#alert")
    expect(alert).to_contain_text("Worker failed")
    page.select_option("#pick-1", "cl100k_base")
    page.fill("#text", "typed")
    expect(alert).to_contain_text("Worker failed")
    expect(page.locator("body")).to_have_attribute("data-state", "broken")
    page.click("#copy-json")
    expect(alert).to_contain_text("Worker failed")
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
          const { WorkerTokenizer, WwhoError, getEncoding } = await import("/package/worker.js");
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
            relative: (await WorkerTokenizer.load("package/models/o200k_base.wwho")).name,
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
