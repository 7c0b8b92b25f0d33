"""Commands whose input or output is closed, full or broken, and commands that are interrupted: no traceback, ever."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.transports.cli.program import PATIENCE, PROGRAM, Program
from tests.transports.cli.terminal_program import on_terminal

FULL = Path("/dev/full")


def in_shell(mission: Program, line: str, *, folder: str = "/") -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `mission` is this program."""
    words = f'mission() {{ "{PROGRAM[0]}" -m mission "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", words], env=mission.environment, cwd=folder, capture_output=True, text=True, timeout=PATIENCE
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_reason_for_a_traceback(mission: Program, closed: str) -> None:
    commands = ["missions", "status", "delete m_0000000000", "review t_0000000000", "top", "down --force"]
    mission.does("up", "--detach")

    done = in_shell(mission, "; ".join(f"mission {command} {closed}; echo {command} $?" for command in commands))
    mission.does("up", "--detach")

    assert "Traceback" not in done.stdout + done.stderr
    codes = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines() if line.rsplit(" ", 1)[0] in commands)
    assert codes == {
        "missions": "0",
        "status": "0",
        "delete m_0000000000": "2",
        "review t_0000000000": "1",
        "top": "1",
        "down --force": "0",
    }


@pytest.mark.parametrize("command", ["missions", "tools", "--help", "audit --all"])
def test_a_reader_that_leaves_early_is_not_an_error(mission: Program, command: str) -> None:
    mission.call("start_mission", name="m", objective="o")

    done = in_shell(mission, f"mission {command} | head -1")

    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("command", ["missions", "tools --json"])
def test_a_full_disk_is_named(mission: Program, command: str) -> None:
    done = in_shell(mission, f"mission {command} > {FULL}")

    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    assert "The disk is full." in done.stderr


def test_a_folder_that_was_deleted_is_no_reason_for_a_traceback(mission: Program, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()

    done = in_shell(mission, f"cd {gone}; rmdir {gone}; mission missions; mission tasks")

    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["inbox --watch", "audit --follow", "logs --follow"])
def test_ctrl_c_leaves_what_follows_without_a_trace(mission: Program, command: str) -> None:
    mission.does("up", "--detach")
    made = mission.call("start_mission", name="m", objective="o")["mission_id"]
    task = mission.call("start_task", mission_id=made, name="The task", goal="g")["task_id"]
    issue = {"type": "other", "description": "Which way?", "resolution": "r", "requires_human_review": True}
    mission.call("log_issue", task_id=task, **issue)
    with on_terminal(mission, *command.split()) as followed:
        followed.prints({"inbox --watch": "Which way?", "audit --follow": "log_issue"}.get(command, "\n"))
        followed.press("\x03")

        assert followed.ends() == 130
        assert "Traceback" not in followed.output
