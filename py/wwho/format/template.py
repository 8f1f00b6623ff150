"""The section TEMPLATE: ids before, between and after the ids of a text, or of two texts."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple, TypeVar

from wwho.format.cursor import Cursor

_Item = TypeVar("_Item")
MAX_TRIM = 31


class What(IntEnum):
    """The kinds of a template's places."""

    ID = 0
    """An id."""
    FIRST = 1
    """All of the first text."""
    SECOND = 2
    """All of the second text."""


class Place(NamedTuple):
    """One place of a template.

    Attributes:
        what: what stands in the place.
        type_id: the type of all tokens in the place, 0..255.
        id: the id, if `what` is ID; otherwise the trim of the text's offsets, 0..31.
    """

    what: What
    type_id: int = 0
    id: int = 0


class Template(NamedTuple):
    """Which ids surround those of one text, and of a pair of texts.

    Attributes:
        single: the places for one text; FIRST is among them once, SECOND is not.
        pair: the places for two texts; both are among them once, in any order.
    """

    single: tuple[Place, ...] = (Place(What.FIRST),)
    pair: tuple[Place, ...] = (Place(What.FIRST), Place(What.SECOND, 1))

    @classmethod
    def around(
        cls,
        before: Sequence[int] = (),
        behind: Sequence[int] = (),
        between: Sequence[int] = (),
        after_pair: Sequence[int] | None = None,
        second_type: int = 1,
    ) -> Template:
        """Return a template with ids before the first text, between the two, and after the last.

        Args:
            before: the ids before the first text.
            behind: the ids after a text that is alone.
            between: the ids between two texts, of the first one's type.
            after_pair: the ids after the second text; None: those after a text that is alone.
            second_type: the type of the second text and of the ids after it.

        Example:
            >>> Template.around([101], [102], [102]).ids([7], [8])
            [101, 7, 102, 8, 102]
        """
        last = behind if after_pair is None else after_pair
        head = (*_ids(before, 0), Place(What.FIRST))
        pair = (*_ids(between, 0), Place(What.SECOND, second_type), *_ids(last, second_type))
        return cls((*head, *_ids(behind, 0)), (*head, *pair))

    def places(self, pair: bool, add_special_tokens: bool = True) -> tuple[Place, ...]:
        """Return the places for one text or for a pair; those of ids only if they are asked for."""
        places = self.pair if pair else self.single
        return tuple(each for each in places if add_special_tokens or each.what is not What.ID)

    def fill(
        self,
        first: Sequence[_Item],
        second: Sequence[_Item] | None,
        special: Callable[[Place], _Item],
        add_special_tokens: bool = True,
    ) -> Iterator[tuple[Place, _Item]]:
        """Yield each place of one text, or of two, with what stands in it.

        A text's place comes once for each of its items, and not at all for an empty text.

        Args:
            first: the items of the first text; all of them are yielded in its place.
            second: those of the second text; None if there is none.
            special: returns the item for a place that holds an id.
            add_special_tokens: whether places that hold ids are yielded.
        """
        for place in self.places(second is not None, add_special_tokens):
            if place.what is What.ID:
                yield place, special(place)
            else:
                text = first if place.what is What.FIRST else second
                yield from ((place, item) for item in text or ())

    def ids(
        self,
        first: Sequence[int],
        second: Sequence[int] | None = None,
        *,
        add_special_tokens: bool = True,
    ) -> list[int]:
        """Return the ids of one text or two, with those of the template unless told otherwise."""
        filled = self.fill(first, second, lambda place: place.id, add_special_tokens)
        return [token for _, token in filled]

    def trim(self, what: What, pair: bool) -> int:
        """Return how the offsets of a text are trimmed, as FORMAT.md, TEMPLATE numbers it."""
        return next(
            place.id for place in (self.pair if pair else self.single) if place.what is what
        )

    def n_special(self, pair: bool, add_special_tokens: bool = True) -> int:
        """Return how many ids the template adds to one text, or to a pair."""
        if not add_special_tokens:
            return 0
        return sum(place.what is What.ID for place in self.places(pair))


def _ids(ids: Sequence[int], type_id: int) -> tuple[Place, ...]:
    """Return a place for each of some ids, all of one type."""
    return tuple(Place(What.ID, type_id, token) for token in ids)


