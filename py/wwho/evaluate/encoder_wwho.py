"""A `.wwho` model under measurement."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from wwho.backend.select import BackendName, open_backend
from wwho.errors import UnknownTokenError, WwhoError
from wwho.evaluate.arrays import bounds, flat
from wwho.evaluate.encoder import Encoding
from wwho.evaluate.text import Block
from wwho.tokenizer import Unk


class WwhoEncoder:
    """An open artifact.

    Attributes:
        name: what the report calls it.
        sha256: of the artifact.
        backend: the open model.
        n_vocab: ids are 0..n_vocab-1.
        scripts: the names of the SGPE routes.
        n_base: ids below it spell the syllables that are not in the vocabulary; 0 without SGPE.
        unk: what becomes of such syllables: "spell", or "token" for one [UNK] each.
    """

    kind = "wwho"

    def __init__(
        self, name: str, blob: bytes, backend: BackendName | None = None, *, unk: Unk = "spell"
    ) -> None:
        """Open an artifact.

        Args:
            name: what the report calls it.
            blob: the artifact.
            backend: "native", "wasm" or "reference"; None for the best that is there.
            unk: what becomes of syllables outside the vocabulary.

        Raises:
            ArtifactError: the artifact breaks a MUST of FORMAT.md.
            BackendError: the backend asked for cannot run here.
            WwhoError: the model has no [UNK].
        """
        self.name = name
        self.sha256 = hashlib.sha256(blob).hexdigest()
        self.backend = open_backend(blob, backend)
        info = self.backend.info
        self.n_vocab = info.n_vocab
        self.scripts = frozenset(route.name for route in info.routes if route.sgpe)
        self.n_base = info.n_base if self.scripts else 0
        self.unk = unk
        if unk == "token" and info.unk_id is None:
            raise WwhoError(f"{name} has no token for unknown syllables; leave them to be spelled")

    def encode(self, block: Block) -> Encoding:
        """See `Encoder`."""
        unk = self.unk == "token"
        found = [self.backend.encode_with_ends(line, None, unk) for line in block.encoded]
        firsts = bounds(len(ids) for ids, _ in found)
        shift = np.repeat(block.line_bytes[:-1], np.diff(firsts))
        ends = flat(ends for _, ends in found) + shift
        return Encoding(flat(ids for ids, _ in found), ends, firsts)

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """See `Encoder`."""
        return [self.backend.decode(ids) for ids in lines]

    def token_bytes(self, token: int) -> bytes | None:
        """See `Encoder`."""
        try:
            return self.backend.token_bytes(token)
        except UnknownTokenError:
            return None
