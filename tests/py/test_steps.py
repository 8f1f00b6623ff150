"""Steps that rewrite texts: ids and places of Hugging Face's `tokenizers` and of SentencePiece.

The model spells bytes, so that ids are the rewritten text, and each has its place in the source.
"""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import pytest
import sentencepiece
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from tiny import smallest_model
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

from wwho.assemble.base import byte_base
from wwho.backends.backend import Backend
from wwho.backends.select import open_backend
from wwho.compile.grapheme import grapheme_cluster
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.format.model import Added, Artifact, Flag, Route
from wwho.format.read import read_artifact
from wwho.format.steps import (
    Action,
    Cut,
    Ends,
    Map,
    Replace,
    Rewrite,
    Rules,
    Spell,
    Step,
    rules_in_clusters,
)
from wwho.format.write import write_artifact
from wwho.interchange.charsmap import read_charsmap, write_charsmap
from wwho.interchange.protobuf import last_fields
from wwho.interchange.sentencepiece import NORMALIZER

SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
SPACE += "\u200a\u2028\u2029\u202f\u205f\u3000"
MARK = "\u2581"
E, GRAVE, DOT = 0x65, 0x300, 0x323
NAMES = [f"<0x{byte:02X}>" for byte in range(256)]
# automata that steps name
PATTERNS = {
    "all": (r"[\s\S]+",),
    "words": (r"\s+", r"\S+"),
    "each": (r"[\s\S]",),
    "space": (" ", r"[\s\S]"),
    "spaces": (r"\s+", r"[\s\S]"),
    "runs": (" +", r"[\s\S]"),
    "quotes": ("``|''", "ab", r"[\s\S]"),
    "mark": (f"{MARK}[^{MARK}]*", f"[^{MARK}]+"),
}
NUMBERS = {name: number for number, name in enumerate((*PATTERNS, "clusters"))}
TO_MARK = Map({0x20: (ord(MARK),)})
WORDS = Cut(NUMBERS["words"], (Action.DROP, Action.KEEP))
BY_MARKS = Cut(NUMBERS["mark"], (Action.KEEP, Action.KEEP))
EACH = Cut(NUMBERS["each"], (Action.KEEP,))


class Case(NamedTuple):
    """Steps, and the components of `tokenizers` that they equal."""

    early: tuple[Rewrite, ...] = ()
    route: tuple[Step, ...] = ()
    normalizer: Any = None
    pre_tokenizer: Any = None
    added: tuple[tuple[str, str, Flag], ...] = ()


def metaspace(scheme: str, split: bool, *before: Any) -> Any:
    made = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    return pre_tokenizers.Sequence([*before, made]) if before else made


