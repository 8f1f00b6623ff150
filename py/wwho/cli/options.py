"""Arguments and choices that several commands share."""

from __future__ import annotations

import argparse
import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wwho.cli import streams

if TYPE_CHECKING:
    from wwho.artifact.model import Model
    from wwho.schema.model import Schema
    from wwho.tokenizer import Tokenizer


class UsageError(Exception):
    """The command line asks for what makes no sense; exit code 2, as for argparse's own errors."""


DEFAULT_MODEL = "wwho_328k"


def add_model(parser: argparse.ArgumentParser) -> None:
    """`--model` and `--backend`."""
    parser.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        metavar="NAME|FILE",
        help=f"a shipped encoding or a .wwho file (default {DEFAULT_MODEL})",
    )
    parser.add_argument(
        "--backend",
        choices=("native", "reference", "wasm"),
        help="which implementation to use (default: the fastest here)",
    )


def add_special(parser: argparse.ArgumentParser) -> None:
    """`--allowed-special`."""
    parser.add_argument(
        "--allowed-special",
        action="append",
        default=[],
        metavar="all|TEXT",
        help="read this special token as such, or all of them; may be given several times "
        "(default: special tokens are ordinary text)",
    )


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help=f"print JSON: {what}")


def add_files(parser: argparse.ArgumentParser, what: str) -> None:
    """Input files, with standard input where there are none."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help=f"{what} (default and -: standard input)"
    )


def open_model(options: argparse.Namespace) -> Tokenizer:
    """The tokenizer that `--model` and `--backend` name: a file where it looks like one.

    Raises:
        WwhoError: there is no such encoding, the file is no artifact, or the backend is missing.
        OSError: the file cannot be read.
    """
    from wwho.encodings import get_encoding
    from wwho.tokenizer import Tokenizer

    if is_path(options.model):
        return Tokenizer.load(options.model, backend=options.backend)
    return get_encoding(options.model, backend=options.backend)


def is_path(name: str) -> bool:
    """Whether a model's or schema's name is meant as a file's."""
    return name.endswith((".wwho", ".json")) or "/" in name or "\\" in name


def allowed_special(options: argparse.Namespace) -> set[str] | Literal["all"]:
    """What `--allowed-special` names."""
    texts: list[str] = options.allowed_special
    return "all" if "all" in texts else set(texts)


def load_schemas(names: Sequence[str], *, allow_invalid: bool) -> list[Schema]:
    """The schemas with these names or paths, in this order.

    Raises:
        SchemaError: one of them breaks the definition, or there is none of that name.
        OSError: a file cannot be read.
    """
    from wwho.schema.load import load_schema

    return [load_schema(name, allow_invalid=allow_invalid) for name in names]


def add_schemas(parser: argparse.ArgumentParser) -> None:
    """`--schema` and `--allow-invalid`, of the commands that build a model."""
    parser.add_argument(
        "--schema",
        action="append",
        required=True,
        metavar="NAME|FILE",
        help="a shipped schema or a file; may be given several times",
    )
    parser.add_argument(
        "--allow-invalid", action="store_true", help="load schemas that break the definition"
    )


def add_base(parser: argparse.ArgumentParser) -> None:
    """`--base`."""
    parser.add_argument(
        "--base",
        default="o200k_base",
        metavar="NAME|FILE",
        help="the base vocabulary: a shipped encoding or a .wwho file (default o200k_base)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """`--output` and `--name`."""
    parser.add_argument(
        "-o", "--output", required=True, metavar="X.wwho", help="the artifact to write"
    )
    parser.add_argument("--name", help="the encoding's name (default: the output file's)")


def check_output(options: argparse.Namespace) -> None:
    """Find out before the work, not after it, that the output's folder is not there.

    Raises:
        FileNotFoundError: it is not.
    """
    folder = Path(options.output).resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(folder))


def encoding_name(options: argparse.Namespace) -> str:
    """What the new encoding is called."""
    name: str | None = options.name
    return Path(options.output).stem if name is None else name


def load_base(name: str) -> Model:
    """The model that `--base` names.

    Raises:
        WwhoError: there is no such encoding, or the file is no artifact.
        OSError: the file cannot be read.
    """
    from wwho.artifact.read import read_model

    return read_model(read_artifact(name))


def read_artifact(name: str) -> bytes:
    """The bytes of a shipped encoding or of a file.

    Raises:
        WwhoError: there is no such encoding.
        OSError: the file cannot be read.
    """
    from wwho.encodings import model_bytes

    return Path(name).read_bytes() if is_path(name) else model_bytes(name)


def report_model(options: argparse.Namespace, model: Model, size: int) -> None:
    """Say what has been written."""
    facts = {
        "file": options.output,
        "bytes": size,
        "n_vocab": model.n_vocab,
        "atoms": len(model.atoms),
        "merges": len(model.merges),
    }
    if options.json:
        streams.write_json(facts)
    else:
        streams.write(
            f"{options.output}: {size:,} bytes, {model.n_vocab:,} ids, "
            f"{len(model.atoms):,} atoms, {len(model.merges):,} merges\n".encode()
        )
