"""Measure single calls through each transport at three store sizes, compared with the SDK's empty tool."""

from __future__ import annotations

from contextlib import ExitStack

from bench.commit import commit_turn
from bench.effort import Effort
from bench.protocol import ERAS, HANDSHAKE
from bench.report import Row, Target, compared
from bench.server import daemon, empty_server
from bench.stdio import Bridge
from bench.timing import Series, Turn, interleave
from bench.work import TOOLS, empty_turn, http_turn, stdio_turn

SIZES = (100, 1_000, 10_000)
SECTION = "one caller"
GROWTH = "cost at 10,000 tasks compared with 100"
DURABLE = {"handshake": Target(2.5), "stateless": Target(3.6)}
TRANSPORTS = (*(f"http {era.name}" for era in ERAS), "bridge")


def measure(effort: Effort) -> list[Row]:
    with ExitStack() as stack:
        subjects: dict[str, Turn] = {"commit": stack.enter_context(commit_turn(calls=effort.calls))}
        empty = stack.enter_context(empty_server())
        for era in ERAS:
            subjects[f"empty {era.name}"] = empty_turn(empty, era, calls=effort.calls)
        for size in SIZES:
            subjects |= _subjects(stack, size, effort)
        series = interleave(subjects, rounds=effort.rounds)
    return [*_beside_empty(series), *_growth(series)]


def _subjects(stack: ExitStack, size: int, effort: Effort) -> dict[str, Turn]:
    """Return every tool through every transport of one daemon."""
    server = stack.enter_context(daemon(tasks=size))
    bridge = stack.enter_context(Bridge(server.home, HANDSHAKE))
    subjects: dict[str, Turn] = {}
    for tool, arguments in TOOLS.items():
        for era in ERAS:
            turn = http_turn(server, era, tool, arguments, calls=effort.calls)
            subjects[f"{tool} http {era.name} {size}"] = turn
        subjects[f"{tool} bridge {size}"] = stdio_turn(bridge, server, HANDSHAKE, tool, arguments, calls=effort.calls)
    return subjects


def _beside_empty(series: dict[str, Series]) -> list[Row]:
    rows = []
    for tool in TOOLS:
        for transport in TRANSPORTS:
            era = transport.removeprefix("http ") if transport != "bridge" else HANDSHAKE.name
            for size in SIZES:
                rows.append(
                    compared(
                        SECTION,
                        f"{tool}, {transport}, {size:,} tasks",
                        series[f"{tool} {transport} {size}"],
                        series[f"empty {era}"],
                        floor_name=f"empty SDK tool, {era}",
                        target=DURABLE[era] if tool == "log_milestone" and transport != "bridge" else None,
                    )
                )
    durable = series["log_milestone http stateless 100"]
    beside_commit = compared(
        SECTION, "log_milestone, http stateless, 100 tasks", durable, series["commit"], floor_name="bare SQLite commit"
    )
    return [*rows, beside_commit]


def _growth(series: dict[str, Series]) -> list[Row]:
    return [
        compared(
            GROWTH,
            f"{tool}, {transport}",
            series[f"{tool} {transport} {SIZES[-1]}"],
            series[f"{tool} {transport} {SIZES[0]}"],
            floor_name="at 100 tasks",
            target=Target(1.2),
        )
        for tool in TOOLS
        for transport in TRANSPORTS
    ]
