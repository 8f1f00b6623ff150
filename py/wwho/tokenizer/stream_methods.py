"""Texts of any length, read in parts, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wwho.errors import BackendError
from wwho.text import Text, Unk, to_bytes
from wwho.tokenizer.open_model import Opened
from wwho.tokenizer.special_tokens import Allowed

PART = 1 << 18
"""Bytes that are worth a call: with more, little is won."""

MOST = 2**31 - 1
"""The longest text that one call takes; an endless word must not fill the memory first."""


class Streaming(Opened):
    """The methods of a tokenizer that read a text in parts."""

    __slots__ = ()

    def encode_stream(
        self,
        parts: Iterable[Text],
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> Iterator[list[int]]:
        """The ids of a text that comes in parts, such as the blocks of a file.

        Tokens of the model's template are never put around it: a text that a model reads whole
        is for `encode`.

        The parts may be cut anywhere, also within a character, if they are bytes. Memory holds some
        256 KB of the text, or more where it has no place at which it may be cut, as in a word of
        that length.

        Args:
            parts: the text; strings must not be cut within a pair of surrogates.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.
            unk: as for `encode`.

        Yields:
            Lists of ids, which joined are those that `encode` gives for the whole text.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            BackendError: 2 GiB are one word, or have no place to be cut for another reason.
            ValueError: as for `encode`.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> [*enc.encode_stream([b"hel", b"lo wor", b"ld"])]
            [[24912, 2375]]
        """
        for ids in self._stream(parts, allowed_special, disallowed_special, unk, count=False):
            assert isinstance(ids, list)
            yield ids

    def count_stream(
        self,
        parts: Iterable[Text],
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> int:
        """How many ids `encode_stream` gives; arguments and errors as there.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").count_stream([b"hel", b"lo wor", b"ld"])
            2
        """
        found = self._stream(parts, allowed_special, disallowed_special, unk, count=True)
        return sum(n for n in found if isinstance(n, int))

    def _stream(
        self,
        parts: Iterable[Text],
        allowed: Allowed,
        disallowed: Allowed | None,
        unk: Unk,
        *,
        count: bool,
    ) -> Iterator[list[int] | int]:
        """The ids of parts that encode as the whole text does, or their numbers."""
        disallowed = self._disallowed if disallowed is None else disallowed
        as_token, specials = self._is_token(unk), self._specials
        # Where one that is not allowed is found, its part is refused: none must be cut.
        mask = specials.mask(specials.named(allowed) | specials.named(disallowed))
        held, wanted, place = bytearray(), PART, 0
        for data, more in _with_end(map(to_bytes, parts)):
            held += data
            if len(held) > MOST:
                raise BackendError(
                    f"more than {MOST} bytes without a place at which they may be cut, as in one "
                    "word: a call takes no more; cut the text yourself"
                )
            if (more and len(held) < wanted) or not held:
                continue
            found, read, place = self._backend.encode_part(held, more, place, mask, as_token, count)
            if read:
                with memoryview(held)[:read] as text:
                    self._mask(text, allowed, disallowed)
                del held[:read]
                yield found
            # Looked through again only when it is twice as long: linear in all.
            wanted = max(PART, 2 * len(held))


def _with_end(parts: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The parts, and whether more follows; the end is an empty part of its own."""
    for part in parts:
        yield part, True
    yield b"", False
