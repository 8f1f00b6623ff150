"""Progress bars with rate and time left, where they are wanted and tqdm is there to draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], object]
"""Takes how much was done since the last call."""


def ignore(done: int) -> None:
    """Show no progress."""


class Progress:
    """The progress of one run: one bar after another, on standard error."""

    def __init__(self, shown: bool) -> None:
        """Show bars, or none."""
        self._shown = shown

    @contextmanager
    def stage(
        self, name: str | None, total: int | None, *, unit: str, leave: bool = True
    ) -> Iterator[Advance]:
        """One bar.

        Args:
            name: what is being done; None where that is plain.
            total: how much there is to do; None where nobody knows.
            unit: of what.
            leave: whether the bar stays when all is done.
        """
        try:
            from tqdm import tqdm
        except ImportError:
            self._shown = False
        if not self._shown:
            yield ignore
            return
        with tqdm(desc=name, total=total, unit=unit, unit_scale=True, leave=leave) as bar:
            yield bar.update
