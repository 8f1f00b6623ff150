"""The running server among clients that mean no good, or are slow, or many."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from serving import serving

for needed in ("brotli", "flask", "msgspec", "waitress"):
    pytest.importorskip(needed, reason=f"the server needs {needed}: pip install 'wwho[serve]'")

import brotli  # noqa: E402

from wwho.serve.app import HEADERS  # noqa: E402
from wwho.serve.operations import OPERATIONS  # noqa: E402
from wwho.serve.server import SETTINGS  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}
HEAD = b"POST /api/v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKS = b'd\r\n{"text": "a"}\r\n0\r\n\r\n'
HEADER_BYTES: Any = SETTINGS["max_request_header_size"]
BODY_BYTES: Any = SETTINGS["max_request_body_size"]


def ask(port: int, body: bytes, path: str = "/api/v1/count") -> tuple[HTTPResponse, bytes]:
    """The answer to a question, and its body."""
    with closing(HTTPConnection("127.0.0.1", port)) as client:
        client.request("POST", path, body, JSON)
        response = client.getresponse()
        return response, response.read()


def answers(port: int) -> bool:
    """Whether the server answers a small question as it should."""
    response, body = ask(port, '{"text": "ගමේ school"}'.encode())
    return (response.status, body) == (200, b'{"count":2}')


def send_all(port: int, *parts: bytes) -> bytes:
    """All that the server answers to some bytes before it closes the connection.

    Nothing, where it has reset the connection: what a client sends on can cost it the answer.
    """
    with socket.create_connection(("127.0.0.1", port)) as client:
        try:
            for part in parts:
                client.sendall(part)
            return b"".join(iter(lambda: client.recv(1 << 16), b""))
        except (BrokenPipeError, ConnectionResetError):
            return b""


def log_lines(server: Any) -> list[dict[str, Any]]:
    """The log so far: every line of it is JSON, save one that is still being written."""
    return [json.loads(line) for line in server.log.read_text("utf-8").split("\n")[:-1]]


# Slow clients

IMPATIENT = """
from wwho.serve.server import SETTINGS

