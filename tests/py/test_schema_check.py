"""`wwho schema check`, and what `wwho segment` marks: stray signs, coverage, syllables."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from wwho.compile.schema_loader import load_schema
from wwho.compile.schema_scanners import Unit, compile_schemas
from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.evaluate.check import schema_survey as surveys
from wwho.evaluate.check.schema_survey import Leftover, Survey, survey_corpus
from wwho.format.automaton import CompiledScanners
from wwho.reference.scan import matches

FOLDER = Path(__file__).resolve().parents[2] / "schemas"
LINES = "ගමේ පාසල, ගමේ පාර.\nකිි ිට ක්\u200cෂ 12෴෴\n"
PARTS = [*"කගසාිේ්ංආඁ෴෧", "\u200d", "\u200c", " ", "  ", "\n", *"aक्।", "😀", "ක්\u200dෂ"]
texts = st.lists(st.sampled_from(PARTS), min_size=1, max_size=60).map("".join)


@cache
def sinhala() -> CompiledScanners:
    return compile_schemas([load_schema("sinhala")], None)


def plain(text: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """The syllables, stray signs and other characters of the Sinhala in a text, one by one."""
    compiled = sinhala()
    router, _, units = compiled.automata
    found = Counter[str](), Counter[str](), Counter[str]()
    for start, end, route in matches(compiled, router, text):
        if route:
            segment = text[start:end]
            for a, b, rule in matches(compiled, units, segment):
                found[Unit(rule)][segment[a:b].removeprefix(" ")] += 1
    return found


def surveyed(text: str | bytes, name: str = "corpus.txt") -> Survey:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return survey_corpus(load_schema("sinhala"), Corpus([file]))


def counts(found: tuple[Leftover, ...]) -> dict[str, int]:
    return {each.char: each.count for each in found}


# ---------------------------------------------------------------- the survey


@examples(200)
@given(texts.filter(lambda text: any(sum(found.values()) for found in plain(text))))
def test_counts_are_those_of_the_plain_scanner(text: str) -> None:
    syllables, strays, others = plain(text)
    found = surveyed(text)
    assert found.bytes == len(text.encode())
    assert found.syllables == sum(syllables.values())
    assert found.distinct == len(syllables)
    assert found.once == sum(count == 1 for count in syllables.values())
    assert found.in_syllables == sum(len(each) * count for each, count in syllables.items())
    assert counts(found.strays) == strays
    assert counts(found.unclassed) == others
    left_over = sum(strays.values()) + sum(others.values())
    assert found.characters == found.in_syllables + left_over
    assert dict(found.longest) == dict(found.rarest) == syllables
    assert [len(each) for each, _ in found.longest] == sorted(map(len, syllables), reverse=True)
    assert [count for _, count in found.rarest] == sorted(syllables.values())
    for each in (*found.strays, *found.unclassed):
        assert 1 <= len(each.contexts) <= min(each.count, surveys.CONTEXTS)
        assert all(before + each.char + after in text for before, after in each.contexts)


def test_signs_come_by_frequency_with_their_contexts() -> None:
    found = surveyed("ිට ා ිට\nxyz ි\nකකකකකකකකිිගගගගගගගගග ිම ිම\n")
    assert [(each.char, each.count) for each in found.strays] == [("ි", 6), ("ා", 1)]
    assert found.strays[0].contexts == (("", "ට ා ිට"), ("ිට ා ", "ට"), ("xyz ", ""))
    assert found.strays[0].name == "U+0DD2 SINHALA VOWEL SIGN KETTI IS-PILLA"


def test_a_context_has_eight_whole_characters_on_each_side() -> None:
    (stray,) = surveyed("කකකකකකකකකකකි" + "ිගගගගගගගගගගගග").strays
    assert stray.contexts == (("කකකකකකකි", "ගගගගගගගග"),)
    (stray,) = surveyed("😀😀😀😀😀😀😀😀😀ි😀😀😀😀😀😀😀😀😀").strays
    assert stray.contexts == (("😀" * 8, "😀" * 8),)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt.gz", gzip.compress(LINES.encode())),
        ("a.jsonl", json.dumps({"text": LINES}).encode()),
        ("a.jsonl.gz", gzip.compress(json.dumps({"text": LINES}).encode())),
    ],
    ids=["gz", "jsonl", "jsonl.gz"],  # gzip's bytes hold the time: each process would name others
)
def test_every_form_of_a_corpus_that_the_trainer_reads(name: str, data: bytes) -> None:
    found, expected = surveyed(data, name), surveyed(LINES)
    assert (found.longest, found.strays) == (expected.longest, expected.strays)


def test_broken_bytes_are_text_of_no_script() -> None:
    found = surveyed(b"\xff\xe0\xb6 " + "ගමේ ".encode() + b"\xe0\xb6")
    assert (found.syllables, found.characters, found.coverage) == (2, 3, 1)


def test_a_wrong_grammar_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "MOST_SYLLABLES", 3)
    found = surveyed(LINES)
    assert found.distinct == 3
    syllables, _, _ = plain(LINES)
    assert found.syllables == sum(syllables.values())
    assert found.in_syllables == sum(len(each) * count for each, count in syllables.items())


def test_a_corpus_without_the_script_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"no character of Sinhala .* U\+0D80 to U\+0DFF"):
        surveyed("English and हिन्दी")


# ---------------------------------------------------------------- the command


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(LINES, encoding="utf-8")
    return path


def test_a_valid_schema(cli: Any) -> None:
    result = cli("schema", "check", "devanagari")
    assert (result.code, result.err) == (0, "")
    assert result.out.decode().startswith("devanagari: valid; Devanagari, 9 classes\n")
    found = json.loads(cli("schema", "check", FOLDER / "sinhala.json", "--json").out)
    assert (found["valid"], found["errors"], found["corpus"]) == (True, [], None)
    assert "\u0d81" in found["letters_in_no_class"]


def test_all_faults_of_a_schema_have_their_places(cli: Any, tmp_path: Path) -> None:
    document = json.loads((FOLDER / "sinhala.json").read_text("utf-8"))
    document["classes"]["H"]["ranges"] = ["0DCF"]
    document["classes"]["M"]["ranges"] = ["0D82", "0B82"]
    schema = tmp_path / "mine.json"
    schema.write_text(json.dumps(document), encoding="utf-8")
    result = cli("schema", "check", schema, "--json")
    found = json.loads(result.out)
    assert (result.code, result.err, found["valid"]) == (1, "", False)
    assert [(each["condition"], each["pointer"]) for each in found["errors"]] == [
        (1, "/classes/H"),
        (2, "/classes/M/ranges/1"),
    ]
    assert [each["counterexample"] for each in found["errors"]] == ["\u0dcf", "\u0b82"]
    result = cli("schema", "check", schema)
    assert (result.code, result.out) == (1, b"")
    faults = result.err.splitlines()
    assert [re.match(rf"wwho: {schema}: (/\S+): ", fault)[1] for fault in faults] == [  # type: ignore[index]
        "/classes/H",
        "/classes/M/ranges/1",
    ]


def test_a_grammar_that_is_too_large_is_a_fault_too(cli: Any, tmp_path: Path) -> None:
    document = json.loads((FOLDER / "sinhala.json").read_text("utf-8"))
    schema = tmp_path / "large.json"
    schema.write_text(json.dumps({**document, "grammar": "(C | H)* C (C | H){40}"}))
    result = cli("schema", "check", schema, "--json")
    (error,) = json.loads(result.out)["errors"]
    assert (result.code, error["pointer"]) == (1, "/grammar")
    assert "states" in error["message"]


def test_the_report_of_a_corpus(cli: Any, corpus: Path) -> None:
    result = cli("schema", "check", "sinhala", corpus, "--top", "1")
    assert (result.code, result.err) == (0, "")
    assert "".join(result.out.decode().splitlines(keepends=True)[2:]) == (
        "24 characters of Sinhala in 84 bytes:\n"
        "  79.167 %             19  in whole syllables\n"
        "   8.333 %              2  stray signs\n"
        "  12.500 %              3  in no class\n"
        "13 syllables, 10 distinct, 7 of them once\n"
        "stray signs:\n"
        "         2  U+0DD2 SINHALA VOWEL SIGN KETTI IS-PILLA\n"
        "            කි◌ි ිට ක්\u200cෂ\n"
        "            කිි ◌ිට ක්\u200cෂ 1\n"
        "characters in no class:\n"
        "         2  U+0DF4 SINHALA PUNCTUATION KUNDDALIYA\n"
        "             ක්\u200cෂ 12෴෴\n"
        "            ක්\u200cෂ 12෴෴\n"
        "longest syllables:\n"
        "         2  පා\n"
        "rarest syllables:\n"
        "         1  ක්\n"
    )


def test_the_report_of_a_corpus_in_json(cli: Any, corpus: Path) -> None:
    found = json.loads(cli("schema", "check", "sinhala", corpus, "--json").out)["corpus"]
    assert (found["coverage"], found["distinct"], found["once"]) == (19 / 24, 10, 7)
    assert found["strays"] == [
        {
            "char": "ි",
            "count": 2,
            "contexts": [["කි", " ිට ක්\u200cෂ"], ["කිි ", "ට ක්\u200cෂ 1"]],
            "name": "U+0DD2 SINHALA VOWEL SIGN KETTI IS-PILLA",
        }
    ]
    assert [char["char"] for char in found["unclassed"]] == ["෴", "\u200c"]
    assert found["longest"][0] == ["පා", 2]


def test_a_corpus_on_standard_input(cli: Any, corpus: Path) -> None:
    command = [sys.executable, "-m", "wwho", "schema", "check", "sinhala", "-", "--json"]
    done = subprocess.run(command, input=LINES.encode(), capture_output=True, check=True)
    assert done.stdout == cli("schema", "check", "sinhala", corpus, "--json").out


def test_a_corpus_that_is_not_there_or_has_nothing_of_the_script(cli: Any, tmp_path: Path) -> None:
    english = tmp_path / "english.txt"
    english.write_text("English\n")
    wide, json_lines = tmp_path / "wide.txt", tmp_path / "wide.jsonl"
    wide.write_text(LINES, encoding="utf-16")
    json_lines.write_text('{"text": "ක"}\n', encoding="utf-16")
    for name, why in (
        (tmp_path / "missing.txt", "No such file"),
        (english, "no character of"),
        (wide, "no text in UTF-8 but UTF-16"),
        (json_lines, "no text in UTF-8 but UTF-16"),
    ):
        result = cli("schema", "check", "sinhala", name)
        assert (result.code, result.out) == (1, b"")
        assert re.fullmatch(rf"wwho: {name}: .*{why}.*\n", result.err), result.err


@pytest.mark.parametrize("arguments", [(), ("check",), ("check", "sinhala", "--top", "0")])
def test_usage(cli: Any, arguments: tuple[str, ...]) -> None:
    assert cli("schema", *arguments).code == 2


# ---------------------------------------------------------------- wwho segment


@pytest.mark.parametrize("options", [("--schema", "sinhala"), ()])
def test_segment_marks_what_is_stray(cli: Any, options: tuple[str, ...]) -> None:
    text = "කිි x ිට\n".encode()
    people = cli("segment", *options, stdin=text).out.decode()
    assert people == "sinhala\tකි|◌ි\nother\t x\nsinhala\t ◌ි|ට\n\n"
    rows = json.loads(cli("segment", *options, "--json", stdin=text).out)["segments"]
    assert rows == [
        {"route": "sinhala", "text": "කිි", "units": ["කි", "ි"], "stray": [1]},
        {"route": "other", "text": " x"},
        {"route": "sinhala", "text": " ිට", "units": [" ි", "ට"], "stray": [0]},
    ]
