"""The tokenizers that `wwho eval` measures: their names, their tokens, and where tokens end."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from evaluated import byte_model, measured, put_files, super_model
from hypothesis import given
from hypothesis import strategies as st

import wwho
from wwho.backends.backend import Backend
from wwho.backends.select import open_backend
from wwho.errors import WwhoError
from wwho.evaluate.encoders import Encoder, open_baseline, open_model
from wwho.evaluate.text_blocks import Block
from wwho.format.bpe import BPE
from wwho.format.write import write_artifact


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put_files(tmp_path)


# tokenizer.json


def saved(tokenizer: tokenizers.Tokenizer, path: Path) -> Encoder:
    tokenizer.save(str(path))
    return open_baseline(str(path))


def byte_level(*merges: str) -> tokenizers.Tokenizer:
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    pairs = [(left, right) for left, right in map(str.split, merges)]
    vocabulary = {text: k for k, text in enumerate([*alphabet, *map("".join, pairs)])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, pairs))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return tokenizer


def test_bytes_are_bytes_whoever_cuts_them(folder: Path) -> None:
    found = measured(folder, saved(byte_level(), folder / "level.json")).overall
    assert found.figures["level"] == found.figures["bytes"]


def test_nothing_is_added_cut_off_or_filled_up(folder: Path) -> None:
    tokenizer = byte_level()
    tokenizer.add_special_tokens(["<s>", "ab"])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 256)]
    )
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=9)
    found = measured(folder, saved(tokenizer, folder / "level.json")).overall.figures
    assert found["level"].efficiency == found["bytes"].efficiency
    assert found["level"].damaged_lines == 0


@cache
def some_merges() -> Encoder:
    """Some tokens end inside a character, some begin there, some do both."""
    with tempfile.TemporaryDirectory() as folder:
        return saved(byte_level("ļ à", "à ¶", "Ġ à", "ð Ł"), Path(folder, "level.json"))


@given(st.lists(st.text(st.sampled_from("ක්‍ෂිaé 👩\u200d🏏\u0301නि\u00a0"), max_size=12), min_size=1))
def test_ends_from_offsets_are_those_from_bytes(lines: list[str]) -> None:
    """To the byte between characters; inside one, somewhere inside the same one."""
    block, encoder = Block(lines), some_merges()
    encoding = encoder.encode(block)
    texts = encoder.tokens_bytes(encoding.ids.tolist())
    exact = np.cumsum([len(text or b"") for text in texts])
    starts = block.character_bytes
    assert exact.tolist()[-1:] == block.line_bytes[-1:].tolist()[: len(exact)]
    for true, found in zip(exact.tolist(), encoding.ends.tolist(), strict=True):
        if true in starts:
            assert found == true
        else:
            assert np.searchsorted(starts, true) == np.searchsorted(starts, found)
            assert found not in starts


def test_a_broken_tokenizer_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(WwhoError, match=r"tokenizer\.json: .* no kind of tokenizer"):
        open_baseline(str(path))


def test_labels(tmp_path: Path) -> None:
    (tmp_path / "llama").mkdir()
    for path in (tmp_path / "llama" / "tokenizer.json", tmp_path / "my=own.json"):
        byte_level().save(str(path))
    assert open_baseline(str(tmp_path / "llama" / "tokenizer.json")).name == "llama"
    assert open_baseline(str(tmp_path / "my=own.json")).name == "my=own"
    assert open_baseline(f"other={tmp_path / 'my=own.json'}").name == "other"
    assert open_model("mine=o200k_base").name == "mine"
    path = tmp_path / "without-a-suffix"
    path.write_bytes(write_artifact(byte_model()))
    assert open_baseline(str(path)).name == open_model(str(path)).name == "without-a-suffix"


def test_models_are_known_by_what_they_are_not_by_their_place(tmp_path: Path) -> None:
    model = super_model()
    more = replace(model, models=(*model.models, BPE(first_id=model.n_vocab)))
    encoder = Encoder("", write_artifact(more))
    assert encoder.superwords == range(263, 264)
    assert np.flatnonzero(encoder.is_base).tolist() == [*range(256)]
    base = byte_model()
    more = replace(base, models=(*base.models, BPE(first_id=base.n_vocab)))
    assert wwho.Encoding.from_bytes(write_artifact(more)).encode_with_unstable("a")[0] == []


def test_a_tokenizer_that_loses_text_is_found_out(folder: Path) -> None:
    words = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"[UNK]": 0, "ab": 1, "මල": 2}, unk_token="[UNK]")
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    found = measured(folder, saved(words, folder / "words.json")).overall.figures["words"]
    assert found.damaged_lines == 4  # the empty line is all that comes back
    assert found.efficiency.tokens == 2 + 2 + 0 + 2 + 1
    assert (found.syllable_cuts, found.cluster_cuts) == (0, 0)
    assert (found.unk_tokens, found.damaged_by_unk) == (1 + 1 + 1 + 1, 4)


def test_the_token_for_what_cannot_be_written(folder: Path) -> None:
    unigram = tokenizers.Tokenizer(
        tokenizers.models.Unigram([("ම", -1.0), ("?", -2.0)], 1, byte_fallback=False)
    )
    found = measured(folder, saved(unigram, folder / "unigram.json")).overall.figures["unigram"]
    assert (found.unk_tokens, found.damaged_by_unk) == (1 + 1 + 1 + 1, 4)
    assert saved(byte_level(), folder / "level.json").unk_id is None


@pytest.mark.parametrize("how", ["Metaspace", "Prepend"])
def test_a_space_that_is_made_up_breaks_nothing(tmp_path: Path, how: str) -> None:
    vocabulary = {"\u2581": 0, "?": 1, "ක": 2, "මේ": 3, "ම": 4, "ේ": 5}
    words = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, [("ම", "ේ")], unk_token="?"))
    if how == "Metaspace":
        words.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    else:
        prepend = tokenizers.normalizers.Prepend("\u2581")
        replace = tokenizers.normalizers.Replace(" ", "\u2581")
        words.normalizer = tokenizers.normalizers.Sequence([prepend, replace])
    encoder = saved(words, tmp_path / "words.json")
    encoding = encoder.encode(Block(["මේ ක", "", "ක"]))
    assert encoding.ids.tolist() == [0, 3, 0, 2, 0, 2]
    assert encoding.ends.tolist() == [0, 6, 7, 10, 10, 13]


def test_bytes_of_a_character_end_inside_it(tmp_path: Path) -> None:
    names = {f"<0x{byte:02X}>": byte for byte in range(256)}
    vocabulary = {**names, "?": 256, "ම": 257}
    model = tokenizers.models.BPE(vocabulary, [], unk_token="?", byte_fallback=True)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Replace(" ", "\u2581")
    encoder = saved(tokenizer, tmp_path / "bytes.json")
    encoding = encoder.encode(Block(["කමක", "", "ක"]))
    assert encoding.firsts.tolist() == [0, 7, 7, 10]
    assert encoding.ends.tolist() == [2, 2, 3, 6, 8, 8, 9, 11, 11, 12]


def test_what_cannot_be_encoded_is_named(folder: Path) -> None:
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"ab": 0}, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    with pytest.raises(WwhoError, match=r"words\.json: /model/unk_token: .*UNK"):
        measured(folder, saved(words, folder / "words.json"))


def test_dropout_is_refused(folder: Path) -> None:
    tokenizer = byte_level("ļ à", "à ¶", "Ġ à")
    tokenizer.model.dropout = 0.9
    with pytest.raises(WwhoError, match="dropout gives other ids each time"):
        saved(tokenizer, folder / "level.json")


def test_tokens_without_a_decoder_are_those_of_the_file(folder: Path) -> None:
    """As their own library decodes them: in the characters that stand for bytes."""
    tokenizer = byte_level()
    tokenizer.decoder = None
    encoder = saved(tokenizer, folder / "level.json")
    tokens = encoder.tokens_bytes(encoder.encode(Block([" ක"])).ids.tolist())[:2]
    assert tokens == ["\u0120".encode(), "à".encode()]


# Tokens and their ends, packed


@pytest.mark.parametrize("unk", [False, True])
@given(text=st.text(st.sampled_from("කමල්ිab \u200d\n😀")))
def test_what_packs_for_a_backend_packs_what_the_core_does(unk: bool, text: str) -> None:
    native, data = _super_backend(), text.encode()
    assert Backend.spans_packed(native, data) == native.spans_packed(data)
    found = native.encode_with_ends_packed(data, None, unk)
    assert Backend.encode_with_ends_packed(native, data, None, unk) == found
    assert np.frombuffer(found[0], np.uint32).tolist() == native.encode(data, None, unk)


@cache
def _super_backend() -> Backend:
    return open_backend(write_artifact(super_model()), "native")


def test_many_tokens_are_as_one_by_one() -> None:
    """Gaps between ids and the longest tokens too."""
    native = open_backend(wwho.encodings.model_bytes("cl100k_base"), "native")
    tokens = [*range(0, native.info.n_vocab, 7), *range(100_200, native.info.n_vocab), 2**31]
    found = native.tokens_bytes(tokens)
    assert found == Backend.tokens_bytes(native, tokens)
    assert found.count(None) > 1


def test_a_token_longer_than_any_buffer(folder: Path) -> None:
    (folder / "long.wwho").write_bytes(
        write_artifact(byte_model(*(b"a" * 2**k for k in range(1, 10))))
    )
    encoder = open_baseline(str(folder / "long.wwho"))
    assert encoder.tokens_bytes([264, 97, 263]) == [b"a" * 512, b"a", b"a" * 256]
