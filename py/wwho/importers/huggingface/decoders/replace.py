r"""Replace: in each token, a text stands for each match of a pattern.

Options:
    pattern: `{"String": text}`, or `{"Regex": pattern}` in the dialect of Oniguruma.
    content: what stands for a match, literally.

Example:
    >>> from wwho.importers.huggingface.examples import decode
    >>> decode({"type": "Replace", "pattern": {"String": "_"}, "content": " "}, ["_a_b"])
    ' a b'
    >>> decode({"type": "Replace", "pattern": {"Regex": "_+"}, "content": "-"}, ["a__b"])
    'a-b'
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from wwho.compile.codepoints import CodePointSet
from wwho.compile.syntax import Alt, Chars, Node, Seq
from wwho.format.decoder import MAX_STEPS, Replace, Step
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.normalizers import replace as normalizer
from wwho.importers.huggingface.patterns import Patterns, read_pattern
from wwho.reference.piece import read_piece
from wwho.reference.rewrite import rewrite_all


@dataclass(frozen=True)
class Pattern:
    """A Replace of a pattern: no step of an artifact, but the texts of tokens say what it does.

    Attributes:
        value: the decoder.
    """

    value: Value

    def refuse(self) -> NoReturn:
        """Refuse the decoder where it does not change each token alone.

        Raises:
            SourceError: always.
        """
        self.value.at("pattern").fail(
            f"found {self.value.raw['pattern']} after what joins tokens or tells them by their "
            "place; only texts can be replaced there"
        )

    def replace_in_texts(self, texts: Collection[bytes]) -> dict[bytes, bytes]:
        """Return what each of these texts becomes: text to text.

        Raises:
            PatternError: the pattern cannot be compiled.
        """
        patterns = Patterns()
        steps = normalizer.steps(self.value, patterns)
        scanners, _ = patterns.compile(properties=False)
        return {text: rewrite_all(steps, read_piece(text), scanners).data for text in texts}


def steps(value: Value) -> Sequence[Step | Pattern]:
    """Return the steps: a `Replace` for a text or for each of a few characters, else a `Pattern`.

    Many characters, or a content that has one of them, make a `Pattern`, too.

    Raises:
        SourceError: a member is missing or of another type.
        PatternError: the pattern cannot be parsed.
    """
    pattern, content = read_pattern(value), value.short_text("content", normalizer.MOST_CONTENT)
    text = _only_text(pattern)
    if text is not None:
        return [Replace(text, content)]
    chars = _any_of(pattern)
    if chars is not None and len(chars) < MAX_STEPS // 2 and not any(c in chars for c in content):
        return [Replace(chr(char), content) for char in chars]
    return [Pattern(value)]


def _only_text(pattern: Node) -> str | None:
    """Return the one text that a pattern matches; None if it matches others, or nothing."""
    parts = pattern.parts if isinstance(pattern, Seq) else (pattern,)
    chars = [each.chars for each in parts if isinstance(each, Chars)]
    if not parts or len(chars) < len(parts) or any(len(each) != 1 for each in chars):
        return None
    return "".join(chr(char) for each in chars for char in each)


def _any_of(pattern: Node) -> CodePointSet | None:
    """Return the characters that a pattern matches, each alone; None if it is more than that."""
    options = pattern.options if isinstance(pattern, Alt) else (pattern,)
    if not options or not all(isinstance(each, Chars) for each in options):
        return None
    sets = [each.chars for each in cast(Sequence[Chars], options)]
    return CodePointSet.of(*(char for chars in sets for char in chars.ranges))
