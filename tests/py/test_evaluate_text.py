"""How `wwho eval` reads text, and the words, clusters and whole tokens that it finds there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from evaluated import LINES, TEXT
from hypothesis import given
from hypothesis import strategies as st

import wwho
from wwho.corpus import Corpus
from wwho.evaluate.encoders import Encoder
from wwho.evaluate.metrics import id_bytes
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.text_blocks import Block, ByteRanges, Damage, read_blocks


def test_clusters_by_rule_gb9c() -> None:
    """Conjuncts are one cluster in Devanagari, not in Sinhala; and none without a first letter."""
    for line, expected in (
        ("क्षि", ["क्षि"]),
        ("क्‍ष", ["क्‍ष"]),
        ("क्‌ष", ["क्‌", "ष"]),
        ("क्ष්", ["क्ष්"]),
        ("ක්‍ෂ", ["ක්‍", "ෂ"]),
        ("a्क", ["a्", "क"]),
        ("कि्क", ["कि्", "क"]),
        ("a\r\nb", ["a", "\r\n", "b"]),
        ("👩‍👩‍👧🇱🇰🇱🇰", ["👩‍👩‍👧", "🇱🇰", "🇱🇰"]),
    ):
        found = Block(["", line]).clusters
        data = line.encode()
        assert [
            data[start:end].decode()
            for start, end in zip(*map(np.ndarray.tolist, found), strict=True)
        ] == expected


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=8),
    st.sets(st.integers(0, 60)),
)
def test_damage_is_what_counting_gives(gaps: list[tuple[int, int]], cuts: set[int]) -> None:
    stretches, end = [], 0
    for gap, size in gaps:
        stretches.append((end + gap, end + gap + size))
        end += gap + size
    hits = [cut for cut in cuts for start, stop in stretches if start < cut < stop]
    broken = [span for span in stretches if any(span[0] < cut < span[1] for cut in cuts)]
    extents = ByteRanges(*np.array(stretches, np.int64).reshape(-1, 2).T)
    assert extents.count_damage(np.array(sorted(cuts), np.int64)) == Damage(len(hits), len(broken))


@given(st.lists(st.text(st.sampled_from("aක \t\u00a0\u3000\x1c\u200b😀"), max_size=9), min_size=1))
def test_words_are_those_of_split(lines: list[str]) -> None:
    block = Block(lines)
    assert int(block.word_starts.sum()) == sum(len(line.split()) for line in lines)
    routes = np.array([char == "ක" for char in "".join(lines)], np.int64)
    runs = [
        part for line in lines for word in line.split() for part in re.findall("ක+|[^ක]+", word)
    ]
    assert int(block.word_starts_within(routes).sum()) == len(runs)


def test_blocks_are_lines_whatever_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\n\u2028ක\r\n".encode() + "ක".encode()[:2] + b"x\n\xff")
    found = list(read_blocks(Corpus([path]), lambda size: None))
    assert [line for block in found for line in block.lines] == [
        *("", "\u2028ක\r", "\ufffd\ufffdx", "\ufffd")
    ]
    assert sum(block.broken_bytes for block in found) == 3


def test_large_texts_come_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT * 60_000, "utf-8")
    found = list(read_blocks(Corpus([path]), lambda size: None))
    assert len(found) > 1
    assert [line for block in found for line in block.lines] == LINES * 60_000


def test_whole_tokens() -> None:
    grammar = Grammar(Encoder("wwho_328k", wwho.encodings.model_bytes("wwho_328k")).backend)
    whole = ["ක්‍ෂි", "ක ක්‍ෂි ම", " ක", "ක්", "।", "12", " ", "ab", "ॐ", "(ක"]
    broken = ["ි", "්ක", "\u200dර", " \u200dර", "ं"]
    found = grammar.are_whole([text.encode() for text in whole + broken])
    assert found.tolist() == [True] * len(whole) + [False] * len(broken)
    assert grammar.are_whole([None, b"", "ක".encode()[:2]]).tolist() == [False, True, False]
    assert grammar.are_whole([]).tolist() == []


def test_ids_take_whole_bytes() -> None:
    sizes = {1: 1, 256: 1, 257: 2, 65_536: 2, 65_537: 3, 328_020: 3, 2**24: 3, 2**24 + 1: 4}
    assert {n_vocab: id_bytes(n_vocab) for n_vocab in sizes} == sizes
