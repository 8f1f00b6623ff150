"""Options of transformers are honoured as AutoTokenizer honours them, or refused by name."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers", reason="needs transformers")

from folder_judge import assert_same_as_auto_tokenizer, texts_of  # noqa: E402
from test_hf_folders import VOCAB, bert_folder  # noqa: E402
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers  # noqa: E402
from transformers.models.auto import tokenization_auto  # noqa: E402

from wwho import get_encoding  # noqa: E402
from wwho.hf import WWHOTokenizer, options  # noqa: E402
from wwho.importers import Options, import_file  # noqa: E402
from wwho.importers.huggingface import mistral  # noqa: E402
from wwho.importers.transformers import classes  # noqa: E402

LLAMA_3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"  # noqa: E501
AUTO = transformers.AutoTokenizer


def byte_level(more: Iterable[str] = (), split: str | None = None) -> Any:
    """Return a byte-level BPE of `tokenizers`, learnt from the judge's texts."""
    made = Tokenizer(models.BPE())
    steps: Any = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=split is None)
    if split is not None:
        steps = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(split), "isolated"), steps])
    made.pre_tokenizer, made.decoder = steps, decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>", "<s>", "</s>", *more],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts_of(1), trainer)
    return made


def json_folder(folder: Path, made: Any, **settings: Any) -> Path:
    """Write a folder with a tokenizer.json and its settings."""
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def assert_same_ids(folder: Path, **options: Any) -> None:
    """Compare ids of texts and pairs with AutoTokenizer's, both with these options."""
    theirs = AUTO.from_pretrained(folder, **options)
    ours = WWHOTokenizer.from_pretrained(folder, **options)
    texts = texts_of(5, 80)
    for text, other in zip(texts, reversed(texts), strict=True):
        for special in (True, False):
            found = ours(text, add_special_tokens=special)["input_ids"]
            assert found == theirs(text, add_special_tokens=special)["input_ids"], text
        assert ours(text, other)["input_ids"] == theirs(text, other)["input_ids"], (text, other)


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """Give a folder of BertTokenizer without a tokenizer.json."""
    return bert_folder(tmp_path / "bert", do_lower_case=True)


def test_each_option_of_each_class_is_in_one_list() -> None:
    lists = [options.OWN, {*options.NOTHING}, {*options.ALLOWED} | options.CHANGES_IDS]
    names = {name for name in tokenization_auto.TOKENIZER_MAPPING_NAMES.values() if name}
    found = {each for name in names for each in options.class_parameters(name)}
    assert len(found) > 100
    for each in found:
        if not each.endswith(("_token", "_file")):
            assert sum(each in known for known in lists) == 1, each
    assert not options.OWN & options.CHANGES_IDS


# Folders that a class reads


@pytest.mark.parametrize("seed", range(6))
def test_random_options_of_a_folder_without_tokenizer_json(bert: Path, seed: int) -> None:
    chance = random.Random(seed)
    values: dict[str, list[Any]] = {
        "do_lower_case": [True, False],
        "strip_accents": [True, False, None],
        "tokenize_chinese_chars": [True, False],
        "padding_side": ["left", "right"],
        "model_max_length": [7, 512],
        "sep_token": ["[SEP]", "[MASK]", transformers.AddedToken("[PAD]", lstrip=True)],
        "extra_special_tokens": [["world"], []],
        "model_input_names": [["input_ids"], ["input_ids", "token_type_ids"]],
        "use_fast": [True],
    }
    names = chance.sample(sorted(values), 4)
    assert_same_as_auto_tokenizer(
        bert, seed, **{name: chance.choice(values[name]) for name in names}
    )


