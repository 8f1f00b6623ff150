"""The section STEPS: the steps that rewrite and cut text, written and read (FORMAT.md, STEPS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_STEPS, NO_AUTOMATON
from wwho.format.steps import (
    MATCH,
    MAX_BLOCK_SYMBOLS,
    MAX_TARGETS,
    Action,
    Blocks,
    Cut,
    Ends,
    Map,
    Replace,
    Rules,
    Spell,
    Step,
)

MAX_ORDER, MAX_STRIPPED = 254, 64
HANGUL_APART, HANGUL_TOGETHER = 1, 2
EMPTY = 1
LEFT, RIGHT, UNLESS, FIRST = 1, 2, 4, 8
SHORT_JOINS, FIRST_JOINS, LAST_JOINS = 1, 2, 4
ACTION_BITS = 8
"""An action of a CUT is a kind of action plus this many times a number."""
STEP_HEAD = "2BH5I"
STATUS = "STEPS"
SURROGATES = range(0xD800, 0xE000)


def write_steps(steps: Sequence[Step]) -> bytes:
    """Return the bytes of the section STEPS.

    Args:
        steps: all steps of a file, in the order of their numbers: that of `Artifact.steps`.

    Example:
        >>> write_steps([Map({0x41: (0x61,)})]).hex(" ", -4)
        '01000100 01000100 00000000 00000000 00000100 00000300 00004101 40'
    """
    out = len(steps).to_bytes(2, "little")
    for step in steps:
        kind = next(kind for kind, each in _KINDS.items() if each.type is type(step))
        (flags, number, *sizes), columns = _KINDS[kind].write(step)
        out += bytes((kind, flags)) + number.to_bytes(2, "little")
        out += b"".join(size.to_bytes(4, "little") for size in (*sizes, len(columns))) + columns
    return out


def read_steps(data: bytes, n_rules: Sequence[int] = ()) -> tuple[Step, ...]:
    """Return the steps that a section holds, in the order of their numbers.

    Args:
        data: the bytes of the section STEPS.
        n_rules: how many rules each automaton of the file has.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is STEPS. That each step
            is named, in order, is for `check_order`.
    """
    c = Cursor(data, STATUS)
    (n_steps,) = c.numbers("H", "n_steps")
    if n_steps > MAX_STEPS:
        c.fail(f"{n_steps} steps, not 0 to {MAX_STEPS}")
    steps: list[Step] = []
    records: set[bytes] = set()
    for number in range(n_steps):
        begin = c.at
        kind, flags, automaton, *sizes, size = c.numbers(STEP_HEAD, f"step {number}")
        own = Cursor(c.take(size, f"step {number}"), STATUS)
        if kind not in _KINDS:
            c.fail(f"step {number}: kind {kind} is unknown: update wwho")
        if max(sizes[0], sizes[3]) > size:
            c.fail(f"step {number}: {sizes} entries do not fit {size} bytes")
        steps.append(_KINDS[kind].read(own, (flags, automaton, *sizes), n_rules))
        own.end()
        records.add(data[begin : c.at])
    c.end()
    if len(records) < n_steps:
        c.fail("two steps are equal")
    if sum(isinstance(step, Blocks) for step in steps) > 1:
        c.fail("two steps are BLOCKS")
    return tuple(steps)


def check_order(steps: Sequence[Step], named: Sequence[Step]) -> None:
    """Check that the steps of a file are numbered in the order in which they are first named.

    Args:
        steps: all steps, by their numbers.
        named: each step that the routes and then the normalizer name, once, in that order.

    Raises:
        ArtifactError: the order is another, or a step is not named; `.status` is STEPS.
    """
    if tuple(steps) != tuple(named):
        Cursor(b"", STATUS).fail(f"of {len(steps)} steps, {len(named)} are named, or in no order")


Head = tuple[int, ...]
"""The numbers of a step's head behind its kind, but for its size: flags, automaton, four sizes."""


def _near(values: Iterable[int]) -> list[int]:
    """Return the zigzag-coded difference of each number but the first to the one before it."""
    return leb.zigzag(values)[1:]


def _gaps(values: Iterable[int]) -> list[int]:
    """Return the gaps between ascending numbers: differences less one; the first number stays."""
    return [b - a - 1 for a, b in pairwise((-1, *values))]


