"""Files of other libraries than Hugging Face's: the ids of the engines that read them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
import tiktoken
from exhaustive import chosen, examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import rank_file, tiktoken_encoding

from wwho.errors import SourceError, WwhoError
from wwho.format.write import write_artifact
from wwho.importers import Imported, Options, Source, import_source
from wwho.importers.published import PUBLISHED
from wwho.interchange.charsmap import read_charsmap
from wwho.interchange.protobuf import fields
from wwho.interchange.sentencepiece import Algorithm, Kind, parse_model
from wwho.tokenizer import Tokenizer

SINGLES = [bytes([byte]) for byte in range(256)]
HARD = (
    *("", " ", "  a  b ", "Hello, WORLD's it'S 1234567", "\r\n\t x\n\n y \v\x85", "a\0b"),
    *("ñandú ﬁ Å Å ½ ㍿", "ඔයා अद्भुत 你好 สวัสดี", "\u2581a\u3000b\u00a0c", "👩\u200d👩 \ufeff\ufffd"),
)


def imported(data: bytes, name: str = "file", **told: Any) -> Imported:
    """A file that lies in memory."""
    return import_source(Source(name, data), Options(**told))


def opened(found: Imported) -> Tokenizer:
    return Tokenizer.from_bytes(write_artifact(found.artifact))


# tiktoken's rank files


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base"])
def test_published_rank_files_are_known(name: str) -> None:
    data = rank_file(name)
    assert PUBLISHED[hashlib.sha256(data).hexdigest()].name == name
    found = imported(data)
    theirs = tiktoken_encoding(name)
    enc = opened(found)
    assert (enc.n_vocab, enc.info.specials) == (theirs.n_vocab, theirs._special_tokens)
    assert [enc.encode(text) for text in HARD] == [theirs.encode_ordinary(text) for text in HARD]
    assert found.notes == (f"the file is {name}, whose pattern and special tokens are known",)


def test_special_tokens_of_published_files() -> None:
    known = {each.name: each.specials for each in PUBLISHED.values()}
    assert known["llama3"]["<|eot_id|>"] == 128009
    assert (len(known["llama3"]), len(known["llama4"]), len(known["qwen"])) == (256, 2048, 208)
    assert known["llama4"]["<|image|>"] == 200090
    assert known["whisper_multilingual"]["<|30.00|>"] == 51864


RANKS = b"".join(
    base64.b64encode(token) + b" %d\n" % rank
    for rank, token in enumerate([*SINGLES, b"th", b"the"])
)


def test_a_rank_file_of_ones_own() -> None:
    with pytest.raises(SourceError, match=r"^file: .*names no pretokenizer.*--pattern.*o200k_base"):
        imported(RANKS)
    found = imported(RANKS + b"= 258\n", pattern="r50k_base", specials={"<x>": 300})
    assert opened(found).encode("the <x>", allowed_special={"<x>"}) == [257, 32, 300]
    assert found.notes == ("the token 258 has no bytes; no text has it, and it is left out",)


def test_special_tokens_of_a_configuration_beside_ranks(tmp_path: Path) -> None:
    (tmp_path / "tiktoken.model").write_bytes(RANKS)
    config: dict[str, Any] = {"added_tokens_decoder": {"258": {"content": "[BOS]"}}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    found = import_source(Source(tmp_path / "tiktoken.model"), Options(pattern="qwen"))
    assert opened(found).info.specials == {"[BOS]": 258}
    config["added_tokens_decoder"]["259"] = {"text": "x"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(SourceError, match='added token "259"') as caught:
        import_source(Source(tmp_path / "tiktoken.model"), Options(pattern="qwen"))
    assert caught.value.pointer == "/added_tokens_decoder/259"


# tiktoken for JavaScript


def js_ranks(**changes: Any) -> dict[str, Any]:
    """Return the document of `RANKS`, in two runs of ranks."""
    tokens = [base64.b64encode(token).decode() for token in (*SINGLES, b"th", b"the")]
    lines = [" ".join(["!", "0", *tokens[:200]]), " ".join(["!", "200", *tokens[200:]])]
    return {
        "pat_str": r" ?\p{L}+|\s+|[^\s\p{L}]",
        "special_tokens": {"<|end|>": 258},
        "bpe_ranks": "\n".join(lines),
        **changes,
    }


def test_tiktoken_for_javascript() -> None:
    document = js_ranks(explicit_n_vocab=259)
    theirs = tiktoken.Encoding(
        name="x",
        pat_str=document["pat_str"],
        mergeable_ranks={token: k for k, token in enumerate((*SINGLES, b"th", b"the"))},
        special_tokens=document["special_tokens"],
    )
    ours = opened(imported(spelled(document)))
    for text in (*HARD, "the <|end|> the"):
        assert ours.encode(text, allowed_special="all") == theirs.encode(
            text, allowed_special="all"
        )


@pytest.mark.parametrize(
    ("changes", "pointer", "message"),
    [
        ({"explicit_n_vocab": 258}, "/explicit_n_vocab", "258; there are 258 ranks and 1"),
        ({"special_tokens": {"<x>": "1"}}, "/special_tokens", 'found "1" for "<x>"'),
        ({"special_tokens": None}, "/special_tokens", "found null, expected dict"),
        ({"bpe_ranks": "! 0 YQ== YQ=="}, "/bpe_ranks", "twice"),
        ({"bpe_ranks": "! 0 YQ==\n! 0 Yg=="}, "/bpe_ranks", "twice"),
        ({"bpe_ranks": "! x YQ=="}, "/bpe_ranks", "in line 1, expected a sign and a rank"),
        ({"extra": 1}, "/extra", "which is not known"),
    ],
)
def test_malformed_tiktoken_for_javascript(changes: Any, pointer: str, message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        imported(spelled(js_ranks(**changes)))
    assert caught.value.pointer == pointer


# CLIP's merges


def test_merges_of_clip(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    merges = ["t h", "th e</w>", "h e", "Ã ©</w>", "l o", "lo w</w>", "! !</w>"]
    text = '"bpe_simple_vocab_16e6.txt#version: 0.2\n' + "\n".join(merges) + "\n"
    found = imported(gzip.compress(text.encode()), "bpe_simple_vocab_16e6.txt.gz")
    assert "mends a text with ftfy" in found.notes[-1]
    ours = opened(found)
    # As CLIP's own code numbers tokens: the letters of bytes in this order, and with </w>.
    order = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in order]
    letters += [chr(256 + number) for number in range(256 - len(order))]
    tokens = [*letters, *(f"{each}</w>" for each in letters)]
    tokens += [merge.replace(" ", "") for merge in merges]
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    vocab = {token: number for number, token in enumerate(tokens)}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab), "utf-8")
    (tmp_path / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges), "utf-8")
    theirs = transformers.CLIPTokenizer.from_pretrained(tmp_path)
    for text in (*HARD, "THE low café!!", "the  <|endoftext|> é"):
        ids = ours.encode(text, allowed_special="all", add_special_tokens=True)
        assert ids == theirs(text)["input_ids"]


def test_damaged_merges_of_clip() -> None:
    text = b'"bpe_simple_vocab_16e6.txt#version: 0.2\n' + b"t h\nh e\n" * 99
    whole = gzip.compress(text)
    with pytest.raises(SourceError, match=r"damaged: .*; fetch the file again"):
        imported(whole[:-9])
    with pytest.raises(SourceError, match="expected two tokens and a space"):
        imported(gzip.compress(text + b"three of them\n"))
    with pytest.raises(SourceError, match="unpack it first"):
        imported(gzip.compress(b"a text"))


# Tekken


def tekken(**config: Any) -> dict[str, Any]:
    tokens = [*SINGLES, b"th", b"the", b" the", b"not used"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(tokens)
    ]
    known = {
        "pattern": r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "num_vocab_tokens": 260,
        "default_vocab_size": 289,
        "default_num_special_tokens": 30,
        "version": "v3",
    }
    return {"config": known | config, "vocab": vocab}


def spelled(document: object) -> bytes:
    return json.dumps(document).encode()


def test_tekken() -> None:
    document = tekken()
    found = imported(spelled(document))
    enc = opened(found)
    theirs = tiktoken.Encoding(
        name="tekken",
        pat_str=document["config"]["pattern"],
        mergeable_ranks={
            token: rank for rank, token in enumerate([*SINGLES, b"th", b"the", b" the"])
        },
        special_tokens={},
    )
    for text in (*HARD, "the the not used", "<s>[INST]"):
        assert enc.encode(text) == [token + 30 for token in theirs.encode_ordinary(text)]
    assert enc.info.specials["</s>"] == 2
    assert enc.info.specials["<SPECIAL_29>"] == 29
    assert enc.n_vocab == 289
    assert found.notes == ("of 260 ranks the first 259 are used, as it says",)


@pytest.mark.parametrize(
    ("change", "pointer", "message"),
    [
        (lambda d: d["config"].pop("pattern"), "/config/pattern", "found null, expected str"),
        (lambda d: d["config"].update(version="v8"), "/config/version", "'v8'; known are v1, v2"),
        (lambda d: d["config"].update(version="v11"), "/special_tokens", "after v7 must have"),
        (lambda d: d["config"].update(default_vocab_size=999), "/config/default_vocab_size", "969"),
        (lambda d: d["vocab"][9].update(rank=8), "/vocab/9", "expected an object with the rank 9"),
        (lambda d: d["vocab"][9].update(token_bytes="*"), "/vocab/9", "no base64"),
        (lambda d: d["vocab"][9].update(token_bytes="QQ=="), "/vocab/9", "the first 256 are"),
        (lambda d: d["vocab"][258].update(token_bytes="dGg="), "/vocab", "comes twice"),
        (
            lambda d: d.update(special_tokens=[{"rank": 0, "token_str": "<SPECIAL_7>"}]),
            "/special_tokens",
            "comes twice",
        ),
    ],
)
def test_malformed_tekken(change: Callable[[Any], Any], pointer: str, message: str) -> None:
    document = tekken()
    change(document)
    with pytest.raises(SourceError, match=message) as caught:
        imported(spelled(document))
    assert caught.value.pointer == pointer


@pytest.mark.parametrize("version", ["v7", "v11", "v13", "v15"])
def test_tekken_that_lists_its_special_tokens(version: str) -> None:
    listed = [{"rank": 0, "token_str": "<unk>"}, {"rank": 1, "token_str": "[THINK]"}]
    document = tekken(version=version) | {"special_tokens": listed}
    enc = opened(imported(spelled(document)))
    assert enc.encode("the[THINK]", allowed_special="all")[-1] == 1
    assert enc.info.specials["<SPECIAL_29>"] == 29
    assert enc.decode([0, 1]) == "<unk>[THINK]"


TEKKENS = ("tekken_240718.json", "tekken_240911.json")


@pytest.fixture(scope="session")
def mistral_common() -> Path:
    """The data of mistral-common, whose code needs much else; skips where it cannot be fetched."""
    folder = Path(__file__).resolve().parents[1] / "node_modules" / ".mistral-common-1.13.1"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as place:
            names = ["--no-deps", "mistral-common==1.13.1", "-d", place]
            command = [sys.executable, "-m", "pip", "download", *names]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"needs the wheel of mistral-common: {done.stderr[-200:]}")
            folder.mkdir(parents=True)
            with zipfile.ZipFile(next(Path(place).iterdir())) as wheel:
                for name in wheel.namelist():
                    if "/data/" in name and not name.endswith(("/", ".py")):
                        (folder / Path(name).name).write_bytes(wheel.read(name))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", chosen(TEKKENS, TEKKENS[-1]))
def test_tekken_of_mistral_common(mistral_common: Path, name: str) -> None:
    """Its code gives the file's ranks and pattern to tiktoken, and adds the number of specials."""
    document = json.loads((mistral_common / name).read_bytes())
    config = document["config"]
    specials = config["default_num_special_tokens"]
    used = document["vocab"][: config["default_vocab_size"] - specials]
    theirs = tiktoken.Encoding(
        name="tekken",
        pat_str=config["pattern"],
        mergeable_ranks={base64.b64decode(each["token_bytes"]): each["rank"] for each in used},
        special_tokens={},
    )
    enc = opened(imported((mistral_common / name).read_bytes(), name))
    assert enc.n_vocab == config["default_vocab_size"]
    for text in HARD:
        assert enc.encode(text) == [token + specials for token in theirs.encode_ordinary(text)]


