"""Attempts at a task: which executions of a run count as one, and which were refused before they began."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.executions.signals import SignalType
from mission.domain.runs.decisions.stalls import STALLED_REASON

NOT_LAUNCHED = "not launched: "
"""How the reason of an execution begins whose program never ran."""
BY_ITSELF = frozenset({ExecutionStatus.COMPLETED, ExecutionStatus.FAILED})


class EndedAgent(Protocol):
    """The facts about an execution that decide whether it counts."""

    @property
    def id(self) -> str: ...
    @property
    def status(self) -> ExecutionStatus: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def claim(self) -> Mapping[str, Any] | None: ...
    @property
    def asked_last(self) -> Sequence[str]: ...
    @property
    def usage(self) -> Mapping[str, Any] | None: ...
    @property
    def resumes(self) -> str | None: ...
    @property
    def session_id(self) -> str | None: ...
    @property
    def started_at(self) -> datetime | None: ...


Agent = TypeVar("Agent", bound=EndedAgent)


class Attempts(Generic[Agent]):
    """The executions of one task in a run, oldest first, and those of them that reported."""

    def __init__(self, executions: Sequence[Agent], *, reported: Collection[str]) -> None:
        self._executions = executions
        self._reported = reported
        self._by_id = {each.id: each for each in executions}

    def all(self) -> list[Agent]:
        """List the attempts."""
        return [each for each in self._executions if self.counts(each)]

    def counts(self, execution: Agent) -> bool:
        """Return whether it is an attempt: it ended by itself or stalled, without a report or a question."""
        stalled = execution.status is ExecutionStatus.STOPPED and execution.reason == STALLED_REASON
        by_itself = execution.status in BY_ITSELF and not execution.asked_last and self.refusal(execution) is None
        is_silent = execution.id not in self._reported and failed_by_its_word(execution) is None
        return (stalled or by_itself) and is_silent

    def refusal(self, execution: Agent) -> str | None:
        """Return why it never began: its program could not run, or its client refused to resume the session."""
        reason = execution.reason or ""
        if execution.started_at is None and reason.startswith(NOT_LAUNCHED):
            return reason.removeprefix(NOT_LAUNCHED)
        earlier = self._by_id.get(execution.resumes or "")
        had_session = earlier is not None and earlier.session_id is not None
        is_mute = execution.session_id is None and not (execution.usage or execution.claim or execution.asked_last)
        if had_session and is_mute and execution.status is ExecutionStatus.FAILED:
            return reason or "its client did not resume the session"
        return None


def failed_by_its_word(execution: EndedAgent) -> str | None:
    """Return the reason with which the agent itself reported a failure."""
    claim = execution.claim or {}
    return str(claim.get("reason") or "it gave no reason") if claim.get("type") == SignalType.FAILED_CLAIM else None
