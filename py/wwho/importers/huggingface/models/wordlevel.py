"""WordLevel: a piece is a token as a whole, or it is unknown.

Options:
    vocab: the tokens: text to id.
    unk_token: what stands for an unknown piece.

Example:
    >>> from wwho.importers.huggingface.examples import tokenize
    >>> tokenize({"type": "WordLevel", "vocab": {"ab": 0, "?": 1}, "unk_token": "?"}, "abc")
    [1]
"""

from __future__ import annotations

from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.models.vocabulary import (
    Around,
    Vocabulary,
    check_length,
    read_vocab,
)
from wwho.importers.huggingface.models.wordpiece import longest_match


def read(value: Value, _: Around) -> Vocabulary:
    """Return the `Vocabulary` of a WordLevel, the member "model" of a file.

    Its model is a longest match in which no token continues another; an empty token only decodes.

    Raises:
        SourceError: an option has no valid value, or no token is one that a text may become.
    """
    vocab = read_vocab(value.at("vocab"))
    place = value.at("vocab")
    texts = {check_length(place, text): number for text, number in vocab.items() if text}
    return Vocabulary(longest_match(value, texts, {}, vocab, value.text("unk_token"), None), vocab)
