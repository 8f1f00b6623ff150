"""Connections that cannot be held: slow clients are cut off, and never keep others out."""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

from wwho.serve import access, problems
from wwho.serve.headers import HEADERS
from wwho.serve.incoming import Incoming


class Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """The answer to a request; one without a body does not end the connection.

    waitress ends it after every answer without a Content-Length. Of a 304, which must have none for
    waitress, the client knows the end all the same.
    """

    def set_close_on_finish(self) -> None:
        """End the connection after this answer, unless only its lack of a length asks for that."""
        asked = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or asked or self.version != "1.1":
            super().set_close_on_finish()


class ProblemTask(ErrorTask):  # type: ignore[misc]
    """The answer to what is no request, or too large a one, as a problem and in the log."""

    def execute(self) -> None:
        """Write the answer."""
        fault = self.request.error
        body = problems.problem(fault.code, f"Expected a request that can be read: {fault.body}")
        self.status = f"{fault.code} {fault.reason}"
        self.response_headers += HEADERS.items()
        self.response_headers += [("Content-Type", problems.MIME), ("Cache-Control", "no-store")]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)
        access.write(
            client=self.channel.addr[0],
            method=self.request.command,
            path=self.request.path,
            status=fault.code,
            received=self.request.body_bytes_received,
            sent=len(body),
        )


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows how long it has waited for its client, and what it holds for it.

    It has one request at a time: the next one is read when the answer has left.
    """

    IDLE_SECONDS = 30
    RECEIVE_SECONDS = 30
    SEND_SECONDS = 120
    LEAVE_SECONDS = 2
    LEAVE_BYTES = 1 << 20
    BLOCK_BYTES = 1 << 16  # the most that is copied for one attempt to send

    task_class = Task
    error_task_class = ProblemTask
    parser_class = Incoming
    will_close: bool

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Begin to wait for the first request."""
        self.since = monotonic()
        self.late: int | None = None  # bytes after the answer that ends it, once there is one
        super().__init__(*arguments, **options)
        self.sendbuf_len = self.BLOCK_BYTES

    @property
    def waits(self) -> bool:
        """Whether it waits for the client, and not for a worker."""
        return not self.requests

    @property
    def overdue(self) -> bool:
        """Whether the client has had its time to send a request, or to take a response."""
        if self.late is not None:
            allowed = self.LEAVE_SECONDS
        elif self.total_outbufs_len:
            allowed = self.SEND_SECONDS
        else:
            allowed = self.RECEIVE_SECONDS if self.request else self.IDLE_SECONDS
        return self.waits and monotonic() - self.since > allowed

    @property
    def buffered(self) -> int:
        """Bytes of its request and its response; files are held once for all and do not count."""
        held = [self.request, *self.requests]
        arrived: int = sum(request.body_bytes_received for request in held if request)
        leaving = [each for each in self.outbufs if not isinstance(each, ReadOnlyFileBasedBuffer)]
        return arrived + sum(map(len, leaving))

    def readable(self) -> bool:
        """Whether to wait for bytes: not where the server has just closed it."""
        return self.connected and bool(super().readable())

    def writable(self) -> bool:
        """Whether to wait for room to write: not while a worker writes.

        It holds the lock of the buffer, so the polling thread could do nothing but poll again, and
        by that keep the interpreter from the worker: 200 clients got 50 answers a second.
        """
        return not self.requests and bool(super().writable())

    def received(self, data: bytes) -> bool:
        """Take bytes from the client; the first of a request start its time."""
        if self.late is not None:
            self.late += len(data)
            if self.late > self.LEAVE_BYTES:
                self.handle_close()
            return False
        if self.request is None:
            data = data.lstrip(b"\r\n")  # RFC 9112, 2.2: no part of the request
            if data:
                self.since = monotonic()
        return bool(super().received(data))

    def handle_close(self) -> None:
        """Close it; after an answer only when the client has, or has had time to read it.

        Where bytes arrive at a closed connection, the system resets it, and the client may never
        see the answer that says why.
        """
        if self.socket is None:  # closed before, for another reason
            return
        if self.will_close and self.late is None:
            self.will_close, self.late, self.since = False, 0, monotonic()
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:  # the client is gone
                pass
            else:
                return
        super().handle_close()

    def service(self) -> None:
        """Answer a request in a worker; the time to take the answer starts."""
        self.since = monotonic()
        super().service()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """The server, which closes connections that wait for too long, are too many or hold too much.

    waitress reads requests and writes responses of all connections in one thread that never blocks,
    so a slow client costs a connection and some memory, but no worker. It has no limit for a client
    that sends or takes a byte now and then. Here each request must have arrived, and each response
    must have been taken, in a given time. Where there are too many connections, those that have
    waited longest for their clients are closed; where too much lies in their buffers, those that
    hold most of it.
    """

    CONNECTIONS = 1024
    BUFFERED_BYTES = 1 << 28

    channel_class = Channel

    def maintenance(self, now: float) -> None:
        """Close connections; called every `cleanup_interval` seconds, between polls."""
        # To mark them would not do: marked ones are closed when they can be written to.
        channels: list[Channel] = list(self.active_channels.values())
        crowd = len(channels) - self.CONNECTIONS
        waiting = sorted((each for each in channels if each.waits), key=lambda each: each.since)
        for number, channel in enumerate(waiting):
            if channel.overdue or number < crowd:
                channel.handle_close()
        sizes = {channel: channel.buffered for channel in self.active_channels.values()}
        excess = sum(sizes.values()) - self.BUFFERED_BYTES
        for channel in sorted(sizes, key=sizes.__getitem__, reverse=True):
            if excess <= 0:
                break
            excess -= sizes[channel]
            channel.handle_close()
