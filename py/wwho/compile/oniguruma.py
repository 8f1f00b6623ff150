r"""Regular expressions in the dialect of Oniguruma, which Hugging Face's tokenizers use.

Its syntax is Ruby's. What differs from `wwho.compile.parse.parse_regex`:

- ``^`` and ``$`` are about lines: ``$`` holds before each line feed. ``\h`` is a hexadecimal digit.
- ``{n,m}+`` is not possessive: it repeats the repetition. Quantifiers may follow quantifiers.
- A set may hold sets, and ``&&`` intersects what is on both sides. ``]`` in the first place of a
  set, and ``{``, ``}`` and ``]`` outside of one, may stand for themselves.
- ``\w`` has no joiners; outside of sets it has superscript digits and fractions of Latin-1.
- Where case is ignored, a property outside of a set is taken as it is.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import reduce
from operator import or_

from wwho.compile import unicode
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.parse import QUANTIFIERS, RegexParser
from wwho.compile.pattern_characters import CharReader
from wwho.compile.syntax import Ahead, Alt, Behind, Chars, End, Look, Node, Repeat, Seq, alt

_HEX = CodePointSet.of(("0", "9"), ("a", "f"), ("A", "F"))
_LINE_FEED = CodePointSet.of("\n")
_LINE_BREAKS = CodePointSet.of(("\n", "\r"), 0x85, 0x2028, 0x2029)
_CONTROLS = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_WORD_IN_SETS = unicode.word() - CodePointSet.of(0x200C, 0x200D)
_WORD = _WORD_IN_SETS | CodePointSet.of(*(0xB2, 0xB3, 0xB9), (0xBC, 0xBE))
_NAMED: dict[str, Callable[[], CodePointSet]] = {
    "alnum": lambda: unicode.alphabetic() | unicode.category("Nd"),
    "alpha": unicode.alphabetic,
    "alphabetic": unicode.alphabetic,
    "any": lambda: ALL,
    "assigned": lambda: ~unicode.category("Cn"),
    "ascii": lambda: CodePointSet.of((0, 0x7F)),
    "blank": lambda: unicode.category("Zs") | CodePointSet.of("\t"),
    "cntrl": lambda: unicode.category("Cc"),
    "digit": lambda: unicode.category("Nd"),
    "graph": lambda: _graph(),
    "lower": lambda: unicode.binary_property("Lowercase"),
    "print": lambda: _graph() | unicode.category("Zs"),
    "punct": lambda: unicode.category("P"),
    "space": unicode.white_space,
    "upper": lambda: unicode.binary_property("Uppercase"),
    "whitespace": unicode.white_space,
    "word": lambda: _WORD,
    "xdigit": lambda: _HEX,
}
_LONG = {
    **{"letter": "L", "mark": "M", "number": "N", "symbol": "S", "separator": "Z", "other": "C"},
    **{"uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt"},
    **{"modifierletter": "Lm", "otherletter": "Lo", "casedletter": "LC"},
    **{"nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me"},
    **{"decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No"},
    **{"punctuation": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd"},
    **{"openpunctuation": "Ps", "closepunctuation": "Pe", "initialpunctuation": "Pi"},
    **{"finalpunctuation": "Pf", "otherpunctuation": "Po", "mathsymbol": "Sm"},
    **{"currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So"},
    **{"spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp"},
    **{"control": "Cc", "format": "Cf", "surrogate": "Cs", "privateuse": "Co", "unassigned": "Cn"},
}
_SHORT = {short.lower(): short for short in _LONG.values()}
MOST_REPEATED = 64
"""Characters that a group may have for a reference to it: each is a pattern of its own."""
_REFUSED = {
    "G": "where the last match ended is not known",
    **dict.fromkeys("KXyY", "this escape is not supported"),
    **dict.fromkeys("123456789kg", "backreferences are not regular and cannot be compiled"),
}


def parse_oniguruma(pattern: str) -> Node:
    r"""Parse a regular expression as Oniguruma does, with Unicode 16.

    Args:
        pattern: The expression.

    Returns:
        Its syntax tree.

    Raises:
        PatternError: It uses what no automaton can do, or what is not known here.

    Example:
        >>> parse_oniguruma(r"[\s&&[^\n]]") == parse_oniguruma(r"[^\S\n]")
        True
    """
    return _Parser(pattern).parse()


class _Parser(RegexParser):
    """The notation of Oniguruma, in which a brace that begins no quantifier is a character."""

    counted = re.compile(r"\{(\d+|(?=,\d))(,?)(\d*)\}", re.ASCII)
    max_repeat = 4000  # an automaton has at most 4095 states

    def __init__(self, text: str) -> None:
        super().__init__(text, _Reader)
        self.dot_all = False
        self.n_groups = 0

    def sequence(self) -> Node:
        """Parse parts; an option such as ``(?i)`` holds for the rest of the group."""
        parts: list[Node] = []
        while not self.cursor.done and self.cursor.peek() not in ("|", ")"):
            if (option := _OPTION.match(self.cursor.text, self.cursor.position)) is not None:
                parts.append(self.with_options(option, self.alternation))
            elif self.cursor.take("(?#"):
                self.cursor.until(")", "the comment")
            else:
                parts.append(self.repetition())
        return parts[0] if len(parts) == 1 else Seq(tuple(parts))

    def repetition(self) -> Node:
        """Parse one part and all quantifiers after it."""
        if self.cursor.peek() in QUANTIFIERS:
            raise self.cursor.error("there is nothing to repeat; escape the character")
        at = self.cursor.position
        captures = self.cursor.peek() == "(" and self.cursor.peek(2) != "(?"
        self.n_groups += captures
        again = f"\\{self.n_groups}" if captures else ""
        node = self.atom()
        if again and isinstance(node, Chars) and self.cursor.take(again):
            return self.repeated_character(node.chars, at)
        return self.quantified(node, at)

    def repeated_character(self, chars: CodePointSet, at: int) -> Node:
        r"""Parse the quantifiers of a reference to a group of one character: ``([.!])\1*``."""
        if len(chars) > MOST_REPEATED or self.reader.fold:
            raise self.cursor.error(
                f"a reference goes with a group of one character alone, which is one of at most "
                f"{MOST_REPEATED}, where case counts",
                at,
            )
        start, options = self.cursor.position, []
        for code_point in chars:
            self.cursor.position = start
            char = Chars(CodePointSet.of(code_point))
            options.append(Seq((char, self.quantified(char, at))))
        return alt(*options)

    def quantified(self, node: Node, at: int) -> Node:
        """Parse all quantifiers after a part."""
        while (bounds := self.quantifier()) is not None:
            if isinstance(node, (Look, Behind, Ahead, End)):
                raise self.cursor.error("an assertion cannot be repeated", at)
            interval = self.cursor.text[self.cursor.position - 1] == "}"
            fixed = interval and bounds[0] == bounds[1]
            where = self.cursor.position - 1
            lazy = not fixed and self.cursor.take("?")
            possessive = not interval and not lazy and self.cursor.take("+")
            node = Repeat(node, *bounds, possessive=possessive, lazy=lazy, position=where)
        return node

    def atom(self) -> Node:
        """Parse a group, an assertion, or one character."""
        at = self.cursor.position
        if self.cursor.take("$"):
            return alt(End(), Look(False, _LINE_FEED))
        if self.cursor.take("^"):
            return _LINE_START
        for escape, assertion in _ANCHORS.items():
            if self.cursor.take(escape):
                return assertion
        if self.cursor.take("\\R"):
            pair = Seq((Chars(CodePointSet.of("\r")), Chars(_LINE_FEED)))
            return alt(pair, Chars(_LINE_BREAKS))
        if self.cursor.take("\\O"):
            return Chars(ALL)
        if self.cursor.take("\\N"):
            return Chars(~_LINE_FEED)
        if self.dot_all and self.cursor.take("."):
            return Chars(ALL)
        if (option := _OPTIONS.match(self.cursor.text, self.cursor.position)) is not None:
            return self.with_options(option, self.group)
        for opening, negative in (("(?<=", False), ("(?<!", True)):
            if self.cursor.take(opening):
                return self.behind(negative, at)
        if (name := _NAME.match(self.cursor.text, self.cursor.position)) is not None:
            self.cursor.position = name.end()
            return self.group()
        if self.cursor.take("(?>"):
            return self.atomic(at)
        if self.cursor.peek() in ("{", "}", "]"):
            return Chars(self.reader.literal(self.cursor.next("a character")))
        node = super().atom()
        self.refuse_long_folds(at)
        return node

    def atomic(self, at: int) -> Node:
        """Parse an atomic group: a repetition in it is possessive."""
        body = self.group()
        if isinstance(body, Chars):
            return body
        if isinstance(body, Repeat) and not body.lazy:
            return Repeat(body.body, body.min, body.max, possessive=True, position=at)
        raise self.cursor.error("an atomic group holds one repetition, or one character", at)

    def with_options(self, option: re.Match[str], inside: Callable[[], Node]) -> Node:
        """Parse what options hold for: the rest of a group, or a group of their own."""
        outside = self.reader.fold, self.dot_all
        self.cursor.position = option.end()
        on, _, off = option[1].partition("-")
        self.reader.fold = ("i" in on or self.reader.fold) and "i" not in off
        self.dot_all = ("m" in on or self.dot_all) and "m" not in off
        node = inside()
        self.reader.fold, self.dot_all = outside
        return node

    def behind(self, negative: bool, at: int) -> Node:
        """Parse the inside of a look behind: one character, and perhaps the start of the text."""
        flat = _flat(self.group())
        starts = [each for each in flat if each in (_START, _LINE_START)]
        if len(starts) + sum(isinstance(each, Chars) for each in flat) < len(flat):
            raise self.cursor.error("a look behind holds one character, or one of several", at)
        chars = reduce(
            or_, (each.chars for each in flat if isinstance(each, Chars)), CodePointSet()
        )
        if _LINE_START in starts:
            chars |= _LINE_FEED
        if not starts:
            return Behind(negative, chars)
        return Behind(False, ~chars) if negative else Behind(True, ~chars)

    def look(self, negative: bool, at: int) -> Node:
        """Parse the inside of a lookahead: characters, and perhaps the end of the text."""
        node = self.group()
        options = node.options if isinstance(node, Alt) else (node,)
        flat = [
            each for one in options for each in (one.options if isinstance(one, Alt) else [one])
        ]
        chars = reduce(or_, (_ahead(each) for each in flat), CodePointSet())
        if not all(isinstance(each, (Chars, End, Look)) for each in flat) or any(
            isinstance(each, Look) and each.negative for each in flat
        ):
            return Ahead(negative, node, at)
        if not any(isinstance(each, End) for each in flat):
            return Look(negative, chars)
        return Look(False, ~chars) if negative else alt(Look(False, chars), End())

    def refuse_long_folds(self, at: int) -> None:
        """Refuse letters that together equal one other character when case is ignored: ss is ß."""
        if self.reader.fold and at and self.cursor.position - at == 1:
            pair = self.cursor.text[at - 1 : at + 1].casefold()
            if pair in _LONG_FOLDS:
                raise self.cursor.error(
                    f"where case is ignored, {pair!r} is also one character; write a set", at
                )


_START = Behind(True, ALL)
_LINE_START = alt(_START, Seq((Behind(False, _LINE_FEED), Look(False, ALL))))
_BOUNDARY = alt(
    Seq((Behind(False, _WORD), Look(True, _WORD))), Seq((Behind(True, _WORD), Look(False, _WORD)))
)
_INSIDE = alt(
    Seq((Behind(False, _WORD), Look(False, _WORD))), Seq((Behind(True, _WORD), Look(True, _WORD)))
)
_ANCHORS: dict[str, Node] = {
    "\\A": _START,
    "\\z": End(),
    "\\Z": Ahead(False, Seq((Repeat(Chars(_LINE_FEED), 0, 1), End()))),
    "\\b": _BOUNDARY,
    "\\B": _INSIDE,
}
_OPTION = re.compile(r"\(\?([im]*(?:-[im]+)?)\)")
_OPTIONS = re.compile(r"\(\?([im]+|[im]*-[im]+):")
_NAME = re.compile(r"\(\?<\w+>")

_LONG_FOLDS = frozenset({"ss", "ff", "fi", "fl", "st", "\u02bcn", "i\u0307", "j\u030c"})
"""Neighbours that case folding makes of one character, of those that letters are written with."""


def _named(name: str) -> CodePointSet:
    """A property by its long name, or a script.

    Raises:
        KeyError: it is neither.
    """
    try:
        return unicode.binary_property(name)
    except KeyError:
        return unicode.script(name)


def _graph() -> CodePointSet:
    """What is seen: no white space, no control, no surrogate, and assigned."""
    gone = ("Cc", "Cs", "Cn")
    return ~reduce(or_, map(unicode.category, gone), unicode.white_space())


def _flat(node: Node) -> list[Node]:
    if not isinstance(node, Alt) or node == _LINE_START:
        return [node]
    return [each for one in node.options for each in _flat(one)]


def _ahead(node: Node) -> CodePointSet:
    return node.chars if isinstance(node, (Chars, Look)) else CodePointSet()


class _Reader(CharReader):
    """Characters, escapes and sets of Oniguruma."""

    def escape(self) -> CodePointSet:
        """See `CharReader`; a property is not folded here."""
        property_ = self.cursor.peek() in ("p", "P")
        found = self._escape()
        return found if property_ else self._folded(found)

    def bracketed(self) -> CodePointSet:
        """Read a set; the opening bracket is already taken."""
        at = self.cursor.position - 1
        if self.depth == _MAX_SETS:
            raise self.cursor.error(f"sets nest deeper than {_MAX_SETS}; flatten them", at)
        self.depth += 1
        negative = self.cursor.take("^")
        whole, part, first = ALL, CodePointSet(), self.cursor.position
        while not self._closes(first):
            if self.cursor.done:
                raise self.cursor.error("the set is never closed; add ']'", at)
            if self.cursor.take("&&"):
                whole, part = whole & part, CodePointSet()
            elif self.cursor.take("[:"):
                part |= self._posix(at)
            elif self.cursor.take("["):
                part |= self.bracketed()
            else:
                part |= self._member()
        self.depth -= 1
        if self.cursor.position == first + 1:
            raise self.cursor.error("the set is empty; to mean a bracket, write '\\]'", at)
        found = whole & part
        return ~found if negative else found

    def _closes(self, first: int) -> bool:
        """Take the bracket that ends a set; in the first place it is a character."""
        literal = self.cursor.position == first and "]" in self.cursor.text[first + 1 :]
        return not literal and self.cursor.take("]")

    def _posix(self, at: int) -> CodePointSet:
        r"""Read ``[:alpha:]``; its opening is taken."""
        negative = self.cursor.take("^")
        name = self.cursor.until(":]", "the class")
        if name not in _NAMED:
            raise self.cursor.error(f"[:{name}:]: this class is not known", at)
        found = _WORD_IN_SETS if name == "word" else _NAMED[name]()
        found |= unicode.category("S") if name == "punct" else CodePointSet()
        return ~found if negative else found

    def _refuse_operator(self) -> None:
        """There is no operator but &&, which ends what stands before it."""

    def _item(self) -> CodePointSet:
        char = self.cursor.next("a character or ']'")
        return self._escape(in_set=True) if char == "\\" else CodePointSet.of(char)

    def _escape(self, *, in_set: bool = False) -> CodePointSet:
        at = self.cursor.position - 1
        letter = self.cursor.next("an escaped character")
        if in_set and letter == "b":
            return CodePointSet.of("\b")
        if letter in _CONTROLS:
            return CodePointSet.of(_CONTROLS[letter])
        if letter == "0":
            digits = re.compile("[0-7]{0,2}").match(self.cursor.text, self.cursor.position)
            assert digits is not None
            self.cursor.position = digits.end()
            return CodePointSet.of(int(f"0{digits[0]}", 8))
        if letter in ("x", "u"):
            found = self._code_point(letter, at)
            if letter == "x" and found > 0x7F and self.cursor.text[self.cursor.position - 1] != "}":
                raise self.cursor.error("this is a byte, not a character; write \\x{..}", at)
            return CodePointSet.of(found)
        if letter in ("p", "P") and self.cursor.peek() == "{":
            found_set = self._property(at, in_set)
            return found_set if letter == "p" else ~found_set
        classes = {"s": unicode.white_space(), "d": unicode.category("Nd"), "h": _HEX}
        classes["w"] = _WORD_IN_SETS if in_set else _WORD
        if letter.lower() in classes:
            found_set = classes[letter.lower()]
            return ~found_set if letter.isupper() else found_set
        if not in_set and letter in _REFUSED:
            raise self.cursor.error(f"\\{letter}: {_REFUSED[letter]}", at)
        if letter in string.digits:
            raise self.cursor.error(f"\\{letter}: write the character as \\x{{..}}", at)
        return CodePointSet.of(letter)

    def _property(self, at: int, in_set: bool = False) -> CodePointSet:
        r"""Read the name after ``\p``: ``{L}``, ``{^Lu}``, ``{Letter}``, ``{Han}``, ``{Alnum}``."""
        self.cursor.take("{")
        negative = self.cursor.take("^")
        name = self.cursor.until("}", "the property")
        loose = name.translate({ord(mark): None for mark in " -_"}).lower()
        try:
            if loose == "word" and in_set:
                found = _WORD_IN_SETS
            elif loose in _NAMED:
                found = _NAMED[loose]()
            elif loose in _LONG or loose in _SHORT:
                found = unicode.category(_LONG.get(loose) or _SHORT[loose])
            else:
                found = _named(name)
        except KeyError:
            raise self.cursor.error(
                f"no property {name!r} is known in Unicode {unicode.UNICODE_VERSION}; use a "
                "general category such as Lu, or the long name of a script such as Han",
                at,
            ) from None
        return ~found if negative else found


_MAX_SETS = 50
