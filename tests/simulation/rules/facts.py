"""What the rules look at when a mission is over: its rows, and what really happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mission.domain.checks.evidence import Evidence
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks.task import Task
from mission.services.runs.lifecycle import run_view
from mission.store.transaction import Tx
from tests.simulation.ports.machine import Machine


class Violation(AssertionError):
    """A rule that does not hold."""


@dataclass(kw_only=True, slots=True)
class Facts:
    """One mission."""

    run: Run
    tasks: Mapping[str, Task]
    candidates: list[Candidate]
    evidence: Mapping[str, Evidence]
    machine: Machine
    tx: Tx
    main: str
    """Where the user's own branch was put by its user."""
    merged: list[Candidate] = field(default_factory=list)

    @classmethod
    def read(cls, tx: Tx, *, run_id: str, machine: Machine, main: str) -> Facts:
        run = tx.runs.get(run_id)
        rows = tx.evidence.page(task_id=None, mission_id=run.mission_id, states=None, limit=10_000, after=None)
        candidates = tx.candidates.of_run(run.id)
        return cls(
            run=run,
            tasks={task.id: task for task in run_view.tasks_of(tx, run.mission_id)},
            candidates=candidates,
            evidence={row.id: row for row in rows},
            machine=machine,
            tx=tx,
            main=main,
            merged=[each for each in candidates if each.state is CandidateState.MERGED],
        )

    @property
    def chain(self) -> list[str]:
        """The commits of the integration branch, newest first, down to the base. A deleted branch is where it was."""
        repository = self.machine.repository
        found: list[str] = []
        at = repository.branches.get(self.run.branch) or self.run.tip
        while at != self.run.base_commit:
            found.append(at)
            at = repository.commits[at].parents[0]
        return found
