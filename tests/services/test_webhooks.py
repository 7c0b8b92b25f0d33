"""Webhooks: signed, in order, at least once, across restarts, and never in the way of a call."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import standardwebhooks

from mission.app import App
from mission.domain import webhook
from mission.domain.timestamps import utc_now
from mission.domain.webhook import Webhook, is_refused, pause_after
from mission.gateway.caller import Caller
from mission.services import webhooks

SECRET = "s3cret"
PATIENCE = 60


class Receiver:
    """A program of somebody else's that takes requests, and answers with the statuses it is told to."""

    def __init__(self):
        self.got = []
        self.statuses = []
        self.news = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.news:
                    status = receiver.statuses.pop(0) if receiver.statuses else 200
                    receiver.got.append((status, dict(self.headers), body))
                    receiver.news.notify_all()
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    async def after(self, count):
        """What it has got once it has got so much."""

        def wait():
            with self.news:
                assert self.news.wait_for(lambda: len(self.got) >= count, PATIENCE), self.got
                return list(self.got)

        return await asyncio.to_thread(wait)

    @property
    def taken(self):
        return [json.loads(body)["data"]["subject"] for status, _, body in self.got if status == 200]


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def hooked(sqlite_settings, receiver, monkeypatch):
    monkeypatch.setattr(webhook, "FIRST_PAUSE", timedelta(milliseconds=1))
    monkeypatch.setattr(webhooks, "GATHER_SECONDS", 0.01)
    monkeypatch.setattr(webhooks, "REST_SECONDS", 0.05)
    return replace(sqlite_settings, webhook_url=receiver.url, webhook_secret=SECRET, webhook_events="queue:created")


async def ask(app, *questions):
    """Blockers of a new task, one after the other."""
    caller = Caller(transport="test")
    mission = (await app.gateway("start_mission", {"name": "m", "objective": "o"}, caller))["mission_id"]
    task = await app.gateway("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, caller)
    issue = {"task_id": task["task_id"], "type": "other", "resolution": "r", "requires_human_review": True}
    for question in questions:
        await app.gateway("log_issue", issue | {"description": question}, caller)


async def test_new_items_are_sent_signed_and_in_order_however_often_the_receiver_fails(hooked, receiver):
    receiver.statuses = [500, 503, 200, 429]
    app = App(hooked, role="a test")
    async with app.running(periodic=True):
        await begun(app)
        await ask(app, "one", "two", "three")
        got = await receiver.after(6)

    assert receiver.taken == ["one", "two", "three"]
    assert [status for status, _, _ in got] == [500, 503, 200, 429, 200, 200]
    _, headers, body = got[-1]
    frame = standardwebhooks.Webhook(SECRET.encode()).verify(body, headers)
    assert (frame["type"], frame["data"]["kind"], headers["webhook-id"]) == (
        "queue:created",
        "blocker",
        f"event-{frame['seq']}",
    )


async def test_what_happened_while_nobody_delivered_is_sent_after_a_restart(hooked, receiver):
    app = App(hooked, role="a test")
    async with app.running(periodic=True):
        await begun(app)
    app = App(hooked, role="a test")
    async with app.running(periodic=False):
        await ask(app, "while you were away")
    app = App(hooked, role="a test")
    async with app.running(periodic=True):
        await receiver.after(1)

    assert receiver.taken == ["while you were away"]


async def test_a_receiver_that_refuses_is_given_up_on_and_the_person_is_told(hooked, receiver):
    receiver.statuses = [404] * 5
    app = App(hooked, role="a test")
    async with app.running(periodic=True):
        await begun(app)
        await ask(app, "unwanted")
        await receiver.after(6)

    assert receiver.taken == ["The webhook rejects events"]


async def test_a_receiver_that_never_answers_holds_up_no_call(hooked, receiver):
    receiver.close()
    app = App(hooked, role="a test")
    async with app.running(periodic=True):
        await begun(app)
        await asyncio.wait_for(ask(app, "anybody there?"), PATIENCE)
        found = await app.gateway("queue_list", {}, Caller(transport="test"))

    assert [item["subject"] for item in found["items"]] == ["anybody there?"]


async def begun(app):
    """The receiver is known, so that what comes now is for it."""
    key = Webhook(url=app.settings.webhook_url, secret="", events=()).key
    await app.database.write(webhooks.start, key=key)


def test_the_rules_of_a_delivery():
    hook = Webhook(url="https://user:key@example.org/x", secret="", events=["queue:*", "mail.sent"])
    assert [hook.wants(type) for type in ("queue:created", "mail.sent", "task:updated")] == [True, True, False]
    assert "key" not in repr(hook)
    assert "webhook-signature" not in hook.headers(id="x", at=utc_now(), body=b"")
    assert [is_refused(status) for status in (None, 200, 302, 404, 408, 429, 500)] == [
        False, False, True, True, False, False, False,
    ]  # fmt: skip
    assert [pause_after(failures).total_seconds() for failures in (1, 2, 5, 50)] == [1, 2, 16, 600]
