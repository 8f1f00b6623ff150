"""GGUF files: the metadata is read safely, and the ids are those of llama.cpp."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from exhaustive import EXHAUSTIVE, examples
from hypothesis import given
from hypothesis import strategies as st

from wwho.compile.scanners import compile_scanners
from wwho.errors import SourceError, WwhoError
from wwho.format.steps import STAND_INS
from wwho.format.write import write_artifact
from wwho.importers import Imported, Source, import_source
from wwho.importers.llama_vocabulary import check_overlaps
from wwho.interchange.gguf import read_metadata
from wwho.interchange.llama_patterns import PRETOKENIZERS, REFUSED, cuts_of
from wwho.tokenizer import Tokenizer

Value = tuple[str, str, Any]


def text(data: str | bytes) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return struct.pack("<Q", len(data)) + data


def spelled(value: Value) -> bytes:
    """One value: `s` is a text, `u` a number, `b` a flag, and arrays have an `a` before it."""
    key, kind, content = value
    if kind == "s":
        return text(key) + struct.pack("<I", 8) + text(content)
    if kind == "as":
        return text(key) + struct.pack("<IIQ", 9, 8, len(content)) + b"".join(map(text, content))
    number = {"u": (4, "I"), "b": (7, "?"), "ai": (5, "i"), "af": (6, "f"), "aB": (0, "B")}[kind]
    if kind.startswith("a"):
        array = struct.pack(f"<IIQ{len(content)}{number[1]}", 9, number[0], len(content), *content)
        return text(key) + array
    return text(key) + struct.pack(f"<I{number[1]}", number[0], content)


def gguf(*values: Value, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + b"".join(map(spelled, values))


CHARS = {bytes([byte]): char for char, byte in STAND_INS.items()}
SINGLES = [CHARS[bytes([byte])] for byte in range(256)]
MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("Ġ", "Ġ"), ("1", "2")]


def gpt2(pre: str | None = "gpt-2", *more: Value, **changed: Any) -> list[Value]:
    tokens = [
        *SINGLES,
        *(left + right for left, right in MERGES),
        "<|im_end|>",
        "<user >",
        "<unk >",
    ]
    values: dict[str, Value] = {
        "arch": ("general.architecture", "s", "llama"),
        "model": ("tokenizer.ggml.model", "s", "gpt2"),
        "tokens": ("tokenizer.ggml.tokens", "as", tokens),
        "types": ("tokenizer.ggml.token_type", "ai", [1] * (len(tokens) - 2) + [4, 3]),
        "merges": ("tokenizer.ggml.merges", "as", [" ".join(merge) for merge in MERGES]),
        "pre": ("tokenizer.ggml.pre", "s", pre),
    }
    if pre is None:
        del values["pre"]
    for key, value in changed.items():
        values[key] = (values[key][0], values[key][1], value)
    return [*values.values(), *more]


def imported(data: bytes) -> Imported:
    return import_source(Source("x.gguf", data))


def opened(found: Imported) -> Tokenizer:
    return Tokenizer.from_bytes(write_artifact(found.artifact))


@pytest.mark.parametrize("version", [2, 3])
def test_byte_level(version: int) -> None:
    template: Value = ("tokenizer.chat_template", "s", "{{ x }}")
    other: Value = ("tokenizer.chat_template.tool_use", "s", "{{ y }}")
    eos: Value = ("tokenizer.ggml.eos_token_id", "u", 262)
    found = imported(gguf(*gpt2("gpt-2", template, other, eos), version=version) + b"weights" * 99)
    enc = opened(found)
    assert found.notes == ("left out: tokenizer.chat_template.tool_use",)
    record = enc.info.provenance
    assert (record["chat_template"], record["eos_token"]) == ("{{ x }}", "<user >")
    assert found.engine.startswith("llama.cpp")
    # What llama.cpp itself gives: a user-defined token is found, a control one is text.
    assert enc.encode("the the  the<user >12") == [257, 258, 32, 258, 262, 260]
    assert enc.encode("<|im_end|>")[0] == SINGLES.index("<")
    assert enc.encode("<|im_end|>", allowed_special="all") == [261]
    assert enc.decode([258, 262, 261]) == " the<user ><|im_end|>"


def llama(*more: Value) -> bytes:
    texts = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds, scores = [2, 3, 3] + [6] * 256, [0.0] * 259
    for text, score in (
        ("\u2581t", -1.0),
        ("he", -2.0),
        ("\u2581the", -3.0),
        ("\u2581\u2581", -9.0),
    ):
        texts.append(text)
        kinds.append(1)
        scores.append(score)
    texts += ["\u2581", "t", "h", "e"]
    return gguf(
        ("tokenizer.ggml.model", "s", "llama"),
        ("tokenizer.ggml.tokens", "as", texts),
        ("tokenizer.ggml.token_type", "ai", [*kinds, 1, 1, 1, 1]),
        ("tokenizer.ggml.scores", "af", [*scores, -20.0, -21.0, -22.0, -23.0]),
        *more,
    )


def small() -> dict[str, bytes]:
    """Vocabularies of the other kinds, by tokenizer.ggml.model."""
    pieces = ["<unk>", "</s>", "\u2581", *"theca", "\u2581the", "ca", "\u2581c", "<sep>", "<0x41>"]
    singles = [f"<0x{byte:02X}>" for byte in range(256)]
    words = ["[UNK]", "[CLS]", "[SEP]", "\u2581the", "\u2581c", "\u2581!", "a", "t"]
    lines = ["\n", "\n\n\n"]

    def vocabulary(model: str, texts: Sequence[str], kinds: dict[int, int], *more: Value) -> bytes:
        types = [kinds.get(number, 1) for number in range(len(texts))]
        return gguf(
            ("tokenizer.ggml.model", "s", model),
            ("tokenizer.ggml.tokens", "as", texts),
            ("tokenizer.ggml.token_type", "ai", types),
            *more,
        )

    def number(key: str, value: int) -> Value:
        return (f"tokenizer.ggml.{key}", "u", value)

    scores: Value = (
        "tokenizer.ggml.scores",
        "af",
        [0.0, 0.0, -3.0, *(-4.0 - k for k in range(5)), -2.5, -5.0, -2.0, 0.0, 0.0],
    )
    merges: Value = ("tokenizer.ggml.merges", "as", ["t h", "th e", "\u2581 the"])
    charsmap: Value = (
        "tokenizer.ggml.precompiled_charsmap",
        "aB",
        list(struct.pack("<256I", *([0] * 256)).__len__().to_bytes(4, "little"))
        + list(struct.pack("<256I", *([0] * 256)))
        + [0],
    )
    return {
        "t5": vocabulary(
            "t5",
            pieces,
            {0: 2, 1: 3, 11: 4, 12: 6},
            scores,
            charsmap,
            number("unknown_token_id", 0),
            ("tokenizer.ggml.add_space_prefix", "b", True),
            ("tokenizer.ggml.remove_extra_whitespaces", "b", True),
        ),
        "bert": vocabulary(
            "bert",
            words,
            {0: 2, 1: 3, 2: 3},
            number("unknown_token_id", 0),
            number("bos_token_id", 1),
            number("seperator_token_id", 2),
        ),
        "gemma4": vocabulary(
            "gemma4",
            ["<unk>", "<bos>", *singles, "\u2581", *"the", "th", "the", "\u2581the", *lines],
            {0: 2, 1: 3} | {2 + byte: 6 for byte in range(256)},
            merges,
            number("bos_token_id", 1),
        ),
        "rwkv": vocabulary(
            "rwkv",
            ["<s>", *(f"\\x{byte:02x}" for byte in range(256)), "th", "the\\n"],
            {0: 3},
        ),
    }


def test_a_model_of_scores() -> None:
    """What llama.cpp calls llama; its ids were compared with llama.cpp's for two such files."""
    artifact = imported(llama()).artifact
    assert artifact.template is not None
    assert [place.id for place in artifact.template.single][:1] == [1]
    assert artifact.decoded[261] == "\u2581the".encode()
    assert write_artifact(artifact)
    prefix: Value = ("tokenizer.ggml.add_space_prefix", "b", False)
    assert len(imported(llama(prefix)).artifact.normalizer) == len(artifact.normalizer) - 1
    with pytest.raises(SourceError, match=r"name is 'My Phi-3', but there is no token .*endoftext"):
        imported(llama(("general.name", "s", "My Phi-3")))


