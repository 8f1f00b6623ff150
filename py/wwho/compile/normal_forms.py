"""Unicode's normal forms and lower case, as steps of a normalizer."""

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
    """A normal form of UAX 15.

    Args:
        form: "nfc", "nfd", "nfkc" or "nfkd".
        unicode: the version of Unicode whose characters it knows; all others stay as they are.
            Forms never change for characters that a version knows.

    Example:
        >>> normal_form("nfc").pairs[0x65, 0x301] == ord("é")
        True
    """
    data = _data()
    young = set() if unicode == "16.0" else _code_points(data[f"younger than {unicode}"])
    single = _entries(data["canonical"])
    if form in ("nfkc", "nfkd"):
        single |= _entries(data["compatible"])
    single = {code_point: to for code_point, to in single.items() if code_point not in young}
    classes = _entries(data["classes"])
    composing = _code_points(data["composing"]) - young if form in ("nfc", "nfkc") else set()
    canonical = _entries(data["canonical"])
    return Map(
        mapping={each: _whole(single, each) for each in single.keys() - composing},
        order={code_point: to[0] for code_point, to in classes.items() if code_point not in young},
        pairs={(canonical[each][0], canonical[each][1]): each for each in composing},
        decomposes_hangul=True,
        composes_hangul=form in ("nfc", "nfkc"),
    )


@cache
def lower_case() -> Map:
    """Lower case of each code point alone, by Unicode 17.0: Σ is always σ, İ becomes i̇.

    Example:
        >>> lower_case().mapping[ord("Σ")] == (ord("σ"),)
        True
    """
    return Map(_entries(_data()["lower"]))


def _whole(single: dict[int, tuple[int, ...]], code_point: int) -> tuple[int, ...]:
    """What a code point is made of in the end."""
    to = single.get(code_point)
    if to is None:
        return (code_point,)
    return tuple(part for each in to for part in _whole(single, each))


def _entries(text: str) -> dict[int, tuple[int, ...]]:
    split = (entry.split("=") for entry in text.split())
    return {int(key, 16): tuple(int(part, 16) for part in to.split(".")) for key, to in split}


def _code_points(text: str) -> set[int]:
    return {int(each, 16) for each in text.split()}


@cache
def _data() -> dict[str, str]:
    text = (resources.files("wwho.compile") / "normalization.json").read_text("utf-8")
    data: dict[str, str] = json.loads(text)
    return data
