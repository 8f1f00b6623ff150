"""A `tokenizer.json` under measurement, run by the tokenizers package."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers

from wwho.errors import WwhoError
from wwho.evaluate.arrays import Bools, Ints, bounds, flat
from wwho.evaluate.encoder import Encoding
from wwho.evaluate.text import Block

MOST_IDS = 2**24
"""Ids that a tokenizer may have: each is counted."""

_PREFIXES = ("\u2581", "\u0120")
"""How vocabularies write a space, which some tokenizers put before every text."""
_FALLBACK = re.compile("<0x([0-9A-F]{2})>")


class TokenizersEncoder:
    """A tokenizer in Hugging Face's form, with nothing added, cut off or filled up.

    Attributes:
        name: what the report calls it.
        n_vocab: ids are 0..n_vocab-1.
        unk_id: the token for what the vocabulary cannot write; None for none.
    """

    kind = "tokenizers"
    n_base = 0
    superwords = range(0)

    def __init__(self, name: str, file: str) -> None:
        """Read a tokenizer.json.

        Args:
            name: what the report calls it.
            file: its path.

        Raises:
            WwhoError: it is none.
            OSError: it cannot be read.
        """
        text = Path(file).read_bytes()
        try:
            self._tokenizer = tokenizers.Tokenizer.from_buffer(text)
        except Exception as error:  # the package raises nothing narrower
            raise WwhoError(f"{file}: not a tokenizer.json: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.name = name
        self.n_vocab = 1 + max(self._tokenizer.get_vocab().values(), default=0)
        if self.n_vocab > MOST_IDS:
            raise WwhoError(
                f"{file}: it has ids up to {self.n_vocab - 1:,}; the report counts each id, and at "
                f"most {MOST_IDS:,} of them"
            )
        parts = json.loads(text)
        if parts["model"].get("dropout"):
            self._tokenizer.model.dropout = None  # chance is for training
        self.unk_id = self._unk_id(parts["model"])
        cutting = [parts.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")]
        self._is_bytes = '"ByteLevel"' in json.dumps(cutting)
        found = [self._tokenizer.token_to_id(prefix) for prefix in _PREFIXES]
        self._prefixes = [token for token in found if token is not None]

    def _unk_id(self, model: Mapping[str, Any]) -> int | None:
        """What a model writes for text outside its vocabulary; a Unigram model has it by its id."""
        name = model.get("unk_token")
        found: int | None = self._tokenizer.token_to_id(name) if name else model.get("unk_id")
        return found

    def has_syllables(self, code_points: Ints) -> Bools:
        """See `Encoder`."""
        return np.zeros(len(code_points), np.bool_)

    def encode(self, block: Block) -> Encoding:
        """See `Encoder`."""
        try:
            lines = self._tokenizer.encode_batch(block.lines, add_special_tokens=False)
        except Exception as error:  # the package raises nothing narrower
            raise WwhoError(f"{self.name} cannot encode all of this text: {error}") from error
        firsts = bounds(map(len, lines))
        ids = flat(line.ids for line in lines)
        spans = flat(span for line in lines for span in line.offsets).reshape(-1, 2)
        spans += np.repeat(block.line_characters[:-1], np.diff(firsts))[:, np.newaxis]
        is_prefix = np.isin(ids, self._prefixes)
        return Encoding(ids, _ends(block, spans, firsts, is_prefix), firsts)

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """See `Encoder`."""
        texts = self._tokenizer.decode_batch(lines, skip_special_tokens=False)
        return [text.encode() for text in texts]

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """See `Encoder`."""
        return [self._token_bytes(token) for token in tokens]

    def _token_bytes(self, token: int) -> bytes | None:
        text = self._tokenizer.id_to_token(token)
        if text is None:
            return None
        if self._is_bytes and all(char in _BYTES for char in text):
            return bytes(_BYTES[char] for char in text)
        if spelled := _FALLBACK.fullmatch(text):
            return bytes.fromhex(spelled[1])
        return text.replace("\u2581", " ").encode()


def _ends(block: Block, spans: Ints, firsts: Ints, is_prefix: Bools) -> Ints:
    """The bytes at which tokens end, given the first and last-plus-one code point each touches.

    Tokens that share a character divide it: the first of them ends one byte into it, no matter
    where, for all that counts is that it is inside. Only a space that the tokenizer has made up
    shares a character and is none of it: it ends where the character begins.
    """
    starts, ends = spans.T
    nexts = np.append(starts[1:], 0)[: len(starts)]
    nexts[firsts[1:][np.diff(firsts) > 0] - 1] = len(block.character_bytes)  # behind the last
    ends = np.where(is_prefix & (nexts == starts), starts, ends)
    inside = nexts < ends
    found = block.character_bytes[np.where(inside, nexts, ends)] + inside
    return np.maximum.accumulate(found)


def _byte_alphabet() -> dict[str, int]:
    """The characters by which byte-level vocabularies write bytes, as GPT-2 chose them."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(0x100) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {
        chr(0x100 + k): byte for k, byte in enumerate(hidden)
    }


_BYTES = _byte_alphabet()
