"""The normalizer of the reference backend: to the letter of FORMAT.md, NORMALIZER."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wwho.core.characters import read_characters
from wwho.format.rewriting import Rewriting

SYLLABLES = range(0xAC00, 0xAC00 + 11172)
LEADS, N_VOWELS, N_TAILS = range(0x1100, 0x1100 + 19), 21, 28
VOWELS, TAILS = range(0x1161, 0x1161 + N_VOWELS), range(0x11A7, 0x11A7 + N_TAILS)


@dataclass(frozen=True)
class Passing:
    """A character on its way through the steps.

    Attributes:
        text: a code point, or a byte of broken UTF-8.
        source: number of the character of the text that it came from.
        change: of the characters of the step before, how many it stands for, less one; 1 where it
            is one more.
    """

    text: int | bytes
    source: int
    change: int = 0


def normalize(steps: Sequence[Rewriting], text: bytes) -> tuple[bytes, list[int]]:
    """Normalize a text.

    Returns:
        The normalized text, and for each of its bytes where the character of `text` begins that it
        came from, in bytes.

    Example:
        >>> normalize([Rewriting({0x41: (0x61,)})], b"AbA")
        (b'aba', [0, 1, 2])
    """
    read, places = read_characters(text)
    characters = []
    for number, character in enumerate(read):
        broken = character == "\ufffd" and places[number + 1] == places[number] + 1
        found = text[places[number] : places[number + 1]] if broken else ord(character)
        characters.append(Passing(found, number))
    for step in steps:
        characters = _pass(step, characters)
    out, sources = bytearray(), []
    for each in characters:
        spelled = chr(each.text).encode() if isinstance(each.text, int) else each.text
        out += spelled
        sources += [places[each.source]] * len(spelled)
    return bytes(out), sources


def _pass(step: Rewriting, before: list[Passing]) -> list[Passing]:
    after: list[Passing] = []
    vanished = 0
    for each in before:
        targets = _apart(step, each.text)
        after += [replace(each, text=text, change=int(k > 0)) for k, text in enumerate(targets)]
        if not targets and after:
            after[-1] = replace(after[-1], change=after[-1].change - 1)
        elif not targets:
            vanished += 1
    after = _ordered(step, after)
    if step.composes:
        after = _together(step, after)
    return _placed(before, after, vanished)


def _apart(step: Rewriting, text: int | bytes) -> Sequence[int | bytes]:
    if isinstance(text, bytes):
        return (text,)
    if step.hangul_apart and text in SYLLABLES:
        lead, rest = divmod(text - SYLLABLES[0], N_VOWELS * N_TAILS)
        vowel, tail = divmod(rest, N_TAILS)
        return (LEADS[lead], VOWELS[vowel], TAILS[tail])[: 3 if tail else 2]
    return step.apart.get(text, (text,))


def _order_of(step: Rewriting, each: Passing) -> int:
    return 0 if isinstance(each.text, bytes) else step.order.get(each.text, 0)


def _ordered(step: Rewriting, characters: list[Passing]) -> list[Passing]:
    """Each stretch of marks sorted by class; sorting is stable."""
    out: list[Passing] = []
    marks: list[Passing] = []
    for each in characters:
        if _order_of(step, each):
            marks.append(each)
            continue
        out += [*sorted(marks, key=lambda mark: _order_of(step, mark)), each]
        marks = []
    return out + sorted(marks, key=lambda mark: _order_of(step, mark))


def _together(step: Rewriting, characters: list[Passing]) -> list[Passing]:
    """Each starter composed with what stands behind it, where nothing between blocks it."""
    out: list[Passing] = []
    starter: int | None = None
    for each in characters:
        order = _order_of(step, each)
        if starter is not None:
            between = _order_of(step, out[-1]) if len(out) > starter + 1 else None
            both = _composed(step, out[starter].text, each.text)
            if both is not None and (between is None or 0 < between < order):
                change = out[starter].change + each.change - 1
                out[starter] = replace(out[starter], text=both, change=change)
                continue
        if not order:
            starter = len(out)
        out.append(each)
    return out


def _composed(step: Rewriting, first: int | bytes, second: int | bytes) -> int | None:
    if isinstance(first, bytes) or isinstance(second, bytes):
        return None
    if step.hangul_together:
        if first in LEADS and second in VOWELS:
            lead, vowel = first - LEADS[0], second - VOWELS[0]
            return SYLLABLES[(lead * N_VOWELS + vowel) * N_TAILS]
        open_syllable = first in SYLLABLES and (first - SYLLABLES[0]) % N_TAILS == 0
        if open_syllable and second in TAILS[1:]:
            return first + second - TAILS[0]
    return step.pairs.get((first, second))


def _placed(before: list[Passing], after: list[Passing], at: int) -> list[Passing]:
    """Characters take the sources of the step before in order; a new one has its neighbour's."""
    out = []
    for each in after:
        if each.change > 0:
            out.append(replace(each, source=before[max(at - 1, 0)].source))
        else:
            out.append(replace(each, source=before[at].source))
            at += 1 - each.change
    return out