@cache
def charsmap() -> tuple[bytes, dict[str, str]]:
    """That of SentencePiece's default rules."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab abc", "cab ba"] * 30),
        model_writer=model,
        model_type="char",
        vocab_size=8,
        normalization_rule_name="nmt_nfkc",
        minloglevel=9,
    )
    spec = last_fields(bytes(last_fields(model.getvalue(), "model")[NORMALIZER]), "normalizer")
    data = bytes(spec[2])
    return data, dict(read_charsmap(data).rules)


def precompiled(charsmap: bytes) -> Any:
    data = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}
    shell = json.loads(Tokenizer(models.BPE()).to_str()) | {"normalizer": data}
    return Tokenizer.from_str(json.dumps(shell)).normalizer


NONE = Flag(0)


def metaspace_case(scheme: str, split: bool) -> Case:
    prefix = Ends(prefix=MARK, unless=True, first=scheme == "first")
    return Case(
        route=(TO_MARK, *(() if scheme == "never" else (prefix,)), *((BY_MARKS,) if split else ())),
        pre_tokenizer=metaspace(scheme, split),
        added=(("<s>", "<s>", NONE), ("ab", "ab", Flag.NORMALIZED)),
    )


CASES: dict[str, Callable[[], Case]] = {
    "bytes": lambda: Case(early=(Spell(),), normalizer=normalizers.ByteLevel()),
    "prepend": lambda: Case(
        early=(Ends(prefix=MARK), TO_MARK),
        normalizer=normalizers.Sequence(
            [normalizers.Prepend(MARK), normalizers.Replace(" ", MARK)]
        ),
        added=(("<s>", "<s>", NONE), ("ab", MARK + "ab", Flag.NORMALIZED)),
    ),
    "strip": lambda: Case(
        early=(Ends(strip=SPACE, left=True, right=True),),
        normalizer=normalizers.Strip(),
        added=(("<s>", "<s>", NONE),),
    ),
    "strip right, prepend two": lambda: Case(
        early=(Ends(strip=SPACE, right=True), Ends(prefix="xy")),
        normalizer=normalizers.Sequence([normalizers.Strip(left=False), normalizers.Prepend("xy")]),
    ),
    "replace": lambda: Case(
        early=(
            Replace(NUMBERS["spaces"], (" ", None)),
            Replace(NUMBERS["quotes"], ('"', "", None)),
        ),
        normalizer=normalizers.Sequence(
            [
                normalizers.Replace(Regex(r"\s+"), " "),
                normalizers.Replace(Regex("``|''"), '"'),
                normalizers.Replace("ab", ""),
            ]
        ),
    ),
    "nfc, tokens": lambda: Case(
        early=(normal_form("nfc", "9.0"), lower_case()),
        normalizer=normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]),
        added=(("É", "é", Flag.NORMALIZED), ("<S>", "<S>", NONE), ("a", "a", Flag.NORMALIZED)),
    ),
    **{
        f"metaspace {scheme} {split}": partial(metaspace_case, scheme, split)
        for scheme in ("always", "first", "never")
        for split in (True, False)
    },
    "strip, metaspace first": lambda: Case(
        early=(Ends(strip=SPACE, left=True),),
        route=(TO_MARK, Ends(prefix=MARK, unless=True, first=True)),
        normalizer=normalizers.Strip(right=False),
        pre_tokenizer=metaspace("first", False),
    ),
    "words, metaspace": lambda: Case(
        route=(WORDS, TO_MARK, Ends(prefix=MARK, unless=True), BY_MARKS),
        pre_tokenizer=metaspace("always", True, pre_tokenizers.WhitespaceSplit()),
        added=(("<s>", "<s>", NONE),),
    ),
    "words, metaspace first": lambda: Case(
        route=(WORDS, TO_MARK, Ends(prefix=MARK, unless=True, first=True), BY_MARKS),
        pre_tokenizer=metaspace("first", True, pre_tokenizers.WhitespaceSplit()),
        added=(("<s>", "<s>", NONE),),
    ),
    "strip, words, metaspace first": lambda: Case(
        early=(Ends(strip=SPACE, left=True),),
        route=(WORDS, TO_MARK, Ends(prefix=MARK, unless=True, first=True), BY_MARKS),
        normalizer=normalizers.Strip(right=False),
        pre_tokenizer=metaspace("first", True, pre_tokenizers.WhitespaceSplit()),
    ),
    "nfd, letters, metaspace first": lambda: Case(
        early=(normal_form("nfd", "9.0"),),
        route=(EACH, TO_MARK, Ends(prefix=MARK, unless=True, first=True), BY_MARKS),
        normalizer=normalizers.NFD(),
        pre_tokenizer=metaspace("first", True, pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")),
    ),
    "prefix space": lambda: Case(
        route=(Ends(prefix=" ", unless=True),),
        pre_tokenizer=pre_tokenizers.Sequence(
            [pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]
        ),
        added=(("<s>", "<s>", NONE),),
    ),
    "words": lambda: Case(pre_tokenizer=pre_tokenizers.WhitespaceSplit(), route=(WORDS,)),
    "charsmap": lambda: Case(
        early=(Rules(charsmap()[1], NUMBERS["clusters"]),), normalizer=precompiled(charsmap()[0])
    ),
    "charsmap, spaces, words, metaspace": lambda: Case(
        early=(
            Rules(charsmap()[1], NUMBERS["clusters"]),
            Replace(NUMBERS["spaces"], (" ", None)),
        ),
        route=(WORDS, TO_MARK, Ends(prefix=MARK, unless=True), BY_MARKS),
        normalizer=normalizers.Sequence(
            [precompiled(charsmap()[0]), normalizers.Replace(Regex(r"\s+"), " ")]
        ),
        pre_tokenizer=metaspace("always", True, pre_tokenizers.WhitespaceSplit()),
        added=(("<s>", "<s>", NONE),),
    ),
}


@cache
def scanners() -> Any:
    made = [
        Scanner(name, tuple(map(parse_regex, rules)), longest=False)
        for name, rules in PATTERNS.items()
    ]
    clusters = Scanner("clusters", (grapheme_cluster(), parse_regex(r"[\s\S]")), longest=True)
    return compile_scanners([*made, clusters])


def artifact_of(case: Case) -> Artifact:
    """A tokenizer of bytes with these steps."""
    added: list[Added] = []
    for number, (text, form, flags) in enumerate(case.added):
        if form != text:
            added.append(Added(text, 256 + number, flags | Flag.HIDDEN))
        added.append(Added(form, 256 + number, flags))
    return replace(
        byte_base(),
        scanners=scanners(),
        router=None,
        routes=(Route("text", 0, steps=case.route),),
        normalizer=case.early,
        added=tuple(added),
    )


class Both(NamedTuple):
    """A case in all engines."""

    native: Backend
    reference: Backend
    theirs: Tokenizer


@cache
def both(name: str) -> Both:
    case = CASES[name]()
    blob = write_artifact(artifact_of(case))
    assert write_artifact(read_artifact(blob)) == blob
    level = isinstance(case.pre_tokenizer, pre_tokenizers.Sequence) and "prefix" in name
    if level:
        model = models.BPE({name: byte for byte, name in enumerate(bytes_to_characters())}, [])
    else:
        model = models.BPE(
            {token: byte for byte, token in enumerate(NAMES)}, [], byte_fallback=True
        )
    theirs = Tokenizer(model)
    if case.normalizer is not None:
        theirs.normalizer = case.normalizer
    if case.pre_tokenizer is not None:
        theirs.pre_tokenizer = case.pre_tokenizer
    for text, _, flags in case.added:
        theirs.add_tokens([AddedToken(text, normalized=bool(flags & Flag.NORMALIZED))])
    return Both(open_backend(blob, "native"), open_backend(blob, "reference"), theirs)


def bytes_to_characters() -> list[str]:
    """The stand-in of each byte in GPT-2's alphabet."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in shown else next(others)) for byte in range(256)]


