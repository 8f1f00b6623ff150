"""The tokenizers that an evaluation measures: ours and other libraries', by name or by file."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wwho.backends.select import BackendName, open_backend
from wwho.encodings import SUFFIX, get_encoding, is_model_file, list_encoding_names, model_bytes
from wwho.errors import UnknownTokenError, WwhoError, errors_name_file
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.text_blocks import Block, Bools, DataSet, Ints, offsets_of
from wwho.format.files import is_artifact, read_model_file
from wwho.format.write import write_artifact
from wwho.importers import import_file
from wwho.normalize import FORM, PROVENANCE_KEY, Normalization
from wwho.text import Unk
from wwho.train.report import was_trained_on

SPACE_MARKER = "\u2581".encode()
"""The character that stands for a space in the tokens of SentencePiece's kind."""


class Encoding(NamedTuple):
    """The tokens of a block's lines, as arrays.

    Attributes:
        ids: the ids of all lines, one line after the other.
        ends: for each token the byte of the block at which its text ends; a byte inside a character
            where the token holds only a part of it. Ascending.
        firsts: for each line the number of its first token, and then the number of all tokens.
    """

    ids: Ints
    ends: Ints
    firsts: Ints

    def ids_by_line(self) -> list[list[int]]:
        """Return a list of ids for each line, empty for a line without tokens."""
        ids = self.ids.tolist()
        return [ids[first:last] for first, last in pairwise(self.firsts.tolist())]


