"""Carries out the pending commands of this host's executions: messages to agents, launches and stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from mission.domain.errors import InternalError, MissionError, TransientError
from mission.domain.executions.command import CommandKind, ExecutionCommand
from mission.domain.executions.execution import Execution, Mode, OperatorMessageState
from mission.events.log import EventLog
from mission.runtime.launching.launcher import AgentLauncher
from mission.runtime.running.durable_write import DurableWork, write_until_stored
from mission.runtime.running.follower import MISSION_ENDED, STOPPED_BY_RUN, Follower
from mission.services.answers import failed_attempts
from mission.services.executions import commands
from mission.services.launcher import LaunchRequest
from mission.services.work import Work

log = logging.getLogger(__name__)

WORDS = {
    CommandKind.CHECKPOINT: "Save a checkpoint (checkpoint_add), then continue.",
    CommandKind.NUDGE: "Report your progress, then continue.",
    CommandKind.RESUME: "Continue where you left off.",
}
ENTER_SECONDS = 0.5
"""Pause between text and Enter: a terminal program takes both at once for pasted text."""
WAIT_SECONDS = 5.0
GATHER_SECONDS = 0.2


class MessageDelivery:
    """Looks for pending commands after each event and every few seconds.

    Repeating is safe: a command is pending until it is marked, and an effect that cannot be marked in the same
    transaction carries the command's id, so that it happens once.
    """

    def __init__(self, launcher: AgentLauncher, work: Work, events: EventLog, *, host_id: str) -> None:
        self._launcher = launcher
        self._work = work
        self._durable = DurableWork(work)
        self._events = events
        self._host_id = host_id
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: set[str] = set()
        """Executions whose commands are being carried out."""

    async def open(self) -> None:
        self._start(self._run())

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        while True:
            seen = self._events.last
            try:
                await self._check_commands()
            except TransientError as error:  # the store is unavailable: the next round tries again
                log.warning("could not read pending commands: %s", error.message)
            except Exception:
                log.exception("could not read pending commands")
            await self._events.wait(seen, seconds=WAIT_SECONDS)
            await asyncio.sleep(GATHER_SECONDS)  # check a busy log a few times a second, not at every event

    async def _check_commands(self) -> None:
        """Start a task for each execution with pending commands, so that none waits for another."""
        due: dict[str, list[tuple[ExecutionCommand, Execution]]] = {}
        for command, execution in await self._work.read(commands.due, host_id=self._host_id):
            if execution.id not in self._busy and self._launcher.manages(execution):
                due.setdefault(execution.id, []).append((command, execution))
        for execution_id, todo in due.items():
            self._busy.add(execution_id)
            self._start(self._carry_out_all(execution_id, todo))

    async def _carry_out_all(self, execution_id: str, todo: list[tuple[ExecutionCommand, Execution]]) -> None:
        try:
            for command, execution in todo:
                await self._carry_out(command, execution)
        except MissionError as error:
            log.warning("execution %s: a command failed and will be retried: %s", execution_id, error.message)
        except Exception:  # it stays pending
            log.exception("execution %s: could not carry out a command", execution_id)
        finally:
            self._busy.discard(execution_id)

    async def _carry_out(self, command: ExecutionCommand, execution: Execution) -> None:
        if command.kind is CommandKind.START_AGAIN:
            await self._start_again(command, execution)
            return
        follower = self._launcher.follower(execution.id)
        if follower is None or not follower.process.is_reached:
            return  # it is just starting or ending; its end closes pending commands
        if command.kind is CommandKind.STOP:
            if not follower.process.is_being_stopped:
                reason = f"{STOPPED_BY_RUN}{command.text}" if command.text else MISSION_ENDED
                follower.process.stop(reason)  # marked when the execution has ended
        elif command.kind is CommandKind.INTERRUPT:
            await self._interrupt(follower, command)
        else:
            await self._send(follower, command, command.text or WORDS[command.kind])

    async def _start_again(self, command: ExecutionCommand, execution: Execution) -> None:
        """Launch a task again. The command is marked once the new program runs; every error is reported."""
        if await self._work.read(commands.is_being_launched, command=command):
            return
        reason = await self._work.read(commands.obstacle, command_id=command.id)
        if reason is not None:
            await self._mark(command, OperatorMessageState.FAILED, reason)
            return
        try:
            await self._launcher.launch(self._durable, self._order(command, execution))
        except MissionError as error:
            await self._not_launched(command, error)
        except Exception:
            log.exception("could not launch execution %s again", execution.id)
            await self._not_launched(command, InternalError("something went wrong"))

    async def _not_launched(self, command: ExecutionCommand, error: MissionError) -> None:
        await write_until_stored(self._work, failed_attempts.not_launched, command_id=command.id, error=error)

    def _order(self, command: ExecutionCommand, execution: Execution) -> LaunchRequest:
        """Return the launch that a command asks for: the same agent's again, or another client's."""
        wanted = command.next_launch
        same = LaunchRequest(
            task_id=execution.task_id,
            adapter=execution.adapter,
            interactive=execution.mode is Mode.INTERACTIVE,
            repository_path=execution.directory,
            command_id=command.id,
        )
        if wanted.client is not None:
            return replace(same, adapter=wanted.client, arguments=wanted.arguments)
        kept = self._launcher.launch_record(execution)
        return replace(
            same,
            delivery=execution.delivery,
            arguments=kept.arguments,
            seconds=kept.seconds,
            resumes=execution.id,
            answer=wanted.answer,
            hint=wanted.hint,
            failure=wanted.failure,
            fresh=wanted.answer is None,
        )

    async def _interrupt(self, follower: Follower, command: ExecutionCommand) -> None:
        if follower.execution.mode is Mode.INTERACTIVE:
            follower.process.type(follower.launch.interrupt_keys.encode(), once=command.id)
            await self._mark(command, OperatorMessageState.DELIVERED)
        else:
            follower.process.interrupt(once=command.id)
            await self._mark(command, OperatorMessageState.DELIVERED, "interrupted by a signal")

    async def _send(self, follower: Follower, command: ExecutionCommand, words: str) -> None:
        if follower.execution.mode is not Mode.INTERACTIVE:
            await write_until_stored(self._work, commands.put_in_mailbox, command_id=command.id, words=words)
            return
        follower.process.type(" ".join(words.split()).encode(), once=command.id)
        await asyncio.sleep(ENTER_SECONDS)
        follower.process.type(follower.launch.submit_keys.encode(), once=f"{command.id} submit")
        await write_until_stored(self._work, commands.typed, command_id=command.id)

    async def _mark(self, command: ExecutionCommand, state: OperatorMessageState, reason: str | None = None) -> None:
        await write_until_stored(self._work, commands.mark_delivered, message_id=command.id, state=state, reason=reason)
