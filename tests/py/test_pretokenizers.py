"""The compiled pretokenizers cut text exactly as their regular expressions do.

The oracle is the `regex` package. Its Unicode version is newer than the pinned one, so code points
about which the two disagree are left out; which ones these are is found by asking both.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from unicodedata import category

import pytest
import regex
from exhaustive import EXHAUSTIVE, examples
from hypothesis import given
from hypothesis import strategies as st

from wwho.assemble.patterns import PATTERNS
from wwho.compile import unicode
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.format.automaton import CompiledScanners
from wwho.reference.scan import matches

NAMES = sorted(PATTERNS)
EVERYTHING = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


@cache
def compiled(name: str) -> CompiledScanners:
    return compile_scanners([Scanner(name, (parse_regex(PATTERNS[name]),), longest=False)])


@cache
def oracle(name: str) -> regex.Pattern[str]:
    # `$` of the regex package also holds before a last newline; in tiktoken's engine it does not.
    return regex.compile(PATTERNS[name].replace("$", r"\Z"), regex.VERSION0)


def cut(name: str, text: str) -> list[str]:
    scanners = compiled(name)
    return [text[start:end] for start, end, _ in matches(scanners, scanners.automata[0], text)]


@cache
def disputed() -> frozenset[str]:
    """The code points that have other properties in the regex package."""
    names = ("L", "M", "N", "Lu", "Ll", "Lt", "Lm", "Lo")
    ours = {rf"\p{{{name}}}": unicode.category(name) for name in names}
    ours[r"\s"] = unicode.white_space()
    surrogates = set(range(0xD800, 0xE000))
    found: set[str] = set()
    for pattern, chars in ours.items():
        theirs = set(regex.findall(pattern, EVERYTHING))
        found |= theirs ^ {chr(c) for c in set(chars) - surrogates}
    return frozenset(found)


def test_hardly_any_assigned_code_point_is_disputed() -> None:
    unassigned = unicode.category("Cn")
    assert len([char for char in disputed() if char not in unassigned]) < 10
    assert len(disputed()) < 50_000


# ---------------------------------------------------------------- every code point

ALONE = "{0}"
DOUBLED_AND_AFTER_A_LETTER_A_SPACE_AND_AN_APOSTROPHE = "{0}{0}\na{0}\n {0}\n'{0}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("template", [ALONE, DOUBLED_AND_AFTER_A_LETTER_A_SPACE_AND_AN_APOSTROPHE])
def test_every_code_point(name: str, template: str) -> None:
    """Pieces depend on classes alone, so one cut per class serves all of its code points.

    Each character is tried alone; beside others, and of what is no character, or private, the
    first and the last of each range and every 16th; or each with `WWHO_EXHAUSTIVE`.
    """
    split = oracle(name).findall
    wrong = []
    for chars, lengths in per_class(name, template):
        tried = {*chars[:: 1 if EXHAUSTIVE else 16], *chars[-1:]}
        if template == ALONE:
            tried |= {char for char in chars if category(char) not in ("Cn", "Co")}
        for char in tried:
            if list(map(len, split(template.format(char)))) != lengths and char not in disputed():
                wrong.append(f"U+{ord(char):04X}")
    assert wrong == []


def per_class(name: str, template: str) -> Iterator[tuple[list[str], list[int]]]:
    """Yield the code points of each range of the class map, and how a text of it is cut."""
    for first, last, _ in compiled(name).classes.ranges:
        chars = [chr(c) for c in range(first, last + 1) if not 0xD800 <= c < 0xE000]
        yield chars, [len(piece) for piece in cut(name, template.format(chr(first)))]


# ---------------------------------------------------------------- random text

HARD = [
    *"aAzZsStTrReEvVmMlLdD'",
    *"0129٣Ⅷ½",
    *" \t\r\n\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000\ufeff",
    *'.,/!-_()"',
    "\u017f",  # long s: folds to s, so 'ſ is a contraction
    "\u212a",  # Kelvin sign: folds to k
    "\u0130",  # dotted I: no simple fold
    "ß",
    "\ufb06",  # ligature st: one character, never two
    "ǅ",  # title case
    "ʰ",  # modifier letter
    "ª",
    "漢",
    "あ",
    "\u0301",  # combining acute
    "\u20dd",  # enclosing circle
    "\u0903",  # spacing mark
    "ක",
    "\u0dca",
    "ි",
    "\u200d",
    "\u200c",
    "👨",
    "👩‍👧",
    "\U0001f3fd",
    "\u0378",  # unassigned
    "\ue000",  # private use
    "\U0010ffff",
    "\r\n",
    "'s",
    "'LL",
    "'\u017f",
    "   ",
]


@pytest.mark.parametrize("name", NAMES)
@examples(2000)
@given(text=st.lists(st.sampled_from(HARD), max_size=14).map("".join))
def test_random_hard_text(name: str, text: str) -> None:
    assert cut(name, text) == oracle(name).findall(text)


@pytest.mark.parametrize("name", NAMES)
@examples(500)
@given(text=st.text(max_size=30))
def test_random_text(name: str, text: str) -> None:
    kept = "".join(char for char in text if char not in disputed())
    assert cut(name, kept) == oracle(name).findall(kept)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(st.characters(), max_size=20))
def test_nothing_is_lost_even_with_lone_surrogates(name: str, text: str) -> None:
    assert "".join(cut(name, text)) == text


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("o200k_base", "I'LL go", ["I'LL", " go"]),
        ("cl100k_base", "I'LL go", ["I", "'LL", " go"]),
        ("o200k_base", "it'\u017f", ["it'\u017f"]),
        ("o200k_base", "ABCdef", ["ABCdef"]),
        ("o200k_base", "abcDEF", ["abc", "DEF"]),
        ("cl100k_base", "abcDEF", ["abcDEF"]),
        ("o200k_base", "1234567", ["123", "456", "7"]),
        ("o200k_base", "a   b", ["a", "  ", " b"]),
        ("o200k_base", "a   ", ["a", "   "]),
        ("cl100k_base", "a \n\n ", ["a", " \n\n "]),
        ("cl100k_base", "\n\n", ["\n\n"]),
        ("o200k_base", "a //\n/b", ["a", " //\n/", "b"]),
    ],
)
def test_known_cuts(name: str, text: str, expected: list[str]) -> None:
    assert cut(name, text) == expected
