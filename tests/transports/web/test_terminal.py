"""An execution's terminal over its WebSocket: shown from the start, typed into, resized, and told when it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.runtime.conftest import STANDIN
from tests.transports.live_server import Live

PATIENCE = 60.0


def launch(live: Live, repository: Path, *arguments: str, **options: Any) -> dict[str, Any]:
    started = live.call("start_mission", {"name": "Shop", "objective": "o", "repository_path": str(repository)})
    plan = {"id": started["mission_id"], "tasks": [{"name": "Sort", "description": "d", "sequence": 1}]}
    task = live.call("workflow_add_tasks", plan)["task_ids"][0]
    program = [sys.executable, "-u", STANDIN, *arguments]
    return live.call("execution_launch", {"task_id": task, "adapter": "command", "arguments": program, **options})


def open_terminal(live: Live, execution: str, token: str | None = None) -> ClientConnection:
    headers = {"Authorization": f"Bearer {token or live.token}"}
    return connect(f"ws://{live.authority}/ws/executions/{execution}/terminal", additional_headers=headers)


def frames_until(socket: ClientConnection, text: str) -> list[dict[str, Any]]:
    """Frames up to the one with which the text has been shown, or that says it."""
    seen, shown = [], ""
    while text not in shown:
        seen.append(json.loads(socket.recv(timeout=PATIENCE)))
        shown += seen[-1].get("data", "") or json.dumps(seen[-1])
    return seen


def test_a_terminal_is_watched_typed_into_and_resized(live: Live, repository: Path):
    execution = launch(live, repository, "echo", interactive=True)["id"]
    with open_terminal(live, execution) as first, open_terminal(live, execution) as second:
        attached = frames_until(first, "size 120 40")[0]
        first.send(json.dumps({"type": "resize", "rows": 20, "columns": 70}))
        first.send(json.dumps({"type": "input", "data": "size\r"}))
        frames_until(first, "size 70 20")
        first.send("nonsense")
        refused = frames_until(first, '"error"')[-1]
        first.send(json.dumps({"type": "input", "data": "bye\r"}))
        ended = frames_until(second, '"ended"')

    assert (attached["type"], attached["typing"]) == ("attached", True)
    assert refused["code"] == "INVALID_INPUT"
    assert "size 120 40" in "".join(frame.get("data", "") for frame in ended)
    assert (ended[-1]["type"], ended[-1]["execution"]["status"]) == ("ended", "completed")
    with open_terminal(live, execution) as later:
        shown_again = frames_until(later, '"ended"')
    assert shown_again[0]["history"] is True
    assert "you said bye" in shown_again[1]["data"]
    cast = [json.loads(line) for line in live.get(f"/api/executions/{execution}/transcript").body.splitlines()]
    assert (cast[0]["version"], cast[0]["width"]) == (2, 120)
    assert "you said bye" in "".join(text for _, kind, text in cast[1:] if kind == "o")
    assert {kind for _, kind, _ in cast[1:]} == {"o", "r"}


def test_an_execution_without_a_terminal_is_watched_only_and_by_operators_only(live: Live, repository: Path):
    execution = launch(live, repository, "patient")
    with open_terminal(live, execution["id"]) as socket:
        attached = frames_until(socket, "waiting")[0]
        socket.send(json.dumps({"type": "input", "data": "x"}))
        refused = frames_until(socket, '"error"')[-1]
    token = live.call("token_rotate", {"agent_id": execution["agent_id"]})["token"]

    assert attached["typing"] is False
    assert refused["code"] == "INVALID_STATE"
    refused_cast = live.get(f"/api/executions/{execution['id']}/transcript", Authorization=f"Bearer {token}")
    assert refused_cast.status == 403
    for name, secret in ((execution["id"], token), ("x_0000000000", live.token)):
        with pytest.raises(InvalidStatus):
            open_terminal(live, name, secret)
    assert live.call("execution_stop", {"id": execution["id"]})["status"] == "stopped"
