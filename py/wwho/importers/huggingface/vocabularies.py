"""Models: BPE, WordPiece, WordLevel and Unigram."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wwho.assemble.bpe import bpe_model, characters, live_pairs, singles
from wwho.compile.codepoints import CodePointSet
from wwho.compile.syntax import Node, many, seq
from wwho.format.bpe import BPE
from wwho.format.decoder import Replace, Step
from wwho.format.greedy import Greedy
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Ids, Model, Unknown
from wwho.format.steps import STAND_INS, stood_for
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.document import Value, check_options
from wwho.importers.huggingface.draft import ANY, Draft, one
from wwho.importers.huggingface.pieces import (
    MAX_ORDERED,
    filled,
    filler,
    move_unknown,
    replace_unknown,
    spelled_in,
    unit,
    unmark,
    whole_mark,
)
from wwho.importers.huggingface.places import Places
from wwho.importers.source import shown


@dataclass
class Vocabulary:
    """A model, and the tokens that it has no place for.

    Attributes:
        model: the model.
        ids: all of its tokens as the file spells them, text to id.
        hidden: tokens that no text is encoded to, but that decode: text to id.
        unit: a symbol of a BPE of units.
        decoding: what makes of the texts of tokens those in the file.
    """

    model: Model
    ids: Mapping[str, int]
    hidden: dict[str, int] = field(default_factory=dict)
    unit: Node = ANY
    decoding: tuple[Step, ...] = ()


def read_model(
    value: Value, draft: Draft, added: Mapping[str, int], special: Container[str]
) -> Vocabulary:
    """Make the model of "model".

    Args:
        value: the model.
        draft: what cuts texts; a model may add steps to it.
        added: the added tokens, text to id.
        special: the added tokens that no text becomes without leave.

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
        "BPE": lambda value: _bpe(value, draft, added, special),
        "WordPiece": lambda value: _word_piece(_no_bytes(value, draft), draft.alone()),
        "WordLevel": lambda value: _word_level(_no_bytes(value, draft)),
        "Unigram": lambda value: _unigram(_no_bytes(value, draft), draft.private[-1]),
    }
    return value.dispatch(readers, "model")


