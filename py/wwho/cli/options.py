"""Arguments that several commands declare, and functions that read what was given for them."""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from wwho.cli import streams
from wwho.errors import SchemaError, SpecialTokenError, WwhoError, errors_name_file

if TYPE_CHECKING:
    from wwho.compile.schema import Schema
    from wwho.format.model import Artifact
    from wwho.tokenizer import Tokenizer


Value = TypeVar("Value")


class UsageError(Exception):
    """An error in the command line itself; exit code 2, as for argparse's own errors."""


class SchemasError(WwhoError):
    """The error for schemas that cannot be used; exit code 1, and a line for each fault.

    Attributes:
        lines: one line for each fault: the schema, the place in it, and the fault.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        """Keep the lines, and make them the error's message."""
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


@contextmanager
def report_usage_errors() -> Iterator[None]:
    """Turn every `ValueError` of the block into a `UsageError`: an argument is out of range.

    A `WwhoError` that is also a `ValueError` stays as it is: the data is at fault.

    Raises:
        UsageError: in place of the `ValueError`.
    """
    try:
        yield
    except WwhoError:
        raise
    except ValueError as error:
        raise UsageError(error) from error


DEFAULT_MODEL = "wwho_328k"


def add_model(parser: argparse.ArgumentParser) -> None:
    """Declare ``--model`` and ``--backend``, which `open_model` reads."""
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
    """Declare ``--allowed-special``, which the function `allowed_special` reads."""
    parser.add_argument(
        "--allowed-special",
        action="append",
        default=[],
        metavar="all|TEXT",
        help="read this special token as such, or all of them; may be given several times "
        "(default: special tokens are ordinary text)",
    )


