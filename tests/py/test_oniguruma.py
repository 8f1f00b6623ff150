"""Patterns mean what they mean in Hugging Face's tokenizers, whose engine is Oniguruma."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from exhaustive import EXHAUSTIVE
from hypothesis import given, settings
from hypothesis import strategies as st

from wwho.compile.oniguruma import parse_oniguruma
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Node
from wwho.errors import PatternError
from wwho.format.automaton import CompiledScanners
from wwho.format.steps import Cut
from wwho.importers.huggingface import pre_tokenizers
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns, settle_cut
from wwho.reference.cut import cut_places

tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")

# Beyond U+20000 there are ideographs, what no character has, and a few signs.
CODE_POINTS = range(0x110000) if EXHAUSTIVE else (*range(0x20000), *range(0x20000, 0x110000, 16))
SCALARS = [c for c in CODE_POINTS if not 0xD800 <= c < 0xE000]

CLASSES = (
    *(r"\w|[[:print:]]", r"[^\w]", r"\s", r"\p{LC}|\d", r"[[:alnum:]]", r"[[:^punct:]]", r"\P{M}"),
    *(r"(?i:[\p{Lu}])", r"\p{Punct}", r"[[:upper:]]|\p{Emoji}", r"\p{Lower}|\p{Hani}|[[:graph:]]"),
)
PATTERNS = (
    *(r"\S", r"\W", r"\h", r"\H", r"\p{^M}", r"\p{Letter}", r"\p{Han}", r"\p{Alphabetic}", r"\R"),
    *(r"[[:blank:]]", r"[\p{L}&&[^\p{Han}]]", r"[^a-z&&[^aeiou]\d]", r"[a[bc]&&[cd]]", r"[]\[a-]"),
    *(r"[^]]", r"(?i:\p{Lu})", r"(?i:[^\p{Lu}])", r"(?i:k)", r"(?i)s", r"(?i:[a-z])", r"\x{e9}"),
    *(r"\u0d9a", r"\07", r"[\b]", r"\e", r"\_", r".", r"\O", r"{", r"]", r"a{x}", r"a{2}{2}"),
    *(r"\p{N}{1,3}", r"\p{N}{1,3}+", r"a{1,3}?b", r"a+?", r"a*?b", r"(?:a|b)+?c", r"\s+$", r"\n$"),
    *(r"\s+(?!\S)", r"\s+(?=\S|$)", r"a(?!b|$)", r"a\z", r"a(?=\s|b)", r"(?i:'s|'re)|\w+"),
    *(r"x(?i)ab|c", r"a(?#b)b", r"(?>a+)b", r"[^\S\n]+", r" ?[^(\s|[.,!?…。，、।۔،])]+", r"ab|a"),
    *(
        r"\b\w+\b",
        r"\B.",
        r"^\s*\w+",
        r"\A\w+",
        r"\w+\Z",
        r"(?<=\s)\w+",
        r"(?<!\d)\d{1,3}",
        r"a(?!bc)",
    ),
    *(
        r"a(?=bc)",
        r"\s+(?!\S\S)",
        r"\w+?(?=\s\s)",
        r"(?<!\w)a|b(?!\w)",
        r"\w+(?<![ab])",
        r"(?<n>a)b",
    ),
    *(r"[()]|([ab!.])\1*", r"(a)\1{2}|([bc\s])\2?", r"x(?:([ab])\1)+"),
    *(
        r"(?<=^|\s)a",
        r"(?<!^|\s)a",
        r"(?m:.)+",
        r"(?m).+",
        r"(?-i:a)",
        r"(?mi-m:a.)",
        r"a(?=\w{2}$)",
    ),
    *(
        r"a{2}?",
        r"a{,2}",
        r"a**",
        r"a|ab",
        r"(a|ab)(c|bcd)",
        r"'(?:[sdmt]|ll)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\s*[\r\n]+",
    ),
)
REFUSED = (
    *(r"(?<=ab)c", r"(ab)\1", r"(\w)\1", r"(?i:(a)\1)", r"(?=ab)c", r"\Ga", r"(?i:ss)", r"[a-\d]"),
    *(r"a\Kb", r"\X", r"(?~a)"),
    *(r"\p{Script=Han}", r"[]", r"(?s:.)", r"a{9999}", r"(?x: a)", r"[a", r"(a", r"a)", r"\xe9"),
    *(r"a(?=b*c)", r"a(?=b\b)"),
)


@cache
def compiled(pattern: str) -> tuple[CompiledScanners, Cut]:
    """The pattern as a Split of tokenizer.json is imported."""
    value = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    patterns = Patterns()
    (cut,) = pre_tokenizers.steps(Value(value), patterns)
    scanners, _ = patterns.compile(properties=False)
    assert isinstance(cut, Cut)
    return scanners, settle_cut(cut, scanners)


def ours(pattern: str, text: str) -> list[tuple[int, int]]:
    scanners, cut = compiled(pattern)
    return cut_places(cut, text, scanners)


@cache
def splitter(pattern: str) -> Any:
    return tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")


def theirs(pattern: str, text: str) -> list[tuple[int, int]]:
    return [place for _, place in splitter(pattern).pre_tokenize_str(text)]


@pytest.mark.parametrize("pattern", CLASSES)
def test_a_class_of_every_code_point(pattern: str) -> None:
    for start in range(0, len(SCALARS), 4096):
        # No two neighbours are in order, so that no break of two characters comes about.
        text = "".join(map(chr, SCALARS[start : start + 4096][::-1]))
        assert ours(pattern, text) == theirs(pattern, text)


TEXTS = st.text(
    st.sampled_from("aabbcdxABsſkK'’0123456789  \n\r\t{}[].,!?é漢語²\u0301\u200d\u2028")
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern(pattern: str) -> None:
    @settings(max_examples=60)
    @given(TEXTS)
    def check(text: str) -> None:
        assert ours(pattern, text) == theirs(pattern, text)

    check()


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compiled(pattern)


def test_a_longest_match_cannot_look_ahead_of_several_characters() -> None:
    # The automaton would report matches with the characters that it looked at.
    rules = (parse_oniguruma("a(?=bc)"), parse_oniguruma(r"[\s\S]"))
    assert compile_scanners([Scanner("first", rules, longest=False)]).automata[0].variants
    with pytest.raises(PatternError, match="looks ahead of several characters"):
        compile_scanners([Scanner("longest", rules, longest=True)])


@pytest.mark.parametrize("parse", [parse_oniguruma, parse_regex])
def test_a_pattern_is_measured_before_it_is_read(parse: Callable[[str], Node]) -> None:
    with pytest.raises(PatternError, match="a pattern of 100,001 characters; 100,000 are possible"):
        parse("[" + "a" * 100_000)
