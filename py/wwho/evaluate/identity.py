"""Whether a model gives pure ASCII exactly the ids of its base: the paper's stress test."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from wwho.encodings import list_encoding_names, model_bytes
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.encoder_wwho import WwhoEncoder
from wwho.evaluate.text import Block

SENTENCES = 10_000
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
    """What came out.

    Attributes:
        base: the base's name.
        sentences: how many were compared.
        from_data: how many of them are lines of the texts; the others were made up.
        different: how many have other ids than with the base.
    """

    base: str
    sentences: int
    from_data: int
    different: int


class AsciiLines:
    """The first ASCII lines of the texts.

    Attributes:
        lines: at most `SENTENCES` of them, none blank.
    """

    def __init__(self) -> None:
        """None yet."""
        self.lines: list[str] = []

    def take(self, block: Block) -> None:
        """Keep those of a block, as long as there is room."""
        if len(self.lines) < SENTENCES:
            found = (line for line in block.lines if line.isascii() and not line.isspace() and line)
            self.lines += list(found)[: SENTENCES - len(self.lines)]


def compare(
    model: WwhoEncoder, baselines: Sequence[Encoder], lines: Sequence[str]
) -> Identity | None:
    """Encode ASCII with a model and with its base.

    Args:
        model: the model; its provenance names its base.
        baselines: where a base that does not ship is looked for.
        lines: ASCII lines of the texts; sentences are made up where there are too few.

    Returns:
        What came out; None where the model has no base, or none that can be found.
    """
    name = model.backend.info.provenance.get("base:name", "")
    base = next((encoder for encoder in baselines if encoder.name == name), None)
    if name in list_encoding_names():
        base = WwhoEncoder(name, model_bytes(name))
    if base is None:
        return None
    block = Block([*lines, *made_up(SENTENCES - len(lines))])
    ours, theirs = model.encode(block).lines(), base.encode(block).lines()
    different = sum(a != b for a, b in zip(ours, theirs, strict=True))
    return Identity(name, len(block.lines), len(lines), different)


def made_up(number: int) -> list[str]:
    """ASCII sentences, always the same: words, code, numbers, punctuation, spaces of all kinds.

    Example:
        >>> made_up(2) == made_up(3)[:2], all(line.isascii() for line in made_up(100))
        (True, True)
    """
    chance = random.Random(_SEED)

    def choose(items: Sequence[str]) -> str:
        # `random()` is the one method whose numbers no version of Python will change.
        return items[int(chance.random() * len(items))]

    return [
        "".join(choose(_WORDS) + choose(_GAPS) for _ in range(3 + int(chance.random() * 20)))
        for _ in range(number)
    ]
