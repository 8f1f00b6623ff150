"""The edges of the grapheme clusters of a text: characters as a reader sees them (UAX 29)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wwho.format.automaton import CompiledScanners


def cluster_edges(text: str) -> Callable[[int], bool]:
    """Return a function that says whether a place of `text` is an edge of a grapheme cluster.

    The function takes a number of code points, 0 to `len(text)`; both ends are edges. It
    remembers the clusters around the last place, so ask for places in order: all places of a
    text then take linear time, even if the whole text is one cluster.

    Example:
        >>> is_edge = cluster_edges("क्षa")
        >>> [place for place in range(5) if is_edge(place)]
        [0, 3, 4]
    """
    from wwho.reference.scan import matches

    scanners, extending = _cluster_scanner()
    # The edges in text[start:end + 1], which is the run that was scanned last.
    start = end = 0
    edges: set[int] = set()

    def is_edge(place: int) -> bool:
        """Return whether a place, in code points, is an edge; scan its run if that is new."""
        nonlocal start, end, edges
        if place == 0:
            return True
        if not start < place <= end:
            # Scan from the last character that is the same whatever is before it, to the next one
            # after the place.
            start, end = place - 1, place
            while start > 0 and text[start] in extending:
                start -= 1
            while end < len(text) and text[end] in extending:
                end += 1
            run = matches(scanners, scanners.automata[0], text[start : end + 1])
            edges = {start + last for _, last, _ in run}
            # The run was cut here, which makes no edge unless the text ends here.
            edges -= {end + 1} - {len(text)}
        return place in edges

    return is_edge


@cache
def _cluster_scanner() -> tuple[CompiledScanners, frozenset[str]]:
    """Return the scanner that finds clusters, and the characters that may extend a cluster.

    Whether one of these begins a cluster depends on more of what is before it than one character.
    """
    from wwho.compile.grapheme import grapheme_cluster
    from wwho.compile.scanners import Scanner, compile_scanners
    from wwho.compile.unicode import grapheme_break

    scanners = compile_scanners([Scanner("clusters", (grapheme_cluster(),), longest=True)])
    names = ("Extend", "SpacingMark", "ZWJ", "Regional_Indicator")
    return scanners, frozenset(chr(char) for name in names for char in grapheme_break(name))
