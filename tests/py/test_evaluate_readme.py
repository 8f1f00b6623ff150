"""`py/wwho/evaluate/README.md` tells the truth: its figures are measured again."""

from __future__ import annotations

import hashlib
import lzma
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from exhaustive import EXHAUSTIVE
from test_gguf import vocabularies  # noqa: F401 - a fixture
from test_import_files import TRIED, imported, published  # noqa: F401 - fixtures

from wwho.cli.evaluate_vocabulary import run_evaluation
from wwho.cli.main import build_parser
from wwho.encodings import model_bytes
from wwho.evaluate.encoders import open_baseline, open_model
from wwho.evaluate.evaluation import evaluate
from wwho.evaluate.metrics import ratio, saving
from wwho.evaluate.premiums import measure_parallel
from wwho.evaluate.results import Evaluation
from wwho.evaluate.text_blocks import Block, DataSet

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "py" / "wwho" / "evaluate" / "README.md").read_text("utf-8")
MODEL, SUPER, PAPER = "wwho_328k", "wwho_super_328k", "paper"
BASELINES = ("o200k_base", "cl100k_base")
NAMES = (MODEL, SUPER, *BASELINES)
COLUMNS = {MODEL: 2, SUPER: 3, PAPER: 4, BASELINES[0]: 5, BASELINES[1]: 6}
"""Where tokenizers stand in tables that begin with a label and a column of the paper's."""


