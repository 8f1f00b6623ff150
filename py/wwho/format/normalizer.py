"""The NORMALIZER section: how a text is rewritten before it is cut (FORMAT.md, NORMALIZER)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from wwho.format import leb
from wwho.format.cursor import Cursor
from wwho.format.steps import (
    MAX_PAIR_SYMBOLS,
    MAX_TARGETS,
    Ends,
    Pairs,
    Replace,
    Rewriting,
    Rules,
    Spell,
    Step,
)

MAX_STEPS, MAX_ORDER, MAX_STRIPPED = 16, 254, 64
HANGUL_APART, HANGUL_TOGETHER = 1, 2
LEFT, RIGHT, UNLESS, FIRST = 1, 2, 4, 8
NONE = 0xFFFF
STEP_HEAD = "2BH5I"
STATUS = "NORMALIZER"


def write_normalizer(
    steps: Sequence[Step | Pairs],
    late: Sequence[Step | Pairs] = (),
    within: Sequence[Step] = (),
    pairs: Pairs | None = None,
) -> bytes:
    """The section's bytes.

    Args:
        steps: those that a text goes through first.
        late: those of the parts between added tokens that are found in normalized text.
        within: those of each pretoken.
        pairs: how pieces are written for models over bytes.

    Example:
        >>> write_normalizer([Rewriting({0x41: (0x61,)})]).hex(" ", -4)
        '01000000 01000100 01000000 00000000 00000000 01000000 03000000 410140'
    """
    every = [*steps, *late, *within, *([pairs] if pairs else [])]
    out = len(every).to_bytes(2, "little") + bytes((len(late), len(within)))
    for step in every:
        kind = next(kind for kind, each in _KINDS.items() if each.type is type(step))
        (flags, number, *sizes), columns = _KINDS[kind].write(step)
        out += bytes((kind, flags)) + number.to_bytes(2, "little")
        out += b"".join(size.to_bytes(4, "little") for size in (*sizes, len(columns))) + columns
    return out


def read_normalizer(
    data: bytes, n_rules: Sequence[int] = ()
) -> tuple[tuple[Step, ...], tuple[Step, ...], tuple[Step, ...], Pairs | None]:
    """The steps that a section holds: the first ones, those of parts, those of pretokens, the last.

    Args:
        data: the section.
        n_rules: how many rules each automaton of the file has.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is NORMALIZER.
    """
    c = Cursor(data, STATUS)
    n_steps, n_late, n_within = c.numbers("HBB", "head")
    if not 1 <= n_steps <= MAX_STEPS:
        c.fail(f"{n_steps} steps; there are 1 to {MAX_STEPS}")
    steps: list[Step] = []
    pairs: Pairs | None = None
    for number in range(n_steps):
        kind, flags, automaton, *sizes, size = c.numbers(STEP_HEAD, f"step {number}")
        own = Cursor(c.take(size, f"step {number}"), STATUS)
        if kind not in _KINDS:
            c.fail(f"step {number}: kind {kind} is unknown")
        if max(sizes[0], sizes[1] if kind == 1 else 0, sizes[3]) > size:
            c.fail(f"step {number}: {sizes} entries do not fit {size} bytes")
        if pairs:
            c.fail(f"step {number} comes after the one of pairs, which is the last")
        step = _KINDS[kind].read(own, (flags, automaton, *sizes), n_rules)
        if isinstance(step, Pairs):
            pairs = step
        else:
            steps.append(step)
        own.end()
    c.end()
    late = len(steps) - n_within
    early = late - n_late
    if early < 0 or (n_within and pairs):
        c.fail(f"of {n_steps} steps, {n_late} are of parts, {n_within} of pretokens")
    return tuple(steps[:early]), tuple(steps[early:late]), tuple(steps[late:]), pairs


Head = tuple[int, ...]


def _near(values: Iterable[int]) -> list[int]:
    """Differences between neighbours, zigzag-coded."""
    return leb.zigzag(values)[1:]


def _steps_of(values: Iterable[int]) -> list[int]:
    """Differences between ascending numbers, less one but for the first."""
    return [b - a - 1 for a, b in pairwise((-1, *values))]


def _code_point(c: Cursor, value: int) -> int:
    if not 0 <= value < 0x110000:
        c.fail(f"{value:#x} is no code point")
    return value


def _read_near(c: Cursor, last: int, n: int) -> tuple[int, ...]:
    """`n` code points, each a difference from the one before."""
    _, *found = leb.unzigzag([2 * last, *c.lebs(n, "code points")])
    return tuple(_code_point(c, each) for each in found)


def _ascending(c: Cursor, n: int, width: int = 1) -> Iterator[tuple[int, ...]]:
    """`n` entries whose first number is an ascending code point."""
    last = -1
    for _ in range(n):
        difference, *rest = c.lebs(width, "entries")
        last = _code_point(c, last + 1 + difference)
        yield (last, *rest)


# Characters one by one


def _write_rewriting(step: Rewriting) -> tuple[Head, bytes]:
    columns = bytearray()
    for difference, (code_point, targets) in zip(
        _steps_of(sorted(step.mapping)), sorted(step.mapping.items()), strict=True
    ):
        columns += leb.pack([difference, len(targets), *_near((code_point, *targets))])
    for difference, (_, order) in zip(
        _steps_of(sorted(step.order)), sorted(step.order.items()), strict=True
    ):
        columns += leb.pack([difference, order])
    before = (0, 0)
    for pair, composed in sorted(step.pairs.items()):
        near = [*_near((before[1], pair[1])), *_near((pair[0], composed))]
        columns += leb.pack([pair[0] - before[0], *near])
        before = pair
    flags = HANGUL_APART * step.hangul_apart | HANGUL_TOGETHER * step.hangul_together
    n_pages = len({code_point >> 7 for code_point in step.spoken_of})
    sizes = (len(step.mapping), len(step.order), len(step.pairs))
    return (flags, n_pages, *sizes, sum(map(len, step.mapping.values()))), bytes(columns)


def _read_rewriting(c: Cursor, head: Head, _: Sequence[int]) -> Rewriting:
    flags, n_pages, n_mapped, n_ordered, n_pairs, n_targets = head
    n_rewrites = n_mapped + n_ordered + 2 * n_pairs
    if flags > HANGUL_APART | HANGUL_TOGETHER or n_rewrites > min(len(c.data), 0xFFFF):
        c.fail(f"flags {flags}, {n_rewrites} entries in {len(c.data)} bytes")
    mapping: dict[int, tuple[int, ...]] = {}
    for code_point, n in _ascending(c, n_mapped, 2):
        if n > MAX_TARGETS:
            c.fail(f"U+{code_point:04X} becomes {n} code points; the most is {MAX_TARGETS}")
        mapping[code_point] = _read_near(c, code_point, n)
        if mapping[code_point] == (code_point,):
            c.fail(f"U+{code_point:04X} becomes itself")
    order: dict[int, int] = {}
    for code_point, class_ in _ascending(c, n_ordered, 2):
        order[code_point] = class_
    if any(not 1 <= each <= MAX_ORDER for each in order.values()):
        c.fail(f"a class of a mark is not of 1 to {MAX_ORDER}")
    pairs: dict[tuple[int, int], int] = {}
    before = (0, 0)
    for number in range(n_pairs):
        first = before[0] + c.lebs(1, "pairs")[0]
        if first >= 0x110000:
            c.fail(f"{first:#x} is no code point")
        pair = (first, _read_near(c, before[1], 1)[0])
        if number and pair <= before:
            c.fail(f"pair {number} does not come after the one before it")
        before = pair
        pairs[pair] = _read_near(c, first, 1)[0]
    if sum(map(len, mapping.values())) != n_targets:
        c.fail(f"there are not {n_targets} targets")
    apart, together = bool(flags & HANGUL_APART), flags >= HANGUL_TOGETHER
    step = Rewriting(mapping, order, pairs, apart, together)
    try:
        spoken_of = step.spoken_of
    except ValueError as error:
        c.fail(str(error))
    if len({code_point >> 7 for code_point in spoken_of}) != n_pages:
        c.fail(f"it does not speak of {n_pages} pages")
    return step


# Contents: each a number that tells of it, and its code points near the one before


def _contents(contents: Iterable[tuple[int, str]]) -> bytes:
    out, last = [], 0
    for number, text in contents:
        code_points = [last, *map(ord, text)]
        out += [number, *_near(code_points)]
        last = code_points[-1]
    return leb.pack(out)


def _read_contents(
    c: Cursor, n: int, n_targets: int, size: Callable[[int], int]
) -> list[tuple[int, str]]:
    found, last, total = [], 0, 0
    for _ in range(n):
        number = c.lebs(1, "contents")[0]
        if size(number) > MAX_TARGETS:
            c.fail(f"a content of {size(number)} code points; the most is {MAX_TARGETS}")
        code_points = _read_near(c, last, size(number))
        last = code_points[-1] if code_points else last
        total += len(code_points)
        found.append((number, "".join(map(chr, code_points))))
    if total != n_targets:
        c.fail(f"there are {total} code points, not {n_targets}")
    return found


def _write_replace(step: Replace) -> tuple[Head, bytes]:
    numbers = (
        0 if text is None else 1 + 2 * len(text) + (rule in step.after)
        for rule, text in enumerate(step.contents)
    )
    texts = [text or "" for text in step.contents]
    columns = _contents(zip(numbers, texts, strict=True))
    return (0, step.automaton, len(texts), 0, 0, sum(map(len, texts))), columns


def _read_replace(c: Cursor, head: Head, n_rules: Sequence[int]) -> Replace:
    flags, automaton, n, zero, zeros, n_targets = head
    if flags or zero or zeros or automaton >= len(n_rules) or n_rules[automaton] != n:
        c.fail(f"{n} rules of automaton {automaton} do not go with the automata")
    found = _read_contents(c, n, n_targets, lambda number: (number - 1) // 2 if number else 0)
    after = frozenset(rule for rule, (number, _) in enumerate(found) if number and not number & 1)
    return Replace(automaton, tuple(text if k else None for k, text in found), after)


def _write_ends(step: Ends) -> tuple[Head, bytes]:
    stripped = sorted(map(ord, step.strip))
    flags = (step.left * LEFT) | (step.right * RIGHT) | (step.unless * UNLESS)
    columns = leb.pack(_steps_of(stripped))
    columns += leb.pack(_near((0, *map(ord, step.prefix + step.suffix))))
    sizes = (len(stripped), len(step.prefix), len(step.suffix))
    return (flags | step.first * FIRST, 0, *sizes, sum(sizes)), columns


def _read_ends(c: Cursor, head: Head, _: Sequence[int]) -> Ends:
    flags, zero, n_stripped, n_prefix, n_suffix, n_targets = head
    if zero or n_stripped > MAX_STRIPPED or max(n_prefix, n_suffix) > MAX_TARGETS:
        c.fail(f"{n_stripped} characters, a prefix of {n_prefix} and a suffix of {n_suffix}")
    if n_targets != n_stripped + n_prefix + n_suffix or not n_targets:
        c.fail(f"{n_targets} code points do not go with the rest")
    wanted = (n_stripped > 0) == (flags & (LEFT | RIGHT) > 0)
    if flags > 15 or not wanted or (flags & (UNLESS | FIRST) and not n_prefix):
        c.fail(f"flags {flags} do not go with the rest")
    strip = "".join(chr(each) for (each,) in _ascending(c, n_stripped))
    texts = "".join(map(chr, _read_near(c, 0, n_prefix + n_suffix)))
    left, right, unless, first = (bool(flags & flag) for flag in (LEFT, RIGHT, UNLESS, FIRST))
    return Ends(strip, left, right, texts[:n_prefix], texts[n_prefix:], unless, first)


def _write_rules(step: Rules) -> tuple[Head, bytes]:
    rules = sorted((key.encode(), to) for key, to in step.rules.items())
    columns = leb.pack_texts([key for key, _ in rules])
    columns += _contents((len(to), to) for _, to in rules)
    sizes = (len(rules), sum(len(key) for key, _ in rules), 0)
    number = NONE if step.clusters is None else step.clusters
    return (0, number, *sizes, sum(len(to) for _, to in rules)), columns


def _read_rules(c: Cursor, head: Head, n_rules: Sequence[int]) -> Rules:
    flags, number, n, text_bytes, zero, n_targets = head
    if flags or zero or not n or (number != NONE and number >= len(n_rules)):
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
    return Rules(rules, None if number == NONE else number)


def _read_spell(c: Cursor, head: Head, _: Sequence[int]) -> Spell:
    if any(head):
        c.fail(f"{head} in the place of zeros")
    return Spell()


def _write_pairs(step: Pairs) -> tuple[Head, bytes]:
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


def _read_pairs(c: Cursor, head: Head, _: Sequence[int]) -> Pairs:
    spell, n_pages, n_runs, both, zero, n_targets = head
    n_blocks, n = divmod(both, 1 << 16)
    if spell > 1 or zero or n_targets:
        c.fail(f"pairs with flags {spell}")
    if not n or n + n_blocks + 256 * spell > MAX_PAIR_SYMBOLS:
        c.fail(f"{n_blocks} blocks and {n} indices; {MAX_PAIR_SYMBOLS} symbols are possible")
    blocks: list[list[tuple[int, int]]] = [[] for _ in range(n_blocks)]
    seen: set[int] = set()
    place = before = 0
    for _run in range(n_runs):
        length, near = c.lebs(2, "runs")
        if length & 1:
            place += n - place % n
        before += leb.unzigzag([near])[0]
        for code_point in range(before, before + length // 2 + 1):
            if _code_point(c, code_point) in seen or code_point >> 11 == 0xD800 >> 11:
                c.fail(f"U+{code_point:04X} comes twice, or is a surrogate")
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
    return Pairs(tuple(map(tuple, blocks)), n, bool(spell))


class _Kind(NamedTuple):
    """A kind of steps, and what spells and reads one."""

    type: type
    write: Callable[[Any], tuple[Head, bytes]]
    read: Callable[[Cursor, Head, Sequence[int]], Step | Pairs]


_KINDS = {
    1: _Kind(Rewriting, _write_rewriting, _read_rewriting),
    2: _Kind(Replace, _write_replace, _read_replace),
    3: _Kind(Ends, _write_ends, _read_ends),
    4: _Kind(Rules, _write_rules, _read_rules),
    5: _Kind(Spell, lambda _: ((0,) * 6, b""), _read_spell),
    6: _Kind(Pairs, _write_pairs, _read_pairs),
}
