"""The page's files, and a browser's way in: a code opens a session once, and only our own page acts with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from mission.transports import page
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

    from mission.transports.session import Sessions

    served = page.Page(Sessions("token"), files=built)
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

    from mission.transports.session import Sessions

    served = page.Page(Sessions("token"), files=tmp_path)
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
