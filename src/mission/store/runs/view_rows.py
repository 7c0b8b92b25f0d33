"""Queries for the view of a run: one for each kind of row, and only the columns that decide something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, or_, select

from mission.domain.executions.execution import LIVE, ExecutionKind
from mission.domain.executions.observation import PERMISSION_DENIED
from mission.domain.inbox.item import HOLDING, SYSTEM, ItemState
from mission.domain.runs.candidate import SENT_BACK, CandidateState
from mission.store.columns import UtcTime
from mission.store.tables import (
    audit,
    candidates,
    check_rounds,
    checks,
    dependencies,
    evidence,
    executions,
    observations,
    operator_messages,
    queue_items,
    runs,
    tasks,
)

_LIVE_WORDS = [str(status) for status in LIVE]
_TASKS = (
    select(
        tasks.c.id,
        tasks.c.name,
        tasks.c.status,
        tasks.c.phase_number,
        tasks.c.position,
        tasks.c.areas,
        tasks.c.files_likely_affected,
        tasks.c.requires,
        tasks.c.client,
        tasks.c.owner_id,
        tasks.c.lease_until,
        tasks.c.started_at,
    )
    .where(tasks.c.mission_id == bindparam("mission_id"), tasks.c.parent_id.is_(None))
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.created_at, tasks.c.id)
)
_DEPENDENCIES = (
    select(dependencies.c.task_id, dependencies.c.depends_on)
    .join(tasks, tasks.c.id == dependencies.c.task_id)
    .where(tasks.c.mission_id == bindparam("mission_id"))
)
_EXECUTIONS = (
    select(
        executions.c.id,
        executions.c.task_id,
        executions.c.agent_id,
        executions.c.adapter,
        executions.c.status,
        executions.c.session_id,
        executions.c.usage,
        executions.c.claim,
        executions.c.asked_last,
        executions.c.reason,
        executions.c.resumes,
        executions.c.created_at,
        executions.c.updated_at,
        executions.c.started_at,
        executions.c.ended_at,
    )
    .where(
        executions.c.mission_id == bindparam("mission_id"),
        executions.c.created_at >= bindparam("since", type_=UtcTime),
        executions.c.kind == str(ExecutionKind.WORK),
    )
    .order_by(executions.c.created_at, executions.c.id)
)
_USED_SINCE = select(executions.c.status, executions.c.usage, executions.c.started_at, executions.c.ended_at).where(
    executions.c.created_at >= bindparam("since", type_=UtcTime),
    executions.c.mission_id.in_(select(runs.c.mission_id)),
)
_ENDED_CANDIDATES = (
    select(candidates.c.task_id, candidates.c.execution_id, candidates.c.state, candidates.c.reason)
    .add_columns(candidates.c.created_at, candidates.c.updated_at, candidates.c.tree)
    .where(
        candidates.c.run_id == bindparam("run_id"),
        candidates.c.state.in_([str(state) for state in (*SENT_BACK, CandidateState.MERGED, CandidateState.WITHDRAWN)]),
    )
    .order_by(candidates.c.created_at, candidates.c.id)
)
_ROUNDS = (
    select(
        check_rounds.c.id,
        check_rounds.c.state,
        check_rounds.c.tree,
        check_rounds.c.purpose,
        check_rounds.c.candidate_id,
        check_rounds.c.verdict,
        check_rounds.c.reason,
        check_rounds.c.created_at,
        check_rounds.c.ended_at,
    )
    .where(
        check_rounds.c.run_id == bindparam("run_id"),
        or_(
            check_rounds.c.candidate_id.is_(None),
            check_rounds.c.candidate_id.in_(bindparam("candidates", expanding=True)),
        ),
    )
    .order_by(check_rounds.c.created_at, check_rounds.c.id)
)
_CHECK_SECONDS = (
    select(evidence.c.round_id, func.sum(evidence.c.seconds).label("seconds"))
    .join(check_rounds, check_rounds.c.id == evidence.c.round_id)
    .where(check_rounds.c.run_id == bindparam("run_id"), evidence.c.reused_from.is_(None))
    .group_by(evidence.c.round_id, check_rounds.c.created_at)
    .order_by(check_rounds.c.created_at.desc())
    .limit(5)
)
_ITEMS = select(
    queue_items.c.id,
    queue_items.c.kind,
    queue_items.c.state,
    queue_items.c.task_id,
    queue_items.c.entry_id,
    queue_items.c.execution_id,
    queue_items.c.once,
    queue_items.c.choices,
    queue_items.c.choice,
    queue_items.c.answer,
    queue_items.c.created_at,
    queue_items.c.closed_at,
    queue_items.c.closed_by,
).where(
    queue_items.c.mission_id == bindparam("mission_id"),
    or_(
        queue_items.c.once.like(bindparam("prefix")),
        queue_items.c.kind.in_(sorted(map(str, HOLDING))),
    ),
    or_(queue_items.c.state == str(ItemState.OPEN), queue_items.c.closed_by != SYSTEM),
)
_REQUIRED = select(checks.c.scope, checks.c.scope_id, checks.c.definition, checks.c.approval).where(
    checks.c.final.is_(False),
    or_(
        checks.c.mission_id == bindparam("mission_id"),
        checks.c.scope_id == bindparam("mission_id"),
        checks.c.scope_id == bindparam("repository_id"),
    ),
)
_COMMANDS = (
    select(
        operator_messages.c.execution_id,
        operator_messages.c.kind,
        operator_messages.c.author,
        func.max(operator_messages.c.created_at, type_=UtcTime).label("at"),
    )
    .join(executions, executions.c.id == operator_messages.c.execution_id)
    .where(
        executions.c.mission_id == bindparam("mission_id"),
        executions.c.status.in_(_LIVE_WORDS),
    )
    .group_by(operator_messages.c.execution_id, operator_messages.c.kind, operator_messages.c.author)
)
_OTHER_AREAS = (
    select(tasks.c.areas, tasks.c.files_likely_affected)
    .join(executions, executions.c.task_id == tasks.c.id)
    .join(runs, runs.c.mission_id == tasks.c.mission_id)
    .where(
        executions.c.status.in_(_LIVE_WORDS),
        runs.c.state.not_in(["finished", "stopped"]),
        runs.c.repository == bindparam("repository"),
        runs.c.host_id == bindparam("host_id"),
        runs.c.mission_id != bindparam("mission_id"),
    )
)
_DENIED = (
    select(executions.c.task_id, observations.c.payload)
    .join(observations, observations.c.execution_id == executions.c.id)
    .where(
        executions.c.mission_id == bindparam("mission_id"),
        executions.c.created_at >= bindparam("since", type_=UtcTime),
        observations.c.type == PERMISSION_DENIED,
    )
    .order_by(observations.c.created_at, observations.c.id)
)
_LAST_LAUNCH = select(func.max(executions.c.created_at, type_=UtcTime)).where(
    executions.c.host_id == bindparam("host_id"), executions.c.created_at >= bindparam("since", type_=UtcTime)
)
_CALLS = select(audit.c.agent_id, audit.c.tool, audit.c.arguments, audit.c.at).where(
    audit.c.agent_id.in_(bindparam("agents", expanding=True)),
    audit.c.at >= bindparam("since", type_=UtcTime),
)
_DRIVEN = (
    select(runs.c.id)
    .distinct()
    .join(executions, executions.c.mission_id == runs.c.mission_id)
    .where(
        runs.c.host_id == bindparam("host_id"),
        runs.c.state.in_(["finished", "stopped"]),
        executions.c.status.in_(_LIVE_WORDS),
        executions.c.created_at >= runs.c.created_at,
        executions.c.created_at <= runs.c.ended_at,
    )
)


class ViewRows:
    """Reads what the controller looks at."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def tasks(self, mission_id: str) -> list[Row[Any]]:
        """List the tasks of a mission in the order of its plan; parts of other tasks are not among them."""
        return self._all(_TASKS, mission_id=mission_id)

    def dependencies(self, mission_id: str) -> list[Row[Any]]:
        return self._all(_DEPENDENCIES, mission_id=mission_id)

    def executions(self, mission_id: str, *, since: datetime) -> list[Row[Any]]:
        """List the launched agents of a mission since then, oldest first."""
        return self._all(_EXECUTIONS, mission_id=mission_id, since=since)

    def used_since(self, since: datetime) -> list[Row[Any]]:
        """List what executions of all missions that were ever run have used since then."""
        return self._all(_USED_SINCE, since=since)

    def ended_candidates(self, run_id: str) -> list[Row[Any]]:
        """List the candidates of a run that were merged, sent back or withdrawn, oldest first."""
        return self._all(_ENDED_CANDIDATES, run_id=run_id)

    def rounds(self, run_id: str, *, candidate_ids: Sequence[str]) -> list[Row[Any]]:
        """List the rounds of these candidates and those about the run itself, oldest first."""
        return self._all(_ROUNDS, run_id=run_id, candidates=list(candidate_ids))

    def check_seconds(self, run_id: str) -> list[float]:
        """Return how long the checks of the newest rounds took."""
        return [float(row.seconds) for row in self._all(_CHECK_SECONDS, run_id=run_id) if row.seconds is not None]

    def items(self, mission_id: str, *, prefix: str) -> list[Row[Any]]:
        """List the items whose key starts with a prefix, and those that hold tasks: open, or closed by a person."""
        return self._all(_ITEMS, mission_id=mission_id, prefix=f"{prefix}%")

    def checks(self, mission_id: str, *, repository_id: str | None) -> list[Row[Any]]:
        """List the checks of a mission, its tasks and its repository."""
        return self._all(_REQUIRED, mission_id=mission_id, repository_id=repository_id or "")

    def commands(self, mission_id: str) -> list[Row[Any]]:
        """List when each kind of command was last sent to each live execution."""
        return self._all(_COMMANDS, mission_id=mission_id)

    def other_areas(self, *, host_id: str, repository: str, mission_id: str) -> list[list[str]]:
        """Return the areas of live work of other runs in the repository."""
        rows = self._all(_OTHER_AREAS, host_id=host_id, repository=repository, mission_id=mission_id)
        return [[*(row.areas or ()), *(row.files_likely_affected or ())] for row in rows]

    def last_launch(self, *, host_id: str, since: datetime) -> datetime | None:
        found: datetime | None = self._connection.execute(
            _LAST_LAUNCH, {"host_id": host_id, "since": since}
        ).scalar_one()
        return found

    def denied(self, mission_id: str, *, since: datetime) -> list[Row[Any]]:
        """List what clients denied the agents of a mission since then, oldest first."""
        return self._all(_DENIED, mission_id=mission_id, since=since)

    def calls(self, agent_ids: Sequence[str], *, since: datetime) -> list[Row[Any]]:
        """List the calls of agents since then."""
        return self._all(_CALLS, agents=list(agent_ids), since=since) if agent_ids else []

    def ended_with_agents(self, *, host_id: str) -> list[str]:
        """Return the runs of a host that have ended while agents of them still live."""
        return list(self._connection.execute(_DRIVEN, {"host_id": host_id}).scalars())

    def _all(self, statement: Any, **values: Any) -> list[Row[Any]]:
        return list(self._connection.execute(statement, values))
