"""What is known about the result of one task: each of its checks with its outcome, and reasons to look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mission.domain.checks.check import CheckKind
from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Evidence, Role
from mission.domain.checks.proof import Proof
from mission.domain.checks.round import CheckRound, DefinedCheck
from mission.domain.tasks.changes import Changes, verify_scope
from mission.domain.tasks.states import OPEN
from mission.domain.tasks.task import Task
from mission.services.checks import reading
from mission.services.tasks.reporting import RUNNING
from mission.store.transaction import Tx

NOT_RUN = "not_run"


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckLine:
    """One check of a task with the evidence of the newest round."""

    defined: DefinedCheck
    state: str
    result: Evidence | None = None
    before: Evidence | None = None
    """What it said about the tree before the change, if it was asked."""
    failed_before: bool = False
    green_before: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskProof:
    """The proof of a task, the round that is under way or was last, and what a reviewer should know."""

    task: Task
    proof: Proof | None
    round: CheckRound | None
    checks: Sequence[CheckLine]
    unexpected_files: Sequence[str]

    @property
    def is_running(self) -> bool:
        return self.round is not None and self.round.is_open

    @property
    def waits(self) -> str | None:
        """Return what its checks wait for; None if they run or there are none under way."""
        reason = self.task.hold.reason if self.task.is_checking and self.task.hold is not None else None
        return None if reason == RUNNING else reason

    @property
    def can_run(self) -> bool:
        """Return whether its checks can run now."""
        return bool(self.checks) and self.task.status in OPEN and self.task.snapshot is not None and not self.is_running

    @property
    def can_accept(self) -> bool:
        """Return whether a person can accept it."""
        return self.task.status in OPEN and self.task.started_at is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposedCheck:
    """A check that an agent proposed, with the names of the tasks it is for."""

    definition: CheckDefinition
    tasks: Sequence[str]


def read(tx: Tx, *, task_id: str) -> TaskProof:
    """Return what is known about the result of a task."""
    found = reading.of_task(tx, task_id=task_id)
    task, round = found.task, found.round
    defined = round.defined if round is not None else [each.defined for each in found.checks]
    return TaskProof(
        task=task,
        proof=Proof.from_dict(task.proof) if task.proof is not None else None,
        round=round,
        checks=[_line(each, found.evidence, round) for each in defined],
        unexpected_files=_unexpected(task, round),
    )


def read_proposed(tx: Tx, *, item_id: str) -> list[ProposedCheck]:
    """Return the commands that an inbox item asks about, each once, exactly as they would run."""
    tx.inbox.get(item_id)
    proposed: dict[str, list[CheckDefinition]] = {}
    for each in tx.checks.of_item(item_id):
        if each.check.kind is CheckKind.RUN:
            proposed.setdefault(each.defined.definition, []).append(each)
    return [
        ProposedCheck(definition=same[0], tasks=[task.name for each in same if (task := tx.tasks.find(each.scope_id))])
        for same in proposed.values()
    ]


def _line(defined: DefinedCheck, evidence: Sequence[Evidence], round: CheckRound | None) -> CheckLine:
    own = [each for each in evidence if each.name == defined.check.name]
    result = next((each for each in reversed(own) if each.role is Role.RESULT), None)
    before = next((each for each in reversed(own) if each.role is not Role.RESULT and each.is_finished), None)
    said = _verdict_of(defined.check.name, round)
    is_open = round is not None and round.is_open
    if result is None or (not result.is_finished and not is_open):
        return CheckLine(defined=defined, state=NOT_RUN)
    return CheckLine(
        defined=defined,
        state=str(said.get("state") or result.state),
        result=result,
        before=before,
        failed_before=bool(said.get("failed_before")),
        green_before=said.get("green_before") is not None,
    )


def _verdict_of(name: str, round: CheckRound | None) -> Mapping[str, Any]:
    results = (round.verdict or {}).get("results", ()) if round is not None else ()
    return next((each for each in results if each["name"] == name), {})


def _unexpected(task: Task, round: CheckRound | None) -> list[str]:
    """Return the changed files outside the task's areas, as measured at its end or when its checks began."""
    verified = (task.completion or {}).get("verification")
    if verified:
        return list(verified["unexpected_files"])
    if round is None or round.changes is None:
        return []
    return list(verify_scope(Changes.from_dict(round.changes), list(task.areas)).unexpected_files)
