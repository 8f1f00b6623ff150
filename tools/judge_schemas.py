"""Judge where the shipped schemas cut, and write the table of the results into schemas/README.md.

    python tools/judge_schemas.py ../shared/corpora

No syllable may end inside an extended grapheme cluster, nor inside a shaping cluster: what a reader
or a font takes for one character stays whole. The judges of the first are two implementations of
UAX #29, unicode-segmentation-rs (Unicode 17) and the regex package (17 or later); that of the
second is HarfBuzz with Debian's Noto fonts. They judge each different segment of the samples and
test corpora, and every text of up to four characters (HarfBuzz: three), of which one of each kind
stands for all: neither a grammar nor UAX #29 tells two characters apart that have the same class,
Grapheme_Cluster_Break and Indic_Conjunct_Break. Signs of other scripts are among them.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice, product
from pathlib import Path

import numpy as np
import regex
import uharfbuzz
from unicode_segmentation_rs import graphemes

from wwho.assemble.training_artifacts import counting_model
from wwho.backends.select import open_backend
from wwho.compile.schema import Schema, union
from wwho.compile.schema_loader import HAND_MADE, load_schema, read_document, shipped_schemas
from wwho.compile.schema_scanners import merge_alike_schemas
from wwho.compile.unicode import category
from wwho.evaluate.syllables import Grammar
from wwho.evaluate.text_blocks import Block, find_parts
from wwho.format.files import write_atomic
from wwho.format.write import write_artifact

README = Path(__file__).parents[1] / "schemas" / "README.md"
FONTS = Path("/usr/share/fonts/truetype/noto")
"""Where Debian's package fonts-noto-core puts its fonts."""

HAND = "Written by hand, for text without typing errors: stray signs are units of their own."
EXCEPTIONS = {
    "devanagari": HAND,
    "kannada": HAND,
    "sinhala": HAND,
    "modi": "The font joins KA, with or without the vowel sign AA, and the RA after it.",
    "sinhala-unicode": "A repaya after its letter, at the end of a word: a typing error. The font "
    "puts it above the conjunct before it.",
    **dict.fromkeys(
        ("tai-tham", "zanabazar-square"),
        "A sign after U+200B, which they do not write: the font moves it before the letter.",
    ),
}
"""Schemas that cut inside clusters, and why."""

SHORT = 4
EXAMPLES = 5
LINES = 20_000

Judge = Callable[[str], Collection[int]]
"""A function that returns the places in a text, in code points, that are between clusters.

The ends of the text may be among them.
"""


def by_segmentation(text: str) -> Collection[int]:
    """Return where the grapheme clusters of unicode-segmentation-rs end, in code points."""
    place, found = 0, []
    for cluster in graphemes(text, True):
        place += len(cluster)
        found.append(place)
    return found


def by_regex(text: str) -> Collection[int]:
    """Return where the grapheme clusters of the regex package end, in code points.

    Places are added where it should cut, and does not: between a linker and a consonant without a
    consonant before them, which rule GB9c does not join.
    """
    ends = [match.end() for match in _CLUSTER.finditer(text)]
    return ends + [match.start() for match in _UNJOINED.finditer(text)]


_CLUSTER = regex.compile(r"\X")
_UNJOINED = regex.compile(
    r"(?<=\p{InCB=Linker}[\p{InCB=Extend}\p{InCB=Linker}]*)(?=\p{InCB=Consonant})"
    r"(?<!\p{InCB=Consonant}[\p{InCB=Extend}\p{InCB=Linker}]*)"
)


@dataclass(frozen=True)
class Shaper:
    """HarfBuzz with a font, as a judge; `characters` are those that it has."""

    font: uharfbuzz.Font
    characters: frozenset[int]

    def knows(self, text: str) -> bool:
        """Return whether the font has all characters of a text but those that HarfBuzz hides."""
        return self.characters.issuperset(map(ord, set(text) - _HIDDEN))

    def __call__(self, text: str) -> Collection[int]:
        """Return where the shaping clusters of a text begin, in code points."""
        buffer = uharfbuzz.Buffer()
        buffer.cluster_level = uharfbuzz.BufferClusterLevel.MONOTONE_CHARACTERS
        buffer.add_codepoints([ord(char) for char in text])
        buffer.guess_segment_properties()
        uharfbuzz.shape(self.font, buffer)
        return {info.cluster for info in buffer.glyph_infos}


_HIDDEN = frozenset("\u200b\u200c\u200d\u200e\u200f")


@cache
def open_shapers() -> list[Shaper]:
    """Open all regular fonts of Noto; those with short names, the plainest, come first."""
    files = sorted(FONTS.glob("*-Regular.ttf"), key=lambda path: (len(path.name), path.name))
    faces = (uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(file))) for file in files)
    return [Shaper(uharfbuzz.Font(face), frozenset(face.unicodes)) for face in faces]


