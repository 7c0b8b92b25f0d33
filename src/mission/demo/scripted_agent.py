"""A small agent with a fixed script: a real MCP client of `mission mcp`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from mission.demo.sample_project import BY_NAME, SampleTask

ToolResult = dict[str, Any]
Narrate = Callable[["Player", str], Awaitable[None]]


class Refused(Exception):
    """A call of the demo was refused; `error` is the error object, if there is one."""

    def __init__(self, message: str, *, error: ToolResult | None = None) -> None:
        super().__init__(message)
        self.error = error or {}


@dataclass(slots=True)
class Player:
    """One agent with its own connection."""

    name: str
    id: str
    client: Client
    pause: Callable[[], Awaitable[None]]
    say: Callable[[str, str], None]

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        result = await self.client.call_tool(tool, arguments)
        if result.is_error:
            text = str(getattr(result.content[0], "text", ""))
            raise Refused(f"{tool}: {text}", error=_error_of(text))
        return dict(result.structured_content or {})

    async def take(self, mission_id: str) -> ToolResult | None:
        """Claim the next task; return None if there is none."""
        claimed = await self.call("task_claim_next", agent_id=self.id, workflow_id=mission_id)
        return claimed if claimed["success"] else None

    async def work(self, claimed: ToolResult, *, during: Narrate | None = None) -> ToolResult:
        """Do a claimed task from start to end."""
        task, folder = claimed["task"], Path(claimed["workspace"]["path"])
        job = BY_NAME[task["name"]]
        if claimed["recovery"] is not None:
            progress = [each for each in claimed["recovery"]["checkpoints"] if each["type"] == "progress"]
            self.say(
                self.name,
                f"takes over '{job.name}'" + "".join(f", left at: {each['summary']}" for each in progress[-1:]),
            )
        else:
            self.say(self.name, f"takes '{job.name}'")
        await self.call("start_task", task_id=task["id"], areas=list(job.areas))
        await self.pause()
        if job.draft:
            await self._report_too_early(folder, job, task["id"])
        write(folder, job)
        await self.call("log_milestone", task_id=task["id"], message=f"{', '.join(job.files)} written", progress=80)
        if during is not None:
            await during(self, task["id"])
        await self.pause()
        commit(folder, job.name)
        done = await self._report(job, task["id"])
        self.say(self.name, f"completed '{job.name}': {_files(done['files_changed'])}, {done['evidence']['state']}")
        return done

    async def _report_too_early(self, folder: Path, job: SampleTask, task_id: str) -> None:
        """Report a draft as done, and be refused with what its check found."""
        for name, text in job.draft.items():
            write_file(folder / name, text)
        self.say(self.name, f"reports '{job.name}' done")
        try:
            await self._report(job, task_id)
        except Refused as refused:
            [failed] = refused.error["details"]["checks"]
            self.say(self.name, f"is refused, '{failed['name']}' failed: {failed['output'].strip()}")
        else:
            raise Refused(f"'{job.name}' was accepted although it was not done")
        await self.pause()

    async def _report(self, job: SampleTask, task_id: str) -> ToolResult:
        outcome = {"summary": f"{job.name}: done as planned.", "achievements": sorted(job.files)}
        metadata = {"tests_status": "not_run", "tokens_input": 4200 + 37 * len(job.goal), "tokens_output": 900}
        return await self.call("complete_task", task_id=task_id, status="success", outcome=outcome, metadata=metadata)


@asynccontextmanager
async def playing(
    name: str, id: str, *, pause: Callable[[], Awaitable[None]], say: Callable[[str, str], None], folder: Path
) -> AsyncIterator[Player]:
    """Yield a registered agent with its own connection."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mission", "mcp", "--toolsets", "all", "--agent", id],
        cwd=folder,
        env=dict(os.environ),
    )
    async with Client(command) as client:
        yield Player(name=name, id=id, client=client, pause=pause, say=say)


def write(folder: Path, job: SampleTask, *, share: float = 1.0) -> None:
    """Write the files of a job into the folder, or the first part of each."""
    for name, text in job.files.items():
        write_file(folder / name, text[: int(len(text) * share)])


def write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def git(folder: Path, *arguments: str) -> str:
    """Run git with the demo's own user, independent of the local configuration."""
    person = ("-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *person, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _error_of(text: str) -> ToolResult | None:
    """Return the error object of a refused call."""
    try:
        return dict(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
        return None


def _files(changes: ToolResult | None) -> str:
    if changes is None:
        return "no files known"
    counts = [f"{len(changes[kind])} {kind}" for kind in ("added", "modified", "deleted", "renamed") if changes[kind]]
    return ", ".join(counts) or "no files changed"
