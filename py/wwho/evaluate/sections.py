"""What a report says, section by section: words, tables and charts, in no particular form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from wwho.evaluate.comparisons import Example, Identity, Parallel
from wwho.evaluate.metrics import (
    EFFICIENCY,
    FIGURES,
    PER_CHARACTER,
    PER_WORD,
    Efficiency,
    Figures,
    Metric,
    Number,
    decimals,
    percent,
    ratio,
    times,
    whole,
)
from wwho.evaluate.results import Evaluation, ScriptResult, TextResult


class Row(NamedTuple):
    """A row of a table, or a bar of a chart.

    Attributes:
        group: what it belongs to, such as a text; rows of a group stand together.
        label: what it is about, such as a tokenizer.
        is_own: whether that is the model and not a baseline.
        of: what the metrics of its columns take.
    """

    group: str
    label: str
    is_own: bool
    of: Any


@dataclass(frozen=True)
class Chart:
    """Bars: a group for each name of a group, in it one for each label.

    Attributes:
        name: a short one, for the anchors in it.
        title: what it shows, for those who cannot see it.
        metric: what the bars are as long as; its title names the axis.
        rows: what it is of.
        is_lying: whether the bars lie, for many groups or long names.
        group_axis: what the groups are, where that needs saying.
    """

    name: str
    title: str
    metric: Metric
    rows: Sequence[Row]
    is_lying: bool = False
    group_axis: str = ""

    def groups(self) -> list[str]:
        """The names of the groups."""
        return list(dict.fromkeys(row.group for row in self.rows))

    def series(self) -> dict[str, list[Number]]:
        """For each label, the number of each group."""
        found: dict[str, list[Number]] = {}
        for row in self.rows:
            found.setdefault(row.label, []).append(self.metric.of(row.of))
        return found


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        anchor: its name in links.
        title: its heading.
        words: what it says.
        heads: heads of the groups and of the labels; an empty one has nothing below it.
        columns: the columns after them.
        rows: what the table is of; none for no table.
        chart: its chart.
        examples: its examples.
    """

    anchor: str
    title: str
    words: Sequence[str]
    heads: tuple[str, str] = ("text", "tokenizer")
    columns: Sequence[Metric] = ()
    rows: Sequence[Row] = ()
    chart: Chart | None = None
    examples: Sequence[Example] = ()

    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows of each group."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, lambda row: row.group)]

    def cells(self, row: Row) -> list[str]:
        """The numbers of a row as they are printed."""
        return [column.show(column.of(row.of)) for column in self.columns]


class Measured(NamedTuple):
    """What most columns take: a text or script, what a tokenizer did on it, what the model did."""

    text: TextResult | ScriptResult
    efficiency: Efficiency
    model: Efficiency
    figures: Figures | None = None


def _share(part: float | None, total: float) -> Number:
    return None if part is None else ratio(part, total)


_SYLLABLES = (
    FIGURES["syllable_cuts"],
    FIGURES["broken_syllables"],
    Metric("of all", percent, lambda of: _share(of.figures.broken_syllables, of.text.syllables)),
    FIGURES["spelled_syllables"],
    FIGURES["cluster_cuts"],
    FIGURES["broken_clusters"],
    Metric("of all", percent, lambda of: _share(of.figures.broken_clusters, of.text.clusters)),
)
_BROKEN = Metric(
    "syllables broken, %",
    decimals(1),
    lambda of: ratio(100 * of.figures.broken_syllables, of.text.syllables),
)
_LOSSES = (
    Metric("lines", whole, lambda of: of.text.lines),
    FIGURES["damaged_lines"],
    Metric("of all", percent, lambda of: _share(of.figures.damaged_lines, of.text.lines)),
    Metric(
        "damaged without [UNK]",
        whole,
        lambda of: of.figures.damaged_lines - of.figures.damaged_by_unk,
    ),
    FIGURES["unk_tokens"],
    Metric("of all", percent, lambda of: _share(of.figures.unk_tokens, of.efficiency.tokens)),
    FIGURES["spelled_tokens"],
    Metric("of all", percent, lambda of: _share(of.figures.spelled_tokens, of.efficiency.tokens)),
)
_PARTS = (
    Metric("ids", whole, lambda of: of.size),
    Metric("used", whole, lambda of: of.used),
    Metric("of all", percent, lambda of: ratio(of.used, of.size)),
    Metric("never", whole, lambda of: of.unused),
    Metric("tokens of the texts", whole, lambda of: of.occurrences),
    Metric("glitch tokens", whole, lambda of: len(of.glitches)),
    Metric("their tokens", whole, lambda of: sum(each.occurrences for each in of.glitches)),
)
_DATA = (
    Metric("lines", whole, lambda of: of.lines),
    Metric("bytes", whole, lambda of: of.bytes),
    Metric("characters", whole, lambda of: of.characters),
    Metric("words", whole, lambda of: of.words),
    Metric("syllables", whole, lambda of: of.syllables),
    Metric("grapheme clusters", whole, lambda of: of.clusters),
    Metric("bytes not UTF-8", whole, lambda of: of.broken_bytes),
)


