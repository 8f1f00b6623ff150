"""Pack the fonts of the page of syllables: web/site/fonts, with a style sheet that names them.

    python3 tools/build_fonts.py

Needs npm. Each schema has the Noto font of its script: that of web/site/package.json, or Debian's
where it is installed. A schema without either has no face, and its text the browser's own font.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "web" / "site"
DEBIAN = Path("/usr/share/fonts/truetype/noto")
"""Where Debian's package fonts-noto-core has them."""
NPM = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
FACE = """\
@font-face {{
  font-family: "wwho {name}";
  src: url("{file}");
  unicode-range: {ranges};
  font-display: swap;
}}
"""
JOINERS_AND_CIRCLE = ["U+200C-200D", "U+25CC"]  # a mark alone is shown on a dotted circle


def main() -> int:
    """Fetch the packages into a temporary folder, and put what the page needs in its place."""
    npm = shutil.which(NPM[0])
    if npm is None:
        print("build_fonts.py: npm is not installed", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(dir=SITE.parent, prefix=".fonts-") as temporary:
        folder, packed = Path(temporary), Path(temporary) / "fonts"
        packed.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SITE / name, folder)
        if code := subprocess.run([npm, *NPM[1:]], cwd=folder, check=False).returncode:
            return code
        packages = folder / "node_modules" / "@fontsource"
        names = pack([packages, DEBIAN], ROOT / "schemas", packed)
        (packed / "LICENSE.txt").write_text(licence(packages), "utf-8")
        shutil.rmtree(SITE / "fonts", ignore_errors=True)
        packed.rename(SITE / "fonts")
    print(f"web/site/fonts: fonts for {len(names)} schemas")
    return 0


def pack(folders: list[Path], schemas: Path, target: Path) -> list[str]:
    """Copy the font of each schema, from the first folder that has one, and write noto.css.

    Returns:
        The schemas that have a font.
    """
    faces = {}
    for path in sorted(schemas.glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        font = find(folders, schema["title"]) if "blocks" in schema else None
        if font is None:
            continue
        shutil.copy(font, target)
        ranges = [*("U+" + "-".join(block) for block in schema["blocks"]), *JOINERS_AND_CIRCLE]
        faces[path.stem] = FACE.format(name=path.stem, file=font.name, ranges=", ".join(ranges))
    (target / "noto.css").write_text("".join(faces.values()), "utf-8")
    return list(faces)


def find(folders: list[Path], script: str) -> Path | None:
    """The font of a script by its name in English, where a folder has one; sans serif first."""
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


def licence(packages: Path) -> str:
    """The copyright of each font, and the licence that all of them have."""
    holders, terms = set(), ""
    for path in packages.glob("*/LICENSE"):
        holder, terms = path.read_text("utf-8").split("\n", 1)
        holders.add(holder)
    return "\n".join(sorted(holders)) + "\n" + terms


if __name__ == "__main__":
    sys.exit(main())
