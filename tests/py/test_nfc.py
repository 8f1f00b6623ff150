"""NFC: linear, recorded in the model, honoured by every way to encode, with offsets back."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

import wwho
from wwho import Tokenizer
from wwho.assemble.training_artifacts import unit_model
from wwho.backends.native import MemoryPool
from wwho.corpus import Corpus
from wwho.errors import CountsError, SpecialTokenError
from wwho.exporters.exported import stand_in
from wwho.format.write import write_artifact
from wwho.normalize import nfc
from wwho.normalize import ranges_before_normalizing as ranges_before
from wwho.text import to_bytes
from wwho.train import TrainOptions, count_words, train
from wwho.train.pipeline import train_model

COMPOSED = "ගේ පොත් කෝපි क़लम é ở 각 ගේ පොත් කෝපි गेट ගේ\n"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
SMALL: dict[str, Any] = {"vocab_size": 60, "prune": 1, "min_freq": 1, "name": "x"}

# What joins, what does not, what is never composed again, marks out of order, and broken bytes.
PIECES = [
    *["ක", "ෙ", "ේ", "්", "ා", "ො", "ෝ", "ෞ", "ෟ", "क", "क़", "़", "ে", "া", "e", "é", "ệ"],
    *["\u0301", "\u0323", "\u0344", "\u0f71", "\u0f73", "\u0f81", "\u1100", "\u1161", "\u11a8"],
    *["각", "가", "\u2126", "\u212b", "\u0338", "<", "≮", " ", "\n", "a", "\u00a0", "\u3000", "が"],
]
BROKEN = [b"\xff", b"\xe0", b"\xe0\xb6", b"\xcc", b"\x81", b"\xed\xa0\x80"]
# Of the rest, what Python's own Unicode version has.
ASSIGNED = st.text(st.characters(exclude_categories=["Cn", "Cs"]), max_size=10)
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | ASSIGNED
data = st.lists(st.sampled_from([*(piece.encode() for piece in PIECES), *BROKEN]), max_size=14).map(
    b"".join
)


def has_stacks(text: str) -> bool:
    """Whether a letter has several marks: where one of them moves, places go by their number."""
    apart = unicodedata.normalize("NFD", text)
    return any(unicodedata.combining(a) and unicodedata.combining(b) for a, b in pairwise(apart))


@pytest.fixture(scope="module")
def enc() -> Tokenizer:
    """A tokenizer that normalizes."""
    return train([DECOMPOSED], normalize="nfc", **SMALL)


# The form


@given(texts)
def test_nfc_is_that_of_python(text: str) -> None:
    valid = to_bytes(text)
    assert nfc(valid) == unicodedata.normalize("NFC", valid.decode()).encode()


@given(data)
def test_bytes_that_are_not_utf8_stay_where_they_are(text: bytes) -> None:
    after = nfc(text)
    assert nfc(after) == after
    escaped = [t.decode("utf-8", "surrogateescape") for t in (text, after)]
    assert unicodedata.normalize("NFC", escaped[0]) == escaped[1]


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\u0344\u0323", "\u0591\u0301\u0323"])
def test_any_number_of_marks_takes_linear_time(marks: str) -> None:
    few = "a" + marks * 300 + "b"
    assert nfc(few.encode()).decode() == unicodedata.normalize("NFC", few)
    many = nfc(("a" + marks * 150_000 + "b").encode())  # minutes, where Python sorts them
    assert nfc(many) == many


def test_a_long_text_without_a_place_to_cut_it(
    enc: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room for its ids, which is not kept for the next call, lasts while the scratch grows."""
    monkeypatch.setattr(MemoryPool, "KEPT_LENGTH", 1000)
    monkeypatch.setattr(MemoryPool, "KEPT_SCRATCH", 0)
    text = "a" + "\u0301" * 300_000
    assert len(enc.encode(text)) == enc.count(text)


