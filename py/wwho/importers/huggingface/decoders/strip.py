"""Strip: a character goes from the ends of each token, up to so many times.

Options:
    content: the character.
    start: how many times it may go at the start.
    stop: how many times it may go at the end.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "Strip", "content": "_", "start": 1, "stop": 0}, ["__a_", "b"])
    '_a_b'
"""

from __future__ import annotations

from wwho.format.decoder import Step
from wwho.format.decoder import Strip as StripStep
from wwho.importers.huggingface.document import Value
from wwho.importers.source import shown

MOST = 255


def steps(value: Value) -> list[Step]:
    """Return the step.

    Raises:
        SourceError: a number is out of range.
    """
    for option in ("start", "stop"):
        if not 0 <= value.number(option) <= MOST:
            value.at(option).fail(f"found {shown(value.raw[option])}, expected 0 to {MOST}")
    return [StripStep(value.text("content"), value.number("start"), value.number("stop"))]
