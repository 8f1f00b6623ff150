"""Many texts in one call: the part of a tokenizer that works on batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING

from wwho.backends.backend import Placed
from wwho.format.template import BYTES, SPACE, Spaced, What, byte_spaces, spaces, trimmed
from wwho.text import Text, Unk, all_bytes, characters
from wwho.tokenizer.open_model import Opened
from wwho.tokenizer.special_tokens import Allowed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TEXTS = (What.FIRST, What.SECOND)


class Batches(Opened):
    """The methods of a tokenizer that take several texts, which threads share."""

    __slots__ = ()

    def encode_batch(
        self,
        text: Iterable[Text],
        pairs: Iterable[Text] | None = None,
        *,
        num_threads: int = 8,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> list[list[int]]:
        """The ids of each of several texts.

        Args:
            text: the texts.
            pairs: a second text for each, as `pair` of `encode`.
            num_threads: how many threads share them, where there are as many processors.
            add_special_tokens: as for `encode`.
            allowed_special: as for `encode`.
            disallowed_special: as for `encode`.
            unk: as for `encode`.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.
            ValueError: there are more or fewer pairs than texts, or as for `encode`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_batch(["hello world", "goodbye world"])
            [[24912, 2375], [30744, 43571, 2375]]
        """
        texts, mask = self._prepare_batch(text, allowed_special, disallowed_special, pairs)
        rows = self._backend.encode_batch(texts, mask, self._is_token(unk), num_threads)
        if pairs is None and not add_special_tokens:
            return rows
        firsts, seconds = (rows, repeat(None)) if pairs is None else (rows[::2], rows[1::2])
        return [
            self._template.ids(first, second, add_special_tokens=add_special_tokens)
            for first, second in zip(firsts, seconds, strict=False)
        ]

    def encode_ordinary_batch(
        self, text: Iterable[Text], *, num_threads: int = 8
    ) -> list[list[int]]:
        """The ids of each of several texts in which nothing is special.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_ordinary_batch([b"hello world", ""])
            [[24912, 2375], []]
        """
        return self._backend.encode_batch(_listed(text), None, False, num_threads)

    def encode_batch_to_numpy(
        self,
        text: Iterable[Text],
        pairs: Iterable[Text] | None = None,
        *,
        num_threads: int = 8,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """The ids of several texts as one array, and where each text's begin.

        This is the quickest way to encode many texts; arguments and errors as for `encode_batch`.
        The arrays are an Arrow list without its wrapping:
        `pyarrow.LargeListArray.from_arrays(starts, ids)` copies nothing.

        Returns:
            The ids of all texts, and starts, one more than texts: the ids of text k are
            `ids[starts[k]:starts[k + 1]]`.

        Raises:
            ImportError: numpy is not installed.
            SpecialTokenError: a text spells a disallowed special token.

        Example:
            >>> import numpy as np
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> ids, starts = enc.encode_batch_to_numpy(["hello world", "goodbye world"])
            >>> ids.tolist(), starts.tolist()
            ([24912, 2375, 30744, 43571, 2375], [0, 2, 5])
            >>> lengths = np.diff(starts)
            >>> padded = np.full((len(lengths), lengths.max()), enc.eot_token)
            >>> padded[np.arange(lengths.max()) < lengths[:, None]] = ids
            >>> padded.tolist()
            [[24912, 2375, 199999], [30744, 43571, 2375]]
        """
        import numpy as np

        texts, mask = self._prepare_batch(text, allowed_special, disallowed_special, pairs)
        unknown = self._is_token(unk)
        packed, begins = self._backend.encode_batch_packed(texts, mask, unknown, num_threads)
        ids, starts = np.frombuffer(packed, np.uint32), np.frombuffer(begins, np.int64)
        if pairs is None and not add_special_tokens:
            return ids, starts
        places = self._template.places(pairs is not None, add_special_tokens)
        size = 1 if pairs is None else 2
        # A row for each sample, a column for each place: where in `source` its ids begin, how many.
        begin = np.empty((len(texts) // size, len(places)), np.int64)
        length = np.ones_like(begin)
        for k, place in enumerate(places):
            if place.what is What.ID:
                begin[:, k] = len(ids) + k
            else:
                number = place.what - What.FIRST
                begin[:, k] = starts[number:-1:size]
                length[:, k] = np.diff(starts)[number::size]
        source = np.append(ids, np.array([place.id for place in places], np.uint32))
        moved = begin.ravel() - length.cumsum() + length.ravel()
        found = source[np.repeat(moved, length.ravel()) + np.arange(length.sum())]
        return found, np.append(0, length.sum(axis=1).cumsum())

    def encode_batch_with_offsets(
        self,
        text: Iterable[Text],
        pairs: Iterable[Text] | None = None,
        *,
        num_threads: int = 8,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """What `encode_with_offsets` gives, for each of several texts or pairs of texts.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_batch_with_offsets(["hello world", "a"])
            [([24912, 2375], [(0, 5), (5, 11)]), ([64], [(0, 1)])]
        """
        given, mask = self._prepare_batch(text, allowed_special, disallowed_special, pairs)
        texts = all_bytes(given)
        unknown, size = self._is_token(unk), 1 if pairs is None else 2
        rows = self._backend.encode_batch_with_offsets(texts, mask, unknown, num_threads)
        return [
            self._placed(texts[k : k + size], rows[k : k + size], add_special_tokens)
            for k in range(0, len(texts), size)
        ]

    def count_batch(
        self,
        text: Iterable[Text],
        pairs: Iterable[Text] | None = None,
        *,
        num_threads: int = 8,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> list[int]:
        """How many tokens each of several texts has; arguments and errors as for `encode_batch`.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").count_batch(["hello world", "goodbye world"])
            [2, 3]
        """
        texts, mask = self._prepare_batch(text, allowed_special, disallowed_special, pairs)
        counts = self._backend.count_batch(texts, mask, self._is_token(unk), num_threads)
        if pairs is not None:
            counts = [*map(add, counts[::2], counts[1::2])]
        n = self._template.n_special(pairs is not None, add_special_tokens)
        return [n + count for count in counts]

    def _placed(
        self, texts: Sequence[bytes], rows: Sequence[Placed], add_special_tokens: bool
    ) -> Placed:
        """The tokens of one text or two, and where they stand, with those of the template."""
        found, pair = [], len(texts) > 1
        for what, text, (ids, places) in zip(TEXTS, texts, rows, strict=False):
            if trim := self._template.trim(what, pair):
                places = trimmed(self._spaced(text, ids, places, trim), trim, add_special_tokens)
            found.append((ids, places))
        if not pair and not add_special_tokens:
            return found[0]
        first, second = (list(zip(*row, strict=True)) for row in (found[0], found[-1]))
        around = self._template.fill(
            first, second if pair else None, lambda p: (p.id, (0, 0)), add_special_tokens
        )
        items = [item for _, item in around]
        return [token for token, _ in items], [place for _, place in items]

    def _spaced(
        self, text: bytes, ids: Sequence[int], places: Sequence[tuple[int, int]], trim: int
    ) -> list[Spaced]:
        """The tokens of a text with the white space at their ends."""
        known = dict.fromkeys(ids)
        names = dict(zip(known, self._backend.tokens_bytes([*known]), strict=True))
        ends = {
            token: byte_spaces(name or b"") if trim & BYTES else spaces(characters(name or b""))
            for token, name in names.items()
        }
        info = self._backend.info
        unknown = {model.unk_id for model in info.models if model.kind == "viterbi"}
        added = {token.id: token.text.strip(SPACE) for token in info.added if token.id in known}
        read = characters(text) if added or unknown & known.keys() else ""

        def counted(token: int, start: int, end: int) -> tuple[int, int]:
            # A model's token may have the id of an added one: of what is unknown, mostly.
            found = read[start:end]
            matched = token in unknown or added.get(token) == found.strip(SPACE)
            return spaces(found) if matched else ends[token]

        return [
            Spaced(*place, *counted(token, *place))
            for token, place in zip(ids, places, strict=True)
        ]

    def _prepare_batch(
        self,
        texts: Iterable[Text],
        allowed: Allowed,
        disallowed: Allowed | None,
        pairs: Iterable[Text] | None = None,
    ) -> tuple[Sequence[Text], bytes | None]:
        """Several texts, each before its pair, and the mask of allowed specials."""
        data = _listed(texts)
        if pairs is not None:
            seconds = _listed(pairs)
            if len(seconds) != len(data):
                raise ValueError(f"{len(data)} texts have {len(seconds)} pairs; give one for each")
            data = [each for sample in zip(data, seconds, strict=True) for each in sample]
        checked = self._disallowed if disallowed is None else disallowed
        if not checked:
            return data, self._mask(b"", allowed, checked)
        data = found = all_bytes(data)
        # No special token has a byte that is not UTF-8: none is found across two texts.
        return data, self._mask(b"\xff".join(found), allowed, checked)


def _listed(texts: Iterable[Text]) -> Sequence[Text]:
    """Several texts, of which threads may make bytes: a `str` of another class is asked here."""
    texts = list(texts)
    return texts if {*map(type, texts)} <= {str, bytes} else all_bytes(texts)