@pytest.mark.parametrize(
    "model_class",
    ["GPT2Tokenizer", "Qwen2Tokenizer", "RobertaTokenizer", "DebertaTokenizer", "CodeGenTokenizer"],
)
def test_random_options_of_folders_with_merges(model_class: str, tmp_path: Path) -> None:
    more = ["<pad>", "<unk>", "<mask>", "[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"]
    byte_level(more).model.save(str(tmp_path))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": model_class}))
    chance = random.Random(model_class)
    values: dict[str, list[Any]] = {
        "add_prefix_space": [True, False],
        "add_bos_token": [True, False],
        "add_eos_token": [True, False],
        "eos_token": ["</s>", "<pad>", transformers.AddedToken("</s>", lstrip=True)],
        "bos_token": ["<s>", "<mask>"],
        "padding_side": ["left"],
        "model_max_length": [9],
        "extra_special_tokens": [["<mine>", "low"]],
        "errors": ["replace"],
    }
    for _ in range(6):
        names = chance.sample(sorted(values), 3)
        given = {name: chance.choice(values[name]) for name in names}
        assert_same_ids(tmp_path, **given)


def test_an_option_goes_before_the_setting(bert: Path, tmp_path: Path) -> None:
    ours = WWHOTokenizer.from_pretrained(bert, do_lower_case=False)
    assert "[UNK]" in ours.tokenize("The low")
    assert ours.tokenize("the low") == ["the", "low"]
    # It stays so where the tokenizer is saved and opened again, also if it is given again.
    ours.save_pretrained(tmp_path / "saved")
    for option in ({}, {"do_lower_case": False}):
        again = WWHOTokenizer.from_pretrained(tmp_path / "saved", **option)
        assert again.tokenize("The low") == ours.tokenize("The low")
        assert again.special_tokens_map == ours.special_tokens_map
    with pytest.raises(ValueError, match="do_lower_case=True cannot change a model"):
        WWHOTokenizer.from_pretrained(tmp_path / "saved", do_lower_case=True)


