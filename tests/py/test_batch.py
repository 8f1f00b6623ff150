"""Many texts at once: the same ids as one by one, in lists and in arrays, from several threads."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from strategies import PARTS

import wwho
from wwho import Tokenizer
from wwho._core import lib
from wwho.backends import native, parallel
from wwho.backends.backend import RowLayout, format_ids
from wwho.encodings import model_bytes

np = pytest.importorskip("numpy")

TEXTS: list[str | bytes] = [
    "",
    "ඔයා 1 special अद्भुत",
    " It's  the kettle'LL sing;   ",
    "<|endof",
    "text|> <|endoftext|>",
    b"\xe0\xb6",
    b"\x9a \xff",
    "a\ud83d\ude00b\ud800",
    "",
]


@pytest.fixture(scope="module", params=["native", "reference"])
def enc(request: pytest.FixtureRequest) -> Tokenizer:
    """Return wwho_328k, opened by the native backend and by the reference in turn."""
    return wwho.get_encoding("wwho_328k", request.param)


@pytest.mark.parametrize("allowed", [frozenset(), "all"])
@pytest.mark.parametrize("unk", ["spell", "token"])
def test_a_batch_is_its_texts(enc: Tokenizer, allowed: Any, unk: Any) -> None:
    """Nothing joins neighbours: neither letters, nor bytes, nor a special token cut in two."""
    options = {"allowed_special": allowed, "unk": unk}
    expected = [enc.encode(text, **options) for text in TEXTS]
    assert enc.encode_batch(iter(TEXTS), **options) == expected
    assert enc.count_batch(iter(TEXTS), **options) == list(map(len, expected))
    placed = [enc.encode_with_offsets(text, **options) for text in TEXTS]
    assert enc.encode_batch_with_offsets(iter(TEXTS), **options) == placed
    ids, starts = enc.encode_batch_to_numpy(iter(TEXTS), **options)
    assert (ids.dtype, starts.dtype) == (np.uint32, np.int64)
    assert [ids[a:b].tolist() for a, b in pairwise(starts)] == expected
    assert starts[-1] == len(ids)
    if not allowed and unk == "spell":
        assert enc.encode_ordinary_batch(TEXTS) == expected


def test_no_texts(enc: Tokenizer) -> None:
    for call in (enc.encode_batch, enc.encode_batch_with_offsets, enc.count_batch):
        assert call([]) == []
    assert enc.encode_ordinary_batch([]) == []
    ids, starts = enc.encode_batch_to_numpy([])
    assert (ids.tolist(), starts.tolist()) == ([], [0])


def test_special_tokens_that_are_disallowed(enc: Tokenizer) -> None:
    """In one text, not across two."""
    calls = (enc.encode_batch, enc.encode_batch_with_offsets, enc.encode_batch_to_numpy)
    for call in calls:
        call(["<|endof", "text|>"], disallowed_special="all")
        call(TEXTS, disallowed_special="all", allowed_special={"<|endoftext|>"})
        with pytest.raises(wwho.SpecialTokenError, match=r"token '<\|endoftext\|>'"):
            call(TEXTS, disallowed_special="all")


def test_what_is_no_text(enc: Tokenizer) -> None:
    for call in (enc.encode_batch, enc.encode_batch_to_numpy, enc.count_batch):
        with pytest.raises(TypeError, match="expected str or bytes, found int"):
            call(["a", 1])  # type: ignore[list-item]
        with pytest.raises(ValueError, match="'spell' or 'token'"):
            call(["a"], unk="drop")  # type: ignore[arg-type]


def test_arrow_and_numpy_take_the_arrays_as_they_are(enc: Tokenizer) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    ids, starts = enc.encode_batch_to_numpy(TEXTS)
    column = pyarrow.LargeListArray.from_arrays(starts, ids)
    assert column.to_pylist() == enc.encode_batch(TEXTS)
    _, offsets, _, values = column.buffers()
    assert (offsets.address, values.address) == (starts.ctypes.data, ids.ctypes.data)
    ids[0] = 7  # the caller's own: nothing else uses the memory
    assert column[1][0].as_py() == 7


# Threads

LINES = [f"line {k}: the kettle sings, ගෙදර ගියා" for k in range(5000)]


@pytest.fixture
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `map_parts` believe that there are two processors."""
    monkeypatch.setattr(parallel, "processors", lambda: 2)


