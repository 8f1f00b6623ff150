"""SCRIPT beside bytes: the tables of *BPE Stays on SCRIPT* (arXiv 2505.24689), and SGPE above both.

python tools/bench/script.py groups
python tools/bench/script.py published FOLDER
python tools/bench/script.py languages CORPORA [--sizes 32000 64000] [--mb 12]
python tools/bench/script.py parallel CORPORA [--sizes 32000 64000] [--mb 12]

`groups` prints table 1 and figure 2 of the paper from Unicode's data. `published` prints tables 2
and 5 from the authors' files (FOLDER is `results/tokenizers` of their repository), which say how
often each token is left after training. The others train on texts of CORPORA (`train_kn.txt.xz`,
`test_kn.txt.xz`; `parallel_ntrex.tar.xz`), of which they take the first `--mb` million bytes:
`languages` one vocabulary for each language, tables 2, 3 and 5 in kind, and the same with SGPE
above; `parallel` one for all languages, table 4 in kind. A size counts what is learnt: merges, and
above them the syllables of SGPE. Characters are code points; no text is rewritten.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import tarfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import wwho
from wwho.compile.script import MOVED_CHARACTERS, script_groups
from wwho.format.bpe import BYTES
from wwho.train import train

N_SYMBOLS = {"byte": len(BYTES), "script": 2172}
SPELLER = 8
"""Under SGPE, one in so many of the learnt tokens is for the text that is spelled."""

DEVANAGARI, SINHALA, LATIN = "\u0900\u097f", "\u0d80\u0dff", "AZ"
LANGUAGES = {
    "Hindi": ("mix", "hi", "devanagari", DEVANAGARI),
    "Sinhala": ("mix", "si", "sinhala", SINHALA),
    "Marathi": ("mr", "mr", "devanagari", ""),
    "Nepali": ("ne", "ne", "devanagari", ""),
    "Sanskrit": ("sa", "sa", "devanagari", ""),
    "Kannada": ("kn", "kn", "kannada", ""),
}
"""The text to learn from and to measure, the schema, and what a line must hold to be taken."""
FROM_MIX = {"hi": DEVANAGARI, "si": SINHALA, "en": LATIN}
PARALLEL = (
    *("hi", "mr", "ne", "si", "kn", "bn", "ta", "te", "ml"),
    *("pa", "gu", "th", "lo", "km", "my", "bo", "dz", "en"),
)
"""Those with text to learn from and the parallel sentences."""

SIZES = ((1, 2), (3, 5), (6, 10), (11, 50), (51, 100), (101, 500), (501, 5000), (5001, 1 << 20))
PUBLISHED = [
    f"{name}{constraint}"
    for name in ("bytes_gpt4", "bytes_gpt4o", "scriptenc", "scriptenc_gpt4o")
    for constraint in ("", "_cb")
]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table, line by line as it is made."""
    print(f"\n| {' | '.join(head)} |\n|---|{'--:|' * (len(head) - 1)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def with_mean(rows: Mapping[str, Sequence[float]]) -> Iterator[Sequence[str]]:
    """Rows of numbers, and their mean."""
    mean = list(map(fmean, zip(*rows.values(), strict=True)))
    for name, row in {**rows, "mean": mean}.items():
        yield (name, *(f"{each:.4f}" for each in row))


# What Unicode's data alone say


def print_groups() -> None:
    """Table 1: the largest groups, as the paper counts them, before five characters are moved."""
    after = {group: len(points) for group, points in script_groups().items()}
    before = Counter(after)
    for code_point, group in MOVED_CHARACTERS.items():
        before[group] -= 1
        before["Common", "C" if code_point < 0x20 else "LM"] += 1
    rows = ((*group, f"{n:,}", f"{after[group]:,}") for group, n in before.most_common(15))
    table(("script", "kind", "characters", "after the moves"), rows)
    sizes = ((a, b, sum(a <= n <= b for n in after.values())) for a, b in SIZES)
    table(("from", "to", "groups"), sizes)


# What the published files alone say


class Published(NamedTuple):
    """A published tokenizer: tokens and symbols of its training text, and its broken tokens."""

    n_tokens: int
    n_symbols: int
    broken: int
    mixed: int


def read_published(file: Path) -> Published:
    """Count by what a file records of each token."""
    document = json.loads(gzip.decompress(file.read_bytes()))
    config = document["pretokenizer"].get("config", {})
    start, n_indices = config.get("starting_token_id", 1), config.get("num_index_tokens")
    n_base = 256 if n_indices is None else n_indices + config["num_blocks"]
    symbols: dict[int, tuple[int, ...]] = {start + k: (k,) for k in range(n_base)}
    broken = mixed = 0
    for rule in document["merge_rules"]:
        left, right = (symbols[part] for part in rule["tokens_from"])
        token = symbols[rule["token_to"]] = left + right
        whole = list(are_whole(token, n_indices))
        broken += not all(whole)
        mixed += any(whole) and not all(whole)
    found = {each["id"]: each["final_count"] for each in document["metadata"]["tokens"]}
    n_symbols = sum(count * len(symbols[token]) for token, count in found.items())
    return Published(sum(found.values()), n_symbols, broken, mixed)


def are_whole(token: Sequence[int], n_indices: int | None) -> Iterator[bool]:
    """For each character of a token, or part of one, whether it is whole."""
    if n_indices is None:
        for each in bytes(token).decode("utf-8", "surrogateescape"):
            yield not "\udc80" <= each <= "\udcff"
        return
    at = 0
    while at < len(token):
        pair = at + 1 < len(token) and token[at] >= n_indices > token[at + 1]
        yield pair
        at += 1 + pair


def print_published(folder: Path) -> None:
    """Tables 2 and 5: tokens of the training text by character of it."""
    shares, shapes = {}, Counter[tuple[str, str]]()
    for language in sorted(each for each in folder.iterdir() if (each / "n64000").is_dir()):
        files = {
            name: read_published(language / "n64000" / f"{name}.json.gz") for name in PUBLISHED
        }
        n_characters = files["scriptenc"].n_symbols / 2
        shares[language.name] = [each.n_tokens / n_characters for each in files.values()]
        for name, each in files.items():
            shapes[name, "not whole"] += each.broken
            shapes[name, "of these mixing"] += each.mixed
    table(("tokens per character", *PUBLISHED), with_mean(shares))
    table(
        ("tokens, mean", *PUBLISHED),
        (
            (kind, *(round(shapes[name, kind] / len(shares)) for name in PUBLISHED))
            for kind in ("not whole", "of these mixing")
        ),
    )
    pairs = [(row[k], row[k + 1]) for row in shares.values() for k in range(0, len(row), 2)]
    better = sum(after < before for before, after in pairs)
    print(f"\nThe constraint saves tokens in {better} of {len(pairs)} pairs.")


# What is learnt here


class Variant(NamedTuple):
    """How text is spelled and cut, and what is merged."""

    atoms: str
    pattern: str
    merge_constraint: str

    def __str__(self) -> str:
        """As the tables name it."""
        name = "SCRIPT" if self.atoms == "script" else "bytes"
        cut = "rules" if self.pattern == "script" else self.pattern.removesuffix("_base")
        return f"{name}, {cut}{'' if self.merge_constraint == 'none' else ', whole'}"

    def learn(self, texts: Iterable[str], n_merges: int) -> wwho.Tokenizer:
        """The tokenizer of so many merges."""
        size = N_SYMBOLS[self.atoms] + n_merges
        return train(texts, schemas=[], vocab_size=size, min_freq=1, **self._asdict())


VARIANTS = [
    Variant(atoms, pattern, constraint)
    for atoms in N_SYMBOLS
    for pattern in ("cl100k_base", "o200k_base", "script")
    for constraint in ("none", "character")
]


def lines_of(file: Path, holding: str = "") -> Iterator[str]:
    """The lines of a compressed text that hold a character of a range, or all."""
    with lzma.open(file, "rt", encoding="utf-8", errors="replace") as text:
        for line in text:
            if not holding or any(holding[0] <= each <= holding[1] for each in line):
                yield line


def sample(lines: Iterable[str], n_bytes: int) -> list[str]:
    """The first of the lines, up to so many bytes."""
    found = []
    for line in lines:
        n_bytes -= len(line.encode())
        if n_bytes < 0:
            break
        found.append(line)
    return found


def left_by(syllables: wwho.Tokenizer, lines: Iterable[str]) -> Iterator[str]:
    """The texts that SGPE leaves to its base, the 256 bytes: other text, and unknown syllables."""
    unknown = cache(lambda unit: min(syllables.encode(unit)) < len(BYTES))
    for line in lines:
        for segment in syllables.segment(line):
            yield from filter(unknown, segment.units) if segment.units else [segment.text]


def sgpe_above(base: wwho.Tokenizer, syllables: Mapping[str, Any]) -> wwho.Tokenizer:
    """A tokenizer of syllables that is trained on top of a base, as one model."""
    with TemporaryDirectory() as folder:
        base.save(file := Path(folder, "base.wwho"))
        return train(base=file, **syllables)


def broken_tokens(tokenizer: wwho.Tokenizer, n_symbols: int) -> tuple[int, int]:
    """How many merged tokens are not whole characters, and how many of these hold some.

    U+FFFD itself counts as what is not whole.
    """
    texts = [tokenizer.decode([token]) for token in range(n_symbols, tokenizer.n_vocab)]
    broken = [text for text in texts if "\ufffd" in text]
    return len(broken), sum(bool(text.strip("\ufffd")) for text in broken)


def print_languages(corpora: Path, sizes: Sequence[int], n_bytes: int) -> None:
    """Tables 2, 3 and 5 in kind, and SGPE above each; the last size in full."""
    shares: dict[str, list[list[float]]] = {}
    made_of: dict[str, list[float]] = {}
    for source, test, schema, holding in LANGUAGES.values():
        texts = sample(lines_of(corpora / f"train_{source}.txt.xz", holding), n_bytes)
        tests = sample(lines_of(corpora / f"test_{test}.txt.xz"), n_bytes // 10)
        n_characters = sum(map(len, tests))
        for size in sizes:
            sgpe: dict[str, Any] = {"texts": texts, "schemas": [schema], "specials": []}
            sgpe["vocab_size"] = size - size // SPELLER
            rest = [*left_by(train(base="none", **sgpe), texts[::SPELLER])]
            for each in VARIANTS:
                start = time.process_time()
                made = each.learn(texts, size)
                seconds = time.process_time() - start
                both = sgpe_above(each.learn(rest, size // SPELLER), sgpe)
                for name, model in {f"{each}": made, f"SGPE; {each}": both}.items():
                    columns = shares.setdefault(name, [[] for _ in sizes])
                    share = sum(model.count_batch(tests)) / n_characters
                    columns[sizes.index(size)].append(share)
                if size == sizes[-1]:
                    found = made_of.setdefault(f"{each}", [0, 0, 0])
                    found[2] += seconds
                    for k, n in enumerate(broken_tokens(made, N_SYMBOLS[each.atoms])):
                        found[k] += n / len(LANGUAGES)
    means = [f"mean, {size:,}" for size in sizes]
    table(
        (f"{sizes[-1]:,} learnt", *LANGUAGES, *means),
        (
            (name, *(f"{each:.4f}" for each in (*columns[-1], *map(fmean, columns))))
            for name, columns in sorted(shares.items(), key=lambda item: "SGPE" in item[0])
        ),
    )
    table(
        (f"{sizes[-1]:,} merges", "tokens not whole", "of these mixing", "seconds of training"),
        (
            (name, f"{broken:.0f}", f"{mixed:.0f}", f"{seconds:.1f}")
            for name, (broken, mixed, seconds) in made_of.items()
        ),
    )


def print_parallel(corpora: Path, sizes: Sequence[int], n_bytes: int) -> None:
    """Table 4 in kind: one vocabulary for all languages, and the same sentences in each."""
    texts = [
        line
        for language in PARALLEL
        for line in sample(
            lines_of(corpora / f"train_{language}.txt.xz")
            if language not in FROM_MIX
            else lines_of(corpora / "train_mix.txt.xz", FROM_MIX[language]),
            n_bytes // len(PARALLEL),
        )
    ]
    with tarfile.open(corpora / "parallel_ntrex.tar.xz") as archive:
        tests = {
            language: content.read().decode().splitlines()
            for language in PARALLEL
            if (content := archive.extractfile(f"parallel/{language}.txt"))
        }
    for size in sizes:
        for constraint in ("character", "none"):
            variants = [each for each in VARIANTS if each.merge_constraint == constraint]
            made = [each.learn(texts, size) for each in variants]
            rows = {}
            for language, lines in tests.items():
                n_characters = sum(map(len, lines))
                start = sum(len(line.encode()) for line in lines) / n_characters
                counts = (sum(each.count_batch(lines)) for each in made)
                rows[language] = [start, 2.0, *(count / n_characters for count in counts)]
            table((f"{size:,} merges", "bytes", "symbols", *map(str, variants)), with_mean(rows))


def main() -> None:
    """Read the command line, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["groups", "published", "languages", "parallel"])
    parser.add_argument("folder", type=Path, nargs="?", help="the authors' files, or the corpora")
    parser.add_argument("--sizes", type=int, nargs="+", default=[32000, 64000])
    parser.add_argument("--mb", type=int, default=12, help="million bytes of text to learn from")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "groups":
        print_groups()
        return
    if options.folder is None:
        parser.error(f"{options.what} reads files: name their folder")
    if options.what == "published":
        print_published(options.folder)
    else:
        show = print_languages if options.what == "languages" else print_parallel
        show(options.folder, options.sizes, options.mb * 1_000_000)


if __name__ == "__main__":
    main()
