"""SentencePiece's `.model`: a protocol buffer of pieces, and how text is normalized before them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from wwho.assemble import decoders
from wwho.assemble.bpe import bpe_model, safe_cuts
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner, compile_scanners, regex_scanner
from wwho.compile.syntax import Behind, Chars, alt, many, seq
from wwho.errors import SourceError
from wwho.format.bpe import BPE
from wwho.format.layout import MAX_IDS
from wwho.format.model import Action, Added, Artifact, Flag, Ids, Route, Stage, Unknown
from wwho.format.steps import Ends, Replace, Rewriting, Rules, Step
from wwho.format.viterbi import Viterbi
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source
from wwho.interchange import protobuf
from wwho.interchange.charsmap import Charsmap, read_charsmap
from wwho.reference.unigram import f32

ENGINE = "sentencepiece 0.2.3"
MARK = "\u2581"
"""What stands for a space."""

PUT, GONE = "\ud800", "\ud801"
"""Stand between steps for the mark that is put beside a text, and for what is removed from it."""

FIRST, NEXT, KEPT = "\ud802", "\ud803", "\ud804"
"""Stand for the spaces of a piece of the user: the first one, those after it, and all others."""

_PIECE = re.compile(rb"\n[\x03-\x7f\x80-\xff]", re.DOTALL)
_BYTE = re.compile(rb"<0x([0-9A-F]{2})>")

PIECES, TRAINER, NORMALIZER, _SELF_TEST, DENORMALIZER = range(1, 6)
"""The fields of a model."""


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
        suffix: whether the mark of a space is put after a word, not before it.
        unk_surface: what the unknown token decodes to.
        charsmap: what is replaced in a text first.
        add_dummy_prefix: whether a text begins with a mark that it does not have itself.
        remove_extra_whitespaces: whether spaces at both ends go, and repeated ones become one.
        escape_whitespaces: whether spaces become marks.
    """

    pieces: tuple[Piece, ...]
    algorithm: Algorithm = Algorithm.UNIGRAM
    byte_fallback: bool = False
    suffix: bool = False
    unk_surface: str = " \u2047 "
    charsmap: Charsmap = field(default_factory=Charsmap)
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True

    @property
    def unk_id(self) -> int:
        """The id of the one unknown piece."""
        return next(number for number, each in enumerate(self.pieces) if each.kind == Kind.UNKNOWN)

    def of_kind(self, *kinds: Kind) -> list[int]:
        """The ids of all pieces of some kinds."""
        return [number for number, each in enumerate(self.pieces) if each.kind in kinds]


def sniff(source: Source) -> bool:
    """Whether it is a protocol buffer whose first field is a piece."""
    return bool(_PIECE.match(source.head)) and _first_is_piece(source.head)


def _first_is_piece(head: bytes) -> bool:
    try:
        number, wire, value = next(protobuf.fields(head, "it"))
        assert isinstance(value, bytes)
        inner = [(number, wire) for number, wire, _ in protobuf.fields(value, "it")]
    except SourceError:
        return False
    return (number, wire) == (PIECES, protobuf.LENGTH) and (1, protobuf.LENGTH) in inner