@pytest.mark.parametrize("words", [0, 3, 250, 15_000])
@given(st.lists(data, min_size=1, max_size=4))
def test_text_in_nfc_is_not_rewritten_and_has_the_same_ids(
    enc: Tokenizer, words: int, parts: list[bytes]
) -> None:
    """The twin: calls with offsets rewrite all text."""
    text = ("ගේ é word" * words).encode().join([b"", *parts, b""])
    ids = enc.encode(text)
    assert ids == enc.encode_with_offsets(text)[0]
    assert ids == enc.encode(nfc(text))


@given(text=data)
def test_ranges_before_and_after_name_the_same_text(enc: Tokenizer, text: bytes) -> None:
    before, after = (t.decode("utf-8", "surrogateescape") for t in (text, nfc(text)))
    singles = ranges_before(enc._backend, text, [(k, k + 1) for k in range(len(after))])
    for (start, end), character in zip(singles, after, strict=True):
        assert 0 <= start < end <= len(before)
        assert has_stacks(before) or character in unicodedata.normalize("NFC", before[start:end])
    assert ranges_before(enc._backend, text, [(0, len(after))]) == [(0, len(before))]
    if before == after:
        assert singles == [(k, k + 1) for k in range(len(after))]


@pytest.mark.parametrize(
    "pattern", ["[a-z]+|[^a-z]+", "\\s|\\S", "\\p{L}+|\\p{M}|[^\\p{L}\\p{M}]+"]
)
def test_kept_text_ends_where_nothing_changes_it(pattern: str, tmp_path: Path) -> None:
    """These patterns cut before a letter or a mark that a later mark changes."""
    merges = [[*stand_in(pair)] for pair in (b" \xc3", b"e\xcc", b"\xc3\xa9")]
    texts = [*stand_in(bytes(range(256))), *map("".join, merges)]
    vocab = {text: number for number, text in enumerate(texts)}
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "use_regex": False,
        "trim_offsets": True,
    }
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    document = {
        "version": "1.0",
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{**split, "invert": False}, level]},
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    small = Tokenizer.from_file(tmp_path / "tokenizer.json")
    ends = ["   e\u0321\u0301 xx", "e\u0301", "1\u0323\u0323\u0338x"]
    ends += ["\u1100\u1161\u11a8", "<\u0338"]
    for words in (0, 250, 11_000):
        for end in ends:
            text = "ab cd " * words + end
            assert small.encode(text) == small.encode(nfc(text.encode())), (words, end)


# Training


def test_training_in_nfc_is_training_on_text_in_nfc(cli: Any, tmp_path: Path) -> None:
    one, other = (tmp_path / name for name in ("nfc.txt", "nfd.txt"))
    one.write_text(COMPOSED * 3, "utf-8", newline="")
    other.write_text(DECOMPOSED * 3, "utf-8", newline="")
    model = train_model_of(Corpus([other]), normalize="nfc")
    plain = train_model_of(Corpus([one]))
    assert unit_model(model) == unit_model(plain)
    assert unit_model(model).symbols != unit_model(train_model_of(Corpus([other]))).symbols
    assert (model.provenance["normalize"], plain.provenance.get("normalize")) == ("nfc", None)
    output = tmp_path / "x.wwho"
    options = ("--vocab-size", "60", "--prune", "1", "--min-freq", "1", "--normalize", "nfc")
    assert cli("train", *options, "-o", output, other).code == 0
    assert output.read_bytes() == write_artifact(model)
    lines = (DECOMPOSED.rstrip("\n") for _ in range(3))
    train(lines, normalize="nfc", **SMALL).save(output)
    assert output.read_bytes() == write_artifact(model)


def train_model_of(corpus: Corpus, **options: Any) -> Any:
    """A model over o200k_base, of the two schemas that ship."""
    return train_model(corpus, TrainOptions(**(SMALL | options)))


@pytest.mark.slow
def test_superwords_and_bytes_too() -> None:
    names = dict(SMALL, normalize="nfc", superwords=5)
    found = [train([text] * 3, **names).token_byte_values() for text in (COMPOSED, DECOMPOSED)]
    assert found[0] == found[1]
    enc = train([DECOMPOSED] * 3, atoms="byte", vocab_size=300, normalize="nfc")
    assert enc.encode("e\u0301") == enc.encode("é")


