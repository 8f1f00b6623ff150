"""`wwho schema check`: checks a schema, and surveys what it makes of a corpus."""

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
    '"invalid": [[syllable, count]], "longest": [[syllable, count]], "rarest": [...]}'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the schema, texts of a corpus, how to read them, `--top`.

    Without texts only the schema is checked.
    """
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
    """Check a schema, survey the corpus with it if it is valid, and print what was found.

    Returns:
        The exit code: 0 for a valid schema, 1 for another one with `--json`.

    Raises:
        SchemasError: the schema is invalid, without `--json`; it has a line for each fault.
        OSError: the schema cannot be read.
        CorpusError: a text cannot be read, or none has text in the script.
    """
    schema, errors = check_schema(options.schema)
    if schema is None and not options.json:
        raise shared.SchemasError(
            [f"{options.schema}: {shared.message_with_place(each)}" for each in errors]
        )
    letters = [] if schema is None else letters_in_no_class(schema)
    survey = run_survey(schema, options) if schema is not None and options.corpus else None
    if options.json:
        report = {
            "schema": options.schema,
            "valid": schema is not None,
            "errors": [error_to_json(error) for error in errors],
            "letters_in_no_class": letters,
            "corpus": survey and survey_to_json(survey, options.top),
        }
        streams.write_json(report)
    elif schema is not None:
        lines = [*format_schema(options.schema, schema, letters)]
        if survey is not None:
            lines += format_survey(schema, survey, options.top)
        streams.write_lines(lines)
    return 1 if schema is None else 0


def letters_in_no_class(schema: Schema) -> list[str]:
    """Return the letters and combining marks of a schema's blocks that are in none of its classes.

    They are ascending. Digits, punctuation and symbols are left out: they are in no class on
    purpose. What a letter is, is for the Unicode version of Python to say.
    """
    points = chain.from_iterable(
        range(first, last + 1) for first, last in (schema.blocks - schema.classified).ranges
    )
    return [char for char in map(chr, points) if unicodedata.category(char)[0] in "LM"]


def check_schema(name: str) -> tuple[Schema | None, list[SchemaError]]:
    """Load a shipped schema or a file, and compile it.

    Returns:
        The schema and no errors; or None and everything that is wrong with it, such as what is too
        large to compile.

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


def run_survey(schema: Schema, options: argparse.Namespace) -> Survey:
    """Survey the corpus of the options with a schema, with a progress bar on a terminal.

    Raises:
        CorpusError: a file cannot be read, or none has text in the script.
    """
    from wwho.corpus import Corpus
    from wwho.evaluate.check.schema_survey import survey_corpus
    from wwho.progress import Progress

    corpus = Corpus(options.corpus, field=options.field, column=options.column)
    with Progress(sys.stderr.isatty()).bar("check", corpus.size(), unit="B") as advance:
        return survey_corpus(schema, corpus, advance=advance)


def error_to_json(error: SchemaError) -> dict[str, object]:
    """Return a fault of a schema as `--json` prints it."""
    return {
        "pointer": error.pointer,
        "message": str(error),
        "condition": error.condition,
        "counterexample": error.counterexample,
    }


def survey_to_json(survey: Survey, top: int) -> dict[str, object]:
    """Return a survey as `--json` prints it, with at most `top` entries in each of its lists."""
    lists = {
        "strays": [{**asdict(sign), "name": sign.name} for sign in survey.strays[:top]],
        "invalid": survey.invalid[:top],
        "unclassed": [{**asdict(char), "name": char.name} for char in survey.unclassed[:top]],
        "longest": survey.longest[:top],
        "rarest": survey.rarest[:top],
    }
    return {**asdict(survey), "coverage": survey.coverage, **lists}


def format_schema(file: str, schema: Schema, letters: Sequence[str]) -> Iterator[str]:
    """Yield lines about a valid schema.

    Args:
        file: the schema's name or file.
        schema: the schema.
        letters: the letters and combining marks of its blocks that are in no class.
    """
    yield f"{file}: valid; {schema.title}, {len(schema.classes)} classes"
    if letters:
        names = " ".join(f"U+{ord(char):04X}" for char in letters)
        yield f"letters and marks of its blocks that are in no class: {names}"


def format_survey(schema: Schema, survey: Survey, top: int) -> Iterator[str]:
    """Yield lines about a survey: shares of characters, leftovers, longest and rarest syllables.

    Each list has at most `top` entries; an empty one has no lines.
    """
    strays = sum(sign.count for sign in survey.strays)
    unclassed = sum(char.count for char in survey.unclassed)
    yield f"{survey.characters:,} characters of {schema.title} in {survey.bytes:,} bytes:"
    shares = {"in whole syllables": survey.in_syllables}
    if survey.invalid:
        invalid = sum(len(unit) * count for unit, count in survey.invalid)
        shares["of these, in syllables that are not valid"] = invalid
    for what, count in {**shares, "stray signs": strays, "in no class": unclassed}.items():
        yield f"{100 * count / survey.characters:>8.3f} %  {count:>13,}  {what}"
    numbers = f"{survey.syllables:,} syllables, {survey.distinct:,} distinct"
    yield f"{numbers}, {survey.once:,} of them once"
    yield from format_leftovers("stray signs", survey.strays[:top], streams.CIRCLE)
    yield from format_leftovers("characters in no class", survey.unclassed[:top], "")
    lists = {"invalid": survey.invalid, "longest": survey.longest, "rarest": survey.rarest}
    for what, syllables in lists.items():
        if syllables:
            yield f"{what} syllables:"
        for syllable, count in syllables[:top]:
            yield f"{count:>10,}  {streams.escape_invisible(syllable)}"


def format_leftovers(title: str, leftovers: Sequence[Leftover], before_each: str) -> Iterator[str]:
    """Yield a heading, a line for each character, its count and name, and a line for each place.

    Nothing is yielded if there are no characters.

    Args:
        title: the heading.
        leftovers: the characters.
        before_each: stands before the character in the text of a place, as a circle does before a
            stray sign.
    """
    if leftovers:
        yield f"{title}:"
    for each in leftovers:
        yield f"{each.count:>10,}  {each.name}"
        for before, after in each.contexts:
            yield f"{'':12}{streams.escape_invisible(f'{before}{before_each}{each.char}{after}')}"
