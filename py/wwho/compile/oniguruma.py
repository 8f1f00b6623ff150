r"""The parser of regular expressions in Oniguruma's dialect, which Hugging Face's tokenizers use.

The syntax is Ruby's. It differs from that of `wwho.compile.parse.parse_regex`:

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
from wwho.compile.pattern_characters import MAX_SETS, CharReader
from wwho.compile.syntax import Ahead, Alt, Behind, Chars, End, Look, Node, Repeat, Seq, alt

# The sets are Oniguruma's own: not all are those of UTS #18.
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
_LONG_CATEGORIES = {
    "letter": "L",
    "uppercaseletter": "Lu",
    "lowercaseletter": "Ll",
    "titlecaseletter": "Lt",
    "casedletter": "LC",
    "modifierletter": "Lm",
    "otherletter": "Lo",
    "mark": "M",
    "nonspacingmark": "Mn",
    "spacingmark": "Mc",
    "enclosingmark": "Me",
    "number": "N",
    "decimalnumber": "Nd",
    "letternumber": "Nl",
    "othernumber": "No",
    "punctuation": "P",
    "connectorpunctuation": "Pc",
    "dashpunctuation": "Pd",
    "openpunctuation": "Ps",
    "closepunctuation": "Pe",
    "initialpunctuation": "Pi",
    "finalpunctuation": "Pf",
    "otherpunctuation": "Po",
    "symbol": "S",
    "mathsymbol": "Sm",
    "currencysymbol": "Sc",
    "modifiersymbol": "Sk",
    "othersymbol": "So",
    "separator": "Z",
    "spaceseparator": "Zs",
    "lineseparator": "Zl",
    "paragraphseparator": "Zp",
    "other": "C",
    "control": "Cc",
    "format": "Cf",
    "surrogate": "Cs",
    "privateuse": "Co",
    "unassigned": "Cn",
}
"""The short name of each general category by its long one, in small letters and without spaces."""
_SHORT_CATEGORIES = {short.lower(): short for short in _LONG_CATEGORIES.values()}
MOST_REPEATED = 64
"""How many characters a group may match for a reference to it: each becomes an option."""
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
        PatternError: If it uses what no automaton can do (a reference to a longer group), or what
            this parser does not know; the message says which.

    Example:
        >>> parse_oniguruma(r"[\s&&[^\n]]") == parse_oniguruma(r"[^\S\n]")
        True
    """
    return _Parser(pattern).parse()