KINDS: dict[str, dict[str, list[int]]] = {
    "t5": {
        "the cat": [8, 2, 9, 3],
        " the  ca\u2581 <sep>x": [8, 2, 9, 2, 11, 2, 0],
        "a<sep> the": [2, 7, 11, 8],
        "  ": [],
        "\u2581\u2581c ca": [2, 2, 10, 2, 9],
        "<0x41>xa": [2, 0, 7],
        "\u00e9 \u00e9": [2, 0, 2, 0],
    },
    "bert": {
        "The c! tat": [3, 4, 5, 0],
        "thea  xc\u0301a\u2581the": [3, 6, 0],
        "the\u2581c": [3, 4],
        "[CLS] c!c": [0, 0, 0, 4, 5, 4],
        "\u0301c\0a \u200d": [4, 6],
        "c\u2581": [0],
        "\u00c7a": [4, 6],
    },
    "gemma4": {
        "the  the\n\n\nth": [263, 258, 264, 266, 262],
        "\n\n\n\n": [265, 265, 265, 265],
        "\u00e9 the\u2581the": [197, 171, 264, 264],
        "<bos>t": [62, 100, 113, 117, 64, 259],
        "\n\n\nthe": [266, 263],
    },
    "rwkv": {
        "the\nthth\n": [258, 257, 257, 11],
        "<s>\u00e9": [0, 196, 170],
        "the": [257, 102],
        "\0": [1],
    },
}
"""Ids that llama.cpp gives with these vocabularies."""