def _code_point(c: Cursor, value: int, *, match: bool = False) -> int:
    """Return a number if it is a code point; with `match`, U+DFFF is one, too, which is `MATCH`.

    Raises:
        ArtifactError: it is a surrogate, or beyond all code points.
    """
    if not 0 <= value < 0x110000:
        c.fail(f"{value:#x} is no code point")
    if value in SURROGATES and not (match and value == ord(MATCH)):
        c.fail(f"U+{value:04X} is a surrogate, which no text has")
    return value


def _read_near(c: Cursor, last: int, n: int, *, match: bool = False) -> tuple[int, ...]:
    """Return `n` code points, each read as its difference to the one before, the first to `last`.

    Raises:
        ArtifactError: a number is no code point; with `match`, U+DFFF is one.
    """
    _, *found = leb.unzigzag([2 * last, *c.lebs(n, "code points")])
    return tuple(_code_point(c, each, match=match) for each in found)


def _read_ascending(c: Cursor, n: int, width: int = 1) -> Iterator[tuple[int, ...]]:
    """Yield `n` entries of `width` numbers, of which the first is an ascending code point.

    That one is stored as its distance from the one before, less one; the others as they are. They
    are read one by one, as they are asked for.

    Raises:
        ArtifactError: a first number is no code point.
    """
    last = -1
    for _ in range(n):
        gap, *rest = c.lebs(width, "entries")
        last = _code_point(c, last + 1 + gap)
        yield (last, *rest)


# Characters one by one


def _write_map(step: Map) -> tuple[Head, bytes]:
    """Return the head and the bytes of a MAP; entries are sorted."""
    columns = bytearray()
    for difference, (code_point, targets) in zip(
        _gaps(sorted(step.mapping)), sorted(step.mapping.items()), strict=True
    ):
        columns += leb.pack([difference, len(targets), *_near((code_point, *targets))])
    for difference, (_, order) in zip(
        _gaps(sorted(step.order)), sorted(step.order.items()), strict=True
    ):
        columns += leb.pack([difference, order])
    before = (0, 0)
    for pair, composed in sorted(step.pairs.items()):
        near = [*_near((before[1], pair[1])), *_near((pair[0], composed))]
        columns += leb.pack([pair[0] - before[0], *near])
        before = pair
    flags = HANGUL_APART * step.decomposes_hangul | HANGUL_TOGETHER * step.composes_hangul
    n_pages = len({code_point >> 7 for code_point in step.code_points})
    sizes = (len(step.mapping), len(step.order), len(step.pairs))
    return (flags, n_pages, *sizes, sum(map(len, step.mapping.values()))), bytes(columns)


def _read_map(c: Cursor, head: Head, _: Sequence[int]) -> Map:
    """Return the MAP that a head and the bytes behind a cursor describe.

    Raises:
        ArtifactError: they break a MUST of FORMAT.md, Kind 1.
    """
    flags, n_pages, n_mapped, n_ordered, n_pairs, n_targets = head
    n_rewrites = n_mapped + n_ordered + 2 * n_pairs
    if flags > HANGUL_APART | HANGUL_TOGETHER or n_rewrites > min(len(c.data), 0xFFFF):
        c.fail(f"flags {flags}, {n_rewrites} entries in {len(c.data)} bytes")
    mapping: dict[int, tuple[int, ...]] = {}
    for code_point, n in _read_ascending(c, n_mapped, 2):
        if n > MAX_TARGETS:
            c.fail(f"U+{code_point:04X} becomes {n} code points; the most is {MAX_TARGETS}")
        mapping[code_point] = _read_near(c, code_point, n)
        if mapping[code_point] == (code_point,):
            c.fail(f"U+{code_point:04X} becomes itself")
    order: dict[int, int] = {}
    for code_point, class_ in _read_ascending(c, n_ordered, 2):
        order[code_point] = class_
    if any(not 1 <= each <= MAX_ORDER for each in order.values()):
        c.fail(f"a class of a mark is not of 1 to {MAX_ORDER}")
    pairs: dict[tuple[int, int], int] = {}
    before = (0, 0)
    for number in range(n_pairs):
        first = before[0] + c.lebs(1, "pairs")[0]
        pair = (_code_point(c, first), _read_near(c, before[1], 1)[0])
        if number and pair <= before:
            c.fail(f"pair {number} does not come after the one before it")
        before = pair
        pairs[pair] = _read_near(c, first, 1)[0]
    if sum(map(len, mapping.values())) != n_targets:
        c.fail(f"there are not {n_targets} targets")
    apart, together = bool(flags & HANGUL_APART), flags >= HANGUL_TOGETHER
    step = Map(mapping, order, pairs, apart, together)
    try:
        code_points = step.code_points
    except ValueError as error:
        c.fail(str(error))
    if len({code_point >> 7 for code_point in code_points}) != n_pages:
        c.fail(f"it does not speak of {n_pages} pages")
    return step


