"""Requests as they arrive: one at a time, and each says how long its body is."""

from __future__ import annotations

from waitress.parser import HTTPRequestParser, ParsingError, TransferEncodingNotImplemented
from waitress.utilities import BadRequest, RequestHeaderFieldsTooLarge


class LengthRequired(BadRequest):  # type: ignore[misc]  # waitress has no types
    """A body whose length nobody knows."""

    code = 411
    reason = "Length Required"


class Incoming(HTTPRequestParser):  # type: ignore[misc]
    """A request that arrives.

    Attributes:
        command: the method, and None where there is none to be read.
        path: the path, likewise.
    """

    command: str | None = None
    path: str | None = None
    empty: bool

    def received(self, data: bytes) -> int:
        """Take bytes; return how many were taken: all of them, once it is complete.

        What a client sends behind it, before it has the answer, is dropped, and the answer says
        that the connection ends there (RFC 9112, 9.6). One packet can hold 500 requests: answered
        one after the other, nothing would limit what waits for a client that reads none of them.
        """
        taken: int = super().received(data)
        if self.empty:
            self.empty, self.error = False, BadRequest("Start line is invalid")
        if isinstance(self.error, RequestHeaderFieldsTooLarge):
            self.command = self.path = None  # waitress has made some up
        if not self.completed:
            return taken
        self.expect_continue = False  # or waitress would wait for more of it
        if taken < len(data):
            self.headers["CONNECTION"] = "close"
        return len(data)

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head; a body in chunks is refused (RFC 9112, 6.3).

        waitress searches all of an unfinished chunk again for every packet, in the thread that
        reads from all clients.

        Raises:
            ParsingError: it cannot be read.
        """
        coded = False
        try:
            super().parse_header(header_plus)
        except TransferEncodingNotImplemented:
            coded = True
        except ValueError as error:
            # waitress would close the connection without an answer, and log what was sent.
            raise ParsingError("Target or Content-Length is invalid") from error
        if coded or self.chunked or "TRANSFER_ENCODING" in self.headers:
            self.body_rcv = None
            self.content_length = 0
            self.error = LengthRequired("a body with a Content-Length, got Transfer-Encoding")
