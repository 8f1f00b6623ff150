"""Whole tokenizer.json documents give the ids and texts of Hugging Face's tokenizers."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from exhaustive import EXHAUSTIVE

pytest.importorskip("tokenizers", reason="needs tokenizers")
from documents import ALPHABET, WORDS, compare, document, texts_for
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import wwho
from wwho.format.bpe import BPE
from wwho.format.steps import Cut, Spell
from wwho.format.write import write_artifact
from wwho.importers import Source, import_source
from wwho.importers.huggingface.pre_tokenizers.split import THOUSANDS

N = 240 if EXHAUSTIVE else 40
FOUND = (300004, 310091, 330018, 370331, 601245, 710296)
"""Found among others: a word that is a token no merge makes, a character after a match that the
end of the text would end otherwise, the unknown token in a text, an added token that stands for
bytes and that the normalizer changes, one that is a word of a normalized text, and the place of a
word that is a token."""
Bytes = pre_tokenizers.ByteLevel
Split = pre_tokenizers.Split
LINES = Path(__file__).read_text("utf-8").splitlines()
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def test_random_documents() -> None:
    said = {}
    for seed in (*range(N), *FOUND):
        made = document(seed)
        said[seed] = compare(made, texts_for(seed, made))
    assert [each for each in said.items() if each[1].startswith("differs")] == []
    assert sum(each == "equal" for each in said.values()) > N / 2


def texts() -> list[str]:
    rng = random.Random(3)
    parts = [*ALPHABET, *WORDS, " ", "  ", "123", "4567", "I'LL"]
    words = ["a", "ab,", "I'LL", "e\u0301", "\u0301", "क\u094dष", "漢字" * 3, "\t", "", "12", "a\n"]
    return [
        "",
        *LINES,
        *("1" * n for n in (509, 510, 511, 1024)),
        *("²1 1² ½½ 12³4 1234", "«a» §1¶ ¡«!» İ½ ½1 ĲĠ Ġ ab½"),
        *("".join(rng.choices(parts, k=rng.randint(1, 12))) for _ in range(200)),
        *(" ".join(rng.choices(words, k=rng.randint(2, 40))) for _ in range(60)),
    ]


CUTS: dict[str, Sequence[Any]] = {
    "Falcon": (
        pre_tokenizers.Punctuation("contiguous"),
        Bytes(add_prefix_space=False),
        pre_tokenizers.Digits(),
        Split(Regex("[0-9][0-9][0-9]"), "isolated"),
    ),
    "a space before each number": (pre_tokenizers.Digits(individual_digits=True), Bytes()),
    "twice": (Bytes(add_prefix_space=False), Bytes(add_prefix_space=False)),
    "words": (pre_tokenizers.WhitespaceSplit(), Bytes(use_regex=False)),
    "Bert": (pre_tokenizers.BertPreTokenizer(), Bytes()),
    "to the left": (Split(Regex(r"\s+"), "merged_with_previous"), Bytes()),
    "to the right": (Split(Regex(r"\s+|(?=x)y?b?z|c"), "merged_with_next"), Bytes()),
    "groups from the right among others": (
        Split(
            Regex(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))| ?[.,]+|\s+"),
            "isolated",
        ),
        Bytes(use_regex=False),
    ),
    "groups from the right": (Split(Regex(r"\d{1,3}(?=(?:\d{3})*\b)"), "isolated"), Bytes()),
    "between groups": (Bytes(use_regex=False), Split(Regex(r"(?=(\d{3})+(?!\d))"), "isolated")),
    "groups before what is taken": (
        Split(Regex(r"\s+|\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))"), "isolated"),
        Bytes(use_regex=False),
    ),
    "between groups among others": (
        Split(Regex(r"(?=(\d{3})+(?!\d))| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"), "isolated"),
        Bytes(use_regex=False),
    ),
    "groups up to the end": (Split(Regex(r"\p{N}{1,2}(?=(\p{N}{2})*$)"), "isolated"), Bytes()),
    "AFMoE": (*(Split(Regex(each["pattern"]["Regex"]), "isolated") for each in THOUSANDS), Bytes()),
    "each punctuation of bytes": (
        Bytes(),
        pre_tokenizers.Punctuation(),
        Split(Regex("[a-c]+(?![0-9])"), "merged_with_previous"),
        Split("b", "removed"),
    ),
    "a byte": (Bytes(add_prefix_space=False), Split("½", "isolated")),
    "before a byte": (Bytes(), pre_tokenizers.Punctuation("merged_with_next")),
    "three bytes": (Bytes(), Split(Regex("[^a]{3}"), "isolated")),
    "with its like": (Split("a", "contiguous"), Split(Regex("[0-9]"), "contiguous", True), Bytes()),
}


def trained(*cuts: Any, alphabet: Sequence[str] | None = None, **options: Any) -> Any:
    """A byte-level BPE after these pre-tokenizers."""
    made = Tokenizer(models.BPE(**options))
    made.pre_tokenizer = pre_tokenizers.Sequence(list(cuts))
    made.decoder = decoders.ByteLevel()
    alphabet = Bytes.alphabet() if alphabet is None else alphabet
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|startoftext|>", "<|endoftext|>"],
        initial_alphabet=alphabet,
        show_progress=False,
        **{key: text for key, text in options.items() if key == "end_of_word_suffix"},
    )
    made.train_from_iterator(LINES, trainer)
    return made


@pytest.mark.parametrize("name", CUTS)
def test_bytes_after_other_cuts(name: str) -> None:
    assert compare(json.loads(trained(*CUTS[name]).to_str()), texts()) == "equal"


def test_cuts_inside_characters() -> None:
    """Where they cut no token, cuts of characters are enough; else a step spells the bytes."""
    apart, together = (json.loads(trained(*CUTS[name]).to_str()) for name in ("Falcon", "Bert"))
    together["pre_tokenizer"] = apart["pre_tokenizer"]
    together["model"]["vocab"]["Â²"] = len(together["model"]["vocab"])
    together["model"]["merges"].append(["Â", "²"])
    assert compare(together, texts()) == "equal"
    made = [
        import_source(Source("tokenizer.json", json.dumps(each).encode())).artifact
        for each in (apart, together)
    ]
    assert [Spell() in each.steps for each in made] == [False, True]


def test_bytes_that_are_no_tokens_vanish() -> None:
    made = trained(Bytes(add_prefix_space=False), alphabet=[])
    assert compare(json.loads(made.to_str()), texts()) == "equal"


def test_where_others_stand_when_symbols_vanish() -> None:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    corpus = ["ab abc é 漢字 aab", "ba 漢 é éa"]
    made.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=24, show_progress=False))
    assert compare(json.loads(made.to_str()), texts()) == "equal"


def test_bytes_without_a_decoder_are_characters() -> None:
    made = json.loads(trained(Bytes()).to_str())
    assert compare({**made, "decoder": None}, texts()) == "equal"


@pytest.mark.parametrize(
    ("pattern", "cuts"), [(CLIP, 1), (rf"<\|startoftext\|>|<\|endoftext\|>|{CLIP}", 2)]
)
def test_clip(pattern: str, cuts: int) -> None:
    """Two forms of it are published. ByteLevel cuts what the first leaves no further."""
    made = trained(
        Split(Regex(pattern), "removed", invert=True),
        Bytes(add_prefix_space=False),
        unk_token="<|endoftext|>",
        continuing_subword_prefix="",
        end_of_word_suffix="</w>",
    )
    made.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    clip = json.loads(made.to_str())
    assert compare(clip, texts()) == "equal"
    artifact = import_source(Source("tokenizer.json", json.dumps(clip).encode())).artifact
    (route,) = artifact.routes
    assert [type(step) for step in route.steps] == [*[Cut] * cuts, Spell]
    (model,) = artifact.models
    assert isinstance(model, BPE)
    assert model.suffix == "</w>"


def test_a_first_marker_after_a_space_in_front() -> None:
    first = pre_tokenizers.Metaspace(prepend_scheme="first")
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "Ġ": 1}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Sequence([Bytes(add_prefix_space=True), first])
    assert compare(json.loads(made.to_str()), ["\tİb", *texts()]) == "equal"


def test_marks_around_characters_that_vanish() -> None:
    """They come next to each other, may change places, and vanish later themselves."""
    rng = random.Random(5)
    parts = ["a", "é", "\u0301", "\u0323", "\u302e", "\u0330\u0301", "\u200b", "\t", " ", "漢"]
    parts += ["क", "ि", "\u094d", "\u093c", "ु", "ड़", "😀", "İ"]
    vocab = {text: number for number, text in enumerate(["[UNK]", "a", "##b", "क", "##क", "##ी"])}
    made = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    texts = ["".join(rng.choices(parts, k=rng.randint(0, 14))) for _ in range(10 * N)]
    assert compare(json.loads(made.to_str()), texts) == "equal"


@pytest.mark.parametrize("pattern", [".+", r"[^\n]+", ".{1,3}"])
@pytest.mark.parametrize("first", [Bytes(), pre_tokenizers.Metaspace()])
def test_a_first_word_whose_letters_become_others(pattern: str, first: Any) -> None:
    """What is put before a text is put before its first word alone."""
    vocab = {text: number for number, text in enumerate(["[UNK]", "x", "Ġx", "▁x"])}
    made = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    made.normalizer = normalizers.Replace(Regex(pattern), "x")
    made.pre_tokenizer = first
    made.decoder = decoders.Fuse()
    assert compare(json.loads(made.to_str()), ["x", "x\nx", "ab cd\ny", *texts()]) == "equal"


@pytest.mark.parametrize("pattern", ["x*", "(?:xy?){0,2}"])
@pytest.mark.parametrize(
    ("behavior", "invert"), [("merged_with_next", False), ("merged_with_previous", True)]
)
def test_matches_that_join_what_comes_after_where_unknown_symbols_vanish(
    pattern: str, behavior: str, invert: bool
) -> None:
    texts = ["", *map("".join, product(["x", "y", "a", "b"], repeat=5))]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = Split(Regex(pattern), behavior, invert)
    made.decoder = decoders.Fuse()
    made.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=60, show_progress=False, limit_alphabet=3)
    )
    assert compare(json.loads(made.to_str()), texts) == "equal"


@pytest.mark.parametrize("kind", ["WordLevel", "WordPiece", "Unigram"])
def test_bytes_of_other_models(kind: str) -> None:
    vocab = {text: number for number, text in enumerate(["[UNK]", "h", "Ġ", "a", "Ġa", "Ã", "ab"])}
    if kind == "WordLevel":
        made = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    elif kind == "WordPiece":
        later = {text: len(vocab) + number for number, text in enumerate(["##a", "##b", "##©"])}
        made = Tokenizer(models.WordPiece({**vocab, **later}, unk_token="[UNK]"))
    else:
        made = Tokenizer(models.Unigram([(text, -float(n)) for text, n in vocab.items()], 0, False))
    made.pre_tokenizer = Bytes(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    assert compare(json.loads(made.to_str()), texts()) == "equal"


@pytest.mark.parametrize("flag", ["single_word", "lstrip", "rstrip", "special"])
def test_tokens_in_the_characters_that_stand_for_bytes(flag: str) -> None:
    made = json.loads(trained(Bytes(use_regex=False)).to_str())
    made |= {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": None}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)
    for place, text in enumerate(["\n", "٣👩\u200d👧", "<s>"], len(made["model"]["vocab"])):
        token = {"id": place, "content": text, "normalized": True, **flags, flag: True}
        made["added_tokens"].append(token)
    hard = ["a \n", "\n", "a\nb", "a ٣👩\u200d👧\u00a0b", "<s> <s>", "a <s>\u00a0b"]
    assert compare(made, hard) == "equal"


def test_an_added_token_whose_characters_stand_for_bytes() -> None:
    """Of no token of the model; it decodes to those bytes."""
    made = json.loads(trained(Bytes()).to_str())
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "special", "normalized"), False)
    for place, text in enumerate(["İ", "éa", "é b", "漢"], len(made["model"]["vocab"])):
        made["added_tokens"].append({"id": place, "content": text, **flags})
    assert compare(made, ["a İ", "éa é b", "漢字"]) == "equal"


def test_two_added_tokens_of_one_id() -> None:
    """The last one is found; the id decodes to the first if that is rewritten."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)
    made = json.loads(Tokenizer(models.WordLevel({"[UNK]": 0, "b": 2}, "[UNK]")).to_str())
    made["added_tokens"] = [
        {"id": 2, "content": text, **flags, "normalized": text == "a"} for text in ("a", "b")
    ]
    assert compare(made, ["a", "b"]) == "equal"
    made["normalizer"] = {"type": "Prepend", "prepend": "x"}
    assert 'the id 2 of "b" decodes to "a"' in compare(made, [])


