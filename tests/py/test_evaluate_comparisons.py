"""What `wwho eval` compares: ASCII with the base of a model, languages, texts with a corpus."""

from __future__ import annotations

import gzip
import re
import shutil
import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from evaluated import byte_model, hand_model, measured, opened, put_files

from wwho import Tokenizer
from wwho.assemble.base import byte_base
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.errors import BackendError, CorpusError
from wwho.evaluate.ascii_identity import SENTENCES, Identity
from wwho.evaluate.encoders import Encoder, open_model
from wwho.evaluate.evaluation import evaluate
from wwho.evaluate.premiums import Half
from wwho.evaluate.text_blocks import Block, DataSet, read_blocks
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact
from wwho.train import baselines
from wwho.train.baselines import TRAINERS
from wwho.train.options import TrainOptions
from wwho.train.pipeline import train_model
from wwho.train.report import LISTED, was_trained_on


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put_files(tmp_path)


def test_identity_with_the_base(folder: Path) -> None:
    lines = [f"It's line {k}." for k in range(7)]
    (folder / "text.txt").write_text("\n".join([*lines, "", "  ", "මල"]), "utf-8")
    expected = [Identity(name, "bytes", SENTENCES, 7, 0) for name in ("hand", "super")]
    assert list(measured(folder, opened(folder, "super")).identities) == expected


def test_a_base_that_is_another_is_found_out(folder: Path) -> None:
    (folder / "bytes.wwho").write_bytes(write_artifact(byte_model(b"th")))
    (test,) = measured(folder).identities
    assert 0 < test.different <= SENTENCES


def test_a_model_without_a_base_at_hand(folder: Path) -> None:
    model = Encoder("hand", write_artifact(hand_model()))
    found = evaluate(model, [], [DataSet("text", str(folder / "text.txt"))], example_texts=[])
    assert found.identities == ()


def test_premium(folder: Path) -> None:
    (folder / "en.txt").write_text("ab\nab\n", "utf-8")
    (folder / "si.txt").write_text("මල\nමල\n", "utf-8")
    texts = [DataSet(name, str(folder / f"{name}.txt")) for name in ("en", "si")]
    found = measured(folder, parallel_texts=texts).parallel
    assert found is not None
    assert (found.reference, found.lines) == ("en", 2)
    en, si = found.languages
    assert en.premium == {"hand": 1.0, "bytes": 1.0}
    assert si.tokens == {"hand": 2, "bytes": 12}
    assert si.premium == {"hand": 0.5, "bytes": 3.0}
    assert [each.encoder for each in found.fairness] == ["hand", "bytes"]
    hand, plain = found.fairness
    assert hand.gini == pytest.approx(1 / 6)
    assert (hand.mean, hand.worst) == (0.5, (("si", 0.5),))
    assert (plain.gini, plain.mean, plain.worst) == (0.25, 3.0, (("si", 3.0),))


def test_the_worst_languages_come_first(folder: Path) -> None:
    lengths = {"en": 2, "a": 3, "b": 9, "c": 5, "d": 7, "e": 1, "f": 4}
    for name, length in lengths.items():
        (folder / name).write_text("x" * length, "utf-8")
    texts = [DataSet(name, str(folder / name)) for name in lengths]
    found = measured(folder, parallel_texts=texts).parallel
    assert found is not None
    assert found.fairness[1].worst == (("b", 4.5), ("d", 3.5), ("c", 2.5), ("f", 2.0), ("a", 1.5))


def test_a_half_of_parallel_texts(folder: Path) -> None:
    """Also where a text comes in several blocks, the first of which has an odd number of lines."""
    long, n = 2**18, 7
    for name, short in (("en", "a"), ("si", "ab")):
        lines = ["b" * long if k % 2 else short for k in range(n)]
        lines[0] += "b" * long
        (folder / name).write_text("\n".join(lines), "utf-8")
    texts = [DataSet(name, str(folder / name)) for name in ("en", "si")]
    assert sum(1 for _ in read_blocks(texts[0].corpus(), lambda size: None)) > 1
    odd, even = (
        measured(folder, parallel_texts=texts, half=half).parallel for half in ("odd", "even")
    )
    assert odd is not None
    assert even is not None
    assert (odd.lines, even.lines) == (4, 3)
    assert [each.tokens["bytes"] for each in odd.languages] == [long + 4, long + 8]
    assert [each.tokens["bytes"] for each in even.languages] == [3 * long, 3 * long]
    (folder / "si").write_text("one line", "utf-8")
    shutil.copy(folder / "si", folder / "en")
    with pytest.raises(CorpusError, match="no text in it to measure"):
        measured(folder, parallel_texts=texts, half="even")


