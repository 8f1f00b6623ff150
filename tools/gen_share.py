"""Draw web/site/page/share.png for link previews: the page's own picture of its first example.

    python tools/gen_share.py

It needs Chromium, Pillow, and fonts for Sinhala. The picture depends on them, so the tests look at
its size alone.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "web" / "site" / "page" / "share.png"
COLOURS = 64
"""They take a third of the bytes, and nothing that the eye would miss."""
sys.path.append(str(ROOT / "tools" / "bench"))


def main() -> None:
    """Open the page in Chromium, press its button for a picture, and write that with 64 colours."""
    playwright = import_module("playwright.sync_api")
    chromium = import_module("chromium").find_browser()
    served = import_module("page").served
    image = import_module("PIL.Image")
    fresh = PICTURE.with_suffix(".png.new")
    with served() as address, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("body.ready[data-state=done]")
        with page.expect_download() as download:
            page.click("#picture")
        with image.open(download.value.path()) as drawn:
            drawn.convert("RGB").quantize(COLOURS).save(fresh, "PNG", optimize=True)
        fresh.replace(PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
