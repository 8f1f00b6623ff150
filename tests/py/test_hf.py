"""wwho.hf in transformers: what it gives, and a model trained on it."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from exhaustive import chosen
from tiny import template_model

import wwho
from wwho import Tokenizer
from wwho.format.write import write_artifact

transformers = pytest.importorskip("transformers", reason="needs the extra hf")
np = pytest.importorskip("numpy")

from wwho.hf import WWHOTokenizer  # noqa: E402
from wwho.hf.token_names import TWIN_SUFFIX  # noqa: E402

TINY = Path(__file__).resolve().parents[1] / "vectors" / "tiny.wwho"
NAMES = wwho.list_encoding_names()
FRAME = {"bos_token": "<|ක|>", "eos_token": "<|end|>"}  # special tokens of the tiny model
TEXTS = (
    "ඔයා 1 special अद्भुत",
    "ගමේ පාසල ළඟ ගඟ\n\n\tනදියක් वाह! 👩‍👩‍👧 x\u00a0",
    "It's  the kettle'LL sing;   ",
    "",
)
TEMPLATE = (
    "{% for message in messages %}<|endofprompt|>{{ message.role }}: {{ message.content }}"
    "{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<|endofprompt|>assistant: {% endif %}"
)


@cache
def tokenizer(name: str = "wwho_328k") -> WWHOTokenizer:
    """Return the tokenizer of an encoding, one for all tests, which must not change it."""
    return WWHOTokenizer(name)


@pytest.mark.parametrize("name", chosen(NAMES, "o200k_base", "wwho_super_400k"))
def test_ids_offsets_and_texts_are_ours(name: str) -> None:
    enc, hf = wwho.get_encoding(name), tokenizer(name)
    for text in TEXTS:
        ids, offsets = enc.encode_with_offsets(text)
        found = hf(text, return_offsets_mapping=True)
        assert found["input_ids"] == ids == hf(text)["input_ids"]
        assert found["offset_mapping"] == offsets
        assert found["attention_mask"] == [1] * len(ids)
        assert hf.decode(ids) == text
        assert hf.convert_tokens_to_ids(hf.tokenize(text)) == ids
        assert hf.convert_tokens_to_string(hf.tokenize(text)) == text


@pytest.mark.parametrize("name", chosen(NAMES, "p50k_edit", "wwho_super_328k"))
def test_every_id_has_one_name(name: str) -> None:
    hf = tokenizer(name)
    vocab = hf.get_vocab()
    assert len(hf) == hf.vocab_size == wwho.get_encoding(name).n_vocab
    assert sorted(vocab.values()) == list(range(len(hf)))
    assert hf.convert_ids_to_tokens(range(len(hf))) == list(hf.get_vocab())


def test_names() -> None:
    """Texts; bytes in angle brackets; the base's tokens that SGPE has too; ids without a token."""
    hf = tokenizer()
    enc = hf.wwho
    assert hf.tokenize("ඔයා 1") == ["ඔයා", f" {TWIN_SUFFIX}", "1"]
    assert enc.encode(" ") == [220] == hf.convert_tokens_to_ids([f" {TWIN_SUFFIX}"])
    part = enc.encode("𑄀")[0]
    with pytest.raises(UnicodeDecodeError):
        enc.decode_single_token_bytes(part).decode()
    assert hf.convert_ids_to_tokens(part).startswith("<0x")
    assert hf.convert_ids_to_tokens(200000) == hf.decode([200000]) == "<|unused_200000|>"


def test_special_tokens() -> None:
    hf = tokenizer()
    assert (hf.pad_token_id, hf.bos_token_id, hf.eos_token_id) == (200019, 200021, 200022)
    text = "ගමේ<|endoftext|> x[EOS]"
    ids = hf.wwho.encode(text, allowed_special="all")
    assert hf(text)["input_ids"] == ids
    assert hf(text, split_special_tokens=True)["input_ids"] == hf.wwho.encode(text)
    plain = hf(text, split_special_tokens=True, return_offsets_mapping=True)
    assert plain["offset_mapping"] == hf.wwho.encode_with_offsets(text)[1]
    assert hf.decode(ids) == text
    assert hf.decode(ids, skip_special_tokens=True) == "ගමේ x"
    assert tokenizer("o200k_base").eos_token == tokenizer("o200k_base").pad_token == "<|endoftext|>"


