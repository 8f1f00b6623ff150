"""The step MAP in plain Python: single characters, decomposed and composed (FORMAT.md, Kind 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wwho.format.steps import Map
from wwho.reference.piece import Piece, Source

SYLLABLES = range(0xAC00, 0xAC00 + 11172)
LEADS, N_VOWELS, N_TAILS = range(0x1100, 0x1100 + 19), 21, 28
VOWELS, TAILS = range(0x1161, 0x1161 + N_VOWELS), range(0x11A7, 0x11A7 + N_TAILS)


class Passing(NamedTuple):
    """A character while a step works on a piece.

    Attributes:
        text: the character.
        change: how many characters of the piece it stands for, less one; 1 if it stands for none,
            since it is new.
    """

    text: str
    change: int = 0


def map_characters(step: Map, piece: Piece) -> list[tuple[str, Source]]:
    """Return the characters of a piece after MAP, each with its source.

    They are decomposed, then sorted, then composed; a text that the step cannot change is returned
    as it is.
    """
    if step.changed.isdisjoint(piece.text):
        return [*zip(piece.text, piece.sources, strict=True)]
    after: list[Passing] = []
    vanished = 0
    for character in piece.text:
        targets = decompose(step, character)
        after += [Passing(text, int(number > 0)) for number, text in enumerate(targets)]
        if not targets and not note_vanished(after, 1):
            vanished += 1
    after = order_marks(step, after)
    if step.composes:
        after = compose(step, after)
    return give_sources(piece.sources, after, vanished)


def decompose(step: Map, character: str) -> Sequence[str]:
    """Return the characters that a character is mapped to, or itself if it is not mapped.

    No character: it vanishes.
    """
    if step.decomposes_hangul and ord(character) in SYLLABLES:
        lead, rest = divmod(ord(character) - SYLLABLES[0], N_VOWELS * N_TAILS)
        vowel, tail = divmod(rest, N_TAILS)
        parts = (LEADS[lead], VOWELS[vowel], TAILS[tail])
        return [chr(part) for part in parts[: 3 if tail else 2]]
    targets = step.decompositions.get(ord(character))
    return character if targets is None else [chr(target) for target in targets]


def order_marks(step: Map, characters: Sequence[Passing]) -> list[Passing]:
    """Return the characters with each run of combining marks sorted by their classes, stably.

    Marks are the characters that `step.order` has; all others are starters, and stay.
    """
    out: list[Passing] = []
    marks: list[Passing] = []

    def class_of(mark: Passing) -> int:
        return step.order[ord(mark.text)]

    for character in characters:
        if ord(character.text) in step.order:
            marks.append(character)
            continue
        out += [*sorted(marks, key=class_of), character]
        marks = []
    return out + sorted(marks, key=class_of)


def compose(step: Map, characters: Sequence[Passing]) -> list[Passing]:
    """Return the characters with each starter composed with later ones that nothing blocks.

    A combining mark that stays between the two blocks characters of no higher class than its own.
    """
    out: list[Passing] = []
    starter: int | None = None
    for character in characters:
        own_class = step.order.get(ord(character.text), 0)
        if starter is not None:
            both = composition(step, ord(out[starter].text), ord(character.text))
            beside = len(out) == starter + 1
            class_before = step.order.get(ord(out[-1].text), 0)
            if both is not None and (beside or 0 < class_before < own_class):
                change = out[starter].change + character.change - 1
                out[starter] = Passing(chr(both), change)
                continue
        if not own_class:
            starter = len(out)
        out.append(character)
    return out


def composition(step: Map, first: int, second: int) -> int | None:
    """Return the code point that two code points compose to; None if they do not compose."""
    if step.composes_hangul:
        if first in LEADS and second in VOWELS:
            lead, vowel = first - LEADS[0], second - VOWELS[0]
            return SYLLABLES[(lead * N_VOWELS + vowel) * N_TAILS]
        open_syllable = first in SYLLABLES and (first - SYLLABLES[0]) % N_TAILS == 0
        if open_syllable and second in TAILS[1:]:
            return first + second - TAILS[0]
    return step.pairs.get((first, second))


def note_vanished(after: list[Passing], number: int) -> bool:
    """Count characters that vanish as part of the last one of `after`, which is changed in place.

    Returns:
        Whether there is such a character. If not, nothing is counted.
    """
    if after:
        after[-1] = after[-1]._replace(change=after[-1].change - number)
    return bool(after)


def give_sources(
    sources: Sequence[Source], after: Sequence[Passing], at: int
) -> list[tuple[str, Source]]:
    """Give the characters after a step the sources of those before it, one after the other.

    Args:
        sources: the sources of the characters before the step.
        after: the characters after it.
        at: how many of the characters before it vanish before all that is left.

    Returns:
        Each character with its source; a new one has the source of the one before it.
    """
    found = []
    for text, change in after:
        if change > 0:
            found.append((text, sources[max(at - 1, 0)]))
        else:
            found.append((text, sources[at]))
            at += 1 - change
    return found
