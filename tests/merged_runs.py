"""Runs whose results are merged: tasks in real worktrees, and a loop that carries out what the controller decides."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import MissionError
from mission.domain.ids import new_id
from mission.domain.runs.candidate import Candidate
from mission.domain.runs.controller import next_steps
from mission.domain.runs.decisions import choices
from mission.domain.runs.options import RunOptions
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import Ask, CarryOut, SkipTasks, Step
from mission.services.runs.agents.agent_steps import AGENT_STEPS
from mission.services.runs.lifecycle.lifecycle_steps import LIFECYCLE_STEPS
from mission.services.runs.merging.merge_steps import MERGE_STEPS
from mission.services.runs.view_reader import ProcessFacts, read_view
from mission.store.transaction import Tx
from tests.conftest import Front

PATIENCE = 60.0
HANDLERS = {**AGENT_STEPS, **MERGE_STEPS, **LIFECYCLE_STEPS}
CARRIED_OUT = (*MERGE_STEPS, SkipTasks, CarryOut)
ASKED = (choices.TIP_RED, choices.UNPROVED, "checks:")
"""Questions about merging."""


class MergedRun:
    """A run of a mission, and what a test does with its tasks."""

    def __init__(self, call: Front, repository: Path, mission_id: str, run_id: str) -> None:
        self.call = call
        self.repository = repository
        self.mission_id = mission_id
        self.id = run_id
        self.worktrees: dict[str, Path] = {}
        self.tasks = 0

    async def check(self, *checks: Any, **more: Any) -> None:
        """Set the mission's checks, as the operator."""
        await self.call("checks_set", {"scope": "mission", "id": self.mission_id, "checks": list(checks), **more})

    async def task(
        self, name: str, files: dict[str, str] | None = None, *, areas: Sequence[str] = (), **more: Any
    ) -> str:
        """Add a task, start it in a worktree at the tip, and write files there."""
        self.tasks += 1  # a phase of its own: one whose tasks have all ended is closed
        task = {"name": name, "description": f"Do {name}", "sequence": self.tasks, **more}
        made = await self.call("workflow_add_tasks", {"workflow_id": self.mission_id, "tasks": [task]})
        task_id = str(made["task_ids"][0])
        await self.begin(task_id, areas=list(areas))
        for path, text in (files or {}).items():
            self.write(task_id, path, text)
        return task_id

    async def begin(self, task_id: str, **more: Any) -> None:
        run = await self.run()
        path = self.repository.parent / f"wt-{task_id}"
        if task_id not in self.worktrees:
            await self.call(
                "workspace_create",
                {
                    "workflow_id": self.mission_id,
                    "path": str(path),
                    "branch": run.task_branch(task_id),
                    "base_branch": run.branch,
                    "task_ids": [task_id],
                    "create": True,
                },
            )
            self.worktrees[task_id] = path
        await self.call("start_task", {"mission_id": self.mission_id, "task_id": task_id, **more})

    def write(self, task_id: str, name: str, text: str = "new\n") -> None:
        path = self.worktrees[task_id] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    async def report(self, task_id: str, status: str = "success", summary: str = "done", **more: Any) -> dict[str, Any]:
        """Report a result while the run is driven; return the answer of the call."""
        given = {"task_id": task_id, "status": status, "outcome": {"summary": summary}, **more}
        return await self.driven(self.call("complete_task", given))

    async def submit(self, task_id: str, **more: Any) -> Candidate:
        """Report a result without waiting for anything; return its candidate, frozen."""
        gate = self.call.app.gateway._ports.checks.gate
        waits, gate.wait_seconds = gate.wait_seconds, 0.0
        try:
            given = {"task_id": task_id, "status": "success", "outcome": {"summary": "done"}, **more}
            await self.call("complete_task", given)
        finally:
            gate.wait_seconds = waits
        return (await self.candidates(task_id))[-1]

    async def refused(self, task_id: str, **more: Any) -> dict[str, Any]:
        """Report a result that is sent back; return the error."""
        with pytest.raises(MissionError) as raised:
            await self.report(task_id, **more)
        return {"http_status": raised.value.http_status, **raised.value.as_dict()}

    async def driven(self, call: Awaitable[Any]) -> Any:
        """Drive the run until the call has its answer."""
        waiting = asyncio.ensure_future(call)
        async with asyncio.timeout(PATIENCE):
            while not waiting.done():
                if not await self.look():
                    await asyncio.sleep(0.01)
        return await waiting

    async def settle(self) -> None:
        """Drive the run until nothing is left to do."""
        async with asyncio.timeout(PATIENCE):
            while True:
                is_busy = await self.look() or await self.has_open_rounds()
                if not is_busy and await self.read(self._next) is None:
                    return
                await asyncio.sleep(0.01)

    async def settle_rounds(self) -> None:
        """Wait until no check runs."""
        async with asyncio.timeout(PATIENCE):
            while await self.has_open_rounds():  # noqa: ASYNC110 - a row tells nobody
                await asyncio.sleep(0.01)

    async def look(self) -> bool:
        """Carry out the next step, as a controller would; return whether there was one."""
        step = await self.read(self._next)
        if step is None:
            return False
        await self.do(step)
        return True

    async def do(self, step: Step) -> None:
        await HANDLERS[type(step)](self.call.app.run_context, await self.run(), step)

    def _next(self, tx: Tx) -> Step | None:
        """Return the first step of merging that the controller decides upon."""
        view = read_view(tx, run_id=self.id, facts=ProcessFacts(slots=4))
        assert view is not None
        return next((step for step in next_steps(view).steps if _is_about_merging(step)), None)

    async def run(self) -> Run:
        found: Run = await self.read(lambda tx: tx.runs.get(self.id))
        return found

    async def candidates(self, task_id: str) -> list[Candidate]:
        found: list[Candidate] = await self.read(lambda tx: tx.candidates.of_task(task_id))
        return found

    async def states(self, *task_ids: str) -> list[str]:
        """Return the state of the newest candidate of each task."""
        return [str((await self.candidates(id))[-1].state) for id in task_ids]

    async def row(self, task_id: str) -> Any:
        return await self.read(lambda tx: tx.tasks.get(task_id))

    async def rounds(self, purpose: str | None = None) -> list[Any]:
        """List the rounds of the run, oldest first."""

        def listed(tx: Tx) -> list[Any]:
            ids = {row.round_id for row in tx.evidence.page(
                task_id=None, mission_id=self.mission_id, states=None, limit=1_000, after=None
            )}  # fmt: skip
            ids |= {id for each in tx.candidates.of_run(self.id) for id in (each.round_id, each.tip_round_id) if id}
            found = [tx.rounds.get(id) for id in ids]
            return sorted(found, key=lambda each: each.created_at)

        return [each for each in await self.read(listed) if purpose in {None, str(each.purpose)}]

    async def has_open_rounds(self) -> bool:
        return bool(await self.read(lambda tx: tx.rounds.open_of_mission(self.mission_id)))

    async def items(self, kind: str | None = None) -> list[dict[str, Any]]:
        found = (await self.call("queue_list"))["items"]
        return [item for item in found if kind in {None, item["kind"]}]

    async def answer(self, item: dict[str, Any], label: str, text: str = "") -> None:
        number = [choice["label"] for choice in item["choices"]].index(label) + 1
        await self.call("queue_answer", {"id": item["id"], "choice": number, "text": text})

    async def read(self, function: Callable[[Tx], Any]) -> Any:
        return await self.call.app.database.read(function)

    async def write_rows(self, function: Callable[[Tx], Any]) -> Any:
        return await self.call.app.database.write(function)

    async def tip(self) -> str:
        return self.git("rev-parse", (await self.run()).branch)

    async def shown(self, path: str) -> str | None:
        """Return the content of a file on the integration branch."""
        return self.content(f"{(await self.run()).branch}:{path}")

    def content(self, name: str) -> str | None:
        done = subprocess.run(["git", "show", name], cwd=self.repository, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    async def merges(self) -> list[str]:
        """Return the subjects on the integration branch, oldest first, without the first commit."""
        run = await self.run()
        listed = self.git("log", "--first-parent", "--reverse", "--format=%s", f"{run.base_commit}..{run.branch}")
        return listed.splitlines()

    def commit_on_branch(self, name: str, run: Run) -> str:
        """Commit a file on the integration branch, as somebody else; return the commit."""
        path = self.repository.parent / f"foreign-{name}"
        self.git("worktree", "add", "-q", "--detach", str(path), run.branch)
        (path / name).write_text("theirs\n")
        self.git("add", "-A", cwd=path)
        self.git("commit", "-qm", "theirs", cwd=path)
        commit = self.git("rev-parse", "HEAD", cwd=path)
        self.git("update-ref", f"refs/heads/{run.branch}", commit)
        self.git("worktree", "remove", "--force", str(path))
        return commit

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.repository, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()


async def start_run(call: Front, repository: Path, *, options: RunOptions | None = None, **more: Any) -> MergedRun:
    """Create a mission with a running run, as its start leaves it."""
    made = await call("start_mission", {"name": "M", "objective": "o", "repository_path": str(repository)})
    mission_id = made["mission_id"]
    base = _git(repository, "rev-parse", "HEAD")
    branch = f"mission/m-{mission_id[-6:].lower()}"
    _git(repository, "branch", branch, base)
    wanted = options or RunOptions(review="none")

    def added(tx: Tx) -> str:
        run = Run(
            id=new_id("run"),
            mission_id=mission_id,
            host_id=call.app.trees.host_id,
            repository=str(repository),
            branch=branch,
            base_commit=base,
            tip=base,
            target="main",
            options=wanted.as_dict(),
            state=RunState.RUNNING,
            created_at=tx.now,
            updated_at=tx.now,
            **more,
        )
        tx.runs.add(run)
        return run.id

    return MergedRun(call, repository, mission_id, await call.app.database.write(added))


def _is_about_merging(step: Step) -> bool:
    return isinstance(step, CARRIED_OUT) or (isinstance(step, Ask) and step.key.startswith(ASKED))


def ids_of(candidates: Sequence[Candidate]) -> list[str]:
    return [each.id for each in candidates]


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
async def merged(call: Front, repository: Path) -> MergedRun:
    """A run in the repository, without checks, whose person allowed that."""
    return await start_run(call, repository, unproved_allowed=True)
