"""`wwho inspect`: prints what an artifact holds."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import ExportError, errors_name_file

if TYPE_CHECKING:
    from wwho.format.container import Container
    from wwho.format.model import Artifact

NAME = "inspect"
HELP = "print the sections, sizes, routes and provenance of an artifact"
MOST = 1000
"""How many characters of a value are printed for people; all blocks of SCRIPT have more."""
EXAMPLE = "  $ wwho inspect wwho_328k\n  $ wwho inspect --tokens wwho_328k > tokens.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the model, `--tokens`, `--json`."""
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
    """Print the facts about an artifact, or with `--tokens` its vocabulary; return exit code 0.

    The artifact is read and checked by the reference reader. A warning on standard error says if
    the printed tokens alone do not make the model.

    Raises:
        ArtifactError: it breaks a rule of the format.
        OSError: the file cannot be read.
    """
    from wwho.exporters.exported import byte_model
    from wwho.exporters.ranks import ids_as_ranks
    from wwho.format.container import read_container
    from wwho.format.read import read_artifact
    from wwho.importers.token_list import token_lines

    blob = shared.read_artifact(options.model)
    if options.tokens:
        with errors_name_file(options.model):
            artifact = read_artifact(blob)
        lines = [*token_lines(artifact)]
        try:
            ids_as_ranks(byte_model(artifact), artifact.name)
        except ExportError as why:
            warnings.warn(f"these tokens alone do not make the model: {why}", stacklevel=2)
        if options.json:
            streams.write_json({"tokens": lines})
        else:
            streams.write_lines(lines)
        return 0
    facts = {"file": options.model, "bytes": len(blob)}
    with errors_name_file(options.model):
        facts |= describe_artifact(read_container(blob), read_artifact(blob))
    if options.json:
        streams.write_json(facts)
    else:
        streams.write_lines(format_facts(facts))
    return 0


def describe_artifact(container: Container, artifact: Artifact) -> dict[str, object]:
    """Return the facts about an artifact that `--json` prints: sections, sizes, routes and so on.

    Args:
        container: the file's sections.
        artifact: the model that they hold.
    """
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


def format_facts(facts: dict[str, object]) -> list[str]:
    """Return facts as lines: a name and a value, or a heading and indented lines for the parts.

    A dictionary becomes a heading, its name with spaces for underscores, and a line for each of its
    entries; a list becomes one and a line for each row.
    """
    out = []
    for name, value in facts.items():
        if isinstance(value, dict):
            out += [name.replace("_", " ")]
            out += [f"  {key:<16} {format_value(each)}" for key, each in value.items()]
        elif isinstance(value, list):
            out += [name]
            out += [f"  {row if isinstance(row, str) else _format_row(row)}" for row in value]
        else:
            out.append(f"{name:<18} {format_value(value)}")
    return out


def _format_row(row: dict[str, object]) -> str:
    """Return names and values on one line, divided by two spaces."""
    return "  ".join(f"{key} {value}" for key, value in row.items())


def format_value(value: object) -> str:
    """Return a value for people: numbers in groups of thousands, yes, no and none as words.

    A text is escaped, and cut after `MOST` characters with a word on how to see all of it.
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    text = streams.escape_invisible(str(value))
    return text if len(text) <= MOST else f"{text[:MOST]}... ({len(text):,} characters: --json)"
