"""A program that plays the agents of the demo: it works, reports too early, asks, crashes, and corrects itself.

Run as `python -m mission.demo.scripted_agent SECONDS`. Which task it has and what happened before it finds in its
prompt and its worktree, as a model does; only the decisions of a model are built in.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mission.demo.sample_project import CHOICES, COMMANDS, TASKS, SampleTask, git, write_file

HALF = 0.5
PATIENCE = 15.0
"""How many seconds an agent waits for another one to begin, so that the two conflict."""
MAX_REPORTS = 4
CONFLICT = re.compile(r"<{7,} [^\n]*\n(.*?)(?:\|{7,}[^\n]*\n.*?)?={7,}\n(.*?)>{7,} [^\n]*\n", re.DOTALL)
"""Both sides of a conflict between its markers."""


class ScriptedAgent:
    """One agent on one task, in the worktree that the run gave it."""

    def __init__(self, *, prompt: str, folder: Path, seconds: float) -> None:
        self._prompt = prompt
        self._folder = folder
        self._seconds = seconds
        self._task = next(task for task in TASKS if task.name in prompt.partition("\n")[0])
        self._is_taken_over = any((folder / name).exists() for name in self._task.files)

    def work(self) -> None:
        """Do the task as its script says."""
        task = self._task
        if task.question is not None and "operator answered" not in self._prompt:
            self._ask(task.question)
            return
        send_signal("progress", summary=f"Reading the project for '{task.name}'")
        self._pause()
        if task.crashes and not self._is_taken_over:
            self._crash()
        elif task.draft and not self._is_taken_over:
            self._write(task.draft)
        else:
            self._write(task.files)
        if task.command is not None:
            self._add_command(task)
        self._pause()
        self._report()

    def _ask(self, question: str) -> None:
        """Ask the person and end the turn: the answer comes with the next launch."""
        send_signal("progress", summary="Reading how balances are reported")
        self._pause()
        fixed = [{"kind": "fixed", "label": label, "value": label} for label in CHOICES]
        choices = [*fixed, {"kind": "manual", "label": "Something else"}]
        send_signal("needs_input", question=question, choices=choices)

    def _crash(self) -> None:
        """Die in the middle of the work, without a report."""
        for name, text in self._task.files.items():
            write_file(self._folder / name, text[: int(len(text) * HALF)])
        call_tool("checkpoint_add", task_id=self._task_id, type="progress", summary="Half of bank.py is written")
        self._pause()
        os.kill(os.getpid(), signal.SIGKILL)

    def _add_command(self, task: SampleTask) -> None:
        """Add a line where another task adds one, once both have begun from the same commit."""
        path = self._folder / COMMANDS
        text = path.read_text()
        if task.command is None or task.command in text:
            return
        deadline = time.monotonic() + PATIENCE
        while len(self._task_branches()) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        path.write_text(text.removesuffix("}\n") + task.command + "}\n")

    def _task_branches(self) -> list[str]:
        """Return the branches of tasks that have begun."""
        own = git(self._folder, "symbolic-ref", "--short", "HEAD").rpartition(".")[0]
        return git(self._folder, "for-each-ref", "--format=%(refname)", f"refs/heads/{own}.*").splitlines()

    def _report(self) -> None:
        """Report the result, and correct what is refused."""
        outcome = {"summary": f"{self._task.name}: done.", "achievements": sorted(self._task.files)}
        for _ in range(MAX_REPORTS):
            refused = call_tool("complete_task", task_id=self._task_id, status="success", outcome=outcome)
            if refused is None:
                return
            self._pause()
            if refused["code"] == "CHECKS_FAILED":
                self._write(self._task.files)
            elif refused["code"] == "CONFLICT":
                self._resolve()
            else:
                raise SystemExit(f"{refused['code']}: {refused['message']}")
            self._pause()

    def _resolve(self) -> None:
        """Keep both sides of each conflict."""
        path = self._folder / COMMANDS
        path.write_text(CONFLICT.sub(lambda found: found[2] + found[1], path.read_text()))

    def _write(self, files: Any) -> None:
        for name, text in files.items():
            write_file(self._folder / name, text)

    def _pause(self) -> None:
        time.sleep(self._seconds)

    @property
    def _task_id(self) -> str:
        found = re.search(r"\bt_[0-9a-z]{10}\b", self._prompt)
        assert found is not None
        return found[0]


def send_signal(kind: str, **payload: Any) -> None:
    """Print one signal as a marker line."""
    marker = {
        "version": 1,
        "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"],
        "eventId": f"{kind}-{time.time_ns()}",
        "signal": {"type": kind, **payload},
    }
    print(f"@task::{json.dumps(marker)}", flush=True)  # noqa: T201


def call_tool(tool: str, **arguments: Any) -> dict[str, Any] | None:
    """Call a tool with the token from the launch; return the error object if it is refused."""
    command = [sys.executable, "-m", "mission", "call", tool, json.dumps(arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stderr)["error"] if done.returncode else None


if __name__ == "__main__":
    ScriptedAgent(
        prompt=Path(os.environ["MISSION_PROMPT_FILE"]).read_text(), folder=Path.cwd(), seconds=float(sys.argv[1])
    ).work()