def headline(found: Evaluation) -> list[tuple[str, str]]:
    """The figures to remember, each with what it is."""
    overall = found.overall
    own = overall.figures[found.model]
    facts = [
        (percent(abs(saved)), f"{'fewer' if saved >= 0 else 'more'} tokens than {name}")
        for name, figures in overall.figures.items()
        if (saved := figures.efficiency.saved) is not None
    ][:2]
    unit = _per_unit([own.efficiency])[-1]
    facts.append((unit.show(unit.of(_measured(found, overall, found.model))), unit.title))
    if overall.syllables:
        spelled = f", {own.spelled_syllables:,} spelled out" if own.spelled_syllables else ""
        broken = f"of {overall.syllables:,} syllables broken{spelled}"
        facts.append((whole(own.broken_syllables), broken))
    facts.append((whole(own.damaged_lines), f"of {overall.lines:,} lines damaged"))
    return facts


def _measured(found: Evaluation, text: TextResult, name: str) -> Measured:
    figures = text.figures[name]
    return Measured(text, figures.efficiency, text.figures[found.model].efficiency, figures)


def _per_unit(found: Sequence[Efficiency]) -> list[Metric]:
    """Tokens per word where a text has words, per character where one has none."""
    have_words = {each.tokens_per_word is not None for each in found if each.tokens}
    per_word = [PER_WORD] if have_words != {False} else []
    return per_word + ([PER_CHARACTER] if False in have_words else [])


def _efficiency(rows: Sequence[Row]) -> list[Metric]:
    """The columns that say how well tokenizers do."""
    per_unit = _per_unit([row.of.efficiency for row in rows])
    return [
        EFFICIENCY["tokens"],
        *per_unit,
        EFFICIENCY["characters_per_token"],
        EFFICIENCY["saved"],
    ]


