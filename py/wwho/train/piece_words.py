"""The words of a corpus as a tokenizer of pieces sees them: normalized, and with their markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from unicodedata import category

from wwho.compile.codepoints import CodePointSet
from wwho.errors import ArtifactError
from wwho.format.bpe import BPE
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer

JOINERS = "\u200c\u200d"
MARKERS = "\u2581 "
"""What stands for a space before a word: SentencePiece's marker, or the space itself."""

_LETTERS = rf"\p{{L}}\p{{M}}{JOINERS}"
PATTERN = f"[^{_LETTERS}]?[{_LETTERS}]+|[^{_LETTERS}]"
"""The pretokenizer that cuts the corpus: words with the one character before them."""

CONTEXT = "0"
"""A character that no normalizer changes, put before a word to see what becomes of its space."""


@cache
def is_letter(char: str) -> bool:
    """Return whether a character is a letter, a combining mark or a joiner."""
    return category(char)[0] in "LM" or char in JOINERS


class Normalizer:
    """The steps of a tokenizer without its model: text in, and what the model sees out."""

    def __init__(self, name: str, artifact: Artifact) -> None:
        """Take the steps of an artifact of one route.

        Raises:
            ArtifactError: it does not put a marker, or a space, before each word.
        """
        routes = tuple(replace(route, units=None) for route in artifact.routes)
        # A model of bytes without merges gives the bytes of the text that reaches it.
        steps = replace(
            artifact,
            models=(BPE(),),
            routes=routes,
            added=(),
            template=None,
            decoder=None,
            properties=b"",
        )
        self._tokenizer = Tokenizer.from_bytes(write_artifact(steps))
        before, spaced = self.texts([CONTEXT, f"{CONTEXT} a"])
        rest = spaced.removeprefix(before)
        if rest == spaced or rest[1:] != "a" or rest[0] not in MARKERS:
            raise ArtifactError(
                f"{name} cannot be extended: it makes {spaced!r} of the text '{CONTEXT} a', and "
                "pieces are learnt only where U+2581 or a space stands before each word",
                status="MODEL",
            )
        self._before = before

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Return what the steps make of each text: what the model sees, in one piece."""
        return [bytes(ids).decode() for ids in self._tokenizer.encode_batch(texts)]

    def words(self, words: Sequence[str]) -> list[str]:
        """Return what the steps make of each word within a text.

        Args:
            words: the words, each with the one character before it; one that begins with a letter
                stands at the beginning of a text.
        """
        inside = [word if is_letter(word[0]) else CONTEXT + word for word in words]
        found = self.texts(inside)
        return [
            text if word is given else text.removeprefix(self._before)
            for word, given, text in zip(words, inside, found, strict=True)
        ]


def normalized_words(
    counted: Iterable[tuple[str, int]], normalizer: Normalizer, only: CodePointSet | None
) -> tuple[Counter[str], Counter[str]]:
    """Return the words that pieces are learnt from, and all characters, with their counts.

    A word is a run of letters, marks and joiners, with the marker before it. Digits, punctuation
    and symbols are in no word: they stay as the tokenizer has them.

    Args:
        counted: the words as `PATTERN` cuts them, each with the one character before it.
        normalizer: the tokenizer's steps.
        only: what words and characters may be made of; None: all. Joiners may always be in words.
    """
    words: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    counts = dict(counted)
    letter = _letters(only)
    for text, count in zip(normalizer.words([*counts]), counts.values(), strict=True):
        run = ""
        for char in text:
            if letter(char):
                run += char
                characters[char] += count
                continue
            if run.strip(MARKERS):
                words[run] += count
            run = char if char in MARKERS else ""
            if (only is None or ord(char) in only) and category(char)[0] not in "CZ":
                characters[char] += count
        if run.strip(MARKERS):
            words[run] += count
    return words, characters


def _letters(only: CodePointSet | None) -> Callable[[str], bool]:
    """Return the function that tells whether a character may be in a word.

    It is a letter or a combining mark, of `only` if that is given, or a joiner.
    """
    if only is None:
        return is_letter

    @cache
    def is_one(char: str) -> bool:
        return is_letter(char) and (ord(char) in only or char in JOINERS)

    return is_one
