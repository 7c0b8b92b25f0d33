"""Observations: each counted once, and what each kind of signal does."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.executions.observation import Origin
from mission.services.executions import signals as observations
from mission.services.upkeep import retention
from mission.services.work import BackgroundWork


async def test_each_signal_has_the_effect_of_its_policy_and_no_other(fake_executions):
    created = await fake_executions.launch()
    id, task_id = created.execution.id, created.task.id
    await fake_executions.start(id)
    table = [
        ("progress", {"summary": "Parsing", "detail": "a.c"}, "promoted", "running", "in_progress"),
        ("message", {"channel": "agent", "text": "Hello"}, "accepted", "running", "in_progress"),
        ("ready_for_verification", {"summary": "Look"}, "recorded-only", "running", "in_progress"),
        ("completed_claim", {"summary": "Done"}, "recorded-only", "running", "in_progress"),
        ("failed_claim", {"reason": "No"}, "recorded-only", "running", "in_progress"),
        ("needs_input", {"question": "Which?", "choices": []}, "promoted", "waiting", "paused"),
        ("progress", {"summary": "Guessed"}, "promoted", "running", "in_progress"),
        ("blocked", {"reason": "No network"}, "promoted", "waiting", "blocked"),
    ]

    for number, (type, payload, status, execution_status, task_status) in enumerate(table):
        ack = await fake_executions.signal(id, f"e{number}", type, **payload)

        assert (ack["status"], ack["eventId"], ack["agentExecutionId"]) == (status, f"e{number}", id)
        assert (await fake_executions.get(id)).status == execution_status, type
        assert (await fake_executions.task_now(task_id))["status"] == task_status, type

    execution = await fake_executions.get(id)
    assert (execution.progress["summary"], execution.claim["type"]) == ("Guessed", "failed_claim")
    task = await fake_executions.task_now(task_id)
    assert task["hold"] == {"kind": "blocked", "reason": "No network", "by": created.agent.id}
    queue = (await fake_executions.call("queue_list"))["items"]
    assert {(item["kind"], item["subject"], item["execution_id"]) for item in queue} == {
        ("blocker", "No network", id),
    }


async def test_the_same_event_counts_once_whatever_happens_in_between(fake_executions):
    created = await fake_executions.launch()
    id = created.execution.id
    first = await fake_executions.signal(id, "e1", "needs_input", question="Which?")
    seq = await fake_executions.app.database.read(lambda tx: tx.events.newest())

    again = await fake_executions.signal(id, "e1", "needs_input", question="Which?")
    other = await fake_executions.signal(id, "e1", "progress", summary="Something else")

    assert (again["status"], again["observationId"]) == ("duplicate", first["observationId"])
    assert "reason" not in again
    assert (other["status"], other["reason"]) == ("duplicate", "payload differs, use a new id")
    assert await fake_executions.events(seq) == []
    assert len((await fake_executions.call("queue_list"))["items"]) == 1


async def test_an_event_id_belongs_to_its_execution(fake_executions):
    one, two = await fake_executions.launch(), await fake_executions.launch()

    acks = [await fake_executions.signal(each.execution.id, "e1", "progress", summary="x") for each in (one, two)]

    assert [ack["status"] for ack in acks] == ["promoted", "promoted"]


async def test_an_ended_or_unknown_execution_takes_no_signals(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.end(created.execution.id)

    ack = await fake_executions.signal(created.execution.id, "e1", "progress", summary="x")

    assert ack["status"] == "rejected"
    assert "has ended (completed)" in ack["reason"]


async def test_what_the_daemon_sees_itself_gets_an_id_of_its_own_and_what_is_seen_twice_a_key(fake_executions):
    created = await fake_executions.launch()
    seen = {"execution_id": created.execution.id, "type": "malformed-marker", "payload": {"line": "@task::{"}}
    write = fake_executions.app.database.write

    acks = [await write(observations.note, origin=Origin.TERMINAL, **seen) for _ in range(2)]
    keyed = [await write(observations.note, origin=Origin.PROVIDER, key="session", **seen) for _ in range(2)]

    assert [ack.status for ack in acks] == ["recorded-only"] * 2
    assert acks[0].event_id != acks[1].event_id
    assert [ack.status for ack in keyed] == ["recorded-only", "duplicate"]


async def test_observations_of_executions_that_are_long_over_go_and_those_of_living_ones_stay(fake_executions, clock):
    ended, living = [(await fake_executions.launch()).execution.id for _ in range(2)]
    for id in (ended, living):
        await fake_executions.signal(id, "e1", "progress", summary="Begun")
    await fake_executions.end(ended)
    work, keep = BackgroundWork(fake_executions.app.database), retention.Keep(observations=timedelta(days=90))
    clock.advance(days=89)
    await retention.tidy(work, keep=keep)
    kept = await fake_executions.call("execution_observations", {"execution_id": ended})
    clock.advance(days=2)

    await retention.tidy(work, keep=keep)

    assert len(kept["observations"]) == 1
    assert (await fake_executions.call("execution_observations", {"execution_id": ended}))["observations"] == []
    assert (await fake_executions.signal(living, "e1", "progress", summary="Begun"))["status"] == "duplicate"
