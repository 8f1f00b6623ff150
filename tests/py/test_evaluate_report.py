"""`wwho eval` as a command: the three files it writes, and how it fails."""

from __future__ import annotations

import gzip
import html
import json
import lzma
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from evaluated import LINES, TEXT, put_files

from wwho.cli.main import main
from wwho.evaluate import ascii_identity

LANGUAGES = ("සිංහල භාෂාව", "हिन्दी", "தமிழ்", "العربية", "日本語", "en")
FILES = ["index.html", "report.json", "report.md"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """hand.wwho, bytes.wwho and text.txt, in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ascii_identity, "SENTENCES", 500)  # each test encodes them all
    return put_files(tmp_path)


def arguments(*more: str, data: str = "text=text.txt", output: str = "report") -> list[str]:
    model = ["--model", "hand.wwho", "--against", "bytes.wwho", "--example", "මල ක"]
    return ["eval", *model, "--data", data, "-o", output, *more]


def one_line_error(result: Any) -> str:
    """The message of a command that failed: exit code 1, one line, no report."""
    assert result.code == 1, result.err
    assert result.out == b""
    assert re.fullmatch(r"wwho: [^\n]+\n", result.err), result.err
    assert not Path("report").exists()
    return str(result.err)


def table(report: str, heading: str) -> list[list[str]]:
    """The cells of the table below a heading of the report in Markdown."""
    section = report.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


# The three files


def test_three_files_and_a_summary(cli: Any, folder: Path) -> None:
    result = cli(*arguments())
    assert (result.code, result.err) == (0, "")
    assert result.out.decode() == (
        f"{Path('report', 'index.html')}: 42.9 % fewer tokens than bytes, 2.286 tokens per word, "
        "0 of 5 syllables broken, 1 spelled out, 0 of 5 lines damaged\n"
    )
    assert sorted(path.name for path in (folder / "report").iterdir()) == FILES


@pytest.mark.slow
def test_the_baselines_named_first_are_in_the_summary(cli: Any, folder: Path) -> None:
    more = ["--against", "o200k_base", "--against", "c=cl100k_base", "--against", "super.wwho"]
    (folder / "ab.txt").write_text("ab\n", "utf-8")
    summary = cli(*arguments(*more, data="text=ab.txt")).out.decode().partition(": ")[2]
    assert re.findall(r"tokens than (\w+)", summary) == ["bytes", "o200k_base"]


def test_texts_without_spaces(cli: Any, folder: Path) -> None:
    """Tokens per character take the place of tokens per word: in summary, tables and chart."""
    (folder / "th.txt").write_text("ภาษาไทย\n", "utf-8")
    result = cli(*arguments(data="th=th.txt"))
    assert ", 3.000 tokens per character, " in result.out.decode()
    report = (folder / "report" / "report.md").read_text("utf-8")
    head, _, first, *_ = table(report, "Tokens")
    assert head[3:5] == ["tokens per character", "characters per token"]
    assert first == ["th", "**hand**", "21", "3.000", "0.33", "–", "1.00"]
    assert "tokens per word" not in re.sub("has no tokens per word", "", report)
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert "Tokens per character of each text, by tokenizer" in page
    cli(*arguments("--data", "si=text.txt", data="th=th.txt"))
    report = (folder / "report" / "report.md").read_text("utf-8")
    rows = table(report, "Tokens")
    assert rows[0][3:5] == ["tokens per word", "tokens per character"]
    assert [row[3] for row in rows[2:]] == ["–", "–", "2.286", "4.000", "–", "–"]


def test_the_training_text(cli: Any, folder: Path) -> None:
    options = ["--schema", "sinhala", "--base", "bytes.wwho", "--prune", "1", "-o", "mine.wwho"]
    assert cli("train", *options, "text.txt").code == 0
    result = cli(*arguments("--against", "mine.wwho"))
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert result.err.startswith("wwho: text.txt: this text is in the training corpus of mine,")
    report = (folder / "report" / "report.md").read_text("utf-8")
    assert "It is in the training corpus of mine:" in report


def test_markdown(cli: Any, folder: Path) -> None:
    cli(*arguments())
    report = (folder / "report" / "report.md").read_text("utf-8")
    assert table(report, "Tokens")[2:] == [
        ["text", "**hand**", "16", "2.286", "0.88", "–", "1.75"],
        ["", "bytes", "28", "4.000", "0.50", "42.9 %", "1.00"],
    ]
    assert table(report, "Scripts")[2:] == [
        ["other", "**hand**", "4", "2", "4", "2.000", "1.00", "–"],
        ["", "bytes", "4", "2", "4", "2.000", "1.00", "0 %"],
        ["sinhala", "**hand**", "10", "5", "12", "2.400", "0.83", "–"],
        ["", "bytes", "10", "5", "24", "4.800", "0.42", "50.0 %"],
    ]
    assert table(report, "Context")[2:] == [["text", "bytes", "16", "28", "1.75×"]]
    assert table(report, "Whole syllables")[2:] == [
        ["text", "**hand**", "0", "0", "0 %", "1", "5", "1", "7.7 %"],
        ["", "bytes", "13", "5", "100 %", "–", "15", "6", "46.2 %"],
    ]
    assert table(report, "Nothing lost")[2:] == [
        ["text", "**hand**", "5", "0", "0 %", "0", "0", "0 %", "7", "43.8 %"],
        ["", "bytes", "5", "0", "0 %", "0", "–", "–", "–", "–"],
    ]
    assert [row[1:4] for row in table(report, "Compression and information")[2:]] == [
        ["**hand**", "0.88", "41.67"],
        ["bytes", "1.00", "12.50"],
    ]
    assert table(report, "Vocabulary")[2:] == [
        ["hand", "**SGPE**", "8", "5", "62.5 %", "3", "5", "1", "1", "32,768"],
        ["", "**base**", "256", "8", "3.1 %", "248", "11", "0", "0", "1,048,576"],
        ["bytes", "all", "256", "11", "4.3 %", "245", "28", "0", "0", "1,048,576"],
    ]
    assert "U+0DCA (1)" in report
    assert "500 sentences (0 lines of the texts and 500 made up)" in report
    assert "all are identical, id for id" in report
    assert "⟦මල⟧ ⟦␣ක⟧" in report


def test_json(cli: Any, folder: Path) -> None:
    printed = cli(*arguments("--json", "--width", "16")).out
    assert (folder / "report" / "report.json").read_bytes() == printed
    found = json.loads(printed)
    assert (found["format"], found["model"], found["width"], found["unk"]) == (
        1,
        "hand",
        16,
        "spell",
    )
    assert found["overall"]["figures"]["hand"]["efficiency"]["tokens"] == 16
    assert found["subjects"][0]["embedding_parameters"] == 264 * 16
    assert found["texts"][0]["file"] == "text.txt"


def test_the_same_input_gives_the_same_bytes(cli: Any, folder: Path) -> None:
    cli(*arguments())
    first = {name: (folder / "report" / name).read_bytes() for name in FILES}
    assert cli(*arguments()).code == 0  # over the old report
    assert {name: (folder / "report" / name).read_bytes() for name in FILES} == first


def test_however_compressed(cli: Any, folder: Path) -> None:
    rows = "".join(json.dumps({"text": line}) + "\n" for line in LINES if line)
    for name, data in (
        ("a.txt.gz", gzip.compress(TEXT.encode())),
        ("a.txt.xz", lzma.compress(TEXT.encode())),
        ("a.jsonl", rows.encode()),
    ):
        (folder / name).write_bytes(data)
        result = cli(*arguments("--json", data=f"text={name}"))
        assert json.loads(result.out)["overall"]["figures"]["hand"]["efficiency"]["tokens"] == 16


def test_standard_input(cli: Any, folder: Path) -> None:
    result = cli(*arguments("--json", data="text=-"), stdin=TEXT.encode())
    assert json.loads(result.out)["overall"]["lines"] == 5


def test_several_texts_have_a_total(cli: Any, folder: Path) -> None:
    (folder / "more.txt").write_text("ab\n", "utf-8")
    assert cli(*arguments("--data", "more=more.txt")).code == 0
    rows = table((folder / "report" / "report.md").read_text("utf-8"), "Tokens")[2:]
    assert [(row[0], row[2]) for row in rows] == [
        *(("text", "16"), ("", "28"), ("more", "2"), ("", "2"), ("overall", "18"), ("", "30"))
    ]


def test_parallel_texts(cli: Any, folder: Path) -> None:
    (folder / "en.txt").write_text("ab\nab\n", "utf-8")
    (folder / "si.txt").write_text("මල\nමල\n", "utf-8")
    assert cli(*arguments("--parallel", "en=en.txt", "--parallel", "සිංහල=si.txt")).code == 0
    rows = table((folder / "report" / "report.md").read_text("utf-8"), "Token premium")[2:]
    assert rows == [
        ["en", "4", "1.00×", "4", "1.00×"],
        ["සිංහල", "2", "0.50×", "12", "3.00×"],
    ]
    report = (folder / "report" / "report.md").read_text("utf-8")
    assert table(report, "Fairness between languages")[2:] == [
        ["hand", "0.167", "0.50×", "0.50×"],
        ["bytes", "0.250", "3.00×", "3.00×"],
    ]
    assert "\nHighest premiums, bytes: සිංහල 3.00×\n" in report
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert "<p>සිංහල</p>" in page


def test_a_tokenizer_json(cli: Any, folder: Path) -> None:
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0, "ab": 1}, unk_token="?"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    words.save("words.json")
    result = cli(*arguments("--against", "other=words.json"))
    assert "more tokens than other" in result.out.decode()  # 16 are more than its 7
    report = (folder / "report" / "report.md").read_text("utf-8")
    assert table(report, "Nothing lost")[4][1:4] == ["other", "5", "4"]


def test_baselines_are_trained_in_passing(cli: Any, folder: Path) -> None:
    (folder / "more.txt").write_text("ab ab\n", "utf-8")
    result = cli(*arguments("--baselines", "more.txt", "--trainer", "wwho"))
    assert result.code == 0
    assert "this corpus gives 258 of the 264 ids asked for" in result.err
    rows = table((folder / "report" / "report.md").read_text("utf-8"), "Tokens")
    assert [row[1] for row in rows[2:]] == ["**hand**", "bytes", "byte BPE"]


def test_sentencepiece_says_what_it_cannot_train(cli: Any, folder: Path) -> None:
    (folder / "more.txt").write_text("".join(map(chr, range(0xD9A, 0xDC6))), "utf-8")
    result = cli(*arguments("--baselines", "more.txt", "--trainer", "sentencepiece"))
    assert "SentencePiece cannot train bpe for 264 ids" in one_line_error(result)


def test_lost_syllables_are_damage(cli: Any, folder: Path) -> None:
    assert "1 of 5 lines damaged" in cli(*arguments("--unk", "token")).out.decode()
    report = (folder / "report" / "report.md").read_text("utf-8")
    assert table(report, "Nothing lost")[2][2:8] == ["5", "1", "20.0 %", "0", "1", "10.0 %"]


def test_superwords(cli: Any, folder: Path) -> None:
    result = cli(*arguments("--model", "super.wwho"))
    assert "46.4 % fewer tokens than bytes, 2.143 tokens per word" in result.out.decode()
    report = (folder / "report" / "report.md").read_text("utf-8")
    assert [row[:7] for row in table(report, "Vocabulary")[2:5]] == [
        ["super", "**SGPE**", "8", "3", "37.5 %", "5", "3"],
        ["", "**superwords**", "1", "1", "100 %", "0", "1"],
        ["", "**base**", "256", "8", "3.1 %", "248", "11"],
    ]
    assert "⟦මල␣ක⟧" in report
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert "<span>superwords</span>" in page


def test_syllables_of_a_schema(cli: Any, folder: Path) -> None:
    result = cli(
        *arguments("--model", "bytes.wwho", "--against", "hand.wwho", "--schema", "sinhala")
    )
    assert result.code == 1  # bytes.wwho is there twice
    result = cli("eval", "--model", "bytes.wwho", "--data", "t=text.txt", "-o", "report")
    assert "syllables" not in result.out.decode()
    again = ["--schema", "sinhala", "--json"]
    result = cli("eval", "--model", "bytes.wwho", "--data", "t=text.txt", "-o", "report", *again)
    assert json.loads(result.out)["overall"]["figures"]["bytes"]["broken_syllables"] == 5


def test_broken_utf8_is_counted_and_read_as_fffd(cli: Any, folder: Path) -> None:
    (folder / "text.txt").write_bytes("මල\n".encode() + b"a\xffb\xe0\xb6\n")
    result = cli(*arguments("--json"))
    assert result.code == 0
    assert result.err == (
        "wwho: text.txt: bytes that are not valid UTF-8: 3; each was read as U+FFFD, by all "
        "tokenizers\n"
    )
    overall = json.loads(result.out)["overall"]
    assert (overall["broken_bytes"], overall["lines"], overall["characters"]) == (3, 2, 7)
    assert overall["figures"]["bytes"]["efficiency"]["tokens"] == 6 + 2 + 3 * 3
    assert overall["figures"]["hand"]["damaged_lines"] == 0


# Failures


@pytest.mark.parametrize(
    "wrong",
    [
        ("eval", "-o", "report"),
        ("eval", "--data", "text=text.txt"),
        ("eval", "--data", "text.txt", "-o", "report"),
        ("eval", "--data", "=text.txt", "-o", "report"),
        ("eval", "--data", "text=", "-o", "report"),
        ("eval", "--data", "text=text.txt", "--parallel", "x", "-o", "report"),
        ("eval", "--data", "text=text.txt", "--width", "0", "-o", "report"),
        ("eval", "--data", "text=text.txt", "--unk", "maybe", "-o", "report"),
    ],
)
def test_wrong_arguments(cli: Any, folder: Path, wrong: tuple[str, ...]) -> None:
    result = cli(*wrong)
    assert result.code == 2
    assert "Traceback" not in result.err
    assert not (folder / "report").exists()


def test_unknown_tokenizers(cli: Any, folder: Path) -> None:
    pytest.importorskip("tiktoken", reason="needs tiktoken")
    message = one_line_error(cli(*arguments("--against", "abacus")))
    assert "no tokenizer 'abacus'" in message
    assert "o200k_base" in message
    assert "p50k_base" in message
    assert "no encoding 'abacus'" in one_line_error(cli(*arguments("--model", "abacus")))
    assert "missing.wwho" in one_line_error(cli(*arguments("--against", "missing.wwho")))
    assert "missing.json" in one_line_error(cli(*arguments("--against", "missing.json")))
    for name in ("text.wwho", "text.json"):
        (folder / name).write_text(TEXT, "utf-8")
        assert f"{name}: " in one_line_error(cli(*arguments("--against", name)))
    assert "no token for unknown" in one_line_error(
        cli(
            "eval",
            "--model",
            "bytes.wwho",
            "--unk",
            "token",
            "--data",
            "t=text.txt",
            "-o",
            "report",
        )
    )


def test_names_must_differ(cli: Any, folder: Path) -> None:
    message = one_line_error(cli(*arguments("--against", "hand.wwho")))
    assert "two tokenizers are called 'hand'" in message
    message = one_line_error(cli(*arguments("--data", "text=text.txt")))
    assert "two texts are called 'text'" in message
    message = one_line_error(cli(*arguments("--data", "overall=text.txt")))
    assert "two texts are called 'overall'" in message


def test_texts_that_cannot_be_measured(cli: Any, folder: Path) -> None:
    (folder / "empty.txt").write_bytes(b"")
    (folder / "blank.txt").write_bytes(b"\n\n")
    (folder / "cut.txt.xz").write_bytes(lzma.compress(TEXT.encode())[:-20])
    for name, reason in (
        ("empty.txt", "no text"),
        ("blank.txt", "no text"),
        ("missing.txt", "cannot be read"),
        ("cut.txt.xz", "truncated"),
    ):
        message = one_line_error(cli(*arguments(data=f"text={name}")))
        assert name in message
        assert reason in message


@pytest.mark.parametrize("option", ["--data", "--parallel"])
def test_what_is_no_text_in_utf8(cli: Any, folder: Path, option: str) -> None:
    for name, data, encoding in (
        ("binary.txt", bytes(range(256)) * 9, ""),
        ("marked.txt", ("\ufeff" + TEXT).encode("utf-16-le"), "UTF-16"),
        ("utf16.txt", TEXT.encode("utf-16-le"), "UTF-16LE"),
        ("ascii16.txt", "ab\n".encode("utf-16-be"), "UTF-16BE"),
        ("utf32.txt", TEXT.encode("utf-32"), "UTF-32"),
        ("koi8.txt", "слова и слоги\n".encode("koi8-r"), ""),
    ):
        (folder / name).write_bytes(data)
        both = ("--parallel", "y=text.txt", "--parallel", "z=text.txt")
        message = one_line_error(cli(*arguments(option, f"x={name}", *both)))
        assert f"{name}: this is no text in UTF-8" in message
        expected = f"but {encoding}; .* iconv -f {encoding} -t UTF-8" if encoding else "iconv\n"
        assert re.search(expected, message), message
    (folder / "latin1.txt").write_bytes("déjà vu, sagte er\n".encode("latin-1"))
    both = ("--parallel", "y=latin1.txt", "--parallel", "z=latin1.txt")
    assert cli(*arguments(option, "x=latin1.txt", *both)).code == 0  # a warning at most


def test_the_field_that_holds_the_text(cli: Any, folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"body": "මල ක"}\n', "utf-8")
    assert "no field 'text'" in one_line_error(cli(*arguments(data="text=a.jsonl")))
    result = cli(*arguments("--json", "--field", "body", data="text=a.jsonl"))
    assert json.loads(result.out)["overall"]["figures"]["hand"]["efficiency"]["tokens"] == 2


def test_parallel_texts_that_do_not_match(cli: Any, folder: Path) -> None:
    (folder / "en.txt").write_text("ab\nab\n", "utf-8")
    message = one_line_error(
        cli(*arguments("--parallel", "en=en.txt", "--parallel", "si=text.txt"))
    )
    assert "en has 2, but si has 5" in message
    message = one_line_error(cli(*arguments("--parallel", "en=en.txt")))
    assert "en is the only parallel text" in message


def test_outputs_that_cannot_be_written(cli: Any, folder: Path) -> None:
    """Found out before anything is read: the text is not even there."""
    (folder / "file").write_text("")
    (folder / "other" / "index.html").mkdir(parents=True)
    for output, reason in (
        ("file", "is a file"),
        ("no/such/report", "does not exist"),
        ("other", "is a folder"),
    ):
        assert reason in one_line_error(cli(*arguments(data="text=missing", output=output)))


@pytest.mark.parametrize("package", ["jinja2", "unicode_segmentation_rs"])
def test_without_the_extra(
    cli: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    for module in [name for name in sys.modules if name.startswith("wwho.evaluate")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    message = one_line_error(cli(*arguments()))
    assert f"needs the package {package}: pip install 'wwho[eval]'" in message


# The page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with everything in it, and names that are hard to show."""
    folder = put_files(tmp_path_factory.mktemp("report"))
    (folder / "si.txt").write_text("මල\nමල\n", "utf-8")
    text, page = folder / "text.txt", folder / "page" / "index.html"
    tokenizers = ["--model", "hand.wwho", "--against", "bytes.wwho", "--against", "_=o200k_base"]
    more = [f"--data=<b>&'\"$x$={text}", f"--data=සිංහල පාඨය={text}", "--example=a|`b`<i>"]
    more += [f"--parallel={name}={folder / 'si.txt'}" for name in LANGUAGES]
    tokenizers = [str(folder / name) if name.endswith(".wwho") else name for name in tokenizers]
    assert main(["eval", *tokenizers, *more, "-o", str(page.parent)]) == 0
    return page


@pytest.mark.slow
def test_the_page_is_whole_in_itself(report: Path) -> None:
    page = report.read_text("utf-8")
    assert len(page) < 300_000
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#|report\.)', page)
    assert not re.search(r"url\((?!#)|@import", page)
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names))
    assert html.escape("<b>&'\"$x$", quote=False) in page.replace("&#39;", "'").replace(
        "&#34;", '"'
    )
    assert "<b>" not in page
    assert "<i>" not in page


