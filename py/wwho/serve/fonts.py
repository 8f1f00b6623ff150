"""Noto fonts for the page of syllables: a style sheet, and the fonts it names.

They are npm's packages `@fontsource/noto-sans-khmer` and the like, or those of this machine. The
package of the server holds none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from wwho.compile.document import shipped_files
from wwho.serve.files import MIME_TYPES, REVALIDATE, File, from_npm

DEBIAN = Path("/usr/share/fonts/truetype/noto")
"""Where Debian's package fonts-noto-core has them."""
FACE = """\
@font-face {{
  font-family: "wwho {name}";
  src: url("{file}");
  unicode-range: {ranges};
  font-display: swap;
}}
"""
TYPES = {".woff2": "font/woff2", ".ttf": "font/ttf"}
JOINERS_AND_CIRCLE = ["U+200C-200D", "U+25CC"]  # a mark alone is shown on a dotted circle


def folders() -> list[Path]:
    """Where fonts are looked for: among npm's packages, here or in a folder above; in Debian's."""
    npm = from_npm("@fontsource")
    return [DEBIAN] if npm is None else [npm, DEBIAN]


def routes(folders: Sequence[Path]) -> Blueprint:
    """The routes `/fonts/noto.css`, with a font face for each schema, and `/fonts/FILE` of those.

    A browser asks for the fonts whose scripts are on the page. A script has the font of the first
    folder that has one; without one, its schema has no face. The folders are read now; their fonts
    when they are asked for first.
    """
    blueprint = Blueprint("fonts", __name__)
    faces, fonts = [], {}
    for name, document in sorted(shipped_files().items()):
        if "/" in name:  # those of the paper name no script
            continue
        schema = json.loads(document.read_text("utf-8"))
        path = _font(folders, schema["title"])
        if path is None:
            continue
        fonts[path.name] = path
        ranges = [*("U+" + "-".join(block) for block in schema["blocks"]), *JOINERS_AND_CIRCLE]
        faces.append(FACE.format(name=name, file=path.name, ranges=", ".join(ranges)))
    css = File(MIME_TYPES[".css"], "".join(faces).encode())
    read = cache(lambda name: File(TYPES[fonts[name].suffix], fonts[name].read_bytes()))

    @blueprint.get("/fonts/noto.css")
    def styles() -> Response:
        return css.response(REVALIDATE)

    @blueprint.get("/fonts/<name>")
    def font(name: str) -> Response:
        if name not in fonts:
            raise NotFound
        return read(name).response(REVALIDATE)

    return blueprint


def _font(folders: Sequence[Path], script: str) -> Path | None:
    """The font of a script by its name in English, where a folder has one."""
    words = re.findall("[A-Za-z]+", script)
    name, slug = "".join(map(str.capitalize, words)), "-".join(words).lower()
    files = (
        folder / file
        for folder in folders
        for kind in ("Sans", "Serif")
        for package in (f"noto-{kind.lower()}-{slug}",)
        for file in (
            f"{package}/files/{package}-{slug}-400-normal.woff2",
            f"Noto{kind}{name}-Regular.ttf",
        )
    )
    return next((file for file in files if file.is_file()), None)
