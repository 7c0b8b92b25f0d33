"""Several processes write to one database and are killed in the middle of it: nothing acknowledged is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading

from mission.app import App
from mission.gateway.caller import Caller
from tests.transports.live import until

PROCESSES = 3
LOOPS = 4
EACH_TIME = 20
"""So many more writes every living process gets acknowledged before the next one is killed."""
PATIENCE = 120.0
PROGRAM = textwrap.dedent(
    """
    import asyncio, json, os, sys
    from pathlib import Path
    from mission.app import App
    from mission.gateway.caller import Caller
    from mission.settings import Settings

    async def main(home, url, agent, recipient, loops):
        app = App(Settings(home=Path(home), database_url=url, host_id="test-host"), role="a writer")
        caller = Caller(transport="test")

        async def call(tool, arguments):
            answer = await app.gateway(tool, arguments, caller)
            os.write(1, (json.dumps({"tool": tool, "answer": answer}) + "\\n").encode())
            return answer

        async def write(task):
            while True:
                letter = {"sender_id": agent, "recipient_id": recipient, "message_type": "query", "body": task}
                sent = await call("message_send", letter)
                note = {"task_id": task, "type": "progress", "summary": sent["id"], "agent_id": agent}
                await call("checkpoint_add", note)
                await call("message_get", {"id": sent["id"]})

        async with app.running(periodic=False):
            taken = [await call("task_claim_next", {"agent_id": agent}) for _ in range(int(loops))]
            await asyncio.gather(*(write(each["task"]["id"]) for each in taken))

    asyncio.run(main(*sys.argv[1:]))
    """
)


class Writer:
    """A process that writes until it is killed, and what it was told."""

    def __init__(self, settings, agent, recipient):
        command = [sys.executable, "-c", PROGRAM, str(settings.home), settings.database_url, agent, recipient]
        self.agent = agent
        self.process = subprocess.Popen([*command, str(LOOPS)], stdout=subprocess.PIPE)
        self.acknowledged = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.acknowledged.append(json.loads(line))

    def has_written(self, number):
        assert self.process.poll() is None, "the writer ended by itself"
        return len(self.acknowledged) >= number

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()

    def told(self, tool):
        return [each["answer"] for each in self.acknowledged if each["tool"] == tool]


async def test_what_was_acknowledged_survives_the_death_of_its_process(settings):
    agents, recipient, mission = await _prepare(settings)

    writers = [Writer(settings, agent, recipient) for agent in agents]
    _kill_one_by_one(writers)

    app = App(settings, role="a test")
    async with app.running(periodic=False):
        # a write of our own: its turn comes when whatever the dead had begun is over
        await app.gateway("message_archive", {"message_ids": [_first_message(writers)]}, Caller(transport="test"))
        for writer in writers:
            await app.database.read(_all_is_there, writer=writer, mission=mission)
        await app.database.read(_nothing_is_half_done, recipient=recipient)


def _kill_one_by_one(writers):
    """Those still alive go on while their neighbours die in the middle of a write."""
    living = list(writers)
    try:
        while living:
            goals = [(each, len(each.acknowledged) + EACH_TIME) for each in living]
            for writer, goal in goals:
                until(lambda writer=writer, goal=goal: writer.has_written(goal), seconds=PATIENCE)
            living.pop().kill()
    finally:
        for writer in living:
            writer.kill()


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
