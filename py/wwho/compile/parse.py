"""Parsers for the two notations of a pattern.

Both are the same language of alternation, sequence and repetition; they differ in what stands for
one character. In a regular expression that is a literal, an escape or a set; in a schema's grammar
it is the name of a class.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping

from wwho.compile.codepoints import CodePointSet
from wwho.compile.pattern_characters import CharReader, Cursor
from wwho.compile.syntax import Chars, End, Look, Node, Repeat, alt, seq

MAX_DEPTH = 50
"""How deep groups may nest."""

QUANTIFIERS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

_NEWLINE = CodePointSet.of("\n")
_BAD_GROUPS = {
    "(?<=": "lookbehind is not supported; a scanner never looks back",
    "(?<!": "lookbehind is not supported; a scanner never looks back",
    "(?P=": "backreferences are not regular and cannot be compiled",
    "(?P<": "named groups are not supported; write (?:...)",
    "(?<": "named groups are not supported; write (?:...)",
    "(?>": "atomic groups are not supported; use a possessive quantifier on one class",
    "(?#": "comments are not supported; remove it",
    "(?": "only the groups (...), (?:...), (?i:...), (?=X) and (?!X) are supported",
}


def parse_regex(pattern: str) -> Node:
    r"""Parse a regular expression in the dialect that tokenizers write.

    Supported: literals, escapes, sets, ``\s \d \w \p{..}`` and their complements, ``.``, groups
    (never captured), ``(?i:...)``, alternation, greedy and possessive quantifiers, ``(?=X)`` and
    ``(?!X)`` with one character class X, and ``$`` for the end of the text.

    Args:
        pattern: The expression.

    Returns:
        Its syntax tree.

    Raises:
        PatternError: If it uses anything else; the message says what to write instead.

    Example:
        >>> parse_regex(r"a+|\n")  # doctest: +ELLIPSIS
        Alt(options=(Repeat(...), Chars(...)))
    """
    return RegexParser(pattern).parse()


def parse_grammar(text: str, classes: Mapping[str, CodePointSet]) -> Node:
    """Parse a schema's grammar, such as ``C (H Z? C)* P? M? | V M?``.

    Args:
        text: Names of classes joined by blanks, ``( ) | ? * +`` and ``{m,n}``.
        classes: What each name stands for.

    Returns:
        Its syntax tree.

    Raises:
        PatternError: If the notation is wrong or a class is unknown.
    """
    return _GrammarParser(text, classes).parse()


class _Parser(ABC):
    """Alternation, sequence and repetition: what both notations share."""

    counted = re.compile(r"\{(\d+)(,?)(\d*)\}", re.ASCII)
    """Two bounds of a repetition, or one."""
    max_repeat = 255
    """The greatest count that one may name: each is a copy of its body."""

    def __init__(self, text: str) -> None:
        self.cursor = Cursor(text)
        self.depth = 0

    def parse(self) -> Node:
        """Parse everything."""
        node = self.alternation()
        if not self.cursor.done:
            raise self.cursor.error("this ')' closes nothing; remove it or escape it")
        return node

    def alternation(self) -> Node:
        """Parse options separated by ``|``."""
        options = [self.sequence()]
        while self.cursor.take("|"):
            options.append(self.sequence())
        return alt(*options)

    def sequence(self) -> Node:
        """Parse parts up to ``|``, ``)`` or the end."""
        parts: list[Node] = []
        self.skip()
        while not self.cursor.done and self.cursor.peek() not in "|)":
            parts.append(self.repetition())
            self.skip()
        return seq(*parts)

    def repetition(self) -> Node:
        """Parse one part and the quantifier after it, if there is one."""
        if self.cursor.peek() in QUANTIFIERS:
            raise self.cursor.error("there is nothing to repeat; escape the character")
        body = self.atom()
        self.skip()
        where = self.cursor.position
        bounds = self.quantifier()
        if bounds is None:
            return body
        return Repeat(body, *bounds, possessive=self.suffix(), position=where)

    def quantifier(self) -> tuple[int, int | None] | None:
        """Take a quantifier; return its bounds, or None where there is none."""
        if self.cursor.peek() in QUANTIFIERS:
            return QUANTIFIERS[self.cursor.next("a quantifier")]
        counted = self.counted.match(self.cursor.text, self.cursor.position)
        if not counted:
            return None
        low, comma, high = counted.groups()
        least = int(low or 0)
        most = int(high) if high else None if comma else least
        if max(least, most or 0) > self.max_repeat or (most is not None and most < least):
            raise self.cursor.error(f"counts must be in order and at most {self.max_repeat}")
        self.cursor.position = counted.end()
        return least, most

    def suffix(self) -> bool:
        """Take what may follow a quantifier; tell whether it makes it possessive."""
        possessive = self.cursor.take("+")
        if self.cursor.peek() == "?":
            raise self.cursor.error("lazy quantifiers are not supported; use a negated class")
        counted = self.counted.match(self.cursor.text, self.cursor.position)
        if counted or self.cursor.peek() in ("*", "+"):
            raise self.cursor.error("a quantifier cannot follow a quantifier; use a group")
        return possessive

    def group(self) -> Node:
        """Parse the inside of a group and its closing parenthesis; the opening one is taken."""
        at = self.cursor.position - 1
        if self.depth == MAX_DEPTH:
            raise self.cursor.error(f"groups nest deeper than {MAX_DEPTH}; flatten them", at)
        self.depth += 1
        node = self.alternation()
        self.depth -= 1
        if not self.cursor.take(")"):
            raise self.cursor.error("the group is never closed; add ')'", at)
        return node

    def skip(self) -> None:  # noqa: B027 - a hook that does nothing is the default, not a gap
        """Pass over what has no meaning between parts."""

    @abstractmethod
    def atom(self) -> Node:
        """Parse one part without its quantifier."""


class RegexParser(_Parser):
    """The notation of regular expressions."""

    def __init__(self, text: str, reader: type[CharReader] = CharReader) -> None:
        """Read `text`, its characters by `reader`."""
        super().__init__(text)
        self.reader = reader(self.cursor)

    def atom(self) -> Node:
        """Parse a group, an assertion, or one character."""
        if self.cursor.peek() == "(":
            return self.parenthesis()
        at = self.cursor.position
        char = self.cursor.next("a character")
        match char:
            case "$":
                return End()
            case "\\":
                return Chars(self.reader.escape())
            case "[":
                return Chars(self.reader.bracketed())
            case ".":
                return Chars(~_NEWLINE)
            case "^":
                raise self.cursor.error("'^' is not supported: every piece is a start", at)
            case "{" | "}" | "]":
                raise self.cursor.error(f"to mean the character, write '\\{char}'", at)
        return Chars(self.reader.literal(char))

    def parenthesis(self) -> Node:
        """Parse a group or an assertion."""
        at = self.cursor.position
        for opening, negative in (("(?=", False), ("(?!", True)):
            if self.cursor.take(opening):
                return self.look(negative, at)
        if self.cursor.take("(?i:"):
            return self.folded_group()
        if self.cursor.take("(?:"):
            return self.group()
        for opening, problem in _BAD_GROUPS.items():
            if self.cursor.peek(len(opening)) == opening:
                raise self.cursor.error(problem, at)
        self.cursor.take("(")
        return self.group()

    def folded_group(self) -> Node:
        """Parse a group in which case is ignored."""
        outside, self.reader.fold = self.reader.fold, True
        node = self.group()
        self.reader.fold = outside
        return node

    def look(self, negative: bool, at: int) -> Node:
        """Parse the inside of a lookahead."""
        node = self.group()
        if not isinstance(node, Chars):
            raise self.cursor.error("a lookahead holds exactly one character or class", at)
        return Look(negative, node.chars)


class _GrammarParser(_Parser):
    """The notation of schemas: names of classes, blanks ignored."""

    def __init__(self, text: str, classes: Mapping[str, CodePointSet]) -> None:
        super().__init__(text)
        self.classes = classes

    def skip(self) -> None:
        """Pass over blanks."""
        while not self.cursor.done and self.cursor.peek().isspace():
            self.cursor.next("a blank")

    def suffix(self) -> bool:
        """Refuse every suffix: in a grammar, lazy and possessive mean nothing."""
        self.skip()
        if self.cursor.peek() in ("?", "*", "+", "{"):
            raise self.cursor.error("a quantifier cannot follow a quantifier; use a group")
        return False

    def atom(self) -> Node:
        """Parse a group or the name of a class."""
        if self.cursor.take("("):
            return self.group()
        at = self.cursor.position
        found = _NAME.match(self.cursor.text, at)
        if not found:
            raise self.cursor.error(
                f"{self.cursor.peek()!r} is neither the name of a class nor one of ( ) | ? * + {{"
            )
        self.cursor.position = found.end()
        if found[0] not in self.classes:
            known = ", ".join(self.classes)
            raise self.cursor.error(
                f"no class {found[0]!r}; the classes are {known}, with blanks between them", at
            )
        return Chars(self.classes[found[0]])


def grammar_names(text: str) -> tuple[str, ...]:
    """Return the names in a schema's grammar, each once, in order of appearance."""
    return tuple(dict.fromkeys(_NAME.findall(text)))
