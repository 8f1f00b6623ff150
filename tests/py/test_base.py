"""The base BPE is exact: ids equal tiktoken's on everything."""

from __future__ import annotations

import base64
import lzma
import sysconfig
from pathlib import Path
from unicodedata import category

import pytest
from exhaustive import EXHAUSTIVE, examples
from hypothesis import given
from oracle import NAMES, TWINS, rank_file, rank_modules, recipe_of, tiktoken_encoding
from strategies import texts
from tiny import bpe_of

import wwho
from wwho import ArtifactError, PatternError, SpecialTokenError, Tokenizer, UnknownTokenError
from wwho.assemble.base import base_model, byte_base
from wwho.backends.select import BackendName
from wwho.encodings import model_bytes
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.importers import Options, import_file
from wwho.importers.ranks import parse_ranks

DISTINCT = [name for name in NAMES if name not in TWINS]
TRIED = NAMES if EXHAUSTIVE else DISTINCT
NO_CHARACTERS = ("Cn", "Co")
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


@pytest.mark.parametrize(("name", "twin"), TWINS.items())
def test_twins_differ_in_special_tokens_alone(name: str, twin: str) -> None:
    one, other = read_artifact(model_bytes(name)), read_artifact(model_bytes(twin))
    assert one.scanners == other.scanners
    assert one.models[0].texts == other.models[0].texts
    assert list(bpe_of(one.models[0]).merges) == list(bpe_of(other.models[0]).merges)
    assert list(one.token_ids[0]) == list(other.token_ids[0])


@pytest.mark.parametrize("name", DISTINCT)
def test_every_scalar_value_alone(name: str) -> None:
    """Of those that are no characters, or private, every 16th, or all with `WWHO_EXHAUSTIVE`."""
    everything = map(chr, (*range(0xD800), *range(0xE000, 0x110000)))
    scalars = [
        c for c in everything if EXHAUSTIVE or ord(c) % 16 == 0 or category(c) not in NO_CHARACTERS
    ]
    assert len(scalars) > (1_112_063 if EXHAUSTIVE else 180_000)
    ours = wwho.get_encoding(name, "native").encode_ordinary_batch(scalars)
    theirs = map(tiktoken_encoding(name).encode_ordinary, scalars)
    assert [c for c, a, b in zip(scalars, ours, theirs, strict=True) if a != b] == []


def corpus_lines(corpora: Path, name: str) -> list[str]:
    with lzma.open(corpora / f"test_{name}.txt.xz", "rt", encoding="utf-8", newline="\n") as file:
        return list(file)


@pytest.mark.parametrize("name", DISTINCT)
@pytest.mark.parametrize("corpus", ["si", "hi", "en", "mixed", "kn"])
def test_corpora(name: str, corpus: str, corpora: Path) -> None:
    ours, theirs = wwho.get_encoding(name, "native"), tiktoken_encoding(name)
    lines = corpus_lines(corpora, corpus)
    assert len(lines) > 4000
    text = "".join(lines[::3])
    assert ours.encode(text) == theirs.encode_ordinary(text)
    some = lines[1::15]
    assert [line for line in some if ours.encode(line) != theirs.encode_ordinary(line)] == []


@pytest.mark.parametrize("corpus", ["si", "hi", "en", "mixed", "kn"])
def test_no_character_of_the_corpora_is_lost(corpus: str, corpora: Path) -> None:
    enc = wwho.get_encoding("wwho_328k", "native")
    lines = corpus_lines(corpora, corpus)
    assert [line for line in lines if enc.decode(enc.encode(line)) != line] == []
    if corpus == "en":  # no character of it is in a script of wwho_328k
        base = wwho.get_encoding("o200k_base", "native")
        assert [line for line in lines if enc.encode(line) != base.encode(line)] == []


@pytest.mark.parametrize("name", DISTINCT)
def test_source_code(name: str) -> None:
    ours, theirs = wwho.get_encoding(name, "native"), tiktoken_encoding(name)
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    assert len(files) > 100
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        assert ours.encode(text) == theirs.encode_ordinary(text), file.name