def test_added_tokens_take_white_space_with_them() -> None:
    hf = WWHOTokenizer(TINY)
    size = len(hf)
    hf.add_tokens([transformers.AddedToken("<tool>", lstrip=True, rstrip=True, normalized=False)])
    hf.add_special_tokens({"cls_token": "<cls>"})
    assert len(hf) == size + 2
    assert hf.convert_tokens_to_ids(["<tool>", "<cls>"]) == [size, size + 1]
    text = "a  <tool> b<cls>c"
    found = hf(text, return_offsets_mapping=True)
    assert found["input_ids"] == hf(text)["input_ids"]
    places = [text[first:last] for first, last in found["offset_mapping"]]
    assert places == ["a", "  <tool> ", "b", "<cls>", "c"]


@pytest.mark.parametrize(
    "options",
    [
        {"extra_special_tokens": ["<pic>"]},
        {"additional_special_tokens": ["<pic>"]},
        {"extra_special_tokens": {"image_token": "<pic>"}},
        {"model_specific_special_tokens": {"image_token": "<pic>"}},
    ],
    ids=["extra", "additional", "named", "model's"],
)
def test_special_tokens_of_ones_own(options: dict[str, Any], tmp_path: Path) -> None:
    hf = WWHOTokenizer(TINY, **options)
    hf.save_pretrained(tmp_path)
    for opened in (hf, WWHOTokenizer.from_pretrained(tmp_path)):
        assert opened.tokenize("image_token<pic>")[-1] == "<pic>"
        assert "image_token" not in opened.get_vocab()
        assert opened.convert_tokens_to_ids("<pic>") == hf.vocab_size
        assert set(opened.wwho.info.specials) <= set(opened.all_special_tokens)
        if any(isinstance(each, dict) for each in options.values()):
            assert (opened.image_token, opened.image_token_id) == ("<pic>", hf.vocab_size)


@pytest.mark.parametrize("where", ["eos_token", "extra_special_tokens"])
def test_special_tokens_of_the_model_take_options(where: str, tmp_path: Path) -> None:
    end = transformers.AddedToken("<|end|>", lstrip=True)
    options: dict[str, Any] = {where: end if where == "eos_token" else [end]}
    hf = WWHOTokenizer(TINY, **options)
    hf.save_pretrained(tmp_path)
    for opened in (hf, WWHOTokenizer.from_pretrained(tmp_path)):
        assert opened.tokenize("a  <|end|> b") == ["a", "<|end|>", *hf.tokenize(" b")]
        assert opened.tokenize("a  <|ක|>")[1] != "<|ක|>"


def test_names_that_are_no_texts_cannot_be_added() -> None:
    hf = WWHOTokenizer(TINY)
    assert (hf.add_tokens(["x"]), hf.add_tokens(["x"]), len(hf)) == (1, 0, hf.vocab_size)
    for name in ("<0xE0>", f" {TWIN_SUFFIX}"):
        assert name in hf.get_vocab()
        with pytest.raises(ValueError, match=f"cannot add the token '{name}': it is what b'"):
            hf.add_tokens([name])
        assert hf.decode(hf(f"a{name}b")["input_ids"]) == f"a{name}b"


SPACED = "a  <tag> b<tag>c <tag> d"


@pytest.mark.parametrize("how", ["single_word", "lstrip", "rstrip", "lstrip rstrip single_word"])
@pytest.mark.parametrize("text", [SPACED, "x<tag> y", "<tag>", "<tag><tag> <tag>x", "<|end|><tag>"])
def test_offsets_leave_the_ids_alone(how: str, text: str) -> None:
    """Whatever an added token takes with it, or leaves to its neighbours."""
    hf = WWHOTokenizer(TINY)
    options = dict.fromkeys(how.split(), True)
    hf.add_tokens([transformers.AddedToken("<tag>", normalized=False, **options)])
    found = hf(text, return_offsets_mapping=True)
    assert found["input_ids"] == hf(text)["input_ids"]
    for token, (first, last) in zip(found["input_ids"], found["offset_mapping"], strict=True):
        assert hf.decode([token]).strip() == text[first:last].strip()


def test_offsets_are_places_in_the_str() -> None:
    """Where a pair of surrogates, one character to wwho, is two."""
    text = "a\ud83d\ude00b"
    found = tokenizer()(text, return_offsets_mapping=True)
    assert found["input_ids"] == tokenizer()("a😀b")["input_ids"]
    places = found["offset_mapping"]
    assert (places[0], set(places[1:-1]), places[-1]) == ((0, 1), {(1, 3)}, (3, 4))


