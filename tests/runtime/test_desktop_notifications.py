"""Desktop notifications: shown by the system's own program, and never anybody's trouble."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from mission.app import App
from mission.domain.events import QueueItemCreated, RunFinished
from mission.domain.runs.run import RunState
from mission.runtime import desktop_notifications
from mission.services.inbox import items as inbox
from mission.store.logs.events import StoredEvent
from tests.domain.runs.run_views import a_run
from tests.store.rows import NOW

PATIENCE = 60


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The only program to be found is a stand-in for the system's; each line of the file is one notification."""
    shown = tmp_path / "shown"
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n/usr/bin/env printf '%s|' \"$@\" | tr '\\n' ' ' >> {shown}\necho >> {shown}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    shown.touch()
    return shown


async def test_what_comes_into_the_queue_is_shown_on_the_desktop(sqlite_settings, desk):
    app = App(replace(sqlite_settings, desktop_notifications="on"), role="a test")
    async with app.running(periodic=False):
        following = asyncio.create_task(desktop_notifications.follow(app.database, app.events))
        await asyncio.sleep(0)
        item = await app.database.write(inbox.open_item, kind="question", subject="$(rm -rf /) --help?")
        await asyncio.wait_for(_lines(desk, 1), PATIENCE)
        following.cancel()

    words = f"Mission Control: question|$(rm -rf /) --help? mission inbox {item.id}|"
    assert desk.read_text() == f"--app-name=Mission Control|--|{words}\n"


async def test_the_end_of_a_run_is_announced(sqlite_settings, desk):
    app = App(replace(sqlite_settings, desktop_notifications="on"), role="a test")
    run = a_run(state=RunState.FINISHED, reason="2 of 2 tasks are merged on mission/x.")
    async with app.running(periodic=False):
        following = asyncio.create_task(desktop_notifications.follow(app.database, app.events))
        await asyncio.sleep(0)
        await app.database.write(lambda tx: tx.emit(RunFinished(run=run)))
        await asyncio.wait_for(_lines(desk, 1), PATIENCE)
        following.cancel()

    title, words = "Mission Control: a run has finished", "2 of 2 tasks are merged on mission/x."
    assert desk.read_text() == f"--app-name=Mission Control|--|{title}|{words} mission report {run.mission_id}|\n"


async def test_many_at_once_are_one_notification_and_a_missing_program_is_no_trouble(monkeypatch, tmp_path):
    items = [_item(number) for number in range(6)]
    assert desktop_notifications.notices(None, events=items) == [
        ("Mission Control", "6 new inbox items: mission inbox")
    ]
    assert len(desktop_notifications.notices(None, events=items[:5])) == 5

    monkeypatch.setenv("PATH", str(tmp_path))
    await desktop_notifications.show("t", "w")
    monkeypatch.setattr(desktop_notifications, "command", lambda *_: ["/does/not/exist"])
    await desktop_notifications.show("t", "w")


def _item(number):
    data = {"id": f"q_{number}", "kind": "mail", "subject": "s"}
    return StoredEvent(seq=number, type=QueueItemCreated.topic, at=NOW, mission_id=None, agent_ids=(), data=data)


async def _lines(path, count):
    while path.read_text().count("\n") < count:  # noqa: ASYNC110 - another program writes it
        await asyncio.sleep(0.02)
