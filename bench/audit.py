"""Measure the cost of the audit trail: the same calls with and without it."""

from __future__ import annotations

from contextlib import ExitStack

from bench.effort import Effort
from bench.protocol import ERAS
from bench.report import Row, Target, compared
from bench.server import daemon
from bench.timing import Turn, interleave
from bench.work import TOOLS, http_turn

SECTION = "audit trail"
TASKS = 100


def measure(effort: Effort) -> list[Row]:
    with ExitStack() as stack:
        audited = stack.enter_context(daemon(tasks=TASKS))
        unaudited = stack.enter_context(daemon(tasks=TASKS, audited=False))
        subjects: dict[str, Turn] = {}
        for era in ERAS:
            for tool, arguments in TOOLS.items():
                for name, server in (("on", audited), ("off", unaudited)):
                    turn = http_turn(server, era, tool, arguments, calls=effort.calls)
                    subjects[f"{tool} {era.name} {name}"] = turn
        series = interleave(subjects, rounds=effort.rounds)
    return [
        compared(
            SECTION,
            f"{tool}, http {era.name}",
            series[f"{tool} {era.name} on"],
            series[f"{tool} {era.name} off"],
            floor_name="without audit",
            target=Target(1.2) if tool == "log_milestone" else None,
        )
        for era in ERAS
        for tool in TOOLS
    ]