def rows(heading: str, first: str = "") -> Iterator[list[str]]:
    """The cells of the first table below a heading that begins with `first`; its head is left out.

    An empty label stands for the one above it.
    """
    (section,) = re.findall(rf"^## {heading}.*?\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    table = section[section.index(f"| {first}") :].split("\n\n")[0]
    label = ""
    for line in table.splitlines()[2:]:
        cells = [cell.strip().replace("`", "") for cell in line[1:-1].split("|")]
        cells[0] = label = cells[0] or label
        yield cells


def number(cell: str) -> float:
    """The number that a cell begins with."""
    (found,) = re.findall(r"^−?[\d,.]+", cell)
    return float(found.replace(",", "").replace("−", "-"))


def arguments() -> list[str]:
    """What the shell makes of the page's `wwho eval`."""
    (block,) = re.findall(r"^```\n(mkdir .*?)^```", PAGE, re.M | re.S)
    others = "mkdir() { :; }; tar() { :; }; cp() { :; }\n"
    others += "wwho() { printf '%s\\0' \"$@\"; printf '\\0'; }\n"
    shell = subprocess.run(["bash", "-c", others + block], check=True, stdout=subprocess.PIPE)
    calls = [call.split("\0") for call in shell.stdout.decode().split("\0\0") if call]
    (found,) = (call for call in calls if call[0] == "eval")
    return found


def test_the_models_are_those_that_ship() -> None:
    for name in (MODEL, SUPER):
        digest = hashlib.sha256(model_bytes(name)).hexdigest()
        assert re.search(rf"`{name}` \((SHA-256 )?`{digest[:16]}`\.\.\.\)", PAGE)


def test_the_command_is_one() -> None:
    given = arguments()
    options = build_parser().parse_args(given)
    assert options.model == MODEL
    assert [Path(name).stem for name in options.against] == [SUPER, PAPER, *BASELINES]
    assert len(options.data) == 4
    assert len(options.parallel) == 22


def test_shares_and_factors_follow_from_the_tokens() -> None:
    """In the paper's columns too: they are not misprints, here or there."""
    kinds = {(cells[0], cells[1]): cells[2:] for cells in rows("Tables 6 and 8")}
    texts = {text for text, _ in kinds}
    assert len(texts) == 5
    for text in texts:
        tokens = kinds[text, "tokens"]
        for column, base in ((0, 1), (2, 5), (3, 5), (4, 5)):
            if tokens[column] == "–":
                continue
            ours, theirs = int(number(tokens[column])), int(number(tokens[base]))
            fewer = number(kinds[text, "fewer than o200k_base"][column])
            times = number(kinds[text, "context over o200k_base"][column])
            assert fewer == pytest.approx(100 * (saving(ours, theirs) or 0), abs=0.051)
            assert times == pytest.approx(ratio(theirs, ours), abs=0.0051)


def test_examples() -> None:
    encoders = {name: open_baseline(name) for name in NAMES}
    for word, *cells in rows("Table 7"):
        for name, encoder in encoders.items():
            assert int(cells[COLUMNS[name]]) == len(encoder.encode(Block([word])).ids)


@pytest.mark.corpora
def test_the_first_lines(corpora: Path, tmp_path: Path) -> None:
    expected = {cells[0]: [int(number(cell)) for cell in cells[1:]] for cells in rows("Checked")}
    for name in expected:
        with lzma.open(corpora / f"{name}.txt.xz") as lines:
            (tmp_path / name).write_bytes(b"".join(islice(lines, 500)).removesuffix(b"\n"))
    found = evaluate(
        open_model(MODEL),
        [open_baseline(name) for name in NAMES[1:]],
        [DataSet(name, str(tmp_path / name)) for name in expected],
        example_texts=[],
    )
    for text in found.texts:
        figures = [text.figures[name] for name in NAMES]
        assert expected[text.name] == [
            *(each.efficiency.tokens for each in figures),
            text.syllables,
            *(each.broken_syllables for each in figures),
        ]


def unpack(corpora: Path, folder: Path) -> None:
    """What the page's tar and cp do."""
    shutil.unpack_archive(corpora / "parallel_ntrex.tar.xz", folder)
    shutil.copy(corpora / "ntrex_my_unicode.txt", folder / "parallel" / "my.txt")


@pytest.mark.corpora
def test_the_premium_of_burmese_is_that_of_unicode(corpora: Path, tmp_path: Path) -> None:
    unpack(corpora, tmp_path)
    texts = [DataSet(name, str(tmp_path / "parallel" / f"{name}.txt")) for name in ("en", "my")]
    found = measure_parallel(texts, [open_baseline(name) for name in NAMES], lambda size: None)
    assert found is not None
    cells_of = {cells[0]: cells[1:] for cells in rows("Token premium")}
    languages = [
        Path(given.partition("=")[2]).stem for given in arguments() if "parallel/" in given
    ]
    column = languages[1:].index("my")
    for name in NAMES:
        assert cells_of[name][column] == f"{found.languages[1].premium[name]:.2f}"


@pytest.mark.corpora
def test_fairness(corpora: Path, tmp_path: Path) -> None:
    unpack(corpora, tmp_path)
    (languages,) = re.findall(r"languages are English and ([a-z ]+);", PAGE)
    texts = [
        DataSet(name, str(tmp_path / "parallel" / f"{name}.txt"))
        for name in ("en", *languages.split())
    ]
    cells_of = {cells[0]: cells[1:] for cells in rows("Fairness")}
    encoders = [open_baseline(name) for name in cells_of]
    found = measure_parallel(texts, encoders, lambda size: None, "even")
    assert found is not None
    assert f"{len(texts)} languages of NTREX-128, even lines" in PAGE
    for each in found.fairness:
        worst = ", ".join(f"{language} {premium:.2f}" for language, premium in each.worst)
        assert cells_of[each.encoder] == [f"{each.gini:.3f}", f"{each.mean:.2f}", worst]


def test_the_baseline_of_the_same_text_and_size() -> None:
    """Shares follow from the tokens, the sums from the texts; `wwho_328k` is that of table 6."""
    measured = {
        cells[0].split(", ")[-1]: number(cells[4])
        for cells in rows("Tables 6 and 8")
        if cells[1] == "tokens"
    }
    *texts, total = rows("Beside a baseline")
    for name, ours, theirs, fewer, *broken in (*texts, total):
        assert number(ours) == measured[name]
        share = f"{100 * (saving(int(number(ours)), int(number(theirs))) or 0):.1f} %"
        assert fewer == share.replace("-", "−")
        assert broken[0] == "0"
    for column in (1, 2, 5):
        assert sum(number(cells[column]) for cells in texts) == number(total[column])


@pytest.mark.slow
@pytest.mark.corpora
def test_other_language_models(
    corpora: Path,
    imported: Callable[[str], Path],  # noqa: F811
    vocabularies: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    """English, Sinhala and Hindi, by the command of their table."""
    unpack(corpora, tmp_path)
    files = dict(re.findall(r"\$\(other (\S+) (\w+)\)", PAGE))
    cells_of = {cells[0]: cells[1:] for cells in rows("Beside other")}
    of_llama_cpp = dict(re.findall(r"--against (\S+)=\S+/(ggml-vocab-\S+)", PAGE))
    assert {*files, *of_llama_cpp} == {*cells_of} - {*NAMES}
    own = [name for name in cells_of if name in NAMES]
    tried = {name: file for name, file in files.items() if file in TRIED}
    given = [f"{name}={imported(file)}" for name, file in tried.items()]
    given += [f"{name}={vocabularies / file}" for name, file in of_llama_cpp.items()]
    texts = [
        DataSet(name, str(tmp_path / "parallel" / f"{name}.txt")) for name in ("en", "si", "hi")
    ]
    found = measure_parallel(
        texts, [open_baseline(each) for each in (*own, *given)], lambda size: None
    )
    assert found is not None
    english, *others = found.languages
    for name in (*own, *tried, *of_llama_cpp):
        ratios = [f"{language.premium[name]:.2f}" for language in others]
        assert cells_of[name][:3] == [f"{english.tokens[name]:,}", *ratios]


@pytest.mark.skipif(not EXHAUSTIVE, reason="for releases: the tests above measure a part of it")
@pytest.mark.slow
@pytest.mark.corpora
def test_every_table(corpora: Path, tmp_path: Path) -> None:
    """By the page's own command, without paper mode, whose model does not ship."""
    unpack(corpora, tmp_path)
    given = "\0".join(arguments()).replace("--against\0build/paper.wwho\0", "")
    given = given.replace("build/", f"{tmp_path}/").replace("../shared/corpora", str(corpora))
    found = run_evaluation(build_parser().parse_args(given.split("\0")))
    check_texts(found)
    check_robustness(found)
    check_information(found)
    check_premiums(found)


def check_texts(found: Evaluation) -> None:
    texts = {text.name: text for text in (*found.texts, found.overall)}
    for label, kind, *cells in rows("Tables 6 and 8"):
        text = texts["overall" if label == "all" else label.split(", ")[1]]
        for name in NAMES:
            efficiency, cell = text.figures[name].efficiency, cells[COLUMNS[name]]
            if kind == "tokens":
                assert cell == f"{efficiency.tokens:,}"
            elif kind == "tokens per word":
                assert cell == f"{efficiency.tokens_per_word:.3f}"
            elif kind == "characters per token":
                assert cell == f"{efficiency.characters_per_token:.2f}"
    scripts = {script.name: script for script in found.overall.scripts}
    for label, words, *cells in rows("Tables 6 and 8", "script"):
        assert words == f"{scripts[label].words:,}"
        for name in NAMES:
            efficiency = scripts[label].figures[name]
            assert cells[COLUMNS[name] - 2] == f"{efficiency.tokens_per_word:.3f}"


def check_robustness(found: Evaluation) -> None:
    own = [part for part in found.vocabulary if part.part != "base"]
    identities = {
        test.encoder: f"{test.different} of {test.sentences:,}" for test in found.identities
    }
    cells_of = {cells[0].split(", of ")[0]: cells[1:] for cells in rows("Robustness")}
    assert f"syllables broken, of {found.overall.syllables:,} " in PAGE
    assert f"grapheme clusters broken, of {found.overall.clusters:,} " in PAGE
    for name in NAMES:
        figures, parts = found.overall.figures[name], [part for part in own if part.encoder == name]
        glitches = [glitch for part in parts for glitch in part.glitches]
        for label, value in {
            "lines": found.overall.lines,
            "lines damaged": figures.damaged_lines,
            "of these without an [UNK]": figures.damaged_lines - figures.damaged_by_unk,
            "[UNK] tokens": figures.unk_tokens,
            "base-fallback tokens within scripts": figures.spelled_tokens,
            "syllables broken": figures.broken_syllables,
            "syllables in base fallback": figures.spelled_syllables,
            "grapheme clusters broken": figures.broken_clusters,
            "glitch tokens": len(glitches),
            "their occurrences": sum(glitch.occurrences for glitch in glitches),
            "ids that never occur": sum(part.unused for part in parts),
        }.items():
            cell = cells_of[label][COLUMNS[name] - 1]
            assert cell.split(" ")[0] == ("–" if value is None else f"{value:,}"), (label, name)
        ascii_cell = cells_of["ASCII sentences with other ids than o200k_base"][COLUMNS[name] - 1]
        assert ascii_cell == identities.get(name, "–")


def check_information(found: Evaluation) -> None:
    cells_of = {cells[0]: cells[1:] for cells in rows("OSPE")}
    for subject in found.subjects:
        figures, column = found.overall.figures[subject.name], COLUMNS[subject.name] - 1
        for label, shown in {
            "bytes per token": f"{figures.bytes_per_token:.2f}",
            "compression ratio": f"{figures.compression_ratio:.2f}",
            "efficiency score": f"{figures.efficiency_score:.2f}",
            "Rényi efficiency": f"{figures.renyi_efficiency:.3f}",
            "ids": f"{subject.n_vocab:,}",
            "embedding parameters at width 4,096": f"{subject.embedding_parameters / 1e6:,.0f} M",
        }.items():
            assert cells_of[label][column] == shown


def check_premiums(found: Evaluation) -> None:
    assert found.parallel is not None
    languages = found.parallel.languages[1:]
    cells_of = {cells[0]: cells[1:] for cells in rows("Token premium")}
    for name in NAMES:
        assert cells_of[name] == [f"{language.premium[name]:.2f}" for language in languages]
