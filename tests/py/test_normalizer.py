"""Normalizers: the forms and lower case of Hugging Face's `tokenizers`, text and places alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from exhaustive import EXHAUSTIVE
from hypothesis import given
from hypothesis import strategies as st
from rewritten import normalize
from tiny import smallest_model
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from wwho.backends.native import NativeBackend
from wwho.backends.reference import ReferenceBackend
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.compile.unicode import category
from wwho.errors import ArtifactError
from wwho.format.container import read_container
from wwho.format.layout import Kind
from wwho.format.model import Artifact
from wwho.format.steps import Map
from wwho.format.steps_section import read_steps, write_steps
from wwho.format.write import assemble, write_artifact

# The forms of `tokenizers` are those of Unicode 9.0, its lower case that of 17.0.
FORMS = {name: normal_form(name, "9.0") for name in ("nfc", "nfd", "nfkc", "nfkd")}
SCALARS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
DAMAGED = 120 if EXHAUSTIVE else 15  # sections with damage in their heads, and as many elsewhere
CASES = {
    "nfc": ([FORMS["nfc"]], normalizers.NFC()),
    "nfd": ([FORMS["nfd"]], normalizers.NFD()),
    "nfkc": ([FORMS["nfkc"]], normalizers.NFKC()),
    "nfkd": ([FORMS["nfkd"]], normalizers.NFKD()),
    "lower": ([lower_case()], normalizers.Lowercase()),
    "nfd, lower": (
        [FORMS["nfd"], lower_case()],
        normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()]),
    ),
    "nfd, no marks": (
        [FORMS["nfd"], Map(dict.fromkeys(category("M", "9.0"), ()))],
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    ),
    "lower, nfkc": (
        [lower_case(), FORMS["nfkc"]],
        normalizers.Sequence([normalizers.Lowercase(), normalizers.NFKC()]),
    ),
}

Steps = Sequence[Map]
pytestmark = pytest.mark.parametrize("name", list(CASES))


def spoken_of(steps: Steps) -> list[int]:
    """What the steps do something to, and Hangul."""
    return sorted(set().union(*(step.code_points for step in steps), range(0x1100, 0x1200)))


def places(normalizer: normalizers.Normalizer, text: str) -> list[tuple[int, int]]:
    """Where each character of the normalized text comes from, in code points, by `tokenizers`."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(?m)."), "isolated")
    offsets: list[tuple[int, int]] = tokenizer.encode(text).offsets
    return offsets


def our_places(steps: Steps, text: str) -> list[tuple[int, int]]:
    """The same by the reference."""
    data = text.encode()
    normalized, sources = normalize(steps, data)
    found, at = [], 0
    for character in normalized.decode():
        first = len(data[: sources[at]].decode())
        found.append((first, first + 1))
        at += len(character.encode())
    return found


def test_every_code_point(name: str) -> None:
    steps, theirs = CASES[name]
    changed = {*spoken_of(steps), *range(0xAC00, 0xAC00 + 11172), ord("\n"), *range(256)}
    # An ideograph between two of them, with which none joins, keeps them apart.
    texts = [f"\u4e00{chr(code_point)}" for code_point in sorted(changed)]
    for start in range(0, len(texts), 500):
        text = "".join(texts[start : start + 500])
        assert normalize(steps, text.encode())[0].decode() == theirs.normalize_str(text)
    # Of all others, the normalizer says nothing: theirs must leave them alone.
    others = [chr(code_point) for code_point in SCALARS if code_point not in changed]
    between = theirs.normalize_str("\u4e00")
    for start in range(0, len(others), 1000):
        part = others[start : start + 1000]
        assert theirs.normalize_str("\u4e00".join(part)) == between.join(part)


