"""`wwho schema check`: whether a schema is valid, and what it makes of real text."""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import PatternError, SchemaError

if TYPE_CHECKING:
    from wwho.compile.schema import Schema
    from wwho.evaluate.check.schema_survey import Leftover, Survey

NAME = "check"
HELP = "check a schema, and report which characters of a corpus are in no syllable"
EXAMPLE = """\
  $ wwho schema check my-script.json
  $ wwho schema check sinhala si.txt.xz more.jsonl.gz"""

CORPUS = (
    '"corpus": {"bytes", "characters", "in_syllables", "coverage", "syllables", "distinct", '
    '"once", "strays": [{"char", "name", "count", "contexts"}], "unclassed": [...], '
    '"longest": [[syllable, count]], "rarest": [...]}'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("schema", metavar="SCHEMA", help="a shipped schema or a file")
    parser.add_argument(
        "corpus",
        nargs="*",
        metavar="CORPUS",
        help="text to try it on, in any form that train reads; - is standard input",
    )
    shared.add_fields(parser)
    parser.add_argument(
        "--top",
        type=shared.parse_positive,
        default=10,
        metavar="N",
        help="how many signs and syllables each list has (default 10)",
    )
    errors = '"errors": [{"pointer", "message", "condition", "counterexample"}]'
    shared.add_json(
        parser, f'{{"schema", "valid", {errors}, "letters_in_no_class", {CORPUS} or null}}'
    )


def run(options: argparse.Namespace) -> int:
    """Check the schema; where it is valid, try it on the corpus. Exit code 1: it is not."""
    schema, errors = checked(options.schema)
    if schema is None and not options.json:
        raise shared.SchemasError(
            [f"{options.schema}: {shared.message_with_place(each)}" for each in errors]
        )
    letters = [] if schema is None else letters_in_no_class(schema)
    found = surveyed(schema, options) if schema is not None and options.corpus else None
    if options.json:
        report = {
            "schema": options.schema,
            "valid": schema is not None,
            "errors": [fault(error) for error in errors],
            "letters_in_no_class": letters,
            "corpus": found and facts(found, options.top),
        }
        streams.write_json(report)
    elif schema is not None:
        lines = [*schema_lines(options.schema, schema, letters)]
        if found is not None:
            lines += corpus_lines(schema, found, options.top)
        streams.write_lines(lines)
    return 1 if schema is None else 0


def letters_in_no_class(schema: Schema) -> list[str]:
    """The letters and marks of a schema's blocks that are in none of its classes.

    Digits, punctuation and symbols are in none on purpose. Which characters are letters is for the
    Unicode version of Python to say.
    """
    points = chain.from_iterable(
        range(first, last + 1) for first, last in (schema.blocks - schema.classified).ranges
    )
    return [char for char in map(chr, points) if unicodedata.category(char)[0] in "LM"]


def checked(name: str) -> tuple[Schema | None, list[SchemaError]]:
    """The schema; or None and everything that is wrong with it.

    Raises:
        OSError: the file cannot be read.
    """
    from wwho.compile.schema_loader import examine_schema, read_document
    from wwho.compile.schema_scanners import compile_schemas

    try:
        schema, errors = examine_schema(read_document(name))
        if schema is not None:
            compile_schemas([schema], None)
    except SchemaError as error:
        return None, [error]
    except PatternError as error:  # it is too large
        return None, [SchemaError(f"/grammar: {error}", pointer="/grammar")]
    return schema, errors


def surveyed(schema: Schema, options: argparse.Namespace) -> Survey:
    """What the schema makes of the corpus.

    Raises:
        CorpusError: a file cannot be read, or none has text in the script.
    """
    from wwho.corpus import Corpus
    from wwho.evaluate.check.schema_survey import survey_corpus
    from wwho.progress import Progress

    corpus = Corpus(options.corpus, field=options.field, column=options.column)
    with Progress(sys.stderr.isatty()).stage("check", corpus.size(), unit="B") as advance:
        return survey_corpus(schema, corpus, advance=advance)


def fault(error: SchemaError) -> dict[str, object]:
    """A fault as `--json` prints it."""
    return {
        "pointer": error.pointer,
        "message": str(error),
        "condition": error.condition,
        "counterexample": error.counterexample,
    }


def facts(found: Survey, top: int) -> dict[str, object]:
    """What was found as `--json` prints it."""
    lists = {
        "strays": [{**asdict(sign), "name": sign.name} for sign in found.strays[:top]],
        "unclassed": [{**asdict(char), "name": char.name} for char in found.unclassed[:top]],
        "longest": found.longest[:top],
        "rarest": found.rarest[:top],
    }
    return {**asdict(found), "coverage": found.coverage, **lists}


def schema_lines(file: str, schema: Schema, letters: Sequence[str]) -> Iterator[str]:
    """What is to be said of the schema itself."""
    yield f"{file}: valid; {schema.title}, {len(schema.classes)} classes"
    if letters:
        names = " ".join(f"U+{ord(char):04X}" for char in letters)
        yield f"letters and marks of its blocks that are in no class: {names}"


def corpus_lines(schema: Schema, found: Survey, top: int) -> Iterator[str]:
    """What is to be said of the corpus."""
    strays = sum(sign.count for sign in found.strays)
    unclassed = sum(char.count for char in found.unclassed)
    yield f"{found.characters:,} characters of {schema.title} in {found.bytes:,} bytes:"
    for what, count in (
        ("in whole syllables", found.in_syllables),
        ("stray signs", strays),
        ("in no class", unclassed),
    ):
        yield f"{100 * count / found.characters:>8.3f} %  {count:>13,}  {what}"
    yield f"{found.syllables:,} syllables, {found.distinct:,} distinct, {found.once:,} of them once"
    yield from leftover_lines("stray signs", found.strays[:top], streams.CIRCLE)
    yield from leftover_lines("characters in no class", found.unclassed[:top], "")
    for what, syllables in (("longest", found.longest), ("rarest", found.rarest)):
        if syllables:
            yield f"{what} syllables:"
        for syllable, count in syllables[:top]:
            yield f"{count:>10,}  {streams.printable(syllable)}"


def leftover_lines(title: str, found: Sequence[Leftover], mark: str) -> Iterator[str]:
    """Characters that are left over, each with its name and some places, where it is marked."""
    if found:
        yield f"{title}:"
    for each in found:
        yield f"{each.count:>10,}  {each.name}"
        for before, after in each.contexts:
            yield f"{'':12}{streams.printable(f'{before}{mark}{each.char}{after}')}"
