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
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsIndex, TypeVar

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
from wwho.artifact.model import free_ids
from wwho.backend.base import unknown_id
from wwho.encodings import DEFAULT_ENCODING, get_encoding, list_encoding_names, model_bytes
from wwho.errors import ArtifactError, UnknownTokenError
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
KEPT = (
    "special_tokens_pattern",
    "token_type_ids_pattern",
    "token_type_ids_include_special_tokens",
)
"""Options that transformers takes from the arguments, but does not save."""
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class PlacedText(str):
    """Part of a text that knows the place of each of its code points in the whole.

    transformers cuts, strips and joins texts around added tokens; the places go along.
    """

    places: Sequence[int]

    def __new__(cls, text: str, places: Sequence[int]) -> PlacedText:
        """A text with its places, one for each code point."""
        part = super().__new__(cls, text)
        part.places = places
        return part

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        """A part with its places, or one character."""
        part = super().__getitem__(key)
        return PlacedText(part, self.places[key]) if isinstance(key, slice) else part

    def __add__(self, other: str) -> str:
        """Both texts, with the places of both."""
        if not isinstance(other, PlacedText):
            return super().__add__(other)
        return PlacedText(super().__add__(other), [*self.places, *other.places])

    def lstrip(self, chars: str | None = None, /) -> str:
        """The text without the characters at its start."""
        return self[len(self) - len(super().lstrip(chars)) :]

    def rstrip(self, chars: str | None = None, /) -> str:
        """The text without the characters at its end."""
        return self[: len(super().rstrip(chars))]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The place in the whole, first and last-plus-one, of such a place here."""
        return self.places[first], self.places[last - 1] + 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles keep the places."""
        return PlacedText, (str(self), self.places)


class PlacedName(str):
    """A token's name that knows the code points it stands for, first and last-plus-one."""

    place: tuple[int, int]


class PlacedId(int):
    """A token's id that knows the code points it stands for, first and last-plus-one."""

    place: tuple[int, int]


_Placed = TypeVar("_Placed", PlacedName, PlacedId)


def placed(token: _Placed, place: tuple[int, int]) -> _Placed:
    """A name or an id with its place, which copies and pickles keep."""
    token.place = place
    return token


class WWHOTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """A `.wwho` model as a `transformers.PreTrainedTokenizer`.

    Special tokens in a text are recognized, as by every tokenizer of transformers;
    `split_special_tokens=True` makes them ordinary text. Models without [BOS], [EOS] and [PAD],
    such as o200k_base, end and pad with <|endoftext|>; their `bos_token` must be given.

    `AutoTokenizer.from_pretrained` knows what `save_pretrained` wrote once `wwho.hf` is imported;
    without it, it asks for libraries that would not help.

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
            ArtifactError: the file is no artifact, or missing in the folder of `from_pretrained`.
            FileNotFoundError: there is no such file, nor an encoding of this name.
        """
        if vocab_file is None:  # as from_pretrained says it; it hides every OSError
            raise ArtifactError(
                f"there is no {VOCAB_FILE} in {options.get('name_or_path')}; "
                "WWHOTokenizer.save_pretrained writes it there"
            )
        self.wwho, self._artifact = _open(vocab_file)
        specials = first_names(self.wwho.info.specials)
        for role, names in ROLES.items():
            options.setdefault(role, next((name for name in names if name in specials), None))
        named, more = _extra_special_tokens(options)
        options["model_specific_special_tokens"] = named
        cast = [options[role] for role in self.SPECIAL_TOKENS_ATTRIBUTES if options.get(role)]
        cast += named.values()
        others = [name for name in specials if name not in map(str, [*cast, *more])]
        options["extra_special_tokens"] = [*others, *more]
        options.setdefault("clean_up_tokenization_spaces", False)
        given = {str(each): each for each in [*cast, *more] if isinstance(each, AddedToken)}
        known = {token: _special_token(text, given.get(text)) for text, token in specials.items()}
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
        if not isinstance(text, PlacedText):
            return [self._names[token] for token in self.wwho.encode(text)]
        ids, spans = self.wwho.encode_with_offsets(text)
        at = character_bounds(text)
        return [
            placed(PlacedName(self._names[token]), text.span(at[first], at[last]))
            for token, (first, last) in zip(ids, spans, strict=True)
        ]

    def _convert_token_to_id(self, token: str) -> int | None:
        found: int | None = self._ids.get(token, self.unk_token_id)
        return found

    def _convert_id_to_token(self, index: int) -> str:
        if not 0 <= index < len(self._names):
            raise UnknownTokenError(unknown_id(index, len(self)))
        return self._names[index]

    def convert_tokens_to_string(self, tokens: Iterable[str]) -> str:
        """The text of tokens with these names; bytes that are not UTF-8 become U+FFFD."""
        return b"".join(map(self._bytes, tokens)).decode("utf-8", "replace")

    def _bytes(self, name: str) -> bytes:
        token = self._ids.get(name)
        if token is None or _unused(token) == name:
            return name.encode("utf-8")
        return self.wwho.decode_single_token_bytes(token)

    def _add_tokens(self, new_tokens: Sequence[Any], special_tokens: bool = False) -> int:
        """Add tokens, as transformers does.

        Raises:
            ValueError: one is the name of a token with another text: what spells it would be lost.
        """
        for name in map(str, new_tokens):
            if name in self._ids and (text := self._bytes(name)) != name.encode("utf-8"):
                raise ValueError(
                    f"cannot add the token {name!r}: it is what {text!r}, the token "
                    f"{self._ids[name]}, is called here; choose another text"
                )
        added: int = super()._add_tokens(new_tokens, special_tokens)
        return added

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model into a folder, as `save_pretrained` does; its path."""
        prefix = f"{filename_prefix}-" if filename_prefix else ""
        path = os.path.join(save_directory, prefix + VOCAB_FILE)
        write_atomic(path, self._artifact)
        return (path,)

    def build_inputs_with_special_tokens(self, *texts: list[int]) -> list[int]:
        """A text's ids, or two texts', with the special tokens that the pattern puts around them.

        Raises:
            ValueError: the pattern needs a special token that this tokenizer does not have.
        """
        found: list[int] = super().build_inputs_with_special_tokens(*texts)
        if None in found:
            names = self.special_tokens_pattern.replace("double_", "").split("_")
            missing = [f"{name}_token" for name in names if getattr(self, f"{name}_token") is None]
            raise ValueError(
                f"special_tokens_pattern={self.special_tokens_pattern!r} needs a "
                f"{' and a '.join(missing)}, which this model does not have: name it "
                f"({missing[0]}='...'), or choose another pattern"
            )
        return found

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
        places = [[getattr(token, "place", (0, 0)) for token in row] for row in rows]
        data["offset_mapping"] = places if batch else places[0]
        for name in {"input_ids", "overflowing_tokens"} & set(data):
            data[name] = without_places(data[name])
        return BatchEncoding(data, tensor_type=return_tensors, prepend_batch_axis=not batch)

    def tokenize(self, text: str, *, places: bool = False, **options: Any) -> list[str]:
        """The names of a text's tokens; with `places`, each with the code points it stands for."""
        given = PlacedText(text, range(len(text))) if places else text
        names: list[str] = super().tokenize(given, **options)
        return names

    def _convert_token_to_id_with_added_voc(self, token: str) -> int:
        found: int = super()._convert_token_to_id_with_added_voc(token)
        if isinstance(token, PlacedText):  # an added token, as the text spells it
            return placed(PlacedId(found), token.span(0, len(token)))
        return placed(PlacedId(found), token.place) if isinstance(token, PlacedName) else found


