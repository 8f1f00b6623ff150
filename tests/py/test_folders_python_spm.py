"""Folders of classes in Python over a SentencePiece model: what their class makes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from folder_judge import assert_same_as_auto_tokenizer, transformers
from small_sentencepiece import sentencepiece, train_models

from wwho.errors import SourceError
from wwho.hf import WWHOTokenizer
from wwho.importers import import_file
from wwho.importers.transformers import python_spm
from wwho.importers.transformers.choice import tables

OPTIONS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "vocab_size": 280, "character_coverage": 0.98},
    "bpe": {"model_type": "bpe", "vocab_size": 300, "character_coverage": 0.98},
    "bytes": {"model_type": "bpe", "vocab_size": 560, "byte_fallback": True,
              "normalization_rule_name": "identity", "remove_extra_whitespaces": False},
    "user": {"model_type": "unigram", "vocab_size": 300, "user_defined_symbols": ["<x>", "lower"],
             "control_symbols": ["<ctl>"], "normalization_rule_name": "nmt_nfkc_cf"},
    "merged": {"model_type": "bpe", "vocab_size": 330, "user_defined_symbols": ["<x>", "lower"],
               "control_symbols": ["<ctl>"]},
    "char": {"model_type": "char", "vocab_size": 120},
}  # fmt: skip
"""How the models are trained, by name."""
MORE = (
    "<x>",
    "<ctl>",
    "words <z>",
    "<a>",
    "a\u2003b\ufffcc\xa0d",
    "\x84 \u200b",
    "<|endoftext|> a",
)
"""Texts that matter for these classes."""


@pytest.fixture(scope="module")
def models() -> dict[str, bytes]:
    """The models by the names of `OPTIONS`."""
    return train_models(OPTIONS)


def _folder(folder: Path, name: str, files: Mapping[str, Any], **settings: Any) -> Path:
    """Write files and a tokenizer_config.json into a folder, which is returned."""
    folder.mkdir(exist_ok=True)
    config = {"tokenizer_class": name, **settings}
    for file, content in {**files, "tokenizer_config.json": config}.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / file).write_bytes(data)
    return folder


def _settings(chance: random.Random) -> dict[str, Any]:
    """Return settings that change what a class makes of its files."""
    settings: dict[str, Any] = {"model_max_length": chance.choice([64, 512])}
    if chance.random() < 0.4:
        settings["mask_token"] = chance.choice(["<m>", "lower"])
    if chance.random() < 0.4:
        settings["image_token"] = "<image>"
    if chance.random() < 0.5:
        settings["extra_special_tokens"] = chance.sample(["<a>", "<b>", "newest", "</s>"], 2)
    if chance.random() < 0.4:
        settings["padding_side"] = "left"
    if chance.random() < 0.4:
        settings["clean_up_tokenization_spaces"] = True
    if chance.random() < 0.5:
        flags = {"lstrip": chance.random() < 0.5, "rstrip": chance.random() < 0.5}
        settings["added_tokens_decoder"] = {
            "9999": {"content": "words", "special": False, **flags},
            "9998": {"content": "<z>", "special": True, **flags},
        }
    return settings


@pytest.mark.slow
@pytest.mark.parametrize("name", python_spm.CLASSES)
def test_a_class_with_numbers_of_pieces(
    name: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    chance = random.Random(f"folders of {name}")
    (file,) = python_spm.CLASSES[name].files
    for turn, kind in enumerate(("unigram", "merged", "char")):
        settings = _settings(chance) if turn else {}
        folder = _folder(tmp_path / kind, name, {file: models[kind]}, **settings)
        assert_same_as_auto_tokenizer(folder, seed=turn, more=MORE)


def _vocabulary(model: bytes, chance: random.Random, more: Iterable[str] = ()) -> dict[str, int]:
    """Return the ids of most pieces of a model, and of texts that are none, in another order."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    has_bytes = "<0x41>" in pieces
    kept = [piece for piece in pieces if has_bytes or chance.random() < 0.8]
    kept += ["한국어", "字", "🙂", "▁字", "½", "İ", "<x>", *more]
    chance.shuffle(kept)
    texts = dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *kept])
    return {text: number for number, text in enumerate(texts)}


