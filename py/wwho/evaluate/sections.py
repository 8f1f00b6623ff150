"""What a report says, section by section: words, tables and charts, in no particular form."""

from __future__ import annotations

from collections.abc import Callable

from wwho.evaluate.results import Efficiency, Evaluation
from wwho.evaluate.section import Section
from wwho.evaluate.sections_data import data, examples
from wwho.evaluate.sections_efficiency import context, information, scripts, tokens
from wwho.evaluate.sections_integrity import breakage, round_trip
from wwho.evaluate.sections_premium import premium
from wwho.evaluate.sections_vocabulary import vocabulary
from wwho.evaluate.table import decimals, percent, whole


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
