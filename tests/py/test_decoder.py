"""Decoders: those of Hugging Face's `tokenizers` and of SentencePiece, in every backend."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

import pytest
import sentencepiece
from hypothesis import assume, example, given
from hypothesis import strategies as st
from kinds import from_sentencepiece, tokenizer_of
from tiny import steps_of
from tokenizers import decoders

from wwho.assemble import decoders as ours
from wwho.backends.backend import Backend
from wwho.backends.native import NativeBackend
from wwho.backends.reference import ReferenceBackend
from wwho.format.decoder import (
    Bytes,
    Decoder,
    Join,
    Replace,
    Some,
    Step,
    Strip,
    Unique,
    Unspell,
    Where,
    read_decoder,
    write_decoder,
)
from wwho.format.greedy import Greedy
from wwho.format.model import Added, Flag, Ids, Unknown
from wwho.format.read import read_artifact
from wwho.format.write import write_artifact

MARK = ours.SPACE_MARK
TEXTS = sorted(
    {
        *("a", "b", "ab", MARK, f"{MARK}a", f"{MARK}{MARK}", f"a{MARK}b", f"a{MARK}", "##a", "##"),
        *(
            "a</w>",
            "</w>",
            "<</w>/w>",
            ".",
            " .",
            "!",
            "n't",
            "'s",
            " do not",
            "'",
            "<pad>",
            "|",
            "a|",
        ),
        *(
            " ",
            "  ",
            " a",
            "a ",
            " a  ",
            "é",
            "中",
            "<0x41>",
            "<0xC3>",
            "<0xA9>",
            "<0xe4>",
            "<0xFF>",
        ),
        *("<0x+a>", "<0xg1>", "<0x1+>", "<0x41", "<0xé>", "\n", "ක", "<0xE2>", "<0x96>", "<0x81>"),
    }
)
WHERE = st.sampled_from(Where)
SMALL = st.sampled_from(["a", "b", "ab", " ", MARK, "#", "<0x", "é"])
"""Texts of steps."""

STEPS = st.one_of(
    st.builds(Replace, SMALL, st.one_of(SMALL, st.just("")), WHERE),
    st.builds(
        *(Strip, st.one_of(SMALL, st.just("")), st.integers(0, 2), st.integers(0, 2)),
        *(st.sampled_from(["", " ", "ab"]), WHERE),
    ),
    st.builds(Bytes, st.booleans()),
    st.builds(Join, st.sampled_from(["", " ", "é "])),
    st.sampled_from([Unique(), Some(), Unspell()]),
)
TOKENS = st.lists(st.integers(0, len(TEXTS) - 1), max_size=12)


def backends(decoder: Decoder, specials: tuple[str, ...] = ()) -> tuple[Backend, Backend]:
    """Open a model of all TEXTS with this decoder, in both backends; ids are their places."""
    return _opened(write_decoder(decoder), specials)


@lru_cache(64)
def _opened(section: bytes, specials: tuple[str, ...]) -> tuple[Backend, Backend]:
    """Open the model of `backends` for the bytes of a DECODER section, in both backends."""
    decoder = read_decoder(section, lambda _: True)
    names = sorted(TEXTS, key=str.encode)
    model = Greedy(
        id_policy=Ids.STATED,
        stated=tuple(TEXTS.index(name) for name in names),
        unknown=Unknown.ID,
        unk_id=0,
        first=tuple(name.encode() for name in names),
        later=(),
    )
    artifact = tokenizer_of(model)
    added = tuple(
        Added(text, TEXTS.index(text), Flag.SPECIAL) for text in sorted(specials, key=TEXTS.index)
    )
    blob = write_artifact(replace(artifact, decoder=decoder, added=added))
    assert read_artifact(blob).decoder == decoder
    return NativeBackend(blob), ReferenceBackend(blob)


THEIRS = {
    "fuse": decoders.Fuse(),
    "byte fallback": decoders.ByteFallback(),
    "metaspace": decoders.Metaspace(prepend_scheme="always"),
    "metaspace first": decoders.Metaspace(prepend_scheme="first"),
    "never": decoders.Metaspace(prepend_scheme="never"),
    "other mark": decoders.Metaspace(replacement="a"),
    "word piece": decoders.WordPiece(),
    "no cleanup": decoders.WordPiece("a", cleanup=False),
    "no prefix": decoders.WordPiece("", cleanup=False),
    "bpe": decoders.BPEDecoder(),
    "bpe a": decoders.BPEDecoder("a"),
    "ctc": decoders.CTC(),
    "ctc plain": decoders.CTC("a", "b", cleanup=False),
    "replace": decoders.Replace(MARK, " "),
    "replace by more": decoders.Replace("a", "bab"),
    "strip left": decoders.Strip(" ", 1, 0),
    "strip both": decoders.Strip("a", 2, 0),
}
NAMES = list(THEIRS)


def steps_like(theirs: decoders.Decoder) -> tuple[Step, ...]:
    """The steps of a decoder of the library, by its own description."""
    document = json.loads(theirs.__getstate__())
    return steps_of(document.pop("type"), **document)


@pytest.mark.parametrize("name", NAMES)
@given(tokens=TOKENS)
def test_as_tokenizers(name: str, tokens: list[int]) -> None:
    expected = THEIRS[name].decode([TEXTS[token] for token in tokens])
    for backend in backends(Decoder(steps_like(THEIRS[name]))):
        assert backend.decode(tokens).decode() == expected


@given(numbers=st.lists(st.integers(0, len(THEIRS) - 1), max_size=4), tokens=TOKENS)
@example([0, 15], [TEXTS.index(" "), TEXTS.index(" a")])
@example([13, 1, 0, 15], [TEXTS.index(f"{MARK}a"), TEXTS.index("<0xC3>"), TEXTS.index("<0xA9>")])
def test_sequences(numbers: list[int], tokens: list[int]) -> None:
    theirs = [THEIRS[NAMES[number]] for number in numbers]
    steps = tuple(step for each in theirs for step in steps_like(each))
    expected = decoders.Sequence(theirs)
    text = expected.decode([TEXTS[token] for token in tokens])
    for backend in backends(Decoder(steps)):
        assert backend.decode(tokens).decode() == text


def streamed(backend: Backend, tokens: Sequence[int], sizes: Sequence[int], skip: bool) -> bytes:
    """Return the text of tokens that come in groups of these sizes, decoded part by part."""
    out, held = b"", list[int]()
    ends = [*accumulate(sizes), len(tokens)]
    for start, end in zip([0, *ends], ends, strict=False):
        held += tokens[start:end]
        text, read = backend.decode_part(held, skip, bool(out), end < len(tokens))
        out, held = out + text, held[read:]
    assert not held
    return out


@given(
    steps=st.lists(STEPS, max_size=4),
    tokens=TOKENS,
    sizes=st.lists(st.integers(0, 3), max_size=6),
    skip=st.booleans(),
)
@example([Join(" "), Strip("x", 1, otherwise="ab"), Strip("c", 1, otherwise="cd")], [], [], False)
@example([Replace("a", "bab"), Join("\u00e9 "), Replace("b", "abb")], [0, 0, 0], [], False)
@example([Strip("aa", 0, 1, otherwise="aa")], [TEXTS.index("a")], [], False)
def test_backends_agree_also_in_parts(
    steps: list[Step], tokens: list[int], sizes: list[int], skip: bool
) -> None:
    assume(sum(sizes) <= len(tokens))
    decoder = Decoder(tuple(steps), "##", {3: b"", 5: b"\xff"})
    native, reference = backends(decoder, ("a", "<pad>"))
    whole = reference.decode_part(tokens, skip, False, False)
    assert native.decode_part(tokens, skip, False, False) == whole
    assert native.info.decoder == reference.info.decoder
    for more in (False, True):
        for after in (False, True):
            part = tokens, skip, after, more
            assert native.decode_part(*part) == reference.decode_part(*part)
    assert streamed(native, tokens, sizes, skip) == whole[0]


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("dummy", [True, False])
@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("bytes_", [True, False])
def test_as_sentencepiece(kind: str, dummy: bool, remove: bool, bytes_: bool) -> None:
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat", "a cat  and a hat", "that is it"] * 9),
        model_writer=out,
        model_type=kind,
        vocab_size=300 if bytes_ else 40,
        byte_fallback=bytes_,
        add_dummy_prefix=dummy,
        remove_extra_whitespaces=remove,
        hard_vocab_limit=False,
        user_defined_symbols=["<user>", f"{MARK}{MARK}"],
        control_symbols=["<ctl>"],
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    n = processor.get_piece_size()
    surfaces = {token: b"" for token in range(n) if processor.is_control(token)}
    surfaces[processor.unk_id()] = " \u2047 ".encode()
    decoder = ours.sentencepiece(surfaces, dummy_prefix=dummy, remove_spaces=remove)
    specials = sorted(token for token in surfaces)
    added = tuple(Added(processor.id_to_piece(token), token) for token in specials)
    artifact = replace(tokenizer_of(from_sentencepiece(processor)), decoder=decoder, added=added)
    blob = write_artifact(artifact)
    pair = NativeBackend(blob), ReferenceBackend(blob)
    known = sorted(artifact.decoded)
    marks = [token for token in known if MARK in processor.id_to_piece(token)]

    @given(st.lists(st.sampled_from(known) | st.sampled_from(marks + specials), max_size=9))
    def check(tokens: list[int]) -> None:
        """Assert that tokens decode as `tokenizers` decodes them, whole and one by one."""
        expected = processor.decode(tokens)
        for backend in pair:
            assert backend.decode(tokens).decode() == expected
        assert streamed(pair[0], tokens, [1] * len(tokens), False).decode() == expected

    check()
