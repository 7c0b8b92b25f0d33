"""Each real client through a whole run: launched in a worktree, denied what it may not do, caught lying, and merged.

`make test-clients` installs the clients and runs these.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mission.runtime.launching.prompt import CHECKS_FAILED
from tests.clients.room import NEEDS_CLIENTS, Room, until
from tests.clients.scripted_model import Say, Step, Use
from tests.clients.test_clients import printed

pytestmark = NEEDS_CLIENTS

Json = dict[str, Any]

NEW = "fruit"
BROKEN, FIXED = "pear\napple\n", "apple\npear\n"
CHECK = {"name": "sorted", "run": "test ! -f fruit || sort -c fruit || { echo fruit is not sorted; exit 1; }"}


@dataclass(frozen=True)
class Client:
    """A client, how its model writes a file, and something that the client denies it."""

    name: str
    write: Callable[[Path, str], Use]
    denied: Use | None = None
    arguments: Sequence[str] = ()
    reports: bool = True
    """Whether it reports with complete_task; otherwise it prints a marker."""


def shell(tool: str, **more: str) -> Use:
    return Use(tool, {"command": "python3 -c \"open('forbidden', 'w')\"", **more})


CLIENTS = [
    Client("claude-code", lambda path, text: Use("Write", {"file_path": str(path), "content": text}), shell("Bash")),
    Client(
        "codex",
        lambda path, text: Use("exec_command", {"cmd": f"printf '{text.encode('unicode_escape').decode()}' > {path}"}),
        # The sandbox of this client needs more of a kernel than every machine that runs tests has.
        arguments=["-c", 'sandbox_mode="danger-full-access"'],
    ),
    Client(
        "opencode",
        lambda path, text: Use("write", {"filePath": str(path), "content": text}),
        Use("write", {"filePath": "/tmp/forbidden", "content": "x"}),
    ),
    Client(
        "copilot-cli",
        lambda path, text: (
            Use("edit", {"path": str(path), "old_str": BROKEN, "new_str": text})
            if path.exists()
            else Use("create", {"path": str(path), "file_text": text})
        ),
        shell("bash", description="Touch a file"),
    ),
    Client(
        "gemini-cli",
        lambda path, text: Use("write_file", {"file_path": str(path), "content": text}),
    ),  # it does not even offer its model a shell
    Client("pi", lambda path, text: Use("write", {"path": str(path), "content": text}), reports=False),
]


@dataclass
class ClientRun:
    """A run with one task for one client, and the model that plays its agent."""

    room: Room
    client: Client
    repository: Path
    id: str = ""
    prompts: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def start(self) -> None:
        agent = {"client": self.client.name, "arguments": self.room.arguments(self.client.name, self.client.arguments)}
        mission = {
            "name": "Shop",
            "objective": "Sorted shelves",
            "repository": ".",
            "review": "none",
            "checks": [CHECK],
        }
        task = {"name": "shelve", "description": "Fill the shelf with fruit"}
        plan = {"mission": mission, "agents": [agent], "tasks": [task]}
        self.id = self.room.live.call("run_start", {"plan": plan, "folder": str(self.repository)})["run_id"]

    def now(self) -> Json:
        return self.room.live.call("run_get", {"run_id": self.id})

    def executions(self) -> list[Json]:
        """The executions of the task, oldest first."""
        [task] = self.now()["tasks"]
        found: list[Json] = self.room.live.call("execution_list", {"task_id": task["task_id"]})["executions"]
        return found[::-1]

    def step(self, turns: int, body: Json) -> Step:
        """Try what is denied, lie about the work, read what failed, do the work and report it."""
        [task] = self.now()["tasks"]
        path = Path(self.executions()[-1]["directory"]) / NEW
        seen = json.dumps(body, ensure_ascii=False)
        report: Step = Use(
            "complete_task", {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}}
        )
        if not self.client.reports:
            report = Say(lambda words: printed(words, "completed_claim"))
        write = self.client.write
        if self.client.reports:
            steps = [self.client.denied, lambda: write(path, BROKEN), report, lambda: write(path, FIXED), report]
        elif CHECKS_FAILED in seen:
            steps = [lambda: write(path, FIXED), report]
        else:
            steps = [lambda: write(path, BROKEN), report]
        steps = [each for each in steps if each is not None]
        if turns >= len(steps):
            return Say(lambda _: "That was it.")
        step = steps[turns]
        return step() if callable(step) else step


@pytest.mark.parametrize("client", CLIENTS, ids=lambda each: each.name)
def test_a_client_goes_through_a_whole_run(
    room: Room, repository: Path, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    for name, value in room.environment(client.name).items():
        monkeypatch.setenv(name, value)
    run = ClientRun(room=room, client=client, repository=repository)
    monkeypatch.setattr(room.model, "step", run.step)
    run.start()

    try:
        until(lambda: run.now()["state"] == "finished")
    except AssertionError:
        shown = "\n".join(room.transcript(each["id"]) for each in run.executions())
        pytest.fail(f"{json.dumps(run.now(), indent=1)}\n{shown}")

    for each in run.executions():
        room.ended(each["id"])
    found = run.now()
    [task] = found["tasks"]
    assert (task["stage"], task["proof_state"], task["revisions"], task["attempts"]) == ("merged", "proved", 1, 0)
    shown = subprocess.run(
        ["git", "show", f"{found['branch']}:{NEW}"], cwd=repository, check=True, capture_output=True, text=True
    )
    assert shown.stdout == FIXED
    assert not (repository / NEW).exists()
    if client.denied is not None:
        denied = [each for each in room.said(run.executions()[0]["id"]) if each["type"] == "permission-denied"]
        assert denied, room.transcript(run.executions()[0]["id"])
        assert (denied[0]["payload"]["tool"], "forbidden" in denied[0]["payload"]["detail"]) == (
            client.denied.tool,
            True,
        )
    assert not (Path(run.executions()[0]["directory"]) / "forbidden").exists()