# RWKV


RWKV = (
    b"".join(b"%d %r 1\n" % (byte + 1, bytes([byte])) for byte in range(256))
    + ("257 'ab' 2\n258 \"abc'\" 4\n259 'é' 2\n260 b'\\xe0\\xb6' 2\n300 'bcd' 3\n").encode()
)


@given(text=st.text("abcdé'ගx", max_size=30))
def test_rwkv(text: str) -> None:
    tokens = {b"ab": 257, b"abc'": 258, "é".encode(): 259, b"\xe0\xb6": 260, b"bcd": 300}
    tokens |= {byte: number + 1 for number, byte in enumerate(SINGLES)}
    expected, rest = [], text.encode()
    while rest:
        best = max((each for each in tokens if rest.startswith(each)), key=len)
        expected.append(tokens[best])
        rest = rest[len(best) :]
    enc = opened(imported(RWKV))
    assert enc.encode(text) == expected
    assert enc.decode(expected) == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1 'a' 2\n", "line 1: b'a' has 1 bytes, not 2"),
        (b"1 'a' 1\n2 'a' 1\n", "line 2: b'a' or the id 2 comes twice"),
        (b"1 'a' 1\n1 'b' 1\n", "line 2: b'b' or the id 1 comes twice"),
        (b"1 'a' 1\n2 print('b') 1\n", "line 2: expected a number, a quoted text"),
        (b"1 'a' 1\n2 '\\x' 1\n", "line 2: .* is no literal"),
        (b"1 'a' 1\n", "255 bytes are no tokens, the first b'.x00'"),
    ],
)
def test_malformed_rwkv(data: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        imported(data)


# SentencePiece's `.model`


SHORT = {
    **{char: unicodedata.normalize("NFKC", char) for char in "½ﬁ㍿Ａ\u3000\u00a0…"},
    **{"A\u0301": "Á", "Ａ\u0301": "Á", "n\u0303": "ñ", "\x7f": "", "\u0001": ""},
    **dict.fromkeys("\t\n\r\u200b\ufeff", " "),
}
"""Rules as nmt_nfkc has them, to spaces, to nothing and of several characters: few, not 225,000."""


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The option of SentencePiece's trainer for these rules."""
    path = tmp_path_factory.mktemp("rules") / "short.tsv"
    sides = ([" ".join(f"{ord(c):X}" for c in side) for side in rule] for rule in SHORT.items())
    path.write_text("".join("\t".join(rule) + "\n" for rule in sides), "ascii")
    return {"normalization_rule_tsv": str(path)}


def trained(**options: Any) -> bytes:
    """A small model."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat", "a hat, that cat: अब ½ é"] * 20),
        model_writer=out,
        minloglevel=2,
        hard_vocab_limit=False,
        **{"vocab_size": 60, **options},
    )
    return out.getvalue()


@pytest.mark.parametrize("kind", ["unigram", "bpe", "word", "char"])
def test_a_model_as_sentencepiece_reads_it(kind: str) -> None:
    data = trained(
        model_type=kind,
        byte_fallback=kind in ("unigram", "bpe"),
        vocab_size=330,
        user_defined_symbols=["<sep>", "é"],
        control_symbols=["<ctl>"],
        add_dummy_prefix=kind == "bpe",
        unk_surface="?",
        treat_whitespace_as_suffix=kind == "unigram",
    )
    model = parse_model(data)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    ids = range(theirs.get_piece_size())
    assert [each.text.decode() for each in model.pieces] == [theirs.id_to_piece(k) for k in ids]
    assert [each.score for each in model.pieces] == [theirs.get_score(k) for k in ids]
    assert model.of_kind(Kind.BYTE) == [k for k in ids if theirs.is_byte(k)]
    assert model.of_kind(Kind.CONTROL) == [k for k in ids if theirs.is_control(k)]
    assert model.unk_id == theirs.unk_id()
    assert model.algorithm == Algorithm[kind.upper()]
    assert (model.unk_surface, model.add_dummy_prefix) == ("?", kind == "bpe")
    assert (model.byte_fallback, model.suffix) == (kind in ("unigram", "bpe"), kind == "unigram")
    defined = {model.pieces[number].text for number in model.of_kind(Kind.USER_DEFINED)}
    assert {b"<sep>", "é".encode()} <= defined


def test_a_required_character_that_was_never_seen() -> None:
    """Its score is minus infinity, and a CHAR model uses none."""
    data = trained(model_type="char", required_chars="ß")
    ours = opened(import_source(Source("char.model", data)))
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert ours.encode("ß the cat") == theirs.encode("ß the cat")


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc", "nmt_nfkc_cf"])
def test_every_rule_of_a_charsmap(rule: str) -> None:
    data = trained(normalization_rule_name=rule, add_dummy_prefix=False)
    rules = parse_model(data).charsmap.rules
    theirs = sentencepiece.SentencePieceNormalizer(
        rule_name=rule,
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
    )
    assert len(rules) > 200_000
    for key, text in list(rules.items())[::37]:
        assert theirs.normalize(key) == text


def test_a_charsmap_without_texts() -> None:
    assert read_charsmap(struct.pack("<I256I", 1024, *[0] * 256)).rules == {}


def test_a_charsmap_that_lies() -> None:
    for blob, message in [
        (b"\1", "it has 1 bytes"),
        (struct.pack("<5I", 400, 0, 0, 0, 0), "its array has 400 bytes of 16"),
        (struct.pack("<2I", 3, 0), "its array has 3 bytes of 4"),
        (struct.pack("<I", 0), "its array has 0 bytes of 0"),
    ]:
        with pytest.raises(SourceError, match=f"precompiled_charsmap: {message}"):
            read_charsmap(blob)
    loop = [0] * 256
    loop[0x61] = 0x61 | 0x61 << 10  # the child of "a" has its own children where the root has its
    with pytest.raises(SourceError, match="or its array has a cycle"):
        read_charsmap(struct.pack("<I256I", 1024, *loop))
    outside = [0] * 256
    outside[0x61] = 0x61 | 1 << 8 | 0x1000 << 10
    with pytest.raises(SourceError, match="the value of b'a' is outside its array"):
        read_charsmap(struct.pack("<I256I", 1024, *outside))
    ended = [0] * 256
    ended[0x61], ended[0x80] = 0x61 | 1 << 8 | 0xE1 << 10, 5 | 1 << 31
    with pytest.raises(SourceError, match="the replacement of b'a' is at"):
        read_charsmap(struct.pack("<I256I", 1024, *ended) + b"xxxx")


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(*parts: tuple[int, bytes | int | float]) -> bytes:
    """A protocol buffer."""
    out = b""
    for number, value in parts:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 5) + struct.pack("<f", value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


UNK = (1, message((1, b"<unk>"), (2, 0.0), (3, 2)))
A = (1, message((1, b"a"), (2, -1.0)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (message(UNK, A, A), "piece 1, b'a', comes twice"),
        (message(UNK, UNK), "piece 0, b'<unk>', comes twice"),
        (message(UNK, (1, message((1, b"b"), (3, 2)))), "2 pieces are of the type unknown"),
        (message(A), "0 pieces are of the type unknown"),
        (message(UNK, (1, message((1, b"")))), "piece 1 is empty"),
        (message(UNK, (1, message((1, b"\xff")))), "piece 1, .*, is not UTF-8"),
        (message(UNK, (1, message((1, b"b"), (2, float("nan"))))), "the score nan"),
        (message(UNK, (1, message((1, b"b"), (3, 9)))), "has the type 9; 1 to 6 are known"),
        (message(UNK, (1, message((1, b"<0x41>"), (3, 6)))), "but byte_fallback is off"),
        (message(UNK, (2, message((35, 1)))), "0 of 256 bytes are pieces"),
        (message(UNK, A, (2, message((3, 7)))), "model_type is 7"),
        (message(UNK, A, (5, message((2, b"x")))), "denormalizer_spec has rules"),
        (message(UNK, A) + b"\x0a\xff\x7f", "has 16383 bytes, 0 are left; the file is cut off"),
        (message(UNK, A) + b"\x0b", "of the unknown kind 3"),
        (message(UNK, A) + b"\xff" * 11, "has no end"),
        (b"\n\2" + b"\n\0", "piece 0 is empty"),
    ],
)
def test_malformed_models(data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        parse_model(data)


def test_a_surface_that_would_become_a_space() -> None:
    with pytest.raises(SourceError, match="unk_surface is"):
        imported(message(UNK, A, (2, message((44, "\u2581".encode())))))


# llama2.c's tokenizer.bin


def llama2_c(pieces: list[tuple[bytes, float]]) -> bytes:
    longest = max(len(text) for text, _ in pieces)
    return struct.pack("<i", longest) + b"".join(
        struct.pack("<fi", score, len(text)) + text for text, score in pieces
    )


def exported(data: bytes) -> list[tuple[bytes, float]]:
    """The pieces of a SentencePiece model as llama2.c's tokenizer.py writes them."""
    return [
        (piece.text.decode().replace("\u2581", " ").encode(), piece.score)
        for piece in parse_model(data).pieces
    ]


def encoded_by_llama2_c(pieces: list[tuple[bytes, float]], text: str) -> list[int]:
    """What its run.c does."""
    ids = {text: number for number, (text, _) in enumerate(pieces)}
    text = text.partition("\0")[0]
    tokens = [ids[b" "]] if text else []
    for char in text:
        known = ids.get(char.encode())
        tokens += [byte + 3 for byte in char.encode()] if known is None else [known]
    while True:
        best, found = -1e10, None
        for place, (left, right) in enumerate(pairwise(tokens)):
            token = ids.get(pieces[left][0] + pieces[right][0])
            if token is not None and pieces[token][1] > best:
                best, found = pieces[token][1], (place, token)
        if found is None:
            return tokens
        tokens[found[0] : found[0] + 2] = [found[1]]


def test_llama2_c() -> None:
    pieces = exported(trained(model_type="bpe", byte_fallback=True, vocab_size=340))
    found = imported(llama2_c(pieces), "tokenizer.bin")
    enc = opened(found)
    assert found.notes == ("as in llama2.c, a text ends at U+0000",)
    for text in (*HARD, "the cat sat on that", "<0x41><s>", "é\0a"):
        ids = encoded_by_llama2_c(pieces, text)
        assert enc.encode(text) == ids
        assert enc.decode(ids) == text.partition("\0")[0]
    template = found.artifact.template
    assert template is not None
    assert template.ids([5]) == [1, 5]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p.append((b"a" * 40, -1.0)), None),
        (lambda p: p.append((b" ", -1.0)), "the pieces .* and 3.* are both b' '"),
        (lambda p: p.append((b"zz", float("nan"))), "piece 3.* at byte .*: found the score nan"),
        (lambda p: p.pop(9), "piece 9 is not <0x06>, as expected"),
        (lambda p: p.remove(next(e for e in p if e[0] == b" ")), "there is no piece of a space"),
    ],
)
def test_malformed_llama2_c(change: Callable[[Any], Any], said: str | None) -> None:
    pieces = exported(trained(model_type="bpe", byte_fallback=True, vocab_size=340))
    change(pieces)
    if said is None:
        assert imported(llama2_c(pieces)).artifact
        cut = llama2_c(pieces)[:-7]
        with pytest.raises(SourceError, match=r"found a size of 40; .* 33 are left"):
            imported(cut)
    else:
        with pytest.raises(SourceError, match=said):
            imported(llama2_c(pieces))


