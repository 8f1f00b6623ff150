"""What a report says, section by section: words, tables and charts, in no particular form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wwho.evaluate.bars import Bars
from wwho.evaluate.examples import Example
from wwho.evaluate.identity import Identity
from wwho.evaluate.metrics import ratio
from wwho.evaluate.results import Efficiency, Evaluation, Figures, TextResult
from wwho.evaluate.table import Column, Number, Row, Table, decimals, percent, times, whole


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        anchor: its name in links.
        title: its heading.
        paragraphs: what it says.
        chart: its chart.
        table: its table.
        examples: its examples.
    """

    anchor: str
    title: str
    paragraphs: tuple[str, ...]
    chart: Bars | None = None
    table: Table | None = None
    examples: tuple[Example, ...] = ()


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
    facts.append((decimals(3)(own.efficiency.tokens_per_word), "tokens per word"))
    if overall.syllables:
        spelled = f", {own.spelled_syllables:,} spelled out" if own.spelled_syllables else ""
        broken = f"of {overall.syllables:,} syllables broken{spelled}"
        facts.append((whole(own.broken_syllables), broken))
    facts.append((whole(own.damaged_lines), f"of {overall.lines:,} lines damaged"))
    return facts


# Rows and charts


def _texts(found: Evaluation) -> tuple[TextResult, ...]:
    """The texts, and all of them together where there are several."""
    return (*found.texts, found.overall) if len(found.texts) > 1 else found.texts


def _rows(
    found: Evaluation, values: Callable[[TextResult, Figures], tuple[Number, ...]]
) -> tuple[Row, ...]:
    """A row for each text and tokenizer."""
    return tuple(
        Row(text.name, name, name == found.model, values(text, figures))
        for text in _texts(found)
        for name, figures in text.figures.items()
    )


def _series(
    found: Evaluation, value: Callable[[TextResult, Figures], Number], *, with_model: bool = True
) -> dict[str, tuple[Number, ...]]:
    """For each tokenizer, a value for each text."""
    return {
        subject.name: tuple(value(text, text.figures[subject.name]) for text in _texts(found))
        for subject in found.subjects
        if with_model or subject.name != found.model
    }


def _text_names(found: Evaluation) -> tuple[str, ...]:
    return tuple(text.name for text in _texts(found))


# The sections


def _efficiency(found: Evaluation) -> Section:
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
            _text_names(found),
            _series(found, lambda text, figures: figures.efficiency.tokens_per_word),
            decimals(2),
        ),
        Table(
            ("text", "tokenizer"),
            (*_EFFICIENCY, Column("bytes per token", decimals(2))),
            _rows(
                found,
                lambda text, figures: (
                    *_efficiency_values(figures.efficiency),
                    figures.bytes_per_token,
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


def _scripts(found: Evaluation) -> Section | None:
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


def _context(found: Evaluation) -> Section | None:
    if len(found.subjects) < 2:
        return None
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
            _text_names(found),
            _series(found, lambda text, figures: figures.efficiency.context, with_model=False),
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
                for text in _texts(found)
                for name, figures in text.figures.items()
                if name != found.model
            ),
        ),
    )


def _integrity(found: Evaluation) -> Section:
    if found.overall.syllables:
        what = f"Syllables are those of {found.grammar}, without the space before them."
        chart = Bars(
            "broken-syllables",
            "Share of syllables with a token's end inside, by text and tokenizer",
            "syllables broken, %",
            tuple(text.name for text in _texts(found) if text.syllables),
            {
                subject.name: tuple(
                    ratio(100 * text.figures[subject.name].broken_syllables, text.syllables)
                    for text in _texts(found)
                    if text.syllables
                )
                for subject in found.subjects
            },
            decimals(1),
        )
    else:
        what, chart = f"{found.grammar} knows no syllables.", None
    return Section(
        "breakage",
        "Whole syllables",
        (
            f"A syllable or a grapheme cluster is broken where a token ends inside it. {what} "
            "Where a model's vocabulary lacks a syllable and its base spells it, that is counted "
            "apart, as spelled out. Clusters are the extended grapheme clusters of UAX #29, among "
            "them letters with stray joiners and signs, which no grammar takes for a syllable.",
        ),
        chart,
        Table(
            ("text", "tokenizer"),
            (
                Column("token ends inside a syllable", whole),
                Column("syllables broken", whole),
                Column("of all", percent),
                Column("syllables spelled out", whole),
                Column("token ends inside a cluster", whole),
                Column("clusters broken", whole),
                Column("of all", percent),
            ),
            _rows(
                found,
                lambda text, figures: (
                    figures.syllable_cuts,
                    figures.broken_syllables,
                    ratio(figures.broken_syllables, text.syllables),
                    figures.spelled_syllables,
                    figures.cluster_cuts,
                    figures.broken_clusters,
                    ratio(figures.broken_clusters, text.clusters),
                ),
            ),
        ),
    )


