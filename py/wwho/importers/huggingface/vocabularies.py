"""Models: BPE, WordPiece, WordLevel and Unigram."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from wwho.build.bpe import bpe_model
from wwho.format.bpe import BPE
from wwho.format.greedy import Greedy
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Ids, Model, Unknown
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.source import shown


@dataclass
class Vocabulary:
    """A model, and the tokens that it has no place for.

    Attributes:
        model: the model.
        ids: all of its tokens as the file spells them, text to id.
        hidden: tokens that no text is encoded to, but that decode: text to id.
    """

    model: Model
    ids: Mapping[str, int]
    hidden: dict[str, int] = field(default_factory=dict)


def stand_ins() -> dict[str, int]:
    """The characters that stand for bytes in a byte-level vocabulary.

    Example:
        >>> stand_ins()["\\u0120"]
        32
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {
        **{chr(byte): byte for byte in plain},
        **{chr(256 + number): byte for number, byte in enumerate(others)},
    }


def read_model(value: Value, byte_level: bool, added: Mapping[str, int]) -> Vocabulary:
    """Make the model of "model".

    Args:
        value: the model.
        byte_level: whether its tokens are spelled in the characters that stand for bytes.
        added: the added tokens, text to id.

    Raises:
        SourceError: it is not known, or holds what no artifact can.
        ArtifactError: its merges are no BPE that an artifact can hold.
    """
    value.be(dict)
    check_options(value)
    if "type" not in value.raw:  # as old files have it
        guessed = _guess(value.raw)
        value = Value({**value.raw, "type": guessed}, value.pointer)
    readers = {
        "BPE": lambda value: _bpe(value, byte_level, added),
        "WordPiece": lambda value: _word_piece(_no_bytes(value, byte_level)),
        "WordLevel": lambda value: _word_level(_no_bytes(value, byte_level)),
        "Unigram": lambda value: _unigram(_no_bytes(value, byte_level)),
    }
    return value.dispatch(readers, "model")


def _guess(raw: Mapping[str, Any]) -> str:
    if "merges" in raw:
        return "BPE"
    if isinstance(raw.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "max_input_chars_per_word" in raw else "WordLevel"


def _no_bytes(value: Value, byte_level: bool) -> Value:
    if byte_level:
        value.fail(f"{value.kind()} of bytes (ByteLevel) cannot be held; only BPE can")
    return value


def read_vocab(value: Value) -> dict[str, int]:
    """The tokens of a vocabulary, text to id.

    Raises:
        SourceError: an id is none, or belongs to two tokens.
    """
    vocab = value.be(dict)
    owners: dict[int, str] = {}
    for text, number in vocab.items():
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < MAX_IDS:
            value.at(text).fail(f"found {shown(number)}, expected an id, 0 to {MAX_IDS - 1}")
        if number in owners:
            value.at(text).fail(f"the id {number} is that of {shown(owners[number])}, too")
        owners[number] = text
    return dict(vocab)


def _bpe(value: Value, byte_level: bool, added: Mapping[str, int]) -> Vocabulary:
    if value.at("dropout").raw:
        value.at("dropout").fail("dropout gives other ids each time; set it to null")
    for option in ("continuing_subword_prefix", "end_of_word_suffix"):
        if value.option(option, str):
            value.at(option).fail(f"found {shown(value.raw[option])}, which cannot be held yet")
    vocab = read_vocab(value.at("vocab"))
    listed = value.at("merges")
    merges = [_merge(raw, listed, number) for number, raw in enumerate(listed.be(list))]
    made = {left + right for left, right in merges}
    unk = value.option("unk_token", str)
    fallback = bool(value.option("byte_fallback", bool)) and not byte_level
    bytes_of = {f"<0x{byte:02X}>": byte for byte in range(256)} if fallback else {}
    byte_ids = [vocab.get(text) for text in bytes_of]
    if not any(each is not None for each in byte_ids):
        byte_ids, bytes_of = [], {}
    spell = _spelling(byte_level)
    spelled_as = {text: spell(text) for text in vocab}
    tokens: dict[bytes, int] = {}
    hidden: dict[str, int] = {}
    for text, number in vocab.items():
        spelled = spelled_as[text]
        lone = spelled is not None and len(spelled if byte_level else text) == 1
        if text in bytes_of:
            continue
        if not spelled or (text not in made and not lone and (text in added or text == unk)):
            hidden[text] = number
        elif len(spelled) > MAX_TOKEN_BYTES:
            value.at("vocab").fail(
                f"a token of {len(spelled)} bytes; {MAX_TOKEN_BYTES} are possible: {shown(text)}"
            )
        else:
            tokens[spelled] = number
    pairs = []
    for number, (left, right) in enumerate(merges):
        for text in (left, right, left + right):
            if text not in vocab:
                listed.at(number).fail(f"{shown(text)} is no token of the vocabulary")
        pairs.append((spelled_as[left] or b"", spelled_as[right] or b""))
    unk_id = None if unk is None else vocab.get(unk)
    if unk is not None and not byte_level and unk_id is None:
        value.at("unk_token").fail(f"found {shown(unk)}, which is no token of the vocabulary")
    model: BPE = bpe_model(
        tokens,
        pairs,
        units=not byte_level,
        whole=bool(value.option("ignore_merges", bool)),
        unk_id=unk_id,
        fuse=bool(value.option("fuse_unk", bool)),
        byte_ids=byte_ids,
        added={*added.values()},
    )
    return Vocabulary(model, vocab, hidden)


def _merge(raw: Any, listed: Value, number: int) -> tuple[str, str]:
    parts = raw.split(" ") if isinstance(raw, str) else raw
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(p, str) for p in parts):
        listed.at(number).fail(
            f"found {shown(raw)}, expected two texts, or one with a space between them"
        )
    left, right = parts
    return left, right


