"""Tasks with checks, as the tests of proof on the command line need them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.transports.cli.program import Program

GREETING = {"name": "greeting", "run": "echo looking; grep hello src/app.py"}
"""It passes in a new repository."""
DONE = {"status": "success", "outcome": {"summary": "Said so."}}


def start(mission: Program, repository: Path, *, checks: list[Any] | None = None, **more: Any) -> tuple[str, str]:
    """Start a task of a mission with these checks; return the ids of both."""
    made = mission.call(
        "workflow_create",
        name="Greet",
        source_type="prompt",
        source_content="Greet people",
        repository_path=str(repository),
        checks=[GREETING] if checks is None else checks,
        **more,
    )["id"]
    goal = {"name": "Say it", "goal": "Say hello", "areas": ["src"]}
    task = mission.call("start_task", mission_id=made, repository_path=str(repository), **goal)
    return made, str(task["task_id"])


def write(repository: Path, text: str) -> None:
    (repository / "src" / "app.py").write_text(f"print('{text}')\n")


def proved(mission: Program, repository: Path, **more: Any) -> tuple[str, str]:
    """A mission with one proved task."""
    made, task = start(mission, repository, **more)
    write(repository, "hello, you")
    mission.call("complete_task", task_id=task, **DONE)
    return made, task


def refused(mission: Program, repository: Path, **more: Any) -> tuple[str, str]:
    """A mission with one task whose check did not let it through."""
    made, task = start(mission, repository, **more)
    write(repository, "goodbye")
    assert mission.refuses("call", "complete_task", as_arguments(task))["code"] == "CHECKS_FAILED"
    return made, task


def as_arguments(task: str) -> str:
    return json.dumps({"task_id": task, **DONE})
