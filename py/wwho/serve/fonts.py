"""Noto fonts of this machine, for the page of syllables: a style sheet, and the fonts it names.

The package holds none: those of 60 scripts are 5.2 MB.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from wwho.compile.document import shipped_files
from wwho.serve.files import MIME_TYPES, REVALIDATE, File

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
JOINERS_AND_CIRCLE = ["U+200C-200D", "U+25CC"]  # a mark alone is shown on a dotted circle


def routes(folder: Path) -> Blueprint:
    """The routes `/fonts/noto.css`, with a font face for each schema, and `/fonts/FILE` of those.

    A browser asks for the fonts whose scripts are on the page. A schema whose script has no font in
    the folder has no face. The folder is read now; its fonts when they are asked for first.
    """
    blueprint = Blueprint("fonts", __name__)
    faces, fonts = [], {}
    for name, document in sorted(shipped_files().items()):
        if "/" in name:  # those of the paper name no script
            continue
        schema = json.loads(document.read_text("utf-8"))
        path = _font(folder, schema["title"])
        if path is None:
            continue
        fonts[path.name] = path
        ranges = [*("U+" + "-".join(block) for block in schema["blocks"]), *JOINERS_AND_CIRCLE]
        faces.append(FACE.format(name=name, file=path.name, ranges=", ".join(ranges)))
    css = File(MIME_TYPES[".css"], "".join(faces).encode())
    read = cache(lambda name: File("font/ttf", fonts[name].read_bytes()))

    @blueprint.get("/fonts/noto.css")
    def styles() -> Response:
        return css.response(REVALIDATE)

    @blueprint.get("/fonts/<name>")
    def font(name: str) -> Response:
        if name not in fonts:
            raise NotFound
        return read(name).response(REVALIDATE)

    return blueprint


def _font(folder: Path, script: str) -> Path | None:
    """The font of a script by its name in English, where the folder has one."""
    name = "".join(word.capitalize() for word in re.findall("[A-Za-z]+", script))
    files = (folder / f"Noto{kind}{name}-Regular.ttf" for kind in ("Sans", "Serif"))
    return next((file for file in files if file.is_file()), None)
