"""`wwho inspect`: what an artifact holds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import naming

if TYPE_CHECKING:
    from wwho.format.container import Container
    from wwho.format.model import Model

NAME = "inspect"
HELP = "print the sections, sizes, routes and provenance of an artifact"
EXAMPLE = "  $ wwho inspect wwho_328k"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_json(parser, '{"file", "bytes", "sections", "sizes", "routes", "provenance", ...}')
    parser.add_argument("model", metavar="NAME|FILE", help="a shipped encoding or a .wwho file")


def run(options: argparse.Namespace) -> int:
    """Read, check and print."""
    from wwho.format.container import read_container
    from wwho.format.read import read_model

    blob = shared.read_artifact(options.model)
    facts = {"file": options.model, "bytes": len(blob)}
    with naming(options.model):
        facts |= describe(read_container(blob), read_model(blob))
    if options.json:
        streams.write_json(facts)
    else:
        streams.write("".join(f"{line}\n" for line in table(facts)).encode())
    return 0


def describe(container: Container, model: Model) -> dict[str, object]:
    """Everything about a model that fits a screen."""
    return {
        "name": model.name,
        "features": container.features,
        "sections": [
            {
                "kind": int(section.kind),
                "name": section.kind.name,
                "offset": section.offset,
                "bytes": section.length,
            }
            for section in container.sections
        ],
        "sizes": {
            "ids": model.n_vocab,
            "base ids": model.n_base,
            "base tokens": model.n_base_tokens,
            "first atom": model.first_atom,
            "atoms": len(model.atoms),
            "merges": len(model.merges),
            "superwords": model.n_superwords,
            "lone space": model.space_id,
            "unknown": model.unk_id,
            "without an id": model.sgpe_ids.count(None),
            "classes": model.scanners.classes.n_classes,
        },
        "routes": [
            {
                "route": route.name,
                "model": "SGPE" if route.sgpe else "base",
                "states": model.scanners.automata[route.scanner].n_states,
            }
            for route in model.routes
        ],
        "special_tokens": dict(model.specials),
        "provenance": dict(model.provenance),
    }


def table(facts: dict[str, object]) -> list[str]:
    """The facts as lines: `name value`, and a heading with indented lines for what has parts."""
    out = []
    for name, value in facts.items():
        if isinstance(value, dict):
            out += [name.replace("_", " ")]
            out += [f"  {key:<16} {shown(each)}" for key, each in value.items()]
        elif isinstance(value, list):
            out += [name]
            out += ["  " + "  ".join(f"{key} {each}" for key, each in row.items()) for row in value]
        else:
            out.append(f"{name:<18} {shown(value)}")
    return out


def shown(value: object) -> str:
    """A value for people: numbers grouped, none spelled out."""
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else streams.printable(str(value))