def test_added_tokens_leave_the_rest_of_a_batch_alone() -> None:
    """Texts with and without them, as one by one; and what the core finds is what the cut finds."""
    plain, cut = WWHOTokenizer(TINY), WWHOTokenizer(TINY)
    cut.add_tokens([transformers.AddedToken("never in a text", normalized=False)])
    texts = [*TEXTS, "<|end|>", "a<|end|><|ක|>b <|end|", "<|ක|>", *TEXTS]
    for options in ({}, {"split_special_tokens": True}):
        alone = [plain(text, **options)["input_ids"] for text in texts]
        for hf in (plain, cut):
            assert hf(texts, **options)["input_ids"] == alone
            assert hf(texts, return_offsets_mapping=True, **options)["input_ids"] == alone


def test_added_tokens_that_take_white_space_take_linear_time() -> None:
    hf = WWHOTokenizer(TINY)
    hf.add_tokens([transformers.AddedToken("<t>", lstrip=True, rstrip=True, normalized=False)])
    space = " " * 300_000
    assert hf.tokenize(f"{space}<t>{space}<t>{space}") == ["<t>", "<t>"]


def test_ids_in_place_of_texts() -> None:
    hf = WWHOTokenizer(TINY, special_tokens_pattern="eos", **FRAME)
    ids = hf.wwho.encode(TEXTS[0])
    assert hf(ids)["input_ids"] == [*ids, hf.eos_token_id]
    assert hf([ids, ids[:2]])["input_ids"] == [[*ids, hf.eos_token_id], [*ids[:2], hf.eos_token_id]]
    for wrong in ([None, "a"], ["a", None], [1.5], b"b", [b"b"], 7):
        with pytest.raises(TypeError, match=r"^expected (texts|str)"):
            hf(wrong)


def test_decoding_ids_of_the_model_and_others() -> None:
    hf = WWHOTokenizer(TINY)
    hf.add_tokens(["<tool>"])
    hf.add_special_tokens({"cls_token": "<cls>"})
    text = "ගම😀<|end|> a<tool> b<cls> ."
    ids = hf(text)["input_ids"]
    known = [token for token in ids if token < hf.vocab_size]
    assert hf.decode(ids) == text == hf.convert_tokens_to_string(hf.convert_ids_to_tokens(ids))
    assert hf.decode(known) == "ගම😀<|end|> a b ."
    assert hf.decode(ids, skip_special_tokens=True) == "ගම😀 a<tool> b ."
    assert hf.decode(known, skip_special_tokens=True) == "ගම😀 a b ."
    assert hf.decode(known, clean_up_tokenization_spaces=True) == "ගම😀<|end|> a b ."
    assert hf.decode(known[:2][1:]) == hf.decode(known[1]) == hf.batch_decode([[known[1]]])[0]


@pytest.mark.parametrize("token", [-100, -1, 10**7])
def test_ids_that_are_none(token: int) -> None:
    """-100, the label that losses ignore, must not become the hundredth token from behind."""
    hf = tokenizer()
    for call in (hf.decode, hf.convert_ids_to_tokens, lambda ids: hf.batch_decode([ids])):
        with pytest.raises(wwho.UnknownTokenError, match=f"^{token} is not the id of a token"):
            call([64, token])


def test_a_pattern_needs_its_tokens() -> None:
    hf = WWHOTokenizer("o200k_base", special_tokens_pattern="bos_eos")
    with pytest.raises(ValueError, match="needs a bos_token, which this model does not have"):
        hf("a")
    with_bos = WWHOTokenizer(
        "o200k_base", special_tokens_pattern="bos_eos", bos_token="<|endofprompt|>"
    )
    assert with_bos("a")["input_ids"] == [200018, 64, 199999]


