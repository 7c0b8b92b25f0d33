"""Runs in a real repository: start one from a plan, carry out single steps, and merge work without agents."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mission.domain.checks.evidence import ProofState
from mission.domain.ids import new_id
from mission.domain.inbox.item import InboxItem, ItemKind
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Step
from mission.domain.tasks import moves
from mission.domain.tasks.moves import TaskEnd
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle.lifecycle_steps import LIFECYCLE_STEPS
from mission.services.runs.lifecycle.run_changes import item_key
from mission.services.tasks import updates
from mission.services.work import BackgroundWork
from mission.store.transaction import Tx
from tests.conftest import Front

PATIENCE = 60.0
AGENTS = [{"client": "command", "command": ["/bin/true"]}]


def task(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"do {name}", **more}


class StartedRuns:
    """Starts runs in one repository and drives them step by step."""

    def __init__(self, call: Front, repository: Path, worktrees: Path) -> None:
        self.call = call
        self.repository = repository
        app = call.app
        ports = app.gateway._ports
        self.context = RunContext(
            work=BackgroundWork(app.database),
            trees=app.trees,
            launcher=ports.launcher,
            checker=ports.checks.checker,
            events=app.events,
            liveness=ports.liveness,
            worktrees=worktrees,
            agent_slots=4,
            min_free_gb=0.0,
        )
        self.id = ""
        self.mission_id = ""

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=folder or self.repository, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def plan(self, *tasks: Mapping[str, Any], **mission: Any) -> dict[str, Any]:
        """Return a plan as JSON, with one task unless others are given."""
        about = {"name": "JWT login", "objective": "Expired tokens are refused", "repository": "."}
        agents = mission.pop("agents", AGENTS)
        budget = {"budget": mission.pop("budget")} if "budget" in mission else {}
        wanted = {"checks": ["true"], **mission}
        return {"mission": {**about, **wanted}, "agents": agents, "tasks": list(tasks) or [task("one")], **budget}

    async def start(self, *tasks: Mapping[str, Any], **mission: Any) -> dict[str, Any]:
        """Start a run of a plan."""
        given = {"plan": self.plan(*tasks, **mission), "folder": str(self.repository)}
        answer = await self.call("run_start", given)
        self.id, self.mission_id = answer["run_id"], answer["mission_id"]
        return answer

    async def running(self, *tasks: Mapping[str, Any], **mission: Any) -> dict[str, Any]:
        """Start a run, and let it go without a look before."""
        answer = await self.start(*tasks, **mission)
        await self.set(state="running", preflight={"notes": [], "problems": [], "round_id": None})
        return answer

    async def get(self) -> dict[str, Any]:
        return await self.call("run_get", {"run_id": self.id})

    async def run(self) -> Run:
        return await self.read(lambda tx: tx.runs.get(self.id))

    async def set(self, **values: Any) -> None:
        """Change the row of the run."""

        def change(tx: Tx) -> None:
            run = tx.runs.get(self.id)
            tx.runs.save(replace(run, **{**values, "state": type(run.state)(values.get("state", run.state))}))

        await self.write(change)

    async def step(self, step: Step) -> Run:
        """Carry out one step and return the run."""
        await LIFECYCLE_STEPS[type(step)](self.context, await self.run(), step)
        return await self.run()

    async def settled(self, round_id: str) -> Any:
        """Return a round of checks once it has ended."""
        assert await self.context.checker.settled(round_id, host_id=self.context.host_id, seconds=PATIENCE), (
            "the checks did not end in time"
        )
        return await self.read(lambda tx: tx.rounds.get(round_id))

    async def read(self, function: Any) -> Any:
        return await self.call.app.database.read(function)

    async def write(self, function: Any) -> Any:
        return await self.call.app.database.write(function)

    async def tasks(self) -> dict[str, Any]:
        """Return the rows of the tasks by name."""
        found = await self.read(lambda tx: tx.plans.page(self.mission_id, limit=100, offset=0))
        return {each.name: each for each in found}

    async def ask(self, key: str, *choices: str, subject: str = "What now?", **more: Any) -> InboxItem:
        """Open a question of the run."""
        run = await self.run()
        offered = [{"kind": "fixed", "label": each.title(), "value": each} for each in choices]
        return await self.write(
            lambda tx: inbox.open_item(
                tx,
                kind=ItemKind.RUN,
                subject=subject,
                mission_id=run.mission_id,
                choices=offered,
                dedupe_key=item_key(run, key),
                **more,
            )
        )

    async def candidate(self, name: str, **values: Any) -> Candidate:
        """Store a candidate of a task."""
        row = (await self.tasks())[name]

        def add(tx: Tx) -> Candidate:
            given = {"report": {"outcome": {"summary": "done"}}, **values}
            made = Candidate(
                id=new_id("candidate"),
                run_id=self.id,
                mission_id=self.mission_id,
                task_id=row.id,
                created_at=tx.now,
                updated_at=tx.now,
                **given,
            )
            tx.candidates.add(made)
            return made

        return await self.write(add)

    def commit(self, branch: str, files: Mapping[str, str], *, message: str = "work") -> str:
        """Commit files onto a branch without touching the checkout, and return the commit."""
        folder = Path(self.git("rev-parse", "--absolute-git-dir")) / "scratch"
        self.git("worktree", "add", "-q", "--force", str(folder), branch)
        try:
            for name, text in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
            self.git("add", "-A", folder=folder)
            self.git("commit", "-qm", message, folder=folder)
            return self.git("rev-parse", "HEAD", folder=folder)
        finally:
            self.git("worktree", "remove", "--force", str(folder))

    async def merge(self, name: str, files: Mapping[str, str]) -> str:
        """Merge the work of a task: its files are on the integration branch, and the task is completed."""
        run = await self.run()
        before = run.tip
        commit = self.commit(run.branch, files)
        await self.candidate(name, state=CandidateState.MERGED, commit=commit, tip=before, merge_commit=commit)
        await self.set(tip=commit)
        changes = {"added": sorted(files), "modified": [], "deleted": [], "renamed": [], "commits": []}
        await self._complete(name, changes)
        return commit

    async def _complete(self, name: str, changes: Mapping[str, Any]) -> None:
        row = (await self.tasks())[name]

        def complete(tx: Tx) -> None:
            now = tx.tasks.get(row.id)
            if now.status is TaskStatus.PENDING:
                now = now.move_to(TaskStatus.IN_PROGRESS, at=tx.now)
                tx.tasks.save(now)
            end = TaskEnd(
                status=TaskStatus.COMPLETED,
                quality=Quality.SUCCESS,
                outcome={"summary": f"{name} is done"},
                error=None,
                metadata=None,
                changes=dict(changes),
                proof_state=ProofState.PROVED,
                proof={"state": "proved", "checks": [{"name": "true", "state": "passed", "seconds": 0.1}]},
            )
            updates.apply(tx, moves.ended(now, end, at=tx.now))

        await self.write(complete)


@pytest.fixture
def runs(call: Front, repository: Path, tmp_path: Path) -> StartedRuns:
    return StartedRuns(call, repository, tmp_path / "run-worktrees")
