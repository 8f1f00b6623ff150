"""Protected tokens: one token wherever they stand, and no part of a merge."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from exhaustive import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import small_model

import wwho
from wwho.assemble.atoms import AtomKind
from wwho.assemble.base import byte_base
from wwho.assemble.training_artifacts import counting_model
from wwho.compile.schema_loader import load_schema
from wwho.format.model import Added, Flag
from wwho.format.write import write_artifact
from wwho.tokenizer.tokenizer import END_OF_TEXT
from wwho.train import Corpus, count_words, train
from wwho.train.native import NativeModel, WordTable
from wwho.train.protect import parse_protected_texts
from wwho.train.reference import words_of

if TYPE_CHECKING:
    from tests.conftest import Cli

FIGURES = (
    *("circle", "rect", "line", "path", "polygon", "bar-chart", "pie-chart", "arrow", "text"),
    *("group", "grid", "axis", "legend", "marker", "frame"),
)
TAGS = (
    *(f"[{name}]" for name in FIGURES),
    *("[bars:3|5|7]", "[points:4|6|8]", "[shapes:2|3]"),
    *(f"[{name}]" for name in ("ascending", "descending", "random", "dense", "sparse", "even")),
    "[mirrored]",
    *(f"[palette:{name}]" for name in ("warm", "cool", "mono", "pastel", "dark", "light")),
    *(f"[style:{name}]" for name in ("flat", "outline", "sketch", "shadow")),
    *(f"[layout:{name}]" for name in ("single", "row", "column", "grid", "stack", "ring", "split")),
    *(f"[complexity:{name}]" for name in ("low", "middle", "high")),
    *(f"[size:{name}]" for name in ("s", "m", "l")),
    *("[front]", "[back]"),
)
ATOMS = ("<a>", "<a><b>", "<b>", "a b", " x", "ක", "ම්", "<", "tag\t", "\u00e9")
PIECES = (*ATOMS, "a", "b", "x", " ", ">", "කම", "ම", "්", "\n", "e\u0301", "the rain")
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
SCHEMAS = [load_schema("sinhala")]


def drawings(n: int) -> list[str]:
    """Lines of some tags, some words and a drawing."""
    chance = random.Random(7)
    words = [
        "draw",
        "a",
        "figure",
        "with",
        "the",
        "given",
        "shapes",
        "in",
        "order",
        "and",
        "add",
        "a",
        "title",
        "below",
    ]
    return [
        "".join(chance.sample(TAGS, chance.randint(3, 8)))
        + " ".join(chance.choices(words, k=chance.randint(3, 9)))
        + f' <svg><rect x="{chance.randrange(99)}" y="{chance.randrange(99)}"/></svg>\n'
        for _ in range(n)
    ]


def cut(text: str, protect: tuple[str, ...]) -> list[str]:
    """The parts of a text between protected tokens, the longest of which is taken at each place."""
    longest = sorted(protect, key=lambda atom: -len(atom.encode()))
    return re.split("|".join(map(re.escape, longest)), text)


@examples(200)
@given(text=texts)
def test_words_are_those_of_the_parts_between(text: str) -> None:
    cutter = counting_model(SCHEMAS, protect=ATOMS)
    plain = counting_model(SCHEMAS)
    words = WordTable()
    words.count_text(NativeModel(cutter), text.encode())
    expected = Counter(word for part in cut(text, ATOMS) for word in words_of(plain, part))
    assert dict(words.items()) == expected


@settings(max_examples=25)
@given(lines=st.lists(texts, min_size=1, max_size=20))
def test_every_backend_finds_them_without_leave(lines: list[str]) -> None:
    enc = train(
        [*lines, "කම"], schemas=SCHEMAS, base="none", prune=1, vocab_size=300, protect=ATOMS
    )
    ids = {token.text: token.id for token in enc.info.added}
    reference = wwho.Tokenizer.from_bytes(blob_of(enc), backend="reference")
    for line in lines:
        expected: list[int] = []
        rest = line
        for part in cut(line, ATOMS):
            expected += enc.encode_ordinary(part, added=False)
            rest = rest[len(part) :]
            if rest:
                atom = max((a for a in ATOMS if rest.startswith(a)), key=lambda a: len(a.encode()))
                expected.append(ids[atom])
                rest = rest[len(atom) :]
        assert enc.encode(line) == reference.encode(line) == expected
        assert enc.decode(expected) == line
        unadded = enc.encode_ordinary(line, added=False)
        assert unadded == reference.encode_ordinary(line, added=False)
        assert enc.decode(unadded) == line


def blob_of(enc: wwho.Tokenizer) -> bytes:
    """The file of a tokenizer."""
    with tempfile.TemporaryDirectory() as folder:
        enc.save(file := Path(folder, "model.wwho"))
        return file.read_bytes()


def test_they_are_found_by_any_of_their_bytes() -> None:
    base = small_model()
    for seed in range(20):  # few letters or many, at the beginning of atoms or within them
        rng = random.Random(seed)
        letters = rng.sample("ab #[|\u00e9\n19\u0d9a", rng.randint(2, 8))
        atoms = {"".join(rng.choices(letters, k=rng.randint(1, 12))) for _ in range(9)}
        more = enumerate(sorted(atoms - {token.text for token in base.added}), start=5000)
        added = (*base.added, *(Added(text, number, Flag(0)) for number, text in more))
        blob = write_artifact(replace(base, added=added))
        parts = (*letters, *atoms, "xyz " * 9, "xyz")
        text = "".join(rng.choices(parts, k=90))
        native, reference = (wwho.Tokenizer(blob, backend=b) for b in ("native", "reference"))
        assert native.encode(text) == reference.encode(text)


def test_fifty_tags_are_whole_and_cost_no_merge() -> None:
    assert len({*TAGS}) == 50
    lines = drawings(400)
    text = "".join(lines)
    arguments: dict[str, Any] = {"atoms": "byte", "vocab_size": 700}
    plain = train(lines, **arguments)
    special = train(lines, specials=TAGS, **arguments)
    protected = train(lines, protect=TAGS, **arguments)
    assert [len(protected.encode(tag)) for tag in TAGS] == [1] * 50
    assert not any(len(plain.encode(tag)) == 1 for tag in TAGS)
    assert protected.count(text) <= special.count(text, allowed_special="all") < plain.count(text)
    rest = "".join(part for line in lines for part in cut(line, TAGS))
    merged = [protected.decode([token]) for token in range(256, protected.n_vocab)]
    assert all(token in rest for token in merged if token not in (*TAGS, END_OF_TEXT))


def test_superwords_do_not_reach_across() -> None:
    text = "ගම<a> ගම පාර\n" * 50 + "ගම පාර<a>\n" * 50
    arguments: dict[str, Any] = {"schemas": ["sinhala"], "base": "none", "vocab_size": 200}
    enc = train([text], protect=["<a>"], superwords=2, prune=1, specials=[], **arguments)
    assert [enc.decode([token]) for token in enc.encode("ගම පාර<a> ගම")] == ["ගම පාර", "<a>", " ගම"]


def test_a_pattern_finds_what_to_protect() -> None:
    lines = ["<b>x</b> <b>y</b>", "<i>z</i>"]
    enc = train(lines, atoms="byte", vocab_size=300, protect=["</i>"], protect_pattern=r"</?\w>")
    assert [len(enc.encode(tag)) for tag in ("<b>", "</b>", "</i>", "<i>")] == [1, 1, 1, 3]
    once = train(lines, atoms="byte", vocab_size=300, protect_pattern=r"</?\w>", protect_min=1)
    assert len(once.encode("<i>")) == 1
    assert once.info.provenance["training"].endswith("protected 4")


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"protect": ["a\nb"]}, wwho.SpecialTokenError, "line feed"),
        ({"protect": "abc"}, TypeError, "a list of texts"),
        ({"protect_pattern": "x", "protect_min": 0}, ValueError, "1 or more"),
        ({"protect": [""]}, wwho.SpecialTokenError, "0 bytes"),
        ({"protect": ["x" * 2000]}, wwho.SpecialTokenError, "2000 bytes"),
        ({"protect": ["x"], "specials": ["x"]}, wwho.SpecialTokenError, "already"),
        ({"protect_pattern": "("}, wwho.PatternError, "no regular expression"),
        ({"protect_pattern": "q+"}, wwho.CorpusError, "finds no text 2 times"),
        ({"protect_pattern": "x", "texts": iter(["x"])}, wwho.CorpusError, "only once"),
    ],
)
def test_what_cannot_be_protected(
    arguments: dict[str, Any], error: type[Exception], named: str
) -> None:
    given: dict[str, Any] = {"texts": ["x y"], **arguments}
    with pytest.raises(error, match=named):
        train(given.pop("texts"), atoms="byte", vocab_size=300, **given)


def test_counts_know_what_was_protected(tmp_path: Path) -> None:
    lines, file = ["<a>x <a>x", "<a>x"], tmp_path / "words.counts"
    count_words(lines, file, atoms="byte", protect=["<a>"])
    arguments: dict[str, Any] = {"atoms": "byte", "vocab_size": 300}
    counted = train(Corpus(counts=[str(file)]), protect=["<a>"], **arguments)
    assert blob_of(counted) == blob_of(train(lines, protect=["<a>"], **arguments))
    with pytest.raises(wwho.CountsError, match="protected: 1 there, 0 here"):
        train(Corpus(counts=[str(file)]), **arguments)


def test_a_list_is_one_token_a_line() -> None:
    assert parse_protected_texts("[a]\r\n\n  \n[b c]\n[a]\n") == ["[a]", "[b c]"]


def test_the_command_line_says_what_was_found(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "tags.txt").write_text("[x]\n\n[x]\n", "utf-8")
    (tmp_path / "corpus.txt").write_text("[x] one [y] two [y]\n" * 3, "utf-8")
    start = ["train", "--atoms", "byte", "--vocab-size", "300", "--protect", tmp_path / "tags.txt"]
    more = ["--protect-pattern", r"\[y\]", "-o", tmp_path / "m.wwho", tmp_path / "corpus.txt"]
    told = cli(*start, "--report", *more)
    assert "protected         6  [y]" in told.out.decode()
    found = json.loads(cli(*start, "--json", *more[:-2], tmp_path / "n.wwho", more[-1]).out)
    assert found["corpus"]["protected"] == {"[x]": None, "[y]": 6}
    (tmp_path / "blank.txt").write_text("\n \n", "utf-8")
    for name, named in (("none.txt", "none.txt"), ("blank.txt", "blank.txt has 0 texts")):
        refused = cli("train", "--protect", tmp_path / name, *more[2:])
        assert refused.code == 2
        assert named in refused.err


def test_kinds_are_all_cut(tmp_path: Path) -> None:
    for kind in AtomKind:
        schemas = SCHEMAS if kind is AtomKind.SYLLABLE else []
        model = counting_model(schemas, byte_base(), kind, protect=["<a>"])
        words = WordTable()
        words.count_text(NativeModel(model), "ක<a>ම".encode())
        assert "<a>" not in "".join(b"".join(word).decode() for word, _ in words.items())
