"""The compared servers: how each one is started, filled, and asked for the same thing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers.connection import Connection
from bench.server import environment

Arguments = Mapping[str, Any]
Step = Callable[[int], tuple[str, Arguments]]
"""Returns the call number n of an operation: a tool and its arguments."""

OPERATIONS = ("create", "next", "claim", "send", "inbox")
MOMENT = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True, kw_only=True, slots=True)
class Filled:
    """A store with items, and the steps that ask the server for each operation it has."""

    command: Sequence[str]
    variables: Mapping[str, str]
    steps: Mapping[str, Step]
    prepare: Callable[[Connection], None] = lambda _: None
    """Runs before the measurement, such as registering an agent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """One of the compared servers."""

    name: str
    program: str | None
    """Its program from the npm registry; None for our own."""
    fill: Callable[[Path, str, int], Filled]
    """Fills a store in this folder with that many items; the second argument is the program."""


def ours(folder: Path, _program: str, items: int) -> Filled:
    """Start the standalone server, which needs no daemon, like the others; it is filled over the protocol itself."""
    made: dict[str, str] = {}

    def fill(connection: Connection) -> None:
        new = {"name": "Bench", "source_type": "prompt", "source_content": "x", "max_parallel_tasks": 1000}
        made["mission"] = json.loads(connection.call("workflow_create", new)[1])["id"]
        tasks = [{"name": f"task {n}", "description": "A task", "sequence": 1} for n in range(items)]
        plan = {"summary": "s", "approach": "a", "tasks": tasks}
        connection.call("workflow_set_plan", {"id": made["mission"], "plan": plan})
        registered = connection.call("agent_register", {"name": "bench-worker", "runtime": "custom"})[1]
        made["agent"] = json.loads(registered)["id"]

    def message(n: int) -> tuple[str, Arguments]:
        people = {"sender_id": made["agent"], "recipient_id": "human", "message_type": "status_update"}
        return "message_send", {**people, "body": f"note {n}"}

    steps: dict[str, Step] = {
        "create": lambda n: (
            "workflow_add_tasks",
            {"id": made["mission"], "tasks": [{"name": f"new {n}", "description": "A task", "sequence": 1}]},
        ),
        "next": lambda _: ("workflow_next_tasks", {"workflow_id": made["mission"], "limit": 1}),
        "claim": lambda _: ("task_claim_next", {"agent_id": made["agent"], "workflow_id": made["mission"]}),
        "send": message,
        "inbox": lambda _: ("message_list", {"agent_id": "human", "limit": 20}),
    }
    home = folder / "home"
    command = [sys.executable, "-m", "mission", "mcp", "--standalone", "--toolsets", "all"]
    return Filled(command=command, variables=environment(home), steps=steps, prepare=fill)


def server_memory(folder: Path, program: str, items: int) -> Filled:
    file = folder / "memory.jsonl"
    rows = [
        {"type": "entity", "name": f"task {n}", "entityType": "task", "observations": ["pending"]} for n in range(items)
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))

    def observe(n: int, text: str) -> tuple[str, Arguments]:
        return "add_observations", {"observations": [{"entityName": f"task {n}", "contents": [text]}]}

    steps: dict[str, Step] = {
        "create": lambda n: (
            "create_entities",
            {"entities": [{"name": f"new {n}", "entityType": "task", "observations": ["pending"]}]},
        ),
        "next": lambda n: ("open_nodes", {"names": [f"task {n}"]}),
        "claim": lambda n: observe(n, "claimed by bench"),
        "send": lambda n: observe(0, f"note {n}"),
        "inbox": lambda _: ("open_nodes", {"names": ["task 0"]}),
    }
    return Filled(command=[program], variables={**os.environ, "MEMORY_FILE_PATH": str(file)}, steps=steps)


def task_master(folder: Path, program: str, items: int) -> Filled:
    plain = {"description": "A task", "details": "", "testStrategy": "", "priority": "medium", "subtasks": []}
    tasks = [
        {"id": n, "title": f"task {n}", "status": "pending", "dependencies": [], **plain} for n in range(1, items + 1)
    ]
    place = folder / ".taskmaster" / "tasks"
    place.mkdir(parents=True)
    (place / "tasks.json").write_text(json.dumps({"master": {"tasks": tasks, "metadata": {"created": MOMENT}}}))
    root = {"projectRoot": str(folder)}
    steps: dict[str, Step] = {
        "create": lambda n: ("add_task", {"title": f"new {n}", "description": "A task", "details": "None", **root}),
        "next": lambda _: ("next_task", root),
        "claim": lambda n: ("set_task_status", {"id": str(n + 1), "status": "in-progress", **root}),
    }
    return Filled(command=[program], variables={**os.environ, "TASK_MASTER_TOOLS": "all"}, steps=steps)


def shrimp(folder: Path, program: str, items: int) -> Filled:
    ids = [str(uuid.UUID(int=n, version=4)) for n in range(items)]
    plain = {"description": "A task to be done", "dependencies": [], "createdAt": MOMENT, "updatedAt": MOMENT}
    tasks = [
        {"id": id, "name": f"task {n}", "status": "pending", "relatedFiles": [], **plain} for n, id in enumerate(ids)
    ]
    (folder / "tasks.json").write_text(json.dumps({"tasks": tasks}))

    def new(n: int) -> tuple[str, Arguments]:
        task = {"name": f"new {n}", "description": "A task to be done", "implementationGuide": "Do it"}
        raw = json.dumps([{**task, "dependencies": [], "relatedFiles": []}])
        return "split_tasks", {"updateMode": "append", "tasksRaw": raw, "globalAnalysisResult": "none"}

    steps: dict[str, Step] = {
        "create": new,
        "next": lambda _: ("list_tasks", {"status": "pending"}),
        "claim": lambda n: ("execute_task", {"taskId": ids[n]}),
    }
    return Filled(command=[program], variables={**os.environ, "DATA_DIR": str(folder)}, steps=steps)


def backlog(folder: Path, program: str, items: int) -> Filled:
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    subprocess.run([program, "init", "Bench", "--defaults"], cwd=folder, check=True, capture_output=True)
    for n in range(1, items + 1):
        front = f"id: TASK-{n}\ntitle: task {n}\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-01 00:00'"
        text = f"---\n{front}\nlabels: []\ndependencies: []\n---\n\n## Description\n\nA task\n"
        (folder / "backlog" / "tasks" / f"task-{n} - task-{n}.md").write_text(text)
    steps: dict[str, Step] = {
        "create": lambda n: ("task_create", {"title": f"new {n}", "description": "A task"}),
        "next": lambda _: ("task_list", {"ready": True, "limit": 1}),
        "claim": lambda n: ("task_edit", {"id": f"task-{n + 1}", "status": "In Progress", "assignee": ["@bench"]}),
        "send": lambda n: ("task_edit", {"id": "task-1", "notesAppend": [f"note {n}"]}),
    }
    return Filled(command=[program, "mcp", "start"], variables=os.environ, steps=steps)


SERVERS = (
    Server(name="Mission Control", program=None, fill=ours),
    Server(name="server-memory", program="mcp-server-memory", fill=server_memory),
    Server(name="task-master", program="task-master-ai", fill=task_master),
    Server(name="shrimp", program="mcp-shrimp-task-manager", fill=shrimp),
    Server(name="backlog.md", program="backlog", fill=backlog),
)