def _guess(raw: Mapping[str, Any]) -> str:
    if "merges" in raw:
        return "BPE"
    if isinstance(raw.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "max_input_chars_per_word" in raw else "WordLevel"


def _no_bytes(value: Value, draft: Draft) -> Value:
    if draft.byte_level:
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


def _bpe(
    value: Value, draft: Draft, added: Mapping[str, int], special: Container[str]
) -> Vocabulary:
    if value.at("dropout").raw:
        value.at("dropout").fail("dropout gives other ids each time; set it to null")
    vocab = read_vocab(value.at("vocab"))
    prefix = value.option("continuing_subword_prefix", str) or ""
    suffix = value.option("end_of_word_suffix", str) or ""
    merges = _merges(value.at("merges"), vocab, prefix)
    made = {left + right[len(prefix) :] for left, right in merges}
    whole, fuse = (bool(value.option(option, bool)) for option in ("ignore_merges", "fuse_unk"))
    unk, bytes_of = _unknown(value, draft, vocab, merges)
    unk_id = None if unk is None else vocab.get(unk)
    byte_level, places = draft.byte_level, None
    if prefix or suffix:
        places = Places(value, prefix, suffix, draft.private, leads=bool(bytes_of))
        if byte_level:
            places.refuse("do not go with bytes; leave it out, or ByteLevel")
        places.read(vocab, merges)
        if whole:
            merges = places.take_whole(vocab, special, merges)
        places.tell(draft)
    loses = unk is None and not (draft.spelled and STAND_INS.keys() <= vocab.keys())
    moves = not (byte_level or places or whole or bytes_of) and loses and _can_move(vocab)
    if moves:
        move_unknown(value, draft, _characters(vocab))
    spell, cut, symbol, decoding = _symbols(draft, places, byte_level, moves)
    spelled_as = {text: spell(text) for text in vocab}
    tokens: dict[bytes, int] = {}
    hidden: dict[str, int] = {}
    for text, number in vocab.items():
        spelled = spelled_as[text]
        if text in bytes_of and not (whole or text in made):
            continue
        if not spelled or (
            text not in made
            and (text in special if whole else (text in added or text == unk))
            and len(cut(spelled)) > 1
        ):
            hidden[text] = number
        elif len(spelled) > MAX_TOKEN_BYTES:
            value.at("vocab").fail(
                f"a token of {len(spelled)} bytes; {MAX_TOKEN_BYTES} are possible: {shown(text)}"
            )
        else:
            _cut_nowhere(value.at("vocab"), draft, text, spelled)
            tokens[spelled] = number
    if whole and draft.normalizer and (apart := [text for text in hidden if text in special]):
        draft.notes.append(
            f"special tokens are found as they are written: tokenizers also gives {shown(apart[0])}"
            " for a pretoken that the normalizer turns into its text"
        )
    if not byte_level and not {*tokens.values()} - {*map(vocab.__getitem__, bytes_of)}:
        # A model has one token at least that is no byte; no text becomes this one.
        tokens[draft.private[-1].encode()] = 1 + max([-1, *vocab.values(), *added.values()])
    pairs = [(spelled_as[left] or b"", spelled_as[right] or b"") for left, right in merges]
    if not byte_level:
        known = places.known if places else [("", _characters(vocab), "")]
        if places and bytes_of:
            _changes_symbols(value, unk, fuse, bytes_of, merges)  # which it must not
            places.spell_unknown(draft, bytes_of.values(), vanish=unk is None)
        elif not moves and _changes_symbols(value, unk, fuse and len(known) > 1, bytes_of, merges):
            unmade = _unmade(tokens, pairs) if whole and not places else set()
            own = [("", spelled_in({*bytes_of.values()}), "")] if bytes_of else []
            replace_unknown(
                *(value, draft, [*known, *own], unk or "", fuse and unk is not None),
                *({text.decode() for text in unmade}, places.ending if places else ""),
            )
            if unmade:
                mark = whole_mark(draft)
                pairs = [pair for pair in pairs if not {*pair, pair[0] + pair[1]} & unmade]
                told = {text: text + mark.encode() for text in unmade}
                tokens = {told.get(text, text): number for text, number in tokens.items()}
                decoding = (Replace(mark, ""),)
        if draft.guarded and bytes_of:
            *taken, other = (f"U+{ord(char):X}" for char in draft.private)
            draft.notes.append(f"the noncharacters {' '.join(taken)} have the bytes of {other}")
        unmark(draft)
        if unk_id is None:  # what is unknown has vanished before
            unk_id = min({*tokens.values()} - {*map(vocab.__getitem__, bytes_of)})
    model: BPE = bpe_model(
        tokens,
        pairs,
        units=False if byte_level else cut,
        whole=whole,
        unk_id=unk_id,
        fuse=fuse,
        byte_ids=[vocab.get(f"<0x{byte:02X}>") for byte in range(256)] if bytes_of else [],
        added={*added.values()},
    )
    return Vocabulary(model, vocab, hidden, symbol, decoding)


def _cut_nowhere(value: Value, draft: Draft, text: str, token: bytes) -> None:
    """Refuse a token that a pre-tokenizer cuts and no stage does (`Draft.apart`)."""
    for cut, together in draft.apart if len(token) > 1 else ():
        if not (cut.isdisjoint(token) or (together and cut.issuperset(token))):
            value.fail(f"a pre-tokenizer cuts the bytes of the token {shown(text)}")


def _unknown(
    value: Value, draft: Draft, vocab: Collection[str], merges: Sequence[tuple[str, str]]
) -> tuple[str | None, dict[str, int]]:
    """The token for unknown symbols, and those of their bytes, text to byte."""
    unk, fallback = value.option("unk_token", str), bool(value.option("byte_fallback", bool))
    if draft.byte_level:
        _refuse_bytes(value, vocab, merges, fallback)
        return unk, {}
    names = {f"<0x{byte:02X}>": byte for byte in range(256 if fallback else 0)}
    bytes_of = {text: byte for text, byte in names.items() if text in vocab}
    if unk is not None and unk not in vocab:
        if len(bytes_of) < 256:
            value.at("unk_token").fail(f"found {shown(unk)}, which is no token of the vocabulary")
        unk = None  # as nothing is unknown
    return unk, bytes_of


def _merges(value: Value, vocab: Collection[str], prefix: str) -> list[tuple[str, str]]:
    """The merges, whose parts and results must be tokens."""
    merges: list[tuple[str, str]] = []
    for number, raw in enumerate(value.be(list)):
        if isinstance(raw, str) and raw.startswith("#version"):
            continue
        left, right = _merge(raw, value, number)
        for text in (left, right, left + right[len(prefix) :]):
            if text not in vocab:
                value.at(number).fail(f"{shown(text)} is no token of the vocabulary")
        merges.append((left, right))
    return merges


def _can_move(vocab: Collection[str]) -> bool:
    """Whether a step can order the characters of a vocabulary, and a token hold them so told."""
    longest = max(map(len, vocab), default=0)
    return len(_characters(vocab)) <= MAX_ORDERED and longest <= MAX_TOKEN_BYTES // 16


def _symbols(
    draft: Draft, places: Places | None, byte_level: bool, moves: bool
) -> tuple[
    Callable[[str], bytes | None],
    Callable[[bytes], Sequence[bytes]],
    Node,
    tuple[Step, ...],
]:
    """How tokens are told: what spells one, its symbols, one in a text, and the decoding."""
    if places:
        symbol = unit(places.lead + places.front, places.behind)
        return places.spell, places.units, symbol, places.decoding
    if byte_level:
        return stood_for, singles, ANY, ()
    if not moves:
        return str.encode, characters, ANY, ()
    fill = filler(draft)

    def units(text: bytes) -> list[bytes]:
        return [each.encode() for each in filled(text.decode().replace(fill, ""), fill)]

    def spell(text: str) -> bytes:
        return "".join(filled(text, fill)).encode()

    symbol = seq(ANY, many(one(fill)))
    return spell, units, symbol, (Replace(fill, ""),)


def _refuse_bytes(
    value: Value,
    vocab: Collection[str],
    merges: Sequence[tuple[str, str]],
    fallback: bool,
) -> None:
    """Refuse what a model of bytes cannot do where some of them are no tokens."""
    missing = [each for each in STAND_INS if each not in vocab]
    if not missing:
        return
    if fallback and any(f"<0x{byte:02X}>" in vocab for byte in range(256)):
        value.at("byte_fallback").fail(f"bytes of {shown(missing[0])} would stand for a byte")
    unk = value.raw.get("unk_token")
    if any(unk in pair for pair in merges):
        value.at("unk_token").fail(f"found {shown(unk)}, which is merged with others")


def _characters(texts: Collection[str]) -> CodePointSet:
    return CodePointSet.of(*(text for text in texts if len(text) == 1))


def _changes_symbols(
    value: Value,
    unk: str | None,
    fuse: bool,
    bytes_of: Collection[str],
    merges: Sequence[tuple[str, str]],
) -> bool:
    """Whether steps must do what no model does with symbols that are not there.

    Without `unk_token` they vanish, and their neighbours meet. An `unk_token` that merges take for
    a symbol merges where it stands for others, too.
    """
    merged = unk is not None and any(unk in pair for pair in merges)
    if merged and (bytes_of or len(unk or "") != 1 or fuse):
        value.at("unk_token").fail(f"found {shown(unk)}, which is merged with others")
    return merged or (unk is None and len(bytes_of) < 256)


def _unmade(tokens: Collection[bytes], pairs: Sequence[tuple[bytes, bytes]]) -> set[bytes]:
    """The tokens that no merge makes."""
    symbols = {text for text in tokens if len(text.decode()) == 1}
    return {*tokens} - symbols - {*live_pairs(tokens, pairs, symbols, characters)}


def _merge(raw: Any, listed: Value, number: int) -> tuple[str, str]:
    match raw.split(" ") if isinstance(raw, str) else raw:
        case [str(left), str(right)]:
            return left, right
    return listed.at(number).fail(
        f"found {shown(raw)}, expected two texts, or one with a space between them"
    )


def _word_piece(value: Value, alone: CodePointSet) -> Vocabulary:
    prefix, unk = value.text("continuing_subword_prefix"), value.text("unk_token")
    limit = value.number("max_input_chars_per_word")
    if limit < 0:
        value.at("max_input_chars_per_word").fail(f"found {limit}, expected at least 0")
    vocab = read_vocab(value.at("vocab"))
    begins = len(prefix) > 1 and ord(prefix[0]) in alone
    return word_piece(value, vocab, unk, prefix, limit, spelled=not begins)


def word_piece(
    value: Value,
    vocab: Mapping[str, int],
    unk: str,
    prefix: str = "##",
    limit: int = 100,
    spelled: bool = False,
) -> Vocabulary:
    """Longest match from the left, with a prefix in front of what continues a word.

    Args:
        value: the model.
        vocab: the tokens, text to id.
        unk: the token for a word that is not made of tokens, or too long.
        prefix: what is in front of tokens that continue a word.
        limit: the most characters of a word.
        spelled: whether a word may begin with the prefix, so that such tokens may begin it, too.
    """
    first: dict[bytes, int] = {}
    later: dict[bytes, int] = {}
    hidden: dict[str, int] = {}
    for text, number in vocab.items():
        rest = text.removeprefix(prefix) if prefix else text
        if len(text.encode()) > MAX_TOKEN_BYTES:
            value.at("vocab").at(text).fail(f"a token has at most {MAX_TOKEN_BYTES} bytes")
        if not text or (not limit and len(text) == 1):
            hidden[text] = number
            continue
        if rest == text or spelled:
            first[text.encode()] = number
        if rest != text and rest:
            later[rest.encode()] = number
        elif not rest and not spelled:
            hidden[text] = number
    model = _greedy(value, first, None if not prefix else later, vocab, unk, limit or 1)
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
    later_ids = later or {}
    firsts = sorted(first, key=first.__getitem__)
    laters = sorted(later_ids, key=later_ids.__getitem__)
    stated = [first[text] for text in firsts] + [later_ids[text] for text in laters]
    if not stated:
        value.at("vocab").fail("no token is one that a text may become")
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


def _unigram(value: Value, private: str) -> Vocabulary:
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
    if not scores:
        value.at("vocab").fail("no piece has a text")
    least = min(score for _, score in pieces)
    if least < min(scores.values()):
        # Of a piece that comes again, or is empty: what is unknown has a lower one than this, too.
        scores[private.encode()] = least
    texts = sorted(scores, key=lambda text: ids.get(text.decode(), len(ids)))
    if any(len(text) > MAX_TOKEN_BYTES for text in texts):
        value.at("vocab").fail(f"a token has over {MAX_TOKEN_BYTES} bytes")
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


def sizes(added: Collection[str], vocabulary: Vocabulary) -> str:
    """The sizes of a model, in words."""
    return f"{len(vocabulary.ids):,} tokens, {len(added):,} added"
