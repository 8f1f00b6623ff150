"""What llama.cpp calls the pretokenizer of a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from wwho.assemble.patterns import PATTERNS
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.oniguruma import parse_oniguruma
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Chars
from wwho.compile.unicode import category
from wwho.exporters.alike import NOTHING, cut_alike
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Route
from wwho.format.steps import Action, Cut
from wwho.interchange.llama_patterns import LATER, PRETOKENIZERS, Pretokenizer, cuts_of

_O200K, _CL100K = PATTERNS["o200k_base"], PATTERNS["cl100k_base"]
_TEKKEN = _O200K.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace("{1,3}", "")
_UNICODE = "it does not know the characters of Unicode 16 and later"
_LONG_S = "U+017F does not stand for s in it"
_CASE = f"it knows no case of letters outside ASCII, and {_UNICODE}"
_MARKS = f"it cuts words before and after marks, as in most words of Hindi or Tamil; {_CASE}"

_APPROXIMATED = (
    (parse_regex(_O200K), "granite-embed-multi-97m", f"older versions do not have it; {_CASE}"),
    (parse_oniguruma(_O200K), "granite-embed-multi-97m", f"older versions do not have it; {_CASE}"),
    (parse_regex(_O200K), "gpt-4o", _MARKS),
    (parse_oniguruma(_O200K), "gpt-4o", _MARKS),
    (parse_oniguruma(_TEKKEN), "tekken", _MARKS),
    (
        parse_regex(_CL100K),
        "dbrx",
        f"{_LONG_S}, {_UNICODE}, and at the end of a text it cuts white space after a line break",
    ),
)
"""Patterns for which llama.cpp has a name, and how what it does differs; the nearest come first."""


def name_of(artifact: Artifact, model: BPE) -> tuple[str, str] | None:
    """Return llama.cpp's name of a model's pretokenizer, and how it differs; None if it has none.

    Pretokenizers that take whole pretokens as the model does come first.

    Args:
        artifact: the artifact, whose cuts are compared.
        model: its model, which tells whether whole pretokens are tokens.

    Returns:
        The name; and a text for a note on how llama.cpp cuts otherwise, "" if it does not.
    """
    for node, name, difference in _APPROXIMATED:
        if not _fits(PRETOKENIZERS[name], model):
            continue
        scanner = Scanner(name, (node, Chars(ALL)), longest=False)
        cut = Cut(0, (Action.KEEP, Action.GROUP))
        if cut_alike(artifact, _only_cuts([(scanner, cut)])):
            return name, difference
    later = LATER | (category("N", "17.0") - category("N"))
    differences = {
        NOTHING: "",
        later: _UNICODE,
        later | CodePointSet.of(0x17F): f"{_UNICODE}, and {_LONG_S}",
    }
    for name in sorted(_names(), key=lambda name: PRETOKENIZERS[name].whole != model.whole):
        pretokenizer = PRETOKENIZERS[name]
        if pretokenizer.groups or not _fits(pretokenizer, model):
            continue
        cutting = _of(pretokenizer)
        found = [but for but in differences if cut_alike(artifact, cutting, but)]
        if found:
            return name, differences[found[0]]
    return None


def _fits(pretokenizer: Pretokenizer, model: BPE) -> bool:
    """Return whether a pretokenizer of llama.cpp and a model agree on unmade tokens.

    That is whether a whole pretoken that equals one becomes it; all agree if the model has none.
    """
    return pretokenizer.whole == model.whole or not model.unmade


def _names() -> list[str]:
    """Return the first name of each of llama.cpp's pretokenizers."""
    first: dict[Pretokenizer, str] = {}
    for name, each in PRETOKENIZERS.items():
        first.setdefault(each, name or "default")
    return list(first.values())


@cache
def _of(pretokenizer: Pretokenizer) -> Artifact:
    """Return an artifact that cuts as a pretokenizer of llama.cpp does."""
    return _only_cuts(cuts_of(pretokenizer))


def _only_cuts(cuts: Sequence[tuple[Scanner, Cut]]) -> Artifact:
    """Return an artifact that only cuts; each cut comes with the scanner of its automaton."""
    return Artifact(
        scanners=compile_scanners([scanner for scanner, _ in cuts]),
        routes=(Route("text", model=0, steps=tuple(cut for _, cut in cuts)),),
        models=(),
        provenance={},
    )
