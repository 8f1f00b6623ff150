"""SCRIPT: blocks, pieces, the authors' files; against a reference that shares nothing with it."""

from __future__ import annotations

import copy
import json
import random
import sys
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from script_reference import Script, trained, zipped
from tiny import script_model

from wwho import Tokenizer
from wwho.assemble.patterns import PATTERNS
from wwho.backends.native import MemoryPool
from wwho.backends.select import BackendName
from wwho.compile.scanners import compile_scanners
from wwho.compile.script import SPACED_GROUPS, script_blocks, script_groups, script_pieces
from wwho.errors import SourceError, UnknownTokenError
from wwho.format.write import write_artifact
from wwho.importers.detect import import_source
from wwho.importers.source import Source
from wwho.reference.scan import matches

sys.path.append(str(Path(__file__).parents[2] / "tools" / "bench"))
from script import read_published

BACKENDS: tuple[BackendName, ...] = ("reference", "native")
TEXTS = (
    "",
    " ",
    "  two  spaces, one space\r\n\t \n a",
    "hello world, hello words. don't DON'T e\u0301cole école 12 123456 ١٢٣ 4५",
    "हिन्दी में लिखा है। हिन्दी ಕ್ಷ තමිල් වචන ภาษาไทย ภาษา 한국어 말",
    "你好，世界。ひらがな漢字カタカナー ー ｰ 〇 ⺀🈀⺁ あ漢い",
    "\u0301\u0301 a\u0301b \u0301б a\u0301б x\u200dy x\u200by \ufeffx \u00adx \u00a0a",
    "a\u0378\u0301 e\u0378\u0301 \ue000x\U0010ffffy \ufffe",
    "👩\u200d👩\u200d👧 👍🏽 🏴\U000e0067\U000e0062\U000e007f 1\u20e3 🇩🇪",
    "\x00\x01\x02 \x7f\u0085 \ufffd \u2028\u2029",
    "\u212b \u0958 \uac00 \u1100\u1161\u11a8 \u0344 \ufb1d",
    "a" * 300 + " " + "ก" * 200,
)


@cache
def config() -> dict[str, Any]:
    """What the authors' files say of blocks."""
    first: dict[tuple[str, str], int] = {}
    parts: dict[tuple[str, str], int] = {}
    blocks = []
    for number, block in enumerate(script_blocks()):
        group = (block.script, block.kind)
        parts[group] = parts.get(group, -1) + 1
        characters = [chr(each) for each in block.characters]
        blocks.append([first.setdefault(group, number), *group, parts[group], characters])
    return {
        "num_index_tokens": 1448,
        "num_blocks": len(blocks),
        "script_cat_with_space": [list(each) for each in SPACED_GROUPS],
        "blocks": blocks,
    }


VARIANTS = {
    "bytes": ("RegexBytePretokenizer", PATTERNS["cl100k_base"]),
    "bytes_o200k": ("RegexBytePretokenizer", PATTERNS["o200k_base"]),
    "script": ("ScriptEncodingPretokenizer", None),
    "script_o200k": ("ScriptEncodingPretokenizerRegexSplitting", PATTERNS["o200k_base"]),
}


@cache
def document(variant: str, constrained: bool) -> dict[str, Any]:
    """A file of one of the eight variants, trained on the texts."""
    name, regex = VARIANTS[variant]
    found: dict[str, Any] = {} if variant.startswith("bytes") else dict(config())
    found["enforce_char_boundaries"] = constrained
    if regex is not None:
        found["regex"] = regex
    return trained({"class": name, "config": found}, TEXTS[:-1], 250)


def imported(content: dict[str, Any]) -> bytes:
    return write_artifact(import_source(Source("x.json.gz", zipped(content))).artifact)


@cache
def blob(variant: str, constrained: bool) -> bytes:
    return imported(document(variant, constrained))


def every_variant() -> list[tuple[str, bool]]:
    return [(variant, constrained) for variant in VARIANTS for constrained in (False, True)]


