"""Schemas: the shipped ones, the paper's, the six conditions, and the scanners made from them."""

from __future__ import annotations

import copy
import json
import lzma
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from paper_reference import SCRIPTS, segments
from test_readme import check_console

from wwho.compile.scanners import compile_scanners
from wwho.compile.schema_conditions import check_schema
from wwho.compile.schema_document import shipped_folder
from wwho.compile.schema_loader import HAND_MADE, load_schema, shipped_schemas
from wwho.compile.schema_scanners import Unit, compile_schemas, router_scanner, unit_scanner
from wwho.errors import PatternError, SchemaError
from wwho.format.automaton import CompiledScanners
from wwho.reference.scan import matches

ROUTER = 0
FIRST_UNITS = 2
Document = dict[str, Any]


def shipped_document(name: str) -> Document:
    text = shipped_folder().joinpath(*f"{name}.json".split("/")).read_text(encoding="utf-8")
    document: Document = json.loads(text)
    return document


@cache
def both() -> CompiledScanners:
    return compile_schemas([load_schema("sinhala"), load_schema("devanagari")], None)


@cache
def paper() -> CompiledScanners:
    names = ("paper/sinhala", "paper/devanagari")
    return compile_schemas([load_schema(name, allow_invalid=True) for name in names], None)


def route(text: str, compiled: CompiledScanners | None = None) -> list[tuple[int, str]]:
    compiled = compiled or both()
    found = matches(compiled, compiled.automata[ROUTER], text)
    return [(rule, text[start:end]) for start, end, rule in found]


def units(text: str, compiled: CompiledScanners | None = None) -> list[str]:
    """The units of every segment; other segments stay whole."""
    compiled = compiled or both()
    result = []
    for rule, segment in route(text, compiled):
        scanner = compiled.automata[FIRST_UNITS + rule - 1]
        result += [segment[a:b] for a, b, _ in matches(compiled, scanner, segment)]
    return result


def script_units(text: str, compiled: CompiledScanners) -> list[str]:
    """The units of the segments of scripts alone."""
    parts = (segment for rule, segment in route(text, compiled) if rule)
    return [unit for segment in parts for unit in units(segment, compiled)]


# ---------------------------------------------------------------- shipped schemas


def test_the_shipped_schemas_are_valid() -> None:
    assert len(shipped_schemas()) == 67 + len(HAND_MADE)
    for name in shipped_schemas():
        assert check_schema(shipped_document(name)) == []
        assert load_schema(name).valid
        assert load_schema(name).name == name


def test_only_the_names_of_shipped_schemas_get_an_ending(tmp_path: Path) -> None:
    """Any other string is a path, and is taken as it is."""
    assert load_schema("paper/sinhala", allow_invalid=True).name == "sinhala-paper"
    path = tmp_path / "my.json"
    path.write_text(json.dumps(shipped_document("sinhala")), "utf-8")
    assert load_schema(str(path)).name == "sinhala"
    for name in (str(path.with_suffix("")), "../schemas/sinhala", "paper/../sinhala"):
        with pytest.raises(SchemaError, match="neither a file nor a shipped schema"):
            load_schema(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("චන්ද්‍රයාගේ ආලෝකය", "ච|න්ද්‍ර|යා|ගේ| ආ|ලෝ|ක|ය"),
        ("විද්‍යාලය", "වි|ද්‍යා|ල|ය"),
        ("ශ‍්‍රී", "ශ‍්‍රී"),
        ("ක්‍", "ක්‍"),
        ("ක්‌ෂ", "ක්|\u200c|ෂ"),
        ("අංක", "අං|ක"),
        ("කිි", "කි|ි"),
        ("්ක", "්|ක"),
        ("1෧෧.", "1|෧|෧|."),
        ("विद्यालय में पढ़ाई होती है।", "वि|द्या|ल|य| में| प|ढ़ा|ई| हो|ती| है|।"),
        ("ॐ", "ॐ"),
        ("नमोऽस्तु", "न|मोऽ|स्तु"),
        ("ऽ", "ऽ"),
        ("कःंऽऽ॑", "कःंऽऽ॑"),
        ("क़्य", "क़्य"),
        ("क्‍ क्‌ष", "क्‍| क्‌ष"),
        ("१२।", "१|२|।"),
        ("क᳐ꣲ", "क᳐ꣲ"),
    ],
)
def test_syllables(text: str, expected: str) -> None:
    assert "|".join(units(text)) == expected


