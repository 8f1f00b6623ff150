"""Grapheme clusters are cut by the grammar as by the rules of UAX #29, written out one by one.

Two oracles: the rules, over the same properties; and the `regex` package. Its Unicode version may
be newer than the pinned one, so what has changed is left out: code points with other properties,
and GB9c where no consonant stands before the linker.
"""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from exhaustive import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from wwho.compile import unicode
from wwho.compile.codepoints import CodePointSet
from wwho.compile.grapheme import grapheme_cluster
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.reference.scan import matches

CLUSTERS = compile_scanners([Scanner("clusters", (grapheme_cluster(),), longest=True)])
CLASSES = CLUSTERS.classes
EVERYTHING = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
BREAKS = (
    *("CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark"),
    *("L", "V", "T", "LV", "LVT"),
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in matches(CLUSTERS, CLUSTERS.automata[0], text)]


# ---------------------------------------------------------------- the rules, one by one


@cache
def property_of(char: str) -> str:
    found = [name for name in BREAKS if char in unicode.grapheme_break(name)]
    assert len(found) <= 1
    return found[0] if found else "Other"


@cache
def conjunct_of(char: str) -> str:
    found = [n for n in ("Linker", "Consonant", "Extend") if char in unicode.conjunct_break(n)]
    assert len(found) <= 1
    return found[0] if found else "None"


