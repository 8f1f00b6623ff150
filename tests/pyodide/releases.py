"""The releases of Pyodide that the wheels are tried in: npm packages, in node_modules here."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Release:
    """A release of Pyodide: its npm package, its Python, the platform of its wheels."""

    package: str
    python: str
    platform: str

    @property
    def folder(self) -> Path:
        return HERE / "node_modules" / self.package

    def config(self) -> dict[str, object]:
        """`sysconfig.get_config_vars()` of its Python."""
        ask = "import json, sysconfig; json.dumps(sysconfig.get_config_vars())"
        script = (
            f"import {{ loadPyodide }} from {json.dumps((self.folder / 'pyodide.mjs').as_uri())};\n"
            f"console.log((await loadPyodide()).runPython({json.dumps(ask)}));"
        )
        command = ["node", "--input-type=module", "--eval", script]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found: dict[str, object] = json.loads(done.stdout)
        return found


RELEASES = {
    "314": Release("pyodide-314", "3.14", "pyemscripten_2026_0_wasm32"),
    "0.29": Release("pyodide-0.29", "3.13", "pyodide_2025_0_wasm32"),
}


def in_node(job: dict[str, Any], release: Release) -> str:
    """What the Python of a job gives in Node; session.mjs says what a job is."""
    entry = (release.folder / "pyodide.mjs").as_uri()
    command = ["node", str(HERE / "node.mjs"), json.dumps({**job, "entry": entry})]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.splitlines()[-1]
