"""The texts of the benchmarks, cut as the workers take them.

Code is CPython's standard library. English, Hindi and Sinhala are held-out corpora that are not
part of the repository: they are looked for in ../shared/corpora, beside the clone.
"""

from __future__ import annotations

import json
import lzma
import random
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
CORPUS_FILES = {
    "english": "test_en.txt.xz",
    "hindi": "test_hi.txt.xz",
    "sinhala": "test_si.txt.xz",
}
ORDER = ("english", "code", "hindi", "sinhala")
PIECE_BYTES = 100_000
MESSAGE_CHARACTERS = 400
WARM_UP_BYTES = 300_000
SHORT, LONG = 100_000, 1_000_000  # characters of an adversarial text
VARIANTS = 3  # of each adversarial text: no engine may answer from a cache of whole texts


def read_texts(size: int, named: Mapping[str, Path]) -> dict[str, bytes]:
    """The first `size` bytes of each text, as whole characters.

    Args:
        size: how many bytes.
        named: UTF-8 files to measure as well, or instead of the text of that name.
    """
    texts = {
        name: read_xz(CORPORA / file, size)
        for name, file in CORPUS_FILES.items()
        if (CORPORA / file).is_file()
    }
    texts["code"] = standard_library(size)
    texts |= {name: file.read_bytes() for name, file in named.items()}
    usual = [name for name in ORDER if name in texts]
    names = dict.fromkeys([*usual, *texts])
    return {name: texts[name][:size].decode("utf-8", "ignore").encode() for name in names}


def read_xz(path: Path, size: int) -> bytes:
    """The first `size` bytes of a compressed file."""
    with lzma.open(path) as stream:
        return stream.read(size)


def standard_library(size: int) -> bytes:
    """The first `size` bytes of CPython's standard library, in the order of the file names."""
    parts, total = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        parts.append(path.read_bytes())
        total += len(parts[-1])
        if total >= size:
            break
    return b"".join(parts)


def write_inputs(texts: Mapping[str, bytes], folder: Path) -> None:
    """Write NAME.pieces.json and NAME.messages.json: the strings to encode, in blocks to time.

    Each holds a warm-up too, made of the other texts: it warms the code, but no cache of pretokens.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in texts.items():
        others = [text[:WARM_UP_BYTES] for other, text in texts.items() if other != name]
        whole = [list(pieces(text)) for text in [*others, data]]
        whole_messages = [
            list(messages(text.decode("utf-8", "ignore"))) for text in [*others, data]
        ]
        for kind, cut in {"pieces": whole, "messages": whole_messages}.items():
            # One text alone is warmed up with a part of its own, which is then not measured.
            *warm, blocks = cut if others else ([cut[0][-3:]], cut[0][:-3])
            content = {"warm": [block for text in warm for block in text], "blocks": blocks}
            (folder / f"{name}.{kind}.json").write_text(json.dumps(content), encoding="utf-8")


def pieces(data: bytes) -> Iterator[list[str]]:
    """Blocks of one string of 100 KB each."""
    start = 0
    while start < len(data):
        end = start + PIECE_BYTES
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        yield [data[start:end].decode("utf-8", "ignore")]
        start = end


def messages(text: str) -> Iterator[list[str]]:
    """Blocks of 250 strings of 400 characters."""
    size, block = MESSAGE_CHARACTERS, 250 * MESSAGE_CHARACTERS
    for start in range(0, len(text) - block + 1, block):
        yield [text[at : at + size] for at in range(start, start + block, size)]


def write_adversarial(folder: Path) -> list[str]:
    """Write adversarial.NAME.json; return the names.

    Each holds variants of a short and of a long text: other characters where they are random, and a
    character less. They are the same in every run: the seeds are fixed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in ADVERSARIAL.items():
        texts = [
            [make(random.Random(seed), length - seed) for seed in range(VARIANTS)]
            for length in (SHORT, LONG)
        ]
        path = folder / f"adversarial.{name}.json"
        path.write_text(json.dumps({"texts": texts}), encoding="utf-8")
    return list(ADVERSARIAL)


def _characters(*ranges: tuple[int, int]) -> Callable[[random.Random, int], str]:
    """A maker of texts of random characters of these ranges, ends included."""
    drawn = [chr(code) for first, last in ranges for code in range(first, last + 1)]
    return lambda source, length: "".join(source.choices(drawn, k=length))


def _random_bytes(source: random.Random, length: int) -> str:
    """Random bytes; what is not UTF-8 among them is U+FFFD, since every peer takes strings."""
    return source.randbytes(2 * length).decode("utf-8", "replace")[:length]


def _sinhala_word(source: random.Random, length: int) -> str:
    """One word of random syllables: a consonant and a vowel sign each."""
    consonant, sign = _characters((0x0D9A, 0x0DB1)), _characters((0x0DCF, 0x0DD4))
    half = (length + 1) // 2
    pairs = zip(consonant(source, half), sign(source, half), strict=True)
    return "".join(a + b for a, b in pairs)[:length]


ADVERSARIAL: dict[str, Callable[[random.Random, int], str]] = {
    "a": lambda _, length: "a" * length,
    "space": lambda _, length: " " * length,
    "underscore": lambda _, length: "_" * length,
    "word": _characters((ord("a"), ord("z"))),
    "sinhala word": _sinhala_word,
    "emoji": _characters((0x1F600, 0x1F64F)),
    "random bytes": _random_bytes,
    "code points": _characters((0, 0xD7FF), (0xE000, 0x10FFFF)),
}
