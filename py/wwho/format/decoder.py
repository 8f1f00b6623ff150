"""The DECODER section: how the texts of tokens join again."""

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
    """The tokens of the list that a step is done to."""

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
    """Each occurrence of a text in a token, from left to right, becomes another text.

    Attributes:
        pattern: the text, 1 to 255 bytes of UTF-8.
        content: what it becomes, at most 255 bytes.
        where: in which tokens.
    """

    pattern: str
    content: str
    where: Where = Where.ALL


@dataclass(frozen=True)
class Strip:
    """A text goes from the ends of a token.

    Attributes:
        text: the text, at most 255 bytes of UTF-8.
        left: how many times it may go from the start, 0 to 255.
        right: how many times it may go from the end.
        otherwise: what is put in front of a token that does not begin with it.
        where: of which tokens.
    """

    text: str
    left: int = 0
    right: int = 0
    otherwise: str = ""
    where: Where = Where.ALL


@dataclass(frozen=True)
class Bytes:
    """Tokens `<0xHH>` are the bytes of a text: each run of them becomes one.

    Attributes:
        each: a byte that is not part of UTF-8 is U+FFFD, and every character a token; otherwise a
            run that is UTF-8 is one token, and of one that is not, each byte is a token U+FFFD.
    """

    each: bool = False


@dataclass(frozen=True)
class Join:
    """All tokens become one.

    Attributes:
        separator: what stands between them, at most 255 bytes of UTF-8.
    """

    separator: str = ""


@dataclass(frozen=True)
class Unique:
    """A token like the one before it goes."""


@dataclass(frozen=True)
class Some:
    """An empty token goes."""


@dataclass(frozen=True)
class Unspell:
    """Characters of ByteLevel's alphabet become bytes, in each token that has no others."""


@dataclass(frozen=True)
class Blocks:
    """The symbols of the step `Blocks` in each token become characters.

    A block and an index after it are a character; any other block or index is U+FFFD, as is an
    index beyond the end of its block, and that block; symbols of bytes are these.
    """


Step: TypeAlias = Replace | Strip | Bytes | Join | Unique | Some | Unspell | Blocks


@dataclass(frozen=True)
class Decoder:
    """How the texts of tokens become the text of all of them.

    They are a list; each step makes another list of it, and the last one is joined without a gap.
    The list begins with the texts of the tokens, but that a token of UNKNOWN_BYTES is `<0xHH>`,
    with upper-case digits, and that of a token which only continues a piece begins with
    `continuing`.

    Attributes:
        steps: what is done to the list, in order; at most 64.
        continuing: what stands before the tokens of a Greedy model that only continue a piece, such
            as "##"; at most 255 bytes of UTF-8.
        surfaces: tokens that have another text here: id to bytes, at most 1024.
    """

    steps: tuple[Step, ...] = ()
    continuing: str = ""
    surfaces: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether nothing can be said of a text before its last token is there."""
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
    """Write a decoder.

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
    """Check a decoder.

    Args:
        data: the section.
        ids: says whether a number is the id of a token.
        blocks: whether the file has a step BLOCKS, whose symbols the decoder's may join.

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
