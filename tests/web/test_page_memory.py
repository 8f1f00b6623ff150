"""In Chromium, encodings and tokenizers leave memory where it was."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

pytestmark = pytest.mark.page

TINY = Path(__file__).resolve().parents[1] / "vectors" / "tiny.wwho"
HEAP_MOST = 2_000_000  # bytes of JavaScript's heap
STILL_THERE = 3  # memories of WebAssembly that the collector may not have come to

# Every WebAssembly.Memory that is made from now on is counted, and only the first is kept.
SET_UP = """async (tiny) => {
  const { Instance } = WebAssembly;
  const collected = new FinalizationRegistry(() => window.memories--);
  window.memories = 0;
  WebAssembly.Instance = function (...values) {
    const instance = new Instance(...values);
    window.memories++;
    collected.register(instance.exports.memory);
    window.first ??= instance.exports.memory;
    return instance;
  };
  const { Tokenizer, getEncoding } = await import("/package/index.js");
  const fetched = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const [module, o200k] = [
    await WebAssembly.compile(await fetched("/package/wwho.wasm")),
    await fetched("/package/models/o200k_base.wwho"),
  ];
  const blob = Uint8Array.from(atob(tiny), (char) => char.charCodeAt(0));
  window.enc = await getEncoding("wwho_328k");
  window.text = (i) => i + ": The kettle’s on, ගෙදර යන පාරේ මල්, बगीचे में हवा चल रही थी 😀. ";
  window.work = {
    encode: (i) => enc.encode(text(i)),
    methods: (i) => {
      const { ids } = enc.encodeWithOffsets(text(i));
      enc.decode(ids), enc.countTokens(text(i)), enc.segment(text(i));
    },
    long: (i) => enc.encode(text(7).repeat(3000 * (1 + (i % 3)))),
    freed: () => new Tokenizer(module, blob).free(),
    dropped: (i) => new Tokenizer(module, blob).countTokens(text(i)),
    o200k: (i) => new Tokenizer(module, o200k).countTokens(text(i)),
  };
}"""
REPEAT = """async ([name, times]) => {
  for (let i = 0; i < times; i++) {
    window.work[name](i);
    if (i % 200 === 199) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}"""
MEMORIES = "[window.memories, window.first.buffer.byteLength]"


class Tab:
    """A page, what it does over and over, and what memory it has."""

    def __init__(self, page: Any) -> None:
        self.page, self.devtools = page, page.context.new_cdp_session(page)
        self.devtools.send("Performance.enable")

    def repeat(self, name: str, times: int) -> None:
        """Do something so many times."""
        self.page.evaluate(REPEAT, [name, times])

    def collected(self) -> tuple[int, int, int]:
        """Bytes of the heap, memories of WebAssembly, and the size of the first of them.

        What is not used any more goes at some collection, which need not be the first one.
        """
        self.devtools.send("HeapProfiler.collectGarbage")
        self.page.wait_for_timeout(20)
        metrics = self.devtools.send("Performance.getMetrics")["metrics"]
        heap = next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize")
        there, size = self.page.evaluate(MEMORIES)
        return int(heap), int(there), int(size)


@pytest.fixture(scope="module")
def tab(browser: Any, address: str) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.evaluate(SET_UP, base64.b64encode(TINY.read_bytes()).decode("ascii"))
    yield Tab(page)
    context.close()


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("encode", 100_000),
        ("methods", 10_000),
        ("long", 50),
        ("freed", 2000),
        ("dropped", 200),
        ("o200k", 15),
    ],
)
def test_memory_does_not_grow(tab: Tab, name: str, times: int) -> None:
    tab.repeat(name, min(times, max(20, times // 10)))
    heap, there, size = min(tab.collected() for _ in range(3))
    tab.repeat(name, times)
    for _ in range(100):
        heap_after, there_after, size_after = tab.collected()
        if heap_after - heap < HEAP_MOST and there_after <= there + STILL_THERE:
            break
    assert heap_after - heap < HEAP_MOST
    assert there_after <= there + STILL_THERE
    assert size_after == size
