"""Added tokens of byte-level tokenizers, whose letters may stand for bytes: they decode to text."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import oracle
import pytest

import wwho
from wwho.cli.main import main
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
        assert ours.decode(ids, like_tokenizers=True) == theirs.decode(ids)
        assert alike.decode(ids, like_tokenizers=True) == theirs.decode(ids)
        broken += theirs.decode(ids) != text
    assert broken > 50
    notes = import_source(Source("tokenizer.json", data)).notes
    assert any("decode to their texts" in note for note in notes)


def test_the_option_of_decode_in_all_its_places(tmp_path: Path) -> None:
    """Beside `tokenizers`, with decoders that an artifact keeps and with those that it folds."""
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    from wwho.hf import WWHOTokenizer

    words = ["đem", "Café", "日本", "<x>"]
    for number, before in enumerate((None, tokenizers.decoders.Replace("x", "yy"))):
        theirs = byte_level_with_added(words)
        if before is not None:
            parts = [before, tokenizers.decoders.ByteLevel()]
            theirs.decoder = tokenizers.decoders.Sequence(parts)
        path = tmp_path / f"{number}.json"
        theirs.save(str(path))
        fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path))
        slow, ours = WWHOTokenizer(path), wwho.Tokenizer.from_file(path)
        for each in (fast, slow):
            each.add_tokens(["Straße", "ağaç"])
        text = "Café x đem日本 <x>"
        ids, expected = theirs.encode(text).ids, theirs.decode(theirs.encode(text).ids)
        options: dict[str, Any] = {"like_tokenizers": True}
        assert ours.decode(ids) != expected
        assert ours.decode(ids) == (text if before is None else text.replace("x", "yy"))
        assert ours.decode(ids, **options) == expected
        assert ours.decode(ids, skip_special_tokens=True, **options) == expected
        assert ours.decode_batch([ids, ids], **options) == [expected] * 2
        assert ours.decode_bytes(ids, **options).decode(errors="replace") == expected
        ids = fast("Straße ağaç Café x")["input_ids"]
        assert slow.decode(ids, **options) == fast.decode(ids) != slow.decode(ids)
    ours.save(tmp_path / "x.wwho")
    again = wwho.Tokenizer.load(tmp_path / "x.wwho")
    token = theirs.token_to_id("Café")
    assert again.decode([token], **options) == theirs.decode([token]) != again.decode([token])
    with pytest.raises(ValueError, match="like_tokenizers=True: this model does not come from"):
        wwho.get_encoding("o200k_base").decode([1], like_tokenizers=True)


def test_the_vectors_that_javascript_has_too() -> None:
    """tests/vectors/letters.json has what `tokenizers` gives, and is what is written today."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    from gen_vectors import LETTERS_MODELS, letters, letters_tokenizer

    stored = json.loads((oracle.ROOT / "tests" / "vectors" / "letters.json").read_text("ascii"))
    assert stored == list(letters())
    differ = [0] * len(stored)
    for number, model in enumerate(stored):
        decoder, _ = LETTERS_MODELS[number]
        document = letters_tokenizer(decoder)
        theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
        ours = wwho.Tokenizer.from_bytes(base64.b64decode(model["file"]))
        for line in model["lines"]:
            ids, skip = line["ids"], line["skip"]
            peer = bytes.fromhex(line["like_hex"]).decode(errors="replace")
            assert theirs.decode(ids, skip_special_tokens=skip) == peer
            options: dict[str, Any] = {"skip_special_tokens": skip}
            assert ours.decode(ids, like_tokenizers=True, **options) == peer
            assert ours.decode(ids, **options) == line["decoded"]
            differ[number] += line["decoded"] != peer
    assert [differs > 5 for differs in differ] == [True, False, True, False]


def test_the_option_of_the_command(tmp_path: Path, capfdbinary: Any) -> None:
    theirs = byte_level_with_added(["Café"])
    theirs.save(str(tmp_path / "tokenizer.json"))
    wwho.Tokenizer.from_file(tmp_path).save(tmp_path / "x.wwho")
    (tmp_path / "ids").write_text(f"{theirs.token_to_id('Café')}\n")
    command = ["decode", "--model", str(tmp_path / "x.wwho"), str(tmp_path / "ids")]
    assert main(command) == main([*command, "--like-tokenizers"]) == 0
    assert capfdbinary.readouterr().out == "Café".encode() + b"Caf\xe9"