@pytest.mark.parametrize("name", DISTINCT)
@examples(1000)
@given(text=texts)
def test_random_texts(name: str, text: str) -> None:
    expected = tiktoken_encoding(name).encode_ordinary(text)
    assert wwho.get_encoding(name, "native").encode(text) == expected
    assert wwho.get_encoding(name, "reference").encode(text) == expected


@pytest.mark.parametrize("name", DISTINCT)
@pytest.mark.parametrize("unit", RUNS)
def test_runs_of_100_000_characters(name: str, unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    ids = wwho.get_encoding(name, "native").encode(text)
    assert ids == tiktoken_encoding(name).encode_ordinary(text)


@pytest.mark.parametrize("name", DISTINCT)
def test_the_reference_backend_on_a_sample(name: str) -> None:
    reference, theirs = wwho.get_encoding(name, "reference"), tiktoken_encoding(name)
    code = Path(sysconfig.get_path("stdlib"), "textwrap.py").read_text("utf-8")
    scalars = "".join(chr(c) for c in range(0x20, 0x110000, 97) if not 0xD800 <= c < 0xE000)
    for text in (code, scalars, "a" * 20_000, "\u0d9a" * 5_000, " " * 20_000):
        assert reference.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_every_token(name: str) -> None:
    ours, theirs = wwho.get_encoding(name, "native"), tiktoken_encoding(name)
    assert ours.n_vocab == theirs.n_vocab
    for token in range(ours.n_vocab + 1):
        try:
            expected = theirs.decode_single_token_bytes(token)
        except KeyError:
            with pytest.raises(KeyError):
                ours.decode_single_token_bytes(token)
        else:
            assert ours.decode_single_token_bytes(token) == expected
            assert ours.encode_single_token(expected) == token
    assert ours.info.specials == theirs._special_tokens
    for special in theirs.special_tokens_set:
        assert ours.encode(special, allowed_special="all") == [theirs.encode_single_token(special)]
    assert ours.token_byte_values() == theirs.token_byte_values()


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_the_shipped_artifacts_are_rebuilt_byte_for_byte(name: str) -> None:
    rank_modules()
    from gen_base import make_artifact

    assert make_artifact(recipe_of(name), rank_file(name)) == model_bytes(name)


@pytest.mark.slow
def test_size_on_the_wire() -> None:
    brotli = pytest.importorskip("brotli", reason="needs brotli")
    blob = model_bytes("o200k_base")
    assert len(brotli.compress(blob, quality=11, lgwin=24)) <= 720_000


@pytest.mark.parametrize("name", NAMES)
def test_provenance(name: str) -> None:
    record = wwho.get_encoding(name).info.provenance
    assert {"name", "source", "license", "unicode", "pattern", "writer"} <= record.keys()
    assert record["name"] == name
    assert record["license"] == "MIT"


def test_import_of_a_rank_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.tiktoken"
    path.write_bytes(spelled([*SINGLES, b"th", b"the"]))
    told = Options(pattern=r"\w+|\W", specials={"<|x|>": 300}, name="toy", source="here")
    model = import_file(path, told).artifact
    assert (model.name, model.n_vocab, len(model.models[0].texts)) == ("toy", 301, 258)
    assert list(bpe_of(model.models[0]).merges) == [(116, 104), (256, 101)]
    assert list(parse_ranks(path.read_bytes())) == list(model.models[0].texts)


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_ids_step_over_those_of_special_tokens(backend: BackendName) -> None:
    ranks = {token: rank + (rank >= 97) + (rank >= 256) for rank, token in enumerate(SINGLES)}
    ranks |= {b"th": 258, b"the": 260}
    specials = {"<x>": 259, "<y>": 97, "<z>": 257, "<also z>": 257, "<far>": 300}
    model = base_model(ranks, pattern=r"\w+|\W", specials=specials, provenance={})
    enc = Tokenizer.from_bytes(write_artifact(model), backend=backend)
    assert (enc.n_vocab, list(enc.info.specials)) == (
        301,
        ["<y>", "<z>", "<also z>", "<x>", "<far>"],
    )
    assert enc.encode("`a the") == [96, 98, 32, 260]
    assert enc.encode("thee" * 99) == [260, 102] * 99  # longer than the core remembers
    ids = enc.encode("<also z>the<x><far><z><y>", allowed_special="all")
    assert ids == [257, 260, 259, 300, 257, 97]
    assert enc.decode(ids) == "<z>the<x><far><z><y>"
    assert {enc.decode_single_token_bytes(rank): rank for rank in ranks.values()} == ranks
    assert [enc.encode_single_token(token) for token in ranks] == list(ranks.values())
    with pytest.raises(UnknownTokenError):
        enc.decode([261])


def test_ranks_and_special_tokens_must_have_ids_of_their_own() -> None:
    ranks = {token: rank for rank, token in enumerate(SINGLES)}
    with pytest.raises(SpecialTokenError, match=r"'<x>' has the id 255, which belongs to b'\\xff'"):
        base_model(ranks, pattern=r"\w+|\W", specials={"<x>": 255}, provenance={})
    with pytest.raises(ArtifactError, match=r"b'\\xff' and b'th' have the id 255"):
        base_model(ranks | {b"th": 255}, pattern=r"\w+|\W", specials={}, provenance={})
    with pytest.raises(SpecialTokenError, match=r"'<x>' has the id -1; ids are 0 to"):
        base_model(SINGLES, pattern=r"\w+|\W", specials={"<x>": -1}, provenance={})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"YQ== 0\nYg==\n", r"toy:2: expected 'base64 rank', found b'Yg=='"),
        (b"YQ== 0\n???? 1\n", r"toy:2: expected base64, found"),
        (b"YQ== zero\n", r"toy:1: expected 'base64 rank'"),
        (b"YQ== -1\n", r"toy:1: expected 'base64 rank'"),
        (b"YQ== 0\nYg== 0\n", r"toy:2: rank 0 comes twice"),
        (b"YQ== 0\nYQ== 1\n", r"toy:2: b'a' has the ranks 0 and 1"),
        (base64.b64encode(b"a" * 1025) + b" 0", r"toy:1: a token of 1025 bytes; 1024 are possible"),
        (b'{"model": {}}', r"toy:1: expected 'base64 rank'"),
    ],
)
def test_malformed_rank_files(data: bytes, message: str) -> None:
    with pytest.raises(ArtifactError, match=message):
        parse_ranks(data, "toy")


def test_ranks_that_no_merge_makes_and_ids_that_nothing_has() -> None:
    ranks = {token: rank for rank, token in enumerate(SINGLES)} | {
        b"abc": 300,
        b"ab": 500,
        b"xyz": 501,
    }
    model = base_model(ranks, pattern=r"\w+|\W", specials={"<x>": 400}, provenance={})
    enc = Tokenizer.from_bytes(write_artifact(model))
    assert enc.encode("abc abcc ab") == [300, 32, 300, 99, 32, 500]
    assert enc.encode("xyz xyzz") == [501, 32, 120, 121, 122, 122]
    with pytest.raises(ArtifactError, match=r"255 of the 256 bytes are tokens"):
        base_model(SINGLES[:-1], pattern=r"\w+|\W", specials={}, provenance={})


@pytest.mark.parametrize("pattern", ["p50k_base", "o200k-base"])
def test_a_name_that_no_pattern_has(pattern: str) -> None:
    with pytest.raises(PatternError, match=f"'{pattern}'; the names are o200k_base, r50k_base"):
        byte_base(pattern)


def spelled(tokens: list[bytes]) -> bytes:
    """A rank file."""
    return b"".join(base64.b64encode(token) + b" %d\n" % k for k, token in enumerate(tokens))
