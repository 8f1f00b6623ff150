"""The tokenizers under measurement, whoever made them, by name or file."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wwho.core.packed import packing
from wwho.core.select import BackendName, open_backend
from wwho.encodings import SUFFIX, get_encoding, list_encoding_names, model_bytes
from wwho.errors import WwhoError, naming
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.text import Block, Bools, DataSet, Ints, bounds, flat
from wwho.normalize import FORM, KEY, Normalization
from wwho.text import Unk
from wwho.train.report import was_trained_on

MOST_IDS = 2**24
"""Ids that a tokenizer may have: each is counted."""


class Encoding(NamedTuple):
    """The tokens of a block's lines.

    Attributes:
        ids: the ids of all lines, one line after the other.
        ends: for each token the byte of the block at which its text ends; a byte inside a character
            where it holds part of one.
        firsts: for each line the number of its first token, then the number of tokens.
    """

    ids: Ints
    ends: Ints
    firsts: Ints

    def lines(self) -> list[list[int]]:
        """The ids of each line."""
        ids = self.ids.tolist()
        return [ids[first:last] for first, last in pairwise(self.firsts.tolist())]


class Encoder(ABC):
    """A tokenizer under measurement. Text that spells a special token is ordinary text to it.

    Attributes:
        name: what the report calls it.
        kind: what runs it: "wwho", "tiktoken" or "tokenizers".
        n_vocab: ids are 0..n_vocab-1, not all of them used.
        first_unit: ids below it spell the syllables that its vocabulary lacks; 0 for what has none.
        first_own: ids below it are its base's, special tokens included; 0 for what has none.
        superwords: the ids of its tokens that join words of scripts; empty for what has none.
        unk_id: the token for what its vocabulary cannot write; None for none.
    """

    name: str
    kind: str
    n_vocab: int
    first_unit = 0
    first_own = 0
    superwords = range(0)
    unk_id: int | None = None

    @abstractmethod
    def encode(self, block: Block) -> Encoding:
        """The tokens of each line."""

    @abstractmethod
    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """The text of each line's ids."""

    @abstractmethod
    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """The bytes of each token; None where there is no such token."""

    def has_syllables(self, code_points: Ints) -> Bools:
        """Whether text of each of these letters is cut into syllables."""
        return np.zeros(len(code_points), np.bool_)


class WwhoEncoder(Encoder):
    """A `.wwho` model.

    Attributes:
        sha256: of the artifact.
        backend: the open model.
        unk: "spell", or "token" where each syllable outside the vocabulary becomes an [UNK].
        normalize: the form that all texts are brought into, for every tokenizer; None: none.
        provenance: what the model says of its making.
        base: the name of its base; "" for none.
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
            unk: as the attribute, which a model made to give another encoder's ids decides itself.

        Raises:
            WwhoError: the artifact is damaged, the backend cannot run, or there is no [UNK].
        """
        self.name = name
        self.sha256 = hashlib.sha256(blob).hexdigest()
        self.backend = open_backend(blob, backend)
        self._packing, self._grammar = packing(self.backend), Grammar(self.backend)
        info = self.backend.info
        self.n_vocab = info.n_vocab
        units = info.models[-1]
        base = info.models[0]
        self.first_unit = base.first_id + base.n_ids if self._grammar.is_script.any() else 0
        behind = units.first_id + units.n_tokens
        self.superwords = range(behind - units.n_superwords, behind)
        self.unk_id = info.unk_id
        # Another tokenizer's model may write [UNK] whatever is asked for.
        self.unk: Unk = "token" if units.unknown == "id" else unk
        self.normalize: Normalization | None = FORM if info.provenance.get(KEY) == FORM else None
        self.provenance = info.provenance
        self.base = info.provenance.get("base:name", "")
        shipped = self.first_unit and self.base in list_encoding_names()
        self.first_own = get_encoding(self.base).n_vocab if shipped else self.first_unit
        if unk == "token" and info.unk_id is None:
            raise WwhoError(f"{name} has no token for unknown syllables; leave them to be spelled")

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

    def has_syllables(self, code_points: Ints) -> Bools:
        """See `Encoder`."""
        letters, place = np.unique(code_points, return_inverse=True)
        block = Block([*map(chr, letters.tolist())])
        routes = self._grammar.units(block).byte_routes[block.line_bytes[:-1]]
        return self._grammar.is_script[routes][place]


