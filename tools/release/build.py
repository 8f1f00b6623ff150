"""Build everything that would be published into one folder, and try what this machine can run.

    python tools/release/build.py                   into build/release
    python tools/release/build.py -o FOLDER         into another folder, which must be empty or new

The folder gets the source distribution; a wheel for each system, for each platform of Pyodide, and
the one for every machine; the npm package; the page with its documentation as an archive of plain
files; the bill of materials; SHA256SUMS; and REPORT.md, which says what was tried and what could
not be. Two runs give the same bytes but for the report. `python3 tools/dev.py release` installs
what is needed, and runs this.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

import bill  # noqa: E402
import build_backend  # noqa: E402
import build_docs  # noqa: E402
import build_npm  # noqa: E402
import build_wheels  # noqa: E402
import trials  # noqa: E402

TARGET = ROOT / "build" / "release"
SUMS = "SHA256SUMS"
REPORT = "REPORT.md"
PYODIDE = ROOT / "tests" / "pyodide" / "node_modules" / "pyodide-314"


def main() -> int:
    """Build and try everything; return 1 if a trial fails, otherwise 0.

    Raises:
        SystemExit: the version has no entry in the changelog, the folder is not empty, or a build
            fails; its own messages come first.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=TARGET, help="(build/release)")
    parser.add_argument("--no-trials", action="store_true", help="build alone")
    parser.add_argument(
        "--draft", action="store_true", help="the changelog may lack a section for the version"
    )
    options = parser.parse_args()
    version = check_version(draft=options.draft)
    for missing in find_missing_addresses():
        print(f"to fill in before publishing: {missing}", flush=True)
    folder: Path = options.output
    if folder == TARGET:
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = build_backend.EPOCH
    build_all(folder, version)
    write_sums(folder)
    if options.no_trials:
        return 0
    report = trials.run_all(folder)
    (folder / REPORT).write_text(report.as_markdown(), "utf-8")
    print(report.as_markdown())
    return 1 if report.failed else 0


def check_version(*, draft: bool) -> str:
    """Return the version of the package, which is stated once for Python and once for npm.

    Args:
        draft: whether the changelog may lack the version.

    Raises:
        SystemExit: the two differ, or CHANGELOG.md has no section for the version.
    """
    scope: dict[str, str] = {}
    exec((ROOT / "py" / "wwho" / "version.py").read_text("utf-8"), scope)
    version = scope["__version__"]
    if (npm := npm_version()) != version:
        raise SystemExit(f"the npm package is {npm}, and the Python package {version}")
    if not draft and f"## {version}" not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        raise SystemExit(
            f"CHANGELOG.md has no section '## {version}': write what changed, or use --draft"
        )
    return version


def npm_version() -> str:
    """Return the version of the npm package."""
    return str(json.loads(build_npm.MANIFEST.read_text("utf-8"))["version"])


def find_missing_addresses() -> list[str]:
    """Return the fields for the project's addresses that are empty, each with its file.

    PyPI and npm show them beside the package. npm also compares `repository` with the repository
    whose workflow publishes, and refuses another.
    """
    manifest = json.loads(build_npm.MANIFEST.read_text("utf-8"))
    path = build_npm.MANIFEST.relative_to(ROOT).as_posix()
    missing = [
        f"{path}: {name}" for name in ("repository", "homepage", "bugs") if name not in manifest
    ]
    if "urls" not in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]:
        missing.append("pyproject.toml: [project.urls]")
    return missing


def build_all(folder: Path, version: str) -> None:
    """Build all artifacts into a folder.

    Raises:
        SystemExit: a build fails; its own messages come first.
    """
    with tempfile.TemporaryDirectory() as scratch:
        # First, for the wheels hold the documentation, too.
        print("== documentation", flush=True)
        build_docs.build()
        print("== source distribution", flush=True)
        build_sdist(Path(scratch) / "source", folder)
        print("== wheels", flush=True)
        build_wheels.build(folder)
        print("== npm package", flush=True)
        packed = build_npm.build(Path(scratch) / "npm")
        shutil.move(packed, folder / packed.name)
        print("== page", flush=True)
        page = Path(scratch) / "page"
        write = [sys.executable, "-m", "wwho.serve", str(page)]
        pyodide = ["--pyodide", str(PYODIDE)] if PYODIDE.is_dir() else []
        if subprocess.run([*write, *pyodide], cwd=ROOT, check=False).returncode:
            raise SystemExit("the page could not be written; the messages stand above")
        pack_folder(page, folder / f"wwho-page-{version}.tar.gz")
    (folder / f"wwho-{version}.cdx.json").write_text(bill.make_bill(version), "utf-8")


def build_sdist(tree: Path, folder: Path) -> None:
    """Build the source distribution of a copy of the project's files, which is made at `tree`.

    Raises:
        SystemExit: the build fails; its own messages come first.
    """
    for name in (*build_wheels.SOURCES, *build_backend.list_sources()):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tree / name)
    build = "import sys; sys.path.insert(0, 'tools'); import build_backend"
    code = f"{build}; build_backend.build_sdist({str(folder)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, stdout=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit("the source distribution could not be built; the messages stand above")


def pack_folder(folder: Path, target: Path) -> None:
    """Write a .tar.gz of a folder's files whose bytes depend on their names and contents alone."""
    epoch = int(build_backend.EPOCH)
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = archive.gettarinfo(path, path.relative_to(folder).as_posix())
            with path.open("rb") as content:
                archive.addfile(build_backend.same_everywhere(member), content)


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS, which `sha256sum -c` reads, for the files of a folder."""
    lines = [
        f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
        if path.name != SUMS
    ]
    (folder / SUMS).write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
