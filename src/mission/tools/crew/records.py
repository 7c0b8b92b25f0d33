"""Result models of the crew's tools: agents, tasks and epics."""

from __future__ import annotations

import re
from enum import StrEnum

from mission.domain.missions.mission import Mission, MissionStatus
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.gateway.registry import Result
from mission.services.crew.members import AtWork, Member
from mission.services.tasks.status_changes import Moved, task_of
from mission.tools.shared.wording import Moment

_ISSUE_ID = re.compile(r"\b[A-Z][A-Z0-9]*-\d+\b")


class TaskState(StrEnum):
    PENDING = "PENDING"
    ASSIGNED = "ASSIGNED"
    IN_PROGRESS = "IN_PROGRESS"
    REVIEW = "REVIEW"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


class EpicState(StrEnum):
    PLANNING = "PLANNING"
    IN_PROGRESS = "IN_PROGRESS"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"

    @property
    def status(self) -> MissionStatus:
        """Return the mission status that this state sets."""
        return MissionStatus.ABANDONED if self is EpicState.CANCELLED else MissionStatus(self.value.lower())

    @property
    def statuses(self) -> list[MissionStatus]:
        """Return every mission status shown as this state."""
        return [status for status in MissionStatus if epic_state(status) is self]


_EPIC = {
    MissionStatus.READY: EpicState.PLANNING,
    MissionStatus.PAUSED: EpicState.BLOCKED,
    MissionStatus.FAILED: EpicState.CANCELLED,
    MissionStatus.ABANDONED: EpicState.CANCELLED,
}
_TASK = {
    TaskStatus.PLANNING: TaskState.IN_PROGRESS,
    TaskStatus.PAUSED: TaskState.IN_PROGRESS,
    TaskStatus.SKIPPED: TaskState.COMPLETED,
}


def epic_state(status: MissionStatus) -> EpicState:
    return _EPIC.get(status) or EpicState(status.upper())


def task_state(task: Task) -> TaskState:
    if task.is_blocked:
        return TaskState.BLOCKED
    if task.status is TaskStatus.PENDING and task.owner_id is not None:
        return TaskState.ASSIGNED
    return _TASK.get(task.status) or TaskState(task.status.upper())


class AgentStatus(Result):
    id: str
    type: str
    state: str
    currentEpicId: str | None
    currentTaskId: str | None
    tmuxSessionName: str | None
    lastActiveAt: Moment
    createdAt: Moment
    updatedAt: Moment

    @classmethod
    def of(cls, member: Member) -> AgentStatus:
        return cls(**_status(member))


class CrewMember(AgentStatus):
    name: str
    supervisorId: str | None

    @classmethod
    def of(cls, member: Member) -> CrewMember:
        return cls(**_status(member), name=member.agent.name, supervisorId=member.agent.supervisor_id)


class CurrentTask(Result):
    id: str
    title: str
    description: str
    state: str
    epicId: str
    worktreePath: str | None
    branchName: str | None
    prUrl: str | None
    createdAt: Moment
    updatedAt: Moment

    @classmethod
    def of(cls, at_work: AtWork) -> CurrentTask:
        return cls(**_task(at_work.task), worktreePath=at_work.worktree, branchName=at_work.branch)


class CrewTask(Result):
    id: str
    title: str
    description: str
    state: str
    epicId: str
    assignedAgentId: str | None
    failureReason: str | None
    worktreePath: str | None
    prUrl: str | None
    createdAt: Moment
    updatedAt: Moment

    @classmethod
    def of(cls, moved: Moved) -> CrewTask:
        task = task_of(moved)
        reason = task.error or (task.hold.reason if task.hold is not None else None)
        return cls(**_task(task), worktreePath=task.tree, assignedAgentId=task.owner_id, failureReason=reason)


class Epic(Result):
    id: str
    linearIssueId: str | None
    linearIssueUrl: str | None
    title: str
    description: str
    state: str
    createdAt: Moment
    updatedAt: Moment
    completedAt: Moment | None

    @classmethod
    def of(cls, mission: Mission) -> Epic:
        issue, url = linear_of(mission)
        return cls(
            id=mission.id,
            linearIssueId=issue,
            linearIssueUrl=url,
            title=mission.name,
            description=mission.description or mission.objective,
            state=epic_state(mission.status),
            createdAt=mission.created_at,
            updatedAt=mission.updated_at,
            completedAt=mission.completed_at,
        )


def linear_of(mission: Mission) -> tuple[str | None, str | None]:
    """Return id and URL of the mission's Linear issue; the reference has one or both."""
    if mission.source_type != "linear" or not mission.source_ref:
        return None, None
    words = mission.source_ref.split()
    url = next((word for word in words if "://" in word), None)
    issue = next((word for word in words if "://" not in word), None)
    found = _ISSUE_ID.search(url or "")
    return issue or (found[0] if found else None), url


def _status(member: Member) -> dict[str, object]:
    agent = member.agent
    return {
        "id": agent.id,
        "type": agent.type,
        "state": member.state,
        "currentEpicId": member.mission_id,
        "currentTaskId": member.task.id if member.task is not None else None,
        "tmuxSessionName": member.execution_id,
        "lastActiveAt": agent.last_seen_at,
        "createdAt": agent.created_at,
        "updatedAt": agent.updated_at,
    }


def _task(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "title": task.name,
        "description": task.goal,
        "state": task_state(task),
        "epicId": task.mission_id,
        "prUrl": (task.metadata or {}).get("pr_url"),
        "createdAt": task.created_at,
        "updatedAt": task.updated_at,
    }
