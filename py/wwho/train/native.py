"""Python classes around the trainer's C code: tables of words, phrases, and learning merges.

native/train.h states what each C function does.
"""

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
from wwho.format.steps import symbol_text
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

MERGES_PER_CALL = 2000
"""Merges between two looks at Ctrl-C and the progress bar; the first, large ones take a second."""


class WordsInfo(NamedTuple):
    """The size of a table of words.

    Attributes:
        n_words: distinct words.
        record_bytes: bytes of the records of all distinct words.
        n_units: units of all distinct words.
        total: the sum of the counts.
        stray_bytes: bytes of the texts counted that are part of no well-formed UTF-8 sequence.
    """

    n_words: int
    record_bytes: int
    n_units: int
    total: int
    stray_bytes: int


class RouteInfo(NamedTuple):
    """The sums over the words of a table that take one route of a model.

    Attributes:
        n_words: distinct words.
        total: the sum of their counts.
        syllables: their syllables, each as often as its word was seen.
        bytes: the bytes of their text, each as often as its word was seen.
    """

    n_words: int
    total: int
    syllables: int
    bytes: int


class NativeModel:
    """A model opened in the C core, which tables of words and phrases cut text with.

    Attributes:
        handle: the C pointer; valid as long as this object.
        n_routes: how many routes the model has.
    """

    def __init__(self, model: Artifact) -> None:
        """Write the model to bytes and open them, in memory that this object owns.

        Raises:
            ArtifactError: the model is not a valid one.
        """
        blob = write_artifact(model)
        size = ffi.new("size_t *")
        opened_model = ffi.new("const wwho_model **")
        self._blob = ffi.new("uint32_t[]", (len(blob) + 3) // 4)  # aligned to 4 bytes
        ffi.memmove(self._blob, blob, len(blob))
        start = ffi.cast("const uint8_t *", self._blob)
        status = lib.wwho_workspace_size(start, len(blob), size)
        if not status:
            self._work = ffi.new("char[]", size[0] + 15)
            aligned = ffi.cast("void *", (int(ffi.cast("uintptr_t", self._work)) + 15) & ~15)
            status = lib.wwho_open(start, len(blob), aligned, size[0], opened_model)
        if status:
            name = ffi.string(lib.wwho_status_str(status)).decode()
            raise ArtifactError(f"the core refuses the model of the trainer: {name}", status=name)
        self.handle = opened_model[0]
        self.n_routes = len(model.routes)


class WordTable:
    """A table of distinct words and how often each was seen. One thread may use it at a time.

    Every method that adds to a table may raise `MemoryError`; the table is then of no more use.
    """

    def __init__(self) -> None:
        """Make an empty table.

        Raises:
            MemoryError: there is no memory left.
        """
        self.handle = _own_handle(lib.wwho_words_new(), lib.wwho_words_free)
        # Kept open, because the table remembers which segments this model cut into one word.
        self._model: NativeModel | None = None

    def count_text(self, model: NativeModel, text: bytes) -> None:
        """Count the words of a text that ends where no word goes on; other threads run meanwhile.

        Each line, with its line feed, is cut as a text of its own. Bytes that are no UTF-8 belong
        to no word of a script and are counted as stray.

        Raises:
            CorpusError: there are 2^32 - 1 distinct words, or the text has 2^32 bytes or more.
        """
        if len(text) >= 1 << 32:
            raise CorpusError(
                f"a line of the corpus is in a block of {len(text):,} bytes, and 4,294,967,295 is "
                "the most; cut it into shorter lines"
            )
        self._model = model
        status = lib.wwho_words_count(self.handle, model.handle, ffi.from_buffer(text), len(text))
        if status == lib.WWHO_ARGUMENT:
            raise CorpusError(
                "the corpus has more than 4,294,967,294 distinct words; "
                "train on a part of it, or on a sample"
            )
        _raise_on_failure(status)

    def add_records(self, records: bytes, counts: Sequence[int]) -> None:
        """Add words with their counts, such as the `export` of another table.

        Args:
            records: the words, one record after another, as `record` writes them.
            counts: the count of each, in the same order; below 2^64.

        Raises:
            ValueError: these are not exactly as many records as counts; the words before the fault
                have been added.
        """
        numbers = counts if isinstance(counts, array) else array("Q", counts)
        where = ffi.from_buffer("uint64_t[]", numbers)
        start = ffi.from_buffer(records)
        status = lib.wwho_words_add(self.handle, start, len(records), where, len(numbers))
        if status == lib.WWHO_ARGUMENT:
            raise ValueError(f"{len(records)} bytes are not {len(numbers)} well-formed records")
        _raise_on_failure(status)

    def add_table(self, other: WordTable) -> None:
        """Add all words of another table, which stays as it is, and its stray bytes."""
        _raise_on_failure(lib.wwho_words_merge(self.handle, other.handle))

    def clear(self) -> None:
        """Drop all words and give back their memory; the table is empty then."""
        self.handle = _own_handle(lib.wwho_words_new(), lib.wwho_words_free)

    def count_units(self) -> dict[bytes, int]:
        """Return the text of each unit of these words, and how often it occurs in them.

        A unit with the space before it and the same unit without are two.
        """
        units = WordTable()
        _raise_on_failure(lib.wwho_words_units(self.handle, units.handle))
        return {unit: count for (unit,), count in units.items()}

    def spell_bytes(self) -> WordTable:
        """Return a new table of the same words, each with its bytes as its units."""
        spelled = WordTable()
        _raise_on_failure(lib.wwho_words_bytes(self.handle, spelled.handle))
        return spelled

    def spell_characters(self, space: str) -> WordTable:
        """Return a new table of the same words as characters, `space` in place of each U+0020."""
        spelled, text = WordTable(), space.encode()
        status = lib.wwho_words_characters(self.handle, text, len(text), spelled.handle)
        _raise_on_failure(status)
        return spelled

    def spell_pairs(self) -> WordTable:
        """Return a new table of the same words, each with the symbols of `script_step` as units.

        Every character becomes two symbols, block and index; a character that has none, and broken
        UTF-8, becomes one symbol for each byte. A symbol is a unit of two bytes.
        """
        spelled, step = WordTable(), script_step()
        # For each code point the texts of its two symbols; then the text of each byte's symbol.
        symbols = array("I", bytes(4 * (0x110000 + 256)))
        texts = [int.from_bytes(symbol_text(each), "little") for each in range(step.n_symbols)]
        for code_point, (block, index) in step.places.items():
            symbols[code_point] = texts[step.n_indices + block] | texts[index] << 16
        symbols[0x110000:] = array("I", texts[-256:])
        where = ffi.from_buffer("uint32_t[]", symbols)
        _raise_on_failure(lib.wwho_words_pairs(self.handle, where, spelled.handle))
        return spelled

    def count_by_route(self, model: NativeModel) -> list[RouteInfo]:
        """Return the sums over the words that take each route of a model, in its order.

        The route of a word is the one that its text takes where it stands alone.
        """
        routes = ffi.new("wwho_route_info[]", model.n_routes)
        _raise_on_failure(lib.wwho_words_routes(self.handle, model.handle, routes, len(routes)))
        return [
            RouteInfo(*(getattr(route, name) for name in RouteInfo._fields)) for route in routes
        ]

    def info(self) -> WordsInfo:
        """Return the size of this table; it takes no time."""
        info = ffi.new("wwho_words_info *")
        lib.wwho_words_describe(self.handle, info)
        return WordsInfo(*(getattr(info, name) for name in WordsInfo._fields))

    def export(self) -> tuple[bytes, array[int]]:
        """Return the records of all words, one after another, and the count of each.

        They come in the order in which the words were first seen; counts have 64 bits.
        """
        info = self.info()
        records = bytearray(info.record_bytes)
        counts = array("Q", bytes(8 * info.n_words))
        start = ffi.from_buffer("uint8_t[]", records)
        lib.wwho_words_export(self.handle, start, ffi.from_buffer("uint64_t[]", counts))
        return bytes(records), counts

    def items(self) -> Iterator[tuple[Word, int]]:
        """Yield each word, as the texts of its units, and its count, in the order of `export`."""
        records, counts = self.export()
        return zip(parse_records(records), counts, strict=True)


class Merger:
    """Learns merges from a table of words: the most frequent pair of neighbours, again and again.

    The count of a pair is the number of places in the corpus where the two stand side by side
    within a word. Among pairs of equal count the one with the smaller left id is merged first, then
    the one with the smaller right id. A pair that overlaps itself is merged from left to right. No
    pair with a pruned unit is merged (`choose_atoms`), none seen less than `min_freq` times, and
    none whose token would be longer than `max_units` atoms or 1024 bytes. Merge number k makes the
    id ``len(atoms) + k``.
    """

    def __init__(
        self,
        words: WordTable,
        atoms: Sequence[bytes],
        *,
        max_merges: int,
        min_freq: int,
        max_units: int = MAX_TOKEN_BYTES,
        shapes: bytes | None = None,
    ) -> None:
        """Lay out the words as runs of atoms and count the first pairs; nothing is merged yet.

        Both the words and the atoms are copied.

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
        table = WordTable()
        records = b"".join(record((atom,)) for atom in atoms)
        table.add_records(records, array("Q", [1]) * len(atoms))
        merger = ffi.new("wwho_merger **")
        status = lib.wwho_merger_new(
            words.handle,
            table.handle,
            ffi.NULL if shapes is None else shapes,
            max_merges,
            min_freq,
            max_units,
            merger,
        )
        if status == lib.WWHO_ARGUMENT:
            raise ValueError(
                f"{len(atoms)} atoms (at most 255 bytes each), {max_merges} merges, min_freq "
                f"{min_freq}, {words.info().n_units} units: one of these is beyond its limit"
            )
        _raise_on_failure(status)
        self._take_handle(merger[0])

    def _take_handle(self, handle: Any) -> Merger:
        """Own a C merger that is laid out, and return this object."""
        self._handle = _own_handle(handle, lib.wwho_merger_free)
        self._n_merges = 0
        return self

    def merge_more(self, most: int) -> int:
        """Make up to `most` further merges; fewer where no pair is frequent enough any more.

        Returns:
            How many were made now; 0: all are made.

        Raises:
            MemoryError: there is no memory left.
        """
        n_merges = ffi.new("size_t *")
        _raise_on_failure(lib.wwho_merger_step(self._handle, most, n_merges))
        n_new, self._n_merges = n_merges[0] - self._n_merges, n_merges[0]
        return int(n_new)

    def run(self, advance: Advance = ignore) -> Merger:
        """Make all merges and return this object; Ctrl-C is heard every `MERGES_PER_CALL` merges.

        Args:
            advance: is told how many merges were made since it was last called.
        """
        while n_new := self.merge_more(MERGES_PER_CALL):
            advance(n_new)
        return self

    def merges(self) -> list[Pair]:
        """Return the left and right id of each merge made so far, counted from the first atom."""
        ids = ffi.unpack(lib.wwho_merger_pairs(self._handle), 2 * self._n_merges)
        return list(zip(ids[::2], ids[1::2], strict=True))

    def gains(self) -> list[int]:
        """Return the count of each merged pair at the moment of its merge, in order.

        It is the number of tokens that the merge saved, or more than that where the pair overlaps
        itself; it never rises from one merge to the next.
        """
        return list(ffi.unpack(lib.wwho_merger_gains(self._handle), self._n_merges))


class UnigramLearner:
    """Learns the tokens of a Unigram model, and their scores, from a table of words (Kudo 2018).

    It starts with many candidates, estimates their probabilities by expectation maximization, and
    drops those that the text misses least, a quarter in each round, as SentencePiece does.
    `wwho_learner_new` of native/train.h says what candidates are. Nothing depends on the order of
    the words, and floating-point numbers are the same on every machine.
    """

    def __init__(
        self,
        words: WordTable,
        atoms: Sequence[bytes],
        *,
        max_candidates: int,
        min_freq: int,
        max_units: int,
    ) -> None:
        """Lay out the words as runs of atoms and choose the candidates; words and atoms are copied.

        Args:
            words: the words of the corpus and their counts.
            atoms: texts of the atoms in ascending byte order; each is a token that stays.
            max_candidates: how many candidates there may be beside the atoms.
            min_freq: how often a candidate must be seen, at least 1.
            max_units: how many atoms a token may have, at least 1.

        Raises:
            ValueError: an atom is longer than 255 bytes, or a number is beyond its limit.
            MemoryError: there is no memory left.
        """
        self._atoms = tuple(atoms)
        table = WordTable()
        records = b"".join(record((atom,)) for atom in atoms)
        table.add_records(records, array("Q", [1]) * len(atoms))
        learner = ffi.new("wwho_learner **")
        status = lib.wwho_learner_new(
            words.handle, table.handle, max_candidates, min_freq, max_units, learner
        )
        if status == lib.WWHO_ARGUMENT:
            raise ValueError(
                f"{len(atoms)} atoms (at most 255 bytes each), min_freq {min_freq}, "
                f"{words.info().n_units} units: one of these is beyond its limit"
            )
        _raise_on_failure(status)
        self._handle = _own_handle(learner[0], lib.wwho_learner_free)

    def prune_to(self, goal: int) -> int:
        """Estimate all probabilities twice, then drop tokens down to `goal`, or to three of four.

        Atoms always stay. Where there are no more tokens than `goal`, none is dropped.

        Returns:
            How many tokens there are now.

        Raises:
            MemoryError: there is no memory left.
        """
        n_tokens = ffi.new("size_t *")
        _raise_on_failure(lib.wwho_learner_step(self._handle, goal, n_tokens))
        return int(n_tokens[0])

    def tokens(self) -> list[tuple[Word, float]]:
        """Return each token, as the texts of its atoms, and its score: the atoms come first."""
        n_atoms = lib.wwho_learner_export(self._handle, ffi.NULL, ffi.NULL, ffi.NULL)
        lengths, scores = ffi.new("uint32_t[]", n_atoms), ffi.new("double[]", n_atoms)
        atoms = ffi.new("uint32_t[]", n_atoms)
        lib.wwho_learner_export(self._handle, lengths, scores, atoms)
        found, at = list[tuple[Word, float]](), 0
        for length, score in zip(lengths, scores, strict=True):
            if not length:
                break
            found.append((tuple(self._atoms[atoms[at + k]] for k in range(length)), score))
            at += length
        return found


class Phrases:
    """Runs of neighbouring words of one script, as tokens of a model: what superwords join.

    Each word but the first of a phrase begins with the one space after the word before. A word
    with a unit that is no atom, or with more than 255 units, is in no phrase.
    """

    def __init__(self, model: Artifact) -> None:
        """Open a model of units without superwords, and start with no phrases.

        Raises:
            ArtifactError: the model is not a valid one.
            MemoryError: there is no memory left.
        """
        units = unit_model(model)
        self._model, self._pairs = NativeModel(model), units.merges
        self.handle = _own_handle(
            lib.wwho_phrases_new(self._model.handle, units.first_id, len(units.texts)),
            lib.wwho_phrases_free,
        )

    def collect(self, text: bytes, share: Fraction, count: int, sources: int = 0) -> None:
        """Collect the phrases of a text that ends after a line; other threads run meanwhile.

        Args:
            text: the text, in UTF-8.
            share: the share of its lines that is read, from 0 to 1; which ones depends on the text
                of each line alone.
            count: how often each phrase counts.
            sources: a bit for the source that the text is of.
        """
        start, lines_of_2_32 = ffi.from_buffer(text), int(share * 2**32)
        _raise_on_failure(
            lib.wwho_phrases_collect(self.handle, start, len(text), lines_of_2_32, count, sources)
        )

    def make_merger(
        self,
        max_merges: int,
        *,
        min_freq: int,
        max_words: int,
        max_units: int = MAX_TOKEN_BYTES,
        min_sources: int = 1,
    ) -> Merger:
        """Return what merges the tokens of these phrases across words; the phrases are used up.

        Args:
            max_merges: how many merges there may be.
            min_freq: how often a pair must be seen, at least 1.
            max_words: how many words a token may touch, from 2 to 127.
            max_units: how many atoms a token may have, at least 1.
            min_sources: in how many sources a pair must be seen.

        Raises:
            MemoryError: there is no memory left.
        """
        merger = ffi.new("wwho_merger **")
        pairs = ffi.new("uint32_t[]", list(chain.from_iterable(self._pairs)))
        _raise_on_failure(
            lib.wwho_merger_of_phrases(
                self.handle,
                pairs,
                len(self._pairs),
                max_merges,
                min_freq,
                max_units,
                max_words,
                min_sources,
                merger,
            )
        )
        # Not Merger(): that would lay out words.
        return Merger.__new__(Merger)._take_handle(merger[0])


def record(word: Word) -> bytes:
    """Return a word as a record of native/train.h: number of units, their lengths, their text.

    Example:
        >>> record((b"ab", b"c"))
        b'\\x02\\x02\\x01abc'
    """
    return leb.pack([len(word), *map(len, word)]) + b"".join(word)


def parse_records(records: bytes) -> Iterator[Word]:
    """Yield the words of records, which must be well-formed, as the texts of their units.

    They come in the order of the records. Nothing says if the last one is cut off.

    Example:
        >>> list(parse_records(record((b"ab", b"c")) + record((b"d",))))
        [(b'ab', b'c'), (b'd',)]
    """
    at = 0
    while at < len(records):
        (n_units,), at = leb.unpack(records, at, 1)
        lengths, at = leb.unpack(records, at, n_units)
        word = []
        for length in lengths:
            word.append(records[at : at + length])
            at += length
        yield tuple(word)


def _own_handle(handle: Any, free: Any) -> Any:
    """Return a C pointer that `free` is called with when its last reference goes.

    Raises:
        MemoryError: the pointer is null.
    """
    if handle == ffi.NULL:
        raise MemoryError("no memory left for training")
    return ffi.gc(handle, free)


def _raise_on_failure(status: int) -> None:
    """Raise an error unless a status of the C code is 0.

    Raises:
        MemoryError: there was no memory left.
        RuntimeError: any other status, which no caller should get.
    """
    if status == lib.WWHO_MEMORY:
        raise MemoryError("no memory left for training")
    if status:
        name = ffi.string(lib.wwho_status_str(status)).decode()
        raise RuntimeError(
            f"the native trainer failed with status {status} ({name}); this is a bug"
        )