# Damage


SEEDS: dict[str, Callable[[], bytes]] = {
    "ranks": lambda: RANKS,
    "tekken": lambda: spelled(tekken()),
    "rwkv": lambda: RWKV,
}


@pytest.mark.parametrize("kind", SEEDS)
@examples(60)
@given(data=st.data())
def test_damage_ends_in_an_error_or_a_model(kind: str, data: st.DataObject) -> None:
    """Cut off, or with bytes changed: no other exception, and soon."""
    blob = bytearray(SEEDS[kind]())
    blob = blob[: data.draw(st.integers(0, len(blob)))] if data.draw(st.booleans()) else blob
    for _ in range(data.draw(st.integers(0, 3))):
        if blob:
            blob[data.draw(st.integers(0, len(blob) - 1))] = data.draw(st.integers(0, 255))
    with suppress(WwhoError):
        found = imported(bytes(blob), pattern="r50k_base" if kind == "ranks" else None)
        assert write_artifact(found.artifact)


@examples(150)
@given(data=st.data())
def test_damaged_models_of_sentencepiece(data: st.DataObject) -> None:
    blob = bytearray(message(UNK, A, (2, message((3, 2), (24, 1))), (3, message((2, b""), (3, 0)))))
    blob = blob[: data.draw(st.integers(0, len(blob)))]
    for _ in range(data.draw(st.integers(0, 3))):
        if blob:
            blob[data.draw(st.integers(0, len(blob) - 1))] = data.draw(st.integers(0, 255))
    with suppress(SourceError):
        parse_model(bytes(blob))


