"""Measure the stdio bridge: its start-up time, its memory, and its overhead per call."""

from __future__ import annotations

from contextlib import ExitStack

from bench.effort import Effort
from bench.processes import python_memory, python_seconds
from bench.protocol import ERAS, HANDSHAKE
from bench.report import Row, Target, compared
from bench.server import Daemon, daemon
from bench.stdio import Bridge
from bench.timing import Turn, interleave
from bench.work import http_turn, milestone, stdio_turn, trivial

SECTION = "bridge"
MIB = 1024 * 1024
CALLS = {"log_milestone": milestone, "get_context": trivial}


def measure(effort: Effort) -> list[Row]:
    with daemon(tasks=100) as server:
        return [_start(server, effort), _memory(server), *_calls(server, effort)]


def _start(server: Daemon, effort: Effort) -> Row:
    def bridge() -> list[float]:
        with Bridge(server.home, HANDSHAKE) as started:
            return [started.seconds_to_greeting]

    series = interleave({"bridge": bridge, "python": lambda: [python_seconds("pass")]}, rounds=effort.starts)
    ours, floor = series["bridge"], series["python"]
    return Row(
        section=SECTION,
        what="process start to the answer of initialize",
        figure=ours.p50 * 1000,
        unit="ms",
        p99=ours.p99 * 1000,
        floor="python -c pass",
        floor_figure=floor.p50 * 1000,
        ratio=ours.against(floor),
        target=Target(40, of="figure"),
    )


def _memory(server: Daemon) -> Row:
    with Bridge(server.home, HANDSHAKE) as bridge:
        stdio_turn(bridge, server, HANDSHAKE, "log_milestone", milestone, calls=200)()
        ours = bridge.resident_bytes
    floor = python_memory()
    return Row(
        section=SECTION,
        what="memory after 200 calls",
        figure=ours / MIB,
        unit="MiB",
        floor="python, idle",
        floor_figure=floor / MIB,
        ratio=ours / floor,
        target=Target(16, of="figure"),
    )


def _calls(server: Daemon, effort: Effort) -> list[Row]:
    subjects: dict[str, Turn] = {}
    with ExitStack() as stack:
        for era in ERAS:
            bridge = stack.enter_context(Bridge(server.home, era))
            for tool, arguments in CALLS.items():
                through = stdio_turn(bridge, server, era, tool, arguments, calls=effort.calls)
                direct = http_turn(server, era, tool, arguments, calls=effort.calls)
                subjects |= {f"{tool} bridge {era.name}": through, f"{tool} direct {era.name}": direct}
        series = interleave(subjects, rounds=effort.rounds)
    return [
        compared(
            SECTION,
            f"{tool} through the bridge, {era.name}",
            series[f"{tool} bridge {era.name}"],
            series[f"{tool} direct {era.name}"],
            floor_name=f"direct HTTP, {era.name}",
            target=Target(1.4),
        )
        for era in ERAS
        for tool in CALLS
    ]
