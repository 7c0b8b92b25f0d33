"""A browser's session in a real browser: what another port of the host gets of it, and how it begins and ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import PATIENCE, House
from tests.browser.test_page import connected

KEY = "localStorage.getItem('mission.session')"


@pytest.fixture
def own(browser: Browser, house: House) -> Iterator[BrowserContext]:
    """A signed-in browser that belongs to one test."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    house.sign_in(page)
    page.close()
    yield context
    context.close()


@contextmanager
def another_port() -> Iterator[tuple[int, list[str]]]:
    """A server of somebody else on the same host, and the cookies it was sent."""
    cookies: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cookies.append(self.headers.get("Cookie", ""))
            body = b"<!doctype html><title>Somebody else</title>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, cookies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_server_on_another_port_gets_the_cookie_and_can_do_nothing_with_it(own: BrowserContext, house: House) -> None:
    with another_port() as (port, cookies):
        page = own.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        [cookie] = [each for each in cookies if f"mission_{house.live.port}=" in each]

        stolen = {"Authorization": None, "Cookie": cookie}
        read = house.live.request("GET", "/api/missions", headers=stolen)
        acted = house.live.request(
            "POST", "/api/tools/workflow_list", b"{}", headers={**stolen, "Origin": house.live.url}
        )
        assert page.evaluate(KEY) is None
        from_its_page = page.evaluate(
            """async (url) => {
              const socket = new WebSocket(url.replace("http", "ws") + "/ws", ["mission"]);
              const opened = await new Promise((tell) => {
                socket.onopen = () => tell(true);
                socket.onerror = () => tell(false);
              });
              const answer = await fetch(url + "/api/missions", { credentials: "include" }).then(
                (found) => found.status,
                () => "refused",
              );
              return [opened, answer];
            }""",
            house.live.url,
        )

    assert [(answer.status, answer.error["code"]) for answer in (read, acted)] == [(401, "UNAUTHENTICATED")] * 2
    assert from_its_page == [False, "refused"]


def test_the_key_is_in_no_address_and_a_session_without_it_must_sign_in_again(
    own: BrowserContext, house: House
) -> None:
    asked: list[str] = []
    own.on("request", lambda request: asked.append(f"{request.url} {request.headers.get('referer', '')}"))
    page = own.new_page()
    house.go(page, "/missions")
    connected(page)
    key = page.evaluate(KEY)
    assert key
    assert asked
    assert not [each for each in asked if key in each]

    page.evaluate("localStorage.removeItem('mission.session')")  # as in a session from before there was a key
    page.reload()
    expect(page.get_by_text("This browser has a session cookie but not the matching key")).to_be_visible()

    other = own.new_page()
    house.sign_in(other)
    expect(page.get_by_role("heading", name="Missions", level=1)).to_be_visible()
    connected(page)


def test_a_sign_out_that_fails_is_told_and_one_that_succeeds_forgets_the_key(
    own: BrowserContext, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = own.new_page()
    house.go(page, "/settings")

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("alert")).to_contain_text("still signed in")
    assert page.evaluate(KEY)

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("This browser is not signed in")).to_be_visible()
    assert page.evaluate(KEY) is None
