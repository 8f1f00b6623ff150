"""Any byte-pair encoding as a model: the engines' own ids, on small vocabularies made here."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product

import pytest
import tiktoken
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer, models, pre_tokenizers

from wwho.assemble.bpe import bpe_model, characters, live_pairs, safe_cuts, singles
from wwho.backends.backend import Backend
from wwho.backends.select import open_backend
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Node
from wwho.errors import ArtifactError
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Route
from wwho.format.read import read_artifact
from wwho.format.steps import Action, Cut
from wwho.format.write import write_artifact

Pairs = list[tuple[str, str]]

BYTES = {bytes([byte]): byte for byte in range(256)}
ALPHABET = {
    byte: chr(byte if chr(byte).isprintable() and byte not in (32, 0xAD) else 256 + k)
    for byte in range(256)
    for k in [sum(not chr(b).isprintable() or b in (32, 0xAD) for b in range(byte))]
}


def backends(model: BPE, added: tuple[Added, ...] = (), cuts: Node | None = None) -> list[Backend]:
    """A model as the only one of a tokenizer, any text being one piece, in two backends."""
    scanners = [Scanner("characters", (parse_regex("a|[^a]"),), longest=False)]
    if cuts:
        scanners.append(Scanner("pieces", (cuts,), longest=False))
    steps = (Cut(1, (Action.KEEP,)),) if cuts else ()
    artifact = Artifact(
        scanners=compile_scanners(scanners),
        router=None,
        routes=(Route("text", model=0, steps=steps, units=0 if model.units else None),),
        models=(model,),
        added=added,
        provenance={"name": "test"},
    )
    blob = write_artifact(artifact)
    assert write_artifact(read_artifact(blob)) == blob
    return [open_backend(blob, "native"), open_backend(blob, "reference")]


def texts(rng: random.Random, letters: str) -> Iterator[str]:
    """Short texts, some that fill a window or two, and long ones."""
    for size in [*range(1, 9), *[rng.randrange(1, 30) for _ in range(40)], 70, 130, 300, 1500]:
        yield "".join(rng.choices(letters, k=size))
    for letter in letters:
        yield letter * 700


def random_merges(rng: random.Random, letters: str, n: int) -> tuple[list[str], Pairs]:
    """Tokens and merges as no trainer makes them.

    In any order, several for one text, some that never happen, some before those that make their
    parts; and tokens that none makes.
    """
    tokens = list(letters)
    merges: Pairs = []
    for _ in range(n):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if len(left + right) > 12 or (left, right) in merges:
            continue
        merges.append((left, right))
        if left + right not in tokens:
            tokens.append(left + right)
    for k in range(len(merges)):
        other = min(len(merges) - 1, k + rng.choice([0, 0, 0, 1, 2, 5]))
        merges[k], merges[other] = merges[other], merges[k]
    for _ in range(5):
        text = "".join(rng.choices(letters, k=rng.randrange(2, 8)))
        if text not in tokens:
            tokens.append(text)
    return tokens, merges


def as_bytes(merges: Pairs) -> list[tuple[bytes, bytes]]:
    return [(left.encode(), right.encode()) for left, right in merges]


@pytest.mark.parametrize("cut", [singles, characters])
def test_the_pair_that_makes_a_token(cut: Callable[[bytes], Sequence[bytes]]) -> None:
    """The last merge of its text, where ranks are equal, pairs come twice, and bytes are alone."""
    for seed in range(3000):
        rng = random.Random(seed)
        letters = rng.choice(["a", "ab", "abc"])
        tokens, told = random_merges(rng, letters, rng.randrange(25))
        symbols, pairs = {*letters.encode()}, as_bytes(told)
        if cut is characters and seed % 3 == 0:  # bytes that are a character side by side
            pairs += [(b"a", b"\xc3"), (b"\xc3", b"\xa9"), (b"a\xc3", b"\xa9")]
            symbols |= {0xC3, 0xA9}
        pairs += rng.sample(pairs, len(pairs) // 4)
        known = {bytes([each]) for each in symbols} | {"é".encode()}
        vocab = {*known, *map(str.encode, tokens), *map(b"".join, pairs)}
        ranks = {b"".join(pair): rng.randrange(8) for pair in pairs}
        order = {pair: place for place, pair in enumerate(pairs)}
        of_text = {pair: ranks.get(b"".join(pair)) for pair in product(vocab, vocab)}
        for merges, rank in ((pairs, order), (ranks, of_text)):
            found = live_pairs(vocab, merges, known, cut)
            for text in vocab - known:
                assert found.get(text, ())[1:] == last_merge(rank, [*cut(text)]), (seed, text)


def last_merge(
    ranks: Mapping[tuple[bytes, bytes], int | None], parts: list[bytes]
) -> tuple[bytes, ...]:
    """The two parts that are left before a text is one, if merges make it so."""
    while True:
        known = ((ranks.get(pair), k) for k, pair in enumerate(pairwise(parts)))
        found = [(rank, k) for rank, k in known if rank is not None]
        if not found or len(parts) == 2:
            return tuple(parts) if found else ()
        k = min(found)[1]
        parts[k : k + 2] = [parts[k] + parts[k + 1]]


def trained_merges(rng: random.Random, text: str, n: int) -> list[tuple[bytes, bytes]]:
    """Merges of neighbours in a text, of which some change places."""
    tokens = [bytes([byte]) for byte in text.encode()]
    merges: list[tuple[bytes, bytes]] = []
    made = set(tokens)
    while len(merges) < n and len(tokens) > 1:
        at = rng.randrange(len(tokens) - 1)
        left, right = tokens[at : at + 2]
        dull = left[-1] < 128 and rng.random() < 0.3
        if dull or left + right in made or len(left + right) > 12:
            tokens[at : at + 1] = []
            continue
        merges.append((left, right))
        made.add(left + right)
        rest, tokens = tokens, []
        while rest:
            pair = rest[:2] == [left, right]
            tokens.append(left + right if pair else rest[0])
            rest = rest[1 + pair :]
    for k in range(len(merges)):
        other = min(len(merges) - 1, k + rng.choice([0, 0, 0, 0, 0, 1, 3]))
        merges[k], merges[other] = merges[other], merges[k]
    return merges


@pytest.mark.parametrize("letters", ["कखी ", "ab éàд ", "කඛ්කර ", "日本e語界 ", "аб кaé"])
def test_characters_of_several_bytes(letters: str) -> None:
    """Merges within characters, across their borders, and of several of them, in any order."""
    early = 0
    for seed in range(25):
        rng = random.Random(seed)
        text = "".join(rng.choices(letters, k=rng.choice([60, 400])))
        merges = trained_merges(rng, text, rng.choice([4, 12, 30, 80]))
        vocab = dict(BYTES)
        for left, right in merges:
            vocab[left + right] = len(vocab)
        early += sum(letter.encode() in vocab for letter in letters)
        shown = {"".join(ALPHABET[b] for b in text): number for text, number in vocab.items()}
        pairs = [
            ("".join(ALPHABET[b] for b in x), "".join(ALPHABET[b] for b in y)) for x, y in merges
        ]
        engine = Tokenizer(models.BPE(shown, pairs))
        engine.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        native, reference = backends(bpe_model(vocab, merges))
        for text in texts(rng, letters):
            expected = engine.encode(text).ids
            assert native.encode_unadded(text.encode()) == expected, (seed, text)
            data = bytearray(text.encode())
            del data[rng.randrange(len(data))]  # which breaks a character, or takes one
            expected = reference.encode_unadded(bytes(data[:200]))
            assert native.encode_unadded(bytes(data[:200])) == expected, (seed, data)
    assert early > 50


@pytest.mark.parametrize("whole", [False, True])
def test_merges_over_bytes(whole: bool) -> None:
    later = unmade = 0
    for seed in range(15):
        rng = random.Random(seed)
        letters = "abcd"[: rng.randrange(1, 5)]
        tokens, merges = random_merges(rng, letters, rng.randrange(40))
        ids = rng.sample(range(400), len(tokens))
        spelled = {ALPHABET[byte]: 1000 + byte for byte in range(256)}
        spelled |= dict(zip(tokens, ids, strict=True))
        engine = Tokenizer(models.BPE(spelled, merges, ignore_merges=whole))
        engine.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        vocab = {text: 1000 + byte for text, byte in BYTES.items()}
        vocab |= {text.encode(): number for text, number in zip(tokens, ids, strict=True)}
        model = bpe_model(vocab, as_bytes(merges), whole=whole)
        later += model.parts_later
        unmade += len(model.unmade)
        for backend in backends(model):
            for text in [*texts(rng, letters), *tokens]:
                assert backend.encode(text.encode(), None, False) == engine.encode(text).ids, seed
            for token, number in vocab.items():
                assert backend.token_bytes(number) == token
                assert backend.token_id(token) == number
    assert later > 5
    assert unmade > 30


def test_bytes_that_are_no_tokens() -> None:
    """Each is one unknown token, as in tokenizers without `fuse_unk`."""
    for seed in range(10):
        rng = random.Random(seed)
        tokens, merges = random_merges(rng, "abc", rng.randrange(30))
        ids = {text: number for number, text in enumerate(["<unk>", *tokens])}
        engine = Tokenizer(models.BPE(ids, merges, unk_token="<unk>"))
        engine.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        vocab = {text.encode(): ids[text] for text in tokens}
        model = bpe_model(vocab, as_bytes(merges), unk_id=0)
        for backend in backends(model, (Added("<unk>", 0),)):
            for text in texts(rng, "abc xක"):
                assert backend.encode(text.encode(), None, False) == engine.encode(text).ids, seed
        with pytest.raises(ArtifactError, match=r"3 of the 256 bytes are tokens; all must be"):
            bpe_model(vocab, as_bytes(merges))


def test_ranks_over_bytes() -> None:
    """A rank for each text, whatever it is made of; unmade tokens are found as whole pieces."""
    later = unmade = 0
    for seed in range(15):
        rng = random.Random(seed)
        letters = "abcd"[: rng.randrange(1, 5)]
        tokens, _ = random_merges(rng, letters, rng.randrange(40))
        longer = [text.encode() for text in tokens if len(text) > 1]
        rng.shuffle(longer)
        ranks = BYTES | {text: 256 + k for k, text in enumerate(longer)}
        engine = tiktoken.Encoding(
            "test", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={}
        )
        model = bpe_model(ranks, ranks, whole=True)
        later += model.parts_later
        unmade += len(model.unmade)
        for backend in backends(model):
            for text in [*texts(rng, letters), *tokens]:
                assert backend.encode(text.encode(), None, False) == engine.encode(text), seed
    assert later > 5
    assert unmade > 30


def test_texts_of_one_hash() -> None:
    """Long texts with the same slot of the core's table (vocabulary.h) are told apart."""
    rng = random.Random(1)

    def step(state: int, word: int) -> int:
        state = (state ^ word) * 0x9E3779B97F4A7C15 % 2**64
        return state ^ state >> 29

    words = [rng.randrange(2**64) for _ in range(12)]
    one_hash = [word.to_bytes(8, "little") + step(0, word).to_bytes(8, "little") for word in words]
    *tokens, other = one_hash
    ranks = BYTES | {text: 256 + k for k, text in enumerate(tokens)}
    for backend in backends(bpe_model(ranks, ranks, whole=True)):
        for k, text in enumerate(tokens):
            assert backend.encode(text, None, False) == [256 + k]
        assert backend.encode(other, None, False) == [*other]