def test_fields_of_a_message() -> None:
    assert list(fields(message((1, 300), (2, b"x")), "it")) == [(1, 0, 300), (2, 2, b"x")]


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char", "word"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"byte_fallback": True, "vocab_size": 330},
        {"user_defined_symbols": ["<sep>", "that", "é"], "control_symbols": ["<ctl>"]},
        {"user_defined_symbols": ["  ", "t  h ", "  Q", " é"]},
        {
            "user_defined_symbols": ["  ", "t  h ", "  Q", " é", "Qt"],
            "normalization_rule_name": "identity",
        },
        {
            "normalization_rule_name": "identity",
            "add_dummy_prefix": False,
            "remove_extra_whitespaces": False,
        },
    ],
    ids=lambda options: "-".join(options) or "plain",
)
def test_ids_of_sentencepiece(kind: str, options: dict[str, Any], short: dict[str, str]) -> None:
    if "byte_fallback" in options and kind in ("char", "word"):
        return  # its trainer has none
    rules = {} if not options or "normalization_rule_name" in options else short
    data = trained(model_type=kind, **rules, **options)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    enc = opened(imported(data))
    words = st.sampled_from(
        [
            *(
                "the",
                "cat",
                "that",
                " ",
                "  ",
                "\u2581",
                "é",
                "½",
                "Ａ\u0301",
                "ﬁ",
                "<sep>",
                "</s>",
            ),
            *("<unk>", "<ctl>", "x", "Q", "අ", "नमस्ते", "\n", "\u3000", "\u200b", "😀", "㍿", "a"),
        ]
    )

    @examples(150)
    @given(st.lists(words, max_size=14).map("".join))
    def check(text: str) -> None:
        ids = theirs.encode(text)
        assert enc.encode(text) == ids
        assert enc.decode(ids) == theirs.decode(ids)

    check()
    assert [enc.encode(text) for text in HARD[:-3]] == [theirs.encode(text) for text in HARD[:-3]]