@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds(kind: str) -> None:
    found = imported(small()[kind])
    assert found.notes == ()
    enc = opened(found)
    assert {text: enc.encode(text) for text in KINDS[kind]} == KINDS[kind]
    assert enc.decode(enc.encode("the")).strip() == "the"


AROUND = {"t5": [8, 1], "bert": [1, 3, 2], "gemma4": [1, 263]}


@pytest.mark.parametrize("kind", AROUND)
def test_what_stands_around(kind: str) -> None:
    found = imported(small()[kind])
    template = found.artifact.template
    assert template is not None
    assert template.ids(opened(found).encode("the")) == AROUND[kind]


def test_white_space_that_tokens_take() -> None:
    """What llama.cpp does for models that it knows by their name."""
    names = ("<unk>", "<s>", "</s>", "<|endoftext|>", "<|user|>")
    texts = [*names, *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "a"]
    values: list[Value] = [
        ("general.name", "s", "My Phi-3"),
        ("tokenizer.ggml.model", "s", "llama"),
        ("tokenizer.ggml.tokens", "as", texts),
        ("tokenizer.ggml.token_type", "ai", [2, 3, 3, 3, 3] + [6] * 256 + [1, 1]),
        ("tokenizer.ggml.scores", "af", [0.0] * len(texts)),
    ]
    enc = opened(imported(gguf(*values)))
    text = "<|user|> \n a<s> a</s>\t<|endoftext|> a"
    expected = [4, 261, 262, 1, 261, 261, 262, 2, 3, 261, 261, 262]
    assert enc.encode(text, allowed_special="all") == expected
    with pytest.raises(SourceError, match="other tokens take the white space"):
        imported(
            gguf(*values[:2], (values[2][0], "as", [*texts[:4], "< a>", *texts[5:]]), *values[3:])
        )


def test_bytes_without_tokens() -> None:
    """As in llama.cpp, those of ASCII vanish; no character has most of the others."""
    gone = [SINGLES[0x03], SINGLES[0xC0], SINGLES[0xF5]]
    tokens = [text for text in SINGLES if text not in gone] + ["<unk>", "th"]
    types = [1] * 253 + [2, 1]
    known: Value = ("tokenizer.ggml.unknown_token_id", "u", 253)
    values = gpt2("gpt-2", known, tokens=tokens, types=types, merges=["t h"])
    found = imported(gguf(*values))
    enc = opened(found)
    t, h = tokens.index("t"), tokens.index("h")
    assert enc.encode("th\x03t\x03h\x03") == [254, t, h]
    assert enc.encode(b"t\xc0") == [t, 253]
    assert found.notes[0].startswith("2 bytes of broken UTF-8, or of characters from U+40000")
    tokens[tokens.index(SINGLES[0xE2])] = "other"
    with pytest.raises(SourceError, match="no token for the byte 0xE2, which characters have"):
        imported(gguf(*gpt2("gpt-2", known, tokens=tokens, types=types, merges=["t h"])))


def test_only_the_metadata_is_read() -> None:
    class Counting(io.BytesIO):
        n_read = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.n_read += len(data)
            return data

    big: Value = ("general.big", "aB", bytes(1 << 20))
    names: Value = ("general.names", "as", ["a"] * 1000)
    head = gguf(big, names, *gpt2())
    file = Counting(head + bytes(1 << 22))
    metadata = read_metadata(file, lambda key: key.startswith("tokenizer."))
    assert len(metadata["tokenizer.ggml.tokens"]) == 264
    assert "general.big" not in metadata
    assert file.n_read < len(head) - (1 << 20)


@pytest.mark.parametrize("pre", [None, "default"])
def test_a_file_without_a_pretokenizer_is_a_warning(pre: str | None) -> None:
    (note,) = imported(gguf(*gpt2(pre))).notes
    assert note.startswith("WARNING: the file names no pretokenizer")


