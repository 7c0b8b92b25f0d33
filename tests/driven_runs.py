"""Runs that a daemon drives from start to end, with scripted agents in real worktrees."""

from __future__ import annotations

import asyncio
import json
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from mission.app import App
from mission.settings import Settings
from tests.conftest import Front

WORKER = str(Path(__file__).parent / "scripted_worker.py")
PATIENCE = 90.0


def does(name: str, *lines: str, **more: Any) -> dict[str, Any]:
    """Return a task whose agent carries out these lines."""
    return {"name": name, "description": "\n".join(f"DO {line}" for line in lines), **more}


class DrivenRun:
    """A daemon with one run, and what a test asks of it."""

    def __init__(self, app: App, repository: Path) -> None:
        self.app = app
        self.call = Front(app)
        self.repository = repository
        self.notes = repository.parent / "notes"
        self.notes.mkdir(exist_ok=True)
        self.id = ""
        self.mission_id = ""

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.repository, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    async def start(self, *tasks: dict[str, Any], count: int = 2, **mission: Any) -> dict[str, Any]:
        """Start a run of these tasks; agents are tried again at once."""
        budget = {"budget": mission.pop("budget")} if "budget" in mission else {}
        command = {"client": "command", "count": count, "command": [sys.executable, "-u", WORKER, str(self.notes)]}
        agents = mission.pop("agents", [command])
        more = {"handover": mission.pop("handover")} if "handover" in mission else {}
        about = {"name": "Shop", "objective": "Everything is sorted", "repository": ".", "review": "none"}
        options = {"checks": ["true"], "retry_minutes": [0.001], **mission}
        plan = {"mission": {**about, **options}, "agents": agents, "tasks": list(tasks), **budget}
        answer = await self.call("run_start", {"plan": plan, "folder": str(self.repository), **more})
        self.id, self.mission_id = answer["run_id"], answer["mission_id"]
        return answer

    def hand_over(self, variables: dict[str, str]) -> str:
        """Write a file with a shell's variables, as the command line does; return its name."""
        folder = self.app.settings.home / "handover"
        folder.mkdir(exist_ok=True)
        path = folder / f"{secrets.token_hex(4)}.json"
        path.write_text(json.dumps(variables))
        return path.name

    async def get(self) -> dict[str, Any]:
        return await self.call("run_get", {"run_id": self.id})

    async def until(self, condition: Callable[[dict[str, Any]], bool], *, seconds: float = PATIENCE) -> dict[str, Any]:
        """Return the run as soon as it is so."""
        found: dict[str, Any] = {}
        try:
            async with asyncio.timeout(seconds):
                while True:
                    seen = self.app.events.last
                    found = await self.get()
                    if condition(found):
                        return found
                    await self.app.events.wait(seen, seconds=1)
        except TimeoutError:
            stages = {each["name"]: (each["stage"], each["reason"]) for each in found["tasks"]}
            questions = [each["subject"] for each in found["questions"]]
            raise AssertionError(f"{found['state']}: {stages} {questions} {found['queue']}") from None

    async def finished(self) -> dict[str, Any]:
        return await self.until(lambda run: run["state"] == "finished")

    async def question(self, words: str) -> dict[str, Any]:
        """Return the open question with these words in its subject."""
        run = await self.until(lambda run: any(words in each["subject"] for each in run["questions"]))
        return next(each for each in run["questions"] if words in each["subject"])

    async def answer(self, question: dict[str, Any], label: str, text: str = "") -> None:
        labels = [each["label"] for each in question["choices"]]
        await self.call(
            "queue_answer",
            {"id": question["item_id"], "choice": labels.index(label) + 1, **({"text": text} if text else {})},
        )

    def files(self, branch: str) -> dict[str, str]:
        """Return the files on a branch."""
        names = self.git("ls-tree", "-r", "--name-only", branch).splitlines()
        return {name: self.git("show", f"{branch}:{name}") for name in names}


@asynccontextmanager
async def driven(settings: Settings, repository: Path) -> AsyncIterator[DrivenRun]:
    """Run a daemon without its doors; nothing that it launched outlives the test."""
    app = App(replace(settings, agent_slots=4, min_free_gb=0.0), role="a test")
    async with app.running(periodic=True):
        yield DrivenRun(app, repository)
        for id in list(app.launcher._followers):
            await app.launcher.stop(id)
