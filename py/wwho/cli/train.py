"""`wwho train`: a corpus to a vocabulary."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wwho.cli import options as shared
from wwho.cli import streams

if TYPE_CHECKING:
    from wwho.corpus import Corpus
    from wwho.format.model import Artifact
    from wwho.train.report import Report

NAME = "train"
HELP = "train a vocabulary of syllables over a base, or one of other atoms"
EXAMPLE = """\
  $ wwho train --schema sinhala --schema devanagari --base o200k_base \\
      --vocab-size 128000 --prune 20 -o MODEL.wwho corpus.txt.xz more.jsonl.gz
  $ wwho train --schema sinhala -o MODEL.wwho --processes 4 \\
      --weight news/=2.5 news/ 'web/*.parquet' s3://bucket/books/
  $ wwho train --schema sinhala --extend tokenizer.json -o MODEL.wwho corpus.txt
  $ wwho train --schema sinhala -o MODEL.wwho --counts a.counts b.counts"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_words(parser)
    add_limits(parser)
    number = partial(parser.add_argument, type=shared.positive, metavar="N")
    parser.add_argument(
        "--special",
        dest="specials",
        action="append",
        metavar="TEXT",
        help="a special token; may be given several times "
        "(default: [PAD] [UNK] [BOS] [EOS] [MASK]; with --atoms byte, none)",
    )
    parser.add_argument(
        "--protect-pattern",
        metavar="REGEX",
        help="protect every text of the corpus that this regular expression (of Python's re) finds",
    )
    number("--protect-min", default=2, help="how often it must find a text (default 2)")
    parser.add_argument(
        "--weight",
        action="append",
        default=[],
        type=paired,
        metavar="SOURCE=N",
        help="words of this FILE count N times, such as 3 or 0.5; may be given several times",
    )
    parser.add_argument(
        "--parity",
        action="append",
        type=paired,
        metavar="SOURCE=TEXT",
        help="change the weight of this FILE, round by round, until the texts in the files TEXT, "
        "which say the same in the languages of their sources, take about as many tokens as each "
        "other; give it for two sources or more, and counts, so that no round reads the corpus",
    )
    number("--rounds", default=6, help="how often --parity trains and measures at most (default 6)")
    parser.add_argument(
        "--extend",
        metavar="TOKENIZER",
        help="in place of --base, a language model's tokenizer: its folder, tokenizer.json or "
        "another file that wwho import reads; its ids stay, no special tokens are added unless "
        "named, and beside the output NAME.embeddings.json says for each new id which old ids its "
        "text had",
    )
    shared.add_output(parser)
    parser.add_argument(
        "--report", action="store_true", help="also print what was counted, by source and script"
    )
    shared.add_json(
        parser, '{"file", "bytes", "n_vocab", "atoms", "merges", "superwords", "corpus"}'
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """How much is learnt, and of what."""
    number = partial(parser.add_argument, type=shared.positive, metavar="N")
    flag = partial(parser.add_argument, action="store_true")
    number(
        "--vocab-size",
        default=128_000,
        help="ids for special tokens, atoms and merges; the lone space takes one more "
        "(default 128000)",
    )
    number(
        "--prune",
        help="an atom seen less often gets no id; every byte has one (default 20; with --balanced, "
        "it is chosen)",
    )
    flag(
        "--every-character",
        help="each character of the schemas' classes is an atom, seen or not, and a syllable "
        "without an id is spelled with the longest atoms that it begins with, not with the base",
    )
    number("--min-freq", default=2, help="a pair seen less often is not merged (default 2)")
    parser.add_argument(
        "--superwords",
        type=superwords,
        default=0,
        metavar="N|auto",
        help="so many of the merges join words of a schema's script across one space; auto: as "
        "many as save more tokens than the merges that they displace; the corpus is read a second "
        "time, for auto a third time (default 0)",
    )
    flag(
        "--balanced",
        help="choose how many ids the base, the atoms, and the merges and superwords of each "
        "script get, by the tokens they save in sources left out of training: name at least two "
        "FILES; unless --base names one, a base is trained, too, and --vocab-size counts all ids",
    )
    parser.add_argument(
        "--evenly",
        action="store_const",
        dest="balanced",
        const="evenly",
        help="as --balanced, and all FILES count alike, however long they are",
    )
    number("--max-words", default=4, help="how many words a superword may touch (default 4)")
    number(
        "--max-token-units",
        help="how many syllables, or other atoms, a token may have (default: no limit but its 1024 "
        "bytes)",
    )
    parser.add_argument(
        "--merge-constraint",
        choices=("none", "character"),
        default="none",
        help="character: bytes, or a block and an index, merge to whole characters before these "
        "merge with others (default none)",
    )


def add_words(parser: argparse.ArgumentParser) -> None:
    """What decides which words are counted: how text is cut, and how files are read."""
    number = partial(parser.add_argument, type=shared.positive, metavar="N")
    shared.add_schemas(
        parser,
        required=False,
        without="whose text is trained on (default: sinhala, devanagari and kannada; with other "
        "atoms, none: all text is trained on)",
    )
    shared.add_base(parser)
    parser.set_defaults(base=None)
    add_atoms(parser)
    shared.add_normalize(
        parser,
        "bring the corpus into Unicode's NFC before it is counted; the model remembers that, and "
        "every text that it encodes is brought into NFC first",
    )
    shared.add_fields(parser)
    parser.add_argument(
        "--sample",
        default="1",
        metavar="F",
        help="the fraction of the lines to count, such as 0.1, chosen by a hash of each line",
    )
    parser.add_argument(
        "--errors",
        choices=("replace", "stop"),
        default="replace",
        help="broken UTF-8 is read as U+FFFD, or refused (default replace)",
    )
    number("--processes", default=1, help="cores that count (default 1)")
    parser.add_argument(
        "--counts",
        action="extend",
        nargs="+",
        default=[],
        metavar="COUNTS",
        help="files of wwho count-words, made with the same options; their words are added, and "
        "no text is read, but by --superwords",
    )
    shared.add_files(
        parser,
        "a file, folder, pattern such as 'a/**/*.txt', or URL that fsspec opens; "
        ".jsonl, .ndjson, or .parquet, any other ending is plain text; "
        "all but .parquet may end in .gz, .xz or .zst",
    )


def add_atoms(parser: argparse.ArgumentParser) -> None:
    """What tokens are merged from."""
    flag = partial(parser.add_argument, action="store_true")
    parser.add_argument(
        "--atoms",
        choices=("syllable", "grapheme", "codepoint", "byte", "script"),
        default="syllable",
        help="what tokens are merged from: syllables, by the schemas; grapheme clusters (UAX #29) "
        "or code points, with or without schemas; bytes, which make a base vocabulary: plain BPE, "
        "without schemas and with --base none; script, a block and an index for each character, in "
        "the same way (default syllable)",
    )
    parser.add_argument(
        "--encoding",
        dest="atoms",
        choices=("bytes", "script"),
        action=Encoding,
        help="what characters are written as before anything is merged; the same as --atoms byte, "
        "and --atoms script",
    )
    parser.add_argument(
        "--words",
        choices=("script", "whitespace"),
        default="script",
        help="within what tokens are merged: runs of letters of the schemas' scripts, or all that "
        "stands between white space, so that no text is left to the base (default script)",
    )
    flag(
        "--end-of-word",
        help="a space belongs to the word before it, as a unit of its own that marks the word's "
        "end (OSPE, with --words whitespace), and not to the word after it",
    )
    flag(
        "--collapse-spaces",
        help="the model makes one space of all white space and puts one behind every word, as "
        "OSPE is published; so it loses text (with --words whitespace --end-of-word)",
    )
    parser.add_argument(
        "--protect",
        type=protected,
        default=(),
        metavar="FILE",
        help="a file of texts, one a line: each is always one token, without being allowed, and no "
        "merge holds a part of it",
    )
    parser.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help="the pretokenizer of --base none: o200k_base, cl100k_base, r50k_base, script, which "
        "cuts where the script of characters changes, none, or a regular "
        "expression (default o200k_base); with one that reads far ahead, such as a*b, time grows "
        "with the square of a run of a's, and Ctrl-C waits until its end",
    )


