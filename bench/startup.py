"""Measure how fast a standalone server and a daemon answer after their start, what they hold, and calls over stdio."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import seed
from bench.effort import Effort
from bench.http import Address, Connection
from bench.processes import Memory, cpu_seconds, memory, python_memory, python_seconds
from bench.protocol import ERAS, HANDSHAKE
from bench.report import Row, Target, compared
from bench.server import Daemon, mission_up
from bench.stdio import EMPTY, Standalone, StdioServer
from bench.timing import Turn, check, interleave
from bench.work import empty_stdio_turn, milestone, stdio_turn, trivial

STANDALONE = "standalone server"
DAEMON = "daemon start"
SDK = "import mcp.server.lowlevel"
MIB = 1024 * 1024
CALLS = {"log_milestone": (milestone, Target(1.5)), "get_context": (trivial, None)}
_LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'


def measure(effort: Effort) -> list[Row]:
    with _planted() as store:
        return [
            *_standalone_start(store, effort),
            *_standalone_memory(store),
            *_standalone_calls(store, effort),
            *_daemon_start(store, effort),
        ]


@contextmanager
def _planted() -> Iterator[Daemon]:
    """Yield a store with some tasks, and no daemon yet."""
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        home = Path(folder)
        planted = asyncio.run(seed.plant(home, tasks=100))
        nowhere = Address(host="", port=0)
        yield Daemon(address=nowhere, home=home, pid=0, mission_id=planted.mission_id, task_ids=planted.task_ids)


def _standalone_start(store: Daemon, effort: Effort) -> list[Row]:
    greeted: list[float] = []
    computed: list[float] = []

    def first_call() -> list[float]:
        begun = time.perf_counter()
        with Standalone(store.home, HANDSHAKE) as server:
            greeted.append(server.seconds_to_greeting)
            server.exchange(_LIST)
            check(server.exchange(HANDSHAKE.call("get_context", trivial(store, 0)) + b"\n"))
            seconds = time.perf_counter() - begun
            computed.append(cpu_seconds(server.pid) or 0.0)
            return [seconds]

    first_call()  # the first start stores the list of tools
    greeted.clear()
    computed.clear()
    subjects: dict[str, Turn] = {
        "call": first_call,
        "python": lambda: [python_seconds("pass")],
        "sdk": lambda: [python_seconds(SDK)],
    }
    series = interleave(subjects, rounds=effort.starts)
    first = series["call"]
    return [
        _seconds(STANDALONE, "process start to the answer of initialize", greeted, series["python"].p50, target=400),
        compared(STANDALONE, "process start to the answer of the first call", first, series["sdk"], floor_name=SDK),
        _seconds(STANDALONE, "computing time until then", computed, None),
    ]


def _standalone_memory(store: Daemon) -> list[Row]:
    with Standalone(store.home, HANDSHAKE) as server:
        server.exchange(_LIST)
        stdio_turn(server, store, HANDSHAKE, "log_milestone", milestone, calls=200)()
        return _memory(STANDALONE, "after 200 calls", memory(server.pid), target=70)


def _standalone_calls(store: Daemon, effort: Effort) -> list[Row]:
    subjects: dict[str, Turn] = {}
    with ExitStack() as stack:
        for era in ERAS:
            server = stack.enter_context(Standalone(store.home, era))
            empty = stack.enter_context(StdioServer(EMPTY, store.home, era))
            subjects[f"empty {era.name}"] = empty_stdio_turn(empty, era, calls=effort.calls)
            for tool, (arguments, _) in CALLS.items():
                turn = stdio_turn(server, store, era, tool, arguments, calls=effort.calls)
                subjects[f"{tool} {era.name}"] = turn
        series = interleave(subjects, rounds=effort.rounds)
    return [
        compared(
            STANDALONE,
            f"{tool}, stdio {era.name}",
            series[f"{tool} {era.name}"],
            series[f"empty {era.name}"],
            floor_name=f"empty SDK tool, stdio {era.name}",
            target=target,
        )
        for tool, (_, target) in CALLS.items()
        for era in ERAS
    ]


def _daemon_start(store: Daemon, effort: Effort) -> list[Row]:
    computed: list[float] = []
    held: list[Memory] = []

    def start() -> list[float]:
        begun = time.perf_counter()
        with mission_up(store.home) as (address, pid):
            connection = Connection(address)
            check(connection.exchange(address.call(HANDSHAKE, "get_context", trivial(store, 0))))
            seconds = time.perf_counter() - begun
            computed.append(cpu_seconds(pid) or 0.0)
            time.sleep(effort.idle_seconds)
            held.append(memory(pid))
            return [seconds]

    series = interleave({"daemon": start, "sdk": lambda: [python_seconds(SDK)]}, rounds=effort.starts)
    ours = series["daemon"]
    return [
        Row(
            section=DAEMON,
            what="mission up to the first answer",
            figure=ours.p50 * 1000,
            unit="ms",
            p99=ours.p99 * 1000,
            floor=f"python -c '{SDK}'",
            floor_figure=series["sdk"].p50 * 1000,
            ratio=ours.against(series["sdk"]),
            target=Target(800, of="figure"),
        ),
        _seconds(DAEMON, "computing time until then", computed, None),
        *_memory(DAEMON, "idle", held[-1], target=90),
    ]


def _seconds(section: str, what: str, times: list[float], floor: float | None, *, target: float | None = None) -> Row:
    middle = sorted(times)[len(times) // 2]
    return Row(
        section=section,
        what=what,
        figure=middle * 1000,
        unit="ms",
        floor="python -c pass" if floor else "",
        floor_figure=floor * 1000 if floor else None,
        ratio=middle / floor if floor else None,
        target=Target(target, of="figure") if target else None,
    )


def _memory(section: str, when: str, found: Memory, *, target: float) -> list[Row]:
    floor = python_memory(SDK)
    rows = [
        Row(
            section=section,
            what=f"memory {when} (RSS)",
            figure=found.resident / MIB,
            unit="MiB",
            floor=f"python, {SDK}",
            floor_figure=floor / MIB,
            ratio=found.resident / floor,
            target=Target(target, of="figure"),
        )
    ]
    parts = {"PSS, shared pages in part": found.proportional, "USS, its own pages": found.own}
    rows += [
        Row(section=section, what=f"memory {when} ({name})", figure=size / MIB, unit="MiB")
        for name, size in parts.items()
        if size is not None
    ]
    return rows
