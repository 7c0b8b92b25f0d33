"""Views of runs for tests: small builders with sensible defaults."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.options import AgentMix, RunOptions
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import Step
from mission.domain.runs.view import (
    EndedExecution,
    LiveExecution,
    MachineView,
    RoundView,
    RunView,
    TaskView,
)
from mission.domain.tasks.states import TaskStatus

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MIX = (AgentMix(client="claude-code", count=2), AgentMix(client="codex", count=2))


def ago(**much: float) -> datetime:
    return NOW - timedelta(**much)


def a_run(**values: Any) -> Run:
    options = {name: values.pop(name) for name in list(values) if name in RunOptions.__dataclass_fields__}
    wanted = RunOptions(**{"agents": MIX, **options})
    run = Run(
        id="run_1",
        mission_id="m_1",
        host_id="h",
        repository="/r",
        branch="mission/x-1",
        base_commit="base",
        tip="tip",
        target="main",
        options=wanted.as_dict(),
        created_at=ago(hours=1),
        updated_at=ago(hours=1),
        state=RunState.RUNNING,
        preflight={"problems": [], "notes": []},
    )
    return replace(run, **values)


def a_task(number: int = 1, **values: Any) -> TaskView:
    base = TaskView(id=f"t_{number}", name=f"task {number}", status=TaskStatus.PENDING, position=number)
    return replace(base, **values)


def a_view(*tasks: TaskView, run: Run | None = None, **values: Any) -> RunView:
    base = RunView(now=NOW, run=run or a_run(), tasks=tasks, machine=MachineView(slots=10))
    return replace(base, **values)


def is_live(**values: Any) -> LiveExecution:
    base = LiveExecution(id="x_1", client="claude-code", started_at=ago(minutes=5), active_at=ago(seconds=5))
    return replace(base, **values)


def has_ended(**values: Any) -> EndedExecution:
    base = EndedExecution(id="x_1", client="claude-code", ended_at=ago(minutes=30), counts=True)
    return replace(base, **values)


def a_candidate(number: int = 1, **values: Any) -> Candidate:
    base = Candidate(
        id=f"cd_{number}",
        run_id="run_1",
        mission_id="m_1",
        task_id=f"t_{number}",
        report={},
        created_at=NOW - timedelta(hours=1) + timedelta(minutes=number),
        updated_at=NOW,
        state=CandidateState.QUEUED,
        commit=f"commit{number}",
        tree=f"tree{number}",
    )
    return replace(base, **values)


def built(number: int = 1, *, upon: str = "tip", **values: Any) -> Candidate:
    """Return a candidate whose merge commit exists."""
    base = a_candidate(number, state=CandidateState.BUILT)
    merged = {"tip": upon, "merge_commit": f"merge{number}", "merged_tree": f"merged{number}"}
    return replace(base, **{**merged, **values})


def a_round(id: str, state: RoundState, candidate: Candidate | None = None, **values: Any) -> RoundView:
    base = RoundView(
        id=id,
        state=state,
        tree=candidate.merged_tree if candidate is not None else None,
        candidate_id=candidate.id if candidate is not None else None,
        purpose=Purpose.MERGE,
        created_at=ago(minutes=10),
        proves=state is RoundState.PASSED,
    )
    return replace(base, **values)


def of_kind(steps: Any, kind: type[Step]) -> list[Any]:
    return [each for each in steps if isinstance(each, kind)]