# Contents: each a number that tells of it, and its code points near the one before


def _contents(contents: Iterable[tuple[int, str]]) -> bytes:
    """Return the bytes of contents: a number for each, then its code points.

    Each code point is stored as its difference to the one before it, also across contents.
    """
    out, last = [], 0
    for number, text in contents:
        code_points = [last, *map(ord, text)]
        out += [number, *_near(code_points)]
        last = code_points[-1]
    return leb.pack(out)


def _read_contents(
    c: Cursor, n: int, n_targets: int, size: Callable[[int], int], *, match: bool = False
) -> list[tuple[int, str]]:
    """Return `n` contents, each with the number that stands before it.

    Args:
        c: the step's bytes.
        n: how many contents there are.
        n_targets: how many code points all contents have together.
        size: returns the number of code points of a content, given the number before it.
        match: whether U+DFFF may stand in a content.

    Raises:
        ArtifactError: a content is too long, a number is no code point, or there are not
            `n_targets` code points.
    """
    found, last, total = [], 0, 0
    for _ in range(n):
        number = c.lebs(1, "contents")[0]
        if size(number) > MAX_TARGETS:
            c.fail(f"a content of {size(number)} code points; the most is {MAX_TARGETS}")
        code_points = _read_near(c, last, size(number), match=match)
        last = code_points[-1] if code_points else last
        total += len(code_points)
        found.append((number, "".join(map(chr, code_points))))
    if total != n_targets:
        c.fail(f"there are {total} code points, not {n_targets}")
    return found


def _write_replace(step: Replace) -> tuple[Head, bytes]:
    """Return the head and the bytes of a REPLACE."""
    numbers = (
        0 if text is None else 1 + 2 * len(text) + (rule in step.after)
        for rule, text in enumerate(step.contents)
    )
    texts = [text or "" for text in step.contents]
    columns = _contents(zip(numbers, texts, strict=True))
    return (EMPTY * step.empty, step.automaton, len(texts), 0, 0, sum(map(len, texts))), columns


def _read_replace(c: Cursor, head: Head, n_rules: Sequence[int]) -> Replace:
    """Return the REPLACE that a head and the bytes behind a cursor describe.

    Raises:
        ArtifactError: they break a MUST of FORMAT.md, Kind 2.
    """
    flags, automaton, n, zero, zeros, n_targets = head
    if flags > EMPTY or zero or zeros or automaton >= len(n_rules) or n_rules[automaton] != n:
        c.fail(f"{n} rules of automaton {automaton} do not go with the automata")
    found = _read_contents(
        c, n, n_targets, lambda number: (number - 1) // 2 if number else 0, match=True
    )
    after = frozenset(rule for rule, (number, _) in enumerate(found) if number and not number & 1)
    contents = tuple(text if k else None for k, text in found)
    if flags == EMPTY and any((text or "").count(MATCH) != 1 for text in contents[1:]):
        c.fail("empty matches before a character, and its content does not have it once")
    return Replace(automaton, contents, after, flags == EMPTY)


def _write_ends(step: Ends) -> tuple[Head, bytes]:
    """Return the head and the bytes of an ENDS.

    The characters to strip are sorted; the head's automaton is 0.
    """
    stripped = sorted(map(ord, step.strip))
    flags = (step.left * LEFT) | (step.right * RIGHT) | (step.unless * UNLESS)
    columns = leb.pack(_gaps(stripped))
    columns += leb.pack(_near((0, *map(ord, step.prefix + step.suffix))))
    sizes = (len(stripped), len(step.prefix), len(step.suffix))
    return (flags | step.first * FIRST, 0, *sizes, sum(sizes)), columns


