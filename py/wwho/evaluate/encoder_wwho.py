"""A `.wwho` model under measurement."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence

import numpy as np

from wwho.core.packed import packing
from wwho.core.select import BackendName, open_backend
from wwho.errors import WwhoError
from wwho.evaluate.arrays import Bools, Ints, bounds
from wwho.evaluate.encoder import Encoder, Encoding
from wwho.evaluate.text import Block, DataSet
from wwho.format.container import read_container
from wwho.format.layout import FEATURE_IDS
from wwho.normalize import FORM, Normalization, normalizer
from wwho.text import Unk
from wwho.train.provenance import was_trained_on


class WwhoEncoder:
    """An open artifact.

    Attributes:
        name: what the report calls it.
        sha256: of the artifact.
        backend: the open model.
        n_vocab: ids are 0..n_vocab-1.
        n_base: ids below it spell the syllables that are not in the vocabulary; 0 without SGPE.
        superwords: the ids of tokens that join words.
        unk_id: [UNK]; None for none.
        unk: what becomes of such syllables: "spell", or "token" for one [UNK] each.
        normalize: the form that all texts are brought into, for every tokenizer; None: none.
        provenance: what the model says of its making.
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
            unk: what becomes of syllables outside the vocabulary; a model that was made to give
                another encoder's ids decides that itself.

        Raises:
            ArtifactError: the artifact breaks a MUST of FORMAT.md.
            BackendError: the backend asked for cannot run here.
            WwhoError: the model has no [UNK].
        """
        self.name = name
        self.sha256 = hashlib.sha256(blob).hexdigest()
        self.backend = open_backend(blob, backend)
        self._packing = packing(self.backend)
        info = self.backend.info
        self.n_vocab = info.n_vocab
        self._is_script = [route.sgpe for route in info.routes]
        self._has_syllables: dict[int, bool] = {}
        self.n_base = info.n_base if any(self._is_script) else 0
        first = info.first_atom + info.n_atoms + info.n_merges - info.n_superwords
        self.superwords = range(first, first + info.n_superwords)
        self.unk_id = info.unk_id
        # Ids stated one by one are another encoder's, who writes [UNK] whatever is asked for.
        is_stated = bool(read_container(blob).features & FEATURE_IDS)
        self.unk: Unk = "token" if is_stated else unk
        self.normalize: Normalization | None = FORM if normalizer(info.provenance) else None
        self.provenance = info.provenance
        if unk == "token" and info.unk_id is None:
            raise WwhoError(f"{name} has no token for unknown syllables; leave them to be spelled")

    @property
    def base(self) -> str:
        """The name of the base; "" for none."""
        return self.provenance.get("base:name", "")

    def has_syllables(self, code_points: Ints) -> Bools:
        """See `Encoder`."""
        letters, place = np.unique(code_points, return_inverse=True)
        for letter in letters.tolist():
            if letter not in self._has_syllables:
                route = self.backend.spans(chr(letter).encode())[0].route
                self._has_syllables[letter] = self._is_script[route]
        found = np.array([self._has_syllables[letter] for letter in letters.tolist()], np.bool_)
        return found[place]

    def encode(self, block: Block) -> Encoding:
        """See `Encoder`."""
        unk = self.unk == "token"
        packed = [self._packing.encode_with_ends_packed(line, None, unk) for line in block.encoded]
        ids = np.frombuffer(b"".join(ids for ids, _ in packed), np.uint32)
        ends = np.frombuffer(b"".join(ends for _, ends in packed), np.uint32)
        firsts = bounds(len(ids) // 4 for ids, _ in packed)
        shift = np.repeat(block.line_bytes[:-1], np.diff(firsts))
        return Encoding(ids, ends + shift, firsts)

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """See `Encoder`."""
        return [self.backend.decode(ids) for ids in lines]

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """See `Encoder`."""
        return self._packing.tokens_bytes(tokens)


def trained_on(
    text: DataSet, digests: Sequence[str], encoders: Sequence[Encoder]
) -> tuple[str, ...]:
    """The names of the tokenizers that say they were trained on a text.

    Args:
        text: the text.
        digests: SHA-256 of the contents of its files.
        encoders: the tokenizers; only artifacts say what they were trained on.

    Warns:
        UserWarning: there are any.
    """
    models = [encoder for encoder in encoders if isinstance(encoder, WwhoEncoder)]
    names = tuple(model.name for model in models if was_trained_on(model.provenance, digests))
    if names:
        warnings.warn(
            f"{text.file}: this text is in the training corpus of {', '.join(names)}, so figures "
            "on it say little of other text; measure on text that was kept out of training",
            stacklevel=5,
        )
    return names
