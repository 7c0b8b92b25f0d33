"""A command for an execution: what its daemon must send to the agent or do with it, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.executions.execution import OperatorMessageKind, OperatorMessageState
from mission.domain.timestamps import format_time


class CommandKind(StrEnum):
    INTERRUPT = "interrupt"
    CHECKPOINT = "checkpoint"
    NUDGE = "nudge"
    RESUME = "resume"
    TEXT = "text"
    ANSWER = "answer"
    """Type a person's answer into the agent's terminal."""
    START_AGAIN = "start_again"
    """Launch the task of an ended execution again."""
    STOP = "stop"
    """End the program, once `not_before` has passed."""


OPERATOR_KINDS = frozenset(CommandKind(kind) for kind in OperatorMessageKind)
"""Kinds that an operator sends; lists and events show only these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NextLaunch:
    """The next launch of the task of an ended execution."""

    answer: str | None = None
    """A person's answer to the agent's question; the agent resumes its client's session with it."""
    hint: str | None = None
    """A person's hint for the agent after its last attempt failed."""
    failure: str | None = None
    """What the checks of its last result found, for an agent that had ended by then."""
    client: str | None = None
    """Another client with its own arguments; None repeats the same launch."""
    arguments: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "answer": self.answer,
            "hint": self.hint,
            "failure": self.failure,
            "client": self.client,
            "arguments": list(self.arguments),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionCommand:
    """One command. It is pending until it is done or has failed."""

    id: str
    execution_id: str
    kind: CommandKind
    created_at: datetime
    text: str | None = None
    author: str | None = None
    state: OperatorMessageState = OperatorMessageState.PENDING
    reason: str | None = None
    delivered_at: datetime | None = None
    not_before: datetime | None = None
    launch: Mapping[str, Any] | None = None
    fence: int | None = None
    """The task's fence when the launch was decided, or at the last try; every new claim raises it."""
    launched: str | None = None
    """The execution that the last try created."""

    @property
    def is_pending(self) -> bool:
        return self.state is OperatorMessageState.PENDING

    @property
    def next_launch(self) -> NextLaunch:
        return NextLaunch(**(self.launch or {}))

    def record(self) -> dict[str, Any]:
        """Return an operator's message as events and lists show it."""
        return {
            "id": self.id,
            "execution_id": self.execution_id,
            "kind": str(self.kind),
            "text": self.text,
            "author": self.author,
            "state": str(self.state),
            "reason": self.reason,
            "created_at": format_time(self.created_at),
            "delivered_at": format_time(self.delivered_at),
        }
