"""`wwho inspect`: what an artifact holds."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import ExportError, naming

if TYPE_CHECKING:
    from wwho.format.container import Container
    from wwho.format.model import Artifact

NAME = "inspect"
HELP = "print the sections, sizes, routes and provenance of an artifact"
MOST = 1000
"""Characters of a value that are printed for people, such as the names of all blocks of SCRIPT."""
EXAMPLE = "  $ wwho inspect wwho_328k\n  $ wwho inspect --tokens wwho_328k > tokens.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    shared.add_json(
        parser,
        '{"file", "bytes", "sections", "sizes", "routes", "provenance", ...}; '
        'with --tokens {"tokens": [line]}',
    )
    parser.add_argument(
        "--tokens",
        action="store_true",
        help="print the vocabulary instead: a line for each token, with its id and its text, "
        "escaped; wwho import --pattern reads that of a byte-level BPE back",
    )
    shared.add_artifact(parser)


def run(options: argparse.Namespace) -> int:
    """Read, check and print."""
    from wwho.exporters.exported import byte_model
    from wwho.exporters.ranks import ids_as_ranks
    from wwho.format.container import read_container
    from wwho.format.read import read_artifact
    from wwho.importers.token_list import token_lines

    blob = shared.read_artifact(options.model)
    if options.tokens:
        with naming(options.model):
            artifact = read_artifact(blob)
        lines = [*token_lines(artifact)]
        try:
            ids_as_ranks(byte_model(artifact), artifact.name)
        except ExportError as why:
            warnings.warn(f"these tokens alone do not make the model: {why}", stacklevel=2)
        streams.write_json({"tokens": lines}) if options.json else streams.write_lines(lines)
        return 0
    facts = {"file": options.model, "bytes": len(blob)}
    with naming(options.model):
        facts |= describe(read_container(blob), read_artifact(blob))
    if options.json:
        streams.write_json(facts)
    else:
        streams.write_lines(table(facts))
    return 0


def describe(container: Container, artifact: Artifact) -> dict[str, object]:
    """Everything about an artifact that fits a screen."""
    from wwho.backends.reference import info_of
    from wwho.format.losses import losses

    info, automata = info_of(artifact), artifact.scanners.automata
    return {
        "name": artifact.name,
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
            "ids": info.n_vocab,
            "classes": artifact.scanners.classes.n_classes,
            "automata": len(automata),
            "added tokens": len(info.added),
        },
        "models": [
            {"model": number, **asdict(model), "without_id": ids.count(None)}
            for number, (model, ids) in enumerate(zip(info.models, artifact.token_ids, strict=True))
        ],
        "routes": [
            {
                "route": route.name,
                "model": route.model,
                "states": [automata[number].n_states for number in artifact.automata_of(route)],
            }
            for route in artifact.routes
        ],
        "decoder": info.decoder,
        "lossless": not losses(artifact),
        "losses": list(losses(artifact)),
        "special_tokens": dict(info.specials),
        "provenance": dict(info.provenance),
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
            rows = ([row] if isinstance(row, str) else map(" ".join, _pairs(row)) for row in value)
            out += ["  " + "  ".join(row) for row in rows]
        else:
            out.append(f"{name:<18} {shown(value)}")
    return out


def _pairs(row: dict[str, object]) -> list[tuple[str, str]]:
    return [(key, str(each)) for key, each in row.items()]


def shown(value: object) -> str:
    """A value for people: numbers grouped, none spelled out."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    text = streams.printable(str(value))
    return text if len(text) <= MOST else f"{text[:MOST]}... ({len(text):,} characters: --json)"
