"""Shares of ids: chosen on sources that are left out, never on those that are learnt from."""

from __future__ import annotations

import gzip
import lzma
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from wwho.assemble.training_artifacts import unit_model
from wwho.corpus.lines import LineFold, lines_of_fold
from wwho.errors import CorpusError
from wwho.format.read import read_artifact
from wwho.tokenizer import Tokenizer
from wwho.train import Corpus, count_words, train
from wwho.train.balance import first_merges_of_scripts, share_out

SYLLABLES = {
    "si": [
        f"{letter}{sign}" for letter in "කගචජටඩණතදනපබමයරලවසහළ" for sign in ("", "ා", "ි", "ු", "ේ")
    ],
    "hi": [
        f"{letter}{sign}" for letter in "कगचजटडणतदनपबमयरलवसहष" for sign in ("", "ा", "ि", "ु", "े")
    ],
    "en": ["ba", "ke", "li", "mo", "nu", "st", "er", "ing", "al", "on"],
}


def words(script: str, seed: int, count: int) -> list[str]:
    """Made-up words."""
    draw = random.Random(f"{script} {seed}")
    return ["".join(draw.choices(SYLLABLES[script], k=draw.randint(1, 4))) for _ in range(count)]


def lines(seed: int, count: int) -> Iterator[str]:
    """Lines of a source: words and phrases that all sources share, and words of its own."""
    draw = random.Random(seed)
    shared = {script: words(script, 0, 300) for script in SYLLABLES}
    own = {script: words(script, seed, 100) for script in SYLLABLES}
    phrases = {
        script: [" ".join(shared[script][k : k + 2]) for k in range(0, 40, 2)] for script in own
    }
    for _ in range(count):
        script = draw.choice(list(SYLLABLES))
        kinds = (shared[script][:50], own[script], phrases[script])
        yield " ".join(draw.choice(draw.choice(kinds)) for _ in range(8))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four sources, and one that nothing is learnt from."""
    folder = tmp_path_factory.mktemp("sources")
    files = [folder / f"{name}.txt" for name in ("a", "b", "c", "d", "unseen")]
    for seed, file in enumerate(files, start=1):
        stack = "क्" * 50 + "क"  # a syllable that is longer than an atom may be
        file.write_text("".join(f"{line}\n" for line in [*lines(seed, 400), stack]), "utf-8")
    return files


@pytest.fixture(scope="module")
def balanced(sources: list[Path]) -> Tokenizer:
    return train(
        Corpus(sources[:4]), schemas=["sinhala", "devanagari"], balanced=True, vocab_size=1500
    )


def test_a_base_syllables_and_superwords_fill_the_vocabulary(balanced: Tokenizer) -> None:
    assert balanced.n_vocab == 1500
    training = balanced.info.provenance["training"]
    parts = training.split("balanced: ")[1].split(", ")
    found = {kind: int(ids) for kind, ids in (part.rsplit(" ", 1) for part in parts)}
    assert all(found.values()), training
    # the bytes, [PAD] and its like, the end of a text, the lone space
    assert sum(found.values()) == 1500 - 256 - 5 - 1 - 1


def test_fewer_tokens_than_a_byte_bpe_of_that_size(
    balanced: Tokenizer, sources: list[Path]
) -> None:
    plain = train(Corpus(sources[:4]), atoms="byte", vocab_size=1500)
    for line_of in ("ක", "क", "a"):  # of each script by itself
        texts = [
            line for line in sources[4].read_text("utf-8").splitlines() if script(line) == line_of
        ]
        assert sum(balanced.count_batch(texts)) < sum(plain.count_batch(texts))
        assert [balanced.decode(ids) for ids in balanced.encode_batch(texts)] == texts


@pytest.mark.parametrize("base", [None, "r50k_base"])
@pytest.mark.parametrize("balanced", [True, "evenly"])
def test_unigram_models_share_ids_among_scripts_too(
    sources: list[Path], base: str | None, balanced: Any
) -> None:
    given: dict[str, Any] = {"schemas": ["sinhala", "devanagari"], "method": "unigram"}
    given |= {"base": base, "balanced": balanced, "vocab_size": 900}
    files = [*sources[:3], *[sources[3]] * 2]  # one of them counts twice
    found = train(Corpus(files), **given)
    assert found._blob == train(Corpus(files), **given)._blob
    n_base = 50257 if base else 0
    assert found.n_vocab == n_base + 900
    training = found.info.provenance["training"]
    parts = training.split("balanced: ")[1].split(", ")
    shares = {kind: int(ids) for kind, ids in (part.rsplit(" ", 1) for part in parts)}
    kinds = {"atoms", "tokens sinhala", "tokens devanagari"} | ({"base"} if not base else set())
    assert shares.keys() == kinds
    assert all(shares.values()), training
    # [PAD] and its like; with a base of its own the bytes and the end of a text, too
    assert sum(shares.values()) == 900 - 5 - (0 if base else 256 + 1)
    texts = sources[4].read_text("utf-8").splitlines()
    assert [found.decode(ids) for ids in found.encode_batch(texts)] == texts


def test_the_tokens_of_a_script_are_those_of_its_words_alone(
    sources: list[Path], tmp_path: Path
) -> None:
    given: dict[str, Any] = {"base": "r50k_base", "method": "unigram", "specials": [], "prune": 5}
    sinhala = [tmp_path / file.name for file in sources[:3]]
    for whole, own in zip(sources[:3], sinhala, strict=True):
        texts = whole.read_text("utf-8").splitlines()
        own.write_text("\n".join(line for line in texts if script(line) == "ක"), "utf-8")
    both = train(
        Corpus(sources[:3]),
        schemas=["sinhala", "devanagari"],
        balanced=True,
        vocab_size=700,
        **given,
    )
    shares = both.info.provenance["training"].split("balanced: ")[1].split(", ")
    (n_sinhala,) = (
        int(part.rsplit(" ", 1)[1]) for part in shares if part.startswith("tokens sinhala")
    )
    tokens = [both.decode_single_token_bytes(number).decode() for number in range(50257, 50957)]
    of_both = [text for text in tokens if script(text.strip()) == "ක"]
    n_atoms = len(of_both) - n_sinhala
    one = train(
        Corpus(sinhala), schemas=["sinhala"], balanced=True, vocab_size=len(of_both), **given
    )
    assert n_atoms > 0
    of_one = [
        one.decode_single_token_bytes(number).decode() for number in range(50257, one.n_vocab)
    ]
    assert sorted(of_both) == sorted(of_one)  # scores that are nearly equal may become equal


def script(line: str) -> str:
    """A character that stands for the script of a line."""
    return "ක" if "\u0d80" < line[0] < "\u0e00" else "क" if "\u0900" < line[0] < "\u0980" else "a"


def test_the_same_sources_give_the_same_bytes_and_prune_is_obeyed(
    sources: list[Path], tmp_path: Path
) -> None:
    given = {"schemas": ["sinhala"], "base": "r50k_base", "balanced": True, "vocab_size": 300}
    files = []
    for name, prune in (("a", 40), ("b", 40), ("c", 1)):
        train(Corpus(sources[:2]), prune=prune, **given).save(tmp_path / name)  # type: ignore[arg-type]
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] != files[2]
    few, many = (len(unit_model(read_artifact(file)).symbols) for file in files[1:])
    assert 0 < few < many
    assert read_artifact(files[0]).n_vocab == 50257 + 300 + 1


def test_units_are_counted_in_the_scripts_alone(sources: list[Path], tmp_path: Path) -> None:
    given = {"schemas": ["sinhala"], "balanced": True, "vocab_size": 600, "max_token_units": 2}
    train(Corpus(sources[:2]), **given).save(tmp_path / "two")  # type: ignore[arg-type]
    model = read_artifact((tmp_path / "two").read_bytes())
    assert max(map(len, model.models[0].texts)) > 2
    assert max(len(text.decode()) for text in unit_model(model).texts) <= 5  # a space and two units


def test_an_id_goes_where_it_saves_most() -> None:
    curves = {("merges", "a"): [9.0, 1.0, 5.0], ("merges", "b"): [4.0, 2.0]}
    assert [sum(share_out(curves, room).values()) for room in range(7)] == [0, 1, 2, 3, 4, 5, 5]
    assert share_out(curves, 2) == {
        ("merges", "a"): 1,
        ("merges", "b"): 1,
    }  # 3 on average is less than 4


def test_merges_of_a_script_keep_their_parts() -> None:
    merges = [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)]  # of a, b, a, b, a
    assert first_merges_of_scripts(merges, ["a", "b"], {"a": 2, "b": 1}) == [(0, 0), (1, 1), (2, 0)]
    assert first_merges_of_scripts(merges, ["a", "b"], {"a": 0, "b": 2}) == [(1, 1), (2, 1)]
    shared = [(0, 1), (0, 0), (1, 3), (3, 1), (2, 1)]  # 0 is of no script, and so is 3, its double
    assert first_merges_of_scripts(shared, ["", "a"], {"a": 4}) == [(0, 1), (2, 1)]
    assert first_merges_of_scripts(shared, ["", "a"], {"": 1, "a": 1}) == [(0, 1), (0, 0)]


def test_evenly_short_sources_count_as_much_as_long_ones(
    sources: list[Path], tmp_path: Path
) -> None:
    long, short = tmp_path / "long.txt", sources[1]
    long.write_text(5 * sources[0].read_text("utf-8"), "utf-8")
    given = {"schemas": ["sinhala"], "base": "r50k_base", "prune": 9, "vocab_size": 300}
    ratio = round(2 * long.stat().st_size / short.stat().st_size) / 2
    weighted = Corpus([long, short], weights={str(short): ratio})
    even, same, plain = (
        train(corpus, balanced=balanced, **given)  # type: ignore[arg-type]
        for corpus, balanced in (
            (Corpus([long, short]), "evenly"),
            (weighted, True),
            (Corpus([long, short]), True),
        )
    )
    assert even.info.provenance == same.info.provenance != plain.info.provenance
    ids = range(50257, even.n_vocab)
    assert even.decode_tokens_bytes(ids) == same.decode_tokens_bytes(ids)
    assert even.decode_tokens_bytes(ids) != plain.decode_tokens_bytes(ids)


def write_languages(folder: Path, files_of_each: int) -> list[Path]:
    """Write a corpus of three languages, each in so many files, which hold the same lines."""
    files = []
    for language in SYLLABLES:
        found = [line for seed in range(1, 4) for line in lines(seed, 400)]
        found = [line for line in found if script(line) == script(SYLLABLES[language][0])]
        for number in range(files_of_each):
            files.append(folder / f"{language}-{number}-of-{files_of_each}.txt")
            part = found[len(found) * number // files_of_each :]
            part = part[: len(found) // files_of_each]
            files[-1].write_text("".join(f"{line}\n" for line in part), "utf-8")
    return files


def test_one_file_a_language_is_as_good_as_three(sources: list[Path], tmp_path: Path) -> None:
    given: dict[str, Any] = {"schemas": ["sinhala", "devanagari"], "vocab_size": 900}
    by_language = write_languages(tmp_path, 3)
    corpora = {
        "nine": by_language,
        # of each language all three are left out at the same time, were they left out whole
        "mixed": [by_language[k] for k in (0, 3, 6, 1, 4, 7, 2, 5, 8)],
        "three": write_languages(tmp_path, 1),
    }
    trained = {
        name: train(Corpus(files), balanced=True, **given) for name, files in corpora.items()
    }
    unseen = sources[4].read_text("utf-8").splitlines()
    for language in SYLLABLES:
        texts = [line for line in unseen if script(line) == script(SYLLABLES[language][0])]
        tokens = {name: sum(each.count_batch(texts)) for name, each in trained.items()}
        assert tokens["mixed"] <= 1.1 * tokens["nine"], (language, tokens)
        assert tokens["three"] <= 1.1 * tokens["nine"], (language, tokens)


def test_folds_of_lines_do_not_depend_on_the_form_or_on_who_counts(
    sources: list[Path], tmp_path: Path
) -> None:
    given: dict[str, Any] = {"schemas": ["sinhala"], "balanced": True, "vocab_size": 600}
    texts = sources[0].read_text("utf-8").splitlines()
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress(sources[0].read_bytes()))
    of_file = train(Corpus(sources[:1]), **given)._blob
    assert train(texts, **given)._blob == of_file
    assert train(Corpus([packed]), processes=3, **given)._blob == of_file
    with ThreadPoolExecutor(2) as pool:
        assert train(Corpus(sources[:1]), executor=pool, **given)._blob == of_file


def test_folds_have_each_line_once() -> None:
    text = "".join(f"{line}\n\n" for line in lines(1, 200)).encode()
    folds = [lines_of_fold(text, LineFold(number, 3)) for number in range(3)]
    assert sorted(b"".join(folds).split(b"\n")) == sorted(text.split(b"\n"))
    assert all(fold.count(b"\n\n") == len(fold.split(b"\n\n")) - 1 > 40 for fold in folds)
    again = [lines_of_fold(fold, LineFold(number, 3)) for number, fold in enumerate(folds)]
    assert again == folds
    assert lines_of_fold(b"", LineFold(0, 3)) == b""


@pytest.mark.slow
@pytest.mark.corpora
def test_one_file_a_language_of_real_text(corpora: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"schemas": ["sinhala", "devanagari"], "vocab_size": 4000}
    one: list[Path] = []
    three: list[Path] = []
    unseen: dict[str, list[bytes]] = {}
    for language in ("en", "hi", "si"):
        with lzma.open(corpora / f"test_{language}.txt.xz") as file:
            text = file.read(800_000).rpartition(b"\n")[0].splitlines(keepends=True)
        learnt, unseen[language] = text[: len(text) * 3 // 4], text[len(text) * 3 // 4 :]
        for found, count in ((one, 1), (three, 3)):
            for number in range(count):
                found.append(tmp_path / f"{language}-{number}-of-{count}.txt")
                found[-1].write_bytes(b"".join(learnt[number::count]))
    few, many = (train(Corpus(files), balanced="evenly", **given) for files in (one, three))
    for language, texts in unseen.items():
        held_out = b"".join(texts).decode()
        assert few.count(held_out) <= 1.1 * many.count(held_out), language


def test_what_cannot_be_balanced_is_refused(sources: list[Path], tmp_path: Path) -> None:
    counts = count_words(Corpus(sources[:1]), tmp_path / "a.counts", schemas=["sinhala"])
    with pytest.raises(CorpusError, match="name the files of text in place of counts"):
        train(Corpus(counts=[counts]), balanced=True, schemas=["sinhala"])
    with pytest.raises(ValueError, match="leave out atoms codepoint"):
        train(Corpus(sources[:2]), balanced=True, atoms="codepoint", schemas=["sinhala"])
    with pytest.raises(ValueError, match="balanced is True, but method wordpiece"):
        train(Corpus(sources[:2]), balanced=True, method="wordpiece", atoms="codepoint")
    for method in ("bpe", "unigram"):
        with pytest.raises(CorpusError, match="can be read only once: name a file"):
            train(lines(1, 9), balanced=True, method=method, schemas=["sinhala"])
    with pytest.raises(ValueError, match="superwords is 9, but method unigram merges nothing"):
        train(Corpus(sources[:2]), balanced=True, method="unigram", superwords=9)
    with pytest.raises(CorpusError, match=r"may reach .* 4,294,967,295 is the most"):
        train(Corpus(sources[:2], weights={str(sources[0]): 1_000_000}), balanced=True)
    with pytest.raises(CorpusError, match="and 2 ids for atoms"):
        train(Corpus(sources[:2]), balanced=True, base="r50k_base", prune=1, vocab_size=7)
