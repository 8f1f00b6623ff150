"""What classes in Python do to texts with the methods of Python, as steps."""

from __future__ import annotations

from functools import cache

from wwho.compile.codepoints import CodePointSet
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.compile.syntax import Behind, Chars, Look, Seq, many
from wwho.compile.unicode import binary_property, category
from wwho.format.steps import MATCH, Map, Rewrite
from wwho.importers.huggingface.patterns import ANY, Patterns, one_of

NEWER = "characters that are newer than the Unicode of Python 3.11, which is 14.0"
NOTE = f"{NEWER}, are letters and signs here, as Unicode 16.0 has them"
BEFORE, BEHIND = "\ufdd0\ufdd1"
"""Code points that no text has: a letter stands before them, or behind them."""
CHINESE = CodePointSet.of(
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Characters that are words, as the classes of BERT in Python have them."""


@cache
def punctuation() -> CodePointSet:
    """Return the characters that BERT's classes in Python cut words at."""
    ascii_signs = CodePointSet.of((33, 47), (58, 64), (91, 96), (123, 126))
    return ascii_signs | category("P")


def lowered(patterns: Patterns) -> list[Rewrite]:
    """Return the steps of `str.lower`, which ends words with ς.

    Σ becomes ς behind a letter that has cases and before none; signs such as apostrophes and
    combining marks between do not count.
    """
    cased = binary_property("Lowercase") | binary_property("Uppercase") | category("Lt")
    others = (
        *("Mn", "Me", "Cf", "Lm", "Sk"),
        "'.:\xb7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a",
    )
    skipped = CodePointSet.of(*others[-1])
    for name in others[:-1]:
        skipped |= category(name)
    cased, sigma = cased - skipped, one_of("Σ")
    between, before = many(Chars(skipped), 1), Look(negative=False, chars=cased)
    behind = Behind(negative=False, chars=cased)
    last = Look(negative=True, chars=cased | CodePointSet.of(BEFORE))
    marked = patterns.replace(
        "marks between letters",
        (Seq((behind, between, before)), BEFORE + MATCH + BEHIND),
        (Seq((between, before)), BEFORE + MATCH),
        (ANY, None),
    )
    ended = patterns.replace(
        "Σ at the end of a word",
        (Seq((one_of(BEHIND), sigma, last)), "ς"),
        (Seq((behind, sigma, last)), "ς"),
        (one_of(BEFORE, BEHIND), ""),
        (ANY, None),
    )
    return [marked, ended, lower_case()]


def cleaned(patterns: Patterns, *, lower: bool, accents: bool | None) -> list[Rewrite]:
    """Return the steps with which BERT's classes in Python clean a text, before they cut words.

    Spaces, tabs and line breaks become U+0020; NUL, U+FFFD, other controls and unassigned code
    points go; then comes NFC, lower case, and the removal of accents (NFD without `Mn`).

    Args:
        patterns: collects the patterns of the steps, in place.
        lower: whether text becomes lower case.
        accents: whether accents are removed; None: only if `lower`.
    """
    gone = CodePointSet.of(0, 0xFFFD)
    for name in ("Cc", "Cf", "Co", "Cn"):
        gone |= category(name)
    spaces = category("Zs") | CodePointSet.of("\t", "\n", "\r", 0x2028, 0x2029)
    steps: list[Rewrite] = [
        patterns.replace("clean", (Chars(spaces), " "), (Chars(gone), ""), (ANY, None)),
        normal_form("nfc"),
    ]
    if lower:
        steps += lowered(patterns)
    if lower if accents is None else accents:
        steps += [normal_form("nfd"), Map(dict.fromkeys(category("Mn"), ()))]
    return steps
