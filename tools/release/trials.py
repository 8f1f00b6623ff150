"""Try what was built: run it where this machine can, and read it where it cannot.

A trial that cannot be made here, for want of a program, is no failure; the report says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import binaries
from cross_module import PLATFORMS

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check_wheel.py"
LICENCES = ROOT / "tools" / "release" / "licences.py"
MODEL = ROOT / "py" / "wwho" / "models" / "o200k_base.wwho"
PYTHONS = tuple(f"python3.{minor}" for minor in range(11, 16))
"""The versions of Python that wheels are tried in, of those that the machine has."""
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
"""Where pyenv, which many maintainers use, keeps those that are not on the path."""
QEMU = "qemu-aarch64-static"
DEBIAN = (
    *("python3-minimal", "python3-cffi-backend", "libc6", "libexpat1", "libffi8", "libgcc-s1"),
    *("zlib1g", "libssl3", "libbz2-1.0", "liblzma5", "libuuid1"),
)
"""The packages of Debian that a Python for another processor is unpacked from."""


class MissingProgramError(Exception):
    """A trial needs a program that this machine lacks; the message says which."""


@dataclass
class Report:
    """The trials of a release and their results, those that could not be made among them.

    Attributes:
        rows: for each trial its name, "passed", "failed" or "not tried", and details.
    """

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Return whether any trial failed; one that could not be made has not."""
        return any(state == "failed" for _, state, _ in self.rows)

    def run(self, name: str, trial: Callable[[], str]) -> None:
        """Make a trial, and add its row, in place.

        Args:
            name: what is tried.
            trial: returns the details of its success. An error that it raises is its failure;
                `MissingProgramError` says why there is no trial.
        """
        try:
            self.rows.append((name, "passed", trial()))
        except MissingProgramError as reason:
            self.rows.append((name, "not tried", str(reason)))
        except (Exception, SystemExit) as error:
            self.rows.append((name, "failed", f"{type(error).__name__}: {error}"))

    def as_markdown(self) -> str:
        """Return the report as a page with one table."""
        lines = [
            f"| {' | '.join(part.replace(chr(10), ' ') for part in row)} |" for row in self.rows
        ]
        return "\n".join(["| what | result | details |", "|---|---|---|", *lines, ""])


def run_all(folder: Path) -> Report:
    """Try everything in a folder of `build.py`, and return what came out."""
    report = Report()
    for platform in PLATFORMS:
        (wheel,) = folder.glob(f"*-{platform}.whl")
        report.run(f"{platform}: its modules, read", partial(read_wheel, wheel, platform))
    (linux,) = folder.glob("*-manylinux2014_x86_64.whl")
    for python in PYTHONS:
        report.run(f"manylinux2014_x86_64 in {python}", partial(run_wheel, linux, python))
    (sdist,) = folder.glob("wwho-[0-9]*.tar.gz")
    report.run("source distribution, installed", partial(run_wheel, sdist, "python3"))
    (arm,) = folder.glob("*-manylinux2014_aarch64.whl")
    report.run("manylinux2014_aarch64 in Debian's Python", partial(run_arm_wheel, arm))
    for target in ("x86_64-linux-musl", "aarch64-linux-musl"):
        report.run(f"the core in C, {target}", partial(run_core, target))
    packages = [path for path in sorted(folder.iterdir()) if path.suffix in (".whl", ".gz", ".tgz")]
    report.run("licences", partial(check_licences, packages))
    (package,) = folder.glob("*.tgz")
    report.run("npm package in Node.js", partial(run_npm, package))
    for system in ("macOS", "Windows"):
        report.rows.append((f"running on {system}", "not tried", "no such machine"))
    return report


def check_licences(packages: list[Path]) -> str:
    """Check that each file in packages is ours or of a named material, and return how many are.

    Raises:
        RuntimeError: nobody says whose a file is, or a material's licence is another.
    """
    return run([sys.executable, str(LICENCES), *map(str, packages)]).stdout.strip()


def read_wheel(wheel: Path, platform: str) -> str:
    """Read the compiled modules of a wheel, and return what they are.

    Raises:
        ValueError: a module would not load on the platform, or uses more than the stable ABI.
    """
    faults, names = [], []
    for name, data in binaries.list_modules(wheel):
        names.append(f"{name} ({len(data):,} bytes)")
        faults += binaries.find_faults(platform, name, data)
    audited = run([sys.executable, "-m", "abi3audit", "--strict", str(wheel)], check=False)
    if audited.returncode:
        faults.append(f"not for the stable ABI of Python 3.11: {audited.stdout + audited.stderr}")
    if len(names) != 2:
        faults.append(f"there are {len(names)} modules, expected 2")
    if faults:
        raise ValueError("; ".join(faults))
    return ", ".join(names)


def run_wheel(package: Path, python: str) -> str:
    """Install a wheel or a source distribution in a fresh environment of a Python, and use it.

    Raises:
        MissingProgramError: there is no such Python.
        RuntimeError: it cannot be installed, or does not work.
    """
    program = find_python(python)
    with tempfile.TemporaryDirectory() as folder:
        run([program, "-m", "venv", folder])
        inside = str(Path(folder, "bin", "python"))
        run([inside, "-m", "pip", "install", "--quiet", str(package)])
        return run([inside, str(CHECK)], cwd=folder).stdout.strip().split(" from ")[0]


