# ruff: noqa: ARG002 - methods of ports whose arguments a simulation need not look at
"""A machine without processes and files: commands end when a test says so, and a tree is one number.

The gate, the driver of rounds and the store are real. What commands really saw is noted, so that a test can compare
it with what is recorded as evidence.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mission.app import App
from mission.domain.checks.check import CheckKind
from mission.domain.checks.evidence import Evidence, EvidenceState, ProofState, Role
from mission.domain.checks.proof import NOT_CHECKABLE, unproved
from mission.domain.checks.round import CheckRound
from mission.domain.errors import MissionError, TransientError
from mission.domain.ids import new_id
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.states import TaskStatus
from mission.git.tree_identity import TreeDrift
from mission.services.checks import advice, settling
from mission.services.checks.check_place import CheckPlace, TakenTree
from mission.services.checks.check_runner import CheckExit, CheckStart
from mission.services.checks.checker import Checker
from mission.services.checks.gate import CheckGate
from mission.services.evidence import definitions, unproved_completion
from mission.services.tasks import completion, status_changes
from mission.services.tasks.completion import PreparedCompletion
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import StatusChange
from mission.services.work import BackgroundWork
from mission.store.transaction import Tx
from tests.conftest import Front, ManualClock

PATH = "/simulated"
PATIENCE = 30.0


@dataclass
class Command:
    """One command, and the tree at its start."""

    started_on: int
    end: asyncio.Future[CheckExit] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Machine:
    """The commands that run, and the tree they run in: both survive a crash of the process that drives them."""

    def __init__(self) -> None:
        self.content = 0
        self.commands: dict[str, Command] = {}
        self.saw: set[tuple[str, str]] = set()
        """Evidence and tree of every command that passed, and during which the tree was the same at both ends."""

    @property
    def tree(self) -> str:
        return f"tree-{self.content}"

    @property
    def running(self) -> list[str]:
        return [id for id, command in self.commands.items() if not command.end.done()]

    def finish(self, id: str, end: CheckExit) -> None:
        command = self.commands[id]
        if end.passed and command.started_on == self.content:
            self.saw.add((id, self.tree))
        command.end.set_result(end)

    async def get_ready(self) -> None:
        pass

    async def start(self, start: CheckStart) -> None:
        self.commands.setdefault(start.evidence_id, Command(self.content))

    async def wait(self, evidence_id: str) -> CheckExit:
        if evidence_id not in self.commands:
            return CheckExit(lost=True)
        return await asyncio.shield(self.commands[evidence_id].end)

    async def stop(self, evidence_id: str) -> CheckExit:
        if evidence_id in self.running:
            self.finish(evidence_id, CheckExit(stopped=True))
        return await self.wait(evidence_id)

    async def allow_idle(self, evidence_id: str, *, allowed: bool) -> None:
        pass

    def has_started(self, evidence_id: str) -> bool:
        return evidence_id in self.commands


class Places:
    """Trees that are one number."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    async def examine(self, round: CheckRound) -> TakenTree:
        return TakenTree(tree=self._machine.tree, identity=identity(self._machine), changes=CHANGES)

    async def start_tree(self, round: CheckRound) -> str | None:
        return None

    async def prepare(self, round: CheckRound, row: Evidence, *, was_started: bool) -> CheckPlace:
        start = CheckStart(evidence_id=row.id, command="", directory=Path(PATH), environment={}, seconds=1)
        return CheckPlace(start=start, tree=None if row.role is Role.RESULT else "start")

    async def drift(self, round: CheckRound, row: Evidence, place: CheckPlace) -> TreeDrift | str:
        if row.role is not Role.RESULT:
            return TreeDrift()
        if round.identity is None:
            return "unknown"
        same = round.identity["id"] == self._machine.tree
        return TreeDrift() if same else TreeDrift(modified=["file"])

    async def tests(self, row: Evidence, place: CheckPlace, *, since: float | None) -> None:
        return None

    async def leave(self, place: CheckPlace) -> None:
        pass

    async def remove_start(self, evidence_id: str) -> None:
        pass

    async def clear(self) -> None:
        pass

    async def forget(self, round: CheckRound) -> None:
        pass


