"""Prepares a launch: prompt, command line, MCP servers with their access tokens, and files."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mission.domain.checks.check import Check
from mission.domain.checks.slot import SLOT_VARIABLES
from mission.domain.errors import InvalidInput
from mission.domain.executions.execution import Execution, Mode, Protocol
from mission.domain.executions.signals import Delivery
from mission.domain.missions.mission import Mission
from mission.domain.tasks.task import Task
from mission.private_files import write_private
from mission.runtime.adapters.launch_adapter import (
    MISSION,
    MISSION_TOKEN,
    SIGNALS,
    SIGNALS_TOKEN,
    SIGNALS_URL,
    LaunchPlan,
    Preparation,
    Server,
)
from mission.runtime.launching import prompt as instructions
from mission.runtime.launching.client_choice import Choice
from mission.runtime.launching.launch_record import LaunchRecord
from mission.runtime.runner.process_group import EXECUTION_VARIABLE
from mission.runtime.running.runner_process import ProgramLimits, Start, Terminal
from mission.services.evidence import definitions
from mission.services.executions.creation import CreatedExecution
from mission.services.launcher import LaunchPreview, LaunchRequest
from mission.services.repositories.working_trees import Trees
from mission.services.tasks.preparation import find_directory
from mission.services.work import Work
from mission.services.workspaces.slots import slot_of
from mission.store.transaction import Tx

CONFIG = "config"
LAUNCH_RECORD = "transcript.launch.json"
CONTEXT_TOKENS = 4_000

TaskContextReader = Callable[..., Mapping[str, Any]]
"""A transaction function that returns what an agent reads about its task before it starts, within a token budget."""


class LaunchPreparer:
    """Prepares the executions of one daemon."""

    def __init__(self, work: Work, trees: Trees, *, context: TaskContextReader, home: Path) -> None:
        self.url = ""
        """The daemon's address for agents; known once it listens."""
        self.folders = home / "executions"
        self._work = work
        self._trees = trees
        self._read_context = context
        self._home = home

    def folder(self, execution_id: str) -> Path:
        """Return the folder of an execution; after its end only the transcript is left there."""
        return self.folders / execution_id

    def launch_record(self, execution_id: str) -> LaunchRecord:
        """Return the record of an earlier launch."""
        return LaunchRecord.read(self.folder(execution_id) / LAUNCH_RECORD)

    async def prepare(
        self, created: CreatedExecution, order: LaunchRequest, choice: Choice, *, session: str | None
    ) -> Start:
        """Write the program's files and return how to start it; `session` is the client's session to resume."""
        execution, task = created.execution, created.task
        directory = execution.directory or order.directory
        if directory is None:
            raise InvalidInput(
                f"task {execution.task_id} has no working tree to launch in",
                hint="Pass repository_path, or launch from inside the repository.",
                field="repository_path",
            )
        prompt = await self._prompt(execution, task, order, choice, resumed=session is not None)
        prepared = self._prepared(execution, order, choice, Path(directory), prompt, session=session)
        slot = await slot_of(self._work, self._trees, path=directory)
        folder = self.folder(execution.id)
        write(folder / CONFIG, prepared)
        write_private(folder / LAUNCH_RECORD, LaunchRecord.of(order, choice).as_text())
        return Start(
            execution_id=execution.id,
            argv=prepared.argv,
            directory=Path(directory),
            environment={**choice.environment, **prepared.environment, **self._added(created), **slot.variables()},
            terminal=Terminal() if order.interactive else None,
            limits=ProgramLimits(seconds=order.seconds),
            title=f"{choice.launch.title}: {task.name}",
        )

    async def preview(self, work: Work, trees: Trees, order: LaunchRequest, choice: Choice) -> LaunchPreview:
        """Return a preview of the launch without writing anything."""
        execution, task = await work.read(_imagined, order=order, choice=choice)
        prompt = await self._prompt(execution, task, order, choice)
        found = await find_directory(
            work, trees, task_id=task.id, repository_path=order.repository_path, directory=order.directory
        )
        directory = found or order.directory
        prepared = self._prepared(execution, order, choice, Path(directory or "/"), prompt, session=None)
        added = {MISSION_TOKEN, "MISSION_HOME", "TERM", EXECUTION_VARIABLE, *SLOT_VARIABLES}
        if choice.delivery is Delivery.MCP_TOOL:
            added |= {SIGNALS_TOKEN, SIGNALS_URL}
        return LaunchPreview(
            argv=prepared.argv,
            prompt=prompt,
            delivery=choice.delivery,
            directory=directory,
            variables=sorted({*choice.environment, *prepared.environment, *added}),
        )

    async def _prompt(
        self, execution: Execution, task: Task, order: LaunchRequest, choice: Choice, *, resumed: bool = False
    ) -> str:
        mission, checks = await self._work.read(_judges, task=task)
        return instructions.brief(
            execution,
            task,
            mission,
            checks=checks,
            context="" if resumed else await self._context(execution),
            has_mission=choice.speaks_mcp,
            answer=order.answer,
            hint=order.hint,
            failure=order.failure,
            resumed=resumed,
        )

    async def _context(self, execution: Execution) -> str:
        found = await self._work.read(
            self._read_context, task_id=execution.task_id, max_tokens=CONTEXT_TOKENS, agent_id=execution.agent_id
        )
        shown = json.dumps(found, ensure_ascii=False, indent=1)
        return f"Context of the task (task_load_context):\n{shown}"

    def _prepared(
        self,
        execution: Execution,
        order: LaunchRequest,
        choice: Choice,
        directory: Path,
        prompt: str,
        *,
        session: str | None,
    ) -> Preparation:
        servers = []
        if choice.delivery is Delivery.MCP_TOOL:
            servers.append(Server(name=SIGNALS, url=self._signals_url(execution.id), token_variable=SIGNALS_TOKEN))
        if choice.speaks_mcp:
            servers.append(Server(name=MISSION, url=f"{self.url}/mcp?toolsets=worker", token_variable=MISSION_TOKEN))
        return choice.launch.prepare(
            LaunchPlan(
                program=choice.program,
                prompt=prompt,
                folder=self.folder(execution.id) / CONFIG,
                directory=directory,
                servers=servers,
                interactive=order.interactive,
                session_id=str(uuid.uuid4()),
                resume=session,
                arguments=choice.arguments,
                environment=choice.environment,
            )
        )

    def _added(self, created: CreatedExecution) -> Mapping[str, str]:
        """Return our own variables, including the secrets."""
        added = {"TERM": "xterm-256color", MISSION_TOKEN: created.agent_token, "MISSION_HOME": str(self._home)}
        if created.token is not None:
            added |= {SIGNALS_TOKEN: created.token, SIGNALS_URL: self._signals_url(created.execution.id)}
        return added

    def _signals_url(self, execution_id: str) -> str:
        return f"{self.url}/mcp/executions/{execution_id}"


def write(folder: Path, prepared: Preparation) -> None:
    """Create a client's folder, readable only by its owner."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, text in prepared.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(folder / name, text)
    for name, target in prepared.links.items():
        if not target.exists() and not target.is_symlink():
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / name).symlink_to(target)


def _judges(tx: Tx, *, task: Task) -> tuple[Mission, list[Check]]:
    """Return what the work on a task is judged by: its mission, and its checks."""
    return tx.missions.get(task.mission_id), [each.check for each in definitions.effective(tx, task)]


def _imagined(tx: Tx, *, order: LaunchRequest, choice: Choice) -> tuple[Execution, Task]:
    """Return the execution that a launch would create, and its task."""
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
