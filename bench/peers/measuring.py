"""Measure one server with a number of items in its store."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.peers.connection import CallFailed, Connection
from bench.peers.install import PROGRAMS, search_path
from bench.peers.servers import OPERATIONS, Filled, Server, Step

WARM_UP = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The times of one server, in milliseconds (p50) by operation."""

    server: str
    items: int
    start_ms: float
    memory_mib: float
    times_ms: dict[str, float] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Operations that the server refused, with its words."""


def installed(server: Server) -> bool:
    return server.program is None or (PROGRAMS / server.program).exists()


def measure(server: Server, *, items: int, calls: int, seconds: float) -> Measured:
    """Fill a new store, start the server on it, and measure each operation that it has."""
    with tempfile.TemporaryDirectory(prefix="mission-peers-") as name:
        folder = Path(name)
        filled = server.fill(folder, str(PROGRAMS / (server.program or "")), items)
        variables = {**filled.variables, "PATH": search_path()}
        with Connection(filled.command, folder=folder, environment=variables) as connection:
            filled.prepare(connection)
            times, refused = _operations(connection, filled, calls=calls, seconds=seconds)
            return Measured(
                server=server.name,
                items=items,
                start_ms=connection.seconds_to_first_list * 1000,
                memory_mib=connection.resident_bytes / 2**20,
                times_ms=times,
                refused=refused,
            )


def _operations(
    connection: Connection, filled: Filled, *, calls: int, seconds: float
) -> tuple[dict[str, float], dict[str, str]]:
    times: dict[str, float] = {}
    refused: dict[str, str] = {}
    for operation in OPERATIONS:
        step = filled.steps.get(operation)
        if step is None:
            continue
        try:
            times[operation] = median(_taken(connection, step, calls=calls, seconds=seconds)) * 1000
        except CallFailed as problem:
            refused[operation] = str(problem)
    return times, refused


def _taken(connection: Connection, step: Step, *, calls: int, seconds: float) -> Sequence[float]:
    """Return the times of the calls after a short warm-up; a slow server makes fewer calls."""
    deadline = time.monotonic() + seconds
    taken = []
    for number in range(calls):
        tool, arguments = step(number)
        taken.append(connection.call(tool, arguments)[0])
        if time.monotonic() > deadline:
            break
    return taken[WARM_UP:] or taken
