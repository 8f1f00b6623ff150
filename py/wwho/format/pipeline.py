"""The sections STAGES, ROUTES and ADDED: what happens to a text before a model."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate, pairwise

from wwho.format import leb
from wwho.format.automaton import Automaton
from wwho.format.cursor import Cursor
from wwho.format.layout import (
    MAX_IDS,
    MAX_ROUTE_STAGES,
    MAX_ROUTES,
    MAX_STAGES,
    NO_AUTOMATON,
    UNIT_RULES,
    padding,
)
from wwho.format.model import Action, Added, Flag, Route, Stage

AUTOMATON = 0
"""The kind of a stage that an automaton cuts; there is no other."""

BACK = 8
"""An action is that of a rule, and this times the characters by which it ends before the mark."""

PROPERTIES = 3
"""The highest property of a class: white space (1) and word character (2)."""

TOUCHING = Flag.LSTRIP | Flag.RSTRIP | Flag.SINGLE_WORD
"""Flags for which the properties of neighbouring characters count."""


def write_stages(stages: Sequence[Stage]) -> bytes:
    """Write the pretokenizers."""
    out = bytearray(struct.pack("<H", len(stages)))
    for stage in stages:
        back = stage.back or (0,) * len(stage.actions)
        out += struct.pack("<BBH", AUTOMATON, 0, stage.automaton)
        out += bytes(action + BACK * n for action, n in zip(stage.actions, back, strict=True))
        out += bytes(padding(len(out), 2))
    return bytes(out)


def read_stages(data: bytes, automata: Sequence[Automaton]) -> tuple[Stage, ...]:
    """Check the pretokenizers."""
    cursor = Cursor(data, "STAGES")
    (count,) = cursor.numbers("H", "count")
    if count > MAX_STAGES:
        cursor.fail(f"{count} stages, not 0 to {MAX_STAGES}")
    stages = []
    for number in range(count):
        kind, zero, automaton = cursor.numbers("BBH", f"stage {number}")
        if kind != AUTOMATON or zero or automaton >= len(automata):
            cursor.fail(
                f"stage {number}: kind {kind}, {zero}, automaton {automaton} of {len(automata)}"
            )
        actions = cursor.take(automata[automaton].n_rules, f"actions of stage {number}")
        back, done = zip(*(divmod(action, BACK) for action in actions), strict=True)
        if max(done) > max(Action):
            cursor.fail(f"stage {number}: action {max(done)} is unknown")
        cursor.zeros(2, f"stage {number}")
        stages.append(Stage(automaton, tuple(map(Action, done)), back if any(back) else ()))
    cursor.end()
    return tuple(stages)


def write_routes(router: int | None, routes: Sequence[Route]) -> bytes:
    """Write the router and the routes."""
    out = bytearray(struct.pack("<HH", NO_AUTOMATON if router is None else router, len(routes)))
    for route in routes:
        units = NO_AUTOMATON if route.units is None else route.units
        out += struct.pack("<BBH", route.model, len(route.stages), units)
        out += struct.pack(f"<{len(route.stages)}H", *route.stages)
        name = route.name.encode("utf-8")
        out += struct.pack("<B", len(name)) + name
    return bytes(out)


def read_routes(
    data: bytes, automata: Sequence[Automaton], n_stages: int, takes_units: Sequence[bool]
) -> tuple[int | None, tuple[Route, ...]]:
    """Check the router and the routes.

    Args:
        data: the section.
        automata: all automata.
        n_stages: how many stages there are.
        takes_units: for each model, whether its symbols are units.
    """
    cursor = Cursor(data, "ROUTES")
    router, n_routes = cursor.numbers("HH", "router")
    if not 1 <= n_routes <= MAX_ROUTES:
        cursor.fail(f"{n_routes} routes, not 1 to {MAX_ROUTES}")
    routes = tuple(_route(cursor, f"route {number}") for number in range(n_routes))
    cursor.end()
    for route in routes:
        _check_route(cursor, route, automata, n_stages, takes_units)
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
        _check_rivals(cursor, {routes[mark - 1] for mark, _ in row if mark})
    return router, routes


def _route(cursor: Cursor, what: str) -> Route:
    model, n_stages, units = cursor.numbers("BBH", what)
    if n_stages > MAX_ROUTE_STAGES:
        cursor.fail(f"{what}: {n_stages} stages, not 0 to {MAX_ROUTE_STAGES}")
    stages = cursor.numbers(f"{n_stages}H", what)
    (length,) = cursor.numbers("B", what)
    if not length:
        cursor.fail(f"{what} has no name")
    name = cursor.utf8(length, f"the name of {what}")
    return Route(name, model, stages, None if units == NO_AUTOMATON else units)


def _check_route(
    cursor: Cursor,
    route: Route,
    automata: Sequence[Automaton],
    n_stages: int,
    takes_units: Sequence[bool],
) -> None:
    what = f"route {route.name!r}"
    if route.model >= len(takes_units):
        cursor.fail(f"{what}: model {route.model} of {len(takes_units)}")
    if any(stage >= n_stages for stage in route.stages):
        cursor.fail(f"{what}: stages {route.stages} of {n_stages}")
    if (route.units is not None) != takes_units[route.model]:
        cursor.fail(f"{what}: units go with a model whose symbols they are")
    if route.units is None:
        return
    if route.units >= len(automata):
        cursor.fail(f"{what}: automaton {route.units} of {len(automata)}")
    if automata[route.units].behind:
        cursor.fail(f"{what}: units look behind")
    if automata[route.units].n_rules > UNIT_RULES:
        cursor.fail(f"{what}: units have at most {UNIT_RULES} rules")


def _check_rivals(cursor: Cursor, ending: set[Route]) -> None:
    """Which of these routes a text gets depends on what follows it; how it is cut must not."""
    rivals = {route for route in ending if route.units is not None}
    if len({(route.model, route.units) for route in rivals}) > len({r.model for r in rivals}):
        names = " and ".join(sorted(route.name for route in rivals))
        cursor.fail(f"{names} may be given the same text, but cut it by two automata")


def write_added(added: Sequence[Added], properties: bytes) -> bytes:
    """Write the added tokens."""
    texts = leb.pack_listed(token.text.encode("utf-8") for token in added)
    ids = leb.pack(b.id - a.id for a, b in pairwise([Added("", 0), *added]))
    flags = bytes(token.flags for token in added)
    return struct.pack("<I", len(added)) + flags + texts + ids + properties


def read_added(data: bytes, n_classes: int) -> tuple[tuple[Added, ...], bytes]:
    """Check the added tokens; give them and the properties of the classes."""
    cursor = Cursor(data, "ADDED")
    (count,) = cursor.numbers("I", "count")
    flags = cursor.take(count, "flags")
    if max(flags, default=0) >= 2 * max(Flag):
        cursor.fail(f"an added token has the flags {max(flags)}: update wwho")
    try:
        texts = [text.decode("utf-8") for text in cursor.listed(count, "added token")]
    except UnicodeDecodeError as error:
        cursor.fail(f"an added token is not UTF-8: {error.object!r}")
    if len(set(texts)) < count:
        cursor.fail("two added tokens have one text")
    ids = list(accumulate(cursor.lebs(count, "ids")))
    if max(ids, default=0) >= MAX_IDS:
        cursor.fail(f"an added token has the id {max(ids)}; {MAX_IDS} are possible")
    added = list(map(Added, texts, ids, map(Flag, flags)))
    touching = any(token.flags & TOUCHING for token in added)
    properties = cursor.take(n_classes, "properties") if touching else b""
    if max(properties, default=0) > PROPERTIES:
        cursor.fail(f"a class has the properties {max(properties)}, not 0 to {PROPERTIES}")
    cursor.end()
    return tuple(added), properties
