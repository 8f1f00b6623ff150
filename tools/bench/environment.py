"""Where a benchmark runs: its folders, the peers, the core, the machine and all versions."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
import venv
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chromium import find_browser

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = HERE / ".work"
VENV_PYTHON = WORK / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
VOCABULARY = WORK / "vocabulary"
TEXTS = WORK / "texts"
MB = 1_000_000
NOT_COMPILED = "WWHO is not compiled: run `python tools/dev.py demo --check` first"
MODULES = (
    *("bpe_openai", "cffi", "gigatoken", "kitoken", "matplotlib", "numpy"),
    *("playwright", "quicktok", "tiktoken", "tokenizers", "toktok"),
)


def prepare() -> None:
    """Make every peer importable, and see that WWHO is compiled."""
    if not (HERE / "node_modules" / ".package-lock.json").is_file():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True)
    find_modules(MODULES, "wwho._core")
    if not (ROOT / "web" / "package" / "wwho.wasm").is_file():
        raise SystemExit(NOT_COMPILED)


def find_modules(theirs: Iterable[str], ours: str) -> None:
    """Make these importable; this starts again in the benchmark's own Python if need be."""
    if any(find_spec(module) is None for module in theirs):
        if Path(sys.prefix).resolve() == (WORK / "venv").resolve():
            install()
        else:
            if not VENV_PYTHON.is_file():
                venv.create(WORK / "venv", with_pip=True)
            os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])
    sys.path.insert(0, str(ROOT / "py"))
    if find_spec(ours) is None:
        raise SystemExit(NOT_COMPILED)


def install() -> None:
    """Install the peers; one that has no wheel here does not keep the others out."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    requirements = HERE / "requirements.txt"
    if subprocess.run([*pip, "-r", str(requirements)], check=False).returncode:
        for line in requirements.read_text().split():
            subprocess.run([*pip, line], check=False)


def pin(core: int | None) -> int | None:
    """Keep this process and its children on one core; None where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = idlest_core() if core is None else core
    os.sched_setaffinity(0, {core})
    return core


def idlest_core() -> int:
    """The core that did least in half a second, itself and with its sibling, if it has one."""

    def idle() -> dict[int, int]:
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
        return {int(line[0][3:]): int(line[4]) for line in lines if line[0][3:].isdigit()}

    before = idle()
    time.sleep(0.5)
    after = idle()
    idled = {core: after[core] - before[core] for core in after}

    def score(core: int) -> tuple[int, int]:
        path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
        listed = path.read_text() if path.is_file() else str(core)
        siblings = [int(each) for each in re.split("[,-]", listed)]
        return sum(idled.get(each, 0) for each in siblings), idled[core]

    return max(os.sched_getaffinity(0), key=score)


def machine() -> dict[str, Any]:
    """The processor and system."""
    names = [platform.processor()]
    if (info := Path("/proc/cpuinfo")).is_file():
        lines = info.read_text().splitlines()
        names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {"cpu": names[0], "cores": os.cpu_count(), "system": platform.platform()}


def versions(runtimes: Iterable[str]) -> dict[str, str]:
    """The versions of WWHO, the runtimes and the peers, by name."""
    from wwho.version import __version__

    found = {"wwho": __version__, "python": platform.python_version()}
    commands = {"node": ["node", "--version"]}
    if "chromium" in runtimes and (browser := find_browser()):
        commands["chromium"] = [browser, "--version"]
    for name, command in commands.items():
        found[name] = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    for line in (HERE / "requirements.txt").read_text().split():
        name = line.partition("==")[0]
        try:
            found[f"PyPI {name}"] = version(name)
        except PackageNotFoundError:
            found[f"PyPI {name}"] = "not installed"
    packages = json.loads((HERE / "package.json").read_text())["dependencies"]
    return found | {f"npm {name}": number for name, number in packages.items()}
