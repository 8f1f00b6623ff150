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
from wwho.hf.learn_bpe import _learn_in_order, _learn_natively, learn_bpe  # noqa: E402

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
    AUTO.from_pretrained(bert_folder(tmp_path)).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="is a WordPiece model"):
        WWHOTokenizer.from_pretrained(tmp_path).train_new_from_iterator(corpus(), 500)
    made = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0, False))
    ours = WWHOTokenizer.from_pretrained(json_folder(tmp_path, made))
    with pytest.raises(ValueError, match="is a Unigram model"):
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
