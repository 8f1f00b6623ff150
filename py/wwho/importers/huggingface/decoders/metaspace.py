"""Metaspace: markers become spaces; in the first token they go, unless none was put in front.

Options:
    replacement: the marker.
    prepend_scheme: as for the pre-tokenizer; unless it is "never", markers of the first token go.
        If it is not given, "always".
    split, add_prefix_space: options of the pre-tokenizer, which say nothing here.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> options = {"replacement": "_", "prepend_scheme": "always", "split": True}
    >>> decode({"type": "Metaspace", **options}, ["_a", "b", "_c"])
    'ab c'
"""

from __future__ import annotations

from wwho.format.decoder import Replace, Step, Where
from wwho.importers.huggingface.document import Value


def steps(value: Value) -> list[Step]:
    """Return up to two steps: the first token's markers go, and all others become spaces.

    With the prepend_scheme "never", the first token's become spaces, too.
    """
    marker = value.text("replacement")
    found: list[Step] = []
    if value.text("prepend_scheme", "always") != "never":
        found.append(Replace(marker, "", Where.FIRST))
    return [*found, Replace(marker, " ")]
