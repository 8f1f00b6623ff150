"""The section ROUTES: which steps a segment passes through, and which model encodes it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from wwho.format.automaton import DEAD, START, Automaton
from wwho.format.cursor import Cursor
from wwho.format.layout import MAX_LISTED_STEPS, MAX_ROUTES, NO_AUTOMATON, UNIT_RULES
from wwho.format.model import AFFIXES, Head, Route, Unknown
from wwho.format.steps import Blocks, Cut, Ends, Map, Spell, Step


def write_routes(router: int | None, routes: Sequence[Route], steps: Sequence[Step]) -> bytes:
    """Return the bytes of the section ROUTES.

    Args:
        router: number of the automaton that cuts text into segments; None if there is one route.
        routes: the routes.
        steps: all steps of the file, in the order of their numbers.

    Raises:
        ValueError: a route has a step that is not among `steps`.
    """
    out = bytearray(struct.pack("<HH", NO_AUTOMATON if router is None else router, len(routes)))
    for route in routes:
        units = NO_AUTOMATON if route.units is None else route.units
        numbers = [steps.index(step) for step in route.steps]
        out += struct.pack("<BBH", route.model, len(numbers), units)
        out += struct.pack(f"<{len(numbers)}H", *numbers)
        name = route.name.encode("utf-8")
        out += struct.pack("<B", len(name)) + name
    return bytes(out)


class _Source(NamedTuple):
    """The automata, steps and models of a file, which its routes name by number.

    Attributes:
        automata: all automata.
        steps: all steps.
        heads: the heads of all models.
    """

    automata: Sequence[Automaton]
    steps: Sequence[Step]
    heads: Sequence[Head]


def read_routes(
    data: bytes, automata: Sequence[Automaton], steps: Sequence[Step], heads: Sequence[Head]
) -> tuple[int | None, tuple[Route, ...]]:
    """Return the router and the routes that a section holds.

    Args:
        data: the bytes of the section ROUTES.
        automata: all automata of the file.
        steps: all steps of the file.
        heads: the heads of all models of the file.

    Returns:
        The number of the router's automaton, or None, and the routes.

    Raises:
        ArtifactError: the section breaks a MUST of FORMAT.md; `.status` is ROUTES. That a model
            with superwords goes with no step is for `check_superwords`.
    """
    cursor = Cursor(data, "ROUTES")
    router, n_routes = cursor.numbers("HH", "router")
    if not 1 <= n_routes <= MAX_ROUTES:
        cursor.fail(f"{n_routes} routes, not 1 to {MAX_ROUTES}")
    source = _Source(automata, steps, heads)
    routes = tuple(_read_route(cursor, f"route {number}", source) for number in range(n_routes))
    cursor.end()
    for route in routes:
        _check_steps(cursor, route, heads[route.model])
        _check_units(cursor, route, source)
    if router == NO_AUTOMATON:
        if n_routes != 1:
            cursor.fail(f"{n_routes} routes without a router")
        return None, routes
    if router >= len(automata):
        cursor.fail(f"the router is automaton {router} of {len(automata)}")
    if automata[router].behind:
        cursor.fail("the router looks behind")
    if automata[router].n_rules != n_routes:
        cursor.fail(f"the router has {automata[router].n_rules} rules for {n_routes} routes")
    for row in automata[router].table:
        _check_rivals(cursor, [routes[number] for number in {mark - 1 for mark, _ in row if mark}])
    return router, routes


def _read_route(cursor: Cursor, what: str, source: _Source) -> Route:
    """Return the next route; check that the model and the steps that it names exist.

    Args:
        cursor: the section.
        what: what messages call the route.
        source: what a route may name.

    Raises:
        ArtifactError: they do not; or there are too many steps, or no name.
    """
    model, n_steps, units = cursor.numbers("BBH", what)
    if model >= len(source.heads):
        cursor.fail(f"{what}: model {model} of {len(source.heads)}")
    if n_steps > MAX_LISTED_STEPS:
        cursor.fail(f"{what}: {n_steps} steps, not 0 to {MAX_LISTED_STEPS}")
    numbers = cursor.numbers(f"{n_steps}H", what)
    if max(numbers, default=-1) >= len(source.steps):
        cursor.fail(f"{what}: steps {numbers} of {len(source.steps)}")
    (length,) = cursor.numbers("B", what)
    if not length:
        cursor.fail(f"{what} has no name")
    name = cursor.utf8(length, f"the name of {what}")
    steps = tuple(source.steps[number] for number in numbers)
    return Route(name, model, steps, None if units == NO_AUTOMATON else units)


def allowed_in_route(step: Step) -> bool:
    """Return whether a step may stand in a route.

    A step of a route looks at each character alone, so that a reader needs no buffer for it.
    """
    if isinstance(step, Map):
        alone = not (step.order or step.pairs or step.decomposes_hangul or step.composes_hangul)
        return alone and all(step.mapping.values())
    if isinstance(step, Ends):
        return not step.strip and not step.suffix
    return isinstance(step, Cut | Spell | Blocks)


def _check_steps(cursor: Cursor, route: Route, head: Head) -> None:
    """Raise ArtifactError if a route has a step that it may not have; `head` is its model's.

    BLOCKS may only be the last step, before a model over bytes.
    """
    for place, step in enumerate(route.steps):
        what = f"route {route.name!r}: {type(step).__name__} as step {place}"
        if not allowed_in_route(step):
            cursor.fail(f"{what} looks at more than a character, or removes some")
        if isinstance(step, Blocks) and place != len(route.steps) - 1:
            cursor.fail(f"{what} is not the last one")
        if isinstance(step, Blocks) and not head.takes_bytes:
            cursor.fail(f"{what} writes bytes, which model {route.model} does not take")


def _check_units(cursor: Cursor, route: Route, source: _Source) -> None:
    """Check that a route has units if and only if its model takes them, and that they fit it.

    Raises:
        ArtifactError: that is not so; or the automaton of units is missing, looks behind, has too
            many rules, or matches several characters where the model takes single ones.
    """
    what, head = f"route {route.name!r}", source.heads[route.model]
    if (route.units is not None) != bool(head.units):
        cursor.fail(f"{what}: units go with a model whose symbols they are")
    if route.units is None:
        return
    if route.units >= len(source.automata):
        cursor.fail(f"{what}: automaton {route.units} of {len(source.automata)}")
    automaton = source.automata[route.units]
    if automaton.behind:
        cursor.fail(f"{what}: units look behind")
    if automaton.n_rules > UNIT_RULES:
        cursor.fail(f"{what}: units have at most {UNIT_RULES} rules")
    places = head.flags & AFFIXES or head.unknown == Unknown.NONE
    if places and not cuts_single_characters(automaton):
        cursor.fail(f"{what}: the model knows single characters only, the units are longer")


def cuts_single_characters(automaton: Automaton) -> bool:
    """Return whether an automaton has one rule and each of its matches is one character.

    Such units are the characters of a text: every class leads from the start to a state in which
    every entry has the mark 1 and ends the scan.
    """
    ends = {state for _, state in automaton.table[START][1:]}
    entries = {entry for state in ends for entry in automaton.table[state]}
    return automaton.n_rules == 1 and entries == {(1, DEAD)}


def _check_rivals(cursor: Cursor, ending: Sequence[Route]) -> None:
    """Check that routes of one model of units cut alike if they may be given the same text.

    Which of these routes a text gets depends on what follows it; how it is cut must not.

    Args:
        cursor: raises the error.
        ending: the routes that the router may choose in one of its states, by what is read next.

    Raises:
        ArtifactError: two of them have one model, and other automata of units.
    """
    rivals = {(route.model, route.units) for route in ending if route.units is not None}
    if len(rivals) > len({model for model, _ in rivals}):
        names = " and ".join(sorted({r.name for r in ending if r.units is not None}))
        cursor.fail(f"{names} may be given the same text, but cut it by two automata")


def check_superwords(routes: Sequence[Route], joins_words: Sequence[bool]) -> None:
    """Check that a route whose model has superwords has no steps.

    Args:
        routes: the routes.
        joins_words: for each model, whether it has superwords.

    Raises:
        ArtifactError: one has; `.status` is ROUTES.
    """
    cursor = Cursor(b"", "ROUTES")
    for route in routes:
        if route.steps and joins_words[route.model]:
            cursor.fail(f"the model of route {route.name!r} joins words, pretokens cannot")
