"""Read the view of a run: everything that one decision is made from, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from mission.domain.checks.check import Approval, Scope
from mission.domain.checks.round import Purpose, RoundState
from mission.domain.executions.execution import LIVE
from mission.domain.runs import spending
from mission.domain.runs.candidate import Candidate
from mission.domain.runs.options import Limits
from mission.domain.runs.run import Run
from mission.domain.runs.view import ClientView, MachineView, RoundView, RunView, Spent, TaskView
from mission.services.runs.viewing.questions import read_questions
from mission.services.runs.viewing.task_views import LaunchedAgent, RunRowsByTask, new_task_view, task_view
from mission.store.transaction import Tx

NO_LIMIT = Limits()


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessFacts:
    """The facts that the process that drives a run knows besides the rows."""

    slots: int = 1
    has_disk: bool = True
    clients: Mapping[str, ClientView] = field(default_factory=dict)
    active: Mapping[str, datetime | None] = field(default_factory=dict)
    """For each live execution when its program last showed life, as far as that is known."""
    in_tool: Mapping[str, datetime | None] = field(default_factory=dict)
    """For each live execution since when a tool call of its agent is open."""
    circles: Mapping[str, str] = field(default_factory=dict)
    launching: Mapping[str, str] = field(default_factory=dict)
    stopping: frozenset[str] = frozenset()
    daily: Limits = field(default_factory=Limits)


def read_view(tx: Tx, *, run_id: str, facts: ProcessFacts) -> RunView | None:
    """Return the view of a run; None if the run is gone."""
    run = tx.runs.find(run_id)
    if run is None:
        return None
    rows = tx.run_views
    launched = [LaunchedAgent.of(row) for row in rows.executions(run.mission_id, since=run.created_at)]
    if run.ended_at is not None:
        launched = [each for each in launched if each.created_at <= run.ended_at]
    opened = tx.candidates.open_of_run(run.id)
    depends_on = _depends_on(rows.dependencies(run.mission_id))
    by_task = _by_task(tx, run, launched, opened, facts)
    tasks = [_task(row, by_task, depends_on.get(row.id, ())) for row in rows.tasks(run.mission_id)]
    questions = by_task.questions
    return RunView(
        now=tx.now,
        run=run,
        tasks=tasks,
        candidates=opened,
        rounds=_rounds(tx, run, opened),
        has_required_checks=_required(tx, run, opened),
        frees=_frees(opened, depends_on),
        check_seconds=median(rows.check_seconds(run.id) or [0.0]) if opened else 0.0,
        clients=facts.clients,
        machine=_machine(tx, run, facts),
        other_areas=rows.other_areas(host_id=run.host_id, repository=run.repository, mission_id=run.mission_id),
        spent=spending.spent_by(launched, now=tx.now, minutes=run.worked_seconds(now=tx.now) / 60),
        spent_today=_spent_today(tx, facts),
        daily=facts.daily,
        items=questions.items,
        item_times=questions.times,
        decisions=questions.decisions,
        decided_at=questions.decided_at,
        launching=_without_rows(facts.launching, launched),
    )


def _without_rows(launching: Mapping[str, str], launched: Sequence[LaunchedAgent]) -> dict[str, str]:
    """Return the launches that have begun and have no row yet."""
    live = {each.task_id for each in launched if each.is_live}
    return {task_id: client for task_id, client in launching.items() if task_id not in live}


def _by_task(
    tx: Tx, run: Run, launched: Sequence[LaunchedAgent], opened: Sequence[Candidate], facts: ProcessFacts
) -> RunRowsByTask:
    rows = tx.run_views
    live = [each for each in launched if each.is_live]
    return RunRowsByTask(
        executions=_grouped(launched),
        opened={each.task_id: each for each in opened},
        ended=_grouped(rows.ended_candidates(run.id)),
        questions=read_questions(run, rows.items(run.mission_id, prefix=f"run {run.id} ")),
        agents=frozenset(each.agent_id for each in launched),
        active={each.id: _active_at(each, facts) for each in live},
        in_tool=facts.in_tool,
        circles=facts.circles,
        commands=_commands(rows.commands(run.mission_id)) if live else {},
        stopping=facts.stopping,
        since=run.created_at - timedelta(seconds=1),
        now=tx.now,
    )


def _task(row: Any, rows: RunRowsByTask, depends_on: Sequence[str]) -> TaskView:
    touched = row.id in rows.executions or row.id in rows.opened or row.id in rows.ended
    if touched or row.id in rows.questions.answers:
        return task_view(row, rows, depends_on=depends_on)
    return new_task_view(row, rows, depends_on=depends_on)


def _grouped(found: Iterable[Any]) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = {}
    for each in found:
        grouped.setdefault(each.task_id, []).append(each)
    return grouped


def _depends_on(rows: Iterable[Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for task_id, other in rows:
        found.setdefault(task_id, []).append(other)
    return found


def _active_at(execution: LaunchedAgent, facts: ProcessFacts) -> datetime | None:
    """Return when an execution last showed life: in the process that follows it, or by a signal."""
    known = facts.active.get(execution.id)
    return max(known, execution.updated_at) if known is not None else None


def _commands(rows: Iterable[Any]) -> dict[str, dict[str, datetime]]:
    found: dict[str, dict[str, datetime]] = {}
    for row in rows:
        about = (row.author or "").removeprefix("run ") if (row.author or "").startswith("run ") else None
        for name in (row.kind, f"{row.kind} {about}"):
            sent = found.setdefault(row.execution_id, {})
            sent[name] = max(row.at, sent.get(name, row.at))
    return found


def _rounds(tx: Tx, run: Run, opened: Sequence[Candidate]) -> dict[str, RoundView]:
    found = tx.run_views.rounds(run.id, candidate_ids=[each.id for each in opened])
    return {
        row.id: RoundView(
            id=row.id,
            state=RoundState(row.state),
            tree=row.tree,
            proves=bool((row.verdict or {}).get("proves")),
            purpose=Purpose(row.purpose),
            candidate_id=row.candidate_id,
            created_at=row.created_at,
            reason=row.reason,
        )
        for row in found
    }


def _required(tx: Tx, run: Run, opened: Sequence[Candidate]) -> dict[str, bool]:
    """Return for each task with a candidate whether a required check is in effect."""
    if not opened:
        return {}
    mission = tx.missions.get(run.mission_id)
    repository = mission.repository_id if mission.repository_checks else None
    needed: set[tuple[str, str]] = set()
    for row in tx.run_views.checks(run.mission_id, repository_id=repository):
        if row.approval != Approval.REFUSED and row.definition.get("required", True):
            needed.add((row.scope, row.scope_id))
    everywhere = (Scope.MISSION, mission.id) in needed or (Scope.REPOSITORY, repository) in needed
    return {each.task_id: everywhere or (Scope.TASK, each.task_id) in needed for each in opened}


def _frees(opened: Sequence[Candidate], depends_on: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return for each task with a candidate how many tasks wait for it, directly or not."""
    if len(opened) < 2:
        return {}
    waiting: dict[str, list[str]] = {}
    for task_id, others in depends_on.items():
        for each in others:
            waiting.setdefault(each, []).append(task_id)
    return {each.task_id: _count_behind(each.task_id, waiting) for each in opened}