CHANGES = Changes(modified=["file"])


def identity(machine: Machine) -> dict[str, Any]:
    return {"id": machine.tree, "snapshot": {"path": PATH}}


class MortalWork(BackgroundWork):
    """The store access of a process that may die: nothing is written after that."""

    dead = False

    async def read(self, function: Any, /, **arguments: Any) -> Any:
        self._check()
        return await super().read(function, **arguments)

    async def write(self, function: Any, /, **arguments: Any) -> Any:
        self._check()
        return await super().write(function, **arguments)

    finish = write

    def _check(self) -> None:
        if self.dead:
            raise TransientError


class Simulation:
    """One task after the other in one tree, reported, edited, advised, skipped and crashed as a test wants."""

    def __init__(self, app: App, call: Front, clock: ManualClock) -> None:
        self.app, self.call, self.clock = app, call, clock
        self.machine = Machine()
        self.host = new_id("agent")  # so that others' rounds are not in the way
        self.mission = ""
        self.task = ""
        self._background: set[asyncio.Task[None]] = set()
        self._boot()

    def _boot(self) -> None:
        self.work = MortalWork(self.app.database)
        lease = self.app.gateway._ports.liveness.lease
        places: Any = Places(self.machine)
        runner: Any = self.machine
        trees: Any = SimpleNamespace(host_id=self.host)
        self.checker = Checker(self.work, trees, runner, places, self.app.events, lease=lease)
        self.gate = CheckGate(self.checker, lease=lease, wait_seconds=0)

    async def open(self, checks: list[dict[str, Any]]) -> None:
        self.mission = (await self.call("start_mission", {"name": "S", "objective": "o"}))["mission_id"]
        await self.set_checks(checks)
        await self._new_task()

    async def close(self) -> None:
        await self.checker.close()
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    async def set_checks(self, checks: list[dict[str, Any]]) -> None:
        await self.call("checks_set", {"scope": "mission", "id": self.mission, "checks": checks})

    async def _new_task(self) -> None:
        new = {"mission_id": self.mission, "name": "t", "goal": "g"}
        self.task = (await self.call("start_task", new))["task_id"]

        def place(tx: Tx) -> None:
            task = tx.tasks.get(self.task)
            here = {"tree": PATH, "host_id": self.host, "snapshots": {PATH: {"path": PATH}}}
            tx.tasks.save(replace(task, **here))

        await self.app.database.write(place)

    async def edit(self, content: int) -> None:
        """Change the tree. An earlier content comes back only while no command runs: nobody could tell."""
        if content > self.machine.content or not self.machine.running:
            self.machine.content = content

    async def report(self, unproved: bool) -> None:
        self._later(self._report(unproved))
        await self.calm()

    async def advise(self) -> None:
        self._later(self._advise())
        await self.calm()

    async def end_command(self, which: int, end: CheckExit) -> None:
        running = self.machine.running
        if running:
            self.machine.finish(running[which % len(running)], end)
        await self.calm()

    async def crash(self) -> None:
        """Kill the process that drives the rounds; the next one finds them after the lease of the first."""
        self.work.dead = True
        await self.checker.close()
        self.clock.advance(seconds=60)
        self._boot()
        await self.checker.open()
        await self.calm()

    async def skip(self) -> None:
        with suppress(MissionError):
            change = StatusChange(status=TaskStatus.SKIPPED)
            owner = Owner(agent_id=None, lease=self.app.gateway._ports.liveness.lease)
            await self.app.database.write(status_changes.shift, task_id=self.task, wanted=change, owner=owner)
        await self.calm()

    async def pass_time(self, hours: int) -> None:
        self.clock.advance(hours=hours)
        await self.calm()

    async def _report(self, unproved_wanted: bool) -> None:
        result = replace(completion.reported_done("done"), by_hand=False, unproved=unproved_wanted)

        def found(tx: Tx) -> PreparedCompletion:
            task = tx.tasks.get(self.task)
            result.check(task)
            if unproved_wanted:
                unproved_completion.check_may_skip(tx, task)
            checks = definitions.effective(tx, task)
            return PreparedCompletion(task=task, agent_id=None, fence=None, result=result, checks=checks)

        with suppress(MissionError):
            prepared = await self.work.read(found)
            if unproved_wanted:
                skipped = replace(prepared, checks=(), changes=CHANGES, proof=unproved(NOT_CHECKABLE))
                await self.work.write(completion.record, prepared=skipped)
                return
            if not prepared.task.is_checking:
                known = {"tree": self.machine.tree, "identity": identity(self.machine), "changes": CHANGES}
                prepared = replace(prepared, **known)
            await self.gate.complete(self.work, prepared)

    async def _advise(self) -> None:
        with suppress(MissionError):
            await advice.ask(self.work, self.checker, task_id=self.task, agent_id=None, run=True, seconds=0)

    def _later(self, job: Any) -> None:
        task = asyncio.create_task(job)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def calm(self) -> None:
        """Let the driver do what it can do now, then continue with a new task if this one has ended."""
        async with asyncio.timeout(PATIENCE):
            while self._background or not await self.app.database.read(self._is_calm):
                self.clock.advance(seconds=0.5)  # the last write of a dead process may come late
                self.checker.wake()
                await asyncio.sleep(0.002)
        task = await self.app.database.read(lambda tx: tx.tasks.get(self.task))
        if task.status in {TaskStatus.COMPLETED, TaskStatus.SKIPPED}:
            await self._new_task()

    def _is_calm(self, tx: Tx) -> bool:
        """Return whether every command that should run runs, no other does, and no round waits for nothing."""
        rows = tx.evidence.page(task_id=None, mission_id=self.mission, states=None, limit=10_000, after=None)
        running = {row.id for row in rows if row.state is EvidenceState.RUNNING}
        withdrawn = [each for each in tx.rounds.open_on_host(self.host) if settling.is_withdrawn(tx, each)]
        is_waiting = bool(running) or not tx.rounds.open_on_host(self.host)
        return running == set(self.machine.running) and is_waiting and not withdrawn

    async def check_invariants(self) -> None:
        await self.app.database.read(check_evidence, mission_id=self.mission, saw=self.machine.saw)


