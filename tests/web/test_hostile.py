"""The running server among clients that mean no good, or are slow, or many."""

from __future__ import annotations

import json
import math
import re
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask", reason="the server needs Flask: pip install 'wwho[serve]'")
pytest.importorskip("msgspec", reason="the server needs msgspec: pip install 'wwho[serve]'")
pytest.importorskip("waitress", reason="the server needs waitress: pip install 'wwho[serve]'")

from waitress import wasyncore

from wwho.serve.app import create_app
from wwho.serve.channel import Channel, Server
from wwho.serve.headers import HEADERS
from wwho.serve.operations import Operation
from wwho.serve.run import BODY_BYTES, HEADER_BYTES, bind, make_server

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}
HEAD = b"POST /api/v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
MODEL = b"GET /models/wwho_super_328k.wwho HTTP/1.1\r\nHost: localhost\r\n%b\r\n"
PACKET = 8192  # bytes that the server reads at once


@contextmanager
def in_process(threads: int = 2) -> Iterator[tuple[Server, int]]:
    """A server in a thread, whose limits a test may change; gives it and its port."""
    with bind("127.0.0.1", 0) as listener:
        server = make_server(create_app(), listener, threads)
        thread = threading.Thread(target=server.run)
        thread.start()
        yield server, listener.getsockname()[1]
        assert thread.is_alive(), "the server has ended by itself"
        # What closes the connections must run where they are polled.
        server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map))
        thread.join()
        server.task_dispatcher.shutdown()


def connect(port: int, stack: ExitStack) -> socket.socket:
    """A connection that is closed with the stack."""
    return stack.enter_context(socket.create_connection(("127.0.0.1", port)))


def slow_reader(port: int, stack: ExitStack) -> socket.socket:
    """A connection on which the server can send little before it must wait."""
    client = stack.enter_context(socket.socket())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    return client


def send_all(port: int, *parts: bytes) -> bytes:
    """All that the server answers to some bytes before it closes the connection."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        try:
            for part in parts:
                client.sendall(part)
            return b"".join(iter(lambda: client.recv(1 << 16), b""))
        except (BrokenPipeError, ConnectionResetError):
            return b""


def read_to(client: socket.socket, end: bytes) -> bytes:
    """What the server sends, to these bytes."""
    found = b""
    while not found.endswith(end):
        found += client.recv(1 << 16)
    return found


def ask(port: int, text: str = "ගමේ school") -> int:
    """The status of the answer to a question that the server should answer at once."""
    with closing(HTTPConnection("127.0.0.1", port)) as client:
        client.request("POST", "/api/v1/count", json.dumps({"text": text}), JSON)
        response = client.getresponse()
        response.read()
        return response.status


def wait_for_the_end(client: socket.socket, drip: bytes = b"") -> None:
    """Wait until the server closes a connection, on which some bytes are sent now and then."""
    client.settimeout(0.1)
    while True:
        try:
            if drip:
                client.sendall(drip)
            if not client.recv(1 << 16):
                return
        except TimeoutError:
            continue
        except OSError:
            return


# Slow clients


@pytest.mark.parametrize(
    ("sent", "drip"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b""),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-A: b\r\n"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b"a"),
        (b"\r\n\r\n", b"\r\n"),
    ],
    ids=["nothing", "no end", "header by header", "byte by byte", "blank lines"],
)
def test_a_request_must_arrive_in_time(
    monkeypatch: pytest.MonkeyPatch, sent: bytes, drip: bytes
) -> None:
    monkeypatch.setattr(Channel, "RECEIVE_SECONDS", 0.5)
    monkeypatch.setattr(Channel, "IDLE_SECONDS", 0.5)
    with in_process() as (_, port), ExitStack() as stack:
        began = time.monotonic()
        client = connect(port, stack)
        client.sendall(sent)
        wait_for_the_end(client, drip)
        assert time.monotonic() - began > 0.4
        assert ask(port) == 200


def test_a_response_must_be_taken_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Channel, "SEND_SECONDS", 0.5)
    with in_process() as (server, port), ExitStack() as stack:
        server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        slow_reader(port, stack).sendall(MODEL % b"")
        until(lambda: len(server.active_channels) == 1)
        until(lambda: not server.active_channels)
        assert ask(port) == 200


def until(condition: Any) -> None:
    """Wait for a condition."""
    while not condition():
        time.sleep(0.02)


def test_many_slow_clients_keep_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have all the time in the world: who waited for them would get no answer."""
    monkeypatch.setattr(Channel, "RECEIVE_SECONDS", math.inf)
    with in_process() as (_, port), ExitStack() as stack:
        for number in range(300):
            head = HEAD + b"Content-Length: 1000\r\n\r\n{" if number % 2 else HEAD
            connect(port, stack).sendall(head)
        assert ask(port) == 200


def test_of_too_many_connections_the_longest_idle_ones_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Channel, "IDLE_SECONDS", math.inf)
    monkeypatch.setattr(Server, "CONNECTIONS", 20)
    with in_process() as (server, port), ExitStack() as stack:
        clients = [connect(port, stack) for _ in range(60)]
        assert ask(port) == 200
        until(lambda: len(server.active_channels) <= 20)
        wait_for_the_end(clients[0])
        clients[-1].sendall(HEAD + b'Content-Length: 13\r\n\r\n{"text": "a"}')
        assert clients[-1].recv(100).startswith(b"HTTP/1.1 200 OK")