def test_blocks_are_those_of_the_paper() -> None:
    blocks = script_blocks()
    assert sum(len(block.characters) for block in blocks) == 155_063
    assert len({block.script for block in blocks}) == 170
    assert sum(len(block.ranges) for block in blocks) == 1474
    names = [(block.script, block.kind) for block in blocks]
    landmarks = {
        ("Han", "N"): 1449,
        ("Common", "LM"): 1530,
        ("Common", "PS"): 1532,
        ("Common", "Z"): 1537,
        ("Common", "C"): 1538,
        ("Latin", "LM"): 1550,
        ("Arabic", "LM"): 1552,
        ("Inherited", "LM"): 1564,
        ("Inherited", "C"): 1565,
        ("Devanagari", "LM"): 1606,
        ("Sinhala", "LM"): 1639,
        ("Kannada", "LM"): 1668,
    }
    assert {group: 1449 + names.index(group) for group in landmarks} == landmarks
    assert blocks[1537 - 1449].characters.index(0x20) == 2


def test_sizes_of_groups_are_those_of_figure_2() -> None:
    limits = (2, 5, 10, 50, 100, 500, 5000, 10**6)
    sizes = [len(points) for points in script_groups().values()]
    counts = [sum(size <= limit for size in sizes) for limit in limits]
    found = [b - a for a, b in zip([0, *counts], counts, strict=False)]
    assert found == [54, 32, 72, 100, 77, 29, 12, 5]


def test_pieces_are_those_of_the_loop_over_groups() -> None:
    compiled = compile_scanners([script_pieces(script_blocks())])
    script = Script({"pretokenizer": {"class": "", "config": config()}, "merge_rules": []})
    rng = random.Random(7)
    letters = "aé \n\t\rб漢あカー1١५.!,\u0301\u200d\u064b\u200b\u3007🈀⺀कไ한👍\u0640\u00a0ー"
    texts = ["".join(rng.choices(letters, k=rng.randint(1, 12))) for _ in range(3000)]
    for text in (*texts, *TEXTS):
        kept = "".join(each for each in text if each in script.pairs)
        found = [kept[a:b] for a, b, _ in matches(compiled, compiled.automata[0], kept)]
        assert found == script.pieces(kept), text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("variant", "constrained"), every_variant())
def test_imported_files_give_the_same_ids_and_texts(
    variant: str, constrained: bool, backend: Any
) -> None:
    script = Script(document(variant, constrained))
    tokenizer = Tokenizer(blob(variant, constrained), backend=backend)
    for text in TEXTS:
        ids = script.encode(text)
        assert tokenizer.encode(text) == ids, text
        assert tokenizer.decode(ids) == script.decode(ids), text
        assert tokenizer.count(text) == len(ids)
    rng = random.Random(3)
    known = sorted(script.symbols)
    for _ in range(100):
        ids = rng.choices(known, k=rng.randint(0, 12))
        assert tokenizer.decode(ids) == script.decode(ids), ids
        assert "".join(tokenizer.decode_stream(iter(ids))) == script.decode(ids), ids


@pytest.mark.parametrize("backend", BACKENDS)
def test_unknown_ids_are_an_error(backend: Any) -> None:
    tokenizer = Tokenizer(blob("script", True), backend=backend)
    for token in (0, tokenizer.n_vocab, 1 << 20):
        with pytest.raises(UnknownTokenError):
            tokenizer.decode([token])


def test_what_each_token_came_from() -> None:
    text = "ee\u0301 e\u0301\u0378漢"
    for backend in BACKENDS:
        tokenizer = Tokenizer(blob("script", True), backend=backend)
        ids, places = tokenizer.encode_with_offsets(text)
        assert len(ids) == len(places)
        assert {text[start:end] for start, end in places} >= {"漢"}
        assert (places[0][0], places[-1][1]) == (0, len(text))


def test_shapes_of_tokens() -> None:
    """Constrained ones are whole, but for the symbols; others are what is between."""
    for variant in VARIANTS:
        script = Script(document(variant, True))
        first = script.start + script.n_symbols
        shapes = {script.shape(token) for token in script.symbols if token >= first}
        assert shapes <= ({"whole", "head"} if variant.startswith("bytes") else {"whole"})


def wrong(change: Any) -> dict[str, Any]:
    content = copy.deepcopy(document("script", True))
    change(content)
    return content


def swap(content: dict[str, Any]) -> None:
    rules = content["merge_rules"]
    rules[0], rules[1] = rules[1], rules[0]


def set_rule(**fields: Any) -> Any:
    return lambda content: content["merge_rules"][5].update(fields)


def set_config(**fields: Any) -> Any:
    return lambda content: content["pretokenizer"]["config"].update(fields)


