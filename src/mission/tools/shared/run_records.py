"""Result models of runs and candidates."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.gateway.registry import Result
from mission.tools.shared.fields import Texts
from mission.tools.shared.records import IF_ASKED


class RunQuestion(Result):
    item_id: str
    kind: str
    subject: str
    body: str
    task_id: str | None
    choices: list[dict[str, Any]]
    created_at: str


class RunStarted(Result):
    run_id: str
    mission_id: str
    state: str
    branch: str
    base_commit: str
    questions: list[RunQuestion] = Field(description="What a person must answer first; more may follow")


class RunFields(Result):
    run_id: str
    mission_id: str
    mission_name: str
    state: str
    reason: str | None
    branch: str
    base_commit: str
    tip: str
    target: str | None
    host_id: str
    created_at: str
    updated_at: str
    first_launch_at: str | None
    ended_at: str | None


class RunRow(RunFields):
    tasks_total: int
    tasks_completed: int
    questions: int = Field(description="Open questions")
    landed: bool


class RunList(Result):
    runs: list[RunRow]
    next_cursor: str | None


class RunSpent(Result):
    usd: float | None = Field(description="Null if a client does not report its price")
    tokens: int | None = Field(description="Null if a client does not report it")
    minutes: float
    launches: int


class RunBudget(Result):
    usd: float | None
    tokens: int | None
    minutes: float | None
    launches: int | None
    per_task: dict[str, Any]


class DeniedAction(Result):
    tool: str
    detail: str


class RunTask(Result):
    task_id: str
    name: str
    stage: str
    reason: str | None
    attempts: int = Field(description="Executions that ended without a report")
    revisions: int = Field(description="Results that were sent back")
    retry_at: str | None
    execution_id: str | None
    candidate_id: str | None
    client: str | None
    proof_state: str | None
    depends_on: Texts
    denied: list[DeniedAction] = Field(description="What its client denied; the agents' arguments can allow it")


class QueuedCandidate(Result):
    candidate_id: str
    task_id: str
    name: str
    state: str
    position: int
    reason: str | None


class RunDetail(RunFields):
    foreign_commits: list[dict[str, Any]]
    agents: list[dict[str, Any]]
    options: dict[str, Any]
    budget: RunBudget
    spent: RunSpent
    warning: str | None
    counts: dict[str, int] = Field(description="Number of tasks in each stage")
    tasks: list[RunTask]
    queue: list[QueuedCandidate] = Field(description="Candidates in the order in which they will be merged")
    questions: list[RunQuestion]
    preflight: dict[str, Any] | None
    unproved_allowed: bool
    waivers: list[dict[str, Any]]
    merging_stopped: str | None
    final: dict[str, Any] | None = Field(description="Final checks: commit, state and the result of each")
    landing: dict[str, Any] | None


class SteeredRun(Result):
    run_id: str
    mission_id: str
    state: str
    reason: str | None


class LandedRun(Result):
    run_id: str
    mission_id: str
    target: str
    commit: str
    squash: bool
    removed: Texts = Field(description="Worktrees and branches that were removed")
    kept: list[dict[str, str]] = Field(description="Worktrees and branches that stay, and why")


class RunReport(Result):
    run_id: str
    mission_id: str
    state: str
    markdown: str
    report: dict[str, Any]


class CandidateFile(Result):
    path: str
    patch: str = Field(description="Unified diff")
    whole: bool
    note: str | None = Field(description="Why lines are missing")


class CandidateRecord(Result):
    candidate_id: str
    run_id: str
    mission_id: str
    task_id: str
    task_name: str
    state: str
    execution_id: str | None
    agent_id: str | None
    commit: str | None
    tree: str | None
    tip: str | None
    merge_commit: str | None
    merged_tree: str | None
    changes: dict[str, Any] | None = Field(description="From the tip to the merged tree")
    findings: list[dict[str, Any]]
    reason: str | None
    report: dict[str, Any] = Field(description="What the agent said about its result")
    review: dict[str, Any] | None
    proof: dict[str, Any] | None
    evidence: list[dict[str, Any]]
    patch: list[CandidateFile] | None = IF_ASKED
    created_at: str
    updated_at: str
    merged_at: str | None
