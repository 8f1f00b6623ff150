"""One tokenizer and many threads: the same answers, and the GIL is free while the core runs."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from strategies import HARD

import wwho
from wwho import Tokenizer
from wwho._core import lib
from wwho.backends import native
from wwho.encodings import model_bytes

NAMES = ("o200k_base", "wwho_328k")
THREADS = 8
SENTENCE = "The kettle’s on, ගෙදර යන පාරේ මල් පිපිලා, बगीचे में हवा चल रही थी \U0001f600.\n"
ALLOWED = {"<|endoftext|>"}


def texts() -> list[str]:
    """Return texts of a few characters to half a megabyte."""
    rng = random.Random(11)
    mixed = ["".join(rng.choices(HARD, k=rng.randint(0, 200))) for _ in range(150)]
    repeated = [SENTENCE * (k % 40) + str(k) for k in range(150)]
    return [*mixed, *repeated, SENTENCE * 4000]


def answers(enc: Tokenizer, text: str) -> tuple[Any, ...]:
    """Return the results of every method that runs the core, for a text."""
    ids = enc.encode(text, allowed_special=ALLOWED)
    return (
        ids,
        enc.encode_with_offsets(text[:2000]),
        enc.encode_ordinary(text[:2000]),
        enc.count(text, allowed_special=ALLOWED),
        enc.count_till_limit(text, 50),
        enc.segment(text[:2000]),
        enc.decode_bytes(ids),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_eight_threads_get_what_one_gets(name: str) -> None:
    lines = texts()
    alone = Tokenizer(model_bytes(name), "native")
    expected = [answers(alone, line) for line in lines]
    # opened anew, and used by all of them at once from its first text on
    enc, barrier = Tokenizer(model_bytes(name), "native"), threading.Barrier(THREADS)

    def work(number: int) -> bool:
        """Return whether this thread, among others, gets the expected results in its own order."""
        order = list(range(len(lines)))
        random.Random(number).shuffle(order)
        barrier.wait()
        return all(answers(enc, lines[k]) == expected[k] for k in order)

    with ThreadPoolExecutor(THREADS) as executor:
        assert list(executor.map(work, range(THREADS))) == [True] * THREADS


@pytest.mark.parametrize(
    ("num_threads", "times"), [(1, 1), (1, 20), (3, 20), (THREADS, 1), (THREADS, 20)]
)
def test_a_batch_is_the_same_on_any_threads_in_any_order(num_threads: int, times: int) -> None:
    enc = wwho.get_encoding("wwho_328k", "native")
    lines = [line * times for line in texts()]
    expected = {line: enc.encode(line) for line in lines}
    random.Random(num_threads).shuffle(lines)
    found = enc.encode_batch(lines, num_threads=num_threads)
    assert found == [expected[line] for line in lines]
    half = len(lines) // 2
    first, second = lines[:half], lines[half:]
    assert enc.encode_ordinary_batch(second, num_threads=num_threads) == found[half:]
    assert enc.encode_ordinary_batch(first, num_threads=num_threads) == found[:half]
    assert enc.decode_batch(found, num_threads=num_threads) == lines


# The GIL


class Watched:
    """The core, which says what function of it is running."""

    def __init__(self) -> None:
        self.inside: str | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(lib, name)
        return partial(self.call, name, found) if callable(found) else found

    def call(self, name: str, function: Callable[..., object], *arguments: object) -> object:
        """Call a function of the core, and note its name while it runs."""
        self.inside = name
        try:
            return function(*arguments)
        finally:
            self.inside = None

    def others_run(self, name: str, work: Callable[[], object]) -> bool:
        """Return whether another thread ran at any time while a function of the core did."""
        seen, done = threading.Event(), threading.Event()

        def look() -> None:
            """Note, from another thread, that the function is running."""
            while not (seen.is_set() or done.is_set()):
                if self.inside == name:
                    seen.set()
                time.sleep(0)  # lets the GIL go

        thread = threading.Thread(target=look)
        thread.start()
        work()
        done.set()
        thread.join()
        return seen.is_set()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """Let the backend use a watched core, with threads that keep Python's lock if they may."""
    found, interval = Watched(), sys.getswitchinterval()
    monkeypatch.setattr(native, "lib", found)
    sys.setswitchinterval(1e6)
    yield found
    sys.setswitchinterval(interval)


LONG = SENTENCE * 20_000
BLOB = model_bytes("wwho_328k")
WORK: dict[str, Callable[[Tokenizer], object]] = {
    "wwho_encode": lambda enc: enc.encode(LONG),
    "wwho_offsets": lambda enc: enc.encode_with_offsets(LONG),
    "wwho_decode": lambda enc: enc.decode([220] * 1_000_000),
    "wwho_open": lambda _: Tokenizer(BLOB, "native"),
}


@pytest.mark.parametrize("name", WORK)
def test_other_threads_run_while_the_core_does(name: str, watched: Watched) -> None:
    enc = wwho.get_encoding("wwho_328k", "native")
    # Again and again where the machine is so busy that the other thread gets no turn meanwhile.
    assert any(watched.others_run(name, lambda: WORK[name](enc)) for _ in range(50))


def test_no_other_thread_runs_while_the_gil_is_kept(watched: Watched) -> None:
    """Or the test above would prove nothing."""
    numbers = range(1_000_000)
    assert not any(
        watched.others_run("sum", lambda: watched.call("sum", sum, numbers)) for _ in range(20)
    )