def test_rules_of_a_unit_scanner() -> None:
    compiled = both()
    text = " කිි෧"
    rules = [Unit(rule) for *_, rule in matches(compiled, compiled.automata[FIRST_UNITS], text)]
    assert rules == [Unit.SYLLABLE, Unit.ORPHAN, Unit.PASSTHROUGH]


# ---------------------------------------------------------------- the router


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ඔයා 1 special अद्भुत", [(1, "ඔයා"), (0, " 1 special"), (2, " अद्भुत")]),
        ("ඔයා මම", [(1, "ඔයා"), (1, " මම")]),
        ("ක  ක", [(1, "ක"), (0, " "), (1, " ක")]),
        ("ක\tක\u00a0ක", [(1, "ක"), (0, "\t"), (1, "ක"), (0, "\u00a0"), (1, "ක")]),
        ("ඇpple", [(1, "ඇ"), (0, "pple")]),
        ("කक", [(1, "ක"), (2, "क")]),
        ("ක්‍‌x", [(1, "ක්‍‌"), (0, "x")]),
        ("a‍ක", [(0, "a‍"), (1, "ක")]),
        ("ක ‍ක", [(1, "ක"), (0, " ‍"), (1, "ක")]),
        ("👨‍👩‍👧ක", [(0, "👨‍👩‍👧"), (1, "ක")]),
        ("है। 5", [(2, "है।"), (0, " 5")]),
        (" ", [(0, " ")]),
        ("", []),
    ],
)
def test_segments(text: str, expected: list[tuple[int, str]]) -> None:
    assert route(text) == expected


ALPHABET = [*"ab1.", " ", "\n", "\u200d", "\u200c", *"කආාිි්ං෧", *"कअि्ंऽॐ़।१", "\u1cd0"]
mixed = st.lists(st.sampled_from(ALPHABET), max_size=16).map("".join)


@examples(1000)
@given(mixed)
def test_the_router_is_its_definition(text: str) -> None:
    sinhala = r"[\u0d80-\u0dff]"
    devanagari = r"[\u0900-\u097f\u1cd0-\u1cff\ua8e0-\ua8ff]"
    joined = r"(?:{0}|[\u200c\u200d])*"
    rules = [
        rf"(?:(?! |{sinhala}|{devanagari})[\s\S]| (?!{sinhala}|{devanagari}))+",
        rf" ?{sinhala}{joined.format(sinhala)}",
        rf" ?{devanagari}{joined.format(devanagari)}",
    ]
    oracle = regex.compile("|".join(f"({rule})" for rule in rules), regex.VERSION1)
    expected = [((match.lastindex or 0) - 1, match[0]) for match in oracle.finditer(text)]
    assert route(text) == expected


@examples(1000)
@given(mixed)
def test_nothing_is_lost_and_nothing_but_syllables_is_joined(text: str) -> None:
    cut = units(text)
    assert "".join(cut) == text
    sinhala = regex.compile(
        r" ?(?:[ක](?:\u200d?්\u200d?[ක])*(?:[ාි]|්\u200d?)?ං?|[ආ]ං?|[\s\S])", regex.VERSION1
    )
    for rule, segment in route(text):
        if rule == 1:
            assert all(sinhala.fullmatch(unit) for unit in units(segment))


# ---------------------------------------------------------------- the paper's tables

