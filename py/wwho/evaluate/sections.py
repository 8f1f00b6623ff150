"""What a report says, section by section: words, tables and charts, in no particular form."""

from __future__ import annotations

from collections.abc import Callable

from wwho.evaluate.results import Efficiency, Evaluation, TextResult
from wwho.evaluate.section import (
    Bars,
    Column,
    Row,
    Section,
    Table,
    decimals,
    percent,
    texts_of,
    times,
    whole,
)
from wwho.evaluate.sections_efficiency import context, information, scripts, tokens
from wwho.evaluate.sections_integrity import breakage, round_trip
from wwho.evaluate.sections_vocabulary import vocabulary


def sections(found: Evaluation) -> list[Section]:
    """The sections of a report; those that have nothing to say are left out."""
    return [section for make in _SECTIONS if (section := make(found)) is not None]


def headline(found: Evaluation) -> list[tuple[str, str]]:
    """The figures to remember, each with what it is."""
    overall = found.overall
    own = overall.figures[found.model]
    facts = [
        (percent(abs(saved)), f"{'fewer' if saved >= 0 else 'more'} tokens than {name}")
        for name, figures in overall.figures.items()
        if (saved := figures.efficiency.saved) is not None
    ][:2]
    facts.append(per_unit(own.efficiency))
    if overall.syllables:
        spelled = f", {own.spelled_syllables:,} spelled out" if own.spelled_syllables else ""
        broken = f"of {overall.syllables:,} syllables broken{spelled}"
        facts.append((whole(own.broken_syllables), broken))
    facts.append((whole(own.damaged_lines), f"of {overall.lines:,} lines damaged"))
    return facts


def per_unit(found: Efficiency) -> tuple[str, str]:
    """Tokens per word; per character where spaces do not divide words."""
    if found.tokens_per_word is None and found.tokens_per_character is not None:
        return decimals(3)(found.tokens_per_character), "tokens per character"
    return decimals(3)(found.tokens_per_word), "tokens per word"


def premium(found: Evaluation) -> Section | None:
    """What the same text takes in each language; None without parallel texts."""
    if found.parallel is None:
        return None
    names = [subject.name for subject in found.subjects]
    reference = found.parallel.reference
    others = tuple(each for each in found.parallel.languages if each.name != reference)
    return Section(
        "premium",
        "Token premium",
        (
            f"The same {found.parallel.lines:,} lines in each language: their tokens over those of "
            f"{reference}, by the same tokenizer (Petrov et al., Language Model Tokenizers "
            "Introduce Unfairness Between Languages, NeurIPS 2023). 1 is parity.",
        ),
        Bars(
            "premium",
            f"Tokens of each language over those of {reference}, by tokenizer",
            f"tokens over {reference}",
            tuple(each.name for each in others),
            {name: tuple(each.premium[name] for each in others) for name in names},
            decimals(2),
            is_lying=True,
        ),
        Table(
            ("language", ""),
            tuple(
                column
                for name in names
                for column in (Column(f"tokens, {name}", whole), Column("premium", times))
            ),
            tuple(
                Row(
                    each.name,
                    "",
                    False,
                    tuple(
                        value for name in names for value in (each.tokens[name], each.premium[name])
                    ),
                )
                for each in found.parallel.languages
            ),
        ),
    )


def examples(found: Evaluation) -> Section | None:
    """Short texts, token by token; None without any."""
    if not found.examples:
        return None
    return Section(
        "examples",
        "Examples",
        (
            "Token by token (table 7 of the WWHO paper). A token that holds part of a character is "
            "shown as its bytes.",
        ),
        examples=found.examples,
    )


def data(found: Evaluation) -> Section:
    """The model and the texts, so that the same can be measured again."""
    spelled = "spelled by the base" if found.unk == "spell" else "lost, as one [UNK] each"
    return Section(
        "data",
        "What was measured",
        (
            f"{found.model} (SHA-256 {found.sha256}); syllables outside its vocabulary are "
            f"{spelled}. Bytes that are not UTF-8 were read as U+FFFD by all tokenizers.",
            *map(_source, found.texts),
        ),
        table=Table(
            ("text", ""),
            (
                Column("lines", whole),
                Column("bytes", whole),
                Column("characters", whole),
                Column("words", whole),
                Column("syllables", whole),
                Column("grapheme clusters", whole),
                Column("bytes not UTF-8", whole),
            ),
            tuple(
                Row(
                    text.name,
                    "",
                    False,
                    (
                        text.lines,
                        text.bytes,
                        text.characters,
                        text.words,
                        text.syllables,
                        text.clusters,
                        text.broken_bytes,
                    ),
                )
                for text in texts_of(found)
            ),
        ),
    )


def _source(text: TextResult) -> str:
    """Where a text comes from, and who knew it before."""
    known = (
        f" It is in the training corpus of {', '.join(text.trained_on)}: figures on it say little "
        "of other text."
        if text.trained_on
        else ""
    )
    return f"{text.name}: {text.file}, SHA-256 {text.sha256}.{known}"


_SECTIONS: tuple[Callable[[Evaluation], Section | None], ...] = (
    tokens,
    scripts,
    context,
    breakage,
    round_trip,
    information,
    vocabulary,
    premium,
    examples,
    data,
)
