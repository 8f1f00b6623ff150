"""Text that a SentencePiece model does not know, though a class's vocabulary has it as a token.

SentencePiece makes one piece of neighbouring unknown characters, and a class in Python looks the
piece up by its text. So a token is found where such characters stand alone that make its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from wwho.compile.codepoints import CodePointSet
from wwho.compile.syntax import Chars, many
from wwho.format.steps import MATCH, Rewrite, Rules
from wwho.importers.huggingface.patterns import ANY, Patterns
from wwho.importers.source import shown
from wwho.interchange.sentencepiece import Algorithm, Kind, Model, Piece

IN_TEXT = (Kind.NORMAL, Kind.USER_DEFINED)
"""The kinds of pieces that text becomes."""
FIRST, LAST = "\ufdd6", "\ufdd7"
"""Code points that no text has: they stand around unknown text."""
NO_TEXT = [chr(point) for point in (*range(0xFDD8, 0xFDF0), *range(0xFFFE, 0x110000, 0x10000))]
"""Code points that no text has, of which some stand for a token."""
FOUR_PLACES = tuple(NO_TEXT[place::4] for place in range(4))
"""Those that may stand at each of four places; a BPE merges from the left, so none is in two."""
ALPHABETS: Mapping[Algorithm, tuple[Sequence[str], ...]] = {
    Algorithm.UNIGRAM: FOUR_PLACES,
    Algorithm.BPE: FOUR_PLACES,
    Algorithm.CHAR: (NO_TEXT,),
    Algorithm.WORD: ((),),
}
"""For each type of a model the code points that may stand at each place."""


@dataclass(frozen=True, kw_only=True)
class StandIns:
    """What stands for unknown texts in a SentencePiece model.

    Attributes:
        known: the characters of its pieces.
        texts: for the text of each token what stands for it.
        ids: the ids of the tokens, by what stands for them.
    """

    known: CodePointSet = field(default_factory=CodePointSet)
    texts: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)

    def steps(self, patterns: Patterns) -> list[Rewrite]:
        """Return the steps that write what stands for tokens in place of unknown text."""
        if not self.texts:
            return []
        unknown = many(Chars(~self.known), 1)
        around = patterns.replace("unknown text", (unknown, FIRST + MATCH + LAST), (ANY, None))
        rules = {FIRST + text + LAST: stand_in for text, stand_in in self.texts.items()}
        return [around, Rules({**rules, FIRST: "", LAST: ""})]

    def extended(
        self, model: Model, ids: Sequence[int | None]
    ) -> tuple[Model, Sequence[int | None]]:
        """Return a model with pieces for what stands for tokens, and the ids of all pieces.

        Args:
            model: the model.
            ids: the ids of its pieces.
        """
        if not self.texts:
            return model, ids
        found: dict[str, int | None] = {}
        for text in self.ids if model.algorithm is Algorithm.BPE else ():
            # It merges character by character.
            found |= dict.fromkeys((*text, *(text[:end] for end in range(2, len(text)))))
        found |= self.ids
        pieces = (*model.pieces, *(Piece(text.encode()) for text in found))
        return replace(model, pieces=pieces), (*ids, *found.values())


def stand_ins(model: Model, vocabulary: Mapping[str, int]) -> tuple[StandIns, tuple[str, ...]]:
    """Return what stands for tokens that the model does not know, and notes on what cannot.

    Counted are tokens that have no character of a piece. A model with byte fallback knows all
    texts. Where there are more tokens than texts to stand for them, none has one.

    Args:
        model: the model.
        vocabulary: the ids of all tokens, by their texts.
    """
    if model.byte_fallback:
        return StandIns(), ()
    pieces = {model.pieces[number].text.decode() for number in model.of_kind(*IN_TEXT)}
    known = {*"".join(pieces)}
    found = {
        text: number
        for text, number in vocabulary.items()
        if text and known.isdisjoint(text) and number != vocabulary.get(_unknown(model))
    }
    if not found:
        return StandIns(), ()
    alphabets = ALPHABETS[model.algorithm]
    if len(found) > prod(map(len, alphabets)):
        return StandIns(), (
            f"{len(found)} tokens such as {shown(min(found))} are text that the SentencePiece "
            "model does not know: transformers finds them where such text stands alone, and here "
            "it is unknown",
        )
    notes: tuple[str, ...] = ()
    if loose := sorted(known - pieces):
        notes = (
            f"{len(loose)} characters such as {shown(loose[0])} are only parts of pieces: beside "
            "one that is unknown, a token of unknown text is found here, and not in transformers",
        )
    texts = {text: "".join(each) for text, each in zip(found, product(*alphabets), strict=False)}
    return StandIns(
        known=CodePointSet.of(*known),
        texts=texts,
        ids={stand_in: found[text] for text, stand_in in texts.items()},
    ), notes


def _unknown(model: Model) -> str:
    """Return the text of the unknown piece."""
    return model.pieces[model.unk_id].text.decode()