CUTS = {
    "llama-bpe": ("It's 'ſ 12345\n x", ["It", "'s", " '", "ſ", " ", "123", "45", "\n", " x"]),
    "qwen2": ("x\u0301 12\r\n  y", ["x", "\u0301", " ", "1", "2", "\r\n", " ", " y"]),
    "gpt-4o": ("HELLOWorld Éa", ["HELLOWorld", " Éa"]),
    "deepseek-v3": ("1234你好ab #x", ["123", "4", "你好", "ab", " #", "x"]),
    "deepseek-llm": ("\u3000ㄱab  ", ["\u3000", "ㄱ", "ab", "  "]),
    "falcon": ("12345+x", ["123", "45", "+", "x"]),
    "bloom": ("a, b  ,c", ["a", ",", " b", "  ,", "c"]),
    "kimi-k2": ("It's你好ab 12345", ["It's", "你好", "ab", " ", "123", "45"]),
    "chameleon": (
        "x<sentinel:12>IMGIMGABZ 12     y",
        [*("x", "<", "sentinel", ":", "1", "2", ">"), "IMGIMGABZ", " ", "1", "2", "    ", " y"],
    ),
    "default": ("a(b)１234", ["a", "(", "b", ")", "１", "234"]),
}


@pytest.mark.parametrize("pre", CUTS)
def test_pretokenizers(pre: str) -> None:
    """Pretokens of llama.cpp; all names were compared with it over every character."""
    source, expected = CUTS[pre]
    enc = opened(imported(gguf(*gpt2(pre))))
    data = source.encode()
    assert [data[a:b].decode() for a, b, *_ in enc._backend.spans(data)] == expected


GROUPS = {
    "tiny_aya": "11 111 111 ā 11 111 Ġ Ġ 1 Ù £ 11",
    "cohere2moe": "11 111 111 ā 11 111 Ġ Ġ 1 Ù £ 11",
    "afmoe": "11 111 111 ā11 111 Ġ Ġ 1 Ù £ 11",
    "superbpe": "11 111 111 ā 11 111 ĠĠ 1 Ù £ 11",
}


@pytest.mark.parametrize("pre", GROUPS)
def test_digits_counted_from_the_end(pre: str) -> None:
    """Tokens of llama.cpp, which leaves what is in front of a run with its first group."""
    merges = ["1 1", "11 11", "11 1", "Ġ Ġ", "Ġ 11", "ā 11"]
    tokens = [*SINGLES, *(merge.replace(" ", "") for merge in merges)]
    found = imported(gguf(*gpt2(pre, tokens=tokens, types=[1] * len(tokens), merges=merges)))
    ids = opened(found).encode("11111111\x0111111  1\u066311")
    assert " ".join(tokens[token] for token in ids) == GROUPS[pre]
    assert not found.notes


@pytest.mark.parametrize(
    "pre", sorted({each: name for name, each in PRETOKENIZERS.items()}.values())
)
def test_every_pretokenizer_is_an_automaton(pre: str) -> None:
    if pre != "jais-2":  # whose 512 spaces take ten seconds
        scanners = [scanner for scanner, _ in cuts_of(PRETOKENIZERS[pre])]
        assert compile_scanners(scanners).automata


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gguf(version=1), "GGUF of version 1; versions 2 and 3"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "of a big-endian machine; convert it with"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 1 << 40, 0),
            "tensors take at least .*cut off",
        ),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "metadata values take at least"),
        (gguf(("a", "u", 1), ("a", "u", 1)), "the key 'a' comes twice"),
        (gguf(("a", "u", 1)), "no tokenizer: the key tokenizer.ggml.model"),
        (gguf(*gpt2("gpt-5")), "tokenizer.ggml.pre is 'gpt-5', which llama.cpp does not know"),
        *((gguf(*gpt2(pre)), f"pre is '{pre}': {why}") for pre, why in REFUSED.items()),
        (gguf(*gpt2(model="plamo2")), "'plamo2', which is PLaMo 2's own; it cannot be imported"),
        (gguf(*gpt2(model="x")), "'x', which is not known"),
        (gguf(*gpt2(types=[1])), "token_type has 1 items, but there are 264 tokens"),
        (gguf(*gpt2(tokens=["a", "a"])), "the tokens 0 and 1 are both b'a'"),
        (gguf(*gpt2(merges=["ab"])), "the merge 0, b'ab', is not two tokens and a space"),
        (gguf(*gpt2(merges=["q x"])), "needs the token b'qx', which is not there"),
        (gguf(*gpt2("gpt-2", ("split.no", "u", 1))), "it is part 2 of a model in several files"),
    ],
)
def test_what_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(WwhoError, match=f"^x.gguf: .*{message}"):
        imported(data)


