"""What a report says of efficiency: tokens, context, compression."""

from __future__ import annotations

from wwho.evaluate.bars import Bars
from wwho.evaluate.results import Efficiency, Evaluation
from wwho.evaluate.section import Section, names, rows, series, texts_of
from wwho.evaluate.table import Column, Number, Row, Table, decimals, percent, times, whole


def tokens(found: Evaluation) -> Section:
    """How many tokens the texts take."""
    texts = texts_of(found)
    return Section(
        "tokens",
        "Tokens",
        (
            "Words are what white space separates, characters are code points, and every line is "
            "encoded on its own, without its line feed. “Saved” is the share of a tokenizer's "
            f"tokens that {found.model} does without (table 6 of the WWHO paper).",
        ),
        Bars(
            "tokens-per-word",
            "Tokens per word of each text, by tokenizer",
            "tokens per word (less is better)",
            names(texts),
            series(found.subjects, texts, lambda _, figures: figures.efficiency.tokens_per_word),
            decimals(2),
        ),
        Table(
            ("text", "tokenizer"),
            (*_EFFICIENCY, Column("bytes per token", decimals(2))),
            rows(
                found,
                lambda _, figures: (
                    *_efficiency_values(figures.efficiency),
                    figures.bytes_per_token,
                ),
            ),
        ),
    )


def scripts(found: Evaluation) -> Section | None:
    """How many tokens each script takes; None where there is but one."""
    if len(found.overall.scripts) < 2:
        return None
    return Section(
        "scripts",
        "Scripts",
        (
            "All texts together, by the script that the router finds: a token counts where it "
            "ends, and a word ends at white space or where the script changes. “other” is what the "
            "base tokenizes: Latin letters, digits, punctuation.",
        ),
        table=Table(
            ("script", "tokenizer"),
            (Column("characters", whole), Column("words", whole), *_EFFICIENCY),
            tuple(
                Row(
                    script.name,
                    name,
                    name == found.model,
                    (script.characters, script.words, *_efficiency_values(efficiency)),
                )
                for script in found.overall.scripts
                for name, efficiency in script.figures.items()
            ),
        ),
    )


def context(found: Evaluation) -> Section | None:
    """How much more text fits into a context; None without baselines."""
    if len(found.subjects) < 2:
        return None
    texts = texts_of(found)
    return Section(
        "context",
        "Context",
        (
            f"How much more text fits into the same context window with {found.model}: the other "
            "tokenizer's tokens over its own (equation 3 and table 8 of the WWHO paper).",
        ),
        Bars(
            "context",
            f"Context multiplier of {found.model} over each tokenizer, by text",
            "times the text in the same context",
            names(texts),
            series(found.subjects[1:], texts, lambda _, figures: figures.efficiency.context),
            times,
            without_model=True,
        ),
        Table(
            ("text", "against"),
            (
                Column(f"tokens of {found.model}", whole),
                Column("other tokens", whole),
                Column("context", times),
            ),
            tuple(
                Row(
                    text.name,
                    name,
                    False,
                    (
                        text.figures[found.model].efficiency.tokens,
                        figures.efficiency.tokens,
                        figures.efficiency.context,
                    ),
                )
                for text in texts
                for name, figures in text.figures.items()
                if name != found.model
            ),
        ),
    )


def information(found: Evaluation) -> Section:
    """How dense and how even the tokens are."""
    return Section(
        "information",
        "Compression and information",
        (
            "The compression ratio is that of OSPE (equation 1): bytes of the text over bytes of "
            "the encoded file, here with each id in the fewest whole bytes that hold any id. Its "
            "efficiency score (equation 2) is the share of tokens within scripts that could stand "
            "alone: no part of a character, no sign or joiner without its letter, no [UNK]; "
            "several words are as whole as one. OSPE takes it of text that a language model wrote, "
            "this report of the texts.",
            "Rényi efficiency has alpha 2.5 and is taken of the tokens that occur (Zouhar et al., "
            "Tokenization and the Noiseless Channel, ACL 2023).",
        ),
        table=Table(
            ("text", "tokenizer"),
            (
                Column("compression ratio", decimals(2)),
                Column("efficiency score", decimals(2)),
                Column("Rényi efficiency", decimals(3)),
            ),
            rows(
                found,
                lambda _, figures: (
                    figures.compression_ratio,
                    figures.efficiency_score,
                    figures.renyi_efficiency,
                ),
            ),
        ),
    )


_EFFICIENCY = (
    Column("tokens", whole),
    Column("tokens per word", decimals(3)),
    Column("characters per token", decimals(2)),
    Column("saved", percent),
)


def _efficiency_values(found: Efficiency) -> tuple[Number, ...]:
    return found.tokens, found.tokens_per_word, found.characters_per_token, found.saved