PAPER_FAULTS = {
    "paper/sinhala": [
        (4, "/table/transitions/PILI_SEEN/P", "කාා"),
        (5, "/table", "ක්\u200d"),
    ],
    "paper/devanagari": [
        (2, "/classes/M/ranges/3", "\u1cd0"),
        (2, "/classes/M/ranges/4", "\ua8e0"),
        (4, "/table/transitions/PILI_SEEN/P", "काा"),
        (5, "/table", "क्\u200c"),
        (6, "/table", "क्ऀऀ"),
    ],
}


@pytest.mark.parametrize("name", PAPER_FAULTS)
def test_the_papers_tables_break_its_own_conditions(name: str) -> None:
    """C P P leaves through ORPHAN (4), C H Z is accepted (5), C H M M is cut short (6)."""
    errors = check_schema(shipped_document(name))
    found = [(error.condition, error.pointer, error.counterexample) for error in errors]
    assert found == PAPER_FAULTS[name]
    with pytest.raises(SchemaError, match=f"condition {PAPER_FAULTS[name][0][0]}: "):
        load_schema(name)
    assert not load_schema(name, allow_invalid=True).valid


HARDER = [*ALPHABET, *"ෂෙ෴ष़॥", "\ua8e0", "\ua8ff"]
hard = st.lists(st.sampled_from(HARDER), max_size=24).map("".join)


@examples(2000)
@given(hard)
def test_the_papers_schemas_cut_as_the_published_router_does(text: str) -> None:
    """Segments and units; joiners at the very start of a text are one with other text here."""
    expected: list[tuple[int, str]] = []
    cut: list[str] = []
    for script, segment in segments(text):
        rule = 0 if script is None else 1 + SCRIPTS.index(script)
        if not rule and expected and not expected[-1][0]:
            segment = expected.pop()[1] + segment
        expected.append((rule, segment))
        if script is not None:
            cut += script.units(segment)
    assert route(text, paper()) == expected
    assert script_units(text, paper()) == cut


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("චන්ද්‍රයාගේ ආලෝකය", "ච|න්ද්‍ර|යා|ගේ| ආ|ලෝ|ක|ය"),
        ("විද්‍යාලය", "වි|ද්‍යා|ල|ය"),
        ("ක්‌ෂ", "ක්|\u200c|ෂ"),
        ("කිිි", "කිි|ි"),
        ("ක්‍", "ක්‍"),
        ("ශ‍්‍රී", "ශ|‍|්|‍|රී"),
        ("विद्यालय में पढ़ाई होती है।", "वि|द्या|ल|य| में| प|ढ़ा|ई| हो|ती| है|।"),
        ("ॐ", "ॐ"),
        ("क्ंं", "क्ं|ं"),
    ],
)
def test_the_papers_tables_cut_as_printed(text: str, expected: str) -> None:
    assert "|".join(units(text, paper())) == expected


# ---------------------------------------------------------------- the six conditions

TABLE = {
    "states": ["START", "C1", "C2", "H1", "ORPHAN", "PASSTHROUGH"],
    "start": "START",
    "accepting": ["C1", "C2"],
    "transitions": {
        "START": {"C": "C1", "H": "ORPHAN", "O": "PASSTHROUGH"},
        "C1": {"H": "H1"},
        "H1": {"C": "C2"},
        "C2": {"H": "H1"},
    },
}


def small(**changes: Any) -> Document:
    """A little schema with a table of its own: C (H C)*."""
    document: Document = {
        "name": "small",
        "title": "Small",
        "script": "Smal",
        "unicode": "16.0.0",
        "blocks": [["0061", "007A"]],
        "classes": {
            "C": {"description": "letters", "ranges": [["0061", "0066"]]},
            "H": {"description": "links", "ranges": ["0068"]},
        },
        "grammar": "C (H C)*",
        "table": copy.deepcopy(TABLE),
    }
    return {**document, **changes}


def changed(*path: str, value: Any) -> Document:
    """The little schema with one value changed, or removed if it is None."""
    document = small()
    place = document
    for key in path[:-1]:
        place = place.setdefault(key, {})
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