def check(name: str, text: str) -> None:
    """The ids and places of all engines are the same."""
    native, reference, theirs = both(name)
    data = text.encode()
    found = native.encode_with_places(data, None, False)
    assert found == reference.encode_with_places(data, None, False), text
    assert found[0] == native.encode(data, None, False)
    assert native.count(data, None, False, 2**31) == len(found[0])
    expected = theirs.encode(text)
    assert found[0] == expected.ids, text
    places = native.offsets(data, found[1], found[2], False)
    assert places == reference.offsets(data, found[1], found[2], False)
    assert places == expected.offsets, text


PIECES = [
    "a",
    "b",
    "ab",
    " ",
    "  ",
    "\n",
    MARK,
    "<s>",
    "<S>",
    "``",
    "''",
    "é",
    "e\u0301",
    "É",
    "\u3000",
]
PIECES += [
    "ﬁ",
    "Ａ",
    "Ａ\u0301",
    "㌖",
    "\x01",
    "\xad",
    "각",
    "क्ष",
    "😀",
    "🇱🇰",
    "\u200d",
    "\u1ea4",
    "E\u0302\u0301",
    "x",
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)
names = pytest.mark.parametrize("name", list(CASES))


@names
def test_short_texts(name: str) -> None:
    for text in (
        "",
        " ",
        "a",
        " a ",
        "a  b",
        "<s>",
        " <s> a<s>",
        f"{MARK}a {MARK} b",
        "ab ab",
        "\x01a",
    ):
        check(name, text)


@names
@examples(150)
@given(text=texts)
def test_as_tokenizers(name: str, text: str) -> None:
    check(name, text)


