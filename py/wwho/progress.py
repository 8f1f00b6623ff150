"""Progress bars with rate and time left, if they are wanted and tqdm is installed to draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], object]
"""A function that moves a bar on; it takes how much was done since the last call, not in all."""


def ignore(done: int) -> None:
    """Do nothing: the `Advance` for work whose progress nobody watches."""


class Progress:
    """The progress bars of one run, one after another, on standard error."""

    def __init__(self, shown: bool) -> None:
        """Say whether bars are shown; without tqdm, none are."""
        self._shown = shown

    @contextmanager
    def bar(
        self, name: str | None, total: int | None, *, unit: str, leave: bool = True
    ) -> Iterator[Advance]:
        """Show a bar while the block runs, and give the block the function that moves it on.

        If no bars are shown, the function does nothing.

        Args:
            name: what is being done, shown before the bar; None for nothing.
            total: how much there is to do; None if nobody knows.
            unit: what is counted, such as "B" for bytes; shown after the numbers, which get K, M
                and so on.
            leave: whether the bar stays on the screen when the block has ended.
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
