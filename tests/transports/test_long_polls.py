"""Waiting for news over real connections: it costs nobody anything and ends with its client."""

from __future__ import annotations

import json
import socket

import pytest

from tests.transports.live_server import Live, until

HEAD = "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{more}Content-Length: {size}\r\n\r\n"
MCP = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\n"
FOREVER = {"timeout_seconds": 55}
DOORS = ["REST", "MCP", "MCP with progress"]


def ask(live: Live, door: str, arguments: dict[str, object]) -> socket.socket:
    """A connection on which a wait was asked for."""
    path, more, body = "/api/tools/wait_for_events", "Content-Type: application/json\r\n", json.dumps(arguments)
    if door != "REST":
        path, more = "/mcp", MCP.format("2025-11-25")
        meta = {"progressToken": 1} if door == "MCP with progress" else {}
        params = {"name": "wait_for_events", "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    head = HEAD.format(path=path, host=live.authority, token=live.token, more=more, size=len(body))
    connection = socket.create_connection((live.host, live.port), timeout=60)
    connection.sendall((head + body).encode())
    return connection


def waiting(live: Live) -> int:
    return len(live.app.events.bus._listeners)


@pytest.mark.parametrize("door", DOORS)
def test_a_wait_ends_with_its_client(live: Live, door: str) -> None:
    connection = ask(live, door, {**FOREVER, "since": live.app.events.last})
    until(lambda: waiting(live) == 1, seconds=45)

    connection.close()

    until(lambda: waiting(live) == 0, seconds=45)


@pytest.mark.parametrize("door", DOORS)
def test_a_message_ends_the_wait_of_its_recipient_alone(live: Live, door: str) -> None:
    ada = live.call("agent_register", {"name": f"ada {door}", "runtime": "custom"})["id"]
    bob = live.call("agent_register", {"name": f"bob {door}", "runtime": "custom"})["id"]
    others, mine = (ask(live, door, {**FOREVER, "agent_id": agent}) for agent in (ada, bob))
    until(lambda: waiting(live) == 2, seconds=45)

    letter = {"sender_id": ada, "recipient_id": bob, "message_type": "notification", "body": "the tests pass"}
    live.call("message_send", letter)

    answer = b""
    while b"the tests pass" not in answer:
        part = mine.recv(65536)
        assert part, answer
        answer += part
    assert waiting(live) == 1
    others.close()
    mine.close()
    until(lambda: waiting(live) == 0, seconds=45)


def test_an_agent_that_reads_the_event_log_sees_only_its_own_mail(live: Live) -> None:
    ada, bob, eve = (live.call("agent_register", {"name": name, "runtime": "custom"})["id"] for name in "abe")
    since = live.app.events.last
    letter = {"sender_id": ada, "recipient_id": bob, "message_type": "notification", "body": "x", "subject": "secret"}
    live.call("message_send", letter)

    def seen(**headers: str) -> int:
        return live.get(f"/api/events?since={since}", **headers).body.count(b"secret")

    assert (seen(), seen(Mission_Agent=ada), seen(Mission_Agent=bob), seen(Mission_Agent=eve)) == (1, 1, 1, 0)
