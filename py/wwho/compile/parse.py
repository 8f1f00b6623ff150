"""The parsers of the two notations of a pattern: regular expressions and schema grammars.

Both are the same language of alternation, sequence and repetition; they differ in what stands for
one character. In a regular expression that is a literal, an escape or a set; in a schema's grammar
it is the name of a class. Every method reads at a shared cursor and moves it past what it read.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping

from wwho.compile.codepoints import CodePointSet
from wwho.compile.pattern_characters import CharReader, Cursor
from wwho.compile.syntax import Chars, End, Look, Node, Repeat, alt, seq
from wwho.errors import PatternError

MAX_DEPTH = 50
"""How deep groups may nest."""

MAX_LENGTH = 100_000
"""How many characters a pattern may have: reading the sets of a longer one would take minutes."""

QUANTIFIERS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
"""The least and the greatest number of repetitions of each sign; None: no limit."""

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
        classes: The characters that each name stands for.

    Returns:
        The syntax tree of the grammar, in which sets of characters take the place of names.

    Raises:
        PatternError: If the notation is wrong or a class is unknown.
    """
    return _GrammarParser(text, classes).parse()


class _Parser(ABC):
    """A recursive-descent parser, whose methods move its cursor past what they parse.

    It parses alternation, sequence, repetition and groups, and leaves the rest to its subclasses.
    Every method that parses raises a PatternError, with the position, where the notation is wrong.

    Attributes:
        cursor: The position in the pattern.
        depth: How many groups are open.
    """

    counted = re.compile(r"\{(\d+)(,?)(\d*)\}", re.ASCII)
    """The notation ``{m}``, ``{m,}`` or ``{m,n}``."""
    max_repeat = 255
    """The greatest count in braces: the automaton has a copy of the body for each repetition."""

    def __init__(self, text: str) -> None:
        """Begin to parse a pattern.

        Raises:
            PatternError: If it has more than MAX_LENGTH characters.
        """
        if len(text) > MAX_LENGTH:
            raise PatternError(
                f"a pattern of {len(text):,} characters; {MAX_LENGTH:,} are possible"
            )
        self.cursor = Cursor(text)
        self.depth = 0

    def parse(self) -> Node:
        """Parse the whole pattern and return its syntax tree.

        Raises:
            PatternError: If the notation is wrong, or ends before the pattern does.
        """
        node = self.parse_alternation()
        if not self.cursor.done:
            raise self.cursor.error("this ')' closes nothing; remove it or escape it")
        return node

    def parse_alternation(self) -> Node:
        """Parse options separated by ``|``, up to ``)`` or the end, which stays."""
        options = [self.parse_sequence()]
        while self.cursor.take("|"):
            options.append(self.parse_sequence())
        return alt(*options)

    def parse_sequence(self) -> Node:
        """Parse parts up to ``|``, ``)`` or the end, and return the node that matches them all.

        What ends them is not taken. No parts match the empty text.
        """
        parts: list[Node] = []
        self.skip_blanks()
        while not self.cursor.done and self.cursor.peek() not in "|)":
            parts.append(self.parse_repetition())
            self.skip_blanks()
        return seq(*parts)

    def parse_repetition(self) -> Node:
        """Parse one part and the quantifier after it, possessive or not, if there is one.

        Raises:
            PatternError: If a quantifier stands first, or another one follows it.
        """
        if self.cursor.peek() in QUANTIFIERS:
            raise self.cursor.error("there is nothing to repeat; escape the character")
        body = self.parse_atom()
        self.skip_blanks()
        position = self.cursor.position
        bounds = self.take_quantifier()
        if bounds is None:
            return body
        possessive = self.take_possessive_sign()
        return Repeat(body, *bounds, possessive=possessive, position=position)

    def take_quantifier(self) -> tuple[int, int | None] | None:
        """Move past a quantifier and return its bounds.

        Returns:
            The least and the greatest number of repetitions (None for no limit), or None where
            no quantifier comes next; the cursor then stays.

        Raises:
            PatternError: If the bounds are not in order, or above `max_repeat`.
        """
        if self.cursor.peek() in QUANTIFIERS:
            return QUANTIFIERS[self.cursor.next("a quantifier")]
        counted = self.counted.match(self.cursor.text, self.cursor.position)
        if not counted:
            return None
        low, comma, high = counted.groups()
        least = int(low or 0)
        if high:
            most: int | None = int(high)
        else:
            most = None if comma else least
        if max(least, most or 0) > self.max_repeat or (most is not None and most < least):
            raise self.cursor.error(f"counts must be in order and at most {self.max_repeat}")
        self.cursor.position = counted.end()
        return least, most

    def take_possessive_sign(self) -> bool:
        """Move past a ``+`` after a quantifier; tell whether there was one.

        Raises:
            PatternError: If another quantifier, or the ``?`` of a lazy one, follows.
        """
        possessive = self.cursor.take("+")
        if self.cursor.peek() == "?":
            raise self.cursor.error("lazy quantifiers are not supported; use a negated class")
        counted = self.counted.match(self.cursor.text, self.cursor.position)
        if counted or self.cursor.peek() in ("*", "+"):
            raise self.cursor.error("a quantifier cannot follow a quantifier; use a group")
        return possessive

    def parse_group(self) -> Node:
        """Parse the inside of a group and its closing parenthesis; the opening one is taken.

        Raises:
            PatternError: If the group is never closed, or groups nest deeper than MAX_DEPTH.
        """
        at = self.cursor.position - 1
        if self.depth == MAX_DEPTH:
            raise self.cursor.error(f"groups nest deeper than {MAX_DEPTH}; flatten them", at)
        self.depth += 1
        node = self.parse_alternation()
        self.depth -= 1
        if not self.cursor.take(")"):
            raise self.cursor.error("the group is never closed; add ')'", at)
        return node

    # A hook: that it does nothing is the default, and no method that somebody forgot to write.
    def skip_blanks(self) -> None:  # noqa: B027
        """Move past blanks if they have no meaning; in a regular expression they are characters."""

    @abstractmethod
    def parse_atom(self) -> Node:
        """Parse one part without its quantifier."""