class TiktokenEncoder(Encoder):
    """One of tiktoken's encodings; its own ship with this package, plug-ins add others."""

    kind = "tiktoken"

    def __init__(self, name: str, encoding: str) -> None:
        """Load an encoding, from tiktoken's cache or from the network.

        Raises:
            WwhoError: its vocabulary is in neither place.
        """
        import tiktoken

        try:
            self._encoding = tiktoken.get_encoding(encoding)
        except Exception as error:  # the network fails in the ways of several packages
            raise WwhoError(
                f"tiktoken cannot load {encoding}: {error}; without a network, put its file into a "
                "folder and name that in TIKTOKEN_CACHE_DIR"
            ) from error
        self.name, self.n_vocab = name, self._encoding.n_vocab
        texts = self.tokens_bytes(range(self.n_vocab))
        self._lengths = np.array([len(text or b"") for text in texts], np.int64)

    def encode(self, block: Block) -> Encoding:
        """See `Encoder`."""
        lines = [self._encoding.encode_ordinary(line) for line in block.lines]
        ids = flat(lines)
        return Encoding(ids, np.cumsum(self._lengths[ids]), bounds(map(len, lines)))

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """See `Encoder`."""
        return [self._encoding.decode_bytes(ids) for ids in lines]

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """See `Encoder`."""
        found: list[bytes | None] = []
        for token in tokens:
            try:
                found.append(self._encoding.decode_single_token_bytes(token))
            except KeyError:
                found.append(None)
        return found