class _Parser(RegexParser):
    """A parser of Oniguruma's notation, whose methods move its cursor past what they parse.

    A brace that begins no quantifier is a character.

    Attributes:
        dot_all: Whether ``.`` matches a line feed at the moment, by the option ``(?m)``.
        n_groups: How many groups that capture have begun so far.
    """

    counted = re.compile(r"\{(\d+|(?=,\d))(,?)(\d*)\}", re.ASCII)
    # An automaton has at most 4095 states.
    max_repeat = 4000

    def __init__(self, text: str) -> None:
        super().__init__(text, _Reader)
        self.dot_all = False
        self.n_groups = 0

    def parse_sequence(self) -> Node:
        """Parse parts up to ``|``, ``)`` or the end, and return the node that matches them all.

        What ends them is not taken, and comments are skipped.

        An option such as ``(?i)`` holds for the rest of the group, the options after a later ``|``
        included: ``a(?i)b|c`` is ``a(?i:b|c)``.

        A single part is returned as it is, several as a `Seq`; no parts match the empty text.
        """
        parts: list[Node] = []
        while not self.cursor.done and self.cursor.peek() not in ("|", ")"):
            if (option := _OPTION.match(self.cursor.text, self.cursor.position)) is not None:
                parts.append(self.parse_with_options(option, self.parse_alternation))
            elif self.cursor.take("(?#"):
                self.cursor.take_until(")", "the comment")
            else:
                parts.append(self.parse_repetition())
        return parts[0] if len(parts) == 1 else Seq(tuple(parts))

    def parse_repetition(self) -> Node:
        """Parse one part and all quantifiers after it, or a group and a reference to it.

        Raises:
            PatternError: If a quantifier stands first.
        """
        if self.cursor.peek() in QUANTIFIERS:
            raise self.cursor.error("there is nothing to repeat; escape the character")
        at = self.cursor.position
        captures = self.cursor.peek() == "(" and self.cursor.peek(2) != "(?"
        self.n_groups += captures
        reference = f"\\{self.n_groups}" if captures else ""
        node = self.parse_atom()
        if reference and isinstance(node, Chars) and self.cursor.take(reference):
            return self.parse_back_reference(node.chars, at)
        return self.parse_quantifiers(node, at)

    def parse_back_reference(self, chars: CodePointSet, at: int) -> Node:
        r"""Parse the quantifiers after a reference to a group of one character: ``([.!])\1*``.

        Args:
            chars: The characters that the group matches.
            at: The offset of the group, for messages.

        Returns:
            An option for each character, the character twice with the quantifiers on the second:
            ``\.\.*|!!*``.

        Raises:
            PatternError: If the set has more than MOST_REPEATED characters, or case is ignored.
        """
        if len(chars) > MOST_REPEATED or self.reader.fold:
            raise self.cursor.error(
                f"a reference goes with a group of one character alone, which is one of at most "
                f"{MOST_REPEATED}, where case counts",
                at,
            )
        # The same quantifiers are read once for each character.
        start, options = self.cursor.position, []
        for code_point in chars:
            self.cursor.position = start
            char = Chars(CodePointSet.of(code_point))
            options.append(Seq((char, self.parse_quantifiers(char, at))))
        return alt(*options)

    def parse_quantifiers(self, node: Node, at: int) -> Node:
        """Parse the quantifiers after a part, and return the part wrapped in their repetitions.

        Each quantifier repeats what stands before it, other repetitions included. ``?`` after a
        quantifier makes it lazy, ``+`` possessive, except that ``{n}?`` and ``{n,m}+`` are two
        quantifiers. Without any quantifier, the part is returned as it is.

        Args:
            node: The part.
            at: Its offset, for messages.

        Raises:
            PatternError: If the part is an assertion.
        """
        while (bounds := self.take_quantifier()) is not None:
            if isinstance(node, (Look, Behind, Ahead, End)):
                raise self.cursor.error("an assertion cannot be repeated", at)
            in_braces = self.cursor.text[self.cursor.position - 1] == "}"
            fixed = in_braces and bounds[0] == bounds[1]
            position = self.cursor.position - 1
            lazy = not fixed and self.cursor.take("?")
            possessive = not in_braces and not lazy and self.cursor.take("+")
            node = Repeat(node, *bounds, possessive=possessive, lazy=lazy, position=position)
        return node

    def parse_atom(self) -> Node:
        r"""Parse a group, an assertion, or what stands for one character.

        ``\R`` is the exception: it stands for a line break, which may be CR LF.

        Raises:
            PatternError: If it is of a kind that no automaton can do, or that is not known.
        """
        at = self.cursor.position
        node = self.parse_assertion_or_escape(at)
        if node is None:
            node = self.parse_special_group(at)
        if node is not None:
            return node
        if self.cursor.peek() in ("{", "}", "]"):
            return Chars(self.reader.literal(self.cursor.next("a character")))
        node = super().parse_atom()
        self.refuse_long_folds(at)
        return node

    def parse_assertion_or_escape(self, at: int) -> Node | None:
        """Parse an anchor, an escape that is no set, or a dot that matches all, at the cursor.

        Args:
            at: The offset of the cursor.

        Returns:
            What it matches; the cursor is then after it. None if none comes: the cursor stays.
        """
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
        return None

    def parse_special_group(self, at: int) -> Node | None:
        """Parse a group with options, a look behind, a named or an atomic group at the cursor.

        Args:
            at: The offset of the cursor, where a group would have its opening parenthesis.

        Returns:
            What the group matches; the cursor is then after its closing parenthesis. None if none
            of these begins here, such as at a plain group or a look ahead: the cursor stays.

        Raises:
            PatternError: If the group is never closed, or holds what such a group may not.
        """
        if (option := _OPTIONS.match(self.cursor.text, self.cursor.position)) is not None:
            return self.parse_with_options(option, self.parse_group)
        for opening, negative in (("(?<=", False), ("(?<!", True)):
            if self.cursor.take(opening):
                return self.parse_behind(negative, at)
        if (name := _NAME.match(self.cursor.text, self.cursor.position)) is not None:
            self.cursor.position = name.end()
            return self.parse_group()
        if self.cursor.take("(?>"):
            return self.parse_atomic(at)
        return None

    def parse_atomic(self, at: int) -> Node:
        """Parse the rest of an atomic group, after ``(?>``: a repetition in it is possessive.

        Raises:
            PatternError: If it holds anything but one repetition that is not lazy, or a character.
        """
        body = self.parse_group()
        if isinstance(body, Chars):
            return body
        if isinstance(body, Repeat) and not body.lazy:
            return Repeat(body.body, body.min, body.max, possessive=True, position=at)
        raise self.cursor.error("an atomic group holds one repetition, or one character", at)

    def parse_with_options(self, option: re.Match[str], parse_inside: Callable[[], Node]) -> Node:
        """Parse a part with options such as ``(?i-m``, and restore the options from before.

        "i" ignores case, "m" lets the dot match line feeds; those after "-" are switched off.

        Args:
            option: A match of _OPTION or _OPTIONS at the cursor, which moves past it.
            parse_inside: The method that parses the rest of a group, or a group of their own.
        """
        outside = self.reader.fold, self.dot_all
        self.cursor.position = option.end()
        on, _, off = option[1].partition("-")
        self.reader.fold = ("i" in on or self.reader.fold) and "i" not in off
        self.dot_all = ("m" in on or self.dot_all) and "m" not in off
        node = parse_inside()
        self.reader.fold, self.dot_all = outside
        return node

    def parse_behind(self, negative: bool, at: int) -> Node:
        r"""Parse the rest of a look behind: one character, or one of several options.

        Among the options may be the start of the text, ``\A``, or of a line, ``^``.

        Args:
            negative: Whether it began with ``(?<!``.
            at: The offset of the parenthesis, for messages.

        Raises:
            PatternError: If an option is longer than one character, or another assertion.
        """
        options = _flat_options(self.parse_group())
        starts = [each for each in options if each in (_START, _LINE_START)]
        if len(starts) + sum(isinstance(each, Chars) for each in options) < len(options):
            raise self.cursor.error("a look behind holds one character, or one of several", at)
        chars = reduce(
            or_, (each.chars for each in options if isinstance(each, Chars)), CodePointSet()
        )
        if _LINE_START in starts:
            chars |= _LINE_FEED
        if not starts:
            return Behind(negative, chars)
        # "The start, or a character of the set before" is "no character outside of the set before".
        return Behind(False, ~chars) if negative else Behind(True, ~chars)

    def parse_look(self, negative: bool, at: int) -> Node:
        """Parse the rest of a lookahead: characters, and perhaps the end of the text.

        Args:
            negative: Whether it began with ``(?!``.
            at: The offset of the parenthesis.

        Returns:
            A `Look` where one character decides, alone or with `End`; else an `Ahead`.
        """
        node = self.parse_group()
        options = node.options if isinstance(node, Alt) else (node,)
        # Two levels are enough: `$` is an alternative of its own.
        flat = [
            each for one in options for each in (one.options if isinstance(one, Alt) else [one])
        ]
        decided_by_one = all(
            isinstance(each, (Chars, End)) or (isinstance(each, Look) and not each.negative)
            for each in flat
        )
        if not decided_by_one:
            return Ahead(negative, node, at)
        chars = reduce(or_, map(_next_characters, flat), CodePointSet())
        if not any(isinstance(each, End) for each in flat):
            return Look(negative, chars)
        return Look(False, ~chars) if negative else alt(Look(False, chars), End())

    def refuse_long_folds(self, at: int) -> None:
        """Raise PatternError if a letter and the one before equal one character without case.

        With case ignored, Oniguruma lets ``ss`` match ß; a set of code points cannot say so.
        Nothing happens unless case is ignored, and the part just parsed is a single character of
        the pattern with another before it.

        Args:
            at: The offset of that part; the cursor is after it.
        """
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