marked = st.text("ab é\u0301\u0327कन\u093c각\u1100\u1161", min_size=1, max_size=3)


@examples(150)
@given(
    rules=st.dictionaries(marked, st.text("abxé\u0301 ", max_size=2), min_size=1), text=st.data()
)
def test_rules_that_count_in_clusters(rules: dict[str, str], text: st.DataObject) -> None:
    """Normalized text, in parts of any kind, is that of tokenizers with all of the charsmap."""
    steps = tuple(Rules(each, NUMBERS["clusters"]) for each in [rules_in_clusters(rules)] if each)
    blob = write_artifact(artifact_of(Case(early=steps)))
    native, reference = (open_backend(blob, name) for name in ("native", "reference"))
    theirs = precompiled(write_charsmap(rules))
    for data in text.draw(st.lists(st.lists(marked | st.sampled_from([*rules])).map("".join))):
        assert native.normalize(data.encode()).decode() == theirs.normalize_str(data)
        assert reference.normalize(data.encode()).decode() == theirs.normalize_str(data)


WIDE = [
    "नमस्ते",
    "राम",
    "ऩ",
    "क़़",
    "हिन्दी,",
    "ज्ञान\u200d",
    "́",
    "é한국",
    "하",
    "１२",
    "½क",
    "\u3000",
    "\xa0क",
    "क\n",
    "ﬁन",
    "a",
    "0",
]


@pytest.mark.parametrize("name", ["words, metaspace", "charsmap, spaces, words, metaspace"])
def test_words_that_come_again(name: str) -> None:
    """Words of text that is not ASCII may be looked up before the steps, by what follows them."""
    rng = random.Random(5)
    for _ in range(12):
        spaces = rng.choices((" ", "  ", " \u0301", "\t "), (20, 1, 1, 1), k=40)
        check(name, "".join(map("".join, zip(rng.choices(WIDE, k=40), spaces, strict=True))))


def long_text(size: int) -> str:
    """Of all kinds of characters and tokens, with words and lines."""
    rng = random.Random(size)
    return "".join(rng.choices([*PIECES, "word ", "other words\n", "é́"], k=size))


# Of no real normalizer: what each character becomes depends on more than itself.
ODD_MAPS: dict[str, tuple[Map, ...]] = {
    "the parts change places": (
        Map(order={GRAVE: 2, DOT: 1}, pairs={(E, GRAVE): ord("è"), (ord("è"), DOT): ord("ē")}),
    ),
    "the parts make a syllable": (Map(pairs={(0x1100, 0x1161): ord("è")}, composes_hangul=True),),
    "the first part is a mark": (
        Map(order={E: 3}, pairs={(E, GRAVE): ord("è")}),
        Map({ord("è"): ()}),
    ),
    "the first part becomes another": (Map({E: (ord("x"),)}, pairs={(E, GRAVE): ord("è")}),),
    "what is taken apart is composed": (
        Map({ord("è"): (E, GRAVE)}, pairs={(E, GRAVE): ord("ē")}),
        Map({GRAVE: ()}),
    ),
    "four bytes": (Map({E: (0x1D452,), ord("è"): (0x1D452, GRAVE)}), Map({GRAVE: ()})),
}


@pytest.mark.parametrize("steps", ODD_MAPS.values(), ids=ODD_MAPS)
@pytest.mark.parametrize("n_early", [1, 2])
@given(text=st.text("abeèēé\u1100\u1161각" + chr(GRAVE) + chr(DOT)))
def test_maps_whose_parts_matter(steps: tuple[Map, ...], n_early: int, text: str) -> None:
    """The first steps alone, too: they do not know of those of parts, which come next."""
    model = replace(smallest_model(), normalizer=steps[:n_early], second=steps[n_early:])
    blob = write_artifact(model)
    native, reference = (open_backend(blob, name) for name in ("native", "reference"))
    data = text.encode()
    assert native.sources(data) == reference.sources(data)
    found = native.encode_with_places(data, None, False)
    assert found == reference.encode_with_places(data, None, False)


