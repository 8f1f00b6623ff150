r"""Write the rules by which wwho/import refuses a file in JavaScript, without starting Python.

    PYTHONPATH=py python tools/gen_import_kinds.py

The rules are those of wwho.importers: how files begin that a reader takes, and what else there is.
The table is web/package/lib/import-kinds.js, whose expressions run over bytes as characters.

tests/py/test_import_patterns.py checks that it is current.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "py"))

from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.foreign import HEAD, KINDS, NO_CONTENT  # noqa: E402
from wwho.importers.detect import OTHERS, READERS, SAY_LITTLE  # noqa: E402
from wwho.importers.source import JSON_BEGINS  # noqa: E402

TABLE = ROOT / "web" / "package" / "lib" / "import-kinds.js"

SPACES = r"[\t-\r ]"
"""What `\\s` is among bytes, which in JavaScript has characters beyond ASCII, too."""


def in_javascript(pattern: bytes) -> str:
    """Return a pattern over bytes as a regular expression of JavaScript, which matches at a start.

    Raises:
        SystemExit: it has `\\s` or flags in a place that this does not know.
    """
    text, flags = pattern.decode("latin-1"), "s"
    if text.startswith("(?i:") and text.endswith(")"):
        text, flags = text[len("(?i:") : -1], "is"
    if re.search(r"\(\?[a-z]|\\[SdDwWbBAZ]|\[[^\]]*\\s", text.replace(r"\w", "")):
        raise SystemExit(f"{pattern!r} may be another in JavaScript")
    text = text.replace(r"\s", SPACES)
    text = re.sub(r"\[[^\]]*\]|/", lambda found: r"\/" if found[0] == "/" else found[0], text)
    if not text.isascii():
        raise SystemExit(f"{pattern!r} is to have no bytes beyond ASCII but as escapes")
    return f"/^(?:{text})/{flags}"


def generate() -> str:
    """Return the text of the table."""
    marks = sorted({mark for reader in READERS for mark in reader.marks})
    return TEXT % {
        "generator": Path(__file__).name,
        "head": HEAD,
        "say_little": json.dumps(SAY_LITTLE),
        "known": json.dumps([reader.kind for reader in READERS]),
        "json": in_javascript(JSON_BEGINS),
        "begins": "".join(f"  {each},\n" for each in _distinct(r.begins for r in READERS)),
        "marks": json.dumps(marks, ensure_ascii=False),
        "foreign": _rows((*KINDS, *NO_CONTENT)),
        "others": _rows(OTHERS),
    }


def _distinct(patterns: Iterable[bytes]) -> list[str]:
    """Return patterns for JavaScript, each once, but for that of JSON."""
    return list(dict.fromkeys(map(in_javascript, (p for p in patterns if p != JSON_BEGINS))))


def _rows(kinds: Iterable[tuple[bytes, str]]) -> str:
    """Return lines of a list: each a pattern, and the words for what matches it."""
    return "".join(f"  [{in_javascript(p)}, {json.dumps(words)}],\n" for p, words in kinds)


TEXT = """\
// How files begin, for wwho/import; bytes are characters here. Written by tools/%(generator)s.

/** How many bytes of a file are looked at. */
export const HEAD = %(head)d;

/** Names of files for which their folder must say how text is cut. */
export const SAY_LITTLE = %(say_little)s;

/** The kinds of file that `wwho import` reads. */
export const KNOWN = %(known)s;

/** How JSON begins. */
export const JSON_BEGINS = %(json)s;

/** How the other files begin, or may begin, that `wwho import` reads. */
export const BEGINS = [
%(begins)s];

/** Texts, one of which stands in every JSON that `wwho import` reads, unless it escapes letters. */
export const MARKS = %(marks)s;

/**
 * Other files, and the words for them; a mark of byte order before them does not count.
 * @type {[RegExp, string][]}
 */
export const FOREIGN = [
%(foreign)s];

/** Other files, and the words for them. @type {[RegExp, string][]} */
export const OTHERS = [
%(others)s];
"""


def main() -> None:
    """Write the table."""
    write_atomic(TABLE, generate().encode("utf-8"))


if __name__ == "__main__":
    main()
