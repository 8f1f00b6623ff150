"""JSON values that know where they stand, so that every error can say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

from wwho.errors import SourceError
from wwho.importers.source import escape_key, shown

Given = ParamSpec("Given")
Read = TypeVar("Read")
_REQUIRED = object()
TYPES = {
    bool: "true or false",
    int: "a whole number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


class Value:
    """A value of a JSON document.

    Attributes:
        raw: the value.
        pointer: where it stands (RFC 6901).
    """

    def __init__(self, raw: Any, pointer: str = "") -> None:
        """Take a value and its place."""
        self.raw = raw
        self.pointer = pointer

    def fail(self, message: str) -> NoReturn:
        """Refuse the document for this value.

        Raises:
            SourceError: always.
        """
        raise SourceError(f"{self.pointer or 'the document'}: {message}", pointer=self.pointer)

    def at(self, key: str | int) -> Value:
        """Return a member, or an item; a member that is not there is null."""
        raw = self.raw.get(key) if isinstance(self.raw, dict) else self.raw[key]
        return Value(raw, f"{self.pointer}/{escape_key(str(key))}")

    def be(self, kind: type[Any]) -> Any:
        """Return the value, which must be of this type.

        Raises:
            SourceError: it is not.
        """
        if not isinstance(self.raw, kind) or (kind is int and isinstance(self.raw, bool)):
            self.fail(f"found {shown(self.raw)}, expected {TYPES[kind]}")
        return self.raw

    def _member(self, key: str, kind: type[Any], default: Any) -> Any:
        """Return the raw value of a member; `default` if it is not there.

        Raises:
            SourceError: this is no object; the member is of another type, null too; or it is not
                there, and the default is `_REQUIRED`.
        """
        self.be(dict)
        if key not in self.raw:
            if default is _REQUIRED:
                self.fail(f"there is no {key!r}, which tokenizers asks for")
            return default
        return self.at(key).be(kind)

    def text(self, key: str, default: Any = _REQUIRED) -> str:
        """Return a member that is a text; raises as `_member` does."""
        found: str = self._member(key, str, default)
        return found

    def flag(self, key: str, default: Any = _REQUIRED) -> bool:
        """Return a member that is true or false; raises as `_member` does."""
        found: bool = self._member(key, bool, default)
        return found

    def number(self, key: str, default: Any = _REQUIRED) -> int:
        """Return a member that is a whole number; raises as `_member` does."""
        found: int = self._member(key, int, default)
        return found

    def short_text(self, key: str, most: int) -> str:
        """Return a member that is a text of at most so many characters.

        Raises:
            SourceError: it is longer, or no text.
        """
        found = self.text(key)
        if len(found) > most:
            self.at(key).fail(f"a text of {len(found):,} characters; {most:,} are possible")
        return found

    def option(self, key: str, kind: type[Any]) -> Any:
        """Return a member of this type, or None where it is null or not there.

        Raises:
            SourceError: it is of another type.
        """
        value = self.at(key)
        return None if value.raw is None else value.be(kind)

    def items(self, key: str) -> Iterator[Value]:
        """Return the items of a list that is a member, which must be there."""
        self._member(key, list, _REQUIRED)
        return self.at(key).each()

    def each(self) -> Iterator[Value]:
        """Return the items of this value; raises SourceError if it is no list."""
        return (self.at(number) for number in range(len(self.be(list))))

    def kind(self) -> str:
        """Return the member "type"; raises SourceError if there is no such text."""
        self.be(dict)
        return self.text("type")

    def dispatch(
        self,
        readers: Mapping[str, Callable[Concatenate[Value, Given], Read]],
        what: str,
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Read:
        """Return what the reader of this value's "type" makes of the value.

        Args:
            readers: the readers, by type.
            what: what the value is, such as "decoder", for the message.
            given: what the reader is given after the value.
            named: the same, by name.

        Raises:
            SourceError: there is no reader of this type, or as the reader does.
        """
        kind = self.kind()
        if kind not in readers:
            near = get_close_matches(kind, readers, 1) or sorted(readers)
            self.at("type").fail(
                f"found {shown(kind)}, which is no {what} that is known; the nearest is {near[0]!r}"
            )
        return readers[kind](self, *given, **named)


OPTIONS = frozenset(
    " ".join(
        (
            "type normalizers pretokenizers processors decoders clean_text handle_chinese_chars",
            "lowercase strip_accents strip_left strip_right prepend pattern content behavior",
            "precompiled_charsmap invert add_prefix_space trim_offsets use_regex replacement",
            "prepend_scheme split str_rep individual_digits delimiter length sep cls single pair",
            "special_tokens suffix prefix cleanup pad_token word_delimiter_token start stop",
            "unk_token continuing_subword_prefix end_of_word_suffix fuse_unk byte_fallback",
            "dropout vocab ignore_merges merges unk_id max_input_chars_per_word",
        )
    ).split()
)
"""What components may be told, whichever they are; some files give one what only others know."""


def check_options(value: Value) -> None:
    """Refuse options that no component knows.

    Raises:
        SourceError: there is one; the message names the nearest that is known.
    """
    for key in value.be(dict):
        if key not in OPTIONS:
            near = get_close_matches(key, OPTIONS, 1)
            hint = f"; the nearest that is known is {near[0]!r}" if near else ""
            value.at(key).fail(f"this option is not known here{hint}")
