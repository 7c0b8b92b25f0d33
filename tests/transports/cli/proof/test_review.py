"""`mission review`, `accept` and `shell`: a person judges a reported task."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.transports.cli.program import PATIENCE, PROGRAM, Program
from tests.transports.cli.proof.proof_samples import proved, refused, start, write


@pytest.fixture
def reviewed(mission: Program, repository: Path) -> str:
    """A task that passed its checks and waits for a person."""
    (repository / "notes.txt").write_text("old\n")
    _, task = start(mission, repository, review="person")
    (repository / "notes.txt").write_text("new\n")
    write(repository, "hello, you")
    mission.call("complete_task", task_id=task, status="success", outcome={"summary": "Said so."})
    return task


def state(mission: Program, task: str) -> str:
    return str(mission.call("task_get", id=task)["state"])


def test_tasks_that_wait_for_a_review_are_listed(mission: Program, reviewed: str) -> None:
    shown = mission.run("review").out

    assert shown.splitlines()[0].split() == ["TASK", "NAME", "MISSION", "WHY", "SINCE"]
    assert reviewed in shown
    assert "Files outside the task's" in shown
    assert reviewed in [item["task_id"] for item in mission.does("review")["items"]]


def test_a_review_shows_goal_evidence_files_and_lines(mission: Program, reviewed: str) -> None:
    shown = mission.run("review", reviewed)
    found = mission.does("review", reviewed)

    assert shown.code == 0
    assert "Goal:     Say hello\n" in shown.out
    assert "Review:\n  Said so.\n  A person reviews every result.\n" in shown.out
    assert re.search(r"greeting: passed in \d+\.\d s \(ev_", shown.out)
    assert "  M notes.txt (outside its areas)\n  M src/app.py\n" in shown.out
    assert "\n-print('hello')\n+print('hello, you')\n" in shown.out
    assert f"Decide with 'mission review {reviewed}' and --approve" in shown.out
    assert found["unexpected_files"] == ["notes.txt"]
    assert "+print" not in mission.run("review", reviewed, "--no-diff").out


def test_an_approved_task_is_completed_and_proved(mission: Program, reviewed: str) -> None:
    shown = mission.run("review", reviewed, "--approve")

    assert shown.out == "Approved: 'Say it' is now: Proved.\n"
    assert state(mission, reviewed) == "proved"
    assert mission.refuses("review", reviewed, "--approve")["code"] == "INVALID_STATE"


def test_a_task_is_sent_back_with_what_is_missing(mission: Program, reviewed: str) -> None:
    shown = mission.run("review", reviewed, "--send-back", "Say goodbye too")

    assert shown.out == "Sent back: 'Say it' is now: Ready.\n"
    assert "Say goodbye too" in mission.run("show", mission.call("task_get", id=reviewed)["workflow_id"]).out


def test_a_task_is_skipped(mission: Program, reviewed: str) -> None:
    assert mission.run("review", reviewed, "--skip").out == "Skipped: 'Say it' is now: Skipped.\n"


def test_only_one_verdict_counts_and_it_needs_a_task(mission: Program, reviewed: str) -> None:
    assert mission.run("review", reviewed, "--approve", "--skip").code == 2
    assert mission.run("review", "--approve").code == 2


def test_a_person_decides_on_a_terminal(mission: Program, reviewed: str) -> None:
    theirs, ours = pty.openpty()
    os.write(theirs, b"b\nNot loud enough\n")
    done = subprocess.run(
        [*PROGRAM, "review", reviewed, "--no-diff"],
        env=mission.environment,
        cwd="/",
        stdin=ours,
        stdout=ours,
        stderr=ours,
        timeout=PATIENCE,
        check=False,
    )
    os.close(ours)
    shown = os.read(theirs, 100_000).decode()
    os.close(theirs)

    assert done.returncode == 0
    assert "(a)pprove" in shown
    assert "Sent back: 'Say it' is now: Ready." in shown


def test_a_task_whose_checks_fail_is_accepted_with_a_reason(mission: Program, repository: Path) -> None:
    made, task = refused(mission, repository)
    before = mission.run("tasks", made, "--status", "failing").out

    accepted = mission.run("accept", task, "--reason", "It is a farewell.")

    assert f"{task}  1      Say it  Working · checks fail" in before
    assert accepted.out == "Accepted: 'Say it' is now: Accepted.\n"
    shown = mission.run("show", task).out
    assert re.search(r"Evidence: accepted\n  greeting: failed in \d+\.\d s \(ev_", shown)
    assert "  It is a farewell.\n" in shown
    assert "Evidence:  1 accepted\n" in mission.run("show", made).out
    assert mission.run("accept", task).code == 2


def test_a_mission_and_its_tasks_show_what_is_proved(mission: Program, repository: Path) -> None:
    made, task = proved(mission, repository)

    assert "Evidence:  1 proved\n" in mission.run("show", made).out
    assert "· Proved ·" in mission.run("show", task).out
    assert "Evidence: proved\n  greeting: passed in 0.0 s (ev_" in mission.run("show", task).out
    assert task in mission.run("tasks", made, "--status", "claimed").out
    assert "1 proved" in next(line for line in mission.run("missions").out.splitlines() if made in line)


def test_a_task_that_has_not_run_its_checks_names_them(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository)

    assert "Checks\n  greeting: not run yet\n" in mission.run("show", task).out


def test_a_shell_opens_in_the_folder_of_a_task(mission: Program, repository: Path) -> None:
    _, task = start(mission, repository)

    opened = mission.run("shell", task, stdin="pwd; echo $MISSION_TASK_ID; exit 3\n")

    assert (opened.code, opened.out) == (3, f"{repository}\n{task}\n")
    assert f"'Say it' in {repository}" in opened.err


def test_a_shell_needs_a_folder(mission: Program, repository: Path, tmp_path: Path) -> None:
    _, task = start(mission, repository)
    repository.rename(tmp_path / "gone")

    assert mission.run("shell", task).err.startswith("INVALID_STATE: the folder of task")
