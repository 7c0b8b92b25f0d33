"""The scenario of the demo: planning, parallel work, a result that is refused, a crash, a question, a blocker, the
end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mission.demo.sample_project import (
    BLOCKER,
    BLOCKER_ANSWER,
    CHECK,
    DECISION,
    IMPORT,
    JOBS,
    MISSION,
    PROMPT,
    REPORT,
    REPOSITORY,
    SUMMARY,
)
from mission.demo.scripted_agent import Player, Refused, ToolResult, git, playing

Operator = Callable[[str, dict[str, Any]], ToolResult]
Narrator = Callable[[str, str], None]
LOOK_SECONDS = 0.3
PATIENCE = 120.0
ENDED = frozenset({"completed", "failed", "skipped"})
"""States of a task that has ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """The speed of the demo, and whether it answers its own questions."""

    seconds: float
    answers_itself: bool


@dataclass(slots=True)
class Play:
    """One run of the demo in its own repository."""

    repository: Path
    operator: Operator
    say: Narrator
    pace: Pace
    command: str = "mission"
    """The command with which a person calls the program."""
    mission_id: str = ""
    tasks: dict[str, str] = field(default_factory=dict)

    async def run(self) -> ToolResult:
        """Run the demo to its end; return the mission's summary."""
        crew = (("lead", "coordinator"), ("ada", "worker"), ("bob", "worker"))
        ids = {name: self._register(name, role) for name, role in crew}
        prepare(self.repository)  # only after the daemon has answered: without one no files are left
        async with AsyncExitStack() as stack:
            lead, ada, bob = [
                await stack.enter_async_context(
                    playing(name, ids[name], pause=self._pause, say=self.say, folder=self.repository)
                )
                for name, _ in crew
            ]
            await self._plan(lead)
            await self._set_check()
            await self._next(ada, during=self._decide)
            await self._side_by_side(ada, bob)
            await self._next(bob, during=self._is_blocked)
            await self._next(ada)
            return await self._close(lead)

    def break_off(self) -> None:
        """End the mission and its executions, so that nothing keeps running or waiting."""
        if not self.mission_id:
            return
        for execution in self.operator("execution_list", {"mission_id": self.mission_id})["executions"]:
            if execution["ended_at"] is None:
                self.operator("execution_stop", {"id": execution["id"]})
        ending = {"status": "failed", "summary": "The demo was interrupted.", "achievements": []}
        self.operator("complete_workflow", {"workflow_id": self.mission_id, **ending})

    def _register(self, name: str, role: str) -> str:
        return str(self.operator("agent_register", {"name": name, "runtime": "custom", "role": role})["id"])

    async def _plan(self, lead: Player) -> None:
        made = await lead.call(
            "workflow_create",
            name=MISSION,
            source_type="prompt",
            source_content=PROMPT,
            repository_path=str(self.repository),
            max_parallel_tasks=3,
            auto_create_workspaces=True,
        )
        self.mission_id = made["id"]
        plan = {"summary": SUMMARY, "approach": SUMMARY, "tasks": [job.planned() for job in JOBS]}
        await lead.call("workflow_set_plan", id=self.mission_id, plan=plan)
        found = await lead.call("workflow_get", id=self.mission_id, include_tasks=True)
        self.tasks = {task["name"]: task["id"] for task in found["tasks"]}
        self.say("lead", f"planned '{MISSION}': {len(JOBS)} tasks in 4 phases")

    async def _set_check(self) -> None:
        """Set what must pass before a task is done, as the person does."""
        checks = {"scope": "mission", "id": self.mission_id, "checks": [CHECK], "path": os.environ.get("PATH")}
        await asyncio.to_thread(self.operator, "checks_set", checks)
        self.say("you", f"set a check for every task, '{CHECK['name']}': {CHECK['run']}")

    async def _side_by_side(self, ada: Player, bob: Player) -> None:
        """Run three tasks at once: by an agent, by a launched one that asks, by a launched one that crashes."""
        crashing = await self._launch("crashes", IMPORT.name, "cleo")
        await self._launch("asks", REPORT.name, "dora")
        working = asyncio.create_task(self._next(bob))
        try:
            await self._until(lambda: self.operator("execution_get", {"id": crashing})["ended_at"], "cleo to end")
            self.say("cleo", f"died in the middle of '{IMPORT.name}'; its task is free again")
            await self._next(ada)
            await self._answered("question", "2 choices, or your own text")
            await self._until(lambda: self._status(REPORT.name) in ENDED, "dora to continue with the answer")
            self.say("dora", f"continued with the answer and completed '{REPORT.name}'")
        except BaseException:
            working.cancel()  # an interrupted demo does not wait for it
            raise
        await working

    async def _next(self, player: Player, during: Any = None) -> None:
        claimed = await player.take(self.mission_id)
        if claimed is None:
            raise Refused(f"{player.name} found no task to take")
        await player.work(claimed, during=during)

    async def _decide(self, player: Player, task_id: str) -> None:
        await player.call("log_decision", task_id=task_id, **DECISION)
        self.say(player.name, f"decided: {DECISION['chosen']}. {DECISION['reasoning']}")

    async def _is_blocked(self, player: Player, task_id: str) -> None:
        await player.call(
            "log_issue",
            task_id=task_id,
            type="unclear_requirement",
            description=BLOCKER,
            resolution="none yet",
            requires_human_review=True,
        )
        self.say(player.name, f"is blocked: {BLOCKER}")
        await self._answered("blocker", BLOCKER_ANSWER)

    async def _launch(self, role: str, task: str, name: str) -> str:
        arguments = [sys.executable, "-m", "mission.demo.launched_agent", role, str(self.pace.seconds)]
        order = {"adapter": "command", "task_id": self.tasks[task], "agent_name": name, "arguments": arguments}
        launched = await asyncio.to_thread(self.operator, "execution_launch", order)
        self.say(name, f"launched on '{task}' as {launched['id']}")
        return str(launched["id"])

    async def _answered(self, kind: str, answer: str) -> None:
        """Wait until the person has answered the item, or answer it if the demo answers itself."""
        item = await self._until(lambda: self._waiting(kind), f"a {kind} in the inbox")
        self.say("you", f"are asked by {item['agent_name'] or 'an agent'}: {item['subject']}")
        if self.pace.answers_itself:
            reply = {"choice": 1} if item["choices"] else {"text": answer}
            await asyncio.to_thread(self.operator, "queue_answer", {"id": item["id"], **reply})
        else:
            words = "--choice 1" if item["choices"] else "'Your answer'"
            self.say("you", f"answer on the page, or: {self.command} answer {item['id']} {words}")
        get = {"id": item["id"]}
        closed = await self._until(lambda: self._closed(get), "the answer", patience=float("inf"))
        self.say("you", f"answered: {closed['answer'] or '(dismissed)'}")

    def _waiting(self, kind: str) -> ToolResult | None:
        items = self.operator("queue_list", {"kind": [kind], "mission_id": self.mission_id})["items"]
        return items[0] if items else None

    def _closed(self, get: ToolResult) -> ToolResult | None:
        item = self.operator("queue_get", get)
        return item if item["state"] != "open" else None

    def _status(self, task: str) -> str:
        return str(self.operator("task_get", {"id": self.tasks[task]})["status"])

    async def _close(self, lead: Player) -> ToolResult:
        """Merge the branches, then end the mission."""
        workspaces = (await lead.call("workspace_list", workflow_id=self.mission_id))["workspaces"]
        for workspace in reversed(workspaces):
            git(self.repository, "merge", "--quiet", "--no-edit", "--no-ff", workspace["branch"])
            merge = git(self.repository, "rev-parse", "HEAD")
            await lead.call("workspace_update", id=workspace["id"], status="merged", merge_commit=merge)
            await lead.call("workspace_remove", id=workspace["id"])
        self.say("lead", f"merged {len(workspaces)} branches and removed their worktrees")
        done = await lead.call(
            "complete_workflow",
            workflow_id=self.mission_id,
            status="completed",
            summary="The ledger reads statements and reports balances.",
            achievements=[job.name for job in JOBS],
        )
        self.say("lead", "ended the mission")
        return done

    async def _pause(self) -> None:
        await asyncio.sleep(self.pace.seconds)

    async def _until(self, look: Callable[[], Any], what: str, *, patience: float = PATIENCE) -> Any:
        """Return the first result of `look` that is not empty."""
        deadline = asyncio.get_running_loop().time() + patience
        while not (found := await asyncio.to_thread(look)):
            if asyncio.get_running_loop().time() > deadline:
                raise Refused(f"waited {patience:.0f} s for {what}")
            await asyncio.sleep(LOOK_SECONDS)
        return found


def prepare(repository: Path) -> None:
    """Create a git repository with a first commit."""
    for name, text in REPOSITORY.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", repository], check=True)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Begin the ledger")
