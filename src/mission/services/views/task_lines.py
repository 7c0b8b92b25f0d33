"""Tasks as rows of lists: display status, owner, and counts as the parts of a progress bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mission.domain.checks.evidence import ProofState
from mission.domain.display_status import NEEDS_PERSON, task_word
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.domain.tasks.task import CHANGE_LISTS
from mission.store.transaction import Tx

AT_WORK = frozenset({"working", "planning", "checking"})
DONE_PROOFS = frozenset({ProofState.PROVED, ProofState.ACCEPTED})
UNFINISHED = frozenset({*AT_WORK, "paused"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """Task counts by status, as the parts of a progress bar."""

    proved: int = 0
    accepted: int = 0
    unproved: int = 0
    failing: int = 0
    """Open tasks whose last report failed a required check; `working` and `needs` count them too."""
    working: int = 0
    needs: int = 0
    failed: int = 0
    failed_attempts: int = 0
    """Failed attempts at any of the tasks, regardless of their current state."""
    skipped: int = 0
    total: int = 0

    @property
    def done(self) -> int:
        """Return how many tasks are completed, with or without proof."""
        return self.proved + self.accepted + self.unproved


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskLine:
    """A task as a row of a list: its display status, and its owner."""

    row: Any
    word: str
    agent: str | None

    @property
    def is_failing(self) -> bool:
        """Return whether it is open and a required check refused it last time."""
        return self.row.proof_state == ProofState.FAILING and self.row.status in OPEN

    @property
    def files(self) -> int | None:
        """Return how many files it changed; None while that is not known."""
        changes = self.row.changes
        return None if changes is None else sum(len(changes[name]) for name in CHANGE_LISTS)


def task_lines(tx: Tx, rows: Sequence[Any]) -> list[TaskLine]:
    """Return rows with their display status and the names of their owners."""
    return with_words(rows, tx.overviews.names(sorted({row.owner_id for row in rows if row.owner_id})))


def with_words(rows: Sequence[Any], names: Mapping[str, str] = MappingProxyType({})) -> list[TaskLine]:
    """Return rows with their display status, and with these names of their owners."""
    return [
        TaskLine(
            row=row,
            word=task_word(
                row.status,
                quality=row.quality,
                hold=row.hold,
                waiting_for=row.waiting_for,
                proof_state=row.proof_state,
            ),
            agent=names.get(row.owner_id or "") or row.agent_name,
        )
        for row in rows
    ]


def count_of_tally(tally: Mapping[str, int], proofs: Mapping[str, int], *, needs: int, failed_attempts: int) -> Count:
    """Return the counts from the stored ones of phases, and from the states of proof."""
    completed = tally.get("success", 0) + tally.get("partial", 0)
    proved, accepted = proofs.get(ProofState.PROVED, 0), proofs.get(ProofState.ACCEPTED, 0)
    return Count(
        proved=proved,
        accepted=accepted,
        unproved=max(0, completed - proved - accepted),
        failing=proofs.get(ProofState.FAILING, 0),
        working=max(0, tally.get("in_progress", 0) - needs),
        needs=needs,
        failed=tally.get("failed", 0),
        failed_attempts=failed_attempts,
        skipped=tally.get("skipped", 0),
        total=sum(tally.values()),
    )


def count_of_ended(counts: Mapping[tuple[str, str | None], int]) -> Count:
    """Return the counts of tasks that have ended, from those by status and state of proof."""
    proofs: dict[str, int] = {}
    for (status, proof), tasks in counts.items():
        word = proof if status == TaskStatus.COMPLETED and proof in DONE_PROOFS else status
        proofs[word] = proofs.get(word, 0) + tasks
    return Count(
        proved=proofs.get(ProofState.PROVED, 0),
        accepted=proofs.get(ProofState.ACCEPTED, 0),
        unproved=proofs.get(TaskStatus.COMPLETED, 0),
        failed=proofs.get(TaskStatus.FAILED, 0),
        skipped=proofs.get(TaskStatus.SKIPPED, 0),
        total=sum(counts.values()),
    )


def count(lines: Sequence[TaskLine]) -> Count:
    """Return how many of these tasks are in each state."""
    words = [line.word for line in lines]
    needs = sum(word in NEEDS_PERSON for word in words)
    return Count(
        proved=words.count("proved"),
        accepted=words.count("accepted"),
        unproved=words.count("unproved") + words.count("partial"),
        failing=sum(line.is_failing for line in lines),
        working=sum(word in UNFINISHED for word in words),
        needs=needs,
        failed=words.count("failed"),
        failed_attempts=sum(line.row.failed_attempts for line in lines),
        skipped=words.count("skipped"),
        total=len(words),
    )
