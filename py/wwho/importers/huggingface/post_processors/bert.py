"""BertProcessing: a token before the first text, and one after each text.

Options:
    cls: the token before, as a text and its id.
    sep: the token after.

Example:
    >>> from wwho.importers.huggingface.examples import process
    >>> bert = {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]}
    >>> process(bert, [7], [8])
    [0, 7, 1, 8, 1]
"""

from __future__ import annotations

from wwho.format.template import Place, What
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.post_processors.parts import Ids, Parts, Process, known_id
from wwho.importers.source import shown


def process(value: Value, ids: Ids) -> Process:
    """Return a function that puts the tokens around the parts; the second `sep` has the type 1.

    Raises:
        SourceError: a token is no text and id, or no token has that id.
    """
    sep, cls = (read_token(value, option, ids) for option in ("sep", "cls"))

    def surround(parts: Parts) -> Parts:
        return [
            (*part, sep._replace(type_id=1)) if number else (cls, *part, sep)
            for number, part in enumerate(parts)
        ]

    return surround


def read_token(value: Value, option: str, ids: Ids) -> Place:
    """Return the place of a token that an option names by text and id; its type is 0.

    Raises:
        SourceError: the option is something else, or no token has that id.
    """
    pair = value.at(option)
    raw = pair.be(list)
    if len(raw) != 2 or not isinstance(raw[0], str) or not isinstance(raw[1], int):
        pair.fail(f"found {shown(raw)}, expected a text and an id")
    return Place(What.ID, 0, known_id(pair, raw[1], ids.values()))
