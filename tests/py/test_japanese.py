"""BERT Japanese whose words MeCab or Sudachi cuts, beside AutoTokenizer."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers", reason="needs transformers")

from folder_judge import WORDS, assert_same_as_auto_tokenizer  # noqa: E402

from wwho.cli.main import main  # noqa: E402
from wwho.errors import BackendError, SamplingError, SourceError  # noqa: E402
from wwho.hf import WWHOTokenizer  # noqa: E402
from wwho.importers import import_file  # noqa: E402

TEXTS = (
    "日本語の文章を形態素に分けます。",
    "吾輩は猫である。名前はまだ無い。",
    "東京都に住んでいます",
    "株式会社ＡＢＣ ㍿ ｶﾞ",
    "ニューヨーク New York 2,000円 ３，０００円",
    "すもももももももものうち [MASK] です",
    "　全角　空白　",
    "お寿司が食べたい。\n改行\t",
    "\u3000",
    "[CLS]日本[SEP] ［ＭＡＳＫ］",
    "10, 2,3 ``quoted'' 1, 12,345, ²,",
)
CHARACTERS = dict.fromkeys("".join(TEXTS).replace("\n", "").replace("\t", "") + "かなカナ1")
PIECES = dict.fromkeys(
    [
        *"""
    [PAD] [UNK] [CLS] [SEP] [MASK] 日本 ##語 日本語 東京 ##都 ##京 である 猫 の 文章 New york new
    York です すもも もも もの うち ##もの 2 ##000 , 円 食べ たい ##べ 食べる ニュー ##ヨーク
    the low ##er
    """.split(),  # noqa: SIM905
        *CHARACTERS,
        *(f"##{each}" for each in [*CHARACTERS][::2]),
    ]
)
PROGRAMS: dict[str, tuple[str, dict[str, Any], str]] = {
    "ipadic": ("mecab", {"mecab_dic": "ipadic"}, "ipadic"),
    "no_nfkc": (
        "mecab",
        {"mecab_dic": "ipadic", "normalize_text": False, "mecab_option": "-Owakati"},
        "ipadic",
    ),
    "unidic_lite": ("mecab", {}, "unidic_lite"),
    "small_a": ("sudachi", {"sudachi_dict_type": "small"}, "sudachidict_small"),
    "small_c": (
        "sudachi",
        {"sudachi_dict_type": "small", "sudachi_split_mode": "C", "trim_whitespace": True},
        "sudachidict_small",
    ),
    "normalized": (
        "sudachi",
        {"sudachi_dict_type": "small", "sudachi_projection": "normalized"},
        "sudachidict_small",
    ),
    "core_b": ("sudachi", {"sudachi_split_mode": "B"}, "sudachidict_core"),
    "full": ("sudachi", {"sudachi_dict_type": "full"}, "sudachidict_full"),
}


def settings_of(program: str) -> dict[str, Any]:
    """The settings by which a program cuts words; the test is skipped where it is not installed."""
    name, options, dictionary = PROGRAMS[program]
    for package in ({"mecab": "fugashi", "sudachi": "sudachipy"}[name], dictionary):
        if find_spec(package) is None:
            pytest.skip(f"needs {package}")
    return {"word_tokenizer_type": name, f"{name}_kwargs": options}


def write_folder(folder: Path, **settings: Any) -> Path:
    """Write a folder of BertJapaneseTokenizer with a vocab.txt; the folder is returned."""
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in PIECES), "utf-8")
    settings = {"tokenizer_class": "BertJapaneseTokenizer", **settings}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return folder


@pytest.mark.parametrize("program", PROGRAMS)
def test_words_that_a_program_cuts(program: str, tmp_path: Path) -> None:
    settings = settings_of(program)
    turns: list[dict[str, Any]] = [
        {},
        {"subword_tokenizer_type": "character", "do_lower_case": True, "never_split": ["New"]},
    ]
    if program in ("ipadic", "normalized"):
        turns += [
            {"do_subword_tokenize": False, "additional_special_tokens": ["ガ", "猫"]},
            {
                "do_lower_case": True,
                "mask_token": {"__type": "AddedToken", "content": "[MASK]", "lstrip": True},
                "added_tokens_decoder": {
                    str(len(PIECES) + 1): {"content": "<新>", "rstrip": True, "special": False}
                },
                "model_max_length": 77,
                "padding_side": "left",
            },
        ]
    for turn, more in enumerate(turns):
        folder = write_folder(tmp_path / str(turn), **settings, **more)
        assert_same_as_auto_tokenizer(folder, seed=turn, more=[*TEXTS, "<新> 日本<新>　東京"])


def sentencepiece_model(kind: str) -> bytes:
    """A small SentencePiece model, some of whose pieces end in a digit and a comma."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="needs sentencepiece")
    numbers = [f"1, 2, 10, 3,5 ²,x {number}," for number in range(300)]
    sink = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*TEXTS * 20, " ".join(WORDS), *numbers]),
        model_writer=sink,
        model_type=kind,
        vocab_size=420,
        character_coverage=0.98,
        hard_vocab_limit=False,
        split_by_number=False,
        user_defined_symbols=["[CLS]", "7,"] if kind == "bpe" else [],
        normalization_rule_name="identity",
        minloglevel=2,
    )
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_sentencepiece_within_words(kind: str, tmp_path: Path) -> None:
    model = sentencepiece_model(kind)
    cuts: Iterable[dict[str, Any]] = (
        {"do_word_tokenize": False},
        {},
        settings_of("ipadic") | {"do_lower_case": True},
    )
    for turn, settings in enumerate(cuts):
        folder = write_folder(
            tmp_path / str(turn), subword_tokenizer_type="sentencepiece", **settings
        )
        (folder / "vocab.txt").unlink()
        (folder / "spiece.model").write_bytes(model)
        more = [*TEXTS, "7,8, 9, 17,", "5,日本10,", "a  b 　c"]
        assert_same_as_auto_tokenizer(folder, seed=turn, more=more)
        with pytest.raises(SourceError, match="no artifact can do"):
            import_file(folder)
        ours = WWHOTokenizer.from_pretrained(folder)
        draws: dict[str, Any] = {"dropout": 0.1} if kind == "bpe" else {"sample": (0.1, -1)}
        with pytest.raises(SamplingError, match="cuts words before the model"):
            ours("日本", **draws, seed=1)


