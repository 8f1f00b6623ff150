"""Connections that cannot be held: slow clients are cut off, and never keep others out."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import Any

from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask

from wwho.serve import access, problems


class ProblemTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """The answer to what is no request, or too large a one, as a problem and in the log."""

    def execute(self) -> None:
        """Write the answer."""
        fault = self.request.error
        body = problems.problem(fault.code, f"Expected a request that can be read: {fault.body}")
        self.status = f"{fault.code} {fault.reason}"
        self.response_headers.append(("Content-Type", problems.MIME))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)
        access.write(
            client=self.channel.addr[0],
            method=getattr(self.request, "command", ""),
            path=getattr(self.request, "path", ""),
            status=fault.code,
            received=self.request.body_bytes_received,
            sent=len(body),
        )


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows how long it has waited for its client."""

    IDLE_SECONDS = 30
    RECEIVE_SECONDS = 30
    SEND_SECONDS = 120
    DRAINED_BLOCKS = 16  # of 64 KiB

    error_task_class = ProblemTask

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Begin to wait for the first request."""
        self.since = monotonic()
        super().__init__(*arguments, **options)

    @property
    def waits(self) -> bool:
        """Whether it waits for the client, and not for a worker."""
        return not self.requests

    @property
    def overdue(self) -> bool:
        """Whether the client has had its time to send a request, or to take a response."""
        if self.total_outbufs_len:
            allowed = self.SEND_SECONDS
        else:
            allowed = self.RECEIVE_SECONDS if self.request else self.IDLE_SECONDS
        return self.waits and monotonic() - self.since > allowed

    @property
    def buffered(self) -> int:
        """Bytes of a request that is arriving, and of responses that are leaving."""
        arriving: int = self.request.body_bytes_received if self.request else 0
        leaving: int = self.total_outbufs_len
        return arriving + leaving

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
        if self.request is None:
            self.since = monotonic()
        return bool(super().received(data))

    def handle_close(self) -> None:
        """Close it, without losing what was sent last.

        Where bytes have arrived that nobody read, the system resets the connection, and the client
        may never see the answer that says why.
        """
        if self.socket is None:  # closed before, for another reason
            return
        with suppress(OSError):
            for _ in range(self.DRAINED_BLOCKS):
                if not self.socket.recv(1 << 16):
                    break
        super().handle_close()

    def service(self) -> None:
        """Answer a request in a worker; then the time to take the answer starts."""
        super().service()
        self.since = monotonic()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """The server, which closes connections that wait for too long or are too many.

    waitress reads requests and writes responses of all connections in one thread that never blocks,
    so a slow client costs a connection and some memory, but no worker. It has no limit for a client
    that sends or takes a byte now and then. Here each request must have arrived, and each response
    must have been taken, in a given time. And where there are too many connections, or too much
    lies in their buffers, those that have waited longest for their clients are closed.
    """

    CONNECTIONS = 1024
    BUFFERED_BYTES = 1 << 28

    channel_class = Channel

    def maintenance(self, now: float) -> None:
        """Close connections; called every `cleanup_interval` seconds, between polls."""
        channels: list[Channel] = list(self.active_channels.values())
        crowd = len(channels) - self.CONNECTIONS
        excess = sum(channel.buffered for channel in channels) - self.BUFFERED_BYTES
        waiting = [channel for channel in channels if channel.waits]
        for channel in sorted(waiting, key=lambda channel: channel.since):
            if channel.overdue or crowd > 0 or excess > 0:
                crowd -= 1
                excess -= channel.buffered
                # To mark it would not do: marked ones are closed when they can be written to.
                channel.handle_close()
