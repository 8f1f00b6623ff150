"""Who may depend on whom: every import of the package runs down this list of its rooms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import resources
from pathlib import Path

import pytest

ROOMS = (
    ("errors", "version", "text", "sampling"),
    ("progress",),
    ("format",),
    ("lm",),
    ("reference",),
    ("backends",),
    ("compile",),
    ("normalize",),
    ("corpus",),
    ("assemble",),
    ("interchange",),
    ("importers", "exporters"),
    ("tokenizer",),
    ("encodings",),
    ("tiktoken", "openai"),
    ("shards",),
    ("train",),
    ("evaluate",),
    ("hf",),
    ("serve",),
    ("cli",),
    ("__main__",),
)
"""From the bottom to the top. The modules of one line are one room."""

LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}
PACKAGE = Path(str(resources.files("wwho")))


def imports() -> Iterator[tuple[str, str]]:
    """Each module, and a module that it imports, or a name in one.

    Imports count anywhere in its text: in a function or for types alone, they could hide a circle.
    """
    for file in PACKAGE.rglob("*.py"):
        module = ".".join(("wwho", *file.relative_to(PACKAGE).with_suffix("").parts))
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                yield from ((module, f"{node.module}.{alias.name}") for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((module, f"{alias.name}.*") for alias in node.names)


def rooms() -> Iterator[tuple[str, str, str]]:
    """Each module, its room, and a room that it imports."""
    for module, name in imports():
        top, *rest = name.split(".")
        if top == "wwho" and rest and rest[0] in LEVEL:
            yield module, module.split(".")[1], rest[0]


def test_every_module_is_in_a_room() -> None:
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py"}
    names |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert names == {*LEVEL, "__init__"}


def test_no_import_runs_up() -> None:
    found = list(rooms())
    assert {("train", "corpus"), ("train", "assemble")} <= {edge[1:] for edge in found}
    assert [edge for edge in found if LEVEL.get(edge[1], len(ROOMS)) < LEVEL[edge[2]]] == []


def test_no_modules_import_each_other() -> None:
    modules = {module.removesuffix(".__init__"): set[str]() for module, _ in imports()}
    for module, name in imports():
        imported = name if name in modules else name.rpartition(".")[0]
        if imported in modules:
            modules[module.removesuffix(".__init__")].add(imported)
    assert "wwho.train.plan" in modules["wwho.train.balance"]
    tuple(TopologicalSorter(modules).static_order())  # a CycleError names the modules of a circle


MAPPED = ("assemble", "compile", "format", "importers.huggingface", "reference", "tokenizer")
"""Rooms whose docstring says how their modules work together."""


@pytest.mark.parametrize("room", MAPPED)
def test_a_map_names_every_module_and_no_other(room: str) -> None:
    folder = PACKAGE.joinpath(*room.split("."))
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
    chains = re.findall(r"^    .*", text, re.MULTILINE)  # a -> b -> c
    quoted = {*re.findall(r"`([a-z0-9_]+)`", text)} - {"tokenizers"}
    assert sorted(modules - quoted - {*re.findall(r"\w+", "".join(chains))}) == []
    assert sorted(quoted - modules) == []


def test_the_map_of_the_core_names_every_source() -> None:
    core = (Path(__file__).parents[2] / "wasm" / "wwho.c").read_text("utf-8")
    names = {*re.findall(r"\w+\.c\b", core.partition("*/")[0])}
    assert names == {*re.findall(r'"src/(\w+\.c)"', core)}
