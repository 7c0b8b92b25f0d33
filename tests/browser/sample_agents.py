"""Agents that really run, to look at tasks, executions and worktrees with: one asks, one works, one has failed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mission.store.transaction import Tx
from tests.transports.live_server import Live

PLAN = [
    ("Write the exporter", "Export invoices as CSV, one line each, in src/export.py.", []),
    ("Stream large exports", "Exports of more than 10,000 invoices are streamed.", []),
    ("Document the export", "A page in docs/ with an example.", ["Write the exporter"]),
]
AGENT = r"""
import json, os, sys, time
from pathlib import Path

def mark(kind, **payload):
    envelope = {"version": 1, "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"],
                "eventId": f"{kind}-{time.time_ns()}", "signal": {"type": kind, **payload}}
    say("@task::" + json.dumps(envelope))

def say(text):
    print(text, flush=True)

part = sys.argv[1]
say("\x1b[34m●\x1b[0m Read README.md")
if part == "fails":
    mark("progress", summary="Looking for the fixtures")
    say("\x1b[31mConnectionRefusedError\x1b[0m: redis:6379")
    mark("failed_claim", reason="The fixtures need a Redis that is not there")
    sys.exit(1)
Path("src").mkdir(exist_ok=True)
Path("src/export.py").write_text("import csv\n\n\ndef export(rows, out):\n    csv.writer(out).writerows(rows)\n")
say("\x1b[34m●\x1b[0m Edit src/export.py")
mark("progress", summary="Wrote the handler")
Path("notes.txt").write_text("remember the header\n")
say("\x1b[32m12 passed\x1b[0m in 0.41s")
if part == "asks":
    mark("needs_input", question="Should the export have a header line?", choices=[
        {"kind": "fixed", "label": "Yes", "value": "Yes, with a header line"},
        {"kind": "fixed", "label": "No", "value": "No header line"},
        {"kind": "manual", "label": "Something else"}])
sys.stdin.read() if part == "asks" else time.sleep(3600)
"""


class SampleAgents:
    """A mission with worktrees, whose agents are launched on a real server."""

    def __init__(self, live: Live, folder: Path) -> None:
        self.live = live
        self.repository = _repository(folder / "shop")
        self._program = folder / "agent.py"
        self._program.write_text(AGENT)
        self.mission = self._plan()
        tasks = live.call("workflow_get", {"id": self.mission, "include_tasks": True})["tasks"]
        self.tasks = {task["name"]: str(task["id"]) for task in tasks}
        live.run(live.app.database.write(_set_areas, ids=list(self.tasks.values()), areas=["src"]))
        self.executions: list[str] = []

    def launch(self, task: str, part: str, *, name: str, interactive: bool = True) -> str:
        """Launch an agent that plays a part on a task; its execution."""
        wish = {
            "task_id": self.tasks[task],
            "adapter": "command",
            "delivery": "stdout-marker",
            "interactive": interactive,
            "agent_name": name,
            "arguments": [sys.executable, "-u", str(self._program), part],
        }
        made = str(self.live.call("execution_launch", wish)["id"])
        self.executions.append(made)
        return made

    def until(self, execution: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The execution as soon as it is so."""
        while True:
            seen = self.live.app.events.last
            found: dict[str, Any] = self.live.call("execution_get", {"id": execution})
            if condition(found):
                return found
            self.live.run(self.live.app.events.wait(seen, seconds=1))

    def spend(self, execution: str, **usage: float) -> None:
        """Record what the client of an execution used."""
        self.live.run(self.live.app.database.write(_record_usage, execution_id=execution, usage=usage))

    def stop(self) -> None:
        for execution in self.executions:
            if self.live.call("execution_get", {"id": execution})["ended_at"] is None:
                self.live.call("execution_stop", {"id": execution})
                self.until(execution, lambda found: found["ended_at"] is not None)

    def _plan(self) -> str:
        wish = {
            "name": "Export invoices",
            "source_type": "prompt",
            "source_content": "Customers can download their invoices.",
            "repository_path": str(self.repository),
            "auto_create_workspaces": True,
            "max_parallel_tasks": 4,
            "checks": [{"name": "tests", "run": "test -e src/export.py"}],
        }
        mission = str(self.live.call("workflow_create", wish)["id"])
        tasks = [
            {"name": name, "description": words, "sequence": 1, "depends_on": needs} for name, words, needs in PLAN
        ]
        plan = {"summary": "s", "approach": "One exporter", "tasks": tasks}
        self.live.call("workflow_set_plan", {"id": mission, "plan": plan})
        return mission


def plant_agents(live: Live, folder: Path) -> tuple[SampleAgents, dict[str, str]]:
    """Launch one agent that has failed, one that asks and one that works; also the ids that pictures need."""
    agents = SampleAgents(live, folder)
    failed = agents.launch("Write the exporter", "fails", name="exporter-1")
    agents.until(failed, lambda found: found["ended_at"] is not None)
    agents.spend(failed, input_tokens=41_000, output_tokens=2_000, cost_usd=0.42)
    asking = agents.launch("Write the exporter", "asks", name="exporter-2")
    agents.until(asking, lambda found: found["status"] == "waiting")
    agents.spend(asking, input_tokens=612_000, output_tokens=43_000, cost_usd=3.12)
    working = agents.launch("Stream large exports", "works", name="exporter-3", interactive=False)
    agents.until(working, lambda found: found["progress"] is not None)
    ids = {
        "asking_task": agents.tasks["Write the exporter"],
        "waiting_task": agents.tasks["Document the export"],
        "exports": agents.mission,
        "asking": asking,
        "failed": failed,
    }
    return agents, ids


def _repository(top: Path) -> Path:
    top.mkdir(parents=True)
    (top / "README.md").write_text("A shop\n")
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), (*identity, "commit", "-qm", "First")):
        subprocess.run(("git", *command), cwd=top, check=True, capture_output=True)
    return top


def _set_areas(tx: Tx, *, ids: list[str], areas: list[str]) -> None:
    for id in ids:
        tx.tasks.save(replace(tx.tasks.get(id), areas=areas))


def _record_usage(tx: Tx, *, execution_id: str, usage: dict[str, float]) -> None:
    tx.executions.save(replace(tx.executions.get(execution_id), usage=json.loads(json.dumps(usage))))
