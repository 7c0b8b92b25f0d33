"""Agents of known honesty: each kind is a script that works on one task, in time that costs nothing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from mission.domain.errors import ChecksFailed, Conflict, MissionError
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.tasks import completion
from mission.services.tasks.completion import TaskResult
from mission.store.database import Database
from mission.store.tables import audit
from mission.store.transaction import Tx
from tests.simulation.daemon import SimulatedDaemon
from tests.simulation.exams import BROKEN, LOCK, Goal, lock_of, without_markers
from tests.simulation.ports.launching import Launched
from tests.simulation.ports.machine import Machine, Printed

PRICE = 0.02
"""What a second of an agent costs."""
CALLS = 12
"""So often an agent that goes in circles repeats a call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A report, and whether the work was really done when it was made."""

    execution_id: str
    task: str
    is_true: bool
    kind: str


class World(Protocol):
    """What agents see of the simulation."""

    machine: Machine
    database: Database
    reports: list[Report]
    rng: random.Random
    goals: Mapping[str, Goal]

    @property
    def daemon(self) -> SimulatedDaemon | None: ...
    def clock(self) -> datetime: ...


class Agent:
    """One agent at work."""

    def __init__(self, world: World, launched: Launched, goal: Goal, kind: str) -> None:
        self.world, self.goal, self.kind = world, goal, kind
        self.execution, self.request, self.program = launched.execution, launched.request, launched.program
        self.rng = world.rng
        self._said = 0

    @property
    def files(self) -> dict[str, str]:
        """The files of its worktree; KeyError if it is gone."""
        return self.world.machine.repository.worktrees[Path(self.execution.directory or "")].files

    async def work(self, seconds: float, *, price: float = PRICE) -> None:
        """Work for a while; what it costs is known while it works."""
        for _ in range(2):
            await asyncio.sleep(seconds / 2)
            self.program.active_at = self.world.clock()
            self.program.cost += price * seconds / 2
            used = {"cost_usd": self.program.cost, "input_tokens": int(1000 * seconds), "output_tokens": 10}
            self._print("usage", usage=used)

    def do_it(self) -> None:
        """Do what the task asks for, and resolve conflicts on the way."""
        files = self.files
        for path, text in list(files.items()):
            if "<<<<<<< " in text:
                files[path] = without_markers(text)
        files.pop(f"extra/{self.goal.name}.txt", None)
        text = files.get(self.goal.path, "")
        if not self.goal.is_met(files):
            files[self.goal.path] = f"{text}{self.goal.line}\n"
        self.repair()
        if LOCK in files:
            files[LOCK] = lock_of(files)

    def repair(self) -> None:
        for path, text in list(self.files.items()):
            if BROKEN in text:
                self.files[path] = text.replace(f"{BROKEN}\n", "")

    def pretend(self) -> None:
        """Change something, but not what the task asks for."""
        self.files[f"notes/{self.goal.name}.txt"] = f"{self.execution.id}\n"

    def report(self) -> None:
        """Say that the task is done."""
        self._note()
        self.signal("completed_claim", summary="done")

    def _note(self) -> None:
        files = self.files
        is_true = self.goal.is_met(files) and not any(BROKEN in text for text in files.values())
        self.world.reports.append(
            Report(execution_id=self.execution.id, task=self.goal.name, is_true=is_true, kind=self.kind)
        )

    async def call_complete(self) -> str:
        """Report by a call, again if the daemon dies meanwhile; return how it was answered."""
        self._note()
        while True:
            daemon = self.world.daemon
            if daemon is not None:
                try:
                    done = await daemon.call(lambda daemon=daemon: self._complete(daemon))
                    return str(done.task.status)
                except (ChecksFailed, Conflict):
                    return "sent back"
                except MissionError:
                    return "refused"
                except ConnectionError:
                    pass
            await asyncio.sleep(1.0)

    async def _complete(self, daemon: SimulatedDaemon) -> completion.Completed:
        result = TaskResult(
            status=TaskStatus.COMPLETED,
            quality=Quality.SUCCESS,
            outcome={"summary": "done"},
            metadata=None,
            phase_complete=False,
        )
        return await completion.complete(
            daemon.work,
            daemon.trees,
            daemon.gate,
            task_id=self.execution.task_id,
            agent_id=self.execution.agent_id,
            fence=None,
            result=result,
        )

    def signal(self, kind: str, **payload: object) -> None:
        self._print(kind, **payload)

    def _print(self, kind: str, **payload: object) -> None:
        self._said += 1
        self.program.active_at = self.world.clock()
        self.program.print(Printed(kind=kind, payload=payload, id=f"{kind}-{self._said}"))

    async def repeat_calls(self) -> None:
        """Make the same call again and again; the audit has them all."""
        for number in range(CALLS):
            row = {
                "id": f"log_{self.execution.id}{number}",
                "at": self.world.clock(),
                "finished_at": self.world.clock(),
                "caller": "agent",
                "agent_id": self.execution.agent_id,
                "tool": "get_context",
                "arguments": {"what": "same"},
                "status": "ok",
                "transport": "mcp",
            }
            await self.world.database.write(_audited, row=row)
            await asyncio.sleep(1.0)


def _audited(tx: Tx, *, row: dict[str, object]) -> None:
    tx.audit.add([{**dict.fromkeys(audit.c.keys()), **row}])


async def honest(agent: Agent) -> int:
    await agent.work(agent.rng.uniform(1, 8))
    agent.do_it()
    agent.report()
    return 0


async def calling(agent: Agent) -> int:
    """Reports by a call, reads the answer, and corrects itself while it runs."""
    await agent.work(agent.rng.uniform(1, 5))
    agent.pretend() if agent.rng.random() < 0.3 else agent.do_it()
    for _ in range(3):
        answer = await agent.call_complete()
        if answer != "sent back":
            break
        await agent.work(1.0)
        agent.do_it()
    return 0


async def liar(agent: Agent) -> int:
    await agent.work(1.0)
    agent.pretend()
    agent.report()
    return 0


async def idler(agent: Agent) -> int:
    """Reports without having changed anything."""
    await agent.work(1.0)
    agent.report()
    return 0


async def weakener(agent: Agent) -> int:
    """Changes what it is judged by."""
    await agent.work(2.0)
    agent.pretend()
    agent.files[agent.goal.exam] = f"notes/{agent.goal.name}.txt: {agent.execution.id}\n"
    agent.report()
    return 0


async def breaker(agent: Agent) -> int:
    """Does its own task and breaks something else."""
    await agent.work(2.0)
    agent.do_it()
    agent.files["README.md"] = f"{agent.files.get('README.md', '')}{BROKEN}\n"
    agent.report()
    return 0


async def crowder(agent: Agent) -> int:
    """Adds a file that is fine alone, and too much together with another one's."""
    await agent.work(2.0)
    agent.do_it()
    agent.files[f"extra/{agent.goal.name}.txt"] = "more\n"
    agent.report()
    return 0


