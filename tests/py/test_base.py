"""The base BPE is exact: ids equal tiktoken's on everything."""

from __future__ import annotations

import base64
import lzma
import sysconfig
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from oracle import NAMES, rank_file, rank_modules, tiktoken_encoding
from strategies import texts

import wwho
from wwho import ArtifactError, PatternError, SpecialTokenError
from wwho.artifact.read import read_model
from wwho.base.build import base_model, byte_base, import_tiktoken
from wwho.base.pairs import canonical_pairs
from wwho.base.tiktoken_file import parse_ranks, read_ranks
from wwho.encodings import model_bytes

SINGLES = [bytes([byte]) for byte in range(256)]
RUNS = (
    *(
        "a",
        "ab",
        " ",
        "\n",
        "\r\n",
        "_",
        "1",
        "Aa",
        "'s",
        "\u00a0",
        "\u0d9a",
        "\u0915\u094d",
        "\u0301",
    ),
    *("\U0001f600", "\U0001f469\u200d", "\u4f60", "\u0378", "=-", "the ", "\t "),
)


@pytest.mark.parametrize("name", NAMES)
def test_every_scalar_value_alone(name: str) -> None:
    ours, theirs = (
        wwho.get_encoding(name, "native").encode_ordinary,
        tiktoken_encoding(name).encode_ordinary,
    )
    scalars = [*range(0xD800), *range(0xE000, 0x110000)]
    assert len(scalars) == 1_112_064
    assert [c for c in scalars if ours(chr(c)) != theirs(chr(c))] == []


def corpus_lines(corpora: Path, name: str) -> list[str]:
    with lzma.open(corpora / f"test_{name}.txt.xz", "rt", encoding="utf-8", newline="\n") as file:
        return list(file)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("corpus", ["si", "hi", "en", "mixed", "kn"])
def test_corpora(name: str, corpus: str, corpora: Path) -> None:
    ours, theirs = wwho.get_encoding(name, "native"), tiktoken_encoding(name)
    lines = corpus_lines(corpora, corpus)
    assert len(lines) > 4000
    assert [line for line in lines if ours.encode(line) != theirs.encode_ordinary(line)] == []
    text = "".join(lines)
    assert ours.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize("corpus", ["si", "hi", "en", "mixed", "kn"])
def test_no_character_of_the_corpora_is_lost(corpus: str, corpora: Path) -> None:
    enc = wwho.get_encoding("wwho_328k", "native")
    lines = corpus_lines(corpora, corpus)
    assert [line for line in lines if enc.decode(enc.encode(line)) != line] == []
    if corpus == "en":  # no character of it is in a script of wwho_328k
        base = wwho.get_encoding("o200k_base", "native")
        assert [line for line in lines if enc.encode(line) != base.encode(line)] == []


@pytest.mark.parametrize("name", NAMES)
def test_source_code(name: str) -> None:
    ours, theirs = wwho.get_encoding(name, "native"), tiktoken_encoding(name)
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    assert len(files) > 100
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        assert ours.encode(text) == theirs.encode_ordinary(text), file.name


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=1000, deadline=None)
@given(text=texts)
def test_random_texts(name: str, text: str) -> None:
    expected = tiktoken_encoding(name).encode_ordinary(text)
    assert wwho.get_encoding(name, "native").encode(text) == expected
    assert wwho.get_encoding(name, "reference").encode(text) == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", RUNS)