def test_padding_and_truncation() -> None:
    hf = tokenizer()
    batch = hf(list(TEXTS), padding=True, return_tensors="np", return_offsets_mapping=True)
    length = max(len(hf(text)["input_ids"]) for text in TEXTS)
    assert batch["input_ids"].shape == batch["attention_mask"].shape == (len(TEXTS), length)
    assert batch["offset_mapping"].shape == (len(TEXTS), length, 2)
    for row, mask, text in zip(batch["input_ids"], batch["attention_mask"], TEXTS, strict=True):
        ids = hf(text)["input_ids"]
        assert row.tolist() == ids + [hf.pad_token_id] * (length - len(ids))
        assert mask.tolist() == [1] * len(ids) + [0] * (length - len(ids))
    for side in ("right", "left"):
        hf = WWHOTokenizer(TINY, truncation_side=side, padding_side=side, pad_token="[PAD]")
        ids, offsets = hf.wwho.encode_with_offsets(TEXTS[0])
        cut = hf(TEXTS[0], truncation=True, max_length=3, return_offsets_mapping=True)
        kept = slice(-3, None) if side == "left" else slice(3)
        assert (cut["input_ids"], cut["offset_mapping"]) == (ids[kept], offsets[kept])
        padded = hf(TEXTS[0], padding="max_length", max_length=len(ids) + 2)["attention_mask"]
        assert padded == ([0, 0] + [1] * len(ids) if side == "left" else [1] * len(ids) + [0, 0])


def test_pairs_words_and_frames() -> None:
    """Two texts in one, texts already cut into words, and tokens put around a text."""
    hf = WWHOTokenizer(TINY, special_tokens_pattern="bos_eos", **FRAME)
    first, second = (hf.wwho.encode_with_offsets(text) for text in ("ගමේ a", "b"))
    pair = hf("ගමේ a", "b", return_offsets_mapping=True, return_special_tokens_mask=True)
    bos, eos, nowhere = hf.bos_token_id, hf.eos_token_id, (0, 0)
    assert pair["input_ids"] == [bos, *first[0], eos, *second[0], eos]
    assert pair["offset_mapping"] == [nowhere, *first[1], nowhere, *second[1], nowhere]
    assert pair["special_tokens_mask"] == [int(k in (bos, eos)) for k in pair["input_ids"]]
    words = ["ගමේ a", "b"]
    cut = hf(words, is_split_into_words=True, return_offsets_mapping=True)
    assert cut["input_ids"] == [bos, *first[0], *second[0], eos]
    assert cut["offset_mapping"] == [nowhere, *first[1], *second[1], nowhere]
    assert hf.decode(pair["input_ids"], skip_special_tokens=True) == "ගමේ ab"


def test_chat_template() -> None:
    hf = WWHOTokenizer(chat_template=TEMPLATE)
    talk = [{"role": "user", "content": "ගමේ පාසල?"}]
    text = hf.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
    assert text == "<|endofprompt|>user: ගමේ පාසල?[EOS]<|endofprompt|>assistant: "
    found = hf.apply_chat_template(talk, add_generation_prompt=True, return_dict=True)
    assert found["input_ids"] == hf.wwho.encode(text, allowed_special="all")


def test_what_the_assistant_says_is_marked() -> None:
    said = "{% generation %}{{ message.content }}{% endgeneration %}"
    hf = WWHOTokenizer(chat_template=TEMPLATE.replace("{{ message.content }}", said))
    talk = [{"role": "user", "content": "ගමේ පාසල?"}, {"role": "assistant", "content": "නදියක්!"}]
    for options in ({}, {"return_tensors": "np"}):
        found = hf.apply_chat_template([talk], return_assistant_tokens_mask=True, **options)
        ids, masks = list(found["input_ids"][0]), list(found["assistant_masks"][0])
        spoken = [token for token, mask in zip(ids, masks, strict=True) if mask]
        # The space before a word is part of its token, and that token is marked.
        assert hf.decode(spoken) == " ගමේ පාසල? නදියක්!"


def test_control_tokens_in_a_chat_can_be_ordinary_text() -> None:
    hf = WWHOTokenizer(chat_template=TEMPLATE)
    talk = [{"role": "user", "content": "ගමේ <|endofprompt|>"}]
    found = hf.apply_chat_template(talk, sanitize_control_tokens=True)["input_ids"]
    mark = hf.convert_tokens_to_ids("<|endofprompt|>")
    assert found.count(mark) == 1  # the template's
    assert hf.decode(found) == hf.apply_chat_template(talk, tokenize=False)


