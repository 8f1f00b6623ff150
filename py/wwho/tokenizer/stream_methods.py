"""The methods of `Tokenizer` that read a text in parts, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from wwho.backends.backend import Form
from wwho.backends.parallel import map_stream, processors
from wwho.errors import BackendError
from wwho.text import Text, Unk, to_bytes
from wwho.tokenizer.open_model import OpenModel
from wwho.tokenizer.special_tokens import Allowed

PART_BYTES = 1 << 18
"""How much text is collected for one call of the backend: with more, little is won."""

MAX_WAITING_BYTES = 2**31 - 1
"""The longest text that one call takes; an endless word must not fill the memory first."""


class StreamMethods(OpenModel):
    """The methods of a tokenizer that read a text in parts."""

    __slots__ = ()

    def encode_stream(
        self,
        parts: Iterable[Text],
        *,
        num_threads: int = 1,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> Iterator[list[int]]:
        """Yield the ids of a text that comes in parts, such as the blocks of a file.

        Parts may begin and end anywhere, even within a character if they are bytes: ids are those
        of the whole text. Tokens of the model's template are never put around it.

        Memory holds some 256 KB of the text, or more if that has no place at which it may be cut,
        as in a word of that length. A part is checked for disallowed special tokens before its ids
        are yielded; those of parts before it have been yielded then.

        Args:
            parts: the text in parts; a `str` must not end within a pair of surrogates.
            num_threads: how many threads may share the text; at least 1. There are never more than
                processors. With several, each holds some 512 KB of the text more, and ids come
                later after their text. A model with a normalizer takes one.
            allowed_special: special tokens that the text may spell, or "all".
            disallowed_special: those that are an error in the text, or "all"; see `encode`.
            unk: "spell" or "token": what becomes of unknown syllables; see `encode`.

        Yields:
            Lists of ids, which joined are those that `encode` gives for the whole text. Short
            parts are collected, so that a list is for some 256 KB of text or more, and the last for
            the rest; a list may be empty.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            BackendError: 2 GiB are one word, or have no place to be cut for another reason.
            TypeError: a part is neither `str` nor bytes.
            ValueError: as for `encode`, or `num_threads` is less than 1.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> [*enc.encode_stream([b"hel", b"lo wor", b"ld"])]
            [[24912, 2375]]
        """
        for ids in self._encode_parts(
            parts, num_threads, allowed_special, disallowed_special, unk, "list"
        ):
            assert isinstance(ids, list)
            yield ids

    def count_stream(
        self,
        parts: Iterable[Text],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> int:
        """Return how many ids `encode_stream` yields in all, for the same arguments.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            BackendError: as for `encode_stream`.
            TypeError: as for `encode_stream`.
            ValueError: as for `encode_stream`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").count_stream([b"hel", b"lo wor", b"ld"])
            2
        """
        counts = self._encode_parts(
            parts, num_threads, allowed_special, disallowed_special, unk, "number"
        )
        return sum(n for n in counts if isinstance(n, int))

    def _encode_parts(
        self,
        parts: Iterable[Text],
        num_threads: int,
        allowed: Allowed,
        disallowed: Allowed | None,
        unk: Unk,
        form: Form,
    ) -> Iterator[list[int] | int | bytes]:
        """Yield the ids of a text in parts, in a form.

        Parts are collected until there are `PART_BYTES`, then encoded as far as the text that
        follows cannot change their ids; the rest waits for the next part. Where the core knows safe
        places to cut, the text after the first part is shared out among threads.

        Raises:
            ValueError: `num_threads` is less than 1.
            SpecialTokenError: the text spells a disallowed special token.
            BackendError: more than `MAX_WAITING_BYTES` wait.
        """
        if num_threads < 1:
            raise ValueError(f"num_threads is {num_threads}; it takes at least one")
        threads = min(num_threads, processors())
        disallowed = self._disallowed if disallowed is None else disallowed
        unk_as_token, specials = self._unk_as_token(unk), self._specials
        # Disallowed tokens are found, too, so that the text is never cut within one. Their ids are
        # not yielded: the check below raises before that.
        mask = specials.mask(specials.texts_of(allowed) | specials.texts_of(disallowed))
        waiting, wanted, place = bytearray(), PART_BYTES, 0
        source: Iterator[bytes] = map(to_bytes, parts)
        if threads > 1:
            source = _short_parts(source)

        def encode_piece(piece: bytes) -> list[int] | int | bytes:
            """Return the ids of a piece that is not the first of the text, in the form."""
            self._checked_mask(piece, allowed, disallowed)
            return self._backend.encode_part(piece, False, place, mask, unk_as_token, form)[0]

        for part, more in _with_end(source):
            waiting += part
            if len(waiting) > MAX_WAITING_BYTES:
                raise BackendError(
                    f"more than {MAX_WAITING_BYTES} bytes without a place at which they may be "
                    "cut, as in one word: a call takes no more; cut the text yourself"
                )
            if (more and len(waiting) < wanted) or not waiting:
                continue
            ids, n_read, place = self._backend.encode_part(
                waiting, more, place, mask, unk_as_token, form
            )
            if n_read:
                with memoryview(waiting)[:n_read] as text:
                    self._checked_mask(text, allowed, disallowed)
                del waiting[:n_read]
                yield ids
            # Now `place` says that the text goes on, as it does for every piece.
            if threads > 1 and n_read and more:
                pieces = self._safe_pieces(source, waiting, mask)
                if (first := next(pieces, None)) is None:
                    threads = 1  # the text ends, or the core knows no safe places
                else:
                    yield from map_stream(encode_piece, chain([first], pieces), threads)
            # What still waits is looked through again only when there is twice as much of it, so
            # that all of the text takes linear time.
            wanted = max(PART_BYTES, 2 * len(waiting))

    def _safe_pieces(
        self, source: Iterator[bytes], waiting: bytearray, mask: bytes | None
    ) -> Iterator[bytes]:
        """Yield pieces of a text that can be encoded apart, until the next one cannot be cut off.

        Args:
            source: the text in parts, which are taken from it.
            waiting: the text before those of `source`, which begins at a safe place. Changed in
                place: at the end, it is what was taken from `source` and not yielded.
            mask: the special tokens that are found in the text.
        """
        for part in source:
            waiting += part
            if len(waiting) < PART_BYTES:
                continue
            n = self._backend.safe_cut(waiting, mask)
            if not n:
                return
            with memoryview(waiting)[:n] as text:
                piece = bytes(text)
            del waiting[:n]
            yield piece


def _short_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text that comes in parts in parts of at most `PART_BYTES`, none of them empty."""
    for part in parts:
        for start in range(0, len(part), PART_BYTES):
            yield part[start : start + PART_BYTES]


def _with_end(parts: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield each part with True, as more follows, and at the end an empty part with False."""
    for part in parts:
        yield part, True
    yield b"", False