def field(number: int, value: bytes | int) -> bytes:
    """A field of a protobuf message."""
    if isinstance(value, int):
        return bytes(
            [number << 3 & 127 | 128 * (number > 15), *[number >> 4] * (number > 15), value]
        )
    assert len(value) < 1 << 14
    size = [len(value) & 127 | 128, len(value) >> 7] if len(value) > 127 else [len(value)]
    return bytes([number << 3 | 2, *size]) + value


def sentencepiece_model(scores: Mapping[str, float], kinds: Mapping[str, int]) -> bytes:
    """A BPE model of SentencePiece, which leaves texts as they are."""
    pieces = b"".join(
        field(
            1,
            field(1, text.encode())
            + b"\x15"
            + struct.pack("<f", score)
            + field(3, kinds.get(text, 1)),
        )
        for text, score in scores.items()
    )
    bytes_too = 6 in kinds.values()
    trainer = field(3, 2) + field(35, int(bytes_too))
    normalizer = field(1, b"identity") + field(3, 0) + field(4, 0) + field(5, 0)
    return pieces + field(2, trainer) + field(3, normalizer)


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_scores_over_characters(byte_fallback: bool) -> None:
    """Texts of equal score merge from the left; what is unknown is one token, or bytes."""
    ties = later = 0
    for seed in range(15):
        rng = random.Random(seed)
        letters = "abcක"[: rng.randrange(1, 5)]
        tokens, _ = random_merges(rng, letters, rng.randrange(30))
        scores = {"<unk>": 0.0} | {text: float(-rng.randrange(1, 9)) for text in tokens}
        kinds = {"<unk>": 2}
        if byte_fallback:
            names = [f"<0x{byte:02X}>" for byte in range(256)]
            scores |= dict.fromkeys(names, 0.0)
            kinds |= dict.fromkeys(names, 6)
        engine = SentencePieceProcessor(model_proto=sentencepiece_model(scores, kinds))
        ids = {text: number for number, text in enumerate(scores)}
        model = bpe_model(
            {text.encode(): ids[text] for text in tokens},
            {text.encode(): -scores[text] for text in tokens},
            units=True,
            unk_id=None if byte_fallback else 0,
            fuse=True,
            byte_ids=[ids[name] for name in names] if byte_fallback else (),
        )
        later += model.parts_later
        ties += len(model.ties)
        for backend in backends(model, (Added("<unk>", 0),)):
            for text in [*texts(rng, letters + "xé"), *texts(rng, letters)]:
                assert backend.encode(text.encode(), None, False) == engine.encode(text), seed
    assert later > 5
    assert ties > 60


