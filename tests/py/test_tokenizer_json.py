"""Imports of tokenizer.json give the ids of Hugging Face's tokenizers, component by component."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from rewritten import normalize

import wwho
from wwho.errors import PatternError, SourceError
from wwho.format.write import write_artifact
from wwho.importers import Imported, Source, import_source

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors  # noqa: E402

Regex = tokenizers.Regex
LETTERS = "abcDIſKéÉıİσΣςßäñ漢字豈か゚ー한ကိ्क0123²½Ⅷ"
LETTERS += "\t\n\r\v\u0085 \u00a0\u2028.,-!#_$`'¡。、‐\u200d\u200b\u00ad\u0301\u0323"
NEXT = "\ue000"
TEXTS = st.text(st.sampled_from(LETTERS + "▁ab  "), max_size=24)
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]

NORMALIZERS: dict[str, Callable[..., Any]] = {
    "NFC": lambda: normalizers.NFC(),
    "NFD": lambda: normalizers.NFD(),
    "NFKC": lambda: normalizers.NFKC(),
    "NFKD": lambda: normalizers.NFKD(),
    "Lowercase": lambda: normalizers.Lowercase(),
    "StripAccents": lambda: normalizers.StripAccents(),
    "Nmt": lambda: normalizers.Nmt(),
    "Strip": lambda: normalizers.Strip(),
    "Strip left": lambda: normalizers.Strip(left=True, right=False),
    "Prepend": lambda: normalizers.Prepend("▁"),
    "Replace": lambda: normalizers.Replace(" ", "▁"),
    "Replace pattern": lambda: normalizers.Replace(Regex(r"\s{2,}|a(?=b)"), "-"),
    **{
        f"Replace {pattern or 'nothing'}": lambda pattern=pattern: normalizers.Replace(
            Regex(pattern), "-"
        )
        for pattern in ("", "^", "$", "a*", r"\b", r"(?=a)|b", "(?<=a)")
    },
    "Bert": lambda: normalizers.BertNormalizer(handle_chinese_chars=False),
    "Bert cased": lambda: normalizers.BertNormalizer(
        lowercase=False, strip_accents=True, handle_chinese_chars=False
    ),
    "Bert unclean": lambda: normalizers.BertNormalizer(
        clean_text=False, handle_chinese_chars=False
    ),
    "Sequence": lambda: normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    ),
}
BEHAVIOURS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
PRE_TOKENIZERS: dict[str, Callable[..., Any]] = {
    "Whitespace": lambda: pre_tokenizers.Whitespace(),
    "WhitespaceSplit": lambda: pre_tokenizers.WhitespaceSplit(),
    "Bert": lambda: pre_tokenizers.BertPreTokenizer(),
    "Digits": lambda: pre_tokenizers.Digits(),
    "Digits alone": lambda: pre_tokenizers.Digits(individual_digits=True),
    "CharDelimiterSplit": lambda: pre_tokenizers.CharDelimiterSplit("a"),
    "FixedLength": lambda: pre_tokenizers.FixedLength(3),
    "Metaspace": lambda: pre_tokenizers.Metaspace(),
    "Metaspace first": lambda: pre_tokenizers.Metaspace(prepend_scheme="first"),
    "Metaspace never": lambda: pre_tokenizers.Metaspace(prepend_scheme="never", split=False),
    "words and Metaspace": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    ),
    "Sequence": lambda: pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"),
            pre_tokenizers.Punctuation("merged_with_previous"),
            pre_tokenizers.Whitespace(),
        ]
    ),
    **{f"Punctuation {how}": lambda how=how: pre_tokenizers.Punctuation(how) for how in BEHAVIOURS},
    **{
        f"Split {how} {invert}": lambda how=how, invert=invert: pre_tokenizers.Split(
            Regex(r"\s+|ab?"), how, invert
        )
        for how in BEHAVIOURS
        for invert in (False, True)
    },
    "Split text": lambda: pre_tokenizers.Split(".", "isolated"),
    "UnicodeScripts": lambda: pre_tokenizers.UnicodeScripts(),
    **{
        f"{first} and Metaspace {scheme}": lambda first=first, scheme=scheme: (
            pre_tokenizers.Sequence(
                [CUTS_BEFORE[first](), pre_tokenizers.Metaspace(prepend_scheme=scheme)]
            )
        )
        for first in ("digits", "scripts", "spaces dropped")
        for scheme in ("always", "first", "never")
    },
    **{
        f"Split {pattern} {how} {invert}": lambda pattern=pattern, how=how, invert=invert: (
            pre_tokenizers.Split(Regex(pattern), how, invert)
        )
        for pattern in ("(?=[A-Z])|(?<=,)", r"\b", "a*")
        for how in ("removed", "merged_with_next")
        for invert in (False, True)
    },
}
CUTS_BEFORE: dict[str, Callable[..., Any]] = {
    "digits": lambda: pre_tokenizers.Digits(individual_digits=True),
    "scripts": lambda: pre_tokenizers.UnicodeScripts(),
    "spaces dropped": lambda: pre_tokenizers.WhitespaceSplit(),
}


def imported(theirs: Any) -> Imported:
    """What a tokenizer of theirs becomes."""
    text = theirs if isinstance(theirs, str) else theirs.to_str()
    return import_source(Source("tokenizer.json", text.encode()))


def opened(theirs: Any, backend: Any = None) -> wwho.Tokenizer:
    return wwho.Tokenizer.from_bytes(write_artifact(imported(theirs).artifact), backend=backend)


def spelling() -> Any:
    """A WordPiece whose ids tell characters, and where pretokens begin."""
    letters = sorted(
        {*LETTERS, *LETTERS.lower(), *"▁-abio\u0307豈한" + "".join(map(chr, range(97, 123)))}
    )
    texts = ["[UNK]", *letters, *(f"{NEXT}{letter}" for letter in letters)]
    vocab = {text: number for number, text in enumerate(texts)}
    model = models.WordPiece(
        vocab, unk_token="[UNK]", max_input_chars_per_word=1000, continuing_subword_prefix=NEXT
    )
    return tokenizers.Tokenizer(model)


def agree(theirs: Any, ours: wwho.Tokenizer, text: str) -> None:
    expected = theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode(text, allowed_special="all") == expected, (text, theirs.to_str()[:600])


@pytest.mark.parametrize("name", NORMALIZERS)
def test_a_normalizer(name: str) -> None:
    theirs = spelling()
    theirs.normalizer = NORMALIZERS[name]()
    ours = opened(theirs)

    @examples(300)
    @given(TEXTS)
    def check(text: str) -> None:
        agree(theirs, ours, text)

    check()


@pytest.mark.parametrize(
    "name", [name for name in NORMALIZERS if name not in ("NFD", "Replace", "Strip left")]
)
def test_a_normalizer_of_every_code_point(name: str) -> None:
    theirs = spelling()
    theirs.normalizer = NORMALIZERS[name]()
    artifact = imported(theirs).artifact
    scalars = [c for c in SCALARS if c < 0x3400 or 0xF900 <= c < 0x10000 or c % 61 == 0]
    for start in range(0, len(scalars), 1024):
        # A letter between them, lest they compose.
        text = "".join(f"x{chr(c)}" for c in scalars[start : start + 1024])
        found, _ = normalize(artifact.normalizer, text.encode(), artifact.scanners)
        assert found.decode() == theirs.normalizer.normalize_str(text)


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_a_pre_tokenizer(name: str) -> None:
    theirs = spelling()
    theirs.pre_tokenizer = PRE_TOKENIZERS[name]()
    ours = opened(theirs)

    @examples(300)
    @given(TEXTS)
    def check(text: str) -> None:
        agree(theirs, ours, text)
        _, places = ours.encode_with_offsets(text)
        assert places == theirs.encode(text, add_special_tokens=False).offsets

    check()


def test_places_of_bytes() -> None:
    """Each byte of unknown characters side by side stands where all of them do."""
    pieces = ["<unk>", "a", "▁", *(f"<0x{byte:02X}>" for byte in range(256))]
    model = models.Unigram([(text, -1.0) for text in pieces], 0, byte_fallback=True)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = pre_tokenizers.Metaspace()
    for backend in ("native", "reference"):
        ours = opened(theirs, backend)
        for text in ("éa漢字 éa", "\r\n", "aé"):
            found = theirs.encode(text)
            assert ours.encode_with_offsets(text) == (found.ids, found.offsets)


def test_bert() -> None:
    theirs = spelling()
    theirs.normalizer = normalizers.BertNormalizer()
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ours = opened(theirs)

    @examples(600)
    @given(TEXTS)
    def check(text: str) -> None:
        agree(theirs, ours, text)

    check()


CORPUS = [
    "the quick brown fox jumps over the lazy dog",
    "a dog, a fox: 123 45",
    "les élèves où",
] * 30


@cache
def trained(kind: str) -> Any:
    """A small tokenizer of a kind."""
    if kind == "WordLevel":
        made = tokenizers.Tokenizer(models.WordLevel(unk_token="<unk>"))
        made.pre_tokenizer = pre_tokenizers.Whitespace()
        trainer = tokenizers.trainers.WordLevelTrainer(special_tokens=["<unk>"])
    elif kind == "WordPiece":
        made = tokenizers.Tokenizer(models.WordPiece(unk_token="<unk>"))
        made.normalizer = normalizers.BertNormalizer()
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=80, special_tokens=["<unk>"])
    elif kind == "Unigram":
        made = tokenizers.Tokenizer(models.Unigram())
        made.normalizer = normalizers.NFKC()
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = tokenizers.trainers.UnigramTrainer(
            vocab_size=60, special_tokens=["<unk>", "<s>"], unk_token="<unk>", show_progress=False
        )
    elif kind == "byte-level BPE":
        made = tokenizers.Tokenizer(models.BPE())
        made.normalizer = normalizers.NFC()
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        made.post_processor = processors.ByteLevel()
        made.decoder = decoders.ByteLevel()
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=330,
            show_progress=False,
            special_tokens=["<|end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
    else:
        made = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=90, special_tokens=["<unk>"], show_progress=False
        )
    made.train_from_iterator(CORPUS, trainer)
    made.enable_truncation(3)
    return made


KINDS = ("WordLevel", "WordPiece", "Unigram", "byte-level BPE", "BPE")


@pytest.mark.parametrize("kind", KINDS)
def test_a_trained_model(kind: str) -> None:
    theirs = tokenizers.Tokenizer.from_str(trained(kind).to_str())
    theirs.no_truncation()
    found = imported(trained(kind))
    assert found.notes[0].startswith("ignored: truncation")
    ours = opened(theirs)
    letters = "".join(sorted(set("".join(CORPUS)))) + "éZ漢<unk>  "

    @examples(400)
    @given(st.text(st.sampled_from(letters), max_size=40) | st.sampled_from(CORPUS[:3]))
    def check(text: str) -> None:
        agree(theirs, ours, text)

    check()


FLAGS = ("lstrip", "rstrip", "single_word", "normalized", "special")


@pytest.mark.parametrize(
    "flags", [(), *((flag,) for flag in FLAGS), FLAGS, FLAGS[:3]], ids="+".join
)
def test_added_tokens(flags: tuple[str, ...]) -> None:
    theirs = tokenizers.Tokenizer.from_str(trained("byte-level BPE").to_str())
    theirs.no_truncation()
    said = {"normalized": False, **dict.fromkeys(flags, True)}
    texts = ("<x>", "<x>y", "ab", "ÉÉ", "e\u0301")
    theirs.add_tokens([tokenizers.AddedToken(text, **said) for text in texts])
    ours = opened(theirs)

    @examples(400)
    @given(st.text(st.sampled_from("<x>yab É\u0301e\n_,"), max_size=30))
    def check(text: str) -> None:
        agree(theirs, ours, text)

    check()


def test_a_version_among_the_merges_is_none() -> None:
    document = json.loads(trained("BPE").to_str())
    document["truncation"] = None
    document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
    document["model"]["merges"].insert(0, "#version: 0.2")
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    for text in CORPUS[:3]:
        agree(theirs, opened(theirs), text)
    assert imported(json.dumps(document)).artifact.models == imported(theirs).artifact.models


def test_ids_are_those_of_the_engine() -> None:
    document = json.loads(trained("WordLevel").to_str())
    document["truncation"] = None
    document["added_tokens"].append({**document["added_tokens"][0], "id": 900, "content": "<new>"})
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    found = imported(json.dumps(document))
    assert found.artifact.added[-1].id == theirs.token_to_id("<new>") != 900
    assert "1 added tokens have other ids" in found.notes[0]


@pytest.mark.parametrize("texts", [["<s>", "b"], ["b", "<s>"], ["<x>", "b", "<s>"]])
def test_of_added_tokens_with_one_id_the_last_counts(texts: list[str]) -> None:
    theirs = tokenizers.Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "c": 2, "b": 4}, "[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    document = json.loads(theirs.to_str())
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    document["added_tokens"] = [{"id": 9, "content": text, **flags} for text in texts]
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    ours = opened(json.dumps(document))
    for text in ("a b<s> <x>a", "b", "<s>"):
        agree(theirs, ours, text)
        ids = ours.encode(text)
        assert ours.decode(ids) == theirs.decode(ids)


def test_white_space_that_two_tokens_take() -> None:
    theirs = tokenizers.Tokenizer.from_str(trained("byte-level BPE").to_str())
    theirs.no_truncation()
    takers = [tokenizers.AddedToken(each, rstrip=True) for each in ("<x>", "\n", "\n ")]
    takers.append(tokenizers.AddedToken(" b", lstrip=True))
    theirs.add_tokens(takers)
    theirs.add_tokens([tokenizers.AddedToken("  ", lstrip=True, rstrip=True)])
    theirs.add_tokens([tokenizers.AddedToken(" a", single_word=True)])
    ours = [opened(theirs, backend) for backend in (None, "reference")]

    @examples(400)
    @given(st.lists(st.sampled_from(("<x>", "\n", " ", "  ", " a", "b")), max_size=12))
    def check(parts: list[str]) -> None:
        text = "".join(parts)
        expected = theirs.encode(text).ids
        assert [enc.encode(text) for enc in ours] == [expected] * 2

    check()


@pytest.mark.parametrize("last", ["BertPreTokenizer", "Whitespace", "WhitespaceSplit"])
@pytest.mark.parametrize(
    "first",
    [
        pre_tokenizers.Metaspace(prepend_scheme="never"),
        pre_tokenizers.Split(Regex(r"a.|b\s\s"), "removed"),
        pre_tokenizers.Split(" ", "removed"),
    ],
    ids=["Metaspace", "Split", "spaces"],
)
def test_cuts_that_see_the_spaces_around_ideographs(first: Any, last: str) -> None:
    theirs = spelling()
    theirs.normalizer = normalizers.BertNormalizer(False, True, False, False)
    theirs.pre_tokenizer = pre_tokenizers.Sequence([first, getattr(pre_tokenizers, last)()])
    ours = opened(theirs)
    for text in ("漢", "a漢b", "b漢字", "a 漢▁字"):
        agree(theirs, ours, text)


def test_a_token_beside_ideographs() -> None:
    theirs = spelling()
    theirs.normalizer = normalizers.BertNormalizer()
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.add_tokens([tokenizers.AddedToken(" "), tokenizers.AddedToken("b", single_word=True)])
    ours = opened(theirs)
    for text in ("a豈b", "豈豈 a", "b豈"):
        agree(theirs, ours, text)


def broken(pointer: str, value: Any) -> str:
    """A document with another value in one place."""
    document = json.loads(trained("byte-level BPE").to_str())
    *path, last = pointer.split("/")[1:]
    inner = document
    for key in path:
        inner = inner[int(key) if isinstance(inner, list) else key]
    inner[last] = value
    return json.dumps(document)


REFUSED = [
    ("/version", "2.0", 'expected "1.0"'),
    ("/model/dropout", 0.1, "dropout gives other ids each time"),
    ("/model/type", "BPEE", "the nearest is 'BPE'"),
    ("/model/fuse_unkn", True, "the nearest that is known is 'fuse_unk'"),
    ("/model/vocab/a", -1, "expected an id"),
    ("/model/vocab/a", 66, "is that of"),
    ("/model/merges", [["a", "qq"]], "no token of the vocabulary"),
    ("/model/merges", ["a b c"], "expected two texts"),
    ("/pre_tokenizer/use_regex", 1, "found 1, expected true or false"),
    ("/pre_tokenizer", {"type": "ByteLevl"}, "the nearest is 'ByteLevel'"),
    ("/pre_tokenizer", {"type": "Split", "behavior": "Isolated", "invert": False}, "/pattern"),
    (
        "/pre_tokenizer",
        {"type": "Split", "pattern": {"Regex": "(ab)\\1"}, "behavior": "Isolated", "invert": False},
        "backreferences",
    ),
    (
        "/normalizer",
        {"type": "Replace", "pattern": {"Regex": "x*"}, "content": "y"},
        "/pre_tokenizer: a Replace before it may put a text in front of all by an empty match",
    ),
    ("/decoder", {"type": "BPEDecoder", "suffix": ""}, "/decoder/suffix: an empty text"),
    ("/normalizer", {"type": "Prepend", "prepend": ""}, "/normalizer/prepend: an empty text"),
    ("/normalizer", {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "no charsmap"),
    (
        "/decoder",
        {
            "type": "Sequence",
            "decoders": [
                {"type": "Fuse"},
                {"type": "Replace", "pattern": {"Regex": " +"}, "content": " "},
            ],
        },
        "/decoder/decoders/1/pattern",
    ),
    (
        "/post_processor",
        {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 256}}],
            "pair": [],
            "special_tokens": {},
        },
        "/post_processor/single/0/Sequence/type_id: found 256, expected 0 to 255",
    ),
    ("/added_tokens/0/special", None, "/added_tokens/0/special: found null"),
]


@pytest.mark.parametrize(("pointer", "value", "said"), REFUSED)
def test_what_is_refused(pointer: str, value: Any, said: str) -> None:
    with pytest.raises((SourceError, PatternError), match=r"tokenizer\.json: ") as caught:
        imported(broken(pointer, value))
    assert said in str(caught.value)


@pytest.mark.parametrize("fallback", [False, True])
@pytest.mark.parametrize("prefix", ["", "##"])
@pytest.mark.parametrize("suffix", ["", "</w>"])
def test_prefix_and_suffix_with_ignore_merges(prefix: str, suffix: str, fallback: bool) -> None:
    texts = ["<unk>", "a", "b", "c", "ab", "abc", "cb", "漢字", "b</w>", "ab</w>", "##b", "##c"]
    texts += ["##b</w>", "a##b", *(f"<0x{byte:02X}>" for byte in range(256))]
    merges = [("a", f"{prefix}b{suffix}")]
    vocab = {text: number for number, text in enumerate(texts)}
    options = {"byte_fallback": fallback, "unk_token": "<unk>", "ignore_merges": True}
    affixes = {"continuing_subword_prefix": prefix, "end_of_word_suffix": suffix}
    theirs = tokenizers.Tokenizer(models.BPE(vocab, merges, **options, **affixes))
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    ours = opened(theirs)
    for text in (*texts, "abcab", "ab ab abc 漢字 漢 字漢字", "cb b</w>a", "a##b ##bab##b a b c é"):
        agree(theirs, ours, text)
        ids = ours.encode(text)
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize(("prefix", "suffix"), [("##", ""), ("", "</w>"), ("##", "</w>")])
def test_the_place_of_a_piece_that_is_a_token(prefix: str, suffix: str) -> None:
    """It is that of the whole piece, also if other symbols become the token elsewhere."""
    texts = ["<unk>", "a", "b", "ab", "b</w>", "ab</w>", "##b", "##b</w>", "a##b"]
    vocab = {text: number for number, text in enumerate(texts)}
    affixes = {"continuing_subword_prefix": prefix, "end_of_word_suffix": suffix}
    merges = [("a", f"{prefix}b{suffix}")]
    model = models.BPE(vocab, merges, unk_token="<unk>", ignore_merges=True, **affixes)
    theirs = tokenizers.Tokenizer(model)
    ours = opened(theirs)
    for text in (*texts[1:], "aab", "##bb", "b##b"):
        expected = theirs.encode(text)
        assert ours.encode_with_offsets(text) == (expected.ids, expected.offsets), text


def test_many_tokens_with_ignore_merges_and_a_suffix() -> None:
    vocab = {f"{number}": number for number in range(1002)}
    model = models.BPE(vocab, [], ignore_merges=True, end_of_word_suffix="</w>")
    theirs = tokenizers.Tokenizer(model)
    ours = opened(theirs)
    for text in ("1001", "1002", "7", "77 7", "</w>"):
        agree(theirs, ours, text)


@pytest.mark.parametrize("texts", [("Foo", "foo"), ("foo", "Foo"), ("Foo", "FOO")])
def test_added_tokens_of_one_normalized_text(texts: tuple[str, ...]) -> None:
    """Which of them is found, tokenizers leaves to chance."""
    made = tokenizers.Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    made.normalizer = normalizers.Lowercase()
    made.add_tokens([tokenizers.AddedToken(text, normalized=True) for text in texts])
    with pytest.raises(SourceError, match=r"/added_tokens/1: .* takes either, by chance"):
        imported(made)


def test_a_special_token_that_is_normalized() -> None:
    """As in Llama 1's file: plain text becomes it, in tokenizers, too, which a note says."""
    made = tokenizers.Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    made.normalizer = normalizers.Prepend("\u2581")
    made.add_special_tokens([tokenizers.AddedToken("<s>", normalized=True, special=True)])
    found = imported(made)
    assert [note.partition(",")[0] for note in found.notes] == ["<s>: found in every text"]
    ours = wwho.Tokenizer.from_bytes(write_artifact(found.artifact))
    assert ours.encode("<s>") == made.encode("<s>").ids == [1]


