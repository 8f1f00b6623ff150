"""Added tokens of byte-level tokenizers, whose letters may stand for bytes: they decode to text."""

from __future__ import annotations

import random
from typing import Any

import pytest

import wwho
from wwho.format.losses import losses
from wwho.format.write import write_artifact
from wwho.importers import Options, Source, import_source


def byte_level_with_added(words: list[str]) -> Any:
    """A byte-level tokenizer of `tokenizers` with added tokens."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocab = {text: number for number, text in enumerate(alphabet)}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=[]))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    theirs.add_tokens([tokenizers.AddedToken(word, normalized=False) for word in words])
    return theirs


def test_added_tokens_of_letters_that_stand_for_bytes_decode_to_their_text() -> None:
    """The library makes bytes of them, which are no text; the ids are the same."""
    chance = random.Random(196)
    letters = "abcdeéößğđêÀñçüŁ"
    words = ["đem", "Café", "größe", "ağaç"]
    words += ["".join(chance.choices(letters, k=chance.randint(2, 7))) for _ in range(196)]
    words = [word for word in dict.fromkeys(words) if not word.isascii()]
    theirs = byte_level_with_added(words)
    data = theirs.to_str().encode()
    made = [
        import_source(Source("tokenizer.json", data), Options(like_tokenizers=each)).artifact
        for each in (False, True)
    ]
    ours, alike = (wwho.Tokenizer.from_bytes(write_artifact(artifact)) for artifact in made)
    assert losses(made[0]) == ()
    assert losses(made[1]) == ("added tokens decode to other texts, such as 'đem'",)
    broken = 0
    for word in words:
        text = f"x {word} y{word}"
        ids = theirs.encode(text).ids
        for each in (ours, alike):
            assert each.encode(text, allowed_special="all") == ids
        assert ours.decode(ids) == text
        assert alike.decode(ids) == theirs.decode(ids)
        broken += theirs.decode(ids) != text
    assert broken > 50
    notes = import_source(Source("tokenizer.json", data)).notes
    assert any("decode to their texts" in note for note in notes)
