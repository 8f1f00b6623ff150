"""Many texts at once: the same ids as one by one, in lists and in arrays, from several threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

import wwho
from wwho import Tokenizer
from wwho._core import lib
from wwho.backends import native, parallel
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

    def work(part: Sequence[bytes]) -> list[bytes]:
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

    def work(part: Sequence[bytes]) -> None:
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