def test_what_cannot_be_opened_is_refused() -> None:
    """The import says it, not the one who opens what it wrote."""
    pieces = [(text, -1.0) for text in ("a", "<unk>", "<unk>", "<0x61>")]
    for place in (1, 3):
        made = Tokenizer(models.Unigram(pieces, place, byte_fallback=True))
        said = compare(json.loads(made.to_str()), [])
        assert f"/model/unk_id: found {place}, a piece that" in said
    made = Tokenizer(models.WordLevel({"[UNK]": 0}, "[UNK]"))
    made.normalizer = normalizers.Sequence(
        [each for _ in range(9) for each in (normalizers.NFC(), normalizers.Prepend("a"))]
    )
    assert "/normalizer: it takes 18 steps" in compare(json.loads(made.to_str()), [])


def test_a_token_with_flags_that_another_one_hides() -> None:
    made = json.loads(Tokenizer(models.WordLevel({"[UNK]": 0, "b": 2}, "[UNK]")).to_str())
    flags = dict.fromkeys(("lstrip", "rstrip", "normalized", "special"), False)
    made["added_tokens"] = [
        {"id": 9, "content": text, "single_word": text == "<s>", **flags} for text in ("<s>", "b")
    ]
    assert compare(made, ["b", "<s>", "a"]) == "equal"


def test_a_word_that_becomes_a_special_token() -> None:
    """tokenizers gives its id without leave; here the text itself has it, and the notes say so."""
    made = json.loads(Tokenizer(models.BPE({"é": 0, "a": 1, "éa": 2}, [])).to_str())
    made["model"]["ignore_merges"] = True
    made["normalizer"] = {"type": "Lowercase"}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    made["added_tokens"] = [{"id": 2, "content": "éa", "special": True, **flags}]
    found = import_source(Source("tokenizer.json", json.dumps(made).encode()))
    assert any("special tokens are found as they are written" in note for note in found.notes)
    ours = wwho.Tokenizer.from_bytes(write_artifact(found.artifact))
    assert ours.encode("éA") == [0, 1]
    assert ours.encode("éa", allowed_special="all") == [2]
    assert Tokenizer.from_str(json.dumps(made)).encode("éA").ids == [2]
    made["added_tokens"][0]["special"] = False
    assert compare(made, ["éA", "éa"]) == "equal"
