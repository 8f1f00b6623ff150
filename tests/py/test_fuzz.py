"""The C core under sanitizers: a short fuzz, artifacts broken field by field, draws, eight threads.

WWHO_FUZZ_SECONDS sets how long each harness runs; by default, two thousand executions.
tests/fuzz/README.md has the rest.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from exhaustive import SEED
from odd_models import (
    CHAIN,
    LETTERS,
    LINKS,
    any_pairs,
    byte_model,
    chain_model,
    giving_up_bytes,
    giving_up_letters,
    letter_model,
    long_token_model,
)
from tiny import kinds_model, odd_bpe_model

from wwho import ArtifactError, Tokenizer
from wwho.format.container import Section, read_container
from wwho.format.layout import ENTRY_BYTES, HEADER_BYTES, N_PAGES, Kind
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.sampling import Sampling

ROOT = Path(__file__).resolve().parents[2]
FUZZ = ROOT / "tests" / "fuzz"
sys.path.insert(0, str(FUZZ))

import backends  # noqa: E402
import harness  # noqa: E402
import models  # noqa: E402
import seeds  # noqa: E402

pytestmark = pytest.mark.slow  # what all tests share takes long to make

STATUSES = re.compile(r"WWHO_([A-Z_]+) = (\d+)")
SECONDS = int(os.environ.get("WWHO_FUZZ_SECONDS", "0"))
TINY = ROOT / "tests" / "vectors" / "tiny.wwho"
CL100K = ROOT / "py" / "wwho" / "models" / "cl100k_base.wwho"
BLOB = TINY.read_bytes()
SECTIONS = read_container(BLOB).sections
OFFSETS = {section.kind: section.offset for section in reversed(SECTIONS)}

HEADER = (ROOT / "wasm" / "include" / "wwho.h").read_text("utf-8")
STATES = STATUSES.findall(HEADER.split("/* Kinds of sections")[0])
NAMES = {int(code): name for name, code in STATES if int(code) >= 16}
NAMES[0] = "OK"
TOKENS = {"PAIRS", "PAIR_ORDER", "PAIR_DUPLICATE", "TOKEN_LENGTH", "TOKEN_DUPLICATE"}
# The statuses that a wrong number of a section may have: the section's own, and those of what is
# then read otherwise.
REFUSALS = {
    Kind.CLASSES: {"CLASSES", "AUTOMATON_SHAPE"},
    Kind.AUTOMATA: {"AUTOMATON_SHAPE", "AUTOMATON_TABLE", "AUTOMATON_TOTAL", "STEPS", "ROUTES"},
    Kind.STEPS: {"STEPS", "ROUTES"},
    Kind.ROUTES: {"ROUTES"},
    Kind.MODEL: {"MODEL", "SYMBOLS", "IDS", "ROUTES", "ADDED", *TOKENS},
    Kind.ADDED: {"ADDED", "MODEL", "IDS"},
    Kind.PROVENANCE: set(),
}
# CLASSES holds 38,000 numbers of two sorts: every 193rd of them in a short run, all in ten minutes;
# AUTOMATA and the models hold 100 to 864: every third of them, or all in half a minute. The core
# reads nothing of PROVENANCE, so each change opens, and what opens is tried on texts.
STEPS = {
    Kind.CLASSES: max(1, min(193, 970 // max(1, SECONDS))),
    Kind.AUTOMATA: 3 if SECONDS < 30 else 1,
    Kind.MODEL: 3 if SECONDS < 30 else 1,
    Kind.PROVENANCE: 9 if SECONDS < 30 else 1,
}
HEAD = {Kind.MODEL: 16}  # numbers of a model that stand before its tables; all are tried

Field = tuple[int, int]  # where it lies in the file, and its width in bytes
Splice = tuple[int, int, bytes]  # see tests/fuzz/splices.c


def program(name: str) -> Path:
    """The program built, or the test skipped."""
    try:
        return harness.build(name)
    except harness.MissingError as error:
        pytest.skip(str(error))


# Fuzzing


@pytest.mark.parametrize("name", harness.HARNESSES)
def test_smoke(name: str, tmp_path: Path) -> None:
    """The seeds, and what is made of them: two thousand inputs, or what some seconds allow."""
    program(name)
    most = {"seconds": SECONDS} if SECONDS else {"runs": 2000}
    outcome = harness.fuzz(name, tmp_path / "corpus", tmp_path / "findings", **most)
    assert not outcome.finding, outcome.log
    assert outcome.executions >= most.get("runs", 1)
    assert outcome.edges > 100


def test_seeds_are_written_anew(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "old").write_bytes(b"old")
    seeds.write_seeds(tmp_path)
    found = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.glob("*/*")}
    assert {name: path.read_bytes() for name, path in found.items()} == seeds.seeds()
    assert {name.partition("/")[0] for name in found} == set(harness.HARNESSES)


# Artifacts broken by structure


def numbers(at: int, end: int, width: int) -> Iterator[Field]:
    """Fields of one width, one behind another."""
    return ((place, width) for place in range(at, end, width))


def automata_fields(at: int) -> Iterator[Field]:
    (n_classes,) = struct.unpack_from("<H", BLOB, OFFSETS[Kind.CLASSES])
    (count,) = struct.unpack_from("<H", BLOB, at)
    yield from numbers(at, at + 4, 2)
    at += 4
    for _ in range(count):
        n_states, n_columns = struct.unpack_from("<HH", BLOB, at)
        table = at + 8 + n_classes + n_classes % 2
        end = table + 2 * n_states * n_columns
        yield from numbers(at, at + 8, 2)
        yield from numbers(at + 8, table, 1)
        yield from numbers(table, end + -end % 4, 2)
        at = end + -end % 4


def routes_fields(at: int) -> Iterator[Field]:
    (n_routes,) = struct.unpack_from("<H", BLOB, at + 2)
    yield from numbers(at, at + 4, 2)
    at += 4
    for _ in range(n_routes):
        name = at + 4 + 2 * BLOB[at + 1]
        end = name + 1 + BLOB[name]
        yield from numbers(at, at + 2, 1)
        yield from numbers(at + 2, name, 2)
        yield from numbers(name, end, 1)
        at = end


def section_fields(section: Section) -> list[Field]:
    """Every field of a section, and its padding."""
    kind, at, end = section.kind, section.offset, section.end
    pages, rest = at + 4 + 2 * N_PAGES, numbers(at + 40, end, 1)
    readers: dict[Kind, Callable[[], Iterable[Field]]] = {
        Kind.CLASSES: lambda: chain(numbers(at, pages, 2), numbers(pages, end, 1)),
        Kind.AUTOMATA: lambda: automata_fields(at),
        Kind.ROUTES: lambda: routes_fields(at),
        Kind.MODEL: lambda: chain(numbers(at, at + 8, 1), numbers(at + 8, at + 40, 4), rest),
        Kind.ADDED: lambda: chain(numbers(at, at + 4, 4), numbers(at + 4, end, 1)),
    }
    found = list(readers[kind]() if kind in readers else numbers(at, end, 1))
    assert found[-1][0] + found[-1][1] == end
    assert all(place + width == after for (place, width), (after, _) in pairwise(found))
    return [*found, *numbers(end, end + -end % 4, 1)]


def choose_fields(kind: Kind, fields: list[Field]) -> list[Field]:
    """Return the fields of a section to try: its first ones, the last, and some in between."""
    head = HEAD.get(kind, 2)
    return [*fields[:head], *fields[head : -1 : STEPS.get(kind, 1)], fields[-1]]


def break_fields(fields: list[Field], blob: bytes = BLOB) -> list[Splice]:
    """Each field as 0, 1, its largest value, one less and one more."""
    splices = []
    for at, width in fields:
        value, largest = int.from_bytes(blob[at : at + width], "little"), 256**width - 1
        for other in sorted({0, 1, largest, value - 1 & largest, value + 1 & largest} - {value}):
            splices.append((at, at + width, other.to_bytes(width, "little")))
    return splices


def statuses(splices: list[Splice], path: Path = TINY) -> list[str]:
    """Return the status of opening a file with each splice; what opens is tried, under ASan."""
    stream = b"".join(struct.pack("<III", keep, end, len(new)) + new for keep, end, new in splices)
    command = [str(program("splices")), str(path)]
    done = subprocess.run(command, input=stream, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert len(done.stdout) == len(splices)
    return [NAMES[code] for code in done.stdout]


def assemble(parts: list[tuple[int, bytes]]) -> Splice:
    """The whole file replaced by one of these sections, in this order."""
    offset = HEADER_BYTES + ENTRY_BYTES * len(parts)
    table, data = b"", b""
    for kind, part in parts:
        table += struct.pack("<III", kind, offset + len(data), len(part))
        data += part + bytes(-len(part) % 4)
    header = BLOB[:10] + struct.pack("<H", len(parts)) + BLOB[12:HEADER_BYTES]
    return 0, len(BLOB), header + table + data


PARTS = [(int(part.kind), BLOB[part.offset : part.end]) for part in SECTIONS]


def test_the_file_itself_opens() -> None:
    assert statuses([(0, 0, b""), assemble(PARTS)]) == ["OK", "OK"]
    assert assemble(PARTS)[2] == BLOB


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.kind.name)
def test_numbers_of_a_section(section: Section) -> None:
    kind, end = section.kind, section.end
    splices = break_fields(choose_fields(kind, section_fields(section)))
    found = statuses(splices)
    inside = [status for (keep, _, _), status in zip(splices, found, strict=True) if keep < end]
    assert set(inside) <= REFUSALS[kind] | {"OK"}
    assert set(found[len(inside) :]) <= {"PADDING"}
    assert splices[0][0] == section.offset
    # every section but PROVENANCE has numbers that must be as they are
    assert (set(inside) == {"OK"}) == (kind == Kind.PROVENANCE), Counter(inside)


@pytest.mark.parametrize("number", [0, 1], ids=["base", "syllables"])
def test_numbers_of_a_model_with_ids_of_its_own(number: int) -> None:
    path = TINY.with_name("paper.wwho")
    blob = path.read_bytes()
    models = [each for each in read_container(blob).sections if each.kind == Kind.MODEL]
    section = models[number]
    fields = [field for field in section_fields(section) if field[0] < section.end]
    found = set(statuses(break_fields(choose_fields(Kind.MODEL, fields), blob), path))
    assert found - {"OK"}
    assert found <= REFUSALS[Kind.MODEL] | {"OK"}


def entries(at: int) -> list[Field]:
    """One field of every entry of the section table."""
    first = HEADER_BYTES + at
    return [(first + ENTRY_BYTES * k, 4) for k in range(len(SECTIONS))]


WRONG_LENGTH = {"CLASSES", "AUTOMATON_SHAPE", "ROUTES", "STEPS", "PAIRS"}


@pytest.mark.parametrize(
    ("name", "fields", "expected"),
    [
        ("magic", [*numbers(0, 8, 1)], {"MAGIC"}),
        ("version", [(8, 2)], {"VERSION"}),
        ("n_sections", [(10, 2)], {"SECTION_TABLE", "SECTION_BOUNDS"}),
        ("file_size", [(12, 4)], {"TRUNCATED", "TRAILING"}),
        ("checksum", [(16, 4)], {"CHECKSUM"}),
        # a section in place of the one before or after it
        ("kinds", entries(0), {"SECTION_ORDER", "SECTION_KIND", "SECTION_MISSING"}),
        ("offsets", entries(4), {"SECTION_BOUNDS"}),
        # one byte more or less is padding, or read with what is before it
        ("lengths", entries(8), {"SECTION_BOUNDS", "PADDING", *WRONG_LENGTH}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_numbers_of_the_header(name: str, fields: list[Field], expected: set[str]) -> None:
    assert set(statuses(break_fields(fields))) == expected, name


def swap_sections(k: int) -> list[tuple[int, bytes]]:
    """The sections, number k behind the next one."""
    return [*PARTS[:k], PARTS[k + 1], PARTS[k], *PARTS[k + 2 :]]


def test_sections_in_another_order() -> None:
    """But for two models, whose order says which is which."""
    orders = [
        assemble(swap_sections(k)) for k in range(len(PARTS) - 1) if PARTS[k][0] != PARTS[k + 1][0]
    ]
    assert set(statuses([*orders, assemble(PARTS[::-1])])) == {"SECTION_ORDER"}


def test_sections_that_hold_what_is_another_s() -> None:
    kinds = [kind for kind, _ in PARTS]
    mixed = []
    for k in range(len(PARTS) - 1):
        parts = swap_sections(k)
        mixed.append(assemble(list(zip(kinds, (part for _, part in parts), strict=True))))
    found = statuses(mixed)
    assert found[:4] == ["CLASSES", "AUTOMATON_SHAPE", "STEPS", "ROUTES"]
    assert set(found[4:]) <= {"ROUTES", "MODEL", "ADDED", "SYMBOLS", *TOKENS}


def test_sections_twice() -> None:
    twice = [assemble([*PARTS[: k + 1], *PARTS[k:]]) for k in range(len(PARTS))]
    models = [kind == Kind.MODEL for kind, _ in PARTS]
    # the ids of a model that comes twice are those of another one
    expected = ["MODEL" if model else "SECTION_ORDER" for model in models]
    assert statuses(twice) == expected
    four = [*PARTS[: models.index(True)], *[PARTS[models.index(True)]] * 5]
    assert statuses([assemble([*four, *PARTS[-2:]])]) == ["SECTION_ORDER"]


def test_sections_dropped() -> None:
    found = statuses([assemble(PARTS[:k] + PARTS[k + 1 :]) for k in range(len(PARTS))])
    # of the models, one is still there: a route has none, or one that is not of its kind
    expected = ["ROUTES" if kind == Kind.MODEL else "SECTION_MISSING" for kind, _ in PARTS]
    assert [status if status != "MODEL" else "ROUTES" for status in found] == expected


def test_sections_that_overlap() -> None:
    splices = []
    for k in range(1, len(PARTS)):
        entry = HEADER_BYTES + ENTRY_BYTES * k
        kind, offset, length = struct.unpack_from("<III", BLOB, entry)
        before = struct.unpack_from("<I", BLOB, entry - ENTRY_BYTES + 4)[0]
        for at, size in ((offset - 4, length), (offset - 4, length + 4), (before, length)):
            splices.append((entry, entry + ENTRY_BYTES, struct.pack("<III", kind, at, size)))
        # the section before reaches into this one
        splices.append((entry - 4, entry, struct.pack("<I", offset - before + 4)))
    assert set(statuses(splices)) == {"SECTION_BOUNDS"}


# Tokens that are drawn

Request = tuple[bytes, dict[str, Any]]  # a text, and options of `encode`
DRAWN_MODELS = 40 + 20 * SECONDS
ODD_TEXTS = (b"abc" * 40 + b"dabcabc", LINKS * 2, b"a" * 700 + b"kl" * 60, CHAIN * 3, b"\xff" * 90)


def with_tokens(
    rng: Random, artifact: Artifact, texts: Sequence[bytes]
) -> tuple[bytes, list[bytes]]:
    """An artifact, some of the texts, and some of its own tokens, among them the longest."""
    tokens = sorted((text for model in artifact.models for text in model.texts), key=len)
    chosen = [*tokens[-3:], *rng.choices(tokens[-40:], k=3)]
    return write_artifact(artifact), rng.sample(texts, min(6, len(texts))) + chosen


def models_to_draw_from(rng: Random) -> Iterator[tuple[bytes, list[bytes]]]:
    """Artifacts and texts: superwords, mixed and random models, tokens that do not replay."""
    lines = [seeds.text_of(line) for line in seeds.vector_lines("tiny") if "count" in line]
    yield BLOB, rng.sample(lines, 40)
    mixed = "the kettle කකකංග්ක ककमद्यातत ".encode()
    yield with_tokens(rng, kinds_model(), [mixed * 3, mixed * 40, "ක".encode() * 1500])
    for make in (giving_up_bytes, giving_up_letters, chain_model, long_token_model, odd_bpe_model):
        cut = [text[: rng.randrange(1, 900)] for text in ODD_TEXTS]
        yield with_tokens(rng, make(), [*cut, *ODD_TEXTS])
    for _ in range(4):
        text = bytes(rng.choices(LETTERS, k=rng.randrange(1, 600)))
        yield with_tokens(rng, byte_model(any_pairs(rng, LETTERS, 256, 30)), [text])
        pairs = any_pairs(rng, range(len(LETTERS)), len(LETTERS), 20)
        yield with_tokens(rng, letter_model(pairs), [text])
    for _ in range(DRAWN_MODELS):
        yield with_tokens(rng, *models.random_model(rng))


def drawn(model: Path, requests: list[Request]) -> list[list[int]]:
    """The ids of each request, as the core under sanitizers draws them."""
    stream = b""
    for number, (text, options) in enumerate(requests):
        alpha, n_best = options.get("sample", (0.0, 1))
        head = options.get("dropout", 0.0), alpha, options["seed"], n_best & 0xFFFFFFFF
        stream += struct.pack("<ddQIII", *head, number, len(text)) + text
    command = [str(program("draws")), str(model)]
    done = subprocess.run(command, input=stream, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    numbers = memoryview(done.stdout).cast("I").tolist()
    rows, at = [], 0
    for _ in requests:
        rows.append(numbers[at + 1 : at + 1 + numbers[at]])
        at += 1 + numbers[at]
    assert at == len(numbers)
    return rows


def test_drawn_ids_are_those_of_the_reference(tmp_path: Path) -> None:
    """Random dropout and paths, on random models, mixed ones, and those that do not replay."""
    rng, path = Random(f"draws {SEED}"), tmp_path / "model.wwho"
    kinds_met: Counter[frozenset[str]] = Counter()
    for blob, texts in models_to_draw_from(rng):
        try:
            reference = Tokenizer.from_bytes(blob, backend="reference")
        except ArtifactError:  # test_fuzz_models.py has that all backends refuse it
            continue
        kinds = {model.kind for model in reference.info.models}
        requests = [(text, backends.random_draws(rng, kinds)) for text in texts]
        path.write_bytes(blob)
        native = Tokenizer.from_bytes(blob, backend="native")
        rows = zip(drawn(path, requests), requests, strict=True)
        for number, (row, (text, options)) in enumerate(rows):
            alone = Sampling(options["seed"], 0.0, 0.0, False).from_text(number)
            options["seed"] = alone.seed
            assert row == native.encode(text, **options), (text, options)
            assert row == reference.encode(text, **options), (text, options)
        kinds_met[frozenset(kinds)] += 1
    assert kinds_met[frozenset({"bpe"})] > DRAWN_MODELS / 4
    assert kinds_met[frozenset({"bpe", "viterbi"})] > DRAWN_MODELS / 20


# Threads


def run_threads(model: Path, texts: list[Path]) -> subprocess.CompletedProcess[str]:
    """Run threads.c; skip the test where ThreadSanitizer does not run."""
    command = [str(program("threads")), str(model), *map(str, texts)]
    # A race whose earlier access has left the history is not reported: with the usual history, a
    # write planted in the core was found in two runs of five, and with the longest in each.
    environment = {**os.environ, "TSAN_OPTIONS": "history_size=7"}
    # Old runtimes want the kernel's older layout of memory, which setarch brings back.
    without_aslr = [shutil.which("setarch") or "setarch", platform.machine(), "-R"]
    for prefix in ([], without_aslr):
        try:
            done = subprocess.run(
                [*prefix, *command], env=environment, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            break
        if "unexpected memory mapping" not in done.stderr:
            return done
    pytest.skip("ThreadSanitizer's runtime does not run on this kernel")


@pytest.mark.parametrize("model", [TINY, CL100K], ids=lambda path: path.stem)
def test_eight_threads_share_a_model(model: Path, tmp_path: Path) -> None:
    hard = tmp_path / "hard"
    hard.write_bytes(b"\n".join(data for name, data in seeds.seeds().items() if "encode/" in name))
    texts = [hard, ROOT / "schemas" / "README.md"]
    done = run_threads(model, texts)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"\d{3,} texts, 8 threads, 0 differences\n", done.stdout)
