"""What an evaluation found, as plain immutable data; `report.json` is exactly this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from wwho.evaluate.check.quality import Finding
from wwho.evaluate.comparisons import Example, Identity, Parallel
from wwho.evaluate.encoders import Encoder
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.measure import Tally
from wwho.evaluate.metrics import id_bytes, ratio, renyi_efficiency, saving
from wwho.evaluate.vocabulary import VocabularyPart

FORMAT = 1
"""Of `report.json`; it changes when a field changes its meaning or goes away."""


@dataclass(frozen=True)
class Subject:
    """A tokenizer that was measured, as `Encoder` has it.

    Attributes:
        id_bytes: whole bytes that hold any id.
        embedding_parameters: numbers in one matrix of `n_vocab` rows of the width asked for.
    """

    name: str
    kind: str
    n_vocab: int
    id_bytes: int
    embedding_parameters: int


@dataclass(frozen=True)
class Efficiency:
    """How well one tokenizer does on one text (tables 6 and 8 of the paper).

    Attributes:
        tokens_per_word: over what white space separates; within a script, also over its segments.
            None where more than a tenth of the characters are of scripts that put no spaces between
            words.
        characters_per_token: in code points.
        saved: the share of these tokens that the model saves; None for its own.
        context: how much more text the model fits into the same context; None for its own.
    """

    tokens: int
    tokens_per_word: float | None
    characters_per_token: float | None
    saved: float | None
    context: float | None

    @property
    def tokens_per_character(self) -> float | None:
        """Over code points: for texts that have no tokens per word."""
        return None if self.characters_per_token is None else ratio(1, self.characters_per_token)


@dataclass(frozen=True)
class Figures:
    """All figures of one tokenizer on one text. A token that ends inside a syllable breaks it.

    Attributes:
        compression_ratio: bytes of the text over bytes of the encoded file (OSPE, equation 1), here
            with each id in the fewest whole bytes that hold any id.
        efficiency_score: the share of tokens within scripts that are whole, in percent (OSPE;
            see `Grammar.are_whole`; [UNK] is not). None where the text has none.
        renyi_efficiency: of the tokens that occur, alpha 2.5.
        damaged_lines: lines that decoding does not give back.
        damaged_by_unk: those of them that have an [UNK]; the others have no such excuse.
        unk_tokens: tokens for what the vocabulary cannot write; None where it has no such token.
        spelled_syllables: syllables outside the vocabulary, spelled with several tokens, of the
            base or of shorter atoms; they are not among the broken ones. None for what has no
            syllables.
        spelled_tokens: tokens of the base in segments of scripts; None likewise.
        broken_clusters: extended grapheme clusters with a token's end inside.
    """

    efficiency: Efficiency
    bytes_per_token: float | None
    compression_ratio: float | None
    efficiency_score: float | None
    renyi_efficiency: float | None
    damaged_lines: int
    damaged_by_unk: int
    unk_tokens: int | None
    broken_syllables: int
    syllable_cuts: int
    spelled_syllables: int | None
    spelled_tokens: int | None
    broken_clusters: int
    cluster_cuts: int


@dataclass(frozen=True)
class ScriptResult:
    """One script's segments in a text.

    Attributes:
        name: the route's name, such as "sinhala" or "other".
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
        file: its file; "" for all texts.
        sha256: of the file's contents, decompressed; "" for all texts.
        bytes: in UTF-8, without line feeds; characters are code points.
        words: what white space separates.
        broken_bytes: bytes that were not UTF-8; all tokenizers read U+FFFD.
        clusters: extended grapheme clusters.
        trained_on: the tokenizers that say they were trained on it, or on a part of it.
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
        model: the name of the tokenizer that the others are compared with.
        sha256: of its artifact.
        grammar: whose syllables were counted: the model's name, or schemas.
        unk: whether syllables outside the vocabulary were spelled ("spell") or lost ("token").
        width: numbers in an embedding.
        subjects: the tokenizers, the model first.
        overall: all texts together.
        vocabulary: the parts of each vocabulary.
        quality: what the quality gate says of each tokenizer's vocabulary.
        identities: on ASCII with its base, for each model that has one.
        parallel: token premiums; None where no parallel texts were given.
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
    quality: Mapping[str, tuple[Finding, ...]]
    identities: tuple[Identity, ...]
    parallel: Parallel | None
    examples: tuple[Example, ...]

    @property
    def all_texts(self) -> tuple[TextResult, ...]:
        """The texts, and all of them together where there are several."""
        return (*self.texts, self.overall) if len(self.texts) > 1 else self.texts


def text_result(
    name: str,
    text: Tally,
    tallies: Sequence[Tally],
    encoders: Sequence[Encoder],
    grammar: Grammar,
    file: str = "",
    sha256: str = "",
    trained_on: tuple[str, ...] = (),
) -> TextResult:
    """The figures of a text, given what it holds and what each tokenizer made of it."""
    routes, scripts = text["routes"], []
    for route, (segments, n_bytes, characters, words, spaceless) in enumerate(routes.T.tolist()):
        tokens = [int(tally["route_tokens"][route]) for tally in tallies]
        found = _efficiencies(encoders, tokens, characters, words, spaceless)
        script = (grammar.names[route], segments, n_bytes, characters, words, found)
        scripts += [ScriptResult(*script)] if segments else []
    tokens = [int(tally["counts"].sum()) for tally in tallies]
    size = (text["characters"], text["words"], int(routes[-1].sum()))
    found = _efficiencies(encoders, tokens, *size)
    return TextResult(
        name=name,
        file=file,
        sha256=sha256,
        trained_on=trained_on,
        figures={
            encoder.name: _figures(text, tally, encoder, grammar, found[encoder.name])
            for encoder, tally in zip(encoders, tallies, strict=True)
        },
        scripts=tuple(scripts),
        **_counts(TextResult, text),
    )


def _counts(kind: type[TextResult | Figures], tally: Tally) -> dict[str, Any]:
    """What a tally counts under the names of a result."""
    return {each.name: tally[each.name] for each in fields(kind) if each.name in tally}


def _efficiencies(
    encoders: Sequence[Encoder], tokens: Sequence[int], characters: int, words: int, spaceless: int
) -> dict[str, Efficiency]:
    """How well each tokenizer does, given the tokens of each and what they are of."""
    model = tokens[0]
    return {
        encoder.name: Efficiency(
            tokens=number,
            tokens_per_word=None if spaceless * 10 > characters else ratio(number, words),
            characters_per_token=ratio(characters, number),
            saved=saving(model, number) if encoder is not encoders[0] else None,
            context=ratio(number, model) if encoder is not encoders[0] else None,
        )
        for encoder, number in zip(encoders, tokens, strict=True)
    }


def _figures(
    text: Tally, tally: Tally, encoder: Encoder, grammar: Grammar, efficiency: Efficiency
) -> Figures:
    """All figures of a tokenizer on a text."""
    counts, tokens = _counts(Figures, tally), efficiency.tokens
    if encoder.unk_id is None:
        counts |= {"unk_tokens": None}
    if not encoder.is_base.any():
        counts |= {"spelled_syllables": None, "spelled_tokens": None}
    fragments = ratio(tally["fragments"], int(tally["route_tokens"][grammar.is_script].sum()))
    return Figures(
        efficiency=efficiency,
        bytes_per_token=ratio(text["bytes"], tokens),
        compression_ratio=ratio(text["bytes"], tokens * id_bytes(encoder.n_vocab)),
        efficiency_score=None if fragments is None else 100 * (1 - fragments),
        renyi_efficiency=renyi_efficiency(tally["counts"]),
        **counts,
    )
