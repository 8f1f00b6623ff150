"""A call of a tokenizer: texts in, rows for a model out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, TypeVar

from tokenizers import Encoding
from transformers import BatchEncoding, PreTrainedTokenizer
from transformers.tokenization_utils_base import TruncationStrategy
from transformers.utils import PaddingStrategy

from wwho.format.template import Place, Spaced, Template, What, trimmed
from wwho.hf.input_reader import Input, Reader, Untrimmed
from wwho.hf.rows import (
    Around,
    Encodings,
    Padding,
    Row,
    Truncation,
    Window,
    cut,
    encoding,
    whole,
)

Sample: TypeAlias = tuple[Input, Input | None]
"""What becomes a row: an input, or two."""

_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Options:
    """What callers say of a call, by the names and with the defaults of transformers."""

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

    @classmethod
    def of(cls, given: dict[str, Any]) -> Options:
        """The options among what is given: some callers give more."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in known})


def samples_of(text: Any, text_pair: Any, words: bool) -> tuple[list[Sample], bool]:
    """The samples of a call, and whether it gives several, as transformers tells them apart.

    Raises:
        ValueError: a batch and its second texts differ in length; a sample is no one or two inputs.
    """
    nested = (list, tuple) if words else (str, list, tuple)
    batch = isinstance(text, (list, tuple))
    if not (batch and (isinstance(text[0], nested) if text else not words)):
        return [(text, text_pair or None)], False
    if text_pair is None:
        return [_sample(given, words) for given in text], True
    if not isinstance(text_pair, (list, tuple)) or len(text_pair) != len(text):
        found = len(text_pair) if isinstance(text_pair, (list, tuple)) else "one"
        raise ValueError(f"text is a batch of {len(text)}, text_pair of {found}: give as many")
    return list(zip(text, text_pair, strict=True)), True


def _sample(given: Any, words: bool) -> Sample:
    """A sample of a batch: an input, or a pair of them."""
    if isinstance(given, str) or not given or isinstance(given[0], int):
        return given, None
    if len(given) == 2 and isinstance(given, tuple if words else (list, tuple)):
        return given[0], given[1]
    if words:
        return given, None
    if len(given) == 1:
        return given[0], None
    raise ValueError(
        f"a sample is a text or a pair of texts, found {len(given)}: give "
        "is_split_into_words=True where they are words"
    )


def _no_token(_: Place) -> int:
    return 0


