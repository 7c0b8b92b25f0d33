"""Candidates of tasks in a run: take a report as one, join one that is open, and record what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mission.domain import events
from mission.domain.errors import InvalidState
from mission.domain.ids import new_id
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks import moves
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.tasks import updates
from mission.store.transaction import Tx

WAITING = "its result is checked and merged"


def run_of(tx: Tx, task: Task) -> Run | None:
    """Return the run that merges the task's result; the work of a child task is part of its parent's."""
    return tx.runs.live_of_mission(task.mission_id) if task.parent_id is None else None


def submit(
    tx: Tx,
    *,
    run: Run,
    task: Task,
    report: Mapping[str, Any],
    agent_id: str | None,
    execution_id: str | None = None,
) -> Candidate:
    """Take a report as a candidate and hold the task until it is merged or sent back.

    A repeated report joins the open candidate, and its words replace the earlier ones.
    """
    opened = tx.candidates.open_of_task(task.id)
    if opened is not None and task.status is TaskStatus.REVIEW and opened.run_id == run.id:
        return save(tx, opened, report=dict(report), agent_id=agent_id or opened.agent_id)
    if opened is not None:
        save(tx, opened, state=CandidateState.WITHDRAWN, reason="a newer report replaced it")
    hold(tx, task, by=agent_id)
    candidate = Candidate(
        id=new_id("candidate"),
        run_id=run.id,
        mission_id=task.mission_id,
        task_id=task.id,
        execution_id=execution_id or _live_execution(tx, task, agent_id),
        agent_id=agent_id or task.owner_id,
        fence=task.fence,
        report=dict(report),
        created_at=tx.now,
        updated_at=tx.now,
    )
    return add(tx, candidate)


def hold(tx: Tx, task: Task, *, by: str | None) -> Task:
    """Hold a reported task: it is under review, without a lease, so no other agent claims it."""
    held = moves.checking(task, Hold(HoldKind.CHECKS, WAITING, by), at=tx.now)
    (after,) = updates.apply(tx, replace(held, before=task))
    return after


def add(tx: Tx, candidate: Candidate) -> Candidate:
    """Store a new candidate."""
    tx.candidates.add(candidate)
    tx.emit(events.CandidateCreated(candidate=candidate))
    return candidate


def save(tx: Tx, candidate: Candidate, **changes: Any) -> Candidate:
    """Store a candidate with these changes."""
    saved = replace(candidate, **{"updated_at": tx.now, **changes})
    tx.candidates.save(saved)
    tx.emit(events.CandidateUpdated(candidate=saved))
    return saved


def check_not_skipped(task: Task) -> None:
    """Raise InvalidState: in a run nobody but a person lets a result through without its checks."""
    raise InvalidState(
        f"task {task.id} is part of a run and cannot be completed with 'unproved'",
        hint="Complete it without 'unproved'. Only a person can accept it as it is.",
        current=str(task.status),
    )


def _live_execution(tx: Tx, task: Task, agent_id: str | None) -> str | None:
    """Return the live execution of the agent that reports, if it was launched."""
    newest = tx.executions.newest_of_task(task.id)
    is_its_own = newest is not None and newest.is_live and newest.agent_id == (agent_id or task.owner_id)
    return newest.id if newest is not None and is_its_own else None