def blocks_of(content: dict[str, Any]) -> list[Any]:
    found: list[Any] = content["pretokenizer"]["config"]["blocks"]
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap, "/merge_rules/0: the merge makes the id 1918, expected 1917"),
        (set_rule(tokens_from=[1, 99999]), "parts come before wholes"),
        (set_rule(tokens_from=[0, 1]), "parts come before wholes"),
        (set_rule(tokens_from=[1]), "expected tokens_from"),
        (set_rule(tokens_from=[True, 2]), "expected tokens_from"),
        (lambda c: blocks_of(c).__setitem__(1, blocks_of(c)[0]), "blocks/1: .* twice, at 0 and 1"),
        (lambda c: blocks_of(c)[0][4].append("a"), r"U\+0061 .* blocks 0 and 101, expected"),
        (lambda c: blocks_of(c)[0].pop(), "expected number, script"),
        (lambda c: blocks_of(c).pop(), "expected 468"),
        (set_config(num_index_tokens=1447), "1448 characters, expected at most 1447"),
        (set_config(num_index_tokens=2600), "symbols are possible"),
        (set_config(normalization="NFX"), "expected one of NFC"),
        (set_config(starting_token_id=-1), "expected an id"),
        (set_config(regex="a"), "no rule matches"),
        (set_config(regex="(["), "never closed"),
        (lambda c: c["pretokenizer"].update({"class": "Other"}), "expected one of"),
        (lambda c: c["info"].update(version="sebpe-v9"), "sebpe-v1"),
    ],
)
def test_bad_files_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        imported(wrong(change))


@pytest.mark.parametrize("cut", [1, 100, 5000])
def test_damaged_gzip_is_refused(cut: int) -> None:
    data = zipped(document("bytes", True))
    with pytest.raises(SourceError):
        import_source(Source("x.json.gz", data[:-cut]))


def test_plain_json_and_normal_forms() -> None:
    content = wrong(set_config(normalization=None))
    data = json.dumps(content).encode()
    model = write_artifact(import_source(Source("x.json", data)).artifact)
    tokenizer = Tokenizer(model)
    assert tokenizer.decode(tokenizer.encode("e\u0301")) == "e\u0301"
    content["pretokenizer"]["config"]["normalization"] = "NFD"
    tokenizer = Tokenizer(imported(content))
    assert tokenizer.decode(tokenizer.encode("é")) == "e\u0301"


def newer(blocks: list[dict[str, Any]], n_merges: int = 120) -> dict[str, Any]:
    """A tokenizer as the newer program writes it."""
    options = {"script_config": {"blocks": blocks}, "script_split": True}
    made = {**options, "enforce_char_boundaries": True, "enforce_inherited": True}
    return trained({"config_class": "ScriptPretokenizer", "config": made}, TEXTS[:-1], n_merges)


def newer_blocks(kinds: dict[str, str]) -> list[dict[str, Any]]:
    """Blocks where kinds have other names, or go across scripts (`*`); all others one a script."""
    found: dict[tuple[str, str], str] = {}
    for _, script, kind, _, characters in config()["blocks"]:
        named = kinds.get(kind, "ALL") if script != "Inherited" else "ALL"
        group = ("ALL", named[1:]) if named.startswith("*") else (script, named)
        found[group] = found.get(group, "") + "".join(characters)
    han = [*found].index(("Han", "LM"))
    return [
        {
            "script_id": han if group == ("Hiragana", "LM") else number,
            **dict(zip(("script", "category"), group, strict=True)),
            **{"sub_block_id": part, "chars": characters[at : at + 1448]},
            "combines_with_spaces": group in SPACED_GROUPS or group == ("ALL", "PSF"),
        }
        for number, (group, characters) in enumerate(found.items())
        for part, at in enumerate(range(0, len(characters), 1448))
    ]


@pytest.mark.parametrize(
    "kinds", [{each: each for each in ("LM", "PS", "N", "Z", "C")}, {"LM": "LM", "PS": "*PSF"}]
)
def test_files_of_the_newer_program(kinds: dict[str, str]) -> None:
    content = newer(newer_blocks(kinds))
    script, tokenizer = Script(content), Tokenizer(imported(content))
    for text in TEXTS:
        assert tokenizer.encode(text) == script.encode(text), text
        assert tokenizer.decode(tokenizer.encode(text)) == script.normalized(text)
    # NFC comes before dropping: what is between keeps an accent from its letter
    assert script.normalized("e\u0378\u0301") == "e\u0301"


