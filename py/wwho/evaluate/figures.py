"""From counts to figures."""

from __future__ import annotations

from collections.abc import Mapping

from wwho.evaluate.encoder import Encoder
from wwho.evaluate.grammar import Grammar
from wwho.evaluate.metrics import compression_ratio, id_bytes, ratio, renyi_efficiency, saving
from wwho.evaluate.results import Efficiency, Figures, ScriptResult, Subject, TextResult
from wwho.evaluate.tally import TextTally, TokenTally

Tallies = Mapping[str, TokenTally]
"""For each tokenizer, the model first, what it made of a text."""


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
    tallies: Tallies,
    grammar: Grammar,
    *,
    spellers: frozenset[str],
    file: str = "",
    sha256: str = "",
) -> TextResult:
    """The figures of a text.

    Args:
        name: what the report calls it.
        text: what it holds.
        tallies: what the tokenizers made of it.
        grammar: whose routes and syllables were counted.
        spellers: the tokenizers that spell with a base what their own vocabulary lacks.
        file: its file.
        sha256: of its contents.
    """
    model = _model(tallies)
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
        figures={
            key: _figures(
                text,
                tally,
                grammar,
                model=None if tally is model else model.tokens,
                spells=key in spellers,
            )
            for key, tally in tallies.items()
        },
        scripts=tuple(
            _script(route, script, text, tallies)
            for route, script in enumerate(grammar.names)
            if text.segments[route]
        ),
    )


def _model(tallies: Tallies) -> TokenTally:
    return next(iter(tallies.values()))


def _figures(
    text: TextTally, tally: TokenTally, grammar: Grammar, *, model: int | None, spells: bool
) -> Figures:
    """All figures of one tokenizer on a text."""
    fragments = ratio(tally.fragments, int(tally.route_tokens[grammar.is_script].sum()))
    return Figures(
        efficiency=_efficiency(tally.tokens, model, text.words, text.characters),
        bytes_per_token=ratio(text.bytes, tally.tokens),
        compression_ratio=compression_ratio(text.bytes, tally.tokens, len(tally.counts)),
        efficiency_score=None if fragments is None else 100 * (1 - fragments),
        renyi_efficiency=renyi_efficiency(tally.counts),
        damaged_lines=tally.damaged,
        broken_syllables=tally.broken_syllables,
        syllable_cuts=tally.syllable_cuts,
        spelled_syllables=tally.spelled_syllables if spells else None,
        spelled_tokens=tally.spelled if spells else None,
        broken_clusters=tally.broken_clusters,
        cluster_cuts=tally.cluster_cuts,
    )


def _script(route: int, name: str, text: TextTally, tallies: Tallies) -> ScriptResult:
    """The figures of one route's segments."""
    words, characters = int(text.route_words[route]), int(text.route_characters[route])
    model = _model(tallies)
    return ScriptResult(
        name=name,
        segments=int(text.segments[route]),
        bytes=int(text.route_bytes[route]),
        characters=characters,
        words=words,
        figures={
            key: _efficiency(
                int(tally.route_tokens[route]),
                None if tally is model else int(model.route_tokens[route]),
                words,
                characters,
            )
            for key, tally in tallies.items()
        },
    )


def _efficiency(tokens: int, model: int | None, words: int, characters: int) -> Efficiency:
    """How well a tokenizer does.

    Args:
        tokens: its tokens.
        model: the model's tokens of the same; None where it is the model.
        words: words of the text.
        characters: code points of the text.
    """
    return Efficiency(
        tokens=tokens,
        tokens_per_word=ratio(tokens, words),
        characters_per_token=ratio(characters, tokens),
        saved=None if model is None else saving(model, tokens),
        context=None if model is None else ratio(tokens, model),
    )