class RegexParser(_Parser):
    """A parser of regular expressions, whose methods move its cursor past what they parse.

    A `CharReader` reads single characters.
    """

    def __init__(self, text: str, reader: type[CharReader] = CharReader) -> None:
        """Prepare to parse `text`, with a new `reader` for escapes, sets and literals."""
        super().__init__(text)
        self.reader = reader(self.cursor)

    def parse_atom(self) -> Node:
        """Parse a group, an assertion, or one character.

        Raises:
            PatternError: If it is ``^``, or a brace or bracket without a backslash.
        """
        if self.cursor.peek() == "(":
            return self.parse_parenthesis()
        at = self.cursor.position
        char = self.cursor.next("a character")
        match char:
            case "$":
                return End()
            case "\\":
                return Chars(self.reader.escape())
            case "[":
                return Chars(self.reader.read_set())
            case ".":
                return Chars(~_NEWLINE)
            case "^":
                raise self.cursor.error("'^' is not supported: every piece is a start", at)
            case "{" | "}" | "]":
                raise self.cursor.error(f"to mean the character, write '\\{char}'", at)
        return Chars(self.reader.literal(char))

    def parse_parenthesis(self) -> Node:
        """Parse a group or a lookahead, whose opening parenthesis comes next; return its node.

        Groups are ``(``, ``(?:`` and ``(?i:``, lookaheads ``(?=`` and ``(?!``. The cursor moves
        past the closing parenthesis.

        Raises:
            PatternError: If the group is of another kind, which the message names, or what is in it
                is malformed.
        """
        at = self.cursor.position
        for opening, negative in (("(?=", False), ("(?!", True)):
            if self.cursor.take(opening):
                return self.parse_look(negative, at)
        if self.cursor.take("(?i:"):
            return self.parse_folded_group()
        if self.cursor.take("(?:"):
            return self.parse_group()
        for opening, problem in _BAD_GROUPS.items():
            if self.cursor.peek(len(opening)) == opening:
                raise self.cursor.error(problem, at)
        self.cursor.take("(")
        return self.parse_group()

    def parse_folded_group(self) -> Node:
        """Parse the rest of a group in which case is ignored, after ``(?i:``."""
        fold_outside, self.reader.fold = self.reader.fold, True
        node = self.parse_group()
        self.reader.fold = fold_outside
        return node

    def parse_look(self, negative: bool, at: int) -> Node:
        """Parse the rest of a lookahead, after ``(?=`` or ``(?!``.

        Args:
            negative: Whether it was ``(?!``.
            at: The offset of the parenthesis, for messages of dialects that need it.

        Raises:
            PatternError: If its body is not exactly one character or class.
        """
        node = self.parse_group()
        if not isinstance(node, Chars):
            raise self.cursor.error("a lookahead holds exactly one character or class", at)
        return Look(negative, node.chars)


class _GrammarParser(_Parser):
    """A parser of schema grammars, whose methods move its cursor past what they parse.

    A grammar consists of names of classes, between which blanks do not count.
    """

    def __init__(self, text: str, classes: Mapping[str, CodePointSet]) -> None:
        super().__init__(text)
        self.classes = classes

    def skip_blanks(self) -> None:
        """Move past blanks."""
        while not self.cursor.done and self.cursor.peek().isspace():
            self.cursor.next("a blank")

    def take_possessive_sign(self) -> bool:
        """Return False: a grammar has no possessive quantifiers.

        Raises:
            PatternError: If anything like a second quantifier follows, blanks before it or not.
        """
        self.skip_blanks()
        if self.cursor.peek() in ("?", "*", "+", "{"):
            raise self.cursor.error("a quantifier cannot follow a quantifier; use a group")
        return False

    def parse_atom(self) -> Node:
        """Parse a group or the name of a class.

        Raises:
            PatternError: If neither comes next, or no class has this name.
        """
        if self.cursor.take("("):
            return self.parse_group()
        at = self.cursor.position
        name = _NAME.match(self.cursor.text, at)
        if not name:
            raise self.cursor.error(
                f"{self.cursor.peek()!r} is neither the name of a class nor one of ( ) | ? * + {{"
            )
        self.cursor.position = name.end()
        if name[0] not in self.classes:
            known = ", ".join(self.classes)
            raise self.cursor.error(
                f"no class {name[0]!r}; the classes are {known}, with blanks between them", at
            )
        return Chars(self.classes[name[0]])


def grammar_names(text: str) -> tuple[str, ...]:
    """Return the names in a schema's grammar, each once, in order of their first appearance.

    The grammar need not parse; only its names are looked for.

    Example:
        >>> grammar_names("C (H C)* | V")
        ('C', 'H', 'V')
    """
    return tuple(dict.fromkeys(_NAME.findall(text)))
