"""A round: one pass of a task's checks over one tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from mission.domain.checks.check import Approval, Check, Scope
from mission.domain.checks.evidence import Place

HOLDER_LEASE = timedelta(seconds=15)
"""How long a process that drives a round may be silent before another one takes it over."""


class RoundState(StrEnum):
    OPEN = "open"
    PASSED = "passed"
    FAILED = "failed"
    VOID = "void"
    ERROR = "error"
    WITHDRAWN = "withdrawn"
    """Its task changed in another way before the checks were done."""


class Purpose(StrEnum):
    GATE = "gate"
    """It decides whether a task is completed."""
    ADVICE = "advice"
    """An agent asked for it before it reports."""
    MERGE = "merge"
    """It decides whether a candidate of a run is merged."""
    TIP = "tip"
    """It asks whether the newest commit of a run fails by itself."""
    BASE = "base"
    """It asks, before a run starts, whether the checks pass without any work."""
    FINAL = "final"
    """It decides whether the whole result of a run is done."""


OF_TASK = frozenset({Purpose.GATE, Purpose.ADVICE})
"""Purposes of rounds in a task's own tree; the others belong to a run, which decides what follows from them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinedCheck:
    """A check in effect for a task: its definition, where it comes from, and whether it may run."""

    check: Check
    origin: Scope
    path: str | None = None
    """The PATH stored when it was defined."""
    approval: Approval = Approval.APPROVED
    definition: str = ""
    """The digest of the definition with its PATH."""

    @property
    def waits(self) -> bool:
        return self.approval is Approval.PENDING

    def as_dict(self) -> dict[str, Any]:
        return {
            "check": self.check.as_dict(),
            "origin": str(self.origin),
            "path": self.path,
            "approval": str(self.approval),
            "definition": self.definition,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> DefinedCheck:
        return cls(
            check=Check.from_dict(stored["check"]),
            origin=Scope(stored["origin"]),
            path=stored["path"],
            approval=Approval(stored["approval"]),
            definition=stored["definition"],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckRound:
    """One pass of checks. Immutable: a change returns a new round."""

    id: str
    task_id: str | None
    """None if it is about the whole result of a run."""
    mission_id: str
    purpose: Purpose
    host_id: str
    path: str
    """The tree's folder."""
    repository: str
    checks: Sequence[Mapping[str, Any]]
    """The checks in effect when it was opened, as DefinedCheck stores them."""
    created_at: datetime
    updated_at: datetime
    state: RoundState = RoundState.OPEN
    run_id: str | None = None
    candidate_id: str | None = None
    place: Place = Place.TASK
    setup: str | None = None
    """A digest of how the place was prepared."""
    uses_earlier: bool = True
    """Whether earlier evidence for the same tree counts; False repeats every check."""
    take: int = 1
    tree: str | None = None
    """The tree's id; None until it is taken."""
    identity: Mapping[str, Any] | None = None
    """The stored manifest of the tree, to see whether a check changed it."""
    changes: Mapping[str, Any] | None = None
    start_tree: str | None = None
    start_unknown: str | None = None
    """Why the start tree cannot be rebuilt."""
    agent_id: str | None = None
    fence: int | None = None
    execution_id: str | None = None
    report: Mapping[str, Any] | None = None
    """The result that was reported; None for advice."""
    excuses: bool = True
    """Whether a failure that also happens on the start tree does not stop the task, which is then unproved."""
    holder: str | None = None
    holder_until: datetime | None = None
    verdict: Mapping[str, Any] | None = None
    """The result of each check, as Verdict stores it."""
    reason: str | None = None
    ended_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.state is RoundState.OPEN

    @property
    def defined(self) -> list[DefinedCheck]:
        return [DefinedCheck.from_dict(stored) for stored in self.checks]

    def is_driven(self, *, now: datetime) -> bool:
        """Return whether a live process drives the round."""
        until = self.holder_until
        # A lease that ends later than any lease can was given before the clock was set back.
        return self.holder is not None and until is not None and now < until <= now + HOLDER_LEASE

    def held_by(self, holder: str, *, at: datetime) -> CheckRound:
        return replace(self, holder=holder, holder_until=at + HOLDER_LEASE)

    def taken_again(self, *, at: datetime) -> CheckRound:
        """Return the round before it takes the tree once more."""
        return replace(self, take=self.take + 1, tree=None, identity=None, changes=None, updated_at=at)

    def ended(
        self, state: RoundState, *, at: datetime, verdict: Mapping[str, Any] | None, reason: str | None
    ) -> CheckRound:
        return replace(
            self,
            state=state,
            verdict=verdict,
            reason=reason,
            holder=None,
            holder_until=None,
            ended_at=at,
            updated_at=at,
        )
