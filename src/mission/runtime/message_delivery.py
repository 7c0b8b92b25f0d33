"""Brings agents what people say: answers to their questions, and operators' messages, as each launch can take them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from mission.domain.errors import MissionError, TransientError
from mission.domain.executions.execution import Execution, Mode, OperatorMessageKind, OperatorMessageState
from mission.domain.inbox.item import SYSTEM, ItemKind, ItemState
from mission.domain.message import HUMAN
from mission.domain.missions.mission import ENDED
from mission.domain.tasks.task import OPEN
from mission.events.bus import Topic
from mission.events.log import EventLog
from mission.private_files import write_private
from mission.runtime.launching.supervisor import Supervisor
from mission.runtime.running.durable_write import write_until_stored
from mission.runtime.running.follower import MISSION_ENDED, Follower
from mission.services.answers import failed_attempts as failures
from mission.services.executions import state as executions
from mission.services.inbox import items as inbox
from mission.services.inbox import open_questions as resuming
from mission.services.launcher import LaunchRequest
from mission.services.messages import sending as mail
from mission.services.tasks import updates as tasks
from mission.services.work import Work
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

WORDS = {
    OperatorMessageKind.CHECKPOINT: "Write down where you are (checkpoint_add), then go on.",
    OperatorMessageKind.NUDGE: "Say how it goes, then go on.",
    OperatorMessageKind.RESUME: "Go on where you stopped.",
    OperatorMessageKind.INTERRUPT: "Stop what you are doing and wait.",
}
NO_ANSWER = "No answer will come: go on as you think best."
ENTER_SECONDS = 0.5
"""Between words and Enter: a terminal program takes both at once for pasted text."""
WAIT_SECONDS = 5.0
GATHER_SECONDS = 0.2
MOST_UNWRITTEN = 1_000
FOR_AGENTS = frozenset({"queue:updated", "execution:updated"})
MISSION_MOVED = frozenset({"mission:updated", "workflow:updated"})
LAST_WORDS_SECONDS = 60.0
"""How long an agent may go on by itself that has ended its task, when its mission has ended too."""


class MessageDelivery:
    """Follows the event log for as long as the daemon runs."""

    def __init__(self, supervisor: Supervisor, work: Work, events: EventLog, *, host_id: str, mark: Path) -> None:
        """`mark` is the file that remembers how far the log was heard."""
        self._supervisor = supervisor
        self._work = work
        self._events = events
        self._host_id = host_id
        self._mark = mark
        self.heard = self._written = 0
        """The number of the newest event that was dealt with."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin with what was said while no daemon ran."""
        self.heard = self._written = self._last_heard()
        for mission_id in {follower.execution.mission_id for follower in self._supervisor.followers()}:
            await self._safely(self._mission_moved(mission_id))
        self._begin(self._run())

    def _last_heard(self) -> int:
        try:
            return min(int(self._mark.read_text()), self._events.last)
        except (OSError, ValueError):
            return self._events.last

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        is_new = True
        while True:
            with suppress(MissionError):  # the database is away: the next round looks again
                if is_new:
                    await self._launch_what_was_asked_for()
                    is_new = False
                await self._catch_up()
            await self._events.wait(self.heard, seconds=WAIT_SECONDS)
            await asyncio.sleep(GATHER_SECONDS)  # a busy log is looked at a few times a second, not at every event

    async def _catch_up(self) -> None:
        """Hear what is new, and nothing twice. How far that was is written down when something was for agents, or when
        much has passed: a write for each event of the log would slow down whoever makes them."""
        whole = False
        while not whole:
            chapter = await self._events.read(Topic("global"), since=self.heard)
            for event in filter(_is_for_agents, chapter.events):
                await self._safely(self._hear(event))
                self.heard = event.seq
            self.heard, whole = chapter.newest, chapter.whole
            if self.heard - self._written >= MOST_UNWRITTEN or any(map(_is_for_agents, chapter.events)):
                await self._write_down()

    async def _write_down(self) -> None:
        try:
            await asyncio.to_thread(write_private, self._mark, str(self.heard))
        except OSError as problem:  # a full disk: the next daemon hears again what was heard
            log.warning("how far the log was heard could not be written: %s", problem.strerror)
        else:
            self._written = self.heard

    async def _safely(self, work: Any) -> None:
        try:
            await work
        except TransientError:  # the store is away or full: it is heard again
            raise
        except MissionError as error:
            log.warning("something said to an agent could not be delivered: %s", error.message)
        except Exception:  # one bad letter must not stop the mail
            log.exception("something said to an agent could not be delivered")

    async def _hear(self, event: StoredEvent) -> None:
        if event.type in MISSION_MOVED:
            await self._mission_moved(event.data["id"])
        elif event.type == "queue:updated" and event.data.get("execution_id"):
            await self._closed(event)
        elif event.type == "execution:updated":
            execution = await self._ours(event.data["id"])
            if execution is None:
                return
            if (message := event.data.get("message")) is None:
                await self._ended(execution)
            elif await self._work.read(_is_pending, message_id=message["id"]):
                await self._message(execution, message)

    async def _closed(self, event: StoredEvent) -> None:
        """A person closed a question, a blocker or a failure."""
        execution = await self._ours(event.data["execution_id"])
        if execution is None or event.data.get("closed_by") in (None, SYSTEM):
            return
        if event.data["kind"] == ItemKind.FAILURE:
            await self._launch_again(execution.id)
        elif event.data["kind"] in resuming.QUESTIONS:
            answered = event.data["state"] == ItemState.ANSWERED
            await self._answer(execution, event.data["answer"] if answered else None)

    async def _mission_moved(self, mission_id: str) -> None:
        """Stop the agents of a mission that has ended: nothing is left for them to do."""
        for follower in self._supervisor.followers():
            if follower.execution.mission_id == mission_id:
                spare = await self._work.read(_may_go_on, execution=follower.execution)
                if spare is not None:
                    self._begin(_stop_after(spare, follower))

    async def _ours(self, execution_id: str) -> Execution | None:
        """The execution if this daemon launched it: on this host, and not by another daemon of it."""
        execution = await self._work.read(_found, execution_id=execution_id)
        ours = execution is not None and execution.host_id == self._host_id
        return execution if ours and self._supervisor.folder(execution_id).is_dir() else None

    async def _answer(self, execution: Execution, text: str | None) -> None:
        """By the terminal, or with the next prompt, once it has ended; until then it lies in the agent's inbox.

        Without a text the question was put aside, and a living agent is told that too.
        """
        follower = self._supervisor.follower(execution.id)
        if not execution.is_live:
            await self._go_on(execution)
        elif follower is not None and execution.mode is Mode.INTERACTIVE:
            await self._type(follower, text or NO_ANSWER)
        elif follower is not None and text is None:
            await self._tell(follower, NO_ANSWER)

    async def _ended(self, execution: Execution) -> None:
        """An agent that ended its turn goes on if its answer came meanwhile; into a terminal it was typed."""
        if not execution.is_live and execution.mode is Mode.HEADLESS:
            await self._go_on(execution)

    async def _go_on(self, execution: Execution) -> None:
        """A new execution of the same agent on the same task, in the same session where the client can."""
        text = await self._work.read(resuming.answer_left, execution=execution)
        if text is None:
            return
        try:
            await self._launch(replace(self._same_again(execution), answer=text))
        except MissionError as error:
            await write_until_stored(self._work, _complain, execution=execution, error=error)

    async def _launch_what_was_asked_for(self) -> None:
        """Launch what people wanted to be tried again, if no daemon lived long enough to do it."""
        for execution_id in await self._work.read(failures.launches_asked_for):
            if await self._ours(execution_id) is not None:
                await self._safely(self._launch_again(execution_id))

    async def _launch_again(self, execution_id: str) -> None:
        """A new execution of a task whose last one failed, as a person's answer wants it, if it does."""
        wanted = await self._work.read(failures.next_launch, execution_id=execution_id)
        if wanted is None:
            return
        same = self._same_again(wanted.execution)
        if wanted.client is None:
            order = replace(same, fresh=True, hint=wanted.hint)
        else:
            order = LaunchRequest(
                task_id=same.task_id,
                adapter=wanted.client,
                arguments=wanted.arguments,
                interactive=same.interactive,
                repository_path=same.repository_path,
            )
        try:
            await self._launch(order)
        except TransientError:
            raise
        except MissionError as error:
            await write_until_stored(self._work, failures.not_launched, execution=wanted.execution, error=error)

    def _same_again(self, execution: Execution) -> LaunchRequest:
        """The launch of an ended execution, once more and by the same agent."""
        kept = self._supervisor.kept(execution.id)
        return LaunchRequest(
            task_id=execution.task_id,
            adapter=execution.adapter,
            delivery=execution.delivery,
            interactive=execution.mode is Mode.INTERACTIVE,
            arguments=kept.arguments,
            repository_path=execution.directory,
            seconds=kept.seconds,
            resumes=execution.id,
        )

    async def _launch(self, order: LaunchRequest) -> None:
        await self._supervisor.launch(self._work, order, answer=lambda made: made)

    async def _message(self, execution: Execution, message: Mapping[str, Any]) -> None:
        follower = self._supervisor.follower(execution.id)
        state, reason = OperatorMessageState.DELIVERED, None
        kind = OperatorMessageKind(message["kind"])
        if follower is None:
            state, reason = OperatorMessageState.FAILED, f"execution {execution.id} runs no more"
        elif kind is OperatorMessageKind.INTERRUPT:
            reason = self._interrupt(follower)
        else:
            reason = await self._tell(follower, message["text"] or WORDS[kind])
        await write_until_stored(
            self._work, executions.mark_delivered, message_id=message["id"], state=state, reason=reason
        )

    def _interrupt(self, follower: Follower) -> str | None:
        if follower.execution.mode is Mode.INTERACTIVE:
            follower.process.type(follower.launch.interrupt_keys.encode())
            return None
        follower.process.interrupt()
        return "interrupted by a signal"

    async def _tell(self, follower: Follower, words: str) -> str | None:
        if follower.execution.mode is Mode.INTERACTIVE:
            await self._type(follower, words)
            return None
        await self._work.write(
            mail.send,
            sender=HUMAN,
            recipient=follower.execution.agent_id,
            subject="From the operator",
            body=words,
            task_id=follower.execution.task_id,
        )
        return "put into its inbox"

    async def _type(self, follower: Follower, words: str) -> None:
        follower.process.type(" ".join(words.split()).encode())
        await asyncio.sleep(ENTER_SECONDS)
        follower.process.type(follower.launch.submit_keys.encode())


