"""Folders of classes that transformers runs in Python: what their class makes of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from folder_judge import (
    WORDS,
    assert_same_as_auto_tokenizer,
    texts_of,
    tokenizers,
    transformers,
)

from wwho.errors import SourceError
from wwho.hf import WWHOTokenizer
from wwho.importers import import_file
from wwho.importers.transformers import python_bpe

LINES = [" ".join(WORDS)] * 4 + ["low lower lowest, new newer newest; don't we'll 12 345"] * 9


@pytest.fixture(scope="module")
def codes() -> tuple[list[str], list[tuple[str, str]]]:
    """The tokens and the merges of a BPE whose words end in </w>; tokens are written with @@."""
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(unk_token="<unk>", end_of_word_suffix="</w>")
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=500, special_tokens=[], end_of_word_suffix="</w>", show_progress=False
    )
    theirs.train_from_iterator(LINES, trainer)
    model = json.loads(theirs.to_str())["model"]
    pairs = [tuple(pair) for pair in model["merges"]]
    made = {text for pair in pairs for text in (*pair, "".join(pair))}
    texts = sorted(made | {*model["vocab"]})
    ends = [text.removesuffix("</w>") if text.endswith("</w>") else text + "@@" for text in texts]
    # Some parts of tokens are none themselves.
    special = ("<s>", "</s>", "<unk>", "<pad>", "<mask>")
    kept = [text for number, text in enumerate(ends) if number % 5 and text not in special]
    return kept, pairs


def _write(folder: Path, files: dict[str, Any], **settings: Any) -> Path:
    """Write files and a tokenizer_config.json into a folder, which is returned."""
    folder.mkdir(exist_ok=True)
    for name, content in {**files, "tokenizer_config.json": settings}.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name).write_text(text, "utf-8")
    return folder


def _settings(chance: random.Random, size: int) -> dict[str, Any]:
    """Return settings that change what a class makes of its files with `size` tokens."""
    settings: dict[str, Any] = {}
    if chance.random() < 0.4:
        settings["mask_token"] = chance.choice(["<mask>", "[MASK]", "low"])
    if chance.random() < 0.3:
        key = chance.choice(["extra_special_tokens", "additional_special_tokens"])
        settings[key] = chance.sample(["<x>", "<y>", "new", "[SEP]"], 2)
    if chance.random() < 0.3:
        settings["image_token"] = "<image>"
    if chance.random() < 0.5:
        flags = ("lstrip", "rstrip", "normalized", "special")
        settings["added_tokens_decoder"] = {
            str(number): {"content": content, **{each: chance.random() < 0.4 for each in flags}}
            for number, content in ((size, "<new>"), (size + 2, "ew we"), (size + 1, " ide"))
        }
    return settings


def _bpe_files(name: str, codes: tuple[list[str], list[tuple[str, str]]]) -> dict[str, Any]:
    """Return the files of a class of `python_bpe`."""
    texts, pairs = codes
    if name in ("PhobertTokenizer", "BertweetTokenizer"):
        return {
            "vocab.txt": "".join(f"{text} 7\n" for text in texts),
            "bpe.codes": "".join(f"{left} {right} 7\n" for left, right in pairs),
        }
    special = ["<unk>", "__unk__", "__start__", "__end__", "__null__"]
    return {
        "vocab.json": {text: number for number, text in enumerate([*special, *texts])},
        "merges.txt": "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in pairs),
    }


@pytest.mark.parametrize("name", python_bpe.CLASSES)
def test_a_class_of_merged_words(
    name: str, codes: tuple[list[str], list[tuple[str, str]]], tmp_path: Path
) -> None:
    files = _bpe_files(name, codes)
    size = len(codes[0]) + (
        len(files["vocab.json"]) - len(codes[0]) if "vocab.json" in files else 4
    )
    chance = random.Random(42)
    for turn in range(3):
        settings = _settings(chance, size) if turn else {}
        folder = _write(tmp_path / str(turn), files, tokenizer_class=name, **settings)
        ours, theirs = assert_same_as_auto_tokenizer(folder, seed=turn)
        ids = list(range(size))
        assert ours.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)


def test_what_rewrites_tweets_is_refused(tmp_path: Path) -> None:
    files = {"vocab.txt": "a 1\n", "bpe.codes": ""}
    settings = {"tokenizer_class": "BertweetTokenizer", "normalization": True}
    with pytest.raises(SourceError, match="normalization: found true, which rewrites users"):
        import_file(_write(tmp_path, files, **settings))


@pytest.mark.parametrize("eos", ["</s>", "low"])
def test_an_end_is_put_once(eos: str, tmp_path: Path) -> None:
    token = {"__type": "AddedToken", "content": eos}
    folder = _write(tmp_path, {}, tokenizer_class="ByT5Tokenizer", eos_token=token)
    ours, theirs = assert_same_as_auto_tokenizer(folder, more=[eos, f"new {eos}"])
    assert ours.decode(ours(f"new{eos}")["input_ids"]) == f"new{eos}"
    pairs = [["a", "b"], [f"a{eos}", f"b{eos}"], [f"{eos}{eos}", ""]]
    for flags in ({"max_length": 4, "truncation": True}, {"return_special_tokens_mask": False}):
        assert dict(ours(pairs, padding=True, **flags)) == dict(
            theirs(pairs, padding=True, **flags)
        )
    ids = ours(eos, add_special_tokens=False)["input_ids"]
    build = "build_inputs_with_special_tokens"
    for first, second in ((ids, None), (ids, ids), ([], None)):
        assert getattr(ours, build)(first, second) == getattr(theirs, build)(first, second)


def test_white_space_at_the_ends_of_decoded_text(
    codes: tuple[list[str], list[tuple[str, str]]], tmp_path: Path
) -> None:
    files = _bpe_files("CTRLTokenizer", codes)
    extra = ["\u3000x", "y\u3000"]
    folder = _write(tmp_path, files, tokenizer_class="CTRLTokenizer", extra_special_tokens=extra)
    ours, _ = assert_same_as_auto_tokenizer(folder, more=extra)
    assert ours.decode(ours("\u3000x low y\u3000")["input_ids"])[::2] == "xlwy"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"additional_special_tokens": [{"content": "<x>"}]}, '"__type": "AddedToken"'),
        ({"extra_special_tokens": {"sep_token": "<x>"}}, "found sep_token, expected names of"),
        (
            {
                "extra_special_tokens": ["x "],
                "added_tokens_decoder": {"300": {"content": "<t>", "lstrip": True}},
            },
            '"x " ends in white space, which "<t>" takes',
        ),
        ({"split_special_tokens": True}, "split_special_tokens: found true, expected false"),
    ],
)
def test_what_a_class_in_python_does_otherwise_is_refused(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match=message):
        import_file(_write(tmp_path, {}, tokenizer_class="PerceiverTokenizer", **settings))


PIECES = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "low", "##er", "##est", "new", "ne", "##w"),
    *("the", "a", "##a", "an", "in", "on", "wide", "hello", "Hello", "world", "caf", "##e", "e"),
    *("naive", "Stra", "##ß", "##e", "i", "字", "中", "##文", "日", "##本", "##語", ".", ",", "!"),
    *(
        "?",
        "'",
        "(",
        ")",
        "<",
        ">",
        "s",
        "unk",
        "[",
        "]",
        "λογος",
        "λογο",
        "##ς",
        "##σ",
        "1",
        "##2",
    ),
    *("##3", "¨", "ト", "##ト", "fi", "##i", "f", "½", "##⁄", "⁄", "2", "한국어", "ශ", "##්", "न"),
)
SIGMA = (
    "ΛΌΓΟΣ",
    "ΛΟΓΟΣ",
    "Σ",
    "ΑΣΑ Α'Σ",
    "ΟΔΥΣΣΕΥΣ.",
    "Σ'Α ΑΣ\u0301 ΑΣ\u0301Α",
    "İ̇Iı",
    "ﾄﾞ ㍿ ¨ ´a",
)


def _word_settings(chance: random.Random) -> dict[str, Any]:
    """Return settings that change how words are cut."""
    names = ("do_lower_case", "strip_accents", "tokenize_chinese_chars")
    settings: dict[str, Any] = {
        name: chance.random() < 0.5 for name in names if chance.random() < 0.5
    }
    if chance.random() < 0.2:
        settings["do_basic_tokenize"] = False
    return settings


@pytest.mark.parametrize("name", ["ProphetNetTokenizer", "BertTokenizerLegacy"])
def test_a_class_of_pieces_in_python(name: str, tmp_path: Path) -> None:
    file = "prophetnet.tokenizer" if name == "ProphetNetTokenizer" else "vocab.txt"
    files = {file: "".join(f"{piece}\n" for piece in dict.fromkeys(PIECES))}
    chance = random.Random(42)
    for turn in range(3):
        settings = (_settings(chance, 91) | _word_settings(chance)) if turn else {}
        settings.pop("added_tokens_decoder", None)
        folder = _write(tmp_path / str(turn), files, tokenizer_class=name, **settings)
        assert_same_as_auto_tokenizer(folder, seed=turn, more=SIGMA)


@pytest.mark.parametrize("part", ["wordpiece", "character"])
def test_japanese(part: str, tmp_path: Path) -> None:
    pieces = dict.fromkeys([*PIECES, *" ト゚株式会社"])
    files = {"vocab.txt": "".join(f"{piece}\n" for piece in pieces)}
    chance = random.Random(42)
    for turn in range(3):
        settings: dict[str, Any] = {"subword_tokenizer_type": part} if turn else {}
        for name in ("do_lower_case", "do_word_tokenize", "do_subword_tokenize"):
            if chance.random() < 0.4:
                settings[name] = chance.random() < 0.6
        folder = _write(
            tmp_path / str(turn), files, tokenizer_class="BertJapaneseTokenizer", **settings
        )
        assert_same_as_auto_tokenizer(folder, seed=turn, more=SIGMA)


def test_roc_bert_has_the_same_ids(tmp_path: Path) -> None:
    pieces = list(dict.fromkeys(PIECES))
    numbers = {piece: number for number, piece in enumerate(pieces)}
    files = {
        "vocab.txt": "".join(f"{piece}\n" for piece in pieces),
        "word_shape.json": numbers,
        "word_pronunciation.json": numbers,
    }
    chance = random.Random(42)
    for turn in range(3):
        settings = _word_settings(chance) if turn else {}
        folder = _write(tmp_path / str(turn), files, tokenizer_class="RoCBertTokenizer", **settings)
        theirs = transformers.AutoTokenizer.from_pretrained(folder)
        ours = WWHOTokenizer.from_pretrained(folder)
        texts = texts_of(turn, more=SIGMA)
        for text, other in zip(texts, reversed(texts), strict=True):
            expected, found = theirs(text, other), ours(text, other)
            assert {name: expected[name] for name in found} == dict(found), (text, other)
            assert ours.decode(found["input_ids"]) == theirs.decode(expected["input_ids"])
    assert any("shapes and sounds" in note for note in import_file(folder).notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"word_tokenizer_type": ["mecab"]}, "word_tokenizer_type: found .*expected one of basic"),
        ({"sep_token": ""}, "sep_token: found .*expected a token"),
        (
            {"added_tokens_decoder": {"900000000": {"content": "<w>"}}},
            "<w>.*found 900000000, expected a number from 0 to 2097150",
        ),
    ],
)
def test_odd_settings(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    files = {"vocab.txt": "[CLS]\n[SEP]\n[UNK]\n[PAD]\n[MASK]\na\n"}
    folder = _write(tmp_path, files, tokenizer_class="BertJapaneseTokenizer", **settings)
    with pytest.raises(SourceError, match=message):
        import_file(folder)


@pytest.mark.parametrize("lower", [False, True])
def test_wav2vec2(lower: bool, tmp_path: Path) -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if lower else "abcdefghijklmnopqrstuvwxyzHÉ字ß."
    texts = ["<pad>", "<s>", "</s>", "<unk>", "|", "lo", *letters]
    vocab = {text: number for number, text in enumerate(texts)}
    size, name = len(texts), "Wav2Vec2CTCTokenizer"
    chance = random.Random(42)
    for turn in range(3):
        settings = _settings(chance, size) if turn else {"word_delimiter_token": "|"}
        settings |= {"tokenizer_class": name, "do_lower_case": lower}
        if turn == 2:
            settings |= {"target_lang": "abc", "replace_word_delimiter_char": "_"}
        files = {"vocab.json": {"abc": vocab} if turn == 2 else vocab}
        folder = _write(tmp_path / str(turn), files, **settings)
        assert_same_as_auto_tokenizer(folder, seed=turn, more=["hello  all |", "straße lolo"])
    with pytest.raises(SourceError, match="target_lang: found none, expected one of abc"):
        import_file(_write(tmp_path, {"vocab.json": {"abc": vocab}}, tokenizer_class=name))


def test_mgp_str(tmp_path: Path) -> None:
    texts = ["[GO]", "[s]", *"0123456789abcdefghijklmnopqrstuvwxyz "]
    files = {"vocab.json": {text: number for number, text in enumerate(texts)}}
    chance = random.Random(42)
    for turn in range(3):
        settings = _settings(chance, len(texts)) if turn else {}
        folder = _write(tmp_path / str(turn), files, tokenizer_class="MgpstrTokenizer", **settings)
        assert_same_as_auto_tokenizer(folder, seed=turn)


def test_esm(tmp_path: Path) -> None:
    texts = [
        "<cls>",
        "<pad>",
        "<eos>",
        "<unk>",
        *"LAGVSERTIDPKQNFYMHWCXBUZO.-",
        "<null_1>",
        "<mask>",
    ]
    files = {"vocab.txt": "\n".join(texts)}
    chance = random.Random(42)
    for turn in range(3):
        settings = _settings(chance, len(texts)) if turn else {}
        folder = _write(tmp_path / str(turn), files, tokenizer_class="EsmTokenizer", **settings)
        more = ["MKTVRQERLKSIVRILERSK", "MK<mask>V <cls>-.x yZ", "<null_1><null_1 A"]
        assert_same_as_auto_tokenizer(folder, seed=turn, more=more)


@pytest.mark.slow
def test_canine(tmp_path: Path) -> None:
    settings = {"extra_special_tokens": ["<x>"], "bos_token": "\ue002"}
    folder = _write(tmp_path, {}, tokenizer_class="CanineTokenizer", **settings)
    more = ["a\ue000b\ue001\ue002\ue003\ue004", "<x> \0 \U0010ffff"]
    assert_same_as_auto_tokenizer(folder, more=more)
