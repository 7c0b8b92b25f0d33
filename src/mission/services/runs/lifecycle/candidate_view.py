"""A candidate as people read it: what was reported, its changes to the tip, its evidence and its review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.checks.evidence import Evidence
from mission.domain.errors import InvalidState
from mission.domain.runs.candidate import Candidate
from mission.domain.tasks.patch import shortened
from mission.git.integration.commit_changes import patch_between
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateRows:
    candidate: Candidate
    task_name: str
    repository: str
    host_id: str
    evidence: list[Evidence]


async def get(work: Work, trees: Trees, *, candidate_id: str, patch: bool) -> dict[str, Any]:
    """Return one candidate, with the lines that it changes if they are asked for."""
    rows = await work.read(_read, candidate_id=candidate_id)
    shown = describe(rows)
    return {**shown, "patch": await _files(trees, rows)} if patch else shown


async def _files(trees: Trees, rows: CandidateRows) -> list[dict[str, Any]] | None:
    """Return the lines that differ between the tip and the merged tree; None before the first trial merge."""
    candidate, top = rows.candidate, Path(rows.repository)
    if candidate.tip is None or candidate.merged_tree is None:
        return None
    trees.check_host(rows.host_id, what=f"candidate {candidate.id}")
    found = await trees.work(top, patch_between, top, candidate.tip, candidate.merged_tree)
    if found.missing is not None:
        raise InvalidState(found.missing, hint="The names of the changed files are kept.")
    return [
        {"path": path, "patch": lines.text, "whole": lines.whole, "note": lines.note}
        for path, lines in shortened(found.files).items()
    ]


def describe(rows: CandidateRows) -> dict[str, Any]:
    """Return the candidate without its lines."""
    candidate = rows.candidate
    return {
        **candidate.record(),
        "task_name": rows.task_name,
        "report": dict(candidate.report),
        "review": _object(candidate.review),
        "proof": _object(candidate.proof),
        "evidence": [each.record() for each in rows.evidence],
    }


def _read(tx: Tx, *, candidate_id: str) -> CandidateRows:
    candidate = tx.candidates.get(candidate_id)
    run = tx.runs.get(candidate.run_id)
    rounds = [each.id for each in tx.rounds.of_run(run.id) if each.candidate_id == candidate.id]
    wanted = dict.fromkeys(id for id in (candidate.round_id, candidate.tip_round_id, *rounds) if id is not None)
    return CandidateRows(
        candidate=candidate,
        task_name=tx.tasks.get(candidate.task_id).name,
        repository=run.repository,
        host_id=run.host_id,
        evidence=[row for id in wanted for row in tx.evidence.of_round(id)],
    )


def _object(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(value) if value is not None else None