def _read_ends(c: Cursor, head: Head, _: Sequence[int]) -> Ends:
    """Return the ENDS that a head and the bytes behind a cursor describe.

    Raises:
        ArtifactError: they break a MUST of FORMAT.md, Kind 3.
    """
    flags, zero, n_stripped, n_prefix, n_suffix, n_targets = head
    if zero or n_stripped > MAX_STRIPPED or max(n_prefix, n_suffix) > MAX_TARGETS:
        c.fail(f"{n_stripped} characters, a prefix of {n_prefix} and a suffix of {n_suffix}")
    if n_targets != n_stripped + n_prefix + n_suffix or not n_targets:
        c.fail(f"{n_targets} code points do not go with the rest")
    wanted = (n_stripped > 0) == (flags & (LEFT | RIGHT) > 0)
    if flags > 15 or not wanted or (flags & (UNLESS | FIRST) and not n_prefix):
        c.fail(f"flags {flags} do not go with the rest")
    strip = "".join(chr(each) for (each,) in _read_ascending(c, n_stripped))
    texts = "".join(map(chr, _read_near(c, 0, n_prefix + n_suffix)))
    left, right, unless, first = (bool(flags & flag) for flag in (LEFT, RIGHT, UNLESS, FIRST))
    return Ends(strip, left, right, texts[:n_prefix], texts[n_prefix:], unless, first)


def _write_rules(step: Rules) -> tuple[Head, bytes]:
    """Return the head and the bytes of a RULES.

    Rules are sorted by their bytes; without clusters, the head's automaton is `NO_AUTOMATON`.
    """
    rules = sorted((key.encode(), to) for key, to in step.rules.items())
    columns = leb.pack_texts([key for key, _ in rules])
    columns += _contents((len(to), to) for _, to in rules)
    sizes = (len(rules), sum(len(key) for key, _ in rules), 0)
    number = NO_AUTOMATON if step.clusters is None else step.clusters
    return (0, number, *sizes, sum(len(to) for _, to in rules)), columns


def _read_rules(c: Cursor, head: Head, n_rules: Sequence[int]) -> Rules:
    """Return the RULES that a head and the bytes behind a cursor describe.

    Raises:
        ArtifactError: they break a MUST of FORMAT.md, Kind 4.
    """
    flags, number, n, text_bytes, zero, n_targets = head
    if flags or zero or not n or (number != NO_AUTOMATON and number >= len(n_rules)):
        c.fail(f"{n} rules and automaton {number} with flags {flags}")
    keys = c.texts(n, "rules")
    if sum(map(len, keys)) != text_bytes:
        c.fail(f"the texts of the rules have not {text_bytes} bytes")
    try:
        texts = [key.decode("utf-8") for key in keys]
    except UnicodeDecodeError as error:
        c.fail(f"a rule is not UTF-8: {error.object!r}")
    contents = (to for _, to in _read_contents(c, n, n_targets, int))
    rules = dict(zip(texts, contents, strict=True))
    return Rules(rules, None if number == NO_AUTOMATON else number)


def _read_spell(c: Cursor, head: Head, _: Sequence[int]) -> Spell:
    """Return a SPELL; refuse a head in which any number is not 0."""
    if any(head):
        c.fail(f"{head} in the place of zeros")
    return Spell()


def _write_blocks(step: Blocks) -> tuple[Head, bytes]:
    """Return the head and the bytes of a BLOCKS.

    Neighbouring ranges become one run, also across the border of two blocks that leaves no gap.
    """
    columns, n_runs, n, before = bytearray(), 0, step.n_indices, 0
    runs = list[list[int]]()  # place, first, last
    for block, ranges in enumerate(step.blocks):
        place = block * n
        for first, last in ranges:
            if runs and runs[-1][2] + 1 == first and runs[-1][0] + first - runs[-1][1] == place:
                runs[-1][2] = last
            else:
                runs.append([place, first, last])
            place += last - first + 1
    end = 0
    for place, first, last in runs:
        gap = place != end
        columns += leb.pack([2 * (last - first) + gap, *_near((before, first))])
        end, before = place + last - first + 1, last + 1
        n_runs += 1
    pages = {page for _, first, last in runs for page in range(first >> 7, (last >> 7) + 1)}
    return (int(step.spell), len(pages), n_runs, n + (len(step.blocks) << 16), 0, 0), bytes(columns)


