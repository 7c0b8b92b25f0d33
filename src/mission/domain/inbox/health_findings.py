"""Signs that work has gone wrong: a silent owner, or a task that keeps crashing or restarting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.tasks.states import HELD, OPEN, STALLED
from mission.domain.timestamps import format_time

CRASHES = 3
"""A person should look after every this many crashed executions of one task."""
ATTEMPTS = 5
"""The same for a task that was started this many times."""

CRASHED = frozenset({ExecutionStatus.FAILED, ExecutionStatus.LOST})
EXPECTED = OPEN - STALLED
"""States of a claimed task whose owner should send heartbeats; one that waits for a person may be silent."""
UNFINISHED = HELD
"""States of a task that an agent may still work on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HealthFinding:
    """One problem. Its key stays the same as long as it is the same problem."""

    key: str
    subject: str
    body: str
    task_id: str | None = None
    agent_id: str | None = None


def silent_owner(*, agent_id: str, name: str, last_seen_at: datetime, tasks: int, task_id: str) -> HealthFinding:
    held = f"{tasks} claimed task{'s' if tasks > 1 else ''}"
    return HealthFinding(
        key=f"silent {agent_id} {format_time(last_seen_at)}",
        subject=f"{name} stopped responding and holds {held}",
        body=f"{name} ({agent_id}) has sent no heartbeat since {format_time(last_seen_at)} and its lease has expired. "
        f"Any agent may take {'them' if tasks > 1 else 'it'} over; see 'mission show {task_id}' for the progress.",
        task_id=task_id,
        agent_id=agent_id,
    )


def crash_loop(*, task_id: str, name: str, crashes: int) -> HealthFinding:
    return HealthFinding(
        key=f"crashes {task_id} {crashes // CRASHES}",
        subject=f"'{name}' has crashed {crashes} times",
        body=f"{crashes} executions of this task failed or were lost. Check their transcripts before it runs again.",
        task_id=task_id,
    )


def tried_often(*, task_id: str, name: str, attempts: int) -> HealthFinding:
    return HealthFinding(
        key=f"attempts {task_id} {attempts // ATTEMPTS}",
        subject=f"'{name}' was started {attempts} times and is not done",
        body="Its goal may be unclear or too large. 'mission show' lists what each attempt left in its journal.",
        task_id=task_id,
    )
