"""`wwho import`: makes an artifact of another library's tokenizer, whatever kind of file it is."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import errors_name_file

if TYPE_CHECKING:
    from wwho.evaluate.check.library_comparison import Comparison
    from wwho.importers import Imported, Options, Source
    from wwho.importers.transformers.folder import ModelFolder

NAME = "import"
HELP = "turn another library's tokenizer into a .wwho file that gives the same ids"
EXAMPLE = """\
  $ wwho import tokenizer.json -o my.wwho --check
  $ wwho import o200k_base.tiktoken --pattern o200k_base \\
      --special '<|endoftext|>=199999' --name my_o200k -o my_o200k.wwho
  $ wwho import vocab.json --base o200k_base -o paper.wwho"""

MODEL_NAMES = {"BPE": "BPE", "Greedy": "longest match", "Viterbi": "Unigram"}
"""For each class of models the name that people know it by."""
PAPER_SCHEMAS = ("paper/sinhala", "paper/devanagari")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `wwho import` to its parser, and what is refused to its description.

    These are the file and the one to take of a folder (`--as`); the output, its name, source and
    licence; what the file does not say, which counts for some kinds of files alone (`--pattern`,
    `--special`, `--lowercase`, `--fix-mistral-regex`, `--base`, `--schema`, `--like-tokenizers`);
    `--check` and `--json`. Here the output stays None where it is not given: `run` names it then.
    """
    parser.description = (
        f"{parser.description} The format is detected from the content; of a folder without a "
        "tokenizer.json, the class of transformers counts that its settings name. Options give "
        "what some formats do not contain. Refused by name: classes that cut words by another "
        "program (MeCab, Sudachi, rjieba, sacremoses) or take no plain text, a model's own code, "
        "patterns that look far ahead, refer back to a group or use \\G, and whatever else would "
        "give other ids."
    )
    parser.add_argument("file", metavar="FILE", help="the file, or a model's folder")
    parser.add_argument(
        "--as",
        dest="as_file",
        metavar="NAME",
        help="for a folder: take this file of it as it is, whatever the model's class does with it",
    )
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
        type=parse_special,
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
        "--fix-mistral-regex",
        action=argparse.BooleanOptionalAction,
        help="for a tokenizer.json of Mistral's models: whether the right pattern takes the place "
        "of the one that is known to be wrong",
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
        f"though they break the definition (default {' '.join(PAPER_SCHEMAS)})",
    )
    parser.add_argument(
        "--like-tokenizers",
        action="store_true",
        help="for a byte-level tokenizer.json: added tokens such as 'é' decode to the bytes that "
        "tokenizers makes of them, which are no text",
    )
    parser.add_argument(
        "--check",
        nargs="?",
        const="",
        metavar="TEXTFILE",
        help="compare ids and decoded text with the library that the file is for, if it is "
        "installed, and of a folder with transformers' AutoTokenizer: on built-in hard texts, and "
        "on a file, line by line and as a whole; exit code 1 where any text differs",
    )
    shared.add_json(
        parser, '{"file", "bytes", "n_vocab", "kind", "engine", "notes", "losses", "check", ...}'
    )


def run(options: argparse.Namespace) -> int:
    """Import a file, write the artifact, and print what is in it and what is lost.

    Without `--output`, the artifact goes into the current folder, and is named after `--name`, or
    the file. With `--check` the model is compared with the file's own library before it is written;
    it is written also where they differ.

    Returns:
        The exit code: 1 where `--check` has found a difference, else 0.

    Raises:
        SourceError: the file cannot be imported; the message says why.
        BackendError: the library for `--check` is not installed; or the core encodes a built-in
            hard text otherwise than FORMAT.md says, and nothing is written.
        OSError: a file cannot be read or written.
    """
    from wwho.evaluate.check.core_comparison import check_core
    from wwho.importers.detect import import_source, open_source

    if options.output is None:
        path = Path(options.file)
        options.output = f"{options.name or path.stem or path.resolve().name}.wwho"
    shared.check_output(options, options.file)
    source = open_source(options.file, options.as_file)
    import_options = read_import_options(options, source)
    imported = import_source(source, import_options)
    if options.as_file is not None:
        imported = taken_as_it_is(imported, options.as_file)
    with errors_name_file(f"{options.output} would be no artifact"):
        check_core(imported.artifact)
    comparison = None
    if options.check is not None:
        judged = source if options.as_file else judged_folder(options.file) or source
        comparison = compare_on_file(options.check, judged, import_options, imported)
    report(options, imported, shared.write_artifact(options, imported.artifact), comparison)
    return int(bool(comparison and comparison.differences))


def judged_folder(path: str) -> ModelFolder | None:
    """Return a folder whose settings say enough for AutoTokenizer to open it; else None."""
    from wwho.importers.transformers.choice import class_of
    from wwho.importers.transformers.folder import ModelFolder

    folder = ModelFolder(path)
    return folder if folder.path.is_dir() and class_of(folder) is not None else None