def _count_behind(task_id: str, waiting: Mapping[str, Sequence[str]]) -> int:
    seen, todo = {task_id}, [task_id]
    while todo:
        more = [each for each in waiting.get(todo.pop(), ()) if each not in seen]
        seen.update(more)
        todo += more
    return len(seen) - 1


def _machine(tx: Tx, run: Run, facts: ProcessFacts) -> MachineView:
    return MachineView(
        slots=facts.slots,
        busy=tx.executions.count_live(host_id=run.host_id),
        has_disk=facts.has_disk,
        last_launch_at=tx.run_views.last_launch(host_id=run.host_id, since=tx.now - timedelta(minutes=1)),
    )


@dataclass(frozen=True, slots=True)
class _Used:
    """The usage of one execution of the day."""

    usage: Mapping[str, Any] | None
    started_at: datetime | None
    ended_at: datetime | None
    is_live: bool


def _spent_today(tx: Tx, facts: ProcessFacts) -> Spent:
    """Return what all runs have spent since midnight, if a limit asks for that."""
    if facts.daily == NO_LIMIT:
        return Spent()
    midnight = tx.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    used = (
        _Used(row.usage, row.started_at, row.ended_at, row.status in LIVE) for row in tx.run_views.used_since(midnight)
    )
    return spending.spent_by(used, now=tx.now)