@pytest.mark.parametrize("half", [None, "odd", "even"])
def test_line_ends_of_windows_are_no_tokens(folder: Path, half: Half | None) -> None:
    for name, end in (("en", b"\r\n"), ("si", b"\n")):
        (folder / name).write_bytes(end.join([b"one", b"two", b"", b"four"]) + end)
    texts = [DataSet(name, str(folder / name)) for name in ("en", "si")]
    found = measured(folder, parallel_texts=texts, half=half).parallel
    assert found is not None
    assert found.languages[0].tokens == found.languages[1].tokens


def test_parallel_texts_must_match(folder: Path) -> None:
    for name, lines in (("en", 2), ("si", 2), ("hi", 3), ("kn", 1)):
        (folder / f"{name}.txt").write_text("ab\n" * lines, "utf-8")
    texts = [DataSet(name, str(folder / f"{name}.txt")) for name in ("en", "si", "hi", "kn")]
    with pytest.raises(CorpusError, match="en has 2, but hi has 3, kn has 1"):
        measured(folder, parallel_texts=texts)


# Baselines of the same text and size


def beside(model: Encoder, corpus: Corpus, trainers: Sequence[str] = ()) -> list[Encoder]:
    found = baselines.train_baselines(model.name, model.backend.info, corpus, trainers)
    return [Encoder(each.name, each.blob, kind=each.trainer) for each in found]


def test_baselines_of_the_same_text(folder: Path) -> None:
    """They have as many ids as the model, and lose nothing."""
    lines = ["මල ක hello world", "two  spaces, 123", "", "कमल"] * 50
    lines += ["".join(each) for each in product("කගජටඩතද", "ාිු", "මනල")]
    (folder / "same.txt").write_text("\n".join(lines), "utf-8")
    corpus = Corpus([folder / "same.txt"])
    model = train_model(
        corpus, TrainOptions(schemas=[], base=byte_base(), atoms="byte", vocab_size=300)
    )
    encoder = Encoder("model", write_artifact(model))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {each.name: each for each in beside(encoder, corpus)}
        for trainer in TRAINERS:
            beside(encoder, corpus, [trainer])
    names = ["byte BPE", "SentencePiece BPE", "SentencePiece Unigram", "tokenizers BPE"]
    assert [*found] == names
    assert [each.kind for each in found.values()] == ["wwho", *["sentencepiece"] * 2, "tokenizers"]
    block = Block(lines[:4])
    for each in found.values():
        assert 290 < each.n_vocab <= 300, each.name
        ids = each.encode(block).ids_by_line()
        assert each.decode(ids) == block.encoded, each.name
        assert len(ids[0]) < len(block.encoded[0]), each.name
    assert found["byte BPE"].provenance["corpus"] == model.provenance["corpus"]
    assert [each.name for each in beside(encoder, corpus, ["wwho"])] == names[:1]


def test_baselines_of_other_text(folder: Path) -> None:
    (folder / "same.txt").write_text("මල මල\n", "utf-8")
    same = Corpus([folder / "same.txt"])
    model = train_model(
        same, TrainOptions(schemas=[load_schema("sinhala")], base=byte_base(), prune=1)
    )
    encoder, other = Encoder("model", write_artifact(model)), Corpus([folder / "text.txt"])
    for trainer in ("wwho", "tokenizers"):
        with pytest.warns(UserWarning, match="model says that it was trained on other text"):
            beside(encoder, other, [trainer])
    with pytest.raises(CorpusError, match="standard input can be read only once"):
        beside(encoder, Corpus(["-"]))


def test_baselines_of_a_model_of_text_in_nfc(folder: Path) -> None:
    corpus = Corpus([folder / "text.txt"])
    model = train_model(
        corpus,
        TrainOptions(schemas=[load_schema("sinhala")], base=byte_base(), prune=1, normalize="nfc"),
    )
    encoder = Encoder("model", write_artifact(model))
    (found,) = beside(encoder, corpus, ["wwho"])
    assert found.normalize == encoder.normalize == "nfc"


def test_a_baseline_learns_no_token_that_a_file_cannot_hold(folder: Path) -> None:
    pytest.importorskip("tokenizers", reason="needs tokenizers")
    (folder / "dots.txt").write_text(f"{'.' * 4096}\n" * 3, "utf-8")
    model = TRAINERS["tokenizers"]["tokenizers BPE"](Corpus([folder / "dots.txt"]), 300)
    tokens = Tokenizer.from_bytes(write_artifact(model))
    assert 256 < max(len(text) for text in tokens.token_byte_values()) <= MAX_TOKEN_BYTES


def test_a_trainer_that_is_not_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "find_spec", lambda name: None)
    with pytest.raises(BackendError, match="pip install tokenizers"):
        beside(opened(folder, "hand"), Corpus([folder / "text.txt"]), ["tokenizers"])


# Texts that a tokenizer was trained on


