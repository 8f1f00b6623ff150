"""The section DECODER: how the texts of tokens are joined (FORMAT.md, DECODER)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_TOKEN_BYTES

MAX_STEPS = 64
MAX_TEXT = 255
KINDS = ("", "Replace", "Strip", "Bytes", "Join", "Unique", "Some", "Unspell", "Blocks")


class Where(IntEnum):
    """The tokens of the list to which a step of a decoder applies."""

    ALL = 0
    """All of them."""
    FIRST = 1
    """The first one."""
    REST = 2
    """All but the first."""
    LAST = 3
    """The last one."""
    BUT_LAST = 4
    """All but the last."""
    OPENING = 5
    """Those before which the step leaves no text."""
    OPENING_ONCE = 6
    """The same, up to the first that the step makes shorter."""


@dataclass(frozen=True)
class Replace:
    """A step that replaces a text in each token, from left to right, by another text.

    Attributes:
        pattern: the text that is replaced, 1 to 255 bytes of UTF-8.
        content: the text that replaces it, at most 255 bytes.
        where: the tokens to which the step applies.
    """

    pattern: str
    content: str
    where: Where = Where.ALL


@dataclass(frozen=True)
class Strip:
    """A step that removes a text from the ends of each token.

    Attributes:
        text: the text, at most 255 bytes of UTF-8.
        left: how many times it is removed from the start at most, 0 to 255.
        right: how many times it is removed from the end at most.
        otherwise: the text that is put before a token from whose start nothing was removed.
        where: the tokens to which the step applies.
    """

    text: str
    left: int = 0
    right: int = 0
    otherwise: str = ""
    where: Where = Where.ALL


@dataclass(frozen=True)
class Bytes:
    """A step that makes text of neighbouring tokens `<0xHH>`, which stand for bytes.

    Attributes:
        each: whether such bytes become a token for each character, and a token U+FFFD for each byte
            that is part of none. Otherwise they become one token if they are UTF-8, and a token
            U+FFFD for each byte if they are not.
    """

    each: bool = False


@dataclass(frozen=True)
class Join:
    """A step that makes one token of all tokens.

    Attributes:
        separator: the text that is put between two tokens, at most 255 bytes of UTF-8.
    """

    separator: str = ""


@dataclass(frozen=True)
class Unique:
    """A step that leaves out a token that equals the one before it."""


@dataclass(frozen=True)
class Some:
    """A step that leaves out empty tokens."""


@dataclass(frozen=True)
class Unspell:
    """A step that makes bytes of each token whose characters are all of ByteLevel's alphabet."""


@dataclass(frozen=True)
class Blocks:
    """A step that makes characters of the symbols that the `Blocks` of a route writes.

    A block and then an index whose place has a character become that character, the symbol of a
    byte becomes the byte, and any other symbol U+FFFD. Text between symbols stays.
    """


Step: TypeAlias = Replace | Strip | Bytes | Join | Unique | Some | Unspell | Blocks


