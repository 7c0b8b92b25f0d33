"""The page's files, and a browser's way in: a code opens a session once, and only our own page acts with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import websockets.sync.client
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mission.transports import page
from mission.transports.session import Sessions
from tests.transports.live import Answer, Live


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page as its build leaves it."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Mission Control</title>")
    (tmp_path / "assets" / "index-abc.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("no")
    return tmp_path


def sign_in(live: Live) -> str:
    """The cookie of a new session, as a browser would send it."""
    code = live.request("POST", "/api/session", b"").json["code"]
    answer = live.get(f"/open?code={code}", Authorization=None)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    return cookie.partition(";")[0]


def as_browser(live: Live, method: str, path: str, cookie: str, **headers: str) -> Answer:
    return live.request(
        method,
        path,
        b"{}" if method == "POST" else None,
        headers={"Authorization": None, "Cookie": cookie, **headers},
    )


def test_every_address_of_the_page_shows_it_with_a_strict_policy_and_without_a_token(live: Live) -> None:
    for path in ("/", "/missions/m_1", "/login"):
        answer = live.get(path, Authorization=None)

        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        again = live.get(path, Authorization=None, If_None_Match=answer.headers["etag"])
        assert (again.status, again.body) == (304, b"")


async def test_files_are_kept_for_ever_and_nothing_else_is_given_out(built: Path) -> None:
    from starlette.applications import Starlette
    from starlette.testclient import TestClient

    served = page.Page(Sessions("token", ended=built / "ended"), files=built)
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

    served = page.Page(Sessions("token", ended=tmp_path / "ended"), files=tmp_path)
    shown = TestClient(Starlette(exception_handlers={404: served.show})).get("/")

    assert (shown.status_code, "make run" in shown.text) == (200, True)


def test_a_code_opens_a_session_once(live: Live) -> None:
    code = live.request("POST", "/api/session", b"").json["code"]
    first = live.get(f"/open?code={code}", Authorization=None)
    second = live.get(f"/open?code={code}", Authorization=None)

    assert (first.headers["location"], "set-cookie" in first.headers) == ("/", True)
    assert (second.headers["location"], "set-cookie" in second.headers) == ("/login?code=over", False)
    assert live.request("POST", "/api/session", b"", headers={"Authorization": None}).status == 401


def test_a_session_reads_and_only_our_own_page_acts_with_it(live: Live) -> None:
    cookie = sign_in(live)
    own = {"Origin": live.url}

    assert as_browser(live, "GET", "/api/missions", cookie).status == 200
    assert as_browser(live, "POST", "/api/tools/workflow_list", cookie, **own).status == 200
    assert as_browser(live, "POST", "/api/tools/workflow_list", cookie).status == 403
    assert as_browser(live, "POST", "/api/tools/workflow_list", cookie, Origin="http://evil.example").status == 403
    assert as_browser(live, "GET", "/api/missions", cookie + "x", **own).status == 401
    assert as_browser(live, "GET", "/api/missions", f"{cookie.partition('=')[0]}=9999999999.x.y", **own).status == 401


def test_the_socket_takes_a_session_from_our_own_page_alone(live: Live) -> None:
    cookie = sign_in(live)
    address = f"ws://{live.authority}/ws"

    with websockets.sync.client.connect(address, origin=live.url, additional_headers={"Cookie": cookie}) as socket:
        socket.send('{"type": "subscribe", "topic": "global"}')
        assert '"subscribed"' in str(socket.recv(timeout=30))
    for origin in (None, "http://evil.example"):
        with (
            pytest.raises(InvalidStatus),
            websockets.sync.client.connect(address, origin=origin, additional_headers={"Cookie": cookie}),
        ):
            pass


def test_a_session_is_found_among_odd_cookies_of_other_programs(live: Live) -> None:
    cookie = sign_in(live)
    among_others = f'theirs={{"a": [1, 2]}}; $odd; @=x; {cookie}'

    assert as_browser(live, "GET", "/api/session", among_others).json == {"signed_in": True}
    assert live.get("/api/session", Authorization=None).status == 401


def test_signing_out_ends_that_session_for_copies_of_its_cookie_and_open_sockets_too_and_no_other(live: Live) -> None:
    cookie, other = sign_in(live), sign_in(live)
    address, own = f"ws://{live.authority}/ws", {"Origin": live.url}

    def connect(cookie: str) -> websockets.sync.client.ClientConnection:
        return websockets.sync.client.connect(address, origin=live.url, additional_headers={"Cookie": cookie})

    with connect(cookie) as socket, connect(other) as others_socket:
        assert as_browser(live, "DELETE", "/api/session", cookie).status == 403
        ended = as_browser(live, "DELETE", "/api/session", cookie, **own)
        assert (ended.status, "Max-Age=0" in ended.headers["set-cookie"]) == (200, True)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=60)
        others_socket.send('{"type": "ping"}')
        assert '"pong"' in str(others_socket.recv(timeout=60))

    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "the browser's session is over")
    assert as_browser(live, "GET", "/api/missions", cookie).status == 401
    assert as_browser(live, "GET", "/api/missions", other).status == 200
    after_a_restart = Sessions(live.token, ended=live.settings.sessions_path)
    values = [each.partition("=")[2] for each in (cookie, other)]
    assert [after_a_restart.holds(each) for each in values] == [False, True]


def test_every_answer_that_a_browser_can_be_led_to_runs_nothing(live: Live) -> None:
    cookie = sign_in(live)
    answers = [
        live.get("/", Authorization=None),
        live.get("/open?code=none", Authorization=None),
        live.get("/assets/none.js", Authorization=None),
        live.get("/api/health", Authorization=None),
        live.get("/api/missions", Authorization=None),
        live.get("/api/missions"),
        live.get("/api/none"),
        live.get("/mcp"),
        live.get("/ws"),
        live.request("GET", "/", headers={"Host": "evil.example"}),
        as_browser(live, "POST", "/api/tools/nothing", cookie, Origin=live.url),
        as_browser(live, "POST", "/api/tools/workflow_list", cookie, Origin="http://evil.example"),
    ]

    for answer in answers:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_the_daemon_is_set_to_is_shown_to_its_operator_alone(live: Live) -> None:
    status = live.get("/api/status").json
    agent = live.call("agent_register", {"name": "ada", "runtime": "custom", "role": "worker"})["id"]
    token = live.call("token_rotate", {"agent_id": agent})["token"]

    assert (status["database"], status["executions"]) == ("SQLite", 0)
    assert {"lease_seconds", "webhook_secret"} <= {each["name"] for each in status["settings"]}
    assert live.get("/api/status", Authorization=f"Bearer {token}").status == 403
    assert live.get("/api/status", Authorization=None).status == 401
