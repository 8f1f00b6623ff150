"""What transformers calls tokens: a string for each id, no two the same.

In models that were imported from a file of Hugging Face, SentencePiece or llama.cpp, a token is
called what it is there, such as `\u0120world` or `##lo`. Elsewhere its name is its text; bytes that
are not UTF-8 are written <0xE0>, and a token that a later model has too ends in U+2581. Ids that
the model does not use have names of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from wwho.backends.backend import Info
from wwho.exporters.tokenizer_json import spelled, vocabulary
from wwho.format.model import Flag
from wwho.format.read import read_artifact
from wwho.tokenizer import Tokenizer

TWIN = "\u2581"


class Names:
    """The names of a model's ids, made when they are first needed, and not pickled."""

    def __init__(self, enc: Tokenizer) -> None:
        """Prepare to name the ids of a model."""
        self._enc = enc

    @cached_property
    def by_id(self) -> list[str]:
        """The name of each id."""
        named = has_names(self._enc.info)
        return names_of_file(self._enc) if named else names_of_ids(self._enc)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id with each name."""
        return {name: token for token, name in enumerate(self.by_id)}

    def __reduce__(self) -> tuple[type[Names], tuple[Tokenizer]]:
        """Copies make their names anew."""
        return Names, (self._enc,)


def has_names(info: Info) -> bool:
    """Whether a model comes from a file in which each token has a name."""
    engine = info.provenance.get("engine", info.provenance.get("pretokenizer", ""))
    return engine.startswith(("tokenizers", "sentencepiece", "llama.cpp"))


def names_of_file(enc: Tokenizer) -> list[str]:
    """The names in the file that a model was imported from; of others, ids without a token."""
    artifact = read_artifact(enc._blob)
    names = list(map(unused, range(artifact.n_vocab)))
    for name, token in vocabulary(artifact, spelled(artifact)).items():
        names[token] = name
    hidden = [token for token in artifact.added if token.flags & Flag.HIDDEN]
    # Of an added token that is found by another form, the file's is hidden; else the first counts.
    for added in (*reversed(artifact.added), *hidden):
        names[added.id] = added.text
    return names


def names_of_ids(enc: Tokenizer) -> list[str]:
    """A name for each id, used or not, no two the same."""
    info = enc.info
    taken = first_names({token.text: token.id for token in info.added})
    numbers = reversed(range(len(info.models)))
    ids = [token for number in numbers for token in info.model_ids(number)]
    for token, text in zip(ids, enc.decode_tokens_bytes(ids), strict=True):
        name = readable(text)
        while name in taken:
            name += TWIN
        taken[name] = token
    names = [unused(token) for token in range(info.n_vocab)]
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


def unused(token: int) -> str:
    """The name of an id that no token has."""
    return f"<|unused_{token}|>"
