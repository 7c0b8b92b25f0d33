"""Launch agents for tasks, follow them while they run, and stop them."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from mission.domain.errors import InternalError, InvalidState, MissionError, TransientError
from mission.domain.executions.execution import Execution, ExecutionStatus, Mode
from mission.gateway.agent_calls import AgentCalls
from mission.gateway.signal_intake import Signals
from mission.runtime.adapters.launch_adapter import LaunchAdapter, launches
from mission.runtime.launching import find_running
from mission.runtime.launching.client_choice import Choice, choose, described, missing_program
from mission.runtime.launching.launch_record import LaunchRecord
from mission.runtime.launching.preparation import LAUNCH_RECORD, LaunchPreparer, TaskContextReader
from mission.runtime.launching.shell_environment import ShellEnvironments
from mission.runtime.running.durable_write import write_until_stored
from mission.runtime.running.follower import STOPPED_BY_RUN, Follower
from mission.runtime.running.life_signs import LifeSigns
from mission.runtime.running.runner_process import Process
from mission.runtime.running.screen import Screen, cast, shown_before
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import creation, ending
from mission.services.executions import state as executions
from mission.services.executions.creation import CreatedExecution
from mission.services.executions.ending import ExecutionEnd
from mission.services.launcher import LaunchPreview, LaunchRequest
from mission.services.repositories.working_trees import Trees
from mission.services.work import BackgroundWork, Work
from mission.settings import Settings
from mission.store.database import Database
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

HANDOVER = "handover"
MIN_HEARTBEAT_SECONDS = 1.0
LOOK_SECONDS = 10.0
CLOSE_SECONDS = 5.0
"""How long a daemon that stops waits for launches that have begun."""
"""How often a daemon looks for executions of other daemons on its host that are gone."""


class AgentLauncher:
    """Launches agents and manages all executions of this daemon."""

    def __init__(
        self,
        database: Database,
        trees: Trees,
        *,
        signals: Signals,
        agent_calls: AgentCalls,
        context: TaskContextReader,
        liveness: LivenessSettings,
        settings: Settings,
    ) -> None:
        """Create the launcher.

        `signals` takes in the signals of agents, `agent_calls` knows when they called a tool, and `context` is put
        into their prompts.
        """
        self._signals = signals
        self._database = database
        self._work = BackgroundWork(database)
        self._trees = trees
        self._liveness = liveness
        self._host_id = settings.host_id
        self.preparer = LaunchPreparer(self._work, trees, context=context, home=settings.home)
        self._launches = launches()
        self._followers: dict[str, Follower] = {}
        self._environments = ShellEnvironments(settings.home / HANDOVER)
        self._heartbeats: asyncio.Task[None] | None = None
        self._takeovers: asyncio.Task[None] | None = None
        self._owned: dict[str, Process] = {}
        self._followed_elsewhere: set[str] = set()
        """Executions of this home that another daemon follows, because it took them over."""
        self._unwritten: set[asyncio.Task[Execution]] = set()
        self._launching: set[asyncio.Task[Execution]] = set()
        self._life = LifeSigns(database.clock, agent_calls)

    async def open(self) -> None:
        """Reattach to the executions of an earlier daemon, and clean up after those that are gone."""
        live = await self._work.read(_live, host_id=self._host_id)
        for execution in live:
            await self._recover(execution)
        await asyncio.to_thread(self._environments.remove_stale)
        await find_running.clean_up(self.preparer.folders, running={execution.id for execution in live})
        self._heartbeats = asyncio.create_task(self._heartbeat_loop())
        self._takeovers = asyncio.create_task(self._take_over_loop())

    async def close(self) -> None:
        """Detach from all running programs: they keep running, and the next daemon reattaches."""
        if self._launching:  # a program that is just started would otherwise be followed by nobody
            await asyncio.wait(set(self._launching), timeout=CLOSE_SECONDS)
        for task in filter(None, (self._heartbeats, self._takeovers, *self._unwritten, *self._launching)):
            task.cancel()
        await asyncio.gather(*(follower.leave() for follower in list(self._followers.values())))
        self._followers.clear()
        for process in self._owned.values():
            process.disown()
        self._owned.clear()

    @property
    def running(self) -> int:
        return len(self._followers)

    def follower(self, execution_id: str) -> Follower | None:
        return self._followers.get(execution_id)

    def followers(self) -> list[Follower]:
        """Return the followers of all running executions."""
        return list(self._followers.values())

    def connected(self, execution_id: str) -> None:
        """Note that the execution's client has connected to its MCP endpoint."""
        if (follower := self._followers.get(execution_id)) is not None:
            follower.has_connected = True

    def folder(self, execution_id: str) -> Path:
        return self.preparer.folder(execution_id)

    async def execution(self, execution_id: str) -> Execution:
        return await self._work.read(_execution, execution_id=execution_id)

    async def screen_text(self, execution_id: str) -> str:
        """Return the last output of an ended execution."""
        return await asyncio.to_thread(shown_before, self.folder(execution_id))

    async def cast(self, execution_id: str) -> str | None:
        """Return the recording of an execution with its timing, or None if it is not on this machine."""
        return await asyncio.to_thread(cast, self.folder(execution_id))

    def shown_at(self, execution_id: str) -> datetime | None:
        """Return when a running program last wrote output; None for one that ended or runs elsewhere."""
        follower = self._followers.get(execution_id)
        return follower.screen.shown_at if follower is not None else None

    def active_at(self, execution_id: str) -> datetime | None:
        """Return when a running program last showed life: output, a tool call or CPU time; None if unknown."""
        follower = self._followers.get(execution_id)
        return self._life.active_at(follower) if follower is not None else None

    def in_tool_since(self, execution_id: str) -> datetime | None:
        """Return since when a tool call of a running program is open; None if none is, as far as that is known."""
        follower = self._followers.get(execution_id)
        return self._life.in_tool_since(follower) if follower is not None else None

    def problem_of(self, run_id: str, client: str, *, program: str | None) -> str | None:
        """Return why a client of a run cannot be launched on this host; None if it can, as far as that is known."""
        launch = self._launches.get(client)
        if launch is None:
            return f"there is no client '{client}'"
        return missing_program(launch, program, path=self._variables(run_id).get("PATH"))

    def lost_variables(self, run_id: str, names: Sequence[str]) -> Sequence[str]:
        """Return which of these variables of a run's client this process no longer has."""
        known = self._variables(run_id)
        return [name for name in names if name not in known]

    def _variables(self, run_id: str) -> Mapping[str, str]:
        given = self._environments.of_run(run_id)
        return os.environ if given is None else given

    def variables_of(self, client: str, *, handover: str | None) -> Sequence[str]:
        """Return the names of a client's own variables, such as its API keys: in a shell's file, or in ours."""
        given = self._environments.read(handover, keep=True) if handover is not None else os.environ
        launch = self._launches.get(client)
        return launch.own_variables(given) if launch is not None else []

    def keep_variables(self, run_id: str, handover: str) -> None:
        """Keep a shell's variables for the launches of a run: in memory only. Their file is removed."""
        self._environments.keep_for_run(run_id, handover)

    def forget_variables(self, run_id: str) -> None:
        """Forget the variables of a run that has ended."""
        self._environments.forget_run(run_id)

    def launch_record(self, execution: Execution) -> LaunchRecord:
        """Return the record of an earlier launch."""
        folder = find_running.folder_of(execution, folders=self.preparer.folders)
        return LaunchRecord.read(folder / LAUNCH_RECORD)

    def manages(self, execution: Execution) -> bool:
        """Return whether commands for an execution are carried out here, and not by another daemon on this host."""
        folders = self.preparer.folders
        folder = find_running.folder_of(execution, folders=folders)
        is_here = execution.id in self._followers or find_running.may_follow(folder, folders=folders)
        return is_here and folder.is_dir()

    async def launch(self, work: Work, request: LaunchRequest) -> Execution:
        """Claim and start the task, start the program, and return once it runs. A failure leaves nothing behind."""
        if self._heartbeats is None:
            raise InvalidState("Only the daemon can launch agents", hint="Start it with 'mission up'.")
        # A caller that disconnects must not leave a half-finished launch.
        launching = asyncio.ensure_future(self._launch(work, request))
        self._launching.add(launching)
        launching.add_done_callback(self._launching.discard)
        return await asyncio.shield(launching)

    async def _launch(self, work: Work, order: LaunchRequest) -> Execution:
        choice = self._choose(order)
        created = await self._create(order, choice)
        execution = created.execution
        try:
            follower = await self._start(created, order, choice)
        except MissionError as error:
            await self._abandon(execution, error)
            raise
        except OSError as error:
            problem = _unprepared(error)
            await self._abandon(execution, problem)
            raise problem from error
        except Exception:  # the task must not stay with an agent that will never run
            await self._abandon(execution, InternalError())
            raise
        facts = {"folder": str(follower.process.folder), "program": follower.process.program}
        log.info("execution %s: %s runs on task %s", execution.id, choice.launch.name, execution.task_id)
        return await work.finish(executions.started, execution_id=execution.id, process=facts)

    async def preview(self, work: Work, request: LaunchRequest) -> LaunchPreview:
        """Return what `launch` would do, without doing it."""
        return await self.preparer.preview(work, self._trees, request, self._choose(request, keep_environment=True))

    async def stop(self, execution_id: str, *, reason: str | None = None) -> Execution:
        """Stop the program, kill what does not exit, and return once its end is recorded."""
        follower = self._followers.get(execution_id)
        if follower is not None:
            follower.process.stop("stopped" if reason is None else f"{STOPPED_BY_RUN}{reason}")
            await follower.wait()
        execution = await self.execution(execution_id)
        if execution.is_live:
            here = execution.host_id == self._host_id
            raise InvalidState(
                f"execution {execution_id} is not managed by this daemon",
                hint="It is just being started; try again in a moment."
                if here
                else f"It runs on host {execution.host_id}; this is {self._host_id}.",
            )
        return execution

    async def forget(self, execution_ids: Sequence[str]) -> None:
        """Remove the transcripts of ended executions."""
        for id in execution_ids:
            await asyncio.to_thread(shutil.rmtree, self.folder(id), ignore_errors=True)

    def clients(self) -> Sequence[str]:
        """Return the names of the clients that can be launched."""
        return sorted(self._launches)

    async def adapters(self) -> Sequence[Mapping[str, Any]]:
        """Return each launchable client with its installation, version and capabilities."""
        rows = await asyncio.gather(*(asyncio.to_thread(described, each) for each in self._launches.values()))
        return list(rows)

    def _choose(self, order: LaunchRequest, *, keep_environment: bool = False) -> Choice:
        given = self._environments.take(order, keep=keep_environment)
        if given is None and order.resumes is not None:
            self.preparer.launch_record(order.resumes).check(os.environ, order)
        return choose(self._launches, order, os.environ if given is None else given)

    async def _create(self, order: LaunchRequest, choice: Choice) -> CreatedExecution:
        return await creation.create(
            self._work,
            self._trees,
            launch=creation.NewExecution(
                task_id=order.task_id,
                adapter=choice.launch.name,
                runtime=choice.launch.runtime,
                delivery=choice.delivery,
                mode=Mode.INTERACTIVE if order.interactive else Mode.HEADLESS,
                agent_name=order.agent_name,
                resumes=order.resumes,
                command_id=order.command_id,
                run_id=order.run_id,
                run_fence=order.run_fence,
                outside_runs=order.run_id is None,
                files=str(self.preparer.folders),
            ),
            liveness=self._liveness,
            repository_path=order.repository_path,
            directory=order.directory,
        )

    async def _start(self, created: CreatedExecution, order: LaunchRequest, choice: Choice) -> Follower:
        execution = created.execution
        start = await self.preparer.prepare(created, order, choice, session=await self._session(order, choice))
        process = Process(execution.id, self.folder(execution.id))
        self._own(process)
        await process.start(start)
        follower = self._follow(execution, choice.launch, process, Screen())
        await process.begun()
        return follower

    def _follow(
        self,
        execution: Execution,
        launch: LaunchAdapter,
        process: Process,
        screen: Screen,
        *,
        reattached: bool = False,
    ) -> Follower:
        follower = Follower(
            execution,
            launch,
            process,
            database=self._database,
            signals=self._signals,
            liveness=self._liveness,
            screen=screen,
            ended=self._gone,
            reattached=reattached,
        )
        self._followers[execution.id] = follower
        follower.start()
        return follower

    async def _recover(self, execution: Execution) -> None:
        """Reattach to what an earlier daemon launched; mark as lost what never started."""
        launch = self._launches.get(execution.adapter)
        folders = self.preparer.folders
        folder = find_running.folder_of(execution, folders=folders)
        process = Process(execution.id, folder)
        if not find_running.may_follow(folder, folders=folders):
            return
        if not self._own(process):
            self._followed_elsewhere.add(execution.id)
            return
        if not (await self.execution(execution.id)).is_live:  # its end was recorded before it became ours
            self._disown(execution.id)
            return
        self._followed_elsewhere.discard(execution.id)
        screen = await find_running.reattach(self._work, execution, process) if launch is not None else None
        if launch is None or screen is None:
            await find_running.mark_lost(self._work, execution, process, liveness=self._liveness)
            self._disown(execution.id)
        else:
            self._follow(execution, launch, process, screen, reattached=True)

    async def _take_over_loop(self) -> None:
        """Follow the executions of daemons on this host that are gone."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                for execution in await self._work.read(_live, host_id=self._host_id):
                    if self._may_be_abandoned(execution):
                        await self._recover(execution)
            except Exception:  # the next look may succeed
                log.warning("could not look for executions of other daemons", exc_info=True)

    def _may_be_abandoned(self, execution: Execution) -> bool:
        """Return whether nobody may follow an execution: never one that this daemon is just starting."""
        folders = self.preparer.folders
        is_own = find_running.folder_of(execution, folders=folders).parent == folders
        return execution.id not in self._followers and (not is_own or execution.id in self._followed_elsewhere)

    async def _gone(self, execution: Execution) -> None:
        self._followers.pop(execution.id, None)
        self._disown(execution.id)

    def _own(self, process: Process) -> bool:
        """Return whether this daemon may follow the program: no other one does."""
        if is_owned := process.own():
            self._owned[process.execution_id] = process
        return is_owned

    def _disown(self, execution_id: str) -> None:
        if (process := self._owned.pop(execution_id, None)) is not None:
            process.disown()

    async def _abandon(self, execution: Execution, error: MissionError) -> None:
        """End an execution whose program never ran, as if it had not existed."""
        follower = self._followers.pop(execution.id, None)
        if follower is not None:
            await follower.leave()
        end = ExecutionEnd(status=ExecutionStatus.FAILED, reason=f"not launched: {error}"[:500], refused=True)
        try:
            await self._work.write(ending.ended, execution_id=execution.id, end=end, liveness=self._liveness)
        except TransientError:  # perhaps the disk is full: do not let the caller wait for space
            task = asyncio.create_task(
                write_until_stored(
                    self._work, ending.ended, execution_id=execution.id, end=end, liveness=self._liveness
                )
            )
            self._unwritten.add(task)
            task.add_done_callback(self._unwritten.discard)
        process = follower.process if follower is not None else Process(execution.id, self.folder(execution.id))
        process.give_up()
        await process.release()
        self._disown(execution.id)

    async def _session(self, order: LaunchRequest, choice: Choice) -> str | None:
        """Return the client's session to resume, or None."""
        if order.resumes is None or order.fresh or not choice.launch.resumes:
            return None
        return (await self.execution(order.resumes)).session_id

    async def _heartbeat_loop(self) -> None:
        """Send heartbeats for the agents of all running programs."""
        pause = min(self._liveness.heartbeat, self._liveness.lease / 3).total_seconds()
        while True:
            await asyncio.sleep(max(MIN_HEARTBEAT_SECONDS, pause))
            await asyncio.to_thread(self._life.sample, self.followers())
            try:
                await self._work.write(
                    executions.heartbeat_all, execution_ids=list(self._followers), liveness=self._liveness
                )
            except Exception:  # the next heartbeat may succeed
                log.warning("could not write heartbeats", exc_info=True)


def _unprepared(error: OSError) -> InvalidState:
    """Return an error without the path that the system's message would reveal."""
    return InvalidState(
        f"could not prepare the launch: {error.strerror or 'the system refused'}",
        hint="Check the free space and the permissions of MISSION_HOME.",
    )


def _live(tx: Tx, *, host_id: str) -> list[Execution]:
    return tx.executions.live(host_id=host_id)


def _execution(tx: Tx, *, execution_id: str) -> Execution:
    return tx.executions.get(execution_id)
