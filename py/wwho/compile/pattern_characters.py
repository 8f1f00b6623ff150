r"""The reader of what stands for one character in a pattern: literals, escapes and sets.

Case folding follows the Rust engine that tiktoken uses: every item is folded by itself, and
folded *before* it is negated, so ``(?i:\P{Lu})`` is everything but the cased letters.
"""

from __future__ import annotations

import string
from collections.abc import Callable

from wwho.compile import unicode
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.errors import PatternError
from wwho.format.classmap import MAX_CODE_POINT


class Cursor:
    """A position in the text of a pattern, which moves from left to right.

    Attributes:
        text: The whole pattern.
        position: Offset of the next character, in code points.
    """

    def __init__(self, text: str) -> None:
        """Start at the beginning of `text`."""
        self.text = text
        self.position = 0

    @property
    def done(self) -> bool:
        """Whether no character is left."""
        return self.position >= len(self.text)

    def peek(self, width: int = 1) -> str:
        """Return the next `width` characters, fewer at the end, and stay where the cursor is."""
        return self.text[self.position : self.position + width]

    def take(self, literal: str) -> bool:
        """Move past `literal` if it comes next; tell whether it did."""
        if not self.text.startswith(literal, self.position):
            return False
        self.position += len(literal)
        return True

    def next(self, expected: str) -> str:
        """Return the next character and move past it.

        Args:
            expected: What the pattern should go on with, for the error message.

        Raises:
            PatternError: If the pattern ends here.
        """
        if self.done:
            raise self.error(f"the pattern ends where {expected} should follow")
        self.position += 1
        return self.text[self.position - 1]

    def take_until(self, end: str, construct: str) -> str:
        """Return the text before the next `end`, and move past `end` too.

        Args:
            end: The characters to look for.
            construct: What they close, for the error message: "the escape".

        Raises:
            PatternError: If `end` does not come any more.
        """
        stop = self.text.find(end, self.position)
        if stop < 0:
            raise self.error(f"{construct} is never closed; add {end!r}")
        body = self.text[self.position : stop]
        self.position = stop + len(end)
        return body

    def error(self, message: str, at: int | None = None) -> PatternError:
        """Return, but do not raise, an error that names a position in the pattern.

        Args:
            message: What is wrong and what to do.
            at: Offset of the fault in code points; the current position by default.
        """
        position = self.position if at is None else at
        return PatternError(f"at position {position}: {message}", position=position)


MAX_SETS = 50
"""How many sets may be open, one inside the other."""

_CONTROLS = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v"}
_HEX_WIDTH = {"x": 2, "u": 4, "U": 8}
_SHORTHANDS: dict[str, Callable[[], CodePointSet]] = {
    "s": unicode.white_space,
    "d": lambda: unicode.category("Nd"),
    "w": unicode.word,
}
_NOT_ONE_CHARACTER = {
    **dict.fromkeys("bB", "word boundaries are not supported; look ahead at a class instead"),
    **dict.fromkeys(
        "<>", "in other engines this is a word boundary; a plain sign needs no backslash"
    ),
    **dict.fromkeys("AzZG", "anchors are not supported; a scanner always starts at a piece"),
    **dict.fromkeys("123456789", "backreferences are not regular and cannot be compiled"),
    **dict.fromkeys("kg", "backreferences are not regular and cannot be compiled"),
    **dict.fromkeys("XRKNhHQE", "this escape is not supported; write out the class it stands for"),
}


