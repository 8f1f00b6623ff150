r"""BertNormalizer: what BERT does to a text before it cuts it into words.

In this order: control characters vanish and white space becomes a space, spaces go around each
ideograph, accents vanish, letters become lower case.

Options:
    clean_text: whether the first of these is done.
    handle_chinese_chars: whether the second is.
    strip_accents: whether the third is; null: if `lowercase` is.
    lowercase: whether the last is.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> options = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
    >>> normalize({"type": "BertNormalizer", **options, "lowercase": True}, "É\t字!")
    'e  字 !'
"""

from __future__ import annotations

from wwho.compile.codepoints import CodePointSet
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.compile.syntax import Chars
from wwho.compile.unicode import category, white_space
from wwho.format.steps import MATCH, Map, Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import ANY, Patterns
from wwho.interchange.bert import IDEOGRAPHS

KEPT_CONTROLS = CodePointSet.of("\t", "\n", "\r")


def steps(value: Value, patterns: Patterns) -> list[Rewrite]:
    """Return up to five steps: clean, spaces, NFD, no combining marks, lower case.

    The first two are there with clean_text and handle_chinese_chars, the last with lowercase, and
    the two before it with strip_accents, which is as lowercase if it is null.

    Raises:
        SourceError: an option is missing or of another type.
    """
    clean, lowercase = value.flag("clean_text"), value.flag("lowercase")
    accents = value.option("strip_accents", bool)
    found: list[Rewrite] = []
    if clean:
        # Private characters alone are more than a MAP can hold.
        gone = category("Cc", "8.0") | category("Cf", "8.0") | category("Co", "8.0")
        gone = (gone | CodePointSet.of(0, 0xFFFD)) - KEPT_CONTROLS
        spaces = Chars(white_space())
        found.append(patterns.replace("clean", (Chars(gone), ""), (spaces, " "), (ANY, None)))
    if value.flag("handle_chinese_chars"):
        apart = Chars(IDEOGRAPHS), f" {MATCH} "
        found.append(patterns.replace("ideographs apart", apart, (ANY, None)))
    if lowercase if accents is None else accents:
        found.append(normal_form("nfd", "9.0"))
        found.append(Map(dict.fromkeys(category("Mn", "8.0"), ())))
    if lowercase:
        found.append(lower_case())
    return found
