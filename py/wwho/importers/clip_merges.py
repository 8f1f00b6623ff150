"""CLIP's bpe_simple_vocab_16e6.txt.gz: merges alone, from which its own code makes the rest."""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import replace
from gzip import GzipFile
from pathlib import Path
from typing import Any

from wwho.errors import SourceError
from wwho.format.steps import stand_in
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source
from wwho.importers.transformers.classes import import_by_class
from wwho.importers.transformers.folder import ModelFolder

FIRST_LINE = b"bpe_simple_vocab_16e6.txt#version:"
MOST_MERGES = 49152 - 256 - 2
"""How many merges CLIP's code takes; the file has 262,144."""
MOST_BYTES = 16 << 20
SPECIALS = ("<|startoftext|>", "<|endoftext|>")
ENDS_WORD = "</w>"
NOTE = (
    "CLIP's own code first mends a text with ftfy and decodes HTML's entities; that is left to you"
)


class _Files(ModelFolder):
    """A model's folder whose files are in memory."""

    def __init__(self, path: Path, files: dict[str, bytes]) -> None:
        """Take the folder that messages name, and the contents of its files by name."""
        super().__init__(path)
        self.files = files

    def file(self, name: str) -> Source | None:
        """Return a file by its name; None if there is none."""
        return Source(name, self.files[name]) if name in self.files else None


def sniff(source: Source) -> bool:
    """Return whether a file that gzip made begins as CLIP's merges do.

    Only the first 64 bytes of text are decompressed.
    """
    try:
        return FIRST_LINE in zlib.decompressobj(wbits=31).decompress(source.head, 64)
    except zlib.error:
        return False


def read(source: Source, options: Options) -> Imported:
    """Return the model of CLIP's class over the merges of a file.

    Tokens are those of bytes, the same at the end of a word, those of the merges, and two special
    ones, in this order.

    Raises:
        SourceError: the file is damaged, or a line is no merge.
        ArtifactError: the merges are no BPE.
    """
    lines = _lines(source)
    merges = lines[1 : MOST_MERGES + 1]
    printable = [byte for byte in range(256) if stand_in(byte) == byte]
    others = [byte for byte in range(256) if stand_in(byte) != byte]
    symbols = [chr(stand_in(byte)) for byte in (*printable, *others)]
    texts = [*symbols, *(symbol + ENDS_WORD for symbol in symbols)]
    texts += [merge.replace(" ", "") for merge in merges]
    vocab = {text: number for number, text in enumerate((*texts, *SPECIALS))}
    settings: dict[str, Any] = {"tokenizer_class": "CLIPTokenizer"}
    files = {
        "vocab.json": json.dumps(vocab).encode(),
        "merges.txt": "\n".join(merges).encode(),
        "tokenizer_config.json": json.dumps(settings).encode(),
    }
    found = import_by_class(_Files(source.path.parent, files), "CLIPTokenizer", options)
    provenance = {**found.artifact.provenance, **options.record(source)}
    return Imported(
        artifact=replace(found.artifact, provenance=provenance),
        kind=READER.kind,
        engine=found.engine,
        notes=(*found.notes, NOTE),
    )


def _lines(source: Source) -> list[str]:
    """Return the lines of the compressed file, without their ends.

    They end at LF and CRLF in a text that has a carriage return, and otherwise wherever
    `str.splitlines` says, such as at U+2028.

    Raises:
        SourceError: the file is damaged, is no UTF-8, or has over `MOST_BYTES` uncompressed.
    """
    try:
        with GzipFile(fileobj=io.BytesIO(source.data)) as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise SourceError(f"it is damaged: {error}; fetch the file again") from error
    if len(data) > MOST_BYTES:
        raise SourceError(f"it has over {MOST_BYTES >> 20} MB of merges; CLIP's has 1.5")
    return text.splitlines() if "\r" not in text else text.replace("\r\n", "\n").split("\n")


READER = Reader(kind="the merges of CLIP", begins=rb"\x1f\x8b", sniff=sniff, read=read)