def sections(found: Evaluation) -> list[Section]:
    """The sections of a report; those that have nothing to say are left out."""
    texts = (*found.texts, found.overall) if len(found.texts) > 1 else found.texts
    names, model = [subject.name for subject in found.subjects], found.model
    by_text = [
        Row(text.name, name, name == model, _measured(found, text, name))
        for text in texts
        for name in names
    ]
    by_script = [
        Row(script.name, name, name == model, Measured(script, efficiency, script.figures[model]))
        for script in found.overall.scripts
        for name, efficiency in script.figures.items()
    ]
    others = [row for row in by_text if not row.is_own]
    broken = [row for row in by_text if row.of.text.syllables]
    of_words = Metric("words", whole, lambda of: of.text.words)
    of_characters = Metric("characters", whole, lambda of: of.text.characters)
    unit = _per_unit([row.of.efficiency for row in by_text])[-1]
    spelled = "spelled by the base" if found.unk == "spell" else "lost, as one [UNK] each"
    made = [
        Section(
            "tokens",
            "Tokens",
            [
                "Words are what white space separates, characters are code points, and every line "
                "is encoded on its own, without its line feed. “Saved” is the share of a "
                f"tokenizer's tokens that {model} does without (table 6 of the WWHO paper).",
                "A text with more than a tenth of its characters in scripts that put no spaces "
                "between words, such as Thai and Chinese, has no tokens per word, but tokens per "
                "character.",
            ][: 2 if unit is PER_CHARACTER else 1],
            columns=[*_efficiency(by_text), FIGURES["bytes_per_token"]],
            rows=by_text,
            chart=Chart(
                unit.title.replace(" ", "-"),
                f"{unit.title.capitalize()} of each text, by tokenizer",
                unit._replace(title=f"{unit.title} ({unit.better} is better)", show=decimals(2)),
                by_text,
            ),
        ),
        Section(
            "scripts",
            "Scripts",
            [
                "All texts together, by the script that the router finds: a token counts where it "
                "ends, and a word ends at white space or where the script changes. “other” is what "
                "the base tokenizes: Latin letters, digits, punctuation."
            ],
            ("script", "tokenizer"),
            [of_characters, of_words, *_efficiency(by_script)],
            by_script if len(found.overall.scripts) > 1 else [],
        ),
        Section(
            "context",
            "Context",
            [
                f"How much more text fits into the same context window with {model}: the other "
                "tokenizer's tokens over its own (equation 3 and table 8 of the WWHO paper)."
            ],
            ("text", "against"),
            [
                Metric(f"tokens of {model}", whole, lambda of: of.model.tokens),
                EFFICIENCY["tokens"]._replace(title="other tokens"),
                EFFICIENCY["context"],
            ],
            others,
            Chart(
                "context",
                f"Context multiplier of {model} over each tokenizer, by text",
                EFFICIENCY["context"]._replace(title="times the text in the same context"),
                others,
            ),
        ),
        Section(
            "breakage",
            "Whole syllables",
            [
                "A syllable or a grapheme cluster is broken where a token ends inside it. "
                + (
                    f"Syllables are those of {found.grammar}, without the space before them. "
                    if found.overall.syllables
                    else f"The texts have no syllables of {found.grammar}. "
                )
                + "Where a model's vocabulary lacks a syllable and its base spells it, that is "
                "counted apart, as spelled out. Clusters are the extended grapheme clusters of UAX "
                "#29, among them letters with stray joiners and signs, which no grammar takes for "
                "a syllable."
            ],
            columns=_SYLLABLES,
            rows=by_text,
            chart=Chart(
                "broken-syllables",
                "Share of syllables with a token's end inside, by text and tokenizer",
                _BROKEN,
                broken,
            ),
        ),
        Section(
            "round-trip",
            "Nothing lost",
            [
                "Every line was decoded again and compared with what it was, byte for byte. [UNK] "
                "stands for the token of what a vocabulary cannot write; a line damaged without "
                "one is a fault of the tokenizer. Spelled out are the tokens of the base within "
                "scripts: parts of syllables outside the vocabulary.",
                *map(_identity, found.identities),
                f"{model} names no base at hand, so ASCII was not compared with one.",
            ][: 1 + max(1, len(found.identities))],
            columns=_LOSSES,
            rows=by_text,
        ),
        Section(
            "information",
            "Compression and information",
            [
                "The compression ratio is that of OSPE (equation 1): bytes of the text over bytes "
                "of the encoded file, here with each id in the fewest whole bytes that hold any "
                "id. Its efficiency score (equation 2) is the share of tokens within scripts that "
                "could stand alone: no part of a character, no sign or joiner without its letter, "
                "no [UNK]; several words are as whole as one. OSPE takes it of text that a "
                "language model wrote, this report of the texts.",
                "Rényi efficiency has alpha 2.5 and is taken of the tokens that occur (Zouhar et "
                "al., Tokenization and the Noiseless Channel, ACL 2023).",
            ],
            columns=[
                FIGURES[name]
                for name in ("compression_ratio", "efficiency_score", "renyi_efficiency")
            ],
            rows=by_text,
        ),
        _vocabulary(found),
        *([_premium(found, found.parallel)] if found.parallel else []),
        Section(
            "examples",
            "Examples",
            [
                "Token by token (table 7 of the WWHO paper). A token that holds part of a "
                "character is shown as its bytes."
            ],
            examples=found.examples,
        ),
        Section(
            "data",
            "What was measured",
            [
                f"{model} (SHA-256 {found.sha256}); syllables outside its vocabulary are "
                f"{spelled}. Bytes that are not UTF-8 were read as U+FFFD by all tokenizers.",
                *map(_source, found.texts),
            ],
            ("text", ""),
            _DATA,
            [Row(text.name, "", False, text) for text in texts],
        ),
    ]
    return [section for section in made if section.rows or section.examples]


