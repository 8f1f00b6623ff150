"""Search for the slowest text that repeats itself, in every encoding.

    python tools/bench/repeats.py [--steps N] [--seed S] [encoding...]

A unit is a few runs of characters, such as 63 dashes and a line feed; the text is the unit over and
over. From the slowest of some random units, small changes are kept where they make the text slower.
What is found is then measured in turns with ordinary text, Python's standard library, in tokenizers
that have not seen it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from texts import standard_library

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "py"))

from wwho import Tokenizer, list_encoding_names
from wwho.encodings import model_bytes

Unit = tuple[tuple[str, int], ...]
"""Characters, and how often each comes."""

TEXT_BYTES = 60_000
ORDINARY_BYTES = 1_000_000
RANDOM_UNITS = 60
ROUNDS = 7
LONGEST_RUN = 300
PUNCTUATION = "-=*#_/.,:;!?~^+<>|\\\"'`&%$@()[]{}"
OTHERS = " \n\t\r\u00a0aAeZ019\u00e9\u0301\u0410\u4e00\u0e01\ufe0f\ufffd\U0001f600"
SYLLABLES = "\u0d9a\u0dca\u0dcf\u200d\u0915\u094d\u093e"
CHARACTERS = PUNCTUATION + OTHERS + SYLLABLES


def text_of(unit: Unit) -> bytes:
    """The unit over and over."""
    once = "".join(character * times for character, times in unit).encode()
    return once * (TEXT_BYTES // len(once) + 1)


def nanoseconds(enc: Tokenizer, text: bytes) -> float:
    """The processor time of counting a text's tokens, in nanoseconds for each byte."""
    begun = time.process_time_ns()
    enc.count(text)
    return (time.process_time_ns() - begun) / len(text)


def cost(enc: Tokenizer, unit: Unit) -> float:
    """Nanoseconds for each byte of a text of this unit: the least of three measurements."""
    text = text_of(unit)
    return min(nanoseconds(enc, text) for _ in range(3))


def random_run(rng: Random) -> tuple[str, int]:
    """A run of a character; each order of magnitude as often as another."""
    return rng.choice(CHARACTERS), int(LONGEST_RUN ** rng.random())


def changed(rng: Random, unit: Unit) -> Unit:
    """A unit like this one."""
    runs = list(unit)
    at = rng.randrange(len(runs))
    character, times = runs[at]
    lengths = (times - 1, times + 1, times // 2, 2 * times, times + rng.randint(-9, 9))
    kind = rng.randrange(5)
    if kind == 0:
        runs.insert(at, random_run(rng))
    elif kind == 1 and len(runs) > 1:
        del runs[at]
    elif kind == 2:
        runs[at] = rng.choice(CHARACTERS), times
    else:
        runs[at] = character, min(max(1, rng.choice(lengths)), LONGEST_RUN)
    return tuple(runs)


def slowest(rng: Random, enc: Tokenizer, steps: int) -> Unit:
    """The slowest unit that so many steps lead to."""
    units = [tuple(random_run(rng) for _ in range(rng.randint(1, 3))) for _ in range(RANDOM_UNITS)]
    most, unit = max((cost(enc, unit), unit) for unit in units)
    for _ in range(steps):
        other = changed(rng, unit)
        # Twice, since what another program made slow once is not slow.
        if cost(enc, other) > most and (found := cost(enc, other)) > most:
            most, unit = found, other
    return unit


def compared(name: str, unit: Unit) -> tuple[float, float]:
    """Nanoseconds for a byte of ordinary text, and of the unit: medians of rounds in turns."""
    blob, texts = model_bytes(name), (standard_library(ORDINARY_BYTES), text_of(unit))
    rounds = [[nanoseconds(Tokenizer(blob), text) for text in texts] for _ in range(ROUNDS)]
    ordinary, repeated = map(statistics.median, zip(*rounds, strict=True))
    return ordinary, repeated


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, and print a row for each encoding."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=1000, help="for each encoding (1000)")
    parser.add_argument("--seed", default="1", help="of the units (1)")
    parser.add_argument("encoding", nargs="*", help="default: all that ship")
    options = parser.parse_args(arguments)
    print(f"{'encoding':18}{'ordinary':>10}{'slowest':>10}{'ratio':>8}  unit (ns a byte)")
    for name in options.encoding or list_encoding_names():
        rng = Random(f"{options.seed} {name}")
        unit = slowest(rng, Tokenizer(model_bytes(name)), options.steps)
        ordinary, repeated = compared(name, unit)
        print(
            f"{name:18}{ordinary:>10.1f}{repeated:>10.1f}{repeated / ordinary:>8.1f}  {unit!a}",
            flush=True,
        )


if __name__ == "__main__":
    main()
