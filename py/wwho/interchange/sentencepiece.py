"""SentencePiece's `.model`: a protocol buffer of pieces, and how text is normalized before them."""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from wwho.errors import SourceError
from wwho.format.layout import MAX_IDS
from wwho.format.leb import pack
from wwho.interchange import protobuf
from wwho.interchange.charsmap import Charsmap, read_charsmap, write_charsmap

MARKER = "\u2581"
"""What stands for a space."""

_BYTE = re.compile(rb"<0x([0-9A-F]{2})>")

PIECES, TRAINER, NORMALIZER, _SELF_TEST, DENORMALIZER = range(1, 6)
"""The fields of a model."""


NAMES = (("unk", "<unk>", 0), ("bos", "<s>", 1), ("eos", "</s>", 2), ("pad", "<pad>", 1 << 64))
"""The tokens that a trainer names: what for, their usual texts and ids, from 2**31 on for none."""


class Kind(IntEnum):
    """What a piece is for."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


KINDS = {int(kind): kind for kind in Kind}


class Algorithm(IntEnum):
    """How pieces are chosen."""

    UNIGRAM = 1
    BPE = 2
    WORD = 3
    CHAR = 4


@dataclass(frozen=True)
class Piece:
    """One token.

    Attributes:
        text: its text in UTF-8; spaces are U+2581.
        score: an f32.
        kind: what it is for.
    """

    text: bytes
    score: float = 0.0
    kind: Kind = Kind.NORMAL


@dataclass(frozen=True, kw_only=True)
class Model:
    """A `.model`, checked.

    Attributes:
        pieces: the tokens by id.
        algorithm: how they are chosen.
        byte_fallback: whether unknown characters become the tokens of their bytes.
        suffix: whether the marker for a space is put after a word, not before it.
        unk_surface: what the unknown token decodes to.
        charsmap: what is replaced in a text first.
        charsmap_bytes: the same as the file has it.
        names: the texts of the unknown, first, last and padding token, by "unk", "bos", "eos" and
            "pad", as far as the trainer had them.
        add_dummy_prefix: whether a text begins with a marker that it does not have itself.
        remove_extra_whitespaces: whether spaces at both ends go, and repeated ones become one.
        escape_whitespaces: whether spaces become markers.
    """

    pieces: tuple[Piece, ...]
    algorithm: Algorithm = Algorithm.UNIGRAM
    byte_fallback: bool = False
    suffix: bool = False
    unk_surface: str = " \u2047 "
    charsmap: Charsmap = field(default_factory=Charsmap)
    charsmap_bytes: bytes = b""
    names: Mapping[str, str] = field(default_factory=dict)
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True

    @property
    def unk_id(self) -> int:
        """The id of the one unknown piece, which each model has."""
        return next(number for number, each in enumerate(self.pieces) if each.kind == Kind.UNKNOWN)

    def of_kind(self, *kinds: Kind) -> list[int]:
        """Return the ids of all pieces of some kinds."""
        return [number for number, each in enumerate(self.pieces) if each.kind in kinds]


def parse_model(data: bytes) -> Model:
    """Return the content of a `.model`, checked, as SentencePiece opens it.

    With byte_fallback, a piece of U+0000 becomes an unused one.

    Raises:
        SourceError: it is damaged, or breaks a rule that SentencePiece keeps to; the message says
            which piece or field is at fault.
    """
    pieces: list[Piece] = []
    specs = {TRAINER: b"", NORMALIZER: b"", DENORMALIZER: b""}
    for number, wire, value in protobuf.fields(data, "the model"):
        if number == PIECES or number in specs:
            if wire != protobuf.LENGTH:
                raise SourceError(f"field {number} of the model is no message; it is damaged")
            assert isinstance(value, bytes)
            if number == PIECES:
                pieces.append(_piece(value, len(pieces)))
            else:
                specs[number] += value  # messages that come twice are one
    _check_denormalizer(specs[DENORMALIZER])
    trainer = protobuf.last_fields(specs[TRAINER], "trainer_spec")
    normalizer = protobuf.last_fields(specs[NORMALIZER], "normalizer_spec")
    model = Model(
        pieces=tuple(pieces),
        algorithm=_algorithm(_number(trainer, 3, "model_type", Algorithm.UNIGRAM)),
        byte_fallback=bool(_number(trainer, 35, "byte_fallback", 0)),
        suffix=bool(_number(trainer, 24, "treat_whitespace_as_suffix", 0)),
        unk_surface=_text(trainer, 44, "unk_surface", " \u2047 "),
        charsmap=read_charsmap(_bytes(normalizer, 2, "precompiled_charsmap")),
        charsmap_bytes=_bytes(normalizer, 2, "precompiled_charsmap"),
        names={
            name: _text(trainer, 45 + place, f"{name}_piece", usual)
            for place, (name, usual, number) in enumerate(NAMES)
            if _number(trainer, 40 + place, f"{name}_id", number) < 1 << 31
        },
        add_dummy_prefix=bool(_number(normalizer, 3, "add_dummy_prefix", 1)),
        remove_extra_whitespaces=bool(_number(normalizer, 4, "remove_extra_whitespaces", 1)),
        escape_whitespaces=bool(_number(normalizer, 5, "escape_whitespaces", 1)),
    )
    check_pieces(model)
    if model.byte_fallback:  # there a piece of U+0000 is as if unused
        pieces = [replace(p, kind=Kind.UNUSED) if p.text == b"\0" else p for p in model.pieces]
        model = replace(model, pieces=tuple(pieces))
    return model


def _piece(data: bytes, number: int) -> Piece:
    """Return the piece that a message is; `number` is its id, for errors.

    Raises:
        SourceError: it is damaged, of an unknown type, or not UTF-8.
    """
    what = f"piece {number}"
    text, score, kind = b"", 0.0, int(Kind.NORMAL)
    for name, wire, value in protobuf.fields(data, what):
        if name == 1 and isinstance(value, bytes) and wire == protobuf.LENGTH:
            text = value
        elif name == 2 and wire == protobuf.FIXED32:
            score = protobuf.as_float(value)
        elif name == 3 and isinstance(value, int):
            kind = value
        elif name <= 3:
            raise SourceError(f"{what}: field {name} is spelled as kind {wire}; it is damaged")
    if kind not in KINDS:
        raise SourceError(f"{what}, {text!r}, has the type {kind}; 1 to {max(KINDS)} are known")
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(f"{what}, {text!r}, is not UTF-8") from None
    return Piece(text, score, KINDS[kind])


def check_pieces(model: Model) -> None:
    """Check what SentencePiece checks when it opens a model.

    Raises:
        SourceError: it would not open this one; the message says for which piece.
    """
    pieces = model.pieces
    if not 1 <= len(pieces) <= MAX_IDS:
        raise SourceError(f"it has {len(pieces)} pieces; 1 to {MAX_IDS} are possible")
    names = Counter((each.text, _is_reserved(each)) for each in pieces)
    for number, each in enumerate(pieces):
        if not each.text:
            raise SourceError(f"piece {number} is empty")
        if names[each.text, _is_reserved(each)] > 1:
            raise SourceError(f"piece {number}, {each.text!r}, comes twice")
        if not math.isfinite(each.score) and model.algorithm in (Algorithm.UNIGRAM, Algorithm.BPE):
            raise SourceError(
                f"piece {number}, {each.text!r}, has the score {each.score}; scores are finite "
                "numbers"
            )
    unknown = model.of_kind(Kind.UNKNOWN)
    if len(unknown) != 1:
        raise SourceError(f"{len(unknown)} pieces are of the type unknown ({unknown[:5]}); one is")
    found = {byte_of(pieces[number]) for number in model.of_kind(Kind.BYTE)}
    if None in found:
        raise SourceError("a piece of the type byte is not spelled <0x00> to <0xFF>")
    if model.byte_fallback and len(found) < 256:
        raise SourceError(f"byte_fallback is on, but {len(found)} of 256 bytes are pieces")
    if found and not model.byte_fallback:
        raise SourceError(f"{len(found)} pieces are bytes, but byte_fallback is off")


def byte_of(piece: Piece) -> int | None:
    """Return the byte that a piece is the token of; None if its text names none.

    Example:
        >>> byte_of(Piece(b"<0x41>", kind=Kind.BYTE))
        65
    """
    match = _BYTE.fullmatch(piece.text)
    return int(match[1], 16) if match else None


def _is_reserved(piece: Piece) -> bool:
    """Return whether a piece is never found in text."""
    return piece.kind in (Kind.UNKNOWN, Kind.CONTROL, Kind.BYTE)


def _check_denormalizer(data: bytes) -> None:
    """Raise SourceError if the message denormalizer_spec has rules."""
    if protobuf.last_fields(data, "denormalizer_spec").get(2):
        raise SourceError(
            "denormalizer_spec has rules, by which decoded text is rewritten; no artifact holds "
            "them. Train the model without denormalization_rule_tsv"
        )


def _algorithm(number: int) -> Algorithm:
    """Return the algorithm with a number; raise SourceError if there is none."""
    if not 1 <= number <= max(Algorithm):
        raise SourceError(f"model_type is {number}; known are {', '.join(map(str, Algorithm))}")
    return Algorithm(number)


def _number(spec: dict[int, protobuf.Value], number: int, name: str, default: int) -> int:
    """Return a field that is a number, or the default; raise SourceError if it is another value."""
    value = spec.get(number, default)
    if not isinstance(value, int):
        raise SourceError(f"{name} is no number; the file is damaged")
    return value


def _bytes(spec: dict[int, protobuf.Value], number: int, name: str, default: bytes = b"") -> bytes:
    """Return a field that is bytes, or the default; raise SourceError if it is another value."""
    value = spec.get(number, default)
    if not isinstance(value, bytes):
        raise SourceError(f"{name} is no string of bytes; the file is damaged")
    return value


def _text(spec: dict[int, protobuf.Value], number: int, name: str, default: str) -> str:
    """Return a field that is a text, or the default; raise SourceError if it is another value."""
    value = _bytes(spec, number, name, default.encode())
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(f"{name}, {value!r}, is not UTF-8") from None


def write_model(model: Model) -> bytes:
    """Return the bytes of a `.model`. Nothing is checked, but that the charsmap can be written.

    Raises:
        ExportError: it cannot.
    """
    pieces = b"".join(_write_field(PIECES, _write_piece(each)) for each in model.pieces)
    unknown = model.pieces[model.unk_id].text
    trainer = (
        _write_number(3, model.algorithm)
        + _write_number(4, len(model.pieces))
        + _write_number(24, model.suffix)
        + _write_number(35, model.byte_fallback)
        + _write_number(40, model.unk_id)
        + _write_field(44, model.unk_surface.encode())
        + _write_field(45, unknown)
    )
    normalizer = (
        _write_field(1, b"user_defined" if model.charsmap.rules else b"identity")
        + _write_field(2, write_charsmap(model.charsmap.rules))
        + _write_number(3, model.add_dummy_prefix)
        + _write_number(4, model.remove_extra_whitespaces)
        + _write_number(5, model.escape_whitespaces)
    )
    return pieces + _write_field(TRAINER, trainer) + _write_field(NORMALIZER, normalizer)


def _write_piece(piece: Piece) -> bytes:
    """Return the message of a piece."""
    score = pack([2 << 3 | protobuf.FIXED32]) + struct.pack("<f", piece.score)
    return _write_field(1, piece.text) + score + _write_number(3, piece.kind)


def _write_field(number: int, data: bytes) -> bytes:
    """Return a field that is a text or a message."""
    return pack([number << 3 | protobuf.LENGTH, len(data)]) + data


def _write_number(number: int, value: int) -> bytes:
    """Return a field that is a number."""
    return pack([number << 3 | protobuf.VARINT, value])
