"""Fifty launched agents at once: measure the time from a signal until a page receives it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from websockets.sync.client import ClientConnection, connect

from bench.effort import Effort
from bench.http import Address
from bench.report import Row, Target
from bench.server import daemon

AGENTS = 50
PAUSE = 1.0
SECTION = f"{AGENTS} executions at once"
DELIVERIES = ("mcp-tool", "stdout-marker")
PATIENCE = 120.0
AGENT = Path(__file__).with_name("agent.py")


def measure(effort: Effort) -> list[Row]:
    with daemon(tasks=1) as server:
        call = Front(server.address)
        repository = _repository(server.home / "repository")
        go = server.home / "go"
        signals = 2 * effort.rounds
        launches: list[float] = []
        chosen: dict[str, str] = {}
        for position, task_id in enumerate(_tasks(call, repository)):
            delivery = DELIVERIES[position % 2]
            command = [sys.executable, "-IS", str(AGENT), str(go), str(position), str(signals), str(PAUSE)]
            begun = time.perf_counter()
            launched = call(
                "execution_launch", task_id=task_id, adapter="command", delivery=delivery, arguments=command
            )
            launches.append(time.perf_counter() - begun)
            chosen[launched["id"]] = delivery
        times = _heard(server.address, go, chosen, count=AGENTS * signals)
        _wait_for_the_end(call)
    bound = Target(250.0, of="figure")
    rows = [_row(f"signal to WebSocket, {delivery} (p99)", times[delivery], bound) for delivery in DELIVERIES]
    return [*rows, _row("launch until the program runs", launches, None)]


def _row(what: str, times: list[float], target: Target | None) -> Row:
    """Return a row; a figure with a target is the slowest of a hundred (p99), others are medians."""
    p99 = quantiles(times, n=100, method="inclusive")[98] * 1000
    figure = median(times) * 1000 if target is None else p99
    return Row(section=SECTION, what=what, figure=figure, unit="ms", p99=p99, target=target)


def _heard(address: Address, go: Path, chosen: Mapping[str, str], *, count: int) -> dict[str, list[float]]:
    """Return the time of each signal from sending to arrival."""
    times: dict[str, list[float]] = {delivery: [] for delivery in DELIVERIES}
    with _listening(address) as socket:
        go.touch()
        deadline = time.monotonic() + PATIENCE
        while sum(map(len, times.values())) < count:
            frame = json.loads(socket.recv(timeout=deadline - time.monotonic()))
            now = time.time()
            if frame["type"] == "execution:updated" and frame["data"]["status"] == "failed":
                raise RuntimeError(f"an agent failed: {frame['data']['reason']}")
            if frame["type"] == "observation:created" and frame["data"]["type"] == "progress":
                sent = float(frame["data"]["payload"]["summary"])
                times[chosen[frame["data"]["execution_id"]]].append(now - sent)
    return times


def _listening(address: Address) -> ClientConnection:
    headers = {"Authorization": f"Bearer {address.token}"}
    socket = connect(f"ws://{address.host}:{address.port}/ws", additional_headers=headers, compression=None)
    socket.send('{"type": "subscribe", "topic": "global"}')
    answer = json.loads(socket.recv(timeout=PATIENCE))
    if answer["type"] != "subscribed":
        raise RuntimeError(f"could not subscribe: {answer}")
    return socket


def _wait_for_the_end(call: Front) -> None:
    """Wait until all agents have ended: a stopping daemon would leave them running."""
    deadline = time.monotonic() + PATIENCE
    while call("execution_list", status=["starting", "running", "waiting"])["executions"]:
        if time.monotonic() > deadline:
            raise RuntimeError("agents did not end")
        time.sleep(0.2)


class Front:
    """Calls tools over REST."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def __call__(self, tool: str, **arguments: Any) -> Any:
        request = urllib.request.Request(
            f"http://{self._address.host}:{self._address.port}/api/tools/{tool}",
            data=json.dumps(arguments).encode(),
            headers={"Authorization": f"Bearer {self._address.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())


def _tasks(call: Front, repository: Path) -> list[str]:
    """Return a mission with a task for each agent."""
    mission = call(
        "workflow_create",
        name="Fifty",
        source_type="prompt",
        source_content="Signal",
        max_parallel_tasks=AGENTS,
        repository_path=str(repository),
    )["id"]
    tasks = [
        {"name": f"Task {number}", "description": "signal", "sequence": 1, "depends_on": []} for number in range(AGENTS)
    ]
    call("workflow_set_plan", id=mission, plan={"summary": "s", "approach": "a", "tasks": tasks})
    return [task["id"] for task in call("workflow_get", id=mission, include_tasks=True)["tasks"]]


def _repository(path: Path) -> Path:
    path.mkdir()
    (path / "README.md").write_text("hello\n")
    identity = ("-c", "user.name=b", "-c", "user.email=b@example.org")
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=path, check=True, capture_output=True)
    return path
