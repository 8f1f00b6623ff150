"""Texts that come in parts encode as they do in one."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import raw, texts
from tiny import small_model

from wwho import SpecialTokenError, Tokenizer, get_encoding
from wwho.encodings import model_bytes
from wwho.format.steps import Ends
from wwho.format.write import write_artifact
from wwho.normalize import nfc, nfc_parts
from wwho.tokenizer import stream_methods

NAMES = ("o200k_base", "wwho_328k", "wwho_super_328k")
END = "<|endoftext|>"
SENTENCE = "The kettle sings; nobody's home at 10:45, ගම\n".encode()


def cut(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Yield a text in random parts, some of which are empty."""
    at = 0
    while at < len(data):
        size = rng.choice((0, 1, 2, 7, 30, 200))
        yield data[at : at + size]
        at += size


@pytest.fixture(autouse=True)
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let streams encode after 20 bytes, so that short texts come in many parts."""
    monkeypatch.setattr(stream_methods, "PART_BYTES", 20)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(text=st.one_of(raw, texts.map(str.encode)), seed=st.integers(0, 1000))
def test_a_stream_encodes_as_the_whole(name: str, text: bytes, seed: int) -> None:
    enc = get_encoding(name)
    text = (text + END.encode() + b" and on, ") * 3
    for allowed in (frozenset[str](), frozenset({END})):
        parts = [*cut(text, random.Random(seed))]
        found = [*enc.encode_stream(parts, allowed_special=allowed)]
        assert len(found) > 1
        assert [*chain.from_iterable(found)] == enc.encode(text, allowed_special=allowed)
        assert enc.count_stream(parts, allowed_special=allowed) == sum(map(len, found))


@pytest.fixture
def three_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let streams believe that there are three processors."""
    monkeypatch.setattr(stream_methods, "processors", lambda: 3)


@pytest.mark.usefixtures("three_processors")
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(text=st.one_of(raw, texts.map(str.encode)), seed=st.integers(0, 1000))
def test_three_threads_give_the_ids_of_one(name: str, text: bytes, seed: int) -> None:
    """A word without a safe place comes between; a whole text in one part is shared, too."""
    enc = get_encoding(name)
    text = (text + END.encode() + b" and on, " + b"x" * 50) * 3
    for allowed in (frozenset[str](), frozenset({END})):
        expected = enc.encode(text, allowed_special=allowed)
        for parts in ([*cut(text, random.Random(seed))], [text]):
            options: dict[str, Any] = {"num_threads": 3, "allowed_special": allowed}
            assert [*chain.from_iterable(enc.encode_stream(parts, **options))] == expected
            assert enc.count_stream(parts, **options) == len(expected)


@pytest.mark.usefixtures("three_processors")
def test_pieces_do_not_begin_as_a_text_does() -> None:
    """Of a model that puts a prefix where the text begins, only the first piece gets it."""
    small, prefix = small_model(), Ends(prefix="#", first=True)
    routes = [replace(r, steps=(*r.steps, prefix)) if r.steps else r for r in small.routes]
    enc = Tokenizer(write_artifact(replace(small, routes=tuple(routes))), "native")
    text = b"ab kkk ba <|a|>ab <|a|>" * 40
    assert enc._backend.safe_cut(text, enc._specials.mask(frozenset({"<|a|>"})))
    for allowed in (frozenset[str](), "all"):
        expected = enc.encode(text, allowed_special=allowed)
        assert expected.count(ord("#")) == 1
        found = [*enc.encode_stream([text], num_threads=3, allowed_special=allowed)]
        assert [*chain.from_iterable(found)] == expected


@pytest.mark.usefixtures("three_processors")
def test_threads_run_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three pieces are encoded at the same time, or none of them would end."""
    enc = Tokenizer(model_bytes("o200k_base"), "native")
    together, encode_part = threading.Barrier(3, timeout=600), enc._backend.encode_part
    met: set[threading.Thread] = set()

    def wait_and_encode(*arguments: Any) -> Any:
        """Encode, after two other threads have begun to if this is the first call of a thread."""
        if threading.current_thread() not in {threading.main_thread(), *met}:
            met.add(threading.current_thread())
            together.wait()
        return encode_part(*arguments)

    monkeypatch.setattr(enc._backend, "encode_part", wait_and_encode)
    text = b"One two, three. " * 1000
    assert enc.count_stream([text], num_threads=3) == enc.count(text)
    assert len(met) == 3


def test_an_error_of_the_source_ends_the_threads() -> None:
    def broken() -> Iterator[bytes]:
        yield from [b"one two, three. "] * 100
        raise OSError("gone")

    before = threading.active_count()
    with pytest.raises(OSError, match="gone"):
        get_encoding("o200k_base").count_stream(broken(), num_threads=3)
    assert threading.active_count() == before


def test_threads_of_a_stream_are_at_least_one() -> None:
    enc = get_encoding("o200k_base")
    with pytest.raises(ValueError, match="num_threads is 0"):
        enc.count_stream([b"a"], num_threads=0)
    with pytest.raises(ValueError, match="num_threads is 0"):
        next(enc.encode_stream([b"a"], num_threads=0))


def test_strings_and_nothing() -> None:
    enc = get_encoding("o200k_base")
    assert [*enc.encode_stream(["hello", " wor", "ld"])] == [[24912, 2375]]
    assert [*enc.encode_stream([])] == []
    assert enc.count_stream([b"", b""]) == 0


def test_a_disallowed_special_token_is_found_across_parts() -> None:
    enc = get_encoding("o200k_base")
    parts = [b"one two, three, four <|end", b"oftext|> five"]
    with pytest.raises(SpecialTokenError):
        enc.count_stream(parts, disallowed_special="all")
    assert enc.count_stream(parts) == enc.count(b"".join(parts))


def test_a_model_that_normalizes() -> None:
    model = replace(small_model(), provenance={"name": "small", "normalize": "nfc"})
    enc = Tokenizer(write_artifact(model))
    text = "a\u0301 ක\u0dd9\u0dca\u0dcf, e\u0301\u0323! ".encode() * 9
    for seed in range(20):
        parts = [*cut(text, random.Random(seed))]
        assert b"".join(nfc_parts(parts)) == nfc(text)
        assert [*chain.from_iterable(enc.encode_stream(parts))] == enc.encode(text)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("line", "size", "threads", "most"),
    [
        (SENTENCE * 1000, 200_000_000, 1, 64_000),
        (SENTENCE * 1000, 200_000_000, 2, 64_000 + 16_000),
        (b"a" * 64_000, 100_000_000, 2, 64_000 + 120_000),
    ],
    ids=["sentences", "two threads", "one word"],
)
def test_the_memory_that_a_pipe_takes(line: bytes, size: int, threads: int, most: int) -> None:
    """`wwho count` holds 64 MB at most, Python and all, and a word that has not ended, once.

    A second thread may take 16 MB more.
    """
    program = (
        "import sys; from wwho.cli.main import main\n"
        f"main(['count', '--model', 'wwho_328k', '--threads', '{threads}'])\n"
        "print([line for line in open('/proc/self/status') if 'VmHWM' in line][0])"
    )
    rounds = size // len(line)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(rounds):
            process.stdin.write(line)
        process.stdin.close()
        tokens, memory = process.stdout.read().split(b"\n", 1)
    assert int(tokens.split()[0]) == rounds * get_encoding("wwho_328k").count(line)
    assert int(memory.split()[1]) < most
