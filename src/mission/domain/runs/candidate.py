"""A candidate: one submitted result of a task in a run, frozen as a commit, on its way to the integration branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.timestamps import format_time


class CandidateState(StrEnum):
    REPORTED = "reported"
    """The agent reported; its worktree is not committed yet."""
    QUEUED = "queued"
    """It is a commit and waits to be merged."""
    BUILT = "built"
    """The merge commit exists; nothing refers to it yet."""
    CHECKED = "checked"
    """The merged tree passed; it may wait for a review."""
    MERGED = "merged"
    CONFLICTED = "conflicted"
    """It could not be merged onto the tip and went back to its author."""
    FAILED = "failed"
    """A check failed, or the result was refused; it went back to its author."""
    WITHDRAWN = "withdrawn"
    """It is no longer wanted: a newer one replaced it, or its task was skipped."""


OPEN = (CandidateState.REPORTED, CandidateState.QUEUED, CandidateState.BUILT, CandidateState.CHECKED)
"""States of a candidate that may still be merged."""
SENT_BACK = (CandidateState.CONFLICTED, CandidateState.FAILED)
"""States of a candidate that its author has to revise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One candidate. Immutable: a change returns a new one."""

    id: str
    run_id: str
    mission_id: str
    task_id: str
    created_at: datetime
    updated_at: datetime
    state: CandidateState = CandidateState.REPORTED
    execution_id: str | None = None
    agent_id: str | None = None
    fence: int | None = None
    report: Mapping[str, Any]
    """The result that was reported, as TaskResult stores it."""
    commit: str | None = None
    tree: str | None = None
    tip: str | None = None
    """The tip that it was last merged onto, for trial."""
    merge_commit: str | None = None
    merged_tree: str | None = None
    round_id: str | None = None
    """The newest round of checks on its merged tree."""
    tip_round_id: str | None = None
    """The round that asks whether the tip itself fails."""
    changes: Mapping[str, Any] | None = None
    """The difference between the tip and the merged tree."""
    findings: Sequence[Mapping[str, Any]] = ()
    """What was found: conflicts, files to regenerate, large files, likely secrets."""
    passed_over: int = 0
    """How often a younger candidate was merged first."""
    review: Mapping[str, Any] | None = None
    """The review that was asked for, and its result."""
    proof: Mapping[str, Any] | None = None
    reason: str | None = None
    merged_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_merged_as_it_is(self) -> bool:
        """Return whether the merge adds nothing: nobody else's work is in the merged tree."""
        return self.tree is not None and self.tree == self.merged_tree

    @property
    def waits_for_review(self) -> bool:
        return self.review is not None and self.review.get("verdict") is None

    @property
    def why_sent_back(self) -> str:
        """Return in a few words for a person why it was sent back; the agent gets the whole `reason`."""
        if self.state is CandidateState.CONFLICTED:
            paths = [str(each["path"]) for each in self.findings if each.get("kind") == "conflict"]
            return f"it conflicts with earlier work in {', '.join(paths)}" if paths else self.reason or "it conflicts"
        checks = (self.proof or {}).get("checks") or ()
        failed = [f"'{each['name']}'" for each in checks if each.get("required", True) and each["state"] == "failed"]
        if failed:
            return f"{', '.join(failed)} failed on the merged tree"
        return self.reason or "its checks failed"

    def record(self) -> dict[str, Any]:
        """Return the candidate as events and lists show it."""
        return {
            "candidate_id": self.id,
            "run_id": self.run_id,
            "mission_id": self.mission_id,
            "task_id": self.task_id,
            "state": str(self.state),
            "execution_id": self.execution_id,
            "agent_id": self.agent_id,
            "commit": self.commit,
            "tree": self.tree,
            "tip": self.tip,
            "merge_commit": self.merge_commit,
            "merged_tree": self.merged_tree,
            "changes": dict(self.changes) if self.changes is not None else None,
            "findings": [dict(each) for each in self.findings],
            "reason": self.reason,
            "created_at": format_time(self.created_at),
            "updated_at": format_time(self.updated_at),
            "merged_at": format_time(self.merged_at),
        }
