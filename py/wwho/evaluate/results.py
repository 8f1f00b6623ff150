"""What an evaluation found, as plain immutable data; `report.json` is exactly this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wwho.evaluate.examples import Example
from wwho.evaluate.identity import Identity
from wwho.evaluate.metrics import ratio
from wwho.evaluate.premium import Parallel
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
class Efficiency:
    """How well one tokenizer does on one text (tables 6 and 8 of the paper).

    Attributes:
        tokens: tokens.
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
    """All figures of one tokenizer on one text.

    Attributes:
        efficiency: tokens per word and the like.
        bytes_per_token: bytes of UTF-8.
        compression_ratio: bytes of the text over bytes of its ids (OSPE).
        efficiency_score: the share of tokens within scripts that are whole, in percent (OSPE;
            see `Grammar.are_whole`; [UNK] is not). None where the text has none.
        renyi_efficiency: of the tokens that occur, alpha 2.5.
        damaged_lines: lines that decoding does not give back.
        damaged_by_unk: those of them that have an [UNK]; the others have no such excuse.
        unk_tokens: tokens for what the vocabulary cannot write; None where it has no such token.
        broken_syllables: syllables with a token's end inside.
        syllable_cuts: token ends inside a syllable.
        spelled_syllables: syllables outside the vocabulary, spelled with several tokens of the
            base; they are not among the broken ones. None for what is no model with SGPE.
        spelled_tokens: tokens of the base in segments of scripts; None likewise.
        broken_clusters: extended grapheme clusters with a token's end inside.
        cluster_cuts: token ends inside a cluster.
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
