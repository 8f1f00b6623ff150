"""Encoding the samples of a call of transformers into rows for a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

from tokenizers import Encoding
from transformers import BatchEncoding, PreTrainedTokenizer
from transformers.tokenization_utils_base import TruncationStrategy
from transformers.utils import PaddingStrategy

from wwho.format.template import Place, Spaced, Template, What, trimmed
from wwho.hf.input_reader import Input, InputReader, UntrimmedInput, count_texts
from wwho.hf.open_model import runs_in_python
from wwho.hf.rows import (
    LazyEncodings,
    Padding,
    Range,
    Row,
    SpecialTokensAround,
    Truncation,
    items_in_row,
    make_encoding,
    whole_row,
)
from wwho.sampling import Sampling

Sample: TypeAlias = tuple[Input, Input | None]
"""One input, or two, which become a row (or several, if they overflow)."""

_Read = TypeVar("_Read")


@dataclass(frozen=True)
class CallOptions:
    """The options of a call, with the names, defaults and meanings that transformers gives them.

    `dropout`, `sample` and `seed` are those of `wwho.Tokenizer.encode_batch`.
    """

    add_special_tokens: bool = True
    padding_strategy: str = PaddingStrategy.DO_NOT_PAD
    truncation_strategy: str = TruncationStrategy.DO_NOT_TRUNCATE
    max_length: int | None = None
    stride: int = 0
    is_split_into_words: bool = False
    pad_to_multiple_of: int | None = None
    padding_side: str | None = None
    return_tensors: Any = None
    return_token_type_ids: bool | None = None
    return_attention_mask: bool | None = None
    return_overflowing_tokens: bool = False
    return_special_tokens_mask: bool = False
    return_offsets_mapping: bool = False
    return_length: bool = False
    split_special_tokens: bool | None = None
    dropout: float = 0.0
    sample: tuple[float, int] | None = None
    seed: int | None = None

    @classmethod
    def from_arguments(cls, arguments: dict[str, Any]) -> CallOptions:
        """Return the options among the arguments of a call; all others are ignored.

        Raises:
            ValueError: a number of tokens is negative.
        """
        known = {field.name for field in fields(cls)}
        for name in ("max_length", "stride", "pad_to_multiple_of"):
            if (value := arguments.get(name)) is not None and value < 0:
                raise ValueError(f"{name} is {value}; it must be at least 0")
        return cls(**{name: value for name, value in arguments.items() if name in known})


def samples_of(text: Any, text_pair: Any, is_split_into_words: bool) -> tuple[list[Sample], bool]:
    """Return the samples of a call, and whether they are a batch, as transformers tells that.

    Args:
        text: a text, words or ids; or a batch: a list of these, or of pairs of these.
        text_pair: the second inputs, in the same form; None for none.
        is_split_into_words: whether a list of texts is one input, of words.

    Raises:
        ValueError: a batch and its second texts differ in length, or a sample has neither one
            input nor two.
    """
    nested_types = (list, tuple) if is_split_into_words else (str, list, tuple)
    if isinstance(text, (list, tuple)):
        # An empty list is an input without words, or a batch without texts.
        is_batch = isinstance(text[0], nested_types) if text else not is_split_into_words
    else:
        is_batch = False
    if not is_batch:
        return [(text, text_pair or None)], False
    if text_pair is None:
        return [_sample_of(item, is_split_into_words) for item in text], True
    if not isinstance(text_pair, (list, tuple)) or len(text_pair) != len(text):
        found = len(text_pair) if isinstance(text_pair, (list, tuple)) else "one"
        raise ValueError(f"text is a batch of {len(text)}, text_pair of {found}: give as many")
    return list(zip(text, text_pair, strict=True)), True


def _sample_of(item: Any, is_split_into_words: bool) -> Sample:
    """Return the sample that an item of a batch is: one input with None, or two.

    A list or tuple of two is a pair, but where inputs are words only a tuple is; a list of one text
    is that text.

    Raises:
        ValueError: it is a list of more than two texts, and these are not words.
    """
    if isinstance(item, str) or not item or isinstance(item[0], int):
        return item, None
    pair_types = tuple if is_split_into_words else (list, tuple)
    if len(item) == 2 and isinstance(item, pair_types):
        return item[0], item[1]
    if is_split_into_words:
        return item, None
    if len(item) == 1:
        return item[0], None
    raise ValueError(
        f"a sample is a text or a pair of texts, found {len(item)}: give "
        "is_split_into_words=True where they are words"
    )


def _no_token(_: Place) -> int:
    """Return 0 for a place of a template; nobody looks at it."""
    return 0


class BatchEncoder:
    """The samples of one call, encoded and cut into rows.

    It has the ids of every sample from the start, and their places if offsets are asked for.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizer,
        reader: InputReader,
        samples: list[Sample],
        options: CallOptions,
    ) -> None:
        """Encode the samples, and cut them into rows.

        Args:
            tokenizer: a `WWHOTokenizer`: its special tokens, padding and truncation side.
            reader: encodes inputs.
            samples: all samples of the call.
            options: the options of the call.

        Raises:
            SamplingError: the model cannot be sampled as the options say, or there is no seed.
            TypeError: an input is neither text, words nor ids.
            ValueError: the samples cannot be truncated as the options say, or special tokens are
                to be split that the model's class splits in a way of its own.
        """
        self._tokenizer, self._reader = tokenizer, reader
        self._samples, self._options = samples, options
        self._sampling: Sampling | None = tokenizer.wwho._sampling(
            options.dropout, options.sample, options.seed
        )
        split = options.split_special_tokens
        self._split_special_tokens: bool = (
            tokenizer.split_special_tokens if split is None else split
        )
        if self._split_special_tokens:
            tokenizer._check_split()
        build = tokenizer.build_inputs_with_special_tokens
        self._around = {
            pair: SpecialTokensAround.put_by(build, pair)
            if options.add_special_tokens
            else SpecialTokensAround([], [], [])
            for pair in {second is not None for _, second in samples}
        }
        if options.return_offsets_mapping:
            empty: UntrimmedInput = ([], [])
            places = self._read_samples(reader.places, empty)
            self._ids = [(first_ids, second_ids) for (first_ids, _), (second_ids, _) in places]
            self._offsets = [(first, second) for (_, first), (_, second) in places]
        else:
            self._ids = self._read_samples(reader.ids, [])
        self._rows = self._cut_into_rows()

    def to_batch_encoding(self) -> BatchEncoding:
        """Return the result of the call: columns, and an `Encoding` of each row.

        Columns have an item for each row, also where the call has only one text: to take that row
        out is for the caller. They are those of `_columns`, padded, as lists or as tensors, and if
        the options ask for them `length`, which counts special tokens and padding, and
        `overflow_to_sample_mapping`, the number of each row's sample. Encodings are made at first
        use; there are none where the tokenizer is not fast.

        Raises:
            ValueError: tensors are asked for, and rows differ in length.
        """
        columns, padding = self._columns(), self._padding()
        width = padding.width(columns["input_ids"]) if padding else 0
        if padding:
            columns = {name: padding.pad(name, rows, width) for name, rows in columns.items()}
        if self._options.return_length:
            columns["length"] = list(map(len, columns["input_ids"]))
        if self._options.return_overflowing_tokens:
            columns["overflow_to_sample_mapping"] = [row.sample for row in self._rows]

        def padded_encoding(k: int) -> Encoding:
            """Return the encoding of row k, padded as the columns are."""
            encoding = self._encoding(self._rows[k])
            if padding:
                padding.pad_encoding(encoding, width)
            return encoding

        return BatchEncoding(
            columns,
            LazyEncodings(padded_encoding, len(self._rows)) if self._tokenizer.is_fast else None,
            tensor_type=self._options.return_tensors,
            n_sequences=max(self._around, default=False) + 1,
        )

    # Samples

    def _read_samples(
        self, read: Callable[[list[Input], bool, Sampling | None], list[_Read]], empty: _Read
    ) -> list[tuple[_Read, _Read]]:
        """Return what a reader's method makes of both inputs of each sample.

        Args:
            read: called with the inputs of all samples, in order; the bool is whether special
                tokens are ordinary text (`split_special_tokens`). It returns one result for each
                input, in order.
            empty: the result for a second input that a sample does not have.
        """
        inputs = [
            given
            for first, second in self._samples
            for given in ([first] if second is None else [first, second])
        ]
        results = iter(read(inputs, self._split_special_tokens, self._sampling))
        return [
            (next(results), empty if second is None else next(results))
            for _, second in self._samples
        ]

    @cached_property
    def _first_texts(self) -> list[int]:
        """The number of texts (or words) before each sample of the call; last, that of all."""
        sizes = (
            count_texts(first) + (0 if second is None else count_texts(second))
            for first, second in self._samples
        )
        return list(accumulate(sizes, initial=0))

    def _cut_into_rows(self) -> list[Row]:
        """Return the rows of all samples; several for a sample if its overflow is asked for.

        Raises:
            ValueError: a sample cannot be truncated as the options say.
        """
        options = self._options
        sizes = [
            (len(first), None if sample[1] is None else len(second))
            for (first, second), sample in zip(self._ids, self._samples, strict=True)
        ]
        strategy = TruncationStrategy(options.truncation_strategy).value
        if strategy == "do_not_truncate" or options.max_length is None:
            return self._ended_once(whole_row(k, *size) for k, size in enumerate(sizes))
        truncation = Truncation(
            strategy=strategy,
            length=options.max_length,
            stride=options.stride,
            side=self._tokenizer.truncation_side,
            overflow=options.return_overflowing_tokens,
            in_python=runs_in_python(self._tokenizer.wwho.info),
        )
        n_special = {pair: around.size for pair, around in self._around.items()}
        return self._ended_once(
            row
            for k, (n_first, n_second) in enumerate(sizes)
            for row in truncation.rows(k, n_first, n_second, n_special[n_second is not None])
        )

    def _ended_once(self, rows: Iterable[Row]) -> list[Row]:
        """Return rows in which no input ends with a token that is put behind it all the same.

        Some classes of transformers put no second one there; in others rows stay as they are.
        """
        end = self._tokenizer.single_end
        if end is None or not self._options.add_special_tokens:
            return [*rows]

        def without_end(ids: list[int], part: Range) -> Range:
            """Return a part of an input without the token that is its last one."""
            first, last = part
            return (first, last - (last > first and ids[last - 1] == end))

        return [
            Row(
                row.sample,
                without_end(self._ids[row.sample][0], row.first),
                row.second and without_end(self._ids[row.sample][1], row.second),
            )
            for row in rows
        ]

    def _padding(self) -> Padding | None:
        """Return how rows are padded; None if they are not.

        Its length is None for that of the longest row.
        """
        options, tokenizer = self._options, self._tokenizer
        strategy = PaddingStrategy(options.padding_strategy).value
        if strategy == "do_not_pad":
            return None
        return Padding(
            length=options.max_length if strategy == "max_length" else None,
            multiple=options.pad_to_multiple_of,
            side=options.padding_side or tokenizer.padding_side,
            token=tokenizer.pad_token,
            id=tokenizer.pad_token_id,
            type_id=tokenizer.pad_token_type_id,
        )

    # Rows

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns that are asked for, with a list for each row, not yet padded.

        Without a word from the caller, types and the attention mask are there if they are among
        the tokenizer's `model_input_names`.
        """
        options, input_names = self._options, self._tokenizer.model_input_names
        wants_types, wants_mask = options.return_token_type_ids, options.return_attention_mask
        if wants_types is None:
            wants_types = "token_type_ids" in input_names
        if wants_mask is None:
            wants_mask = "attention_mask" in input_names
        columns: dict[str, list[Any]] = {"input_ids": list(map(self._row_ids, self._rows))}
        if wants_types:
            columns["token_type_ids"] = list(map(self._type_ids, self._rows))
        if wants_mask:
            columns["attention_mask"] = [[1] * len(ids) for ids in columns["input_ids"]]
        if options.return_special_tokens_mask:
            columns["special_tokens_mask"] = list(map(self._special_mask, self._rows))
        if options.return_offsets_mapping:
            columns["offset_mapping"] = list(map(self._row_offsets, self._rows))
        return columns

    def _around_row(self, row: Row) -> SpecialTokensAround:
        """Return the special tokens around a row, which has one input or two."""
        return self._around[row.second is not None]

    def _row_ids(self, row: Row) -> list[int]:
        """Return the ids of a row, special tokens among them."""
        return self._around_row(row).put_around_ids(*items_in_row(self._ids[row.sample], row))

    def _special_mask(self, row: Row) -> list[int]:
        """Return 1 for each special token that was put around the inputs of a row, 0 for others."""
        first, second = items_in_row(self._ids[row.sample], row)
        return self._around_row(row).put_around([0] * len(first), [0] * len(second), 1)

    def _row_offsets(self, row: Row) -> list[tuple[int, int]]:
        """Return the code points of each token of a row; needs `return_offsets_mapping`."""
        return self._trimmed_offsets(row, *items_in_row(self._offsets[row.sample], row))

    def _trimmed_offsets(self, row: Row, first: list[Spaced], second: list[Spaced]) -> list[Range]:
        """Return the code points of each token of a row, trimmed as the model's template says.

        Special tokens around the inputs stand at (0, 0). A token that begins a row is trimmed as
        the first one of its text.

        Args:
            row: the row.
            first: the places of the first input's tokens in the row.
            second: those of the second input's; [] if there is none.
        """
        template, is_asked = self._tokenizer.wwho._template, self._options.add_special_tokens
        first_trim = template.trim(What.FIRST, bool(row.second))
        second_trim = template.trim(What.SECOND, True) if row.second else 0
        return self._around_row(row).put_around(
            trimmed(first, first_trim, is_asked), trimmed(second, second_trim, is_asked), (0, 0)
        )

    def _type_ids(self, row: Row) -> list[int]:
        """Return the token type of each token of a row, special tokens among them.

        Without special tokens, types are those of the places of texts in the model's template, but
        0 for a class that transformers runs in Python.
        """
        first, second = items_in_row(self._ids[row.sample], row)
        second_or_none = second if row.second else None
        if not self._options.add_special_tokens:
            if runs_in_python(self._tokenizer.wwho.info):
                return [0] * (len(first) + len(second))
            template = self._tokenizer.template or Template()
            places = template.fill(first, second_or_none, _no_token, False)
            return [place.type_id for place, _ in places]
        create = self._tokenizer.create_token_type_ids_from_sequences
        type_ids: list[int] = create(first, second_or_none)
        return type_ids

    def _encoding(self, row: Row) -> Encoding:
        """Return the `Encoding` of a row, not padded; its sample is encoded again for that."""
        first, second = self._samples[row.sample]
        inputs: list[Input] = [first, second or ()]
        split, sampling, second_sampling = self._split_special_tokens, self._sampling, None
        if sampling is not None:
            sampling = sampling.from_text(self._first_texts[row.sample])
            second_sampling = sampling.from_text(count_texts(first))
        (ids, places), (second_ids, second_places) = self._reader.places(inputs, split, sampling)
        first_words = self._reader.words(first, split, sampling)
        second_words = self._reader.words(inputs[1], split, second_sampling)
        return make_encoding(
            self._around_row(row),
            row,
            (ids, second_ids),
            self._trimmed_offsets(row, *items_in_row((places, second_places), row)),
            (first_words, second_words),
            self._type_ids(row),
            self._tokenizer.convert_ids_to_tokens,
        )