@pytest.mark.parametrize("whole", [False, True])
def test_merges_over_characters(whole: bool) -> None:
    """Unknown characters, some of whose bytes have no token: in the order of tokenizers."""
    for seed in range(15):
        rng = random.Random(seed)
        letters = "abcක"[: rng.randrange(1, 5)]
        tokens, merges = random_merges(rng, letters, rng.randrange(30))
        known = [byte for byte in range(256) if rng.randrange(8)]
        names = {f"<0x{byte:02X}>": 1000 + byte for byte in known}
        fuse = bool(rng.randrange(2))
        ids = {text: number for number, text in enumerate(["<unk>", *tokens])}
        engine = Tokenizer(
            models.BPE(
                ids | names,
                merges,
                unk_token="<unk>",
                fuse_unk=fuse,
                byte_fallback=bool(known),
                ignore_merges=whole,
            )
        )
        model = bpe_model(
            {text.encode(): ids[text] for text in tokens},
            as_bytes(merges),
            units=True,
            whole=whole,
            unk_id=0,
            fuse=fuse,
            byte_ids=[1000 + byte if byte in known else None for byte in range(256)],
        )
        for backend in backends(model, (Added("<unk>", 0),)):
            for text in [*texts(rng, letters + "xéන"), *texts(rng, letters), *tokens]:
                assert backend.encode(text.encode(), None, False) == engine.encode(text).ids, seed


