r"""NFC, NFD, NFKC, NFKD: the normal forms of Unicode 9.0, the version that `tokenizers` has.

Characters that are newer than Unicode 9.0 stay as they are. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import normalize
    >>> [len(normalize({"type": form}, "\u00e9\ufb01")) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    [2, 3, 3, 4]
"""

from __future__ import annotations

from wwho.compile.normal_forms import Form, normal_form
from wwho.format.steps import Rewrite
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns

FORMS: dict[str, Form] = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd"}
"""What each type of normalizer is called in `wwho.compile.normal_forms`."""


def steps(value: Value, _: Patterns) -> list[Rewrite]:
    """Return the step that brings a text into the normal form that the type names."""
    return [normal_form(FORMS[value.kind()], "9.0")]