@pytest.mark.usefixtures("two_processors")
@pytest.mark.parametrize("name", ["encode_batch", "encode_batch_with_offsets", "count_batch"])
def test_short_texts_use_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two calls of the core run at the same time, or neither would return."""
    both = threading.Barrier(2, timeout=600)
    core, met = lib, set[int]()

    class Met:
        """The core, whose first encoding in each of two threads waits for that in the other."""

        def __getattr__(self, name: str) -> Any:
            return getattr(core, name)

        def wwho_encode(self, *arguments: object) -> object:
            """Encode, after the other thread has begun to if this is the first call of a thread."""
            if threading.get_ident() not in met:
                met.add(threading.get_ident())
                both.wait()
            return core.wwho_encode(*arguments)

    enc = Tokenizer(model_bytes("wwho_328k"), "native")
    monkeypatch.setattr(native, "lib", Met())
    getattr(enc, name)(LINES, num_threads=2)
    assert len(met) == 2


@pytest.mark.usefixtures("two_processors")
def test_a_long_text_is_taken_first() -> None:
    """It takes one thread its time; the other one does the rest meanwhile."""
    long = b"x" * (10 * parallel.PART_LENGTH)
    texts = [b"a" * 1000] * 500 + [long] + [b"b" * 1000] * 500
    begun = threading.Barrier(2, timeout=600)
    taken: list[int] = []

    def work(_: int, part: Sequence[bytes]) -> list[bytes]:
        """Note the length of a part; the first two parts wait for each other."""
        taken.append(len(part))
        if len(taken) <= 2:
            begun.wait()
        return list(part)

    done = parallel.map_parts(work, texts, 8)
    assert [text for part in done for text in part] == texts
    assert 1 in taken[:2]
    assert max(taken) <= parallel.PART_LENGTH / 1000


@pytest.mark.usefixtures("two_processors")
@pytest.mark.parametrize("mine", [False, True])
def test_an_error_stops_the_other_threads(mine: bool) -> None:
    """Whether it is raised in the caller's thread or in another one."""
    caller, failed = threading.current_thread(), threading.Event()
    calls: list[int] = []

    def work(_: int, part: Sequence[bytes]) -> None:
        """Raise MemoryError in one of the threads; the others wait until it has failed."""
        calls.append(len(part))
        if (threading.current_thread() is caller) == mine:
            failed.set()
            raise MemoryError
        failed.wait()

    with pytest.raises(MemoryError):
        parallel.map_parts(work, [b"a" * parallel.PART_LENGTH] * 1000, 2)
    assert len(calls) < 1000


def test_threads_are_at_least_one() -> None:
    with pytest.raises(ValueError, match="num_threads is 0"):
        wwho.get_encoding("wwho_328k", "native").encode_batch(["a"], num_threads=0)


EDGES = (
    1,
    7,
    8,
    15,
    16,
    17,
    19,
    20,
    21,
    31,
    32,
    33,
    63,
    64,
    65,
    66,
    127,
    128,
    129,
    300,
    1023,
    1024,
)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "wwho_super_328k"])
def test_the_end_of_a_short_text_is_encoded_as_any_other_place(name: str) -> None:
    """Alone, zeros follow a text; within a batch, the next text does; at its end, nothing."""
    enc = wwho.get_encoding(name)
    source = Random(44)
    filler = "Words to fill a text. " * 50
    for edge in EDGES * 12:
        text = "".join(source.choices(PARTS, k=edge))[:edge]
        after = source.choice(PARTS)
        ids = enc.encode(text)
        assert enc.encode_batch([text, after, filler, text]) == [
            *(ids, enc.encode(after)),
            *(enc.encode(filler), ids),
        ]
        assert enc.count(text) == len(ids)


