"""The artifact: one byte string per model, and nothing else is ever opened."""

from __future__ import annotations

import os
import re
import struct
import threading
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import oracle  # puts tools/ on the path
import pytest
from exhaustive import chosen, examples
from gen_attacks import attacks
from gen_format import rewrite_section
from hypothesis import given
from hypothesis import strategies as st
from tiny import (
    affixes_model,
    bpe_of,
    byte_tokens_model,
    empty_model,
    leaving_out_model,
    odd_added_model,
    paper_model,
    routed_model,
    small_model,
    smallest_model,
    stated_model,
    tiny_model,
)

import wwho
from wwho import ArtifactError, Tokenizer
from wwho.backends.select import BackendName
from wwho.compile.normal_forms import lower_case
from wwho.encodings import list_encoding_names, model_bytes
from wwho.format import leb
from wwho.format.container import read_container
from wwho.format.decoder import Decoder
from wwho.format.files import check_writable, write_atomic
from wwho.format.layout import Kind
from wwho.format.model import Artifact, Flag
from wwho.format.read import read_artifact
from wwho.format.steps import Action
from wwho.format.template import Template
from wwho.format.write import write_artifact

TESTS = oracle.ROOT / "tests"
READERS: tuple[BackendName, ...] = ("native", "reference")
SMALL = write_artifact(small_model())


def status(blob: bytes, reader: BackendName) -> str:
    """The status with which a reader refuses a file; "OK" where it opens it."""
    try:
        Tokenizer.from_bytes(blob, backend=reader)
    except ArtifactError as error:
        return error.status
    return "OK"


def both(blob: bytes) -> str:
    """The status that both readers give."""
    found = {status(blob, reader) for reader in READERS}
    assert len(found) == 1, found
    return found.pop()


# Writing and reading


MAKERS = (
    *(tiny_model, small_model, smallest_model, stated_model, paper_model),
    *(byte_tokens_model, empty_model, odd_added_model, affixes_model, leaving_out_model),
    routed_model,
)


@pytest.mark.parametrize("model", [make() for make in MAKERS], ids=lambda model: model.name)
def test_what_is_written_is_read(model: Artifact) -> None:
    blob = write_artifact(model)
    again = read_artifact(blob)
    for field in ("router", "routes", "steps", "added", "properties", "n_vocab", "provenance"):
        assert getattr(again, field) == getattr(model, field), field
    for mine, yours in zip(map(bpe_of, again.models), map(bpe_of, model.models), strict=True):
        same = replace(yours, merges=list(yours.merges), stated=tuple(yours.stated))
        assert replace(mine, merges=list(mine.merges)) == same
    assert list(map(list, again.token_ids)) == list(map(list, model.token_ids))
    assert again.scanners.classes == model.scanners.classes
    for ours, theirs in zip(again.scanners.automata, model.scanners.automata, strict=True):
        assert replace(ours, name="") == replace(theirs, name="")
    assert write_artifact(again) == blob
    assert both(blob) == "OK"


@pytest.mark.parametrize("name", chosen(list_encoding_names(), "gpt2", "wwho_super_328k"))
def test_shipped_artifacts_are_canonical(name: str) -> None:
    blob = model_bytes(name)
    assert write_artifact(read_artifact(blob)) == blob
    assert status(blob, "native") == "OK"


def test_sections_fill_the_file() -> None:
    steps, template, decoder = (lower_case(),), Template(), Decoder()
    full = replace(stated_model(), normalizer=steps, template=template, decoder=decoder)
    blob = write_artifact(full)
    container = read_container(blob)
    assert sorted({section.kind for section in container.sections}) == list(Kind)
    end = 20 + 12 * len(container.sections)
    for section in container.sections:
        assert section.offset == end
        end = section.end + -section.end % 4
    assert end == len(blob)


def test_the_generated_part_of_the_specification_is_up_to_date() -> None:
    text = (oracle.ROOT / "wasm" / "FORMAT.md").read_text("utf-8")
    assert rewrite_section(text) == text, "run: python tools/gen_format.py"


