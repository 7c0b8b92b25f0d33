"""What must be true whenever a program starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mission.domain.executions.execution import Execution
from mission.domain.runs.run import HOLDER_LEASE, Run
from mission.store.transaction import Tx
from tests.simulation.ports.machine import Machine, Program
from tests.simulation.rules.facts import Violation


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """A program that is about to start, and its row."""

    program: Program
    execution: Execution
    run: Run
    holder: str
    """The process that launches it."""
    machine: Machine
    tx: Tx


def check_start(tx: Tx, *, program: Program, machine: Machine, run_id: str, holder: str) -> None:
    """Raise a Violation that names the first rule that does not hold."""
    execution = tx.executions.find(program.execution_id)
    if execution is None or not execution.is_live:
        raise Violation(f"no_process_without_a_row: {program.execution_id} starts without a live row")
    start = Start(program=program, execution=execution, run=tx.runs.get(run_id), holder=holder, machine=machine, tx=tx)
    for rule in RULES:
        try:
            rule(start)
        except AssertionError as broken:
            raise Violation(f"{rule.__name__}: {broken}") from broken


def no_task_has_two_live_writers(start: Start) -> None:
    others = [each.execution_id for each in start.machine.running if each.task_id == start.program.task_id]
    assert not others, f"{start.program.execution_id} starts next to {others}"


def a_paused_or_ended_run_launches_nothing(start: Start) -> None:
    run, created = start.run, start.execution.created_at
    assert run.paused_at is None or created < run.paused_at, "it was launched while the run was paused"
    assert run.ended_at is None or created < run.ended_at, "it was launched after the run had ended"


def only_the_holder_launches(start: Start) -> None:
    """A lease is renewed by its holder alone, so the one who renewed it before the launch held it then."""
    run = start.run
    renewed = run.holder_until - HOLDER_LEASE if run.holder_until is not None else None
    is_others = run.holder not in (None, start.holder) and renewed is not None
    assert not is_others or renewed >= start.execution.created_at, f"{run.holder} drove the run, not {start.holder}"  # type: ignore[operator]


def nothing_is_launched_on_a_spent_budget(start: Start) -> None:
    run, created = start.run, start.execution.created_at
    limits = run.wanted.budget
    if run.wanted.finish_only:
        return
    earlier = start.tx.executions.of_mission_since(run.mission_id, since=run.created_at)
    launches = sum(each.created_at < created for each in earlier)
    assert limits.launches is None or launches < limits.launches, f"{launches} of {limits.launches} launches were made"
    spent = start.machine.recorded(before=created)
    assert limits.usd is None or spent < limits.usd, f"{spent} of {limits.usd} USD were spent"
    minutes = run.worked_seconds(now=created) / 60
    assert limits.minutes is None or minutes < limits.minutes, f"{minutes} of {limits.minutes} minutes were over"


RULES: tuple[Callable[[Start], None], ...] = (
    no_task_has_two_live_writers,
    a_paused_or_ended_run_launches_nothing,
    only_the_holder_launches,
    nothing_is_launched_on_a_spent_budget,
)
