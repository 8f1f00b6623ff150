"""The trainer: exact against the reference trainer, deterministic, and at one with the encoder."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from corelib import HEADER, CompileError, compile_c
from exhaustive import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import specials_of

from wwho.assemble.base import base_model
from wwho.assemble.training_artifacts import counting_model, special_ids, trained_model, unit_model
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.errors import CorpusError, SchemaError, SpecialTokenError
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.tokenizer import Tokenizer
from wwho.tokenizer.tokenizer import END_OF_TEXT
from wwho.train import train
from wwho.train.atom_choice import choose_atoms
from wwho.train.native import Merger, NativeModel, WordTable, parse_records, record
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.plan import SPECIALS
from wwho.train.reference import LearntMerges, Word, learn, train_reference, words_of

NATIVE = HEADER.parents[2] / "py" / "wwho" / "train" / "native"
TRAINER_PARTS = {file.name for file in NATIVE.glob("*.[ch]")} - {"core.c"}
SCHEMAS = [load_schema("sinhala"), load_schema("devanagari")]
COUNTING = counting_model(SCHEMAS)
SCANNERS = NativeModel(COUNTING)
BASE = base_model(
    [*(bytes([byte]) for byte in range(256)), b"th", b"the", b"\xe0\xb6"],
    pattern=r"\s?\w+|\s+|[^\s\w]+",
    specials={"<|end|>": 300},
    provenance={"name": "toy"},
)

# Few syllables, so that pairs meet again and counts are equal; and joiners, orphans, dandas.
PARTS = [
    *"කමයගඅ",
    "කි",
    "න්ද්‍ර",
    "ං",
    "්",
    "\u200d",
    *"कमअ",
    "कि",
    "द्ध",
    "ं",
    "।",
    "१",
    "ॐ",
    "a",
    ".",
    "\n",
]
texts = st.lists(st.sampled_from([*PARTS, " ", " ", "ක", "ම", "क"]), max_size=60).map("".join)
SENTENCES = (
    "අපේ ගමේ පාර දිගේ ගංගාව ගලා යයි. ගමේ ළමයි ගංගාවේ නාති. पानी बरसता है। बच्चे पानी में खेलते हैं। "
    "Rain falls on ගම and गाँव alike.\n"
)


def count(text: str, model: NativeModel = SCANNERS) -> WordTable:
    words = WordTable()
    words.count_text(model, text.encode("utf-8"))
    return words


def write(folder: Path, text: str, name: str = "corpus.txt") -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def corpus(seed: int, lines: int = 300) -> str:
    """A corpus of random words over a few syllables."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(PARTS[:14], k=rng.randint(1, 5))) for _ in range(150)]
    weights = [1 / rank for rank in range(1, 151)]
    return "".join(" ".join(rng.choices(words, weights, k=8)) + ".\n" for _ in range(lines))


def learn_natively(
    words: WordTable, *, vocab_size: int, prune: int, min_freq: int
) -> tuple[tuple[bytes, ...], list[tuple[int, int]]]:
    atoms = choose_atoms(words.count_units(), prune)
    merger = Merger(words, atoms, max_merges=vocab_size - len(atoms), min_freq=min_freq)
    while merger.merge_more(3):
        pass
    return atoms, merger.merges()


def table_of(words: Iterable[tuple[Word, int]]) -> WordTable:
    """A table of these words and counts."""
    table, items = WordTable(), list(words)
    table.add_records(b"".join(record(word) for word, _ in items), [count for _, count in items])
    return table


# Exactness


@given(texts)
def test_words_are_those_of_the_reference(text: str) -> None:
    assert dict(count(text).items()) == Counter(words_of(COUNTING, text))


@examples(600)
@given(texts, st.integers(1, 4), st.integers(1, 3), st.integers(40, 90))
def test_atoms_and_merges_are_those_of_the_reference(
    text: str, prune: int, min_freq: int, size: int
) -> None:
    expected = train_reference(COUNTING, text, vocab_size=size, prune=prune, min_freq=min_freq)
    atoms, merges = learn_natively(count(text), vocab_size=size, prune=prune, min_freq=min_freq)
    assert atoms == expected.atoms
    assert merges == expected.merges


UNITS = [b"a", b"b", b"c", b" a", b" b", b" x", b"x"]


