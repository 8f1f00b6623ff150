"""The figures of an evaluation as immutable data, which `report.json` holds, and their assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from wwho.evaluate.ascii_identity import Identity
from wwho.evaluate.check.quality_gate import Finding
from wwho.evaluate.encoders import Encoder
from wwho.evaluate.examples import Example
from wwho.evaluate.likelihood import TextLikelihood
from wwho.evaluate.metrics import id_bytes, ratio, renyi_efficiency, saving
from wwho.evaluate.neural_models import NeuralModels
from wwho.evaluate.premiums import Parallel
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.tallies import Tally
from wwho.evaluate.vocabulary_use import VocabularyPart

FORMAT = 1
"""The version of `report.json`; it changes when a field changes its meaning or goes away."""


@dataclass(frozen=True)
class Subject:
    """A tokenizer that was measured.

    Attributes:
        name: what the report calls it.
        kind: the library whose ids it gives; "wwho" for a model of our own.
        n_vocab: ids are 0..n_vocab-1, not all of them used.
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
        tokens: how many tokens the text has.
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
        """Tokens over code points, for texts without tokens per word; None without tokens."""
        return None if self.characters_per_token is None else ratio(1, self.characters_per_token)


@dataclass(frozen=True)
class Figures:
    """All figures of one tokenizer on one text. A token that ends inside a syllable breaks it.

    Attributes:
        efficiency: the tokens, and what they are set against.
        bytes_per_token: bytes of the text in UTF-8 over tokens.
        compression_ratio: bytes of the text over bytes of the encoded file (OSPE, equation 1), here
            with each id in the fewest whole bytes that hold any id.
        efficiency_score: the share of tokens within scripts that are whole, in percent (OSPE;
            see `Grammar.are_whole`; [UNK] is not). None where the text has none.
        renyi_efficiency: the evenness of the tokens that occur, alpha 2.5 (see `metrics`).
        damaged_lines: lines that decoding does not give back.
        damaged_by_unk: the damaged lines that have an [UNK]; the others have no such excuse.
        unk_tokens: tokens for what the vocabulary cannot write; None where it has no such token.
        broken_syllables: syllables with a token's end inside.
        syllable_cuts: tokens' ends inside syllables.
        spelled_syllables: syllables outside the vocabulary, spelled with several tokens, of the
            base or of shorter atoms; they are not among the broken ones. None for what has no
            syllables.
        spelled_tokens: tokens of the base in segments of scripts; None for what has no syllables.
        broken_clusters: extended grapheme clusters with a token's end inside.
        cluster_cuts: tokens' ends inside extended grapheme clusters.
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
        segments: how many segments there are.
        bytes: their bytes in UTF-8.
        characters: their code points.
        words: runs without white space; a segment's end ends them too.
        figures: the figures of each tokenizer, by name; a token counts where it ends.
    """

    name: str
    segments: int
    bytes: int
    characters: int
    words: int
    figures: Mapping[str, Efficiency]


@dataclass(frozen=True)
class TextResult:
    """The contents and figures of one text, or of all texts together.

    Attributes:
        name: what the report calls it.
        file: its file; "" for all texts.
        sha256: of the file's contents, decompressed, in hexadecimal; "" for all texts.
        lines: how many lines it has.
        bytes: its bytes in UTF-8, without line feeds.
        characters: its code points, without line feeds.
        words: what white space separates.
        broken_bytes: bytes that were not UTF-8; all tokenizers read U+FFFD.
        syllables: the syllables that the grammar finds.
        clusters: extended grapheme clusters.
        trained_on: the tokenizers that say they were trained on it, or on a part of it.
        figures: the figures of each tokenizer, by name, the model first.
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
    """All that an evaluation found.

    Attributes:
        format: the version of this structure, `FORMAT`.
        generator: the program that wrote it, with its version.
        model: the name of the tokenizer that the others are compared with.
        sha256: of the model's artifact, in hexadecimal.
        grammar: whose syllables were counted: the model's name, or schemas.
        unk: whether syllables outside the vocabulary were spelled ("spell") or lost ("token").
        width: numbers in an embedding.
        subjects: the tokenizers, the model first.
        texts: the texts, in the order that they were given.
        overall: all texts together.
        vocabulary: the parts of each vocabulary.
        quality: what the quality gate says of each tokenizer's vocabulary.
        identities: on ASCII with its base, for each model that has one.
        likelihoods: bits per byte of n-gram models, for each text; empty where they were not asked
            for.
        neural_models: decoders trained with each tokenizer, for each training text; empty where
            they were not asked for.
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
    quality: Mapping[str, tuple[Finding, ...]]
    identities: tuple[Identity, ...]
    likelihoods: tuple[TextLikelihood, ...]
    neural_models: tuple[NeuralModels, ...]
    parallel: Parallel | None
    examples: tuple[Example, ...]

    @property
    def all_texts(self) -> tuple[TextResult, ...]:
        """The texts, followed by `overall` where there are at least two."""
        return (*self.texts, self.overall) if len(self.texts) > 1 else self.texts