@names
def test_long_texts_are_worked_on_in_parts(name: str) -> None:
    """Longer than what is rewritten at once, and with no place to be cut."""
    native, reference, _ = both(name)
    for text in (long_text(7000), " " * 17_000, "a" + "\u0301" * 9000 + "b"):
        data = text.encode()
        found = native.encode_with_places(data, None, False)
        assert found == reference.encode_with_places(data, None, False)
        assert native.count(data, None, False, 2**31) == len(found[0])


@names
@pytest.mark.parametrize("step", [700, 5000])
def test_streams_give_the_same(name: str, step: int) -> None:
    """However the text is cut; what is held back is passed again."""
    native, _, _ = both(name)
    for text in (long_text(2500), "<s> a ab " * 300):
        data = text.encode()
        ids: list[int] = []
        held, place, at = b"", 0, 0
        while at < len(data) or held:
            held += data[at : at + step]
            at += step
            more = at < len(data)
            found, read, place = native.encode_part(held, more, place, None, False, "list")
            assert isinstance(found, list)
            assert more or read == len(held)
            ids += found
            held = held[read:]
        assert ids == native.encode(data, None, False)


@cache
def model_file(**options: Any) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab abc x", "cab ba"] * 30),
        model_writer=model,
        model_type="char",
        vocab_size=10,
        minloglevel=9,
        **options,
    )
    return model.getvalue()


@cache
def as_sentencepiece(suffix: bool, prefix: bool, extra: bool) -> tuple[Any, Backend]:
    """SentencePiece with these settings, and the core."""
    users = ("ﬁx", "Ａ")
    theirs = sentencepiece.SentencePieceProcessor(
        model_proto=model_file(
            add_dummy_prefix=prefix,
            remove_extra_whitespaces=extra,
            treat_whitespace_as_suffix=suffix,
            user_defined_symbols=",".join(users),
        )
    )
    rules = {k: to for k, to in charsmap()[1].items() if not k.startswith(users)}
    spaces = (
        Replace(NUMBERS["runs"], (" ", None)),
        Ends(strip=" ", left=True),
        TO_MARK,
        Ends(strip=MARK, right=True),
    )
    mark = Ends(suffix=MARK) if suffix else Ends(prefix=MARK)
    charsmap_and_users = Rules(rules | {user: user for user in users})
    steps: tuple[Rewrite, ...]
    if extra:
        steps = (charsmap_and_users, *spaces, *((mark,) if prefix else ()))
    else:  # the mark stands also before a text of which the charsmap leaves nothing
        steps = (*((mark,) if prefix else ()), charsmap_and_users, TO_MARK)
    return theirs, open_backend(write_artifact(artifact_of(Case(early=steps))), "native")


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("extra", [True, False])
@examples(120)
@given(text=texts)
def test_as_sentencepiece(suffix: bool, prefix: bool, extra: bool, text: str) -> None:
    """The charsmap by longest rules, spaces, the mark in front or at the end, and user's pieces."""
    theirs, native = as_sentencepiece(suffix, prefix, extra)
    expected = theirs.normalize(text)
    if extra and prefix and suffix and expected == MARK:
        return  # a text of which the charsmap leaves nothing: SentencePiece puts the mark alone
    assert native.normalize(text.encode()).decode() == expected


@pytest.mark.parametrize("strip", ["x", "xy", "xyz", "a", ""])
def test_what_a_first_step_puts_before_a_text_is_of_its_beginning(strip: str) -> None:
    """A prefix that only a text gets is added where the first character left is one of these."""
    first, second = Ends(prefix="xyz"), Ends(strip, left=bool(strip), prefix="_", first=True)
    artifact = replace(smallest_model(), normalizer=(first,), second=(second,))
    blob = write_artifact(artifact)
    native, reference = open_backend(blob, "native"), open_backend(blob, "reference")
    for text in ("a", "ab", "xa", "aab " * 3000):
        data = text.encode()
        found = native.encode_with_offsets(data, None, False)
        assert found == reference.encode_with_offsets(data, None, False)
        left = f"xyz{text}".lstrip(strip or " ")
        begins = len(text) <= len(left)  # the first character, and what is put before it
        assert bytes(found[0]).decode() == "_" * begins + left
