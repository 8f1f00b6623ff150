"""The tokenizers under measurement, whoever made them, by name or file."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wwho.backends.select import BackendName, open_backend
from wwho.encodings import SUFFIX, get_encoding, is_file, list_encoding_names, model_bytes
from wwho.errors import UnknownTokenError, WwhoError, naming
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.text import Block, Bools, DataSet, Ints, bounds
from wwho.format.files import is_artifact
from wwho.format.write import write_artifact
from wwho.importers import import_file
from wwho.normalize import FORM, KEY, Normalization
from wwho.text import Unk
from wwho.train.report import was_trained_on

MARK = "\u2581".encode()
"""What stands for a space in other libraries' tokens."""


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


class Encoder:
    """A tokenizer under measurement. Text that spells a special token is ordinary text to it.

    Attributes:
        name: what the report calls it.
        kind: whose ids it gives: "wwho", or another library.
        n_vocab: ids are 0..n_vocab-1, not all of them used.
        is_base: for each id, whether it is a token that spells what the syllables of another model
            lack; false throughout for what has no syllables.
        first_own: ids below it are its base's, special tokens included; 0 for what has none.
        superwords: the ids of its tokens that join words of scripts; empty for what has none.
        unk_id: the token for what its vocabulary cannot write; None for none.
        unk: "spell", or "token" where each syllable outside the vocabulary becomes an [UNK].
        normalize: the form that all texts are brought into, for every tokenizer; None: none.
        base: the name of its base; "" for none.
    """

    def __init__(
        self,
        name: str,
        blob: bytes,
        backend: BackendName | None = None,
        *,
        unk: Unk = "spell",
        kind: str = "wwho",
    ) -> None:
        """Open an artifact; `unk` is not asked where a model gives another encoder's ids.

        Raises:
            WwhoError: the artifact is damaged, the backend cannot run, or there is no [UNK].
        """
        self.name, self.kind = name, kind
        self.sha256 = hashlib.sha256(blob).hexdigest()
        self.backend = open_backend(blob, backend)
        self._grammar = Grammar(self.backend)
        info = self.backend.info
        self._marks = info.decoder != "none"
        spaces = (b" ", MARK) if self._marks or info.n_steps else ()
        self._spaces = [self.backend.token_id(text) for text in filter(self.has, spaces)]
        self.n_vocab = info.n_vocab
        routes = zip(info.routes, self._grammar.is_script, strict=True)
        own = {route.model for route, is_script in routes if is_script}
        self.is_base: Bools = np.zeros(self.n_vocab, np.bool_)
        for model in info.models[: min(own, default=0)]:  # a model's speller comes before it
            self.is_base[model.first_id : model.first_id + model.n_ids] = True
        base_end = int(np.append(np.flatnonzero(self.is_base), -1).max()) + 1
        ends = [(model.first_id + model.n_tokens, model.n_superwords) for model in info.models]
        self.superwords = next((range(end - n, end) for end, n in ends if n), range(0))
        self.unk_id = info.unk_id
        # Another tokenizer's model may write [UNK] whatever is asked for.
        self.unk: Unk = "token" if any(model.unknown == "id" for model in info.models) else unk
        self.normalize: Normalization | None = FORM if info.provenance.get(KEY) == FORM else None
        self.provenance = info.provenance
        self.base = info.provenance.get("base:name", "")
        shipped = base_end and self.base in list_encoding_names()
        self.first_own = get_encoding(self.base).n_vocab if shipped else base_end
        if unk == "token" and info.unk_id is None:
            raise WwhoError(f"{name} has no token for unknown syllables; leave them to be spelled")

    def encode(self, block: Block) -> Encoding:
        """The tokens of each line."""
        unk = self.unk == "token"
        packed = [self.backend.encode_with_ends_packed(line, None, unk) for line in block.encoded]
        ids = np.frombuffer(b"".join(ids for ids, _ in packed), np.uint32)
        ends = np.frombuffer(b"".join(ends for _, ends in packed), np.uint32).astype(np.int64)
        firsts = bounds(len(ids) // 4 for ids, _ in packed)
        ends += np.repeat(block.line_bytes[:-1], np.diff(firsts))
        # A space that the tokenizer makes up is no part of the character that it stands before.
        text = np.frombuffer(b"".join(block.encoded), np.uint8)
        made_up = np.isin(ids, self._spaces) & (text[ends - 1] != ord(" "))
        starts = np.append(0, ends[:-1])[: len(ends)]
        starts[firsts[:-1][np.diff(firsts) > 0]] = block.line_bytes[:-1][np.diff(firsts) > 0]
        # Of tokens that share a character, all but the last one end inside it.
        shared = (ends[:-1] == ends[1:]) & ~(made_up[:-1] | made_up[1:])
        ends[:-1] -= shared & ~np.isin(np.arange(1, len(ends)), firsts)
        return Encoding(ids, np.where(made_up, starts, ends), firsts)

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """The text of each line's ids."""
        return [self.backend.decode(ids) for ids in lines]

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """The bytes of each token; None where there is no such token."""
        found = self.backend.tokens_bytes(tokens)
        return [text and text.replace(MARK, b" ") for text in found] if self._marks else found

    def has(self, text: bytes) -> bool:
        """Whether a token has this text."""
        try:
            self.backend.token_id(text)
        except UnknownTokenError:
            return False
        return True

    def has_syllables(self, code_points: Ints) -> Bools:
        """Whether text of each of these letters is cut into syllables."""
        letters, place = np.unique(code_points, return_inverse=True)
        block = Block([*map(chr, letters.tolist())])
        routes = self._grammar.units(block).byte_routes[block.line_bytes[:-1]]
        return self._grammar.is_script[routes][place]


def open_model(given: str, backend: BackendName | None = None, *, unk: Unk = "spell") -> Encoder:
    """The model: a shipped encoding or a `.wwho` file; `LABEL=` before it names it in the report.

    Raises:
        WwhoError: there is no such encoding, or it cannot be opened.
        OSError: the file cannot be read.
    """
    label, what = _labelled(given)
    if not is_file(what):
        return Encoder(label or what, model_bytes(what), backend, unk=unk)
    path = Path(what)
    with naming(path):
        return Encoder(label or _readable(path.stem), path.read_bytes(), backend, unk=unk)


def open_baseline(given: str, backend: BackendName | None = None) -> Encoder:
    """A tokenizer to compare with: as for `open_model`, or what `wwho.importers` reads.

    Raises:
        WwhoError: there is no such tokenizer, or no artifact can hold it.
        OSError: a file cannot be read.
    """
    label, what = _labelled(given)
    path, names = Path(what), list_encoding_names()
    if what in names or what.endswith(SUFFIX) or is_artifact(path):
        return open_model(given, backend)
    if not path.exists() and not what.endswith(".json"):
        raise WwhoError(
            f"there is no tokenizer {what!r}; give one of {', '.join(names)}, or a path to a .wwho "
            "file or to what wwho import reads"
        )
    found = import_file(path)
    # The folder tells files apart that all have the same name.
    folder = path.resolve().parent.name
    name = _readable(folder if path.stem == "tokenizer" and folder else path.stem)
    blob = write_artifact(found.artifact)
    return Encoder(label or name, blob, backend, kind=found.engine or found.kind)


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
    """The names of the tokenizers that say they were trained on a text, with a warning.

    The digests are SHA-256 of the contents of its files.
    """
    names = tuple(each.name for each in encoders if was_trained_on(each.provenance, digests))
    if names:
        warnings.warn(
            f"{text.file}: this text is in the training corpus of {', '.join(names)}, so figures "
            "on it say little of other text; measure on text that was kept out of training",
            stacklevel=5,
        )
    return names