def test_hard_texts(name: str) -> None:
    steps, theirs = CASES[name]
    rng = random.Random(name)
    codes = [*spoken_of(steps), 0xAC00, 0xAC01, 0xD7A3]
    for _ in range(1500):
        made = (
            rng.choice(codes) if rng.random() < 0.7 else ord(rng.choice("aE İΣß1"))
            for _ in range(9)
        )
        text = "".join(map(chr, made))
        normalized = normalize(steps, text.encode())[0].decode()
        assert normalized == theirs.normalize_str(text)
        assert our_places(steps, text) == places(theirs, text)


@given(text=st.binary())
def test_broken_utf8_stays(name: str, text: bytes) -> None:
    steps, theirs = CASES[name]
    normalized, sources = normalize(steps, text)
    assert len(normalized) == len(sources)
    if text.isascii():
        assert normalized.decode() == theirs.normalize_str(text.decode())
    stray = [byte for byte in text if text.decode(errors="ignore") == "" and byte >= 0x80]
    assert not stray or bytes(stray) == normalized


def test_reads_what_it_writes(name: str) -> None:
    steps, _ = CASES[name]
    data = write_steps(steps)
    assert read_steps(data) == tuple(steps)
    for end in range(0, len(data), 1 + len(data) // 50):
        with pytest.raises(ArtifactError) as caught:
            read_steps(data[:end])
        assert caught.value.status == "STEPS"


# The core


def artifact_with(steps: Steps) -> Artifact:
    """The least that is a tokenizer, and normalizes."""
    return replace(smallest_model(), normalizer=tuple(steps))


def test_the_core_gives_the_same(name: str) -> None:
    steps, _ = CASES[name]
    backend = NativeBackend(write_artifact(artifact_with(steps)))
    rng = random.Random(name)
    codes = [*map(chr, spoken_of(steps)), *"aE İΣß1"]
    pieces = [*(code.encode() for code in codes), b"\xff", b"\xe0\xb6", b"\xcc"]
    for size in (1, 3, 9, 40, 400):
        for _ in range(120):
            text = b"".join(rng.choices(pieces, k=size))
            assert backend.sources(text) == normalize(steps, text)
            assert backend.normalize(text) == normalize(steps, text)[0]
            head, read = backend.normalize_some(text)
            assert head + backend.normalize(text[read:]) == backend.normalize(text)
            assert head == normalize(steps, text[:read])[0]


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0344", "\u0591\u0301"])
def test_a_run_of_marks_is_taken_whole(name: str, marks: str) -> None:
    """However long it is; work and memory grow with it."""
    steps, _ = CASES[name]
    backend = NativeBackend(write_artifact(artifact_with(steps)))
    text = ("a" + marks * 20_000 + "b").encode()
    assert backend.normalize(text) == normalize(steps, text)[0]
    again = backend.normalize(backend.normalize(text))
    assert again == backend.normalize(text)


def test_readers_agree_on_damaged_sections(name: str) -> None:
    """Where a section is changed, both refuse it for the same reason, or both do the same."""
    steps, _ = CASES[name]
    blob = write_artifact(artifact_with(steps))
    container = read_container(blob)
    rng = random.Random(name)
    probes = [text.encode() for text in ("ạ́É각\u1161İ", "\u0344\u0301ΣAﬁ")]
    refused = 0
    for number in range(2 * DAMAGED):
        data = bytearray(container[Kind.STEPS])
        at = rng.randrange(28 if number < DAMAGED else len(data))
        data[at] = rng.randrange(256) if number % 2 else data[at] ^ 1 << rng.randrange(8)
        damaged = assemble(
            [
                (Kind(s.kind), bytes(data) if s.kind == Kind.STEPS else blob[s.offset : s.end])
                for s in container.sections
            ]
        )
        found: list[object] = []
        for backend in (NativeBackend, ReferenceBackend):
            try:
                opened = backend(damaged)
                found.append([opened.sources(probe) for probe in probes])
            except ArtifactError as error:
                found.append(error.status)
        assert found[0] == found[1]
        refused += isinstance(found[0], str)
    assert refused
