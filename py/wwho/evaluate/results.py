"""What an evaluation found, as plain immutable data; `report.json` is exactly this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wwho.evaluate.comparisons import Example, Identity, Parallel
from wwho.evaluate.encoders import Encoder
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.measure import TextTally, TokenTally
from wwho.evaluate.metrics import Counted, Efficiency, Figures, computed, id_bytes
from wwho.evaluate.vocabulary import VocabularyPart

FORMAT = 1
"""Of `report.json`; it changes when a field changes its meaning or goes away."""


@dataclass(frozen=True)
class Subject:
    """A tokenizer that was measured.

    Attributes:
        name: what the report calls it.
        kind: what ran it: "wwho", "tiktoken" or "tokenizers".
        n_vocab: ids are 0..n_vocab-1.
        id_bytes: whole bytes that hold any id.
        embedding_parameters: numbers in one matrix of `n_vocab` rows of the width asked for.
    """

    name: str
    kind: str
    n_vocab: int
    id_bytes: int
    embedding_parameters: int


@dataclass(frozen=True)
class ScriptResult:
    """One script's segments in a text.

    Attributes:
        name: the route's name, such as "sinhala" or "other".
        segments: how many there are.
        bytes: in UTF-8.
        characters: code points.
        words: runs without white space; a segment's end ends them too.
        figures: for each tokenizer.
    """

    name: str
    segments: int
    bytes: int
    characters: int
    words: int
    figures: Mapping[str, Efficiency]


@dataclass(frozen=True)
class TextResult:
    """One text, or all of them.

    Attributes:
        name: what the report calls it.
        file: its file; "" for all texts.
        sha256: of the file's contents, decompressed; "" for all texts.
        lines: lines.
        bytes: bytes in UTF-8, without line feeds.
        characters: code points.
        words: what white space separates.
        broken_bytes: bytes that were not UTF-8; all tokenizers read U+FFFD.
        syllables: syllables.
        clusters: extended grapheme clusters.
        trained_on: the tokenizers that say they were trained on it, or on a part of it.
        figures: for each tokenizer.
        scripts: the segments of each route that the text has.
    """

    name: str
    file: str
    sha256: str
    lines: int
    bytes: int
    characters: int
    words: int
    broken_bytes: int
    syllables: int
    clusters: int
    trained_on: tuple[str, ...]
    figures: Mapping[str, Figures]
    scripts: tuple[ScriptResult, ...]


@dataclass(frozen=True)
class Evaluation:
    """A whole evaluation.

    Attributes:
        format: of this structure.
        generator: what made it.
        model: the name of the tokenizer that the others are compared with.
        sha256: of its artifact.
        grammar: whose syllables were counted: the model's name, or schemas.
        unk: whether syllables outside the vocabulary were spelled ("spell") or lost ("token").
        width: numbers in an embedding.
        subjects: the tokenizers, the model first.
        texts: the texts.
        overall: all texts together.
        vocabulary: the parts of each vocabulary.
        identities: on ASCII with its base, for each model that has one.
        parallel: token premiums; None where no parallel texts were given.
        examples: short texts, token by token.
    """

    format: int
    generator: str
    model: str
    sha256: str
    grammar: str
    unk: str
    width: int
    subjects: tuple[Subject, ...]
    texts: tuple[TextResult, ...]
    overall: TextResult
    vocabulary: tuple[VocabularyPart, ...]
    identities: tuple[Identity, ...]
    parallel: Parallel | None
    examples: tuple[Example, ...]


def subject(encoder: Encoder, width: int) -> Subject:
    """The facts of a tokenizer."""
    n_vocab = encoder.n_vocab
    return Subject(encoder.name, encoder.kind, n_vocab, id_bytes(n_vocab), n_vocab * width)


def text_result(
    name: str,
    text: TextTally,
    tallies: Sequence[TokenTally],
    encoders: Sequence[Encoder],
    grammar: Grammar,
    *,
    file: str = "",
    sha256: str = "",
    trained_on: tuple[str, ...] = (),
) -> TextResult:
    """The figures of a text.

    Args:
        name: what the report calls it.
        text: what it holds.
        tallies: what each tokenizer made of it.
        encoders: the tokenizers, the model first.
        grammar: whose routes and syllables were counted.
        file: its file.
        sha256: of its contents.
        trained_on: the tokenizers that were trained on it.
    """
    counts = dict(vars(text))
    routes = counts.pop("routes")
    text_words = (text.words, int(routes[-1].sum()), text.characters)
    figures: dict[str, Figures] = {}
    scripts = []
    for encoder, tally in zip(encoders, tallies, strict=True):
        in_scripts = int(tally.route_tokens[grammar.is_script].sum())
        model = tallies[0].tokens if figures else None
        counted = Counted(tally.tokens, model, *text_words, text, tally, in_scripts, encoder)
        efficiency = computed(Efficiency, counted)
        figures[encoder.name] = computed(Figures, counted, efficiency=efficiency)
    for route, (segments, size, characters, words, spaceless) in enumerate(routes.T.tolist()):
        tokens = [int(tally.route_tokens[route]) for tally in tallies]
        efficiencies = {
            encoder.name: computed(
                Efficiency,
                Counted(number, tokens[0] if place else None, words, spaceless, characters),
            )
            for place, (encoder, number) in enumerate(zip(encoders, tokens, strict=True))
        }
        if segments:
            script = grammar.names[route]
            scripts.append(ScriptResult(script, segments, size, characters, words, efficiencies))
    return TextResult(
        name=name,
        file=file,
        sha256=sha256,
        trained_on=trained_on,
        figures=figures,
        scripts=tuple(scripts),
        **counts,
    )
