"""Training anew keeps the components of an imported tokenizer, beside fast tokenizers' training."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers", reason="needs transformers")

from folder_judge import texts_of  # noqa: E402
from test_hf_folders import bert_folder  # noqa: E402
from test_hf_options import LLAMA_3, byte_level, json_folder  # noqa: E402
from test_train_wordpiece import is_certain, some_words  # noqa: E402
from tokenizers import (  # noqa: E402
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from wwho.exporters import export  # noqa: E402
from wwho.format.read import read_artifact  # noqa: E402
from wwho.hf import WWHOTokenizer  # noqa: E402
from wwho.train.learn_bpe import (  # noqa: E402
    PREFIX,
    _learn_in_order,
    _learn_natively,
    learn_bpe,
)

AUTO = transformers.AutoTokenizer
QWEN = LLAMA_3.replace("{1,3}", "")
REPEATS = ["=====", "a" * 40, "aaaa aaaaa aaaaaa", "-" * 17, "hahahahaha", "\n\n\n\n"]


def corpus() -> Iterator[str]:
    """Yield the texts to train on: words, other scripts, and characters that repeat."""
    yield from texts_of(11, 200)
    yield from REPEATS * 3


def judge_texts() -> list[str]:
    """Return the texts to compare on, most of which no training has seen."""
    return [*texts_of(12, 150), *REPEATS]


def qwen(folder: Path) -> Path:
    """Write a folder like Qwen's: NFC, a pattern, no template."""
    made = byte_level(["<|im_start|>", "<|im_end|>"], QWEN)
    made.normalizer = normalizers.NFC()
    return json_folder(
        folder, made, tokenizer_class="PreTrainedTokenizerFast", eos_token="<|im_end|>"
    )


def llama_3(folder: Path) -> Path:
    """Write a folder like Llama 3's: a template in a Sequence, and ignore_merges."""
    made = byte_level(["<|begin|>", "<|end|>"], LLAMA_3)
    begin = made.token_to_id("<|begin|>")
    template = processors.TemplateProcessing(
        single="<|begin|> $A",
        pair="<|begin|> $A <|begin|>:1 $B:1",
        special_tokens=[("<|begin|>", begin)],
    )
    made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    document = json.loads(made.to_str())
    document["model"]["ignore_merges"] = True
    return json_folder(
        folder,
        Tokenizer.from_str(json.dumps(document)),
        tokenizer_class="PreTrainedTokenizerFast",
        bos_token="<|begin|>",
        eos_token="<|end|>",
    )


def lower(folder: Path) -> Path:
    """Write a folder with NFC and lower case, and RoBERTa's template."""
    made = byte_level(["<mask>"])
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    ids = {text: made.token_to_id(text) for text in ("</s>", "<s>")}
    made.post_processor = processors.RobertaProcessing(("</s>", ids["</s>"]), ("<s>", ids["<s>"]))
    return json_folder(folder, made, tokenizer_class="PreTrainedTokenizerFast", mask_token="<mask>")


def digits(folder: Path) -> Path:
    """Write a folder whose pretokenizer rewrites pieces: digits alone, each with a space."""
    made = byte_level()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=True)]
    )
    return json_folder(folder, made, tokenizer_class="PreTrainedTokenizerFast")


