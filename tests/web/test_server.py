"""The server's files without a browser: what it serves and how."""

from __future__ import annotations

import json
import logging
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("brotli", reason="the server needs brotli: pip install 'wwho[serve]'")
pytest.importorskip("flask", reason="the server needs Flask: pip install 'wwho[serve]'")
pytest.importorskip("msgspec", reason="the server needs msgspec: pip install 'wwho[serve]'")
pytest.importorskip("waitress", reason="the server needs waitress: pip install 'wwho[serve]'")

import brotli
from flask import Flask
from flask.testing import FlaskClient

from wwho.errors import WwhoError
from wwho.serve.app import create_app
from wwho.serve.python_archive import WEB
from wwho.serve.server import RequestCounter, serve
from wwho.serve.site_files import BEST, FOLDERS, QUICK, Site, add_site_routes, find_npm_package

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import build_fonts  # noqa: E402

BROTLI = {"Accept-Encoding": "gzip, br"}
MODEL = "/package/models/o200k_base.wwho"


@pytest.fixture(scope="module")
def app() -> Flask:
    return create_app()


@pytest.fixture(scope="module")
def site(app: Flask) -> Site:
    found: Site = app.extensions["wwho.site"]
    return found


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.parametrize(
    ("path", "mime"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/package/index.js", "text/javascript; charset=utf-8"),
        ("/page/main.js", "text/javascript; charset=utf-8"),
        ("/page/base.css", "text/css; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml; charset=utf-8"),
        ("/page/share.png", "image/png"),
        ("/package/README.md", "text/plain; charset=utf-8"),
        ("/package/wwho.wasm", "application/wasm"),
        ("/package/models/wwho_328k.wwho", "application/octet-stream"),
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


# Caching


@pytest.mark.parametrize("path", ["/", "/package/wwho.wasm", MODEL, "/page/main.js"])
def test_files_are_revalidated_by_etag(client: FlaskClient, path: str) -> None:
    first = client.get(path)
    assert first.headers["Cache-Control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Cache-Control"] == "no-cache"
    other = client.get(path, headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize(
    "name", ["package/wwho.wasm", "package/models/o200k_base.wwho", "package/lib/core.js"]
)
def test_versioned_files_never_change(client: FlaskClient, site: Site, name: str) -> None:
    response = client.get(f"/static/{site.version}/{name}")
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.data == client.get(f"/{name}").data


def test_another_version_is_answered_by_this_one_and_not_kept(client: FlaskClient) -> None:
    response = client.get(f"/static/{'0' * 16}/package/index.js")
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-cache")


def test_a_page_names_its_files_where_they_never_change(client: FlaskClient, site: Site) -> None:
    response = client.get("/")
    assert response.headers["Cache-Control"] == "no-cache"
    scripts = re.findall(r'(?:src|href)="([^"#]+\.(?:js|css|svg))"', response.text)
    assert len(scripts) >= 3
    for link in scripts:
        assert link.startswith(f"static/{site.version}/")
        assert client.get(f"/{link}").status_code == 200
    unpinned = response.text.replace(f"static/{site.version}/", "")
    links = r'(  <link rel="modulepreload" href="[^"]+">\n)+</head>'
    assert re.sub(links, "</head>", unpinned) == (WEB / "site" / "index.html").read_text("utf-8")


def test_a_public_address_makes_that_of_the_preview_picture() -> None:
    page = Site({"": WEB / "site"}, "https://example.org/a&b").files["index.html"]
    picture = b'property="og:image" content="https://example.org/a&amp;b/page/share.png"'
    assert picture in page.data
    with pytest.raises(WwhoError, match=r"--url example\.org is no address"):
        serve(port=0, url="example.org")


@pytest.mark.page
@pytest.mark.service_worker
def test_the_second_visit_asks_for_the_page_alone(page: Any, server: Any, address: str) -> None:
    asked = []
    for _ in range(2):
        before = len(server.log.read_text("utf-8").splitlines())
        page.goto(address, wait_until="networkidle")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")  # and it has what it needs
        lines = server.log.read_text("utf-8").splitlines()[before:]
        asked.append([json.loads(line)["path"] for line in lines])
    first, second = asked
    assert len([path for path in first if path.startswith("/static/")]) > 10
    assert any(path.endswith("/o200k_base.wwho") for path in first)
    assert [path for path in second if path.startswith("/static/")] == []


def test_the_version_is_that_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>", "utf-8")
    (tmp_path / "a.js").write_text("1", "utf-8")
    before = Site({"": tmp_path}).version
    assert Site({"": tmp_path}).version == before
    (tmp_path / "a.js").write_text("2", "utf-8")
    assert Site({"": tmp_path}).version != before


# Compression


@pytest.mark.parametrize("path", ["/", "/package/wwho.wasm", "/page/base.css", MODEL])
def test_brotli_is_sent_where_it_is_accepted(client: FlaskClient, path: str) -> None:
    plain, packed = client.get(path), client.get(path, headers=BROTLI)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "br"
    assert brotli.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert plain.headers["ETag"] != packed.headers["ETag"]
    assert packed.headers["Content-Type"] == plain.headers["Content-Type"]
    etag = {"If-None-Match": packed.headers["ETag"]}
    assert client.get(path, headers={**BROTLI, **etag}).status_code == 304


@pytest.mark.parametrize("accepted", ["", "gzip", "br;q=0", "identity"])
def test_brotli_is_not_sent_where_it_is_not(client: FlaskClient, accepted: str) -> None:
    response = client.get("/package/wwho.wasm", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in response.headers
    assert response.data == (WEB / "package" / "wwho.wasm").read_bytes()


@pytest.mark.parametrize("headers", [{}, BROTLI])
def test_head_says_what_get_sends(client: FlaskClient, headers: dict[str, str]) -> None:
    got, head = (
        client.get("/package/wwho.wasm", headers=headers),
        client.head("/package/wwho.wasm", headers=headers),
    )
    assert (head.status_code, head.data) == (200, b"")
    for name in ("Content-Length", "Content-Type", "ETag", "Vary", "Cache-Control"):
        assert head.headers[name] == got.headers[name]


def test_ranges_are_ignored(client: FlaskClient) -> None:
    whole = client.get(MODEL)
    response = client.get(MODEL, headers={"Range": "bytes=100-199"})
    assert (response.status_code, response.data) == (200, whole.data)
    assert "Content-Range" not in response.headers


def test_every_file_is_compressed_best_in_the_end(tmp_path: Path) -> None:
    lines = "".join(f'<p id="p{number * number}">{number}</p>\n' for number in range(500))
    html = f'<!doctype html><script src="a.js"></script>\n{lines}'
    (tmp_path / "index.html").write_text(html, "utf-8")
    (tmp_path / "a.js").write_text("1", "utf-8")
    site = Site({"": tmp_path})
    page = site.files["index.html"]
    quick = page.compressed
    site.compress_best()
    assert quick[0] == brotli.compress(page.data, quality=QUICK)
    assert page.compressed[0] == brotli.compress(page.data, quality=BEST)
    assert page.compressed[1] != quick[1]


# What is not served


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/page/",
        "/package/package.json",
        "/package/models/",
        "/package/models/none.wwho",
        "/package/models/../errors.py",
        "/package/models/..%2ferrors.py",
        "/../pyproject.toml",
        "/%2e%2e/pyproject.toml",
        "/page/..%2f..%2fpyproject.toml",
        "/static/../pyproject.toml",
        "/pyodide/pyodide.mjs",
        "//etc/passwd",
        "/page/%00.js",
        "/page/%ff.js",
    ],
)
def test_everything_else_is_not_found(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.mimetype == "application/problem+json"
    assert response.get_json()["detail"].startswith("Expected a file")
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_other_methods_are_refused(client: FlaskClient) -> None:
    response = client.post("/", data="text")
    assert (response.status_code, response.mimetype) == (405, "application/problem+json")
    assert "GET" in response.headers["Allow"]


def test_a_missing_core_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>", "utf-8")
    app = Flask("without a core")
    add_site_routes(app, Site({"": tmp_path}))
    response = app.test_client().get("/")
    assert response.status_code == 500
    assert "install wwho again" in response.text


def test_a_folder_for_pyodide_is_served_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pyodide").mkdir()
    (tmp_path / "pyodide" / "pyodide.mjs").write_text("export {}", "utf-8")
    (tmp_path / "secret.js").write_text("secret", "utf-8")
    client = create_app(pyodide_folder=tmp_path / "pyodide").test_client()
    response = client.get("/pyodide/pyodide.mjs")
    assert (response.status_code, response.text) == (200, "export {}")
    assert response.content_type == "text/javascript; charset=utf-8"
    for path in ("/pyodide/../secret.js", "/pyodide/..%2fsecret.js", "/pyodide/none.js"):
        assert client.get(path).status_code == 404


def test_packages_of_npm_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert find_npm_package("pyodide") is None
    (package := tmp_path / "node_modules" / "pyodide").mkdir(parents=True)
    assert find_npm_package("pyodide") == package


def test_without_fonts_their_style_sheet_is_empty(tmp_path: Path) -> None:
    app = Flask("test", static_folder=None)
    add_site_routes(app, Site({"": tmp_path}))
    response = app.test_client().get("/fonts/noto.css")
    assert (response.status_code, response.text) == (200, "")
    assert response.content_type == "text/css; charset=utf-8"


def test_each_script_has_the_font_of_its_name(tmp_path: Path) -> None:
    """npm's come before Debian's, and sans serif before serif."""
    npm, debian, packed = (tmp_path / name for name in ("npm", "debian", "packed"))
    lao = npm / "noto-sans-lao" / "files" / "noto-sans-lao-lao-400-normal.woff2"
    for folder in (lao.parent, debian, packed):
        folder.mkdir(parents=True)
    lao.write_text("npm", "utf-8")
    for name in ("SansKhmer", "SansLao", "SansThaana", "SerifKhmer", "SerifTibetan", "SansPhagsPa"):
        (debian / f"Noto{name}-Regular.ttf").write_text(name, "utf-8")
    schemas = build_fonts.pack([npm, debian], ROOT / "schemas", packed)
    assert schemas == ["khmer", "lao", "phags-pa", "tibetan"]
    styles = (packed / "noto.css").read_text("utf-8")
    faces = dict(re.findall('font-family: "wwho (.+)";\n  src: url\\("(.+)"', styles))
    assert {name: (packed / file).read_text("utf-8") for name, file in faces.items()} == {
        "khmer": "SansKhmer",
        "lao": "npm",
        "phags-pa": "SansPhagsPa",
        "tibetan": "SerifTibetan",
    }
    assert "unicode-range: U+1780-17F9, U+19E0-19FF, U+200C-200D, U+25CC;" in styles
    assert {path.name for path in packed.iterdir()} == {*faces.values(), "noto.css"}


def test_the_guide_names_the_scripts_that_have_no_font_of_npm(tmp_path: Path) -> None:
    """And every package that the page lists is the font of a script."""
    listed = json.loads((WEB / "site" / "package.json").read_text("utf-8"))["devDependencies"]
    for package in (name.removeprefix("@fontsource/") for name in listed):
        script = package.split("-", 2)[2]
        file = tmp_path / package / "files" / f"{package}-{script}-400-normal.woff2"
        file.parent.mkdir(parents=True)
        file.touch()
    (packed := tmp_path / "packed").mkdir()
    schemas = build_fonts.pack([tmp_path], ROOT / "schemas", packed)
    assert len(list(packed.glob("*.woff2"))) == len(listed)
    readme = (ROOT / "py" / "wwho" / "serve" / "README.md").read_text("utf-8")
    (named,) = re.findall(r"has none for (.+?):", " ".join(readme.split()))
    titles = {
        name: json.loads((ROOT / "schemas" / f"{name}.json").read_text("utf-8"))["title"]
        for name in (path.stem for path in (ROOT / "schemas").glob("*.json"))
        if name not in schemas and not name.endswith(".schema")
    }
    assert re.split(", | and ", named) == sorted(titles.values())


# The page


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
    assert all(folder.is_dir() for folder in FOLDERS.values())


# Starting and stopping


def test_a_taken_port_is_named_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WwhoError, match=rf"127\.0\.0\.1:{port}: .*in use.*another --port"):
            serve("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port"), [("no.such.host.invalid", 8000), ("127.0.0.1", 70000), ("192.0.2.1", 8000)]
)
def test_an_address_that_cannot_be(host: str, port: int) -> None:
    with pytest.raises(WwhoError, match=f"{host}:{port}"):
        serve(host, port)


def test_options_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(WwhoError, match="none is no folder"):
        serve(port=0, pyodide=tmp_path / "none")
    with pytest.raises(WwhoError, match=r"has no pyodide\.mjs"):
        serve(port=0, pyodide=tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_serve_prints_its_address_and_ends_when_told(ending: signal.Signals) -> None:
    script = "from wwho.serve.server import serve; serve(port=0)"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.send_signal(ending)
    _, errors = process.communicate()
    assert line.startswith("WWHO: http://127.0.0.1:")
    assert process.returncode == 0, errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_terminal_gets_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    counter = RequestCounter()
    for status in (200, 404, 500):
        counter.emit(logging.makeLogRecord({"msg": json.dumps({"status": status})}))
    assert capsys.readouterr().err == "\r1 requests\r2 requests\r3 requests, 1 failed"
