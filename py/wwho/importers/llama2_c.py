"""llama2.c's tokenizer.bin: the pieces of a SentencePiece model, in which spaces are spaces.

`i32` bytes of the longest piece, then to the end of the file each piece: `f32` score, `i32` bytes,
the text. Ids count up; those of the bytes are 3 to 258.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from wwho.assemble import decoders
from wwho.assemble.bpe import bpe_model, characters, only_made
from wwho.assemble.fold import fold
from wwho.compile.scanners import compile_scanners, regex_scanner
from wwho.errors import SourceError
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Added, Artifact, Flag, Route
from wwho.format.steps import Ends, Replace
from wwho.format.template import Template
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source

FIRST_BYTE = 3
"""The id of the token of the byte 0."""
LEAST_SCORE = -1e10
"""What a piece must be over to be merged."""
_SEEN = 3
"""Pieces by which the kind of file is told."""


def sniff(source: Source) -> bool:
    """Return whether the first pieces are well-formed.

    They are: a length of 1 to `MAX_TOKEN_BYTES` and a text in UTF-8 each, for `_SEEN` pieces.
    """
    head = source.head
    if len(head) < 4 or not 1 <= struct.unpack_from("<i", head)[0] <= MAX_TOKEN_BYTES:
        return False
    try:
        for number, (text, _) in enumerate(_read_pieces(head), 1):
            text.decode("utf-8")
            if number == _SEEN:
                return True
    except (SourceError, UnicodeDecodeError):
        pass
    return False


def _read_pieces(data: bytes) -> Iterator[tuple[bytes, float]]:
    """Yield the text and the score of each piece, after the checks that one alone allows.

    Raises:
        SourceError: the data ends within a piece, or a size or score is out of bounds.
    """
    (longest,) = struct.unpack_from("<i", data)
    at, number = 4, 0
    while at < len(data):
        if len(data) - at < 8:
            raise _bad(number, at, f"{len(data) - at} bytes are left, expected a score and a size")
        score, size = struct.unpack_from("<fi", data, at)
        at += 8
        if not 1 <= size <= min(longest, MAX_TOKEN_BYTES, len(data) - at):
            raise _bad(
                number,
                at - 4,
                f"a size of {size}; the longest is to have {longest} bytes, {len(data) - at} are "
                "left",
            )
        if not math.isfinite(score):
            raise _bad(number, at - 8, f"the score {score}, expected a finite number")
        yield data[at : at + size], score
        at, number = at + size, number + 1


def _bad(number: int, at: int, found: str) -> SourceError:
    return SourceError(
        f"piece {number} at byte {at}: found {found}; the file is cut off or damaged: make it again"
    )


def read(source: Source, options: Options) -> Imported:
    """Return the model of a tokenizer.bin, as llama2.c runs it.

    Raises:
        SourceError: a piece is malformed or comes twice, the pieces of the bytes or of the space
            are not where they must be, or there are too many.
        ArtifactError: the pieces are no BPE.
    """
    vocab: dict[bytes, int] = {}
    ranks: dict[bytes, float] = {}
    for number, (text, score) in enumerate(_read_pieces(source.data)):
        if vocab.setdefault(text, number) != number:
            raise SourceError(f"the pieces {vocab[text]} and {number} are both {text!r}")
        if len(characters(text)) > 1 and score > LEAST_SCORE:
            ranks[text] = -score
    if len(vocab) > MAX_IDS:
        raise SourceError(f"it has {len(vocab)} pieces; {MAX_IDS} are possible")
    for byte in range(256):
        name = b"<0x%02X>" % byte
        if vocab.get(name) != FIRST_BYTE + byte:
            raise SourceError(f"piece {FIRST_BYTE + byte} is not {name.decode()}, as expected")
    if b" " not in vocab:
        raise SourceError("there is no piece of a space, which stands before every text")
    byte_ids = range(FIRST_BYTE, FIRST_BYTE + 256)
    model = only_made(bpe_model(vocab, ranks, units=True, byte_ids=byte_ids))
    scanners = [
        regex_scanner("characters", r"[\s\S]"),
        regex_scanner("end", r"\x00[\s\S]*", r"[^\x00]"),
    ]
    known = {*model.stated, *byte_ids}
    artifact = Artifact(
        scanners=compile_scanners(scanners),
        routes=(Route("text", model=0, units=0),),
        models=(model,),
        added=tuple(
            Added(text.decode("utf-8", "replace"), number, Flag.HIDDEN)
            for text, number in vocab.items()
            if number not in known
        ),
        normalizer=(Replace(1, ("", None)), Ends(prefix=" ")),
        template=Template.around([1]),
        decoder=decoders.llama2_c(),
        provenance=options.record(source),
    )
    return Imported(
        artifact=fold(artifact),
        kind=READER.kind,
        engine="llama2.c",
        notes=("as in llama2.c, a text ends at U+0000",),
    )


READER = Reader(
    kind="a tokenizer.bin of llama2.c",
    begins=rb".[\x00-\x04]\x00\x00.{4}.[\x00-\x04]\x00\x00",
    sniff=sniff,
    read=read,
)
