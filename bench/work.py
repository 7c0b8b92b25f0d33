"""The measured calls: their arguments, and turns of them through one transport."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from bench.http import Address, Connection
from bench.protocol import Era
from bench.seed import MEASURED, trim
from bench.server import Daemon
from bench.stdio import StdioServer
from bench.timing import WARM_UP, Turn, timed

Arguments = Callable[[Daemon, int], Mapping[str, Any]]
_LIKE_A_MILESTONE = {"task_id": "t_0123456789", "message": MEASURED, "progress": 50}
_STRIDE = 7919  # a prime: neighbors in time are not neighbors in the store


def milestone(daemon: Daemon, number: int) -> Mapping[str, Any]:
    return {"task_id": _task(daemon, number), "message": MEASURED, "progress": 50}


def new_task(daemon: Daemon, number: int) -> Mapping[str, Any]:  # noqa: ARG001
    return {
        "mission_id": daemon.mission_id,
        "phase": 1,
        "name": MEASURED,
        "goal": "Change the parser so that it accepts empty input",
        "areas": ["src/parser", "tests"],
        "caller_type": "subagent",
        "agent_name": "parser-agent",
    }


def whole_context(daemon: Daemon, number: int) -> Mapping[str, Any]:  # noqa: ARG001
    sections = ["phase_summary", "tasks", "decisions", "milestones", "blockers"]
    return {"mission_id": daemon.mission_id, "include": sections}


def trivial(daemon: Daemon, number: int) -> Mapping[str, Any]:  # noqa: ARG001
    return {"mission_id": daemon.mission_id, "include": ["phase_summary"]}


TOOLS: dict[str, Arguments] = {"log_milestone": milestone, "start_task": new_task, "get_context": whole_context}


def http_turn(
    daemon: Daemon,
    era: Era,
    tool: str,
    arguments: Arguments,
    *,
    calls: int,
    headers: Mapping[str, str] | None = None,
) -> Turn:
    """Return a turn of calls over a connection that stays open; the store has its old size after each turn."""
    connection = Connection(daemon.address)
    numbers = itertools.count()

    def turn() -> list[float]:
        requests = [
            daemon.address.call(era, tool, arguments(daemon, next(numbers)), headers=headers)
            for _ in range(calls + WARM_UP)
        ]
        times = timed(connection, requests)
        trim(daemon.database)
        return times

    return turn


def stdio_turn(server: StdioServer, daemon: Daemon, era: Era, tool: str, arguments: Arguments, *, calls: int) -> Turn:
    numbers = itertools.count()

    def turn() -> list[float]:
        requests = [era.call(tool, arguments(daemon, next(numbers))) + b"\n" for _ in range(calls + WARM_UP)]
        times = timed(server, requests)
        trim(daemon.database)
        return times

    return turn


def empty_turn(address: Address, era: Era, *, calls: int) -> Turn:
    """Return a turn of the empty tool, with arguments like those of log_milestone."""
    connection = Connection(address)
    request = address.call(era, "nothing", _LIKE_A_MILESTONE)
    return lambda: timed(connection, [request] * (calls + WARM_UP))


def empty_stdio_turn(server: StdioServer, era: Era, *, calls: int) -> Turn:
    """Return a turn of the empty tool over stdio."""
    request = era.call("nothing", _LIKE_A_MILESTONE) + b"\n"
    return lambda: timed(server, [request] * (calls + WARM_UP))


def _task(daemon: Daemon, number: int) -> str:
    return daemon.task_ids[number * _STRIDE % len(daemon.task_ids)]
