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
        encoder: the model's name.
        base: the base's name.
        sentences: how many were compared.
        from_data: how many of them are lines of the texts; the others were made up.
        different: how many have other ids than with the base.
    """

    encoder: str
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


def identities(encoders: Sequence[Encoder], lines: Sequence[str]) -> tuple[Identity, ...]:
    """Encode ASCII with each model and with its base.

    Args:
        encoders: the tokenizers; a model's provenance names its base, which is one that ships, or
            one of these.
        lines: ASCII lines of the texts; sentences are made up where there are too few.

    Returns:
        What came out, for each model that has a base that can be found.
    """
    block = Block([*lines, *made_up(SENTENCES - len(lines))])
    models = [encoder for encoder in encoders if isinstance(encoder, WwhoEncoder)]
    theirs = {
        name: base.encode(block).lines()
        for name in {model.base for model in models}
        if (base := _base(name, encoders))
    }
    found = []
    for model in models:
        if model.base in theirs:
            ours = model.encode(block).lines()
            different = sum(a != b for a, b in zip(ours, theirs[model.base], strict=True))
            found.append(Identity(model.name, model.base, len(block.lines), len(lines), different))
    return tuple(found)


def _base(name: str, encoders: Sequence[Encoder]) -> Encoder | None:
    """The tokenizer of this name: the one that ships before any that was given the name."""
    if name in list_encoding_names():
        return WwhoEncoder(name, model_bytes(name))
    return next((encoder for encoder in encoders if encoder.name == name), None)


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
