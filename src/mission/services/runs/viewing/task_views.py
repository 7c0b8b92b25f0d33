"""The tasks of a run as its view shows them, put together from rows that were read at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mission.domain.executions.execution import LIVE, ExecutionStatus
from mission.domain.runs import spending
from mission.domain.runs.attempts import Attempts, failed_by_its_word
from mission.domain.runs.candidate import SENT_BACK, Candidate, CandidateState
from mission.domain.runs.decisions import budgets, stalls
from mission.domain.runs.view import EndedExecution, LiveExecution, Spent, TaskView
from mission.domain.tasks.states import TaskStatus
from mission.domain.timestamps import format_time
from mission.services.runs.viewing.questions import Questions, answer_to

OPERATOR = "stopped by the operator"
"""The reason of an execution that a person stopped."""
RETURNS = 2
"""How often a tree may return to an earlier one."""
FULL_CONTEXT = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchedAgent:
    """One execution of the run, without what decides nothing."""

    id: str
    task_id: str
    agent_id: str
    client: str
    status: ExecutionStatus
    session_id: str | None
    usage: Mapping[str, Any] | None
    claim: Mapping[str, Any] | None
    asked_last: Sequence[str]
    reason: str | None
    resumes: str | None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @classmethod
    def of(cls, row: Any) -> LaunchedAgent:
        values = dict(row._mapping)
        values["client"] = values.pop("adapter")
        values["status"] = ExecutionStatus(values["status"])
        return cls(**values)

    @property
    def is_live(self) -> bool:
        return self.status in LIVE


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRowsByTask:
    """The rows that belong to each task."""

    executions: Mapping[str, Sequence[LaunchedAgent]]
    opened: Mapping[str, Candidate]
    ended: Mapping[str, Sequence[Any]]
    """Rows of candidates that were merged or sent back, oldest first."""
    questions: Questions
    agents: frozenset[str]
    """The agents that the run launched."""
    active: Mapping[str, datetime | None]
    """For each live execution when it last showed life."""
    in_tool: Mapping[str, datetime | None] = field(default_factory=dict)
    circles: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, Mapping[str, datetime]] = field(default_factory=dict)
    stopping: frozenset[str] = frozenset()
    since: datetime
    now: datetime


def task_view(row: Any, rows: RunRowsByTask, *, depends_on: Sequence[str]) -> TaskView:
    """Return one task of the run."""
    launched = rows.executions.get(row.id, ())
    ended = rows.ended.get(row.id, ())
    answer = rows.questions.answers.get(row.id)
    reset = answer.at if answer is not None else rows.since
    live = next((each for each in reversed(launched) if each.is_live), None)
    newest = launched[-1] if launched and live is None else None
    reported = _reported(rows, row.id, ended)
    known = Attempts(launched, reported=reported)
    attempts = [each for each in known.all() if each.created_at > reset]
    back = [each for each in ended if each.state in SENT_BACK and each.updated_at > reset]
    is_foreign = row.owner_id is not None and row.owner_id not in rows.agents
    done = row.status in (TaskStatus.COMPLETED, TaskStatus.SKIPPED)
    return TaskView(
        id=row.id,
        name=row.name,
        status=TaskStatus(row.status),
        position=row.phase_number * 1_000_000 + row.position,
        depends_on=depends_on,
        areas=[*(row.areas or ()), *(row.files_likely_affected or ())],
        requires=row.requires or (),
        client=row.client,
        owner_is_foreign=is_foreign and row.lease_until is not None and row.lease_until > rows.now,
        live=_live(live, rows, reported) if live is not None else None,
        ended=_ended(newest, rows, launched, known, reported, reset) if newest is not None else None,
        attempts=len(attempts),
        clients_tried=[each.client for each in attempts],
        revisions=len(back),
        same_failure=_same_failures(back),
        send_back=_send_back(rows, row.id, ended),
        held_by=rows.questions.held.get(row.id),
        decided=answer.choice if answer is not None and not done and answer.choice.startswith("skip") else None,
        decided_key=answer.key if answer is not None else None,
        has_been_started=bool(launched) or row.started_at is not None,
        spent=_spent(launched, rows, reset),
    )


def new_task_view(row: Any, rows: RunRowsByTask, *, depends_on: Sequence[str]) -> TaskView:
    """Return a task that has not been touched by the run: most of a large plan."""
    is_foreign = row.owner_id is not None and row.lease_until is not None and row.lease_until > rows.now
    return TaskView(
        id=row.id,
        name=row.name,
        status=TaskStatus(row.status),
        position=row.phase_number * 1_000_000 + row.position,
        depends_on=depends_on,
        areas=[*(row.areas or ()), *(row.files_likely_affected or ())],
        requires=row.requires or (),
        client=row.client,
        owner_is_foreign=is_foreign and row.owner_id not in rows.agents,
        held_by=rows.questions.held.get(row.id),
        has_been_started=row.started_at is not None,
    )


def _reported(rows: RunRowsByTask, task_id: str, ended: Sequence[Any]) -> dict[str, tuple[datetime, bool]]:
    """Return when each execution last reported, and whether that report still stands."""
    found = {each.execution_id: (each.created_at, each.state == CandidateState.MERGED) for each in ended}
    opened = rows.opened.get(task_id)
    if opened is not None:
        found[opened.execution_id] = (opened.created_at, True)
    return found


def _claimed_at(execution: LaunchedAgent) -> str | None:
    """Return when the agent last said by a signal that it is done or failed."""
    return (execution.claim or {}).get("at")


def _live(
    execution: LaunchedAgent, rows: RunRowsByTask, reported: Mapping[str, tuple[datetime, bool]]
) -> LiveExecution:
    at, stands = reported.get(execution.id, (None, False))
    sent = rows.commands.get(execution.id, {})
    active = rows.active.get(execution.id)
    budget = sent.get(f"checkpoint {budgets.ABOUT}")
    decided = rows.questions.decided_at.get("budget")
    return LiveExecution(
        id=execution.id,
        client=execution.client,
        started_at=execution.started_at or execution.created_at,
        reported_at=at if stands else None,
        is_sent_back=at is not None and not stands and _claimed_at(execution) == format_time(at),
        active_at=active,
        in_tool_since=rows.in_tool.get(execution.id),
        is_waiting=execution.status is ExecutionStatus.WAITING,
        nudged_at=_after(sent.get("nudge"), active),
        interrupted_at=_after(sent.get("interrupt"), active),
        checkpointed_at=_after(budget, decided),
        is_stopping="stop" in sent or execution.id in rows.stopping,
        circles=rows.circles.get(execution.id),
    )


def _after(moment: datetime | None, earlier: datetime | None) -> datetime | None:
    return moment if moment is not None and (earlier is None or moment > earlier) else None


def _ended(
    newest: LaunchedAgent,
    rows: RunRowsByTask,
    launched: Sequence[LaunchedAgent],
    known: Attempts[LaunchedAgent],
    reported: Mapping[str, Any],
    reset: datetime,
) -> EndedExecution:
    asks, answer = answer_to(rows.questions, newest.asked_last) if newest.id not in reported else (False, None)
    is_decided = (newest.ended_at or newest.created_at) <= reset
    by_person = newest.status is ExecutionStatus.STOPPED and newest.reason == OPERATOR
    return EndedExecution(
        id=newest.id,
        client=newest.client,
        ended_at=newest.ended_at or newest.updated_at,
        counts=not is_decided and known.counts(newest),
        failed_by_its_word=None if is_decided or newest.id in reported else failed_by_its_word(newest),
        answer=answer,
        asks=asks,
        can_resume=newest.session_id is not None and not _has_full_context(newest),
        was_resumed_after_crash=_was_resumed(newest, launched, known),
        refused=known.refusal(newest) if not is_decided and newest.id not in reported else None,
        refusals=_refusals(launched, known, reset),
        was_resume=newest.resumes is not None,
        stopped_by=newest.reason if by_person and not is_decided and newest.id not in reported else None,
    )


def _has_full_context(execution: LaunchedAgent) -> bool:
    """Return whether the session has used so much of its context that a fresh one does better."""
    used = (execution.usage or {}).get("context_used")
    return isinstance(used, int | float) and used > FULL_CONTEXT


def _was_resumed(newest: LaunchedAgent, launched: Sequence[LaunchedAgent], known: Attempts[LaunchedAgent]) -> bool:
    """Return whether it continued the session of an execution that had crashed."""
    earlier = next((each for each in launched if each.id == newest.resumes), None)
    if earlier is None or not known.counts(earlier):
        return False
    return earlier.session_id is not None and earlier.session_id == newest.session_id


def _refusals(launched: Sequence[LaunchedAgent], known: Attempts[LaunchedAgent], reset: datetime) -> int:
    count = 0
    for each in reversed(launched):
        if known.refusal(each) is None or each.created_at <= reset:
            break
        count += 1
    return count


def _same_failures(back: Sequence[Any]) -> int:
    """Return how often the last failure happened in a row; a tree that keeps returning is the same failure too."""
    if not back:
        return 0
    trees = [each.tree for each in back if each.tree is not None]
    returns = sum(tree in trees[:place] and tree != trees[place - 1] for place, tree in enumerate(trees) if place)
    same = 0
    for each in reversed(back):
        if each.reason != back[-1].reason:
            break
        same += 1
    return max(same, stalls.SAME_FAILURES if returns >= RETURNS else 0)


def _send_back(rows: RunRowsByTask, task_id: str, ended: Sequence[Any]) -> str | None:
    """Return what the next agent is told: a person's hint, and why the last result was sent back."""
    last = next((each for each in reversed(ended) if each.state != CandidateState.WITHDRAWN), None)
    answer = rows.questions.answers.get(task_id)
    hint = answer.text if answer is not None and answer.text and (last is None or last.created_at < answer.at) else None
    reason = last.reason if last is not None and last.state in SENT_BACK else None
    return "\n\n".join(filter(None, (f"A person says: {hint}" if hint else None, reason))) or None


def _spent(launched: Sequence[LaunchedAgent], rows: RunRowsByTask, reset: datetime) -> Spent:
    """Return what the task has spent since a person last decided about it."""
    return spending.spent_by((each for each in launched if each.created_at > reset), now=rows.now)
