"""Whether automata cut alike."""

from __future__ import annotations

from collections.abc import Iterable

from wwho.assemble.fuse import fused_cuts
from wwho.compile.codepoints import CodePointSet
from wwho.format.automaton import DEAD, START, Automaton
from wwho.format.classmap import ClassMap, overlay
from wwho.format.model import Artifact
from wwho.format.steps import Cut

NOTHING = CodePointSet(())


def cut_alike(one: Artifact, other: Artifact, but: CodePointSet = NOTHING) -> bool:
    """Return whether the cuts of two artifacts of one route cut texts alike.

    False also where the cuts cannot be made an automaton each, or something else stands between
    them, so that nothing is known.

    Args:
        one: an artifact.
        other: another one.
        but: characters that texts do not have.
    """
    automata = _automata(one), _automata(other)
    return len(automata[0]) == len(automata[1]) and all(
        a is not None
        and b is not None
        and alike(one.scanners.classes, a, other.scanners.classes, b, but)
        for a, b in zip(*automata, strict=True)
    )


def _automata(artifact: Artifact) -> list[Automaton | None]:
    """Return the automata for whole cuts of the one route, in order, as few as possible.

    None stands for a cut that no automaton can do; [None]: the route has other steps, too.
    """
    (route,) = artifact.routes
    cuts = [step for step in route.steps if isinstance(step, Cut)]
    if len(cuts) < len(route.steps):
        return [None]
    fused = fused_cuts(artifact.scanners, cuts)
    return [each if isinstance(each, Automaton) else None for each in fused]


def alike(
    a: ClassMap, one: Automaton, b: ClassMap, other: Automaton, but: CodePointSet = NOTHING
) -> bool:
    """Return whether two automata match alike in texts that have none of these characters.

    Args:
        a: the classes of the first one.
        one: the first one.
        b: the classes of the second one.
        other: the second one.
        but: the characters.
    """
    _, labels = overlay([a, b, but.class_map()])
    columns = {(one.columns[k], other.columns[m]) for k, m, without in labels if not without}
    columns |= {(0, 0)}
    open_one = _open(one, {k for k, _ in columns})
    open_other = _open(other, {m for _, m in columns})
    seen, pending = {(START, START)}, [(START, START)]
    for left, right in pending:  # which grows while it is read
        for k, m in columns:
            (mark, to), (others, there) = one.table[left][k], other.table[right][m]
            if bool(to) != bool(there) or mark * (to in open_one) != others * (there in open_other):
                return False
            if to and (to, there) not in seen:
                seen.add((to, there))
                pending.append((to, there))
    return True


def _open(automaton: Automaton, columns: Iterable[int]) -> set[int]:
    """Return the states in which a match may end without a further mark.

    A mark on the way to any other state says nothing: a later one takes its place.

    Args:
        automaton: the automaton.
        columns: the columns of what may be read, the end of the text among them.
    """
    steps = [{automaton.table[state][k] for k in columns} for state in range(automaton.n_states)]
    found, size = {DEAD}, 0
    while size < len(found):
        size = len(found)
        found |= {
            state
            for state, row in enumerate(steps)
            if any(not mark and to in found for mark, to in row)
        }
    return found