def test_what_is_buffered_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Server, "BUFFERED_BYTES", 1_000_000)
    with in_process() as (server, port), ExitStack() as stack:
        # The innocent are older, and one of them is slow: that does not count here.
        idle, slow = connect(port, stack), connect(port, stack)
        slow.sendall(HEAD + b'Content-Length: 13\r\n\r\n{"text": ')
        for _ in range(10):
            client = connect(port, stack)
            client.sendall(HEAD + b"Content-Length: 500000\r\n\r\n" + b"a" * 300_000)
        until(lambda: len(server.active_channels) == 2 + 3)
        assert sum(channel.buffered for channel in server.active_channels.values()) <= 1_000_000
        idle.sendall(HEALTH)
        slow.sendall(b'"a"}')
        assert idle.recv(100).startswith(b"HTTP/1.1 200 OK")
        assert slow.recv(100).startswith(b"HTTP/1.1 200 OK")
        assert ask(port) == 200


def test_files_take_no_memory_for_each_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Server, "BUFFERED_BYTES", 1_000_000)
    with in_process() as (server, port), ExitStack() as stack:
        server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        for number in range(20):
            part = b"Range: bytes=100-\r\n" if number % 2 else b""
            slow_reader(port, stack).sendall(MODEL % part)
        until(lambda: len(server.active_channels) == 20)
        channels = list(server.active_channels.values())
        until(lambda: min(channel.total_outbufs_len for channel in channels) > 100_000)
        assert sum(channel.buffered for channel in channels) < 100_000


# Requests behind requests


def test_a_packet_full_of_requests_takes_no_memory(server: Any) -> None:
    request = MODEL % b""
    with ExitStack() as stack:
        ask(server.port)
        before = peak_memory(server.pid)
        for _ in range(4):
            slow_reader(server.port, stack).sendall(request * (PACKET // len(request)))
        time.sleep(2)
        assert ask(server.port) == 200
        assert peak_memory(server.pid) < before + 200e6


def peak_memory(pid: int) -> float:
    """The most bytes that a process has ever had resident (on Linux)."""
    status = Path(f"/proc/{pid}/status")
    if not status.is_file():
        pytest.skip("there is no /proc to tell the memory of a process")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text("ascii"))
    assert found
    return int(found[1]) * 1024


def test_the_answer_before_others_are_asked_ends_the_connection(server: Any) -> None:
    for requests in (HEALTH * 200, HEAD + b'Content-Length: 13\r\n\r\n{"text": "a"}' + HEALTH):
        answer = send_all(server.port, requests)
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert answer.count(b"HTTP/1.1") == 1
        assert b"\r\nConnection: close\r\n" in answer


def test_a_client_that_waits_keeps_its_connection(server: Any) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        for _ in range(5):
            client.sendall(b"\r\n" + HEALTH)
            answer = read_to(client, b'{"status":"ok"}')
            assert answer.startswith(b"HTTP/1.1 200 OK")
            assert b"Connection: close" not in answer


def test_what_has_not_changed_ends_no_connection(server: Any) -> None:
    known = b"GET /package/wwho.wasm HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n%b\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        for _ in range(3):
            client.sendall(known % b"")
            answer = read_to(client, b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 304")
            assert b"Connection: close" not in answer
    # but where the client asks for that
    assert b"\r\nConnection: close\r\n" in send_all(server.port, known % b"Connection: close\r\n")
    answer = send_all(server.port, (known % b"").replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert answer.startswith(b"HTTP/1.0 304")


def test_a_client_may_ask_whether_to_go_on(server: Any) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 13\r\n\r\n")
        assert read_to(client, b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b'{"text": "a"}')
        assert read_to(client, b'{"count":1}').startswith(b"HTTP/1.1 200 OK")
    go_on = b"Expect: 100-continue\r\nConnection: close\r\n"
    health = HEALTH.replace(b"\r\n\r\n", b"\r\n" + go_on + b"\r\n")
    assert send_all(server.port, health).startswith(b"HTTP/1.1 200 OK")
    refused(send_all(server.port, HEAD + go_on + b"Content-Length: 10000000000\r\n\r\n"), 413)


# Large and broken requests


def refused(response: bytes, status: int) -> None:
    """Check that a response is a problem of this status."""
    head, _, body = response.partition(b"\r\n\r\n")
    assert head.startswith((b"HTTP/1.0 %d " % status, b"HTTP/1.1 %d " % status))
    assert b"application/problem+json" in head
    lines = head.split(b"\r\n")
    assert b"Connection: close" in lines
    for name, value in HEADERS.items():
        assert f"{name}: {value}".encode() in lines
    assert json.loads(body)["status"] == status


def test_bodies_above_the_limit_are_refused_in_clear_words(server: Any) -> None:
    body = b'{"text": "' + b"a" * (1 << 20) + b'"}'
    size = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    refused(send_all(server.port, HEAD, size, body), 413)


def test_bodies_far_above_the_limit_are_not_read(server: Any) -> None:
    refused(send_all(server.port, HEAD, b"Content-Length: 10000000000\r\n\r\n"), 413)
    # What the client sends after the answer may cost it the answer, but never the server the bytes.
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + b"Content-Length: 10000000000\r\n\r\n")
        try:
            while sent < 50 * BODY_BYTES:
                client.sendall(b"a" * 0x10000)
                sent += 0x10000
        except OSError:
            pass
    assert sent < 20 * BODY_BYTES


def test_who_sends_on_still_sees_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Channel, "LEAVE_SECONDS", math.inf)
    with in_process() as (_, port), connect(port, ExitStack()) as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        select.select([client], [], [])  # the answer is there
        for _ in range(5):
            client.sendall(b"1000\r\n" + b"a" * 0x1000 + b"\r\n")
        refused(b"".join(iter(lambda: client.recv(1 << 16), b"")), 411)


def test_who_does_not_leave_after_the_last_answer_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Channel, "LEAVE_SECONDS", 0.5)
    with in_process() as (server, port), ExitStack() as stack:
        connect(port, stack).sendall(b"no request\r\n\r\n")
        until(lambda: len(server.active_channels) == 1)
        until(lambda: not server.active_channels)


