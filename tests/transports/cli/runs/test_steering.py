"""`mission run` from a plan to landing, and the commands that steer it, on a real daemon."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.transports.cli.program import Program

AGENT = f"""#!/bin/sh
task=$(grep -o "t_[0-9a-z]\\{{10\\}}" "$MISSION_PROMPT_FILE" | head -1)
echo "by $task" > "$task.txt"
exec "{sys.executable}" -m mission call complete_task \\
    "{{\\"task_id\\": \\"$task\\", \\"status\\": \\"success\\", \\"outcome\\": {{\\"summary\\": \\"done\\"}}}}"
"""
PLAN = """\
[mission]
name = "Two files"
repository = "."
checks = [{name = "a file is there", run = "ls t_*.txt"}]
review = "none"

[[agents]]
client = "command"
count = 2
command = ["./agent.sh"]

[[tasks]]
name = "first"
description = "Write a file"

[[tasks]]
name = "second"
description = "Write another file"
depends_on = ["first"]
"""


@pytest.fixture
def planned(repository: Path, git: Callable[..., str]) -> Path:
    """A repository with a plan and an agent that does its tasks."""
    (repository / "agent.sh").write_text(AGENT)
    (repository / "agent.sh").chmod(0o755)
    (repository / "plan.toml").write_text(PLAN)
    (repository / "t_seed.txt").write_text("so that the check passes on the base\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Plan")
    return repository


def test_a_plan_is_run_to_its_end_reported_and_landed(mission: Program, planned: Path, git: Callable[..., str]) -> None:
    before = git(planned, "rev-parse", "main")

    done = mission.run("run", "plan.toml", "--wait", folder=planned)

    assert done.code == 0, done.out + done.err
    assert "merged    first" in done.out
    assert "merged    second" in done.out
    listed = mission.does("runs")["runs"][0]
    run = mission.does("runs", listed["run_id"])
    assert (run["state"], run["counts"]["merged"]) == ("finished", 2)
    assert {task["proof_state"] for task in run["tasks"]} == {"proved"}
    assert git(planned, "rev-parse", "main") == before
    assert git(planned, "status", "--porcelain") == ""

    report = mission.run("report", run["mission_id"]).out
    assert "first" in report
    assert "proved" in report.lower()
    landed = mission.run("land", run["mission_id"])

    assert landed.code == 0, landed.err
    assert landed.out.startswith("Landed ")
    assert len(list(planned.glob("t_*.txt"))) == 3
    assert git(planned, "status", "--porcelain") == ""
    assert git(planned, "branch", "--list", "mission/*") == ""


def test_a_run_is_paused_resumed_and_stopped(mission: Program, planned: Path) -> None:
    (planned / "agent.sh").write_text("#!/bin/sh\nexec sleep 600\n")
    subprocess.run(["git", "-C", planned, "commit", "--quiet", "--all", "--message", "Slow"], check=True)
    started = mission.does("run", "plan.toml", folder=planned)

    paused = mission.run("pause", started["run_id"])
    shown = mission.run("runs", started["mission_id"])
    resumed = mission.run("resume", started["mission_id"])
    stopped = mission.run("stop", started["run_id"])

    assert paused.out == f"The run of 'Two files' is paused ({started['run_id']}).\n"
    assert "Two files" in shown.out
    assert resumed.code == 0, resumed.err
    assert stopped.out == f"The run of 'Two files' is stopped ({started['run_id']}).\n"
    assert [row["ended_at"] is None for row in mission.does("executions")["executions"]].count(True) == 0
