"""Other atoms than syllables, and other bases than a shipped one: the same trainer, other scanners.

Each variant learns what the reference trainer learns, keeps every text whole in every backend, and
is an artifact like any other.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import regex
from exhaustive import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import bpe_of, specials_of

from wwho.assemble.atoms import PLAIN, AtomKind
from wwho.assemble.atoms import Words as WordRule
from wwho.assemble.base import base_model, byte_base
from wwho.assemble.patterns import PATTERNS
from wwho.assemble.script import script_step
from wwho.assemble.training_artifacts import counting_model, special_ids, trained_model, unit_model
from wwho.cli.verify_artifact import check_merges
from wwho.compile.schema import Schema
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.corpus.texts import Texts
from wwho.errors import CorpusError, SchemaError
from wwho.format.bpe import BYTES
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer
from wwho.train.atom_choice import atoms_of
from wwho.train.native import Merger, NativeModel, WordTable
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.plan import SPECIALS
from wwho.train.reference import train_reference, words_of

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = (load_schema("sinhala"), load_schema("devanagari"))
BYTE_BASE = byte_base()
BASE = base_model(
    [*BYTES, b"th", b"the", b"\xe0\xb6"],
    pattern=r"\s?\w+|\s+|[^\s\w]+",
    specials={"<|end|>": 300},
    provenance={"name": "toy"},
)


@dataclass(frozen=True, eq=False)
class Variant:
    """What to train: atoms, the text of scripts or all text, a base."""

    kind: AtomKind
    schemas: tuple[Schema, ...]
    base: Artifact
    words: WordRule = PLAIN

    def __repr__(self) -> str:
        text = "words" if self.words.whitespace else "scripts" if self.schemas else "all"
        return f"{self.kind}-{text}-{'ends' if self.words.end_of_word else self.base.name}"


VARIANTS = [
    Variant(AtomKind.SYLLABLE, SCHEMAS, BYTE_BASE),
    *(
        Variant(kind, schemas, base)
        for kind in (AtomKind.GRAPHEME, AtomKind.CODEPOINT)
        for schemas in (SCHEMAS, ())
        for base in (BASE, BYTE_BASE)
    ),
    Variant(AtomKind.BYTE, (), BYTE_BASE),
    Variant(AtomKind.SYLLABLE, SCHEMAS, BASE, WordRule(whitespace=True)),
    Variant(AtomKind.SYLLABLE, SCHEMAS, BASE, WordRule(end_of_word=True)),
    Variant(AtomKind.SYLLABLE, SCHEMAS, BYTE_BASE, WordRule(whitespace=True, end_of_word=True)),
    Variant(AtomKind.CODEPOINT, SCHEMAS, BASE, WordRule(end_of_word=True)),
]
NAMED = {repr(variant): variant for variant in VARIANTS}
variants = pytest.mark.parametrize("variant", VARIANTS, ids=repr)

PARTS = [
    *["ක", "ම", "ග", "අ", "කි", "න්ද්\u200dර", "ං", "්", "\u200d", "\u200c"],
    *["क", "म", "अ", "कि", "क्ष", "ं", "।", "१", "ॐ"],
    *["a", "e\u0301", "th", "é", "1", ".", "!?", "\n", "\r\n", "\t", "   "],
    *["👩\u200d👧", "👍🏽", "🇱🇰", "각", "漢", "\u0301", "\u0600", "\ufffd", "\0"],
    *["<|end|>", "[UNK]"],
]
texts = st.lists(st.sampled_from([*PARTS, " ", " ", " ", "ක", "ම", "क", "a"]), max_size=50).map(
    "".join
)
anything = st.text(max_size=30) | texts

CORPUS = (
    "අපේ ගමේ පාර දිගේ ගංගාව ගලා යයි. ගමේ ළමයි ගංගාවේ නාති. ක්\u200dරිකට් තරගය අද.\n"
    "पानी बरसता है। बच्चे पानी में खेलते हैं। क्षत्रिय की क्षमा।\n"
    "Rain falls on ගම and गाँव alike; the rain's sound,  the garden's green. 12 345\n"
    "Il pleut e\u0301te\u0301 👩\u200d👧 🇱🇰🇮🇳 각각 漢字\r\n\r\n\tend\n"
)
RARE = "ෆෝ ඥානය छ छत्र жΩ zq 語\n"


@cache
def cutter(variant: Variant) -> Artifact:
    return counting_model(variant.schemas, variant.base, variant.kind, variant.words)


@cache
def scanners(variant: Variant) -> NativeModel:
    return NativeModel(cutter(variant))


def learn_natively(
    variant: Variant, text: str, *, vocab_size: int, prune: int, min_freq: int = 2
) -> tuple[tuple[bytes, ...], list[tuple[int, int]]]:
    words = WordTable()
    words.count_text(scanners(variant), text.encode("utf-8"))
    if variant.kind is AtomKind.BYTE:
        words = words.spell_bytes()
    atoms = atoms_of(variant.kind, words, prune, end_of_word=variant.words.end_of_word)
    room = vocab_size - len(atoms)
    return atoms, Merger(words, atoms, max_merges=room, min_freq=min_freq).run().merges()


@cache
def trained(variant: Variant) -> Artifact:
    """A vocabulary of the small corpus, in which what is rare is no atom."""
    atoms, merges = learn_natively(variant, CORPUS * 3 + RARE, vocab_size=400, prune=3)
    return trained_model(
        variant.schemas,
        variant.base,
        specials=special_ids(variant.base, SPECIALS),
        atoms=atoms,
        merges=merges,
        provenance={"name": str(variant)},
        kind=variant.kind,
        words=variant.words,
    )


@cache
def tokenizer(variant: Variant, backend: str) -> Tokenizer:
    blob = write_artifact(trained(variant))
    return Tokenizer.from_bytes(blob, backend="native" if backend == "native" else "reference")


# Exactness


@variants
@settings(max_examples=40)
@given(text=texts, prune=st.integers(1, 3), min_freq=st.integers(1, 3), merges=st.integers(0, 60))
def test_merges_are_those_of_the_reference(
    variant: Variant, text: str, prune: int, min_freq: int, merges: int
) -> None:
    model = cutter(variant)
    size = merges + 256  # there are fewer atoms
    learnt = train_reference(
        model, text, vocab_size=size, prune=prune, min_freq=min_freq, kind=variant.kind
    )
    found = learn_natively(variant, text, vocab_size=size, prune=prune, min_freq=min_freq)
    assert found == (learnt.atoms, learnt.merges)


@variants
@settings(max_examples=40)
@given(lines=st.lists(texts, max_size=8), times=st.integers(1, 40))
def test_words_are_those_of_the_reference_however_often_they_come(
    variant: Variant, lines: list[str], times: int
) -> None:
    words, expected = WordTable(), Counter[tuple[bytes, ...]]()
    text = "".join(f"{line}\n" for line in lines)
    for word, count in Counter(words_of(cutter(variant), text)).items():
        expected[word] = times * count
    words.count_text(scanners(variant), (text * times).encode("utf-8"))
    assert dict(words.items()) == expected


def test_a_table_counts_with_one_model_after_another() -> None:
    text = "කම් කම්\n"
    models = [counting_model(SCHEMAS, kind=AtomKind(kind)) for kind in ("grapheme", "codepoint")]
    words, expected = WordTable(), Counter[tuple[bytes, ...]]()
    for model in (*models, *models):
        words.count_text(NativeModel(model), text.encode("utf-8"))
        expected.update(words_of(model, text))
    assert dict(words.items()) == expected
    assert len(expected) == 4


def test_broken_bytes_within_words_are_counted_each_time() -> None:
    words = WordTable()
    words.count_text(scanners(NAMED["grapheme-all-bytes"]), b"ab\xff\xfe! \xe0\xb6\n" * 100)
    assert words.info().stray_bytes == 400
    assert dict(words.items()) == {
        (b"a", b"b"): 100,
        (b"\xff", b"\xfe", b"!"): 100,
        (b" \xe0", b"\xb6", b"\n"): 100,
    }


# Text stays whole


@variants
@settings(max_examples=60)
@given(text=anything)
def test_backends_agree_and_keep_the_text(variant: Variant, text: str) -> None:
    native, reference = tokenizer(variant, "native"), tokenizer(variant, "reference")
    ids = native.encode(text)
    assert ids == reference.encode(text)
    assert native.decode(ids) == reference.decode(ids) == text
    assert native.count(text) == len(ids)


@variants
def test_the_artifact_is_one_like_any_other(variant: Variant) -> None:
    model = trained(variant)
    blob = write_artifact(model)
    assert write_artifact(read_artifact(blob)) == blob
    assert len(bpe_of(model.models[-1]).merges) > 20
    check_merges(model)
    native, reference = tokenizer(variant, "native"), tokenizer(variant, "reference")
    for token in (text for each in model.models for text in each.texts):
        assert native.encode_single_token(token) == reference.encode_single_token(token)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is missing")
def test_webassembly_gives_the_same_ids(tmp_path: Path) -> None:
    lines = [CORPUS, "".join(PARTS), " ".join(PARTS), *PARTS, "", " ", "  x"]
    jobs = []
    for variant in VARIANTS:
        path = tmp_path / f"{variant}.wwho"
        path.write_bytes(write_artifact(trained(variant)))
        jobs.append({"path": str(path), "texts": lines})
    done = subprocess.run(
        [
            "node",
            "--input-type=module",
            "--eval",
            WEBASSEMBLY,
            str(ROOT / "web" / "package" / "node.js"),
        ],
        input=json.dumps(jobs),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for variant, found in zip(VARIANTS, json.loads(done.stdout), strict=True):
        expected = [tokenizer(variant, "native").encode(text) for text in lines]
        assert found == {"ids": expected, "texts": lines}, str(variant)


WEBASSEMBLY = """
import { readFileSync } from "node:fs";
const { Tokenizer } = await import(process.argv[1]);
const found = [];
for (const { path, texts } of JSON.parse(readFileSync(0, "utf8"))) {
  const tokenizer = await Tokenizer.load(path);
  const ids = texts.map((text) => Array.from(tokenizer.encode(text)));
  found.push({ ids, texts: ids.map((each) => tokenizer.decode(each)) });
}
console.log(JSON.stringify(found));
"""


# What each kind means


def atoms_for(kind: str, text: str, schemas: tuple[Schema, ...] = SCHEMAS) -> list[str]:
    """The units of a text, as they are counted; words apart by a bar."""
    variant = NAMED[f"{kind}-{'scripts' if schemas else 'all'}-bytes"]
    return ["·".join(unit.decode() for unit in word) for word in words_of(cutter(variant), text)]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("syllable", ["ක්\u200dරි·ක", " क्षि·त्स्ना", "।", " कि", "१"]),
        ("grapheme", ["ක්\u200d·රි·ක", " क्षि·त्स्ना", "।", " कि", "१"]),
        ("codepoint", ["ක·්·\u200d·ර·ි·ක", " क·्·ष·ि·त·्·स·्·न·ा", "।", " क·ि", "१"]),
    ],
)
def test_units_of_scripts(kind: str, words: list[str]) -> None:
    assert atoms_for(kind, "ක්\u200dරික क्षित्स्ना। and कि१") == words


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("grapheme", ["e\u0301·t", " क्षि·x", "👩\u200d👧·🇱🇰·🇮🇳·\r\n"]),
        ("codepoint", ["e·\u0301·t", " क·्·ष·ि·x", "👩·\u200d·👧·🇱·🇰·🇮·🇳·\r·\n"]),
        ("byte", ["e\u0301t", " क्षिx", "👩\u200d👧🇱🇰🇮🇳\r\n"]),  # taken apart later
    ],
)
def test_units_of_all_text(kind: str, words: list[str]) -> None:
    assert atoms_for(kind, "e\u0301t क्षिx👩\u200d👧🇱🇰🇮🇳\r\n", schemas=()) == words


def test_words_end_with_their_space() -> None:
    ends, words = NAMED["syllable-scripts-ends"], NAMED["syllable-words-ends"]
    text = "ක්\u200dරික  ගම, (अच्छा) and 12 කම \n"

    def cut(variant: Variant) -> list[str]:
        return [
            "·".join(unit.decode() for unit in word) for word in words_of(cutter(variant), text)
        ]

    assert cut(ends) == ["ක්\u200dරි·ක", "ග·ම", "अ·च्छा", "ක·ම"]
    assert cut(words) == [
        *("ක්\u200dරි·ක", " · ", "ග·ම·,· ", "(·अ·च्छा·)· ", "a·n·d· ", "1·2· ", "ක·ම", " ·\n"),
    ]
    assert cut(NAMED["syllable-words-toy"]) == [
        *("ක්\u200dරි·ක", " ", " ග·ම·,", " (·अ·च्छा·)", " a·n·d", " 1·2", " ක·ම", " \n"),
    ]
    for variant in (ends, words):
        for token in unit_model(trained(variant)).texts:
            assert b" " not in token[:-1] or not token.strip()


@given(st.text(["ක", "ෂ", "ම", "අ", "්", "\u200d", "\u200c", "ි", "ං"]))
def test_units_of_a_script_are_clusters(text: str) -> None:
    word = f"ක{text}"  # no joiner starts a segment
    assert atoms_for("grapheme", word) == ["·".join(regex.findall(r"\X", word))]


@examples(400)
@given(anything)
def test_no_token_of_a_grapheme_vocabulary_ends_within_a_cluster_of_its_word(text: str) -> None:
    variant = NAMED["grapheme-all-bytes"]
    model, native = trained(variant), tokenizer(variant, "native")
    for word in words_of(cutter(variant), text):
        whole = b"".join(word).decode()
        bounds = {0}
        for cluster in word:
            bounds.add(max(bounds) + len(cluster))
        at = 0
        for token in native.encode(whole):
            at += len(native.decode_bytes([token]))
            if (
                token > unit_model(model).first_id
            ):  # else a byte of what is spelled out, or the lone space
                assert at in bounds or token == unit_model(model).space_id


# Bases


def test_without_a_base_other_text_is_spelled_in_bytes() -> None:
    variant = NAMED["syllable-scripts-bytes"]
    model, native = trained(variant), tokenizer(variant, "native")
    assert (len(model.models[0].texts), unit_model(model).first_id) == (256, 256 + len(SPECIALS))
    for text in ("the rain", "Öl\r\n", "漢字", "👩\u200d👧", "\0"):
        assert native.encode(text) == list(text.encode("utf-8"))
    assert min(native.encode("ගම")) > 255
    assert native.encode("ෆෝ") == list("ෆෝ".encode())  # a syllable that is rare


def test_a_vocabulary_of_bytes_is_a_base() -> None:
    variant = NAMED["byte-all-bytes"]
    model = trained(variant)
    assert len(model.models) == 1
    assert len(model.models[0].texts) == 400
    assert model.models[0].texts[:256] == BYTES
    assert list(specials_of(model).values()) == [400, 401, 402, 403, 404]
    assert model.n_vocab == 405
    over = Variant(AtomKind.SYLLABLE, SCHEMAS, model)
    atoms, merges = learn_natively(over, CORPUS * 3, vocab_size=300, prune=4)
    both = trained_model(
        SCHEMAS,
        model,
        specials=special_ids(model, ["<s>"]),
        atoms=atoms,
        merges=merges,
        provenance={"name": "both"},
    )
    ours, theirs = (Tokenizer.from_bytes(write_artifact(each)) for each in (both, model))
    assert ours.encode("the rain's sound") == theirs.encode("the rain's sound")
    assert ours.decode(ours.encode(CORPUS)) == CORPUS


# From end to end


def write(folder: Path, text: str) -> Path:
    path = folder / "corpus.txt"
    path.write_text(text, "utf-8", newline="")
    return path


def test_training_tells_what_the_atoms_were(tmp_path: Path) -> None:
    path = write(tmp_path, CORPUS * 3)
    for kind, schemas in (("grapheme", SCHEMAS), ("codepoint", ()), ("byte", ())):
        model = train_model(
            [path],
            TrainOptions(schemas=schemas, base=BYTE_BASE, atoms=kind, vocab_size=400, prune=4),
        )
        variant = Variant(AtomKind(kind), schemas, BYTE_BASE)
        n_specials = (0 if kind == "byte" else len(SPECIALS)) + 1  # the end of a text
        atoms, merges = learn_natively(variant, CORPUS * 3, vocab_size=400 - n_specials, prune=4)
        found = (
            (BYTES, bpe_of(model.models[0]).merges)
            if kind == "byte"
            else (unit_model(model).symbols, unit_model(model).merges)
        )
        assert (found[0], list(found[1])) == (atoms, merges)
        assert model.provenance["training"].endswith(f"atoms {kind}")
        assert len(specials_of(model)) == n_specials
    syllables = train_model(
        [path], TrainOptions(schemas=SCHEMAS, base=BYTE_BASE, vocab_size=400, prune=4)
    )
    assert "atoms" not in syllables.provenance["training"]


def test_the_pattern_of_a_base_vocabulary_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, "ab ab ab, ab-ab!\n" * 9)
    base = byte_base(r"\w+|\W")
    model = train_model([path], TrainOptions(schemas=[], base=base, atoms="byte", vocab_size=300))
    assert model.provenance["pattern"] == r"\w+|\W"
    assert model.models[0].texts[256:] == (b"ab",)  # no piece holds more, or two of the others


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"atoms": "syllable", "schemas": []}, SchemaError, "at least one schema"),
        ({"atoms": "byte", "schemas": SCHEMAS}, SchemaError, "sinhala, devanagari"),
        ({"atoms": "byte", "base": BASE}, ValueError, "259 tokens"),
        ({"atoms": "letter"}, ValueError, "letter"),
        ({"atoms": "byte", "words": "whitespace"}, ValueError, "--words whitespace"),
        ({"atoms": "codepoint", "end_of_word": True}, ValueError, "name schemas"),
        ({"schemas": SCHEMAS, "collapse_spaces": True}, ValueError, "--end-of-word"),
        (
            {"schemas": SCHEMAS, "end_of_word": True, "superwords": 5},
            ValueError,
            "leave out --end-of-word",
        ),
        ({"atoms": "byte", "vocab_size": 255}, CorpusError, "raise vocab_size to 257"),
        ({"atoms": "grapheme", "vocab_size": 9}, CorpusError, "graphemes seen at least"),
    ],
)
def test_what_does_not_go_together(
    tmp_path: Path, arguments: dict[str, object], error: type[Exception], named: str
) -> None:
    chosen: dict[str, object] = {"schemas": [], "base": BYTE_BASE, "prune": 1, **arguments}
    with pytest.raises(error, match=named):
        train_model([write(tmp_path, CORPUS)], TrainOptions(**chosen))  # type: ignore[arg-type]


def test_an_empty_corpus_has_no_text_of_any_kind(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no text"):
        train_model([write(tmp_path, "")], TrainOptions(schemas=[], base=BYTE_BASE, atoms="byte"))


# From the command line


@pytest.mark.parametrize(
    "options",
    [
        ["--base", "none", "--atoms", "grapheme"],
        ["--base", "none", "--pattern", r"\S+|\s", "--atoms", "codepoint"],
        ["--atoms", "grapheme", "--schema", "sinhala", "devanagari"],
        ["--atoms", "byte", "--pattern", "cl100k_base", "--special", "<|end|>"],
    ],
    ids=" ".join,
)
def test_the_command_trains_what_it_is_asked_for(
    options: list[str], cli: Callable[..., Any], tmp_path: Path
) -> None:
    corpus, model = write(tmp_path, CORPUS * 3), tmp_path / "model.wwho"
    done = cli("train", corpus, "--vocab-size", 400, "--prune", 3, "-o", model, *options)
    assert done.code == 0
    # The corpus is too small for the size, and that is all that is said.
    assert re.fullmatch(
        r"(wwho: this corpus gives [\d,]+ of the [\d,]+ ids asked for: .*\n)?", done.err
    )
    assert cli("verify", model).code == 0
    ids = cli("encode", "--model", model, stdin=CORPUS.encode()).out
    assert cli("decode", "--model", model, stdin=ids).out == CORPUS.encode()
    if "--pattern" in options:
        found = read_artifact(model.read_bytes()).provenance
        pattern = options[options.index("--pattern") + 1]
        assert PATTERNS.get(pattern, pattern) in (found.get("pattern"), found.get("base:pattern"))


@pytest.mark.filterwarnings("default:the base is the 256 bytes alone")
def test_a_base_of_bytes_alone_is_warned_of_and_a_byte_base_is_not(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    text = "ගම the theme the theme\n" * 9
    corpus = write(tmp_path, text)
    base, bare, better = (tmp_path / name for name in ("base.wwho", "bare.wwho", "better.wwho"))
    scripts = ("--schema", "sinhala", "--prune", 3, "--vocab-size", 20)
    done = cli("train", corpus, *scripts, "--base", "none", "-o", bare)
    assert done.code == 0
    outside = 1 - len("ගම".encode()) / len(text.encode()) * 9
    assert f"which is {outside:.1%} of the bytes of this corpus" in done.err
    assert "train a byte base first (--atoms byte --base none, without --schema)" in done.err
    options = ("--atoms", "byte", "--base", "none", "--vocab-size", 300, "-o", base)
    for arguments in (options, (*scripts, "--base", base, "-o", better)):
        assert "train a byte base first" not in cli("train", corpus, *arguments).err
    counts = [Tokenizer.load(model).count("ගම the theme") for model in (bare, better)]
    assert counts == [11, 3]


@pytest.mark.parametrize(
    ("kind", "size", "named"),
    [("byte", 300, "atoms"), ("codepoint", 300, "atoms"), ("script", 2200, "symbols")],
)
def test_the_command_tells_how_many_atoms_and_merges(
    kind: str, size: int, named: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    corpus, output = write(tmp_path, CORPUS * 3), tmp_path / "model.wwho"
    options = ("--base", "none", "--atoms", kind, "--vocab-size", size, "-o", output)
    facts = json.loads(cli("train", corpus, *options, "--prune", 3, "--json").out)
    model = read_artifact(output.read_bytes())
    if kind == "codepoint":
        atoms, merges = len(unit_model(model).symbols), len(unit_model(model).merges)
    else:
        atoms = len(BYTES) if kind == "byte" else script_step().n_symbols
        merges = model.n_vocab - atoms - 1  # the end of a text
    assert (facts["atoms"], facts["merges"]) == (atoms, merges)
    assert merges > 20
    line = cli("train", corpus, *options, "--prune", 3).out.decode()
    assert line.endswith(f" {atoms:,} {named}, {merges} merges\n")


@pytest.mark.parametrize(
    ("options", "code", "named"),
    [
        (["--schema", "sinhala", "--atoms", "byte"], 1, "leave them out"),
        (["--atoms", "byte", "--base", "cl100k_base"], 2, "100256 tokens"),
        (["--atoms", "grapheme", "--pattern", "."], 2, "pattern is for the base none"),
        (["--atoms", "byte", "--pattern", "("], 1, "never closed"),
        (["--atoms", "letter"], 2, "invalid choice"),
    ],
)
def test_the_command_says_what_does_not_go_together(
    options: list[str], code: int, named: str, cli: Callable[..., Any], tmp_path: Path
) -> None:
    done = cli("train", write(tmp_path, CORPUS), "-o", tmp_path / "model.wwho", *options)
    assert done.code == code
    assert named in done.err
    assert not (tmp_path / "model.wwho").exists()


MERGED = [kind for kind in AtomKind if kind is not AtomKind.SCRIPT]
"""What is merged as it is; what SCRIPT merges are pairs that steps have made of characters."""


@settings(max_examples=40)
@given(text=texts, kind=st.sampled_from(MERGED), most=st.integers(1, 4))
def test_no_token_has_more_atoms_than_asked_for(text: str, kind: AtomKind, most: int) -> None:
    model = train_model(
        Corpus(Texts([f"{text} ගමනගමන ගමනගමන"])),
        TrainOptions(
            schemas=[] if kind is AtomKind.BYTE else SCHEMAS,
            base=BYTE_BASE if kind is AtomKind.BYTE else BASE,
            atoms=kind,
            vocab_size=400,
            prune=1,
            min_freq=1,
            max_token_units=most,
        ),
    )
    pairs = bpe_of(model.models[0]).merges if kind is AtomKind.BYTE else unit_model(model).merges
    units = [1] * (256 if kind is AtomKind.BYTE else len(unit_model(model).symbols))
    for left, right in pairs:
        units.append(units[left] + units[right])
    assert max(units) <= most
    assert max(units) >= min(most, 2)
    assert model.provenance["training"].endswith(f", max_token_units {most}")


@pytest.mark.parametrize("most", [0, -1, 1025])
def test_the_longest_token_has_a_range(most: int) -> None:
    with pytest.raises(ValueError, match=rf"max_token_units is {most}; it must be between 1 and"):
        train_model(
            Corpus(Texts(["ගම"])), TrainOptions(schemas=SCHEMAS, base=BASE, max_token_units=most)
        )


@pytest.mark.parametrize("backend", ["reference", "native"])
def test_every_character_is_an_atom(backend: Literal["reference", "native"]) -> None:
    """A rare syllable is spelled with the longest atoms, and only what has none with the base."""
    text = "ක්‍රම ක්‍රම ක්‍රම ක් ක්"
    schema = load_schema("sinhala")
    model = train_model(
        Corpus(Texts([text])),
        TrainOptions(schemas=[schema], base=BASE, prune=2, every_character=True, vocab_size=400),
    )
    characters = {chr(each).encode() for each in schema.classified}
    assert characters < {*unit_model(model).symbols}
    assert model.provenance["training"].endswith("every_character")
    enc = Tokenizer(write_artifact(model), backend)

    def spelled(text: str) -> list[str]:
        ids, offsets = enc.encode_with_offsets(text)
        parts = [text[start:end] for start, end in offsets]
        assert [enc.decode([token]) for token in ids] == parts
        return parts

    assert spelled(" ක්‍රම") == [" ක්‍රම"]
    assert spelled(" ක්‍රො") == [" ක්‍ර", "ො"]  # the longest atom, and a character never seen
    assert spelled(" ඛි") == [" ", "ඛ", "ි"]
    assert spelled("ක්ෂි") == ["ක්", "ෂ", "ි"]
    assert enc.encode("ක්ෂි", unk="token") == [enc.encode_single_token("[UNK]")]
    with pytest.raises(SchemaError, match="every_character"):
        train_model(
            Corpus(Texts([text])),
            TrainOptions(schemas=[], base=BASE, atoms="codepoint", every_character=True),
        )