def breaks_before(text: str, at: int) -> bool:
    """Whether there is a boundary before text[at], which is not the first character."""
    left, right = property_of(text[at - 1]), property_of(text[at])
    controls = ("CR", "LF", "Control")
    if (left, right) == ("CR", "LF"):  # GB3
        return False
    if left in controls or right in controls:  # GB4, GB5
        return True
    if left == "L" and right in ("L", "V", "LV", "LVT"):  # GB6
        return False
    if left in ("LV", "V") and right in ("V", "T"):  # GB7
        return False
    if left in ("LVT", "T") and right == "T":  # GB8
        return False
    if right in ("Extend", "ZWJ", "SpacingMark") or left == "Prepend":  # GB9, GB9a, GB9b
        return False
    if conjunct_of(text[at]) == "Consonant" and ends_with_linked_consonant(text[:at]):  # GB9c
        return False
    if left == "ZWJ" and text[at] in unicode.extended_pictographic():  # GB11
        before = text[: at - 1]
        while before and property_of(before[-1]) == "Extend":
            before = before[:-1]
        if before and before[-1] in unicode.extended_pictographic():
            return False
    flags = len(text[:at]) - len(text[:at].rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
    return not (right == "Regional_Indicator" and flags % 2)  # GB12, GB13; else GB999


def ends_with_linked_consonant(text: str) -> bool:
    linked = False
    while text and conjunct_of(text[-1]) in ("Extend", "Linker"):
        linked |= conjunct_of(text[-1]) == "Linker"
        text = text[:-1]
    return linked and text != "" and conjunct_of(text[-1]) == "Consonant"


def by_rules(text: str) -> list[str]:
    bounds = [0, *(at for at in range(1, len(text)) if breaks_before(text, at)), len(text)]
    return [text[a:b] for a, b in pairwise(bounds) if a < b]


@cache
def members() -> list[list[tuple[int, int]]]:
    """The ranges of each class."""
    ranges: list[list[tuple[int, int]]] = [[] for _ in range(CLASSES.n_classes)]
    for first, last, label in CLASSES.ranges:
        ranges[label].append((first, last))
    return ranges


def characters() -> st.SearchStrategy[str]:
    """Characters, as many of one class as of another."""
    return st.integers(0, CLASSES.n_classes - 1).flatmap(
        lambda label: st.sampled_from(members()[label]).flatmap(
            lambda bounds: (
                st.characters(
                    min_codepoint=bounds[0], max_codepoint=bounds[1], exclude_categories=["Cs"]
                )
                if not 0xD800 <= bounds[0] <= bounds[1] < 0xE000
                else st.just("\n")
            )
        )
    )


texts = st.lists(characters(), max_size=12).map("".join)


@examples(1000)
@given(texts)
def test_clusters_are_cut_by_the_rules(text: str) -> None:
    assert cut(text) == by_rules(text)


def test_every_triple_of_classes_is_cut_by_the_rules() -> None:
    samples = [chr(ranges[0][0]) for ranges in members()]
    for triple in ((a, b, c) for a in samples for b in samples for c in samples):
        text = "".join(triple)
        assert cut(text) == by_rules(text)


# ---------------------------------------------------------------- the regex package


@cache
def disputed() -> CodePointSet:
    """The code points that have other properties in the regex package."""
    ours = {rf"\p{{GCB={name}}}": unicode.grapheme_break(name) for name in BREAKS}
    for name in ("Linker", "Consonant", "Extend"):
        ours[rf"\p{{InCB={name}}}"] = unicode.conjunct_break(name)
    ours[r"\p{ExtPict}"] = unicode.extended_pictographic()
    surrogates = set(range(0xD800, 0xE000))
    found: set[int] = set()
    for pattern, chars in ours.items():
        found |= set(map(ord, regex.findall(pattern, EVERYTHING))) ^ (set(chars) - surrogates)
    return CodePointSet.of(*found)


# A later GB9c joins these as well.
LINKED_TO_NOTHING = regex.compile(
    r"(?<!\p{InCB=Consonant}[\p{InCB=Extend}\p{InCB=Linker}]*)"
    r"\p{InCB=Linker}\p{InCB=Extend}*\p{InCB=Consonant}"
)


def test_few_code_points_are_disputed_and_none_of_the_shipped_scripts() -> None:
    assert len(disputed()) < 3000
    for name in ("Sinhala", "Devanagari", "Hangul", "Latin"):
        assert not disputed() & unicode.script(name)


@examples(1000)
@given(texts)
def test_clusters_are_those_of_the_regex_package(text: str) -> None:
    text = "".join(char for char in text if char not in disputed())
    assume(not LINKED_TO_NOTHING.search(text))
    assert cut(text) == regex.findall(r"\X", text)


def test_every_code_point_beside_those_that_matter() -> None:
    """Clusters depend on classes alone: one cut for each range serves all of its code points."""
    template = "a{0}{0}\u0301{0}\n{0}👩\u200d{0}🇱{0}🇰क\u094d{0}ᄀ{0}ᅡ{0}\u0600{0}"
    skipped = {chr(c) for c in disputed()}
    find = regex.compile(r"\X").findall
    rng = random.Random(16)
    for first, last, _ in CLASSES.ranges:
        expected = list(map(len, cut(template.format(chr(first)))))
        chars = range(first, last + 1)
        for c in chars if len(chars) < 500 else [first, last, *rng.sample(chars, 500)]:
            char = chr(c)
            if char not in skipped and not 0xD800 <= c < 0xE000:
                assert list(map(len, find(template.format(char)))) == expected, f"U+{c:04X}"


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["test_si", "test_hi", "test_en", "test_mixed", "test_kn"])
def test_clusters_of_the_corpora(name: str, corpora: Path) -> None:
    for line in lines(corpora / f"{name}.txt.xz", 300):
        disputes = LINKED_TO_NOTHING.search(line) or any(c in disputed() for c in set(line))
        if not disputes:
            assert cut(line) == regex.findall(r"\X", line)


def lines(path: Path, most: int) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for _, line in zip(range(most), stream, strict=False):
            yield line


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    "clusters",
    [
        ["e\u0301", "\r\n", "\r", "\r\n", "\n"],
        ["क्षि", "त्र", " ", "कि"],  # GB9c
        ["क्\u200dष", "क्\u200c", "ष"],  # a joiner joins, a non-joiner does not
        ["ක්", "ෂ"],  # Sinhala has no part in GB9c
        ["🇱🇰", "🇮🇳", "🇱"],
        ["👩\u200d👧", "👍🏽", "1\ufe0f\u20e3"],
        ["각", "\u1100\u1161\u11a8", "\u1161"],
        ["\u0600१", "a"],
    ],
)
def test_clusters_by_hand(clusters: list[str]) -> None:
    assert cut("".join(clusters)) == clusters