@pytest.mark.parametrize("size", [1 << 40, 1 << 63, 300])
@pytest.mark.parametrize("place", [b"tokenizer.ggml.tokens", b"tokenizer.ggml.merges"])
def test_counts_that_lie(size: int, place: bytes) -> None:
    """The number of items, and the length of the first text."""
    data = gguf(*gpt2())
    at = data.index(place) + len(place) + 8
    for where in (at, at + 8):
        lie = bytearray(data[: where + 400])
        lie[where : where + 8] = struct.pack("<Q", size)
        with pytest.raises(SourceError, match=r"take at least|has .* bytes"):
            imported(bytes(lie))


def by_length(text: str, tokens: list[str]) -> list[str]:
    """The tokens of a text as llama.cpp finds them: one after another, the longest first."""
    for token in sorted(tokens, key=len, reverse=True):
        before, found, after = text.partition(token)
        if found:
            return [*by_length(before, tokens), token, *by_length(after, tokens)]
    return []


def by_place(text: str, tokens: list[str]) -> list[str]:
    """The tokens of a text as the core finds them: the first, and of those the longest."""
    pattern = "|".join(map(re.escape, sorted(tokens, key=len, reverse=True)))
    return re.findall(pattern, text)


@given(
    tokens=st.lists(st.text("ab ", min_size=1, max_size=4), min_size=1, max_size=4, unique=True),
    text=st.text("ab ", max_size=20),
)
def test_tokens_that_overlap_are_refused(tokens: list[str], text: str) -> None:
    try:
        check_overlaps(tokens)
    except SourceError:
        return
    assert by_place(text, tokens) == by_length(text, tokens)


@examples(300)
@given(data=st.data())
def test_damage(data: st.DataObject) -> None:
    blob = bytearray(gguf(*gpt2()))
    blob = blob[: data.draw(st.integers(0, len(blob)))] if data.draw(st.booleans()) else blob
    for _ in range(data.draw(st.integers(0, 3))):
        if len(blob) > 4:
            blob[data.draw(st.integers(4, len(blob) - 1))] = data.draw(st.integers(0, 255))
    with suppress(WwhoError):
        assert write_artifact(imported(bytes(blob)).artifact)


# The files of llama.cpp


@pytest.fixture(scope="session")
def vocabularies() -> Path:
    """The folder of llama.cpp's vocabularies, fetched once; skips the test where it cannot be."""
    folder = Path(__file__).resolve().parents[1] / "node_modules" / ".llama-cpp-python-0.3.36"
    if not folder.is_dir():
        folder.parent.mkdir(exist_ok=True)
        archive = folder.with_suffix(".tar.gz").with_name("llama_cpp_python-0.3.36.tar.gz")
        names = ("llama-cpp-python", "llama-cpp-python==0.3.36")
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", *names]
        done = subprocess.run([*command, "-d", folder.parent], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"needs the source archive of llama-cpp-python: {done.stderr[-200:]}")
        folder.mkdir()
        with tarfile.open(archive) as file:
            for member in file.getmembers():
                if "/models/ggml-vocab-" in member.name:
                    (folder / Path(member.name).name).write_bytes(file.extractfile(member).read())  # type: ignore[union-attr]
        archive.unlink()
    return folder


def expected_ids(folder: Path, name: str) -> Sequence[tuple[str, list[int]]]:
    """Texts, and the ids that llama.cpp's own tests expect."""
    path = folder / f"ggml-vocab-{name}.gguf.inp"
    texts = path.read_text("utf-8").split("\n__ggml_vocab_test__\n")
    lines = path.with_suffix(".out").read_text("utf-8").split("\n")
    return [
        (text, [int(token) for token in line.split()])
        for text, line in zip(texts, lines, strict=False)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("gpt-2", "qwen2", "falcon", "starcoder", "llama-bpe", "deepseek-llm", "llama-spm"),
        *("phi-3", "bert-bge"),
        *(("qwen35", "deepseek-coder", "gemma-4", "command-r", "refact") if EXHAUSTIVE else ()),
    ],
)
def test_files_of_llama_cpp(vocabularies: Path, name: str) -> None:
    """One of each kind; others with `WWHO_EXHAUSTIVE`, which are cut as the texts of these are."""
    found = import_source(Source(vocabularies / f"ggml-vocab-{name}.gguf"))
    enc = opened(found)
    pairs = expected_ids(vocabularies, name)
    assert len(pairs) > 40
    assert [text for text, ids in pairs if enc.encode(text) != ids] == []