@examples(1000)
@given(
    st.dictionaries(
        st.lists(st.sampled_from(UNITS), min_size=1, max_size=12).map(tuple),
        st.integers(1, 3),
        max_size=15,
    ),
    st.integers(0, 40),
    st.integers(1, 4),
    st.sampled_from([1, 2, 3, 5, 1023]),
)
def test_ties_overlaps_gaps_and_the_longest_token_are_as_stated(
    words: dict[Word, int], max_merges: int, min_freq: int, max_units: int
) -> None:
    atoms = (b" a", b"a", b"b", b"c")  # " b" is the lone space and b; x is pruned
    limits: dict[str, Any] = {"min_freq": min_freq, "max_units": max_units}
    merger = Merger(table_of(words.items()), atoms, max_merges=max_merges, **limits)
    merger.merge_more(max_merges)
    expected = learn(words, atoms, max_merges, **limits)
    assert merger.merges() == expected.merges
    assert merger.gains() == expected.gains == sorted(expected.gains, reverse=True)
    saved = tokens_of(words, learn(words, atoms, 0, min_freq=1)) - tokens_of(words, expected)
    overlaps = any(left == right for left, right in expected.merges)
    assert sum(expected.gains) >= saved if overlaps else sum(expected.gains) == saved


def tokens_of(words: dict[Word, int], learnt: LearntMerges) -> int:
    """How many tokens the words take."""
    return sum(count * sum(map(len, learnt.runs[word])) for word, count in words.items())


def test_the_rule_for_ties_by_hand() -> None:
    # every pair is seen twice: the smallest left id goes first, then the smallest right id
    words = {(b"b", b"a"): 2, (b"a", b"c"): 2, (b"a", b"b"): 2}
    merger = Merger(table_of(words.items()), (b"a", b"b", b"c"), max_merges=9, min_freq=2)
    assert merger.merge_more(9) == 3
    assert merger.merges() == [(0, 1), (0, 2), (1, 0)]


def test_a_pair_that_overlaps_itself_is_merged_from_left_to_right() -> None:
    merger = Merger(table_of([((b"a",) * 5, 1)]), (b"a",), max_merges=9, min_freq=1)
    merger.merge_more(9)
    # (a, a) is seen 4 times; it leaves A A a with (A, A) and (A, a) once each: a has the smaller id
    assert merger.merges() == [(0, 0), (1, 0), (1, 2)]


def test_no_token_is_longer_than_1024_bytes() -> None:
    words = {tuple(bytes([65 + k]) * 255 for k in range(9)): 5, (b"A", b"B") * 600: 5}
    atoms = tuple(sorted({unit for word in words for unit in word}))
    merger = Merger(table_of(words.items()), atoms, max_merges=2000, min_freq=1)
    merger.merge_more(2000)
    learnt = learn(words, atoms, 2000, min_freq=1)
    assert merger.merges() == learnt.merges
    texts = list(atoms)
    for left, right in learnt.merges:
        texts.append(texts[left] + texts[right])
    assert 1000 < max(map(len, texts)) <= 1024


def test_counts_are_not_cut_to_32_bits() -> None:
    words = {(b"a", b"b"): 2**40, (b"c", b"d"): 2**40 + 1}
    merger = Merger(table_of(words.items()), (b"a", b"b", b"c", b"d"), max_merges=2, min_freq=2**40)
    merger.merge_more(2)
    assert merger.merges() == [(2, 3), (0, 1)]


# Pruning


@given(st.dictionaries(st.sampled_from([b"X", b" X", b"Y", b" Y", b"Z" * 256]), st.integers(1, 6)))
def test_every_unit_at_or_above_the_threshold_is_an_atom(units: dict[bytes, int]) -> None:
    atoms = choose_atoms(units, 5)
    assert list(atoms) == sorted(set(atoms))
    for bare in (b"X", b"Y"):
        total = units.get(bare, 0) + units.get(b" " + bare, 0)
        assert (bare in atoms) == (total >= 5)
        assert (b" " + bare in atoms) == (units.get(b" " + bare, 0) >= 5)
    assert all(len(atom) <= 255 for atom in atoms)


def test_a_space_before_a_unit_of_255_bytes_makes_no_atom() -> None:
    assert choose_atoms({b" " + b"X" * 255: 9}, 1) == (b"X" * 255,)


# Records and tables


