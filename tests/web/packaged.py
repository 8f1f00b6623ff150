"""The npm package, packed and installed into a project of its own, and a server for its pages."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "package"
MODULES = Path(os.environ.get("WWHO_NODE_MODULES", ROOT / "tests" / "node_modules")).resolve()
# The heavy ones, and the folder for what is built with them: they look for each other upwards.
BUNDLERS = ROOT / "tests" / "bundlers"
# No inline script or style, nothing from elsewhere, and of eval's kind WebAssembly alone.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "connect-src 'self'",
        "worker-src 'self'",
    )
)
# The packages deno and workerd want those of every platform, which not every registry has.
BINARIES = {
    "deno": ("@deno/linux-x64-glibc/deno",),
    "workerd": ("@cloudflare/workerd-linux-64/bin/workerd",),
}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
}


def missing(what: str, remedy: str) -> None:
    """Skip the running test, which lacks a program; in CI, where all are installed, fail it."""
    reason = f"{what} is missing: {remedy}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program in a folder, fail the test if it fails, and return what it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(folder: Path) -> Path:
    """Pack the package, install it into a project in `folder`, and return the project.

    The project has the programs of tests/web/package, the vectors, and @huggingface/jinja.
    """
    if shutil.which("npm") is None:
        missing("npm", "install Node.js 20 or later")
    sys.path.insert(0, str(ROOT / "tools"))
    import build_npm

    tarball = build_npm.build(folder / "packed")
    project = folder / "project"
    shutil.copytree(PROGRAMS, project)
    shutil.copytree(ROOT / "tests" / "vectors", project / "vectors")
    (project / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
    npm = ("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund")
    run(*npm, tarball, cwd=project)
    jinja = Path("@huggingface", "jinja")  # an optional peer dependency
    if (MODULES / jinja).is_dir():
        shutil.copytree(MODULES / jinja, project / "node_modules" / jinja)
    return project


def program(name: str) -> Path:
    """Return the path of a program of npm's packages or of the system; skip the test without it."""
    folders = (MODULES, BUNDLERS / "node_modules")
    places = [folder / ".bin" / name for folder in folders]
    places += [MODULES / place for place in BINARIES.get(name, ())]
    system = shutil.which(name)
    found = [path for path in places if path.exists()] or ([Path(system)] if system else [])
    if not found:
        missing(name, "npm install in tests/ and tests/bundlers/")
    return found[0]


def esbuild(project: Path, kind: str, entry: str | None = None) -> None:
    """Bundle a program of the project with esbuild, by default KIND-entry.js (see build.mjs)."""
    program("esbuild")
    script = project / "with-esbuild.mjs"
    module = (MODULES / "esbuild" / "lib" / "main.js").as_uri()
    text = (project / "build.mjs").read_text("utf-8")
    script.write_text(text.replace('"esbuild"', json.dumps(module)), "utf-8")
    run("node", script, kind, entry or f"{kind}-entry.js", cwd=project)


@contextmanager
def started(says: str, *command: str | Path, cwd: Path) -> Iterator[str]:
    """Start a program that goes on, wait for a line that matches `says`, and yield its first group.

    The program and all that it has started are killed at the end.
    """
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "NEXT_TELEMETRY_DISABLED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line)
            if found := re.search(says, line):
                break
        else:
            raise AssertionError("".join(said))
        # Nobody reads the rest, but it must go somewhere.
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield found[1]
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def vite_dev(project: Path) -> Iterator[str]:
    """Start Vite's development server, without a configuration, and yield its address."""
    program("vite")
    command = ("node", MODULES / "vite" / "bin" / "vite.js", "--host", "127.0.0.1", "--port", "0")
    with started(r"Local: +(http://\S+)", *command, cwd=project) as address:
        yield address


def free_address() -> tuple[str, int]:
    """Return an address of this machine where nobody listens, and its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return f"127.0.0.1:{port}", port


@contextmanager
def workerd(project: Path) -> Iterator[str]:
    """Start workerd with the project's workerd.capnp, and yield its address."""
    command = [str(program("workerd")), "serve", "workerd.capnp"]
    address, port = free_address()
    process = subprocess.Popen([*command, f"--socket-addr=http={address}"], cwd=project)
    try:
        wait_for(process, port)
        yield f"http://{address}/"
    finally:
        process.terminate()
        process.wait()


def wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until a server listens at a port of this machine; fail if its process ends before."""
    while True:
        assert process.poll() is None, f"{process.args!r} ended by itself"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return


def answer(address: str, body: bytes | None = None) -> bytes:
    """Return the body of a server's response; with a body of its own, the request is a POST."""
    with urllib.request.urlopen(address, body) as response:
        said: bytes = response.read()
    return said


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files with their types, under the strictest policy that WebAssembly can do with."""

    policy = POLICY

    def translate_path(self, path: str) -> str:
        """Return the file for an address: below /wrong-type/, that of the installed package."""
        return super().translate_path(path.replace("/wrong-type/", "/node_modules/wwho/"))

    def guess_type(self, path: Any) -> str:
        """Return a file's type from TYPES; for every address below /wrong-type/, plain text."""
        if "/wrong-type/" in self.path:
            return "text/plain"
        return TYPES.get(Path(str(path)).suffix, "application/octet-stream")

    def end_headers(self) -> None:
        """Add the policy to every answer."""
        self.send_header("Content-Security-Policy", self.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *values: Any) -> None:
        """Write nothing to the terminal."""


@contextmanager
def served(folder: Path, policy: str = POLICY) -> Iterator[str]:
    """Serve the files of a folder under a policy, and yield the address."""
    under = type("Handler", (Handler,), {"policy": policy})
    handler = functools.partial(under, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with the package installed from its tarball."""
    return install(tmp_path_factory.mktemp("npm"))


@pytest.fixture(scope="session")
def site(project: Path) -> Iterator[str]:
    """Yield the address of a server for the project's pages."""
    with served(project) as address:
        yield address