def test_what_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="normalize is 'nfkc'; it must be 'nfc' or None"):
        train([COMPOSED], normalize="nfkc", **SMALL)  # type: ignore[arg-type]
    with pytest.raises(SpecialTokenError, match=r"is not in NFC.*spell it '<é>'"):
        train([COMPOSED], normalize="nfc", specials=["<e\u0301>"], **SMALL)
    base = tmp_path / "base.wwho"
    train([COMPOSED] * 3, atoms="byte", vocab_size=300, normalize="nfc").save(base)
    with pytest.raises(ValueError, match="trained on text in nfc; train over it with normalize"):
        train([COMPOSED], base=base, **SMALL)
    assert train([COMPOSED], base=base, normalize="nfc", **SMALL).encode("é")


def test_counts_of_another_form_are_refused(tmp_path: Path) -> None:
    counts = count_words([DECOMPOSED], tmp_path / "x.counts")
    with pytest.raises(CountsError, match="normalize: none there, nfc here"):
        train(Corpus(counts=[counts]), normalize="nfc", **SMALL)


# Encoding


def test_every_way_to_encode_normalizes(enc: Tokenizer) -> None:
    one, other = COMPOSED, DECOMPOSED
    ids = enc.encode(one)
    assert enc.decode(ids) == one != other
    assert enc.encode(other) == enc.encode_ordinary(other) == ids
    assert enc.encode(other.encode()) == enc.encode(bytearray(other.encode())) == ids
    assert enc.encode_to_numpy(other).tolist() == ids
    assert enc.encode_batch([one, other.encode()]) == [ids, ids]
    assert enc.encode_ordinary_batch([one, other]) == [ids, ids]
    assert enc.encode_batch_to_numpy([other])[0].tolist() == ids
    assert enc.count(other) == enc.count_till_limit(other, len(ids)) == len(ids)
    assert enc.encode(other, allowed_special="all", disallowed_special=()) == ids
    assert enc.encode_with_offsets(other)[0] == ids
    assert enc.segment(other) == enc.segment(one)
    assert enc.encode_single_token("ග\u0dd9\u0dca") == enc.encode_single_token("ගේ")
    with pytest.raises(SpecialTokenError):
        enc.encode(f"{other}[PAD]", disallowed_special="all")


@examples(400)
@given(texts | data)
def test_offsets_are_those_of_the_text_as_it_was_given(enc: Tokenizer, text: str | bytes) -> None:
    given_as = to_bytes(text)
    before = given_as.decode("utf-8", "surrogateescape")
    ids, places = enc.encode_with_offsets(text)
    assert enc.decode_bytes(ids) == nfc(given_as)
    # A mark that was composed stands in no token's place: it goes with the one before it.
    starts = [*(start for start, _ in places), len(before)]
    assert starts == sorted(starts)
    for k, (token, (start, end)) in enumerate(zip(ids, places, strict=True)):
        whole = before[start : max(end, starts[k + 1])]
        touched = unicodedata.normalize("NFC", whole).encode("utf-8", "surrogateescape")
        assert has_stacks(before) or enc.decode_single_token_bytes(token) in touched
    assert starts[0] == 0


def test_a_tokenizer_that_does_not_normalize_changes_nothing() -> None:
    enc = wwho.get_encoding("wwho_328k")
    assert enc.decode(enc.encode(DECOMPOSED)) == DECOMPOSED
    assert enc.encode(DECOMPOSED) != enc.encode(COMPOSED)


def test_the_command_normalizes_on_request(cli: Any) -> None:
    one, other = COMPOSED.encode(), DECOMPOSED.encode()
    for command in ("encode", "count"):
        expected = cli(command, stdin=one).out
        assert cli(command, stdin=other).out != expected
        assert cli(command, "--normalize", "nfc", stdin=other).out == expected


