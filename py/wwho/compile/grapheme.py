"""The pattern of extended grapheme clusters: what readers take for one character.

The rules are those of UAX #29 for `UNICODE_VERSION`, GB9c (the conjuncts of six Indic scripts)
included, in the form of its table 1c. A text that is cut by the longest matches of the pattern is
cut exactly where the rules allow a boundary.
"""

from __future__ import annotations

from functools import cache

from wwho.compile.codepoints import CodePointSet
from wwho.compile.parse import parse_grammar
from wwho.compile.syntax import Node
from wwho.compile.unicode import conjunct_break, extended_pictographic, grapheme_break

CLUSTER = """
    CR LF | Break
  | Prepend* ( L* (V+ | LV V* | LVT) T* | L+ | T+
             | RI RI
             | Pictograph (Extend* ZWJ Pictograph)*
             | Consonant (Joining* Linker Joining* Consonant)+
             | Other
             ) (Extend | ZWJ | SpacingMark)*
"""


@cache
def grapheme_cluster() -> Node:
    """Return the syntax tree of one cluster, for a scanner that takes the longest match.

    The same object is returned each time.

    Example:
        >>> from wwho.compile.scanners import Scanner, compile_scanners
        >>> from wwho.reference.scan import matches
        >>> clusters = compile_scanners([Scanner("clusters", (grapheme_cluster(),), longest=True)])
        >>> text = "क्षमा 🇱🇰🇮🇳"
        >>> [text[start:end] for start, end, _ in matches(clusters, clusters.automata[0], text)]
        ['क्ष', 'मा', ' ', '🇱🇰', '🇮🇳']
    """
    names = ("CR", "LF", "Prepend", "L", "V", "T", "LV", "LVT", "Extend", "ZWJ", "SpacingMark")
    breaks = grapheme_break("Control") | CodePointSet.of("\r", "\n")
    linker = conjunct_break("Linker")
    classes = {
        **{name: grapheme_break(name) for name in names},
        "Break": breaks,
        "RI": grapheme_break("Regional_Indicator"),
        "Pictograph": extended_pictographic(),
        "Consonant": conjunct_break("Consonant"),
        "Linker": linker,
        "Joining": conjunct_break("Extend") | linker,
        "Other": ~breaks,
    }
    return parse_grammar(CLUSTER, classes)
