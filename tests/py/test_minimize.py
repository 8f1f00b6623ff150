"""The smallest automata: states that no text tells apart become one, and no others."""

from __future__ import annotations

import random

from wwho.compile.determinize import Rows
from wwho.compile.minimize import minimize
from wwho.format.automaton import BEHIND, DEAD, START


def random_rows(chance: random.Random) -> tuple[Rows, bool]:
    """An automaton of a few states, and whether its state 2 has a block of its own."""
    states, symbols = chance.randint(1, 10), chance.randint(1, 3)
    rows: Rows = [[(0, DEAD)] * symbols]
    for _ in range(states):
        marks = (chance.choice((0, 0, 0, 1, 2)) for _ in range(symbols))
        rows.append([(mark, chance.randint(0, states)) for mark in marks])
    return rows, states >= BEHIND and chance.random() < 0.3


def told_apart(rows: Rows, behind: bool) -> set[tuple[int, int]]:
    """All pairs of states that some text tells apart: by its first mark, or by what follows."""
    states = range(len(rows))
    apart = {
        (a, b)
        for a in states
        for b in states
        if [mark for mark, _ in rows[a]] != [mark for mark, _ in rows[b]]
        or (behind and (a == BEHIND) != (b == BEHIND))
    }
    while True:
        more = {
            (a, b)
            for a in states
            for b in states
            if any((x, y) in apart for (_, x), (_, y) in zip(rows[a], rows[b], strict=True))
        }
        if more <= apart:
            return apart
        apart |= more


def test_states_that_no_text_tells_apart_are_one() -> None:
    chance = random.Random("minimize")
    for _ in range(500):
        rows, behind = random_rows(chance)
        apart = told_apart(rows, behind)
        if (START, DEAD) not in apart:
            continue
        made = minimize(rows, behind)
        # Walk both side by side: each state of one stands for one class of the other's states.
        met = {START: START, DEAD: DEAD} | ({BEHIND: BEHIND} if behind else {})
        queue = [START, *([BEHIND] if behind else [])]
        for state in queue:
            for (mark, target), (new_mark, new) in zip(rows[state], made[met[state]], strict=True):
                assert mark == new_mark
                if target not in met:
                    met[target] = new
                    queue.append(target)
                assert met[target] == new
        assert {*met.values()} | {DEAD} == {*range(len(made))}
        assert all(((a, b) in apart) == (met[a] != met[b]) for a in met for b in met)


def test_a_long_chain() -> None:
    """Its last mark tells all states apart, one after another."""
    length = 20_000
    rows: Rows = [[(0, DEAD)] * 2, *([(0, at + 2), (0, DEAD)] for at in range(length))]
    rows.append([(1, DEAD), (0, DEAD)])
    assert minimize(rows) == rows
