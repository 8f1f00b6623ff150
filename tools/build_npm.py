"""Assemble the npm package `wwho` in build/npm/wwho and pack it: build/npm/wwho-VERSION.tgz.

web/ holds its sources, which run as they are. The package adds what has another home, the encodings
and the licence, and what is generated: `inline.js`, which is index.js with wwho.wasm inside. Needs
web/wwho.wasm (tools/build_wasm.py), and npm to pack.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
MODELS = ROOT / "py" / "wwho" / "models"
TARGET = ROOT / "build" / "npm"
CORE_URL = 'new URL("./wwho.wasm", import.meta.url)'
CORE_BYTES = "Uint8Array.from(atob(CORE), (char) => char.charCodeAt(0))"
HEADING = re.compile(r"// wwho for browsers.*\n")


def inline(index: str, wasm: bytes) -> str:
    """The text of inline.js, from that of index.js.

    Raises:
        SystemExit: index.js does not name wwho.wasm where this looks for it.
    """
    if index.count(CORE_URL) != 1 or not HEADING.match(index):
        raise SystemExit(f"web/index.js should begin with {HEADING.pattern} and hold {CORE_URL}")
    code = HEADING.sub("// wwho with the core inside: index.js that fetches no wwho.wasm.\n", index)
    core = base64.b64encode(wasm).decode("ascii")
    return f'{code.replace(CORE_URL, CORE_BYTES)}\nconst CORE =\n  "{core}";\n'


def manifest() -> dict[str, Any]:
    """package.json as it is published.

    Raises:
        SystemExit: its version is not that of the Python package.
    """
    package: dict[str, Any] = json.loads((WEB / "package.json").read_text("utf-8"))
    version = (ROOT / "py" / "wwho" / "version.py").read_text("utf-8")
    found = re.search(r'__version__ = "(.+)"', version)
    if found is None or found[1] != package["version"]:
        raise SystemExit(f"web/package.json has version {package['version']}, the project another")
    # Only what this tool assembles may be published.
    del package["private"]
    return package


def assemble(folder: Path) -> None:
    """Write the package into an empty folder.

    Raises:
        SystemExit: a file of the package is missing.
    """
    package = manifest()
    wasm = WEB / "wwho.wasm"
    if not wasm.is_file():
        raise SystemExit("web/wwho.wasm is missing: python tools/build_wasm.py")
    homes = {"LICENSE": ROOT, "NOTICE": ROOT}
    for name in package["files"]:
        source = homes.get(name, WEB) / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.is_file():
            shutil.copyfile(source, folder / name)
    shutil.copytree(MODELS, folder / "models", ignore=shutil.ignore_patterns("__pycache__"))
    index = (WEB / "index.js").read_text("utf-8")
    (folder / "inline.js").write_text(inline(index, wasm.read_bytes()), "utf-8")
    (folder / "inline.d.ts").write_text('export * from "./index.js";\n', "utf-8")
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n", "utf-8")
    missing = [name for name in package["files"] if not (folder / name).exists()]
    if missing:
        raise SystemExit(f"the package lacks {', '.join(missing)}, which web/package.json lists")


def build(target: Path = TARGET) -> Path:
    """Assemble and pack the package in `target`; return the tarball.

    Raises:
        SystemExit: a part is missing, or npm fails.
    """
    folder = target / "wwho"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    assemble(folder)
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing: install Node.js 20 or later")
    command = [npm, "pack", "--json", "--pack-destination", str(target)]
    packed = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)
    if packed.returncode:
        raise SystemExit("npm could not pack the package; its messages stand above")
    answer = json.loads(packed.stdout)
    # npm 11 and before: a list of packages; later: by name.
    details = answer[0] if isinstance(answer, list) else next(iter(answer.values()))
    return target / str(details["filename"])


if __name__ == "__main__":
    path = build()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")
