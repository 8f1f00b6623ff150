"""`wwho compile`: makes an artifact of schemas and a base, without a vocabulary of syllables."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wwho.cli import options as shared

if TYPE_CHECKING:
    from wwho.compile.schema import Schema
    from wwho.format.model import Artifact

NAME = "compile"
HELP = "compile schemas over a base into an artifact without a vocabulary of syllables"
EXAMPLE = """\
  $ wwho compile --schema my-script.json --base o200k_base -o my-script.wwho
  $ wwho segment --model my-script.wwho lines.txt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the schemas, the base, the output file, its name, `--json`."""
    shared.add_schemas(parser)
    shared.add_base(parser)
    shared.add_output(parser)
    shared.add_json(parser, '{"file", "bytes", "n_vocab", "atoms", "merges"}')


def run(options: argparse.Namespace) -> int:
    """Compile schemas over a base, write the artifact, print what is in it, return exit code 0.

    Until a vocabulary is trained, every syllable is spelled with tokens of the base. Without
    `--name`, the encoding has the file's name without its suffix.

    Raises:
        SchemasError: a schema is invalid.
        WwhoError: the base has schemas already, or two schemas claim the same character.
        OSError: a file cannot be read or written.
    """
    shared.check_output(options, *options.schema)
    schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    model = compile_over_base(
        schemas, shared.load_base(options.base), shared.encoding_name(options)
    )
    shared.report_model(options, model, shared.write_artifact(options, model))
    return 0


def compile_over_base(schemas: Sequence[Schema], base: Artifact, name: str) -> Artifact:
    """Return a model that cuts text by schemas, and has no tokens but the base's.

    Args:
        schemas: the schemas of the scripts.
        base: the vocabulary of all other text, and of the bytes of syllables; has no schemas.
        name: the encoding's name.

    Raises:
        SchemaError: two schemas claim the same character.
    """
    from wwho.assemble.training_artifacts import trained_model, unit_model
    from wwho.version import __version__

    provenance = {
        **{f"base:{key}": text for key, text in base.provenance.items()},
        **{f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas},
        "name": name,
        "writer": f"wwho {__version__}",
    }
    specials = {token.text: token.id for token in base.added}
    artifact = trained_model(
        schemas, base, specials=specials, atoms=(), merges=(), provenance=provenance
    )
    units = replace(unit_model(artifact), space_id=None)
    return replace(artifact, models=(artifact.models[0], units))
