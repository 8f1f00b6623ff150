"""Train small vocabularies, measure n-gram models over their ids, and print a table in Markdown.

    python tools/measure_likelihood.py ../shared/corpora build/likelihood [ta si hi kn]

For each language: the first 6 MB of its training text, for the vocabularies and for the language
models, and the first 0.8 MB of its test text, each up to a line end; of the mixed training text,
the lines of which at least half the letters are in the language's script. The folder gets the
texts, the vocabularies and a report for each language.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from wwho.cli.main import main as wwho
from wwho.corpus import Corpus
from wwho.format.files import write_atomic
from wwho.tokenizer.tokenizer import Tokenizer
from wwho.train.baselines import train_baselines

TRAINING_BYTES, HELD_OUT_BYTES = 6_000_000, 800_000
IDS, BASE_IDS = 16_000, 1_000


class Language(NamedTuple):
    """Where a language's training text is.

    Attributes:
        schema: the schema of its script.
        training: the file of its training text.
        block: the first and the last code point of its script, where the file has other text too.
    """

    schema: str
    training: str
    block: tuple[int, int] | None = None


LANGUAGES = {
    "ta": Language("tamil", "train_ta.txt.xz"),
    "si": Language("sinhala", "train_mix.txt.xz", (0xD80, 0xDFF)),
    "hi": Language("devanagari", "train_mix.txt.xz", (0x900, 0x97F)),
    "kn": Language("kannada", "train_kn.txt.xz"),
}
METHODS = {
    "bytes": "byte BPE",
    "syllables": "syllables over a byte base of 1,000",
    "superwords": "syllables and superwords (auto)",
    "bpe": "SentencePiece BPE",
    "unigram": "SentencePiece Unigram",
}
"""The vocabularies, by the names of their files; the others are compared with the first."""


def read_lines(file: Path, block: tuple[int, int] | None = None) -> Iterator[str]:
    """Yield the lines of a text that have at least half their letters in a block, with line feeds.

    Letters are those of `str.isalpha`; combining marks of the block count for it, but are none.
    """
    with lzma.open(file, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
        for line in lines:
            own = sum(block[0] <= ord(char) <= block[1] for char in line) if block else 1
            if not block or 2 * own >= max(sum(map(str.isalpha, line)), 1):
                yield line


def cut_text(lines: Iterable[str], size: int) -> bytes:
    """Return the first lines that have together at most so many bytes."""
    text = bytearray()
    for line in lines:
        data = line.encode()
        if len(text) + len(data) > size:
            break
        text += data
    return bytes(text)


def train_vocabularies(folder: Path, code: str) -> None:
    """Train the five vocabularies of a language from its training text in the folder."""
    text, schema = str(folder / f"{code}.train.txt"), LANGUAGES[code].schema

    def train(name: str, ids: int, *options: str) -> str:
        """Train a vocabulary into the folder, and return its file."""
        file = str(folder / f"{code}.{name}.wwho")
        assert wwho(["train", *options, "--vocab-size", str(ids), "-o", file, text]) == 0
        return file

    train("bytes", IDS, "--atoms", "byte")
    base = train("base", BASE_IDS, "--atoms", "byte")
    syllables = ("--schema", schema, "--base", base)
    train("syllables", IDS - BASE_IDS, *syllables)
    train("superwords", IDS - BASE_IDS, *syllables, "--superwords", "auto")
    info = Tokenizer.from_file(folder / f"{code}.bytes.wwho").info
    for found in train_baselines("bytes", info, Corpus([text]), ["sentencepiece"]):
        name = found.name.removeprefix("SentencePiece ").lower()
        write_atomic(folder / f"{code}.{name}.wwho", found.blob)


def measure(folder: Path, code: str) -> list[dict[str, Any]]:
    """Return the likelihood of each vocabulary of a language, as `report.json` has it."""
    first, *others = (f"{name}={folder / f'{code}.{name}.wwho'}" for name in METHODS)
    options = [part for other in others for part in ("--against", other)]
    options += ["--lm", "quick", "--lm-text", str(folder / f"{code}.train.txt")]
    options += ["--data", f"{code}={folder / f'{code}.test.txt'}", "-o", str(folder / code)]
    assert wwho(["eval", "--model", first, *options]) == 0
    report = json.loads((folder / code / "report.json").read_text("utf-8"))
    found: list[dict[str, Any]] = report["likelihoods"][0]["likelihoods"]
    return found


def show(likelihood: dict[str, Any], text: str) -> str:
    """Return a cell: bits per byte of byte BPE, for others the difference and its interval."""
    difference = likelihood[f"{text}difference"]
    if difference is None:
        return f"{likelihood[f'{text}bits_per_byte']:.3f}"
    share, *ends = (f"{100 * difference[name]:+.1f}" for name in ("share", "low", "high"))
    return f"{share} % ({ends[0]} to {ends[1]})".replace("-", "−")


def main() -> None:
    """Prepare the texts, train what is missing, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("languages", nargs="*", default=[*LANGUAGES])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows: dict[str, list[str]] = {name: [label] for name, label in METHODS.items()}
    for code in options.languages:
        _, training, block = LANGUAGES[code]
        texts = {
            "train": cut_text(read_lines(options.corpora / training, block), TRAINING_BYTES),
            "test": cut_text(read_lines(options.corpora / f"test_{code}.txt.xz"), HELD_OUT_BYTES),
        }
        for name, text in texts.items():
            write_atomic(options.folder / f"{code}.{name}.txt", text)
        train_vocabularies(options.folder, code)
        for likelihood in measure(options.folder, code):
            rows[likelihood["encoder"]] += [show(likelihood, ""), show(likelihood, "misspelt_")]
    heads = [head for code in options.languages for head in (code, f"{code}, misspelt")]
    for cells in (["", *heads], ["---", *["---:"] * len(heads)], *rows.values()):
        print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
