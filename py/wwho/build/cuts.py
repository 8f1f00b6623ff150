"""How the scripts of a model cut texts into units, for texts that are no whole segments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wwho.build.atoms import OTHER
from wwho.build.vocab_json import refusal, shown
from wwho.compile.paper import JOINERS
from wwho.compile.schema import Schema
from wwho.core.run import pieces
from wwho.format.automaton import CompiledScanners

Units = tuple[str, ...]


class Cuts:
    """The units of a text that stands in a segment, from where a unit begins to where one ends."""

    def __init__(self, schemas: Sequence[Schema], scanners: CompiledScanners) -> None:
        """Take the schemas, and what `paper_scanners` made of them."""
        self._scanners = scanners
        automata = scanners.automata[OTHER + 1 :]
        # Texts of a script, with or without a space before them.
        patterns = (re.compile(f" ?{(each.blocks | JOINERS).pattern}+") for each in schemas)
        self._scripts = list(zip(patterns, automata, strict=True))

    def __call__(self, text: str) -> Units | None:
        """The units; None where the text can stand in no segment.

        Raises:
            ArtifactError: it can stand in segments of two scripts, which cut it differently.
        """
        cuts = {
            tuple(text[start:end] for start, end, _ in pieces(self._scanners, automaton, text))
            for pattern, automaton in self._scripts
            if pattern.fullmatch(text)
        }
        if len(cuts) > 1:
            raise refusal(
                f"the schemas cut {shown(text)} differently, {' and '.join(map(str, sorted(cuts)))}"
                "; give schemas that agree about joiners"
            )
        return cuts.pop() if cuts else None
