"""What a report says of token premium."""

from __future__ import annotations

from wwho.evaluate.bars import Bars
from wwho.evaluate.results import Evaluation
from wwho.evaluate.section import Section
from wwho.evaluate.table import Column, Row, Table, decimals, times, whole


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