class Encoder:
    """A tokenizer under measurement. Text that spells a special token is ordinary text to it.

    Attributes:
        name: what the report calls it.
        kind: the library whose ids it gives; "wwho" for a model of our own.
        sha256: of the artifact, in hexadecimal.
        backend: the open model.
        n_vocab: ids are 0..n_vocab-1, not all of them used.
        is_base: for each id, whether it is a token of the base model, which spells the syllables
            that the model's own vocabulary lacks; False throughout for a model without syllables.
        first_own: the model's own ids begin here; smaller ones, special tokens included, are its
            base's. 0 for a model without a base.
        superwords: the ids of the tokens that join words of scripts; empty where there are none.
        unk_id: the token for text that the vocabulary cannot write; None where there is none.
        unk: "spell", or "token" where each syllable outside the vocabulary becomes an [UNK].
        normalize: the normal form that the model wants its text in; None for any text.
        provenance: what the artifact says of its making, by key.
        base: the name of the model's base; "" where it has none.
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
        """Open an artifact.

        Args:
            name: what the report calls the tokenizer.
            blob: the bytes of the artifact.
            backend: what runs it; None for the fastest one that works here.
            unk: what a syllable outside the vocabulary becomes. A model that writes [UNK] whatever
                is asked for, as other libraries' may, is taken as "token".
            kind: the library whose ids the artifact gives.

        Raises:
            WwhoError: the artifact is damaged, the backend cannot run, or `unk` is "token" and the
                vocabulary has no [UNK].
        """
        self.name, self.kind = name, kind
        self.sha256 = hashlib.sha256(blob).hexdigest()
        self.backend = open_backend(blob, backend)
        self._grammar = Grammar(self.backend)
        info = self.backend.info
        self._has_markers = info.decoder != "none"
        space_texts = (b" ", SPACE_MARKER) if self._has_markers or info.n_normalizer else ()
        self._space_ids = [
            self.backend.token_id(text) for text in filter(self.has_token, space_texts)
        ]
        self.n_vocab = info.n_vocab
        routes = zip(info.routes, self._grammar.is_script, strict=True)
        syllable_models = {route.model for route, is_script in routes if is_script}
        self.is_base: Bools = np.zeros(self.n_vocab, np.bool_)
        # The models that spell what a model of syllables lacks come before it in the artifact.
        for model in info.models[: min(syllable_models, default=0)]:
            self.is_base[model.first_id : model.first_id + model.n_ids] = True
        base_end = int(np.append(np.flatnonzero(self.is_base), -1).max()) + 1
        superword_ranges = [
            range(end - model.n_superwords, end)
            for model in info.models
            for end in [model.first_id + model.n_tokens]
        ]
        self.superwords = next(filter(None, superword_ranges), range(0))
        self.unk_id = info.unk_id
        writes_unk_always = any(model.unknown == "id" for model in info.models)
        self.unk: Unk = "token" if writes_unk_always else unk
        is_nfc = info.provenance.get(PROVENANCE_KEY) == FORM
        self.normalize: Normalization | None = FORM if is_nfc else None
        self.provenance = info.provenance
        self.base = info.provenance.get("base:name", "")
        # A shipped base may have special tokens after the ids of its model.
        has_shipped_base = base_end and self.base in list_encoding_names()
        self.first_own = get_encoding(self.base).n_vocab if has_shipped_base else base_end
        if unk == "token" and info.unk_id is None:
            raise WwhoError(f"{name} has no token for unknown syllables; leave them to be spelled")

    def encode(self, block: Block) -> Encoding:
        """Encode each line of a block as a text of its own.

        The ends of the tokens are those of the core but for two kinds: a space that the tokenizer
        adds to the text ends where the token before it does, and of several tokens that share one
        character, all but the last end one byte before the character does.
        """
        unk = self.unk == "token"
        packed = [self.backend.encode_with_ends_packed(line, None, unk) for line in block.encoded]
        ids = np.frombuffer(b"".join(ids for ids, _ in packed), np.uint32)
        ends = np.frombuffer(b"".join(ends for _, ends in packed), np.uint32).astype(np.int64)
        firsts = offsets_of(len(ids) // 4 for ids, _ in packed)
        tokens_per_line = np.diff(firsts)
        line_starts = block.line_bytes[:-1]
        ends += np.repeat(line_starts, tokens_per_line)
        # A space that the tokenizer adds is no part of the character that it stands before.
        text = np.frombuffer(b"".join(block.encoded), np.uint8)
        is_added_space = np.isin(ids, self._space_ids) & (text[ends - 1] != ord(" "))
        starts = np.append(0, ends[:-1])[: len(ends)]
        has_tokens = tokens_per_line > 0
        starts[firsts[:-1][has_tokens]] = line_starts[has_tokens]
        # The core lets all tokens that share a character end after it.
        shares_next = (ends[:-1] == ends[1:]) & ~(is_added_space[:-1] | is_added_space[1:])
        ends[:-1] -= shares_next & ~np.isin(np.arange(1, len(ends)), firsts)
        return Encoding(ids, np.where(is_added_space, starts, ends), firsts)

    def decode(self, lines: Sequence[list[int]]) -> list[bytes]:
        """Return the bytes that each list of ids decodes to.

        Raises:
            UnknownTokenError: an id stands for no token.
        """
        return [self.backend.decode(ids) for ids in lines]

    def tokens_bytes(self, tokens: Sequence[int]) -> list[bytes | None]:
        """Return the bytes of each token; None for an id that stands for no token.

        Where the model writes spaces with another character, that one is a space here.
        """
        texts = self.backend.tokens_bytes(tokens)
        if not self._has_markers:
            return texts
        return [text and text.replace(SPACE_MARKER, b" ") for text in texts]

    def has_token(self, text: bytes) -> bool:
        """Return whether some token has exactly these bytes."""
        try:
            self.backend.token_id(text)
        except UnknownTokenError:
            return False
        return True

    def has_syllables(self, code_points: Ints) -> Bools:
        """Return for each code point whether the model cuts text of its script into syllables.

        Args:
            code_points: letters, in any order, also several times.
        """
        letters, place = np.unique(code_points, return_inverse=True)
        block = Block([*map(chr, letters.tolist())])
        routes = self._grammar.cut(block).byte_routes[block.line_bytes[:-1]]
        return self._grammar.is_script[routes][place]


def open_model(given: str, backend: BackendName | None = None, *, unk: Unk = "spell") -> Encoder:
    """Open the model of an evaluation: a shipped encoding or a `.wwho` file.

    Args:
        given: a name or a path, with `LABEL=` before it to name the model in the report. Without a
            label, the report takes the encoding's name, or the file's without its suffix.
        backend: what runs the model; None for the fastest one that works here.
        unk: what a syllable outside the vocabulary becomes, as in `Encoder`.

    Raises:
        WwhoError: there is no such encoding, or it cannot be opened.
        OSError: the file cannot be read.
    """
    label, target = _split_label(given)
    if not is_model_file(target):
        return Encoder(label or target, model_bytes(target), backend, unk=unk)
    path = Path(target)
    with errors_name_file(path):
        return Encoder(label or _to_valid_text(path.stem), read_model_file(path), backend, unk=unk)


def open_baseline(given: str, backend: BackendName | None = None) -> Encoder:
    """Open a tokenizer to compare with, which may be another library's.

    Args:
        given: as for `open_model`; or the path of a file or folder that `wwho.importers` reads,
            which is imported in memory. A file called tokenizer.json gets its folder's name.
        backend: what runs the model; None for the fastest one that works here.

    Raises:
        WwhoError: there is no such tokenizer, or no artifact can hold it.
        OSError: a file cannot be read.
    """
    label, target = _split_label(given)
    path, names = Path(target), list_encoding_names()
    if target in names or target.endswith(SUFFIX) or is_artifact(path):
        return open_model(given, backend)
    # The path of an empty name would be the current folder.
    if not target or not (path.exists() or target.endswith(".json")):
        raise WwhoError(
            f"there is no tokenizer {target!r}; give one of {', '.join(names)}, or a path to a "
            ".wwho file or to what wwho import reads"
        )
    imported = import_file(path)
    # The folder tells files apart that all have the same name.
    folder = path.resolve().parent.name
    name = _to_valid_text(folder if path.stem == "tokenizer" and folder else path.stem)
    blob = write_artifact(imported.artifact)
    return Encoder(label or name, blob, backend, kind=imported.engine or imported.kind)


def _split_label(given: str) -> tuple[str, str]:
    """Split `LABEL=TARGET` at its first equals sign into label and target.

    The label is "" where there is no equals sign, or where a file has the whole text for its name.
    """
    label, equals, target = given.partition("=")
    if not equals or Path(given).exists():
        return "", given
    return _to_valid_text(label), target


def _to_valid_text(name: str) -> str:
    """Return a name without surrogates, which stand for bytes of arguments that are not UTF-8."""
    return name.encode("utf-8", "replace").decode()


def warn_if_trained_on(
    text: DataSet, digests: Sequence[str], encoders: Sequence[Encoder]
) -> tuple[str, ...]:
    """Return the names of the tokenizers whose provenance says that they were trained on a text.

    Args:
        text: the text, which the warning names.
        digests: SHA-256 of the contents of the text's files, in hexadecimal.
        encoders: the tokenizers.

    Warns:
        UserWarning: at least one of them was; figures on this text then say little of other text.
    """
    names = tuple(each.name for each in encoders if was_trained_on(each.provenance, digests))
    if names:
        warnings.warn(
            f"{text.file}: this text is in the training corpus of {', '.join(names)}, so figures "
            "on it say little of other text; measure on text that was kept out of training",
            stacklevel=5,
        )
    return names
