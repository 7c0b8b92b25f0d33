"""The proof of a task's result: what is known about it, on which tree, and why not more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mission.domain.checks.evidence import ProofState

NO_CHECKS = "no required check is defined"
NOTHING_CHANGED = "nothing changed, so there was nothing to check"
NOT_CHECKABLE = "its checks gave no result, and it was completed anyway"
FAILED_BEFORE = "a failing check also fails on the start tree"
NOT_SUCCESS = "it was reported as a partial success, which is not checked"


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """The proof of one task's result."""

    state: ProofState
    tree: str | None = None
    round_id: str | None = None
    checks: Sequence[Mapping[str, Any]] = ()
    """For each check its name, state, seconds and the id of its evidence."""
    flags: Sequence[str] = ()
    """Reasons to look at the result even though it passed."""
    reason: str | None = None
    """Why it is unproved, or why a person accepted it."""
    by: str | None = None
    """The person who accepted it."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "state": str(self.state),
            "tree": self.tree,
            "round_id": self.round_id,
            "checks": [dict(each) for each in self.checks],
            "flags": list(self.flags),
            "reason": self.reason,
            "by": self.by,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Proof:
        return cls(**{**stored, "state": ProofState(stored["state"])})


def unproved(reason: str) -> Proof:
    """Return the proof of a result that was completed without one."""
    return Proof(state=ProofState.UNPROVED, reason=reason)
