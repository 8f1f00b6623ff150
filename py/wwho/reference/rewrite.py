"""The normalizer of the reference backend: to the letter of FORMAT.md, NORMALIZER."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from wwho.format.automaton import CompiledScanners
from wwho.format.steps import (
    CLUSTER_BYTES,
    MATCH,
    Ends,
    Pairs,
    Replace,
    Rewriting,
    Rules,
    Spell,
    Step,
    stand_in,
)
from wwho.reference.scan import pieces
from wwho.text import read_characters

SYLLABLES = range(0xAC00, 0xAC00 + 11172)
LEADS, N_VOWELS, N_TAILS = range(0x1100, 0x1100 + 19), 21, 28
VOWELS, TAILS = range(0x1161, 0x1161 + N_VOWELS), range(0x11A7, 0x11A7 + N_TAILS)


class Passing(NamedTuple):
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


def normalize(
    steps: Sequence[Step],
    text: bytes,
    scanners: CompiledScanners | None = None,
    *,
    first: bool = True,
) -> tuple[bytes, list[int]]:
    """Take a text, or a part of one, through steps.

    Args:
        steps: the steps.
        text: the text.
        scanners: the automata that steps name.
        first: whether it stands at the beginning of the source.

    Returns:
        The rewritten text, and for each of its bytes where the character of `text` begins that it
        came from, in bytes.

    Example:
        >>> normalize([Rewriting({0x41: (0x61,)}), Ends(prefix=" ")], b"AbA")
        (b' aba', [0, 0, 1, 2])
    """
    read, places = known_characters(text)
    characters = [Passing(each, number) for number, each in enumerate(read)]
    for step in steps:
        if isinstance(step, Rewriting):
            characters = _pass(step, characters)
        elif isinstance(step, Ends):
            characters = _at_ends(step, characters, first)
        elif isinstance(step, Spell):
            characters = [each for character in characters for each in _spelled(character)]
        else:
            assert scanners is not None or isinstance(step, Rules)
            characters = list(
                _replaced(step, characters, scanners)
                if isinstance(step, Replace)
                else _by_rules(step, characters, scanners)
            )
    out, sources = bytearray(), []
    for each in characters:
        spelled = _bytes_of(each)
        out += spelled
        sources += [places[each.source]] * len(spelled)
    return bytes(out), sources


def known_characters(text: bytes) -> tuple[list[int | bytes], Sequence[int]]:
    """Code points, and bytes of broken UTF-8, and where they begin and the text ends."""
    read, places = read_characters(text)
    return [
        text[start:end] if character == "\ufffd" and end == start + 1 else ord(character)
        for character, (start, end) in zip(read, pairwise(places), strict=True)
    ], places


def spelled(pairs: Pairs, piece: bytes) -> tuple[bytes, list[int]]:
    """A pretoken as its symbols, and where the character begins that each of their bytes is of."""
    out, sources = bytearray(), list[int]()
    for character, place in zip(*known_characters(piece), strict=False):
        symbols = pairs.spelled(character)
        out += symbols
        sources += [place] * len(symbols)
    return bytes(out), sources


def _bytes_of(character: Passing) -> bytes:
    if isinstance(character.text, bytes):
        return character.text
    return chr(character.text).encode("utf-8", "surrogatepass")


def _spelled(character: Passing) -> list[Passing]:
    if isinstance(character.text, int) and 0xD800 <= character.text < 0xE000:
        return [character]
    return [Passing(stand_in(byte), character.source) for byte in _bytes_of(character)]


def _at_ends(step: Ends, text: list[Passing], first: bool) -> list[Passing]:
    start, end = 0, len(text)
    stripped, prefix = set(map(ord, step.strip)), list(map(ord, step.prefix))
    while step.left and start < end and text[start].text in stripped:
        start += 1
    while step.right and start < end and text[end - 1].text in stripped:
        end -= 1
    text = text[start:end]
    if not text:
        return []
    if (step.unless and text[0].text == prefix[0]) or (
        step.first and not (first and text[0].source == 0)
    ):
        prefix = []
    return [
        *(Passing(code_point, text[0].source) for code_point in prefix),
        *text,
        *(Passing(ord(character), text[-1].source) for character in step.suffix),
    ]


def _matches(
    automaton: int, text: Sequence[Passing], scanners: CompiledScanners | None
) -> Iterator[tuple[int, int, int]]:
    assert scanners is not None
    spelled = "".join(chr(p.text) if isinstance(p.text, int) else "\ufffd" for p in text)
    return pieces(scanners, scanners.automata[automaton], spelled)


def _replaced(
    step: Replace, text: list[Passing], scanners: CompiledScanners | None
) -> Iterator[Passing]:
    for start, end, rule in _matches(step.automaton, text, scanners):
        content = step.contents[rule]
        if content is None:
            yield from text[start:end]
            continue
        place = text[end if rule in step.after and end < len(text) else end - 1]
        for character in content:
            if character == MATCH:
                yield from text[start:end]
            else:
                yield Passing(ord(character), place.source)


def _by_rules(
    step: Rules, text: list[Passing], scanners: CompiledScanners | None
) -> Iterator[Passing]:
    spelled = [_bytes_of(p) if isinstance(p.text, int) else b"\xff" for p in text]
    letters = [each.decode("utf-8", "surrogateescape") for each in spelled]

    def lookup(start: int, sizes: Iterable[int]) -> tuple[int, str] | None:
        """The first of these numbers of characters that a rule has, and its content."""
        found = ((size, step.rules.get("".join(letters[start : start + size]))) for size in sizes)
        return next(((size, to) for size, to in found if to is not None), None)

    if step.clusters is None:
        start = 0
        while start < len(text):
            hit = lookup(start, range(min(step.longest, len(text) - start), 0, -1))
            if hit is None:
                yield text[start]
            else:
                yield from (Passing(ord(each), text[start].source) for each in hit[1])
            start += hit[0] if hit else 1
        return
    after: list[Passing] = []
    for start, end, _ in _matches(step.clusters, text, scanners):
        whole = sum(map(len, spelled[start:end])) < CLUSTER_BYTES
        hit = lookup(start, range(1, end - start + 1)) if whole else None
        parts = [(start, end, hit[1])] if hit else []
        for at in range(start, 0 if hit else end):
            one = lookup(at, (1,))
            parts.append((at, at + 1, one[1] if one else letters[at]))
        for at, stop, content in parts:
            for number, character in enumerate(content):
                kept = text[at].text if content is letters[at] else ord(character)
                after.append(Passing(kept, 0, int(number >= stop - at)))
            if len(content) < stop - at:
                _count(after, len(content) - (stop - at))
    yield from _placed(text, after, 0)  # tokenizers forgets what vanished before anything else


def _count(after: list[Passing], change: int) -> bool:
    """Count what vanished with the character before it; false where there is none."""
    if after:
        after[-1] = after[-1]._replace(change=after[-1].change + change)
    return bool(after)


def _pass(step: Rewriting, before: list[Passing]) -> list[Passing]:
    after: list[Passing] = []
    vanished = 0
    for each in before:
        targets = _apart(step, each.text)
        after += [Passing(text, each.source, int(k > 0)) for k, text in enumerate(targets)]
        if not targets and not _count(after, -1):
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
    """Each run of marks sorted by class; sorting is stable."""
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
    """Each starter composed with what stands after it, where nothing between blocks it."""
    out: list[Passing] = []
    starter: int | None = None
    for each in characters:
        order = _order_of(step, each)
        if starter is not None:
            between = _order_of(step, out[-1]) if len(out) > starter + 1 else None
            both = _composed(step, out[starter].text, each.text)
            if both is not None and (between is None or 0 < between < order):
                change = out[starter].change + each.change - 1
                out[starter] = out[starter]._replace(text=both, change=change)
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
            out.append(Passing(each.text, before[max(at - 1, 0)].source, each.change))
        else:
            out.append(Passing(each.text, before[at].source, each.change))
            at += 1 - each.change
    return out
