"""The demo app without a browser: what it serves and how."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("flask", reason="the demo page needs Flask: pip install 'wwho[demo]'")

from flask.testing import FlaskClient

from wwho.demo.app import bind, create_app, serve
from wwho.demo.files import models_folder, web_folder
from wwho.errors import WwhoError


@pytest.fixture
def client() -> FlaskClient:
    return create_app().test_client()


@pytest.mark.parametrize(
    ("path", "mime"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.js", "text/javascript; charset=utf-8"),
        ("/page/main.js", "text/javascript; charset=utf-8"),
        ("/page/page.css", "text/css; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml"),
        ("/wwho.wasm", "application/wasm"),
        ("/models/wwho_328k.wwho", "application/octet-stream"),
        ("/models/o200k_base.wwho", "application/octet-stream"),
    ],
)
def test_files_have_their_types_and_headers(client: FlaskClient, path: str, mime: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == mime
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self' 'wasm-unsafe-eval'" in policy
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy


def test_files_are_revalidated_by_etag(client: FlaskClient) -> None:
    first = client.get("/wwho.wasm")
    assert first.headers["Cache-Control"] == "no-cache"
    again = client.get("/wwho.wasm", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get("/wwho.wasm", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/page/",
        "/package.json",
        "/models/",
        "/models/none.wwho",
        "/models/README.md",
        "/models/../errors.py",
        "/models/..%2ferrors.py",
        "/../pyproject.toml",
        "/%2e%2e/pyproject.toml",
        "/page/..%2f..%2fpyproject.toml",
        "//etc/passwd",
        "/page/%00.js",
    ],
)
def test_everything_else_is_a_plain_404(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.mimetype == "text/plain"
    assert response.text == "404 Not Found\n"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_other_methods_are_refused_in_plain_text(client: FlaskClient) -> None:
    response = client.post("/", data="text")
    assert (response.status_code, response.mimetype) == (405, "text/plain")


def test_a_missing_core_says_how_to_build_it(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>", "utf-8")
    response = create_app(web=tmp_path).test_client().get("/")
    assert response.status_code == 503
    assert "python tools/build_wasm.py" in response.text


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(client: FlaskClient) -> None:
    html = client.get("/").text
    assert "<script>" not in html
    assert " style=" not in html
    assert " onclick=" not in html
    assert "http:" not in html
    assert "https:" not in html


def test_without_javascript_the_page_says_what_it_needs(client: FlaskClient) -> None:
    # Chromium's emulation of disabled scripts hides <noscript>, so this looks at the markup.
    found = re.search(r"<noscript>(.*?)</noscript>", client.get("/").text, re.DOTALL)
    assert found
    assert "needs JavaScript and WebAssembly" in found[1]


def test_the_folders_are_there() -> None:
    assert (web_folder() / "index.html").is_file()
    assert (models_folder() / "wwho_328k.wwho").is_file()


def test_a_taken_port_is_named_with_a_way_out() -> None:
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(
            WwhoError, match=rf"port {port} of 127\.0\.0\.1 is taken.*--port {port + 1}"
        ):
            serve("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port"), [("no.such.host.invalid", 8000), ("127.0.0.1", 70000), ("192.0.2.1", 8000)]
)
def test_an_address_that_cannot_be(host: str, port: int) -> None:
    with pytest.raises(WwhoError, match=f"{host}:{port}"):
        serve(host, port)


def test_serve_prints_its_address_and_ends_with_ctrl_c() -> None:
    script = "from wwho.demo.app import serve; serve(port=0)"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.send_signal(2)
    _, errors = process.communicate(timeout=20)
    assert line.startswith("WWHO demo: http://127.0.0.1:")
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
