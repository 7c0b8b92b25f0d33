"""The HTTP door: who comes in, what is refused, and that nothing a client sends brings the server down."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from mission.gateway.caller import Caller
from mission.transports.http_common import MAX_BODY_BYTES
from tests.transports.live_server import Json, Live, shows_nothing_of_the_server, until

ADDRESSES = [
    ("GET", "/api/tools"),
    ("POST", "/api/tools/start_mission"),
    ("GET", "/api/missions"),
    ("GET", "/api/missions/m_0000000000"),
    ("GET", "/api/agents"),
    ("GET", "/api/agents/a_0000000000"),
    ("GET", "/api/audit"),
    ("GET", "/api/events"),
    ("GET", "/api/openapi.json"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("GET", "/ws"),
    ("GET", "/api/no/such/address"),
    ("GET", "/api/health/"),
    ("GET", "/api//"),
]
MISSION = {"name": "Auth", "objective": "Log in"}


@pytest.fixture(autouse=True)
def _goes_on(live: Live) -> Iterator[None]:
    """Whatever a test sent, the server answers the next caller."""
    yield
    assert live.alive()


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
@pytest.mark.parametrize("sent", [None, "Bearer wrong", "Bearer", "Bearer  ", "Basic b3BlcmF0b3I6", "Bearer \xff\xfe"])
def test_a_token_is_required(live: Live, method: str, path: str, sent: str | None) -> None:
    answer = live.request(method, path, b"{}" if method == "POST" else None, headers={"Authorization": sent})

    assert answer.status == 401
    assert answer.error["code"] == "UNAUTHENTICATED"
    assert "Authorization: Bearer" in answer.error["hint"]
    assert {name.lower() for name in answer.headers} >= {"www-authenticate"}
    assert live.token not in answer.body.decode()


@pytest.mark.parametrize("path", ["/", "/api/health"])
def test_two_addresses_answer_without_a_token(live: Live, path: str) -> None:
    assert live.get(path, Authorization=None).status == 200


def test_a_token_in_the_address_is_worthless(live: Live) -> None:
    assert live.get(f"/api/missions?token={live.token}&access_token={live.token}", Authorization=None).status == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(live: Live, scheme: str) -> None:
    assert live.get("/api/missions", Authorization=f"{scheme} {live.token}").status == 200


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:{port}", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:{port}", "[::1]", "[::1]:{port}"]
)
def test_loopback_names_are_answered_with_any_port(live: Live, host: str) -> None:
    assert live.get("/api/missions", Host=host.format(port=live.port)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:{port}",
        "localhost.evil.example",
        "127.0.0.1.nip.io:{port}",
        "127.0.0.1:{port}:80",
        "127.0.0.1@evil.example",
        "evil.example#127.0.0.1",
        "[::1]evil.example",
        "[::1].evil.example:{port}",
        "[::1",
        "[::2]:{port}",
        "::1",
        "0.0.0.0:{port}",
        "localhost:http",
        "x" * 5_000,
    ],
)
@pytest.mark.parametrize("path", ["/api/missions", "/", "/api/health"])
def test_a_foreign_host_is_refused_even_with_the_token(live: Live, host: str, path: str) -> None:
    answer = live.get(path, Host=host.format(port=live.port))

    assert (answer.status, answer.error["code"]) == (403, "PERMISSION_DENIED")
    assert len(answer.body) < 1_000


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://localhost:1",
        "https://127.0.0.1",
        "http://127.0.0.1:{port}.evil.example",
        "file://",
        "ftp://127.0.0.1:{port}",
        "http://[::1",
        "http://[not an address]",
        "chrome-extension://abcdef",
        "http://user@127.0.0.1:{port}",
    ],
)
def test_a_page_of_another_origin_is_refused_even_with_the_token(live: Live, origin: str) -> None:
    answer = live.get("/api/missions", Origin=origin.format(port=live.port))

    assert (answer.status, answer.error["code"]) == (403, "PERMISSION_DENIED")


def test_our_own_pages_may_call(live: Live) -> None:
    assert live.get("/api/missions", Origin=f"http://{live.authority}").status == 200


@pytest.mark.parametrize("path", ["/api/tools/start_mission", "/mcp"])
def test_a_body_over_ten_megabytes_is_refused_by_its_declared_length(live: Live, path: str) -> None:
    answer = live.request("POST", path, b"", headers={"Content-Length": str(MAX_BODY_BYTES + 1)})

    assert (answer.status, answer.error["code"]) == (413, "TOO_LARGE")
    assert answer.error["hint"]


@pytest.mark.parametrize("path", ["/api/tools/start_mission", "/mcp"])
def test_a_body_over_ten_megabytes_is_refused_while_it_comes_in_chunks(live: Live, path: str) -> None:
    answer = live.request("POST", path, (b" " * 1_000_000 for _ in range(11)))

    assert (answer.status, answer.error["code"]) == (413, "TOO_LARGE")


def test_a_body_of_just_ten_megabytes_is_read(live: Live) -> None:
    body = json.dumps(MISSION).encode().rjust(MAX_BODY_BYTES)

    assert live.request("POST", "/api/tools/start_mission", body).status == 200


def test_a_body_in_small_chunks_is_read(live: Live) -> None:
    body = json.dumps(MISSION).encode()

    answer = live.request("POST", "/api/tools/start_mission", (body[at : at + 1] for at in range(len(body))))

    assert answer.status == 200


@pytest.mark.parametrize(
    "path", ["/api", "/api/nothing", "/api/missions/m_1/tasks", "/mcp/more", "/api/%00", "/api/tools/..%2Fetc"]
)
def test_an_unknown_address_is_an_error_object(live: Live, path: str) -> None:
    answer = live.get(path)

    assert (answer.status, answer.error["code"]) == (404, "RESOURCE_NOT_FOUND")
    assert answer.error["hint"] == "See /api/openapi.json."


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/tools/start_mission", "POST"),
        ("POST", "/api/missions", "GET"),
        ("DELETE", "/api/missions/m_1", "GET"),
        ("PUT", "/api/events", "GET"),
        ("PATCH", "/mcp", "POST"),
        ("GET", "/mcp", "POST"),
        ("DELETE", "/mcp", "POST"),
    ],
)
def test_a_wrong_method_is_an_error_object_that_names_the_right_one(
    live: Live, method: str, path: str, allowed: str
) -> None:
    answer = live.request(method, path)

    assert (answer.status, answer.error["code"]) == (405, "INVALID_INPUT")
    assert allowed in answer.error["hint"]
    assert allowed in answer.headers["allow"]


BROKEN = {
    "cut off": b'{"name": "x"',
    "no json": b"hello",
    "single quotes": b"{'name': 'x'}",
    "trailing comma": b'{"name": "x",}',
    "two documents": b'{"name": "x"} {"name": "y"}',
    "not UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "NUL bytes": b"\x00\x00\x00\x00",
    "a huge integer": b'{"name": ' + b"9" * 100_000 + b"}",
    "100,000 lists": b"[" * 100_000,
    "100,000 closed lists": b"[" * 100_000 + b"]" * 100_000,
    "100,000 objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_body_is_a_clear_error(live: Live, body: bytes) -> None:
    answer = live.request("POST", "/api/tools/start_mission", body)

    assert (answer.status, answer.error["code"]) == (400, "INVALID_INPUT")
    assert answer.error["hint"]
    assert shows_nothing_of_the_server(answer, live.settings)


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"null", b"true", b"NaN", b"[{}]"])
def test_arguments_that_are_no_object_are_a_clear_error(live: Live, body: bytes) -> None:
    answer = live.request("POST", "/api/tools/start_mission", body)

    assert (answer.status, answer.error["code"]) == (400, "INVALID_INPUT")
    assert "object" in answer.error["message"]


def nested(depth: int) -> str:
    return '{"name": "x", "objective": "y", "scope": ' + '{"a":' * depth + "1" + "}" * depth + "}"


BAD_VALUES = {
    "half a surrogate": r'{"name": "\ud800", "objective": "y"}',
    "half a surrogate in a name": r'{"name": "x", "objective": "y", "\udfff": 1}',
    "NUL": r'{"name": "a\u0000b", "objective": "y"}',
    "NUL in a name": r'{"name": "x", "objective": "y", "a\u0000": 1}',
    "NUL deep inside": r'{"name": "x", "objective": "y", "other": [{"k": "\u0000"}]}',
    "NaN": '{"name": "x", "objective": "y", "total_phases": NaN}',
    "NaN in an unknown argument": '{"name": "x", "objective": "y", "other": [NaN]}',
    "infinity": '{"name": "x", "objective": "y", "total_phases": -Infinity}',
    "an endless float": '{"name": "x", "objective": "y", "total_phases": 1e999}',
    "a huge integer": '{"name": "x", "objective": "y", "total_phases": ' + "9" * 4_000 + "}",
    "33 levels": nested(33),
    "200 levels": nested(200),
    "400 levels": nested(400),
    "900 levels": nested(900),
    "a text for a number": '{"name": "x", "objective": "y", "total_phases": "many"}',
    "a list for a text": '{"name": ["x"], "objective": "y"}',
    "an object for a text": '{"name": {"a": 1}, "objective": "y"}',
    "a number for a text": '{"name": 5, "objective": "y"}',
    "an unknown word": '{"name": "x", "objective": "y", "profile": "hugest"}',
    "a misspelled argument": '{"name": "x", "objectiv": "y"}',
    "only spaces": '{"name": "   ", "objective": "y"}',
}


@pytest.mark.parametrize("body", BAD_VALUES.values(), ids=BAD_VALUES.keys())
def test_a_bad_value_is_a_clear_error_and_changes_nothing(live: Live, body: str) -> None:
    before = live.call("workflow_list", {"limit": 1})["total"]

    answer = live.request("POST", "/api/tools/start_mission", body.encode())

    assert (answer.status, answer.error["code"]) == (400, "INVALID_INPUT"), answer.body
    assert answer.error["message"]
    assert answer.error["hint"]
    assert len(answer.body) < 2_000
    assert shows_nothing_of_the_server(answer, live.settings)
    assert live.call("workflow_list", {"limit": 1})["total"] == before


@pytest.mark.parametrize("field", ["name", "objective", "description", "unknown"])
def test_a_text_of_ten_megabytes_is_too_large_and_is_not_sent_back(live: Live, field: str) -> None:
    answer = live.post("start_mission", {**MISSION, field: "x" * (MAX_BODY_BYTES - 200)})

    assert (answer.status, answer.error["code"]) == (413, "TOO_LARGE")
    assert field in answer.error["message"]
    assert len(answer.body) < 1_000


def test_of_a_key_given_twice_the_last_counts(live: Live) -> None:
    body = b'{"name": "first", "name": "second", "objective": "y"}'
    started = live.request("POST", "/api/tools/start_mission", body).json

    assert live.get(f"/api/missions/{started['mission_id']}").json["mission_name"] == "second"


def test_characters_beyond_the_basic_plane_come_back_as_they_were(live: Live) -> None:
    name = "🚀 Zürich 東京 \u202e‮ \U0001f469\u200d\U0001f680"
    mission = live.mission(name)

    assert live.get(f"/api/missions/{mission}").json["mission_name"] == name


BAD_CALLS = {
    "a NUL as actor": ("agent_heartbeat", r'{"agent_id": "a\u0000"}', {}),
    "half a surrogate as actor": ("agent_heartbeat", r'{"agent_id": "\ud800"}', {}),
    "a list as actor": ("agent_heartbeat", '{"agent_id": ["a_1"]}', {}),
    "a NUL as agent": ("workflow_list", "{}", {"Mission-Agent": "a%00b"}),
    "no UTF-8 as agent": ("workflow_list", "{}", {"Mission-Agent": "%ff%fe"}),
    "a long agent": ("workflow_list", "{}", {"Mission-Agent": "a" * 5_000}),
    "a NUL as id": ("get_context", r'{"mission_id": "m_\u0000"}', {}),
    "half a surrogate as id": ("get_context", r'{"mission_id": "m_\ud800"}', {}),
    "half a surrogate as id of an agent": ("agent_get", r'{"id": "\ud800"}', {}),
    "a dash as name of a tool": ("-rf", "{}", {}),
    "a NUL as name of a tool": ("%00", "{}", {}),
    "a long name of a tool": ("x" * 10_000, "{}", {}),
    "a cursor that is none": ("audit_list", r'{"cursor": "\ud83d\ude80 nonsense"}', {}),
    "a relative path": ("start_mission", '{"name": "x", "objective": "y", "repository_path": "../x"}', {}),
    "a path with NUL": ("start_mission", r'{"name": "x", "objective": "y", "repository_path": "/a\u0000"}', {}),
    "a time that is none": ("audit_list", '{"since": 1e300}', {}),
    "a far time": ("audit_list", '{"since": "99999-01-01"}', {}),
    "a huge number of rows": ("agent_list", '{"limit": 99999999999999999999}', {}),
    "a key with a line break": ("start_mission", json.dumps(MISSION), {"Idempotency-Key": "a\tb"}),
    "a key too long": ("start_mission", json.dumps(MISSION), {"Idempotency-Key": "k" * 201}),
}


def test_a_bad_call_is_the_callers_mistake_and_stands_in_the_audit_trail(live_on_both: Live) -> None:
    live = live_on_both

    answers = {
        what: live.request("POST", f"/api/tools/{tool}", body.encode(), headers=headers)
        for what, (tool, body, headers) in BAD_CALLS.items()
    }

    assert {what: answer.body for what, answer in answers.items() if not 400 <= answer.status < 500} == {}
    assert {what for what, answer in answers.items() if answer.error["code"] == "INTERNAL_ERROR"} == set()
    assert all(answer.error["message"] and len(answer.body) < 3_000 for answer in answers.values())
    assert all(shows_nothing_of_the_server(answer, live.settings) for answer in answers.values())
    assert len(refused_calls(live, wanted=len(BAD_CALLS))) == len(BAD_CALLS)


def test_whatever_was_sent_stands_in_the_audit_trail(live_on_both: Live) -> None:
    """Each call has its row, though a database may not be able to hold what was sent."""
    live = live_on_both
    for body in (*BAD_VALUES.values(), *(body.decode() for body in (b"[NaN]", b'"\\ud800"', b'"\\u0000"'))):
        live.request("POST", "/api/tools/start_mission", body.encode())

    wanted = len(BAD_VALUES) + 3
    found = refused_calls(live, wanted=wanted)

    assert [row["tool"] for row in found] == ["start_mission"] * wanted


def test_a_body_that_ends_early_is_no_call(live: Live) -> None:
    before = live.call("workflow_list", {"limit": 1})["total"]
    body = json.dumps(MISSION).encode()
    head = (
        f"POST /api/tools/start_mission HTTP/1.1\r\nHost: {live.authority}\r\n"
        f"Authorization: Bearer {live.token}\r\nContent-Length: {len(body) + 10}\r\n\r\n"
    )
    with socket.create_connection((live.host, live.port), timeout=60) as connection:
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65536)

    assert live.call("workflow_list", {"limit": 1})["total"] == before


@pytest.mark.parametrize(
    "text", [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/9\r\n\r\n"]
)
def test_something_else_than_http_is_sent_away(live: Live, text: bytes) -> None:
    with socket.create_connection((live.host, live.port), timeout=60) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65536)

    assert not answer or answer.startswith(b"HTTP/1.1 400")


def test_a_mistake_of_ours_becomes_an_incident_that_shows_nothing(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"secret of {live.settings.home}")

    monkeypatch.setattr("mission.services.missions.creation.list_missions", broken)

    answer = live.get("/api/missions")

    assert (answer.status, answer.error["code"]) == (500, "INTERNAL_ERROR")
    incident = answer.error["details"]["incident"]
    assert "secret" not in answer.body.decode()
    assert shows_nothing_of_the_server(answer, live.settings)
    monkeypatch.undo()
    trail = until(lambda: [row for row in live.call("audit_list")["entries"] if row["id"] == incident])
    assert "secret" in trail[0]["trace"]


def test_a_mistake_of_ours_outside_a_call_is_an_error_object_too(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"secret of {live.settings.home}")

    monkeypatch.setattr("mission.transports.web.rest.openapi", broken)

    answer = live.get("/api/openapi.json")

    assert (answer.status, answer.error["code"]) == (500, "INTERNAL_ERROR")
    assert shows_nothing_of_the_server(answer, live.settings)


def test_a_repeat_under_the_same_key_gets_the_first_answer_and_does_nothing(live_on_both: Live) -> None:
    live = live_on_both
    first = live.call("start_mission", MISSION, Idempotency_Key="k1")
    again = live.call("start_mission", MISSION, Idempotency_Key="k1")
    other = live.call("start_mission", MISSION, Idempotency_Key="k2")

    assert again == first
    assert other["mission_id"] != first["mission_id"]
    assert live.call("workflow_list")["total"] == 2


def test_a_repeat_while_the_first_is_under_way_joins_it(live_on_both: Live) -> None:
    live = live_on_both
    with ThreadPoolExecutor(12) as pool:
        calls = [pool.submit(live.call, "start_mission", MISSION, Idempotency_Key="same") for _ in range(36)]
        answers = {json.dumps(call.result()) for call in calls}

    assert len(answers) == 1
    assert live.call("workflow_list")["total"] == 1


def test_a_key_used_for_another_call_is_refused(live: Live) -> None:
    live.call("start_mission", MISSION, Idempotency_Key="once")

    other_body = live.post("start_mission", {**MISSION, "name": "Else"}, Idempotency_Key="once")
    other_tool = live.post("start_workflow", MISSION, Idempotency_Key="once")

    for answer in (other_body, other_tool):
        assert (answer.status, answer.error["code"]) == (400, "INVALID_INPUT")
        assert "key" in answer.error["message"]


def test_keys_of_different_callers_are_different_keys(live: Live) -> None:
    agents = [
        live.call("agent_register", {"name": f"twin-{n}", "runtime": "codex", "role": "coordinator"})["id"]
        for n in (1, 2)
    ]

    missions = [
        live.call("start_mission", MISSION, Idempotency_Key="mine", Mission_Agent=agent)["mission_id"]
        for agent in (*agents, None)
    ]

    assert len(set(missions)) == 3


def test_a_failed_call_leaves_its_key_free(live: Live) -> None:
    wanted = {"mission_id": "m_0000000000", "status": "completed", "summary": "s"}
    assert live.post("complete_mission", wanted, Idempotency_Key="later").status == 404

    assert live.post("complete_mission", wanted, Idempotency_Key="later").status == 404


def test_the_first_caller_leaving_does_not_hurt_who_joined(live: Live) -> None:
    """A client whose connection broke repeats the call while the server still works on the first one."""
    before = live.call("workflow_list", {"limit": 1})["total"]
    caller = Caller(transport="test", key="broken")

    async def leave_and_repeat() -> Json:
        first = asyncio.create_task(live.app.gateway("start_mission", MISSION, caller))
        await asyncio.sleep(0)
        second = asyncio.create_task(live.app.gateway("start_mission", MISSION, caller))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    answered = live.run(leave_and_repeat())

    assert answered["mission_id"].startswith("m_")
    assert live.call("workflow_list", {"limit": 1})["total"] == before + 1


def refused_calls(live: Live, *, wanted: int) -> list[Json]:
    """The audit rows of calls that failed, once there are that many or no more come."""
    with suppress(AssertionError):
        until(lambda: len(_refused(live)) >= wanted, seconds=2)
    return _refused(live)


def _refused(live: Live) -> list[Json]:
    return [row for row in live.call("audit_list", {"limit": 500})["entries"] if row["status"] != "ok"]
