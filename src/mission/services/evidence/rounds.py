"""Rounds of checks: open one for a tree, queue its tries, and evaluate what needs no program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain import events
from mission.domain.checks.check import Before, CheckKind
from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Evidence, EvidenceState, Outcome, Place, Role
from mission.domain.checks.file_patterns.globs import compile_globs
from mission.domain.checks.round import CheckRound, DefinedCheck, Purpose
from mission.domain.checks.verdict import NextTry
from mission.domain.ids import new_id
from mission.domain.plural import counted
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.task import Task
from mission.services.evidence import reuse
from mission.store.transaction import Tx

MAX_NAMED = 20
_START_SETUP = "start"
"""The setup of rebuilt start trees: their evidence is not compared with that of the agent's own tree."""


def open_round(
    tx: Tx,
    *,
    task: Task,
    checks: Sequence[CheckDefinition],
    purpose: Purpose,
    report: Mapping[str, Any] | None = None,
    agent_id: str | None = None,
    execution_id: str | None = None,
    excuses: bool = True,
) -> CheckRound:
    """Open a round for the task's tree. The process that drives it takes the tree."""
    mission = tx.missions.get(task.mission_id)
    round = CheckRound(
        id=new_id("check round"),
        task_id=task.id,
        mission_id=task.mission_id,
        purpose=purpose,
        host_id=task.host_id or "",
        path=task.tree or "",
        repository=mission.repository_id or task.tree or task.mission_id,
        checks=[each.defined.as_dict() for each in checks],
        report=dict(report) if report is not None else None,
        agent_id=agent_id,
        fence=task.fence,
        execution_id=execution_id,
        excuses=excuses,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.rounds.add(round)
    return round


def open_gate(tx: Tx, task_id: str) -> CheckRound | None:
    """Return the round that decides about the task now, if one is open."""
    return next((each for each in tx.rounds.open_of_task(task_id) if each.purpose is Purpose.GATE), None)


def last_gate(tx: Tx, task_id: str) -> CheckRound | None:
    """Return the newest round that decided, or decides, about the task."""
    return next((each for each in tx.rounds.of_task(task_id, limit=20) if each.purpose is Purpose.GATE), None)


def queue(tx: Tx, round: CheckRound, tries: Sequence[NextTry]) -> list[Evidence]:
    """Queue these tries; what passed before on the same tree is used again, and globs are evaluated at once."""
    # They run in the order in which they are defined: the oldest first.
    created = [tx.now + timedelta(microseconds=number) for number in range(len(tries))]
    rows = [replace(_evidence(tx, round, each), created_at=at) for each, at in zip(tries, created, strict=True)]
    tx.evidence.add(*rows)
    for row in rows:
        tx.emit(events.EvidenceCreated(evidence=row))
    return rows


def drop_queued(tx: Tx, round: CheckRound, *, reason: str) -> None:
    """End the tries of a round that wait for their turn: they will never run."""
    for row in tx.evidence.of_round(round.id):
        if row.state is EvidenceState.QUEUED:
            dropped = row.ended(Outcome(state=EvidenceState.LOST, reason=reason), at=tx.now)
            tx.evidence.save(dropped)
            tx.emit(events.EvidenceUpdated(evidence=dropped))


def reusable(tx: Tx, round: CheckRound) -> bool:
    """Return whether every check of the round passes without running anything."""
    return all(
        not each.waits and each.check.before is Before.ANY and _passes(tx, round, each) for each in round.defined
    )


def _passes(tx: Tx, round: CheckRound, defined: DefinedCheck) -> bool:
    check = defined.check
    if check.kind is CheckKind.RUN:
        return reuse.find_earlier(tx, round, NextTry(defined=defined, role=Role.RESULT)) is not None
    return judge_globs(check.kind, check.globs, _changed_paths(round)).state is EvidenceState.PASSED


def _changed_paths(round: CheckRound) -> Sequence[str]:
    return Changes.from_dict(round.changes).paths if round.changes is not None else ()


def _evidence(tx: Tx, round: CheckRound, wanted: NextTry) -> Evidence:
    check = wanted.defined.check
    row = Evidence(
        id=new_id("evidence"),
        task_id=round.task_id,
        mission_id=round.mission_id,
        round_id=round.id,
        name=check.name,
        definition=wanted.defined.definition,
        check=check,
        required=check.required,
        role=wanted.role,
        place=round.place if wanted.role is Role.RESULT else Place.TASK,
        tree=round.tree if wanted.role is Role.RESULT else None,
        setup=round.setup if wanted.role is Role.RESULT else _START_SETUP,
        host_id=round.host_id,
        repository=round.repository,
        take=round.take,
        created_at=tx.now,
        updated_at=tx.now,
    )
    if check.kind is not CheckKind.RUN:
        judged = judge_globs(check.kind, check.globs, _changed_paths(round))
        return replace(row, started_at=tx.now).ended(judged, at=tx.now)
    earlier = reuse.find_earlier(tx, round, wanted)
    return row if earlier is None else row.reusing(earlier, at=tx.now)


def judge_globs(kind: CheckKind, globs: Sequence[str], paths: Sequence[str]) -> Outcome:
    """Return the outcome of a check on the changed files."""
    matching = compile_globs(globs).select(paths)
    wanted = ", ".join(globs)
    if kind is CheckKind.CHANGED:
        if matching:
            return Outcome(state=EvidenceState.PASSED)
        return Outcome(state=EvidenceState.FAILED, reason=f"no changed file matches {wanted}")
    if not matching:
        return Outcome(state=EvidenceState.PASSED)
    return Outcome(
        state=EvidenceState.FAILED,
        reason=f"{counted(len(matching), 'changed file matches', 'changed files match')} {wanted}",
        files=matching[:MAX_NAMED],
    )
