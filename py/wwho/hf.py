"""WWHO as a tokenizer of Hugging Face transformers (extra `hf`).

Everything that transformers does with a tokenizer written in Python works; ids are those of
`wwho.Tokenizer`, and offsets, which transformers has for its Rust tokenizers only, work too: while
transformers truncates and joins, each id carries its place in the text with it.

transformers names tokens by strings and numbers them without gaps. The name of a token is its text;
bytes that are not UTF-8 are written <0xE0>, and a base token that SGPE has too ends in U+2581. Ids
that the model does not use have names of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

try:
    from transformers import (
        AddedToken,
        AutoTokenizer,
        BatchEncoding,
        PreTrainedConfig,
        PreTrainedTokenizer,
    )
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "wwho.hf needs transformers: pip install 'wwho[hf]'", name=error.name
    ) from error

from wwho.artifact.files import write_atomic
from wwho.encodings import DEFAULT_ENCODING, get_encoding, list_encoding_names, model_bytes
from wwho.tokenizer import Tokenizer

VOCAB_FILE = "tokenizer.wwho"
TWIN = "\u2581"
# What the special tokens that models know are called in artifacts; the first that is there counts.
ROLES = {
    "bos_token": ("[BOS]",),
    "eos_token": ("[EOS]", "<|endoftext|>"),
    "unk_token": ("[UNK]",),
    "pad_token": ("[PAD]", "<|endoftext|>"),
    "mask_token": ("[MASK]",),
}
KEPT = ("special_tokens_pattern", "token_type_ids_pattern")
"""Options that transformers takes from the arguments, but does not save."""


class PlacedName(str):
    """A token's name that knows the code points it stands for, first and last-plus-one."""

    span: tuple[int, int]

    def __new__(cls, name: str, span: tuple[int, int]) -> PlacedName:
        """A name with its place."""
        placed = super().__new__(cls, name)
        placed.span = span
        return placed


class PlacedId(int):
    """A token's id that knows the code points it stands for, first and last-plus-one."""

    span: tuple[int, int]

    def __new__(cls, token: int, span: tuple[int, int]) -> PlacedId:
        """An id with its place."""
        placed = super().__new__(cls, token)
        placed.span = span
        return placed


class WWHOTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """A `.wwho` model as a `transformers.PreTrainedTokenizer`.

    Special tokens in a text are recognized, as by every tokenizer of transformers;
    `split_special_tokens=True` makes them ordinary text.

    Example:
        >>> tokenizer = WWHOTokenizer("o200k_base")
        >>> tokenizer("hello world", return_offsets_mapping=True)["offset_mapping"]
        [(0, 5), (5, 11)]
        >>> tokenizer.decode(tokenizer("hello world")["input_ids"])
        'hello world'
    """

    vocab_files_names = {"vocab_file": VOCAB_FILE}  # noqa: RUF012 - transformers' name and type
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012

    def __init__(
        self, vocab_file: str | os.PathLike[str] = DEFAULT_ENCODING, **options: Any
    ) -> None:
        """Open a model.

        Args:
            vocab_file: a name of `wwho.list_encoding_names()`, or the path of a `.wwho` file.
            options: those of `PreTrainedTokenizer`: `eos_token`, `padding_side`, `chat_template`,
                `special_tokens_pattern` and so on.

        Raises:
            ArtifactError: the file is no artifact.
            FileNotFoundError: there is no such file, nor an encoding of this name.
        """
        self.wwho, self._artifact = _open(vocab_file)
        specials = self.wwho.info.specials
        for role, names in ROLES.items():
            options.setdefault(role, next((name for name in names if name in specials), None))
        cast = {str(options[role]) for role in self.SPECIAL_TOKENS_ATTRIBUTES if options.get(role)}
        others = [name for name in specials if name not in cast]
        more = options.get("extra_special_tokens") or []
        options["extra_special_tokens"] = [
            *others,
            *(each for each in more if str(each) not in others),
        ]
        options.setdefault("clean_up_tokenization_spaces", False)
        known = {
            token: AddedToken(text, special=True, normalized=False)
            for text, token in specials.items()
        }
        self._names = names_of_ids(self.wwho)
        self._ids = {name: token for token, name in enumerate(self._names)}
        self._added_tokens_decoder = known
        kept = {name: options[name] for name in KEPT if name in options}
        super().__init__(**options)
        self._update_trie()
        self.init_kwargs.update(kept)

    # What transformers asks of a tokenizer

    @property
    def vocab_size(self) -> int:
        """How many ids the model has, used or not; added tokens come behind them."""
        return len(self._names)

    def get_vocab(self) -> dict[str, int]:
        """Names and ids, added tokens among them."""
        return {**self._ids, **self._added_tokens_encoder}

    def _tokenize(self, text: str, **options: Any) -> list[str]:
        return [self._names[token] for token in self.wwho.encode(text)]

    def _convert_token_to_id(self, token: str) -> int | None:
        found: int | None = self._ids.get(token, self.unk_token_id)
        return found

    def _convert_id_to_token(self, index: int) -> str:
        return self._names[index]

    def convert_tokens_to_string(self, tokens: Iterable[str]) -> str:
        """The text of tokens with these names; bytes that are not UTF-8 become U+FFFD."""
        return b"".join(map(self._bytes, tokens)).decode("utf-8", "replace")

    def _bytes(self, name: str) -> bytes:
        token = self._ids.get(name)
        if token is None or _unused(token) == name:
            return name.encode("utf-8")
        return self.wwho.decode_single_token_bytes(token)

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model into a folder, as `save_pretrained` does; its path."""
        prefix = f"{filename_prefix}-" if filename_prefix else ""
        path = os.path.join(save_directory, prefix + VOCAB_FILE)
        write_atomic(path, self._artifact)
        return (path,)

    # Encoding with places

    def _encode_plus(
        self,
        *texts: Any,
        return_tensors: Any = None,
        return_offsets_mapping: bool = False,
        **options: Any,
    ) -> BatchEncoding:
        if not return_offsets_mapping:
            return super()._encode_plus(*texts, return_tensors=return_tensors, **options)
        data = dict(super()._encode_plus(*texts, **options, places=True))
        batch = bool(data["input_ids"]) and isinstance(data["input_ids"][0], list)
        rows = data["input_ids"] if batch else [data["input_ids"]]
        # Special tokens and padding, which transformers adds, stand for nothing in the text.
        spans = [[getattr(token, "span", (0, 0)) for token in row] for row in rows]
        ids = [[int(token) for token in row] for row in rows]
        data["input_ids"], data["offset_mapping"] = (ids, spans) if batch else (ids[0], spans[0])
        return BatchEncoding(data, tensor_type=return_tensors, prepend_batch_axis=not batch)

    def tokenize(self, text: str, *, places: bool = False, **options: Any) -> list[str]:
        """The names of a text's tokens; with `places`, each with the code points it stands for."""
        if not places:
            names: list[str] = super().tokenize(text, **options)
            return names
        split = options.get("split_special_tokens", self.split_special_tokens)
        pieces = [text] if split else self.tokens_trie.split(text)
        return list(self._placed(pieces, {} if split else self._added_tokens_encoder))

    def _placed(self, pieces: Sequence[str], added: dict[str, int]) -> Iterator[str]:
        """The names of tokens of a text in pieces, some of which are added tokens."""
        start = 0
        for before, piece, behind in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False):
            if piece in added:
                yield PlacedName(piece, (start, start + len(piece)))
            else:
                first, last = self._taken(before, added)[1], self._taken(behind, added)[0]
                left = len(piece) - len(piece.lstrip()) if first else 0
                kept = piece[left:].rstrip() if last else piece[left:]
                ids, spans = self.wwho.encode_with_offsets(kept)
                for token, (begin, end) in zip(ids, spans, strict=True):
                    at = start + left
                    yield PlacedName(self._names[token], (at + begin, at + end))
            start += len(piece)

    def _taken(self, name: str, added: dict[str, int]) -> tuple[bool, bool]:
        """Whether an added token takes the white space before it, and that behind it."""
        if name not in added:
            return False, False
        token = self._added_tokens_decoder[added[name]]
        return token.lstrip, token.rstrip

    def _convert_token_to_id_with_added_voc(self, token: str) -> int:
        found: int = super()._convert_token_to_id_with_added_voc(token)
        return PlacedId(found, token.span) if isinstance(token, PlacedName) else found


class WWHOConfig(PreTrainedConfig):  # type: ignore[misc]
    """What AutoTokenizer knows a tokenizer by: there is no model behind it."""

    model_type = "wwho"


# With this module imported, AutoTokenizer.from_pretrained opens what save_pretrained wrote.
AutoTokenizer.register(WWHOConfig, WWHOTokenizer, exist_ok=True)


def names_of_ids(enc: Tokenizer) -> list[str]:
    """A name for each id, used or not, no two the same."""
    info = enc.info
    taken = dict(info.specials)
    base, sgpe = range(info.n_base_tokens), range(info.first_atom, info.n_vocab)
    for token, text in zip([*sgpe, *base], enc.decode_tokens_bytes([*sgpe, *base]), strict=True):
        name = readable(text)
        while name in taken:
            name += TWIN
        taken[name] = token
    names = [_unused(token) for token in range(info.n_vocab)]
    for name, token in taken.items():
        names[token] = name
    return names


def readable(text: bytes) -> str:
    """The text of a token, or its bytes where they are not UTF-8.

    Example:
        >>> readable(" කා".encode()), readable(bytes([0xE0, 0xB6]))
        (' කා', '<0xE0><0xB6>')
    """
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in text)


def _unused(token: int) -> str:
    return f"<|unused_{token}|>"


def _open(source: str | os.PathLike[str]) -> tuple[Tokenizer, bytes]:
    """The shipped encoding with this name, or the model in this file, and its bytes."""
    if source in list_encoding_names():
        return get_encoding(str(source)), model_bytes(str(source))
    blob = Path(source).read_bytes()
    return Tokenizer.from_bytes(blob), blob
