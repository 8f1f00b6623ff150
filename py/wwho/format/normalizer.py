"""The NORMALIZER section: how a text is rewritten before it is cut (FORMAT.md, NORMALIZER)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from wwho.errors import ArtifactError
from wwho.format import leb
from wwho.format.rewriting import MAX_TARGETS, Rewriting, is_boundary

MAX_STEPS, MAX_ORDER = 8, 254
HEAD, STEP_HEAD = 4, 24
KIND, HANGUL_APART, HANGUL_TOGETHER = 1, 1, 2


def write_normalizer(steps: Sequence[Rewriting]) -> bytes:
    """The section's bytes.

    Example:
        >>> write_normalizer([Rewriting({0x41: (0x61,)})]).hex(" ", -4)
        '01000000 01000100 01000000 00000000 00000000 01000000 03000000 410140'
    """
    out = len(steps).to_bytes(2, "little") + bytes(2)
    for step in steps:
        columns = b"".join(_columns(step))
        flags = HANGUL_APART * step.hangul_apart | HANGUL_TOGETHER * step.hangul_together
        n_pages = len({code_point >> 7 for code_point in step.spoken_of})
        n_targets = sum(map(len, step.mapping.values()))
        sizes = (len(step.mapping), len(step.order), len(step.pairs), n_targets, len(columns))
        out += bytes((KIND, flags)) + n_pages.to_bytes(2, "little")
        out += b"".join(size.to_bytes(4, "little") for size in sizes) + columns
    return out


def _columns(step: Rewriting) -> Iterator[bytes]:
    last = -1
    for code_point, targets in sorted(step.mapping.items()):
        near = [_zigzag(b - a) for a, b in pairwise((code_point, *targets))]
        yield leb.pack([code_point - last - 1, len(targets), *near])
        last = code_point
    last = -1
    for code_point, order in sorted(step.order.items()):
        yield leb.pack([code_point - last - 1, order])
        last = code_point
    before = (0, 0)
    for pair, composed in sorted(step.pairs.items()):
        near = [_zigzag(pair[1] - before[1]), _zigzag(composed - pair[0])]
        yield leb.pack([pair[0] - before[0], *near])
        before = pair


def read_normalizer(data: bytes) -> tuple[Rewriting, ...]:
    """The steps that a section holds.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is NORMALIZER.
    """
    n_steps = int.from_bytes(data[:2], "little")
    if len(data) < HEAD or data[2:4] != bytes(2) or not 1 <= n_steps <= MAX_STEPS:
        raise _fault(f"a head for 1 to {MAX_STEPS} steps was expected, not {data[:HEAD].hex(' ')}")
    steps, at = [], HEAD
    for number in range(n_steps):
        head = data[at : at + STEP_HEAD]
        columns = data[at + STEP_HEAD : at + STEP_HEAD + int.from_bytes(head[20:], "little")]
        at += STEP_HEAD + int.from_bytes(head[20:], "little")
        if len(head) < STEP_HEAD or at > len(data):
            raise _fault(f"step {number} is cut off by the end of the section")
        try:
            steps.append(_read_step(head, columns))
        except ValueError as error:
            raise _fault(f"step {number}: {error}") from None
    if at != len(data):
        raise _fault(f"{len(data) - at} bytes stand behind the last step")
    for number, step in enumerate(steps):
        for composed in step.pairs.values():
            if not is_boundary(steps[number + 1 :], composed):
                raise _fault(f"U+{composed:04X} is composed, and a later step moves it")
    return tuple(steps)


def _read_step(head: bytes, data: bytes) -> Rewriting:
    n_pages = int.from_bytes(head[2:4], "little")
    n_mapped, n_ordered, n_pairs, n_targets = (
        int.from_bytes(head[at : at + 4], "little") for at in range(4, 20, 4)
    )
    flags = head[1]
    if head[0] != KIND or flags > HANGUL_APART | HANGUL_TOGETHER:
        raise ValueError(f"kind {head[0]} with flags {flags} is unknown")
    n_rewrites = n_mapped + n_ordered + n_pairs
    if n_rewrites > min(len(data) // 2, 0xFFFF) or n_targets > len(data):
        raise ValueError(f"{n_rewrites} entries do not fit {len(data)} bytes")
    mapping: dict[int, tuple[int, ...]] = {}
    order: dict[int, int] = {}
    pairs: dict[tuple[int, int], int] = {}
    at, last = 0, -1
    for _ in range(n_mapped):
        (difference, n), at = leb.unpack(data, at, 2)
        last = _scalar(last + 1 + difference)
        if n > MAX_TARGETS:
            raise ValueError(f"U+{last:04X} becomes {n} code points; the most is {MAX_TARGETS}")
        targets, at = _near(data, at, last, n)
        if targets == (last,):
            raise ValueError(f"U+{last:04X} becomes itself")
        mapping[last] = targets
    last = -1
    for _ in range(n_ordered):
        (difference, class_), at = leb.unpack(data, at, 2)
        last = _scalar(last + 1 + difference)
        if not 1 <= class_ <= MAX_ORDER:
            raise ValueError(f"U+{last:04X} has the class {class_}; expected 1 to {MAX_ORDER}")
        order[last] = class_
    before = (0, 0)
    for number in range(n_pairs):
        (difference,), at = leb.unpack(data, at, 1)
        first = before[0] + difference
        if first >= 0x110000:
            raise ValueError(f"{first:#x} is no code point")
        (second,), at = _near(data, at, before[1], 1)
        (composed,), at = _near(data, at, first, 1)
        if number and (first, second) <= before:
            raise ValueError(f"pair {number} does not come behind the one before it")
        before = (first, second)
        pairs[before] = composed
    if sum(map(len, mapping.values())) != n_targets or at != len(data):
        raise ValueError("its columns are not as long as its head says")
    step = Rewriting(mapping, order, pairs, bool(flags & HANGUL_APART), flags >= HANGUL_TOGETHER)
    if len({code_point >> 7 for code_point in step.spoken_of}) != n_pages:
        raise ValueError(f"it does not speak of {n_pages} pages")
    return step


def _near(data: bytes, at: int, last: int, n: int) -> tuple[tuple[int, ...], int]:
    """`n` code points, each a difference from the one before."""
    differences, at = leb.unpack(data, at, n)
    found = []
    for difference in differences:
        last = _scalar((last + _unzigzag(difference)) % (1 << 32))
        found.append(last)
    return tuple(found), at


def _scalar(code_point: int) -> int:
    if code_point >= 0x110000 or code_point >> 11 == 0xD800 >> 11:
        raise ValueError(f"{code_point:#x} is no code point")
    return code_point


def _zigzag(difference: int) -> int:
    return 2 * difference if difference >= 0 else -2 * difference - 1


def _unzigzag(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def _fault(what: str) -> ArtifactError:
    return ArtifactError(f"section NORMALIZER: {what}", status="NORMALIZER")