def test_a_correct_table_is_accepted_and_cuts_as_the_grammar_does() -> None:
    assert check_schema(small()) == []
    with_table, without = load_schema(small()), load_schema(changed("table", value=None))
    assert with_table.digest != without.digest
    tables = [compile_scanners([unit_scanner(each)]) for each in (with_table, without)]
    assert tables[0] == tables[1]


def test_a_table_that_never_stops_in_an_emit_state_need_not_name_one() -> None:
    assert check_schema(changed("table", "transitions", "START", value={"C": "C1"})) == []


@pytest.mark.parametrize(
    ("document", "condition", "pointer", "counterexample"),
    [
        (
            changed("classes", "H", "ranges", value=["0066"]),
            1,
            "/classes/H",
            "f",
        ),
        (
            changed("classes", "C", "ranges", value=["0061", ["005A", "0066"]]),
            2,
            "/classes/C/ranges/1",
            "Z",
        ),
        (
            changed("table", "transitions", "C1", value={"H": "ORPHAN", "C": "C2"}),
            4,
            "/table/transitions/C1/H",
            "ah",
        ),
        (
            changed("table", "transitions", "ORPHAN", value={"C": "C1"}),
            4,
            "/table/transitions/ORPHAN/C",
            "ha",
        ),
        (changed("table", "accepting", value=["C1", "C2", "H1"]), 5, "/table", "ah"),
        (changed("table", "accepting", value=["C1"]), 5, "/table", "aha"),
        (changed("grammar", value="C (H C)* H?"), 5, "/table", "ah"),
        (changed("table", "transitions", "C2", value={}), 6, "/table", "ahaha"),
    ],
)
def test_each_condition_has_its_error(
    document: Document, condition: int, pointer: str, counterexample: str
) -> None:
    errors = {error.condition: error for error in check_schema(document)}
    assert condition in errors
    error = errors[condition]
    assert (error.pointer, error.counterexample) == (pointer, counterexample)
    assert str(error).startswith(f"condition {condition}: ")
    with pytest.raises(SchemaError):
        load_schema(document)
    assert not load_schema(document, allow_invalid=True).valid


@pytest.mark.parametrize(("where", "item"), [("blocks", ["0020", "0020"]), ("joiners", "0020")])
def test_white_space_is_no_part_of_a_script(where: str, item: object) -> None:
    document = shipped_document("sinhala")
    document[where] = [*document[where], item]
    (error,) = check_schema(document)
    assert error.pointer == "/blocks"
    assert error.counterexample == " "
    assert "U+0020 is white space" in str(error)


def test_declared_joiners_are_the_exception_to_condition_2() -> None:
    stray = changed("classes", "H", "ranges", value=["0068", "200D"])
    assert [error.condition for error in check_schema(stray)] == [2]
    assert check_schema({**stray, "joiners": ["200D"]}) == []


def test_repeated_transitions_break_condition_3() -> None:
    text = json.dumps(small()).replace('"C1": {"H": "H1"}', '"C1": {"H": "H1", "H": "C2"}')
    with pytest.raises(SchemaError, match=r"condition 3: .* given 2 times") as caught:
        load_schema(text.encode())
    assert caught.value.condition == 3
    assert caught.value.pointer == "/table/transitions/C1/H"


