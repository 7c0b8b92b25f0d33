"""The steps of a run: what the controller wants done. Each can be repeated without harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mission.domain.runs.run import RunState


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One thing to do. What the view showed is checked again when it is done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LookBefore(Step):
    """Look at repository, clients and machine before the first launch, and start the checks on the base."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Move(Step):
    """Move the run to another state."""

    state: RunState
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch(Step):
    """Launch an agent of the mix on a task, in the task's worktree."""

    task_id: str
    agent: int
    """The number of the entry in the mix."""
    resumes: str | None = None
    """The ended execution of the same client that it continues."""
    fresh: bool = True
    """Whether it starts a new client session."""
    answer: str | None = None
    send_back: str | None = None
    """What the agent is told about its last result."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StopExecution(Step):
    """End an execution and everything that it started."""

    execution_id: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tell(Step):
    """Send a command to a running agent: nudge, interrupt or checkpoint."""

    execution_id: str
    kind: str
    about: str = "silence"
    """Why it is sent: silence, or the budget."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask(Step):
    """Open one inbox item; one with the same key that is open stays as it is."""

    key: str
    kind: str
    subject: str
    body: str = ""
    choices: Sequence[Mapping[str, Any]] = ()
    task_id: str | None = None
    execution_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Withdraw(Step):
    """Close an item that no longer needs an answer."""

    key: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Freeze(Step):
    """Commit the worktree of a reported task as its candidate."""

    candidate_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Build(Step):
    """Merge candidates onto the tip for trial, one upon the other, and record the merge commits."""

    candidate_ids: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckMerged(Step):
    """Check out the last of these merged trees in the merge worktree and start its checks."""

    candidate_ids: Sequence[str]
    again: bool = False
    """Whether earlier evidence is not used: the checks failed and are repeated once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckTip(Step):
    """Run the checks on the tip itself: does it fail without the candidate too?"""

    candidate_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkChecked(Step):
    """Record that the merged tree passed, and ask for a review if one is wanted."""

    candidate_ids: Sequence[str]
    round_id: str | None
    """None if there is nothing to check and a person let that through."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Advance(Step):
    """Move the integration branch to the merge commit of the last of these, and complete their tasks."""

    candidate_ids: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class SendBack(Step):
    """Return a candidate to its author with what failed."""

    candidate_id: str
    round_id: str | None = None
    failed_only_merged: bool = False
    """Whether the tip passes without it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StopMerging(Step):
    """Stop merging: the tip fails its own checks. A person's answer starts it again."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SkipTasks(Step):
    """Skip tasks as a person decided."""

    task_ids: Sequence[str]
    item_key: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFinal(Step):
    """Run the final checks in a fresh worktree of the tip."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AddRepair(Step):
    """Add a task that repairs what the final checks found."""

    round_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish(Step):
    """Complete the mission, write the report and end the run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Land(Step):
    """Bring the tip into the target branch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CarryOut(Step):
    """Carry out a person's decision about the run: go, stop, raise the budget, finish what is open."""

    key: str
    choice: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """The steps to take now, and the time to look again if nothing happens before."""

    steps: Sequence[Step] = ()
    look_again_at: datetime | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    """For each task why it does not move, in a person's words."""
