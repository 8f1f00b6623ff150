"""RobertaProcessing: a token before and after the first text, two around the second; trims offsets.

Options:
    cls: the token before the first text, as a text and its id.
    sep: the token after each text, and before the second one.
    trim_offsets, add_prefix_space: as for ByteLevel.

Example:
    >>> from wwho.importers.huggingface.examples import process
    >>> options = {"trim_offsets": False, "add_prefix_space": False}
    >>> roberta = {"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0], **options}
    >>> process(roberta, [7], [8])
    [0, 7, 1, 1, 8, 1]
"""

from __future__ import annotations

from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.post_processors.bert import read_token
from wwho.importers.huggingface.post_processors.byte_level import trim
from wwho.importers.huggingface.post_processors.parts import Ids, Parts, Process


def process(value: Value, ids: Ids) -> Process:
    """Return a function that puts the tokens around the parts, all of which get the type 0.

    Raises:
        SourceError: a token is no text and id, or no token has that id.
    """
    sep, cls = (read_token(value, option, ids) for option in ("sep", "cls"))

    def surround(parts: Parts) -> Parts:
        return [
            (sep if number else cls, *(place._replace(type_id=0) for place in part), sep)
            for number, part in enumerate(trim(value, parts))
        ]

    return surround
