"""A run as people read it: the stage of each task, the merge queue, spending and open questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mission.domain.errors import NotFound
from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import InboxItem, ItemKind
from mission.domain.runs import spending
from mission.domain.runs.attempts import Attempts
from mission.domain.runs.candidate import SENT_BACK, Candidate
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.stage import Stage, StageFacts, TaskStage, stage_of
from mission.domain.runs.view import Spent
from mission.domain.tasks.states import DONE
from mission.domain.tasks.task import Task
from mission.domain.timestamps import format_time
from mission.services.paging import cut_page, position_of, row_cursor
from mission.services.runs.viewing.final_checks import final_checks
from mission.services.runs.viewing.questions import read_questions
from mission.store.transaction import Tx

CHUNK = 500
MAX_DENIED = 20

NOT_STARTING = {
    RunState.READY: "The run has not begun yet.",
    RunState.PAUSED: "The run is paused.",
    RunState.STOPPED: "The run was stopped.",
    RunState.FINISHED: "The run has ended.",
}
"""Why a task that nothing keeps from being worked on is not started."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRows:
    """Everything about a run that was read in one transaction."""

    run: Run
    tasks: Sequence[Task]
    depends_on: Mapping[str, Sequence[str]]
    executions: Mapping[str, Sequence[Execution]]
    """Those of each task since the run was started, oldest first."""
    candidates: Sequence[Candidate]
    """All of the run, oldest first."""
    items: Sequence[InboxItem]
    """Open ones of the mission, oldest first."""
    denied: Mapping[str, Sequence[Mapping[str, str]]]
    """For each task what clients denied its agents, each once."""
    answered_at: Mapping[str, datetime]
    """For each task when a person last decided about it: attempts are counted from there."""
    now: datetime


def get(tx: Tx, *, run_id: str | None = None, mission_id: str | None = None) -> dict[str, Any]:
    """Return a run with everything that a person wants to see of it."""
    return describe(tx, find_run(tx, run_id=run_id, mission_id=mission_id))


def find_run(tx: Tx, *, run_id: str | None = None, mission_id: str | None = None) -> Run:
    """Return the run with this id, or the newest one of the mission."""
    if run_id is not None:
        return tx.runs.get(run_id)
    mission = tx.missions.get(mission_id or "")
    run = tx.runs.newest_of_mission(mission.id)
    if run is None:
        raise NotFound(
            f"mission {mission.id} has no run",
            hint=f"Start one: mission run {mission.id} --agent CLIENT",
            mission_id=mission.id,
        )
    return run


def describe(tx: Tx, run: Run) -> dict[str, Any]:
    rows = read_rows(tx, run)
    options = run.wanted
    stages = {task.id: stage_of(stage_facts(rows, task)) for task in rows.tasks}
    spent = run_spending(rows)
    return {
        **run.record(),
        "mission_name": tx.missions.get(run.mission_id).name,
        "foreign_commits": [dict(each) for each in run.foreign_commits],
        "agents": [each.as_dict() for each in options.agents],
        "options": {name: value for name, value in run.options.items() if name not in _SHOWN_APART},
        "budget": {**options.budget.as_dict(), "per_task": options.budget_per_task.as_dict()},
        "spent": {"usd": spent.usd, "tokens": spent.tokens, "minutes": spent.minutes, "launches": spent.launches},
        "warning": spending.warning(spent, options.budget) if run.is_live else None,
        "counts": _counts(stages.values()),
        "tasks": [_task(rows, task, stages[task.id]) for task in rows.tasks],
        "queue": _queue(rows),
        "questions": [question(item) for item in rows.items],
        "preflight": _object(run.preflight),
        "unproved_allowed": run.unproved_allowed,
        "waivers": [dict(each) for each in run.waivers],
        "merging_stopped": run.merging_stopped,
        "final": final_checks(tx, run),
        "landing": _object(run.landing),
    }


_SHOWN_APART = frozenset({"agents", "budget", "budget_per_task"})