def _read_blocks(c: Cursor, head: Head, _: Sequence[int]) -> Blocks:
    """Return the BLOCKS that a head and the bytes behind a cursor describe.

    Raises:
        ArtifactError: they break a MUST of FORMAT.md, Kind 7.
    """
    spell, n_pages, n_runs, both, zero, n_targets = head
    n_blocks, n = divmod(both, 1 << 16)
    if spell > 1 or zero or n_targets:
        c.fail(f"blocks with flags {spell}, {zero} and {n_targets}")
    if not n or n + n_blocks + 256 * spell > MAX_BLOCK_SYMBOLS:
        c.fail(f"{n_blocks} blocks and {n} indices; {MAX_BLOCK_SYMBOLS} symbols are possible")
    blocks: list[list[tuple[int, int]]] = [[] for _ in range(n_blocks)]
    seen: set[int] = set()
    place = before = 0
    for _run in range(n_runs):
        length, near = c.lebs(2, "runs")
        if length & 1:
            place += n - place % n
        before += leb.unzigzag([near])[0]
        for code_point in range(before, before + length // 2 + 1):
            if _code_point(c, code_point) in seen:
                c.fail(f"U+{code_point:04X} comes twice")
            seen.add(code_point)
            if place >= n * n_blocks:
                c.fail(f"U+{code_point:04X} is in no block")
            runs = blocks[place // n]
            if runs and place % n and runs[-1][1] == code_point - 1:
                runs[-1] = (runs[-1][0], code_point)
            else:
                runs.append((code_point, code_point))
            place += 1
        before += length // 2 + 1
    if not n_blocks or not blocks[-1]:
        c.fail(f"the last of {n_blocks} blocks has no character")
    if len({code_point >> 7 for code_point in seen}) != n_pages:
        c.fail(f"the characters are not of {n_pages} pages")
    return Blocks(tuple(map(tuple, blocks)), n, bool(spell))


def _write_cut(step: Cut) -> tuple[Head, bytes]:
    """Return the head and the bytes of a CUT: an action for each rule."""
    numbers = step.numbers or (0,) * len(step.actions)
    actions = bytes(
        action + ACTION_BITS * number for action, number in zip(step.actions, numbers, strict=True)
    )
    flags = SHORT_JOINS * step.short_joins | FIRST_JOINS * step.first_joins
    flags |= LAST_JOINS * step.last_joins
    return (flags, step.automaton, len(actions), 0, 0, 0), actions


def _read_cut(c: Cursor, head: Head, n_rules: Sequence[int]) -> Cut:
    """Return the CUT that a head and the bytes behind a cursor describe.

    Raises:
        ArtifactError: they break a MUST of FORMAT.md, Kind 6.
    """
    flags, automaton, n, zero, zeros, n_targets = head
    if zero or zeros or n_targets or automaton >= len(n_rules) or n_rules[automaton] != n:
        c.fail(f"actions for {n} rules of automaton {automaton} do not go with the automata")
    stored = c.take(n, "actions")
    numbers, kinds = zip(*(divmod(action, ACTION_BITS) for action in stored), strict=True)
    if max(kinds) > max(Action):
        c.fail(f"action {max(kinds)} is unknown: update wwho")
    actions = tuple(map(Action, kinds))
    if (Action.COUNT, 0) in zip(actions, numbers, strict=True):
        c.fail("groups of 0 characters")
    if flags > SHORT_JOINS | FIRST_JOINS | LAST_JOINS or (flags and Action.COUNT not in actions):
        c.fail(f"flags {flags} do not go with the actions")
    short, first, last = (bool(flags & flag) for flag in (SHORT_JOINS, FIRST_JOINS, LAST_JOINS))
    return Cut(automaton, actions, numbers, short, first, last)


class _Kind(NamedTuple):
    """A kind of steps: its type, and the functions that write and read one.

    A step is written as its head (flags, number, n, more, others, n_targets) and its bytes.
    """

    type: type
    write: Callable[[Any], tuple[Head, bytes]]
    read: Callable[[Cursor, Head, Sequence[int]], Step]


_KINDS = {
    1: _Kind(Map, _write_map, _read_map),
    2: _Kind(Replace, _write_replace, _read_replace),
    3: _Kind(Ends, _write_ends, _read_ends),
    4: _Kind(Rules, _write_rules, _read_rules),
    5: _Kind(Spell, lambda _: ((0,) * 6, b""), _read_spell),
    6: _Kind(Cut, _write_cut, _read_cut),
    7: _Kind(Blocks, _write_blocks, _read_blocks),
}
"""The kinds of steps, by their numbers in the file."""