class CharReader:
    """A reader of what stands for one character in a pattern; it moves the parser's cursor.

    Other dialects override its private methods:
    `wwho.compile.oniguruma`, and the importer of llama.cpp's patterns, which overrides `_property`.

    Attributes:
        cursor: The position in the pattern.
        fold: Whether case is ignored at the moment, inside ``(?i:...)``; the parser sets it.
        depth: How many sets are open, one inside the other.
    """

    def __init__(self, cursor: Cursor) -> None:
        """Read from `cursor`."""
        self.cursor = cursor
        self.fold = False
        self.depth = 0

    def literal(self, char: str | int) -> CodePointSet:
        """Return the set that one character stands for: itself, or all its cases if `fold`."""
        return self._fold_cases(CodePointSet.of(char))

    def escape(self) -> CodePointSet:
        r"""Read an escape such as ``\n`` or ``\p{L}``; the parser has already taken the backslash.

        Returns:
            The characters that the escape stands for, with all their cases if `fold`.

        Raises:
            PatternError: If the escape is unknown or does not stand for one character.
        """
        return self._fold_cases(self._escape())

    def read_set(self) -> CodePointSet:
        """Read a set such as ``[^a-z\\p{L}]``; the parser has already taken the opening bracket.

        A set may hold sets, and ``&&`` intersects what is on both sides, as in the Rust engine. The
        cursor ends up after the closing bracket.

        Raises:
            PatternError: If the set is empty or never closed, uses other set operators, or sets
                nest deeper than MAX_SETS.
        """
        at = self.cursor.position - 1
        if self.depth == MAX_SETS:
            raise self.cursor.error(f"sets nest deeper than {MAX_SETS}; flatten them", at)
        self.depth += 1
        negative = self.cursor.take("^")
        # What all operands before the last && share, and the union since then.
        shared, operand = ALL, CodePointSet()
        while not self.cursor.take("]"):
            if self.cursor.done:
                raise self.cursor.error("the set is never closed; add ']'", at)
            if self.cursor.take("&&"):
                shared, operand = shared & operand, CodePointSet()
            elif self.cursor.peek(2) != "[:" and self.cursor.take("["):
                operand |= self.read_set()
            else:
                operand |= self._member()
        self.depth -= 1
        chars = shared & operand
        if not chars:
            raise self.cursor.error("the set is empty; to mean a bracket, write '\\]'", at)
        return ~chars if negative else chars

    def _member(self) -> CodePointSet:
        """Read one character, one escape, or one range of a set, and fold its case if `fold`.

        A range goes from one character to another, both included. A hyphen directly before the
        closing bracket is a character, not a range.

        Raises:
            PatternError: If a range runs backwards, or an end of it is not one character.
        """
        at = self.cursor.position
        first = self._item()
        self._refuse_operator()
        is_range = self.cursor.peek() == "-" and self.cursor.peek(2) != "-]"
        if not is_range:
            return self._fold_cases(first)
        self.cursor.take("-")
        last = self._item()
        if len(first) != 1 or len(last) != 1 or min(first) > min(last):
            raise self.cursor.error("a range needs two characters in order; escape '-'", at)
        return self._fold_cases(CodePointSet.of((min(first), min(last))))

    def _item(self) -> CodePointSet:
        """Read one character or escape inside a set, without folding its case.

        Raises:
            PatternError: If the pattern ends, or a class such as ``[:alpha:]`` or a set operator
                begins here.
        """
        at = self.cursor.position
        self._refuse_operator()
        char = self.cursor.next("a character or ']'")
        if char == "[":
            raise self.cursor.error("here '[' is no character; write '\\['", at)
        return self._escape() if char == "\\" else CodePointSet.of(char)

    def _refuse_operator(self) -> None:
        """Raise PatternError if a difference of sets (``--`` or ``~~``) comes next."""
        if self.cursor.peek(2) in ("--", "~~"):
            raise self.cursor.error("this set operator is not supported; escape the character")

    def _escape(self) -> CodePointSet:
        r"""Read an escape without folding its case, since it may begin a range of a set.

        Properties are the exception: they cannot begin a range, and are folded before a capital
        ``\P`` negates them.

        Raises:
            PatternError: If the escape is unknown or does not stand for one character.
        """
        at = self.cursor.position - 1
        letter = self.cursor.next("an escaped character")
        if letter in _CONTROLS:
            return CodePointSet.of(_CONTROLS[letter])
        if letter in _HEX_WIDTH:
            return CodePointSet.of(self._code_point(letter, at))
        if letter.lower() == "p":
            return _complement_if_capital(self._fold_cases(self._property(at)), letter)
        if letter.lower() in _SHORTHANDS:
            return _complement_if_capital(_SHORTHANDS[letter.lower()](), letter)
        problem = _NOT_ONE_CHARACTER.get(letter)
        if problem is None and (letter == " " or letter in string.punctuation):
            return CodePointSet.of(letter)
        problem = problem or "unknown escape; a plain letter needs none"
        raise self.cursor.error(f"\\{letter}: {problem}", at)

    def _code_point(self, letter: str, at: int) -> int:
        r"""Read the digits of an escape, such as ``\x41`` or ``\u{41}``, and return the code point.

        Without braces, ``x`` has two digits, ``u`` four and ``U`` eight.

        Args:
            letter: The letter after the backslash, which the cursor is past; it says how many
                digits come if there are no braces.
            at: The offset of the backslash, for messages.

        Raises:
            PatternError: If the digits are not hexadecimal, or the number is above 10FFFF.
        """
        if self.cursor.take("{"):
            digits = self.cursor.take_until("}", "the escape")
        else:
            width = _HEX_WIDTH[letter]
            digits = "".join(self.cursor.next("a hexadecimal digit") for _ in range(width))
        is_hex = bool(digits) and all(digit in string.hexdigits for digit in digits)
        if not is_hex or int(digits, 16) > MAX_CODE_POINT:
            raise self.cursor.error(f"{digits!r} is not a code point in hexadecimal", at)
        return int(digits, 16)

    def _property(self, at: int) -> CodePointSet:
        r"""Read the name after ``\p`` and return its characters, without folding their case.

        The name is ``L``, ``{Lu}``, ``{Han}`` or ``{Script=Han}``: a general category, or else a
        script.

        Args:
            at: The offset of the backslash, for messages.

        Raises:
            PatternError: If there is no such category or script.
        """
        if not self.cursor.take("{"):
            name = self.cursor.next("a property name")
        else:
            name = self.cursor.take_until("}", "the property")
        kind, separator, value = name.rpartition("=")
        try:
            if separator and kind.lower() not in ("script", "sc"):
                raise KeyError(name)
            return unicode.script(value) if separator else _category_or_script(value)
        except KeyError:
            raise self.cursor.error(
                f"no property {name!r} in Unicode {unicode.UNICODE_VERSION}; use a general "
                "category such as Lu, or the long name of a script such as Han",
                at,
            ) from None

    def _fold_cases(self, chars: CodePointSet) -> CodePointSet:
        """Return a set with all cases of its characters if `fold`, else the set itself."""
        return unicode.fold_set(chars) if self.fold else chars


def _complement_if_capital(chars: CodePointSet, letter: str) -> CodePointSet:
    r"""Return the complement of a set if the letter of its escape is a capital, as in ``\S``."""
    return ~chars if letter.isupper() else chars


def _category_or_script(name: str) -> CodePointSet:
    """Return the characters of a general category or, if there is none of that name, of a script.

    Raises:
        KeyError: If the name is neither.
    """
    try:
        return unicode.category(name)
    except KeyError:
        return unicode.script(name)
