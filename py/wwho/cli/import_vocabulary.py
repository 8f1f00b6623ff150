"""`wwho import`: another library's tokenizer to an artifact, whatever kind of file it is."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams

if TYPE_CHECKING:
    from wwho.evaluate.check.engine import Checked
    from wwho.importers import Imported, Options, Source
    from wwho.importers.reader import Reader

NAME = "import"
HELP = "turn another library's tokenizer into a .wwho file that gives the same ids"
EXAMPLE = """\
  $ wwho import tokenizer.json -o my.wwho --check
  $ wwho import o200k_base.tiktoken --pattern o200k_base \\
      --special '<|endoftext|>=199999' --name my_o200k -o my_o200k.wwho
  $ wwho import vocab.json --base o200k_base -o paper.wwho"""

MODELS = {"BPE": "BPE", "Greedy": "longest match", "Viterbi": "Unigram"}
"""Kinds of model, as a reader knows them."""
SCHEMAS = ("paper/sinhala", "paper/devanagari")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        f"{parser.description} The format is detected from the content. Options give what some "
        "formats do not contain."
    )
    parser.add_argument("file", metavar="FILE", help="the file, or a model's folder")
    parser.add_argument(
        "-o", "--output", metavar="X.wwho", help="the .wwho file to write (default: NAME.wwho here)"
    )
    parser.add_argument("--name", help="the encoding's name (default: the output file's)")
    parser.add_argument("--source", default="", help="where the file comes from, for the record")
    parser.add_argument("--license", default="", help="its licence, for the record")
    parser.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help="for a rank file or a list of tokens: the pretokenizer: o200k_base, cl100k_base, "
        "r50k_base or a regular expression",
    )
    parser.add_argument(
        "--special",
        action="append",
        type=special,
        default=[],
        metavar="TEXT=ID",
        help="for a rank file: a special token and its id; may be given several times",
    )
    parser.add_argument(
        "--lowercase",
        action=argparse.BooleanOptionalAction,
        help="for a vocab.txt: whether text is lower-cased (default: what tokenizer_config.json "
        "says)",
    )
    parser.add_argument(
        "--base",
        metavar="NAME|FILE",
        help="for a vocab.json of the WWHO paper: the vocabulary of all other text, a shipped "
        "encoding or a .wwho file (default o200k_base)",
    )
    parser.add_argument(
        "--schema",
        action="extend",
        nargs="+",
        metavar="NAME|FILE",
        help="for the same file: schemas, shipped or in files, that say how its encoder cuts text, "
        f"though they break the definition (default {' '.join(SCHEMAS)})",
    )
    parser.add_argument(
        "--check",
        nargs="?",
        const="",
        metavar="TEXTFILE",
        help="compare ids and decoded text with the library that the file is for, if it is "
        "installed: on built-in hard texts, and on a file, line by line and as a whole; exit code "
        "1 where any text differs",
    )
    shared.add_json(
        parser, '{"file", "bytes", "n_vocab", "kind", "engine", "notes", "losses", "check", ...}'
    )


def run(options: argparse.Namespace) -> int:
    """Import a file and write the artifact, if the core gives the ids that FORMAT.md says.

    Raises:
        BackendError: the core encodes a built-in hard text otherwise; nothing is written.
    """
    from wwho.evaluate.check.core import check_core
    from wwho.importers.detect import find_source, import_source, reader_of

    if options.output is None:
        path = Path(options.file)
        options.output = f"{options.name or path.stem or path.resolve().name}.wwho"
    shared.check_output(options, options.file)
    source = find_source(options.file)
    given = told(options, reader_of(source))
    found = import_source(source, given)
    check_core(found.artifact)
    checked = None if options.check is None else compared(options.check, source, given, found)
    report(options, found, shared.write_artifact(options, found.artifact), checked)
    return int(bool(checked and checked.differences))


def compared(file: str, source: Source, given: Options, found: Imported) -> Checked:
    """The model beside the engine whose ids it gives, on a file's text too.

    Raises:
        BackendError: the engine is not installed.
        OSError: the file cannot be read.
    """
    from wwho.evaluate.check.engine import check

    text = Path(file).read_bytes().decode("utf-8", "replace") if file else ""
    return check(source, given, found, [*text.split("\n"), text])


def told(options: argparse.Namespace, reader: Reader) -> Options:
    """What the arguments say to a reader."""
    from wwho.importers import Options

    specials = shared.table("--special", options.special)
    base, schemas = options.base, options.schema
    if "base" in reader.takes:
        base, schemas = base or "o200k_base", schemas or SCHEMAS
    with warnings.catch_warnings():
        # What these schemas break is what is to be reproduced.
        warnings.simplefilter("ignore")
        loaded = shared.load_schemas(schemas or (), allow_invalid=True)
    return Options(
        name=shared.encoding_name(options),
        pattern=options.pattern,
        specials=specials,
        lowercase=options.lowercase,
        base=None if base is None else shared.load_base(base),
        schemas=tuple(loaded),
        source=shared.unicode_text(options.source),
        license=shared.unicode_text(options.license),
    )


def report(
    options: argparse.Namespace, found: Imported, size: int, checked: Checked | None
) -> None:
    """Say what has been written, what was not taken over, what is lost, and what differs."""
    from wwho.format.losses import losses

    artifact = found.artifact
    lost = losses(artifact)
    differences = checked.differences if checked else ()
    shared.report_model(
        *(options, artifact, size),
        kind=found.kind,
        engine=found.engine,
        steps=len(artifact.steps),
        added=len(artifact.added),
        notes=found.notes,
        losses=lost,
        check=checked
        and {
            "engine": checked.engine,
            "texts": checked.texts,
            "different": len(differences),
            "first": differences[0]._asdict() if differences else None,
        },
    )
    if not options.json:
        engine = f"; ids as {found.engine} gives them" if found.engine else ""
        numbers = {
            "added token": len(artifact.added),
            "step": len(artifact.steps),
        }
        models = [MODELS[type(model).__name__] for model in artifact.models]
        parts = ", ".join(
            [*models, *(f"{n:,} {what}{'s' * (n != 1)}" for what, n in numbers.items())]
        )
        told = [f"loses text: {reason}" for reason in lost] or ["lossless"]
        lines = [f"{found.kind}{engine}", parts, *found.notes, *told]
        if checked:
            count = f"{len(differences)} of {checked.texts} texts differ"
            lines.append(f"compared with {checked.engine}: {count}")
        for text, what, here, there in differences[:1]:
            lines += [f"the first: {text!r}", f"{what} here: {here!r}", f"{what} there: {there!r}"]
        streams.write_lines(lines)


def special(text: str) -> tuple[str, int]:
    """A special token and its id, from TEXT=ID; the text may hold equals signs itself.

    Raises:
        ValueError: it is none; argparse turns this into exit code 2.
    """
    token, equals, number = text.rpartition("=")
    if not token or not equals:
        raise ValueError(text)
    return token, int(number)
