"""What the controller sees of a run: facts read from the rows in one transaction, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.candidate import Candidate
from mission.domain.runs.options import Limits
from mission.domain.runs.run import Run
from mission.domain.tasks.states import TaskStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Money, tokens, minutes and launches that were spent. None is unknown, never 0."""

    usd: float | None = 0.0
    tokens: int | None = 0
    minutes: float = 0.0
    launches: int = 0
    known_usd: float = field(default=0.0, compare=False)
    known_tokens: int = field(default=0, compare=False)
    """What those that say it have spent, if others do not: so much it is at least."""

    def at_least(self, name: str) -> float:
        """Return how much was certainly spent: one client that does not say it hides nothing of the others."""
        whole = getattr(self, name)
        return float(whole if whole is not None else getattr(self, f"known_{name}"))


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveExecution:
    """An execution whose process runs or is about to start."""

    id: str
    client: str
    started_at: datetime
    reported_at: datetime | None = None
    """When it reported its result; None while it works."""
    is_sent_back: bool = False
    """Whether what it reported by a signal was sent back: it does not wait for that, so the next one revises it."""
    active_at: datetime | None = None
    """When it last showed life: output, a tool call or CPU time; None if that is unknown."""
    in_tool_since: datetime | None = None
    """Since when its newest open tool call is open, as far as that is seen."""
    is_waiting: bool = False
    """Whether it waits for a person's answer."""
    nudged_at: datetime | None = None
    interrupted_at: datetime | None = None
    """When it was last nudged, and interrupted, since it last showed life."""
    checkpointed_at: datetime | None = None
    """When it was asked for a checkpoint because the budget is spent."""
    is_stopping: bool = False
    circles: str | None = None
    """What it repeats without progress; None if nothing was seen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedExecution:
    """The newest ended execution of a task."""

    id: str
    client: str
    ended_at: datetime
    counts: bool
    """Whether it is an attempt: it ended by itself, without a report and without an open question."""
    failed_by_its_word: str | None = None
    """The reason that the agent reported; a person is asked at once."""
    answer: str | None = None
    """A person's answer that the agent has not read yet."""
    asks: bool = False
    """Whether its question is still open."""
    can_resume: bool = False
    """Whether its client session can be resumed: same folder and branch, and a known session."""
    was_resumed_after_crash: bool = False
    refused: str | None = None
    """Why its program never ran."""
    refusals: int = 0
    """How often in a row that happened."""
    was_resume: bool = False
    """Whether it continued the session of an earlier execution."""
    stopped_by: str | None = None
    """The reason with which a person stopped it; a person is asked what follows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskView:
    """One task of the run."""

    id: str
    name: str
    status: TaskStatus
    position: int = 0
    depends_on: Sequence[str] = ()
    areas: Sequence[str] = ()
    """Areas and files that it will probably change."""
    requires: Sequence[str] = ()
    client: str | None = None
    """The only client that may work on it."""
    owner_is_foreign: bool = False
    """Whether an agent that this run did not launch holds it."""
    live: LiveExecution | None = None
    ended: EndedExecution | None = None
    attempts: int = 0
    """Executions that ended without a report since a person last decided."""
    clients_tried: Sequence[str] = ()
    """Clients of those attempts, in order."""
    revisions: int = 0
    """Candidates that were sent back since a person last decided."""
    same_failure: int = 0
    """How often the last failure happened in a row with the same output."""
    send_back: str | None = None
    """What the next execution is told: failed checks, a conflict, a reviewer's words, a person's hint."""
    send_back_is_answer: bool = False
    held_by: str | None = None
    """The open inbox item that this task waits for."""
    decided: str | None = None
    """What a person chose last, if it is not carried out yet: skip, skip_all."""
    decided_key: str | None = None
    """The key of the item that was answered so."""
    has_been_started: bool = False
    spent: Spent = Spent()


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundView:
    """A round of checks of the run."""

    id: str
    state: RoundState
    tree: str | None = None
    proves: bool = False
    seconds: float = 0.0
    """How long its checks took in all."""
    purpose: Purpose = Purpose.MERGE
    candidate_id: str | None = None
    """The candidate whose merged tree it checks: of a stack the last one."""
    created_at: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientView:
    """A client of the mix: can it be launched?"""

    name: str
    paused_until: datetime | None = None
    problem: str | None = None
    """Why it cannot be launched at all: not installed, signed out, its variables are gone."""
    lost: Sequence[str] = ()
    """Names of the variables that are gone: a shell has to pass them again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineView:
    """The room that this host has."""

    slots: int
    """How many agents may run at once, all runs of this host together."""
    busy: int = 0
    """How many executions are live on this host."""
    has_disk: bool = True
    last_launch_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """Everything that one decision is made from."""

    now: datetime
    run: Run
    tasks: Sequence[TaskView] = ()
    candidates: Sequence[Candidate] = ()
    """Open candidates, oldest first."""
    rounds: Mapping[str, RoundView] = field(default_factory=dict)
    """The rounds that candidates and the run refer to, by id."""
    has_required_checks: Mapping[str, bool] = field(default_factory=dict)
    """For each task whether a required check is in effect."""
    frees: Mapping[str, int] = field(default_factory=dict)
    """For each task with a candidate how many tasks wait for it, directly or not."""
    check_seconds: float = 0.0
    """How long the checks of a merged tree usually take."""
    clients: Mapping[str, ClientView] = field(default_factory=dict)
    machine: MachineView = MachineView(slots=1)
    other_areas: Sequence[Sequence[str]] = ()
    """Areas that live work of other runs in the same repository has."""
    spent: Spent = Spent()
    spent_today: Spent = Spent()
    items: Mapping[str, str] = field(default_factory=dict)
    """Open inbox items of this run, by their key."""
    item_times: Mapping[str, datetime] = field(default_factory=dict)
    """When each of them was opened."""
    decisions: Mapping[str, str] = field(default_factory=dict)
    """Answers of a person that are not carried out yet, by the key of their item."""
    decided_at: Mapping[str, datetime] = field(default_factory=dict)
    """When a person last closed an item with this key."""
    launching: Mapping[str, str] = field(default_factory=dict)
    """Launches that this process has begun and that have no row yet: for each task the client."""
    daily: Limits = field(default_factory=Limits)
    """What all runs together may spend in a day."""
