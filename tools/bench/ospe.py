"""OSPE beside byte BPE and SGPE on Kannada: the tables of its paper, in kind.

python tools/bench/ospe.py train_kn.txt.xz test_kn.txt.xz [--sizes 8000 16000 32000 50257]

Every model is trained on the first file and measured on the second. Sizes count all ids, 256 bytes
among them. Printed for each: tokens, tokens per word, the paper's compression ratio (its equation
1: bytes of text over four bytes an id), and its efficiency score (equation 2: percent that is
valid) of the encoded text, by tokens, and of text that a trigram model of the tokens writes, by
syllables. White space at the ends of lines is left out, as in the paper, whose words are what
stands between white space.
"""

from __future__ import annotations

import argparse
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import wwho
from wwho.assemble.training_artifacts import counting_model
from wwho.backends.select import open_backend
from wwho.compile.schema_loader import load_schema
from wwho.compile.schema_scanners import Unit
from wwho.format.write import write_artifact
from wwho.progress import ignore
from wwho.train import Corpus, train

WORDS: dict[str, Any] = {"schemas": ["kannada"], "base": "none", "prune": 1, "min_freq": 1}
OSPE = {**WORDS, "words": "whitespace", "end_of_word": True}
BYTES: dict[str, Any] = {"atoms": "byte", "base": "none"}
OFTEN = {"prune": 20}
"""Only syllables that are seen 20 times have an id, others are spelled in bytes."""

MODELS: Mapping[str, Mapping[str, Any]] = {
    "OSPE as published: a mark behind every word": {**OSPE, "collapse_spaces": True},
    "OSPE, the mark is the space that follows": OSPE,
    "the same words, the space before them": {**OSPE, "end_of_word": False},
    "OSPE, syllables seen 20 times": {**OSPE, **OFTEN},
    "the same, the space before": {**OSPE, **OFTEN, "end_of_word": False},
    "SGPE, syllables seen 20 times": {**WORDS, **OFTEN},
    "the same, the space behind": {**WORDS, **OFTEN, "end_of_word": True},
    "code points and the mark": {**OSPE, "schemas": [], "atoms": "codepoint"},
    "bytes, the pattern of o200k_base": BYTES,
    "bytes, the pattern of GPT-2": {**BYTES, "pattern": "r50k_base"},
}
GENERATED = 60_000
FORGET = 10
"""In the text that is written, the context is forgotten at one token in so many."""


class Judge:
    """The judge of valid text: UTF-8 in which no sign of Kannada lacks a letter before it."""

    def __init__(self) -> None:
        """Open the grammar of Kannada."""
        self._backend = open_backend(write_artifact(counting_model([load_schema("kannada")])))

    def units(self, text: bytes) -> tuple[int, int]:
        """Return how many units of Kannada and U+FFFD a text has, and how many are invalid."""
        spans = [span for span in self._backend.spans(text) if span.route]
        orphans = sum(span.rule == Unit.ORPHAN for span in spans)
        broken = text.count("\ufffd".encode())
        return len(spans) + broken, orphans + broken

    def is_valid(self, token: bytes) -> bool:
        """Return true if the bytes of a token are UTF-8 without an invalid unit of Kannada."""
        try:
            token.decode()
        except UnicodeDecodeError:
            return False
        return not self.units(token)[1]


def written(ids: Sequence[int]) -> list[int]:
    """The ids, `GENERATED` of them, that a trigram model of these ids writes."""
    after: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, token in enumerate(ids):
        after[tuple(ids[max(0, i - 2) : i])].append(token)
    chance, found, context = random.Random(0), [], tuple(ids[:2])
    for _ in range(GENERATED):
        if not chance.randrange(FORGET) or context not in after:
            at = chance.randrange(len(ids) - 2)
            context = tuple(ids[at : at + 2])
        token = chance.choice(after[context])
        found.append(token)
        context = (context[-1], token)
    return found


def row(name: str, tokenizer: wwho.Tokenizer, text: str, judge: Judge) -> str:
    """The line of the table for one tokenizer."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    ids = [token for line in lines for token in tokenizer.encode(line)]
    valid = {token: judge.is_valid(tokenizer.decode_bytes([token])) for token in set(ids)}
    whole = sum(valid[token] * count for token, count in Counter(ids).items())
    units, invalid = judge.units(tokenizer.decode(written(ids)).encode())
    n_bytes, n_words = len(text.encode()), sum(len(line.split()) for line in lines)
    return (
        f"| {name} | {len(ids):,} | {len(ids) / n_words:.3f} | {n_bytes / (4 * len(ids)):.3f} | "
        f"{100 * whole / len(ids):.1f} | {100 - 100 * invalid / units:.2f} |"
    )


def main() -> None:
    """Train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", help="the text to train on")
    parser.add_argument("test", help="the text to measure")
    parser.add_argument("--sizes", type=int, nargs="+", default=[8000, 16000, 32000, 50257])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    text = b"".join(Corpus([options.test]).blocks(ignore)).decode()
    judge = Judge()
    for size in options.sizes:
        print(f"\n| {size:,} ids | tokens | per word | ratio | valid tokens, % | written, % |")
        print("|---|--:|--:|--:|--:|--:|")
        for name, arguments in MODELS.items():
            room = size - (256 if arguments.get("atoms") != "byte" else 0)
            room -= not arguments.get("end_of_word") and arguments.get("atoms") != "byte"
            try:
                made = train(Corpus([options.train]), vocab_size=room, specials=[], **arguments)
            except wwho.CorpusError:
                print(f"| {name} | its syllables alone are more | | | | |")
                continue
            print(row(name, made, text, judge), flush=True)
    print(row("GPT-2's own", wwho.get_encoding("gpt2"), text, judge))


if __name__ == "__main__":
    main()
