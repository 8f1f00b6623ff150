"""An evaluation from end to end: a model, baselines and texts in, figures out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

from wwho.assemble.training_artifacts import counting_model
from wwho.backends.select import open_backend
from wwho.compile.schema import Schema
from wwho.corpus import Corpus
from wwho.errors import CorpusError, WwhoError
from wwho.evaluate.check.quality import quality
from wwho.evaluate.comparisons import EXAMPLES, Half, examples, identities, keep_ascii, parallel
from wwho.evaluate.encoders import Encoder, trained_on
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.measure import Meter, Tally, measure
from wwho.evaluate.metrics import id_bytes
from wwho.evaluate.results import FORMAT, Evaluation, Subject, TextResult, text_result
from wwho.evaluate.text import DataSet, blocks
from wwho.evaluate.vocabulary import vocabulary
from wwho.format.write import write_artifact
from wwho.progress import Advance, Progress
from wwho.version import __version__

OVERALL = "overall"
WIDTH = 4096


def evaluate(
    model: Encoder,
    baselines: Sequence[Encoder],
    data: Sequence[DataSet],
    *,
    parallel_texts: Sequence[DataSet] = (),
    half: Half | None = None,
    example_texts: Sequence[str] = EXAMPLES,
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
        half: of their lines, measure only the odd or the even ones, counted from 1.
        example_texts: short texts to show token by token.
        schemas: whose scripts and syllables to count; none: the model's own.
        width: numbers in an embedding, at least 1.
        progress: whether to show progress on standard error.

    Warns:
        UserWarning: a text is not all UTF-8, or a tokenizer was trained on it.

    Raises:
        WwhoError: two tokenizers or texts have one name, a file cannot be read, is damaged or
            empty, parallel texts do not match, or the schemas do not go together.
    """
    encoders = [model, *baselines]
    data = [replace(text, normalize=model.normalize) for text in data]
    parallel_texts = [replace(text, normalize=model.normalize) for text in parallel_texts]
    for what, names in (
        ("tokenizers", [encoder.name for encoder in encoders]),
        ("texts", [OVERALL, *(text.name for text in data)]),
        ("parallel texts", [text.name for text in parallel_texts]),
    ):
        if twice := [name for name in names if names.count(name) > 1]:
            raise WwhoError(
                f"two {what} are called {twice[0]!r}; put another name and an equals sign before "
                "one"
            )
    # A model without a vocabulary knows the syllables of schemas.
    syllables = open_backend(write_artifact(counting_model(schemas))) if schemas else model.backend
    grammar, ascii_lines = Grammar(syllables), list[str]()
    files = [text.file for text in (*parallel_texts, *data)]
    with Progress(progress).stage("measure", Corpus(files).size(), unit="B") as advance:
        premiums = parallel(parallel_texts, encoders, advance, half)
        texts, total, tallies = _measure(data, grammar, encoders, ascii_lines, advance)
    return Evaluation(
        format=FORMAT,
        generator=f"wwho {__version__}",
        model=model.name,
        sha256=model.sha256,
        grammar=", ".join(schema.name for schema in schemas) or model.name,
        unk=model.unk,
        width=width,
        subjects=tuple(
            Subject(encoder.name, encoder.kind, size, id_bytes(size), size * width)
            for encoder in encoders
            for size in [encoder.n_vocab]
        ),
        texts=texts,
        overall=text_result(OVERALL, total, tallies, encoders, grammar),
        vocabulary=tuple(
            part
            for encoder, tally in zip(encoders, tallies, strict=True)
            for part in vocabulary(encoder, tally["counts"])
        ),
        quality={encoder.name: tuple(quality(encoder.backend)) for encoder in encoders},
        identities=identities(encoders, ascii_lines),
        parallel=premiums,
        examples=examples(example_texts, encoders),
    )


def _measure(
    data: Sequence[DataSet],
    grammar: Grammar,
    encoders: Sequence[Encoder],
    ascii_lines: list[str],
    advance: Advance,
) -> tuple[tuple[TextResult, ...], Tally, list[Tally]]:
    """The figures of each text, and the counts of all of them together."""
    meters = [Meter(encoder, grammar) for encoder in encoders]
    results, totals = [], [Tally() for _ in range(1 + len(encoders))]
    for text in data:
        corpus = text.corpus()
        tally, tallies = measure(keep_ascii(blocks(corpus, advance), ascii_lines), grammar, meters)
        if not tally.get("bytes"):
            raise CorpusError(f"{text.file}: there is no text in it to measure")
        if broken := tally["broken_bytes"]:
            warnings.warn(
                f"{text.file}: bytes that are not valid UTF-8: {broken:,}; each was read as "
                "U+FFFD, by all tokenizers",
                stacklevel=3,
            )
        known = trained_on(text, corpus.digests, encoders)
        source = (text.file, "".join(corpus.digests), known)
        results.append(text_result(text.name, tally, tallies, encoders, grammar, *source))
        totals = [sum_ + part for sum_, part in zip(totals, [tally, *tallies], strict=True)]
    return tuple(results), totals[0], totals[1:]