def taken_as_it_is(imported: Imported, name: str) -> Imported:
    """Return an import with a note, and a record in the model, that it is of one file alone.

    Args:
        imported: the import.
        name: the name of the file.
    """
    artifact = imported.artifact
    record = {**artifact.provenance, "as": name}
    note = f"{name} alone was taken as it is, whatever the model's class does with it"
    return replace(
        imported, artifact=replace(artifact, provenance=record), notes=(note, *imported.notes)
    )


def compare_on_file(
    file: str, source: Source | ModelFolder, import_options: Options, imported: Imported
) -> Comparison:
    """Compare a model with the library that its file is for, on hard texts and a file of text.

    Args:
        file: a text to compare on, each line and the whole; "" for hard texts alone.
        source: the file that was imported.
        import_options: what the importer was told of it.
        imported: what the importer made of it.

    Raises:
        BackendError: the library is not installed, or there is none.
        OSError: the text cannot be read.
    """
    from wwho.evaluate.check.library_comparison import compare_with_library

    text = Path(file).read_bytes().decode("utf-8", "replace") if file else ""
    return compare_with_library(source, import_options, imported, [*text.split("\n"), text])


def read_import_options(options: argparse.Namespace, source: Source | ModelFolder) -> Options:
    """Return the options of an import that the arguments give, with all their files loaded.

    A reader that takes a base gets o200k_base and the paper's schemas where none are given. No
    schema is refused, and none is warned of: what it breaks is what is to be reproduced.

    Raises:
        UsageError: an argument is given twice, or makes no sense.
        WwhoError: a base or a schema cannot be opened.
        OSError: a file cannot be read.
    """
    from wwho.importers import Options, Source
    from wwho.importers.detect import reader_of

    specials = shared.unique_pairs("--special", options.special)
    base, schemas = options.base, options.schema
    if isinstance(source, Source) and "base" in reader_of(source).takes:
        base, schemas = base or "o200k_base", schemas or PAPER_SCHEMAS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = shared.load_schemas(schemas or (), allow_invalid=True)
    return Options(
        name=shared.encoding_name(options),
        pattern=options.pattern,
        specials=specials,
        lowercase=options.lowercase,
        like_tokenizers=options.like_tokenizers,
        fix_mistral_regex=options.fix_mistral_regex,
        base=None if base is None else shared.load_base(base),
        schemas=tuple(loaded),
        source=shared.unicode_text(options.source),
        license=shared.unicode_text(options.license),
    )


def report(
    options: argparse.Namespace, imported: Imported, size: int, comparison: Comparison | None
) -> None:
    """Print what has been written, what was not taken over, what is lost, and what differs.

    Args:
        options: the arguments; with `--json` one object is printed, else lines.
        imported: what the importer made of the file.
        size: the size of the artifact in bytes.
        comparison: the result of `--check`; None where it was not asked for.
    """
    from wwho.format.losses import losses

    artifact = imported.artifact
    lost = losses(artifact)
    shared.report_model(
        options,
        artifact,
        size,
        kind=imported.kind,
        engine=imported.engine,
        steps=len(artifact.steps),
        added=len(artifact.added),
        notes=imported.notes,
        losses=lost,
        check=comparison and comparison_to_json(comparison),
    )
    if not options.json:
        streams.write_lines(format_import(imported, lost, comparison))


def comparison_to_json(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as `--json` prints it, with the first difference alone."""
    differences = comparison.differences
    return {
        "engine": comparison.engine,
        "texts": comparison.texts,
        "different": len(differences),
        "first": differences[0]._asdict() if differences else None,
    }


def format_import(
    imported: Imported, lost: Sequence[str], comparison: Comparison | None
) -> list[str]:
    """Return lines about an import: its kind, parts, notes, losses and the first difference.

    Args:
        imported: what the importer made of the file.
        lost: what text the model loses, as `wwho.format.losses.losses` says it.
        comparison: the result of `--check`; None where it was not asked for.
    """
    artifact = imported.artifact
    engine = f"; ids as {imported.engine} gives them" if imported.engine else ""
    numbers = {
        "added token": len(artifact.added),
        "step": len(artifact.steps),
    }
    parts = [MODEL_NAMES[type(model).__name__] for model in artifact.models]
    parts += [f"{n:,} {what}{'s' * (n != 1)}" for what, n in numbers.items()]
    lossless = [f"loses text: {reason}" for reason in lost] or ["lossless"]
    lines = [f"{imported.kind}{engine}", ", ".join(parts), *imported.notes, *lossless]
    if comparison is not None:
        differences = comparison.differences
        count = f"{len(differences)} of {comparison.texts} texts differ"
        lines.append(f"compared with {comparison.engine}: {count}")
        for text, what, here, there in differences[:1]:
            lines += [f"the first: {text!r}", f"{what} here: {here!r}", f"{what} there: {there!r}"]
    return lines


def parse_special(text: str) -> tuple[str, int]:
    """Return the special token and the id of an argument `TEXT=ID`; the text may have equals signs.

    Raises:
        argparse.ArgumentTypeError: the argument has another form.
    """
    token, _, number = text.rpartition("=")
    try:
        given = int(number)
    except ValueError:
        token = ""
    if not token:
        what = f"found {text[:100]!r}, expected a text and an id, as in <s>=1"
        raise argparse.ArgumentTypeError(what)
    return token, given
