"""The C core is made of layers: what a file needs stands below it, never beside it in a circle."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from corelib import CORE

SOURCES = CORE.parent / "src"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
INCLUDE = re.compile(r'^#include "(\w+)\.h"', re.MULTILINE)
DEFINITION = re.compile(r"^WWHO_LOCAL [^;{}]*?(\w+)\([^;{}]*\) \{", re.MULTILINE)
CALL = re.compile(r"\b(\w+)\(")


def read_code(path: Path) -> str:
    """Return a source file without its comments."""
    return COMMENT.sub(" ", path.read_text("utf-8"))


def needed_modules() -> dict[str, set[str]]:
    """For each module, those that it includes, or whose functions it calls.

    A module is a header and the source file of the same name, or one of the two.
    """
    code = {path: read_code(path) for path in sorted(SOURCES.glob("*.[ch]"))}
    home = {
        name: path.stem
        for path, text in code.items()
        if path.suffix == ".c"
        for name in DEFINITION.findall(text)
    }
    needed: dict[str, set[str]] = {}
    for path, text in code.items():
        called = {home[name] for name in CALL.findall(text) if name in home}
        calls = called if path.suffix == ".c" else set()  # a header declares what it does not call
        needed.setdefault(path.stem, set()).update(INCLUDE.findall(text), calls)
    return {module: others - {module} for module, others in needed.items()}


def test_no_modules_of_the_core_need_each_other() -> None:
    needed = needed_modules()
    assert {"common", "automaton", "encoder", "parts"} <= set(needed)
    try:
        order = list(TopologicalSorter(needed).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
    assert order[0] == "common"


def test_the_machines_differ_in_one_header() -> None:
    conditional = {path.name for path in SOURCES.glob("*.[ch]") if "__wasm" in read_code(path)}
    assert conditional == {"common.h"}