class TokenizersEncoder(Encoder):
    """A `tokenizer.json`, run by the tokenizers package, with nothing added, cut off or filled."""

    kind = "tokenizers"

    def __init__(self, name: str, file: str) -> None:
        """Read a tokenizer.json.

        Raises:
            WwhoError: the file is none.
            OSError: it cannot be read.
        """
        import tokenizers

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
        model, token_id = parts["model"], self._tokenizer.token_to_id
        if model.get("dropout"):
            self._tokenizer.model.dropout = None  # chance is for training
        # A Unigram model has the token for text outside its vocabulary by its id.
        unk = model.get("unk_token")
        self.unk_id = token_id(unk) if unk else model.get("unk_id")
        cutting = [parts.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")]
        self._is_bytes = '"ByteLevel"' in json.dumps(cutting)
        self._prefixes = [token for text in _SPACES if (token := token_id(text)) is not None]

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
        return [self._bytes_of(self._tokenizer.id_to_token(token)) for token in tokens]

    def _bytes_of(self, text: str | None) -> bytes | None:
        if text is None:
            return None
        if self._is_bytes and all(char in _BYTES for char in text):
            return bytes(_BYTES[char] for char in text)
        if spelled := _FALLBACK.fullmatch(text):
            return bytes.fromhex(spelled[1])
        return text.replace("\u2581", " ").encode()


_SPACES = ("\u2581", "\u0120")
"""How vocabularies write a space, which some tokenizers put before every text."""
_FALLBACK = re.compile("<0x([0-9A-F]{2})>")
_SHOWN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = (byte for byte in range(0x100) if byte not in _SHOWN)
_BYTES = {chr(byte): byte for byte in _SHOWN} | {chr(0x100 + k): b for k, b in enumerate(_HIDDEN)}
"""The characters by which byte-level vocabularies write bytes, as GPT-2 chose them."""


def _ends(block: Block, spans: Ints, firsts: Ints, is_prefix: Bools) -> Ints:
    """The bytes at which tokens end, given the first and last-plus-one code point each touches.

    Tokens that share a character divide it: the first of them ends one byte into it, no matter
    where, for all that counts is that it is inside. Only a space that the tokenizer has made up
    shares a character and is none of it: it ends where the character begins.
    """
    starts, ends = spans.T
    nexts = np.append(starts[1:], 0)[: len(starts)]
    nexts[firsts[1:][np.diff(firsts) > 0] - 1] = len(block.character_bytes)  # after the last
    ends = np.where(is_prefix & (nexts == starts), starts, ends)
    inside = nexts < ends
    found = block.character_bytes[np.where(inside, nexts, ends)] + inside
    return np.maximum.accumulate(found)


def open_model(
    given: str, backend: BackendName | None = None, *, unk: Unk = "spell"
) -> WwhoEncoder:
    """The model that is measured.

    Args:
        given: a shipped encoding or a `.wwho` file; `LABEL=` before it names it in the report.
        backend: as for `WwhoEncoder`.
        unk: as for `WwhoEncoder`.

    Raises:
        WwhoError: there is no such encoding, or it cannot be opened.
        OSError: the file cannot be read.
    """
    label, what = _labelled(given)
    if what in list_encoding_names():
        return WwhoEncoder(label or what, model_bytes(what), backend, unk=unk)
    if what.endswith(SUFFIX) or Path(what).exists():
        path = Path(what)
        with naming(path):
            return WwhoEncoder(label or _readable(path.stem), path.read_bytes(), backend, unk=unk)
    raise WwhoError(
        f"there is no encoding {what!r}; give one of {', '.join(list_encoding_names())}, or a path "
        "to a .wwho file"
    )


def open_baseline(given: str, backend: BackendName | None = None) -> Encoder:
    """A tokenizer to compare with.

    Args:
        given: a shipped encoding, a `.wwho` file, a `tokenizer.json`, or one of tiktoken's
            encodings, tried in this order; `LABEL=` before it names it in the report.
        backend: what runs `.wwho` models.

    Raises:
        WwhoError: there is no such tokenizer, or it cannot be loaded.
        OSError: a file cannot be read.

    Example:
        >>> open_baseline("o200k_base").n_vocab, open_baseline("mine=cl100k_base").name
        (200019, 'mine')
    """
    label, what = _labelled(given)
    if what in list_encoding_names() or what.endswith(SUFFIX):
        return open_model(given, backend)
    if what.endswith(".json"):
        path = Path(what)
        folder = path.resolve().parent.name  # tells files apart that all have the same name
        name = _readable(folder if path.stem == "tokenizer" and folder else path.stem)
        return TokenizersEncoder(label or name, what)
    import tiktoken

    known = sorted(tiktoken.list_encoding_names())
    if what in known:
        return TiktokenEncoder(label or what, what)
    if Path(what).exists():
        return open_model(given, backend)
    raise WwhoError(
        f"there is no tokenizer {what!r}; give one of {', '.join(list_encoding_names())}, a "
        f"path to a .wwho file or to a tokenizer.json, or one of tiktoken's: {', '.join(known)}"
    )


def _labelled(given: str) -> tuple[str, str]:
    """The label, "" for none, and what it is for; a file's name may hold an equals sign too."""
    label, equals, what = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    return _readable(label), what


def _readable(name: str) -> str:
    """A name as a report can hold it, whatever the bytes of the argument or of the file's name."""
    return name.encode("utf-8", "replace").decode()


def trained_on(
    text: DataSet, digests: Sequence[str], encoders: Sequence[Encoder]
) -> tuple[str, ...]:
    """The names of the tokenizers that say they were trained on a text; only artifacts do.

    Args:
        text: the text.
        digests: SHA-256 of the contents of its files.
        encoders: the tokenizers.

    Warns:
        UserWarning: there are any.
    """
    names = tuple(
        encoder.name
        for encoder in encoders
        if isinstance(encoder, WwhoEncoder) and was_trained_on(encoder.provenance, digests)
    )
    if names:
        warnings.warn(
            f"{text.file}: this text is in the training corpus of {', '.join(names)}, so figures "
            "on it say little of other text; measure on text that was kept out of training",
            stacklevel=5,
        )
    return names
