"""The evidence and the proof of a task, as tools return them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from mission.domain.checks.evidence import Evidence
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.gateway.registry import Result
from mission.tools.shared.fields import Texts

RUNNING = "running"
MAX_TAIL = 1_500


class CheckRow(Result):
    """One check of a task, with its latest outcome."""

    name: str
    state: str
    required: bool = True
    seconds: float | None = None
    evidence_id: str | None = None


class TaskEvidence(Result):
    state: str = Field(description="proved, unproved, accepted, failing or running")
    tree: str | None = None
    checks: list[CheckRow] = []
    flags: Texts = Field([], description="Reasons to look at the result")
    reason: str | None = None
    next: str | None = Field(None, description="What to do while checks run")

    @classmethod
    def of_task(cls, task: Task) -> TaskEvidence | None:
        """Return what is known about the task's result; None until it is first reported.

        A result that passed its checks and waits for a review has evidence already.
        """
        proof = task.proof or {}
        known = task.proof_state or (proof.get("state") if task.status is TaskStatus.REVIEW else None)
        if known is None:
            return None
        state = RUNNING if task.is_checking else str(known)
        return cls(
            state=state,
            tree=proof.get("tree"),
            checks=[_row(each) for each in proof.get("checks", ())],
            flags=list(proof.get("flags", ())),
            reason=proof.get("reason"),
        )

    @classmethod
    def running(cls, evidence: Sequence[Evidence], *, tree: str | None, next: str | None) -> TaskEvidence:
        """Return a report whose checks are under way."""
        rows = [
            CheckRow(
                name=each.name,
                state=str(each.state),
                required=each.required,
                seconds=each.seconds,
                evidence_id=each.id,
            )
            for each in evidence
        ]
        return cls(state=RUNNING, tree=tree, checks=rows, next=next)


class FailedCheckRecord(Result):
    """A required check that failed, with the end of its output."""

    name: str
    check: str
    exit_code: int | None
    timed_out: bool
    output: str
    evidence_id: str
    failed_before_too: bool | None
    reason: str | None


class EvidenceCounts(Result):
    """The numbers of proved, unproved, accepted and failing tasks of a mission."""

    proved: int = 0
    unproved: int = 0
    accepted: int = 0
    failing: int = 0

    @classmethod
    def of(cls, counts: Mapping[Any, int]) -> EvidenceCounts:
        return cls(**{name: counts.get(name, 0) for name in cls.model_fields})


def _row(check: Mapping[str, Any]) -> CheckRow:
    return CheckRow(**{name: check[name] for name in CheckRow.model_fields if name in check})
