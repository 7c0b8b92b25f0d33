"""The small HTTP client against what servers may say, whole and broken."""

from __future__ import annotations

import io
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.transports.bridge.http_client import (
    ConnectionLost,
    HttpConnection,
    Response,
    fits_header,
    percent_encode,
    split_url,
)


def response(raw: bytes) -> Response:
    return Response(io.BufferedReader(io.BytesIO(raw)))


def chunked(body: bytes, sizes: list[int]) -> bytes:
    """The body in chunks of these sizes, the rest in one."""
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"
    for size in [*sizes, len(body)]:
        piece, body = body[:size], body[size:]
        if piece:
            raw += f"{len(piece):x};note=1\r\n".encode() + piece + b"\r\n"
    return raw + b"0\r\nTrailer: x\r\n\r\n"


def test_a_body_of_a_given_length_leaves_the_connection_open() -> None:
    answer = response(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nContent-type: Text/Plain; charset=x\r\n\r\nnoX")

    assert not answer.leaves_open
    assert (answer.status, answer.media_type, answer.read()) == (404, "text/plain", b"no")
    assert answer.leaves_open


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"]
)
def test_a_connection_that_the_server_ends_is_not_used_again(head: bytes) -> None:
    answer = response(head + b"text")

    assert answer.read() == b"text"
    assert not answer.leaves_open


@given(st.binary(max_size=300), st.lists(st.integers(1, 50)))
def test_a_body_in_chunks_is_put_together(body: bytes, sizes: list[int]) -> None:
    answer = response(chunked(body, sizes))

    assert answer.read() == body
    assert answer.leaves_open


@given(st.lists(st.integers(1, 20)), st.sampled_from(["\n", "\r\n"]))
def test_events_are_found_wherever_the_chunks_end(sizes: list[int], end: str) -> None:
    lines = [
        ": ping",
        "",
        "event: message",
        'data: {"a":',
        "data:1}",
        "",
        "id: 1",
        "data: ",
        "",
        'data: {"b": "ü"}',
        "",
    ]
    body = "".join(line + end for line in lines).encode()

    assert list(response(chunked(body, sizes)).events()) == [b'{"a":\n1}', '{"b": "ü"}'.encode()]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfour",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n",
        b"HTTP/1.1 200 OK\r\nLong: " + b"x" * 70_000,
    ],
)
def test_an_answer_that_is_broken_or_cut_short_is_lost(raw: bytes) -> None:
    with pytest.raises(ConnectionLost):
        response(raw).read()


def test_waiting_for_an_answer_ends_when_another_thread_aborts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = HttpConnection(f"http://127.0.0.1:{server.getsockname()[1]}")
        peer, _ = server.accept()

        def abort() -> None:
            peer.recv(1)
            connection.abort()

        threading.Thread(target=abort).start()
        with pytest.raises(OSError, match="ended"):
            connection.request("GET", "/", {})

        connection.abort()
        connection.close()
        peer.close()


def test_a_connection_that_the_server_closed_is_not_usable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = HttpConnection(f"http://127.0.0.1:{server.getsockname()[1]}")
        peer, _ = server.accept()

        assert connection.is_usable()
        peer.shutdown(socket.SHUT_RDWR)
        peer.close()
        connection._socket.recv(1, socket.MSG_PEEK)  # returns when the end has arrived
        assert not connection.is_usable()
        connection.close()


@pytest.mark.parametrize(
    ("url", "parts"),
    [("http://127.0.0.1:6477", ("127.0.0.1", 6477)), ("http://[::1]:80/", ("::1", 80)), ("http://a:1/b", ("a", 1))],
)
def test_an_address_is_taken_apart(url: str, parts: tuple[str, int]) -> None:
    assert split_url(url) == parts


@pytest.mark.parametrize(
    "url", ["", "http://host", "https://host:1", "http://host:port", "http://h:99999", "http://ü:1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not an http address"):
        split_url(url)


def test_text_is_made_to_fit_into_headers() -> None:
    assert percent_encode("/tmp/-ü x%\n".encode()) == "/tmp/-%C3%BC%20x%25%0A"
    assert fits_header("plain text")
    assert not any(fits_header(text) for text in (" edge", "line\nbreak", "ü", "tab\there"))