def test_what_the_class_knows_and_nobody_reads_is_refused(
    bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(folder: Any, options: Any) -> Any:
        return read_bert(type(folder)(folder.path, {"tokenize_chinese_chars": True}), options)

    known = classes.CLASSES["BertTokenizer"]
    read_bert: Any = known.read
    monkeypatch.setitem(classes.CLASSES, "BertTokenizer", replace(known, read=read))
    with pytest.raises(ValueError, match="tokenize_chinese_chars=False is not supported for BertT"):
        WWHOTokenizer.from_pretrained(bert, tokenize_chinese_chars=False)
    # So is a setting of the folder; but not one that says what the class does anyway.
    bert_folder(bert, tokenize_chinese_chars=True)
    WWHOTokenizer.from_pretrained(bert)
    bert_folder(bert, tokenize_chinese_chars=False)
    with pytest.raises(ValueError, match="tokenize_chinese_chars=False"):
        WWHOTokenizer.from_pretrained(bert)


def test_what_nobody_knows_is_kept_with_a_warning(
    bert: Path, caplog: pytest.LogCaptureFixture
) -> None:
    logger = transformers.utils.logging.get_logger("transformers")
    logger.addHandler(caplog.handler)
    try:
        ours = WWHOTokenizer.from_pretrained(bert, do_lowercase=False, legacy=True)
    finally:
        logger.removeHandler(caplog.handler)
    assert ours.init_kwargs["do_lowercase"] is False
    assert ours.tokenize("The low") == ["the", "low"]
    for option in ("do_lowercase=False", "legacy=True"):
        assert any(option in record.getMessage() for record in caplog.records)


# Folders with a tokenizer.json


@pytest.mark.parametrize(
    "model_class",
    ["GPT2Tokenizer", "Qwen2Tokenizer", "GPTNeoXTokenizer", "PreTrainedTokenizerFast"],
)
@pytest.mark.parametrize("seed", range(3))
def test_random_options_of_a_tokenizer_json(model_class: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    split = None
    if model_class == "Qwen2Tokenizer":
        from transformers.models.qwen2 import tokenization_qwen2

        split = tokenization_qwen2.PRETOKENIZE_REGEX
    made = byte_level(split=split)
    if model_class in ("Qwen2Tokenizer", "GPTNeoXTokenizer"):
        made.normalizer = normalizers.NFC()
    roles = {"bos_token": "<s>", "eos_token": "</s>"}
    folder = json_folder(tmp_path, made, tokenizer_class=model_class, **roles)
    values: dict[str, list[Any]] = {
        "add_prefix_space": [True, True, False],
        "add_bos_token": [True, True, False],
        "add_eos_token": [True, False],
        "split_special_tokens": [True, False],
        "errors": ["replace"],
        "eos_token": ["</s>", "<|endoftext|>"],
    }
    for _ in range(3):
        names = chance.sample(sorted(values), 3)
        assert_same_ids(folder, **{name: chance.choice(values[name]) for name in names})


def test_a_tokenizer_json_alone(tmp_path: Path) -> None:
    folder = json_folder(tmp_path, byte_level(), tokenizer_class="GPT2Tokenizer")
    file = folder / "tokenizer.json"
    for value in (True, False):
        expected = AUTO.from_pretrained(folder, add_prefix_space=value)("low")["input_ids"]
        for ours in (
            WWHOTokenizer.from_pretrained(file, add_prefix_space=value),
            WWHOTokenizer(file, add_prefix_space=value),
            WWHOTokenizer(tokenizer_file=file, add_prefix_space=value),
        ):
            assert ours("low")["input_ids"] == expected
            assert pickle.loads(pickle.dumps(ours))("low")["input_ids"] == expected
            assert copy.deepcopy(ours)("low")["input_ids"] == expected


def test_saved_options_of_a_tokenizer_json(tmp_path: Path) -> None:
    folder = json_folder(
        tmp_path,
        byte_level(),
        tokenizer_class="GPT2Tokenizer",
        add_prefix_space=True,
        add_bos_token=True,
    )
    assert_same_ids(folder)
    assert_same_ids(folder, add_prefix_space=False)


@pytest.mark.parametrize("model_class", ["RobertaTokenizer", "DebertaTokenizer"])
def test_add_prefix_space_of_classes_with_a_template(model_class: str, tmp_path: Path) -> None:
    made = byte_level(["<pad>", "<unk>", "<mask>", "[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"])
    folder = json_folder(tmp_path, made, tokenizer_class=model_class)
    AUTO.from_pretrained(folder).save_pretrained(folder)
    for value in (True, False):
        assert_same_ids(folder, add_prefix_space=value)
    # The class puts its own template there, whatever this option says.
    assert_same_ids(folder, add_bos_token=True)


@pytest.mark.parametrize("option", ["do_lower_case", "strip_accents", "tokenize_chinese_chars"])
def test_options_of_a_bert_tokenizer_json(option: str, tmp_path: Path) -> None:
    AUTO.from_pretrained(bert_folder(tmp_path)).save_pretrained(tmp_path)
    assert (tmp_path / "tokenizer.json").is_file()
    for value in (True, False):
        assert_same_ids(tmp_path, **{option: value})
    with pytest.raises(ValueError, match=f"{option}='no': expected True or False"):
        WWHOTokenizer.from_pretrained(tmp_path, **{option: "no"})


UNIGRAM = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("<mask>", 0.0)] + [
    (piece, -2.0 - k / 100)
    for k, piece in enumerate([*"abcdefghilmnorstuvwy▁.,!é", "▁the", "▁low", "er", "▁new", "est"])
]


@pytest.mark.parametrize(
    "model_class",
    ["XLMRobertaTokenizer", "CamembertTokenizer", "XLNetTokenizer", "BarthezTokenizer"],
)
def test_add_prefix_space_of_classes_with_a_metaspace(model_class: str, tmp_path: Path) -> None:
    more = {"unk_id": 3} if model_class == "XLNetTokenizer" else {}
    made = getattr(transformers, model_class)(vocab=UNIGRAM, **more)
    made.save_pretrained(tmp_path)
    for value in (True, False):
        assert_same_ids(tmp_path, add_prefix_space=value)
        settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
        settings["add_prefix_space"] = value
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
        assert_same_ids(tmp_path)


def test_options_of_a_llama_with_a_metaspace(tmp_path: Path) -> None:
    pieces = [*"abcdehlnorstw▁", "lo", "low", "▁low", "er"]
    vocab = {each: k for k, each in enumerate(["<unk>", "<s>", "</s>", *pieces])}
    for byte in range(256):
        vocab[f"<0x{byte:02X}>"] = len(vocab)
    merges = [("l", "o"), ("lo", "w"), ("▁", "low"), ("e", "r")]
    transformers.LlamaTokenizer(vocab=vocab, merges=merges).save_pretrained(tmp_path)
    for option in (
        {"add_prefix_space": False},
        {"add_prefix_space": True},
        {"add_bos_token": True},
        {"add_bos_token": True, "add_eos_token": True, "add_prefix_space": False},
        {"use_default_system_prompt": False, "legacy": False},
    ):
        assert_same_ids(tmp_path, **option)
        ours = WWHOTokenizer.from_pretrained(tmp_path, **option)
        theirs = AUTO.from_pretrained(tmp_path, **option)
        for text in ("low", " low", "the low"):
            ids = theirs(text)["input_ids"]
            assert ours.decode(ids) == theirs.decode(ids)


def test_options_that_a_tokenizer_json_cannot_honour(tmp_path: Path) -> None:
    made = Tokenizer(models.WordLevel({each: k for k, each in enumerate(VOCAB)}, "[UNK]"))
    folder = json_folder(tmp_path, made, tokenizer_class="LlamaTokenizer", unk_token="[UNK]")
    file = folder / "tokenizer.json"
    with pytest.raises(ValueError, match="add_prefix_space=False is not supported for Llama"):
        WWHOTokenizer.from_pretrained(file, add_prefix_space=False)
    with pytest.raises(ValueError, match="legacy=True is not supported for LlamaTokenizer"):
        WWHOTokenizer.from_pretrained(file, legacy=True)
    with pytest.raises(ValueError, match=r"add_bos_token=True needs a bos_token .* found '<s>'"):
        WWHOTokenizer.from_pretrained(file, add_bos_token=True)


# Models that are made already


@pytest.mark.slow
def test_a_model_that_is_made_changes_its_template_alone(tmp_path: Path) -> None:
    options: dict[str, Any] = {"bos_token": "<|endoftext|>", "add_bos_token": True}
    ours = WWHOTokenizer("o200k_base", **options)
    (end,) = ours.convert_tokens_to_ids(["<|endoftext|>"])
    plain = get_encoding("o200k_base").encode("hello world")
    assert ours("hello world")["input_ids"] == [end, *plain]
    ours.save_pretrained(tmp_path)
    again = WWHOTokenizer.from_pretrained(tmp_path)
    assert again("hello world")["input_ids"] == [end, *plain]
    again.add_eos_token = True
    assert again("hello world")["input_ids"] == [end, *plain, end]
    assert again("hello world", add_special_tokens=False)["input_ids"] == plain
    again.add_bos_token = False
    assert again("hello world", "a")["input_ids"] == [*plain, end, *again.wwho.encode("a"), end]
    changes: list[dict[str, Any]] = [
        {"do_lower_case": True},
        {"add_prefix_space": True},
        {"legacy": False},
    ]
    for change in changes:
        with pytest.raises(ValueError, match="cannot change a model that is made already"):
            WWHOTokenizer("o200k_base", **change)


def test_a_template_of_the_class_is_not_changed(bert: Path) -> None:
    ours = WWHOTokenizer.from_pretrained(bert)
    with pytest.raises(ValueError, match="a template of its own"):
        ours.add_bos_token = True
    assert ours("the low")["input_ids"] == AUTO.from_pretrained(bert)("the low")["input_ids"]


# Calls


@pytest.mark.parametrize(
    "option",
    [
        {"add_prefix_space": True},
        {"do_lower_case": False},
        {"src_lang": "en_XX"},
        {"add_bos_token": True},
        {"fix_mistral_regex": True},
        {"model_max_length": 3},
    ],
    ids=str,
)
def test_options_that_are_none_of_a_call(option: dict[str, Any]) -> None:
    ours = WWHOTokenizer("o200k_base")
    nothing: dict[str, Any] = dict.fromkeys(option)
    (name,) = option
    for call in (ours, ours.encode, ours.tokenize):
        with pytest.raises(ValueError, match=f"{name}=.* is no option of a call"):
            call("a text", **option)
        call("a text", **nothing)


def test_options_of_a_call_that_do_nothing_or_what_they_say() -> None:
    ours = WWHOTokenizer("o200k_base")
    text = "a<|endoftext|>"
    assert ours(text, split_special_tokens=True, verbose=False)["input_ids"] == ours.wwho.encode(
        text
    )
    ids = ours(text)["input_ids"]
    assert ours.decode(ids, spaces_between_special_tokens=True) == text
    assert ours(text_target=text)["input_ids"] == ids


@pytest.mark.parametrize(
    ("model_class", "languages"),
    [
        ("NllbTokenizer", ("eng_Latn", "fra_Latn", "hin_Deva")),
        ("MBartTokenizer", ("en_XX", "fr_XX", "hi_IN")),
        ("MBart50Tokenizer", ("en_XX", "fr_XX", "hi_IN")),
    ],
)
def test_languages_of_texts_and_targets(
    model_class: str, languages: tuple[str, ...], tmp_path: Path
) -> None:
    pieces: Any = [each for each in UNIGRAM if each[0] != "<mask>"]
    if model_class == "NllbTokenizer":
        pieces = {text: k for k, (text, _) in enumerate(pieces)}
    elif model_class == "MBart50Tokenizer":
        # As SentencePiece has them: the class puts its own in front.
        pieces = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *pieces[4:]]
    getattr(transformers, model_class)(vocab=pieces).save_pretrained(tmp_path)
    first, second, third = languages

    def assert_same(ours: Any, theirs: Any) -> None:
        """Compare texts, pairs and targets."""
        for text in texts_of(2, 60):
            assert ours(text)["input_ids"] == theirs(text)["input_ids"]
            found, expected = ours(text, text_target="low"), theirs(text, text_target="low")
            assert found["input_ids"] == expected["input_ids"]
            assert found["labels"] == expected["labels"]
            assert ours(text_target=text)["input_ids"] == theirs(text_target=text)["input_ids"]
        assert ours("low", "the")["input_ids"] == theirs("low", "the")["input_ids"]

    assert_same_ids(tmp_path)
    for given in ({"src_lang": second}, {"src_lang": second, "tgt_lang": third}):
        ours, theirs = (
            WWHOTokenizer.from_pretrained(tmp_path, **given),
            AUTO.from_pretrained(tmp_path, **given),
        )
        assert_same(ours, theirs)
        ours.tgt_lang = theirs.tgt_lang = first
        ours.src_lang = theirs.src_lang = third
        assert_same(ours, theirs)
        # The language is kept where the tokenizer is saved, copied and pickled.
        ours.save_pretrained(tmp_path / "saved")
        for again in (
            WWHOTokenizer.from_pretrained(tmp_path / "saved"),
            copy.deepcopy(ours),
            pickle.loads(pickle.dumps(ours)),
        ):
            assert_same(again, theirs)
        with pytest.raises(ValueError, match="there is no language 'xx'"):
            ours.src_lang = "xx"
        assert_same(ours, theirs)