@given(st.lists(st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=200).map(tuple)))
def test_records_come_out_as_they_went_in(words: list[Word]) -> None:
    assert list(parse_records(b"".join(map(record, words)))) == words
    assert dict(table_of((word, 1) for word in words).items()) == Counter(words)


@pytest.mark.parametrize(
    ("records", "counts"),
    [
        (b"\x01", [1]),  # ends within the lengths
        (b"\x01\x02a", [1]),  # ends within the text
        (b"\x00", [1]),  # no unit
        (b"\x01\x00", [1]),  # an empty unit
        (b"\x81\x00\x01a", [1]),  # not the shortest form
        (b"\x01\x01a", []),  # more records than counts
        (b"\x01\x01a", [1, 1]),  # fewer
        (b"\x01" + b"\xff" * 9 + b"a", [1]),  # a length beyond all memory
        (
            b"\x02" + b"\xff" * 8 + b"\x7f" + b"\xff" * 8 + b"\x7f" + b"a",
            [1],
        ),  # lengths that overflow
    ],
)
def test_bytes_that_are_no_records_are_refused(records: bytes, counts: list[int]) -> None:
    with pytest.raises(ValueError, match="well-formed records"):
        WordTable().add_records(records, counts)


@given(texts, texts)
def test_tables_add_up(one: str, two: str) -> None:
    added, merged, whole = count(one), count(one), count(one + "\n" + two)
    added.add_records(*count(two).export())
    merged.add_table(count(two))
    assert dict(added.items()) == dict(merged.items()) == dict(whole.items())


def test_long_lines_and_many_slices_lose_nothing() -> None:
    text = "කම ගම\n" * 50_000 + "මගක" * 100_000 + " क" * 100_000
    words = dict(count(text).items())
    assert words == Counter(words_of(COUNTING, text))
    assert max(map(len, words)) == 300_000


def test_broken_utf8_is_counted_and_cuts_words() -> None:
    words = WordTable()
    words.count_text(SCANNERS, "කම".encode() + b"\xff\xe0\xb6" + "කම\n".encode())
    assert words.info().stray_bytes == 3
    assert dict(words.items()) == {("ක".encode(), "ම".encode()): 2}


# The model


SPELL = Tokenizer.from_bytes(write_artifact(BASE), backend="reference")


def expected_ids(word: Word, learnt: LearntMerges, model: Artifact) -> list[int]:
    """The final segmentation of a word as ids, units outside the vocabulary as their bytes."""
    space = unit_model(model).space_id
    assert space is not None
    atoms = set(learnt.atoms)
    runs = iter(learnt.runs[word])
    ids: list[int] = []
    for unit in word:
        if unit in atoms:
            continue
        ids += [unit_model(model).first_id + token for token in next(runs)]
        if unit[:1] == b" " and unit[1:] in atoms:
            ids.append(space)
        else:
            ids += SPELL.encode(unit)
    return ids + [unit_model(model).first_id + token for token in next(runs)]


@settings(max_examples=25)
@given(texts.filter(str.strip), st.integers(1, 3))
def test_encoding_a_training_word_gives_its_final_segmentation(text: str, prune: int) -> None:
    learnt = train_reference(COUNTING, text, vocab_size=100, prune=prune)
    model = trained_model(
        SCHEMAS,
        BASE,
        specials=special_ids(BASE, SPECIALS),
        atoms=learnt.atoms,
        merges=learnt.merges,
        provenance={"name": "test"},
    )
    blob = write_artifact(model)
    assert write_artifact(read_artifact(blob)) == blob
    for backend in ("native", "reference"):
        tokenizer = Tokenizer.from_bytes(blob, backend=backend)
        assert tokenizer.decode(tokenizer.encode(text)) == text
        for word in learnt.runs:
            alone = b"".join(word).decode("utf-8")
            if list(words_of(COUNTING, alone)) == [word]:
                assert tokenizer.encode(alone) == expected_ids(word, learnt, model)


