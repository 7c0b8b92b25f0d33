"""`python -m bench.endurance`: run mixed load for a given time, and watch the daemon's memory.

One client does the work of agents, a page and a shell, one call after the other. The slope of the memory over the
second half shows whether it is constant.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.http import Address, Connection
from bench.server import listening, start
from bench.sockets import SUBSCRIBE, frame

TASKS = 6
CONSTANT = 1.0
"""MiB per 10,000 calls: anything below counts as constant."""


@dataclass(frozen=True, slots=True)
class Look:
    """The daemon's memory at one moment."""

    seconds: float
    calls: int
    memory: float

    def line(self) -> str:
        return f"{self.seconds:7.0f} s {self.calls:10,} calls {self.memory:8.1f} MiB"


class Load:
    """One client that runs missions from plan to end."""

    def __init__(self, address: Address, repository: Path) -> None:
        self._address = address
        self._repository = repository
        self._connection = Connection(address)
        self.calls = 0

    def mission(self, number: int) -> None:
        """Plan a mission, let an agent do its tasks, view it as a page does, and end it."""
        agent = self.call("agent_register", name=f"worker-{number}", runtime="custom")["id"]
        workflow = self.call(
            "workflow_create",
            name=f"Mission {number}",
            source_type="prompt",
            source_content="Move the ledger to double entry.",
            repository_path=str(self._repository),
            max_parallel_tasks=2,
        )["id"]
        self.call("workflow_set_plan", id=workflow, plan=_plan())
        for task in range(TASKS):
            self._task(agent, workflow, task)
            self._look(workflow)
        self.call("workflow_update_status", id=workflow, status="completed")
        self.call("agent_unregister", id=agent)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self._ask("POST", f"/api/tools/{tool}", arguments)

    def _task(self, agent: str, workflow: str, number: int) -> None:
        claimed = self.call("task_claim_next", agent_id=agent, workflow_id=workflow)["task"]
        task = claimed["id"]
        self.call("task_load_context", task_id=task)
        self.call("task_update_status", id=task, status="in_progress", agent_id=agent)
        (self._repository / f"file{number}.txt").write_text(f"{task}\n" * 50)
        for step in range(3):
            self.call("checkpoint_add", task_id=task, type="progress", summary=f"Step {step} of {task}", agent_id=agent)
            self.call("log_milestone", task_id=task, message=f"{step} of 3 cases pass", progress=30 * step)
        self.call(
            "log_decision",
            task_id=task,
            category="library_choice",
            question="Which parser?",
            options_considered=["by hand", "generated"],
            chosen="by hand",
            reasoning="Its errors say what is wrong.",
        )
        self.call(
            "message_send",
            sender_id=agent,
            recipient_id="human",
            message_type="status_update",
            subject="How it goes",
            body="Half of it is done. " * 20,
        )
        self.call("agent_heartbeat", agent_id=agent)
        self.call("task_update_status", id=task, status="completed", outcome="It is done.", agent_id=agent)

    def _look(self, workflow: str) -> None:
        """Send the calls of a page, a shell and a faulty program."""
        self.call("overview")
        self.call("overview_mission", mission_id=workflow)
        self.call("overview_journal", mission_id=workflow)
        self.call("search", query="ledger")
        self.call("message_list", agent_id="human")
        for address in (f"/api/missions/{workflow}", "/api/tasks?limit=50", "/api/agents", "/api/queue", "/api/audit"):
            self._ask("GET", address)
        self._ask("GET", "/api/events?since=0&limit=100")
        self._ask("POST", "/api/tools/start_task", {"name": ""}, expected=400)
        self._ask("GET", "/api/tasks/t_unknown", expected=404)
        self.call("workflow_progress", workflow_id=workflow)
        self._open_page()

    def _open_page(self) -> None:
        """Connect like a page that is opened and closed again."""
        page = Connection(self._address)
        headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        key = base64.b64encode(os.urandom(16)).decode()
        page.socket.sendall(self._address.request("GET", "/ws", headers={**headers, "Sec-WebSocket-Key": key}))
        page.receive()
        page.socket.sendall(frame(SUBSCRIBE))
        page.socket.recv(1000)
        page.close()
        self.calls += 1

    def _ask(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, expected: int = 200
    ) -> dict[str, Any]:
        sent = json.dumps(body).encode() if body is not None else b""
        head, _, answer = self._connection.exchange(self._address.request(method, path, body=sent)).partition(
            b"\r\n\r\n"
        )
        self.calls += 1
        if f" {expected} ".encode() not in head[:16]:
            raise RuntimeError(f"{method} {path} was answered with {head[:40]!r}: {answer[:400]!r}")
        found: dict[str, Any] = json.loads(answer)
        return found


def endure(home: Path, *, seconds: float, every: float) -> list[Look]:
    """Load a daemon for that long; print each sample when it is taken."""
    with (
        tempfile.TemporaryDirectory(prefix="mission-bench-") as folder,
        start(home) as address,
        listening(address, home),
    ):
        load = Load(address, _repository(Path(folder)))
        pid = int(json.loads((home / "daemon.json").read_text())["pid"])
        begun = time.monotonic()
        looks: list[Look] = []
        for number in itertools.count():
            passed = time.monotonic() - begun
            if passed >= len(looks) * every or passed >= seconds:
                looks.append(Look(passed, load.calls, memory_of(pid)))
                print(looks[-1].line(), flush=True)
            if passed >= seconds:
                return looks
            load.mission(number)
    raise AssertionError


def slope(looks: Sequence[Look]) -> float:
    """Return MiB per 10,000 calls over the second half, when start-up and cache filling are over."""
    later = looks[len(looks) // 2 :]
    return statistics.linear_regression([look.calls for look in later], [look.memory for look in later]).slope * 10_000


def memory_of(pid: int) -> float:
    """Return the memory of the process, in MiB."""
    listed = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True)
    return int(listed.stdout) / 1024


def _plan() -> dict[str, Any]:
    names = [f"Part {number}" for number in range(TASKS)]
    tasks = [
        {
            "name": name,
            "description": f"{name} of the ledger: every balance is the sum of its entries.",
            "sequence": number + 1,
            "depends_on": names[max(0, number - 1) : number],
        }
        for number, name in enumerate(names)
    ]
    return {"summary": "Split it", "approach": "Step by step", "tasks": tasks}


def _repository(folder: Path) -> Path:
    for number in range(200):
        (folder / f"source{number}.py").write_text(f"value = {number}\n" * 20)
    git = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-C", str(folder)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *command], check=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.endurance", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600, help="how long to run (default: one hour)")
    parser.add_argument("--every", type=float, default=60, help="seconds between two memory samples")
    parser.add_argument("--home", type=Path, help="MISSION_HOME of the daemon (default: a temporary folder)")
    options = parser.parse_args()
    home = options.home or Path(tempfile.mkdtemp(prefix="mission-bench-"))
    home.mkdir(parents=True, exist_ok=True)
    try:
        looks = endure(home, seconds=options.seconds, every=options.every)
    finally:
        if options.home is None:
            shutil.rmtree(home, ignore_errors=True)
    rise = slope(looks)
    verdict = "constant" if abs(rise) < CONSTANT else "it changes"
    print(f"{rise:+.2f} MiB per 10,000 calls over the second half: {verdict}.")


if __name__ == "__main__":
    main()
