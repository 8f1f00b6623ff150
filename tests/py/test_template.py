"""Templates: the post-processors of Hugging Face's `tokenizers`, through the public tokenizer."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import tokenizer_of
from test_tokenizer_json import imported
from tiny import steps_of
from tokenizers import (
    AddedToken,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tokenizers import Tokenizer as Theirs

from wwho import Tokenizer, UnknownTokenError
from wwho.backends.select import BackendName
from wwho.errors import SourceError
from wwho.format.decoder import Decoder
from wwho.format.greedy import Greedy
from wwho.format.model import Added, Ids, Unknown
from wwho.format.template import Place, Template, What, read_template, write_template
from wwho.format.write import write_artifact

VOCAB = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4, "ab": 5, "##a": 6, "##b": 7}
SPECIALS = [("[CLS]", 1), ("[SEP]", 2)]
CLS, SEP = (Place(What.ID, 0, 1), Place(What.ID, 0, 2))
FIRST, SECOND = Place(What.FIRST), Place(What.SECOND)
VECTORS = oracle.ROOT / "tests" / "vectors"
BACKENDS: tuple[BackendName, ...] = ("native", "reference")


def template(single: str, pair: str) -> processors.TemplateProcessing:
    """Return a TemplateProcessing of `tokenizers` with the special tokens of these tests."""
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=SPECIALS)


BERT = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
CASES: list[tuple[processors.PostProcessor | None, Template | None]] = [
    (None, None),
    (
        template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"),
        Template.around(before=[1], behind=[2], between=[2]),
    ),
    (BERT, Template.around(before=[1], behind=[2], between=[2])),
    (
        processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1)),
        Template.around(before=[1], behind=[2], between=[2, 2], after_pair=[2], second_type=0),
    ),
    (
        processors.Sequence([processors.ByteLevel(trim_offsets=False), BERT, BERT]),
        Template.around(before=[1, 1], behind=[2, 2], between=[2, 2]),
    ),
    (
        template("$A:3 [SEP]", "$B:1 [SEP]:7 $A:255"),
        Template(
            (Place(What.FIRST, 3), SEP),
            (Place(What.SECOND, 1), Place(What.ID, 7, 2), Place(What.FIRST, 255)),
        ),
    ),
    (template("$A [CLS]", "$A $B:0"), Template((FIRST, CLS), (FIRST, SECOND))),
    (  # XLNet's kind: behind, with a type of its own
        template("$A [SEP] [CLS]:2", "$A [SEP] $B:1 [SEP]:1 [CLS]:2"),
        Template(
            (FIRST, SEP, Place(What.ID, 2, 1)),
            (FIRST, SEP, Place(What.SECOND, 1), Place(What.ID, 1, 2), Place(What.ID, 2, 1)),
        ),
    ),
]


def opened(ours: Template | None, backend: BackendName) -> Tokenizer:
    """Open a small WordPiece model, as BERT has it, with a template."""
    first = sorted(name for name in VOCAB if not name.startswith("##"))
    later = sorted(name.removeprefix("##") for name in VOCAB if name.startswith("##"))
    model = Greedy(
        id_policy=Ids.STATED,
        stated=(*(VOCAB[name] for name in first), *(VOCAB[f"##{name}"] for name in later)),
        unknown=Unknown.ID,
        unk_id=0,
        first=tuple(name.encode() for name in first),
        later=tuple(name.encode() for name in later),
        max_characters=100,
    )
    artifact = replace(
        tokenizer_of(model, words=True),
        added=tuple(Added(text, token) for text, token in [("[UNK]", 0), *SPECIALS]),
        template=ours,
        decoder=Decoder(steps_of("WordPiece", prefix="##", cleanup=True), "##"),
    )
    return Tokenizer.from_bytes(write_artifact(artifact), backend=backend)


def theirs(processor: processors.PostProcessor | None) -> Theirs:
    """Return the model of `opened` as `tokenizers` has it, with a post-processor."""
    made = Theirs(models.WordPiece(VOCAB, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.decoder = decoders.WordPiece()
    made.add_special_tokens([*VOCAB][:3])
    if processor is not None:
        made.post_processor = processor
    return made


TEXTS = st.text("ab x", max_size=8)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_tokenizers(number: int) -> None:
    processor, ours = CASES[number]
    expected, encoders = theirs(processor), [opened(ours, backend) for backend in BACKENDS]

    @given(TEXTS, st.none() | TEXTS, st.booleans())
    def check(text: str, pair: str | None, add: bool) -> None:
        """Assert that every method gives a text, or a pair, what `tokenizers` gives."""
        wanted = expected.encode(text, pair, add_special_tokens=add)
        for encoder in encoders:
            assert encoder.encode(text, pair, add_special_tokens=add) == wanted.ids
            types = encoder.encode_with_types(text, pair, add_special_tokens=add)
            assert types == (wanted.ids, wanted.type_ids)
            array = encoder.encode_to_numpy(text, pair, add_special_tokens=add)
            assert array.tolist() == wanted.ids
            assert array.dtype == np.uint32
            n = len(wanted.ids)
            assert encoder.count(text, pair, add_special_tokens=add) == n
            for limit in {0, n // 2, max(n - 1, 0), n, n + 1}:
                found = encoder.count_till_limit(text, limit, pair, add_special_tokens=add)
                assert found == (n if n <= limit else None)
            ids, places = encoder.encode_with_offsets(text, pair, add_special_tokens=add)
            assert (ids, len(places)) == (wanted.ids, len(ids))
            for skip in (False, True):
                decoded = expected.decode(ids, skip_special_tokens=skip)
                assert encoder.decode(ids, skip_special_tokens=skip) == decoded
                parts = encoder.decode_stream(ids, skip_special_tokens=skip)
                assert "".join(parts) == decoded

    check()


@pytest.mark.parametrize("number", range(len(CASES)))
def test_batches_as_tokenizers(number: int) -> None:
    processor, ours = CASES[number]
    expected, encoders = theirs(processor), [opened(ours, backend) for backend in BACKENDS]

    @given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), st.booleans(), st.booleans())
    def check(samples: list[tuple[str, str]], paired: bool, add: bool) -> None:
        """Assert that every method for batches gives what `tokenizers` gives."""
        texts, seconds = [text for text, _ in samples], [pair for _, pair in samples]
        pairs = seconds if paired else None
        wanted = expected.encode_batch(samples if paired else texts, add_special_tokens=add)
        rows = [each.ids for each in wanted]
        for encoder in encoders:
            assert encoder.encode_batch(texts, pairs, add_special_tokens=add) == rows
            assert encoder.count_batch(texts, pairs, add_special_tokens=add) == [*map(len, rows)]
            placed = encoder.encode_batch_with_offsets(texts, pairs, add_special_tokens=add)
            assert placed == [
                encoder.encode_with_offsets(*sample, add_special_tokens=add)
                for sample in (samples if paired else zip(texts, strict=True))
            ]
            assert [found for found, _ in placed] == rows
            ids, starts = encoder.encode_batch_to_numpy(texts, pairs, add_special_tokens=add)
            assert ids.dtype == np.uint32
            assert starts.dtype == np.int64
            assert starts[0] == 0
            assert [each.tolist() for each in np.split(ids, starts[1:])][:-1] == rows

    check()


def test_batches_of_too_few_pairs() -> None:
    encoder = opened(CASES[1][1], "native")
    for call in (encoder.encode_batch, encoder.encode_batch_to_numpy, encoder.count_batch):
        with pytest.raises(ValueError, match="2 texts have 1 pairs; give one for each"):
            call(["a", "b"], ["a"])


@pytest.mark.parametrize("number", range(len(CASES)))
def test_cut_with_room_for_the_template(number: int) -> None:
    processor, ours = CASES[number]
    expected, encoders = theirs(processor), [opened(ours, backend) for backend in BACKENDS]
    least = expected.num_special_tokens_to_add(is_pair=False)

    @given(TEXTS, st.integers(least, least + 6))
    def check(text: str, limit: int) -> None:
        """Assert that `truncate` cuts as `tokenizers` does, and that chunks keep their limit."""
        expected.enable_truncation(limit)
        wanted = expected.encode(text).ids
        expected.no_truncation()
        for encoder in encoders:
            cut = encoder.truncate(text, limit, add_special_tokens=True)
            assert text.startswith(cut)
            assert encoder.encode(cut, add_special_tokens=True) == wanted
            if limit > least:
                chunks = encoder.chunk(text, limit, add_special_tokens=True)
                # A text without a token has no chunk.
                joined = "".join(chunk.text for chunk in chunks)
                assert joined == (text if text.strip() else "")
                for chunk in chunks:
                    assert chunk.tokens == len(expected.encode(chunk.text).ids) <= limit

    check()


def test_limits_without_room_for_the_template() -> None:
    encoder = opened(CASES[1][1], "native")
    assert encoder.truncate("a", 2, add_special_tokens=True) == ""
    with pytest.raises(ValueError, match="limit is 1; give a number of tokens, 2 or more"):
        encoder.truncate("a", 1, add_special_tokens=True)
    with pytest.raises(ValueError, match="limit is 2; give a number of tokens, 3 or more"):
        encoder.chunk("a", 2, add_special_tokens=True)
    with pytest.raises(ValueError, match=r"overlap is 1; .* which is 1 without the template's"):
        encoder.chunk("a", 3, overlap=1, add_special_tokens=True)
    assert encoder.count_till_limit("a", 1, add_special_tokens=True) is None


TRIMS = (
    lambda rng: processors.ByteLevel(rng.random() < 0.6, rng.random() < 0.8),
    lambda rng: processors.RobertaProcessing(
        ("</s>", 1), ("<s>", 0), rng.random() < 0.8, rng.random() < 0.6
    ),
    lambda _: processors.BertProcessing(("</s>", 1), ("<s>", 0)),
    lambda _: processors.TemplateProcessing(
        single="<s> $A", pair="<s> $B:1 $A </s>", special_tokens=[("</s>", 1), ("<s>", 0)]
    ),
)
SPACED = ("hello", " ", "  ", "\n", "\n\n", "<m>", " x ", "the", "\u0120", "\u3000", "\u0121", "B")


# What <m> takes, tokenizers gives again where it is an added token of its own.
TAKEN = re.compile(r"<m>\s*(\n\n| x )")


def byte_level(rng: Random) -> Theirs:
    """Return a byte-level BPE that trims at random, with added tokens that take white space."""
    made = Theirs(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(rng.random() < 0.5, use_regex=rng.random() < 0.8)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "</s>"],
        show_progress=False,
    )
    made.train_from_iterator(["hello   world  hello \n\n  the \u3000\u3000 b"] * 3, trainer)
    if rng.random() < 0.5:
        made.normalizer = rng.choice([normalizers.Lowercase(), normalizers.NFC()])
    made.add_tokens(
        [
            AddedToken("<m>", lstrip=True, rstrip=rng.random() < 0.5, normalized=False),
            *(AddedToken(text, normalized=False) for text in (" x ", "\n\n")),
        ]
    )
    adding = rng.choice(TRIMS[1:])(rng)
    trims = [TRIMS[0](rng) for _ in range(2)]
    made.post_processor = rng.choice(
        [
            *(trims[0], adding, processors.Sequence(trims)),
            *(processors.Sequence(each) for each in ([trims[0], adding], [adding, trims[0]])),
            processors.Sequence([processors.Sequence([trims[0]]), adding]),
        ]
    )
    return made


@pytest.mark.parametrize("seed", range(40))
def test_trimmed_offsets(seed: int) -> None:
    rng = Random(seed)
    expected = byte_level(rng)
    ours = imported(expected).artifact
    for backend in BACKENDS:
        encoder = Tokenizer.from_bytes(write_artifact(ours), backend=backend)
        for _ in range(25):
            text, other = ("".join(rng.choices(SPACED, k=rng.randrange(8))) for _ in range(2))
            pair, add = rng.choice((None, other)), rng.random() < 0.5
            wanted = expected.encode(text, pair, add_special_tokens=add)
            if TAKEN.search(text) or TAKEN.search(other):
                continue
            found = encoder.encode_with_offsets(text, pair, add_special_tokens=add)
            assert found == (wanted.ids, wanted.offsets), (text, pair, add)
            types = encoder.encode_with_types(text, pair, add_special_tokens=add)
            assert types == (wanted.ids, wanted.type_ids)
            alone = expected.encode(text, add_special_tokens=False)
            assert encoder.encode_batch_with_offsets([text]) == [(alone.ids, alone.offsets)]


def test_trims_that_no_artifact_can() -> None:
    expected = byte_level(Random(0))
    expected.post_processor = processors.Sequence([processors.ByteLevel()] * 3)
    with pytest.raises(SourceError, match="a third of a Sequence that trims"):
        imported(expected)


def test_specials_stand_nowhere() -> None:
    encoder = opened(CASES[1][1], "native")
    found = encoder.encode_with_offsets("ab b", "a", add_special_tokens=True)
    assert found[0] == [1, 5, 4, 2, 3, 2]
    places = [place for token, place in zip(*found, strict=True) if token in (1, 2)]
    assert places == [(0, 0)] * 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_skipped_of_models_without_a_decoder(backend: BackendName) -> None:
    import wwho

    base = wwho.get_encoding("cl100k_base", backend=backend)
    ids = base.encode("a<|endoftext|>\u0d9a", allowed_special="all")
    assert base.decode(ids) == "a<|endoftext|>\u0d9a"
    assert base.decode(ids, skip_special_tokens=True) == "a\u0d9a"
    assert base.decode_bytes(ids, skip_special_tokens=True).decode() == "a\u0d9a"
    assert base.decode_batch([ids], skip_special_tokens=True) == ["a\u0d9a"]
    assert "".join(base.decode_stream(ids, skip_special_tokens=True)) == "a\u0d9a"
    for call in (base.decode, base.decode_bytes):
        with pytest.raises(UnknownTokenError):
            call([100276, 300000], skip_special_tokens=True)


def test_decoded_text_and_texts_of_tokens() -> None:
    encoder = opened(None, "native")
    ids = [5, 6, 3]
    assert encoder.decode(ids) == "aba a"
    assert encoder.decode_tokens_bytes(ids) == [b"ab", b"a", b"a"]
    assert encoder.decode_with_offsets(ids) == ("aba a", [0, 2, 3])
    with pytest.raises(UnknownTokenError):
        encoder.decode([8])


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_sections_read_as_written(before: list[int], behind: list[int], between: list[int]) -> None:
    made = Template.around(before, behind, between, second_type=len(before))
    assert read_template(write_template(made), lambda _: True) == made
