"""The lease on a run: one daemon drives it, and it writes only to renew the lease."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mission.services.runs import driver, holding
from mission.settings import Settings
from tests.driven_runs import DrivenRun, does, driven


@pytest.fixture
async def run(settings: Settings, repository: Path) -> AsyncIterator[DrivenRun]:
    async with driven(settings, repository) as made:
        yield made


async def test_a_look_after_an_event_writes_nothing(run: DrivenRun, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(driver, "RENEW_SECONDS", 3600.0)
    held, looks = [], []
    hold, read_view = holding.hold, driver.read_view
    monkeypatch.setattr(holding, "hold", lambda tx, **given: held.append(1) or hold(tx, **given))
    monkeypatch.setattr(driver, "read_view", lambda tx, **given: looks.append(1) or read_view(tx, **given))
    await run.start(does("one", "ask-once Which way?", "answer way.txt"))
    question = await run.question("Which way?")
    before = len(looks)

    await run.call("start_mission", {"name": "another", "objective": "o"})
    async with asyncio.timeout(60):
        while len(looks) == before:  # noqa: ASYNC110 - a look tells nobody
            await asyncio.sleep(0.01)

    assert len(held) == 1
    await run.answer(question, "Left")
    await run.finished()
    assert len(held) == 1
