r"""Reading a pattern: a place in it, and the escapes and sets that stand for one character.

Case folding follows the Rust engine that tiktoken uses: every item is folded by itself, and
folded *before* it is negated, so ``(?i:\P{Lu})`` is everything but the cased letters.
"""

from __future__ import annotations

import string
from collections.abc import Callable

from wwho.compile import unicode
from wwho.compile.codepoints import CodePointSet
from wwho.errors import PatternError
from wwho.format.classmap import MAX_CODE_POINT


class Cursor:
    """Reads a pattern from left to right.

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
        """Whether nothing is left."""
        return self.position >= len(self.text)

    def peek(self, width: int = 1) -> str:
        """Return up to `width` next characters without taking them."""
        return self.text[self.position : self.position + width]

    def take(self, literal: str) -> bool:
        """Take `literal` if it comes next; tell whether it did."""
        if not self.text.startswith(literal, self.position):
            return False
        self.position += len(literal)
        return True

    def next(self, expected: str) -> str:
        """Take one character.

        Args:
            expected: What the pattern should go on with, for the error message.

        Raises:
            PatternError: If the pattern ends here.
        """
        if self.done:
            raise self.error(f"the pattern ends where {expected} should follow")
        self.position += 1
        return self.text[self.position - 1]

    def until(self, end: str, what: str) -> str:
        """Take everything up to `end`, and `end` too; return what stood before it."""
        stop = self.text.find(end, self.position)
        if stop < 0:
            raise self.error(f"{what} is never closed; add {end!r}")
        body = self.text[self.position : stop]
        self.position = stop + len(end)
        return body

    def error(self, message: str, at: int | None = None) -> PatternError:
        """Build, but do not raise, an error that points into the pattern.

        Args:
            message: What is wrong and what to do.
            at: Offset of the fault; the current position by default.
        """
        position = self.position if at is None else at
        return PatternError(f"at position {position}: {message}", position=position)


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
    """Reads what stands for one character.

    Attributes:
        fold: Whether case is ignored at the moment, inside ``(?i:...)``.
        depth: How many sets are open.
    """

    def __init__(self, cursor: Cursor) -> None:
        """Read from `cursor`."""
        self.cursor = cursor
        self.fold = False
        self.depth = 0

    def literal(self, char: str | int) -> CodePointSet:
        """Return the set that one character stands for."""
        return self._folded(CodePointSet.of(char))

    def escape(self) -> CodePointSet:
        r"""Read an escape; the backslash is already taken.

        Raises:
            PatternError: If it is unknown or does not stand for one character.
        """
        return self._folded(self._escape())

    def bracketed(self) -> CodePointSet:
        """Read a set such as ``[^a-z\\p{L}]``; the opening bracket is already taken.

        Raises:
            PatternError: If it is empty, never closed, or uses set operators.
        """
        at = self.cursor.position - 1
        negative = self.cursor.take("^")
        chars = CodePointSet()
        while not self.cursor.take("]"):
            if self.cursor.done:
                raise self.cursor.error("the set is never closed; add ']'", at)
            chars |= self._member()
        if not chars:
            raise self.cursor.error("the set is empty; to mean a bracket, write '\\]'", at)
        return ~chars if negative else chars

    def _member(self) -> CodePointSet:
        """Read one character, one escape, or one range of a set."""
        at = self.cursor.position
        first = self._item()
        self._refuse_operator()
        is_range = self.cursor.peek() == "-" and self.cursor.peek(2) != "-]"
        if not is_range:
            return self._folded(first)
        self.cursor.take("-")
        last = self._item()
        if len(first) != 1 or len(last) != 1 or min(first) > min(last):
            raise self.cursor.error("a range needs two characters in order; escape '-'", at)
        return self._folded(CodePointSet.of((min(first), min(last))))

    def _item(self) -> CodePointSet:
        """Read one character or escape of a set, not folded yet."""
        at = self.cursor.position
        self._refuse_operator()
        char = self.cursor.next("a character or ']'")
        if char == "[":
            raise self.cursor.error("sets inside sets are not supported; write '\\['", at)
        return self._escape() if char == "\\" else CodePointSet.of(char)

    def _refuse_operator(self) -> None:
        if self.cursor.peek(2) in ("&&", "--", "~~"):
            raise self.cursor.error("set operators are not supported; escape the character")

    def _escape(self) -> CodePointSet:
        """Read an escape, not folded yet: in a set it may begin a range."""
        at = self.cursor.position - 1
        letter = self.cursor.next("an escaped character")
        if letter in _CONTROLS:
            return CodePointSet.of(_CONTROLS[letter])
        if letter in _HEX_WIDTH:
            return CodePointSet.of(self._code_point(letter, at))
        if letter.lower() == "p":
            return _negated(self._folded(self._property(at)), letter)
        if letter.lower() in _SHORTHANDS:
            return _negated(_SHORTHANDS[letter.lower()](), letter)
        problem = _NOT_ONE_CHARACTER.get(letter)
        if problem is None and (letter == " " or letter in string.punctuation):
            return CodePointSet.of(letter)
        problem = problem or "unknown escape; a plain letter needs none"
        raise self.cursor.error(f"\\{letter}: {problem}", at)

    def _code_point(self, letter: str, at: int) -> int:
        r"""Read the digits of ``\x41``, ``\u0041``, ``\U00000041``, ``\x{41}`` or ``\u{41}``."""
        if self.cursor.take("{"):
            digits = self.cursor.until("}", "the escape")
        else:
            width = _HEX_WIDTH[letter]
            digits = "".join(self.cursor.next("a hexadecimal digit") for _ in range(width))
        is_hex = bool(digits) and all(digit in string.hexdigits for digit in digits)
        if not is_hex or int(digits, 16) > MAX_CODE_POINT:
            raise self.cursor.error(f"{digits!r} is not a code point in hexadecimal", at)
        return int(digits, 16)

    def _property(self, at: int) -> CodePointSet:
        r"""Read the name after ``\p``: ``L``, ``{Lu}``, ``{Han}`` or ``{Script=Han}``."""
        if not self.cursor.take("{"):
            name = self.cursor.next("a property name")
        else:
            name = self.cursor.until("}", "the property")
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

    def _folded(self, chars: CodePointSet) -> CodePointSet:
        """Add what equals the set's members when case is ignored, if it is."""
        return unicode.fold_set(chars) if self.fold else chars


def _negated(chars: CodePointSet, letter: str) -> CodePointSet:
    """Complement a set where the letter of its escape is a capital."""
    return ~chars if letter.isupper() else chars


def _category_or_script(name: str) -> CodePointSet:
    """Look a name up among the general categories, then among the scripts."""
    try:
        return unicode.category(name)
    except KeyError:
        return unicode.script(name)
