"""The generated schemas cut no character: by UAX #29 and HarfBuzz, as tools/judge_schemas.py asks.

The command judges all test corpora and texts of four characters; here are the samples, and texts of
three, of four in scripts with few kinds of characters: up to six, ten with `WWHO_EXHAUSTIVE`.
"""

from __future__ import annotations

from pathlib import Path

import oracle  # noqa: F401 - puts tools/ on the path
import pytest
from exhaustive import EXHAUSTIVE

from wwho.compile.schema import Schema
from wwho.compile.schema_loader import HAND_MADE, load_schema

pytest.importorskip("uharfbuzz", reason="needs uharfbuzz")

import judge_schemas
from judge_schemas import Cutter, Shaper, by_regex, by_segmentation, find_shaper


@pytest.fixture(scope="module")
def shipped_schemas() -> list[list[Schema]]:
    """The shipped schemas: those that are generated, and those that are made by hand."""
    return judge_schemas.load_shipped()


def font(schema: Schema) -> Shaper:
    """The font of a script; skips the test where Debian's Noto fonts are missing."""
    found = find_shaper(schema)
    if found is None:
        pytest.skip(f"needs fonts-noto-core, which is not in {judge_schemas.FONTS}")
    return found


@pytest.mark.slow
def test_no_short_text_is_cut_inside_a_character(shipped_schemas: list[list[Schema]]) -> None:
    generated, _ = shipped_schemas
    most = 10 if EXHAUSTIVE else 6
    few = [
        schema
        for schema in generated
        if len(judge_schemas.first_of_each_kind(schema, (schema,))) <= most
    ]
    for schemas, length in ((generated, 3), (few, 4)):
        for schema, found in zip(schemas, judge_schemas.judge(schemas, [], length), strict=True):
            assert found.cut == [], schema.name
            assert found.torn == [], schema.name


@pytest.mark.corpora
def test_no_sample_is_cut_inside_a_character(
    corpora: Path, shipped_schemas: list[list[Schema]]
) -> None:
    generated, _ = shipped_schemas
    font(generated[0])
    results = judge_schemas.judge(generated, judge_schemas.sample_lines(corpora), 1)
    assert sum(found.segments > 0 for found in results) == 65
    for schema, found in zip(generated, results, strict=True):
        assert found.cut == [], schema.name
        if schema.name not in judge_schemas.EXCEPTIONS:
            assert found.torn == [], schema.name


def test_the_table_is_that_of_the_schemas(shipped_schemas: list[list[Schema]]) -> None:
    """Which texts were judged follows from the schemas; the segments are those of the command."""
    rows = {}
    for line in judge_schemas.README.read_text("utf-8").splitlines():
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        if len(cells) == len(judge_schemas.HEADS):
            rows[cells[0], cells[2]] = cells
    assert len(rows) == 2 + sum(map(len, shipped_schemas))
    for schema, model in ((each, tuple(some)) for some in shipped_schemas for each in some):
        title, points, family = judge_schemas.row_head(schema)
        n = len(judge_schemas.first_of_each_kind(schema, model))
        *facts, short, _, cut, _, torn = rows[title, family]
        assert facts == [title, points, family]
        assert short == f"{n + n**2 + n**3 + n**4:,}", f"{schema.name}: run the command again"
        assert cut == "0" or schema.name in HAND_MADE
        assert torn in ("0", "") or schema.name in judge_schemas.EXCEPTIONS


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("क्षि", {4}),
        ("कि्ष", {3, 4}),  # Mc: what is before the virama does not end in a consonant
        ("्ष", {1, 2}),
        ("က္က", {3}),  # a linker since Unicode 17
        ("ක්‍ෂ", {3, 4}),
        ("ക‌്ക", {3, 4}),
    ],
)
def test_both_judges_know_the_rules(text: str, ends: set[int]) -> None:
    assert set(by_segmentation(text)) == ends
    assert set(by_regex(text)) == ends


def test_harfbuzz_knows_where_shapes_end() -> None:
    kannada = font(load_schema("kannada-unicode"))
    assert kannada("ನೈರ್ಋತ") == {0, 2, 5}
    assert not kannada.knows("ක")
    assert kannada.knows("ರ‌\u200d")


def test_what_is_cut_inside_a_character_is_found() -> None:
    """A schema by which signs that no letter carries stand one by one."""
    schema = load_schema("kannada")
    cutter = Cutter([schema])
    texts = ["ನೈರ್ಋತ", "ಕೂೀ", "ರಾಜ"]
    assert cutter.inside(texts) == [[2, 4, 5], [], [2]]
    assert [*cutter.faults(texts, font(schema))] == texts[:1]
    texts = ["ಂಂ", "ಕಂಂ"]
    assert [*cutter.faults(texts, by_segmentation)] == texts[:1]
    assert [*cutter.faults(texts, by_regex)] == texts[:1]