def test_a_tokenizer_keeps_its_colour(report: Path) -> None:
    """The chart of contexts is without the model, whose colour stays unused there."""
    page = report.read_text("utf-8")
    charts = dict(
        zip(re.findall(r'<section id="([^"]+)"', page), page.split("<section")[1:], strict=True)
    )
    assert [
        sorted(set(re.findall(r"background: var\(--(series-\d)\)", charts[name])))
        for name in ("tokens", "context")
    ] == [["series-0", "series-1", "series-2"], ["series-1", "series-2"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_chromium(browser: Any, report: Path, scheme: str, width: int) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    page, problems, requests = context.new_page(), [], []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("h1").text_content() == "hand"
    charts = page.locator("figure")
    assert charts.count() == 5
    bars = page.locator("#premium figure i")
    assert max(bars.evaluate_all(LENGTHS)) > 100
    assert bars.count() == 3 * (len(LANGUAGES) - 1)
    assert page.evaluate(OVERLAPS) == []
    ink, paper, label = page.evaluate(COLOURS)
    assert ink == label
    assert (luminance(ink) < luminance(paper)) == (scheme == "light")
    assert (problems, requests) == ([], [report.as_uri()])
    context.close()


LENGTHS = "bars => bars.map(bar => bar.getBoundingClientRect().width)"

OVERLAPS = """() => {
  // Texts of a chart that lie over each other, or over its edge.
  const found = [];
  for (const chart of document.querySelectorAll("figure")) {
    const frame = chart.getBoundingClientRect();
    const boxes = [...chart.querySelectorAll("figcaption, p, span, em")].map((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return { left, right, top, bottom, text: text.textContent };
    });
    for (const [k, a] of boxes.entries()) {
      if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push([a.text, "edge"]);
      for (const b of boxes.slice(k + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 4) found.push([a.text, b.text]);
      }
    }
  }
  return found;
}"""

COLOURS = """() => [
  getComputedStyle(document.body).color,
  getComputedStyle(document.body).backgroundColor,
  getComputedStyle(document.querySelector("figure span")).color,
]"""


def luminance(colour: str) -> int:
    """How light a colour is, as "rgb(1, 2, 3)", roughly."""
    return sum(map(int, re.findall(r"\d+", colour)[:3]))
