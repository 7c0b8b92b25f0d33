"""Domain events: facts in the past tense, under the names that subscribers use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mission.domain.agents.agent import Agent, Presence
from mission.domain.checks.evidence import Evidence
from mission.domain.executions.command import ExecutionCommand
from mission.domain.executions.execution import Execution
from mission.domain.executions.observation import Observation
from mission.domain.inbox.item import InboxItem
from mission.domain.message import HUMAN, Message
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import Phase
from mission.domain.missions.repository import Repository
from mission.domain.missions.template import Template
from mission.domain.runs.candidate import Candidate
from mission.domain.runs.run import Run
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.task import Task
from mission.domain.tasks.workspace import Workspace


class Event(ABC):
    """A fact that is stored in the same transaction as the change it describes."""

    __slots__ = ()

    topic: ClassVar[str]
    may_supersede: ClassVar[bool] = False
    """Whether it can replace an earlier event of the same transaction."""

    @property
    def type(self) -> str:
        return self.topic

    @property
    @abstractmethod
    def mission_id(self) -> str | None: ...

    @property
    def agent_ids(self) -> Sequence[str]:
        """Agents whose own topic should carry the event."""
        return ()

    @abstractmethod
    def data(self) -> dict[str, Any]: ...

    def supersedes(self, other: Event) -> bool:  # noqa: ARG002
        """Return whether this replaces an earlier event of the same transaction."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class _MissionEvent(Event):
    mission: Mission

    @property
    def type(self) -> str:
        return f"{self.mission.family}:{self.topic}"

    @property
    def mission_id(self) -> str | None:
        return self.mission.id

    def data(self) -> dict[str, Any]:
        return self.mission.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionCreated(_MissionEvent):
    """A mission was started or planned."""

    topic: ClassVar[str] = "created"


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionUpdated(_MissionEvent):
    """A mission changed, or something in it that its readers should see."""

    topic: ClassVar[str] = "updated"
    may_supersede: ClassVar[bool] = True
    tasks_created: int = 0
    """How many tasks a plan created; they have no events of their own."""

    def supersedes(self, other: Event) -> bool:
        same = isinstance(other, MissionUpdated) and other.mission.id == self.mission.id
        return same and not (isinstance(other, MissionUpdated) and other.tasks_created)

    def data(self) -> dict[str, Any]:
        record = self.mission.record()
        return {**record, "tasks_created": self.tasks_created} if self.tasks_created else record


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionDeleted(_MissionEvent):
    """The operator deleted a mission and everything in it."""

    topic: ClassVar[str] = "deleted"


@dataclass(frozen=True, kw_only=True, slots=True)
class _PhaseEvent(Event):
    phase: Phase

    @property
    def mission_id(self) -> str | None:
        return self.phase.mission_id

    def data(self) -> dict[str, Any]:
        return self.phase.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseCreated(_PhaseEvent):
    """A phase was created."""

    topic: ClassVar[str] = "phase:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseUpdated(_PhaseEvent):
    """A phase was started or closed."""

    topic: ClassVar[str] = "phase:updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class _TaskEvent(Event):
    task: Task

    @property
    def mission_id(self) -> str | None:
        return self.task.mission_id

    @property
    def agent_ids(self) -> Sequence[str]:
        return (self.task.owner_id,) if self.task.owner_id else ()

    def data(self) -> dict[str, Any]:
        return self.task.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskCreated(_TaskEvent):
    """A task was created."""

    topic: ClassVar[str] = "task:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskUpdated(_TaskEvent):
    """A task's state or owner changed; the cause says why."""

    topic: ClassVar[str] = "task:updated"
    cause: Cause

    def data(self) -> dict[str, Any]:
        return {**self.task.record(), "cause": str(self.cause)}


