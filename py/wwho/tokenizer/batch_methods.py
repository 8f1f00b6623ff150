"""The methods of `Tokenizer` that take many texts in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING

from wwho.backends.backend import IdsWithOffsets
from wwho.format.template import BYTES, SPACE, Spaced, What, byte_spaces, spaces, trimmed
from wwho.sampling import Sample
from wwho.text import Text, Unk, all_bytes, characters, offsets_in_str
from wwho.tokenizer.open_model import OpenModel
from wwho.tokenizer.special_tokens import Allowed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BOTH_TEXTS = (What.FIRST, What.SECOND)


class BatchMethods(OpenModel):
    """The methods of a tokenizer that take several texts, and share them out among threads."""

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
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> list[list[int]]:
        """Return the ids of each of several texts, or pairs of texts, in their order.

        Args:
            text: the texts.
            pairs: a second text for each, as `pair` of `encode`.
            num_threads: how many threads may share the texts; at least 1. There are never more
                than processors, and a small batch is done in the calling thread.
            add_special_tokens: whether the model's template puts special tokens around the texts.
            allowed_special: special tokens that the texts may spell, or "all".
            disallowed_special: those that are an error in the text, or "all"; see `encode`.
            unk: "spell" or "token": what becomes of unknown syllables; see `encode`.
            dropout: the probability that a merge is skipped; see `encode`.
            sample: alpha and n_best of a Unigram model; see `encode`.
            seed: what is drawn comes from it and from the number of each text in the batch (of
                pairs, each text counts), however many threads there are. The first text gets what
                `encode` draws.

        Raises:
            SamplingError: as for `encode`.
            SpecialTokenError: a text spells a disallowed special token; then nothing is encoded.
            TypeError: a text is neither `str` nor bytes.
            ValueError: there are more or fewer pairs than texts, `num_threads` is less than 1, or
                as for `encode`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_batch(["hello world", "goodbye world"])
            [[24912, 2375], [30744, 43571, 2375]]
        """
        texts, mask = self._texts_and_mask(text, allowed_special, disallowed_special, pairs)
        unk_as_token = self._unk_as_token(unk)
        sampling = self._sampling(dropout, sample, seed)
        if sampling is None:
            rows = self._backend.encode_batch(texts, mask, unk_as_token, num_threads)
        else:
            rows = self._backend.sample_batch(texts, mask, unk_as_token, num_threads, sampling)
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
        """Return the ids of each of several texts, in which special tokens are ordinary text.

        Added tokens that are not special are found, as in `encode_ordinary`.

        Args:
            text: the texts.
            num_threads: as for `encode_batch`.

        Raises:
            TypeError: a text is neither `str` nor bytes.
            ValueError: `num_threads` is less than 1.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_ordinary_batch([b"hello world", ""])
            [[24912, 2375], []]
        """
        return self._backend.encode_batch(list(text), None, False, num_threads)

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
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the ids of several texts as one array, and where those of each text begin in it.

        This is the quickest way to encode many texts. The arguments are those of `encode_batch`.
        The arrays are an Arrow list without its wrapping:
        `pyarrow.LargeListArray.from_arrays(starts, ids)` copies nothing.

        Returns:
            ids: uint32, those of all texts (or pairs) one after another.
            starts: int64, one more than there are texts (or pairs): the ids of number k are
            `ids[starts[k]:starts[k + 1]]`.

        Raises:
            ImportError: numpy is not installed.
            SpecialTokenError: a text spells a disallowed special token.
            TypeError: as for `encode_batch`.
            ValueError: as for `encode_batch`.

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

        texts, mask = self._texts_and_mask(text, allowed_special, disallowed_special, pairs)
        unk_as_token = self._unk_as_token(unk)
        sampling = self._sampling(dropout, sample, seed)
        if sampling is None:
            packed_ids, packed_starts = self._backend.encode_batch_packed(
                texts, mask, unk_as_token, num_threads
            )
        else:
            packed_ids, packed_starts = self._backend.sample_batch_packed(
                texts, mask, unk_as_token, num_threads, sampling
            )
        ids, starts = np.frombuffer(packed_ids, np.uint32), np.frombuffer(packed_starts, np.int64)
        if pairs is None and not add_special_tokens:
            return ids, starts
        return self._fill_template(ids, starts, pairs is not None, add_special_tokens)

    def _fill_template(
        self,
        ids: npt.NDArray[np.uint32],
        starts: npt.NDArray[np.int64],
        pair: bool,
        add_special_tokens: bool,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Put the ids of many texts into the places of the template, all with numpy.

        Args:
            ids: the ids of all texts, one after another.
            starts: where those of each text begin, and the end.
            pair: whether each two texts are a pair, so that there are half as many samples.
            add_special_tokens: whether the template's own ids are put around them.

        Returns:
            The ids of all samples, and where those of each sample begin, and the end.
        """
        import numpy as np

        places = self._template.places(pair, add_special_tokens)
        texts_per_sample = 2 if pair else 1
        n_samples = (len(starts) - 1) // texts_per_sample
        # The ids of all texts, and after them one for each place, of which a place of a text has
        # no use. All that a sample consists of is a run of this array.
        source = np.append(ids, np.array([place.id for place in places], np.uint32))
        run_starts = np.empty((n_samples, len(places)), np.int64)
        run_lengths = np.ones_like(run_starts)
        for k, place in enumerate(places):
            if place.what is What.ID:
                run_starts[:, k] = len(ids) + k
            else:
                number = place.what - What.FIRST
                run_starts[:, k] = starts[number:-1:texts_per_sample]
                run_lengths[:, k] = np.diff(starts)[number::texts_per_sample]
        lengths = run_lengths.ravel()
        # What to add to an index of the result for the index in `source`, the same within a run.
        shifts = run_starts.ravel() - (lengths.cumsum() - lengths)
        filled = source[np.repeat(shifts, lengths) + np.arange(lengths.sum())]
        return filled, np.append(0, run_lengths.sum(axis=1).cumsum())

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
        dropout: float = 0.0,
        sample: Sample | None = None,
        seed: int | None = None,
    ) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """Return the ids, and where they stand, of each of several texts or pairs of texts.

        The arguments are those of `encode_batch`; offsets are code points, as `encode_with_offsets`
        describes them.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.
            TypeError: as for `encode_batch`.
            ValueError: as for `encode_batch`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").encode_batch_with_offsets(["hello world", "a"])
            [([24912, 2375], [(0, 5), (5, 11)]), ([64], [(0, 1)])]
        """
        given, mask = self._texts_and_mask(text, allowed_special, disallowed_special, pairs)
        texts, unk_as_token = all_bytes(given), self._unk_as_token(unk)
        sampling = self._sampling(dropout, sample, seed)
        if sampling is None:
            rows = self._backend.encode_batch_with_offsets(texts, mask, unk_as_token, num_threads)
        else:
            rows = self._backend.sample_batch_with_offsets(
                texts, mask, unk_as_token, num_threads, sampling
            )
        rows = [
            (ids, offsets_in_str(each, offsets))
            for each, (ids, offsets) in zip(given, rows, strict=True)
        ]
        step = 1 if pairs is None else 2
        return [
            self._fill_template_with_offsets(
                texts[k : k + step], rows[k : k + step], add_special_tokens
            )
            for k in range(0, len(texts), step)
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
        """Return how many tokens each of several texts, or pairs of texts, has.

        The numbers are the lengths of what `encode_batch` returns for the same arguments.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.
            TypeError: as for `encode_batch`.
            ValueError: as for `encode_batch`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").count_batch(["hello world", "goodbye world"])
            [2, 3]
        """
        texts, mask = self._texts_and_mask(text, allowed_special, disallowed_special, pairs)
        counts = self._backend.count_batch(texts, mask, self._unk_as_token(unk), num_threads)
        if pairs is not None:
            counts = [*map(add, counts[::2], counts[1::2])]
        n_special = self._template.n_special(pairs is not None, add_special_tokens)
        return [n_special + count for count in counts]

    def _fill_template_with_offsets(
        self, texts: Sequence[bytes], rows: Sequence[IdsWithOffsets], add_special_tokens: bool
    ) -> IdsWithOffsets:
        """Put the tokens of one text or two into the template, and trim their offsets.

        Args:
            texts: one text, or two that are a pair.
            rows: for each text, its ids and the code points that each touches.
            add_special_tokens: whether the template's own ids are put around them, at (0, 0).

        Returns:
            All ids, and for each the code points, in its own text. They leave out white space if
            the template says so (FORMAT.md, TEMPLATE: trim).
        """
        pair = len(texts) > 1
        tokens: list[list[tuple[int, tuple[int, int]]]] = []
        for what, text, (ids, offsets) in zip(BOTH_TEXTS, texts, rows, strict=False):
            if trim := self._template.trim(what, pair):
                spaced = self._offsets_with_spaces(text, ids, offsets, trim)
                offsets = trimmed(spaced, trim, add_special_tokens)
            if not pair and not add_special_tokens:
                return ids, offsets
            tokens.append(list(zip(ids, offsets, strict=True)))
        filled = self._template.fill(
            tokens[0],
            tokens[1] if pair else None,
            lambda place: (place.id, (0, 0)),
            add_special_tokens,
        )
        items = [item for _, item in filled]
        return [token for token, _ in items], [offsets for _, offsets in items]

    def _offsets_with_spaces(
        self, text: bytes, ids: Sequence[int], offsets: Sequence[tuple[int, int]], trim: int
    ) -> list[Spaced]:
        """Return the offsets of a text's tokens with the white space at both ends of each token.

        Hugging Face's `tokenizers` trims by the token's own text, not by what it covers. Only
        where a token's text is not what it covers, that is counted in the text itself: for
        unknown tokens of Unigram models, and for added tokens.

        Args:
            text: the text, before any step.
            ids: its tokens.
            offsets: for each, the first and last-plus-one code point that it touches.
            trim: how the template trims offsets of this text; not 0.
        """
        met = dict.fromkeys(ids)
        token_texts = dict(zip(met, self._backend.tokens_bytes([*met]), strict=True))
        spaces_of_tokens = {
            token: byte_spaces(token_text or b"")
            if trim & BYTES
            else spaces(characters(token_text or b""))
            for token, token_text in token_texts.items()
        }
        info = self._backend.info
        unknown_ids = {model.unk_id for model in info.models if model.kind == "viterbi"}
        added_texts = {token.id: token.text.strip(SPACE) for token in info.added if token.id in met}
        read = characters(text) if added_texts or unknown_ids & met.keys() else ""

        def spaces_at(token: int, start: int, end: int) -> tuple[int, int]:
            """Return the leading and trailing white space of a token that covers a range."""
            covered = read[start:end]
            # A model's token may have the id of an added one, mostly that of the unknown token.
            is_added = added_texts.get(token) == covered.strip(SPACE)
            return spaces(covered) if token in unknown_ids or is_added else spaces_of_tokens[token]

        return [
            Spaced(start, end, *spaces_at(token, start, end))
            for token, (start, end) in zip(ids, offsets, strict=True)
        ]

    def _texts_and_mask(
        self,
        texts: Iterable[Text],
        allowed: Allowed,
        disallowed: Allowed | None,
        pairs: Iterable[Text] | None = None,
    ) -> tuple[Sequence[Text], bytes | None]:
        """Return the texts of a batch, and the mask of allowed special tokens.

        With `pairs`, each text is followed by its second one: there are twice as many.

        Raises:
            SpecialTokenError: a text spells a disallowed special token.
            TypeError: a text is neither `str` nor bytes.
            ValueError: there are more or fewer pairs than texts.
        """
        listed = list(texts)
        if pairs is not None:
            seconds = list(pairs)
            if len(seconds) != len(listed):
                raise ValueError(
                    f"{len(listed)} texts have {len(seconds)} pairs; give one for each"
                )
            listed = [each for sample in zip(listed, seconds, strict=True) for each in sample]
        checked = self._disallowed if disallowed is None else disallowed
        if not checked:
            return listed, self._checked_mask(b"", allowed, checked)
        data = all_bytes(listed)
        # One search for all: no special token has a byte that is not UTF-8, so none is found
        # across two texts.
        return data, self._checked_mask(b"\xff".join(data), allowed, checked)
