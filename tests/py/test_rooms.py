"""Who may depend on whom: every import of the package runs down this list of its rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

ROOMS = (
    ("errors", "version", "text"),
    ("progress",),
    ("format",),
    ("special",),
    ("core",),
    ("compile",),
    ("ends",),
    ("normalize", "trim"),
    ("corpus",),
    ("build",),
    ("importers", "exporters"),
    ("batches", "cutting", "decoding", "encoding", "encodings", "streaming", "tokenizer"),
    ("tiktoken", "check", "quality"),
    ("train",),
    ("survey",),
    ("evaluate",),
    ("hf",),
    ("serve",),
    ("cli",),
)
"""From the bottom to the top. The modules of one line are one room."""

LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}
PACKAGE = Path(str(resources.files("wwho")))


def imports() -> Iterator[tuple[str, str, str]]:
    """Each module, its room, and a room that it imports, anywhere in its text."""
    for file in PACKAGE.rglob("*.py"):
        module = file.relative_to(PACKAGE).with_suffix("")
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                top, *rest = name.split(".")
                if top == "wwho" and rest and rest[0] in LEVEL:
                    yield str(module), module.parts[0], rest[0]


def test_every_module_is_in_a_room() -> None:
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py"}
    names |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert names == {*LEVEL, "__init__"}


def test_no_import_runs_up() -> None:
    found = list(imports())
    assert {("train", "corpus"), ("train", "build")} <= {edge[1:] for edge in found}
    assert [edge for edge in found if LEVEL.get(edge[1], len(ROOMS)) < LEVEL[edge[2]]] == []
