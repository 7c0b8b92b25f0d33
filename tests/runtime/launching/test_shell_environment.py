"""What a shell hands over for a launch: read once, kept in memory, missed by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.runtime.adapters.launch_adapter import launches
from mission.runtime.launching.client_choice import choose
from mission.runtime.launching.launch_record import LaunchRecord
from mission.runtime.launching.shell_environment import ShellEnvironments
from mission.services.launcher import LaunchRequest
from tests.runtime.conftest import Control


def test_what_came_from_a_shell_is_missed_by_name_when_a_later_daemon_goes_on():
    kept = LaunchRecord(variables=["ANTHROPIC_API_KEY"])
    order = LaunchRequest(task_id="t_1", adapter="claude-code", resumes="x_1")

    kept.check({"ANTHROPIC_API_KEY": "k"}, order)
    with pytest.raises(InvalidState, match="variables ANTHROPIC_API_KEY were lost"):
        kept.check({"PATH": "/bin"}, order)


def test_a_program_named_from_a_shells_folder_is_found_again_without_it(tmp_path: Path):
    program = tmp_path / "agent.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    order = LaunchRequest(task_id="t_1", adapter="command", arguments=["./agent.sh", "--fast"], directory=str(tmp_path))

    kept = LaunchRecord.of(order, choose(launches(), order, os.environ))

    assert kept.arguments == [str(program), "--fast"]


@pytest.mark.parametrize("content", ["[]", '"PATH"', "7", "null", "{"])
def test_a_file_that_holds_no_variables_is_refused(tmp_path: Path, content: str):
    (tmp_path / "given.json").write_text(content)
    order = LaunchRequest(task_id="t_1", adapter="command", handover="given.json")

    with pytest.raises(InvalidInput, match="handover"):
        ShellEnvironments(tmp_path).take(order)


async def test_variables_that_a_dead_shell_left_are_removed_and_fresh_ones_stay(control: Control):
    folder = control.app.settings.home / "handover"
    folder.mkdir()
    for name in ("old.json", "new.json"):
        (folder / name).write_text("{}")
    os.utime(folder / "old.json", (0, 0))
    await control.app.launcher.close()

    await control.app.launcher.open()

    assert [path.name for path in folder.iterdir()] == ["new.json"]


def test_variables_of_a_run_are_for_each_of_its_launches_in_memory_only_until_it_ends(tmp_path: Path):
    (tmp_path / "given.json").write_text('{"ANTHROPIC_API_KEY": "k"}')
    environments = ShellEnvironments(tmp_path)
    orders = [LaunchRequest(task_id=task, adapter="claude-code", run_id="run_1") for task in ("t_1", "t_2")]

    environments.keep_for_run("run_1", "given.json")
    environments.keep_for_run("run_1", "given.json")  # the call was repeated

    assert [environments.take(order) for order in orders] == [{"ANTHROPIC_API_KEY": "k"}] * 2
    assert list(tmp_path.iterdir()) == []
    assert environments.take(LaunchRequest(task_id="t_3", adapter="claude-code", run_id="run_2")) is None
    environments.forget_run("run_1")
    assert environments.take(orders[0]) is None


def test_variables_of_a_run_that_were_never_handed_over_are_refused(tmp_path: Path):
    with pytest.raises(InvalidInput, match="handover"):
        ShellEnvironments(tmp_path).keep_for_run("run_1", "none.json")
