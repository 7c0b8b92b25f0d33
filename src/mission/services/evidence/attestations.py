"""The evidence of a mission as attestations: what was checked, on which tree, and the commit that has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mission.domain.checks.attestations.attestation import AttestedEvidence, Statement, build_statements
from mission.domain.checks.evidence import Evidence, Role
from mission.domain.errors import MissionError
from mission.domain.missions.mission import Mission
from mission.domain.missions.repository import Repository
from mission.domain.tasks.states import TaskStatus
from mission.git.commit_trees import commits_with, trees_of
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.store.transaction import Tx

FOLDER = "sha256:"
"""The prefix of the id of a plain folder's content."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnprovedTask:
    """A completed task without any check."""

    id: str
    name: str
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportedEvidence:
    """The Statements about a mission's results, ready to be signed, and the tasks without one."""

    mission: Mission
    statements: Sequence[Statement]
    unproved: Sequence[UnprovedTask]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Results:
    """The stored results of a mission's completed tasks."""

    mission: Mission
    repository: Repository | None
    evidence: Sequence[AttestedEvidence]
    commits: Mapping[str, Sequence[str]]
    """The commits that each task made."""
    unproved: Sequence[UnprovedTask]


async def export(work: Work, trees: Trees, *, mission_id: str) -> ExportedEvidence:
    """Return what is known about the results of a mission's completed tasks."""
    found = await work.read(_results, mission_id=mission_id)
    known, later = await _commits(trees, found)
    evidence = [
        replace(
            each,
            commit=next((id for id in found.commits[each.task_id] if known.get(id) == each.tree), later.get(each.tree)),
        )
        for each in found.evidence
    ]
    mission = found.mission
    return ExportedEvidence(
        mission=mission,
        statements=build_statements(evidence, mission_id=mission.id, mission_name=mission.name),
        unproved=found.unproved,
    )


async def _commits(trees: Trees, found: _Results) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the tree of each commit that tasks made, and for each checked tree a commit that somebody made later.

    Both are empty if the repository can no longer be read here.
    """
    repository = found.repository
    if repository is None or repository.common_dir is None or repository.host_id != trees.host_id:
        return {}, {}
    top = Path(repository.path)
    made = sorted({id for commits in found.commits.values() for id in commits})
    checked = {each.tree for each in found.evidence if not each.is_folder}
    try:
        known = await trees.work(top, trees_of, top, made)
        return known, await trees.work(top, commits_with, top, checked)
    except (OSError, MissionError):
        return {}, {}


def _results(tx: Tx, *, mission_id: str) -> _Results:
    mission = tx.missions.get(mission_id)
    proofs = tx.evidence.proofs(mission_id)
    rows = [row for row in tx.overviews.tasks(mission_id) if row.status == TaskStatus.COMPLETED]
    evidence = {row.id: _attested(tx, row, proofs.get(row.id) or {}) for row in rows}
    return _Results(
        mission=mission,
        repository=tx.missions.repository(mission.repository_id) if mission.repository_id is not None else None,
        evidence=[each for attested in evidence.values() for each in attested],
        commits={row.id: [commit["id"] for commit in (row.changes or {}).get("commits", ())] for row in rows},
        unproved=[
            UnprovedTask(id=row.id, name=row.name, reason=(proofs.get(row.id) or {}).get("reason"))
            for row in rows
            if not evidence[row.id]
        ],
    )


def _attested(tx: Tx, task: Any, proof: Mapping[str, Any]) -> list[AttestedEvidence]:
    """Return the evidence of the round that decided about a task, for the tree that was completed."""
    tree, round_id = proof.get("tree"), proof.get("round_id")
    if tree is None or round_id is None:
        return []
    rows = tx.evidence.of_round(round_id)
    return [_one(row, task) for row in rows if row.role is Role.RESULT and row.tree == tree and row.is_finished]


def _one(row: Evidence, task: Any) -> AttestedEvidence:
    tree = str(row.tree)
    return AttestedEvidence(
        id=row.id,
        task_id=task.id,
        task_name=task.name,
        check=row.name,
        kind=str(row.check.kind),
        text=row.check.run or ", ".join(row.check.globs),
        definition=row.definition,
        state=str(row.state),
        tree=tree.removeprefix(FOLDER),
        is_folder=tree.startswith(FOLDER),
        place=str(row.place),
        required=row.required,
        flaky=row.flaky,
        started_at=row.started_at,
        ended_at=row.ended_at,
        seconds=row.seconds,
        tests_run=row.tests_run,
        tests_failed=row.tests_failed,
        tests_skipped=row.tests_skipped,
    )