def test_save_and_load(tmp_path: Path) -> None:
    hf = WWHOTokenizer(
        TINY,
        special_tokens_pattern="bos",
        token_type_ids_include_special_tokens=False,
        chat_template=TEMPLATE,
        model_max_length=64,
        **FRAME,
    )
    hf.add_tokens(["<tool>"])
    hf.save_pretrained(tmp_path)
    assert (tmp_path / "tokenizer.wwho").read_bytes() == TINY.read_bytes()
    text = "ගමේ <tool> x"
    # AutoTokenizer knows the class once wwho.hf is imported.
    for cls in (WWHOTokenizer, transformers.AutoTokenizer):
        again = cls.from_pretrained(tmp_path)
        assert type(again) is WWHOTokenizer
        assert again(text)["input_ids"] == hf(text)["input_ids"]
        assert again("x")["input_ids"][0] == hf.bos_token_id
        assert (again.chat_template, again.model_max_length) == (TEMPLATE, 64)
        assert not again.token_type_ids_include_special_tokens
        assert again.get_vocab() == hf.get_vocab()
        again.save_pretrained(tmp_path / "again")
        for name in ("tokenizer.wwho", "chat_template.jinja"):
            assert (tmp_path / "again" / name).read_bytes() == (tmp_path / name).read_bytes()


FRESH = """
import json, sys
from transformers import AutoTokenizer
assert not any(name.startswith("wwho") for name in sys.modules)
hf = AutoTokenizer.from_pretrained(sys.argv[1], trust_remote_code=True)
found = [hf.get_vocab() == AutoTokenizer.from_pretrained(sys.argv[1]).get_vocab()]
hf.save_pretrained(sys.argv[2])
json.dump([type(hf).__module__, hf(sys.argv[3])["input_ids"], hf.chat_template, found], sys.stdout)
"""