class Encoding(argparse.Action):
    """Sets the atoms that an encoding stands for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Set them."""
        namespace.atoms = {"bytes": "byte"}.get(values, values)


def run(options: argparse.Namespace) -> int:
    """Train, write the artifact, say how large it is."""
    from wwho.backends.reference import info_of
    from wwho.train.pipeline import train_model

    check(options)
    shared.check_output(options)
    options.name = shared.encoding_name(options)
    reports: list[Report] = []
    with shared.usage():
        tell = partial(print, file=sys.stderr)
        model = train_model(**arguments(options), on_counted=reports.append, on_round=tell)
    size = shared.write_artifact(options, model)
    if options.report and not options.json:
        streams.write_lines(reports[0].lines())
    if options.extend:
        write_table(options.output, model, options.extend)
    superwords = sum(each.n_superwords for each in info_of(model).models)
    facts = {"superwords": superwords, "corpus": reports[0].as_dict()}
    shared.report_model(options, model, size, **facts)
    return 0


def write_table(output: str, model: Artifact, extended: str) -> None:
    """Say beside the output which old ids the text of each new id had.

    Raises:
        OSError: the file cannot be written.
    """
    from wwho.format.files import write_atomic
    from wwho.format.write import write_artifact
    from wwho.tokenizer import Tokenizer
    from wwho.train.extend import old_ids

    table = old_ids(Tokenizer.from_bytes(write_artifact(model)), Tokenizer.from_file(extended))
    text = json.dumps(table, separators=(",", ":"))
    write_atomic(Path(output).with_suffix(".embeddings.json"), f"{text}\n".encode())