class WWHOConfig(PreTrainedConfig):  # type: ignore[misc]
    """What AutoTokenizer knows a tokenizer by: there is no model behind it."""

    model_type = "wwho"


# With this module imported, AutoTokenizer.from_pretrained opens what save_pretrained wrote.
AutoTokenizer.register(WWHOConfig, WWHOTokenizer, exist_ok=True)


def names_of_ids(enc: Tokenizer) -> list[str]:
    """A name for each id, used or not, no two the same."""
    info = enc.info
    taken = first_names(info.specials)
    base = free_ids(info.n_base_tokens, info.specials.values())
    sgpe = range(info.first_atom, info.n_vocab)
    for token, text in zip([*sgpe, *base], enc.decode_tokens_bytes([*sgpe, *base]), strict=True):
        name = readable(text)
        while name in taken:
            name += TWIN
        taken[name] = token
    names = [_unused(token) for token in range(info.n_vocab)]
    for name, token in taken.items():
        names[token] = name
    return names


def first_names(specials: Mapping[str, int]) -> dict[str, int]:
    """Special tokens, each id once: of several texts, the one that it decodes to.

    Example:
        >>> first_names({"<a>": 7, "<b>": 7})
        {'<a>': 7}
    """
    names = {token: text for text, token in reversed(list(specials.items()))}
    return {text: token for text, token in specials.items() if names[token] == text}


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


def character_bounds(text: str) -> Sequence[int]:
    """Where each character begins, and where the last one ends: a pair of surrogates is one.

    Example:
        >>> list(character_bounds("a\\ud83d\\ude00b"))
        [0, 1, 3, 4]
    """
    pairs = {pair.start() + 1 for pair in _PAIR.finditer(text)}
    everywhere = range(len(text) + 1)
    return [at for at in everywhere if at not in pairs] if pairs else everywhere


def without_places(ids: list[Any]) -> list[Any]:
    """Ids, or lists of ids, as the plain numbers that they are."""
    return [without_places(each) if isinstance(each, list) else int(each) for each in ids]


def _extra_special_tokens(options: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Special tokens beyond the usual roles, taken from the options: those with names, and others.

    transformers has three names for them, and reads one only where the others are not given.
    """
    named = dict(options.pop("model_specific_special_tokens", None) or {})
    more: list[Any] = []
    for option in ("extra_special_tokens", "additional_special_tokens"):
        found = options.pop(option, None) or []
        if isinstance(found, dict):
            named.update(found)
        else:
            more += found
    return named, more


def _special_token(text: str, given: AddedToken | None) -> AddedToken:
    """A special token of the artifact, with the options that the caller gives it."""
    strips = {name: getattr(given, name, False) for name in ("lstrip", "rstrip", "single_word")}
    return AddedToken(text, special=True, normalized=False, **strips)


def _unused(token: int) -> str:
    return f"<|unused_{token}|>"


def _open(source: str | os.PathLike[str]) -> tuple[Tokenizer, bytes]:
    """The shipped encoding with this name, or the model in this file, and its bytes."""
    if source in list_encoding_names():
        return get_encoding(str(source)), model_bytes(str(source))
    blob = Path(source).read_bytes()
    return Tokenizer.from_bytes(blob), blob
