"""WordPiece: `tokenizers`' WordPieceTrainer judges what is learnt, wherever its result is certain.

It numbers the characters that continue a word in the order of a hash table, which changes from run
to run, and by these numbers it chooses between pairs of equal counts. Where no two pairs are the
most frequent ones, all merged tokens must be ours.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from wwho.exporters import export
from wwho.format.read import read_artifact
from wwho.train import Corpus, count_words, train
from wwho.train.learn_bpe import PREFIX, _learn_in_order, _learn_natively, learn_bpe

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def theirs(texts: list[str], vocab_size: int, min_freq: int, specials: list[str]) -> Tokenizer:
    """Return the tokenizer that the library trains."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=min_freq,
        special_tokens=specials,
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


def tokens_of(vocab: dict[str, int]) -> list[str]:
    """Return tokens in the order of their ids."""
    return sorted(vocab, key=vocab.__getitem__)


def is_certain(words: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> bool:
    """Return whether each merge is of the one most frequent pair, and makes a new text."""
    runs = {word: [word[0], *(PREFIX + char for char in word[1:])] for word in words}
    made: set[str] = set()
    for pair in merges:
        counts: Counter[tuple[str, str]] = Counter()
        for word, run in runs.items():
            for found in pairwise(run):
                counts[found] += words[word]
        (best, most), *others = counts.most_common(2)
        text = pair[0] + pair[1].removeprefix(PREFIX)
        if best != pair or text in made or any(number == most for _, number in others):
            return False
        made.add(text)
        for run in runs.values():
            at = 0
            while at + 1 < len(run):
                if (run[at], run[at + 1]) == pair:
                    run[at : at + 2] = [text]
                at += 1
    return True


def some_words(seed: int) -> Counter[str]:
    """Return words of a few letters with counts that seldom tie."""
    chance = random.Random(seed)
    letters = ("abc", "abcdefg", "abcdefghijklm")[seed % 3]
    return Counter(
        {
            "".join(chance.choices(letters, k=chance.randint(1, 7))): chance.randint(1, 300)
            for _ in range(chance.randint(30, 200))
        }
    )


def test_tokens_are_those_of_tokenizers() -> None:
    certain = 0
    for seed in range(40):
        words = some_words(seed)
        alphabet = {char for word in words for char in word}
        size = len(SPECIALS) + 2 * len(alphabet) + random.Random(seed).randint(1, 25)
        texts = [" ".join([word] * number) for word, number in words.items()]
        found = learn_bpe(words, SPECIALS, alphabet, size, 1, PREFIX)
        ours = tokens_of(found.vocab)
        n_first = len(SPECIALS) + len(alphabet)
        n_symbols = len({*ours[:n_first]} | {t for t in ours if t[:2] == PREFIX and len(t) == 3})
        vocab = tokens_of(theirs(texts, size, 0, SPECIALS).get_vocab())
        # Numbers of characters that continue a word are the only ones that never are certain.
        assert vocab[:n_first] == ours[:n_first]
        assert {*vocab[:n_symbols]} == {*ours[:n_symbols]}
        if is_certain(words, found.merges):
            assert vocab[n_symbols:] == ours[n_symbols:], seed
            certain += 1
    assert certain >= 20


@pytest.mark.parametrize("seed", range(30))
def test_both_ways_to_learn_agree(seed: int) -> None:
    words = some_words(seed)
    alphabet = {char for word in words for char in word}
    later = {char for word in words for char in word[1:]}
    first = [["<s>"], ["ab", "<x>", "##b"]][seed % 2]
    symbols = [*sorted(alphabet), *(PREFIX + char for char in sorted(later))]
    texts = [*dict.fromkeys([*first, *symbols])]
    size = len(texts) + seed * 4
    plain = _learn_in_order(words, texts, size, 1 + seed % 3, PREFIX)
    assert learn_bpe(words, first, alphabet, size, 1 + seed % 3, PREFIX) == plain
    assert plain == (_learn_natively(words, texts, alphabet, size, 1 + seed % 3, PREFIX) or plain)
    if seed % 2 == 0 and seed % 3:
        assert _learn_natively(words, texts, alphabet, size, 1 + seed % 3, PREFIX) is not None


def lines(n: int) -> list[str]:
    """Return lines of text with signs of punctuation, other scripts and numbers."""
    chance = random.Random(5)
    stems = ["".join(chance.choices("aeiklmnorst", k=chance.randint(2, 6))) for _ in range(500)]
    more = ["é", "ගම", "1234", "don't", "(x)", "a-b", "$5", "क्षमा", "e\u0301"]
    weights = [1 / (k + 1) for k in range(len(stems))]
    return [
        " ".join(
            chance.choice(more) if chance.random() < 0.2 else chance.choices(stems, weights)[0]
            for _ in range(12)
        )
        for _ in range(n)
    ]


@pytest.mark.parametrize("normalize", [None, "nfc"])
def test_a_trained_model_is_what_the_library_opens(normalize: Any) -> None:
    texts = lines(400)
    options: dict[str, Any] = {"atoms": "codepoint", "prune": 1, "normalize": normalize}
    ours = train(texts, method="wordpiece", vocab_size=300, **options)
    assert ours.n_vocab == 300
    judge = Tokenizer.from_buffer(export(read_artifact(ours._blob), "tokenizer.json").data)
    assert judge.get_vocab_size() == 300
    for text in [*lines(30), "", "  ", "zzz [UNK] [CLS]", "a" * 101, "\u3000x\u00a0y\n"]:
        ids = ours.encode(text, allowed_special="all")
        assert ids == judge.encode(text, add_special_tokens=False).ids
        assert ours._template.ids(ids, None) == judge.encode(text).ids
    # Of the library's own result, the characters are certain.
    ends = {PREFIX, ""}
    vocab = theirs(texts if normalize else [*texts], 300, 2, SPECIALS).get_vocab()
    if normalize:
        characters = {text for text in vocab if len(text.removeprefix(PREFIX)) == 1}
        found = {text for text in judge.get_vocab() if len(text.removeprefix(PREFIX)) == 1}
        assert characters - ends == found - ends


def test_counts_and_text_give_the_same_model(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(lines(100)) + "\n", "utf-8")
    options: dict[str, Any] = {"method": "wordpiece", "atoms": "codepoint"}
    models_ = []
    corpus = Corpus([str(tmp_path / "a.txt")])
    models_.append(train(corpus, vocab_size=200, prune=1, name="x", **options))
    count_words(corpus, tmp_path / "a.counts", **options)
    counts = Corpus(counts=[str(tmp_path / "a.counts")])
    models_.append(train(counts, vocab_size=200, prune=1, name="x", **options))
    blobs = [export(read_artifact(each._blob), "tokenizer.json").data for each in models_]
    assert json.loads(blobs[0])["model"] == json.loads(blobs[1])["model"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "atoms is 'syllable', but method wordpiece is of code points"),
        ({"atoms": "codepoint", "schemas": ["sinhala"]}, r"schemas is \['sinhala'\]"),
        ({"atoms": "codepoint", "pattern": r"\w+|\W"}, "pattern is "),
        ({"atoms": "codepoint", "max_token_units": 3}, "max_token_units is 3"),
        ({"atoms": "codepoint", "superwords": 3}, "superwords is 3"),
        ({"atoms": "codepoint", "specials": ["<s>"]}, r"without \[UNK\]"),
        ({"atoms": "codepoint", "protect": ["x"]}, r"protect is \['x'\]"),
        ({"atoms": "codepoint", "base": "o200k_base"}, "base is 'o200k_base'"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(lines(5), method="wordpiece", **options)
