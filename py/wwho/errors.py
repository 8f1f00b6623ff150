"""Every exception that WWHO raises on purpose.

The tree has two levels: catch `WwhoError` for all of them, or one of the classes below for one
cause. Each class also derives from the built-in exception a caller would expect, so code that
only knows ``ValueError`` or ``KeyError`` keeps working.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class WwhoError(Exception):
    """The base of every error raised by this package."""


class ArtifactError(WwhoError, ValueError):
    """A ``.wwho`` file is damaged, truncated, hostile, or of an unsupported version.

    Attributes:
        status: The named status of the check that failed, for example ``"CHECKSUM"``.
    """

    def __init__(self, message: str, *, status: str = "") -> None:
        """Keep the message and the status.

        Args:
            message: What is wrong, with both values where two disagree, and what to do.
            status: The name of the failed check.
        """
        super().__init__(message)
        self.status = status


class SourceError(WwhoError, ValueError):
    """A file of another library is damaged, or holds what no artifact can.

    Attributes:
        pointer: JSON pointer (RFC 6901) to the offending value; "" is the whole file.
    """

    def __init__(self, message: str, *, pointer: str = "") -> None:
        """Keep the message and the pointer.

        Args:
            message: What was found, what was expected, and what would do.
            pointer: JSON pointer to the offending value.
        """
        super().__init__(message)
        self.pointer = pointer


@contextmanager
def errors_name_file(file: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file before the message of an `ArtifactError` that the block raises.

    The error is raised again with the same status. Other exceptions pass as they are.

    Example:
        >>> with errors_name_file("my.wwho"):
        ...     raise ArtifactError("it is cut short", status="TRUNCATED")
        Traceback (most recent call last):
        wwho.errors.ArtifactError: my.wwho: it is cut short
    """
    try:
        yield
    except ArtifactError as error:
        raise ArtifactError(f"{os.fspath(file)}: {error}", status=error.status) from error


class ExportError(WwhoError, ValueError):
    """A model cannot be expressed in the kind of file that it was to be exported to."""


class BackendTokenizerError(WwhoError, AttributeError):
    """A model cannot be expressed as a `tokenizers.Tokenizer`, so that there is no such attribute.

    `hasattr` is then False, and `getattr` gives its default.
    """


class SamplingError(WwhoError, ValueError):
    """A model cannot draw its tokens as a call asks, or a number of the request is out of range."""


class SchemaError(WwhoError, ValueError):
    """A script schema breaks one of the six conditions, or is not a schema at all.

    Attributes:
        pointer: JSON pointer (RFC 6901) to the offending value; ``""`` is the whole document.
        counterexample: The shortest text that shows the fault, or None where there is none.
        condition: The condition broken (1 to 6), or None for faults outside the six.
    """

    def __init__(
        self,
        message: str,
        *,
        pointer: str = "",
        counterexample: str | None = None,
        condition: int | None = None,
    ) -> None:
        """Keep the message, the pointer, the counterexample and the condition.

        Args:
            message: What is wrong and what to do.
            pointer: JSON pointer to the offending value.
            counterexample: The shortest text that shows the fault.
            condition: The number of the broken condition.
        """
        super().__init__(message)
        self.pointer = pointer
        self.counterexample = counterexample
        self.condition = condition


class PatternError(WwhoError, ValueError):
    """A regular expression or grammar cannot be read, or cannot be compiled to a scanner.

    Attributes:
        position: Offset into the pattern, in code points, or None where no one place is at fault.
        counterexample: The shortest text that shows the fault, or None where there is none.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        counterexample: str | None = None,
    ) -> None:
        """Keep the message, the position and the counterexample.

        Args:
            message: What is wrong and what to do.
            position: Offset into the pattern, in code points.
            counterexample: The shortest text that shows the fault.
        """
        super().__init__(message)
        self.position = position
        self.counterexample = counterexample


class SpecialTokenError(WwhoError, ValueError):
    """The text holds a special token that this call did not allow."""


class _UnknownError(WwhoError, KeyError):
    """A name or an id is not known; the base of the two errors that are also a KeyError."""

    def __str__(self) -> str:
        """Return the message itself; ``KeyError`` would show its repr, in quotes."""
        return str(self.args[0]) if self.args else ""


class UnknownTokenError(_UnknownError):
    """An id is that of no token, or bytes are those of no token."""


class UnknownModelError(_UnknownError):
    """No language model with this name is known."""


class LimitError(WwhoError, ValueError):
    """A part that is not to be cut has more tokens than there may be.

    That is a syllable or a character in a chunk, or the messages of a chat that must stay.
    """


class ChatError(WwhoError, ValueError):
    """A chat, a tool or a usage has something that cannot be counted or priced."""


class CorpusError(WwhoError, ValueError):
    """A training corpus cannot be read, or holds nothing to train on."""


class CountsError(WwhoError, ValueError):
    """Word counts are damaged, are of other text or options, or contain the same text twice."""


class ShardError(WwhoError, ValueError):
    """Shards cannot be written: options do not go together, or the folder holds other work."""


class BackendError(WwhoError, RuntimeError):
    """A backend cannot run here, or cannot do a call, for which a text may be too long."""
