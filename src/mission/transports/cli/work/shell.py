"""`mission shell`: a shell in a task's worktree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from mission.domain.errors import InvalidState
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import report_errors, say
from mission.transports.cli.short_id import TASK_ID

DEFAULT_SHELL = "/bin/sh"


@click.command()
@click.argument("task_id", type=TASK_ID, metavar="TASK")
@report_errors
def shell(task_id: str) -> None:
    """Open a shell in the folder where a task is worked on."""
    sys.exit(open_shell(task_id))


def open_shell(task_id: str) -> int:
    """Run the person's shell in the task's worktree and return its exit code."""
    task = client.call("task_get", {"id": task_id})
    tree = client.call("overview_task", {"task_id": task_id})["tree"]
    if tree is None:
        raise InvalidState(f"task {task_id} has no folder: it was never started", hint="Start it first.")
    if not Path(tree).is_dir():
        raise InvalidState(
            f"the folder of task {task_id} is not on this machine: {tree}",
            hint="It was removed, or it is on another host.",
        )
    say(f"'{task['name']}' in {tree}. 'exit' returns.", err=True)
    if task["state"] == "checking":
        say("Its checks are running. If you change files now, their results are void.", fg="yellow", err=True)
    environment = {**os.environ, "MISSION_TASK_ID": task_id}
    return subprocess.run([os.environ.get("SHELL") or DEFAULT_SHELL], cwd=tree, env=environment, check=False).returncode