@pytest.mark.parametrize("make", [qwen, llama_3, lower, digits])
@pytest.mark.parametrize("min_frequency", [None, 3])
def test_the_same_pieces_as_a_fast_tokenizer(
    make: Any, min_frequency: int | None, tmp_path: Path
) -> None:
    folder = make(tmp_path)
    options = {} if min_frequency is None else {"min_frequency": min_frequency}
    arguments = {"vocab_size": 600, "new_special_tokens": ["<new>"], **options}
    theirs = AUTO.from_pretrained(folder).train_new_from_iterator(corpus(), **arguments)
    old = WWHOTokenizer.from_pretrained(folder)
    ours = old.train_new_from_iterator([[*corpus()]], **arguments)
    expected = json.loads(theirs.backend_tokenizer.to_str())["model"]
    assert ours.get_vocab() == expected["vocab"]
    for text, other in zip(judge_texts(), reversed(judge_texts()), strict=True):
        for special in (True, False):
            found = ours.tokenize(text, add_special_tokens=special)
            assert found == theirs.tokenize(text, add_special_tokens=special), text
        assert ours.tokenize(text, other) == theirs.tokenize(text, other)
        ids = ours(text)["input_ids"]
        assert ours.decode(ids) == theirs.decode(theirs(text)["input_ids"])
        # The template has the new ids, which those of its tokens are.
        assert ids == ours.convert_tokens_to_ids(ours.tokenize(text, add_special_tokens=True))
    assert theirs.special_tokens_map.items() <= ours.special_tokens_map.items()
    assert ours.special_tokens_map == old.special_tokens_map
    assert {*ours.all_special_tokens} == {*old.all_special_tokens, "<new>"}
    # It is kept where the tokenizer is saved, opened, and trained once more.
    ours.save_pretrained(tmp_path / "saved")
    again = WWHOTokenizer.from_pretrained(tmp_path / "saved")
    assert again("low é 12")["input_ids"] == ours("low é 12")["input_ids"]
    twice = again.train_new_from_iterator(corpus(), 600, **options)
    assert twice.tokenize("low é 12") == ours.tokenize("low é 12")


def test_special_tokens_with_new_texts(tmp_path: Path) -> None:
    folder = llama_3(tmp_path)
    names = {"<|begin|>": "<go>", "<|end|>": "<stop>"}
    theirs = AUTO.from_pretrained(folder).train_new_from_iterator(
        corpus(), 500, special_tokens_map=names
    )
    ours = WWHOTokenizer.from_pretrained(folder).train_new_from_iterator(
        corpus(), 500, special_tokens_map=names
    )
    assert (ours.bos_token, ours.eos_token) == ("<go>", "<stop>")
    assert theirs.special_tokens_map.items() <= ours.special_tokens_map.items()
    # The peer adds the old texts again, at the end.
    assert ours.get_vocab() == {
        text: token for text, token in theirs.get_vocab().items() if text not in names
    }
    assert ours.tokenize("a low<stop>", add_special_tokens=True)[0] == "<go>"
    assert ours.tokenize("a low<stop>", add_special_tokens=True)[-1] == "<stop>"


def test_a_template_that_an_option_has_made_is_kept(tmp_path: Path) -> None:
    options = {"add_eos_token": True}
    ours = WWHOTokenizer.from_pretrained(llama_3(tmp_path), **options)
    new = ours.train_new_from_iterator(corpus(), 500)
    assert new.tokenize("low", add_special_tokens=True) == ["low", "<|end|>"]
    assert new("low")["input_ids"][-1] == new.eos_token_id
    # An export has it, too.
    exported = export(read_artifact(new.wwho._blob), "tokenizer.json")
    judge = Tokenizer.from_buffer(exported.data)
    assert judge.encode("low", "new").ids == new("low", "new")["input_ids"]


def test_added_tokens_that_are_not_special_stay(tmp_path: Path) -> None:
    made = byte_level(split=QWEN)
    made.add_tokens([AddedToken("new york", lstrip=True)])
    ours = WWHOTokenizer.from_pretrained(json_folder(tmp_path, made))
    new = ours.train_new_from_iterator(corpus(), 500)
    assert new.tokenize("a  new york") == ["a", "new york"]
    assert "new york" not in new.all_special_tokens
    assert len(new) == 500


def test_what_cannot_be_trained_is_refused_by_name(tmp_path: Path) -> None:
    made = Tokenizer(models.WordLevel({"<unk>": 0, "a": 1}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    ours = WWHOTokenizer.from_pretrained(json_folder(tmp_path, made))
    with pytest.raises(ValueError, match="is a WordLevel model"):
        ours.train_new_from_iterator(corpus(), 500)
    made = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "@@b": 2}, unk_token="[UNK]"))
    document = json.loads(made.to_str())
    document["model"]["continuing_subword_prefix"] = "@@"
    made = Tokenizer.from_str(json.dumps(document))
    ours = WWHOTokenizer.from_pretrained(json_folder(tmp_path, made))
    with pytest.raises(ValueError, match="has the prefix '@@'"):
        ours.train_new_from_iterator(corpus(), 500)
    made = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0, False))
    made.pre_tokenizer = pre_tokenizers.ByteLevel()
    ours = WWHOTokenizer.from_pretrained(json_folder(tmp_path, made))
    with pytest.raises(ValueError, match="is a Unigram model over bytes"):
        ours.train_new_from_iterator(corpus(), 500)
    made = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    ours = WWHOTokenizer.from_pretrained(json_folder(tmp_path, made))
    with pytest.raises(ValueError, match="is a BPE over characters"):
        ours.train_new_from_iterator(corpus(), 500)
    ours = WWHOTokenizer.from_pretrained(qwen(tmp_path))
    with pytest.raises(ValueError, match="max_token_length=4 is no option"):
        ours.train_new_from_iterator(corpus(), 500, max_token_length=4)
    with pytest.raises(ValueError, match="vocab_size is 200, but the 5 added tokens and the 256"):
        ours.train_new_from_iterator(corpus(), 200)
    # A template, which training over a base would lose.
    ours = WWHOTokenizer("o200k_base", bos_token="<|endoftext|>", add_bos_token=True)
    with pytest.raises(ValueError, match="cannot keep its template"):
        ours.train_new_from_iterator(corpus(), 500)


def test_special_tokens_in_texts_are_text_for_both(tmp_path: Path) -> None:
    folder = qwen(tmp_path)
    texts = ["<|im_end|>" * 3, "<|im_end|> low", "|im|"] * 4
    theirs = AUTO.from_pretrained(folder).train_new_from_iterator(texts, 330)
    ours = WWHOTokenizer.from_pretrained(folder).train_new_from_iterator(texts, 330)
    assert ours.get_vocab() == theirs.get_vocab()


@pytest.mark.parametrize("seed", range(30))
def test_merges_are_those_of_tokenizers(seed: int) -> None:
    """Both ways to learn: the quick one until a text is made twice, the other always."""
    chance = random.Random(seed)
    alphabet = ("ab", "abcdefg", "abcdefghijklmnopqrstuvwxyz")[seed % 3]
    words = Counter(
        {
            "".join(chance.choices(alphabet, k=chance.randint(1, 12))): chance.randint(1, 6)
            for _ in range(chance.randint(1, 120))
        }
    )
    first = [["<s>"], ["ab", "<x>", "abc"]][seed % 2]
    vocab_size = len(alphabet) + len(first) + chance.randint(0, 120)
    min_freq = chance.choice([1, 2])
    judge = Tokenizer(models.BPE())
    judge.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    judge.decoder = decoders.Fuse()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_freq,
        special_tokens=first,
        initial_alphabet=[*alphabet],
        show_progress=False,
    )
    judge.train_from_iterator(words.elements(), trainer)
    expected = json.loads(judge.to_str())["model"]
    texts = [*first, *alphabet]
    results = [
        learn_bpe(words, first, alphabet, vocab_size, min_freq),
        _learn_in_order(words, texts, vocab_size, min_freq),
        _learn_natively(words, texts, alphabet, vocab_size, min_freq),
    ]
    if seed % 3:
        assert results[-1] is not None or seed % 2
    for found in filter(None, results):
        assert found.vocab == expected["vocab"]
        assert [[*pair] for pair in found.merges] == expected["merges"]