def add_normalize(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare ``--normalize``, whose help says `what` it does; its value is ``nfc`` or None."""
    parser.add_argument(
        "--normalize",
        type=parse_normal_form,
        metavar="{none,nfc}",
        help=f"{what} (default: none, text as it is)",
    )


def parse_normal_form(name: str) -> str | None:
    """Return the value of ``--normalize``: ``nfc``, or None for ``none``.

    Raises:
        ArgumentTypeError: it is neither.
    """
    if name not in ("none", "nfc"):
        raise argparse.ArgumentTypeError(f"found {name!r}, expected none or nfc")
    return None if name == "none" else name


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Declare ``--threads``: how many threads may share the texts."""
    parser.add_argument(
        "--threads",
        type=parse_positive,
        default=8,
        metavar="N",
        help="how many threads share the texts, and the parts of a long one unless its model has "
        "a normalizer or cannot cut it; never more than processors (default 8); the result does "
        "not depend on it",
    )


def unique_pairs(option: str, pairs: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    """Return the keys and values of an option that may be given several times, as a dict.

    Args:
        option: the option's name, for the error.
        pairs: a key and a value for each time that it was given.

    Raises:
        UsageError: a key comes twice.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise UsageError(f"{option} {twice}=... is given twice; give one")
    return values


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare ``--json``, whose help says `what` the JSON holds."""
    parser.add_argument("--json", action="store_true", help=f"print JSON: {what}")


def add_files(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the input files, which help calls `what`; an empty list is standard input."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help=f"{what} (default and -: standard input)"
    )


def add_artifact(parser: argparse.ArgumentParser) -> None:
    """Declare the positional argument of the artifact that a command is about, as ``model``."""
    parser.add_argument("model", metavar="NAME|FILE", help="a shipped encoding or a .wwho file")


def open_model(options: argparse.Namespace) -> Tokenizer:
    """Open the tokenizer that ``--model`` and ``--backend`` name.

    A name of a shipped encoding is that encoding, and any other name a file (`is_model_file`).

    Raises:
        WwhoError: there is no such encoding, the file is no artifact, or the backend is missing.
        OSError: the file cannot be read.
    """
    from wwho.encodings import get_encoding, is_model_file
    from wwho.tokenizer import Tokenizer

    if is_model_file(options.model):
        return Tokenizer.load(options.model, backend=options.backend)
    return get_encoding(options.model, backend=options.backend)


def allowed_special(options: argparse.Namespace, tokenizer: Tokenizer) -> set[str] | Literal["all"]:
    """Return the special tokens that ``--allowed-special`` names, as `Tokenizer.encode` takes them.

    That is "all" if `all` is among them, else the set of their texts, which may be empty.

    Raises:
        SpecialTokenError: the model has no such special token.
    """
    texts: list[str] = options.allowed_special
    if "all" in texts:
        return "all"
    known = tokenizer.info.specials
    for text in texts:
        if text not in known:
            raise SpecialTokenError(
                f"--allowed-special {text!r}: {tokenizer.name} has no such special token; "
                f"it has {', '.join(known) or 'none'}"
            )
    return set(texts)


def load_schemas(names: Sequence[str], *, allow_invalid: bool) -> list[Schema]:
    """Load the schemas with these names or paths, in this order.

    All are looked at before an error is raised, so that it tells of every fault.

    Args:
        names: names of shipped schemas, ``unicode`` for those of all Abugidas, or paths.
        allow_invalid: whether to load schemas that break the definition.

    Warns:
        UserWarning: for each condition that a schema breaks and `allow_invalid` lets pass.

    Raises:
        SchemasError: some of them break the definition, or there is none of that name; it has a
            line for each fault.
        OSError: a file cannot be read.
    """
    from wwho.compile.schema_loader import examine_schema, expand_schema_names, read_document

    schemas: list[Schema] = []
    refused: list[str] = []
    for name in expand_schema_names(names):
        try:
            document = read_document(name)
        except SchemaError as error:
            refused.append(
                f"{name}: {error}; every value after --schema is a schema, "
                "text files go before it or after --"
            )
            continue
        schema, errors = examine_schema(document, allow_invalid=allow_invalid)
        faults = [f"{name}: {message_with_place(error)}" for error in errors]
        if schema is None:
            refused += faults
            continue
        for fault in faults:
            warnings.warn(f"{fault}; loaded all the same (--allow-invalid)", stacklevel=2)
        schemas.append(schema)
    if refused:
        raise SchemasError(refused)
    return schemas


def message_with_place(error: SchemaError) -> str:
    """Return the message of a schema's fault, with the JSON pointer before it if it lacks that."""
    return str(error) if error.pointer in str(error) else f"{error.pointer}: {error}"


def add_schemas(
    parser: argparse.ArgumentParser, *, required: bool = True, without: str = "in place of a model"
) -> None:
    """Declare ``--schema`` and ``--allow-invalid``, which `load_schemas` reads.

    Args:
        parser: the parser of the command.
        required: whether a schema must be given.
        without: what the help says of schemas that may be left out.
    """
    parser.add_argument(
        "--schema",
        action="extend",
        nargs="+",
        required=required,
        metavar="NAME|FILE",
        help="shipped schemas (`unicode`: those of all Abugidas) or files"
        f"{'' if required else f', {without}'}; may be given "
        "several times; other files go before it, after a further option, or after --",
    )
    parser.add_argument(
        "--allow-invalid",
        action="store_true",
        help="load schemas that break the definition, with a warning for each condition broken",
    )


def add_fields(parser: argparse.ArgumentParser) -> None:
    """Declare ``--field`` and ``--column``: where the text of a structured file is."""
    parser.add_argument(
        "--field", metavar="F", help='the field of JSON Lines that holds the text (default "text")'
    )
    parser.add_argument(
        "--column",
        default="text",
        metavar="C",
        help='the column of Parquet that holds the text (default "text")',
    )


def add_text_files(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare the files, which help calls `what`, and ``--field`` and ``--column``."""
    add_fields(parser)
    add_files(
        parser,
        f"{what}: files, folders, patterns and URLs, plain or compressed text, JSON Lines and "
        "Parquet, in any form that train reads",
    )


def add_sample(parser: argparse.ArgumentParser, verb: str) -> None:
    """Declare ``--sample``, whose help says with `verb` what is done to lines, and ``--errors``."""
    parser.add_argument(
        "--sample",
        default="1",
        metavar="F",
        help=f"the fraction of the lines to {verb}, such as 0.1, chosen by a hash of each line",
    )
    parser.add_argument(
        "--errors",
        choices=("replace", "stop"),
        default="replace",
        help="broken UTF-8 is read as U+FFFD, or refused (default replace)",
    )


def add_base(parser: argparse.ArgumentParser) -> None:
    """Declare ``--base``, which `load_base` reads."""
    parser.add_argument(
        "--base",
        default="o200k_base",
        metavar="NAME|FILE",
        help="the vocabulary for all other text: a shipped encoding or a .wwho file, such as one "
        "trained with --atoms byte; or none: one token for each byte (default o200k_base)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare ``--output``, which must be given, and ``--name``, which `encoding_name` reads."""
    parser.add_argument(
        "-o", "--output", required=True, metavar="X.wwho", help="the .wwho file to write"
    )
    parser.add_argument("--name", help="the encoding's name (default: the output file's)")


def check_output(options: argparse.Namespace, *inputs: str, may_be_url: bool = False) -> None:
    """Raise an error, before the work and not after it, if ``--output`` must not be written.

    Args:
        options: the arguments of the command.
        inputs: the files that the command reads.
        may_be_url: whether the output may be a URL; whether that can be written shows when it is.

    Raises:
        OSError: the output cannot be written.
        UsageError: it is one of the inputs, by name or by what a link leads to; or it is a URL, and
            must not be.
    """
    from wwho.corpus.sources import is_url
    from wwho.format.files import check_writable

    if not is_url(options.output):
        check_writable(options.output)
    elif not may_be_url:
        raise UsageError(f"-o {options.output} is a URL; name a file of this machine, and copy it")
    for path in inputs:
        if path == options.output or _same_file(path, options.output):
            raise UsageError(f"-o {options.output} is a file that is read; name another")


def _same_file(path: str, other: str) -> bool:
    """Return whether two paths lead to one file that exists."""
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def encoding_name(options: argparse.Namespace) -> str:
    """Return the name of the new encoding: ``--name``, or the output file's without its ending."""
    name: str | None = options.name
    return unicode_text(Path(options.output).stem if name is None else name)


def parse_positive(text: str) -> int:
    """Return the whole number, 1 or more, that an argument spells.

    Raises:
        argparse.ArgumentTypeError: it spells none.
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        what = f"found {text[:100]!r}, expected a whole number of at least 1"
        raise argparse.ArgumentTypeError(what)
    return number


def parse_part(text: str) -> tuple[int, int]:
    """Return the numbers of ``K/N``: which part, and how many parts; both are checked later.

    Raises:
        argparse.ArgumentTypeError: there are no two numbers with a ``/`` between them.
    """
    try:
        number, parts = map(int, text.split("/"))
    except ValueError:
        what = f"found {text[:100]!r}, expected two numbers, as in 1/3"
        raise argparse.ArgumentTypeError(what) from None
    return number, parts


def unicode_text(argument: str) -> str:
    """Return an argument or file name as an artifact can hold it: broken UTF-8 becomes U+FFFD."""
    return streams.to_text(os.fsencode(argument))


def load_base(name: str) -> Artifact:
    """Load the base vocabulary that ``--base`` names; it may have no schemas.

    Raises:
        UsageError: it has schemas.
        WwhoError: there is no such encoding, or the file is no artifact.
        OSError: the file cannot be read.
    """
    from wwho.assemble.atoms import AtomKind
    from wwho.train.resolve import resolve_base

    base = resolve_base(name, None, AtomKind.SYLLABLE)
    if base.router is not None:
        raise UsageError(f"--base {name}: has schemas already; give a base vocabulary")
    return base


def read_artifact(name: str) -> bytes:
    """Return the bytes of a shipped encoding or of a file, which need not be an artifact.

    Raises:
        WwhoError: there is no such encoding.
        OSError: the file cannot be read.
    """
    from wwho.encodings import is_model_file, model_bytes
    from wwho.format.files import read_model_file

    return read_model_file(name) if is_model_file(name) else model_bytes(name)


def write_artifact(options: argparse.Namespace, model: Artifact) -> int:
    """Write a model to ``--output`` and return its size in bytes.

    The bytes are opened first, so that no file is written that nobody could open.

    Raises:
        ArtifactError: the core refuses the model.
        OSError: the file cannot be written.
    """
    from wwho.backends.select import open_backend
    from wwho.format import write
    from wwho.format.files import write_atomic

    blob = write.write_artifact(model)
    with errors_name_file(f"{options.output} would be no artifact"):
        open_backend(blob)
    write_atomic(options.output, blob)
    return len(blob)


def report_model(
    options: argparse.Namespace, artifact: Artifact, size: int, **more: object
) -> None:
    """Print one line about the artifact that has been written, or with ``--json`` an object.

    The figures are those of the last model: of syllables, where there are any. The atoms of a base
    vocabulary are its 256 bytes, and those of SCRIPT its symbols, which the file has as merges. The
    line says of a Unigram or WordPiece model how many tokens it has.

    Args:
        options: the arguments of the command: ``output`` and ``json``.
        artifact: the artifact.
        size: its size in bytes.
        more: further facts, which only the JSON has.
    """
    from wwho.backends.reference import model_info

    model = model_info(artifact, len(artifact.models) - 1)
    n_atoms, n_merges, atoms = model.n_symbols, model.n_merges, "atoms"
    if artifact.blocks and model.symbols == "bytes":
        n_atoms, atoms = artifact.blocks.n_symbols, "symbols"
        n_merges -= n_atoms
    facts = {
        "file": options.output,
        "bytes": size,
        "n_vocab": artifact.n_vocab,
        "atoms": n_atoms,
        "merges": n_merges,
        **more,
    }
    if options.json:
        streams.write_json(facts)
        return
    superwords = f", {model.n_superwords:,} of them superwords" if model.n_superwords else ""
    found = f"{n_atoms:,} {atoms}, {n_merges:,} merges{superwords}"
    if model.kind != "bpe":
        found = f"{n_atoms + n_merges:,} tokens"
    line = f"{options.output}: {size:,} bytes, {artifact.n_vocab:,} ids, {found}"
    streams.write_lines([line])
