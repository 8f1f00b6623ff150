"""What a report says of efficiency: tokens, context, compression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wwho.evaluate.results import Efficiency, Evaluation
from wwho.evaluate.section import (
    Bars,
    Column,
    Number,
    Row,
    Section,
    Table,
    decimals,
    names,
    percent,
    rows,
    series,
    texts_of,
    times,
    whole,
)


def tokens(found: Evaluation) -> Section:
    """How many tokens the texts take."""
    texts = texts_of(found)
    columns = _columns(figures.efficiency for text in texts for figures in text.figures.values())
    spaceless = (
        "A text with more than a tenth of its characters in scripts that put no spaces between "
        "words, such as Thai and Chinese, has no tokens per word, but tokens per character."
    )
    return Section(
        "tokens",
        "Tokens",
        (
            "Words are what white space separates, characters are code points, and every line is "
            "encoded on its own, without its line feed. “Saved” is the share of a tokenizer's "
            f"tokens that {found.model} does without (table 6 of the WWHO paper).",
            *([spaceless] if _PER_CHARACTER in columns else []),
        ),
        _tokens_per_unit(found, "character" if _PER_CHARACTER in columns else "word"),
        Table(
            ("text", "tokenizer"),
            (*columns, Column("bytes per token", decimals(2))),
            rows(
                found,
                lambda _, figures: (
                    *_values(figures.efficiency, columns),
                    figures.bytes_per_token,
                ),
            ),
        ),
    )


def _tokens_per_unit(found: Evaluation, unit: str) -> Bars:
    """The chart of tokens per word, or per character."""
    texts = texts_of(found)
    return Bars(
        f"tokens-per-{unit}",
        f"Tokens per {unit} of each text, by tokenizer",
        f"tokens per {unit} (less is better)",
        names(texts),
        series(
            found.subjects,
            texts,
            lambda _, figures: getattr(figures.efficiency, f"tokens_per_{unit}"),
        ),
        decimals(2),
    )


def scripts(found: Evaluation) -> Section | None:
    """How many tokens each script takes; None where there is but one."""
    if len(found.overall.scripts) < 2:
        return None
    columns = _columns(
        efficiency for script in found.overall.scripts for efficiency in script.figures.values()
    )
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
            (Column("characters", whole), Column("words", whole), *columns),
            tuple(
                Row(
                    script.name,
                    name,
                    name == found.model,
                    (script.characters, script.words, *_values(efficiency, columns)),
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


_PER_WORD = Column("tokens per word", decimals(3))
_PER_CHARACTER = Column("tokens per character", decimals(3))
_EFFICIENCY: dict[Column, Callable[[Efficiency], Number]] = {
    Column("tokens", whole): lambda found: found.tokens,
    _PER_WORD: lambda found: found.tokens_per_word,
    _PER_CHARACTER: lambda found: found.tokens_per_character,
    Column("characters per token", decimals(2)): lambda found: found.characters_per_token,
    Column("saved", percent): lambda found: found.saved,
}


def _columns(found: Iterable[Efficiency]) -> tuple[Column, ...]:
    """The columns of a table of these: per word where one has words, per character where not."""
    have_words = {each.tokens_per_word is not None for each in found if each.tokens}
    needed = {_PER_WORD: have_words != {False}, _PER_CHARACTER: False in have_words}
    return tuple(column for column in _EFFICIENCY if needed.get(column, True))


def _values(found: Efficiency, columns: Sequence[Column]) -> tuple[Number, ...]:
    return tuple(_EFFICIENCY[column](found) for column in columns)