def _round_trip(found: Evaluation) -> Section:
    return Section(
        "round-trip",
        "Nothing lost",
        (
            "Every line was decoded again and compared with what it was, byte for byte. [UNK] "
            "stands for the token of what a vocabulary cannot write; a line damaged without one "
            "is a fault of the tokenizer. Spelled out are the tokens of the base within scripts: "
            "parts of syllables outside the vocabulary.",
            *_identity_texts(found),
        ),
        table=Table(
            ("text", "tokenizer"),
            (
                Column("lines", whole),
                Column("damaged", whole),
                Column("of all", percent),
                Column("damaged without [UNK]", whole),
                Column("[UNK] tokens", whole),
                Column("of all", percent),
                Column("tokens spelled out", whole),
                Column("of all", percent),
            ),
            _rows(
                found,
                lambda text, figures: (
                    text.lines,
                    figures.damaged_lines,
                    ratio(figures.damaged_lines, text.lines),
                    figures.damaged_lines - figures.damaged_by_unk,
                    *_of_all(figures.unk_tokens, figures.efficiency.tokens),
                    *_of_all(figures.spelled_tokens, figures.efficiency.tokens),
                ),
            ),
        ),
    )


def _of_all(number: int | None, total: int) -> tuple[Number, Number]:
    """A number, and its share of all."""
    return number, None if number is None else ratio(number, total)


def _identity_texts(found: Evaluation) -> list[str]:
    """What the test on ASCII said, of each model."""
    if not found.identities:
        return [f"{found.model} names no base at hand, so ASCII was not compared with one."]
    return [_identity_text(test) for test in found.identities]


def _identity_text(test: Identity) -> str:
    made_up = test.sentences - test.from_data
    verdict = f"{test.different:,} differ" if test.different else "all are identical, id for id"
    return (
        f"Pure ASCII: {test.sentences:,} sentences ({test.from_data:,} lines of the texts and "
        f"{made_up:,} made up) by {test.encoder} and by its base {test.base}: {verdict}."
    )


def _information(found: Evaluation) -> Section:
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
            _rows(
                found,
                lambda text, figures: (
                    figures.compression_ratio,
                    figures.efficiency_score,
                    figures.renyi_efficiency,
                ),
            ),
        ),
    )


def _vocabulary(found: Evaluation) -> Section:
    parts = [part for part in found.vocabulary if part.encoder == found.model]
    own = [part for part in parts if part.part != "base"]
    glitches = ", ".join(
        f"{_code_points(each.text)} ({each.occurrences:,})"
        for part in own
        for each in part.glitches
    )
    which = f"{found.model} without its base" if len(parts) > len(own) else found.model
    bins = max(len(part.histogram) for part in own)
    return Section(
        "vocabulary",
        "Vocabulary",
        (
            "Used are the ids that the texts have; the others, special tokens and gaps among them, "
            "never occur here. Superwords are tokens that join words. Glitch tokens are nothing "
            "but joiners and viramas, which no syllable is. Each id costs "
            f"{found.width:,} parameters of embeddings; a language model whose output matrix is "
            "not tied to them pays as many again.",
            f"Glitch tokens of {which}, with their occurrences: {glitches or 'none'}.",
        ),
        Bars(
            "vocabulary-use",
            f"How many ids of {which} occur how often in the texts",
            "ids",
            tuple(map(_bin, range(bins))),
            {part.part: part.histogram + (0,) * (bins - len(part.histogram)) for part in own},
            whole,
            is_lying=True,
            group_axis="occurrences in the texts",
        ),
        Table(
            ("tokenizer", "part"),
            (
                Column("ids", whole),
                Column("used", whole),
                Column("of all", percent),
                Column("never", whole),
                Column("tokens of the texts", whole),
                Column("glitch tokens", whole),
                Column("their tokens", whole),
                Column("embedding parameters", whole),
            ),
            tuple(
                Row(
                    part.encoder,
                    part.part,
                    part.encoder == found.model,
                    (
                        part.size,
                        part.used,
                        ratio(part.used, part.size),
                        part.unused,
                        part.occurrences,
                        len(part.glitches),
                        sum(glitch.occurrences for glitch in part.glitches),
                        part.size * found.width,
                    ),
                )
                for part in found.vocabulary
            ),
        ),
    )


def _bin(number: int) -> str:
    """What a bin of the histogram holds.

    Example:
        >>> [_bin(number) for number in range(4)]
        ['0', '1', '2–3', '4–7']
    """
    low, high = 2**number // 2, 2**number - 1
    return f"{high:,}" if number < 2 else f"{low:,}–{high:,}"


def _code_points(text: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in text)


def _premium(found: Evaluation) -> Section | None:
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


def _examples(found: Evaluation) -> Section | None:
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


def _data(found: Evaluation) -> Section:
    spelled = "spelled by the base" if found.unk == "spell" else "lost, as one [UNK] each"
    return Section(
        "data",
        "What was measured",
        (
            f"{found.model} (SHA-256 {found.sha256}); syllables outside its vocabulary are "
            f"{spelled}. Bytes that are not UTF-8 were read as U+FFFD by all tokenizers.",
            *(f"{text.name}: {text.file}, SHA-256 {text.sha256}." for text in found.texts),
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
                for text in _texts(found)
            ),
        ),
    )


_SECTIONS: tuple[Callable[[Evaluation], Section | None], ...] = (
    _efficiency,
    _scripts,
    _context,
    _integrity,
    _round_trip,
    _information,
    _vocabulary,
    _premium,
    _examples,
    _data,
)
