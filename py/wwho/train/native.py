"""The trainer's C side as Python objects; native/train.h says what each call does."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from wwho.assemble.script import script_step
from wwho.assemble.training_artifacts import unit_model
from wwho.errors import ArtifactError, BackendError, CorpusError
from wwho.format import leb
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Artifact, Pair
from wwho.format.rewriting import symbol_text
from wwho.format.write import write_artifact
from wwho.progress import Advance, ignore

try:
    from wwho.train._native import ffi, lib
except ImportError as error:
    raise BackendError(
        "training needs the native module wwho.train._native, which is not here: the wheels for "
        "Pyodide do not have it. Train with a native Python: install the package with pip, or run "
        "python tools/build_native.py"
    ) from error

Word = tuple[bytes, ...]
"""A word as the texts of its units."""

STEP = 2000
"""Merges between two looks at Ctrl-C and the progress bar; the first, large ones take a second."""


class WordsInfo(NamedTuple):
    """The size of a table of words; see wwho_words_info in native/train.h."""

    n_words: int
    record_bytes: int
    n_units: int
    total: int
    stray_bytes: int


class RouteInfo(NamedTuple):
    """What the words of one route come to; see wwho_route_info in native/train.h."""

    n_words: int
    total: int
    syllables: int
    bytes: int


class Scanners:
    """A model opened in C, to cut text with."""

    def __init__(self, model: Artifact) -> None:
        """Open a model.

        Raises:
            ArtifactError: the model is not a valid one.
        """
        blob = write_artifact(model)
        size = ffi.new("size_t *")
        opened = ffi.new("const wwho_model **")
        self._blob = ffi.new("uint32_t[]", (len(blob) + 3) // 4)  # aligned to 4 bytes
        ffi.memmove(self._blob, blob, len(blob))
        start = ffi.cast("const uint8_t *", self._blob)
        status = lib.wwho_workspace_size(start, len(blob), size)
        if not status:
            self._work = ffi.new("char[]", size[0] + 15)
            aligned = ffi.cast("void *", (int(ffi.cast("uintptr_t", self._work)) + 15) & ~15)
            status = lib.wwho_open(start, len(blob), aligned, size[0], opened)
        if status:
            name = ffi.string(lib.wwho_status_str(status)).decode()
            raise ArtifactError(f"the core refuses the model of the trainer: {name}", status=name)
        self.handle = opened[0]
        self.n_routes = len(model.routes)


class Words:
    """Distinct words and how often each was seen. For one thread at a time."""

    def __init__(self) -> None:
        """Make an empty table.

        Raises:
            MemoryError: there is no memory left; so with every method.
        """
        self.handle = _owned(lib.wwho_words_new(), lib.wwho_words_free)
        self._scanners: Scanners | None = None  # kept open: what it cut is remembered

    def count(self, scanners: Scanners, text: bytes) -> None:
        """Count the words of a text that ends where no word goes on; other threads run meanwhile.

        Each line, with its line feed, is a text of its own.

        Raises:
            CorpusError: there are 2^32 - 1 distinct words, or a text is that long.
        """
        if len(text) >= 1 << 32:
            raise CorpusError(
                f"a line of the corpus is in a block of {len(text):,} bytes, and 4,294,967,295 is "
                "the most; cut it into shorter lines"
            )
        self._scanners = scanners
        status = lib.wwho_words_count(
            self.handle, scanners.handle, ffi.from_buffer(text), len(text)
        )
        if status == lib.WWHO_ARGUMENT:
            raise CorpusError(
                "the corpus has more than 4,294,967,294 distinct words; "
                "train on a part of it, or on a sample"
            )
        _check(status)

    def add(self, records: bytes, counts: Sequence[int]) -> None:
        """Add words with their counts, such as another table's `export`.

        Raises:
            ValueError: these are not exactly as many records as counts.
        """
        numbers = counts if isinstance(counts, array) else array("Q", counts)
        where = ffi.from_buffer("uint64_t[]", numbers)
        start = ffi.from_buffer(records)
        status = lib.wwho_words_add(self.handle, start, len(records), where, len(numbers))
        if status == lib.WWHO_ARGUMENT:
            raise ValueError(f"{len(records)} bytes are not {len(numbers)} well-formed records")
        _check(status)

    def merge(self, other: Words) -> None:
        """Add all words of another table."""
        _check(lib.wwho_words_merge(self.handle, other.handle))

    def units(self) -> dict[bytes, int]:
        """The units of these words, and how often each occurs in them."""
        units = Words()
        _check(lib.wwho_words_units(self.handle, units.handle))
        return {unit: count for (unit,), count in units.items()}

    def spelled(self) -> Words:
        """These words, each with its bytes as its units."""
        spelled = Words()
        _check(lib.wwho_words_bytes(self.handle, spelled.handle))
        return spelled

    def paired(self) -> Words:
        """These words, each with the symbols of `script_step` as its units."""
        paired, step = Words(), script_step()
        symbols = array("I", bytes(4 * (0x110000 + 256)))
        texts = [int.from_bytes(symbol_text(each), "little") for each in range(step.n_symbols)]
        for code_point, (block, index) in step.places.items():
            symbols[code_point] = texts[step.n_indices + block] | texts[index] << 16
        symbols[0x110000:] = array("I", texts[-256:])
        where = ffi.from_buffer("uint32_t[]", symbols)
        _check(lib.wwho_words_pairs(self.handle, where, paired.handle))
        return paired

    def routes(self, scanners: Scanners) -> list[RouteInfo]:
        """What was counted for each route of the model: that which a word takes alone."""
        routes = ffi.new("wwho_route_info[]", scanners.n_routes)
        _check(lib.wwho_words_routes(self.handle, scanners.handle, routes, len(routes)))
        return [
            RouteInfo(*(getattr(route, name) for name in RouteInfo._fields)) for route in routes
        ]

    def info(self) -> WordsInfo:
        """How large the table is."""
        info = ffi.new("wwho_words_info *")
        lib.wwho_words_describe(self.handle, info)
        return WordsInfo(*(getattr(info, name) for name in WordsInfo._fields))

    def export(self) -> tuple[bytes, array[int]]:
        """All records, and the count of each."""
        info = self.info()
        records = bytearray(info.record_bytes)
        counts = array("Q", bytes(8 * info.n_words))
        start = ffi.from_buffer("uint8_t[]", records)
        lib.wwho_words_export(self.handle, start, ffi.from_buffer("uint64_t[]", counts))
        return bytes(records), counts

    def items(self) -> Iterator[tuple[Word, int]]:
        """Each word and its count."""
        records, counts = self.export()
        return zip(parse_records(records), counts, strict=True)


class Merger:
    """Merges the most frequent pair of neighbours, again and again.

    The count of a pair is the number of places in the corpus where the two stand side by side
    within a word. Among pairs of equal count the one with the smaller left id is merged first, then
    the one with the smaller right id. A pair that overlaps itself is merged from left to right. No
    pair with a pruned unit is merged (`choose_atoms`), none seen less than `min_freq` times, and
    none whose token would be longer than `max_units` atoms or 1024 bytes. Merge number k makes the
    id ``len(atoms) + k``.
    """

    def __init__(
        self,
        words: Words,
        atoms: Sequence[bytes],
        *,
        max_merges: int,
        min_freq: int,
        max_units: int = MAX_TOKEN_BYTES,
        shapes: bytes | None = None,
    ) -> None:
        """Lay out the words as runs of atoms and count the first pairs.

        Args:
            words: the words of the corpus and their counts.
            atoms: texts of the atoms in ascending byte order; their ids are 0, 1, 2 and so on.
            max_merges: how many merges there may be.
            min_freq: how often a pair must be seen, at least 1.
            max_units: how many atoms a token may have, at least 1.
            shapes: of the atoms, where characters are to be made before what joins them
                (`wwho.assemble.script.character_shapes`); None: any two tokens may merge.

        Raises:
            ValueError: an atom is longer than 255 bytes, or a number is beyond its limit.
            MemoryError: there is no memory left.
        """
        table = Words()
        table.add(b"".join(record((atom,)) for atom in atoms), array("Q", [1]) * len(atoms))
        merger = ffi.new("wwho_merger **")
        status = lib.wwho_merger_new(
            *(words.handle, table.handle, ffi.NULL if shapes is None else shapes),
            *(max_merges, min_freq, max_units, merger),
        )
        if status == lib.WWHO_ARGUMENT:
            raise ValueError(
                f"{len(atoms)} atoms (at most 255 bytes each), {max_merges} merges, min_freq "
                f"{min_freq}, {words.info().n_units} units: one of these is beyond its limit"
            )
        _check(status)
        self._own(merger[0])

    def _own(self, handle: Any) -> Merger:
        """Take over a merger that is laid out."""
        self._handle = _owned(handle, lib.wwho_merger_free)
        self._n = 0
        return self

    def step(self, steps: int) -> int:
        """Make up to `steps` more merges; fewer are made where nothing is left to merge.

        Returns:
            How many were made.
        """
        n = ffi.new("size_t *")
        _check(lib.wwho_merger_step(self._handle, steps, n))
        made, self._n = n[0] - self._n, n[0]
        return int(made)

    def run(self, advance: Advance = ignore) -> Merger:
        """Make all merges, and tell of them; Ctrl-C is heard in between."""
        while made := self.step(STEP):
            advance(made)
        return self

    def merges(self) -> list[Pair]:
        """The merges made so far, as pairs of ids counted from the first atom."""
        ids = ffi.unpack(lib.wwho_merger_pairs(self._handle), 2 * self._n)
        return list(zip(ids[::2], ids[1::2], strict=True))

    def gains(self) -> list[int]:
        """The count of each of these pairs as it was merged; see wwho_merger_gains in train.h."""
        return list(ffi.unpack(lib.wwho_merger_gains(self._handle), self._n))


class Phrases:
    """Runs of words that are one token each; see wwho_phrases in native/train.h."""

    def __init__(self, model: Artifact) -> None:
        """Collect none yet; words become tokens of the model of units."""
        units = unit_model(model)
        self._model, self._pairs = Scanners(model), units.merges
        self.handle = _owned(
            lib.wwho_phrases_new(self._model.handle, units.first_id, len(units.texts)),
            lib.wwho_phrases_free,
        )

    def collect(self, text: bytes, share: Fraction, count: int, sources: int = 0) -> None:
        """Collect the phrases of a text that ends after a line; other threads run meanwhile.

        Args:
            text: the text.
            share: how many of its lines are read, from 0 to 1; which ones depends on their text.
            count: how often each phrase counts.
            sources: a bit for the source that it is of.
        """
        start, parts = ffi.from_buffer(text), int(share * 2**32)
        _check(lib.wwho_phrases_collect(self.handle, start, len(text), parts, count, sources))

    def merger(
        self,
        max_merges: int,
        *,
        min_freq: int,
        max_words: int,
        max_units: int = MAX_TOKEN_BYTES,
        min_sources: int = 1,
    ) -> Merger:
        """Prepare to merge them, which uses them up."""
        merger = ffi.new("wwho_merger **")
        pairs = ffi.new("uint32_t[]", list(chain.from_iterable(self._pairs)))
        _check(
            lib.wwho_merger_of_phrases(
                self.handle, pairs, len(self._pairs), max_merges, min_freq, max_units, max_words,
                min_sources, merger,
            )
        )  # fmt: skip
        return Merger.__new__(Merger)._own(merger[0])


def record(word: Word) -> bytes:
    """A word as a record of native/train.h.

    Example:
        >>> record((b"ab", b"c"))
        b'\\x02\\x02\\x01abc'
    """
    return leb.pack([len(word), *map(len, word)]) + b"".join(word)


def parse_records(records: bytes) -> Iterator[Word]:
    """The words of well-formed records."""
    at = 0
    while at < len(records):
        (n_units,), at = leb.unpack(records, at, 1)
        lengths, at = leb.unpack(records, at, n_units)
        word = []
        for length in lengths:
            word.append(records[at : at + length])
            at += length
        yield tuple(word)


def _owned(handle: Any, free: Any) -> Any:
    """A handle that is freed with its last reference."""
    if handle == ffi.NULL:
        raise MemoryError("no memory left for training")
    return ffi.gc(handle, free)


def _check(status: int) -> None:
    if status == lib.WWHO_MEMORY:
        raise MemoryError("no memory left for training")
    if status:
        name = ffi.string(lib.wwho_status_str(status)).decode()
        raise RuntimeError(
            f"the native trainer failed with status {status} ({name}); this is a bug"
        )
