"""How long the demo page keeps its user waiting: keys pressed in 100 KB of text, in Chromium.

    python tools/bench/page.py [--keys 40] [--text hindi] [--bytes 100000] [--json FILE]

For each kind of text, the page holds 100 KB of UTF-8, or so many bytes, in paragraphs, and keys are
pressed in its middle. Three times of each key, in milliseconds: `input`, what the page's own code
takes of the main thread; `paint`, from the key to the next frame, as the browser measures
interactions (Event Timing, in steps of 8 ms, nothing below 16); `tokens`, from the key until the
new counts and tokens are on the screen. And the longest task of the main thread, where there was
one over 50 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from load import serving

CHROMIUM = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
LIMIT_MS = 50
SENTENCES = {
    "english": "When the rain stopped we walked along the shore, and nobody's home at 10:45. ",
    "hindi": "शाम को बारिश थमने के बाद हम समुद्र के किनारे टहलने निकले। ",
    "sinhala": "හවසට වැස්ස නැවතුණු පසු අපි වෙරළ දිගේ ඇවිද ගියෙමු. ",
    "mixed": "ඔයා 1 special अद्भुत, x = [1, 2]; 日本語 👩‍👩‍👧 ",
    "code": "    for (let i = 0; i < rows.length; i++) total += rows[i] * 2; // sum\n",
}
SENTENCES_IN_A_PARAGRAPH = 8

WATCH = """() => {
  window.bench = { input: [], paint: [], tokens: [], long: [0] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.bench.long.push(entry.duration);
  }).observe({ type: "longtask" });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.name === "keydown") window.bench.paint.push(entry.duration);
    }
  }).observe({ type: "event", durationThreshold: 16 });
  const text = document.getElementById("text");
  addEventListener("input", () => { window.started = performance.now(); }, true);
  text.addEventListener("input", () => window.bench.input.push(performance.now() - window.started));
  let before;
  text.addEventListener("keydown", () => (before = performance.now()));
  new MutationObserver(() => {
    if (document.body.dataset.state !== "done" || before === undefined) return;
    const since = before;
    before = undefined;
    requestAnimationFrame(() => window.bench.tokens.push(performance.now() - since));
  }).observe(document.body, { attributes: true, attributeFilter: ["data-state"] });
}"""


def long_text(sentence: str, size: int) -> str:
    """Paragraphs of one sentence, `size` bytes of UTF-8 together."""
    paragraph = (sentence * SENTENCES_IN_A_PARAGRAPH).rstrip(" ") + "\n"
    return paragraph * (size // len(paragraph.encode()) + 1)


@contextmanager
def served(address: str | None = None) -> Iterator[str]:
    """The page's address: this one, or that of a free port, where it is served as a user does."""
    if address is not None:
        yield address
        return
    with serving(Path(os.devnull)) as server:
        yield f"http://127.0.0.1:{server.port}/"


def measure(page: Any, text: str, keys: int) -> dict[str, list[float]]:
    """Press keys in the middle of a text; the times in milliseconds."""
    page.fill("#text", text)
    page.wait_for_selector("body[data-state=done]")
    page.evaluate("at => document.getElementById('text').setSelectionRange(at, at)", len(text) // 2)
    for key in "xy":  # the first keys lay out what is shown from then on
        page.keyboard.press(key)
        page.wait_for_selector("body[data-state=done]")
    page.evaluate(WATCH)
    for i in range(keys):
        page.keyboard.press("Backspace" if i % 3 == 2 else "x")
        page.wait_for_function("n => window.bench.tokens.length >= n", arg=i + 1)
    result: dict[str, list[float]] = page.evaluate("window.bench")
    return result


def summary(times: dict[str, list[float]], keys: int) -> dict[str, float]:
    """Medians and maxima in milliseconds; a key that Event Timing leaves out took under 16."""
    paint = times["paint"] + [16.0] * (keys - len(times["paint"]))
    return {
        "input_median": median(times["input"]),
        "paint_median": median(paint),
        "paint_max": max(paint),
        "tokens_median": median(times["tokens"]),
        "tokens_max": max(times["tokens"]),
        "long_max": max(times["long"]),
    }


def run(keys: int, texts: list[str], size: int, address: str | None) -> list[dict[str, Any]]:
    """Measure each of the texts, with the three tokenizers that the page opens with."""
    playwright = import_module("playwright.sync_api")
    chromium = import_module("chromium").find_browser()
    rows = []
    with served(address) as found, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=CHROMIUM)
        for name in texts:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(found)
            page.wait_for_selector("body.ready[data-state=done]")
            times = measure(page, long_text(SENTENCES[name], size), keys)
            rows.append({"text": name, **summary(times, keys)})
            page.close()
        browser.close()
    return rows


def main() -> int:
    """Print a table; 1 where an interaction took longer than it may."""
    parser = argparse.ArgumentParser(description="Interaction times of the demo page in Chromium")
    parser.add_argument("--keys", type=int, default=40, help="keys to press in each text")
    parser.add_argument("--text", choices=SENTENCES, action="append", help="only this text")
    parser.add_argument("--bytes", type=int, default=100_000, help="of UTF-8 in the page")
    parser.add_argument("--address", help="of a page that is served already")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    rows = run(options.keys, options.text or list(SENTENCES), options.bytes, options.address)
    size = f"{options.bytes / 1000:g} KB, ms"
    print(f"{size:<32} input   paint median/max   tokens median/max   longest task")
    for row in rows:
        print(
            f"{row['text']:<32}{row['input_median']:6.1f}"
            f"{row['paint_median']:11.0f} /{row['paint_max']:4.0f}"
            f"{row['tokens_median']:13.0f} /{row['tokens_max']:4.0f}{row['long_max']:13.0f}"
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return int(any(row["paint_median"] > LIMIT_MS for row in rows))


if __name__ == "__main__":
    sys.exit(main())