def _spelling(byte_level: bool) -> Any:
    """What gives the bytes of a token's text; None where it is not spelled in stand-ins."""
    if not byte_level:
        return str.encode
    table = stand_ins()

    def spell(text: str) -> bytes | None:
        try:
            return bytes([table[char] for char in text])
        except KeyError:
            return None

    return spell


def _word_piece(value: Value) -> Vocabulary:
    prefix, unk = value.text("continuing_subword_prefix"), value.text("unk_token")
    limit = value.number("max_input_chars_per_word")
    if limit < 1:
        value.at("max_input_chars_per_word").fail(f"found {limit}, expected at least 1")
    vocab = read_vocab(value.at("vocab"))
    return word_piece(value, vocab, unk, prefix, limit)


def word_piece(
    value: Value, vocab: Mapping[str, int], unk: str, prefix: str = "##", limit: int = 100
) -> Vocabulary:
    """Longest match from the left, with a prefix in front of what continues a word."""
    first: dict[bytes, int] = {}
    later: dict[bytes, int] = {}
    hidden: dict[str, int] = {}
    for text, number in vocab.items():
        rest = text.removeprefix(prefix) if prefix else text
        if not text or len(text.encode()) > MAX_TOKEN_BYTES:
            value.at("vocab").at(text).fail(f"a token has 1 to {MAX_TOKEN_BYTES} bytes")
        if rest == text:
            first[text.encode()] = number
        elif rest:
            later[rest.encode()] = number
        else:
            hidden[text] = number
    model = _greedy(value, first, None if not prefix else later, vocab, unk, limit)
    return Vocabulary(model, vocab, hidden)


def _word_level(value: Value) -> Vocabulary:
    vocab = read_vocab(value.at("vocab"))
    texts = {text.encode(): number for text, number in vocab.items() if text}
    if any(len(text) > MAX_TOKEN_BYTES for text in texts):
        value.at("vocab").fail(f"a token has over {MAX_TOKEN_BYTES} bytes")
    return Vocabulary(_greedy(value, texts, {}, vocab, value.text("unk_token"), None), vocab)


def _greedy(
    value: Value,
    first: Mapping[bytes, int],
    later: Mapping[bytes, int] | None,
    vocab: Mapping[str, int],
    unk: str,
    limit: int | None,
) -> Greedy:
    if unk not in vocab:
        value.at("unk_token").fail(
            f"found {shown(unk)}, which is no token of the vocabulary; unknown words need one"
        )
    firsts, laters = sorted(first), sorted(later or ())
    stated = [first[text] for text in firsts] + [(later or {})[text] for text in laters]
    return Greedy(
        first=tuple(firsts),
        later=None if later is None else tuple(laters),
        max_characters=limit,
        first_id=min(stated),
        id_policy=Ids.STATED,
        stated=tuple(stated),
        unknown=Unknown.ID,
        unk_id=vocab[unk],
    )


def _unigram(value: Value) -> Vocabulary:
    pieces: list[tuple[str, float]] = []
    for piece in value.items("vocab"):
        raw = piece.raw
        if not isinstance(raw, list) or len(raw) != 2 or not isinstance(raw[0], str):
            piece.fail(f"found {shown(raw)}, expected a text and a score")
        number = isinstance(raw[1], (int, float)) and not isinstance(raw[1], bool)
        if not number or not math.isfinite(raw[1]):
            piece.at(1).fail(f"found {shown(raw[1])}, expected a finite number")
        pieces.append((raw[0], float(raw[1])))
    unk_id = value.option("unk_id", int)
    if unk_id is None or not 0 <= unk_id < len(pieces):
        value.at("unk_id").fail(
            f"found {shown(unk_id)}, expected 0 to {len(pieces) - 1}: unknown characters would be "
            "errors"
        )
    ids = {text: number for number, (text, _) in enumerate(pieces)}
    scores = {text.encode(): score for text, score in pieces if text}
    least = min(score for _, score in pieces)
    if least < min(scores.values()):
        value.at("vocab").fail("a piece that comes again, or is empty, has the least score")
    texts = sorted(scores)
    if any(len(text) > MAX_TOKEN_BYTES for text in texts):
        value.at("vocab").fail(f"a token has over {MAX_TOKEN_BYTES} bytes")
    fallback = bool(value.option("byte_fallback", bool))
    byte_ids = tuple(ids.get(f"<0x{byte:02X}>") for byte in range(256)) if fallback else ()
    known = any(each is not None for each in byte_ids)
    stated = tuple(ids[text.decode()] for text in texts)
    model = Viterbi(
        tokens=tuple(texts),
        scores=[scores[text] for text in texts],
        first_id=min(stated),
        id_policy=Ids.STATED,
        stated=stated,
        unknown=Unknown.BYTES if known else Unknown.ID,
        unk_id=unk_id,
        byte_ids=byte_ids if known else (),
    )
    return Vocabulary(model, ids)


def sizes(added: Collection[str], vocabulary: Vocabulary) -> str:
    """The sizes of a model, in words."""
    return f"{len(vocabulary.ids):,} tokens, {len(added):,} added"
