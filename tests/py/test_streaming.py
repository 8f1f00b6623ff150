"""Texts that come in parts encode as they do in one."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import raw, texts
from tiny import small_model

from wwho import SpecialTokenError, Tokenizer, get_encoding
from wwho.format.write import write_artifact
from wwho.normalize import nfc, nfc_parts
from wwho.tokenizer import stream_methods

NAMES = ("o200k_base", "wwho_328k", "wwho_super_328k")
END = "<|endoftext|>"


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
    ("line", "size", "most"),
    [
        ("The kettle sings; nobody's home at 10:45, ගම\n".encode() * 1000, 200_000_000, 64_000),
        (b"a" * 64_000, 100_000_000, 64_000 + 120_000),
    ],
    ids=["sentences", "one word"],
)
def test_the_memory_that_a_pipe_takes(line: bytes, size: int, most: int) -> None:
    """`wwho count` holds 64 MB at most, Python and all, and a word that has not ended, once."""
    program = (
        "import sys; from wwho.cli.main import main; main(['count', '--model', 'wwho_328k'])\n"
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