def find_python(name: str) -> str:
    """Return the path of a Python, such as "python3.12", from the path or from pyenv.

    Raises:
        MissingProgramError: there is none that starts.
    """
    found = [shutil.which(name), *map(str, sorted(PYENV.glob(f"*/bin/{name}")))]
    for program in filter(None, found):
        if not run([program, "-c", "pass"], check=False).returncode:
            return program
    raise MissingProgramError(f"no {name}")


def run_arm_wheel(wheel: Path) -> str:
    """Use a wheel for arm64 in Debian's Python for arm64, by an emulator of the processor.

    Raises:
        MissingProgramError: there is no emulator, or this is no Debian.
        RuntimeError: it does not work.
    """
    if not shutil.which(QEMU):
        raise MissingProgramError(f"no {QEMU} (apt-get install qemu-user-static)")
    if not shutil.which("apt-get"):
        raise MissingProgramError("no apt-get, which would fetch a Python for arm64")
    with tempfile.TemporaryDirectory() as scratch:
        root, site = Path(scratch, "root"), Path(scratch, "site")
        unpack_debian(Path(scratch), root)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps"]
        run([*pip, "--target", str(site), "cffi", "pycparser"])  # its compiled part is Debian's
        for module in site.glob("_cffi_backend*"):
            module.unlink()
        shutil.unpack_archive(wheel, site, "zip")
        (python,) = root.glob("usr/bin/python3.[0-9]*")
        packages = f"{site}:{root}/usr/lib/python3/dist-packages"
        command = [QEMU, "-L", str(root), str(python), str(CHECK)]
        done = run(command, env={**os.environ, "PYTHONPATH": packages})
        return f"{python.name}: " + done.stdout.strip().split(" from ")[0]


def unpack_debian(scratch: Path, root: Path) -> None:
    """Fetch the packages `DEBIAN` for arm64 and unpack them into `root`, installing nothing.

    Raises:
        RuntimeError: they cannot be fetched.
    """
    for name in ("state/lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True)
    (scratch / "state" / "status").touch()
    apt = [
        *("apt-get", "-qq", "-o", f"Dir::State={scratch}/state"),
        *("-o", f"Dir::State::status={scratch}/state/status", "-o", f"Dir::Cache={scratch}/cache"),
        *("-o", "APT::Architecture=arm64", "-o", "APT::Architectures::=arm64"),
    ]
    run([*apt, "update"])
    needs = run([*apt, "-s", "install", "--no-install-recommends", *DEBIAN]).stdout
    names = [line.split()[1] for line in needs.splitlines() if line.startswith("Inst ")]
    run([*apt, "download", *names], cwd=scratch)
    for package in sorted(scratch.glob("*.deb")):
        run(["dpkg", "-x", str(package), str(root)])


def run_core(target: str) -> str:
    """Compile the core's own tests in C for a system, without any libraries, and run them.

    Args:
        target: as zig names it, linked to musl.

    Raises:
        MissingProgramError: the processor is another than this machine's, and there is no emulator.
        RuntimeError: they do not compile, or fail.
    """
    emulator = [QEMU] if target.startswith("aarch64") else []
    if emulator and not shutil.which(QEMU):
        raise MissingProgramError(f"no {QEMU} (apt-get install qemu-user-static)")
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "interface"))
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-static", "-O2"]
        sources = ["wasm/tests/interface.c", "wasm/wwho.c"]
        run([*zig, "-std=c11", "-DWWHO_DEBUG", "-Iwasm/include", *sources, "-o", program], cwd=ROOT)
        run([*emulator, program, str(MODEL)])
    return "its tests pass"


def run_npm(package: Path) -> str:
    """Install the npm package in an empty folder, and count tokens with it.

    Raises:
        MissingProgramError: there is no npm.
        RuntimeError: it cannot be installed, or counts wrongly.
    """
    if not shutil.which("npm"):
        raise MissingProgramError("no npm")
    code = (
        "import { getEncoding } from 'wwho'; const enc = await getEncoding('wwho_328k');"
        "console.log(enc.encode('ඔයා 1 special अद्भुत').join(' '));"
    )
    with tempfile.TemporaryDirectory() as folder:
        run(["npm", "init", "--yes"], cwd=folder)
        run(["npm", "install", "--no-audit", "--no-fund", str(package.resolve())], cwd=folder)
        done = run(["node", "--input-type=module", "--eval", code], cwd=folder)
    if done.stdout.strip() != "267431 220 16 3582 218041":
        raise RuntimeError(f"found the ids {done.stdout.strip()!r}")
    return "the ids are right"


def run(
    command: list[str],
    *,
    cwd: Path | str | None = None,
    env: dict[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a command, and return its exit code and what it printed.

    Args:
        command: the program and its arguments.
        cwd: where it runs; None: here.
        env: its environment; None: ours, without the paths of Python.
        check: whether a failure is an error.

    Raises:
        RuntimeError: it fails; the message ends with what it printed.
    """
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=env or usual, capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        printed = (done.stdout + done.stderr)[-1000:]
        raise RuntimeError(f"{' '.join(command)[:200]} failed: {printed}")
    return done
