"""The machine of a simulation: commands of checks and programs of agents. Both outlive the daemon that started them."""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mission.services.checks.check_runner import CheckExit, CheckStart
from tests.simulation.exams import judge
from tests.simulation.ports.memory_git import MemoryRepository


@dataclass(frozen=True, kw_only=True, slots=True)
class Nature:
    """How often things go wrong that are nobody's fault."""

    flaky: float = 0.0
    """A check fails although it should pass."""
    broken: float = 0.0
    """A check cannot run, or its runner is gone."""
    refused: float = 0.0
    """A program cannot be started."""


@dataclass(slots=True)
class Command:
    """The command of a check, and the tree at its start."""

    directory: Path
    text: str
    tree: str
    end: asyncio.Future[CheckExit]


@dataclass(frozen=True, kw_only=True, slots=True)
class Printed:
    """Something that a program printed: a signal, or what it used so far."""

    kind: str
    payload: dict[str, Any]
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """The end of a program."""

    code: int | None = None
    reason: str | None = None


@dataclass(eq=False, slots=True)
class Program:
    """The program of one execution: what it printed can be read again by the next daemon."""

    execution_id: str
    task_id: str
    started_at: float
    output: list[Printed | Ended] = field(default_factory=list)
    active_at: datetime | None = None
    script: asyncio.Task[None] | None = None
    stop_reason: str | None = None
    cost: float = 0.0
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def lives(self) -> bool:
        return not (self.output and isinstance(self.output[-1], Ended))

    def print(self, each: Printed | Ended) -> None:
        if self.lives:
            self.output.append(each)
            self._more.set()

    async def read(self, position: int) -> Printed | Ended:
        """Return what was printed at this position, once it is there."""
        while len(self.output) <= position:
            self._more.clear()
            await self._more.wait()
        return self.output[position]

    def stop(self, reason: str) -> None:
        """End the program; it does not get a chance to refuse."""
        if self.lives:
            self.stop_reason = self.stop_reason or reason
            if self.script is not None:
                self.script.cancel()


class Machine:
    """Everything outside the daemon that moves."""

    def __init__(self, repository: MemoryRepository, *, nature: Nature, rng: random.Random) -> None:
        self.repository = repository
        self.nature = nature
        self.rng = rng
        self.commands: dict[str, Command] = {}
        self.programs: dict[str, Program] = {}
        self.saw: set[tuple[str, str]] = set()
        """Evidence and tree of every command that passed on a tree that did not change while it ran."""
        self.spurious: set[str] = set()
        """Evidence of commands that failed although the tree was right."""
        self.error: Exception | None = None
        """A mistake in a script."""

    @property
    def running(self) -> list[Program]:
        return [each for each in self.programs.values() if each.lives]

    def start_program(self, program: Program, script: Coroutine[Any, Any, int]) -> None:
        """Run the script of an agent; when it ends, so does the program."""
        self.programs[program.execution_id] = program

        async def run() -> None:
            code: int | None = None
            try:
                code = await script
            except asyncio.CancelledError:
                pass  # it was stopped
            except KeyError:  # its worktree is gone
                code = 2
            except Exception as error:  # noqa: BLE001 - the simulation ends with it
                code, self.error = 1, error
            program.print(Ended(code=code, reason=program.stop_reason if code is None else None))

        # Nothing there belongs to a daemon: what runs outlives all of them.
        program.script = asyncio.get_running_loop().create_task(run(), context=contextvars.Context())

    def start_command(self, start: CheckStart) -> None:
        if start.evidence_id in self.commands:
            return
        loop = asyncio.get_running_loop()
        command = Command(start.directory, start.command, self._tree(start.directory), loop.create_future())
        self.commands[start.evidence_id] = command
        loop.call_later(self.rng.choice((0.2, 1.0, 5.0)), self._finish, start.evidence_id)

    def stop_command(self, evidence_id: str) -> None:
        if evidence_id in self.commands and not self.commands[evidence_id].end.done():
            self.commands[evidence_id].end.set_result(CheckExit(stopped=True))

    def _finish(self, evidence_id: str) -> None:
        command = self.commands[evidence_id]
        if command.end.done():
            return
        end = self._end(command)
        tree = self._tree(command.directory)
        if end.passed and tree == command.tree:
            self.saw.add((evidence_id, tree))
        if end.exit_code and judge(command.text, self.repository.trees.get(command.tree, {})):
            self.spurious.add(evidence_id)
        command.end.set_result(end)

    def _end(self, command: Command) -> CheckExit:
        chance = self.rng.random()
        if chance < self.nature.broken:
            return self.rng.choice((CheckExit(lost=True), CheckExit(exit_code=127), CheckExit(error="no space left")))
        right = judge(command.text, self.repository.trees.get(command.tree, {}))
        fails = not right or chance > 1 - self.nature.flaky
        tail = f"{command.text} does not hold" if fails else ""
        return CheckExit(exit_code=int(fails), seconds=1.0, started_at=0.0, tail=tail)

    def _tree(self, directory: Path) -> str:
        place = self.repository.worktrees.get(directory)
        return self.repository.write_tree(place.files) if place is not None else ""
