"""What a scanner must never do: match nothing, or find no match at all."""

from __future__ import annotations

from collections.abc import Sequence

from wwho.errors import PatternError

from .automaton import DEAD, END_OF_TEXT, START, Automaton


def refuse_empty(automaton: Automaton, samples: Sequence[str]) -> None:
    """Raise if some match is empty: a run would stand still.

    Args:
        automaton: The automaton to check.
        samples: One character of each column; column 0 has the empty string.

    Raises:
        PatternError: With the shortest text before which nothing is matched.
    """
    for sample, (mark, _) in zip(samples, automaton.table[START], strict=True):
        if mark:
            place = f"before {sample!a}" if sample else "at the end of the text"
            raise PatternError(
                f"scanner {automaton.name!r}: rule {mark - 1} matches the empty string {place}; "
                "make it take at least one character",
                counterexample=sample,
            )


def refuse_stuck(automaton: Automaton, samples: Sequence[str]) -> None:
    """Raise if some text has no match at its start: a run would have to drop it.

    Args:
        automaton: The automaton to check.
        samples: One character of each column; column 0 has the empty string.

    Raises:
        PatternError: With the shortest such text.
    """
    text = _stuck_text(automaton, samples)
    if text is not None:
        raise PatternError(
            f"scanner {automaton.name!r}: no rule matches at the start of {text!a}; "
            "add a last rule that takes any character",
            counterexample=text,
        )


def _stuck_text(automaton: Automaton, samples: Sequence[str]) -> str | None:
    """Walk every path that has seen no mark, shortest texts first, until one ends."""
    queue = [(START, "")]
    met = {START}
    for state, text in queue:  # which grows while it is read
        row = automaton.table[state]
        if text and (state == DEAD or not row[END_OF_TEXT][0]):
            return text
        for sample, (mark, target) in list(zip(samples, row, strict=True))[1:]:
            if not mark and target not in met:
                met.add(target)
                queue.append((target, text + sample))
    return None