def find_shaper(schema: Schema) -> Shaper | None:
    """Return the font with most letters of a schema; None if no font has more than half of them."""
    letters = frozenset(schema.classified - schema.joiners)
    found = max(open_shapers(), key=lambda each: len(letters & each.characters), default=None)
    return found if found and len(letters & found.characters) * 2 > len(letters) else None


class Cutter:
    """Cuts text by several schemas, all in one model."""

    def __init__(self, schemas: Sequence[Schema]) -> None:
        """Compile the schemas, none of which may claim another one's characters."""
        self.schemas = tuple(schemas)
        self._grammar = Grammar(open_backend(write_artifact(counting_model(schemas))))

    def segments(self, lines: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the segments of the schemas' scripts in lines, each after its schema's name."""
        units = self._grammar.cut(Block(lines))
        text = b"".join(units.block.encoded)
        first = units.firsts == 1
        ends = np.append(units.starts[first][1:], len(text))
        for start, end, route in zip(units.starts[first], ends, units.routes[first], strict=True):
            if self._grammar.is_script[route]:
                yield self._grammar.names[route], text[start:end].decode()

    def inside(self, texts: list[str]) -> list[list[int]]:
        """Return for each text the code points before which it is cut inside its segments."""
        units = self._grammar.cut(block := Block(texts))
        is_inside = (units.firsts == 0) & self._grammar.is_script[units.routes]
        places = np.searchsorted(block.character_bytes, units.starts[is_inside])
        owners = find_parts(block.line_characters, places)
        found: list[list[int]] = [[] for _ in texts]
        for owner, place in zip(owners, places - block.line_characters[owners], strict=True):
            found[owner].append(int(place))
        return found

    def faults(self, texts: Iterable[str], *judges: Judge) -> Iterator[str]:
        """Yield the texts that are cut where one of the judges says that they may not be."""
        for some in in_batches(texts):
            for text, places in zip(some, self.inside(some), strict=True):
                if any(not set(judge(text)).issuperset(places) for judge in judges):
                    yield text


def in_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists of at most `LINES`."""
    texts = iter(texts)
    while some := list(islice(texts, LINES)):
        yield some


@cache
def first_of_each_kind(schema: Schema, model: tuple[Schema, ...]) -> tuple[str, ...]:
    """Return the first character of each kind: what a grammar, the router and UAX #29 tell apart.

    Args:
        schema: the schema whose characters are looked at.
        model: all schemas that cut the text together. Joiners that only others of them have are
            among the characters, if they differ from all characters of this schema in their part
            in its grammar, or for UAX #29.
    """
    classes = {point: name for name, chars in schema.classes.items() for point in chars}
    joiners = frozenset(schema.joiners)
    points = sorted((schema.blocks | schema.joiners) - category("Cn"), reverse=True)
    found = {(classes.get(point), point in joiners, _breaks(point)): point for point in points}
    names: dict[int, str] = {}
    for name, chars in cutting_schemas(model)[schema.name].classes.items():
        names |= {point: names.get(point, "") + f" {name}" for point in chars}
    known = {(names.get(point), _breaks(point)) for point in joiners}
    others = union(each.joiners for each in model) - schema.blocks - schema.joiners
    for point in sorted(others - category("Cn"), reverse=True):
        if (kind := (names.get(point), _breaks(point))) not in known:
            found[kind[0], True, kind[1]] = point
    return tuple(map(chr, found.values()))


@cache
def cutting_schemas(model: tuple[Schema, ...]) -> dict[str, Schema]:
    """Return for each schema of a model, by name, the schema that cuts its segments.

    That one has the joiners of all schemas that are alike.
    """
    return {schema.name: schema for schema in merge_alike_schemas(model)}


@cache
def _breaks(point: int) -> tuple[bool, ...]:
    """Return which of the properties that UAX #29 asks for a code point has."""
    return tuple(each.match(chr(point)) is not None for each in _BREAKS)


def short_texts(characters: Sequence[str], length: int) -> Iterator[str]:
    """Yield every text of 1 to `length` of these characters, the shortest first."""
    for n in range(1, length + 1):
        yield from map("".join, product(characters, repeat=n))


_BREAKS = [
    regex.compile(rf"\p{{{name}}}")
    for name in (
        *(f"GCB={each}" for each in ("Prepend", "SpacingMark", "Extend", "ZWJ", "Control")),
        *(f"InCB={each}" for each in ("Linker", "Consonant", "Extend")),
    )
]


@dataclass
class Result:
    """The judgement of a schema.

    Attributes:
        short: how many texts of a few characters.
        segments: how many different segments of text.
        cut: those of both that are cut inside a grapheme cluster.
        shaped: how many of both a font has all characters of; None where there is no font.
        torn: those of them that are cut inside a shaping cluster.
    """

    short: int = 0
    segments: int = 0
    cut: list[str] = field(default_factory=list)
    shaped: int | None = None
    torn: list[str] = field(default_factory=list)


def judge(schemas: Sequence[Schema], lines: Iterable[str], length: int = SHORT) -> list[Result]:
    """Judge schemas that cut text together, and return a result for each.

    Args:
        schemas: the schemas.
        lines: the text whose segments are judged.
        length: of the short texts, in characters; HarfBuzz takes those with one less.
    """
    cutter = Cutter(schemas)
    segments: dict[str, set[str]] = {schema.name: set() for schema in schemas}
    for some in in_batches(lines):
        for name, segment in cutter.segments(some):
            segments[name].add(segment)
    return [
        judge_schema(schema, cutter, sorted(segments[schema.name]), length) for schema in schemas
    ]


def judge_schema(schema: Schema, cutter: Cutter, segments: list[str], length: int) -> Result:
    """Judge a schema on segments of text, and on all short texts of its kinds of characters.

    Args:
        schema: the schema.
        cutter: cuts by this schema and others.
        segments: different segments of the schema's script.
        length: of the short texts, in characters; HarfBuzz takes those with one less.
    """
    found, characters = Result(segments=len(segments)), first_of_each_kind(schema, cutter.schemas)
    found.short = sum(len(characters) ** n for n in range(1, length + 1))
    texts = chain(short_texts(characters, length), segments)
    found.cut = [*cutter.faults(texts, by_segmentation, by_regex)]
    if shaper := find_shaper(schema):
        texts = chain(short_texts(characters, length - 1), segments)
        known = [text for text in texts if shaper.knows(text)]
        found.shaped = len(known)
        found.torn = [*cutter.faults(known, shaper)]
    return found


def sample_lines(corpora: Path) -> Iterator[str]:
    """Yield the samples of text in all scripts."""
    with (corpora / "samples_all_scripts.tsv").open(encoding="utf-8", newline="\n") as lines:
        yield from (line.rstrip("\n").split("\t")[2] for line in lines)


def corpus_lines(corpora: Path) -> Iterator[str]:
    """Yield the lines of the test corpora."""
    for file in sorted(corpora.glob("test_*.txt.xz")):
        with lzma.open(file, "rt", encoding="utf-8", newline="\n") as lines:
            yield from (line.rstrip("\n") for line in lines)


def load_shipped() -> list[list[Schema]]:
    """Return the shipped schemas in two lists, each for one model: generated, and by hand."""
    found = [load_schema(name) for name in shipped_schemas()]
    by_hand = [schema for schema in found if schema.name in HAND_MADE]
    return [[schema for schema in found if schema not in by_hand], by_hand]


HEADS = (
    *("script", "code points", "grammar family", "short texts", "segments"),
    *("cut inside a cluster", "shaped", "cut inside a shaping cluster"),
)


def row_head(schema: Schema) -> tuple[str, str, str]:
    """Return the first cells of a schema's row: title, code points, grammar family."""
    notes = "".join(read_document(schema.name).get("notes", []))
    [family] = re.findall("Grammar family ([a-z]+)", notes) or ["by hand"]
    return schema.title, f"{len(schema.blocks - category('Cn')):,}", family


def table_lines(results: Iterable[tuple[Schema, Result]]) -> list[str]:
    """Return the lines of the table in Markdown, with its head."""
    rows = [HEADS, ("---", "---:", "---", *["---:"] * 5)]
    for schema, found in results:
        counts = (found.short, found.segments, len(found.cut))
        shaped = ("no font", "") if found.shaped is None else (found.shaped, len(found.torn))
        cells = (f"{each:,}" if isinstance(each, int) else each for each in (*counts, *shaped))
        rows.append((*row_head(schema), *cells))
    return [f"| {' | '.join(row)} |" for row in rows]


def main() -> None:
    """Judge, and put the table into the README in place of the one that is there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", type=Path, help="folder of the samples and the test corpora")
    corpora: Path = parser.parse_args().corpora
    results = [
        pair
        for schemas in load_shipped()
        for lines in [chain(sample_lines(corpora), corpus_lines(corpora))]
        for pair in zip(schemas, judge(schemas, lines), strict=True)
    ]
    results.sort(key=lambda pair: (pair[0].title, pair[0].name in HAND_MADE))
    old, new = README.read_text("utf-8"), "\n".join(table_lines(results))
    start = old.index(f"| {' | '.join(HEADS[:3])} |")
    end = old.index("\n\n", start)
    write_atomic(README, (old[:start] + new + old[end:]).encode())
    for schema, found in results:
        for what, texts in (("grapheme", found.cut), ("shaping", found.torn)):
            for text in texts[:EXAMPLES]:
                print(f"{schema.name}: cut inside a {what} cluster: {text!a}")


if __name__ == "__main__":
    main()
