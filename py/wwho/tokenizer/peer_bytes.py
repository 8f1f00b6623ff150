"""Added tokens of byte-level models, decoded to the bytes that `tokenizers` makes of them.

Its decoder ByteLevel takes the letters of a token such as "Café" for those that stand for bytes.
They are no text then; so here such a token decodes to its text, unless a caller asks for the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from wwho.backends.backend import Info
from wwho.format.container import read_container
from wwho.format.decoder import Decoder, Unspell, read_decoder, write_decoder
from wwho.format.layout import Kind
from wwho.format.model import Added, Flag
from wwho.format.steps import bytes_of_stand_ins
from wwho.format.write import assemble
from wwho.interchange.tokenizer_json import KEY


def with_peer_bytes(blob: bytes, info: Info) -> bytes:
    """Return an artifact whose added tokens decode to the bytes that `tokenizers` makes of them.

    It is `blob` itself if these are their texts anyway.

    Args:
        blob: the artifact.
        info: what is in it.

    Raises:
        ValueError: the artifact does not record how `tokenizers` decodes.
    """
    record = info.provenance.get(KEY)
    if record is None:
        raise ValueError(
            "like_tokenizers=True: this model does not come from a tokenizer.json, so nothing says "
            "how tokenizers would decode it; leave the option out"
        )
    texts = texts_of_bytes(info.added)
    if not _has_byte_level(json.loads(record).get("decoder")) or not texts:
        return blob
    container = read_container(blob)
    sections = {
        (each.kind, number): blob[each.offset : each.end]
        for number, each in enumerate(container.sections)
    }
    found = container.all(Kind.DECODER)
    decoder = read_decoder(found[0], lambda _: True, blocks=True) if found else Decoder()
    surfaces: dict[int, bytes]
    if Unspell() in decoder.steps:
        # The decoder itself takes letters for bytes, where no surface says otherwise.
        surfaces = {key: text for key, text in decoder.surfaces.items() if key not in texts}
    else:
        surfaces = {**decoder.surfaces, **texts}
    others = [each for each in sections.items() if each[0][0] is not Kind.DECODER]
    changed = write_decoder(replace(decoder, surfaces=surfaces))
    ordered = sorted([*others, ((Kind.DECODER, 0), changed)], key=lambda each: each[0])
    return assemble([(kind, content) for (kind, _), content in ordered])


def texts_of_bytes(added: Iterable[Added]) -> dict[int, bytes]:
    """Return the bytes that the letters of added tokens stand for, by id, if they are no ASCII.

    A token that has another text than the form in which it is found counts by its text.
    """
    texts: dict[int, str] = {}
    for each in added:
        if each.flags & Flag.HIDDEN or each.id not in texts:
            texts[each.id] = each.text
    found = {
        number: bytes_of_stand_ins(text) for number, text in texts.items() if not text.isascii()
    }
    return {number: text for number, text in found.items() if text is not None}


def _has_byte_level(decoder: Mapping[str, Any] | None) -> bool:
    """Return whether a decoder of a tokenizer.json, or a part of it, is ByteLevel."""
    if decoder is None:
        return False
    parts = decoder.get("decoders") or []
    return decoder.get("type") == "ByteLevel" or any(map(_has_byte_level, parts))
