"""A git command is killed inside a call: the call is repeated by itself, or its caller is told to repeat it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mission.domain.errors import TransientError
from mission.gateway.retry import Retry
from mission.git.errors import GitKilled
from tests.checked_tasks import checked as checked

MISSION = {"name": "m", "objective": "o"}


class MortalGit:
    """A git that kills itself as often as it is told to."""

    def __init__(self, folder: Path) -> None:
        self._lives = folder / "lives"
        real = shutil.which("git")
        program = folder / "git"
        program.write_text(f"""#!/bin/sh
if [ -s {self._lives} ]; then
    sed -i 1d {self._lives}
    kill -9 $$
fi
exec {real} "$@"
""")
        program.chmod(0o700)

    def die(self, times: int = 1) -> None:
        """Let the next commands be killed."""
        self._lives.write_text("x\n" * times)

    @property
    def is_mortal(self) -> bool:
        """Return whether the next command will be killed."""
        return bool(self._lives.read_text())


@pytest.fixture
def mortal_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MortalGit:
    folder = tmp_path / "mortal"
    folder.mkdir()
    made = MortalGit(folder)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return made


async def test_a_call_that_had_changed_nothing_is_repeated_by_itself(call, repository, mortal_git):
    call.app.gateway._retry = Retry(pause=0)
    mission = (await call("start_mission", {**MISSION, "repository_path": str(repository)}))["mission_id"]
    mortal_git.die()

    wanted = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(repository)}
    assert (await call("start_task", wanted))["task_id"]
    assert not mortal_git.is_mortal
    assert (await call("queue_list"))["items"] == []


async def test_a_report_is_proved_although_git_is_killed_while_its_tree_is_read(checked, mortal_git):
    checked.call.app.gateway._retry = Retry(pause=0)
    await checked.check("test -f src/new.py")
    task = await checked.started()
    mortal_git.die()

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"
    assert not mortal_git.is_mortal


async def test_a_call_whose_git_is_always_killed_says_so_and_how_to_go_on(call, repository, mortal_git):
    call.app.gateway._retry = Retry(pause=0)
    mission = (await call("start_mission", {**MISSION, "repository_path": str(repository)}))["mission_id"]
    mortal_git.die(times=100)

    wanted = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(repository)}
    with pytest.raises(TransientError) as refused:
        await call("start_task", wanted)

    assert (refused.value.code, refused.value.http_status) == ("TRANSIENT_ERROR", 503)
    assert "was killed before it had finished" in refused.value.message
    assert refused.value.hint == "Try the same call again."
    mortal_git.die(times=0)
    assert (await call("start_task", wanted))["task_id"]


async def test_a_call_that_had_changed_something_is_left_to_its_caller(call, monkeypatch):
    tries = []

    async def write_then_die(running, arguments):
        tries.append(await running.write(lambda tx: tx.now))
        raise GitKilled(command="status")

    registry = call.app.gateway.registry
    tool = replace(registry.get("start_mission"), handler=write_then_die)
    monkeypatch.setitem(registry._tools, "start_mission", tool)

    with pytest.raises(TransientError, match="'git status' was killed") as refused:
        await call("start_mission", MISSION)

    assert len(tries) == 1
    assert refused.value.hint == "Try the same call again."
