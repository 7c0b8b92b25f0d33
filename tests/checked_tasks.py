"""Tasks whose result Mission Control checks: start one in a real repository, change something, report it done."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mission.app import App
from mission.domain.errors import MissionError
from mission.store.transaction import Tx
from tests.conftest import Front
from tests.transports.served_calls import served

PATIENCE = 60.0


class CheckedMission:
    """A mission in a repository, and what a test does with its tasks."""

    def __init__(self, call: Front, repository: Path, mission_id: str) -> None:
        self.call = call
        self.repository = repository
        self.id = mission_id

    async def check(self, *checks: Any, **more: Any) -> dict[str, Any]:
        """Set the mission's checks, as the operator."""
        return await self.call("checks_set", {"scope": "mission", "id": self.id, "checks": list(checks), **more})

    async def start(self, name: str = "t", **more: Any) -> str:
        """Start a task in the repository."""
        given = {"mission_id": self.id, "name": name, "goal": "g", "repository_path": str(self.repository), **more}
        return str((await self.call("start_task", given))["task_id"])

    async def started(self, *, edited: str = "src/new.py", **more: Any) -> str:
        """Start a task and change a file, so that there is something to check."""
        task = await self.start(**more)
        self.write(edited)
        return task

    def write(self, name: str, text: str = "new\n") -> None:
        path = self.repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    async def report(self, task: str, status: str = "success", summary: str = "done", **more: Any) -> dict[str, Any]:
        given = {"task_id": task, "status": status, "outcome": {"summary": summary}, **more}
        return await self.call("complete_task", given)

    async def refused(self, task: str, **more: Any) -> dict[str, Any]:
        """Report a task that is not let through; return the error."""
        with pytest.raises(MissionError) as raised:
            await self.report(task, **more)
        return {"http_status": raised.value.http_status, **raised.value.as_dict()}

    async def task(self, id: str) -> dict[str, Any]:
        return await self.call("task_get", {"id": id})

    async def row(self, id: str) -> Any:
        return await self.read(lambda tx: tx.tasks.get(id))

    async def rounds(self, id: str) -> list[Any]:
        """List the rounds of a task, oldest first."""
        return list(reversed(await self.read(lambda tx: tx.rounds.of_task(id, limit=100))))

    async def evidence(self, id: str) -> list[Any]:
        """List the evidence of a task, oldest first."""
        return list(reversed(await self.read(lambda tx: tx.evidence.of_task(id, limit=1_000))))

    async def items(self, kind: str | None = None) -> list[dict[str, Any]]:
        found = (await self.call("queue_list"))["items"]
        return [item for item in found if kind in {None, item["kind"]}]

    async def journal(self, id: str) -> list[str]:
        entries = await self.read(lambda tx: tx.journal.latest_of_task(id, limit=1_000))
        return [entry.summary for entry in entries]

    async def read(self, function: Callable[[Tx], Any]) -> Any:
        return await self.call.app.database.read(function)

    def wait_at_most(self, seconds: float) -> None:
        """Set how long a report waits for its checks."""
        self.call.app.gateway._ports.checks.gate.wait_seconds = seconds

    async def until(self, condition: Callable[[], Awaitable[Any]]) -> Any:
        """Return what the condition returns, once that is true."""
        async with asyncio.timeout(PATIENCE):
            while not (found := await condition()):  # noqa: ASYNC110 - a row tells nobody
                await asyncio.sleep(0.01)
        return found

    async def until_status(self, id: str, status: str) -> dict[str, Any]:
        """Return the task once its row has that status."""

        async def reached() -> bool:
            return str((await self.row(id)).status) == status

        await self.until(reached)
        return await self.task(id)

    async def until_settled(self, id: str) -> Any:
        """Return the newest round of a task once it has ended."""

        async def ended() -> Any:
            newest = (await self.rounds(id))[-1]
            return None if newest.is_open else newest

        return await self.until(ended)


class Signals:
    """Points at which a command and its test wait for each other: files, and pipes that block until both are there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    def pause(self, name: str) -> str:
        """Return a command that says that it is there and waits until it is let through."""
        for each in (f"{name}.there", f"{name}.on"):
            os.mkfifo(self._folder / each)
        return f"echo there > {self._folder}/{name}.there; read on < {self._folder}/{name}.on"

    async def reached(self, name: str) -> None:
        """Return once the command is at its pause."""
        await self._with_pipe(f"{name}.there", os.O_RDONLY, lambda pipe: os.read(pipe, 100))

    async def let_through(self, name: str) -> None:
        await self._with_pipe(f"{name}.on", os.O_WRONLY, lambda pipe: os.write(pipe, b"on\n"))

    async def _with_pipe(self, name: str, mode: int, act: Callable[[int], bytes | int]) -> None:
        """Do something with a pipe once a command is at its other end. A thread that waits could not be ended."""
        pipe = None
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    with suppress(OSError):
                        pipe = os.open(self._folder / name, mode | os.O_NONBLOCK) if pipe is None else pipe
                        if act(pipe):
                            return
                    await asyncio.sleep(0.005)
        finally:
            if pipe is not None:
                os.close(pipe)

    def note(self, name: str, words: str = "x") -> str:
        """Return a command that leaves a line in a file."""
        return f"echo {words} >> {self._folder}/{name}"

    def notes(self, name: str) -> list[str]:
        path = self._folder / name
        return path.read_text().splitlines() if path.exists() else []

    def path(self, name: str) -> Path:
        return self._folder / name


def is_alive(pid: int) -> bool:
    """Return whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
async def checked(app: App, repository: Path) -> AsyncIterator[CheckedMission]:
    """A mission in the repository, without checks; each of its calls goes over a socket."""
    async with served(app) as call:
        made = await call("start_mission", {"name": "M", "objective": "o", "repository_path": str(repository)})
        yield CheckedMission(call, repository, made["mission_id"])


@pytest.fixture
def signals(tmp_path: Path) -> Signals:
    return Signals(tmp_path / "signals")
