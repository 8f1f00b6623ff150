"""The test that a model gives pure ASCII the ids of its base: the WWHO paper's stress test."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from operator import ne

from wwho.encodings import list_encoding_names, model_bytes
from wwho.evaluate.encoders import Encoder
from wwho.evaluate.text_blocks import Block

SENTENCES = 10_000
"""How many are compared: lines of the texts, and made-up ones for what is missing."""
_SEED = 328
_WORDS = """
    the of and to in a is that for it was on are as with his they at be this from have or by one
    Colombo Delhi tokenizer syllable vowel rain-fed e-mail co-operate don't we'll I'd they've it's
    HTTP utf8 x86_64 snake_case camelCase __init__ foo.bar() [0] {} => != && #tag @name 3.14 10:45
    1,234,567 $9.99 50% 2024-02-29 0xFF a.b@example.org https://example.org/a?b=c&d=e "quoted"
    (aside) antidisestablishmentarianism zzzz AAAA qwrtp ... -- !? ; : / \\ | ~ ^ <|endoftext|>
    """.split()  # noqa: SIM905 - a list would fill the page
_GAPS = (" ", " ", " ", " ", " ", " ", "  ", "\t", "   ", "")


@dataclass(frozen=True)
class Identity:
    """How often a model's ids of an ASCII sentence differ from its base's.

    Attributes:
        encoder: the name of the model.
        base: the name of its base.
        sentences: how many were compared.
        from_data: how many of them are lines of the texts; the others were made up.
        different: how many have other ids than with the base.
    """

    encoder: str
    base: str
    sentences: int
    from_data: int
    different: int


def keep_ascii_lines(blocks: Iterator[Block], kept: list[str]) -> Iterator[Block]:
    """Yield the blocks unchanged, and append their ASCII lines to `kept` on the way.

    Blank lines are not kept, and none once `kept` has `SENTENCES` lines. The list may be passed
    on from text to text.
    """
    for block in blocks:
        ascii_lines = (line for line in block.lines if line.isascii() and line.strip())
        kept += islice(ascii_lines, SENTENCES - len(kept))
        yield block


def compare_ascii(encoders: Sequence[Encoder], lines: Sequence[str]) -> tuple[Identity, ...]:
    """Encode ASCII lines with each model and with its base, and count the lines that differ.

    A model's provenance names its base, which is a shipped encoding, or else one of these
    tokenizers. Models without either are left out.

    Args:
        encoders: the tokenizers.
        lines: ASCII lines of the texts; sentences are made up where there are fewer than
            `SENTENCES`.
    """
    block = Block([*lines, *make_sentences(SENTENCES - len(lines))])
    shipped = {model.base for model in encoders}.intersection(list_encoding_names())
    known = {encoder.name: encoder for encoder in encoders}
    known |= {name: Encoder(name, model_bytes(name)) for name in shipped}
    ids_of_base = cache(lambda name: known[name].encode(block).ids_by_line())
    found = []
    for model in (each for each in encoders if each.base in known):
        ids = model.encode(block).ids_by_line()
        different = sum(map(ne, ids, ids_of_base(model.base)))
        found.append(Identity(model.name, model.base, len(block.lines), len(lines), different))
    return tuple(found)


def make_sentences(number: int) -> list[str]:
    """Make up ASCII sentences of words, code, numbers, punctuation and white space of all kinds.

    They are the same in every run, and fewer of them are the first ones of more. No sentence for a
    number of 0 or less.

    Example:
        >>> make_sentences(2) == make_sentences(3)[:2]
        True
        >>> all(line.isascii() for line in make_sentences(100))
        True
    """
    chance = random.Random(_SEED)

    def choose(items: Sequence[str]) -> str:
        """Return one of the items at random."""
        # `random()` is the one method whose numbers no version of Python will change.
        return items[int(chance.random() * len(items))]

    return [
        "".join(choose(_WORDS) + choose(_GAPS) for _ in range(3 + int(chance.random() * 20)))
        for _ in range(number)
    ]
