"""A place in a pattern, and the errors that point at it."""

from __future__ import annotations

from wwho.errors import PatternError


class Cursor:
    """Reads a pattern from left to right.

    Attributes:
        text: The whole pattern.
        position: Offset of the next character, in code points.
    """

    def __init__(self, text: str) -> None:
        """Start at the beginning of `text`."""
        self.text = text
        self.position = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.text)

    def peek(self, width: int = 1) -> str:
        """Return up to `width` next characters without taking them."""
        return self.text[self.position : self.position + width]

    def take(self, literal: str) -> bool:
        """Take `literal` if it comes next; tell whether it did."""
        if not self.text.startswith(literal, self.position):
            return False
        self.position += len(literal)
        return True

    def next(self, expected: str) -> str:
        """Take one character.

        Args:
            expected: What the pattern should go on with, for the error message.

        Raises:
            PatternError: If the pattern ends here.
        """
        if self.done:
            raise self.error(f"the pattern ends where {expected} should follow")
        self.position += 1
        return self.text[self.position - 1]

    def until(self, end: str, what: str) -> str:
        """Take everything up to `end`, and `end` too; return what stood before it."""
        stop = self.text.find(end, self.position)
        if stop < 0:
            raise self.error(f"{what} is never closed; add {end!r}")
        body = self.text[self.position : stop]
        self.position = stop + len(end)
        return body

    def error(self, message: str, at: int | None = None) -> PatternError:
        """Build, but do not raise, an error that points into the pattern.

        Args:
            message: What is wrong and what to do.
            at: Offset of the fault; the current position by default.
        """
        position = self.position if at is None else at
        return PatternError(f"at position {position}: {message}", position=position)
