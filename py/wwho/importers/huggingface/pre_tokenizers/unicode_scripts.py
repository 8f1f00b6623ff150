r"""UnicodeScripts: cuts where the script of the characters changes.

Spaces go on with any script, and so do characters that Unicode 9.0 does not know; at the beginning
of a piece they are left out. Hiragana and Katakana count as Han. There are no options.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> pre_tokenize({"type": "UnicodeScripts"}, " abc \u0dc3\u0dd2\u6f22\u304b")
    ['abc ', 'සි', '漢か']
"""

from __future__ import annotations

from functools import cache, reduce
from operator import sub

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import Chars, Seq, alt, many
from wwho.compile.unicode import category, script, script_names
from wwho.format.steps import Action, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import ANY, Patterns


def steps(_: Value, patterns: Patterns) -> list[Step]:
    """Return the step that keeps runs of one script and of what goes on with it."""
    known = list(_scripts().values())
    with_any = reduce(sub, known, ALL)
    runs = (Seq((Chars(chars), many(Chars(chars | with_any)))) for chars in known)
    return [patterns.cut("scripts", (alt(*runs), Action.KEEP), (ANY, Action.DROP))]


@cache
def _scripts() -> dict[str, CodePointSet]:
    """Return the characters of each script, as the table of `tokenizers` has them.

    Hiragana and Katakana are Han, the space is in none, and characters younger than Unicode 9 are
    left out, as is the script Unknown. A few signs are in other scripts than Unicode says.
    """
    later = category("Cn", "9.0")
    found = {name: script(name) - later - CodePointSet.of(" ") for name in script_names()}
    changed = {
        "Common": CodePointSet.of(0x589, 0x61C),
        "Devanagari": CodePointSet.of(0x953, 0x954),
        "Han": found.pop("Hiragana") | found.pop("Katakana") | CodePointSet.of(0x30FC),
    }
    for name, chars in changed.items():
        found = {each: others - chars for each, others in found.items()}
        found[name] |= chars
    return {name: chars for name, chars in found.items() if chars and name != "Unknown"}
