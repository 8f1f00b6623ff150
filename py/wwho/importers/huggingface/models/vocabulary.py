"""What a model of `tokenizers` becomes: an artifact's model, and tokens without a place in it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from wwho.compile.syntax import Node
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Model
from wwho.importers.huggingface.document import Value
from wwho.importers.source import shown


@dataclass(frozen=True)
class Around:
    """The facts of the rest of a tokenizer that its model depends on.

    Attributes:
        added: the added tokens: text to id.
        special: the texts of the added tokens that are special.
        spelled: whether steps write all of a text in the characters that stand for bytes, so that
            the model never sees another one.
        normalized: whether a normalizer changes texts.
    """

    added: Mapping[str, int] = field(default_factory=dict)
    special: Set[str] = frozenset()
    spelled: bool = False
    normalized: bool = False


@dataclass(frozen=True)
class Vocabulary:
    """A model of an artifact, as it was read from a file.

    Attributes:
        model: the model.
        ids: all tokens of the file: text to id.
        hidden: tokens that no text becomes, but that decode: text to id.
        units: the pattern of a symbol of a BPE; None for a model of another kind.
        continuing: what stands before the tokens of the file that continue a word; the model's
            texts are without it.
        notes: what a user should know of it.
    """

    model: Model
    ids: Mapping[str, int]
    hidden: Mapping[str, int] = field(default_factory=dict)
    units: Node | None = None
    continuing: str = ""
    notes: tuple[str, ...] = ()


def read_vocab(value: Value) -> dict[str, int]:
    """Return the tokens of a member "vocab" that is an object: text to id.

    Raises:
        SourceError: an id is no number, is out of range, or belongs to two tokens.
    """
    vocab = value.be(dict)
    owners: dict[int, str] = {}
    for text, number in vocab.items():
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < MAX_IDS:
            value.at(text).fail(f"found {shown(number)}, expected an id, 0 to {MAX_IDS - 1}")
        if number in owners:
            value.at(text).fail(f"the id {number} is that of {shown(owners[number])}, too")
        owners[number] = text
    return dict(vocab)


def check_length(value: Value, text: str, most: int = MAX_TOKEN_BYTES) -> bytes:
    """Return the bytes of a token, after checking how many they are.

    Args:
        value: the vocabulary, which the message names.
        text: the token.
        most: how many bytes it may have.

    Raises:
        SourceError: it has more.
    """
    data = text.encode("utf-8")
    if len(data) > most:
        value.fail(f"a token of {len(data)} bytes; {most} are possible: {shown(text)}")
    return data