def test_bodies_of_unknown_length_are_refused_before_they_come(server: Any) -> None:
    # waitress would search an unfinished chunk again for each packet, in its one polling thread.
    for version in (b"1.1", b"1.0"):
        head = HEAD.replace(b"HTTP/1.1", b"HTTP/" + version) + b"Transfer-Encoding: chunked\r\n"
        refused(send_all(server.port, head + b"\r\n"), 411)
        refused(send_all(server.port, head + b"Content-Length: 13\r\n\r\n"), 411)
        refused(send_all(server.port, head + b"Expect: 100-continue\r\n\r\n"), 411)


def test_the_log_does_not_make_up_what_cannot_be_read(server: Any) -> None:
    for sent, status in ((b"\x16\x03\x01\r\n\r\n", 400), (b"GET /" + b"a" * HEADER_BYTES, 431)):
        refused(send_all(server.port, sent), status)
        until(lambda status=status: last_line(server)["status"] == status)
        assert (last_line(server)["method"], last_line(server)["path"]) == (None, None)


def last_line(server: Any) -> dict[str, Any]:
    """The last request in the log."""
    found: dict[str, Any] = json.loads(server.log.read_text("utf-8").splitlines()[-1])
    return found


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * HEADER_BYTES + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * HEADER_BYTES + b" HTTP/1.1\r\nHost: a\r\n\r\n", 431),
        (b"\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n", 400),
        (b" \r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1, 1\r\n\r\n", 400),
        (HEAD + b"Content-Length: " + b"1" * 5000 + b"\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 411),
        (b"GET http://[SENT]/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET http://[::SENT HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ],
    ids=[
        "header",
        "path",
        "tls",
        "blank",
        "no colon",
        "negative",
        "two lengths",
        "long length",
        "gzip",
        "host",
        "half a host",
    ],
)
def test_what_is_no_request_is_a_problem(server: Any, request_bytes: bytes, status: int) -> None:
    refused(send_all(server.port, request_bytes), status)
    # and what was sent is not in the log
    until(lambda: last_line(server)["status"] == status)
    assert "SENT" not in server.log.read_text("utf-8")


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/page/../../pyproject.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%5c..%5cpyproject.toml",
        "/models/../../errors.py",
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
        assert len(response.read()) < 300


# Many clients


def test_large_bodies_leave_room_for_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are answered at once take for ever; others are refused, small ones answered."""
    large = json.dumps({"text": "කa" * 200_000}, ensure_ascii=False).encode()
    begun, done = threading.Semaphore(0), threading.Event()
    respond = Operation.respond

    def slowly(operation: Operation, body: bytes) -> bytes:
        if len(body) > operation.large_bytes:
            begun.release()
            done.wait()
        return respond(operation, body)

    def post(port: int, statuses: list[int]) -> None:
        with closing(HTTPConnection("127.0.0.1", port)) as client:
            client.request("POST", "/api/v1/encode", large, JSON)
            statuses.append(client.getresponse().status)

    monkeypatch.setattr(Operation, "respond", slowly)
    with in_process(threads=3) as (_, port):
        answered: list[int] = []
        refused: list[int] = []
        threads = [threading.Thread(target=post, args=(port, answered)) for _ in range(2)]
        for thread in threads:
            thread.start()
            begun.acquire()
        post(port, refused)
        assert (answered, refused) == ([], [503])
        assert ask(port) == 200
        done.set()
        for thread in threads:
            thread.join()
    assert answered == [200, 200]


def test_a_load_of_three_seconds(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "bench" / "load.py")]
    options = ["--clients", "50", "--seconds", "3", "--log", str(tmp_path / "log")]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "faults: none" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    assert {line["status"] for line in lines} == {200}
    assert "kettle" not in (tmp_path / "log").read_text("utf-8")