def _identity(test: Identity) -> str:
    """What the test on ASCII said of a model."""
    made_up = test.sentences - test.from_data
    verdict = f"{test.different:,} differ" if test.different else "all are identical, id for id"
    return (
        f"Pure ASCII: {test.sentences:,} sentences ({test.from_data:,} lines of the texts and "
        f"{made_up:,} made up) by {test.encoder} and by its base {test.base}: {verdict}."
    )


def _source(text: TextResult) -> str:
    """Where a text comes from, and who knew it before."""
    known = (
        f" It is in the training corpus of {', '.join(text.trained_on)}: figures on it say little "
        "of other text."
    )
    source = f"{text.name}: {text.file}, SHA-256 {text.sha256}."
    return source + known if text.trained_on else source


def _vocabulary(found: Evaluation) -> Section:
    """What the vocabularies hold, and how much of it the texts use."""
    rows = [
        Row(part.encoder, part.part, part.encoder == found.model, part) for part in found.vocabulary
    ]
    own = [row.of for row in rows if row.is_own and row.label != "base"]
    has_base = any(row.is_own and row.label == "base" for row in rows)
    which = f"{found.model} without its base" if has_base else found.model
    glitches = ", ".join(
        f"{' '.join(f'U+{ord(char):04X}' for char in each.text)} ({each.occurrences:,})"
        for part in own
        for each in part.glitches
    )
    bins = max(len(part.histogram) for part in own)
    return Section(
        "vocabulary",
        "Vocabulary",
        [
            "Used are the ids that the texts have; the others, special tokens and gaps among them, "
            "never occur here. Superwords are tokens that join words. Glitch tokens are nothing "
            "but joiners and viramas, which no syllable is. Each id costs "
            f"{found.width:,} parameters of embeddings; a language model whose output matrix is "
            "not tied to them pays as many again.",
            f"Glitch tokens of {which}, with their occurrences: {glitches or 'none'}.",
        ],
        ("tokenizer", "part"),
        [*_PARTS, Metric("embedding parameters", whole, lambda of: of.size * found.width)],
        rows,
        Chart(
            "vocabulary-use",
            f"How many ids of {which} occur how often in the texts",
            Metric("ids", whole, lambda ids: ids),
            [
                Row(_bin(number), part.part, True, sum(part.histogram[number : number + 1]))
                for number in range(bins)
                for part in own
            ],
            is_lying=True,
            group_axis="occurrences in the texts",
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


def _premium(found: Evaluation, parallel: Parallel) -> Section:
    """What the same text takes in each language."""
    names, reference = [subject.name for subject in found.subjects], parallel.reference
    return Section(
        "premium",
        "Token premium",
        [
            f"The same {parallel.lines:,} lines in each language: their tokens over those of "
            f"{reference}, by the same tokenizer (Petrov et al., Language Model Tokenizers "
            "Introduce Unfairness Between Languages, NeurIPS 2023). 1 is parity."
        ],
        ("language", ""),
        [column for name in names for column in _premium_columns(name)],
        [Row(each.name, "", False, each) for each in parallel.languages],
        Chart(
            "premium",
            f"Tokens of each language over those of {reference}, by tokenizer",
            Metric(f"tokens over {reference}", decimals(2), lambda premium: premium),
            [
                Row(each.name, name, name == found.model, each.premium[name])
                for each in parallel.languages[1:]
                for name in names
            ],
            is_lying=True,
        ),
    )


def _premium_columns(name: str) -> tuple[Metric, Metric]:
    """The columns of a tokenizer."""
    return (
        Metric(f"tokens, {name}", whole, lambda of: of.tokens[name]),
        Metric("premium", times, lambda of: of.premium[name]),
    )
