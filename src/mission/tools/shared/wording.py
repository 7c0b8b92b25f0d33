"""The mission tools' words for states, and the format of timestamps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from mission.domain.errors import IllegalMove
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.journal import IssueType
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality, Task
from mission.domain.timestamps import format_time

Moment = Annotated[datetime, PlainSerializer(format_time, return_type=str), WithJsonSchema({"type": "string"})]

Upper = Annotated[str, BeforeValidator(str.upper)]

_MISSION = {
    MissionStatus.PLANNING: "PENDING",
    MissionStatus.READY: "PENDING",
    MissionStatus.PAUSED: "BLOCKED",
    MissionStatus.ABANDONED: "FAILED",
}
_TASK = {
    TaskStatus.PLANNING: "PENDING",
    TaskStatus.PAUSED: "IN_PROGRESS",
    TaskStatus.REVIEW: "IN_PROGRESS",
}
_ISSUE = {IssueType.DOCUMENTATION_GAP: "DOC_GAP", IssueType.BUG_ENCOUNTERED: "BUG"}


@contextmanager
def legal_moves_in(words: Mapping[str, str]) -> Iterator[None]:
    """Reword the legal moves of an illegal one raised inside, by our state."""
    try:
        yield
    except IllegalMove as error:
        error.name_states(words)
        raise


def mission_status(status: MissionStatus) -> str:
    return _MISSION.get(status, status.upper())


def task_status(task: Task) -> str:
    if task.status is TaskStatus.COMPLETED:
        return "PARTIAL_SUCCESS" if task.quality is Quality.PARTIAL else "SUCCESS"
    return _TASK.get(task.status, task.status.upper())


def issue_type(kind: IssueType) -> str:
    return _ISSUE.get(kind, kind.upper())