def test_runs_of_100_000_characters(name: str, unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    ids = wwho.get_encoding(name, "native").encode(text)
    assert ids == tiktoken_encoding(name).encode_ordinary(text)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_backend_on_a_sample(name: str) -> None:
    reference, theirs = wwho.get_encoding(name, "reference"), tiktoken_encoding(name)
    code = Path(sysconfig.get_path("stdlib"), "textwrap.py").read_text("utf-8")
    scalars = "".join(chr(c) for c in range(0x20, 0x110000, 97) if not 0xD800 <= c < 0xE000)
    for text in (code, scalars, "a" * 20_000, "\u0d9a" * 5_000, " " * 20_000):
        assert reference.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize("name", NAMES)
def test_every_token(name: str) -> None:
    ours, theirs = wwho.get_encoding(name, "native"), tiktoken_encoding(name)
    n = ours.info.n_base_tokens
    assert ours.n_vocab == theirs.n_vocab
    assert ours.decode_tokens_bytes(list(range(n))) == theirs.decode_tokens_bytes(list(range(n)))
    for special in theirs.special_tokens_set:
        assert ours.encode_single_token(special) == theirs.encode_single_token(special)
    assert ours.token_byte_values() == theirs.token_byte_values()


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_artifacts_are_rebuilt_byte_for_byte(name: str) -> None:
    rank_modules()
    from gen_base import RECIPES, encoding

    recipe = next(recipe for recipe in RECIPES if recipe.name == name)
    assert encoding(recipe, rank_file(name)) == model_bytes(name)


def test_size_on_the_wire() -> None:
    brotli = pytest.importorskip("brotli", reason="needs brotli")
    blob = model_bytes("o200k_base")
    assert len(brotli.compress(blob, quality=11, lgwin=24)) <= 720_000


@pytest.mark.parametrize("name", NAMES)
def test_provenance(name: str) -> None:
    record = read_model(model_bytes(name)).provenance
    assert {"name", "source", "license", "unicode", "pattern", "writer"} <= record.keys()
    assert record["name"] == name
    assert record["license"] == "MIT"


def test_import_tiktoken(tmp_path: Path) -> None:
    path = tmp_path / "toy.tiktoken"
    path.write_bytes(spelled([*SINGLES, b"th", b"the"]))
    model = import_tiktoken(
        path, pattern=r"\w+|\W", specials={"<|x|>": 300}, name="toy", source="here", license="none"
    )
    assert (model.name, model.n_vocab, model.n_base_tokens) == ("toy", 301, 258)
    assert list(model.base_pairs) == [(116, 104), (256, 101)]
    assert read_ranks(path) == list(model.base_tokens)


def test_special_tokens_must_have_ids_of_their_own() -> None:
    build = partial(base_model, SINGLES, pattern=r"\w+|\W", provenance={})
    with pytest.raises(SpecialTokenError, match="'<x>' has the id 255"):
        build(specials={"<x>": 255})
    with pytest.raises(SpecialTokenError, match="'<y>' has the id 256, which belongs to '<x>'"):
        build(specials={"<x>": 256, "<y>": 256})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"YQ== 0\nYg==\n", r"toy:2: expected 'base64 rank', found b'Yg=='"),
        (b"YQ== 0\n???? 1\n", r"toy:2: expected 'base64 rank'"),
        (b"YQ== zero\n", r"toy:1: expected 'base64 rank'"),
        (b"YQ== -1\n", r"toy:1: an empty token or a negative rank"),
        (b"YQ== 0\nYg== 0\n", r"toy:2: rank 0 comes twice"),
        (b"YQ== 0\nYg== 2\n", r"toy: rank 1 is missing"),
        (b"YQ== 0\nYQ== 1\n", r"toy: b'a' has the ranks 0 and 1"),
        (base64.b64encode(b"a" * 1024) + b" 0", r"toy:1: a token of 1024 bytes; 1023 are possible"),
        (b'{"model": {}}', r"toy:1: expected 'base64 rank'"),
    ],
)
def test_malformed_rank_files(data: bytes, message: str) -> None:
    with pytest.raises(ArtifactError, match=message):
        parse_ranks(data, "toy")


def test_no_bpe_vocabulary() -> None:
    with pytest.raises(ArtifactError, match=r"token 256, b'abc', .* 3 parts remain"):
        canonical_pairs([*SINGLES, b"abc"])
    with pytest.raises(ArtifactError, match="not the 256 single bytes"):
        canonical_pairs([b"ab", *SINGLES])


@pytest.mark.parametrize("pattern", ["r50k_base", "o200k-base"])
def test_a_name_that_no_pattern_has(pattern: str) -> None:
    with pytest.raises(PatternError, match=f"'{pattern}'; the names are o200k_base and cl100k_ba"):
        byte_base(pattern)


def spelled(tokens: list[bytes]) -> bytes:
    """A rank file."""
    return b"".join(base64.b64encode(token) + b" %d\n" % k for k, token in enumerate(tokens))
