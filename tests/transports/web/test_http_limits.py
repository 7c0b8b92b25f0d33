"""Limits for callers that nobody knows yet: large heads, half requests and slow bodies end, and others are answered."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPResponse

import pytest
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from mission.transports.web import http_limits
from tests.transports.live_server import PATIENCE, Live

UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
PLAIN = "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = "POST /api/tools/workflow_list HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"


@pytest.fixture
def impatient(live: Live, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that waits for a moment only."""
    monkeypatch.setattr(http_limits, "PATIENCE", 0.2)
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


def status_for(line: socket.socket, request: str) -> int:
    """The status of the answer to a request, which is read whole; the connection stays open."""
    line.sendall(request.encode())
    answer = HTTPResponse(line)
    answer.begin()
    answer.read()
    return answer.status


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
        line.sendall(f"{start}X: {'x' * http_limits.MAX_HEAD_BYTES}\r\n\r\n".encode())
        answer = everything_from(line)

    assert status_of(answer) == 431
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert (error["code"], "64 KB" in error["message"], bool(error["hint"])) == ("TOO_LARGE", True, True)


@pytest.mark.parametrize("known", [False, True], ids=["without a token", "with a token"])
@pytest.mark.parametrize(
    "start",
    ["0\r\nX-T: ", "0\r\n", "2\r\n{}\r\n0\r\nX-T: ", "2;x=", "2\r\n{}\r\n0\r\nX: 1\r\nX"],
    ids=["a value", "a name", "a value after a body", "a chunk's extension", "a second name"],
)
def test_what_follows_a_body_without_an_end_is_refused_at_the_limit(live: Live, known: bool, start: str) -> None:
    token = f"Authorization: Bearer {live.token}\r\n" if known else ""
    sent = 0
    with closing(connect(live)) as line:
        line.sendall(f"{CHUNKED}{token}\r\n{start}".encode())
        try:
            while sent < 50_000_000:
                line.sendall(b"a" * 65_536)
                sent += 65_536
        except (ConnectionResetError, BrokenPipeError):
            pass

    assert sent < 20_000_000
    assert live.alive()


@pytest.mark.parametrize("pieces", [1, 40], ids=["at once", "in pieces"])
def test_trailers_that_are_too_large_are_told_so(live: Live, pieces: int) -> None:
    with closing(connect(live)) as line:
        line.sendall(f"{CHUNKED}Authorization: Bearer {live.token}\r\n\r\n2\r\n{{}}\r\n0\r\n".encode())
        for _ in range(pieces):
            line.sendall(b"X-Y: " + b"y" * (http_limits.MAX_HEAD_BYTES // pieces) + b"\r\n")
        line.sendall(b"\r\n")
        answer = everything_from(line)

    assert status_of(answer) == 431
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "TOO_LARGE"


def test_trailers_within_the_limit_are_read_and_the_connection_stays_usable(live: Live) -> None:
    token = f"Authorization: Bearer {live.token}\r\n"
    with closing(connect(live)) as line:
        for _ in range(2):
            trailer = f"X-Sum: {'0' * 40_000}\r\n"
            assert status_for(line, f"{CHUNKED}{token}\r\n2\r\n{{}}\r\n0\r\n{trailer}\r\n") == 200


def test_a_body_in_many_chunks_is_not_taken_for_a_trailer(live: Live) -> None:
    padded = [b"{", *[b" " * 1_000] * 300, b"}"]

    assert live.request("POST", "/api/tools/workflow_list", padded).status == 200
    assert live.request("POST", "/api/tools/workflow_list", [b"{", b" " * 300_000, b"}"]).status == 200


@pytest.mark.parametrize(
    "more",
    ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"],
    ids=["a length", "chunks"],
)
def test_an_upgrade_with_a_body_is_refused_at_once(live: Live, more: str) -> None:
    with closing(connect(live)) as line:
        line.sendall(f"{UPGRADE}{more}\r\n".encode())
        answer = everything_from(line)

    assert status_of(answer) == 400
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert (error["code"], bool(error["hint"])) == ("INVALID_INPUT", True)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (f"{UPGRADE}\r\n", 401),
        (f"{UPGRADE}Content-Length: 0\r\n\r\n", 401),
        ("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 400),
        (f"{PLAIN}Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 5\r\n\r\n", 200),
        (f"{PLAIN}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n", 200),
        ("CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
    ],
    ids=["no token", "an empty body", "half a handshake", "another upgrade with a body", "another upgrade", "a tunnel"],
)
@pytest.mark.usefixtures("impatient")
def test_an_upgrade_of_somebody_unknown_is_answered_and_not_kept(live: Live, head: str, status: int) -> None:
    with closing(connect(live)) as line:
        line.sendall(head.encode())
        assert status_of(everything_from(line)) == status


@pytest.mark.parametrize("known", [False, True], ids=["unknown", "known"])
@pytest.mark.usefixtures("impatient")
def test_half_a_request_that_came_with_a_whole_one_is_ended(live: Live, known: bool) -> None:
    token = f"Authorization: Bearer {live.token}\r\n" if known else ""
    with closing(connect(live)) as line:
        line.sendall(f"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\n{token}\r\n{PLAIN}".encode())
        answers = everything_from(line)

    assert (status_of(answers), b"HTTP/1.1 408" in answers) == (200 if known else 401, True)


@pytest.mark.usefixtures("impatient")
def test_an_idle_connection_is_kept_for_a_known_caller_and_ended_for_others(live: Live) -> None:
    with closing(connect(live)) as known, closing(connect(live)) as unknown:
        request = f"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {live.token}\r\n\r\n"
        assert status_for(known, request) == 200
        unknown.sendall(f"{PLAIN}\r\n".encode())
        assert status_of(everything_from(unknown)) == 200
        assert status_for(known, request) == 200


def test_of_many_silent_connections_the_oldest_are_dropped_and_known_callers_stay(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.unknown, "limit", 20)
    request = f"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {live.token}\r\n\r\n"
    with ExitStack() as stack:
        known = stack.enter_context(closing(connect(live)))
        assert status_for(known, request) == 200
        silent = [stack.enter_context(closing(connect(live))) for _ in range(60)]
        assert live.alive()
        assert status_for(known, request) == 200
        assert [everything_from(line) for line in silent[:40]] == [b""] * 40
        assert status_for(silent[-1], f"{PLAIN}\r\n") == 200


def test_a_head_just_below_the_limit_is_read(live: Live) -> None:
    assert live.get("/api/missions", X_Long="x" * (http_limits.MAX_HEAD_BYTES - 1_000)).status == 200


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
        assert status_for(line, f"{PLAIN}\r\n") == 200
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
        assert status_for(line, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\n{") == 401
        assert status_for(line, f"   {PLAIN}\r\n") == 200


def test_a_refused_socket_leaves_no_error_in_the_log(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(InvalidStatus) as refused:
        websockets.sync.client.connect(f"ws://{live.authority}/ws").close()

    assert refused.value.response.status_code == 401
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []
