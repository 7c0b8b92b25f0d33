"""The daemon's supervisor: launches agents on tasks, holds on to them, finds them again after a crash, stops them."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.execution import Execution, ExecutionStatus, Mode, Protocol
from mission.domain.mission import ENDED, Mission
from mission.domain.signals import Delivery
from mission.domain.task import Task
from mission.files import write_private
from mission.gateway.signals import Signals
from mission.runtime import instructions
from mission.runtime.choice import Choice, choose, described
from mission.runtime.follower import MISSION_ENDED, Follower
from mission.runtime.handover import Handover
from mission.runtime.kept_launch import Kept
from mission.runtime.launch import MISSION, MISSION_TOKEN, SIGNALS, SIGNALS_TOKEN, SIGNALS_URL, Launch, Server, launches
from mission.runtime.launch import Order as LaunchOrder
from mission.runtime.process import Limits, Process, Start, Terminal
from mission.runtime.runner.processes import EXECUTION_VARIABLE
from mission.runtime.terminal import Screen, cast, last_shown, shown_before
from mission.services import executions, footing
from mission.services.agents import Rhythm
from mission.services.executions import Created, End
from mission.services.launching import Intent, Order
from mission.services.trees import Trees
from mission.services.work import Unattended, Work
from mission.settings import Settings
from mission.store.database import Database
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
Context = Callable[[str], Coroutine[Any, Any, str]]
"""What is known of a task, as text for a prompt."""

CONFIG = "config"
HANDOVER = "handover"
KEPT_LAUNCH = "transcript.launch.json"
SHORTEST_BREATH = 1.0


class Supervisor:
    """All executions of this daemon."""

    def __init__(
        self, database: Database, trees: Trees, *, rhythm: Rhythm, settings: Settings, context: Context
    ) -> None:
        self.url = ""
        """Where agents reach the daemon; known once it listens."""
        self.signals: Signals
        """Where their signals are taken in; known once the gateway stands."""
        self._database = database
        self._work = Unattended(database)
        self._trees = trees
        self._rhythm = rhythm
        self._settings = settings
        self._context = context
        self._launches = launches()
        self._followers: dict[str, Follower] = {}
        self._handover = Handover(settings.home / HANDOVER)
        self._breath: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Find the executions of an earlier daemon again, and clear up after those that cannot be found."""
        for execution in await self._work.read(_live, host_id=self._settings.host_id):
            await self._recover(execution)
        await self._clear_up()
        self._breath = asyncio.create_task(self._breathe())

    async def close(self) -> None:
        """Let go of everything that runs: it goes on, and the next daemon finds it."""
        if self._breath is not None:
            self._breath.cancel()
        await asyncio.gather(*(follower.leave() for follower in list(self._followers.values())))
        self._followers.clear()

    @property
    def running(self) -> int:
        return len(self._followers)

    def follower(self, execution_id: str) -> Follower | None:
        return self._followers.get(execution_id)

    def followers(self) -> list[Follower]:
        """Of everything that runs."""
        return list(self._followers.values())

    def connected(self, execution_id: str) -> None:
        """The execution's client has come to its MCP endpoint."""
        if (follower := self._followers.get(execution_id)) is not None:
            follower.has_connected = True

    def folder(self, execution_id: str) -> Path:
        return self._settings.home / "executions" / execution_id

    async def execution(self, execution_id: str) -> Execution:
        return await self._work.read(_execution, execution_id=execution_id)

    async def shown(self, execution_id: str) -> str:
        """The last of what an ended execution showed."""
        return await asyncio.to_thread(shown_before, self.folder(execution_id))

    async def cast(self, execution_id: str) -> str | None:
        """What an execution showed from its start on, with its times; nothing if it is not on this machine."""
        return await asyncio.to_thread(cast, self.folder(execution_id))

    def shown_at(self, execution_id: str) -> datetime | None:
        """When a running program last showed anything; nothing for one that ended or runs elsewhere."""
        follower = self._followers.get(execution_id)
        return follower.screen.shown_at if follower is not None else None

    def kept(self, execution_id: str) -> Kept:
        """What the operator gave an earlier launch."""
        return Kept.read(self.folder(execution_id) / KEPT_LAUNCH)

    async def launch(self, work: Work, order: Order, *, answer: Callable[[Execution], Answer]) -> Answer:
        """Claim and start the task, start the program, and answer once it runs. Whatever fails leaves nothing."""
        if self._breath is None:
            raise InvalidState("agents are launched by the daemon, and this is none", hint="Start 'mission up'.")
        # A caller that leaves must not leave a launch half done.
        return await asyncio.shield(asyncio.ensure_future(self._launch(work, order, answer)))

    async def _launch(self, work: Work, order: Order, answer: Callable[[Execution], Answer]) -> Answer:
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
        facts = {"folder": str(follower.process.folder), "program": follower.process.program}
        recorded = await work.write(executions.started, execution_id=execution.id, process=facts, answer=answer)
        log.info("execution %s: %s runs on task %s", execution.id, choice.launch.name, execution.task_id)
        if (await self._work.read(_mission, mission_id=execution.mission_id)).status in ENDED:
            follower.process.stop(MISSION_ENDED)  # while it was started
        return recorded

    async def rehearse(self, work: Work, order: Order) -> Intent:
        """What `launch` would do, without doing it."""
        choice = self._choose(order, keep_handover=True)
        execution, task = await work.read(_imagined, order=order, choice=choice)
        folder = self.folder(execution.id)
        prompt = await self._prompt(execution, task, order, choice)
        place = await footing.look_for_place(
            work,
            self._trees,
            task_id=task.id,
            repository_path=order.repository_path,
            directory=order.directory,
        )
        directory = str(place.tree.path) if place is not None else order.directory
        prepared = choice.launch.prepare(
            self._launch_order(execution, order, choice, folder, Path(directory or "/"), prompt, resume=None)
        )
        return Intent(
            argv=prepared.argv,
            prompt=prompt,
            delivery=choice.delivery,
            directory=directory,
            variables=sorted({*choice.environment, *prepared.environment, *self._secrets(choice.delivery)}),
        )

    async def stop(self, execution_id: str) -> Execution:
        """Ask the program to end, kill what does not, and answer when it is gone and recorded."""
        follower = self._followers.get(execution_id)
        if follower is not None:
            follower.process.stop("stopped")
            await follower.wait()
        execution = await self.execution(execution_id)
        if execution.is_live:
            here = execution.host_id == self._settings.host_id
            raise InvalidState(
                f"execution {execution_id} is not held by this daemon",
                hint="It is just being started: try again in a moment."
                if here
                else f"It runs on host {execution.host_id}; this is {self._settings.host_id}.",
            )
        return execution

    async def forget(self, execution_ids: Sequence[str]) -> None:
        """Remove what ended executions showed."""
        for id in execution_ids:
            await asyncio.to_thread(shutil.rmtree, self.folder(id), ignore_errors=True)

    async def adapters(self) -> Sequence[Mapping[str, Any]]:
        """Each launchable client: whether it is installed, its version, and what it can do."""
        rows = await asyncio.gather(*(asyncio.to_thread(described, each) for each in self._launches.values()))
        return list(rows)

    def _choose(self, order: Order, *, keep_handover: bool = False) -> Choice:
        given = self._handover.take(order, keep=keep_handover)
        if given is None and order.resumes is not None:
            self.kept(order.resumes).check(os.environ, order)
        return choose(self._launches, order, os.environ if given is None else given)

    async def _create(self, order: Order, choice: Choice) -> Created:
        created: Created = await executions.create(
            self._work,
            self._trees,
            launch=executions.Launch(
                task_id=order.task_id,
                adapter=choice.launch.name,
                runtime=choice.launch.runtime,
                delivery=choice.delivery,
                mode=Mode.INTERACTIVE if order.interactive else Mode.HEADLESS,
                agent_name=order.agent_name,
                resumes=order.resumes,
            ),
            rhythm=self._rhythm,
            repository_path=order.repository_path,
            directory=order.directory,
            answer=lambda made: made,
        )
        return created

    async def _start(self, created: Created, order: Order, choice: Choice) -> Follower:
        execution = created.execution
        directory = execution.directory or order.directory
        if directory is None:
            raise InvalidInput(
                f"task {execution.task_id} has no working tree to launch in",
                hint="Give repository_path, or launch from inside the repository.",
                field="repository_path",
            )
        resume = await self._session(order, choice)
        folder = self.folder(execution.id)
        prompt = await self._prompt(execution, created.task, order, choice, resumed=resume is not None)
        prepared = choice.launch.prepare(
            self._launch_order(execution, order, choice, folder, Path(directory), prompt, resume=resume)
        )
        secrets = {MISSION_TOKEN: created.agent_token, "MISSION_HOME": str(self._settings.home)}
        if created.token is not None:
            secrets |= {SIGNALS_TOKEN: created.token, SIGNALS_URL: self._signals_url(execution.id)}
        _write_files(folder / CONFIG, prepared.files)
        write_private(folder / KEPT_LAUNCH, Kept.of(order, choice).as_text())
        process = Process(execution.id, folder)
        await process.start(
            Start(
                execution_id=execution.id,
                argv=prepared.argv,
                directory=Path(directory),
                environment={**choice.environment, "TERM": "xterm-256color", **prepared.environment, **secrets},
                terminal=Terminal() if order.interactive else None,
                limits=Limits(seconds=order.seconds),
                title=f"{choice.launch.title}: {created.task.name}",
            )
        )
        follower = self._follow(execution, choice.launch, process, Screen())
        await process.begun()
        return follower

    def _follow(
        self, execution: Execution, launch: Launch, process: Process, screen: Screen, *, found_again: bool = False
    ) -> Follower:
        follower = Follower(
            execution,
            launch,
            process,
            database=self._database,
            signals=self.signals,
            rhythm=self._rhythm,
            screen=screen,
            ended=self._gone,
            found_again=found_again,
        )
        self._followers[execution.id] = follower
        follower.start()
        return follower

    async def _gone(self, execution: Execution) -> None:
        self._followers.pop(execution.id, None)

    async def _abandon(self, execution: Execution, error: MissionError) -> None:
        """End an execution whose program never ran, as if it had not been."""
        follower = self._followers.pop(execution.id, None)
        if follower is not None:
            await follower.leave()
        end = End(status=ExecutionStatus.FAILED, reason=f"not launched: {error}"[:500])
        await self._work.write(executions.ended, execution_id=execution.id, end=end, rhythm=self._rhythm)
        process = follower.process if follower is not None else Process(execution.id, self.folder(execution.id))
        process.give_up()
        await process.release()

    async def _session(self, order: Order, choice: Choice) -> str | None:
        """The client's session to go on with."""
        if order.resumes is None or not choice.launch.resumes:
            return None
        return (await self.execution(order.resumes)).session_id

    async def _prompt(
        self, execution: Execution, task: Task, order: Order, choice: Choice, *, resumed: bool = False
    ) -> str:
        return instructions.brief(
            execution,
            task,
            await self._work.read(_mission, mission_id=task.mission_id),
            context="" if resumed else await self._context(task.id),
            has_mission=choice.speaks_mcp,
            answer=order.answer,
            resumed=resumed,
        )

    def _launch_order(
        self,
        execution: Execution,
        order: Order,
        choice: Choice,
        folder: Path,
        directory: Path,
        prompt: str,
        *,
        resume: str | None,
    ) -> LaunchOrder:
        servers = []
        if choice.delivery is Delivery.MCP_TOOL:
            servers.append(Server(name=SIGNALS, url=self._signals_url(execution.id), token_variable=SIGNALS_TOKEN))
        if choice.speaks_mcp:
            servers.append(Server(name=MISSION, url=f"{self.url}/mcp?toolsets=worker", token_variable=MISSION_TOKEN))
        return LaunchOrder(
            program=choice.program,
            prompt=prompt,
            folder=folder / CONFIG,
            directory=directory,
            servers=servers,
            interactive=order.interactive,
            session_id=str(uuid.uuid4()),
            resume=resume,
            arguments=choice.arguments,
        )

    def _signals_url(self, execution_id: str) -> str:
        return f"{self.url}/mcp/executions/{execution_id}"

    def _secrets(self, delivery: Delivery) -> set[str]:
        always = {MISSION_TOKEN, "MISSION_HOME", "TERM", EXECUTION_VARIABLE}
        return {*always, *({SIGNALS_TOKEN, SIGNALS_URL} if delivery is Delivery.MCP_TOOL else ())}

    async def _recover(self, execution: Execution) -> None:
        """Go on with what an earlier daemon launched; what never began or is gone is marked lost."""
        launch = self._launches.get(execution.adapter)
        process = Process(execution.id, self.folder(execution.id))
        if execution.process is not None and execution.process.get("folder") != str(process.folder):
            return  # another daemon of this host holds it
        if launch is None or process.give_up() or not process.folder.is_dir():
            end = End(status=ExecutionStatus.LOST, reason="the daemon died before its program was started")
            await self._work.write(executions.ended, execution_id=execution.id, end=end, rhythm=self._rhythm)
            await process.release()
            log.warning("execution %s was lost: its program never ran", execution.id)
            return
        log.info("execution %s: found again", execution.id)
        if execution.status is ExecutionStatus.STARTING:
            await self._work.write(
                executions.started, execution_id=execution.id, process={"folder": str(process.folder)}
            )
        history = await asyncio.to_thread(shown_before, process.folder)
        screen = Screen(history, shown_at=last_shown(process.folder))
        self._follow(execution, launch, process, screen, found_again=True)

    async def _clear_up(self) -> None:
        """Remove what ended executions left when the daemon died before it could; their transcripts stay. And variables
        that a shell left for a launch and never came back for."""
        await asyncio.to_thread(self._handover.remove_stale)
        home = self._settings.home / "executions"
        for folder in sorted(home.iterdir()) if home.is_dir() else []:
            if folder.name in self._followers or not folder.is_dir():
                continue
            if any(not path.name.startswith("transcript.") for path in folder.iterdir()):
                await Process(folder.name, folder).release()

    async def _breathe(self) -> None:
        """Living processes are signs of life of their agents."""
        pause = min(self._rhythm.heartbeat, self._rhythm.lease / 3).total_seconds()
        while True:
            await asyncio.sleep(max(SHORTEST_BREATH, pause))
            try:
                await self._work.write(executions.alive, execution_ids=list(self._followers), rhythm=self._rhythm)
            except Exception:  # the next breath may succeed
                log.warning("signs of life could not be written", exc_info=True)


def _unprepared(error: OSError) -> InvalidState:
    """Without the path that the system's own words would name."""
    return InvalidState(
        f"the launch could not be prepared: {error.strerror or 'the system refused'}",
        hint="Look at the free space and the permissions of MISSION_HOME.",
    )


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, text in files.items():
        write_private(folder / name, text)


def _live(tx: Tx, *, host_id: str) -> list[Execution]:
    return tx.executions.live(host_id=host_id)


def _execution(tx: Tx, *, execution_id: str) -> Execution:
    return tx.executions.get(execution_id)


def _mission(tx: Tx, *, mission_id: str) -> Mission:
    return tx.missions.get(mission_id)


def _imagined(tx: Tx, *, order: Order, choice: Choice) -> tuple[Execution, Task]:
    """The execution that a launch would make."""
    task = tx.tasks.get(order.task_id)
    protocol = Protocol.of_task(mission_id=task.mission_id, task_id=task.id, tree=task.tree, delivery=choice.delivery)
    execution = Execution(
        id="x_new",
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id="a_new",
        adapter=choice.launch.name,
        mode=Mode.INTERACTIVE if order.interactive else Mode.HEADLESS,
        delivery=choice.delivery,
        protocol=protocol.as_dict(),
        host_id="",
        created_at=tx.now,
        updated_at=tx.now,
    )
    return execution, task