@pytest.fixture
def trained(folder: Path) -> Path:
    """A model trained on text.txt and on another file, and one of bytes trained on that alone."""
    (folder / "more.txt").write_text("කම කම කම\n", "utf-8")
    base = byte_base("o200k_base")
    corpus = [folder / "text.txt", folder / "more.txt"]
    model = train_model(
        corpus, TrainOptions(schemas=[load_schema("sinhala")], base=base, prune=1, name="mine")
    )
    (folder / "mine.wwho").write_bytes(write_artifact(model))
    pairs = train_model(
        corpus[1:], TrainOptions(schemas=[], base=base, atoms="byte", vocab_size=300, name="pairs")
    )
    (folder / "pairs.wwho").write_bytes(write_artifact(pairs))
    return folder


def test_a_text_that_a_tokenizer_was_trained_on(trained: Path) -> None:
    """By its contents: neither its name nor how it is compressed counts."""
    (trained / "renamed.txt.gz").write_bytes(gzip.compress((trained / "text.txt").read_bytes()))
    names = ("text.txt", "renamed.txt.gz", "en.txt")
    (trained / "en.txt").write_text("ab\n", "utf-8")
    data = [DataSet(name, str(trained / name)) for name in names]
    hand, mine = open_model(str(trained / "hand.wwho")), opened(trained, "mine")
    with pytest.warns(UserWarning, match="in the training corpus of mine, so") as caught:
        found = evaluate(hand, [mine], data, example_texts=[])
    warned = [str(warning.message).partition(": ")[0] for warning in caught]
    assert warned == [str(trained / name) for name in names[:2]]
    assert [text.trained_on for text in found.texts] == [("mine",), ("mine",), ()]


def test_parallel_texts_that_a_tokenizer_was_trained_on(trained: Path) -> None:
    (trained / "en.txt").write_text("ab\n", "utf-8")
    texts = [DataSet(name, str(trained / f"{name}.txt")) for name in ("en", "more")]
    with pytest.warns(UserWarning, match="in the training corpus of") as caught:
        measured(trained, opened(trained, "mine"), opened(trained, "pairs"), parallel_texts=texts)
    found = [re.findall(r"(\w+\.txt): .* of (.*), so", str(each.message)) for each in caught]
    assert found == [[("more.txt", "mine, pairs")], [("text.txt", "mine")]]


def test_a_text_that_the_base_was_trained_on(trained: Path) -> None:
    base = read_artifact((trained / "pairs.wwho").read_bytes())
    model = train_model(
        [trained / "text.txt"],
        TrainOptions(schemas=[load_schema("sinhala")], base=base, prune=1, name="over"),
    )
    recorded = model.provenance
    (digest,) = re.findall("sha256 (.*)", base.provenance["corpus"])
    assert was_trained_on(recorded, [digest])
    assert not was_trained_on(recorded, [digest[::-1]])


def test_a_corpus_of_more_files_than_are_listed(folder: Path) -> None:
    """It can be told whether these are all of them."""
    corpus = folder / "corpus"
    corpus.mkdir()
    for number in range(LISTED + 1):
        (corpus / f"{number}.txt").write_text(f"ක {number}\n", "utf-8")
    model = train_model(
        [corpus],
        TrainOptions(schemas=[load_schema("sinhala")], base=byte_base("o200k_base"), prune=1),
    )
    read = Corpus([corpus])
    assert sum(map(len, read.blocks(lambda size: None))) > 0
    assert was_trained_on(model.provenance, read.digests)
    assert not was_trained_on(model.provenance, read.digests[:1])


# Scripts without spaces between words


def test_texts_without_spaces_are_counted_in_characters(folder: Path) -> None:
    texts = {
        "thai": "ภาษาไทยเป็นภาษาที่มีระดับเสียง วันนี้อากาศดีมาก",
        "lao": "ພາສາລາວ",
        "khmer": "ភាសាខ្មែរ",
        "burmese": "မြန်မာဘာသာစကား",
        "tibetan": "བོད་སྐད་",
        "chinese": "世界你好。",
        "japanese": "カタカナとひらがな",
        "english": "a few words 世",
        "sinhala": "මල ක",
        "mixed": "many words and some Thai: ภาษาไทย",
    }
    data = []
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", "utf-8")
        data.append(DataSet(name, str(folder / name)))
    found = evaluate(open_model(str(folder / "hand.wwho")), [], data, example_texts=[])
    for of in (*found.texts, found.overall):
        efficiency = of.figures["hand"].efficiency
        has_words = of.name in {"english", "sinhala"}
        assert (efficiency.tokens_per_word is not None) == has_words, of.name
        per_character = efficiency.tokens / of.characters
        assert efficiency.tokens_per_character == pytest.approx(per_character)
        if has_words:
            assert efficiency.tokens_per_word == efficiency.tokens / of.words
    scripts = {script.name: script.figures["hand"] for script in found.overall.scripts}
    assert scripts["sinhala"].tokens_per_word == 1
    assert scripts["other"].tokens_per_word is None
