"""The stage of a task in a run, derived from the rows, with the reason in a person's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mission.domain.checks.evidence import ProofState
from mission.domain.runs.candidate import SENT_BACK, Candidate, CandidateState
from mission.domain.tasks.states import TaskStatus

NAMED = 3
"""How many tasks a reason names before it only counts them."""


class Stage(StrEnum):
    WAITING = "waiting"
    WORKING = "working"
    CHECKING = "checking"
    REVIEWING = "reviewing"
    MERGING = "merging"
    MERGED = "merged"
    ASKING = "asking"
    RETRYING = "retrying"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True, slots=True)
class StageFacts:
    """The facts about one task."""

    status: TaskStatus
    waits_for: Sequence[str] = ()
    """Names of the tasks that must be merged or skipped first."""
    candidate: Candidate | None = None
    """Its newest candidate in this run."""
    before_it: int = 0
    """How many candidates come first."""
    question: str | None = None
    """The subject of the open inbox item that it waits for."""
    in_review: bool = False
    """Whether that item is a review."""
    client: str | None = None
    """The client of its live execution."""
    owner: str | None = None
    """The agent that holds it without an execution of this run."""
    hold: str | None = None
    """Why it is paused."""
    retry_at: datetime | None = None
    attempts: int = 0
    attempts_allowed: int = 3
    merging_stopped: str | None = None
    not_starting: str | None = None
    """Why the run starts nothing now."""
    error: str | None = None
    proof_state: ProofState | None = None
    now: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskStage:
    stage: Stage
    reason: str | None = None


def stage_of(facts: StageFacts) -> TaskStage:
    """Return the stage of a task."""
    if facts.status is TaskStatus.SKIPPED:
        return TaskStage(stage=Stage.SKIPPED, reason="It will not be done.")
    if facts.status is TaskStatus.COMPLETED:
        return TaskStage(stage=Stage.MERGED, reason=_proof_words(facts))
    if facts.candidate is not None and facts.candidate.is_open:
        return _stage_of_candidate(facts, facts.candidate)
    if facts.question is not None:
        return TaskStage(stage=Stage.ASKING, reason=facts.question)
    if facts.client is not None:
        return TaskStage(stage=Stage.WORKING, reason=f"{facts.client} is working on it.")
    return _stage_at_rest(facts)


def _stage_of_candidate(facts: StageFacts, candidate: Candidate) -> TaskStage:
    """Return the stage of a task whose result was reported."""
    if facts.in_review or candidate.waits_for_review:
        return TaskStage(stage=Stage.REVIEWING, reason=facts.question or "Waits for a person's review.")
    if facts.question is not None:
        return TaskStage(stage=Stage.ASKING, reason=facts.question)
    if facts.merging_stopped is not None:
        return TaskStage(stage=Stage.MERGING, reason=f"Merging is stopped: {facts.merging_stopped}")
    if candidate.state is CandidateState.REPORTED:
        return TaskStage(stage=Stage.CHECKING, reason="Its result is being committed.")
    if candidate.state is CandidateState.BUILT:
        return TaskStage(stage=Stage.CHECKING, reason=candidate.reason or "The merged tree is being checked.")
    if candidate.state is CandidateState.QUEUED and facts.before_it:
        return TaskStage(stage=Stage.MERGING, reason=f"{_count(facts.before_it, 'result')} will be merged first.")
    return TaskStage(stage=Stage.MERGING, reason="It is being merged.")


def _stage_at_rest(facts: StageFacts) -> TaskStage:
    """Return the stage of a task on which no agent of the run works."""
    if facts.status is TaskStatus.REVIEW:
        return TaskStage(stage=Stage.REVIEWING, reason=facts.hold or "Waits for a person's review.")
    if facts.status is TaskStatus.PAUSED:
        return TaskStage(stage=Stage.ASKING, reason=facts.hold or "It is paused.")
    if facts.owner is not None:
        return TaskStage(stage=Stage.WORKING, reason=f"{facts.owner} is working on it.")
    if facts.retry_at is not None and facts.retry_at > facts.now:
        tries = f"Attempt {facts.attempts} of {facts.attempts_allowed} ended without a report."
        return TaskStage(stage=Stage.RETRYING, reason=tries)
    if facts.candidate is not None and facts.candidate.state in SENT_BACK:
        return TaskStage(stage=Stage.RETRYING, reason=f"Sent back: {facts.candidate.why_sent_back}")
    if facts.attempts:
        return TaskStage(stage=Stage.RETRYING, reason="The last agent ended without a report.")
    if facts.status is TaskStatus.FAILED:
        return TaskStage(stage=Stage.FAILED, reason=facts.error or "Its agent gave up.")
    if facts.waits_for:
        return TaskStage(stage=Stage.WAITING, reason=f"Waits for {_names(facts.waits_for)}.")
    return TaskStage(stage=Stage.WAITING, reason=facts.not_starting or "Waits for a free agent.")


def _proof_words(facts: StageFacts) -> str | None:
    if facts.proof_state is ProofState.UNPROVED:
        return "Merged without proof."
    if facts.proof_state is ProofState.ACCEPTED:
        return "A person accepted it."
    return None if facts.candidate is not None else "It was done before this run."


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
