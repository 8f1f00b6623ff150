"""What users install: a wheel in a fresh environment, far from the sources."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZipFile

import oracle
import pytest
import sentencepiece
from exhaustive import EXHAUSTIVE
from packaging.requirements import Requirement
from paper_vocab import learn_vocab, vocab_json
from test_distribution import copy_sources, pip_wheel, run_in_tree
from test_readme import README, check_console

import wwho
from wwho.serve.python_archive import WEB
from wwho.serve.site_files import list_files

ROOT = oracle.ROOT
# The extras that the README and its examples use, and what else they use.
EXTRAS = "eval,hf,serve,train"
BESIDES = ("wasmtime>=50",)
SINHALA = "ගමේ පාසල ගමේ පාර\n" * 40
HINDI = "हिन्दी विद्यालय हिन्दी\n" * 40
ENGLISH = "the school of the village, the road\n" * 40
RANKS = (
    10_000  # of o200k_base: those that follow take seconds more, and nothing new is done with them
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip builds from a source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "wwho"
    copy_sources(tree)
    done = run_in_tree(tree, f"build_backend.build_sdist({str(folder)!r})")
    assert done.returncode == 0, done.stderr
    (packed,) = folder.glob("*.tar.gz")
    # Not -O3, which takes ten times as long: the core's speed is nobody's concern here.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        pip_wheel(packed, folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@dataclass(frozen=True)
class Installed:
    """A fresh environment with the wheel in it, and a folder to work in."""

    prefix: Path
    folder: Path

    def install(self, python: str | Path, *requirements: str, linked: str = "") -> None:
        """Make it, and check that it runs by its compiled core and has schemas to read.

        With extras that are `linked`, what they need is not installed anew.
        """
        venv = [python, "-m", "venv", "--without-pip", self.prefix]
        subprocess.run(venv, env=self.environment, check=True)
        into = ("-m", "pip", "--python", str(self.prefix))
        options = ("--no-compile", *(["--no-deps"] if linked else []))
        pip = self.run(sys.executable, *into, "install", *options, *requirements)
        if pip.returncode:
            absent = pytest.fail if os.environ.get("CI") else pytest.skip
            absent(f"pip cannot install it: {pip.stderr}")
        if linked:
            self.link(linked)
        done = self.run("python", ROOT / "tools" / "check_wheel.py")
        assert done.returncode == 0, done.stderr
        assert f"from {self.prefix}" in done.stdout

    def link(self, extras: str) -> None:
        """Link what wwho needs with these extras, and nothing else, from this environment."""
        (info,) = self.prefix.glob("**/site-packages/wwho-*.dist-info")
        wanted: list[tuple[Distribution, str]] = []
        wanted += [(Distribution.at(info), extra) for extra in extras.split(",")]
        for package, extra in wanted:  # which grows meanwhile
            for line in package.requires or ():
                needed = Requirement(line)
                if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
                    continue
                found = distribution(needed.name)
                assert needed.specifier.contains(found.version, prereleases=True), line
                more = [(found, name) for name in ("", *sorted(needed.extras))]
                known = [(each.name, name) for each, name in wanted]
                wanted += [each for each in more if (found.name, each[1]) not in known]
        for package, _ in wanted:
            for name in {path.parts[0] for path in package.files or ()} - {"..", "__pycache__"}:
                link = info.parent / name
                if package.name != "wwho" and not link.exists():
                    link.symlink_to(str(package.locate_file(name)))

    @cached_property
    def environment(self) -> dict[str, str]:
        """The variables of a shell in which the environment is active."""
        kept = {k: value for k, value in os.environ.items() if not k.startswith("PYTHON")}
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        return {**kept, "PATH": path, "PYTHONUTF8": "1"}

    @property
    def programs(self) -> Path:
        """The folder of its commands."""
        return self.prefix / ("Scripts" if os.name == "nt" else "bin")

    def run(self, program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, or of the machine, in the folder."""
        return subprocess.run(
            [shutil.which(program, path=self.environment["PATH"]) or program, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """This Python, with the extras that the examples need.

    With `WWHO_EXHAUSTIVE` pip installs what they need, which else comes from this environment: to
    unpack and compile it takes half a minute.
    """
    folder = tmp_path_factory.mktemp("installed")
    found = Installed(folder / "environment", folder)
    if EXHAUSTIVE:
        found.install(sys.executable, f"{wheel}[{EXTRAS}]", *BESIDES)
    else:
        found.install(sys.executable, str(wheel), *BESIDES, linked=EXTRAS)
    return found


@pytest.fixture
def installed(environment: Installed, tmp_path: Path) -> Installed:
    """The same, and an empty folder."""
    return Installed(environment.prefix, tmp_path)


def other_pythons() -> Iterator[str]:
    """The other versions of Python that this machine has: on the path, or by pyenv."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    programs = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    programs += sorted(map(str, versions.glob("3.*/bin/python")))
    ask = "import sys, venv; print(*sys.version_info[:2])"
    seen = [[*sys.version_info[:2]]]
    for program in filter(None, programs):
        done = subprocess.run([program, "-c", ask], capture_output=True, text=True, check=False)
        version = [int(number) for number in done.stdout.split()]
        if version >= [3, 11] and version not in seen:
            seen.append(version)
            yield program


def test_it_holds_the_core(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"wwho/_core.abi3.so", "wwho/web/package/wwho.wasm", "wwho/web/site/index.html"} <= names


def test_it_holds_the_page(wheel: Path) -> None:
    """All files that the server sends from a clone, and no other folder of the page's."""
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("wwho/")}
    served = {
        f"wwho/web/{path.relative_to(WEB).as_posix()}"
        for path in list_files({"": WEB}).values()
        if path.suffix != ".ttf" and path.name not in ("GALLERY.md",)
    }
    assert {
        "wwho/web/package/import-thread.mjs",
        "wwho/web/site/page/syllables/script.wwho",
    } <= served
    assert names >= served
    assert "wwho/web/package/package.json" in names


def test_another_build_is_the_same(wheel: Path, tmp_path: Path) -> None:
    """The compiled modules among the rest, from another folder."""
    tree = tmp_path / "wwho"
    copy_sources(tree)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        pip_wheel(tree, tmp_path)
    (again,) = tmp_path.glob("*.whl")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_the_readme(installed: Installed) -> None:
    """Its Python and its commands; of the repository there is only the example for edge devices."""
    (package,) = installed.prefix.glob("**/site-packages/wwho")
    for name, source in {
        "tools/examples": ROOT / "tools" / "examples",
        "web": package / "web",
        "py/wwho": package,
    }.items():
        link = installed.folder / name
        link.parent.mkdir(exist_ok=True, parents=True)
        link.symlink_to(source, target_is_directory=True)
    (installed.folder / "README.md").write_text(README, "utf-8")
    done = installed.run("python", "-m", "doctest", "README.md")
    assert done.returncode == 0, done.stdout + done.stderr
    check_console(installed.folder, installed.environment)


def test_the_page_of_schemas(installed: Installed) -> None:
    """A new script, by the page that is installed beside the schemas."""
    page, document = page_of_schemas(installed)
    (installed.folder / "ranjana.json").write_text(document, "utf-8")
    check_console(installed.folder, installed.environment, page)


def page_of_schemas(installed: Installed) -> tuple[str, str]:
    """The page, and the schema on it."""
    (path,) = installed.prefix.glob("**/wwho/schemas/README.md")
    page = path.read_text("utf-8")
    (document,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    return page, document


def test_other_versions_of_python(wheel: Path, tmp_path: Path) -> None:
    """One wheel serves them all.

    The newest is tried. With `WWHO_EXHAUSTIVE` all are, with what schemas and `wwho import --check`
    need, and by the README's commands.
    """
    pythons = list(other_pythons())
    if not pythons:
        pytest.skip("there is no other version of Python here")
    if not EXHAUSTIVE:
        del pythons[:-1]
    for number, python in enumerate(pythons):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = Installed(folder / "environment", folder)
        if EXHAUSTIVE:
            found.install(python, f"{wheel}[train]", "tokenizers")
            check_console(found.folder, found.environment)
        else:
            found.install(python, str(wheel))


# The example of each command


def test_the_examples_of_commands(installed: Installed) -> None:
    """As `--help` shows them, on files of the names that they use."""
    make_files(installed)
    failed = {}
    page = installed.run("wwho", "--help").stdout
    commands = re.findall(r"^    ([a-z][a-z-]*)(?: |$)", page, re.MULTILINE)
    # in their order: some use what `train` and `compile` have made
    for command in commands:
        for example in examples_of(installed, command) if command != "serve" else ():
            # with pipefail, a command fails where any of those joined by pipes does
            done = installed.run("bash", "-o", "pipefail", "-c", example)
            if done.returncode or "Traceback" in done.stderr:
                failed[example] = done.stderr
    assert len(commands) > 11
    assert not failed


def test_the_examples_of_serve(installed: Installed) -> None:
    """The server, and the question that is put to it."""
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    serve, curl = examples_of(installed, "serve")
    assert serve == "wwho serve --port 8328"
    command = [str(installed.programs / "wwho"), "serve", "--port", "0"]
    with subprocess.Popen(command, env=installed.environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            found = re.search(rb"http://127.0.0.1:(\d+)/", process.stdout.readline())
            assert found is not None
            address = f"localhost:{found[1].decode()}/"
            done = installed.run("bash", "-c", curl.replace("localhost:8328/", address))
        finally:
            process.terminate()
    assert json.loads(done.stdout) == {"count": 1}, done.stderr


def examples_of(installed: Installed, command: str) -> list[str]:
    """The commands at the end of its help, each in one line."""
    page = installed.run("wwho", command, "--help").stdout
    lines = page.partition("\nexample:\n")[2].replace("\\\n", " ")
    found = re.findall(r"^  \$ (.*)$", lines, re.MULTILINE)
    assert len(found) == len(lines.splitlines()) > 0
    # the one address that is outside this machine
    books = (installed.folder / "books").as_uri()
    return [example.replace("s3://bucket/books/", f"{books}/") for example in found]


def make_files(installed: Installed) -> None:
    """The files that the examples name."""
    from pyarrow import parquet, table
    from tokenizers import ByteLevelBPETokenizer, Tokenizer, models, trainers

    folder = installed.folder
    texts = {
        **dict.fromkeys(("LICENSE", "README.md", "en.txt"), ENGLISH),
        **dict.fromkeys(("corpus.txt", "lines.txt", "notes.txt", "si.txt"), SINHALA),
        "b.txt": HINDI + SINHALA,
        **dict.fromkeys(("news/1.txt", "books/1.txt"), HINDI),
        "my-script.json": page_of_schemas(installed)[1],
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for name, text in {"corpus": SINHALA + HINDI, "a": SINHALA, "si": SINHALA, "hi": HINDI}.items():
        (folder / f"{name}.txt.xz").write_bytes(lzma.compress(text.encode()))
    lines = "".join(json.dumps({"text": line}) + "\n" for line in HINDI.splitlines())
    (folder / "more.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "web").mkdir()
    parquet.write_table(table({"text": SINHALA.splitlines()}), folder / "web" / "1.parquet")
    (folder / "llama").mkdir()
    llama = Tokenizer(models.BPE())
    short = trainers.BpeTrainer(vocab_size=300, max_token_length=40)
    llama.train_from_iterator([ENGLISH, SINHALA], short)
    llama.save(str(folder / "llama" / "tokenizer.json"))
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(ENGLISH.splitlines()),
        model_writer=model,
        model_type="bpe",
        vocab_size=300,
        byte_fallback=True,
        minloglevel=2,
    )
    (folder / "tokenizer.model").write_bytes(model.getvalue())
    over_bytes = ByteLevelBPETokenizer()
    special = ["<|endoftext|>"]
    over_bytes.train_from_iterator([ENGLISH], 300, special_tokens=special, show_progress=False)
    over_bytes.save(str(folder / "tokenizer.json"))
    vocab = learn_vocab(folder / "si.txt", vocab_size=60, prune=1)
    (folder / "vocab.json").write_bytes(vocab_json(vocab))
    enc = wwho.get_encoding("o200k_base")
    ranks = enumerate(map(enc.decode_single_token_bytes, range(RANKS)))
    rows = [f"{b64encode(text).decode()} {rank}\n" for rank, text in ranks]
    (folder / "o200k_base.tiktoken").write_text("".join(rows), "ascii")
