r"""ByteLevel: cuts by GPT-2's pattern, then spells each piece in characters that stand for bytes.

Options:
    add_prefix_space: whether a space goes before each piece first, unless it begins with one.
    use_regex: whether the pattern cuts; true if it is not given.
    trim_offsets: says nothing here; it is read by the post-processor ByteLevel.

Example:
    >>> from wwho.importers.huggingface.examples import pre_tokenize
    >>> options = {"add_prefix_space": True, "use_regex": True, "trim_offsets": True}
    >>> pre_tokenize({"type": "ByteLevel", **options}, "it's 5\u20ac")
    ['Ġit', "'s", 'Ġ5', 'âĤ¬']
"""

from __future__ import annotations

from wwho.compile.oniguruma import parse_oniguruma
from wwho.format.steps import Ends, Spell, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.pre_tokenizers.split import cut_at

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def steps(value: Value, patterns: Patterns) -> list[Step]:
    """Return up to three steps: a space goes before the piece, the cut, the spelling.

    The first is there if add_prefix_space is true, the cut unless use_regex is false.

    Raises:
        SourceError: an option is missing or of another type.
    """
    value.flag("trim_offsets")
    found: list[Step] = []
    if value.flag("add_prefix_space"):
        found.append(Ends(prefix=" ", unless=True))
    if value.flag("use_regex", True):
        found.append(cut_at(patterns, "gpt2", parse_oniguruma(GPT2), "Isolated"))
    return [*found, Spell()]
