"""Unigram: the tokens of a piece whose scores have the largest sum.

Options:
    vocab: the tokens in order of their ids, each with its score.
    unk_id: the id of the token for unknown characters; neighbouring ones are one.
    byte_fallback: whether unknown characters become tokens of their bytes, `<0x00>` to `<0xFF>`, if
        there is one for each.

Example:
    >>> from wwho.importers.huggingface.examples import tokenize
    >>> vocab = [["<unk>", 0.0], ["a", -1.0], ["ab", -1.5], ["b", -1.0]]
    >>> tokenize({"type": "Unigram", "vocab": vocab, "unk_id": 0, "byte_fallback": False}, "abcd")
    [2, 0]
"""

from __future__ import annotations

import math

from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Ids, Unknown
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.models.vocabulary import Around, Vocabulary, check_length
from wwho.importers.source import shown

NO_TEXT = (MAX_TOKEN_BYTES // 4) * "\U0010ffff".encode()
"""The text of a token that only has a score: no text has so many noncharacters in a row."""


def read(value: Value, _: Around) -> Vocabulary:
    """Return the `Vocabulary` of a Unigram, the member "model" of a file; its sums are f64.

    Raises:
        SourceError: a score or the unk_id is none, or what stands for unknown characters is no
            token with a text of its own.
    """
    pieces = _read_pieces(value)
    unk_id = value.option("unk_id", int)
    if unk_id is None or not 0 <= unk_id < len(pieces):
        value.at("unk_id").fail(
            f"found {shown(unk_id)}, expected 0 to {len(pieces) - 1}: unknown characters would be "
            "errors"
        )
    ids = {text: number for number, (text, _) in enumerate(pieces)}
    scores = {check_length(value.at("vocab"), text): score for text, score in pieces if text}
    if not scores:
        value.at("vocab").fail("no piece has a text")
    least = min(score for _, score in pieces)
    if least < min(scores.values()):
        # Of a piece that comes again, or is empty: what is unknown has a lower one than this, too.
        scores[NO_TEXT] = least
    texts = sorted(scores, key=lambda text: ids.get(text.decode(), len(ids)))
    fallback = bool(value.option("byte_fallback", bool))
    byte_ids = tuple(ids.get(f"<0x{byte:02X}>") for byte in range(256)) if fallback else ()
    known = any(each is not None for each in byte_ids)
    if not pieces[unk_id][0] or ids[pieces[unk_id][0]] != unk_id or unk_id in byte_ids:
        value.at("unk_id").fail(
            f"found {unk_id}, a piece that is empty, a byte, or comes again; give it its own text"
        )
    stated = tuple(ids.get(text.decode()) for text in texts)
    model = Viterbi(
        tokens=tuple(texts),
        scores=[scores[text] for text in texts],
        first_id=min(each for each in stated if each is not None),
        id_policy=Ids.STATED,
        stated=stated,
        unknown=Unknown.BYTES if known else Unknown.ID,
        unk_id=unk_id,
        byte_ids=byte_ids if known else (),
    )
    return Vocabulary(model, ids)


def _read_pieces(value: Value) -> list[tuple[str, float]]:
    """Return the texts and scores of the tokens, by id.

    Raises:
        SourceError: an item is not a text and a finite number.
    """
    pieces: list[tuple[str, float]] = []
    for piece in value.items("vocab"):
        raw = piece.raw
        if not isinstance(raw, list) or len(raw) != 2 or not isinstance(raw[0], str):
            piece.fail(f"found {shown(raw)}, expected a text and a score")
        number = isinstance(raw[1], (int, float)) and not isinstance(raw[1], bool)
        try:
            score = float(raw[1]) if number else math.nan
        except OverflowError:
            score = math.inf
        if not math.isfinite(score):
            piece.at(1).fail(f"found {shown(raw[1])}, expected a finite number")
        pieces.append((raw[0], score))
    return pieces
