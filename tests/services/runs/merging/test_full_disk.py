"""A full disk at any step of merging: nothing is merged, nothing is lost, and the run goes on once there is space."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mission.domain.errors import MissionError
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CheckFinal, Finish, Move
from mission.services.runs.lifecycle.lifecycle_steps import LIFECYCLE_STEPS
from tests import fault_cases
from tests.merged_runs import MergedRun, start_run

DISK_BYTES = 2 * 1024 * 1024
STAGES = [CandidateState.REPORTED, CandidateState.QUEUED, CandidateState.BUILT, CandidateState.CHECKED]


@pytest.fixture
def small_repository(repository: Path, tmp_path: Path) -> Iterator[Path]:
    """The repository on a file system of its own that is soon full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(disk)]
    if subprocess.run(["mount", *options], capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a file system")
    try:
        copied = disk / "repository"
        subprocess.run(["cp", "-a", str(repository), str(copied)], check=True)
        yield copied
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(repository: Path) -> Path:
    ballast = repository.parent / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        for size in (65_536, 4_096, 512, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))
    return ballast


async def until(run: MergedRun, task: str, state: CandidateState) -> None:
    while (await run.candidates(task))[-1].state is not state:
        await run.look()
        await run.settle_rounds()


@pytest.mark.faults
@pytest.mark.parametrize("stage", fault_cases.sample(STAGES, size=2))
async def test_a_candidate_waits_for_space_and_is_merged_once(call, small_repository, stage):
    run = await start_run(call, small_repository)
    await run.check("test -f README.md")
    task = await run.task("add", {"a.txt": "a\n"})
    before = await run.tip()
    if stage is CandidateState.REPORTED:
        ballast = fill(small_repository)
        await run.submit(task)
    else:
        await run.submit(task)
        await until(run, task, stage)
        ballast = fill(small_repository)

    for _ in range(3):
        with suppress(MissionError, OSError):
            await run.look()
            await run.settle_rounds()
    assert await run.tip() in (before, (await run.candidates(task))[-1].merge_commit)
    ballast.unlink()
    await run.settle()

    assert await run.states(task) == ["merged"]
    assert await run.merges() == ["Merge 'add'"]
    assert await run.shown("a.txt") == "a\n"
    assert run.git("fsck", "--no-dangling", "--no-progress") == ""


async def test_a_landing_on_a_full_disk_changes_nothing_and_lands_once_there_is_space(call, small_repository):
    run = await start_run(call, small_repository)
    await run.check("true")
    await run.report(await run.task("add", {"a.txt": "a\n" * 200_000, "b.txt": "b\n"}))
    context = call.app.run_context
    for step in (Move(state=RunState.FINISHING), CheckFinal(), Finish()):
        await LIFECYCLE_STEPS[type(step)](context, await run.run(), step)
    before = run.git("rev-parse", "main"), run.git("status", "--porcelain")
    ballast = fill(small_repository)

    with pytest.raises((MissionError, OSError)):
        await call("run_land", {"run_id": run.id})

    assert run.git("rev-parse", "main") == before[0]
    ballast.unlink()
    await call("run_land", {"run_id": run.id})
    assert (small_repository / "a.txt").stat().st_size == 400_000
    assert run.git("status", "--porcelain") == before[1]