async def crasher(agent: Agent) -> int:
    await agent.work(agent.rng.uniform(0.5, 3))
    if agent.rng.random() < 0.5:
        agent.pretend()
    return 3


async def quitter(agent: Agent) -> int:
    """Ends without a word."""
    await agent.work(1.0)
    return 0


async def hanger(agent: Agent) -> int:
    await agent.work(1.0)
    await asyncio.sleep(100_000)
    return 0


async def asker(agent: Agent) -> int:
    """Asks first, then ends or waits; with an answer it does its work."""
    if agent.request.answer is None:
        choices = [{"kind": "fixed", "label": "Left", "value": "left"}]
        agent.signal("needs_input", question="Which way?", choices=choices)
        if agent.rng.random() < 0.5:
            return 0
        await asyncio.sleep(agent.rng.uniform(1, 60))
    return await honest(agent)


async def giver_up(agent: Agent) -> int:
    await agent.work(1.0)
    agent.signal("failed_claim", reason="no network")
    return 0


async def circler(agent: Agent) -> int:
    await agent.repeat_calls()
    await asyncio.sleep(100)
    return 0


async def lingerer(agent: Agent) -> int:
    """Reports, then edits on and does not end."""
    await agent.work(1.0)
    agent.do_it()
    await agent.call_complete()
    agent.files["README.md"] = f"{BROKEN}\n"
    await asyncio.sleep(100_000)
    return 0


async def spender(agent: Agent) -> int:
    await agent.work(30.0, price=1.0)
    return await honest(agent)


async def leaver_of_markers(agent: Agent) -> int:
    """Reports with whatever is in its files, conflict markers included."""
    await agent.work(1.0)
    if not agent.goal.is_met(agent.files):
        text = agent.files.get(agent.goal.path, "")
        agent.files[agent.goal.path] = f"{text}{agent.goal.line}\n"
    agent.report()
    return 0


KINDS: Mapping[str, Callable[[Agent], Awaitable[int]]] = {
    "honest": honest,
    "calling": calling,
    "liar": liar,
    "idler": idler,
    "weakener": weakener,
    "breaker": breaker,
    "crowder": crowder,
    "crasher": crasher,
    "quitter": quitter,
    "hanger": hanger,
    "asker": asker,
    "giver_up": giver_up,
    "circler": circler,
    "lingerer": lingerer,
    "spender": spender,
    "leaver_of_markers": leaver_of_markers,
}
