"""The Unicode properties a pattern may name, pinned to one version.

The version is the one the regex engine of tiktoken 0.14 uses, so that a pattern means here
exactly what it means there. ``tools/gen_unicode.py`` writes the data; nothing reads Python's own
``unicodedata``, whose version changes with the interpreter.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final

from wwho.compile.codepoints import CodePointSet

_DATA: Final[dict[str, Any]] = json.loads(
    files(__package__).joinpath("unicode.json").read_text(encoding="utf-8")
)

UNICODE_VERSION: Final[str] = _DATA["version"]
"""The Unicode version of every property in this module, for example ``"16.0.0"``."""

ANY_SCRIPT: Final = CodePointSet(
    (
        *((0x0300, 0x036F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF)),
        *((0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF)),
    )
)
"""Blocks of combining marks and variation selectors that letters of any script may have."""


_CODES: Final[dict[str, str]] = dict(
    pair.split(":")
    for pair in """
        arab:arabic armn:armenian beng:bengali bopo:bopomofo cyrl:cyrillic deva:devanagari
        ethi:ethiopic geor:georgian grek:greek gujr:gujarati guru:gurmukhi hang:hangul hani:han
        hebr:hebrew hira:hiragana kana:katakana khmr:khmer knda:kannada laoo:lao latn:latin
        mlym:malayalam mong:mongolian mymr:myanmar orya:oriya sinh:sinhala syrc:syriac
        taml:tamil telu:telugu thaa:thaana tibt:tibetan zinh:inherited zyyy:common
    """.split()  # noqa: SIM905 - a list would fill the page
)
"""Names of scripts by their code in ISO 15924."""


@cache
def category(name: str, version: str = UNICODE_VERSION) -> CodePointSet:
    """Return the code points of a general category or a group of them.

    Args:
        name: The short name: ``"Lu"``, or a group such as ``"L"`` or ``"LC"`` (cased letters).
        version: Another version of Unicode, of which some categories are known: ``"8.0"``,
            ``"9.0"`` or ``"17.0"``.

    Returns:
        Its code points.

    Raises:
        KeyError: If there is no such category, or it is not known of that version.

    Example:
        >>> len(category("P", "8.0")) < len(category("P"))
        True
    """
    categories: dict[str, str] = _DATA["categories"]
    if name == "LC":
        return category("Lu") | category("Ll") | category("Lt")
    if len(name) == 1:
        members = [member for member in categories if member.startswith(name)]
        if not members:
            raise KeyError(name)
        each = (category(member, version).ranges for member in members)
        return CodePointSet(tuple(one for some in each for one in some))
    found = _decode(categories[name])
    if version != UNICODE_VERSION:
        more, fewer = _DATA["differences"][version][name]
        found = (found - _decode(fewer)) | _decode(more)
    return found


@cache
def script(name: str) -> CodePointSet:
    """Return the code points whose Script property is `name`.

    Args:
        name: The long name, or the code of a common one, such as ``"Hani"``; case, spaces, hyphens
            and underscores do not count.

    Returns:
        Its code points.

    Raises:
        KeyError: If there is no such script.
    """
    wanted = _loose(name)
    wanted = _CODES.get(wanted, wanted)
    for known, ranges in _DATA["scripts"].items():
        if _loose(known) == wanted:
            return _decode(ranges)
    raise KeyError(name)


def script_names() -> tuple[str, ...]:
    """The long names of all scripts."""
    return tuple(_DATA["scripts"])


def binary_property(name: str) -> CodePointSet:
    """Return the code points with a property such as ``"Emoji"``.

    Args:
        name: its long name; case, spaces, hyphens and underscores do not count.

    Raises:
        KeyError: If there is no such property, or it is not among the data.
    """
    wanted = _loose(name)
    for known, ranges in _DATA["properties"].items():
        if _loose(known) == wanted:
            return _decode(ranges)
    raise KeyError(name)


@cache
def white_space() -> CodePointSet:
    r"""Return the White_Space property: what ``\s`` means."""
    return _decode(_DATA["properties"]["White_Space"])


@cache
def alphabetic() -> CodePointSet:
    """Return the Alphabetic property."""
    return _decode(_DATA["properties"]["Alphabetic"])


@cache
def word() -> CodePointSet:
    r"""Return what ``\w`` means by UTS #18: letters, marks, digits, connectors and joiners."""
    named = alphabetic() | _decode(_DATA["properties"]["Join_Control"])
    return named | category("M") | category("Nd") | category("Pc")


@cache
def grapheme_break(name: str) -> CodePointSet:
    """Return the code points with a value of Grapheme_Cluster_Break, by UAX #29's name for it.

    Raises:
        KeyError: If there is no such value; "Other" is what is in none.
    """
    return _decode(_DATA["grapheme_breaks"][name])


@cache
def conjunct_break(name: str) -> CodePointSet:
    """Return the code points with a value of Indic_Conjunct_Break: `Linker`, `Consonant`, `Extend`.

    Raises:
        KeyError: If there is no such value.
    """
    if name == "Extend":
        extending = grapheme_break("Extend") | grapheme_break("ZWJ")
        return extending - conjunct_break("Linker") - CodePointSet.of("\u200c")
    return _decode(_DATA["conjunct_breaks"][name])


@cache
def extended_pictographic() -> CodePointSet:
    """Return the Extended_Pictographic property: emoji, and what may become one."""
    return _decode(_DATA["properties"]["Extended_Pictographic"])


@cache
def sentence_terminal() -> CodePointSet:
    """Return the Sentence_Terminal property: what ends a sentence."""
    return _decode(_DATA["properties"]["Sentence_Terminal"])


def fold(code_point: int) -> CodePointSet:
    """Return every code point equal to this one when case is ignored, itself included.

    Simple case folding: ``fold(ord("s"))`` is ``s``, ``S`` and U+017F; one character never
    becomes two.
    """
    return _orbits().get(code_point) or CodePointSet.of(code_point)


def fold_set(chars: CodePointSet) -> CodePointSet:
    """Return `chars` with every code point equal to one of them when case is ignored."""
    orbits, cased = _orbits(), _cased()
    ends = ((bisect_left(cased, first), bisect_right(cased, last)) for first, last in chars.ranges)
    members = chain.from_iterable(cased[begin:end] for begin, end in ends)
    return CodePointSet((*chars.ranges, *(r for each in members for r in orbits[each].ranges)))


@cache
def _cased() -> list[int]:
    """The code points that equal others when case is ignored, in order."""
    return sorted(_orbits())


@cache
def _orbits() -> dict[int, CodePointSet]:
    """Map each cased code point to its equivalence class under simple case folding."""
    orbits: dict[int, CodePointSet] = {}
    for text in _DATA["folds"].split():
        members = CodePointSet.of(*(int(item, 16) for item in text.split("=")))
        orbits.update(dict.fromkeys(members, members))
    return orbits


def _decode(text: str) -> CodePointSet:
    """Read ranges in the data file's form: hexadecimal, ``41-5A AA B5``."""
    pairs = (item.partition("-") for item in text.split())
    return CodePointSet(tuple((int(lo, 16), int(hi or lo, 16)) for lo, _, hi in pairs))


def _loose(name: str) -> str:
    """Reduce a property name to what UAX #44 loose matching compares."""
    return name.translate({ord(mark): None for mark in " -_"}).casefold()