def parse_model(data: bytes) -> Model:
    """Read a `.model`.

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
    """The byte that a piece is the token of; None if its text names none.

    Example:
        >>> byte_of(Piece(b"<0x41>", kind=Kind.BYTE))
        65
    """
    match = _BYTE.fullmatch(piece.text)
    return int(match[1], 16) if match else None


def _is_reserved(piece: Piece) -> bool:
    """Whether a piece is never found in text."""
    return piece.kind in (Kind.UNKNOWN, Kind.CONTROL, Kind.BYTE)


def _check_denormalizer(data: bytes) -> None:
    if protobuf.last_fields(data, "denormalizer_spec").get(2):
        raise SourceError(
            "denormalizer_spec has rules, by which decoded text is rewritten; no artifact holds "
            "them. Train the model without denormalization_rule_tsv"
        )


def _algorithm(number: int) -> Algorithm:
    if not 1 <= number <= max(Algorithm):
        raise SourceError(f"model_type is {number}; known are {', '.join(map(str, Algorithm))}")
    return Algorithm(number)


def _number(spec: dict[int, protobuf.Value], number: int, name: str, default: int) -> int:
    value = spec.get(number, default)
    if not isinstance(value, int):
        raise SourceError(f"{name} is no number; the file is damaged")
    return value


def _bytes(spec: dict[int, protobuf.Value], number: int, name: str, default: bytes = b"") -> bytes:
    value = spec.get(number, default)
    if not isinstance(value, bytes):
        raise SourceError(f"{name} is no string of bytes; the file is damaged")
    return value


def _text(spec: dict[int, protobuf.Value], number: int, name: str, default: str) -> str:
    value = _bytes(spec, number, name, default.encode())
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(f"{name}, {value!r}, is not UTF-8") from None


def read(source: Source, options: Options) -> Imported:
    """Make the model."""
    record = options.record(source) | {"engine": ENGINE}
    artifact = artifact_of(parse_model(source.data), record)
    return Imported(artifact=artifact, kind=READER.kind, engine=ENGINE)


def artifact_of(model: Model, record: Mapping[str, str]) -> Artifact:
    """The artifact that gives the ids of a model.

    Raises:
        SourceError: SentencePiece does something with it that no artifact does.
    """
    _check_reach(model)
    made = unigram(model) if model.algorithm is Algorithm.UNIGRAM else units_model(model)
    mark = MARK if model.escape_whitespaces else " "
    scanners = [_spaces(model)]
    stages: tuple[Stage, ...] = ()
    if isinstance(made, BPE):
        words = model.algorithm is Algorithm.WORD
        unit = f"{MARK}[^{MARK}]*|[^{MARK}]+" if words else r"[\s\S]"
        scanners.append(regex_scanner("units", unit))
        if model.algorithm is Algorithm.BPE and (cuts := safe_cuts(made)) is not None:
            scanners.append(Scanner("safe cuts", (cuts,), longest=False))
            stages = (Stage(2, (Action.KEEP,)),)
    if _ends_in_mark(model):
        spaces, put = (Chars(CodePointSet.of(each)) for each in (mark, PUT))
        rules = seq(many(spaces), put), alt(many(spaces, 1), Chars(~spaces.chars))
        scanners.append(Scanner("end", rules, longest=False))
    return Artifact(
        scanners=compile_scanners(scanners),
        routes=(
            Route(
                "text",
                model=0,
                stages=(0,) if stages else (),
                units=1 if isinstance(made, BPE) else None,
            ),
        ),
        models=(made,),
        stages=stages,
        added=_added(model, made),
        normalizer=_normalizer(model, mark, len(scanners) - 1),
        decoder=decoders.sentencepiece(
            dict.fromkeys(model.of_kind(Kind.CONTROL), b"")
            | {model.unk_id: model.unk_surface.encode()},
            dummy_prefix=model.add_dummy_prefix,
            remove_spaces=model.remove_extra_whitespaces,
        ),
        provenance=record,
    )


def _nothing() -> SourceError:
    return SourceError("no piece is of a type that text becomes; a model needs one")


def _check_reach(model: Model) -> None:
    """Refuse what SentencePiece does and no artifact does."""
    if MARK in model.unk_surface:
        raise SourceError(
            f"unk_surface is {model.unk_surface!r}: U+2581 in it stays in decoded text, while that "
            "of pieces becomes a space"
        )
    if model.suffix and _keeps_spaces(model):
        raise SourceError(
            "treat_whitespace_as_suffix is on, and pieces of the user have repeated spaces, which "
            "remove_extra_whitespaces takes from all others: no artifact does both"
        )
    if model.algorithm is Algorithm.BPE:
        texts = {number: model.pieces[number].text.decode() for number in range(len(model.pieces))}
        lone = {texts[number] for number in model.of_kind(Kind.NORMAL)}
        unused = model.of_kind(Kind.UNUSED)
        merged = (
            _merged(texts[n] for n in model.of_kind(Kind.NORMAL, Kind.UNUSED)) if unused else ()
        )
        for number in unused:
            if texts[number] in merged:
                raise SourceError(
                    f"piece {number}, {texts[number]!r}, is of the type unused: a BPE merges to "
                    "it, and then takes it apart again, which no artifact does"
                )
        for number in model.of_kind(Kind.NORMAL):
            if len(texts[number]) > 1 and not lone.issuperset(texts[number]):
                raise SourceError(
                    f"piece {number}, {texts[number]!r}, has a character that is no piece of its "
                    "own: a BPE merges by it all the same, which no artifact does"
                )


def _merged(texts: Iterable[str]) -> set[str]:
    """The texts that pairs of characters and of shorter texts make."""
    merged: set[str] = set()
    for text in sorted(texts, key=len):
        halves = ((text[:place], text[place:]) for place in range(1, len(text)))
        if any(all(len(half) == 1 or half in merged for half in both) for both in halves):
            merged.add(text)
    return merged


def unigram(model: Model) -> Viterbi:
    """The model of scores.

    Pieces of the user have a score by their length, whatever the file says.
    """
    scores = {
        model.pieces[number].text: (number, _score(model.pieces[number]))
        for number in model.of_kind(Kind.NORMAL, Kind.USER_DEFINED)
    }
    texts = tuple(sorted(scores, key=lambda text: scores[text][0]))
    if not texts:
        raise _nothing()
    return Viterbi(
        tokens=texts,
        scores=tuple(scores[text][1] for text in texts),
        narrow=True,
        first_id=0,
        id_policy=Ids.STATED,
        stated=tuple(scores[text][0] for text in texts),
        unknown=Unknown.BYTES if model.byte_fallback else Unknown.ID,
        unk_id=model.unk_id,
        byte_ids=_byte_ids(model),
    )


def _score(piece: Piece) -> float:
    return f32(0.1 * (len(piece.text) - 1)) if piece.kind is Kind.USER_DEFINED else piece.score


def units_model(model: Model) -> BPE:
    """The model of merges, of characters or of words."""
    words = (Kind.USER_DEFINED,) if model.algorithm is Algorithm.WORD else ()
    found = model.of_kind(Kind.NORMAL, *words)
    normal = {model.pieces[number].text: (number, model.pieces[number].score) for number in found}
    fuse = not model.byte_fallback
    if not normal:
        raise _nothing()
    if model.algorithm is Algorithm.BPE:
        return bpe_model(
            {text: number for text, (number, _) in normal.items()},
            {text: -score for text, (_, score) in normal.items() if len(text.decode()) > 1},
            units=True,
            unk_id=model.unk_id,
            fuse=fuse,
            byte_ids=_byte_ids(model),
        )
    if model.algorithm is Algorithm.CHAR:
        normal = {text: each for text, each in normal.items() if len(text.decode()) == 1}
    texts = tuple(sorted(normal))
    if not texts:
        raise _nothing()
    return BPE(
        symbols=texts,
        units=True,
        id_policy=Ids.STATED,
        stated=tuple(normal[text][0] for text in texts),
        unknown=Unknown.BYTES if model.byte_fallback else Unknown.ID,
        unk_id=model.unk_id,
        fuse=fuse,
        byte_ids=_byte_ids(model),
    )


def _byte_ids(model: Model) -> tuple[int, ...]:
    found = {byte_of(model.pieces[number]): number for number in model.of_kind(Kind.BYTE)}
    return tuple(found[byte] for byte in range(256)) if found else ()


def _added(model: Model, made: BPE | Viterbi) -> tuple[Added, ...]:
    """What no merge or score makes: it is found in text, where it may be, or only decodes.

    A piece of the user is one token wherever normalized text has it; in a Unigram model it has a
    score instead.
    """
    flags = {Kind.CONTROL: Flag.SPECIAL, Kind.USER_DEFINED: Flag.NORMALIZED}
    known = {*made.stated, *made.byte_ids}
    if isinstance(made, BPE) and made.id_policy is not Ids.STATED:
        known |= {made.first_id + place for place in range(len(made.texts))}
    return tuple(
        Added(piece.text.decode(), number, flags.get(piece.kind, Flag.HIDDEN))
        for number, piece in enumerate(model.pieces)
        if number not in known
    )


def _normalizer(model: Model, mark: str, number: int) -> tuple[Step, ...]:
    """What SentencePiece does to a text first; the scanner `number` finds the marks at its end."""
    steps: list[Step] = []
    remove, add = model.remove_extra_whitespaces, model.add_dummy_prefix
    rules = dict(model.charsmap.rules)
    own, keeps = _of_user(model), _keeps_spaces(model)
    if own and (rules or keeps):
        begins = tuple(own)
        rules = {key: text for key, text in rules.items() if not key.startswith(begins)}
        rules |= {text: _with_spaces_told(text) if keeps else text for text in own}
    gone = [ord(key) for key, text in rules.items() if not text and len(key) == 1]
    # What is put before or after a text is there even if nothing else is left.
    early = add and bool(gone) and (model.suffix or not remove)
    if early and remove:
        steps.append(Rewriting(dict.fromkeys(gone, (ord(GONE),))))
    elif early:
        steps.append(Ends(suffix=PUT) if model.suffix else Ends(prefix=PUT))
    if rules:
        steps.append(Rules(rules))
    if remove:
        steps.append(Ends(strip=f" {FIRST}{NEXT}" if keeps else " ", left=True))
    if keeps:
        steps.append(Replace(0, ("", None, None)))
        steps.append(Rewriting({ord(each): (ord(mark),) for each in f" {FIRST}{NEXT}{KEPT}"}))
    if _ends_in_mark(model):
        steps.append(Ends(suffix=PUT))
        if early:
            steps += [Rewriting({ord(GONE): ()}), Ends(strip=" ", left=True)]
    if not keeps and (remove or model.escape_whitespaces):
        steps.append(Replace(0, (mark, None)))
    if _ends_in_mark(model):
        steps.append(Replace(number, (mark, None)))
    elif early:
        steps.append(Rewriting({ord(PUT): (ord(mark),)}))
    elif remove or add:
        steps.append(
            Ends(
                strip=mark if remove else "",
                right=remove,
                prefix=mark if add and not model.suffix else "",
                suffix=mark if add and model.suffix else "",
            )
        )
    return tuple(steps)


def _of_user(model: Model) -> list[str]:
    return [model.pieces[number].text.decode() for number in model.of_kind(Kind.USER_DEFINED)]


def _keeps_spaces(model: Model) -> bool:
    """Whether pieces of the user keep repeated spaces, which all others lose."""
    return model.remove_extra_whitespaces and any("  " in text for text in _of_user(model))


def _with_spaces_told(text: str) -> str:
    """A piece of the user whose spaces stay, or only where no space is before it."""
    rest = text.lstrip(" ")
    head = f"{FIRST:{NEXT}<{len(text) - len(rest)}}" if rest != text else ""
    return head + rest.replace(" ", KEPT)


def _spaces(model: Model) -> Scanner:
    """What finds the spaces that become a mark, or those that go where others are kept."""
    if not _keeps_spaces(model):
        spaces = " +" if model.remove_extra_whitespaces else " "
        return regex_scanner("spaces", spaces, r"[\s\S]")
    loose = CodePointSet.of(*f" {FIRST}{NEXT}")
    after = Behind(negative=False, chars=loose | CodePointSet.of(KEPT))
    head = seq(Chars(CodePointSet.of(FIRST)), many(Chars(CodePointSet.of(NEXT))))
    rules = (seq(after, many(Chars(loose), 1)), head, Chars(ALL))
    return Scanner("spaces", rules, longest=False)


def _ends_in_mark(model: Model) -> bool:
    """Whether one mark is put after a text, and others are taken off there."""
    return model.suffix and model.add_dummy_prefix and model.remove_extra_whitespaces


READER = Reader(kind="a SentencePiece model", sniff=sniff, read=read)