def _is_for_agents(event: StoredEvent) -> bool:
    return event.type in FOR_AGENTS or (event.type in MISSION_MOVED and event.data["status"] in ENDED)


def _may_go_on(tx: Tx, *, execution: Execution) -> float | None:
    """For how many seconds an agent may go on when its mission has ended; nothing while it has not."""
    if tx.missions.get(execution.mission_id).status not in ENDED:
        return None
    ended_it_itself = tx.tasks.get(execution.task_id).owner_id == execution.agent_id
    return LAST_WORDS_SECONDS if ended_it_itself and execution.mode is Mode.HEADLESS else 0


async def _stop_after(seconds: float, follower: Follower) -> None:
    """Stop an agent that does not end by itself within the time."""
    try:
        await asyncio.wait_for(follower.wait(), seconds)
    except TimeoutError:
        follower.process.stop(MISSION_ENDED)


def _found(tx: Tx, *, execution_id: str) -> Execution | None:
    return tx.executions.find(execution_id)


def _give_up(tx: Tx, *, execution: Execution) -> None:
    """Free the task that waited for the answer in the hands of an agent that is gone."""
    task = tx.tasks.get(execution.task_id)
    newest = tx.executions.newest_of_task(task.id)
    is_newest = newest is not None and newest.id == execution.id
    if is_newest and task.owner_id == execution.agent_id and task.status in OPEN:
        tasks.release(tx, task)


def _is_pending(tx: Tx, *, message_id: str) -> bool:
    return tx.executions.message(message_id).state is OperatorMessageState.PENDING


def _complain(tx: Tx, *, execution: Execution, error: MissionError) -> None:
    """Tell the person that an answer found nobody; the task does not wait for that agent any longer."""
    _give_up(tx, execution=execution)
    inbox.open_item(
        tx,
        kind=ItemKind.ESCALATION,
        subject=f"The agent of {execution.id} could not be launched again with the answer",
        body=f"{error.message}\n\n{error.hint or ''}",
        task_id=execution.task_id,
        agent_id=execution.agent_id,
        once=f"relaunch {execution.id}",
    )