@pytest.mark.parametrize("texts", [("foo", "\u2581foo"), ("\u2581foo", "foo")])
def test_an_added_token_with_the_normalized_text_of_another(texts: tuple[str, ...]) -> None:
    made = tokenizers.Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    made.normalizer = normalizers.Prepend("\u2581")
    made.add_tokens([tokenizers.AddedToken(text, normalized=True) for text in texts])
    with pytest.raises(SourceError, match=r"is found as .* as is that of /added_tokens/0"):
        imported(made)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ({"a": -1.9766502380371094, "b": -1.0, "ab": -2.9766502380371094}, "ab"),
        (
            {"\u2581": -2.8429818783389518, "0": -6.620097131450115, "00": -8.013056618645201},
            " 000",
        ),
    ],
)
def test_scores_are_read_as_the_engine_reads_them(pieces: dict[str, float], text: str) -> None:
    """It rounds them twice, and of two paths as good as each other, another is the better one."""
    vocab = [["<unk>", 0.0], *map(list, pieces.items())]
    model = {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": vocab}
    theirs = tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0", "model": model}))
    theirs.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    agree(theirs, opened(theirs), text)


def test_an_added_token_of_which_the_normalizer_leaves_nothing_is_refused() -> None:
    made = tokenizers.Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    made.normalizer = normalizers.Strip()
    made.add_tokens([tokenizers.AddedToken("  ", normalized=True)])
    said = 'tokenizer.json: /added_tokens/0: .* found "  "; set its "normalized" to false'
    with pytest.raises(SourceError, match=said):
        imported(made)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"model": {"vocab": {}}, "model": {}}', 'the key "model" comes twice'),
        ('{"model": {"vocab": {}}, "x": "\\ud800"}', "a lone surrogate"),
        ('{"model": {"vocab": {}}, "x": NaN}', "NaN"),
        ('{"model": {"vocab": {}}, "x": ' + "[" * 60 + "]" * 60 + "}", "nested deeper than 50"),
        ('{"model": {"vocab": ', "no JSON"),
    ],
)
def test_json_that_is_refused(text: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        imported(text)


POST: dict[str, Callable[..., Any]] = {
    "template": lambda: processors.TemplateProcessing(
        single="<s>:1 $A:255 </s>:3",
        pair="<s> $A </s> $B:1 </s>:1 </s>:4",
        special_tokens=[("<s>", 0), ("</s>", 1)],
    ),
    "several ids": lambda: processors.TemplateProcessing(
        single="<s> $A",
        pair="$B:1 <s> $A",
        special_tokens=[{"id": "<s>", "ids": [0, 1], "tokens": ["<s>", "</s>"]}],
    ),
    "bert": lambda: processors.BertProcessing(("</s>", 1), ("<s>", 0)),
    "roberta": lambda: processors.RobertaProcessing(("</s>", 1), ("<s>", 0)),
    "sequence": lambda: processors.Sequence(
        [processors.ByteLevel(), processors.BertProcessing(("</s>", 1), ("<s>", 0))]
    ),
    "template in roberta": lambda: processors.Sequence(
        [
            POST["template"](),
            processors.RobertaProcessing(("</s>", 1), ("<s>", 0)),
        ]
    ),
    "several ids in roberta": lambda: processors.Sequence(
        [POST["several ids"](), POST["roberta"]()]
    ),
    "bert in template": lambda: processors.Sequence([POST["bert"](), POST["template"]()]),
}


@pytest.mark.parametrize("name", POST)
def test_a_post_processor(name: str) -> None:
    vocab = {"<s>": 0, "</s>": 1, "[UNK]": 2, "a": 3, "b": 4}
    theirs = tokenizers.Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    theirs.post_processor = POST[name]()
    template = imported(theirs).artifact.template
    assert template is not None
    alone, pair = theirs.encode("a b"), theirs.encode("a b", "b b a")
    assert template.ids([3, 4]) == alone.ids
    assert template.ids([3, 4], [4, 4, 3]) == pair.ids
    for second, expected in ((None, alone), ([4, 4, 3], pair)):
        places = template.fill([3, 4], second, lambda place: place.id)
        assert [place.type_id for place, _ in places] == expected.type_ids


DECODERS: dict[str, Callable[..., Any]] = {
    "none": lambda: None,
    "WordPiece": lambda: decoders.WordPiece("##"),
    "Metaspace": lambda: decoders.Metaspace(),
    "Metaspace never": lambda: decoders.Metaspace(prepend_scheme="never"),
    "BPEDecoder": lambda: decoders.BPEDecoder("b"),
    "CTC": lambda: decoders.CTC("a", "b"),
    "CTC without a pad": lambda: decoders.CTC("", "b"),
    "around all": lambda: decoders.Replace("", "-"),
    "beside some": lambda: decoders.Replace(Regex(r"a?|$"), "-"),
    "a pattern": lambda: decoders.Sequence(
        [
            decoders.Replace("▁", " a"),
            decoders.Strip("b", 1, 0),
            decoders.Replace(Regex(r"#+|\w(?=')|[ .]$"), "-b"),
            decoders.WordPiece("-b"),
        ]
    ),
    "characters of a text": lambda: decoders.Sequence(
        [decoders.Fuse(), decoders.Replace(Regex(r"[a#]|\s"), "bb"), decoders.Strip("b", 1, 0)]
    ),
    "Llama": lambda: decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    ),
}


@pytest.mark.parametrize("name", DECODERS)
def test_a_decoder(name: str) -> None:
    texts = ["[UNK]", "a", "b", "▁a", "##b", "▁", "##n't", ".", "<0xC3>", "<0xA9>", "é"]
    vocab = {text: number for number, text in enumerate(texts)}
    theirs = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    if (decoder := DECODERS[name]()) is not None:
        theirs.decoder = decoder
    ours = opened(theirs)

    @given(st.lists(st.integers(0, len(texts) - 1), max_size=8))
    def check(ids: list[int]) -> None:
        assert ours.decode(ids) == theirs.decode(ids)

    check()


def test_noncharacters_are_like_any_other() -> None:
    """No step needs one for itself."""
    texts = ["a", "##a", *(f"<0x{byte:02X}>" for byte in range(256))]
    vocab = {text: number for number, text in enumerate(texts)}
    theirs = tokenizers.Tokenizer(
        models.BPE(vocab, [], continuing_subword_prefix="##", byte_fallback=True)
    )
    ours = opened(theirs)
    for text in ("\U000dffff", "\U0009ffff", "a\U000dfffea\ufffe", "\U000dffff" * 3):
        agree(theirs, ours, text)