@dataclass(frozen=True, kw_only=True, slots=True)
class _WorkspaceEvent(Event):
    workspace: Workspace

    @property
    def mission_id(self) -> str | None:
        return self.workspace.mission_id

    def data(self) -> dict[str, Any]:
        return self.workspace.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceCreated(_WorkspaceEvent):
    """A worktree was created or registered for tasks of a mission."""

    topic: ClassVar[str] = "workspace:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceUpdated(_WorkspaceEvent):
    """A workspace was merged, abandoned, reactivated or removed."""

    topic: ClassVar[str] = "workspace:updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryCreated(Event):
    """A decision, issue, milestone or checkpoint was added to a task's journal."""

    topic: ClassVar[str] = "{checkpoint,decision,issue,milestone}:created"
    entry: JournalEntry

    @property
    def type(self) -> str:
        return f"{self.entry.kind.id_kind}:created"

    @property
    def mission_id(self) -> str | None:
        return self.entry.mission_id

    @property
    def agent_ids(self) -> Sequence[str]:
        return (self.entry.author,) if self.entry.author else ()

    def data(self) -> dict[str, Any]:
        return self.entry.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class _AgentEvent(Event):
    agent: Agent
    presence: Presence

    @property
    def mission_id(self) -> str | None:
        return None

    @property
    def agent_ids(self) -> Sequence[str]:
        return (self.agent.id,)

    def data(self) -> dict[str, Any]:
        return self.agent.record(self.presence)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentCreated(_AgentEvent):
    """An agent registered."""

    topic: ClassVar[str] = "agent:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentUpdated(_AgentEvent):
    """An agent's own description or presence changed, or it left."""

    topic: ClassVar[str] = "agent:updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class _QueueEvent(Event):
    item: InboxItem

    @property
    def mission_id(self) -> str | None:
        return self.item.mission_id

    @property
    def agent_ids(self) -> Sequence[str]:
        return (self.item.agent_id,) if self.item.agent_id else ()

    def data(self) -> dict[str, Any]:
        return self.item.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueItemCreated(_QueueEvent):
    """A new inbox item waits for a person."""

    topic: ClassVar[str] = "queue:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueItemUpdated(_QueueEvent):
    """An inbox item was answered or dismissed, or its cause occurred again."""

    topic: ClassVar[str] = "queue:updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class _MessageEvent(Event):
    message: Message

    @property
    def mission_id(self) -> str | None:
        return self.message.mission_id

    @property
    def agent_ids(self) -> Sequence[str]:
        return (self.message.recipient_id, self.message.sender_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageCreated(_MessageEvent):
    """A message was delivered to a mailbox."""

    topic: ClassVar[str] = "message:created"

    def data(self) -> dict[str, Any]:
        return self.message.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class MailSent(_MessageEvent):
    """A message was sent to an agent or to the person."""

    topic: ClassVar[str] = "mail.sent"

    def data(self) -> dict[str, Any]:
        for_human = self.message.recipient_id == HUMAN
        return {
            "mailId": self.message.id,
            "toAgentId": None if for_human else self.message.recipient_id,
            "isForHuman": for_human,
            "subject": self.message.subject,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class _ExecutionEvent(Event):
    execution: Execution

    @property
    def mission_id(self) -> str | None:
        return self.execution.mission_id

    @property
    def agent_ids(self) -> Sequence[str]:
        return (self.execution.agent_id,)

    def data(self) -> dict[str, Any]:
        return self.execution.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionCreated(_ExecutionEvent):
    """An agent is about to be launched on a task."""

    topic: ClassVar[str] = "execution:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionUpdated(_ExecutionEvent):
    """A launched agent started, changed state, reported progress, received a message or ended."""

    topic: ClassVar[str] = "execution:updated"
    message: ExecutionCommand | None = None

    def data(self) -> dict[str, Any]:
        message = {"message": self.message.record()} if self.message is not None else {}
        return {**self.execution.record(), **message}


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservationCreated(_ExecutionEvent):
    """A signal from a launched agent, or an observation of it, was recorded."""

    topic: ClassVar[str] = "observation:created"
    observation: Observation

    def data(self) -> dict[str, Any]:
        return {**self.observation.record(), "task_id": self.execution.task_id, "agent_id": self.execution.agent_id}


@dataclass(frozen=True, kw_only=True, slots=True)
class _EvidenceEvent(Event):
    evidence: Evidence

    @property
    def mission_id(self) -> str | None:
        return self.evidence.mission_id

    def data(self) -> dict[str, Any]:
        return self.evidence.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceCreated(_EvidenceEvent):
    """A check of a task is to run, or an earlier outcome was used again."""

    topic: ClassVar[str] = "evidence:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceUpdated(_EvidenceEvent):
    """A check of a task started or ended."""

    topic: ClassVar[str] = "evidence:updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class _RunEvent(Event):
    run: Run

    @property
    def mission_id(self) -> str | None:
        return self.run.mission_id

    def data(self) -> dict[str, Any]:
        return self.run.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCreated(_RunEvent):
    """A run of a mission was started."""

    topic: ClassVar[str] = "run:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunUpdated(_RunEvent):
    """A run changed its state, its tip or what it may spend."""

    topic: ClassVar[str] = "run:updated"
    may_supersede: ClassVar[bool] = True

    def supersedes(self, other: Event) -> bool:
        return isinstance(other, RunUpdated) and other.run.id == self.run.id


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFinished(_RunEvent):
    """A run completed its mission; its report is final."""

    topic: ClassVar[str] = "run:finished"


@dataclass(frozen=True, kw_only=True, slots=True)
class _CandidateEvent(Event):
    candidate: Candidate

    @property
    def mission_id(self) -> str | None:
        return self.candidate.mission_id

    def data(self) -> dict[str, Any]:
        return self.candidate.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateCreated(_CandidateEvent):
    """An agent of a run reported a result."""

    topic: ClassVar[str] = "candidate:created"


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateUpdated(_CandidateEvent):
    """A candidate was committed, built, checked, merged or sent back."""

    topic: ClassVar[str] = "candidate:updated"


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateCreated(Event):
    """A template was created from a workflow or a definition."""

    topic: ClassVar[str] = "template:created"
    template: Template

    @property
    def mission_id(self) -> str | None:
        return None

    def data(self) -> dict[str, Any]:
        return self.template.record()


@dataclass(frozen=True, kw_only=True, slots=True)
class RepositoryCreated(Event):
    """A repository or folder was registered."""

    topic: ClassVar[str] = "repository:created"
    repository: Repository

    @property
    def mission_id(self) -> str | None:
        return None

    def data(self) -> dict[str, Any]:
        return self.repository.record()