def test_wordpiece_has_the_pieces_of_a_fast_tokenizer(tmp_path: Path) -> None:
    AUTO.from_pretrained(bert_folder(tmp_path)).save_pretrained(tmp_path)
    fast, old = AUTO.from_pretrained(tmp_path), WWHOTokenizer.from_pretrained(tmp_path)
    certain = 0
    for seed in range(16):
        words = some_words(seed)
        alphabet = {char for word in words for char in word}
        size = len(old.all_special_tokens) + 2 * len(alphabet) + 1 + seed % 9
        learnt = learn_bpe(words, old.all_special_tokens, alphabet, size, 1, PREFIX)
        if not is_certain(words, learnt.merges):
            continue
        certain += 1
        texts = [" ".join([word.upper()] * number) for word, number in words.items()]
        theirs = fast.train_new_from_iterator(texts, size)
        ours = old.train_new_from_iterator(iter(texts), size)
        assert ours.get_vocab().keys() == theirs.get_vocab().keys()
        for text in [*words, "abc, gfedcba! zz", "[MASK] ABBA a[SEP]"]:
            assert ours.tokenize(text) == theirs.tokenize(text)
            assert ours.tokenize(text, add_special_tokens=True) == (
                theirs.tokenize(text, add_special_tokens=True)
            )
            assert ours.decode(ours(text)["input_ids"]) == theirs.decode(theirs(text)["input_ids"])
        assert ours.special_tokens_map == theirs.special_tokens_map
        ours.save_pretrained(tmp_path / "saved")
        again = WWHOTokenizer.from_pretrained(tmp_path / "saved")
        assert again("abc cab")["input_ids"] == ours("abc cab")["input_ids"]
    assert certain >= 4


def t5(folder: Path, *, fallback: bool = False) -> Path:
    """Write a folder like T5's: Unigram, Metaspace, `</s>` at the end."""
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("\u2581", -2.0), ("a", -3.0)]
    pieces += [(f"<0x{byte:02X}>", -9.0) for byte in range(256 * fallback)]
    made = Tokenizer(models.Unigram(pieces, 2, fallback))
    made.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Strip(False, True)])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    made.add_special_tokens(["<pad>", "</s>", "<unk>"])
    made.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 1)])
    return json_folder(
        folder,
        made,
        tokenizer_class="PreTrainedTokenizerFast",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
    )


@pytest.mark.parametrize("fallback", [False, True])
def test_unigram_keeps_its_components(fallback: bool, tmp_path: Path) -> None:
    folder = t5(tmp_path, fallback=fallback)
    size = 500 + 256 * fallback
    theirs = AUTO.from_pretrained(folder).train_new_from_iterator(corpus(), size)
    old = WWHOTokenizer.from_pretrained(folder)
    ours = old.train_new_from_iterator(corpus(), size, new_special_tokens=["<new>"])
    assert len(ours) == size
    assert ours.convert_ids_to_tokens(range(3)) == ["<pad>", "</s>", "<unk>"]
    assert ours.special_tokens_map == old.special_tokens_map
    seen = "".join(corpus())
    n_ours = n_theirs = 0
    for text in corpus():
        if "<" in text:
            continue  # it may hold the text of a special token
        ids = ours(text)["input_ids"]
        assert ids[-1] == ours.eos_token_id
        assert ours.unk_token_id not in ids
        decoded = ours.decode(ids, skip_special_tokens=True)
        assert decoded == theirs.decode(theirs(text)["input_ids"], skip_special_tokens=True)
        n_ours += len(ids)
        n_theirs += len(theirs(text)["input_ids"])
    assert n_ours < 1.05 * n_theirs
    assert "\U0001f9ff" not in seen
    unknown = ours("\U0001f9ff")["input_ids"]
    assert (ours.unk_token_id in unknown) == (not fallback)
    if fallback:
        assert ours.decode(unknown, skip_special_tokens=True).strip() == "\U0001f9ff"
    # Transformers opens what an export writes, with the same ids.
    judge = Tokenizer.from_buffer(export(read_artifact(ours.wwho._blob), "tokenizer.json").data)
    for text in judge_texts()[:60]:
        assert judge.encode(text).ids == ours(text)["input_ids"]
    with pytest.raises(ValueError, match="vocab_size is 20, but the"):
        old.train_new_from_iterator(corpus(), 20)
