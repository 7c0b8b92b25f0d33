"""A runner that waits for its check: it takes exactly one, and ends if there is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mission.runtime.checking import check_process
from mission.runtime.checking.check_process import Checks
from mission.runtime.checking.spare_runner import SpareRunner
from mission.services.checks.check_runner import CheckExit
from tests.runtime.checking.conftest import Start, plain, until


@pytest.fixture
def spare() -> Iterator[SpareRunner]:
    spare = SpareRunner()
    yield spare
    spare.close()


def waiting(spare: SpareRunner) -> int | None:
    return spare._waiting.pid if spare._waiting is not None else None


async def test_a_command_runs_under_the_runner_that_waits(checks: Checks, start: Start, home: Path, tree: Path):
    await checks.get_ready()
    expected = waiting(checks._spare)

    evidence_id = await start("pwd; cat; exit 3")
    runner = checks._runners[evidence_id].pid
    end = await checks.wait(evidence_id)

    said = f"{tree}\n"
    assert runner == expected
    assert waiting(checks._spare) is None
    assert plain(end) == CheckExit(exit_code=3, output_bytes=len(said), tail=said)
    assert (home / evidence_id / "runner.log").read_bytes() == b""


async def test_a_runner_that_is_gone_is_replaced(checks: Checks, start: Start):
    await checks.get_ready()
    runner = checks._spare._waiting
    assert runner is not None
    os.kill(runner.pid, 9)
    await until(lambda: Path(f"/proc/{runner.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z")

    end = await checks.wait(await start("echo said"))

    assert plain(end) == CheckExit(exit_code=0, output_bytes=5, tail="said\n")


async def test_it_waits_for_a_limited_time(checks: Checks, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(check_process, "SPARE_SECONDS", 0.01)

    await checks.get_ready()

    await until(lambda: waiting(checks._spare) is None)


def test_there_is_only_one_until_it_has_its_check(spare: SpareRunner, tmp_path: Path):
    spare.start()
    first = waiting(spare)
    spare.start()

    assert waiting(spare) == first
    given = spare.give(tmp_path)
    assert given is not None
    assert given.wait() == 1  # there is no plan in the folder
    assert spare.give(tmp_path) is None


def test_it_ends_when_its_daemon_does(spare: SpareRunner):
    spare.start()
    runner = spare._waiting
    assert runner is not None

    spare.end()

    assert runner.returncode == 1
    spare.close()
    spare.start()
    assert waiting(spare) is None


def test_a_folder_that_was_removed_ends_it(spare: SpareRunner, tmp_path: Path):
    spare.start()

    given = spare.give(tmp_path / "gone")

    assert given is not None
    assert given.wait() == 1
