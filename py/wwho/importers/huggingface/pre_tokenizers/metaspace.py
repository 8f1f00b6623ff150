"""Metaspace: a marker stands for each space and before the text, and begins each piece.

Options:
    replacement: the marker, one character; usually U+2581.
    prepend_scheme: "always": a marker goes before each piece that begins with none. "first": only
        before one whose source begins with the text. "never". If it is not given, "always".
    add_prefix_space: as in old files: false is "never". Null says nothing.
    split: whether pieces are cut before each marker; true if it is not given.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> options = {"replacement": "_", "prepend_scheme": "always", "split": True}
    >>> pre_tokenize({"type": "Metaspace", **options}, "ab  c")
    ['_ab', '_', '_c']
"""

from __future__ import annotations

from wwho.format.steps import Ends, Map, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns, one_of
from wwho.importers.huggingface.pre_tokenizers.split import cut_at
from wwho.importers.source import shown

SCHEMES = ("always", "first", "never")


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return up to three steps: spaces become markers, one goes before the piece, the cut.

    Raises:
        SourceError: an option has no valid value, or two options contradict each other.
    """
    marker, scheme = value.text("replacement"), _scheme(value)
    if len(marker) != 1:
        value.at("replacement").fail(f"found {shown(marker)}, expected one character")
    found: list[Step] = [Map({0x20: (ord(marker),)})] if marker != " " else []
    if scheme != "never":
        found.append(Ends(prefix=marker, unless=True, first=scheme == "first"))
    if value.flag("split", True):
        found.append(cut_at(patterns, "metaspace", one_of(marker), "MergedWithNext"))
    return found


def _scheme(value: Value) -> str:
    """Return the prepend_scheme as it is given; "always" where the options say nothing.

    An add_prefix_space of false, as old files have it, is "never".

    Raises:
        SourceError: there is no such scheme, or add_prefix_space contradicts it.
    """
    scheme = value.text("prepend_scheme", "always")
    if scheme not in SCHEMES:
        value.at("prepend_scheme").fail(f"found {shown(scheme)}, expected always, first or never")
    if value.option("add_prefix_space", bool) is False and scheme != "never":
        if "prepend_scheme" in value.raw:
            value.at("add_prefix_space").fail("false goes with the prepend_scheme never alone")
        return "never"
    return scheme
