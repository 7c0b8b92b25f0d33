"""The machine of a simulation: commands of checks and programs of agents. Both outlive the daemon that started them."""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mission.git.worktrees.setup import SetupFailed
from mission.services.checks.check_runner import CheckExit, CheckStart
from tests.simulation.exams import INSTALL, LOCK, MAKE_LOCK, inputs_of, judge, lock_of
from tests.simulation.ports.memory_git import MemoryRepository, MemoryWorktree

if TYPE_CHECKING:
    from tests.simulation.ports.mortality import Heart


@dataclass(frozen=True, kw_only=True, slots=True)
class Nature:
    """How often things go wrong that are nobody's fault."""

    flaky: float = 0.0
    """A check fails although it should pass."""
    broken: float = 0.0
    """A check cannot run, or its runner is gone."""
    refused: float = 0.0
    """A program cannot be started."""
    unprepared: float = 0.0
    """A setup command fails."""
    is_slow: bool = False
    """Whether checks take longer than a minute, so that candidates are stacked."""
    is_set_up: bool = False
    """Whether worktrees need a setup."""


@dataclass(slots=True)
class Command:
    """The command of a check, and the tree at its start."""

    directory: Path
    text: str
    tree: str
    end: asyncio.Future[CheckExit]
    seconds: float = 0.0


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
        """A mistake in a script, or something that must never happen."""
        self.homes: dict[str, Heart] = {}
        """For each home the daemon that lives there, or died there last."""
        self.followers: dict[str, Heart] = {}
        """For each execution the daemon that followed it last."""
        self.limit: float | None = None
        """How much money the run may spend, as it was planned."""
        self._ledger: list[tuple[datetime, float, str, float]] = []
        """What is known about spending: since when by both clocks, whose, and how much in all."""
        repository.run_command = self._run_setup

    @property
    def running(self) -> list[Program]:
        return [each for each in self.programs.values() if each.lives]

    def note_cost(self, at: datetime, execution_id: str, cost: float) -> None:
        """Remember that it was recorded what an execution has cost so far."""
        self._ledger.append((at, asyncio.get_running_loop().time(), execution_id, cost))

    def recorded(self, *, before: datetime | None = None) -> float:
        """Return what was known to be spent at that moment, or now."""
        return sum({id: cost for at, _, id, cost in self._ledger if before is None or at < before}.values())

    def reached(self, limit: float) -> tuple[float, dict[str, float]] | None:
        """Return when so much was known to be spent, and by whom; None if it never was."""
        known: dict[str, float] = {}
        for _, at, id, cost in self._ledger:
            known[id] = cost
            if sum(known.values()) >= limit:
                return at, known
        return None

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
        place = self.repository.worktrees.get(start.directory)
        if self.nature.is_set_up and place is not None and place.installed != inputs_of(place.files):
            self.error = AssertionError(f"every_check_runs_where_the_setup_ran: not so in {start.directory}")
        loop = asyncio.get_running_loop()
        command = Command(start.directory, start.command, self._tree(start.directory), loop.create_future())
        self.commands[start.evidence_id] = command
        command.seconds = self.rng.choice((65.0, 90.0) if self.nature.is_slow else (0.2, 1.0, 5.0))
        loop.call_later(command.seconds, self._finish, start.evidence_id)

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
        return CheckExit(exit_code=int(fails), seconds=command.seconds, started_at=0.0, tail=tail)

    def _run_setup(self, command: str, place: MemoryWorktree) -> None:
        if self.rng.random() < self.nature.unprepared:
            raise SetupFailed("the setup command failed with exit code 1")
        if command == INSTALL:
            place.installed = inputs_of(place.files)
        elif command == MAKE_LOCK:
            place.files[LOCK] = lock_of(place.files)

    def _tree(self, directory: Path) -> str:
        place = self.repository.worktrees.get(directory)
        return self.repository.write_tree(place.files) if place is not None else ""
