"""An evaluation from end to end: a model, baselines and texts in, figures out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wwho.build.assemble import counting_model
from wwho.core.base import Backend
from wwho.core.select import open_backend
from wwho.corpus import Corpus
from wwho.errors import CorpusError, WwhoError
from wwho.evaluate.encoder import Encoder
from wwho.evaluate.encoder_wwho import WwhoEncoder, trained_on
from wwho.evaluate.examples import DEFAULTS, examples
from wwho.evaluate.figures import subject, text_result
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.identity import AsciiLines, identities
from wwho.evaluate.measure import Meter, TextTally, TokenTally, measure
from wwho.evaluate.premium import parallel
from wwho.evaluate.results import FORMAT, Evaluation, TextResult
from wwho.evaluate.text import Block, DataSet, blocks
from wwho.evaluate.vocabulary import vocabulary
from wwho.format.write import write_model
from wwho.progress import Advance, Progress
from wwho.schema.model import Schema
from wwho.version import __version__

OVERALL = "overall"
WIDTH = 4096


def evaluate(
    model: WwhoEncoder,
    baselines: Sequence[Encoder],
    data: Sequence[DataSet],
    *,
    parallel_texts: Sequence[DataSet] = (),
    example_texts: Sequence[str] = DEFAULTS,
    schemas: Sequence[Schema] = (),
    width: int = WIDTH,
    progress: bool = False,
) -> Evaluation:
    """Measure a model beside others.

    Every line is a text of its own; its line feed counts for nothing. A block of lines is in memory
    at a time, and for each text and tokenizer one number for each id. Nothing depends on the time,
    the machine, or the number of cores: the same input gives the same evaluation.

    Args:
        model: the model.
        baselines: what to set it beside.
        data: the texts, at least one.
        parallel_texts: texts that say the same, line by line; the first is the reference.
        example_texts: short texts to show token by token.
        schemas: whose scripts and syllables to count; none: the model's own.
        width: numbers in an embedding, at least 1.
        progress: whether to show progress on standard error.

    Returns:
        What was found.

    Warns:
        UserWarning: for each text that is not all UTF-8, and for each that a tokenizer was trained
            on.

    Raises:
        CorpusError: a file cannot be read, is damaged or empty, or parallel texts do not match.
        SchemaError: the schemas do not go together.
        WwhoError: two tokenizers or two texts have one name.

    Example:
        >>> import tempfile, pathlib
        >>> from wwho.evaluate.baselines import open_baseline, open_model
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.txt")
        ...     _ = file.write_text("ගමේ පාසල\\nschool\\n", "utf-8")
        ...     model, base = open_model("wwho_328k"), open_baseline("o200k_base")
        ...     found = evaluate(model, [base], [DataSet("a", str(file))])
        >>> {name: figures.efficiency.tokens for name, figures in found.overall.figures.items()}
        {'wwho_328k': 3, 'o200k_base': 6}
    """
    encoders = [model, *baselines]
    data, parallel_texts = (
        [replace(text, normalize=model.normalize) for text in texts]
        for texts in (data, parallel_texts)
    )
    _check_names("tokenizers", [encoder.name for encoder in encoders])
    _check_names("texts", [OVERALL, *(text.name for text in data)])
    _check_names("parallel texts", [text.name for text in parallel_texts])
    grammar = Grammar(_syllable_backend(schemas) if schemas else model.backend)
    files = [text.file for text in (*parallel_texts, *data)]
    with Progress(progress).stage("measure", Corpus(files).size(), unit="B") as advance:
        premiums = parallel(parallel_texts, encoders, advance)
        ascii_lines = AsciiLines()
        texts, overall = _measure(data, grammar, encoders, ascii_lines, advance)
    return Evaluation(
        format=FORMAT,
        generator=f"wwho {__version__}",
        model=model.name,
        sha256=model.sha256,
        grammar=", ".join(schema.name for schema in schemas) or model.name,
        unk=model.unk,
        width=width,
        subjects=tuple(subject(encoder, width) for encoder in encoders),
        texts=texts,
        overall=text_result(OVERALL, *overall, encoders, grammar),
        vocabulary=tuple(
            part
            for encoder, tally in zip(encoders, overall[1], strict=True)
            for part in vocabulary(encoder, tally.counts)
        ),
        identities=identities(encoders, ascii_lines.lines),
        parallel=premiums,
        examples=examples(example_texts, encoders),
    )


Measured = tuple[TextTally, list[TokenTally]]
"""What a text holds, and what each tokenizer made of it."""


def _check_names(what: str, names: Sequence[str]) -> None:
    """Refuse what the report could not tell apart.

    Raises:
        WwhoError: two have one name.
    """
    for name in names:
        if names.count(name) > 1:
            raise WwhoError(
                f"two {what} are called {name!r}; put another name and an equals sign before one"
            )


def _syllable_backend(schemas: Sequence[Schema]) -> Backend:
    """A model without a vocabulary, which knows the syllables of these schemas."""
    return open_backend(write_model(counting_model(schemas)))


def _measure(
    data: Sequence[DataSet],
    grammar: Grammar,
    encoders: Sequence[Encoder],
    ascii_lines: AsciiLines,
    advance: Advance,
) -> tuple[tuple[TextResult, ...], Measured]:
    """The figures of each text, and the counts of all of them together."""
    meters = [Meter(encoder, grammar) for encoder in encoders]
    results = []
    overall: Measured = (TextTally.empty(len(grammar.names)), [meter.tally() for meter in meters])
    for text in data:
        corpus = text.corpus()
        measured = measure(_watched(blocks(corpus, advance), ascii_lines), grammar, meters)
        _check(text, measured[0])
        result = text_result(
            text.name,
            *measured,
            encoders,
            grammar,
            file=text.file,
            sha256="".join(corpus.digests),
            trained_on=trained_on(text, corpus.digests, encoders),
        )
        results.append(result)
        for total, part in zip([overall[0], *overall[1]], [measured[0], *measured[1]], strict=True):
            total += part
    return tuple(results), overall


def _watched(found: Iterator[Block], ascii_lines: AsciiLines) -> Iterator[Block]:
    """The blocks, whose ASCII lines are kept."""
    for block in found:
        ascii_lines.take(block)
        yield block


def _check(text: DataSet, tally: TextTally) -> None:
    """Say what is wrong with a text.

    Raises:
        CorpusError: it is empty.
    """
    if not tally.bytes:
        raise CorpusError(f"{text.file}: there is no text in it to measure")
    if tally.broken_bytes:
        warnings.warn(
            f"{text.file}: bytes that are not valid UTF-8: {tally.broken_bytes:,}; each was read "
            "as U+FFFD, by all tokenizers",
            stacklevel=4,
        )