def test_what_refers_to_the_specification_names_a_section_of_it() -> None:
    text = (oracle.ROOT / "wasm" / "FORMAT.md").read_text("utf-8")
    headings = set(re.findall(r"^#{2,3} (\w+)", text, re.MULTILINE))
    headings |= set(re.findall(r"^### Kind \d, (\w+)", text, re.MULTILINE))
    headings |= set(re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE))
    folders = {"wasm": "[ch]", "py": "py", "web/package": "js"}
    named = {
        (path.name, name)
        for folder, ending in folders.items()
        for path in (oracle.ROOT / folder).rglob(f"*.{ending}")
        if "node_modules" not in path.parts
        for name in re.findall(r"FORMAT\.md[,:] ([A-Z]\w+)", path.read_text("utf-8"))
    }
    assert len(named) > 20
    assert {(file, name) for file, name in named if name not in headings} == set()


# Refusing


ATTACKS = attacks()


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("reader", READERS)
def test_attacks(name: str, reader: BackendName) -> None:
    assert status(ATTACKS[name], reader) == name.partition("-")[0]


def statuses_of_the_core() -> set[str]:
    """The names of the statuses of an artifact in wwho.h."""
    header = (oracle.ROOT / "wasm" / "include" / "wwho.h").read_text("utf-8")
    enum = header.partition("of an artifact")[2].partition("}")[0]
    found = set(re.findall(r"WWHO_([A-Z_]+) = \d+", enum))
    assert len(found) > 20
    return found


def test_every_status_has_an_attack() -> None:
    statuses = statuses_of_the_core()
    assert {name.partition("-")[0] for name in ATTACKS} >= statuses


def test_every_rule_of_the_specification_names_its_status_and_attack_files() -> None:
    text = (oracle.ROOT / "wasm" / "FORMAT.md").read_text("utf-8")
    assert text.count("MUST") == 1, "a MUST is a row of a table that names its attack files"
    tables = re.findall(
        r"^\|.*status: attack files \|\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE
    )
    named = []
    for row in "".join(tables).splitlines():
        cell = row.removesuffix(" |").rpartition("| ")[2]
        assert re.fullmatch(r"`[A-Z_]+`: \w+(, \w+)*(; `[A-Z_]+`: \w+(, \w+)*)*", cell), row
        for status, files in re.findall(r"`(\w+)`: ([\w, ]+)", cell):
            named += [f"{status}-{name}" for name in files.split(", ")]
    assert sorted(named) == sorted(ATTACKS)


def test_the_specification_names_every_status_section_action_and_flag() -> None:
    text = (oracle.ROOT / "wasm" / "FORMAT.md").read_text("utf-8")
    header = (oracle.ROOT / "wasm" / "include" / "wwho.h").read_text("utf-8")
    assert statuses_of_the_core() <= set(re.findall(r"`([A-Z_]+)`", text))
    sections = dict(re.findall(r"WWHO_SECTION_([A-Z]+) = (\d+)[,\n]", header))
    for kind in Kind:
        assert f"| {kind.value} | {kind.name} |" in text
        assert sections[kind.name] == str(kind.value)
    for each in (*Action, *Flag):
        assert f"| {each.value} | {each.name} |" in text


def test_messages_teach() -> None:
    with pytest.raises(ArtifactError, match=r"MAGIC: the file begins with 7b 22 .* it is no .wwho"):
        Tokenizer.from_bytes(b'{"version": "1.0"}')
    with pytest.raises(
        ArtifactError, match=r"VERSION: the file has version 2, this reader reads 3"
    ):
        Tokenizer.from_bytes(ATTACKS["VERSION-2"])


@pytest.mark.parametrize("reader", READERS)
def test_truncated_at_every_byte(reader: BackendName) -> None:
    for size in range(len(SMALL)):
        assert status(SMALL[:size], reader) == "TRUNCATED", size


@pytest.mark.parametrize("reader", READERS)
def test_trailing_bytes(reader: BackendName) -> None:
    for tail in (b"\0", b"\0\0\0\0", b"x" * 100, SMALL):
        assert status(SMALL + tail, reader) == "TRAILING"