def build_text_result(
    name: str,
    contents: Tally,
    tallies: Sequence[Tally],
    encoders: Sequence[Encoder],
    grammar: Grammar,
    *,
    file: str = "",
    sha256: str = "",
    trained_on: tuple[str, ...] = (),
) -> TextResult:
    """Compute the figures of a text from the counts that `tallies.count_text` returns.

    Args:
        name: what the report calls the text.
        contents: what the text holds.
        tallies: what each tokenizer made of the text.
        encoders: the tokenizers, in the order of their tallies; the others are compared with the
            first.
        grammar: what cut the text; scripts are its routes, and those without segments are left out.
        file: the text's file.
        sha256: the digest of the file's contents.
        trained_on: the names of the tokenizers that were trained on it.
    """
    routes, scripts = contents["routes"], []
    for route, (segments, n_bytes, characters, words, spaceless) in enumerate(routes.T.tolist()):
        if segments:
            tokens = [int(tally["route_tokens"][route]) for tally in tallies]
            efficiencies = _compute_efficiencies(encoders, tokens, characters, words, spaceless)
            script_name = grammar.names[route]
            scripts.append(
                ScriptResult(script_name, segments, n_bytes, characters, words, efficiencies)
            )
    tokens = [int(tally["counts"].sum()) for tally in tallies]
    spaceless = int(routes[-1].sum())
    efficiencies = _compute_efficiencies(
        encoders, tokens, contents["characters"], contents["words"], spaceless
    )
    return TextResult(
        name=name,
        file=file,
        sha256=sha256,
        trained_on=trained_on,
        figures={
            encoder.name: _compute_figures(
                contents, tally, encoder, grammar, efficiencies[encoder.name]
            )
            for encoder, tally in zip(encoders, tallies, strict=True)
        },
        scripts=tuple(scripts),
        **_pick_counts(TextResult, contents),
    )


def _pick_counts(kind: type[TextResult | Figures], tally: Tally) -> dict[str, Any]:
    """Return the counts of a tally whose names are fields of a class of results."""
    return {each.name: tally[each.name] for each in fields(kind) if each.name in tally}


def _compute_efficiencies(
    encoders: Sequence[Encoder], tokens: Sequence[int], characters: int, words: int, spaceless: int
) -> dict[str, Efficiency]:
    """Compute the efficiency of each tokenizer, by name; the first one is the model.

    Args:
        encoders: the tokenizers.
        tokens: the number of tokens that each of them makes of the text.
        characters: the code points of the text.
        words: its words.
        spaceless: its code points of scripts that put no spaces between words. If they are more
            than a tenth, there are no tokens per word.
    """
    model_tokens = tokens[0]
    return {
        encoder.name: Efficiency(
            tokens=number,
            tokens_per_word=None if spaceless * 10 > characters else ratio(number, words),
            characters_per_token=ratio(characters, number),
            saved=saving(model_tokens, number) if encoder is not encoders[0] else None,
            context=ratio(number, model_tokens) if encoder is not encoders[0] else None,
        )
        for encoder, number in zip(encoders, tokens, strict=True)
    }


def _compute_figures(
    contents: Tally, tally: Tally, encoder: Encoder, grammar: Grammar, efficiency: Efficiency
) -> Figures:
    """Compute all figures of one tokenizer on a text.

    The count of [UNK] is None if the vocabulary has no such token, and those of spelled syllables
    and tokens are None if the tokenizer has no base to spell with.

    Args:
        contents: what the text holds.
        tally: what the tokenizer made of it.
        encoder: the tokenizer.
        grammar: says which routes are scripts.
        efficiency: the figures that are known already.
    """
    counts, tokens = _pick_counts(Figures, tally), efficiency.tokens
    if encoder.unk_id is None:
        counts |= {"unk_tokens": None}
    if not encoder.is_base.any():
        counts |= {"spelled_syllables": None, "spelled_tokens": None}
    script_tokens = int(tally["route_tokens"][grammar.is_script].sum())
    fragments = ratio(tally["fragments"], script_tokens)
    return Figures(
        efficiency=efficiency,
        bytes_per_token=ratio(contents["bytes"], tokens),
        compression_ratio=ratio(contents["bytes"], tokens * id_bytes(encoder.n_vocab)),
        efficiency_score=None if fragments is None else 100 * (1 - fragments),
        renyi_efficiency=renyi_efficiency(tally["counts"]),
        **counts,
    )