def list_runs(
    tx: Tx, *, mission_id: str | None, states: Sequence[RunState] | None, limit: int, cursor: str | None
) -> dict[str, Any]:
    """Return runs, newest first, with their progress."""
    if mission_id is not None:
        tx.missions.get(mission_id)
    words = None if states is None else [str(state) for state in states]
    found = tx.runs.page(mission_id=mission_id, states=words, limit=limit + 1, after=position_of(cursor, kind="run"))
    page = cut_page(found, limit=limit, cursor=row_cursor)
    totals = tx.missions.task_totals(sorted({run.mission_id for run in page.rows}))
    return {"runs": [_row(tx, run, totals.get(run.mission_id, (0, 0))) for run in page.rows], "next_cursor": page.next}


def _row(tx: Tx, run: Run, totals: tuple[int, int]) -> dict[str, Any]:
    return {
        **run.record(),
        "mission_name": tx.missions.get(run.mission_id).name,
        "tasks_total": totals[0],
        "tasks_completed": totals[1],
        "questions": len(open_items(tx, run)),
        "landed": (run.landing or {}).get("state") == "landed",
    }


def read_rows(tx: Tx, run: Run) -> RunRows:
    """Read everything about a run."""
    tasks = tasks_of(tx, run.mission_id)
    since = tx.executions.of_mission_since(run.mission_id, since=run.created_at)
    return RunRows(
        run=run,
        tasks=tasks,
        depends_on=tx.plans.dependencies([task.id for task in tasks]),
        executions=spending.by_task(each for each in since if _is_of_run(each, run)),
        candidates=tx.candidates.of_run(run.id),
        items=open_items(tx, run),
        denied=_denied(tx, run),
        answered_at=_answered_at(tx, run),
        now=tx.now,
    )


def _denied(tx: Tx, run: Run) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in tx.run_views.denied(run.mission_id, since=run.created_at):
        denied = {name: str(row.payload.get(name) or "") for name in ("tool", "detail")}
        of_task = found.setdefault(row.task_id, [])
        if denied not in of_task and len(of_task) < MAX_DENIED:
            of_task.append(denied)
    return found


def _answered_at(tx: Tx, run: Run) -> dict[str, datetime]:
    answers = read_questions(run, tx.run_views.items(run.mission_id, prefix=f"run {run.id} ")).answers
    return {task_id: answer.at for task_id, answer in answers.items()}


def tasks_of(tx: Tx, mission_id: str) -> list[Task]:
    """Return the tasks of a mission in plan order; parts of other tasks are not among them."""
    found: list[Task] = []
    while True:
        page = tx.plans.page(mission_id, limit=CHUNK, offset=0, after=found[-1] if found else None)
        found += page
        if len(page) < CHUNK:
            return [task for task in found if task.parent_id is None]


def open_items(tx: Tx, run: Run) -> list[InboxItem]:
    """Return what a person is asked about the run's mission now; nothing once the run has ended."""
    if not run.is_live:
        return [item for item in _items(tx, run) if (item.once or "").startswith(f"run {run.id} ")]
    return _items(tx, run)


def _items(tx: Tx, run: Run) -> list[InboxItem]:
    kinds = [kind for kind in ItemKind if kind not in (ItemKind.MAIL, ItemKind.HEALTH, ItemKind.ESCALATION)]
    return tx.inbox.open_where(kinds=kinds, mission_id=run.mission_id)


def question(item: InboxItem) -> dict[str, Any]:
    """Return an inbox item as a run shows it."""
    return {
        "item_id": item.id,
        "kind": str(item.kind),
        "subject": item.subject,
        "body": item.body,
        "task_id": item.task_id,
        "choices": [dict(choice) for choice in item.choices],
        "created_at": format_time(item.created_at),
    }


def run_spending(rows: RunRows) -> Spent:
    """Return what a run has spent so far."""
    launched = [each for found in rows.executions.values() for each in found]
    return spending.spent_by(launched, now=rows.now, minutes=rows.run.worked_seconds(now=rows.now) / 60)


def stage_facts(rows: RunRows, task: Task) -> StageFacts:
    """Return what the rows say about one task."""
    run, launched = rows.run, rows.executions.get(task.id, ())
    live = next((each for each in reversed(launched) if each.is_live), None)
    item = next((each for each in rows.items if each.task_id == task.id), None)
    candidate = _newest(rows, task)
    queue = [each.id for each in rows.candidates if each.is_open]
    attempts = _counted(rows, task)
    return StageFacts(
        status=task.status,
        waits_for=_waits_for(rows, task),
        candidate=candidate,
        before_it=queue.index(candidate.id) if candidate is not None and candidate.id in queue else 0,
        question=item.subject if item is not None else None,
        in_review=item is not None and item.kind is ItemKind.REVIEW,
        client=live.adapter if live is not None else None,
        owner=_foreign_owner(task, launched, now=rows.now),
        hold=task.hold.reason if task.hold is not None else None,
        retry_at=_retry_at(rows, task),
        attempts=len(attempts),
        attempts_allowed=run.wanted.attempts,
        merging_stopped=run.merging_stopped,
        not_starting=NOT_STARTING.get(run.state),
        error=task.error,
        proof_state=task.proof_state,
        now=rows.now,
    )


