"""The page's files, and a browser's way in: a code opens a session once, and only our own page acts with it."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
import websockets.sync.client
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mission.home import operator_token
from mission.settings import Settings
from mission.store.transaction import Tx
from mission.transports.web import page_files
from mission.transports.web.browser_sessions import Sessions
from tests.transports.live_server import Answer, Live


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page as its build leaves it."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Mission Control</title>")
    (tmp_path / "assets" / "index-abc.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("no")
    return tmp_path


@dataclass(frozen=True, kw_only=True, slots=True)
class Signed:
    """What a browser has of a session: a cookie that goes to every port of the host, and a key that the page keeps."""

    cookie: str
    key: str


def exchange(live: Live, code: str) -> Answer:
    headers = {"Authorization": None, "Mission-Code": code, "Origin": live.url}
    return live.request("POST", "/api/session/open", b"", headers=headers)


def sign_in(live: Live) -> Signed:
    """A new session, opened as the page does it."""
    answer = exchange(live, live.request("POST", "/api/session", b"").json["code"])
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    return Signed(cookie=cookie.partition(";")[0], key=answer.json["key"])


def as_browser(live: Live, method: str, path: str, signed: Signed, **headers: str | None) -> Answer:
    return live.request(
        method,
        path,
        b"{}" if method == "POST" else None,
        headers={"Authorization": None, "Cookie": signed.cookie, "Mission-Session": signed.key, **headers},
    )


def connect(
    live: Live, signed: Signed, *, path: str = "/ws", key: str | None = None, origin: str | None = None
) -> websockets.sync.client.ClientConnection:
    """A socket of the page: its key is a subprotocol."""
    return websockets.sync.client.connect(
        f"ws://{live.authority}{path}",
        origin=websockets.Origin(origin or live.url),
        subprotocols=[
            websockets.Subprotocol("mission"),
            websockets.Subprotocol(f"mission.session.{signed.key if key is None else key}"),
        ],
        additional_headers={"Cookie": signed.cookie},
    )


def assert_strict(policy: str) -> None:
    """Nothing but our own files; only style attributes, which the terminal needs, may be inline."""
    rules = policy.split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= {*rules}
    assert [each for each in rules if "unsafe" in each] == ["style-src-attr 'unsafe-inline'"]


def test_every_address_of_the_page_shows_it_with_a_strict_policy_and_without_a_token(live: Live) -> None:
    for path in ("/", "/missions/m_1", "/login", "/open"):
        answer = live.get(path, Authorization=None)

        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert_strict(answer.headers["content-security-policy"])
        again = live.get(path, Authorization=None, If_None_Match=answer.headers["etag"])
        assert (again.status, again.body) == (304, b"")


async def test_files_are_kept_for_ever_and_nothing_else_is_given_out(built: Path) -> None:
    from starlette.applications import Starlette
    from starlette.testclient import TestClient

    served = page_files.PageFiles(Sessions("token", ended=built / "ended"), files=built)
    client = TestClient(Starlette(exception_handlers={404: served.show}))

    asset = client.get("/assets/index-abc.js")
    assert (asset.status_code, asset.text) == (200, "export {}")
    assert "immutable" in asset.headers["cache-control"]
    for path in ("/assets/../secret.txt", "/assets/%2e%2e/secret.txt", "/assets/..%2fsecret.txt", "/assets/none.js"):
        assert client.get(path).text != "no"
    assert client.get("/assets/none.js").status_code == 404
    assert client.get("/api/none").status_code == 404


def test_without_a_built_page_a_hint_says_what_works(tmp_path: Path) -> None:
    from starlette.applications import Starlette
    from starlette.testclient import TestClient

    served = page_files.PageFiles(Sessions("token", ended=tmp_path / "ended"), files=tmp_path)
    shown = TestClient(Starlette(exception_handlers={404: served.show})).get("/")

    assert (shown.status_code, "make run" in shown.text) == (200, True)


def test_a_code_opens_a_session_once(live: Live) -> None:
    code = live.request("POST", "/api/session", b"").json["code"]
    first, second = exchange(live, code), exchange(live, code)

    assert (first.status, "set-cookie" in first.headers) == (200, True)
    assert (second.status, "set-cookie" in second.headers) == (401, False)
    assert second.error["hint"] == "Run 'mission open' for a new one."
    assert live.request("POST", "/api/session", b"", headers={"Authorization": None}).status == 401


def test_a_session_reads_and_only_our_own_page_acts_with_it(live: Live) -> None:
    signed = sign_in(live)
    forged = replace(signed, cookie=f"{signed.cookie.partition('=')[0]}=9999999999.x.y")
    own = {"Origin": live.url}

    assert as_browser(live, "GET", "/api/missions", signed).status == 200
    assert as_browser(live, "POST", "/api/tools/workflow_list", signed, **own).status == 200
    assert as_browser(live, "POST", "/api/tools/workflow_list", signed).status == 403
    assert as_browser(live, "POST", "/api/tools/workflow_list", signed, Origin="http://evil.example").status == 403
    assert as_browser(live, "GET", "/api/missions", replace(signed, cookie=f"{signed.cookie}x"), **own).status == 401
    assert as_browser(live, "GET", "/api/missions", forged, **own).status == 401


def test_the_cookie_alone_opens_no_door(live: Live) -> None:
    signed, other = sign_in(live), sign_in(live)
    asked = [("GET", "/api/session"), ("GET", "/api/missions"), ("GET", "/api/status"), ("GET", "/api/events")]
    asked += [("GET", "/api/executions/x_1/transcript"), ("GET", "/api/openapi.json"), ("DELETE", "/api/session")]
    asked += [("POST", "/api/tools/workflow_list"), ("POST", "/api/session"), ("POST", "/mcp")]

    for key in (None, "", "é".encode().decode("latin-1"), signed.key[:-1], other.key):
        headers = {"Mission-Session": key, "Origin": live.url}
        refused = [as_browser(live, method, path, signed, **headers) for method, path in asked]
        assert {(answer.status, answer.error["details"]["session"]) for answer in refused} == {(401, "half")}
    assert refused[0].error["hint"] == "Run 'mission open' to sign in again."
    for path in ("/ws", "/ws/executions/x_1/terminal"):
        for key in ("x", other.key):
            with pytest.raises(InvalidStatus) as closed, connect(live, signed, path=path, key=key):
                pass
            assert closed.value.response.status_code == 401
    assert as_browser(live, "GET", "/api/missions", signed).status == 200


def test_the_socket_takes_a_session_from_our_own_page_alone(live: Live) -> None:
    signed = sign_in(live)

    with connect(live, signed) as socket:
        assert socket.subprotocol == "mission"
        socket.send('{"type": "subscribe", "topic": "global"}')
        assert '"subscribed"' in str(socket.recv(timeout=30))
    with pytest.raises(InvalidStatus), connect(live, signed, origin="http://evil.example"):
        pass
    with (
        pytest.raises(InvalidStatus),
        websockets.sync.client.connect(
            f"ws://{live.authority}/ws",
            additional_headers={"Cookie": signed.cookie, "Mission-Session": signed.key},
        ),
    ):
        pass


def test_a_session_is_found_among_odd_cookies_of_other_programs(live: Live) -> None:
    signed = sign_in(live)
    among_others = replace(signed, cookie=f'theirs={{"a": [1, 2]}}; $odd; @=x; {signed.cookie}')

    assert as_browser(live, "GET", "/api/session", among_others).json == {"signed_in": True}
    assert live.get("/api/session", Authorization=None).status == 401


def test_signing_out_ends_that_session_for_copies_of_its_cookie_and_open_sockets_too_and_no_other(live: Live) -> None:
    signed, other = sign_in(live), sign_in(live)
    own = {"Origin": live.url}

    with connect(live, signed) as socket, connect(live, other) as others_socket:
        assert as_browser(live, "DELETE", "/api/session", signed).status == 403
        ended = as_browser(live, "DELETE", "/api/session", signed, **own)
        assert (ended.status, "Max-Age=0" in ended.headers["set-cookie"]) == (200, True)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=60)
        others_socket.send('{"type": "ping"}')
        assert '"pong"' in str(others_socket.recv(timeout=60))

    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "the browser's session has ended")
    assert as_browser(live, "GET", "/api/missions", signed).status == 401
    assert as_browser(live, "GET", "/api/missions", other).status == 200
    assert held_after_a_restart(live, signed, other) == [False, True]


def test_an_agents_token_with_the_cookie_alone_signs_nobody_out(live: Live) -> None:
    signed = sign_in(live)
    agent = live.call("mcp__agent__create", {"type": "WORKER", "name": "ada"})

    refused = live.request(
        "DELETE",
        "/api/session",
        headers={"Authorization": f"Bearer {agent['token']}", "Cookie": signed.cookie, "Origin": live.url},
    )

    assert (refused.status, "set-cookie" in refused.headers) == (403, False)
    assert as_browser(live, "GET", "/api/missions", signed).status == 200
    assert live.request("DELETE", "/api/session", headers={"Cookie": signed.cookie}).status == 200
    assert as_browser(live, "GET", "/api/missions", signed).status == 401


def test_a_lost_list_of_signed_out_sessions_brings_none_of_them_back(tmp_path: Path) -> None:
    home = Settings(home=tmp_path, host_id="test-host")
    token = operator_token(home)
    before = Sessions(token, ended=home.sessions_path)
    opened = before.open(before.code())
    assert opened is not None
    before.end(opened.cookie)
    home.sessions_path.unlink()

    an_hour_later = time.time() + 3600
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr(time, "time", lambda: an_hour_later)
        after = Sessions(token, ended=home.sessions_path)
        assert not after.holds(opened.cookie)
        again = after.open(after.code())
        assert again is not None
        assert Sessions(token, ended=home.sessions_path).holds(again.cookie)


def held_after_a_restart(live: Live, *sessions: Signed) -> list[bool]:
    again = Sessions(live.token, ended=live.settings.sessions_path)
    return [again.holds(each.cookie.partition("=")[2]) for each in sessions]


def test_a_sign_out_that_cannot_be_written_down_is_refused_and_can_be_tried_again(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = sign_in(live)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken, connect(live, signed) as socket:
        broken.setattr(os, "fsync", full)
        refused = as_browser(live, "DELETE", "/api/session", signed, Origin=live.url)
        socket.send('{"type": "ping"}')
        assert '"pong"' in str(socket.recv(timeout=60))

    assert (refused.status, "set-cookie" in refused.headers) == (503, False)
    assert "still signed in" in refused.error["message"]
    assert "sign out again" in refused.error["hint"]
    assert as_browser(live, "GET", "/api/missions", signed).status == 200
    assert as_browser(live, "DELETE", "/api/session", signed, Origin=live.url).status == 200
    assert held_after_a_restart(live, signed) == [False]


def flip_a_letter(content: bytes) -> bytes:
    middle = content.index(b".") + 3
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        flip_a_letter,
        lambda content: content + b"\n",
        lambda content: b"what is this\n" + content,
        lambda content: content[: len(content) // 2],
        lambda content: b"\xff\xfe" + content,
        lambda _: b"",
    ],
    ids=["a letter", "a line more", "a line that is none", "half of it", "no text", "empty"],
)
def test_where_the_signed_out_sessions_cannot_be_read_everybody_must_sign_in_again(
    tmp_path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "ended-sessions"
    before = Sessions("token", ended=file)
    out, in_ = before.open(before.code()), before.open(before.code())
    assert out is not None
    assert in_ is not None
    before.end(out.cookie)
    file.write_bytes(damage(file.read_bytes()))

    an_hour_later = time.time() + 3600
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr(time, "time", lambda: an_hour_later)
        after = Sessions("token", ended=file)
        assert [after.holds(each.cookie) for each in (out, in_)] == [False, False]
        again = after.open(after.code())
        assert again is not None
        after.end(out.cookie)
        once_more = Sessions("token", ended=file)
        assert [once_more.holds(each.cookie) for each in (out, in_, again)] == [False, False, True]
    assert str(file) in caplog.text
    assert "mission open" in caplog.text


def test_a_file_of_signed_out_sessions_that_may_not_be_read_signs_nobody_in(tmp_path: Path) -> None:
    file = tmp_path / "ended-sessions"
    before = Sessions("token", ended=file)
    opened = before.open(before.code())
    assert opened is not None
    file.unlink()
    file.mkdir()

    an_hour_later = time.time() + 3600
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr(time, "time", lambda: an_hour_later)
        after = Sessions("token", ended=file)
        assert not after.holds(opened.cookie)
        again = after.open(after.code())
        assert again is not None
        assert after.holds(again.cookie)
        with pytest.raises(OSError, match="ended-sessions"):
            after.end(again.cookie)
        assert after.holds(again.cookie)


def test_every_answer_that_a_browser_can_be_led_to_runs_nothing(live: Live) -> None:
    signed = sign_in(live)
    answers = [
        live.get("/", Authorization=None),
        live.get("/open", Authorization=None),
        exchange(live, "none"),
        live.get("/assets/none.js", Authorization=None),
        live.get("/api/health", Authorization=None),
        live.get("/api/missions", Authorization=None),
        live.get("/api/missions"),
        live.get("/api/none"),
        live.get("/mcp"),
        live.get("/ws"),
        live.request("GET", "/", headers={"Host": "evil.example"}),
        as_browser(live, "POST", "/api/tools/nothing", signed, Origin=live.url),
        as_browser(live, "POST", "/api/tools/workflow_list", signed, Origin="http://evil.example"),
    ]

    for answer in answers:
        assert_strict(answer.headers["content-security-policy"])
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_the_daemon_is_set_to_is_shown_to_its_operator_alone(live: Live) -> None:
    status = live.get("/api/status").json
    agent = live.call("agent_register", {"name": "ada", "runtime": "custom", "role": "worker"})["id"]
    token = live.call("token_rotate", {"agent_id": agent})["token"]

    assert (status["database"], status["executions"]) == ("SQLite", 0)
    assert {"lease_seconds", "webhook_secret"} <= {each["name"] for each in status["settings"]}
    assert live.get("/api/status", Authorization=f"Bearer {token}").status == 403
    assert live.get("/api/status", Authorization=None).status == 401


def test_the_status_names_the_newest_internal_error_of_the_last_day(live: Live) -> None:
    assert live.get("/api/status").json["internal_errors"] is None
    for id, hours in (("log_old", 30), ("log_one", 2), ("log_two", 1)):
        live.run(live.app.database.write(_add_failure, id=id, hours=hours))

    found = live.get("/api/status").json["internal_errors"]

    assert (found["total"], found["entry_id"], found["tool"]) == (2, "log_two", "task_get")


def _add_failure(tx: Tx, *, id: str, hours: float) -> None:
    at = tx.now - timedelta(hours=hours)
    call = {"transport": "mcp", "caller": "operator", "agent_id": None, "tool": "task_get", "arguments": {}}
    ended = {"status": "error", "error": {"code": "INTERNAL_ERROR", "message": "m"}, "result": None, "trace": None}
    about = {"mission_id": None, "task_id": None}
    tx.audit.add([{"id": id, "at": at, "finished_at": at, **call, **ended, **about}])