@pytest.mark.parametrize(
    ("document", "pointer", "message"),
    [
        ({}, "", "'name' is a required property"),
        (small(colour="red"), "", "'colour' was unexpected"),
        (small(name="Small"), "/name", "does not match .*; expected: A short name: lower case"),
        (small(name="small\n"), "/name", "does not match"),
        (small(name="x" * 256), "/name", "too long"),
        (small(blocks=[]), "/blocks", "non-empty|too short"),
        (small(blocks=[["0061", "7a"]]), "/blocks/0/1", "does not match"),
        (small(blocks=[["007A", "0061"]]), "/blocks/0", "lower one first"),
        (small(joiners=["110000"]), "/joiners/0", "expected: A code point in four to six"),
        (small(joiners=["0c80"]), "/joiners/0", r'capital and without U\+, as "0D9A"'),
        (small(blocks=["0061", "007A"]), "/blocks/0", r'expected: .* as \["0D80", "0DFF"\]'),
        (
            small(classes={"C": {"description": "x", "ranges": ["U+0061"]}}),
            "/classes/C/ranges/0",
            "expected: A code point in .*, or the first and the last of a range",
        ),
        (
            small(classes={"O": {"description": "x", "ranges": ["0061"]}}),
            "/classes",
            "O is reserved for what is in no class",
        ),
        (small(grammar="C ("), "/grammar", "at position 2: the group is never closed"),
        (small(grammar="C X"), "/grammar", "no class 'X'"),
        (small(grammar="C*", table=TABLE), "/grammar", "empty string"),
        (changed("table", "start", value="BEGIN"), "/table/start", "no 'BEGIN'"),
        (changed("table", "accepting", value=["C9"]), "/table/accepting/0", "no 'C9'"),
        (
            changed("table", "transitions", "C1", value={"X": "C1"}),
            "/table/transitions/C1/X",
            "no 'X'; known are C, H, O",
        ),
        (
            changed("table", "transitions", "a/b", value={}),
            "/table/transitions/a~1b",
            "no 'a/b'",
        ),
    ],
)
def test_what_is_no_schema_is_refused_even_if_invalid_ones_are_allowed(
    document: Document, pointer: str, message: str
) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        load_schema(document, allow_invalid=True)
    assert caught.value.pointer == pointer
    assert caught.value.condition is None


def test_the_name_of_the_base_route_is_taken() -> None:
    (error,) = check_schema(small(name="other"))
    assert error.pointer == "/name"
    assert "choose another name" in str(error)


@pytest.mark.parametrize(
    ("path", "item", "pointer"),
    [
        (("blocks",), ["D000", "D800"], "/blocks/0"),
        (("joiners",), "DFFF", "/joiners/0"),
        (("classes", "C", "ranges"), ["D900", "DA00"], "/classes/C/ranges/0"),
    ],
)
def test_surrogates_are_no_characters(path: tuple[str, ...], item: object, pointer: str) -> None:
    (error,) = check_schema(changed(*path, value=[item]))
    assert error.pointer == pointer
    assert "surrogate" in str(error)


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 100_000])
def test_deep_nesting_is_refused(text: bytes) -> None:
    with pytest.raises(SchemaError, match="nested too deeply"):
        load_schema(text)


def test_deep_nesting_that_json_can_read_is_refused() -> None:
    document: Document = {}
    for _ in range(2 * sys.getrecursionlimit()):
        document = {"a": document}
    (error,) = check_schema(document)
    assert "nested too deeply" in str(error)


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"name": "\xff"}', b'{"name":1,"name":2}'])
def test_bytes_that_are_no_schema(text: bytes) -> None:
    with pytest.raises(SchemaError):
        load_schema(text)


# ---------------------------------------------------------------- loading


def test_every_source_gives_the_same_schema(tmp_path: Path) -> None:
    document = small()
    path = tmp_path / "small.json"
    path.write_text(json.dumps(document, indent=4), encoding="utf-8")
    expected = load_schema(document)
    assert load_schema(path) == load_schema(str(path)) == load_schema(path.read_bytes()) == expected


def test_the_digest_is_of_the_meaning_not_the_layout() -> None:
    document = small()
    shuffled = json.dumps(dict(reversed(document.items())), indent=1)
    assert load_schema(shuffled.encode()).digest == load_schema(document).digest
    assert load_schema(small(title="Other")).digest != load_schema(document).digest


def test_a_description_may_hold_a_lone_surrogate() -> None:
    schema = load_schema(json.dumps(small(title="\ud800")).encode())
    assert schema.digest != load_schema(small()).digest


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="shipped are ahom, balinese, "):
        load_schema("klingon")
    with pytest.raises(FileNotFoundError):
        load_schema(tmp_path / "missing.json")