@pytest.mark.slow
def test_m2m100(models: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(42)
    languages = {code: f"__{code}__" for code in tables()["m2m100_languages"]["m2m100"]}
    for turn, kind in enumerate(("unigram", "merged", "bytes")):
        vocabulary = _vocabulary(models[kind], chance, ["▁madeup"])
        files = {"vocab.json": vocabulary, "sentencepiece.bpe.model": models[kind]}
        settings: dict[str, Any] = {"src_lang": "si"} if turn else {}
        if turn == 2:
            settings |= {"additional_special_tokens": [*languages.values()]}
        folder = _folder(tmp_path / str(turn), "M2M100Tokenizer", files, **settings)
        more = ["__fr__ __si__", "字 字字", "中文字 한국어", "<x>", "🙂 İ"]
        ours, theirs = assert_same_as_auto_tokenizer(folder, seed=turn, more=more)
        ours.src_lang = theirs.src_lang = "fr"
        ours.tgt_lang = theirs.tgt_lang = "hi"
        for given in ({"text": "low"}, {"text_target": "low"}):
            assert ours(**given)["input_ids"] == theirs(**given)["input_ids"]
        ids = list(range(len(vocabulary)))
        assert ours.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
        for number in ids:
            pair = [number, vocabulary["</s>"], number]
            assert ours.decode(pair) == theirs.decode(pair)


@pytest.mark.slow
def test_speech2text(models: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(42)
    for turn, kind in enumerate(("user", "bpe", "char")):
        vocabulary = _vocabulary(models[kind], chance)
        files = {"vocab.json": vocabulary, "sentencepiece.bpe.model": models[kind]}
        settings = _settings(chance) if turn else {}
        settings.pop("added_tokens_decoder", None)
        settings["do_upper_case"] = turn == 1
        folder = _folder(tmp_path / str(turn), "Speech2TextTokenizer", files, **settings)
        assert_same_as_auto_tokenizer(folder, seed=turn, more=["straße ŉ", "字 字字"])


def test_marian(models: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(42)
    for turn, kind in enumerate(("unigram", "bpe")):
        vocabulary = _vocabulary(models[kind], chance, [">>fr<<", ">>cmn_Hans<<", "▁мир", "мир"])
        files = {
            "vocab.json": vocabulary,
            "source.spm": models[kind],
            "target.spm": models["unigram"],
        }
        settings = _settings(chance) if turn else {"source_lang": "eng"}
        settings.pop("model_max_length", None)
        folder = _folder(tmp_path / str(turn), "MarianTokenizer", files, **settings)
        codes = [">>fr<< low", ">>fr<<low", ">>x<y<<", ">>cmn_Hans<<", ">>zz<<  new", ">>low"]
        more = [*codes, "a >>fr<< b", "</s>>>fr<< a", ">>fr<<</s> >>fr<<", ">> <<", "<<", "мир м"]
        ours, theirs = assert_same_as_auto_tokenizer(folder, seed=turn, more=more)
        for number in range(len(vocabulary)):
            pair = [number, vocabulary["</s>"], number]
            assert ours.decode(pair) == theirs.decode(pair)
    with pytest.raises(ValueError, match="text_target"):
        ours(text_target="low")
    folder = _folder(tmp_path, "MarianTokenizer", files, separate_vocabs=True)
    with pytest.raises(SourceError, match="separate_vocabs: found true, expected false"):
        import_file(folder)


@pytest.mark.slow
def test_plbart(models: dict[str, bytes], tmp_path: Path) -> None:
    languages = tables()["plbart_languages"]["base"]
    extra = {"extra_special_tokens": [*tables()["plbart_languages"]["multi"], "<y>"]}
    every: list[tuple[str, dict[str, Any]]] = [
        ("unigram", {}),
        ("bpe", {"src_lang": "python", "extra_special_tokens": [*languages, "<y>"]}),
        ("unigram", {"language_codes": "multi"}),
        ("bpe", {"language_codes": "multi", "src_lang": "go", **extra}),
        ("user", {"language_codes": "multi", "mask_token": None}),
    ]
    for turn, (kind, settings) in enumerate(every):
        files = {"sentencepiece.bpe.model": models[kind]}
        folder = _folder(tmp_path / str(turn), "PLBartTokenizer", files, **settings)
        more = ["a . b n't", "__python__ def", "<y>", " <mask> <p>", "<i>", "a<mask>  b<unk>"]
        assert_same_as_auto_tokenizer(folder, seed=turn, more=more)
    for settings, message in (
        ({"extra_special_tokens": ["<y>"]}, "<y>.* would get the id .*__en_XX__"),
        ({"mask_token": "[M]", "language_codes": "multi"}, "would get the id .* __python__|one id"),
        ({"mask_token": "lower"}, "lower.* is a piece of the SentencePiece model"),
        ({"language_codes": "all"}, "language_codes: found .*all.*, expected one of base, multi"),
        ({"src_lang": "si"}, "src_lang: found .*si"),
    ):
        with pytest.raises(SourceError, match=message):
            import_file(_folder(tmp_path, "PLBartTokenizer", files, **settings))


def test_bartpho(models: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(42)
    for turn, kind in enumerate(("unigram", "merged")):
        texts = [*_vocabulary(models[kind], chance)][4:]
        lines = "".join(f"{text} 7\n" for text in texts if text != "<mask>")
        files = {"sentencepiece.bpe.model": models[kind], "dict.txt": lines.encode()}
        settings = {"extra_special_tokens": ["<y>"], "image_token": "<i>"} if turn else {}
        folder = _folder(tmp_path / str(turn), "BartphoTokenizer", files, **settings)
        more = ["字 字字", "<y>", "a <mask>", "<i>", "newest lower words"]
        assert_same_as_auto_tokenizer(folder, seed=turn, more=more)
    (folder / "dict.txt").write_text("a 7\nb 7\na 7\n", "utf-8")
    with pytest.raises(SourceError, match=r"dict.txt: found .*a.* twice"):
        import_file(folder)


def test_siglip(models: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(42)
    for turn, kind in enumerate(("unigram", "bpe")):
        settings = _settings(chance) if turn else {}
        settings.pop("added_tokens_decoder", None)
        settings["do_lower_case"] = turn == 0
        folder = _folder(
            tmp_path / str(turn), "SiglipTokenizer", {"spiece.model": models[kind]}, **settings
        )
        theirs = transformers.AutoTokenizer.from_pretrained(folder)

        def ends_in_eos(text: str, theirs: Any = theirs) -> bool:
            """Return whether the class gives a text no other token of the end."""
            with_eos, without = (theirs(text, add_special_tokens=each) for each in (True, False))
            return len(with_eos["input_ids"]) == len(without["input_ids"])

        more = [
            "字 a",
            "▁▁low ▁",
            "\u200blow",
            ". low",
            " ?</s> low",
            "ΛΟΓΟΣ.Σ",
            "<unk>字low",
            " 字",
        ]
        assert_same_as_auto_tokenizer(folder, seed=turn, more=more, but=ends_in_eos)


@pytest.mark.slow
def test_speech2text_of_several_languages(tmp_path: Path) -> None:
    languages = [f"<lang:{code}>" for code in tables()["speech_languages"]["mustc"]]
    options = {"vocab_size": 300, "user_defined_symbols": languages}
    model = train_models({"languages": options})["languages"]
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    texts = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    files = {
        "vocab.json": {text: number for number, text in enumerate(texts)},
        "sentencepiece.bpe.model": model,
    }
    every: list[dict[str, Any]] = [{}, {"tgt_lang": "nl", "extra_special_tokens": ["<y>"]}]
    for turn, settings in enumerate(every):
        folder = _folder(
            tmp_path / str(turn), "Speech2TextTokenizer", files, lang_codes="mustc", **settings
        )
        assert_same_as_auto_tokenizer(folder, more=[" <lang:ru> low", "<y>"])
    message = "tgt_lang: found .*xx.*, expected one of pt"
    folder = _folder(tmp_path, "Speech2TextTokenizer", files, lang_codes="mustc", tgt_lang="xx")
    with pytest.raises(SourceError, match=message):
        import_file(folder)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("SpeechT5Tokenizer", {"normalize": True}, "normalize: found true, which writes numbers"),
        ("BertGenerationTokenizer", {"legacy": False}, "legacy: found false, expected true"),
        ("BertGenerationTokenizer", {"sp_model_kwargs": {"alpha": 0.1}}, "cut by chance"),
        (
            "BertGenerationTokenizer",
            {"sp_model_kwargs": {"enable_sampling": True, "nbest_size": -1, "alpha": 0.1}},
            r"cut by chance; leave it out, and give sample=\(alpha, -1\), .* and a seed",
        ),
    ],
)
def test_settings_that_are_refused(
    name: str, settings: dict[str, Any], message: str, models: dict[str, bytes], tmp_path: Path
) -> None:
    (file,) = python_spm.CLASSES[name].files
    folder = _folder(tmp_path, name, {file: models["unigram"]}, **settings)
    with pytest.raises(SourceError, match=message):
        import_file(folder)


def test_options_that_a_class_in_python_has_not(models: dict[str, bytes], tmp_path: Path) -> None:
    folder = _folder(tmp_path, "GPTSw3Tokenizer", {"spiece.model": models["unigram"]})
    ours = WWHOTokenizer.from_pretrained(folder)
    ids = ours("lower")["input_ids"]
    assert ours.decode(ids) == "lower"
    with pytest.raises(ValueError, match="like_tokenizers=True: this model does not come from"):
        ours.decode(ids, like_tokenizers=True)
    with pytest.raises(ValueError, match="split_special_tokens=True: GPTSw3Tokenizer cuts"):
        ours("lower", split_special_tokens=True)
