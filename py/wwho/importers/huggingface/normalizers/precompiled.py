r"""Precompiled: texts become others, as a character map of SentencePiece says.

It goes from grapheme cluster to grapheme cluster. One of fewer than 6 bytes that begins with a text
of the map becomes what stands for the shortest such text, and the rest of it is lost; of all others
each character is looked up alone.

Options:
    precompiled_charsmap: the map in SentencePiece's layout, in base64 (`interchange.charsmap`).

Example:
    >>> from base64 import b64encode
    >>> from wwho.importers.huggingface.examples import normalize
    >>> from wwho.interchange.charsmap import write_charsmap
    >>> data = b64encode(write_charsmap({"\u00bd": "1/2"})).decode()
    >>> normalize({"type": "Precompiled", "precompiled_charsmap": data}, "\u00bd a")
    '1/2 a'
"""

from __future__ import annotations

import base64
import binascii

from wwho.compile.grapheme import grapheme_cluster
from wwho.compile.scanners import Scanner
from wwho.errors import SourceError
from wwho.format.steps import Rewrite, Rules, rules_in_clusters
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.interchange.charsmap import read_charsmap


def steps(value: Value, patterns: Patterns) -> list[Rewrite]:
    """Return the step of the map's rules; none if no rule of the map ever counts.

    Raises:
        SourceError: the map is damaged.
    """
    charsmap = value.at("precompiled_charsmap")
    try:
        data = base64.b64decode(charsmap.be(str), validate=True)
        rules = rules_in_clusters(read_charsmap(data).rules)
    except (binascii.Error, SourceError) as error:
        charsmap.fail(f"it is no charsmap of SentencePiece: {error}")
    clusters = Scanner("grapheme clusters", (grapheme_cluster(),), longest=True)
    return [Rules(rules, clusters=patterns.number(clusters))] if rules else []