def test_words_that_are_never_cut_by_berts_rules(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, never_split=["a.b", "New."], do_lower_case=True)
    assert_same_as_auto_tokenizer(folder, more=["New. new. a.b A.B a.b.c New.", *TEXTS])
    with pytest.raises(SourceError, match=r"never_split: found ..a.b., .New.....*WWHOTokenizer"):
        import_file(folder)


def test_what_is_saved_and_copied_cuts_the_same_words(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", **settings_of("ipadic"), do_lower_case=True)
    ours = WWHOTokenizer(folder)
    ours.add_tokens(["<新>"])
    ours.save_pretrained(tmp_path / "saved")
    assert not (tmp_path / "saved" / "tokenizer.wwho").exists()
    expected = ours(list(TEXTS), padding=True)
    for again in (
        WWHOTokenizer.from_pretrained(tmp_path / "saved"),
        transformers.AutoTokenizer.from_pretrained(tmp_path / "saved"),
        pickle.loads(pickle.dumps(ours)),
        copy.deepcopy(ours),
    ):
        assert isinstance(again, WWHOTokenizer)
        assert dict(again(list(TEXTS), padding=True)) == dict(expected)
        assert again.tokenize("<新>東京都") == ["<新>", *ours.tokenize("東京都")]
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    theirs.add_tokens(["<新>"])
    assert dict(theirs(list(TEXTS), padding=True)) == dict(expected)
    assert len(theirs) == len(ours)


def test_single_words_and_white_space_beside_added_tokens(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, **settings_of("ipadic"))
    both = (
        WWHOTokenizer.from_pretrained(folder),
        transformers.AutoTokenizer.from_pretrained(folder),
    )
    added = [
        transformers.AddedToken("low", single_word=True),
        transformers.AddedToken("<l>", lstrip=True),
        transformers.AddedToken("<r>", rstrip=True),
    ]
    for each in both:
        each.add_tokens(added)
    ours, theirs = both
    for text in (
        "low",
        "a low b",
        "lower",
        "slow low",
        "日本low 東京",
        "　<l>　日本　<r>　東京 <r><l>",
    ):
        assert ours(text)["input_ids"] == theirs(text)["input_ids"], text
        for split in (True, False):
            options = {"split_special_tokens": split}
            assert ours.tokenize(text, **options) == theirs.tokenize(text, **options), text
    words = [["日本語 の", "low", "<l>"], ["東京"]]
    assert (
        ours(words, is_split_into_words=True)["input_ids"]
        == theirs(words, is_split_into_words=True)["input_ids"]
    )


def test_what_no_program_tells_is_refused(tmp_path: Path) -> None:
    ours = WWHOTokenizer.from_pretrained(write_folder(tmp_path, **settings_of("ipadic")))
    assert not ours.is_fast
    with pytest.raises(NotImplementedError, match="return_offsets_mapping=True"):
        ours("日本", return_offsets_mapping=True)
    with pytest.raises(ValueError, match=r"word_ids.* not available"):
        ours("日本").word_ids()
    with pytest.raises(ValueError, match="train_new_from_iterator: MeCab"):
        ours.train_new_from_iterator(["日本"], 300)
    with pytest.raises(BackendError, match=r"encode: .* words, which another program cuts"):
        ours.wwho.encode("日本")
    with pytest.raises(BackendError, match=r"save: .* words, which another program cuts"):
        ours.wwho.save(tmp_path / "x.wwho")
    assert ours.wwho.decode(ours("日本")["input_ids"]) == "[CLS] 日本 [SEP]"


def test_an_import_is_refused_and_names_what_would_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for program in ("mecab", "sudachi", "jumanpp"):
        folder = write_folder(tmp_path / program, word_tokenizer_type=program)
        assert main(["import", str(folder), "-o", str(tmp_path / "x.wwho"), "--check"]) == 1
        message = capsys.readouterr().err
        assert f"word_tokenizer_type: found {program}: " in message
        assert "WWHOTokenizer.from_pretrained(folder)" in message
        assert not (tmp_path / "x.wwho").exists()


def test_a_cutter_of_the_callers_own(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", word_tokenizer_type="jumanpp")
    with pytest.raises(ValueError, match=r"jumanpp: Juman\+\+.*give word_cutter=FUNCTION"):
        WWHOTokenizer.from_pretrained(folder)
    ours = WWHOTokenizer.from_pretrained(folder, word_cutter=str.split)
    assert ours.tokenize("日本語 東京[MASK]の") == ["日本語", "東京", "[MASK]", "の"]
    ours.save_pretrained(tmp_path / "saved")
    again = WWHOTokenizer.from_pretrained(tmp_path / "saved", word_cutter=str.split)
    assert again("日本語 東京")["input_ids"] == ours("日本語 東京")["input_ids"]
    with pytest.raises(ValueError, match="word_cutter: the model of this tokenizer cuts"):
        WWHOTokenizer.from_pretrained(write_folder(tmp_path / "plain"), word_cutter=str.split)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mecab_kwargs": ["ipadic"]}, "mecab_kwargs: found .*expected an object"),
        ({"mecab_kwargs": {"never_split": []}}, "mecab_kwargs: found .never_split., expected norm"),
        ({"mecab_kwargs": {"normalize_text": 1}}, "normalize_text: found 1, expected true or f"),
        ({"never_split": "New"}, "never_split: found .New., expected a list of words"),
        ({"mecab_kwargs": {"mecab_dic": "jumandic"}}, "mecab_kwargs: .*Invalid mecab_dic"),
        ({"mecab_kwargs": {"mecab_dic": None, "mecab_option": "-d /no"}}, "mecab_kwargs: found"),
        ({"subword_tokenizer_type": "bpe"}, "subword_tokenizer_type: found .bpe."),
    ],
)
def test_settings_that_are_not_understood(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path, **settings_of("ipadic") | settings)
    with pytest.raises(ValueError, match=message):
        WWHOTokenizer.from_pretrained(folder)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_folder(tmp_path, word_tokenizer_type="mecab")
    monkeypatch.setitem(sys.modules, "fugashi", None)
    message = r"MeCab \(the package fugashi, with a dictionary\).*pip install 'wwho\[japanese\]'"
    with pytest.raises(ModuleNotFoundError, match=message):
        WWHOTokenizer.from_pretrained(folder)
