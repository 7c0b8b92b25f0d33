"""Limits for callers that nobody knows yet: large heads, half requests and slow bodies end, and others are answered."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from mission.transports.web import http_limits as protocols
from tests.transports.live_server import PATIENCE, Live

UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
PLAIN = "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture
def impatient(live: Live, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that waits for a moment only."""
    monkeypatch.setattr(protocols, "PATIENCE", 0.2)
    yield
    assert live.alive()


def connect(live: Live) -> socket.socket:
    return socket.create_connection((live.host, live.port), timeout=PATIENCE)


def everything_from(line: socket.socket) -> bytes:
    """What the server says until it ends the connection."""
    found = b""
    try:
        while piece := line.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("start", [PLAIN, UPGRADE], ids=["http", "websocket"])
@pytest.mark.parametrize("shape", ["one header", "many headers", "address", "nothing but a name"])
def test_a_head_of_any_size_is_refused_at_the_limit_while_others_are_answered(
    live: Live, start: str, shape: str
) -> None:
    with closing(connect(live)) as line:
        pieces = {
            "one header": [start.encode(), b"X: "],
            "many headers": [start.encode()],
            "address": [b"GET /?"],
            "nothing but a name": [start.encode()],
        }[shape]
        filler = b"X-Y: 0123456789\r\n" * 1000 if shape == "many headers" else b"x" * 17_000
        sent = 0
        try:
            for piece in pieces:
                line.sendall(piece)
            while sent < 200_000_000:
                line.sendall(filler)
                sent += len(filler)
                if sent == 10 * len(filler):
                    assert live.alive()
        except (ConnectionResetError, BrokenPipeError):
            pass
        assert sent < 20_000_000


@pytest.mark.parametrize("start", [PLAIN, UPGRADE], ids=["http", "websocket"])
def test_a_head_that_is_too_large_is_told_so_even_when_it_comes_at_once(live: Live, start: str) -> None:
    with closing(connect(live)) as line:
        line.sendall(f"{start}X: {'x' * protocols.LARGEST_HEAD}\r\n\r\n".encode())
        answer = everything_from(line)

    assert status_of(answer) == 431
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert (error["code"], "64 KB" in error["message"], bool(error["hint"])) == ("TOO_LARGE", True, True)


def test_a_head_just_below_the_limit_is_read(live: Live) -> None:
    assert live.get("/api/missions", X_Long="x" * (protocols.LARGEST_HEAD - 1_000)).status == 200


@pytest.mark.parametrize(
    "sent",
    ["", "\r\n", "GET /api/he", PLAIN, f"{PLAIN}X: half", UPGRADE, "POST /mcp HTTP/1.1\r\nContent-Le"],
    ids=["nothing", "an empty line", "half an address", "a head", "half a header", "an upgrade", "half a post"],
)
@pytest.mark.usefixtures("impatient")
def test_a_request_that_stays_half_is_ended(live: Live, sent: str) -> None:
    with closing(connect(live)) as line:
        line.sendall(sent.encode())
        answer = everything_from(line)

    assert not answer if sent.strip() == "" else status_of(answer) == 408


@pytest.mark.usefixtures("impatient")
def test_a_half_request_on_a_connection_that_was_used_before_is_ended(live: Live) -> None:
    with closing(connect(live)) as line:
        line.sendall(f"{PLAIN}\r\n".encode())
        assert status_of(line.recv(65536)) == 200
        line.sendall(PLAIN.encode())
        assert status_of(everything_from(line)) == 408


@pytest.mark.parametrize("path", ["/mcp", "/api/tools/workflow_list", "/api/session/open", "/mcp/executions/x_1", "/"])
@pytest.mark.usefixtures("impatient")
def test_a_slow_body_of_somebody_unknown_is_answered_at_once_and_not_waited_for(live: Live, path: str) -> None:
    with closing(connect(live)) as line:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        line.sendall(head.encode())
        answer = everything_from(line)

    assert status_of(answer) in (401, 404)


@pytest.mark.usefixtures("impatient")
def test_a_slow_body_and_a_long_poll_of_somebody_known_are_waited_for(live: Live) -> None:
    body = b'{"name": "Slow", "objective": "It works"}'
    head = f"POST /api/tools/start_mission HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {live.token}\r\n"
    with closing(connect(live)) as slow, closing(connect(live)) as half:
        slow.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:10])
        half.sendall(PLAIN.encode())
        assert status_of(everything_from(half)) == 408  # so long it took
        slow.sendall(body[10:])
        assert status_of(slow.recv(65536)) == 200
    seq = live.get("/api/events").json["seq"]
    waited = live.get(f"/api/events?since={seq}&wait=1")
    assert (waited.status, waited.json["events"]) == (200, [])


def test_after_a_body_that_nobody_waited_for_the_connection_serves_on(live: Live) -> None:
    with closing(connect(live)) as line:
        line.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\n{")
        assert status_of(line.recv(65536)) == 401
        line.sendall(f"   {PLAIN}\r\n".encode())
        assert status_of(line.recv(65536)) == 200


def test_a_refused_socket_leaves_no_error_in_the_log(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(InvalidStatus) as refused:
        websockets.sync.client.connect(f"ws://{live.authority}/ws").close()

    assert refused.value.response.status_code == 401
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []
