"""The wheels under test, the versions of Pyodide, and a package index.

All of it comes from the machine: what is fetched from a registry beforehand stays in build/pyodide.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "pyodide")]

import cffi_wheel  # noqa: E402
from releases import HERE, RELEASES, Release  # noqa: E402

BUILT = ROOT / "build" / "pyodide"
MICROPIP, PACKAGING = "micropip==0.11.1", "packaging==26.0"
PAGE = """<!doctype html><meta charset="utf-8"><title>Pyodide</title>
<link rel="icon" href="data:,">"""


def missing(reason: str) -> NoReturn:
    """Skip; fail where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def releases() -> dict[str, Release]:
    """The releases of Pyodide, which must be there."""
    for release in RELEASES.values():
        if not release.folder.is_dir():
            missing(f"needs {release.package}: npm ci in {HERE.relative_to(ROOT)}")
    if shutil.which("node") is None:
        missing("needs Node.js")
    return RELEASES


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels that Pyodide installs, by their platforms, built from the tree as it is."""
    pytest.importorskip("ziglang", reason="needs ziglang")
    from build_backend import ANY, PYODIDE
    from build_wheels import build

    folder = tmp_path_factory.mktemp("wheels")
    return {wheel.stem.rpartition("-")[2]: wheel for wheel in build(folder, (ANY, *PYODIDE))}


@pytest.fixture(scope="session")
def installers() -> list[Path]:
    """The wheels of micropip, which is Pyodide's pip, and of what it needs."""
    wheels = []
    for requirement in (MICROPIP, PACKAGING):
        pattern = f"{requirement.replace('==', '-')}-*.whl"
        if not list(BUILT.glob(pattern)):
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            there = ["--only-binary=:all:", "--python-version=3.14", "--dest", str(BUILT)]
            try:
                cffi_wheel.obtain(*pip, *there, requirement)
            except cffi_wheel.UnobtainableError as error:
                missing(str(error))
        wheels.append(next(BUILT.glob(pattern)))
    return wheels


@pytest.fixture(scope="session")
def cffi(releases: dict[str, Release]) -> Callable[[str], Path]:
    """The wheel of cffi for a release."""

    def built(name: str) -> Path:
        release = releases[name]
        try:
            return cffi_wheel.build(release.python, release.platform, release.config, BUILT)
        except cffi_wheel.UnobtainableError as error:
            missing(str(error))

    return built


@pytest.fixture(scope="session")
def server(wheels: dict[str, Path], releases: dict[str, Release]) -> Iterator[str]:
    """The address of a server with two package indexes, the wheels, Pyodide and the checks.

    The index `all` has every wheel of wwho, `any` only the one without a compiled part.
    """
    flask = pytest.importorskip("flask", reason="needs Flask")
    from werkzeug.serving import make_server

    app = flask.Flask("index", static_folder=None)
    indexes = {"all": list(wheels.values()), "any": [wheels["any"]]}
    files = {wheel.name: wheel for wheel in wheels.values()}

    @app.get("/<index>/wwho/")
    def project(index: str) -> Any:
        listed = [
            {
                "filename": wheel.name,
                "url": flask.url_for("file", name=wheel.name, _external=True),
                "hashes": {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()},
            }
            for wheel in indexes[index]
        ]
        page = {"meta": {"api-version": "1.0"}, "name": "wwho", "files": listed}
        return flask.Response(json.dumps(page), mimetype="application/vnd.pypi.simple.v1+json")

    @app.get("/files/<name>")
    def file(name: str) -> Any:
        found = files.get(name) or BUILT / name
        return flask.send_file(found)

    @app.get("/checks.zip")
    def checks() -> Any:
        return flask.send_file(io.BytesIO(checks_archive()), "application/zip")

    @app.get("/<release>/pyodide/<name>")
    def pyodide(release: str, name: str) -> Any:
        return flask.send_from_directory(releases[release].folder, name)

    @app.get("/session.mjs")
    def session() -> Any:
        return flask.send_file(HERE / "session.mjs", "text/javascript")

    @app.get("/")
    def page() -> str:
        return PAGE

    running = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture(scope="session")
def job_of(
    installers: list[Path], cffi: Callable[[str], Path], server: str
) -> Callable[[str, str, str], dict[str, Any]]:
    """What session.mjs is told, from a release, the index that has wwho, and the code to run."""

    def made(release: str, index: str, code: str) -> dict[str, Any]:
        ready = [*installers, cffi(release)] if index == "all" else installers
        urls = [f"{server}/files/{wheel.name}" for wheel in ready]
        return {"server": server, "ready": urls, "index": index, "code": code}

    return made


def checks_archive() -> bytes:
    """The vectors and the code that checks them, as a zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        checks = (HERE / "inside.py", HERE / "notebook.py", ROOT / "tests/py/vector_checks.py")
        for module in checks:
            archive.write(module, f"py/{module.name}")
        archive.write(ROOT / "web" / "site" / "wwho.ipynb", "wwho.ipynb")
        for path in sorted((ROOT / "tests" / "vectors").iterdir()):
            archive.write(path, f"vectors/{path.name}")
    return packed.getvalue()