def test_javascript_gives_the_same(enc: Tokenizer, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    enc.save(tmp_path / "x.wwho")
    root = Path(__file__).resolve().parents[2]
    entry = (root / "web" / "package" / "node.js").as_uri()
    given = [COMPOSED, DECOMPOSED, "e\u0301" * 5, "\u0301\u0323", "", "\U0001f44d e\u0301"]
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ Tokenizer }} from {json.dumps(entry)};
        const enc = await Tokenizer.load(readFileSync({json.dumps(str(tmp_path / "x.wwho"))}));
        const found = [];
        for (const text of {json.dumps(given)}) {{
          const {{ ids, starts, ends }} = enc.encodeWithOffsets(text);
          const bytes = new TextEncoder().encode(text);
          const into = new Uint32Array(3);
          found.push({{
            ids: [[...enc.encode(text)], [...enc.encode(bytes)], [...ids]],
            counts: [enc.countTokens(text), await enc.countStream([...text]),
                     await enc.countStream(Array.from(bytes, (byte) => Uint8Array.of(byte)))],
            slices: Array.from(starts, (start, i) => text.slice(start, ends[i])),
            text: enc.normalize(text), bytes: new TextDecoder().decode(enc.normalize(bytes)),
            segments: enc.segment(text).map((segment) => segment.text),
            chunks: text ? enc.chunk(text, 3).map((chunk) => chunk.text).join("") : "",
            into: enc.encodeInto(text, into), first: [...into],
          }});
        }}
        console.log(JSON.stringify(found));"""
    ran = subprocess.run(
        [node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    for text, found in zip(given, json.loads(ran.stdout), strict=True):
        ids, places = enc.encode_with_offsets(text)
        normalized = unicodedata.normalize("NFC", text)
        assert found["ids"] == [ids] * 3
        assert found["counts"] == [len(ids)] * 3
        assert found["slices"] == [text[start:end] for start, end in places]
        assert found["text"] == found["bytes"] == normalized
        assert "".join(found["segments"]) == normalized
        assert found["chunks"] == text
        written, read = found["into"]["written"], found["into"]["read"]
        assert found["first"][:written] == ids[:written]
        utf16 = text.encode("utf-16-le")
        assert enc.encode(utf16[: 2 * read].decode("utf-16-le")) == ids[:written]


def test_the_tokenizer_of_transformers_normalizes(enc: Tokenizer, tmp_path: Path) -> None:
    hf = pytest.importorskip("wwho.hf", reason="needs transformers")
    enc.save(tmp_path / "x.wwho")
    tokenizer = hf.WWHOTokenizer(str(tmp_path / "x.wwho"))
    one, other = (tokenizer(text, return_offsets_mapping=True) for text in (COMPOSED, DECOMPOSED))
    assert one["input_ids"] == other["input_ids"] == enc.encode(COMPOSED)
    assert other["offset_mapping"] == enc.encode_with_offsets(DECOMPOSED)[1]
    assert one.word_ids() == other.word_ids()


def test_pickles_normalize(enc: Tokenizer) -> None:
    assert pickle.loads(pickle.dumps(enc)).encode(DECOMPOSED) == enc.encode(COMPOSED)


@pytest.mark.slow
def test_an_evaluation_measures_every_text_in_the_form_of_the_model(
    enc: Tokenizer, tmp_path: Path
) -> None:
    pytest.importorskip("numpy", reason="needs numpy")
    from wwho.evaluate.encoders import open_baseline, open_model
    from wwho.evaluate.evaluation import evaluate
    from wwho.evaluate.text_blocks import DataSet

    enc.save(tmp_path / "x.wwho")
    (tmp_path / "nfd.txt").write_text(DECOMPOSED, "utf-8", newline="")
    base = open_baseline("o200k_base")
    found = evaluate(
        open_model(str(tmp_path / "x.wwho")), [base], [DataSet("a", str(tmp_path / "nfd.txt"))]
    )
    tokens = [figures.efficiency.tokens for figures in found.overall.figures.values()]
    line = COMPOSED.rstrip("\n")
    assert tokens == [enc.count(line), wwho.get_encoding("o200k_base").count(line)]
