"""Writing a tokenizer as the bytes of a `.wwho` file: the same tokenizer, the same bytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

from wwho.format.added import write_added
from wwho.format.decoder import write_decoder
from wwho.format.layout import ENTRY_BYTES, HEADER_BYTES, MAGIC, VERSION, Kind, padding
from wwho.format.model import Artifact
from wwho.format.models import write_model
from wwho.format.normalizer import write_normalizer
from wwho.format.provenance import provenance_json
from wwho.format.routes import write_routes
from wwho.format.scanners import write_automata, write_classes
from wwho.format.steps_section import write_steps
from wwho.format.template import write_template

Sections = Iterable[tuple[Kind, bytes]]


def write_artifact(artifact: Artifact) -> bytes:
    """Return the bytes of the file that holds an artifact.

    Nothing is checked: `read_artifact` refuses what must not be in a file.

    Raises:
        ValueError: a number or a text does not fit its column.
        struct.error: a number does not fit its field.

    Example:
        >>> from wwho.format.read import read_artifact
        >>> from wwho.encodings import model_bytes
        >>> blob = model_bytes("cl100k_base")
        >>> write_artifact(read_artifact(blob)) == blob
        True
    """
    steps = artifact.steps
    first, second = ([*map(steps.index, own)] for own in (artifact.normalizer, artifact.second))
    normalizer = [(Kind.NORMALIZER, write_normalizer(first, second))] if first or second else []
    template, decoder = artifact.template, artifact.decoder
    ends = [(Kind.TEMPLATE, write_template(template))] if template else []
    ends += [(Kind.DECODER, write_decoder(decoder))] if decoder else []
    return assemble(
        [
            (Kind.CLASSES, write_classes(artifact.scanners.classes)),
            (Kind.AUTOMATA, write_automata(artifact.scanners.automata)),
            (Kind.STEPS, write_steps(steps)),
            (Kind.ROUTES, write_routes(artifact.router, artifact.routes, steps)),
            *((Kind.MODEL, write_model(artifact, k)) for k in range(len(artifact.models))),
            (Kind.ADDED, write_added(artifact.added, artifact.properties)),
            *normalizer,
            *ends,
            (Kind.PROVENANCE, provenance_json(artifact.provenance).encode("utf-8")),
        ]
    )


def assemble(sections: Sections) -> bytes:
    """Return the file that consists of a header, a section table and these sections, in order.

    Each section is filled up with zeros to a multiple of 4 bytes. The order is not checked.
    """
    sections = list(sections)
    table, body = bytearray(), bytearray()
    start = HEADER_BYTES + ENTRY_BYTES * len(sections)
    for kind, data in sections:
        table += struct.pack("<III", kind, start + len(body), len(data))
        body += data + bytes(padding(len(data)))
    head = MAGIC + struct.pack("<HHI", VERSION, len(sections), start + len(body))
    checksum = zlib.crc32(body, zlib.crc32(table, zlib.crc32(head)))
    return head + struct.pack("<I", checksum) + bytes(table) + bytes(body)