def check_evidence(tx: Tx, *, mission_id: str, saw: set[tuple[str, str]]) -> None:
    """Nothing passed that did not really pass on that tree, and nothing is proved without all of that."""
    rows = tx.evidence.page(task_id=None, mission_id=mission_id, states=None, limit=10_000, after=None)
    by_id = {row.id: row for row in rows}
    for row in rows:
        if row.state is EvidenceState.PASSED and row.role is Role.RESULT and row.check.kind is CheckKind.RUN:
            assert _is_true(row, by_id, saw), f"{row.id} passed on {row.tree}, which no command saw"
    for task in tx.plans.page(mission_id, limit=1_000, offset=0):
        if task.proof_state is ProofState.PROVED:
            _check_proof(tx, task, by_id, saw)


def _is_true(row: Evidence, by_id: dict[str, Evidence], saw: set[tuple[str, str]]) -> bool:
    origin = by_id[row.reused_from] if row.reused_from is not None else row
    same = (origin.definition, origin.tree) == (row.definition, row.tree) and not (row.reused_from and origin.flaky)
    return same and (origin.id, row.tree or "") in saw


def _check_proof(tx: Tx, task: Any, by_id: dict[str, Evidence], saw: set[tuple[str, str]]) -> None:
    round = tx.rounds.get(task.proof["round_id"])
    required = [each for each in round.defined if each.check.required]
    results = {each["name"]: by_id[each["evidence_id"]] for each in task.proof["checks"] if each["evidence_id"]}
    assert task.status is TaskStatus.COMPLETED
    assert required, "proved without a required check"
    for each in required:
        row = results[each.check.name]
        assert (row.state, row.definition, row.tree) == (EvidenceState.PASSED, each.definition, task.proof["tree"])
        assert row.check.kind is not CheckKind.RUN or _is_true(row, by_id, saw)
        if each.check.before == "fail":
            reds = [row for row in by_id.values() if row.round_id == round.id and row.role is Role.RED]
            assert [red.state for red in reds if red.take == round.take][-1:] == [EvidenceState.FAILED]
