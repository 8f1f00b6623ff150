"""`wwho train`: the command that trains a vocabulary on a corpus and writes it to a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.train.options import TrainOptions

if TYPE_CHECKING:
    from wwho.corpus import Corpus
    from wwho.format.model import Artifact
    from wwho.train.parity import Round
    from wwho.train.piece_files import PieceFile
    from wwho.train.report import Report

NAME = "train"
HELP = "train a vocabulary of syllables over a base, or one of other atoms"
EXAMPLE = """\
  $ wwho train --schema sinhala --schema devanagari --base o200k_base \\
      --vocab-size 128000 --prune 20 -o MODEL.wwho corpus.txt.xz more.jsonl.gz
  $ wwho train --schema sinhala -o MODEL.wwho --processes 4 \\
      --weight news/=2.5 news/ 'web/*.parquet' s3://bucket/books/
  $ wwho train --schema sinhala --extend tokenizer.json -o MODEL.wwho corpus.txt
  $ wwho train --extend tokenizer.model --vocab-size 16000 -o MODEL.wwho corpus.txt
  $ wwho train --schema sinhala -o MODEL.wwho --counts a.counts b.counts"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments; the defaults of options are those of `TrainOptions`.

    Their names in the namespace are those of the options, except ``schema`` and ``weight``.
    ``--evenly`` and ``--encoding`` store into ``balanced`` and ``atoms``.
    """
    add_word_arguments(parser)
    add_limit_arguments(parser)
    number = partial(parser.add_argument, type=shared.parse_positive, metavar="N")
    specials = parser.add_mutually_exclusive_group()
    specials.add_argument(
        "--special",
        dest="specials",
        action="append",
        metavar="TEXT",
        help="a special token; may be given several times "
        "(default: [PAD] [UNK] [BOS] [EOS] [MASK], with --atoms byte or script none of these, and "
        "<|endoftext|>, unless the base has it)",
    )
    specials.add_argument(
        "--no-special",
        dest="specials",
        action="store_const",
        const=[],
        help="add no special tokens",
    )
    parser.add_argument(
        "--protect-pattern",
        metavar="REGEX",
        help="protect every text of the corpus that this regular expression (of Python's re) finds",
    )
    number(
        "--protect-min",
        default=TrainOptions.protect_min,
        help="how often it must find a text (default %(default)s)",
    )
    parser.add_argument(
        "--weight",
        action="append",
        default=[],
        type=parse_pair,
        metavar="SOURCE=N",
        help="words of this FILE count N times, such as 3 or 0.5; may be given several times",
    )
    parser.add_argument(
        "--parity",
        action="append",
        type=parse_pair,
        metavar="SOURCE=TEXT",
        help="change the weight of this FILE, round by round, until the texts in the files TEXT, "
        "which say the same in the languages of their sources, take about as many tokens as each "
        "other; give it for two sources or more, and counts, so that no round reads the corpus",
    )
    number(
        "--rounds",
        default=TrainOptions.rounds,
        help="how often --parity trains and measures at most (default %(default)s)",
    )
    parser.add_argument(
        "--extend",
        metavar="TOKENIZER",
        help="in place of --base, a language model's tokenizer: its folder, tokenizer.json, "
        "tokenizer.model or another file that wwho import reads; its ids stay, no special tokens "
        "are added unless named, and beside the output NAME.embeddings.json says for each new id "
        "which old ids its text had. Over a byte-level BPE, syllables are learnt as over a base. "
        "SentencePiece BPE (Llama 2, Mistral 7B) and Unigram (T5, XLM-R) get up to --vocab-size "
        "further characters and pieces of letters, of the scripts of --schema, or without it of "
        "all; they take --prune and --min-freq, and export again as what they were. WordPiece, "
        "and BPE with </w> or @@, cannot be extended",
    )
    shared.add_output(parser)
    parser.add_argument(
        "--report", action="store_true", help="also print what was counted, by source and script"
    )
    shared.add_json(
        parser, '{"file", "bytes", "n_vocab", "atoms", "merges", "superwords", "corpus"}'
    )


def add_limit_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that say how much is learnt: ids, atoms, merges and superwords.

    ``--evenly`` stores ``evenly`` as the value of ``--balanced``.
    """
    number = partial(parser.add_argument, type=shared.parse_positive, metavar="N")
    flag = partial(parser.add_argument, action="store_true")
    number(
        "--vocab-size",
        default=TrainOptions.vocab_size,
        help="ids for special tokens, atoms and merges; the lone space takes one more "
        "(default %(default)s)",
    )
    number(
        "--total-size",
        help="all ids, with those of the base and the lone space, in place of --vocab-size; if the "
        "corpus gives fewer, the last ones are reserved tokens",
    )
    number(
        "--pad-to-multiple",
        help="reserve tokens, so that the number of all ids is a multiple of this",
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
    number(
        "--min-freq",
        default=TrainOptions.min_freq,
        help="a pair seen less often is not merged (default %(default)s)",
    )
    parser.add_argument(
        "--superwords",
        type=parse_superwords,
        default=TrainOptions.superwords,
        metavar="N|auto",
        help="so many of the merges join words of a schema's script across one space; auto: as "
        "many as save more tokens than the merges that they displace; the corpus is read a second "
        "time, for auto a third time (default %(default)s)",
    )
    flag(
        "--balanced",
        help="choose how many ids the base, the atoms, and the merges and superwords of each "
        "script get, by the tokens they save in sources, or lines, left out of training: name "
        "each source as one of FILES; unless --base names one, a base is trained, too, and "
        "--vocab-size counts all ids; with --method unigram, a script gets as many tokens as "
        "merges would be worth, and there are no superwords",
    )
    parser.add_argument(
        "--evenly",
        action="store_const",
        dest="balanced",
        const="evenly",
        help="as --balanced, and all FILES count alike, however long they are",
    )
    number(
        "--max-words",
        default=TrainOptions.max_words,
        help="how many words a superword may touch (default %(default)s)",
    )
    number(
        "--max-token-units",
        help="how many syllables, or other atoms, a token may have (default: no limit but its 1024 "
        "bytes)",
    )
    parser.add_argument(
        "--merge-constraint",
        choices=("none", "character"),
        default=TrainOptions.merge_constraint,
        help="character: bytes, or a block and an index, merge to whole characters before these "
        "merge with others (default %(default)s)",
    )


def add_word_arguments(parser: argparse.ArgumentParser) -> None:
    """Add to a parser, in place, the arguments that decide which words are counted, and how often.

    They say how text is read (fields, broken UTF-8, sample, NFC), how it is cut (schemas, base,
    atoms), how many processes count, and where counts are kept. `wwho count-words` has these
    arguments, too.
    """
    number = partial(parser.add_argument, type=shared.parse_positive, metavar="N")
    shared.add_schemas(
        parser,
        required=False,
        without="whose text is trained on (default: sinhala, devanagari and kannada; with other "
        "atoms, none: all text is trained on)",
    )
    shared.add_base(parser)
    parser.set_defaults(base=TrainOptions.base)
    add_atom_arguments(parser)
    shared.add_normalize(
        parser,
        "bring the corpus into Unicode's NFC before it is counted; the model remembers that, and "
        "every text that it encodes is brought into NFC first",
    )
    shared.add_fields(parser)
    shared.add_sample(parser, "count")
    number(
        "--processes",
        default=TrainOptions.processes,
        help="cores that count (default %(default)s)",
    )
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


def add_atom_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that say what tokens are merged from, and within which words.

    ``--encoding`` is another spelling of ``--atoms``. The file of ``--protect`` is read while the
    arguments are parsed.
    """
    flag = partial(parser.add_argument, action="store_true")
    parser.add_argument(
        "--atoms",
        choices=("syllable", "grapheme", "codepoint", "byte", "script"),
        default=TrainOptions.atoms,
        help="what tokens are merged from: syllables, by the schemas; grapheme clusters (UAX #29) "
        "or code points, with or without schemas; bytes, which make a base vocabulary: plain BPE, "
        "without schemas and with --base none; script, a block and an index for each character, in "
        "the same way (default %(default)s)",
    )
    parser.add_argument(
        "--encoding",
        dest="atoms",
        choices=("bytes", "script"),
        action=StoreEncoding,
        help="what characters are written as before anything is merged; the same as --atoms byte, "
        "and --atoms script",
    )
    parser.add_argument(
        "--method",
        choices=("bpe", "unigram", "wordpiece"),
        default=TrainOptions.method,
        help="how tokens are chosen: bpe merges the most frequent pair, again and again; unigram "
        "keeps the parts of words that make the corpus the most probable, and cuts a text so that "
        "its tokens are, as SentencePiece does; wordpiece learns what tokenizers does for BERT, "
        "with --atoms codepoint and without --schema and --base (default %(default)s)",
    )
    parser.add_argument(
        "--words",
        choices=("script", "whitespace"),
        default=TrainOptions.words,
        help="within what tokens are merged: runs of letters of the schemas' scripts, or all that "
        "stands between white space, so that no text is left to the base (default %(default)s)",
    )
    flag(
        "--end-of-word",
        help="a space belongs to the word before it, as a unit of its own that marks the word's "
        "end (OSPE, with --words whitespace), and not to the word after it",
    )
    flag(
        "--collapse-spaces",
        help="the model makes one space of all white space and puts one after every word, as "
        "OSPE is published; so it loses text (with --words whitespace --end-of-word)",
    )
    parser.add_argument(
        "--protect",
        type=read_protected_texts,
        default=TrainOptions.protect,
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


class StoreEncoding(argparse.Action):
    """The action of ``--encoding``: it stores as ``atoms`` what the encoding stands for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store ``byte`` for ``bytes``, and any other value as it is."""
        namespace.atoms = {"bytes": "byte"}.get(values, values)


def run(options: argparse.Namespace) -> int:
    """Train, write the artifact, and print how large it is; return the exit code 0.

    It prints one line, with ``--report`` after a table of what was counted, or with ``--json`` an
    object that holds both. Rounds of ``--parity`` are printed to standard error as they end. With
    ``--extend`` it writes a second file, `write_old_ids`.

    Raises:
        UsageError: arguments do not go together, or a number is out of range.
        WwhoError: as `wwho.train.train` does.
        OSError: a file cannot be read or written.
    """
    from wwho.backends.reference import info_of
    from wwho.format.model import Artifact
    from wwho.train.extend import load_extendable
    from wwho.train.learn_pieces import extend_pieces
    from wwho.train.pipeline import train_model

    check(options)
    shared.check_output(options)
    reports: list[Report] = []

    def print_round(measured: Round) -> None:
        """Print the line of a round to standard error."""
        print(measured, file=sys.stderr)

    with shared.report_usage_errors():
        weights = shared.unique_pairs("--weight", options.weight)
        corpus = corpus_of(options, weights)
        shared.check_output(options, *corpus.files, *options.counts)
        to_learn = replace(train_options(options), on_counted=reports.append, on_round=print_round)
        extended = None
        if options.extend is not None:
            extended = load_extendable(options.extend, to_learn.name)
        if extended is None or isinstance(extended, Artifact):
            model = train_model(corpus, over_base(to_learn, extended))
        else:
            model = extend_pieces(corpus, extended, to_learn)
    size = shared.write_artifact(options, model)
    if options.report and not options.json:
        streams.write_lines(reports[0].lines())
    if extended is not None:
        write_old_ids(options.output, model, extended)
    superwords = sum(each.n_superwords for each in info_of(model).models)
    facts = {"superwords": superwords, "corpus": reports[0].as_dict()}
    shared.report_model(options, model, size, **facts)
    return 0


def write_old_ids(output: str, model: Artifact, extended: Artifact | PieceFile) -> None:
    """Write beside the output, as ``.embeddings.json``, which old ids each new id's text had.

    The file is an object of JSON on one line: lists of old ids, by new id.

    Args:
        output: the name of the artifact that was written; its ending is replaced.
        model: the artifact.
        extended: the tokenizer that it extends.

    Raises:
        OSError: the file cannot be written.
    """
    from wwho.format.files import write_atomic
    from wwho.format.model import Artifact
    from wwho.format.write import write_artifact
    from wwho.tokenizer import Tokenizer
    from wwho.train.extend import old_ids_of_new
    from wwho.train.learn_pieces import old_ids_of_pieces

    if isinstance(extended, Artifact):
        table = old_ids_of_new(
            *(Tokenizer.from_bytes(write_artifact(each)) for each in (model, extended))
        )
    else:
        table = old_ids_of_pieces(extended, model)
    text = json.dumps(table, separators=(",", ":"))
    write_atomic(Path(output).with_suffix(".embeddings.json"), f"{text}\n".encode())


def check(options: argparse.Namespace) -> None:
    """Raise an error if ``--extend`` comes with options that say what the base is.

    Raises:
        UsageError: it does.
    """
    if options.extend is not None and (options.base or options.pattern or options.atoms == "byte"):
        raise shared.UsageError("--extend goes without --base, --pattern and --atoms byte")


def word_options(options: argparse.Namespace) -> TrainOptions:
    """Return the `TrainOptions` of the arguments that `wwho count-words` and `wwho train` share.

    Schemas are loaded here, for ``--allow-invalid``; progress is shown on a terminal.

    Raises:
        SchemasError: a schema breaks the definition, or there is none of that name.
        OSError: a schema cannot be read.
    """
    schemas = None
    if options.schema:
        schemas = shared.load_schemas(options.schema, allow_invalid=options.allow_invalid)
    return TrainOptions(
        schemas=schemas,
        base=options.base,
        atoms=options.atoms,
        method=options.method,
        pattern=options.pattern,
        words=options.words,
        end_of_word=options.end_of_word,
        collapse_spaces=options.collapse_spaces,
        normalize=options.normalize,
        protect=options.protect,
        processes=options.processes,
        progress=sys.stderr.isatty(),
    )


def train_options(options: argparse.Namespace) -> TrainOptions:
    """Return the `TrainOptions` of all arguments of `wwho train`.

    Raises:
        SchemasError: a schema breaks the definition, or there is none of that name.
        OSError: a file cannot be read.
        UsageError: ``--parity`` says two things of one source.
    """
    return replace(
        word_options(options),
        specials=options.specials,
        vocab_size=options.vocab_size,
        total_size=options.total_size,
        pad_to_multiple=options.pad_to_multiple,
        prune=options.prune,
        every_character=options.every_character,
        min_freq=options.min_freq,
        superwords=options.superwords,
        balanced=options.balanced,
        max_words=options.max_words,
        max_token_units=options.max_token_units,
        merge_constraint=options.merge_constraint,
        protect_pattern=options.protect_pattern,
        protect_min=options.protect_min,
        parity=shared.unique_pairs("--parity", options.parity) if options.parity else None,
        rounds=options.rounds,
        name=shared.encoding_name(options),
    )


def over_base(options: TrainOptions, base: Artifact | None) -> TrainOptions:
    """Return the options to train over the base of a tokenizer that ``--extend`` names.

    Special tokens are added only if named, and text is brought into NFC if that tokenizer does so.

    Args:
        options: the options.
        base: the base; None without ``--extend``: the options stay.
    """
    if base is None:
        return options
    normalize = options.normalize or ("nfc" if base.normalizer else None)
    return replace(options, base=base, normalize=normalize, specials=options.specials or [])


def corpus_of(options: argparse.Namespace, weights: Mapping[str, str] | None = None) -> Corpus:
    """Return the corpus that the arguments name: files and counts, or standard input without any.

    Args:
        options: the arguments.
        weights: the weights of sources by name, as text; other sources have the weight 1.

    Raises:
        CorpusError: a folder or pattern stands for no file.
        ValueError: a number is out of range.
    """
    from wwho.corpus import Corpus

    nothing = [] if options.counts else [streams.STANDARD_INPUT]
    return Corpus(
        options.files or nothing,
        counts=options.counts,
        field=options.field,
        column=options.column,
        sample=options.sample,
        errors=options.errors,
        weights=weights,
    )


def read_protected_texts(file: str) -> list[str]:
    """Return the texts in a file of protected tokens, one a line; a byte order mark is dropped.

    Raises:
        ArgumentTypeError: it cannot be read, is no UTF-8, or has blank lines alone.
    """
    from wwho.train.protect import parse_protected_texts

    try:
        texts = parse_protected_texts(Path(file).read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"{file}: {error}") from error
    if not texts:
        raise argparse.ArgumentTypeError(
            f"{file} has 0 texts, expected 1 or more: write one a line, or leave the option out"
        )
    return texts


def parse_superwords(text: str) -> int | Literal["auto"]:
    """Return the value of ``--superwords``: a number, which is checked later, or ``auto``.

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    try:
        return "auto" if text == "auto" else int(text)
    except ValueError:
        what = f"found {text[:100]!r}, expected a whole number or auto"
        raise argparse.ArgumentTypeError(what) from None


def parse_pair(text: str) -> tuple[str, str]:
    """Cut ``SOURCE=VALUE`` at its last ``=`` and return both, which are checked later.

    Either may be empty.

    Raises:
        argparse.ArgumentTypeError: there is no ``=``.
    """
    source, sign, value = text.rpartition("=")
    if not sign:
        what = f"found {text!r}, expected a source and a value, as in a=b"
        raise argparse.ArgumentTypeError(what)
    return source, value