def write_template(template: Template) -> bytes:
    """Return the bytes of the section TEMPLATE.

    Example:
        >>> write_template(Template.around()).hex(" ", -4)
        '01000200 01000000 00000000 01000000 00000000 02010000 00000000'
    """
    out = struct.pack("<HH", len(template.single), len(template.pair))
    places = (*template.single, *template.pair)
    return out + b"".join(
        struct.pack("<BBHI", what, kind, 0, token) for what, kind, token in places
    )


def read_template(data: bytes, ids: Callable[[int], bool]) -> Template:
    """Return the template that a section holds.

    Args:
        data: the bytes of the section TEMPLATE.
        ids: returns whether a number is the id of a token.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is TEMPLATE.
    """
    cursor = Cursor(data, "TEMPLATE")
    sizes = cursor.numbers("HH", "head")
    lists = []
    for pair, size in enumerate(sizes):
        name, needed = ("pair", [What.FIRST, What.SECOND]) if pair else ("single", [What.FIRST])
        places = []
        for number in range(size):
            where = f"{name}, place {number}"
            what, type_id, zero, token = cursor.numbers("BBHI", where)
            if what > max(What) or zero:
                cursor.fail(f"{where}: {what}, {zero}, id {token}")
            if what and (token > MAX_TRIM or (token and not token & 3)):
                cursor.fail(f"{where}: {token} is no trim")
            if what == What.ID and not ids(token):
                cursor.fail(f"{where}: {token} is not the id of a token")
            places.append(Place(What(what), type_id, token))
        found = sorted(place.what for place in places if place.what is not What.ID)
        if found != needed:
            cursor.fail(f"{name}: the texts {found} stand there, not {needed}")
        lists.append(tuple(places))
    cursor.end()
    return Template(*lists)


# Offsets without the white space of tokens (FORMAT.md, TEMPLATE: trim)

BYTES = 16
"""Of a trim: tokens stand for bytes, of which the space alone counts."""

KEEP, KEEP_ALONE = 2, 3
"""Moves that leave the first token's only space to it: always, or where no ids stand around."""

SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\u0120" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Spaced(NamedTuple):
    """The offsets of a token in a text, in characters, and the white space at its two ends.

    Attributes:
        start: its first character.
        end: the character after its last one.
        leading: how many characters at the start are white space or U+0120.
        trailing: how many characters at the end are.
    """

    start: int
    end: int
    leading: int = 0
    trailing: int = 0


def spaces(text: str) -> tuple[int, int]:
    """Return how many characters at the start and at the end of a text are white space or U+0120.

    In a text of nothing else, both count all characters.

    Example:
        >>> spaces("\\u0120 a b "), spaces("  ")
        ((2, 1), (2, 2))
    """
    return len(text) - len(text.lstrip(SPACE)), len(text) - len(text.rstrip(SPACE))


def byte_spaces(text: bytes) -> tuple[int, int]:
    """Return how many bytes at the start and at the end of a token of bytes are spaces, 20.

    Example:
        >>> byte_spaces(b"  a\\n")
        (2, 0)
    """
    return len(text) - len(text.lstrip(b" ")), len(text) - len(text.rstrip(b" "))


def trimmed(tokens: Iterable[Spaced], trim: int, around: bool) -> list[tuple[int, int]]:
    """Return the offsets of the tokens of a text, without the white space that a trim takes off.

    A trim (FORMAT.md, TEMPLATE) is two numbers of two bits, the lowest bits first, and each that is
    not 0 shortens every token once: its start goes forward by `leading`, at most to its end, and
    its end back by `trailing`, at most to its start, unless fewer characters stand before the end.
    The number 2 leaves the start of a token with a `leading` of 1 if that start is 0 or the token
    is the first of the text; 3 does so, too, but with `around` only if the start is 0.

    Args:
        tokens: the tokens of the text, in order; their white space counts what the text becomes,
            so that with 16 in the trim the caller has counted bytes (`byte_spaces`).
        trim: the trim of the text's place in the template; 16 in it changes nothing here.
        around: whether the caller asks for surrounding ids.

    Returns:
        Start and end of each token, in the units of `tokens`.

    Example:
        >>> trimmed([Spaced(0, 6, 1, 0), Spaced(6, 12, 1, 0)], 1, False)
        [(1, 6), (7, 12)]
    """
    moves = [move for move in (trim & 3, trim >> 2 & 3) if move]
    found = []
    for number, (start, end, leading, trailing) in enumerate(tokens):
        for move in moves:
            first = not start or not (number or (move == KEEP_ALONE and around))
            if not (first and leading == 1 and move >= KEEP):
                start = min(start + leading, end)
            if end >= trailing:
                end = max(end - trailing, start)
        found.append((start, end))
    return found
