r"""Write the compiled pipelines with which wwho/import reads a tokenizer.json in JavaScript.

    PYTHONPATH=py python tools/gen_import_patterns.py

Compiling a pattern takes a compiler and Unicode's data. wwho/import in JavaScript has neither: it
finds the pretokenizer of a file in a table, and takes its sections from a file that this tool has
made. A file in web/package/patterns is the tokenizer of the 256 bytes, imported with a pretokenizer
or with a normal form as its normalizer. For each pretokenizer there are two, the second of which
also tells white space and word characters apart, as some flags of added tokens need. The table is
web/package/lib/shipped-patterns.js.

tests/py/test_import_patterns.py checks that all of them are current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "py"))

from wwho.assemble.base import WRITER  # noqa: E402
from wwho.compile.unicode import UNICODE_VERSION  # noqa: E402
from wwho.exporters.tokenizer_json import byte_level as components_of  # noqa: E402
from wwho.format.files import write_atomic  # noqa: E402
from wwho.format.losses import losses  # noqa: E402
from wwho.format.model import Artifact  # noqa: E402
from wwho.format.read import read_artifact  # noqa: E402
from wwho.format.steps import STAND_INS, Cut  # noqa: E402
from wwho.format.write import write_artifact  # noqa: E402
from wwho.importers import Options, Source, import_source  # noqa: E402
from wwho.importers.huggingface.mistral import PATTERN as TEKKEN  # noqa: E402
from wwho.importers.huggingface.read import ENGINE, READER  # noqa: E402

MODELS = ROOT / "py" / "wwho" / "models"
PACKAGE = ROOT / "web" / "package"
FOLDER = PACKAGE / "patterns"
TABLE = PACKAGE / "lib" / "shipped-patterns.js"

Component = dict[str, Any]

_S = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_OTHERS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _S + "?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _S + "?",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    _SPACES,
)
_LINES = r"\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)"
_RUNS = _LINES + r"|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}"
_HAN_AND_MORE = "[一-龥ࠀ-一가-\ud7ff]+"
_SYMBOLS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
_V3_WORDS = "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
_V3 = (
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    _SYMBOLS.replace('\\"', '"')
    + "|"
    + _V3_WORDS
    + "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)

REGEXES: Mapping[str, Sequence[str]] = {
    "llama3": (f"{_S}|{_WORDS}|\\p{{N}}{{1,3}}|{_OTHERS}|{_SPACES}",),
    "qwen2": (f"{_S}|{_WORDS}|\\p{{N}}|{_OTHERS}|{_SPACES}",),
    "qwen3_5": (
        _S + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + _SPACES,
    ),
    "o200k": ("|".join(_CASED),),
    "tekken": (TEKKEN,),
    "bailing": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    "seed_coder": (
        _S + "|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\r\n]+|\\s*[\r\n]+"
        "|\\s+(?!\\S)|\\s+",
    ),
    "jais2": (f"{_S}|{_WORDS}|\\p{{N}}{{1,3}}|{_OTHERS}|\\s*[\\r\\n]+|{_RUNS}",),
    "deepseek_v3": _V3,
    "tiny_aya": (r"\d{1,3}(?=(?:\d{3})*\b)", "|".join(_CASED)),
    "bloom": (" ?[^(\\s|[.,!?…。，、।۔،])]+",),
}
"""The patterns of Splits that come one after the other, as files write them."""

EXPORTED: Mapping[str, str] = {"cl100k": "cl100k_base", "gpt2": "r50k_base"}
"""Shipped encodings whose patterns `wwho export` writes as no other files do.