@pytest.mark.slow
@pytest.mark.parametrize("byte_fallback", [False, True])
def test_cuts_change_no_token(byte_fallback: bool) -> None:
    most = 0
    for seed in range(15):
        rng = random.Random(seed)
        letters = "ab▁。"
        tokens, merges = random_merges(rng, letters, rng.randrange(15))
        byte_ids = [1000 + byte if rng.randrange(8) else None for byte in range(256)]
        model = bpe_model(
            {text.encode(): number for number, text in enumerate(tokens, 1)},
            as_bytes(merges),
            units=True,
            unk_id=0,
            fuse=bool(rng.randrange(2)),
            byte_ids=byte_ids if byte_fallback else (),
        )
        added = (Added("<unk>", 0),)
        whole, _ = backends(model, added)
        native, reference = backends(model, added, safe_cuts(model))
        for text in texts(rng, letters + "xé"):
            data = text.encode()
            ids = whole.encode(data, None, False)
            assert native.encode(data, None, False) == ids, seed
            assert reference.encode(data, None, False) == ids, seed
            assert native.spans(data) == reference.spans(data)
            head, read, place = native.encode_part(data, True, 0, None, False, "list")
            tail, _, _ = native.encode_part(data[read:], False, place, None, False, "list")
            assert isinstance(head, list)
            assert isinstance(tail, list)
            assert head + tail == ids
            most = max(most, read)
    assert most > 1000


def test_nothing_to_cut() -> None:
    model = bpe_model({b"a": 1}, [], units=True, unk_id=0)
    assert safe_cuts(model) is None
    mark = "▁".encode()
    vocab = {mark: 1, b"a": 2, b"a" + mark: 3, mark * 2: 4}
    assert safe_cuts(bpe_model(vocab, [(b"a", mark), (mark, mark)], units=True, unk_id=0)) is None
    assert safe_cuts(bpe_model(vocab, [], units=True, whole=True, unk_id=0)) is None
    assert safe_cuts(bpe_model(vocab, [], units=True, unk_id=0)) is not None


def test_what_is_refused() -> None:
    two = {b"a": 0, b"b": 1}
    with pytest.raises(ArtifactError, match=r"b'a' and b'b' have the id 3"):
        bpe_model({b"a": 3, b"b": 3}, [], units=True, unk_id=9)
    with pytest.raises(ArtifactError, match=r"the merge .* needs the token b'ab', which is not"):
        bpe_model(two, [(b"a", b"b")], units=True, unk_id=9)
    with pytest.raises(ArtifactError, match=r"b'ab' has a rank and is no token"):
        bpe_model(two, {b"ab": 1}, units=True, unk_id=9)
    with pytest.raises(ArtifactError, match=r"a token of 1025 bytes; 1 to 1024 are possible"):
        bpe_model({**two, b"a" * 1025: 2}, [], units=True, unk_id=9)
    with pytest.raises(ArtifactError, match=r"b'b' has the id -1; 0 to 2097150 are possible"):
        bpe_model({b"a": 0, b"b": -1}, [], units=True, unk_id=9)
    with pytest.raises(ArtifactError, match=r"b'ab' and b'ba' have one rank"):
        bpe_model({**BYTES, b"ab": 256, b"ba": 257}, {b"ab": 1, b"ba": 1})