DIGITS = (
    "0 12 123 1234 12345 1234567 0078",
    "ab12c0078d \u0669 x  1  9a\u0301 7\u0301 1\u0378234 \U000e0001",
    "\u00bd1 1\u00b2 a1b22c333d4444 \n1\n",
    "1" * 700,
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("pattern", [None, PATTERNS["cl100k_base"]])
@pytest.mark.parametrize("handling", ["SPLIT", "RTL3"])
def test_digits_that_are_tokens(handling: str, pattern: str | None, backend: Any) -> None:
    made: dict[str, Any] = {"digit_handling": handling, "regex_pattern": pattern}
    texts = (*TEXTS[:-1], *DIGITS)
    content = trained({"config_class": "UTF8Pretokenizer", "config": made}, texts, 60)
    script, tokenizer = Script(content), Tokenizer(imported(content), backend=backend)
    for text in texts:
        ids = script.encode(text)
        assert tokenizer.encode(text) == ids, text
        assert tokenizer.decode(ids) == script.decode(ids) == script.normalized(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"digit_handling": "LTR3"}, "expected SPLIT, RTL3 or null"),
        ({"digit_handling": "SPLIT"}, "beside blocks and indices"),
    ],
)
def test_digits_that_are_refused(change: dict[str, Any], message: str) -> None:
    content = newer(newer_blocks({"LM": "LM"}), 0)
    content["pretokenizer"]["config"] |= change
    with pytest.raises(SourceError, match=message):
        imported(content)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wwho.cli.main import main

    file = tmp_path / "x.json.gz"
    file.write_bytes(zipped(document("script", True)))
    assert main(["import", str(file), "-o", str(tmp_path / "x.wwho")]) == 0
    assert "SCRIPT" in capsys.readouterr().out
    text = "हिन्दी x"
    tokenizer = Tokenizer((tmp_path / "x.wwho").read_bytes())
    assert tokenizer.decode(tokenizer.encode(text)) == unicodedata.normalize("NFC", text)
    assert main(["verify", str(tmp_path / "x.wwho")]) == 0


def test_a_long_text_needs_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is spelled can be cut between pieces, so scratch memory stays as it is."""

    def grow(*_: object) -> None:
        raise AssertionError("no cut was found")

    monkeypatch.setattr(MemoryPool, "exchange_for_larger", grow)
    line = "हिन्दी, a word; \n"
    for variant in ("script", "script_o200k"):
        tokenizer = Tokenizer(blob(variant, True))
        assert tokenizer.encode(line * 2000) == tokenizer.encode(line) * 2000


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_broken_byte_is_a_character(backend: Any) -> None:
    """Of a model over characters it is U+FFFD; one over bytes keeps it."""
    tokenizer = Tokenizer(blob("script", True), backend=backend)
    assert tokenizer.encode(b"a\xff\xe0 b") == tokenizer.encode("a\ufffd\ufffd b")
    tokenizer = Tokenizer(blob("bytes", True), backend=backend)
    assert tokenizer.decode_bytes(tokenizer.encode(b"a\xff\xe0 b")) == b"a\xff\xe0 b"


@pytest.mark.parametrize(("variant", "constrained"), every_variant())
def test_tables_of_a_published_file(variant: str, constrained: bool, tmp_path: Path) -> None:
    """What the benchmark reads of a file is what its tokens are, by the reference."""
    content = copy.deepcopy(document(variant, constrained))
    script = Script(content)
    left = Counter(token for text in TEXTS for token in script.encode(text))
    content["metadata"]["tokens"] = [{"id": each, "final_count": left[each]} for each in left]
    (file := tmp_path / "x.json.gz").write_bytes(zipped(content))
    shapes = Counter(script.shape(rule["token_to"]) for rule in content["merge_rules"])
    found = read_published(file)
    n_symbols = sum(len(script.symbols[token]) * count for token, count in left.items())
    assert (found.n_tokens, found.n_symbols) == (left.total(), n_symbols)
    if constrained:
        assert (found.broken, found.mixed) == (shapes["head"], 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_bytes_of_a_token_are_its_text(backend: Any) -> None:
    tokenizer = Tokenizer(write_artifact(script_model()), backend=backend)
    found = [tokenizer.decode_single_token_bytes(273 + k) for k in range(7)]
    whole = {0: b"a", 1: b"b", 2: b"ab", 4: b" ", 5: b" a"}
    for token, text in whole.items():
        assert found[token] == text
        assert tokenizer.encode_single_token(text) == 273 + token
    for token in {*range(7)} - {*whole}:  # their symbols
        assert len(found[token]) % 2 == 0
        assert found[token][0] >= 0xF5