Those of the other encodings are among REGEXES, or the same.
"""


def byte_level(*, regex: bool, prefix: bool = False) -> Component:
    """Return a pre-tokenizer ByteLevel with these options."""
    options = {"add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}
    return {"type": "ByteLevel", **options}


def split(regex: str, behavior: str = "Isolated", *, invert: bool = False) -> Component:
    """Return a Split at the matches of a regular expression."""
    pattern = {"pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}
    return {"type": "Split", **pattern}


def digits(*, individual: bool) -> Component:
    """Return a pre-tokenizer Digits."""
    return {"type": "Digits", "individual_digits": individual}


def pre_tokenizers() -> dict[str, list[list[Component]]]:
    """Return the pretokenizers that JavaScript knows, each as its parts, by the name of their file.

    Those under one name cut alike, and are compiled to the same bytes.
    """
    found: dict[str, list[list[Component]]] = {
        "whole": [[byte_level(regex=False)]],
        "gpt2": [[byte_level(regex=True)]],
        "gpt2_prefix": [[byte_level(regex=True, prefix=True)]],
        "digit_gpt2": [[digits(individual=True), byte_level(regex=True)]],
        "digits_gpt2": [[digits(individual=False), byte_level(regex=True)]],
        "deepseek_coder": [
            [
                *map(split, ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _HAN_AND_MORE)),
                digits(individual=True),
                byte_level(regex=False),
            ]
        ],
    }
    for name, regexes in REGEXES.items():
        found[name] = [[*map(split, regexes), byte_level(regex=False)]]
        # transformers' converter of tiktoken's files writes the first form, others the second.
        if len(regexes) == 1 and name != "bloom":
            inverted = split(regexes[0], "Removed", invert=True)
            found[name].append([inverted, byte_level(regex=False)])
    for name, encoding in EXPORTED.items():
        artifact = read_artifact((MODELS / f"{encoding}.wwho").read_bytes())
        parts = components_of(artifact)["pre_tokenizer"]["pretokenizers"]
        found.setdefault(name, []).append(parts)
    return found


FORMS = ("NFC", "NFKC")
"""The normalizers that JavaScript knows."""


def synthetic(
    parts: Sequence[Component], *, form: str | None = None, marked: bool = False
) -> Artifact:
    """Return the tokenizer of the 256 bytes with a pretokenizer and a normalizer.

    Args:
        parts: the parts of the pretokenizer.
        form: the normal form of the normalizer; None: there is no normalizer.
        marked: whether an added token takes white space, so that classes tell it apart.
    """
    token = {"id": 256, "content": "<m>", "lstrip": marked, "rstrip": False, "special": True}
    model = {"type": "BPE", "vocab": dict(STAND_INS), "merges": []}
    document = {
        "added_tokens": [{**token, "single_word": False, "normalized": False}] if marked else [],
        "normalizer": {"type": form} if form else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(parts)},
        "decoder": byte_level(regex=True),
        "model": model,
    }
    data = json.dumps(document).encode()
    return import_source(Source("tokenizer.json", data), Options(name="pattern")).artifact


def key(parts: Sequence[Component]) -> str:
    """Return the text by which the table knows a pretokenizer: what counts of its parts, as JSON.

    lib/import-parts.js makes the same text of a file's pretokenizer.
    """
    counted = []
    for part in parts:
        match part:
            case {"type": "Split", "pattern": {"Regex": regex}, "behavior": by, "invert": invert}:
                counted.append(["Split", regex, by, invert])
            case {"type": "Digits", "individual_digits": individual}:
                counted.append(["Digits", individual])
            case {"type": "ByteLevel", "add_prefix_space": prefix, "use_regex": regex}:
                counted.append(["ByteLevel", prefix, regex])
    return json.dumps(counted, ensure_ascii=False, separators=(",", ":"))


def named(artifact: Artifact, name: str) -> bytes:
    """Return the bytes of an artifact whose record has this name alone."""
    return write_artifact(replace(artifact, provenance={"name": name}))


def generate() -> tuple[dict[str, bytes], str]:
    """Return the files of web/package/patterns by their names, and the text of the table.

    Raises:
        SystemExit: two pretokenizers of one name are compiled to different bytes, or a route has
            another step than cuts, of which the table could not tell the losses.
    """
    files: dict[str, bytes] = {}
    rows: list[str] = []
    for name, alike in pre_tokenizers().items():
        for parts in alike:
            artifact = synthetic(parts)
            if not all(isinstance(step, Cut) for step in artifact.routes[0].steps):
                raise SystemExit(f"{name}: the route rewrites")
            made = {name: artifact, f"{name}-marked": synthetic(parts, marked=True)}
            for file, each in made.items():
                data = named(each, name)
                if files.setdefault(file, data) != data:
                    raise SystemExit(f"{file}: {key(parts)} is compiled to other bytes")
            of_cuts = losses(replace(artifact, second=()))
            of_second = losses(artifact)[len(of_cuts) :]
            rows.append(_row(key(parts), name, of_cuts, of_second))
    forms: list[str] = []
    for form in FORMS:
        artifact = synthetic(pre_tokenizers()["gpt2"][0], form=form)
        name = form.lower()
        files[name] = named(artifact, name)
        forms.append(_row(form, name, losses(artifact)))
    url = 'new URL("../patterns/%s.wwho", import.meta.url)'
    names = "".join(f'  "{name}": () => {url % name},\n' for name in files)
    table = TEXT % {
        "generator": Path(__file__).name,
        "kind": json.dumps(READER.kind),
        "record": json.dumps({"engine": ENGINE, "unicode": UNICODE_VERSION, "writer": WRITER}),
        "files": names,
        "pre_tokenizers": "".join(rows),
        "forms": "".join(forms),
    }
    return files, table


def _row(*cells: object) -> str:
    """Return a line of the table: the key, and the other cells as a list."""
    first, *others = (json.dumps(cell, ensure_ascii=False) for cell in cells)
    return f"  {first}: [{', '.join(others)}],\n"


TEXT = """\
// What wwho/import knows of pretokenizers and normalizers. Written by tools/%(generator)s.

/** What `wwho import` calls a tokenizer.json. */
export const KIND = %(kind)s;

/** What `wwho import` records beside the file's own facts. */
export const RECORD = %(record)s;

/** @type {Readonly<Record<string, () => URL>>} The compiled files. */
export const FILES = {
%(files)s};

/**
 * For each pretokenizer the name of its file, and the losses of its cuts and of the steps after
 * the normalizer.
 * @type {Readonly<Record<string, [string, string[], string[]]>>}
 */
export const PRE_TOKENIZERS = {
%(pre_tokenizers)s};

/**
 * For each normal form the name of its file, and its losses.
 * @type {Readonly<Record<string, [string, string[]]>>}
 */
export const FORMS = {
%(forms)s};
"""


def main() -> None:
    """Write the files and the table, and delete files that are no more among them."""
    files, table = generate()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.wwho"):
        if path.stem not in files:
            path.unlink()
    for name, data in files.items():
        write_atomic(FOLDER / f"{name}.wwho", data)
    write_atomic(TABLE, table.encode("utf-8"))


if __name__ == "__main__":
    main()