class Batch:
    """Samples in rows."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizer,
        reader: Reader,
        samples: list[Sample],
        options: Options,
    ) -> None:
        """Read the samples, and see what of them is in which row."""
        self._tokenizer, self._reader = tokenizer, reader
        self._samples, self._options = samples, options
        split = options.split_special_tokens
        self._ordinary: bool = tokenizer.split_special_tokens if split is None else split
        build = tokenizer.build_inputs_with_special_tokens
        self._templates = {
            pair: Around.of(build, pair) if options.add_special_tokens else Around([], [], [])
            for pair in {second is not None for _, second in samples}
        }
        if options.return_offsets_mapping:
            nothing: Untrimmed = ([], [])
            placed = self._read(reader.places, nothing)
            self._ids = [(ids, more) for (ids, _), (more, _) in placed]
            self._offsets = [(places, more) for (_, places), (_, more) in placed]
        else:
            self._ids = self._read(reader.ids, [])
        self._rows = self._cut()

    def encoded(self) -> BatchEncoding:
        """What transformers gives: columns, and an `Encoding` for each row."""
        columns, padding = self._columns(), self._padding()
        width = padding.width(columns["input_ids"]) if padding else 0
        if padding:
            columns = {name: padding.pad(name, rows, width) for name, rows in columns.items()}
        if self._options.return_length:
            columns["length"] = list(map(len, columns["input_ids"]))
        if self._options.return_overflowing_tokens:
            columns["overflow_to_sample_mapping"] = [row.sample for row in self._rows]

        def made(k: int) -> Encoding:
            found = self._encoding(self._rows[k])
            if padding:
                padding.pad_encoding(found, width)
            return found

        return BatchEncoding(
            columns,
            Encodings(made, len(self._rows)),
            tensor_type=self._options.return_tensors,
            n_sequences=max(self._templates, default=False) + 1,
        )

    # Samples

    def _read(
        self, read: Callable[[list[Input], bool], list[_Read]], nothing: _Read
    ) -> list[tuple[_Read, _Read]]:
        """What the reader makes of each sample's inputs; of a missing second one, nothing."""
        firsts = read([first for first, _ in self._samples], self._ordinary)
        seconds = [second for _, second in self._samples]
        found = iter(read([given for given in seconds if given is not None], self._ordinary))
        return [
            (first, nothing if second is None else next(found))
            for first, second in zip(firsts, seconds, strict=True)
        ]

    def _cut(self) -> list[Row]:
        """The rows; more than one of a sample where it overflows."""
        options = self._options
        sizes = [
            (len(first), None if sample[1] is None else len(second))
            for (first, second), sample in zip(self._ids, self._samples, strict=True)
        ]
        strategy = TruncationStrategy(options.truncation_strategy).value
        if strategy == "do_not_truncate" or options.max_length is None:
            return [whole(k, *size) for k, size in enumerate(sizes)]
        side, overflow = self._tokenizer.truncation_side, options.return_overflowing_tokens
        truncation = Truncation(strategy, options.max_length, options.stride, side, overflow)
        special = {pair: template.size for pair, template in self._templates.items()}
        return [
            row
            for k, size in enumerate(sizes)
            for row in truncation.rows(k, *size, special[size[1] is not None])
        ]

    def _padding(self) -> Padding | None:
        """How rows are padded, if they are."""
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
        """What is asked for of each row, not yet padded."""
        options, usual = self._options, self._tokenizer.model_input_names
        types, mask = options.return_token_type_ids, options.return_attention_mask
        found: dict[str, list[Any]] = {"input_ids": list(map(self._row_ids, self._rows))}
        if "token_type_ids" in usual if types is None else types:
            found["token_type_ids"] = list(map(self._type_ids, self._rows))
        if "attention_mask" in usual if mask is None else mask:
            found["attention_mask"] = [[1] * len(ids) for ids in found["input_ids"]]
        if options.return_special_tokens_mask:
            found["special_tokens_mask"] = list(map(self._special_mask, self._rows))
        if options.return_offsets_mapping:
            found["offset_mapping"] = list(map(self._row_offsets, self._rows))
        return found

    def _template(self, row: Row) -> Around:
        return self._templates[row.second is not None]

    def _row_ids(self, row: Row) -> list[int]:
        return self._template(row).ids(*cut(self._ids[row.sample], row))

    def _special_mask(self, row: Row) -> list[int]:
        first, second = cut(self._ids[row.sample], row)
        return self._template(row).around([0] * len(first), [0] * len(second), 1)

    def _row_offsets(self, row: Row) -> list[tuple[int, int]]:
        return self._trimmed(row, *cut(self._offsets[row.sample], row))

    def _trimmed(self, row: Row, *texts: list[Spaced]) -> list[Window]:
        """The offsets of a row: a token that begins a row is the first one of its text there."""
        template, around = self._tokenizer.wwho._template, self._options.add_special_tokens
        alone = template.trim(What.FIRST, False)
        first, second = (
            trimmed(text, template.trim(what, True) if row.second else alone, around)
            for what, text in zip((What.FIRST, What.SECOND), texts, strict=True)
        )
        return self._template(row).around(first, second, (0, 0))

    def _type_ids(self, row: Row) -> list[int]:
        first, second = cut(self._ids[row.sample], row)
        if not self._options.add_special_tokens:
            template = self._tokenizer.template or Template()
            places = template.fill(first, second if row.second else None, _no_token, False)
            return [place.type_id for place, _ in places]
        create = self._tokenizer.create_token_type_ids_from_sequences
        found: list[int] = create(first, second if row.second else None)
        return found

    def _encoding(self, row: Row) -> Encoding:
        first, second = self._samples[row.sample]
        inputs: list[Input] = [first, second or ()]
        (ids, offsets), (more_ids, more_offsets) = self._reader.places(inputs, self._ordinary)
        words = [self._reader.words(given, self._ordinary) for given in inputs]
        return encoding(
            *(self._template(row), row, (ids, more_ids)),
            self._trimmed(row, *cut((offsets, more_offsets), row)),
            *((words[0], words[1]), self._type_ids(row)),
            self._tokenizer.convert_ids_to_tokens,
        )
