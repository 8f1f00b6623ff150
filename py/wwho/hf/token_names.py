"""The names that transformers gives tokens: a string for each id, no two the same.

In models that were imported from a file of Hugging Face, SentencePiece or llama.cpp, a token is
called what it is there, such as `\u0120world` or `##lo`. Elsewhere its name is its text; bytes that
are not UTF-8 are written <0xE0>, and a token that a later model has too ends in U+2581. Ids that
the model does not use have names of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from wwho.backends.backend import Info
from wwho.exporters.tokenizer_json import token_texts, vocabulary
from wwho.format.model import Flag
from wwho.format.read import read_artifact
from wwho.hf.open_model import recorded_class, runs_in_python
from wwho.importers.transformers.byte_ids import LETTERS
from wwho.importers.transformers.byte_ids import RECIPES as BYTE_CLASSES
from wwho.tokenizer import Tokenizer

TWIN_SUFFIX = "\u2581"
"""The end of a token's name if an added token, or one of a later model, has the same text."""


class TokenNames:
    """The names of a model's ids, made when they are first needed, and not pickled."""

    def __init__(self, enc: Tokenizer) -> None:
        """Take a model; its ids are named later."""
        self._enc = enc

    @cached_property
    def by_id(self) -> list[str]:
        """The name of each id, used or not; the index is the id."""
        if comes_with_names(self._enc.info):
            return names_of_file(self._enc)
        return names_from_texts(self._enc)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of each name."""
        return {name: token for token, name in enumerate(self.by_id)}

    def __reduce__(self) -> tuple[type[TokenNames], tuple[Tokenizer]]:
        """Pickle the model alone: a copy makes its names anew."""
        return TokenNames, (self._enc,)


def comes_with_names(info: Info) -> bool:
    """Return whether a model was imported from a file in which each token has a name.

    Those are files of Hugging Face's `tokenizers`, SentencePiece and llama.cpp.
    """
    engine = info.provenance.get("engine", info.provenance.get("pretokenizer", ""))
    return engine.startswith(("tokenizers", "sentencepiece", "llama.cpp"))


def names_of_file(enc: Tokenizer) -> list[str]:
    """Return the name of each id as the file has it that a model was imported from.

    An added token goes before a token of the model with its id. Ids without a token have the name
    of `unused_name`.
    """
    artifact = read_artifact(enc._blob)
    names = list(map(unused_name, range(artifact.n_vocab)))
    for name, token in vocabulary(artifact, token_texts(artifact)).items():
        names[token] = name
    if recorded_class(enc.info) in BYTE_CLASSES:
        # These classes call a byte by the character of its number, and not by its letter.
        characters = {letter: chr(byte) for byte, letter in enumerate(LETTERS)}
        names = [characters.get(name, name) for name in names]
    if runs_in_python(enc.info) and artifact.decoder is not None:
        # The class's own names are those that its decoder joins.
        suffix = getattr(artifact.models[0], "suffix", "")
        names = [name.removesuffix(suffix) for name in names]
        for token, text in artifact.decoder.surfaces.items():
            names[token] = text.decode("utf-8", "replace")
    # Of several added tokens with one id, the first counts; but if a token is found by its
    # normalized form, its name in the file is the hidden text.
    hidden = [token for token in artifact.added if token.flags & Flag.HIDDEN]
    for added in (*reversed(artifact.added), *hidden):
        names[added.id] = added.text
    return names


def names_from_texts(enc: Tokenizer) -> list[str]:
    """Return a name for each id, used or not, made of the tokens' texts.

    Added tokens have theirs first, then the tokens of the last model, and so on: a name that is
    taken gets `TWIN_SUFFIX`, as often as needed.
    """
    info = enc.info
    ids_by_name = names_that_decode({token.text: token.id for token in info.added})
    numbers = reversed(range(len(info.models)))
    ids = [token for number in numbers for token in info.model_ids(number)]
    for token, text in zip(ids, enc.decode_tokens_bytes(ids), strict=True):
        name = readable_name(text)
        while name in ids_by_name:
            name += TWIN_SUFFIX
        ids_by_name[name] = token
    names = [unused_name(token) for token in range(info.n_vocab)]
    for name, token in ids_by_name.items():
        names[token] = name
    return names


def names_that_decode(ids_by_text: Mapping[str, int]) -> dict[str, int]:
    """Return added tokens with one text for each id: the first, which is what the id decodes to.

    Example:
        >>> names_that_decode({"<a>": 7, "<b>": 7})
        {'<a>': 7}
    """
    first_texts = {token: text for text, token in reversed(list(ids_by_text.items()))}
    return {text: token for text, token in ids_by_text.items() if first_texts[token] == text}


def readable_name(text: bytes) -> str:
    """Return the text of a token, or its bytes in hexadecimal if they are not UTF-8.

    Example:
        >>> readable_name(" කා".encode()), readable_name(bytes([0xE0, 0xB6]))
        (' කා', '<0xE0><0xB6>')
    """
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in text)


def unused_name(token: int) -> str:
    """Return the name of an id that no token has, such as `<|unused_7|>`."""
    return f"<|unused_{token}|>"
