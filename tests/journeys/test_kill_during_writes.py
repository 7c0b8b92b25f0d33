"""Several processes write to one database and are killed in the middle of it: nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import textwrap
import threading
from contextlib import contextmanager

import pytest

from mission.app import App
from mission.gateway.caller import Caller
from tests import fault_cases
from tests import forked_processes as processes
from tests.transports.live_server import until

PROCESSES = 3
LOOPS = 4
EACH_TIME = (5, 35)
"""Somewhere between so many more writes every living process gets acknowledged before the next one is killed."""
PATIENCE = 120.0
PROGRAM = textwrap.dedent(
    """
    import asyncio, json, os
    from pathlib import Path
    from mission import tools
    from mission.app import App
    from mission.gateway.caller import Caller
    from mission.gateway.registry import Registry
    from mission.settings import Settings

    Registry(tools)  # imports them all, once for every process

    async def write_on(home, url, agent, recipient, loops, out):
        app = App(Settings(home=Path(home), database_url=url, host_id="test-host"), role="a writer")
        caller = Caller(transport="test")

        async def call(tool, arguments):
            answer = await app.gateway(tool, arguments, caller)
            tell(out, {"tool": tool, "answer": answer})
            return answer

        async def write(task):
            while True:
                letter = {"sender_id": agent, "recipient_id": recipient, "message_type": "query", "body": task}
                sent = await call("message_send", letter)
                note = {"task_id": task, "type": "progress", "summary": sent["id"], "agent_id": agent}
                await call("checkpoint_add", note)
                await call("message_get", {"id": sent["id"]})

        async with app.running(periodic=False):
            taken = [await call("task_claim_next", {"agent_id": agent}) for _ in range(loops)]
            await asyncio.gather(*(write(each["task"]["id"]) for each in taken))

    def tell(out, fact):
        os.write(out, (json.dumps(fact) + "\\n").encode())

    def main(home, url, agent, recipient, loops, out, others):
        for other in others:
            os.close(other)
        tell(out, os.getpid())
        asyncio.run(write_on(home, url, agent, recipient, loops, out))
    """
)


class Writer:
    """A process that writes until it is killed, and what it was told."""

    def __init__(self, agent, said):
        self.agent = agent
        self.acknowledged = []
        self._said = os.fdopen(said)
        self._pid = int(self._said.readline())
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self._said:
            self.acknowledged.append(json.loads(line))

    def has_written(self, number):
        assert self._reader.is_alive(), "the writer ended by itself"
        return len(self.acknowledged) >= number

    def kill(self):
        if self._reader.is_alive():
            os.kill(self._pid, signal.SIGKILL)
            self._reader.join()
            self._said.close()

    def told(self, tool):
        return [each["answer"] for each in self.acknowledged if each["tool"] == tool]


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=25))
async def test_what_was_acknowledged_survives_the_death_of_its_process(settings, seed):
    agents, recipient, mission = await _prepare(settings)

    with _started(settings, agents, recipient) as writers:
        _kill_one_by_one(writers, random.Random(seed))

    app = App(settings, role="a test")
    async with app.running(periodic=False):
        # a write of our own: its turn comes when whatever the dead had begun is over
        await app.gateway("message_archive", {"message_ids": [_first_message(writers)]}, Caller(transport="test"))
        for writer in writers:
            await app.database.read(_all_is_there, writer=writer, mission=mission)
        await app.database.read(_nothing_is_half_done, recipient=recipient)


@contextmanager
def _started(settings, agents, recipient):
    pipes = [os.pipe() for _ in agents]
    ends = [end for _, end in pipes]
    given = [
        [str(settings.home), settings.database_url, agent, recipient, LOOPS, out, [end for end in ends if end != out]]
        for agent, out in zip(agents, ends, strict=True)
    ]
    started = processes.start(PROGRAM, given, pass_fds=ends, stderr=None)
    for end in ends:
        os.close(end)
    writers = [Writer(agent, said) for agent, (said, _) in zip(agents, pipes, strict=True)]
    try:
        yield writers
    finally:
        for writer in writers:
            writer.kill()
        started.communicate(timeout=PATIENCE)


def _kill_one_by_one(writers, chance):
    """Those still alive go on while their neighbours die in the middle of a write."""
    living = list(writers)
    while living:
        goals = [(each, len(each.acknowledged) + chance.randint(*EACH_TIME)) for each in living]
        for writer, goal in goals:
            until(lambda writer=writer, goal=goal: writer.has_written(goal), seconds=PATIENCE)
        living.pop().kill()


def _all_is_there(tx, *, writer, mission):
    claimed = writer.told("task_claim_next")
    tasks = {each["task"]["id"]: tx.tasks.get(each["task"]["id"]) for each in claimed}
    assert {(task.mission_id, task.owner_id, task.fence) for task in tasks.values()} == {(mission, writer.agent, 1)}
    entries = {(entry.id, entry.sequence) for id in tasks for entry in _journal(tx, id)}
    assert {(each["id"], each["sequence"]) for each in writer.told("checkpoint_add")} <= entries
    sent = {each["id"] for each in writer.told("message_send")}
    found = tx.messages.of_ids(sorted(sent))
    assert set(found) == sent
    assert {found[each["id"]].state for each in writer.told("message_get")} <= {"read", "archived"}


def _nothing_is_half_done(tx, *, recipient):
    """What was not acknowledged is wholly there or not at all: no gap, counts that fit, one audit row per call."""
    rows = tx.connection.exec_driver_sql("SELECT id, priority, state FROM messages").all()
    assert sum(tx.messages.unread(recipient).values()) == sum(row.state == "unread" for row in rows)
    events = tx.events.since(0, limit=1_000_000)
    assert [event.seq for event in events] == list(range(1, tx.events.newest() + 1))
    assert {event.data["id"] for event in events if event.type == "message:created"} == {row.id for row in rows}
    calls = tx.connection.exec_driver_sql("SELECT tool, status FROM audit").all()
    assert {row.status for row in calls} == {"ok"}
    assert sum(row.tool == "message_send" for row in calls) == len(rows)
    tasks = tx.connection.exec_driver_sql("SELECT id, entries FROM tasks").all()
    for task in tasks:
        assert [entry.sequence for entry in _journal(tx, task.id)] == list(range(1, task.entries + 1))


def _journal(tx, task_id):
    return tx.journal.latest_of_task(task_id, limit=1_000_000)


def _first_message(writers):
    return writers[0].told("message_send")[0]["id"]


async def _prepare(settings):
    app = App(settings, role="a test")
    async with app.running(periodic=False):

        async def call(tool, arguments):
            return await app.gateway(tool, arguments, Caller(transport="test"))

        new = {"name": "W", "source_type": "prompt", "source_content": "x", "max_parallel_tasks": 100}
        mission = (await call("workflow_create", new))["id"]
        tasks = [{"name": f"t{n}", "description": "d", "sequence": 1} for n in range(PROCESSES * LOOPS)]
        await call("workflow_set_plan", {"id": mission, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})
        names = [f"agent{number}" for number in range(PROCESSES + 1)]
        ids = [(await call("agent_register", {"name": name, "runtime": "custom"}))["id"] for name in names]
    return ids[:-1], ids[-1], mission