@pytest.mark.parametrize("reader", READERS)
def test_every_byte_flipped(reader: BackendName) -> None:
    # what the header's own fields say before the checksum is looked at
    header = {
        **dict.fromkeys(range(8), "MAGIC"),
        **dict.fromkeys((8, 9), "VERSION"),
        **dict.fromkeys((10, 11), "SECTION_TABLE"),
        **dict.fromkeys(range(12, 16), "TRUNCATED"),
    }
    broken = bytearray(SMALL)
    for at in range(len(SMALL)):
        broken[at] ^= 0xFF
        assert status(bytes(broken), reader) == header.get(at, "CHECKSUM"), at
        broken[at] ^= 0xFF


# all but the page table, which is most of the file and mostly zero
TABLES = [*range(20, 400), *range(-(len(SMALL) - 17_400), 0)]


DAMAGED = (
    small_model,
    stated_model,
    byte_tokens_model,
    odd_added_model,
    affixes_model,
    routed_model,
)


@pytest.mark.parametrize("blob", [write_artifact(make()) for make in DAMAGED])
@examples(500)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(TABLES), st.integers(0, 255)), min_size=1, max_size=3
    )
)
def test_readers_agree_on_damage_behind_a_right_checksum(
    blob: bytes, changes: list[tuple[int, int]]
) -> None:
    broken = bytearray(blob)
    for at, value in changes:
        broken[at] = value
    crc = zlib.crc32(broken[20:], zlib.crc32(broken[:16]))
    struct.pack_into("<I", broken, 16, crc)
    native, reference = (status(bytes(broken), reader) for reader in READERS)
    assert (native == "OK") == (reference == "OK"), (native, reference)


# Parts


def test_leb() -> None:
    values = [0, 1, 127, 128, 16_383, 16_384, 2**21 - 1, 2**28 - 1]
    data = leb.pack(values)
    assert leb.unpack(data, 0, len(values)) == (values, len(data))
    for wrong in (-1, 2**28):
        with pytest.raises(ValueError, match=str(wrong)):
            leb.pack([wrong])


@given(st.lists(st.integers(0, 2**21)))
def test_zigzag(values: list[int]) -> None:
    assert leb.unzigzag(leb.zigzag(values)) == values
    assert all(value >= 0 for value in leb.zigzag(values))


def test_write_atomic_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "model.wwho"
    write_atomic(target, b"old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["model.wwho"]
    assert target.read_bytes() == b"old"
    monkeypatch.undo()
    write_atomic(target, b"new")
    assert target.read_bytes() == b"new"


posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX links, pipes and permissions")


@posix
def test_write_atomic_writes_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    target, link = tmp_path / "models" / "real.wwho", tmp_path / "link.wwho"
    link.symlink_to(Path("models") / "real.wwho")
    for data in (b"first", b"second"):
        write_atomic(link, data)
        assert link.is_symlink()
        assert not target.is_symlink()
        assert target.read_bytes() == data
    assert [path.name for path in target.parent.iterdir()] == ["real.wwho"]


@posix
def test_write_atomic_writes_into_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomic(pipe, b"abc")
    reader.join()
    assert read == [b"abc"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@posix
def test_write_atomic_takes_the_longest_name(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 255)
    write_atomic(target, b"abc")
    assert target.read_bytes() == b"abc"


@pytest.mark.parametrize("function", [check_writable, lambda path: write_atomic(path, b"")])
def test_what_cannot_be_written_is_named_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: Callable[[str], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    too_long = "x" * 256
    for path, reason in (
        ("folder", "is a folder"),
        ("missing/x.wwho", "its folder does not exist"),
        ("file/x.wwho", ""),
        (too_long, ""),
    ):
        with pytest.raises(OSError) as caught:  # noqa: PT011
            function(path)
        assert reason in str(caught.value)
        assert caught.value.filename == path
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError, match="its folder cannot be written to") as caught:
        function("folder/x.wwho")
    assert caught.value.filename == "folder/x.wwho"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


def test_names() -> None:
    assert {"o200k_base", "cl100k_base"} <= set(wwho.list_encoding_names())
    with pytest.raises(
        ArtifactError, match=r"there is no encoding 'o200k'; there are .*o200k_base"
    ):
        wwho.get_encoding("o200k")
    with pytest.raises(ValueError, match="no encoding"):
        wwho.get_encoding("../models/o200k_base")