def check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together, and make what is said of sources a table each.

    Raises:
        UsageError: some do not.
    """
    options.weight = shared.table("--weight", options.weight)
    options.parity = shared.table("--parity", options.parity or ())
    if options.extend and (options.base or options.pattern or options.atoms == "byte"):
        raise shared.UsageError("--extend goes without --base, --pattern and --atoms byte")


def arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of a `Plan`; the options have the names that `wwho.train.train` gives them.

    Raises:
        WwhoError: schemas, base or corpus are at fault.
        ValueError: a number is out of range.
        UsageError: a file that is read is the output.
        OSError: a file cannot be read.
    """
    from wwho.compile.schema_loader import HAND_MADE
    from wwho.train import resolved, train

    shipped = HAND_MADE if options.atoms == "syllable" else ()
    schemas = shared.load_schemas(options.schema or shipped, allow_invalid=options.allow_invalid)
    if getattr(options, "extend", None):
        from wwho.train.extend import extendable

        options.base = extendable(options.extend)
        options.specials = options.specials or []
        options.normalize = options.normalize or ("nfc" if options.base.normalizer else None)
    names = signature(train).parameters.keys()
    given = {name: value for name, value in vars(options).items() if name in names}
    return resolved(corpus_of(options), schemas=schemas, progress=sys.stderr.isatty(), **given)


def corpus_of(options: argparse.Namespace) -> Corpus:
    """The corpus that the options name, none of whose files is the output.

    Raises:
        CorpusError: a folder or pattern stands for no file.
        ValueError: a number is out of range.
        UsageError: a file is the output.
    """
    from wwho.corpus import Corpus

    nothing = [] if options.counts else [streams.STANDARD_INPUT]
    corpus = Corpus(
        options.files or nothing,
        counts=options.counts,
        field=options.field,
        column=options.column,
        sample=options.sample,
        errors=options.errors,
        weights=getattr(options, "weight", {}),
    )
    shared.check_output(options, *corpus.files, *options.counts)
    return corpus


def protected(file: str) -> list[str]:
    """The texts in a file of protected tokens.

    Raises:
        ArgumentTypeError: it cannot be read, or has blank lines alone.
    """
    from wwho.train.protect import protected_in

    try:
        texts = protected_in(Path(file).read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{file}: {error}") from error
    if not texts:
        raise argparse.ArgumentTypeError(
            f"{file} has 0 texts, expected 1 or more: write one a line, or leave the option out"
        )
    return texts


def superwords(text: str) -> int | Literal["auto"]:
    """A number of superwords, or the word for as many as are worth it.

    Raises:
        ValueError: it is neither; argparse turns this into exit code 2.
    """
    return "auto" if text == "auto" else int(text)


def paired(text: str) -> tuple[str, str]:
    """A source and what is said of it: a weight or a file, which is checked later.

    Raises:
        argparse.ArgumentTypeError: there is no ``=`` between them.
    """
    source, sign, value = text.rpartition("=")
    if not sign:
        what = f"found {text!r}, expected a source and a value, as in a=b"
        raise argparse.ArgumentTypeError(what)
    return source, value
