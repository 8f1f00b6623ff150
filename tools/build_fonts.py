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
"""Where Debian's package fonts-noto-core puts its fonts."""
NPM = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
FACE = """\
@font-face {{
  font-family: "wwho {name}";
  src: url("{file}");
  unicode-range: {ranges};
  font-display: swap;
}}
"""
# A combining mark alone is shown on a dotted circle.
JOINERS_AND_CIRCLE = ["U+200C-200D", "U+25CC"]


def main() -> int:
    """Fetch the packages into a temporary folder, and replace web/site/fonts; return the exit code.

    The fonts that are there stay until the new ones are complete.
    """
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
        (packed / "LICENSE.txt").write_text(join_licences(packages), "utf-8")
        shutil.rmtree(SITE / "fonts", ignore_errors=True)
        packed.rename(SITE / "fonts")
    print(f"web/site/fonts: fonts for {len(names)} schemas")
    return 0


def pack(folders: list[Path], schemas: Path, target: Path) -> list[str]:
    """Copy the font of each schema, from the first folder that has one, and write noto.css.

    Args:
        folders: folders of fonts, as npm's packages or Debian's have them.
        schemas: the folder of the schemas.
        target: an existing folder for the fonts and noto.css.

    Returns:
        The names of the schemas that have a font.
    """
    faces = {}
    for path in sorted(schemas.glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        font = find_font(folders, schema["title"]) if "blocks" in schema else None
        if font is None:
            continue
        shutil.copy(font, target)
        ranges = [*("U+" + "-".join(block) for block in schema["blocks"]), *JOINERS_AND_CIRCLE]
        faces[path.stem] = FACE.format(name=path.stem, file=font.name, ranges=", ".join(ranges))
    (target / "noto.css").write_text("".join(faces.values()), "utf-8")
    return list(faces)


def find_font(folders: list[Path], script: str) -> Path | None:
    """Return the font of a script in the first folder that has one, sans serif first, or None.

    Args:
        folders: folders of fonts, as npm's packages or Debian's have them.
        script: the name of the script in English.
    """
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


def join_licences(packages: Path) -> str:
    """Return the copyright lines of npm's fonts, each once, and the licence of them all."""
    holders, terms = set(), ""
    for path in packages.glob("*/LICENSE"):
        holder, terms = path.read_text("utf-8").split("\n", 1)
        holders.add(holder)
    return "\n".join(sorted(holders)) + "\n" + terms


if __name__ == "__main__":
    sys.exit(main())
