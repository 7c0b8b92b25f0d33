"""Rows for tests of the store: each call adds one with sensible defaults and returns its entity."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, settings

from mission.domain.agents.agent import Agent, AgentType
from mission.domain.executions.execution import Execution, Mode
from mission.domain.executions.observation import AckStatus, Observation, Origin
from mission.domain.executions.signals import Delivery, SignalPolicy
from mission.domain.ids import new_id
from mission.domain.inbox.item import InboxItem, ItemKind
from mission.domain.message import Message, MessageType
from mission.domain.missions.mission import Family, Mission
from mission.domain.missions.phase import Phase
from mission.domain.missions.repository import Repository
from mission.domain.tasks.journal import EntryKind, JournalEntry
from mission.domain.tasks.task import Task
from mission.domain.tasks.workspace import Workspace
from mission.store.transaction import Tx
from tests.fault_cases import examples

NOW = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)
IN_TRANSACTION = settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
"""For properties whose examples share a transaction; each undoes what it did."""


def at(minutes: float) -> datetime:
    """Return the moment so many minutes after the start of the test."""
    return NOW + timedelta(minutes=minutes)


class Rows:
    """Adds rows to a transaction."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self._phases: dict[tuple[str, int], Phase] = {}

    def repository(self, path: str = "/code/shop", **fields: Any) -> Repository:
        values = {"host_id": "here", "name": path.rpartition("/")[2], "created_at": NOW, **fields}
        made = Repository(id=new_id("repository"), path=path, **values)
        self.tx.missions.add_repository(made)
        return made

    def mission(self, name: str = "Shop", **fields: Any) -> Mission:
        values = {"objective": "Sell things", "family": Family.WORKFLOW, "created_at": NOW, "updated_at": NOW, **fields}
        made = Mission(id=new_id("mission"), name=name, **values)
        self.tx.missions.add(made)
        return made

    def phase(self, mission: Mission, number: int = 1, **fields: Any) -> Phase:
        key = (mission.id, number)
        if key not in self._phases:
            values = {"name": f"Phase {number}", "created_at": NOW, **fields}
            self._phases[key] = Phase(id=new_id("phase"), mission_id=mission.id, number=number, **values)
            self.tx.phases.add(self._phases[key])
        return self._phases[key]

    def task(self, mission: Mission, name: str = "Sort", *, phase: int = 1, **fields: Any) -> Task:
        """Add a task and count it on its phase."""
        begun = fields.get("started_at")
        values = {"goal": f"do {name}", "created_at": NOW, "updated_at": NOW, "attempt_started_at": begun, **fields}
        made = Task(
            id=values.pop("id", new_id("task")),
            mission_id=mission.id,
            phase_id=self.phase(mission, phase).id,
            phase_number=phase,
            name=name,
            **values,
        )
        self.tx.tasks.add(made)
        self.tx.task_counts.count_move(None, made)
        return made

    def agent(self, name: str = "ada", **fields: Any) -> Agent:
        moments = {"created_at": NOW, "updated_at": NOW, "last_seen_at": NOW}
        made = Agent(
            id=new_id("agent"), name=name, **{"runtime": "custom", "type": AgentType.WORKER, **moments, **fields}
        )
        self.tx.agents.add(made)
        return made

    def entry(self, task: Task, kind: EntryKind = EntryKind.DECISION, **fields: Any) -> JournalEntry:
        counted = self.tx.journal.next_sequence(task.id)
        values = {"summary": "s", "detail": {}, "created_at": NOW, "open_blocker": False, **fields}
        made = JournalEntry(
            id=new_id(kind.id_kind),
            kind=kind,
            mission_id=task.mission_id,
            task_id=task.id,
            phase_number=task.phase_number,
            sequence=counted.entries,
            **values,
        )
        self.tx.journal.add(made)
        return made

    def execution(self, task: Task, **fields: Any) -> Execution:
        values = {
            "agent_id": "agent_0",
            "adapter": "command",
            "mode": Mode.HEADLESS,
            "delivery": Delivery.MCP_TOOL,
            "protocol": {},
            "host_id": "here",
            "created_at": NOW,
            "updated_at": NOW,
            **fields,
        }
        made = Execution(id=new_id("execution"), mission_id=task.mission_id, task_id=task.id, **values)
        self.tx.executions.add(made)
        return made

    def observation(self, execution: Execution, event_id: str, **fields: Any) -> Observation:
        values = {"type": "progress", "payload": {"summary": "s"}, "digest": "d", "created_at": NOW, **fields}
        made = Observation(
            id=new_id("observation"),
            execution_id=execution.id,
            event_id=event_id,
            origin=Origin.MCP_TOOL,
            policy=next(iter(SignalPolicy)),
            status=AckStatus.ACCEPTED,
            **values,
        )
        self.tx.observations.add(made)
        return made

    def message(self, recipient_id: str, **fields: Any) -> Message:
        id = new_id("message")
        values = {
            "thread_id": id,
            "sender_id": "agent_9",
            "sender_name": "Nine",
            "sender_type": "WORKER",
            "type": MessageType.QUERY,
            "body": "hello",
            "created_at": NOW,
            **fields,
        }
        made = Message(id=id, recipient_id=recipient_id, **values)
        self.tx.messages.add(made)
        return made

    def item(self, kind: ItemKind = ItemKind.QUESTION, **fields: Any) -> InboxItem:
        values = {"subject": "Which one?", "created_at": NOW, "updated_at": NOW, **fields}
        made = InboxItem(id=new_id("inbox item"), kind=kind, **values)
        self.tx.inbox.add(made)
        return made

    def workspace(self, mission: Mission, path: str = "/trees/one", **fields: Any) -> Workspace:
        values = {
            "host_id": "here",
            "repository_path": "/code/shop",
            "branch": "one",
            "created_at": NOW,
            "updated_at": NOW,
            **fields,
        }
        made = Workspace(id=new_id("workspace"), mission_id=mission.id, path=path, **values)
        self.tx.workspaces.add(made)
        return made


@contextmanager
def undone(tx: Tx) -> Iterator[Rows]:
    """Undo everything done inside, after an error too: one example of hypothesis, or one broken rule."""
    tx.connection.exec_driver_sql("SAVEPOINT undone")
    try:
        yield Rows(tx)
    finally:
        tx.connection.exec_driver_sql("ROLLBACK TO SAVEPOINT undone")
        tx.connection.exec_driver_sql("RELEASE SAVEPOINT undone")
