"""The tables of Unicode's normal forms and of lower case, as rewriting steps of a model.

They are data: `wwho.normalize` brings texts into a form by them, and importers put them into models
whose tokenizer normalizes.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Literal

from wwho.format.steps import Map

Form = Literal["nfc", "nfd", "nfkc", "nfkd"]
Unicode = Literal["16.0", "9.0"]


@cache
def normal_form(form: Form, unicode: Unicode = "16.0") -> Map:
    """Return the step that brings a text into a normal form of UAX #15.

    The same object is returned each time.

    Args:
        form: "nfc", "nfd", "nfkc" or "nfkd".
        unicode: The version of Unicode whose characters the step knows; it leaves all others as
            they are. Between versions, only characters that are new to one differ.

    Returns:
        The step. Its `mapping` decomposes characters fully, except those that are composed again
        in the end: they are in `pairs`, by the two characters that make them.

    Example:
        >>> normal_form("nfc").pairs[0x65, 0x301] == ord("é")
        True
    """
    data = _tables()
    canonical = _parse_mappings(data["canonical"])
    combining_classes = _parse_mappings(data["classes"])
    unknown = set() if unicode == "16.0" else _parse_code_points(data[f"younger than {unicode}"])
    decompositions = dict(canonical)
    if form in ("nfkc", "nfkd"):
        decompositions |= _parse_mappings(data["compatible"])
    for code_point in unknown:
        decompositions.pop(code_point, None)
    composed = set[int]()
    if form in ("nfc", "nfkc"):
        composed = _parse_code_points(data["composing"]) - unknown
    return Map(
        mapping={
            each: _full_decomposition(decompositions, each)
            for each in decompositions.keys() - composed
        },
        order={
            code_point: classes[0]
            for code_point, classes in combining_classes.items()
            if code_point not in unknown
        },
        pairs={(canonical[each][0], canonical[each][1]): each for each in composed},
        decomposes_hangul=True,
        composes_hangul=form in ("nfc", "nfkc"),
    )


@cache
def lower_case() -> Map:
    """Return the step that maps each code point to its lower case by Unicode 17.0.

    It looks at each code point alone: Σ becomes σ even at the end of a word, İ becomes i̇ (two code
    points).

    Example:
        >>> lower_case().mapping[ord("Σ")] == (ord("σ"),)
        True
    """
    return Map(_parse_mappings(_tables()["lower"]))


def _full_decomposition(
    decompositions: dict[int, tuple[int, ...]], code_point: int
) -> tuple[int, ...]:
    """Return the code points that remain after a code point is decomposed until nothing changes."""
    parts = decompositions.get(code_point)
    if parts is None:
        return (code_point,)
    return tuple(each for part in parts for each in _full_decomposition(decompositions, part))


def _parse_mappings(text: str) -> dict[int, tuple[int, ...]]:
    """Return the code points by code point that the data file writes as ``C0=41.300 C1=41.301``."""
    entries = (entry.split("=") for entry in text.split())
    return {
        int(key, 16): tuple(int(part, 16) for part in parts.split(".")) for key, parts in entries
    }


def _parse_code_points(text: str) -> set[int]:
    """Return the code points that the data file writes in hexadecimal, separated by blanks."""
    return {int(each, 16) for each in text.split()}


@cache
def _tables() -> dict[str, str]:
    """Return the data file's texts by name; tools/gen_normalization.py writes it."""
    text = (resources.files("wwho.compile") / "normalization.json").read_text("utf-8")
    tables: dict[str, str] = json.loads(text)
    return tables