def _property_or_script(name: str) -> CodePointSet:
    """Return the characters of a binary property or, if there is none of that name, of a script.

    Raises:
        KeyError: If the name is neither.
    """
    try:
        return unicode.binary_property(name)
    except KeyError:
        return unicode.script(name)


def _graph() -> CodePointSet:
    """Return the characters that are seen: assigned, no white space, controls or surrogates."""
    invisible = ("Cc", "Cs", "Cn")
    return ~reduce(or_, map(unicode.category, invisible), unicode.white_space())


def _flat_options(node: Node) -> list[Node]:
    """Return the options of nested alternatives as one list; the start of a line is one option."""
    if not isinstance(node, Alt) or node == _LINE_START:
        return [node]
    return [each for one in node.options for each in _flat_options(one)]


def _next_characters(node: Node) -> CodePointSet:
    """Return the set of a character or of a lookahead; of another node, the empty set."""
    return node.chars if isinstance(node, (Chars, Look)) else CodePointSet()


class _Reader(CharReader):
    """A reader of Oniguruma's characters, escapes and sets; it moves the parser's cursor."""

    def escape(self) -> CodePointSet:
        """Read an escape outside of sets; the parser has already taken the backslash.

        If `fold`, all cases of its characters are added, but not to those of a property.

        Raises:
            PatternError: If the escape is unknown or does not stand for one character.
        """
        is_property = self.cursor.peek() in ("p", "P")
        chars = self._escape()
        return chars if is_property else self._fold_cases(chars)

    def read_set(self) -> CodePointSet:
        r"""Read a set and move past its closing bracket; the opening one is already taken.

        A set is a list of intersections: ``[a-z&&[^x]&&\w]`` holds what each of the three does.

        Raises:
            PatternError: If the set is empty or never closed, or sets nest deeper than MAX_SETS.
        """
        at = self.cursor.position - 1
        if self.depth == MAX_SETS:
            raise self.cursor.error(f"sets nest deeper than {MAX_SETS}; flatten them", at)
        self.depth += 1
        negative = self.cursor.take("^")
        first = self.cursor.position
        # What all operands before the last && share, and the union since then.
        shared, operand = ALL, CodePointSet()
        while not self._take_closing(first):
            if self.cursor.done:
                raise self.cursor.error("the set is never closed; add ']'", at)
            if self.cursor.take("&&"):
                shared, operand = shared & operand, CodePointSet()
            elif self.cursor.take("[:"):
                operand |= self._posix_class(at)
            elif self.cursor.take("["):
                operand |= self.read_set()
            else:
                operand |= self._member()
        self.depth -= 1
        if self.cursor.position == first + 1:
            raise self.cursor.error("the set is empty; to mean a bracket, write '\\]'", at)
        chars = shared & operand
        return ~chars if negative else chars

    def _take_closing(self, first: int) -> bool:
        """Move past the bracket that closes a set; tell whether it came.

        A bracket at `first`, the offset where the set's content begins, is a character if another
        follows anywhere in the pattern.
        """
        literal = self.cursor.position == first and "]" in self.cursor.text[first + 1 :]
        return not literal and self.cursor.take("]")

    def _posix_class(self, at: int) -> CodePointSet:
        r"""Read the rest of ``[:alpha:]`` or ``[:^alpha:]``, after ``[:``.

        Args:
            at: The offset of the set, for messages.

        Raises:
            PatternError: If there is no such class, or it is never closed.
        """
        negative = self.cursor.take("^")
        name = self.cursor.take_until(":]", "the class")
        if name not in _NAMED:
            raise self.cursor.error(f"[:{name}:]: this class is not known", at)
        chars = _WORD_IN_SETS if name == "word" else _NAMED[name]()
        # In sets, but not as \p{Punct}, symbols are punctuation.
        chars |= unicode.category("S") if name == "punct" else CodePointSet()
        return ~chars if negative else chars

    def _refuse_operator(self) -> None:
        """Do nothing: the only operator is ``&&``, which `read_set` reads."""

    def _item(self) -> CodePointSet:
        """Read one character or escape inside a set, without folding its case."""
        char = self.cursor.next("a character or ']'")
        return self._escape(in_set=True) if char == "\\" else CodePointSet.of(char)

    def _escape(self, *, in_set: bool = False) -> CodePointSet:
        r"""Read an escape without folding its case; the backslash is already taken.

        Args:
            in_set: Whether it stands in a set, where ``\b`` is a backspace, ``\w`` has fewer
                characters, and letters without a meaning stand for themselves.

        Raises:
            PatternError: If it does not stand for one character, or is refused.
        """
        at = self.cursor.position - 1
        letter = self.cursor.next("an escaped character")
        if in_set and letter == "b":
            return CodePointSet.of("\b")
        if letter in _CONTROLS:
            return CodePointSet.of(_CONTROLS[letter])
        if letter == "0":
            return CodePointSet.of(self._octal_code_point())
        if letter in ("x", "u"):
            code_point = self._code_point(letter, at)
            in_braces = self.cursor.text[self.cursor.position - 1] == "}"
            if letter == "x" and code_point > 0x7F and not in_braces:
                raise self.cursor.error("this is a byte, not a character; write \\x{..}", at)
            return CodePointSet.of(code_point)
        if letter in ("p", "P") and self.cursor.peek() == "{":
            chars = self._property(at, in_set)
            return chars if letter == "p" else ~chars
        classes = {
            "s": unicode.white_space(),
            "d": unicode.category("Nd"),
            "h": _HEX,
            "w": _WORD_IN_SETS if in_set else _WORD,
        }
        if letter.lower() in classes:
            chars = classes[letter.lower()]
            return ~chars if letter.isupper() else chars
        if not in_set and letter in _REFUSED:
            raise self.cursor.error(f"\\{letter}: {_REFUSED[letter]}", at)
        if letter in string.digits:
            raise self.cursor.error(f"\\{letter}: write the character as \\x{{..}}", at)
        return CodePointSet.of(letter)

    def _octal_code_point(self) -> int:
        r"""Read at most two octal digits, after ``\0``; return the code point, 0 without any."""
        digits = re.compile("[0-7]{0,2}").match(self.cursor.text, self.cursor.position)
        assert digits is not None
        self.cursor.position = digits.end()
        return int(f"0{digits[0]}", 8)

    def _property(self, at: int, in_set: bool = False) -> CodePointSet:
        r"""Read the name after ``\p`` and return its characters, without folding their case.

        The name is ``{L}``, ``{^Lu}``, ``{Letter}``, ``{Han}`` or ``{Alnum}``: a class of POSIX, a
        general category, a binary property or a script, looked for in this order. Case, spaces,
        hyphens and underscores do not count.

        Args:
            at: The offset of the backslash, for messages.
            in_set: Whether it stands in a set, where ``{Word}`` has fewer characters.

        Raises:
            PatternError: If nothing has this name.
        """
        self.cursor.take("{")
        negative = self.cursor.take("^")
        name = self.cursor.take_until("}", "the property")
        loose = name.translate({ord(mark): None for mark in " -_"}).lower()
        try:
            if loose == "word" and in_set:
                chars = _WORD_IN_SETS
            elif loose in _NAMED:
                chars = _NAMED[loose]()
            elif loose in _LONG_CATEGORIES:
                chars = unicode.category(_LONG_CATEGORIES[loose])
            elif loose in _SHORT_CATEGORIES:
                chars = unicode.category(_SHORT_CATEGORIES[loose])
            else:
                chars = _property_or_script(name)
        except KeyError:
            raise self.cursor.error(
                f"no property {name!r} is known in Unicode {unicode.UNICODE_VERSION}; use a "
                "general category such as Lu, or the long name of a script such as Han",
                at,
            ) from None
        return ~chars if negative else chars
