"""The lease on a run: one daemon drives it, and it writes only to renew the lease."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mission.domain.runs.run import HOLDER_LEASE
from mission.domain.runs.steps import LookBefore
from mission.services.runs import driver, holding
from mission.services.runs.lifecycle import preflight
from mission.settings import Settings
from tests.driven_runs import DrivenRun, does, driven
from tests.started_runs import StartedRuns
from tests.started_runs import runs as runs


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


async def hold(runs: StartedRuns, holder: str):
    return await runs.write(lambda tx: holding.hold(tx, run_id=runs.id, holder=holder))


async def to_drive(runs: StartedRuns, holder: str) -> list[str]:
    return await runs.read(lambda tx: holding.to_drive(tx, host_id=runs.context.host_id, holder=holder))


async def test_one_daemon_drives_a_run_until_its_lease_is_over(runs: StartedRuns, clock):
    await runs.start()
    first = await hold(runs, "one")

    assert (first.holder, first.fence) == ("one", 1)
    assert await hold(runs, "two") is None
    assert (await to_drive(runs, "one"), await to_drive(runs, "two")) == ([runs.id], [])
    assert (await hold(runs, "one")).fence == 1

    clock.advance(seconds=HOLDER_LEASE.total_seconds() + 1)
    assert await to_drive(runs, "two") == [runs.id]
    assert (await hold(runs, "two")).fence == 2
    assert await hold(runs, "one") is None


async def test_a_run_that_was_given_up_is_free_at_once(runs: StartedRuns):
    await runs.start()
    await hold(runs, "one")

    await runs.write(lambda tx: holding.release(tx, run_id=runs.id, holder="two"))
    assert await hold(runs, "two") is None
    await runs.write(lambda tx: holding.release(tx, run_id=runs.id, holder="one"))

    assert (await hold(runs, "two")).fence == 2


async def test_a_step_of_an_earlier_driver_changes_nothing(runs: StartedRuns, clock):
    await runs.start()
    earlier = await hold(runs, "one")
    clock.advance(seconds=HOLDER_LEASE.total_seconds() + 1)
    await hold(runs, "two")

    await preflight.look_before(runs.context, earlier, LookBefore())

    assert (await runs.run()).preflight is None