@dataclass(frozen=True)
class Decoder:
    """How the texts of tokens become one text.

    The texts form a list, each step turns it into another list, and the last list is concatenated.
    The list begins with the text of each token, with three exceptions: a token that stands for a
    byte is `<0xHH>`, a token of a `Greedy` that may only continue a pretoken begins with
    `continuing`, and a token with a surface has that text.

    Attributes:
        steps: the steps, in order; at most 64.
        continuing: the text before tokens that only continue a pretoken, such as "##"; at most 255
            bytes of UTF-8.
        surfaces: the texts of tokens that have another one here: id to at most 1024 bytes.
    """

    steps: tuple[Step, ...] = ()
    continuing: str = ""
    surfaces: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Return whether no part of a text can be decoded before its last token is known.

        It is so with `Unique`, `Some` and `Unspell`; where a step after `Join` looks at text that
        further tokens may change; and where a step of opening tokens stands beside one that adds
        text.
        """
        joined = adds = opens = False
        for step in self.steps:
            match step:
                case Join(separator):
                    joined, adds = True, adds or bool(separator)
                case Strip(text, _, right, otherwise, where):
                    if joined and (right or otherwise or len(text.encode()) > 1):
                        return True
                    adds, opens = adds or bool(otherwise), opens or where >= Where.OPENING
                case Replace(_, _, where) if not joined:
                    opens = opens or where >= Where.OPENING
                case Bytes() if not joined:
                    pass
                case Blocks() if joined and not adds and len(self.steps) == 2:
                    pass
                case _:
                    return True
        return adds and opens


def write_decoder(decoder: Decoder) -> bytes:
    """Return the bytes of the section DECODER.

    Surfaces are written by ascending id.

    Example:
        >>> write_decoder(Decoder((Replace("_", " "),), "##", {7: b"!"})).hex(" ", -4)
        '01020100 23230100 00000101 5f200700 00000100 000021'
    """
    prefix = decoder.continuing.encode()
    out = struct.pack("<BBH", len(decoder.steps), len(prefix), len(decoder.surfaces)) + prefix
    out += b"".join(map(_write_step, decoder.steps))
    records, texts = b"", b""
    for token, text in sorted(decoder.surfaces.items()):
        texts += text
        records += struct.pack("<II", token, len(texts))
    return out + records + texts


def _write_step(step: Step) -> bytes:
    """Return the bytes of a step: its head and its two texts."""
    where, left, right, a, b = 0, 0, 0, "", ""
    match step:
        case Replace(a, b, where):
            pass
        case Strip(a, left, right, b, where):
            pass
        case Bytes(each):
            where = int(each)
        case Join(a):
            pass
    texts = a.encode(), b.encode()
    kind = KINDS.index(type(step).__name__)
    return struct.pack("<6B", kind, where, left, right, *map(len, texts)) + b"".join(texts)


def read_decoder(data: bytes, ids: Callable[[int], bool], *, blocks: bool = False) -> Decoder:
    """Return the decoder that a section holds.

    Args:
        data: the bytes of the section DECODER.
        ids: returns whether a number is the id of a token.
        blocks: whether the file has a step BLOCKS, without which a decoder may not have one.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is DECODER.
    """
    cursor = Cursor(data, "DECODER")
    n_steps, n_prefix, n_surfaces = cursor.numbers("BBH", "head")
    if n_steps > MAX_STEPS:
        cursor.fail(f"{n_steps} steps, not 0 to {MAX_STEPS}")
    prefix = cursor.utf8(n_prefix, "continuing")
    steps = tuple(_read_step(cursor, f"step {number}") for number in range(n_steps))
    if not blocks and Blocks() in steps:
        cursor.fail("no step writes the symbols of blocks that the decoder joins")
    records = [cursor.numbers("II", f"surface {number}") for number in range(n_surfaces)]
    surfaces, last, start = {}, -1, 0
    for token, end in records:
        if token <= last or not ids(token):
            cursor.fail(f"a surface of {token} behind that of {last}")
        if not start <= end <= start + MAX_TOKEN_BYTES:
            cursor.fail(f"the surface of {token} has {end - start} bytes")
        surfaces[token] = cursor.take(end - start, f"the surface of {token}")
        last, start = token, end
    cursor.end()
    return Decoder(steps, prefix, surfaces)


def _read_step(cursor: Cursor, name: str) -> Step:
    """Read the next step; refuse a field that its kind does not use and that is not 0.

    Args:
        name: what messages call the step.
        cursor: the section, which moves past the step.

    Raises:
        ArtifactError: that is so, or the kind is unknown.
    """
    kind, where, left, right, n_a, n_b = cursor.numbers("6B", name)
    a, b = cursor.utf8(n_a, name), cursor.utf8(n_b, name)
    if kind == 1 and where <= max(Where) and a:
        step: Step = Replace(a, b, Where(where))
    elif kind == 2 and where <= max(Where):
        step = Strip(a, left, right, b, Where(where))
    elif kind == 3 and where <= 1:
        step = Bytes(bool(where))
    elif kind == 4:
        step = Join(a)
    elif kind in (5, 6, 7, 8):
        step = (Unique(), Some(), Unspell(), Blocks())[kind - 5]
    else:
        cursor.fail(f"{name}: kind {kind}, where {where}, a text of {n_a} bytes")
    spelled = _write_step(step)
    if cursor.data[cursor.at - len(spelled) : cursor.at] != spelled:
        cursor.fail(f"{name}: a field that its kind does not have is not zero")
    return step
