"""Checks whose daemon, runner or folder is gone: the next daemon finds their end, or ends what is left."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mission.domain.ids import new_id
from mission.runtime.checking.check_process import Checks
from mission.services.checks.check_runner import CheckExit
from tests.runtime.checking.conftest import PATIENCE, Start, has_printed, hide, marked, plain, until


async def state_of(home: Path, evidence_id: str) -> dict[str, int]:
    path = home / evidence_id / "state.json"
    await until(path.exists)
    return json.loads(path.read_bytes())


async def test_the_next_daemon_gets_the_end_of_a_check_that_still_runs(
    checks: Checks, start: Start, home: Path, tree: Path
):
    evidence_id = await start("echo before; until [ -e continue ]; do sleep 0.01; done; echo after; exit 7")
    await state_of(home, evidence_id)
    await checks.leave()

    waiting = asyncio.create_task(Checks(home, mask=hide).wait(evidence_id))
    (tree / "continue").touch()
    async with asyncio.timeout(PATIENCE):
        end = await waiting

    assert plain(end) == CheckExit(exit_code=7, output_bytes=13, tail="before\nafter\n")


async def test_a_daemon_that_leaves_ends_no_check(checks: Checks, start: Start, home: Path):
    waiting = asyncio.create_task(checks.wait(evidence_id := await start("sleep 600")))
    state = await state_of(home, evidence_id)

    await checks.leave()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    os.kill(state["runner"], 0)
    await checks.forget(evidence_id)


async def test_the_next_daemon_gets_the_end_of_a_check_that_ended_without_one(checks: Checks, start: Start, home: Path):
    evidence_id = await start("echo said; exit 7")
    await until((home / evidence_id / "exit.json").exists)

    end = await Checks(home, mask=hide).wait(evidence_id)

    assert plain(end) == CheckExit(exit_code=7, output_bytes=5, tail="said\n")
    assert await Checks(home, mask=hide).wait(evidence_id) == end


async def test_the_next_daemon_can_stop_a_check(checks: Checks, start: Start, home: Path, tree: Path):
    evidence_id = await start("touch ready; sleep 600")
    await until((tree / "ready").exists)

    async with asyncio.timeout(PATIENCE):
        end = await Checks(home, mask=hide).stop(evidence_id)

    assert plain(end) == CheckExit(stopped=True)


async def test_a_check_survives_kill_9_of_the_daemon_that_started_it(home: Path, tree: Path):
    evidence_id = new_id("evidence")
    code = f"""
import asyncio, os, signal
from pathlib import Path
from mission.runtime.checking.check_process import Checks
from mission.services.checks.check_runner import CheckStart
command = "until [ -e continue ]; do sleep 0.01; done; echo survived"
start = CheckStart(evidence_id={evidence_id!r}, command=command, directory=Path({str(tree)!r}),
                   environment=dict(os.environ), seconds=60)
async def main():
    await Checks(Path({str(home)!r}), mask=str).start(start)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await daemon.wait() == -signal.SIGKILL

    waiting = asyncio.create_task(Checks(home, mask=hide).wait(evidence_id))
    (tree / "continue").touch()
    async with asyncio.timeout(PATIENCE):
        end = await waiting

    assert plain(end) == CheckExit(exit_code=0, output_bytes=9, tail="survived\n")


@pytest.mark.parametrize("is_next_daemon", [False, True])
async def test_after_kill_9_of_its_runner_a_check_is_lost_and_nothing_of_it_runs(
    checks: Checks, start: Start, home: Path, tree: Path, is_next_daemon: bool
):
    evidence_id = await start("echo said; (sleep 600 &) ; sleep 600 & touch ready; wait")
    await until((tree / "ready").exists)
    state = await state_of(home, evidence_id)
    await until(lambda: has_printed(home / evidence_id))

    os.kill(state["runner"], signal.SIGKILL)
    async with asyncio.timeout(PATIENCE):
        end = await (Checks(home, mask=hide) if is_next_daemon else checks).wait(evidence_id)

    assert plain(replace(end, left_over=0)) == CheckExit(lost=True, output_bytes=5, tail="said\n")
    assert end.left_over >= 1
    assert not end.passed
    assert marked(evidence_id) == set()
    assert checks.ended() == [evidence_id], "its files are deleted some day, like those of others"


async def test_a_runner_that_is_killed_before_it_took_its_plan_leaves_none(
    checks: Checks, start: Start, home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "executable", "/bin/true")
    evidence_id = await start("echo never")

    async with asyncio.timeout(PATIENCE):
        end = await checks.wait(evidence_id)

    assert plain(end) == CheckExit(lost=True)
    assert not (home / evidence_id / "plan.json").exists()
    assert checks.ended() == [evidence_id]


async def test_a_runner_that_the_system_ends_loses_its_check(checks: Checks, start: Start, home: Path):
    evidence_id = await start("sleep 600")
    state = await state_of(home, evidence_id)

    os.kill(state["runner"], signal.SIGTERM)
    async with asyncio.timeout(PATIENCE):
        end = await checks.wait(evidence_id)

    assert plain(end) == CheckExit(lost=True)
    assert marked(evidence_id) == set()


async def test_a_check_whose_shell_is_killed_ends_with_that_signal(checks: Checks, start: Start, home: Path):
    evidence_id = await start("sleep 600; true")
    state = await state_of(home, evidence_id)

    os.kill(state["program"], signal.SIGKILL)
    async with asyncio.timeout(PATIENCE):
        end = await checks.wait(evidence_id)

    assert (end.signal, end.exit_code, end.lost) == ("SIGKILL", None, False)
    assert marked(evidence_id) == set()


async def test_a_check_whose_folder_is_removed_is_lost_and_ended(checks: Checks, start: Start, home: Path, tree: Path):
    evidence_id = await start("touch ready; sleep 600")
    await until((tree / "ready").exists)

    shutil.rmtree(home / evidence_id)
    async with asyncio.timeout(PATIENCE):
        end = await checks.wait(evidence_id)

    assert plain(end) == CheckExit(lost=True)
    assert marked(evidence_id) == set()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\0" * 100, b"\xff"])
async def test_a_damaged_record_of_the_end_makes_a_check_lost(checks: Checks, start: Start, home: Path, content: bytes):
    await checks.wait(evidence_id := await start("true"))
    (home / evidence_id / "exit.json").write_bytes(content)

    end = await Checks(home, mask=hide).wait(evidence_id)

    assert (end.lost, end.passed) == (True, False)


async def test_a_check_that_was_never_started_is_lost(checks: Checks):
    assert await checks.wait(new_id("evidence")) == CheckExit(lost=True)


async def test_a_plan_that_no_runner_takes_is_given_up(checks: Checks, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mission.runtime.checking.check_process.START_SECONDS", 0.1)
    evidence_id = new_id("evidence")
    (home / evidence_id).mkdir(parents=True)
    (home / evidence_id / "plan.json").write_text("{}")

    assert (await checks.wait(evidence_id)).lost
    assert not (home / evidence_id / "plan.json").exists()