@pytest.mark.slow
@pytest.mark.parametrize("model_type", chosen((None, "llama", "mistral"), "llama"))
def test_auto_tokenizer_in_a_fresh_process(model_type: str | None, tmp_path: Path) -> None:
    """As vLLM, TRL and lm-eval open it, alone and beside a model; what that saves is the same."""
    hf = WWHOTokenizer(TINY, special_tokens_pattern="bos", chat_template=TEMPLATE, **FRAME)
    hf.add_tokens(["<tool>"])
    first, second = tmp_path / "a", tmp_path / "b"
    files = hf.save_pretrained(first)
    assert {Path(file).name for file in files} >= {"tokenizer.wwho", "tokenization_wwho.py"}
    if model_type:
        (first / "config.json").write_text(json.dumps({"model_type": model_type}))
    text = "ගමේ <tool> x<|end|>"
    expected = ["wwho.hf.pretrained_tokenizer", hf(text)["input_ids"], TEMPLATE, [True]]
    environment = {**os.environ, "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    for folder, other in ((first, second), (second, tmp_path / "c")):
        done = subprocess.run(
            [sys.executable, "-c", FRESH, folder, other, text],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == expected
    for name in ("tokenization_wwho.py", "tokenizer.wwho", "chat_template.jinja"):
        assert (second / name).read_bytes() == (first / name).read_bytes()


def test_a_shipped_name_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*arguments: object) -> None:
        raise AssertionError(f"the network is asked: {arguments}")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(f"socket.socket.{name}", connect)
    monkeypatch.setattr("socket.getaddrinfo", connect)
    monkeypatch.chdir(tmp_path)
    options = {"padding_side": "left", "revision": "main", "token": None}
    hf = WWHOTokenizer.from_pretrained("o200k_base", **options)
    assert hf("hello world")["input_ids"] == [24912, 2375]
    assert (hf.name_or_path, hf.padding_side) == ("o200k_base", "left")
    # A folder of the name goes before it.
    WWHOTokenizer(TINY).save_pretrained("o200k_base")
    assert len(WWHOTokenizer.from_pretrained("o200k_base")) == len(WWHOTokenizer(TINY))
    with pytest.raises(wwho.ArtifactError, match="no_such_name"):
        WWHOTokenizer.from_pretrained("no_such_name", local_files_only=True)


def test_copies_and_pickles() -> None:
    hf = WWHOTokenizer(TINY)
    before = pickle.dumps(hf)
    found = hf(list(TEXTS), return_offsets_mapping=True)
    hf.get_vocab()
    assert pickle.dumps(hf) == before  # or caches that know a tokenizer by its pickle would miss
    for again in (copy.deepcopy(hf), pickle.loads(before)):
        assert again(TEXTS[0])["input_ids"] == hf(TEXTS[0])["input_ids"]
        assert again.get_vocab() == hf.get_vocab()
    for copied in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert copied == found
        assert copied.word_ids(1) == found.word_ids(1)


def test_words_are_as_the_model_cuts_them() -> None:
    """Neighbouring syllables are one; added tokens are their own."""
    found = tokenizer()("ගමේ පාසලේ <|endoftext|>it's", return_offsets_mapping=True)
    text = "ගමේ පාසලේ <|endoftext|>it's"
    words: dict[int, list[tuple[int, int]]] = {}
    for word, place in zip(found.word_ids(), found["offset_mapping"], strict=True):
        words.setdefault(word, []).append(place)
    spans = [(places[0][0], places[-1][1]) for _, places in sorted(words.items())]
    assert [text[first:last] for first, last in spans] == [
        "ගමේ", " පාසලේ", " ", "<|endoftext|>", "it's"
    ]  # fmt: skip
    assert found.char_to_word(5) == 1
    assert found.word_to_chars(3) == (10, 23)


ROADS = [f"ගමේ {number} පාර, low lower lowest road" for number in range(200)]


@pytest.mark.slow
def test_a_new_vocabulary_over_the_same_base(tmp_path: Path) -> None:
    """Of texts or batches: ids of the base stay, so do special tokens and all options."""
    old = WWHOTokenizer("wwho_328k", chat_template=TEMPLATE, special_tokens_pattern="bos")
    old.add_special_tokens({"cls_token": transformers.AddedToken("<cls>", lstrip=True)})
    base = wwho.get_encoding("o200k_base")
    size = base.n_vocab + 60
    batches = iter([ROADS[:100], ROADS[100:]])
    new = old.train_new_from_iterator(
        batches, size, length=2, new_special_tokens=["<x>"], special_tokens_map={"[EOS]": "<eos>"}
    )
    assert base.n_vocab < len(new) <= size
    assert new.wwho.info.models[0] == old.wwho.info.models[0] == base.info.models[0]
    assert " පාර" in new.tokenize(ROADS[0])
    assert new("low road")["input_ids"][1:] == old("low road")["input_ids"][1:]
    assert (new.eos_token, new.cls_token, new.bos_token) == ("<eos>", "<cls>", "[BOS]")
    eos = new.tokenize("[EOS]")  # no special token any more
    assert len(eos) > 1
    assert new.tokenize("a<x>[EOS] <cls>") == ["a", "<x>", *eos, "<cls>"]
    again = old.train_new_from_iterator(ROADS, size, new_special_tokens=["<x>"])
    assert again.wwho.encode(ROADS[7]) == new.wwho.encode(ROADS[7])
    new.save_pretrained(tmp_path)
    opened = WWHOTokenizer.from_pretrained(tmp_path)
    assert (opened.chat_template, opened.eos_token) == (TEMPLATE, "<eos>")
    assert opened("ගමේ")["input_ids"] == new("ගමේ")["input_ids"]
    assert opened("ගමේ")["input_ids"][0] == new.bos_token_id
    with pytest.raises(ValueError, match="but the base alone, whose ids stay, has 200019"):
        old.train_new_from_iterator(ROADS, 32_000)


def test_a_new_base_vocabulary() -> None:
    """With the same pretokenizer; all special tokens come along."""
    new = WWHOTokenizer("cl100k_base").train_new_from_iterator(ROADS, 300, min_freq=3)
    assert 256 < len(new) <= 300
    assert new.decode(new("ගම😀 lower")["input_ids"]) == "ගම😀 lower"
    assert new.tokenize(ROADS[0])[-3:] == [" lower", " lowest", " road"]
    assert (new.eos_token, new.eos_token_id) == ("<|endoftext|>", new.pad_token_id)
    for given in (new.wwho.info, wwho.get_encoding("cl100k_base").info):
        assert "<|fim_prefix|>" in given.specials
    paper = WWHOTokenizer(TINY)
    with pytest.raises(ValueError, match="does not say what it was trained over: give base="):
        paper.train_new_from_iterator(ROADS, 1000)


def test_datasets_map(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    hf = WWHOTokenizer(TINY)
    data = datasets.Dataset.from_dict({"text": list(TEXTS) * 50, "label": list(range(200))})
    fingerprint = datasets.fingerprint.Hasher.hash(hf)

    def tokenize(batch: dict[str, list[Any]]) -> Any:
        """Encode a batch of a data set, cut to eight tokens."""
        return hf(batch["text"], truncation=True, max_length=8)

    options: dict[str, Any] = {"batched": True, "batch_size": 64, "remove_columns": ["text"]}
    mapped = data.map(tokenize, cache_file_name=str(tmp_path / "cache.arrow"), **options)
    assert mapped.column_names == ["label", "input_ids", "attention_mask"]
    expected = [hf.wwho.encode(text)[:8] for text in TEXTS] * 50
    assert [row["input_ids"] for row in mapped] == expected
    assert datasets.fingerprint.Hasher.hash(hf) == fingerprint


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        WWHOTokenizer("no_such_encoding")
    with pytest.raises(wwho.ArtifactError):
        WWHOTokenizer(__file__)
    WWHOTokenizer(TINY).save_pretrained(tmp_path)
    (tmp_path / "tokenizer.wwho").unlink()
    with pytest.raises(wwho.ArtifactError, match=f"no tokenizer.wwho in {tmp_path}"):
        WWHOTokenizer.from_pretrained(tmp_path)
    block = "import sys; sys.modules['transformers'] = None; import wwho.hf"
    done = subprocess.run(
        [sys.executable, "-c", block], capture_output=True, text=True, check=False
    )
    assert "ModuleNotFoundError: wwho.hf needs transformers: pip install 'wwho[hf]'" in done.stderr


@pytest.mark.slow
def test_a_model_learns_on_it(tmp_path: Path) -> None:
    """A next-token model over the tiny vocabulary, trained until it recites one line."""
    mx = pytest.importorskip("mlx.core", reason="needs mlx")
    nn, optimizers = pytest.importorskip("mlx.nn"), pytest.importorskip("mlx.optimizers")
    hf = WWHOTokenizer(TINY, special_tokens_pattern="bos_eos", **FRAME)
    lines = ["ගමේ පාසල ළඟ ගඟ", "the school by the river", "नदी के पास स्कूल"]
    batch = hf(lines, padding=True, return_tensors="mlx")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    assert ids.shape == mask.shape

    class Model(nn.Module):  # type: ignore[misc, name-defined]
        """A language model: embeddings, a recurrent layer, and scores of the next token."""

        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(len(hf), 32)
            self.recur = nn.GRU(32, 64)
            self.score = nn.Linear(64, len(hf))

        def __call__(self, tokens: Any) -> Any:
            return self.score(self.recur(self.embed(tokens)))

    mx.random.seed(0)
    model, optimizer = Model(), optimizers.Adam(learning_rate=0.02)

    def loss(model: Any) -> Any:
        """Return the mean loss of a model over the tokens that are no padding."""
        each = nn.losses.cross_entropy(model(ids[:, :-1]), ids[:, 1:])
        return (each * mask[:, 1:]).sum() / mask[:, 1:].sum()

    step = nn.value_and_grad(model, loss)
    losses = []
    for _ in range(60):
        value, gradients = step(model)
        optimizer.update(model, gradients)
        mx.eval(model.parameters(), optimizer.state)
        losses.append(value.item())
    assert losses[-1] < losses[0] / 10
    assert losses[0] == pytest.approx(np.log(len(hf)), rel=0.2)
    tokens = hf(lines[0])["input_ids"][:2]
    while tokens[-1] != hf.eos_token_id and len(tokens) < 40:
        tokens.append(model(mx.array([tokens]))[0, -1].argmax().item())
    assert hf.decode(tokens, skip_special_tokens=True) == lines[0]
    assert Tokenizer.load(TINY).n_vocab == len(hf)


def test_template_of_the_model() -> None:
    enc = wwho.Tokenizer.from_bytes(write_artifact(template_model()))
    hf = WWHOTokenizer(enc)
    found = hf("ab do", "a", return_token_type_ids=True)
    expected = enc.encode_with_types("ab do", "a", add_special_tokens=True)
    assert (found["input_ids"], found["token_type_ids"]) == expected
    assert hf("a")["input_ids"] == enc.encode("a", add_special_tokens=True)
    assert hf("a", add_special_tokens=False)["input_ids"] == enc.encode("a")
    assert (hf.cls_token, hf.sep_token, hf.unk_token) == ("[CLS]", "[SEP]", "[UNK]")
    assert hf.decode(found["input_ids"], skip_special_tokens=True) == "ab do a"
    pattern = WWHOTokenizer(enc, special_tokens_pattern="cls_double_sep")
    assert pattern("a", "a")["input_ids"] == [1, 5, 2, 2, 5, 2]