def test_the_layout_of_the_vocabulary(tmp_path: Path) -> None:
    path = write(tmp_path, SENTENCES * 3)
    model = train_model(
        [path], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=70, prune=3, name="toy_sgpe")
    )
    assert BASE.n_vocab == 301
    specials = (*SPECIALS, END_OF_TEXT)
    assert [specials_of(model)[text] for text in specials] == [301, 302, 303, 304, 305, 306]
    assert specials_of(model)["<|end|>"] == 300
    assert unit_model(model).unk_id == 302
    assert unit_model(model).first_id == 307
    assert list(unit_model(model).symbols) == sorted(unit_model(model).symbols)
    assert len(specials) + len(unit_model(model).symbols) + len(unit_model(model).merges) == 70
    assert unit_model(model).space_id == 301 + 70
    assert model.n_vocab == 301 + 70 + 1
    assert model.name == "toy_sgpe"
    assert [route.name for route in model.routes] == ["other", "sinhala", "devanagari"]
    text = "ගංගාව [UNK] है। ක්‍ය the\u200dක"
    tokenizer = Tokenizer.from_bytes(write_artifact(model))
    assert tokenizer.decode_bytes(tokenizer.encode(text)) == text.encode("utf-8")
    assert tokenizer.eot_token == 306


def test_every_model_can_end_a_text() -> None:
    recipes: list[dict[str, Any]] = [
        {"base": "none", "schemas": ["sinhala"]},
        {"base": "r50k_base", "schemas": ["sinhala"]},
        {"atoms": "byte", "vocab_size": 260},
        {"atoms": "script", "vocab_size": 2180},
        {"atoms": "codepoint", "base": "none", "method": "unigram", "vocab_size": 300},
        {"base": "none", "schemas": ["sinhala"], "balanced": True, "vocab_size": 290},
    ]
    for recipe in recipes:
        made = train(["ගම ගම ගමන"] * 9, prune=1, **recipe)
        assert made.special_tokens_set >= {END_OF_TEXT}
        assert made.encode(END_OF_TEXT, allowed_special="all") == [made.eot_token]
        assert len(made.encode(END_OF_TEXT, disallowed_special=())) > 1
        without = train(["ගම ගම ගමන"] * 9, prune=1, specials=[], **recipe)
        assert (END_OF_TEXT in without.special_tokens_set) == (recipe.get("base") == "r50k_base")


def test_every_syllable_at_or_above_the_threshold_is_in_the_vocabulary(tmp_path: Path) -> None:
    text = corpus(7)
    model = train_model(
        [write(tmp_path, text)], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=5000, prune=20)
    )
    units = Counter(unit for word in words_of(COUNTING, text) for unit in word)
    frequent = {unit for unit, number in units.items() if number >= 20}
    assert frequent
    assert frequent <= set(unit_model(model).symbols)


def test_special_tokens_as_asked(tmp_path: Path) -> None:
    path = write(tmp_path, SENTENCES * 3)
    model = train_model(
        [path], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=70, prune=3, specials=["<s>"])
    )
    units = unit_model(model)
    assert (specials_of(model)["<s>"], units.unk_id, units.first_id) == (301, None, 302)
    model = train_model(
        [path], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=70, prune=3, specials=[])
    )
    assert unit_model(model).first_id == 301


def test_other_text_is_cut_by_the_bases_own_pretokenizer(tmp_path: Path) -> None:
    model = train_model(
        [write(tmp_path, SENTENCES * 3)],
        TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=70, prune=3),
    )
    ours, theirs = (Tokenizer.from_bytes(write_artifact(each)) for each in (model, BASE))
    text = "the  weather,\n\nthe _weather_ \t<|end|> 12345 thé \u3000\u200b😀"
    assert ours.encode(text) == theirs.encode(text)
    assert model.scanners.automata[1].table == BASE.scanners.automata[0].table


# Errors


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"vocab_size": 0}, "vocab_size is 0"),
        ({"vocab_size": 2**21}, "vocab_size is 2097152"),
        ({"prune": 0}, "prune is 0"),
        ({"min_freq": 0}, "min_freq is 0"),
        ({"processes": 0}, "processes is 0"),
    ],
)
def test_numbers_out_of_range(tmp_path: Path, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        train_model(
            [write(tmp_path, SENTENCES)], TrainOptions(schemas=SCHEMAS, base=BASE, **arguments)
        )


def test_a_vocabulary_smaller_than_its_atoms(tmp_path: Path) -> None:
    path = write(tmp_path, SENTENCES)
    with pytest.raises(CorpusError) as caught:
        train_model([path], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=10, prune=1))
    atoms = len(
        unit_model(train_model([path], TrainOptions(schemas=SCHEMAS, base=BASE, prune=1))).symbols
    )
    message = str(caught.value)
    for part in (
        "vocabulary of 10 ",
        "6 special tokens",
        f"{atoms} syllables",
        f"{atoms + 6} or more",
    ):
        assert part in message
    exact = train_model(
        [path], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=atoms + 6, prune=1)
    )
    assert (len(unit_model(exact).symbols), len(unit_model(exact).merges)) == (atoms, 0)


