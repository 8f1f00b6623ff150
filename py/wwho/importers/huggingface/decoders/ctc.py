"""CTC: of neighbouring equal tokens one is left, and tokens that stand for nothing go.

Options:
    pad_token: the token that stands for nothing; the empty text for none.
    word_delimiter_token: what becomes a space, if `cleanup` is true.
    cleanup: whether spaces before punctuation go, as for WordPiece, and delimiters become spaces.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> options = {"pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}
    >>> decode({"type": "CTC", **options}, ["<pad>", "h", "h", "i", "|", "i", "<pad>", "i"])
    'hi ii'
"""

from __future__ import annotations

from wwho.format.decoder import Replace, Some, Step, Unique
from wwho.importers.huggingface.decoders.bpe import not_empty
from wwho.importers.huggingface.decoders.wordpiece import clean_up
from wwho.importers.huggingface.document import Value


def steps(value: Value) -> list[Step]:
    """Return the steps: equal tokens, the token for nothing, the cleaning up, empty tokens.

    Raises:
        SourceError: the delimiter is empty, and would become a space.
    """
    pad, delimiter = value.text("pad_token"), value.text("word_delimiter_token")
    found: list[Step] = [Unique()]
    if pad:
        found.append(Replace(pad, ""))
    if value.flag("cleanup"):
        not_empty(value, "word_delimiter_token")
        found += [*clean_up(), Replace(delimiter, " ")]
    return [*found, Some()]