def test_a_piece_of_a_zero_byte_is_unused(short: dict[str, str]) -> None:
    data = trained(model_type="bpe", byte_fallback=True, vocab_size=330, **short)
    data += message((1, message((1, b"\0"), (2, -1.0))))
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    assert opened(imported(data)).encode("a\0") == theirs.encode("a\0")


def test_unused_pieces_of_a_bpe(short: dict[str, str]) -> None:
    """One that no pair makes is never found in text; one that a pair makes is refused."""
    data = trained(model_type="bpe", vocab_size=120, **short)
    data += message((1, message((1, b"<unused0>"), (2, -500.0), (3, 5))))
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    enc = opened(imported(data))
    for text in ("the <unused0> cat", "<unused0>", *HARD):
        assert enc.encode(text) == theirs.encode(text)
    assert enc.decode([theirs.get_piece_size() - 1]) == theirs.decode([theirs.get_piece_size() - 1])
    with pytest.raises(SourceError, match=r"'zq', is of the type unused"):
        imported(data + message((1, message((1, b"zq"), (2, -501.0), (3, 5)))))


FLAGS = (
    *("add_dummy_prefix", "remove_extra_whitespaces", "treat_whitespace_as_suffix"),
    *("split_by_whitespace", "allow_whitespace_only_pieces", "split_digits", "split_by_number"),
)
FRAGMENTS = (
    *(
        "the",
        "cat",
        "that",
        "hat,",
        " ",
        "  ",
        "\u2581",
        "\u2581\u2581",
        "é",
        "½",
        "a",
        "x",
        "Q",
        "zz",
    ),
    *(
        "<sep>",
        "</s>",
        "<unk>",
        "<ctl>",
        "<0x41>",
        "अ",
        "\n",
        "\t",
        "\u3000",
        "\0",
        "😀",
        "t h",
        "\x7f",
    ),
)


