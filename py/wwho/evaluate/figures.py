"""From counts to figures."""

from __future__ import annotations

from collections.abc import Sequence

from wwho.evaluate.encoder import Encoder
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.measure import TextTally, TokenTally
from wwho.evaluate.metrics import compression_ratio, id_bytes, ratio, renyi_efficiency, saving
from wwho.evaluate.results import Efficiency, Figures, ScriptResult, Subject, TextResult

_MOST_SPACELESS = 10
"""Words are counted where at most one character in so many is of a script without spaces."""


def subject(encoder: Encoder, width: int) -> Subject:
    """The facts of a tokenizer."""
    return Subject(
        name=encoder.name,
        kind=encoder.kind,
        n_vocab=encoder.n_vocab,
        id_bytes=id_bytes(encoder.n_vocab),
        embedding_parameters=encoder.n_vocab * width,
    )


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
    return TextResult(
        name=name,
        file=file,
        sha256=sha256,
        lines=text.lines,
        bytes=text.bytes,
        characters=text.characters,
        words=text.words,
        broken_bytes=text.broken_bytes,
        syllables=text.syllables,
        clusters=text.clusters,
        trained_on=trained_on,
        figures={
            encoder.name: _figures(
                text, tally, encoder, grammar, None if tally is tallies[0] else tallies[0].tokens
            )
            for encoder, tally in zip(encoders, tallies, strict=True)
        },
        scripts=tuple(
            _script(route, script, text, tallies, encoders)
            for route, script in enumerate(grammar.names)
            if text.segments[route]
        ),
    )


def _figures(
    text: TextTally, tally: TokenTally, encoder: Encoder, grammar: Grammar, model: int | None
) -> Figures:
    """All figures of one tokenizer on a text; `model` is as in `_efficiency`."""
    spells = encoder.n_base > 0
    words = _words(text.words, int(text.route_spaceless.sum()), text.characters)
    fragments = ratio(tally.fragments, int(tally.route_tokens[grammar.is_script].sum()))
    return Figures(
        efficiency=_efficiency(tally.tokens, model, words, text.characters),
        bytes_per_token=ratio(text.bytes, tally.tokens),
        compression_ratio=compression_ratio(text.bytes, tally.tokens, len(tally.counts)),
        efficiency_score=None if fragments is None else 100 * (1 - fragments),
        renyi_efficiency=renyi_efficiency(tally.counts),
        damaged_lines=tally.damaged,
        damaged_by_unk=tally.damaged_by_unknown,
        unk_tokens=tally.unknown if encoder.unk_id is not None else None,
        broken_syllables=tally.broken_syllables,
        syllable_cuts=tally.syllable_cuts,
        spelled_syllables=tally.spelled_syllables if spells else None,
        spelled_tokens=tally.spelled if spells else None,
        broken_clusters=tally.broken_clusters,
        cluster_cuts=tally.cluster_cuts,
    )


def _script(
    route: int,
    name: str,
    text: TextTally,
    tallies: Sequence[TokenTally],
    encoders: Sequence[Encoder],
) -> ScriptResult:
    """The figures of one route's segments."""
    words, characters = int(text.route_words[route]), int(text.route_characters[route])
    divided = _words(words, int(text.route_spaceless[route]), characters)
    tokens = [int(tally.route_tokens[route]) for tally in tallies]
    return ScriptResult(
        name=name,
        segments=int(text.segments[route]),
        bytes=int(text.route_bytes[route]),
        characters=characters,
        words=words,
        figures={
            encoder.name: _efficiency(number, tokens[0] if k else None, divided, characters)
            for k, (encoder, number) in enumerate(zip(encoders, tokens, strict=True))
        },
    )


def _words(words: int, spaceless: int, characters: int) -> int:
    """What spaces separate; 0 where too much of a text is in scripts that have none."""
    return words if spaceless * _MOST_SPACELESS <= characters else 0


def _efficiency(tokens: int, model: int | None, words: int, characters: int) -> Efficiency:
    """How well a tokenizer does.

    Args:
        tokens: its tokens.
        model: the model's tokens of the same; None where it is the model.
        words: words of the text; 0 where spaces do not tell.
        characters: code points of the text.
    """
    return Efficiency(
        tokens=tokens,
        tokens_per_word=ratio(tokens, words),
        characters_per_token=ratio(characters, tokens),
        saved=None if model is None else saving(model, tokens),
        context=None if model is None else ratio(tokens, model),
    )