SETTINGS["channel_timeout"] //= 30
SETTINGS["cleanup_interval"] = 1  # waitress looks every half minute
"""
STOPPED = {
    "nothing": b"",
    "within the headers": HEAD,
    "within the body": HEAD + b"Content-Length: 1000\r\n\r\n{",
}


def test_clients_that_stop_keep_nobody_waiting(server: Any) -> None:
    with ExitStack() as stack:
        for number in range(150):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            client.sendall([*STOPPED.values()][number % 3])
        assert answers(server.port)


def test_clients_that_do_not_read_keep_nobody_waiting(server: Any) -> None:
    request = b"GET /package/models/wwho_super_328k.wwho HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(50):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", server.port))
            client.sendall(request)
        assert answers(server.port)


@pytest.mark.slow
def test_clients_that_stop_are_cut_off(tmp_path: Path) -> None:
    """By a server that has the patience of a second for each half minute of the real one."""
    with ExitStack() as stack:
        server = stack.enter_context(serving(tmp_path / "log", before=IMPATIENT))
        clients = []
        for sent in STOPPED.values():
            clients.append(
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            )
            clients[-1].sendall(sent)
        assert [client.recv(100) for client in clients] == [b"", b"", b""]
        assert answers(server.port)


# Large and broken requests


def test_a_body_above_its_limit_is_a_problem(server: Any) -> None:
    for operation in OPERATIONS:
        body = b'{"text": "%b"}' % (b"a" * operation.body_bytes)
        response, answer = ask(server.port, body, f"/api/v1/{operation.name}")
        assert (response.status, json.loads(answer)["status"]) == (413, 413)
        assert f"at most {operation.body_bytes} bytes, got {len(body)}" in answer.decode()
        for name, value in {**HEADERS, "Content-Type": "application/problem+json"}.items():
            assert response.headers[name] == value


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 10000000000\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n10000000\r\n",
    ],
    ids=["length", "chunked"],
)
def test_a_body_far_above_the_limits_is_not_read(server: Any, framing: bytes) -> None:
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + framing)
        try:
            while sent < 50 * BODY_BYTES:
                client.sendall(b"a" * 0x10000)
                sent += 0x10000
        except OSError:
            pass
    assert sent < 20 * BODY_BYTES  # buffers of the system may hold some
    assert answers(server.port)


def test_a_client_that_has_sent_the_length_alone_sees_why(server: Any) -> None:
    answer = send_all(server.port, HEAD + b"Content-Length: 10000000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_body_in_chunks_is_a_body(server: Any) -> None:
    head = HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = send_all(server.port, head, b'9\r\n{"text": \r\n', b'4\r\n"a"}\r\n', b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b'{"count":1}')


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"text": "\xff"}', b'{"text": "\\ud800"}', b"[" * 100_000, b"\x00" * 99]
)
def test_a_broken_body_is_a_problem(server: Any, body: bytes) -> None:
    response, answer = ask(server.port, body)
    assert (response.status, json.loads(answer)["status"]) == (400, 400)
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: ".ljust(HEADER_BYTES, b"a"), b"431"),
        (b"GET /".ljust(HEADER_BYTES, b"a"), b"431"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: -1\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: 1, 1\r\n\r\n", b"400"),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", b"501"),
        (HEAD + b"Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS, b"400"),
        (b"\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n", None),
        (b"GET http://[SENT]/ HTTP/1.1\r\nHost: a\r\n\r\n", None),
        (b"GET http://[::SENT HTTP/1.1\r\nHost: a\r\n\r\n", None),
    ],
    ids=[
        "header",
        "path",
        "no colon",
        "negative",
        "two lengths",
        "gzip",
        "both",
        "tls",
        "host",
        "half",
    ],
)
def test_what_is_no_request_ends_the_connection(
    server: Any, request_bytes: bytes, status: bytes | None
) -> None:
    answer = send_all(server.port, request_bytes)
    if status:
        assert answer.startswith((b"HTTP/1.1 %b " % status, b"HTTP/1.0 %b " % status))
    assert b" 200 " not in answer
    assert answers(server.port)
    assert "SENT" not in server.log.read_text("utf-8")
    assert log_lines(server)


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/page/../../pyproject.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%5c..%5cpyproject.toml",
        "/package/models/../../errors.py",
        "//etc/passwd",
        "/etc/passwd%00.js",
        "/static/0123456789abcdef/../../py/wwho/errors.py",
        "http://localhost/../etc/passwd",
        "/api/v1/../../../etc/passwd",
    ],
)
def test_no_path_leads_to_another_file(server: Any, path: str) -> None:
    with closing(HTTPConnection("127.0.0.1", server.port)) as client:
        client.putrequest("GET", path, skip_host=path.startswith("http"))
        client.endheaders()
        response = client.getresponse()
        assert response.status == 404
        assert json.loads(response.read())["status"] == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "TRACE", "NONE"])
def test_another_method_is_a_problem(server: Any, method: str) -> None:
    with closing(HTTPConnection("127.0.0.1", server.port)) as client:
        client.request(method, "/api/v1/count")
        response = client.getresponse()
        assert (response.status, response.headers["Allow"]) == (405, "POST")
        assert json.loads(response.read())["status"] == 405


def test_files_over_a_connection(server: Any) -> None:
    """Whole, compressed, unchanged, and their headers alone: one after the other."""

    def get(method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
        with closing(HTTPConnection("127.0.0.1", server.port)) as client:
            client.request(method, "/package/wwho.wasm", headers=headers)
            response = client.getresponse()
            return response, response.read()

    core = (ROOT / "web" / "package" / "wwho.wasm").read_bytes()
    whole, body = get()
    assert (whole.status, body) == (200, core)
    packed, body = get(**{"Accept-Encoding": "br"})
    assert packed.headers["Content-Encoding"] == "br"
    assert brotli.decompress(body) == core
    part, body = get(Range="bytes=100-199")  # which a server may ignore
    assert (part.status, body) == (200, core)
    unchanged, body = get(**{"If-None-Match": whole.headers["ETag"]})
    assert (unchanged.status, body) == (304, b"")
    head, body = get("HEAD")
    assert (head.headers["Content-Length"], body) == (str(len(core)), b"")
    lines = [(line["status"], line["sent"]) for line in log_lines(server)[-3:]]
    assert lines == [(200, len(core)), (304, 0), (200, 0)]


# Many clients


def test_the_log_holds_no_text(server: Any) -> None:
    ask(server.port, b'{"text": "a secret"}', "/api/v1/count?text=secret")
    ask(server.port, b'{"secret": "secret"}', "/api/v1/count?text=secret")
    ask(server.port, b"secret", "/api/v1/count/")
    found = [(line["path"], line["status"]) for line in log_lines(server)[-3:]]
    assert found == [("/api/v1/count", 200), ("/api/v1/count", 400), ("/api/v1/count/", 404)]
    assert "secret" not in server.log.read_text("utf-8")


@pytest.mark.slow
def test_a_load_of_a_second(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "bench" / "load.py")]
    options = ["--clients", "50", "--seconds", "1", "--log", str(tmp_path / "log")]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "faults: none" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    assert {line["status"] for line in lines} == {200}
    assert "kettle" not in (tmp_path / "log").read_text("utf-8")
