"""A small HTTP/1.1 client over one socket, with which the bridge and the hooks reach the daemon on this machine.

Standard library only, and little of it: http.client alone would cost the bridge 20 ms and 5 MB at start.
Every failure is an OSError, so that a caller has only one thing to catch.
"""

from __future__ import annotations

import select
import socket

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import BufferedReader

MAX_LINE_BYTES = 65536
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/,")


class ConnectionLost(ConnectionError):
    """The connection ended, or sent something other than HTTP, before the answer was complete."""


def percent_encode(raw: bytes) -> str:
    """Return the bytes encoded for a header or an address; slashes and commas stay readable."""
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in raw)


def fits_header(value: str) -> bool:
    """Return whether the text can be a header's value without encoding."""
    return value.isascii() and value.isprintable() and value == value.strip()


def split_url(url: str) -> tuple[str, int]:
    """Return host and port of an http address."""
    scheme, _, rest = url.partition("://")
    host, colon, port = rest.partition("/")[0].rpartition(":")
    if scheme != "http" or not host.isascii() or not colon or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"not an http address with a port: {url!r}")
    return host.strip("[]"), int(port)


class HttpConnection:
    """One connection, used for one request at a time and kept open between them."""

    def __init__(self, url: str, *, connect_timeout: float = 5.0, timeout: float | None = None) -> None:
        self.url = url
        host, port = split_url(url)
        self._host_header = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        # As bytes: a string would load the codec for international names, which takes 2 ms.
        self._socket = _connect(host.encode("ascii"), port, timeout=connect_timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(timeout)
        self._reader = self._socket.makefile("rb")

    def request(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> Response:
        """Send a request and read the head of its answer."""
        self.send(method, target, headers, body)
        return self.answer()

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self._host_header}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode("ascii") + body)

    def answer(self) -> Response:
        """Return the answer as soon as its head has been read."""
        return Response(self._reader)

    def fileno(self) -> int:
        return self._socket.fileno()

    def is_usable(self) -> bool:
        """Return whether an idle connection can be used again: the server has neither closed it nor sent anything."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return not poll.poll(0)

    def abort(self) -> None:
        """End the connection from another thread; a thread that waits for an answer gets ConnectionLost."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it has already ended

    def close(self) -> None:
        self._reader.close()
        self._socket.close()


def _connect(host: bytes, port: int, *, timeout: float) -> socket.socket:
    """Return a connection to the first address of the host that accepts one."""
    refused: OSError | None = None
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(timeout)
        try:
            connection.connect(address)
        except OSError as problem:
            connection.close()
            refused = problem
        else:
            return connection
    raise refused or ConnectionError("the host has no address")


class Response:
    """The answer to a request: status and headers immediately, the body on demand."""

    def __init__(self, reader: BufferedReader) -> None:
        self._reader = reader
        version, _, rest = self._line().partition(b" ")
        if not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
            raise ConnectionLost("the answer is not HTTP")
        self.status = int(rest[:3])
        self.headers = self._headers()
        self._chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
        self._length = None if self._chunked else self._declared_length()
        self._complete = False

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def leaves_open(self) -> bool:
        """Return whether the connection can be used again: the body was read and the server keeps it open."""
        delimited = self._chunked or self._length is not None
        return self._complete and delimited and self.headers.get("connection", "").lower() != "close"

    def read(self) -> bytes:
        """Return the whole body."""
        return b"".join(self._pieces())

    def events(self) -> Iterator[bytes]:
        """Yield the data of each server-sent event as it arrives, without comments and empty events."""
        data: list[bytes] = []
        for line in self._text_lines():
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                event, data = b"\n".join(data), []
                if event.strip():
                    yield event

    def _text_lines(self) -> Iterator[bytes]:
        rest: list[bytes] = []
        for piece in self._pieces():
            if b"\n" not in piece:
                rest.append(piece)
                continue
            *lines, last = b"".join([*rest, piece]).split(b"\n")
            rest = [last]
            for line in lines:
                yield line.removesuffix(b"\r")

    def _pieces(self) -> Iterator[bytes]:
        if self._chunked:
            yield from self._chunks()
        elif self._length is None:
            while piece := self._reader.read1(MAX_LINE_BYTES):
                yield piece
        else:
            left = self._length
            while left:
                piece = self._some(left)
                left -= len(piece)
                yield piece
        self._complete = True

    def _chunks(self) -> Iterator[bytes]:
        while size := self._chunk_size():
            left = size
            while left:
                piece = self._some(left)
                left -= len(piece)
                yield piece
            self._line()
        while self._line():
            continue  # trailers are not needed

    def _chunk_size(self) -> int:
        try:
            return int(self._line().partition(b";")[0], 16)
        except ValueError:
            raise ConnectionLost("the answer has an invalid chunk") from None

    def _some(self, limit: int) -> bytes:
        piece = self._reader.read1(min(limit, 1 << 20))
        if not piece:
            raise ConnectionLost("the connection ended inside an answer")
        return piece

    def _line(self) -> bytes:
        line = self._reader.readline(MAX_LINE_BYTES)
        if not line.endswith(b"\n"):
            raise ConnectionLost(
                "the connection ended inside an answer" if len(line) < MAX_LINE_BYTES else "a line is too long"
            )
        return line.rstrip(b"\r\n")

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        while line := self._line():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        return headers

    def _declared_length(self) -> int | None:
        if self.status in {204, 304}:
            return 0
        length = self.headers.get("content-length")
        if length is None:
            return None
        if not length.isdigit():
            raise ConnectionLost("the answer has an invalid length")
        return int(length)