def test_languages_that_the_class_would_change_at_each_call(tmp_path: Path) -> None:
    folder = json_folder(tmp_path, byte_level(), tokenizer_class="PLBartTokenizer")
    ours = WWHOTokenizer.from_pretrained(folder)
    for name in ("src_lang", "tgt_lang"):
        with pytest.raises(ValueError, match=f"{name} cannot be changed"):
            setattr(ours, name, "java")
        with pytest.raises(ValueError, match=f"{name}='java' is not supported for PLBartTok"):
            WWHOTokenizer.from_pretrained(folder, **{name: "java"})
    with pytest.raises(ValueError, match="PLBartTokenizer encodes targets otherwise"):
        ours("a text", text_target="a text")
    # To another class the name is any attribute.
    ours = WWHOTokenizer("o200k_base")
    ours.src_lang = "my own note"


# Mistral's pattern


@pytest.fixture(scope="module")
def large() -> Any:
    """Give a byte-level BPE with the wrong pattern, and as many ids as Mistral's files."""
    made = byte_level(split=LLAMA_3)
    document = json.loads(made.to_str())
    vocab = document["model"]["vocab"]
    vocab.update({f"<unused {k}>": k for k in range(len(vocab), 100_001)})
    return Tokenizer.from_str(json.dumps(document))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model_type", "version"),
    [
        ("mistral", "4.57.2"),
        ("mistral", "5.0.0"),
        ("mistral", "5.0.0.dev0"),
        ("llama", "4.57.2"),
        (None, None),
    ],
)
def test_the_pattern_of_mistral(
    large: Any,
    model_type: str | None,
    version: str | None,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = json_folder(tmp_path, large, tokenizer_class="PreTrainedTokenizerFast")
    config = {"model_type": model_type, "transformers_version": version}
    config = {key: value for key, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))
    logger = transformers.utils.logging.get_logger("transformers")
    logger.addHandler(caplog.handler)
    try:
        text = "JamesBond 1234567 don't HTTPServer"
        theirs = AUTO.from_pretrained(folder)
        is_suspect = any("incorrect regex" in each.getMessage() for each in caplog.records)
        caplog.clear()
        ours = WWHOTokenizer.from_pretrained(folder)
        warned = any("fix_mistral_regex=True" in each.getMessage() for each in caplog.records)
        assert warned == is_suspect
        assert ours(text)["input_ids"] == theirs(text)["input_ids"]
        caplog.clear()
        for value in (True, False) if version is None else (True,):
            theirs = AUTO.from_pretrained(folder, fix_mistral_regex=value)
            ours = WWHOTokenizer.from_pretrained(folder, fix_mistral_regex=value)
            for each in (text, *texts_of(3, 60)):
                assert ours(each)["input_ids"] == theirs(each)["input_ids"], each
        assert not any("fix_mistral_regex" in each.getMessage() for each in caplog.records)
    finally:
        logger.removeHandler(caplog.handler)


@pytest.mark.slow
def test_the_pattern_of_mistral_on_import(large: Any, tmp_path: Path) -> None:
    folder = json_folder(tmp_path, large, tokenizer_class="PreTrainedTokenizerFast")
    (folder / "config.json").write_text('{"model_type": "mistral"}')
    assert mistral.WARNING in import_file(folder).notes
    for value in (True, False):
        made = import_file(folder, Options(fix_mistral_regex=value))
        assert mistral.WARNING not in made.notes
    # The setting of the folder counts, too; what the caller says goes before it.
    json_folder(tmp_path, large, fix_mistral_regex=True)
    right = WWHOTokenizer.from_pretrained(folder)
    assert (
        right("123")["input_ids"]
        != WWHOTokenizer.from_pretrained(folder, fix_mistral_regex=False)("123")["input_ids"]
    )
    assert right("123")["input_ids"] == AUTO.from_pretrained(folder)("123")["input_ids"]
    (folder / "config.json").write_text('{"transformers_version": "newest"}')
    with pytest.raises(ValueError, match='transformers_version is "newest"'):
        import_file(folder)
