"""Runs and candidates with ordinary values, for tests that need rows."""

from __future__ import annotations

from typing import Any

from mission.domain.ids import new_id
from mission.domain.runs.candidate import Candidate
from mission.domain.runs.options import RunOptions
from mission.domain.runs.run import Run
from tests.store.rows import NOW


def run_of(mission_id: str, **fields: Any) -> Run:
    """Return a run of a mission."""
    values: dict[str, Any] = {
        "id": new_id("run"),
        "mission_id": mission_id,
        "host_id": "here",
        "repository": "/code",
        "branch": f"mission/{mission_id}",
        "base_commit": "b" * 40,
        "tip": "b" * 40,
        "target": "main",
        "options": RunOptions().as_dict(),
        "waivers": [],
        "foreign_commits": [],
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Run(**{**values, **fields})


def candidate_of(run: Run, task_id: str, **fields: Any) -> Candidate:
    """Return a candidate of a task in a run."""
    values: dict[str, Any] = {
        "id": new_id("candidate"),
        "run_id": run.id,
        "mission_id": run.mission_id,
        "task_id": task_id,
        "report": {},
        "findings": [],
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Candidate(**{**values, **fields})
