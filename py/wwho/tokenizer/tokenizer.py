"""The public class `Tokenizer`: opening and saving models, and encoding one text."""

from __future__ import annotations

import os
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wwho.backends.backend import IdsWithOffsets
from wwho.backends.select import BackendName, default_backend, open_backend
from wwho.errors import UnknownTokenError, errors_name_file
from wwho.format.files import is_artifact, read_model_file, write_atomic
from wwho.format.template import Template
from wwho.sampling import Sample
from wwho.text import Text, Unk, offsets_in_str, to_bytes
from wwho.tokenizer.batch_methods import BatchMethods
from wwho.tokenizer.chunk_methods import ChunkMethods
from wwho.tokenizer.count_methods import CountMethods
from wwho.tokenizer.decode_methods import DecodeMethods, TokenTexts
from wwho.tokenizer.peer_bytes import with_peer_bytes
from wwho.tokenizer.segment_methods import SegmentMethods
from wwho.tokenizer.special_tokens import Allowed, SpecialTokens
from wwho.tokenizer.stream_methods import StreamMethods

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

END_OF_TEXT = "<|endoftext|>"
Shipped = tuple[Callable[..., "Tokenizer"], str]
"""A function that opens a shipped encoding, given a class, a name and a backend; and the name."""


class Tokenizer(
    BatchMethods, DecodeMethods, CountMethods, SegmentMethods, ChunkMethods, StreamMethods
):
    """An immutable tokenizer; any number of threads may use it at once.

    Names and behaviour are those of tiktoken's `Encoding` wherever it has them, with one safer
    default: text that spells a special token is ordinary text unless the call allows it.

    A text is `str`, or bytes that are normally UTF-8. In a `str`, surrogates that form a pair are
    read as the character they mean, and a lone surrogate as U+FFFD, in every method. Bytes that are
    not UTF-8 keep their values, and the shipped encodings restore every text:
    `decode_bytes(encode(x)) == x` for every bytes `x`. A model that normalizes text, collapses
    spaces or has an unknown token may not; `wwho inspect` says how it loses text.

    Example:
        >>> import wwho
        >>> enc = wwho.get_encoding("o200k_base")
        >>> enc.encode("hello world")
        [24912, 2375]
        >>> enc.decode([24912, 2375])
        'hello world'
    """

    __slots__ = (
        "__weakref__",
        "_backend",
        "_blob",
        "_joined",
        "_peer",
        "_shipped",
        "_specials",
        "_template",
        "_texts",
    )

    def __init__(
        self, blob: bytes, backend: BackendName | None = None, *, shipped: Shipped | None = None
    ) -> None:
        """Open an artifact; `load`, `from_bytes` and `wwho.get_encoding` are the ways in.

        Args:
            blob: a whole `.wwho` file.
            backend: "native", "wasm" or "reference"; None for the best that is there.
            shipped: a function that opens the encoding by its name, and the name, which pickles
                then contain in place of the artifact.

        Raises:
            ArtifactError: the artifact breaks a MUST of FORMAT.md; `.status` names it.
            BackendError: the backend asked for cannot run here.
        """
        self._blob = blob
        self._shipped = shipped
        self._backend = open_backend(blob, backend)
        # Without one in the model, a pair is two texts in a row.
        self._template = self._backend.info.template or Template()
        self._specials = SpecialTokens(self._backend.info.added)
        self._texts = TokenTexts(self._backend)
        self._joined = self._texts if self._has_no_decoder else ()
        self._peer: Tokenizer | None = None

    @classmethod
    def _open(
        cls, blob: bytes, backend: BackendName | None, shipped: Shipped | None = None
    ) -> Self:
        """Open an artifact as an object of this class, whose own constructor is not called.

        Subclasses such as `Encoding` have a constructor that takes something else. Arguments and
        errors are those of `Tokenizer`'s constructor.
        """
        tokenizer = cls.__new__(cls)
        Tokenizer.__init__(tokenizer, blob, backend, shipped=shipped)
        return tokenizer

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, backend: BackendName | None = None) -> Self:
        """Open a `.wwho` file.

        Args:
            path: the file, which is read whole.
            backend: "native", "wasm" or "reference"; None for the best that is there.

        Raises:
            ArtifactError: the file breaks a MUST of FORMAT.md (`.status` names it), or is another
                library's; the message says whose.
            BackendError: the backend asked for cannot run here.
            OSError: the file cannot be read.

        Example:
            >>> import tempfile
            >>> from wwho.encodings import model_bytes
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = Path(folder) / "my.wwho"
            ...     _ = path.write_bytes(model_bytes("cl100k_base"))
            ...     Tokenizer.load(path).count("hello world")
            2
        """
        with errors_name_file(path):
            return cls._open(read_model_file(path), backend)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, backend: BackendName | None = None) -> Self:
        """Open a tokenizer of any kind: a `.wwho` file, or another library's, imported in memory.

        `wwho.importers` lists the formats, and what some of them do not contain. An imported model
        is named after its file (or folder), and nothing is written.

        Args:
            path: a `.wwho` file, or a file or folder that an importer reads.
            backend: "native", "wasm" or "reference"; None for the best that is there.

        Raises:
            SourceError: the file is no tokenizer, or one that no artifact can hold.
            ArtifactError: the file breaks a MUST of FORMAT.md, or its vocabulary cannot be held.
            PatternError: a pattern in it cannot be compiled.
            BackendError: the backend asked for cannot run here.
            OSError: the file cannot be read.

        Example:
            >>> import json, tempfile
            >>> model = {"type": "WordLevel", "vocab": {"?": 0, "hello": 1}, "unk_token": "?"}
            >>> document = {"model": model, "pre_tokenizer": {"type": "Whitespace"}}
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     _ = (Path(folder) / "tokenizer.json").write_text(json.dumps(document))
            ...     Tokenizer.from_file(folder).encode("hello world")
            [1, 0]
        """
        file = Path(path)
        if is_artifact(file):
            return cls.load(path, backend=backend)
        from wwho.format.write import write_artifact
        from wwho.importers import Options, import_file

        name = file.stem or file.resolve().name
        artifact = import_file(path, Options(name=name)).artifact
        return cls._open(write_artifact(artifact), backend)

    @classmethod
    def from_bytes(
        cls, blob: bytes | bytearray | memoryview, *, backend: BackendName | None = None
    ) -> Self:
        """Open the bytes of a `.wwho` file.

        Args:
            blob: all bytes of the file.
            backend: "native", "wasm" or "reference"; None for the best that is there.

        Raises:
            TypeError: `blob` is no bytes.
            ArtifactError: the bytes break a MUST of FORMAT.md; `.status` names it.
            BackendError: the backend asked for cannot run here.

        Example:
            >>> from wwho.encodings import model_bytes
            >>> Tokenizer.from_bytes(model_bytes("cl100k_base")).n_vocab
            100277
        """
        if not isinstance(blob, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"expected the bytes of a .wwho file, found {type(blob).__name__}; "
                "Tokenizer.load(path) opens a file, wwho.get_encoding(name) what ships"
            )
        return cls._open(bytes(blob), backend)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a `.wwho` file, which `load` opens.

        It replaces a file that is there already. It writes a temporary file and renames that, so
        no incomplete file is ever left.

        Raises:
            OSError: the file cannot be written.

        Example:
            >>> import tempfile, wwho
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = Path(folder) / "my.wwho"
            ...     wwho.get_encoding("cl100k_base").save(path)
            ...     Tokenizer.load(path).n_vocab
            100277
        """
        write_atomic(path, self._blob)

    def _with_peer_bytes(self) -> Tokenizer:
        """Return the tokenizer whose added tokens decode as `tokenizers` decodes them; made once.

        Raises:
            ValueError: the model comes from no tokenizer.json.
        """
        if self._peer is None:
            blob = with_peer_bytes(self._blob, self.info)
            same = blob is self._blob
            self._peer = self if same else Tokenizer(blob, self.backend)  # type: ignore[arg-type]
        return self._peer

    # Encoding

    def encode(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> list[int]:
        """Return the ids of a text, or of a pair of texts.

        Args:
            text: the text; `str`, or bytes that are normally UTF-8.
            pair: a second text, for models that take two: its ids come after those of the first.
            add_special_tokens: whether the model's template puts its special tokens around the
                texts, such as [CLS] and [SEP]. A model without a template has none.
            allowed_special: special tokens that the text may spell, or "all".
            disallowed_special: special tokens whose spelling in the text is an error, or "all" (all
                that are not allowed). A special token that is neither is ordinary text. None means
                no token, but in `wwho.tiktoken` it means "all".
            unk: "spell" writes syllables outside the vocabulary with base tokens, which loses
                nothing; "token" writes one [UNK] for each, which loses their text and needs a model
                that has one. A model that can only write [UNK], such as BERT's, always does.
            dropout: for BPE models, the probability, 0 to 1, that a merge that comes up is skipped
                (BPE-dropout): 0 skips none, 1 leaves the symbols, which are whole syllables in a
                model of syllables.
            sample: for Unigram models, alpha and n_best as SentencePiece has them. With n_best -1
                a path is drawn from all, in proportion to exp(alpha * its score); with 0 or 1 it is
                the best one. Others are refused. An encoding that has models of both kinds takes
                both options: each leaves the other's models alone.
            seed: 0 to 2**64 - 1, from which all of it is drawn: the same seed gives the same ids on
                every machine. Needed with `dropout` and `sample`.

        Raises:
            SamplingError: the model cannot be sampled so, a number is out of range, or there is no
                seed.
            SpecialTokenError: the text spells a disallowed special token.
            TypeError: the text is neither `str` nor bytes.
            ValueError: `unk` is none of the two, or "token" and the model has no [UNK].

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> enc.encode("<|endoftext|>")
            [27, 91, 419, 1440, 919, 91, 29]
            >>> enc.encode("<|endoftext|>", allowed_special="all")
            [199999]
            >>> enc.encode("hello world", dropout=0.3, seed=1)
            [4161, 746, 286, 1733]
        """
        if dropout or sample is not None or seed is not None:
            return self.encode_batch(
                [text],
                None if pair is None else [pair],
                num_threads=1,
                add_special_tokens=add_special_tokens,
                allowed_special=allowed_special,
                disallowed_special=disallowed_special,
                unk=unk,
                dropout=dropout,
                sample=sample,
                seed=seed,
            )[0]
        unk_as_token = unk != "spell" and self._unk_as_token(unk)
        data: Text
        mask: bytes | None
        if allowed_special or disallowed_special or self._disallowed:
            data, mask = self._bytes_and_mask(text, allowed_special, disallowed_special)
        else:
            # Most calls: without one of `_bytes_and_mask` they are 1.07 to 1.1 times as fast.
            data, mask = text, None
        ids = self._backend.encode(data, mask, unk_as_token)
        pair_ids = None
        if pair is not None:
            data, mask = self._bytes_and_mask(pair, allowed_special, disallowed_special)
            pair_ids = self._backend.encode(data, mask, unk_as_token)
        elif not add_special_tokens:
            return ids
        return self._template.ids(ids, pair_ids, add_special_tokens=add_special_tokens)

    def encode_with_types(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> tuple[list[int], list[int]]:
        """Return the ids of a text or a pair of texts, and the type of each token.

        The arguments are those of `encode`.

        Returns:
            ids: what `encode` returns.
            types: for each id what the model's template says: mostly 0 for the first text and 1
            for the second, which BERT calls token_type_ids.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.
            TypeError: as for `encode`.
            ValueError: as for `encode`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_with_types("hello", "world")
            ([24912, 24169], [0, 1])
        """
        rows = self.encode_batch(
            [text] if pair is None else [text, pair],
            num_threads=1,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            unk=unk,
            dropout=dropout,
            sample=sample,
            seed=seed,
        )
        first, second = rows[0], None if pair is None else rows[1]
        filled = list(self._template.fill(first, second, attrgetter("id"), add_special_tokens))
        return [token for _, token in filled], [place.type_id for place, _ in filled]

    def encode_ordinary(self, text: Text, *, added: bool = True) -> list[int]:
        """Return the ids of a text in which special tokens are ordinary text.

        Args:
            text: the text.
            added: whether added tokens that are not special are found, such as those that training
                was told to protect; if not, their texts are ordinary, too.

        Raises:
            TypeError: the text is neither `str` nor bytes.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("cl100k_base").encode_ordinary("hello world")
            [15339, 1917]
        """
        if added:
            return self._backend.encode(text, None, False)
        return self._backend.encode_unadded(to_bytes(text))

    def encode_to_numpy(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> npt.NDArray[np.uint32]:
        """Return what `encode` does, as an array of uint32; the arguments are those of `encode`.

        Raises:
            ImportError: numpy is not installed.
            SpecialTokenError: the text spells a disallowed special token.
            TypeError: as for `encode`.
            ValueError: as for `encode`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_to_numpy("hello world").tolist()
            [24912, 2375]
        """
        drawn = dropout or sample is not None or seed is not None
        if pair is None and not (add_special_tokens or drawn):
            unk_as_token = unk != "spell" and self._unk_as_token(unk)
            data: Text
            mask: bytes | None
            if allowed_special or disallowed_special or self._disallowed:
                data, mask = self._bytes_and_mask(text, allowed_special, disallowed_special)
            else:
                data, mask = text, None
            return self._backend.encode_to_numpy(data, mask, unk_as_token)
        return self.encode_batch_to_numpy(
            [text],
            None if pair is None else [pair],
            num_threads=1,
            add_special_tokens=add_special_tokens,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            unk=unk,
            dropout=dropout,
            sample=sample,
            seed=seed,
        )[0]

    def encode_with_offsets(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of a text or a pair of texts, and the code points that each token touches.

        The arguments are those of `encode`.

        Returns:
            ids: what `encode` returns.
            offsets: for each id the first code point that it touches, and the one after the last.

            Where a character is made of several tokens, each of them touches it. A byte that is not
            UTF-8 counts as a code point. Those of a `str` are as it was given: a pair of surrogates
            in it is two of them, of which no token touches only one. If the model
            normalizes, a token stands at the code points that its text came from, as in Hugging
            Face's `tokenizers`: of several that were composed, that is the first one. Of a pair,
            offsets are those in its own text; tokens of the template stand at (0, 0). A model whose
            post-processor trims offsets, such as RoBERTa's, leaves out the white space of tokens.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            TypeError: as for `encode`.
            ValueError: as for `encode`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_with_offsets("hello world")
            ([24912, 2375], [(0, 5), (5, 11)])
        """
        if dropout or sample is not None or seed is not None:
            return self.encode_batch_with_offsets(
                [text],
                None if pair is None else [pair],
                num_threads=1,
                add_special_tokens=add_special_tokens,
                allowed_special=allowed_special,
                disallowed_special=disallowed_special,
                unk=unk,
                dropout=dropout,
                sample=sample,
                seed=seed,
            )[0]
        unk_as_token = self._unk_as_token(unk)
        texts: list[bytes] = []
        rows: list[IdsWithOffsets] = []
        for each in (text,) if pair is None else (text, pair):
            data, mask = self._bytes_and_mask(each, allowed_special, disallowed_special)
            texts.append(data)
            ids, offsets = self._backend.encode_with_offsets(data, mask, unk_as_token)
            rows.append((ids, offsets_in_str(each, offsets)))
        return self._fill_template_with_offsets(texts, rows, add_special_tokens)

    def encode_single_token(self, text_or_bytes: Text) -> int:
        """Return the id of the token with exactly this text, which may be a special token.

        If tokens of several models have this text, it is that of the last model. The lone space of
        a model of syllables is never found.

        Raises:
            UnknownTokenError: no token has this text (also a KeyError).
            TypeError: the text is neither `str` nor bytes.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_single_token("hello")
            24912
        """
        try:
            return self._backend.token_id(self._normalized_bytes(text_or_bytes))
        except UnknownTokenError:
            # The core knows tokens by their symbols' bytes. With a decoder, those may not be the
            # text: then look for a token that decodes to it.
            if self._has_no_decoder:
                raise
            ids = self.encode_ordinary(text_or_bytes, added=False)
            text = text_or_bytes
            if isinstance(text, str):
                text = text.encode("utf-8", "surrogatepass")
            if len(ids) == 1 and self.decode_single_token_bytes(ids[0]) == text:
                return ids[0]
            raise

    # Facts about the model

    @property
    def backend(self) -> str:
        """The name of the backend that runs the model: "native", "wasm" or "reference".

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base", backend="reference").backend
            'reference'
        """
        return self._backend.kind

    @property
    def n_vocab(self) -> int:
        """One more than the highest id: ids are 0..n_vocab-1, and not all of them are used.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").n_vocab
            200019
        """
        return self.info.n_vocab

    @property
    def max_token_value(self) -> int:
        """The highest id, which is `n_vocab - 1`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").max_token_value
            200018
        """
        return self.n_vocab - 1

    @property
    def special_tokens_set(self) -> frozenset[str]:
        """The texts of the special tokens, without added tokens that are always found.

        Example:
            >>> import wwho
            >>> sorted(wwho.get_encoding("o200k_base").special_tokens_set)
            ['<|endofprompt|>', '<|endoftext|>']
        """
        return self._specials.texts

    @property
    def eot_token(self) -> int:
        """The id of the special token <|endoftext|>.

        Raises:
            UnknownTokenError: the model has no such special token (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").eot_token
            199999
        """
        token = self.info.specials.get(END_OF_TEXT)
        if token is None:
            raise UnknownTokenError(f"{self.name} has no special token {END_OF_TEXT!r}")
        return token

    def is_special_token(self, token: int) -> bool:
        """Return whether an id is that of a special token; False for ids that are not used.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> enc.is_special_token(199999), enc.is_special_token(24912)
            (True, False)
        """
        return token in self.info.specials.values()

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens but the added ones, in byte order.

        A text that several tokens have is listed for each of them.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").token_byte_values()[-1]
            b'\\xff'
        """
        info = self.info
        ids = [token for number in range(len(info.models)) for token in info.model_ids(number)]
        return sorted(filter(None, self._backend.tokens_bytes(ids)))

    def __repr__(self) -> str:
        """Return the class, the encoding's name and the backend."""
        return f"<{type(self).__name__} {self.name!r} ({self.backend})>"

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[object, ...]]:
        """Pickle a shipped encoding by its name, and any other by the bytes of its file.

        If the backend is the best one on this machine, the pickle is opened with the best one of
        the machine that opens it; any other backend is kept.
        """
        backend = None if self.backend == default_backend() else self.backend
        if self._shipped is not None:
            opener, name = self._shipped
            return opener, (type(self), name, backend)
        return type(self)._open, (self._blob, backend)