@pytest.mark.parametrize("seed", range(16))
def test_random_models(seed: int, short: dict[str, str]) -> None:
    """Models of random options, and with pieces that are unused."""
    random = Random(seed)
    kind = ("unigram", "bpe", "word", "char")[seed % 4]
    options: dict[str, Any] = {flag: random.random() < 0.5 for flag in FLAGS}
    if kind in ("unigram", "bpe") and random.random() < 0.5:
        options |= {"byte_fallback": True, "vocab_size": 340}
    if random.random() < 0.5:
        options["user_defined_symbols"] = random.choice(
            (["<sep>", "that", "é"], ["\u2581the", "Q"], ["a", "\u2581"], ["t h"])
        )
    if random.random() < 0.3:
        options |= {"unk_surface": random.choice(("?", "", " U ")), "control_symbols": ["<ctl>"]}
    options |= random.choice(({"normalization_rule_name": "identity"}, short))
    data = trained(model_type=kind, **options)
    if kind != "bpe":
        pieces = [value for number, _, value in fields(data, "it") if number == 1]
        for piece in random.sample(pieces, 2):
            assert isinstance(piece, bytes)
            if not any(number == 3 for number, _, _ in fields(piece, "it")):
                data = data.replace(message((1, piece)), message((1, piece + message((3, 5)))), 1)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
    enc = opened(imported(data))
    for _ in range(120):
        text = "".join(random.choices(FRAGMENTS, k=random.randint(0, 9)))
        ids = theirs.encode(text)
        assert enc.encode(text) == ids, (options, text)
        assert enc.decode(ids) == theirs.decode(ids), (options, text)


@pytest.mark.slow
def test_models_of_mistral_common(mistral_common: Path) -> None:
    for path in sorted(mistral_common.glob("*.model*")):
        theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
        enc = opened(imported(path.read_bytes()))
        assert [enc.encode(text) for text in HARD] == [theirs.encode(text) for text in HARD], path