def test_a_missing_validator_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(SchemaError, match=re.escape("pip install 'wwho[train]'")):
        load_schema("sinhala")


# ---------------------------------------------------------------- compiling


def test_schemas_in_one_model_must_not_share_a_name() -> None:
    letters = {"C": {"description": "letters", "ranges": [["0C95", "0CB9"]]}}
    document = small(blocks=[["0C80", "0CFF"]], classes=letters, grammar="C", joiners=[])
    document.pop("table", None)
    with pytest.raises(SchemaError, match="two schemas are called 'small'"):
        compile_schemas([load_schema(small()), load_schema(document)], None)


def test_a_grammar_that_is_too_large_is_refused_in_time() -> None:
    document = small(grammar="(C | H)* C (C | H){40}")
    document.pop("table", None)
    with pytest.raises(PatternError, match="more than 20000 states"):
        compile_schemas([load_schema(document)], None)


def test_schemas_in_one_model_must_not_share_characters() -> None:
    one, two = load_schema(small()), load_schema(small(name="twin"))
    with pytest.raises(
        SchemaError, match=r"U\+0061 is claimed by both 'small' \(blocks\) and 'twin'"
    ):
        router_scanner([one, two])


def test_the_order_of_scanners_is_fixed() -> None:
    names = [automaton.name for automaton in both().automata]
    assert names == ["router", "pretokenizer", "sinhala", "devanagari"]
    alone = compile_schemas([], None)
    assert [automaton.name for automaton in alone.automata] == ["pretokenizer"]


def test_unit_scanners_cut_any_text() -> None:
    compiled = both()
    for text in ("x", "  x", " ", "  ", "ක x\n", "\u200d"):
        found = list(matches(compiled, compiled.automata[FIRST_UNITS], text))
        assert "".join(text[start:end] for start, end, _ in found) == text


# ---------------------------------------------------------------- a new script, without code


README = shipped_folder().joinpath("README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_readme_builds_a_script_that_unicode_lacks(tmp_path: Path) -> None:
    (document,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    (tmp_path / "ranjana.json").write_text(document, encoding="utf-8")
    check_console(tmp_path, page=README)


def test_the_schemas_written_by_hand_go_together() -> None:
    compiled = compile_schemas([load_schema(name) for name in HAND_MADE], None)
    assert units("ಅರಮನೆ ක क", compiled) == ["ಅ", "ರ", "ಮ", "ನೆ", " ක", " क"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a joiner before the virama: RA keeps its shape, and is no reph
        ("ರ‍್ಯಾಂಕ್", "ರ‍್ಯಾಂ|ಕ್"),
        ("ಈಸ್ಟರ‍್", "ಈ|ಸ್ಟ|ರ‍್"),
        ("ಆರ‍್‌ಡಿ", "ಆ|ರ‍್‌ಡಿ"),
        # a joiner after it
        ("ಮಾರ್‌ಗ", "ಮಾ|ರ್‌ಗ"),
        ("ಸ್‌", "ಸ್‌"),
        ("ಕೋ", "ಕೋ"),
    ],
)
def test_kannada_syllables(text: str, expected: str) -> None:
    compiled = compile_schemas([load_schema("kannada")], None)
    assert "|".join(units(text, compiled)) == expected


@pytest.mark.corpora
def test_kannada_joiners_of_real_text(corpora: Path) -> None:
    """Wherever a joiner stands before a virama, all three letters are in one syllable."""
    compiled = compile_schemas([load_schema("kannada")], None)
    joined = re.compile("[ಕ-ಹೞ]಼?[\u200c\u200d]್")
    with lzma.open(corpora / "train_kn.txt.xz", "rt", encoding="utf-8") as lines:
        words = [word for line in lines if joined.search(line) for word in line.split()]
    found = [word for word in words if joined.search(word)]
    assert len(found) > 20
    for word in found:
        assert not any(unit.startswith("್") for unit in units(word, compiled)), word
