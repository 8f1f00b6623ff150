"""The evaluation of a model beside others on texts, from end to end."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from wwho.assemble.training_artifacts import counting_model
from wwho.backends.select import open_backend
from wwho.compile.schema import Schema
from wwho.corpus import Corpus
from wwho.errors import CorpusError, WwhoError
from wwho.evaluate.ascii_identity import compare_ascii, keep_ascii_lines
from wwho.evaluate.check.quality_gate import judge_vocabulary
from wwho.evaluate.encoders import Encoder, warn_if_trained_on
from wwho.evaluate.examples import EXAMPLES, tokenize_examples
from wwho.evaluate.likelihood import TextLikelihood, measure_likelihood
from wwho.evaluate.metrics import id_bytes
from wwho.evaluate.neural_models import NeuralModels, NeuralOptions, measure_neural_models
from wwho.evaluate.premiums import Half, measure_parallel
from wwho.evaluate.results import FORMAT, Evaluation, Subject, TextResult, build_text_result
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.tallies import Tally, TokenCounter, count_text
from wwho.evaluate.text_blocks import DataSet, read_blocks
from wwho.evaluate.text_split import TextSplit, split_text
from wwho.evaluate.vocabulary_use import split_vocabulary
from wwho.format.write import write_artifact
from wwho.progress import Advance, Progress
from wwho.version import __version__

LanguageModels = Literal["quick", "full"]
"""The language models that vocabularies are compared with: n-grams, in seconds; and decoders."""
OVERALL = "overall"
"""The name of all texts together; no text may have it."""
WIDTH = 4096
"""Numbers in an embedding, where the caller names no other."""


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
    language_models: LanguageModels | None = None,
    language_model_text: Corpus | None = None,
    neural: NeuralOptions | None = None,
    progress: bool = False,
) -> Evaluation:
    """Measure a model beside other tokenizers, and return all figures; nothing is written.

    Every line is a text of its own; its line feed counts for nothing. A block of lines is in memory
    at a time, and for each text and tokenizer one number for each id. Nothing depends on the time,
    the machine, or the number of cores: the same input gives the same evaluation. If the model
    wants its text in a normal form, all texts are brought into it, for all tokenizers.

    Args:
        model: the model.
        baselines: the tokenizers that it is compared with.
        data: the texts, at least one.
        parallel_texts: texts that say the same, line by line; the first is the reference.
        half: of the parallel texts, measure only the odd or the even lines, counted from 1.
        example_texts: short texts to show token by token.
        schemas: the schemas whose scripts and syllables are counted, for all tokenizers; none for
            those of the model.
        width: numbers in an embedding, at least 1.
        language_models: "quick" also trains n-gram models over the ids of each tokenizer, and
            measures their bits per byte; "full" also trains decoders, as `neural` says; None trains
            none.
        language_model_text: the text that they are trained on; None for the lines of each text that
            are not held out (`text_split.split_text`).
        neural: how decoders are trained; needed for "full".
        progress: whether to show progress on standard error.

    Returns:
        The figures; the order of tokenizers is the model and then the baselines.

    Warns:
        UserWarning: a text is not all UTF-8, or a tokenizer was trained on it.

    Raises:
        WwhoError: two tokenizers or texts have one name, a file cannot be read, is damaged or
            empty, parallel texts do not match, or the schemas do not go together.
    """
    encoders = [model, *baselines]
    data = [replace(text, normalize=model.normalize) for text in data]
    parallel_texts = [replace(text, normalize=model.normalize) for text in parallel_texts]
    _check_names_differ("tokenizers", [encoder.name for encoder in encoders])
    _check_names_differ("texts", [OVERALL, *(text.name for text in data)])
    _check_names_differ("parallel texts", [text.name for text in parallel_texts])
    # A model without a vocabulary cuts text into the syllables of the schemas.
    cutting = open_backend(write_artifact(counting_model(schemas))) if schemas else model.backend
    grammar, ascii_lines = Grammar(cutting, schemas), list[str]()
    files = [text.file for text in (*parallel_texts, *data)]
    with Progress(progress).bar("measure", Corpus(files).size(), unit="B") as advance:
        parallel = measure_parallel(parallel_texts, encoders, advance, half)
        texts, total, tallies = _measure_texts(data, grammar, encoders, ascii_lines, advance)
    likelihoods = list[TextLikelihood]()
    if language_models:
        rounds = len(data) * len(encoders)
        with Progress(progress).bar("n-gram models", rounds, unit="") as advance:
            for text in data:
                split = split_text(text, language_model_text)
                likelihoods.append(measure_likelihood(split, encoders, advance))
    neural_models = list[NeuralModels]()
    if language_models == "full":
        assert neural
        for splits in _split_texts(data, language_model_text):
            bars = Progress(progress)
            neural_models.append(measure_neural_models(splits, encoders, grammar, neural, bars))
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
        overall=build_text_result(OVERALL, total, tallies, encoders, grammar),
        vocabulary=tuple(
            part
            for encoder, tally in zip(encoders, tallies, strict=True)
            for part in split_vocabulary(encoder, tally["counts"])
        ),
        quality={encoder.name: tuple(judge_vocabulary(encoder.backend)) for encoder in encoders},
        identities=compare_ascii(encoders, ascii_lines),
        likelihoods=tuple(likelihoods),
        neural_models=tuple(neural_models),
        parallel=parallel,
        examples=tokenize_examples(example_texts, encoders),
    )


def _split_texts(data: Sequence[DataSet], training: Corpus | None) -> Iterator[list[TextSplit]]:
    """Yield lists of texts, split, whose decoders are the same.

    These are all texts where there is a training text, and else each text alone.

    Raises:
        CorpusError: a file cannot be read, can be read only once, or has too few lines.
    """
    splits = list[TextSplit]()
    for text in data:
        split = split_text(text, training)
        if training:
            # The training lines are kept once.
            splits.append(replace(split, training=(splits or [split])[0].training))
        else:
            yield [split]
    if splits:
        yield splits


def _check_names_differ(what: str, names: Sequence[str]) -> None:
    """Raise WwhoError if two of the names are the same.

    Args:
        what: the kind of thing that is named, in the plural, for the message.
        names: the names.
    """
    if repeated := [name for name in names if names.count(name) > 1]:
        raise WwhoError(
            f"two {what} are called {repeated[0]!r}; put another name and an equals sign before one"
        )


def _measure_texts(
    data: Sequence[DataSet],
    grammar: Grammar,
    encoders: Sequence[Encoder],
    ascii_lines: list[str],
    advance: Advance,
) -> tuple[tuple[TextResult, ...], Tally, list[Tally]]:
    """Measure each text with each tokenizer, reading each file once.

    Args:
        data: the texts.
        grammar: cuts the texts into segments and syllables.
        encoders: the tokenizers.
        ascii_lines: the first ASCII lines of the texts are appended to this list.
        advance: called with the number of stored bytes read since the last call.

    Returns:
        The figures of each text; then, for all texts together, what they hold, and what each
        tokenizer made of them.

    Raises:
        CorpusError: a file cannot be read, or has no text in it.

    Warns:
        UserWarning: a text is not all UTF-8, or a tokenizer was trained on it.
    """
    counters = [TokenCounter(encoder, grammar) for encoder in encoders]
    results, totals = [], [Tally() for _ in range(1 + len(encoders))]
    for text in data:
        corpus = text.corpus()
        blocks = keep_ascii_lines(read_blocks(corpus, advance), ascii_lines)
        contents, tallies = count_text(blocks, grammar, counters)
        if not contents.get("bytes"):
            raise CorpusError(f"{text.file}: there is no text in it to measure")
        if broken := contents["broken_bytes"]:
            warnings.warn(
                f"{text.file}: bytes that are not valid UTF-8: {broken:,}; each was read as "
                "U+FFFD, by all tokenizers",
                stacklevel=3,
            )
        results.append(
            build_text_result(
                text.name,
                contents,
                tallies,
                encoders,
                grammar,
                file=text.file,
                sha256="".join(corpus.digests),
                trained_on=warn_if_trained_on(text, corpus.digests, encoders),
            )
        )
        totals = [sum_ + part for sum_, part in zip(totals, [contents, *tallies], strict=True)]
    return tuple(results), totals[0], totals[1:]
