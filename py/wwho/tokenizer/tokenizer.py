"""The public tokenizer: text to ids and back, over whichever backend runs here."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wwho.backends.select import BackendName, default_backend, open_backend
from wwho.errors import UnknownTokenError, naming
from wwho.format.files import is_artifact, write_atomic
from wwho.format.template import Template
from wwho.text import Text, Unk, to_bytes
from wwho.tokenizer.batch_methods import Batches
from wwho.tokenizer.chunk_methods import Cutting
from wwho.tokenizer.decode_methods import Decoding, TokenTexts
from wwho.tokenizer.special_tokens import Allowed, Specials
from wwho.tokenizer.stream_methods import Streaming

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

END_OF_TEXT = "<|endoftext|>"
Shipped = tuple[Callable[..., "Tokenizer"], str]


class Tokenizer(Batches, Decoding, Cutting, Streaming):
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
        *("__weakref__", "_backend", "_blob", "_joined", "_shipped"),
        *("_specials", "_template", "_texts"),
    )

    def __init__(
        self, blob: bytes, backend: BackendName | None = None, *, shipped: Shipped | None = None
    ) -> None:
        """Open an artifact; `load`, `from_bytes` and `wwho.get_encoding` are the ways in.

        Args:
            blob: a whole `.wwho` file.
            backend: "native", "wasm" or "reference"; None for the best that is there.
            shipped: what opens it again, and its name there, so that pickles stay small.

        Raises:
            ArtifactError: the artifact breaks a MUST of FORMAT.md; `.status` names it.
            BackendError: the backend asked for cannot run here.
        """
        self._blob = blob
        self._shipped = shipped
        self._backend = open_backend(blob, backend)
        # Without one in the model, a pair is two texts in a row.
        self._template = self._backend.info.template or Template()
        self._specials = Specials(self._backend.info.added)
        self._texts = TokenTexts(self._backend)
        self._joined = self._texts if self._joins else ()

    @classmethod
    def _open(
        cls, blob: bytes, backend: BackendName | None, shipped: Shipped | None = None
    ) -> Self:
        """Open an artifact, for subclasses whose own constructor takes something else."""
        made = cls.__new__(cls)
        Tokenizer.__init__(made, blob, backend, shipped=shipped)
        return made

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, backend: BackendName | None = None) -> Self:
        """Open a `.wwho` file.

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
        with naming(path):
            return cls._open(Path(path).read_bytes(), backend)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, backend: BackendName | None = None) -> Self:
        """Open a tokenizer of any kind: a `.wwho` file, or another library's, imported in memory.

        `wwho.importers` lists the formats, and what some of them do not contain.

        Raises:
            SourceError: no artifact can hold it, or it is no tokenizer.
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
        found = import_file(path, Options(name=name)).artifact
        return cls._open(write_artifact(found), backend)

    @classmethod
    def from_bytes(
        cls, blob: bytes | bytearray | memoryview, *, backend: BackendName | None = None
    ) -> Self:
        """Open the bytes of a `.wwho` file.

        Raises:
            TypeError: they are no bytes.
            ArtifactError: they break a MUST of FORMAT.md; `.status` names it.
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
        """Write the `.wwho` file, which `load` opens.

        It writes a temporary file and renames it, so no incomplete file is ever left.

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
    ) -> list[int]:
        """The ids of a text.

        Args:
            text: the text.
            pair: a second text, for models that take two: its ids come after those of the first.
            add_special_tokens: whether the model's template puts its special tokens around the
                texts, such as [CLS] and [SEP]. Without a template there are none to be put.
            allowed_special: special tokens that the text may spell, or "all".
            disallowed_special: special tokens whose spelling in the text is an error, or "all" (all
                that are not allowed). What is neither is ordinary text. None is none of them, but
                in `wwho.tiktoken` all.
            unk: "spell" writes syllables outside the vocabulary with base tokens, which loses
                nothing; "token" writes one [UNK] for each, which loses their text and needs a model
                that has one. A model without another way always does the latter, such as BERT's.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            ValueError: `unk` is none of the two, or "token" and the model has no [UNK].

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> enc.encode("<|endoftext|>")
            [27, 91, 419, 1440, 919, 91, 29]
            >>> enc.encode("<|endoftext|>", allowed_special="all")
            [199999]
        """
        unknown = unk != "spell" and self._is_token(unk)
        if allowed_special or disallowed_special or self._disallowed:
            data, mask = self._prepare(text, allowed_special, disallowed_special)
        else:  # as most calls have it: without the call of _prepare, 1.07 to 1.1 times as fast
            data, mask = to_bytes(text), None
        ids = self._backend.encode(data, mask, unknown)
        second = None
        if pair is not None:
            data, mask = self._prepare(pair, allowed_special, disallowed_special)
            second = self._backend.encode(data, mask, unknown)
        elif not add_special_tokens:
            return ids
        return self._template.ids(ids, second, add_special_tokens=add_special_tokens)

    def encode_with_types(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> tuple[list[int], list[int]]:
        """The ids of one text or two, and the type of each; arguments and errors as for `encode`.

        Returns:
            The ids, and for each what the model's template says: mostly 0 for the first text and 1
            for the second, which BERT calls token_type_ids.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_with_types("hello", "world")
            ([24912, 24169], [0, 1])
        """
        encode = partial(
            self.encode,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            unk=unk,
        )
        first, second = encode(text), None if pair is None else encode(pair)
        found = list(self._template.fill(first, second, attrgetter("id"), add_special_tokens))
        return [token for _, token in found], [place.type_id for place, _ in found]

    def encode_ordinary(self, text: Text, *, added: bool = True) -> list[int]:
        """The ids of a text in which nothing is special.

        Args:
            text: the text.
            added: whether tokens that need no permission are found, as those that training was
                told to protect; if not, their texts are ordinary, too.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("cl100k_base").encode_ordinary("hello world")
            [15339, 1917]
        """
        data = to_bytes(text)
        return (
            self._backend.encode(data, None, False) if added else self._backend.encode_unadded(data)
        )

    def encode_to_numpy(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> npt.NDArray[np.uint32]:
        """The ids of a text as an array; arguments and errors as for `encode`.

        Raises:
            ImportError: numpy is not installed.
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_to_numpy("hello world").tolist()
            [24912, 2375]
        """
        import numpy as np

        if pair is None and not add_special_tokens:
            data, mask = self._prepare(text, allowed_special, disallowed_special)
            return np.frombuffer(
                self._backend.encode_packed(data, mask, self._is_token(unk)), np.uint32
            )
        return self.encode_batch_to_numpy(
            [text],
            None if pair is None else [pair],
            num_threads=1,
            add_special_tokens=add_special_tokens,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
            unk=unk,
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
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of a text and where each stands; arguments and errors as for `encode`.

        Returns:
            The ids, and for each the first code point it touches and the one after the last. Where
            a character is made of several tokens, each of them touches it. A byte that is not UTF-8
            counts as a code point, and a pair of surrogates in a `str` as one. Of a model that
            normalizes, a token stands at the code points that its own came from, as in Hugging
            Face's `tokenizers`: of several that are composed, that is the first one. Of a pair,
            each is of its own text; tokens of the template stand at (0, 0). A model whose
            post-processor trims offsets, such as RoBERTa's, leaves out the white space of tokens.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_with_offsets("hello world")
            ([24912, 2375], [(0, 5), (5, 11)])
        """
        unknown, texts, rows = self._is_token(unk), [], []
        for each in (text,) if pair is None else (text, pair):
            data, mask = self._prepare(each, allowed_special, disallowed_special)
            texts.append(data)
            rows.append(self._backend.encode_with_offsets(data, mask, unknown))
        return self._placed(texts, rows, add_special_tokens)

    def encode_single_token(self, text_or_bytes: Text) -> int:
        """The id of the token with exactly this text, special tokens among them.

        Where tokens of several models have the same text, it is that of the last model; the lone
        space is none of them.

        Raises:
            UnknownTokenError: no token has this text (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_single_token("hello")
            24912
        """
        try:
            return self._backend.token_id(self._form(text_or_bytes))
        except UnknownTokenError:  # or it is spelled with symbols
            found = () if self._joins else self.encode_ordinary(text_or_bytes, added=False)
            given = text_or_bytes
            if isinstance(given, str):
                given = given.encode("utf-8", "surrogatepass")
            if len(found) == 1 and self.decode_single_token_bytes(found[0]) == given:
                return found[0]
            raise

    # What the tokenizer is

    @property
    def backend(self) -> str:
        """What runs it: "native", "wasm" or "reference".

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base", backend="reference").backend
            'reference'
        """
        return self._backend.kind

    @property
    def n_vocab(self) -> int:
        """Ids are 0..n_vocab-1; not all of them are used.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").n_vocab
            200019
        """
        return self.info.n_vocab

    @property
    def max_token_value(self) -> int:
        """The highest id.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").max_token_value
            200018
        """
        return self.n_vocab - 1

    @property
    def special_tokens_set(self) -> frozenset[str]:
        """The texts of the special tokens.

        Example:
            >>> import wwho
            >>> sorted(wwho.get_encoding("o200k_base").special_tokens_set)
            ['<|endofprompt|>', '<|endoftext|>']
        """
        return self._specials.texts

    @property
    def eot_token(self) -> int:
        """The id of <|endoftext|>.

        Raises:
            UnknownTokenError: the model has no such special token (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").eot_token
            199999
        """
        found = self.info.specials.get(END_OF_TEXT)
        if found is None:
            raise UnknownTokenError(f"{self.name} has no special token {END_OF_TEXT!r}")
        return found

    def is_special_token(self, token: int) -> bool:
        """Whether an id is a special token's.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> enc.is_special_token(199999), enc.is_special_token(24912)
            (True, False)
        """
        return token in self.info.specials.values()

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in byte order.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").token_byte_values()[-1]
            b'\\xff'
        """
        info = self.info
        ids = [token for number in range(len(info.models)) for token in info.model_ids(number)]
        return sorted(filter(None, self._backend.tokens_bytes(ids)))

    def __repr__(self) -> str:
        """The name and the backend."""
        return f"<{type(self).__name__} {self.name!r} ({self.backend})>"

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[object, ...]]:
        """Shipped encodings are pickled by name, others by their bytes.

        The best backend of this machine becomes the best one where the pickle is opened; any other
        is kept.
        """
        backend = None if self.backend == default_backend() else self.backend
        if self._shipped is not None:
            opener, name = self._shipped
            return opener, (type(self), name, backend)
        return type(self)._open, (self._blob, backend)
