"""The controller of runs: how long one decision takes for 10,000 tasks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bench.effort import Effort
from bench.report import Row, Target
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.controller import next_steps
from mission.domain.runs.options import AgentMix, RunOptions
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.view import EndedExecution, LiveExecution, MachineView, RunView, TaskView
from mission.domain.tasks.states import TaskStatus

TASKS = 10_000
SECTION = "controller: one decision for 10,000 tasks"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def measure(effort: Effort) -> list[Row]:
    """Measure a decision in the middle of a run, and one in which every task is ready and in a busy area."""
    views = {"half way, 50 agents, 40 candidates": _half_way(), "all ready, in one busy area": _all_ready()}
    clocks = {"": time.perf_counter, ", CPU time": time.thread_time}
    return [
        Row(
            section=SECTION,
            what=f"{what}{which}",
            figure=_milliseconds(view, clock, rounds=effort.rounds),
            unit="ms",
            target=Target(50.0, of="figure"),
        )
        for what, view in views.items()
        for which, clock in clocks.items()
    ]


def _milliseconds(view: RunView, clock: Callable[[], float], *, rounds: int) -> float:
    taken = []
    for _ in range(max(5, rounds)):
        begun = clock()
        next_steps(view)
        taken.append(1000 * (clock() - begun))
    return statistics.median(taken)


def _half_way() -> RunView:
    """Return a run whose first half is merged; the rest is live, reported, waiting after an attempt, or not started."""
    half = TASKS // 2
    tasks = [_task(number, TaskStatus.COMPLETED) for number in range(half)]
    tasks += [_task(half + number, TaskStatus.IN_PROGRESS, live=_live(number)) for number in range(50)]
    tasks += [_task(half + 50 + number, TaskStatus.REVIEW) for number in range(40)]
    tasks += [_task(half + 90 + number, TaskStatus.PENDING, ended=_ended(), attempts=1) for number in range(900)]
    tasks += [
        _task(number, TaskStatus.PENDING, depends_on=[f"t_{number - half}"]) for number in range(half + 990, TASKS)
    ]
    candidates = [_candidate(half + 50 + number) for number in range(40)]
    return _view(tasks, candidates=candidates)


def _all_ready() -> RunView:
    tasks = [_task(number, TaskStatus.PENDING, areas=[f"src/part{number % 50}/x.py"]) for number in range(TASKS - 1)]
    return _view([*tasks, _task(TASKS, TaskStatus.IN_PROGRESS, live=_live(0), areas=["src"])])


def _view(tasks: list[TaskView], candidates: list[Candidate] | None = None) -> RunView:
    options = RunOptions(agents=[AgentMix(client="claude-code", count=60), AgentMix(client="codex", count=60)])
    run = Run(
        id="run_1",
        mission_id="m_1",
        host_id="h",
        repository="/r",
        branch="mission/x",
        base_commit="b",
        tip="tip",
        target="main",
        options=options.as_dict(),
        created_at=NOW,
        updated_at=NOW,
        state=RunState.RUNNING,
    )
    return RunView(now=NOW, run=run, tasks=tasks, candidates=candidates or [], machine=MachineView(slots=100, busy=50))


def _task(
    number: int,
    status: TaskStatus,
    *,
    live: LiveExecution | None = None,
    ended: EndedExecution | None = None,
    attempts: int = 0,
    depends_on: list[str] | None = None,
    areas: list[str] | None = None,
) -> TaskView:
    return TaskView(
        id=f"t_{number}",
        name=f"task {number}",
        status=status,
        position=number,
        live=live,
        ended=ended,
        attempts=attempts,
        depends_on=depends_on or [],
        areas=areas or [f"src/part{number}"],
    )


def _live(number: int) -> LiveExecution:
    return LiveExecution(id=f"x_{number}", client="codex", started_at=NOW, active_at=NOW)


def _ended() -> EndedExecution:
    return EndedExecution(id="x", client="codex", ended_at=NOW - timedelta(seconds=30), counts=True)


def _candidate(number: int) -> Candidate:
    return Candidate(
        id=f"cd_{number}",
        run_id="run_1",
        mission_id="m_1",
        task_id=f"t_{number}",
        created_at=NOW,
        updated_at=NOW,
        state=CandidateState.QUEUED,
        report={},
    )