@pytest.mark.parametrize(
    ("specials", "named"),
    [
        (["[A]", "[A]"], "is there already, with the id 301"),
        (["<|end|>"], "is there already, with the id 300"),
        ([""], "has 0 bytes"),
        (["x" * 1025], "has 1025 bytes"),
        (["\ud800"], "not valid Unicode"),
    ],
)
def test_special_tokens_that_cannot_be(tmp_path: Path, specials: list[str], named: str) -> None:
    with pytest.raises(SpecialTokenError, match=named):
        train_model(
            [write(tmp_path, SENTENCES)],
            TrainOptions(schemas=SCHEMAS, base=BASE, specials=specials),
        )


def test_schemas_and_bases_that_cannot_be_trained_with(tmp_path: Path) -> None:
    path = write(tmp_path, SENTENCES)
    with pytest.raises(ValueError, match="at least one schema"):
        train_model([path], TrainOptions(schemas=[], base=BASE))
    with pytest.raises(SchemaError, match="two schemas are called 'sinhala'"):
        train_model([path], TrainOptions(schemas=[SCHEMAS[0], SCHEMAS[0]], base=BASE))
    trained = train_model([path], TrainOptions(schemas=SCHEMAS, base=BASE, vocab_size=200, prune=1))
    with pytest.raises(ValueError, match="base vocabulary"):
        train_model([path], TrainOptions(schemas=SCHEMAS, base=trained))


def test_what_to_do_where_nothing_is_frequent_enough(tmp_path: Path) -> None:
    path = str(write(tmp_path, SENTENCES))
    with pytest.warns(UserWarning, match="has none; lower prune, or give more text"):
        train_model([path], TrainOptions(schemas=SCHEMAS, base=BASE, prune=10**6))
    with pytest.warns(UserWarning, match="has none; give more text or higher weights"):
        train_model(
            Corpus([path], weights={path: "0.000001"}),
            TrainOptions(schemas=SCHEMAS, base=BASE, prune=1),
        )  # the least


# The trainer and the core


def test_of_the_core_the_trainer_knows_two_headers(tmp_path: Path) -> None:
    """It compiles without the core, but for the file that asks the core in its stead."""
    for name in TRAINER_PARTS:
        shutil.copy(NATIVE / name, tmp_path)
    shutil.copy(HEADER, tmp_path)
    try:
        compile_c(tmp_path / "train.c", tmp_path / "train.o", "cc", ("-c", "-Werror", "-Wall"))
    except CompileError as error:
        if "No such file or directory: 'cc'" in str(error):
            pytest.skip(str(error))
        raise


# Determinism and interruption, from the command line


def command(*arguments: object) -> list[str]:
    start = [sys.executable, "-m", "wwho", "train", "--schema", "sinhala"]
    return [*start, "--schema", "devanagari", *map(str, arguments)]


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    half, rest = corpus(1, 20_000), corpus(2, 20_000)
    files = [write(tmp_path, half, "one.txt"), write(tmp_path, rest, "two.txt")]
    outputs = []
    for number, (seed, processes) in enumerate([(0, 1), (1, 2), (2, 3)]):
        output = tmp_path / f"{number}.wwho"
        shuffled = files if number % 2 else files[::-1]
        run = command("--processes", processes, "--name", "same", "-o", output, *shuffled)
        subprocess.run(run, check=True, env={**os.environ, "PYTHONHASHSEED": str(seed)})
        outputs.append(output.read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]
    assert len(unit_model(read_artifact(outputs[0])).merges) > 100


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_leaves_nothing(tmp_path: Path, processes: int) -> None:
    output = tmp_path / "model.wwho"
    run = command("--processes", processes, "-o", output, "-")
    child = subprocess.Popen(run, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdin is not None
    child.stdin.write((SENTENCES * 20_000).encode())  # more than the pipe holds: it is being read
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate()
    assert child.returncode == 130
    assert b"Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