class Text(str):
    """A text that would be another one if its methods were asked."""

    def encode(self, *_: object) -> bytes:
        """Return other bytes."""
        return b"other"


@pytest.mark.parametrize("text", ["text", "අකුරු", "é" * 3000, b"bytes", Text("text"), ""])
def test_calls_encode_without_cffi(text: str | bytes) -> None:
    """ids.c reads every form of a text as cffi's path reads its bytes."""
    backend = native.NativeBackend(model_bytes("o200k_base"))
    data = text if isinstance(text, bytes) else str.encode(text)
    assert backend._calls.encode(text, None, False) is None  # no memory yet
    ids = backend._encode(data, None, 0, native.CallMemory.id_list)
    assert backend._calls.encode(text, None, False) == ids
    assert backend._calls.encode_to_numpy(text, None, False).tolist() == ids
    assert backend._calls.count(text, None, False, len(ids) + 1) == len(ids)
    assert backend._calls.encode_batch([text, text], None, False, 20_000) == [ids, ids]
    assert backend._calls.count_batch([text], None, False, 10_000) == [len(ids)]
    assert backend._calls.count_batch([text, "a" * 10_000], None, False, 9_999) is None
    packed, starts = backend._calls.encode_batch_packed([text], None, False, 10_000)
    assert np.frombuffer(packed, np.uint32).tolist() == ids
    assert np.frombuffer(starts, np.int64).tolist() == [0, len(ids)]


@pytest.mark.parametrize("text", ["\ud800", bytearray(b"a"), None, 7, ["a"]])
def test_calls_leave_the_rest_to_cffi(text: Any) -> None:
    """Surrogates and other types are no texts for ids.c; what is no text at all is an error."""
    enc = wwho.get_encoding("o200k_base", "native")
    enc.encode("a")
    calls = enc._backend._calls  # type: ignore[attr-defined]
    for call in (calls.encode, calls.encode_to_numpy):
        assert call(text, None, False) is None
    assert calls.encode_batch([text], None, False, 100) is None
    if isinstance(text, (str, bytearray)):
        assert enc.encode_batch([text]) == [enc.encode(text)]
        assert enc.encode_to_numpy(text).tolist() == enc.encode(text)
    else:
        with pytest.raises(TypeError, match="expected str or bytes, found"):
            enc.encode(text)
        with pytest.raises(TypeError, match="expected str or bytes, found"):
            enc.encode_batch([text])


def test_ids_are_written_as_python_writes_them() -> None:
    """By C, random rows, with the numbers at which there is a digit more."""
    random = Random(1)
    edges = [10**n + d for n in range(10) for d in (-1, 0)] + [2**32 - 1]
    for _ in range(2000):
        wide = [random.getrandbits(random.randrange(1, 33)) for _ in range(random.randrange(9))]
        ids = array("I", random.sample([*edges, *wide], random.randrange(9)))
        starts = sorted(random.choices(range(len(ids) + 1), k=random.randrange(1, 6)))
        around = random.choices([b"", b" ", b", ", b"\n", b'{"ids": ['], k=3)
        given = (ids.tobytes(), array("q", starts), *RowLayout(*around))
        assert native._ids.format_ids(*given) == format_ids(*given)


@pytest.mark.parametrize("starts", [[], [-1, 2], [1, 0], [0, 3]])
def test_rows_outside_the_ids_are_refused(starts: list[int]) -> None:
    with pytest.raises(ValueError, match="do not ascend"):
        native._ids.format_ids(array("I", [1, 2]), array("q", starts), b"", b"", b"")