def attempts_of(rows: RunRows, task: Task) -> list[Execution]:
    """Return the executions of a task that ended by themselves without a report."""
    reported = {each.execution_id for each in rows.candidates if each.task_id == task.id and each.execution_id}
    return Attempts(rows.executions.get(task.id, ()), reported=reported).all()


def _task(rows: RunRows, task: Task, stage: TaskStage) -> dict[str, Any]:
    launched = rows.executions.get(task.id, ())
    newest = launched[-1] if launched else None
    candidate = _newest(rows, task)
    retry_at = _retry_at(rows, task) if stage.stage is Stage.RETRYING else None
    return {
        "task_id": task.id,
        "name": task.name,
        "stage": str(stage.stage),
        "reason": stage.reason,
        "attempts": len(attempts_of(rows, task)),
        "revisions": sum(each.state in SENT_BACK for each in rows.candidates if each.task_id == task.id),
        "retry_at": format_time(retry_at),
        "execution_id": newest.id if newest is not None else None,
        "candidate_id": candidate.id if candidate is not None else None,
        "client": newest.adapter if newest is not None else task.client,
        "proof_state": str(task.proof_state) if task.proof_state is not None else None,
        "depends_on": list(rows.depends_on.get(task.id, ())),
        "denied": [dict(each) for each in rows.denied.get(task.id, ())],
    }


def _queue(rows: RunRows) -> list[dict[str, Any]]:
    names = {task.id: task.name for task in rows.tasks}
    waiting = [each for each in rows.candidates if each.is_open]
    return [
        {
            "candidate_id": each.id,
            "task_id": each.task_id,
            "name": names.get(each.task_id, each.task_id),
            "state": str(each.state),
            "position": position,
            "reason": each.reason,
        }
        for position, each in enumerate(waiting, 1)
    ]


def _counts(stages: Any) -> dict[str, int]:
    counts = {str(stage): 0 for stage in Stage}
    for each in stages:
        counts[str(each.stage)] += 1
    return counts


def _newest(rows: RunRows, task: Task) -> Candidate | None:
    return next((each for each in reversed(rows.candidates) if each.task_id == task.id), None)


def _waits_for(rows: RunRows, task: Task) -> list[str]:
    if not task.waiting_for:
        return []
    others = {each.id: each for each in rows.tasks}
    needed = (others.get(id) for id in rows.depends_on.get(task.id, ()))
    return [each.name for each in needed if each is not None and each.status not in DONE]


def _foreign_owner(task: Task, launched: Sequence[Execution], *, now: datetime) -> str | None:
    """Return the agent that holds the task and was not launched by the run."""
    ours = {each.agent_id for each in launched}
    holds = task.owner_id is not None and task.lease_until is not None and task.lease_until > now
    return task.owner_id if holds and task.owner_id not in ours else None


def _counted(rows: RunRows, task: Task) -> list[Execution]:
    """Return the attempts that the run counts: those since a person last decided about the task."""
    answered = rows.answered_at.get(task.id)
    return [each for each in attempts_of(rows, task) if answered is None or each.created_at > answered]


def _retry_at(rows: RunRows, task: Task) -> datetime | None:
    """Return when the task is tried again after an attempt; None if its last agent ended otherwise."""
    attempts, launched = _counted(rows, task), rows.executions.get(task.id, ())
    if not attempts or attempts[-1] is not launched[-1]:
        return None
    ended, delay = attempts[-1].ended_at, rows.run.wanted.retry_delay(len(attempts))
    return ended + timedelta(seconds=delay) if ended is not None else None


def _is_of_run(execution: Execution, run: Run) -> bool:
    return run.ended_at is None or execution.created_at <= run.ended_at


def _object(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(value) if value is not None else None
