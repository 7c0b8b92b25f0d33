"""The launcher of a simulated daemon: real rows, and programs that are scripts of the simulation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from mission.domain.errors import InvalidState
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.executions.signals import Delivery, read_signal
from mission.runtime.running.follower import MISSION_ENDED, STOPPED_BY_RUN
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import creation, ending, signals
from mission.services.executions import state as executions
from mission.services.executions.ending import ExecutionEnd
from mission.services.launcher import LaunchPreview, LaunchRequest
from mission.services.work import Work
from mission.store.transaction import Tx
from tests.simulation.ports.machine import Ended, Machine, Printed, Program
from tests.simulation.ports.mortality import Heart, MortalTrees, MortalWork

CLIENTS = ("claude-code", "codex")
TAKE_OVER_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Launched:
    """What the script of an agent knows about its launch."""

    execution: Execution
    request: LaunchRequest
    program: Program


Script = Callable[[Launched], Coroutine[Any, Any, int]]


class KnownClients:
    """What a launcher knows about clients without launching any."""

    def clients(self) -> Sequence[str]:
        return CLIENTS

    def problem_of(self, run_id: str, client: str, *, program: str | None) -> str | None:
        return None

    def lost_variables(self, run_id: str, names: Sequence[str]) -> Sequence[str]:
        return ()

    def variables_of(self, client: str, *, handover: str | None) -> Sequence[str]:
        return ()

    def keep_variables(self, run_id: str, handover: str) -> None:
        pass

    def forget_variables(self, run_id: str) -> None:
        pass


class SimulatedLauncher(KnownClients):
    """Launches scripts as agents and follows them, in the order of the real launcher."""

    def __init__(
        self,
        work: MortalWork,
        trees: MortalTrees,
        *,
        heart: Heart,
        machine: Machine,
        liveness: LivenessSettings,
        script: Script,
        started: Callable[[Program], None],
        clock: Callable[[], datetime],
        home: str,
    ) -> None:
        self._work, self._trees, self._heart, self._machine, self._home = work, trees, heart, machine, home
        self._liveness, self._script, self._started, self._clock = liveness, script, started, clock
        self._followers: dict[str, Follower] = {}
        self._followed_elsewhere: set[str] = set()

    async def open(self) -> None:
        """Follow the programs of an earlier daemon; those that never started are lost."""
        self._machine.homes[self._home] = self._heart
        for execution in await self._work.read(_live, host_id=self._trees.host_id):
            await self._recover(execution)
        self._heart.start(self._heartbeats())
        self._heart.start(self._take_over())

    async def _take_over(self) -> None:
        """Follow the executions of daemons that are gone, as the real launcher does."""
        while True:
            await asyncio.sleep(TAKE_OVER_SECONDS)
            others = any(home != self._home for home in self._machine.homes)
            for execution in await self._work.read(_live, host_id=self._trees.host_id) if others else ():
                is_own = _home(execution) == self._home and execution.id not in self._followed_elsewhere
                if not is_own and execution.id not in self._followers:
                    await self._recover(execution)

    async def _recover(self, execution: Execution) -> None:
        if not self._may_follow(execution):
            self._followed_elsewhere.add(execution.id)
            return
        self._followed_elsewhere.discard(execution.id)
        program = self._machine.programs.get(execution.id)
        if program is not None:
            self._machine.followers[execution.id] = self._heart  # as a lock that others see at once
        if not (await self._work.read(_execution, execution_id=execution.id)).is_live:
            return
        if program is None:
            reason = "the daemon died before its program was started"
            end = ExecutionEnd(status=ExecutionStatus.LOST, reason=reason, never_ran=True)
            await self._work.write(ending.ended, execution_id=execution.id, end=end, liveness=self._liveness)
            return
        if "program" not in (execution.process or {}):
            await self._work.write(executions.started, execution_id=execution.id, process=self._process(execution))
        self._follow(execution, program)

    def _may_follow(self, execution: Execution) -> bool:
        """Return whether an execution is one of this home, or of one whose daemon is gone; and no other follows it."""
        follower = self._machine.followers.get(execution.id)
        if follower is not None and follower is not self._heart and not follower.dead:
            return False
        return _home(execution) == self._home or self._machine.homes[_home(execution)].dead

    def _process(self, execution: Execution) -> dict[str, str]:
        return {"folder": (execution.process or {})["folder"], "program": "x"}

    async def launch(self, work: Work, request: LaunchRequest) -> Execution:
        """Record the execution, start the program, and return once it runs."""
        return await asyncio.shield(asyncio.ensure_future(self._launch(work, request)))

    async def _launch(self, work: Work, request: LaunchRequest) -> Execution:
        launch = creation.NewExecution(
            task_id=request.task_id,
            adapter=request.adapter,
            runtime="custom",
            delivery=Delivery.STDOUT_MARKER,
            resumes=request.resumes,
            command_id=request.command_id,
            run_id=request.run_id,
            run_fence=request.run_fence,
            files=self._home,
        )
        created = await creation.create(self._work, self._trees, launch=launch, liveness=self._liveness)
        execution = created.execution
        await self._heart.beat()
        if self._machine.rng.random() < self._machine.nature.refused:
            return await self._refuse(execution)
        now = asyncio.get_running_loop().time()
        program = Program(execution.id, execution.task_id, now, active_at=self._clock())
        self._started(program)
        self._machine.followers[execution.id] = self._heart
        self._machine.start_program(
            program, self._script(Launched(execution=execution, request=request, program=program))
        )
        await self._heart.beat()
        self._follow(execution, program)
        return await work.finish(executions.started, execution_id=execution.id, process=self._process(execution))

    async def _refuse(self, execution: Execution) -> Execution:
        problem = InvalidState("could not start the program")
        end = ExecutionEnd(status=ExecutionStatus.FAILED, reason=f"not launched: {problem}", refused=True)
        await self._work.write(ending.ended, execution_id=execution.id, end=end, liveness=self._liveness)
        raise problem

    def _follow(self, execution: Execution, program: Program) -> None:
        def noted(id: str, cost: float) -> None:
            self._machine.note_cost(self._clock(), id, cost)

        follower = Follower(self._work, execution, program, liveness=self._liveness, noted=noted)
        self._followers[execution.id] = follower
        follower.task = self._heart.start(follower.run())
        follower.task.add_done_callback(lambda _: self._followers.pop(execution.id, None))

    async def stop(self, execution_id: str, *, reason: str | None = None) -> Execution:
        """Stop the program and return once its end is recorded."""
        await self._heart.beat()
        follower = self._followers.get(execution_id)
        if follower is not None and follower.task is not None:
            follower.program.stop("stopped" if reason is None else f"{STOPPED_BY_RUN}{reason}")
            await asyncio.shield(follower.task)
        execution = await self._work.read(_execution, execution_id=execution_id)
        if execution.is_live:
            raise InvalidState(f"execution {execution_id} is not managed by this daemon")
        return execution

    async def _heartbeats(self) -> None:
        while True:
            await asyncio.sleep(self._liveness.heartbeat.total_seconds())
            ids = list(self._followers)
            await self._work.write(executions.heartbeat_all, execution_ids=ids, liveness=self._liveness)

    def manages(self, execution: Execution) -> bool:
        is_here = execution.id in self._followers or self._may_follow(execution)
        return is_here and execution.id in self._machine.programs

    def follower(self, execution_id: str) -> Any:
        """Return what delivers commands to a running program."""
        found = self._followers.get(execution_id)
        if found is None:
            return None
        program = found.program
        process = SimpleNamespace(
            is_reached=True,
            is_being_stopped=program.stop_reason is not None,
            stop=program.stop,
            interrupt=lambda **_: None,
        )
        return SimpleNamespace(process=process, execution=found.execution)

    def active_at(self, execution_id: str) -> datetime | None:
        program = self._machine.programs.get(execution_id)
        return program.active_at if execution_id in self._followers and program is not None else None

    shown_at = active_at

    def in_tool_since(self, execution_id: str) -> datetime | None:
        return None

    async def adapters(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": name, "installed": True} for name in CLIENTS]

    async def preview(self, work: Work, request: LaunchRequest) -> LaunchPreview:
        raise NotImplementedError

    async def forget(self, execution_ids: Sequence[str]) -> None:
        pass


class Follower:
    """Reads what a program printed, from its beginning: what was recorded before is recognized."""

    def __init__(
        self,
        work: MortalWork,
        execution: Execution,
        program: Program,
        *,
        liveness: LivenessSettings,
        noted: Callable[[str, float], None],
    ) -> None:
        self.execution = execution
        self.program = program
        self.task: asyncio.Task[None] | None = None
        self._work = work
        self._liveness = liveness
        self._noted = noted

    async def run(self) -> None:
        position = 0
        while not isinstance(event := await self.program.read(position), Ended):
            await self._take(event)
            position += 1
        end = _end(event)
        await self._work.write(ending.ended, execution_id=self.execution.id, end=end, liveness=self._liveness)

    async def _take(self, event: Printed) -> None:
        id = self.execution.id
        if event.kind == "usage":
            await self._work.write(executions.record_usage, execution_id=id, **event.payload)
            self._noted(id, event.payload["usage"]["cost_usd"])
            return
        signal = read_signal(event.kind, event.payload)
        await self._work.write(
            signals.observe, execution_id=id, event_id=event.id, signal=signal, delivery=Delivery.STDOUT_MARKER
        )


def _end(event: Ended) -> ExecutionEnd:
    """Return the end of an execution, as the real follower words it."""
    reason = event.reason or ""
    if reason == "stopped":
        return ExecutionEnd(status=ExecutionStatus.STOPPED, reason="stopped by the operator")
    if reason == MISSION_ENDED:
        return ExecutionEnd(status=ExecutionStatus.STOPPED, reason="stopped because its mission ended")
    if reason.startswith(STOPPED_BY_RUN):
        return ExecutionEnd(status=ExecutionStatus.STOPPED, reason=reason.removeprefix(STOPPED_BY_RUN))
    if event.code == 0:
        return ExecutionEnd(status=ExecutionStatus.COMPLETED, exit_code=0)
    return ExecutionEnd(status=ExecutionStatus.FAILED, exit_code=event.code, reason=f"exit code {event.code}")


def _home(execution: Execution) -> str:
    """Return the home of the daemon that launched it."""
    return str((execution.process or {})["folder"]).rpartition("/")[0]


def _live(tx: Tx, *, host_id: str) -> list[Execution]:
    return tx.executions.live(host_id=host_id)


def _execution(tx: Tx, *, execution_id: str) -> Execution:
    return tx.executions.get(execution_id)
