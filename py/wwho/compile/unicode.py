"""The sets of code points that Unicode's properties name, pinned to one version of Unicode.

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

ANY_SCRIPT: Final = CodePointSet.of(
    (0x0300, 0x036F),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
    (0xE0100, 0xE01EF),
)
"""The blocks of combining marks and variation selectors that letters of any script may have."""

# A text, since a list would fill the page.
_CODES: Final[dict[str, str]] = dict(
    pair.split(":")
    for pair in """
        arab:arabic armn:armenian beng:bengali bopo:bopomofo cyrl:cyrillic deva:devanagari
        ethi:ethiopic geor:georgian grek:greek gujr:gujarati guru:gurmukhi hang:hangul hani:han
        hebr:hebrew hira:hiragana kana:katakana khmr:khmer knda:kannada laoo:lao latn:latin
        mlym:malayalam mong:mongolian mymr:myanmar orya:oriya sinh:sinhala syrc:syriac
        taml:tamil telu:telugu thaa:thaana tibt:tibetan zinh:inherited zyyy:common
    """.split()  # noqa: SIM905
)
"""The long name of some scripts by their code in ISO 15924, both in small letters."""


@cache
def category(name: str, version: str = UNICODE_VERSION) -> CodePointSet:
    """Return the code points of a general category or a group of categories.

    Args:
        name: The short name: ``"Lu"``, or a group such as ``"L"`` or ``"LC"`` (cased letters). Case
            counts.
        version: The version of Unicode. Of ``"8.0"``, ``"9.0"`` and ``"17.0"``, only some
            categories are known. ``"LC"`` is of `UNICODE_VERSION` whatever is given.

    Returns:
        The code points, unassigned ones and surrogates included for ``"Cn"`` and ``"Cs"``.

    Raises:
        KeyError: If there is no such category, or it is not known for that version.

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
        ranges = (category(member, version).ranges for member in members)
        return CodePointSet(tuple(chain.from_iterable(ranges)))
    chars = _decode_ranges(categories[name])
    if version != UNICODE_VERSION:
        more, fewer = _DATA["differences"][version][name]
        chars = (chars - _decode_ranges(fewer)) | _decode_ranges(more)
    return chars


@cache
def script(name: str) -> CodePointSet:
    """Return the code points whose Script property is `name`.

    Args:
        name: The long name, or the code of a common one, such as ``"Hani"``; case, spaces, hyphens
            and underscores do not count.

    Raises:
        KeyError: If there is no such script, or the code is not among the common ones.

    Example:
        >>> script("hani") == script("Han")
        True
    """
    wanted = _loose_name(name)
    wanted = _CODES.get(wanted, wanted)
    for known, ranges in _DATA["scripts"].items():
        if _loose_name(known) == wanted:
            return _decode_ranges(ranges)
    raise KeyError(name)


def script_names() -> tuple[str, ...]:
    """Return the long names of all scripts, as Unicode spells them: ``"Old_Italic"``."""
    return tuple(_DATA["scripts"])


def binary_property(name: str) -> CodePointSet:
    """Return the code points that have a binary property such as ``"Emoji"``.

    Args:
        name: The long name; case, spaces, hyphens and underscores do not count.

    Raises:
        KeyError: If there is no such property, or it is not among the data of this package.
    """
    wanted = _loose_name(name)
    for known, ranges in _DATA["properties"].items():
        if _loose_name(known) == wanted:
            return _decode_ranges(ranges)
    raise KeyError(name)


@cache
def white_space() -> CodePointSet:
    r"""Return the code points with the property White_Space, which ``\s`` stands for."""
    return _decode_ranges(_DATA["properties"]["White_Space"])


@cache
def alphabetic() -> CodePointSet:
    """Return the code points with the property Alphabetic."""
    return _decode_ranges(_DATA["properties"]["Alphabetic"])


@cache
def word() -> CodePointSet:
    r"""Return the code points that ``\w`` stands for by UTS #18.

    They are letters, combining marks, digits, connectors such as ``_``, and U+200C and U+200D.
    """
    named = alphabetic() | _decode_ranges(_DATA["properties"]["Join_Control"])
    return named | category("M") | category("Nd") | category("Pc")


@cache
def grapheme_break(name: str) -> CodePointSet:
    """Return the code points whose Grapheme_Cluster_Break has a value, such as ``"Prepend"``.

    Args:
        name: UAX #29's name for the value, with its case.

    Raises:
        KeyError: If there is no such value. ``"Other"``, for code points without a value, is none.
    """
    return _decode_ranges(_DATA["grapheme_breaks"][name])


@cache
def conjunct_break(name: str) -> CodePointSet:
    """Return the code points whose Indic_Conjunct_Break has a value.

    Args:
        name: ``"Linker"``, ``"Consonant"`` or ``"Extend"``.

    Raises:
        KeyError: If it is another name.
    """
    if name == "Extend":
        # Not in the data, since UAX #44 derives it from other properties.
        extending = grapheme_break("Extend") | grapheme_break("ZWJ")
        return extending - conjunct_break("Linker") - CodePointSet.of("\u200c")
    return _decode_ranges(_DATA["conjunct_breaks"][name])


@cache
def extended_pictographic() -> CodePointSet:
    """Return the code points with Extended_Pictographic: emoji, and those kept free for some."""
    return _decode_ranges(_DATA["properties"]["Extended_Pictographic"])


@cache
def sentence_terminal() -> CodePointSet:
    """Return the code points with Sentence_Terminal: signs that end a sentence."""
    return _decode_ranges(_DATA["properties"]["Sentence_Terminal"])


def fold(code_point: int) -> CodePointSet:
    """Return the code points equal to this one when case is ignored, itself included.

    Simple case folding: one character never becomes two.

    Example:
        >>> [chr(each) for each in fold(ord("s"))]
        ['S', 's', 'ſ']
    """
    return _case_classes().get(code_point) or CodePointSet.of(code_point)


def fold_set(chars: CodePointSet) -> CodePointSet:
    """Return a set and every code point equal to one of its members when case is ignored.

    It takes time for the cased members only, so that a set of a million code points is no trouble.
    """
    classes, cased = _case_classes(), _cased_code_points()
    places = (
        (bisect_left(cased, first), bisect_right(cased, last)) for first, last in chars.ranges
    )
    cased_members = chain.from_iterable(cased[begin:end] for begin, end in places)
    more_ranges = chain.from_iterable(classes[each].ranges for each in cased_members)
    return CodePointSet((*chars.ranges, *more_ranges))


@cache
def _cased_code_points() -> list[int]:
    """Return the code points that equal others when case is ignored, in ascending order."""
    return sorted(_case_classes())


@cache
def _case_classes() -> dict[int, CodePointSet]:
    """Return, for each cased code point, the code points equal to it under simple case folding."""
    classes: dict[int, CodePointSet] = {}
    for text in _DATA["folds"].split():
        members = CodePointSet.of(*(int(item, 16) for item in text.split("=")))
        classes.update(dict.fromkeys(members, members))
    return classes


def _decode_ranges(text: str) -> CodePointSet:
    """Return the set that the data file writes as hexadecimal ranges: ``41-5A AA B5``."""
    pairs = (item.partition("-") for item in text.split())
    return CodePointSet(tuple((int(lo, 16), int(hi or lo, 16)) for lo, _, hi in pairs))


def _loose_name(name: str) -> str:
    """Return a property's name without spaces, hyphens, underscores and case (UAX44-LM3)."""
    return name.translate({ord(ignored): None for ignored in " -_"}).casefold()
