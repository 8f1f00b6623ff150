r"""Strip: white space at the beginning and at the end of a text goes.

Options:
    strip_left: whether it goes at the beginning.
    strip_right: whether it goes at the end.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> normalize({"type": "Strip", "strip_left": True, "strip_right": False}, " \t a ")
    'a '
"""

from __future__ import annotations

from wwho.compile.unicode import white_space
from wwho.format.steps import Ends, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns


def steps(value: Value, _: Patterns) -> list[Rewrite]:
    """Return the step that strips white space; none if both options are false."""
    left, right = value.flag("strip_left"), value.flag("strip_right")
    spaces = "".join(map(chr, white_space()))
    return [Ends(strip=spaces, left=left, right=right)] if left or right else []
